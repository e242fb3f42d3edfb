"""SICK as released: ``SICK.txt``, or the parts of SemEval-2014 Task 1.

Tab-separated with a header. The whole has ``pair_ID``, ``sentence_A``, ``sentence_B``, ``entailment_label``,
``relatedness_score`` (mean of ten ratings, 1 to 5) and further columns, among them ``SemEval_set`` (TRAIN, TRIAL or
TEST); the parts call the label ``entailment_judgment``. The label says whether B follows from A.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from kostra import files, tables
from kostra.errors import KostraError
from kostra.sources.cells import Cells
from kostra.sources.released import Released
from kostra.sources.repeats import pair_findings
from kostra.tables import PAIRS, SCORES, Column, Finding, Frame, Schema, range_findings

CITATION = (
    "Marco Marelli, Stefano Menini, Marco Baroni, Luisa Bentivogli, Raffaella Bernardi and Roberto Zamparelli. 2014. "
    "A SICK cure for the evaluation of compositional distributional semantic models. In Proceedings of LREC 2014, "
    "pages 216–223. https://aclanthology.org/L14-1314/"
)
LOW, HIGH = 1.0, 5.0
RATINGS = 10
"""Ratings per relatedness score."""
LABELS = ("entailment", "neutral", "contradiction")
_LABEL = ("entailment_label", "entailment_judgment")


def read(path: str | Path) -> Released:
    r"""Read a released file into pairs and scores: ``relatedness`` with a score, ``entailment`` with a label.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "SICK.txt"
    ...     _ = file.write_text(
    ...         "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\n"
    ...         "1\tA dog runs\tA dog moves\tENTAILMENT\t4.5\n"
    ...     )
    ...     released = read(file)
    >>> released.tables["scores"].select("item", "question", "score", "label").rows()
    [('1', 'relatedness', 4.5, None), ('1', 'entailment', None, 'entailment')]
    """
    where = files.shown(path)
    columns, lines = tables.read_cells(path, format="tsv")
    if not lines:
        raise KostraError("there is no row below the header", where=f"{where}:1", accepted="at least one pair")
    cells = Cells(where, columns, lines)
    ids = cells.ids("", cells.find(None, ("pair_ID",), what="pair"))
    first = cells.needed(cells.find(None, ("sentence_A",), what="first sentence"))
    second = cells.needed(cells.find(None, ("sentence_B",), what="second sentence"))
    column = cells.find(None, ("relatedness_score",), what="score")
    form = Schema("SICK", "", (Column(column, "1 to 5", "number"),), ())
    score = tables.from_cells({column: columns[column]}, form, where=where, lines=lines)[column]
    part = cells.maybe(None, ("SemEval_set",))
    pairs = {
        "pair": ids,
        "text_a": first,
        "text_b": second,
        "source": ["sick"] * len(ids),
        "subset": cells.text(part),
    }
    return Released(
        name="sick",
        citation=CITATION,
        language="en",
        low=LOW,
        high=HIGH,
        tables={
            "pairs": tables.from_cells(pairs, PAIRS, where=where, lines=lines),
            "scores": tables.check(_scores(ids, score, _labels(cells)), SCORES, where=where),
        },
        findings=(
            *_left_out(columns, where),
            *range_findings(score, lines, low=LOW, high=HIGH, where=where, column=column),
            *pair_findings(first, second, lines, where=where),
        ),
    )


def _labels(cells: Cells) -> list[str]:
    column = cells.find(None, _LABEL, what="label")
    found = [cell.casefold() for cell in cells.needed(column)]
    for row, label in enumerate(found):
        if label not in LABELS:
            raise KostraError(f'found "{label}"', where=cells.at(row, column), accepted=", ".join(LABELS))
    return found


def _left_out(columns: dict[str, list[str]], where: str) -> list[Finding]:
    used = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "SemEval_set", *_LABEL)
    left = [name for name in columns if name not in used]
    return [Finding("column", f"columns without a place in our tables: {', '.join(left)}", where)] if left else []


def _scores(ids: list[str], score: pl.Series, labels: list[str]) -> Frame:
    count = len(ids)
    return pl.DataFrame(
        {
            "item": ids * 2,
            "question": ["relatedness"] * count + ["entailment"] * count,
            "score": [*score.to_list(), *[None] * count],
            "label": [*[None] * count, *labels],
            "appearances": [RATINGS] * count + [0] * count,  # 0: not released
        }
    )

"""Czech News STS as released: the test parts (such as ``cna_free_test.tsv``) and the training parts.

Tab-separated, without header and without quoting. A test part has five columns: first sentence, second sentence, mean
of the answers, the answers themselves (nine, comma-separated), score of round 1. A training part has three: first
sentence, second sentence, score of round 1. Where sentences stand in their contexts, the key sentence is inside
``<sent></sent>``. The scale runs from 0 to 6.

The release names no pairs and no annotators. A pair is therefore called after its line (``line-0001``), and the
annotator of every judgment is empty: the nine answers of a line are not nine fixed people, since 216 people gave
50 answers each. A statistic that needs to know who answered cannot be computed from this file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kostra import files
from kostra.errors import KostraError
from kostra.sources.released import Released
from kostra.sources.repeats import pair_findings
from kostra.tables import JUDGMENTS, PAIRS, SCORES, Finding, Frame, check, range_findings

CITATION = (
    "Jakub Sido, Michal Seják, Ondřej Pražák, Miloslav Konopík and Václav Moravec. 2024. Czech news dataset for "
    "semantic textual similarity. Language Resources and Evaluation. https://doi.org/10.1007/s10579-024-09795-z"
)
LOW, HIGH = 0.0, 6.0
ANSWERS = 9
"""How many answers the authors collected per pair."""

_COLUMNS = ("first sentence", "second sentence", "mean", "answers", "round-1 score")
_TRAINING = ("first sentence", "second sentence", "round-1 score")
_KEY = re.compile(r"<sent>(.*?)</sent>", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


@dataclass(frozen=True)
class _Row:
    line: int
    text_a: str
    text_b: str
    mean: float
    decimals: int
    answers: tuple[str, ...]
    """None in a training part, where the score of round 1 is all there is."""
    round_1: float
    context_a: str | None = None
    context_b: str | None = None

    @property
    def pair(self) -> str:
        return f"line-{self.line:04d}"


def read(path: str | Path) -> Released:
    r"""Read a released file into pairs, scores and, of a test part, judgments.

    The scores hold two questions: ``similarity``, the released mean of round 2, and ``round_1``, the score that
    one person gave when the pair was picked; a training part has the second alone, as ``similarity`` of one answer.
    Out-of-range values stay as they are and are reported.

    Raises
    ------
    KostraError
        With file and line, if a row has not five columns (or three), a sentence is blank, a context has not one key
        sentence or a number cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "test.tsv"
    ...     _ = file.write_text("A dog barks.\tA dog is loud.\t4.0\t4,4,4,5,3,4,4,4,4\t5\n")
    ...     released = read(file)
    >>> released.tables["scores"].select("item", "question", "score", "appearances").rows()
    [('line-0001', 'similarity', 4.0, 9), ('line-0001', 'round_1', 5.0, 1)]
    >>> released.tables["judgments"].height
    9
    """
    where = files.shown(path)
    rows = _rows(path)
    return Released(
        name="czech_news_sts",
        citation=CITATION,
        language="cs",
        low=LOW,
        high=HIGH,
        tables={
            "pairs": check(_pairs(rows), PAIRS, where=where),
            "scores": check(_scores(rows), SCORES, where=where),
            **({"judgments": check(_judgments(rows), JUDGMENTS, where=where)} if rows[0].answers else {}),
        },
        findings=tuple(_findings(rows, where=where)),
    )


# Reading -----------------------------------------------------------------------------------------------


def _rows(path: str | Path) -> list[_Row]:
    records = files.read_records(path, kind="tsv", header=False)
    if len(records.header) not in (len(_COLUMNS), len(_TRAINING)):
        raise KostraError(
            f"found {len(records.header)} column{'s' if len(records.header) != 1 else ''}",
            where=records.at(0),
            accepted=f"{len(_COLUMNS)}, separated by tabs: {', '.join(_COLUMNS)}; or {len(_TRAINING)}: "
            f"{', '.join(_TRAINING)}",
        )
    return [
        _row(cells, line, where=f"{records.where}:{line}")
        for cells, line in zip(records.rows, records.lines, strict=True)
    ]


def _row(cells: Sequence[str], line: int, *, where: str) -> _Row:
    text_a, text_b, *rest = cells
    mean, answers, round_1 = rest if len(rest) > 1 else (rest[0], "", rest[0])
    sentences = []
    for column, text in (("first sentence", text_a), ("second sentence", text_b)):
        at = f'{where}: column "{column}"'
        if not text.strip():
            raise KostraError("found nothing", where=at, accepted="a sentence")
        sentences.append(_key_sentence(text, where=at))
    given = tuple(answers.split(",")) if len(rest) > 1 else ()
    for answer in given:
        _number(answer, where=f'{where}: column "answers"', accepted="numbers separated by commas, such as 3,4,2")
    return _Row(
        line=line,
        text_a=sentences[0],
        text_b=sentences[1],
        mean=_number(mean, where=f'{where}: column "mean"'),
        decimals=len(mean.partition(".")[2]),
        answers=given,
        round_1=_number(round_1, where=f'{where}: column "round-1 score"'),
        context_a=None if sentences[0] == text_a else text_a,
        context_b=None if sentences[1] == text_b else text_b,
    )


def _key_sentence(text: str, *, where: str) -> str:
    """The key sentence of a context; a text without marks is one itself."""
    found = _KEY.findall(text)
    if len(found) > 1 or text.count("<sent>") != len(found) or (found and not found[0].strip()):
        raise KostraError(
            f"found {text.count('<sent>')} marks <sent>", where=where, accepted="one sentence inside <sent></sent>"
        )
    return str(found[0]) if found else text


def _number(cell: str, *, where: str, accepted: str = "a number, such as 2.5") -> float:
    if not _NUMBER.fullmatch(cell):
        raise KostraError(f'found "{cell}"' if cell else "found nothing", where=where, accepted=accepted)
    return float(cell)


# Tables ------------------------------------------------------------------------------------------------


def _pairs(rows: Sequence[_Row]) -> Frame:
    return pl.DataFrame(
        {
            "pair": [row.pair for row in rows],
            "text_a": [row.text_a for row in rows],
            "text_b": [row.text_b for row in rows],
            "context_a": [row.context_a for row in rows],
            "context_b": [row.context_b for row in rows],
            "source": ["czech_news_sts"] * len(rows),
        }
    )


def _scores(rows: Sequence[_Row]) -> Frame:
    if not rows[0].answers:
        once = {"question": "similarity", "appearances": 1}
        return pl.DataFrame([{"item": row.pair, "score": row.mean, **once} for row in rows])
    return pl.DataFrame(
        {
            "item": [row.pair for row in rows] * 2,
            "question": ["similarity"] * len(rows) + ["round_1"] * len(rows),
            "score": [row.mean for row in rows] + [row.round_1 for row in rows],
            "appearances": [len(row.answers) for row in rows] + [1] * len(rows),
        }
    )


def _judgments(rows: Sequence[_Row]) -> Frame:
    given = [(row.pair, place, answer) for row in rows for place, answer in enumerate(row.answers, 1)]
    return pl.DataFrame(
        {
            "judgment": [f"{pair}:{place}" for pair, place, _ in given],
            "item": [pair for pair, _, _ in given],
            "version": [1] * len(given),
            "question": ["similarity"] * len(given),
            "value": [answer for _, _, answer in given],
            "status": ["answered"] * len(given),
            "phase": ["round_2"] * len(given),
            "block": ["main"] * len(given),
        }
    )


# Findings ----------------------------------------------------------------------------------------------


def _findings(rows: Sequence[_Row], *, where: str) -> list[Finding]:
    lines = [row.line for row in rows]
    each_answer = [(float(answer), row.line) for row in rows for answer in row.answers]
    return [
        Finding(
            "anonymous",
            "the release does not say who answered: statistics that need an annotator's identity cannot be computed",
            where,
        ),
        *range_findings((row.mean for row in rows), lines, low=LOW, high=HIGH, where=where, column="mean"),
        *range_findings(
            (value for value, _ in each_answer),
            (line for _, line in each_answer),
            low=LOW,
            high=HIGH,
            where=where,
            column="answers",
        ),
        *range_findings((row.round_1 for row in rows), lines, low=LOW, high=HIGH, where=where, column="round-1 score"),
        *_answer_findings(rows, where=where),
        *pair_findings([row.text_a for row in rows], [row.text_b for row in rows], lines, where=where),
    ]


def _answer_findings(rows: Sequence[_Row], *, where: str) -> list[Finding]:
    findings = []
    if not rows[0].answers:
        return [Finding("one_answer", "scores of a training part are of round 1, where one person answered", where)]
    uneven = tuple(row.line for row in rows if len(row.answers) != ANSWERS)
    if uneven:
        message = f"{_rows_have(len(uneven))} another number of answers than {ANSWERS}"
        findings.append(Finding("answer_count", message, where, uneven))
    off = tuple(row.line for row in rows if not _mean_agrees(row))
    if off:
        message = f"{_rows_have(len(off))} a mean that is not the mean of the answers, beyond rounding"
        findings.append(Finding("mean_differs", message, where, off))
    return findings


def _mean_agrees(row: _Row) -> bool:
    """Whether the released mean is that of the answers, up to the decimals it is printed with."""
    mean = math.fsum(float(answer) for answer in row.answers) / len(row.answers)
    return abs(mean - row.mean) <= 0.5 * 10.0**-row.decimals + 1e-9


def _rows_have(count: int) -> str:
    return f"{count:,} row{'s have' if count > 1 else ' has'}"

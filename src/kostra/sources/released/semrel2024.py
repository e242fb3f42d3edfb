"""SemRel2024 (SemEval-2024 Task 1) as released: one CSV per language and part, such as ``eng_train.csv``.

CSV with a header: ``PairID`` (such as ``ENG-train-0000``), ``Text`` (two sentences on two lines) and ``Score``
(relatedness from best–worst scaling, 0 to 1). The dev and test files of the task come without scores as well. The
language is told by the ids; ``ESP`` is Spanish.

The release has scores but does not say how many answers each rests on; so ``appearances`` is 0, meaning *not released*.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from kostra import files
from kostra.errors import KostraError
from kostra.sources.released import Released
from kostra.sources.released.str2021 import _two_sentences
from kostra.sources.repeats import pair_findings
from kostra.tables import PAIRS, SCORES, Column, Finding, Frame, Schema, check, range_findings, read_with_lines

CITATION = (
    "Nedjma Ousidhoum et al. 2024. SemRel2024: A Collection of Semantic Textual Relatedness Datasets for 13 Languages. "
    "In Findings of the Association for Computational Linguistics: ACL 2024. https://arxiv.org/abs/2402.08638"
)
LOW, HIGH = 0.0, 1.0
LANGUAGES = {
    "afr": "af", "amh": "am", "arb": "arb", "arq": "arq", "ary": "ary", "eng": "en", "esp": "es", "hau": "ha",
    "hin": "hi", "ind": "id", "kin": "rw", "mar": "mr", "pan": "pa", "tel": "te",
}  # fmt: skip
"""The release's codes to ISO 639; where there is no code of two letters, that of three."""

_FORM = Schema(
    "SemRel2024 as released",
    "One row per pair.",
    (
        Column("PairID", "id"),
        Column("Text", "two sentences on two lines"),
        Column("Score", "relatedness, 0 to 1", "number", empty=True),
    ),
    ("PairID",),
)


def read(path: str | Path) -> Released:
    r"""Read one released file into pairs and, where it has them, scores.

    Raises
    ------
    KostraError
        With file and line, if a column is missing, a text is not two sentences or a score is not a number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "eng_train.csv"
    ...     _ = file.write_text('PairID,Text,Score\nENG-train-0000,"It barks.\nIt is loud.",0.5\n')
    ...     released = read(file)
    >>> released.language, released.tables["pairs"].select("pair", "text_a", "text_b").row(0)
    ('en', ('ENG-train-0000', 'It barks.', 'It is loud.'))
    >>> released.tables["scores"]["score"].to_list()
    [0.5]
    """
    where = files.shown(path)
    frame, lines = read_with_lines(path, _FORM, format="csv")
    if frame.is_empty():
        raise KostraError("there is no row below the header", where=f"{where}:1", accepted="at least one pair")
    texts = [
        _two_sentences(text, where=f'{where}:{line}: column "Text"')
        for text, line in zip(frame["Text"], lines, strict=True)
    ]
    first, second = [a for a, _ in texts], [b for _, b in texts]
    findings = [
        *range_findings(frame["Score"], lines, low=LOW, high=HIGH, where=where, column="Score"),
        *pair_findings(first, second, lines, where=where),
    ]
    made = {"pairs": check(_pairs(frame, first, second), PAIRS, where=where)}
    if frame["Score"].null_count() < frame.height:
        made["scores"] = check(_scores(frame), SCORES, where=where)
        said = "the number of answers per score was not released: appearances are 0, which means unknown here"
        findings.insert(0, Finding("not_released", said, where))
    without = tuple(line for line, score in zip(lines, frame["Score"], strict=True) if score is None)
    if without:
        findings.append(Finding("no_score", f"pairs without a score: {len(without):,}", where, without))
    return Released(
        name="semrel2024",
        citation=CITATION,
        language=_language(frame["PairID"][0]),
        low=LOW,
        high=HIGH,
        tables=made,
        findings=tuple(findings),
    )


def _language(pair: str) -> str:
    return LANGUAGES.get(pair.partition("-")[0].casefold(), "und")


def _pairs(frame: Frame, first: list[str], second: list[str]) -> Frame:
    return pl.DataFrame(
        {"pair": frame["PairID"], "text_a": first, "text_b": second, "source": ["semrel2024"] * frame.height}
    )


def _scores(frame: Frame) -> Frame:
    return frame.drop_nulls("Score").select(
        item="PairID", question=pl.lit("relatedness"), score="Score", appearances=pl.lit(0, dtype=pl.Int64)
    )

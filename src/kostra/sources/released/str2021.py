"""STR-2021 as released (``str2022.csv``; its authors renamed it STR-2022).

CSV with a header: ``Index``, ``SourceID`` (the corpus), ``SubsetID`` (the sampling strategy), ``PairID``, ``Text``
(two sentences on two lines) and ``Score`` (relatedness from best–worst scaling, 0 to 1).

The release has scores but no answers, and does not say how many answers each score rests on. The design puts every
pair into about eight four-tuples with two answers each, but answers were discarded and tuples are only *about*
eight; so ``appearances`` is 0, meaning *not released*, and a finding says so.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from kostra import files
from kostra.errors import KostraError
from kostra.sources.released import Released
from kostra.sources.repeats import pair_findings
from kostra.tables import PAIRS, SCORES, Column, Finding, Frame, Schema, check, range_findings, read_with_lines

CITATION = (
    "Mohamed Abdalla, Krishnapriya Vishnubhotla and Saif M. Mohammad. 2023. What Makes Sentences Semantically "
    "Related? A Textual Relatedness Dataset and Empirical Study. In Proceedings of the 17th Conference of the "
    "European Chapter of the Association for Computational Linguistics. https://arxiv.org/abs/2110.04845"
)
LOW, HIGH = 0.0, 1.0

_FORM = Schema(
    "STR-2022 as released",
    "One row per pair.",
    (
        Column("Index", "running number", "whole"),
        Column("SourceID", "corpus"),
        Column("SubsetID", "sampling strategy"),
        Column("PairID", "id"),
        Column("Text", "two sentences on two lines"),
        Column("Score", "relatedness, 0 to 1", "number"),
    ),
    ("PairID",),
)


def read(path: str | Path) -> Released:
    r"""Read the released file into pairs and scores.

    Raises
    ------
    KostraError
        With file and line, if a column is missing, a text is not two sentences or a score is not a number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "str.csv"
    ...     _ = file.write_text(
    ...         'Index,SourceID,SubsetID,PairID,Text,Score\n0,Own,Own_r,Own_r_1,"A dog barks.\nIt rains.",0.25\n'
    ...     )
    ...     released = read(file)
    >>> released.tables["pairs"].select("pair", "text_a", "text_b", "source", "subset").row(0)
    ('Own_r_1', 'A dog barks.', 'It rains.', 'Own', 'Own_r')
    >>> released.tables["scores"].select("item", "question", "score", "appearances").row(0)
    ('Own_r_1', 'relatedness', 0.25, 0)
    """
    where = files.shown(path)
    frame, lines = read_with_lines(path, _FORM, format="csv")
    if frame.is_empty():
        raise KostraError("there is no row below the header", where=f"{where}:1", accepted="at least one pair")
    sentences = [
        _two_sentences(text, where=f'{where}:{line}: column "Text"')
        for text, line in zip(frame["Text"], lines, strict=True)
    ]
    first, second = [a for a, _ in sentences], [b for _, b in sentences]
    return Released(
        name="str2021",
        citation=CITATION,
        language="en",
        low=LOW,
        high=HIGH,
        tables={
            "pairs": check(_pairs(frame, first, second), PAIRS, where=where),
            "scores": check(_scores(frame), SCORES, where=where),
        },
        findings=(
            Finding(
                "not_released",
                "the number of answers per score was not released: appearances are 0, which means unknown here",
                where,
            ),
            *range_findings(frame["Score"], lines, low=LOW, high=HIGH, where=where, column="Score"),
            *pair_findings(first, second, lines, where=where),
        ),
    )


def _two_sentences(text: str, *, where: str) -> tuple[str, str]:
    parts = text.replace("\r\n", "\n").split("\n")
    if len(parts) != 2 or not all(part.strip() for part in parts):
        filled = sum(1 for part in parts if part.strip())
        raise KostraError(
            f"found {len(parts)} line{'s' if len(parts) != 1 else ''}, {filled} of them with text",
            where=where,
            accepted="two sentences on two lines",
        )
    return parts[0], parts[1]


def _pairs(frame: Frame, first: list[str], second: list[str]) -> Frame:
    return pl.DataFrame(
        {
            "pair": frame["PairID"],
            "text_a": first,
            "text_b": second,
            "source": frame["SourceID"],
            "subset": frame["SubsetID"],
        }
    )


def _scores(frame: Frame) -> Frame:
    return frame.select(
        item="PairID",
        question=pl.lit("relatedness"),
        score="Score",
        appearances=pl.lit(0, dtype=pl.Int64),
    )

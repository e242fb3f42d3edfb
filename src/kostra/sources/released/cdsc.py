"""CDSCorpus as released (``cdsc_train.tsv``, ``cdsc_trial.tsv``; ``cdsc_test_scores.tsv`` without the sentences).

Tab-separated with a header: ``pair_ID``, ``sentence_A``, ``sentence_B``, ``relatedness_score`` (mean, 0 to 5, two
decimals) and ``entailment_judgment`` (ENTAILMENT, CONTRADICTION or NEUTRAL). The two sentence columns may be absent.

Direction: the label of (A, B) says whether A follows from B. The release has this one label per pair; those of the
reverse direction were not released.

A relatedness score rests on six answers (three judges in each of the two directions), a label on three.
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
    "Alina Wróblewska and Katarzyna Krasnowska-Kieraś. 2017. Polish evaluation dataset for compositional "
    "distributional semantics models. In Proceedings of the 55th Annual Meeting of the Association for Computational "
    "Linguistics (Volume 1: Long Papers), pages 784–792. https://doi.org/10.18653/v1/P17-1073"
)
LOW, HIGH = 0.0, 5.0
JUDGES = 3
"""Judges per directed pair."""
LABELS = ("entailment", "contradiction", "neutral")

_SENTENCES = ("sentence_A", "sentence_B")
_FORM = Schema(
    "CDSCorpus as released",
    "One row per pair.",
    (
        Column("pair_ID", "id"),
        Column("sentence_A", "first sentence", empty=True),
        Column("sentence_B", "second sentence", empty=True),
        Column("relatedness_score", "mean of six answers, 0 to 5", "number"),
        Column(
            "entailment_judgment",
            "whether A follows from B, by majority",
            choices=tuple(label.upper() for label in LABELS),
        ),
    ),
    ("pair_ID",),
)


def read(path: str | Path) -> Released:
    r"""Read a released file into pairs and scores; a file without sentences gives scores only, and a finding.

    The scores hold two questions: ``relatedness`` with a score and ``entailment`` with a label.

    Raises
    ------
    KostraError
        With file and line, if a column is missing, a sentence is blank, a score is not a number or a label is
        unknown.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "scores.tsv"
    ...     _ = file.write_text("pair_ID\trelatedness_score\tentailment_judgment\n17\t2.17\tNEUTRAL\n")
    ...     released = read(file)
    >>> sorted(released.tables)
    ['scores']
    >>> released.tables["scores"].select("item", "question", "score", "label", "appearances").rows()
    [('17', 'relatedness', 2.17, None, 6), ('17', 'entailment', None, 'neutral', 3)]
    """
    where = files.shown(path)
    frame, lines = _rows(path)
    tables = {"scores": check(_scores(frame), SCORES, where=where)}
    findings = range_findings(
        frame["relatedness_score"], lines, low=LOW, high=HIGH, where=where, column="relatedness_score"
    )
    if _has_sentences(frame):
        _refuse_blank(frame, lines, where=where)
        tables["pairs"] = check(_pairs(frame), PAIRS, where=where)
        findings += pair_findings(frame["sentence_A"].to_list(), frame["sentence_B"].to_list(), lines, where=where)
    else:
        findings.append(Finding("no_sentences", "the file holds no sentences, so there is no table of pairs", where))
    return Released(
        name="cdsc", citation=CITATION, language="pl", low=LOW, high=HIGH, tables=tables, findings=tuple(findings)
    )


def read_scores(path: str | Path) -> Frame:
    r"""Read only the scores of a released file, with or without sentences.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "scores.tsv"
    ...     _ = file.write_text("pair_ID\trelatedness_score\tentailment_judgment\n17\t2.17\tNEUTRAL\n")
    ...     read_scores(file)["score"].to_list()
    [2.17, None]
    """
    return check(_scores(_rows(path)[0]), SCORES, where=files.shown(path))


def _rows(path: str | Path) -> tuple[Frame, list[int]]:
    frame, lines = read_with_lines(path, _FORM, format="tsv")
    if frame.is_empty():
        raise KostraError(
            "there is no row below the header", where=f"{files.shown(path)}:1", accepted="at least one pair"
        )
    return frame, lines


def _has_sentences(frame: Frame) -> bool:
    return any(frame[column].null_count() < frame.height for column in _SENTENCES)


def _refuse_blank(frame: Frame, lines: list[int], *, where: str) -> None:
    for column in _SENTENCES:
        for text, line in zip(frame[column], lines, strict=True):
            if text is None or not text.strip():
                raise KostraError("found nothing", where=f'{where}:{line}: column "{column}"', accepted="a sentence")


def _pairs(frame: Frame) -> Frame:
    return frame.select(pair="pair_ID", text_a="sentence_A", text_b="sentence_B", source=pl.lit("cdsc"))


def _scores(frame: Frame) -> Frame:
    relatedness = frame.select(
        item="pair_ID",
        question=pl.lit("relatedness"),
        score="relatedness_score",
        label=pl.lit(None, dtype=pl.String),
        appearances=pl.lit(2 * JUDGES, dtype=pl.Int64),
    )
    entailment = frame.select(
        item="pair_ID",
        question=pl.lit("entailment"),
        score=pl.lit(None, dtype=pl.Float64),
        label=pl.col("entailment_judgment").str.to_lowercase(),
        appearances=pl.lit(JUDGES, dtype=pl.Int64),
    )
    return pl.concat([relatedness, entailment])

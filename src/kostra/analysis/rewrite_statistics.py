"""Rewrites per annotator and per seed: unique, repeated, impossible, typos, length, time.

``annotators.csv`` is COSTRA 1.0's Table 3, ``overlap.csv`` its Table 4 (seeds by how many people rewrote them), and
``changes.csv`` says which kinds were repeated and called impossible most often; ``annotators.svg``, ``overlap.svg`` and
``changes.svg`` show them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from pydantic import Field

from kostra import figures, tables
from kostra.analysis.diagonal_filter import share
from kostra.errors import KostraError, unknown
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Column = Literal["annotations", "sentences", "impossible", "typos", "mean_length", "mean_time"]
COLUMNS: tuple[Column, ...] = ("annotations", "sentences", "impossible", "typos", "mean_length", "mean_time")
TOTAL = "total"
TYPOS = "typos"
"""The statistic by which `sources/mended` counts corrections, its question being the author."""


# What was asked, and what came of it ------------------------------------------------------------------------


def screens(judgments: Frame, changes: Sequence[str]) -> Frame:
    """One row per seed and annotator who rewrote it: ``item``, ``annotator``, ``seconds``, ``impossible``.

    A screen has one time, whatever the number of rewrites that it asks for.

    Examples
    --------
    >>> answers = pl.DataFrame(
    ...     {
    ...         "item": ["s1", "s1"],
    ...         "question": ["past", "ban"],
    ...         "annotator": ["otter", "otter"],
    ...         "status": ["answered", "impossible"],
    ...         "seconds": [60.0, 60.0],
    ...     }
    ... )
    >>> screens(answers, ["past", "ban"]).rows()
    [('s1', 'otter', 60.0, 1)]
    """
    given = judgments.filter(
        pl.col("question").is_in(list(changes)) & pl.col("status").is_in(["answered", "impossible"])
    )
    return given.group_by("item", "annotator", maintain_order=True).agg(
        pl.col("seconds").max(), impossible=(pl.col("status") == "impossible").sum().cast(pl.Int64)
    )


def mean_length(texts: Iterable[str]) -> float:
    """Mean number of words (`kostra.text.words`); not a number where there is no text.

    Examples
    --------
    >>> mean_length(["It rains.", "It has been raining."])
    3.0
    """
    lengths = [len(words(text)) for text in texts]
    return sum(lengths) / len(lengths) if lengths else math.nan


def per_annotator(sentences: Frame, judgments: Frame, typos: Mapping[str, int], *, changes: Sequence[str]) -> Frame:
    """One row per annotator, who rewrote most first, and a last one for all (COSTRA 1.0, Table 3).

    Lengths are in words (`kostra.text.words`), times in seconds per screen; the last row's means are over sentences
    and screens, not over annotators.

    Parameters
    ----------
    sentences
        Rewrites, their authors in ``label``.
    judgments
        The answers of the rewrite round.
    typos
        Author → corrections that a person accepted.
    changes
        The questions that asked for rewrites.
    """
    done = screens(judgments, changes)
    written = sentences.select("label", length=pl.Series([len(words(text)) for text in sentences["text"]]))
    by_screen = done.group_by("annotator").agg(
        annotations=pl.len(), impossible=pl.col("impossible").sum(), mean_time=pl.col("seconds").mean()
    )
    by_text = written.group_by("label").agg(sentences=pl.len(), mean_length=pl.col("length").mean())
    table = by_screen.join(by_text, left_on="annotator", right_on="label", how="left").with_columns(
        pl.col("sentences").fill_null(0),
        typos=pl.col("annotator").replace_strict(dict(typos), default=0, return_dtype=pl.Int64),
    )
    table = table.sort(["annotations", "annotator"], descending=[True, False])
    total = pl.DataFrame(
        {
            "annotator": [TOTAL],
            "annotations": [done.height],
            "sentences": [sentences.height],
            "impossible": [int(done["impossible"].sum())],
            "typos": [sum(typos.values())],
            "mean_length": [mean_length(sentences["text"])],
            "mean_time": [_mean(done["seconds"])],
        }
    )
    return pl.concat([_as_counts(table), _as_counts(total)])


def _as_counts(table: Frame) -> Frame:
    return table.select(
        "annotator",
        pl.col("annotations", "sentences", "impossible", "typos").cast(pl.Int64),
        pl.col("mean_length", "mean_time").cast(pl.Float64),
    )


def _mean(values: pl.Series) -> float | None:
    found = values.mean()
    return float(found) if isinstance(found, int | float) else None


def per_overlap(seeds: Sequence[str], rewrites: Frame, done: Frame) -> Frame:
    """One row per number of people who rewrote a seed (COSTRA 1.0, Table 4), and a last one for all.

    ``unique`` counts the different texts among all outputs of the seeds of a row; ``share`` is unique over outputs. The
    paper's total of 96.8% is the mean of its four shares, which stands here in ``mean_share``; over all outputs its
    figures give 4,112 / 4,300 = 95.6%.

    Parameters
    ----------
    seeds
        All seeds; those that nobody rewrote have a row of their own.
    rewrites
        Sentences with ``text`` and ``origin``.
    done
        What `screens` gives.

    Examples
    --------
    >>> rewrites = pl.DataFrame({"text": ["a", "a", "b"], "origin": ["s1", "s1", "s2"]})
    >>> done = pl.DataFrame({"item": ["s1", "s1", "s2"], "annotator": ["x", "y", "x"]})
    >>> per_overlap(["s1", "s2", "s3"], rewrites, done).select("people", "seeds", "outputs", "unique").rows()
    [('0', 1, 0, 0), ('1', 1, 1, 1), ('2', 1, 2, 1), ('total', 3, 3, 2)]
    """
    people = dict(done.group_by("item").agg(pl.col("annotator").n_unique()).iter_rows())
    count_of = {seed: people.get(seed, 0) for seed in seeds}
    rows: list[dict[str, object]] = []
    for count in sorted(set(count_of.values())):
        own = [seed for seed, found in count_of.items() if found == count]
        texts = rewrites.filter(pl.col("origin").is_in(own))["text"]
        rows.append(_overlap_row(str(count), len(own), count * len(own), texts))
    total = _overlap_row(TOTAL, len(seeds), sum(count_of.values()), rewrites["text"])
    shares = [row["share"] for row in rows if isinstance(row["share"], float)]
    total["mean_share"] = sum(shares) / len(shares) if shares else None
    return pl.DataFrame([*rows, total], schema=_OVERLAP)


_OVERLAP = {
    "people": pl.String, "seeds": pl.Int64, "annotations": pl.Int64, "outputs": pl.Int64, "unique": pl.Int64,
    "share": pl.Float64, "mean_share": pl.Float64,
}  # fmt: skip


def _overlap_row(people: str, seeds: int, annotations: int, texts: pl.Series) -> dict[str, object]:
    unique = texts.n_unique()
    return {
        "people": people, "seeds": seeds, "annotations": annotations, "outputs": len(texts), "unique": unique,
        "share": unique / len(texts) if len(texts) else None, "mean_share": None,
    }  # fmt: skip


def per_change(rewrites: Frame, judgments: Frame, *, kinds: Mapping[str, str]) -> Frame:
    """One row per kind of rewrite: outputs, different texts, those recorded more than once, and IMPOSSIBLE.

    Parameters
    ----------
    kinds
        Question → kind, where several questions ask for one kind.

    Examples
    --------
    >>> rewrites = pl.DataFrame({"text": ["a", "a", "b"], "change": ["past", "past", "ban"]})
    >>> answers = pl.DataFrame(
    ...     {"question": ["past", "past", "ban", "ban"], "status": ["answered"] * 3 + ["impossible"]}
    ... )
    >>> per_change(rewrites, answers, kinds={"past": "past", "ban": "ban"}).rows()
    [('past', 2, 1, 1, 0), ('ban', 1, 1, 0, 1)]
    """
    named = rewrites.with_columns(kind=pl.col("change").replace_strict(dict(kinds)))
    texts = named.group_by("kind", "text").len().group_by("kind").agg(
        outputs=pl.col("len").sum(), unique=pl.len(), repeated=(pl.col("len") > 1).sum()
    )  # fmt: skip
    asked = judgments.filter(pl.col("question").is_in(list(kinds))).with_columns(
        kind=pl.col("question").replace_strict(dict(kinds))
    )
    refused = asked.group_by("kind").agg(impossible=(pl.col("status") == "impossible").sum())
    every = pl.DataFrame({"kind": list(dict.fromkeys(kinds.values()))})
    table = every.join(texts, on="kind", how="left").join(refused, on="kind", how="left")
    counts = ["outputs", "unique", "repeated", "impossible"]
    return table.select("kind", pl.col(counts).fill_null(0).cast(pl.Int64)).sort(
        ["repeated", "kind"], descending=[True, False]
    )


# Figures -----------------------------------------------------------------------------------------------


def annotators_figure(table: Frame) -> Figure:
    """Minutes per screen against the number of screens, one point per annotator."""
    people = table.filter(pl.col("annotator") != TOTAL).drop_nulls("mean_time")
    minutes = {name: time / 60 for name, time in people.select("annotator", "mean_time").iter_rows()}
    return figures.dots(minutes, x_label="mean minutes per screen", title="Time per annotator")


def changes_figure(table: Frame) -> Figure:
    """Per kind of rewrite, how many texts came more than once, and how often it was called impossible."""
    bars = [
        figures.Bar(row["kind"].replace("_", " "), series, row[column])
        for row in table.iter_rows(named=True)
        for series, column in (("recorded more than once", "repeated"), ("called impossible", "impossible"))
    ]
    return figures.bars(bars, x_label="texts, answers", title="Repeated and impossible rewrites")


def overlap_figure(table: Frame) -> Figure:
    """Share of different texts by the number of people on a seed."""
    bars = [
        figures.Bar(f"{row['people']} people" if row["people"] != "1" else "1 person", "unique", row["share"] * 100)
        for row in table.filter(pl.col("people") != TOTAL).drop_nulls("share").iter_rows(named=True)
    ]
    return figures.bars(bars, x_label="different texts among all outputs (%)", title="Unique rewrites by overlap")


# The step ----------------------------------------------------------------------------------------------

READS = ("sentences", "judgments")
WRITES = ("statistics",)


class Options(Strict):
    """What to count."""

    per_annotator: tuple[Column, ...] = Field(default=COLUMNS, min_length=1)
    """Columns of the table of annotators."""
    merge: dict[str, tuple[str, ...]] = Field(default={})
    """Kind → questions that all ask for it."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Tables of counts."""
    return Plan(f"counts {inputs.get('sentences', 0):,} sentences by annotator, overlap and kind")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Count, write the tables and figures, and pass on the totals as statistics."""
    sentences, judgments = inputs["sentences"], inputs["judgments"]
    rewrites = sentences.drop_nulls(["origin", "change"])
    if not rewrites.height:
        raise KostraError(
            "there is no rewrite: no sentence has an origin and a change", where=f'step "{context.step.name}"'
        )
    seeds = sentences.filter(pl.col("change").is_null())["sentence"].to_list()
    changes = _changes(rewrites, judgments)
    kinds = kinds_of(changes, options.merge, where=f'step "{context.step.name}"')
    done = screens(judgments, changes)
    people = per_annotator(rewrites, judgments, _typos(inputs.get("statistics")), changes=changes)
    overlap = per_overlap(seeds, rewrites, done)
    by_change = per_change(rewrites, judgments, kinds=kinds)
    tables.write(people.select("annotator", *options.per_annotator), context.folder / "annotators.csv")
    tables.write(overlap, context.folder / "overlap.csv")
    tables.write(by_change, context.folder / "changes.csv")
    for name, figure in (
        ("annotators", annotators_figure(people)),
        ("overlap", overlap_figure(overlap)),
        ("changes", changes_figure(by_change)),
    ):
        figures.save_all(figure, context.folder / name)
    _note(by_change, context)
    return {"statistics": _statistics(people, overlap, by_change, rewrites, sentences, context.step.name)}


def _changes(rewrites: Frame, judgments: Frame) -> list[str]:
    """The questions that asked for rewrites: whatever sentences came of, or were impossible."""
    made = set(rewrites["change"])
    refused = judgments.filter(pl.col("status") == "impossible")
    asked = judgments["question"].unique(maintain_order=True).to_list()
    return [question for question in asked if question in made or question in set(refused["question"])]


def kinds_of(changes: Sequence[str], merge: Mapping[str, Sequence[str]], *, where: str) -> dict[str, str]:
    """Change → kind, its own name where nothing merges it with others.

    Examples
    --------
    >>> kinds_of(["past", "paraphrase_1"], {"paraphrase": ["paraphrase_1"]}, where="here")
    {'past': 'past', 'paraphrase_1': 'paraphrase'}
    """
    kinds = {change: change for change in changes}
    for kind, members in merge.items():
        for change in members:
            if change not in kinds:
                raise unknown("kind of rewrite", change, changes, where=where)
            kinds[change] = kind
    return kinds


def _typos(statistics: Frame | None) -> dict[str, int]:
    """Author → typos that were mended, as `sources/mended` counts them; nobody's where spelling was not checked."""
    if statistics is None:
        return {}
    counted = statistics.filter(pl.col("statistic") == TYPOS).select("question", "value").drop_nulls()
    return {author: int(count) for author, count in counted.iter_rows()}


def _note(by_change: Frame, context: Context) -> None:
    often = by_change.filter(pl.col("repeated") > 0)
    if often.height:
        most = ", ".join(f"{kind} ({count})" for kind, count in often.head(3).select("kind", "repeated").iter_rows())
        least = by_change.tail(1).select("kind", "repeated").row(0)
        context.note("repeated", f"most repeated: {most}; least: {least[0]} ({least[1]})")
    hard = by_change.filter(pl.col("impossible") > 0).sort(["impossible", "kind"], descending=[True, False])
    if hard.height:
        listed = ", ".join(f"{kind} ({count})" for kind, count in hard.head(3).select("kind", "impossible").iter_rows())
        context.note("impossible", f"most often impossible: {listed}")


def _statistics(people: Frame, overlap: Frame, by_change: Frame, rewrites: Frame, sentences: Frame, step: str) -> Frame:
    total = people.row(people.height - 1, named=True)
    often = rewrites.group_by("text").len()
    several = int((often["len"] > 1).sum())
    made: dict[str, Estimate] = {name: Estimate(_number(total[name]), n=total["annotations"]) for name in COLUMNS}
    made["unique_sentences"] = Estimate(sentences["text"].n_unique(), n=sentences.height, note="seeds included")
    made["recorded_more_than_once"] = Estimate(several, n=often.height, note="different rewrites")
    parts = [statistics_table(made, question=step)]
    for row in overlap.iter_rows(named=True):
        found = share(np.arange(row["outputs"]) < row["unique"])
        name = "all seeds" if row["people"] == TOTAL else f"seeds of {row['people']} people"
        said = f"{row['seeds']:,} seeds, {row['unique']:,} different of {row['outputs']:,} outputs"
        found = Estimate(found.value, found.low, found.high, row["outputs"], said)
        parts.append(statistics_table({"unique_share": found}, question=name))
    for row in by_change.iter_rows(named=True):
        counts = {name: Estimate(row[name], n=row["outputs"]) for name in ("repeated", "impossible")}
        parts.append(statistics_table(counts, question=row["kind"]))
    return pl.concat(parts)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)

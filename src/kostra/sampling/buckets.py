"""How many from which bucket: what the strategies that draw by levels of overlap, score or stance have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.errors import KostraError, some, unknown
from kostra.steps import Context, Inputs
from kostra.tables import Frame

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]


def even_counts(total: int, order: Sequence[int] | IntArray) -> IntArray:
    """Share a total evenly among buckets; what does not divide goes, one each, to the first of `order`.

    Examples
    --------
    >>> even_counts(8, [2, 0, 1]).tolist()  # 8 = 3 + 2 + 3: the third and the first bucket get one more
    [3, 2, 3]
    """
    if not len(order):
        return np.zeros(0, dtype=np.int64)
    counts = np.full(len(order), total // len(order), dtype=np.int64)
    counts[np.asarray(order, dtype=np.int64)[: total % len(order)]] += 1
    return counts


def exponential_counts(total: int, buckets: int, *, rate: float) -> IntArray:
    """Share a total among buckets so that each gets `rate` times as many as the one below it.

    Whole numbers come by largest remainder, the higher bucket first among equals: the total is exact, and no bucket
    gets fewer than the one below. With `rate` 1 all get the same.

    Examples
    --------
    >>> exponential_counts(15, 4, rate=2).tolist()  # 1 + 2 + 4 + 8
    [1, 2, 4, 8]
    >>> exponential_counts(10, 3, rate=2).tolist()  # 10/7, 20/7, 40/7: 1 + 2 + 5 leave two, for .86 and .71
    [1, 3, 6]
    """
    # From the top down, so that the largest weight is 1: many buckets and a high rate would run over otherwise.
    weights = float(rate) ** -np.arange(buckets - 1, -1, -1, dtype=np.float64)
    shares = total * weights / weights.sum()
    counts: IntArray = np.floor(shares).astype(np.int64)
    rest = shares - counts
    highest_first = np.lexsort((-np.arange(buckets), -rest))
    counts[highest_first[: total - int(counts.sum())]] += 1
    return counts


def even_quotas(offered: Sequence[int], total: int) -> list[int]:
    """Share a total evenly, none above what it offers; what one cannot give, the others do.

    Examples
    --------
    >>> even_quotas([2, 100, 100], 32)
    [2, 15, 15]
    >>> even_quotas([1, 1], 5)
    [1, 1]
    """
    quotas = [0] * len(offered)
    poorest_first = sorted(range(len(offered)), key=lambda place: (offered[place], place))
    for rank, place in enumerate(poorest_first):
        even_share = -(-(total - sum(quotas)) // (len(offered) - rank))  # rounded up, so that the whole is given out
        quotas[place] = min(offered[place], even_share)
    return quotas


def bin_places(values: FloatArray, edges: Sequence[float] | FloatArray) -> IntArray:
    """The bin of each value, from 0; -1 for a value outside. Bins hold their lower edge; the last one both.

    Examples
    --------
    >>> bin_places(np.array([0.0, 0.9, 1.0, 2.0, 2.1]), [0, 1, 2]).tolist()
    [0, 0, 1, 1, -1]
    """
    limits = np.asarray(edges, dtype=np.float64)
    place = np.searchsorted(limits, values, side="right") - 1
    place[values == limits[-1]] = len(limits) - 2
    place[place > len(limits) - 2] = -1
    return np.asarray(place, dtype=np.int64)


def shortfall(wanted: Sequence[int], given: Sequence[int], names: Sequence[str]) -> str | None:
    """Say which buckets gave fewer than they should have; None if none did.

    Examples
    --------
    >>> shortfall([2, 2], [2, 0], ["low", "high"])
    '1 of 2 buckets gave fewer than asked: high (0 of 2)'
    """
    lacking = [
        f"{name} ({had:,} of {asked:,})" for name, asked, had in zip(names, wanted, given, strict=True) if had < asked
    ]
    return f"{len(lacking):,} of {len(names):,} buckets gave fewer than asked: {some(lacking)}" if lacking else None


def each_text_once(sentences: Frame, context: Context) -> Frame:
    """Leave out sentences that repeat the text of an earlier one of their source: no pair has one text twice."""
    repeats = ~sentences.select(pl.struct("source", "text").is_first_distinct().alias("first"))["first"]
    if not repeats.any():
        return sentences
    left_out = sentences.filter(repeats)
    message = (
        f"{left_out.height:,} of {sentences.height:,} sentences repeat the text of an earlier one and are left out"
    )
    context.note("repeated", f"{message}: {some(left_out['sentence'])}")
    return sentences.filter(~repeats)


def by_source(sentences: Frame) -> list[tuple[str, Frame]]:
    """The sentences of each source, in order of appearance: pairs are made inside a source."""
    return [(str(name), block) for (name,), block in sentences.group_by("source", maintain_order=True)]


def scores_of(inputs: Inputs, question: str, context: Context) -> Frame:
    """The pairs that have a score of a question, with the column ``score``; those without are counted."""
    pairs, scores = inputs["pairs"], inputs.get("scores")
    if scores is None:
        raise nothing_fits(
            f"there are no scores, and {question} is wanted", context, remedy="read a step that writes them"
        )
    questions = scores["question"].unique(maintain_order=True).to_list()
    if question not in questions:
        raise unknown("question", question, questions, where=place(context))
    wanted = scores.filter((pl.col("question") == question) & pl.col("score").is_not_null())
    joined = pairs.join(wanted.select(pl.col("item").alias("pair"), "score"), on="pair", maintain_order="left")
    if joined.height < pairs.height:
        context.note("no_score", f"{pairs.height - joined.height:,} of {pairs.height:,} pairs have no score: left out")
    return joined


def place(context: Context) -> str:
    """Where an error of this step is."""
    return f'step "{context.step.name}"'


def nothing_fits(what: str, context: Context, *, accepted: str | None = None, remedy: str | None = None) -> KostraError:
    """The error of a strategy that finds nothing to draw from."""
    return KostraError(what, where=place(context), accepted=accepted, remedy=remedy)

"""Correlation of two rounds: how far the scores of one agree with those of the other, and which look wrong.

A score outside the declared range is reported, never mended. Who knows that a cell is wrong corrects it explicitly;
each correction is recorded among the findings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from kostra.correlate import correlation, row_correlations, row_ranks
from kostra.errors import KostraError, nearest, some
from kostra.ratings import FloatArray, IntArray
from kostra.reliability import Estimate
from kostra.resample import bootstrap_interval
from kostra.tables import Finding, Frame

Corrections = Mapping[tuple[str, str], float]
"""What the user knows better: (question, item) → score."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """The scores of two questions side by side."""

    items: tuple[str, ...]
    """Items scored in both, in the order of the first question."""
    first: FloatArray
    second: FloatArray
    findings: tuple[Finding, ...] = ()
    """Corrections made, scores out of range, items scored only once."""


def side_by_side(
    scores: Frame, first: str, second: str, *, low: float, high: float, corrections: Corrections | None = None
) -> Rounds:
    """Set the scores of two questions side by side, correcting only what the user corrects.

    Parameters
    ----------
    scores
        A scores table.
    first, second
        Two of its questions, such as ``round_1`` and ``similarity``.
    low, high
        The declared range: a score outside it stays as it is and is reported with its item.
    corrections
        Scores to read otherwise than they stand; each is recorded among the findings.

    Raises
    ------
    KostraError
        If a question has no scores or is compared with itself; if a correction names a score that is not there, or a
        value out of range.

    Examples
    --------
    >>> scores = pl.DataFrame(
    ...     {
    ...         "item": ["p", "q", "p", "q"],
    ...         "question": ["round_1", "round_1", "similarity", "similarity"],
    ...         "score": [-4.0, 1.0, 3.0, 2.0],
    ...     }
    ... )
    >>> print(*side_by_side(scores, "round_1", "similarity", low=0, high=6).findings)
    round_1: 1 score outside 0 to 6: −4 (p)
    >>> mended = side_by_side(scores, "round_1", "similarity", low=0, high=6, corrections={("round_1", "p"): 4.0})
    >>> mended.first.tolist(), str(mended.findings[0])
    ([4.0, 1.0], 'round_1: corrected by the user: p from −4 to 4')
    """
    if first == second:
        raise KostraError(f'"{first}" cannot be compared with itself', accepted="two questions")
    corrections = corrections or {}
    sides, findings = [], []
    for question in (first, second):
        own = {item: score for (asked, item), score in corrections.items() if asked == question}
        side, found = _corrected(_scores_of(scores, question), question, own, low=low, high=high)
        sides.append(side)
        findings += [*found, *out_of_range(side, question, low=low, high=high)]
    strange = sorted({question for question, _ in corrections} - {first, second})
    if strange:
        raise KostraError(f"a correction is about {some(strange)}", accepted=f"{first}, {second}")
    joined = sides[0].join(sides[1], on="item", how="inner", suffix="_second", maintain_order="left")
    for question, side in zip((first, second), sides, strict=True):
        alone = side.height - joined.height
        if alone:
            findings.append(Finding("left_out", f"{alone:,} items have no score in the other round", question))
    one, two = joined["score"].to_numpy(), joined["score_second"].to_numpy()
    return Rounds(tuple(joined["item"]), one, two, tuple(findings))


def round_correlation(
    first: FloatArray, second: FloatArray, *, ranks: bool = False, rng: np.random.Generator, samples: int = 1000
) -> Estimate:
    """Pearson correlation of two rounds' scores, or Spearman's with `ranks`, with a bootstrap interval over items.

    [1]_ correlates the one score of the first round with the mean of nine of the second: .8787.

    Returns
    -------
    Estimate
        Undefined (NaN, with the reason) with fewer than two items or where a round's scores are all equal.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Table 2.

    Examples
    --------
    Deviations −1, 0, 1 and 0, −1, 1: products 0 + 0 + 1, both sums of squares 2, so 1/2.

    >>> found = round_correlation(np.array([1.0, 2.0, 3.0]), np.array([5.0, 4.0, 6.0]), rng=np.random.default_rng(1))
    >>> round(found.value, 12), found.n
    (0.5, 3)
    """
    value = correlation(first, second, ranks=ranks)
    if not math.isfinite(value):
        why = "fewer than two items" if len(first) < 2 else "the scores of a round are all equal"
        return Estimate(math.nan, n=len(first), note=f"undefined: {why}")

    def resampled(drawn: IntArray) -> FloatArray:
        one, two = first[drawn], second[drawn]
        return row_correlations(row_ranks(one), row_ranks(two)) if ranks else row_correlations(one, two)

    interval = bootstrap_interval(resampled, len(first), rng=rng, samples=samples)
    return Estimate(value, interval.low, interval.high, len(first))


def out_of_range(scores: Frame, question: str, *, low: float, high: float) -> list[Finding]:
    """Report scores outside the declared range, each with its item.

    Examples
    --------
    >>> print(*out_of_range(pl.DataFrame({"item": ["p", "q"], "score": [7.0, 2.0]}), "round_1", low=0, high=6))
    round_1: 1 score outside 0 to 6: 7 (p)
    """
    bad = scores.filter(~pl.col("score").is_between(low, high))
    if not bad.height:
        return []
    each = some([f"{_shown(score)} ({item})" for item, score in bad.select("item", "score").iter_rows()])
    message = f"{bad.height:,} score{'s' if bad.height > 1 else ''} outside {low:g} to {high:g}: {each}"
    return [Finding("out_of_range", message, question)]


def _scores_of(scores: Frame, question: str) -> Frame:
    found = scores.filter(pl.col("question") == question).drop_nulls("score").select("item", "score")
    if not found.height:
        known = scores["question"].unique(maintain_order=True).to_list()
        guess = nearest(question, known)
        raise KostraError(
            f'there is no score of "{question}"',
            accepted=some(known, 12) or "there are no scores at all",
            remedy=f'did you mean "{guess}"?' if guess else None,
        )
    return found


def _corrected(
    scores: Frame, question: str, corrections: Mapping[str, float], *, low: float, high: float
) -> tuple[Frame, list[Finding]]:
    before = dict(scores.iter_rows())
    findings = []
    for item, score in corrections.items():
        if item not in before:
            raise KostraError(
                f'the correction of "{item}" has nothing to correct: there is no such score of "{question}"',
                accepted=f"an item such as {some(before, 3)}",
            )
        if not low <= score <= high:
            raise KostraError(
                f'the correction of "{item}" to {_shown(score)} is itself out of range',
                accepted=f"a score of {low:g} to {high:g}",
            )
        change = f"corrected by the user: {item} from {_shown(before[item])} to {_shown(score)}"
        needless = f"nothing to correct: {item} already is {_shown(score)}"
        findings.append(Finding("corrected", needless if before[item] == score else change, question))
    mended = [corrections.get(item, score) for item, score in before.items()]
    return scores.with_columns(score=pl.Series(mended, dtype=pl.Float64)), findings


def _shown(number: float) -> str:
    return f"{number:.12g}".replace("-", "−")

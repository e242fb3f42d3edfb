"""Inter-annotator agreement: each annotator against the mean of the others on the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kostra.ratings import FloatArray, IntArray, Ratings
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import AgreementOptions, step_form
from kostra.reliability.coincidence import (
    FEW_ITEMS,
    Measured,
    distinct_answers,
    measure,
    nothing_to_compare,
    numbers_only,
    pairable,
)

FIGURES = ("pearson", "spearman", "rmse", "mse")

_TINY = 1e-12  # of the sum of squares: less variance than this is rounding


def inter_annotator(ratings: Ratings, *, samples: int = 1000, rng: np.random.Generator) -> dict[str, Estimate]:
    r"""Pearson, Spearman, RMSE and MSE of each annotator against the mean of the others, averaged over annotators.

    For annotator *a* with answers :math:`x_u` to the items that somebody else answered too, the counterpart is
    :math:`y_u`, the mean of all other answers to *u*. The four figures compare x and y over these items, as in [1]_;
    each annotator then counts once.

    Parameters
    ----------
    ratings
        Answers that are numbers. Refused if they are anonymous: the columns of a release are not fixed people, and a
        column against the others is nobody's agreement.
    samples, rng
        Bootstrap samples of items for the 95% intervals (0 for none), and their source of randomness. An item drawn
        takes all its answers along.

    Returns
    -------
    dict
        By figure: pearson, spearman, rmse, mse. `n` is the number of items. An annotator whose correlation is
        undefined (fewer than two items, or all alike on either side) is left out of that mean and counted in the note.
        Where the median annotator has fewer than 10 items there is no interval.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2024). Czech news dataset for semantic textual
       similarity. Language Resources and Evaluation. https://doi.org/10.1007/s10579-024-09795-z

    Examples
    --------
    Two annotators: each is the other's counterpart. Differences −1, 0, 1: MSE 2/3, RMSE .8165. Ann's 1, 3, 5 and
    Bob's 2, 3, 4 lie on a line.

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q", "r", "r"], [1, 2, 3, 3, 5, 4], ["ann", "bob"] * 3)
    >>> found = inter_annotator(answers, samples=0, rng=np.random.default_rng(1))
    >>> {name: round(estimate.value, 4) for name, estimate in found.items()}
    {'pearson': 1.0, 'spearman': 1.0, 'rmse': 0.8165, 'mse': 0.6667}
    """
    numbers_only(ratings, "Agreement with the mean of the others")
    ratings.who("Agreement of each annotator with the mean of the others")
    answers = pairable(ratings)
    why = nothing_to_compare(ratings, answers)
    if why is not None:
        return dict.fromkeys(FIGURES, Estimate(np.nan, n=answers.items, note=f"undefined: {why}"))
    rows, repeats = distinct_answers(answers)
    assert rows.annotator is not None  # `who` was asked
    others = np.repeat(rows.sums(rows.values), rows.answered) - rows.values
    means = others / (np.repeat(rows.answered, rows.answered) - 1)
    sides = Sides.of(rows.values, means, row=rows.item, group=rows.annotator)
    own = np.bincount(sides.group, repeats[sides.row])
    median = float(np.median(own))
    measured = compare(sides, repeats, samples=samples if median >= FEW_ITEMS else 0, rng=rng)
    return {name: _estimate(measured, place, len(own), median) for place, name in enumerate(FIGURES)}


def _estimate(measured: Measured, place: int, people: int, median: float) -> Estimate:
    defined = int(measured.values[len(FIGURES) + place])
    left_out = f", {people - defined:,} more left out: undefined" if defined < people else ""
    note = f"mean of {defined:,} annotators{left_out}; the median annotator has {median:g} items"
    if median < FEW_ITEMS:
        note = f"{note}; no interval: fewer than {FEW_ITEMS} items bear none"
    return measured.estimate(place, note=note, undefined="no annotator has two items on which both sides vary")


# ---- weighted comparison, group by group


@dataclass(frozen=True, eq=False)
class Sides:
    """Pairs of numbers in groups (annotators), each from a row that bootstrap samples weigh."""

    one: FloatArray
    two: FloatArray
    row: IntArray
    group: IntArray
    """Ascending from 0, none left out."""

    @classmethod
    def of(cls, one: FloatArray, two: FloatArray, *, row: IntArray, group: IntArray) -> Sides:
        """Bring the groups together, and let numbers tie that differ by rounding only."""
        order = np.argsort(group, kind="stable")
        unit = max(float(np.abs(one).max(initial=0.0)), float(np.abs(two).max(initial=0.0))) or 1.0
        number = np.unique(group, return_inverse=True)[1].reshape(-1)
        one, two = ((side[order] / unit).round(12) * unit for side in (one, two))
        return cls(one, two, row[order], number[order])


def compare(sides: Sides, repeats: IntArray, *, samples: int, rng: np.random.Generator) -> Measured:
    """The four figures, averaged over the groups that have them, and then over how many groups each is.

    Spearman's correlation ranks anew in each bootstrap sample, as it would on the sample's own items.
    """
    starts = np.flatnonzero(np.diff(sides.group, prepend=-1))
    # Centred per group, so that sums of squares lose nothing.
    sizes = np.diff(starts, append=len(sides.group))
    x, y = (side - np.repeat(np.add.reduceat(side, starts) / sizes, sizes) for side in (sides.one, sides.two))
    rank_x, rank_y = (_Ranks.of(side, sides.group) for side in (sides.one, sides.two))
    error = (sides.one - sides.two) ** 2

    def statistic(weights: FloatArray) -> FloatArray:
        w = weights[:, sides.row]
        n = np.add.reduceat(w, starts, axis=1)
        mse = np.add.reduceat(w * error, starts, axis=1) / n
        pearson = _correlations(w, x[None, :], y[None, :], n, starts)
        spearman = _correlations(w, rank_x(w), rank_y(w), n, starts)
        return np.concatenate(_means([pearson, spearman, np.sqrt(mse), mse]), axis=1)

    return measure(statistic, repeats, samples=samples, rng=rng, width=len(sides.row))


def _correlations(w: FloatArray, x: FloatArray, y: FloatArray, n: FloatArray, starts: IntArray) -> FloatArray:
    """Weighted Pearson correlation, samples × groups; NaN where a side is constant."""
    wx, wy = w * x, w * y
    sum_x, sum_y = (np.add.reduceat(side, starts, axis=1) for side in (wx, wy))
    xx, yy, xy = (np.add.reduceat(part, starts, axis=1) for part in (wx * x, wy * y, wx * y))
    vary_x, vary_y = n * xx - sum_x**2, n * yy - sum_y**2
    defined = (vary_x > _TINY * n * xx) & (vary_y > _TINY * n * yy)
    found = (n * xy - sum_x * sum_y) / np.sqrt(vary_x * vary_y)
    return np.where(defined, found.clip(-1.0, 1.0), np.nan)


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Ranks of numbers inside their groups when each number stands as often as its weight says."""

    order: IntArray
    starts: IntArray
    """In that order, where a new value or a new group begins: a class of equal numbers."""
    first: IntArray
    """Per class, the first class of its group."""
    last: IntArray
    place: IntArray
    """Per number, its class."""

    @classmethod
    def of(cls, values: FloatArray, group: IntArray) -> _Ranks:
        order = np.lexsort((values, group))
        ordered, groups = values[order], group[order]
        begins = np.r_[True, (np.diff(ordered) != 0) | (np.diff(groups) != 0)]
        starts = np.flatnonzero(begins)
        heads = np.flatnonzero(np.diff(groups[starts], prepend=-1))
        lengths = np.diff(heads, append=len(starts))
        place = np.empty(len(values), dtype=np.int64)
        place[order] = np.cumsum(begins) - 1
        return cls(order, starts, np.repeat(heads, lengths), np.repeat(heads + lengths - 1, lengths), place)

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Ranks less their mean, ties sharing the middle of theirs."""
        size = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        through = np.cumsum(size, axis=1)
        before = through - size
        middle = (before[:, self.first] + through[:, self.last]) / 2
        return np.asarray(((before + through) / 2 - middle)[:, self.place])


def _means(figures: list[FloatArray]) -> list[FloatArray]:
    """The mean over groups of each figure, and after all means the counts."""
    means, counts = [], []
    for figure in figures:
        defined = np.isfinite(figure)
        count = defined.sum(axis=1, keepdims=True)
        total = np.where(defined, figure, 0.0).sum(axis=1, keepdims=True)
        means.append(np.where(count > 0, total / np.maximum(count, 1), np.nan))
        counts.append(count.astype(np.float64))
    return means + counts


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)
Options = AgreementOptions


def _measured(ratings: Ratings, options: AgreementOptions, rng: np.random.Generator) -> dict[str, Estimate]:
    found = inter_annotator(ratings, samples=options.samples, rng=rng)
    return {f"inter_annotator_{name}": estimate for name, estimate in found.items()}


plan, run = step_form("each annotator against the mean of the others", _measured)

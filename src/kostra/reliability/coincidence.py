"""What the agreement statistics share: answers counted per item, and a bootstrap that weighs items.

A bootstrap sample of items is a whole number per item: how often it was drawn. Every agreement statistic is a function
of sums over items, so a thousand samples are one product of a matrix of weights (samples × items) with what each item
contributes. Items that contribute the same are one row that is drawn as often as they are together; on a scale of a
few points, ten thousand items are some hundred rows. Nothing is approximated by that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from kostra.errors import KostraError, some
from kostra.ratings import FloatArray, IntArray, Ratings, number_of
from kostra.reliability import Estimate

Statistic = Callable[[FloatArray], FloatArray]
"""From weights (samples × rows) to values (samples × figures)."""

FEW_ITEMS = 10
"""Figures per annotator, or per two of them, that rest on fewer items than this are given without an interval."""

# Numbers held per block of samples: a few arrays of this many, so some tens of megabytes.
_BLOCK = 1 << 20
# With more values than this, most cells of a table items × values are empty.
_FEW_VALUES = 64
# With more annotators than this, no two items have the same answers.
_FEW_PEOPLE = 16
_TAIL = 0.025


# ---- answers


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers to items that were answered at least twice: what agreement can be measured on."""

    items: int
    item: IntArray
    """Per answer, its item: 0 … `items` − 1, ascending."""
    values: FloatArray
    annotator: IntArray | None
    answered: IntArray
    """Per item, how many answers it has."""

    def sums(self, of_answers: FloatArray) -> FloatArray:
        """Per item, the sum of what belongs to its answers."""
        starts = np.cumsum(self.answered) - self.answered
        return np.add.reduceat(of_answers, starts)

    def spread(self, of_answers: FloatArray) -> FloatArray:
        """Per item, the sum of squared differences from the item's mean."""
        means = self.sums(of_answers) / self.answered
        return self.sums((of_answers - np.repeat(means, self.answered)) ** 2)


def pairable(ratings: Ratings) -> Answers:
    """Keep the items with at least two answers, in order; an answer alone on its item can be compared with nothing.

    Examples
    --------
    >>> from kostra.ratings import ratings_from
    >>> kept = pairable(ratings_from(["p", "q", "p"], [1, 5, 2]))
    >>> kept.items, kept.values.tolist()
    (1, [1.0, 2.0])
    """
    answered = np.bincount(ratings.item, minlength=len(ratings.items))
    item, values, annotator = ratings.item, ratings.values, ratings.annotator
    if answered.min(initial=2) < 2:
        enough = answered >= 2
        kept = enough[item]
        item = (np.cumsum(enough) - 1)[item[kept]]
        values = values[kept]
        annotator = None if annotator is None else annotator[kept]
        answered = answered[enough]
    if np.any(item[1:] < item[:-1]):
        order = np.argsort(item, kind="stable")
        item, values = item[order], values[order]
        annotator = None if annotator is None else annotator[order]
    return Answers(len(answered), item, values, annotator, answered)


def numbers_only(ratings: Ratings, purpose: str) -> None:
    """Refuse labels where the statistic calculates with the answers."""
    if ratings.labels is not None:
        strange = [label for label in ratings.labels if number_of(label) is None]
        raise KostraError(
            f"{purpose} needs numbers, and there are answers that are none: {some(strange or ratings.labels)}",
            accepted="answers that are all numbers",
            remedy="measure labels at the nominal level, or write them as numbers if they have an order",
        )


def grouped(ratings: Ratings, groups: Sequence[Sequence[str]] | None) -> Ratings:
    """Replace each answer by the class it belongs to.

    Examples
    --------
    >>> from kostra.ratings import ratings_from
    >>> three = grouped(ratings_from(["p", "p", "q"], [0, 5, 3]), [["0"], ["1", "2", "3", "4"], ["5"]])
    >>> three.values.tolist(), three.labels
    ([0.0, 2.0, 1.0], ('{0}', '{1, 2, 3, 4}', '{5}'))
    """
    if groups is None:
        return ratings
    place: dict[float, int] = {}
    for number, group in enumerate(groups):
        for member in group:
            code = _code_of(member, ratings)
            if code is not None and place.setdefault(code, number) != number:
                raise KostraError(f'"{member}" stands in two groups', accepted="each answer in one group")
    found, inverse = np.unique(ratings.values, return_inverse=True)
    left = [value for value in found.tolist() if value not in place]
    if left:
        names = [ratings.labels[int(value)] if ratings.labels else f"{value:g}" for value in left]
        raise KostraError(f"no group holds the answers {some(names)}", accepted="each answer in one group")
    codes = np.array([float(place[value]) for value in found.tolist()])
    classes = tuple(f"{{{', '.join(group)}}}" for group in groups)
    values = codes[inverse.reshape(-1)]
    return Ratings(ratings.items, ratings.item, values, ratings.annotators, ratings.annotator, classes)


def _code_of(member: str, ratings: Ratings) -> float | None:
    """The number that stands for a member of a group; None for a label that nobody used."""
    if ratings.labels is not None:
        return float(ratings.labels.index(member)) if member in ratings.labels else None
    number = number_of(member)
    if number is None:
        raise KostraError(
            f'the group member "{member}" is no number, and the answers are', accepted="numbers, such as 0"
        )
    return number


def coded(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct values, ascending, and for each value its place among them.

    Examples
    --------
    >>> coded(np.array([4.0, 1.0, 4.0]))[1].tolist()
    [1, 0, 1]
    """
    if not len(values):
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    low, high = values.min(), values.max()
    if high - low < 1 << 16:
        whole = values.astype(np.int64)
        if np.array_equal(whole, values):  # points of a scale need no sorting
            place = whole - int(low)
            used = np.bincount(place) > 0
            code = place if used.all() else (np.cumsum(used) - 1)[place]
            return np.flatnonzero(used) + low, code
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, inverse.reshape(-1)


Counts = FloatArray | sparse.csr_array
"""Items (or distinct rows of them) × values: how many answers of an item have that value."""


def count_values(answers: Answers, code: IntArray, size: int) -> Counts:
    """Count how often each value was given to each item; a sparse table where there are many values."""
    if size <= _FEW_VALUES:
        cells = np.bincount(answers.item * size + code, minlength=answers.items * size)
        return cells.reshape(answers.items, size).astype(np.float64)
    ones = np.ones(len(code))
    return sparse.csr_array((ones, (answers.item, code)), shape=(answers.items, size))


def agreeing_pairs(counts: Counts) -> FloatArray:
    """Per item, the number of ordered pairs of its answers that are equal: Σ n(n − 1)."""
    if isinstance(counts, np.ndarray):
        return np.asarray(np.einsum("uc,uc->u", counts, counts) - row_sums(counts))
    return row_sums(counts * counts - counts)  # element by element, as csr_array does


def row_sums(counts: Counts) -> FloatArray:
    """Per row, the sum of its counts; a product with ones, which is faster than a sum over a short axis."""
    return np.asarray(counts @ np.ones(counts.shape[1]))


# ---- the bootstrap


def distinct_answers(answers: Answers) -> tuple[Answers, IntArray]:
    """Keep one of several items to which the same people gave the same answers, and say how many it stands for.

    With many annotators hardly any two items are the same, and all are kept.

    Examples
    --------
    >>> from kostra.ratings import ratings_from_matrix
    >>> twice = ratings_from_matrix(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]), ["ann", "bob"])
    >>> kept, repeats = distinct_answers(pairable(twice))
    >>> kept.values.tolist(), repeats.tolist()
    ([1.0, 2.0, 2.0, 1.0], [2, 1])
    """
    people = 0 if answers.annotator is None else int(answers.annotator.max(initial=-1)) + 1
    if answers.annotator is None or people > _FEW_PEOPLE:
        return answers, np.ones(answers.items, dtype=np.int64)
    matrix = np.full((answers.items, people), np.nan)
    matrix[answers.item, answers.annotator] = answers.values
    rows, repeats = distinct_rows(matrix)
    assert isinstance(rows, np.ndarray)
    given = ~np.isnan(rows)
    item, annotator = np.nonzero(given)
    return Answers(len(rows), item, rows[given], annotator, given.sum(axis=1)), repeats


def distinct_rows(table: Counts) -> tuple[Counts, IntArray]:
    """The distinct rows of a table in order of appearance, and how often each occurs.

    A sparse table is returned as it is: rows over many values are hardly ever the same.

    Examples
    --------
    >>> rows, repeats = distinct_rows(np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0]]))
    >>> rows.tolist(), repeats.tolist()
    ([[1.0, 2.0], [0.0, 3.0]], [2, 1])
    """
    if not isinstance(table, np.ndarray):
        return table, np.ones(table.shape[0], dtype=np.int64)
    frame = pl.DataFrame({str(place): column for place, column in enumerate(table.T)})
    found = frame.group_by(frame.columns, maintain_order=True).agg(pl.len().alias("repeats"))
    rows = np.ascontiguousarray(found.drop("repeats").to_numpy())
    return rows, found["repeats"].cast(pl.Int64).to_numpy()


def bootstrap_weights(
    repeats: IntArray, *, samples: int, rng: np.random.Generator, width: int = 1
) -> Iterator[FloatArray]:
    """Draw bootstrap samples of items: how often each row is drawn, a block of samples at a time.

    Parameters
    ----------
    repeats
        How many items each row stands for. A sample has as many items as there are.
    width
        Numbers that the statistic holds per sample, so that blocks stay small.

    Examples
    --------
    >>> block = next(bootstrap_weights(np.array([2, 1]), samples=4, rng=np.random.default_rng(1)))
    >>> block.shape, block.sum(axis=1).tolist()
    ((4, 2), [3.0, 3.0, 3.0, 3.0])
    """
    units, rows = int(repeats.sum()), len(repeats)
    block = max(1, _BLOCK // max(rows, width, 1))
    # Drawing rows costs a few times more per row than drawing items costs per item.
    by_row = rows * 6 <= units
    row_of = np.repeat(np.arange(rows), repeats)
    for start in range(0, samples, block):
        size = min(block, samples - start)
        if by_row:
            yield rng.multinomial(units, repeats / units, size=size).astype(np.float64)
        else:
            drawn = rng.integers(0, units, size=(size, units))
            if rows < units:
                drawn = row_of[drawn]
            drawn += (np.arange(size) * rows)[:, None]
            yield np.bincount(drawn.reshape(-1), minlength=size * rows).reshape(size, rows).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Measured:
    """Figures with their bootstrap samples."""

    values: FloatArray
    """One per figure; NaN where it is undefined."""
    drawn: FloatArray
    """Samples × figures."""
    n: int

    def estimate(self, figure: int = 0, *, note: str = "", undefined: str = "") -> Estimate:
        """One of the figures with its percentile interval.

        A sample on which the figure is undefined is left out, and counted in the note; where the figure itself is
        undefined, the note says why and there is no interval.
        """
        value = float(self.values[figure])
        if not np.isfinite(value):
            return Estimate(np.nan, n=self.n, note=f"undefined: {undefined}" if undefined else "undefined")
        drawn = self.drawn[:, figure]
        defined = drawn[np.isfinite(drawn)]
        if len(defined) < len(drawn):
            said = f"{len(drawn) - len(defined):,} of {len(drawn):,} bootstrap samples left out: undefined on them"
            note = f"{note}; {said}" if note else said
        if not len(defined) or self.n < 2:
            return Estimate(value, n=self.n, note=note)
        low, high = np.quantile(defined, [_TAIL, 1 - _TAIL])
        return Estimate(value, float(low), float(high), self.n, note)


def measure(
    statistic: Statistic, repeats: IntArray, *, samples: int, rng: np.random.Generator, width: int = 1
) -> Measured:
    """Compute figures on all items, and on bootstrap samples of items (Efron & Tibshirani, 1993, ch. 13).

    Parameters
    ----------
    statistic
        From weights (samples × rows) to values (samples, or samples × figures).
    repeats
        How many items each row stands for (see `distinct_rows`).
    samples
        Bootstrap samples; 0 for none.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # undefined is NaN, and said
        value = _as_columns(statistic(repeats[None, :].astype(np.float64)))
        blocks = bootstrap_weights(repeats, samples=samples, rng=rng, width=width)
        drawn = [_as_columns(statistic(weights)) for weights in blocks]
    return Measured(value[0], np.concatenate([value[:0], *drawn]), int(repeats.sum()))


def _as_columns(values: FloatArray) -> FloatArray:
    return values.reshape(len(values), -1)


def nothing_to_compare(ratings: Ratings, answers: Answers) -> str | None:
    """Why there is no agreement to measure, or None: nothing but missing values, one answer per item, one item."""
    if not ratings.answers:
        return "there are no answers"
    if not answers.items:
        people = ratings.annotators
        alone = "there is only one annotator" if people is not None and len(people) == 1 else "no item has two answers"
        return f"{alone}, so that there is nothing to compare"
    if answers.items == 1:
        return "only one item has two answers; agreement on a single item cannot be told from chance"
    return None

"""Correlations of weighted pairs for many weightings at once: what the bootstrap of sentences is made of.

Every function takes weights as pairs × samples. Order and ties of the values do not depend on the weights and are found
once, so that a thousand samples cost a few passes over the weights instead of a thousand sorts. A weight of 3 means
exactly what the pair standing there three times would; a test expands it and asks scipy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_TINY = 1e-12  # of the sum of squares: less variance than this is rounding


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a correlation, prepared: values that are equal form a tie."""

    values: FloatArray
    """Less their mean."""
    order: IntArray
    starts: IntArray
    """In that order, where a tie begins."""
    tie: IntArray
    """Per pair, the number of its tie, ascending with the value."""

    @classmethod
    def of(cls, values: FloatArray) -> Side:
        """Sort once."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        begins = np.ones(len(values), dtype=np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
        tie = np.empty(len(values), dtype=np.int64)
        tie[order] = np.cumsum(begins) - 1
        mean = values.mean() if len(values) else 0.0
        return cls(values - mean, order, np.flatnonzero(begins), tie)

    @property
    def ties(self) -> int:
        """How many pairs share their value with another."""
        sizes = np.diff(self.starts, append=len(self.order))
        return int(sizes[sizes > 1].sum())

    def sizes(self, weights: FloatArray) -> FloatArray:
        """Per tie and sample, the weight of its members."""
        ordered = weights[self.order]
        if len(self.starts) == len(self.order):
            return ordered
        return np.asarray(np.add.reduceat(ordered, self.starts, axis=0))


@dataclass(frozen=True, eq=False)
class Ranked:
    """The ranks of a side in each sample, and what they are made of."""

    ranks: FloatArray
    """Pairs × samples; ties share the middle of their ranks, and the mean is taken away."""
    spread: FloatArray
    """Per sample, the weighted sum of squared ranks."""
    pairs: FloatArray
    """Per sample, twice the number of pairs of pairs that are not tied on this side."""


def ranked(side: Side, weights: FloatArray) -> Ranked:
    """Rank one side anew in each sample."""
    size = side.sizes(weights)
    through = np.cumsum(size, axis=0)
    total = through[-1].astype(np.float64)
    through -= size / 2
    through -= (total / 2).astype(through.dtype)
    spread = np.einsum("ts,ts,ts->s", size, through, through, dtype=np.float64)
    untied = total**2 - np.einsum("ts,ts->s", size, size, dtype=np.float64)
    return Ranked(through[side.tie], spread, untied)


def spearman(one: Ranked, two: Ranked, weights: FloatArray) -> FloatArray:
    """Spearman's correlation per sample; NaN where a side is constant.

    Examples
    --------
    >>> x, y = Side.of(np.array([1.0, 2.0, 3.0])), Side.of(np.array([1.0, 3.0, 2.0]))
    >>> weights = np.ones((3, 1))
    >>> spearman(ranked(x, weights), ranked(y, weights), weights).round(12).tolist()
    [0.5]
    """
    products = np.einsum("ps,ps,ps->s", weights, one.ranks, two.ranks, dtype=np.float64)
    return _ratio(products, one.spread * two.spread)


def pearson(one: Side, two: Side, weights: FloatArray) -> FloatArray:
    """Pearson's correlation per sample; NaN where a side is constant.

    Examples
    --------
    >>> x, y = Side.of(np.array([1.0, 2.0, 3.0])), Side.of(np.array([2.0, 4.0, 6.0]))
    >>> pearson(x, y, np.ones((3, 1))).round(12).tolist()
    [1.0]
    """
    x, y = one.values, two.values
    sums = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y]).astype(weights.dtype) @ weights
    n, sx, sy, xx, yy, xy = sums.astype(np.float64)
    vx, vy = n * xx - sx**2, n * yy - sy**2
    tiny = _TINY if weights.dtype == np.float64 else 1e-6
    varied = (vx > tiny * n * xx) & (vy > tiny * n * yy)
    return np.where(varied, _ratio(n * xy - sx * sy, vx * vy), np.nan)


def mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted mean per sample; NaN where nothing has weight."""
    total = weights.sum(axis=0, dtype=np.float64)
    found = np.full(len(total), np.nan)
    np.divide(values.astype(weights.dtype) @ weights, total, out=found, where=total > 0)
    return found


def _ratio(products: FloatArray, squares: FloatArray) -> FloatArray:
    found = np.full(len(products), np.nan)
    np.divide(products, np.sqrt(np.maximum(squares, 0.0)), out=found, where=squares > 0)
    return found.clip(-1.0, 1.0)


# Kendall ------------------------------------------------------------------------------------------------


class Concordance:
    r"""Kendall's τ-b, prepared for many weightings of the same pairs.

    The sum over pairs of pairs of :math:`w_i w_j \mathrm{sgn}(x_i - x_j) \mathrm{sgn}(y_i - y_j)` is cut in three by a
    grid of some 30 × 30 cells whose borders never run through a tie: pairs of pairs in different rows *and* columns of
    the grid are counted by sums over cells, those in one column, or in one row and different columns, by a product
    with a small matrix of signs. That is some hundred times fewer operations than the whole matrix of signs has.

    Examples
    --------
    Of the three pairs of pairs two are concordant and one is not: (2 − 1)/3.

    >>> x, y = Side.of(np.array([1.0, 2.0, 3.0])), Side.of(np.array([1.0, 3.0, 2.0]))
    >>> weights = np.ones((3, 1))
    >>> Concordance(x, y).tau(weights, ranked(x, weights), ranked(y, weights)).round(4).tolist()
    [0.3333]
    """

    def __init__(self, one: Side, two: Side) -> None:
        cells = max(1, round(0.43 * len(one.tie) ** 0.5))
        self._column, columns = _blocks(one, cells)
        self._row, rows = _blocks(two, cells)
        self._shape = (columns, rows)
        cell = self._column * rows + self._row
        self._order = np.argsort(cell, kind="stable")
        ordered = cell[self._order]
        self._starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        self._filled = ordered[self._starts]
        self._small: list[tuple[IntArray, FloatArray]] = []
        for block, apart in ((self._column, None), (self._row, self._column)):
            by_block = np.argsort(block, kind="stable")
            for members in np.split(by_block, np.flatnonzero(np.diff(block[by_block])) + 1):
                signs = np.sign(np.subtract.outer(one.tie[members], one.tie[members]))
                signs *= np.sign(np.subtract.outer(two.tie[members], two.tie[members]))
                if apart is not None:
                    signs[np.equal.outer(apart[members], apart[members])] = 0
                if signs.any():
                    self._small.append((members, signs.astype(np.float32)))

    def tau(self, weights: FloatArray, one: Ranked, two: Ranked) -> FloatArray:
        """τ-b per sample; NaN where a side is constant."""
        samples = weights.shape[1]
        grid = np.zeros((self._shape[0] * self._shape[1], samples), dtype=weights.dtype)
        grid[self._filled] = np.add.reduceat(weights[self._order], self._starts, axis=0)
        cells = grid.reshape(*self._shape, samples)
        before = np.cumsum(cells, axis=0) - cells
        through = np.cumsum(before, axis=1)
        # Less in both, minus less in one and more in the other.
        apart = 2 * through - before - through[:, -1:]
        found = np.einsum("crs,crs->s", cells, apart, dtype=np.float64)
        for members, signs in self._small:
            inside = weights[members]
            found += np.einsum("ps,ps->s", inside, signs.astype(weights.dtype) @ inside, dtype=np.float64) / 2
        return _ratio(2 * found, one.pairs * two.pairs)


def _blocks(side: Side, wanted: int) -> tuple[IntArray, int]:
    """Cut the ordered values into about as many blocks, never inside a tie; a large tie is a block of its own."""
    sizes = np.diff(side.starts, append=len(side.order))
    target = max(1.0, len(side.order) / wanted)
    of_tie = np.empty(len(sizes), dtype=np.int64)
    block, filled = 0, 0
    for tie, size in enumerate(sizes.tolist()):
        if filled and filled + size > target:
            block, filled = block + 1, 0
        of_tie[tie] = block
        filled += size
    return of_tie[side.tie], block + 1

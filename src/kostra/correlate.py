"""Ranks and correlations of many rows at once: what split halves and bootstraps are made of.

Written here because scipy.stats takes longer to import than a thousand trials take to run, and ranks one row at a
time; a test holds both to be equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def row_ranks(values: FloatArray, where: BoolArray | None = None) -> FloatArray:
    """Rank each row from 1, ties sharing the mean of their ranks, among the places of `where` only.

    Examples
    --------
    >>> row_ranks(np.array([[3.0, 1.0, 3.0]]))
    array([[2.5, 1. , 2.5]])
    """
    rows, n = values.shape
    # What does not count ranks last, and so leaves the others alone.
    keys = values if where is None else np.where(where, values, np.inf)
    order = np.argsort(keys, axis=1)
    ordered = np.take_along_axis(keys, order, axis=1)
    begins = np.ones((rows, n), dtype=np.bool_)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=begins[:, 1:])
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=rows * n)
    shared = np.repeat(starts % max(n, 1) + (lengths + 1) / 2, lengths).reshape(rows, n)
    ranks = np.empty((rows, n))
    np.put_along_axis(ranks, order, shared, axis=1)
    return ranks


def row_correlations(one: FloatArray, two: FloatArray, where: BoolArray | None = None) -> FloatArray:
    """Pearson correlation row by row over the places of `where`; with ranks it is Spearman's.

    NaN where a side is constant or fewer than two places count.

    Examples
    --------
    >>> row_correlations(np.array([[1.0, 2.0], [1.0, 1.0]]), np.array([[5.0, 3.0], [0.0, 1.0]])).tolist()
    [-1.0, nan]
    """
    counts = np.ones(one.shape, dtype=np.bool_) if where is None else where
    count = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    x, y = ((side - (side * counts).sum(axis=1, keepdims=True) / count) * counts for side in (one, two))
    products = np.einsum("ti,ti->t", x, x) * np.einsum("ti,ti->t", y, y)
    # A constant row can differ from its own mean by a rounding error, so constancy is asked of the values themselves.
    varied = _varies(one, counts) & _varies(two, counts) & (products > 0)
    result = np.full(len(products), np.nan)
    np.divide(np.einsum("ti,ti->t", x, y), np.sqrt(products), out=result, where=varied)
    return result.clip(-1.0, 1.0)  # rounding may step over the edge


def _varies(values: FloatArray, where: BoolArray) -> BoolArray:
    top = np.max(values, axis=1, where=where, initial=-np.inf)
    bottom = np.min(values, axis=1, where=where, initial=np.inf)
    return np.asarray(top > bottom)


def correlation(one: FloatArray, two: FloatArray, *, ranks: bool) -> float:
    """Pearson correlation of two vectors, or Spearman's with `ranks`; NaN where it is undefined.

    Examples
    --------
    >>> correlation(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0, 2.0]), ranks=True)
    1.0
    """
    first, second = one[None, :], two[None, :]
    if ranks:
        first, second = row_ranks(first), row_ranks(second)
    return float(row_correlations(first, second)[0])

"""Two-sided t-tests of many pairs at once, and p-values adjusted for their number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sample:
    """Answers of each pair in one condition, summed up: count, mean and sample variance (divisor n − 1)."""

    n: IntArray
    mean: FloatArray
    variance: FloatArray


@dataclass(frozen=True, eq=False)
class TTests:
    """Two-sided t-tests, one per pair; NaN where a test is undefined."""

    t: FloatArray
    df: FloatArray
    p: FloatArray


def student_t(one: Sample, two: Sample) -> TTests:
    r"""Student's t-test of two means with a common variance [1]_, pair by pair, two-sided.

    .. math:: t = \frac{\bar y - \bar x}{\sqrt{s^2 (1/n + 1/m)}}, \quad
              s^2 = \frac{(n - 1) s_x^2 + (m - 1) s_y^2}{n + m - 2}, \quad \nu = n + m - 2

    Notes
    -----
    Fewer than two answers on a side: undefined. No variance at all: if the means are equal, nothing speaks against
    their equality and p = 1 (SciPy has NaN; the limit of ever smaller variances is p = 1, and the share of *all* pairs
    that are rejected needs these pairs in its denominator); if they differ, t is infinite and p = 0, as in SciPy.

    References
    ----------
    .. [1] Student (1908). The probable error of a mean. Biometrika 6, 1–25.

    Examples
    --------
    1, 3 against 4, 6: means 2 and 5, both variances 2, so t = 3/√2 with 2 degrees of freedom. There the tail is
    p = 1 − t/√(2 + t²) = 1 − √(4.5/6.5) = .16795.

    >>> one = Sample(np.array([2]), np.array([2.0]), np.array([2.0]))
    >>> two = Sample(np.array([2]), np.array([5.0]), np.array([2.0]))
    >>> found = student_t(one, two)
    >>> round(float(found.t[0] ** 2), 10), float(found.df[0]), round(float(found.p[0]), 10)
    (4.5, 2.0, 0.1679497057)
    """
    enough = (one.n > 1) & (two.n > 1)
    n, m = np.where(enough, one.n, 2), np.where(enough, two.n, 2)
    df = (n + m - 2).astype(np.float64)
    pooled = ((n - 1) * one.variance + (m - 1) * two.variance) / df
    return _tests(two.mean - one.mean, pooled * (1 / n + 1 / m), df, enough)


def welch_t(one: Sample, two: Sample) -> TTests:
    r"""Welch's t-test of two means with variances of their own [1]_, pair by pair, two-sided.

    .. math:: t = \frac{\bar y - \bar x}{\sqrt{u + v}}, \quad u = s_x^2 / n, \quad v = s_y^2 / m, \quad
              \nu = \frac{(u + v)^2}{u^2 / (n - 1) + v^2 / (m - 1)}

    Conventions are those of `student_t`; without any variance ν is n + m − 2.

    References
    ----------
    .. [1] B. L. Welch (1947). The generalization of "Student's" problem when several different population variances
       are involved. Biometrika 34, 28–35.

    Examples
    --------
    1, 3 against 5, 5: u = 1, v = 0, so t = 3 with ν = 1/(1/1) = 1, where p = 1 − (2/π) arctan 3.

    >>> one = Sample(np.array([2]), np.array([2.0]), np.array([2.0]))
    >>> two = Sample(np.array([2]), np.array([5.0]), np.array([0.0]))
    >>> found = welch_t(one, two)
    >>> float(found.t[0]), float(found.df[0]), round(float(found.p[0]), 10)
    (3.0, 1.0, 0.2048327647)
    """
    enough = (one.n > 1) & (two.n > 1)
    n, m = np.where(enough, one.n, 2), np.where(enough, two.n, 2)
    u, v = one.variance / n, two.variance / m
    df = (n + m - 2).astype(np.float64)
    spread = u**2 / (n - 1) + v**2 / (m - 1)
    np.divide((u + v) ** 2, spread, out=df, where=spread > 0)
    return _tests(two.mean - one.mean, u + v, df, enough)


def paired_t(differences: Sample) -> TTests:
    r"""Student's paired t-test: is the mean of the same people's differences zero? Pair by pair, two-sided.

    .. math:: t = \frac{\bar d}{s_d / \sqrt{n}}, \quad \nu = n - 1

    Conventions are those of `student_t`.

    Examples
    --------
    Differences 1 and 3: mean 2, s = √2, t = 2/(√2/√2) = 2 with ν = 1, where p = 1 − (2/π) arctan 2.

    >>> found = paired_t(Sample(np.array([2]), np.array([2.0]), np.array([2.0])))
    >>> round(float(found.t[0]), 10), round(float(found.p[0]), 10)
    (2.0, 0.2951672353)
    """
    enough = differences.n > 1
    n = np.where(enough, differences.n, 2)
    return _tests(differences.mean, differences.variance / n, (n - 1).astype(np.float64), enough)


def _tests(distance: FloatArray, squared_error: FloatArray, df: FloatArray, enough: BoolArray) -> TTests:
    # scipy.special, since scipy.stats takes longer to import than the tests of a dataset take to run.
    from scipy.special import stdtr

    t = np.where(distance == 0, 0.0, np.copysign(np.inf, distance))
    np.divide(distance, np.sqrt(np.where(enough, squared_error, 1)), out=t, where=enough & (squared_error > 0))
    p = 2 * stdtr(df, -np.abs(t))
    return TTests(*(np.where(enough, column, np.nan) for column in (t, df, p)))


# Many tests at once ------------------------------------------------------------------------------------


def holm(p: FloatArray) -> FloatArray:
    """p-values adjusted by Holm's step-down method [1]_: rejecting those up to α errs at all with probability ≤ α.

    The i-th smallest of m becomes the largest of (m − j + 1) p₍ⱼ₎ for j ≤ i, at most 1. Undefined values stay so and
    do not count.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
       6, 65–70.

    Examples
    --------
    .01 · 3 = .03; .03 · 2 = .06; .04 · 1 = .04, raised to .06.

    >>> holm(np.array([0.04, 0.01, np.nan, 0.03])).round(12).tolist()
    [0.06, 0.03, nan, 0.06]
    """
    order, m = _ascending(p)
    return _placed(p, order, np.maximum.accumulate(p[order] * np.arange(m, 0, -1)))


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """p-values adjusted by Benjamini and Hochberg [1]_: of those up to α, a share of at most α is expected to be false.

    The i-th smallest of m becomes the smallest of m p₍ⱼ₎ / j for j ≥ i, at most 1. Undefined values stay so and do not
    count.

    References
    ----------
    .. [1] Y. Benjamini and Y. Hochberg (1995). Controlling the false discovery rate. Journal of the Royal Statistical
       Society B 57, 289–300.

    Examples
    --------
    .04 · 3/3 = .04; .03 · 3/2 = .045, lowered to .04; .01 · 3 = .03.

    >>> benjamini_hochberg(np.array([0.04, 0.01, np.nan, 0.03])).round(12).tolist()
    [0.04, 0.03, nan, 0.04]
    """
    order, m = _ascending(p)
    raw = p[order] * m / np.arange(1, m + 1)
    return _placed(p, order, np.minimum.accumulate(raw[::-1])[::-1])


def _ascending(p: FloatArray) -> tuple[IntArray, int]:
    defined = int(np.isfinite(p).sum())
    return np.argsort(p, kind="stable")[:defined], defined  # NaN sorts last


def _placed(p: FloatArray, order: IntArray, adjusted: FloatArray) -> FloatArray:
    placed = np.full(len(p), np.nan)
    placed[order] = np.minimum(adjusted, 1.0)
    return placed


def rejected_share(p: FloatArray, levels: ArrayLike) -> FloatArray:
    """r(x): the share of the defined tests with p ≤ x, that is, the distribution function of the p-values.

    NaN where no test is defined.

    Examples
    --------
    >>> rejected_share(np.array([0.01, 0.05, 0.2, np.nan]), [0.05, 1.0]).round(4).tolist()
    [0.6667, 1.0]
    """
    ordered = np.sort(p[np.isfinite(p)])
    at = np.asarray(levels, dtype=np.float64)
    if not len(ordered):
        return np.full(at.shape, np.nan)
    return np.asarray(np.searchsorted(ordered, at, side="right") / len(ordered))

"""Do two encoders differ? Tests for two correlations that share the gold scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr


@dataclass(frozen=True)
class Verdict:
    """A test statistic with its two-sided p-value."""

    statistic: float
    p: float


def williams(first: float, second: float, between: float, n: int) -> Verdict:
    r"""Williams' test that two encoders correlate alike with the same gold scores.

    With :math:`r_1, r_2` the two correlations, :math:`r_{12}` that of the encoders with each other,
    :math:`\bar r = (r_1 + r_2)/2` and :math:`|R| = 1 - r_1^2 - r_2^2 - r_{12}^2 + 2 r_1 r_2 r_{12}`,

    .. math:: t = (r_1 - r_2) \sqrt{\frac{(n - 1)(1 + r_{12})}{2 \frac{n-1}{n-3} |R| + \bar r^2 (1 - r_{12})^3}}

    has Student's distribution with n − 3 degrees of freedom. It takes pairs as independent; of ranks (Spearman) it is
    an approximation. NaN with fewer than four pairs.

    References
    ----------
    E. J. Williams (1959). The comparison of regression variables. Journal of the Royal Statistical Society B 21,
    396–399. J. H. Steiger (1980). Tests for comparing elements of a correlation matrix. Psychological Bulletin 87,
    245–251, equation 7.

    Examples
    --------
    By hand for .5, .3, .4 and 103 pairs: |R| = 1 − .25 − .09 − .16 + .12 = .62; the root is
    √(102 · 1.4 / (2 · 1.02 · .62 + .16 · .216)) = 10.484; times .2 it is 2.097.

    >>> round(williams(0.5, 0.3, 0.4, 103).statistic, 3)
    2.097
    """
    if n < 4 or not all(map(math.isfinite, (first, second, between))):
        return Verdict(math.nan, math.nan)
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - between) ** 3
    if below <= 0:  # the encoders are the same up to a scale
        return Verdict(0.0, 1.0) if first == second else Verdict(math.nan, math.nan)
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / below)
    return Verdict(t, float(2 * stdtr(n - 3, -abs(t))))


def steiger(first: float, second: float, between: float, n: int) -> Verdict:
    r"""Steiger's Z test of the same question, on Fisher's transform of the correlations.

    .. math:: Z = (z_1 - z_2) \sqrt{\frac{n - 3}{2 - 2 \bar s}}, \quad
       \bar s = \frac{r_{12}(1 - 2 \bar r^2) - \frac12 \bar r^2 (1 - 2 \bar r^2 - r_{12}^2)}{(1 - \bar r^2)^2}

    References
    ----------
    J. H. Steiger (1980). Tests for comparing elements of a correlation matrix. Psychological Bulletin 87, 245–251,
    equation 14.

    Examples
    --------
    By hand for .5, .3, .4 and 103 pairs: r̄² = .16, s̄ = (.4 · .68 − .08 · .52) / .7056 = .32653;
    (.54931 − .30952) · √(100 / 1.34694) = 2.066.

    >>> round(steiger(0.5, 0.3, 0.4, 103).statistic, 3)
    2.066
    """
    if n < 4 or not all(map(math.isfinite, (first, second, between))) or max(abs(first), abs(second)) >= 1:
        return Verdict(math.nan, math.nan)
    square = ((first + second) / 2) ** 2
    shared = between * (1 - 2 * square) - square * (1 - 2 * square - between**2) / 2
    below = 2 - 2 * shared / (1 - square) ** 2
    if below <= 0:
        return Verdict(0.0, 1.0) if first == second else Verdict(math.nan, math.nan)
    z = (math.atanh(first) - math.atanh(second)) * math.sqrt((n - 3) / below)
    return Verdict(z, float(2 * ndtr(-abs(z))))


def bootstrap_p(difference: float, samples: NDArray[np.float64]) -> float:
    """Two-sided p-value of a difference, by its standard error over bootstrap samples and the normal distribution.

    Counting the samples on the wrong side of 0 instead could never give less than 2 in 1,001 from 1,000 samples, which
    Holm's correction would raise above .05 as soon as eight encoders are compared.

    Examples
    --------
    The samples have the standard deviation 1, and Φ(−1.96) = .025.

    >>> round(bootstrap_p(1.96, np.array([0.0, 1.0, 2.0])), 3)
    0.05
    >>> bootstrap_p(0.0, np.zeros(9))
    1.0
    """
    known = samples[np.isfinite(samples)]
    if len(known) < 2:
        return math.nan
    error = float(known.std(ddof=1))
    if error == 0:
        return 1.0 if difference == 0 else math.nan
    return float(2 * ndtr(-abs(difference) / error))

"""Median of the ratings of each item, with the standard error of its exact bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from scipy.special import bdtrc, gammaln

from kostra.scoring.ratings import FloatArray, RatingOptions, item_scores, plan_says, score_step
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("judgments",)
WRITES = ("scores",)

Options = RatingOptions


def median_scores(answers: Frame, *, question: str) -> Frame:
    r"""Take the median of the ratings of each item.

    With an even number of ratings it is the mean of the two in the middle.

    The standard error is that of the bootstrap, and needs no drawing: the chance that the median of n ratings drawn
    with replacement falls on the i-th and j-th of the ordered ratings has a closed form [1]_ [2]_. For odd n = 2m + 1

    .. math:: P(i) = F(i) - F(i-1), \qquad F(i) = \sum_{k>m} \binom nk (i/n)^k (1-i/n)^{n-k},

    and for n = 2m and i < j

    .. math:: P(i, j) = \binom{n}{m} \frac{i^m - (i-1)^m}{n^m} \cdot \frac{(n-j+1)^m - (n-j)^m}{n^m}.

    The bootstrap takes the ratings for the whole population and so errs low by a factor of √((n − 1)/n), which
    matters for three ratings; it is taken out, so that the error of two ratings, whose median is their mean, is the
    mean's.

    Parameters
    ----------
    answers
        Columns item and value, one row per rating; who gave it does not matter.
    question
        The question under which the scores stand.

    Returns
    -------
    Frame
        Scores. With one rating there is no standard error; where most ratings are equal it is small, and where all
        are, 0: a lower bound, not certainty.

    References
    ----------
    .. [1] J. S. Maritz and R. G. Jarrett (1978). A note on estimating the variance of the sample median. Journal of
       the American Statistical Association 73, 194–196.
    .. [2] A. D. Hutson and M. D. Ernst (2000). The exact bootstrap mean and variance of an L-estimator. Journal of
       the Royal Statistical Society B 62, 89–94.

    Examples
    --------
    Of ratings 1, 2, 3 the bootstrap's median is 1 if two or three draws are 1: 3 · (1/9)(2/3) + 1/27 = 7/27; 3 is as
    likely. Its variance is 2 · 7/27, and the standard error √(14/27 · 3/2) = √(7/9) = 0.8819.

    >>> import polars as pl
    >>> ratings = pl.DataFrame({"item": ["p", "p", "p"], "value": [3.0, 1.0, 2.0]})
    >>> median_scores(ratings, question="similarity").select("score", pl.col("standard_error").round(4)).rows()
    [(2.0, 0.8819)]
    """
    return item_scores(answers, _summary, question=question)


def _summary(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    n = values.shape[1]
    median = np.median(values, axis=1)
    if n == 1:
        return median, np.full(len(values), np.nan)
    chances = _chances(n)
    # Around the median, so that nothing large is subtracted from something large.
    apart = values - median[:, None]
    low, high = apart @ chances.sum(axis=1), apart @ chances.sum(axis=0)
    squares = (apart**2) @ (chances.sum(axis=1) + chances.sum(axis=0)) + 2 * ((apart @ chances) * apart).sum(axis=1)
    variance = squares / 4 - ((low + high) / 2) ** 2
    return median, np.sqrt(np.maximum(variance, 0) * n / (n - 1))


@lru_cache(maxsize=64)
def _chances(n: int) -> FloatArray:
    """Chance that the two middle ones of n draws from n are the i-th and the j-th; for odd n, i = j."""
    m = n // 2
    upto = np.arange(n + 1) / n
    # The lower middle one is at or below i if at least (n + 1) // 2 draws are.
    lower = np.diff(bdtrc((n + 1) // 2 - 1, n, upto))
    if n % 2:
        return np.diag(lower)
    # The two differ if m draws lie at or below i, one of them on it, and m at or above j. In logarithms, because the
    # number of ways overflows beyond a thousand ratings.
    with np.errstate(divide="ignore"):
        half = np.log(np.diff(upto**m)) + (gammaln(n + 1) / 2 - gammaln(m + 1))
    differ = np.triu(np.ones((n, n), dtype=np.bool_), 1)
    apart = np.exp(np.add.outer(half, half[::-1]), out=np.zeros((n, n)), where=differ)
    return np.asarray(apart + np.diag(lower - apart.sum(axis=1)))


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per rated item."""
    return plan_says(inputs, "takes the median of", options)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Score the items."""
    return score_step(inputs, options, context, lambda answers, asked: median_scores(answers, question=asked.question))

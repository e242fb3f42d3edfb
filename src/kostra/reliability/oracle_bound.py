"""Oracle lower bound: the squared error that even a perfect model has against a mean of n ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from kostra.errors import KostraError, some
from kostra.ratings import FloatArray, IntArray, Ratings, ratings_of
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import note_repeats, statistics_table
from kostra.resample import bootstrap_interval
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

LEAST = 4
"""Answers that an item needs: with three, Student's t has two degrees of freedom and no variance."""


def oracle_bound(ratings: Ratings, *, rng: np.random.Generator, samples: int = 1000) -> Estimate:
    r"""Lower bound of the mean squared error of any model against the mean ratings.

    If the *n* ratings of an item are normal around its true score, the distance of their mean from that score is
    s/√n times a Student's t with n − 1 degrees of freedom, whose variance is (n − 1)/(n − 3). An oracle that knows
    every true score has therefore, averaged over items, the squared error [1]_

    .. math:: \frac{1}{N} \sum_i \frac{n_i - 1}{n_i - 3} \cdot \frac{s_i^2}{n_i}

    with the sample variance :math:`s_i^2` (divisor n − 1).

    Parameters
    ----------
    ratings
        Numeric answers; they may be anonymous, and their number may differ between items.
    rng
        Source of randomness of the interval.
    samples
        Bootstrap samples; the items are the units.

    Returns
    -------
    Estimate
        `n` counts the items that have a bound. Undefined (NaN, with the reason) where none has.

    Raises
    ------
    KostraError
        If the answers are labels.

    Notes
    -----
    An item with three or fewer answers has no bound: it is left out, and the note counts it. An item whose answers
    are all equal has the bound 0.

    The factor makes the bound an estimate given the observed s, larger than the unbiased s²/n of the mean's sampling
    variance by a third for nine answers. [1]_ prints .1731; the released nine answers per pair of the context-free
    test part give .1582, and .1731 cannot be had from them.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Section 5.

    Examples
    --------
    Answers 1, 1, 3, 3: mean 2, s² = 4/3, and 3/1 · (4/3)/4 = 1. Answers 2, 2, 2, 2 give 0; two answers give nothing.
    The mean of 1 and 0 is .5.

    >>> from kostra.ratings import ratings_from
    >>> items = ["p"] * 4 + ["q"] * 4 + ["r"] * 2
    >>> found = oracle_bound(ratings_from(items, [1, 1, 3, 3, 2, 2, 2, 2, 0, 6]), rng=np.random.default_rng(1))
    >>> found.value, found.n, found.note
    (0.5, 2, '1 of 3 items has fewer than 4 answers and no bound')
    """
    bounds = item_bounds(ratings)
    bounded = bounds[np.isfinite(bounds)]
    note = _left_out(len(bounds) - len(bounded), len(bounds))
    if not len(bounded):
        return Estimate(math.nan, note=f"undefined: {note or 'there is no item'}")
    interval = bootstrap_interval(lambda drawn: bounded[drawn].mean(axis=1), len(bounded), rng=rng, samples=samples)
    return Estimate(float(bounded.mean()), interval.low, interval.high, len(bounded), note)


def item_bounds(ratings: Ratings) -> FloatArray:
    """The bound of each item, (n − 1)/(n − 3) · s²/n; NaN with three or fewer answers.

    Examples
    --------
    >>> from kostra.ratings import ratings_from
    >>> item_bounds(ratings_from(["p", "p", "p", "p", "q"], [1, 1, 3, 3, 5])).tolist()
    [1.0, nan]
    """
    if ratings.labels is not None:
        raise KostraError(
            f"the oracle bound needs numbers, and the answers are labels: {some(ratings.labels)}",
            accepted="numeric ratings",
        )
    n, _, variance = moments(ratings.item, ratings.values, len(ratings.items))
    bounds = np.full(len(n), np.nan)
    enough = n >= LEAST
    bounds[enough] = (n[enough] - 1) / (n[enough] - 3) * variance[enough] / n[enough]
    return bounds


def moments(group: IntArray, values: FloatArray, groups: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Count, mean and sample variance (divisor n − 1) of the values of each group.

    NaN where a group has no value or, for the variance, one. Equal values have the variance 0 to the last bit,
    whatever rounding did to their mean.

    Examples
    --------
    >>> n, mean, variance = moments(np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0]), 2)
    >>> n.tolist(), mean.tolist(), variance.tolist()
    ([2, 1], [2.0, 5.0], [2.0, nan])
    """
    n = np.bincount(group, minlength=groups)
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    mean, variance = np.full(groups, np.nan), np.full(groups, np.nan)
    np.divide(np.bincount(group, values, minlength=groups), n, out=mean, where=n > 0)
    mean = np.where(low == high, low, mean)
    squares = np.bincount(group, (values - mean[group]) ** 2, minlength=groups)
    np.divide(squares, n - 1, out=variance, where=n > 1)
    return n, mean, variance


def _left_out(few: int, items: int) -> str:
    if not few:
        return ""
    return f"{few:,} of {items:,} items {'has' if few == 1 else 'have'} fewer than {LEAST} answers and no bound"


# The step ----------------------------------------------------------------------------------------------

READS = ("judgments",)
WRITES = ("statistics",)


class Options(Strict):
    """Which answers."""

    question: str | None = None
    """The question that was rated; the recipe's own where none is named."""
    phases: tuple[str, ...] = ()
    """Phases whose answers count; all where none is named."""
    blocks: tuple[str, ...] = ()
    """Blocks likewise; all but repeats where none is named, since those are second answers of the same people."""
    samples: Annotated[int, Field(ge=1)] = 1000
    """Bootstrap samples."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One figure."""
    return Plan(f"bounds the squared error of any model against the means of {inputs.get('judgments', 0):,} judgments")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Bound the error."""
    question = options.question or context.recipe.score.question
    ratings = ratings_of(inputs["judgments"], question, phases=options.phases, blocks=options.blocks)
    found = oracle_bound(ratings, rng=context.rng, samples=options.samples)
    if found.note:
        context.note("few_answers", found.note)
    if not options.blocks:
        note_repeats(inputs["judgments"], context)
    return {"statistics": statistics_table({"oracle_bound": found}, question=question)}

"""Percent agreement: how often two answers to the same item are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kostra.ratings import FloatArray, Ratings
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import AgreementOptions, step_form
from kostra.reliability.coincidence import (
    Answers,
    Counts,
    agreeing_pairs,
    coded,
    count_values,
    distinct_rows,
    grouped,
    measure,
    nothing_to_compare,
    pairable,
)


def percent_agreement(
    ratings: Ratings,
    *,
    groups: Sequence[Sequence[str]] | None = None,
    samples: int = 1000,
    rng: np.random.Generator,
) -> Estimate:
    r"""Share of agreeing pairs of answers, from 0 to 1.

    .. math:: \bar P = \frac{1}{N} \sum_u \frac{\sum_c n_{uc} (n_{uc} - 1)}{n_u (n_u - 1)}

    over the *N* items with at least two answers: the observed agreement of Fleiss [1]_. Each item weighs the same,
    however many answers it has. Nothing is taken off for chance, so that it cannot be compared between scales of
    different length.

    Parameters
    ----------
    ratings
        The answers, numbers or labels; they may be anonymous.
    groups
        Answers that count as the same, such as ``[["0"], ["1", "2", "3", "4"], ["5"]]``.
    samples, rng
        Bootstrap samples of items for the 95% interval (0 for none), and their source of randomness.

    Returns
    -------
    Estimate
        Undefined (NaN, with the reason) where fewer than two items have two answers.

    References
    ----------
    .. [1] J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, 378–382.

    Examples
    --------
    Of the three pairs among 1, 1, 2 one agrees; the two answers to the second item agree: (1/3 + 1) / 2 = 2/3.

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "p", "q", "q"], [1, 1, 2, 4, 4])
    >>> round(percent_agreement(answers, samples=0, rng=np.random.default_rng(1)).value, 6)
    0.666667
    """
    classes = grouped(ratings, groups)
    answers = pairable(classes)
    why = nothing_to_compare(classes, answers)
    if why is not None:
        return Estimate(np.nan, n=answers.items, note=f"undefined: {why}")
    agreement = share_of_agreeing_pairs(answers, value_counts(answers))
    rows, repeats = distinct_rows(agreement[:, None])

    def statistic(weights: FloatArray) -> FloatArray:
        return np.asarray(weights @ rows / weights.sum(axis=1, keepdims=True))

    measured = measure(statistic, repeats, samples=samples, rng=rng)
    return measured.estimate(note=said_groups(classes, groups))


def value_counts(answers: Answers) -> Counts:
    """Items × distinct values."""
    values, code = coded(answers.values)
    return count_values(answers, code, len(values))


def share_of_agreeing_pairs(answers: Answers, counts: Counts) -> FloatArray:
    """Per item, the share of pairs of its answers that are equal."""
    size = answers.answered.astype(np.float64)
    return agreeing_pairs(counts) / (size * (size - 1))


def said_groups(classes: Ratings, groups: Sequence[Sequence[str]] | None) -> str:
    """What the note says about grouped answers."""
    return f"in classes {' '.join(classes.labels)}" if groups is not None and classes.labels else ""


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)


class Options(AgreementOptions):
    """Which answers count as the same."""

    groups: tuple[tuple[str, ...], ...] | None = None
    """Answers that count as the same."""


def _measured(ratings: Ratings, options: Options, rng: np.random.Generator) -> dict[str, Estimate]:
    name = "percent_agreement" if options.groups is None else "percent_agreement_grouped"
    return {name: percent_agreement(ratings, groups=options.groups, samples=options.samples, rng=rng)}


plan, run = step_form("percent agreement", _measured)

"""Fleiss' κ: agreement of several annotators on classes, beyond chance; classes may be grouped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kostra.ratings import FloatArray, Ratings
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import AgreementOptions, step_form
from kostra.reliability.coincidence import (
    agreeing_pairs,
    distinct_rows,
    grouped,
    measure,
    nothing_to_compare,
    pairable,
    row_sums,
)
from kostra.reliability.percent_agreement import said_groups, value_counts


def fleiss_kappa(
    ratings: Ratings,
    *,
    groups: Sequence[Sequence[str]] | None = None,
    samples: int = 1000,
    rng: np.random.Generator,
) -> Estimate:
    r"""Fleiss' κ [1]_.

    .. math:: \kappa = \frac{\bar P - P_e}{1 - P_e}, \quad
              \bar P = \frac{1}{N} \sum_u \frac{\sum_c n_{uc} (n_{uc} - 1)}{n_u (n_u - 1)}, \quad
              P_e = \sum_c \Bigl(\frac{\sum_u n_{uc}}{\sum_u n_u}\Bigr)^2

    over the *N* items with at least two answers. Fleiss has as many answers to each item; where the numbers differ,
    :math:`\bar P` weighs each item the same and the shares in :math:`P_e` weigh each answer the same.

    Parameters
    ----------
    ratings
        The answers, numbers or labels, each distinct value a class; they may be anonymous.
    groups
        Values that make one class, such as ``[["0"], ["1", "2", "3", "4"], ["5"]]``.
    samples, rng
        Bootstrap samples of items for the 95% interval (0 for none), and their source of randomness.

    Returns
    -------
    Estimate
        Undefined (NaN, with the reason) where all answers are in one class, or fewer than two items have two answers.

    References
    ----------
    .. [1] J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, 378–382.

    Examples
    --------
    Items (1, 1), (2, 2), (1, 2): the observed agreement is 2/3. Half of the answers are 1, half 2, so that 1/2 is
    expected by chance: κ = (2/3 − 1/2) / (1/2) = 1/3.

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q", "r", "r"], [1, 1, 2, 2, 1, 2])
    >>> round(fleiss_kappa(answers, samples=0, rng=np.random.default_rng(1)).value, 6)
    0.333333
    """
    classes = grouped(ratings, groups)
    answers = pairable(classes)
    why = nothing_to_compare(classes, answers)
    if why is None and np.ptp(answers.values) == 0:
        why = "all answers are in one class, so that chance alone would never disagree"
    if why is not None:
        return Estimate(np.nan, n=answers.items, note=f"undefined: {why}")
    counts, repeats = distinct_rows(value_counts(answers))
    size = row_sums(counts)
    agreement = agreeing_pairs(counts) / (size * (size - 1))

    def statistic(weights: FloatArray) -> FloatArray:
        observed = weights @ agreement / weights.sum(axis=1)
        by_class = np.asarray(weights @ counts)
        expected = ((by_class / by_class.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        several = (by_class > 0).sum(axis=1) > 1
        return np.where(several, (observed - expected) / (1 - expected), np.nan)

    measured = measure(statistic, repeats, samples=samples, rng=rng, width=counts.shape[1])
    return measured.estimate(note="; ".join(filter(None, [said_groups(classes, groups), _said_sizes(size)])))


def _said_sizes(size: FloatArray) -> str:
    if size.min() == size.max():
        return ""
    return f"{size.min():g} to {size.max():g} answers per item: items weigh the same, shares of classes are of answers"


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)


class Options(AgreementOptions):
    """Which answers make one class."""

    groups: tuple[tuple[str, ...], ...] | None = None
    """With groups the statistic is called fleiss_kappa_grouped, so that both may stand in one report."""


def _measured(ratings: Ratings, options: Options, rng: np.random.Generator) -> dict[str, Estimate]:
    name = "fleiss_kappa" if options.groups is None else "fleiss_kappa_grouped"
    return {name: fleiss_kappa(ratings, groups=options.groups, samples=options.samples, rng=rng)}


plan, run = step_form("Fleiss' κ", _measured)

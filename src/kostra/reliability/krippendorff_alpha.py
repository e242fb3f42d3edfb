"""Krippendorff's α: agreement beyond chance, at any level of measurement and with missing answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kostra.errors import KostraError, some, unknown
from kostra.ratings import FloatArray, IntArray, Level, Ratings
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import AgreementOptions, step_form
from kostra.reliability.coincidence import (
    Answers,
    Counts,
    Measured,
    agreeing_pairs,
    coded,
    count_values,
    distinct_rows,
    measure,
    nothing_to_compare,
    numbers_only,
    pairable,
    row_sums,
)

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
RATIO_VALUES = 4096
"""With more distinct values than this, α at the ratio level comes without an interval: it would take minutes."""

_TINY = 1e-12  # of the largest possible: less spread than this is rounding


def krippendorff_alpha(ratings: Ratings, *, level: Level, samples: int = 1000, rng: np.random.Generator) -> Estimate:
    r"""Krippendorff's α [1]_.

    .. math:: \alpha = 1 - \frac{D_o}{D_e}
              = 1 - (n - 1) \frac{\sum_u \frac{1}{n_u - 1} \sum_{c,k} n_{uc} n_{uk} \delta^2_{ck}}
                                 {\sum_{c,k} n_c n_k \delta^2_{ck}}

    with :math:`n_{uc}` answers *c* to item *u*, :math:`n_u` answers to it, and :math:`n_c`, *n* their sums over items
    with at least two answers. The distance :math:`\delta_{ck}` is 1 for different labels (nominal), the difference of
    the mean ranks of the two values among all answers (ordinal), c − k (interval), (c − k) / (c + k) (ratio).

    Parameters
    ----------
    ratings
        The answers; who gave them does not matter, so they may be anonymous.
    level
        nominal, ordinal, interval or ratio. All but nominal need numbers, ratio none below 0.
    samples
        Bootstrap samples of items for the 95% interval; 0 for none.
    rng
        Source of randomness for them.

    Returns
    -------
    Estimate
        `n` is the number of items with two answers or more. Undefined (NaN, with the reason) where all answers are
        equal, since there is no disagreement to expect by chance, and with fewer than two such items: on a single
        item the formula gives 0 whatever the answers are.

    References
    ----------
    .. [1] K. Krippendorff (2011). Computing Krippendorff's alpha-reliability.
       https://repository.upenn.edu/asc_papers/43

    Examples
    --------
    Two annotators, three items: (1, 1), (2, 2), (1, 2). Observed: one item of three disagrees, which are 2 of 6
    ordered pairs. Expected: of the 6 answers 3 are 1 and 3 are 2, so 2 · 3 · 3 / (6 · 5) = 3/5. α = 1 − (1/3) / (3/5).

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q", "r", "r"], [1, 1, 2, 2, 1, 2])
    >>> found = krippendorff_alpha(answers, level="nominal", samples=0, rng=np.random.default_rng(1))
    >>> round(found.value, 6)
    0.444444
    """
    _check_level(ratings, level)
    answers = pairable(ratings)
    why = nothing_to_compare(ratings, answers)
    if why is None and np.ptp(answers.values) == 0:
        why = "all answers are equal, so that chance alone would never disagree"
    if why is not None:
        return Estimate(np.nan, n=answers.items, note=f"undefined: {why}")
    return _ALPHAS[level](answers, samples, rng).estimate(note=_note(answers, level, samples))


def fitting_level(ratings: Ratings) -> Level:
    """The level that the answers allow, where nobody says another: interval for numbers, nominal for labels."""
    return "interval" if ratings.labels is None else "nominal"


def _check_level(ratings: Ratings, level: Level) -> None:
    if level not in LEVELS:
        raise unknown("level of measurement", level, LEVELS)
    if level != "nominal":
        numbers_only(ratings, f"α at the {level} level")
    if level == "ratio" and ratings.values.min(initial=0.0) < 0:
        below = np.unique(ratings.values[ratings.values < 0])
        raise KostraError(
            f"the ratio level has a true zero, and there are answers below it: {some(f'{v:g}' for v in below)}",
            accepted="numbers from 0",
            remedy="use the interval level",
        )


def _note(answers: Answers, level: Level, samples: int) -> str:
    too_many = level == "ratio" and samples and len(np.unique(answers.values)) > RATIO_VALUES
    return f"{level} level" + (f"; no interval: more than {RATIO_VALUES:,} distinct values" if too_many else "")


def _rows(answers: Answers, table: Counts, samples: int) -> tuple[Counts, IntArray]:
    """Distinct rows, where samples are drawn of them; counting them is not worth it for the estimate alone."""
    return distinct_rows(table) if samples else (table, np.ones(answers.items, dtype=np.int64))


def _alpha(observed: FloatArray, expected: FloatArray, n: FloatArray, largest: FloatArray) -> FloatArray:
    """One less the ratio of disagreements; NaN where nothing but rounding is expected."""
    return np.where(expected > _TINY * largest, 1 - (n - 1) * observed / expected, np.nan)


def _nominal(answers: Answers, samples: int, rng: np.random.Generator) -> Measured:
    values, code = coded(answers.values)
    counts, repeats = _rows(answers, count_values(answers, code, len(values)), samples)
    size = row_sums(counts)
    apart = (size * (size - 1) - agreeing_pairs(counts)) / (size - 1)

    def statistic(weights: FloatArray) -> FloatArray:
        by_value = weights @ counts
        n = by_value.sum(axis=1)
        return _alpha(weights @ apart, n**2 - (by_value**2).sum(axis=1), n, n**2)

    return measure(statistic, repeats, samples=samples, rng=rng, width=len(values))


def _ordinal(answers: Answers, samples: int, rng: np.random.Generator) -> Measured:
    """As at the interval level, with each value's mean rank in the sample at hand for the value."""
    values, code = coded(answers.values)
    counts, repeats = _rows(answers, count_values(answers, code, len(values)), samples)
    size = row_sums(counts)

    def statistic(weights: FloatArray) -> FloatArray:
        by_value = weights @ counts
        n = by_value.sum(axis=1)
        ranks = np.cumsum(by_value, axis=1) - by_value / 2 - n[:, None] / 2
        squares = (weights * (size / (size - 1))) @ counts
        sums = np.asarray(counts @ ranks.T)
        observed = (squares * ranks**2).sum(axis=1) - (weights / (size - 1) * (sums**2).T).sum(axis=1)
        expected = n * (by_value * ranks**2).sum(axis=1) - (by_value * ranks).sum(axis=1) ** 2
        return _alpha(observed, expected, n, n**4)

    return measure(statistic, repeats, samples=samples, rng=rng, width=len(values))


def _interval(answers: Answers, samples: int, rng: np.random.Generator) -> Measured:
    """Needs only sums per item, and so no table of values."""
    size = answers.answered.astype(np.float64)
    value = answers.values - answers.values[0]  # near 0, so that squares lose nothing
    apart = answers.spread(value) * size / (size - 1)
    sums = [size, answers.sums(value), answers.sums(value**2), apart]
    table, repeats = _rows(answers, np.stack(sums, axis=1), samples)
    largest = np.ptp(value) ** 2

    def statistic(weights: FloatArray) -> FloatArray:
        n, total, squares, apart = (weights @ table).T
        return _alpha(apart, n * squares - total**2, n, n**2 * largest)

    return measure(statistic, repeats, samples=samples, rng=rng)


def _ratio(answers: Answers, samples: int, rng: np.random.Generator) -> Measured:
    values, code = coded(answers.values)
    counts, repeats = _rows(answers, count_values(answers, code, len(values)), samples)
    size = row_sums(counts)
    apart = _quadratic(counts, counts, values) / (size - 1)

    def statistic(weights: FloatArray) -> FloatArray:
        by_value = np.asarray(weights @ counts)
        n = by_value.sum(axis=1)
        return _alpha(weights @ apart, _quadratic(by_value, by_value, values), n, n**2)

    drawn = samples if len(values) <= RATIO_VALUES else 0
    return measure(statistic, repeats, samples=drawn, rng=rng, width=len(values))


def _quadratic(one: Counts, two: Counts, values: FloatArray) -> FloatArray:
    """Row by row Σ one(c) two(k) δ²(c, k) with the ratio distance, a block of values at a time."""
    result = np.zeros(one.shape[0])
    step = max(1, (1 << 20) // len(values))
    for start in range(0, len(values), step):
        other = values[start : start + step]
        above, below = values[:, None] - other, values[:, None] + other
        distance = np.divide(above, below, out=np.zeros_like(above), where=below != 0) ** 2
        result += np.asarray((two[:, start : start + step] * (one @ distance)).sum(axis=1)).reshape(-1)
    return result


_ALPHAS: dict[str, Callable[[Answers, int, np.random.Generator], Measured]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)


class Options(AgreementOptions):
    """The level of measurement, or several."""

    level: Level | None = None
    """One level: the statistic is called krippendorff_alpha."""
    levels: tuple[Level, ...] = ()
    """Several: they are called krippendorff_alpha_nominal and so on. By default, interval for numbers, nominal else."""


def _measured(ratings: Ratings, options: Options, rng: np.random.Generator) -> dict[str, Estimate]:
    if options.levels:
        asked = {f"krippendorff_alpha_{level}": level for level in options.levels}
    else:
        asked = {"krippendorff_alpha": options.level or fitting_level(ratings)}
    return {
        name: krippendorff_alpha(ratings, level=level, samples=options.samples, rng=rng)
        for name, level in asked.items()
    }


plan, run = step_form("Krippendorff's α", _measured)

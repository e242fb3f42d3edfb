"""Intraclass correlation: the share of variance that is the items', in the forms of Shrout and Fleiss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from kostra.errors import unknown
from kostra.ratings import FloatArray, IntArray, Ratings
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import AgreementOptions, step_form
from kostra.reliability.coincidence import (
    Answers,
    distinct_answers,
    distinct_rows,
    measure,
    nothing_to_compare,
    numbers_only,
    pairable,
)

Form = Literal["1,1", "2,1", "2,k"]
FORMS: tuple[Form, ...] = ("1,1", "2,1", "2,k")

_UPPER = 0.975
_TINY = 1e-12  # of the largest possible: less variance than this is rounding


def icc(ratings: Ratings, *, form: Form, samples: int = 1000, rng: np.random.Generator) -> Estimate:
    r"""Intraclass correlation [1]_ of one answer (1,1), (2,1), or of the mean of all annotators (2,k).

    With the mean squares between items (B), within items (W), between annotators (J) and of what remains (E), *n* items
    and *k* answers to each:

    .. math:: ICC(1,1) = \frac{B - W}{B + (k - 1) W}, \quad
              ICC(2,1) = \frac{B - E}{B + (k - 1) E + k (J - E) / n}, \quad
              ICC(2,k) = \frac{B - E}{B + (J - E) / n}

    Parameters
    ----------
    ratings
        Answers that are numbers. (1,1) takes each item's annotators as drawn afresh and may be anonymous; (2,1) and
        (2,k) take the annotators as the same for all items, and refuse anonymous answers.
    form
        ``"1,1"``, ``"2,1"`` or ``"2,k"``.
    samples, rng
        Bootstrap samples of items for the 95% interval (0 for none), and their source of randomness.

    Returns
    -------
    Estimate
        The interval is the bootstrap's; the note adds the one from the F distribution [1]_, which supposes normal
        answers, where all items have as many answers. (1,1) rests on the items with two answers or more; where their
        numbers differ, *k* is (Σn − Σn² / Σn) / (items − 1). (2,1) and (2,k) rest on the items that all annotators
        answered; the note says how many others were left out. Undefined (NaN, with the reason) where all answers are
        equal or fewer than two items remain.

    References
    ----------
    .. [1] P. E. Shrout and J. L. Fleiss (1979). Intraclass correlations: uses in assessing rater reliability.
       Psychological Bulletin 86, 420–428.

    Examples
    --------
    Items (1, 2) and (3, 4). Means 1.5 and 3.5 around 2.5: B = 2 · (1 + 1) / 1 = 4. Within: 4 · 0.25 / 2 = 0.5.
    ICC(1,1) = (4 − 0.5) / (4 + 0.5) = 7/9. The second annotator always says 1 more, so J = 1 and E = 0:
    ICC(2,1) = 4 / (4 + 2 · 1 / 2) = 4/5, and ICC(2,k) = 4 / (4 + 1 / 2) = 8/9.

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q"], [1, 2, 3, 4], ["ann", "bob"] * 2)
    >>> [round(icc(answers, form=form, samples=0, rng=np.random.default_rng(1)).value, 6) for form in FORMS]
    [0.777778, 0.8, 0.888889]
    """
    if form not in FORMS:
        raise unknown("form of the intraclass correlation", form, FORMS)
    numbers_only(ratings, f"ICC({form})")
    if form != "1,1":
        ratings.who(f"ICC({form})")
    answers = pairable(ratings)
    why = nothing_to_compare(ratings, answers)
    if why is None and np.ptp(answers.values) == 0:
        why = "all answers are equal, so that there is no variance to share out"
    if why is not None:
        return Estimate(np.nan, n=answers.items, note=f"undefined: {why}")
    return _one_way(answers, samples, rng) if form == "1,1" else _two_way(ratings, answers, form, samples, rng)


# ---- annotators drawn afresh for each item


def _one_way(answers: Answers, samples: int, rng: np.random.Generator) -> Estimate:
    size = answers.answered.astype(np.float64)
    value = answers.values - answers.values[0]  # near 0, so that squares lose nothing
    total, within = answers.sums(value), answers.spread(value)
    table, repeats = distinct_rows(
        np.stack([np.ones_like(size), size, size**2, total, total**2 / size, within], axis=1)
    )
    least = _TINY * np.ptp(value) ** 2

    def squares(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        items, n, size_2, total, between, within = np.asarray(weights @ table).T
        k = (n - size_2 / n) / (items - 1)
        return (between - total**2 / n) / (items - 1), within / (n - items), k

    def statistic(weights: FloatArray) -> FloatArray:
        between, within, k = squares(weights)
        return _share(between - within, between + (k - 1) * within, least)

    measured = measure(statistic, repeats, samples=samples, rng=rng)
    return measured.estimate(note=_one_way_note(size, *squares(repeats[None, :].astype(np.float64))))


def _one_way_note(size: FloatArray, between: FloatArray, within: FloatArray, k: FloatArray) -> str:
    if np.ptp(size):
        return f"{size.min():g} to {size.max():g} answers per item, {k[0]:.3g} on average"
    if not within[0]:
        return ""
    n, ratio = len(size), float(between[0] / within[0])
    df = (n - 1, n * (int(size[0]) - 1))
    ends = ratio / special.fdtri(*df, _UPPER), ratio * special.fdtri(df[1], df[0], _UPPER)
    return _said_f(*((end - 1) / (end + size[0] - 1) for end in ends))


def _share(above: FloatArray, below: FloatArray, least: float) -> FloatArray:
    return np.where(below > least, above / below, np.nan)


def _said_f(low: float, high: float) -> str:
    return f"interval from the F distribution {low:.4f} to {high:.4f}"


# ---- the same annotators for all items


@dataclass(frozen=True, eq=False)
class _Squares:
    """Mean squares of a table items × annotators, one per sample."""

    items: FloatArray
    between: FloatArray
    annotators: FloatArray
    error: FloatArray


def _two_way(ratings: Ratings, answers: Answers, form: Form, samples: int, rng: np.random.Generator) -> Estimate:
    people = np.unique(ratings.who(f"ICC({form})"))
    complete = answers.answered == len(people)
    if complete.sum() < 2:
        said = "no item was" if not complete.any() else "only one item was"
        return Estimate(
            np.nan, n=int(complete.sum()), note=f"undefined: {said} answered by all {len(people)} annotators"
        )
    table, repeats = _complete_rows(answers, complete)
    if np.ptp(table) == 0:
        why = "all answers to the items that everybody answered are equal"
        return Estimate(np.nan, n=int(complete.sum()), note=f"undefined: {why}")
    squares = _mean_squares(table)
    k, least = table.shape[1], _TINY * np.ptp(table) ** 2

    def statistic(weights: FloatArray) -> FloatArray:
        found = squares(weights)
        bias = (found.annotators - found.error) / found.items
        spread = (k - 1) * found.error + k * bias if form == "2,1" else bias
        return _share(found.between - found.error, found.between + spread, least)

    measured = measure(statistic, repeats, samples=samples, rng=rng, width=k)
    left_out = int((~complete).sum()) + len(ratings.items) - answers.items
    said = f"{left_out:,} items left out that not all {k} annotators answered" if left_out else ""
    f_based = _two_way_f(squares(repeats[None, :].astype(np.float64)), k, form)
    return measured.estimate(note="; ".join(filter(None, [said, f_based])))


def _complete_rows(answers: Answers, complete: np.typing.NDArray[np.bool_]) -> tuple[FloatArray, IntArray]:
    """The answers to the items that everybody answered, items × annotators, and how many items each row stands for."""
    kept = complete[answers.item]
    assert answers.annotator is not None  # `who` was asked
    number = np.cumsum(complete) - 1
    size = answers.answered[complete]
    chosen = Answers(len(size), number[answers.item[kept]], answers.values[kept], answers.annotator[kept], size)
    rows, repeats = distinct_answers(chosen)
    assert rows.annotator is not None
    order = np.lexsort((rows.annotator, rows.item))
    return rows.values[order].reshape(rows.items, -1), repeats


def _mean_squares(table: FloatArray) -> Callable[[FloatArray], _Squares]:
    value = table - table[0, 0]  # near 0, so that squares lose nothing
    k = value.shape[1]
    total = value.sum(axis=1)
    within = ((value - total[:, None] / k) ** 2).sum(axis=1)

    def squares(weights: FloatArray) -> _Squares:
        n = weights.sum(axis=1)
        columns = weights @ value
        centre = columns.sum(axis=1) ** 2 / (n * k)
        between = (weights @ total**2) / k - centre
        annotators = (columns**2).sum(axis=1) / n - centre
        error = weights @ within - annotators
        return _Squares(n, between / (n - 1), annotators / (k - 1), error / ((n - 1) * (k - 1)))

    return squares


def _two_way_f(found: _Squares, k: int, form: Form) -> str:
    """The interval of Shrout and Fleiss; the (2,k) one follows from (2,1) by the Spearman–Brown formula."""
    n, between, judges, error = (float(part[0]) for part in (found.items, found.between, found.annotators, found.error))
    if error <= _TINY * between:
        return ""
    rho = (between - error) / (between + (k - 1) * error + k * (judges - error) / n)
    rest = n * (1 + (k - 1) * rho) - k * rho
    ratio = judges / error
    df = (k - 1) * (n - 1) * (k * rho * ratio + rest) ** 2 / ((n - 1) * (k * rho * ratio) ** 2 + rest**2)
    one, two = special.fdtri(n - 1, df, _UPPER), special.fdtri(df, n - 1, _UPPER)
    spread = k * judges + (k * n - k - n) * error
    low = n * (between - one * error) / (one * spread + n * between)
    high = n * (two * between - error) / (spread + n * two * between)
    if form == "2,k":
        low, high = (k * end / (1 + (k - 1) * end) for end in (low, high))
    return _said_f(float(low), float(high))


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)


class Options(AgreementOptions):
    """Which forms; anonymous answers allow (1,1) only."""

    forms: tuple[Form, ...] = FORMS
    """Which forms of the coefficient."""


def _measured(ratings: Ratings, options: Options, rng: np.random.Generator) -> dict[str, Estimate]:
    return {icc_name(form): icc(ratings, form=form, samples=options.samples, rng=rng) for form in options.forms}


def icc_name(form: Form) -> str:
    """The plain name of a form.

    Examples
    --------
    >>> icc_name("2,k")
    'icc_2_k'
    """
    return f"icc_{form.replace(',', '_')}"


plan, run = step_form("intraclass correlations", _measured)

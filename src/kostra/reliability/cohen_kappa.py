"""Cohen's κ, plain or weighted, of each two annotators, and the mean of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from scipy import sparse

from kostra.errors import unknown
from kostra.ratings import FloatArray, IntArray, Ratings
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import AgreementOptions, step_form
from kostra.reliability.coincidence import (
    FEW_ITEMS,
    Answers,
    Measured,
    coded,
    distinct_answers,
    grouped,
    measure,
    nothing_to_compare,
    numbers_only,
    pairable,
)
from kostra.reliability.percent_agreement import said_groups
from kostra.tables import Frame

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")


def cohen_kappa(
    ratings: Ratings,
    *,
    weights: Weights = "none",
    groups: Sequence[Sequence[str]] | None = None,
    samples: int = 1000,
    rng: np.random.Generator,
) -> Estimate:
    r"""Mean over all pairs of annotators of Cohen's κ [1]_, or weighted κ [2]_.

    .. math:: \kappa = 1 - \frac{n \sum_u d(x_u, y_u)}{\sum_{c,k} r_c s_k d(c, k)}

    for two annotators with answers x, y to *n* common items, of which the first gave :math:`r_c` and the second
    :math:`s_k` times the value in question. The distance *d* is 1 for different answers (none), \|c − k\| (linear) or
    (c − k)² (quadratic). Weighted κ takes the numbers themselves for the places on the scale; a point of the scale
    that nobody used therefore keeps its place, which it loses in software that numbers the classes it finds.

    Parameters
    ----------
    ratings
        The answers; refused if they are anonymous, and, for weighted κ, if they are not numbers.
    weights
        none, linear or quadratic.
    groups
        Values that make one class, such as ``[["0"], ["1", "2", "3", "4"], ["5"]]``; not for weighted κ.
    samples, rng
        Bootstrap samples of items for the 95% interval (0 for none), and their source of randomness.

    Returns
    -------
    Estimate
        Each pair counts once, whatever number of items it shares. A pair whose κ is undefined (both gave one and the
        same value throughout) is left out of the mean and counted in the note; `cohen_kappa_pairs` lists all. Where
        the median pair shares fewer than 10 items there is no interval: resampled, κ on so few items is biased.

    References
    ----------
    .. [1] J. Cohen (1960). A coefficient of agreement for nominal scales.
       Educational and Psychological Measurement 20, 37–46.
    .. [2] J. Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213–220.

    Examples
    --------
    Answers (1, 1), (2, 2), (1, 2): they differ on 1 of 3. Ann said 1 twice, Bob once; by chance they would differ
    on 2/3 · 2/3 + 1/3 · 1/3 = 5/9. κ = 1 − (1/3) / (5/9) = 2/5.

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q", "r", "r"], [1, 1, 2, 2, 1, 2], ["ann", "bob"] * 3)
    >>> round(cohen_kappa(answers, samples=0, rng=np.random.default_rng(1)).value, 6)
    0.4
    """
    classes = _checked(ratings, weights, groups)
    answers = pairable(classes)
    why = nothing_to_compare(classes, answers)
    if why is not None:
        return Estimate(np.nan, n=answers.items, note=f"undefined: {why}")
    pairs = _pairs(answers)
    shared = float(np.median(pairs.items))
    measured = _kappas(pairs, weights, samples if shared >= FEW_ITEMS else 0, rng, mean=True)
    notes = [said_groups(classes, groups), _said_pairs(pairs.count, int(measured.values[1]), shared)]
    return measured.estimate(
        note="; ".join(filter(None, notes)),
        undefined=f"none of the {pairs.count:,} pairs of annotators has a κ: each gave one value throughout",
    )


def cohen_kappa_pairs(
    ratings: Ratings,
    *,
    weights: Weights = "none",
    groups: Sequence[Sequence[str]] | None = None,
    samples: int = 1000,
    rng: np.random.Generator,
) -> Frame:
    """Cohen's κ of each two annotators who share items (see `cohen_kappa`).

    Returns
    -------
    Frame
        Columns first, second, items (that they share), kappa, low, high; what is undefined is empty.

    Examples
    --------
    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q", "r", "r"], [1, 1, 2, 2, 1, 2], ["ann", "bob"] * 3)
    >>> cohen_kappa_pairs(answers, samples=0, rng=np.random.default_rng(1)).select("first", "second", "items").rows()
    [('ann', 'bob', 3)]
    """
    classes = _checked(ratings, weights, groups)
    answers = pairable(classes)
    names = classes.annotators or ()
    rows: list[dict[str, object]] = []
    if answers.items:
        pairs = _pairs(answers)
        measured = _kappas(pairs, weights, samples, rng, mean=False)
        for place, (first, second) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
            one = measured.estimate(place)
            figures = {"kappa": one.value, "low": one.low, "high": one.high}
            rows.append({"first": names[first], "second": names[second], "items": pairs.items[place], **figures})
    schema = {"first": pl.String, "second": pl.String, "items": pl.Int64}
    numbers = dict.fromkeys(("kappa", "low", "high"), pl.Float64)
    return pl.DataFrame(rows, schema={**schema, **numbers}).with_columns(pl.col(list(numbers)).fill_nan(None))


def _checked(ratings: Ratings, weights: Weights, groups: Sequence[Sequence[str]] | None) -> Ratings:
    if weights not in WEIGHTS:
        raise unknown("kind of weights", weights, WEIGHTS)
    ratings.who("Cohen's κ")
    classes = grouped(ratings, groups)
    if weights != "none":
        numbers_only(classes, f"κ with {weights} weights")
    return classes


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Every two answers to one item, the annotator of lower number first."""

    first: IntArray
    """Per pair of annotators, the first of them."""
    second: IntArray
    items: IntArray
    """Per pair of annotators, the items they share."""
    pair: IntArray
    """Per two answers, their pair of annotators."""
    row: IntArray
    one: IntArray
    """Per two answers, the place of the first one's value among `values`."""
    two: IntArray
    values: FloatArray
    repeats: IntArray
    """Per row, how many items it stands for."""

    @property
    def count(self) -> int:
        return len(self.first)


def _said_pairs(count: int, defined: int, shared: float) -> str:
    """What the note says about the pairs of annotators behind a mean."""
    if count == 1:
        said = f"one pair of annotators, on {shared:g} items"
    else:
        left_out = f", {count - defined:,} more left out: undefined" if defined < count else ""
        said = f"mean of {defined:,} pairs of annotators{left_out}; the median pair shares {shared:g} items"
    return said if shared >= FEW_ITEMS else f"{said}; no interval: fewer than {FEW_ITEMS} items bear none"


def _pairs(answers: Answers) -> _Pairs:
    answers, repeats = distinct_answers(answers)
    assert answers.annotator is not None  # `who` was asked
    values, code = coded(answers.values)
    order = np.lexsort((answers.annotator, answers.item))
    starts = np.concatenate([[0], np.cumsum(answers.answered)])[:-1]
    ones, twos = [], []
    for size in np.unique(answers.answered).tolist():
        begin = starts[answers.answered == size][:, None]
        upper = np.triu_indices(size, 1)
        ones.append((begin + upper[0]).reshape(-1))
        twos.append((begin + upper[1]).reshape(-1))
    one, two = order[np.concatenate(ones)], order[np.concatenate(twos)]
    people = int(answers.annotator.max()) + 1
    found, pair = np.unique(answers.annotator[one] * people + answers.annotator[two], return_inverse=True)
    row = answers.item[one]
    items = np.bincount(pair, repeats[row]).astype(np.int64)
    return _Pairs(found // people, found % people, items, pair, row, code[one], code[two], values, repeats)


def _kappas(pairs: _Pairs, weights: Weights, samples: int, rng: np.random.Generator, *, mean: bool) -> Measured:
    """One κ per pair of annotators, or their mean and over how many it is."""
    rows, size = len(pairs.repeats), len(pairs.values)
    away = _distance(pairs.values[pairs.one] - pairs.values[pairs.two], weights)
    apart = sparse.csr_array((away, (pairs.row, pairs.pair)), shape=(rows, pairs.count))
    shape = (rows, pairs.count * size)
    ones = np.ones(len(pairs.row))
    first = sparse.csr_array((ones, (pairs.row, pairs.pair * size + pairs.one)), shape=shape)
    second = sparse.csr_array((ones, (pairs.row, pairs.pair * size + pairs.two)), shape=shape)

    def statistic(drawn: FloatArray) -> FloatArray:
        by_first = np.asarray(drawn @ first).reshape(len(drawn), pairs.count, size)
        by_second = np.asarray(drawn @ second).reshape(len(drawn), pairs.count, size)
        n = by_first.sum(axis=2)
        expected = _expected(by_first, by_second, pairs.values, weights)
        observed = n * np.asarray(drawn @ apart)
        largest = n**2 * float(_distance(np.array([np.ptp(pairs.values)]), weights)[0])
        kappas = np.where(expected > 1e-12 * largest, 1 - observed / expected, np.nan)
        return _mean_and_count(kappas) if mean else kappas

    return measure(statistic, pairs.repeats, samples=samples, rng=rng, width=pairs.count * size)


def _distance(difference: FloatArray, weights: Weights) -> FloatArray:
    if weights == "none":
        return np.asarray(difference != 0, dtype=np.float64)
    return np.abs(difference) if weights == "linear" else np.square(difference)


def _expected(first: FloatArray, second: FloatArray, values: FloatArray, weights: Weights) -> FloatArray:
    """Σ r(c) s(k) d(c, k), without a table of all c and k."""
    n, m = first.sum(axis=2), second.sum(axis=2)
    if weights == "none":
        return np.asarray(n * m - np.einsum("spc,spc->sp", first, second))
    if weights == "quadratic":
        value = values - values[0]
        squares = n * (second @ value**2) + m * (first @ value**2)
        return np.asarray(squares - 2 * (first @ value) * (second @ value))
    # |c − k| is the sum of the gaps between neighbouring values that lie between c and k.
    below_first, below_second = np.cumsum(first, axis=2)[:, :, :-1], np.cumsum(second, axis=2)[:, :, :-1]
    crossing = below_first * (m[:, :, None] - below_second) + below_second * (n[:, :, None] - below_first)
    return np.asarray(crossing @ np.diff(values))


def _mean_and_count(kappas: FloatArray) -> FloatArray:
    defined = np.isfinite(kappas)
    count = defined.sum(axis=1)
    total = np.where(defined, kappas, 0.0).sum(axis=1)
    return np.stack([np.where(count > 0, total / np.maximum(count, 1), np.nan), count], axis=1)


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)


class Options(AgreementOptions):
    """How far apart two answers are, and which count as the same."""

    weights: Weights = "none"
    """How much a near miss counts: not at all, linearly or quadratically less."""
    groups: tuple[tuple[str, ...], ...] | None = None
    """Answers that count as the same."""


def _measured(ratings: Ratings, options: Options, rng: np.random.Generator) -> dict[str, Estimate]:
    name = "cohen_kappa" if options.weights == "none" else f"cohen_kappa_{options.weights}"
    name = name if options.groups is None else f"{name}_grouped"
    common = {"weights": options.weights, "groups": options.groups, "samples": options.samples}
    return {name: cohen_kappa(ratings, rng=rng, **common)}  # type: ignore[arg-type]


plan, run = step_form("Cohen's κ", _measured)

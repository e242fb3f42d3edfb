"""Split-half reliability: how well the scores from two random halves of the answers agree.

The three statistics differ in what is halved and in what an answer adds to which item; the rest is one
engine. Sums over one half are a sparse matrix (items × answers) times a block of 0/1 columns (answers ×
trials), and the other half is what remains of the total.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field
from scipy import sparse

from kostra.correlate import row_correlations, row_ranks
from kostra.recipe import Strict
from kostra.scoring.counting import FloatArray, IntArray, best_worst_table, check_answers, refuse_counting_if_adaptive
from kostra.scoring.mean import numeric_answers
from kostra.steps import Context, Inputs, Plan
from kostra.tables import STATISTICS, Frame, check

BoolArray = npt.NDArray[np.bool_]

# Numbers held per block of trials: a few arrays of this many, so some tens of megabytes at most.
_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class SplitHalf:
    """Agreement of two random halves of the answers.

    Attributes
    ----------
    spearman, pearson
        Mean correlation over trials.
    spearman_sd, pearson_sd
        Standard deviation over trials (n − 1): how much one split differs from another. It is not a
        confidence interval for the reliability.
    trials
        Number of random splits.
    items
        Number of items that have answers.
    left_out
        Mean number of these that a trial could not correlate, because one half had no answer for them.
    undefined
        Trials without a correlation (fewer than two items to compare, or a half in which all are equal).
        They are no part of the means.
    """

    spearman: float
    pearson: float
    spearman_sd: float
    pearson_sd: float
    trials: int
    items: int
    left_out: float
    undefined: int


def split_half_best_worst(
    tuples: IntArray,
    best: IntArray,
    worst: IntArray,
    *,
    items: int,
    compared: IntArray | None = None,
    trials: int = 1000,
    rng: np.random.Generator,
) -> SplitHalf:
    """Split the answers to each tuple in two, score both halves by counting, correlate.

    The definition of the scripts that accompany [1]_: answers belong together if their tuples hold the same
    set of items, in whatever order. Of an odd number, the odd one goes to either half at random; so a tuple
    with one answer lies wholly in one half. Items scored in both halves are compared.

    Parameters
    ----------
    tuples
        Item indices 0 … `items` − 1, one answer per row.
    best, worst
        The item (not its position) chosen in each answer.
    items
        Number of items.
    compared
        The items whose two scores are correlated; all unless said. Their scores rest on all answers either way.
    trials
        Number of random splits.
    rng
        Source of randomness.

    Returns
    -------
    SplitHalf
        NaN where no trial had a correlation; the standard deviations are NaN with fewer than two.

    Raises
    ------
    ValueError
        If an answer is impossible or `trials` is less than 1.

    Notes
    -----
    Both halves see an item in the same company. What the choice of company adds to the error is seen by
    `split_half_disjoint_best_worst`. No Spearman–Brown correction is made: the figure is the reliability of
    half of the answers.

    References
    ----------
    .. [1] S. Kiritchenko and S. M. Mohammad (2017). Best–worst scaling more reliable than rating scales:
       a case study on sentiment intensity annotation. ACL 2017, 465–470.

    Examples
    --------
    Two people gave the same answer to the one tuple, so that the halves are equal however they are drawn.

    >>> tuples = np.array([[0, 1, 2], [2, 1, 0]])
    >>> result = split_half_best_worst(
    ...     tuples, np.array([0, 0]), np.array([2, 2]), items=3, trials=5, rng=np.random.default_rng(1)
    ... )
    >>> round(result.spearman, 12), round(result.pearson, 12), result.left_out
    (1.0, 1.0, 0.0)
    """
    check_answers(tuples, best, worst, items=items)
    weights, values = _best_worst_contributions(tuples, best, worst, items)
    return _correlate_halves(
        (weights, values) if compared is None else (weights[compared], values[compared]),
        halved=same_set(tuples),
        trials=trials,
        rng=rng,
    )


def split_half_disjoint_best_worst(
    tuples: IntArray,
    best: IntArray,
    worst: IntArray,
    *,
    items: int,
    trials: int = 1000,
    rng: np.random.Generator,
) -> SplitHalf:
    """Split the tuples in two, each with all its answers, score both halves by counting, correlate.

    An item then has different company in the two halves, so that the figure also sees the error that stems
    from the choice of tuples, which `split_half_best_worst` [1]_ does not. It is lower, and it is the one to
    compare with another dataset's that was made with other tuples. Of an odd number of tuples (distinct
    sets of items), the odd one goes to either half at random.

    Parameters, results and errors are those of `split_half_best_worst`.

    References
    ----------
    .. [1] S. Kiritchenko and S. M. Mohammad (2017). Best–worst scaling more reliable than rating scales:
       a case study on sentiment intensity annotation. ACL 2017, 465–470.

    Examples
    --------
    Each of two tuples puts 0 first and 1 last, and they share nothing else: two items are compared, and they
    agree. Items 2 and 3 stand in one half only.

    >>> tuples = np.array([[0, 1, 2], [0, 1, 3]])
    >>> result = split_half_disjoint_best_worst(
    ...     tuples, np.array([0, 0]), np.array([1, 1]), items=4, trials=5, rng=np.random.default_rng(1)
    ... )
    >>> round(result.spearman, 12), result.left_out
    (1.0, 2.0)
    """
    check_answers(tuples, best, worst, items=items)
    by_tuple = same_set(tuples)
    # Adding up each tuple's answers beforehand makes the tuples themselves what is halved.
    answers = np.arange(len(tuples))
    shape = (len(tuples), int(by_tuple.max(initial=-1)) + 1)
    together = sparse.csr_array((np.ones(len(tuples)), (answers, by_tuple)), shape=shape)
    weights, values = _best_worst_contributions(tuples, best, worst, items)
    return _correlate_halves(
        (weights @ together, values @ together),
        halved=np.zeros(shape[1], dtype=np.int64),
        trials=trials,
        rng=rng,
    )


def split_half_ratings(
    items_of: IntArray, values: FloatArray, *, items: int, trials: int = 1000, rng: np.random.Generator
) -> SplitHalf:
    """Split the ratings of each item in two, average both halves, correlate.

    The counterpart of `split_half_best_worst` for rating scales, as in [1]_: of an odd number of ratings the
    odd one goes to either half at random, and items rated in both halves are compared.

    Parameters
    ----------
    items_of
        The item, 0 … `items` − 1, that each rating is about.
    values
        The ratings.
    items
        Number of items.
    trials
        Number of random splits.
    rng
        Source of randomness.

    Returns
    -------
    SplitHalf
        NaN where no trial had a correlation; the standard deviations are NaN with fewer than two.

    Raises
    ------
    ValueError
        If a rating is not a number, an item not an item, or `trials` less than 1.

    References
    ----------
    .. [1] S. Kiritchenko and S. M. Mohammad (2017). Best–worst scaling more reliable than rating scales:
       a case study on sentiment intensity annotation. ACL 2017, 465–470.

    Examples
    --------
    Two raters agree on items 0 and 1. Item 2 has one rating, so that one half always lacks it.

    >>> result = split_half_ratings(
    ...     np.array([0, 0, 1, 1, 2]),
    ...     np.array([1.0, 1.0, 4.0, 4.0, 2.0]),
    ...     items=3,
    ...     trials=5,
    ...     rng=np.random.default_rng(1),
    ... )
    >>> round(result.pearson, 12), result.left_out
    (1.0, 1.0)
    """
    _check_ratings(items_of, values, items)
    answers = np.arange(len(values))
    shape = (items, len(values))
    # Correlations do not see the unit; this one makes the engine's rounding fit any scale.
    unit = np.abs(values).max(initial=0.0) or 1.0
    return _correlate_halves(
        (
            sparse.csr_array((np.ones(len(values)), (items_of, answers)), shape=shape),
            sparse.csr_array((values / unit, (items_of, answers)), shape=shape),
        ),
        halved=items_of,
        trials=trials,
        rng=rng,
    )


def _check_ratings(items_of: IntArray, values: FloatArray, items: int) -> None:
    """Refuse ratings that cannot be averaged."""
    if items_of.ndim != 1 or items_of.shape != values.shape:
        raise ValueError(f"each rating needs an item: the shapes are {items_of.shape} and {values.shape}")
    strange = (items_of < 0) | (items_of >= items) | ~np.isfinite(values)
    if strange.any():
        row = int(strange.argmax())
        raise ValueError(
            f"rating {row}: items are numbered 0 … {items - 1} and ratings are finite; "
            f"the item is {items_of[row]} and the rating {values[row]}"
        )


def same_set(tuples: IntArray) -> IntArray:
    """Number the answers so that two have the same number if their tuples hold the same set of items."""
    if not len(tuples):
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.sort(tuples, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _best_worst_contributions(
    tuples: IntArray, best: IntArray, worst: IntArray, items: int
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Make the matrices (items × answers) of appearances and of +1 for best, −1 for worst."""
    answers = np.arange(len(tuples))
    shape = (items, len(tuples))
    appearances = np.ones(tuples.size), (tuples.ravel(), np.repeat(answers, tuples.shape[1]))
    signs = np.repeat([1.0, -1.0], len(tuples))
    choices = signs, (np.concatenate([best, worst]), np.tile(answers, 2))
    return sparse.csr_array(appearances, shape=shape), sparse.csr_array(choices, shape=shape)


# ---- the engine


def _correlate_halves(
    contributions: tuple[sparse.csr_array, sparse.csr_array],
    *,
    halved: IntArray,
    trials: int,
    rng: np.random.Generator,
) -> SplitHalf:
    """Halve the columns of the contributions at random, each group of `halved` by itself, and correlate.

    Contributions are the weights and the values (items × columns) that a column adds to an item; an item's
    score in a half is its sum of values divided by its sum of weights.
    """
    if trials < 1:
        raise ValueError(f"a split-half reliability needs at least 1 trial; {trials} were asked for")
    weights, values = contributions
    weight_total, value_total = weights.sum(axis=1)[:, None], values.sum(axis=1)[:, None]
    spearman, pearson, compared = [], [], []
    for first in halves(halved, trials, max(weights.shape), rng):
        weight, value = weights @ first, values @ first
        both = (weight > 0) & (weight < weight_total)
        one = _means(value, weight, both)
        two = _means(value_total - value, weight_total - weight, both)
        spearman.append(row_correlations(row_ranks(one, both.T), row_ranks(two, both.T), both.T))
        pearson.append(np.where(np.isnan(spearman[-1]), np.nan, row_correlations(one, two, both.T)))
        compared.append(both.sum(axis=0))
    answered = int((weight_total > 0).sum())
    return summary(np.hstack(spearman), np.hstack(pearson), answered, answered - np.hstack(compared).mean())


def halves(halved: IntArray, trials: int, rows: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw which columns belong to the first half: 0 or 1, columns × trials, a block of trials at a time."""
    sizes = np.bincount(halved)
    members = np.split(np.argsort(halved, kind="stable"), np.cumsum(sizes)[:-1])
    by_size = [(n, np.array([m for m in members if len(m) == n])) for n in np.unique(sizes[sizes > 0]).tolist()]
    block = max(1, _BLOCK // max(rows, 1))
    for start in range(0, trials, block):
        now = min(block, trials - start)
        first = np.empty((halved.size, now))
        for n, groups in by_size:
            sides = np.zeros((len(groups), now, n), dtype=np.int8)
            sides[:, :, : n // 2] = 1
            if n % 2:
                sides[:, :, -1] = rng.integers(2, size=sides.shape[:2], dtype=np.int8)
            first[groups] = rng.permuted(sides, axis=2).transpose(0, 2, 1)
        yield first


def _means(value: FloatArray, weight: FloatArray, where: BoolArray) -> FloatArray:
    """Divide and turn to trials × items; 0 where there is nothing to compare."""
    means = np.zeros(where.shape)
    np.divide(value, weight, out=means, where=where)
    # Means that are equal must tie although they were summed in different orders.
    return np.ascontiguousarray(means.T).round(12)


def summary(spearman: FloatArray, pearson: FloatArray, items: int, left_out: float) -> SplitHalf:
    """Average over the trials that have a correlation."""
    defined = ~np.isnan(spearman)
    several = np.count_nonzero(defined) > 1
    return SplitHalf(
        spearman=float(spearman[defined].mean()) if defined.any() else np.nan,
        pearson=float(pearson[defined].mean()) if defined.any() else np.nan,
        spearman_sd=float(spearman[defined].std(ddof=1)) if several else np.nan,
        pearson_sd=float(pearson[defined].std(ddof=1)) if several else np.nan,
        trials=defined.size,
        items=items,
        left_out=float(left_out),
        undefined=int((~defined).sum()),
    )


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)


class Options(Strict):
    """How many random splits."""

    trials: Annotated[int, Field(ge=1)] = 1000
    """Random splits."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Splits."""
    return Plan(f"splits {inputs.get('judgments', 0):,} judgments in two, {options.trials:,} times, and correlates")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Measure best–worst answers where there are tuples, ratings otherwise."""
    found = _of_tuples(inputs, options, context) if "tuples" in inputs else _of_ratings(inputs, options, context)
    rows = [row for name, result in found.items() for row in _rows(name, result, context.recipe.score.question)]
    for name, result in found.items():
        if result.left_out:
            context.note("left_out", f"{name} leaves out {result.left_out:.1f} of {result.items:,} items per trial")
    return {"statistics": check(pl.DataFrame(rows, schema=STATISTICS.dtypes), STATISTICS, where="split-half")}


def _of_tuples(inputs: Inputs, options: Options, context: Context) -> dict[str, SplitHalf]:
    refuse_counting_if_adaptive(inputs["judgments"])
    table = best_worst_table(inputs["tuples"], inputs["judgments"])
    answers = (table.tuples, table.best, table.worst)
    size, rng = len(table.items), context.rng
    return {
        "split_half": split_half_best_worst(*answers, items=size, trials=options.trials, rng=rng),
        "split_half_disjoint": split_half_disjoint_best_worst(*answers, items=size, trials=options.trials, rng=rng),
    }


def _of_ratings(inputs: Inputs, options: Options, context: Context) -> dict[str, SplitHalf]:
    ratings = numeric_answers(inputs["judgments"], context.recipe.score)
    names = ratings["item"].unique(maintain_order=True).to_list()
    number = {name: place for place, name in enumerate(names)}
    numbers = np.array([number[item] for item in ratings["item"]], dtype=np.int64)
    values = ratings["value"].to_numpy()
    measured = split_half_ratings(numbers, values, items=len(names), trials=options.trials, rng=context.rng)
    return {"split_half": measured}


def _rows(name: str, result: SplitHalf, question: str) -> list[dict[str, object]]:
    """One row per correlation; the note says what the spread over trials is, and that it is no interval."""
    rows: list[dict[str, object]] = []
    for kind, value, spread in (
        ("spearman", result.spearman, result.spearman_sd),
        ("pearson", result.pearson, result.pearson_sd),
    ):
        defined = bool(np.isfinite(value))
        note = f"mean of {result.trials:,} random splits, standard deviation over splits {spread:.4f}"
        rows.append(
            {
                "statistic": f"{name}_{kind}",
                "question": question,
                "value": value if defined else None,
                "low": None,
                "high": None,
                "n": result.items,
                "note": note if defined else "undefined: fewer than two items to compare, or all alike",
            }
        )
    return rows

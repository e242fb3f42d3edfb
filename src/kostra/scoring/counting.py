"""Scores from best–worst answers by counting: how often an item was chosen best, less how often worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)  # arrays have no single truth value to compare by
class BestWorstCounts:
    """Counts and scores of each item; index i of every array belongs to item i.

    Attributes
    ----------
    appearances, best, worst
        How often the item was shown, chosen best, and chosen worst.
    raw
        Share of appearances in which it was best, less the share in which it was worst: −1 … 1.
    score
        `raw` moved to 0 … 1.
    standard_error
        Standard error of `score`.
    """

    appearances: IntArray
    best: IntArray
    worst: IntArray
    raw: FloatArray
    score: FloatArray
    standard_error: FloatArray


def count_scores(tuples: IntArray, best: IntArray, worst: IntArray, *, items: int) -> BestWorstCounts:
    r"""Score items by counting best and worst choices.

    .. math:: \mathrm{raw}_i = \frac{\mathrm{best}_i - \mathrm{worst}_i}{n_i}, \qquad
              \mathrm{score}_i = \frac{\mathrm{raw}_i + 1}{2}

    where :math:`n_i` counts the appearances of item i in answered tuples [1]_ [2]_ [3]_. An appearance adds
    +1, −1 or 0 to the item's sum, so that the standard error of the score is half of :math:`s_i/\sqrt{n_i}`,
    with :math:`s_i` the sample standard deviation (n − 1) of these contributions. Where an item was chosen
    in the same way every time, that is 0: a lower bound, not certainty.

    Parameters
    ----------
    tuples
        Item indices 0 … `items` − 1, one answer per row; the same tuple may be answered many times.
    best, worst
        The item (not its position) chosen in each answer.
    items
        Number of items, including those that never appear.

    Returns
    -------
    BestWorstCounts
        Scores are NaN for an item that never appeared, standard errors for one that appeared less than twice.

    Raises
    ------
    ValueError
        If an answer is impossible; the message names the first such row, counted from 0.

    References
    ----------
    .. [1] B. Orme (2009). MaxDiff analysis: simple counting, individual-level logit, and HB.
       Sawtooth Software.
    .. [2] T. N. Flynn and A. A. J. Marley (2014). Best–worst scaling: theory and methods. In Handbook of
       Choice Modelling, 178–201.
    .. [3] S. Kiritchenko and S. M. Mohammad (2017). Best–worst scaling more reliable than rating scales:
       a case study on sentiment intensity annotation. ACL 2017, 465–470.

    Examples
    --------
    Item 0 appears twice, best once: raw 1/2 and score 3/4. Its contributions +1, 0 have variance 1/2, so that
    the standard error of raw is √(1/2 / 2) = 1/2, and of the score 1/4. Item 3 appears once: no error.

    >>> counts = count_scores(np.array([[0, 1, 2], [0, 1, 3]]), np.array([0, 3]), np.array([2, 1]), items=5)
    >>> counts.raw.tolist()
    [0.5, -0.5, -1.0, 1.0, nan]
    >>> counts.score.tolist()
    [0.75, 0.25, 0.0, 1.0, nan]
    >>> counts.standard_error.tolist()
    [0.25, 0.25, nan, nan, nan]
    """
    check_answers(tuples, best, worst, items=items)
    appearances = np.bincount(tuples.ravel(), minlength=items)
    chosen_best, chosen_worst = np.bincount(best, minlength=items), np.bincount(worst, minlength=items)
    difference = chosen_best - chosen_worst
    raw = _divide(difference, appearances)
    # Contributions are ±1 and 0, so that their squares sum to best + worst. In whole numbers until the
    # last moment, because a difference of nearly equal fractions could become negative.
    squares = appearances * (chosen_best + chosen_worst) - difference**2
    variance_of_mean = _divide(squares, appearances**2 * (appearances - 1))
    return BestWorstCounts(
        appearances=appearances,
        best=chosen_best,
        worst=chosen_worst,
        raw=raw,
        score=(raw + 1) / 2,
        standard_error=np.sqrt(variance_of_mean) / 2,
    )


def check_answers(tuples: IntArray, best: IntArray, worst: IntArray, *, items: int) -> None:
    """Refuse answers that nobody can have given.

    Raises
    ------
    ValueError
        If shapes do not agree, an index is not an item, a choice is not in its tuple, or best is worst.

    Examples
    --------
    >>> check_answers(np.array([[0, 1, 2]]), np.array([0]), np.array([3]), items=4)
    Traceback (most recent call last):
    ...
    ValueError: answer 0: the worst item, 3, is not in the tuple [0, 1, 2]
    """
    if tuples.ndim != 2 or best.shape != tuples.shape[:1] or worst.shape != tuples.shape[:1]:
        raise ValueError(
            f"answers need one row of tuples, one best and one worst item each; the shapes are "
            f"{tuples.shape}, {best.shape} and {worst.shape}"
        )
    strange = ((tuples < 0) | (tuples >= items)).any(axis=1)
    if strange.any():
        row = int(strange.argmax())
        raise ValueError(f"answer {row}: items are numbered 0 … {items - 1}, the tuple is {tuples[row].tolist()}")
    for name, choice in (("best", best), ("worst", worst)):
        absent = ~(tuples == choice[:, None]).any(axis=1)
        if absent.any():
            row = int(absent.argmax())
            shown = tuples[row].tolist()
            raise ValueError(f"answer {row}: the {name} item, {choice[row]}, is not in the tuple {shown}")
    if (same := best == worst).any():
        row = int(same.argmax())
        raise ValueError(f"answer {row}: item {best[row]} is both best and worst")


def _divide(counts: IntArray, by: IntArray) -> FloatArray:
    """Divide, with NaN and no warning where the divisor is zero."""
    quotient = np.full(counts.shape, np.nan)
    np.divide(counts, by, out=quotient, where=by != 0)
    return quotient


# ---- the step


ADAPTIVE_BLOCK = "adaptive"
"""The block in which the judgments of an adaptive design stand."""


def counting_is_biased() -> KostraError:
    """The error for counting answers to tuples that were chosen by earlier answers."""
    return KostraError(
        "these answers come from an adaptive design, on which counting is biased: items were shown with others "
        "like them, so that good ones seem worse than they are, and bad ones better",
        accepted="the choice model (scoring/choice, --method choice), which knows the company of each item",
    )


def refuse_counting_if_adaptive(judgments: Frame) -> None:
    """Refuse to count the judgments of an adaptive design."""
    if (judgments["block"] == ADAPTIVE_BLOCK).any():
        raise counting_is_biased()


READS = ("tuples", "judgments")
WRITES = ("scores",)


class Options(Strict):
    """Nothing to choose."""


@dataclass(frozen=True, eq=False)
class BestWorstTable:
    """Accepted best–worst answers of a campaign as arrays (see `count_scores`)."""

    items: tuple[str, ...]
    tuples: IntArray
    best: IntArray
    worst: IntArray
    incomplete: int
    """Answers left out because only best, or only worst, was accepted."""


def best_worst_table(tuples: Frame, judgments: Frame) -> BestWorstTable:
    """Join the accepted answers to the questions ``best`` and ``worst`` with the tuples they are about."""
    accepted = judgments.filter(pl.col("status") == "answered")
    chosen = [
        accepted.filter(pl.col("question") == question).select("item", "annotator", pl.col("value").alias(question))
        for question in ("best", "worst")
    ]
    both = chosen[0].join(chosen[1], on=["item", "annotator"], how="inner", nulls_equal=True, maintain_order="left")
    shown = tuples.sort("tuple", "position").group_by("tuple", maintain_order=True).agg(shown="item")
    rows = both.join(shown, left_on="item", right_on="tuple", how="left", maintain_order="left")
    items = tuples["item"].unique().sort()
    number = {item: place for place, item in enumerate(items)}
    sizes = shown["shown"].list.len().unique()
    if len(sizes) > 1:
        raise KostraError(f"tuples differ in size ({some(sizes.sort())})", accepted="tuples of one size")
    try:
        as_numbers = [[number[item] for item in row] for row in rows["shown"]]
        best, worst = ([number[item] for item in rows[name]] for name in ("best", "worst"))
    except (KeyError, TypeError) as error:
        raise KostraError(f"an answer names {error}, which is not in the tuples") from None
    return BestWorstTable(
        items=tuple(items),
        tuples=np.array(as_numbers, dtype=np.int64).reshape(len(best), int(sizes[0]) if len(sizes) else 0),
        best=np.array(best, dtype=np.int64),
        worst=np.array(worst, dtype=np.int64),
        incomplete=chosen[0].height + chosen[1].height - 2 * both.height,
    )


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per item."""
    return Plan(f"counts best and worst in {inputs.get('judgments', 0) // 2:,} answers, and maps them to the range")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Score the items on the recipe's range; an item nobody judged has no score."""
    refuse_counting_if_adaptive(inputs["judgments"])
    table = best_worst_table(inputs["tuples"], inputs["judgments"])
    if table.incomplete:
        context.note("incomplete", f"{table.incomplete:,} answers name only the best or only the worst; left out")
    counts = count_scores(table.tuples, table.best, table.worst, items=len(table.items))
    score = context.recipe.score
    width = score.high - score.low
    frame = pl.DataFrame(
        {
            "item": table.items,
            "question": [score.question] * len(table.items),
            "score": score.low + width * counts.score,
            "raw": counts.raw,
            "appearances": counts.appearances,
            "standard_error": width * counts.standard_error,
        }
    ).filter(pl.col("appearances") > 0)
    unseen = len(table.items) - frame.height
    if unseen:
        context.note("unscored", f"{unseen:,} items were never judged and have no score")
    frame = frame.with_columns(pl.col("standard_error").fill_nan(None))
    return {"scores": check(frame, SCORES, where="best–worst scores")}

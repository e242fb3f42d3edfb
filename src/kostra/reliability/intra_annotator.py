"""Intra-annotator agreement: what people answer when they are asked the same again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kostra.errors import KostraError, some
from kostra.ratings import FloatArray, IntArray, number_of
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import AgreementOptions, PlanStep, noted_table, plan_form, questions_of
from kostra.reliability.inter_annotator import FIGURES, Sides, compare
from kostra.steps import Context, Inputs
from kostra.tables import Frame

REPEAT = ("repeat",)


@dataclass(frozen=True, eq=False)
class Repeats:
    """Answers that somebody gave twice to one item."""

    item: IntArray
    """Per repeat, its item: 0, 1, …"""
    earlier: FloatArray
    later: FloatArray
    annotators: int
    without_earlier: int = 0
    """Repeats whose annotator has no earlier answer to the item: they can be compared with nothing."""


def intra_annotator(repeats: Repeats, *, samples: int = 1000, rng: np.random.Generator) -> dict[str, Estimate]:
    """Pearson, Spearman, RMSE and MSE of repeated answers against the same annotators' earlier ones.

    The repeats of all annotators are concatenated, as in [1]_: a person has too few for a figure of their own.

    Parameters
    ----------
    repeats
        See `repeats_of`.
    samples, rng
        Bootstrap samples of items for the 95% intervals (0 for none), and their source of randomness. An item drawn
        takes all its repeats along.

    Returns
    -------
    dict
        By figure: pearson, spearman, rmse, mse. `n` is the number of items; the note has the number of repeats.
        A correlation is undefined (NaN, with the reason) with fewer than two repeats or where a side is constant.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2024). Czech news dataset for semantic textual
       similarity. Language Resources and Evaluation. https://doi.org/10.1007/s10579-024-09795-z

    Examples
    --------
    First 1, 3, 5 and then 2, 3, 4: differences 1, 0, −1, so MSE 2/3; both rise together.

    >>> twice = Repeats(np.array([0, 1, 2]), np.array([1.0, 3.0, 5.0]), np.array([2.0, 3.0, 4.0]), annotators=1)
    >>> found = intra_annotator(twice, samples=0, rng=np.random.default_rng(1))
    >>> round(found["mse"].value, 4), round(found["spearman"].value, 4), found["mse"].note
    (0.6667, 1.0, '3 repeats by 1 annotator')
    """
    if not len(repeats.item):
        return dict.fromkeys(FIGURES, Estimate(np.nan, n=0, note="undefined: nobody answered an item twice"))
    items = np.ones(int(repeats.item.max()) + 1, dtype=np.int64)
    together = np.zeros(len(repeats.item), dtype=np.int64)
    sides = Sides.of(repeats.earlier, repeats.later, row=repeats.item, group=together)
    measured = compare(sides, items, samples=samples, rng=rng)
    count, people = len(repeats.item), repeats.annotators
    note = f"{_of(count, 'repeat')} by {_of(people, 'annotator')}"
    if repeats.without_earlier:
        note += f"; {_of(repeats.without_earlier, 'repeat')} left out: no earlier answer"
    undefined = "fewer than two repeats, or all alike on one side"
    return {name: measured.estimate(place, note=note, undefined=undefined) for place, name in enumerate(FIGURES)}


def _of(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def repeats_of(
    judgments: Frame, question: str, *, phases: Sequence[str] = (), blocks: Sequence[str] = REPEAT
) -> Repeats:
    """Find the repeats in a judgments table, each with the same annotator's last earlier answer to the item.

    Parameters
    ----------
    judgments
        A judgments table. Earlier means by ``answered_at`` where every answer has it, else by the order of rows.
    question
        What was asked, both times.
    phases, blocks
        Where the repeats are; by default all blocks called "repeat". The earlier answer stands in any phase, in
        another block.

    Raises
    ------
    KostraError
        If repeats are anonymous, or an answer is no number.
    """
    asked = judgments.filter((pl.col("question") == question) & (pl.col("status") == "answered"))
    again = pl.col("block").is_in(list(blocks))
    chosen = again & pl.col("phase").is_in(list(phases)) if phases else again
    if asked.filter(chosen)["annotator"].null_count():
        raise KostraError("repeats need to know who gave which answer, and these answers are anonymous")
    timed = not asked["answered_at"].null_count()
    ordered = (asked.sort("answered_at", maintain_order=True) if timed else asked).with_row_index("moment")
    columns = ["item", "annotator", "moment", "value"]
    later = ordered.filter(chosen).select(columns)
    before = ordered.filter(~again).select(columns)
    pairs = (
        later.join(before, on=["item", "annotator"], suffix="_before")
        .filter(pl.col("moment_before") < pl.col("moment"))
        .sort("moment", "moment_before")
        .unique("moment", keep="last", maintain_order=True)
    )
    names = pairs["item"].unique(maintain_order=True)
    number = dict(zip(names.to_list(), range(len(names)), strict=True))
    item = np.array([number[name] for name in pairs["item"].to_list()], dtype=np.int64)
    earlier, after = (_numbers(pairs[name].to_list(), question) for name in ("value_before", "value"))
    return Repeats(item, earlier, after, pairs["annotator"].n_unique(), later.height - pairs.height)


def _numbers(values: Sequence[str | None], question: str) -> FloatArray:
    numbers = [number_of(value) for value in values]
    strange = [value for value, number in zip(values, numbers, strict=True) if number is None]
    if strange:
        raise KostraError(
            f'repeats of "{question}" need numbers, and there are answers that are none: {some(dict.fromkeys(strange))}'
        )
    return np.array(numbers, dtype=np.float64)


# ---- the step


READS = ("judgments",)
WRITES = ("statistics",)


class Options(AgreementOptions):
    """Which repeats: by default those of the blocks called "repeat"."""

    blocks: tuple[str, ...] = REPEAT


plan: PlanStep[Options] = plan_form("the repeats against the same annotators' earlier answers")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Compare the repeats of each question that was asked."""
    judgments = inputs["judgments"]
    found = {}
    for question in questions_of(judgments, options, context):
        repeats = repeats_of(judgments, question, phases=options.phases, blocks=options.blocks)
        measured = intra_annotator(repeats, samples=options.samples, rng=context.rng)
        found[question] = {f"intra_annotator_{name}": estimate for name, estimate in measured.items()}
    return {"statistics": noted_table(found, context)}

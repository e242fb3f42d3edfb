"""The step form that the agreement statistics share: choose the judgments, measure, write statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, TypeVar

import numpy as np
import polars as pl
from pydantic import Field

from kostra.ratings import Ratings, ratings_of
from kostra.recipe import Name, Strict
from kostra.reliability import Estimate
from kostra.steps import Context, Inputs, Plan
from kostra.tables import STATISTICS, Frame, check


class AgreementOptions(Strict):
    """Which judgments, and how sure one wants to be of the interval."""

    question: Name | None = None
    """What was asked. By default the recipe's score, or, where phases are named, every question of them."""
    phases: tuple[Name, ...] = ()
    """Only these phases; by default all."""
    blocks: tuple[Name, ...] = ()
    """Only these blocks; by default all but repeats, which are second answers of the same people."""
    samples: Annotated[int, Field(ge=0)] = 1000
    """Bootstrap samples of items for the 95% intervals; 0 for none."""


Chosen = TypeVar("Chosen", bound=AgreementOptions)
PlanStep = Callable[[Mapping[str, int], Chosen, Context], Plan]
RunStep = Callable[[Inputs, Chosen, Context], dict[str, Frame]]


def step_form(
    what: str, measure: Callable[[Ratings, Chosen, np.random.Generator], Mapping[str, Estimate]]
) -> tuple[PlanStep[Chosen], RunStep[Chosen]]:
    """Make the `plan` and `run` of a step from a function of ratings."""

    def run(inputs: Inputs, options: Chosen, context: Context) -> dict[str, Frame]:
        """Measure each question that was asked."""
        judgments = inputs["judgments"]
        found = {}
        for question in questions_of(judgments, options, context):
            ratings = ratings_of(judgments, question, phases=options.phases, blocks=options.blocks)
            found[question] = measure(ratings, options, context.rng)
        if not options.blocks:
            note_repeats(judgments, context)
        return {"statistics": noted_table(found, context)}

    return plan_form(what), run


def plan_form(what: str) -> PlanStep[Chosen]:
    """Make the `plan` of a step."""

    def plan(inputs: Mapping[str, int], options: Chosen, context: Context) -> Plan:  # noqa: ARG001 - a step's form
        """Measure."""
        return Plan(
            f"measures {what} of {inputs.get('judgments', 0):,} judgments, {options.samples:,} bootstrap samples"
        )

    return plan


def questions_of(judgments: Frame, options: AgreementOptions, context: Context) -> list[str]:
    """What the step is asked about: the named question, every one of the named phases, or the recipe's score."""
    if options.question is not None:
        return [options.question]
    if options.phases:
        asked = judgments.filter(pl.col("phase").is_in(list(options.phases)) & (pl.col("status") == "answered"))
        found: list[str] = asked["question"].unique(maintain_order=True).to_list()
        if found:
            return found
    return [context.recipe.score.question]


def note_repeats(judgments: Frame, context: Context) -> None:
    """Say how many repeats are left out."""
    repeats = judgments.filter(pl.col("block") == "repeat").height
    if repeats:
        context.note("left_out", f"{repeats:,} answers of repeat blocks are left out: they are no second annotator's")


def noted_table(found: Mapping[str, Mapping[str, Estimate]], context: Context) -> Frame:
    """The statistics by question as a table; what is undefined is also a finding of the step."""
    for question, estimates in found.items():
        for name, estimate in estimates.items():
            if math.isnan(estimate.value):
                context.note("undefined", f'{name} of "{question}" is {estimate.note}')
    return pl.concat([statistics_table(estimates, question=question) for question, estimates in found.items()])


def statistics_table(estimates: Mapping[str, Estimate], *, question: str) -> Frame:
    """Statistics as a tidy table.

    Examples
    --------
    >>> statistics_table({"fleiss_kappa": Estimate(0.5, n=3)}, question="label").select(
    ...     "statistic", "value", "low"
    ... ).rows()
    [('fleiss_kappa', 0.5, None)]
    """
    rows = [
        {
            "statistic": name,
            "question": question,
            **{end: _defined(getattr(estimate, end)) for end in ("value", "low", "high")},
            "n": estimate.n,
            "note": estimate.note or None,
        }
        for name, estimate in estimates.items()
    ]
    return check(pl.DataFrame(rows, schema=STATISTICS.dtypes), STATISTICS, where="statistics")


def _defined(number: float) -> float | None:
    return number if math.isfinite(number) else None

"""Diagonal filter: keeps picked pairs whose score lies near what their class promises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra.evaluate.fine_tune_filter import diagonal_filter as diagonal_filter
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.round_correlation import out_of_range
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

BoolArray = NDArray[np.bool_]


def share(hits: BoolArray) -> Estimate:
    """The share of hits, with Wilson's score interval [1]_, which is sound for shares near 0 and 1 as well.

    With z = 1.96 and the share p of n, the ends are (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).

    References
    ----------
    .. [1] E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference. Journal of the
       American Statistical Association 22, 209–212.

    Examples
    --------
    None of four: the lower end is 0, the upper one z²/4 / (1 + z²/4) = .9604/1.9604 = .4899.

    >>> found = share(np.array([False, False, False, False]))
    >>> found.value, found.low, round(found.high, 4), found.n
    (0.0, 0.0, 0.4899, 4)
    """
    n = len(hits)
    if not n:
        return Estimate(math.nan, note="undefined: there is nothing to count")
    p, z = float(hits.mean()), 1.959963984540054
    middle = p + z**2 / (2 * n)
    reach = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = ((middle + sign * reach) / (1 + z**2 / n) for sign in (-1, 1))
    return Estimate(p, low if p > 0 else 0.0, high if p < 1 else 1.0, n)  # without rounding's crumbs at the edges


# The step ----------------------------------------------------------------------------------------------

READS = ("pairs", "scores")
WRITES = ("pairs", "scores", "statistics")


class Options(Strict):
    """What is expected of whom."""

    question: str | None = None
    """The question whose scores are compared; the recipe's own where none is named."""
    within: Annotated[float, Field(ge=0)]
    """The largest distance that is kept: 1 is the paper's N1, 2 its N2."""
    expected: Annotated[dict[str, float], Field(min_length=1)]
    """Score expected of each class; a pair's class is its ``subset``."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Fewer pairs."""
    return Plan(
        f"keeps those of {inputs.get('pairs', 0):,} pairs whose score is within {options.within:g} of their class's"
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Filter the pairs and their scores; what is removed is counted."""
    question = options.question or context.recipe.score.question
    score = context.recipe.score
    scored = inputs["scores"].filter(pl.col("question") == question).drop_nulls("score").select("item", "score")
    pairs = inputs["pairs"]
    joined = pairs.join(scored.rename({"item": "pair"}), on="pair", how="inner", maintain_order="left")
    if joined.height < pairs.height:
        missing = pairs.height - joined.height
        context.note("unscored", f'{missing:,} pairs have no score of "{question}" and are removed')
    context.findings += out_of_range(scored, question, low=score.low, high=score.high)
    found = diagonal_filter(
        joined["score"].to_numpy(), joined["subset"].to_list(), expected=options.expected, within=options.within
    )
    kept = pl.Series(found, dtype=pl.Boolean)
    for name, count in joined.filter(~kept).group_by("subset", maintain_order=True).len().iter_rows():
        context.note("filtered", f"{count:,} pairs of the class {name} are further than {options.within:g} away")
    remaining = joined.filter(kept).select(pairs.columns)
    measured = replace(share(found), note=f"{remaining.height:,} pairs kept")
    return {
        "pairs": remaining,
        "scores": inputs["scores"].filter(pl.col("item").is_in(remaining["pair"].to_list())),
        "statistics": statistics_table({f"kept_n{options.within:g}": measured}, question=question),
    }

"""Correlation of two scores inside each bin of one of them, such as relatedness inside bins of similarity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from kostra import figures, tables
from kostra.ratings import FloatArray
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.round_correlation import round_correlation, side_by_side
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Closed = Literal["left", "right"]
WHOLE = "all"

_COLUMNS = {
    "bin": pl.String, "from": pl.Float64, "to": pl.Float64, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "n": pl.Int64, "note": pl.String,
}  # fmt: skip


def score_bins(
    against: FloatArray,
    scores: FloatArray,
    *,
    edges: Sequence[float],
    closed: Closed = "right",
    ranks: bool = True,
    rng: np.random.Generator,
    samples: int = 1000,
) -> Frame:
    """Correlate two scores of the same items, whole and inside each bin of the first [1]_.

    Two scores that agree over a whole scale need not agree on what lies close together: inside a bin only the fine
    order is left.

    Parameters
    ----------
    against
        The scores that make the bins, such as those of an older dataset.
    scores
        The others.
    edges
        Where bins begin and end.
    closed
        Which end belongs to a bin: (1, 2] is closed to the right. The outermost edge belongs to its bin in any case.
    ranks
        Spearman's correlation; Pearson's without.

    Returns
    -------
    Frame
        ``bin``, ``from``, ``to``, ``value`` with its bootstrap interval ``low`` and ``high``, ``n`` and ``note``; the
        first row is the whole.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related. Section 4:
       .67, .25, .49, .19 and .49 in the bins of STS scores.

    Examples
    --------
    In line over all, and against each other inside the second bin:

    >>> old, new = np.array([0.0, 0.5, 1.0, 1.5, 2.0]), np.array([0.1, 0.2, 0.3, 0.9, 0.8])
    >>> found = score_bins(old, new, edges=[0, 1, 2], rng=np.random.default_rng(1), samples=20)
    >>> found.select("bin", pl.col("value").round(4), "n").rows()
    [('all', 0.9, 5), ('[0, 1]', 1.0, 3), ('(1, 2]', -1.0, 2)]
    """
    inner = np.asarray(edges[1:-1], dtype=np.float64)
    place = np.digitize(against, inner, right=closed == "right")
    within = (against >= edges[0]) & (against <= edges[-1])
    rows = [_row(WHOLE, edges[0], edges[-1], against, scores, ranks=ranks, rng=rng, samples=samples)]
    for number, (low, high) in enumerate(pairwise(edges)):
        own = within & (place == number)
        name = _named(low, high, closed, first=number == 0, last=number == len(edges) - 2)
        rows.append(_row(name, low, high, against[own], scores[own], ranks=ranks, rng=rng, samples=samples))
    return pl.DataFrame(rows, schema=_COLUMNS).with_columns(pl.col(pl.Float64).fill_nan(None))


def _named(low: float, high: float, closed: Closed, *, first: bool, last: bool) -> str:
    begins = "[" if closed == "left" or first else "("
    ends = "]" if closed == "right" or last else ")"
    return f"{begins}{low:g}, {high:g}{ends}"


def _row(
    name: str,
    low: float,
    high: float,
    against: FloatArray,
    scores: FloatArray,
    *,
    ranks: bool,
    rng: np.random.Generator,
    samples: int,
) -> dict[str, object]:
    found = round_correlation(against, scores, ranks=ranks, rng=rng, samples=samples)
    ends = {"from": float(low), "to": float(high), "value": found.value, "low": found.low, "high": found.high}
    return {"bin": name, **ends, "n": found.n, "note": found.note or None}


def bins_figure(found: Frame, *, x_label: str) -> Figure:
    """Bars of the correlation in each bin, with intervals.

    Examples
    --------
    >>> old, new = np.array([0.0, 0.5, 1.0, 1.5, 2.0]), np.array([0.1, 0.2, 0.3, 0.9, 0.8])
    >>> found = score_bins(old, new, edges=[0, 1, 2], rng=np.random.default_rng(1), samples=20)
    >>> bins_figure(found, x_label="Spearman correlation").get_label().splitlines()[0]
    'Correlation inside each bin'
    """
    bars = [
        figures.Bar(f"{name}  n = {n}", "correlation", value, low, high)
        for name, value, low, high, n in found.drop_nulls("value")
        .select("bin", "value", "low", "high", "n")
        .iter_rows()
    ]
    return figures.bars(bars, x_label=x_label, title="Correlation inside each bin")


# The step ----------------------------------------------------------------------------------------------

READS = ("scores",)
WRITES = ("statistics",)


class Options(Strict):
    """Which scores, and which bins."""

    against: str
    """The question whose scores make the bins."""
    question: str | None = None
    """The question that is correlated with it; the recipe's own where none is named."""
    edges: Annotated[tuple[float, ...], Field(min_length=2)]
    """Where bins begin and end."""
    closed: Closed = "right"
    """Which end belongs to a bin; the paper's bins are (1, 2]."""
    samples: Annotated[int, Field(ge=1)] = 1000
    """Bootstrap samples."""

    @model_validator(mode="after")
    def _ascending(self) -> Options:
        if any(low >= high for low, high in pairwise(self.edges)):
            raise ValueError(f"edges must ascend; found {', '.join(f'{edge:g}' for edge in self.edges)}")
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """A correlation per bin."""
    question = options.question or context.recipe.score.question
    return Plan(f"correlates {question} with {options.against} in {len(options.edges) - 1} bins of {options.against}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the correlations as score_bins.csv and score_bins.svg, and as statistics."""
    question = options.question or context.recipe.score.question
    # The two have scales of their own, so no common range can be asked of them.
    both = side_by_side(inputs["scores"], options.against, question, low=-math.inf, high=math.inf)
    context.findings += both.findings
    outside = int(((both.first < options.edges[0]) | (both.first > options.edges[-1])).sum())
    if outside:
        context.note("outside", f"{outside:,} scores of {options.against} lie in no bin")
    found = score_bins(
        both.first, both.second, edges=options.edges, closed=options.closed, rng=context.rng, samples=options.samples
    )
    tables.write(found, context.folder / "score_bins.csv")
    if found["value"].drop_nulls().len():
        label = f"Spearman correlation of {question.replace('_', ' ')} and {options.against.replace('_', ' ')}"
        figures.save_all(bins_figure(found, x_label=label), context.folder / "score_bins")
    estimates = {}
    for row in found.iter_rows(named=True):
        value, low, high = (math.nan if row[key] is None else row[key] for key in ("value", "low", "high"))
        ending = "" if row["bin"] == WHOLE else f"_{row['bin']}"
        estimates[f"spearman_{options.against}{ending}"] = Estimate(value, low, high, row["n"], row["note"] or "")
    return {"statistics": statistics_table(estimates, question=question)}

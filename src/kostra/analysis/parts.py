"""Parts of a dataset side by side: mean, standard deviation and size of each, and how their scores are distributed.

Czech News STS has seven: the training pairs whole and under two filters, and the test pairs read alone and in context,
all of them and those that context moves (Table 4; Figure 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from kostra import figures, tables
from kostra.analysis.distribution import moments
from kostra.errors import KostraError, some, unknown
from kostra.ratings import FloatArray
from kostra.recipe import Name, Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

READS = ("pairs", "scores")
WRITES = ("statistics",)

_CRUMB = 1e-9
"""A mean of nine lies a crumb below its true value now and then, which must not put it into the unit below."""


class Part(Strict):
    """Scores of one question, of the pairs that one step wrote."""

    name: Name
    """How it is called in tables and charts."""
    pairs: Name
    """The step whose pairs are the part."""
    question: str
    """The question whose scores count."""


class Chart(Strict):
    """Distributions that are drawn together."""

    name: Name
    """The name of its file."""
    parts: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The parts that it shows."""
    unit: Annotated[float, Field(gt=0)] = 1.0
    """Scores are rounded down to units of this size."""


class Options(Strict):
    """The parts, and the charts that show them."""

    parts: Annotated[tuple[Part, ...], Field(min_length=1)]
    """The parts to describe."""
    charts: tuple[Chart, ...] = ()
    """Which parts are drawn together."""

    @model_validator(mode="after")
    def _known(self) -> Options:
        names = [part.name for part in self.parts]
        if len(set(names)) < len(names):
            raise ValueError("two parts have one name")
        for chart in self.charts:
            strange = [name for name in chart.parts if name not in names]
            if strange:
                raise ValueError(f'the chart "{chart.name}" shows "{strange[0]}", which is no part')
        return self


def in_units(scores: FloatArray, *, low: float, high: float, unit: float) -> Frame:
    """How many scores lie in each unit of the scale, rounded down: ``value`` and ``count``.

    Examples
    --------
    >>> in_units(np.array([0.3, 0.39, 1.0]), low=0, high=1, unit=0.2).rows()
    [(0.0, 0), (0.2, 2), (0.4, 0), (0.6, 0), (0.8, 0), (1.0, 1)]
    """
    last = int(np.floor((high - low) / unit + _CRUMB))
    place = np.floor((scores - low) / unit + _CRUMB).astype(np.int64)
    counts = np.bincount(place.clip(0, last), minlength=last + 1)
    values = [round(low + step * unit, 9) for step in range(last + 1)]
    return pl.DataFrame({"value": values, "count": counts.astype(np.int64)})


def distribution_figure(counts: Mapping[str, Frame], *, x_label: str, title: str) -> Figure:
    """A line per part: how many pairs have which score.

    Examples
    --------
    >>> counts = {"train": in_units(np.array([0.0, 1.0, 1.0]), low=0, high=1, unit=1)}
    >>> print(distribution_figure(counts, x_label="score", title="Parts").get_label())
    Parts
    train: 1.00 at 0 to 2.00 at 1.
    """
    lines = [
        figures.Curve(name.replace("_", " "), found["value"].to_list(), found["count"].to_list())
        for name, found in counts.items()
    ]
    few = max((found.height for found in counts.values()), default=0) <= 20
    return figures.curves(lines, x_label=x_label, y_label="pairs", title=title, marked=few)


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One row per part."""
    return Plan(f"compares {len(options.parts)} parts: {', '.join(part.name for part in options.parts)}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write parts.csv, each chart as CSV and SVG, and the figures as statistics."""
    scores = {part.name: _scores(part, inputs, context) for part in options.parts}
    rows, made = [], []
    for part in options.parts:
        mean, sd = moments(scores[part.name])
        rows.append((part.name, part.question, mean.value, sd.value, mean.n))
        estimates: dict[str, Estimate] = {f"{part.name}_mean": mean, f"{part.name}_standard_deviation": sd}
        made.append(statistics_table(estimates, question=part.question))
    table = pl.DataFrame(rows, schema=["part", "question", "mean", "standard_deviation", "n"], orient="row")
    tables.write(table.with_columns(pl.col(pl.Float64).fill_nan(None)), context.folder / "parts.csv")
    scale = context.recipe.score
    for chart in options.charts:
        counts = {name: in_units(scores[name], low=scale.low, high=scale.high, unit=chart.unit) for name in chart.parts}
        _draw(chart, counts, context)
    return {"statistics": pl.concat(made)}


def _scores(part: Part, inputs: Inputs, context: Context) -> FloatArray:
    """The scores of a part; one that has pairs and no scores is refused."""
    where = f'step "{context.step.name}": part "{part.name}"'
    if part.pairs not in inputs.by_step or "pairs" not in inputs.by_step[part.pairs]:
        written = [step for step, found in inputs.by_step.items() if "pairs" in found]
        if not written:
            raise KostraError(
                "which pairs come from which step is not known here",
                where=where,
                remedy="run it as a step of a recipe",
            )
        raise unknown("step with pairs", part.pairs, written, where=where)
    ids = inputs.by_step[part.pairs]["pairs"]["pair"]
    asked = inputs["scores"].filter(pl.col("question") == part.question)
    found = asked.filter(pl.col("item").is_in(ids.implode())).drop_nulls("score")
    if found.is_empty() and len(ids):
        known = inputs["scores"]["question"].unique(maintain_order=True)
        raise KostraError(
            f'none of its {len(ids):,} pairs has a score of "{part.question}"',
            where=where,
            accepted=f"one of {some(known, 12)}",
        )
    if found.height < len(ids):
        context.note("unscored", f"{part.name}: {len(ids) - found.height:,} of {len(ids):,} pairs have no score")
    return found["score"].to_numpy()


def _draw(chart: Chart, counts: Mapping[str, Frame], context: Context) -> None:
    long = [found.with_columns(part=pl.lit(name)).select("part", "value", "count") for name, found in counts.items()]
    tables.write(pl.concat(long), context.folder / f"{chart.name}.csv")
    question = context.recipe.score.question.replace("_", " ")
    unit = "" if chart.unit == 1 else f", in units of {chart.unit:g}"
    figure = distribution_figure(counts, x_label=f"{question}{unit}", title=f"Distribution of {_listed(chart.parts)}")
    figures.save_all(figure, context.folder / chart.name)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)

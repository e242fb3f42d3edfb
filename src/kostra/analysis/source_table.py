"""Models source by source, each as it was trained, one column beside the other.

STR-2021 has one (Table 6): shared words, a model tested over folds, and the same model on sources it has never seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import polars as pl
from pydantic import Field

from kostra import figures, tables
from kostra.analysis.model_table import ALL_PAIRS, OTHER_SOURCES, told_apart
from kostra.errors import KostraError
from kostra.evaluate.outcome import WHOLE
from kostra.evaluate.relatedness import MEAN_OF_SOURCES
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

READS = ("results",)
WRITES = ("statistics",)
GOES_WITHOUT = ("results",)
"""A model that nobody has brought yet is left out of the table."""


class Options(Strict):
    """By which correlation, and what models are called."""

    metric: Literal["pearson", "spearman"] = "spearman"
    """The correlation that fills the table."""
    names: dict[str, str] = Field(default_factory=dict)
    """Encoder → what it is called in the table."""


def source_table(results: Frame, *, metric: str = "spearman", names: Mapping[str, str] | None = None) -> Frame:
    """One row per source, one column per model and training set.

    Returns
    -------
    Frame
        ``source``, ``pairs`` and a column per model; a model that was not tested on a source has an empty cell.

    Examples
    --------
    >>> rows = {
    ...     "encoder": ["dice", "bert, leave one source out", "dice"], "part": ["STS", "STS", "all"],
    ...     "metric": ["cosine_spearman"] * 3, "value": [0.6, 0.82, 0.57], "n": [250, 250, 5500],
    ... }  # fmt: skip
    >>> source_table(pl.DataFrame(rows)).rows(named=True)
    [{'source': 'STS', 'pairs': 250, 'dice': 0.6, 'bert, trained on other sources': 0.82}]
    """
    wanted = results.filter(
        ~pl.col("part").is_in([WHOLE, MEAN_OF_SOURCES]) & pl.col("metric").str.ends_with(f"_{metric}")
    )
    columns = dict.fromkeys(_column(encoder, names or {}) for encoder in wanted["encoder"])
    of: dict[str, dict[str, float | int | str | None]] = {}
    for encoder, part, value, n in wanted.select("encoder", "part", "value", "n").iter_rows():
        row = of.setdefault(part, {"source": part, "pairs": n, **columns})
        row[_column(encoder, names or {})] = value
    schema = {"source": pl.String, "pairs": pl.Int64} | dict.fromkeys(columns, pl.Float64)
    return pl.DataFrame(list(of.values()), schema=schema).sort("source")


def _column(encoder: str, names: Mapping[str, str]) -> str:
    model, trained_on = told_apart(encoder)
    named = names.get(model, model)
    return named if trained_on == ALL_PAIRS else f"{named}, trained on {trained_on}"


def sources_figure(found: Frame, *, metric: str = "spearman") -> Figure:
    """Bars of the correlations: a row per source, a bar per model.

    Examples
    --------
    >>> print(sources_figure(pl.DataFrame({"source": ["STS"], "pairs": [250], "dice": [0.6]})).get_label())
    Models by source
    STS (250): dice 0.60.
    """
    bars = [
        figures.Bar(f"{row['source']} ({row['pairs']:,})", model, row[model])
        for row in found.iter_rows(named=True)
        for model in found.columns[2:]
        if row[model] is not None
    ]
    return figures.bars(bars, x_label=f"{metric.capitalize()} correlation", title="Models by source")


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One table."""
    return Plan(f"lays {inputs.get('results', 0):,} results side by side, source by source")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write sources.csv and sources.svg, and as statistics what a model loses on sources that it has not seen."""
    found = source_table(inputs["results"], metric=options.metric, names=options.names)
    if found.is_empty():
        raise KostraError(
            f"no result says {options.metric.capitalize()} of a source",
            where=f'step "{context.step.name}"',
            accepted="results of evaluate/cross_validation or evaluate/fine_tune with per_source = true",
        )
    tables.write(found, context.folder / "sources.csv")
    figures.save_all(sources_figure(found, metric=options.metric), context.folder / "sources")
    return {"statistics": statistics_table(_drops(found), question=context.recipe.score.question)}


def _drops(found: Frame) -> dict[str, Estimate]:
    """Mean over sources of what a model loses where it has seen none of their pairs."""
    ending = f", trained on {OTHER_SOURCES}"
    made = {}
    for column in found.columns[2:]:
        model = column.removesuffix(ending)
        if model == column or model not in found.columns:
            continue
        lost = (found[model] - found[column]).drop_nulls()
        worst = found.select("source", lost=found[model] - found[column]).drop_nulls().sort("lost", descending=True)
        if len(lost):
            note = f"mean over {len(lost)} sources of {model} less {column}; most in {worst['source'][0]}"
            made[f"lost_on_unseen_source_{model}"] = Estimate(float(lost.to_numpy().mean()), n=len(lost), note=note)
    return made

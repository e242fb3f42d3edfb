"""Models side by side, each as it was trained, beside what people reach: the tables of an experiment in one.

Czech News STS has two: all models on all training pairs (Table 3), and its best ones on filtered training pairs
(Table 5). STR-2021 has one: all models by Spearman's correlation (Table 5; `kostra.analysis.source_table` has its
Table 6). Where the agreement of annotators and the bound of an oracle are read as well, they stand below the models.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import polars as pl
from pydantic import Field

from kostra import figures, files, tables
from kostra.errors import KostraError, some
from kostra.evaluate.outcome import WHOLE
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

METRICS = ("mse", "pearson", "spearman")
"""In the order of the paper's rows; a metric's name ends with one of them."""
ALL_PAIRS = "all"
_TRAINED_ON = re.compile(r"(.*), (N\d+(?:\.\d+)?|[\d,]+ at random|leave one source out)")
"""How `kostra.evaluate.fine_tune` names a model that was trained on a part of the pairs."""
OTHER_SOURCES = "other sources"
_PEOPLE = {f"inter_annotator_{metric}": metric for metric in METRICS} | {"oracle_bound": "mse"}


class Options(Strict):
    """Which score the models are compared by, and how."""

    metric: Literal["pearson", "spearman"] = "pearson"
    """The correlation that the figure shows and the best model is chosen by."""

    question: str | None = None
    """The question whose agreement and bound stand beside the models; the recipe's own where none is named."""
    names: dict[str, str] = Field(default_factory=dict)
    """Encoder → what it is called in the table."""


def model_table(results: Frame, *, names: Mapping[str, str] | None = None) -> Frame:
    """One row per model, training set and metric.

    Returns
    -------
    Frame
        ``model``, ``trained_on`` (``all``, ``N2``, …, or as many pairs at random), ``metric`` (mse, pearson,
        spearman), ``value``, ``low``, ``high``, ``n``, ``note``.

    Examples
    --------
    >>> rows = {
    ...     "encoder": ["bert", "bert, N1"], "part": ["all", "all"], "metric": ["cosine_pearson"] * 2,
    ...     "value": [0.9, 0.8], "low": [0.8, 0.7], "high": [0.95, 0.9], "n": [9, 9], "note": [None, None],
    ... }  # fmt: skip
    >>> model_table(pl.DataFrame(rows)).select("model", "trained_on", "metric", "value").rows()
    [('bert', 'all', 'pearson', 0.9), ('bert', 'N1', 'pearson', 0.8)]
    """
    rows = []
    for row in results.filter(pl.col("part") == WHOLE).iter_rows(named=True):
        metric = row["metric"].rpartition("_")[2]
        if metric not in METRICS:
            continue
        model, trained_on = told_apart(row["encoder"])
        named = (names or {}).get(model, model)
        rows.append((named, trained_on, metric, row["value"], row["low"], row["high"], row["n"], row["note"]))
    return pl.DataFrame(rows, schema=_COLUMNS, orient="row")


def told_apart(encoder: str) -> tuple[str, str]:
    """The model and what it was trained on, from an encoder's name in results.

    Examples
    --------
    >>> told_apart("bert, N1"), told_apart("bert, leave one source out"), told_apart("dice")
    (('bert', 'N1'), ('bert', 'other sources'), ('dice', 'all'))
    """
    found = _TRAINED_ON.fullmatch(encoder)
    if found is None:
        return encoder, ALL_PAIRS
    return found[1], OTHER_SOURCES if found[2] == "leave one source out" else found[2]


_COLUMNS = {
    "model": pl.String, "trained_on": pl.String, "metric": pl.String, "value": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "n": pl.Int64, "note": pl.String,
}  # fmt: skip


def people(statistics: Frame, question: str) -> Frame:
    """What annotators and an oracle reach on a question, in the columns of `model_table`.

    Examples
    --------
    >>> rows = {"statistic": ["inter_annotator_mse"], "question": ["q"], "value": [1.4], "low": [1.3], "high": [1.5]}
    >>> people(pl.DataFrame({**rows, "n": [9], "note": ["of nine"]}), "q").select("model", "metric", "value").rows()
    [('average annotator', 'mse', 1.4)]
    """
    rows = [
        (
            "oracle, at best" if row["statistic"].startswith("oracle") else "average annotator",
            "", _PEOPLE[row["statistic"]], row["value"], row["low"], row["high"], row["n"], row["note"],
        )
        for row in statistics.filter(pl.col("question") == question).iter_rows(named=True)
        if row["statistic"] in _PEOPLE
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=_COLUMNS, orient="row")


def as_markdown(found: Frame) -> str:
    """The table as papers print it: a row per model and training set, a column per metric, correlations × 100.

    Examples
    --------
    >>> row = {"model": ["bert"], "trained_on": ["all"], "metric": ["pearson"], "value": [0.918], "low": [0.9],
    ...        "high": [0.93]}  # fmt: skip
    >>> print(as_markdown(pl.DataFrame(row)))
    | model | trained on | Pearson |
    |---|---|---:|
    | bert | all | 91.80 (90.00–93.00) |
    """
    metrics = [metric for metric in METRICS if metric in set(found["metric"])]
    heads = [_HEADS[metric] for metric in metrics]
    lines = [f"| model | trained on | {' | '.join(heads)} |", f"|---|---|{'---:|' * len(heads)}"]
    for (model, trained_on), rows in found.group_by("model", "trained_on", maintain_order=True):
        of = {row["metric"]: _cell(row) for row in rows.iter_rows(named=True)}
        shown = str(model).replace("|", r"\|")
        lines.append(f"| {shown} | {trained_on} | {' | '.join(of.get(metric, '') for metric in metrics)} |")
    return "\n".join(lines)


_HEADS = {"mse": "MSE", "pearson": "Pearson", "spearman": "Spearman"}


def _cell(row: Mapping[str, float | str | None]) -> str:
    factor, digits = (1, 4) if row["metric"] == "mse" else (100, 2)
    value, low, high = (
        None if number is None else f"{float(number) * factor:.{digits}f}"
        for number in (row["value"], row["low"], row["high"])
    )
    if value is None:
        return "undefined"
    return value if low is None or high is None else f"{value} ({low}–{high})"


def models_figure(found: Frame, *, metric: str = "pearson") -> Figure:
    """Bars of a correlation: a row per model, a bar per training set.

    Examples
    --------
    >>> row = {"model": ["bert"], "trained_on": ["all"], "metric": ["pearson"], "value": [0.9], "low": [0.8],
    ...        "high": [0.95]}  # fmt: skip
    >>> print(models_figure(pl.DataFrame(row)).get_label())
    Models and people
    bert: all pairs 0.90 (0.80 to 0.95).
    """
    named = {ALL_PAIRS: "all pairs", "": "people"}
    bars = [
        figures.Bar(
            row["model"], named.get(row["trained_on"], row["trained_on"]), row["value"], row["low"], row["high"]
        )
        for row in found.filter(pl.col("metric") == metric).drop_nulls("value").iter_rows(named=True)
    ]
    return figures.bars(bars, x_label=f"{_HEADS[metric]} correlation", title="Models and people")


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One table."""
    return Plan(f"lays {inputs.get('results', 0):,} results side by side")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write models.csv, models.md and models.svg, and as a statistic how many models surpass the average annotator."""
    question = options.question or context.recipe.score.question
    models = model_table(inputs["results"], names=options.names)
    if models.is_empty():
        known = inputs["results"]["metric"].unique(maintain_order=True)
        raise KostraError(
            "no result says MSE, Pearson or Spearman",
            where=f'step "{context.step.name}"',
            accepted="results of evaluate/relatedness or evaluate/fine_tune",
            remedy=f"these results say {some(known)}" if len(known) else None,
        )
    said = inputs.get("statistics")
    beside = people(said, question) if said is not None else models.clear()
    every = pl.concat([models, beside])
    tables.write(every, context.folder / "models.csv")
    files.write_text(as_markdown(every) + "\n", context.folder / "models.md")
    if every.filter(pl.col("metric") == options.metric)["value"].drop_nulls().len():
        figures.save_all(models_figure(every, metric=options.metric), context.folder / "models")
    estimates = _estimates(models, beside, metric=options.metric)
    return {"statistics": statistics_table(estimates, question=question)}


def _estimates(models: Frame, beside: Frame, *, metric: str) -> dict[str, Estimate]:
    scored = models.filter(pl.col("metric") == metric).drop_nulls("value").sort("value", descending=True)
    if scored.is_empty():
        return {f"best_model_{metric}": Estimate(math.nan, note="undefined: no model has one")}
    best = scored.row(0, named=True)
    low, high = (math.nan if best[end] is None else best[end] for end in ("low", "high"))
    trained = "" if best["trained_on"] == ALL_PAIRS else f", trained on {best['trained_on']}"
    found = {f"best_model_{metric}": Estimate(best["value"], low, high, best["n"], f"{best['model']}{trained}")}
    human = beside.filter((pl.col("metric") == metric) & pl.col("value").is_not_null())["value"]
    if len(human):
        above = scored.filter(pl.col("value") > human[0])
        said = (
            f"of {scored.height:,} models, those whose {_HEADS[metric]} is above the average annotator's {human[0]:.3f}"
        )
        found["models_above_annotator"] = Estimate(float(above.height), n=scored.height, note=said)
    return found

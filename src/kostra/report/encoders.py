"""Encoders against people: the results as tables and figures, beside what people themselves reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from kostra import figures
from kostra.evaluate.ceiling import PEOPLE, ceilings
from kostra.evaluate.dataset import Dataset
from kostra.report.agreement import plain
from kostra.report.blocks import Block, Drawing, Section, Table, Text, section
from kostra.report.material import Material
from kostra.report.words import interval, number
from kostra.tables import RESULTS, Frame

MOST_BARS = 45
"""With more, the figure shows the whole set only; the table has everything."""
MOST_ACROSS = 4
"""Encoders that stand beside each other in a table."""
FIRST = "cosine_spearman"
SAMPLES = 500
CEILING = ("one against the rest", "one answer against the rest", "half against half", "all against as many others")
"""What people reach, as lines in the figure; the last two only where nothing better is known."""


def encoders(material: Material, people: Frame) -> Section:
    """The section; each step that evaluates has its own table, since steps measure different things.

    `people` is what `human` found.
    """
    by_step = _results(material)
    if not by_step:
        said = "No encoder was evaluated: no step that writes results is read here, or none has run yet."
        return section("encoders", "Encoders", Text(said))
    blocks: list[Block] = []
    if material.simulated:
        blocks.append(Text("Simulated annotators: these numbers test the plumbing, not the encoders.", tone="notice"))
    if people.height:
        blocks.append(
            Text(
                "People set the ceiling: how far one of them, or half of them, agrees with the rest is about what an "
                "encoder can be asked to reach. Correlations: 1 is the same order, 0 none."
            )
        )
        blocks.append(_people_table(people))
    joined = _joined(by_step)
    for name, results in joined.items():
        blocks += _of_steps(name, results, people, alone=len(joined) == 1)
    return section("encoders", "Encoders", blocks)


def _results(material: Material) -> dict[str, Frame]:
    """Results by the step that wrote them, in the recipe's order."""
    if material.results is None or not material.results.height:
        return {}
    found = {
        step.name: own
        for step in material.history.steps
        if step.room == "evaluate"
        and step.name in _read(material)
        and (own := material.history.table(step.name, "results")) is not None
    }
    return {name: own for name, own in found.items() if own.height} or {"evaluation": material.results}


def _read(material: Material) -> tuple[str, ...]:
    return material.history.context.step.reads


def _first(results: Frame) -> str:
    metrics = results["metric"].to_list()
    return FIRST if FIRST in metrics else str(metrics[0])


def _joined(by_step: Mapping[str, Frame]) -> dict[str, Frame]:
    """Results of steps that measure the same stand together; an encoder that two of them have is told apart."""
    found: dict[str, tuple[list[str], list[Frame]]] = {}
    for step, results in by_step.items():
        names, frames = found.setdefault(_first(results), ([], []))
        known = {name for frame in frames for name in frame["encoder"]}
        apart = pl.col("encoder") + f" ({step.replace('_', ' ')})"
        twice = pl.col("encoder").is_in(list(known))
        frames.append(results.with_columns(encoder=pl.when(twice).then(apart).otherwise(pl.col("encoder"))))
        names.append(step)
    return {"_and_".join(names): pl.concat(frames) for names, frames in found.values()}


def human(material: Material, rng: np.random.Generator) -> Frame:
    """What people themselves reach, in the form of results."""
    if not material.scored.height or not material.basis.height or not material.main:
        return RESULTS.empty()
    data = Dataset(
        material.recipe.recipe.name, pairs=material.scored.select(material.pairs.columns),
        judgments=material.basis, tuples=material.tuples,
    )  # fmt: skip
    found = ceilings(data, material.recipe.score.question, rng=rng, samples=SAMPLES)
    rows = [
        (one.encoder, measure.part, measure.metric, measure.value, measure.low, measure.high, measure.n, measure.note)
        for one in found
        for measure in one.measures
    ]
    return pl.DataFrame(rows, schema=RESULTS.dtypes, orient="row")


def _of_steps(step: str, results: Frame, people: Frame, *, alone: bool) -> list[Block]:
    metrics = results["metric"].unique(maintain_order=True).to_list()
    first = _first(results)
    title = f"{plain(first)} correlation with the scores" if first.startswith("cosine_") else plain(first)
    shown = results.filter(pl.col("metric") == first).drop_nulls("value")
    if shown.height > MOST_BARS:
        shown = shown.filter(pl.col("part") == "all")
    blocks: list[Block] = []
    if shown.height:
        bars = [_bar(row) for row in shown.iter_rows(named=True)]
        figure = figures.bars(bars, x_label=title, title=title, marks=_lines(people, first))
        lines = "; broken lines: what people reach" if _lines(people, first) else ""
        caption = f"{'' if alone else step.replace('_', ' ').capitalize() + ': '}{title}{lines}."
        blocks.append(Drawing(f"encoders_{step}", f"{caption} Short lines are 95% intervals.", figure))
    return [*blocks, _table(step, results, metrics)]


def _lines(people: Frame, metric: str) -> dict[str, float]:
    own = people.filter(pl.col("metric") == metric).drop_nulls("value")
    known = {name.removeprefix(f"{PEOPLE}: "): value for name, value in own.select("encoder", "value").iter_rows()}
    return {f"people: {name}": known[name] for name in CEILING if name in known}


def _bar(row: Mapping[str, Any]) -> figures.Bar:
    return figures.Bar(_part(row["part"]), row["encoder"], row["value"], row["low"], row["high"])


def _part(name: str) -> str:
    return "all pairs" if name == "all" else name.replace("_", " ")


def _people_table(people: Frame) -> Table:
    metrics = people["metric"].unique(maintain_order=True).to_list()
    made = []
    for (name,), group in people.group_by("encoder", maintain_order=True):
        cells = {row["metric"]: _cell(row) for row in group.iter_rows(named=True)}
        note = next((row["note"] for row in group.iter_rows(named=True) if row["note"]), "")
        shown = (cells.get(metric, "") for metric in metrics)
        made.append((str(name).removeprefix(f"{PEOPLE}: "), *shown, f"{max(group['n']):,}", note))
    head = ("People", *(plain(metric.removeprefix("cosine_")) for metric in metrics), "n", "How")
    caption = "The human ceiling: what people themselves reach."
    return Table("human_ceiling", caption, head, tuple(made), numbers=tuple(range(1, len(head) - 1)))


def _table(step: str, results: Frame, metrics: list[str]) -> Table:
    """Parts down and encoders across, where that is narrow enough; else encoders under each part."""
    notes = "; ".join(results["note"].drop_nulls().unique(maintain_order=True).head(3))
    caption = f"Results of “{step.replace('_', ' ')}”." + (f" {notes[:1].upper()}{notes[1:]}." if notes else "")
    names = results["encoder"].unique(maintain_order=True).to_list()
    parts = results["part"].unique(maintain_order=True).to_list()
    cells = {(row["metric"], row["part"], row["encoder"]): _cell(row) for row in results.iter_rows(named=True)}
    sizes = {row["part"]: f"{row['n']:,}" for row in results.iter_rows(named=True)}
    across = len(names) <= MOST_ACROSS < len(names) * len(parts)
    if across:
        head = ("Measure", "Part", "n", *names)
        made = [
            (plain(metric), _part(part), sizes[part], *(cells.get((metric, part, name), "") for name in names))
            for metric in metrics
            for part in parts
            if any((metric, part, name) in cells for name in names)
        ]
    else:
        head = ("Part", "Encoder", "n", *(plain(metric) for metric in metrics))
        made = [
            (_part(part), name, sizes[part], *(cells.get((metric, part, name), "") for metric in metrics))
            for part in parts
            for name in names
            if any((metric, part, name) in cells for metric in metrics)
        ]
    numbers = tuple(range(2, len(head)))
    return Table(f"encoders_{step}", caption, head, tuple(made), numbers=numbers, grouped=True, most=150)


def _cell(row: Mapping[str, Any]) -> str:
    ends = interval(row["low"], row["high"])
    return f"{number(row['value'])} ({ends})" if ends else number(row["value"])

"""Encoders against people: the results as a table and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from kostra import figures
from kostra.encoders import encoder, similarities
from kostra.report.material import Material
from kostra.report.sections import PLAIN, plain
from kostra.report.words import interval, number
from kostra.tables import Frame
from kostra.text import dice, words

MOST_BARS = 45
"""With more, the figure shows the whole set only; the table has everything."""
EMBEDDED = "static"
"""The encoder that needs no download, so that its similarities can be drawn again here."""


@dataclass(frozen=True)
class Cell:
    """One correlation."""

    value: str
    interval: str


@dataclass(frozen=True)
class Part:
    """The results on the whole set or on one source."""

    title: str
    n: str
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    """Encoder, and one cell per metric."""


@dataclass(frozen=True)
class Encoders:
    """The section about encoders."""

    metrics: tuple[str, ...]
    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    figure: str | None
    per_source: bool
    """Whether the figure shows the sources as well."""


def encoders(material: Material) -> Encoders | None:
    """Make the section, or None where nothing was evaluated."""
    results = material.results
    if results is None or not results.height:
        return None
    metrics = results["metric"].unique(maintain_order=True).to_list()
    parts = [_part(str(name), group, metrics) for (name,), group in results.group_by("part", maintain_order=True)]
    drawn = _bars(results.filter(pl.col("metric") == metrics[0]).drop_nulls("value"))
    correlates = metrics[0] in PLAIN
    title = f"{plain(metrics[0])} correlation with the scores" if correlates else plain(metrics[0])
    return Encoders(
        metrics=tuple(plain(metric) for metric in metrics),
        parts=tuple(parts),
        notes=tuple(results["note"].drop_nulls().unique(maintain_order=True).to_list()),
        figure=figures.svg_of(figures.bars(drawn, x_label=title, title=title)) if drawn else None,
        per_source=len({bar.row for bar in drawn}) > 1,
    )


def _part(name: str, group: Frame, metrics: list[str]) -> Part:
    cells: dict[str, dict[str, Cell]] = {}
    for row in group.iter_rows(named=True):
        cell = Cell(number(row["value"]), interval(row["low"], row["high"]))
        cells.setdefault(row["encoder"], {})[row["metric"]] = cell
    none = Cell("not measured", "")
    table = tuple((name, tuple(found.get(metric, none) for metric in metrics)) for name, found in cells.items())
    return Part(_part_title(name), f"{group['n'][0]:,}", table)


def _part_title(name: str) -> str:
    return "all pairs" if name == "all" else name


def _bars(results: Frame) -> list[figures.Bar]:
    shown = results.filter(pl.col("part") == "all") if results.height > MOST_BARS else results
    return [_bar(row) for row in shown.iter_rows(named=True)]


def _bar(row: Mapping[str, Any]) -> figures.Bar:
    return figures.Bar(_part_title(row["part"]), row["encoder"], row["value"], row["low"], row["high"])


def scatters(material: Material) -> list[tuple[str, str]]:
    """Scores against word overlap and, where it was evaluated, the embedded encoder: (caption, figure)."""
    if material.scored.height < 2:
        return []
    scored = material.scored.sort("pair")
    texts = list(scored.select("text_a", "text_b").iter_rows())
    overlap = [dice(words(first), words(second)) for first, second in texts]
    found = [("Word overlap (Dice coefficient) of each pair against its score.", "word overlap", overlap)]
    results = material.results
    if results is not None and (results["encoder"] == EMBEDDED).any():
        seen = similarities(encoder(EMBEDDED), texts).tolist()
        found.append((f"Cosine of the embedded encoder “{EMBEDDED}” against the score.", f"cosine ({EMBEDDED})", seen))
    return [(caption, _scatter(material, scored, label, values)) for caption, label, values in found]


def _scatter(material: Material, scored: Frame, label: str, values: list[float]) -> str:
    score = material.recipe.score
    table = scored.select(pl.col("subset").fill_null("no subset"), "score").with_columns(x=pl.Series(values))
    parts = sorted(table.group_by("subset", maintain_order=True))
    groups = {str(name): (part["x"].to_list(), part["score"].to_list()) for (name,), part in parts}
    question = score.question.replace("_", " ")
    figure = figures.scatter(groups, x_label=label, y_label=question, y_range=(score.low, score.high))
    return figures.svg_of(figure)

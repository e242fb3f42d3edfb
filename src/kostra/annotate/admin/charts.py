"""Charts of the office, as SVG made here: real text, words for screen readers, readable in grey and in the dark.

Colours are classes that ``static/admin.css`` fills with the colours of `kostra.figures`; marks differ in shape as well.
The drawing is as wide as a telephone, so that text keeps its size there, and grows on a wider page.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from markupsafe import Markup, escape

from kostra.annotate.languages import ENGLISH, Translate

WIDTH, HEIGHT = 330, 180
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 16, 40
"""Room around the plot, for the numbers and the names of the axes."""
NUMBERED = 26
"""Bars that have so much room each carry their number, so that nobody must measure them."""


@dataclass(frozen=True)
class Bar:
    """One bar: its name under it, how high it is, and whether it is the one to look at."""

    name: str
    value: float
    marked: bool = False


@dataclass(frozen=True)
class Dot:
    """One value of a line: when, how high, and the ends of its interval."""

    at: datetime
    value: float
    low: float = math.nan
    high: float = math.nan


def bars(
    values: Sequence[Bar], *, title: str, text: str, x_label: str, y_label: str, words: Translate = ENGLISH
) -> Markup:
    """Bars that stand side by side.

    Parameters
    ----------
    title, text
        What a screen reader says of it.

    Examples
    --------
    >>> svg = bars([Bar("0", 3), Bar("1", 5)], title="Overlap", text="3 items …", x_label="answers", y_label="items")
    >>> svg.count("<rect"), "<title" in svg, "<desc" in svg
    (2, True, True)
    """
    ticks = ticks_to(max((bar.value for bar in values), default=0.0), whole=True)
    top = ticks[-1]
    span = (WIDTH - LEFT - RIGHT) / max(len(values), 1)
    thick = max(min(span * 0.8, 42.0), 1.0)
    every = max(1, math.ceil(len(values) * 30 / (WIDTH - LEFT - RIGHT)))  # so that names do not touch
    parts = [_across(ticks, top, 0.0, words)]
    for place, bar in enumerate(values):
        middle, high = LEFT + span * (place + 0.5), _plot_height() * bar.value / top
        kind = "column marked" if bar.marked else "column"
        parts.append(
            Markup(
                '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>'
            ).format(
                kind,
                middle - thick / 2,
                HEIGHT - BOTTOM - high,
                thick,
                max(high, 0.0),
                f"{bar.name}: {words.number(bar.value)}",
            )
        )
        if place % every == 0:
            parts.append(_text(bar.name, middle, HEIGHT - BOTTOM + 13, "middle"))
        if bar.value and span >= NUMBERED:
            parts.append(_text(_short(bar.value, words), middle, HEIGHT - BOTTOM - high - 4, "middle"))
    return _whole(parts, title, text, x_label, y_label)


def line(
    dots: Sequence[Dot],
    *,
    title: str,
    text: str,
    x_label: str,
    y_label: str,
    low: float = 0.0,
    words: Translate = ENGLISH,
) -> Markup:
    """A line over time with its band, from `low` (or less, where values are) to 1.

    Examples
    --------
    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> dots = [Dot(noon, 0.5, 0.4, 0.6), Dot(noon + timedelta(days=2), 0.7, 0.6, 0.8)]
    >>> svg = line(dots, title="Agreement", text="from 0.50 to 0.70", x_label="day", y_label="α")
    >>> svg.count("<circle"), "band" in svg
    (2, True)
    """
    values = [value for dot in dots for value in (dot.value, dot.low) if math.isfinite(value)]
    floor = low
    while any(value < floor for value in values) and floor > -1:
        floor -= 0.5
    ticks = [floor + (1 - floor) * step / 4 for step in range(5)]
    begin = dots[0].at if dots else datetime.min.replace(tzinfo=UTC)
    length = (dots[-1].at - begin).total_seconds() if dots else 0.0

    def x(at: datetime) -> float:
        share = (at - begin).total_seconds() / length if length else 0.5
        return LEFT + 6 + share * (WIDTH - LEFT - RIGHT - 12)

    def y(value: float) -> float:
        share = (min(max(value, floor), 1.0) - floor) / (1 - floor)
        return HEIGHT - BOTTOM - share * _plot_height()

    parts = [_across(ticks, 1.0, floor, words)]
    banded = [dot for dot in dots if math.isfinite(dot.low) and math.isfinite(dot.high)]
    if len(banded) > 1:
        there = [f"{x(dot.at):.1f},{y(dot.high):.1f}" for dot in banded]
        back = [f"{x(dot.at):.1f},{y(dot.low):.1f}" for dot in reversed(banded)]
        parts.append(Markup('<polygon class="band" points="{}"/>').format(" ".join(there + back)))
    if len(dots) > 1:
        points = " ".join(f"{x(dot.at):.1f},{y(dot.value):.1f}" for dot in dots)
        parts.append(Markup('<polyline class="line" points="{}"/>').format(points))
    for dot in dots:
        said = f"{words.moment(dot.at)}: {words.number(dot.value, 2)}"
        if math.isfinite(dot.low) and math.isfinite(dot.high):
            said += f" ({words.number(dot.low, 2)} … {words.number(dot.high, 2)})"
        circle = '<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}</title></circle>'
        parts.append(Markup(circle).format(x(dot.at), y(dot.value), said))
    if dots:
        long = length > 2 * 86400
        shown = [dots[0].at] if not length else [begin + timedelta(seconds=length * part) for part in (0, 0.5, 1)]
        for at, anchor in zip(shown, ("start", "middle", "end"), strict=False):
            named = words.day(at, year=True) if long else f"{words.day(at)} {at:%H:%M}"
            parts.append(_text(named, x(at), HEIGHT - BOTTOM + 13, anchor if length else "middle"))
    return _whole(parts, title, text, x_label, y_label)


def ticks_to(most: float, *, whole: bool = False, count: int = 4) -> list[float]:
    """Round numbers from 0 to at least `most`, for an axis.

    Examples
    --------
    >>> ticks_to(37), ticks_to(3, whole=True), ticks_to(0)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 1.0, 2.0, 3.0], [0.0, 1.0])
    """
    if most <= 0:
        return [0.0, 1.0]
    rough = most / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    if whole:
        step = max(1.0, math.ceil(step))
    return [step * number for number in range(math.ceil(most / step - 1e-9) + 1)]


def _plot_height() -> int:
    return HEIGHT - TOP - BOTTOM


def _across(ticks: Sequence[float], top: float, floor: float, words: Translate) -> Markup:
    """Lines across, each with its number."""
    made = []
    for tick in ticks:
        y = HEIGHT - BOTTOM - _plot_height() * (tick - floor) / (top - floor)
        rule = '<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
        made.append(Markup(rule).format(LEFT, WIDTH - RIGHT, y, y))
        made.append(_text(_short(tick, words), LEFT - 6, y + 3.5, "end"))
    return Markup("").join(made)


def _short(value: float, words: Translate) -> str:
    size, sign = (1_000_000, "M") if abs(value) >= 1_000_000 else (1_000, "k") if abs(value) >= 10_000 else (1, "")
    scaled = value / size
    places = next((places for places in (0, 1) if math.isclose(scaled, round(scaled, places))), 2)
    return f"{words.number(scaled, places)}{sign}" if size > 1 or places else f"{value:g}".replace("-", "−")


def _text(said: str, x: float, y: float, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, said)


def _whole(parts: Sequence[Markup], title: str, text: str, x_label: str, y_label: str) -> Markup:
    body = Markup("").join(parts)
    own = "c" + hashlib.sha256(f"{title}\n{text}\n{body}".encode()).hexdigest()[:9]
    axis = '<line class="axis" x1="{}" x2="{}" y1="{}" y2="{}"/>'
    frame = Markup(axis).format(LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, HEIGHT - BOTTOM)
    names = _text(x_label, LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 8, "middle")
    turned = '<text class="name" transform="translate(10 {}) rotate(-90)" text-anchor="middle">{}</text>'
    names += Markup(turned).format(TOP + _plot_height() / 2, y_label)
    head = (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{own}-t {own}-d">'
        f'<title id="{own}-t">{escape(title)}</title><desc id="{own}-d">{escape(text)}</desc>'
    )
    return Markup(head) + body + frame + names + Markup("</svg>")

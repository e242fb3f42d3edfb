"""Charts of sentences and encoders: sentences as numbered points with their list below, rewrites as moves, a heat map.

They are drawn in the house's look (`kostra.figures`) and say what they show to a screen reader as well.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kostra import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]

_PANEL = 3.3  # inches, both ways
_LINE = 0.165  # inches from one line of the list to the next
_FIRST = "seed"


@dataclass(frozen=True)
class Entry:
    """One sentence of a numbered chart."""

    text: str
    change: str
    """How it was made from the first; empty for the first."""
    gloss: str = ""
    """A translation, for readers of another language."""


def numbered(panels: Mapping[str, FloatArray], entries: Sequence[Entry], *, title: str) -> Figure:
    """Sentences as numbered points, one panel per projection, and the list of sentences below.

    The first entry is the seed and has a mark of its own. A number stands beside its point where it covers neither
    another number nor a point; a thin line joins the two where that is further away.

    Parameters
    ----------
    panels
        Name of a projection to one row (x, y) per entry.

    Examples
    --------
    >>> entries = [Entry("It rains.", ""), Entry("It rained.", "past")]
    >>> print(numbered({"PCA": np.array([[0.0, 0.0], [1.0, 1.0]])}, entries, title="One seed").get_label())
    One seed
    1 seed: It rains. 2 past: It rained.
    """
    from matplotlib.figure import Figure

    width = _PANEL * len(panels) + 0.1
    lines = _listed(entries, round(width * 14.3))
    under = _LINE * (len(lines) + 1.2)
    with figures.look():
        figure = Figure(figsize=(width, _PANEL + under))
        for place, (name, points) in enumerate(panels.items()):
            left = (place * _PANEL + 0.1) / width
            box = (left, (under + 0.05) / (_PANEL + under), (_PANEL - 0.1) / width, (_PANEL - 0.35) / (_PANEL + under))
            axes = figure.add_axes(box)
            axes.set_title(name, loc="left", fontsize=9)
            _points(axes, points, np.array([_PANEL - 0.1, _PANEL - 0.35]) * 72)
        for number, (mark, line) in enumerate(lines):
            up = (under - _LINE * (number + 1)) / (_PANEL + under)
            style: dict[str, Any] = {"fontsize": 8.5, "va": "baseline"}
            figure.text(0.34 / width, up, mark, ha="right", fontweight="bold", **style)
            figure.text(0.42 / width, up, line, color=figures.INK, **style)
        said = " ".join(f"{number} {entry.change or _FIRST}: {entry.text}" for number, entry in enumerate(entries, 1))
        return figures.finished(figure, title, said)


def _listed(entries: Sequence[Entry], across: int) -> list[tuple[str, str]]:
    """The list: number and text, continued where a sentence is longer than a line, the gloss on lines of its own."""
    lines: list[tuple[str, str]] = []
    for number, entry in enumerate(entries, 1):
        wrapped = textwrap.wrap(f"{entry.change or _FIRST}: {entry.text}", across, subsequent_indent="   ")
        wrapped += (
            textwrap.wrap(f"({entry.gloss})", across, initial_indent="   ", subsequent_indent="   ")
            if entry.gloss
            else []
        )
        lines += [(str(number) if not place else "", line) for place, line in enumerate(wrapped)]
    return lines


def _points(axes: Axes, points: FloatArray, size: FloatArray) -> None:
    """Draw the points and their numbers; `size` is that of the frame in typographic points."""
    _framed(axes)
    air = float(np.ptp(points, axis=0).max()) / 8 or 1.0
    low, high = points.min(axis=0) - air, points.max(axis=0) + air
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.plot(points[1:, 0], points[1:, 1], "o", ms=5, color=figures.COLOURS[0], mec="white", mew=0.5, zorder=3)
    # Hollow, so that a rewrite that changes nothing for the encoder is seen inside.
    axes.plot(points[:1, 0], points[:1, 1], "D", ms=9, mfc="none", mec=figures.COLOURS[1], mew=2, zorder=4)
    starts = (points - low) / (high - low) * size
    labels = [str(number) for number in range(1, len(points) + 1)]
    common: dict[str, Any] = {"transform": axes.transAxes}
    for label, start, middle in zip(labels, starts, placed(starts, labels, (size[0], size[1])), strict=True):
        away = middle - start
        far = float(np.hypot(*away))
        if far > 13:
            one, two = (start + away * 4 / far) / size, (start + away * (far - 5) / far) / size
            axes.plot([one[0], two[0]], [one[1], two[1]], lw=0.6, color=figures.QUIET, zorder=2, **common)
        weight = "bold" if label == "1" else "normal"
        across, up = middle / size
        axes.text(across, up, label, ha="center", va="center", fontsize=8, zorder=5, fontweight=weight, **common)


def _framed(axes: Axes) -> None:
    """A frame without numbers: what lies near what is all that such a picture says."""
    axes.set_xticks([])
    axes.set_yticks([])
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)


def placed(points: FloatArray, labels: Sequence[str], size: tuple[float, float]) -> FloatArray:
    """Where the middle of each label stands, all in typographic points: near its point, over no point and no label.

    Labels in the thick are placed first, each at the nearest of rings of places around its point that is free and
    inside the frame; if none is, at the one that covers least.

    Examples
    --------
    >>> placed(np.array([[50.0, 50.0]]), ["1"], (100.0, 100.0)).round(1).tolist()
    [[62.0, 50.0]]
    """
    reach = np.where(np.arange(len(points)) == 0, 6.5, 3.6)[None, :, None]  # half of a mark; the seed's is larger
    half = np.array([[2.9 * len(label), 4.6] for label in labels])
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    crowded = np.argsort(-(apart < 30).sum(axis=1), kind="stable")
    angles = np.arange(16) * np.pi / 8
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    taken: list[tuple[FloatArray, FloatArray]] = []
    middles = np.zeros_like(points)
    for own in crowded:
        away = np.concatenate([ring * radius for radius in (8.5, 12, 17, 23, 30, 38, 47)])
        # A ring is drawn in the size of the label: two digits stand a little further out at the sides.
        places = points[own] + away + np.sign(away.round(9)) * (half[own] - (2.9, 4.6))
        costs = np.zeros(len(places))
        for middle, other in taken:
            costs += (np.abs(places - middle) < half[own] + other).all(axis=1) * 10
        costs += (np.abs(places[:, None] - points[None]) < half[own] + reach).all(axis=2).sum(axis=1) * 10
        inside = ((places > half[own]) & (places < np.array(size) - half[own])).all(axis=1)
        costs += np.where(inside, 0, 1000)
        best = int(np.argmin(costs))  # the first of equals is the nearest
        middles[own] = places[best]
        taken.append((places[best], half[own]))
    return middles


def moves(panels: Mapping[str, tuple[FloatArray, FloatArray]], *, change: str, title: str) -> Figure:
    """All seeds and their rewrites of one kind, each joined by a line: alike if the change is regular.

    Parameters
    ----------
    panels
        Name of a projection to the seeds' and the rewrites' points, row by row.

    Examples
    --------
    >>> both = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.5, 0.0], [1.5, 1.0]])
    >>> print(moves({"PCA": both}, change="past", title="Past").get_label())
    Past
    2 seeds, each joined with a rewrite: past.
    """
    from matplotlib.figure import Figure

    width = _PANEL * len(panels) + 0.1
    with figures.look():
        figure = Figure(figsize=(width, _PANEL + 0.3))
        count = 0
        for place, (name, (seeds, rewrites)) in enumerate(panels.items()):
            count = len(seeds)
            tall = _PANEL + 0.3
            axes = figure.add_axes(
                ((place * _PANEL + 0.1) / width, 0.03, (_PANEL - 0.1) / width, (_PANEL - 0.35) / tall)
            )
            axes.set_title(name, loc="left", fontsize=9)
            _framed(axes)
            x, y = (np.stack([seeds[:, axis], rewrites[:, axis]]) for axis in (0, 1))
            axes.plot(x, y, "-", color=figures.QUIET, lw=0.6, alpha=0.7, zorder=1)
            small: dict[str, Any] = {"ms": 3.6, "mec": "white", "mew": 0.3}
            seed = axes.plot(*seeds.T, "D", color=figures.COLOURS[1], zorder=2, **small)
            rewrite = axes.plot(*rewrites.T, "o", color=figures.COLOURS[0], zorder=3, **small)
        figure.legend([*seed, *rewrite], ["seed", change], loc="upper left", ncols=2)
        return figures.finished(figure, title, f"{count:,} seeds, each joined with a rewrite: {change}.")


def heat_map(rows: Mapping[str, Mapping[str, float | None]], *, title: str, digits: int = 3) -> Figure:
    """A number for every row and column, darker where it is higher, the highest of a column in bold.

    Columns are compared by colour each within itself, since a good number in one may be a bad one in another.

    Examples
    --------
    >>> figure = heat_map({"dice": {"news": 0.5, "books": None}, "static": {"news": 0.7}}, title="Encoders")
    >>> print(figure.get_label())
    Encoders
    dice: news 0.500, books –; static: news 0.700, books –.
    """
    names = list(rows)
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [_lines(column, 14) for column in columns]
    tallest = max((line.count("\n") for line in lines), default=0)
    with figures.look():
        figure, axes = figures.canvas(
            0.7 + 0.15 * tallest + 0.34 * len(names), max(figures.WIDTH, 2.2 + 0.95 * len(columns))
        )
        for across, column in enumerate(columns):
            own = [rows[name].get(column) for name in names]
            known = [value for value in own if value is not None]
            for down, value in enumerate(own):
                _cell(axes, across, down, value, known, digits)
        axes.set(xlim=(-0.5, max(len(columns), 1) - 0.5), ylim=(max(len(names), 1) - 0.5, -0.5))
        axes.set_xticks(range(len(columns)), lines)
        axes.set_yticks(range(len(names)), [figures.short(name, 30) for name in names])
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[["left", "bottom"]].set_visible(False)
        said = "; ".join(
            f"{name}: {', '.join(f'{column} {_number(rows[name].get(column), digits)}' for column in columns)}"
            for name in names
        )
        return figures.finished(figure, title, f"{said}." if said else "Nothing to show.")


def _cell(axes: Axes, across: int, down: int, value: float | None, known: Sequence[float], digits: int) -> None:
    import matplotlib
    from matplotlib.patches import Rectangle

    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    place = 0.5 if value is None or high <= low else (value - low) / (high - low)
    colour = "white" if value is None else matplotlib.colormaps["Blues"](0.08 + 0.72 * place)
    box = Rectangle((across - 0.5, down - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5)
    axes.add_patch(box)
    style: dict[str, Any] = {"color": "white" if _light(colour) < 0.179 else "black"}  # each at least 4.5 to 1
    style |= {"fontweight": "bold"} if known and value == high else {}
    axes.text(across, down, _number(value, digits), ha="center", va="center", **style)


def _light(colour: Any) -> float:
    """Relative luminance, as the Web Content Accessibility Guidelines define it."""
    from matplotlib.colors import to_rgb

    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour))
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _lines(name: str, width: int) -> str:
    """A name over several lines, broken at blanks and hyphens."""
    return "\n".join(textwrap.wrap(name, width, max_lines=3, placeholder=" …")) or name

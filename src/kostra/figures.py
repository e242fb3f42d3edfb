"""One look for every chart: plain labels, marks that survive grey print, and the same bytes for the same data.

Each function is pure and returns a Matplotlib figure made without pyplot, so that nothing is kept between calls.
A figure's label holds what a screen reader says: its title on the first line, a description below.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kostra import files
from kostra.errors import KostraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#2b2b2b"
QUIET = "#8a8a8a"
COLOURS = ("#1d4e79", "#cc7a1a", "#55a18d", "#8c3b5e", "#9c9580", "#5b8a3c")
"""Told apart by the colour-blind, and neighbours by lightness in grey; hatches and marks say the same once more."""
HATCHES = ("", "////", "||||", "\\\\\\\\", "xxxx", "----")
"""Lines only: a tile of dots is a quarter of a megabyte in SVG, and every figure of a page would carry one."""
MARKS = ("o", "^", "s", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
MOST_GROUPS = len(COLOURS)
MOST_POINTS = 1500
"""Above this many points a scatter shows their density: single points would only be a blot."""

Points = tuple[Sequence[float], Sequence[float]]
"""Values across and values upwards."""

ENDINGS = (".svg", ".pdf", ".png")
WIDTH = 5.0
"""Inches: text of 9 points stays readable when a telephone shrinks the figure to 320 pixels."""

_STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # shipped with Matplotlib, so widths are the same everywhere
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#bdbdbd",
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.8,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "patch.linewidth": 0.6,
    "text.color": INK,
    "text.parse_math": False,  # a name may hold a dollar sign
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "axes.facecolor": "none",
    "svg.hashsalt": "kostra",  # ids depend on the content, not on the moment
    "pdf.fonttype": 42,
}


@dataclass(frozen=True)
class Bar:
    """One bar: where it stands, whose it is, how long it is, and how sure that is."""

    row: str
    series: str
    value: float
    low: float | None = None
    high: float | None = None


def histogram(
    groups: Mapping[str, Sequence[float]], *, low: float, high: float, x_label: str, y_label: str = "pairs"
) -> Figure:
    """How often each value occurs, the groups stacked.

    Values that lie on a lattice, as the scores of best–worst counting do, get bins of whole steps: other bins would
    show a comb that is not in the data.

    Examples
    --------
    >>> figure = histogram({"random": [0.1, 0.2, 0.2], "paraphrase": [0.8]}, low=0, high=1, x_label="relatedness")
    >>> print(figure.get_label())
    Distribution of relatedness
    4 pairs from 0.1 to 0.8, in 2 groups: random (3), paraphrase (1).
    """
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    shown = _few({name: values for name, values in groups.items() if len(values)})
    values = [value for group in shown.values() for value in group]
    with look():
        figure, axes = canvas(2.7)
        edges = bin_edges(values, low=low, high=high)
        below = [0.0] * (len(edges) - 1)
        for place, (name, group) in enumerate(shown.items()):
            counts = np.histogram(group, bins=edges)[0].tolist()
            style = _bar_style(name, place)
            axes.bar(edges[:-1], counts, edges[1] - edges[0], below, align="edge", **style)
            below = [lower + count for lower, count in zip(below, counts, strict=True)]
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.set_xlim(_wider(min(low, edges[0]), max(high, edges[-1])))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        axes.grid(axis="y")
        _legend(figure, axes)
        return finished(figure, f"Distribution of {x_label}", _counted(shown, y_label))


def _wider(low: float, high: float) -> tuple[float, float]:
    """Leave a little air at both ends of an axis."""
    return low - 0.02 * (high - low), high + 0.02 * (high - low)


def bin_edges(values: Sequence[float], *, low: float, high: float, about: int = 20) -> list[float]:
    """Edges of about twenty equal bins; whole steps of the lattice where the values lie on one.

    Examples
    --------
    >>> bin_edges([0.13, 0.71, 0.32], low=0.0, high=1.0, about=4)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> bin_edges([0.0, 0.5, 1.0], low=0, high=1, about=4)
    [-0.25, 0.25, 0.75, 1.25]
    """
    bottom, top = min([low, *values]), max([high, *values])
    distinct = sorted(set(values))
    steps = [after - before for before, after in pairwise(distinct) if after - before > 1e-9]
    step = min(steps, default=0.0)
    places = [(value - bottom) / step for value in distinct] if step else []
    on_lattice = bool(places) and all(abs(place - round(place)) < 1e-6 for place in places)
    if not on_lattice or (top - bottom) / step > 50 * about:
        return [*(bottom + (top - bottom) * place / about for place in range(about)), top]
    width = step * max(1, round((top - bottom) / about / step))
    count = math.ceil((top - bottom + step) / width - 1e-9)
    return [bottom - step / 2 + place * width for place in range(count + 1)]


def _coarse_edges(values: Sequence[float], most: int = 100) -> list[float] | None:
    """Edges of bins with two usual values each, where values are few, as scores from counts are; else None."""
    often = Counter(values)
    usual = [value for value, count in often.items() if count * 2 * len(often) >= len(values)]
    if len(often) > most or len(usual) < 8:
        return None
    step = (max(usual) - min(usual)) / (len(usual) - 1)
    start = min(often) - step / 2
    return [start + 2 * step * place for place in range(math.ceil((max(often) - start) / (2 * step) + 1e-9) + 1)]


def scatter(
    groups: Mapping[str, Points],
    *,
    x_label: str,
    y_label: str,
    y_range: tuple[float, float] | None = None,
    trend: bool = False,
) -> Figure:
    """One value against another: points while they can be told apart, their density above that.

    With `trend` a line joins the medians of ten slices with equally many values, from the lowest to the highest.

    Examples
    --------
    >>> print(scatter({"all": ([0.1, 0.9], [0.2, 0.7])}, x_label="overlap", y_label="relatedness").get_label())
    Relatedness against overlap
    2 pairs, each a point.
    """
    shown = {name: points for name, points in _few_points(groups).items() if len(points[0])}
    total = sum(len(points[0]) for points in shown.values())
    with look():
        figure, axes = canvas(3.9)
        if total > MOST_POINTS:
            _density(figure, axes, shown)
        else:
            for place, (name, (x, y)) in enumerate(shown.items()):
                style: dict[str, Any] = {"color": COLOURS[place], "ms": 4.2, "alpha": 0.75, "markeredgewidth": 0}
                axes.plot(x, y, MARKS[place], label=short(name) if len(shown) > 1 or not trend else None, **style)
            if not trend:
                _legend(figure, axes)
        if trend:
            _medians(axes, shown)
            _legend(figure, axes, fewest=1)
        axes.set(xlabel=x_label, ylabel=y_label)
        if y_range:
            axes.set_ylim(_wider(*y_range))
        axes.grid()
        how = "each a point" if total <= MOST_POINTS else "counted, darker where there are more"
        how += "; a line joins the medians of ten slices" if trend else ""
        title = f"{y_label[:1].upper()}{y_label[1:]} against {x_label}"
        return finished(figure, title, f"{total:,} pairs, {how}.")


def _density(figure: Figure, axes: Axes, shown: Mapping[str, Points]) -> None:
    """Counts in hexagons, or in cells where one side has few values, between which hexagons would show holes."""
    import matplotlib
    import numpy as np
    from matplotlib.colors import ListedColormap, LogNorm

    x = [value for points in shown.values() for value in points[0]]
    y = [value for points in shown.values() for value in points[1]]
    # The palest blues would vanish on paper, and few shades can be told apart in the legend.
    shades = ListedColormap(matplotlib.colormaps["Blues"](range(60, 256, 24)))
    drawn: Any
    coarse = [_coarse_edges(side) for side in (x, y)]
    if coarse == [None, None]:
        drawn = axes.hexbin(x, y, gridsize=32, mincnt=1, cmap=shades, bins="log", linewidths=0.2)
    else:
        edges = [own or np.linspace(min(side), max(side), 23) for own, side in zip(coarse, (x, y), strict=True)]
        counts = np.histogram2d(x, y, bins=edges)[0].T
        full = np.ma.masked_equal(counts, 0)
        drawn = axes.pcolormesh(*edges, full, cmap=shades, norm=LogNorm(1, max(2.0, counts.max())))
    figure.colorbar(drawn, ax=axes, label="pairs", pad=0.02, format="%d")


def _medians(axes: Axes, shown: Mapping[str, Points], slices: int = 10) -> None:
    """A line through medians; equal values stay in one slice, or the order of the file would show."""
    import numpy as np

    x = np.array([value for points in shown.values() for value in points[0]])
    y = np.array([value for points in shown.values() for value in points[1]])
    edges = np.unique(np.quantile(x, np.arange(1, slices) / slices)) if len(x) else x
    part = np.searchsorted(edges, x, side="right")
    cut = [part == number for number in np.unique(part)]
    line = [np.median(x[own]) for own in cut], [np.median(y[own]) for own in cut]
    axes.plot(*line, "-", color="white", lw=4.2, zorder=4, label="_")  # so that it is seen on dark hexagons
    axes.plot(*line, "-o", color=COLOURS[1], mec=INK, mew=0.6, ms=4.5, lw=1.8, zorder=5, label="median of a tenth")


def bars(
    rows: Sequence[Bar], *, x_label: str, title: str, marks: Mapping[str, float] | None = None, most: int = 28
) -> Figure:
    """Horizontal bars with their intervals, the series of one row side by side.

    `marks` are levels to compare with, drawn as broken lines; `most` letters of a row's name are shown.

    Examples
    --------
    >>> figure = bars([Bar("all", "dice", 0.5, 0.4, 0.6)], x_label="Spearman correlation", title="Encoders")
    >>> print(figure.get_label())
    Encoders
    all: dice 0.50 (0.40 to 0.60).
    """
    named = list(dict.fromkeys(bar.row for bar in rows))
    series = list(dict.fromkeys(bar.series for bar in rows))
    tall = 0.8 / max(len(series), 1)
    with look():
        figure, axes = canvas(0.9 + len(named) * (0.18 + 0.2 * len(series)))
        for place, name in enumerate(series):
            own = [bar for bar in rows if bar.series == name]
            heights = [named.index(bar.row) + (place + 0.5) * tall - 0.4 for bar in own]
            axes.barh(heights, [bar.value for bar in own], tall * 0.88, **_bar_style(name, place))
            _whiskers(axes, own, heights)
        axes.set_yticks(range(len(named)), [short(name, most) for name in named])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(max(len(named), 1) - 0.45, -0.55)
        axes.axvline(0, color=INK, linewidth=0.8)
        for place, (name, value) in enumerate((marks or {}).items(), 1):
            axes.axvline(value, color=INK, lw=1.3, ls=DASHES[place % len(DASHES)], label=short(name, 40))
        axes.set_xlabel(x_label)
        axes.grid(axis="x")
        _legend(figure, axes)
        levels = "".join(f"; {name} {value:.2f}" for name, value in (marks or {}).items())
        return finished(figure, title, f"{'; '.join(_said(row, rows) for row in named)}{levels}.")


def _whiskers(axes: Axes, own: Sequence[Bar], heights: Sequence[float]) -> None:
    for bar, height in zip(own, heights, strict=True):
        if bar.low is not None and bar.high is not None:
            # A pale line below the dark one keeps it visible on a dark bar.
            for colour, width in (("white", 2.6), (INK, 1.2)):
                axes.plot([bar.low, bar.high], [height, height], color=colour, lw=width, solid_capstyle="butt")


def _said(row: str, rows: Sequence[Bar]) -> str:
    def of(bar: Bar) -> str:
        interval = f" ({bar.low:.2f} to {bar.high:.2f})" if bar.low is not None and bar.high is not None else ""
        return f"{bar.series} {bar.value:.2f}{interval}"

    return f"{row}: {', '.join(of(bar) for bar in rows if bar.row == row)}"


@dataclass(frozen=True)
class Curve:
    """One line: values across and upwards and, where they are known, the ends of its band."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def curves(
    lines: Sequence[Curve],
    *,
    x_label: str,
    y_label: str,
    title: str,
    target: float | None = None,
    marked: bool = True,
) -> Figure:
    """Lines with their bands; `target` is a level to be reached, `marked` puts a mark on every value.

    Examples
    --------
    >>> figure = curves([Curve("rating", [1, 2], [0.7, 0.8])], x_label="answers", y_label="closeness", title="Price")
    >>> print(figure.get_label())
    Price
    rating: 0.70 at 1 to 0.80 at 2.
    """
    with look():
        figure, axes = canvas(3.2)
        for place, line in enumerate(lines):
            turn = place % MOST_GROUPS
            style: dict[str, Any] = {
                "color": COLOURS[turn],
                "marker": MARKS[turn] if marked else None,
                "ls": DASHES[turn],
            }
            axes.plot(line.x, line.y, label=short(line.name), ms=4, lw=1.4, **style)
            if line.low is not None and line.high is not None:
                axes.fill_between(line.x, line.low, line.high, color=COLOURS[turn], alpha=0.18, lw=0)
        if target is not None:
            axes.axhline(target, color=QUIET, lw=1, ls=":", label=f"target {target:g}")
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.grid(axis="y")
        _legend(figure, axes)
        said = "; ".join(
            f"{line.name}: {line.y[0]:.2f} at {line.x[0]:g} to {line.y[-1]:.2f} at {line.x[-1]:g}"
            for line in lines
            if line.x
        )
        return finished(figure, title, f"{said}.")


def dots(values: Mapping[str, float], *, x_label: str, title: str, chance: float | None = None) -> Figure:
    """One dot per name, the lowest first; more than forty are drawn without their names.

    Examples
    --------
    >>> print(dots({"ann": 0.9, "bob": 0.5}, x_label="agreement", title="Agreement with the others").get_label())
    Agreement with the others
    2 dots from 0.50 (bob) to 0.90 (ann).
    """
    ordered = sorted(values.items(), key=lambda entry: (entry[1], entry[0]))
    named = len(ordered) <= 40
    with look():
        figure, axes = canvas(1.0 + 0.18 * len(ordered) if named else 4.0)
        numbers = [value for _, value in ordered]
        axes.plot(numbers, range(len(numbers)), "o", color=COLOURS[0], markersize=5 if named else 3)
        if chance is not None:
            axes.axvline(chance, color=COLOURS[3], linewidth=1.2, linestyle=(0, (4, 2)), label="by chance")
            figure.legend(loc="outside upper left")
        axes.set_yticks(range(len(ordered)) if named else [], [short(name) for name, _ in ordered] if named else [])
        axes.set_ylim(len(ordered) - 0.3, -0.7)
        axes.tick_params(axis="y", length=0)
        axes.set(xlabel=x_label)
        axes.margins(x=0.08)
        axes.grid(axis="both" if named else "x")
        ends = [f"{value:.2f} ({name})" for name, value in (*ordered[:1], *ordered[-1:])]
        said = f"{len(ordered):,} dots from {ends[0]} to {ends[1]}." if ends else "Nothing to show."
        return finished(figure, title, said)


# What all charts share ---------------------------------------------------------------------------------


@contextlib.contextmanager
def look() -> Iterator[None]:
    """Draw in the house's style, whatever the reader's own settings are, and leave those alone."""
    import matplotlib.style

    with matplotlib.style.context(["default", _STYLE], after_reset=True), warnings.catch_warnings():
        # A name in a script that DejaVu lacks is measured roughly; the browser has a font for it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def canvas(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """A figure with one pair of axes, in inches; wider than usual only where names need the room."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def finished(figure: Figure, title: str, description: str) -> Figure:
    """Give the figure its words and settle its layout, which would otherwise shift a little at each drawing."""
    figure.set_label(f"{title}\n{description}")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _legend(figure: Figure, axes: Axes, fewest: int = 2) -> None:
    """Name the groups above the chart, where they cover nothing; a single one needs no name."""
    handles, names = axes.get_legend_handles_labels()
    if len(names) >= fewest:
        longest = max(len(name) for name in names)
        figure.legend(handles, names, loc="outside upper left", ncols=4 if longest < 9 else 3 if longest < 16 else 2)


def _bar_style(name: str, place: int) -> dict[str, Any]:
    turn = place % MOST_GROUPS
    return {"label": short(name), "color": COLOURS[turn], "hatch": HATCHES[turn], "edgecolor": "white"}


def short(name: str, most: int = 28) -> str:
    """A name that fits beside a chart."""
    cut = name if len(name) <= most else name[: most - 1] + "…"
    return f"\N{NO-BREAK SPACE}{cut}" if cut.startswith("_") else cut  # Matplotlib hides names such as _pp


def _few(groups: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """At most as many groups as can be told apart; the smallest stand together."""
    if len(groups) <= MOST_GROUPS:
        return dict(groups)
    ordered = sorted(groups, key=lambda name: -len(groups[name]))
    kept = set(ordered[: MOST_GROUPS - 1])
    others = [value for name in groups if name not in kept for value in groups[name]]
    shown = {name: values for name, values in groups.items() if name in kept}
    return shown | {f"{len(groups) - len(kept)} others": others}


def _few_points(groups: Mapping[str, Points]) -> dict[str, Points]:
    x, y = (_few({name: points[axis] for name, points in groups.items()}) for axis in (0, 1))
    return {name: (x[name], y[name]) for name in x}


def _counted(shown: Mapping[str, Sequence[float]], noun: str) -> str:
    values = [value for group in shown.values() for value in group]
    if not values:
        return f"No {noun}."
    span = f"{len(values):,} {noun} from {min(values):.3g} to {max(values):.3g}"
    groups = ", ".join(f"{name} ({len(group):,})" for name, group in shown.items())
    return f"{span}, in {len(shown)} groups: {groups}." if len(shown) > 1 else f"{span}."


# Leaving -----------------------------------------------------------------------------------------------


def svg_of(figure: Figure) -> str:
    """The figure as SVG to stand inside a page: no prolog, ids of its own, and words for a screen reader.

    Text stays text, so that a reader can select it and the browser finds a font for any script.

    Examples
    --------
    >>> svg = svg_of(dots({"ann": 0.9}, x_label="agreement", title="Agreement"))
    >>> svg[:15], "<desc" in svg, "<?xml" in svg
    ('<svg role="img"', True, False)
    """
    return svg_in_page(_rendered(figure, "svg", text_as_paths=False).decode("utf-8"), str(figure.get_label()))


def svg_in_page(svg: str, label: str) -> str:
    """A figure that was saved as SVG, to stand inside a page: its title is the label's first line."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A style element would rule the whole page, not only this figure.
    svg = re.sub(r"\s*<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<title>[^<]*</title>", "", svg)
    # The page has a ground of its own, which may be dark.
    svg = re.sub(r'(<g id="patch_1">\s*<path d="[^"]*"\s*style="fill: )#ffffff', r"\1none", svg, count=1)
    title, _, description = label.partition("\n")
    own = "f" + hashlib.sha256((svg + label).encode()).hexdigest()[:9]
    head = (
        f'<svg role="img" aria-labelledby="{own}-t {own}-d" stroke-linejoin="round" '
        f'stroke-linecap="butt" font-family="DejaVu Sans, Verdana, sans-serif"'
    )
    words = f'<title id="{own}-t">{html.escape(title)}</title><desc id="{own}-d">{html.escape(description)}</desc>'
    body = _own_ids(svg.removeprefix("<svg"), own)
    return head + body.replace(">", f">{words}", 1).rstrip()


def _own_ids(svg: str, own: str) -> str:
    """Drop ids that nothing refers to and prefix the others: a page holds many figures and each id once."""
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda found: f' id="{own}-{found[1]}"' if found[1] in used else "", svg)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{own}-", svg)


def save(figure: Figure, path: str | Path) -> None:
    """Write the figure as SVG, PDF or PNG, by the name's ending; text becomes outlines, so it needs no font."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise KostraError(
            f'a figure cannot be written as "{ending}"' if ending else "the name has no ending",
            where=str(path),
            accepted=", ".join(ENDINGS),
        )
    files.write_bytes(_rendered(figure, ending[1:], text_as_paths=True), path)


def save_all(figure: Figure, stem: str | Path) -> None:
    """Write the figure in every form, for the screen, for print and for slides: STEM.svg, STEM.pdf and STEM.png."""
    for ending in ENDINGS:
        save(figure, f"{stem}{ending}")


def _rendered(figure: Figure, ending: str, *, text_as_paths: bool) -> bytes:
    import matplotlib

    stream = io.BytesIO()
    title = str(figure.get_label()).partition("\n")[0]
    named = {"Title": title} if title else {}
    no_date = {"svg": {"Date": None, **named}, "pdf": {"CreationDate": None, **named}}.get(ending)
    ground = "white" if text_as_paths else "none"
    with look(), matplotlib.rc_context({"svg.fonttype": "path" if text_as_paths else "none"}):
        figure.savefig(stream, format=ending, dpi=200, metadata=no_date, facecolor=ground)
    return stream.getvalue()

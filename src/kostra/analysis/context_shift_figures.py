"""The pictures of the context shift: gains of all pairs and of those that context moves, their quantiles, and r(x).

They are Figures 8a, 8b, 8c and 9 of Czech News STS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kostra import figures
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVELS = (0.01, 0.05, 0.1)
"""The levels of significance that a reader looks for first."""


def gain_figure(pairs: Frame, moved: Frame) -> Figure:
    """Histogram of the gains, the significant pairs set apart.

    Examples
    --------
    >>> import polars as pl
    >>> pairs = pl.DataFrame({"pair": ["p", "q", "r"], "gain": [0.0, 0.5, 2.0]})
    >>> print(gain_figure(pairs, pairs.tail(1)).get_label().splitlines()[1])
    3 pairs from 0 to 2, in 2 groups: not significant (2), significant (1).
    """
    others = pairs.join(moved.select("pair"), on="pair", how="anti")["gain"].to_list()
    gains = pairs["gain"].to_list()
    groups = {"not significant": others, "significant": moved["gain"].to_list()}
    return figures.histogram(groups, low=min(gains), high=max(gains), x_label="gain in context")


def moved_gain_figure(pairs: Frame, moved: Frame) -> Figure | None:
    """Histogram of the gains of the significant pairs alone, as wide as that of all; nothing where there are none.

    Examples
    --------
    >>> import polars as pl
    >>> pairs = pl.DataFrame({"pair": ["p", "q", "r"], "gain": [-1.0, 0.0, 2.0]})
    >>> print(moved_gain_figure(pairs, pairs.tail(1)).get_label().splitlines()[0])
    Distribution of gain in context, significant pairs
    """
    if moved.is_empty():
        return None
    gains = pairs["gain"].to_list()
    label = "gain in context, significant pairs"
    return figures.histogram({"significant": moved["gain"].to_list()}, low=min(gains), high=max(gains), x_label=label)


def quantile_figure(quantiles: Frame) -> Figure:
    """The quantile function of the gains, as steps.

    Parameters
    ----------
    quantiles
        ``share`` and ``gain``, as `kostra.analysis.context_shift.gain_quantiles` gives them.

    Examples
    --------
    >>> import polars as pl
    >>> print(quantile_figure(pl.DataFrame({"share": [0.0, 0.5, 1.0], "gain": [-1.0, 0.0, 2.0]})).get_label())
    Quantiles of the gain in context
    gain: -1.00 at 0 to 2.00 at 1.
    """
    line = figures.Curve("gain", *_steps(quantiles["share"].to_list(), quantiles["gain"].to_list()))
    return figures.curves(
        [line], x_label="share of pairs", y_label="gain in context", title="Quantiles of the gain in context",
        target=None, marked=False,
    )  # fmt: skip


def rejection_figure(rejections: Frame, tests: Sequence[str], *, alpha: float) -> Figure:
    """r(x): the share of pairs rejected at level x, a line per test, the usual levels marked.

    Parameters
    ----------
    rejections
        ``level`` and a column per test, as `kostra.analysis.context_shift.rejections` gives them.
    alpha
        The level by which pairs count as moved; marked beside the usual ones.

    Examples
    --------
    >>> import polars as pl
    >>> found = pl.DataFrame({"level": [0.0, 0.05, 1.0], "student": [0.0, 0.1, 1.0]})
    >>> print(rejection_figure(found, ["student"], alpha=0.05).get_label())
    Pairs that context moves, by level of significance
    student: 0.00 at 0 to 1.00 at 1.
    """
    lines = []
    for test in tests:
        defined = rejections.select("level", test).drop_nulls()
        lines.append(figures.Curve(test, defined["level"].to_list(), defined[test].to_list()))
    figure = figures.curves(
        lines,
        x_label="level of significance x",
        y_label="r(x), share of pairs rejected",
        title="Pairs that context moves, by level of significance",
        marked=False,
    )
    with figures.look():
        axes = figure.axes[0]
        for place, level in enumerate(sorted({*LEVELS, alpha})):
            axes.axvline(level, color=figures.QUIET, lw=0.8, ls=(0, (4, 2)))
            # Close levels would write over each other, so each stands a line lower.
            axes.annotate(
                f"{level:g}", (level, 0.97 - 0.07 * place), xycoords=("data", "axes fraction"), xytext=(3, 0),
                textcoords="offset points", fontsize=8, color=figures.INK, va="top",
            )  # fmt: skip
    return figure


def _steps(across: Sequence[float], upwards: Sequence[float]) -> tuple[list[float], list[float]]:
    """The corners of a step function: each value holds from the point before up to its own.

    Examples
    --------
    >>> _steps([0, 1, 2], [5, 6, 7])
    ([0, 0, 1, 1, 2], [5, 6, 6, 7, 7])
    """
    x, y = list(across[:1]), list(upwards[:1])
    for before, (at, value) in zip(across, zip(across[1:], upwards[1:], strict=True), strict=False):
        x += [before, at]
        y += [value, value]
    return x, y

"""One look for every chart: valid, accessible, and the same bytes for the same data."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest

from kostra import figures
from kostra.errors import KostraError
from kostra.figures import Bar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "{http://www.w3.org/2000/svg}"


def _cloud(count: int) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(1)
    x = rng.random(count)
    return x.tolist(), (x / 2 + rng.random(count) / 2).tolist()


def _lattice(count: int) -> tuple[list[float], list[float]]:
    x, y = _cloud(count)
    return [round(value * 8) / 8 for value in x], y


CHARTS: dict[str, Callable[[], Figure]] = {
    "histogram": lambda: figures.histogram({"random": [0.1, 0.4], "para": [0.8]}, low=0, high=1, x_label="score"),
    "histogram of one value": lambda: figures.histogram({"all": [3.0]}, low=0, high=5, x_label="score"),
    "empty histogram": lambda: figures.histogram({}, low=0, high=1, x_label="score"),
    "points": lambda: figures.scatter({"a": _cloud(30), "b": _cloud(9)}, x_label="overlap", y_label="score"),
    "hexagons": lambda: figures.scatter({"a": _cloud(figures.MOST_POINTS + 1)}, x_label="x", y_label="y"),
    "cells": lambda: figures.scatter({"a": _lattice(figures.MOST_POINTS + 1)}, x_label="x", y_label="y"),
    "empty scatter": lambda: figures.scatter({}, x_label="x", y_label="y", y_range=(0, 1)),
    "bars": lambda: figures.bars(
        [Bar("all", "dice", 0.5, 0.4, 0.6), Bar("all", "static", -0.2)], x_label="r", title="Encoders"
    ),
    "no bars": lambda: figures.bars([], x_label="r", title="Encoders"),
    "dots": lambda: figures.dots({"ann": 0.9, "bob": 0.4}, x_label="agreement", title="Agreement", chance=0.5),
    "many dots": lambda: figures.dots({f"a{n}": n / 99 for n in range(99)}, x_label="agreement", title="Agreement"),
    "trend": lambda: figures.scatter({"a": _cloud(30)}, x_label="x", y_label="y", trend=True),
    "trend over hexagons": lambda: figures.scatter({"a": _cloud(2000)}, x_label="x", y_label="y", trend=True),
    "no dots": lambda: figures.dots({}, x_label="agreement", title="Agreement"),
}


@cache
def _svg(chart: str) -> str:
    return figures.svg_of(CHARTS[chart]())


def _page() -> str:
    return "".join(_svg(chart) for chart in CHARTS)


@pytest.mark.parametrize("chart", CHARTS)
def test_svg_is_valid_xml_with_words_for_a_screen_reader(chart: str) -> None:
    root = ElementTree.fromstring(_svg(chart))
    assert root.get("role") == "img"
    named = (root.get("aria-labelledby") or "").split()
    assert [root.find(f"{SVG}title").get("id"), root.find(f"{SVG}desc").get("id")] == named  # type: ignore[union-attr]
    assert all(root.find(f"{SVG}{part}").text for part in ("title", "desc"))  # type: ignore[union-attr]


@pytest.mark.parametrize("chart", ["histogram", "points", "hexagons", "cells", "bars", "dots", "trend"])
def test_same_data_give_the_same_bytes_however_often_they_are_drawn(chart: str) -> None:
    figure = CHARTS[chart]()
    assert figures.svg_of(figure) == figures.svg_of(figure) == _svg(chart)


def test_figures_on_one_page_share_no_id_and_hold_no_dangling_reference() -> None:
    page = _page()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', page)) <= set(ids)


def test_svg_asks_for_nothing_outside_and_rules_nothing_outside() -> None:
    page = _page()
    assert "<style" not in page
    assert "<metadata" not in page
    assert "<image" not in page
    assert set(re.findall(r'https?://[^"\s]+', page)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_names_are_escaped_and_may_be_in_any_script() -> None:
    groups = {"<script>alert(1)</script>": [0.1], "新闻": [0.2], "žluťoučký": [0.3], "أخبار": [0.4], "$\\oops$": [0.5]}
    svg = figures.svg_of(figures.histogram(groups, low=0, high=1, x_label="a & b"))
    assert "<script" not in svg
    words = "".join(ElementTree.fromstring(svg).itertext())
    assert "žluťoučký" in words
    assert "$\\oops$" in words


def test_a_name_that_begins_with_an_underscore_stands_in_the_legend() -> None:
    svg = figures.svg_of(figures.histogram({"_pp": [0.1], "_r": [0.2]}, low=0, high=1, x_label="score"))
    drawn = ["".join(text.itertext()).strip() for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"_pp", "_r"} <= set(drawn)


@pytest.mark.parametrize("ending", figures.ENDINGS)
def test_save_writes_each_format_and_the_same_bytes_again(tmp_path: Path, ending: str) -> None:
    for name in ("one", "two"):
        figures.save(CHARTS["bars"](), tmp_path / f"{name}{ending}")
    first = (tmp_path / f"one{ending}").read_bytes()
    assert first.startswith({".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}[ending])
    assert first == (tmp_path / f"two{ending}").read_bytes()


@pytest.mark.parametrize("name", ["figure.jpg", "figure"])
def test_save_refuses_another_ending_and_says_which_are_accepted(tmp_path: Path, name: str) -> None:
    with pytest.raises(KostraError) as caught:
        figures.save(CHARTS["dots"](), tmp_path / name)
    assert caught.value.accepted == ".svg, .pdf, .png"
    assert not list(tmp_path.iterdir())


def test_bins_of_lattice_values_hold_equally_many_lattice_points() -> None:
    values = [place / 32 for place in range(33)]  # best–worst scores of items that appear 16 times
    edges = figures.bin_edges(values, low=0, high=1)
    counts = np.histogram(values, bins=edges)[0]
    assert counts.sum() == 33
    assert set(counts[:-1].tolist()) == {2}  # 2/32 is the whole step nearest to a twentieth


def test_bins_reach_values_outside_the_declared_range() -> None:
    values = [-0.53, 0.21, 1.37]
    assert np.histogram(values, bins=figures.bin_edges(values, low=0, high=1))[0].sum() == 3


def test_density_of_scores_from_counts_has_no_holes_that_are_not_in_the_data() -> None:
    # Scores in steps of 1/32, rounded to three decimals as released, with a few odd ones between.
    x = [round(step / 32, 3) for step in range(33) for _ in range(60)] + [0.033, 0.7]
    y = [0.5] * len(x)
    axes = figures.scatter({"all": (x, y)}, x_label="x", y_label="y").axes[0]
    counts = axes.collections[0].get_array()
    assert counts is not None
    assert counts.sum() == len(x)
    across = np.asarray(counts).sum(axis=0)
    assert (across[:-1] >= 120).all()  # two steps in every column but the last, which has the odd one


def test_the_trend_does_not_depend_on_the_order_of_equal_values() -> None:
    x, y = [0.0] * 30 + [1.0] * 30, list(range(60))
    lines = [
        figures.scatter({"a": (x, order)}, x_label="x", y_label="y", trend=True).axes[0].get_lines()[-1].get_ydata()
        for order in (y, [*y[:30][::-1], *y[30:][::-1]])
    ]
    assert np.asarray(lines).tolist() == [[14.5, 44.5], [14.5, 44.5]]


def test_more_groups_than_can_be_told_apart_are_merged_and_counted() -> None:
    groups = {f"g{n}": [0.5] * (n + 1) for n in range(9)}
    label = str(figures.histogram(groups, low=0, high=1, x_label="score").get_label())
    assert "45 pairs" in label  # 1 + 2 + … + 9
    assert "4 others (10)" in label  # the four smallest: 1 + 2 + 3 + 4


def test_the_readers_own_matplotlib_settings_are_neither_used_nor_changed() -> None:
    import matplotlib as mpl

    plain = _svg("bars")
    with mpl.rc_context({"font.size": 30, "axes.grid": True, "svg.hashsalt": None}):
        assert figures.svg_of(CHARTS["bars"]()) == plain
        assert mpl.rcParams["font.size"] == 30


def test_importing_figures_does_not_load_matplotlib() -> None:
    code = "import sys, kostra.figures; sys.exit('matplotlib' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_figures_do_not_load_pyplot() -> None:
    code = "import sys; from kostra.figures import *; svg_of(dots({}, x_label='', title=''))\n"
    code += "sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""The example in ``examples/`` is what this version of kostra makes; how it is compared stands in its README."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from examples.making import MADE, PLACE, make

TEXTS = (".csv", ".tsv", ".tex", ".md", ".toml", ".py", ".cff", "")
_HASH = re.compile(r"\b[0-9a-f]{16,64}\b")
REMEDY = "what kostra makes has changed: look at the difference, then run `make example`"


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("example") / "made"
    make(place)
    return place


def files_of(place: Path) -> list[Path]:
    every = [path for name in MADE for path in [place / name, *sorted((place / name).rglob("*"))]]
    return [path.relative_to(place) for path in every if path.is_file()]


def words(page: str) -> list[str]:
    """What a page says, without what it draws, and how many figures it has."""
    bare = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return [str(len(re.findall(r"<svg\b", page))), *html.unescape(re.sub(r"<[^>]+>", " ", bare)).split()]


def told(value: Any, *, near: bool = False) -> Any:
    """JSON without what depends on versions of other packages; its numbers equal what is `near` to them."""
    if isinstance(value, dict):
        return {key: told(one, near=near) for key, one in value.items() if key not in ("mteb_version", "contentSize")}
    if isinstance(value, list):
        return [told(one, near=near) for one in value]
    if isinstance(value, float) and near:
        return pytest.approx(value, abs=1e-6)
    return _HASH.sub("hash", value) if isinstance(value, str) else value


def test_the_same_files_are_made(again: Path) -> None:
    assert files_of(again) == files_of(PLACE), REMEDY


def test_every_file_says_the_same(again: Path) -> None:
    for name in files_of(PLACE):
        then, now = PLACE / name, again / name
        match name.suffix:
            case ".parquet":
                assert pl.read_parquet(then).equals(pl.read_parquet(now)), f"{name}: {REMEDY}"
            case ".html":
                assert words(then.read_text(encoding="utf-8")) == words(now.read_text(encoding="utf-8")), REMEDY
            case ".json":
                held, made = (json.loads(path.read_text(encoding="utf-8")) for path in (then, now))
                assert told(made) == told(held, near=True), f"{name}: {REMEDY}"
            case ".txt":
                held, made = (_HASH.sub("hash", path.read_text(encoding="utf-8")) for path in (then, now))
                assert held == made, f"{name}: {REMEDY}"
            case ending:
                assert ending in TEXTS, f"{name}: nobody has said how such a file is compared"
                assert then.read_bytes() == now.read_bytes(), f"{name}: {REMEDY}"


def test_the_example_is_small_and_says_that_nobody_judged_it() -> None:
    assert sum((PLACE / name).stat().st_size for name in files_of(PLACE)) < 1_000_000
    assert "No person judged anything in this dataset" in (PLACE / "release" / "README.md").read_text(encoding="utf-8")
    assert "simulated" in (PLACE / "report.html").read_text(encoding="utf-8")
    assert "**Open question** (" not in (PLACE / "release" / "DATASHEET.md").read_text(encoding="utf-8")

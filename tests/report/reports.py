"""What the tests of the report share: small tables, and a page taken apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kostra import tables
from kostra.recipe import Recipe, parse
from kostra.report import html
from kostra.steps import Context, Inputs
from kostra.tables import Frame

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """What a page consists of; a tag that is closed in the wrong order is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[int] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def recipe(**score: Any) -> Recipe:
    table = {
        "recipe": {
            "name": "small",
            "title": "Small & tidy",
            "protocol": "made for a test",
            "language": "cs",
            "seed": 1,
            "citation": "Somebody (2021), https://doi.org/10.1/1",
        },
        "score": {"question": "relatedness", "low": 0, "high": 1, **score},
        "steps": [
            {"name": "pairs", "use": "sources/files", "note": "two by two", "with": {"paths": ["x.csv"]}},
            {"name": "report", "use": "report/html", "reads": ["pairs"]},
        ],
    }
    return parse(Recipe, table, where="recipe.toml")


def context(folder: Path, of: Recipe, *, simulated: bool = False) -> Context:
    """A report's step in a folder of its own; the step before it is called pairs."""
    manifest = {"rows": {"pairs": 4}, "findings": ["pairs: 2 of 6 dropped <b>"], "simulated": simulated, "outputs": {}}
    return Context(
        recipe=of,
        step=of.step("report"),
        project=folder,
        folder=folder / "report",
        rng=np.random.default_rng(1),
        now=datetime(2026, 1, 1, tzinfo=UTC),
        history={"pairs": manifest},
    )


def pairs(texts: Mapping[str, tuple[str, str]]) -> Frame:
    rows = [
        {"pair": pair, "text_a": first, "text_b": second, "source": "news", "subset": "random"}
        for pair, (first, second) in texts.items()
    ]
    return tables.check(pl.DataFrame(rows, schema_overrides={"pair": pl.String}), tables.PAIRS)


def scores(values: Mapping[str, float], *, error: float | None = 0.1) -> Frame:
    schema = {name: tables.SCORES.dtypes[name] for name in tables.SCORES.dtypes}
    rows = [
        {"item": item, "question": "relatedness", "score": value, "appearances": 4, "standard_error": error}
        for item, value in values.items()
    ]
    return tables.check(pl.DataFrame(rows, schema=schema), tables.SCORES)


def judgments(rows: Sequence[tuple[str | None, str, str, str]]) -> Frame:
    """From (annotator, item, question, value)."""
    made = [
        {
            "judgment": f"j{number}", "item": item, "version": 1, "question": question, "annotator": annotator,
            "value": value, "status": "answered", "phase": "main", "block": "main", "seconds": 5.0 + number,
        }
        for number, (annotator, item, question, value) in enumerate(rows)
    ]  # fmt: skip
    kinds = {name: kind for name, kind in tables.JUDGMENTS.dtypes.items() if name in made[0]}
    return tables.check(pl.DataFrame(made, schema=kinds), tables.JUDGMENTS)


TEXTS = {
    "p1": ("Příliš žluťoučký kůň.", "Kůň úpěl ďábelské ódy."),
    "p2": ("مرحبا بالعالم", "أهلا وسهلا"),
    "p3": ('<script>alert("x")</script>', "a < b & c"),
    "p4": ("One.", "Two."),
}
SCORES = {"p1": 0.9, "p2": 0.6, "p3": 0.4, "p4": 0.1}
ANNOTATORS = pl.DataFrame(
    {"annotator": ["ann", "bob", "cy", "dan"], "kind": ["person"] * 4, "role": [None] * 4, "note": [None] * 4},
    schema=tables.ANNOTATORS.dtypes,
)


def best_worst() -> Frame:
    right = [(name, "t1", question, value) for name in ("ann", "bob") for question, value in
             (("best", "p1"), ("worst", "p4"))]  # fmt: skip
    return judgments([*right, ("cy", "t1", "best", "p4"), ("cy", "t1", "worst", "p1")])


TUPLES = pl.DataFrame(
    [("t1", place, pair) for place, pair in enumerate(TEXTS, 1)], schema=tables.TUPLES.dtypes, orient="row"
)


def written(folder: Path, given: Mapping[str, Frame], of: Recipe | None = None, **how: Any) -> str:
    """The page that these tables make."""
    made = context(folder, of or recipe(), **how)
    made.folder.mkdir(parents=True, exist_ok=True)
    assert html.run(Inputs(given), html.Options(), made) == {}
    return (made.folder / "report.html").read_text(encoding="utf-8")

"""News of tea: pairs, scores and a context for what makes the tables and files of Czech News STS."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from kostra.recipe import About, Recipe, Score, Step
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, Frame, check

START = datetime(2026, 3, 1, tzinfo=UTC)


def a_context(folder: Path, use: str = "analysis/parts") -> Context:
    about = About(name="t", title="Tea news", protocol="t", language="cs", seed=1, citation="Nobody, 2026.")
    step = Step(name="mine", use=use)
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(1), START)


def messages(context: Context) -> str:
    return "\n".join(finding.message for finding in context.findings)


def pairs(*names: str) -> Frame:
    rows = {
        "pair": names,
        "text_a": [f"Tea of {name} is hot." for name in names],
        "text_b": [f"Hot tea\twith {name}." for name in names],
        "context_a": [f"<sent>Tea of {name} is hot.</sent>" for name in names],
        "context_b": [f"So. <sent>Hot tea with {name}.</sent>" for name in names],
    }
    return check(pl.DataFrame(rows, schema_overrides=dict.fromkeys(rows, pl.String)), PAIRS)


def scores(**of: float) -> Frame:
    rows = [(item, question, value, 3) for item, value in of.items() for question in ("similarity",)]
    rows += [(item, "round_1", round(value), 1) for item, value in of.items()]
    return check(pl.DataFrame(rows, schema=["item", "question", "score", "appearances"], orient="row"), SCORES)


def inputs(*, test: Frame | None = None, **more: Frame) -> Inputs:
    everything = pairs("p", "q", "r")
    by_step = {"train": {"pairs": everything}, "test": {"pairs": pairs("p", "q") if test is None else test}}
    return Inputs({"pairs": everything, "scores": scores(p=1.0, q=3.0, r=5.0), **more}, by_step)

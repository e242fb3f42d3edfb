from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.campaign import select
from kostra.campaign.select import Options
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.steps import Context, Inputs
from kostra.tables import ANNOTATORS, JUDGMENTS, Frame, check

ROWS = [
    ("j1", "t1", "best", "ada", "p1", "answered", "authors", "main"),
    ("j2", "t1", "best", "bob", "p1", "answered", "main", "main"),
    ("j3", "t1", "worst", "bob", "p2", "answered", "main", "main"),
    ("j4", "g1", "best", "bob", "p1", "answered", "main", "gold"),
    ("j5", "t1", "best", "model-tiny", "p1", "surplus", "main", "main"),
    ("j6", "t2", "best", "model-tiny", None, "surplus", "main", "main"),
]


def judgments() -> Frame:
    columns = ["judgment", "item", "question", "annotator", "value", "status", "phase", "block"]
    return check(pl.DataFrame(ROWS, schema=columns, orient="row").with_columns(version=1), JUDGMENTS)


def annotators() -> Frame:
    kinds = {"ada": "person", "bob": "person", "model-tiny": "model"}
    return check(pl.DataFrame({"annotator": list(kinds), "kind": list(kinds.values())}), ANNOTATORS)


def context() -> Context:
    about = About(name="r", title="R", protocol="p", language="en", seed=1, citation="c")
    step = Step(name="answers", use="campaign/select")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0, high=1), steps=(step,))
    return Context(recipe, step, Path(), Path(), np.random.default_rng(1), datetime(2026, 1, 1, tzinfo=UTC))


def run(options: Options) -> dict[str, Frame]:
    return select.run(Inputs({"judgments": judgments(), "annotators": annotators()}), options, context())


def test_only_the_answers_of_the_chosen_phases_and_blocks_are_passed_on() -> None:
    made = run(Options(phases=("main",), blocks=("main",)))
    assert made["judgments"]["judgment"].to_list() == ["j2", "j3", "j5", "j6"]
    assert made["annotators"]["annotator"].to_list() == ["bob", "model-tiny"]


def test_only_the_chosen_questions_are_passed_on() -> None:
    assert run(Options(questions=("worst",)))["judgments"]["judgment"].to_list() == ["j3"]


def test_nothing_chosen_passes_on_everything() -> None:
    assert run(Options())["judgments"].equals(judgments())


def test_a_name_that_no_judgment_has_lists_what_there_is() -> None:
    with pytest.raises(KostraError, match='step "answers": no judgment has the phase "mian"') as caught:
        run(Options(phases=("mian",)))
    assert caught.value.accepted == "authors, main"


def test_people_are_passed_on_without_models() -> None:
    assert set(run(Options(kinds=("person",)))["judgments"]["annotator"]) == {"ada", "bob"}


def test_models_alone_are_passed_on_as_answers_of_their_own() -> None:
    made = run(Options(kinds=("model",)))
    assert made["judgments"]["status"].to_list() == ["answered", "impossible"]
    assert made["annotators"]["kind"].to_list() == ["model"]


def test_kinds_cannot_be_told_without_the_annotators() -> None:
    with pytest.raises(KostraError, match="who answered is not known"):
        select.run(Inputs({"judgments": judgments()}), Options(kinds=("person",)), context())


def test_the_plan_says_what_is_chosen() -> None:
    found = select.plan({"judgments": 6}, Options(phases=("main",), blocks=("main",)), context())
    assert found.says == "passes on those of 6 judgments that fit (phases: main; blocks: main)"

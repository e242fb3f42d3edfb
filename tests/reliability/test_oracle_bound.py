from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.ratings import ratings_from, ratings_of
from kostra.recipe import About, Recipe, Score, Step
from kostra.reliability import oracle_bound as component
from kostra.reliability.oracle_bound import item_bounds, moments, oracle_bound
from kostra.sources.released import czech_news_sts
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, Frame, check


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="cs", seed=1, citation="t")
    step = Step(name="oracle", use="reliability/oracle_bound")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    return Context(recipe, step, folder, folder, rng(), datetime(2026, 3, 1, tzinfo=UTC))


def judgments(rows: list[tuple[str, str, str, str]]) -> Frame:
    columns = ("item", "value", "phase", "block")
    cells = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    fixed = {
        "judgment": [f"j{n}" for n in range(len(rows))],
        "version": 1,
        "question": "similarity",
        "status": "answered",
    }
    return check(pl.DataFrame({**cells, **fixed}), JUDGMENTS)


def test_the_released_nine_answers_bound_the_error_at_1582(data: Path) -> None:
    released = czech_news_sts.read(data / "cna_free_test.tsv")
    found = oracle_bound(ratings_of(released.tables["judgments"], "similarity"), rng=rng())
    assert found.value == pytest.approx(0.1582, abs=5e-5)
    assert found.low < found.value < found.high
    assert found.high - found.low < 0.02
    assert (found.n, found.note) == (1200, "")


def test_items_may_have_different_numbers_of_answers() -> None:
    # 0, 0, 0, 4: mean 1, s² = (1+1+1+9)/3 = 4, (3/1)·4/4 = 3.
    # 0, 0, 0, 0, 5: mean 1, s² = (4·1+16)/4 = 5, (4/2)·5/5 = 2.
    ratings = ratings_from(["p"] * 4 + ["q"] * 5, [0, 0, 0, 4, 0, 0, 0, 0, 5])
    assert item_bounds(ratings).tolist() == pytest.approx([3.0, 2.0])
    assert oracle_bound(ratings, rng=rng()).value == pytest.approx(2.5)


def test_three_answers_have_no_bound_and_are_counted() -> None:
    found = oracle_bound(ratings_from(["p"] * 3 + ["q"] * 2, [0, 1, 2, 3, 4]), rng=rng())
    assert np.isnan(found.value)
    assert found.note == "undefined: 2 of 2 items have fewer than 4 answers and no bound"


def test_equal_answers_have_the_bound_zero_even_where_their_mean_is_rounded() -> None:
    tenth = 0.1
    assert sum([tenth] * 10) / 10 != tenth
    assert item_bounds(ratings_from(["p"] * 10, [tenth] * 10)).tolist() == [0.0]
    assert moments(np.zeros(10, dtype=np.int64), np.full(10, tenth), 1)[1].tolist() == [tenth]


def test_the_same_seed_gives_the_same_interval() -> None:
    ratings = ratings_from([f"p{n // 5}" for n in range(60)], np.random.default_rng(2).integers(0, 7, 60).tolist())
    assert oracle_bound(ratings, rng=rng()) == oracle_bound(ratings, rng=rng())


def test_labels_are_refused() -> None:
    with pytest.raises(KostraError, match="needs numbers, and the answers are labels: yes, no"):
        oracle_bound(ratings_from(["p", "p"], ["yes", "no"]), rng=rng())


def test_the_step_takes_the_answers_of_its_phases_and_blocks(tmp_path: Path) -> None:
    rows = [("p", value, "free", "main") for value in "1133"]
    rows += [("p", "6", "free", "repeat"), ("p", "0", "context", "main"), ("q", "2", "free", "main")]
    here = context(tmp_path)
    options = component.Options(phases=("free",), blocks=("main",))
    made = component.run(Inputs({"judgments": judgments(rows)}), options, here)
    # 1, 1, 3, 3: s² = 4/3, (3/1)·(4/3)/4 = 1; the one answer about q has no bound.
    assert made["statistics"].select("statistic", "question", "value", "n").rows() == [
        ("oracle_bound", "similarity", 1.0, 1)
    ]
    assert [finding.message for finding in here.findings] == ["1 of 2 items has fewer than 4 answers and no bound"]


def test_a_phase_that_nobody_answered_in_is_refused(tmp_path: Path) -> None:
    options = component.Options(phases=("fre",))
    with pytest.raises(KostraError, match='no accepted answer to "similarity" in the phases fre'):
        component.run(Inputs({"judgments": judgments([("p", "1", "free", "main")])}), options, context(tmp_path))

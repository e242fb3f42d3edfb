"""RMSE by thinking time and the calibration curve."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.reliability import calibration_curve as calibration
from kostra.reliability import thinking_time as thinking
from kostra.reliability.calibration_curve import already_given, calibration_curve
from kostra.reliability.thinking_time import rmse_by_thinking_time
from kostra.sources.released import czech_news_sts
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, SCORES, Frame, check

START = datetime(2026, 3, 1, tzinfo=UTC)


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="cs", seed=1, citation="t")
    step = Step(name="curve", use="reliability/thinking_time")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    return Context(recipe, step, folder, folder, rng(), START)


def answer(
    who: str | None, item: str, value: str | None, seconds: float | None, minute: float | None, **more: Any
) -> Any:
    at = None if minute is None else START + timedelta(minutes=minute)
    row = {"item": item, "annotator": who, "value": value, "seconds": seconds, "answered_at": at, "status": "answered"}
    return {**row, "question": "similarity", "phase": "preliminary", "block": "main", "version": 1, **more}


def inputs(rows: list[dict[str, Any]], reference: dict[str, float]) -> Inputs:
    numbered = [{**row, "judgment": f"j{n}"} for n, row in enumerate(rows)]
    names = [column.name for column in JUDGMENTS.columns if column.name in numbered[0]]
    judgments = pl.DataFrame(numbered, schema={name: JUDGMENTS.dtypes[name] for name in names})
    scores = pl.DataFrame({"item": list(reference), "question": "round_1", "score": list(reference.values())})
    scores = scores.with_columns(appearances=pl.lit(1))
    return Inputs({"judgments": check(judgments, JUDGMENTS), "scores": check(scores, SCORES)})


ROWS = [
    answer("ann", "p", "6", 0.5, 1),
    answer("ann", "q", "3", 1.5, 2),
    answer("bob", "q", "2", 0.9, 1),
    answer("bob", "p", "4", 1.0, 3),
    answer("cyn", "p", "3", 1.2, 1),
]
REFERENCE = {"p": 4.0, "q": 1.0}


def read(path: Path) -> Frame:
    return pl.read_csv(path)


# Thinking time -----------------------------------------------------------------------------------------


def test_error_is_the_root_of_the_mean_square_in_each_bucket(tmp_path: Path) -> None:
    made = thinking.run(inputs(ROWS, REFERENCE), thinking.Options(against="round_1"), context(tmp_path))
    # Below 1 s: 6−4 and 2−1, √(5/2). From 1 s: 3−1, 4−4, 3−4, √(5/3). All: √(10/5).
    curve = read(tmp_path / "thinking_time.csv")
    assert curve["seconds_from"].to_list() == [0.0, 1.0]
    assert curve["value"].to_list() == pytest.approx([2.5**0.5, (5 / 3) ** 0.5])
    assert curve.select("n", "annotators").rows() == [(2, 2), (3, 3)]
    (row,) = made["statistics"].rows(named=True)
    assert (row["statistic"], row["question"], row["n"]) == ("thinking_time_rmse", "similarity", 5)
    assert row["value"] == pytest.approx(2**0.5)
    assert row["low"] <= row["value"] <= row["high"]


def test_buckets_have_the_wanted_width_and_rounding_moves_nothing() -> None:
    seconds = np.array([0.0, 0.29, 0.3, 0.7, 0.9])
    found = rmse_by_thinking_time(
        np.arange(5.0), np.zeros(5), seconds, np.arange(5), bucket_seconds=0.1, rng=rng(), samples=10
    )
    assert found.points["seconds_from"].to_list() == pytest.approx([0.0, 0.2, 0.3, 0.7, 0.9])


def test_one_annotators_bucket_has_no_band() -> None:
    found = rmse_by_thinking_time(
        np.array([1.0, 2.0, 3.0]), np.zeros(3), np.array([0.5, 0.6, 5.0]), np.array([0, 1, 1]), rng=rng()
    )
    assert found.points["low"].is_null().to_list() == [False, True]
    assert found.points["value"].to_list()[1] == 3.0


def test_the_band_covers_the_true_error_about_as_often_as_it_says() -> None:
    # Errors of sd 1 plus a leaning of sd 1 per annotator: the true RMSE is √2. As many annotators as in the paper; with
    # 40 of them the band covers about 90%, as percentile bands of a variance do.
    draw = np.random.default_rng(8)
    who = np.repeat(np.arange(216), 5)
    covered = 0
    for _ in range(100):
        error = draw.standard_normal(len(who)) + draw.standard_normal(216)[who]
        whole = rmse_by_thinking_time(error, np.zeros(len(who)), np.zeros(len(who)), who, rng=draw, samples=200).whole
        covered += whole.low <= 2**0.5 <= whole.high
    assert covered >= 88


def test_answers_without_a_time_are_counted_and_without_any_refused(tmp_path: Path) -> None:
    some_missing = [*ROWS, answer("cyn", "q", "1", None, 4)]
    here = context(tmp_path)
    thinking.run(inputs(some_missing, REFERENCE), thinking.Options(against="round_1"), here)
    assert [finding.message for finding in here.findings] == ["left out, since nobody noted the time: 1 judgment"]
    none = [{**row, "seconds": None} for row in ROWS]
    with pytest.raises(KostraError, match="none of these answers has one"):
        thinking.run(inputs(none, REFERENCE), thinking.Options(against="round_1"), context(tmp_path))


def test_a_negative_time_is_refused() -> None:
    with pytest.raises(KostraError, match=r"1 thinking times are no time, e\.g\. -1"):
        rmse_by_thinking_time(np.zeros(1), np.zeros(1), np.array([-1.0]), np.zeros(1, dtype=np.int64), rng=rng())


# Calibration -------------------------------------------------------------------------------------------


def test_all_annotators_first_answers_are_correlated_at_once(tmp_path: Path) -> None:
    # First answers: ann p 6, bob q 2, cyn p 3, against 4, 1, 4. Deviations 7/3, −5/3, −2/3 and 1, −2, 1: products
    # 7/3 + 10/3 − 2/3 = 5; squares (49 + 25 + 4)/9 = 26/3 and 6; 5/√52. Second answers: ann q 3, bob p 4 against 1, 4.
    calibration.run(inputs(ROWS, REFERENCE), calibration.Options(against="round_1"), context(tmp_path))
    curve = read(tmp_path / "calibration_curve.csv")
    assert curve["given"].to_list() == [0, 1]
    assert curve["value"].to_list() == pytest.approx([5 / 52**0.5, 1.0])
    assert curve["n"].to_list() == [3, 2]


def test_the_curve_is_numpys_correlation_and_its_band_holds_it() -> None:
    draw = np.random.default_rng(3)
    people, each = 30, 8
    reference = draw.normal(3, 1.5, people * each)
    given, who = np.tile(np.arange(each), people), np.repeat(np.arange(people), each)
    values = reference + draw.normal(0, 2 / (1 + given))
    found = calibration_curve(values, reference, given, who, rng=rng())
    expected = [np.corrcoef(values[given == k], reference[given == k])[0, 1] for k in range(each)]
    assert found.points["value"].to_list() == pytest.approx(expected, abs=1e-12)
    assert found.whole.value == pytest.approx(np.corrcoef(values, reference)[0, 1], abs=1e-12)
    assert ((found.points["low"] < found.points["value"]) & (found.points["value"] < found.points["high"])).all()


def test_an_undefined_correlation_is_empty() -> None:
    found = calibration_curve(
        np.array([1.1, 1.1, 1.1, 2.0]), np.array([1.0, 2.0, 4.0, 1.0]), np.array([0, 0, 0, 1]), np.arange(4), rng=rng()
    )
    assert found.points["value"].to_list() == [None, None]
    assert found.points["low"].to_list() == [None, None]


def test_superseded_answers_were_practice_and_count_as_given_but_are_not_correlated(tmp_path: Path) -> None:
    rows = [
        answer("ann", "p", "0", 1, 1, status="superseded"),
        answer("ann", "p", "4", 1, 2),
        answer("ann", "q", None, 1, 3, status="impossible"),
        answer("ann", "q", "1", 1, 4),
    ]
    calibration.run(inputs(rows, REFERENCE), calibration.Options(against="round_1"), context(tmp_path))
    assert read(tmp_path / "calibration_curve.csv").select("given", "n").rows() == [(1, 1), (2, 1)]


def test_order_is_that_of_time_and_not_of_the_table() -> None:
    frame = inputs([ROWS[1], ROWS[0], ROWS[2]], REFERENCE)["judgments"]
    assert already_given(frame).select("item", "given").rows() == [("q", 1), ("p", 0), ("q", 0)]


def test_answers_without_a_time_have_no_order_and_are_refused(tmp_path: Path) -> None:
    rows = [*ROWS, answer("cyn", "q", "1", 2, None)]
    with pytest.raises(KostraError, match="needs the order of the answers, and 1 of 6 judgments have no time"):
        calibration.run(inputs(rows, REFERENCE), calibration.Options(against="round_1"), context(tmp_path))


# Both --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("component", [thinking, calibration])
def test_the_released_anonymous_answers_are_refused_with_the_reason(component: Any, data: Path, tmp_path: Path) -> None:
    released = czech_news_sts.read(data / "cna_free_test.tsv")
    with pytest.raises(KostraError, match="10,800 of 10,800 judgments are anonymous"):
        component.run(Inputs(released.tables), component.Options(against="round_1"), context(tmp_path))


@pytest.mark.parametrize("component", [thinking, calibration])
def test_answers_about_items_without_reference_are_counted(component: Any, tmp_path: Path) -> None:
    here = context(tmp_path)
    component.run(
        inputs([*ROWS, answer("cyn", "new", "2", 1, 9)], REFERENCE), component.Options(against="round_1"), here
    )
    messages = [finding.message for finding in here.findings]
    assert messages == ['left out for want of a score of "round_1": 1 judgment']


@pytest.mark.parametrize("component", [thinking, calibration])
def test_text_answers_and_an_unknown_reference_are_refused(component: Any, tmp_path: Path) -> None:
    text = answer("cyn", "q", "maybe", 1, 9, question="label")
    with pytest.raises(KostraError, match=r"needs numbers, and 1 judgment gave none, e\.g\. 'maybe' to .label."):
        component.run(inputs([*ROWS, text], REFERENCE), component.Options(against="round_1"), context(tmp_path))
    chosen = component.Options(against="round_1", questions=("similarity",))
    assert component.run(inputs([*ROWS, text], REFERENCE), chosen, context(tmp_path))["statistics"].height == 1
    with pytest.raises(
        KostraError, match='no answer is about an item with a score of "round_2"\n  accepted: scores of round_1'
    ):
        component.run(inputs(ROWS, REFERENCE), component.Options(against="round_2"), context(tmp_path))


@pytest.mark.parametrize("component", [thinking, calibration])
def test_only_the_chosen_phases_and_blocks_count_and_an_unknown_one_is_refused(component: Any, tmp_path: Path) -> None:
    rows = [*ROWS, answer("cyn", "q", "1", 1, 9, phase="main"), answer("cyn", "q", "1", 1, 10, block="repeat")]
    chosen = component.Options(against="round_1", phases=("preliminary",), blocks=("main",))
    assert component.run(inputs(rows, REFERENCE), chosen, context(tmp_path))["statistics"]["n"].to_list() == [5]
    unknown = component.Options(against="round_1", phases=("prelim",))
    with pytest.raises(KostraError, match="no judgment belongs to the phase prelim\n  accepted: preliminary, main"):
        component.run(inputs(rows, REFERENCE), unknown, context(tmp_path))


@pytest.mark.parametrize("component", [thinking, calibration])
def test_the_same_seed_writes_the_same_bytes(component: Any, tmp_path: Path) -> None:
    written = []
    for _ in range(2):
        component.run(inputs(ROWS, REFERENCE), component.Options(against="round_1"), context(tmp_path))
        written.append([path.read_bytes() for path in sorted(tmp_path.glob("*.csv"))])
    assert written[0] == written[1]

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kostra
from kostra import tables
from kostra.campaign.planning import (
    Assumptions,
    CampaignPlan,
    Price,
    noise_of_best_worst,
    noise_of_ratings,
    plan_campaign,
)
from kostra.campaign.simulated import choose_best_worst
from kostra.errors import KostraError
from kostra.ratings import ratings_from
from kostra.sampling.design import tuple_design

SMALL = Assumptions(items=60)


def quick(**options: object) -> CampaignPlan:
    settings: dict[str, object] = {"designs": ("rating", "bws_repeated"), "per_item": (1, 4), "simulations": 3}
    return plan_campaign(SMALL, **{**settings, **options})  # type: ignore[arg-type]


def test_more_answers_bring_the_scores_closer_to_the_truth() -> None:
    made = quick(designs=("rating", "bws_repeated", "bws_distinct", "bws_adaptive"))
    for _, own in made.curve.group_by("design"):
        few, many = own.sort("answers_per_item")["truth"]
        assert many > few + 0.03


def test_the_price_follows_from_the_answers() -> None:
    made = quick(price=Price(rating_seconds=36, best_worst_seconds=72, hourly_pay=10))
    rating = made.curve.filter((pl.col("design") == "rating") & (pl.col("answers_per_item") == 4)).row(0, named=True)
    assert rating["answers"] == 240  # 60 items × 4
    assert rating["hours"] == pytest.approx(2.4)  # 240 × 36 s
    assert rating["cost"] == pytest.approx(24)


def test_a_target_is_read_off_the_curve_between_the_simulated_sizes() -> None:
    made = quick(designs=("rating",), per_item=(1, 2, 4, 8), target=0.88, hours_each=0.05)
    need = made.needs[0]
    assert need.answers_per_item is not None
    assert need.answers is not None
    reached = made.curve.filter(pl.col("truth") >= 0.88)["answers_per_item"].min()
    missed = made.curve.filter(pl.col("truth") < 0.88)["answers_per_item"].max()
    assert missed is not None
    assert reached is not None
    assert float(missed) < need.answers_per_item <= float(reached)  # type: ignore[arg-type]
    assert need.annotators == math.ceil(need.answers * 12 / 3600 / 0.05)


def test_a_target_out_of_reach_says_so_and_stands_last() -> None:
    made = quick(per_item=(1,), target=0.99)
    assert all(need.answers is None and need.cost is None for need in made.needs)


def test_the_same_seed_gives_the_same_plan() -> None:
    assert quick(seed=3).curve.equals(quick(seed=3).curve)
    assert not quick(seed=3).curve.equals(quick(seed=4).curve)


def test_a_big_campaign_is_simulated_with_a_part_of_its_items_and_says_so() -> None:
    made = plan_campaign(Assumptions(items=5500), designs=("rating",), per_item=(2,), simulations=2)
    assert made.curve["answers"].to_list() == [11_000]
    assert "simulated with 400 of the 5,500 items" in made.notes


@pytest.mark.parametrize("noise", [0.3, 0.57, 1.0])
def test_the_noise_of_a_best_worst_pilot_is_found_again(noise: float) -> None:
    rng = np.random.default_rng(5)
    truth = rng.standard_normal(200)
    shown = np.repeat(tuple_design(200, tuples=400, rng=rng), 2, axis=0)
    best, worst = choose_best_worst(truth[shown], np.full(800, noise), np.zeros(800, dtype=np.bool_), rng=rng)
    rows = np.arange(800)
    found = noise_of_best_worst(shown, shown[rows, best], shown[rows, worst], items=200)
    assert found == pytest.approx(noise, rel=0.2)


def test_the_noise_of_a_rating_pilot_is_found_again() -> None:
    rng = np.random.default_rng(6)
    truth = np.repeat(rng.standard_normal(400), 5)
    # Normal noise of standard deviation 0.731 has the spread of Gumbel noise of scale 0.57.
    values = truth + 0.731 * rng.standard_normal(2000)
    items = [f"item {n}" for n in np.repeat(np.arange(400), 5)]
    assert noise_of_ratings(ratings_from(items, values.tolist())) == pytest.approx(0.57, rel=0.1)


def test_a_pilot_of_pure_noise_or_of_single_answers_cannot_be_planned_with() -> None:
    with pytest.raises(KostraError, match="at least two items, and some with two answers"):
        noise_of_ratings(ratings_from(["p", "q"], [1, 2]))
    with pytest.raises(KostraError, match="differ no more than its noise"):
        noise_of_ratings(ratings_from(["p", "p", "q", "q"], [0, 5, 5, 0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"designs": ("ratings",)}, 'did you mean "rating"'),
        ({"target": 1.5}, "no correlation to aim at"),
        ({"simulations": 1}, "give no interval"),
        ({"price": Price(hourly_pay=-4)}, "a price is impossible"),
        ({"per_item": (0,)}, "must be positive"),
    ],
)
def test_impossible_requests_explain_themselves(options: dict[str, object], message: str) -> None:
    with pytest.raises(KostraError, match=message):
        quick(**options)


def test_a_rating_needs_as_many_people_as_answers_per_item() -> None:
    made = quick(designs=("rating",), per_item=(4, 5), target=0.5, hours_each=100)
    assert made.needs[0].annotators == 4


def test_impossible_people_are_refused() -> None:
    for strange in (Assumptions(items=60, noise=-1), Assumptions(items=60, careless=2)):
        with pytest.raises(KostraError, match="describe nobody"):
            plan_campaign(strange, designs=("rating",), per_item=(1,), simulations=2)


def test_a_plan_from_nothing_asks_for_the_number_of_items() -> None:
    with pytest.raises(KostraError, match="how many items"):
        kostra.plan()


def test_a_project_gives_its_items_and_a_pilot_its_noise(tmp_path: Path) -> None:
    folder = kostra.new("bws", tmp_path / "mine")
    options = {"designs": ("rating",), "per_item": (1.0, 2.0), "simulations": 2}
    made = kostra.plan(folder, **options)  # type: ignore[arg-type]
    assert made.assumptions.items == 60
    assert any("noise 0.57 is assumed" in note for note in made.notes)
    kostra.build(folder, simulate=True)
    judgments = tables.read(folder / "build" / "annotate" / "judgments.parquet", tables.JUDGMENTS)
    tables.write(judgments, folder / "data" / "judgments.csv")
    measured = kostra.plan(folder, **options)  # type: ignore[arg-type]
    assert any("measured from" in note for note in measured.notes)
    assert 0.1 < measured.assumptions.noise < 2


def test_the_summary_is_json_and_the_figure_draws_every_design() -> None:
    made = quick()
    assert set(json.loads(json.dumps(made.summary()))) == {
        "assumptions", "price", "target", "measure", "needs", "curve", "notes",
    }  # fmt: skip
    assert "ratings" in str(made.figure().get_label())

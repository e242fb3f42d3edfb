from __future__ import annotations

from collections import Counter
from datetime import timedelta

import numpy as np
import polars as pl

from kostra.campaign.policies import random
from kostra.campaign.protocol import Phase
from kostra.campaign.schedule import Schedule
from kostra.campaign.simulated import (
    Answers,
    SimulatedAnnotator,
    annotator_table,
    latent_relatedness,
    make_annotators,
    simulate_phase,
)
from kostra.recipe import Score, Simulation
from kostra.tables import PAIRS, Frame, check

BEST_WORST = Phase(name="main", task="best_worst", overlap=2)
RATING = Phase(name="main", task="rating", overlap=3)
UNIT = Score(question="relatedness", low=0, high=1)
SCALE = Score(question="relatedness", low=0, high=5)
CAREFUL = SimulatedAnnotator("careful", noise=0.0, leaning=0.0, seconds=20, careless=False)
CARELESS = SimulatedAnnotator("careless", noise=0.0, leaning=0.0, seconds=20, careless=True)
LATENT = {"a": 2.0, "b": 0.0, "c": -1.0, "d": -2.0}


def answers(phase: Phase, score: Score, seed: int = 1) -> Answers:
    return Answers(phase, score, LATENT, members={"t": ["b", "d", "a", "c"]}, rng=np.random.default_rng(seed))


def test_an_annotator_without_noise_answers_the_truth() -> None:
    assert answers(BEST_WORST, UNIT)(CAREFUL, "t") == {"best": "a", "worst": "d"}
    # 2.5 + z · 5/4, rounded: 5, 2 (2.5 to even), 1.25 → 1, 0
    rated = [answers(RATING, SCALE)(CAREFUL, item)["relatedness"] for item in "abcd"]
    assert rated == ["5", "2", "1", "0"]


def test_a_careless_annotator_answers_at_random_but_validly() -> None:
    choose = answers(BEST_WORST, UNIT)
    found = [choose(CARELESS, "t") for _ in range(400)]
    assert all(one["best"] != one["worst"] for one in found)
    # Each of four items is best in a quarter of 400 answers, give or take three standard deviations (26).
    assert all(abs(count - 100) < 26 for count in Counter(one["best"] for one in found).values())


def test_the_declared_share_of_annotators_is_careless() -> None:
    made = make_annotators(Simulation(annotators=20, careless=0.25), rng=np.random.default_rng(1))
    assert sum(annotator.careless for annotator in made) == 5
    assert len({annotator.name for annotator in made}) == 20
    notes = annotator_table(made)
    assert notes["note"].str.starts_with("careless").sum() == 5
    assert set(notes["kind"]) == {"simulated"}


def run_phase(annotators: int, seed: int = 1) -> tuple[Frame, Schedule]:
    rng = np.random.default_rng(seed)
    people = make_annotators(Simulation(annotators=annotators), rng=rng)
    schedule = Schedule(list("abcd"), overlap=3, policy=random, seed=seed, lease=timedelta(minutes=30))
    judge = Answers(RATING, SCALE, LATENT, members={}, rng=rng)
    return simulate_phase(RATING, schedule, people, judge, rng=rng), schedule


def test_a_simulated_phase_has_exactly_the_promised_overlap() -> None:
    judgments, schedule = run_phase(annotators=6)
    assert schedule.complete
    assert judgments.filter(pl.col("status") == "answered").group_by("item").len()["len"].to_list() == [3, 3, 3, 3]
    assert not judgments.select("item", "annotator").is_duplicated().any()
    assert (judgments["answered_at"] >= judgments["shown_at"]).all()


def test_too_few_annotators_leave_answers_owed_rather_than_answering_twice() -> None:
    judgments, schedule = run_phase(annotators=2)
    assert not schedule.complete
    assert judgments.height == 8  # 2 annotators × 4 items


def test_the_same_seed_simulates_the_same_judgments() -> None:
    assert run_phase(6)[0].equals(run_phase(6)[0])
    assert not run_phase(6)[0].equals(run_phase(6, seed=2)[0])


def test_latent_relatedness_is_standardised_and_follows_the_texts() -> None:
    pairs = check(
        pl.DataFrame(
            {
                "pair": [f"p{n}" for n in range(200)],
                "text_a": ["A dog runs across the field."] * 200,
                "text_b": ["A dog is running over a field."] * 100 + ["Bread needs yeast and time."] * 100,
            }
        ),
        PAIRS,
    )
    latent = latent_relatedness(pairs, rng=np.random.default_rng(1))
    values = np.array(list(latent.values()))
    assert abs(values.mean()) < 0.2
    assert 0.85 < values.std() < 1.15
    assert values[:100].mean() > values[100:].mean() + 1

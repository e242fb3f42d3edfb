"""Adaptive best–worst scaling: what it buys, what it promises annotators, and where it stops."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.campaign.adaptive import AdaptiveDesign, AdaptiveSchedule, tuple_worth
from kostra.correlate import correlation
from kostra.errors import KostraError
from kostra.sampling.design import tuple_design
from kostra.scoring.counting import FloatArray, IntArray, count_scores

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def answered(truth: FloatArray, tuples: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Best and worst, seen through Gumbel noise of the calibrated size."""
    rows = np.arange(len(tuples))
    best = np.argmax(truth[tuples] + 0.57 * rng.gumbel(size=tuples.shape), axis=1)
    low = truth[tuples] - 0.57 * rng.gumbel(size=tuples.shape)
    low[rows, best] = np.inf
    return tuples[rows, best], tuples[rows, np.argmin(low, axis=1)]


def learnt(design: AdaptiveDesign, truth: FloatArray, rng: np.random.Generator, people: int = 4) -> None:
    """Let annotators answer in turn until the design is finished."""
    turn = 0
    while not design.finished:
        name = f"annotator {turn % people}"
        tuples = design.next_batch(name)
        design.add(tuples, *answered(truth, tuples, rng), annotator=name)
        turn += 1


# What it buys ------------------------------------------------------------------------------------------


def test_three_fifths_of_the_answers_are_worth_more_than_counting_all() -> None:
    # Counting alone is cheap, so that its level is the mean of many seeds; the calibrated comparison with 500 items and
    # ten seeds is bench/adaptive.py.
    items, adaptive, counted = 150, [], []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        truth = rng.standard_normal(items)
        tuples = np.repeat(tuple_design(items, tuples=2 * items, rng=rng), 2, axis=0)
        scores = count_scores(tuples, *answered(truth, tuples, rng), items=items).raw
        counted.append(correlation(scores, truth, ranks=True))
        if seed < 6:
            design = AdaptiveDesign(items, budget=round(0.6 * 4 * items), rng=rng)
            learnt(design, truth, rng)
            assert design.answers == 360
            adaptive.append(correlation(design.scores().z, truth, ranks=True))
    assert np.mean(counted) == pytest.approx(0.934, abs=0.005)
    assert np.mean(adaptive) > np.mean(counted)


def test_close_company_is_worth_more_and_uncertain_items_are_too() -> None:
    z, one = np.array([0.0, 0.1, 0.2, 3.0, 0.1]), np.ones(5)
    variance = np.array([1.0, 1.0, 1.0, 1.0, 4.0])
    near, far, doubtful = tuple_worth(z, variance, one, np.array([[0, 1, 2], [0, 1, 3], [0, 4, 2]]))
    assert doubtful > near > far


# What it promises --------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 20), st.integers(2, 4), st.integers(1, 3), st.integers(0, 99))
def test_no_annotator_meets_a_pair_of_items_twice(items: int, size: int, people: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(items)
    design = AdaptiveDesign(items, size=size, budget=3 * items, rng=rng)
    met: dict[str, set[tuple[int, int]]] = {}
    idle = 0
    while not design.finished and idle < people:
        name = f"annotator {int(rng.integers(people))}"
        tuples = design.next_batch(name)
        idle = 0 if len(tuples) else idle + 1
        for row in tuples.tolist():
            assert len(set(row)) == size
            pairs = set(combinations(sorted(row), 2))
            assert met.setdefault(name, set()).isdisjoint(pairs)
            met[name] |= pairs
        design.add(tuples, *answered(truth, tuples, rng), annotator=name)
    assert design.answers <= 3 * items


def test_every_item_is_shown_before_long() -> None:
    rng = np.random.default_rng(1)
    design = AdaptiveDesign(40, budget=40, rng=rng)
    learnt(design, rng.standard_normal(40), rng)
    assert (design.scores().appearances > 0).all()


def test_the_same_seed_asks_the_same() -> None:
    def asked(seed: int) -> list[int]:
        design = AdaptiveDesign(30, budget=30, rng=np.random.default_rng(seed))
        learnt(design, np.linspace(-2, 2, 30), np.random.default_rng(9))
        return [int(count) for count in design.scores().appearances]

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


# Where it stops ----------------------------------------------------------------------------------------


def test_it_stops_at_the_target_error() -> None:
    rng = np.random.default_rng(2)
    design = AdaptiveDesign(60, target=0.09, rng=rng)
    learnt(design, rng.standard_normal(60), rng, people=20)
    model = design.scores()
    assert design.error <= 0.09
    assert float(np.sqrt((model.score_error**2).mean())) == pytest.approx(0.09, abs=0.015)
    assert 60 < design.answers < 400


def test_it_stops_exactly_at_the_budget() -> None:
    rng = np.random.default_rng(3)
    design = AdaptiveDesign(40, batch=7, budget=31, rng=rng)
    learnt(design, rng.standard_normal(40), rng)
    assert design.answers == 31
    assert len(design.next_batch("ann")) == 0


def test_a_design_that_would_never_stop_or_cannot_be_made_is_refused() -> None:
    with pytest.raises(ValueError, match="budget or at a target"):
        AdaptiveDesign(10, rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="tuples of 4 cannot be made of 3 items"):
        AdaptiveDesign(3, budget=9, rng=np.random.default_rng(1))


# The schedule ------------------------------------------------------------------------------------------


def a_schedule(items: int = 12, budget: int = 8, seed: int = 1) -> AdaptiveSchedule:
    design = AdaptiveDesign(items, budget=budget, rng=np.random.default_rng(seed))
    return AdaptiveSchedule([f"item {number}" for number in range(items)], design)


def first_and_last(schedule: AdaptiveSchedule, shown: str) -> Mapping[str, str]:
    members = schedule.members[shown]
    return {"best": members[0], "worst": members[-1]}


def test_annotators_side_by_side_spend_the_budget_and_no_more() -> None:
    schedule, now, shown_to = a_schedule(budget=9), NOON, dict.fromkeys("abc", 0)
    while True:
        shown = {name: schedule.next(name, now) for name in shown_to}
        if not any(shown.values()):
            break
        for name, item in shown.items():
            if item is not None:
                assert schedule.answer(name, item, now, first_and_last(schedule, item)) == "answered"
                shown_to[name] += 1
        now += timedelta(seconds=30)
    assert schedule.complete
    assert schedule.accepted == sum(shown_to.values()) == 9
    assert all(schedule.accepted_of(item) <= 1 for item in schedule.items)
    assert schedule.tuples().height == 4 * len(schedule.items)


def test_a_lease_is_kept_runs_out_and_late_answers_are_surplus() -> None:
    schedule = a_schedule(items=4, budget=2)
    shown = schedule.next("ann", NOON)
    assert shown is not None
    assert schedule.next("ann", NOON) == shown
    late = NOON + timedelta(hours=1)
    assert schedule.next("bob", late) == shown
    given_answer = first_and_last(schedule, shown)
    assert schedule.answer("bob", shown, late, given_answer) == "answered"
    assert schedule.answer("ann", shown, late, given_answer) == "surplus"
    assert schedule.accepted == 1


@pytest.mark.parametrize(
    ("item", "chosen", "message"),
    [
        ("no such tuple", {"best": "item 0", "worst": "item 1"}, "there is no tuple"),
        ("adaptive-000001", {"best": "item 0", "worst": "item 0"}, "best is"),
        ("adaptive-000001", {"best": "item 0"}, "worst is"),
        ("adaptive-000001", {"best": "item 0", "worst": "item 99"}, "two different ones of"),
    ],
)
def test_an_answer_that_nobody_can_have_given_is_refused(item: str, chosen: Mapping[str, str], message: str) -> None:
    schedule = a_schedule(items=4)
    schedule.next("ann", NOON)
    with pytest.raises(KostraError, match=message):
        schedule.answer("ann", item, NOON, chosen)
    assert schedule.accepted == 0


def test_a_tuple_is_answered_once_by_one_annotator() -> None:
    schedule = a_schedule(items=4)
    shown = schedule.next("ann", NOON)
    assert shown is not None
    schedule.answer("ann", shown, NOON, first_and_last(schedule, shown))
    with pytest.raises(KostraError, match="answered the tuple"):
        schedule.answer("ann", shown, NOON, first_and_last(schedule, shown))
    assert schedule.next("ann", NOON) is None  # four items, whose pairs ann has all met
    assert schedule.next("bob", NOON) is not None


def test_a_stored_campaign_is_taken_up_again() -> None:
    before = a_schedule()
    told: list[tuple[str, str, Mapping[str, str]]] = []
    for name in "abc":
        shown = before.next(name, NOON)
        assert shown is not None
        told.append((name, shown, first_and_last(before, shown)))
        before.answer(name, shown, NOON, told[-1][2])
    after = a_schedule(seed=5)
    after.restore(before.tuples(), told, NOON)
    assert (after.accepted, after.items, after.members) == (3, before.items, before.members)
    following = after.next("a", NOON)
    assert following not in {item for _, item, _ in told}
    assert after.next("b", NOON) != following

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra import registry
from kostra.campaign.schedule import Policy, Schedule
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
POLICIES = registry.names("campaign/policies")


def policy(name: str) -> Policy:
    return cast(Policy, registry.load("campaign/policies", name))


def make(items: int, *, overlap: int, name: str = "random", minutes: float = 30, seed: int = 1) -> Schedule:
    names = [f"item-{number}" for number in range(items)]
    return Schedule(names, overlap=overlap, policy=policy(name), seed=seed, lease=timedelta(minutes=minutes))


@settings(max_examples=200, deadline=None)
@given(
    items=st.integers(1, 6),
    overlap=st.integers(1, 4),
    name=st.sampled_from(POLICIES),
    events=st.lists(
        st.tuples(
            st.sampled_from(["ann", "bob", "eve", "jan"]), st.sampled_from(["next", "answer"]), st.integers(0, 40)
        ),
        max_size=80,
    ),
)
def test_overlap_is_never_exceeded_and_nobody_answers_an_item_twice(
    items: int, overlap: int, name: str, events: list[tuple[str, str, int]]
) -> None:
    schedule = make(items, overlap=overlap, name=name, minutes=30)
    now = NOON
    holds: dict[str, str] = {}
    accepted: dict[str, list[str]] = {}
    given_out: set[tuple[str, str]] = set()
    for annotator, event, minutes in events:
        now += timedelta(minutes=minutes)
        if event == "next":
            item = schedule.next(annotator, now)
            if item is not None:
                assert (annotator, item) not in given_out, "an item comes never twice to one annotator"
                holds[annotator] = item
        elif annotator in holds:
            item = holds.pop(annotator)
            given_out.add((annotator, item))
            if schedule.answer(annotator, item, now) == "answered":
                accepted.setdefault(item, []).append(annotator)
    assert all(len(people) <= overlap for people in accepted.values())
    assert schedule.accepted == sum(len(people) for people in accepted.values())


@pytest.mark.parametrize("name", POLICIES)
def test_enough_annotators_fill_every_item_exactly(name: str) -> None:
    schedule = make(7, overlap=3, name=name)
    for annotator in ("ann", "bob", "eve", "jan"):
        while (item := schedule.next(annotator, NOON)) is not None:
            schedule.answer(annotator, item, NOON)
    assert schedule.complete
    assert schedule.accepted == 21  # 7 items × 3


def test_an_annotator_who_returns_gets_the_item_they_hold() -> None:
    schedule = make(5, overlap=1)
    assert schedule.next("ann", NOON) == schedule.next("ann", NOON + timedelta(minutes=5))


def test_a_lease_that_ran_out_frees_the_item_and_the_late_answer_is_surplus() -> None:
    schedule = make(1, overlap=1, minutes=10)
    assert schedule.next("ann", NOON) == "item-0"
    assert schedule.next("bob", NOON + timedelta(minutes=9)) is None
    assert schedule.next("bob", NOON + timedelta(minutes=10)) == "item-0"
    assert schedule.answer("bob", "item-0", NOON + timedelta(minutes=11)) == "answered"
    assert schedule.answer("ann", "item-0", NOON + timedelta(minutes=12)) == "surplus"


def test_a_late_answer_is_accepted_while_there_is_room() -> None:
    schedule = make(1, overlap=1, minutes=10)
    schedule.next("ann", NOON)
    assert schedule.answer("ann", "item-0", NOON + timedelta(hours=5)) == "answered"


def test_a_running_lease_keeps_its_place_against_a_late_answer() -> None:
    schedule = make(1, overlap=1, minutes=10)
    schedule.next("ann", NOON)
    later = NOON + timedelta(minutes=11)
    assert schedule.next("bob", later) == "item-0"
    assert schedule.answer("ann", "item-0", later) == "surplus"
    assert schedule.answer("bob", "item-0", later) == "answered"


def test_answering_twice_or_an_unknown_item_is_refused() -> None:
    schedule = make(1, overlap=2)
    schedule.answer("ann", "item-0", NOON)
    with pytest.raises(KostraError, match='"ann" has answered the item "item-0" already'):
        schedule.answer("ann", "item-0", NOON)
    with pytest.raises(KostraError, match='no item "item-9"'):
        schedule.answer("ann", "item-9", NOON)


def test_annotators_meet_the_items_in_different_orders_that_the_seed_fixes() -> None:
    def order(annotator: str, seed: int) -> list[str | None]:
        schedule = make(20, overlap=5, seed=seed)
        found = []
        while (item := schedule.next(annotator, NOON)) is not None:
            schedule.answer(annotator, item, NOON)
            found.append(item)
        return list(found)

    assert order("ann", 1) == order("ann", 1)
    assert order("ann", 1) != order("bob", 1)
    assert order("ann", 1) != order("ann", 2)


def test_the_least_covered_item_comes_first() -> None:
    schedule = make(3, overlap=9, name="least_covered")
    for annotator in ("ann", "bob", "eve"):
        item = schedule.next(annotator, NOON)
        assert item is not None
        schedule.answer(annotator, item, NOON)
    assert [schedule.accepted_of(item) for item in schedule.items] == [1, 1, 1]

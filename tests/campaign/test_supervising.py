"""What somebody who watches over a campaign may do."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.campaign.campaigns import NOON, SCALE, pairs

from kostra.campaign.events import Event
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given, Place
from kostra.campaign.protocol import Campaign, Phase
from kostra.campaign.running import Running
from kostra.errors import KostraError

LATER = NOON + timedelta(minutes=5)


def made(count: int = 3, **changes: Any) -> Running:
    items = pairs(count)
    phase = Phase(**{"name": "main", "task": "rating", "questions": (SCALE,), **changes})
    running = Running(Campaign(phases=(phase,)), Material(items, {("main", 0): tuple(items)}), seed=1)
    for name in ("ann", "bob"):
        running.record(running.join(name, NOON))
    return running


def look(running: Running, name: str, at: Any = NOON) -> Place:
    return running.do(running.next(name, at))


def answer(running: Running, name: str, at: Any = NOON, value: str = "3") -> Any:
    place = look(running, name, at)
    assert place.item is not None
    given = Given(place.phase, place.item.item, 1, {"similarity": [Answer(value)]}, f"{name}-{running.seq}")
    return running.do(running.answer(name, given, at))


def test_a_pause_shows_nobody_anything_new_and_takes_what_stands_on_a_screen() -> None:
    running = made()
    shown = look(running, "ann")
    running.record(running.pause(NOON, note="lunch", by="boss"))
    assert (running.paused, look(running, "ann").reason, look(running, "bob").kind) == ("lunch", "paused", "waiting")
    assert shown.item is not None
    given = Given("main", shown.item.item, 1, {"similarity": [Answer("3")]}, "k")
    assert running.do(running.answer("ann", given, LATER)).status == "answered"
    with pytest.raises(KostraError, match="no answer that can be changed"):
        running.undo("ann", LATER)
    assert running.pause(LATER) == []
    running.record(running.resume(LATER, by="boss"))
    assert look(running, "ann", LATER).kind == "show"
    assert running.resume(LATER) == []


def test_after_its_deadline_a_phase_shows_nothing_and_keeps_nothing() -> None:
    ends = NOON + timedelta(hours=1)
    running = made(deadline=ends)
    before = look(running, "ann", ends - timedelta(minutes=10))
    assert before.kind == "show"
    assert look(running, "bob", ends).reason == "deadline"
    # What was on a screen may be answered while it was kept; it is not kept longer, and later it is surplus.
    assert look(running, "ann", ends + timedelta(minutes=1)).item == before.item
    assert look(running, "ann", ends + timedelta(minutes=25)).reason == "deadline"
    assert before.item is not None
    given = Given("main", before.item.item, 1, {"similarity": [Answer("3")]}, "late")
    assert running.do(running.answer("ann", given, ends + timedelta(days=1))).status == "surplus"


def test_a_deadline_can_be_put_off_and_not_brought_forward() -> None:
    ends = NOON + timedelta(hours=1)
    running = made(deadline=ends)
    for wrong in (NOON, ends):
        with pytest.raises(KostraError, match="no later than the deadline"):
            running.extend("main", wrong, NOON)
    with pytest.raises(KostraError, match="phase"):
        running.extend("other", ends + timedelta(days=1), NOON)
    running.record(running.extend("main", ends + timedelta(days=1), NOON, note="rain", by="boss"))
    assert look(running, "bob", ends).kind == "show"
    assert running.deadline("main") == ends + timedelta(days=1)
    with pytest.raises(KostraError, match="has no deadline"):
        made().extend("main", ends, NOON)


def test_a_revised_recipe_has_the_last_word_about_a_deadline() -> None:
    ends = NOON + timedelta(hours=1)
    items = pairs(2)
    material = Material(items, {("main", 0): tuple(items)})

    def protocol(deadline: Any) -> Campaign:
        return Campaign(phases=(Phase(name="main", task="rating", questions=(SCALE,), deadline=deadline),))

    later = ends + timedelta(days=9)
    revisions = {2: (protocol(ends), material), 3: (protocol(later), material)}
    running = Running(protocol(ends), material, seed=1, load=lambda number: revisions[number])
    running.record(running.extend("main", ends + timedelta(days=2), NOON))
    running.record([Event("revised", NOON, None, {"revision": 2})])
    assert running.deadline("main") == ends + timedelta(days=2)  # the recipe says nothing new
    running.record([Event("revised", NOON, None, {"revision": 3})])
    assert running.deadline("main") == later


def test_what_is_kept_for_somebody_can_be_freed() -> None:
    running = made(1)
    assert look(running, "ann").kind == "show"
    assert look(running, "bob").reason == "others"
    running.record(running.free("ann", NOON, note="asleep", by="boss"))
    assert look(running, "bob").kind == "show"


def test_an_item_can_be_freed_from_whoever_has_it() -> None:
    running = made(1)
    look(running, "ann")
    running.record(running.free_item("main", "p0", NOON))
    assert running.people["ann"].lease is None
    assert look(running, "bob").kind == "show"
    with pytest.raises(KostraError, match="nobody is asked"):
        running.free_item("main", "p9", NOON)


def test_an_item_that_is_given_to_somebody_comes_before_anything_else_and_is_kept_for_them() -> None:
    running = made(30)
    running.record(running.reassign("main", "p20", "bob", NOON, note="theirs", by="boss"))
    seen = set()
    for _ in range(29):  # nobody else gets it
        place = look(running, "ann", LATER)
        assert place.item is not None
        seen.add(place.item.item)
        answer(running, "ann", LATER)
    assert "p20" not in seen
    place = look(running, "bob", LATER)
    assert place.item is not None
    assert place.item.item == "p20"
    assert answer(running, "bob", LATER).status == "answered"


def test_an_item_can_be_taken_from_one_and_given_to_another_who_had_finished() -> None:
    running = made(2)
    first = look(running, "ann").item
    assert first is not None
    answer(running, "bob")
    assert look(running, "bob").reason == "others"
    with pytest.raises(KostraError, match="others are answering it"):
        running.reassign("main", first.item, "bob", NOON)
    running.record(running.join("cyd", NOON))
    with pytest.raises(KostraError, match='not kept for "bob"'):
        running.reassign("main", first.item, "cyd", NOON, taken_from="bob")
    running.record(running.reassign("main", first.item, "bob", NOON, taken_from="ann"))
    assert running.people["ann"].lease is None
    assert look(running, "bob").item == first


@pytest.mark.parametrize("why", ["stopped", "answered", "full", "unknown"])
def test_an_item_cannot_be_given_to_whom_it_does_not_fit(why: str) -> None:
    running = made(1)
    name = "bob"
    if why == "stopped":
        running.record(running.stop("bob", "excluded", NOON))
    elif why == "answered":
        answer(running, "bob")
    elif why == "full":
        answer(running, "ann")
    else:
        name = "nobody"
    with pytest.raises(KostraError):
        running.reassign("main", "p0", name, NOON)


def test_where_items_are_dealt_in_sequences_a_whole_sequence_changes_hands() -> None:
    running = made(4, deal="disjoint_sequences", blocks=({"purpose": "main", "items": 2},))
    shown = look(running, "ann").item
    assert shown is not None
    running.record(running.reassign("main", shown.item, "bob", NOON, taken_from="ann"))
    assert look(running, "bob").item == shown
    answer(running, "bob")
    second = look(running, "bob").item
    other = look(running, "ann").item
    assert second is not None
    assert other is not None
    assert other.item not in (shown.item, second.item)


def test_the_log_of_an_exclusion_says_who_did_it_and_why() -> None:
    running = made()
    (event,) = running.stop("ann", "excluded", NOON, note="bots", by="boss")
    assert event.data == {"reason": "excluded", "note": "bots", "by": "boss"}
    running.record([event])
    (event,) = running.readmit("ann", NOON, note="a mistake", by="boss")
    assert event.data == {"note": "a mistake", "by": "boss"}


def test_who_follows_the_log_learns_which_answers_have_changed() -> None:
    running = made()
    answer(running, "ann")
    first = running.seq
    assert running.altered == []
    running.do(running.undo("ann", NOON))
    given = Given("main", running.records[first].item, 1, {"similarity": [Answer("4")]}, "again")
    running.do(running.answer("ann", given, NOON))
    second = running.seq
    assert running.altered == [first]
    running.record(running.stop("ann", "excluded", NOON))
    running.record(running.readmit("ann", NOON))
    assert running.altered == [first, second, second]
    assert replace(running.records[second]).status == "answered"

"""The protocol, with a fake clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.campaign.campaigns import NOON, Clock, pairs, phase, running, simple

from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given
from kostra.campaign.protocol import Block, Campaign, Check, Gold, Phase, Question
from kostra.campaign.running import Running
from kostra.errors import KostraError

MAIN = Block(purpose="main")


class TestOverlap:
    def test_an_item_is_kept_for_whom_it_was_shown(self) -> None:
        clock = Clock(simple(1))
        clock.join("ann", "bob")
        assert clock.item("ann") == "p0"
        assert clock.next("bob").kind == "waiting"

    def test_a_lease_runs_out_and_a_late_answer_is_surplus(self) -> None:
        clock = Clock(simple(1, lease_minutes=5))
        clock.join("ann", "bob")
        late = clock.next("ann")
        clock.wait(minutes=6)
        assert clock.answer("bob").status == "answered"
        assert clock.answer("ann", place=late).status == "surplus"
        assert clock.statuses("ann") == ["surplus"]

    def test_a_late_answer_is_accepted_while_nobody_else_was_shown_the_item(self) -> None:
        clock = Clock(simple(1, lease_minutes=5))
        clock.join("ann")
        late = clock.next("ann")
        clock.wait(minutes=60)
        assert clock.answer("ann", place=late).status == "answered"

    def test_one_annotator_never_gets_an_item_twice(self) -> None:
        clock = Clock(simple(3, overlap=2))
        clock.join("ann")
        assert clock.work("ann").kind == "finished"
        assert sorted(record.item for record in clock.campaign.people["ann"].records) == ["p0", "p1", "p2"]

    def test_a_resent_answer_is_stored_once(self) -> None:
        clock = Clock(simple(2))
        clock.join("ann")
        place = clock.next("ann")
        first = clock.answer("ann", place=place, key="same")
        again = clock.answer("ann", place=place, key="same")
        assert (first.repeated, again.repeated) == (False, True)
        assert len(clock.campaign.records) == 1

    def test_what_was_not_shown_cannot_be_answered(self) -> None:
        clock = Clock(simple(2))
        clock.join("ann", "bob")
        shown = clock.next("ann")
        with pytest.raises(KostraError, match="was not shown to you"):
            clock.answer("bob", place=shown)

    def test_reloading_the_page_shows_the_same_item(self) -> None:
        clock = Clock(simple(5))
        clock.join("ann")
        assert clock.item("ann") == clock.item("ann")

    def test_orders_differ_between_annotators_and_not_between_runs(self) -> None:
        orders = []
        for _ in range(2):
            clock = Clock(simple(20, overlap=2))
            clock.join("ann", "bob")
            clock.work("ann")
            clock.work("bob")
            people = clock.campaign.people
            orders.append([[record.item for record in people[name].records] for name in ("ann", "bob")])
        assert orders[0] == orders[1]
        assert orders[0][0] != orders[0][1]

    def test_somebody_who_had_finished_gets_what_was_freed(self) -> None:
        clock = Clock(simple(2))
        clock.join("ann", "bob")
        shown = clock.next("bob")
        assert clock.work("ann").kind == "waiting"
        clock.answer("bob", place=shown)
        assert clock.next("ann").kind == "finished"
        clock.campaign.record(clock.campaign.stop("bob", "excluded", clock.now))
        assert clock.work("ann").kind == "finished"
        assert clock.statuses("bob") == ["discarded"]
        assert clock.statuses("ann") == ["answered", "answered"]

    def test_a_skipped_item_goes_to_somebody_else(self) -> None:
        items = pairs(1)
        clock = Clock(running([phase(may_skip=True)], items, {("main", 0): tuple(items)}))
        clock.join("ann", "bob")
        clock.next("ann")
        assert clock.campaign.do(clock.campaign.skip("ann", "k", clock.now)).status == "skipped"
        assert clock.next("ann").kind == "finished" or clock.next("ann").kind == "waiting"
        assert clock.answer("bob").status == "answered"


class TestUndo:
    def test_the_new_answer_supersedes_the_last(self) -> None:
        clock = Clock(simple(2))
        clock.join("ann")
        clock.answer("ann", "1")
        first = clock.campaign.people["ann"].records[0]
        place = clock.campaign.do(clock.campaign.undo("ann", clock.now))
        assert place.again
        assert clock.item("ann") == first.item
        clock.answer("ann", "4")
        assert clock.statuses("ann") == ["superseded", "answered"]
        assert clock.work("ann").kind == "finished"
        assert clock.campaign.phases["main"].pools[0].counts.tolist() == [1, 1]

    def test_the_last_answer_stands_until_the_new_one_comes(self) -> None:
        clock = Clock(simple(2))
        clock.join("ann")
        clock.answer("ann", "1")
        clock.campaign.do(clock.campaign.undo("ann", clock.now))
        assert clock.statuses("ann") == ["answered"]

    def test_what_was_next_is_free_for_others_meanwhile(self) -> None:
        clock = Clock(simple(2))
        clock.join("ann", "bob")
        clock.answer("ann")
        coming = clock.item("ann")
        clock.campaign.do(clock.campaign.undo("ann", clock.now))
        assert clock.item("bob") == coming

    def test_without_an_answer_there_is_nothing_to_undo(self) -> None:
        clock = Clock(simple(2))
        clock.join("ann")
        with pytest.raises(KostraError, match="no answer that can be changed"):
            clock.campaign.undo("ann", clock.now)


class TestPhases:
    def two(self, **second: object) -> Clock:
        items = pairs(4)
        later = phase(name="later", after="main", **second)
        clock = Clock(running([phase(), later], items, {("main", 0): tuple(items), ("later", 0): tuple(items)}))
        clock.join("ann")
        return clock

    def test_the_pause_is_kept_to_the_second(self) -> None:
        clock = self.two(pause_hours=72)
        place = clock.work("ann")
        assert (place.kind, place.until) == ("pause", NOON.replace(day=4))
        clock.wait(hours=72, seconds=-1)
        assert clock.next("ann").kind == "pause"
        clock.wait(seconds=1)
        assert clock.next("ann").kind == "show"

    def test_the_same_items_come_in_the_same_order(self) -> None:
        clock = self.two(same_order_as="main")
        clock.work("ann")
        by_phase = {"main": [], "later": []}  # type: dict[str, list[str]]
        for record in clock.campaign.people["ann"].records:
            by_phase[record.phase].append(record.item)
        assert by_phase["main"] == by_phase["later"]
        assert len(by_phase["main"]) == 4

    def test_repeats_are_what_this_annotator_answered_before(self) -> None:
        items = pairs(6)
        blocks = (MAIN, Block(purpose="repeat", items=2, from_phase="main"))
        first = phase(blocks=(Block(purpose="main", items=3),))
        second = phase(name="later", after="main", overlap=9, blocks=blocks)
        everything = {("main", 0): tuple(items), ("later", 0): ("p5",), ("later", 1): ()}
        clock = Clock(running([first, second], items, everything))
        clock.join("ann")
        clock.work("ann")
        records = clock.campaign.people["ann"].records
        before = {record.item for record in records if record.phase == "main"}
        repeats = [record.item for record in records if (record.phase, record.block) == ("later", 1)]
        assert len(repeats) == 2
        assert set(repeats) <= before

    def test_roles_see_their_own_phases_only(self) -> None:
        items = pairs(2)
        phases = [phase(name="lead", role="leader"), phase(name="judge", role="judge")]
        clock = Clock(running(phases, items, {("lead", 0): ("p0",), ("judge", 0): ("p1",)}))
        clock.join("lea", role="leader")
        clock.join("jud", role="judge")
        assert (clock.item("lea"), clock.item("jud")) == ("p0", "p1")

    def test_a_pair_and_its_reverse_do_not_meet_in_one_sitting(self) -> None:
        items = {
            name: Item(name, "pair", {"text_a": "A.", "text_b": "B."}, reverse=other)
            for name, other in (("ab", "ba"), ("ba", "ab"))
        }
        clock = Clock(running([phase(never_in_one_sitting=("reverse",))], items, {("main", 0): ("ab", "ba")}))
        clock.join("ann")
        clock.answer("ann")
        place = clock.next("ann")
        assert (place.kind, place.reason) == ("pause", "sitting")
        clock.wait(hours=4)
        assert clock.next("ann").kind == "show"

    def test_neither_do_they_in_a_calibration_block(self) -> None:
        clock = Clock(self.two_ways((Block(purpose="calibration"), MAIN), {0: ("ab", "ba", "cd"), 1: ("dc",)}))
        clock.join("ann")
        met = [clock.item("ann")]
        clock.answer("ann")
        met.append(clock.item("ann"))
        clock.answer("ann")
        assert {"ab", "ba"} != set(met), "the other pair comes between"
        place = clock.next("ann")
        assert (place.kind, place.reason) == ("pause", "sitting")
        clock.wait(hours=4)
        assert clock.next("ann").purpose == "calibration"

    def test_nor_in_a_repeat_block(self) -> None:
        clock = Clock(self.two_ways((MAIN, Block(purpose="repeat")), {0: ("ab", "ba"), 1: ()}))
        clock.join("ann")
        clock.answer("ann")
        clock.wait(hours=4)
        last = clock.item("ann")
        clock.answer("ann")
        assert clock.item("ann") == last, "of the two, only the one that was met in this sitting may be met again"
        clock.answer("ann")
        place = clock.next("ann")
        assert (place.kind, place.reason) == ("pause", "sitting")

    def two_ways(self, blocks: tuple[Block, ...], items: dict[int, tuple[str, ...]]) -> Running:
        """A phase that keeps a pair and its reverse apart."""
        known = {
            name: Item(name, "pair", {"text_a": "A.", "text_b": "B."}, reverse=name[::-1])
            for name in ("ab", "ba", "cd", "dc")
        }
        asked = phase(never_in_one_sitting=("reverse",), blocks=blocks)
        return running([asked], known, {("main", number): ids for number, ids in items.items()})


class TestGold:
    def clock(self, *, minimum: int = 2, overlap: int = 1) -> Clock:
        items = {**pairs(10), **pairs(4, known={"similarity": "5"}, prefix="g")}
        gold = Gold(every=2, threshold=0.7, minimum=minimum)
        blocks = (MAIN, Block(purpose="gold"))
        everything = {("main", 0): [f"p{n}" for n in range(10)], ("main", 1): [f"g{n}" for n in range(4)]}
        clock = Clock(running([phase(gold=gold, overlap=overlap, blocks=blocks)], items, everything))
        clock.join("ann", "bob")
        return clock

    def test_gold_comes_after_so_many_answers_and_is_not_named(self) -> None:
        clock = self.clock()
        shown = []
        for _ in range(6):
            place = clock.next("ann")
            shown.append((place.item.item[0] if place.item else "", place.purpose))
            assert place.item is not None
            assert not place.item.known
            clock.answer("ann", "5", place=place)
        assert [letter for letter, _ in shown] == ["p", "p", "g", "p", "p", "g"]
        assert {purpose for _, purpose in shown} == {"main"}

    def test_a_wrong_answer_is_told_at_once_with_the_right_one(self) -> None:
        clock = self.clock()
        outcomes = [clock.answer("ann", "1") for _ in range(3)]
        assert outcomes[1].feedback is None
        assert outcomes[2].feedback is not None
        assert (outcomes[2].feedback.right, outcomes[2].feedback.known) == (False, {"similarity": "5"})

    def test_below_the_threshold_answers_are_discarded_and_items_freed(self) -> None:
        clock = self.clock()
        place = clock.work("ann", "1")
        assert (place.kind, place.reason) == ("stopped", "gold")
        assert set(clock.statuses("ann")) == {"discarded"}
        assert clock.campaign.phases["main"].pools[0].counts.sum() == 0
        assert clock.work("bob", "5").kind == "finished"
        assert clock.campaign.phases["main"].pools[0].counts.tolist() == [1] * 10

    def test_nobody_is_stopped_before_the_minimum(self) -> None:
        clock = self.clock(minimum=4)
        for _ in range(9):
            clock.answer("ann", "1")
        assert clock.next("ann").kind == "show"

    def test_an_answer_of_somebody_stopped_is_kept_as_discarded(self) -> None:
        clock = self.clock()
        shown = clock.next("ann")
        clock.campaign.record(clock.campaign.stop("ann", "excluded", clock.now))
        assert clock.answer("ann", place=shown).status == "discarded"

    def test_a_stop_can_be_undone_while_there_is_room(self) -> None:
        clock = self.clock()
        clock.answer("ann", "5")
        clock.campaign.record(clock.campaign.stop("ann", "excluded", clock.now))
        clock.campaign.record(clock.campaign.readmit("ann", clock.now))
        assert clock.statuses("ann") == ["answered"]
        assert clock.campaign.phases["main"].pools[0].counts.sum() == 1

    def test_what_authors_agree_on_becomes_gold_and_leaves_the_queue(self) -> None:
        items = pairs(6)
        authors = phase(name="authors", role="admin", overlap=2)
        main = phase(gold=Gold(every=1, from_phase="authors", minimum=5))
        clock = Clock(running([authors, main], items, {("authors", 0): ("p0", "p1"), ("main", 0): tuple(items)}))
        clock.join("ada", "ida", role="admin")
        clock.join("ann")
        assert clock.next("ann").reason == "gold_not_ready"
        for name in ("ada", "ida"):
            while (place := clock.next(name)).kind == "show":
                assert place.item is not None
                clock.answer(name, "2" if place.item.item == "p0" or name == "ada" else "4", place=place)
        assert clock.campaign.phases["main"].gold == {"p0": {"similarity": "2"}}
        clock.work("ann", "2")
        records = clock.campaign.people["ann"].records
        assert sorted(record.item for record in records) == sorted(items)
        assert clock.campaign.people["ann"].gold_seen["main"] == 1


class TestQualification:
    def clock(self) -> Clock:
        items = {
            **pairs(1),
            **{
                f"c{n}": Item(f"c{n}", "check", {"prompt": "?", "choices": ["x", "y"]}, known={"check": "x"})
                for n in (0, 1)
            },
        }
        checks = (Check(prompt="?", choices=("x", "y"), right="x"),) * 2
        blocks = (Block(purpose="qualification", checks=checks, attempts=2), MAIN)
        clock = Clock(running([phase(blocks=blocks)], items, {("main", 0): ("c0", "c1"), ("main", 1): ("p0",)}))
        clock.join("ann")
        return clock

    def test_two_attempts_and_then_a_kind_stop(self) -> None:
        clock = self.clock()
        for attempt in (1, 1, 2, 2):
            place = clock.next("ann")
            assert place.attempt == attempt
            clock.answer("ann", "y", question="check", place=place)
        assert (clock.next("ann").kind, clock.next("ann").reason) == ("stopped", "qualification")

    def test_a_second_attempt_may_succeed(self) -> None:
        clock = self.clock()
        for value in ("x", "y", "x", "x"):
            clock.answer("ann", value, question="check")
        assert clock.item("ann") == "p0"

    def test_the_right_answer_is_not_given_away(self) -> None:
        outcome = self.clock().answer("ann", "y", question="check")
        assert outcome.feedback is not None
        assert not outcome.feedback.known

    def test_no_consent_is_a_kind_stop_too(self) -> None:
        items = {**pairs(1), "t": Item("t", "text", {"title": "Consent", "text": "…"})}
        blocks = (Block(purpose="consent"), MAIN)
        clock = Clock(running([phase(blocks=blocks)], items, {("main", 0): ("t",), ("main", 1): ("p0",)}))
        clock.join("ann")
        clock.answer("ann", "no", question="read")
        assert (clock.next("ann").kind, clock.next("ann").reason) == ("stopped", "consent")


class TestLots:
    def clock(self, people: int = 6) -> Clock:
        items = pairs(6)
        blocks = (Block(purpose="main", items=3),)
        main = phase(overlap=3, deal="disjoint_sequences", blocks=blocks)
        clock = Clock(running([main], items, {("main", 0): tuple(items)}))
        clock.join(*(f"a{n}" for n in range(people)))
        return clock

    def test_sequences_are_disjoint_and_make_the_whole_set_three_times(self) -> None:
        clock = self.clock()
        for number in range(6):
            assert clock.work(f"a{number}").kind == "finished"
        assert clock.campaign.phases["main"].pools[0].counts.tolist() == [3] * 6
        assert all(len(person.records) == 3 for person in clock.campaign.people.values())

    def test_somebody_too_many_waits_and_then_has_nothing_to_do(self) -> None:
        clock = self.clock(7)
        for number in range(6):
            clock.next(f"a{number}")
        assert clock.next("a6").kind == "waiting"
        for number in range(6):
            clock.work(f"a{number}")
        assert clock.next("a6").kind == "finished"

    def test_what_a_leaver_left_goes_to_the_next_one(self) -> None:
        clock = self.clock(7)
        clock.answer("a0")
        for number in range(1, 6):
            clock.work(f"a{number}")
        clock.campaign.record(clock.campaign.leave("a0", clock.now))
        clock.work("a6")
        assert len(clock.campaign.people["a6"].records) == 2
        assert clock.campaign.phases["main"].pools[0].counts.tolist() == [3] * 6

    def test_an_idle_sequence_goes_to_another_and_late_answers_are_surplus(self) -> None:
        clock = self.clock(7)
        late = clock.next("a0")
        for number in range(1, 6):
            clock.work(f"a{number}")
        assert clock.next("a6").kind == "waiting"
        clock.wait(days=14)
        assert clock.work("a6").kind == "finished"
        assert clock.answer("a0", place=late).status == "surplus"
        assert clock.campaign.phases["main"].pools[0].counts.tolist() == [3] * 6

    def test_whole_groups_go_to_one_annotator_each(self) -> None:
        items = {f"s{n}": Item(f"s{n}", "sentence", {"text": f"{n}."}, group=f"incident {n // 2}") for n in range(8)}
        blocks = (Block(purpose="main", groups=2),)
        main = phase(deal="whole_groups", blocks=blocks)
        clock = Clock(running([main], items, {("main", 0): tuple(items)}))
        clock.join("ann", "bob")
        clock.work("ann")
        clock.work("bob")
        groups = [
            {items[record.item].group for record in clock.campaign.people[name].records} for name in ("ann", "bob")
        ]
        assert [len(found) for found in groups] == [2, 2]
        assert not groups[0] & groups[1]


def corrected_campaign() -> Clock:
    """Pairs p and its reverse q share two sentences, r has one of them; a leader corrects, judges judge."""
    items = {
        "p": Item("p", "pair", {"text_a": "A cat.", "text_b": "A dgo."}, reverse="q", sentences=("a", "b")),
        "q": Item("q", "pair", {"text_a": "A dgo.", "text_b": "A cat."}, reverse="p", sentences=("b", "a")),
        "r": Item("r", "pair", {"text_a": "A cow.", "text_b": "A dgo."}, sentences=("c", "b")),
        "z": Item("z", "pair", {"text_a": "A bee.", "text_b": "An ant."}, sentences=("y", "z")),
    }
    types = Question(name="error_type", about="correction", labels=("grammatical", "other"))
    correct = Phase(
        name="correct",
        task="correct",
        role="leader",
        corrects=True,
        questions=(Question(name="correction"), types),
    )
    judge = phase(name="judge", role="judge", overlap=2, items_after="correct", suggests=True)
    labels = ("reject", "mend in place", "mend and ask again")
    validate = Phase(
        name="validate",
        task="correct",
        role="linguist",
        validates="judge",
        corrects=True,
        questions=(Question(name="suggestion", labels=labels),),
    )
    every = tuple(items)
    clock = Clock(
        running([correct, judge, validate], items, {("correct", 0): every, ("judge", 0): every, ("validate", 0): ()})
    )
    clock.join("lea", role="leader")
    clock.join("jan", "jil", role="judge")
    clock.join("lin", role="linguist")
    return clock


def lead(clock: Clock, mended: str = "A dog.") -> None:
    while (place := clock.next("lea")).kind == "show":
        assert place.item is not None
        text = place.item.content["text_b"]
        answers = {"correction": [Answer(mended if text == "A dgo." else text)]}
        given = Given(place.phase, place.item.item, place.item.version, answers, f"l{place.item.item}")
        clock.campaign.do(clock.campaign.answer("lea", given, clock.now))


class TestCorrections:
    def test_judges_wait_until_every_pair_with_the_sentence_was_led(self) -> None:
        clock = corrected_campaign()
        assert clock.next("jan").reason == "not_ready"
        place = clock.next("lea")
        assert place.item is not None
        text = place.item.content["text_b"]
        given = Given("correct", place.item.item, 1, {"correction": [Answer(text)]}, "k")
        clock.campaign.do(clock.campaign.answer("lea", given, clock.now))
        ready = clock.next("jan")
        assert (ready.kind == "show") == (place.item.item == "z")

    def test_a_correction_reaches_the_reverse_and_every_other_pair(self) -> None:
        clock = corrected_campaign()
        lead(clock)
        texts = {name: (item.content["text_a"], item.content["text_b"]) for name, item in clock.campaign.items.items()}
        assert texts["p"] == ("A cat.", "A dog.")
        assert texts["q"] == ("A dog.", "A cat.")
        assert texts["r"] == ("A cow.", "A dog.")
        shown = clock.next("jan")
        assert shown.item is not None
        assert "A dgo." not in shown.item.content.values()

    def test_a_correction_into_the_partner_is_refused_wherever_it_would_be_one(self) -> None:
        clock = corrected_campaign()
        with pytest.raises(KostraError, match="the same as its partner"):
            lead(clock, "A cow.")

    @pytest.mark.parametrize(("decision", "asked"), [("reject", 0), ("mend in place", 0), ("mend and ask again", 3)])
    def test_the_linguist_decides_what_becomes_of_a_suggestion(self, decision: str, asked: int) -> None:
        clock = corrected_campaign()
        lead(clock)
        place = clock.next("jan")
        while place.item is not None and place.item.item == "z":
            clock.answer("jan", place=place)
            place = clock.next("jan")
        assert place.item is not None
        side = "a" if place.item.item == "q" else "b"
        clock.campaign.record(clock.campaign.suggest("jan", place.item.item, side, "The dog.", clock.now))
        clock.work("jan")
        clock.work("jil")
        before = clock.campaign.phases["judge"].pools[0].counts.sum()
        assert before == 8
        asking = clock.next("lin")
        assert asking.item is not None
        assert (asking.item.kind, asking.item.content["after"]) == ("suggestion", "The dog.")
        clock.answer("lin", decision, question="suggestion", place=asking)
        wording = clock.campaign.items["p"].content["text_b"]
        assert wording == ("A dog." if decision == "reject" else "The dog.")
        assert before - clock.campaign.phases["judge"].pools[0].counts.sum() == 2 * asked
        clock.work("jan")
        clock.work("jil")
        assert clock.campaign.phases["judge"].pools[0].counts.tolist() == [2, 2, 2, 2]
        assert clock.statuses("jan").count("superseded") == asked

    def test_an_unchanged_old_wording_does_not_take_a_correction_back(self) -> None:
        clock = corrected_campaign()
        clock.join("leo", "liv", role="leader")
        first = clock.next("lea")
        shown = {name: clock.next(name) for name in ("leo", "liv")}
        name, second = next((name, place) for name, place in shown.items() if place.item and place.item.item != "z")
        assert first.item is not None
        assert second.item is not None
        side = "a" if first.item.item == "q" else "b"
        question = "correction_a" if side == "a" else "correction"
        mended = Given("correct", first.item.item, 1, {question: [Answer("A dog.")]}, "k1")
        clock.campaign.do(clock.campaign.answer("lea", mended, clock.now))
        stale = Given("correct", second.item.item, 1, {"correction": [Answer("A dgo.")]}, "k2")
        with pytest.raises(KostraError, match="in the meantime"):
            clock.campaign.answer(name, stale, clock.now)


class TestModels:
    def test_a_model_answers_everything_and_takes_nobodys_place(self) -> None:
        clock = Clock(simple(3))
        clock.join("model-x", kind="model")
        clock.join("ann")
        assert clock.work("model-x").kind == "finished"
        assert clock.statuses("model-x") == ["surplus"] * 3
        assert clock.campaign.phases["main"].pools[0].counts.sum() == 0
        clock.work("ann")
        assert clock.campaign.phases["main"].pools[0].counts.tolist() == [1, 1, 1]


Blocks = Mapping[tuple[str, int], tuple[str, ...]]


class Revised:
    """A campaign whose recipe may change."""

    def __init__(self, phases: list[Phase], items: dict[str, Item], blocks: Blocks) -> None:
        self.revisions: dict[int, tuple[Campaign, Material]] = {}
        first = (Campaign(phases=tuple(phases)), Material(items, blocks))
        self.clock = Clock(Running(*first, seed=1, load=lambda number: self.revisions[number]))

    def revise(
        self,
        phases: list[Phase],
        items: dict[str, Item],
        blocks: Blocks,
        **options: Any,
    ) -> None:
        number = len(self.revisions) + 2
        self.revisions[number] = (Campaign(phases=tuple(phases), **options), Material(items, blocks))
        self.clock.campaign.record([Event("revised", self.clock.now, None, {"revision": number})])


class TestRevisions:
    def test_added_items_are_asked_and_what_was_answered_stays(self) -> None:
        items = pairs(4)
        some = {name: items[name] for name in ("p0", "p1")}
        made = Revised([phase()], some, {("main", 0): ("p0", "p1")})
        made.clock.join("ann", "bob")
        assert made.clock.work("ann").kind == "finished"
        made.revise([phase()], items, {("main", 0): tuple(items)})
        assert made.clock.work("bob").kind == "finished"
        assert made.clock.campaign.phases["main"].pools[0].counts.tolist() == [1, 1, 1, 1]
        assert len(made.clock.campaign.people["bob"].records) == 2

    def test_a_reworded_item_is_shown_in_its_new_wording_unless_it_was_answered(self) -> None:
        items = pairs(2)
        made = Revised([phase()], items, {("main", 0): ("p0", "p1")})
        made.clock.join("ann")
        held = made.clock.item("ann")
        new = {name: replace(item, content={**item.content, "text_a": "New."}) for name, item in items.items()}
        made.revise([phase()], new, {("main", 0): ("p0", "p1")})
        place = made.clock.next("ann")
        assert place.item is not None
        assert place.item.content["text_a"] == "New."
        made.clock.answer("ann", place=place)
        newer = {name: replace(item, content={**item.content, "text_a": "Newer."}) for name, item in items.items()}
        made.revise([phase()], newer, {("main", 0): ("p0", "p1")})
        texts = {name: item.content["text_a"] for name, item in made.clock.campaign.items.items()}
        answered = made.clock.campaign.people["ann"].records[0].item
        assert texts[answered] == "New."
        assert sorted(texts.values()) == ["New.", "Newer."], held

    def test_a_removed_item_is_not_asked_any_more(self) -> None:
        items = pairs(2)
        made = Revised([phase()], items, {("main", 0): ("p0", "p1")})
        made.clock.join("ann")
        made.revise([phase()], {"p0": items["p0"]}, {("main", 0): ("p0",)})
        made.clock.work("ann")
        assert [record.item for record in made.clock.campaign.people["ann"].records] == ["p0"]

    def test_more_overlap_deals_more_sequences(self) -> None:
        items = pairs(4)
        dealt = {"deal": "disjoint_sequences", "blocks": (Block(purpose="main", items=2),)}
        made = Revised([phase(**dealt)], items, {("main", 0): tuple(items)})
        made.clock.join(*"abcd")
        for name in "ab":
            made.clock.work(name)
        made.revise([phase(overlap=2, **dealt)], items, {("main", 0): tuple(items)})
        for name in "cd":
            assert made.clock.work(name).kind == "finished"
        assert made.clock.campaign.phases["main"].pools[0].counts.tolist() == [2] * 4

    @pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1)])
    def test_judges_wait_for_the_leaders_also_after_a_change(self, before: int, after: int) -> None:
        items = pairs(2)
        blocks = {("lead", 0): ("p0", "p1"), ("judge", 0): ("p0", "p1")}

        def phases(overlap: int) -> list[Phase]:
            judge = phase(name="judge", role="judge", items_after="lead")
            return [phase(name="lead", role="leader", overlap=overlap), judge]

        made = Revised(phases(before), items, blocks)
        made.clock.join("lea", "leo", role="leader")
        made.clock.join("jan", role="judge")
        made.clock.work("lea")
        made.revise(phases(after), items, blocks)
        assert made.clock.next("jan").kind == ("waiting" if after == 2 else "show")
        made.clock.work("leo")
        assert made.clock.work("jan").kind == "finished"

    def test_new_settings_hold_at_once(self) -> None:
        items = pairs(1)
        made = Revised([phase()], items, {("main", 0): ("p0",)})
        made.clock.join("ann")
        made.revise([phase()], items, {("main", 0): ("p0",)}, lease_minutes=1)
        assert made.clock.next("ann").until == NOON + timedelta(minutes=1)


def test_gold_among_dealt_items_is_mixed_in_and_never_asked_for_its_own_sake() -> None:
    items = {**pairs(4), "g": replace(pairs(1)["p0"], item="g", known={"similarity": "5"}, sentences=("x", "y"))}
    blocks = (Block(purpose="main", items=4), Block(purpose="gold"))
    main = phase(deal="disjoint_sequences", blocks=blocks, gold=Gold(every=2, minimum=5))
    names = tuple(name for name in items if name != "g")
    clock = Clock(running([main], items, {("main", 0): names, ("main", 1): ("g",)}))
    clock.join("ann")
    assert clock.work("ann", "5").kind == "finished"
    asked = [record.item for record in clock.campaign.people["ann"].records]
    assert sorted(asked) == sorted(items)
    assert asked[2] == "g"


def test_two_dealt_blocks_of_one_phase_keep_their_own_lots() -> None:
    items = pairs(4)
    blocks = (Block(purpose="main", items=2), Block(purpose="main", items=2))
    main = phase(deal="disjoint_sequences", blocks=blocks)
    clock = Clock(running([main], items, {("main", 0): ("p0", "p1"), ("main", 1): ("p2", "p3")}))
    clock.join("ann")
    assert clock.work("ann").kind == "finished"
    assert clock.statuses("ann") == ["answered"] * 4


def test_an_author_who_changes_their_mind_takes_the_gold_back() -> None:
    items = pairs(2)
    authors = phase(name="authors", role="admin", overlap=1)
    main = phase(gold=Gold(every=1, from_phase="authors", agreement=1.0))
    clock = Clock(running([authors, main], items, {("authors", 0): ("p0",), ("main", 0): ("p0", "p1")}))
    clock.join("ada", role="admin")
    clock.answer("ada", "2")
    assert clock.campaign.phases["main"].gold == {"p0": {"similarity": "2"}}
    clock.campaign.do(clock.campaign.undo("ada", clock.now))
    clock.answer("ada", "4")
    assert clock.campaign.phases["main"].gold == {"p0": {"similarity": "4"}}


def test_what_is_repeated_is_the_same_in_every_process() -> None:
    items = pairs(6)
    second = phase(name="later", after="main", blocks=(Block(purpose="repeat", items=2, from_phase="main"),))
    made = running([phase(), second], items, {("main", 0): tuple(items), ("later", 0): ()})
    log: list[Event] = []
    clock = Clock(made)
    apply = made.apply

    def logged(event: Event) -> None:
        log.append(event)
        apply(event)

    made.apply = logged  # type: ignore[method-assign]
    clock.join("ann")
    clock.work("ann")
    listed = [event.data["items"] for event in log if event.kind == "listed"]
    assert [record.item for record in made.people["ann"].records if record.phase == "later"] == listed[0]


def test_the_last_answer_can_be_changed_from_the_last_page() -> None:
    clock = Clock(simple(1))
    clock.join("ann")
    clock.answer("ann")
    place = clock.next("ann")
    assert (place.kind, place.may_undo) == ("finished", True)

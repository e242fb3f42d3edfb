"""Whatever people, time and bad luck do, a campaign keeps its promises: generated campaigns, event by event."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.campaign.campaigns import NOON, SCALE, pairs

from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given, Place
from kostra.campaign.pools import Pool, Queue
from kostra.campaign.protocol import Block, Campaign, Gold, Phase
from kostra.campaign.running import Running
from kostra.errors import KostraError

NAMES = ("ann", "bob", "cyd")
PAUSE = 72


@st.composite
def protocols(draw: st.DrawFn) -> tuple[Campaign, Material]:
    """Campaigns of one or two phases with all kinds of dealing, gold questions, repeats and sittings."""
    count, overlap = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    items: dict[str, Item] = dict(pairs(count))
    if draw(st.booleans()):  # p0 and p1 are each other's reverse
        items["p0"], items["p1"] = replace(items["p0"], reverse="p1"), replace(items["p1"], reverse="p0")
    main = tuple(items)
    deal = draw(st.sampled_from(["queue", "queue", "disjoint_sequences"]))
    limit = draw(st.sampled_from([None, 2])) if deal == "queue" else draw(st.sampled_from([1, count]))
    blocks = [Block(purpose="main", items=limit)]
    held: dict[tuple[str, int], tuple[str, ...]] = {("first", 0): main}
    first: dict[str, Any] = {"overlap": overlap, "deal": deal, "may_skip": draw(st.booleans())}
    if draw(st.booleans()):
        first["deadline"] = NOON + timedelta(days=2)
    if draw(st.booleans()):
        items |= pairs(4, known={"similarity": "5"}, prefix="g")
        first["gold"] = Gold(every=1, minimum=draw(st.integers(1, 2)), threshold=0.7)
        blocks.append(Block(purpose="gold"))
        held["first", 1] = tuple(f"g{number}" for number in range(4))
    if draw(st.booleans()) and deal == "queue":
        first["never_in_one_sitting"] = ("reverse",)
    phases = [Phase(name="first", task="rating", questions=(SCALE,), blocks=tuple(blocks), **first)]
    if draw(st.booleans()):
        follow: dict[str, Any] = {"same_order_as": "first"} if draw(st.booleans()) else {}
        second = [Block(purpose="main"), Block(purpose="repeat", items=1, from_phase="first")]
        phases.append(
            Phase(
                name="second",
                task="rating",
                questions=(SCALE,),
                overlap=overlap,
                after="first",
                pause_hours=PAUSE,
                blocks=tuple(second),
                **follow,
            )
        )
        held["second", 0], held["second", 1] = main, ()
    policy = draw(st.sampled_from(["random", "least_covered"]))
    return Campaign(phases=tuple(phases), policy=policy, lease_minutes=30), Material(items, held)


class CampaignMachine(RuleBasedStateMachine):
    """People come, answer, dawdle, undo, fail, go and come back; the clock jumps; the process dies."""

    @initialize(made=protocols())
    def begin(self, made: tuple[Campaign, Material]) -> None:
        self.now = NOON
        self.log: list[Event] = []
        self.revisions = {1: made}
        self.campaign = self.fresh()
        self.shown: dict[str, list[Place]] = {}
        self.sent: list[tuple[str, Given]] = []
        self.join("ann")
        self.join("bob")

    def fresh(self) -> Running:
        return Running(*self.revisions[1], seed=7, load=lambda number: self.revisions[number])

    def keep(self, events: list[Event]) -> None:
        for event in events:
            numbered = replace(event, seq=len(self.log) + 1)
            self.log.append(numbered)
            self.campaign.apply(numbered)

    def try_to(self, command: Any, *arguments: Any) -> Any:
        """What a command gives; one that is refused changes nothing."""
        try:
            decided = command(*arguments, self.now)
        except KostraError:
            return None
        result, events = decided if isinstance(decided, tuple) else (None, decided)
        self.keep(events)
        return result

    @rule(name=st.sampled_from(NAMES))
    def join(self, name: str) -> None:
        self.keep(self.campaign.join(name, self.now))

    @rule(name=st.sampled_from(NAMES))
    def look(self, name: str) -> None:
        self.seen(name)

    def seen(self, name: str) -> Place | None:
        place: Place | None = self.try_to(self.campaign.next, name)
        if place is not None and place.kind == "show":
            self.shown.setdefault(name, []).append(place)
            self.check_pause(name, place)
        return place

    @rule(name=st.sampled_from(NAMES), value=st.sampled_from(["0", "5", "5", "5"]), most=st.sampled_from([1, 2, 9]))
    def work(self, name: str, value: str, most: int) -> None:
        """Answer some items, or all there are."""
        for _ in range(most):
            place = self.seen(name)
            if place is None or place.kind != "show":
                return
            self.send(name, place, value)

    def check_pause(self, name: str, place: Place) -> None:
        if place.phase == "second":
            ended = self.campaign.people[name].finished["first"]
            assert self.now - ended >= timedelta(hours=PAUSE), "the pause was cut short"

    @precondition(lambda self: bool(getattr(self, "shown", None)))
    @rule(data=st.data(), value=st.sampled_from(["0", "5", "5", "5"]), latest=st.booleans())
    def answer(self, data: st.DataObject, value: str, latest: bool) -> None:
        """Answer what is on the screen or, late, anything that was."""
        name = data.draw(st.sampled_from(sorted(self.shown)))
        place = self.shown[name][-1] if latest else data.draw(st.sampled_from(self.shown[name]))
        self.send(name, place, value)

    def send(self, name: str, place: Place, value: str) -> None:
        assert place.item is not None
        key = f"key-{len(self.sent)}"
        given = Given(place.phase, place.item.item, place.item.version, {"similarity": [Answer(value)]}, key)
        self.sent.append((name, given))
        self.try_to(self.campaign.answer, name, given)

    @precondition(lambda self: bool(getattr(self, "sent", None)))
    @rule(data=st.data())
    def resend(self, data: st.DataObject) -> None:
        name, given = data.draw(st.sampled_from(self.sent))
        before = len(self.campaign.records)
        outcome = self.try_to(self.campaign.answer, name, given)
        if outcome is not None and outcome.repeated:
            assert len(self.campaign.records) == before

    @rule(name=st.sampled_from(NAMES), act=st.sampled_from(["undo", "leave", "skip", "readmit", "exclude"]))
    def act(self, name: str, act: str) -> None:
        if act == "skip":
            self.sent_skips = getattr(self, "sent_skips", 0) + 1
            self.try_to(self.campaign.skip, name, f"skip-{self.sent_skips}")
        elif act == "exclude":
            self.try_to(self.campaign.stop, name, "excluded")
        elif act == "undo":
            place = self.try_to(self.campaign.undo, name)
            if place is not None:
                self.shown.setdefault(name, []).append(place)
        else:
            self.try_to(getattr(self.campaign, act), name)

    @rule(name=st.sampled_from(NAMES), act=st.sampled_from(["pause", "resume", "free", "free", "free_item", "extend"]))
    def supervise(self, name: str, act: str) -> None:
        if act in ("pause", "resume"):
            self.try_to(getattr(self.campaign, act))
        elif act == "free":
            self.try_to(self.campaign.free, name)
        elif act == "free_item":
            self.try_to(self.campaign.free_item, "first", "p0")
        else:
            self.try_to(self.campaign.extend, "first", self.now + timedelta(days=10))

    @rule(name=st.sampled_from(NAMES), item=st.sampled_from(["p0", "p1", "p2"]), other=st.sampled_from([None, *NAMES]))
    def reassign(self, name: str, item: str, other: str | None) -> None:
        """An admin gives somebody an item; they are shown it next, unless they have something on their screen."""

        def give(*arguments: Any) -> list[Event]:
            return self.campaign.reassign("first", item, name, *arguments, taken_from=other)

        self.try_to(give)

    @rule(minutes=st.sampled_from([1, 31, 5 * 60, 40 * 60, PAUSE * 60, 15 * 24 * 60, -60]))
    def jump(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @precondition(lambda self: hasattr(self, "revisions") and len(self.revisions) < 3)
    @rule(more=st.integers(0, 1))
    def revise(self, more: int) -> None:
        """The recipe changes while the campaign runs: more overlap, and in queues more items."""
        protocol, material = self.revisions[len(self.revisions)]
        queued = all(phase.deal == "queue" for phase in protocol.phases)
        phases = tuple(phase.model_copy(update={"overlap": phase.overlap + 1}) for phase in protocol.phases)
        added = pairs(1 if more and queued else 0, prefix=f"new{len(self.revisions)}-")
        blocks = {
            (name, number): (*items, *added) if number == 0 else items
            for (name, number), items in material.blocks.items()
        }
        number = len(self.revisions) + 1
        self.revisions[number] = (
            protocol.model_copy(update={"phases": phases}),
            Material({**material.items, **added}, blocks),
        )
        self.keep([Event("revised", self.now, None, {"revision": number})])

    @rule()
    def die_and_replay(self) -> None:
        """A process that reads the log stands exactly where the other one stood."""
        fresh = self.fresh()
        for event in self.log:
            fresh.apply(event)
        assert _state(fresh) == _state(self.campaign)
        self.campaign = fresh

    def pools(self) -> list[tuple[str, Pool]]:
        runs = self.campaign.phases.values() if hasattr(self, "campaign") else ()
        return [(run.name, pool) for run in runs for pool in run.pools.values()]

    @invariant()
    def no_item_has_too_many_accepted_answers(self) -> None:
        for _, pool in self.pools():
            assert (pool.counts <= pool.overlap).all()
            assert (pool.counts >= 0).all()

    @invariant()
    def no_item_is_kept_for_more_than_it_needs(self) -> None:
        for _, pool in self.pools():
            assert (pool.leases >= 0).all()
            if isinstance(pool, Queue):
                assert (pool.counts + pool.leases <= pool.overlap).all()

    @invariant()
    def what_is_counted_is_what_is_stored(self) -> None:
        for name, pool in self.pools():
            counted = Counter(
                record.item
                for record in self.campaign.records.values()
                if record.phase == name and record.block == 0 and record.status == "answered" and record.item in pool
            )
            assert {item: pool.accepted(item) for item in pool.items if pool.accepted(item)} == dict(counted)

    @invariant()
    def nobody_counts_twice_for_an_item(self) -> None:
        if hasattr(self, "campaign"):
            standing = Counter(
                (record.annotator, record.phase, record.block, record.item)
                for record in self.campaign.records.values()
                if record.status in ("answered", "surplus", "skipped")
            )
            assert all(count == 1 for count in standing.values()), standing

    @invariant()
    def every_answer_sent_is_kept_once(self) -> None:
        if hasattr(self, "campaign"):
            keys = Counter((event.annotator, event.data["key"]) for event in self.log if event.kind == "answered")
            assert all(count == 1 for count in keys.values())
            assert len(self.campaign.records) == len(keys)

    @invariant()
    def what_became_of_an_answer_is_told_to_those_who_follow(self) -> None:
        if hasattr(self, "campaign"):
            given = {event.seq: event.data["status"] for event in self.log if event.kind == "answered"}
            changed = {seq for seq, record in self.campaign.records.items() if record.status != given[seq]}
            assert changed <= set(self.campaign.altered)

    @invariant()
    def nothing_of_a_stopped_annotator_counts(self) -> None:
        if hasattr(self, "campaign"):
            for person in self.campaign.people.values():
                if person.stopped:
                    assert "answered" not in {record.status for record in person.records}


def _state(campaign: Running) -> Any:
    return (
        campaign.people,
        campaign.records,
        {name: [pool.counts.tolist() for pool in run.pools.values()] for name, run in campaign.phases.items()},
        campaign.seq,
        campaign.paused,
        campaign.extended,
        campaign.altered,
    )


# Two halves of a thousand and more campaigns, so that two cores can take one each.
SETTINGS = settings(
    max_examples=520,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("half", ["first", "second"])
def test_generated_campaigns_keep_their_promises(half: str) -> None:
    machine: Any = seed(1 if half == "first" else 2)(type(f"Machine_{half}", (CampaignMachine,), {}))
    case = machine.TestCase
    case.settings = SETTINGS
    case().runTest()

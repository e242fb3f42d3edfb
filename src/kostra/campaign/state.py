"""The state of a running campaign, and how events change it.

Nothing here reads a clock or draws at random: whoever applies the same events in the same order is in the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from kostra.campaign.adaptive_pool import AdaptivePool
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.lots import Lots
from kostra.campaign.material import Material
from kostra.campaign.people import BlockKey, Person, Record, Shown
from kostra.campaign.phases import PhaseRun, make_phases
from kostra.campaign.places import Feedback, Outcome, Status
from kostra.campaign.pools import Pool
from kostra.campaign.protocol import Campaign
from kostra.campaign.rewording import reworded
from kostra.errors import KostraError

Result = TypeVar("Result")
Load = Callable[[int], tuple[Campaign, Material]]
"""Revision → what the campaign is from then on."""


class CampaignState:
    """All that is known of a campaign: people, items, phases, and what became of every answer."""

    def __init__(self, campaign: Campaign, material: Material, *, seed: int, load: Load | None = None) -> None:
        self.campaign = campaign
        self.seq = 0
        """Number of the last event that was applied."""
        self.revision = 1
        self.people: dict[str, Person] = {}
        self.records: dict[int, Record] = {}
        self.items: dict[str, Item] = dict(material.items)
        """The latest version of every item."""
        self._seed = seed
        self._load = load
        self._keys: dict[tuple[str, str], Outcome] = {}
        self._asked: dict[str, int] = {}
        """The version from which on an item was asked again."""
        self._corrected_items: set[str] = set()
        self._suggestions: dict[str, Mapping[str, Any]] = {}
        self.altered: list[int] = []
        """Numbers of the answers of which something else has become since they were given, as it happened."""
        self.paused: str | None = None
        """Why, while nobody is shown anything new."""
        self.extended: dict[str, datetime] = {}
        """Phase → its deadline, where it is not the recipe's any more."""
        self._lease = timedelta(minutes=campaign.lease_minutes)
        self._gap = timedelta(hours=campaign.sitting_hours)
        self.phases: dict[str, PhaseRun] = {}
        self._adopt(campaign, material)

    # For those who need no store -------------------------------------------------------------------------

    def record(self, events: Iterable[Event]) -> None:
        """Number and apply events."""
        for event in events:
            self.apply(replace(event, seq=self.seq + 1))

    def do(self, decided: tuple[Result, list[Event]]) -> Result:
        """Record what a command decided and pass on its result."""
        result, events = decided
        self.record(events)
        return result

    # What is known ---------------------------------------------------------------------------------------

    def _person(self, annotator: str) -> Person:
        if annotator not in self.people:
            raise KostraError(f'nobody called "{annotator}" takes part in this campaign')
        return self.people[annotator]

    def _list(self, person: Person, run: PhaseRun, number: int) -> tuple[str, ...]:
        key = (run.name, number)
        if key in person.lists:
            return person.lists[key]
        found = run.list_for(person, number)
        if run.purpose(number) != "repeat":  # which items are repeated rests on what was answered, and is an event
            person.lists[key] = found
        return found

    def _done_block(self, run: PhaseRun, number: int, item: str) -> int:
        """Gold questions among the items of a pool are kept apart."""
        return run.gold_block if number in run.pools and item in run.gold else number

    def _known(self, run: PhaseRun, number: int, item: str) -> Mapping[str, str]:
        if number in run.pools:
            return run.gold.get(item, {})
        return self.items[item].known if run.purpose(number) in ("qualification", "gold") else {}

    def _feedback(self, run: PhaseRun, shown: Shown, item: str, right: bool) -> Feedback | None:
        if run.purpose(shown.block) == "qualification":
            return Feedback(right, {})  # the right answer would give the second attempt away
        if run.phase.gold is None or run.phase.gold.feedback:
            return Feedback(right, self._known(run, shown.block, item))
        return None

    # What happens ----------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Let an event have happened."""
        handle: Callable[[Event], None] = getattr(self, f"_on_{event.kind}")
        handle(event)
        self.seq = event.seq

    def _on_joined(self, event: Event) -> None:
        name = _name(event)
        self.people[name] = Person(name, event.data["role"], event.data["kind"], event.at)

    def _on_dealt(self, event: Event) -> None:
        pool = self.phases[event.data["phase"]].pools[event.data["block"]]
        if not isinstance(pool, Lots):
            raise ValueError("only lots are dealt")
        pool.deal(_name(event), event.data["lot"], event.at)
        self._reopen(self.people[_name(event)], event.data["phase"])

    def _reopen(self, person: Person, phase: str) -> None:
        """Somebody has work again in a phase that they were through with, and so in those that rest on it."""
        person.finished.pop(phase, None)
        for other in self.phases.values():
            if phase in (other.phase.after, other.phase.same_order_as):
                self._reopen(person, other.name)

    def _on_listed(self, event: Event) -> None:
        self.people[_name(event)].lists[_block_key(event)] = tuple(event.data["items"])

    def _on_made(self, event: Event) -> None:
        self._make(self.phases[event.data["phase"]], event.data["item"], event.data["members"])

    def _make(self, run: PhaseRun, name: str, members: Sequence[str]) -> None:
        if name not in self.items:
            self.items[name] = run.made_tuple(name, members)
            pool = next(pool for pool in run.pools.values() if isinstance(pool, AdaptivePool))
            pool.make(name, members)

    def _on_shown(self, event: Event) -> None:
        person, data = self.people[_name(event)], event.data
        before = person.shown.get((data["phase"], data["item"]))
        at = before.at if before and data.get("again") else event.at
        until = datetime.fromisoformat(data["until"])
        shown = Shown(data["phase"], data["block"], data["item"], data["version"], at, until)
        person.lease = person.shown[shown.phase, shown.item] = shown
        pool = self._pool_of(person, shown.phase, shown.block, shown.item)
        if pool is not None and person.reopened is None:
            pool.expire(event.at)
            pool.lease(person.name, shown.item, until)
            if isinstance(pool, Lots):
                pool.touch(person.name, event.at)

    def _on_answered(self, event: Event) -> None:
        person, data = self.people[_name(event)], event.data
        run, item, number = self.phases[data["phase"]], data["item"], data["block"]
        record = Record(event.seq, person.name, run.name, number, item, data["version"], data["status"])
        self.records[event.seq] = record
        person.records.append(record)
        person.last_given = data["answers"]
        right = data["right"]
        told = self._feedback(run, person.shown[run.name, item], item, right) if right is not None else None
        self._keys[person.name, data["key"]] = Outcome(record.status, told)
        stale = record.status == "surplus" and record.version < self._asked.get(item, 1)
        if not stale:
            person.done.setdefault((run.name, self._done_block(run, number, item)), {})[item] = event.seq
        pool = self._pool_of(person, run.name, number, item)
        if data["supersedes"] is not None:
            old = self.records[data["supersedes"]]
            if pool is not None and old.status == "answered":
                self._uncount(run, pool, person.name, item)
            self._became(old, "superseded")
            person.reopened = None
        if pool is not None:
            pool.expire(event.at)
            pool.release(person.name, item)
            if record.status == "answered":
                self._count(run, pool, person.name, item)
                if data["supersedes"] is None:
                    person.orders.setdefault(run.name, []).append(item)
                if isinstance(pool, AdaptivePool) and data["supersedes"] is None:
                    pool.learn(person.name, item, {name: given[0][0] for name, given in data["answers"].items()})
            elif not stale:
                pool.mark(person.name, item)
        if person.lease is not None and (person.lease.phase, person.lease.item) == (run.name, item):
            person.lease = None
        self._tally(person, run, number, data.get("right_share", right))
        person.worked(item, event.at, self._gap)
        self._learn_gold(run, person, item)

    def _became(self, record: Record, status: Status) -> None:
        record.status = status
        self.altered.append(record.seq)

    def _tally(self, person: Person, run: PhaseRun, number: int, share: float | None) -> None:
        if run.purpose(number) == "qualification":
            person.slips[run.name, number] += share is not None and share < 1
        elif share is not None:
            person.gold_seen[run.name] += 1
            person.gold_right[run.name] = person.gold_right.get(run.name, 0.0) + share
            person.since_gold[run.name] = 0
        elif number in run.pools:
            person.since_gold[run.name] += 1

    def _on_reopened(self, event: Event) -> None:
        person, data = self.people[_name(event)], event.data
        person.reopened = person.records[-1]
        version = person.reopened.version
        shown = Shown(data["phase"], data["block"], data["item"], version, event.at, event.at + self._lease)
        if person.lease is not None:
            pool = self._pool_of(person, person.lease.phase, person.lease.block, person.lease.item)
            if pool is not None:
                pool.release(person.name, person.lease.item)
        person.lease = person.shown[shown.phase, shown.item] = shown

    def _on_put_back(self, event: Event) -> None:
        person, data = self.people[_name(event)], event.data
        lease = person.lease
        if lease is not None and (lease.phase, lease.item) == (data["phase"], data["item"]):
            pool = self._pool_of(person, lease.phase, lease.block, lease.item)
            if pool is not None:
                pool.release(person.name, lease.item)
            person.lease = person.reopened = None

    def _on_passed(self, event: Event) -> None:
        self.people[_name(event)].passed.add(_block_key(event))

    def _on_failed(self, event: Event) -> None:
        person, key = self.people[_name(event)], _block_key(event)
        person.attempts[key] += 1
        person.slips[key] = 0
        person.done[key] = {}

    def _on_finished(self, event: Event) -> None:
        self.people[_name(event)].finished[event.data["phase"]] = event.at

    def _on_stopped(self, event: Event) -> None:
        person = self.people[_name(event)]
        person.stopped = event.data["reason"]
        self._gone(person)
        for record in person.records:
            pool = self._pool_of(person, record.phase, record.block, record.item)
            if record.status == "answered":
                if pool is not None and record.version >= self._asked.get(record.item, 1):
                    self._uncount(self.phases[record.phase], pool, person.name, record.item)
                self._became(record, "discarded")
                self._learn_gold(self.phases[record.phase], person, record.item)

    def _on_readmitted(self, event: Event) -> None:
        person = self.people[_name(event)]
        person.stopped = ""
        person.gold_seen.clear()  # or the next gold question would stop them again
        person.gold_right.clear()
        for record in person.records:
            if record.status == "discarded":
                pool = self._pool_of(person, record.phase, record.block, record.item)
                stale = record.version < self._asked.get(record.item, 1)
                unpaired = pool is not None and not self._counts_before(person, record)
                if stale or unpaired or (pool is not None and not pool.room(person.name, record.item, event.at)):
                    self._became(record, "surplus")
                else:
                    self._became(record, "answered")
                    if pool is not None:
                        self._count(self.phases[record.phase], pool, person.name, record.item)

    def _counts_before(self, person: Person, record: Record) -> bool:
        """Whether the same person's answer counts in the phase that the record's follows, where it follows one."""
        earlier = self.phases[record.phase].phase.same_order_as
        return earlier is None or any(
            (one.phase, one.item, one.status) == (earlier, record.item, "answered")
            and self._pool_of(person, one.phase, one.block, one.item) is not None
            for one in person.records
        )

    def _on_left(self, event: Event) -> None:
        self._gone(self.people[_name(event)])

    def _gone(self, person: Person) -> None:
        person.lease = person.reopened = None
        for run in self.phases.values():
            for pool in run.pools.values():
                pool.leave(person.name)

    def _on_problem(self, event: Event) -> None:
        """Nothing changes: it is there for people to read."""

    def _on_suggested(self, event: Event) -> None:
        data = event.data
        self._suggestions[data["suggestion"]] = data
        pair = self.items[data["item"]]
        shown = {name: pair.content[name] for name in ("text_a", "text_b")}
        content = {"sentence": data["sentence"], "before": data["before"], "after": data["after"], "pair": pair.item}
        item = Item(data["suggestion"], "suggestion", {**content, **shown})
        self.items[item.item] = item
        for run in self.phases.values():
            if run.phase.validates == data["phase"]:
                for pool in run.pools.values():
                    pool.add([item.item])

    def _on_decided(self, event: Event) -> None:
        """The answer itself says it; what follows from it is an event of its own."""

    def _on_corrected(self, event: Event) -> None:
        data = event.data
        sentence, before, after = data["sentence"], data["before"], data["after"]
        for item in [one for one in self.items.values() if sentence in one.sentences]:
            self.items[item.item] = mended = reworded(item, sentence, before, after)
            self._corrected_items.add(item.item)
            if data["ask_again"]:
                self._ask_again(mended)
        for item in [one for one in self.items.values() if one.kind == "suggestion"]:
            if item.content["sentence"] == sentence:  # the linguist sees the sentence as it stands by then
                shown = {name: after if text == before else text for name, text in item.content.items()}
                self.items[item.item] = replace(item, content={**shown, "after": item.content["after"]})

    def _ask_again(self, item: Item) -> None:
        self._asked[item.item] = item.version
        for run in self.phases.values():
            if run.phase.corrects:
                continue
            for number, pool in run.pools.items():
                if item.item in pool:
                    if pool.complete(item.item, run.phase.overlap_at_least):
                        self._release_dependents(run, item.item, 1)
                    pool.ask_again(item.item)
                    for person in self.people.values():
                        person.in_block((run.name, number)).pop(item.item, None)
                        person.finished.pop(run.name, None)
        for record in self.records.values():
            judged = record.item == item.item and not self.phases[record.phase].phase.corrects
            if judged and record.status == "answered":
                self._became(record, "superseded")

    def _on_revised(self, event: Event) -> None:
        if self._load is None:
            raise ValueError("this campaign cannot be revised: nobody gave it a way to load revisions")
        self.revision = event.data["revision"]
        self._adopt(*self._load(self.revision))

    # Pools, gold and what waits for what -------------------------------------------------------------------

    def _pool_of(self, person: Person, phase: str, number: int, item: str) -> Pool | None:
        """The pool in which an answer counts: models' answers and gold questions count in none."""
        run = self.phases.get(phase)
        if run is None or number not in run.pools or person.kind == "model" or item in run.gold:
            return None
        return run.pools[number] if item in run.pools[number] else None

    def _count(self, run: PhaseRun, pool: Pool, annotator: str, item: str) -> None:
        before = pool.complete(item, run.phase.overlap_at_least)
        pool.count(annotator, item)
        if not before and pool.complete(item, run.phase.overlap_at_least):
            self._release_dependents(run, item, -1)

    def _uncount(self, run: PhaseRun, pool: Pool, annotator: str, item: str) -> None:
        before = pool.complete(item, run.phase.overlap_at_least)
        pool.uncount(annotator, item)
        if before and not pool.complete(item, run.phase.overlap_at_least):
            self._release_dependents(run, item, 1)

    def _release_dependents(self, run: PhaseRun, item: str, change: int) -> None:
        for pool, other in run.dependents.get(item, ()):
            pool.depend(other, change)

    def _learn_gold(self, run: PhaseRun, author: Person, item: str) -> None:
        """What the authors agree on becomes gold in the phases that ask for it, and is none any more if they do not."""
        asking = [(other, gold) for other in self.phases.values() if (gold := other.phase.gold) is not None]
        asking = [(other, gold) for other, gold in asking if gold.from_phase == run.name]
        if not asking:
            return
        said = run.authored.setdefault(item, {})
        last = author.records[-1]
        if author.stopped or author.kind == "model":
            said.pop(author.name, None)
        elif last.item == item and last.phase == run.name and last.status == "answered":
            said[author.name] = {name: given[0][0] for name, given in author.last_given.items()}
        for other, gold in asking:
            other.set_gold(item, run.agreed(item, gold.agreement) if run.complete(item) else None)

    def _adopt(self, campaign: Campaign, material: Material) -> None:
        """Follow a protocol with its items from now on; what was answered, or corrected, stays as it was."""
        deadlines = {run.name: run.phase.deadline for run in self.phases.values()}
        for phase in campaign.phases:
            if phase.deadline != deadlines.get(phase.name):
                self.extended.pop(phase.name, None)  # the recipe has spoken last
        self.campaign = campaign
        self._lease = timedelta(minutes=campaign.lease_minutes)
        self._gap = timedelta(hours=campaign.sitting_hours)
        answered = {record.item for record in self.records.values()}
        for name, item in material.items.items():
            old = self.items.get(name)
            if old is None:
                self.items[name] = item
            elif name not in self._corrected_items and (name not in answered or item.kind in ("text", "check")):
                changed = (item.content, item.known) != (old.content, old.known)
                # Whoever has the old wording on the screen is shown the new one.
                self.items[name] = replace(item, version=old.version + changed)
        before = {name: run.labels for name, run in self.phases.items()}
        self.phases = make_phases(campaign, material, self.items, self.people, before=self.phases, seed=self._seed)
        for person in self.people.values():
            kept = {key: items for key, items in person.lists.items() if self._is_repeat(key)}
            person.lists = kept
            self._forget_moved_blocks(person, before)

    def _is_repeat(self, key: BlockKey) -> bool:
        run = self.phases.get(key[0])
        return run is not None and key[1] < len(run.labels) and run.purpose(key[1]) == "repeat"

    def _forget_moved_blocks(self, person: Person, before: Mapping[str, list[str]]) -> None:
        """What was shown in a phase whose blocks have changed must be shown again: its place means something else."""
        moved = {
            name for name, labels in before.items() if name not in self.phases or self.phases[name].labels != labels
        }
        if person.lease is not None and person.lease.phase in moved:
            person.lease = person.reopened = None
        for key in [key for key in person.shown if key[0] in moved]:
            del person.shown[key]


def _name(event: Event) -> str:
    if event.annotator is None:
        raise ValueError(f'an event "{event.kind}" needs an annotator')
    return event.annotator


def _block_key(event: Event) -> BlockKey:
    return event.data["phase"], event.data["block"]

"""How far a campaign is: phases, blocks, items and people, as the running campaign has them.

These functions are run by the thread that stores answers (`Engine.read`), so they copy what they need and do no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from kostra.campaign.items import Item
from kostra.campaign.people import Person, Shown
from kostra.campaign.phases import PhaseRun
from kostra.campaign.running import Running


@dataclass(frozen=True)
class BlockProgress:
    """A block of a phase."""

    label: str
    purpose: str
    items: int
    """Items that are asked; of a block for everybody, items per annotator."""
    wanted: int
    """Answers that it will have; 0 where nobody can know."""
    accepted: int
    leased: int
    complete: int
    """Items with all their answers; of a block for everybody, people who are through."""
    overlap: int = 0
    histogram: tuple[int, ...] = ()
    """Items with 0, 1, 2 … accepted answers."""


@dataclass(frozen=True)
class PhaseProgress:
    """A phase."""

    name: str
    task: str
    role: str
    blocks: tuple[BlockProgress, ...]
    deadline: datetime | None
    over: bool
    at_work: int
    """People who have answered something in it."""
    finished: int
    questions: tuple[str, ...]

    @property
    def pools(self) -> tuple[BlockProgress, ...]:
        """The blocks with a promised overlap."""
        return tuple(block for block in self.blocks if block.overlap)

    @property
    def wanted(self) -> int:
        """Answers that its main blocks will have."""
        return sum(block.wanted for block in self.pools)

    @property
    def accepted(self) -> int:
        """Answers that they have."""
        return sum(block.accepted for block in self.pools)


@dataclass(frozen=True)
class State:
    """A whole campaign."""

    phases: tuple[PhaseProgress, ...]
    paused: str | None
    revision: int
    seq: int
    people: int
    stopped: int
    last_at: datetime | None

    @property
    def wanted(self) -> int:
        """Answers that it will have."""
        return sum(phase.wanted for phase in self.phases)

    @property
    def accepted(self) -> int:
        """Answers that it has."""
        return sum(phase.accepted for phase in self.phases)


def state_of(running: Running, now: datetime) -> State:
    """How far everything is."""
    workers = [person for person in running.people.values() if person.role != "admin"]
    last = max((person.last_at for person in workers if person.last_at is not None), default=None)
    phases = tuple(_phase(running, run, workers, now) for run in running.phases.values())
    stopped = sum(bool(person.stopped) for person in workers)
    return State(phases, running.paused, running.revision, running.seq, len(workers), stopped, last)


def _phase(running: Running, run: PhaseRun, workers: Sequence[Person], now: datetime) -> PhaseProgress:
    mine = [person for person in workers if person.role == run.phase.role]
    blocks = tuple(_block(run, number, mine, now) for number in range(len(run.phase.blocks)))
    begun = sum(any(person.in_block((run.name, number)) for number in range(len(run.labels))) for person in mine)
    return PhaseProgress(
        run.name,
        run.phase.task,
        run.phase.role,
        blocks,
        running.deadline(run.name),
        running.is_over(run.name, now),
        begun,
        sum(run.name in person.finished for person in mine),
        tuple(question.name for question in run.phase.questions),
    )


def _block(run: PhaseRun, number: int, mine: Sequence[Person], now: datetime) -> BlockProgress:
    label, purpose = run.labels[number], run.purpose(number)
    pool = run.pools.get(number)
    if pool is None:
        key = (run.name, run.gold_block if run.mixes(number) else number)
        done = [len(person.in_block(key)) for person in mine]
        items = run.phase.blocks[number].items or len(run.material.blocks.get((run.name, number), ()))
        through = sum(bool(items) and count >= items for count in done)
        return BlockProgress(label, purpose, items, 0, sum(done), 0, through)
    pool.expire(now)
    counts = pool.counts[pool.asked]
    histogram = tuple(np.bincount(counts, minlength=pool.overlap + 1).tolist())
    wanted = len(counts) * pool.overlap
    leased = int(pool.leases.sum())
    complete = int((counts >= pool.overlap).sum())
    return BlockProgress(
        label, purpose, len(counts), wanted, int(counts.sum()), leased, complete, pool.overlap, histogram
    )


@dataclass(frozen=True)
class Coverage:
    """An item in one phase."""

    item: str
    phase: str
    accepted: int
    leased: int
    overlap: int


@dataclass(frozen=True)
class Listed:
    """The items of a phase, as the list of items needs them."""

    items: list[Item]
    accepted: NDArray[np.int32]
    leased: NDArray[np.int32]
    overlap: int


def listed(running: Running, phase: str, now: datetime) -> Listed:
    """All items that a phase asks in its main blocks, with their answers."""
    items: list[Item] = []
    accepted, leased = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int32)]
    run = running.phases[phase]
    for pool in run.pools.values():
        pool.expire(now)
        asked = pool.asked
        items += [running.items[item] for item, wanted in zip(pool.items, asked, strict=True) if wanted]
        accepted.append(pool.counts[asked])
        leased.append(pool.leases[asked])
    return Listed(items, np.concatenate(accepted), np.concatenate(leased), run.phase.overlap)


@dataclass(frozen=True)
class ItemState:
    """One item with all that is known of it now."""

    item: Item
    covered: tuple[Coverage, ...]
    held_by: tuple[tuple[str, str], ...]
    """Phase and annotator for whom it is kept."""
    gold_in: tuple[str, ...]
    may_be_given: tuple[str, ...]
    """Phases in which an admin can give it to somebody."""


def item_state(running: Running, item: str, now: datetime) -> ItemState | None:
    """What stands about one item."""
    found = running.items.get(item)
    if found is None:
        return None
    covered, held, given = [], [], []
    for run in running.phases.values():
        for pool in run.pools.values():
            if item in pool and pool.asks(item):
                pool.expire(now)
                holders = pool.holders(item)
                covered.append(Coverage(item, run.name, pool.accepted(item), len(holders), pool.overlap))
                held += [(run.name, who) for who in holders]
                if run.phase.same_order_as is None and run.phase.validates is None:
                    given.append(run.name)
    gold = tuple(run.name for run in running.phases.values() if item in run.gold)
    return ItemState(found, tuple(covered), tuple(held), gold, tuple(given))


@dataclass(frozen=True)
class PersonState:
    """One annotator as the running campaign has them."""

    name: str
    role: str
    kind: str
    joined_at: datetime
    stopped: str
    last_at: datetime | None
    lease: Shown | None
    finished: tuple[str, ...]
    answered: tuple[tuple[str, int], ...]
    """Phase → answers given in it."""
    gold_seen: int
    gold_right: float
    assigned: tuple[str, ...]


def people_states(running: Running) -> list[PersonState]:
    """Everybody who takes part, admins apart."""
    return [_person(person) for person in running.people.values() if person.role != "admin"]


def person_state(running: Running, name: str) -> PersonState | None:
    """Somebody who takes part."""
    person = running.people.get(name)
    return None if person is None else _person(person)


def _person(person: Person) -> PersonState:
    answered: dict[str, int] = {}
    for (phase, _), items in person.done.items():
        answered[phase] = answered.get(phase, 0) + len(items)
    return PersonState(
        person.name,
        person.role,
        person.kind,
        person.joined_at,
        person.stopped,
        person.last_at,
        person.lease,
        tuple(person.finished),
        tuple(answered.items()),
        sum(person.gold_seen.values()),
        sum(person.gold_right.values()),
        tuple(item for _, _, item in person.assigned),
    )

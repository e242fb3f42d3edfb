"""Pools of items: who may get which item of a main block, and how many answers each has.

A pool only counts and proposes. What it proposes becomes true when the campaign applies the event (`lease`, `count`),
so that every process that applies the same log holds the same pool. Overlap is exact: while accepted answers and
running leases fill it, nobody else gets the item, and an answer that comes when it is full is surplus.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from kostra.campaign.schedule import Policy, View

BoolArray = NDArray[np.bool_]
FORESEEN = 200
"""Items up to which an annotator is told how many there are in a queue that has no end of its own."""


@dataclass(frozen=True)
class Proposal:
    """What a pool offers: an item, something to wait for, or (with neither) that nothing will come."""

    item: str | None = None
    wait: Literal["", "others", "sitting", "not_ready"] = ""
    until: datetime | None = None
    lot: int | None = None
    """A lot that must be dealt to the annotator first."""
    made: Sequence[tuple[str, Sequence[str]]] = ()
    """Tuples that must be made first: name and members."""


NOTHING = Proposal()


@dataclass(frozen=True)
class Sitting:
    """What an annotator has met since the last long break, where a phase keeps things apart."""

    items: Set[str] = frozenset()
    ends: datetime | None = None
    """When a break that begins now would end the sitting."""


def personal_rng(seed: int, annotator: str, *names: str) -> np.random.Generator:
    """A generator of an annotator's own: the same in every process, and after every restart.

    Examples
    --------
    >>> one, same = personal_rng(1, "ann"), personal_rng(1, "ann")
    >>> bool(one.random() == same.random())
    True
    """
    words = "\x1f".join((annotator, *names))
    return np.random.default_rng([seed, int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")])


class Pool:
    """Counts answers and leases of items, of which each has room for `overlap`."""

    def __init__(
        self, items: Sequence[str], *, overlap: int, seed: int, reverses: Mapping[str, str] | None = None
    ) -> None:
        self.items: list[str] = []
        self.overlap = overlap
        self._seed = seed
        self._reverses = dict(reverses or {})
        self._number: dict[str, int] = {}
        self._accepted = np.zeros(0, dtype=np.int32)
        self._leased = np.zeros(0, dtype=np.int32)
        self._withheld = np.zeros(0, dtype=np.bool_)
        self._waiting = np.zeros(0, dtype=np.int32)
        self._until: dict[tuple[str, int], datetime] = {}
        self._expiries: list[tuple[datetime, str, int]] = []
        self._answered: dict[str, BoolArray] = {}
        self.add(items)

    def add(self, items: Iterable[str]) -> None:
        """Take in items that are not there yet."""
        fresh = [item for item in items if item not in self._number]
        for item in fresh:
            self._number[item] = len(self.items)
            self.items.append(item)
        self._accepted = _longer(self._accepted, len(fresh))
        self._leased = _longer(self._leased, len(fresh))
        self._withheld = _longer(self._withheld, len(fresh))
        self._waiting = _longer(self._waiting, len(fresh))
        self._answered = {name: _longer(done, len(fresh)) for name, done in self._answered.items()}

    def __contains__(self, item: str) -> bool:
        return item in self._number

    # What holds ----------------------------------------------------------------------------------------

    def accepted(self, item: str) -> int:
        """Accepted answers to an item."""
        return int(self._accepted[self._number[item]])

    def complete(self, item: str, least: int | None = None) -> bool:
        """Whether an item has all its answers (or as many as are enough)."""
        return self.accepted(item) >= (least or self.overlap)

    @property
    def counts(self) -> NDArray[np.int32]:
        """Accepted answers per item, in the order of `items`."""
        return self._accepted.copy()

    @property
    def leases(self) -> NDArray[np.int32]:
        """Leases per item that are not known to have run out."""
        return self._leased.copy()

    @property
    def asked(self) -> BoolArray:
        """Which items are asked here, in the order of `items`."""
        return ~self._withheld

    @property
    def all_complete(self) -> bool:
        """Whether every item that is asked here has all its answers."""
        return self.all_have(self.overlap)

    def all_have(self, count: int) -> bool:
        """Whether every item that is asked here has at least so many answers."""
        return bool((self._withheld | (self._accepted >= count)).all())

    def room(self, annotator: str, item: str, now: datetime) -> bool:
        """Whether an answer of this annotator would be accepted: others' leases count, their own does not."""
        self.expire(now)
        number = self._number[item]
        own = (annotator, number) in self._until
        return bool(self._accepted[number] + self._leased[number] - own < self.overlap)

    def may_hold(self, annotator: str, item: str) -> bool:
        """Whether an item that an annotator was shown before may be shown to them again."""
        number = self._number[item]
        return not (self._withheld[number] or self._waiting[number] or self._answers_of(annotator)[number])

    # What happens --------------------------------------------------------------------------------------

    def asks(self, item: str) -> bool:
        """Whether an item is asked here: not if it was taken out, or is a gold question."""
        return not self._withheld[self._number[item]]

    def lease(self, annotator: str, item: str, until: datetime) -> None:
        """An item is shown: it is kept for the annotator until then."""
        number = self._number[item]
        if (annotator, number) not in self._until:
            self._leased[number] += 1
        self._until[annotator, number] = until
        heapq.heappush(self._expiries, (until, annotator, number))

    def release(self, annotator: str, item: str) -> None:
        """A lease ends."""
        number = self._number[item]
        if self._until.pop((annotator, number), None) is not None:
            self._leased[number] -= 1

    def count(self, annotator: str, item: str) -> None:
        """An answer is accepted."""
        self._accepted[self._number[item]] += 1
        self.mark(annotator, item)

    def mark(self, annotator: str, item: str) -> None:
        """The annotator has answered the item, whatever became of it."""
        self._answers_of(annotator)[self._number[item]] = True

    def uncount(self, annotator: str, item: str) -> None:  # noqa: ARG002 - pools of lots need the annotator
        """An accepted answer is discarded: its item is free for others."""
        self._accepted[self._number[item]] -= 1

    def ask_again(self, item: str) -> None:
        """All answers are for an earlier version: nobody has answered this one."""
        number = self._number[item]
        self._accepted[number] = 0
        for done in self._answered.values():
            done[number] = False

    def withhold(self, item: str, withheld: bool = True) -> None:
        """Take an item out, or back in: gold questions are not asked for their own sake."""
        self._withheld[self._number[item]] = withheld

    def depend(self, item: str, change: int) -> None:
        """An item waits for so many others more or fewer."""
        self._waiting[self._number[item]] += change

    def wait_for_nothing(self) -> None:
        """Forget what items wait for; whoever knows says it anew."""
        self._waiting[:] = 0

    def keep_apart(self, reverses: Mapping[str, str] | None) -> None:
        """Say which items are each other's reverse, where they must not meet in one sitting."""
        self._reverses = dict(reverses or {})

    def leave(self, annotator: str) -> None:
        """The annotator is gone: nothing is kept for them."""
        for who, number in list(self._until):
            if who == annotator:
                self.release(annotator, self.items[number])

    def free(self, item: str) -> None:
        """The item is kept for nobody any more."""
        wanted = self._number[item]
        for who, number in [key for key in self._until if key[1] == wanted]:
            self.release(who, self.items[number])

    def holders(self, item: str) -> list[str]:
        """For whom the item is kept."""
        wanted = self._number[item]
        return [who for who, number in self._until if number == wanted]

    # What comes next -----------------------------------------------------------------------------------

    def propose(self, annotator: str, now: datetime, sitting: Sitting) -> Proposal:
        """What the annotator may be shown next."""
        raise NotImplementedError

    def clashes(self, item: str, sitting: Sitting) -> bool:
        """Whether the annotator has met the reverse of an item in this sitting, where the phase keeps them apart."""
        return self._number[item] in self._clashing(sitting)

    def planned(self, annotator: str) -> int | None:  # noqa: ARG002 - a pool without lots has no plan for anybody
        """How many items the annotator has in this pool in all, where that is known."""
        return None

    def _clashing(self, sitting: Sitting) -> set[int]:
        """Items whose reverse the annotator has met in this sitting, where the phase keeps them apart."""
        if not self._reverses:
            return set()
        reverses = (self._reverses.get(item, "") for item in sitting.items)
        return {self._number[other] for other in reverses if other in self._number}

    def expire(self, now: datetime) -> None:
        """Forget the leases that have run out."""
        while self._expiries and self._expiries[0][0] <= now:
            until, annotator, number = heapq.heappop(self._expiries)
            if self._until.get((annotator, number)) == until:
                del self._until[annotator, number]
                self._leased[number] -= 1

    def _answers_of(self, annotator: str) -> BoolArray:
        done = self._answered.get(annotator)
        if done is None:
            done = self._answered[annotator] = np.zeros(len(self.items), dtype=np.bool_)
        return done


class Queue(Pool):
    """Items that anybody may get, chosen by a policy."""

    def __init__(
        self,
        items: Sequence[str],
        *,
        overlap: int,
        seed: int,
        policy: Policy,
        reverses: Mapping[str, str] | None = None,
    ) -> None:
        self.policy = policy
        self._orders: dict[str, NDArray[np.int64]] = {}
        super().__init__(items, overlap=overlap, seed=seed, reverses=reverses)

    def add(self, items: Iterable[str]) -> None:
        """Take in more items: everybody's order is drawn anew, since nobody's past depends on it."""
        super().add(items)
        self._orders.clear()

    def propose(self, annotator: str, now: datetime, sitting: Sitting) -> Proposal:
        """An item with room that the annotator has not answered, that waits for nothing and clashes with nothing."""
        self.expire(now)
        covered = self._accepted + self._leased
        wanted = ~self._answers_of(annotator) & ~self._withheld & (self._accepted < self.overlap)
        if not wanted.any():
            return NOTHING
        ready = wanted & (self._waiting == 0)
        available = ready & (covered < self.overlap)
        clashing = list(self._clashing(sitting))
        kept = bool(clashing) and bool(available[clashing].any())
        available[clashing] = False
        if available.any():
            chosen = self.policy.choose(View(available, covered.astype(np.int64), self._order_of(annotator)))
            return Proposal(self.items[int(chosen)])
        if kept:
            return Proposal(wait="sitting", until=sitting.ends)
        return Proposal(wait="others" if ready.any() else "not_ready")

    def planned(self, annotator: str) -> int | None:
        """As many as may still come, where that is a number one can look forward to."""
        done = self._answers_of(annotator)
        most = int((done | (~self._withheld & (self._accepted < self.overlap))).sum())
        return most if most <= FORESEEN else None

    def _order_of(self, annotator: str) -> NDArray[np.int64]:
        if annotator not in self._orders:
            self._orders[annotator] = personal_rng(self._seed, annotator).permutation(len(self.items))
        return self._orders[annotator]


class Followed(Pool):
    """The items that each annotator answered in an earlier phase, in the same order."""

    def __init__(
        self,
        items: Sequence[str],
        *,
        overlap: int,
        seed: int,
        earlier: Callable[[str], Sequence[str]],
        reverses: Mapping[str, str] | None = None,
    ) -> None:
        self._earlier = earlier
        self._behind: dict[str, int] = {}
        """How many of the annotator's items lie behind them, so that nobody's past is read again and again."""
        super().__init__(items, overlap=overlap, seed=seed, reverses=reverses)

    def ask_again(self, item: str) -> None:
        """Somebody's past lies before them again."""
        self._behind.clear()
        super().ask_again(item)

    def propose(self, annotator: str, now: datetime, sitting: Sitting) -> Proposal:
        """The next of them that has not been answered here."""
        self.expire(now)
        done, clashing = self._answers_of(annotator), self._clashing(sitting)
        order, start = self._earlier(annotator), self._behind.get(annotator, 0)
        while start < len(order) and order[start] in self._number and done[self._number[order[start]]]:
            start += 1
        self._behind[annotator] = start
        waits: Proposal = NOTHING
        for item in order[start:]:
            number = self._number.get(item)
            if number is None or done[number] or self._withheld[number]:
                continue
            if self._waiting[number]:
                waits = Proposal(wait="not_ready")
            elif number in clashing:
                waits = Proposal(wait="sitting", until=sitting.ends)
            elif self.room(annotator, item, now):
                return Proposal(item)
        return waits

    def planned(self, annotator: str) -> int | None:
        """As many as in the earlier phase."""
        return len(self._earlier(annotator))


_Number = TypeVar("_Number", bound=np.generic)


def _longer(array: NDArray[_Number], more: int) -> NDArray[_Number]:
    return np.concatenate([array, np.zeros(more, dtype=array.dtype)])

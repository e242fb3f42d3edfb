"""Who sees what next: the scheduling interface that people on the site and simulated annotators share.

Overlap is exact: an item has at most `overlap` accepted answers. An item that is shown is leased; while leases and
accepted answers fill the overlap, nobody else gets it. A lease that runs out frees the item; an answer that comes too
late is accepted if there is still room, and otherwise kept as *surplus*.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kostra.errors import KostraError

Outcome = Literal["answered", "surplus"]


@dataclass(frozen=True)
class View:
    """What a policy sees when it chooses the next item for one annotator."""

    open: NDArray[np.bool_]
    """Items that this annotator may be shown now."""
    covered: NDArray[np.int64]
    """Per item, accepted answers and running leases."""
    order: NDArray[np.int64]
    """All items in this annotator's own random order."""


class Policy(Protocol):
    """A module of ``campaign/policies``."""

    def choose(self, view: View) -> int:
        """The number of an open item; there is at least one."""


class Schedule:
    """Deals the items of one phase to annotators.

    Examples
    --------
    >>> from datetime import UTC, datetime, timedelta
    >>> from kostra.campaign.policies import random
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> schedule = Schedule(["item"], overlap=1, policy=random, seed=1, lease=timedelta(minutes=5))
    >>> schedule.next("ann", noon), schedule.next("bob", noon)
    ('item', None)
    >>> later = noon + timedelta(minutes=6)  # the lease of ann has run out
    >>> schedule.next("bob", later), schedule.answer("bob", "item", later), schedule.answer("ann", "item", later)
    ('item', 'answered', 'surplus')
    """

    block = "main"
    """The block in which the judgments stand."""

    def __init__(
        self, items: Sequence[str], *, overlap: int, policy: Policy, seed: int, lease: timedelta = timedelta(minutes=30)
    ) -> None:
        self.items = list(items)
        self.overlap = overlap
        self._policy = policy
        self._seed = seed
        self._lease = lease
        self._number = {item: number for number, item in enumerate(self.items)}
        self._accepted = np.zeros(len(self.items), dtype=np.int64)
        self._leases: dict[tuple[str, int], datetime] = {}
        self._leased = np.zeros(len(self.items), dtype=np.int64)
        self._answered: dict[str, NDArray[np.bool_]] = {}
        self._orders: dict[str, NDArray[np.int64]] = {}

    @property
    def total(self) -> int:
        """Answers that the phase will have."""
        return len(self.items) * self.overlap

    @property
    def complete(self) -> bool:
        """Whether every item has all its answers."""
        return bool((self._accepted >= self.overlap).all())

    @property
    def accepted(self) -> int:
        """Accepted answers so far, over all items."""
        return int(self._accepted.sum())

    def accepted_of(self, item: str) -> int:
        """Accepted answers to one item."""
        return int(self._accepted[self._number[item]])

    def next(self, annotator: str, now: datetime) -> str | None:
        """Lease the next item to an annotator; None if there is nothing for them now.

        An annotator who still holds a lease gets the same item again.
        """
        self._expire(now)
        held = next((number for (who, number) in self._leases if who == annotator), None)
        if held is None:
            covered = self._accepted + self._leased
            available = (covered < self.overlap) & ~self._answers_of(annotator)
            if not available.any():
                return None
            held = int(self._policy.choose(View(available, covered, self._order_of(annotator))))
            self._leased[held] += 1
        self._leases[annotator, held] = now + self._lease
        return self.items[held]

    def answer(
        self,
        annotator: str,
        item: str,
        now: datetime,
        given: Mapping[str, str] | None = None,  # noqa: ARG002 - an adaptive schedule learns from it
    ) -> Outcome:
        """Take an answer: accepted while the item has room, kept as surplus otherwise."""
        if item not in self._number:
            raise KostraError(f'there is no item "{item}" in this phase')
        number = self._number[item]
        if self._answers_of(annotator)[number]:
            raise KostraError(f'"{annotator}" has answered the item "{item}" already', accepted="one answer per item")
        self._expire(now)
        if self._leases.pop((annotator, number), None) is not None:
            self._leased[number] -= 1
        room = self._accepted[number] + self._leased[number] < self.overlap
        self._answers_of(annotator)[number] = True
        if not room:
            return "surplus"
        self._accepted[number] += 1
        return "answered"

    def _expire(self, now: datetime) -> None:
        for (annotator, number), until in list(self._leases.items()):
            if until <= now:
                del self._leases[annotator, number]
                self._leased[number] -= 1

    def _answers_of(self, annotator: str) -> NDArray[np.bool_]:
        return self._answered.setdefault(annotator, np.zeros(len(self.items), dtype=np.bool_))

    def _order_of(self, annotator: str) -> NDArray[np.int64]:
        if annotator not in self._orders:
            name = int.from_bytes(hashlib.sha256(annotator.encode()).digest()[:8], "big")
            self._orders[annotator] = np.random.default_rng([self._seed, name]).permutation(len(self.items))
        return self._orders[annotator]

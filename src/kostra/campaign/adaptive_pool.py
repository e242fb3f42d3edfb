"""A pool whose tuples are made from the answers so far, for people on the site and for simulated ones alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from kostra.campaign.adaptive import AdaptiveDesign
from kostra.campaign.pools import NOTHING, Pool, Proposal, Sitting


class AdaptivePool(Pool):
    """Tuples as an adaptive design makes them; each is answered `overlap` times.

    The design learns from accepted answers. One that is discarded later stays learnt, and one that replaces another is
    not learnt: the choice of the next tuples is only a matter of economy, never of the scores. The budget counts what
    stands.
    """

    def __init__(self, names: Sequence[str], design: AdaptiveDesign, *, budget: int, overlap: int, seed: int) -> None:
        self._budget = budget
        self._names = list(names)
        self._place = {name: number for number, name in enumerate(names)}
        self._design = design
        self.members: dict[str, list[str]] = {}
        super().__init__((), overlap=overlap, seed=seed)

    @property
    def all_complete(self) -> bool:
        """Whether the design is finished."""
        return int(self._accepted.sum()) >= self._budget or self._design.finished

    def make(self, item: str, members: Sequence[str]) -> None:
        """A tuple was made."""
        self.members[item] = list(members)
        self.add([item])

    def lease(self, annotator: str, item: str, until: datetime) -> None:
        """A tuple is shown: the annotator has met its items together."""
        self._design.meet(annotator, self._numbers(item)[None, :])
        super().lease(annotator, item, until)

    def learn(self, annotator: str, item: str, given: Mapping[str, str]) -> None:
        """An answer was accepted."""
        best, worst = (np.array([self._place[given[question]]]) for question in ("best", "worst"))
        self._design.add(self._numbers(item)[None, :], best, worst, annotator=annotator)

    def propose(self, annotator: str, now: datetime, sitting: Sitting) -> Proposal:
        """A tuple that was made before and is fresh company for the annotator, or new ones."""
        del sitting
        self.expire(now)
        if self.all_complete:
            return NOTHING
        if int(self._accepted.sum() + self._leased.sum()) >= self._budget:
            return Proposal(wait="others")
        room = (self._accepted + self._leased < self.overlap) & ~self._answers_of(annotator)
        for number in np.flatnonzero(room).tolist():
            item = self.items[number]
            if not self._design.has_met(annotator, self._numbers(item)):
                return Proposal(item)
        busy = {
            place for number in np.flatnonzero(self._leased).tolist() for place in self._numbers(self.items[number])
        }
        batch = self._design.next_batch(annotator, busy=sorted(int(place) for place in busy)).tolist()
        first = len(self.items) + 1
        made = [
            (f"adaptive-{first + offset:06d}", [self._names[place] for place in row])
            for offset, row in enumerate(batch)
        ]
        return Proposal(made[0][0], made=made) if made else NOTHING

    def _numbers(self, item: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return np.array([self._place[name] for name in self.members[item]], dtype=np.int64)

"""Pools whose items are dealt in lots: whole sequences that one annotator works through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from kostra.campaign.pools import NOTHING, Pool, Proposal, Sitting


@dataclass
class Lot:
    """Items that are dealt together: a sequence, or the items of whole groups."""

    items: tuple[str, ...]
    owner: str | None = None
    since: datetime | None = None
    """When the owner last did something in it."""
    done: dict[str, str] = field(default_factory=dict)
    """Item → who answered it."""


class Lots(Pool):
    """Items that are dealt in lots; each lot needs one answer to each of its items."""

    def __init__(
        self,
        lots: Sequence[Sequence[str]],
        *,
        overlap: int,
        seed: int,
        idle: timedelta,
        per_annotator: int = 1,
        reverses: Mapping[str, str] | None = None,
    ) -> None:
        self.lots = [Lot(tuple(lot)) for lot in lots]
        self.idle = idle
        self._each = per_annotator
        self._of: dict[str, list[int]] = {}
        items = list(dict.fromkeys(item for lot in lots for item in lot))
        super().__init__(items, overlap=overlap, seed=seed, reverses=reverses)

    def add_lots(self, lots: Sequence[Sequence[str]]) -> None:
        """Take in more lots; those that are there stay as they are."""
        self.lots += [Lot(tuple(lot)) for lot in lots]
        self.add(item for lot in lots for item in lot)

    def room(self, annotator: str, item: str, now: datetime) -> bool:
        """Whether one of the annotator's lots, present or past, still lacks this item."""
        del now
        return self.accepted(item) < self.overlap and self._lacking(annotator, item) is not None

    def deal(self, annotator: str, number: int, now: datetime) -> None:
        """A lot is this annotator's from now on."""
        lot = self.lots[number]
        lot.owner, lot.since = annotator, now
        self._of.setdefault(annotator, [])
        if number not in self._of[annotator]:
            self._of[annotator].append(number)

    def touch(self, annotator: str, now: datetime) -> None:
        """The annotator is at work: their lots are not idle."""
        for number in self._of.get(annotator, ()):
            if self.lots[number].owner == annotator:
                self.lots[number].since = now

    def count(self, annotator: str, item: str) -> None:
        """An answer is accepted: it is the one that the annotator's lot lacked."""
        lot = self._lacking(annotator, item)
        if lot is not None:
            lot.done[item] = annotator
        super().count(annotator, item)

    def uncount(self, annotator: str, item: str) -> None:
        """An accepted answer is discarded: its lot lacks it again."""
        for lot in self.lots:
            if lot.done.get(item) == annotator:
                del lot.done[item]
        super().uncount(annotator, item)

    def ask_again(self, item: str) -> None:
        """All lots lack this item again."""
        for lot in self.lots:
            lot.done.pop(item, None)
        super().ask_again(item)

    def leave(self, annotator: str) -> None:
        """The annotator is gone: what their lots lack is dealt to others."""
        for lot in self.lots:
            if lot.owner == annotator:
                lot.owner = None
        super().leave(annotator)

    def free(self, item: str) -> None:
        """The lots that lack the item go back, whole: what is dealt together stays together."""
        for lot in self.lots:
            if item in lot.items and item not in lot.done:
                lot.owner = None
        super().free(item)

    def holders(self, item: str) -> list[str]:
        """Those whose lots lack it."""
        owners = (lot.owner for lot in self.lots if item in lot.items and item not in lot.done)
        return [owner for owner in owners if owner is not None]

    def lot_to_give(self, annotator: str, item: str, taken_from: str | None) -> int | None:
        """A lot that lacks the item, of somebody or of nobody, and of which the annotator has answered nothing else."""
        for number, lot in enumerate(self.lots):
            if lot.owner == taken_from and item in lot.items and item not in lot.done and lot.owner != annotator:
                lacking = [self._number[one] for one in lot.items if one not in lot.done]
                if not self._answers_of(annotator)[lacking].any():
                    return number
        return None

    def propose(self, annotator: str, now: datetime, sitting: Sitting) -> Proposal:
        """The next item of the annotator's lots; the next lot, where they may have one more."""
        done, clashing = self._answers_of(annotator), self._clashing(sitting)
        mine = [number for number in self._of.get(annotator, ()) if self.lots[number].owner == annotator]
        lacking = [
            item
            for number in mine
            for item in self.lots[number].items
            if item not in self.lots[number].done and self.asks(item) and not done[self._number[item]]
        ]
        ready = [item for item in lacking if not self._waiting[self._number[item]]]
        for item in ready:
            if self._number[item] not in clashing:
                return Proposal(item)
        if ready:
            return Proposal(wait="sitting", until=sitting.ends)
        if lacking:
            return Proposal(wait="not_ready")
        if len(mine) >= self._each:
            return NOTHING
        free = next((number for number in range(len(self.lots)) if self._free_for(annotator, number, now)), None)
        if free is not None:
            ready = self._ready(free)
            return Proposal(ready[0], lot=free) if ready else Proposal(wait="not_ready")
        return Proposal(wait="others") if not mine and not self.all_complete else NOTHING

    def planned(self, annotator: str) -> int | None:
        """All items of the annotator's lots."""
        lots = self._of.get(annotator)
        return sum(len(self.lots[number].items) for number in lots) if lots else None

    def _free_for(self, annotator: str, number: int, now: datetime) -> bool:
        lot = self.lots[number]
        idle = lot.owner is not None and lot.since is not None and now - lot.since >= self.idle
        if (lot.owner is not None and not idle) or lot.owner == annotator:
            return False
        lacking = [self._number[item] for item in lot.items if item not in lot.done]
        lacking = [place for place in lacking if not self._withheld[place]]
        return bool(lacking) and not self._answers_of(annotator)[lacking].any()

    def _ready(self, number: int) -> list[str]:
        """What a lot lacks and may be shown now."""
        lot = self.lots[number]
        places = ((item, self._number[item]) for item in lot.items if item not in lot.done)
        return [item for item, place in places if not (self._withheld[place] or self._waiting[place])]

    def _lacking(self, annotator: str, item: str) -> Lot | None:
        mine = (self.lots[number] for number in self._of.get(annotator, ()))
        return next((lot for lot in mine if item in lot.items and item not in lot.done), None)

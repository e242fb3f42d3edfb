"""Small campaigns for the tests of the state machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given, Outcome, Place
from kostra.campaign.protocol import Block, Campaign, Phase, Question
from kostra.campaign.running import Running

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SCALE = Question(name="similarity", low=0, high=5)


def pairs(count: int, *, known: Mapping[str, str] | None = None, prefix: str = "p") -> dict[str, Item]:
    return {
        f"{prefix}{number}": Item(
            f"{prefix}{number}",
            "pair",
            {"text_a": f"A {number}.", "text_b": f"B {number}."},
            sentences=(f"{prefix}{number}-a", f"{prefix}{number}-b"),
            known=known or {},
        )
        for number in range(count)
    }


def phase(**changes: Any) -> Phase:
    return Phase(**{"name": "main", "task": "rating", "questions": (SCALE,), **changes})


def running(
    phases: Sequence[Phase], items: Mapping[str, Item], blocks: Mapping[tuple[str, int], Sequence[str]], **options: Any
) -> Running:
    campaign = Campaign(phases=tuple(phases), **options)
    material = Material(items, {key: tuple(ids) for key, ids in blocks.items()})
    return Running(campaign, material, seed=1)


def simple(count: int = 3, *, overlap: int = 1, blocks: tuple[Block, ...] | None = None, **options: Any) -> Running:
    items = pairs(count)
    changes = {"blocks": blocks} if blocks else {}
    return running([phase(overlap=overlap, **changes)], items, {("main", 0): tuple(items)}, **options)


class Clock:
    """A campaign with a clock that only tests move."""

    def __init__(self, campaign: Running) -> None:
        self.campaign = campaign
        self.now = NOON
        self.keys = 0

    def wait(self, **span: float) -> None:
        self.now += timedelta(**span)

    def join(self, *names: str, **options: str) -> None:
        for name in names:
            self.campaign.record(self.campaign.join(name, self.now, **options))

    def next(self, name: str) -> Place:
        return self.campaign.do(self.campaign.next(name, self.now))

    def item(self, name: str) -> str:
        place = self.next(name)
        assert place.item is not None, place
        return place.item.item

    def answer(
        self, name: str, value: str = "3", *, question: str = "similarity", place: Place | None = None, key: str = ""
    ) -> Outcome:
        place = place or self.next(name)
        assert place.item is not None, place
        self.keys += 1
        given = Given(
            place.phase, place.item.item, place.item.version, {question: [Answer(value)]}, key or f"k{self.keys}"
        )
        return self.campaign.do(self.campaign.answer(name, given, self.now))

    def work(self, name: str, value: str = "3", *, most: int = 1000) -> Place:
        """Answer until something else than an item comes."""
        for _ in range(most):
            place = self.next(name)
            if place.kind != "show":
                return place
            self.answer(name, value, place=place)
        return self.next(name)

    def statuses(self, name: str) -> list[str]:
        return [record.status for record in self.campaign.people[name].records]

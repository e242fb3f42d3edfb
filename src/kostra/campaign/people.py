"""What a running campaign remembers of one annotator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from kostra.campaign.places import Status
from kostra.campaign.pools import Sitting

BlockKey = tuple[str, int]
"""Phase and number of the block."""


@dataclass(frozen=True, slots=True)
class Shown:
    """That an item was shown."""

    phase: str
    block: int
    item: str
    version: int
    at: datetime
    until: datetime


@dataclass(slots=True)
class Record:
    """One stored answer and what has become of it."""

    seq: int
    annotator: str
    phase: str
    block: int
    item: str
    version: int
    status: Status


@dataclass
class Person:
    """One annotator, person or not."""

    name: str
    role: str
    kind: str
    joined_at: datetime
    stopped: str = ""
    """Why, if they were stopped."""
    lease: Shown | None = None
    """What is on their screen."""
    shown: dict[tuple[str, str], Shown] = field(default_factory=dict)
    """Phase and item → how it was shown last."""
    done: dict[BlockKey, dict[str, int]] = field(default_factory=dict)
    """Block → item → number of the answer, in the order of answering."""
    lists: dict[BlockKey, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """The items of the blocks whose items do not come from a pool, in the annotator's own order."""
    orders: dict[str, list[str]] = field(default_factory=dict)
    """Phase → the items of its main blocks whose answers were accepted, in the order of answering."""
    finished: dict[str, datetime] = field(default_factory=dict)
    passed: set[BlockKey] = field(default_factory=set)
    attempts: Counter[BlockKey] = field(default_factory=Counter)
    """Failed attempts at a qualification."""
    slips: Counter[BlockKey] = field(default_factory=Counter)
    """Wrong answers in the attempt that is under way."""
    gold_seen: Counter[str] = field(default_factory=Counter)
    gold_right: dict[str, float] = field(default_factory=dict)
    """Sum over gold items of the share of their questions that was right: best and worst count by themselves."""
    since_gold: Counter[str] = field(default_factory=Counter)
    """Answers since the last gold question, by phase."""
    records: list[Record] = field(default_factory=list)
    last_given: Mapping[str, Any] = field(default_factory=dict)
    """The values of the last answer, as the log has them, to be shown again where it is changed."""
    reopened: Record | None = None
    """The answer that is being given again."""
    last_at: datetime | None = None
    sitting: set[str] = field(default_factory=set)
    """Items answered since the last long break."""
    assigned: list[tuple[str, int, str]] = field(default_factory=list)
    """What an admin gave them before anything else: phase, number of the block, item."""

    def in_block(self, key: BlockKey) -> dict[str, int]:
        """The items answered in a block."""
        return self.done.get(key, {})

    def sitting_at(self, now: datetime, gap: timedelta) -> Sitting:
        """What was met since the last long break."""
        if self.last_at is None or now - self.last_at >= gap:
            return Sitting(ends=now)
        return Sitting(self.sitting, self.last_at + gap)

    def worked(self, item: str, at: datetime, gap: timedelta) -> None:
        """An item was answered."""
        if self.last_at is None or at - self.last_at >= gap:
            self.sitting = set()
        self.sitting.add(item)
        self.last_at = at

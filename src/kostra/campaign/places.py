"""What an annotator gets and gives: the words between a running campaign and whoever draws its screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from kostra.campaign.items import Item

AnswerStatus = Literal["answered", "impossible", "skipped"]
Status = Literal["answered", "surplus", "discarded", "superseded", "skipped"]
"""What becomes of a whole answer: accepted, too many, of somebody who was stopped, replaced, skipped."""
PlaceKind = Literal["show", "pause", "waiting", "stopped", "finished"]


@dataclass(frozen=True)
class Answer:
    """The answer to one question. *Impossible* and *skipped* have no value."""

    value: str | None
    status: AnswerStatus = "answered"


@dataclass(frozen=True)
class Given:
    """All that an annotator sends for one item, checked by its task already."""

    phase: str
    item: str
    version: int
    answers: Mapping[str, Sequence[Answer]]
    """Question → answers; several only where the question asks for several."""
    key: str
    """Made by the client, once per answer: the same key twice is the same answer sent twice."""
    focused: float | None = None
    """Seconds during which the item was visible in a focused window, by the client's own account."""
    language: str = "en"
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Such as which answers were pasted."""


@dataclass(frozen=True)
class Feedback:
    """What an annotator is told about a gold question or a check."""

    right: bool
    known: Mapping[str, str]


@dataclass(frozen=True)
class Outcome:
    """What became of an answer."""

    status: Status
    feedback: Feedback | None = None
    repeated: bool = False
    """Whether this very answer had been stored before (a resend)."""


@dataclass(frozen=True)
class Progress:
    """How far an annotator is."""

    done: int
    of: int | None
    """Items in this block for this annotator; none where the queue decides."""
    block: int
    blocks: int


@dataclass(frozen=True)
class Place:
    """Where an annotator stands."""

    kind: PlaceKind
    phase: str = ""
    block: str = ""
    purpose: str = ""
    item: Item | None = None
    until: datetime | None = None
    """The end of a lease or of a pause."""
    reason: str = ""
    """Why one waits or was stopped: a word such as ``gold``, ``qualification``, ``others``, ``gold_not_ready``."""
    progress: Progress | None = None
    shown_at: datetime | None = None
    attempt: int = 1
    may_undo: bool = False
    again: bool = False
    """Whether the item is shown again because its answer is being changed."""

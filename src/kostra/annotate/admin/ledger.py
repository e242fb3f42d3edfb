"""The answers of a campaign as columns in memory, in step with its log: what all figures of the office start from.

A `Ledger` reads each entry of the log once and keeps of an answer what can be counted, some sixty bytes: who, what,
when, how long, which value. What has become of an answer since is asked of the running campaign, which tells only what
has changed. Texts that people wrote are not kept; whoever wants to read one asks the store for that answer.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kostra.annotate.engine import Engine
from kostra.annotate.store import Store
from kostra.annotate.store_log import thinking_times
from kostra.annotate.store_watching import newer_rows
from kostra.campaign.events import Event
from kostra.campaign.protocol import Phase
from kostra.campaign.running import Running
from kostra.ratings import number_of

STATUSES = ("answered", "surplus", "discarded", "superseded", "skipped")
GIVEN = ("answered", "impossible", "skipped")
TOLD = (
    "joined", "stopped", "readmitted", "suggested", "decided", "corrected", "revised", "problem", "paused", "resumed",
    "freed", "reassigned", "extended",
)  # fmt: skip
"""Entries that are kept whole, since there are few of them."""
AT_ONCE = 4_000
"""Entries that a page reads at most before it is shown; more are read beside it."""
LONGEST_VALUE = 80
"""A longer value is a text, and not kept."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Names:
    """Names as small numbers."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.number: dict[str, int] = {}

    def of(self, name: str) -> int:
        """The number of a name, which it keeps."""
        found = self.number.get(name)
        if found is None:
            found = self.number[name] = len(self.names)
            self.names.append(name)
        return found


@dataclass(frozen=True)
class Answers:
    """The answers at one moment; every array has one entry per answer, in the order of the log."""

    upto: int
    """Number of the last entry that was read."""
    seq: Ints
    at: Floats
    """Seconds since 1970."""
    who: Ints
    item: Ints
    phase: Ints
    block: Ints
    status: Ints
    seconds: Floats
    """During which the item was visible in a focused window; by the server's clock where the client did not say."""
    right: Floats
    """Share of the known questions that was answered rightly; NaN where nothing was known."""
    supersedes: Ints
    of: Ints
    """Per single judgment, the answer that it belongs to; the next three arrays are as long as this one."""
    question: Ints
    given: Ints
    value: Ints
    """Code of the value in `values`; −1 for none, −2 for a text that is not kept."""
    people: Sequence[str]
    items: Sequence[str]
    phases: Sequence[str]
    blocks: Sequence[str]
    questions: Sequence[str]
    values: Sequence[str]
    told: Sequence[Event]
    """Other entries, whole, in the order of the log."""

    @property
    def count(self) -> int:
        """How many answers there are, whatever became of them."""
        return len(self.seq)

    def stands(self) -> NDArray[np.bool_]:
        """Which answers count."""
        return np.asarray(self.status == STATUSES.index("answered"))

    def numbers(self) -> Floats:
        """Code of a value → the number that it is, or NaN."""
        found = [number_of(value) for value in self.values]
        return np.array([np.nan if one is None else one for one in found], dtype=np.float64)

    def place(self, seq: int) -> int | None:
        """Where an answer stands, by its number."""
        found = int(np.searchsorted(self.seq, seq))
        return found if found < len(self.seq) and self.seq[found] == seq else None


@dataclass
class _Columns:
    """The same while it grows."""

    seq: array[int] = field(default_factory=lambda: array("q"))
    at: array[float] = field(default_factory=lambda: array("d"))
    who: array[int] = field(default_factory=lambda: array("i"))
    item: array[int] = field(default_factory=lambda: array("i"))
    phase: array[int] = field(default_factory=lambda: array("h"))
    block: array[int] = field(default_factory=lambda: array("h"))
    status: array[int] = field(default_factory=lambda: array("b"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    right: array[float] = field(default_factory=lambda: array("f"))
    supersedes: array[int] = field(default_factory=lambda: array("q"))
    of: array[int] = field(default_factory=lambda: array("i"))
    question: array[int] = field(default_factory=lambda: array("h"))
    given: array[int] = field(default_factory=lambda: array("b"))
    value: array[int] = field(default_factory=lambda: array("i"))


_FLOATS = ("at", "seconds", "right")


class Ledger:
    """The answers of one campaign, read as far as its log went when somebody last looked."""

    def __init__(self, store: Store, engine: Engine[Running], campaign: str) -> None:
        self._store, self._engine, self._campaign = store, engine, campaign
        self._columns = _Columns()
        self._people, self._items, self._phases = Names(), Names(), Names()
        self._blocks, self._questions, self._values = Names(), Names(), Names()
        self._told: list[Event] = []
        self._upto = 0
        self._altered = 0
        self._pending: dict[int, str] = {}
        self._texts: frozenset[tuple[str, str]] = frozenset()
        """Phases and questions whose answers are texts."""
        self._lock = Lock()
        self._answers: Answers | None = None

    def refresh(self, most: int = AT_ONCE) -> bool:
        """Read what is new, up to so many entries; whether that was all."""
        with self._lock:
            changes = self._engine.read(self._changes).result()
            upto, changed, self._altered, self._texts = changes
            self._pending.update(changed)
            with self._store.connected() as connection:
                rows = newer_rows(connection, self._campaign, self._upto, kinds=("answered", *TOLD), limit=most)
            for seq, at, kind, annotator, data in rows:
                told = json.loads(data)
                if kind == "answered":
                    self._answer(seq, at, annotator or "", told)
                else:
                    self._told.append(Event(kind, at, annotator, told, seq))
                self._upto = seq
            whole = len(rows) < most
            if whole:
                self._upto = max(self._upto, upto)
            became = self._became()
            if rows or became or self._answers is None:
                self._answers = None
            return whole

    def answers(self) -> Answers:
        """What is known now."""
        with self._lock:
            if self._answers is None:
                self._answers = self._snapshot()
            return self._answers

    @property
    def upto(self) -> int:
        """Number of the last entry that was read."""
        return self._upto

    def _changes(self, running: Running) -> tuple[int, dict[int, str], int, frozenset[tuple[str, str]]]:
        """What became of answers since we last asked; run by the thread that writes, and therefore short."""
        fresh = running.altered[self._altered :]
        texts = frozenset(
            (run.name, question.name)
            for run in running.phases.values()
            for question in run.phase.questions
            if kind_of(run.phase, question.name) == "text"
        )
        return running.seq, {seq: running.records[seq].status for seq in fresh}, len(running.altered), texts

    def _became(self) -> bool:
        known = self._columns.seq
        changed = False
        for seq in [seq for seq in self._pending if seq <= self._upto]:
            place = _find(known, seq)
            if place is not None:
                self._columns.status[place] = STATUSES.index(self._pending[seq])
                changed = True
            del self._pending[seq]
        return changed

    def _answer(self, seq: int, at: datetime, annotator: str, data: Mapping[str, Any]) -> None:
        columns, place = self._columns, len(self._columns.seq)
        shown_at = datetime.fromisoformat(data["shown_at"]) if data.get("shown_at") else None
        seconds, focused = thinking_times(at, shown_at, data.get("focused"))
        honest = seconds if focused is None else focused
        share = data.get("right_share", data.get("right"))
        columns.seq.append(seq)
        columns.at.append(at.timestamp())
        columns.who.append(self._people.of(annotator))
        columns.item.append(self._items.of(data["item"]))
        columns.phase.append(self._phases.of(data["phase"]))
        columns.block.append(self._blocks.of(str(data.get("block_name", data["block"]))))
        columns.status.append(STATUSES.index(data["status"]))
        columns.seconds.append(np.nan if honest is None else honest)
        columns.right.append(np.nan if share is None else share)
        columns.supersedes.append(data.get("supersedes") or 0)
        for question, given in data["answers"].items():
            number, text = self._questions.of(question), (data["phase"], question) in self._texts
            for value, status in given:
                columns.of.append(place)
                columns.question.append(number)
                columns.given.append(GIVEN.index(status))
                columns.value.append(-2 if text and value is not None else self._code(value))

    def _code(self, value: str | None) -> int:
        if value is None:
            return -1
        return self._values.of(value) if len(value) <= LONGEST_VALUE and "\n" not in value else -2

    def _snapshot(self) -> Answers:
        names = (self._people, self._items, self._phases, self._blocks, self._questions, self._values)
        made: dict[str, Any] = {name: tuple(one.names) for name, one in zip(_LISTS, names, strict=True)}
        for name in _Columns.__dataclass_fields__:
            made[name] = np.array(getattr(self._columns, name), dtype=np.float64 if name in _FLOATS else np.int64)
        return Answers(upto=self._upto, told=tuple(self._told), **made)


_LISTS = ("people", "items", "phases", "blocks", "questions", "values")


def _find(numbers: array[int], wanted: int) -> int | None:
    """Where a number stands in an ascending array."""
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < len(numbers) and numbers[low] == wanted else None


def moment(seconds: float) -> datetime:
    """A time again.

    Examples
    --------
    >>> moment(0).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(seconds, tz=UTC)


def kind_of(phase: Phase, question: str) -> str:
    """What answers to a question are: ``rating``, ``label``, ``best_worst`` (best and worst), or ``text``.

    Examples
    --------
    >>> from kostra.campaign.protocol import Question
    >>> asked = Phase(name="main", task="rating", questions=(Question(name="similarity", low=0, high=5),))
    >>> kind_of(asked, "similarity"), kind_of(asked, "other")
    ('rating', 'text')
    """
    if phase.task == "best_worst" and question in ("best", "worst"):
        return "best_worst"
    found = next((one for one in phase.questions if one.name == question), None)
    if found is None:
        return "text"
    if found.low is not None and found.high is not None:
        return "rating"
    if found.labels or (phase.task in ("entailment", "triage", "comparison")):
        return "label"
    return "text"

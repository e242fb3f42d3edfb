"""A campaign's log in the store: entries are read in order and appended, never changed.

This is the path that every answer takes, so it speaks to the driver in plain rows: what SQLAlchemy would work out anew
for each row (types, names) is worked out once.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

import sqlalchemy as sa

from kostra.annotate.store_tables import DRAFTS, EVENTS, JUDGMENTS, from_microseconds, to_microseconds
from kostra.campaign.events import Event
from kostra.errors import KostraError

Row = tuple[Any, ...]
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")  # the escape itself, not a backslash with letters after it
_TOGETHER = 5_000  # rows fetched at once when a whole log is read


def encoded(value: Any) -> str:
    r"""A value as JSON text that both databases can hold.

    Examples
    --------
    >>> encoded({"text": "kůň"})
    '{"text":"kůň"}'
    >>> encoded({"text": "a\0b"})
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: the text holds a NUL character or half of a surrogate pair
      accepted: text in Unicode
    """
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _not_text() from None
    if "\\u0000" in text and _NUL.search(text):
        raise _not_text()
    return text


def _not_text() -> KostraError:
    return KostraError("the text holds a NUL character or half of a surrogate pair", accepted="text in Unicode")


@dataclass(frozen=True)
class Entry:
    """An event with its rows, ready to be stored."""

    event: Event
    row: Row
    judgments: Sequence[Row]


class Log:
    """The log of one campaign, read and written on connections that the caller holds.

    Whoever appends holds the campaign's lock (`lock`) since before it read the last number, so that entries are
    numbered without gaps, in the order in which they are committed.
    """

    def __init__(self, engine: sa.Engine, campaign: str) -> None:
        self.campaign = campaign
        self._postgres = engine.dialect.name == "postgresql"
        self._mark = "%s" if self._postgres else "?"
        self._events = self._insertion(EVENTS)
        self._judgments = self._insertion(JUDGMENTS)
        self._newer = (
            f"SELECT seq, at, kind, annotator, data FROM events WHERE campaign = {self._mark} AND seq > {self._mark}"
            " ORDER BY seq"
        )
        wanted = " AND ".join(f"{name} = {self._mark}" for name in ("campaign", "annotator", "phase", "item"))
        self._drop_draft = f"DELETE FROM drafts WHERE {wanted}"
        self._put_draft = (
            f"{self._insertion(DRAFTS)} ON CONFLICT (campaign, annotator, phase, item)"
            " DO UPDATE SET at = excluded.at, data = excluded.data"
        )

    def _insertion(self, table: sa.Table) -> str:
        names = ", ".join(column.name for column in table.columns)
        return f"INSERT INTO {table.name} ({names}) VALUES ({', '.join([self._mark] * len(table.columns))})"

    def _moment(self, moment: datetime | None) -> Any:
        return moment if moment is None or self._postgres else to_microseconds(moment)

    def lock(self, connection: sa.Connection) -> None:
        """Wait until no other process appends to this campaign; SQLite waits when the transaction begins."""
        if self._postgres:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self.campaign,))

    def newer(self, connection: sa.Connection, seq: int) -> list[Event]:
        """The entries after a number; few, as a rule."""
        return list(self._read(connection.exec_driver_sql(self._newer, (self.campaign, seq))))

    def all(self, connection: sa.Connection) -> Generator[Event]:
        """The whole log, in pieces that fit in memory; to be closed if it is not read to the end."""
        options = {"stream_results": True, "yield_per": _TOGETHER}
        result = connection.exec_driver_sql(self._newer, (self.campaign, 0), execution_options=options)
        with contextlib.closing(result):
            yield from self._read(chain.from_iterable(result.partitions()))

    def _read(self, rows: Iterable[Any]) -> Iterator[Event]:
        decode = json.loads
        if self._postgres:
            for seq, at, kind, annotator, data in rows:
                yield Event(kind, at, annotator, decode(data), seq)
        else:
            for seq, at, kind, annotator, data in rows:
                yield Event(kind, from_microseconds(at), annotator, decode(data), seq)

    def entry(self, event: Event, *, seq: int) -> Entry:
        """Number an event and lay out its rows, or refuse what cannot be stored."""
        text = encoded(event.data)
        # Applied is what every other process will read, not what the command happened to hold.
        numbered = Event(event.kind, event.at, event.annotator, json.loads(text), seq)
        answered = event.kind == "answered"
        key = event.data["key"] if answered else None
        row = (self.campaign, seq, self._moment(event.at), event.kind, event.annotator, key, text)
        return Entry(numbered, row, self._judgment_rows(numbered) if answered else ())

    def _judgment_rows(self, event: Event) -> list[Row]:
        """One row per question and place in its list of answers."""
        data = event.data
        shown_at = datetime.fromisoformat(data["shown_at"]) if data.get("shown_at") else None
        seconds, focused = thinking_times(event.at, shown_at, data.get("focused"))
        first = (data["item"], data["version"])
        last = (
            data["status"], data["phase"], str(data.get("block_name", data["block"])), self._moment(shown_at),
            self._moment(event.at), seconds, focused, data.get("supersedes"), data.get("revision", 1),
            data.get("language"), encoded(data["notes"]) if data.get("notes") else None,
        )  # fmt: skip
        answers = [(question, *one) for question, given in data["answers"].items() for one in enumerate(given, 1)]
        return [
            (self.campaign, event.seq, number, *first, question, place, event.annotator, value, status, *last)
            for number, (question, place, (value, status)) in enumerate(answers, 1)
        ]

    def append(self, connection: sa.Connection, entries: Sequence[Entry]) -> None:
        """Store entries and their judgments; the drafts of what is answered now go."""
        connection.exec_driver_sql(self._events, [entry.row for entry in entries])
        judgments = [row for entry in entries for row in entry.judgments]
        if judgments:
            connection.exec_driver_sql(self._judgments, judgments)
        answered = [
            (self.campaign, entry.event.annotator, entry.event.data["phase"], entry.event.data["item"])
            for entry in entries
            if entry.event.kind == "answered"
        ]
        if answered:
            connection.exec_driver_sql(self._drop_draft, answered)

    def put_drafts(
        self, connection: sa.Connection, drafts: Mapping[tuple[str, str, str], tuple[datetime, str]]
    ) -> None:
        """Store drafts, (annotator, phase, item) → (time, JSON text), in place of older ones."""
        # In one order everywhere, so that two processes that store the same drafts cannot wait for each other.
        rows = [(self.campaign, *name, self._moment(at), data) for name, (at, data) in sorted(drafts.items())]
        connection.exec_driver_sql(self._put_draft, rows)


def thinking_times(
    answered_at: datetime, shown_at: datetime | None, focused: float | None
) -> tuple[float | None, float | None]:
    """Seconds by the server's clock, and by the client's account, which is never believed beyond the server's.

    Examples
    --------
    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> thinking_times(noon.replace(second=9), noon, 4.5), thinking_times(noon.replace(second=9), noon, 99)
    ((9.0, 4.5), (9.0, 9.0))
    >>> thinking_times(noon, None, 4.5), thinking_times(noon, noon, float("nan"))
    ((None, None), (0.0, None))
    """
    if shown_at is None:
        return None, None
    seconds = max(0.0, (answered_at - shown_at).total_seconds())
    if focused is None or not math.isfinite(focused):
        return seconds, None
    return seconds, max(0.0, min(float(focused), seconds))

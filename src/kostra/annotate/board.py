"""The board: messages of those who run a campaign, which stand above people's work until they have read them.

Every answer brings a new screen, so the board is kept in memory. It asks the store at most every few seconds whether
there is anything new, beside the answers, and reads somebody's messages only when there is.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kostra.annotate.store import Store
from kostra.annotate.store_office import Note
from kostra.errors import KostraError

KEEP = 10.0
"""Seconds for which the board is taken as it is."""


@dataclass(frozen=True)
class _Known:
    newest: int
    unread: tuple[Note, ...]


class Board:
    """What the people of one campaign are told.

    Examples
    --------
    >>> import tempfile
    >>> from datetime import UTC
    >>> from kostra.annotate.store import open_store
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> with tempfile.TemporaryDirectory() as folder, open_store(folder) as store:
    ...     _ = store.create_campaign("news", seed=1, now=now)
    ...     _ = store.add_message("news", "Good morning!", annotator=None, actor="boss", now=now)
    ...     board = Board(store, "news")
    ...     board.look("ann")
    ...     first = [note.text for note in board.unread("ann")]
    ...     board.read("ann", [1], now=now)
    ...     first, board.unread("ann")
    (['Good morning!'], ())
    """

    def __init__(self, store: Store, campaign: str) -> None:
        self._store, self._campaign = store, campaign
        self._newest = 0
        self._asked = -KEEP
        self._known: dict[str, _Known] = {}
        self._busy = threading.Lock()

    def unread(self, annotator: str) -> tuple[Note, ...]:
        """What somebody has not read, the oldest first, as far as is known; what is new is looked up meanwhile."""
        known = self._known.get(annotator)
        stale = time.monotonic() >= self._asked + KEEP or (known.newest if known else 0) < self._newest
        if stale and self._busy.acquire(blocking=False):
            threading.Thread(target=self._look_beside, args=(annotator,), daemon=True).start()
        return known.unread if known is not None else ()

    def _look_beside(self, annotator: str) -> None:
        try:
            with contextlib.suppress(KostraError):  # the store is away: whoever comes next asks again
                self.look(annotator)
        finally:
            self._busy.release()

    def look(self, annotator: str) -> None:
        """Ask the store."""
        self._newest = self._store.newest_message(self._campaign)
        self._asked = time.monotonic()
        known = self._known.get(annotator)
        if self._newest and (known is None or known.newest < self._newest):
            self._fetch(annotator)

    def _fetch(self, annotator: str) -> None:
        notes = self._store.messages_for(self._campaign, annotator)
        newest = max((note.message for note in notes), default=0)
        unread = tuple(note for note in reversed(notes) if note.read_at is None)
        self._known[annotator] = _Known(max(newest, self._newest), unread)

    def read(self, annotator: str, messages: Iterable[int], *, now: datetime) -> None:
        """Somebody has read some of them."""
        self._store.mark_read(self._campaign, annotator, messages, now=now)
        self._fetch(annotator)

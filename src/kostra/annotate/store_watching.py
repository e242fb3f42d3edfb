"""Reading a campaign's log for those who watch over it: some kinds of entries, or single ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from kostra.annotate.store_tables import EVENTS

Row = Sequence[Any]
"""Number, time, kind, annotator and data (as JSON text) of an entry."""
_COLUMNS = (EVENTS.c.seq, EVENTS.c.at, EVENTS.c.kind, EVENTS.c.annotator, EVENTS.c.data)


def newer_rows(
    connection: sa.Connection, campaign: str, seq: int, *, kinds: Iterable[str], limit: int
) -> Sequence[Row]:
    """The entries of some kinds after a number, the first of them."""
    query = (
        sa.select(*_COLUMNS)
        .where(EVENTS.c.campaign == campaign, EVENTS.c.seq > seq, EVENTS.c.kind.in_(list(kinds)))
        .order_by(EVENTS.c.seq)
        .limit(limit)
    )
    return connection.execute(query).all()


def rows_at(connection: sa.Connection, campaign: str, numbers: Sequence[int]) -> Sequence[Row]:
    """The entries with these numbers, in the order of the log."""
    query = sa.select(*_COLUMNS).where(EVENTS.c.campaign == campaign, EVENTS.c.seq.in_(list(numbers)))
    return connection.execute(query.order_by(EVENTS.c.seq)).all()

"""Reading judgments a page at a time, for streams that may take hours.

Each page is a query of its own, which begins where the last one ended: a reader that is slow, or stops, holds neither a
connection nor a snapshot, so that SQLite's write-ahead log and PostgreSQL's dead rows do not grow behind it. Judgments
are only ever appended, in the order of their numbers, so the pages fit together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from kostra.annotate.store import Store
from kostra.annotate.store_tables import JUDGMENTS

STREAMED = (
    "seq", "number", "item", "version", "question", "place", "annotator", "value", "given", "phase", "block",
    "shown_at", "answered_at", "seconds", "focused_seconds", "supersedes", "revision", "language",
)  # fmt: skip
"""The columns of a judgment that are streamed."""


def judgment_page(
    store: Store, campaign: str, *, after: tuple[int, int], upto: int, limit: int
) -> Sequence[Sequence[Any]]:
    """Some judgments with the columns in `STREAMED`, after an event's number and the judgment's own in it."""
    places = sa.tuple_(JUDGMENTS.c.seq, JUDGMENTS.c.number)
    query = (
        sa.select(*(JUDGMENTS.c[name] for name in STREAMED))
        .where(JUDGMENTS.c.campaign == campaign, places > sa.tuple_(*after), JUDGMENTS.c.seq <= upto)
        .order_by(JUDGMENTS.c.seq, JUDGMENTS.c.number)
        .limit(limit)
    )
    with store.connected() as connection:
        return connection.execute(query).all()

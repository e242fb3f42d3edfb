"""Reading and filling whole tables: for collecting answers, and for backups."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from kostra.annotate.migrations.env import VERSION_TABLE
from kostra.annotate.store_log import Row
from kostra.annotate.store_tables import (
    CAMPAIGNS,
    JUDGMENTS,
    METADATA,
    Moment,
    from_microseconds,
    to_microseconds,
)

TOGETHER = 20_000
"""Rows that are in memory at once."""


# Collecting --------------------------------------------------------------------------------------------


COLLECTED = (
    "seq", "number", "item", "version", "question", "annotator", "value", "given", "phase", "block", "shown_at",
    "answered_at", "seconds", "focused_seconds",
)  # fmt: skip
"""The columns of a judgment that collecting asks for."""


def judgment_rows(connection: sa.Connection, campaign: str) -> Iterator[Sequence[Any]]:
    """The judgments of a campaign in the order in which they were stored, some at a time.

    Each row has the columns in `COLLECTED`, then the event and the number of the judgment that it replaces: the answer
    to the same question, at the same place of a list, in the answer that it supersedes.
    """
    old = JUDGMENTS.alias("old")
    replaced = sa.and_(
        old.c.campaign == JUDGMENTS.c.campaign,
        old.c.seq == JUDGMENTS.c.supersedes,
        old.c.question == JUDGMENTS.c.question,
        old.c.place == JUDGMENTS.c.place,
    )
    query = (
        sa.select(*(JUDGMENTS.c[name] for name in COLLECTED), old.c.seq, old.c.number)
        .outerjoin(old, replaced)
        .where(JUDGMENTS.c.campaign == campaign)
        .order_by(JUDGMENTS.c.seq, JUDGMENTS.c.number)
    )
    # Of this statement alone: later ones of the same transaction must not leave cursors open in the server.
    with closing(connection.execute(query, execution_options={"yield_per": TOGETHER})) as result:
        yield from result.partitions()


# Backups -----------------------------------------------------------------------------------------------

ColumnKind = Literal["time", "truth", "plain"]
_TYPES: dict[ColumnKind, type[TypeEngine[Any]] | None] = {"time": Moment, "truth": sa.Boolean, "plain": None}


@dataclass(frozen=True)
class Layout:
    """A table in a backup: its name, and its columns with what they hold. Times are whole microseconds."""

    name: str
    columns: tuple[tuple[str, ColumnKind], ...]


def layouts() -> list[Layout]:
    """The tables of the newest store, those first on which others lean."""
    return [Layout(table.name, tuple(_kind(column) for column in table.columns)) for table in METADATA.sorted_tables]


def stored_layouts(connection: sa.Connection) -> list[Layout]:
    """The tables of a store as it lies there, which may be older."""
    found = sa.MetaData()
    found.reflect(connection, only=lambda name, _: name != VERSION_TABLE)
    kinds = {(layout.name, name): kind for layout in layouts() for name, kind in layout.columns}
    return [
        Layout(table.name, tuple((one.name, kinds.get((table.name, one.name), "plain")) for one in table.columns))
        for table in found.sorted_tables
    ]


def _kind(column: sa.Column[Any]) -> tuple[str, ColumnKind]:
    kinds = (kind for kind, of in _TYPES.items() if of is not None and isinstance(column.type, of))
    return column.name, next(kinds, "plain")


def _clause(layout: Layout) -> sa.TableClause:
    """The table as its layout has it, which may be older than what this version declares."""
    return sa.table(layout.name, *(sa.column(name, _TYPES[kind]) for name, kind in layout.columns))


def table_rows(connection: sa.Connection, layout: Layout) -> Iterator[Row]:
    """All rows of a table, with times as whole microseconds."""
    times = [place for place, (_, kind) in enumerate(layout.columns) if kind == "time"]
    # Other statements of the same transaction must not inherit that results come in pieces.
    with closing(connection.execute(sa.select(_clause(layout)), execution_options={"yield_per": TOGETHER})) as result:
        for found in result:
            row = list(found)
            for place in times:
                if row[place] is not None:
                    row[place] = to_microseconds(row[place])
            yield tuple(row)


def fill_table(connection: sa.Connection, layout: Layout, rows: Iterable[Sequence[Any]]) -> int:
    """Put rows into a table, with times as whole microseconds, and give their number."""
    clause, count, stream = sa.insert(_clause(layout)), 0, iter(rows)
    while chunk := list(islice(stream, TOGETHER)):
        connection.execute(clause, [_named(layout, row) for row in chunk])
        count += len(chunk)
    return count


def _named(layout: Layout, row: Sequence[Any]) -> dict[str, Any]:
    return {
        name: _moment(cell) if kind == "time" else cell for (name, kind), cell in zip(layout.columns, row, strict=True)
    }


def _moment(cell: int | None) -> datetime | None:
    return None if cell is None else from_microseconds(cell)


def holds_campaigns(connection: sa.Connection) -> bool:
    """Whether anything was ever stored here."""
    if not sa.inspect(connection).has_table(CAMPAIGNS.name):
        return False
    return connection.scalar(sa.select(sa.func.count()).select_from(CAMPAIGNS)) != 0


def row_counts(connection: sa.Connection) -> dict[str, int]:
    """Table → number of rows."""
    counted = {table.name: sa.select(sa.func.count()).select_from(table) for table in METADATA.sorted_tables}
    return {name: connection.scalar(query) or 0 for name, query in counted.items()}


def copy_sqlite(connection: sa.Connection, path: Path) -> None:
    """Copy a SQLite database that is in use into one file, as it is at one moment (SQLite's online backup)."""
    source = connection.connection.driver_connection
    assert isinstance(source, sqlite3.Connection)
    target = sqlite3.connect(path)
    try:
        source.backup(target)  # all pages in one step: writers go on in the write-ahead log
        target.execute("PRAGMA journal_mode = DELETE")  # so that the copy is one file
        found = target.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"database disk image is malformed: {found}")
    finally:
        target.close()

"""How a store is, without changing anything in it: for `kostra.doctor`."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from kostra.annotate.migrations.env import VERSION_TABLE
from kostra.annotate.store import place_of
from kostra.annotate.store_open import as_url, clearly, connect, known_revisions, revision_of, scripts
from kostra.annotate.store_tables import EVENTS, from_microseconds
from kostra.errors import KostraError

_UNSAFE = ("fsync", "full_page_writes", "synchronous_commit")
"""Settings of PostgreSQL without which a crash may lose answers."""


@dataclass(frozen=True)
class Health:
    """What a store tells of itself."""

    kind: str
    """SQLite or PostgreSQL, with its version"""
    revision: str
    newest: str
    is_older: bool
    damage: str = ""
    answers: int = 0
    latest_at: datetime | None = None
    gaps: tuple[str, ...] = ()
    """Campaigns whose log lacks numbers."""
    journal: str = ""
    version: tuple[int, ...] = ()
    encoding: str = ""
    server_now: datetime | None = None
    unsafe: Mapping[str, str] = field(default_factory=dict)
    images: frozenset[str] = frozenset()
    """Files of the project that items show."""


def health_of(place: str | Path) -> Health:
    """How a store is.

    Raises
    ------
    KostraError
        If it cannot be reached, or is no store of ours.
    """
    url = as_url(place_of(place))
    return _sqlite(Path(str(url.database))) if url.get_backend_name() == "sqlite" else _postgres(url)


def _sqlite(file: Path) -> Health:
    # Read-only, so that an old store is not migrated, and a damaged one not made worse.
    try:
        connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            return _asked_sqlite(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise KostraError(f"the database cannot be read: {error}", where=str(file)) from None


def _asked_sqlite(connection: sqlite3.Connection) -> Health:
    def one(text: str) -> Any:
        row = connection.execute(text).fetchone()
        return row[0] if row else None

    damage = str(one("PRAGMA quick_check(1)"))
    kind = f"SQLite {sqlite3.sqlite_version}"
    found: dict[str, Any] = {
        "kind": kind,
        "damage": "" if damage == "ok" else damage,
        "journal": str(one("PRAGMA journal_mode")),
    }
    if not one(f"SELECT name FROM sqlite_master WHERE name = '{VERSION_TABLE}'"):
        return Health(revision="", **_known(""), **found)
    revision = str(one(f"SELECT version_num FROM {VERSION_TABLE}"))
    latest = one("SELECT max(at) FROM events")
    return Health(
        revision=revision,
        **_known(revision),
        **found,
        answers=one("SELECT count(*) FROM events WHERE kind = 'answered'"),
        latest_at=None if latest is None else from_microseconds(latest),
        gaps=tuple(row[0] for row in connection.execute(_GAPS)),
        images=_images(row[0] for row in connection.execute(_IMAGES)),
    )


_GAPS = "SELECT campaign FROM events GROUP BY campaign HAVING max(seq) <> count(*) OR min(seq) <> 1 ORDER BY campaign"
_IMAGES = """SELECT data FROM items WHERE data LIKE '%"kind":"image"%'"""


def _images(items: Iterable[str]) -> frozenset[str]:
    return frozenset(str(json.loads(item)["content"]["image"]) for item in items)


def _known(revision: str) -> dict[str, Any]:
    newest = str(scripts().get_current_head())
    return {"newest": newest, "is_older": revision in known_revisions() and revision != newest}


def _postgres(url: sa.URL) -> Health:
    engine = connect(url)
    try:
        with clearly(url), engine.connect() as connection:
            shown = str(connection.scalar(sa.text("SHOW server_version"))).split()[0]
            version = tuple(int(part) for part in re.findall(r"\d+", shown))
            asked = connection.execute(sa.text("SELECT name, setting FROM pg_settings")).all()
            settings = {str(name): str(setting) for name, setting in asked}
            unsafe = [name for name in _UNSAFE if settings.get(name) == "off"]
            found: dict[str, Any] = {
                "kind": "PostgreSQL", "version": version, "encoding": settings.get("server_encoding", ""),
                "server_now": connection.scalar(sa.text("SELECT clock_timestamp()")),
                "unsafe": {name: f"{name} is off: a crash of the machine loses answers" for name in unsafe},
            }  # fmt: skip
            revision = revision_of(connection) or ""
            if not revision:
                return Health(revision="", **_known(""), **found)
            answered = sa.select(sa.func.count()).select_from(EVENTS).where(EVENTS.c.kind == "answered")
            return Health(
                revision=revision,
                **_known(revision),
                **found,
                answers=connection.scalar(answered) or 0,
                latest_at=connection.scalar(sa.select(sa.func.max(EVENTS.c.at))),
                gaps=tuple(connection.scalars(sa.text(_GAPS))),
                images=_images(connection.scalars(sa.text(_IMAGES))),
            )
    finally:
        engine.dispose()

"""A store that an older kostra made, before its tables are brought up to date: nothing is changed without a backup.

A SQLite store is copied beside itself, without being asked. A PostgreSQL store may be large, and its backups are
somebody's business: it is left alone until they say ``kostra upgrade``, which writes a backup first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from kostra.annotate import backups
from kostra.annotate.store import Store, place_of
from kostra.annotate.store_open import BeforeMigrating, as_url, clearly, connect, migrate, revision_of, scripts
from kostra.annotate.store_reading import copy_sqlite
from kostra.annotate.wholly import replacing
from kostra.errors import KostraError


@dataclass(frozen=True)
class Upgraded:
    """What was done to a store."""

    before: str | None
    """The migration at which it stood; none if there was nothing."""
    after: str
    backup: Path | None
    """Where it was kept as it was; none if nothing had to be changed."""


def careful(folder: Path, *, now: datetime) -> BeforeMigrating:
    """For `kostra.annotate.store.open_store`: keeps a SQLite store as it was, and refuses a PostgreSQL one."""

    def before(engine: sa.Engine, revision: str) -> None:
        if engine.dialect.name == "postgresql":
            raise KostraError(
                f'this store was made by an older kostra (its tables are at "{revision}", and would be brought to '
                f'"{scripts().get_current_head()}")',
                where=engine.url.render_as_string(),
                remedy=f"stop the site, then: kostra upgrade {folder} --db {engine.url.render_as_string()} "
                "(it writes a backup first)",
            )
        _keep(engine, revision, folder, now)

    return before


def upgrade(place: str | Path, *, folder: Path, now: datetime) -> Upgraded:
    """Bring a store up to date, after a backup of it was written into a folder."""
    url = as_url(place_of(place))
    kept: list[tuple[str, Path]] = []
    engine = connect(url)
    try:
        with clearly(url):
            migrate(engine, before=lambda _, revision: kept.append((revision, _keep(engine, revision, folder, now))))
            with engine.connect() as connection:
                after = revision_of(connection) or ""
    finally:
        engine.dispose()
    before, backup = kept[0] if kept else (after, None)
    return Upgraded(before, after, backup)


def _keep(engine: sa.Engine, revision: str, folder: Path, now: datetime) -> Path:
    """Write a backup of a store as it lies there."""
    name = f"campaign-before-upgrade-from-{revision}-{now:%Y%m%d-%H%M%S}"
    if engine.dialect.name == "sqlite":
        target = Path(str(engine.url.database)).with_name(f"{name}.db")
        with replacing(target) as part, engine.connect() as connection:
            copy_sqlite(connection, part)
        target.chmod(0o600)  # it holds what the store holds
        return target
    target = folder / f"{name}.jsonl.gz"
    backups.backup(Store(engine), target, now=now)
    target.chmod(0o600)
    return target

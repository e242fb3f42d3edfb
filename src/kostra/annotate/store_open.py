"""Connecting to a store: SQLite or PostgreSQL by its URL, migrations, and failures in one clear line."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event

from kostra.annotate.migrations.env import VERSION_TABLE
from kostra.errors import KostraError, extra_needed


class UnavailableError(KostraError):
    """The store cannot do it now; what was asked may be asked again, later."""


PATIENCE = 20
"""Seconds to wait for another process that writes."""
_PAUSE = 0.01
"""Seconds between two tries where SQLite itself does not wait."""
_MIGRATING = 0x6B6F7374  # "kost": the key of the lock under which a PostgreSQL store is migrated
_FORMS = "a path such as campaign.db, sqlite:///campaign.db, or postgresql://user@host/database"


def as_url(place: str | Path) -> sa.URL:
    """The URL of a store that is given as a path or a URL.

    Examples
    --------
    >>> as_url("campaign.db").render_as_string()
    'sqlite:///campaign.db'
    >>> as_url("postgresql://ann:secret@host/answers").render_as_string()
    'postgresql+psycopg://ann:***@host/answers'
    >>> as_url("mysql://host/answers")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: mysql://host/answers: a store cannot lie in "mysql"
      accepted: a path such as campaign.db, sqlite:///campaign.db, or postgresql://user@host/database
    """
    text = str(place)
    if not re.match(r"[A-Za-z][A-Za-z0-9+]*://", text):
        return sa.URL.create("sqlite", database=text)
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        raise KostraError("this is not the address of a store", where=_bare(text), accepted=_FORMS) from None
    match url.get_backend_name():
        case "sqlite" if url.database and url.database != ":memory:":
            return url
        case "postgresql" | "postgres":
            return url.set(drivername="postgresql+psycopg")
    raise KostraError(f'a store cannot lie in "{url.drivername}"', where=_bare(text), accepted=_FORMS)


def _bare(text: str) -> str:
    """An address without the password that may stand in it."""
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", text)


def shown(url: sa.URL) -> str:
    """How a store is named in messages: the file, or the address without its password."""
    return str(url.database) if url.get_backend_name() == "sqlite" else url.render_as_string()


def connect(url: sa.URL) -> sa.Engine:
    """An SQLAlchemy engine whose transactions begin as we say and whose commits are durable."""
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(
            url, connect_args={"timeout": PATIENCE}, pool_size=20, max_overflow=30, hide_parameters=True
        )
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        engine = sa.create_engine(
            url,
            connect_args={"options": "-c timezone=UTC -c synchronous_commit=on", "connect_timeout": PATIENCE},
            pool_size=10,
            max_overflow=20,
            pool_pre_ping=True,
            hide_parameters=True,  # what people wrote does not belong into logs
        )
    except ModuleNotFoundError as error:
        raise extra_needed(error.name or "psycopg", "postgres", purpose="a store in PostgreSQL") from None
    return engine


def _set_up_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says, and nowhere else
    _write_ahead(connection)
    for pragma in ("synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Journal by write-ahead log; of several that set it in a new file at once SQLite refuses some without waiting."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "is locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _begin_sqlite(connection: sa.Connection) -> None:
    # A transaction that reads first and writes later may find its snapshot stale: writers take the lock at once.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextlib.contextmanager
def clearly(url: sa.URL) -> Iterator[None]:
    """Say in one line what a database refused."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        raise failure(error, url) from error


def failure(error: sa.exc.SQLAlchemyError, url: sa.URL) -> KostraError:
    """What a database refused, in words."""
    where = shown(url)
    if isinstance(error, sa.exc.TimeoutError):
        return UnavailableError("too many at once: no connection to the store was free", where=where)
    reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    if "is locked" in reason:
        remedy = "find the process that holds it; a SQLite store must not lie on a network drive"
        return UnavailableError(f"another process has locked the store for {PATIENCE} s", where=where, remedy=remedy)
    if "disk is full" in reason or "No space left" in reason:
        return UnavailableError("the disk is full; nothing was stored", where=where, remedy="make room and try again")
    if "readonly" in reason or "read-only" in reason:
        return UnavailableError("the store cannot be written: it is read-only", where=where)
    if "unable to open" in reason:
        there = Path(where).parent.is_dir()
        what = "the file cannot be opened or made" if there else "the folder does not exist"
        return UnavailableError(what, where=where, remedy="check the folder and its permissions")
    if "not a database" in reason:
        return KostraError("this file is not a SQLite database", where=where, accepted=_FORMS)
    if "malformed" in reason:
        return KostraError("the database is damaged", where=where, remedy="kostra restore, from the last backup")
    if isinstance(error, sa.exc.OperationalError) and url.get_backend_name() != "sqlite":
        return UnavailableError(f"PostgreSQL cannot be reached: {reason}", where=where)
    return UnavailableError(f"the store refused: {reason}", where=where)


# Migrations --------------------------------------------------------------------------------------------


def scripts() -> ScriptDirectory:
    """The migrations that this version of kostra knows."""
    return ScriptDirectory(str(Path(__file__).parent / "migrations"))


def known_revisions() -> set[str]:
    """Their names."""
    return {script.revision for script in scripts().walk_revisions()}


def revision_of(connection: sa.Connection) -> str | None:
    """The migration that a database stands at."""
    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()


BeforeMigrating = Callable[[sa.Engine, str], None]
"""Told of a store that is about to change, and of the migration that it stands at: time for a backup."""


def migrate(engine: sa.Engine, *, to: str = "head", before: BeforeMigrating | None = None) -> None:
    """Create the tables or bring them up to date, in one transaction; refuse what is not ours or is too new.

    `before` is called ahead of a migration of tables that are there already; if it fails, nothing is migrated.
    """
    known = scripts()
    _keep_private(engine)
    with engine.connect().execution_options(writes=True) as connection:
        current = None if engine.dialect.name == "sqlite" and _is_empty_file(engine) else revision_of(connection)
        connection.rollback()
        if current is not None and current == known.get_current_head() and to == "head":
            return
        if current in known_revisions() and before is not None:
            before(engine, str(current))
        with connection.begin():
            if engine.dialect.name == "postgresql":  # SQLite has its write lock from the beginning
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATING)))
            _refuse_strangers(connection, known, where=shown(engine.url))
            config = Config()
            config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
            config.attributes["connection"] = connection
            command.upgrade(config, to)


def _keep_private(engine: sa.Engine) -> None:
    """Make a new SQLite file its owner's alone: names and addresses will lie in it. SQLite's own beside it follow."""
    if engine.dialect.name == "sqlite":
        with contextlib.suppress(OSError):  # it is there already; or cannot be made, which SQLite tells better
            os.close(os.open(str(engine.url.database), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _is_empty_file(engine: sa.Engine) -> bool:
    file = Path(str(engine.url.database))
    return not file.exists() or file.stat().st_size == 0


def _refuse_strangers(connection: sa.Connection, known: ScriptDirectory, *, where: str) -> None:
    current = revision_of(connection)
    if current is None:
        tables = sorted(set(sa.inspect(connection).get_table_names()) - {VERSION_TABLE})
        if tables:
            listed = ", ".join(tables[:5])
            raise KostraError(
                f"the database holds tables of another program: {listed}",
                where=where,
                remedy="give the campaign a database of its own",
            )
    elif current not in known_revisions():
        raise KostraError(
            f'the store was made by a newer kostra (its tables are at "{current}", '
            f'this version knows them up to "{known.get_current_head()}")',
            where=where,
            remedy="pip install --upgrade kostra",
        )

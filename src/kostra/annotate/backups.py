"""Backups while the site runs, and restoring them into an empty store of either kind.

Two forms:

``….db``
    A copy of a SQLite store, made by SQLite's online backup: it can be opened as it is.
``….jsonl.gz``
    Any store as text: one line of JSON that says what it is, then for each table a line with its name and columns and
    a line per row, then a line with the number of rows and the SHA-256 of all lines before. It can be restored into
    SQLite and PostgreSQL alike, so that a campaign can move from one to the other.

Both show the store as it was at one moment.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from kostra.annotate.store import Store, place_of
from kostra.annotate.store_log import encoded
from kostra.annotate.store_open import as_url, clearly, connect, known_revisions, migrate, revision_of
from kostra.annotate.store_reading import (
    Layout,
    copy_sqlite,
    fill_table,
    holds_campaigns,
    row_counts,
    stored_layouts,
    table_rows,
)
from kostra.annotate.wholly import replacing
from kostra.errors import KostraError
from kostra.files import shown

_FORMS = "….jsonl.gz, or ….db from a SQLite store"
_NEW = "restore into a new file, or an empty database"
_WHAT = "backup of a kostra store"
_SQLITE, _GZIP = b"SQLite format 3\0", b"\x1f\x8b"


@dataclass(frozen=True)
class Backup:
    """What was backed up or restored."""

    revision: str
    """The migration at which the tables stand."""
    rows: dict[str, int]
    """Table → rows."""


def backup(store: Store, path: str | Path, *, now: datetime) -> Backup:
    """Write a backup of a store that may be in use, whole or not at all.

    Parameters
    ----------
    path
        A name that ends in ``.jsonl.gz``, or in ``.db`` for a copy of a SQLite store.
    """
    made = _backup(store, Path(path), now)
    Path(path).chmod(0o600)  # names and addresses lie in it
    return made


def _backup(store: Store, target: Path, now: datetime) -> Backup:
    if target.suffix == ".db" and store.dialect == "sqlite":
        with replacing(target) as part, store.connected() as connection:
            copy_sqlite(connection, part)
            return Backup(revision_of(connection) or "", row_counts(connection))
    if not target.name.endswith(".jsonl.gz"):
        raise KostraError("the name does not tell the form of the backup", where=shown(target), accepted=_FORMS)
    with replacing(target) as part, store.reading() as connection:
        return _dump(connection, part, now=now)


def restore(path: str | Path, place: str | Path) -> Backup:
    """Fill an empty store, which is made if need be, from a backup of either form; all of it or nothing.

    Parameters
    ----------
    place
        Where the store shall lie, as `kostra.annotate.store.open_store` takes it.

    Raises
    ------
    KostraError
        If the backup is damaged or of a newer kostra, or the store holds anything already.
    """
    with _opened(Path(path)) as source:
        if source.revision not in known_revisions():
            what = f'the backup was made by a newer kostra (its tables are at "{source.revision}")'
            raise KostraError(what, where=shown(path), remedy="pip install --upgrade kostra")
        with _empty_store(place) as engine, clearly(engine.url):
            # As the tables were when the backup was made; then forward, as the store itself would have gone.
            migrate(engine, to=source.revision)
            with engine.connect().execution_options(writes=True) as connection, connection.begin():
                if holds_campaigns(connection):
                    raise KostraError("there are campaigns in this store already", where=str(place), remedy=_NEW)
                rows = {layout.name: fill_table(connection, layout, found) for layout, found in source.tables}
            migrate(engine)
    return Backup(source.revision, rows)


# Text --------------------------------------------------------------------------------------------------


def _dump(connection: sa.Connection, path: Path, *, now: datetime) -> Backup:
    revision, rows = revision_of(connection) or "", {}
    summed = hashlib.sha256()
    with gzip.open(path, "wb", compresslevel=5) as stream:

        def write(value: Any) -> None:
            line = encoded(value).encode() + b"\n"
            summed.update(line)
            stream.write(line)

        write({"kostra": _WHAT, "form": 1, "revision": revision, "made_at": now.isoformat()})
        for layout in stored_layouts(connection):  # as they are: the store may be older than we are
            write({"table": layout.name, "columns": layout.columns})
            rows[layout.name] = 0
            for row in table_rows(connection, layout):
                write(row)
                rows[layout.name] += 1
        write({"rows": rows, "sha256": summed.hexdigest()})
    return Backup(revision, rows)


@dataclass(frozen=True)
class _Source:
    """A backup that is being read: its tables must be read in order, and all of them."""

    revision: str
    tables: Iterator[tuple[Layout, Iterator[Sequence[Any]]]]


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[_Source]:
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_SQLITE))
            stream.seek(0)
            if start == _SQLITE:
                with _from_sqlite(path) as source:
                    yield source
            elif start.startswith(_GZIP):
                with gzip.GzipFile(fileobj=stream) as lines:
                    yield _from_text(lines, path)
            else:
                raise KostraError("this is not a backup", where=shown(path), accepted=_FORMS)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _damaged(path, "it cannot be unpacked") from None
    except OSError as error:
        raise KostraError(f"cannot be read: {error.strerror}", where=shown(path)) from None


def _damaged(path: Path, why: str) -> KostraError:
    return KostraError(f"the backup is damaged: {why}", where=shown(path), remedy="restore an earlier one")


def _from_text(stream: gzip.GzipFile, path: Path) -> _Source:
    reader = _Reader(stream, path)
    first = reader.take()
    if not isinstance(first, dict) or first.get("kostra") != _WHAT or first.get("form") != 1:
        raise KostraError("this is not a backup, or one of a newer kostra", where=shown(path), accepted=_FORMS)
    return _Source(first["revision"], reader.tables())


class _Reader:
    """Reads a backup line by line; what was read counts only once the last line has confirmed it."""

    def __init__(self, stream: gzip.GzipFile, path: Path) -> None:
        self._stream, self._path = stream, path
        self._summed, self._before = hashlib.sha256(), ""
        self._next: Any = None

    def take(self) -> Any:
        """The next line's value."""
        line = self._stream.readline()
        self._before = self._summed.hexdigest()
        self._summed.update(line)
        try:
            return json.loads(line)
        except ValueError:
            raise _damaged(self._path, "a line is cut short" if line else "its end is missing") from None

    def tables(self) -> Iterator[tuple[Layout, Iterator[Sequence[Any]]]]:
        """The tables; the next one may be asked for once the rows of the last were read."""
        counts: dict[str, int] = {}
        self._next = self.take()
        while isinstance(self._next, dict) and "table" in self._next:
            layout = Layout(self._next["table"], tuple((name, kind) for name, kind in self._next["columns"]))
            yield layout, self._rows(layout, counts)
        if not isinstance(self._next, dict) or self._next != {"rows": counts, "sha256": self._before}:
            raise _damaged(self._path, "its checksum is wrong")

    def _rows(self, layout: Layout, counts: dict[str, int]) -> Iterator[Sequence[Any]]:
        counts[layout.name] = 0
        while isinstance(row := self.take(), list):
            if len(row) != len(layout.columns):  # a line is missing before it
                raise _damaged(self._path, "its checksum is wrong")
            counts[layout.name] += 1
            yield row
        self._next = row


# SQLite ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _from_sqlite(path: Path) -> Iterator[_Source]:
    """Read a copy of the copy: to open a database is to write beside it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        shutil.copyfile(path, copy)
        engine = connect(as_url(copy))
        try:
            with clearly(engine.url), engine.connect() as connection:
                revision = revision_of(connection)
                if revision is None:
                    raise KostraError("this is no store of kostra's", where=shown(path), accepted=_FORMS)
                tables = ((layout, table_rows(connection, layout)) for layout in stored_layouts(connection))
                yield _Source(revision, tables)
        finally:
            engine.dispose()


@contextlib.contextmanager
def _empty_store(place: str | Path) -> Iterator[sa.Engine]:
    """A store to fill; a SQLite file that was not there before goes again if filling it fails."""
    url = as_url(place_of(place))
    file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
    was_there = file is None or file.exists()
    engine = connect(url)
    try:
        yield engine
    except BaseException:
        engine.dispose()
        if file is not None and not was_there:
            for ending in ("", "-wal", "-shm"):
                file.with_name(file.name + ending).unlink(missing_ok=True)
        raise
    engine.dispose()

"""The cache of vectors: one SQLite file that any number of processes read and fill at the same time.

A vector is kept under its encoder's identity (name, revision, pooling, normalisation) and a digest of the text; the
text itself is not kept. Every batch is one transaction, so that a kill loses at most a batch and damages nothing. When
the file outgrows its limit, what was not used for longest goes first.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from kostra.encoders.protocol import Identity, Matrix
from kostra.errors import KostraError
from kostra.files import shown

FILE = "embeddings-1.sqlite"
"""The number changes with the tables inside: an older kostra finds its own file."""
LIMIT = 2_000_000_000
"""Bytes that the file may use, unless ``KOSTRA_CACHE_LIMIT`` says otherwise."""

_TABLES = """
CREATE TABLE IF NOT EXISTS encoders (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, revision TEXT NOT NULL,
    pooling TEXT, normalisation TEXT, dimensions INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, encoder INTEGER NOT NULL, text BLOB NOT NULL, used INTEGER NOT NULL,
    UNIQUE (encoder, text)
);
CREATE INDEX IF NOT EXISTS entries_used ON entries (used);
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""
_NEW_ENCODER = """
INSERT OR IGNORE INTO encoders (key, name, revision, pooling, normalisation, dimensions) VALUES (?, ?, ?, ?, ?, ?)
"""
_NEW_ENTRY = "INSERT OR IGNORE INTO entries (encoder, text, used) VALUES (?, ?, ?)"
_ASKED_AT_ONCE = 500
_TOUCHED_AFTER = 3600  # seconds; a vector used again within the hour is not written anew
_PATIENCE = 60.0  # seconds to wait for another process's batch


def cache_folder() -> Path:
    """Where kostra keeps what it can make again: ``KOSTRA_CACHE``, else ``kostra`` in the user's cache folder."""
    chosen, home = os.environ.get("KOSTRA_CACHE"), os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(chosen).expanduser() if chosen else (Path(home) if home else Path.home() / ".cache") / "kostra"
    except RuntimeError:
        raise KostraError("there is no home folder to keep the cache in", remedy="set KOSTRA_CACHE") from None


def size_of(text: str) -> int:
    """Bytes from a size as people write it.

    Examples
    --------
    >>> size_of("2GB"), size_of("500 MB"), size_of("1.5k"), size_of("64")
    (2000000000, 500000000, 1500, 64)
    """
    found = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)b?\s*", text.casefold())
    try:
        number = float(found[1]) if found else -1.0
    except ValueError:
        number = -1.0
    if found is None or number < 0:
        raise KostraError(f'"{text}" is no size', accepted="a number of bytes, such as 500MB or 2GB")
    return int(number * 1000 ** " kmgt".index(found[2] or " "))


def text_key(item: str | tuple[str, str]) -> bytes:
    """The digest under which a sentence, or a pair, is kept.

    Examples
    --------
    >>> text_key(("a", "b")) == text_key(("ab", ""))
    False
    """
    digest = hashlib.sha256()
    for text in (item,) if isinstance(item, str) else item:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.digest()[:20]


@dataclass(frozen=True)
class Kept:
    """What the cache has of one encoder."""

    id: int
    name: str
    revision: str
    pooling: str | None
    normalisation: str | None
    dimensions: int
    entries: int
    bytes: int
    """Of the vectors; the file needs a little more."""
    seconds: int

    @property
    def used(self) -> datetime:
        """When one of them was last asked for, to the hour."""
        return datetime.fromtimestamp(self.seconds, UTC)


Put = Callable[[Sequence[bytes], Matrix], None]
"""Keeps one batch: the keys of texts, and their vectors."""


class Store:
    """The cache in a folder.

    Parameters
    ----------
    folder
        Made when something is first kept; `cache_folder` unless said.
    limit
        Bytes that the file may use; ``KOSTRA_CACHE_LIMIT``, else 2 GB.
    clock
        Seconds since 1970; tests set it.
    """

    def __init__(
        self, folder: str | Path | None = None, *, limit: int | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder()
        self.file = self.folder / FILE
        self.limit = limit if limit is not None else size_of(os.environ.get("KOSTRA_CACHE_LIMIT") or str(LIMIT))
        self._clock = clock

    def get(self, identity: Identity, keys: Sequence[bytes]) -> dict[int, Matrix]:
        """The vectors that are kept, by their place among the keys."""
        if not self.file.exists():
            return {}
        found: dict[int, Matrix] = {}
        place = {key: number for number, key in enumerate(keys)}
        now = int(self._clock())
        with self._open() as base:
            encoder = base.execute("SELECT id FROM encoders WHERE key = ?", (identity.key,)).fetchone()
            if encoder is None:
                return {}
            stale: list[tuple[int]] = []
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                some = keys[start : start + _ASKED_AT_ONCE]
                rows = base.execute(
                    "SELECT text, vector, used, entries.id FROM entries JOIN vectors USING (id) "
                    f"WHERE encoder = ? AND text IN ({','.join('?' * len(some))})",
                    (encoder[0], *some),
                )
                for text, vector, used, number in rows:
                    found[place[text]] = np.frombuffer(vector, dtype="<f4")
                    if now - used > _TOUCHED_AFTER:
                        stale.append((number,))
            if stale:
                with _transaction(base):
                    base.executemany(f"UPDATE entries SET used = {now} WHERE id = ?", stale)
        return found

    def put(self, identity: Identity, keys: Sequence[bytes], vectors: Matrix) -> None:
        """Keep one batch (see `filling`)."""
        with self.filling(identity) as put:
            put(keys, vectors)

    @contextlib.contextmanager
    def filling(self, identity: Identity) -> Iterator[Put]:
        """A function that keeps a batch, all of it or nothing; what another process kept meanwhile stays as it is."""
        with _refused_clearly(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with self._open() as base:

            def put(keys: Sequence[bytes], vectors: Matrix) -> None:
                with _transaction(base):
                    encoder = _encoder(base, identity, vectors.shape[1])
                    now = int(self._clock())
                    for key, vector in zip(keys, np.asarray(vectors, dtype="<f4"), strict=True):
                        new = base.execute(_NEW_ENTRY, (encoder, key, now))
                        if new.rowcount:
                            base.execute("INSERT INTO vectors VALUES (?, ?)", (new.lastrowid, vector.tobytes()))
                if _bytes_in_use(base) > self.limit:
                    _evict(base, self.limit)

            yield put

    def kept(self) -> list[Kept]:
        """What is kept, by encoder."""
        if not self.file.exists():
            return []
        with self._open() as base:
            rows = base.execute(
                "SELECT encoders.id, name, revision, pooling, normalisation, dimensions, count(entries.id), "
                "count(entries.id) * dimensions * 4, coalesce(max(used), 0) "
                "FROM encoders LEFT JOIN entries ON entries.encoder = encoders.id "
                "GROUP BY encoders.id ORDER BY name, encoders.id"
            )
            return [Kept(*row) for row in rows]

    def size(self) -> int:
        """Bytes of the file on disk, with its journal."""
        return sum(path.stat().st_size for path in self.folder.glob(f"{FILE}*"))

    def forget(self, encoders: Sequence[int] | None = None) -> int:
        """Remove what is kept of some encoders, or everything, and give the room back; says how many vectors."""
        if not self.file.exists():
            return 0
        if encoders is None:
            try:
                with self._open() as base:
                    ids = [row[0] for row in base.execute("SELECT id FROM encoders")]
            except KostraError:  # a damaged file is as good as none
                for path in self.folder.glob(f"{FILE}*"):
                    path.unlink()
                return 0
            encoders = ids
        removed = 0
        with self._open() as base:
            for encoder in encoders:
                with _transaction(base):
                    base.execute(
                        "DELETE FROM vectors WHERE id IN (SELECT id FROM entries WHERE encoder = ?)", (encoder,)
                    )
                    removed += base.execute("DELETE FROM entries WHERE encoder = ?", (encoder,)).rowcount
                    base.execute("DELETE FROM encoders WHERE id = ?", (encoder,))
            _shrink(base)
        return removed

    def prune(self, *, limit: int | None = None, unused_since: datetime | None = None) -> int:
        """Remove what was not used since then, then the least recently used beyond the limit; says how many."""
        if not self.file.exists():
            return 0
        with self._open() as base:
            removed = 0
            if unused_since is not None:
                before = int(unused_since.timestamp())
                (many,) = base.execute("SELECT count(*) FROM entries WHERE used < ?", (before,)).fetchone()
                removed += _remove_oldest(base, many)
            removed += _evict(base, self.limit if limit is None else limit)
            with _transaction(base):
                base.execute("DELETE FROM encoders WHERE id NOT IN (SELECT encoder FROM entries)")
            _shrink(base)
        return removed

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own for each call: nothing is shared between threads, forks or crashes."""
        with _refused_clearly(self.file):
            base = sqlite3.connect(self.file, timeout=_PATIENCE, isolation_level=None)
            try:
                if base.execute("PRAGMA user_version").fetchone()[0] == 0:
                    with contextlib.suppress(sqlite3.OperationalError):  # another process is just setting it
                        base.execute("PRAGMA journal_mode = WAL")  # readers and a writer do not wait for each other
                    base.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = 1; COMMIT;")
                base.execute("PRAGMA synchronous = NORMAL")
                yield base
            finally:
                base.close()


@contextlib.contextmanager
def _transaction(base: sqlite3.Connection) -> Iterator[None]:
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def _encoder(base: sqlite3.Connection, identity: Identity, dimensions: int) -> int:
    """The number of an encoder, which is new or has vectors of that length."""
    if identity.revision is None:
        raise ValueError("an encoder without a revision cannot be kept")
    about = (identity.name, identity.revision, identity.pooling, identity.normalisation)
    base.execute(_NEW_ENCODER, (identity.key, *about, dimensions))
    found = base.execute("SELECT id, dimensions FROM encoders WHERE key = ?", (identity.key,)).fetchone()
    if found[1] != dimensions:
        raise KostraError(
            f'the cache has vectors of "{identity.name}" with {found[1]} dimensions, not {dimensions}',
            remedy="if it changed under one name and revision: kostra cache clear",
        )
    return int(found[0])


def _evict(base: sqlite3.Connection, limit: int) -> int:
    """Remove the least recently used until a tenth of the limit is free, so that not every batch must."""
    removed, target = 0, limit
    while (used := _bytes_in_use(base)) > target:
        target = limit * 9 // 10
        (entries,) = base.execute("SELECT count(*) FROM entries").fetchone()
        gone = _remove_oldest(base, math.ceil((used - target) / used * entries))
        if not gone:
            break
        removed += gone
    return removed


def _remove_oldest(base: sqlite3.Connection, many: int) -> int:
    with _transaction(base):
        oldest = base.execute("SELECT id FROM entries ORDER BY used, id LIMIT ?", (many,)).fetchall()
        base.executemany("DELETE FROM vectors WHERE id = ?", oldest)
        base.executemany("DELETE FROM entries WHERE id = ?", oldest)
    return len(oldest)


def _bytes_in_use(base: sqlite3.Connection) -> int:
    pages, free, size = (
        base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _shrink(base: sqlite3.Connection) -> None:
    base.execute("VACUUM")
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextlib.contextmanager
def _refused_clearly(path: Path) -> Iterator[None]:
    remedy = "set KOSTRA_CACHE to a folder that can be written, or go without the cache"
    try:
        yield
    except sqlite3.OperationalError as error:  # locked, read-only, full
        raise KostraError(f"the cache cannot be used: {error}", where=shown(path), remedy=remedy) from None
    except sqlite3.DatabaseError as error:
        raise KostraError(f"the cache is damaged: {error}", where=shown(path), remedy="kostra cache clear") from None
    except OSError as error:
        raise KostraError(f"the cache cannot be made: {error.strerror}", where=shown(path), remedy=remedy) from None

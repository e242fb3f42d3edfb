"""What kostra keeps because it is costly to make again: vectors of sentences, word vectors that were read, parses."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from kostra.encoders.store import Store, cache_folder, size_of
from kostra.encoders.word_files import FOLDER
from kostra.errors import KostraError, unknown

Action = Literal["list", "clear", "prune"]

PARSES = "parses.sqlite"
"""The file of `kostra.sources.parse_cache.ParseCache` in the cache's folder."""
_PATIENCE = 30.0


@dataclass(frozen=True)
class Cached:
    """What is kept of one encoder, of one file of word vectors, or of all parsers."""

    kind: Literal["sentences", "word vectors", "parses"]
    encoder: str
    revision: str
    dimensions: int
    entries: int
    bytes: int
    used: datetime
    """When it was last asked for, to the hour."""


@dataclass(frozen=True)
class CacheState:
    """The cache after a command."""

    folder: Path
    limit: int
    """Bytes that the vectors of sentences may take; parses have a limit of their own, word vectors none."""
    bytes: int
    """On disk, all in all."""
    kept: tuple[Cached, ...]
    removed: int = 0
    """Vectors of sentences, files of word vectors and parses that the command removed."""


def cache(
    action: Action = "list",
    *,
    encoder: str | None = None,
    limit: str | int | None = None,
    days: float | None = None,
    folder: Path | None = None,
    now: datetime | None = None,
) -> CacheState:
    """List what the cache keeps, clear it, or prune what was not used for long.

    Parameters
    ----------
    action
        ``list`` changes nothing. ``clear`` removes everything but downloaded datasets, or what `encoder` names.
        ``prune`` removes what was not used for `days`, and then the least recently used vectors of sentences until they
        fit into `limit`.
    encoder
        The name of an encoder as listed, or how it begins; for ``clear``.
    limit
        Bytes, such as ``500MB``; for ``prune``. ``KOSTRA_CACHE_LIMIT`` or 2 GB, unless said.
    days
        For ``prune``.
    folder
        ``KOSTRA_CACHE`` or ``~/.cache/kostra``, unless said.
    now
        The time from which `days` count back.

    Examples
    --------
    >>> import tempfile
    >>> from kostra.encoders import embed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = embed("hashed", ["one", "two"], cache=folder)
    ...     state = cache(folder=Path(folder))
    >>> [(one.encoder, one.entries, one.bytes) for one in state.kept]  # 64 numbers of four bytes each
    [('hashed', 2, 512)]
    """
    if action not in get_args(Action):
        raise unknown("action", action, get_args(Action))
    if encoder is not None and action != "clear":
        raise KostraError(f"{action} takes no encoder", accepted="kostra cache clear --encoder NAME")
    if (limit is not None or days is not None) and action != "prune":
        raise KostraError(
            f"{action} takes neither limit nor days", accepted="kostra cache prune --limit 500MB --days 30"
        )
    if days is not None and days < 0:
        raise KostraError(f"{days} days", accepted="0 or more")
    store = Store(folder or cache_folder())
    most = store.limit if limit is None else size_of(str(limit))
    removed = 0
    if action == "clear":
        removed = _clear(store, encoder)
    elif action == "prune":
        since = None if days is None else (now or datetime.now(UTC)) - timedelta(days=days)
        removed = store.prune(limit=most, unused_since=since)
        removed += _remove([place for place, one in _files(store.folder) if since is not None and one.used < since])
    sentences = [
        Cached("sentences", one.name, one.revision, one.dimensions, one.entries, one.bytes, one.used)
        for one in store.kept()
    ]
    files = [one for _, one in _files(store.folder)] + _parses(store.folder)
    on_disk = store.size() + sum(one.bytes for one in files)
    return CacheState(store.folder, most, on_disk, (*sentences, *files), removed)


def _clear(store: Store, encoder: str | None) -> int:
    if encoder is None:
        return store.forget() + _remove([place for place, _ in _files(store.folder)]) + _forget_parses(store.folder)
    kept, files = store.kept(), _files(store.folder)
    chosen = [one.id for one in kept if one.name.startswith(encoder)]
    places = [place for place, one in files if one.encoder.startswith(encoder)]
    if not chosen and not places:
        raise unknown("encoder in the cache", encoder, {one.name for one in kept} | {one.encoder for _, one in files})
    return store.forget(chosen) + _remove(places)


def _files(folder: Path) -> list[tuple[Path, Cached]]:
    """The files of word vectors that were read, with what a broken run left behind."""
    found = []
    for place in sorted((folder / FOLDER).glob("*")) if (folder / FOLDER).is_dir() else []:
        state = place.stat()
        try:
            said = json.loads((place / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):  # being made by another process now, or given up by one
            said = {"file": "unfinished", "sha256": "", "dimensions": 0, "words": 0}
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        used = datetime.fromtimestamp(state.st_mtime, UTC)
        entry = Cached(
            "word vectors",
            f"vectors:{said['file']}",
            said["sha256"][:16],
            said["dimensions"],
            said["words"],
            size,
            used,
        )
        found.append((place, entry))
    return found


def _remove(places: list[Path]) -> int:
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    return len(places)


def _parses(folder: Path) -> list[Cached]:
    """The trees of `kostra.sources.parse_cache`, which keeps them under digests: all parsers are one."""
    file = folder / PARSES
    if not file.is_file():
        return []
    size = sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))
    used = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    try:
        with contextlib.closing(sqlite3.connect(file, timeout=_PATIENCE)) as base:
            (entries,) = base.execute("SELECT count(*) FROM parses").fetchone()
    except sqlite3.Error:  # damaged: the next parse makes it anew
        entries = 0
    return [Cached("parses", "all parsers", "", 0, entries, size, used)]


def _forget_parses(folder: Path) -> int:
    removed = sum(one.entries for one in _parses(folder))
    if removed:
        with contextlib.closing(sqlite3.connect(folder / PARSES, timeout=_PATIENCE, isolation_level=None)) as base:
            base.execute("DELETE FROM parses")
            base.execute("VACUUM")
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed

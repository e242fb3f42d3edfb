"""Parses remembered by sentence and parser, in one SQLite file that processes share.

The file lies in ``~/.cache/kostra`` (``KOSTRA_CACHE`` names another folder). A key is the hash of the parser's revision
and the sentence, so that a changed model is another parser. Whoever comes second finds what the first has stored: a
run that was interrupted goes on where it stopped. The file is bounded: when it holds more than `MOST` trees, the oldest
tenth goes. What cannot be read or written is parsed again; a cache never makes a run fail.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from kostra.errors import KostraError
from kostra.sources.parsers import Parser
from kostra.steps import Progress, silent
from kostra.trees import Tree, parse_conllu

MOST = 1_000_000
"""Trees that the file holds at most: about 0.4 GB."""
BATCH = 256
"""Sentences that are parsed, and stored, together."""
_WAIT = 30.0
_ASKED_AT_ONCE = 500


def cache_folder() -> Path:
    """Where kostra keeps what it can make again.

    Examples
    --------
    >>> cache_folder().name != ""
    True
    """
    return Path(os.environ.get("KOSTRA_CACHE") or Path.home() / ".cache" / "kostra").expanduser()


class ParseCache:
    """Trees in CoNLL-U by key; safe for several processes, and for a process that forks."""

    def __init__(self, path: Path | None = None, *, most: int = MOST) -> None:
        self.path = path or cache_folder() / "parses.sqlite"
        self.most = most
        self._connection: sqlite3.Connection | None = None
        self._inherited: list[sqlite3.Connection] = []
        self._process = 0

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """What is known of these keys."""
        found: dict[bytes, str] = {}
        with contextlib.suppress(sqlite3.Error, zlib.error, OSError):
            connection = self._connect()
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                some = keys[start : start + _ASKED_AT_ONCE]
                places = ",".join("?" * len(some))
                for key, tree in connection.execute(f"SELECT key, tree FROM parses WHERE key IN ({places})", some):
                    found[key] = zlib.decompress(tree).decode()
        return found

    def put(self, trees: Mapping[bytes, str]) -> None:
        """Remember trees; the oldest go when there are too many."""
        with contextlib.suppress(sqlite3.Error, OSError):
            connection = self._connect()
            with connection:
                connection.executemany(
                    "INSERT OR IGNORE INTO parses (key, tree) VALUES (?, ?)",
                    [(key, zlib.compress(tree.encode(), 1)) for key, tree in trees.items()],
                )
                (count,) = connection.execute("SELECT count(*) FROM parses").fetchone()
                if count > self.most:
                    gone = count - self.most * 9 // 10
                    connection.execute(
                        "DELETE FROM parses WHERE rowid IN (SELECT rowid FROM parses ORDER BY rowid LIMIT ?)", (gone,)
                    )

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None and self._process == os.getpid():
            self._connection.close()
        self._connection = None

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None and self._process != os.getpid():
            self._inherited.append(self._connection)  # a connection does not survive a fork, nor may a child close it
            self._connection = None
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._connection = _open(self.path)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise  # locked or not writable: not ours to remove
                self.path.unlink(missing_ok=True)  # no database at all: it holds nothing that is worth keeping
                self._connection = _open(self.path)
            self._process = os.getpid()
        return self._connection


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("CREATE TABLE IF NOT EXISTS parses (key BLOB NOT NULL UNIQUE, tree BLOB NOT NULL)")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def key_of(parser: Parser, sentence: str) -> bytes:
    """What a tree is found by."""
    return hashlib.blake2b(f"{parser.revision}\0{sentence}".encode(), digest_size=16).digest()


def parse(
    parser: Parser, sentences: Sequence[str], *, cache: ParseCache | None = None, progress: Progress = silent
) -> list[Tree]:
    """Parse sentences, each distinct one once, in batches; with a cache only those that it does not know.

    Parameters
    ----------
    parser
        As `kostra.sources.parsers.parser` makes it.
    sentences
        Texts; equal ones get the same tree.
    cache
        Where trees are looked up and stored; without one everything is parsed.
    progress
        Called with (done, total), counted in distinct sentences.
    """
    distinct = list(dict.fromkeys(sentences))
    keys = {sentence: key_of(parser, sentence) for sentence in distinct}
    known = cache.get(list(keys.values())) if cache else {}
    trees = _read({one: known[keys[one]] for one in distinct if keys[one] in known}, parser.name)
    waiting = [sentence for sentence in distinct if sentence not in trees]
    for start in range(0, len(waiting), BATCH):
        progress(len(trees), len(distinct))
        batch = waiting[start : start + BATCH]
        made = dict(zip(batch, parser.parse(batch), strict=True))
        if cache:
            cache.put({keys[sentence]: tree.conllu() for sentence, tree in made.items()})
        trees |= made
    progress(len(distinct), len(distinct))
    return [trees[sentence] for sentence in sentences]


def _read(found: Mapping[str, str], where: str) -> dict[str, Tree]:
    """The trees that can be read; what a broken file holds is parsed again."""
    trees = {}
    for sentence, conllu in found.items():
        with contextlib.suppress(KostraError, ValueError):
            (trees[sentence],) = parse_conllu(conllu, where=where)
    return trees

"""Files of word vectors, read once into a folder of the cache from which they are mapped into memory.

word2vec (binary and text), GloVe and fastText's ``.vec`` are told apart by their content; ``.gz`` is unpacked on the
way. The folder holds the vectors as they stand in the file, and an index of the words: opening it takes no time, and
only the rows that are asked for are read.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import shutil
import tempfile
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.encoders.protocol import Matrix
from kostra.encoders.store import cache_folder
from kostra.errors import KostraError
from kostra.files import sha256, shown

Format = Literal["auto", "binary", "text"]
FOLDER = "vectors"
"""Inside the cache's folder."""

_VERSION = 1
_BUFFER = 1 << 22
_LINES_AT_ONCE = 2000
_FASTTEXT_MODEL = (793712314).to_bytes(4, "little")  # the first bytes of a fastText .bin


@dataclass(frozen=True)
class Summary:
    """What was read from a file of word vectors."""

    file: str
    sha256: str
    words: int
    dimensions: int
    repeated: int
    """Words that stand there again: the first counts."""
    undecodable: int
    """Words that are not UTF-8."""


class WordFile:
    """Word vectors mapped into memory."""

    def __init__(self, folder: Path) -> None:
        self.summary = Summary(**json.loads((folder / "summary.json").read_text(encoding="utf-8")))
        shape = (self.summary.words, self.summary.dimensions)
        self.vectors: Matrix = np.memmap(folder / "vectors.f32", dtype="<f4", mode="r", shape=shape)
        self._hashes: NDArray[np.uint64] = np.load(folder / "hashes.npy", mmap_mode="r")
        self._rows: NDArray[np.int64] = np.load(folder / "rows.npy", mmap_mode="r")

    def rows(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The row of each word, in the order of the file; -1 if it is not there."""
        wanted = np.array([_hash(word) for word in words], dtype=np.uint64)
        place = np.minimum(np.searchsorted(self._hashes, wanted), len(self._hashes) - 1)
        return np.where(self._hashes[place] == wanted, self._rows[place], -1)


def open_word_file(path: str | Path, *, form: Format = "auto", folder: Path | None = None) -> WordFile:
    """Map a file of word vectors, reading it first if it is new or changed."""
    place = Path(path).expanduser()
    if not place.is_file():
        what = "this is a folder, not a file" if place.is_dir() else "there is no such file"
        raise KostraError(what, where=shown(path), accepted="word2vec (binary or text), GloVe or fastText .vec")
    state = place.stat()
    said = f"{_VERSION}|{place.resolve()}|{state.st_size}|{state.st_mtime_ns}|{form}"
    home = (folder or cache_folder()) / FOLDER
    target = home / hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:20]
    if not target.is_dir():
        _build(place, form, target)
    with contextlib.suppress(OSError):  # the cache of somebody else
        os.utime(target)  # when it was last used
    return WordFile(target)


def _build(path: Path, form: Format, target: Path) -> None:
    """Read the file into a folder that appears whole or not at all, whoever else is reading it too."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".", dir=target.parent))
    except OSError as error:
        remedy = "set KOSTRA_CACHE to a folder that can be written"
        raise KostraError(f"cannot be made: {error.strerror}", where=shown(target), remedy=remedy) from None
    try:
        summary = _read(path, form, made)
        (made / "summary.json").write_text(json.dumps(asdict(summary)), encoding="utf-8")
        try:
            made.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was faster
                raise
    except (OSError, EOFError, zlib.error) as error:  # the last two: a .gz that is cut short or damaged
        reason = getattr(error, "strerror", None) or error
        raise KostraError(f"cannot be read: {reason}", where=shown(path)) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _read(path: Path, form: Format, made: Path) -> Summary:
    words: dict[int, int] = {}
    total = repeated = undecodable = dimensions = 0
    with _opened(path) as stream, (made / "vectors.f32").open("wb") as out:
        for raw, vector in _records(stream, form, where=shown(path)):
            try:
                word = raw.decode("utf-8")
            except UnicodeDecodeError:
                word, undecodable = raw.decode("utf-8", "replace"), undecodable + 1
            key = _hash(word)
            repeated += key in words
            words.setdefault(key, total)
            out.write(vector.astype("<f4", copy=False).tobytes())
            total, dimensions = total + 1, len(vector)
    if not total:
        raise KostraError("the file has no word vectors", where=shown(path))
    hashes = np.fromiter(words.keys(), dtype=np.uint64, count=len(words))
    order = np.argsort(hashes)
    np.save(made / "hashes.npy", hashes[order])
    np.save(made / "rows.npy", np.fromiter(words.values(), dtype=np.int64, count=len(words))[order])
    return Summary(path.name, sha256(path), total, dimensions, repeated, undecodable)


def _opened(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def _hash(word: str) -> int:
    data = unicodedata.normalize("NFC", word).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def _records(stream: IO[bytes], form: Format, *, where: str) -> Iterator[tuple[bytes, NDArray[Any]]]:
    """Each word with its vector, whatever the form of the file."""
    first = stream.readline(1 << 20)
    if first.startswith((_FASTTEXT_MODEL, b"PK\x03\x04")):
        model = first.startswith(_FASTTEXT_MODEL)
        raise KostraError(
            "this is a fastText model with subwords, not a list of word vectors" if model else "this is a ZIP archive",
            where=where,
            accepted="word2vec (binary or text), GloVe or fastText .vec",
            remedy="take the .vec that comes with it" if model else "unpack it first",
        )
    header = _header(first)
    if header is None:
        if form == "binary":
            raise KostraError("there is no header line", where=where, accepted='"WORDS DIMENSIONS", then the vectors')
        stream.seek(0)
        yield from _text(stream, 1, len(_fields(first)) - 1, where=where)
        return
    after = stream.tell()
    binary = form == "binary" or (form == "auto" and not _is_text(stream.readline(_BUFFER), header[1]))
    stream.seek(after)
    yield from _binary(stream, *header, where=where) if binary else _text(stream, 2, header[1], where=where)


def _header(line: bytes) -> tuple[int, int] | None:
    """Words and dimensions, if the line says them."""
    parts = line.split()
    return (int(parts[0]), int(parts[1])) if len(parts) == 2 and all(part.isdigit() for part in parts) else None


def _fields(line: bytes, most: int = -1) -> list[bytes]:
    return line.replace(b"\t", b" ").rstrip(b" \r\n").rsplit(b" ", most)


def _is_text(line: bytes, dimensions: int) -> bool:
    return len(_fields(line)) > dimensions and _numbers(_fields(line, dimensions)[1:]) is not None


def _numbers(fields: list[bytes]) -> NDArray[Any] | None:
    try:
        return np.array(fields, dtype=np.bytes_).astype(np.float32)
    except ValueError:
        return None


def _text(stream: IO[bytes], first: int, dimensions: int, *, where: str) -> Iterator[tuple[bytes, NDArray[Any]]]:
    """A word and its numbers per line; the word may hold blanks, as some of GloVe's do."""
    batch: list[tuple[int, list[bytes]]] = []
    for number, line in enumerate(stream, first):
        fields = _fields(line, dimensions)
        if fields != [b""]:
            batch.append((number, fields))
        if len(batch) == _LINES_AT_ONCE:
            yield from _parsed(batch, dimensions, where=where)
            batch = []
    yield from _parsed(batch, dimensions, where=where)


def _parsed(
    batch: list[tuple[int, list[bytes]]], dimensions: int, *, where: str
) -> Iterator[tuple[bytes, NDArray[Any]]]:
    """Many lines at once by polars' reader, eight times as fast as one by one; the first wrong line is named."""
    rows = _table([fields[1:] for _, fields in batch], dimensions)
    if rows is None:
        rows = np.zeros((len(batch), dimensions), dtype=np.float32)
        for row, (number, fields) in zip(rows, batch, strict=True):
            found = _numbers(fields[1:]) if dimensions > 0 and len(fields) == dimensions + 1 else None
            if found is None or not np.isfinite(found).all():
                raise KostraError(
                    "this line is not a word and its vector",
                    where=f"{where}:{number}",
                    accepted=f"a word and {dimensions} numbers" if dimensions > 0 else "a word and its numbers",
                    remedy="if the file is of another form, say ?format=binary or ?format=text",
                )
            row[:] = found
    yield from zip((fields[0] for _, fields in batch), rows, strict=True)


def _table(lines: list[list[bytes]], dimensions: int) -> NDArray[Any] | None:
    """The numbers of many lines, or None if one of them is not as it should be."""
    if dimensions < 1 or any(len(line) != dimensions for line in lines):
        return None
    columns = {str(number): pl.Float32 for number in range(dimensions)}
    try:
        whole = b"\n".join(b" ".join(line) for line in lines)
        rows = pl.read_csv(whole, separator=" ", has_header=False, schema=columns, quote_char=None).to_numpy()
    except pl.exceptions.PolarsError:
        return None
    return rows if len(rows) == len(lines) and np.isfinite(rows).all() else None


def _binary(stream: IO[bytes], count: int, dimensions: int, *, where: str) -> Iterator[tuple[bytes, NDArray[Any]]]:
    """word2vec's binary form: the word, a blank, its numbers as float32, and perhaps a line end."""
    buffer, place, size = b"", 0, 4 * dimensions
    for number in range(count):
        while (blank := buffer.find(b" ", place)) < 0 or len(buffer) < blank + 1 + size:
            more = stream.read(_BUFFER)
            if not more:
                what = f"the file ends after {number:,} of {count:,} words"
                raise KostraError(what, where=where, remedy="the file is cut short or damaged: fetch it again")
            buffer, place = buffer[place:] + more, 0
        vector = np.frombuffer(buffer, dtype="<f4", count=dimensions, offset=blank + 1)
        if not np.isfinite(vector).all():
            raise KostraError(f"the vector of word {number + 1:,} is not finite", where=where)
        yield buffer[place:blank].lstrip(b"\n"), vector
        place = blank + 1 + size

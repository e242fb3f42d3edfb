"""Bytes on disk: strict decoding, records with their line numbers, writes that are whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import csv
import errno
import gzip
import hashlib
import importlib
import io
import os
import re
import shlex
import shutil
import stat
import sys
import tempfile
import unicodedata
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kostra.errors import KostraError, extra_needed, nearest, some

FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".parquet": "parquet"}
Format = Literal["csv", "tsv", "jsonl", "parquet"]
COMPRESSED = (".gz", ".zst")  # read and written through gzip and Zstandard

csv.field_size_limit(sys.maxsize)


@dataclass(frozen=True)
class Records:
    """The rows of a delimited file, as text, each with the line on which it begins."""

    where: str
    header: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def at(self, row: int, column: str | None = None) -> str:
        """Say where a row (and column) stands, for an error message."""
        place = f"{self.where}:{self.lines[row]}"
        return f'{place}: column "{column}"' if column else place


def shown(path: str | Path) -> str:
    """How a path is named in messages; ``-`` is standard input. Bytes of a name that are not UTF-8 show as �."""
    return "standard input" if str(path) == "-" else _printable(str(path)) or '""'


def stem(path: str | Path) -> str:
    """The name of a file without its ending, as a source is named after it; ``stdin`` for ``-``.

    Examples
    --------
    >>> stem("data/news.csv"), stem("data/news.csv.gz"), stem("-")
    ('news', 'news', 'stdin')
    """
    return "stdin" if str(path) == "-" else unicodedata.normalize("NFC", _printable(uncompressed(path).stem))


def uncompressed(path: str | Path) -> Path:
    """The name that a file has without the ending of its compression (``news.csv`` of ``news.csv.gz``)."""
    place = Path(path)
    return place.with_suffix("") if place.suffix.lower() in COMPRESSED else place


def _printable(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def format_of(path: str | Path, chosen: Format | None = None) -> Format:
    """The format of a file: as chosen, else by its ending; standard input and output are CSV.

    Examples
    --------
    >>> format_of("pairs.tsv"), format_of("-")
    ('tsv', 'csv')
    """
    if chosen is not None:
        return chosen
    if str(path) == "-":
        return "csv"
    ending = uncompressed(path).suffix.lower()
    if ending not in FORMATS:
        if Path(path).is_dir():
            raise KostraError("this is a folder, not a file", where=shown(path))
        raise KostraError(
            f'the ending "{ending}" does not tell the format' if ending else "the name has no ending",
            where=shown(path),
            accepted=", ".join(FORMATS),
            remedy="rename the file so that its ending tells the format; standard input and output (-) are CSV",
        )
    return FORMATS[ending]  # type: ignore[return-value]


def read_bytes(path: str | Path) -> bytes:
    """Read a whole file, or standard input for ``-``; what is compressed (``.gz``, ``.zst``) is unpacked."""
    try:
        if str(path) != "-":
            return _unpacked(Path(path).read_bytes(), path)
        if sys.stdin is None:  # the caller closed it
            raise KostraError("cannot be read: it is closed", where=shown(path))
        return sys.stdin.buffer.read()
    except FileNotFoundError:
        raise no_such_file(path) from None
    except IsADirectoryError:
        raise KostraError("this is a folder, not a file", where=shown(path)) from None
    except OSError as error:
        raise KostraError(f"cannot be read: {error.strerror}", where=shown(path)) from None


def no_such_file(path: str | Path) -> KostraError:
    """Build the error for a file that is not there: it names the one beside it whose name is closest."""
    place = Path(path)
    with contextlib.suppress(OSError):  # the folder is not there either, or may not be read
        guess = nearest(place.name, (beside.name for beside in place.parent.iterdir() if beside.is_file()))
        if guess is not None:
            return KostraError(
                "there is no such file", where=shown(path), remedy=f'did you mean "{shown(place.with_name(guess))}"?'
            )
    return KostraError("there is no such file", where=shown(path))


def _unpacked(data: bytes, path: str | Path) -> bytes:
    """Undo the compression that the file's ending tells; a file that is cut short is never taken for a whole one."""
    codec = _codec(path)
    if codec is None:
        return data
    try:
        return bytes(codec.decompress(data))
    except (EOFError, OSError, zlib.error, getattr(codec, "ZstdError", EOFError)) as error:
        remedy = "the file is cut short or damaged: fetch it again"
        raise KostraError(f"cannot be unpacked: {error}", where=shown(path), remedy=remedy) from None


def _codec(path: str | Path) -> Any:
    """The module that compresses files of that ending: gzip, Zstandard, or None."""
    ending = Path(path).suffix.lower()
    return gzip if ending == ".gz" else zstd(path) if ending == ".zst" else None


def zstd(path: str | Path) -> Any:
    """Python's own Zstandard (3.14 and later), or the package that brings it to earlier versions."""
    for name in ("compression.zstd", "backports.zstd"):
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    raise extra_needed("backports.zstd", "zstd", purpose=f"reading or writing {shown(path)}")


def read_text(path: str | Path) -> str:
    """Read UTF-8 text, with or without a byte order mark, and normalise it to NFC.

    Any other encoding is refused: the error names the line of the first wrong byte and the encoding that the
    bytes look like.
    """
    return decode(read_bytes(path), where=shown(path))


def numbered_lines(path: str | Path) -> list[tuple[int, str]]:
    """The lines of a plain list that are not blank, without the white space around them, each with its number."""
    return lines_of(read_text(path))


def lines_of(text: str) -> list[tuple[int, str]]:
    r"""The lines of a text, as `numbered_lines` gives those of a file.

    Examples
    --------
    >>> lines_of("one\r\n\r\n two\n")
    [(1, 'one'), (3, 'two')]
    """
    lines = io.StringIO(text, newline=None)  # any of \n, \r\n and \r ends a line
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


def decode(data: bytes, *, where: str, normalise: bool = True) -> str:
    r"""Decode strict UTF-8 and normalise to NFC (unless the caller must look at the letters first).

    Examples
    --------
    >>> decode(b"na\xc3\xafve", where="notes.txt")
    'naïve'
    >>> decode("žluťoučký kůň".encode("utf-16"), where="notes.txt")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: notes.txt: the text is not UTF-8; it looks like UTF-16
      accepted: UTF-8, with or without a byte order mark
      try: iconv -f UTF-16 -t UTF-8 notes.txt > notes.txt.utf8
    """
    wide = _wide_encoding(data)
    if wide is not None:
        raise _not_utf8(wide, where=where, line=None)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _not_utf8(_guess_encoding(data), where=where, line=line) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise KostraError("the file holds a NUL byte: it is not text", where=f"{where}:{line}")
    return text if not normalise or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32, told by the byte order mark, or by the zeros beside a first Latin letter without one."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    zeros = [byte == 0 for byte in data[:4]]
    if len(zeros) == 4 and sum(zeros) == 2 and zeros[0] == zeros[2]:
        return "UTF-16BE" if zeros[0] else "UTF-16LE"
    return None


def _not_utf8(guess: str | None, *, where: str, line: int | None) -> KostraError:
    looks = f"; it looks like {guess}" if guess else ""
    return KostraError(
        f"the text is not UTF-8{looks}",
        where=where if line is None else f"{where}:{line}",
        accepted="UTF-8, with or without a byte order mark",
        remedy=f"iconv -f {guess or 'ENCODING'} -t UTF-8 {_in_shell(where)}",
    )


def _in_shell(where: str) -> str:
    """The rest of a command that turns a file, or standard input, into another."""
    return "| kostra …" if where == shown("-") else f"{shlex.quote(where)} > {shlex.quote(f'{where}.utf8')}"


_LIKELY = (
    "cp1250", "iso8859_2", "cp1252", "iso8859_1", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256",
    "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr",
)  # fmt: skip
"""Encodings that files still come in. Of all that exist, some rare one always fits a short text better."""


def _guess_encoding(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000], cp_isolation=list(_LIKELY)).best()
    if best is None:
        return None
    central = best.encoding == "cp1250" and not _WINDOWS.search(data) and _LATIN_2.search(data)
    return "ISO-8859-2" if central else best.encoding.replace("_", "-").upper()


_WINDOWS = re.compile(rb"[\x80-\x9f]")
"""Letters that are signs of control in ISO 8859-2: Czech and Polish texts in CP1250 have some of them."""
_LATIN_2 = re.compile(rb"[\xa1\xa6\xa9\xab\xac\xae\xb1\xb6\xb9\xbb\xbc\xbe]")
"""Letters of ISO 8859-2 that are others, or none, in CP1250."""


def read_records(path: str | Path, *, kind: Literal["csv", "tsv"], header: bool = True) -> Records:
    r"""Read a delimited file strictly: every row as wide as the first, quotes closed, names distinct.

    CSV separates cells by commas; where the header has none, by semicolons or tabs, as office programs of many
    countries write it. TSV has no quoting: a tab always separates. Blank lines are passed over.
    """
    return parse_records(read_text(path), where=shown(path), kind=kind, header=header)


def parse_records(text: str, *, where: str, kind: Literal["csv", "tsv"], header: bool = True) -> Records:
    r"""Split delimited text into records (see `read_records`).

    Examples
    --------
    >>> parse_records('a,b\n1,"x\ny"\n2,z\n', where="t.csv", kind="csv").lines
    [2, 4]
    >>> parse_records("a;b\n1;x, y\n", where="t.csv", kind="csv").rows
    [['1', 'x, y']]
    >>> parse_records("a,b\n1\n", where="t.csv", kind="csv")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: t.csv:2: found 1 column where the header has 2
      accepted: rows as wide as the header: a, b
      try: mend the line; a comma inside a cell needs quotes around the cell
    """
    mark = "\t" if kind == "tsv" else separator_of(text) if header else ","
    numbered = list(_split(text, where=where, mark=mark, quotes=kind == "csv"))
    if not numbered:
        raise KostraError("the file is empty", where=where, accepted="a header line and at least one row")
    if header:
        names = _checked_header(numbered[0][1], where=f"{where}:{numbered[0][0]}", kind=kind)
        numbered = numbered[1:]
        expected = f"the header has {len(names)}"
    else:
        names = tuple(f"column {index + 1}" for index in range(len(numbered[0][1])))
        expected = f"the first row has {len(names)}"
    for line, row in numbered:
        if len(row) != len(names):
            found = f"{len(row)} column{'s' if len(row) != 1 else ''}"
            raise KostraError(
                f"found {found} where {expected}",
                where=f"{where}:{line}",
                accepted=f"rows as wide as the header: {some(names, 8)}" if header else None,
                remedy=f"mend the line; a {_MARKS[mark]} inside a cell needs quotes around the cell"
                if kind == "csv"
                else "mend the line; a tab cannot stand inside a cell",
            )
    return Records(where, names, [row for _, row in numbered], [line for line, _ in numbered])


_MARKS = {",": "comma", ";": "semicolon", "\t": "tab"}


def separator_of(text: str) -> str:
    """What separates the cells of CSV: the comma, unless the header holds other marks alone.

    Examples
    --------
    >>> separator_of("name,remarks; if any"), separator_of("name;mail"), separator_of("name")
    (',', ';', ',')
    """
    first = re.search(r"[^\r\n]*\S[^\r\n]*", text)
    header = re.sub('"[^"]*"', "", first[0]) if first else ""
    return next((mark for mark in _MARKS if mark in header), ",")


def _split(text: str, *, where: str, mark: str, quotes: bool) -> Iterator[tuple[int, list[str]]]:
    if not quotes:
        text = text if "\n" in text else text.replace("\r", "\n")  # the line ends of old Macs
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip("\r"):
                yield number, line.rstrip("\r").split(mark)
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise KostraError(
                f"the CSV cannot be read: {error}",
                where=f"{where}:{begins}",
                remedy="a quote inside a quoted cell is written twice, and every quote is closed",
            ) from None
        if row:
            yield begins, row


def _checked_header(cells: list[str], *, where: str, kind: str) -> tuple[str, ...]:
    names = tuple(cell.strip() for cell in cells)
    other = next((mark for mark in ",;" if kind == "tsv" and len(cells) == 1 and mark in cells[0]), None)
    if other is not None:
        raise KostraError(
            f"the header is one column, with {other} inside: {names[0]}",
            where=where,
            accepted="cells separated by tabs",
            remedy="rename the file: cells separated by commas or semicolons are .csv",
        )
    if names.count("") > 1:
        raise KostraError(
            f"{names.count('')} columns of the header have no name", where=where, accepted="distinct names"
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise KostraError(f"the header names a column twice: {some(twice)}", where=where, accepted="distinct names")
    return names


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write a whole file or nothing: a temporary file beside it, flushed to disk, then renamed.

    A name that ends in ``.gz`` or ``.zst`` is compressed. ``-`` is standard output. A full disk or a kill leaves the
    old file as it was. A file that is replaced keeps its permissions, and one that a symbolic link names is replaced
    where it stands.
    """
    if str(path) == "-":
        _write_stdout(data)
        return
    target = Path(path)
    codec = _codec(target)
    if codec is not None:  # no time inside: same content, same bytes
        data = codec.compress(data, mtime=0) if codec is gzip else codec.compress(data)
    if target.exists() and not target.is_file():
        # A device such as /dev/null, or a pipe, is written through, never replaced by a file of ours.
        with _refused_clearly(target, kept=""):
            target.write_bytes(data)
        return
    with _refused_clearly(target, kept="; nothing was changed"):
        target = target.resolve() if target.is_symlink() else target
        mode = _mode(target)
        # Part of the name is enough for a reader, and the whole of a long one would be too long.
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _write_stdout(data: bytes) -> None:
    with stdout_refused_clearly():
        if sys.stdout is None:  # the caller closed it
            raise OSError(errno.EBADF, "it is closed")
        sys.stdout.flush()  # what was printed before comes before
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


@contextlib.contextmanager
def stdout_refused_clearly() -> Iterator[None]:
    """Say in one line that standard output cannot be written; a reader that has seen enough is not our concern."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if sys.stdout is not None:
            # What is left in the buffer would be tried again, and fail again, when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise KostraError(f"cannot be written: {error.strerror}", where="standard output") from None


def _mode(target: Path) -> int:
    """The permissions that the written file gets: those of the file it replaces, else what the umask allows."""
    if target.exists():
        if not os.access(target, os.W_OK):  # renaming would not ask
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def _refused_clearly(target: Path, *, kept: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise KostraError("the folder does not exist", where=shown(target.parent)) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: a symbolic link that leads to itself
        reason = error.strerror if isinstance(error, OSError) else "the symbolic link leads to itself"
        raise KostraError(f"cannot be written: {reason}{kept}", where=shown(target)) from None


def copy_folder(source: Path, target: Path, *, named: Path | None = None) -> None:
    """Copy a folder to a place that does not exist yet, whole or not at all; messages call it `named`."""
    try:
        shutil.copytree(source, target)
    except OSError as error:
        shutil.rmtree(target, ignore_errors=True)
        # Where several files fail, shutil tells of each what is wrong, the reason last.
        reasons = (
            [str(one[-1]).partition("] ")[2].partition(": '")[0] for one in error.args[0]]
            if isinstance(error, shutil.Error)
            else []
        )
        why = error.strerror or (reasons[0] if reasons else str(error))
        raise KostraError(f"cannot be written: {why}; nothing was changed", where=shown(named or target)) from None


def write_text(text: str, path: str | Path) -> None:
    """Write UTF-8 text, whole or not at all (see `write_bytes`)."""
    write_bytes(text.encode("utf-8"), path)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

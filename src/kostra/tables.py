"""The tables that flow between stages: declared columns, strict reading, writing without loss.

Ten kinds of table cover every protocol. Each has a `Schema`; a frame that leaves or enters a stage is checked
against it. A cell may be empty only where the schema says *may be empty*; an item nobody judged has no row in
the scores, rather than a made-up number.

What is written comes back equal from every form, with two conventions that hold for frames and files alike: text is
in NFC, and the empty text is *nothing* (null), since CSV cannot tell the two apart. A text of blanks is kept where a
cell may be empty and refused where it may not. Three things have no form that could hold them and are refused: the
NUL character, half a surrogate pair, and in TSV a tab or a line break. A table without rows is a header alone; as
JSONL it is an empty file, which is refused on the way in, since it cannot be told from a lost one.
"""

from __future__ import annotations

import io
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from kostra import files
from kostra.errors import KostraError, nearest, some, unknown
from kostra.files import Format, format_of, shown
from kostra.findings import Finding, near_duplicate_findings, range_findings, short
from kostra.schemas import (
    ANNOTATORS,
    DOCUMENTS,
    DTYPES,
    JUDGMENTS,
    PAIRS,
    RESULTS,
    SCHEMAS,
    SCORES,
    SENTENCES,
    STATISTICS,
    STATUSES,
    TREES,
    TUPLES,
    Column,
    Frame,
    Schema,
    schema_named,
)

__all__ = [
    "ANNOTATORS", "DOCUMENTS", "JUDGMENTS", "PAIRS", "RESULTS", "SCHEMAS", "SCORES", "SENTENCES", "STATISTICS",
    "STATUSES", "TREES", "TUPLES", "Column", "Finding", "Frame", "Schema", "as_text", "check", "from_cells",
    "near_duplicate_findings", "range_findings", "read", "read_cells", "read_with_lines", "schema_named", "write",
]  # fmt: skip
"""Schemas and findings are made in modules of their own; whoever works with tables finds all of it here."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_FINER_THAN_MICROSECONDS = re.compile(r"[.,]\d{7}")
_BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
"""What `str.strip` takes away; Polars' own idea of white space differs in four control characters."""

# Checking ----------------------------------------------------------------------------------------------


def check(frame: Frame, schema: Schema, *, where: str = "table") -> Frame:
    """Return the frame with the schema's columns in order, or say what is wrong with it.

    Columns that may be empty may be absent; any other difference is an error. Numbers that are whole may stand
    in a number column. Text is normalised to NFC, and the empty text becomes null.

    Examples
    --------
    >>> frame = pl.DataFrame({"tuple": ["t1"], "position": [1], "item": ["a"]})
    >>> check(frame, TUPLES).columns
    ['tuple', 'position', 'item']
    """
    _known_columns(frame.columns, schema, where=where)
    for column in schema.columns:
        dtype = DTYPES[column.kind]
        if column.name not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype=dtype).alias(column.name))
            continue
        found = frame.schema[column.name]
        if (
            found == pl.Null
            or (column.kind == "number" and found.is_numeric())
            or (column.kind == "whole" and found.is_integer())
        ):
            frame = frame.with_columns(_cast(frame[column.name], column, where=where))
        elif found != dtype:
            raise KostraError(
                f'column "{column.name}" holds {found}', where=where, accepted=f"{dtype}: {column.accepted}"
            )
        if column.kind == "text":
            frame = frame.with_columns(_plain_text(frame[column.name]))
        _check_cells(frame[column.name], column, where=where)
    _unique_key(frame, schema, where=where, lines=None)
    return frame.select(column.name for column in schema.columns)


def _cast(cells: pl.Series, column: Column, *, where: str) -> pl.Series:
    dtype = DTYPES[column.kind]
    try:
        return cells.cast(dtype)
    except pl.exceptions.InvalidOperationError:
        what = f'column "{column.name}" holds numbers too large for {dtype}'
        raise KostraError(what, where=where, accepted=column.accepted) from None


def _plain_text(cells: pl.Series) -> pl.Series:
    """Bring text to NFC, and the empty text to nothing."""
    if cells.str.contains(r"^[[:ascii:]]+$").all():
        return cells
    normal = cells.str.normalize("NFC")
    return normal.to_frame().select(pl.when(pl.col(cells.name) != "").then(pl.col(cells.name)))[cells.name]


def _check_cells(cells: pl.Series, column: Column, *, where: str) -> None:
    if column.kind == "text":
        _check_text(cells, column, where=where)
    if not column.empty and cells.null_count():
        row = int(cells.is_null().arg_max() or 0)
        raise KostraError(f'column "{column.name}" is empty in row {row + 1}', where=where, accepted=column.accepted)
    if column.kind == "number" and not cells.drop_nulls().is_finite().all():
        raise KostraError(f'column "{column.name}" holds NaN or infinity', where=where, accepted=column.accepted)
    if column.choices:
        strange = cells.drop_nulls().filter(~cells.drop_nulls().is_in(list(column.choices)))
        if len(strange):
            raise KostraError(f'column "{column.name}": found "{strange[0]}"', where=where, accepted=column.accepted)


def _check_text(cells: pl.Series, column: Column, *, where: str) -> None:
    nul = cells.str.contains("\0", literal=True).fill_null(False)
    blank = (cells.str.strip_chars(_BLANKS) == "").fill_null(False)
    for strange, what in ((nul, "a NUL character"), (blank, "blanks only")):
        if strange.any() and not (strange is blank and column.empty):
            place = f'column "{column.name}", row {int(strange.arg_max() or 0) + 1}'
            raise KostraError(f"{place}: found {what}", where=where, accepted=column.accepted)


def _known_columns(names: Iterable[str], schema: Schema, *, where: str) -> None:
    known = [column.name for column in schema.columns]
    present = list(names)
    for name in present:
        if name not in known:
            raise unknown(f"column of {schema.name}", name, known, where=where)
    missing = [column.name for column in schema.columns if not column.empty and column.name not in present]
    if missing:
        guess = nearest(missing[0], present)
        raise KostraError(
            f'column "{missing[0]}" is missing; found {some(present, 12) or "no column"}',
            where=where,
            accepted=f"{schema.name}: {', '.join(known)}",
            remedy=f'is it the one called "{guess}"?' if guess else None,
        )


def _unique_key(frame: Frame, schema: Schema, *, where: str, lines: Sequence[int] | None) -> None:
    keys = list(schema.key)
    if not frame.select(keys).is_duplicated().any():
        return
    first: dict[tuple[Any, ...], int] = {}
    for row, key in enumerate(frame.select(keys).iter_rows()):
        if key in first:
            named = ", ".join(f'{name} "{value}"' for name, value in zip(keys, key, strict=True))
            said = f"lines {lines[first[key]]} and {lines[row]}" if lines else f"rows {first[key] + 1} and {row + 1}"
            count = int(frame.select(keys).is_duplicated().sum())
            raise KostraError(
                f"{named} stands twice ({said}); {count} rows share their {' and '.join(keys)} with another",
                where=f"{where}:{lines[row]}" if lines else where,
                accepted=f"each {' with each '.join(keys)} once",
            )
        first.setdefault(key, row)


# Reading -----------------------------------------------------------------------------------------------


def read(path: str | Path, schema: Schema, *, format: Format | None = None) -> Frame:  # noqa: A002 - the word users know
    """Read a table from CSV, TSV, JSONL or Parquet; ``-`` is standard input.

    Raises
    ------
    KostraError
        With file, line, column, what was found and what is accepted.
    """
    return read_with_lines(path, schema, format=format)[0]


def read_with_lines(
    path: str | Path,
    schema: Schema,
    *,
    format: Format | None = None,  # noqa: A002
) -> tuple[Frame, list[int]]:
    """Read a table and, for each row, the line of the file on which it begins (see `read`)."""
    where = shown(path)
    if format_of(path, format) == "parquet":
        frame = check(_read_parquet(path), schema, where=where)
        return frame, list(range(1, frame.height + 1))
    cells, lines = read_cells(path, format=format)
    header = _first_line_of_a_stranger(cells, schema, lines) if format_of(path, format) == "jsonl" else 1
    _known_columns(cells, schema, where=f"{where}:{header}")
    return from_cells(cells, schema, where=where, lines=lines), lines


def _first_line_of_a_stranger(cells: Mapping[str, Sequence[Any]], schema: Schema, lines: Sequence[int]) -> int:
    """Where JSONL, which has no header, first names a column that the schema does not have."""
    strangers = [column for name, column in cells.items() if name not in schema.dtypes]
    said = (row for column in strangers for row, cell in enumerate(column) if cell is not None)
    return lines[next(said, 0)]


def read_cells(path: str | Path, *, format: Format | None = None) -> tuple[dict[str, list[Any]], list[int]]:  # noqa: A002
    """Read any table as it stands: one list of cells per column, and the line on which each row begins."""
    kind = format_of(path, format)
    if kind == "parquet":
        frame = _read_parquet(path)
        texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        frame = frame.with_columns(frame[name].str.normalize("NFC") for name in texts)
        return {name: frame[name].to_list() for name in frame.columns}, list(range(1, frame.height + 1))
    if kind == "jsonl":
        return _jsonl_cells(path)
    records = files.read_records(path, kind=kind)
    columns = _columns(records)
    return {name: list(column) for name, column in zip(records.header, columns, strict=True)}, records.lines


def _columns(records: files.Records) -> list[tuple[str, ...]]:
    return list(zip(*records.rows, strict=True)) if records.rows else [()] * len(records.header)


def _read_parquet(path: str | Path) -> Frame:
    data = files.read_bytes(path)
    if not data:
        raise KostraError("the file is empty", where=shown(path), accepted="a Parquet file")
    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        # A damaged file can make Polars panic, which is no subclass of Exception.
        raise KostraError(f"this is not a Parquet file, or a damaged one: {error}", where=shown(path)) from None


def _jsonl_cells(path: str | Path) -> tuple[dict[str, list[Any]], list[int]]:
    where = shown(path)
    objects: list[dict[str, Any]] = []
    lines: list[int] = []
    # To NFC only once it is parsed: before, the n of the escape \n might compose with an accent that follows it.
    for number, line in enumerate(files.decode(files.read_bytes(path), where=where, normalise=False).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, object_pairs_hook=_each_name_once, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            what = f"this line is not JSON: {error.msg} (column {error.colno})"
            raise KostraError(what, where=f"{where}:{number}") from None
        except (ValueError, RecursionError) as error:
            raise KostraError(f"this line cannot be read: {error}", where=f"{where}:{number}") from None
        if not isinstance(value, dict):
            raise KostraError("this line is not a JSON object", where=f"{where}:{number}", accepted='{"name": …}')
        objects.append(value)
        lines.append(number)
    if not objects:
        raise KostraError("the file is empty", where=where, accepted="one JSON object a line")
    names = list({name: None for value in objects for name in value})
    return {name: [value.get(name) for value in objects] for name in names}, lines


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make the object; JSON leaves open what a repeated name means, and Python would keep the last alone."""
    made = {unicodedata.normalize("NFC", name): _in_nfc(value) for name, value in pairs}
    if len(made) < len(pairs):
        raise ValueError(f"an object has the same name twice; its names are {some(name for name, _ in pairs)}")
    return made


def _in_nfc(value: Any) -> Any:
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def as_text(cells: Sequence[Any], *, where: str, lines: Sequence[int], column: str) -> list[str]:
    """Cells that name things, as text: numbers as they are written, nothing as the empty text.

    Examples
    --------
    >>> as_text(["a", 3, None], where="t.jsonl", lines=[1, 2, 3], column="item")
    ['a', '3', '']
    >>> as_text([True], where="t.jsonl", lines=[1], column="item")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: t.jsonl:1: column "item": found true
      accepted: text or a number
    """
    for line, cell in zip(lines, cells, strict=True):
        number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
        if not (cell is None or number or (isinstance(cell, str) and _is_text(cell))):
            place = f'{where}:{line}: column "{column}"'
            raise KostraError(f"found {_said(cell)}", where=place, accepted="text or a number")
    return ["" if cell is None else str(cell) for cell in cells]


def _is_text(cell: str) -> bool:
    """Whether a string is text that every form can hold: no NUL, no half of a surrogate pair."""
    return "\0" not in cell and not any("\ud800" <= char <= "\udfff" for char in cell)


def from_cells(cells: Mapping[str, Sequence[Any]], schema: Schema, *, where: str, lines: Sequence[int]) -> Frame:
    """Build a table from cells as they stand in a file, one list per column, or say which cell is wrong.

    A column that may be empty may be absent.

    Examples
    --------
    >>> cells = {"tuple": ["t1"], "position": ["first"], "item": ["a"]}
    >>> from_cells(cells, TUPLES, where="t.csv", lines=[2])
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: t.csv:2: column "position": found "first"
      accepted: a whole number, such as 3
    """
    columns = []
    for column in schema.columns:
        found = cells.get(column.name)
        values = [None] * len(lines) if found is None else _parsed(found, column, where=where, lines=lines)
        columns.append(pl.Series(column.name, values, dtype=DTYPES[column.kind]))
    frame = pl.DataFrame(columns)
    _unique_key(frame, schema, where=where, lines=lines)
    return frame


def _parsed(cells: Sequence[Any], column: Column, *, where: str, lines: Sequence[int]) -> list[Any]:
    values: list[Any] = []
    bad: list[int] = []
    for row, cell in enumerate(cells):
        try:
            values.append(_value(cell, column))
        except ValueError:
            values.append(None)
            bad.append(row)
    if bad:
        first = bad[0]
        found = _said(cells[first])
        others = f"; likewise on lines {some([lines[row] for row in bad[1:]], 8)}" if len(bad) > 1 else ""
        raise KostraError(
            f"found {found}{others}", where=f'{where}:{lines[first]}: column "{column.name}"', accepted=column.accepted
        )
    return values


def _said(cell: Any) -> str:
    """A cell in a message: text in quotes, so that "3" and 3 differ."""
    if cell is None or cell == "":
        return "nothing"
    if isinstance(cell, str):
        return f'"{short(cell.encode("utf-8", "replace").decode())}"'
    return short(json.dumps(cell, ensure_ascii=False, default=str))


def _value(cell: Any, column: Column) -> Any:
    """Turn one cell, a string of a CSV or a value of a JSON object, into the column's type, or raise ValueError."""
    blank = isinstance(cell, str) and not cell.strip()
    if cell is None or cell == "" or (blank and column.kind != "text"):
        if column.empty:
            return None
        raise ValueError
    if isinstance(cell, (bool, list, dict)) or (blank and not column.empty):
        raise ValueError
    if column.kind in ("whole", "number") and isinstance(cell, str) and not _NUMBER.fullmatch(cell):
        raise ValueError  # Python would read "1_0", " 3 " and "٣" as numbers; a table does not
    match column.kind:
        case "text":
            if not isinstance(cell, str) or not _is_text(cell) or (column.choices and cell not in column.choices):
                raise ValueError
            return cell
        case "whole":
            if isinstance(cell, float) or not -(2**63) <= int(cell) < 2**63:
                raise ValueError
            return int(cell)
        case "number":
            number = float(cell)
            if not math.isfinite(number):
                raise ValueError
            return number
        case "time":
            moment = datetime.fromisoformat(str(cell))
            if moment.tzinfo is None or _FINER_THAN_MICROSECONDS.search(str(cell)):
                raise ValueError
            try:
                return moment.astimezone(UTC)
            except OverflowError:  # the first hours of the year 1, or the last of 9999, in another zone
                raise ValueError from None


# Writing -----------------------------------------------------------------------------------------------


def write(frame: Frame, path: str | Path, *, format: Format | None = None) -> None:  # noqa: A002
    """Write a table as CSV, TSV, JSONL or Parquet, by the name's ending; ``-`` is standard output.

    The file is written whole or not at all. TSV has no quoting, so a cell with a tab or a line break is refused.
    """
    kind = format_of(path, format)
    buffer = io.BytesIO()
    match kind:
        case "parquet":
            frame.write_parquet(buffer, compression="zstd", statistics=True)
        case "jsonl":
            for row in _printable(frame).iter_rows(named=True):
                buffer.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        case "csv":
            _printable(frame).write_csv(buffer)
        case "tsv":
            _refuse_tabs(frame, path)
            _printable(frame).write_csv(buffer, separator="\t", quote_style="never")
    files.write_bytes(buffer.getvalue(), path)


def _printable(frame: Frame) -> Frame:
    times = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime)]
    return frame.with_columns(pl.col(times).dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")) if times else frame


def _refuse_tabs(frame: Frame, path: str | Path) -> None:
    for name, dtype in frame.schema.items():
        if dtype == pl.String:
            strange = frame[name].str.contains("[\t\n\r]").fill_null(False)
            if strange.any():
                raise KostraError(
                    f'column "{name}", row {int(strange.arg_max() or 0) + 1}: a cell holds a tab or a line break',
                    where="standard output" if str(path) == "-" else shown(path),
                    remedy="write .csv, .jsonl or .parquet, which can hold it",
                )

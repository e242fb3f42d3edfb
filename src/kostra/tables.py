"""The tables that flow between stages: declared columns, strict reading, writing without loss.

Nine kinds of table cover every protocol. Each has a `Schema`; a frame that leaves or enters a stage is checked
against it. A cell may be empty only where the schema says *may be empty*; an item nobody judged has no row in
the scores, rather than a made-up number.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import polars as pl

from kostra import files
from kostra.errors import KostraError, nearest, some, unknown
from kostra.files import Format, format_of, shown
from kostra.text import near_duplicates

Frame = pl.DataFrame
Kind = Literal["text", "whole", "number", "time"]

_DTYPES: dict[Kind, pl.DataType] = {
    "text": pl.String(),
    "whole": pl.Int64(),
    "number": pl.Float64(),
    "time": pl.Datetime("us", "UTC"),
}
_ACCEPTED: dict[Kind, str] = {
    "text": "text",
    "whole": "a whole number, such as 3",
    "number": "a finite number, such as 2.5",
    "time": "a time with its zone, such as 2026-03-01T12:00:00Z",
}

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

STATUSES = ("answered", "impossible", "skipped", "superseded", "surplus", "discarded")


@dataclass(frozen=True)
class Column:
    """One column of a schema."""

    name: str
    doc: str
    kind: Kind = "text"
    empty: bool = False
    """Whether a cell may be empty (and the whole column absent from a file)."""
    choices: tuple[str, ...] = ()

    @property
    def accepted(self) -> str:
        """What a cell may hold, in words."""
        what = f"one of {', '.join(self.choices)}" if self.choices else _ACCEPTED[self.kind]
        return f"{what}, or nothing" if self.empty else what


@dataclass(frozen=True)
class Schema:
    """A kind of table: its columns in order, and the columns that together identify a row."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    counted: str | None = None
    """The column whose distinct values are counted as the table's things, where that is not its rows."""

    def count(self, frame: Frame) -> int:
        """How many things a table of this kind holds: tuples, say, and not their places."""
        return frame[self.counted].n_unique() if self.counted else frame.height

    @property
    def dtypes(self) -> pl.Schema:
        """The Polars schema."""
        return pl.Schema({column.name: _DTYPES[column.kind] for column in self.columns})

    def empty(self) -> Frame:
        """A table of this kind without rows."""
        return pl.DataFrame(schema=self.dtypes)


def _optional(name: str, doc: str, kind: Kind = "text", choices: tuple[str, ...] = ()) -> Column:
    return Column(name, doc, kind, empty=True, choices=choices)


DOCUMENTS = Schema(
    "documents",
    "Texts or images that sentences come from.",
    (
        Column("document", "id"),
        Column("source", "corpus it comes from"),
        Column("language", "ISO 639 code"),
        _optional("kind", "review, report, summary, image, …"),
        _optional("group", "theme, incident, book: what documents share"),
        _optional("title", "title"),
        _optional("text", "whole text; empty for an image"),
    ),
    ("document",),
)
SENTENCES = Schema(
    "sentences",
    "Sentences, as found, as made by a rule, or as rewritten by a person.",
    (
        Column("sentence", "id"),
        Column("text", "the sentence"),
        Column("source", "corpus it comes from"),
        Column("language", "ISO 639 code"),
        _optional("document", "the document it stands in"),
        _optional("position", "place in the document, from 1", "whole"),
        _optional("group", "theme, incident, target, paraphrase set: what sentences share"),
        _optional("label", "style, author, stance, …"),
        _optional("origin", "the sentence it was made from"),
        _optional("change", "the rule or rewrite that made it"),
    ),
    ("sentence",),
)
PAIRS = Schema(
    "pairs",
    "Two sentences to be judged together, maybe with their contexts.",
    (
        Column("pair", "id"),
        Column("text_a", "first sentence"),
        Column("text_b", "second sentence"),
        _optional("sentence_a", "id of the first sentence"),
        _optional("sentence_b", "id of the second sentence"),
        _optional("source", "corpus"),
        _optional("subset", "sampling strategy"),
        _optional("context_a", "text around the first sentence, the key sentence inside <sent></sent>"),
        _optional("context_b", "text around the second sentence, likewise"),
        _optional("reverse", "id of the pair with the sentences swapped"),
        _optional("overlap", "lexical overlap by which it was sampled", "number"),
    ),
    ("pair",),
)
TUPLES = Schema(
    "tuples",
    "Items compared together: one row per place in a tuple.",
    (
        Column("tuple", "id"),
        Column("position", "place in the tuple, from 1", "whole"),
        Column("item", "id of the pair or sentence at that place"),
    ),
    ("tuple", "position"),
    counted="tuple",
)
ANNOTATORS = Schema(
    "annotators",
    "Who answers. Names and payment never stand here.",
    (
        Column("annotator", "pseudonym"),
        Column("kind", "what answers", choices=("person", "simulated", "model")),
        _optional("role", "role in the campaign", choices=("annotator", "leader", "judge", "linguist", "admin")),
        _optional("note", "anything worth keeping"),
    ),
    ("annotator",),
)
JUDGMENTS = Schema(
    "judgments",
    "One stored answer to one question. Rows are appended, never edited; a correction supersedes.",
    (
        Column("judgment", "id"),
        Column("item", "what was asked about"),
        Column("version", "version of the item that was shown", "whole"),
        Column("question", "what was asked"),
        _optional("annotator", "who answered; empty where the source is anonymous"),
        _optional("value", "the answer as text; empty when impossible or skipped"),
        Column("status", "what became of it", choices=STATUSES),
        Column("phase", "phase of the campaign"),
        Column("block", "block of the phase"),
        _optional("shown_at", "when the item was shown", "time"),
        _optional("answered_at", "when the answer was stored", "time"),
        _optional("seconds", "thinking time", "number"),
        _optional("supersedes", "the judgment this one replaces"),
    ),
    ("judgment",),
)
SCORES = Schema(
    "scores",
    "Aggregated judgments: one row per item and question.",
    (
        Column("item", "id"),
        Column("question", "what was asked"),
        _optional("score", "the score, on the recipe's range", "number"),
        _optional("label", "the label, for label questions"),
        _optional("raw", "the score on the method's own scale", "number"),
        Column("appearances", "answers it rests on", "whole"),
        _optional("standard_error", "standard error of the score", "number"),
    ),
    ("item", "question"),
)
STATISTICS = Schema(
    "statistics",
    "Figures about the judgments, each with its interval where one is meaningful.",
    (
        Column("statistic", "plain name"),
        Column("question", "what it is about"),
        _optional("value", "estimate; empty where undefined", "number"),
        _optional("low", "lower end of the 95% interval", "number"),
        _optional("high", "upper end", "number"),
        Column("n", "units it rests on", "whole"),
        _optional("note", "convention or reason"),
    ),
    ("statistic", "question"),
)
RESULTS = Schema(
    "results",
    "Encoders against people.",
    (
        Column("encoder", "encoder"),
        Column("part", "whole set, or the source it is limited to"),
        Column("metric", "such as cosine_spearman"),
        _optional("value", "estimate; empty where undefined", "number"),
        _optional("low", "lower end of the 95% interval", "number"),
        _optional("high", "upper end", "number"),
        Column("n", "pairs", "whole"),
        _optional("note", "convention or reason"),
    ),
    ("encoder", "part", "metric"),
)

SCHEMAS: dict[str, Schema] = {
    schema.name: schema
    for schema in (
        DOCUMENTS, SENTENCES, PAIRS, TUPLES, ANNOTATORS, JUDGMENTS, SCORES, STATISTICS, RESULTS,
    )
}  # fmt: skip


def schema_named(name: str) -> Schema:
    """The schema of that name.

    Examples
    --------
    >>> schema_named("pairs").key
    ('pair',)
    """
    if name not in SCHEMAS:
        raise unknown("kind of table", name, SCHEMAS)
    return SCHEMAS[name]


# What was noticed but not mended ------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """Something worth knowing about a file: reported with its lines, never silently mended."""

    kind: str
    message: str
    where: str
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        place = f"{self.where}: {self.message}"
        return f"{place} (line{'s' if len(self.lines) > 1 else ''} {some(self.lines, 8)})" if self.lines else place


def near_duplicate_findings(texts: Sequence[str], lines: Sequence[int], *, where: str) -> list[Finding]:
    """Report strings that are one item to a reader and several to a computer.

    Examples
    --------
    >>> print(*near_duplicate_findings(["a b", "a  b", "c"], [2, 3, 4], where="x"))
    x: 3 different strings are only 2 once white space and punctuation are ignored, e.g. "a b" and "a  b" (lines 2, 3)
    """
    groups = near_duplicates(texts, lines)
    if not groups:
        return []
    strings = len(set(texts))
    distinct = strings - sum(len(group.texts) - 1 for group in groups)
    example = groups[0].texts
    message = (
        f"{strings:,} different strings are only {distinct:,} once white space and punctuation are ignored, "
        f'e.g. "{_short(example[0])}" and "{_short(example[1])}"'
    )
    ordered = sorted({line for group in groups for line in group.lines})
    return [Finding("near_duplicates", message, where, tuple(ordered))]


def range_findings(
    values: Iterable[float | None], lines: Iterable[int], *, low: float, high: float, where: str, column: str
) -> list[Finding]:
    """Report numbers outside the declared range, with their lines.

    Examples
    --------
    >>> print(*range_findings([0, -4, 6], [1, 2, 3], low=0, high=6, where="x.tsv", column="score"))
    x.tsv: 1 value of "score" outside 0 to 6: -4 (line 2)
    """
    bad = [
        (value, line)
        for value, line in zip(values, lines, strict=True)
        if value is not None and not low <= value <= high
    ]
    if not bad:
        return []
    found = some([f"{value:g}" for value, _ in bad])
    message = f'{len(bad):,} value{"s" if len(bad) > 1 else ""} of "{column}" outside {low:g} to {high:g}: {found}'
    return [Finding("out_of_range", message, where, tuple(line for _, line in bad))]


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


# Checking ----------------------------------------------------------------------------------------------


def check(frame: Frame, schema: Schema, *, where: str = "table") -> Frame:
    """Return the frame with the schema's columns in order, or say what is wrong with it.

    Columns that may be empty may be absent; any other difference is an error. Numbers that are whole may stand
    in a number column.

    Examples
    --------
    >>> frame = pl.DataFrame({"tuple": ["t1"], "position": [1], "item": ["a"]})
    >>> check(frame, TUPLES).columns
    ['tuple', 'position', 'item']
    """
    _known_columns(frame.columns, schema, where=where)
    for column in schema.columns:
        dtype = _DTYPES[column.kind]
        if column.name not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype=dtype).alias(column.name))
            continue
        found = frame.schema[column.name]
        if (
            found == pl.Null
            or (column.kind == "number" and found.is_numeric())
            or (column.kind == "whole" and found.is_integer())
        ):
            frame = frame.with_columns(pl.col(column.name).cast(dtype))
        elif found != dtype:
            raise KostraError(
                f'column "{column.name}" holds {found}', where=where, accepted=f"{dtype}: {column.accepted}"
            )
        _check_cells(frame[column.name], column, where=where)
    _unique_key(frame, schema, where=where, lines=None)
    return frame.select(column.name for column in schema.columns)


def _check_cells(cells: pl.Series, column: Column, *, where: str) -> None:
    if not column.empty and cells.null_count():
        row = int(cells.is_null().arg_max() or 0)
        raise KostraError(f'column "{column.name}" is empty in row {row + 1}', where=where, accepted=column.accepted)
    if column.kind == "number" and not cells.drop_nulls().is_finite().all():
        raise KostraError(f'column "{column.name}" holds NaN or infinity', where=where, accepted=column.accepted)
    if column.choices:
        strange = cells.drop_nulls().filter(~cells.drop_nulls().is_in(list(column.choices)))
        if len(strange):
            raise KostraError(f'column "{column.name}": found "{strange[0]}"', where=where, accepted=column.accepted)


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
            places = (first[key], row)
            said = f"lines {lines[places[0]]} and {lines[row]}" if lines else f"rows {places[0] + 1} and {row + 1}"
            count = int(frame.select(keys).is_duplicated().sum())
            raise KostraError(
                f"{named} stands twice ({said}); {count} rows share their {' and '.join(keys)} with another",
                where=where,
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
    _known_columns(cells, schema, where=f"{where}:1")
    return from_cells(cells, schema, where=where, lines=lines), lines


def read_cells(path: str | Path, *, format: Format | None = None) -> tuple[dict[str, list[Any]], list[int]]:  # noqa: A002
    """Read any table as it stands: one list of cells per column, and the line on which each row begins."""
    kind = format_of(path, format)
    if kind == "parquet":
        frame = _read_parquet(path)
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
    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.ComputeError, pl.exceptions.PolarsError, OSError) as error:
        raise KostraError(f"this is not a Parquet file: {error}", where=shown(path)) from None


def _jsonl_cells(path: str | Path) -> tuple[dict[str, list[Any]], list[int]]:
    where = shown(path)
    objects: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(files.read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise KostraError(f"this line is not JSON: {error.msg}", where=f"{where}:{number}") from None
        if not isinstance(value, dict):
            raise KostraError("this line is not a JSON object", where=f"{where}:{number}", accepted='{"name": …}')
        objects.append(value)
        lines.append(number)
    if not objects:
        raise KostraError("the file is empty", where=where, accepted="one JSON object a line")
    names = list({name: None for value in objects for name in value})
    return {name: [value.get(name) for value in objects] for name in names}, lines


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
        columns.append(pl.Series(column.name, values, dtype=_DTYPES[column.kind]))
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
        found = "nothing" if cells[first] in (None, "") else f'"{_short(str(cells[first]))}"'
        others = f"; likewise on lines {some([lines[row] for row in bad[1:]], 8)}" if len(bad) > 1 else ""
        raise KostraError(
            f"found {found}{others}", where=f'{where}:{lines[first]}: column "{column.name}"', accepted=column.accepted
        )
    return values


def _value(cell: Any, column: Column) -> Any:
    """Turn one cell, a string of a CSV or a value of a JSON object, into the column's type, or raise ValueError."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        if column.empty:
            return None
        raise ValueError
    if isinstance(cell, (bool, list, dict)):
        raise ValueError
    if column.kind in ("whole", "number") and isinstance(cell, str) and not _NUMBER.fullmatch(cell):
        raise ValueError  # Python would read "1_0", " 3 " and "٣" as numbers; a table does not
    match column.kind:
        case "text":
            if not isinstance(cell, str) or (column.choices and cell not in column.choices):
                raise ValueError
            return cell
        case "whole":
            if isinstance(cell, float):
                raise ValueError
            return int(cell)
        case "number":
            number = float(cell)
            if not math.isfinite(number):
                raise ValueError
            return number
        case "time":
            moment = datetime.fromisoformat(str(cell))
            if moment.tzinfo is None:
                raise ValueError
            return moment.astimezone(UTC)


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
                    where=shown(path),
                    remedy="write .csv, .jsonl or .parquet, which can hold it",
                )

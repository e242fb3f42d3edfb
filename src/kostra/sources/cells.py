"""A user's table as it stands, with its lines: what the readers of special files have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from kostra import files, tables
from kostra.errors import KostraError, some, unknown
from kostra.ratings import number_of
from kostra.sources.files import find_paths, note_left
from kostra.steps import Context
from kostra.tables import Finding, Frame, range_findings

ENDINGS = tuple(files.FORMATS)


class WithPaths(Protocol):
    """Options that name files."""

    @property
    def paths(self) -> Sequence[str]:
        """Files, folders or patterns, relative to the project's folder."""


def watches(options: WithPaths, context: Context) -> list[Path]:
    """The files read: what a step watches whose options name tables."""
    return find_paths(options.paths, folder=context.project, endings=ENDINGS)


Reader = Callable[[Path], tuple[Mapping[str, Frame], Sequence[Finding]]]
"""Reads one file into tables by kind, and says what it noticed."""


@dataclass(frozen=True)
class Cells:
    """The columns of a file, and the line on which each row begins.

    Examples
    --------
    >>> cells = Cells("t.csv", {"Tweet": ["So true!", ""]}, [2, 3])
    >>> cells.find(None, ("text", "tweet"), what="text")
    'Tweet'
    >>> cells.text("Tweet")
    ['So true!', '']
    """

    where: str
    columns: dict[str, list[Any]]
    lines: list[int]
    findings: list[Finding] = field(default_factory=list)

    def find(self, said: str | None, known: Sequence[str], *, what: str) -> str:
        """The column that was named, or the first that is known by name; an error where there is none."""
        found = self.maybe(said, known)
        if found is None:
            raise KostraError(
                f"no column for the {what}; found {some(self.columns, 12)}",
                where=f"{self.where}:{self.lines[0] if self.lines else 1}",
                accepted=", ".join(known),
                remedy=f"say which it is: {known[0]} = …",
            )
        return found

    def maybe(self, said: str | None, known: Sequence[str]) -> str | None:
        """The column that was named, or the first that is known by name, or None."""
        if said is not None and said not in self.columns:
            raise unknown("column of the file", said, self.columns, where=self.where)
        by_folded = {name.casefold(): name for name in self.columns}
        return said or next((by_folded[name.casefold()] for name in known if name.casefold() in by_folded), None)

    def text(self, column: str | None) -> list[str]:
        """A column as text; the empty text where a cell, or the whole column, is absent."""
        if column is None:
            return [""] * len(self.lines)
        return tables.as_text(self.columns[column], where=self.where, lines=self.lines, column=column)

    def needed(self, column: str) -> list[str]:
        """A column as text in which no cell may be empty."""
        cells = self.text(column)
        empty = [row for row, cell in enumerate(cells) if not cell.strip()]
        if empty:
            more = f"; likewise on lines {some([self.lines[row] for row in empty[1:]], 8)}" if len(empty) > 1 else ""
            raise KostraError(f"found nothing{more}", where=self.at(empty[0], column), accepted="text")
        return cells

    def at(self, row: int, column: str | None = None) -> str:
        """Where a row (and column) stands, for an error message."""
        place = f"{self.where}:{self.lines[row]}"
        return f'{place}: column "{column}"' if column else place

    def note(self, kind: str, message: str, rows: Iterable[int] = ()) -> None:
        """Keep something worth knowing about the file, with the lines of the rows."""
        self.findings.append(Finding(kind, message, self.where, tuple(self.lines[row] for row in rows)))

    def note_left_out(self, used: Iterable[str | None]) -> None:
        """Name the columns that nothing was read from."""
        left = [name or '""' for name in self.columns if name not in set(used)]
        if left:
            self.note("column", f"columns that are not used are left out: {some(left, 12)}")

    def note_range(self, column: str, low: float | None, high: float | None) -> None:
        """Say which numbers of a column lie outside the declared range, where one is declared."""
        ends = (-math.inf if low is None else low, math.inf if high is None else high)
        numbers = [number_of(cell) for cell in self.columns[column]]
        found = range_findings(numbers, self.lines, low=ends[0], high=ends[1], where=self.where, column=column)
        self.findings.extend(found)

    def ids(self, stem: str, column: str | None) -> list[str]:
        """What the rows are called: as a column says, each once, or after the file and their lines."""
        if column is None:
            width = len(str(max(self.lines)))
            return [f"{stem}-{line:0{width}d}" for line in self.lines]
        names = self.needed(column)
        first: dict[str, int] = {}
        for row, name in enumerate(names):
            if first.setdefault(name, row) != row:
                raise KostraError(
                    f'"{name}" stands twice (lines {self.lines[first[name]]} and {self.lines[row]})',
                    where=self.at(row, column),
                    accepted="each id once",
                )
        return names


def read_cells(path: str | Path, *, header: bool = True) -> Cells:
    """Read a CSV, TSV, JSONL or Parquet file as it stands; without a header its columns are ``column 1``, ….

    A file without rows is an error: an empty corpus is never what was meant.
    """
    where = files.shown(path)
    if header:
        columns, lines = tables.read_cells(path)
    else:
        kind = files.format_of(path)
        if kind not in ("csv", "tsv"):
            raise KostraError(f"{kind} names its columns: it has a header", where=where, accepted="header = true")
        records = files.read_records(path, kind=kind, header=False)
        columns = {name: [row[place] for row in records.rows] for place, name in enumerate(records.header)}
        lines = records.lines
    if not lines:
        raise KostraError("the file has no rows", where=where, accepted="a header line and at least one row")
    return Cells(where, columns, lines)


def read_all(
    paths: Sequence[str], read: Reader, context: Context, *, endings: Sequence[str] = ENDINGS
) -> dict[str, Frame]:
    """Read all the files of a step, one below the other, noting what was found in them; an id stands once in all."""
    frames: dict[str, list[Frame]] = {}
    left: list[Path] = []
    for path in find_paths(paths, folder=context.project, endings=endings, left=left):
        found, findings = read(path)
        context.findings.extend(findings)
        for kind, frame in found.items():
            frames.setdefault(kind, []).append(frame)
    note_left(left, context)
    where = some(paths)
    return {
        kind: tables.check(pl.concat(each), tables.schema_named(kind), where=where) for kind, each in frames.items()
    }

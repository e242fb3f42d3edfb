"""The recipe's own analyses: the tables and figures that its steps left, as a paper would print them."""

from __future__ import annotations

import re
from pathlib import Path

from kostra import files
from kostra.recipe import Step
from kostra.report.blocks import Block, Drawing, Heading, Section, Table, Text, section
from kostra.report.history import History
from kostra.report.words import number

ROOMS = ("analysis", "evaluate", "reliability", "scoring", "sampling", "transforms")
MOST_ROWS = 40
"""Longer tables are lists: the files have them, the page does not."""
MOST_COLUMNS = 12
MOST_POINTS = 10
"""Rows of numbers alone, from which on they are points of a curve: a figure shows them better."""
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+)+")


def analyses(history: History) -> Section | None:
    """Each step that the report reads and that left a table or a figure; what two steps left alike stands once."""
    blocks: list[Block] = []
    seen: set[bytes] = set()
    for step in history.steps:
        if step.name in history.context.step.reads and step.room in ROOMS:
            found = _of_step(step, history, seen)
            if found:
                blocks += [Heading(step.name.replace("_", " ")), Text(_sentence(step.note)), *found]
    return section("analyses", "Analyses of this protocol", blocks) if blocks else None


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}{'' if note.endswith('.') else '.'}"


def _of_step(step: Step, history: History, seen: set[bytes]) -> list[Block]:
    def new(path: Path) -> bool:
        content = path.read_bytes()
        known = content in seen
        seen.add(content)
        return not known

    drawn: list[Block] = [_drawing(step, path) for path in history.files(step.name, ".svg") if new(path)]
    read = [_table(step, path) for path in history.files(step.name, ".csv") if new(path)]
    return [*drawn, *(table for table in read if table is not None)]


def _drawing(step: Step, path: Path) -> Drawing:
    title = re.search(r"<title>([^<]*)</title>", path.read_text(encoding="utf-8"))
    caption = title[1] if title else path.stem.replace("_", " ").capitalize()
    return Drawing(_name(step, path), f"{caption}.", saved=path.with_suffix(""), wide=path.parent.name == "pictures")


def _name(step: Step, path: Path) -> str:
    return step.name if path.stem == step.name else f"{step.name}_{path.stem}"


def _table(step: Step, path: Path) -> Table | None:
    """A CSV as a table; a list that is long or wide is left to its step, and points of a curve to a file."""
    records = files.read_records(path, kind="csv")
    if not records.rows or len(records.rows) > MOST_ROWS or len(records.header) > MOST_COLUMNS:
        return None
    told = {
        name: list(cells)
        for name, cells in zip(records.header, zip(*records.rows, strict=True), strict=True)
        if any(cells) and not (name == "part" and set(cells) == {"all"})
    }
    columns = [_column(cells) for cells in told.values()]
    numbers = tuple(place for place, cells in enumerate(told.values()) if _numeric(cells))
    curve = len(numbers) == len(columns) and len(records.rows) > MOST_POINTS
    head = tuple(name.replace("_", " ").capitalize() if len(name) > 1 else name for name in told)
    caption = f"{path.stem.replace('_', ' ').capitalize()}."
    if path.stem != step.name:
        caption = f"{step.name.replace('_', ' ').capitalize()}: {path.stem.replace('_', ' ')}."
    rows = tuple(zip(*columns, strict=True))
    return Table(_name(step, path), caption, head, rows, numbers=numbers, most=0 if curve else MOST_ROWS)


def _numeric(cells: list[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_NUMBER.fullmatch(cell) for cell in filled)


def _column(cells: list[str]) -> list[str]:
    """Cells in words, numbers of a column with the same digits.

    Examples
    --------
    >>> _column(["1.0", "12.0"]), _column(["0.25", "-1"]), _column(["very_near", "", "2021"])
    (['1', '12'], ['0.250', '−1.000'], ['very near', '', '2021'])
    """
    if not _numeric(cells):
        return [cell.replace("_", " ") if _NAME.fullmatch(cell) else cell for cell in cells]
    values = [float(cell) if cell else None for cell in cells]
    known = [value for value in values if value is not None]
    large = max(abs(value) for value in known)
    digits = 0 if all(value == int(value) for value in known) else 3 if large < 10 else 1
    return ["" if value is None else number(value, digits) for value in values]

"""Balanced random tuples of items, to be compared by best–worst scaling."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some, unknown
from kostra.recipe import Strict
from kostra.resample import seeded
from kostra.sampling.design import DesignQuality, IntArray, design_quality, tuple_design
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import bare

_MOST_PLACES = 50_000_000
"""Tuples times their size: what a design of some gigabytes of memory has."""

READS = ("pairs|sentences",)
WRITES = ("tuples",)

ID_COLUMNS = ("id", "item", "pair", "sentence", "Item", "ID", "PairID", "pair_ID")
"""Columns in which `tuples` looks for the items of a table, unless one is named."""


@dataclass(frozen=True)
class Tuples:
    """Tuples of items, with a report of how even the design is."""

    frame: Frame
    """Columns Item1, Item2, …: one tuple a row."""
    quality: DesignQuality
    warnings: tuple[str, ...]


def tuples(
    items: str | Path | Sequence[str],
    *,
    size: int = 4,
    factor: float = 2,
    seed: int = 0,
    column: str | None = None,
    merge_near_duplicates: bool = False,
) -> Tuples:
    """Make balanced random tuples of items for best–worst scaling.

    Every item appears equally often (or once more than others where the arithmetic asks for it), in all positions
    alike, and with 100 items or more no two items meet twice.

    Parameters
    ----------
    items
        The items themselves, or a file: one item a line, or a table (.csv, .tsv, .jsonl, .parquet) with an id column.
        Standard input, ``-``, is CSV if `column` is said, or if its first line names an id column among others.
    size
        Items in a tuple.
    factor
        Tuples per item: N items give ``factor`` × N tuples, each item standing in about ``factor`` × ``size``.
    seed
        The same seed gives the same tuples.
    column
        The column that holds the items of a table.
    merge_near_duplicates
        Keep the first of several items that differ only in white space and punctuation.

    Examples
    --------
    >>> made = tuples(["a", "b", "c", "d", "e"], factor=1, seed=1)
    >>> made.frame.shape, made.quality.appearances_min, made.quality.appearances_max
    ((5, 4), 4, 4)
    """
    rng = seeded(seed)
    if not math.isfinite(factor):
        raise KostraError(f"the factor is {factor}", accepted="a number above 0: tuples per item")
    texts, lines, where = _items(items, column)
    if not texts:
        raise KostraError("there are no items", where=where, accepted="one item a line")
    texts, warnings = _distinct(texts, lines, where=where, merge=merge_near_duplicates)
    design = _design(len(texts), size=size, count=round(factor * len(texts)), rng=rng, where=where)
    quality = design_quality(design, len(texts))
    names = np.array(texts, dtype=object)
    frame = pl.DataFrame({f"Item{p + 1}": pl.Series(names[design[:, p]], dtype=pl.String) for p in range(size)})
    return Tuples(frame, quality, (*warnings, *quality_warnings(quality)))


def _design(items: int, *, size: int, count: int, rng: np.random.Generator, where: str) -> IntArray:
    try:
        if _MOST_PLACES < count * size <= size * math.comb(items, size):
            raise ValueError(f"{count:,} tuples of {size} are more than the {_MOST_PLACES:,} places a design may have")
        return tuple_design(items, size=size, tuples=count, rng=rng)
    except ValueError as error:
        raise KostraError(str(error), where=where, remedy="bring more items, or change --size or --factor") from None


def _items(items: str | Path | Sequence[str], column: str | None) -> tuple[list[str], list[int], str]:
    if not isinstance(items, (str, Path)):
        texts = tables.as_text(items, where="items", lines=range(1, len(items) + 1), column="item")
        return [unicodedata.normalize("NFC", text) for text in texts], list(range(1, len(items) + 1)), "items"
    where = files.shown(items)
    if str(items) == "-":
        return _piped(files.read_text(items), column, where)
    if files.uncompressed(items).suffix.lower() in files.FORMATS:
        return _of_table(*tables.read_cells(items), column, where)
    if column is not None:
        raise KostraError("a plain list of items has no columns", where=where, remedy="leave --column out")
    return _of_list(files.numbered_lines(items), where)


def _piped(text: str, column: str | None, where: str) -> tuple[list[str], list[int], str]:
    """Items of standard input, which has no ending to tell a list from a table: its first line may."""
    numbered = files.lines_of(text)
    first = re.split("[,;\t]", numbered[0][1]) if numbered else []
    if column is None and (len(first) < 2 or not set(first) & set(ID_COLUMNS)):
        return _of_list(numbered, where)
    records = files.parse_records(text, where=where, kind="csv")
    cells = {name: [row[place] for row in records.rows] for place, name in enumerate(records.header)}
    return _of_table(cells, records.lines, column, where)


def _of_list(numbered: list[tuple[int, str]], where: str) -> tuple[list[str], list[int], str]:
    return [text for _, text in numbered], [number for number, _ in numbered], where


def _of_table(
    cells: Mapping[str, list[Any]], lines: list[int], column: str | None, where: str
) -> tuple[list[str], list[int], str]:
    name = column or _id_column(list(cells), where=where)
    if name not in cells:
        raise unknown("column", name, cells, where=where)
    return tables.as_text(cells[name], where=where, lines=lines, column=name), lines, where


def _id_column(columns: list[str], *, where: str) -> str:
    if len(columns) == 1:
        return columns[0]
    known = [name for name in ID_COLUMNS if name in columns]
    if not known:
        raise KostraError(
            f"cannot tell which column holds the items; found {some(columns, 12)}",
            where=where,
            remedy="name it with --column",
        )
    return known[0]


def _distinct(texts: list[str], lines: list[int], *, where: str, merge: bool) -> tuple[list[str], list[str]]:
    """Refuse empty and repeated items; report near-duplicates, and merge them on request."""
    first: dict[str, int] = {}
    for text, line in zip(texts, lines, strict=True):
        if not text.strip():
            raise KostraError("an item is empty", where=f"{where}:{line}", accepted="text")
        if text in first and not merge:
            raise KostraError(
                f'the item "{text}" stands twice (lines {first[text]} and {line})',
                where=f"{where}:{line}",
                accepted="each item once",
            )
        first[text] = line
    warnings = [str(finding) for finding in tables.near_duplicate_findings(texts, lines, where=where)]
    if merge:
        kept: dict[str, str] = {}
        for text in texts:
            kept.setdefault(bare(text), text)
        if len(kept) < len(texts):
            warnings.append(f"{where}: {len(texts) - len(kept):,} items merged into an earlier near-duplicate")
        texts = list(kept.values())
    return texts, warnings


def quality_warnings(quality: DesignQuality) -> list[str]:
    """Say what the design could not avoid."""
    if not quality.pairs_repeated:
        return []
    return [
        f"{quality.pairs_repeated:,} of {quality.pairs_met:,} pairs of items meet more than once, at most "
        f"{quality.most_meetings} times: {quality.items:,} items are too few for {quality.tuples:,} tuples of "
        f"{quality.size} without it"
    ]


class Options(Strict):
    """The shape of the design."""

    size: Annotated[int, Field(ge=2)] = 4
    """Items in a tuple."""
    factor: Annotated[float, Field(gt=0)] = 2.0
    """Tuples per item: 2 makes twice as many tuples as items."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Factor × N tuples."""
    items = inputs.get("pairs", inputs.get("sentences", 0))
    count = round(options.factor * items)
    each = options.factor * options.size
    says = f"makes {options.factor:g} × {items:,} = {count:,} tuples of {options.size}"
    one = "pair" if "pairs" in inputs else "sentence"
    return Plan(f"{says}; every {one} stands in about {each:g}", {"tuples": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Design the tuples over the pairs, or over single sentences."""
    kind, frame = inputs.either("pairs", "sentences")
    ids = frame[tables.schema_named(kind).key[0]].to_numpy()
    count = round(options.factor * len(ids))
    where = f'step "{context.step.name}"'
    design = _design(len(ids), size=options.size, count=count, rng=context.rng, where=where)
    quality = design_quality(design, len(ids))
    for warning in quality_warnings(quality):
        context.note("design", warning)
    return {"tuples": tuple_table(ids, design)}


def tuple_table(ids: Any, design: IntArray) -> Frame:
    """The design as a table: one row per place in a tuple."""
    count, size = design.shape
    width = len(str(count))
    names = [f"tuple-{number:0{width}d}" for number in range(1, count + 1)]
    return pl.DataFrame(
        {
            "tuple": pl.Series(np.repeat(np.array(names, dtype=object), size), dtype=pl.String),
            "position": np.tile(np.arange(1, size + 1, dtype=np.int64), count),
            "item": pl.Series(ids[design.ravel()], dtype=pl.String),
        }
    )

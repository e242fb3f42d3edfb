"""Sentences or pairs from the user's own files: plain text, CSV, TSV, JSONL or Parquet, compressed or not."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some, unknown
from kostra.recipe import Strict
from kostra.sources.repeats import pair_findings
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Finding, Frame, Schema
from kostra.text import bare

READS: tuple[str, ...] = ()
WRITES = ("sentences", "pairs")

ALIASES: dict[str, dict[str, tuple[str, ...]]] = {
    "sentences": {"text": ("sentence", "Sentence", "Text")},
    "pairs": {
        "text_a": ("sentence1", "sentence_A", "sentence_a", "s1", "premise", "Sentence1", "text1"),
        "text_b": ("sentence2", "sentence_B", "sentence_b", "s2", "hypothesis", "Sentence2", "text2"),
        "pair": ("pair_ID", "PairID", "id", "ID", "pair_id"),
    },
}
"""Names under which other datasets keep our columns. One is used only where ours is absent, and that is said."""


ENDINGS = (".txt", *files.FORMATS)
"""Files that are taken from a folder, by their ending."""

ENORMOUS = 10_000
"""A sentence of more characters is reported: it is rather a whole document, or a file without line breaks."""

_BESIDE = " │ "
"""Between the sentences of a pair, where both are looked at as one text."""


class Options(Strict):
    """Which files."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns such as ``data/*.csv``, relative to the project's folder; may be compressed."""
    table: Literal["sentences", "pairs"] = "sentences"
    """What the files hold."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Our column to the file's column, where the names differ."""
    merge_near_duplicates: bool = False
    """Keep the first of several texts that differ only in white space and punctuation."""


@dataclass(frozen=True)
class Loaded:
    """A table from one file, and what was noticed on the way in."""

    frame: Frame
    findings: tuple[Finding, ...]


def read_table(
    path: str | Path,
    kind: Literal["sentences", "pairs"],
    *,
    language: str,
    columns: Mapping[str, str] | None = None,
    merge_near_duplicates: bool = False,
) -> Loaded:
    """Read a user's file of sentences or pairs into the house's table.

    Ids, source and language are filled in where the file has none; columns that kostra does not know are left out
    and named; near-duplicate texts are reported with their lines, and merged only on request.

    Parameters
    ----------
    path
        A .txt file (one sentence a line), or .csv, .tsv, .jsonl, .parquet; compressed if .gz or .zst follows.
    columns
        Our column to the file's column, where the names differ.
    """
    schema = tables.schema_named(kind)
    where = files.shown(path)
    cells, lines = _cells(path, kind)
    if not lines:
        raise KostraError("the file has no rows", where=where, accepted=f"{schema.name}, one a line")
    findings: list[Finding] = []
    named = _named(cells, schema, columns or {}, where=where, findings=findings)
    _fill(named, schema, lines, stem=files.stem(path), language=language)
    frame = tables.from_cells(named, schema, where=where, lines=lines)
    findings.extend(_enormous(frame, lines, where=where))
    frame = _near_duplicates(frame, kind, lines, where=where, merge=merge_near_duplicates, findings=findings)
    return Loaded(frame, tuple(findings))


def _cells(path: str | Path, kind: str) -> tuple[dict[str, list[Any]], list[int]]:
    ending = files.uncompressed(path).suffix.lower()
    if ending == ".txt" and kind == "sentences":
        numbered = files.numbered_lines(path)
        return {"text": [line for _, line in numbered]}, [n for n, _ in numbered]
    return tables.read_cells(path)


def _named(
    cells: Mapping[str, list[Any]],
    schema: Schema,
    columns: Mapping[str, str],
    *,
    where: str,
    findings: list[Finding],
) -> dict[str, list[Any]]:
    """Give the file's columns our names: as the user says, by our own name, or by a name others use."""
    known = [column.name for column in schema.columns]
    for ours, theirs in columns.items():
        if ours not in known:
            raise unknown(f"column of {schema.name}", ours, known, where=where)
        if theirs not in cells:
            raise unknown("column of the file", theirs, cells, where=where)
    chosen = dict(columns)
    taken = set(columns.values())
    for ours, aliases in ALIASES.get(schema.name, {}).items():
        alias = next((name for name in aliases if name in cells and name not in taken), None)
        if ours not in chosen and ours not in cells and alias is not None:
            chosen[ours] = alias
            taken.add(alias)
            findings.append(Finding("column", f'the column "{alias}" is read as {ours}', where))
    named = {ours: cells[theirs] for ours, theirs in chosen.items()}
    named |= {name: cells[name] for name in cells if name in known and name not in named and name not in taken}
    ignored = [name or '""' for name in cells if name not in taken and name not in known]
    if ignored:
        findings.append(
            Finding("column", f"columns that {schema.name} do not have are left out: {some(ignored)}", where)
        )
    replaced = [ours for ours, theirs in columns.items() if ours in cells and ours not in taken]
    if replaced:
        instead = some(f'"{columns[ours]}" is read as {ours}' for ours in replaced)
        said = f"columns are left out because another was named in their place: {some(replaced)} ({instead})"
        findings.append(Finding("column", said, where))
    for name in ("text",) if schema.name == "sentences" else ("text_a", "text_b"):
        if name not in named:
            raise KostraError(
                f'no column for "{name}"; found {some(cells, 12)}',
                where=f"{where}:1",
                accepted=f"{name}, or one of {', '.join(ALIASES[schema.name][name])}",
                remedy=f'say which it is: --column {name}=…, or in a recipe columns = {{ {name} = "…" }}',
            )
    return named


def _fill(named: dict[str, list[Any]], schema: Schema, lines: Sequence[int], *, stem: str, language: str) -> None:
    """Fill in what a user's file may leave to us: ids by line, the source, the language."""
    width = len(str(max(lines)))
    defaults: dict[str, list[Any]] = {
        schema.key[0]: [f"{stem}-{line:0{width}d}" for line in lines],
        "source": [stem] * len(lines),
        "language": [language] * len(lines),
    }
    known = {column.name for column in schema.columns}
    for name, values in defaults.items():
        if name in known and name not in named:
            named[name] = values


def _near_duplicates(
    frame: Frame, kind: str, lines: list[int], *, where: str, merge: bool, findings: list[Finding]
) -> Frame:
    """Report texts that repeat or nearly repeat an earlier one, and merge them on request."""
    if kind == "pairs":
        first, second = frame["text_a"].to_list(), frame["text_b"].to_list()
        findings.extend(pair_findings(first, second, lines, where=where))
        texts = [f"{a}{_BESIDE}{b}" for a, b in zip(first, second, strict=True)]
    else:
        texts = frame["text"].to_list()
        findings.extend(_repeated(texts, lines, where=where))
    findings.extend(tables.near_duplicate_findings(texts, lines, where=where, key=_bare_sides))
    if not merge:
        return frame
    kept: dict[str, int] = {}
    rows = [row for row, text in enumerate(texts) if kept.setdefault(_bare_sides(text), row) == row]
    if len(rows) < frame.height:
        gone = tuple(lines[row] for row in sorted(set(range(frame.height)) - set(rows)))
        findings.append(Finding("merged", f"{len(gone):,} rows merged into an earlier near-duplicate", where, gone))
    return frame[rows]


def _bare_sides(text: str) -> str:
    """Make each sentence of a pair bare by itself: a word that moves from one to the other makes another pair."""
    return _BESIDE.join(bare(side) for side in text.split(_BESIDE))


def _repeated(texts: list[str], lines: list[int], *, where: str) -> list[Finding]:
    first: dict[str, int] = {}
    again = tuple(lines[row] for row, text in enumerate(texts) if first.setdefault(text, row) != row)
    return [Finding("duplicates", f"{len(again):,} rows repeat an earlier text", where, again)] if again else []


def _enormous(frame: Frame, lines: Sequence[int], *, where: str) -> list[Finding]:
    texts = [column for column in ("text", "text_a", "text_b") if column in frame.columns]
    long = frame.select(pl.any_horizontal(pl.col(texts).str.len_chars() > ENORMOUS)).to_series()
    if not long.any():
        return []
    rows = tuple(line for line, is_long in zip(lines, long, strict=True) if is_long)
    said = f"{len(rows):,} text{'s have' if len(rows) > 1 else ' has'} more than {ENORMOUS:,} characters"
    return [Finding("enormous", said, where, rows)]


def find_paths(
    patterns: Sequence[str],
    *,
    folder: Path,
    endings: Sequence[str] = ENDINGS,
    left: list[Path] | None = None,
) -> list[Path]:
    """The files that the patterns name, in order; a pattern that names nothing is an error.

    A folder stands for the files in it and below it that have one of the `endings`, compressed or not; the others
    are added to `left`.
    """
    found: list[Path] = []
    for pattern in patterns:
        place = folder / pattern
        if place.is_dir():
            matches = _below(place, endings, [] if left is None else left)
        elif place.exists() or not any(mark in pattern for mark in "*?["):
            matches = [place]
        else:
            matches = _matches(pattern, folder)
        if not matches:
            what = f"with the ending {', '.join(endings)} stands in" if place.is_dir() else "matches"
            raise KostraError(f'no file {what} "{pattern}"', where=str(folder))
        found.extend(match for match in matches if match not in found)
    return found


def _below(folder: Path, endings: Sequence[str], left: list[Path]) -> list[Path]:
    every = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    seen = [path for path in every if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    taken = [path for path in seen if files.uncompressed(path).suffix.lower() in endings]
    left.extend(path for path in seen if path not in taken)
    return taken


def note_left(left: Sequence[Path], context: Context) -> None:
    """Say which files of a folder were not read."""
    if left:
        names = some(path.name for path in left)
        context.note("left_out", f"files of other kinds in the folder, left out: {len(left):,} ({names})")


def _matches(pattern: str, folder: Path) -> list[Path]:
    # Path.glob refuses a pattern that begins at the root of the disk.
    names = glob.glob(str(Path(glob.escape(str(folder))) / pattern), recursive=True)  # noqa: PTH207
    return sorted(Path(name) for name in names if not Path(name).is_dir())


def writes(options: Options) -> tuple[str, ...]:
    """The one kind of table that the options ask for."""
    return (options.table,)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    frame = _load(options, replace(context, findings=[]))  # what is found is told once, when it runs
    return Plan(f"reads {frame.height:,} {options.table} from {some(options.paths)}", {options.table: frame.height})


def watches(options: Options, context: Context) -> list[Path]:
    """The files read."""
    return find_paths(options.paths, folder=context.project)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    return {options.table: _load(options, context)}


def _load(options: Options, context: Context) -> Frame:
    """Read all the files of a step, one below the other, noting what was found in them."""
    frames = []
    left: list[Path] = []
    for path in find_paths(options.paths, folder=context.project, left=left):
        loaded = read_table(
            path,
            options.table,
            language=context.recipe.recipe.language,
            columns=options.columns,
            merge_near_duplicates=options.merge_near_duplicates,
        )
        context.findings.extend(loaded.findings)
        frames.append(loaded.frame)
    note_left(left, context)
    return tables.check(pl.concat(frames), tables.schema_named(options.table), where=some(options.paths))

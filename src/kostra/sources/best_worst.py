"""Best–worst answers from a file: the form of the NRC scripts, and its relatives.

One answer a row: the items of the tuple, the best and the worst of them (by value or by position), maybe who answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kostra import files, tables
from kostra.errors import KostraError, some, unknown
from kostra.tables import Finding
from kostra.text import bare

IntArray = NDArray[np.int64]

BEST = ("BestItem", "Best", "best", "best_item", "Answer.Best")
WORST = ("WorstItem", "Worst", "worst", "worst_item", "Answer.Worst")
_ITEM_COLUMN = re.compile(r"item[ _]?\d+", re.IGNORECASE)
ANNOTATOR = ("Annotator", "annotator", "AnnotatorID", "WorkerId", "Worker", "annotator_id")


@dataclass(frozen=True)
class BestWorstAnswers:
    """Answers as numbers: items are rows of `items`."""

    items: tuple[str, ...]
    tuples: IntArray
    """One row per answer: the items that were compared."""
    best: IntArray
    worst: IntArray
    annotators: tuple[str, ...] | None
    """Who answered, per answer, empty where the row does not say; None where the file does not say."""
    findings: tuple[Finding, ...]
    adaptive: bool = False
    """Whether a column ``block`` says that tuples were chosen by earlier answers: counting is then biased."""


@dataclass(frozen=True)
class _Columns:
    items: tuple[str, ...]
    best: str
    worst: str
    annotator: str | None


def read_best_worst(
    path: str | Path,
    *,
    items: Sequence[str] | None = None,
    best: str | None = None,
    worst: str | None = None,
    annotator: str | None = None,
    merge_near_duplicates: bool = False,
) -> BestWorstAnswers:
    """Read best–worst answers.

    Parameters
    ----------
    path
        A table (.csv, .tsv, .jsonl, .parquet) or ``-``.
    items, best, worst, annotator
        Column names, where they are not ``Item1, Item2, …``, ``BestItem``, ``WorstItem`` and ``Annotator``.
    merge_near_duplicates
        Treat items that differ only in white space and punctuation as one.

    Notes
    -----
    Best and worst are items by value, or positions from 1; a value that is one of the row's items is always read as
    that item. A row in the middle of the file that looks like a header is left out and reported; any other row that
    cannot be an answer is an error, since dropping it would lose data. Where some answers are read as items and others
    as positions, that is reported: numbers may have been taken for the wrong one.
    """
    where = files.shown(path)
    cells, lines = tables.read_cells(path)
    findings: list[Finding] = []
    columns = _find_columns(list(cells), items, best, worst, annotator, where=where, findings=findings)
    used = [name for name in (*columns.items, columns.best, columns.worst, columns.annotator) if name is not None]
    text = {name: tables.as_text(cells[name], where=where, lines=lines, column=name) for name in used}
    kept = _without_headers(text, columns, lines, where=where, findings=findings)
    if not kept:
        raise KostraError("the file has no answers", where=where, accepted=f"rows below {some(columns.items)}")
    rows = [[text[name][row] for name in columns.items] for row in kept]
    rows = _one_spelling(
        rows, [lines[row] for row in kept], merge=merge_near_duplicates, where=where, findings=findings
    )
    numbers: dict[str, int] = {}
    tuples = np.array([[numbers.setdefault(item, len(numbers)) for item in row] for row in rows], dtype=np.int64)
    chosen: dict[str, list[int]] = {columns.best: [], columns.worst: []}
    by_position: list[int] = []
    for row, shown in zip(kept, rows, strict=True):
        place = f"{where}:{lines[row]}"
        _check_items(shown, columns, place)
        picked = {name: _pick(text[name][row], shown, name, place, merge=merge_near_duplicates) for name in chosen}
        if picked[columns.best] == picked[columns.worst]:
            raise KostraError(
                f'"{columns.best}" and "{columns.worst}" are the same item', where=place, accepted="two different items"
            )
        for name, item in picked.items():
            chosen[name].append(numbers[item])
            if not _is_item(text[name][row], item, merge=merge_near_duplicates):
                by_position.append(lines[row])
    findings.extend(_mixed_answers(by_position, 2 * len(kept), where=where))
    findings.extend(_odd_annotators(text, columns, kept, tuples, lines, where=where))
    return BestWorstAnswers(
        items=tuple(numbers),
        tuples=tuples,
        best=np.array(chosen[columns.best], dtype=np.int64),
        worst=np.array(chosen[columns.worst], dtype=np.int64),
        annotators=tuple(text[columns.annotator][row].strip() for row in kept) if columns.annotator else None,
        findings=tuple(findings),
        adaptive="adaptive" in cells.get("block", ()),
    )


def _find_columns(
    names: list[str],
    items: Sequence[str] | None,
    best: str | None,
    worst: str | None,
    annotator: str | None,
    *,
    where: str,
    findings: list[Finding],
) -> _Columns:
    for said in (*(items or ()), best, worst, annotator):
        if said is not None and said not in names:
            raise unknown("column", said, names, where=f"{where}:1")
    found_best = best or _first(BEST, names)
    found_worst = worst or _first(WORST, names)
    if found_best is None or found_worst is None:
        lacking = "best" if found_best is None else "worst"
        raise KostraError(
            f"no column for the {lacking} item; found {some(names, 12)}",
            where=f"{where}:1",
            accepted="Item1, Item2, …, BestItem, WorstItem, and maybe Annotator",
            remedy=f"name it with --{lacking}",
        )
    found_annotator = annotator or _first(ANNOTATOR, names)
    if items is not None:
        chosen = tuple(items)
    else:
        chosen = tuple(name for name in names if _ITEM_COLUMN.fullmatch(name))
        if not chosen:
            chosen = tuple(name for name in names if name not in (found_best, found_worst, found_annotator))
            said_so = (
                f"the columns {some(chosen, 12)} are read as the items, {found_best} as best, {found_worst} as worst"
            )
            findings.append(Finding("columns", said_so, where))
    if len(chosen) < 2:
        raise KostraError(
            f"a tuple needs at least two item columns; found {some(chosen) or 'none'}",
            where=f"{where}:1",
            remedy="name them with --items Item1,Item2,…",
        )
    roles = [name for name in (*chosen, found_best, found_worst, found_annotator) if name is not None]
    twice = next((name for name in roles if roles.count(name) > 1), None)
    if twice is not None:
        raise KostraError(
            f'the column "{twice}" would be read as two things',
            where=f"{where}:1",
            accepted="a column each for every item, the best, the worst and the annotator",
            remedy="name them with --items, --best, --worst and --annotator",
        )
    return _Columns(chosen, found_best, found_worst, found_annotator)


def _first(wanted: Sequence[str], names: list[str]) -> str | None:
    return next((name for name in wanted if name in names), None)


def _without_headers(
    text: Mapping[str, list[str]], columns: _Columns, lines: Sequence[int], *, where: str, findings: list[Finding]
) -> list[int]:
    """Leave out rows that are a header, this file's or another's, and hold no answer."""
    kept: list[int] = []
    headers: list[int] = []
    names = {name.casefold() for name in text}
    for row in range(len(lines)):
        shown = [text[name][row] for name in columns.items]
        answers = (text[columns.best][row].strip(), text[columns.worst][row].strip())
        named = all(item.casefold() in names or _ITEM_COLUMN.fullmatch(item) for item in shown)
        # Items may really be called item1, item2, …: then their row has an answer, though maybe a wrong one.
        header = named and not any(
            not answer or answer in shown or answer.isdecimal() or _ITEM_COLUMN.fullmatch(answer) for answer in answers
        )
        (headers if header else kept).append(row)
    if headers:
        at = tuple(lines[row] for row in headers)
        one = "a row looks like a header, not like an answer, and is left out"
        several = f"{len(at):,} rows look like headers, not like answers, and are left out"
        findings.append(Finding("header", one if len(at) == 1 else several, where, at))
    return kept


def _one_spelling(
    rows: list[list[str]], lines: Sequence[int], *, merge: bool, where: str, findings: list[Finding]
) -> list[list[str]]:
    flat = [item for row in rows for item in row]
    flat_lines = [line for row, line in zip(rows, lines, strict=True) for _ in row]
    near = tables.near_duplicate_findings(flat, flat_lines, where=where)
    findings.extend(near)
    if not merge or not near:
        return rows
    first: dict[str, str] = {}
    for item in flat:
        first.setdefault(bare(item), item)
    merged = len(set(flat)) - len(first)
    findings.append(Finding("merged", f"{merged:,} strings merged into {len(first):,} items", where))
    return [[first[bare(item)] for item in row] for row in rows]


def _check_items(shown: Sequence[str], columns: _Columns, place: str) -> None:
    for name, item in zip(columns.items, shown, strict=True):
        if not item.strip():
            raise KostraError(f'column "{name}" is empty', where=place, accepted="an item")
    if len(set(shown)) < len(shown):
        twice = next(item for item in shown if shown.count(item) > 1)
        raise KostraError(
            f'the item "{_short(twice)}" stands twice in one tuple', where=place, accepted="different items"
        )


def _is_item(answer: str, item: str, *, merge: bool) -> bool:
    return answer == item or (merge and bare(answer) == bare(item))


def _pick(answer: str, shown: Sequence[str], column: str, place: str, *, merge: bool) -> str:
    """The item that an answer means: by value, or by position from 1."""
    same = [item for item in shown if _is_item(answer, item, merge=merge)]
    if same:
        return same[0]
    answer = answer.strip()
    if re.fullmatch(r"\d+(\.0)?", answer, re.ASCII) and 1 <= int(float(answer)) <= len(shown):
        return shown[int(float(answer)) - 1]
    raise KostraError(
        f'column "{column}": found "{_short(answer)}"' if answer else f'column "{column}" is empty',
        where=place,
        accepted=f"one of the row's items, or a position from 1 to {len(shown)}",
    )


def _mixed_answers(by_position: Sequence[int], answers: int, *, where: str) -> list[Finding]:
    """Report a file in which some answers are read by value and others by position."""
    if not 0 < len(by_position) < answers:
        return []
    said = (
        f"{answers - len(by_position):,} best and worst answers are read as items, because they are items of their "
        f"row, and {len(by_position):,} as positions; if all are positions, give the items names that are not numbers"
    )
    return [Finding("mixed_answers", said, where, tuple(dict.fromkeys(by_position)))]


def _odd_annotators(
    text: Mapping[str, list[str]],
    columns: _Columns,
    kept: Sequence[int],
    tuples: IntArray,
    lines: Sequence[int],
    *,
    where: str,
) -> list[Finding]:
    """Report answers without an annotator, and annotators who answered one tuple twice."""
    if columns.annotator is None:
        return []
    people = [text[columns.annotator][row].strip() for row in kept]
    nobody = tuple(lines[row] for row, who in zip(kept, people, strict=True) if not who)
    seen: set[tuple[str, tuple[int, ...]]] = set()
    again: list[int] = []
    for row, who, shown in zip(kept, people, np.sort(tuples, axis=1).tolist(), strict=True):
        if who and (who, tuple(shown)) in seen:
            again.append(lines[row])
        seen.add((who, tuple(shown)))
    findings = []
    if nobody:
        said = f'"{columns.annotator}" is empty in {len(nobody):,} of {len(kept):,} answers, which count nevertheless'
        findings.append(Finding("no_annotator", said, where, nobody))
    if again:
        said = f"{len(again):,} answers are to a tuple that the same annotator answered before; all of them count"
        findings.append(Finding("answered_again", said, where, tuple(again)))
    return findings


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"

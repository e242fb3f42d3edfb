"""Answers from a file: long (item, annotator, value), wide (a column per annotator), judgments, or a release.

Long and wide files are told apart by their columns, and what was guessed is reported. An empty cell is a missing
answer; so is NaN, which other programs write for one, and it is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import polars as pl

from kostra import files, registry, tables
from kostra.errors import KostraError, some, unknown
from kostra.ratings import Ratings, number_of, ratings_from, ratings_of
from kostra.sources.released import Released
from kostra.tables import JUDGMENTS, Finding, Frame

ITEM = ("item", "item_id", "pair", "pair_id", "pairid", "unit", "task", "id")
ANNOTATOR = ("annotator", "annotator_id", "annotatorid", "worker", "worker_id", "workerid", "rater", "coder")
VALUE = ("value", "rating", "label", "answer", "score", "judgment", "judgement")
"""Names by which columns are known, in order of preference and in any case."""

MOST_LABELS = 20
"""A column with more distinct texts than this is not guessed to be an annotator's labels."""


@dataclass(frozen=True)
class Read:
    """Answers to one question, and what was noticed on the way in."""

    ratings: Ratings
    question: str
    findings: tuple[Finding, ...]
    judgments: Frame | None = None
    """The whole judgments table, where the file is one."""


@dataclass(frozen=True)
class _Cells:
    """A file as text, and where its rows stand."""

    columns: dict[str, list[str]]
    lines: list[int]
    where: str
    findings: list[Finding]

    def at(self, row: int, column: str) -> str:
        return f'{self.where}:{self.lines[row]}: column "{column}"'

    def find(self, said: str | None, known: Sequence[str]) -> str | None:
        """The column that was named, or the first that is known."""
        if said is not None and said not in self.columns:
            raise unknown("column", said, self.columns, where=f"{self.where}:1")
        by_folded = {name.casefold(): name for name in self.columns}
        return said or next((by_folded[name] for name in known if name in by_folded), None)

    def note(self, kind: str, message: str, rows: Sequence[int] = ()) -> None:
        lines = tuple(dict.fromkeys(self.lines[row] for row in rows))
        self.findings.append(Finding(kind, message, self.where, lines))


@dataclass(frozen=True)
class _Answer:
    row: int
    column: str
    item: str
    annotator: str | None
    value: str


def read_ratings(
    path: str | Path,
    *,
    question: str | None = None,
    released: str | None = None,
    item: str | None = None,
    annotator: str | None = None,
    value: str | None = None,
    wide: Sequence[str] = (),
    phases: Sequence[str] = (),
    blocks: Sequence[str] = (),
    labels: bool = False,
) -> Read:
    r"""Read answers to one question.

    Parameters
    ----------
    path
        A table (.csv, .tsv, .jsonl, .parquet) or ``-``.
    question
        Which question, where the file has answers to several.
    released
        Read the file as the release of a known dataset, such as czech_news_sts.
    item, annotator, value
        Names of the columns of a long file (`item` also of a wide one), where they are not the usual ones. Without
        an annotator column the answers are anonymous.
    wide
        The columns of a wide file, one per annotator. By default, where there is no value column, all columns beside
        the item's that hold numbers, or else few distinct labels.
    phases, blocks
        Only these, of a judgments table.
    labels
        Whether text among numbers is meant. Otherwise a few texts in a column of numbers are an error: they would
        turn a scale into labels.

    Raises
    ------
    KostraError
        With file, line and column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wide.csv"
    ...     _ = file.write_text("item,ann,bob\np,1,2\nq,,4\n")
    ...     found = read_ratings(file)
    >>> found.ratings.annotators, found.ratings.values.tolist()
    (('ann', 'bob'), [1.0, 2.0, 4.0])
    """
    if released is not None:
        return _released(path, released, question, phases, blocks)
    given, lines = tables.read_cells(path)
    where = files.shown(path)
    if not lines:
        raise KostraError("the file has no answers", where=where, accepted="a header line and at least one row")
    if not (item or annotator or value or wide) and _is_judgments(given):
        frame = tables.from_cells(given, JUDGMENTS, where=where, lines=lines)
        return _of_judgments(frame, question, phases, blocks, where=where, findings=())
    if phases or blocks:
        raise KostraError("phases and blocks can be chosen from a table of judgments only", where=where)
    cells = _Cells(_as_text(given, lines, where), lines, where, [])
    value_column = None if wide else cells.find(value, VALUE)
    if value_column is None:
        if question is not None:
            raise KostraError(
                "a wide file holds answers to one question only", where=where, remedy="leave --question out"
            )
        answers = _wide(cells, item, annotator, wide)
    else:
        answers = _long(cells, question, item, annotator, value_column)
    if not labels:
        _refuse_strays(answers, cells)
    return Read(_ratings(answers, cells), question or value_column or "value", tuple(cells.findings))


# ---- judgments


def _is_judgments(columns: Mapping[str, object]) -> bool:
    return {"judgment", "item", "question", "status", "value", "phase", "block"} <= set(columns)


def _released(path: str | Path, form: str, question: str | None, phases: Sequence[str], blocks: Sequence[str]) -> Read:
    found = cast(Released, registry.load("sources/released", form).read(path))
    where = files.shown(path)
    if "judgments" not in found.tables:
        raise KostraError(
            f'the release of "{form}" holds no single answers; it holds {some(found.tables)}',
            where=where,
            remedy="agreement needs what each annotator said, not the scores made of it",
        )
    return _of_judgments(found.tables["judgments"], question, phases, blocks, where=where, findings=found.findings)


def _of_judgments(
    judgments: Frame,
    question: str | None,
    phases: Sequence[str],
    blocks: Sequence[str],
    *,
    where: str,
    findings: Sequence[Finding],
) -> Read:
    answered = judgments.filter(pl.col("status") == "answered")
    known = answered["question"].unique(maintain_order=True).to_list()
    if question is None and len(known) != 1:
        raise KostraError(
            f"the judgments answer {len(known)} questions", where=where, accepted=f"one of {some(known, 12)}",
            remedy="say which with question (--question)",
        )  # fmt: skip
    asked = question or known[0]
    ratings = ratings_of(judgments, asked, phases=phases, blocks=blocks)
    return Read(ratings, asked, (*findings, *_left_out(judgments, asked, blocks, where=where)), judgments)


def _left_out(judgments: Frame, question: str, blocks: Sequence[str], *, where: str) -> list[Finding]:
    """Count what does not take part: answers of another status, and repeats."""
    asked = judgments.filter(pl.col("question") == question)
    statuses = asked.filter(pl.col("status") != "answered")["status"].value_counts(sort=True).rows()
    found = [Finding("left_out", f"{count:,} judgments are {status}", where) for status, count in statuses]
    repeats = asked.filter((pl.col("block") == "repeat") & (pl.col("status") == "answered")).height
    if repeats and not blocks:
        message = f"{repeats:,} answers of repeat blocks count as repeats only, not as another annotator's"
        found.append(Finding("repeats", message, where))
    return found


# ---- long and wide files


def _as_text(columns: Mapping[str, Sequence[Any]], lines: Sequence[int], where: str) -> dict[str, list[str]]:
    text: dict[str, list[str]] = {}
    for name, column in columns.items():
        strange = next((row for row, cell in enumerate(column) if isinstance(cell, (list, dict))), None)
        if strange is not None:
            place = f'{where}:{lines[strange]}: column "{name}"'
            raise KostraError("found a list or an object", where=place, accepted="a number or a text")
        text[name] = ["" if cell is None else str(cell).strip() for cell in column]
    return text


def _long(cells: _Cells, question: str | None, item: str | None, annotator: str | None, value: str) -> list[_Answer]:
    item_column, annotator_column = cells.find(item, ITEM), cells.find(annotator, ANNOTATOR)
    if item_column is None:
        raise _no_item(cells)
    items, values = cells.columns[item_column], cells.columns[value]
    rows = _asked(cells, question)
    people = _people(cells, annotator_column, rows)
    missing: list[tuple[int, str]] = []
    answers = []
    for row in rows:
        if not items[row]:
            raise KostraError("found nothing", where=cells.at(row, item_column), accepted="an item")
        if _is_missing(values[row]):
            missing.append((row, values[row]))
        else:
            answers.append(_Answer(row, value, items[row], people[row] if people else None, values[row]))
    _note_missing(cells, missing)
    return answers


def _asked(cells: _Cells, question: str | None) -> list[int]:
    """The rows that answer the question, where the file has a column of questions."""
    column = cells.find(None, ("question",))
    if column is None:
        return list(range(len(cells.lines)))
    known = list(dict.fromkeys(cells.columns[column]))
    if question is None and len(known) > 1:
        raise KostraError(
            f"the file answers {len(known)} questions", where=cells.where, accepted=f"one of {some(known, 12)}",
            remedy="say which with question (--question)",
        )  # fmt: skip
    if question is not None and question not in known:
        raise unknown("question", question, known, where=cells.where)
    return [row for row, asked in enumerate(cells.columns[column]) if question in (None, asked)]


def _people(cells: _Cells, column: str | None, rows: Sequence[int]) -> list[str] | None:
    """Who answered, per row; None where the file does not say."""
    if column is None:
        cells.note("anonymous", "no column says who answered: the answers are anonymous")
        return None
    people = cells.columns[column]
    empty = [row for row in rows if not people[row]]
    if len(empty) == len(rows):
        cells.note("anonymous", f'the column "{column}" is empty: the answers are anonymous')
        return None
    if empty:
        raise KostraError(
            f"found nothing; likewise on {len(empty) - 1:,} more lines" if len(empty) > 1 else "found nothing",
            where=cells.at(empty[0], column),
            accepted="an annotator in each row, or in none",
        )
    return people


def _wide(cells: _Cells, item: str | None, annotator: str | None, wide: Sequence[str]) -> list[_Answer]:
    for said in (*wide, *([annotator] if annotator else ())):
        if said not in cells.columns:
            raise unknown("column", said, cells.columns, where=f"{cells.where}:1")
    if annotator is not None:
        raise KostraError(
            f"there is a column of annotators and none of values; found {some(cells.columns, 12)}",
            where=f"{cells.where}:1",
            accepted=f"{', '.join(VALUE)}",
            remedy="name it with value (--value)",
        )
    item_column = cells.find(item, [name for name in ITEM if name not in wide])
    if item_column is None and not wide:
        raise _no_item(cells)
    columns = list(wide) or _guess_wide(cells, str(item_column))
    names = cells.columns[item_column] if item_column else [f"line {line}" for line in cells.lines]
    if item_column is None:
        cells.note("columns", "no column names the items: they are called after their lines")
    missing: list[tuple[int, str]] = []
    answers = []
    for row, name in enumerate(names):
        if not name:
            raise KostraError("found nothing", where=cells.at(row, str(item_column)), accepted="an item")
        for column in columns:
            cell = cells.columns[column][row]
            if _is_missing(cell):
                missing.append((row, cell))
            else:
                answers.append(_Answer(row, column, name, column, cell))
    _note_missing(cells, missing)
    return answers


def _guess_wide(cells: _Cells, item: str) -> list[str]:
    """The columns that look like annotators: those of numbers, or else those of few labels."""
    others = [name for name in cells.columns if name != item]
    given = {name: {cell for cell in cells.columns[name] if not _is_missing(cell)} for name in others}
    chosen = [name for name in others if given[name] and all(number_of(cell) is not None for cell in given[name])]
    if len(chosen) < 2:
        chosen = [name for name in others if 0 < len(given[name]) <= MOST_LABELS]
    if len(chosen) < 2:
        raise KostraError(
            f"no column of values, and no two columns that look like annotators; found {some(cells.columns, 12)}",
            where=f"{cells.where}:1",
            accepted="item, annotator, value; or an item column and one column per annotator",
            remedy="name the column with value (--value), or the annotators' columns with wide (--wide)",
        )
    left = [name for name in others if name not in chosen]
    unused = f"; {some(left, 12)} not used" if left else ""
    cells.note("columns", f'read as wide: "{item}" is the item, {some(chosen, 12)} are the annotators{unused}')
    return chosen


def _no_item(cells: _Cells) -> KostraError:
    return KostraError(
        f"no column names the item; found {some(cells.columns, 12)}",
        where=f"{cells.where}:1",
        accepted=", ".join(ITEM),
        remedy="name it with item (--item)",
    )


def _is_missing(cell: str) -> bool:
    return cell in ("", "nan", "NaN")


def _note_missing(cells: _Cells, missing: Sequence[tuple[int, str]]) -> None:
    """Count what is missing, the empty and NaN apart."""
    for said, rows in (
        ("empty", [row for row, cell in missing if not cell]),
        ("NaN", [row for row, cell in missing if cell]),
    ):
        if rows:
            count = f"{len(rows):,} answers are" if len(rows) > 1 else "1 answer is"
            cells.note("missing", f"{count} {said} and taken as missing", rows)


def _refuse_strays(answers: Sequence[_Answer], cells: _Cells) -> None:
    """Refuse a few texts among numbers: a slip of the pen must not turn a scale into labels."""
    strays = [answer for answer in answers if number_of(answer.value) is None]
    if strays and 2 * len(strays) < len(answers):
        first = strays[0]
        others = f"; likewise on lines {some([cells.lines[a.row] for a in strays[1:]], 8)}" if len(strays) > 1 else ""
        raise KostraError(
            f'found "{first.value}" among numbers{others}',
            where=cells.at(first.row, first.column),
            accepted="a number, or nothing for a missing answer",
            remedy="mend the cell; if the answers are labels, ask for the nominal level",
        )


def _ratings(answers: Sequence[_Answer], cells: _Cells) -> Ratings:
    people = [answer.annotator for answer in answers]
    named = [name for name in people if name is not None]
    try:
        return ratings_from(
            [answer.item for answer in answers],
            [answer.value for answer in answers],
            named if len(named) == len(people) else None,
        )
    except KostraError as error:
        raise KostraError(error.what, where=cells.where, accepted=error.accepted, remedy=error.remedy) from None

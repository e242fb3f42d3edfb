"""COSTRA 1.1 as released (``costra11.tsv``): Czech rewrites of seed sentences, and comparisons between them.

Tab-separated, without header and without quoting; nine columns: id, seed number, transformation, sentence, the same
sentence tokenized, then four lists of ids, separated by commas: *more*, *less*, *too similar*, *too dissimilar*.

Sentences. A seed and its rewrites share the seed number (``group``). ``label`` is the transformation, ``seed`` for a
seed; ``change`` is the transformation of a rewrite and ``origin`` its seed. The tokenized column is not kept. The
release does not tell the rewrites of COSTRA 1.0 from those that 1.1 added to six transformations.

Comparisons. People compared two sentences of one seed and one transformation, or a rewrite with its seed, by the
transformation's own measure (which is more formal, more general, more in the past, …). Only options that won the
majority were released, without names and votes. Every comparison stands in the file twice, once from either side;
here it stands once, as the item ``12>345``: sentence 12, which comes first in the file, compared with sentence 345.
The value is the list of 12 on which 345 stands: ``more``, ``less``, ``too_similar`` or ``too_dissimilar``. The
pair of the same id holds the two sentences, and its ``subset`` is the transformation whose measure was used.

What ``more`` means. The authors' note beside the data says that the list *more* holds sentences which are more
formal, … than the row's own. The data say the reverse: every rewrite that was told apart from its seed has the seed
on its list *more* if it is a formal, nonstandard or general sentence or one in the past or future. So read ``12>345``
with ``more`` as: 12 is more formal, … than 345. Opposite meaning alone runs the other way: there ``more`` means that
12 is closer to the seed. A finding counts both; nothing is turned round.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kostra import files
from kostra.errors import KostraError, unknown
from kostra.sources.released import Released
from kostra.tables import JUDGMENTS, PAIRS, SENTENCES, Finding, Frame, check, near_duplicate_findings
from kostra.text import bare

CITATION = (
    "Petra Barančíková and Ondřej Bojar. 2020. Costra 1.1: An Inquiry into Geometric Properties of Sentence Spaces. "
    "In Text, Speech, and Dialogue (TSD 2020), Lecture Notes in Computer Science 12284, pages 135–143. Springer. "
    "https://doi.org/10.1007/978-3-030-58323-1_14"
)
LOW, HIGH = 0.0, 1.0
"""Rewrites and comparisons have no score, so the range is only a placeholder."""
SEED = "seed"
TRANSFORMATIONS = (
    "ban",
    "different meaning",
    "formal sentence",
    "future",
    "generalization",
    "minimal change",
    "nonsense",
    "nonstandard sentence",
    "opposite meaning",
    "paraphrase",
    "past",
    "possibility",
    "simple sentence",
)
VALUES = ("more", "less", "too_similar", "too_dissimilar")

_COLUMNS = ("id", "seed number", "transformation", "sentence", "tokenized", *VALUES)
_CONVERSE = {"more": "less", "less": "more", "too_similar": "too_similar", "too_dissimilar": "too_dissimilar"}
_WHOLE = re.compile(r"\d+", re.ASCII)


@dataclass(frozen=True)
class _Row:
    line: int
    sentence: str
    group: str
    transformation: str
    text: str
    tokenized: str
    listed: tuple[tuple[str, str], ...]
    """Each value with the id of the sentence on that list."""


@dataclass(frozen=True)
class _Comparison:
    first: _Row
    second: _Row
    value: str

    @property
    def item(self) -> str:
        return f"{self.first.sentence}>{self.second.sentence}"

    @property
    def measure(self) -> str | None:
        """The transformation by whose measure the two were compared; None if they have none in common."""
        kinds = {self.first.transformation, self.second.transformation} - {SEED}
        return kinds.pop() if len(kinds) == 1 else None


def read(path: str | Path) -> Released:
    r"""Read the released file into sentences, the pairs that were compared, and judgments.

    Raises
    ------
    KostraError
        With file and line, if a row has not nine columns, an id is not a number or stands twice, a transformation
        is unknown or a sentence is blank.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "costra.tsv"
    ...     _ = file.write_text(
    ...         "0\t1\tseed\tPes štěká.\tPes štěká .\t\t1\t\t\n1\t1\tpast\tPes štěkal.\tPes štěkal .\t0\t\t\t\n",
    ...         encoding="utf-8",
    ...     )
    ...     released = read(file)
    >>> released.tables["sentences"].select("sentence", "text", "group", "origin", "change").rows()
    [('0', 'Pes štěká.', '1', None, None), ('1', 'Pes štěkal.', '1', '0', 'past')]
    >>> released.tables["judgments"].select("item", "value").rows()
    [('0>1', 'less')]
    """
    where = files.shown(path)
    rows = _rows(path)
    comparisons = _comparisons(rows)
    return Released(
        name="costra",
        citation=CITATION,
        language="cs",
        low=LOW,
        high=HIGH,
        tables={
            "sentences": check(_sentences(rows), SENTENCES, where=where),
            "pairs": check(_pairs(comparisons), PAIRS, where=where),
            "judgments": check(_judgments(comparisons), JUDGMENTS, where=where),
        },
        findings=(
            *_seed_findings(rows, where=where),
            *_text_findings(rows, where=where),
            *_listing_findings(rows, where=where),
            *_comparison_findings(comparisons, where=where),
        ),
    )


# Reading -----------------------------------------------------------------------------------------------


def _rows(path: str | Path) -> list[_Row]:
    records = files.read_records(path, kind="tsv", header=False)
    if len(records.header) != len(_COLUMNS):
        raise KostraError(
            f"found {len(records.header)} column{'s' if len(records.header) != 1 else ''}",
            where=records.at(0),
            accepted=f"{len(_COLUMNS)}, separated by tabs: {', '.join(_COLUMNS)}",
        )
    rows = [
        _row(cells, line, where=f"{records.where}:{line}")
        for cells, line in zip(records.rows, records.lines, strict=True)
    ]
    first_line: dict[str, int] = {}
    for row in rows:
        if row.sentence in first_line:
            raise KostraError(
                f"the id {row.sentence} stands on line {first_line[row.sentence]} already",
                where=f"{records.where}:{row.line}",
                accepted="each id once",
            )
        first_line[row.sentence] = row.line
    return rows


def _row(cells: Sequence[str], line: int, *, where: str) -> _Row:
    sentence, group, transformation, text, tokenized, *lists = cells
    for column, cell in (("id", sentence), ("seed number", group)):
        if not _WHOLE.fullmatch(cell):
            found = f'found "{cell}"' if cell else "found nothing"
            raise KostraError(found, where=f'{where}: column "{column}"', accepted="a whole number, such as 12")
    if transformation not in (SEED, *TRANSFORMATIONS):
        raise unknown("transformation", transformation, (SEED, *TRANSFORMATIONS), where=where)
    if not text.strip():
        raise KostraError("found nothing", where=f'{where}: column "sentence"', accepted="a sentence")
    listed = tuple(
        (value, other)
        for value, cell in zip(VALUES, lists, strict=True)
        for other in _ids(cell, where=f'{where}: column "{value}"')
    )
    return _Row(line, sentence, group, transformation, text, tokenized, listed)


def _ids(cell: str, *, where: str) -> list[str]:
    if not cell:
        return []
    ids = cell.split(",")
    if len(set(ids)) < len(ids) or not all(_WHOLE.fullmatch(one) for one in ids):
        raise KostraError(
            f'found "{cell}"', where=where, accepted="ids separated by commas, each once, such as 12,345; or nothing"
        )
    return ids


def _comparisons(rows: Sequence[_Row]) -> list[_Comparison]:
    """Each comparison once, from the side of the sentence that stands first in the file."""
    by_id = {row.sentence: row for row in rows}
    found: dict[tuple[str, str], _Comparison] = {}
    for row in rows:
        for value, other in row.listed:
            if other not in by_id:
                continue  # counted by `_listing_findings`
            if row.line <= by_id[other].line:
                one = _Comparison(row, by_id[other], value)
            else:
                one = _Comparison(by_id[other], row, _CONVERSE[value])
            found.setdefault((one.item, one.value), one)
    return list(found.values())


# Tables ------------------------------------------------------------------------------------------------


def _sentences(rows: Sequence[_Row]) -> Frame:
    seeds = _seeds(rows)
    rewrites = [row.transformation != SEED for row in rows]
    return pl.DataFrame(
        {
            "sentence": [row.sentence for row in rows],
            "text": [row.text for row in rows],
            "source": ["costra"] * len(rows),
            "language": ["cs"] * len(rows),
            "group": [row.group for row in rows],
            "label": [row.transformation for row in rows],
            "origin": [seeds.get(row.group) if rewrite else None for row, rewrite in zip(rows, rewrites, strict=True)],
            "change": [row.transformation if rewrite else None for row, rewrite in zip(rows, rewrites, strict=True)],
        }
    )


def _seeds(rows: Sequence[_Row]) -> dict[str, str]:
    """The seed's id by seed number, where there is exactly one."""
    count = Counter(row.group for row in rows if row.transformation == SEED)
    return {row.group: row.sentence for row in rows if row.transformation == SEED and count[row.group] == 1}


def _pairs(comparisons: Sequence[_Comparison]) -> Frame:
    once = list({comparison.item: comparison for comparison in comparisons}.values())
    return pl.DataFrame(
        {
            "pair": [one.item for one in once],
            "text_a": [one.first.text for one in once],
            "text_b": [one.second.text for one in once],
            "sentence_a": [one.first.sentence for one in once],
            "sentence_b": [one.second.sentence for one in once],
            "source": ["costra"] * len(once),
            "subset": [one.measure for one in once],
        }
    )


def _judgments(comparisons: Sequence[_Comparison]) -> Frame:
    count = len(comparisons)
    return pl.DataFrame(
        {
            "judgment": [f"{one.item}:{one.value}" for one in comparisons],
            "item": [one.item for one in comparisons],
            "version": [1] * count,
            "question": ["comparison"] * count,
            "value": [one.value for one in comparisons],
            "status": ["answered"] * count,
            "phase": ["comparison"] * count,
            "block": ["main"] * count,
        }
    )


# Findings ----------------------------------------------------------------------------------------------


def _found(kind: str, message: str, lines: Sequence[int], *, where: str) -> list[Finding]:
    """A finding, if there is a line to report; ``{n}`` in the message is the number of lines."""
    return [Finding(kind, message.format(n=f"{len(lines):,}"), where, tuple(lines))] if lines else []


def _seed_findings(rows: Sequence[_Row], *, where: str) -> list[Finding]:
    seeds = _seeds(rows)
    findings = _found(
        "no_seed",
        "rows whose seed number has no seed, or more than one, so that their origin is empty: {n}",
        [row.line for row in rows if row.group not in seeds],
        where=where,
    )
    numbers = {int(row.group) for row in rows}
    absent = sorted(set(range(min(numbers), max(numbers) + 1)) - numbers)
    if absent:
        message = f"seed numbers run from {min(numbers)} to {max(numbers)}; absent: {len(absent):,}"
        findings.append(Finding("absent_seeds", message, where))
    return findings


def _text_findings(rows: Sequence[_Row], *, where: str) -> list[Finding]:
    lines_of: dict[str, list[int]] = {}
    for row in rows:
        lines_of.setdefault(row.text, []).append(row.line)
    twice = [lines for lines in lines_of.values() if len(lines) > 1]
    return [
        *_found(
            "duplicates",
            f"sentences that stand more than once: {len(twice):,}, on {{n}} rows",
            [line for lines in twice for line in lines],
            where=where,
        ),
        *near_duplicate_findings([row.text for row in rows], [row.line for row in rows], where=where),
        *_found(
            "white_space",
            "sentences with white space at an end, twice in a row or other than plain spaces: {n}",
            [row.line for row in rows if row.text != " ".join(row.text.split())],
            where=where,
        ),
        *_found(
            "tokenized_differs",
            "rows whose tokenized sentence is another one: {n}",
            [row.line for row in rows if bare(row.text) != bare(row.tokenized)],
            where=where,
        ),
    ]


def _listing_findings(rows: Sequence[_Row], *, where: str) -> list[Finding]:
    stands = {(row.sentence, value, other) for row in rows for value, other in row.listed}
    known = {row.sentence for row in rows}
    listed = [(row, value, other) for row in rows for value, other in row.listed]
    return [
        *_found(
            "dangling",
            "listed ids that point nowhere, whose comparisons are left out: {n}",
            [row.line for row, _, other in listed if other not in known],
            where=where,
        ),
        *_found(
            "one_sided",
            "listed ids whose own row does not say the converse: {n}",
            [
                row.line
                for row, value, other in listed
                if other in known and (other, _CONVERSE[value], row.sentence) not in stands
            ],
            where=where,
        ),
    ]


def _comparison_findings(comparisons: Sequence[_Comparison], *, where: str) -> list[Finding]:
    if not comparisons:
        return []
    values = Counter(one.item for one in comparisons)
    votes = "comparisons are majority votes: who answered, and how often, was not released"
    return [
        Finding("anonymous", votes, where),
        *_direction_findings(comparisons, where=where),
        *_found(
            "self_comparison",
            "sentences compared with themselves: {n}",
            sorted({one.first.line for one in comparisons if one.first == one.second}),
            where=where,
        ),
        *_found(
            "contradictory",
            "comparisons with more than one value: {n}",
            list({one.item: one.first.line for one in comparisons if values[one.item] > 1}.values()),
            where=where,
        ),
        *_found(
            "crossed",
            "comparisons across seeds or transformations: {n}",
            [one.first.line for one in comparisons if one.measure is None or one.first.group != one.second.group],
            where=where,
        ),
    ]


def _direction_findings(comparisons: Sequence[_Comparison], *, where: str) -> list[Finding]:
    """Say, by the comparisons of rewrites with their seeds, which way the lists *more* and *less* run."""
    sides: dict[str, Counter[str]] = {"more": Counter(), "less": Counter()}
    for one in comparisons:
        kinds = one.first.transformation, one.second.transformation
        if one.value in sides and one.measure is not None and SEED in kinds:
            of_rewrite = one.value if kinds[1] == SEED else _CONVERSE[one.value]
            sides[of_rewrite][one.measure] += 1
    runs = {
        "more": '"more" holds what the sentence of the row exceeds',
        "less": '"more" holds what exceeds the sentence of the row',
    }
    said = [
        f'{sum(count.values()):,} rewrites ({", ".join(sorted(count))}) have their seed under "{side}", so {runs[side]}'
        for side, count in sides.items()
        if count
    ]
    return [Finding("direction", "; ".join(said), where)] if said else []

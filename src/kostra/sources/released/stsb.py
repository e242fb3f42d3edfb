"""STS Benchmark as released (``sts-train.csv`` and its sisters), in GLUE's form, or as a plain CSV.

The authors' files are tab-separated whatever their ending, without header and without quoting: genre, file, year,
number, score (0 to 5), first and second sentence, and in some rows where these come from. GLUE's have a header and the
score last; its test file has none. A plain CSV names its columns ``sentence1``, ``sentence2`` and ``score``.

Pairs are called after their line: the released numbers repeat across files and years.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kostra import files
from kostra.errors import KostraError
from kostra.sources.released import Released
from kostra.sources.repeats import pair_findings
from kostra.tables import PAIRS, SCORES, Finding, Frame, check, range_findings

CITATION = (
    "Daniel Cer, Mona Diab, Eneko Agirre, Iñigo Lopez-Gazpio and Lucia Specia. 2017. SemEval-2017 Task 1: Semantic "
    "Textual Similarity Multilingual and Crosslingual Focused Evaluation. In Proceedings of SemEval-2017, pages 1–14. "
    "https://aclanthology.org/S17-2001/"
)
LOW, HIGH = 0.0, 5.0
_OWN = ("genre", "filename", "year", "number", "score", "sentence1", "sentence2")


@dataclass(frozen=True)
class _Row:
    line: int
    cells: dict[str, str]
    score: float | None


def read(path: str | Path) -> Released:
    r"""Read a released file into pairs and scores.

    Raises
    ------
    KostraError
        With file and line, where a row has too few columns, a sentence is empty or a score is no number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "sts-dev.csv"
    ...     _ = file.write_text("main-captions\town\t2026\t0001\t3.500\tA dog barks.\tA dog is loud.\n")
    ...     released = read(file)
    >>> released.tables["pairs"].select("pair", "text_a", "text_b", "source", "subset").row(0)
    ('line-0001', 'A dog barks.', 'A dog is loud.', 'main-captions', 'own 2026')
    >>> released.tables["scores"]["score"].to_list()
    [3.5]
    """
    where = files.shown(path)
    rows = _rows(files.read_text(path), where=where)
    first, second = [row.cells["sentence1"] for row in rows], [row.cells["sentence2"] for row in rows]
    lines = [row.line for row in rows]
    made = {"pairs": check(_pairs(rows, first, second), PAIRS, where=where)}
    findings = [
        *range_findings([row.score for row in rows], lines, low=LOW, high=HIGH, where=where, column="score"),
        *pair_findings(first, second, lines, where=where),
    ]
    scored = [row for row in rows if row.score is not None]
    if scored:
        made["scores"] = check(_scores(scored), SCORES, where=where)
    if len(scored) < len(rows):
        without = tuple(row.line for row in rows if row.score is None)
        findings.append(Finding("no_score", f"pairs without a score: {len(without):,}", where, without))
    return Released(
        name="stsb", citation=CITATION, language="en", low=LOW, high=HIGH, tables=made, findings=tuple(findings)
    )


def _rows(text: str, *, where: str) -> list[_Row]:
    start = text.partition("\n")[0]
    if "\t" not in start:
        records = files.parse_records(text, where=where, kind="csv")
        names, given = records.header, list(zip(records.lines, records.rows, strict=True))
    else:
        given = [(n, line.rstrip("\r").split("\t")) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        names = tuple(given.pop(0)[1]) if "sentence1" in start.split("\t") else _OWN
    missing = [name for name in ("sentence1", "sentence2") if name not in names]
    if missing:
        raise KostraError(f'no column "{missing[0]}"; found {", ".join(names)}', where=f"{where}:1")
    if not given:
        raise KostraError("there is no row", where=where, accepted="at least one pair")
    return [_row(names, cells, line, where=f"{where}:{line}") for line, cells in given]


def _row(names: Sequence[str], cells: Sequence[str], line: int, *, where: str) -> _Row:
    if len(cells) < len(names):
        raise KostraError(
            f"found {len(cells)} columns", where=where, accepted=f"{len(names)}, separated by tabs: {', '.join(names)}"
        )
    named = dict(zip(names, cells, strict=False))  # some rows go on with their sources
    for name in ("sentence1", "sentence2"):
        if not named[name].strip():
            raise KostraError("found nothing", where=f'{where}: column "{name}"', accepted="a sentence")
    said = named.get("score", "").strip()
    try:
        score = float(said) if said else None
    except ValueError:
        raise KostraError(
            f'found "{said}"', where=f'{where}: column "score"', accepted="a number from 0 to 5"
        ) from None
    return _Row(line, named, score)


def _pairs(rows: Sequence[_Row], first: list[str], second: list[str]) -> Frame:
    return pl.DataFrame(
        {
            "pair": [f"line-{row.line:04d}" for row in rows],
            "text_a": first,
            "text_b": second,
            "source": [row.cells.get("genre") or "stsb" for row in rows],
            "subset": [f"{row.cells.get('filename', '')} {row.cells.get('year', '')}".strip() or None for row in rows],
        },
        schema_overrides={"subset": pl.String},
    )


def _scores(rows: Sequence[_Row]) -> Frame:
    return pl.DataFrame(
        {
            "item": [f"line-{row.line:04d}" for row in rows],
            "question": ["similarity"] * len(rows),
            "score": [row.score for row in rows],
            "appearances": [0] * len(rows),  # not released
        }
    )

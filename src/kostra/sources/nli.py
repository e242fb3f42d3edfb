"""Sentences or pairs of natural language inference, as SNLI and its relatives release them.

``take = "premises"`` gives each premise once, for pairing premise with premise (STR-2021); ``"sentences"`` gives
premises and hypotheses, a hypothesis under the `group` of its premise; ``"pairs"`` gives pairs, and their gold labels
as scores of the question ``entailment``. A pair without a gold label (``-``) is kept, counted, and has no score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict
from kostra.sources.cells import Cells, read_all, read_cells
from kostra.sources.cells import watches as watches
from kostra.steps import Context, Inputs, Plan
from kostra.tables import PAIRS, SCORES, SENTENCES, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("sentences", "pairs", "scores")

PREMISE = ("sentence1", "premise", "text_a")
HYPOTHESIS = ("sentence2", "hypothesis", "text_b")
LABEL = ("gold_label", "label", "entailment_label", "entailment_judgment")
PAIR = ("pairID", "pair_ID", "pair", "id", "uid")
CAPTION = ("captionID", "promptID", "group")
LABELS = ("entailment", "neutral", "contradiction")
NO_GOLD = "-"

Take = Literal["premises", "sentences", "pairs"]


class Options(Strict):
    """Which files, and what is taken from them."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns, relative to the project's folder; may be compressed."""
    take: Take = "premises"
    """The premises, all sentences, or the pairs with their labels."""
    question: Name = "entailment"
    """The question under which the labels of pairs stand."""
    columns: dict[str, str] = Field(default_factory=dict)
    """premise, hypothesis, label, pair or group to the file's column, where the names differ."""


def read_nli(
    path: str | Path,
    *,
    language: str,
    take: Take = "premises",
    question: str = "entailment",
    columns: Mapping[str, str] | None = None,
) -> tuple[dict[str, Frame], list[Finding]]:
    r"""Read one file of inference pairs.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "snli.jsonl"
    ...     _ = file.write_text(
    ...         '{"gold_label": "-", "sentence1": "A dog runs.", "sentence2": "It rains.", "pairID": "1r1n"}\n'
    ...         '{"gold_label": "entailment", "sentence1": "A dog runs.", "sentence2": "It moves.", "pairID": "1r1e"}\n'
    ...     )
    ...     premises, _ = read_nli(file, language="en")
    ...     pairs, findings = read_nli(file, language="en", take="pairs")
    >>> premises["sentences"]["text"].to_list()
    ['A dog runs.']
    >>> pairs["pairs"].height, pairs["scores"]["label"].to_list(), findings[-1].message
    (2, ['entailment'], 'pairs without a gold label (-), which get no score: 1 of 2')
    """
    said = dict(columns or {})
    cells = read_cells(path)
    premise = cells.find(said.get("premise"), PREMISE, what="premise")
    hypothesis = None if take == "premises" else cells.find(said.get("hypothesis"), HYPOTHESIS, what="hypothesis")
    pair = cells.maybe(said.get("pair"), PAIR)
    stem = files.stem(path)
    if take == "pairs":
        label = cells.find(said.get("label"), LABEL, what="label")
        made = _pairs(cells, premise, str(hypothesis), pair, stem=stem)
        return {"pairs": made, "scores": _scores(cells, label, made["pair"].to_list(), question)}, cells.findings
    group = cells.maybe(said.get("group"), CAPTION)
    return {"sentences": _sentences(cells, premise, hypothesis, group, stem=stem, language=language)}, cells.findings


def _pairs(cells: Cells, premise: str, hypothesis: str, pair: str | None, *, stem: str) -> Frame:
    ids = cells.ids(stem, pair)
    made = {
        "pair": ids,
        "text_a": cells.needed(premise),
        "text_b": cells.needed(hypothesis),
        "source": [stem] * len(ids),
    }
    return tables.from_cells(made, PAIRS, where=cells.where, lines=cells.lines)


def _scores(cells: Cells, label: str, ids: list[str], question: str) -> Frame:
    found = [cell.casefold() for cell in cells.text(label)]
    for row, cell in enumerate(found):
        if cell not in (*LABELS, NO_GOLD, ""):
            raise KostraError(f'found "{cell}"', where=cells.at(row, label), accepted=f"{', '.join(LABELS)} or -")
    without = [row for row, cell in enumerate(found) if cell in (NO_GOLD, "")]
    if without:
        said = f"pairs without a gold label (-), which get no score: {len(without):,} of {len(ids):,}"
        cells.note("no_gold", said, without)
    labelled = [(item, cell) for item, cell in zip(ids, found, strict=True) if cell in LABELS]
    frame = pl.DataFrame(
        {
            "item": pl.Series([item for item, _ in labelled], dtype=pl.String),
            "question": pl.Series([question] * len(labelled), dtype=pl.String),
            "label": pl.Series([cell for _, cell in labelled], dtype=pl.String),
            "appearances": pl.Series([0] * len(labelled), dtype=pl.Int64),  # not known
        }
    )
    return tables.check(frame, SCORES, where=cells.where)


def _sentences(
    cells: Cells, premise: str, hypothesis: str | None, group: str | None, *, stem: str, language: str
) -> Frame:
    """Premises once each, by caption or by text; hypotheses under their premise."""
    first = cells.needed(premise)
    second = cells.needed(hypothesis) if hypothesis else []
    names = cells.needed(group) if group else first
    numbers: dict[str, int] = {}
    rows, lines, other = [], [], []
    for row, (name, text) in enumerate(zip(names, first, strict=True)):
        number = numbers.setdefault(name, row)
        theme = name if group else f"{stem}-{cells.lines[number]}"
        if number == row:
            rows.append((f"{stem}-{cells.lines[row]}", text, theme, "premise"))
            lines.append(cells.lines[row])
        elif text != first[number]:
            other.append(row)
        if second:
            rows.append((f"{stem}-{cells.lines[row]}h", second[row], theme, "hypothesis"))
            lines.append(cells.lines[row])
    if other:
        raise KostraError(
            f'the premise differs from that on line {cells.lines[numbers[names[other[0]]]]}, of the same "{group}"',
            where=cells.at(other[0], premise),
            accepted="one premise for each caption",
        )
    cells.note("premises", f"{len(first):,} pairs have {len(numbers):,} different premises")
    made = {
        **dict(zip(("sentence", "text", "group", "label"), map(list, zip(*rows, strict=True)), strict=True)),
        "source": [stem] * len(rows),
        "language": [language] * len(rows),
    }
    return tables.from_cells(made, SENTENCES, where=cells.where, lines=lines)


def writes(options: Options) -> tuple[str, ...]:
    """Sentences, or pairs with their labels."""
    return ("pairs", "scores") if options.take == "pairs" else ("sentences",)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    rows = {kind: frame.height for kind, frame in _load(options, replace(context, findings=[])).items()}
    counted = "pairs" if options.take == "pairs" else "sentences"
    return Plan(f"reads {rows[counted]:,} {options.take} from {some(options.paths)}", rows)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    return _load(options, context)


def _load(options: Options, context: Context) -> dict[str, Frame]:
    def read(path: Path) -> tuple[dict[str, Frame], list[Finding]]:
        return read_nli(
            path,
            language=context.recipe.recipe.language,
            take=options.take,
            question=options.question,
            columns=options.columns,
        )

    return read_all(options.paths, read, context)

"""Pairs that carry a score already, such as those of the older STS tasks: pairs, and scores under a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from pydantic import Field, model_validator

from kostra import files, tables
from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict
from kostra.sources.cells import Cells, read_all, read_cells
from kostra.sources.cells import watches as watches
from kostra.sources.files import ALIASES
from kostra.sources.repeats import pair_findings
from kostra.steps import Context, Inputs, Plan
from kostra.tables import PAIRS, SCORES, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("pairs", "scores")

SCORE = ("score", "Score", "similarity", "relatedness_score", "relatedness", "gold_score", "label")


class Options(Strict):
    """Which files, and what their scores mean."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns, relative to the project's folder; may be compressed."""
    low: float
    """Lower end of the scores' range: a score outside it is an error."""
    high: float
    """Upper end of the scores' range."""
    question: Name
    """The name under which the scores stand, beside those that the recipe collects."""
    columns: dict[str, str] = Field(default_factory=dict)
    """pair, text_a, text_b, source or score to the file's column, where the names differ."""
    appearances: int = Field(default=0, ge=0)
    """Answers that each score rests on; 0 where that is not known."""

    @model_validator(mode="after")
    def _in_order(self) -> Options:
        if self.low >= self.high:
            raise ValueError(f"low ({self.low:g}) must lie below high ({self.high:g})")
        strange = sorted(set(self.columns) - {"pair", "text_a", "text_b", "source", "score"})
        if strange:
            raise ValueError(f"columns: found {strange[0]}; known are pair, text_a, text_b, source, score")
        return self


@dataclass(frozen=True)
class Scored:
    """Pairs and their scores, and what was noticed on the way in."""

    pairs: Frame
    scores: Frame
    findings: tuple[Finding, ...]


def read_scored_pairs(
    path: str | Path,
    *,
    low: float,
    high: float,
    question: str,
    columns: Mapping[str, str] | None = None,
    appearances: int = 0,
) -> Scored:
    r"""Read one file of pairs with scores.

    A pair without a score is kept, counted, and has no row in the scores.

    Raises
    ------
    KostraError
        With file and line, where a score is no number or lies outside the range, or an id stands twice.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "sts.csv"
    ...     _ = file.write_text("sentence1,sentence2,score\nA dog barks.,A dog is loud.,3.5\n")
    ...     found = read_scored_pairs(file, low=0, high=5, question="similarity")
    >>> found.scores.select("item", "question", "score").row(0)
    ('sts-2', 'similarity', 3.5)
    """
    said = dict(columns or {})
    cells = read_cells(path)
    text_a = cells.find(said.get("text_a"), ("text_a", *ALIASES["pairs"]["text_a"]), what="first sentence")
    text_b = cells.find(said.get("text_b"), ("text_b", *ALIASES["pairs"]["text_b"]), what="second sentence")
    score = cells.find(said.get("score"), SCORE, what="score")
    pair = cells.maybe(said.get("pair"), ("pair", *ALIASES["pairs"]["pair"]))
    source = cells.maybe(said.get("source"), ("source",))
    cells.note_left_out((text_a, text_b, score, pair, source))
    ids = cells.ids(files.stem(path), pair)
    pairs = {
        "pair": ids,
        "text_a": cells.needed(text_a),
        "text_b": cells.needed(text_b),
        "source": cells.needed(source) if source else [files.stem(path)] * len(ids),
    }
    values = _numbers(cells, score, low=low, high=high)
    cells.findings.extend(pair_findings(pairs["text_a"], pairs["text_b"], cells.lines, where=cells.where))
    scored = [(item, value) for item, value in zip(ids, values, strict=True) if value is not None]
    scores = pl.DataFrame(
        {
            "item": [item for item, _ in scored],
            "question": [question] * len(scored),
            "score": pl.Series([value for _, value in scored], dtype=pl.Float64),
            "appearances": [appearances] * len(scored),
        }
    )
    return Scored(
        tables.from_cells(pairs, PAIRS, where=cells.where, lines=cells.lines),
        tables.check(scores, SCORES, where=cells.where),
        tuple(cells.findings),
    )


def _numbers(cells: Cells, column: str, *, low: float, high: float) -> list[float | None]:
    form = tables.Schema("scores", "", (tables.Column(column, "score", "number", empty=True),), ())
    values: list[float | None] = tables.from_cells(
        {column: cells.columns[column]}, form, where=cells.where, lines=cells.lines
    )[column].to_list()
    outside = [row for row, value in enumerate(values) if value is not None and not low <= value <= high]
    if outside:
        more = f"; likewise on lines {some([cells.lines[row] for row in outside[1:]], 8)}" if len(outside) > 1 else ""
        raise KostraError(
            f"found {values[outside[0]]:g}{more}",
            where=cells.at(outside[0], column),
            accepted=f"a number from {low:g} to {high:g}",
            remedy="mend the score, or declare the range that the scores have: low and high",
        )
    missing = [row for row, value in enumerate(values) if value is None]
    if missing:
        cells.note("no_score", f"pairs without a score, which get none: {len(missing):,} of {len(values):,}", missing)
    if len(missing) == len(values):
        raise KostraError("no pair has a score", where=cells.where, accepted=f'numbers in the column "{column}"')
    return values


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    pairs, scores = _load(options, replace(context, findings=[]))
    says = f"reads {pairs.height:,} pairs, {scores.height:,} of them with a score, from {some(options.paths)}"
    return Plan(says, {"pairs": pairs.height, "scores": scores.height})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    pairs, scores = _load(options, context)
    return {"pairs": pairs, "scores": scores}


def _load(options: Options, context: Context) -> tuple[Frame, Frame]:
    def read(path: Path) -> tuple[dict[str, Frame], tuple[Finding, ...]]:
        found = read_scored_pairs(
            path,
            low=options.low,
            high=options.high,
            question=options.question,
            columns=options.columns,
            appearances=options.appearances,
        )
        return {"pairs": found.pairs, "scores": found.scores}, found.findings

    found = read_all(options.paths, read, context)
    return found["pairs"], found["scores"]

"""Text files as Czech News STS was released: a line per pair, columns between tabs, a file per part of the dataset.

A line has the two sentences (or their contexts, the key sentence inside ``<sent></sent>``), the score and, where asked
for, all the answers that it is the mean of, and the score of an earlier round. There is no header and no quoting: what
`kostra.sources.released.czech_news_sts` reads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import polars as pl
from pydantic import Field, model_validator

from kostra import files
from kostra.errors import KostraError, some, unknown
from kostra.recipe import Name, Strict
from kostra.release.folder import write_checksums
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("pairs", "scores")
WRITES = ()
PUBLISHES = "text_files"


class TextFile(Strict):
    """One file."""

    name: Name
    """The name of the file, without its ending."""
    pairs: Name
    """The step whose pairs it holds."""
    question: str
    """The question whose score stands in the third column."""
    answers: bool = False
    """Whether all accepted answers to that question follow."""
    earlier: str | None = None
    """Another question, whose score stands in the last column."""
    context: bool = False
    """Whether the sentences stand in their contexts."""


class Options(Strict):
    """The files, and which answers count."""

    files: Annotated[tuple[TextFile, ...], Field(min_length=1)]
    """The files to write."""
    phases: tuple[str, ...] = ()
    """Phases whose answers are listed; all where none is named."""
    blocks: tuple[str, ...] = ("main",)
    """Blocks likewise."""

    @model_validator(mode="after")
    def _once(self) -> Options:
        names = [file.name for file in self.files]
        if len(set(names)) < len(names):
            raise ValueError("two files have one name")
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """The files."""
    return Plan(f"writes {PUBLISHES}/ with {', '.join(f'{file.name}.tsv' for file in options.files)}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write every file, what they hold in README.txt, and checksums."""
    folder = context.folder / PUBLISHES
    counts = {}
    for file in options.files:
        rows = _rows(file, inputs, options, context)
        text = "".join("\t".join(cells) + "\n" for cells in rows)
        files.write_text(text, _made(folder) / f"{file.name}.tsv")
        counts[file.name] = len(rows)
    files.write_text(_readme(options, counts, what_answered(inputs, context), context), folder / "README.txt")
    write_checksums(folder)
    return {}


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _rows(file: TextFile, inputs: Inputs, options: Options, context: Context) -> list[list[str]]:
    where = f'step "{context.step.name}": {file.name}'
    written = [step for step, found in inputs.by_step.items() if "pairs" in found]
    if not written:
        raise KostraError(
            "which pairs come from which step is not known here", where=where, remedy="run it as a step of a recipe"
        )
    if file.pairs not in written:
        raise unknown("step with pairs", file.pairs, written, where=where)
    pairs = inputs.by_step[file.pairs]["pairs"].sort("pair")
    if pairs.is_empty():
        context.note("empty", f'{file.name}.tsv is empty: step "{file.pairs}" has no pairs')
    score = _scores_of(inputs["scores"], file.question)
    earlier = None if file.earlier is None else _scores_of(inputs["scores"], file.earlier)
    answers = _answers(inputs, file.question, options, where=where) if file.answers else None
    rows, left_out = [], []
    for pair in pairs.iter_rows(named=True):
        name = pair["pair"]
        sentences = [plain(pair[f"context_{side}"] if file.context else pair[f"text_{side}"]) for side in "ab"]
        given = None if answers is None else answers.get(name, [])
        lacks = name not in score or "" in sentences or (earlier is not None and name not in earlier) or given == []
        if lacks:
            left_out.append(name)
            continue
        _refuse_other_mean(name, score[name], given, where=where)
        cells = [*sentences, number(score[name])]
        cells += [] if given is None else [",".join(given)]
        cells += [] if earlier is None else [number(earlier[name])]
        rows.append(cells)
    if pairs.height and not rows:
        raise KostraError(f"none of its {pairs.height:,} pairs has all that a line needs", where=where)
    if left_out:
        said = f"{file.name}.tsv: {len(left_out):,} of {pairs.height:,} pairs lack a score, an answer or a context"
        context.note("left_out", f"{said}: {some(left_out)}")
    return rows


def _scores_of(scores: Frame, question: str) -> dict[str, float]:
    known = scores["question"].unique(maintain_order=True).to_list()
    if question not in known:
        raise unknown("question with scores", question, known)
    asked = scores.filter(pl.col("question") == question).drop_nulls("score")
    return dict(asked.select("item", "score").iter_rows())


def _answers(inputs: Inputs, question: str, options: Options, *, where: str) -> dict[str, list[str]]:
    """Item → the accepted answers, in the order in which they came."""
    judgments = inputs.get("judgments")
    if judgments is None:
        raise KostraError("there are no answers to list", where=where, remedy="read the campaign's step as well")
    chosen = judgments.filter((pl.col("question") == question) & (pl.col("status") == "answered"))
    for column, wanted in (("phase", options.phases), ("block", options.blocks)):
        chosen = chosen.filter(pl.col(column).is_in(list(wanted))) if wanted else chosen
    found = chosen.group_by("item", maintain_order=True).agg("value")
    return {item: [str(value) for value in values] for item, values in found.iter_rows()}


def _refuse_other_mean(pair: str, score: float, answers: list[str] | None, *, where: str) -> None:
    """A reader takes the score for the mean of the answers beside it; so it must be."""
    if answers is None:
        return
    mean = math.fsum(float(answer) for answer in answers) / len(answers)
    if abs(mean - score) > 1e-9:
        raise KostraError(
            f'the answers about "{pair}" have a mean of {mean:g}, and its score is {score:g}',
            where=where,
            accepted="scores that are means of the answers listed",
            remedy="name the phases and blocks that the scores were made from, or set answers = false",
        )


def plain(text: str | None) -> str:
    """A text in one cell: tabs and line breaks, which would end it, become blanks."""
    return " ".join((text or "").split())


def number(value: float) -> str:
    """A number as it reads back the same, whole ones without a point.

    Examples
    --------
    >>> number(3.0), number(23 / 9)
    ('3', '2.5555555555555554')
    """
    return str(int(value)) if value == int(value) else repr(value)


def what_answered(inputs: Inputs, context: Context) -> str:
    """What a reader must know first, where not all answers are people's."""
    annotators = inputs.get("annotators")
    kinds = set() if annotators is None else set(annotators["kind"])
    steps = [name for name, manifest in context.history.items() if manifest.get("simulated")]
    if kinds - {"person"} and "person" in kinds:
        return "NOT ALL ANSWERS ARE PEOPLE'S: some were given by simulated annotators or models."
    if steps or kinds - {"person"}:
        named = f" ({', '.join(steps)})" if steps else ""
        return f"NO PERSON JUDGED THIS: simulated annotators or models answered{named}. It is a rehearsal."
    return ""


def _readme(options: Options, counts: Mapping[str, int], warning: str, context: Context) -> str:
    about = context.recipe.recipe
    lines = [about.title, "", *([warning, ""] if warning else [])]
    for file in options.files:
        columns = [*(["first context", "second context"] if file.context else ["first sentence", "second sentence"])]
        columns += [file.question]
        columns += [f"answers to {file.question}"] if file.answers else []
        columns += [file.earlier] if file.earlier else []
        lines.append(f"{file.name}.tsv  {counts[file.name]:,} lines: {'; '.join(columns)}")
    lines += ["", "Columns stand between tabs, without header and quoting."]
    if any(file.context for file in options.files):
        lines.append("In a context the key sentence stands inside <sent></sent>.")
    return "\n".join([*lines, "", f"Licence: {about.licence}", f"Reference: {about.citation}", ""])

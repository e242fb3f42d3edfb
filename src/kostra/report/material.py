"""What the report is about: the tables it reads, joined once, with what could not be joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from kostra import tables
from kostra.recipe import Recipe, Step
from kostra.report.history import History
from kostra.report.words import counted
from kostra.steps import Context, Inputs
from kostra.tables import Frame

NOT_COUNTED = ("calibration", "qualification", "gold", "repeat", "instructions", "consent")
"""Blocks whose answers are for learning or for checking, and no part of a score."""


@dataclass(frozen=True)
class Material:
    """The tables of one report."""

    recipe: Recipe
    history: History
    pairs: Frame
    scored: Frame
    """Pairs with their score, standard error and appearances; the highest score first."""
    labelled: Frame
    """Scores that are labels, for whatever question."""
    others: Frame
    """Scores for other questions."""
    sentences: Frame | None
    judgments: Frame | None
    """All that was answered, whatever became of it."""
    basis: Frame
    """The accepted answers that the scores rest on; where nothing is scored, all accepted answers."""
    annotators: Frame | None
    statistics: Frame | None
    """Measures of agreement and reliability."""
    results: Frame | None
    tuples: Frame | None
    main: str
    """The question whose answers are counted: ``best`` for best–worst scaling, else the score's own, or none."""
    simulated: Literal["all", "some", ""]
    """Whether all annotators were simulated, some, or none."""
    unscored: int
    """Pairs without a score, whichever of their sentences comes first."""
    losses: tuple[str, ...]
    missing: tuple[str, ...]
    """Steps that the report reads and that have nothing to show yet."""

    @property
    def question(self) -> str:
        """What is measured, in words."""
        return self.recipe.score.question.replace("_", " ")

    @property
    def best_worst(self) -> bool:
        """Whether tuples were judged."""
        return self.main == "best"

    @property
    def answers(self) -> int:
        """How many accepted answers the scores rest on."""
        return self.basis.filter(pl.col("question") == self.main).height if self.main else self.basis.height

    @property
    def people(self) -> int:
        """How many annotators are known to have answered, or to have been asked where no answers are here."""
        if self.judgments is not None:
            return self.basis["annotator"].drop_nulls().n_unique()
        return self.annotators.height if self.annotators is not None else 0

    @property
    def tuple_count(self) -> int | None:
        """How many tuples were made or, where that is not known, answered."""
        if self.tuples is not None:
            return self.tuples["tuple"].n_unique()
        return self.basis["item"].n_unique() if self.best_worst else None


def gather(inputs: Inputs, context: Context) -> Material:
    """Join pairs and scores, and find out what kind of campaign it was."""
    history = History(context)
    question = context.recipe.score.question
    pairs, scores = _given(inputs, "pairs"), _given(inputs, "scores")
    wanted = scores.filter(pl.col("question") == question).drop_nulls("score")
    columns = wanted.select("score", "standard_error", "appearances", pair="item")
    scored = pairs.join(columns, on="pair", how="inner").sort(
        ["score", "standard_error", "pair"], descending=[True, False, False], nulls_last=True
    )
    judgments, annotators = inputs.get("judgments"), inputs.get("annotators")
    basis = _basis(judgments, history, question)
    asked = set(basis["question"])
    main = "best" if "best" in asked else question if question in asked else ""
    tuples = inputs.get("tuples")
    if tuples is None and main == "best":
        tuples = history.stacked([step.name for step in history.before(_scoring(history, question))], "tuples")
    return Material(
        recipe=context.recipe,
        history=history,
        pairs=pairs,
        scored=scored,
        labelled=scores.drop_nulls("label"),
        others=scores.filter(pl.col("question") != question).drop_nulls("score"),
        sentences=inputs.get("sentences"),
        judgments=judgments,
        basis=basis,
        annotators=annotators,
        statistics=_statistics(inputs, context),
        results=inputs.get("results"),
        tuples=tuples if main == "best" else None,
        main=main,
        simulated=_simulated(annotators, context),
        unscored=_unscored(pairs, scored),
        losses=_losses(pairs, wanted, scored),
        missing=tuple(name for name in context.step.reads if history.manifest(name) is None),
    )


def _given(inputs: Inputs, kind: str) -> Frame:
    found = inputs.get(kind)
    return tables.schema_named(kind).empty() if found is None else found


def _scoring(history: History, question: str) -> list[str]:
    """The steps that gave the score its numbers."""
    return [
        step.name
        for step in history.steps
        if step.room == "scoring"
        and (found := history.table(step.name, "scores")) is not None
        and (found["question"] == question).any()
    ]


def _basis(judgments: Frame | None, history: History, question: str) -> Frame:
    """The accepted answers behind the scores."""
    for name in _scoring(history, question)[:1]:
        taken = taken_by(next(step for step in history.steps if step.name == name), history)
        if taken is not None:
            return _of_score(taken, question)
    if judgments is None:
        return tables.JUDGMENTS.empty()
    return _of_score(_accepted(judgments, (), ()), question)


def taken_by(step: Step, history: History) -> Frame | None:
    """The accepted answers that a scoring step takes: those that it reads, of the phases and blocks it names."""
    read = history.stacked(step.reads, "judgments")
    return None if read is None else _accepted(read, _named(step, "phases"), _named(step, "blocks"))


def _named(step: Step, what: str) -> Sequence[str]:
    found = step.options.get(what, ())
    return [str(name) for name in found] if isinstance(found, (list, tuple)) else ()


def _accepted(judgments: Frame, phases: Sequence[str], blocks: Sequence[str]) -> Frame:
    kept = judgments.filter(pl.col("status") == "answered")
    if phases:
        kept = kept.filter(pl.col("phase").is_in(list(phases)))
    if blocks:
        return kept.filter(pl.col("block").is_in(list(blocks)))
    return kept.filter(~pl.col("block").is_in(list(NOT_COUNTED)))


def _of_score(accepted: Frame, question: str) -> Frame:
    """Answers to the score's own question or to best and worst; all, where there are none such."""
    own = accepted.filter(pl.col("question").is_in([question, "best", "worst"]))
    return own if own.height else accepted


def _statistics(inputs: Inputs, context: Context) -> Frame | None:
    """Statistics of steps that measure agreement; those of analyses stand with their analyses."""
    rooms = {step.name: step.room for step in context.recipe.steps}
    found = [
        kinds["statistics"]
        for step, kinds in inputs.by_step.items()
        if "statistics" in kinds and rooms.get(step) == "reliability"
    ]
    if not inputs.by_step:
        return inputs.get("statistics")
    return pl.concat(found) if found else None


def _simulated(annotators: Frame | None, context: Context) -> Literal["all", "some", ""]:
    if annotators is not None and annotators.height:
        made_up = annotators["kind"] == "simulated"
        return "all" if made_up.all() else "some" if made_up.any() else ""
    return "all" if any(manifest.get("simulated") for manifest in context.history.values()) else ""


def _unscored(pairs: Frame, scored: Frame) -> int:
    """Pairs that have no score, and whose reverse has none."""
    have = scored["pair"].implode()
    return pairs.filter(~pl.col("pair").is_in(have) & ~pl.col("reverse").is_in(have).fill_null(False)).height


def _losses(pairs: Frame, wanted: Frame, scored: Frame) -> tuple[str, ...]:
    """What has no place on the page, said rather than dropped."""
    found = []
    if scored.height and _unscored(pairs, scored):
        found.append(f"{counted(_unscored(pairs, scored), 'pair')} without a score")
    if wanted.height > scored.height:
        found.append(
            f"{counted(wanted.height - scored.height, 'score')} for items that are not among the pairs read here"
        )
    return tuple(found)

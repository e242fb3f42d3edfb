"""What the report is about: the tables it reads, joined once, with what could not be joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from kostra.recipe import Recipe
from kostra.report.words import counted
from kostra.steps import Context, Inputs
from kostra.tables import Frame


@dataclass(frozen=True)
class Material:
    """The tables of one report."""

    recipe: Recipe
    pairs: int
    scored: Frame
    """Pairs with their score, standard error and appearances; the highest score first."""
    judgments: Frame | None
    annotators: Frame | None
    statistics: Frame | None
    results: Frame | None
    tuples: int | None
    """How many tuples were made or, where that is not known, answered."""
    main: str
    """The question whose answers are counted: ``best`` for best–worst scaling, else the score's own."""
    simulated: Literal["all", "some", ""]
    """Whether all annotators were simulated, some, or none."""
    losses: tuple[str, ...]

    @property
    def answers(self) -> int:
        """Accepted answers to the main question."""
        return self.accepted().height

    def accepted(self) -> Frame:
        """The accepted answers to the main question."""
        if self.judgments is None:
            return pl.DataFrame(schema={"annotator": pl.String, "item": pl.String})
        return self.judgments.filter((pl.col("question") == self.main) & (pl.col("status") == "answered"))

    def people(self) -> int:
        """How many annotators are known to have answered, or to have been asked where no answers are here."""
        if self.judgments is not None:
            return self.accepted()["annotator"].drop_nulls().n_unique()
        return self.annotators.height if self.annotators is not None else 0


def gather(inputs: Inputs, context: Context) -> Material:
    """Join pairs and scores, and find out what kind of campaign it was."""
    question = context.recipe.score.question
    pairs, scores = inputs["pairs"], inputs["scores"]
    wanted = scores.filter(pl.col("question") == question).drop_nulls("score")
    columns = wanted.select("score", "standard_error", "appearances", pair="item")
    scored = pairs.join(columns, on="pair", how="inner").sort(
        ["score", "standard_error", "pair"], descending=[True, False, False], nulls_last=True
    )
    judgments, annotators = inputs.get("judgments"), inputs.get("annotators")
    main = "best" if judgments is not None and (judgments["question"] == "best").any() else question
    return Material(
        recipe=context.recipe,
        pairs=pairs.height,
        scored=scored,
        judgments=judgments,
        annotators=annotators,
        statistics=inputs.get("statistics"),
        results=inputs.get("results"),
        tuples=_tuples(inputs, judgments, main),
        main=main,
        simulated=_simulated(annotators, context),
        losses=_losses(pairs, scores, wanted, scored),
    )


def _tuples(inputs: Inputs, judgments: Frame | None, main: str) -> int | None:
    tuples = inputs.get("tuples")
    if tuples is not None:
        return tuples["tuple"].n_unique()
    if judgments is None or main != "best":
        return None
    return judgments.filter(pl.col("question") == main)["item"].n_unique()


def _simulated(annotators: Frame | None, context: Context) -> Literal["all", "some", ""]:
    if annotators is not None and annotators.height:
        made_up = annotators["kind"] == "simulated"
        return "all" if made_up.all() else "some" if made_up.any() else ""
    return "all" if any(manifest.get("simulated") for manifest in context.history.values()) else ""


def _losses(pairs: Frame, scores: Frame, wanted: Frame, scored: Frame) -> tuple[str, ...]:
    """What has no place on the page, said rather than dropped."""
    found = []
    if pairs.height > scored.height:
        found.append(f"{counted(pairs.height - scored.height, 'pair')} without a score")
    if wanted.height > scored.height:
        found.append(
            f"{counted(wanted.height - scored.height, 'score')} for items that are not among the pairs read here"
        )
    others = scores.filter(~pl.col("question").is_in(wanted["question"].unique().implode()))
    for question, count in others.group_by("question").len().sort("question").iter_rows():
        found.append(f'{counted(count, "score")} for the question "{question}", which this page does not show')
    return tuple(found)

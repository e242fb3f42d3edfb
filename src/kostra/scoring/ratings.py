"""Mean, median, trimmed or z-scored mean of a question's ratings, by phase and block, reverses merged on request.

The engine of `mean`, `median`, `trimmed_mean` and `z_scored_mean`, and a component that takes any of them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra import registry
from kostra.errors import KostraError, some
from kostra.recipe import Name, Recipe, Score, Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

READS = ("judgments",)
WRITES = ("scores",)

FloatArray = NDArray[np.float64]
Summary = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""From ratings, one item a row and each row in ascending order, to scores and their standard errors (NaN: none)."""
Scorer = Callable[[Frame, Score], Frame]
"""From answers (item, annotator, value) and the question with its range to a table of scores."""


# Answers -----------------------------------------------------------------------------------------------


class AnswerOptions(Strict):
    """Which answers count, and under which question the scores stand."""

    question: Name | None = None
    """What was asked; the recipe's own question if nothing is said."""
    as_question: Name | None = None
    """The name under which the scores stand, where it is another."""
    phases: tuple[Name, ...] = ()
    """Phases whose answers count; all if nothing is said."""
    blocks: tuple[str, ...] = ()
    """Blocks whose answers count, such as main; all if nothing is said."""


def accepted_answers(judgments: Frame, question: str, options: AnswerOptions) -> Frame:
    """The accepted answers to a question in the chosen phases and blocks.

    A phase, block or question that no judgment has is an error, and so is one person's second answer to an item.
    """
    chosen = judgments
    for column, wanted in (("phase", options.phases), ("block", options.blocks), ("question", (question,))):
        known = chosen[column].unique(maintain_order=True).to_list()
        absent = [name for name in wanted if name not in known]
        if absent:
            raise KostraError(
                f'no judgment has the {column} "{absent[0]}"', accepted=some(known, 12) or "nothing: there are none"
            )
        chosen = chosen.filter(pl.col(column).is_in(list(wanted))) if wanted else chosen
    answered = chosen.filter(pl.col("status") == "answered")
    refuse_repeats(answered)
    return answered


def refuse_repeats(answers: Frame) -> None:
    """Refuse a second answer of one annotator to one item: one person would count twice.

    Anonymous answers cannot be told apart, so that none of them is a repeat.

    Examples
    --------
    >>> refuse_repeats(pl.DataFrame({"item": ["p", "p"], "annotator": ["ann", "ann"], "value": ["1", "2"]}))
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: an item was answered more than once by one annotator, 1 time: ann on p
      accepted: one answer per item and annotator
      try: name the blocks that count, such as blocks = ["main"], or mark the earlier answers as superseded
    """
    twice = (
        answers.filter(pl.col("annotator").is_not_null())
        .group_by("item", "annotator", maintain_order=True)
        .len()
        .filter(pl.col("len") > 1)
    )
    if twice.height:
        shown = [f"{who} on {item}" for item, who in twice.select("item", "annotator").iter_rows()]
        times = f"{len(shown):,} time{'s' if len(shown) > 1 else ''}"
        raise KostraError(
            f"an item was answered more than once by one annotator, {times}: {some(shown)}",
            accepted="one answer per item and annotator",
            remedy='name the blocks that count, such as blocks = ["main"], or mark the earlier answers as superseded',
        )


def refuse_anonymous(answers: Frame, purpose: str) -> None:
    """Refuse answers of which it is not known who gave them."""
    if answers["annotator"].null_count():
        raise KostraError(
            f"{purpose} needs to know who gave which answer, and these answers are anonymous",
            accepted="answers with an annotator each; columns without names are not annotators",
        )


def numeric_answers(judgments: Frame, score: Score) -> Frame:
    """The accepted numeric answers to the score's question: columns item, annotator, value.

    An answer that is no number, or lies outside the declared range, is an error: the mean of a scale does not mend it.
    """
    asked = judgments.filter((pl.col("question") == score.question) & (pl.col("status") == "answered"))
    values = asked.select("judgment", "item", "annotator", pl.col("value").cast(pl.Float64, strict=False))
    bad = values.filter(pl.col("value").is_null() | ~pl.col("value").is_between(score.low, score.high))
    if bad.height:
        raise KostraError(
            f'{bad.height:,} answers to "{score.question}" are no number from {score.low:g} to {score.high:g}: '
            f"judgments {some(bad['judgment'])}",
            accepted=f"a number from {score.low:g} to {score.high:g}",
        )
    return values.drop("judgment")


def campaign_phases(recipe: Recipe) -> Iterator[Mapping[str, Any]]:
    """The phases of the recipe's campaigns as they stand in it, for what they declare about questions and gold."""
    for step in recipe.steps:
        if step.room == "campaign":
            yield from (phase for phase in step.options.get("phases", ()) if isinstance(phase, Mapping))


def declared(recipe: Recipe, question: str | None) -> Score:
    """A question with its range: as the recipe's score or a campaign declares it, else on the score's range."""
    main = recipe.score
    if question is None or question == main.question:
        return main
    for phase in campaign_phases(recipe):
        for asked in phase.get("questions", ()):
            if asked.get("name") == question and asked.get("low") is not None and asked.get("high") is not None:
                return Score(question=question, low=float(asked["low"]), high=float(asked["high"]))
    return Score(question=question, low=main.low, high=main.high)


def first_of_reverses(pairs: Frame) -> dict[str, str]:
    """Both ids of a pair and its reverse → the one that comes first in the table.

    Raises
    ------
    KostraError
        If a pair is its own reverse, or its reverse names another pair.

    Examples
    --------
    >>> first_of_reverses(pl.DataFrame({"pair": ["p", "q", "r"], "reverse": ["q", "p", None]}))
    {'p': 'p', 'q': 'p'}
    """
    reverse = {pair: other for pair, other in pairs.select("pair", "reverse").iter_rows() if other is not None}
    for pair, other in reverse.items():
        if pair == other or reverse.get(other, pair) != pair:
            said = "itself" if pair == other else f'"{other}", whose own reverse is "{reverse[other]}"'
            raise KostraError(
                f'pair "{pair}" has as its reverse {said}', accepted="pairs that are each other's reverse"
            )
    first: dict[str, str] = {}
    for pair, other in reverse.items():
        if pair not in first:
            first[pair] = first[other] = pair
    return first


# Scores ------------------------------------------------------------------------------------------------


def item_scores(answers: Frame, summary: Summary, *, question: str) -> Frame:
    """Summarise the ratings of each item; items with equally many ratings are summarised at once.

    Parameters
    ----------
    answers
        Columns item and value, one row per rating.
    summary
        From ratings, one item a row in ascending order, to scores and standard errors. Because the order is fixed,
        the order of the answers changes nothing, not even in the last bit.

    Returns
    -------
    Frame
        Scores by item; `raw` is the score. Without answers there are none.
    """
    if not answers["value"].is_finite().all():
        raise KostraError("a rating is NaN or infinite", accepted="finite numbers; a missing rating has no row")
    rated = answers.sort("item", "value").group_by("item", maintain_order=True).agg("value", n=pl.len().cast(pl.Int64))
    parts = [SCORES.empty()]
    for _, group in rated.group_by("n", maintain_order=True):
        score, error = summary(np.array(group["value"].to_list(), dtype=np.float64))
        columns = {"score": score, "raw": score, "standard_error": error}
        part = group.select("item", question=pl.lit(question), appearances="n").with_columns(
            pl.Series(name, values).fill_nan(None) for name, values in columns.items()
        )
        parts.append(check(part, SCORES, where="scores"))
    return pl.concat(parts).sort("item")


@dataclass(frozen=True)
class Agreement:
    """How far one annotator agrees with the others; NaN where that cannot be told."""

    annotator: str
    share: float
    beyond_chance: float
    answers: int
    """Answers that it rests on."""


# The step ----------------------------------------------------------------------------------------------


class RatingOptions(AnswerOptions):
    """Which ratings count, and whether a pair and its reverse are one."""

    merge_reverses: bool = False
    """Whether the ratings of a pair and of its reverse make one score, which stands under the pair that comes first."""


class Options(RatingOptions):
    """Which ratings count and how they are summarised."""

    method: Literal["mean", "median", "trimmed_mean", "z_scored_mean"] = "mean"
    """How the answers to an item become one number."""
    share: Annotated[float, Field(ge=0, lt=0.5)] = 0.1
    """For the trimmed mean: the share that is cut off at either end."""


def score_step(inputs: Inputs, options: RatingOptions, context: Context, scorer: Scorer) -> dict[str, Frame]:
    """What the steps of all four methods do: choose the answers, check them, score them."""
    asked = declared(context.recipe, options.question)
    answers = numeric_answers(accepted_answers(inputs["judgments"], asked.question, options), asked)
    if options.merge_reverses:
        answers = _merged(answers, inputs.get("pairs"), context)
    renamed = asked.model_copy(update={"question": options.as_question or asked.question})
    return {"scores": scorer(answers, renamed)}


def _merged(answers: Frame, pairs: Frame | None, context: Context) -> Frame:
    if pairs is None:
        raise KostraError(
            "merge_reverses needs the pairs, which say what is the reverse of what",
            where=f'step "{context.step.name}"',
            remedy="name a step that writes pairs in `reads`",
        )
    first = first_of_reverses(pairs)
    alone = set(answers["item"]) - set(first)
    if alone:
        context.note("no_reverse", f"{len(alone):,} rated items have no reverse and are scored alone")
    return answers.with_columns(pl.col("item").replace(first))


def plan_says(inputs: Mapping[str, int], verb: str, options: RatingOptions) -> Plan:
    """The plan of all four methods."""
    kept = _kept(options.phases, options.blocks)
    both = ", a pair and its reverse together" if options.merge_reverses else ""
    return Plan(f"{verb} the answers to each item, of {inputs.get('judgments', 0):,} judgments{kept}{both}")


def _kept(phases: Collection[str], blocks: Collection[str]) -> str:
    return "".join(f", {what} {', '.join(names)}" for what, names in (("phase", phases), ("block", blocks)) if names)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per rated item."""
    return plan_says(inputs, f"takes the {options.method.replace('_', ' ')} of", options)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Score the items by the method's own component."""
    method = registry.load("scoring", options.method)
    own = {name: value for name, value in options.model_dump().items() if name in method.Options.model_fields}
    made: dict[str, Frame] = method.run(inputs, method.Options(**own), context)
    return made

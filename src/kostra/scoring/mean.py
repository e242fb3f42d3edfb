"""Mean of the ratings of each item, with its standard error."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from kostra.errors import KostraError, some
from kostra.recipe import Score, Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

READS = ("judgments",)
WRITES = ("scores",)


class Options(Strict):
    """Nothing to choose."""


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


def mean_scores(answers: Frame, *, question: str) -> Frame:
    """Average the ratings of each item.

    The standard error is the sample standard deviation (n − 1) over √n; with one rating there is none.

    Examples
    --------
    Ratings 1 and 3: mean 2, standard deviation √2, standard error √2 / √2 = 1.

    >>> ratings = pl.DataFrame({"item": ["p", "p", "q"], "annotator": ["a", "b", "a"], "value": [1.0, 3.0, 5.0]})
    >>> mean_scores(ratings, question="similarity").select("item", "score", "standard_error").rows()
    [('p', 2.0, 1.0), ('q', 5.0, None)]
    """
    value = pl.col("value")
    frame = (
        answers.group_by("item", maintain_order=True)
        .agg(
            score=value.mean(),
            raw=value.mean(),
            appearances=pl.len().cast(pl.Int64),
            standard_error=value.std() / value.len().sqrt(),
        )
        .with_columns(question=pl.lit(question))
        .sort("item")
    )
    return check(frame, SCORES, where="mean scores")


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per rated item."""
    return Plan(f"averages {inputs.get('judgments', 0):,} ratings per item")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Score the items."""
    score = context.recipe.score
    return {"scores": mean_scores(numeric_answers(inputs["judgments"], score), question=score.question)}

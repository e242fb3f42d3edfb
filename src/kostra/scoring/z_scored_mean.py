"""Mean of the ratings of each item after each annotator's own mean and spread are taken out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from kostra.errors import KostraError, some
from kostra.recipe import Score
from kostra.scoring.mean import mean_scores
from kostra.scoring.ratings import RatingOptions, plan_says, refuse_anonymous, score_step
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

READS = ("judgments",)
WRITES = ("scores",)

Options = RatingOptions


@dataclass(frozen=True)
class ZScored:
    """Scores of z-scored ratings, and what they leave out."""

    scores: Frame
    """`raw` is the mean z, `score` the same on the scale."""
    constant: tuple[str, ...]
    """Annotators left out because all their answers are equal: they have no z."""
    unscored: tuple[str, ...]
    """Items that only such annotators rated."""
    clipped: tuple[str, ...]
    """Items whose score would lie outside the range and was put at its end; `raw` is untouched."""


def z_scored_mean_scores(answers: Frame, *, question: str, low: float, high: float) -> ZScored:
    r"""Standardise each annotator's ratings, average them per item, and bring the mean back to the scale.

    .. math:: z_{ai} = \frac{x_{ai} - \bar x_a}{s_a}, \qquad
              \mathrm{score}_i = \bar x + s \cdot \frac{1}{n_i}\sum_a z_{ai}, \qquad
              s^2 = \frac{\sum_a n_a s_a^2}{\sum_a n_a}

    where :math:`\bar x_a` and :math:`s_a` are the mean and the sample standard deviation (n − 1) of the annotator's
    ratings, :math:`\bar x` the mean of all of them and :math:`s` a typical annotator's spread. This takes out that
    some lean high and some use only the middle of the scale [1]_. It presumes that everybody saw a similar mixture of
    items: where that is not so, it takes out what is true of the items.

    The standard error is that of the mean z, times :math:`s`; it takes annotators' means and spreads as known.

    Parameters
    ----------
    answers
        Columns item, annotator, value.
    question
        The question under which the scores stand.
    low, high
        The range; a score beyond an end is put there, and the result says which.

    Raises
    ------
    KostraError
        If answers are anonymous, or nobody gave two different ones.

    References
    ----------
    .. [1] Y. Graham, T. Baldwin, A. Moffat and J. Zobel (2013). Continuous measurement scales in human evaluation of
       machine translation. Linguistic Annotation Workshop, 33–41.

    Examples
    --------
    Ann says 1 and 3, Bob 2 and 6: both have z = ∓√½. The mean of all is 3, s² = (2 · 2 + 2 · 8) / 4 = 5, and so
    the scores are 3 ∓ √2.5. Cy says 4 whatever he sees, and is left out.

    >>> import polars as pl
    >>> ratings = pl.DataFrame(
    ...     {
    ...         "item": ["p", "q", "p", "q", "p", "q"],
    ...         "annotator": ["ann", "ann", "bob", "bob", "cy", "cy"],
    ...         "value": [1.0, 3.0, 2.0, 6.0, 4.0, 4.0],
    ...     }
    ... )
    >>> result = z_scored_mean_scores(ratings, question="similarity", low=0, high=6)
    >>> result.scores.select("item", pl.col("score", "raw").round(4), "appearances").rows()
    [('p', 1.4189, -0.7071, 2), ('q', 4.5811, 0.7071, 2)]
    >>> result.constant
    ('cy',)
    """
    refuse_anonymous(answers, "z-scoring")
    value = pl.col("value")
    # In one order, so that the order of the answers does not change the last bit.
    rated = answers.sort("annotator", "item").with_columns(
        own_mean=value.mean().over("annotator"),
        own_spread=pl.when(value.max().over("annotator") > value.min().over("annotator")).then(
            value.std().over("annotator")
        ),
    )
    constant = rated.filter(pl.col("own_spread").is_null())
    varied = rated.drop_nulls("own_spread")
    if answers.height and not varied.height:
        raise KostraError("nobody gave two different ratings, so that no rating has a z-score")
    centre = float(varied["value"].to_numpy().mean()) if varied.height else 0.0
    spread = float(np.sqrt((varied["own_spread"].to_numpy() ** 2).mean())) if varied.height else 0.0
    z = varied.select("item", value=(value - pl.col("own_mean")) / pl.col("own_spread"))
    on_scale = mean_scores(z, question=question).with_columns(
        score=centre + spread * pl.col("raw"), standard_error=spread * pl.col("standard_error")
    )
    outside = on_scale.filter(~pl.col("score").is_between(low - 1e-9, high + 1e-9))
    return ZScored(
        scores=check(on_scale.with_columns(pl.col("score").clip(low, high)), SCORES, where="z-scored means"),
        constant=tuple(constant["annotator"].unique(maintain_order=True)),
        unscored=tuple(sorted(set(answers["item"]) - set(on_scale["item"]))),
        clipped=tuple(outside["item"]),
    )


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per rated item."""
    return plan_says(inputs, "standardises each annotator's ratings and averages", options)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Score the items, and say who and what was left out."""

    def scorer(answers: Frame, asked: Score) -> Frame:
        found = z_scored_mean_scores(answers, question=asked.question, low=asked.low, high=asked.high)
        for kind, names, said in (
            ("constant", found.constant, "annotators gave always the same answer, have no z-score and are left out"),
            ("unscored", found.unscored, "items were rated only by such annotators and have no score"),
            ("clipped", found.clipped, f"scores lay outside {asked.low:g} to {asked.high:g} and were put at its end"),
        ):
            if names:
                context.note(kind, f"{len(names):,} {said}: {some(names)}")
        return found.scores

    return score_step(inputs, options, context, scorer)

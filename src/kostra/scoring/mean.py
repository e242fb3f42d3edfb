"""Mean of the ratings of each item, with its standard error."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kostra.correlate import correlation
from kostra.ratings import Ratings
from kostra.scoring.ratings import Agreement, FloatArray, RatingOptions, item_scores, plan_says, score_step
from kostra.scoring.ratings import numeric_answers as numeric_answers
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("judgments",)
WRITES = ("scores",)

Options = RatingOptions


def mean_scores(answers: Frame, *, question: str) -> Frame:
    r"""Average the ratings of each item.

    .. math:: \bar x = \frac1n \sum_k x_k, \qquad \mathrm{SE} = \frac{s}{\sqrt n}

    with :math:`s` the sample standard deviation (n − 1). With one rating there is no standard error; where all ratings
    are equal it is 0, a lower bound and not certainty.

    Parameters
    ----------
    answers
        Columns item and value, one row per rating; who gave it does not matter.
    question
        The question under which the scores stand.

    Examples
    --------
    Ratings 1 and 3: mean 2, standard deviation √2, standard error √2 / √2 = 1.

    >>> import polars as pl
    >>> ratings = pl.DataFrame({"item": ["p", "p", "q"], "annotator": ["a", "b", "a"], "value": [1.0, 3.0, 5.0]})
    >>> mean_scores(ratings, question="similarity").select("item", "score", "standard_error").rows()
    [('p', 2.0, 1.0), ('q', 5.0, None)]
    """
    return item_scores(answers, _summary, question=question)


def _summary(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    n = values.shape[1]
    error = values.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(values), np.nan)
    # Equal numbers can differ from their mean by a rounding error.
    return values.mean(axis=1).clip(values[:, 0], values[:, -1]), np.where(
        values[:, 0] == values[:, -1], 0 * error, error
    )


def agreement_with_mean(ratings: Ratings) -> list[Agreement]:
    r"""For each annotator, Pearson's correlation with the mean of the others, over the items that others rated too.

    .. math:: r_a = \mathrm{cor}_i\Bigl(x_{ai},\; \frac{1}{n_i - 1} \sum_{b \ne a} x_{bi}\Bigr)

    NaN with fewer than three such items, or where one side is constant. Chance is 0, so that beyond chance it is the
    same.

    Examples
    --------
    Ann says 1, 2, 3 and the two others on average 1, 2, 3 as well.

    >>> from kostra.ratings import ratings_from
    >>> said = {"ann": (1, 2, 3), "bob": (0, 2, 4), "cy": (2, 2, 2)}
    >>> rows = [(item, value, who) for who, values in said.items() for item, value in zip("pqr", values)]
    >>> items, values, who = zip(*rows)
    >>> [round(found.share, 6) for found in agreement_with_mean(ratings_from(items, values, who))]
    [1.0, 1.0, nan]
    """
    who, item, values = ratings.who("agreement with the others"), ratings.item, ratings.values
    count = np.bincount(item)[item]
    others = (np.bincount(item, values)[item] - values) / np.maximum(count - 1, 1)
    found = []
    for place, name in enumerate(ratings.annotators or ()):
        own = (who == place) & (count > 1)
        # Rounded, so that means which are equal but for the order of their summing are constant.
        r = correlation(values[own], others[own].round(12), ranks=False) if own.sum() > 2 else np.nan
        found.append(Agreement(name, r, r, int(own.sum())))
    return found


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per rated item."""
    return plan_says(inputs, "averages", options)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Score the items."""
    return score_step(inputs, options, context, lambda answers, asked: mean_scores(answers, question=asked.question))

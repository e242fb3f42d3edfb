"""Mean of the ratings of each item without the share at either end, with its standard error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from kostra.errors import KostraError
from kostra.scoring.ratings import FloatArray, RatingOptions, item_scores, plan_says, score_step
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("judgments",)
WRITES = ("scores",)


class Options(RatingOptions):
    """Which ratings count, and how many at the ends do not."""

    share: Annotated[float, Field(ge=0, lt=0.5)] = 0.1
    """The share that is cut off at either end."""


def trimmed_mean_scores(answers: Frame, *, question: str, share: float = 0.1) -> Frame:
    r"""Average the ratings of each item without the smallest and the largest.

    Of n ratings :math:`g = \lfloor \mathrm{share} \cdot n \rfloor` are cut off at either end, and :math:`h = n - 2g`
    remain. So with a share of .1 nothing is cut off below ten ratings, and the result is the mean. The standard error
    [1]_ [2]_ rests on the winsorised ratings :math:`w_k`, in which those cut off become equal to the next one kept:

    .. math:: \mathrm{SE} = \sqrt{\frac{\sum_k (w_k - \bar w)^2}{h\,(h-1)}}

    Parameters
    ----------
    answers
        Columns item and value, one row per rating; who gave it does not matter.
    question
        The question under which the scores stand.
    share
        From 0 (the mean) to below one half.

    Returns
    -------
    Frame
        Scores. If only one rating remains there is no standard error.

    References
    ----------
    .. [1] J. W. Tukey and D. H. McLaughlin (1963). Less vulnerable confidence and significance procedures for location
       based on a single sample: trimming/winsorization 1. Sankhyā A 25, 331–352.
    .. [2] K. K. Yuen (1974). The two-sample trimmed t for unequal population variances. Biometrika 61, 165–170.

    Examples
    --------
    A quarter off either end of 0, 2, 4, 5 leaves 2 and 4: mean 3. Winsorised they are 2, 2, 4, 4, with squared
    deviations of 4 in all: √(4 / (2 · 1)) = 1.4142.

    >>> import polars as pl
    >>> ratings = pl.DataFrame({"item": ["p"] * 4, "value": [0.0, 2.0, 4.0, 5.0]})
    >>> scores = trimmed_mean_scores(ratings, question="similarity", share=0.25)
    >>> scores.select("score", pl.col("standard_error").round(4), "appearances").rows()
    [(3.0, 1.4142, 4)]
    """
    if not 0 <= share < 0.5:
        raise KostraError(f"the share to cut off at either end is {share:g}", accepted="from 0 to below 0.5")
    return item_scores(answers, partial(_summary, share=share), question=question)


def _summary(values: FloatArray, *, share: float) -> tuple[FloatArray, FloatArray]:
    n = values.shape[1]
    cut = int(share * n + 1e-9)  # 0.29 · 100 is a little less than 29 to a computer
    left = n - 2 * cut
    kept = values[:, cut : n - cut]
    mean = kept.mean(axis=1).clip(kept[:, 0], kept[:, -1])
    if left == 1:
        return mean, np.full(len(values), np.nan)
    winsorised = values.clip(kept[:, :1], kept[:, -1:])
    squares = n * winsorised.var(axis=1)
    return mean, np.where(kept[:, 0] == kept[:, -1], 0.0, np.sqrt(squares / (left * (left - 1))))


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per rated item."""
    return plan_says(inputs, f"cuts {options.share:.0%} off either end and averages", options)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Score the items; say so if nothing could be cut off."""
    scores = score_step(
        inputs,
        options,
        context,
        lambda answers, asked: trimmed_mean_scores(answers, question=asked.question, share=options.share),
    )
    most = scores["scores"]["appearances"].max() or 0
    if options.share and int(options.share * int(str(most)) + 1e-9) == 0:
        context.note("nothing_trimmed", f"no item has enough ratings to cut {options.share:.0%} off: these are means")
    return scores

"""Scores from a best–worst choice model in which careful annotators weigh more than careless ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field
from scipy import optimize, sparse

from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict
from kostra.scoring.choice import (
    STEEPEST,
    WIDTHS,
    Answers,
    ChoiceModel,
    Extreme,
    Posterior,
    as_model,
    choice_terms,
    fitted,
    gathered,
    information,
    lbfgs,
    log_determinant,
    score_table,
)
from kostra.scoring.counting import FloatArray, IntArray, best_worst_table, check_answers
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame


@dataclass(frozen=True, kw_only=True, eq=False)
class AnnotatorChoiceModel:
    """A fitted choice model with one scale per annotator.

    Attributes
    ----------
    model
        Latent values, scores and errors of the items. Errors and evidence take the scales as known.
    scale
        Each annotator's inverse temperature: 1 is typical, 0 answers at random; NaN for one without answers.
    answers
        Each annotator's number of answers.
    """

    model: ChoiceModel
    scale: FloatArray
    answers: IntArray


def choice_annotator_scores(
    tuples: IntArray,
    best: IntArray,
    worst: IntArray,
    annotators: IntArray,
    *,
    items: int,
    people: int,
    sigma: float | None = None,
    spread: float = 1.0,
) -> AnnotatorChoiceModel:
    r"""Fit the best–worst choice model together with the annotators' reliabilities, by maximum a posteriori.

    Annotator k answers as in `kostra.scoring.choice.choice_scores` with :math:`a_k z` in place of z, where
    :math:`a_k = e^{t_k} / \overline{e^t}`, the mean being over answers, and :math:`t_k \sim N(0, \mathrm{spread}^2)`:
    heteroscedastic choice [1]_ [2]_. Values and scales are optimised jointly by L-BFGS, from the plain model and equal
    scales; the posterior may have other maxima.

    Parameters
    ----------
    tuples, best, worst, items, sigma
        As in `choice_scores`.
    annotators
        Who gave each answer, 0 … `people` − 1.
    people
        Number of annotators, including those without answers.
    spread
        Width of the prior on the logarithm of the scales. With 1, a typical annotator lies between a third and three.

    Raises
    ------
    ValueError
        If an answer is impossible, an annotator is not one, or a width is not positive.

    References
    ----------
    .. [1] A. A. J. Marley and J. J. Louviere (2005). Some probabilistic models of best, worst, and best–worst
       choices. Journal of Mathematical Psychology 49, 464–480.
    .. [2] D. G. Fiebig, M. P. Keane, J. Louviere and N. Wasi (2010). The generalized multinomial logit model:
       accounting for scale and coefficient heterogeneity. Marketing Science 29, 393–421.

    Examples
    --------
    Two annotators say eight times that 0 is best and 2 worst; a third says the contrary as often as not. The third's
    scale tends to 0, since at any other the answers that contradict the order cost more than those that follow it gain.

    >>> tuples = np.tile([0, 1, 2], (24, 1))
    >>> best, worst = np.array([0] * 16 + [0, 2] * 4), np.array([2] * 16 + [2, 0] * 4)
    >>> who = np.repeat([0, 1, 2], 8)
    >>> fit = choice_annotator_scores(tuples, best, worst, who, items=3, people=3, sigma=1.0)
    >>> fit.model.converged, bool(fit.scale[2] < 0.3 < 1 < fit.scale[0]), bool(np.isclose(fit.scale[0], fit.scale[1]))
    (True, True, True)
    """
    check_answers(tuples, best, worst, items=items)
    _check_annotators(annotators, len(best), people, spread)
    appearances = np.bincount(tuples.ravel(), minlength=items)
    number = np.cumsum(appearances > 0) - 1
    seen = int((appearances > 0).sum())
    plain, where = gathered(number[tuples], number[best], number[worst], items=seen)
    kept, count = np.unique(np.stack([where, annotators]), axis=1, return_counts=True)
    answers = Answers(np.ascontiguousarray(plain.places[:, kept[0]]), count.astype(np.float64), seen)
    start = np.concatenate([fitted(plain, sigma=sigma).z, np.zeros(people)])
    posterior, place = _fitted(answers, kept[1], people, sigma, spread, start)
    given = np.bincount(annotators, minlength=people)
    scales = scales_of(place[seen:], given / max(len(best), 1))
    return AnnotatorChoiceModel(
        model=as_model(posterior, appearances), scale=np.where(given > 0, scales, np.nan), answers=given
    )


def _check_annotators(annotators: IntArray, answers: int, people: int, spread: float) -> None:
    if annotators.shape != (answers,):
        raise ValueError(f"each answer needs an annotator: {answers} answers, shape {annotators.shape}")
    strange = (annotators < 0) | (annotators >= people)
    if strange.any():
        row = int(strange.argmax())
        raise ValueError(f"answer {row}: annotators are numbered 0 … {people - 1}, found {annotators[row]}")
    if not spread > 0:
        raise ValueError(f"the width of the scales' prior, spread, is a positive number; it is {spread}")


def _fitted(
    answers: Answers, who: IntArray, people: int, sigma: float | None, spread: float, start: FloatArray
) -> tuple[Posterior, FloatArray]:
    """The joint maximum, with the given width of the prior or the most likely one; and where it lies."""
    tried: list[tuple[Posterior, FloatArray]] = []

    def cost(log_sigma: float) -> float:
        begin = tried[-1][1] if tried else start
        tried.append(_posterior(answers, who, people, float(np.exp(log_sigma)), spread, begin))
        return -tried[-1][0].evidence

    if sigma is not None or not answers.items:
        cost(float(np.log(sigma or 1.0)))
        return tried[0]
    edges = (float(np.log(WIDTHS[0])), float(np.log(WIDTHS[1])))
    optimize.minimize_scalar(cost, bounds=edges, method="bounded", options={"xatol": 1e-3, "maxiter": 60})
    chosen, place = max(tried, key=lambda one: one[0].evidence)
    return replace(chosen, iterations=sum(one.iterations for one, _ in tried)), place


def _posterior(
    answers: Answers, who: IntArray, people: int, sigma: float, spread: float, start: FloatArray
) -> tuple[Posterior, FloatArray]:
    place, value, iterations, steepest = joint_mode(answers, who, people, sigma, spread, start)
    z, logs = place[: answers.items], place[answers.items :]
    scales = scales_of(logs, np.bincount(who, weights=answers.count, minlength=people) / answers.count.sum())
    precision = (information(z, answers, scales[who]) + sparse.eye_array(answers.items) / sigma**2).tocsr()
    evidence = value - answers.items * np.log(sigma) - 0.5 * log_determinant(precision)
    converged = steepest <= STEEPEST
    message = f"{'converged' if converged else 'did not converge'}: the steepest slope is {steepest:.1e}"
    return Posterior(z, sigma, precision, value, float(evidence), converged, iterations, message), place


def joint_mode(answers: Answers, who: IntArray, people: int, sigma: float, spread: float, start: FloatArray) -> Extreme:
    """Maximise the log-posterior over latent values and logarithms of scales, in this order in one vector."""

    def descent(both: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = joint_log_posterior(both, answers, who, people, sigma, spread)
        return -value, -gradient

    return lbfgs(descent, start)


def joint_log_posterior(
    both: FloatArray, answers: Answers, who: IntArray, people: int, sigma: float, spread: float
) -> tuple[float, FloatArray]:
    """Log-posterior, without the priors' constants, of latent values and log-scales; and its gradient."""
    z, logs = both[: answers.items], both[answers.items :]
    weight = np.bincount(who, weights=answers.count, minlength=people) / answers.count.sum()
    scales = scales_of(logs, weight)
    scale = scales[who]
    x = scale * z[answers.places]
    value, slope, _, _ = choice_terms(x)
    slope *= answers.count
    by_item = np.bincount(answers.places.ravel(), weights=(slope * scale).ravel(), minlength=answers.items)
    by_person = np.bincount(who, weights=(slope * x).sum(axis=0), minlength=people)
    by_person = by_person - weight * scales * by_person.sum()
    prior = 0.5 * float(z @ z) / sigma**2 + 0.5 * float(logs @ logs) / spread**2
    gradient = np.concatenate([by_item - z / sigma**2, by_person - logs / spread**2])
    return float(value @ answers.count) - prior, gradient


def scales_of(logs: FloatArray, weight: FloatArray) -> FloatArray:
    """Scales whose mean over answers is 1; otherwise small values with large scales would please the prior on z."""
    raw = np.exp(logs - logs.max(initial=0.0))
    scales: FloatArray = raw / (weight @ raw)
    return scales


# ---- the step


READS = ("tuples", "judgments")
WRITES = ("scores",)
_CARELESS = 0.2


class Options(Strict):
    """How the model is fitted, and under which name its scores stand."""

    as_question: Name | None = None
    """The question of the scores, where it is not the recipe's."""
    sigma: Annotated[float, Field(gt=0)] | None = None
    """Width of the prior on latent values; without it, the most likely one."""
    spread: Annotated[float, Field(gt=0)] = 1.0
    """Width of the prior on the logarithm of the annotators' scales."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per item."""
    return Plan(
        f"fits a best–worst choice model with annotators' reliabilities to {inputs.get('judgments', 0) // 2:,} answers"
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Score the items on the recipe's range; who weighs little is noted, and nobody is left out."""
    table = best_worst_table(inputs["tuples"], inputs["judgments"])
    names = answering(inputs["judgments"])
    people = sorted(set(names))
    number = {name: place for place, name in enumerate(people)}
    who = np.array([number[name] for name in names], dtype=np.int64)
    fit = choice_annotator_scores(
        table.tuples, table.best, table.worst, who,
        items=len(table.items), people=len(people), sigma=options.sigma, spread=options.spread,
    )  # fmt: skip
    careless = [f"{people[k]} ({fit.scale[k]:.2f})" for k in np.argsort(fit.scale) if fit.scale[k] < _CARELESS]
    if careless:
        context.note("careless", f"{len(careless):,} annotators weigh less than {_CARELESS:g}: {some(careless)}")
    return {"scores": score_table(table, fit.model, options.as_question, context)}


def answering(judgments: Frame) -> list[str]:
    """Who gave each answer of `kostra.scoring.counting.best_worst_table`, in its order."""
    accepted = judgments.filter(pl.col("status") == "answered").select("item", "annotator", "question")
    best, worst = (accepted.filter(pl.col("question") == question) for question in ("best", "worst"))
    both = best.join(worst, on=["item", "annotator"], how="inner", nulls_equal=True, maintain_order="left")
    if both["annotator"].null_count():
        raise KostraError(
            f"{both['annotator'].null_count():,} answers do not say who gave them: their reliability cannot be told",
            remedy="score them with scoring/choice",
        )
    return both["annotator"].to_list()

"""Labels by the model of Dawid and Skene: each annotator has a confusion matrix, so that the careless weigh less."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra.errors import KostraError, extra_needed, some
from kostra.ratings import Ratings, ratings_from
from kostra.scoring.majority import note_ties, refuse_strange_labels, tie_of
from kostra.scoring.ratings import AnswerOptions, accepted_answers
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

READS = ("judgments",)
WRITES = ("scores",)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrowdLabels:
    """What a model of annotators makes of their labels."""

    items: tuple[str, ...]
    labels: tuple[str, ...]
    posterior: FloatArray
    """Items × labels: how probable each label is."""
    annotators: tuple[str, ...]
    reliability: FloatArray
    """Per annotator, from 0 to 1; each model says what it means."""
    iterations: int
    converged: bool
    note: str
    """How convergence was judged."""


def dawid_skene_labels(ratings: Ratings, *, iterations: int = 100, tolerance: float = 1e-5) -> CrowdLabels:
    r"""Estimate labels and annotators' confusion matrices together, by expectation–maximisation [1]_ of crowd-kit [2]_.

    .. math:: P(z_i = c \mid x) \propto p_c \prod_{a} e^{(a)}_{x_{ai},\,c}

    where :math:`e^{(a)}_{k,c}` is the chance that annotator a says k where c is true, and :math:`p_c` how common c is.
    Both are estimated from the posteriors, beginning with the shares of the answers. The reliability of an annotator
    is the chance to be right, :math:`\sum_c p_c\, e^{(a)}_{c,c}`.

    Parameters
    ----------
    ratings
        Labels (or numbers, which are then labels by their value) with an annotator each.
    iterations
        At most so many rounds.
    tolerance
        It has converged when a round gains less than this per answer. What crowd-kit measures is the evidence lower
        bound with the prior counted once per answer instead of once per item, so that it can also fall: then
        it stops as well, and the result is not called converged.

    Raises
    ------
    KostraError
        If answers are anonymous, there are none, or crowd-kit is not installed (the extra ``crowd``).

    References
    ----------
    .. [1] A. P. Dawid and A. M. Skene (1979). Maximum likelihood estimation of observer error-rates using the EM
       algorithm. Journal of the Royal Statistical Society C 28, 20–28.
    .. [2] D. Ustalov, N. Pavlichenko and B. Tseitlin (2024). Learning from crowds with Crowd-Kit. Journal of Open
       Source Software 9 (96), 6227.

    Examples
    --------
    Ann and Bob agree on two items of each label; Cy says yes whatever he sees, and so says nothing: he is right
    for half of the items. (Runs where the extra is installed.)

    >>> from kostra.ratings import ratings_from
    >>> said = [("ann", "yyNN"), ("bob", "yyNN"), ("cy", "yyyy")]
    >>> rows = [(f"item {i}", who, value) for who, values in said for i, value in enumerate(values)]
    >>> found = dawid_skene_labels(
    ...     ratings_from([r[0] for r in rows], [r[2] for r in rows], [r[1] for r in rows])
    ... )  # doctest: +SKIP
    >>> found.reliability.round(6).tolist(), found.converged  # doctest: +SKIP
    ([1.0, 1.0, 0.5], True)
    """
    table = crowd_table(ratings, "the model of Dawid and Skene")
    with crowd_kit("the model of Dawid and Skene") as aggregation:
        fitted = aggregation.DawidSkene(n_iter=iterations, tol=tolerance).fit(table.frame())
    history = [-np.inf, *fitted.loss_history_]
    gain = history[-1] - history[-2]
    right = np.array(
        [[fitted.errors_[c].get((a, c), 0.0) for c in range(len(table.labels))] for a in range(len(table.annotators))]
    )
    priors = fitted.priors_.sort_index().to_numpy()
    return table.result(
        posterior=fitted.probas_.sort_index().sort_index(axis=1).to_numpy(),
        reliability=right @ (priors / priors.sum()),
        iterations=len(fitted.loss_history_),
        # A first round that changes nothing gains "infinitely" much.
        converged=bool(-tolerance < gain < tolerance),
        note=f"the last of {len(fitted.loss_history_)} rounds gained {gain:.1e} per answer",
    )


# What Dawid–Skene and MACE share ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CrowdTable:
    """Answers numbered so that crowd-kit's tables come out in one order, whatever the order of the answers.

    Its MACE numbers annotators and labels by first appearance in one place and by sorted name in another; here the
    two orders are the same.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    codes: Frame
    """Columns task, worker, label: whole numbers, each numbered by first appearance."""

    def frame(self) -> Any:
        """The answers as a pandas table, which is what crowd-kit takes."""
        return import_module("pandas").DataFrame({name: self.codes[name].to_numpy() for name in self.codes.columns})

    def result(
        self, *, posterior: FloatArray, reliability: FloatArray, iterations: int, converged: bool, note: str
    ) -> CrowdLabels:
        """The model's result; crowd-kit's posteriors are off 1 by 1e-10 a label, which is mended."""
        whole = posterior / posterior.sum(axis=1, keepdims=True)
        return CrowdLabels(self.items, self.labels, whole, self.annotators, reliability, iterations, converged, note)


def crowd_table(ratings: Ratings, purpose: str) -> CrowdTable:
    """Number the answers for crowd-kit; anonymous answers are refused, and so are none at all."""
    who = ratings.who(purpose)
    if not ratings.answers or ratings.annotators is None:
        raise KostraError(f"{purpose} needs answers, and there are none")
    names = ratings.labels or tuple(f"{value:g}" for value in np.unique(ratings.values))
    codes = ratings.values.astype(np.int64) if ratings.labels else np.unique(ratings.values, return_inverse=True)[1]
    rows = sorted(
        (ratings.items[item], ratings.annotators[annotator], names[code])
        for item, annotator, code in zip(ratings.item, who, codes.reshape(-1), strict=True)
    )
    numbered = [
        {name: number for number, name in enumerate(dict.fromkeys(column))} for column in zip(*rows, strict=True)
    ]
    items, annotators, labels = (tuple(numbers) for numbers in numbered)
    coded = [[numbers[name] for numbers, name in zip(numbered, row, strict=True)] for row in rows]
    return CrowdTable(items, annotators, labels, pl.DataFrame(coded, schema=["task", "worker", "label"], orient="row"))


@contextmanager
def crowd_kit(purpose: str) -> Iterator[Any]:
    """Import crowd-kit, or name the extra; what pandas has against crowd-kit's code is not the user's concern."""
    try:
        aggregation = import_module("crowdkit.aggregation")
    except ImportError:
        raise extra_needed("crowd-kit", "crowd", purpose=purpose) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        yield aggregation


def crowd_scores(found: CrowdLabels, ratings: Ratings, *, question: str) -> Frame:
    """The most probable label of each item; its posterior is the score, its share of the answers is `raw`.

    Labels whose posteriors are equal (to 1e-9) are a tie, as in `kostra.scoring.majority`.
    """
    best = found.posterior.max(axis=1)
    winners = [
        [found.labels[place] for place in np.flatnonzero(row >= top - 1e-9)]
        for row, top in zip(found.posterior, best, strict=True)
    ]
    said = ratings.labels
    given: dict[str, list[str]] = {}
    for item, value in zip(ratings.item, ratings.values, strict=True):
        given.setdefault(ratings.items[item], []).append(said[int(value)] if said else f"{value:g}")
    shares = [given[item].count(first[0]) / len(given[item]) for item, first in zip(found.items, winners, strict=True)]
    frame = pl.DataFrame(
        {
            "item": found.items,
            "question": [question] * len(found.items),
            "score": best,
            "label": [first[0] if len(first) == 1 else tie_of(first) for first in winners],
            "raw": shares,
            "appearances": [len(given[item]) for item in found.items],
        }
    )
    return check(frame, SCORES, where="labels of a crowd")


class CrowdOptions(AnswerOptions):
    """Which answers count, and how long the model is fitted."""

    iterations: Annotated[int, Field(ge=1)] = 100
    """Most rounds of expectation–maximisation."""


def crowd_step(
    inputs: Inputs, options: CrowdOptions, context: Context, fit: Callable[[Ratings], CrowdLabels]
) -> dict[str, Frame]:
    """What both steps do: fit, say whether it converged and whom the model trusts least, and label."""
    question = options.question or context.recipe.score.question
    answers = accepted_answers(inputs["judgments"], question, options)
    refuse_strange_labels(answers)
    who = answers["annotator"]
    named = None if who.null_count() else who.to_list()
    ratings = ratings_from(answers["item"].to_list(), answers["value"].to_list(), named)
    found = fit(ratings)
    context.note("converged" if found.converged else "not_converged", found.note)
    order = np.argsort(found.reliability, kind="stable")
    trust = some([f"{found.annotators[place]} {found.reliability[place]:.2f}" for place in order])
    context.note("reliability", f"annotators by reliability, least first: {trust}")
    scores = crowd_scores(found, ratings, question=options.as_question or question)
    note_ties(scores, context)
    return {"scores": scores}


# The step ----------------------------------------------------------------------------------------------


class Options(CrowdOptions):
    """Which answers count, and when the model has converged."""

    tolerance: Annotated[float, Field(gt=0)] = 1e-5
    """A gain per answer below which it has."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One label per judged item."""
    return Plan(f"fits annotators' confusion matrices to {inputs.get('judgments', 0):,} judgments and labels the items")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Label the items."""
    return crowd_step(
        inputs,
        options,
        context,
        lambda ratings: dawid_skene_labels(ratings, iterations=options.iterations, tolerance=options.tolerance),
    )

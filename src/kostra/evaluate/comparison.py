"""Encoders beside each other on one dataset: who is better, by how much, and who cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from kostra.correlate import correlation
from kostra.errors import KostraError
from kostra.evaluate.bootstrap import interval
from kostra.evaluate.dependent import bootstrap_p, steiger, williams
from kostra.evaluate.letters import holm, letters
from kostra.evaluate.outcome import Evaluation
from kostra.evaluate.relatedness import LEAST, Related

Figure = Literal["spearman", "pearson"]
By = Literal["bootstrap", "williams", "steiger"]
ALPHA = 0.05


@dataclass(frozen=True)
class Standing:
    """One encoder's place."""

    encoder: str
    value: float | None
    low: float | None
    high: float | None
    letters: str
    """Encoders that share a letter cannot be told apart."""


@dataclass(frozen=True)
class Difference:
    """One encoder less another."""

    first: str
    second: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    """By the standard error over bootstrap samples of sentences."""
    williams_t: float | None = None
    williams_p: float | None = None
    steiger_z: float | None = None
    steiger_p: float | None = None
    holm_p: float | None = None
    """The p-value of the chosen test, adjusted for the number of pairs of encoders."""


@dataclass(frozen=True)
class Comparison:
    """Encoders on one dataset, best first."""

    dataset: str
    question: str
    metric: str
    test: By
    n: int
    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    people: tuple[Evaluation, ...] = ()


def compare_encoders(related: Related, *, figure: Figure = "spearman", test: By = "bootstrap") -> Comparison:
    """Compare all encoders of an evaluation with each other.

    Williams' and Steiger's tests take pairs as independent. The bootstrap resamples sentences, on which all encoders
    meet the same samples; it is the one to trust where sentences are shared, and it is cautious.
    """
    if len(related.evaluations) < 2:
        raise KostraError("there is one encoder to compare", accepted="two encoders or more")
    metric = next(
        one.metric for one in related.evaluations[0].measures if one.part == "all" and one.metric.endswith(f"_{figure}")
    )
    ordered = sorted(related.evaluations, key=lambda one: -(_value(one, metric)))
    pairs = list(combinations(ordered, 2))
    found = [_difference(related, one, two, metric, figure) for one, two in pairs]
    chosen = [{"bootstrap": one.p, "williams": one.williams_p, "steiger": one.steiger_p}[test] for one in found]
    adjusted = holm([math.nan if p is None else p for p in chosen])
    differences = tuple(replace(one, holm_p=_known(p)) for one, p in zip(found, adjusted, strict=True))
    return Comparison(
        dataset=ordered[0].dataset,
        question=related.scored.question,
        metric=metric,
        test=test,
        n=len(related.scored.gold),
        standings=_standings(ordered, metric, pairs, adjusted),
        differences=differences,
        people=related.people,
    )


def _value(one: Evaluation, metric: str) -> float:
    value = one.value(metric)
    return -math.inf if value is None else value


def _standings(
    ordered: Sequence[Evaluation],
    metric: str,
    pairs: Sequence[tuple[Evaluation, Evaluation]],
    adjusted: Sequence[float],
) -> tuple[Standing, ...]:
    place = {one.encoder: row for row, one in enumerate(ordered)}
    different = np.zeros((len(ordered), len(ordered)), dtype=np.bool_)
    for (one, two), p in zip(pairs, adjusted, strict=True):
        if p < ALPHA:
            different[place[one.encoder], place[two.encoder]] = different[place[two.encoder], place[one.encoder]] = True
    standings = []
    for one, marks in zip(ordered, letters(different), strict=True):
        measure = one.measure(metric)
        assert measure is not None
        standings.append(Standing(one.encoder, measure.value, measure.low, measure.high, marks))
    return tuple(standings)


def _difference(related: Related, one: Evaluation, two: Evaluation, metric: str, figure: Figure) -> Difference:
    first, second = one.value(metric), two.value(metric)
    if first is None or second is None:
        return Difference(one.encoder, two.encoder)
    if len(related.scored.gold) < LEAST:  # too few for any test
        return Difference(one.encoder, two.encoder, first - second)
    between = correlation(related.predicted[one.encoder], related.predicted[two.encoder], ranks=figure == "spearman")
    n = len(related.scored.gold)
    t, z = williams(first, second, between, n), steiger(first, second, between, n)
    drawn = related.samples[one.encoder, figure] - related.samples[two.encoder, figure]
    ends = interval(drawn)
    return Difference(
        one.encoder,
        two.encoder,
        first - second,
        *map(_known, (ends.low, ends.high, bootstrap_p(first - second, drawn), t.statistic, t.p, z.statistic, z.p)),
    )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None

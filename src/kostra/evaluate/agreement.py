"""Encoders against gold scores, whole and in parts: five figures each, with samples of the sentence bootstrap.

All encoders meet the same samples, so that their difference can be judged; the gold side is ranked once per sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from kostra.evaluate import weighted
from kostra.evaluate.bootstrap import Units, Weights, drawn_weights
from kostra.evaluate.folds import Ends
from kostra.evaluate.weighted import Concordance, Side, ranked

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FIGURES = ("spearman", "pearson", "kendall", "mse", "mse_isotonic")
CORRELATIONS = FIGURES[:3]
LARGE = 20_000
"""With more pairs than this, Kendall's τ is given without an interval: its samples would take minutes."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the pairs."""

    name: str
    rows: IntArray


@dataclass(frozen=True, eq=False)
class Predicted:
    """What one encoder says about all pairs."""

    similarity: FloatArray
    mapped: FloatArray | None = None
    """On the range of the scores; None where no squared error is wanted."""
    fitted: FloatArray | None = None
    """By isotonic calibration on other folds."""


@dataclass(frozen=True, eq=False)
class Figures:
    """Values as encoders × parts × figures, and samples as encoders × parts × figures × samples."""

    values: FloatArray
    samples: FloatArray


class _Case:
    """One part, prepared: what does not change from sample to sample."""

    def __init__(self, part: Part, gold: FloatArray, predicted: Sequence[Predicted], kendall: bool) -> None:
        self.rows = part.rows
        self.whole = len(part.rows) == len(gold)
        self.gold = Side.of(gold[part.rows])
        self.sides = [Side.of(one.similarity[part.rows]) for one in predicted]
        self.concordance = [Concordance(side, self.gold) if kendall else None for side in self.sides]
        self.errors = [
            [None if made is None else (made - gold)[part.rows] ** 2 for made in (one.mapped, one.fitted)]
            for one in predicted
        ]

    def figures(self, weights: Weights) -> FloatArray:
        """Encoders × figures × samples."""
        own = weights if self.whole else weights[self.rows]
        gold = ranked(self.gold, own)
        none = np.full(own.shape[1], np.nan)
        found = []
        for side, concordance, errors in zip(self.sides, self.concordance, self.errors, strict=True):
            ranks = ranked(side, own)
            found.append(
                [
                    weighted.spearman(ranks, gold, own),
                    weighted.pearson(side, self.gold, own),
                    none if concordance is None else concordance.tau(own, ranks, gold),
                    *(none if error is None else weighted.mean(error, own) for error in errors),
                ]
            )
        return np.array(found)


def agreement(
    predicted: Sequence[Predicted],
    gold: FloatArray,
    parts: Sequence[Part],
    ends: Ends,
    *,
    samples: int,
    rng: np.random.Generator,
    units: Units = "sentences",
    kendall: bool = True,
) -> Figures:
    """Compare each encoder's similarities with the scores.

    Parameters
    ----------
    samples
        Bootstrap samples; 0 for none.
    kendall
        Whether Kendall's τ-b gets samples too; its value is always given.

    Examples
    --------
    >>> gold = np.array([0.0, 0.5, 1.0])
    >>> said = Predicted(np.array([0.1, 0.3, 0.2]))
    >>> ends = Ends.of([("a", "b"), ("c", "d"), ("e", "f")])
    >>> parts = [Part("all", np.arange(3))]
    >>> found = agreement([said], gold, parts, ends, samples=0, rng=np.random.default_rng(1))
    >>> found.values[0, 0, :3].round(3).tolist()
    [0.5, 0.5, 0.333]
    """
    once = np.ones((len(gold), 1))
    prepared = [_Case(part, gold, predicted, kendall=True) for part in parts]
    values = np.stack([case.figures(once)[:, :, 0] for case in prepared], axis=1)
    drawn = np.full((len(predicted), len(parts), len(FIGURES), samples), np.nan)
    if samples and ends.pairs > 1:
        if not kendall or len(gold) > LARGE:
            for case in prepared:
                case.concordance = [None] * len(predicted)
        with threadpool_limits(1, "blas"):  # the matrices are small: more threads would only wait for each other
            done = 0
            for weights in drawn_weights(ends, samples=samples, rng=rng, units=units):
                now = weights.shape[1]
                for place, case in enumerate(prepared):
                    drawn[:, place, :, done : done + now] = case.figures(weights)
                done += now
    return Figures(values, drawn)

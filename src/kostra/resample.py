"""Seeded resampling: bootstrap intervals whose units the caller names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Interval:
    """The ends of a percentile interval, and how many samples were left out because the statistic was undefined."""

    low: float
    high: float
    undefined: int = 0


def bootstrap_interval(
    statistic: Callable[[IntArray], float],
    units: int,
    *,
    rng: np.random.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval (Efron & Tibshirani, 1993, ch. 13).

    Parameters
    ----------
    statistic
        Function of the drawn unit numbers, an array of `units` integers from 0, drawn with replacement. A sample on
        which it is NaN is left out and counted.
    units
        How many independent units there are: pairs, items or annotators, whatever was sampled.

    Examples
    --------
    The mean of a constant does not vary:

    >>> values = np.array([2.0, 2.0, 2.0])
    >>> bootstrap_interval(lambda drawn: values[drawn].mean(), 3, rng=np.random.default_rng(1), samples=10)
    Interval(low=2.0, high=2.0, undefined=0)
    """
    drawn = rng.integers(0, units, size=(samples, units)) if units else np.empty((samples, 0), np.int64)
    values = np.array([statistic(sample) for sample in drawn])
    defined = values[np.isfinite(values)]
    if not len(defined):
        return Interval(float("nan"), float("nan"), samples)
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), samples - len(defined))

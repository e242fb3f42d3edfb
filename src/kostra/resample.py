"""Seeded resampling: bootstrap intervals whose units the caller names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kostra.errors import KostraError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Numbers drawn at once: a few arrays of this many, so that memory stays bounded whatever the number of units.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Interval:
    """The ends of a percentile interval, and how many samples were left out because the statistic was undefined."""

    low: float
    high: float
    undefined: int = 0


def seeded(seed: int) -> np.random.Generator:
    """Make the source of randomness that a user's seed names.

    Examples
    --------
    >>> seeded(-1)
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: the seed is -1
      accepted: a whole number from 0
    """
    if seed < 0:
        raise KostraError(f"the seed is {seed}", accepted="a whole number from 0")
    return np.random.default_rng(seed)


def bootstrap_interval(
    statistic: Callable[[IntArray], FloatArray],
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
        Function of the drawn unit numbers: given a matrix with one sample of `units` integers from 0 a row, drawn with
        replacement, it returns one value a row. A sample on which it is NaN is left out and counted.
    units
        How many independent units there are: pairs, items or annotators, whatever was sampled.

    Examples
    --------
    The mean of a constant does not vary:

    >>> values = np.array([2.0, 2.0, 2.0])
    >>> bootstrap_interval(lambda drawn: values[drawn].mean(axis=1), 3, rng=np.random.default_rng(1), samples=10)
    Interval(low=2.0, high=2.0, undefined=0)
    """
    if samples < 1 or not 0 < level < 1:
        raise ValueError(f"an interval needs 1 sample or more and a level between 0 and 1; found {samples} and {level}")
    if not units:
        return Interval(float("nan"), float("nan"), samples)
    block = max(1, _BLOCK // units)
    sizes = [min(block, samples - start) for start in range(0, samples, block)]
    values = np.concatenate([statistic(rng.integers(0, units, size=(size, units))) for size in sizes])
    defined = values[np.isfinite(values)]
    if not len(defined):
        return Interval(float("nan"), float("nan"), samples)
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), samples - len(defined))

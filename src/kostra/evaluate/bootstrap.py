"""A bootstrap that resamples sentences: a pair counts as often as its sentences were drawn, one times the other.

Pairs that share a sentence are not independent, so resampling pairs as if they were gives intervals that are too
narrow. Here the sentences are drawn with replacement, and the weight of a pair is the product of how often its two
sentences were drawn: the pigeonhole bootstrap [1]_. It errs on the safe side. Where no sentence stands in two pairs,
the variance of a weight is 3 instead of 1, so that an interval is up to √3 as wide as it need be; ``units="pairs"``
resamples pairs instead, and is right there.

References
----------
.. [1] A. B. Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1, 386–411.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kostra.evaluate.folds import Ends
from kostra.resample import Interval

Units = Literal["sentences", "pairs"]
Weights = NDArray[np.float64]

# Weights held at once: a few arrays of this many, which the processor's cache still half holds.
_BLOCK = 700_000


def drawn_weights(
    ends: Ends, *, samples: int, rng: np.random.Generator, units: Units = "sentences"
) -> Iterator[Weights]:
    """Draw the weights of the pairs (pairs × samples), a block of samples at a time.

    A pair of a sentence with itself has one sentence, and its weight is how often that was drawn. Weights are whole
    numbers, held as 32-bit floats: sums of them are exact.

    Examples
    --------
    >>> blocks = list(drawn_weights(Ends.of([("a", "b"), ("a", "c")]), samples=5, rng=np.random.default_rng(1)))
    >>> [block.shape for block in blocks]
    [(2, 5)]
    """
    count = ends.sentences if units == "sentences" else ends.pairs
    size = max(1, min(samples, 128, _BLOCK // max(count, 1)))
    same = ends.first == ends.second
    for start in range(0, samples, size):
        now = min(size, samples - start)
        drawn = rng.integers(0, count, size=(count, now)) * now + np.arange(now)
        often = np.bincount(drawn.reshape(-1), minlength=count * now).reshape(count, now).astype(np.float32)
        if units == "pairs":
            yield often  # type: ignore[misc]
            continue
        weights = often[ends.first]
        other = often[ends.second]
        other[same] = 1.0
        weights *= other
        yield weights  # type: ignore[misc]


def interval(values: NDArray[np.float64], *, level: float = 0.95) -> Interval:
    """Percentile interval of a statistic's samples; those on which it is undefined are left out and counted.

    Examples
    --------
    >>> interval(np.array([1.0, 2.0, 3.0, np.nan]), level=0.5)
    Interval(low=1.5, high=2.5, undefined=1)
    """
    defined = values[np.isfinite(values)]
    if not len(defined):
        return Interval(float("nan"), float("nan"), len(values))
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), len(values) - len(defined))


def cluster_mean_interval(
    values: NDArray[np.float64], cluster: NDArray[np.int64], *, samples: int, rng: np.random.Generator
) -> Interval | None:
    """Interval of a mean whose values hang together in clusters (the rewrites of one seed): clusters are resampled.

    None where no samples are wanted or there are fewer than two clusters.

    Examples
    --------
    Two clusters with the means 0 and 1: the mean of two draws is 0, ½ or 1.

    >>> found = cluster_mean_interval(np.array([0.0, 1.0]), np.array([4, 7]), samples=200, rng=np.random.default_rng(1))
    >>> found.low, found.high
    (0.0, 1.0)
    """
    number = np.unique(cluster, return_inverse=True)[1].reshape(-1)
    count = int(number.max(initial=-1)) + 1
    if not samples or count < 2:
        return None
    sums, sizes = np.bincount(number, values), np.bincount(number)
    drawn = rng.integers(0, count, size=(samples, count))
    return interval(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))

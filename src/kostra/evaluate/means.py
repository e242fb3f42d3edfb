"""Measures that are a mean over rows which hang together by seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kostra.evaluate.bootstrap import cluster_mean_interval
from kostra.evaluate.outcome import Measure


@dataclass(frozen=True, eq=False)
class Means:
    """Makes measures of means, with intervals from bootstrap samples of seeds.

    Examples
    --------
    >>> means = Means(samples=0, rng=np.random.default_rng(1))
    >>> means.of("past", "mean_cosine", np.array([0.5, 1.0]), np.array([0, 1])).value
    0.75
    """

    samples: int
    rng: np.random.Generator

    def of(
        self, part: str, metric: str, values: NDArray[np.generic], cluster: NDArray[np.int64], note: str = ""
    ) -> Measure:
        """The mean of the values; undefined where there are none."""
        numbers = values.astype(np.float64)
        if not len(numbers):
            return Measure(part, metric, None, note="undefined: there is nothing to average")
        ends = cluster_mean_interval(numbers, cluster, samples=self.samples, rng=self.rng)
        value = float(numbers.mean())
        if ends is None:
            return Measure(part, metric, value, n=len(numbers), note=note)
        said = f"95% interval from {self.samples:,} bootstrap samples of seeds"
        return Measure(part, metric, value, ends.low, ends.high, len(numbers), f"{note}; {said}" if note else said)

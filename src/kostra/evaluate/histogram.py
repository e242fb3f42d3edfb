"""Scores in whole classes, halves going up: the histogram by which a release is recognised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def half_up(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Round to whole numbers, a half always up.

    NumPy rounds halves to the even neighbour; CDSCorpus' Table 3 comes out only with halves going up.

    Examples
    --------
    >>> half_up(np.array([0.5, 1.5, 2.5, 2.49])).tolist()
    [1, 2, 3, 2]
    """
    return np.floor(values + 0.5).astype(np.int64)


def histogram(values: NDArray[np.float64], *, low: int, high: int) -> dict[int, int]:
    """How many values fall on each whole number of a scale.

    Examples
    --------
    >>> histogram(np.array([0.2, 0.5, 2.0]), low=0, high=2)
    {0: 1, 1: 1, 2: 1}
    """
    classes = half_up(values)
    return {point: int((classes == point).sum()) for point in range(low, high + 1)}

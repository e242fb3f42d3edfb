"""An encoder's similarities as scores: mapped by their range, or by a monotone curve fitted on other pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kostra.evaluate.folds import Folds

FloatArray = NDArray[np.float64]


def range_mapped(values: FloatArray, *, low: float, high: float) -> FloatArray:
    """Similarities on the range of the scores, by a straight line and nothing fitted to the scores.

    Similarities that lie between −1 and 1, such as cosines and overlaps, run from 0 (and below) to `low` and from 1 to
    `high`. Others (dot products, distances, a cross-encoder's logits) have no scale of their own: their least and
    greatest value go to the ends.

    Examples
    --------
    >>> range_mapped(np.array([-0.2, 0.5, 1.0]), low=0, high=6).tolist()
    [0.0, 3.0, 6.0]
    >>> range_mapped(np.array([-12.0, -4.0]), low=0, high=6).tolist()
    [0.0, 6.0]
    """
    bottom, top = 0.0, 1.0
    if np.abs(values).max(initial=0.0) > 1.0:
        bottom, top = float(values.min()), float(values.max())
    share = np.zeros(len(values)) if top == bottom else ((values - bottom) / (top - bottom)).clip(0.0, 1.0)
    return np.asarray(low + (high - low) * share)


def isotonic_scores(values: FloatArray, gold: FloatArray, folds: Folds) -> FloatArray:
    """Each pair's score by the rising curve that fits the pairs of the other folds best in squares.

    Pool-adjacent-violators on the training pairs, pairs of one similarity averaged first; straight lines between its
    points, and level beyond its ends (as scikit-learn's `IsotonicRegression` with ``out_of_bounds="clip"``).

    Examples
    --------
    >>> from kostra.evaluate.folds import Ends
    >>> folds = Folds(np.array([0, 0, 1]), Ends.of([("a", "b"), ("c", "d"), ("e", "f")]), kind="random")
    >>> isotonic_scores(np.array([0.0, 1.0, 0.5]), np.array([0.0, 4.0, 1.0]), folds).tolist()
    [1.0, 1.0, 2.0]
    """
    found = np.full(len(values), np.nan)
    for train, test in folds:
        if not len(train):
            continue  # everything bridges to this fold and was left out: its pairs have no calibrated score
        points, curve = _curve(values[train], gold[train])
        found[test] = np.interp(values[test], points, curve)
    return found


def _curve(values: FloatArray, gold: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.optimize import isotonic_regression  # takes long to import, and most calls do without

    points, place, often = np.unique(values, return_inverse=True, return_counts=True)
    means = np.bincount(place.reshape(-1), gold) / often
    return points, np.asarray(isotonic_regression(means, weights=often.astype(np.float64)).x)

"""Diagonal-filtered training sets: pairs whose score lies near what their class promises, and controls as large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kostra.errors import KostraError, nearest, some

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def diagonal_filter(
    scores: FloatArray, classes: Sequence[str | None], *, expected: Mapping[str, float], within: float
) -> BoolArray:
    """Say which pairs have a score within a distance of the value expected of their class [1]_.

    A pair is kept if |score − expected[class]| ≤ `within`. In [1]_ sentences were picked as most similar (A, expected
    6), middling (B, 3) and least similar (C, 0); N1 keeps those within 1 and N2 those within 2.

    Raises
    ------
    KostraError
        If a pair has no class, or one of which nothing is expected.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Section 7.

    Examples
    --------
    >>> expected = {"a": 6.0, "b": 3.0, "c": 0.0}
    >>> scores = np.array([5.0, 4.0, 5.0, 2.0])
    >>> diagonal_filter(scores, ["a", "a", "b", "c"], expected=expected, within=1).tolist()
    [True, False, False, False]
    >>> diagonal_filter(scores, ["a", "a", "b", "c"], expected=expected, within=2).tolist()
    [True, True, True, True]
    """
    strange = [name for name in dict.fromkeys(classes) if name not in expected]
    if None in strange:
        raise KostraError(
            f"{sum(name is None for name in classes):,} of {len(classes):,} pairs have no class",
            accepted=f'pairs with the column "subset": {some(expected)}',
            remedy="a release without classes cannot be filtered",
        )
    if strange:
        guess = nearest(str(strange[0]), expected)
        raise KostraError(
            f"nothing is expected of the class {some(strange)}",
            accepted=some(expected),
            remedy=f'did you mean "{guess}"?' if guess else None,
        )
    promised = np.array([expected[name] for name in classes if name is not None], dtype=np.float64)
    # 3.1 − 3 is a little more than .1 to a computer, and is meant to be within .1.
    return np.asarray(np.abs(scores - promised) <= within + 1e-9)


def as_many_at_random(kept: BoolArray, *, rng: np.random.Generator) -> BoolArray:
    """As many pairs as a filter kept, drawn at random: what the filter must beat.

    Examples
    --------
    >>> int(as_many_at_random(np.array([True, False, True, False]), rng=np.random.default_rng(1)).sum())
    2
    """
    return np.asarray(rng.permutation(kept))

"""Which of several cannot be told apart: Holm's correction, and letters that what is alike shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p: Sequence[float]) -> list[float]:
    """P-values adjusted for their number (Holm, 1979); what is not a number stays so and does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.array(p, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted = values.copy()
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return [round(value, 12) for value in adjusted.tolist()]


def letters(different: NDArray[np.bool_]) -> list[str]:
    """Letters such that two things share one exactly if they are not different.

    Insert-and-absorb (H.-P. Piepho, 2004. An algorithm for a letter-based representation of all-pairwise comparisons.
    Journal of Computational and Graphical Statistics 13, 456–466).

    Parameters
    ----------
    different
        A symmetric table: which differ from which.

    Examples
    --------
    The first and the last differ; the one between is like both.

    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ['a', 'ab', 'b']
    """
    count = len(different)
    groups = [frozenset(range(count))]
    for one, two in zip(*np.nonzero(np.triu(different)), strict=True):
        split: list[frozenset[int]] = []
        for group in groups:
            split += [group - {int(one)}, group - {int(two)}] if one in group and two in group else [group]
        kept = list(dict.fromkeys(split))
        groups = [group for group in kept if group and not any(group < other for other in kept)]
    ordered = sorted(groups, key=sorted)
    return ["".join(_letter(place) for place, group in enumerate(ordered) if row in group) for row in range(count)]


def _letter(place: int) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return alphabet[place] if place < len(alphabet) else f"({place + 1})"

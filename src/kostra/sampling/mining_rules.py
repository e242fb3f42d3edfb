"""What a threshold asks of two sentences: bounds that are cheaper to look at than the sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kostra.sampling.mining_corpus import FloatArray, IntArray

_SLACK = 1e-9  # bounds give way by this share, so that rounding never loses a pair; the comparison itself is exact
_LEAST = 1e-100  # no overlap lies between 0 and this
_WORDS = 2  # of 64 bits, in a signature


class Rule:
    """Bounds that every pair at or above a threshold keeps; sentences are numbered by growing mass.

    Of a pair, x is the smaller sentence (for Dice) or the first (for the share of the first), and y the other. With m
    the mass of a sentence and t the threshold, the shared mass must be at least

    * Dice: t·(m(x) + m(y)) / 2, so m(y) is at most m(x)·(2 − t) / t;
    * share of the first: t·m(x), so m(y) is at least that.
    """

    def __init__(self, threshold: float, symmetric: bool, mass: IntArray) -> None:
        self.threshold = max(threshold * (1 - _SLACK), _LEAST)
        self.symmetric = symmetric
        self.mass = mass
        rows = np.arange(len(mass), dtype=np.int64)
        if symmetric:
            self.near: IntArray = rows + 1
            self.far: IntArray = np.searchsorted(mass, mass * ((2 - self.threshold) / self.threshold), side="right")
        else:
            self.near = np.searchsorted(mass, self.threshold * mass)
            self.far = np.full(len(mass), len(mass), dtype=np.int64)

    def need(self, x: IntArray, y: IntArray) -> FloatArray:
        """The least mass that x and y must share."""
        return np.asarray((self.threshold / 2) * (x + y) if self.symmetric else self.threshold * x, dtype=np.float64)

    def own(self, x: IntArray) -> FloatArray:
        """The least mass that x must share with any y."""
        return np.asarray(self.threshold * x, dtype=np.float64)

    def least(self, y: IntArray) -> FloatArray:
        """The least mass that y must share with any x; x is not known yet, and may be small."""
        share = self.threshold / (2 - self.threshold) if self.symmetric else 0.0
        return np.asarray(share * y, dtype=np.float64)

    def settled(self, shared: IntArray, row: IntArray) -> IntArray:
        """Up to which sentence (exclusive) a partner of x is certain to share enough, if it shares that mass."""
        if self.symmetric:
            return np.searchsorted(self.mass, 2 * shared / self.threshold - self.mass[row], side="right")
        return np.where(shared >= self.threshold * self.mass[row], len(self.mass), 0)


class Signatures:
    """128 bits per sentence, from which follows how many words two sentences share at most.

    Each word of the vocabulary has a bit, and a sentence's signature is the exclusive or of its words'. Two signatures
    differ in at most as many bits as there are words in one sentence but not in the other (Sandes, Teodoro and Melo
    2020, "Bitmap filter").

    Examples
    --------
    >>> signs = Signatures(np.array([0, 2, 4]), np.array([0, 1, 0, 1]))
    >>> signs.most_shared(np.array([0]), np.array([1])).tolist()
    [2.0]
    """

    def __init__(self, starts: IntArray, types: NDArray[np.int32]) -> None:
        self._sizes = np.diff(starts)
        self._signs = np.zeros((_WORDS, len(self._sizes)), dtype=np.uint64)
        bit = (types.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(57)  # the first 7 bits of a hash
        filled = np.flatnonzero(self._sizes)
        for word in range(_WORDS if len(filled) else 0):
            mine = (bit >> np.uint64(6)) == word
            ones = np.where(mine, np.uint64(1) << (bit & np.uint64(63)), np.uint64(0))
            self._signs[word, filled] = np.bitwise_xor.reduceat(ones, starts[:-1][filled])

    def most_shared(self, first: IntArray, second: IntArray) -> FloatArray:
        """The greatest number of words that each pair can share."""
        different = np.zeros(len(first), dtype=np.int64)
        if hasattr(np, "bitwise_count"):  # from NumPy 2 on; before, the pairs are compared without this filter
            for signs in self._signs:
                different += np.bitwise_count(signs[first] ^ signs[second])
        return np.asarray((self._sizes[first] + self._sizes[second] - different) / 2)

"""Jaccard coefficient of the two sentences' words: shared words over all words of both."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kostra.encoders.protocol import Identity, Numbers, Pairs
from kostra.encoders.specs import takes_no_argument
from kostra.text import WORDS_VERSION, words


def jaccard(first: Iterable[str], second: Iterable[str]) -> float:
    """Jaccard coefficient of two token sets; it orders pairs as Dice does, for J = D / (2 − D).

    Two empty sentences share nothing, so their overlap is 0.

    Examples
    --------
    >>> jaccard(["a", "b", "c"], ["b", "c", "d"])  # 2 shared of 4
    0.5
    """
    left, right = set(first), set(second)
    either = len(left | right)
    return len(left & right) / either if either else 0.0


class Jaccard:
    """Lexical overlap of a pair."""

    identity = Identity("jaccard", revision=WORDS_VERSION)

    def predict(self, pairs: Pairs) -> Numbers:
        """Shared words over all words."""
        return np.array([jaccard(words(first), words(second)) for first, second in pairs], dtype=np.float64)


def make(argument: str | None) -> Jaccard:
    """Make the encoder; it takes no argument."""
    takes_no_argument("jaccard", argument)
    return Jaccard()

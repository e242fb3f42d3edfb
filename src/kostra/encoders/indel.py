"""String similarity of the two sentences by the letters inserted and deleted: COSTRA's Table 5."""

from __future__ import annotations

from typing import Literal

import numpy as np
from rapidfuzz.distance import Indel as IndelDistance
from rapidfuzz.distance import Levenshtein as LevenshteinDistance
from rapidfuzz.process import cpdist

from kostra.encoders.protocol import Identity, Numbers, Pairs
from kostra.encoders.specs import named, takes_no_argument

Distance = Literal["indel", "levenshtein"]


class Indel:
    """(|s1| + |s2| − d) / (|s1| + |s2|), for one of two distances d.

    COSTRA 1.0 names the Levenshtein distance, in which a substitution costs 1 (``levenshtein``); the figures of its
    Table 5 come out to three digits only if a substitution costs 2, as one deletion and one insertion (``indel``).
    Case, punctuation and white space count. Two empty sentences share nothing, so their similarity is 0.

    Examples
    --------
    >>> Indel().predict([("abcd", "abxd")]).tolist()  # one letter out, one in: (8 − 2) / 8
    [0.75]
    >>> Indel("levenshtein").predict([("abcd", "abxd")]).tolist()  # one substitution: (8 − 1) / 8
    [0.875]
    """

    def __init__(self, distance: Distance = "indel") -> None:
        self.identity = Identity(named("indel", distance=distance if distance != "indel" else None), revision="1")
        self._distance = IndelDistance.distance if distance == "indel" else LevenshteinDistance.distance

    def predict(self, pairs: Pairs) -> Numbers:
        """The share of the letters of both that stay."""
        first, second = [a for a, _ in pairs], [b for _, b in pairs]
        letters = np.array([len(a) + len(b) for a, b in pairs], dtype=np.float64)
        moved = cpdist(first, second, scorer=self._distance, dtype=np.int64) if pairs else np.zeros(0)
        return np.divide(letters - moved, letters, out=np.zeros(len(pairs)), where=letters > 0)


def make(argument: str | None, *, distance: Distance = "indel") -> Indel:
    """Make the encoder; it takes no argument.

    Parameters
    ----------
    distance
        Whether a letter for another counts as two edits (indel) or as one (levenshtein).
    """
    takes_no_argument("indel", argument)
    return Indel(distance)

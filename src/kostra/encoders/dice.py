"""Dice coefficient of the two sentences' words: the lexical baseline of STR-2021."""

from __future__ import annotations

import numpy as np

from kostra.encoders import Pairs, Vectors
from kostra.text import dice, words


class Dice:
    """Lexical overlap of a pair (see `kostra.text.dice`)."""

    def predict(self, pairs: Pairs) -> Vectors:
        """Twice the shared words over the sum of distinct words."""
        return np.array([dice(words(first), words(second)) for first, second in pairs])


def make(argument: str | None) -> Dice:  # noqa: ARG001 - the contract of encoders
    """Make the encoder; it takes no argument."""
    return Dice()

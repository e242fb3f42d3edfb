"""Dice coefficient of the two sentences' words: the lexical baseline of STR-2021."""

from __future__ import annotations

import numpy as np

from kostra.encoders.protocol import Identity, Numbers, Pairs
from kostra.encoders.specs import takes_no_argument
from kostra.text import WORDS_VERSION, dice, words


class Dice:
    """Lexical overlap of a pair (see `kostra.text.dice`)."""

    identity = Identity("dice", revision=WORDS_VERSION)

    def predict(self, pairs: Pairs) -> Numbers:
        """Twice the shared words over the sum of distinct words."""
        return np.array([dice(words(first), words(second)) for first, second in pairs], dtype=np.float64)


def make(argument: str | None) -> Dice:
    """Make the encoder; it takes no argument."""
    takes_no_argument("dice", argument)
    return Dice()

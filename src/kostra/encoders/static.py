"""The embedded default: averaged static word vectors that come inside a wheel, without any network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kostra.encoders import Vectors


class Static:
    """WordLlama's 256-dimensional vectors, mean-pooled over subwords."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """One vector per sentence; an empty sentence has the zero vector."""
        if not sentences:
            return np.zeros((0, 256))
        return np.asarray(_model().embed(list(sentences)), dtype=np.float64)


@cache
def _model() -> Any:
    import wordllama

    # Without both arguments wordllama looks for its files on a hub, although the wheel carries them.
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


def make(argument: str | None) -> Static:  # noqa: ARG001 - the contract of encoders
    """Make the encoder; it takes no argument."""
    return Static()

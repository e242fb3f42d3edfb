"""The embedded default: averaged static word vectors that come inside a wheel, without any network."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from kostra.encoders.protocol import Identity, SentenceEncoder, Vectors
from kostra.encoders.specs import takes_no_argument
from kostra.encoders.views import viewed

_DIMENSIONS = 256


class Static:
    """WordLlama's 256-dimensional vectors, mean-pooled over subwords."""

    @property
    def identity(self) -> Identity:
        """The version of the wheel that carries the vectors."""
        return Identity("static", revision=f"wordllama {version('wordllama')}", dimensions=_DIMENSIONS, pooling="mean")

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """One vector per sentence; an empty sentence has the zero vector."""
        if not sentences:
            return np.zeros((0, _DIMENSIONS), dtype=np.float32)
        vectors: Vectors = _model().embed(list(sentences))
        return vectors

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> Vectors:
        """The mean over the subwords of these words."""
        return self.encode([" ".join(words) for words in sentences])


@cache
def _model() -> Any:
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    import wordllama

    # The import makes every library's messages visible, which nobody asked for.
    root.setLevel(level)
    root.handlers[:] = handlers
    # Without both arguments wordllama looks for its files on a hub, although the wheel carries them.
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


def make(argument: str | None, *, only: str | None = None, parser: str | None = None) -> SentenceEncoder:
    """Make the encoder; ``only`` and ``parser`` restrict it to some words (see `kostra.encoders.views`)."""
    takes_no_argument("static", argument)
    return viewed(Static(), only=only, parser=parser)

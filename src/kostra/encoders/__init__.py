"""Sentence to vector, or pair to number: one file per encoder.

An encoder's module has ``make(argument) -> Encoder``; ``argument`` is what follows the colon in a name such as
``vectors:PATH``. What it makes has either ``encode(sentences)``, which gives one vector per sentence, or
``predict(pairs)``, which gives one number per pair: the two protocols of sentence-transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kostra import registry

Vectors = NDArray[np.float64]
Pairs = Sequence[tuple[str, str]]


@runtime_checkable
class SentenceEncoder(Protocol):
    """Gives each sentence a vector."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """One row per sentence."""


@runtime_checkable
class PairEncoder(Protocol):
    """Gives each pair a number."""

    def predict(self, pairs: Pairs) -> Vectors:
        """One number per pair."""


Encoder = SentenceEncoder | PairEncoder


def encoder(spec: str) -> Encoder:
    """Make an encoder from its name, such as ``dice`` or ``static``.

    Examples
    --------
    >>> similarities(encoder("dice"), [("a b", "b a"), ("a b", "c d")])
    array([1., 0.])
    """
    name, _, argument = spec.partition(":")
    return cast(Encoder, registry.load("encoders", name).make(argument or None))


def similarities(chosen: Encoder, pairs: Pairs) -> Vectors:
    """How close an encoder holds the sentences of each pair: its own number, or the cosine of its vectors.

    Each distinct sentence is encoded once. The cosine with a zero vector is 0.
    """
    if isinstance(chosen, PairEncoder):
        return np.asarray(chosen.predict(pairs), dtype=np.float64)
    place = {text: row for row, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
    vectors = np.asarray(chosen.encode(list(place)), dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    first = unit[[place[a] for a, _ in pairs]]
    second = unit[[place[b] for _, b in pairs]]
    return np.asarray(np.einsum("ij,ij->i", first, second))

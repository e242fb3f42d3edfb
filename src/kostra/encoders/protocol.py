"""What an encoder is: two protocols, and the identity under which its vectors are kept and its results reported."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.floating[Any]]
"""One row per sentence, in the encoder's own precision."""
Matrix = NDArray[np.float32]
"""One row per sentence, as `embed` gives and the cache keeps it."""
Numbers = NDArray[np.float64]
"""One number per pair."""
Pairs = Sequence[tuple[str, str]]


@runtime_checkable
class SentenceEncoder(Protocol):
    """Gives each sentence a vector."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """One row per sentence."""


@runtime_checkable
class PairEncoder(Protocol):
    """Gives each pair a number."""

    def predict(self, pairs: Pairs) -> Numbers:
        """One number per pair."""


@runtime_checkable
class WordEncoder(SentenceEncoder, Protocol):
    """Makes a sentence's vector from vectors of its words, so that it can look at some of them only."""

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> Vectors:
        """One row per list of words; no word that the encoder knows is the zero vector."""


@runtime_checkable
class Counting(Protocol):
    """An encoder that has something to count beside its vectors, such as words it does not know."""

    def tally(self, sentences: Sequence[str]) -> Mapping[str, int]:
        """Counts over the sentences, by name."""


Encoder = SentenceEncoder | PairEncoder


@dataclass(frozen=True)
class Identity:
    """Which encoder gave a vector: two encoders of one identity give one sentence the same vector.

    The device is no part of it: what it changes is rounding.

    Examples
    --------
    >>> Identity("hashed", revision="1", dimensions=64).key == Identity("hashed", revision="2", dimensions=64).key
    False
    """

    name: str
    """The spec without what changes no vector (device, batch, timeout)."""
    revision: str | None = None
    """Commit or hash of the files, and the libraries that ran them; None if it cannot be told: then nothing is kept."""
    dimensions: int | None = None
    """None as long as it is not known, and for encoders of pairs."""
    pooling: str | None = None
    normalisation: str | None = None
    """``l2`` if vectors have length 1."""
    costly: bool = False
    """Whether looking a vector up is cheaper than making it: the cache is used by default only where it pays."""

    @property
    def key(self) -> str:
        """A digest of all that decides about the vectors, except what follows from the rest."""
        parts = asdict(self)
        del parts["costly"], parts["dimensions"]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def identity_of(encoder: object) -> Identity:
    """The identity that an encoder declares, or its class's name with no revision.

    Examples
    --------
    >>> identity_of(object())
    Identity(name='object', revision=None, dimensions=None, pooling=None, normalisation=None, costly=False)
    """
    declared = getattr(encoder, "identity", None)
    return declared if isinstance(declared, Identity) else Identity(type(encoder).__name__)


def unit(vectors: Vectors) -> Numbers:
    """Rows brought to length 1 in double precision; a zero row stays zero.

    Examples
    --------
    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    rows: Numbers = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0)
    return rows

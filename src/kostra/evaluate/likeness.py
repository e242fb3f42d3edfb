"""What an encoder makes of sentences and pairs: vectors looked up by sentence, similarities with what was counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kostra.encoders import (
    Encoder,
    PairEncoder,
    Similarity,
    counts,
    embed,
    identity_of,
    similarities_with_counts,
)
from kostra.encoders.embedding import compared

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

OWN = "own"
"""The similarity of a pair encoder: its own number."""


@dataclass(frozen=True, eq=False)
class Space:
    """The vectors of some sentences, each sentence once.

    Examples
    --------
    >>> from kostra.encoders import encoder
    >>> space = space_of(encoder("hashed"), ["A dog barks.", "It rains.", "A dog barks."])
    >>> space.rows(["It rains."]).tolist(), space.counts["zero_vectors"]
    ([1], 0)
    """

    place: Mapping[str, int]
    vectors: FloatArray
    counts: Mapping[str, int] = field(default_factory=dict)

    def rows(self, sentences: Sequence[str]) -> IntArray:
        """Where the vectors of these sentences stand."""
        return np.array([self.place[text] for text in sentences], dtype=np.int64)

    def zero(self) -> BoolArray:
        """Which vectors are zero."""
        return np.asarray(~self.vectors.any(axis=1))

    def between(self, first: Sequence[str], second: Sequence[str], similarity: Similarity = "cosine") -> FloatArray:
        """The similarity of each sentence with its counterpart."""
        return compared(self.vectors, np.column_stack([self.rows(first), self.rows(second)]), similarity=similarity)


def space_of(chosen: Encoder, sentences: Sequence[str]) -> Space:
    """Embed the distinct sentences, once each; an encoder of pairs is refused."""
    place = {text: row for row, text in enumerate(dict.fromkeys(sentences))}
    vectors = embed(chosen, list(place))
    return Space(place, np.asarray(vectors, dtype=np.float64), counts(chosen, list(place), vectors))


@dataclass(frozen=True, eq=False)
class Likeness:
    """How close an encoder holds the sentences of each pair."""

    values: FloatArray
    similarity: str
    """cosine, dot, euclidean, manhattan (distances with a minus), or own."""
    counts: Mapping[str, int]


def likeness(chosen: Encoder, pairs: Sequence[tuple[str, str]], similarity: Similarity = "cosine") -> Likeness:
    """The similarity of each pair: a pair encoder's own number, else cosine, dot product or distance of the vectors.

    Examples
    --------
    >>> from kostra.encoders import encoder
    >>> found = likeness(encoder("dice"), [("a b", "b a"), ("a b", "c d")])
    >>> found.values.tolist(), found.similarity
    ([1.0, 0.0], 'own')
    """
    values, counted = similarities_with_counts(chosen, list(pairs), similarity=similarity)
    kind = OWN if isinstance(chosen, PairEncoder) else similarity
    return Likeness(values, kind, {**counted, "tied_pairs": tied(values)})


def tied(values: FloatArray) -> int:
    """How many values are shared with another.

    Examples
    --------
    >>> tied(np.array([0.5, 0.5, 1.0]))
    2
    """
    often = np.unique(values, return_counts=True)[1]
    return int(often[often > 1].sum())


def revision(chosen: Encoder) -> str:
    """The encoder's revision, or nothing where it cannot be told."""
    return identity_of(chosen).revision or ""

"""Deterministic pseudo-random vectors from a hash of the whole sentence: the floor any encoder must beat."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from kostra.encoders import Vectors


class Hashed:
    """A vector that depends on the sentence and on nothing in it: only equal sentences are close."""

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Standard normal vectors, the same for the same sentence on every machine."""
        return np.array([self._vector(sentence) for sentence in sentences]).reshape(-1, self.dimensions)

    def _vector(self, sentence: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(sentence.encode()).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions)


def make(argument: str | None) -> Hashed:  # noqa: ARG001 - the contract of encoders
    """Make the encoder; it takes no argument."""
    return Hashed()

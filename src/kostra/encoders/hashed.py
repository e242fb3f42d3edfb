"""Deterministic pseudo-random vectors from a hash of the whole sentence: the floor any encoder must beat."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from kostra.encoders.protocol import Identity, Numbers
from kostra.encoders.specs import named, takes_no_argument


class Hashed:
    """A vector that depends on the sentence and on nothing in it: only equal sentences are close."""

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions
        name = named("hashed", dimensions=dimensions if dimensions != 64 else None)
        self.identity = Identity(name, revision="1", dimensions=dimensions)

    def encode(self, sentences: Sequence[str]) -> Numbers:
        """Standard normal vectors, the same for the same sentence on every machine."""
        return np.array([self._vector(sentence) for sentence in sentences]).reshape(-1, self.dimensions)

    def _vector(self, sentence: str) -> Numbers:
        seed = int.from_bytes(hashlib.sha256(sentence.encode("utf-8", "surrogatepass")).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions)


def make(argument: str | None, *, dimensions: Annotated[int, Field(ge=1)] = 64) -> Hashed:
    """Make the encoder; it takes no argument.

    Parameters
    ----------
    dimensions
        How long the vectors are.
    """
    takes_no_argument("hashed", argument)
    return Hashed(dimensions)

"""Sentence to vector, or pair to number: one file per encoder.

An encoder is named by a spec, ``NAME``, ``NAME:ARGUMENT`` or ``NAME:ARGUMENT?option=value&option=value``. Its module
has ``make(argument, *, option=default, …) -> Encoder``: the keyword-only parameters are its options, and their
annotations say what they accept. What it makes has either ``encode(sentences)``, which gives one vector per sentence,
or ``predict(pairs)``, which gives one number per pair: the two protocols of sentence-transformers, whose objects are
taken as they are. A module whose encoder needs an argument says which in ``ARGUMENT``.

Conventions, the same for every encoder and every task:

precision
    `embed` gives and keeps float32; similarities are computed in float64.
zero vectors
    The cosine with a zero vector is 0, and so is the dot product. They are counted (``zero_vectors``).
empty sentences
    A sentence of white space alone is encoded like any other, and counted (``empty_sentences``). Lexical encoders
    give 0 to a pair of two empty sentences: they share nothing.
NaN and infinity
    An encoder that gives one is refused, with the sentence that did it; nothing is replaced or dropped.
ties
    Cosines are rounded to six decimals, because what is beyond depends on the machine and on the batch: equal vectors
    tie. Euclidean and Manhattan distances count negatively, so that more is always nearer.
"""

from __future__ import annotations

from kostra.encoders.adapters import as_encoder
from kostra.encoders.embedding import Similarity, counts, embed, similarities, similarities_with_counts
from kostra.encoders.protocol import (
    Counting,
    Encoder,
    Identity,
    Matrix,
    Numbers,
    PairEncoder,
    Pairs,
    SentenceEncoder,
    Vectors,
    WordEncoder,
    identity_of,
    unit,
)
from kostra.encoders.specs import encoder

__all__ = [
    "Counting",
    "Encoder",
    "Identity",
    "Matrix",
    "Numbers",
    "PairEncoder",
    "Pairs",
    "SentenceEncoder",
    "Similarity",
    "Vectors",
    "WordEncoder",
    "as_encoder",
    "counts",
    "embed",
    "encoder",
    "identity_of",
    "similarities",
    "similarities_with_counts",
    "unit",
]

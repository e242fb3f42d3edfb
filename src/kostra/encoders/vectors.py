"""Word vectors from a file (word2vec, GloVe, fastText .vec), pooled over a sentence: mean, max or SIF-weighted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kostra.encoders.protocol import Identity, Numbers, SentenceEncoder, unit
from kostra.encoders.specs import named, needs_argument
from kostra.encoders.views import viewed
from kostra.encoders.word_files import Format, WordFile, open_word_file
from kostra.errors import KostraError
from kostra.files import numbered_lines, sha256, shown

ARGUMENT = "FILE"
"""What must follow the colon."""

Pooling = Literal["mean", "max", "sif"]
Case = Literal["either", "keep", "lower"]

_WORD = re.compile(r"\w+")  # as `kostra.text.words`, with the case kept


class WordVectors:
    r"""A sentence is the mean, the maximum or the SIF-weighted mean of the vectors of its words (``\w+``).

    SIF [1]_ weighs a word by a / (a + p): `frequencies` (lines of a word and its count) says its probability p;
    otherwise the order of the file does, as it stands by falling frequency (Zipf: p of the r-th word is 1 / (r·H)). The
    common component that [1]_ then removes from a whole dataset is left in: a sentence's vector would depend on the
    others.

    Words that the file lacks are passed over and counted.

    References
    ----------
    .. [1] S. Arora, Y. Liang and T. Ma (2017). A simple but tough-to-beat baseline for sentence embeddings. ICLR.
    """

    def __init__(
        self,
        file: WordFile,
        *,
        pooling: Pooling = "mean",
        case: Case = "either",
        a: float = 1e-3,
        frequencies: Path | None = None,
        normalize: bool = False,
    ) -> None:
        self.file = file
        self._pooling, self._case, self._a, self._frequencies, self._normalize = (
            pooling,
            case,
            a,
            frequencies,
            normalize,
        )

    @cached_property
    def identity(self) -> Identity:
        """The file's hash, and every option that changes a vector."""
        sif = self._pooling == "sif"
        name = named(
            "vectors",
            self.file.summary.file,
            pooling=self._pooling,
            case=self._case if self._case != "either" else None,
            a=self._a if sif and self._a != 1e-3 else None,
            frequencies=sha256(self._frequencies)[:12] if sif and self._frequencies else None,
            normalize=self._normalize or None,
        )
        return Identity(
            name,
            revision=self.file.summary.sha256[:16],
            dimensions=self.file.summary.dimensions,
            pooling=self._pooling,
            normalisation="l2" if self._normalize else None,
        )

    def encode(self, sentences: Sequence[str]) -> Numbers:
        """One vector per sentence; zero if the file has none of its words."""
        return self.encode_words([_WORD.findall(text) for text in sentences])

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> Numbers:
        """One vector per list of words."""
        found = np.zeros((len(sentences), self.file.summary.dimensions))
        for number, (rows, weights) in enumerate(self._known(sentences)):
            if len(rows):
                vectors = self.file.vectors[rows].astype(np.float64)
                found[number] = vectors.max(axis=0) if self._pooling == "max" else weights @ vectors / len(rows)
        return unit(found) if self._normalize else found

    def tally(self, sentences: Sequence[str]) -> Mapping[str, int]:
        """Words, and those that the file lacks, over all sentences."""
        return self.tally_words([_WORD.findall(text) for text in sentences])

    def tally_words(self, sentences: Sequence[Sequence[str]]) -> Mapping[str, int]:
        """The same over lists of words."""
        words = sum(len(words) for words in sentences)
        known = [len(rows) for rows, _ in self._known(sentences)]
        strange = sum(not many and bool(words) for many, words in zip(known, sentences, strict=True))
        return {"words": words, "unknown_words": words - sum(known), "sentences_of_unknown_words": strange}

    def _known(self, sentences: Sequence[Sequence[str]]) -> list[tuple[NDArray[np.int64], Numbers]]:
        """For each sentence the rows of the words that the file has, and their weights."""
        distinct = list(dict.fromkeys(word for words in sentences for word in words))
        rows = self._rows(distinct)
        weights = self._weights(distinct, rows)
        place = {word: number for number, word in enumerate(distinct) if rows[number] >= 0}
        found = []
        for words in sentences:
            places = np.array([place[word] for word in words if word in place], dtype=np.int64)
            found.append((rows[places], weights[places]))
        return found

    def _rows(self, words: Sequence[str]) -> NDArray[np.int64]:
        if self._case == "lower":
            return self.file.rows([word.lower() for word in words])
        as_written = self.file.rows(words)
        if self._case == "keep":
            return as_written
        return np.where(as_written >= 0, as_written, self.file.rows([word.lower() for word in words]))

    def _weights(self, words: Sequence[str], rows: NDArray[np.int64]) -> Numbers:
        if self._pooling != "sif":
            return np.ones(len(words))
        if self._frequencies is None:
            harmonic = np.log(self.file.summary.words) + np.euler_gamma
            shares = 1 / ((np.maximum(rows, 0) + 1) * harmonic)
        else:
            shares = np.array([self._shares.get(word, self._shares.get(word.lower(), 0.0)) for word in words])
        return np.asarray(self._a / (self._a + shares))

    @cached_property
    def _shares(self) -> dict[str, float]:
        """The probability of each word by the file of frequencies."""
        if self._frequencies is None:
            return {}
        counts: dict[str, float] = {}
        for line, text in numbered_lines(self._frequencies):
            word, _, count = text.replace("\t", " ").rpartition(" ")
            if not word or not count.isdigit():
                where = f"{shown(self._frequencies)}:{line}"
                raise KostraError("this is not a word and its count", where=where, accepted='"the 22038615"')
            counts[word] = counts.get(word, 0) + int(count)
        total = sum(counts.values())
        return {word: count / total for word, count in counts.items()} if total else {}


def make(
    argument: str | None,
    *,
    pooling: Pooling = "mean",
    case: Case = "either",
    format: Format = "auto",  # noqa: A002 - as users write it
    a: Annotated[float, Field(gt=0)] = 1e-3,
    frequencies: Path | None = None,
    normalize: bool = False,
    only: str | None = None,
    parser: str | None = None,
) -> SentenceEncoder:
    """Make the encoder; the argument is the file.

    Parameters
    ----------
    argument
        The path of the file.
    pooling
        mean, max or sif.
    case
        Words as they are written (keep), lower-cased (lower), or lower-cased where the file lacks them as written.
    format
        binary or text, if the content does not tell.
    a, frequencies
        Of SIF.
    normalize
        Whether vectors are brought to length 1.
    only, parser
        Which words count (see `kostra.encoders.views`).
    """
    path = needs_argument("vectors", argument, what=ARGUMENT)
    if frequencies is not None and pooling != "sif":
        raise KostraError("frequencies are given, but only the pooling sif weighs words", remedy="pooling=sif")
    if frequencies is not None and not frequencies.is_file():
        raise KostraError("there is no such file", where=shown(frequencies))
    made = WordVectors(
        open_word_file(path, form=format), pooling=pooling, case=case, a=a, frequencies=frequencies, normalize=normalize
    )
    return viewed(made, only=only, parser=parser)

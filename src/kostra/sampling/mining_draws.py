"""Random pairs of sentences: drawn in blocks that depend on the seed and their number only, and taken one by one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kostra.sampling.mining_corpus import Corpus, Measure, Scorer
from kostra.sampling.mining_search import PAIR, VERSION, PairArray

_DRAW = 1 << 17  # random pairs that make a block


@dataclass(frozen=True, eq=False)
class Examination:
    """Random ordered pairs with their overlap, in blocks; all ordered pairs instead, if they are no more than asked."""

    corpus: Corpus
    measure: Measure
    pairs: int
    seed: int

    @property
    def total(self) -> int:
        """How many ordered pairs of two sentences the corpus has."""
        return self.corpus.sentences * (self.corpus.sentences - 1)

    @property
    def complete(self) -> bool:
        """Whether every pair is looked at, once."""
        return self.total <= self.pairs

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-min(self.pairs, self.total) // _DRAW)

    @property
    def digest(self) -> str:
        """A hash of all that shapes a block."""
        said = [VERSION, "examination", self.corpus.digest, self.measure, self.pairs, self.seed, _DRAW]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    @cached_property
    def _scorer(self) -> Scorer:
        return Scorer(self.corpus, self.measure)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to a worker."""
        return {name: value for name, value in self.__dict__.items() if name != "_scorer"}

    def drawn(self, block: int) -> PairArray:
        """The pairs of a block, not scored yet."""
        n, begin = self.corpus.sentences, block * _DRAW
        size = min(_DRAW, min(self.pairs, self.total) - begin)
        if self.complete:
            first, second = np.divmod(np.arange(begin, begin + size, dtype=np.int64), n - 1)
        else:
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(block,)))
            first, second = rng.integers(n, size=size), rng.integers(n - 1, size=size)
        pairs = np.zeros(size, dtype=PAIR)
        pairs["first"], pairs["second"] = first, second + (second >= first)
        return pairs

    def __call__(self, block: int) -> PairArray:
        """The pairs of a block with their overlap, in the order in which they were drawn."""
        return self.scored(self.drawn(block))

    def scored(self, pairs: PairArray) -> PairArray:
        """Write the overlap of each pair into it."""
        pairs["score"] = self._scorer(pairs["first"], pairs["second"])
        return pairs


class Drawn:
    """What was taken so far: no pair twice in either order, no sentence too often."""

    def __init__(self, per_sentence: int) -> None:
        self._per_sentence = per_sentence
        self._pairs: set[tuple[int, int]] = set()
        self._uses: dict[int, int] = {}

    def take(self, pairs: PairArray, count: int) -> list[int]:
        """The places of the first `count` pairs that may be taken, one after the other."""
        places: list[int] = []
        first, second = pairs["first"], pairs["second"]
        for place in range(len(pairs)):
            if len(places) == count:
                break
            if self._takes(int(first[place]), int(second[place])):
                places.append(place)
        return places

    def _takes(self, a: int, b: int) -> bool:
        """Take a pair, if it may be taken."""
        unordered = (min(a, b), max(a, b))
        full = self._per_sentence and max(self._uses.get(a, 0), self._uses.get(b, 0)) >= self._per_sentence
        if unordered in self._pairs or full:
            return False
        self._pairs.add(unordered)
        for sentence in unordered:
            self._uses[sentence] = self._uses.get(sentence, 0) + 1
        return True

"""A corpus as integers: what the search for overlapping sentences works on, and the overlap of given pairs.

Sentences are read once. What stays is one number per distinct word of a sentence, rarest first, and a few per sentence:
4 bytes per distinct word of each sentence, 12 bytes per sentence and 8 per word of the vocabulary. A million sentences
of 14 words take 70 MB. While the corpus is read, the vocabulary itself stands in memory too (some 120 bytes per word).
"""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kostra.errors import KostraError, unknown
from kostra.text import words

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
Measure = Literal["dice", "shared_share", "idf_dice"]
"""How much two sentences overlap: `kostra.text.dice`, `kostra.text.shared_share`, or Dice with words weighed by IDF."""
Overlap: TypeAlias = tuple[IntArray, IntArray]
"""For each pair: the mass of the shared words, and the number of the rarest shared word (-1 for none)."""

IDF_UNIT = 2.0**-24
"""IDF weights are whole multiples of this, so that their sums are exact in whichever order they are taken."""
_HUGE = 4096  # distinct words; longer sentences are compared by looking up words, not by merging lists
_AT_ONCE = 1 << 22  # words that are looked at in one go


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences as sorted numbers of their distinct words; the rarest word of the corpus is number 0.

    Examples
    --------
    >>> corpus = gather(["A cat sat.", "A cat, a dog!"])
    >>> corpus.sentences, corpus.lengths.tolist(), corpus.frequency.tolist()
    (2, [3, 4], [1, 1, 2, 2])
    """

    starts: IntArray
    """Where each sentence begins in `types`, and one more: where the last one ends."""
    types: NDArray[np.int32]
    """The distinct words of all sentences, ascending inside each."""
    lengths: NDArray[np.int32]
    """Words of each sentence, repeated ones counted as often as they stand."""
    frequency: IntArray
    """In how many sentences each word stands, ascending."""

    @property
    def sentences(self) -> int:
        """How many sentences there are."""
        return len(self.lengths)

    @cached_property
    def digest(self) -> str:
        """A hash of the content, by which results on disk know their corpus."""
        found = hashlib.sha256()
        for part in (self.starts, self.types, self.lengths):
            found.update(np.ascontiguousarray(part).data)
        return found.hexdigest()

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """Sentence × word, 1 where the word stands."""
        return incidence(self.starts, self.types, len(self.frequency))

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to a worker: not what can be made again there."""
        return {name: value for name, value in self.__dict__.items() if name != "incidence"}

    def save(self, folder: Path) -> None:
        """Write the arrays into a folder, where `load` finds them; other processes may then share their memory."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _PARTS:
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> Corpus:
        """Open a saved corpus; its arrays stay on disk and come to memory as they are used."""
        try:
            return cls(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _PARTS))
        except (OSError, ValueError) as error:
            raise KostraError(f"this is no saved corpus: {error}", where=str(folder)) from None


_PARTS = ("starts", "types", "lengths", "frequency")


def gather(sentences: Iterable[str | Sequence[str]], *, tokens: Callable[[str], Sequence[str]] = words) -> Corpus:
    """Read sentences once, from any iterable, into the compact form.

    Parameters
    ----------
    sentences
        Texts, or sentences that are lists of words already. Empty ones keep their number and overlap with nothing.
    tokens
        What makes words of a text.
    """
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__  # a new word gets the next number
    flat, sizes, lengths = array("i"), array("i"), array("i")
    for sentence in sentences:
        listed = tokens(sentence) if isinstance(sentence, str) else sentence
        distinct = {vocabulary[word] for word in listed}
        flat.extend(distinct)
        sizes.append(len(distinct))
        lengths.append(len(listed))
    known = len(vocabulary)
    vocabulary.clear()
    starts = np.concatenate([[0], np.cumsum(_numbers(sizes), dtype=np.int64)])
    frequency = np.bincount(_numbers(flat), minlength=known).astype(np.int64)
    rarest_first = np.argsort(frequency, kind="stable")  # equally rare words stay in order of appearance
    rank = np.empty(known, dtype=np.int32)
    rank[rarest_first] = np.arange(known, dtype=np.int32)
    ordered = incidence(starts, rank[_numbers(flat)], known)
    ordered.sort_indices()
    return Corpus(starts, ordered.indices.astype(np.int32, copy=False), _numbers(lengths), frequency[rarest_first])


def _numbers(values: array[int]) -> NDArray[np.int32]:
    return np.frombuffer(values, dtype=np.int32) if len(values) else np.zeros(0, dtype=np.int32)


def incidence(starts: IntArray, types: NDArray[np.int32], known: int) -> sparse.csr_array:
    """Sentence × word as a sparse matrix of ones (one byte each)."""
    ones = np.ones(len(types), dtype=np.int8)
    narrow = np.int32 if len(types) < np.iinfo(np.int32).max else np.int64
    parts = (ones, types.astype(narrow, copy=False), starts.astype(narrow))
    return sparse.csr_array(parts, shape=(len(starts) - 1, max(known, 1)))


def word_weights(corpus: Corpus, measure: Measure) -> IntArray | None:
    """How much each word counts, as whole numbers; None where each counts 1.

    IDF is ln(n / f) for a word that stands in f of n sentences, rounded to a multiple of `IDF_UNIT`: a word of every
    sentence weighs nothing.
    """
    if measure not in get_args(Measure):
        raise unknown("measure", measure, get_args(Measure))
    if measure != "idf_dice":
        return None
    logs = np.log(max(corpus.sentences, 1)) - np.log(corpus.frequency)
    weights: IntArray = np.rint(np.maximum(logs, 0.0) / IDF_UNIT).astype(np.int64)
    return weights


def running_mass(types: NDArray[np.int32], weights: IntArray) -> IntArray:
    """Sums of weights up to each place; differences are exact even where a sum would run over."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(weights[types], dtype=np.int64)])


def masses(corpus: Corpus, measure: Measure) -> IntArray:
    """The weight of each sentence: how many distinct words it has, or the sum of their IDF."""
    weights = word_weights(corpus, measure)
    if weights is None:
        return np.diff(corpus.starts)
    running = running_mass(corpus.types, weights)
    return running[corpus.starts[1:]] - running[corpus.starts[:-1]]


def score(shared: IntArray, first: IntArray, second: IntArray, measure: Measure) -> FloatArray:
    """The measure from masses: one correctly rounded division of whole numbers; nothing over nothing is 0."""
    symmetric = measure != "shared_share"
    below = first + second if symmetric else first
    above = 2 * shared if symmetric else shared
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


class Scorer:
    """The overlap of given pairs of sentence numbers, exactly.

    Examples
    --------
    >>> scores = Scorer(gather(["a b c", "b c d", "x"]), "dice")
    >>> scores(np.array([0, 0]), np.array([1, 2])).tolist()  # 2·2 / (3 + 3), and nothing shared
    [0.6666666666666666, 0.0]
    """

    def __init__(self, corpus: Corpus, measure: Measure) -> None:
        self._corpus, self._measure = corpus, measure
        self._weights, self._mass = word_weights(corpus, measure), masses(corpus, measure)

    def __call__(self, first: IntArray, second: IntArray) -> FloatArray:
        """One score per pair."""
        shared, _ = shared_mass(self._corpus.incidence, first, second, self._weights)
        return score(shared, self._mass[first], self._mass[second], self._measure)


def shared_mass(rows: sparse.csr_array, first: IntArray, second: IntArray, weights: IntArray | None) -> Overlap:
    """What pairs of rows share: the mass of the common words and the rarest of them."""
    shared, rarest = np.zeros(len(first), dtype=np.int64), np.full(len(first), -1, dtype=np.int64)
    sizes = np.diff(rows.indptr).astype(np.int64)
    larger = np.maximum(sizes[first], sizes[second])
    usual = np.flatnonzero(larger <= _HUGE)
    for part in cut(sizes[first[usual]] + sizes[second[usual]], _AT_ONCE):
        here = usual[part]
        shared[here], rarest[here] = _merged(rows, first[here], second[here], weights)
    lopsided = np.flatnonzero(larger > _HUGE)
    swap = sizes[first[lopsided]] < sizes[second[lopsided]]
    huge = np.where(swap, second[lopsided], first[lopsided])
    small = np.where(swap, first[lopsided], second[lopsided])
    for row in np.unique(huge).tolist():
        here = np.flatnonzero(huge == row)
        for part in cut(sizes[small[here]], _AT_ONCE):
            some = here[part]
            shared[lopsided[some]], rarest[lopsided[some]] = _looked_up(rows, row, small[some], weights)
    return shared, rarest


def _merged(rows: sparse.csr_array, first: IntArray, second: IntArray, weights: IntArray | None) -> Overlap:
    common = rows[first].multiply(rows[second]).tocsr()
    return _summed(common.indptr.astype(np.int64), common.indices, weights)


def _looked_up(rows: sparse.csr_array, huge: int, small: IntArray, weights: IntArray | None) -> Overlap:
    marked = np.zeros(rows.shape[1], dtype=np.bool_)
    marked[rows.indices[rows.indptr[huge] : rows.indptr[huge + 1]]] = True
    begins = rows.indptr[small].astype(np.int64)
    sizes = rows.indptr[small + 1].astype(np.int64) - begins
    types = rows.indices[ranges(begins, sizes)]
    hits = marked[types]
    counted = np.concatenate([[0], np.cumsum(hits, dtype=np.int64)])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return _summed(counted[ends], types[hits], weights)


def _summed(starts: IntArray, types: NDArray[Any], weights: IntArray | None) -> Overlap:
    counts = np.diff(starts)
    rarest = np.full(len(counts), -1, dtype=np.int64)
    rarest[counts > 0] = types[starts[:-1][counts > 0]]
    if weights is None:
        return counts, rarest
    running = running_mass(types, weights)
    return running[starts[1:]] - running[starts[:-1]], rarest


def ranges(begins: IntArray, counts: IntArray) -> IntArray:
    """The numbers from each beginning on, as many as counted, one after the other.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    numbers: IntArray = np.arange(total, dtype=np.int64) + np.repeat(begins - (ends - counts), counts)
    return numbers


def cut(costs: IntArray, most: int) -> list[slice]:
    """Cut a list into consecutive parts that cost about `most` each; a costly member is a part of its own.

    Examples
    --------
    >>> cut(np.array([1, 1, 9, 1]), 2)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    if not len(costs):
        return []
    sums = np.cumsum(costs)
    begins = [0]
    while (done := begins[-1]) < len(costs):
        spent = int(sums[done - 1]) if done else 0
        begins.append(max(done + 1, int(np.searchsorted(sums, spent + most, side="right"))))
    return [slice(a, b) for a, b in pairwise(begins)]


@dataclass(frozen=True, eq=False)
class Copies:
    """Sentences in sets of the same distinct words; `rows[starts[c] : starts[c + 1]]` are the sentences of set c."""

    starts: IntArray
    rows: IntArray

    @property
    def models(self) -> IntArray:
        """One sentence of each set."""
        return self.rows[self.starts[:-1]]

    @property
    def sizes(self) -> IntArray:
        """How many sentences each set has."""
        return np.diff(self.starts)

    def shortest(self, lengths: IntArray) -> IntArray:
        """The length of the shortest sentence of each set."""
        return np.minimum.reduceat(lengths[self.rows], self.starts[:-1]) if len(self.rows) else lengths

    def longest(self, lengths: IntArray) -> IntArray:
        """The length of the longest sentence of each set."""
        return np.maximum.reduceat(lengths[self.rows], self.starts[:-1]) if len(self.rows) else lengths

    def across(self, first: IntArray, second: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """All pairs of a sentence of one set with a sentence of another, and which pair of sets each comes from."""
        left, right = self.sizes[first], self.sizes[second]
        pair = np.repeat(np.arange(len(first)), left * right)
        a = np.repeat(self.rows[ranges(self.starts[first], left)], np.repeat(right, left))
        b = self.rows[ranges(np.repeat(self.starts[second], left), np.repeat(right, left))]
        return a, b, pair


def copies(corpus: Corpus) -> Copies:
    """Find sentences of the same distinct words.

    Sentences are sorted by a hash of their words, and neighbours are compared word by word: a collision of hashes
    could at worst leave two copies apart, which costs time and changes no result.

    Examples
    --------
    >>> from kostra.sampling.mining_corpus import gather
    >>> found = copies(gather(["a b", "c", "b a a"]))
    >>> sorted(found.rows[a:b].tolist() for a, b in zip(found.starts[:-1], found.starts[1:]))
    [[0, 2], [1]]
    """
    signs = np.random.default_rng(0).integers(1 << 62, size=len(corpus.frequency))
    running = running_mass(corpus.types, signs)
    hashes = running[corpus.starts[1:]] - running[corpus.starts[:-1]]
    rows = np.argsort(hashes, kind="stable")
    alike = np.flatnonzero(np.diff(hashes[rows]) == 0)
    sizes = np.diff(corpus.starts)
    shared, _ = shared_mass(corpus.incidence, rows[alike], rows[alike + 1], None)
    same = (shared == sizes[rows[alike]]) & (shared == sizes[rows[alike + 1]])
    begins = np.ones(len(rows), dtype=np.bool_)
    begins[alike[same] + 1] = False
    return Copies(np.append(np.flatnonzero(begins), len(rows)), rows)

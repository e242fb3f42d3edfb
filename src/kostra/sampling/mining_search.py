"""Exact search for overlapping sentences without looking at all pairs.

The idea is the prefix filter: if the words of every sentence stand in one order, rarest first, then two sentences that
share enough must share one of their first few words, so that an inverted index of those few finds every pair
(Chaudhuri, Ganti and Kaushik 2006, "A primitive operator for similarity joins"; Bayardo, Ma and Srikant 2007, "Scaling
up all pairs similarity search"; sizes and positions bound what two sentences can still share as in PPJoin: Xiao, Wang,
Lin and Yu 2008). Where many sentences share such a word, they must share a second one a little further on, and so on
(Wang, Li and Feng 2012, "Can we beat the prefix filtering?"): a long list of the index is split by the next shared word
as often as this saves comparisons. So the work follows the pairs that are there, not the square of the corpus.

Every pair has exactly one rarest shared word. The work is split into blocks by ranges of that word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kostra.errors import KostraError
from kostra.sampling.mining_corpus import (
    Corpus,
    IntArray,
    Measure,
    copies,
    cut,
    incidence,
    masses,
    ranges,
    running_mass,
    score,
    shared_mass,
    word_weights,
)
from kostra.sampling.mining_rules import Rule, Signatures

VERSION = "mining-1"
"""Name of the form in which blocks are kept; results of another version are not taken for ours."""

PAIR = np.dtype([("first", "<i8"), ("second", "<i8"), ("score", "<f8")])
PairArray: TypeAlias = NDArray[np.void]
"""Records of `PAIR`: the numbers of two sentences and their overlap."""

_PATIENCE = 24  # comparisons per entry of a list above which the list may be split
_SAVING = 0.5  # a split must save this part of the comparisons, or it is not worth its price
_ENTRIES, _PAIRS = 1 << 16, 1 << 19  # that are looked at in one go
_WIDE = 1 << 24  # words after the entries of lists; where there are more, lists are not split, to stay within memory


@dataclass(frozen=True, eq=False)
class Search:
    """All pairs whose overlap is at least `threshold` and below `below`: a pure function of the block's number."""

    corpus: Corpus
    measure: Measure
    threshold: float
    below: float | None = None
    length_difference: float | None = None
    """Greatest difference in words, as a share of the longer sentence's number of words; None is no bound."""
    ordered: bool = False
    """Whether a pair of a symmetric measure stands in both directions."""
    block_size: int = 2_000_000
    """How many distinct words of sentences make a block."""
    most: int = 20_000_000
    """How many pairs one block may find before it is refused as too many to hold (24 bytes each)."""

    def __post_init__(self) -> None:
        word_weights(self.corpus, self.measure)  # refuses an unknown measure
        if not 0 < self.threshold <= 1:
            raise KostraError(
                f"the threshold is {self.threshold}",
                accepted="a number above 0 and at most 1; with 0 every pair would be meant",
            )

    @cached_property
    def bounds(self) -> IntArray:
        """The word with which each block begins, and one more."""
        parts = cut(self.corpus.frequency, self.block_size)
        return np.array([0, *(part.stop for part in parts)], dtype=np.int64)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self.bounds) - 1

    @property
    def digest(self) -> str:
        """A hash of the corpus and of all that shapes a block."""
        said = [VERSION, "search", self.corpus.digest, self.measure, self.threshold, self.below]
        said += [self.length_difference, self.ordered, self.block_size]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def __call__(self, block: int) -> PairArray:
        """The pairs whose rarest shared word lies in the block, sorted by both sentences.

        A pair of a symmetric measure stands once, the lower number first, unless `ordered`; `shared_share` gives each
        direction that reaches the threshold.
        """
        found = self._index.pairs(int(self.bounds[block]), int(self.bounds[block + 1]))
        if self.below is not None:
            found = found[found["score"] < self.below]
        if self.length_difference is not None:
            lengths = self.corpus.lengths
            a, b = lengths[found["first"]], lengths[found["second"]]
            found = found[near_in_length(a, b, self.length_difference)]
        if self.ordered and self.measure != "shared_share":
            other = found.copy()
            other["first"], other["second"] = found["second"], found["first"]
            found = np.concatenate([found, other])
        return found[np.lexsort((found["second"], found["first"]))]

    @cached_property
    def _index(self) -> _Index:
        return _Index(self)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to a worker: the index is made there."""
        return {name: value for name, value in self.__dict__.items() if name != "_index"}


@dataclass(frozen=True, eq=False)
class _Lists:
    """Lists of sentences that share the same words so far; entries are sorted by list, then by sentence.

    A sentence is an entry with the place of the last shared word; the arrays run over entries.
    """

    group: IntArray
    row: IntArray
    place: IntArray
    mass: IntArray
    """Of the words shared so far."""
    root: IntArray
    """The first of them."""

    def only(self, kept: NDArray[np.bool_] | slice) -> _Lists:
        """Some entries, whole lists as a rule, with the lists counted anew from 0."""
        group = self.group[kept]
        if len(group):
            group = np.cumsum(np.concatenate([[0], np.diff(group) != 0]))
        return _Lists(group, self.row[kept], self.place[kept], self.mass[kept], self.root[kept])

    def batches(self) -> Iterator[_Lists]:
        """Parts of bounded size that do not cut a list."""
        for part in cut(np.bincount(self.group), _ENTRIES) if len(self.group) else []:
            begin, end = np.searchsorted(self.group, [part.start, part.stop])
            yield self.only(slice(begin, end))


class _Index:
    """The distinct sentences in order of mass, and the inverted index of their first words."""

    def __init__(self, search: Search) -> None:
        corpus, self.search = search.corpus, search
        self.copies = copies(corpus)
        models, sizes = self.copies.models, np.diff(corpus.starts)
        mass = masses(corpus, search.measure)[models]
        self.order = np.argsort(mass, kind="stable")
        self.mass = mass[self.order]
        lengths = corpus.lengths.astype(np.int64)
        self.shortest, self.longest = (
            self.copies.shortest(lengths)[self.order],
            self.copies.longest(lengths)[self.order],
        )
        models = models[self.order]
        self.starts = np.concatenate([[0], np.cumsum(sizes[models])])
        self.types = corpus.types[ranges(corpus.starts[models], sizes[models])]
        self.rows = incidence(self.starts, self.types, len(corpus.frequency))
        self.weights = word_weights(corpus, search.measure)
        self.running = None if self.weights is None else running_mass(self.types, self.weights)
        self.rule = Rule(search.threshold, search.measure != "shared_share", self.mass)
        self.signatures = Signatures(self.starts, self.types) if self.weights is None else None
        self._invert()

    def pairs(self, first: int, last: int) -> PairArray:
        """The pairs whose rarest shared word is in a range, in no order; bounds on length are not looked at yet."""
        parts = [self._within(first, last)]
        held = 0
        for part in self.walk(first, last):
            parts.append(part)
            held += len(part)
            self._refuse_too_many(held)
        found = np.concatenate(parts)
        code = found["first"] * len(self.order) + found["second"]
        found = found[np.unique(code, return_index=True)[1]]  # a pair may be met by several second words
        sizes, symmetric = self.copies.sizes, self.rule.symmetric
        self._refuse_too_many(int((sizes[found["first"]] * sizes[found["second"]]).sum()))
        a, b, origin = self.copies.across(found["first"], found["second"])
        inside = found["first"][origin] == found["second"][origin]
        kept = ~inside | ((a < b) if symmetric else (a != b))
        pairs = np.zeros(int(kept.sum()), dtype=PAIR)
        a, b = a[kept], b[kept]
        pairs["first"], pairs["second"] = (np.minimum(a, b), np.maximum(a, b)) if symmetric else (a, b)
        pairs["score"] = found["score"][origin[kept]]
        return pairs

    def _within(self, first: int, last: int) -> PairArray:
        """Sets of copies, each as a pair with itself, whose overlap is 1."""
        many = np.flatnonzero((self.copies.sizes[self.order] > 1) & (self.mass > 0))
        rarest = self.types[self.starts[many]]
        many = self.order[many[(rarest >= first) & (rarest < last)]]
        pairs = np.zeros(len(many), dtype=PAIR)
        pairs["first"], pairs["second"], pairs["score"] = many, many, 1.0
        return pairs

    def _refuse_too_many(self, found: int) -> None:
        if found > self.search.most:
            raise KostraError(
                f"more than {self.search.most:,} pairs of one block overlap by {self.search.threshold} or more",
                remedy="remove repeated sentences first, raise the threshold, or make the blocks smaller",
            )

    def _invert(self) -> None:
        """Keep the places of words with which a pair's shared words may begin, word by word."""
        row = np.repeat(np.arange(len(self.mass), dtype=np.int32), np.diff(self.starts))
        place = np.arange(len(self.types), dtype=np.int64)
        own = self._weigh(self.types)
        kept = (own > 0) & (own + self._rest(row.astype(np.int64), place) >= self.rule.least(self.mass[row]))
        counts = np.bincount(row[kept], minlength=len(self.mass))
        self.row_of = row
        kept_rows = incidence(
            np.concatenate([[0], np.cumsum(counts)]), self.types[kept], len(self.search.corpus.frequency)
        )
        kept_rows.data = place[kept]
        by_word = kept_rows.tocsc()
        self.places, self.place_starts = by_word.data, by_word.indptr.astype(np.int64)

    def _weigh(self, types: NDArray[np.int32]) -> IntArray:
        return np.ones(len(types), dtype=np.int64) if self.weights is None else self.weights[types]

    def _rest(self, row: IntArray, place: IntArray) -> IntArray:
        """The mass of a sentence's words after a place: what may still be shared."""
        end = self.starts[row + 1]
        return end - place - 1 if self.running is None else self.running[end] - self.running[place + 1]

    def _after(self, lists: _Lists) -> IntArray:
        """How many words each entry has from its place on: the price of splitting its list."""
        return self.starts[lists.row + 1] - lists.place

    def walk(self, first: int, last: int) -> Iterator[PairArray]:
        """Go through the lists of a range of words, deeper lists first, so that few wait at a time."""
        waiting = list(self._roots(first, last).batches())
        while waiting:
            lists = waiting.pop()
            begin, count = self._partners(lists)
            price, after = np.bincount(lists.group, count), np.bincount(lists.group, self._after(lists))
            heavy = (price > _PATIENCE * np.bincount(lists.group)) & (after < price)
            heavy &= np.cumsum(np.where(heavy, after, 0)) <= _WIDE
            deeper, pays = self._split(lists, heavy, price)
            split = pays[lists.group]
            count = np.where(split, np.minimum(count, self._settled(lists, begin)), count)
            yield from self._emit(lists, begin, count)
            waiting.extend(deeper.batches())

    def _roots(self, first: int, last: int) -> _Lists:
        """The lists of the inverted index itself."""
        sizes = np.diff(self.place_starts[first : last + 1])
        root = np.repeat(np.arange(first, last, dtype=np.int64), sizes)
        place = self.places[self.place_starts[first] : self.place_starts[last]]
        shared = np.repeat(sizes > 1, sizes)
        root, place = root[shared], place[shared].astype(np.int64)
        mass = np.ones(len(root), dtype=np.int64) if self.weights is None else self.weights[root]
        return _Lists(root, self.row_of[place].astype(np.int64), place, mass, root).only(slice(None))

    def _partners(self, lists: _Lists) -> tuple[IntArray, IntArray]:
        """With which entries, a run from `begin` on, each entry may form a pair as the smaller or first sentence."""
        rows = len(self.mass)
        code, base = lists.group * rows + lists.row, lists.group * rows
        if self.rule.symmetric:  # the entries after it
            begin: IntArray = np.arange(1, len(code) + 1, dtype=np.int64)
        else:
            begin = np.searchsorted(code, base + self.rule.near[lists.row])
        end = np.searchsorted(code, base + self.rule.far[lists.row])
        reach = lists.mass + self._rest(lists.row, lists.place)
        able = reach >= self.rule.own(self.mass[lists.row])
        return begin, np.where(able, np.maximum(end - begin, 0), 0)

    def _settled(self, lists: _Lists, begin: IntArray) -> IntArray:
        """How many of those partners share enough already, so that they must not be asked for another word."""
        rows = len(self.mass)
        far = self.rule.settled(lists.mass, lists.row)
        end = np.searchsorted(lists.group * rows + lists.row, lists.group * rows + far)
        return np.asarray(np.maximum(end - begin, 0), dtype=np.int64)

    def _split(self, lists: _Lists, heavy: NDArray[np.bool_], price: NDArray[Any]) -> tuple[_Lists, NDArray[np.bool_]]:
        """Split heavy lists by the next shared word; say for which of them this pays."""
        chosen = np.flatnonzero(heavy[lists.group])
        row, place = lists.row[chosen], lists.place[chosen]
        more = self.starts[row + 1] - place - 1
        parent = np.repeat(chosen, more)
        row, place = np.repeat(row, more), ranges(place + 1, more)
        types = self.types[place]
        mass = lists.mass[parent] + self._weigh(types)
        kept = np.flatnonzero(mass + self._rest(row, place) >= self.rule.least(self.mass[row]))
        group = lists.group[parent[kept]]
        code = group * np.int64(self.rows.shape[1]) + types[kept]
        kept = kept[np.argsort(code, kind="stable")]
        code.sort()
        fresh = np.concatenate([[True], np.diff(code) != 0]) if len(code) else np.zeros(0, dtype=np.bool_)
        number = np.cumsum(fresh) - 1
        company = np.bincount(number)[number] > 1 if len(code) else fresh
        parent = parent[kept]
        deeper = _Lists(number, row[kept], place[kept], mass[kept], lists.root[parent]).only(company)
        above = lists.group[parent[company]]
        _, count = self._partners(deeper)
        pays = heavy & (np.bincount(above, count + 1, minlength=len(heavy)) < _SAVING * price)
        return deeper.only(pays[above]), pays

    def _emit(self, lists: _Lists, begin: IntArray, count: IntArray) -> Iterator[PairArray]:
        """Compare the pairs of lists, some at a time."""
        rest, difference = self._rest(lists.row, lists.place), self.search.length_difference
        for part in cut(count, _PAIRS):
            x = np.repeat(np.arange(part.start, part.stop), count[part])
            y = ranges(begin[part], count[part])
            first, second = lists.row[x], lists.row[y]
            need = self.rule.need(self.mass[first], self.mass[second])
            kept = (first != second) & (lists.mass[x] + np.minimum(rest[x], rest[y]) >= need)
            if difference is not None:  # as near as any two of the copies come
                short = np.minimum(self.longest[first], self.longest[second])
                long = np.maximum(self.shortest[first], self.shortest[second])
                kept &= near_in_length(np.minimum(short, long), long, difference)
            if self.signatures:
                kept[kept] = self.signatures.most_shared(first[kept], second[kept]) >= need[kept]
            yield self._compared(first[kept], second[kept], lists.root[x[kept]])

    def _compared(self, first: IntArray, second: IntArray, root: IntArray) -> PairArray:
        """Keep the pairs that reach the threshold and whose rarest shared word is the list's first."""
        # Lists come in the order of their first word: where a pair is met again, it cannot be by a rarer one.
        _, met = np.unique(first * len(self.mass) + second, return_index=True)
        first, second, root = first[met], second[met], root[met]
        shared, rarest = shared_mass(self.rows, first, second, self.weights)
        scores = score(shared, self.mass[first], self.mass[second], self.search.measure)
        kept = (rarest == root) & (scores >= self.search.threshold)
        pairs = np.zeros(int(kept.sum()), dtype=PAIR)
        pairs["first"], pairs["second"] = self.order[first[kept]], self.order[second[kept]]
        pairs["score"] = scores[kept]
        return pairs


def near_in_length(first: NDArray[Any], second: NDArray[Any], difference: float) -> NDArray[np.bool_]:
    """Whether lengths differ by at most a share of the longer one."""
    return np.asarray(np.abs(first - second) <= difference * np.maximum(first, second), dtype=np.bool_)

"""Folds: which pairs are trained on and which are tested on, and what the two sides share.

A sentence that stands in several pairs ties them together. Random folds put such pairs on both sides, so that whatever
is trained has seen half of what it is tested on. Grouped folds keep everything that hangs together on one side. Where
nearly all pairs hang together (CDSC: 8,999 of 9,000) that is impossible: then a group that is known (seed, image)
keeps pairs together instead, or else the pairs are cut along a line that crosses few of them, and what is shared is
reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from kostra.errors import KostraError

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Kind = Literal["random", "sentences", "groups", "cut", "sources"]

ENTANGLED = 0.5
"""If the largest set of pairs that hang together has more than this share of all, folds of such sets are useless."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Which sentences each pair has, as numbers from 0.

    Examples
    --------
    >>> ends = Ends.of([("a", "b"), ("b", "c"), ("d", "e")])
    >>> ends.sentences, ends.components().tolist()
    (5, [0, 0, 1])
    """

    first: IntArray
    second: IntArray
    sentences: int

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> Ends:
        """Number the sentences in order of appearance."""
        place: dict[str, int] = {}
        numbers = [[place.setdefault(text, len(place)) for text in pair] for pair in pairs]
        both = np.array(numbers, dtype=np.int64).reshape(-1, 2)
        return cls(both[:, 0], both[:, 1], len(place))

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.first)

    def graph(self) -> sparse.csr_array:
        """Sentences joined by pairs."""
        ones = np.ones(self.pairs)
        made = sparse.coo_array((ones, (self.first, self.second)), shape=(self.sentences, self.sentences))
        return (made + made.T).tocsr()

    def components(self) -> IntArray:
        """Per pair, the number of the set of pairs that it hangs together with."""
        if not self.pairs:
            return np.zeros(0, dtype=np.int64)
        _, of_sentence = connected_components(self.graph(), directed=False)
        return np.asarray(of_sentence[self.first], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Folds:
    """A division of pairs into parts, each of which is tested on once.

    Examples
    --------
    >>> folds = Folds(np.array([0, 1, 0]), Ends.of([("a", "b"), ("b", "c"), ("d", "e")]), kind="random")
    >>> [(train.tolist(), test.tolist()) for train, test in folds]
    [([1], [0, 2]), ([0, 2], [1])]
    >>> folds.shared
    2
    """

    fold: IntArray
    """Per pair, the fold that tests on it."""
    ends: Ends
    kind: Kind
    drop: bool = False
    """Whether training leaves out pairs that share a sentence with the fold that is tested."""

    @property
    def count(self) -> int:
        """How many folds there are."""
        return int(self.fold.max(initial=-1)) + 1

    def __iter__(self) -> Iterator[tuple[IntArray, IntArray]]:
        for number in range(self.count):
            test = self.fold == number
            train = ~test
            if self.drop:
                train &= ~self._touches(test)
            yield np.flatnonzero(train), np.flatnonzero(test)

    def _touches(self, which: BoolArray) -> BoolArray:
        """Which pairs share a sentence with the pairs named."""
        seen = np.zeros(self.ends.sentences, dtype=np.bool_)
        seen[self.ends.first[which]] = seen[self.ends.second[which]] = True
        return np.asarray(seen[self.ends.first] | seen[self.ends.second])

    @property
    def shared(self) -> int:
        """How many tested pairs have a sentence that was trained on."""
        found = 0
        for train, test in self:
            trained = np.zeros(len(self.fold), dtype=np.bool_)
            trained[train] = True
            found += int(self._touches(trained)[test].sum())
        return found

    @property
    def dropped(self) -> int:
        """How many pairs the training leaves out, summed over folds."""
        return sum(len(self.fold) - len(train) - len(test) for train, test in self)

    def says(self) -> str:
        """What kind of folds these are, in words."""
        how = {
            "random": "random folds",
            "sentences": "folds that keep pairs with a common sentence together",
            "groups": "folds that keep a group together",
            "cut": "folds cut where few sentences are shared, since nearly all pairs hang together",
            "sources": "one source left out at a time",
        }[self.kind]
        shared = self.shared
        leak = f"{shared:,} of {len(self.fold):,} tested pairs share a sentence with the training pairs"
        rest = f"; {self.dropped:,} bridging pairs left out of training" if self.drop else ""
        return f"{self.count} {how}; {leak if shared else 'no sentence is shared'}{rest}"


def random_folds(ends: Ends, count: int, *, rng: np.random.Generator) -> Folds:
    """Shuffled folds of equal size; a file sorted by score would give nonsense without the shuffling."""
    _enough(ends.pairs, count, "pairs")
    return Folds(rng.permutation(np.arange(ends.pairs) % count), ends, "random")


def grouped_folds(
    ends: Ends,
    count: int,
    *,
    rng: np.random.Generator,
    groups: Sequence[str | None] | None = None,
    drop: bool = False,
) -> Folds:
    """Folds between which no sentence is shared; where that is impossible, the best that can be done.

    Parameters
    ----------
    groups
        Per pair, the seed, image or incident it belongs to, for pairs that all hang together.
    drop
        Leave pairs that bridge two folds out of training. Only asked for by hand: it makes the training set smaller.

    Examples
    --------
    >>> ends = Ends.of([("a", "b"), ("b", "c"), ("d", "e"), ("f", "g")])
    >>> folds = grouped_folds(ends, 2, rng=np.random.default_rng(1))
    >>> folds.kind, folds.shared, bool(folds.fold[0] == folds.fold[1])
    ('sentences', 0, True)
    """
    _enough(ends.pairs, count, "pairs")
    together = ends.components()
    sizes = np.bincount(together)
    if sizes.max() <= ENTANGLED * ends.pairs and (sizes > 0).sum() >= count:
        return Folds(_spread(together, count, rng), ends, "sentences", drop)
    if groups is not None and None not in groups and len(set(groups)) >= count:
        return Folds(_spread(np.unique(np.array(groups), return_inverse=True)[1], count, rng), ends, "groups", drop)
    return Folds(_cut(ends, count), ends, "cut", drop)


def source_folds(ends: Ends, sources: Sequence[str], *, drop: bool = False) -> Folds:
    """One fold per source, in the order of their names.

    Examples
    --------
    >>> source_folds(Ends.of([("a", "b"), ("c", "d")]), ["y", "x"]).fold.tolist()
    [1, 0]
    """
    names, fold = np.unique(np.array(sources), return_inverse=True)
    if len(names) < 2:
        raise KostraError(
            f"leaving one source out needs two sources or more; there is {len(names)}",
            accepted="pairs whose column source names two corpora or more",
        )
    return Folds(fold.reshape(-1).astype(np.int64), ends, "sources", drop)


def _spread(together: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """Give sets of pairs to folds, large sets first, each to the fold that is smallest by then."""
    sizes = np.bincount(together)
    shuffled = rng.permutation(len(sizes))
    order = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    of_set = np.zeros(len(sizes), dtype=np.int64)
    filled = np.zeros(count, dtype=np.int64)
    for one in order:
        smallest = int(filled.argmin())
        of_set[one] = smallest
        filled[smallest] += sizes[one]
    return of_set[together]


def _cut(ends: Ends, count: int) -> IntArray:
    """Lay the sentences on a line on which joined ones lie close (Cuthill & McKee, 1969), and cut it evenly."""
    line = np.empty(ends.sentences)
    line[reverse_cuthill_mckee(ends.graph(), symmetric_mode=True)] = np.arange(ends.sentences)
    order = np.argsort(line[ends.first] + line[ends.second], kind="stable")
    fold = np.empty(ends.pairs, dtype=np.int64)
    fold[order] = np.arange(ends.pairs) * count // ends.pairs
    return fold


def _enough(found: int, count: int, what: str) -> None:
    if count < 2:
        raise KostraError(f"found {count} folds", accepted="2 folds or more")
    if found < count:
        raise KostraError(f"{found} {what} cannot be divided into {count} folds", accepted=f"{count} {what} or more")

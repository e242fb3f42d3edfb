"""Lots: items that are dealt to one annotator together, arranged before anybody comes.

Two ways of dealing come from Czech News STS [1]_. In its first round an annotator gets whole incidents, and nobody else
gets them (`whole_groups`). In its second round an annotator gets a sequence of 50 pairs; these were "specifically
crafted for their union to yield the full original (S, A, B, C) tuple set while having an empty intersection" (section
4.2, figure 3), and are shuffled for each of the nine annotators per pair, "to eliminate any potential STS bias
resulting from repeating a stack of annotators with similar semantic intuition" (`disjoint_sequences`).

The paper's words demand the union and the empty intersection. That the pairs SA, SB, SC of one summary sentence stand
in three different sequences, so that nobody rates one S three times, is how figure 3 is read here; `apart` says which
items must be kept so, and without it the words alone are kept.

References
----------
.. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
   similarity.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kostra.errors import KostraError

Lot = tuple[str, ...]
"""Items that are dealt together, in the order in which they are shown."""

IntArray = NDArray[np.int64]

_CANDIDATES = 100
"""Items that are tried as partners of a swap; more make each swap better and slower."""


def disjoint_sequences(
    items: Sequence[str],
    *,
    length: int,
    replicates: int,
    seed: int,
    apart: Mapping[str, str] | None = None,
) -> list[list[Lot]]:
    r"""Cut the items in disjoint sequences of one length, once per replicate, every replicate shuffled afresh.

    Within a replicate, the sequences have no item in common and are together the whole set, and no two items of one
    set (`apart`) stand in one sequence. With N items there are K = N / length sequences per replicate, and every item
    has exactly one place in each replicate. The only conditions are that `length` divides N and that no set has more
    than K items: the sets are dealt one after the other to the sequences with most room, whose rooms so never differ
    by more than one.

    Two sequences of different replicates share :math:`\lceil length / K \rceil` items at least somewhere, since the
    items of a sequence are spread over K others. Swaps bring the most that any two share down towards that number
    (`shared_at_most` counts it), so that no two annotators, and so no group of them, meet again and again.

    Parameters
    ----------
    items
        The whole set.
    length
        Items per sequence.
    replicates
        How many sequences an item stands in: the annotators per item.
    apart
        Item → its set; items of one set stand in different sequences. An item that is missing stands alone.

    Returns
    -------
    list of list of Lot
        Per replicate its sequences.

    Examples
    --------
    >>> pairs = ["s1a", "s1b", "s1c", "s2a", "s2b", "s2c"]
    >>> dealt = disjoint_sequences(pairs, length=2, replicates=2, seed=1, apart={pair: pair[:2] for pair in pairs})
    >>> [sorted(item for lot in replicate for item in lot) == pairs for replicate in dealt]
    [True, True]
    >>> {len({item[:2] for item in lot}) for replicate in dealt for lot in replicate}
    {2}
    """
    if len(set(items)) != len(items):
        raise ValueError("an item stands twice among those to be dealt")
    sets = {name: number for number, name in enumerate(dict.fromkeys((apart or {}).get(i, f"\0{i}") for i in items))}
    group = np.array([sets[(apart or {}).get(item, f"\0{item}")] for item in items], dtype=np.int64)
    sizes = np.bincount(group) if len(items) else np.zeros(0, dtype=np.int64)
    check_arithmetic(len(items), length=length, replicates=replicates, largest=int(sizes.max(initial=0)))
    count = len(items) // length
    earlier: list[IntArray] = []
    dealt: list[list[Lot]] = []
    for number in range(replicates):
        # A generator for each replicate: more replicates later leave those that were dealt as they are.
        rng = np.random.default_rng([seed, count, length, number])
        place = _spread(group, sizes, count, rng)
        if earlier:
            place = _Meeting(place, group, np.stack(earlier, axis=1), count, rng).parted(math.ceil(length / count))
        earlier.append(place)
        dealt.append([_shuffled(items, place == lot, rng) for lot in range(count)])
    return dealt


def whole_groups(groups: Mapping[str, str], *, per_annotator: int, overlap: int = 1, seed: int) -> list[list[Lot]]:
    """Cut the items in lots of whole groups (incidents), once per replicate; every replicate is shuffled afresh.

    Items of a group keep their order and follow each other. The last lot of a replicate may have fewer groups.

    Parameters
    ----------
    groups
        Item → its group.
    per_annotator
        Groups per lot.
    overlap
        Replicates: the annotators per item.

    Examples
    --------
    >>> incidents = {"s1": "fire", "s2": "fire", "s3": "flood", "s4": "vote"}
    >>> dealt = whole_groups(incidents, per_annotator=2, seed=1)
    >>> [[sorted({incidents[item] for item in lot}) for lot in lots] for lots in dealt]
    [[['fire', 'flood'], ['vote']]]
    """
    if per_annotator < 1:
        raise KostraError(f"{per_annotator} groups per annotator", accepted="at least 1")
    inside: dict[str, list[str]] = {}
    for item, name in groups.items():
        inside.setdefault(name, []).append(item)
    names = list(inside)
    replicates = []
    for number in range(overlap):
        rng = np.random.default_rng([seed, len(names), per_annotator, number])
        order = [names[place] for place in rng.permutation(len(names)).tolist()]
        cuts = [order[start : start + per_annotator] for start in range(0, len(order), per_annotator)]
        replicates.append([tuple(item for name in cut for item in inside[name]) for cut in cuts])
    return replicates


def check_arithmetic(items: int, *, length: int, replicates: int, largest: int = 1) -> str:
    """Say the arithmetic of a deal in sequences, or refuse it with the numbers that would do.

    Parameters
    ----------
    largest
        Items in the largest set whose items must stand apart.

    Examples
    --------
    >>> check_arithmetic(1200, length=50, replicates=9)
    '1,200 items × 9 = 216 sequences × 50: 24 sequences make the whole set, nine times over, for 216 annotators'
    >>> check_arithmetic(1210, length=50, replicates=9)
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: 1,210 items cannot be cut in sequences of 50: 24 × 50 = 1,200 leaves 10 over
      accepted: 1,200 or 1,250 items, or sequences of 22, 55
    """
    if length < 1 or replicates < 1:
        raise KostraError(f"sequences of {length}, {replicates} per item", accepted="numbers from 1")
    count, over = divmod(items, length)
    if over or not count:
        multiples = [number for number in (count * length, (count + 1) * length) if number]
        fits = f"{' or '.join(f'{number:,}' for number in multiples)} items"
        near = [f"{number:,}" for number in _divisors_around(items, length) if number * largest <= items]
        also = f", or sequences of {', '.join(near)}" if near else ""
        left = f"{count:,} × {length} = {count * length:,} leaves {over:,} over" if count else "there are too few"
        raise KostraError(f"{items:,} items cannot be cut in sequences of {length}: {left}", accepted=fits + also)
    if largest > count:
        most = max((number for number in _divisors(items) if number * largest <= items), default=None)
        raise KostraError(
            f"{items:,} items in sequences of {length} make {count:,} sequences, but {largest:,} items must stand in "
            f"{largest:,} different ones",
            accepted=f"sets of at most {count:,} items" + (f", or sequences of {most}" if most else ""),
        )
    times = _TIMES.get(replicates, f"{replicates} times over")
    return (
        f"{items:,} items × {replicates} = {count * replicates:,} sequences × {length}: {count:,} sequences make the "
        f"whole set, {times}, for {count * replicates:,} annotators"
    )


_TIMES = {1: "once", 2: "twice", 3: "three times over", 9: "nine times over"}


def fitting_length(items: int, length: int, *, largest: int = 1) -> int:
    """The length nearest to `length` that divides the items, for a rehearsal with fewer items than the recipe has.

    Examples
    --------
    >>> fitting_length(1200, 50), fitting_length(90, 50), fitting_length(66, 50, largest=3)
    (50, 45, 22)
    """
    fitting = [number for number in _divisors(items) if number * largest <= items]
    return min(fitting, key=lambda number: (abs(number - length), number), default=max(items, 1))


def shared_at_most(replicates: Sequence[Sequence[Lot]]) -> int:
    """The most items that any two sequences of different replicates share.

    Examples
    --------
    >>> shared_at_most([[("a", "b"), ("c", "d")], [("a", "c"), ("b", "d")]])
    1
    """
    homes: dict[str, list[int]] = {}
    numbered = [lot for lots in replicates for lot in lots]
    for number, lot in enumerate(numbered):
        for item in lot:
            homes.setdefault(item, []).append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for found in homes.values():
        shared.update((one, other) for place, one in enumerate(found) for other in found[place + 1 :])
    return max(shared.values(), default=0)


def _divisors(number: int) -> list[int]:
    small = [one for one in range(1, math.isqrt(number) + 1) if number % one == 0]
    return sorted({*small, *(number // one for one in small)})


def _divisors_around(items: int, length: int) -> list[int]:
    """The nearest lengths below and above that divide the items; a length of 1 is no sequence."""
    found = [number for number in _divisors(items) if number > 1]
    below = [number for number in found if number < length][-1:]
    return below + [number for number in found if number > length][:1]


def _shuffled(items: Sequence[str], chosen: NDArray[np.bool_], rng: np.random.Generator) -> Lot:
    return tuple(items[place] for place in rng.permutation(np.flatnonzero(chosen)).tolist())


def _spread(group: IntArray, sizes: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """Deal the sets, in random order, each to the sequences with most room, ties at random."""
    place = np.empty(len(group), dtype=np.int64)
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(sizes)[:-1])
    # A round goes once through all sequences; a set that needs more than the round has left begins the next one
    # with those that it has not got from this one.
    left = rng.permutation(count).tolist()
    for number in rng.permutation(len(sizes)).tolist():
        own = left[: len(members[number])]
        left = left[len(own) :]
        lacking = len(members[number]) - len(own)
        if lacking:
            fresh = rng.permutation(count).tolist()
            more = [lot for lot in fresh if lot not in own][:lacking]
            left = [lot for lot in fresh if lot not in more]
            own += more
        place[members[number]] = rng.permutation(own)
    return place


class _Meeting:
    """One replicate while swaps part those who would meet too often in it.

    Parameters
    ----------
    place
        Item → its sequence.
    group
        Item → its set.
    earlier
        Item × earlier replicate → its sequence there.
    """

    def __init__(
        self, place: IntArray, group: IntArray, earlier: IntArray, count: int, rng: np.random.Generator
    ) -> None:
        self.place, self.group, self.rng = place, group, rng
        self.before = earlier + np.arange(earlier.shape[1]) * count  # a number of its own for every earlier sequence
        self.count, self.olds = count, earlier.shape[1] * count
        rows = self.before.ravel()
        columns = np.repeat(place, earlier.shape[1])
        self.shared = np.bincount(rows * count + columns, minlength=self.olds * count).reshape(self.olds, count)
        self.shared = self.shared.astype(np.int32)
        self.held = {(int(one), int(lot)) for one, lot in zip(group, place, strict=True)}

    def parted(self, most: int) -> IntArray:
        """Swap items until no two sequences share more than `most`, or one more where that cannot be had."""
        bound = most
        while not self._reached(bound):
            bound += 1
        return self.place

    def _reached(self, bound: int) -> bool:
        patience = 15 * len(self.place)
        while len(waiting := self._excessive(bound)):
            for item in waiting:
                patience -= 1
                if self._meets_too_often(item, bound):
                    self._swap_best(item, bound)
            if patience < 0:
                return False
        return True

    def _excessive(self, bound: int) -> list[int]:
        too_often = (self.shared[self.before, self.place[:, None]] > bound).any(axis=1)
        found: list[int] = self.rng.permutation(np.flatnonzero(too_often)).tolist()
        return found

    def _meets_too_often(self, item: int, bound: int) -> bool:
        return bool((self.shared[self.before[item], self.place[item]] > bound).any())

    def _swap_best(self, item: int, bound: int) -> None:
        """Swap an item with the partner that mends most; a swap that changes nothing is taken as well, for a change."""
        here = self.place[item]
        others = self.rng.integers(len(self.place), size=min(_CANDIDATES, len(self.place)))
        others = others[self.place[others] != here]
        there = self.place[others]
        own, theirs = self.before[item], self.before[others]
        # What each of the four moves does to the number of excessive meetings.
        leaves = (self.shared[own, here] > bound).sum()
        enters = (self.shared[own][:, there] >= bound).sum(axis=0)
        they_leave = (self.shared[theirs, there[:, None]] > bound).sum(axis=1)
        they_enter = (self.shared[theirs, here] >= bound).sum(axis=1)
        # Where both come from one earlier sequence, a swap changes nothing between it and the two.
        same = theirs == own
        kept = same * (
            (self.shared[theirs, here] > bound).astype(np.int64)
            - (self.shared[theirs, there[:, None]] >= bound)
            + (self.shared[theirs, there[:, None]] > bound)
            - (self.shared[theirs, here] >= bound)
        )
        change = enters + they_enter - leaves - they_leave + kept.sum(axis=1)
        for choice in np.lexsort((self.rng.random(len(others)), change)).tolist():
            if change[choice] > 0:
                return
            other = int(others[choice])
            if self._may_swap(item, other):
                self._swap(item, other)
                return

    def _may_swap(self, item: int, other: int) -> bool:
        """Whether the sets stay apart."""
        mine, yours = int(self.group[item]), int(self.group[other])
        here, there = int(self.place[item]), int(self.place[other])
        return mine == yours or ((mine, there) not in self.held and (yours, here) not in self.held)

    def _swap(self, item: int, other: int) -> None:
        here, there = int(self.place[item]), int(self.place[other])
        for one, old, new in ((item, here, there), (other, there, here)):
            self.shared[self.before[one], old] -= 1
            self.shared[self.before[one], new] += 1
            self.held.discard((int(self.group[one]), old))
            self.place[one] = new
        self.held |= {(int(self.group[item]), there), (int(self.group[other]), here)}

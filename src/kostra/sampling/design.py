"""Balanced random designs: which items to show together, and at which position.

A design is an integer array with one tuple per row. Its columns are the positions on the screen, and each
column is dealt from the same pack, so that exchanging two entries *of one column* changes the company of
two items but neither how often nor where any item appears. All repair here is made of such exchanges.
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

# One item twice in a tuple is worse than any number of repeated meetings that one exchange can cause.
_TWICE = 1 << 40
# Up to this many tuples an exchange is tried with every other tuple, beyond it with a random few.
_ALL_PARTNERS, _SOME_PARTNERS = 256, 48
# Exchanges tried where repeated meetings cannot be avoided: about a fifth of a second.
_EFFORT = 2_000
_FRESH_STARTS = 20

# An item and the number of one of its nodes, see `_deal_positions`.
_Node: TypeAlias = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class DesignQuality:
    """What `design_quality` found in a design.

    Attributes
    ----------
    tuples, size, items
        Number of tuples, items per tuple, and items to choose from.
    appearances_min, appearances_max
        How often the rarest and the most frequent item appear.
    position_spread
        Largest difference, for one item, between its most and its least frequent position.
    pairs_met, pairs_repeated, most_meetings
        Pairs of items that meet at all, that meet more than once, and the most that any pair meets.
    duplicate_tuples
        Tuples that hold the same set of items as an earlier one.
    tuples_with_repeats
        Tuples in which some item stands twice.
    """

    tuples: int
    size: int
    items: int
    appearances_min: int
    appearances_max: int
    position_spread: int
    pairs_met: int
    pairs_repeated: int
    most_meetings: int
    duplicate_tuples: int
    tuples_with_repeats: int


def tuple_design(items: int, *, size: int = 4, tuples: int, rng: np.random.Generator) -> IntArray:
    """Draw a balanced random design of distinct tuples.

    Every item appears equally often (give or take one where `tuples` × `size` is not a multiple of `items`),
    and equally often at each position (give or take one). No item stands twice in a tuple and no two tuples
    hold the same set. Two items meet at most once where there is ample room for that, that is where an item
    meets at most about a third of the others: (`size` − 1) × appearances ≤ (`items` − 1) / 3; with less room
    repeated meetings are spread evenly by a local search of bounded effort.

    Parameters
    ----------
    items
        Number of items; they are called 0 … `items` − 1.
    size
        Items per tuple.
    tuples
        Number of tuples. Twice the number of items is customary for tuples of four [1]_.
    rng
        Source of randomness. The same state gives the same design.

    Returns
    -------
    IntArray
        Array of shape (`tuples`, `size`) in random order.

    Raises
    ------
    ValueError
        If no such design exists; the message explains the arithmetic.

    Notes
    -----
    Each column is a shuffled pack of all items; what remains after whole packs are consecutive arcs of one
    random circle, so that the remainders of all columns together are balanced as well. The number of
    conflicts in such a draw does not grow with the number of items, so that the time is that of sorting the
    pairs: O(n log n). Where the sets are so large or so many that a random draw would be mostly conflicts,
    the smaller complement is drawn instead, and positions are dealt by an equitable edge colouring [2]_.

    References
    ----------
    .. [1] S. Kiritchenko and S. M. Mohammad (2017). Best–worst scaling more reliable than rating scales:
       a case study on sentiment intensity annotation. ACL 2017, 465–470.
    .. [2] D. de Werra (1971). Equitable colorations of graphs. R.I.R.O. 5 (R-3), 3–8.

    Examples
    --------
    Six tuples of four from eight items are 24 places, so that each item appears 24 / 8 = 3 times, at four
    positions: never twice at the same one.

    >>> design = tuple_design(8, tuples=6, rng=np.random.default_rng(1))
    >>> design.shape
    (6, 4)
    >>> np.bincount(design.ravel()).tolist()
    [3, 3, 3, 3, 3, 3, 3, 3]
    >>> design_quality(design, 8).position_spread
    1
    """
    _check_request(items, size, tuples)
    if _is_sparse(items, size, tuples):
        return _draw(items, size, tuples, rng)
    sets = rng.permutation(_balanced_sets(items, size, tuples, rng))
    return _deal_positions(rng.permuted(sets, axis=1), items)


def design_quality(design: IntArray, items: int) -> DesignQuality:
    """Measure how balanced a design is, ours or another's.

    Parameters
    ----------
    design
        Item indices 0 … `items` − 1, one tuple per row.
    items
        Number of items, including those that never appear.

    Raises
    ------
    ValueError
        If the design is not a table of tuples of such indices.

    Examples
    --------
    Items 0 and 1 meet in both tuples, each at two positions; items 2 and 3 appear once, item 4 never.
    Five pairs meet: 01, 02, 12, 03, 13.

    >>> quality = design_quality(np.array([[0, 1, 2], [1, 0, 3]]), 5)
    >>> quality.appearances_min, quality.appearances_max, quality.position_spread
    (0, 2, 1)
    >>> quality.pairs_met, quality.pairs_repeated, quality.most_meetings, quality.duplicate_tuples
    (5, 1, 2, 0)
    """
    design = np.asarray(design, dtype=np.int64)
    if design.ndim != 2 or 0 in design.shape:
        raise ValueError(f"design_quality: a design has one tuple per row; this array has shape {design.shape}")
    if design.min() < 0 or design.max() >= items:
        found = f"{design.min()} … {design.max()}"
        raise ValueError(f"design_quality: item indices must lie in 0 … {items - 1}; found {found}")
    tuples, size = design.shape
    at = np.stack([np.bincount(column, minlength=items) for column in design.T])
    ordered = np.sort(design, axis=1)
    keys = _pair_keys(design, items)
    keys = keys[keys // items != keys % items]
    meetings = np.unique(keys, return_counts=True)[1]
    return DesignQuality(
        tuples=tuples,
        size=size,
        items=items,
        appearances_min=int(at.sum(axis=0).min()),
        appearances_max=int(at.sum(axis=0).max()),
        position_spread=int(np.ptp(at, axis=0).max()),
        pairs_met=meetings.size,
        pairs_repeated=int((meetings > 1).sum()),
        most_meetings=int(meetings.max(initial=0)),
        duplicate_tuples=tuples - len(np.unique(ordered, axis=0)),
        tuples_with_repeats=int((np.diff(ordered, axis=1) == 0).any(axis=1).sum()),
    )


def _check_request(items: int, size: int, tuples: int) -> None:
    """Refuse what arithmetic forbids."""
    if size < 2:
        raise ValueError(f"a tuple compares at least 2 items; the size asked for is {size}")
    if tuples < 1:
        raise ValueError(f"a design has at least 1 tuple; the number asked for is {tuples}")
    if items < size:
        raise ValueError(
            f"a tuple of {size} needs {size} different items and there are only {items}: "
            f"give more items or ask for smaller tuples"
        )
    if tuples > (most := math.comb(items, size)):
        raise ValueError(
            f"{items} items make only {most} different sets of {size} and {tuples} tuples were asked for: "
            f"ask for at most {most} tuples or give more items"
        )


def _is_sparse(items: int, size: int, tuples: int) -> bool:
    """Whether a random draw is mostly free of conflicts, so that exchanging entries can mend it."""
    return 2 * size <= items and 2 * tuples <= math.comb(items, size)


# ---- a draw, and its repair by exchanges within a column


def _draw(items: int, size: int, tuples: int, rng: np.random.Generator) -> IntArray:
    """Draw a design and repair it; a start that cannot be repaired is thrown away."""
    for _ in range(_FRESH_STARTS):
        design = _shuffled_columns(items, size, tuples, rng)
        if size == 1:  # the complement of tuples that leave one item out: half a pack, all different
            return design
        meetings = _Meetings(design, items)
        if _part_company(meetings, rng) and _part_twins(meetings, rng):
            return design
    raise ValueError(
        f"no balanced design of {tuples} tuples of {size} from {items} items was found in {_FRESH_STARTS} "
        f"attempts: ask for fewer tuples, or try another seed"
    )


def _shuffled_columns(items: int, size: int, tuples: int, rng: np.random.Generator) -> IntArray:
    """Deal each column from whole packs of items, and an arc of one circle for the remainder."""
    packs, rest = divmod(tuples, items)
    circle = rng.permutation(items)
    arcs = circle[np.arange(size * rest).reshape(size, rest) % items]
    columns = np.hstack([np.tile(np.arange(items), (size, packs)), arcs])
    return np.ascontiguousarray(rng.permuted(columns, axis=1).T)


class _Meetings:
    """A design together with a table of how often two items meet in it.

    The table has a cell for every pair of few items. Of many items, pairs share cells, which at worst makes
    an exchange look more costly than it is; whether the design is free of conflicts is never read from it.
    """

    def __init__(self, design: IntArray, items: int) -> None:
        self.design, self.items = design, items
        self.tuples, self.size = design.shape
        self.others = [np.delete(np.arange(self.size), column) for column in range(self.size)]
        keys = _pair_keys(design, items)
        self.cells = min(items * items, max(1 << 20, 8 * keys.size) + 1)
        self.table = np.bincount(keys.ravel() % self.cells, minlength=self.cells).astype(np.int32)

    def cell(self, one: IntArray, other: IntArray) -> IntArray:
        """Find the cells that count the meetings of one item with the other."""
        key: IntArray = np.minimum(one, other) * self.items + np.maximum(one, other)
        return key % self.cells

    def swap_costs(self, row: int, column: int, partners: IntArray) -> IntArray:
        """Price the exchange of one entry with that of each partner row in the same column.

        The price of a design is the sum over pairs of n (n − 1) / 2 for n meetings, which is least when
        meetings are spread evenly; hence the n-th meeting of two items costs n − 1.
        """
        others = self.others[column]
        mine, theirs = self.design[row, column], self.design[partners, column][:, None]
        here, there = self.design[row, others], self.design[partners[:, None], others]
        joined = self.table[self.cell(theirs, here)] + self.table[self.cell(mine, there)]
        left = self.table[self.cell(theirs, there)] + self.table[self.cell(mine, here)] - 2
        # An item of both rows meets `mine` and `theirs` before and after: nothing joined, nothing left.
        shared = (there[:, :, None] == here).sum(axis=2)
        twice = (theirs == here) * 1 + (there == mine) - (there == theirs) - (here == mine)
        costs: IntArray = (joined - left - 2 * shared + _TWICE * twice).sum(axis=1)
        costs[theirs[:, 0] == mine] = _TWICE  # would change nothing
        return costs

    def swap(self, row: int, column: int, partner: int) -> None:
        """Exchange two entries of a column."""
        rows, others = np.array([[row], [partner]]), self.others[column]
        company, entries = self.design[rows, others], self.design[rows, column]
        np.subtract.at(self.table, self.cell(entries, company), 1)
        np.add.at(self.table, self.cell(entries[::-1], company), 1)
        self.design[rows, column] = entries[::-1]

    def meet(self, row: int, column: int, other: int) -> int:
        """Count the meetings of the items at two positions of a tuple; an item that meets itself: many."""
        one, two = self.design[row, column], self.design[row, other]
        return _TWICE if one == two else int(self.table[self.cell(one, two)])

    def price(self) -> int:
        """Price the whole design; exact where every pair has its own cell, else rather too much."""
        itself = self.table[np.arange(self.items) * (self.items + 1) % self.cells].sum()
        return int((self.table * (self.table - 1) // 2).sum() + _TWICE * itself)

    def partners(self, rng: np.random.Generator) -> IntArray:
        """Choose rows to exchange with, in random order, so that the first of the cheapest is a fair one."""
        if self.tuples <= _ALL_PARTNERS:
            return rng.permutation(self.tuples)
        return rng.integers(self.tuples, size=_SOME_PARTNERS)


def _part_company(meetings: _Meetings, rng: np.random.Generator) -> bool:
    """Exchange entries until no two items meet more often than they must, or the effort is spent.

    Returns whether every tuple now holds different items.
    """
    all_pairs = math.comb(meetings.items, 2)
    must, more = divmod(meetings.tuples * math.comb(meetings.size, 2), all_pairs)
    conflicts, twice = _conflicts(meetings, max(1, must), rng)
    # With room for everyone the effort follows the work, without it only what has to be mended counts.
    roomy = must == 0 and 2 * more <= all_pairs
    effort = min(_EFFORT, 40 * meetings.tuples * meetings.size) + 2 * (len(conflicts) if roomy else twice)
    while conflicts and effort > 0:
        if must and meetings.price() <= math.comb(must, 2) * all_pairs + must * more:
            break  # as even as arithmetic allows
        for row, column, other in conflicts[:effort]:
            if meetings.meet(row, column, other) > max(1, must):  # else mended in passing
                effort -= 1
                column = column if rng.random() < 0.5 else other
                partners = meetings.partners(rng)
                costs = meetings.swap_costs(row, column, partners)
                # An exchange that costs nothing is made too: it leads off a plateau.
                if costs[best := int(costs.argmin())] <= 0:
                    meetings.swap(row, column, int(partners[best]))
        conflicts, twice = _conflicts(meetings, max(1, must), rng)
    return twice == 0


def _conflicts(meetings: _Meetings, bearable: int, rng: np.random.Generator) -> tuple[list[tuple[int, int, int]], int]:
    """List as (row, column, other column) where an item meets itself, then where two meet too often.

    Returns the list, in random order apart from that, and how many of it are items that meet themselves.
    """
    keys = _pair_keys(meetings.design, meetings.items)
    pairs, counts = np.unique(keys, return_counts=True)
    twice = keys % (meetings.items + 1) == 0
    frequent = pairs[counts > bearable]
    found = twice | (np.isin(keys, frequent) if frequent.size else False)
    which, rows = np.nonzero(found)
    order = rng.permutation(rows.size)
    order = order[np.argsort(~twice[which, rows][order], kind="stable")]
    positions = list(combinations(range(meetings.size), 2))
    listed = [(row, *positions[pair]) for pair, row in zip(which[order].tolist(), rows[order].tolist(), strict=True)]
    return listed, int(twice.sum())


def _part_twins(meetings: _Meetings, rng: np.random.Generator) -> bool:
    """Exchange entries, at the least cost in meetings, until no two tuples hold the same set.

    Returns whether that succeeded. Without repeated meetings there are no twins to part.
    """
    design = meetings.design
    # The sum of a random number per item names a set whatever its order; equal sets have equal names.
    number = rng.integers((1 << 62) // meetings.size, size=meetings.items)
    names = number[design].sum(axis=1)
    for _ in range(_EFFORT):
        twins = np.setdiff1d(np.arange(len(names)), np.unique(names, return_index=True)[1])
        if not len(twins):
            return True
        for row in twins.tolist():
            column, partners = int(rng.integers(meetings.size)), meetings.partners(rng)
            change = number[design[partners, column]] - number[design[row, column]]
            here, there = names[row] + change, names[partners] - change
            costs = meetings.swap_costs(row, column, partners)
            costs[np.isin(here, names) | np.isin(there, names) | (here == there)] = _TWICE
            if costs[best := int(costs.argmin())] < _TWICE // 2:
                meetings.swap(row, column, int(partners[best]))
                names[row], names[partners[best]] = here[best], there[best]
    return False


def _pair_keys(design: IntArray, items: int) -> IntArray:
    """Number the pairs of each tuple, lesser item first: one row per pair of positions, one column per tuple."""
    one, other = (design[:, list(side)].T for side in zip(*combinations(range(design.shape[1]), 2), strict=True))
    keys: IntArray = np.minimum(one, other) * items + np.maximum(one, other)
    return keys


# ---- crowded requests: draw the complement, then deal positions


def _balanced_sets(items: int, size: int, tuples: int, rng: np.random.Generator) -> IntArray:
    """Draw distinct sets in which all items appear equally often, without regard to positions.

    What is left out of a balanced family is balanced as well, and so are its meetings. Hence the larger
    half of all sets is what a smaller family leaves, and large sets are what small ones leave.
    """
    if _is_sparse(items, size, tuples):
        return _draw(items, size, tuples, rng)
    if 2 * tuples > (most := math.comb(items, size)):
        absent: set[tuple[int, ...]] = set()
        if most > tuples:
            absent.update(map(tuple, np.sort(_balanced_sets(items, size, most - tuples, rng), axis=1).tolist()))
        return np.array([chosen for chosen in combinations(range(items), size) if chosen not in absent])
    left_out = _balanced_sets(items, items - size, tuples, rng)
    inside = np.ones((tuples, items), dtype=np.bool_)
    np.put_along_axis(inside, left_out, False, axis=1)
    return np.nonzero(inside)[1].reshape(tuples, size)


def _deal_positions(sets: IntArray, items: int) -> IntArray:
    """Order each tuple so that every item stands equally often at each position, give or take one.

    Positions are colours of the edges between tuples and items. An item is cut into nodes of `size`
    appearances; in a colouring where the edges at a node differ (König 1916), a full node has each
    position once, and only the last node of an item is not full.
    """
    tuples, size = sets.shape
    seen = [0] * items
    at_tuple: list[list[_Node | None]] = [[None] * size for _ in range(tuples)]
    at_node: dict[_Node, list[int | None]] = {}
    for row, members in enumerate(sets.tolist()):
        for item in members:
            node = (item, seen[item] // size)
            seen[item] += 1
            rows = at_node.setdefault(node, [None] * size)
            free = [position for position in range(size) if at_tuple[row][position] is None]
            here = next((position for position in free if rows[position] is None), free[0])
            if rows[here] is not None:
                _free_position(at_tuple, at_node, node, here, rows.index(None))
            at_tuple[row][here], rows[here] = node, row
    return np.array([[node[0] for node in nodes if node] for nodes in at_tuple], dtype=np.int64)


def _free_position(
    at_tuple: list[list[_Node | None]],
    at_node: dict[_Node, list[int | None]],
    node: _Node | None,
    taken: int,
    free: int,
) -> None:
    """Exchange two positions along the path that begins at a node, so that `taken` becomes free there."""
    path: list[tuple[int, _Node, int]] = []
    while node is not None and (row := at_node[node][taken]) is not None:
        path.append((row, node, taken))
        if (node := at_tuple[row][free]) is not None:
            path.append((row, node, free))
    for row, node, position in path:
        at_tuple[row][position] = at_node[node][position] = None
    for row, node, position in path:
        at_tuple[row][taken + free - position] = node
        at_node[node][taken + free - position] = row

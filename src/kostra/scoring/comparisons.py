"""Majority of each comparison, the cycles among them, and the partial order that remains."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from kostra.errors import KostraError, some, unknown
from kostra.scoring.majority import majority_labels, note_ties, refuse_strange_labels
from kostra.scoring.ratings import Agreement, AnswerOptions, accepted_answers
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

READS = ("judgments",)
WRITES = ("scores",)

VALUES = ("more", "less", "too_similar", "too_dissimilar")
"""What the first of two sentences is, by the measure in question, compared with the second."""
CONVERSE = {"more": "less", "less": "more"}

IntArray = NDArray[np.int64]
Edge = tuple[str, str]
"""What is above, and what is below."""


@dataclass(frozen=True)
class Cycle:
    """Things that are above each other in a circle, so that no order holds among them."""

    members: tuple[str, ...]
    """All things that can be reached from one another, in alphabetical order."""
    example: tuple[str, ...]
    """A shortest circle: each is above the next, and the last above the first."""


@dataclass(frozen=True)
class Order:
    """The partial order that a graph of "above" leaves when each cycle is taken as one place."""

    cycles: tuple[Cycle, ...]
    covers: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Neighbours in the order, upper and lower place (its members): nothing lies between, and all else follows."""
    levels: Mapping[str, int]
    """Per thing, the longest way down: 0 for what is above nothing."""
    heights: Mapping[str, int]
    """Per thing, the highest level among all that hang together with it."""


def order_of(edges: Iterable[Edge]) -> Order:
    """Find the cycles of a graph and the order that remains.

    Every strongly connected component of more than one thing is a cycle [1]_. The condensation, in which each is one
    place, has no cycles; its transitive reduction [2]_ is unique and is the order. Levels can be compared only among
    things that hang together.

    Parameters
    ----------
    edges
        (upper, lower); repeated ones count once, and a thing above itself is refused.

    References
    ----------
    .. [1] R. E. Tarjan (1972). Depth-first search and linear graph algorithms. SIAM Journal on Computing 1, 146–160.
    .. [2] A. V. Aho, M. R. Garey and J. D. Ullman (1972). The transitive reduction of a directed graph. SIAM Journal
       on Computing 1, 131–137.

    Examples
    --------
    a is above b, b above c, and a above c, which follows; d, e and f run in a circle, below c.

    >>> found = order_of([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "d")])
    >>> found.cycles
    (Cycle(members=('d', 'e', 'f'), example=('d', 'e', 'f')),)
    >>> found.covers
    ((('a',), ('b',)), (('b',), ('c',)), (('c',), ('d', 'e', 'f')))
    >>> found.levels
    {'a': 3, 'b': 2, 'c': 1, 'd': 0, 'e': 0, 'f': 0}
    """
    once = sorted(set(edges))
    same = [upper for upper, lower in once if upper == lower]
    if same:
        raise KostraError(f'"{same[0]}" is compared with itself', accepted="two different things")
    names = sorted({name for edge in once for name in edge})
    number = {name: place for place, name in enumerate(names)}
    tails, heads = ([number[edge[side]] for edge in once] for side in (0, 1))
    graph = sparse.csr_array((np.ones(len(once)), (tails, heads)), shape=(len(names), len(names)))
    strong = connected_components(graph, connection="strong")[1].tolist() if names else []
    together = connected_components(graph, connection="weak")[1].tolist() if names else []
    places: dict[int, list[str]] = {}
    for name, component in zip(names, strong, strict=True):
        places.setdefault(component, []).append(name)
    below: dict[int, set[int]] = {place: set() for place in places}
    for tail, head in zip(tails, heads, strict=True):
        if strong[tail] != strong[head]:
            below[strong[tail]].add(strong[head])
    covers, level = _reduced(below)
    levels = {name: level[place] for name, place in zip(names, strong, strict=True)}
    height: dict[int, int] = {}
    for name, part in zip(names, together, strict=True):
        height[part] = max(height.get(part, 0), levels[name])
    return Order(
        cycles=tuple(_cycle(members, once) for members in sorted(places.values()) if len(members) > 1),
        covers=tuple(sorted((tuple(places[upper]), tuple(places[lower])) for upper, lower in covers)),
        levels=levels,
        heights={name: height[part] for name, part in zip(names, together, strict=True)},
    )


def _reduced(below: Mapping[int, set[int]]) -> tuple[list[tuple[int, int]], dict[int, int]]:
    """Transitive reduction and longest way down of a graph without cycles."""
    waiting = {place: len(lower) for place, lower in below.items()}
    above: dict[int, list[int]] = {place: [] for place in below}
    for place, lower in below.items():
        for other in lower:
            above[other].append(place)
    ready = deque(place for place, left in waiting.items() if not left)
    reach: dict[int, set[int]] = {}
    level: dict[int, int] = {}
    covers: list[tuple[int, int]] = []
    while ready:
        place = ready.popleft()
        beyond = set().union(*(reach[lower] for lower in below[place]))
        covers += [(place, lower) for lower in below[place] if lower not in beyond]
        reach[place] = beyond | below[place]
        level[place] = max((level[lower] + 1 for lower in below[place]), default=0)
        for upper in above[place]:
            waiting[upper] -= 1
            if not waiting[upper]:
                ready.append(upper)
    return covers, level


def _cycle(members: Sequence[str], edges: Collection[Edge]) -> Cycle:
    """A strongly connected component with a shortest circle through it."""
    inside = set(members)
    below: dict[str, list[str]] = {name: [] for name in members}
    for upper, lower in edges:
        if upper in inside and lower in inside:
            below[upper].append(lower)
    circles = [_circle(start, below) for start in members]
    return Cycle(tuple(members), min(circles, key=lambda circle: (len(circle), circle)))


def _circle(start: str, below: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The shortest way from a thing back to itself, by breadth-first search."""
    came: dict[str, str] = {}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for lower in below[here]:
            if lower == start:
                way = [here]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return tuple(reversed(way))
            if lower not in came:
                came[lower] = here
                queue.append(lower)
    raise AssertionError(f"{start} lies on no circle")


# Comparisons as answers ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparisons:
    """Majorities of comparisons, and the order that they make, by type."""

    labels: Frame
    """Columns item, first, second, type, label, raw, appearances: one row per two things and type."""
    orders: Mapping[str | None, Order]
    itself: tuple[str, ...]
    """Comparisons of a thing with itself, left out."""


def compared(answers: Frame) -> Comparisons:
    """Take the majority of each comparison and order what was compared.

    "More" puts the first above the second, "less" below it. Two things compared both ways round are one comparison,
    under the item that comes first. *Too similar*, *too dissimilar* and ties order nothing.

    Parameters
    ----------
    answers
        Columns item, first, second, type (may be empty) and value (see `VALUES`; blanks may stand for underscores).

    Examples
    --------
    Two of three say that 1 is more formal than 2; asked the other way round, one says that 2 is less formal than 1.

    >>> answers = pl.DataFrame(
    ...     {
    ...         "item": ["1>2", "1>2", "1>2", "2>1"],
    ...         "first": ["1", "1", "1", "2"],
    ...         "second": ["2", "2", "2", "1"],
    ...         "type": ["formal"] * 4,
    ...         "value": ["more", "more", "too similar", "less"],
    ...     }
    ... )
    >>> found = compared(answers)
    >>> found.labels.select("item", "label", "raw", "appearances").rows()
    [('1>2', 'more', 0.75, 4)]
    >>> found.orders["formal"].levels
    {'1': 1, '2': 0}
    """
    refuse_strange_labels(answers)
    known = answers.with_columns(pl.col("value").str.replace_all(" ", "_"))
    strange = known.filter(~pl.col("value").is_in(list(VALUES)))["value"]
    if len(strange):
        raise unknown("comparison", strange[0], VALUES)
    alike = known.filter(pl.col("first") == pl.col("second"))
    ends = ["first", "second", "type"]
    leaders = known.filter(pl.col("first") != pl.col("second")).unique("item", keep="first", maintain_order=True)
    leader: dict[tuple[str, str, str | None], str] = {}
    turned: dict[str, tuple[str, bool]] = {}
    for item, one, two, kind in leaders.select("item", *ends).iter_rows():
        turns = (two, one, kind) in leader
        turned[item] = (leader[two, one, kind], True) if turns else (leader.setdefault((one, two, kind), item), False)
    votes = [
        (turned[item][0], CONVERSE.get(value, value) if turned[item][1] else value)
        for item, value in known.select("item", "value").iter_rows()
        if item in turned
    ]
    said = pl.DataFrame(votes, schema={"item": pl.String, "value": pl.String}, orient="row")
    majority = majority_labels(said, question="comparison").select("item", "label", "raw", "appearances")
    labels = leaders.select("item", *ends).join(majority, on="item", how="inner", maintain_order="left")
    return Comparisons(labels, _orders(labels), tuple(alike["item"].unique(maintain_order=True)))


def _orders(labels: Frame) -> dict[str | None, Order]:
    edges: dict[str | None, list[Edge]] = {}
    for one, two, kind, label in labels.select("first", "second", "type", "label").iter_rows():
        known = edges.setdefault(kind, [])
        if label in CONVERSE:
            known.append((one, two) if label == "more" else (two, one))
    return {kind: order_of(above) for kind, above in edges.items()}


def implied_orders_held(
    tuples: IntArray, best: IntArray, worst: IntArray, annotators: Sequence[str], *, items: int
) -> list[Agreement]:
    """For each annotator, how many of the orders that best–worst answers imply hold among the others' scores.

    An answer puts best above all and all above worst: 2k − 3 orders for k items. An order holds if the score that
    counting gives to the others' answers (`kostra.scoring.counting.count_scores`) is higher for the upper item; a tie
    counts half, and an order with an item that nobody else judged is left out. By chance one half hold, so that beyond
    chance it is 2p − 1: Kendall's τ of what was implied.

    Parameters
    ----------
    tuples, best, worst
        As in `kostra.scoring.counting.count_scores`.
    annotators
        Who gave each answer.

    Examples
    --------
    Ann says 0 > 1 > 2, Bob 1 > 0 > 2: of Ann's three orders, Bob's scores ½, 1, 0 confirm two.

    >>> tuples = np.array([[0, 1, 2], [0, 1, 2]])
    >>> found = implied_orders_held(tuples, np.array([0, 1]), np.array([2, 2]), ["ann", "bob"], items=3)
    >>> found[0].annotator, round(found[0].share, 3), found[0].answers
    ('ann', 0.667, 1)
    """
    who = np.array(annotators)
    signs = np.zeros((2, items))
    np.add.at(signs[0], best, 1)
    np.add.at(signs[0], worst, -1)
    np.add.at(signs[1], tuples, 1)
    found = []
    for name in dict.fromkeys(annotators):
        shown, top, low = tuples[who == name], best[who == name], worst[who == name]
        own = np.bincount(top, minlength=items) - np.bincount(low, minlength=items)
        seen = signs[1] - np.bincount(shown.ravel(), minlength=items)
        score = np.divide(signs[0] - own, seen, out=np.full(items, np.nan), where=seen > 0)
        between = (shown != top[:, None]) & (shown != low[:, None])
        middle, upper, lower = score[shown], score[top][:, None], score[low][:, None]
        gaps = [upper - lower, np.where(between, upper - middle, np.nan), np.where(between, middle - lower, np.nan)]
        gap = np.hstack(gaps).round(12)
        known = np.isfinite(gap)
        share = float(np.sign(gap[known]).mean() + 1) / 2 if known.any() else np.nan
        found.append(Agreement(name, share, 2 * share - 1, int(known.any(axis=1).sum())))
    return found


# The step ----------------------------------------------------------------------------------------------


Options = AnswerOptions


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One label per comparison, one level per thing that has a place in the order."""
    return Plan(f"takes the majority of {inputs.get('judgments', 0):,} comparisons and orders what was compared")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write two kinds of scores.

    Under the question itself, each comparison with its majority label and, in `raw`, that label's share. Under
    ``<question>_order``, with the type behind it where pairs have a `subset`, each sentence with its level in `raw`,
    and in `score` the level as a share of the highest one among all that hang together with it, on the recipe's range.
    A sentence that no comparison ordered has no such row; one whose whole company runs in a circle has a level, but no
    score.
    """
    question = options.question or context.recipe.score.question
    answers = accepted_answers(inputs["judgments"], question, options)
    found = compared(_with_ends(answers, inputs.get("pairs")))
    name = options.as_question or question
    labels = found.labels.select("item", "label", "raw", "appearances", question=pl.lit(name))
    if found.itself:
        context.note(
            "itself", f"{len(found.itself):,} comparisons of a thing with itself left out: {some(found.itself)}"
        )
    note_ties(labels, context)
    parts = [check(labels, SCORES, where="comparisons")]
    for kind, order in found.orders.items():
        parts.append(_levels(found.labels, kind, order, name, context))
        if order.cycles:
            where = f' by "{kind}"' if kind else ""
            shown = some([" > ".join((*cycle.example, cycle.example[0])) for cycle in order.cycles], 3)
            inside = sum(len(cycle.members) for cycle in order.cycles)
            context.note("cycles", f"{len(order.cycles):,} cycles{where}, with {inside:,} things in them: {shown}")
    return {"scores": pl.concat(parts)}


def _with_ends(answers: Frame, pairs: Frame | None) -> Frame:
    """What was compared: the sentences of the pair, or what stands on both sides of ``>`` in the item's id."""
    if pairs is not None and pairs["sentence_a"].null_count() == 0 == pairs["sentence_b"].null_count():
        ends = pairs.select("pair", first="sentence_a", second="sentence_b", type="subset")
        joined = answers.join(ends, left_on="item", right_on="pair", how="left", maintain_order="left")
    else:
        sides = pl.col("item").str.split_exact(">", 1).struct
        known = answers["item"].str.count_matches(">", literal=True) == 1
        joined = answers.with_columns(
            first=pl.when(known).then(sides.field("field_0")),
            second=pl.when(known).then(sides.field("field_1")),
            type=pl.lit(None, dtype=pl.String),
        )
    lost = joined.filter(pl.col("first").is_null())["item"].unique(maintain_order=True)
    if len(lost):
        raise KostraError(
            f"{len(lost):,} items do not say what was compared: {some(lost)}",
            accepted="pairs with the ids of both sentences, or items such as 12>345",
        )
    return joined


def _levels(labels: Frame, kind: str | None, order: Order, question: str, context: Context) -> Frame:
    of_kind = labels.filter(pl.col("type").eq_missing(pl.lit(kind, dtype=pl.String)))
    ends = pl.concat([of_kind.select("appearances", item=side) for side in ("first", "second")])
    counts = dict(ends.group_by("item").agg(pl.col("appearances").sum()).iter_rows())
    scale = context.recipe.score
    named = "_".join([question, "order", *([re.sub(r"\W+", "_", kind)] if kind else [])])
    frame = pl.DataFrame(
        {
            "item": list(order.levels),
            "question": [named] * len(order.levels),
            "raw": [float(level) for level in order.levels.values()],
            "score": [
                scale.low + (scale.high - scale.low) * level / order.heights[item] if order.heights[item] else None
                for item, level in order.levels.items()
            ],
            "appearances": [counts[item] for item in order.levels],
        },
        schema={name: SCORES.dtypes[name] for name in ("item", "question", "raw", "score", "appearances")},
    )
    return check(frame, SCORES, where="levels")

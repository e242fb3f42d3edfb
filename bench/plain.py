"""Best–worst tools in plain Python, written from their published definition, as a yardstick.

Kiritchenko and Mohammad (2017) describe the scripts: tuples are drawn at random, without an item twice in a
tuple and without a tuple twice, all items about equally often; of several such draws the one with the best
two-way balance is kept. Split-half reliability is defined in `kostra.reliability.split_half`.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean

Answer = tuple[tuple[int, ...], int, int]
"""The items of a tuple, the best and the worst of them."""


def draw_tuples(items: int, *, size: int, tuples: int, iterations: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Draw as often as `iterations` says and keep the draw whose pairs of items meet most evenly."""
    best: list[tuple[int, ...]] = []
    best_price = float("inf")
    for _ in range(iterations):
        drawn = _one_draw(items, size, tuples, rng)
        meetings = Counter(pair for members in drawn for pair in combinations(sorted(members), 2))
        price = sum(n * (n - 1) / 2 for n in meetings.values())
        if price < best_price:
            best, best_price = drawn, price
    return best


def _one_draw(items: int, size: int, tuples: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Read tuples off shuffled packs of items; a tuple that is refused goes back under the pack."""
    drawn: list[tuple[int, ...]] = []
    seen: set[frozenset[int]] = set()
    pack: list[int] = []
    while len(drawn) < tuples:
        if len(pack) < size:
            fresh = list(range(items))
            rng.shuffle(fresh)
            pack = fresh + pack
        members = tuple(pack[-size:])
        del pack[-size:]
        chosen = frozenset(members)
        if len(chosen) < size or chosen in seen:
            pack[:0] = members
            rng.shuffle(pack)
            continue
        seen.add(chosen)
        drawn.append(members)
    return drawn


def split_half(answers: Sequence[Answer], *, trials: int, rng: random.Random) -> tuple[float, float]:
    """Mean Spearman and Pearson correlation of two halves of the answers to each set of items."""
    groups: dict[frozenset[int], list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[frozenset(answer[0])].append(answer)
    spearman, pearson = [], []
    for _ in range(trials):
        halves: tuple[list[Answer], list[Answer]] = ([], [])
        for group in groups.values():
            rng.shuffle(group)
            middle = len(group) // 2 + (len(group) % 2) * rng.randrange(2)
            halves[0].extend(group[:middle])
            halves[1].extend(group[middle:])
        one, two = _scores(halves[0]), _scores(halves[1])
        common = sorted(one.keys() & two.keys())
        x, y = [one[item] for item in common], [two[item] for item in common]
        pearson.append(_correlation(x, y))
        spearman.append(_correlation(_ranks(x), _ranks(y)))
    return fmean(spearman), fmean(pearson)


def _scores(answers: Iterable[Answer]) -> dict[int, float]:
    """Share of best less share of worst."""
    shown: Counter[int] = Counter()
    chosen: Counter[int] = Counter()
    for members, best, worst in answers:
        shown.update(members)
        chosen[best] += 1
        chosen[worst] -= 1
    return {item: chosen[item] / n for item, n in shown.items()}


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, ties sharing their mean."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + 1 + end) / 2
        start = end
    return ranks


def _correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Pearson's r."""
    mean_x, mean_y = fmean(x), fmean(y)
    xy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    xx, yy = sum((a - mean_x) ** 2 for a in x), sum((b - mean_y) ** 2 for b in y)
    return float(xy / (xx * yy) ** 0.5)

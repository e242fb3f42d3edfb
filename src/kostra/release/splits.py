"""Splits for training and testing: alike in their scores, and without a sentence in common where the data allow it.

Pairs that have a sentence in common must not be parted, or a model is tested on what it was trained on. So the pairs
are put together to groups, and whole groups are dealt, the largest first, each to the part that it brings closest to
its share of every stratum (a fifth of the scores, and a label where there is one). The finest grouping comes first:

``sentence``
    pairs that have a sentence in common, directly or through others (sentences count as the same whatever their case,
    spacing and punctuation);
``seed``
    where that makes one group too large to be dealt: pairs whose sentences come from one seed, image or document;
``one sentence``
    where nothing is known of that, or it makes too large groups as well: pairs that share the one of their sentences
    that stands in more pairs or, if that is too large, in fewer;
``pair``
    where even that is too large.

What is then shared between the parts is counted (`Splits.shared`) and said on the card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kostra.errors import KostraError
from kostra.tables import Frame
from kostra.text import bare

PARTS = ("train", "validation", "test")
_BINS = 5
_LEAST_IN_A_STRATUM = 10
_MOST_LABELS = 10
_TOO_SMALL = 0.8
"""A part that gets less than this share of what it was to have shows that the groups cannot be dealt so."""
_TOO_DIFFERENT = 0.1
"""Largest difference (total variation) between the strata of a part and of the whole, beside what chance makes."""


@dataclass(frozen=True)
class Splits:
    """Which pair is in which part."""

    part: pl.Series
    """For each row of the pairs: train, validation or test."""
    by: str
    """What is kept together: sentence, seed, one sentence or pair."""
    groups: int
    shared: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Two parts → sentences that stand in both."""
    differs: Mapping[str, float] = field(default_factory=dict)
    """Part → how far its strata are from the whole's: half the sum of the differences of shares."""

    @property
    def clean(self) -> bool:
        """Whether no sentence stands in two parts."""
        return not any(self.shared.values())

    def counts(self) -> dict[str, int]:
        """Pairs in each part, in the usual order."""
        return {part: int((self.part == part).sum()) for part in PARTS if (self.part == part).any()}


def shares(test: float, validation: float) -> dict[str, float]:
    """The share of each part.

    Examples
    --------
    >>> shares(0.25, 0.0)
    {'train': 0.75, 'validation': 0.0, 'test': 0.25}
    """
    if not (0 <= test <= 1 and 0 <= validation <= 1 and test + validation <= 1 + 1e-9):
        raise KostraError(
            f"{test:g} for testing and {validation:g} for validation leave no share for training",
            accepted="two shares from 0 to 1, together at most 1",
        )
    return {"train": max(0.0, round(1 - test - validation, 12)), "validation": validation, "test": test}


def split_pairs(
    pairs: Frame,
    *,
    rng: np.random.Generator,
    test: float = 0.2,
    validation: float = 0.1,
    seeds: Mapping[str, str] | None = None,
) -> Splits:
    """Deal scored pairs to parts.

    Parameters
    ----------
    pairs
        With ``text_a``, ``text_b``, ``score`` and, where there are any, ``sentence_a``, ``sentence_b`` and columns
        that begin with ``label_``.
    seeds
        Sentence → the seed, image or document that it comes from.

    Examples
    --------
    >>> texts = [f"sentence {n}" for n in range(40)]
    >>> made = pl.DataFrame({"text_a": texts[::2], "text_b": texts[1::2], "score": [n / 20 for n in range(20)]})
    >>> dealt = split_pairs(made, rng=np.random.default_rng(1))
    >>> dealt.by, dealt.counts(), dealt.clean
    ('sentence', {'train': 14, 'validation': 2, 'test': 4}, True)
    """
    wanted = shares(test, validation)
    strata = _strata(pairs)
    texts = [[_key(text) for text in pairs[side]] for side in ("text_a", "text_b")]
    order = rng.permutation(pairs.height)
    found = None
    for by, grouping in _groupings(pairs, texts, seeds or {}):
        groups = grouping()
        parts = _deal(groups, strata, wanted, order)
        found = _outcome(parts, by, groups, strata, texts)
        if by == "pair" or _fits(found, wanted, strata):
            break
    assert found is not None  # a grouping by pair is always the last
    return found


def _key(text: str) -> str:
    return bare(text).casefold()


# Groups ------------------------------------------------------------------------------------------------


Groups = np.ndarray
"""For each pair the number of its group."""


def _groupings(
    pairs: Frame, texts: Sequence[Sequence[str]], seeds: Mapping[str, str]
) -> list[tuple[str, Callable[[], Groups]]]:
    found: list[tuple[str, Callable[[], Groups]]] = [("sentence", lambda: _connected(texts))]
    if seeds and {"sentence_a", "sentence_b"} <= set(pairs.columns):
        sides = [
            [seeds.get(name or "", "") or text for name, text in zip(pairs[f"sentence_{side}"], keys, strict=True)]
            for side, keys in zip("ab", texts, strict=True)
        ]
        found.append(("seed", lambda: _connected(sides)))
        found += [("seed", lambda: _by_one_side(sides, often=True)), ("seed", lambda: _by_one_side(sides, often=False))]
    found.append(("one sentence", lambda: _by_one_side(texts, often=True)))
    found.append(("one sentence", lambda: _by_one_side(texts, often=False)))
    found.append(("pair", lambda: np.arange(pairs.height)))
    return found


def _by_one_side(sides: Sequence[Sequence[str]], *, often: bool) -> Groups:
    """Groups by whichever side stands in more pairs, or in fewer: the same for a pair and its reverse."""
    counted = Counter(name for side in sides for name in side)
    sign = -1 if often else 1
    chosen = [min(both, key=lambda name: (sign * counted[name], name)) for both in zip(*sides, strict=True)]
    return np.unique(np.array(chosen, dtype=str), return_inverse=True)[1]


def _connected(sides: Sequence[Sequence[str]]) -> Groups:
    """Groups of pairs that share something on either side, directly or through others."""
    first, second = sides
    places = {name: place for place, name in enumerate(dict.fromkeys([*first, *second]))}
    rows, columns = ([places[name] for name in side] for side in (first, second))
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(places), len(places)))
    part: Groups = connected_components(graph, directed=False)[1]
    return np.unique(part[rows], return_inverse=True)[1]


def _strata(pairs: Frame) -> np.ndarray:
    """For each pair the number of its stratum: a fifth of the scores (fewer where pairs are few), and its label."""
    count = pairs.height
    bins = max(1, min(_BINS, count // _LEAST_IN_A_STRATUM))
    ranks = pairs["score"].rank("average").to_numpy()
    strata = np.minimum((ranks - 0.5) * bins / max(count, 1), bins - 1).astype(int)
    labels = next((name for name in pairs.columns if name.startswith("label_")), None)
    if labels is not None and pairs[labels].n_unique() <= _MOST_LABELS:
        codes = np.unique(pairs[labels].fill_null("").to_numpy().astype(str), return_inverse=True)[1]
        strata = strata + bins * codes
    return np.unique(strata, return_inverse=True)[1]


# Dealing -----------------------------------------------------------------------------------------------


def _deal(groups: Groups, strata: np.ndarray, wanted: Mapping[str, float], order: np.ndarray) -> np.ndarray:
    """Deal whole groups, the largest first and equals in random order, each where it mends the most."""
    kinds = int(strata.max()) + 1 if len(strata) else 0
    number = int(groups.max()) + 1 if len(groups) else 0
    counts = np.zeros((number, kinds + 1))
    np.add.at(counts, (groups, strata), 1.0)
    counts[:, kinds] = counts[:, :kinds].sum(axis=1)  # the size counts like one more stratum
    share = np.array([wanted[part] for part in PARTS])
    target = share[:, None] * counts.sum(axis=0)[None, :]
    weight = 1 / np.maximum(target, 0.5)
    have = np.zeros_like(target)
    first_seen = np.full(number, len(groups))
    np.minimum.at(first_seen, groups[order], np.arange(len(order)))
    chosen = np.zeros(number, dtype=int)
    for group in np.lexsort((first_seen, -counts[:, kinds])):
        size = counts[group]
        worse = (weight * size * (2 * (have - target) + size)).sum(axis=1)
        worse[share == 0] = np.inf
        chosen[group] = int(np.argmin(worse))
        have[chosen[group]] += size
    dealt: np.ndarray = chosen[groups]
    return dealt


def _outcome(parts: np.ndarray, by: str, groups: Groups, strata: np.ndarray, texts: Sequence[Sequence[str]]) -> Splits:
    held = {
        name: {text for side in texts for text, part in zip(side, parts, strict=True) if part == place}
        for place, name in enumerate(PARTS)
    }
    shared = {(one, two): len(held[one] & held[two]) for one, two in combinations(PARTS, 2) if held[one] and held[two]}
    whole = np.bincount(strata) / max(len(strata), 1)
    differs = {}
    for place, name in enumerate(PARTS):
        inside = strata[parts == place]
        if len(inside):
            own = np.bincount(inside, minlength=len(whole)) / len(inside)
            differs[name] = float(np.abs(own - whole).sum() / 2)
    part = pl.Series("split", [PARTS[place] for place in parts], dtype=pl.String)
    return Splits(part, by, int(groups.max()) + 1 if len(groups) else 0, shared, differs)


def _fits(found: Splits, wanted: Mapping[str, float], strata: np.ndarray) -> bool:
    """Whether every part got about its share, and is about as the whole."""
    total, kinds = len(strata), len(np.unique(strata))
    counts = found.counts()
    for part, share in wanted.items():
        target, size = share * total, counts.get(part, 0)
        if target >= 1 and size < _TOO_SMALL * target - 1:
            return False
        chance = 0.5 * np.sqrt(kinds / size) if size else 0.0
        if size and found.differs[part] > _TOO_DIFFERENT + chance:
            return False
    return True

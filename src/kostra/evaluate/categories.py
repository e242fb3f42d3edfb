"""The six categories of COSTRA 1.1: whether an encoder holds close what people hold close.

Each category is the share of inequalities between two cosines that hold. The inequalities are those of the authors' pip
package ``costra``; a test compares the figures. Three sorts:

- *basic* and *modality*: a paraphrase lies closer to its seed than a rewrite that changes the meaning.
- *time*, *style*, *generalization*, *opposite meaning*: if people put a sentence between two others (one is more, one
  is less formal, …), it lies closer to either than they to each other;
- and two sentences that people called too similar lie closer than two they called too dissimilar.

Ties and zero vectors count as failures, as in the package (where the cosine with a zero vector is not a number).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kostra.encoders import Vectors
from kostra.evaluate.rewrites import SEED, Comparison, Rewrites

IntArray = NDArray[np.int64]

CATEGORIES: dict[str, tuple[str, ...]] = {
    "basic": ("different meaning", "nonsense", "minimal change"),
    "modality": ("ban", "possibility"),
    "time": ("past", "future"),
    "style": ("formal sentence", "nonstandard sentence", "simple sentence"),
    "generalization": ("generalization",),
    "opposite_meaning": ("opposite meaning",),
}
OF_PARAPHRASES = ("basic", "modality")
"""The categories that compare with paraphrases; the others rest on people's comparisons."""
PARAPHRASE = "paraphrase"


@dataclass(frozen=True)
class Category:
    """How many inequalities hold."""

    held: int
    asked: int
    tied: int

    @property
    def value(self) -> float:
        """Their share; 0 where nothing was asked, as the package has it."""
        return self.held / self.asked if self.asked else 0.0


Inequality = tuple[int, int, int, int]
"""The cosine of the first two sentences shall exceed that of the last two."""


def inequalities(rewrites: Rewrites) -> dict[str, IntArray]:
    """What is asked of an encoder, by category: rows of four sentences. Does not depend on the encoder."""
    of_paraphrases, of_comparisons = _of_paraphrases(rewrites), _of_comparisons(rewrites)
    found = {}
    for name, kinds in CATEGORIES.items():
        asked = of_paraphrases if name in OF_PARAPHRASES else of_comparisons
        rows = [row for kind in kinds for row in asked.get(kind, ())]
        found[name] = np.array(rows, dtype=np.int64).reshape(-1, 4)
    return found


def categories(vectors: Vectors, asked: Mapping[str, IntArray]) -> dict[str, Category]:
    """Count the inequalities that hold between cosines of these vectors (one row per sentence).

    Examples
    --------
    The first two point the same way, the third elsewhere.

    >>> asked = {"basic": np.array([[0, 1, 0, 2], [0, 2, 0, 1]])}
    >>> categories(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]]), asked)["basic"]
    Category(held=1, asked=2, tied=0)
    """
    zero = np.asarray(~vectors.any(axis=1))
    found = {}
    for name, rows in asked.items():
        near, far = (_cosines(vectors, rows[:, place : place + 2]) for place in (0, 2))
        known = ~zero[rows].any(axis=1)
        found[name] = Category(int(((near > far) & known).sum()), len(rows), int(((near == far) & known).sum()))
    return found


def costra_score(found: Mapping[str, Category]) -> float:
    """The one figure the package prints last: the mean of the six, each rounded to three decimals before.

    Examples
    --------
    >>> costra_score({"a": Category(1, 3, 0), "b": Category(2, 3, 0)})
    0.5
    """
    return round(sum(round(one.value, 3) for one in found.values()) / len(found), 3)


def _cosines(vectors: Vectors, ends: IntArray) -> Vectors:
    """Each distinct pair of sentences once, to the last bit as the package has it.

    Sentences of the same words in another order have the same mean vector but for rounding, so that some thousandths
    of all inequalities are decided by it. A stack of products of one row with one column is what makes NumPy call for
    each pair the very routine that `numpy.dot` calls; precision is that of the vectors.
    """
    count = len(vectors)
    distinct, place = np.unique(ends[:, 0] * count + ends[:, 1], return_inverse=True)
    first, second = distinct // count, distinct % count
    lengths = np.sqrt(_dots(vectors, np.arange(count), np.arange(count)))
    below = lengths[first] * lengths[second]
    cosines = np.divide(_dots(vectors, first, second), below, out=np.zeros_like(below), where=below > 0)
    return np.asarray(cosines[place.reshape(-1)])


def _dots(vectors: Vectors, first: IntArray, second: IntArray) -> Vectors:
    found = np.empty(len(first), dtype=vectors.dtype)
    for start in range(0, len(first), 1024):  # so that the gathered vectors stay in the processor's cache
        one, two = vectors[first[start : start + 1024]], vectors[second[start : start + 1024]]
        found[start : start + 1024] = np.matmul(one[:, None, :], two[:, :, None])[:, 0, 0]
    return found


def _of_paraphrases(rewrites: Rewrites) -> dict[str, list[Inequality]]:
    by_seed: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, (seed, kind) in enumerate(zip(rewrites.seed.tolist(), rewrites.kinds, strict=True)):
        by_seed[seed][kind].append(row)
    found: dict[str, list[Inequality]] = defaultdict(list)
    for seed, kinds in by_seed.items():
        for kind, others in kinds.items():
            if kind not in (SEED, PARAPHRASE):
                found[kind] += [(seed, near, seed, far) for near in kinds.get(PARAPHRASE, ()) for far in others]
    return found


def _of_comparisons(rewrites: Rewrites) -> dict[str, list[Inequality]]:
    lists = _lists(rewrites.comparisons)
    kinds = rewrites.kinds
    found: dict[str, list[Inequality]] = defaultdict(list)
    for row, said in lists.items():
        for one in said["more"]:
            for two in said["less"]:
                # A seed stands between rewrites of several kinds: each inequality belongs to the rewrite it is about.
                found[kinds[one] if kinds[row] == SEED else kinds[row]].append((row, one, one, two))
                found[kinds[two] if kinds[row] == SEED else kinds[row]].append((row, two, one, two))
        for near in said["too_similar"]:
            found[kinds[row]] += [(row, near, row, far) for far in said["too_dissimilar"]]
    return found


def _lists(comparisons: Iterable[Comparison]) -> dict[int, dict[str, set[int]]]:
    """Per sentence, what stands on its lists: every comparison is seen from both sides."""
    converse = {"more": "less", "less": "more"}
    lists: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for one in comparisons:
        lists[one.first][one.value].add(one.second)
        lists[one.second][converse.get(one.value, one.value)].add(one.first)
    return lists

"""Whether a kind of rewrite is a direction in the space: differences, retrieval by them, and the order along them.

Whatever is said about a rewrite rests on the rewrites of *other* seeds: the mean difference leaves its own seed out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kostra.encoders import unit
from kostra.evaluate.likeness import Space
from kostra.evaluate.means import Means
from kostra.evaluate.outcome import WHOLE, Measure
from kostra.evaluate.rewrites import SEED, Rewrites

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Direction:
    """One kind of rewrite: its differences from the seeds, and their mean over all other seeds."""

    rows: IntArray
    """The rewrites."""
    seed: IntArray
    """Their seeds."""
    differences: FloatArray
    seeds: IntArray
    """Each seed once."""
    means: FloatArray
    """Per seed of `seeds`, the mean difference of the rewrites of the other seeds."""

    def elsewhere(self) -> FloatArray:
        """Per rewrite, the mean difference without its own seed."""
        return np.asarray(self.means[np.searchsorted(self.seeds, self.seed)])


def direction(rewrites: Rewrites, kind: str, vectors: FloatArray) -> Direction | None:
    """The differences of one kind; None if it has fewer than two seeds.

    Examples
    --------
    >>> made = Rewrites(tuple("abcd"), tuple("abcd"), np.array([0, 0, 2, 2]), ("seed", "past", "seed", "past"))
    >>> direction(made, "past", np.array([[0.0], [1.0], [0.0], [3.0]])).elsewhere().tolist()
    [[3.0], [1.0]]
    """
    rows = rewrites.of_kind(kind)
    seed = rewrites.seed[rows]
    seeds, place, often = np.unique(seed, return_inverse=True, return_counts=True)
    if len(seeds) < 2:
        return None
    differences = vectors[rows] - vectors[seed]
    own = np.zeros((len(seeds), vectors.shape[1]))
    np.add.at(own, place.reshape(-1), differences)
    means = (differences.sum(axis=0) - own) / (len(rows) - often)[:, None]
    return Direction(rows, seed, differences, seeds, means)


def cosine_to_mean(found: Direction) -> FloatArray:
    """Per rewrite, the cosine of its difference with the mean difference of the other seeds; 0 for no difference.

    Examples
    --------
    >>> one = Direction(np.array([1]), np.array([0]), np.array([[2.0, 0.0]]), np.array([0]), np.array([[1.0, 0.0]]))
    >>> cosine_to_mean(one).tolist()
    [1.0]
    """
    return np.asarray(np.einsum("ij,ij->i", unit(found.differences), unit(found.elsewhere())))


def retrieved(rewrites: Rewrites, kind: str, vectors: FloatArray, found: Direction, *, shifted: bool) -> BoolArray:
    """Per seed, whether the sentence nearest to seed + mean difference is a rewrite of that seed and kind.

    Nearest by cosine among all sentences but the seed itself (and whatever has its very text). Without `shifted` the
    seed alone is the query: what the shift has to beat.
    """
    candidates = unit(vectors)
    queries = unit(vectors[found.seeds] + (found.means if shifted else 0.0))
    same_text: dict[str, list[int]] = {}
    for row, text in enumerate(rewrites.texts):
        same_text.setdefault(text, []).append(row)
    hits = np.zeros(len(found.seeds), dtype=np.bool_)
    kinds = np.array(rewrites.kinds)
    for start in range(0, len(queries), 256):
        cosines = queries[start : start + 256] @ candidates.T
        for place, seed in enumerate(found.seeds[start : start + 256].tolist()):
            cosines[place, same_text[rewrites.texts[seed]]] = -np.inf
            best = int(cosines[place].argmax())
            hits[start + place] = kinds[best] == kind and rewrites.seed[best] == seed
    return hits


def orientation(rewrites: Rewrites, kind: str) -> int:
    """Whether *more* runs from the seed to the rewrites (1) or back (−1), by the comparisons of the two.

    COSTRA's *opposite meaning* runs back: there the sentence that is *more* is the one closer to the seed.

    Examples
    --------
    >>> from kostra.evaluate.rewrites import Comparison
    >>> made = Rewrites(("a", "b"), ("a", "b"), np.array([0, 0]), ("seed", "past"), (Comparison(1, 0, "more", "past"),))
    >>> orientation(made, "past")
    1
    """
    balance = 0
    for one in rewrites.comparisons:
        ends = rewrites.kinds[one.first], rewrites.kinds[one.second]
        if one.kind == kind and one.value in ("more", "less") and ends.count(SEED) == 1:
            balance += 1 if (one.value == "more") == (ends[1] == SEED) else -1
    return -1 if balance < 0 else 1


@dataclass(frozen=True, eq=False)
class Scale:
    """Per comparison of one kind, whether the projection on the direction orders the two as people did."""

    right: BoolArray
    seed: IntArray
    rivals: BoolArray
    """Whether both are rewrites; the others compare a rewrite with its seed, and are easier."""


def scale(rewrites: Rewrites, kind: str, vectors: FloatArray, found: Direction) -> Scale:
    """Project what was compared on the mean difference of the other seeds. A tie is an error."""
    sign = orientation(rewrites, kind)
    rows = [
        (one.first, one.second) if one.value == "more" else (one.second, one.first)
        for one in rewrites.comparisons
        if one.kind == kind and one.value in ("more", "less") and one.first != one.second
    ]
    upper, lower = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    seed = rewrites.seed[upper]
    known = np.isin(seed, found.seeds)
    upper, lower, seed = upper[known], lower[known], seed[known]
    along = found.means[np.searchsorted(found.seeds, seed)]
    ahead = np.einsum("ij,ij->i", vectors[upper] - vectors[lower], along) * sign
    is_seed = np.array(rewrites.kinds) == SEED
    return Scale(ahead > 0, seed, ~is_seed[upper] & ~is_seed[lower])


def regularity(rewrites: Rewrites, space: Space, means: Means) -> tuple[list[Measure], Mapping[str, int]]:
    """All figures of this page for every kind of rewrite, and over all of them; and the orientation of each kind."""
    vectors = space.vectors[space.rows(rewrites.texts)]
    made: list[Measure] = []
    gathered: dict[str, list[tuple[NDArray[np.generic], IntArray]]] = {}
    orientations: dict[str, int] = {}
    for kind in rewrites.changes():
        found = direction(rewrites, kind, vectors)
        if found is None:
            made.append(Measure(kind, "difference_cosine", None, note="undefined: fewer than two seeds"))
            continue
        figures = {
            "difference_cosine": (cosine_to_mean(found), found.seed),
            "retrieval_accuracy": (retrieved(rewrites, kind, vectors, found, shifted=True), found.seeds),
            "retrieval_baseline": (retrieved(rewrites, kind, vectors, found, shifted=False), found.seeds),
        }
        ordered = scale(rewrites, kind, vectors, found)
        if len(ordered.right):
            orientations[kind] = orientation(rewrites, kind)
            figures["scale_accuracy"] = (ordered.right, ordered.seed)
            figures["scale_accuracy_rewrites"] = (ordered.right[ordered.rivals], ordered.seed[ordered.rivals])
        for metric, (values, seeds) in figures.items():
            made.append(means.of(kind, metric, values, seeds, _NOTES.get(metric, "")))
            gathered.setdefault(metric, []).append((values, seeds))
    for metric, parts in gathered.items():
        values, seeds = (np.concatenate(side) for side in zip(*parts, strict=True))
        made.append(means.of(WHOLE, metric, values, seeds, _NOTES.get(metric, "")))
    return made, orientations


_NOTES = {
    "difference_cosine": "cosine of a difference with the mean of the other seeds'",
    "retrieval_accuracy": "nearest to seed + mean difference among all sentences",
    "retrieval_baseline": "nearest to the seed alone",
    "scale_accuracy": "order along the direction, by chance .5",
    "scale_accuracy_rewrites": "the same where both are rewrites",
}

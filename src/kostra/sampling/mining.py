"""Pairs of overlapping sentences from corpora of any size: all above a threshold, random ones, or by percentile.

What is exact and what is estimated:

* Overlap of a pair is always exact: whole numbers are counted, then divided once.
* `all_pairs` is exact: every pair in the bounds and no other (see `kostra.sampling.mining_search`).
* `random_pairs` is exact in distribution: each eligible pair is as likely as any other. No count of the eligible pairs
  is made unless they turn out to be rare.
* Percentiles of overlap over all pairs are estimated from random pairs where there are more pairs than are examined:
  with m examined, a percentile stands within ±1.4/√m of its rank with 95% confidence, all at once (Dvoretzky, Kiefer
  and Wolfowitz 1956; Massart 1990): ±0.0014 for a million, a fourteenth of one of fifty buckets.
* `bucketed_pairs` draws uniformly inside each bucket: from the examined pairs, or, where they do not reach its quota
  and the bucket lies high enough, from all its pairs, found by search.

All randomness comes from `rng`; work in blocks has one stream per block, so results depend neither on the number of
workers nor on interruptions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kostra.errors import KostraError
from kostra.sampling.mining_corpus import Corpus, FloatArray, IntArray, Measure, cut, gather
from kostra.sampling.mining_draws import Drawn, Examination
from kostra.sampling.mining_search import PAIR, PairArray, Search, near_in_length
from kostra.sampling.schedulers import Work, run_job

__all__ = [
    "Bucket", "Corpus", "Measure", "PairArray", "Work",
    "all_pairs", "bucketed_pairs", "gather", "percentile_edges", "random_pairs", "sample_scores",
]  # fmt: skip

Allowed: TypeAlias = Callable[[IntArray, IntArray], NDArray[np.bool_]]
"""Which pairs of sentence numbers may be drawn at all, such as those of two different paraphrase groups."""

_FEW = 100_000  # up to this many ordered pairs of sentences, all are looked at without drawing first


def all_pairs(
    corpus: Corpus,
    *,
    measure: Measure = "dice",
    threshold: float,
    below: float | None = None,
    length_difference: float | None = None,
    ordered: bool = False,
    section: int = 1_000_000,
    block_size: int = 2_000_000,
    work: Work | None = None,
) -> Iterator[PairArray]:
    """Find every pair with an overlap of at least `threshold` and below `below`.

    Pairs come sorted by both sentence numbers, in sections of about `section` pairs; none comes before the search is
    done. They do not depend on `block_size`, nor on where the work runs.

    Parameters
    ----------
    measure
        ``dice``, ``idf_dice`` (both symmetric), or ``shared_share``, which counts each direction for itself.
    length_difference
        Greatest difference in words, as a share of the longer sentence's number of words.
    ordered
        Whether a pair of a symmetric measure comes in both directions; otherwise the lower number stands first.
    block_size
        How many distinct words of sentences make a block of the search.
    work
        Where blocks run and are kept.

    Examples
    --------
    >>> corpus = gather(["a b c d", "a b c x", "p q", "q p"])
    >>> [pair for section in all_pairs(corpus, threshold=0.7) for pair in section.tolist()]
    [(0, 1, 0.75), (2, 3, 1.0)]
    """
    search = Search(corpus, measure, threshold, below, length_difference, ordered, block_size)
    return _sorted(run_job(search, work or Work()), corpus.sentences, section)


def _sorted(parts: Sequence[PairArray], sentences: int, section: int) -> Iterator[PairArray]:
    """Merge blocks that are sorted each by itself; only one section is in memory."""
    counts = np.zeros(sentences, dtype=np.int64)
    for part in parts:
        counts += np.bincount(part["first"], minlength=sentences)
    for rows in cut(counts, section):
        slices = [part[slice(*np.searchsorted(part["first"], [rows.start, rows.stop]))] for part in parts]
        merged = _concatenated(slices)
        if len(merged):
            yield merged[np.lexsort((merged["second"], merged["first"]))]


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1 << 63))


def _concatenated(parts: Iterable[PairArray]) -> PairArray:
    return np.concatenate([np.zeros(0, dtype=PAIR), *parts])


def sample_scores(
    corpus: Corpus,
    *,
    measure: Measure = "dice",
    pairs: int = 1_000_000,
    rng: np.random.Generator,
    work: Work | None = None,
) -> FloatArray:
    """The overlap of random pairs, drawn with replacement; of all ordered pairs, if they are no more than `pairs`.

    Examples
    --------
    >>> corpus = gather(["a b", "a c", "x y"])
    >>> sorted(sample_scores(corpus, rng=np.random.default_rng(1)).tolist())
    [0.0, 0.0, 0.0, 0.0, 0.5, 0.5]
    """
    parts = run_job(Examination(corpus, measure, pairs, _seed(rng)), work or Work())
    return np.asarray(_concatenated(parts)["score"])


def percentile_edges(scores: FloatArray, buckets: int) -> FloatArray:
    """The `buckets` + 1 edges of equal percentiles; each is a score that occurs.

    Where many pairs have the same score (0, as a rule), several edges are equal.

    Examples
    --------
    >>> percentile_edges(np.array([0.0, 0.0, 0.0, 0.5, 0.25, 1.0]), 3).tolist()
    [0.0, 0.0, 0.25, 1.0]
    """
    if not len(scores):
        raise KostraError("there are no two sentences, so there are no percentiles of overlap")
    return np.asarray(np.quantile(scores, np.linspace(0, 1, buckets + 1), method="inverted_cdf"), dtype=np.float64)


def random_pairs(
    corpus: Corpus,
    *,
    count: int,
    low: float = 0.25,
    high: float = 0.75,
    length_difference: float | None = 0.25,
    measure: Measure = "shared_share",
    per_sentence: int = 0,
    allowed: Allowed | None = None,
    examine: int = 20_000_000,
    rng: np.random.Generator,
    work: Work | None = None,
) -> PairArray:
    """Draw pairs as if all pairs were gone through in random order, each taken if it fits the bounds.

    This is the published procedure (STR-2021, appendix A) and what `overlap.draw_pairs` does: uniform over the
    ordered pairs with an overlap in ``[low, high)`` that share a word, no pair twice in either order. Random pairs are
    drawn and looked at until enough fit; if they are so rare that `examine` draws do not suffice, all are found
    by search and drawn from. Fewer than `count` come back only if there are no more.

    Parameters
    ----------
    per_sentence
        In how many pairs one sentence may stand; 0 is no limit.
    allowed
        Which pairs may be drawn at all.

    Examples
    --------
    >>> corpus = gather(["a b c d", "a x y z", "q r s t"])
    >>> sorted(random_pairs(corpus, count=9, rng=np.random.default_rng(1))[["first", "second"]].tolist()[0])
    [0, 1]
    """
    least = max(low, math.ulp(0.0))
    search = Search(corpus, measure, least, high, length_difference, ordered=True)
    drawn, found = Drawn(per_sentence), [np.zeros(0, dtype=PAIR)]
    left = count
    total = corpus.sentences * (corpus.sentences - 1)
    draws = Examination(corpus, measure, min(examine, total - 1), _seed(rng))
    for block in range(draws.blocks if total > _FEW else 0):
        if not left:
            break
        fitting = _fitting(draws, block, search, allowed)
        found.append(fitting[drawn.take(fitting, left)])
        left -= len(found[-1])
    if left and corpus.sentences:
        everything = _concatenated(run_job(search, work or Work()))
        everything = everything[np.lexsort((everything["second"], everything["first"]))]
        everything = everything[_allowed(everything, allowed)]
        shuffled = everything[rng.permutation(len(everything))]
        found.append(shuffled[drawn.take(shuffled, left)])
    return np.concatenate(found)


def _fitting(draws: Examination, block: int, search: Search, allowed: Allowed | None) -> PairArray:
    """The pairs of a block that keep the bounds; overlap is looked at last, because it costs most."""
    pairs = draws.drawn(block)
    if search.length_difference is not None:
        lengths = draws.corpus.lengths
        first, second = lengths[pairs["first"]], lengths[pairs["second"]]
        pairs = pairs[near_in_length(first, second, search.length_difference)]
    pairs = draws.scored(pairs[_allowed(pairs, allowed)])
    below = math.inf if search.below is None else search.below
    return pairs[(pairs["score"] >= search.threshold) & (pairs["score"] < below)]


def _allowed(pairs: PairArray, allowed: Allowed | None) -> NDArray[np.bool_]:
    return np.ones(len(pairs), dtype=np.bool_) if allowed is None else allowed(pairs["first"], pairs["second"])


@dataclass(frozen=True)
class Bucket:
    """What `bucketed_pairs` drew from one bucket."""

    low: float
    high: float
    """Exclusive, but for the last bucket. Buckets with one lower edge share the pairs of the highest of them."""
    wanted: int
    pairs: PairArray
    offered: int
    """How many different pairs it was drawn from."""
    source: Literal["examined", "searched"]
    """Whether those were the examined pairs that fell into it, or all that the corpus has."""


def bucketed_pairs(
    corpus: Corpus,
    *,
    measure: Measure = "idf_dice",
    counts: Sequence[int],
    edges: FloatArray | None = None,
    examine: int = 1_000_000,
    search_above: float = 0.3,
    per_sentence: int = 0,
    allowed: Allowed | None = None,
    rng: np.random.Generator,
    work: Work | None = None,
) -> list[Bucket]:
    """Draw so many pairs from each bucket of overlap, from the lowest bucket to the highest.

    Parameters
    ----------
    counts
        How many pairs to draw from each bucket.
    edges
        One more than there are counts, ascending; None is equal percentiles of the examined pairs.
    examine
        How many random pairs to look at; all, if there are no more.
    search_above
        A bucket that the examined pairs do not fill is searched for all its pairs, if its lower edge is at least this;
        below, the search would have to look at a large part of all pairs, and the bucket stays short.
    """
    job = Examination(corpus, measure, examine, _seed(rng))
    seen = _concatenated(run_job(job, _shelf(work, "examined")))
    if job.complete:  # in order of sentences, not of chance
        seen = seen[rng.permutation(len(seen))]
    seen = _distinct(seen, corpus, measure)
    limits = percentile_edges(seen["score"], len(counts)) if edges is None else np.asarray(edges, dtype=np.float64)
    _check_edges(limits, counts)
    pools = _dealt(seen[_allowed(seen, allowed)], limits)
    short = [] if job.complete else _short(pools, limits, counts, search_above)
    if short:
        searched = _searched(Search(corpus, measure, float(limits[short[0]])), limits, short, allowed, rng, work)
        pools = [searched.get(bucket, pool) for bucket, pool in enumerate(pools)]
    drawn, found = Drawn(per_sentence), []
    for bucket in reversed(range(len(counts))):  # the rarest first, so that common ones do not use up sentences
        pool, wanted = pools[bucket], counts[bucket]
        source: Literal["examined", "searched"] = "searched" if bucket in short or job.complete else "examined"
        taken = pool[drawn.take(pool, wanted)]
        low, high = float(limits[bucket]), float(limits[bucket + 1])
        found.append(Bucket(low, high, wanted, taken, len(pool), source))
    return found[::-1]


def _shelf(work: Work | None, name: str) -> Work:
    """A folder of its own for each job of a run."""
    chosen = work or Work()
    return replace(chosen, folder=chosen.folder / name) if chosen.folder else chosen


def _check_edges(edges: FloatArray, counts: Sequence[int]) -> None:
    if len(edges) != len(counts) + 1 or np.any(np.diff(edges) < 0):
        raise KostraError(
            f"{len(edges)} edges for {len(counts)} buckets", accepted="ascending edges, one more than there are buckets"
        )


def _distinct(pairs: PairArray, corpus: Corpus, measure: Measure) -> PairArray:
    """Each pair once, as it was drawn first; its reverse is the same pair where the measure is symmetric."""
    a, b = pairs["first"], pairs["second"]
    if measure != "shared_share":
        a, b = np.minimum(a, b), np.maximum(a, b)
    _, places = np.unique(a * corpus.sentences + b, return_index=True)
    return pairs[np.sort(places)]


def _pool_of(edges: FloatArray) -> IntArray:
    """For each bucket the one that holds its pairs: the highest with the same lower edge."""
    return np.minimum(np.searchsorted(edges, edges[:-1], side="right") - 1, len(edges) - 2)


def _dealt(pairs: PairArray, edges: FloatArray) -> list[PairArray]:
    """The pairs of each bucket; buckets with the same lower edge share theirs."""
    place = np.searchsorted(edges, pairs["score"], side="right") - 1
    place[pairs["score"] == edges[-1]] = len(edges) - 2
    inside = {bucket: pairs[place == bucket] for bucket in np.unique(place).tolist()}
    return [inside.get(bucket, pairs[:0]) for bucket in _pool_of(edges).tolist()]


def _short(pools: Sequence[PairArray], edges: FloatArray, counts: Sequence[int], least: float) -> list[int]:
    """The buckets that were not filled and lie high enough to be searched."""
    pool_of = _pool_of(edges)
    wanted = np.bincount(pool_of, weights=counts, minlength=len(pools))[pool_of]
    lacking = [len(pool) < asked for pool, asked in zip(pools, wanted, strict=True)]
    return [bucket for bucket, lacks in enumerate(lacking) if lacks and edges[bucket] >= max(least, math.ulp(0.0))]


def _searched(
    search: Search,
    edges: FloatArray,
    short: Sequence[int],
    allowed: Allowed | None,
    rng: np.random.Generator,
    work: Work | None,
) -> dict[int, PairArray]:
    """All pairs of some buckets, in random order and, where the measure is symmetric, in random direction."""
    parts = run_job(search, _shelf(work, "searched"))
    found: dict[int, list[PairArray]] = {bucket: [] for bucket in short}
    for section in _sorted(parts, search.corpus.sentences, 1_000_000):
        pools = _dealt(section[_allowed(section, allowed)], edges)
        for bucket in short:
            found[bucket].append(pools[bucket])
    shuffled: dict[int, PairArray] = {}
    for bucket in short:
        pool = _concatenated(found[bucket])
        pool = pool[rng.permutation(len(pool))]
        if search.measure != "shared_share":
            turned = rng.random(len(pool)) < 0.5
            pool["first"][turned], pool["second"][turned] = pool["second"][turned], pool["first"][turned]
        shuffled[bucket] = pool
    return shuffled

"""Pairs over which a cheap predictor's scores spread evenly, so that few answers go to unrelated pairs.

An addition of ours. Random pairs are almost all unrelated, and annotating them says little; here as many pairs as
possible come from each bin of a predicted relatedness. The predictor is word overlap (``dice``, ``idf_dice``) or any
encoder. The column ``overlap`` of the pairs holds the predicted value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from kostra.encoders import PairEncoder, encoder, similarities
from kostra.errors import some
from kostra.recipe import Strict
from kostra.sampling.buckets import FloatArray, bin_places, by_source, each_text_once, even_counts, nothing_fits
from kostra.sampling.mining import PairArray, Work, bucketed_pairs, gather
from kostra.sampling.mining_draws import Drawn
from kostra.sampling.mining_search import PAIR
from kostra.sampling.nearest_neighbours import neighbour_pairs, unit_vectors
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import PAIRS, Frame

READS = ("pairs|sentences",)
WRITES = ("pairs",)

_AT_ONCE = 20_000  # pairs whose vectors stand in memory together


class Options(Strict):
    """The predictor, its bins, and how many pairs."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    predictor: str = "dice"
    """dice, idf_dice, or an encoder such as static."""
    bins: Annotated[int, Field(ge=1)] = 10
    """How many levels of predicted relatedness; each gives as many pairs."""
    low: float = 0.0
    """Ends of the bins, which are equally wide; what lies outside counts to the outermost."""
    high: float = 1.0
    """Upper end of the predicted relatedness."""
    examine: Annotated[int, Field(ge=1)] = 200_000
    """How many random pairs of sentences are looked at; all, if there are no more."""
    neighbours: Annotated[int, Field(ge=1)] = 10
    """How many nearest neighbours of each sentence are looked at beside them, if the predictor is an encoder."""
    per_sentence: Annotated[int, Field(ge=0)] = 0
    """In how many pairs one sentence may stand; 0 is no limit."""

    @model_validator(mode="after")
    def _in_order(self) -> Options:
        if self.low >= self.high:
            raise ValueError(f"low ({self.low:g}) must lie below high ({self.high:g})")
        return self


def level_draw(pools: Sequence[PairArray], count: int, *, per_sentence: int = 0) -> list[list[int]]:
    """Take as evenly as possible from each bin's pool, in its order; return the places taken from each.

    The poorest bin is served first; what it cannot give of its even share, the others do. No pair is taken twice, in
    either order, and no sentence more than `per_sentence` times (0 is no limit).

    Examples
    --------
    Five pairs of two bins would be two and three; but the upper bin has only one.

    >>> pool = np.array([(0, n, 0.1) for n in range(1, 9)], dtype=PAIR)
    >>> [len(taken) for taken in level_draw([pool[:7], pool[7:]], 5)]
    [4, 1]
    """
    drawn, left = Drawn(per_sentence), count
    taken: list[list[int]] = [[] for _ in pools]
    # The higher bin first of equally poor ones: related pairs are what is rare.
    poorest_first = sorted(range(len(pools)), key=lambda place: (len(pools[place]), -place))
    for rank, place in enumerate(poorest_first):
        taken[place] = drawn.take(pools[place], -(-left // (len(pools) - rank)))
        left -= len(taken[place])
    return taken


def bin_edges(options: Options) -> FloatArray:
    """The ends of the bins."""
    return np.linspace(options.low, options.high, options.bins + 1)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    kind = "pairs" if inputs.get("pairs") else "sentences"
    says = f"draws {options.pairs:,} pairs from {inputs.get(kind, 0):,} {kind}"
    spread = f"evenly from {options.bins} bins of what {options.predictor} predicts"
    return Plan(f"{says}, {spread}", {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Choose among given pairs, or make pairs of sentences."""
    kind, frame = inputs.either("pairs", "sentences")
    if kind == "pairs":
        chosen, found = _of_pairs(frame, options, context)
    else:
        chosen, found = _of_sentences(each_text_once(frame, context), options, context)
    if chosen.is_empty():
        raise nothing_fits(f"{frame.height:,} {kind} offer no pair", context)
    names = [
        f"{low:.2g} to {high:.2g}: {count:,}"
        for (low, high), count in zip(pairwise(bin_edges(options)), found, strict=True)
    ]
    context.note("spread", f"pairs by predicted relatedness ({options.predictor}): {some(names, 20)}")
    if chosen.height < options.pairs:
        context.note("fewer", f"{chosen.height:,} pairs instead of {options.pairs:,}: there are no more to choose from")
    even = options.pairs // options.bins
    short = [name for name, count in zip(names, found, strict=True) if count < even]
    if short:
        context.note("uneven", f"{len(short)} of {options.bins} bins have fewer than {even:,} pairs: {some(short)}")
    return {"pairs": chosen}


def _of_pairs(pairs: Frame, options: Options, context: Context) -> tuple[Frame, list[int]]:
    texts = list(pairs.select("text_a", "text_b").iter_rows())
    numbers = {text: number for number, text in enumerate(dict.fromkeys(text for pair in texts for text in pair))}
    found = np.zeros(len(texts), dtype=PAIR)
    found["first"] = [numbers[a] for a, _ in texts]
    found["second"] = [numbers[b] for _, b in texts]
    found["score"] = _measure(list(numbers), found, options)
    order = context.rng.permutation(len(found))
    bins = bin_places(np.clip(found["score"][order], options.low, options.high), bin_edges(options))
    places = [order[bins == number] for number in range(options.bins)]
    taken = level_draw([found[rows] for rows in places], options.pairs, per_sentence=options.per_sentence)
    rows = np.sort(np.concatenate([place[some_of] for place, some_of in zip(places, taken, strict=True)]))
    chosen = pairs[rows].with_columns(overlap=pl.Series(found["score"][rows]))
    return chosen, [len(some_of) for some_of in taken]


def _of_sentences(sentences: Frame, options: Options, context: Context) -> tuple[Frame, list[int]]:
    blocks = by_source(sentences)
    frames, counts = [], np.zeros(options.bins, dtype=np.int64)
    for (_, block), total in zip(blocks, even_counts(options.pairs, range(len(blocks))).tolist(), strict=True):
        pools = _pools(block["text"].to_list(), total, options, context)
        taken = level_draw(pools, total, per_sentence=options.per_sentence)
        drawn = np.concatenate([pool[places] for pool, places in zip(pools, taken, strict=True)])
        counts += [len(places) for places in taken]
        subset = context.step.name
        frames.append(pair_table(block, drawn["first"], drawn["second"], subset=subset, overlap=drawn["score"]))
    return pl.concat(frames) if frames else PAIRS.empty(), counts.tolist()


def _pools(texts: list[str], count: int, options: Options, context: Context) -> list[PairArray]:
    """Candidates of each bin, in random order, more than enough."""
    if len(texts) < 2:
        return [np.zeros(0, dtype=PAIR)] * options.bins
    edges = bin_edges(options)
    if options.predictor in ("dice", "idf_dice"):
        buckets = bucketed_pairs(
            gather(texts),
            measure="dice" if options.predictor == "dice" else "idf_dice",
            counts=[count] * options.bins,
            edges=np.concatenate([[-np.inf], edges[1:-1], [np.inf]]),
            examine=options.examine,
            rng=context.rng,
            work=Work(progress=context.progress),
        )
        return [bucket.pairs for bucket in buckets]
    found = _candidates(texts, options, context)
    found = found[context.rng.permutation(len(found))]
    bins = bin_places(np.clip(found["score"], options.low, options.high), edges)
    return [found[bins == number] for number in range(options.bins)]


def _candidates(texts: list[str], options: Options, context: Context) -> PairArray:
    """Random pairs and, for an encoder with vectors, each sentence's neighbours, with what the predictor says."""
    n = len(texts)
    if n * (n - 1) // 2 <= options.examine:
        first, second = (side.astype(np.int64) for side in np.triu_indices(n, 1))
    else:
        first, second = context.rng.integers(n, size=options.examine), context.rng.integers(n - 1, size=options.examine)
        second = second + (second >= first)
    turned = context.rng.random(len(first)) < 0.5
    found = np.zeros(len(first), dtype=PAIR)
    found["first"], found["second"] = np.where(turned, second, first), np.where(turned, first, second)
    found["score"] = _measure(texts, found, options)
    if isinstance(encoder(options.predictor), PairEncoder):
        return found
    near = neighbour_pairs(unit_vectors(texts, options.predictor), neighbours=options.neighbours)
    return np.concatenate([found, near])


def _measure(texts: list[str], pairs: PairArray, options: Options) -> FloatArray:
    """What the predictor says of each pair."""
    blocks = [pairs[start : start + _AT_ONCE] for start in range(0, len(pairs), _AT_ONCE)]
    if options.predictor == "idf_dice":
        from kostra.sampling.mining_corpus import Scorer

        return Scorer(gather(texts), "idf_dice")(pairs["first"], pairs["second"])
    chosen = encoder(options.predictor)
    if isinstance(chosen, PairEncoder):
        said = [similarities(chosen, [(texts[a], texts[b]) for a, b, _ in block.tolist()]) for block in blocks]
    else:
        vectors = unit_vectors(texts, options.predictor)
        said = [
            np.einsum("id,id->i", vectors[part["first"]], vectors[part["second"]], dtype=np.float64) for part in blocks
        ]
    return np.round(np.concatenate([np.zeros(0), *said]), 6)

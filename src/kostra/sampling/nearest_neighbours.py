"""Pairs of sentences that lie near each other in an encoder's space, whatever words they share; an addition of ours.

Up to 20,000 sentences of a source all distances are looked at; above, an HNSW graph (extra ``neighbours``) finds almost
all of the nearest. The column ``overlap`` of the pairs holds the cosine by which they were sampled.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from kostra.encoders import SentenceEncoder, encoder
from kostra.errors import KostraError, extra_needed
from kostra.recipe import Strict
from kostra.sampling.buckets import FloatArray, IntArray, by_source, each_text_once, even_quotas, nothing_fits
from kostra.sampling.mining_draws import Drawn
from kostra.sampling.mining_search import PAIR, PairArray
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences",)
WRITES = ("pairs",)

EXACT_UP_TO = 20_000
"""Sentences up to which all distances are looked at."""
_BLOCK = 1024
_DIGITS = 6  # of a cosine; what is beyond may differ from machine to machine

Floats = NDArray[np.float32]
Method = Literal["auto", "exact", "hnsw"]


class Options(Strict):
    """Which space, how near, and how many pairs."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    encoder: str = "static"
    """Whose vectors say what is near."""
    neighbours: Annotated[int, Field(ge=1)] = 10
    """How many nearest neighbours of each sentence are candidates."""
    low: Annotated[float, Field(ge=-1, le=1)] = -1.0
    """Least cosine, inclusive."""
    high: float = 1.01
    """The cosine must stay below this: a bound below 1 keeps copies away."""
    per_sentence: Annotated[int, Field(ge=0)] = 0
    """In how many pairs one sentence may stand; 0 is no limit."""
    method: Method = "auto"
    """exact, hnsw, or whichever suits the number of sentences."""


def unit_vectors(texts: Sequence[str], spec: str) -> Floats:
    """An encoder's vectors, brought to length 1; a zero vector stays zero.

    Examples
    --------
    >>> np.linalg.norm(unit_vectors(["A dog.", "A cat."], "hashed"), axis=1).round(6).tolist()
    [1.0, 1.0]
    """
    chosen = encoder(spec)
    if not isinstance(chosen, SentenceEncoder):
        raise KostraError(
            f'the encoder "{spec}" gives a number to pairs, and no vector to a sentence',
            accepted="an encoder with vectors, such as static",
        )
    vectors = np.asarray(chosen.encode(list(texts)), dtype=np.float64).reshape(len(texts), -1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0).astype(np.float32)
    return unit


def exact_neighbours(vectors: Floats, count: int) -> tuple[IntArray, FloatArray]:
    """For each unit vector its `count` nearest others and their cosines, nearest first, ties by number.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    >>> numbers, cosines = exact_neighbours(vectors, 1)
    >>> numbers.ravel().tolist(), cosines.ravel().tolist()  # 0.8 from the first to the second, 0.6 from the third
    ([1, 0, 1], [0.8, 0.8, 0.6])
    """
    count = min(count, len(vectors) - 1)
    numbers, cosines = [], []
    for start in range(0, len(vectors), _BLOCK):
        near = vectors[start : start + _BLOCK] @ vectors.T
        rows = np.arange(len(near))
        near[rows, start + rows] = -np.inf  # not its own neighbour
        # What comes so near the last of the nearest that both round to the same is ranked too, by its number.
        least = np.partition(near, -count, axis=1)[:, -count] - 2 * 10.0**-_DIGITS
        for row, enough in zip(near, least, strict=True):
            among = np.flatnonzero(row >= enough)
            rounded = np.round(row[among].astype(np.float64), _DIGITS)
            order = np.lexsort((among, -rounded))[:count]
            numbers.append(among[order])
            cosines.append(rounded[order])
    return np.array(numbers, dtype=np.int64), np.array(cosines, dtype=np.float64)


def hnsw_neighbours(vectors: Floats, count: int) -> tuple[IntArray, FloatArray]:
    """Almost the same as `exact_neighbours`, by an HNSW graph [1]_ that is built in one thread, and so always alike.

    A neighbour that the graph did not find is -1, with the cosine -∞.

    References
    ----------
    .. [1] Y. A. Malkov and D. A. Yashunin (2020). Efficient and robust approximate nearest neighbor search using
       hierarchical navigable small world graphs. IEEE Transactions on Pattern Analysis and Machine Intelligence, 42(4).
    """
    try:
        usearch: Any = importlib.import_module("usearch.index")
    except ImportError:
        raise extra_needed("usearch", "neighbours", purpose="the search for neighbours by HNSW") from None
    count = min(count, len(vectors) - 1)
    index = usearch.Index(ndim=vectors.shape[1], metric="ip", dtype="f32", expansion_add=128, expansion_search=128)
    index.add(np.arange(len(vectors), dtype=np.uint64), vectors, threads=1)
    numbers = np.full((len(vectors), count), -1, dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        found = index.search(vectors[start : start + _BLOCK], count + 1)
        for row, (keys, many) in enumerate(zip(np.atleast_2d(found.keys), np.atleast_1d(found.counts), strict=True)):
            others = keys[: int(many)].astype(np.int64)
            others = others[others != start + row][:count]
            numbers[start + row, : len(others)] = others
    # The graph's own distances are rounded as the machine likes; these are not.
    cosines = np.full(numbers.shape, -np.inf)
    for start in range(0, len(vectors), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = np.einsum("id,ijd->ij", vectors[block], vectors[numbers[block]], dtype=np.float64)
        cosines[block] = np.where(numbers[block] < 0, -np.inf, np.round(near, _DIGITS))
    return numbers, cosines


def neighbour_pairs(vectors: Floats, *, neighbours: int, method: Method = "auto") -> PairArray:
    """Each sentence with its nearest ones, as pairs with their cosines: no pair twice, the lower number first.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    >>> neighbour_pairs(vectors, neighbours=1).tolist()
    [(0, 1, 0.8), (1, 2, 0.6)]
    """
    if len(vectors) < 2:
        return np.zeros(0, dtype=PAIR)
    exact = method == "exact" or (method == "auto" and len(vectors) <= EXACT_UP_TO)
    numbers, cosines = (exact_neighbours if exact else hnsw_neighbours)(vectors, neighbours)
    first = np.repeat(np.arange(len(vectors)), numbers.shape[1])
    found = np.zeros(len(first), dtype=PAIR)
    second = numbers.ravel()
    found["first"], found["second"] = np.minimum(first, second), np.maximum(first, second)
    found["score"] = cosines.ravel()
    found = found[second >= 0]
    _, places = np.unique(found["first"].astype(np.int64) * len(vectors) + found["second"], return_index=True)
    return found[places]


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    near = f"the {options.neighbours} nearest of each in the space of {options.encoder}"
    says = f"draws {options.pairs:,} pairs from {inputs.get('sentences', 0):,} sentences, among {near}"
    return Plan(says, {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw at random among the neighbours inside each source, in random order of the two."""
    sentences = each_text_once(inputs["sentences"], context)
    found: list[tuple[Frame, PairArray]] = []
    blocks = by_source(sentences)
    for done, (_, block) in enumerate(blocks, 1):
        vectors = unit_vectors(block["text"].to_list(), options.encoder)
        near = neighbour_pairs(vectors, neighbours=options.neighbours, method=options.method)
        near = near[(near["score"] >= options.low) & (near["score"] < options.high)]
        near = near[context.rng.permutation(len(near))]
        found.append((block, near[Drawn(options.per_sentence).take(near, options.pairs)]))
        context.progress(done, len(blocks))
    quotas = even_quotas([len(pairs) for _, pairs in found], options.pairs)
    if not sum(quotas):
        raise nothing_fits(
            f"no two of the {sentences.height:,} sentences are neighbours within the bounds",
            context,
            accepted=f"a cosine of {options.low:g} or more, and below {options.high:g}",
            remedy="lower `low` or raise `high` or `neighbours`",
        )
    if sum(quotas) < options.pairs:
        context.note("fewer", f"{sum(quotas):,} pairs instead of {options.pairs:,}: the neighbours offer no more")
    frames = [_table(block, pairs[:quota], context) for (block, pairs), quota in zip(found, quotas, strict=True)]
    return {"pairs": pl.concat(frames)}


def _table(block: Frame, pairs: PairArray, context: Context) -> Frame:
    turned = context.rng.random(len(pairs)) < 0.5
    first = np.where(turned, pairs["second"], pairs["first"])
    second = np.where(turned, pairs["first"], pairs["second"])
    return pair_table(block, first, second, subset=context.step.name, overlap=pairs["score"])

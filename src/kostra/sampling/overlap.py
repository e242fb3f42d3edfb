"""Random pairs of sentences that share some, but not most, of their words (STR-2021, appendix A)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field
from scipy import sparse

from kostra.errors import KostraError
from kostra.recipe import Strict
from kostra.sampling.buckets import even_quotas
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import words

READS = ("sentences",)
WRITES = ("pairs",)


class Options(Strict):
    """The published constraints, and how many pairs."""

    pairs: Annotated[int, Field(ge=1)]
    low: Annotated[float, Field(ge=0, le=1)] = 0.25
    """Least share of the first sentence's words that the second has, inclusive; one word is always shared."""
    high: Annotated[float, Field(gt=0)] = 0.75
    """The share must stay below this."""
    length_difference: Annotated[float, Field(ge=0)] = 0.25
    """Greatest difference in length, as a share of the longer sentence's number of words."""
    per_sentence: Annotated[int, Field(ge=0)] = 0
    """In how many pairs one sentence may stand; 0 is no limit."""
    paraphrases: bool = False
    """Whether the two wordings of one thing (a group of exactly two sentences) may be paired."""


@dataclass(frozen=True)
class Candidates:
    """Ordered pairs of sentence numbers that satisfy the constraints, and their shared shares."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    share: NDArray[np.float64]


def overlap_candidates(
    texts: Sequence[str], *, low: float = 0.25, high: float = 0.75, length_difference: float = 0.25
) -> Candidates:
    """Find all ordered pairs whose word overlap and lengths lie within the bounds.

    Overlap is the share of the first sentence's distinct words that the second has too, in ``[low, high)``; lengths
    are numbers of words, and differ by at most `length_difference` of the longer. Sentences that share no word are no
    candidates, even where `low` is 0.

    Examples
    --------
    >>> found = overlap_candidates(["a b c d", "a x y z", "q r s t"])  # "a" is a quarter of each of the first two
    >>> list(zip(found.first.tolist(), found.second.tolist(), found.share.tolist()))
    [(0, 1, 0.25), (1, 0, 0.25)]
    """
    tokens = [words(text) for text in texts]
    lengths = np.array([len(sentence) for sentence in tokens], dtype=np.int64)
    incidence = _incidence(tokens)
    shared = (incidence @ incidence.T).tocoo()
    first, second = shared.row.astype(np.int64), shared.col.astype(np.int64)
    types = np.asarray(incidence.sum(axis=1)).ravel()
    share = shared.data / types[first]
    longer = np.maximum(lengths[first], lengths[second])
    near = np.abs(lengths[first] - lengths[second]) <= length_difference * longer
    kept = (first != second) & (share >= low) & (share < high) & near
    order = np.lexsort((second[kept], first[kept]))
    return Candidates(first[kept][order], second[kept][order], share[kept][order])


def _incidence(tokens: Sequence[Sequence[str]]) -> sparse.csr_array:
    """Sentence × word type, 1 where the word occurs."""
    vocabulary: dict[str, int] = {}
    rows, columns = [], []
    for row, sentence in enumerate(tokens):
        for word in dict.fromkeys(sentence):
            rows.append(row)
            columns.append(vocabulary.setdefault(word, len(vocabulary)))
    ones = np.ones(len(rows))
    return sparse.csr_array((ones, (rows, columns)), shape=(len(tokens), max(len(vocabulary), 1)))


def draw_pairs(
    candidates: Candidates, count: int, *, per_sentence: int = 0, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw distinct unordered pairs at random; return their places among the candidates.

    Going through all candidates in random order and taking what fits is the published procedure. Fewer than `count`
    are returned where the candidates run out.
    """
    taken: set[tuple[int, int]] = set()
    uses: dict[int, int] = {}
    drawn: list[int] = []
    for place in rng.permutation(len(candidates.first)).tolist():
        if len(drawn) == count:
            break
        a, b = int(candidates.first[place]), int(candidates.second[place])
        unordered = (min(a, b), max(a, b))
        full = per_sentence and max(uses.get(a, 0), uses.get(b, 0)) >= per_sentence
        if unordered in taken or full:
            continue
        taken.add(unordered)
        for sentence in unordered:
            uses[sentence] = uses.get(sentence, 0) + 1
        drawn.append(place)
    return np.array(drawn, dtype=np.int64)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    bounds = f"{options.low:.0%} to {options.high:.0%}"
    sentences = inputs.get("sentences", 0)
    says = f"draws {options.pairs:,} pairs from {sentences:,} sentences with {bounds} of their words shared"
    return Plan(says, {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw the pairs inside each source, as many from each as from the others, as far as it offers them."""
    sentences = inputs["sentences"]
    found: list[tuple[Frame, Candidates]] = []
    for _, block in sentences.group_by("source", maintain_order=True):
        bounds = {"low": options.low, "high": options.high, "length_difference": options.length_difference}
        candidates = overlap_candidates(block["text"].to_list(), **bounds)
        found.append((block, candidates if options.paraphrases else _without_paraphrases(candidates, block)))
    # All that a source could give alone: a shorter draw is the beginning of a longer one.
    most = [draw_pairs(one, options.pairs, per_sentence=options.per_sentence, rng=context.rng) for _, one in found]
    if not any(len(drawn) for drawn in most):
        raise KostraError(
            f"no two of the {sentences.height:,} sentences fit the bounds",
            where=f'step "{context.step.name}"',
            accepted=f"pairs inside one source that share {options.low:.0%} or more, and less than {options.high:.0%}",
            remedy="lower `low`, raise `high` or `length_difference`, or bring more sentences",
        )
    frames = []
    quotas = even_quotas([len(drawn) for drawn in most], options.pairs)
    for done, ((block, candidates), longest, quota) in enumerate(zip(found, most, quotas, strict=True), 1):
        drawn = longest[:quota]
        frames.append(
            pair_table(
                block, candidates.first[drawn], candidates.second[drawn],
                subset=context.step.name, overlap=candidates.share[drawn],
            )
        )  # fmt: skip
        context.progress(done, len(found))
    pairs = pl.concat(frames)
    if pairs.height < options.pairs:
        context.note("fewer", f"{pairs.height:,} pairs instead of {options.pairs:,}: the sentences offer no more")
    return {"pairs": pairs}


def _without_paraphrases(candidates: Candidates, block: Frame) -> Candidates:
    """Leave out the two sentences of a group of two: the paper pairs sentences of *different* paraphrase pairs."""
    twos = block.select(pl.when(pl.len().over("group") == 2).then("group"))["group"].to_list()
    kept = np.array(
        [twos[a] is None or twos[a] != twos[b] for a, b in zip(candidates.first, candidates.second, strict=True)],
        dtype=np.bool_,
    )
    return Candidates(candidates.first[kept], candidates.second[kept], candidates.share[kept])

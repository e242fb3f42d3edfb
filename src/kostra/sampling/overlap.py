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
from kostra.sampling.mining import Allowed, Work, gather, random_pairs
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import words

READS = ("sentences",)
WRITES = ("pairs",)
WORKS_IN_BLOCKS = True

ALL_AT_ONCE = 5_000
"""Up to so many sentences of a source all pairs are looked at; above, the mining engine draws without that."""


class Options(Strict):
    """The published constraints, and how many pairs."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
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

    def at(self, places: NDArray[np.int64] | NDArray[np.bool_]) -> Candidates:
        """Those at the given places."""
        return Candidates(self.first[places], self.second[places], self.share[places])


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
    blocks = [block for _, block in sentences.group_by("source", maintain_order=True)]
    asked = [name for name in ("scheduler", "workers") if getattr(context, name) is not None]
    if asked and all(block.height <= ALL_AT_ONCE for block in blocks):
        alone = f'the strategy "{context.step.name}" runs in this process alone'
        context.note("scheduler", f"{' and '.join(asked)} not used: {alone} up to {ALL_AT_ONCE:,} sentences a source")
    # All that a source could give alone: a shorter draw is the beginning of a longer one.
    most = [_drawn(block, options, context) for block in blocks]
    if not any(len(drawn.first) for drawn in most):
        raise KostraError(
            f"no two of the {sentences.height:,} sentences fit the bounds",
            where=f'step "{context.step.name}"',
            accepted=f"pairs inside one source that share {options.low:.0%} or more, and less than {options.high:.0%}",
            remedy="lower `low`, raise `high` or `length_difference`, or bring more sentences",
        )
    frames = []
    quotas = even_quotas([len(drawn.first) for drawn in most], options.pairs)
    for done, (block, drawn, quota) in enumerate(zip(blocks, most, quotas, strict=True), 1):
        first, second, share = drawn.first[:quota], drawn.second[:quota], drawn.share[:quota]
        frames.append(pair_table(block, first, second, subset=context.step.name, overlap=share))
        context.progress(done, len(blocks))
    pairs = pl.concat(frames)
    if pairs.height < options.pairs:
        context.note("fewer", f"{pairs.height:,} pairs instead of {options.pairs:,}: the sentences offer no more")
    return {"pairs": pairs}


def _drawn(block: Frame, options: Options, context: Context) -> Candidates:
    """The pairs of one source in the order of the draw, at most as many as are wanted in all."""
    texts = block["text"].to_list()
    may_meet = None if options.paraphrases else _not_paraphrases(block)
    if len(texts) > ALL_AT_ONCE:
        return _drawn_from_many(texts, str(block["source"][0]), may_meet, options, context)
    bounds = {"low": options.low, "high": options.high, "length_difference": options.length_difference}
    fitting = overlap_candidates(texts, **bounds)
    if may_meet is not None:
        fitting = fitting.at(may_meet(fitting.first, fitting.second))
    return fitting.at(draw_pairs(fitting, options.pairs, per_sentence=options.per_sentence, rng=context.rng))


def _drawn_from_many(
    texts: Sequence[str], source: str, may_meet: Allowed | None, options: Options, context: Context
) -> Candidates:
    """The same draw without looking at all pairs at once."""
    found = random_pairs(
        gather(texts),
        count=options.pairs,
        low=options.low,
        high=options.high,
        length_difference=options.length_difference,
        per_sentence=options.per_sentence,
        allowed=may_meet,
        rng=context.rng,
        work=Work(
            folder=context.blocks / source if context.blocks else None,
            scheduler=context.scheduler,
            workers=context.workers,
            progress=context.progress,
        ),
    )
    # In random order, so that the beginning of the draw is a draw itself.
    found = found[context.rng.permutation(len(found))]
    return Candidates(found["first"].astype(np.int64), found["second"].astype(np.int64), found["score"])


def _not_paraphrases(block: Frame) -> Allowed:
    """Keep the two sentences of a group of two apart: the paper pairs sentences of *different* paraphrase pairs."""
    twos = block.select(pl.when(pl.len().over("group") == 2).then("group"))["group"]
    codes = twos.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    return lambda first, second: (codes[first] == 0) | (codes[first] != codes[second])

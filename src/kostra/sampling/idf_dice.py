"""Pairs from percentiles of IDF-weighted Dice overlap, in exponentially growing numbers (STR-2021's Goodreads)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
import polars as pl
from pydantic import Field

from kostra.recipe import Strict
from kostra.sampling.buckets import (
    IntArray,
    by_source,
    each_text_once,
    even_counts,
    exponential_counts,
    nothing_fits,
    shortfall,
)
from kostra.sampling.mining import Bucket, Work, bucketed_pairs, gather
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences",)
WRITES = ("pairs",)
WORKS_IN_BLOCKS = True


class Options(Strict):
    """How many pairs, and how they grow from the lowest overlap to the highest."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    buckets: Annotated[int, Field(ge=1)] = 50
    """Equal percentiles of the overlap of random pairs."""
    growth: Literal["exponential", "even"] = "exponential"
    """Whether higher levels give exponentially more pairs, or all the same."""
    rate: Annotated[float, Field(ge=1, le=10)] = 1.1
    """How many times as many pairs a bucket gives as the one below it, if growth is exponential. The paper does not
    say; 1.1 makes 1,000 pairs of 50 buckets grow from 1 to 92."""
    examine: Annotated[int, Field(ge=1)] = 1_000_000
    """How many random pairs are looked at for the percentiles; all, if there are no more."""
    per_sentence: Annotated[int, Field(ge=0)] = 0
    """In how many pairs one sentence may stand; 0 is no limit."""


def idf_dice_pairs(
    texts: Sequence[str],
    *,
    counts: Sequence[int] | IntArray,
    examine: int = 1_000_000,
    per_sentence: int = 0,
    rng: np.random.Generator,
    work: Work | None = None,
) -> list[Bucket]:
    """Draw `counts` pairs from equal percentiles of IDF-weighted Dice overlap, from the lowest to the highest [1]_.

    Overlap is 2·Σ idf(shared words) / (Σ idf(first) + Σ idf(second)) with idf = ln(sentences / sentences with the
    word). Where most pairs share nothing, several of the lowest percentiles begin with 0 alike and draw from one pool.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related? Appendix
       A.1.3.

    Examples
    --------
    "a" and "c" stand in two of three sentences and weigh ln 1.5, "b" and "d" in one and weigh ln 3. Two of the three
    pairs share a word and have 2 ln 1.5 / (3 ln 1.5 + ln 3) each; so the upper half begins there.

    >>> low, high = idf_dice_pairs(["a b", "a c", "c d"], counts=[1, 1], rng=np.random.default_rng(1))
    >>> low.pairs["score"].tolist(), round(high.pairs["score"].item(), 3)
    ([0.0], 0.35)
    """
    return bucketed_pairs(
        gather(texts),
        measure="idf_dice",
        counts=[int(count) for count in counts],
        examine=examine,
        per_sentence=per_sentence,
        rng=rng,
        work=work,
    )


def bucket_counts(options: Options, total: int) -> IntArray:
    """How many pairs each bucket gives, from the lowest to the highest; they sum to the total."""
    rate = options.rate if options.growth == "exponential" else 1.0
    return exponential_counts(total, options.buckets, rate=rate)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """As many pairs as asked for, and how they grow."""
    counts = bucket_counts(options, options.pairs)
    says = f"draws {options.pairs:,} pairs from {inputs.get('sentences', 0):,} sentences, {counts[0]:,} from the lowest"
    says += f" and {counts[-1]:,} from the highest of {options.buckets} levels of weighted overlap"
    return Plan(says, {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw the pairs inside each source, as many from each as from the others."""
    sentences = each_text_once(inputs["sentences"], context)
    blocks = [(name, block) for name, block in by_source(sentences) if block.height > 1]
    if not blocks:
        raise nothing_fits(
            f"{sentences.height:,} sentences make no pair", context, accepted="two sentences of a source"
        )
    frames = []
    for (name, block), total in zip(blocks, even_counts(options.pairs, range(len(blocks))).tolist(), strict=True):
        buckets = idf_dice_pairs(
            block["text"].to_list(),
            counts=bucket_counts(options, total),
            examine=options.examine,
            per_sentence=options.per_sentence,
            rng=context.rng,
            work=Work(
                folder=context.blocks / name if context.blocks else None,
                scheduler=context.scheduler,
                workers=context.workers,
                progress=context.progress,
            ),
        )
        _report(buckets, name, context)
        drawn = np.concatenate([bucket.pairs for bucket in buckets])
        frames.append(
            pair_table(block, drawn["first"], drawn["second"], subset=context.step.name, overlap=drawn["score"])
        )
    pairs = pl.concat(frames)
    if pairs.height < options.pairs:
        context.note("fewer", f"{pairs.height:,} pairs instead of {options.pairs:,}: the sentences offer no more")
    return {"pairs": pairs}


def _report(buckets: Sequence[Bucket], source: str, context: Context) -> None:
    wanted = [bucket.wanted for bucket in buckets]
    said = f"{source}: {wanted[0]:,} to {wanted[-1]:,} pairs from each of {len(buckets)} percentiles of overlap"
    alike = sum(bucket.low == bucket.high for bucket in buckets[:-1])
    if alike:
        said += f", of which the {alike} lowest are alike: so many pairs have an overlap of {buckets[0].low:g}"
    context.note("buckets", said)
    names = [f"{number}: {bucket.low:.2f} to {bucket.high:.2f}" for number, bucket in enumerate(buckets, 1)]
    lacking = shortfall(wanted, [len(bucket.pairs) for bucket in buckets], names)
    if lacking:
        context.note("buckets", f"{source}: {lacking}")

"""Paraphrase pairs, evenly from equal percentiles of word overlap (STR-2021's Formality_pp and ParaNMT_pp)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field

from kostra.errors import some
from kostra.recipe import Strict
from kostra.sampling.buckets import FloatArray, IntArray, even_counts, nothing_fits, shortfall
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import dice, words

READS = ("sentences",)
WRITES = ("pairs",)


class Options(Strict):
    """How many pairs, from how many levels of overlap."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    buckets: Annotated[int, Field(ge=1)] = 100
    """Equal percentiles of the paraphrases' Dice overlap; each gives the same number of pairs."""


def percentile_draw(overlaps: FloatArray, *, buckets: int, count: int, rng: np.random.Generator) -> list[IntArray]:
    """Draw evenly from equal percentiles; return the places drawn from each bucket, from the lowest to the highest.

    The values are ranked, equal ones in random order, and cut into buckets of the same size; so a bucket is a
    percentile even where many values are equal. Where sizes or quotas do not divide, the same buckets, chosen at
    random, hold and give one more: whenever there are `count` values, `count` are drawn [1]_.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related? Appendix
       A.1.4 and A.2: "We then sample pairs uniformly from each bucket."

    Examples
    --------
    Of four values the lower two are the lower bucket; each bucket gives one.

    >>> low, high = percentile_draw(np.array([0.9, 0.1, 0.8, 0.2]), buckets=2, count=2, rng=np.random.default_rng(1))
    >>> low.item() in (1, 3), high.item() in (0, 2)
    (True, True)
    """
    shuffled = rng.permutation(len(overlaps))
    ranked = shuffled[np.argsort(overlaps[shuffled], kind="stable")]
    order = rng.permutation(buckets)
    sizes, wanted = even_counts(len(overlaps), order), even_counts(count, order)
    ends = np.cumsum(sizes)
    return [
        rng.permutation(ranked[end - size : end])[:asked] for size, end, asked in zip(sizes, ends, wanted, strict=True)
    ]


def couples(sentences: Frame, context: Context) -> IntArray:
    """The rows of the groups of exactly two sentences; other groups are counted and listed."""
    numbered = sentences.with_row_index("row").drop_nulls("group")
    groups = numbered.group_by("source", "group", maintain_order=True).agg("row")
    twos = groups.filter(pl.col("row").list.len() == 2)
    others = groups.filter(pl.col("row").list.len() != 2)
    if others.height:
        said = f"{others.height:,} of {groups.height:,} groups have not exactly two sentences and are left out"
        context.note("left_out", f"{said}: {some(others['group'])}")
    return np.array([rows.to_list() for rows in twos["row"]], dtype=np.int64).reshape(-1, 2)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    each = options.pairs / options.buckets
    says = f"draws {options.pairs:,} paraphrase pairs from {inputs.get('sentences', 0):,} sentences"
    return Plan(f"{says}, {each:g} from each of {options.buckets} levels of overlap", {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw among the groups of exactly two sentences."""
    sentences = inputs["sentences"]
    found = couples(sentences, context)
    if not len(found):
        raise nothing_fits(
            f"none of the {sentences.height:,} sentences stands in a group of two",
            context,
            accepted="sentences whose column `group` names the set of wordings they belong to",
        )
    texts = sentences["text"].to_list()
    overlaps = np.array([dice(words(texts[a]), words(texts[b])) for a, b in found.tolist()])
    parts = percentile_draw(overlaps, buckets=options.buckets, count=options.pairs, rng=context.rng)
    drawn = np.concatenate(parts)
    if len(drawn) < options.pairs:
        context.note("fewer", f"{len(drawn):,} pairs instead of {options.pairs:,}: there are {len(found):,} groups")
    wanted = [options.pairs // options.buckets] * options.buckets
    lacking = shortfall(wanted, [len(part) for part in parts], [f"percentile {n}" for n in range(1, len(parts) + 1)])
    if lacking:
        context.note("buckets", lacking)
    chosen = found[drawn]
    table = pair_table(sentences, chosen[:, 0], chosen[:, 1], subset=context.step.name, overlap=overlaps[drawn])
    return {"pairs": table}

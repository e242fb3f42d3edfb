"""Deals pairs, in whole groups, to named parts that depend on the seed only; passes on one part with its scores.

Several steps with the same `parts` and `whole` deal alike, whatever they are called: each passes on its own part, and
together they pass on everything once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
import polars as pl
from pydantic import Field, model_validator
from scipy import sparse
from scipy.sparse import csgraph

from kostra.errors import some
from kostra.recipe import Name, Strict
from kostra.sampling.buckets import nothing_fits
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("pairs",)
WRITES = ("pairs", "scores")

_STREAM = 0x686F6C64  # keeps the deal's random numbers apart from those that other steps make of the same seed


class Options(Strict):
    """The parts, and the one that this step passes on."""

    part: Name
    """One of the parts, or the rest."""
    parts: dict[Name, Annotated[int, Field(ge=1)]] = Field(min_length=1)
    """How many pairs each part gets at most."""
    rest: Name = "train"
    """What everything else is called."""
    whole: Literal["pair", "sentence_a", "sentence_b", "source", "subset"] = "pair"
    """The column whose equal values stay together; a pair and its reverse always do."""
    rest_share: Annotated[float, Field(ge=0, lt=1)] = 0.25
    """Least share of the pairs that is left for the rest. Where the parts ask for more than there is, they are made
    smaller in proportion."""

    @model_validator(mode="after")
    def _known(self) -> Options:
        if self.rest in self.parts:
            raise ValueError(f'"{self.rest}" is the name of the rest, and cannot be a part as well')
        if self.part not in (*self.parts, self.rest):
            raise ValueError(f'part "{self.part}" is none of {", ".join((*self.parts, self.rest))}')
        return self


def deal_groups(
    sizes: Mapping[str, int], wanted: Mapping[str, int], *, rng: np.random.Generator
) -> dict[str, list[str]]:
    """Deal whole groups to parts, in random order; a part takes what still fits, and never more than it wants.

    Examples
    --------
    Three groups of three: "test" wants six and gets two of them, "dev" wants four and one of them fits.

    >>> dealt = deal_groups({"s1": 3, "s2": 3, "s3": 3}, {"test": 6, "dev": 4}, rng=np.random.default_rng(1))
    >>> [len(groups) for groups in dealt.values()]
    [2, 1]
    """
    names = sorted(sizes)
    waiting = [names[place] for place in rng.permutation(len(names)).tolist()]
    dealt: dict[str, list[str]] = {}
    for part, most in wanted.items():
        taken, room = [], most
        for name in waiting:
            if sizes[name] <= room:
                taken.append(name)
                room -= sizes[name]
        dealt[part] = taken
        chosen = set(taken)
        waiting = [name for name in waiting if name not in chosen]
    return dealt


def fitted(parts: Mapping[str, int], total: int, *, rest_share: float) -> dict[str, int]:
    """The parts as they are or, where they would leave too little for the rest, smaller in proportion.

    Examples
    --------
    >>> fitted({"test": 1200, "preliminary": 60}, 126, rest_share=0.0)  # a tenth of 1,260
    {'test': 120, 'preliminary': 6}
    """
    asked, most = sum(parts.values()), total * (1 - rest_share)
    return dict(parts) if asked <= most else {name: int(count * most // asked) for name, count in parts.items()}


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """The part's size, as far as the number of pairs is known."""
    total = inputs.get("pairs", 0)
    sizes = fitted(options.parts, total, rest_share=options.rest_share) if total else dict(options.parts)
    count = sizes.get(options.part, max(total - sum(sizes.values()), 0))
    says = (
        f'passes on the part "{options.part}", about {count:,} of {total:,} pairs, in whole groups by {options.whole}'
    )
    return Plan(says, {"pairs": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Deal all pairs and keep one part."""
    pairs = inputs["pairs"]
    group = _groups(pairs, options, context)
    sizes = {str(name): int(count) for name, count in group.value_counts().iter_rows()}
    wanted = fitted(options.parts, pairs.height, rest_share=options.rest_share)
    if wanted != options.parts:
        made = ", ".join(f"{name} {count:,} instead of {options.parts[name]:,}" for name, count in wanted.items())
        context.note("smaller", f"{pairs.height:,} pairs are too few; {options.rest_share:.0%} stay the rest: {made}")
    rng = np.random.default_rng([context.recipe.recipe.seed, _STREAM])
    dealt = deal_groups(sizes, wanted, rng=rng)
    if options.part in dealt:
        chosen = group.is_in(dealt[options.part])
        lacking = wanted[options.part] - int(chosen.sum())
        if lacking:
            said = f"{int(chosen.sum()):,} pairs instead of {wanted[options.part]:,}: no whole group fits any more"
            context.note("fewer", said)
    else:
        chosen = ~group.is_in([name for names in dealt.values() for name in names])
    kept = pairs.filter(chosen)
    if kept.is_empty():
        raise nothing_fits(
            f'the part "{options.part}" gets none of the {pairs.height:,} pairs',
            context,
            remedy="make the other parts smaller, or bring more pairs",
        )
    scores = inputs.get("scores")
    if scores is None:
        return {"pairs": kept}
    return {"pairs": kept, "scores": scores.filter(pl.col("item").is_in(kept["pair"].implode()))}


def _groups(pairs: Frame, options: Options, context: Context) -> pl.Series:
    """What stays together, called by its first pair: a group, or a pair that names none, and the reverse of each."""
    alone = pairs.filter(pl.col(options.whole).is_null())
    if alone.height:
        said = f"{alone.height:,} pairs have no {options.whole} and are dealt each by itself"
        context.note("alone", f"{said}: {some(alone['pair'])}")
    # Each pair is bound to the first of its group, and to its reverse, which must not be on the other side.
    numbered = pairs.with_row_index("row")
    begins = numbered["row"].to_numpy().astype(np.int64)
    named = pl.col(options.whole).is_not_null()
    first = numbered.select(pl.when(named).then(pl.col("row").first().over(options.whole)).otherwise("row"))
    number = {name: row for row, name in enumerate(pairs["pair"])}
    reverse = [number.get(name, row) for row, name in enumerate(pairs["reverse"])]
    ends = np.concatenate([first.to_series().to_numpy().astype(np.int64), np.array(reverse, dtype=np.int64)])
    links = (np.ones(len(ends), dtype=np.int8), (np.tile(begins, 2), ends))
    graph = sparse.csr_array(links, shape=(pairs.height, pairs.height))
    _, together = csgraph.connected_components(graph, directed=False)
    return pairs.select(pl.col("pair").min().over(pl.Series("together", together)).alias("group"))["group"]

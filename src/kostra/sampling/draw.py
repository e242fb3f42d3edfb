"""Draws whole tuples, pairs or sentences at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
import polars as pl
from pydantic import Field

from kostra.recipe import Strict
from kostra.sampling.buckets import IntArray, nothing_fits
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame, schema_named

READS = ("tuples|pairs|sentences",)
WRITES = ("tuples", "pairs", "sentences")

Things = Literal["tuples", "pairs", "sentences"]


class Options(Strict):
    """How many of what."""

    count: Annotated[int, Field(ge=1)]
    """How many to draw."""
    of: Things = "tuples"
    """What to draw."""


def random_places(total: int, count: int, *, rng: np.random.Generator) -> IntArray:
    """Draw `count` of `total` places without replacement, in their order; all, if there are no more.

    Examples
    --------
    >>> random_places(3, 9, rng=np.random.default_rng(1)).tolist()
    [0, 1, 2]
    """
    return np.sort(rng.choice(total, size=min(count, total), replace=False))


def writes(options: Options) -> tuple[str, ...]:
    """Only the kind that is drawn."""
    return (options.of,)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many as asked for."""
    known = inputs.get(options.of)
    count = options.count if known is None else min(options.count, known)
    of_all = "" if known is None else f" of {known:,}"
    return Plan(f"draws {count:,}{of_all} {options.of}", {options.of: count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw by id, so that a tuple comes with all its places."""
    frame = inputs.get(options.of)
    if frame is None:
        raise nothing_fits(
            f"there are no {options.of} to draw from", context, remedy='say what to draw: `of = "pairs"`, say'
        )
    key = schema_named(options.of).key[0]
    ids = frame[key].unique(maintain_order=True)
    drawn = ids[random_places(len(ids), options.count, rng=context.rng)]
    if len(drawn) < options.count:
        context.note("fewer", f"{len(drawn):,} {options.of} instead of {options.count:,}: there are no more")
    return {options.of: frame.filter(pl.col(key).is_in(drawn.implode()))}

"""Pairs of sentences that stand in one group as wordings of one thing (STR-2021's ``_pp`` sets)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from kostra.errors import KostraError
from kostra.recipe import Strict
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import shared_share, words

READS = ("sentences",)
WRITES = ("pairs",)


class Options(Strict):
    """How many pairs, and which overlap they may have."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    low: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Least share of the first sentence's words that the second has, inclusive."""
    high: Annotated[float, Field(gt=0)] = 1.01
    """The share must stay below this."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    says = f"draws {options.pairs:,} paraphrase pairs from {inputs.get('sentences', 0):,} sentences"
    return Plan(says, {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw among the groups of exactly two sentences, at random."""
    sentences = inputs["sentences"].with_row_index("row")
    groups = sentences.drop_nulls("group").group_by("source", "group", maintain_order=True).agg("row")
    couples = [(int(rows[0]), int(rows[1])) for rows in groups["row"] if len(rows) == 2]
    if not couples:
        raise KostraError(
            f"none of the {sentences.height:,} sentences stands in a group of two",
            where=f'step "{context.step.name}"',
            accepted="sentences whose column `group` names the set of wordings they belong to",
        )
    texts = [words(text) for text in sentences["text"]]
    shares = np.array([shared_share(texts[a], texts[b]) for a, b in couples])
    fitting = np.flatnonzero((shares >= options.low) & (shares < options.high))
    if not len(fitting):
        raise KostraError(
            f"none of the {len(couples):,} groups of two shares {options.low:.0%} or more, and less than "
            f"{options.high:.0%}, of the first sentence's words",
            where=f'step "{context.step.name}"',
            remedy="lower `low` or raise `high`",
        )
    drawn = context.rng.permutation(fitting)[: options.pairs]
    if len(drawn) < options.pairs:
        context.note("fewer", f"{len(drawn):,} pairs instead of {options.pairs:,}: the groups offer no more")
    chosen = np.array(couples, dtype=np.int64)[drawn]
    table = pair_table(
        sentences.drop("row"), chosen[:, 0], chosen[:, 1], subset=context.step.name, overlap=shares[drawn]
    )
    return {"pairs": table}

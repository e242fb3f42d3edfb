"""Pairs seeds with their rewrites, or rewrites of one seed and kind with each other.

``seed_and_rewrite`` asks what lies between the two, or beyond the second; ``two_of_one_kind`` which of the two goes
further. The pair's `subset` is the kind of change. Sentences with the same text are one: there is nothing between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import numpy as np
import polars as pl
from pydantic import Field

from kostra.errors import KostraError, some, unknown
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import PAIRS, Frame, check

READS = ("sentences",)
WRITES = ("pairs",)


class Options(Strict):
    """Which rewrites, and with what."""

    of: Literal["seed_and_rewrite", "two_of_one_kind"]
    """Each seed with its rewrites, or two rewrites of one kind."""
    changes: tuple[str, ...] = ()
    """Kinds of rewrites; all that there are unless named."""
    with_seed: bool = False
    """For two of one kind: whether the seed counts among them."""
    at_most: Annotated[int, Field(ge=1)] | None = None
    """Pairs of one seed and kind, drawn at random where there are more; all unless said."""


@dataclass(frozen=True)
class Family:
    """What was made from one seed by one kind of change; texts are distinct, and none is the seed's."""

    seed: str
    change: str
    rewrites: tuple[str, ...]


@dataclass(frozen=True)
class Families:
    """All of them, and what is in none."""

    found: tuple[Family, ...]
    repeated: tuple[str, ...]
    """Rewrites whose text stands before them already, or is the seed's."""
    lost: tuple[str, ...]
    """Rewrites whose seed is not there."""


def families(sentences: Frame, changes: Sequence[str] = ()) -> Families:
    """Rewrites by seed and kind, in the order of the table.

    Examples
    --------
    >>> sentences = pl.DataFrame(
    ...     {
    ...         "sentence": ["s", "r1", "r2", "r3"], "text": ["It rains.", "It rained.", "It rained.", "It poured."],
    ...         "origin": [None, "s", "s", "s"], "change": [None, "past", "past", "past"],
    ...     }
    ... )  # fmt: skip
    >>> found = families(sentences)
    >>> found.found, found.repeated
    ((Family(seed='s', change='past', rewrites=('r1', 'r3')),), ('r2',))
    """
    texts = dict(sentences.select("sentence", "text").iter_rows())
    made: dict[tuple[str, str], dict[str, str]] = {}
    repeated, lost = [], []
    rewrites = sentences.drop_nulls(["origin", "change"])
    for sentence, text, origin, change in rewrites.select("sentence", "text", "origin", "change").iter_rows():
        if changes and change not in changes:
            continue
        if origin not in texts:
            lost.append(sentence)
            continue
        own = made.setdefault((origin, change), {})
        if text == texts[origin] or text in own:
            repeated.append(sentence)
        else:
            own[text] = sentence
    found = (Family(seed, change, tuple(own.values())) for (seed, change), own in made.items() if own)
    return Families(tuple(found), tuple(repeated), tuple(lost))


def ends_of(family: Family, options: Options, rng: np.random.Generator) -> list[tuple[str, str]]:
    """The pairs of one family: the seed before its rewrites; of two rewrites, either may stand first."""
    if options.of == "seed_and_rewrite":
        every = [(family.seed, rewrite) for rewrite in family.rewrites]
    else:
        members = (family.seed, *family.rewrites) if options.with_seed else family.rewrites
        every = list(combinations(members, 2))
    if options.at_most is not None and len(every) > options.at_most:
        drawn = sorted(rng.permutation(len(every))[: options.at_most].tolist())
        every = [every[place] for place in drawn]
    if options.of == "seed_and_rewrite":
        return every
    # Who stands first must not tell which one was written first, or is the seed.
    turned = (rng.random(len(every)) < 0.5).tolist()
    return [(two, one) if turn else (one, two) for (one, two), turn in zip(every, turned, strict=True)]


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """How many pairs there will be depends on who wrote what."""
    what = "each seed with its rewrites" if options.of == "seed_and_rewrite" else "two rewrites of one seed and kind"
    most = f", at most {options.at_most} per seed and kind" if options.at_most is not None else ""
    return Plan(f"pairs {what} among {inputs.get('sentences', 0):,} sentences{most}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Make the pairs; rewrites without a pair are counted."""
    sentences, where = inputs["sentences"], f'step "{context.step.name}"'
    known = sentences["change"].drop_nulls().unique(maintain_order=True).to_list()
    for change in options.changes:
        if change not in known:
            raise unknown("kind of rewrite", change, known, where=where)
    found = families(sentences, options.changes)
    ends = [(family, pair) for family in found.found for pair in ends_of(family, options, context.rng)]
    if not ends:
        raise KostraError(
            f"no two of {sentences.height:,} sentences make a pair",
            where=where,
            accepted="rewrites with origin and change, two different ones of a seed and kind to compare",
        )
    said = f"{len(ends):,} pairs of {len({family.seed for family in found.found}):,} seeds"
    context.note("pairs", f"{said} and {len({family.change for family in found.found}):,} kinds")
    for kind, names, why in (
        ("repeated", found.repeated, "have a text that stands there already"),
        ("lost", found.lost, "name a seed that is not there"),
    ):
        if names:
            context.note(kind, f"{len(names):,} rewrites {why}, and are left out: {some(names)}")
    return {"pairs": _table(sentences, ends)}


def _table(sentences: Frame, ends: Sequence[tuple[Family, tuple[str, str]]]) -> Frame:
    known = {name: (text, source) for name, text, source in sentences.select("sentence", "text", "source").iter_rows()}
    rows = [
        {
            "pair": f"{one}>{two}",
            "text_a": known[one][0],
            "text_b": known[two][0],
            "sentence_a": one,
            "sentence_b": two,
            "source": known[family.seed][1],
            "subset": family.change,
        }
        for family, (one, two) in ends
    ]
    return check(pl.DataFrame(rows, schema=PAIRS.dtypes), PAIRS, where="pairs of rewrites")

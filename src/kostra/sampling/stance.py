"""Pairs of opinions on one target, by quotas of equal and opposite stance (STR-2021's Stance pairs)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from kostra.errors import some, unknown
from kostra.recipe import Strict
from kostra.sampling.buckets import IntArray, each_text_once, even_quotas, nothing_fits, place
from kostra.sampling.pairing import pair_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences",)
WRITES = ("pairs",)

Count = Annotated[int, Field(ge=0)]


class Options(Strict):
    """The quotas. A sentence's group is its target, its label the stance."""

    pairs: Annotated[int, Field(ge=1)]
    """How many pairs to draw."""
    for_for: Count
    """How many pairs of two opinions for the target."""
    against_against: Count
    """How many pairs of two opinions against it."""
    for_against: Count
    """How many pairs of one for and one against it."""
    targets: tuple[str, ...] = ()
    """Targets to take; none is all."""
    in_favour: str = "for"
    """The label of those in favour."""
    against: str = "against"
    """The label of an opinion against the target."""

    @model_validator(mode="after")
    def _adds_up(self) -> Options:
        total = self.for_for + self.against_against + self.for_against
        if total != self.pairs:
            raise ValueError(f"for_for, against_against and for_against are {total} pairs, not {self.pairs}")
        if self.in_favour == self.against:
            raise ValueError("in_favour and against have the same label")
        return self


def equal_pairs(members: IntArray, count: int, *, rng: np.random.Generator) -> IntArray:
    """Draw different pairs of members, each of all n(n − 1)/2 as likely as any other, in random order of the two.

    Examples
    --------
    >>> sorted(sorted(pair) for pair in equal_pairs(np.array([3, 5, 8]), 9, rng=np.random.default_rng(1)).tolist())
    [[3, 5], [3, 8], [5, 8]]
    """
    n = len(members)
    total = n * (n - 1) // 2
    numbers = rng.choice(total, size=min(count, total), replace=False)
    # Pair number k of the triangle (1,0), (2,0), (2,1), (3,0), … has the row r with r(r − 1)/2 ≤ k.
    row = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    row -= row * (row - 1) // 2 > numbers  # roots are rounded
    row += (row + 1) * row // 2 <= numbers
    column = numbers - row * (row - 1) // 2
    return _turned(members[np.stack([row, column], axis=1)], rng)


def opposite_pairs(one: IntArray, other: IntArray, count: int, *, rng: np.random.Generator) -> IntArray:
    """Draw different pairs of a member of either side, in random order of the two.

    Examples
    --------
    >>> found = opposite_pairs(np.array([1, 2]), np.array([7]), 9, rng=np.random.default_rng(1))
    >>> sorted(sorted(pair) for pair in found.tolist())
    [[1, 7], [2, 7]]
    """
    total = len(one) * len(other)
    numbers = rng.choice(total, size=min(count, total), replace=False)
    first, second = np.divmod(numbers, max(len(other), 1))
    return _turned(np.stack([one[first], other[second]], axis=1), rng)


def _turned(pairs: IntArray, rng: np.random.Generator) -> IntArray:
    turned = rng.random(len(pairs)) < 0.5
    return np.where(turned[:, None], pairs[:, ::-1], pairs)


def stance_pairs(
    favour: Mapping[str, IntArray],
    against: Mapping[str, IntArray],
    *,
    quotas: tuple[int, int, int],
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray, IntArray]:
    """Draw pairs on one target: both for it, both against it, one of each [1]_.

    A quota is shared evenly among the targets; what one cannot give, the others do.

    Parameters
    ----------
    favour, against
        The numbers of the opinions on each target; both have the same targets.
    quotas
        Pairs for/for, against/against and for/against.

    References
    ----------
    .. [1] M. Abdalla, K. Vishnubhotla and S. M. Mohammad (2021). What makes sentences semantically related? Appendix
       A.1: 250 pairs of each kind, whatever words they share.

    Examples
    --------
    Three opinions for a target make three pairs, one against it makes none, and together they make three.

    >>> favour, against = {"tea": np.array([0, 1, 2])}, {"tea": np.array([3])}
    >>> [len(part) for part in stance_pairs(favour, against, quotas=(9, 9, 9), rng=np.random.default_rng(1))]
    [3, 0, 3]
    """
    both_for = _evenly({target: _triangle(len(rows)) for target, rows in favour.items()}, quotas[0])
    both_against = _evenly({target: _triangle(len(rows)) for target, rows in against.items()}, quotas[1])
    mixed = _evenly({target: len(rows) * len(against[target]) for target, rows in favour.items()}, quotas[2])
    return (
        _joined([equal_pairs(favour[target], count, rng=rng) for target, count in both_for.items()]),
        _joined([equal_pairs(against[target], count, rng=rng) for target, count in both_against.items()]),
        _joined([opposite_pairs(favour[target], against[target], n, rng=rng) for target, n in mixed.items()]),
    )


def _triangle(n: int) -> int:
    return n * (n - 1) // 2


def _evenly(offered: Mapping[str, int], quota: int) -> dict[str, int]:
    return dict(zip(offered, even_quotas(list(offered.values()), quota), strict=True))


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([np.zeros((0, 2), dtype=np.int64), *parts])


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most as many pairs as asked for."""
    quotas = f"{options.for_for:,} for/for, {options.against_against:,} against/against, {options.for_against:,} mixed"
    says = f"draws {options.pairs:,} pairs on one target from {inputs.get('sentences', 0):,} opinions: {quotas}"
    return Plan(says, {"pairs": options.pairs})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Draw the pairs of each kind; what a quota lacks is told and not made up by another kind."""
    opinions = _opinions(each_text_once(inputs["sentences"], context), options, context)
    targets = opinions["group"].unique(maintain_order=True).to_list()
    sides = []
    for label in (options.in_favour, options.against):
        stands = (opinions["label"] == label).to_numpy()
        sides.append({name: np.flatnonzero(stands & (opinions["group"] == name).to_numpy()) for name in targets})
    quotas = (options.for_for, options.against_against, options.for_against)
    parts = stance_pairs(sides[0], sides[1], quotas=quotas, rng=context.rng)
    drawn = _joined(list(parts))
    if not len(drawn):
        raise nothing_fits(f"no two of the {opinions.height:,} opinions have one target and a wanted stance", context)
    for name, asked, part in zip(("for/for", "against/against", "for/against"), quotas, parts, strict=True):
        if len(part) < asked:
            context.note("fewer", f"{len(part):,} {name} pairs instead of {asked:,}: the opinions offer no more")
    return {"pairs": pair_table(opinions, drawn[:, 0], drawn[:, 1], subset=context.step.name)}


def _opinions(sentences: Frame, options: Options, context: Context) -> Frame:
    """The sentences with a wanted target and one of the two stances; the others are counted."""
    known = sentences["group"].drop_nulls().unique(maintain_order=True).to_list()
    for target in options.targets:
        if target not in known:
            raise unknown("target", target, known, where=place(context))
    wanted = pl.col("group").is_in(list(options.targets) or known) & pl.col("label").is_in(
        [options.in_favour, options.against]
    )
    kept = sentences.filter(wanted.fill_null(False))
    left_out = sentences.filter(~wanted.fill_null(False))
    if left_out.height:
        labels = some(f"{label or 'no stance'}" for label in left_out["label"].unique(maintain_order=True))
        said = f"{left_out.height:,} of {sentences.height:,} sentences have no wanted target or stance ({labels})"
        context.note("left_out", f"{said}: {some(left_out['sentence'])}")
    if kept.is_empty():
        raise nothing_fits(
            f"none of the {sentences.height:,} sentences is an opinion on a target",
            context,
            accepted=f'sentences whose group is the target and whose label is "{options.in_favour}" or '
            f'"{options.against}"',
        )
    return kept

"""Joins the pairs of several strategies, none twice, and says what the sampling favours.

How the pairs compare with the corpus they were drawn from is told by ``sampling/bias``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from kostra import tables
from kostra.errors import some
from kostra.recipe import Strict
from kostra.sampling.buckets import nothing_fits
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import bare, dice, words

READS = ("pairs",)
WRITES = ("pairs",)

TABLE = "favours.csv"
"""One row per strategy, in the step's folder."""


class Options(Strict):
    """A pool has no options."""


def repeated(first: Sequence[str], second: Sequence[str], linked: Sequence[bool] | None = None) -> list[int]:
    """The rows of pairs that an earlier pair has already, in either order, white space and punctuation aside.

    A pair that is linked to its reverse is no repetition of that.

    Examples
    --------
    >>> repeated(["A b.", "C", "a"], ["C", "A  b", "C"])
    [1]
    >>> repeated(["A b.", "C", "C"], ["C", "A  b", "A b"], [True, True, False])
    [2]
    """
    either: set[frozenset[str]] = set()
    one_way: set[tuple[str, str]] = set()
    rows = []
    for row, (a, b) in enumerate(zip(first, second, strict=True)):
        pair = (bare(a), bare(b))
        directed = linked is not None and linked[row]
        if frozenset(pair) in either or pair in one_way or (not directed and pair[::-1] in one_way):
            rows.append(row)
        elif directed:
            one_way.add(pair)
        else:
            either.add(frozenset(pair))
    return rows


def favours(pairs: Frame) -> Frame:
    """What each strategy's pairs are like: number, mean Dice overlap, mean difference in length, reuse of sentences.

    Examples
    --------
    >>> pairs = pl.DataFrame({"subset": ["x", "x"], "text_a": ["a b", "a b"], "text_b": ["a c", "d e f g"]})
    >>> favours(pairs).row(0)  # overlaps 2·1/4 and 0; lengths 2 and 2, then 2 and 4; "a b" stands twice
    ('x', 2, 0.25, 0.25, 3, 2)
    """
    rows = []
    for (subset,), block in pairs.group_by("subset", maintain_order=True):
        sides = [(words(a), words(b)) for a, b in block.select("text_a", "text_b").iter_rows()]
        uses = pl.concat([block["text_a"], block["text_b"].alias("text_a")]).value_counts()["count"]
        overlap = float(np.mean([dice(a, b) for a, b in sides]))
        apart = float(np.mean([abs(len(a) - len(b)) / max(len(a), len(b), 1) for a, b in sides]))
        rows.append((subset, block.height, overlap, apart, uses.len(), int(uses.max() or 0)))  # type: ignore[arg-type]
    names = ("subset", "pairs", "mean_overlap", "mean_length_difference", "sentences", "most_uses")
    return pl.DataFrame(rows, schema=names, orient="row")


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most all pairs."""
    count = inputs.get("pairs", 0)
    return Plan(f"joins {count:,} pairs, none twice", {"pairs": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Keep the first of several equal pairs; tell the others."""
    pairs = inputs["pairs"]
    if pairs.is_empty():
        raise nothing_fits("there are no pairs to join", context)
    linked = pairs["reverse"].is_not_null().to_list()
    twice = repeated(pairs["text_a"].to_list(), pairs["text_b"].to_list(), linked)
    if twice:
        said = f"{len(twice):,} of {pairs.height:,} pairs repeat an earlier one, in either order, and are left out"
        context.note("left_out", f"{said}: {some(pairs['pair'][twice])}")
    kept = pairs.with_row_index("row").filter(~pl.col("row").is_in(twice)).drop("row")
    alike = kept.filter(pl.Series([bare(a) == bare(b) for a, b in kept.select("text_a", "text_b").iter_rows()]))
    if alike.height:
        context.note("alike", f"{alike.height:,} pairs consist of one text twice: {some(alike['pair'])}")
    found = favours(kept)
    tables.write(found, context.folder / TABLE)
    for subset, count, overlap, apart, sentences, most in found.iter_rows():
        said = f"{count:,} pairs of {sentences:,} sentences, the most used in {most}; mean overlap {overlap:.2f}"
        context.note("favours", f"{subset or 'no strategy'}: {said}, mean difference in length {apart:.0%}")
    return {"pairs": kept}

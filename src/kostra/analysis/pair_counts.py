"""How many pairs each source and each strategy gave: what a paper's table of its material says (STR-2021, Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from kostra import figures, tables
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

READS = ("pairs",)
WRITES = ("statistics",)
ALL = "all"


class Options(Strict):
    """There is nothing to choose."""


def pair_counts(pairs: Frame) -> Frame:
    """Pairs by source and, within it, by strategy; a source with several strategies is summed up first, all at last.

    Returns
    -------
    Frame
        ``source``, ``subset`` (empty in sums), ``pairs`` and their ``share`` of all.

    Examples
    --------
    >>> pairs = pl.DataFrame({"source": ["wiki", "wiki", "sts", "wiki"], "subset": ["pp", "r", "sts", "r"]})
    >>> pair_counts(pairs).select("source", "subset", "pairs").rows()
    [('wiki', '', 3), ('wiki', 'pp', 1), ('wiki', 'r', 2), ('sts', 'sts', 1), ('all', '', 4)]
    """
    named = pairs.select(pl.col("source").fill_null("no source"), pl.col("subset").fill_null(""))
    rows: list[tuple[str, str, int]] = []
    for (source,), own in named.group_by("source", maintain_order=True):
        apart = own.group_by("subset", maintain_order=True).len().rows()
        rows += [(str(source), "", own.height)] if len(apart) > 1 else []
        rows += [(str(source), subset, count) for subset, count in apart]
    rows.append((ALL, "", named.height))
    schema = {"source": pl.String, "subset": pl.String, "pairs": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(share=pl.col("pairs") / max(named.height, 1))


def pairs_figure(found: Frame) -> Figure:
    """Bars of the counts, one per strategy, in the order of the sources.

    Examples
    --------
    >>> rows = {"source": ["sts", "all"], "subset": ["sts pairs", ""], "pairs": [250, 250]}
    >>> print(pairs_figure(pl.DataFrame(rows)).get_label())
    Pairs by source and strategy
    sts, sts pairs: pairs 250.00.
    """
    counted = found.filter((pl.col("source") != ALL) & (pl.col("subset") != ""))
    shown = counted.select("source", "subset", "pairs").iter_rows()
    bars = [figures.Bar(f"{source}, {subset}", "pairs", count) for source, subset, count in shown]
    return figures.bars(bars, x_label="pairs", title="Pairs by source and strategy")


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One table."""
    return Plan(f"counts {inputs.get('pairs', 0):,} pairs by source and strategy")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Write the counts as pair_counts.csv and pair_counts.svg, and as statistics."""
    found = pair_counts(inputs["pairs"])
    tables.write(found, context.folder / "pair_counts.csv")
    figures.save_all(pairs_figure(found), context.folder / "pair_counts")
    total = inputs["pairs"].height
    estimates = {
        f"pairs_{source}{'_' if subset else ''}{subset}": Estimate(count, n=total, note=f"{share:.1%} of all pairs")
        for source, subset, count, share in found.iter_rows()
    }
    return {"statistics": statistics_table(estimates, question=context.recipe.score.question)}

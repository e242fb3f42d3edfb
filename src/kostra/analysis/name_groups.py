"""Groups the free names of rewrites, as proposed by likeness or decided by a person, and counts their shares.

Every distinct name with its proposed group lies in ``proposals.csv``; a copy of it, mended by hand, or the site's page
(``/admin/CAMPAIGN/names``) makes the decisions, which lie in the project's data. ``name_groups.csv`` and
``name_groups.svg`` have the shares (COSTRA 1.0, Table 1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from kostra import figures, tables
from kostra.analysis.diagonal_filter import share
from kostra.campaign.naming import (
    Groups,
    NamingOptions,
    given_names,
    plain_name,
    propose,
    read_groups,
    settled,
)
from kostra.errors import KostraError, some
from kostra.evaluate.models import in_project, model_files, plan_with_encoders
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Finding, Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 15
"""Groups that the figure shows; the table has all."""


@dataclass(frozen=True)
class NameGroup:
    """One kind of change, by whatever names."""

    group: str
    rewrites: int
    """How many rewrites have one of its names."""
    share: Estimate
    """Of all rewrites, with Wilson's interval."""
    names: tuple[tuple[str, int], ...]
    """Its names with how often each was given, the most frequent first."""
    example: bool
    """Whether it has the name of an example that annotators saw."""


def name_groups(
    names: Mapping[str, int], groups: Mapping[str, str], *, examples: tuple[str, ...] = ()
) -> list[NameGroup]:
    """Count names by group, the largest first.

    Parameters
    ----------
    names
        Plain name → how often it was given (`kostra.campaign.naming.counted`).
    groups
        Plain name → its group.
    examples
        Names of the examples that annotators saw.

    Examples
    --------
    >>> found = name_groups({"ban": 2, "a ban": 1, "louder": 1}, {"ban": "ban", "a ban": "ban", "louder": "louder"})
    >>> [(one.group, one.rewrites, one.share.value) for one in found]
    [('ban', 3, 0.75), ('louder', 1, 0.25)]
    """
    shown = {groups.get(plain, plain) for plain in map(plain_name, examples)}
    members: dict[str, list[tuple[str, int]]] = {}
    for name, count in names.items():
        members.setdefault(groups[name], []).append((name, count))
    total = sum(names.values())
    found = []
    for group, own in members.items():
        count = sum(often for _, often in own)
        ordered = tuple(sorted(own, key=lambda one: (-one[1], one[0])))
        found.append(NameGroup(group, count, _share(count, total), ordered, group in shown))
    return sorted(found, key=lambda one: (-one.rewrites, one.group))


def _share(count: int, total: int) -> Estimate:
    import numpy as np

    return share(np.arange(total) < count)


def shares_table(found: list[NameGroup]) -> Frame:
    """One row per group: Table 1."""
    return pl.DataFrame(
        {
            "group": [one.group for one in found],
            "rewrites": [one.rewrites for one in found],
            "share": [one.share.value for one in found],
            "low": [one.share.low for one in found],
            "high": [one.share.high for one in found],
            "names": [len(one.names) for one in found],
            "example": ["yes" if one.example else "no" for one in found],
            "called": [some((f"{name} ({count})" for name, count in one.names), 8) for one in found],
        }
    )


def shares_figure(found: list[NameGroup]) -> Figure:
    """Bars of the shares, the largest groups first.

    Examples
    --------
    >>> found = name_groups({"ban": 3, "louder": 1}, {"ban": "ban", "louder": "louder"})
    >>> shares_figure(found).get_label().splitlines()[0]
    'Ideas for rewrites, by group of names'
    """
    bars = [
        figures.Bar(one.group, "share", *(100 * end for end in (one.share.value, one.share.low, one.share.high)))
        for one in found[:SHOWN]
    ]
    return figures.bars(bars, x_label="share of all ideas (%)", title="Ideas for rewrites, by group of names")


# The step ----------------------------------------------------------------------------------------------

READS = ("judgments",)
WRITES = ("statistics",)
WAITS = True  # for a model that a person must bring
Options = NamingOptions


def plan(inputs: Mapping[str, int], options: NamingOptions, context: Context) -> Plan:
    """Groups of names; a mistake in the person's table shows before anything runs."""
    path = context.project / options.groups
    if path.is_file():
        read_groups(path)
    decided = f"as decided in {options.groups}" if path.is_file() else f"as {options.encoder} and spelling propose"
    says = f'groups the names among {inputs.get("judgments", 0):,} judgments ("{options.question}"), {decided}'
    return plan_with_encoders(says, [options.encoder], context)


def watches(options: NamingOptions, context: Context) -> list[Path]:
    """What the person decided, and a model that lies in the project."""
    return [context.project / options.groups, *model_files([options.encoder], context)]


def run(inputs: Inputs, options: NamingOptions, context: Context) -> dict[str, Frame]:
    """Propose, take over what a person decided, count."""
    names = given_names(inputs["judgments"], options.question)
    if not names:
        asked = some(inputs["judgments"]["question"].unique(maintain_order=True))
        raise KostraError(
            f'nobody has answered the question "{options.question}"',
            where=f'step "{context.step.name}"',
            accepted=asked or "answers to it",
        )
    model = in_project(options.encoder, context.project)
    proposed = propose(names, encoder=model, threshold=options.threshold, examples=options.examples)
    tables.write(_listed(names, proposed), context.folder / "proposals.csv")
    groups = _settled(names, proposed, options, context)
    found = name_groups(names, groups, examples=options.examples)
    tables.write(shares_table(found), context.folder / "name_groups.csv")
    figures.save_all(shares_figure(found), context.folder / "name_groups")
    context.note("names", f"{names.total():,} ideas have {len(names):,} different names, in {len(found):,} groups")
    return {"statistics": _statistics(found, names, options, context)}


def _settled(names: Counter[str], proposed: Groups, options: NamingOptions, context: Context) -> Groups:
    path = context.project / options.groups
    if not path.is_file():
        said = f"nobody has looked at the proposed groups yet: copy proposals.csv to {options.groups} and mend it"
        context.note("undecided", f"{said}, or use the site's page")
        return proposed
    decided, lines = read_groups(path)
    strange = [line for name, line in lines.items() if name not in names]
    if strange:
        said = f"{len(strange):,} names that nobody gave are passed over"
        context.findings.append(Finding("strange_names", said, str(path), tuple(sorted(strange))))
    later = [name for name in names if name not in decided]
    if later:
        context.note("undecided", f"{len(later):,} names have no group yet and go with their likes: {some(later)}")
    return settled(proposed, decided)


def _listed(names: Counter[str], groups: Groups) -> Frame:
    """The proposals in the form in which decisions are read, with how often each name was given."""
    rows = sorted(((name, groups[name], count) for name, count in names.items()), key=lambda one: (one[1], -one[2]))
    return pl.DataFrame(rows, schema={"name": pl.String, "group": pl.String, "rewrites": pl.Int64}, orient="row")


def _statistics(found: list[NameGroup], names: Counter[str], options: NamingOptions, context: Context) -> Frame:
    total = names.total()
    made = {
        "ideas": Estimate(total, n=total),
        "different_names": Estimate(len(names), n=total),
        "groups_of_names": Estimate(len(found), n=len(names)),
    }
    if options.examples:
        imitated = sum(one.rewrites for one in found if one.example)
        made["share_like_an_example"] = _share(imitated, total)
        known = {plain for one in found for plain, _ in one.names}
        unused = [name for name in options.examples if plain_name(name) not in known]
        if unused:
            context.note("examples", f"nobody used the names of {len(unused)} examples: {some(unused)}")
    parts = [statistics_table(made, question=options.question)]
    parts += [statistics_table({"share_of_ideas": one.share}, question=one.group) for one in found[:SHOWN]]
    return pl.concat(parts)

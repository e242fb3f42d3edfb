"""Proposes pairs whose scores cover the scale, from which a person chooses (Czech News STS).

The proposals stand in ``proposals.csv`` in the step's folder. Once a person has settled the choice in the file that the
recipe names (a table with the column ``pair``), those pairs are passed on, in its order; until then, the first
proposals are, and the step says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some, unknown
from kostra.recipe import Name, Strict
from kostra.sampling.buckets import FloatArray, IntArray, nothing_fits, scores_of
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("pairs", "scores")
WRITES = ("pairs",)

PROPOSALS = "proposals.csv"


class Options(Strict):
    """How many pairs, by which score, and where the choice is settled."""

    pairs: Annotated[int, Field(ge=2)] = 6
    """How many pairs, spread over the scale."""
    question: Name
    """The question of the scores that are to cover the scale."""
    chosen: str = ""
    """A table with the column ``pair``, written by a person, relative to the project's folder."""
    low: float | None = None
    """Ends of the scale; the recipe's, if not said."""
    high: float | None = None
    """Upper end of the scale; the recipe's unless said."""
    proposals: Annotated[int, Field(ge=1)] = 5
    """How many pairs are proposed for each point."""


def covering(
    scores: FloatArray, points: Sequence[float] | FloatArray, *, each: int = 1, rng: np.random.Generator
) -> list[IntArray]:
    """For each point of the scale, the places of the scores nearest to it; no place twice, ties at random [1]_.

    The nearest of each point are found first, then the second nearest, and so on.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Section 4.2: six pairs, "manually chosen so that their STS scores cover the full annotation scale".

    Examples
    --------
    >>> found = covering(np.array([5.5, 0.2, 2.9]), [0, 3, 6], rng=np.random.default_rng(1))
    >>> [places.tolist() for places in found]
    [[1], [2], [0]]
    """
    free = np.ones(len(scores), dtype=np.bool_)
    found: list[list[int]] = [[] for _ in points]
    for _ in range(each):
        for proposals, point in zip(found, points, strict=True):
            if not free.any():
                break
            apart = np.where(free, np.abs(scores - point), np.inf)
            nearest = np.flatnonzero(apart == apart.min())
            taken = int(rng.choice(nearest))
            free[taken] = False
            proposals.append(taken)
    return [np.array(places, dtype=np.int64) for places in found]


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """As many pairs as asked for."""
    settled = bool(options.chosen) and (context.project / options.chosen).is_file()
    how = (
        f"takes the {options.pairs} pairs settled in {options.chosen}" if settled else f"proposes {options.pairs} pairs"
    )
    says = f"{how}, of {inputs.get('pairs', 0):,}, whose {options.question} covers the scale"
    return Plan(says, {"pairs": options.pairs})


def watches(options: Options, context: Context) -> list[Path]:
    """What a person settled."""
    return [context.project / options.chosen] if options.chosen else []


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Propose, and pass on what a person settled or else the first proposals."""
    scored = _scored(inputs, options, context)
    low = context.recipe.score.low if options.low is None else options.low
    high = context.recipe.score.high if options.high is None else options.high
    points = np.linspace(low, high, options.pairs)
    places = covering(scored["score"].to_numpy(), points, each=options.proposals, rng=context.rng)
    rows = [(point, rank, row) for point, found in zip(points.tolist(), places, strict=True)
            for rank, row in enumerate(found.tolist(), 1)]  # fmt: skip
    listed = scored[[row for _, _, row in rows]].select("pair", "score", "text_a", "text_b")
    numbers = pl.DataFrame({"point": [point for point, _, _ in rows], "rank": [rank for _, rank, _ in rows]})
    tables.write(pl.concat([numbers, listed], how="horizontal"), context.folder / PROPOSALS)
    if options.chosen and (context.project / options.chosen).is_file():
        kept = _settled(scored, options, context)
    else:
        kept = scored[[int(found[0]) for found in places if len(found)]]
        said = f"{kept.height} proposed pairs stand in until a person has settled the choice"
        context.note("proposed", f"{said} in {options.chosen or 'a file named by `chosen`'}; see {PROPOSALS}")
    _cover(kept, low, high, options, context)
    return {"pairs": kept.drop("score")}


def _scored(inputs: Inputs, options: Options, context: Context) -> Frame:
    scored = scores_of(inputs, options.question, context)
    if scored.height < options.pairs:
        raise nothing_fits(
            f"{scored.height:,} pairs have a score of {options.question}; {options.pairs} are asked for",
            context,
            remedy="bring more pairs, or lower `pairs`",
        )
    return scored


def _settled(scored: Frame, options: Options, context: Context) -> Frame:
    """The pairs that a person named, in that order."""
    path = context.project / options.chosen
    cells, lines = tables.read_cells(path)
    where = files.shown(path)
    if "pair" not in cells:
        raise unknown("column", "pair", cells, where=f"{where}:1")
    ids = tables.as_text(cells["pair"], where=where, lines=lines, column="pair")
    known = {name: row for row, name in enumerate(scored["pair"])}
    for name, line in zip(ids, lines, strict=True):
        if name not in known:
            what = f'found "{name}"'
            accepted = f"pairs that this step reads and that have a {options.question}, such as {some(known, 3)}"
            raise KostraError(what, where=f'{where}:{line}: column "pair"', accepted=accepted)
    if len(set(ids)) != len(ids) or len(ids) != options.pairs:
        what = f"found {len(set(ids)):,} different pairs in {len(ids):,} rows"
        raise KostraError(what, where=where, accepted=f"{options.pairs} different pairs, as the recipe says")
    return scored[[known[name] for name in ids]]


def _cover(kept: Frame, low: float, high: float, options: Options, context: Context) -> None:
    """Say how well the scale is covered."""
    scores = np.sort(kept["score"].to_numpy())
    gap = float(np.max(np.diff(np.concatenate([[low], scores, [high]]))))
    said = some((f"{score:g}" for score in scores.tolist()), 12)
    context.note("covers", f"scores {said} on the scale {low:g} to {high:g}; the widest gap is {gap:g}")
    even = (high - low) / (options.pairs - 1)
    if gap > even + 1e-9:
        context.note("gap", f"{options.pairs} pairs could cover the scale with gaps of {even:g}: no scores lie there")

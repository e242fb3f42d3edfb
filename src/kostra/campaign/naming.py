"""Free names for one thing, grouped: what a program proposes, what a person decides, and the file that keeps it.

People who name what they did call one change by many names. `propose` clusters the names by how they are written and by
what an encoder makes of them; a person merges, splits and renames the groups, on the site's page
(`kostra.annotate.grouping`) or by hand in a table with the columns ``name`` and ``group``. What the person says stands;
names that came later are joined to the group that most of their likes are in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field
from rapidfuzz import fuzz, process
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from kostra import files, tables
from kostra.encoders import Encoder, embed, unit
from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict
from kostra.tables import Frame

COLUMNS = ("name", "group")
LONGEST = 200
"""Characters of a name of a group that a person may write."""
_MARKS = " \t\n.,;:!?…–—-\"'„“”‚‘’«»()[]"


class NamingOptions(Strict):
    """Whose answers are names, and how they are put together."""

    question: Name = "rewrite_name"
    """The question whose answers are free names."""
    encoder: str = "static"
    """Whose vectors say which names mean the same; how they are written counts as much."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.6
    """Mean similarity, from 0 to 1, above which names are proposed as one group."""
    groups: str = "data/name_groups.csv"
    """Where in the project the person's decisions lie."""
    examples: tuple[str, ...] = ()
    """Names of the examples that annotators saw: how many imitate them is counted."""


Groups = dict[str, str]
"""Plain name → name of its group."""


def plain_name(name: str) -> str:
    """A name without what does not tell names apart: capitals, spacing, punctuation around it.

    Examples
    --------
    >>> plain_name(" Less  formal. ")
    'less formal'
    """
    return " ".join(name.casefold().split()).strip(_MARKS)


def counted(names: Iterable[str | None]) -> Counter[str]:
    """Plain names with how often each was given, the most frequent first; what is empty is no name.

    Examples
    --------
    >>> counted(["Less formal", "less formal.", "a ban", "…"])
    Counter({'less formal': 2, 'a ban': 1})
    """
    found = Counter(plain for name in names if name is not None and (plain := plain_name(name)))
    return Counter(dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))))


def given_names(judgments: Frame, question: str) -> Counter[str]:
    """The names that stand among accepted answers."""
    asked = judgments.filter((pl.col("question") == question) & (pl.col("status") == "answered"))
    return counted(asked["value"])


def named_texts(judgments: Frame, question: str, about: str) -> dict[str, str]:
    """Plain name → the first text that was given that name.

    Parameters
    ----------
    about
        The question whose answers were named: on one screen there are as many names as texts, in the same order.

    Examples
    --------
    >>> answers = pl.DataFrame(
    ...     {
    ...         "item": ["h"] * 4, "annotator": ["otter"] * 4, "status": ["answered"] * 4,
    ...         "question": ["text", "text", "name", "name"], "value": ["It rained.", "Rain!", "past", "louder"],
    ...     }
    ... )  # fmt: skip
    >>> named_texts(answers, "name", "text")
    {'past': 'It rained.', 'louder': 'Rain!'}
    """
    screens = judgments.filter(pl.col("status") == "answered").group_by("item", "annotator", maintain_order=True)
    sides = screens.agg(
        pl.col("value").filter(pl.col("question") == side).alias(side) for side in dict.fromkeys((question, about))
    )
    found: dict[str, str] = {}
    for names, texts in sides.select(question, about).iter_rows():
        for name, text in zip(names, texts, strict=False):
            found.setdefault(plain_name(name), text)
    return found


# What a program proposes -----------------------------------------------------------------------------------


def likeness(names: Sequence[str], encoder: Encoder | str) -> NDArray[np.float64]:
    """How alike names are, from 0 to 1: the mean of string similarity, words in any order, and cosine.

    Examples
    --------
    >>> likeness(["less formal", "formal less"], "static").round(2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    written = np.asarray(process.cdist(names, names, scorer=fuzz.token_sort_ratio), dtype=np.float64) / 100
    vectors = np.asarray(unit(embed(encoder, list(names))), dtype=np.float64)
    meant = np.clip(vectors @ vectors.T, 0.0, 1.0)
    both = (written + meant) / 2
    np.fill_diagonal(both, 1.0)
    return np.asarray((both + both.T) / 2)


def propose(
    names: Mapping[str, int],
    *,
    encoder: Encoder | str = "static",
    threshold: float = 0.6,
    examples: Iterable[str] = (),
) -> Groups:
    """Cluster names by average linkage; a group is called by the example in it, else by its most frequent name.

    Parameters
    ----------
    names
        Plain name → how often it was given.
    examples
        Names of different things, as annotators were shown them: however alike they look, no two are in one group.

    Examples
    --------
    >>> propose({"less formal": 3, "formal less": 1, "a ban": 2})
    {'less formal': 'less formal', 'formal less': 'less formal', 'a ban': 'a ban'}
    >>> propose({"change of aspect": 2, "change of asset": 2, "of asset change": 1}, examples=["change of asset"])
    {'change of aspect': 'change of asset', 'change of asset': 'change of asset', 'of asset change': 'change of asset'}
    >>> propose({"change of aspect": 2, "change of asset": 2}, examples=["change of aspect", "change of asset"])
    {'change of aspect': 'change of aspect', 'change of asset': 'change of asset'}
    """
    every = list(names)
    if len(every) < 2:
        return {name: name for name in every}
    alike = likeness(every, encoder)
    apart = 1 - alike
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(np.clip(apart, 0.0, 1.0), checks=False), method="average")
    clusters: dict[int, list[int]] = {}
    for row, place in enumerate(fcluster(tree, t=1 - threshold, criterion="distance").tolist()):
        clusters.setdefault(place, []).append(row)
    shown = {plain_name(example) for example in examples}
    found: Groups = {}
    for rows in clusters.values():
        heads = [row for row in rows if every[row] in shown]
        heads = heads or [min(rows, key=lambda row: (-names[every[row]], every[row]))]
        found |= {every[row]: every[max(heads, key=lambda head: float(alike[row, head]))] for row in rows}
    return {name: found[name] for name in every}


# What a person decides -------------------------------------------------------------------------------------


def settled(proposed: Mapping[str, str], decided: Mapping[str, str]) -> Groups:
    """The groups in the end: what was decided, and for other names what their likes say.

    Examples
    --------
    *b* was proposed with *a*, of which a person has said that it is X; *c* is like nothing that was decided.

    >>> settled({"a": "a", "b": "a", "c": "c"}, {"a": "X"})
    {'a': 'X', 'b': 'X', 'c': 'c'}
    """
    beside: dict[str, Counter[str]] = {}
    for name, group in proposed.items():
        if name in decided:
            beside.setdefault(group, Counter())[decided[name]] += 1
    return {
        name: decided[name] if name in decided else _most(beside.get(group)) or group
        for name, group in proposed.items()
    }


def _most(found: Counter[str] | None) -> str | None:
    return min(found, key=lambda group: (-found[group], group)) if found else None


def read_groups(path: str | Path) -> tuple[Groups, dict[str, int]]:
    """What a person decided, and the line on which each name stands.

    Raises
    ------
    KostraError
        With file and line: a column that is missing, an empty cell, a name twice (once plain: see `plain_name`).
    """
    cells, lines = tables.read_cells(path)
    where = files.shown(path)
    for column in COLUMNS:
        if column not in cells:
            found = some(cells) or "no column"
            raise KostraError(
                f'column "{column}" is missing; found {found}', where=f"{where}:1", accepted=", ".join(COLUMNS)
            )
    texts = {column: tables.as_text(cells[column], where=where, lines=lines, column=column) for column in COLUMNS}
    groups: Groups = {}
    stands: dict[str, int] = {}
    for name, group, line in zip(texts["name"], texts["group"], lines, strict=True):
        for column, text in (("name", plain_name(name)), ("group", group.strip())):
            if not text:
                place = f'{where}:{line}: column "{column}"'
                raise KostraError("found nothing", where=place, accepted=_ACCEPTED[column])
        plain = plain_name(name)
        if plain in stands:
            raise KostraError(
                f'the name "{plain}" stands twice (lines {stands[plain]} and {line})',
                where=f"{where}:{line}",
                accepted="each name once: capitals, spacing and punctuation around it do not tell names apart",
            )
        groups[plain], stands[plain] = " ".join(group.split()), line
    return groups, stands


_ACCEPTED = {"name": "a name that an annotator gave", "group": "the name of the group that it belongs to"}


def write_groups(groups: Mapping[str, str], path: str | Path) -> None:
    """Write the decisions whole or not at all, group by group."""
    rows = sorted(((name, group) for name, group in groups.items()), key=lambda one: (one[1], one[0]))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    tables.write(frame, place)


def merged(groups: Mapping[str, str], which: Iterable[str], into: str) -> Groups:
    """Several groups become one.

    Examples
    --------
    >>> merged({"a": "x", "b": "y", "c": "z"}, ["x", "y"], "x or y")
    {'a': 'x or y', 'b': 'x or y', 'c': 'z'}
    """
    wanted, called = set(which), group_name(into)
    return {name: called if group in wanted else group for name, group in groups.items()}


def moved(groups: Mapping[str, str], names: Iterable[str], into: str) -> Groups:
    """Some names go into a group, which may be a new one: so groups are split.

    Examples
    --------
    >>> moved({"a": "x", "b": "x"}, ["b"], "of its own")
    {'a': 'x', 'b': 'of its own'}
    """
    wanted, called = set(names), group_name(into)
    return {name: called if name in wanted else group for name, group in groups.items()}


def group_name(said: str) -> str:
    """A name for a group, as a person wrote it; an empty one or one without end is refused."""
    called = " ".join(said.split())
    if not called:
        raise KostraError("a group needs a name", accepted="a few words")
    if len(called) > LONGEST:
        raise KostraError(f"a group's name has {len(called):,} characters", accepted=f"at most {LONGEST}")
    return called

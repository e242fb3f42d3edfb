"""Seeds, their rewrites and how people compared them, as numbers: what the tasks of COSTRA start from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.errors import KostraError
from kostra.scoring.comparisons import VALUES, compared
from kostra.tables import Frame

IntArray = NDArray[np.int64]
SEED = "seed"


@dataclass(frozen=True)
class Comparison:
    """What people said of two sentences: the first is more formal, general, … than the second, or less, or neither."""

    first: int
    second: int
    value: str
    kind: str | None
    """The change by whose measure the two were compared."""


@dataclass(frozen=True, eq=False)
class Rewrites:
    """Sentences as rows from 0.

    Examples
    --------
    >>> made = rewrites_of(_example())
    >>> made.kinds, made.seed.tolist(), made.of_kind("past").tolist()
    (('seed', 'past', 'past'), [0, 0, 0], [1, 2])
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    seed: IntArray
    """Per sentence, the row of the seed it was made from; its own row for a seed."""
    kinds: tuple[str, ...]
    """Per sentence, the change that made it; ``seed`` for a seed."""
    comparisons: tuple[Comparison, ...] = ()
    lost: int = 0
    """Rewrites whose seed is not there; they are left out."""

    def of_kind(self, kind: str) -> IntArray:
        """Rows of the rewrites of one kind."""
        return np.flatnonzero(np.array(self.kinds) == kind)

    def changes(self) -> list[str]:
        """The kinds of rewrites, by name."""
        return sorted(set(self.kinds) - {SEED})


def plain_kind(change: str) -> str:
    """One name for one kind of change: blanks for underscores, and no number behind it.

    Examples
    --------
    >>> plain_kind("formal_sentence"), plain_kind("paraphrase_2")
    ('formal sentence', 'paraphrase')
    """
    return re.sub(r"[ _]\d+$", "", change).replace("_", " ")


def rewrites_of(
    sentences: Frame, pairs: Frame | None = None, judgments: Frame | None = None, scores: Frame | None = None
) -> Rewrites:
    """Number the sentences, and find the comparisons.

    Comparisons are labels of pairs among the scores (majorities that were taken already); else answers, of which the
    majority is taken where it is known who gave them, and which count as they stand where it is not: a release without
    names holds majorities.
    """
    ids, texts = sentences["sentence"].to_list(), sentences["text"].to_list()
    place = {name: row for row, name in enumerate(ids)}
    origins, changes = sentences["origin"].to_list(), sentences["change"].to_list()
    seed = [_seed_of(row, place, origins, changes) for row in range(len(ids))]
    kept = [row for row, found in enumerate(seed) if found is not None]
    where = {row: number for number, row in enumerate(kept)}
    place = {ids[row]: where[row] for row in kept}
    return Rewrites(
        tuple(ids[row] for row in kept),
        tuple(texts[row] for row in kept),
        np.array([where[found] for row in kept if (found := seed[row]) is not None], dtype=np.int64),
        tuple(SEED if changes[row] is None else plain_kind(changes[row]) for row in kept),
        tuple(_comparisons(place, pairs, judgments, scores)) if pairs is not None else (),
        len(ids) - len(kept),
    )


def _seed_of(
    row: int, place: dict[str, int], origins: Sequence[str | None], changes: Sequence[str | None]
) -> int | None:
    """Go up from rewrite to rewrite until a sentence that nobody made from another; None where the way is lost."""
    for _ in range(len(origins) + 1):
        if changes[row] is None:
            return row
        above = origins[row]
        if above is None or above not in place:
            return None
        row = place[above]
    raise KostraError("rewrites are made from each other in a circle", where="sentences")


def _comparisons(
    place: dict[str, int], pairs: Frame, judgments: Frame | None, scores: Frame | None
) -> list[Comparison]:
    ends = pairs.drop_nulls(["sentence_a", "sentence_b"]).select(
        "pair", first="sentence_a", second="sentence_b", type="subset"
    )
    said = _said(ends, judgments, scores)
    return [
        Comparison(place[one], place[two], value, None if kind is None else plain_kind(kind))
        for one, two, value, kind in said.select("first", "second", "value", "type").iter_rows()
        if one in place and two in place
    ]


def _said(ends: Frame, judgments: Frame | None, scores: Frame | None) -> Frame:
    if scores is not None:
        labels = scores.drop_nulls("label").with_columns(value=pl.col("label").str.replace_all(" ", "_"))
        known = labels.filter(pl.col("value").is_in(list(VALUES)))
        if known.height:
            return ends.join(known.select("value", pair="item"), on="pair", how="inner", maintain_order="left")
    if judgments is None:
        return ends.head(0).with_columns(value=pl.lit(None, dtype=pl.String))
    answered = judgments.filter(pl.col("status") == "answered").with_columns(pl.col("value").str.replace_all(" ", "_"))
    answers = answered.filter(pl.col("value").is_in(list(VALUES)))
    joined = answers.join(ends, left_on="item", right_on="pair", how="inner", maintain_order="left")
    if joined["annotator"].null_count() == joined.height:
        return joined.unique(["item", "value"], maintain_order=True)
    majority = compared(joined.select("item", "first", "second", "type", "value")).labels
    return majority.drop_nulls("label").rename({"label": "value"})


def _example() -> Frame:
    return pl.DataFrame(
        {
            "sentence": ["a", "b", "c"],
            "text": ["It rains.", "It rained.", "It had rained."],
            "origin": [None, "a", "b"],
            "change": [None, "past", "past"],
        }
    )

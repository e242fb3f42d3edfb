"""Answers as numbers: items × annotators, most cells empty. What scores and statistics of reliability start from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.errors import KostraError, some
from kostra.tables import Frame

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Answers to one question, one entry per answer.

    An answer is a number (`values` of ratings) or one of some labels (`values` are then their codes 0, 1, … and
    `labels` their names). A missing answer has no entry.
    """

    items: tuple[str, ...]
    item: IntArray
    """Per answer, the row of `items`."""
    values: FloatArray
    """Per answer, the number, or the code of the label."""
    annotators: tuple[str, ...] | None = None
    """None where the answers are anonymous: statistics that need to know who answered must refuse, and say why."""
    annotator: IntArray | None = None
    """Per answer, the row of `annotators`."""
    labels: tuple[str, ...] | None = None
    """Names of the codes, for labels; None for numbers."""

    def __post_init__(self) -> None:
        who = self.annotator
        if self.item.shape != self.values.shape or (who is not None and who.shape != self.values.shape):
            raise ValueError("each answer needs an item, and an annotator where there are annotators")
        if not np.isfinite(self.values).all():
            raise ValueError("an answer is a finite number; a missing answer has no entry")

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return len(self.values)

    def who(self, purpose: str) -> IntArray:
        """Per answer, who gave it; refused with the reason where the answers are anonymous."""
        if self.annotator is None:
            raise KostraError(
                f"{purpose} needs to know who gave which answer, and these answers are anonymous",
                accepted="answers with an annotator each; columns without names are not annotators",
            )
        return self.annotator


def ratings_from(
    items: Sequence[str], values: Sequence[str | float], annotators: Sequence[str] | None = None
) -> Ratings:
    """Number items, annotators and labels in order of appearance; all-numeric values stay numbers.

    One annotator's second answer to an item is refused: repeats are a statistic of their own. So is NaN, or nothing,
    for an answer: a missing answer has no entry.

    Examples
    --------
    >>> found = ratings_from(["p", "p", "q"], ["1", "2.5", "0"], ["ann", "bob", "ann"])
    >>> found.values.tolist(), found.annotators, found.labels
    ([1.0, 2.5, 0.0], ('ann', 'bob'), None)
    >>> ratings_from(["p", "q"], ["neutral", "entailment"]).labels
    ('neutral', 'entailment')
    """
    item_names, item = _numbered(items)
    _refuse_nothing(items, values)
    numbers = [number_of(value) for value in values]
    labels: tuple[str, ...] | None = None
    if all(number is not None for number in numbers):
        coded = np.array(numbers, dtype=np.float64)
    else:
        labels, codes = _numbered([str(value) for value in values])
        coded = codes.astype(np.float64)
    if annotators is None:
        return Ratings(item_names, item, coded, labels=labels)
    names, annotator = _numbered(annotators)
    _refuse_twice(item_names, item, names, annotator)
    return Ratings(item_names, item, coded, names, annotator, labels)


def ratings_from_matrix(matrix: FloatArray, annotators: Sequence[str] | None = None) -> Ratings:
    """Numbers as items × annotators, NaN where there is no answer; items are named by their row, from 1.

    Parameters
    ----------
    matrix
        One row per item.
    annotators
        Their names, one per column; without names the columns are taken as anonymous.

    Examples
    --------
    >>> ratings_from_matrix(np.array([[1.0, np.nan], [2.0, 3.0]])).values.tolist()
    [1.0, 2.0, 3.0]
    """
    given = ~np.isnan(matrix)
    item, column = np.nonzero(given)
    items = tuple(map(str, range(1, len(matrix) + 1)))
    if annotators is None:
        return Ratings(items, item, matrix[given])
    if len(annotators) != matrix.shape[1]:
        raise ValueError(f"{len(annotators)} names for {matrix.shape[1]} columns")
    return Ratings(items, item, matrix[given], tuple(annotators), column)


def ratings_of(judgments: Frame, question: str, *, phases: Sequence[str] = (), blocks: Sequence[str] = ()) -> Ratings:
    """The accepted answers to one question of a judgments table.

    Parameters
    ----------
    phases, blocks
        Only these; by default all but the blocks called "repeat", which hold second answers of the same people.
    """
    wanted = (pl.col("question") == question) & (pl.col("status") == "answered")
    wanted &= pl.col("block").is_in(list(blocks)) if blocks else pl.col("block") != "repeat"
    if phases:
        wanted &= pl.col("phase").is_in(list(phases))
    asked = judgments.filter(wanted)
    if not asked.height:
        known = judgments["question"].unique(maintain_order=True).to_list()
        limits = "".join(
            f" in the {kind} {some(names)}" for kind, names in (("phases", phases), ("blocks", blocks)) if names
        )
        raise KostraError(f'there is no accepted answer to "{question}"{limits}', accepted=some(known, 12))
    who = asked["annotator"]
    annotators = None if who.null_count() else who.to_list()
    return ratings_from(asked["item"].to_list(), asked["value"].to_list(), annotators)


def number_of(value: str | float | None) -> float | None:
    """The finite number that an answer is, or None.

    Examples
    --------
    >>> number_of("2.5"), number_of("4o"), number_of("nan")
    (2.5, None, None)
    """
    if value is None or (isinstance(value, str) and not _NUMBER.fullmatch(value)):
        return None
    number = float(value)
    return number if np.isfinite(number) else None


def _refuse_nothing(items: Sequence[str], values: Sequence[str | float]) -> None:
    empty = [item for item, value in zip(items, values, strict=True) if value is None or value != value or value == ""]
    if empty:
        raise KostraError(
            f"{len(empty):,} answers are empty or NaN: on {some(empty)}",
            accepted="a number or a label; a missing answer has no row",
        )


def _numbered(names: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    first: dict[str, int] = {}
    numbers = np.array([first.setdefault(name, len(first)) for name in names], dtype=np.int64)
    return tuple(first), numbers


def _refuse_twice(items: tuple[str, ...], item: IntArray, names: tuple[str, ...], annotator: IntArray) -> None:
    cells = item * len(names) + annotator
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    twice = first[counts > 1]
    if len(twice):
        shown = [f"{names[annotator[place]]} on {items[item[place]]}" for place in twice]
        raise KostraError(
            f"{len(twice):,} annotators answered an item more than once: {some(shown)}",
            accepted="one answer per item and annotator",
            remedy="mark earlier answers as superseded, or measure repeats with the intra-annotator statistic",
        )

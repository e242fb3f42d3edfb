"""Sentence numbers become a table of pairs: what every pair strategy ends with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.tables import PAIRS, Frame, check


def pair_table(
    sentences: Frame,
    first: NDArray[np.int64] | Sequence[int],
    second: NDArray[np.int64] | Sequence[int],
    *,
    subset: str,
    overlap: NDArray[np.float64] | Sequence[float] | None = None,
) -> Frame:
    """Pair the sentences of the given rows.

    A pair's id is made of its sentences' ids, so that it does not depend on what else was drawn. A plus inside an id
    becomes ``%2B`` (and a percent sign ``%25``), so that different sentences never make one id.

    Examples
    --------
    >>> rows = {"sentence": ["s1", "s2"], "text": ["A.", "B."], "source": ["x", "x"], "language": ["en", "en"]}
    >>> pair_table(pl.DataFrame(rows), [0], [1], subset="demo")["pair"].to_list()
    ['s1+s2']
    """
    left = sentences[np.asarray(first, dtype=np.int64)]
    right = sentences[np.asarray(second, dtype=np.int64)]
    frame = pl.DataFrame(
        {
            "pair": _without_plus(left["sentence"]) + "+" + _without_plus(right["sentence"]),
            "text_a": left["text"],
            "text_b": right["text"],
            "sentence_a": left["sentence"],
            "sentence_b": right["sentence"],
            "source": left["source"],
            "subset": pl.Series([subset] * left.height, dtype=pl.String),
            "overlap": pl.Series(overlap if overlap is not None else [None] * left.height, dtype=pl.Float64),
        }
    )
    return check(frame, PAIRS, where=f"pairs of {subset}")


def _without_plus(ids: pl.Series) -> pl.Series:
    return ids.str.replace_all("%", "%25", literal=True).str.replace_all("+", "%2B", literal=True)

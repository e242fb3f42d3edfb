"""Best–worst answers to scores and their reliability, in one call: what the NRC scripts do."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kostra.errors import KostraError
from kostra.reliability.split_half import SplitHalf, split_half_best_worst, split_half_disjoint_best_worst
from kostra.resample import seeded
from kostra.scoring.counting import count_scores
from kostra.sources.best_worst import BestWorstAnswers, read_best_worst
from kostra.tables import Frame


@dataclass(frozen=True)
class BestWorst:
    """Scores of best–worst answers and how far to trust them."""

    scores: Frame
    """Columns item, score, raw, appearances, standard_error; best first."""
    items: int
    tuples: int
    answers: int
    annotators: int | None
    split_half: SplitHalf
    split_half_disjoint: SplitHalf
    warnings: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """Everything but the scores, ready for JSON; what is undefined is None."""
        return {
            "items": self.items,
            "tuples": self.tuples,
            "answers": self.answers,
            "annotators": self.annotators,
            "split_half": _plain(self.split_half),
            "split_half_disjoint": _plain(self.split_half_disjoint),
            "warnings": list(self.warnings),
        }


def _plain(result: SplitHalf) -> dict[str, float | int | None]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(result).items()
    }


def bws(
    answers: str | Path,
    *,
    trials: int = 1000,
    seed: int = 0,
    items: tuple[str, ...] | None = None,
    best: str | None = None,
    worst: str | None = None,
    annotator: str | None = None,
    merge_near_duplicates: bool = False,
) -> BestWorst:
    """Score best–worst answers by counting and measure their split-half reliability.

    Parameters
    ----------
    answers
        A table of answers: ``Item1, …, Item4, BestItem, WorstItem`` and maybe ``Annotator`` (see
        `kostra.sources.best_worst.read_best_worst` for other names).
    trials
        Random splits per reliability.
    seed
        The same seed gives the same figures.
    items, best, worst, annotator
        Names of the columns, where they are others.
    merge_near_duplicates
        Treat items that differ only in white space and punctuation as one.

    Returns
    -------
    BestWorst
        Two reliabilities: ``split_half`` splits the answers to each tuple, as the NRC script does;
        ``split_half_disjoint`` splits whole tuples, so that it also sees the error from a tuple's company.
    """
    rng = seeded(seed)
    if trials < 1:
        raise KostraError(f"the number of trials is {trials}", accepted="a whole number from 1")
    read = read_best_worst(
        answers, items=items, best=best, worst=worst, annotator=annotator, merge_near_duplicates=merge_near_duplicates
    )
    arrays = (read.tuples, read.best, read.worst)
    count = len(read.items)
    inside = split_half_best_worst(*arrays, items=count, trials=trials, rng=rng)
    disjoint = split_half_disjoint_best_worst(*arrays, items=count, trials=trials, rng=rng)
    groups = len(np.unique(np.sort(read.tuples, axis=1), axis=0))
    return BestWorst(
        scores=_score_table(read),
        items=count,
        tuples=groups,
        answers=len(read.best),
        annotators=len(set(read.annotators) - {""}) if read.annotators is not None else None,
        split_half=inside,
        split_half_disjoint=disjoint,
        warnings=(*(str(finding) for finding in read.findings), *_doubts(inside, groups, len(read.best))),
    )


def _score_table(read: BestWorstAnswers) -> Frame:
    counts = count_scores(read.tuples, read.best, read.worst, items=len(read.items))
    columns = {
        "item": list(read.items),
        "score": counts.score,
        "raw": counts.raw,
        "appearances": counts.appearances,
        "standard_error": counts.standard_error,
    }
    return (
        pl.DataFrame(columns)
        .with_columns(pl.col("standard_error").fill_nan(None))
        .sort(["score", "item"], descending=[True, False])
    )


def _doubts(result: SplitHalf, tuples: int, answers: int) -> list[str]:
    """Say where the reliability rests on less than it seems to."""
    doubts = []
    if answers < 2 * tuples:
        doubts.append(
            f"{tuples:,} tuples have only {answers:,} answers: a tuple with one answer lies wholly in one half, "
            "so that split_half compares different tuples for it"
        )
    if result.left_out > 0:
        doubts.append(f"split_half leaves out {result.left_out:,.1f} of {result.items:,} items per trial on average")
    if result.undefined:
        doubts.append(f"{result.undefined:,} of {result.trials:,} trials have no correlation")
    return doubts

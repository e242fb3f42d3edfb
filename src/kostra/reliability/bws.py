"""Best–worst answers to scores and their reliability, in one call: what the NRC scripts do."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from kostra.errors import KostraError, unknown
from kostra.figures import histogram
from kostra.reliability.split_half import SplitHalf, split_half_best_worst, split_half_disjoint_best_worst
from kostra.reliability.split_half_choice import split_half_choice, split_half_disjoint_choice
from kostra.resample import seeded
from kostra.scoring.choice import ChoiceModel, choice_scores
from kostra.scoring.choice_annotators import choice_annotator_scores
from kostra.scoring.counting import count_scores, counting_is_biased
from kostra.sources.best_worst import BestWorstAnswers, read_best_worst
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Method = Literal["counting", "choice", "choice-annotators"]
METHODS = ("counting", "choice", "choice-annotators")


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

    def figure(self) -> Figure:
        """How the scores are spread."""
        return histogram({"items": self.scores["score"].to_list()}, low=0, high=1, x_label="score", y_label="items")


def _plain(result: SplitHalf) -> dict[str, float | int | None]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(result).items()
    }


def bws(
    answers: str | Path,
    *,
    method: Method = "counting",
    trials: int | None = None,
    seed: int = 0,
    items: tuple[str, ...] | None = None,
    best: str | None = None,
    worst: str | None = None,
    annotator: str | None = None,
    merge_near_duplicates: bool = False,
) -> BestWorst:
    """Score best–worst answers and measure their split-half reliability.

    Parameters
    ----------
    method
        ``counting`` (share best less share worst), ``choice`` (the best–worst choice model, which knows the company an
        item was shown in) or ``choice-annotators`` (the same, with careless annotators weighing less).
    answers
        A table of answers: ``Item1, …, Item4, BestItem, WorstItem`` and maybe ``Annotator`` (see
        `kostra.sources.best_worst.read_best_worst` for other names).
    trials
        Random splits per reliability: 1,000 for counting and 200 for the choice models, unless said.
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
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if trials is not None and trials < 1:
        raise KostraError(f"the number of trials is {trials}", accepted="a whole number from 1")
    read = read_best_worst(
        answers, items=items, best=best, worst=worst, annotator=annotator, merge_near_duplicates=merge_near_duplicates
    )
    if read.adaptive and method == "counting":
        raise counting_is_biased()
    inside, disjoint = _reliability(read, method, trials, rng)
    scores, doubts = _scores(read, method)
    groups = len(np.unique(np.sort(read.tuples, axis=1), axis=0))
    doubts += _doubts(inside, groups, len(read.best))
    return BestWorst(
        scores=scores,
        items=len(read.items),
        tuples=groups,
        answers=len(read.best),
        annotators=len(set(read.annotators) - {""}) if read.annotators is not None else None,
        split_half=inside,
        split_half_disjoint=disjoint,
        warnings=(*(str(finding) for finding in read.findings), *doubts),
    )


def _reliability(
    read: BestWorstAnswers, method: Method, trials: int | None, rng: np.random.Generator
) -> tuple[SplitHalf, SplitHalf]:
    arrays = (read.tuples, read.best, read.worst)
    count = len(read.items)
    if method == "counting":
        splits = trials or 1000
        return (
            split_half_best_worst(*arrays, items=count, trials=splits, rng=rng),
            split_half_disjoint_best_worst(*arrays, items=count, trials=splits, rng=rng),
        )
    splits = trials or 200
    return (
        split_half_choice(*arrays, items=count, trials=splits, rng=rng),
        split_half_disjoint_choice(*arrays, items=count, trials=splits, rng=rng),
    )


def _scores(read: BestWorstAnswers, method: Method) -> tuple[Frame, list[str]]:
    """Scores by the asked method, best first, and what must be said about the fit."""
    if method == "counting":
        return _score_table(read), []
    if method == "choice":
        model = choice_scores(read.tuples, read.best, read.worst, items=len(read.items))
        doubts = []
    else:
        model = _with_annotators(read)
        doubts = ["split halves are those of the choice model without annotators: a half has too few answers of each"]
    if not model.converged:
        doubts.append(f"the choice model did not converge: {model.message}")
    columns = {
        "item": list(read.items),
        "score": model.score,
        "raw": model.z,
        "appearances": model.appearances,
        "standard_error": model.score_error,
    }
    return _best_first(columns), doubts


def _with_annotators(read: BestWorstAnswers) -> ChoiceModel:
    if read.annotators is None or "" in read.annotators:
        raise KostraError(
            "the method choice-annotators needs to know who gave every answer",
            accepted="a column Annotator without empty cells",
            remedy="name the column with --annotator, or use --method choice",
        )
    names = {name: number for number, name in enumerate(dict.fromkeys(read.annotators))}
    who = np.array([names[name] for name in read.annotators], dtype=np.int64)
    arrays = (read.tuples, read.best, read.worst, who)
    return choice_annotator_scores(*arrays, items=len(read.items), people=len(names)).model


def _score_table(read: BestWorstAnswers) -> Frame:
    counts = count_scores(read.tuples, read.best, read.worst, items=len(read.items))
    columns = {
        "item": list(read.items),
        "score": counts.score,
        "raw": counts.raw,
        "appearances": counts.appearances,
        "standard_error": counts.standard_error,
    }
    return _best_first(columns)


def _best_first(columns: dict[str, Any]) -> Frame:
    frame = pl.DataFrame(columns).with_columns(pl.col("standard_error").fill_nan(None))
    return frame.sort(["score", "item"], descending=[True, False])


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

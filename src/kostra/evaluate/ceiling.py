"""What people themselves reach, in the same figures as encoders: the ceiling to read any result against.

Three rows, wherever the raw answers are known: one person (or one answer) against the mean of the rest; two halves of
the answers against each other; and the squared error that even a perfect model has against a mean of few answers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from kostra.correlate import row_correlations, row_ranks
from kostra.errors import KostraError
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.ratings import FloatArray, Ratings, ratings_of
from kostra.reliability import Estimate
from kostra.reliability.inter_annotator import inter_annotator
from kostra.reliability.oracle_bound import oracle_bound
from kostra.reliability.split_half import SplitHalf, split_half_best_worst, split_half_ratings
from kostra.scoring.counting import best_worst_table

PEOPLE = "people"
"""The protocol of rows that tell about people and not about an encoder; their encoder begins with this word too."""
TRIALS = 200


def ceilings(
    data: Dataset, question: str, *, rng: np.random.Generator, samples: int = 1000, prefix: str = "cosine"
) -> tuple[Evaluation, ...]:
    """The rows about people for one question of a dataset; none where no answers were released.

    Parameters
    ----------
    prefix
        How the figures of the encoders begin, so that people's stand in the same columns.
    """
    if data.judgments is None:
        return ()
    found: dict[str, dict[str, Estimate]] = {}
    if data.tuples is not None and {"best", "worst"} <= set(data.judgments["question"]):
        found = _of_best_worst(data, rng)
    elif (data.judgments["question"] == question).any():
        found = _of_ratings(data, question, rng, samples)
    return tuple(_row(data, name, estimates, prefix) for name, estimates in found.items())


def _row(data: Dataset, name: str, estimates: Mapping[str, Estimate], prefix: str) -> Evaluation:
    measures = tuple(
        Measure(
            WHOLE,
            f"{prefix}_{figure}",
            _known(one.value),
            _known(one.low),
            _known(one.high),
            one.n,
            one.note,
        )
        for figure, one in estimates.items()
    )
    return Evaluation(
        encoder=f"{PEOPLE}: {name}",
        dataset=data.name,
        task="relatedness",
        measures=measures,
        languages=data.languages,
        protocol=PEOPLE,
        similarity=PEOPLE,
    )


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _of_best_worst(data: Dataset, rng: np.random.Generator) -> dict[str, dict[str, Estimate]]:
    assert data.tuples is not None
    assert data.judgments is not None
    table = best_worst_table(data.tuples, data.judgments)
    here = set(data.pairs["pair"])
    compared = np.array([place for place, item in enumerate(table.items) if item in here], dtype=np.int64)
    halves = split_half_best_worst(
        table.tuples, table.best, table.worst, items=len(table.items), compared=compared, trials=TRIALS, rng=rng
    )
    return _halves(halves)


def _of_ratings(data: Dataset, question: str, rng: np.random.Generator, samples: int) -> dict[str, dict[str, Estimate]]:
    assert data.judgments is not None
    wanted = data.judgments.filter(pl.col("item").is_in(data.pairs["pair"].implode()))
    try:
        ratings = ratings_of(wanted, question)
    except KostraError:  # no accepted answer to this question is about a pair of this dataset
        return {}
    if ratings.labels is not None:
        return {}
    found: dict[str, dict[str, Estimate]] = {}
    if ratings.annotator is None:
        found["one answer against the rest"] = one_against_rest(ratings, rng=rng)
    else:
        known = inter_annotator(ratings, samples=samples, rng=rng)
        found["one against the rest"] = {name: known[name] for name in ("spearman", "pearson", "mse")}
    halves = split_half_ratings(ratings.item, ratings.values, items=len(ratings.items), trials=TRIALS, rng=rng)
    found |= _halves(halves)
    found["any model at best"] = {"mse": oracle_bound(ratings, rng=rng, samples=max(samples, 1))}
    return found


def _halves(found: SplitHalf) -> dict[str, dict[str, Estimate]]:
    spread = {"spearman": found.spearman_sd, "pearson": found.pearson_sd}
    halves = {"spearman": found.spearman, "pearson": found.pearson}
    return {
        "half against half": {
            name: Estimate(value, n=found.items, note=f"mean of {found.trials} random splits, sd {spread[name]:.4f}")
            for name, value in halves.items()
        },
        "all against as many others": {
            name: Estimate(stepped_up(value), n=found.items, note="split half, stepped up by Spearman and Brown")
            for name, value in halves.items()
        },
    }


def stepped_up(half: float) -> float:
    """The reliability of twice as many answers, 2r / (1 + r) (Spearman, 1910; Brown, 1910).

    Examples
    --------
    >>> stepped_up(0.5)
    0.6666666666666666
    """
    return 2 * half / (1 + half) if half > -1 else float("nan")


def one_against_rest(ratings: Ratings, *, rng: np.random.Generator, trials: int = TRIALS) -> dict[str, Estimate]:
    """One answer to each item, drawn at random, against the mean of the others; averaged over draws.

    For anonymous answers, where the columns of a release are not fixed people: what a stand-in for any one of them
    reaches. Items with one answer are left out.

    Examples
    --------
    Both answers to an item are the same, so that whichever is drawn equals the other.

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q", "r", "r"], [1, 1, 3, 3, 2, 2])
    >>> found = one_against_rest(answers, rng=np.random.default_rng(1), trials=3)
    >>> {name: round(estimate.value, 6) for name, estimate in found.items()}
    {'spearman': 1.0, 'pearson': 1.0, 'mse': 0.0}
    """
    often = np.bincount(ratings.item, minlength=len(ratings.items))
    order = np.argsort(ratings.item, kind="stable")
    starts = np.cumsum(often) - often
    enough = np.flatnonzero(often >= 2)
    note = f"mean of {trials} draws of one answer per item; who answered is not known"
    if len(enough) < 2:
        undefined = Estimate(np.nan, n=len(enough), note="undefined: fewer than two items have two answers")
        return dict.fromkeys(("spearman", "pearson", "mse"), undefined)
    values = ratings.values[order]
    sums = np.bincount(ratings.item, ratings.values, minlength=len(ratings.items))[enough]
    picked = starts[enough] + (rng.random((trials, len(enough))) * often[enough]).astype(np.int64)
    one = values[picked]
    rest: FloatArray = ((sums - one) / (often[enough] - 1)).round(12)
    figures = {
        "spearman": row_correlations(row_ranks(one), row_ranks(rest)),
        "pearson": row_correlations(one, rest),
        "mse": ((one - rest) ** 2).mean(axis=1),
    }
    return {
        name: Estimate(
            float(found[np.isfinite(found)].mean()) if np.isfinite(found).any() else np.nan, n=len(enough), note=note
        )
        for name, found in figures.items()
    }

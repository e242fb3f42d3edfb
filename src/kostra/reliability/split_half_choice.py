"""Split-half reliability under the best–worst choice model: both halves are fitted, then correlated.

The halves are those of `kostra.reliability.split_half`, so that the figures stand beside the counted ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kostra.correlate import row_correlations, row_ranks
from kostra.reliability.split_half import BoolArray, SplitHalf, halves, same_set, summary
from kostra.scoring.choice import Answers, fitted, gathered, posterior_mode
from kostra.scoring.counting import FloatArray, IntArray, check_answers


def split_half_choice(
    tuples: IntArray,
    best: IntArray,
    worst: IntArray,
    *,
    items: int,
    trials: int = 200,
    rng: np.random.Generator,
) -> SplitHalf:
    """Split the answers to each tuple in two, fit the choice model to both halves, correlate.

    The twin of `kostra.reliability.split_half.split_half_best_worst`, with the scores of
    `kostra.scoring.choice.choice_scores` [1]_ in place of counted ones; parameters, results and errors are its own.
    The prior's width is chosen once, from all answers: a property of the noise, not of the order of the items. Latent
    values are correlated; an item that one half did not show is left out.

    References
    ----------
    .. [1] A. A. J. Marley and J. J. Louviere (2005). Some probabilistic models of best, worst, and best–worst
       choices. Journal of Mathematical Psychology 49, 464–480.

    Examples
    --------
    Two people gave the same answer to the one tuple, so that the halves are equal however they are drawn.

    >>> tuples = np.array([[0, 1, 2], [2, 1, 0]])
    >>> result = split_half_choice(
    ...     tuples, np.array([0, 0]), np.array([2, 2]), items=3, trials=5, rng=np.random.default_rng(1)
    ... )
    >>> round(result.spearman, 12), result.left_out
    (1.0, 0.0)
    """
    check_answers(tuples, best, worst, items=items)
    halves = _drawn(same_set(tuples), trials, items, rng)
    return _correlate_fits((tuples, best, worst), items, halves, np.arange(len(tuples)), trials)


def split_half_disjoint_choice(
    tuples: IntArray,
    best: IntArray,
    worst: IntArray,
    *,
    items: int,
    trials: int = 200,
    rng: np.random.Generator,
) -> SplitHalf:
    """Split the tuples in two, each with all its answers, fit the choice model to both halves, correlate.

    The twin of `kostra.reliability.split_half.split_half_disjoint_best_worst`: an item has different company in the
    two halves. Counting takes that for error; the choice model [1]_ knows the company, so that its figure is higher
    wherever the company mattered. See `split_half_choice` for the rest.

    References
    ----------
    .. [1] A. A. J. Marley and J. J. Louviere (2005). Some probabilistic models of best, worst, and best–worst
       choices. Journal of Mathematical Psychology 49, 464–480.

    Examples
    --------
    Each of two tuples puts 0 first and 1 last, and they share nothing else: two items are compared, and they agree.

    >>> tuples = np.array([[0, 1, 2], [0, 1, 3]])
    >>> result = split_half_disjoint_choice(
    ...     tuples, np.array([0, 0]), np.array([1, 1]), items=4, trials=5, rng=np.random.default_rng(1)
    ... )
    >>> round(result.spearman, 12), result.left_out
    (1.0, 2.0)
    """
    check_answers(tuples, best, worst, items=items)
    by_tuple = same_set(tuples)
    count = int(by_tuple.max(initial=-1)) + 1
    halves = _drawn(np.zeros(count, dtype=np.int64), trials, items, rng)
    return _correlate_fits((tuples, best, worst), items, halves, by_tuple, trials)


def _correlate_fits(
    given: tuple[IntArray, IntArray, IntArray],
    items: int,
    halves: Iterator[FloatArray],
    part: IntArray,
    trials: int,
) -> SplitHalf:
    """Fit and correlate both halves, trial by trial; `part` says to which of the things halved an answer belongs."""
    if trials < 1:
        raise ValueError(f"a split-half reliability needs at least 1 trial; {trials} were asked for")
    answers, where = gathered(*given, items=items)
    whole = fitted(answers)
    spearman, pearson, compared = [], [], []
    for first in halves:
        count = np.bincount(where, weights=first[part], minlength=len(answers.count)).astype(np.float64)
        one, seen = _half(answers, count, whole.sigma, whole.z)
        two, seen_too = _half(answers, answers.count - count, whole.sigma, whole.z)
        both = (seen & seen_too)[None, :]
        spearman.append(row_correlations(row_ranks(one, both), row_ranks(two, both), both)[0])
        pearson.append(np.nan if np.isnan(spearman[-1]) else row_correlations(one, two, both)[0])
        compared.append(int(both.sum()))
    answered = len(np.unique(given[0]))
    return summary(np.array(spearman), np.array(pearson), answered, answered - float(np.mean(compared)))


def _drawn(halved: IntArray, trials: int, items: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """The halves of the counted reliability, one trial at a time."""
    for block in halves(halved, trials, max(items, len(halved)), rng):
        yield from block.T


def _half(answers: Answers, count: FloatArray, sigma: float, start: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Latent values of one half, as a row, and which items it shows."""
    kept = count > 0.5
    part = Answers(np.ascontiguousarray(answers.places[:, kept]), count[kept], answers.items)
    seen = np.bincount(part.places.ravel(), minlength=answers.items) > 0
    z = posterior_mode(part, sigma, np.where(seen, start, 0.0))[0]
    # Values that are equal by symmetry must tie although the search ended at slightly different floats.
    return z.round(6)[None, :], seen

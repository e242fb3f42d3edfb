import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kostra.scoring.counting import BestWorstCounts, IntArray, count_scores

Answers = tuple[IntArray, IntArray, IntArray, int]


@st.composite
def answers(draw: st.DrawFn) -> Answers:
    """Draw possible answers: tuples of different items, the first best and the last worst, then shuffled."""
    items = draw(st.integers(2, 9))
    size = draw(st.integers(2, items))
    tuples = draw(st.lists(st.permutations(range(items)), min_size=1, max_size=12))
    rows = np.array([row[:size] for row in tuples], dtype=np.int64)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return rng.permuted(rows, axis=1), rows[:, 0].copy(), rows[:, -1].copy(), items


def same(one: BestWorstCounts, two: BestWorstCounts, order: IntArray | None = None) -> bool:
    """Compare all columns; item i of the first is item order[i] of the second."""
    at = np.arange(len(one.raw)) if order is None else order
    names = ("appearances", "best", "worst", "raw", "score", "standard_error")
    return all(np.array_equal(getattr(one, n), getattr(two, n)[at], equal_nan=True) for n in names)


def test_scores_are_the_share_of_best_less_the_share_of_worst() -> None:
    # Item 0 is in all 4 answers: best 3 times, worst once. raw = (3 − 1) / 4 = 1/2, score = 3/4.
    # Its contributions 1, 1, 1, −1 have mean 1/2 and variance (3 · 1/4 + 9/4) / 3 = 1, so that the standard
    # error of raw is √(1/4) = 1/2, and that of the score 1/4.
    tuples = np.array([[0, 1, 2, 3], [1, 0, 2, 4], [3, 4, 0, 1], [0, 2, 3, 4]])
    counts = count_scores(tuples, np.array([0, 0, 0, 4]), np.array([3, 1, 1, 0]), items=5)
    assert (counts.appearances[0], counts.best[0], counts.worst[0]) == (4, 3, 1)
    assert (counts.raw[0], counts.score[0], counts.standard_error[0]) == (0.5, 0.75, 0.25)


def test_an_item_that_never_appears_has_no_score() -> None:
    counts = count_scores(np.array([[0, 2]]), np.array([0]), np.array([2]), items=4)
    assert np.isnan(counts.score).tolist() == [False, True, False, True]
    assert counts.appearances.tolist() == [1, 0, 1, 0]


def test_one_appearance_gives_a_score_without_an_error() -> None:
    counts = count_scores(np.array([[0, 1, 2]]), np.array([0]), np.array([2]), items=3)
    assert counts.score.tolist() == [1.0, 0.5, 0.0]
    assert np.isnan(counts.standard_error).all()


def test_no_answers_give_no_scores() -> None:
    none = np.zeros(0, dtype=np.int64)
    counts = count_scores(np.zeros((0, 4), dtype=np.int64), none, none, items=3)
    assert counts.appearances.tolist() == [0, 0, 0]
    assert np.isnan(counts.score).all()


@given(answers())
def test_the_error_is_that_of_a_mean_of_contributions(given_answers: Answers) -> None:
    tuples, best, worst, items = given_answers
    counts = count_scores(tuples, best, worst, items=items)
    for item in range(items):
        shown = (tuples == item).any(axis=1)
        contributions = ((best == item).astype(float) - (worst == item))[shown]
        if len(contributions) > 1:
            expected = contributions.std(ddof=1) / np.sqrt(len(contributions)) / 2
            assert counts.standard_error[item] == pytest.approx(expected, abs=1e-12)


@given(answers())
def test_every_answer_adds_one_best_and_one_worst(given_answers: Answers) -> None:
    tuples, best, worst, items = given_answers
    counts = count_scores(tuples, best, worst, items=items)
    assert counts.best.sum() == counts.worst.sum() == len(tuples)
    assert counts.appearances.sum() == tuples.size
    assert np.nanmin(counts.score) >= 0
    assert np.nanmax(counts.score) <= 1


@given(answers(), st.integers(0, 99))
def test_scores_do_not_depend_on_any_order(given_answers: Answers, seed: int) -> None:
    tuples, best, worst, items = given_answers
    rng = np.random.default_rng(seed)
    rows, names = rng.permutation(len(tuples)), rng.permutation(items)
    inside = rng.permuted(tuples, axis=1)
    counts = count_scores(tuples, best, worst, items=items)
    assert same(counts, count_scores(tuples[rows], best[rows], worst[rows], items=items))
    assert same(counts, count_scores(inside, best, worst, items=items))
    assert same(counts, count_scores(names[tuples], names[best], names[worst], items=items), names)


@pytest.mark.parametrize(
    ("tuples", "best", "worst", "message"),
    [
        ([[0, 1, 2], [0, 1, 3]], [0, 2], [1, 1], r"answer 1: the best item, 2, is not in the tuple \[0, 1, 3\]"),
        ([[0, 1, 2]], [0], [3], "the worst item, 3, is not in the tuple"),
        ([[0, 1, 2]], [0], [0], "answer 0: item 0 is both best and worst"),
        ([[0, 1, 4]], [0], [1], r"items are numbered 0 … 3, the tuple is \[0, 1, 4\]"),
        ([[0, 1, -1]], [0], [1], "items are numbered"),
        ([[0, 1, 2]], [0, 1], [1], "the shapes are"),
        ([0, 1, 2], [0], [1], "the shapes are"),
    ],
)
def test_an_impossible_answer_is_refused_by_row(
    tuples: list[list[int]], best: list[int], worst: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        count_scores(np.array(tuples), np.array(best), np.array(worst), items=4)

import os
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kostra.reliability import split_half
from kostra.reliability.split_half import (
    SplitHalf,
    split_half_best_worst,
    split_half_disjoint_best_worst,
    split_half_ratings,
)
from kostra.scoring.counting import IntArray

DATA = Path(os.environ.get("KOSTRA_DATA", Path(__file__).resolve().parents[2].parent / "shared" / "data"))
BY_COUNTING = [split_half_best_worst, split_half_disjoint_best_worst]
Statistic = Callable[..., SplitHalf]


@pytest.fixture(scope="module")
def semrel() -> IntArray:
    path = DATA / "semrel_arb_bws_ids.csv"
    if not path.exists():
        pytest.skip(f"{path} is absent; KOSTRA_DATA names the folder of the published data")
    return np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64) - 1


def run(statistic: Statistic, answers: IntArray, *, items: int, trials: int, seed: int = 1) -> SplitHalf:
    """Run on rows of tuple, best, worst."""
    rng = np.random.default_rng(seed)
    return statistic(answers[:, :-2], answers[:, -2], answers[:, -1], items=items, trials=trials, rng=rng)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_semrel_gives_the_figures_of_the_published_script(semrel: IntArray, seed: int) -> None:
    # The Perl scripts' own values on this file, over 1,000 trials: Spearman .8338, Pearson .830.
    result = run(split_half_best_worst, semrel, items=632, trials=1000, seed=seed)
    assert result.spearman == pytest.approx(0.8338, abs=0.002)
    assert result.pearson == pytest.approx(0.830, abs=0.002)
    assert (result.trials, result.items, result.undefined) == (1000, 632, 0)
    assert len(np.unique(np.sort(semrel[:, :4], axis=1), axis=0)) == 1255


def test_semrel_agrees_less_when_halves_share_no_tuple(semrel: IntArray) -> None:
    result = run(split_half_disjoint_best_worst, semrel, items=632, trials=200)
    assert 0.75 < result.spearman < 0.82
    assert result.left_out > 0


def test_equal_answers_to_each_tuple_agree_perfectly() -> None:
    answers = np.array([[0, 1, 2, 3, 0, 3], [3, 2, 1, 0, 0, 3], [0, 4, 5, 1, 4, 1], [0, 4, 5, 1, 4, 1]])
    result = run(split_half_best_worst, answers, items=6, trials=20)
    assert astuple(result) == pytest.approx((1.0, 1.0, 0.0, 0.0, 20, 6, 0.0, 0), abs=1e-12)


def test_opposite_answers_to_a_tuple_disagree_perfectly() -> None:
    # The halves hold one answer each: 1, 0, −1 against −1, 0, 1.
    answers = np.array([[0, 1, 2, 0, 2], [0, 1, 2, 2, 0]])
    result = run(split_half_best_worst, answers, items=3, trials=20)
    assert (result.spearman, result.pearson) == pytest.approx((-1.0, -1.0))


def test_a_tuple_with_one_answer_lies_wholly_in_one_half() -> None:
    # Two tuples, one answer each, that share items 0 and 1. With probability 1/2 both fall to the same half,
    # which leaves nothing to compare: all 4 items left out; otherwise items 2 and 3 are. On average 3.
    answers = np.array([[0, 1, 2, 0, 1], [0, 1, 3, 0, 1]])
    result = run(split_half_best_worst, answers, items=4, trials=2000)
    assert result.spearman == pytest.approx(1.0)
    assert result.undefined == pytest.approx(1000, abs=100)  # over four standard deviations of √500
    assert result.left_out == pytest.approx(2 + 2 * result.undefined / 2000)


def test_disjoint_halves_always_have_half_of_the_tuples() -> None:
    # The same two tuples: one in each half, so that items 2 and 3 are always left out, 0 and 1 never.
    answers = np.array([[0, 1, 2, 0, 1], [0, 1, 3, 0, 1]])
    result = run(split_half_disjoint_best_worst, answers, items=4, trials=50)
    assert result.spearman == pytest.approx(1.0)
    assert (result.left_out, result.undefined) == (2.0, 0)


def test_disjoint_halves_never_share_a_tuple() -> None:
    # One tuple answered often is all in one half, however long its list of answers.
    answers = np.array([[0, 1, 2, 0, 2]] * 5)
    result = run(split_half_disjoint_best_worst, answers, items=3, trials=10)
    assert (result.undefined, result.left_out) == (10, 3.0)


def test_ratings_are_averaged_within_each_half() -> None:
    # Ratings 1, 2 of item 0, 3, 3 of item 1 and 5, 6 of item 2: the halves are 1 3 5 against 2 3 6, or 1 3 6
    # against 2 3 5, with equal probability. Ranks agree. In thirds, the deviations are
    #   −6 0 6 and −5 −2 7: r = 72 / √(72 · 78) = .960769
    #   −7 −1 8 and −4 −1 5: r = 69 / √(114 · 42) = .997176
    items_of, values = np.array([0, 0, 1, 1, 2, 2]), np.array([1.0, 2, 3, 3, 5, 6])
    one = [
        split_half_ratings(items_of, values, items=3, trials=1, rng=np.random.default_rng(seed)).pearson
        for seed in range(20)
    ]
    assert set(np.round(one, 6)) == {0.960769, 0.997176}
    many = split_half_ratings(items_of, values, items=3, trials=2000, rng=np.random.default_rng(1))
    assert many.spearman == pytest.approx(1.0)
    # The mean of the two is .978972, and they are .018204 from it, which is the standard deviation as well.
    assert many.pearson == pytest.approx(0.978972, abs=0.002)
    assert many.pearson_sd == pytest.approx(0.018204, abs=0.0002)


def test_means_that_are_equal_tie_however_they_are_summed() -> None:
    # In floating point (.1 + .1 + .1) / 3 is more than .1. Items 0 … 2 have 4, 6 and 10 ratings, all .1, so that
    # both halves are constant and nothing can be correlated. Item 3 has one rating and is left out.
    items_of = np.repeat([0, 1, 2, 3], [4, 6, 10, 1])
    values = np.where(items_of == 3, 0.7, 0.1)
    result = split_half_ratings(items_of, values, items=4, trials=10, rng=np.random.default_rng(1))
    assert np.isnan(result.spearman)
    assert np.isnan(result.pearson)
    assert result.undefined == 10


def test_the_unit_of_ratings_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    items_of, values = np.repeat(np.arange(20), 5), rng.integers(0, 7, 100).astype(float)
    results = [
        split_half_ratings(items_of, values * unit, items=20, trials=30, rng=np.random.default_rng(1))
        for unit in (1.0, 1e-9, 1e9)
    ]
    assert astuple(results[1]) == pytest.approx(astuple(results[0]))
    assert astuple(results[2]) == pytest.approx(astuple(results[0]))


@pytest.mark.parametrize("statistic", BY_COUNTING)
def test_order_inside_tuples_does_not_matter(statistic: Statistic) -> None:
    rng = np.random.default_rng(5)
    tuples = np.repeat(rng.permuted(np.tile(np.arange(12), (30, 1)), axis=1)[:, :4], 3, axis=0)
    shuffled = rng.permuted(tuples, axis=1)
    best, worst = shuffled[:, 0], shuffled[:, 3]
    inside = [np.column_stack([order, best, worst]) for order in (tuples, rng.permuted(tuples, axis=1))]
    one, two = (run(statistic, answers, items=12, trials=20) for answers in inside)
    assert one == two


def test_blocks_of_trials_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_half, "_BLOCK", 7)  # 3 answers, so two trials at a time
    answers = np.array([[0, 1, 2, 0, 2]] * 3)
    result = run(split_half_best_worst, answers, items=3, trials=5)
    assert result.spearman == pytest.approx(1.0)
    assert (result.trials, result.undefined) == (5, 0)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(0, 99))
def test_every_group_is_halved_and_its_odd_member_goes_either_way(groups: list[int], seed: int) -> None:
    halved = np.array(groups)
    [first] = split_half.halves(halved, 8, 10, np.random.default_rng(seed))
    assert first.shape == (len(groups), 8)
    for group in set(groups):
        in_first = first[halved == group].sum(axis=0)
        size = int((halved == group).sum())
        assert set(in_first.tolist()) <= {size // 2, size - size // 2}


@pytest.mark.parametrize("statistic", BY_COUNTING)
def test_no_answers_have_no_reliability(statistic: Statistic) -> None:
    result = run(statistic, np.zeros((0, 6), dtype=np.int64), items=3, trials=4)
    assert np.isnan([result.spearman, result.pearson, result.spearman_sd]).all()
    assert (result.items, result.left_out, result.undefined) == (0, 0.0, 4)


def test_one_trial_has_no_standard_deviation() -> None:
    result = run(split_half_best_worst, np.array([[0, 1, 2, 0, 2]] * 2), items=3, trials=1)
    assert result.spearman == pytest.approx(1.0)
    assert np.isnan(result.spearman_sd)


@pytest.mark.parametrize("statistic", BY_COUNTING)
def test_impossible_answers_and_no_trials_are_refused(statistic: Statistic) -> None:
    with pytest.raises(ValueError, match="answer 0: the best item, 3, is not in the tuple"):
        run(statistic, np.array([[0, 1, 2, 3, 0]]), items=4, trials=1)
    with pytest.raises(ValueError, match="at least 1 trial; 0 were asked for"):
        run(statistic, np.array([[0, 1, 2, 0, 1]]), items=4, trials=0)


@pytest.mark.parametrize(
    ("items_of", "values", "message"),
    [
        ([0, 1], [1.0], "each rating needs an item"),
        ([0, 2], [1.0, 2.0], "rating 1: items are numbered 0 … 1"),
        ([0, 1], [np.nan, 1.0], "rating 0: .* the rating nan"),
    ],
)
def test_ratings_that_cannot_be_averaged_are_refused(items_of: list[int], values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        split_half_ratings(np.array(items_of), np.array(values), items=2, trials=1, rng=np.random.default_rng(1))

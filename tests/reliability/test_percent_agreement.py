import numpy as np
import pytest

from kostra.ratings import ratings_from, ratings_from_matrix
from kostra.reliability.percent_agreement import percent_agreement


def test_two_annotators_are_the_share_of_equal_answers() -> None:
    matrix = np.array([[1.0, 1], [2, 2], [3, 1], [4, 2]])
    found = percent_agreement(ratings_from_matrix(matrix), samples=500, rng=np.random.default_rng(1))
    assert found.value == 0.5
    assert (found.low, found.high) == (0.0, 1.0)  # of four items, none or all agree in 1/16 of the samples each
    assert found.n == 4


def test_the_interval_is_that_of_a_binomial_share() -> None:
    # 300 of 1,000 items agree: ±1.96 √(.3 · .7 / 1000) = ±.0284.
    matrix = np.array([[1.0, 1]] * 300 + [[1.0, 2]] * 700)
    found = percent_agreement(ratings_from_matrix(matrix), samples=4000, rng=np.random.default_rng(1))
    assert found.low == pytest.approx(0.3 - 0.0284, abs=0.003)
    assert found.high == pytest.approx(0.3 + 0.0284, abs=0.003)


def test_items_weigh_the_same_and_lone_answers_nothing() -> None:
    ratings = ratings_from(["p"] * 3 + ["q"] * 2 + ["r"], ["a", "a", "b", "c", "c", "d"])
    found = percent_agreement(ratings, samples=0, rng=np.random.default_rng(1))
    assert found.value == pytest.approx(2 / 3)
    assert found.n == 2


def test_groups_count_as_the_same() -> None:
    ratings = ratings_from(["p", "p", "q", "q"], [1, 2, 5, 5])
    rng = np.random.default_rng(1)
    assert percent_agreement(ratings, groups=[["1", "2"], ["5"]], samples=0, rng=rng).value == 1.0


def test_all_equal_is_full_agreement_and_one_item_is_undefined() -> None:
    rng = np.random.default_rng(1)
    assert percent_agreement(ratings_from_matrix(np.ones((3, 2))), samples=10, rng=rng).value == 1.0
    assert np.isnan(percent_agreement(ratings_from_matrix(np.ones((1, 2))), samples=10, rng=rng).value)

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from kostra.errors import KostraError
from kostra.ratings import FloatArray, Ratings, ratings_from, ratings_from_matrix
from kostra.reliability.cohen_kappa import WEIGHTS, Weights, cohen_kappa, cohen_kappa_pairs


def named(matrix: FloatArray) -> Ratings:
    return ratings_from_matrix(matrix, [f"a{column}" for column in range(matrix.shape[1])])


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def of_table(table: list[list[int]]) -> Ratings:
    """Two annotators whose answers make the contingency table."""
    rows = [(one, two) for one, row in enumerate(table) for two, count in enumerate(row) for _ in range(count)]
    return named(np.array(rows, dtype=float))


def test_the_textbook_table() -> None:
    # 50 items: both yes 20, both no 15, 5 and 10 apart. Observed .7; chance .5 · .6 + .5 · .4 = .5; κ = .4.
    found = cohen_kappa(of_table([[20, 5], [10, 15]]), rng=rng())
    assert found.value == pytest.approx(0.4, abs=1e-12)
    # The asymptotic standard error is .13 (Fleiss, Cohen & Everitt 1969).
    assert found.high - found.low == pytest.approx(4 * 0.13, abs=0.06)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(5))
def test_each_pair_equals_statsmodels_with_missing_answers(weights: Weights, seed: int) -> None:
    inter_rater: Any = pytest.importorskip("statsmodels.stats.inter_rater", reason="compares with statsmodels")
    draw = np.random.default_rng(seed)
    people, points = [3, 5, 2, 20, 9][seed], 6
    matrix = np.round(draw.normal(size=(150, 1)) + draw.normal(size=(150, people)) + 2.5).clip(0, points - 1)
    matrix[draw.random(matrix.shape) < 0.3] = np.nan
    expected = []
    for one, two in combinations(range(people), 2):
        both = ~np.isnan(matrix[:, [one, two]]).any(axis=1)
        table = np.zeros((points, points))
        np.add.at(table, tuple(matrix[both][:, [one, two]].astype(int).T), 1)
        wt = None if weights == "none" else weights
        expected.append(inter_rater.cohens_kappa(table, wt=wt, return_results=False))
    pairs = cohen_kappa_pairs(named(matrix), weights=weights, samples=10, rng=rng())
    np.testing.assert_allclose(pairs["kappa"].to_numpy(), expected, atol=1e-10, rtol=0)
    mean = cohen_kappa(named(matrix), weights=weights, samples=10, rng=rng())
    assert mean.value == pytest.approx(np.mean(expected), abs=1e-10)


def test_an_unused_point_of_the_scale_keeps_its_place() -> None:
    # (0, 0), (3, 3), (0, 3), (1, 1) with linear weights: Σd = 3, n Σd = 12. First gave 0 0 1 3, second 0 1 3 3:
    # Σ|c − k| = 2·(0+1+3+3) + (1+0+2+2) + (3+2+0+0) = 24. κ = 1/2; numbered 0, 1, 2 it would be 1 − 8/17.
    ratings = named(np.array([[0.0, 0], [3, 3], [0, 3], [1, 1]]))
    assert cohen_kappa(ratings, weights="linear", samples=0, rng=rng()).value == pytest.approx(0.5, abs=1e-12)


def test_anonymous_answers_are_refused_with_the_reason() -> None:
    with pytest.raises(KostraError, match="anonymous"):
        cohen_kappa(ratings_from_matrix(np.array([[1.0, 2], [2, 2]])), rng=rng())


def test_weights_need_numbers_and_known_names() -> None:
    labels = ratings_from(["p", "p", "q", "q"], list("abab"), ["x", "y"] * 2)
    with pytest.raises(KostraError, match="needs numbers"):
        cohen_kappa(labels, weights="linear", rng=rng())
    with pytest.raises(KostraError, match="kind of weights"):
        cohen_kappa(labels, weights="linar", rng=rng())  # type: ignore[arg-type]


def test_a_pair_without_variety_is_left_out_and_counted() -> None:
    matrix = np.array([[1.0, 1, 1], [1, 1, 2], [1, 1, 2]])
    found = cohen_kappa(named(matrix), rng=rng())
    assert found.value == pytest.approx(0.0)  # both pairs with the third: chance agreement exactly
    assert "mean of 2 pairs of annotators, 1 more left out" in found.note
    pairs = cohen_kappa_pairs(named(matrix), samples=0, rng=rng())
    assert pairs["kappa"].to_list() == [None, 0.0, 0.0]


def test_all_equal_is_undefined_and_said_to_be() -> None:
    found = cohen_kappa(named(np.ones((4, 3))), rng=rng())
    assert np.isnan(found.value)
    assert "none of the 3 pairs" in found.note


def test_few_shared_items_bear_no_interval_and_the_note_says_so() -> None:
    found = cohen_kappa(named(np.array([[1.0, 2], [2, 2], [1, 1]])), rng=rng())
    assert np.isnan(found.low)
    assert "no interval" in found.note


def test_groups_make_classes() -> None:
    ratings = named(np.array([[1.0, 2], [5, 5], [2, 1]]))
    assert cohen_kappa(ratings, groups=[["1", "2"], ["5"]], samples=0, rng=rng()).value == pytest.approx(1.0)

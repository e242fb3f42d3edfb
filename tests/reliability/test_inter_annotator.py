import numpy as np
import pytest
from scipy import stats

from kostra.errors import KostraError
from kostra.ratings import FloatArray, Ratings, ratings_from, ratings_from_matrix
from kostra.reliability import Estimate
from kostra.reliability.inter_annotator import FIGURES, Sides, compare, inter_annotator


def named(matrix: FloatArray) -> Ratings:
    return ratings_from_matrix(matrix, [f"a{column}" for column in range(matrix.shape[1])])


def measured(ratings: Ratings, samples: int = 0) -> dict[str, Estimate]:
    return inter_annotator(ratings, samples=samples, rng=np.random.default_rng(1))


def plainly(matrix: FloatArray) -> dict[str, float]:
    """The definition, annotator by annotator."""
    figures = []
    for column in range(matrix.shape[1]):
        others = np.delete(matrix, column, axis=1)
        both = ~np.isnan(matrix[:, column]) & ~np.isnan(others).all(axis=1)
        x, y = matrix[both, column], np.nanmean(others[both], axis=1)
        mse = float(((x - y) ** 2).mean())
        figures.append((stats.pearsonr(x, y)[0], stats.spearmanr(x, y.round(9))[0], mse**0.5, mse))
    return dict(zip(FIGURES, np.mean(figures, axis=0).tolist(), strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("people", [3, 20])
def test_it_equals_the_definition_written_out(seed: int, people: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = np.round(rng.normal(size=(60, 1)) + rng.normal(size=(60, people)) + 3).clip(0, 6)
    matrix[rng.random(matrix.shape) < 0.4] = np.nan
    found = measured(named(matrix))
    for name, expected in plainly(matrix).items():
        assert found[name].value == pytest.approx(expected, abs=1e-10)


def test_anonymous_answers_are_refused_with_the_reason() -> None:
    with pytest.raises(KostraError, match="needs to know who gave which answer, and these answers are anonymous"):
        measured(ratings_from_matrix(np.array([[1.0, 2], [3, 4]])))


def test_labels_are_refused() -> None:
    with pytest.raises(KostraError, match="needs numbers"):
        measured(ratings_from(["p", "p"], ["a", "b"], ["x", "y"]))


def test_an_annotator_without_variety_is_left_out_of_the_correlations_only() -> None:
    matrix = np.array([[1.0, 1, 3], [2, 2, 3], [3, 4, 3], [4, 3, 3]])
    found = measured(named(matrix))
    assert "mean of 2 annotators, 1 more left out" in found["pearson"].note
    assert "mean of 3 annotators;" in found["mse"].note


def test_edges() -> None:
    equal = measured(named(np.full((12, 3), 0.1)), samples=10)
    assert np.isnan(equal["pearson"].value)
    assert "no annotator has two items on which both sides vary" in equal["spearman"].note
    assert equal["mse"].value == pytest.approx(0)
    assert "no answers" in measured(named(np.full((2, 2), np.nan)))["mse"].note
    assert "only one item" in measured(named(np.array([[1.0, 2]])))["mse"].note
    alone = measured(ratings_from(["p", "q"], [1, 2], ["ann", "ann"]))
    assert "only one annotator" in alone["rmse"].note


def test_weights_are_the_same_as_repeated_items() -> None:
    # A bootstrap sample that draws item u w(u) times must give what the sample's own rows give, ranks included.
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 5, 30).astype(float), rng.integers(0, 9, 30) / 2
    group = np.repeat([0, 1, 2], 10)
    weights = rng.integers(1, 4, 30)
    weighted = compare(
        Sides.of(x, y, row=np.arange(30), group=group), weights, samples=0, rng=np.random.default_rng(1)
    ).values
    again = np.repeat(np.arange(30), weights)
    sides = Sides.of(x[again], y[again], row=np.arange(len(again)), group=group[again])
    ones = np.ones(len(again), dtype=np.int64)
    np.testing.assert_allclose(weighted, compare(sides, ones, samples=0, rng=np.random.default_rng(1)).values)


def test_intervals_hold_the_estimate_and_come_from_the_seed() -> None:
    rng = np.random.default_rng(3)
    ratings = named(rng.normal(size=(200, 1)) + 0.7 * rng.normal(size=(200, 4)))
    one, two = measured(ratings, samples=300), measured(ratings, samples=300)
    assert one == two
    for name in FIGURES:
        assert one[name].low < one[name].value < one[name].high


def test_few_items_each_bear_no_interval() -> None:
    found = measured(named(np.array([[1.0, 2], [2, 2], [3, 1]])), samples=100)
    assert np.isnan(found["mse"].low)
    assert "no interval" in found["mse"].note

from typing import Any

import numpy as np
import pytest

from kostra.errors import KostraError
from kostra.ratings import IntArray, Ratings, ratings_from, ratings_from_matrix
from kostra.reliability import Estimate
from kostra.reliability.fleiss_kappa import fleiss_kappa

# Fourteen raters, ten subjects, five classes: the well-known example in which κ is .210.
COUNTS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def kappa(ratings: Ratings, samples: int = 0, **options: Any) -> Estimate:
    return fleiss_kappa(ratings, samples=samples, rng=np.random.default_rng(1), **options)


def of_counts(counts: IntArray) -> Ratings:
    return ratings_from_matrix(np.array([np.repeat(np.arange(counts.shape[1]), row) for row in counts], dtype=float))


def test_the_published_example() -> None:
    found = kappa(of_counts(COUNTS), samples=200)
    assert found.value == pytest.approx(0.210, abs=5e-4)
    assert found.low < found.value < found.high
    assert found.n == 10


@pytest.mark.parametrize("seed", range(10))
def test_it_equals_statsmodels(seed: int) -> None:
    inter_rater: Any = pytest.importorskip("statsmodels.stats.inter_rater", reason="compares with statsmodels")
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(int(rng.integers(2, 9)), rng.dirichlet(np.ones(4)), size=int(rng.integers(5, 80)))
    assert kappa(of_counts(counts)).value == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-10)


def test_unequal_numbers_of_answers_by_hand() -> None:
    # (a, a, b): 1/3 agrees; (b, b): all. Observed 2/3. Shares of the five answers: a 2/5, b 3/5; chance 13/25.
    # κ = (2/3 − 13/25) / (12/25) = 11/36.
    found = kappa(ratings_from(["p", "p", "p", "q", "q"], list("aabbb")))
    assert found.value == pytest.approx(11 / 36, abs=1e-12)
    assert "2 to 3 answers per item" in found.note


def test_grouped_classes_by_hand() -> None:
    # (0, 0), (1, 4), (5, 5) in {0}{1–4}{5} agree throughout; ungrouped, the middle pair does not.
    ratings = ratings_from(["p", "p", "q", "q", "r", "r"], [0, 0, 1, 4, 5, 5])
    groups = [["0"], ["1", "2", "3", "4"], ["5"]]
    assert kappa(ratings, groups=groups).value == pytest.approx(1.0)
    assert "{0} {1, 2, 3, 4} {5}" in kappa(ratings, groups=groups).note
    assert kappa(ratings).value < 1


def test_grouping_labels() -> None:
    ratings = ratings_from(["p", "p", "q", "q"], ["yes", "rather yes", "no", "no"])
    assert kappa(ratings, groups=[["yes", "rather yes"], ["no", "never used"]]).value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([["0"], ["1"]], "no group holds the answers 5"),
        ([["0", "1"], ["1", "5"]], "two groups"),
        ([["0", "1"], ["five"]], "is no number"),
    ],
)
def test_groups_that_do_not_fit_are_refused(groups: list[list[str]], message: str) -> None:
    with pytest.raises(KostraError, match=message):
        kappa(ratings_from(["p", "p", "q", "q"], [0, 1, 5, 5]), groups=groups)


def test_one_class_throughout_is_undefined_and_said_to_be() -> None:
    found = kappa(ratings_from(["p", "p", "q", "q"], ["yes"] * 4), samples=10)
    assert np.isnan(found.value)
    assert "one class" in found.note


def test_one_item_and_no_second_answer_are_undefined() -> None:
    assert "only one item" in kappa(ratings_from(["p", "p"], ["a", "b"])).note
    assert "no item has two answers" in kappa(ratings_from(["p", "q"], ["a", "b"])).note

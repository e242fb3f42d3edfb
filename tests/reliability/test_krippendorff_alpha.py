from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.ratings import FloatArray, Level, ratings_from, ratings_from_matrix
from kostra.reliability import Estimate
from kostra.reliability.krippendorff_alpha import LEVELS, krippendorff_alpha

_ = np.nan
# Four observers, twelve units: the worked example of Krippendorff (2011), whose results he prints.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T


def alpha(matrix: FloatArray, level: Level, samples: int = 0, seed: int = 1) -> Estimate:
    rng = np.random.default_rng(seed)
    return krippendorff_alpha(ratings_from_matrix(matrix), level=level, samples=samples, rng=rng)


def random_matrix(rng: np.random.Generator, *, continuous: bool, missing: float) -> FloatArray:
    items, people = int(rng.integers(5, 60)), int(rng.integers(2, 9))
    values = rng.normal(size=(items, 1)) + rng.normal(size=(items, people))
    values = values - values.min() if continuous else np.round(2 * values).clip(-4, 4) + 4
    values[rng.random(values.shape) < missing] = np.nan
    return np.asarray(values)


@pytest.mark.parametrize(("level", "published"), list(zip(LEVELS, (0.743, 0.815, 0.849, 0.797), strict=True)))
def test_the_worked_example_gives_the_published_figures(level: Level, published: float) -> None:
    assert alpha(EXAMPLE, level).value == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_it_equals_the_krippendorff_package_with_missing_answers(level: Level, continuous: bool, seed: int) -> None:
    package: Any = pytest.importorskip("krippendorff", reason="compares with the package krippendorff")
    matrix = random_matrix(np.random.default_rng(seed), continuous=continuous, missing=0.1 * (seed % 5))
    theirs = package.alpha(matrix.T, level_of_measurement=level)
    assert alpha(matrix, level).value == pytest.approx(theirs, abs=1e-10)
    assert alpha(matrix, level, samples=5).value == pytest.approx(theirs, abs=1e-10)  # by distinct rows


def test_ordinal_by_hand() -> None:
    # (1, 1), (2, 2), (1, 3). Mean ranks of the values among the six answers: 1 has 1–3, so 2; 2 has 4.5; 3 has 6.
    # Observed: one unit of two answers differs, 2 · (6 − 2)² = 32. Expected: 2 · (3·2·2.5² + 3·1·4² + 2·1·1.5²)
    # = 2 · (37.5 + 48 + 4.5) = 180. α = 1 − 5 · 32 / 180 = 1/9.
    assert alpha(np.array([[1.0, 1], [2, 2], [1, 3]]), "ordinal").value == pytest.approx(1 / 9, abs=1e-12)


def test_ratio_by_hand() -> None:
    # (1, 1), (3, 3), (1, 3): δ² = (2/4)² = 1/4. Observed 2 · 1/4 = 1/2; expected 2 · 9 · 1/4 = 9/2.
    # α = 1 − 5 · (1/2) / (9/2) = 4/9.
    assert alpha(np.array([[1.0, 1], [3, 3], [1, 3]]), "ratio").value == pytest.approx(4 / 9, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_equal_answers_throughout_are_undefined_and_said_to_be(level: Level) -> None:
    found = alpha(np.full((5, 3), 2.0), level, samples=10)
    assert np.isnan(found.value)
    assert np.isnan(found.low)
    assert "all answers are equal" in found.note


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.full((3, 2), np.nan), "there are no answers"),
        (np.zeros((0, 2)), "there are no answers"),
        (np.array([[1.0], [2.0]]), "no item has two answers"),
        (np.array([[1.0, np.nan], [np.nan, 2.0]]), "no item has two answers"),
        (np.array([[1.0, 2.0]]), "only one item has two answers"),
    ],
)
def test_what_cannot_be_compared_is_undefined_with_its_reason(matrix: FloatArray, reason: str) -> None:
    found = alpha(matrix, "interval", samples=10)
    assert np.isnan(found.value)
    assert reason in found.note


def test_one_annotator_is_undefined_and_named_as_the_reason() -> None:
    ratings = ratings_from(["p", "q"], [1, 2], ["ann", "ann"])
    found = krippendorff_alpha(ratings, level="interval", rng=np.random.default_rng(1))
    assert "only one annotator" in found.note


def test_two_items_and_two_annotators_by_hand() -> None:
    # (1, 2), (2, 1): observed 4 of 4 ordered pairs differ, expected 8 of 12: α = 1 − 1 / (2/3) = −1/2.
    assert alpha(np.array([[1.0, 2], [2, 1]]), "nominal").value == pytest.approx(-0.5, abs=1e-12)


def test_an_answer_alone_on_its_item_changes_nothing() -> None:
    more = np.vstack([EXAMPLE, [[7.0, _, _, _]]])
    for level in LEVELS:
        assert alpha(more, level) == alpha(EXAMPLE, level)


def test_labels_are_refused_at_every_level_but_nominal() -> None:
    ratings = ratings_from(["p", "p", "q", "q"], ["1", "2", "4o", "1"])
    for level in LEVELS[1:]:
        with pytest.raises(KostraError, match=r"needs numbers.*4o"):
            krippendorff_alpha(ratings, level=level, rng=np.random.default_rng(1))
    assert np.isfinite(krippendorff_alpha(ratings, level="nominal", rng=np.random.default_rng(1)).value)


def test_the_ratio_level_refuses_negative_numbers_and_an_unknown_level_lists_the_known() -> None:
    with pytest.raises(KostraError, match="true zero"):
        alpha(np.array([[-1.0, 2], [2, 1]]), "ratio")
    with pytest.raises(KostraError, match="ordinel"):
        alpha(EXAMPLE, "ordinel")  # type: ignore[arg-type]


def test_a_shift_and_a_scale_leave_interval_and_ordinal_alpha_alone() -> None:
    levels: tuple[Level, ...] = ("interval", "ordinal")
    for level in levels:
        here = alpha(EXAMPLE, level).value
        assert alpha(EXAMPLE * 3 + 7, level).value == pytest.approx(here, abs=1e-12)
        assert alpha(EXAMPLE * 1e-3 + 1e6, level).value == pytest.approx(here, abs=1e-6)  # what the digits allow


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_alpha_never_exceeds_one_and_the_order_of_answers_is_nothing_to_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, continuous=False, missing=0.2)
    shuffled = rng.permuted(matrix, axis=1)[rng.permutation(len(matrix))]
    for level in LEVELS:
        found = alpha(matrix, level)
        assert np.isnan(found.value) or found.value <= 1 + 1e-12
        assert alpha(shuffled, level).value == pytest.approx(found.value, abs=1e-10, nan_ok=True)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    one, same, other = (alpha(EXAMPLE, "interval", samples=200, seed=seed) for seed in (3, 3, 4))
    assert one == same
    assert one.low != other.low
    assert one.low < one.value < one.high


def test_samples_on_which_alpha_is_undefined_are_left_out_and_counted() -> None:
    # Two items: a sample that holds only the first is all equal.
    found = alpha(np.array([[1.0, 1], [1, 2]]), "nominal", samples=400)
    assert "of 400 bootstrap samples left out" in found.note
    assert np.isfinite(found.low)


def test_many_distinct_values_are_handled_at_every_level() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.random((300, 1)) + 0.3 * rng.random((300, 4))
    for level in LEVELS[1:]:
        found = alpha(matrix, level, samples=50)
        assert found.low < found.value < found.high

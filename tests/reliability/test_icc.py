import re
from typing import Any

import numpy as np
import pytest

from kostra.errors import KostraError
from kostra.ratings import FloatArray, Ratings, ratings_from, ratings_from_matrix
from kostra.reliability import Estimate
from kostra.reliability.icc import FORMS, Form, icc

# Six targets, four judges: Table 2 of Shrout and Fleiss (1979).
SHROUT_FLEISS = np.array([[9.0, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])


def named(matrix: FloatArray) -> Ratings:
    return ratings_from_matrix(matrix, [f"a{column}" for column in range(matrix.shape[1])])


def measured(ratings: Ratings, form: Form, samples: int = 0) -> Estimate:
    return icc(ratings, form=form, samples=samples, rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    ("form", "published", "low", "high"),
    [("1,1", 0.17, -0.13, 0.72), ("2,1", 0.29, 0.02, 0.76), ("2,k", 0.62, 0.07, 0.93)],
)
def test_the_published_example_and_its_f_intervals(form: Form, published: float, low: float, high: float) -> None:
    found = measured(named(SHROUT_FLEISS), form)
    assert found.value == pytest.approx(published, abs=0.005)
    ends = [float(end) for end in re.findall(r"-?\d+\.\d{4}", found.note)]
    assert ends == pytest.approx([low, high], abs=0.005)


@pytest.mark.parametrize("seed", range(4))
def test_the_mean_squares_equal_the_analysis_of_variance_of_statsmodels(seed: int) -> None:
    pytest.importorskip("statsmodels", reason="compares with statsmodels")
    ols: Any = pytest.importorskip("statsmodels.formula.api").ols
    anova: Any = pytest.importorskip("statsmodels.stats.anova").anova_lm
    pandas: Any = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    n, k = 12, 4
    matrix = rng.normal(size=(n, 1)) + 0.3 * rng.normal(size=(1, k)) + rng.normal(size=(n, k))
    item, judge = (axis.reshape(-1) for axis in np.indices((n, k)))
    frame = pandas.DataFrame({"value": matrix.reshape(-1), "item": item, "judge": judge})
    table = anova(ols("value ~ C(item) + C(judge)", frame).fit())
    b, j, e = (table["mean_sq"][row] for row in ("C(item)", "C(judge)", "Residual"))
    w = (j * (k - 1) + e * (n - 1) * (k - 1)) / (n * (k - 1))
    expected = {
        "1,1": (b - w) / (b + (k - 1) * w),
        "2,1": (b - e) / (b + (k - 1) * e + k * (j - e) / n),
        "2,k": (b - e) / (b + (j - e) / n),
    }
    for form in FORMS:
        assert measured(named(matrix), form).value == pytest.approx(expected[form], abs=1e-10)


def test_unequal_numbers_of_answers_by_hand() -> None:
    # (0, 0), (0, 0, 3): within: 6 / 3 = 2. Grand mean 3/5; between: 2 · .36 + 3 · .16 = 1.2, over 1 = 1.2.
    # k = 5 − (4 + 9) / 5 = 2.4. (1.2 − 2) / (1.2 + 1.4 · 2) = −.8 / 4 = −.2.
    found = measured(ratings_from(["p", "p", "q", "q", "q"], [0, 0, 0, 0, 3]), "1,1")
    assert found.value == pytest.approx(-0.2, abs=1e-12)
    assert "2 to 3 answers per item" in found.note


def test_the_two_way_forms_keep_complete_items_and_count_the_others() -> None:
    gaps = np.vstack([SHROUT_FLEISS, [[1.0, np.nan, 3, 4]], [[5.0, np.nan, np.nan, np.nan]]])
    for form in ("2,1", "2,k"):
        found = measured(named(gaps), form)
        assert found.value == measured(named(SHROUT_FLEISS), form).value
        assert "2 items left out" in found.note
        assert found.n == 6


def test_two_way_without_a_complete_item_is_undefined_with_its_reason() -> None:
    gaps = np.array([[1.0, 2, np.nan], [np.nan, 2, 3], [1, np.nan, 3]])
    found = measured(named(gaps), "2,1")
    assert np.isnan(found.value)
    assert "no item was answered by all 3 annotators" in found.note


def test_anonymous_answers_allow_the_one_way_form_only() -> None:
    anonymous = ratings_from_matrix(SHROUT_FLEISS)
    assert np.isfinite(measured(anonymous, "1,1").value)
    for form in ("2,1", "2,k"):
        with pytest.raises(KostraError, match="anonymous"):
            measured(anonymous, form)


@pytest.mark.parametrize("form", FORMS)
def test_edges(form: Form) -> None:
    assert "all answers are equal" in measured(named(np.full((4, 3), 0.1)), form, samples=10).note
    assert "only one item" in measured(named(np.array([[1.0, 2]])), form).note
    assert "no answers" in measured(named(np.full((2, 2), np.nan)), form).note
    perfect = measured(named(np.array([[1.0, 1], [2, 2], [4, 4]])), form, samples=20)
    assert perfect.value == pytest.approx(1.0)
    with pytest.raises(KostraError, match="needs numbers"):
        measured(ratings_from(["p", "p"], ["a", "b"], ["x", "y"]), form)


def test_an_unknown_form_lists_the_known() -> None:
    with pytest.raises(KostraError, match="3,1"):
        measured(named(SHROUT_FLEISS), "3,1")  # type: ignore[arg-type]


@pytest.mark.parametrize("form", FORMS)
def test_bootstrap_and_f_interval_are_near_each_other_on_normal_answers(form: Form) -> None:
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(400, 1)) + rng.normal(size=(400, 5))
    found = measured(named(matrix), form, samples=1000)
    ends = [float(end) for end in re.findall(r"-?\d+\.\d{4}", found.note)]
    assert [found.low, found.high] == pytest.approx(ends, abs=0.02)

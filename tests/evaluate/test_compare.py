"""Encoders beside each other: tests of a difference, letters, Holm."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from kostra.errors import KostraError
from kostra.evaluate.dependent import bootstrap_p, steiger, williams
from kostra.evaluate.letters import holm, letters
from kostra.evaluation import compare


class Noisy:
    """Gives a pair the score that its text carries, with noise of its own."""

    def __init__(self, noise: float, seed: int) -> None:
        self.noise, self.seed = noise, seed

    def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        truth = np.array([float(one.split()[-1]) for one, _ in pairs])
        return truth + self.noise * np.random.default_rng(self.seed).normal(size=len(pairs))


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    rows = [(f"sentence {n} scores {value}", f"other {n}", value) for n, value in enumerate(rng.random(200).round(3))]
    file = tmp_path / "mine.csv"
    file.write_text("sentence1,sentence2,score\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    return file


@pytest.mark.parametrize("test", [williams, steiger])
def test_the_tests_hold_their_level_where_encoders_are_equally_good(test: object) -> None:
    # Gold and two encoders with equal correlations: p-values are uniform, so about one in twenty lies below .05.
    rng = np.random.default_rng(2)
    found = []
    for _ in range(1000):
        common, one, two = rng.normal(size=(3, 60))
        first, second = common + one, common + two
        r = np.corrcoef([common + 0.5 * rng.normal(size=60), first, second])
        found.append(test(r[0, 1], r[0, 2], r[1, 2], 60).p)  # type: ignore[operator]
    assert 0.03 < np.mean(np.array(found) < 0.05) < 0.08
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_both_tests_are_antisymmetric_and_agree_for_many_pairs() -> None:
    assert williams(0.6, 0.5, 0.7, 500).statistic == -williams(0.5, 0.6, 0.7, 500).statistic
    assert williams(0.6, 0.5, 0.7, 500).p == pytest.approx(steiger(0.6, 0.5, 0.7, 500).p, rel=0.1)
    assert williams(0.5, 0.5, 1.0, 50).p == 1.0
    assert np.isnan(williams(0.5, 0.4, 0.3, 3).p)


def test_a_bootstrap_p_value_can_pass_holms_correction_however_many_encoders_there_are() -> None:
    clear = np.random.default_rng(1).normal(0.3, 0.03, size=1000)
    assert bootstrap_p(0.3, clear) < 1e-9
    assert bootstrap_p(0.0, clear) == 1.0
    assert np.isnan(bootstrap_p(0.3, np.array([np.nan])))
    assert np.isnan(bootstrap_p(0.3, np.full(9, 0.3)))  # no spread, yet a difference: nothing to judge it by


def test_holm_is_statsmodels() -> None:
    p = np.random.default_rng(3).random(20) ** 3
    np.testing.assert_allclose(holm(p.tolist()), multipletests(p, method="holm")[1], atol=1e-12)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 7), st.data())
def test_two_share_a_letter_exactly_if_they_do_not_differ(count: int, data: st.DataObject) -> None:
    different = np.zeros((count, count), dtype=np.bool_)
    for one, two in combinations(range(count), 2):
        different[one, two] = different[two, one] = data.draw(st.booleans())
    marks = letters(different)
    assert all(marks)
    for one, two in combinations(range(count), 2):
        assert bool(set(marks[one]) & set(marks[two])) != different[one, two]


def test_encoders_that_differ_get_different_letters_and_twins_the_same(scored: Path) -> None:
    encoders = {"good": Noisy(0.1, 1), "twin": Noisy(0.1, 2), "bad": Noisy(2.0, 3)}
    found = compare(scored, encoders)
    standing = {row["encoder"]: row["letters"] for row in found.rows()}
    assert standing["good"] == standing["twin"] == "a"
    assert standing["bad"] == "b"
    assert [row["encoder"] for row in found.rows()][-1] == "bad"
    for row in found.differences():
        assert row["value"] is not None
        differs = "bad" in (row["first"], row["second"])
        assert all((float(row[name] or 0) < 0.01) == differs for name in ("p", "williams_p", "steiger_p"))


@pytest.mark.parametrize("test", ["bootstrap", "williams", "steiger"])
def test_the_chosen_test_is_the_one_that_is_adjusted(scored: Path, test: str) -> None:
    encoders = {"one": Noisy(0.5, 1), "two": Noisy(0.6, 2), "three": Noisy(0.7, 3)}
    rows = compare(scored, encoders, test=test, samples=200).differences()  # type: ignore[arg-type]
    column = {"bootstrap": "p", "williams": "williams_p", "steiger": "steiger_p"}[test]
    assert [row["holm_p"] for row in rows] == pytest.approx(holm([float(row[column] or 0) for row in rows]))


def test_one_encoder_cannot_be_compared(scored: Path) -> None:
    with pytest.raises(KostraError, match="one encoder to compare"):
        compare(scored, "dice")


def test_peoples_rows_stand_below_the_encoders(data: Path) -> None:
    rows = compare(data / "cna_free_test.tsv", ["dice", "hashed"], measure="pearson", samples=100).rows()
    names = [str(row["encoder"]) for row in rows]
    assert names[:2] == ["dice", "hashed"]
    assert all(name.startswith("people: ") for name in names[2:])
    assert len(names) == 5  # the oracle bound is a squared error and has no correlation

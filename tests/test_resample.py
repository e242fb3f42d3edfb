"""Bootstrap intervals and seeds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra import resample
from kostra.errors import KostraError
from kostra.resample import FloatArray, IntArray, Interval, bootstrap_interval, seeded


def means(values: FloatArray) -> Callable[[IntArray], FloatArray]:
    return lambda drawn: values[drawn].mean(axis=1)


@settings(deadline=None)
@given(st.integers(0, 2**70))
def test_a_seed_gives_the_same_numbers_again(seed: int) -> None:
    assert seeded(seed).integers(1000) == seeded(seed).integers(1000)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(KostraError, match=r"the seed is -1\n  accepted: a whole number from 0"):
        seeded(-1)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.integers(0, 1000))
def test_an_interval_of_means_lies_within_the_values(values: list[float], seed: int) -> None:
    found = bootstrap_interval(means(np.array(values)), len(values), rng=seeded(seed), samples=50)
    assert min(values) - 1e-6 <= found.low <= found.high <= max(values) + 1e-6
    assert found.undefined == 0


def test_the_interval_of_a_mean_is_about_two_standard_errors_wide() -> None:
    values = seeded(1).normal(size=400)
    found = bootstrap_interval(means(values), 400, rng=seeded(2), samples=4000)
    # The standard error of the mean of 400 values of variance 1 is 1/√400 = .05, so that the ends lie 1.96 · .05 away.
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.05, rel=0.1)


def test_blocks_change_neither_the_number_of_samples_nor_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(7.0)
    whole = bootstrap_interval(means(values), 7, rng=seeded(3), samples=101)
    monkeypatch.setattr(resample, "_BLOCK", 20)  # two samples at a time
    assert bootstrap_interval(means(values), 7, rng=seeded(3), samples=101) == whole


def test_undefined_samples_are_left_out_and_counted() -> None:
    def sometimes(drawn: IntArray) -> FloatArray:
        return np.where(drawn[:, 0] == 0, np.nan, 5.0)

    found = bootstrap_interval(sometimes, 2, rng=seeded(4), samples=1000)
    assert (found.low, found.high) == (5.0, 5.0)
    assert 400 < found.undefined < 600  # half of the samples begin with unit 0


@pytest.mark.parametrize("units", [0, 3])
def test_an_interval_of_nothing_is_undefined(units: int) -> None:
    found = bootstrap_interval(lambda drawn: np.full(len(drawn), np.nan), units, rng=seeded(5), samples=10)
    assert np.isnan([found.low, found.high]).all()
    assert found.undefined == 10


@pytest.mark.parametrize(("samples", "level"), [(0, 0.95), (-1, 0.95), (10, 0.0), (10, 1.0), (10, 95.0)])
def test_a_nonsensical_interval_is_refused(samples: int, level: float) -> None:
    with pytest.raises(ValueError, match="an interval needs"):
        bootstrap_interval(means(np.ones(3)), 3, rng=seeded(6), samples=samples, level=level)


def test_a_wider_level_gives_a_wider_interval() -> None:
    values = np.arange(20.0)
    narrow, wide = (bootstrap_interval(means(values), 20, rng=seeded(7), level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert isinstance(narrow, Interval)

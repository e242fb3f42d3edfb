from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kostra.correlate import correlation, row_correlations, row_ranks


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(0, 99))
def test_ranks_and_correlations_are_those_of_scipy(scores: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = np.array([scores]) / 3, rng.integers(0, 4, (1, len(scores))) / 3
    where = rng.random((1, len(scores))) < 0.8
    ranks = row_ranks(one, where)
    assert ranks[where].tolist() == stats.rankdata(one[where]).tolist()
    found = row_correlations(ranks, row_ranks(two, where), where)[0]
    if where.sum() > 1 and np.ptp(one[where]) > 0 and np.ptp(two[where]) > 0:
        assert found == pytest.approx(stats.spearmanr(one[where], two[where]).statistic)
    else:
        assert np.isnan(found)


def test_a_constant_that_cannot_be_averaged_exactly_has_no_correlation() -> None:
    # The mean of three times 0.1 is not 0.1 in floating point, so the deviations are tiny but not zero.
    constant, varied = np.full(3, 0.1), np.array([1.0, 2.0, 3.0])
    assert np.isnan(correlation(constant, varied, ranks=False))


def test_an_empty_vector_has_no_correlation() -> None:
    assert np.isnan(correlation(np.array([]), np.array([]), ranks=True))

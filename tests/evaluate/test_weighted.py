"""Correlations of weighted pairs, against scipy on pairs that truly stand there several times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kostra.evaluate.bootstrap import cluster_mean_interval, drawn_weights, interval
from kostra.evaluate.folds import Ends
from kostra.evaluate.weighted import Concordance, Side, mean, pearson, ranked, spearman

PAIRS = [(f"s{n % 7}", f"t{n % 5}") for n in range(40)]


def values(n: int, *, seed: int, decimals: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n).round(decimals)


@pytest.mark.parametrize("decimals", [0, 1, 8], ids=["many ties", "some ties", "no ties"])
@pytest.mark.parametrize("n", [2, 3, 50, 700])
def test_unweighted_correlations_are_scipys(n: int, decimals: int) -> None:
    y = values(n, seed=1, decimals=decimals) + np.arange(n) * 0.5
    x = (y + values(n, seed=2, decimals=decimals)).round(decimals)
    x[0] -= 9.0  # so that two values are not one
    one, two, weights = Side.of(x), Side.of(y), np.ones((n, 1))
    a, b = ranked(one, weights), ranked(two, weights)
    assert spearman(a, b, weights)[0] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert pearson(one, two, weights)[0] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    tau = Concordance(one, two).tau(weights, a, b)[0]
    assert tau == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [1, 8])
def test_a_weight_of_three_is_the_pair_three_times(decimals: int, precision: type[np.floating]) -> None:
    n = 300
    y = values(n, seed=3, decimals=decimals)
    x = (y + values(n, seed=4, decimals=decimals)).round(decimals)
    weights = np.random.default_rng(5).poisson(1.0, size=(n, 4)).astype(precision)
    one, two = Side.of(x), Side.of(y)
    a, b = ranked(one, weights), ranked(two, weights)
    found = {
        "spearman": spearman(a, b, weights),
        "pearson": pearson(one, two, weights),
        "kendall": Concordance(one, two).tau(weights, a, b),
        "mean": mean(x, weights),
    }
    for sample in range(4):
        rows = np.repeat(np.arange(n), weights[:, sample].astype(int))
        assert found["spearman"][sample] == pytest.approx(stats.spearmanr(x[rows], y[rows]).statistic, abs=1e-6)
        assert found["pearson"][sample] == pytest.approx(stats.pearsonr(x[rows], y[rows]).statistic, abs=1e-5)
        assert found["kendall"][sample] == pytest.approx(stats.kendalltau(x[rows], y[rows]).statistic, abs=1e-6)
        assert found["mean"][sample] == pytest.approx(x[rows].mean(), abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=40))
def test_kendall_agrees_with_scipy_whatever_the_ties(rows: list[tuple[int, int, int]]) -> None:
    x, y, w = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    weights = w[:, None]
    one, two = Side.of(x), Side.of(y)
    found = Concordance(one, two).tau(weights, ranked(one, weights), ranked(two, weights))[0]
    often = np.repeat(np.arange(len(x)), w.astype(int))
    if len(often) < 2 or np.ptp(x[often]) == 0 or np.ptp(y[often]) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(stats.kendalltau(x[often], y[often]).statistic, abs=1e-12)


def test_a_constant_side_has_no_correlation() -> None:
    one, two, weights = Side.of(np.full(5, 0.1)), Side.of(np.arange(5.0)), np.ones((5, 1))
    a, b = ranked(one, weights), ranked(two, weights)
    assert np.isnan(
        [spearman(a, b, weights), pearson(one, two, weights), Concordance(one, two).tau(weights, a, b)]
    ).all()


def test_a_pairs_weight_is_the_product_of_its_sentences_multiplicities() -> None:
    # Three pairs that share one sentence: the weights of the first two differ only by their other sentences, and
    # whenever the shared sentence is not drawn all three are 0. The pair of a sentence with itself counts it once.
    ends = Ends.of([("a", "b"), ("a", "c"), ("a", "a")])
    (weights,) = drawn_weights(ends, samples=100, rng=np.random.default_rng(1))
    shared = weights[2]
    assert set(shared.tolist()) <= {0.0, 1.0, 2.0, 3.0}
    assert (weights[:2, shared == 0] == 0).all()
    both = shared > 0
    others = weights[0, both] / shared[both] + weights[1, both] / shared[both]
    assert (others + shared[both] == 3).all()  # three draws from three sentences


def test_resampling_pairs_draws_as_many_pairs_as_there_are() -> None:
    blocks = drawn_weights(Ends.of(PAIRS), samples=300, rng=np.random.default_rng(1), units="pairs")
    weights = np.concatenate(list(blocks), axis=1)
    assert weights.shape == (40, 300)
    assert (weights.sum(axis=0) == 40).all()


def test_sentences_that_recur_widen_the_interval_of_a_mean() -> None:
    # Twenty sentences in twenty pairs each: what a pair says is what its sentence says.
    rng = np.random.default_rng(2)
    of_sentence = rng.normal(size=20)
    pairs = [(f"s{n % 20}", f"t{n}") for n in range(400)]
    x = np.array([of_sentence[n % 20] for n in range(400)])
    widths = {}
    for units in ("sentences", "pairs"):
        blocks = drawn_weights(Ends.of(pairs), samples=400, rng=np.random.default_rng(3), units=units)
        found = interval(np.concatenate([mean(x, block) for block in blocks]))
        widths[units] = found.high - found.low
    assert widths["sentences"] > 3 * widths["pairs"]


def test_the_interval_of_a_cluster_mean_resamples_clusters() -> None:
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(10), 50)
    x = rng.normal(size=10)[cluster]
    together = cluster_mean_interval(x, cluster, samples=500, rng=rng)
    apart = cluster_mean_interval(x, np.arange(500), samples=500, rng=rng)
    assert together is not None
    assert apart is not None
    assert together.high - together.low > 3 * (apart.high - apart.low)
    assert cluster_mean_interval(x, np.zeros(500, dtype=np.int64), samples=500, rng=rng) is None

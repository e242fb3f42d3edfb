from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from kostra.analysis import context_shift as component
from kostra.analysis.context_shift import (
    context_shift,
    gain_histogram,
    gain_quantiles,
    p_values,
    rejections,
    significant,
)
from kostra.analysis.context_shift_figures import gain_figure
from kostra.analysis.t_tests import Sample, benjamini_hochberg, holm, rejected_share, student_t, welch_t
from kostra.errors import KostraError
from kostra.ratings import Ratings, ratings_from
from kostra.recipe import About, Recipe, Score, Step
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, PAIRS, Frame, check

PAIRS_TESTED = 60


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="cs", seed=1, citation="t")
    step = Step(name="test_sig", use="analysis/context_shift")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    return Context(recipe, step, folder, folder, rng(), datetime(2026, 3, 1, tzinfo=UTC))


def both(seed: int = 1) -> tuple[Ratings, Ratings]:
    """Nine of twelve people rate each pair, free and, most of them, in context; half of the pairs gain."""
    draw = np.random.default_rng(seed)
    rows: dict[str, list[tuple[str, float, str]]] = {"free": [], "context": []}
    for pair in range(PAIRS_TESTED):
        level = draw.uniform(0, 5)
        for who in draw.permutation(12)[:9]:
            rows["free"].append((f"p{pair}", float(np.clip(round(level + draw.normal()), 0, 6)), f"who{who}"))
            if draw.random() < 0.9:
                moved = level + (pair % 2) + draw.normal()
                rows["context"].append((f"p{pair}", float(np.clip(round(moved), 0, 6)), f"who{who}"))
    order = draw.permutation(len(rows["context"])).tolist()
    shuffled = [rows["context"][place] for place in order]
    return of(rows["free"]), of(shuffled)


def of(rows: list[tuple[str, float, str]]) -> Ratings:
    items, values, people = zip(*rows, strict=True)
    return ratings_from(items, values, people)


def answers(ratings: Ratings, pair: str) -> dict[str, float]:
    assert ratings.annotators is not None
    assert ratings.annotator is not None
    mine = ratings.item == ratings.items.index(pair)
    return {
        ratings.annotators[who]: float(value)
        for who, value in zip(ratings.annotator[mine], ratings.values[mine], strict=True)
    }


# Tests -------------------------------------------------------------------------------------------------


def test_every_test_is_scipys() -> None:
    free, in_context = both()
    for row in context_shift(free, in_context).pairs.iter_rows(named=True):
        one, two = answers(free, row["pair"]), answers(in_context, row["pair"])
        x, y = list(one.values()), list(two.values())
        for name, expected in (
            ("student", stats.ttest_ind(y, x)),
            ("welch", stats.ttest_ind(y, x, equal_var=False)),
            ("paired", stats.ttest_rel([two[who] for who in two], [one[who] for who in two])),
        ):
            found = [row[f"{name}_{column}"] for column in ("t", "df", "p")]
            assert found == pytest.approx([expected.statistic, expected.df, expected.pvalue], rel=1e-12, abs=1e-12)
        assert (row["free_n"], row["context_n"], row["paired_n"]) == (len(x), len(y), len(y))
        assert row["gain"] == pytest.approx(np.mean(y) - np.mean(x))


def test_adjusted_values_are_scipys_and_holm_rejects_no_more_than_benjamini_hochberg() -> None:
    p = np.random.default_rng(3).beta(0.5, 2, 200)
    assert benjamini_hochberg(p).tolist() == pytest.approx(stats.false_discovery_control(p).tolist(), abs=1e-12)
    assert (p <= benjamini_hochberg(p)).all()
    assert (benjamini_hochberg(p) <= holm(p) + 1e-15).all()
    # Holm by its definition: reject in ascending order while p ≤ α/(m − i), i = 0, 1, …
    ascending = np.sort(p)
    steps = ascending > 0.05 / np.arange(200, 0, -1)
    assert (holm(p) <= 0.05).sum() == np.argmax(steps)


def test_adjustments_leave_undefined_tests_out() -> None:
    assert np.isnan(holm(np.array([np.nan]))).all()
    assert benjamini_hochberg(np.zeros(0)).tolist() == []
    assert np.isnan(rejected_share(np.array([np.nan]), [0.05])).all()


def test_no_variance_and_equal_means_is_p_1_and_different_means_p_0() -> None:
    one = Sample(np.array([3, 3]), np.array([2.0, 2.0]), np.zeros(2))
    two = Sample(np.array([4, 4]), np.array([2.0, 1.0]), np.zeros(2))
    for found in (student_t(one, two), welch_t(one, two)):
        assert found.p.tolist() == [1.0, 0.0]
        assert found.t.tolist() == [0.0, -np.inf]
        assert found.df.tolist() == [5.0, 5.0]


def test_equal_answers_have_no_variance_although_their_mean_is_rounded() -> None:
    third = 0.1
    free = ratings_from(["p"] * 10, [third] * 10)
    shift = context_shift(free, ratings_from(["p"] * 3, [third] * 3))
    assert shift.pairs.select("student_p", "welch_p", "gain").rows() == [(1.0, 1.0, 0.0)]


def test_a_single_answer_has_no_test_and_is_named() -> None:
    free = ratings_from(["p", "p", "q"], [1, 2, 3])
    shift = context_shift(free, ratings_from(["p", "p", "q", "q"], [2, 4, 1, 2]))
    assert shift.pairs["student_p"].is_null().to_list() == [False, True]
    assert shift.pairs["student_holm"].is_null().to_list() == [False, True]
    assert "student: 1 pairs have too few answers for a test: q" in [finding.message for finding in shift.findings]


# Who is compared with whom -----------------------------------------------------------------------------


def test_anonymous_answers_have_no_paired_test_and_the_reason_is_said() -> None:
    ratings = ratings_from(["p", "p"], [1, 2])
    shift = context_shift(ratings, ratings)
    assert shift.tests == ("student", "welch")
    with pytest.raises(KostraError, match="no paired test: the answers are anonymous"):
        significant(shift, test="paired")


def test_different_people_have_no_paired_test() -> None:
    shift = context_shift(of([("p", 1, "ann"), ("p", 2, "bob")]), of([("p", 1, "cyn"), ("p", 2, "dan")]))
    assert shift.tests == ("student", "welch")
    assert [finding.kind for finding in shift.findings] == ["not_paired"]


def test_pairs_rated_in_one_condition_only_are_counted_and_must_not_be_all() -> None:
    free = of([("p", 1, "ann"), ("p", 2, "bob"), ("x", 2, "bob")])
    shift = context_shift(free, of([("y", 1, "ann"), ("p", 1, "ann"), ("p", 2, "bob"), ("z", 1, "bob")]))
    assert shift.pairs["pair"].to_list() == ["p"]
    assert shift.pairs["paired_p"].to_list() == [1.0]
    assert shift.findings[0].message == "3 pairs were rated in one condition only"
    with pytest.raises(KostraError, match="no pair was rated in both conditions"):
        context_shift(of([("p", 1, "ann")]), of([("q", 1, "ann")]))


def test_labels_are_refused() -> None:
    with pytest.raises(KostraError, match="a t-test needs numbers"):
        context_shift(ratings_from(["p"], ["yes"]), ratings_from(["p"], [1]))


# What is read from it ----------------------------------------------------------------------------------


def test_the_significant_subset_is_what_r_counts() -> None:
    shift = context_shift(*both())
    r = rejections(shift)
    for level in (0.01, 0.05, 0.5):
        moved = significant(shift, alpha=level)
        assert r.filter(pl.col("level") == level)["student"].item() == pytest.approx(moved.height / PAIRS_TESTED)
    assert 0 < significant(shift, adjust="holm").height < significant(shift).height
    assert r["student"].is_sorted()
    assert r["paired"].to_list()[-1] == 1.0


def test_under_the_null_r_is_near_the_diagonal() -> None:
    # 2,000 pairs, nine normal answers twice: p-values are uniform, so r(x) is x, give or take 1.5/√2,000.
    draw = np.random.default_rng(4)
    items = np.repeat(np.arange(2000), 9).astype(str).tolist()
    conditions = [ratings_from(items, draw.standard_normal(18_000).tolist()) for _ in range(2)]
    r = rejections(context_shift(*conditions))
    assert (r["student"] - r["level"]).abs().max() == pytest.approx(0, abs=0.034)


def test_the_histogram_counts_every_pair_once_and_quantiles_are_gains() -> None:
    shift = context_shift(*both())
    moved = significant(shift)
    counts = gain_histogram(shift, moved)
    assert counts["pairs"].sum() == PAIRS_TESTED
    assert counts["significant"].sum() == moved.height
    quantiles = gain_quantiles(shift)["gain"]
    assert quantiles.is_sorted()
    assert set(quantiles) <= set(shift.pairs["gain"])
    assert (quantiles[0], quantiles[100]) == (shift.pairs["gain"].min(), shift.pairs["gain"].max())


def test_equal_gains_have_a_histogram_and_a_figure() -> None:
    ratings = ratings_from(["p", "p"], [1, 2])
    shift = context_shift(ratings, ratings)
    assert gain_histogram(shift, significant(shift)).rows() == [(-0.5, 0.5, 1, 0)]
    assert "gain in context" in str(gain_figure(context_shift(*both()).pairs, significant(shift)).get_label())


def test_two_hundred_thousand_answers_are_tested_at_once() -> None:
    draw = np.random.default_rng(4)
    item = np.repeat(np.arange(10_000), 10)
    names, people = tuple(map(str, range(10_000))), tuple("abcdefghij")
    who = np.tile(np.arange(10), 10_000)
    free, in_context = (Ratings(names, item, draw.integers(0, 7, 100_000).astype(float), people, who) for _ in range(2))
    shift = context_shift(free, in_context)
    assert np.isfinite(p_values(shift, "paired")).all()
    assert rejected_share(p_values(shift, "welch"), 0.05) == pytest.approx(0.05, abs=0.01)


# The step ----------------------------------------------------------------------------------------------


def tables() -> Inputs:
    rows = []
    for question, phase, ratings in zip(("similarity", "in_context"), ("free", "context"), both(), strict=True):
        assert ratings.annotators is not None
        assert ratings.annotator is not None
        for item, who, value in zip(ratings.item, ratings.annotator, ratings.values, strict=True):
            rows.append((ratings.items[item], question, ratings.annotators[who], f"{value:g}", phase, "main"))
    rows.append(("p0", "similarity", "who0", "3", "free", "repeat"))
    names = ["item", "question", "annotator", "value", "phase", "block"]
    judgments = pl.DataFrame(rows, schema=names, orient="row").with_row_index("judgment")
    judgments = judgments.with_columns(pl.col("judgment").cast(pl.String), version=1, status=pl.lit("answered"))
    ids = [f"p{n}" for n in range(PAIRS_TESTED)]
    pairs: Frame = pl.DataFrame({"pair": ids, "text_a": "S", "text_b": "R"})
    return Inputs({"judgments": check(judgments, JUDGMENTS), "pairs": check(pairs, PAIRS)})


def options(**more: object) -> component.Options:
    fixed = {"free": "similarity", "in_context": "in_context", "phases": ("free", "context"), "blocks": ("main",)}
    return component.Options.model_validate({**fixed, **more})


def test_the_step_writes_statistics_and_plain_tables(tmp_path: Path) -> None:
    made = component.run(tables(), options(samples=50), context(tmp_path))
    assert list(made) == ["statistics"]
    found = {row["statistic"]: row for row in made["statistics"].iter_rows(named=True)}
    assert set(found) == {"context_gain"} | {
        f"context_rejected_{test}{adjust}"
        for test in ("student", "welch", "paired")
        for adjust in ("", "_holm", "_benjamini_hochberg")
    }
    subset = pl.read_csv(tmp_path / "context_shift_significant.csv")
    student = found["context_rejected_student"]
    assert student["value"] == pytest.approx(subset.height / PAIRS_TESTED)
    assert student["low"] < student["value"] < student["high"]
    assert "text_a" in subset.columns
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == [
        "context_gain_histogram.csv",
        "context_gain_quantiles.csv",
        "context_shift.csv",
        "context_shift_rejections.csv",
        "context_shift_significant.csv",
    ]


def test_the_step_passes_on_the_moved_pairs_on_request_only(tmp_path: Path) -> None:
    chosen = options(pass_on=True, test="paired", adjust="benjamini_hochberg", samples=50)
    assert component.writes(chosen) == ("statistics", "pairs")
    assert component.writes(options()) == ("statistics",)
    made = component.run(tables(), chosen, context(tmp_path))
    assert made["pairs"]["pair"].to_list() == pl.read_csv(tmp_path / "context_shift_significant.csv")["pair"].to_list()
    assert 0 < made["pairs"].height < PAIRS_TESTED

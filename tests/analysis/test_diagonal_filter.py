"""The diagonal filter, and the two rounds under it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from kostra.analysis import diagonal_filter as filtering
from kostra.analysis import two_rounds
from kostra.analysis.diagonal_filter import diagonal_filter, share
from kostra.analysis.two_rounds import filtered_correlations, random_control, rounds_figure
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.reliability.round_correlation import Rounds
from kostra.sources.released import czech_news_sts
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, Frame, check

EXPECTED = {"a": 6.0, "b": 3.0, "c": 0.0}
CLASSES = ["a", "a", "b", "b", "c", "c"]
FIRST = [6.0, 2.0, 3.0, 5.0, 0.0, 4.0]
SECOND = [6.0, 3.0, 3.0, 3.0, 0.0, 3.0]


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="cs", seed=1, citation="t")
    step = Step(name="rounds", use="analysis/two_rounds")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    return Context(recipe, step, folder, folder, rng(), datetime(2026, 3, 1, tzinfo=UTC))


def pairs(classes: list[str] | None = None) -> Frame:
    names = [f"p{n}" for n in range(len(CLASSES))]
    frame = pl.DataFrame({"pair": names, "text_a": "S", "text_b": "R", "subset": classes or CLASSES})
    return check(frame, PAIRS)


def scores(first: list[float], second: list[float]) -> Frame:
    rows = [(f"p{n}", "round_1", score, 1) for n, score in enumerate(first)]
    rows += [(f"p{n}", "similarity", score, 9) for n, score in enumerate(second)]
    return check(pl.DataFrame(rows, schema=["item", "question", "score", "appearances"], orient="row"), SCORES)


def inputs() -> Inputs:
    return Inputs({"pairs": pairs(), "scores": scores(FIRST, SECOND)})


# The filter --------------------------------------------------------------------------------------------


def test_n1_and_n2_keep_what_lies_near_the_diagonal() -> None:
    # Distances from 6, 6, 3, 3, 0, 0: 0, 4, 0, 2, 0, 4.
    kept = {n: diagonal_filter(np.array(FIRST), CLASSES, expected=EXPECTED, within=n).tolist() for n in (1, 2)}
    assert kept[1] == [True, False, True, False, True, False]
    assert kept[2] == [True, False, True, True, True, False]


def test_a_distance_that_is_met_exactly_is_kept_whatever_rounding_does() -> None:
    assert 3.1 - 3 > 0.1
    assert diagonal_filter(np.array([3.1]), ["b"], expected=EXPECTED, within=0.1).tolist() == [True]


def test_pairs_without_a_class_are_refused_with_the_reason(data: Path, tmp_path: Path) -> None:
    released = czech_news_sts.read(data / "cna_free_test.tsv")
    options = two_rounds.Options(first="round_1", second=("similarity",), within=(1.0,), expected=EXPECTED)
    with pytest.raises(KostraError, match="1,200 of 1,200 pairs have no class"):
        two_rounds.run(Inputs(released.tables), options, context(tmp_path))


def test_an_unexpected_class_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        KostraError, match='nothing is expected of the class A\n  accepted: a, b, c\n  try: did you mean "a"'
    ):
        diagonal_filter(np.array([6.0]), ["A"], expected=EXPECTED, within=1)


def test_the_filter_step_passes_on_the_kept_pairs_with_all_their_scores_and_counts_the_rest(tmp_path: Path) -> None:
    here = context(tmp_path)
    options = filtering.Options(question="round_1", within=1.0, expected=EXPECTED)
    made = filtering.run(inputs(), options, here)
    assert made["pairs"]["pair"].to_list() == ["p0", "p2", "p4"]
    assert sorted(made["scores"]["item"]) == ["p0", "p0", "p2", "p2", "p4", "p4"]
    (row,) = made["statistics"].rows(named=True)
    assert (row["statistic"], row["value"], row["n"], row["note"]) == ("kept_n1", 0.5, 6, "3 pairs kept")
    assert [finding.message for finding in here.findings] == [
        f"1 pairs of the class {name} are further than 1 away" for name in "abc"
    ]


def test_the_filter_step_removes_unscored_pairs_and_reports_strange_scores(tmp_path: Path) -> None:
    here = context(tmp_path)
    found = Inputs({"pairs": pairs(), "scores": scores([6.0, -4.0], [])})
    made = filtering.run(found, filtering.Options(question="round_1", within=2.0, expected=EXPECTED), here)
    assert made["pairs"]["pair"].to_list() == ["p0"]
    kinds = [finding.kind for finding in here.findings]
    assert kinds == ["unscored", "out_of_range", "filtered"]


def test_shares_have_wilsons_interval() -> None:
    # 90 of 1,200, the paper's test-sig: p = .075, middle (.075 + .0016006)/1.0032012, reach ±.0149.
    found = share(np.arange(1200) < 90)
    assert found.value == pytest.approx(0.075)
    assert (found.low, found.high) == pytest.approx((0.06142, 0.09129), abs=2e-5)
    assert np.isnan(share(np.zeros(0, dtype=np.bool_)).value)


# The two rounds under it -------------------------------------------------------------------------------


def test_correlations_under_each_filter_are_those_derived_by_hand() -> None:
    rounds = Rounds(tuple("uvwxyz"), np.array(FIRST), np.array(SECOND))
    kept = {f"n{n}": diagonal_filter(rounds.first, CLASSES, expected=EXPECTED, within=n) for n in (2, 1)}
    found = filtered_correlations(rounds, kept, controls=50, rng=rng(), samples=50)
    pearson = found.filter(pl.col("correlation") == "pearson")
    # All: squares 90 − 400/6 = 70/3 and 72 − 324/6 = 18, products 78 − 360/6 = 18; 18/√420.
    # N2 (6, 3, 5, 0 and 6, 3, 3, 0): squares 70 − 49 = 21 and 54 − 36 = 18, products 60 − 42 = 18; 18/√378.
    # N1: 6, 3, 0 in both rounds.
    assert pearson["filter"].to_list() == ["all", "n2", "n1"]
    assert pearson["value"].to_list() == pytest.approx([18 / 420**0.5, 18 / 378**0.5, 1.0])
    assert pearson["n"].to_list() == [6, 4, 3]
    assert pearson["random_mean"].is_null().to_list() == [True, False, False]


def test_random_sets_hardly_change_a_correlation_that_a_filter_raises() -> None:
    # Round 1 is the class's promise, but for a fifth of random scores; round 2 is the promise with noise.
    draw = np.random.default_rng(2)
    classes = draw.choice(list("abc"), 900).tolist()
    promise = np.array([EXPECTED[name] for name in classes])
    first = np.where(draw.random(900) < 0.2, draw.integers(0, 7, 900), promise).astype(np.float64)
    rounds = Rounds(tuple(map(str, range(900))), first, promise + draw.normal(0, 1, 900))
    kept = {"n1": diagonal_filter(first, classes, expected=EXPECTED, within=1)}
    found = filtered_correlations(rounds, kept, controls=200, rng=rng(), samples=50)
    whole, filtered = found.filter(pl.col("correlation") == "pearson").rows(named=True)
    assert filtered["random_mean"] == pytest.approx(whole["value"], abs=0.005)
    assert 0 < filtered["random_sd"] < 0.02
    assert filtered["value"] > whole["value"] + 0.05
    assert (filtered["random_at_least"], filtered["random_draws"]) == (0.0, 200)


@pytest.mark.parametrize("ranks", [True, False])
def test_all_subsets_of_a_size_are_equally_likely_controls(ranks: bool) -> None:
    # Two of 1, 2, 3 against 1, 3, 2: {1,2} and {1,3} rise (1), {2,3} falls (−1); the mean is 1/3, the sd √(8/9).
    first, second = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    found = random_control(first, second, size=2, ranks=ranks, reach=1.0, draws=20_000, rng=rng())
    assert found.mean == pytest.approx(1 / 3, abs=0.03)
    assert found.sd == pytest.approx((8 / 9) ** 0.5, abs=0.02)
    assert found.at_least == pytest.approx(2 / 3, abs=0.02)


def test_a_filter_that_keeps_nothing_or_all_has_a_control_too() -> None:
    first, second = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    assert np.isnan(random_control(first, second, size=0, draws=5, rng=rng()).mean)
    whole = random_control(first, second, size=3, draws=5, rng=rng())
    assert (whole.mean, whole.sd) == pytest.approx((0.5, 0.0))


def test_the_rounds_step_writes_every_correlation(tmp_path: Path) -> None:
    options = two_rounds.Options(
        first="round_1", second=("similarity",), within=(2.0, 1.0), expected=EXPECTED, random_controls=20, samples=20
    )
    made = two_rounds.run(inputs(), options, context(tmp_path))
    names = made["statistics"]["statistic"].to_list()
    assert names[:6] == [
        "rounds_pearson", "rounds_spearman", "rounds_pearson_n2", "rounds_pearson_n2_random", "rounds_spearman_n2",
        "rounds_spearman_n2_random",
    ]  # fmt: skip
    assert len(names) == 10
    assert pl.read_csv(tmp_path / "two_rounds.csv").height == 6
    figure = rounds_figure(pl.read_csv(tmp_path / "two_rounds.csv"))
    assert "n1: filtered 1.00" in str(figure.get_label())


def test_the_rounds_step_gives_the_papers_correlation_once_the_user_corrects_the_cell(
    data: Path, tmp_path: Path
) -> None:
    released = czech_news_sts.read(data / "cna_free_test.tsv")
    as_released = two_rounds.Options(first="round_1", second=("similarity",), samples=50)
    correction = two_rounds.Correction(question="round_1", item="line-0004", score=4.0)
    corrected = as_released.model_copy(update={"corrections": (correction,)})
    for options, value, said in (
        (as_released, 0.8755, "1 score outside 0 to 6: −4 (line-0004)"),
        (corrected, 0.8787, "corrected by the user: line-0004 from −4 to 4"),
    ):
        here = context(tmp_path)
        made = two_rounds.run(Inputs(released.tables), options, here)
        assert made["statistics"]["value"][0] == pytest.approx(value, abs=5e-5)
        assert [finding.message for finding in here.findings] == [said]


def test_a_correction_of_a_question_that_the_step_does_not_read_is_refused(tmp_path: Path) -> None:
    correction = two_rounds.Correction(question="round1", item="p0", score=4.0)
    options = two_rounds.Options(first="round_1", second=("similarity",), corrections=(correction,))
    with pytest.raises(KostraError, match='a correction is about "round1"'):
        two_rounds.run(inputs(), options, context(tmp_path))


def test_a_cell_is_corrected_once(tmp_path: Path) -> None:
    twice = tuple(two_rounds.Correction(question="round_1", item="p0", score=score) for score in (4.0, 5.0))
    options = two_rounds.Options(first="round_1", second=("similarity",), corrections=twice)
    with pytest.raises(KostraError, match='"p0" of "round_1" is corrected twice'):
        two_rounds.run(inputs(), options, context(tmp_path))


def test_a_filter_without_expectations_or_without_pairs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="a diagonal filter needs `expected`"):
        two_rounds.Options(first="round_1", second=("similarity",), within=(1.0,))
    options = two_rounds.Options(first="round_1", second=("similarity",), within=(1.0,), expected=EXPECTED)
    with pytest.raises(KostraError, match="a diagonal filter needs the pairs' classes"):
        two_rounds.run(Inputs({"scores": scores(FIRST, SECOND)}), options, context(tmp_path))

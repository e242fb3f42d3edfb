"""Counts of scores, labels and changes; correlations inside bins."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from kostra.analysis import distribution, score_bins
from kostra.analysis.distribution import binned, counted, counts_figure, moments, rounded
from kostra.analysis.score_bins import bins_figure
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, SENTENCES, Frame, check


def context(folder: Path, use: str = "analysis/distribution") -> Context:
    about = About(name="t", title="t", protocol="t", language="pl", seed=1, citation="t")
    step = Step(name="counts", use=use)
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=5.0), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(5), datetime(2026, 3, 1, tzinfo=UTC))


def scores(question: str, values: list[float | None], labels: list[str | None] | None = None) -> Frame:
    count = len(values)
    frame = {"item": [f"p{n}" for n in range(count)], "question": [question] * count, "score": values}
    made = pl.DataFrame({**frame, "label": labels or [None] * count, "appearances": [6] * count})
    return check(made, SCORES)


def pairs(count: int, subsets: list[str] | None = None, sentences: list[tuple[str, str]] | None = None) -> Frame:
    frame = {"pair": [f"p{n}" for n in range(count)], "text_a": ["A"] * count, "text_b": ["B"] * count}
    ends = sentences or [("a", "b")] * count
    more = {"sentence_a": [a for a, _ in ends], "sentence_b": [b for _, b in ends], "subset": subsets or ["x"] * count}
    return check(pl.DataFrame({**frame, **more}), PAIRS)


def statistics(made: dict[str, Frame]) -> dict[str, float]:
    return dict(made["statistics"].select("statistic", "value").iter_rows())


# Counting ----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_means_of_six_whole_ratings_are_rounded_half_up_without_crumbs(sums: list[int]) -> None:
    means = np.array([total / 6 for total in sums])
    assert rounded(means, "half_up").tolist() == [(2 * total + 6) // 12 for total in sums]


def test_every_degree_of_the_scale_is_counted_also_where_there_is_none(tmp_path: Path) -> None:
    # 0.49 → 0, 2.5 → 3, 4.5 → 5.
    inputs = Inputs({"scores": scores("relatedness", [0.49, 2.5, 2.6, 4.5])})
    made = distribution.run(inputs, distribution.Options(rounding="half_up"), context(tmp_path))
    assert statistics(made) == {
        "count_0": 1, "count_1": 0, "count_2": 0, "count_3": 2, "count_4": 0, "count_5": 1
    }  # fmt: skip
    assert made["statistics"]["n"].to_list() == [4] * 6
    assert (tmp_path / "distribution.svg").is_file()
    assert pl.read_csv(tmp_path / "distribution.csv")["count"].sum() == 4


def test_labels_are_counted_the_most_frequent_first(tmp_path: Path) -> None:
    labels: list[str | None] = ["neutral", "entailment+neutral", "neutral"]
    inputs = Inputs({"scores": scores("both_ways", [None] * 3, labels)})
    made = distribution.run(inputs, distribution.Options(question="both_ways"), context(tmp_path))
    assert statistics(made) == {"count_neutral": 2, "count_entailment+neutral": 1}
    assert made["statistics"]["note"][0] == "66.7% of 3 pairs"


def test_scores_are_counted_apart_by_subset_and_each_part_is_a_whole(tmp_path: Path) -> None:
    inputs = Inputs({"pairs": pairs(4, ["a", "a", "b", "b"]), "scores": scores("relatedness", [5.0, 4.0, 0.0, 0.0])})
    made = distribution.run(inputs, distribution.Options(by="subset"), context(tmp_path))
    found = statistics(made)
    assert (found["count_a_5"], found["count_b_0"], found["count_b_5"]) == (1, 2, 0)
    assert sum(found.values()) == 4
    csv = pl.read_csv(tmp_path / "distribution.csv")
    assert csv.group_by("part").agg(pl.col("share").sum()).sort("part")["share"].to_list() == [1.0, 1.0]


def test_many_different_scores_are_put_into_bins_with_mean_and_deviation(tmp_path: Path) -> None:
    values: list[float | None] = np.linspace(0, 5, 101).tolist()
    inputs = Inputs({"pairs": pairs(101), "scores": scores("relatedness", values)})
    made = distribution.run(inputs, distribution.Options(by="subset", bins=4), context(tmp_path))
    found = statistics(made)
    assert found["distribution_mean"] == pytest.approx(2.5)
    # Equally spaced from 0 to 5: the variance is .05² · 101 · 102 / 12 with n − 1.
    assert found["distribution_standard_deviation_x"] == pytest.approx((0.05**2 * 101 * 102 / 12) ** 0.5)
    assert pl.read_csv(tmp_path / "distribution.csv")["count"].to_list() == [25, 25, 25, 26]


def test_only_sentences_that_stand_in_a_pair_are_counted_by_the_rule_that_made_them(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "sentence": ["s", "s~1", "s~2", "s~3"],
            "text": ["w", "x", "y", "z"],
            "source": "t",
            "language": "pl",
            "change": [None, "negation", "negation", "passivisation"],
        }
    )
    inputs = Inputs({"sentences": check(frame, SENTENCES), "pairs": pairs(2, sentences=[("s", "s~1"), ("s", "s~3")])})
    told = context(tmp_path)
    made = distribution.run(inputs, distribution.Options(by="change"), told)
    assert statistics(made) == {"count_negation": 1, "count_passivisation": 1}
    assert "2 of 3 made sentences" in str(told.findings[0])


@pytest.mark.parametrize(
    ("options", "tables", "says"),
    [
        ({"question": "relatednes"}, {"scores"}, 'did you mean "relatedness"'),
        ({"by": "subset"}, {"scores"}, "needs pairs"),
        ({"by": "change"}, {"scores"}, "counts sentences"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    options: dict[str, str], tables: set[str], says: str, tmp_path: Path
) -> None:
    whole = {"scores": scores("relatedness", [1.0])}
    with pytest.raises(KostraError) as error:
        distribution.run(
            Inputs({name: whole[name] for name in tables}),
            distribution.Options.model_validate(options),
            context(tmp_path),
        )
    assert says in str(error.value)


@pytest.mark.parametrize(
    "strange", [{"rounding": "half_up", "bins": 3}, {"by": "change", "question": "x"}, {"rounding": "up"}]
)
def test_options_that_contradict_each_other_are_refused(strange: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        distribution.Options.model_validate(strange)


def test_a_part_of_one_score_has_a_mean_and_no_deviation() -> None:
    mean, sd = moments(np.array([3.0]))
    assert (mean.value, mean.n) == (3.0, 1)
    assert np.isnan(sd.value)
    assert sd.note.startswith("undefined")


def test_counting_and_drawing_nothing_gives_an_empty_table() -> None:
    assert counted([]).height == 0
    assert binned(np.zeros(0), low=0, high=1, bins=3).height == 0
    assert counts_figure(counted(["a"]), x_label="pairs", title="t").get_label()


# Bins --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("closed", "sizes"), [("right", [3, 2]), ("left", [2, 3])])
def test_an_edge_belongs_to_the_side_that_is_closed(closed: score_bins.Closed, sizes: list[int]) -> None:
    old = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    found = score_bins.score_bins(old, old, edges=[0, 1, 2], closed=closed, rng=np.random.default_rng(1), samples=5)
    assert found["n"].to_list() == [5, *sizes]


def test_bins_correlate_two_questions_and_say_which_items_have_only_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    old = rng.uniform(0, 5, 200)
    both = [scores("similarity", old.tolist()), scores("relatedness", (old + rng.normal(0, 0.1, 200)).tolist()[:190])]
    told = context(tmp_path, "analysis/score_bins")
    options = score_bins.Options(against="similarity", edges=(0.0, 2.5, 5.0), samples=50)
    made = score_bins.run(Inputs({"scores": pl.concat(both)}), options, told)
    found = statistics(made)
    assert set(found) == {"spearman_similarity", "spearman_similarity_[0, 2.5]", "spearman_similarity_(2.5, 5]"}
    assert min(found.values()) > 0.9
    assert made["statistics"]["n"].sum() == 2 * 190
    assert any("10 items have no score in the other round" in str(finding) for finding in told.findings)
    assert (tmp_path / "score_bins.svg").is_file()


def test_a_bin_with_too_few_items_has_no_correlation_and_says_so() -> None:
    old = np.array([0.1, 0.2, 0.3, 4.0])
    found = score_bins.score_bins(old, old, edges=[0, 1, 5], rng=np.random.default_rng(1), samples=5)
    assert found["value"].to_list()[1:] == [pytest.approx(1.0), None]
    assert found["note"][2] == "undefined: fewer than two items"
    assert "(1, 5]" not in str(bins_figure(found, x_label="x").get_label())


def test_edges_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(ValidationError, match="ascend"):
        score_bins.Options(against="similarity", edges=(0.0, 2.0, 1.0))

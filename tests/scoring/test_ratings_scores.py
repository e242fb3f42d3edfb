from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.ratings import ratings_from
from kostra.recipe import Recipe
from kostra.scoring import mean, median, ratings, trimmed_mean, z_scored_mean
from kostra.scoring.mean import agreement_with_mean, mean_scores, numeric_answers
from kostra.scoring.median import median_scores
from kostra.scoring.ratings import declared, first_of_reverses
from kostra.scoring.trimmed_mean import trimmed_mean_scores
from kostra.scoring.z_scored_mean import z_scored_mean_scores
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, PAIRS, Frame, check


def rated(**items: list[float]) -> Frame:
    """Ratings by item; the annotators are a, b, c, …"""
    rows = [(item, chr(97 + k), float(value)) for item, values in items.items() for k, value in enumerate(values)]
    schema = {"item": pl.String, "annotator": pl.String, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def judged(*rows: tuple[str, str | None, str], **same: str) -> Frame:
    """Judgments of (item, annotator, value)."""
    fixed = {"question": "similarity", "status": "answered", "phase": "main", "block": "main"} | same
    frame = pl.DataFrame(
        [(f"j{n}", *row) for n, row in enumerate(rows)],
        schema={"judgment": pl.String, "item": pl.String, "annotator": pl.String, "value": pl.String},
        orient="row",
    )
    columns = {name: pl.lit(value) for name, value in fixed.items()}
    return check(frame.with_columns(version=pl.lit(1, dtype=pl.Int64), **columns), JUDGMENTS)


def context_of(folder: Path, use: str = "scoring/mean", phases: list[dict[str, Any]] | None = None) -> Context:
    steps: list[dict[str, Any]] = [{"name": "scores", "use": use}]
    if phases is not None:
        steps.insert(0, {"name": "judge", "use": "campaign/annotate", "with": {"phases": phases}})
    about = {"name": "r", "title": "t", "protocol": "p", "language": "en", "seed": 1, "citation": "c"}
    score = {"question": "similarity", "low": 0.0, "high": 5.0}
    recipe = Recipe.model_validate({"recipe": about, "score": score, "steps": tuple(steps)}, strict=False)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Context(recipe, recipe.steps[-1], folder, folder, np.random.default_rng(1), now)


def rows(frame: Frame, *columns: str) -> list[tuple[Any, ...]]:
    return frame.select(columns).with_columns(pl.col(pl.Float64).round(6)).rows()


# ---- the statistics


def test_the_mean_has_the_sample_standard_error() -> None:
    # 1, 2, 6: mean 3, squares 4 + 1 + 9 = 14, s² = 7, SE = √(7/3).
    assert rows(mean_scores(rated(p=[1, 2, 6]), question="q"), "score", "standard_error") == [(3.0, 1.527525)]


def test_the_median_of_an_even_number_is_the_middle_of_two_and_of_two_is_the_mean() -> None:
    # Of 1 and 3 the bootstrap's medians are 1, 2, 2, 3, all as likely: variance 1/2, times n/(n − 1) = 2.
    assert rows(median_scores(rated(p=[1, 3]), question="q"), "score", "standard_error") == [(2.0, 1.0)]
    assert rows(median_scores(rated(p=[0, 1, 2, 5]), question="q"), "score") == [(1.5,)]


def test_the_error_of_a_median_of_four_counts_all_256_draws() -> None:
    values = [0.0, 1.0, 2.0, 5.0]
    draws = np.array(np.meshgrid(*[values] * 4)).reshape(4, -1)
    expected = float(np.median(draws, axis=0).std() * np.sqrt(4 / 3))
    [(error,)] = median_scores(rated(p=values), question="q").select("standard_error").rows()
    assert error == pytest.approx(expected, abs=1e-12)


def test_the_error_of_a_median_of_very_many_ratings_is_finite() -> None:
    values = np.random.default_rng(1).normal(size=2000)
    [(error,)] = median_scores(rated(p=values.tolist()), question="q").select("standard_error").rows()
    assert error == pytest.approx(1.2533 / np.sqrt(2000), rel=0.3)  # of a normal sample: √(π/2) σ/√n


def test_a_trimmed_mean_winsorises_for_its_error() -> None:
    # A fifth off either end of 0, 3, 3, 4, 5 leaves 3, 3, 4: mean 10/3. Winsorised 3, 3, 3, 4, 4: mean 3.4, squares
    # 3 · .16 + 2 · .36 = 1.2; h = 3: √(1.2 / 6) = .447214.
    found = trimmed_mean_scores(rated(p=[0, 3, 3, 4, 5]), question="q", share=0.2)
    assert rows(found, "score", "standard_error", "appearances") == [(3.333333, 0.447214, 5)]


def test_a_share_that_cuts_nothing_off_gives_the_mean() -> None:
    few = rated(p=[1, 2, 6], q=[0])
    assert trimmed_mean_scores(few, question="q", share=0.3).equals(mean_scores(few, question="q"))


def test_a_trimmed_mean_of_which_one_rating_remains_has_no_error() -> None:
    found = trimmed_mean_scores(rated(p=[1, 2, 6]), question="q", share=0.34)
    assert rows(found, "score", "standard_error") == [(2.0, None)]


@pytest.mark.parametrize("share", [-0.1, 0.5, float("nan")])
def test_a_share_outside_its_range_is_refused(share: float) -> None:
    with pytest.raises(KostraError, match="cut off"):
        trimmed_mean_scores(rated(p=[1]), question="q", share=share)


@pytest.mark.parametrize("method", [mean_scores, median_scores, trimmed_mean_scores])
def test_edges_are_the_same_for_every_summary(method: Any) -> None:
    assert method(rated(), question="q").is_empty(), "without ratings there are no scores"
    assert rows(method(rated(p=[4]), question="q"), "score", "standard_error") == [(4.0, None)]
    assert rows(method(rated(p=[0.1] * 7), question="q"), "score", "standard_error") == [(0.1, 0.0)]
    with pytest.raises(KostraError, match="NaN or infinite"):
        method(rated(p=[1, float("nan")]), question="q")


@settings(deadline=None, max_examples=20)  # the clock of a shared machine proves nothing
@given(st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=9), min_size=1, max_size=6), st.integers(0, 99))
def test_order_changes_nothing_and_scores_lie_among_the_ratings(answers: list[list[int]], seed: int) -> None:
    frame = rated(**{f"i{k}": [value / 3 for value in values] for k, values in enumerate(answers)})
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    for method in (mean_scores, median_scores, trimmed_mean_scores):
        found = method(frame, question="q")
        assert found.equals(method(shuffled, question="q"))
        for k, values in enumerate(answers):
            [score] = found.filter(pl.col("item") == f"i{k}")["score"]
            assert min(values) / 3 <= score <= max(values) / 3


# ---- z-scores


def test_z_scoring_takes_out_who_leans_high() -> None:
    # Bob rates as Ann does, one point higher: both have the mean ± 1, s_a = √2 and z = ∓√½.
    found = z_scored_mean_scores(
        pl.DataFrame({"item": list("pqpq"), "annotator": list("aabb"), "value": [1.0, 3.0, 2.0, 4.0]}),
        question="q", low=0, high=5,
    )  # fmt: skip
    # Mean of all 2.5, s = √2, mean z ∓√½: scores 2.5 ∓ 1, with no error since both agree exactly.
    assert rows(found.scores, "item", "score", "standard_error") == [("p", 1.5, 0.0), ("q", 3.5, 0.0)]
    assert (found.constant, found.unscored, found.clipped) == ((), (), ())


def test_scores_beyond_the_scale_are_put_at_its_end_and_named() -> None:
    frame = pl.DataFrame({"item": list("pqrsp"), "annotator": list("aaaab"), "value": [5.0, 4.0, 4.0, 4.0, 5.0]})
    frame = pl.concat([frame, pl.DataFrame({"item": list("qrs"), "annotator": list("bbb"), "value": [0.0, 0.0, 0.0]})])
    found = z_scored_mean_scores(frame, question="q", low=0, high=5)
    # Both have z = 1.5 for p; mean 2.75, s² = (.25 + 6.25) / 2: 2.75 + 1.5 · 1.8028 = 5.454.
    assert found.clipped == ("p",)
    assert rows(found.scores, "score", "raw")[0] == (5.0, 1.5)


def test_whoever_always_says_the_same_has_no_z() -> None:
    frame = pl.DataFrame({"item": list("pqpr"), "annotator": list("aabb"), "value": [1.0, 3.0, 2.0, 2.0]})
    found = z_scored_mean_scores(frame, question="q", low=0, high=5)
    assert (found.constant, found.unscored) == (("b",), ("r",))
    assert found.scores["item"].to_list() == ["p", "q"]
    with pytest.raises(KostraError, match="nobody gave two different ratings"):
        z_scored_mean_scores(rated(p=[1], q=[1]), question="q", low=0, high=5)


def test_z_scoring_refuses_anonymous_answers() -> None:
    anonymous = rated(p=[1, 2]).with_columns(annotator=pl.lit(None, dtype=pl.String))
    with pytest.raises(KostraError, match="z-scoring needs to know who gave which answer"):
        z_scored_mean_scores(anonymous, question="q", low=0, high=5)


def test_no_answers_have_no_z_scores() -> None:
    assert z_scored_mean_scores(rated(), question="q", low=0, high=5).scores.is_empty()


# ---- agreement with the mean


def test_agreement_with_the_mean_needs_three_shared_items() -> None:
    two = ratings_from(["p", "p", "q", "q", "r"], [1, 2, 3, 4, 5], ["a", "b", "a", "b", "a"])
    assert [found.answers for found in agreement_with_mean(two)] == [2, 2]
    assert all(np.isnan(found.share) for found in agreement_with_mean(two))
    alone = ratings_from(["p"], [1], ["a"])
    assert agreement_with_mean(alone)[0].answers == 0


# ---- the steps


def test_a_step_scores_the_chosen_phases_and_blocks_under_the_wanted_name(tmp_path: Path) -> None:
    frame = pl.concat([
        judged(("p", "a", "1"), ("p", "b", "3")),
        judged(("p", "a", "5"), block="repeat").with_columns(judgment=pl.lit("x")),
        judged(("p", "c", "5"), phase="pilot").with_columns(judgment=pl.lit("y")),
    ])  # fmt: skip
    options = mean.Options(phases=("main",), blocks=("main",), as_question="renamed")
    scores = mean.run(Inputs({"judgments": frame}), options, context_of(tmp_path))["scores"]
    assert rows(scores, "question", "score", "appearances") == [("renamed", 2.0, 2)]


def test_a_second_answer_of_one_person_is_refused_with_what_to_do(tmp_path: Path) -> None:
    frame = judged(("p", "a", "1"), ("p", "a", "3"))
    with pytest.raises(KostraError, match="a on p") as caught:
        mean.run(Inputs({"judgments": frame}), mean.Options(), context_of(tmp_path))
    assert 'blocks = ["main"]' in str(caught.value)


def test_anonymous_answers_to_one_item_are_not_repeats(tmp_path: Path) -> None:
    frame = judged(("p", None, "1"), ("p", None, "3"))
    assert mean.run(Inputs({"judgments": frame}), mean.Options(), context_of(tmp_path))["scores"]["score"][0] == 2


@pytest.mark.parametrize("value", ["seven", "6", "-1", "NaN", "inf"])
def test_text_nan_and_numbers_off_the_scale_are_refused_with_their_judgment(value: str, tmp_path: Path) -> None:
    frame = judged(("p", "a", "1"), ("p", "b", value))
    with pytest.raises(KostraError, match="are no number from 0 to 5: judgments j1"):
        median.run(Inputs({"judgments": frame}), median.Options(), context_of(tmp_path))


def test_an_unknown_phase_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='no judgment has the phase "mian"') as caught:
        mean.run(Inputs({"judgments": judged(("p", "a", "1"))}), mean.Options(phases=("mian",)), context_of(tmp_path))
    assert caught.value.accepted == "main"


def test_only_skipped_answers_give_no_scores(tmp_path: Path) -> None:
    frame = judged(("p", "a", "1"), status="skipped")
    for module in (mean, median, trimmed_mean, z_scored_mean):
        options = module.Options()
        assert module.run(Inputs({"judgments": frame}), options, context_of(tmp_path))["scores"].is_empty()


def test_a_pair_and_its_reverse_are_one_score_on_request(tmp_path: Path) -> None:
    # CDSC: three judges each way, six ratings; 1, 2, 3 and 3, 4, 5 have the mean 3.
    answers = [("p", who, value) for who, value in zip("abc", "123", strict=True)]
    answers += [("q", who, value) for who, value in zip("abc", "345", strict=True)] + [("r", "a", "5")]
    pairs = check(
        pl.DataFrame({"pair": ["p", "q", "r"], "text_a": "xyz", "text_b": "yxz", "reverse": ["q", "p", None]})
        .with_columns(text_a=pl.lit("x"), text_b=pl.lit("y")),
        PAIRS,
    )  # fmt: skip
    context = context_of(tmp_path)
    inputs = Inputs({"judgments": judged(*answers), "pairs": pairs})
    scores = ratings.run(inputs, ratings.Options(method="mean", merge_reverses=True), context)["scores"]
    assert rows(scores, "item", "score", "appearances") == [("p", 3.0, 6), ("r", 5.0, 1)]
    assert [finding.kind for finding in context.findings] == ["no_reverse"]
    with pytest.raises(KostraError, match="merge_reverses needs the pairs"):
        ratings.run(Inputs({"judgments": judged(*answers)}), ratings.Options(merge_reverses=True), context)


@pytest.mark.parametrize("method", ["mean", "median", "trimmed_mean", "z_scored_mean"])
def test_ratings_does_what_the_method_of_that_name_does(method: Any, tmp_path: Path) -> None:
    modules: dict[str, Any] = {
        "mean": mean, "median": median, "trimmed_mean": trimmed_mean, "z_scored_mean": z_scored_mean,
    }  # fmt: skip
    inputs = Inputs({"judgments": judged(*[(item, who, str(n % 6)) for n, (item, who) in enumerate(
        (item, who) for item in "pqrs" for who in "abc")])})  # fmt: skip
    own = modules[method].run(inputs, modules[method].Options(), context_of(tmp_path))["scores"]
    assert ratings.run(inputs, ratings.Options(method=method), context_of(tmp_path))["scores"].equals(own)
    assert modules[method].plan({"judgments": 12}, modules[method].Options(), context_of(tmp_path)).says


def test_a_trimmed_mean_says_when_it_trimmed_nothing(tmp_path: Path) -> None:
    context = context_of(tmp_path)
    trimmed_mean.run(Inputs({"judgments": judged(("p", "a", "1"))}), trimmed_mean.Options(), context)
    assert [finding.kind for finding in context.findings] == ["nothing_trimmed"]


def test_z_scoring_notes_whom_it_left_out(tmp_path: Path) -> None:
    context = context_of(tmp_path)
    answers = judged(("p", "a", "1"), ("q", "a", "3"), ("p", "b", "2"), ("r", "b", "2"))
    z_scored_mean.run(Inputs({"judgments": answers}), z_scored_mean.Options(), context)
    assert [finding.kind for finding in context.findings] == ["constant", "unscored"]


def test_another_question_is_checked_against_the_range_that_its_campaign_declares(tmp_path: Path) -> None:
    asked = {"name": "in_context", "low": 0.0, "high": 9.0}
    phases = [{"name": "main", "task": "rating", "questions": [asked]}]
    recipe = context_of(tmp_path, phases=phases).recipe
    assert (declared(recipe, "in_context").high, declared(recipe, "other").high, declared(recipe, None).high) == (
        9,
        5,
        5,
    )


@pytest.mark.parametrize("reverse", [["p", None], ["q", "r"]])
def test_reverses_that_do_not_fit_are_refused(reverse: list[str | None]) -> None:
    with pytest.raises(KostraError, match="has as its reverse"):
        first_of_reverses(pl.DataFrame({"pair": ["p", "q"], "reverse": reverse}))


def test_numeric_answers_keep_item_annotator_and_value(tmp_path: Path) -> None:
    found = numeric_answers(judged(("p", "a", "1.5")), context_of(tmp_path).recipe.score)
    assert found.rows() == [("p", "a", 1.5)]

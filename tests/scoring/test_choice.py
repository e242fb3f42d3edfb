"""The best–worst choice model, with and without annotators' reliabilities, and its split-half reliability."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from kostra.correlate import correlation
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.reliability.split_half import split_half_disjoint_best_worst
from kostra.reliability.split_half_choice import split_half_choice, split_half_disjoint_choice
from kostra.sampling.design import tuple_design
from kostra.scoring import choice, choice_annotators, counting
from kostra.scoring.choice import (
    choice_scores,
    gathered,
    information,
    inverse_diagonal,
    log_determinant,
    log_likelihood,
    preference_scores,
)
from kostra.scoring.choice_annotators import choice_annotator_scores, joint_log_posterior
from kostra.scoring.counting import FloatArray, IntArray, count_scores
from kostra.sources.best_worst import read_best_worst
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, Frame, check

DATA = Path(os.environ.get("KOSTRA_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ARABIC = DATA / "semrel_arb_bws_ids.csv"
Given = tuple[IntArray, IntArray, IntArray]


def simulated(
    items: int, rng: np.random.Generator, *, noise: FloatArray | float = 0.57, tuples: int | None = None
) -> tuple[FloatArray, Given]:
    """Latents and answers: each of 2N random tuples is answered twice."""
    z = rng.standard_normal(items)
    shown = np.repeat(tuple_design(items, tuples=tuples or 2 * items, rng=rng), 2, axis=0)
    rows, scale = np.arange(len(shown)), np.broadcast_to(noise, (len(shown),))[:, None]
    best = np.argmax(z[shown] + scale * rng.gumbel(size=shown.shape), axis=1)
    low = z[shown] - scale * rng.gumbel(size=shown.shape)
    low[rows, best] = np.inf
    return z, (shown, shown[rows, best], shown[rows, np.argmin(low, axis=1)])


@st.composite
def answers(draw: st.DrawFn) -> tuple[IntArray, IntArray, IntArray, int]:
    """Draw possible answers: tuples of different items, the first best and the last worst, then shuffled."""
    items = draw(st.integers(2, 7))
    size = draw(st.integers(2, items))
    drawn = draw(st.lists(st.permutations(range(items)), min_size=1, max_size=12))
    rows = np.array([row[:size] for row in drawn], dtype=np.int64)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return rng.permuted(rows, axis=1), rows[:, 0].copy(), rows[:, -1].copy(), items


def naive_log_posterior(z: FloatArray, given_answers: Given, sigma: float) -> float:
    """The definition, answer by answer."""
    total = -0.5 * float(z @ z) / sigma**2 - len(z) * float(np.log(sigma * np.sqrt(2 * np.pi)))
    for members, best, worst in zip(*(column.tolist() for column in given_answers), strict=True):
        rest = [member for member in members if member != best]
        total += z[best] - np.log(sum(np.exp(z[member]) for member in members))
        total += -z[worst] - np.log(sum(np.exp(-z[member]) for member in rest))
    return float(total)


# The model ---------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(answers(), st.floats(0.3, 3))
def test_the_fit_is_the_maximum_that_a_search_on_the_definition_finds(
    drawn: tuple[IntArray, IntArray, IntArray, int], sigma: float
) -> None:
    tuples, best, worst, items = drawn
    model = choice_scores(tuples, best, worst, items=items, sigma=sigma)
    seen = np.flatnonzero(model.appearances)
    number = np.zeros(items, dtype=np.int64)
    number[seen] = np.arange(len(seen))
    arrays = (number[tuples], number[best], number[worst])

    def cost(z: FloatArray) -> float:
        return -naive_log_posterior(z, arrays, sigma)

    found = optimize.minimize(cost, np.zeros(len(seen), dtype=np.float64), method="BFGS")  # slopes by differences
    assert model.converged
    assert model.log_posterior == pytest.approx(naive_log_posterior(model.z[seen], arrays, sigma), abs=1e-8)
    assert model.log_posterior >= -found.fun - 1e-8
    assert model.z[seen] == pytest.approx(found.x, abs=1e-3)


@settings(max_examples=30, deadline=None)
@given(answers(), st.integers(0, 99))
def test_gradient_and_hessian_agree_with_differences(
    drawn: tuple[IntArray, IntArray, IntArray, int], seed: int
) -> None:
    tuples, best, worst, items = drawn
    gathered_answers, _ = gathered(tuples, best, worst, items=items)
    z = np.random.default_rng(seed).standard_normal(items)
    _, gradient = log_likelihood(z, gathered_answers)
    hessian = -information(z, gathered_answers).toarray()
    step = 1e-5
    for item in range(items):
        move = step * np.eye(items)[item]
        up, down = (log_likelihood(z + side * move, gathered_answers) for side in (1, -1))
        assert gradient[item] == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-6)
        assert hessian[item] == pytest.approx((up[1] - down[1]) / (2 * step), abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(answers(), st.integers(0, 99))
def test_neither_the_order_of_answers_nor_the_numbering_of_items_matters(
    drawn: tuple[IntArray, IntArray, IntArray, int], seed: int
) -> None:
    tuples, best, worst, items = drawn
    rng = np.random.default_rng(seed)
    rows, names = rng.permutation(len(best)), rng.permutation(items)
    one = choice_scores(tuples, best, worst, items=items, sigma=1.3)
    moved = rng.permuted(tuples[rows], axis=1)
    same = choice_scores(moved, best[rows], worst[rows], items=items, sigma=1.3)
    renamed = choice_scores(names[tuples], names[best], names[worst], items=items, sigma=1.3)
    for name in ("z", "standard_error", "score", "score_error"):
        assert np.array_equal(getattr(one, name), getattr(same, name), equal_nan=True)
        assert getattr(renamed, name)[names] == pytest.approx(getattr(one, name), abs=1e-5, nan_ok=True)


def test_equal_answers_are_added_up_and_opposite_ones_are_not() -> None:
    # Best and worst exchanged, with the same rest, is another answer.
    tuples = np.array([[0, 1, 2], [2, 0, 1], [0, 1, 2]])
    found, where = gathered(tuples, np.array([0, 0, 2]), np.array([2, 2, 0]), items=3)
    assert found.places.T.tolist() == [[0, 1, 2], [2, 1, 0]]
    assert (found.count.tolist(), where.tolist()) == ([2.0, 1.0], [0, 0, 1])


def test_known_latents_prior_width_and_noise_are_recovered() -> None:
    truth, given_answers = simulated(400, np.random.default_rng(3))
    model = choice_scores(*given_answers, items=400)
    counted = count_scores(*given_answers, items=400).raw
    assert model.converged
    assert model.sigma == pytest.approx(1 / 0.57, rel=0.12)  # in units of the noise the latents have this spread
    right = correlation(model.z, truth, ranks=True)
    assert right > 0.94 > correlation(counted, truth, ranks=True) - 0.001
    # Standard errors are honest: about 95% of the latents lie within two of them (the level is free: centred).
    off = model.z - truth / 0.57
    inside = np.abs(off - off.mean()) < 1.96 * model.standard_error
    assert 0.9 < inside.mean() < 0.98


def test_the_chosen_width_has_the_largest_evidence() -> None:
    _, given_answers = simulated(60, np.random.default_rng(4))
    chosen = choice_scores(*given_answers, items=60)
    for factor in (0.8, 0.95, 1.05, 1.25):
        other = choice_scores(*given_answers, items=60, sigma=factor * chosen.sigma)
        assert other.log_evidence < chosen.log_evidence


def test_evidence_is_close_to_the_integral_it_approximates() -> None:
    # Two items, 0 preferred four times of five: z₀ − z₁ ~ N(0, 2σ²), so the evidence is one integral.
    best, sigma = np.array([0, 0, 0, 0, 1]), 1.2
    model = choice_scores(np.tile([0, 1], (5, 1)), best, 1 - best, items=2, sigma=sigma)
    d = np.linspace(-15, 15, 20_001)
    density = np.exp(-(d**2) / (4 * sigma**2)) / np.sqrt(4 * np.pi * sigma**2)
    likelihood = (1 + np.exp(-d)) ** -4.0 * (1 + np.exp(d)) ** -1.0
    exact = np.log((likelihood * density).sum() * (d[1] - d[0]))
    assert model.log_evidence == pytest.approx(exact, abs=0.03)


def test_an_item_that_is_always_best_has_a_finite_score_inside_the_range() -> None:
    _, (tuples, best, worst) = simulated(20, np.random.default_rng(5))
    best = np.where((tuples == 7).any(axis=1), 7, best)
    worst = np.where(best == worst, [row[row != 7][0] for row in tuples], worst)
    model = choice_scores(tuples, best, worst, items=20)
    assert model.converged
    assert np.isfinite(model.z).all()
    assert int(model.z.argmax()) == 7
    assert 0.5 < model.score[7] < 1


def test_one_answer_gives_scores_and_says_that_it_cannot_tell_the_width() -> None:
    model = choice_scores(np.array([[2, 0, 1, 3]]), np.array([0]), np.array([3]), items=5)
    assert model.sigma == 1
    assert "1 by convention" in model.message
    assert model.z[0] > model.z[1] > model.z[3]
    assert model.z[1] == pytest.approx(model.z[2])
    assert np.isnan([model.z[4], model.score[4], model.standard_error[4]]).all()


def test_parts_that_share_no_tuple_are_fitted_and_reported() -> None:
    tuples = np.array([[0, 1, 2], [3, 4, 5], [3, 4, 5]])
    model = choice_scores(tuples, np.array([0, 3, 3]), np.array([2, 5, 5]), items=6, sigma=1.0)
    assert "2 parts" in model.message
    assert model.z[:3].sum() == pytest.approx(0, abs=1e-5)
    assert model.z[3] > model.z[0]  # said twice


@pytest.mark.parametrize("size", [0, 4])  # an empty table does not know its tuples' size
def test_no_answers_give_no_scores(size: int) -> None:
    none = np.zeros(0, dtype=np.int64)
    model = choice_scores(np.zeros((0, size), dtype=np.int64), none, none, items=3)
    assert np.isnan(model.z).all()
    assert model.appearances.tolist() == [0, 0, 0]


def test_a_search_that_is_cut_short_does_not_claim_to_have_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    real = optimize.minimize

    def hurried(*arguments: object, **options: object) -> object:
        return real(*arguments, **{**options, "options": {"maxiter": 2}})  # type: ignore[call-overload]

    monkeypatch.setattr(optimize, "minimize", hurried)
    _, given_answers = simulated(60, np.random.default_rng(4))
    model = choice_scores(*given_answers, items=60, sigma=1.5)
    assert not model.converged
    assert "did not converge" in model.message


@pytest.mark.parametrize("sigma", [0.0, -1.0, float("nan")])
def test_a_width_that_is_none_is_refused(sigma: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        choice_scores(np.array([[0, 1]]), np.array([0]), np.array([1]), items=2, sigma=sigma)


def test_large_matrices_are_estimated_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    _, given_answers = simulated(600, np.random.default_rng(6))
    found, _ = gathered(*given_answers, items=600)
    precision = choice.fitted(found, sigma=1.7).precision
    exact = log_determinant(precision), inverse_diagonal(precision)
    monkeypatch.setattr(choice, "EXACT", 10)
    assert log_determinant(precision) == pytest.approx(exact[0], rel=0.005)
    assert np.sqrt(inverse_diagonal(precision)) == pytest.approx(np.sqrt(exact[1]), rel=0.08)
    assert float(np.std(np.sqrt(inverse_diagonal(precision) / exact[1]))) < 0.025


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=30))
def test_preference_scores_lie_inside_the_range_and_keep_the_order(values: list[float]) -> None:
    z = np.array(values)
    scores = preference_scores(z)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.mean() == pytest.approx(0.5)
    order = np.argsort(z)
    assert (np.diff(scores[order]) >= -1e-12).all()


def test_preference_scores_of_many_items_are_interpolated_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    z = 2 * np.random.default_rng(1).standard_normal(5_000)
    many = preference_scores(z)
    monkeypatch.setattr(choice, "_GRID", 6_000)
    assert many == pytest.approx(preference_scores(z), abs=1e-5)


# Annotators --------------------------------------------------------------------------------------------


def test_careless_annotators_are_found_and_the_scores_gain() -> None:
    rng = np.random.default_rng(7)
    who = rng.permutation(np.arange(800) % 20)
    careless = np.arange(20) < 4
    noise = np.where(careless, 1e6, 0.57)
    truth, given_answers = simulated(200, rng, noise=noise[who])
    fit = choice_annotator_scores(*given_answers, who, items=200, people=21)
    plain = choice_scores(*given_answers, items=200)
    assert fit.model.converged
    assert fit.model.iterations > 20  # it did not stop because old and new estimates were the same array
    assert fit.scale[:4].max() < 0.4
    assert fit.scale[4:20].min() > 0.6
    assert np.isnan(fit.scale[20])
    assert fit.scale[:20] @ fit.answers[:20] / 800 == pytest.approx(1)
    assert correlation(fit.model.z, truth, ranks=True) > correlation(plain.z, truth, ranks=True) + 0.01


def test_scales_are_ordered_like_the_noise() -> None:
    rng = np.random.default_rng(8)
    who = rng.permutation(np.arange(1_600) % 4)
    _, given_answers = simulated(400, rng, noise=np.array([0.3, 0.6, 1.2, 2.4])[who])
    scale = choice_annotator_scores(*given_answers, who, items=400, people=4).scale
    assert scale[:-1] / scale[1:] == pytest.approx([2, 2, 2], rel=0.35)


def test_one_annotator_is_the_plain_model() -> None:
    _, given_answers = simulated(40, np.random.default_rng(9))
    who = np.zeros(len(given_answers[0]), dtype=np.int64)
    fit = choice_annotator_scores(*given_answers, who, items=40, people=1, sigma=1.5)
    plain = choice_scores(*given_answers, items=40, sigma=1.5)
    assert fit.scale == pytest.approx([1.0])
    assert fit.model.z == pytest.approx(plain.z, abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(answers(), st.integers(0, 99))
def test_the_joint_gradient_agrees_with_differences(drawn: tuple[IntArray, IntArray, IntArray, int], seed: int) -> None:
    tuples, best, worst, items = drawn
    rng = np.random.default_rng(seed)
    found, _ = gathered(tuples, best, worst, items=items)
    who = rng.integers(3, size=len(found.count))
    place = rng.standard_normal(items + 3)

    def value(at: FloatArray) -> tuple[float, FloatArray]:
        return joint_log_posterior(at, found, who, 3, 1.3, 0.7)

    for number, slope in enumerate(value(place)[1]):
        move = 1e-5 * np.eye(items + 3)[number]
        assert slope == pytest.approx((value(place + move)[0] - value(place - move)[0]) / 2e-5, abs=1e-5)


def test_an_annotator_who_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="answer 0: annotators are numbered 0 … 1, found 2"):
        choice_annotator_scores(np.array([[0, 1]]), np.array([0]), np.array([1]), np.array([2]), items=2, people=2)


# Split halves ------------------------------------------------------------------------------------------


@pytest.mark.skipif(not ARABIC.is_file(), reason=f"{ARABIC} is not here: set KOSTRA_DATA")
def test_the_model_beats_counting_where_company_differs() -> None:
    read = read_best_worst(ARABIC)
    arrays, items = (read.tuples, read.best, read.worst), len(read.items)
    model = split_half_disjoint_choice(*arrays, items=items, trials=40, rng=np.random.default_rng(1))
    counted = split_half_disjoint_best_worst(*arrays, items=items, trials=200, rng=np.random.default_rng(1))
    assert model.spearman >= 0.86
    assert counted.spearman == pytest.approx(0.80, abs=0.01)


def test_split_halves_of_the_model_know_their_edges() -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = split_half_choice(
        np.zeros((0, 4), dtype=np.int64), none, none, items=3, trials=2, rng=np.random.default_rng(1)
    )
    assert (empty.undefined, empty.items) == (2, 0)
    with pytest.raises(ValueError, match="at least 1 trial"):
        split_half_choice(
            np.array([[0, 1]]), np.array([0]), np.array([1]), items=2, trials=0, rng=np.random.default_rng(1)
        )


# The steps ---------------------------------------------------------------------------------------------


def a_context(tmp_path: Path, use: str) -> Context:
    step = Step(name="scores", use=use)
    about = About(name="t", title="T", protocol="p", language="en", seed=1, citation="c")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=1.0, high=5.0), steps=(step,))
    return Context(recipe, step, tmp_path, tmp_path, np.random.default_rng(1), datetime(2026, 1, 1, tzinfo=UTC))


def tables(*, block: str = "main", annotators: bool = True) -> Inputs:
    """Three people put a before b before c before d; item e is in a tuple that nobody answered."""
    shown = {"t1": "abcd", "t2": "abce"}
    tuples = pl.DataFrame(
        [(name, place, item) for name, members in shown.items() for place, item in enumerate(members, 1)],
        schema=["tuple", "position", "item"], orient="row",
    )  # fmt: skip
    rows: list[dict[str, object]] = [
        {
            "judgment": f"{who}-{question}", "item": "t1", "version": 1, "question": question,
            "annotator": who if annotators else None, "value": value, "status": "answered", "phase": "main",
            "block": block,
        }
        for who in (["ann", "bob", "eve"] if annotators else ["ann"])
        for question, value in (("best", "a"), ("worst", "d"))
    ]  # fmt: skip
    return Inputs({"tuples": tuples, "judgments": judged(rows)})


def judged(rows: list[dict[str, object]]) -> Frame:
    kept = {name: kind for name, kind in JUDGMENTS.dtypes.items() if name in rows[0]}
    return check(pl.DataFrame(rows, schema=kept), JUDGMENTS, where="test")


@pytest.mark.parametrize("module", [choice, choice_annotators], ids=["choice", "choice_annotators"])
def test_a_step_scores_what_was_judged_on_the_recipes_range(module: object, tmp_path: Path) -> None:
    context = a_context(tmp_path, "scoring/choice")
    options = module.Options(as_question="relatedness_choice")  # type: ignore[attr-defined]
    scores = module.run(tables(), options, context)["scores"]  # type: ignore[attr-defined]
    assert scores["item"].to_list() == ["a", "b", "c", "d"]
    assert set(scores["question"]) == {"relatedness_choice"}
    assert 5 > scores["score"][0] > scores["score"][1] > scores["score"][3] > 1
    assert (scores["standard_error"] > 0).all()
    assert {finding.kind for finding in context.findings} == {"unscored", "fit"}


def test_anonymous_answers_have_no_reliability(tmp_path: Path) -> None:
    context = a_context(tmp_path, "scoring/choice_annotators")
    with pytest.raises(KostraError, match="do not say who gave them"):
        choice_annotators.run(tables(annotators=False), choice_annotators.Options(), context)


def test_counting_is_refused_on_adaptive_answers_and_only_there() -> None:
    counting.refuse_counting_if_adaptive(tables()["judgments"])
    with pytest.raises(KostraError, match="counting is biased"):
        counting.refuse_counting_if_adaptive(tables(block="adaptive")["judgments"])

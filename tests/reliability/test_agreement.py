import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kostra
from kostra.errors import KostraError
from kostra.ratings import FloatArray, IntArray, Ratings, ratings_from_matrix
from kostra.recipe import Recipe, Step, parse, read_recipe
from kostra.reliability import Estimate, coincidence
from kostra.reliability.agreement import Agreement, agree
from kostra.reliability.cohen_kappa import cohen_kappa
from kostra.reliability.fleiss_kappa import fleiss_kappa
from kostra.reliability.icc import icc
from kostra.reliability.inter_annotator import inter_annotator
from kostra.reliability.krippendorff_alpha import LEVELS, krippendorff_alpha
from kostra.reliability.percent_agreement import percent_agreement
from kostra.steps import Context, Inputs, component
from kostra.tables import JUDGMENTS, Frame, check

RECIPES = Path(kostra.__file__).parent / "recipes"


# ---- the released nine answers of Czech News STS


@pytest.fixture(scope="module")
def czech_news(data: Path) -> Agreement:
    return agree(data / "cna_free_test.tsv", released="czech_news_sts", samples=200)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("krippendorff_alpha", 0.74139),
        ("krippendorff_alpha_nominal", 0.28503),
        ("krippendorff_alpha_ordinal", 0.70681),
        ("krippendorff_alpha_interval", 0.74139),
        ("fleiss_kappa", 0.28497),
    ],
)
def test_the_czech_news_answers_give_the_known_figures(czech_news: Agreement, name: str, value: float) -> None:
    found = czech_news.statistics[name]
    assert found.value == pytest.approx(value, abs=1e-5)
    assert found.low < found.value < found.high
    assert (found.n, czech_news.items, czech_news.values) == (1200, 1200, 10800)


def test_the_czech_news_answers_are_anonymous_and_what_needs_people_is_refused(czech_news: Agreement) -> None:
    assert czech_news.annotators is None
    assert czech_news.pairs.is_empty()
    for name in ("inter_annotator_pearson", "inter_annotator_mse", "cohen_kappa", "icc_2_1"):
        assert np.isnan(czech_news.statistics[name].value)
        assert "these answers are anonymous" in czech_news.statistics[name].note
    assert any("outside 0 to 6: -4 (line 4)" in warning for warning in czech_news.warnings)


# ---- files


def written(folder: Path, text: str, name: str = "answers.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


LABELS = "item,annotator,value\np,ann,yes\np,bob,yes\nq,ann,no\nq,bob,no\nr,ann,yes\nr,bob,no\n"
NUMBERS = "item,ann,bob,cid\n" + "".join(f"i{n},{n % 5},{(n * 7 % 11) % 5},{n % 4}\n" for n in range(40))


def test_the_summary_has_the_promised_keys_and_is_json(tmp_path: Path) -> None:
    summary = agree(written(tmp_path, NUMBERS), samples=50).summary()
    assert list(summary) == ["items", "annotators", "values", "statistics", "warnings"]
    assert (summary["items"], summary["annotators"], summary["values"]) == (40, 3, 120)
    assert all(list(entry) == ["value", "low", "high", "n", "note"] for entry in summary["statistics"].values())
    json.dumps(summary, allow_nan=False)


def test_numbers_are_interval_and_labels_nominal_and_it_is_said(tmp_path: Path) -> None:
    numbers = agree(written(tmp_path, NUMBERS), samples=0)
    assert numbers.level == "interval"
    assert numbers.statistics["krippendorff_alpha"] == numbers.statistics["krippendorff_alpha_interval"]
    assert {f"krippendorff_alpha_{level}" for level in LEVELS} <= set(numbers.statistics)
    assert any("interval level, because all answers are numbers" in warning for warning in numbers.warnings)
    labels = agree(written(tmp_path, LABELS), samples=0)
    assert labels.level == "nominal"
    assert any("nominal level, because the answers are labels" in warning for warning in labels.warnings)
    assert "icc_1_1" not in labels.statistics


def test_an_asked_level_is_kept_and_labels_refuse_the_interval_level(tmp_path: Path) -> None:
    ordinal = agree(written(tmp_path, NUMBERS), level="ordinal", samples=0)
    assert ordinal.statistics["krippendorff_alpha"].note == "ordinal level"
    assert "krippendorff_alpha_nominal" not in ordinal.statistics
    nominal = agree(written(tmp_path, NUMBERS), level="nominal", samples=0)
    assert "inter_annotator_mse" not in nominal.statistics
    with pytest.raises(KostraError, match="needs numbers"):
        agree(written(tmp_path, LABELS), level="interval")


def test_groups_make_classes_of_the_statistics_of_classes_only(tmp_path: Path) -> None:
    path = written(tmp_path, NUMBERS)
    plain = agree(path, samples=0).statistics
    three = agree(path, groups=[["0"], ["1", "2", "3"], ["4"]], samples=0).statistics
    for name in ("fleiss_kappa", "percent_agreement", "cohen_kappa", "krippendorff_alpha_nominal"):
        assert three[name].value != plain[name].value
    for name in ("krippendorff_alpha", "icc_1_1", "cohen_kappa_linear", "inter_annotator_mse"):
        assert three[name] == plain[name]
    with pytest.raises(KostraError, match="no group holds the answers 4"):
        agree(path, groups=[["0"], ["1", "2", "3"]], samples=0)


def test_the_table_the_pairs_and_the_figure(tmp_path: Path) -> None:
    found = agree(written(tmp_path, NUMBERS), samples=50)
    assert found.table()["statistic"].to_list() == list(found.statistics)
    assert found.table()["question"].unique().to_list() == ["value"]
    assert found.pairs.select("first", "second", "items").rows() == [
        ("ann", "bob", 40),
        ("ann", "cid", 40),
        ("bob", "cid", 40),
    ]
    label = found.figure().get_label()
    assert "Krippendorff α" in str(label)
    assert "mse" not in str(label)


def test_the_same_seed_gives_the_same_and_another_seed_other_intervals(tmp_path: Path) -> None:
    path = written(tmp_path, NUMBERS)
    one, same, other = (agree(path, samples=100, seed=seed) for seed in (1, 1, 2))
    assert one.summary() == same.summary()
    alphas = [found.statistics["krippendorff_alpha"] for found in (one, other)]
    assert alphas[0].value == alphas[1].value
    assert alphas[0].low != alphas[1].low


def test_one_annotator_and_nothing_but_missing_answers_say_why_there_is_nothing(tmp_path: Path) -> None:
    alone = agree(written(tmp_path, "item,annotator,value\np,ann,1\nq,ann,2\n"))
    assert all(np.isnan(one.value) for one in alone.statistics.values())
    assert "only one annotator" in alone.statistics["krippendorff_alpha"].note
    empty = agree(written(tmp_path, "item,annotator,value\np,ann,\nq,ann,\n"))
    assert (empty.items, empty.values) == (0, 0)
    assert "no answers" in empty.statistics["krippendorff_alpha"].note
    with pytest.raises(KostraError, match="nothing to draw"):
        empty.figure()


def test_duplicated_answers_are_an_error_that_names_them(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="ann on p") as caught:
        agree(written(tmp_path, "item,annotator,value\np,ann,1\np,ann,2\np,bob,2\n"))
    assert "answers.csv" in str(caught.value)


def test_many_distinct_answers_deserve_a_warning(tmp_path: Path) -> None:
    rows = "".join(f"i{n},{n / 7},{n / 9}\n" for n in range(60))
    found = agree(written(tmp_path, f"item,ann,bob\n{rows}"), samples=0)
    assert any("distinct answers" in warning for warning in found.warnings)


# ---- the bootstrap

Measure = Callable[[Ratings, int], Estimate]


def alpha(level: Any) -> Measure:
    return lambda ratings, samples: krippendorff_alpha(ratings, level=level, samples=samples, rng=rng())


def form(name: Any) -> Measure:
    return lambda ratings, samples: icc(ratings, form=name, samples=samples, rng=rng())


def inter(name: str) -> Measure:
    return lambda ratings, samples: inter_annotator(ratings, samples=samples, rng=rng())[name]


def weighted(name: Any) -> Measure:
    return lambda ratings, samples: cohen_kappa(ratings, weights=name, samples=samples, rng=rng())


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


MEASURES: dict[str, Measure] = {
    **{f"alpha_{level}": alpha(level) for level in LEVELS},
    **{f"icc_{name}": form(name) for name in ("1,1", "2,1", "2,k")},
    **{f"inter_{name}": inter(name) for name in ("pearson", "spearman", "rmse")},
    **{f"cohen_{name}": weighted(name) for name in ("none", "linear", "quadratic")},
    "fleiss": lambda ratings, samples: fleiss_kappa(ratings, samples=samples, rng=rng()),
    "percent": lambda ratings, samples: percent_agreement(ratings, samples=samples, rng=rng()),
}


def answers() -> FloatArray:
    draw = np.random.default_rng(9)
    matrix = np.round(1.2 * draw.normal(size=(80, 1)) + draw.normal(size=(80, 3)) + 3).clip(0, 6)
    matrix[:20][draw.random((20, 3)) < 0.3] = np.nan
    return np.asarray(matrix)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[FloatArray]:
    """Put weights in here, and they are the bootstrap samples, over items that are not brought together."""
    weights: list[FloatArray] = []

    def whole(table: Any) -> tuple[Any, IntArray]:
        return table, np.ones(table.shape[0], dtype=np.int64)

    def chosen(repeats: IntArray, *, samples: int, **_: Any) -> list[FloatArray]:
        return weights if samples else []

    monkeypatch.setattr(coincidence, "bootstrap_weights", chosen)
    for module in ("coincidence", "krippendorff_alpha", "fleiss_kappa", "percent_agreement", "icc"):
        monkeypatch.setattr(f"kostra.reliability.{module}.distinct_rows", whole)
    return weights


@pytest.mark.parametrize("name", MEASURES)
def test_a_weighted_sample_gives_what_its_own_rows_give(name: str, drawn: list[FloatArray]) -> None:
    # One sample is both ends of its interval, so that the ends show the statistic on the weights, zeros included.
    matrix, measure, people = answers(), MEASURES[name], ["ann", "bob", "cid"]
    matrix = matrix[(~np.isnan(matrix)).sum(axis=1) >= 2]
    if name in ("icc_2,1", "icc_2,k"):  # their units are the complete items
        matrix = matrix[~np.isnan(matrix).any(axis=1)]
    draw = np.random.default_rng(2)
    for _ in range(10):
        times = draw.multinomial(len(matrix), np.full(len(matrix), 1 / len(matrix)))
        drawn[:] = [times[None, :].astype(np.float64)]
        weighted = measure(ratings_from_matrix(matrix, people), 1)
        repeated = measure(ratings_from_matrix(np.repeat(matrix, times, axis=0), people), 0)
        assert times.min() == 0
        assert [weighted.low, weighted.high] == pytest.approx([repeated.value] * 2, abs=1e-10)


@pytest.mark.parametrize("repeats", [[1] * 12, [3, 1, 2, 1, 1], [50, 30, 20]])
def test_weights_are_drawn_as_items_are(repeats: list[int]) -> None:
    # Drawing n items with replacement, a row of r items comes r times on average, with variance r (1 − r / n).
    weights = np.vstack(
        list(coincidence.bootstrap_weights(np.array(repeats), samples=20_000, rng=rng(), width=1 << 10))
    )
    n, expected = sum(repeats), np.array(repeats)
    assert weights.shape == (20_000, len(repeats))
    assert set(weights.sum(axis=1).tolist()) == {float(n)}
    spread = np.sqrt(expected * (1 - expected / n))
    assert np.abs(weights.mean(axis=0) - expected).max() < 5 * spread.max() / 20_000**0.5
    np.testing.assert_allclose(weights.std(axis=0), spread, rtol=0.03)


def test_items_brought_together_give_the_same_interval_as_items_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.repeat(answers()[20:], 5, axis=0)  # 300 items, of which at least five each are the same
    measure = alpha("interval")
    together = measure(ratings_from_matrix(matrix), 10_000)
    whole = lambda table: (table, np.ones(len(table), dtype=np.int64))  # noqa: E731 - one use
    monkeypatch.setattr("kostra.reliability.krippendorff_alpha.distinct_rows", whole)
    apart = measure(ratings_from_matrix(matrix), 10_000)
    assert together.value == pytest.approx(apart.value, abs=1e-12)
    # The ends of 10,000 samples are sure to 1/37 of the standard deviation: a 150th of the width; four times that.
    width = apart.high - apart.low
    assert [together.low, together.high] == pytest.approx([apart.low, apart.high], abs=width * 4 / 150)


def test_intervals_cover_the_truth_about_as_often_as_they_promise() -> None:
    # Normal answers with equal variance between and within items: ICC(1,1), and nearly α, is 1/2 in the population.
    draw = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        matrix = draw.normal(size=(120, 1)) + draw.normal(size=(120, 4))
        found = krippendorff_alpha(ratings_from_matrix(matrix), level="interval", samples=400, rng=draw)
        held += found.low <= 0.5 <= found.high
    assert 0.89 <= held / 200 <= 0.985


# ---- steps


def recipe_steps() -> list[tuple[str, str]]:
    ours = {
        f"reliability/{name}" for name in ("krippendorff_alpha", "fleiss_kappa", "cohen_kappa", "percent_agreement")
    }
    ours |= {f"reliability/{name}" for name in ("icc", "inter_annotator", "intra_annotator")}
    found = [(path.stem, step) for path in sorted(RECIPES.glob("*.toml")) for step in read_recipe(path).steps]
    return [(name, step.name) for name, step in found if step.use in ours]


@pytest.mark.parametrize(("recipe", "step"), recipe_steps())
def test_the_drafted_recipes_ask_for_options_that_exist(recipe: str, step: str) -> None:
    asked = read_recipe(RECIPES / f"{recipe}.toml").step(step)
    assert parse(component(asked.use).Options, asked.options, where=recipe)


def judgments() -> Frame:
    draw = np.random.default_rng(7)
    rows: list[dict[str, object]] = []
    for item in range(30):
        for who in ("ann", "bob", "cid"):
            for question, phase in (("similarity", "free"), ("similarity_in_context", "context")):
                value = int(np.clip(item % 6 + draw.integers(-1, 2), 0, 5))
                blocks = ("main", "repeat") if item % 5 == 0 else ("main",)
                rows += [
                    {
                        "judgment": f"{len(rows)}-{block}",
                        "item": f"i{item}",
                        "version": 1,
                        "question": question,
                        "annotator": who,
                        "value": str(value),
                        "status": "answered",
                        "phase": phase,
                        "block": block,
                    }
                    for block in blocks
                ]
    return check(pl.DataFrame(rows), JUDGMENTS)


def run_step(tmp_path: Path, use: str, options: dict[str, Any]) -> tuple[Frame, list[str]]:
    recipe: Recipe = read_recipe(RECIPES / "czech_news_sts.toml")
    module = component(use)
    context = Context(
        recipe=recipe,
        step=Step(name="step", use=use),
        project=tmp_path,
        folder=tmp_path,
        rng=np.random.default_rng(1),
        now=datetime(2026, 3, 1, tzinfo=UTC),
    )
    chosen = parse(module.Options, options, where="test")
    assert "180" in module.plan({"judgments": 180}, chosen, context).says
    written = module.run(Inputs({"judgments": judgments()}), chosen, context)
    return written["statistics"], [finding.message for finding in context.findings]


@pytest.mark.parametrize(
    ("use", "options", "statistics"),
    [
        ("krippendorff_alpha", {}, ["krippendorff_alpha"]),
        ("krippendorff_alpha", {"level": "ordinal"}, ["krippendorff_alpha"]),
        (
            "krippendorff_alpha",
            {"levels": ["nominal", "interval"]},
            ["krippendorff_alpha_nominal", "krippendorff_alpha_interval"],
        ),
        ("fleiss_kappa", {}, ["fleiss_kappa"]),
        ("fleiss_kappa", {"groups": [["0"], ["1", "2", "3", "4"], ["5"]]}, ["fleiss_kappa_grouped"]),
        ("cohen_kappa", {"weights": "quadratic"}, ["cohen_kappa_quadratic"]),
        ("percent_agreement", {}, ["percent_agreement"]),
        ("icc", {}, ["icc_1_1", "icc_2_1", "icc_2_k"]),
    ],
)
def test_a_step_measures_the_recipes_question(
    tmp_path: Path, use: str, options: dict[str, Any], statistics: list[str]
) -> None:
    table, findings = run_step(tmp_path, f"reliability/{use}", {**options, "samples": 20})
    assert table["statistic"].to_list() == statistics
    assert table["question"].unique().to_list() == ["similarity"]
    assert table["n"].to_list() == [30] * len(statistics)
    assert table.select("value", "low", "high").null_count().sum_horizontal().sum() == 0
    assert any("repeat blocks are left out" in finding for finding in findings)


@pytest.mark.parametrize("use", ["inter_annotator", "intra_annotator"])
def test_named_phases_give_every_question_of_theirs(tmp_path: Path, use: str) -> None:
    options = {"phases": ["free", "context"], "samples": 20}
    table, _ = run_step(tmp_path, f"reliability/{use}", options)
    assert table.select("question", "statistic").rows() == [
        (question, f"{use}_{figure}")
        for question in ("similarity", "similarity_in_context")
        for figure in ("pearson", "spearman", "rmse", "mse")
    ]
    expected = 30 if use == "inter_annotator" else 6
    assert table["n"].unique().to_list() == [expected]


def test_judgments_with_repeats_are_measured_for_both_kinds_of_agreement(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    judgments().write_csv(path)
    found = agree(path, question="similarity", samples=20)
    assert found.statistics["intra_annotator_mse"].value == 0.0
    assert found.statistics["inter_annotator_mse"].value > 0
    assert any("count as repeats only" in warning for warning in found.warnings)
    with pytest.raises(KostraError, match="2 questions"):
        agree(path)

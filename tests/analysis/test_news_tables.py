"""Tables and figures of Czech News STS that several steps go into: parts, models, first answers, context shift."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError
from tests.release.tea_news import START, a_context, inputs, messages, pairs, scores

from kostra.analysis import first_answers, model_table, parts
from kostra.analysis.context_shift_figures import moved_gain_figure, quantile_figure, rejection_figure
from kostra.analysis.first_answers import warmed_up
from kostra.analysis.parts import in_units
from kostra.errors import KostraError
from kostra.steps import Inputs
from kostra.tables import JUDGMENTS, RESULTS, SCORES, STATISTICS, Frame, check

# Parts (Table 4, Figure 7) -------------------------------------------------------------------------------

TRAIN = parts.Part(name="train", pairs="train", question="round_1")
TEST = parts.Part(name="test", pairs="test", question="similarity")


def test_every_part_has_its_mean_standard_deviation_and_size(tmp_path: Path) -> None:
    made = parts.run(inputs(), parts.Options(parts=(TRAIN, TEST)), a_context(tmp_path))
    found = pl.read_csv(tmp_path / "parts.csv")
    assert found.select("part", "mean", "n").rows() == [("train", 3.0, 3), ("test", 2.0, 2)]
    assert found["standard_deviation"].to_list() == pytest.approx([2.0, 2**0.5])
    assert made["statistics"]["statistic"].to_list() == [
        "train_mean", "train_standard_deviation", "test_mean", "test_standard_deviation",
    ]  # fmt: skip


def test_charts_show_the_parts_together_in_their_unit(tmp_path: Path) -> None:
    chart = parts.Chart(name="both", parts=("train", "test"), unit=0.5)
    parts.run(inputs(), parts.Options(parts=(TRAIN, TEST), charts=(chart,)), a_context(tmp_path))
    counts = pl.read_csv(tmp_path / "both.csv").filter(pl.col("count") > 0)
    assert counts.rows() == [
        ("train", 1.0, 1),
        ("train", 3.0, 1),
        ("train", 5.0, 1),
        ("test", 1.0, 1),
        ("test", 3.0, 1),
    ]
    assert (tmp_path / "both.svg").stat().st_size > 1000


def test_a_mean_of_nine_is_rounded_down_to_its_own_unit_whatever_floating_point_does() -> None:
    means = np.array([0.6, 0.1 + 0.2 + 0.3, 5.999999, 6.0])
    found = in_units(means, low=0, high=6, unit=0.2).filter(pl.col("count") > 0)
    assert found.rows() == [(0.6, 2), (5.8, 1), (6.0, 1)]


def test_a_part_without_pairs_is_a_row_without_a_mean(tmp_path: Path) -> None:
    made = parts.run(inputs(test=pairs("p").clear()), parts.Options(parts=(TEST,)), a_context(tmp_path))
    assert made["statistics"]["value"].to_list() == [None, None]
    assert pl.read_csv(tmp_path / "parts.csv")["n"].to_list() == [0]


def test_pairs_of_a_part_that_have_no_score_are_counted(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    parts.run(inputs(test=pairs("p", "unknown")), parts.Options(parts=(TEST,)), context)
    assert "test: 1 of 2 pairs have no score" in messages(context)


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        (TEST.model_copy(update={"pairs": "tset"}), 'unknown step with pairs "tset"'),
        (TEST.model_copy(update={"question": "taste"}), 'none of its 2 pairs has a score of "taste"'),
    ],
)
def test_a_part_that_cannot_be_found_is_refused(part: parts.Part, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match=complaint):
        parts.run(inputs(), parts.Options(parts=(part,)), a_context(tmp_path))


def test_parts_cannot_be_told_apart_outside_a_recipe(tmp_path: Path) -> None:
    lone = Inputs({"pairs": pairs("p"), "scores": scores(p=1.0)})
    with pytest.raises(KostraError, match="which pairs come from which step is not known"):
        parts.run(lone, parts.Options(parts=(TEST,)), a_context(tmp_path))


@pytest.mark.parametrize(
    "wrong", [{"parts": (TEST, TEST)}, {"parts": (TEST,), "charts": ({"name": "c", "parts": ["x"]},)}]
)
def test_parts_and_charts_that_do_not_fit_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        parts.Options.model_validate(wrong)


# Models (Tables 3 and 5) ---------------------------------------------------------------------------------


def results(**pearson: float | None) -> Frame:
    rows = [
        (name.replace("__", ", "), "all", f"cosine_{metric}", value, None, None, 9, None)
        for name, value in pearson.items()
        for metric in ("pearson", "mse")
    ]
    return check(pl.DataFrame(rows, schema=list(RESULTS.dtypes), orient="row"), RESULTS)


def agreement() -> Frame:
    rows = [
        ("inter_annotator_pearson", "similarity", 0.8, 0.7, 0.9, 9, None),
        ("inter_annotator_pearson", "similarity_in_context", 0.1, None, None, 9, None),
        ("oracle_bound", "similarity", 0.2, None, None, 9, None),
    ]
    return check(pl.DataFrame(rows, schema=list(STATISTICS.dtypes), orient="row"), STATISTICS)


def test_models_stand_beside_people_and_say_who_is_better(tmp_path: Path) -> None:
    read = Inputs({"results": results(bert=0.9, bert__N1=0.85, dice=0.5), "statistics": agreement()})
    made = model_table.run(read, model_table.Options(names={"bert": "Bert"}), a_context(tmp_path))
    found = pl.read_csv(tmp_path / "models.csv").filter(pl.col("metric") == "pearson")
    assert found.select("model", "trained_on", "value").rows() == [
        ("Bert", "all", 0.9), ("Bert", "N1", 0.85), ("dice", "all", 0.5), ("average annotator", "", 0.8),
    ]  # fmt: skip
    said = dict(made["statistics"].select("statistic", "value").iter_rows())
    assert said == {"best_model_pearson": 0.9, "models_above_annotator": 2.0}
    assert "| oracle, at best |  | 0.2000 |  |" in (tmp_path / "models.md").read_text()
    assert (tmp_path / "models.svg").exists()


def test_a_model_without_a_value_is_said_to_be_undefined(tmp_path: Path) -> None:
    made = model_table.run(Inputs({"results": results(flat=None)}), model_table.Options(), a_context(tmp_path))
    assert made["statistics"]["value"].to_list() == [None]
    assert "undefined" in (tmp_path / "models.md").read_text()
    assert not (tmp_path / "models.svg").exists()


def test_results_without_any_of_the_metrics_are_refused(tmp_path: Path) -> None:
    accuracy = results(bert=0.9).with_columns(metric=pl.lit("accuracy"), encoder=pl.Series(["a", "b"]))
    with pytest.raises(KostraError, match="no result says MSE, Pearson or Spearman"):
        model_table.run(Inputs({"results": accuracy}), model_table.Options(), a_context(tmp_path))


# First answers (Figure 4) --------------------------------------------------------------------------------


def warming(people: int = 6, answers: int = 8) -> tuple[Frame, Frame]:
    """People who err by less with every answer: by 3, 2, 1 and then not at all."""
    truth = {f"p{n}": float(n % 5) for n in range(answers)}
    rows = []
    for person in range(people):
        for place, (item, true) in enumerate(truth.items()):
            error = max(3 - place, 0) * (1 if person % 2 else -1)
            at = START + timedelta(minutes=place)
            rows.append((f"j{person}-{place}", item, 1, "similarity", f"a{person}", str(true + error), "answered",
                         "early", "main", at, at + timedelta(seconds=9 - place), 9.0 - place))  # fmt: skip
    names = ["judgment", "item", "version", "question", "annotator", "value", "status", "phase", "block", "shown_at",
             "answered_at", "seconds"]  # fmt: skip
    reference = [(item, "round_1", true, 1) for item, true in truth.items()]
    frame = pl.DataFrame(reference, schema=["item", "question", "score", "appearances"], orient="row")
    # Every item is at one place for everybody, so the reference varies with the person instead.
    shifted = check(pl.DataFrame(rows, schema=names, orient="row"), JUDGMENTS)
    return shifted, check(frame, SCORES)


def test_both_curves_are_drawn_and_the_error_falls_with_the_answers_given(tmp_path: Path) -> None:
    judgments, reference = warming()
    options = first_answers.Options(against="round_1", phases=("early",), samples=20)
    made = first_answers.run(Inputs({"judgments": judgments, "scores": reference}), options, a_context(tmp_path))
    errors = pl.read_csv(tmp_path / "thinking_time.csv").sort("seconds_from", descending=True)["value"].to_list()
    assert errors == [3.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert made["statistics"]["statistic"].to_list() == ["calibration_length"]
    for name in ("thinking_time", "calibration_curve"):
        assert (tmp_path / f"{name}.svg").stat().st_size > 1000


def test_calibration_lasts_until_the_curve_first_reaches_its_own_level() -> None:
    curve = pl.DataFrame({"given": range(8), "value": [0.2, 0.4, 0.5, 0.6, 0.79, 0.8, 0.81, 0.8]})
    assert warmed_up(curve) == 5
    assert warmed_up(curve.head(3)) is None


def test_answers_without_times_have_no_curve_by_thinking_time(tmp_path: Path) -> None:
    judgments, reference = warming()
    timeless = judgments.with_columns(seconds=pl.lit(None, dtype=pl.Float64))
    with pytest.raises(KostraError, match="none of these answers says how long it took"):
        first_answers.run(
            Inputs({"judgments": timeless, "scores": reference}),
            first_answers.Options(against="round_1"),
            a_context(tmp_path),
        )


# The context shift's pictures (Figures 8 and 9) ----------------------------------------------------------


def test_no_picture_is_drawn_of_pairs_that_are_not_there() -> None:
    gains = pl.DataFrame({"pair": ["p"], "gain": [0.5]})
    assert moved_gain_figure(gains, gains.clear()) is None


def test_the_levels_of_significance_are_marked_once_each() -> None:
    found = pl.DataFrame({"level": [0.0, 0.05, 1.0], "student": [0.0, 0.1, 1.0], "welch": [0.0, None, 1.0]})
    axes = rejection_figure(found, ["student", "welch"], alpha=0.05).axes[0]
    assert [text.get_text() for text in axes.texts] == ["0.01", "0.05", "0.1"]
    other = rejection_figure(found, ["student"], alpha=0.02).axes[0]
    assert [text.get_text() for text in other.texts] == ["0.01", "0.02", "0.05", "0.1"]


def test_quantiles_are_drawn_as_steps() -> None:
    figure = quantile_figure(pl.DataFrame({"share": [0.0, 0.5, 1.0], "gain": [-1.0, 0.0, 2.0]}))
    (line,) = figure.axes[0].lines
    assert np.asarray(line.get_xydata()).tolist() == [[0, -1], [0, 0], [0.5, 0], [0.5, 2], [1, 2]]

"""The components as steps of a recipe, the dataset folder that a project publishes, and people's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra import files, tables
from kostra.errors import KostraError
from kostra.evaluate.ceiling import ceilings
from kostra.evaluate.context_shift import context_shift
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.models import model_files, plan_with_encoders, step_encoders
from kostra.evaluate.reading import read_dataset
from kostra.evaluation import evaluate
from kostra.sampling.strategies import lone_context
from kostra.single import run
from kostra.tables import JUDGMENTS, PAIRS, SCORES, SENTENCES, TUPLES, Frame, check

COUNT = 30


def pairs() -> Frame:
    return check(
        pl.DataFrame(
            {
                "pair": [f"p{n:02d}" for n in range(COUNT)],
                "text_a": [f"red house {n} on the hill" for n in range(COUNT)],
                "text_b": [f"red house {n} on the hill"[: 5 + n] for n in range(COUNT)],
                "source": ["news" if n % 2 else "talk" for n in range(COUNT)],
                "context_a": [f"Before. <sent>red house {n}</sent> After." for n in range(COUNT)],
                "context_b": [f"Before. <sent>red {n}</sent> {'After.' if n % 3 else 'Else.'}" for n in range(COUNT)],
            }
        ),
        PAIRS,
    )


def scores(question: str = "score", values: list[float] | None = None) -> Frame:
    return check(
        pl.DataFrame(
            {
                "item": [f"p{n:02d}" for n in range(COUNT)],
                "question": [question] * COUNT,
                "score": values or [n / COUNT for n in range(COUNT)],
                "label": ["entailment" if n > 15 else "neutral" for n in range(COUNT)],
                "appearances": [3] * COUNT,
            }
        ),
        SCORES,
    )


@pytest.fixture
def read(tmp_path: Path) -> dict[str, str | Path]:
    tables.write(pairs(), tmp_path / "pairs.csv")
    tables.write(scores(), tmp_path / "scores.csv")
    return {"pairs": tmp_path / "pairs.csv", "scores": tmp_path / "scores.csv"}


def test_the_step_of_relatedness_writes_two_metrics_unless_more_are_named(read: dict[str, str | Path]) -> None:
    made = run("evaluate/relatedness", read, options={"encoders": ["dice"], "samples": 50})
    results = made.tables["results"]
    assert results["metric"].unique(maintain_order=True).to_list() == ["cosine_spearman", "cosine_pearson"]
    assert results["part"].unique(maintain_order=True).to_list() == ["all", "news", "talk", "mean of sources"]
    more = run("evaluate/relatedness", read, options={"encoders": ["dice"], "metrics": ["kendall", "mse"]})
    assert set(more.tables["results"]["metric"]) == {"cosine_kendall", "cosine_mse"}


def test_pairs_without_a_score_are_noted(read: dict[str, str | Path], tmp_path: Path) -> None:
    tables.write(scores().head(20), tmp_path / "some.csv")
    made = run("evaluate/relatedness", {**read, "scores": tmp_path / "some.csv"}, options={"encoders": ["dice"]})
    assert any("10 pairs have no score" in finding for finding in made.findings)


def test_the_step_of_cross_validation_averages_over_folds(read: dict[str, str | Path]) -> None:
    options = {"encoders": ["dice"], "folds": 3, "grouped": False, "per_source": True}
    made = run("evaluate/cross_validation", read, options=options)
    whole = made.tables["results"].filter(pl.col("part") == "all")
    assert whole["note"][0].startswith("mean of 3 folds, sd ")
    assert any("3 random folds" in finding for finding in made.findings)


def test_the_step_of_entailment_reads_labels(read: dict[str, str | Path]) -> None:
    options = {"encoders": ["dice"], "question": "score", "folds": 3, "samples": 20}
    made = run("evaluate/entailment", read, options=options)
    found = dict(made.tables["results"].filter(pl.col("part") == "all").select("metric", "value").iter_rows())
    assert found["accuracy"] > found["majority_accuracy"]


def test_the_step_of_transformations_reads_sentences_alone(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "sentence": ["a", "a1", "b", "b1"],
            "text": ["It rains.", "It rained.", "He sleeps.", "He slept."],
            "source": ["own"] * 4,
            "language": ["en"] * 4,
            "origin": [None, "a", None, "b"],
            "change": [None, "past", None, "past"],
        }
    )
    tables.write(check(frame, SENTENCES), tmp_path / "sentences.csv")
    made = run(
        "evaluate/transformations",
        {"sentences": tmp_path / "sentences.csv"},
        options={"encoders": ["hashed"], "samples": 10},
    )
    metrics = set(made.tables["results"].filter(pl.col("part") == "past")["metric"])
    assert {"mean_cosine", "mean_indel", "difference_cosine", "retrieval_accuracy"} <= metrics


def test_an_unknown_encoder_shows_before_a_step_runs(read: dict[str, str | Path]) -> None:
    for name in ("relatedness", "cross_validation", "entailment"):
        with pytest.raises(KostraError, match="dise"):
            run(f"evaluate/{name}", read, options={"encoders": ["dise"]})


def test_a_step_waits_for_a_model_that_is_not_there_and_takes_it_from_the_project(tmp_path: Path) -> None:
    lone = lone_context("evaluate/relatedness", tmp_path, language="en", seed=1)
    context = replace(lone, project=tmp_path)
    specs = ["dice", "vectors:models/words.txt?pooling=max"]
    waiting = plan_with_encoders("compares", specs, context)
    assert waiting.waits is not None
    assert "models/words.txt" in waiting.waits
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "words.txt").write_text("2 2\nred 1 0\nhouse 0 1\n")
    assert plan_with_encoders("compares", specs, context).waits is None
    assert model_files(specs, context) == [tmp_path / "models" / "words.txt"]
    assert list(step_encoders(specs, context)) == specs
    with pytest.raises(KostraError, match="pooling"):
        plan_with_encoders("compares", ["vectors:models/words.txt?pooling=mx"], context)


# Context ------------------------------------------------------------------------------------------------


class Watchful:
    """Puts two texts together by how many words they have in common, whatever stands around."""

    def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.array([float(one.split()[-1] == two.split()[-1]) for one, two in pairs])


def shifted() -> Dataset:
    # Contexts end alike unless n is a multiple of three; sentences alone never do. People rise by one where they do.
    moved = [n / COUNT + (1.0 if n % 3 else 0.0) for n in range(COUNT)]
    both = pl.concat([scores("free"), scores("in_context", moved)])
    frame = pairs().with_columns(text_a=pl.col("text_a") + " x", text_b=pl.col("text_b") + " y")
    return Dataset("mine", pairs=frame, scores=both, question="free")


def test_an_encoder_that_moves_with_people_has_a_shift_correlation_of_one() -> None:
    (found,) = context_shift(
        shifted(), {"mine": Watchful()}, free="free", in_context="in_context", samples=50, rng=np.random.default_rng(1)
    )
    assert found.value("shift_pearson") == pytest.approx(1.0)
    assert found.value("shift_sign") == 1.0
    assert found.counts["unmoved_pairs"] == 10
    free = found.measure("free_spearman")
    assert free is not None
    assert free.value is None  # free, this encoder says the same of every pair


def test_context_shift_is_a_task_of_its_own_and_needs_both_scores() -> None:
    data = shifted()
    assert data.tasks() == ("relatedness", "entailment", "context_shift")
    found = evaluate(data, "dice", tasks=["context_shift"], samples=0)
    assert found.evaluations[0].details == {"free": "free", "in_context": "in_context"}
    with pytest.raises(KostraError, match='0 pairs have contexts and scores for both "free" and "late"'):
        context_shift(data, ["dice"], free="free", in_context="late", rng=np.random.default_rng(1))


# People -------------------------------------------------------------------------------------------------


def judgments(people: int, *, named: bool) -> Frame:
    rng = np.random.default_rng(5)
    rows = [
        {
            "judgment": f"p{n:02d}-{who}",
            "item": f"p{n:02d}",
            "version": 1,
            "question": "score",
            "annotator": f"person {who}" if named else None,
            "value": str(round(n / 5 + rng.normal(), 2)),
            "status": "answered",
            "phase": "main",
            "block": "main",
        }
        for n in range(COUNT)
        for who in range(people)
    ]
    return check(pl.DataFrame(rows, schema_overrides={"annotator": pl.String}), JUDGMENTS)


def test_named_people_are_each_compared_with_the_rest_and_anonymous_answers_drawn() -> None:
    first = [
        ceilings(
            Dataset("mine", pairs=pairs(), scores=scores(), judgments=judgments(5, named=named)),
            "score",
            rng=np.random.default_rng(1),
            samples=50,
        )[0]
        for named in (True, False)
    ]
    assert [one.encoder for one in first] == ["people: one against the rest", "people: one answer against the rest"]
    one, drawn = (one.value("cosine_pearson") for one in first)
    assert one is not None
    # The same answers, by person or by lot: the same agreement but for chance.
    assert drawn == pytest.approx(one, abs=0.05)


def test_best_and_worst_answers_give_the_split_half() -> None:
    rng = np.random.default_rng(1)
    shown = [rng.permutation(COUNT)[:4] for _ in range(60)]
    tuples = pl.DataFrame(
        [
            {"tuple": f"t{t}", "position": place, "item": f"p{item:02d}"}
            for t, items in enumerate(shown)
            for place, item in enumerate(items.tolist(), 1)
        ]
    )
    answers = pl.DataFrame(
        [
            {
                "judgment": f"t{t}-{who}-{question}", "item": f"t{t}", "version": 1, "question": question,
                "annotator": f"person {who}", "value": f"p{chosen:02d}", "status": "answered", "phase": "main",
                "block": "main",
            }
            for t, items in enumerate(shown)
            for who in range(2)
            for question, chosen in (("best", max(items)), ("worst", min(items)))
        ]
    )  # fmt: skip
    data = Dataset("mine", pairs=pairs(), tuples=check(tuples, TUPLES), judgments=check(answers, JUDGMENTS))
    found = ceilings(data, "score", rng=rng)
    assert [one.encoder for one in found] == ["people: half against half", "people: all against as many others"]
    assert found[0].value("cosine_spearman") == pytest.approx(1.0)  # both always answer alike


def test_a_dataset_without_answers_has_no_rows_about_people() -> None:
    assert ceilings(Dataset("mine", pairs=pairs(), scores=scores()), "score", rng=np.random.default_rng(1)) == ()


# The dataset folder -------------------------------------------------------------------------------------


def test_a_published_folder_is_read_with_range_labels_and_answers(tmp_path: Path) -> None:
    made = run(
        "release/dataset", _written(tmp_path), question="score", low=0, high=1, language="en", to=tmp_path / "out"
    )
    assert made.files
    folder = tmp_path / "out" / "dataset"
    recipe = '[recipe]\nname = "mine"\nlanguage = "en"\n[score]\nquestion = "score"\nlow = 0.0\nhigh = 2.0\n'
    files.write_text(recipe, folder / "recipe.toml")
    found = read_dataset(folder)
    assert (found.name, found.languages, found.low, found.high) == ("mine", ("eng-Latn",), 0.0, 2.0)
    assert found.scored().gold.tolist() == pytest.approx([n / COUNT for n in range(COUNT)])
    assert found.labelled().labels.count("entailment") == 14
    rows = evaluate(folder, "dice", tasks=["relatedness"], samples=20).rows()
    assert any(row["encoder"] == "people: half against half" for row in rows)


def _written(folder: Path) -> dict[str, str | Path]:
    for name, frame in {"pairs": pairs(), "scores": scores(), "judgments": judgments(4, named=True)}.items():
        tables.write(frame, folder / f"{name}.csv")
    return {name: folder / f"{name}.csv" for name in ("pairs", "scores", "judgments")}

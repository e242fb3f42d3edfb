"""Results on disk: MTEB reads them, they come back as they were, and MTEB's names stand for MTEB's data only."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files as resources
from pathlib import Path

import numpy as np
import pytest

from kostra.errors import KostraError
from kostra.evaluate import results, results_mteb
from kostra.evaluate.comparison import Comparison, Standing
from kostra.evaluate.outcome import Evaluation, Measure
from kostra.evaluate.results_mteb import TASKS, MtebTask, same_data

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CDSC = next(task for task in TASKS if task.name == "CDSC-R")
ARABIC, HINDI = (next(task for task in TASKS if task.subset == name) for name in ("arb", "hin"))


def evaluation(encoder: str = "static", *, dataset: str = "mine", value: float | None = 0.5712345678) -> Evaluation:
    measures = (
        Measure("all", "cosine_pearson", 0.6, n=100),
        Measure("all", "cosine_spearman", value, 0.5, 0.6, 100, "95% interval"),
        Measure("news", "cosine_spearman", None, n=3, note="undefined"),
    )
    return Evaluation(
        encoder, dataset, "relatedness", measures, revision="r1", dataset_revision="abc", languages=("ces-Latn",),
        similarity="cosine", counts={"zero_vectors": 1}, seconds=0.25, details={"folds": [1, 2], "range": [0, 6]},
    )  # fmt: skip


def of_task(task: MtebTask, **changes: object) -> Evaluation:
    details = {"range": [0, 5], **results_mteb.noted(task)}
    made = replace(evaluation(dataset=f"{task.name}-{task.subset}"), details=details, languages=(task.language,))
    return replace(made, **changes)  # type: ignore[arg-type]


# MTEB reads what is written ----------------------------------------------------------------------------


def test_mteb_loads_a_result_and_finds_its_main_score_and_language(tmp_path: Path) -> None:
    mteb_results = pytest.importorskip("mteb.results")
    [path] = results.write([evaluation()], tmp_path, now=NOW)
    assert path == tmp_path / "kostra__static" / "r1" / "mine-relatedness.json"
    loaded = mteb_results.TaskResult.from_disk(path)
    assert loaded.task_name == "mine-relatedness"
    assert loaded.get_score() == 0.571235  # of the whole set, and not averaged with its parts
    assert loaded.languages == ["ces"]
    assert loaded.scores["test"][0]["cosine_pearson"] == 0.6
    assert loaded.date == NOW


def test_mteb_finds_all_results_in_a_folder_of_that_name(tmp_path: Path) -> None:
    mteb = pytest.importorskip("mteb")
    made = [evaluation(), evaluation("sbert:some/model", value=0.7), of_task(CDSC)]
    results.write(made, tmp_path / "results")
    loaded = mteb.ResultCache(tmp_path).load_results(include_remote=False)
    found = {
        (model.model_name, model.model_revision, task.task_name): task.get_score()
        for model in loaded.model_results
        for task in model.task_results
    }
    assert found == {
        ("kostra/static", "r1", "mine-relatedness"): 0.571235,
        ("some/model", "r1", "mine-relatedness"): 0.7,
        ("kostra/static", "r1", "CDSC-R"): 0.571235,
    }


def test_the_names_of_models_are_sound_for_mteb(tmp_path: Path) -> None:
    meta = pytest.importorskip("mteb.models.model_meta")
    for spec in ("dice", "vectors:models/w2v.bin?pooling=mean", "static, fine-tuned as two tower"):
        [path] = results.write([evaluation(spec)], tmp_path)
        content = json.loads((path.parent / "model_meta.json").read_text())
        assert meta.ModelMeta.model_validate(content).name.startswith("kostra/")


def test_languages_of_one_task_stand_in_one_file(tmp_path: Path) -> None:
    mteb_results = pytest.importorskip("mteb.results")
    results.write([of_task(ARABIC)], tmp_path)
    [path] = results.write([of_task(HINDI)], tmp_path)
    loaded = mteb_results.TaskResult.from_disk(path)
    assert loaded.task_name == "SemRel24STS"
    assert sorted(loaded.hf_subsets) == ["arb", "hin"]
    assert loaded.dataset_revision == ARABIC.revision
    assert {one.dataset for one in results.read(tmp_path)} == {"SemRel24STS-arb", "SemRel24STS-hin"}


def test_an_undefined_score_is_null_and_not_nan(tmp_path: Path) -> None:
    [path] = results.write([evaluation(value=None)], tmp_path)
    assert json.loads(path.read_text())["scores"]["test"][0]["main_score"] is None
    assert "NaN" not in path.read_text()


# MTEB's names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"protocol": "5-fold grouped"},
        {"split": "train"},
        {"similarity": "dot"},
        {"similarity": "own"},
        {"measures": (Measure("all", "cosine_pearson", 0.6),)},
    ],
)
def test_mtebs_name_is_used_for_the_same_split_metric_and_protocol_only(changed: dict[str, object]) -> None:
    assert results.task_name(of_task(CDSC)) == "CDSC-R"
    assert results.task_name(of_task(CDSC, **changed)).startswith("CDSC-R-default-relatedness")


def test_a_dataset_that_is_only_called_like_mtebs_does_not_get_its_name() -> None:
    assert results.task_name(evaluation(dataset="CDSC-R")) == "CDSC-R-relatedness"


def test_the_data_of_a_task_are_known_by_their_counts() -> None:
    rng = np.random.default_rng(1)
    pairs = [("x" * int(a), "y" * int(b)) for a, b in rng.integers(1, 9, size=(50, 2))]
    gold = rng.random(50).tolist()
    characters = (sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs))
    task = MtebTask("Mine", "default", "eng-Latn", "1", 50, characters, sum(gold) / 50)
    assert same_data(pairs, gold, tasks=[task]) == task
    assert same_data(pairs[:-1], gold[:-1], tasks=[task]) is None
    assert same_data([*pairs[:-1], ("x", "")], gold, tasks=[task]) is None
    assert same_data(pairs, [score + 0.01 for score in gold], tasks=[task]) is None
    assert same_data([], []) is None


def test_the_counts_are_those_that_mteb_publishes() -> None:
    mteb = pytest.importorskip("mteb")
    folder = resources("mteb") / "descriptive_stats" / "STS"
    for task in TASKS:
        published = json.loads((folder / f"{task.name}.json").read_text())["test"]
        own = published["hf_subset_descriptive_stats"][task.subset] if task.subset != "default" else published
        assert own["num_samples"] == task.pairs
        assert tuple(own[f"text{side}_statistics"]["total_text_length"] for side in (1, 2)) == task.characters
        assert own["label_statistics"]["avg_score"] == pytest.approx(task.mean, abs=1e-6)
        about = mteb.get_task(task.name).metadata
        assert about.main_score == results_mteb.MAIN
        assert about.revision == task.revision
        assert task.language in about.hf_subsets_to_langscripts[task.subset]


# Coming back -------------------------------------------------------------------------------------------


def test_what_is_written_comes_back_equal(tmp_path: Path) -> None:
    made = [
        evaluation("dice"),
        evaluation("static"),
        evaluation("vectors:a/b.bin?pooling=max"),
        replace(evaluation("dice"), protocol="5-fold grouped"),
        replace(evaluation("people: half against half"), protocol="people", similarity="people"),
        of_task(CDSC),
    ]
    results.write(made, tmp_path)
    assert sorted(results.read(tmp_path), key=repr) == sorted(made, key=repr)


def test_writing_again_replaces_and_keeps_the_rest(tmp_path: Path) -> None:
    results.write([evaluation("dice"), evaluation("static")], tmp_path)
    results.write([evaluation("static", value=0.9)], tmp_path)
    assert {one.encoder: one.value("cosine_spearman") for one in results.read(tmp_path)} == {
        "dice": 0.5712345678, "static": 0.9,
    }  # fmt: skip


def test_results_of_mteb_itself_are_read_without_a_sidecar(tmp_path: Path) -> None:
    folder = tmp_path / "org__model" / "rev"
    folder.mkdir(parents=True)
    entry = {
        "cosine_spearman": 0.8,
        "cosine_pearson": 0.7,
        "main_score": 0.8,
        "hf_subset": "ces",
        "languages": ["ces-Latn"],
    }
    content = {
        "dataset_revision": "d", "task_name": "Some", "mteb_version": "2.1.0", "evaluation_time": 3.5,
        "scores": {"test": [entry]},
    }  # fmt: skip
    (folder / "Some.json").write_text(json.dumps(content))
    (folder / "model_meta.json").write_text(json.dumps({"name": "org/model", "revision": "rev"}))
    [one] = results.read(tmp_path)
    assert (one.encoder, one.dataset, one.languages) == ("org/model", "Some (ces)", ("ces-Latn",))
    assert one.value("cosine_spearman") == 0.8
    assert one.seconds == 3.5


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no result here"),
        ("{", "this is no JSON"),
        ('{"scores": {"test": [{"main_score": 1}]}}', "this is no result"),
        ('{"scores": 3}', "this is no result"),
    ],
)
def test_what_is_no_result_is_refused_with_its_place(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / "x.json").write_text(content)
    with pytest.raises(KostraError) as caught:
        results.read(tmp_path)
    assert said in caught.value.what
    assert str(tmp_path) in str(caught.value.where)


def test_a_sidecar_that_says_something_else_is_refused(tmp_path: Path) -> None:
    [path] = results.write([evaluation()], tmp_path)
    path.write_text(path.read_text().replace("0.571235", "0.9"))
    with pytest.raises(KostraError, match=r"cosine_spearman is 0\.9 here and 0\.57"):
        results.read(tmp_path)


def test_two_evaluations_that_would_be_one_result_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="are both called"):
        results.write([evaluation(), evaluation(value=0.1)], tmp_path)


def test_letters_and_whom_they_hold_among_are_kept(tmp_path: Path) -> None:
    standings = (Standing("dice", 0.5, None, None, "a"), Standing("static", 0.4, None, None, "ab"))
    comparison = Comparison("mine", "score", "cosine_spearman", "bootstrap", 9, standings, ())
    noted = results.with_letters([evaluation("dice"), evaluation("static"), evaluation("other")], comparison)
    assert [one.details.get("letters") for one in noted] == ["a", "ab", None]
    assert noted[0].details["compared_with"] == ["dice", "static"]

"""`kostra release`: whole or untouched, loadable by others, and honest about what it does not know."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from tests.release.projects import HARD, RECIPE, a_project, pairs_csv
from typer.testing import CliRunner

import kostra
from kostra.cli import app
from kostra.errors import KostraError
from kostra.release import publishing

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 4, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_project(tmp_path_factory.mktemp("release") / "project")


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    """A copy of the built project, which a test may change."""
    return Path(shutil.copytree(built, tmp_path / "project"))


@pytest.fixture(scope="module")
def released(built: Path) -> Path:
    kostra.release(built, built.parent / "out", now=DAY)
    return built.parent / "out"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# What lies in the folder ---------------------------------------------------------------------------------


def test_the_folder_has_data_in_two_forms_and_all_papers(released: Path) -> None:
    names = set(everything(released))
    papers = {"README.md", "DATASHEET.md", "DATA_STATEMENT.md", "INSTRUCTIONS.md", "LICENSE", "CITATION.cff"}
    assert papers | {"CHANGES.md", "croissant.json", "checksums.txt", "recipe.toml", "mteb_task.py"} <= names
    tables = ["data/pairs", "data/train", "data/validation", "data/test", "judgments/judgments", "judgments/annotators"]
    assert {f"{table}.{ending}" for table in tables for ending in ("parquet", "csv")} <= names


def test_splits_hold_every_pair_once_and_share_no_sentence(released: Path) -> None:
    whole = pl.read_parquet(released / "data/pairs.parquet")
    parts = {part: pl.read_parquet(released / f"data/{part}.parquet") for part in ("train", "validation", "test")}
    assert pl.concat(parts.values()).sort("pair").equals(whole)
    texts = {part: {*frame["text_a"], *frame["text_b"]} for part, frame in parts.items()}
    assert not texts["train"] & texts["test"]
    assert not texts["train"] & texts["validation"]
    assert not texts["validation"] & texts["test"]
    assert {part: frame.height for part, frame in parts.items()} == {"train": 41, "validation": 7, "test": 12}


def test_hard_texts_survive_in_every_form(released: Path) -> None:
    for frame in (pl.read_parquet(released / "data/pairs.parquet"), pl.read_csv(released / "data/pairs.csv")):
        assert tuple(frame.sort("pair")["text_a"][: len(HARD)]) == HARD


def test_open_questions_are_marked_and_answers_take_their_place(project: Path, tmp_path: Path) -> None:
    first = kostra.release(project, tmp_path / "out", now=DAY)
    assert "intended_use" in first.open
    assert "pay" not in first.open  # the recipe says what people are told about it
    assert "> **Open question** (`intended_use`)" in (tmp_path / "out/DATASHEET.md").read_text()
    assert "OPEN QUESTION" in (tmp_path / "out/CITATION.cff").read_text()
    (project / "datasheet.toml").write_text('authors = ["Ada Bell"]\nintended_use = "Testing kostra."\n')
    second = kostra.release(project, tmp_path / "out", now=LATER)
    assert {"intended_use", "authors"} & set(second.open) == set()
    assert "Testing kostra." in (tmp_path / "out/DATASHEET.md").read_text()
    cited = yaml.safe_load((tmp_path / "out/CITATION.cff").read_text())
    assert cited["authors"] == [{"name": "Ada Bell"}]
    assert (cited["version"], cited["license"], cited["type"]) == ("1.0.1", "CC-BY-4.0", "dataset")


def test_what_the_recipe_knows_answers_a_question_and_the_makers_have_the_last_word(tmp_path: Path) -> None:
    labels = 'labels = ["nothing", "a topic", "some", "much", "most", "all"]\n'
    knows = RECIPE.replace("high = 5.0\n", "high = 5.0\n" + labels, 1)
    knows = knows.replace('payment = "', 'consent = { text = "I agree." }\npayment = "', 1)
    project = a_project(tmp_path / "project", recipe=knows, built=False)
    header = "judgment,item,version,question,annotator,value,status,phase,block\n"
    rows = [f"j{n},p{n:03d},1,similarity,fox,{n % 6},answered,main,main\n" for n in range(60)]
    (project / "data/judgments.csv").write_text(header + "".join(rows))
    kostra.build(project)
    made = kostra.release(project, tmp_path / "out", now=DAY)
    assert not {"score_meaning", "pay", "consent"} & set(made.open)
    sheet = (tmp_path / "out/DATASHEET.md").read_text()
    assert "0 = nothing; 1 = a topic" in sheet
    assert "Annotators were told: Twelve euros an hour." in sheet
    assert "they agreed to the text in INSTRUCTIONS.md" in sheet
    (project / "datasheet.toml").write_text('pay = "Nothing at all."\n')
    kostra.release(project, tmp_path / "out", now=LATER)
    sheet = (tmp_path / "out/DATASHEET.md").read_text()
    assert "Nothing at all." in sheet
    assert "Twelve euros" not in sheet


def test_an_unknown_answer_is_refused_with_the_nearest_question(project: Path, tmp_path: Path) -> None:
    (project / "datasheet.toml").write_text('intended_uses = "x"\n')
    with pytest.raises(KostraError, match='did you mean "intended_use"') as caught:
        kostra.release(project, tmp_path / "out")
    assert "datasheet.toml:1" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_instructions_are_the_recipe_s_words(released: Path) -> None:
    text = (released / "INSTRUCTIONS.md").read_text()
    assert "Read both sentences twice." in text
    assert r"How close in meaning are these two \| sentences?" in text
    assert "Twelve euros an hour." in text


def test_no_file_holds_a_note_on_a_person_or_an_answer_about_themselves(tmp_path: Path) -> None:
    asks = RECIPE.replace(
        '[[steps]]\nname = "scores"',
        '[[steps.with.phases]]\nname = "you"\ntask = "questionnaire"\n'
        '[[steps.with.phases.questions]]\nname = "home"\n\n'
        '[[steps]]\nname = "scores"',
    )
    project = a_project(tmp_path / "project", recipe=asks, built=False)
    header = "judgment,item,version,question,annotator,value,status,phase,block\n"
    rows = [f"j{n},p{n:03d},1,similarity,fox,{n % 6},answered,main,main\n" for n in range(60)]
    rows.append("k1,you,1,home,fox,Brno-Zidenice,answered,you,main\n")
    (project / "data/judgments.csv").write_text(header + "".join(rows))
    kostra.build(project)
    made = kostra.release(project, tmp_path / "out")
    assert "1 answers of people about themselves are not released" in made.findings
    assert b"Zidenice" not in b"".join(everything(tmp_path / "out").values())


@pytest.mark.parametrize("name", ["jana@example.org", "A1B2C3D4E5F6G7", "5f2a9c0b7e1d4c3a2b1f0e9d"])
def test_names_by_which_somebody_is_found_are_never_released(tmp_path: Path, name: str) -> None:
    project = a_project(tmp_path / "project", built=False)
    header = "judgment,item,version,question,annotator,value,status,phase,block\n"
    rows = [f"j{n},p{n:03d},1,similarity,{name},{n % 6},answered,main,main\n" for n in range(60)]
    (project / "data/judgments.csv").write_text(header + "".join(rows))
    kostra.build(project, to="scores")
    with pytest.raises(KostraError, match="must not be released"):
        kostra.release(project, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# Versions ------------------------------------------------------------------------------------------------


def test_the_same_project_gives_the_same_bytes_and_keeps_its_version(project: Path, tmp_path: Path) -> None:
    kostra.release(project, tmp_path / "one", now=DAY)
    kostra.release(project, tmp_path / "two", now=DAY)
    assert everything(tmp_path / "one") == everything(tmp_path / "two")
    again = kostra.release(project, tmp_path / "one", now=LATER)
    assert (again.same, again.version) == (True, "1.0.0")
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


def test_a_later_release_says_what_differs_and_lists_the_pairs(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kostra.release(project, out, now=DAY)
    (project / "data/pairs.csv").write_text(pairs_csv(62), encoding="utf-8")
    kostra.build(project, simulate=True)
    made = kostra.release(project, out, now=LATER)
    assert made.version == "2.0.0"  # other answers were simulated, so scores changed as well
    assert made.changes[0] == "2 pairs added"
    rows = pl.read_csv(out / "changes/2.0.0.csv", infer_schema=False)
    assert rows.filter(pl.col("change") == "added")["pair"].to_list() == ["p060", "p061"]
    changes = (out / "CHANGES.md").read_text()
    assert changes.index("## 2.0.0 (2026-04-02)") < changes.index("## 1.0.0 (2026-03-01)")
    third = kostra.release(project, out, version="2.5.0", now=LATER)
    assert third.version == "2.5.0"
    assert (out / "changes/2.0.0.csv").is_file()
    with pytest.raises(KostraError, match=r"2\.4\.0 does not come after 2\.5\.0"):
        kostra.release(project, out, version="2.4.0")


def test_what_was_edited_by_hand_is_not_lost_unasked(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kostra.release(project, out, now=DAY)
    (out / "DATASHEET.md").write_text("mine\n")
    with pytest.raises(KostraError, match=r"changed by hand: DATASHEET\.md"):
        kostra.release(project, out)
    assert (out / "DATASHEET.md").read_text() == "mine\n"
    kostra.release(project, out, overwrite=True, now=LATER)
    assert (out / "DATASHEET.md").read_text() != "mine\n"


def test_files_that_are_not_of_the_release_stay(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kostra.release(project, out, now=DAY)
    (out / ".git").mkdir()
    (out / ".git" / "HEAD").write_text("ref")
    kostra.release(project, out, version="3.0.0", now=LATER)
    assert (out / ".git" / "HEAD").read_text() == "ref"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "project"]


def test_a_release_that_was_cut_between_two_renames_loses_nothing(project: Path, tmp_path: Path) -> None:
    out, old = tmp_path / "out", tmp_path / ".out.old"
    kostra.release(project, out, now=DAY)
    before = (out / "README.md").read_bytes()
    out.rename(old)  # cut between the two renames
    assert kostra.release(project, out, now=LATER).same
    assert (out / "README.md").read_bytes() == before
    old.mkdir()  # cut before what is not of the release came back
    (old / "notes.txt").write_text("mine")
    kostra.release(project, out, version="3.0.0", now=LATER)
    assert (out / "notes.txt").read_text() == "mine"


# Whole or untouched --------------------------------------------------------------------------------------


def test_a_release_that_fails_leaves_the_last_one_untouched(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    kostra.release(project, out, now=DAY)
    before = everything(out)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publishing, "write_checksums", full)
    with pytest.raises(KostraError, match="No space left"):
        kostra.release(project, out, version="9.0.0")
    assert everything(out) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "project"]


def test_a_release_that_is_killed_leaves_the_last_one_and_the_next_one_cleans_up(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kostra.release(project, out, now=DAY)
    before = everything(out)
    killed = (
        "import os, signal, sys, kostra\n"
        "from kostra.release import publishing\n"
        "publishing.write_checksums = lambda folder: os.kill(os.getpid(), signal.SIGKILL)\n"
        "kostra.release(sys.argv[1], sys.argv[2], version='9.0.0')\n"
    )
    done = subprocess.run([sys.executable, "-c", killed, str(project), str(out)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert everything(out) == before
    assert (tmp_path / ".out.partial").is_dir()
    kostra.release(project, out, version="9.0.0", now=LATER)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "project"]


@pytest.mark.parametrize("place", ["project", "project/out", "project/data/out", "."])
def test_a_release_lies_neither_in_its_project_nor_around_it(project: Path, tmp_path: Path, place: str) -> None:
    with pytest.raises(KostraError, match="a folder of its own, outside the project"):
        kostra.release(project, tmp_path / place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["project"]


def test_it_may_be_released_into_the_folder_in_which_one_stands(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    kostra.release(project, ".", now=DAY)
    assert (tmp_path / "here" / "README.md").is_file()
    monkeypatch.chdir(tmp_path)


def test_the_checksums_are_what_sha256sum_checks(released: Path) -> None:
    program = shutil.which("sha256sum")
    if program is None:
        pytest.skip("no sha256sum here")
    done = subprocess.run([program, "-c", "checksums.txt"], cwd=released, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(everything(released)) - 1


def test_a_folder_with_something_else_is_refused(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    with pytest.raises(KostraError, match="not a released dataset"):
        kostra.release(project, tmp_path / "out")
    assert everything(tmp_path / "out") == {"thesis.tex": b"years of work"}


def test_a_project_that_is_not_built_or_out_of_date_is_refused(project: Path, tmp_path: Path) -> None:
    (project / "data/pairs.csv").write_text(pairs_csv(61), encoding="utf-8")
    with pytest.raises(KostraError, match='step "pairs", which the release rests on, is to do again'):
        kostra.release(project, tmp_path / "out")


def test_the_command_says_version_splits_and_open_questions(project: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["release", str(project), "--to", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "version 1.0.0: the first release: 60 pairs" in done.output
    assert "splits by sentence: train 41, validation 7, test 12; no sentence stands in two of them" in done.output
    assert "questions are open" in done.output


# Others' programs ----------------------------------------------------------------------------------------


def test_it_loads_with_datasets_configuration_by_configuration(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        datasets = pytest.importorskip("datasets")
        datasets.disable_progress_bars()
        pairs = datasets.load_dataset(str(released), cache_dir=str(tmp_path))
        judgments = datasets.load_dataset(str(released), "judgments", cache_dir=str(tmp_path))["train"]
    assert {part: pairs[part].num_rows for part in pairs} == {"train": 41, "validation": 7, "test": 12}
    whole = pl.read_parquet(released / "data/pairs.parquet")
    texts = {text for part in pairs for text in pairs[part]["text_a"]}
    assert texts == set(whole["text_a"])
    assert judgments.num_rows == pl.read_parquet(released / "judgments/judgments.parquet").height


def test_the_card_s_own_snippet_loads_it_and_mteb_gives_the_numbers_that_kostra_gives(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snippet = (released / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    snippet = snippet.replace("path/to/this/folder", str(released))
    snippet = snippet.replace('mteb.get_model("intfloat/multilingual-e5-small")', 'to_mteb("hashed")')
    snippet = snippet.replace("Task())", "Task(), cache=None, show_progress_bar=False)")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path))
    monkeypatch.syspath_prepend(released)
    monkeypatch.chdir(released)
    monkeypatch.delitem(sys.modules, "mteb_task", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("mteb")
        from kostra.encoders.mteb import to_mteb

        made: dict[str, Any] = {"to_mteb": to_mteb}
        exec(snippet, made)
    monkeypatch.delitem(sys.modules, "mteb_task")
    assert {part: made["pairs"][part].num_rows for part in made["pairs"]} == {"train": 41, "validation": 7, "test": 12}
    assert made["judgments"].num_rows == pl.read_parquet(released / "judgments/judgments.parquet").height
    theirs = made["results"].task_results[0].scores["test"][0]["cosine_spearman"]
    ours = kostra.evaluate(released, "hashed", samples=0)
    assert ours.evaluations[0].value("cosine_spearman") == pytest.approx(theirs, abs=1e-6)
    assert (ours.evaluations[0].split, ours.evaluations[0].counts["pairs"]) == ("test", 12)


def test_folds_and_whoever_asks_for_it_take_every_pair_of_a_release(released: Path) -> None:
    whole = kostra.evaluate(released, "hashed", samples=0, split="all").evaluations[0]
    assert (whole.split, whole.counts["pairs"]) == ("all", 60)
    folds = kostra.evaluate(released, "hashed", samples=0, protocol="grouped").evaluations[0]
    assert folds.split == "all"


def test_a_split_that_is_not_there_is_refused_with_those_that_are(released: Path) -> None:
    with pytest.raises(KostraError, match=r'(?s)unknown split "tset".*did you mean "test"'):
        kostra.evaluate(released, "hashed", samples=0, split="tset")


def test_croissant_describes_every_configuration_and_file(released: Path) -> None:
    found = json.loads((released / "croissant.json").read_text())
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert {"@context", "@type", "name", "description", "license", "version", "datePublished", "creator"} <= set(found)
    files = {one["@id"]: one for one in found["distribution"]}
    lines = [line.split("  ", 1) for line in (released / "checksums.txt").read_text().splitlines()]
    listed = {name: digest for digest, name in lines}
    assert all(listed[name] == one["sha256"] for name, one in files.items())
    for records in found["recordSet"]:
        if records["@id"] == "split":
            assert [row["split/name"] for row in records["data"]] == ["train", "validation", "test"]
            continue
        path = records["field"][0]["source"]["fileObject"]["@id"]
        columns = pl.read_parquet(released / path).columns
        assert [field["source"]["extract"]["column"] for field in records["field"]] == columns
        assert records["key"]["@id"] in {field["@id"] for field in records["field"]}

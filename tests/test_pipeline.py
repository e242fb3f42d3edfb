from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kostra import manifests, tables
from kostra.errors import KostraError
from kostra.pipeline import StepStatus, build, check, demo, status
from kostra.projects import new

SMALL = """
[recipe]
name = "small"
title = "Small"
protocol = "best–worst scaling of a few pairs"
language = "en"
seed = 7
citation = "Nobody, 2026."

[score]
question = "relatedness"
low = 0
high = 1

[simulation]
annotators = 6

[[steps]]
name = "pairs"
use = "sources/files"
[steps.with]
paths = ["data/pairs.csv"]
table = "pairs"

[[steps]]
name = "tuples"
use = "sampling/tuples"
reads = ["pairs"]

[[steps]]
name = "annotate"
use = "campaign/annotate"
reads = ["tuples", "pairs"]
[[steps.with.phases]]
name = "main"
task = "best_worst"
overlap = 2

[[steps]]
name = "scores"
use = "scoring/counting"
reads = ["tuples", "annotate"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of twelve pairs that runs in a moment."""
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "recipe.toml").write_text(SMALL, encoding="utf-8")
    rows = [f"p{n:02d},The cat number {n} sat.,A dog number {n} ran." for n in range(12)]
    (folder / "data" / "pairs.csv").write_text("\n".join(["pair,text_a,text_b", *rows]) + "\n", encoding="utf-8")
    return folder


def states(found: tuple[StepStatus, ...] | list[StepStatus]) -> dict[str, str]:
    return {one.step.name: one.state for one in found}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def edit(path: Path, old: str, new_text: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new_text), encoding="utf-8")


def test_each_step_writes_its_table_and_a_manifest(project: Path) -> None:
    built = build(project, simulate=True)
    assert built.complete
    manifest = json.loads((project / "build" / "tuples" / "manifest.json").read_text())
    assert manifest["rows"] == {"tuples": 24}  # 2 × 12
    assert manifest["seed"] == 7
    assert list(manifest["inputs"]) == ["pairs/pairs.parquet"]
    assert list(manifest["outputs"]) == ["tuples.parquet"]
    # 24 tuples × 2 answers × 2 questions
    judgments = tables.read(project / "build" / "annotate" / "judgments.parquet", tables.JUDGMENTS)
    assert judgments.height == 96


def test_a_second_build_skips_what_is_unchanged(project: Path) -> None:
    build(project, simulate=True)
    again = build(project, simulate=True)
    assert set(states(again.steps).values()) == {"unchanged"}
    assert set(states(status(project)).values()) == {"unchanged"}


def test_the_same_recipe_and_seed_give_the_same_bytes(project: Path, tmp_path: Path) -> None:
    build(project, simulate=True)
    first = contents(project / "build")
    other = tmp_path / "elsewhere"
    (other / "data").mkdir(parents=True)
    for name in ("recipe.toml", "data/pairs.csv"):
        (other / name).write_bytes((project / name).read_bytes())
    build(other, simulate=True)
    assert contents(other / "build") == first


def test_another_seed_runs_every_seeded_step_again(project: Path) -> None:
    build(project, simulate=True)
    before = contents(project / "build")
    edit(project / "recipe.toml", "seed = 7", "seed = 8")
    assert states(status(project))["tuples"] == "changed"
    assert states(build(project, simulate=True).steps)["tuples"] == "done"
    assert contents(project / "build")["tuples/tuples.parquet"] != before["tuples/tuples.parquet"]


def test_a_changed_option_runs_its_step_and_those_after_it_only(project: Path) -> None:
    build(project, simulate=True)
    edit(project / "recipe.toml", "overlap = 2", "overlap = 3")
    assert states(build(project, simulate=True).steps) == {
        "pairs": "unchanged",
        "tuples": "unchanged",
        "annotate": "done",
        "scores": "done",
    }


def test_changed_data_run_everything_that_reads_them(project: Path) -> None:
    build(project, simulate=True)
    edit(project / "data" / "pairs.csv", "The cat number 3 sat.", "The cat number 3 slept.")
    assert states(build(project, simulate=True).steps)["pairs"] == "done"


def test_a_note_in_the_recipe_runs_nothing_again(project: Path) -> None:
    build(project, simulate=True)
    edit(project / "recipe.toml", 'reads = ["pairs"]', 'reads = ["pairs"]\nnote = "tuples of four"')
    assert set(states(build(project, simulate=True).steps).values()) == {"unchanged"}


def test_a_damaged_output_is_made_again(project: Path) -> None:
    build(project, simulate=True)
    whole = contents(project / "build")
    (project / "build" / "tuples" / "tuples.parquet").write_bytes(b"half a fi")
    assert states(status(project))["tuples"] == "changed"
    build(project, simulate=True)
    assert contents(project / "build") == whole


def test_without_simulation_a_build_waits_for_people_and_says_so(project: Path) -> None:
    built = build(project)
    assert states(built.steps) == {"pairs": "done", "tuples": "done", "annotate": "waiting", "scores": "blocked"}
    assert "data/judgments.csv" in built.steps[2].why
    assert not built.complete


def test_collected_answers_take_the_place_of_simulated_ones(project: Path) -> None:
    build(project, simulate=True)
    judgments = tables.read(project / "build" / "annotate" / "judgments.parquet", tables.JUDGMENTS)
    scores = tables.read(project / "build" / "scores" / "scores.parquet", tables.SCORES)
    tables.write(judgments, project / "data" / "judgments.csv")
    built = build(project)
    assert built.complete
    assert tables.read(project / "build" / "scores" / "scores.parquet", tables.SCORES).equals(scores)
    people = tables.read(project / "build" / "annotate" / "annotators.parquet", tables.ANNOTATORS)
    assert set(people["kind"]) == {"simulated"}, "a rehearsal's answers do not turn into people's through a file"
    text = (project / "data" / "judgments.csv").read_text(encoding="utf-8")
    (project / "data" / "judgments.csv").write_text(text.replace("simulated-", "student-"), encoding="utf-8")
    build(project)
    people = tables.read(project / "build" / "annotate" / "annotators.parquet", tables.ANNOTATORS)
    assert set(people["kind"]) == {"person"}


def test_answers_to_another_design_are_refused(project: Path) -> None:
    build(project, simulate=True)
    judgments = tables.read(project / "build" / "annotate" / "judgments.parquet", tables.JUDGMENTS)
    tables.write(judgments, project / "data" / "judgments.csv")
    edit(project / "data" / "judgments.csv", "tuple-01,", "tuple-99,")
    with pytest.raises(KostraError, match="items that this step does not ask about"):
        build(project)


def test_an_error_leaves_finished_steps_and_nothing_half_written(project: Path) -> None:
    build(project, simulate=True)
    before = contents(project / "build")
    edit(project / "data" / "pairs.csv", "p03,", "p02,")
    with pytest.raises(KostraError, match=r"pair \"p02\" stands twice \(lines 4 and 5\)"):
        build(project, simulate=True)
    assert contents(project / "build") == before


def test_an_interrupted_build_resumes_after_the_finished_steps(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kostra.scoring import counting

    def interrupted(*_: object) -> dict[str, tables.Frame]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(counting, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build(project, simulate=True)
    assert not list((project / "build").glob(".*.partial"))
    assert states(build(project, simulate=True).steps) == {
        "pairs": "unchanged",
        "tuples": "unchanged",
        "annotate": "unchanged",
        "scores": "done",
    }


def test_a_killed_build_leaves_whole_steps_and_gives_the_same_bytes_when_it_resumes(project: Path) -> None:
    code = f"import kostra; kostra.build({str(project)!r}, simulate=True)"
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 60
    while not (project / "build" / "tuples").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert build(project, simulate=True).complete
    resumed = contents(project / "build")
    for step in ("pairs", "tuples", "annotate", "scores"):
        (project / "build" / step / "manifest.json").unlink()
    build(project, simulate=True)
    assert contents(project / "build") == resumed


def test_where_a_project_lies_does_not_show_in_what_it_makes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A repeated pair makes a note that names the file.
    edit(
        project / "data" / "pairs.csv",
        "The cat number 3 sat.,A dog number 3 ran.",
        "The cat number 2 sat.,A dog number 2 ran.",
    )
    build(project, simulate=True)
    first = contents(project / "build")
    moved = project.rename(tmp_path / "moved")
    monkeypatch.chdir(moved)
    for step in ("pairs", "tuples", "annotate", "scores"):
        (moved / "build" / step / "manifest.json").unlink()
    build(Path(), simulate=True)
    assert contents(moved / "build") == first


def test_the_demo_does_not_take_over_another_project(project: Path) -> None:
    with pytest.raises(KostraError, match='not made from the recipe "demo"'):
        demo(project)


def test_two_builds_of_one_project_do_not_run_at_once(project: Path) -> None:
    with manifests.only_one_build(project / "build"), pytest.raises(KostraError, match="another build is running"):
        build(project, simulate=True)


def test_check_says_what_each_step_will_do_in_numbers(project: Path) -> None:
    plans = {one.step.name: one.plan for one in check(project)}
    assert plans["pairs"] == "reads 12 pairs from data/pairs.csv"
    assert plans["tuples"].startswith("makes 2 × 12 = 24 tuples of 4")
    assert "24 tuples × 2 = 48 answers" in plans["annotate"]
    assert not (project / "build").exists(), "nothing has run"


def test_check_finds_mistakes_in_the_data_before_anything_runs(project: Path) -> None:
    (project / "data" / "pairs.csv").write_text("pair,text_a,text_b\np1,one\n", encoding="utf-8")
    with pytest.raises(KostraError, match=r"pairs.csv:2: found 2 columns where the header has 3"):
        check(project)


@pytest.mark.parametrize(
    ("old", "new_text", "message"),
    [
        ('use = "sampling/tuples"', 'use = "sampling/tuple"', 'did you mean "tuples"'),
        ('reads = ["pairs"]', 'reads = ["pairs"]\n[steps.with]\nsise = 4', 'unknown key "steps.1.with.sise"'),
        ('reads = ["pairs"]', "reads = []", "needs pairs or sentences, and reads nothing"),
        ('reads = ["tuples", "annotate"]', 'reads = ["tuples"]', "needs judgments, and reads tuples"),
        ("[[steps.with.phases]]", '[steps.with]\npolicy = "randon"\n[[steps.with.phases]]', 'did you mean "random"'),
        ("overlap = 2", "overlap = 0", "greater than or equal to 1"),
        ("seed = 7", 'seed = "7"', "\"recipe.seed\": found '7'"),
    ],
)
def test_a_mistake_in_the_recipe_is_one_clear_error(project: Path, old: str, new_text: str, message: str) -> None:
    edit(project / "recipe.toml", old, new_text)
    with pytest.raises(KostraError) as caught:
        check(project)
    assert message in str(caught.value)
    assert "recipe.toml" in str(caught.value)


def test_an_adaptive_campaign_makes_its_own_tuples_and_only_the_choice_model_scores_them(project: Path) -> None:
    edit(project / "recipe.toml", "[[steps.with.phases]]", 'policy = "adaptive"\n[[steps.with.phases]]')
    edit(project / "recipe.toml", 'reads = ["tuples", "pairs"]', 'reads = ["pairs"]')
    edit(
        project / "recipe.toml", "[[steps.with.phases]]", "adaptive = { answers_per_item = 3.0 }\n[[steps.with.phases]]"
    )
    edit(project / "recipe.toml", "overlap = 2", "overlap = 1")
    edit(project / "recipe.toml", 'use = "scoring/counting"\nreads = ["tuples", "annotate"]',
         'use = "scoring/choice"\nreads = ["annotate"]')  # fmt: skip
    edit(project / "recipe.toml", "policy =", "[steps.with]\npolicy =")
    assert build(project, simulate=True).complete
    judgments = tables.read(project / "build" / "annotate" / "judgments.parquet", tables.JUDGMENTS)
    assert judgments.height == 72  # 12 items × 3 answers × 2 questions
    assert set(judgments["block"]) == {"adaptive"}
    assert tables.read(project / "build" / "scores" / "scores.parquet", tables.SCORES).height == 12
    edit(project / "recipe.toml", 'use = "scoring/choice"', 'use = "scoring/counting"')
    with pytest.raises(KostraError, match="adaptive design, on which counting is biased"):
        build(project, simulate=True)


def test_an_unknown_step_to_stop_after_is_refused(project: Path) -> None:
    with pytest.raises(KostraError, match='unknown step "score"'):
        build(project, to="score")


def test_a_folder_without_a_recipe_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="kostra new RECIPE"):
        build(tmp_path)


def test_a_new_project_never_overwrites_anything(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(KostraError, match="not an empty folder"):
        new("demo", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_unknown_recipe_lists_what_exists(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='did you mean "demo"'):
        new("dmeo", tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_the_demo_goes_through_the_whole_house(tmp_path: Path) -> None:
    built = demo(tmp_path / "demo")
    assert built.complete
    assert {path.name for path in built.published()} == {"dataset", "report.html", "report"}
    statistics = tables.read(tmp_path / "demo" / "build" / "reliability" / "statistics.parquet", tables.STATISTICS)
    found = dict(statistics.select("statistic", "value").iter_rows())
    # Simulated annotators of this noise agree about as well as the paper's people (.84), most of them being careful.
    assert 0.75 < found["split_half_spearman"] < 0.95
    # Whole tuples on one side or the other leave more room for error.
    assert found["split_half_disjoint_spearman"] < found["split_half_spearman"]
    results = tables.read(tmp_path / "demo" / "build" / "evaluation" / "results.parquet", tables.RESULTS)
    whole = {
        encoder: value
        for encoder, part, metric, value in results.select("encoder", "part", "metric", "value").iter_rows()
        if part == "all" and metric == "cosine_spearman"
    }
    # The truth is made from the static encoder, lexical overlap knows some of it, and the floor nothing.
    assert whole["static"] > whole["dice"] > abs(whole["hashed"])


def test_a_step_that_is_to_do_again_says_what_changed(project: Path) -> None:
    build(project, simulate=True)
    recipe = project / "recipe.toml"
    recipe.write_text(recipe.read_text(encoding="utf-8").replace("seed = 7", "seed = 8"), encoding="utf-8")
    first, *others = status(project)
    assert (first.state, first.why) == ("changed", "the seed changed")
    assert others[0].why == f'reads "{first.step.name}", which is to do again'

"""CDSCorpus end to end with simulated annotators, and what the paper demands of its judgments.

The recipe runs as it is shipped, on a part of the shipped captions.
"""

from __future__ import annotations

import csv
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from kostra.pipeline import Built, build
from kostra.projects import new
from kostra.recipe import RECIPE_FILE
from kostra.tables import Frame
from kostra.trees import parse_conllu

NOW = datetime(2026, 3, 1, tzinfo=UTC)
THEMES = ("dogs", "kitchen", "horses")
IMAGES = 5
"""Of each theme: enough that a caption finds another one of its theme."""
JUDGES = 3
QUESTIONS = ("relatedness", "entailment")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    project = new("cdsc", tmp_path_factory.mktemp("cdsc") / "project")
    keep_some(project / "data" / "captions.csv")
    return build(project, simulate=True, now=NOW)


def keep_some(captions: Path) -> None:
    with captions.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    images = {theme: list(dict.fromkeys(row["document"] for row in rows if row["group"] == theme)) for theme in THEMES}
    kept = {image for theme in THEMES for image in images[theme][:IMAGES]}
    with captions.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(row for row in rows if row["document"] in kept)


def table(built: Built, step: str, kind: str) -> Frame:
    return pl.read_parquet(built.folder / "build" / step / f"{kind}.parquet")


def judgments(built: Built) -> Frame:
    return table(built, "judge", "judgments")


def statistics(built: Built, step: str) -> dict[str, float]:
    return dict(table(built, step, "statistics").select("statistic", "value").iter_rows())


# The whole ---------------------------------------------------------------------------------------------


def test_every_step_runs_to_the_report(built: Built) -> None:
    assert [(status.step.name, status.why) for status in built.steps if status.state != "done"] == []
    assert (built.folder / "report.html").is_file()
    assert (built.folder / "dataset").is_dir()


def with_udpipe(folder: Path) -> Path:
    """The recipe for captions of one's own, with the parser that it names."""
    project = new("cdsc", folder)
    text = (project / RECIPE_FILE).read_text(encoding="utf-8")
    shipped, named = '"conllu:data/captions.conllu"', '"udpipe:models/pl.udpipe"'
    assert shipped in text
    assert named.strip('"') in text, "the recipe names it"
    (project / RECIPE_FILE).write_text(text.replace(shipped, named), encoding="utf-8")
    return project


def test_every_shipped_caption_has_a_tree_with_a_verb_on_top(tmp_path: Path) -> None:
    project = new("cdsc", tmp_path / "project")
    trees = parse_conllu((project / "data" / "captions.conllu").read_text(encoding="utf-8"))
    captions = pl.read_csv(project / "data" / "captions.csv")["text"].to_list()
    assert sorted(tree.text for tree in trees) == sorted(captions)
    assert {word.upos for tree in trees for word in tree.words if word.head == 0} == {"VERB"}


def test_a_parser_of_ones_own_takes_the_place_of_the_shipped_trees(tmp_path: Path, models: Path) -> None:
    project = with_udpipe(tmp_path / "project")
    keep_some(project / "data" / "captions.csv")
    (project / "models").mkdir()
    (project / "models" / "pl.udpipe").symlink_to(models / "pl.udpipe")
    assert build(project, simulate=True, to="pairs", now=NOW).steps[3].state == "done"


def test_without_a_parser_the_recipe_waits_and_says_for_what(tmp_path: Path) -> None:
    stopped = build(with_udpipe(tmp_path / "project"), simulate=True, to="transformed", now=NOW)
    states = {status.step.name: (status.state, status.why) for status in stopped.steps}
    assert states["captions"][0] == "done"
    assert states["parsed"][0] == "waiting"
    assert "models/pl.udpipe: there is no such file" in states["parsed"][1]
    assert states["transformed"][0] == "blocked"


# Material ----------------------------------------------------------------------------------------------


def test_all_seven_rules_are_asked_and_only_their_sentences_are_new(built: Built) -> None:
    made = table(built, "transformed", "sentences")
    rules = set(made["change"].drop_nulls())
    assert rules <= {
        "dropping_conjunction", "removing_conjunct", "passivisation", "removing_adjuncts", "swapping_relative",
        "negation", "mixing_dependents",
    }  # fmt: skip
    assert len(rules) >= 5


def test_there_are_ten_pairs_per_image_and_the_reverse_of_each(built: Built) -> None:
    pairs = table(built, "pairs", "pairs")
    swapped = {row["pair"]: row for row in pairs.iter_rows(named=True)}
    for row in pairs.iter_rows(named=True):
        other = swapped[row["reverse"]]
        assert (row["text_a"], row["text_b"], other["reverse"]) == (other["text_b"], other["text_a"], row["pair"])
    assert pairs.height % 20 == 0
    assert pairs.height >= 20 * 10


def test_table_1_counts_each_chosen_sentence_once(built: Built) -> None:
    pairs, made = table(built, "pairs", "pairs"), table(built, "transformed", "sentences").drop_nulls("change")
    used = {*pairs["sentence_a"], *pairs["sentence_b"]} & set(made["sentence"])
    assert sum(statistics(built, "rule_counts").values()) == len(used)


# Leader before judges ----------------------------------------------------------------------------------


def test_three_people_judge_every_directed_pair_one_of_them_the_leader_who_saw_it_first(built: Built) -> None:
    answered = judgments(built).filter((pl.col("status") == "answered") & pl.col("phase").is_in(["lead", "judge"]))
    corrected_by = dict(
        judgments(built).filter(pl.col("phase") == "correct", pl.col("question") == "correction")
        .select("item", "annotator").iter_rows()
    )  # fmt: skip
    pairs = set(table(built, "pairs", "pairs")["pair"])
    for question in QUESTIONS:
        own = answered.filter(pl.col("question") == question)
        assert set(own["item"]) == pairs
        for (item,), rows in own.group_by("item"):
            people = dict(rows.select("annotator", "phase").iter_rows())
            assert len(people) == rows.height == JUDGES
            assert Counter(people.values()) == {"lead": 1, "judge": 2}
            assert people[corrected_by[str(item)]] == "lead"


def given_at(rows: Frame) -> Frame:
    """Judgments with the number of the event by which they were given: a judgment is called after it."""
    return rows.with_columns(event=pl.col("judgment").str.extract(r"^j-(\d+)").cast(pl.Int64))


def test_nobody_sees_a_pair_before_its_leader_has_corrected_it(built: Built) -> None:
    found = given_at(judgments(built))
    led = found.filter(pl.col("phase") == "correct", pl.col("question") == "correction")
    judged = found.filter(pl.col("phase").is_in(["lead", "judge"]), pl.col("block") == "main").join(
        led.select("item", led="event", led_at="answered_at"), on="item"
    )
    assert judged.height >= 2 * JUDGES * led.height
    assert judged.filter((pl.col("event") < pl.col("led")) | (pl.col("shown_at") < pl.col("led_at"))).height == 0


def test_a_correction_reaches_every_pair_with_the_sentence_before_anyone_judges_it(built: Built) -> None:
    found = given_at(judgments(built))
    shown = {row["pair"]: row for row in table(built, "pairs", "pairs").iter_rows(named=True)}
    with_sentence: dict[str, set[str]] = {}
    for row in shown.values():
        for side in "ab":
            with_sentence.setdefault(row[f"sentence_{side}"], set()).add(row["pair"])
    leaders = found.filter(pl.col("phase") == "correct", pl.col("question") == "correction").sort("event")
    last: dict[str, int] = {}
    versions: Counter[str] = Counter(dict.fromkeys(shown, 1))
    texts: dict[str, str] = {}
    for row in leaders.iter_rows(named=True):
        sentence = shown[row["item"]]["sentence_b"]
        before = texts.setdefault(sentence, shown[row["item"]]["text_b"])
        if row["value"] != before:
            texts[sentence] = row["value"]
            last |= dict.fromkeys(with_sentence[sentence], row["event"])
            versions.update(with_sentence[sentence])
    assert len(last) > 20
    judged = found.filter(pl.col("phase").is_in(["lead", "judge"]), pl.col("block") == "main")
    for item, event, version in judged.select("item", "event", "version").iter_rows():
        assert last.get(item, -1) < event
        assert versions[item] <= version  # later ones come from the linguist


def test_a_sentence_has_one_wording_in_all_pairs_and_never_its_partners(built: Built) -> None:
    wording: dict[str, str] = {}
    for row in table(built, "corrected", "pairs").iter_rows(named=True):
        assert row["text_a"] != row["text_b"]
        for side in "ab":
            assert wording.setdefault(row[f"sentence_{side}"], row[f"text_{side}"]) == row[f"text_{side}"]


def test_table_2_counts_each_corrected_sentence_once(built: Built) -> None:
    listed = pl.read_csv(built.folder / "build" / "corrections" / "corrected_sentences.csv")
    by_leaders = listed.filter(~pl.col("decided"))
    assert by_leaders["sentence"].is_unique().all()
    counts = pl.read_csv(built.folder / "build" / "corrections" / "corrections.csv")
    assert counts.filter(pl.col("part") == "error type")["count"].sum() == by_leaders.height > 0


# Judging -----------------------------------------------------------------------------------------------


def test_a_pair_and_its_reverse_do_not_meet_in_one_sitting_of_anybody(built: Built) -> None:
    reverse = dict(table(built, "pairs", "pairs").select("pair", "reverse").iter_rows())
    gap = timedelta(hours=4)
    work = judgments(built).filter(pl.col("phase").is_in(["lead", "judge"]), pl.col("block") == "main")
    for _, rows in work.unique(["annotator", "item", "answered_at"]).sort("answered_at").group_by("annotator"):
        sitting: set[str] = set()
        before: datetime | None = None
        for item, moment in rows.sort("answered_at").select("item", "answered_at").iter_rows():
            if before is not None and moment - before >= gap:
                sitting = set()
            assert reverse[item] not in sitting
            sitting.add(item)
            before = moment


def test_a_suggestion_changes_a_sentence_only_if_a_linguist_says_so(built: Built) -> None:
    found = judgments(built)
    decided = found.filter(pl.col("question") == "suggestion").group_by("value").len()
    mended = found.filter(pl.col("phase") == "validate", pl.col("question") == "correction").height
    accepted = decided.filter(pl.col("value") != "reject")["len"].sum()
    assert mended <= accepted


def test_only_what_is_asked_again_supersedes_an_answer(built: Built) -> None:
    found = given_at(judgments(built))
    again = found.filter(pl.col("value") == "mend and ask again").select("annotator", "answered_at")
    mended = found.filter(pl.col("phase") == "validate", pl.col("question") == "correction").join(
        again, on=["annotator", "answered_at"], how="semi"
    )
    sentence = dict(table(built, "pairs", "pairs").select("pair", "sentence_b").iter_rows())
    asked = {sentence[item] for item in mended["item"]}
    pairs = table(built, "pairs", "pairs").filter(
        pl.col("sentence_a").is_in(list(asked)) | pl.col("sentence_b").is_in(list(asked))
    )
    assert set(found.filter(pl.col("status") == "superseded")["item"]) <= set(pairs["pair"])


# Scores ------------------------------------------------------------------------------------------------


def test_a_pair_has_six_ratings_and_three_labels_in_each_direction(built: Built) -> None:
    relatedness, labels = table(built, "relatedness", "scores"), table(built, "entailment", "scores")
    assert set(relatedness["appearances"]) == {2 * JUDGES}
    assert set(labels["appearances"]) == {JUDGES}
    assert relatedness.height * 2 == labels.height == table(built, "pairs", "pairs").height
    assert set(table(built, "label_pairs", "scores")["appearances"]) == {2 * JUDGES}


def test_the_mean_is_that_of_the_six_answers_and_table_3_rounds_it_half_up(built: Built) -> None:
    answered = judgments(built).filter(
        (pl.col("status") == "answered")
        & (pl.col("question") == "relatedness")
        & pl.col("phase").is_in(["lead", "judge"])
    )
    given = {str(item): [float(value) for value in rows["value"]] for (item,), rows in answered.group_by("item")}
    reverse = dict(table(built, "pairs", "pairs").select("pair", "reverse").iter_rows())
    counts: Counter[int] = Counter()
    for item, score in table(built, "relatedness", "scores").select("item", "score").iter_rows():
        both = given[item] + given[reverse[item]]
        assert score == pytest.approx(sum(both) / len(both))
        counts[int((2 * sum(both) + len(both)) // (2 * len(both)))] += 1
    found = statistics(built, "score_counts")
    assert {degree: found[f"count_{degree}"] for degree in range(6)} == {degree: counts[degree] for degree in range(6)}


def test_agreement_is_measured_as_in_the_paper(built: Built) -> None:
    found = {name: statistics(built, name) for name in ("kappa_labels", "kappa_six", "kappa_three", "alpha")}
    alpha = found["alpha"]
    (six,), (three,) = found["kappa_six"].values(), found["kappa_three"].values()
    assert three > six
    # As the paper notes, nominal α is Fleiss' κ but for a correction that vanishes with many judgments.
    assert alpha["krippendorff_alpha_nominal"] == pytest.approx(six, abs=0.01)
    assert alpha["krippendorff_alpha_ordinal"] > alpha["krippendorff_alpha_nominal"]


def test_the_release_has_one_row_per_pair_with_the_mean_of_six_and_a_label_for_each_direction(built: Built) -> None:
    released = pl.read_parquet(built.folder / "dataset" / "data" / "pairs.parquet")
    pairs = table(built, "pairs", "pairs")
    assert released.height * 2 == pairs.height
    assert not (built.folder / "dataset" / "data" / "unscored.csv").exists()
    label = dict(table(built, "entailment", "scores").select("item", "label").iter_rows())
    reverse = dict(pairs.select("pair", "reverse").iter_rows())
    for row in released.iter_rows(named=True):
        assert row["label_entailment"] == label[row["pair"]]
        assert row["label_entailment_reverse"] == label[reverse[row["pair"]]]

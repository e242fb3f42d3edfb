"""Czech News STS end to end with simulated annotators, and what the paper demands of its judgments.

The recipe runs as it is shipped, on the shipped sample, with fewer annotators and without the two contextual models,
which would have to be downloaded; a longer test trains a tiny one with random weights in their place.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from kostra.pipeline import Built, build
from kostra.projects import new
from kostra.recipe import RECIPE_FILE
from kostra.release.limited_context import read_marked
from kostra.sources.released import czech_news_sts
from kostra.tables import Frame

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PEOPLE = 40
CONTEXTUAL = ("two_tower", "cross_attention")
NINE = 9
CONDITIONS = ("free", "context")
Lots = dict[str, list[str]]


def project(folder: Path) -> Path:
    """The shipped recipe with fewer annotators."""
    made = new("czech_news_sts", folder)
    replace(made, {"annotators = 216\n": f"annotators = {PEOPLE}\n", "runs = 5": "runs = 1"})
    return made


def replace(made: Path, changes: Mapping[str, str]) -> None:
    text = (made / RECIPE_FILE).read_text(encoding="utf-8")
    for found, written in changes.items():
        assert found in text
        text = text.replace(found, written)
    (made / RECIPE_FILE).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    made = project(tmp_path_factory.mktemp("news") / "project")
    recipe = (made / RECIPE_FILE).read_text(encoding="utf-8")
    for step in CONTEXTUAL:
        recipe, found = re.subn(rf'\[\[steps\]\]\nname = "{step}"\n.*?(?=\[\[steps\]\])', "", recipe, flags=re.DOTALL)
        assert found == 1
        recipe = recipe.replace(f' "{step}",', "")
    (made / RECIPE_FILE).write_text(recipe, encoding="utf-8")
    return build(made, simulate=True, now=NOW)


def words_of(corpus: Path) -> list[str]:
    with corpus.open(encoding="utf-8", newline="") as file:
        found = {word.strip(".,:„“") for row in csv.DictReader(file) for word in row["text"].split()}
    return sorted(found)


def tiny_bert(folder: Path, *, words: list[str]) -> None:
    """A BERT of one layer, with random weights and the sample's words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    vocabulary = {word: place for place, word in enumerate((*special, *words))}
    transformers.BertTokenizer(vocab=vocabulary, do_lower_case=False).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        transformers.BertModel(config).save_pretrained(folder)


def table(built: Built, step: str, kind: str) -> Frame:
    return pl.read_parquet(built.folder / "build" / step / f"{kind}.parquet")


@pytest.fixture(scope="module")
def picked(built: Built) -> Frame:
    return table(built, "pick", "judgments")


@pytest.fixture(scope="module")
def judged(built: Built) -> Frame:
    found = table(built, "round2", "judgments")
    assert set(found["status"]) == {"answered"}
    return found


def block(judged: Frame, phase: str, purpose: str) -> Lots:
    """Annotator → items in the order in which they were answered."""
    rows = judged.filter((pl.col("phase") == phase) & (pl.col("block") == purpose)).sort("answered_at", "judgment")
    lots: Lots = defaultdict(list)
    for annotator, item in rows.select("annotator", "item").iter_rows():
        lots[annotator].append(item)
    return dict(lots)


def ends(judged: Frame, phase: str) -> dict[str, tuple[datetime, datetime]]:
    """Annotator → when the first item of the phase was shown, and the last one answered."""
    rows = judged.filter(pl.col("phase") == phase).group_by("annotator")
    found = rows.agg(pl.col("shown_at").min(), pl.col("answered_at").max())
    return {annotator: (first, last) for annotator, first, last in found.iter_rows()}


# The whole ---------------------------------------------------------------------------------------------


def test_every_step_of_the_recipe_runs(built: Built) -> None:
    assert {status.step.name: status.why for status in built.steps if status.state != "done"} == {}
    assert built.complete


def test_a_second_build_has_nothing_to_do(built: Built) -> None:
    again = build(built.folder, simulate=True, now=NOW)
    assert {status.state for status in again.steps} == {"unchanged"}


# Round 1 -----------------------------------------------------------------------------------------------


def test_whole_incidents_go_to_one_picker_each_and_at_most_six_to_anyone(built: Built, picked: Frame) -> None:
    incident = dict(table(built, "candidates", "sentences").select("sentence", "group").iter_rows())
    homes: defaultdict[str, set[str]] = defaultdict(set)
    asked = picked.filter(pl.col("block") == "main")
    for item, annotator in asked.select("item", "annotator").iter_rows():
        homes[incident[item]].add(annotator)
    assert {len(people) for people in homes.values()} == {1}
    assert max(Counter(next(iter(people)) for people in homes.values()).values()) <= 6
    assert len(homes) == 10


def test_three_different_report_sentences_of_the_incident_are_picked_and_rated_for_every_summary_sentence(
    built: Built, picked: Frame
) -> None:
    about = {row["sentence"]: row for row in table(built, "candidates", "sentences").iter_rows(named=True)}
    answers: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item, question, value in picked.filter(pl.col("block") == "main").select("item", "question", "value").rows():
        answers[item][question] = value
    assert set(answers) == {name for name, row in about.items() if row["label"] == "summary"}
    for summary, given in answers.items():
        chosen = [given[name] for name in "abc"]
        assert len(set(chosen)) == 3
        assert {about[one]["label"] for one in chosen} == {"report"}
        assert {about[one]["group"] for one in chosen} == {about[summary]["group"]}
        assert {given[f"similarity_{name}"] for name in "abc"} <= set("0123456")


def test_picks_become_pairs_with_their_class_their_rating_and_both_whole_contexts(built: Built, picked: Frame) -> None:
    pairs, scores = table(built, "round1", "pairs"), table(built, "round1", "scores")
    assert pairs.height == scores.height == 90
    said = {(item, question): value for item, question, value in picked.select("item", "question", "value").iter_rows()}
    rating = dict(scores.select("item", "score").iter_rows())
    documents = {row["document"]: row["text"] for row in table(built, "candidates", "documents").iter_rows(named=True)}
    home = dict(table(built, "candidates", "sentences").select("sentence", "document").iter_rows())
    for row in pairs.iter_rows(named=True):
        assert said[row["sentence_a"], row["subset"]] == row["sentence_b"]
        assert rating[row["pair"]] == float(said[row["sentence_a"], f"similarity_{row['subset']}"])
        for side in "ab":
            found = read_marked(row[f"context_{side}"])
            assert found.text == documents[home[row[f"sentence_{side}"]]]
            assert found.text[found.start : found.end] == row[f"text_{side}"]


# Parts -------------------------------------------------------------------------------------------------


def test_test_preliminary_and_training_pairs_are_disjoint_and_hold_whole_sets(built: Built) -> None:
    parts = [table(built, f"{name}_pairs", "pairs") for name in ("test", "preliminary", "train")]
    names = [set(part["pair"]) for part in parts]
    assert not any(one & other for one, other in combinations(names, 2))
    assert set().union(*names) == set(table(built, "round1", "pairs")["pair"])
    for part in parts:
        assert set(part["sentence_a"].value_counts()["count"]) == {3}, "S with its A, B and C"


@pytest.mark.parametrize("part", ["train", "test"])
def test_what_is_published_is_dealt_as_what_was_judged(part: str, built: Built) -> None:
    assert set(table(built, part, "pairs")["pair"]) == set(table(built, f"{part}_pairs", "pairs")["pair"])


# Round 2: overlap and sequences ------------------------------------------------------------------------


@pytest.mark.parametrize("phase", CONDITIONS)
def test_nine_different_people_rate_every_test_pair(phase: str, built: Built, judged: Frame) -> None:
    rows = judged.filter((pl.col("phase") == phase) & (pl.col("block") == "main"))
    people = rows.group_by("item").agg(pl.len(), pl.col("annotator").n_unique().alias("people"))
    assert set(people["item"]) == set(table(built, "test_pairs", "pairs")["pair"])
    assert set(people["len"]) == set(people["people"]) == {NINE}


def test_the_same_nine_people_rate_a_pair_alone_and_in_context_in_the_same_order(judged: Frame) -> None:
    for purpose in ("calibration", "main"):
        assert block(judged, "free", purpose) == block(judged, "context", purpose)


def test_preliminary_pairs_are_rated_in_the_same_order_twice(judged: Frame) -> None:
    assert block(judged, "preliminary_free", "main") == block(judged, "preliminary_context", "main")


def test_sequences_are_equally_long_disjoint_and_nine_times_over_the_whole_set(built: Built, judged: Frame) -> None:
    lots = block(judged, "free", "main")
    whole = frozenset(table(built, "test_pairs", "pairs")["pair"])
    (length,) = {len(lot) for lot in lots.values()}
    assert len(whole) % length == 0
    replicates = covers([frozenset(lot) for lot in lots.values()], whole)
    assert replicates is not None
    assert len(replicates) == NINE
    assert {len(replicate) for replicate in replicates} == {len(whole) // length}


def covers(lots: list[frozenset[str]], whole: frozenset[str]) -> list[list[frozenset[str]]] | None:
    """The lots in groups, each of which is the whole set without any overlap; None where there are no such groups."""
    if not lots:
        return []
    for cover in _covers_with(lots[0], lots[1:], whole - lots[0]):
        rest = list(lots)
        for lot in cover:
            rest.remove(lot)
        found = covers(rest, whole)
        if found is not None:
            return [cover, *found]
    return None


def _covers_with(
    first: frozenset[str], others: list[frozenset[str]], missing: frozenset[str]
) -> list[list[frozenset[str]]]:
    if not missing:
        return [[first]]
    return [
        [first, *cover]
        for place, lot in enumerate(others)
        if lot <= missing
        for cover in _covers_with(lot, others[place + 1 :], missing - lot)
    ]


def test_a_set_of_lots_that_overlap_is_no_cover() -> None:
    overlapping = [frozenset("ab"), frozenset("bc"), frozenset("cd"), frozenset("ad"), frozenset("ab"), frozenset("ab")]
    assert covers(overlapping, frozenset("abcd")) is None


def test_nobody_rates_two_pairs_of_one_summary_sentence_in_the_main_block(built: Built, judged: Frame) -> None:
    summary = dict(table(built, "test_pairs", "pairs").select("pair", "sentence_a").iter_rows())
    for lot in block(judged, "free", "main").values():
        assert len({summary[item] for item in lot}) == len(lot)


def test_every_replicate_is_shuffled_afresh_so_that_no_group_meets_again(judged: Frame) -> None:
    lots = {name: set(lot) for name, lot in block(judged, "free", "main").items()}
    length = len(next(iter(lots.values())))
    shared = [len(lots[one] & lots[other]) for one, other in combinations(lots, 2)]
    assert max(shared) <= length // 2, "a third is what three sequences must share somewhere"


# Round 2: blocks, repeats and pauses -------------------------------------------------------------------


@pytest.mark.parametrize("phase", CONDITIONS)
def test_calibration_comes_first_then_the_main_block_then_repeats(phase: str, judged: Frame) -> None:
    order = {"calibration": 0, "main": 1, "repeat": 2}
    rows = judged.filter(pl.col("phase") == phase).sort("answered_at", "judgment")
    for _, own in rows.group_by("annotator"):
        places = [order[name] for name in own["block"]]
        assert places == sorted(places)


@pytest.mark.parametrize("phase", CONDITIONS)
def test_everybody_is_calibrated_on_the_same_six_pairs_that_nobody_is_tested_on(
    phase: str, built: Built, judged: Frame
) -> None:
    chosen = set(table(built, "calibration_pairs", "pairs")["pair"])
    assert len(chosen) == 6
    assert all(set(lot) == chosen for lot in block(judged, phase, "calibration").values())
    assert chosen <= set(table(built, "train_pairs", "pairs")["pair"])


@pytest.mark.parametrize("phase", CONDITIONS)
def test_repeats_are_the_annotators_own_preliminary_pairs_each_once(phase: str, judged: Frame) -> None:
    before = block(judged, f"preliminary_{phase}", "main")
    again = block(judged, phase, "repeat")
    assert again
    assert set(again) == set(before)
    for annotator, lot in again.items():
        assert set(lot) <= set(before[annotator])
        assert len(lot) == len(set(lot)) == min(5, len(before[annotator]))


def test_repeats_are_answers_of_their_own_weeks_later(judged: Frame) -> None:
    first = judged.filter(pl.col("phase") == "preliminary_free").select("annotator", "item", then="answered_at")
    again = judged.filter((pl.col("phase") == "free") & (pl.col("block") == "repeat"))
    both = again.join(first, on=["annotator", "item"])
    assert both.height == again.height
    assert ((both["answered_at"] - both["then"]) >= timedelta(weeks=8)).all()


@pytest.mark.parametrize(
    ("before", "after", "pause"),
    [
        ("preliminary_free", "preliminary_context", timedelta(hours=72)),
        ("preliminary_context", "free", timedelta(weeks=8)),
        ("free", "context", timedelta(hours=72)),
    ],
)
def test_pauses_are_kept_by_everybody(before: str, after: str, pause: timedelta, judged: Frame) -> None:
    earlier, later = ends(judged, before), ends(judged, after)
    assert set(earlier) & set(later)
    for annotator in set(earlier) & set(later):
        assert later[annotator][0] - earlier[annotator][1] >= pause


def test_nobody_reads_a_pair_in_context_before_rating_it_alone(judged: Frame) -> None:
    for phase, question in (("free", "similarity"), ("context", "similarity_in_context")):
        assert set(judged.filter(pl.col("phase") == phase)["question"]) == {question}
    alone = judged.filter(pl.col("phase") == "free").select("annotator", "item", "block", then="answered_at")
    both = judged.filter(pl.col("phase") == "context").join(alone, on=["annotator", "item", "block"], how="left")
    assert both["then"].null_count() == 0
    assert (both["shown_at"] > both["then"]).all()


def test_scores_are_means_of_the_nine_and_of_nothing_else(built: Built, judged: Frame) -> None:
    for phase, step in (("free", "free_scores"), ("context", "context_scores")):
        main = judged.filter((pl.col("phase") == phase) & (pl.col("block") == "main"))
        means = main.group_by("item").agg(pl.col("value").cast(pl.Float64).mean())
        joined = table(built, step, "scores").join(means, on="item")
        assert joined.height == means.height
        assert ((joined["score"] - joined["value"]).abs() < 1e-12).all()
        assert set(joined["appearances"]) == {NINE}


# Tables and figures ------------------------------------------------------------------------------------


def test_every_table_and_figure_of_the_paper_is_made(built: Built) -> None:
    made = {
        "inter": ["statistics.parquet"],  # Table 1
        "intra": ["statistics.parquet"],
        "rounds": ["two_rounds.csv", "two_rounds_similarity.svg"],  # Table 2
        "models": ["models.csv", "models.md", "models.svg"],  # Tables 3 and 5
        "parts": ["parts.csv", "train_distribution.svg", "test_distribution.svg"],  # Table 4, Figure 7
        "curves": ["thinking_time.svg", "calibration_curve.svg"],  # Figure 4
        "test_sig": ["context_gain.svg", "context_gain_quantiles.svg", "context_shift_rejections.svg"],  # 8 and 9
        "classes": ["distribution.csv", "distribution.svg"],  # Figure 10
    }
    for step, files in made.items():
        assert [file for file in files if not (built.folder / "build" / step / file).is_file()] == [], step


def test_people_stand_beside_the_models(built: Built) -> None:
    found = pl.read_csv(built.folder / "build" / "models" / "models.csv")
    assert {"static, calibrated", "average annotator", "oracle, at best"} <= set(found["model"])
    assert set(found["metric"]) == {"mse", "pearson", "spearman"}


@pytest.mark.long
def test_the_contextual_models_are_trained_on_all_and_on_filtered_pairs(tmp_path: Path) -> None:
    made = project(tmp_path / "project")
    czert, slavic = "hf:UWB-AIR/Czert-B-base-cased", "hf:DeepPavlov/bert-base-bg-cs-pl-ru-cased"
    changes = {
        f'models = ["{czert}{pooling}", "{slavic}{pooling}"]': f'models = ["hf:models/tiny{pooling}"]'
        for pooling in ("?pooling=pooler", "")
    }
    replace(made, changes)
    tiny_bert(made / "models" / "tiny", words=words_of(made / "data" / "news.csv"))
    assert build(made, simulate=True, now=NOW).complete
    found = pl.read_csv(made / "build" / "models" / "models.csv")
    towers, cross = (found.filter(pl.col("model").str.contains(name)) for name in ("two tower", "cross attention"))
    assert set(towers["trained_on"]) == {"all"}
    assert {"all", "N2", "N1"} <= set(cross["trained_on"])


def test_the_table_of_parts_has_the_papers_seven_rows(built: Built) -> None:
    found = pl.read_csv(built.folder / "build" / "parts" / "parts.csv")
    sizes = dict(found.select("part", "n").iter_rows())
    assert list(sizes) == [
        "train_raw", "train_n2", "train_n1", "test_free", "test_context", "test_sig_free", "test_sig_context",
    ]  # fmt: skip
    assert sizes["train_raw"] >= sizes["train_n2"] >= sizes["train_n1"]
    assert sizes["test_free"] == sizes["test_context"] == table(built, "test_pairs", "pairs").height
    assert sizes["test_sig_free"] == table(built, "test_sig", "pairs").height


# What the world sees -----------------------------------------------------------------------------------


def test_the_released_test_file_reads_back_as_the_papers_own_does(built: Built) -> None:
    read = czech_news_sts.read(built.folder / "text_files" / "test_free.tsv")
    assert {finding.kind for finding in read.findings} <= {"anonymous"}
    scores = read.tables["scores"]
    released = sorted(scores.filter(pl.col("question") == "similarity")["score"])
    assert released == pytest.approx(sorted(table(built, "free_scores", "scores")["score"]))
    assert scores.filter(pl.col("question") == "round_1").height == len(released)


def test_released_contexts_mark_the_key_sentence_and_hold_no_more_than_may_be_seen(built: Built) -> None:
    documents = table(built, "candidates", "documents")["text"].to_list()
    with (built.folder / "text_files" / "test_context.tsv").open(encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    alone = [read_marked(context) for row in rows for context in row[:2]]
    assert len(alone) == 2 * table(built, "test_pairs", "pairs").height
    for found in alone:
        (source,) = {text for text in documents if found.text in text}
        assert len(found.text) < len(source), "no text is released whole"


def test_released_contexts_laid_over_each_other_give_back_at_most_half_of_a_text_at_a_stretch(built: Built) -> None:
    sentences = table(built, "incidents", "sentences").sort("document", "position")
    texts = {name: own["text"].to_list() for (name,), own in sentences.group_by("document", maintain_order=True)}
    home = {text: (name, place) for name, own in texts.items() for place, text in enumerate(own)}
    released = table(built, "publishable", "pairs")
    runs: defaultdict[str, list[set[int]]] = defaultdict(list)
    for context in [*released["context_a"], *released["context_b"]]:
        seen = [home[text] for text in home if text in read_marked(context).text]
        ((name, _), *_) = seen
        run = {place for _, place in seen}
        apart = [other for other in runs[name] if not other & run]
        runs[name] = [*apart, run.union(*(other for other in runs[name] if other & run))]
    assert max(len(run) for own in runs.values() for run in own) == 2, "there are contexts"
    for name, own in runs.items():
        assert max(map(len, own)) <= max(len(texts[name]) // 2, 1)


def test_nothing_that_is_released_says_which_sentences_shared_a_report(built: Built) -> None:
    ids = {*table(built, "candidates", "sentences")["sentence"], *table(built, "candidates", "documents")["document"]}
    released = [
        path for name in ("dataset", "text_files") for path in (built.folder / name).rglob("*") if path.is_file()
    ]
    assert released
    for path in released:
        if path.suffix == ".parquet":
            frame = pl.read_parquet(path)
            cells = {str(cell) for column in frame.get_columns() for cell in column}
        else:
            cells = set(path.read_text(encoding="utf-8").replace(",", " ").replace("\t", " ").split())
        assert not cells & ids, path.name


def test_the_release_says_that_no_person_judged_anything(built: Built) -> None:
    assert "No person judged anything" in (built.folder / "dataset" / "README.md").read_text(encoding="utf-8")
    assert "NO PERSON JUDGED THIS" in (built.folder / "text_files" / "README.txt").read_text(encoding="utf-8")


def test_checksums_fit_the_text_files(built: Built) -> None:
    folder = built.folder / "text_files"
    listed = [line.split("  ") for line in (folder / "checksums.txt").read_text(encoding="utf-8").splitlines()]
    assert len(listed) == 8
    for digest, name in listed:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest

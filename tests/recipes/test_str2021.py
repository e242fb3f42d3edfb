"""STR-2021 end to end with simulated annotators, and what the paper demands of its judgments.

The recipe runs as it is shipped, on the shipped samples, with one pair in 25. What nobody can ship is named: a UDPipe
model from the folder of models, and small made-up word vectors.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.pipeline import Built, build
from kostra.projects import new
from kostra.recipe import RECIPE_FILE
from kostra.tables import Frame
from kostra.text import shared_share, words

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SMALLER = 25
"""One pair instead of so many of the paper."""
GOLD_EVERY, GOLD_MINIMUM, GOLD_THRESHOLD = 10, 5, 0.7
QUESTIONS = ("best", "worst")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Built:
    project = new("str2021", tmp_path_factory.mktemp("str") / "project")
    recipe = project / RECIPE_FILE
    recipe.write_text(smaller(recipe.read_text(encoding="utf-8"), models), encoding="utf-8")
    (project / "models").mkdir()
    make_vectors(project / "models" / "tiny.vec", project / "data")
    return build(project, simulate=True, now=NOW)


def smaller(text: str, models: Path) -> str:
    """The recipe with fewer pairs and people, and with models that are at hand."""
    for key in ("pairs", "for_for", "against_against", "for_against", "per_bin"):
        text = re.sub(rf"^({key}) = (\d+)$", lambda found: f"{found[1]} = {int(found[2]) // SMALLER}", text, flags=re.M)
    changes = {
        r'parser = "spacy:en_core_web_sm".*': f'parser = "udpipe:{models / "en.udpipe"}"',
        r"annotators = 40": "annotators = 16",
        r"careless = 0\.1": "careless = 0.25",
        r'(?s)encoders = \[\n  "vectors:.*?\n\]': 'encoders = ["vectors:models/tiny.vec?pooling=max"]',
    }
    for found, written in changes.items():
        place = re.search(found, text)
        assert place, found
        text = text[: place.start()] + written + text[place.end() :]
    # Fine-tuning has tests of its own, which train; here it would only take the time of loading torch.
    text = re.sub(r'(?s)\[\[steps\]\]\nname = "fine_tuned".*?(?=\[\[steps\]\])', "", text)
    return text.replace(', "models", "fine_tuned"', ', "models"').replace('"baseline", "fine_tuned"]', '"baseline"]')


def make_vectors(path: Path, data: Path) -> None:
    known = sorted({word for file in data.glob("*.csv") for word in words(file.read_text(encoding="utf-8"))})
    rng = np.random.default_rng(1)
    lines = [f"{word} {' '.join(f'{value:.3f}' for value in rng.standard_normal(8))}" for word in known]
    path.write_text("\n".join([f"{len(known)} 8", *lines]) + "\n", encoding="utf-8")


def table(built: Built, step: str, kind: str) -> Frame:
    return pl.read_parquet(built.folder / "build" / step / f"{kind}.parquet")


def judgments(built: Built, phase: str, block: str, status: str | None = None) -> Frame:
    found = table(built, "annotate", "judgments").filter((pl.col("phase") == phase) & (pl.col("block") == block))
    return found if status is None else found.filter(pl.col("status") == status)


def statistics(built: Built, step: str) -> dict[str, float]:
    return dict(table(built, step, "statistics").select("statistic", "value").iter_rows())


# The whole ---------------------------------------------------------------------------------------------


def test_every_step_runs_to_the_report(built: Built) -> None:
    assert [(status.step.name, status.why) for status in built.steps if status.state != "done"] == []
    assert (built.folder / "report.html").is_file()
    assert (built.folder / "dataset").is_dir()


@pytest.mark.long
def test_as_shipped_it_runs_to_the_report_and_waits_only_for_what_nobody_can_ship(tmp_path: Path) -> None:
    whole = build(new("str2021", tmp_path / "project"), simulate=True, now=NOW)
    states = {status.step.name: status for status in whole.steps if status.state != "done"}
    assert set(states) <= {"parsed", "models", "fine_tuned"}
    assert all(status.why for status in states.values())
    assert states["models"].state == "waiting"
    assert "models/word2vec.bin" in states["models"].why
    assert (whole.folder / "report.html").is_file()


# Pairs -------------------------------------------------------------------------------------------------


def test_ten_strategies_give_pairs_and_none_gives_more_than_asked(built: Built) -> None:
    quotas = {
        "formality_pp": 12, "formality_r": 28, "goodreads_pairs": 40, "paranmt_pp": 18, "paranmt_r": 12,
        "snli_pairs": 30, "sts_pairs": 10, "stance_pairs": 30, "wiki_pp": 20, "wiki_r": 20,
    }  # fmt: skip
    found = Counter(table(built, "pool", "pairs")["subset"].to_list())
    assert set(found) == set(quotas)
    assert all(found[name] <= quota for name, quota in quotas.items())
    assert sum(found.values()) > 0.8 * sum(quotas.values())


def test_every_sentence_has_5_to_25_words(built: Built) -> None:
    pairs = table(built, "pool", "pairs")
    lengths = [len(words(text)) for side in ("text_a", "text_b") for text in pairs[side]]
    assert 5 <= min(lengths) <= max(lengths) <= 25


def test_random_pairs_share_a_quarter_to_three_quarters_of_their_words(built: Built) -> None:
    pairs = table(built, "pool", "pairs").filter(pl.col("subset").str.ends_with("_r"))
    for first, second in pairs.select("text_a", "text_b").iter_rows():
        one, two = words(first), words(second)
        assert any(0.25 <= shared_share(*sides) < 0.75 for sides in ((one, two), (two, one)))
        assert abs(len(one) - len(two)) <= 0.25 * max(len(one), len(two)) + 1e-9


def test_no_pair_stands_twice_not_even_turned_round(built: Built) -> None:
    pairs = table(built, "pool", "pairs")
    unordered = [frozenset(pair) for pair in pairs.select("text_a", "text_b").iter_rows()]
    assert len(set(unordered)) == len(unordered)


# Tuples ------------------------------------------------------------------------------------------------


def test_there_are_twice_as_many_tuples_as_pairs_each_of_four_and_each_pair_in_about_eight(built: Built) -> None:
    tuples, pairs = table(built, "tuples", "tuples"), table(built, "pool", "pairs")
    members = [frozenset(rows["item"]) for _, rows in tuples.group_by("tuple")]
    assert len(members) == len(set(members)) == 2 * pairs.height
    assert {len(one) for one in members} == {4}
    often = Counter(tuples["item"].to_list())
    assert set(often) == set(pairs["pair"])
    assert 7 <= min(often.values()) <= max(often.values()) <= 9


# Answers -----------------------------------------------------------------------------------------------


def test_two_people_answer_every_tuple_that_is_not_gold(built: Built) -> None:
    gold = set(judgments(built, "main", "gold")["item"])
    every = set(table(built, "tuples", "tuples")["tuple"])
    for question in QUESTIONS:
        own = judgments(built, "main", "main", "answered").filter(pl.col("question") == question)
        people = own.group_by("item").agg(pl.col("annotator").n_unique(), pl.len())
        assert set(people["annotator"]) == set(people["len"]) == {2}
        assert set(people["item"]) == every - gold


def test_best_and_worst_are_two_pairs_of_the_tuple(built: Built) -> None:
    members: dict[str, set[str]] = {}
    for name, item in table(built, "tuples", "tuples").select("tuple", "item").iter_rows():
        members.setdefault(name, set()).add(item)
    answers = judgments(built, "main", "main").pivot("question", index=["item", "annotator"], values="value")
    assert answers.height > 0
    for item, best, worst in answers.select("item", "best", "worst").iter_rows():
        assert best != worst
        assert {best, worst} <= members[item]


# Gold --------------------------------------------------------------------------------------------------


def agreed(built: Built) -> dict[str, dict[str, str]]:
    """The questions on which all three authors gave the same answers, with these."""
    found: dict[str, dict[str, str]] = {}
    for (item,), rows in judgments(built, "authors", "main").group_by("item"):
        given = {question: set(rows.filter(pl.col("question") == question)["value"]) for question in QUESTIONS}
        assert rows["annotator"].n_unique() == 3
        if all(len(values) == 1 for values in given.values()):
            found[str(item)] = {question: values.pop() for question, values in given.items()}
    return found


def test_gold_questions_are_those_on_which_all_authors_agreed(built: Built) -> None:
    shown = set(judgments(built, "main", "gold")["item"])
    assert len(shown) >= GOLD_MINIMUM
    assert shown <= set(agreed(built))


def test_a_gold_question_comes_after_every_ten_others_as_long_as_there_are_any(built: Built) -> None:
    answers = table(built, "annotate", "judgments").filter(
        (pl.col("phase") == "main") & (pl.col("question") == "best") & pl.col("block").is_in(["main", "gold"])
    )
    for _, rows in answers.group_by("annotator"):
        blocks = rows.sort("answered_at")["block"].to_list()
        places = [place for place, block in enumerate(blocks) if block == "gold"]
        assert places == [(GOLD_EVERY + 1) * number + GOLD_EVERY for number in range(len(places))]


def marks(rows: Frame, right: dict[str, dict[str, str]]) -> list[float]:
    """Of each gold question the share that was answered right, best and worst apart, in the order they came."""
    made = rows.sort("answered_at").pivot("question", index="item", values="value", maintain_order=True)
    given = made.select("item", *QUESTIONS).rows()
    return [((best == right[item]["best"]) + (worst == right[item]["worst"])) / 2 for item, best, worst in given]


def test_who_falls_below_70_percent_on_gold_is_stopped_and_loses_every_answer(built: Built) -> None:
    right, every = agreed(built), table(built, "annotate", "judgments").filter(pl.col("phase") == "main")
    stopped = 0
    for _, rows in every.group_by("annotator"):
        found = marks(rows.filter(pl.col("block") == "gold"), right)
        below = [
            number
            for number in range(GOLD_MINIMUM, len(found) + 1)
            if sum(found[:number]) < GOLD_THRESHOLD * number - 1e-9
        ]
        assert set(rows["status"]) == ({"discarded"} if below else {"answered"})
        if below:
            stopped += 1
            assert below[0] == len(found), "nobody goes on after being stopped"
            assert rows.sort("answered_at")["block"][-1] == "gold"
    assert 1 <= stopped <= 12


# Scores ------------------------------------------------------------------------------------------------


def test_a_score_is_the_share_of_best_less_the_share_of_worst_brought_to_0_to_1(built: Built) -> None:
    members: dict[str, list[str]] = {}
    for name, item in table(built, "tuples", "tuples").select("tuple", "item").iter_rows():
        members.setdefault(name, []).append(item)
    seen: Counter[str] = Counter()
    balance: Counter[str] = Counter()
    for item, question, value in (
        judgments(built, "main", "main", "answered").select("item", "question", "value").rows()
    ):
        balance[value] += 1 if question == "best" else -1
        seen.update(members[item] if question == "best" else ())
    scores = table(built, "scores", "scores").filter(pl.col("question") == "relatedness")
    assert scores.height == table(built, "pool", "pairs").height
    for item, score, appearances in scores.select("item", "score", "appearances").iter_rows():
        assert appearances == seen[item]
        assert score == pytest.approx((1 + balance[item] / seen[item]) / 2)


def test_split_half_reliability_is_that_of_careful_people(built: Built) -> None:
    assert 0.7 < statistics(built, "reliability")["split_half_spearman"] < 1


# What makes sentences related ----------------------------------------------------------------------------


def test_table_4_has_all_its_rows(built: Built) -> None:
    found = pl.read_csv(built.folder / "build" / "factors" / "relatedness_factors.csv")
    assert found.group_by("question", maintain_order=True).len().rows() == [
        ("Q1", 1), ("Q2", 1), ("Q3a", 9), ("Q3b", 3), ("Q4", 2)
    ]  # fmt: skip
    # Simulated people see the cosine of these very vectors, so that related words must come out on top.
    value = dict(found.select("factor", "spearman").iter_rows())
    assert value["related words"] == max(number for number in value.values() if number is not None)


def test_similarity_is_set_beside_relatedness_in_five_bins(built: Built) -> None:
    found = pl.read_csv(built.folder / "build" / "similarity_bins" / "score_bins.csv")
    assert found["bin"].to_list() == ["all", "[0, 1]", "(1, 2]", "(2, 3]", "(3, 4]", "(4, 5]"]
    in_pool = table(built, "pool", "pairs").filter(pl.col("subset") == "sts_pairs").height
    assert found["n"][0] == found["n"][1:].sum() == in_pool


def test_figure_1_counts_every_scored_pair_once(built: Built) -> None:
    found = pl.read_csv(built.folder / "build" / "score_histogram" / "distribution.csv")
    assert found["count"].sum() == table(built, "pool", "pairs").height
    assert found["part"].n_unique() == 10
    assert (built.folder / "build" / "score_histogram" / "distribution.svg").is_file()


VECTORS = "vectors:models/tiny.vec?pooling=max"


@pytest.mark.parametrize(("step", "encoder"), [("baseline", "dice"), ("models", VECTORS)])
def test_models_are_averaged_over_five_folds_whole_and_per_source(step: str, encoder: str, built: Built) -> None:
    found = table(built, step, "results").filter(pl.col("metric") == "cosine_spearman")
    assert set(found["encoder"]) == {encoder}
    assert {"all", *table(built, "pool", "pairs")["source"].drop_nulls()} <= set(found["part"])
    assert "mean of 5 folds" in str(found.filter(pl.col("part") == "all")["note"][0])


def listed(built: Built, step: str, name: str) -> Frame:
    found = pl.read_csv(built.folder / "build" / step / f"{name}.csv")
    return found.with_columns(pl.col(pl.String).fill_null(""))


def test_table_2_has_every_source_and_strategy_and_adds_up(built: Built) -> None:
    found, pairs = listed(built, "pair_types", "pair_counts"), table(built, "pool", "pairs")
    by_strategy = found.filter(pl.col("subset") != "")
    assert dict(by_strategy.select("subset", "pairs").iter_rows()) == Counter(pairs["subset"].to_list())
    assert found.row(-1, named=True)["pairs"] == by_strategy["pairs"].sum() == pairs.height
    summed = found.filter((pl.col("subset") == "") & (pl.col("source") != "all"))
    assert all(count == pairs.filter(pl.col("source") == name).height for name, _, count, _ in summed.iter_rows())


def test_table_3_counts_pairs_tuples_answers_and_people(built: Built) -> None:
    found = dict(listed(built, "annotation", "annotation_summary").select("statistic", "value").iter_rows())
    accepted = judgments(built, "main", "main", "answered").filter(pl.col("question") == "best")
    assert found["items"] == table(built, "pool", "pairs").height
    assert found["tuples"] == 2 * found["items"]
    assert 7 <= found["tuples_per_item"] <= 9
    assert (found["answers"], found["answers_per_question"]) == (accepted.height, 2)
    assert found["annotators"] == accepted["annotator"].n_unique()
    assert found["annotators_stopped"] >= 1
    assert found["split_half_spearman"] == statistics(built, "reliability")["split_half_spearman"]


def test_tables_5_and_6_have_a_row_per_model_and_a_column_per_source(built: Built) -> None:
    models = listed(built, "model_table", "models").filter(pl.col("metric") == "spearman")
    assert models["model"].to_list() == ["dice", "hashed", "static", VECTORS]
    sources = listed(built, "source_table", "sources")
    assert sources.columns == ["source", "pairs", "dice"]
    assert set(sources["source"]) == set(table(built, "pool", "pairs")["source"])


def test_every_table_has_its_figure(built: Built) -> None:
    for name in (
        "pair_types/pair_counts", "factors/relatedness_factors", "factors/overlap", "similarity_bins/score_bins",
        "score_histogram/distribution", "model_table/models", "source_table/sources",
    ):  # fmt: skip
        assert (built.folder / "build" / f"{name}.svg").is_file(), name

"""The user's own files: other names for columns, what is filled in, what is reported."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources import files
from kostra.sources import filter as by_length
from kostra.sources.files import Loaded, find_paths, read_table
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, check


@pytest.fixture
def context(tmp_path: Path) -> Context:
    step = Step(name="own", use="sources/files")
    about = About(name="try", title="Try", protocol="none", language="cs", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng = np.random.default_rng(1)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Context(recipe=recipe, step=step, project=tmp_path, folder=tmp_path, rng=rng, now=now)


def load(folder: Path, name: str, text: str, kind: Literal["sentences", "pairs"] = "pairs", **said: str) -> Loaded:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return read_table(path, kind, language="en", columns=said)


def notes(loaded: Loaded) -> list[str]:
    return [finding.message for finding in loaded.findings]


# Columns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header", ["text_a,text_b", "sentence1,sentence2", "sentence_A,sentence_B", "premise,hypothesis"]
)
def test_pairs_are_found_under_the_names_that_others_use(tmp_path: Path, header: str) -> None:
    loaded = load(tmp_path, "p.csv", f"{header}\nA cat.,A dog.\n")
    assert loaded.frame.select("text_a", "text_b").rows() == [("A cat.", "A dog.")]
    first, second = header.split(",")
    said = [f'the column "{first}" is read as text_a', f'the column "{second}" is read as text_b']
    assert notes(loaded) == ([] if first == "text_a" else said)


def test_our_own_name_goes_before_an_alias_and_the_other_is_reported(tmp_path: Path) -> None:
    loaded = load(tmp_path, "p.csv", "text_a,text_b,sentence1,score\nA,B,C,3\n")
    assert loaded.frame["text_a"].to_list() == ["A"]
    assert notes(loaded) == ["columns that pairs do not have are left out: sentence1, score"]


def test_a_named_column_goes_before_all_and_the_one_it_replaces_is_reported(tmp_path: Path) -> None:
    loaded = load(tmp_path, "p.csv", "text_a,text_b,better\nA,B,C\n", text_a="better")
    assert loaded.frame["text_a"].to_list() == ["C"]
    assert notes(loaded) == [
        'columns are left out because another was named in their place: text_a ("better" is read as text_a)'
    ]


def test_two_columns_can_be_exchanged_by_name(tmp_path: Path) -> None:
    loaded = load(tmp_path, "p.csv", "text_a,text_b\nA,B\n", text_a="text_b", text_b="text_a")
    assert loaded.frame.select("text_a", "text_b").rows() == [("B", "A")]
    assert notes(loaded) == []


def test_a_nameless_column_such_as_pandas_writes_is_left_out_and_shown(tmp_path: Path) -> None:
    loaded = load(tmp_path, "p.csv", ",text_a,text_b\n0,A,B\n")
    assert notes(loaded) == ['columns that pairs do not have are left out: ""']


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"text_x": "s"}, 'unknown column of pairs "text_x"'),
        ({"text_a": "sentense"}, 'unknown column of the file "sentense"'),
    ],
)
def test_a_wrong_name_lists_what_there_is(tmp_path: Path, said: dict[str, str], what: str) -> None:
    with pytest.raises(KostraError, match=what):
        load(tmp_path, "p.csv", "s,t\nA,B\n", "pairs", **said)


def test_a_file_without_the_text_says_what_it_looked_for(tmp_path: Path) -> None:
    with pytest.raises(KostraError) as caught:
        load(tmp_path, "p.csv", "text_a,other\nA,B\n")
    said = str(caught.value)
    assert 'p.csv:1: no column for "text_b"; found text_a, other' in said
    assert "accepted: text_b, or one of sentence2" in said


# What is filled in -------------------------------------------------------------------------------------


def test_ids_sources_and_languages_are_filled_in_by_line(tmp_path: Path) -> None:
    rows = "".join(f"Sentence {n}.\n" for n in range(2, 11))  # sentence n stands on line n
    loaded = load(tmp_path, "news.csv", f"text\n{rows}", "sentences")
    assert loaded.frame["sentence"].to_list()[:1] == ["news-02"]
    assert loaded.frame["sentence"].to_list()[-1:] == ["news-10"]
    assert set(loaded.frame.select("source", "language").rows()) == {("news", "en")}


def test_what_the_file_says_is_kept(tmp_path: Path) -> None:
    loaded = load(tmp_path, "n.csv", "sentence,text,source,language\ns1,Ahoj.,radio,cs\n", "sentences")
    assert loaded.frame.row(0)[:4] == ("s1", "Ahoj.", "radio", "cs")


def test_a_list_of_sentences_is_read_by_lines_and_numbered_as_in_the_file(tmp_path: Path) -> None:
    loaded = load(tmp_path, "list.txt", "One, two.\r\n\r\n  Three.  \r\n", "sentences")
    assert loaded.frame.select("sentence", "text").rows() == [("list-1", "One, two."), ("list-3", "Three.")]


@pytest.mark.parametrize(("name", "text"), [("e.txt", " \n\n"), ("e.csv", "text\n")])
def test_a_file_without_rows_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(KostraError, match="the file has no rows"):
        load(tmp_path, name, text, "sentences")


def test_an_empty_text_and_a_repeated_id_are_refused_with_their_lines(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match=r'p\.csv:3: column "text_b": found nothing'):
        load(tmp_path, "p.csv", "text_a,text_b\nA,B\nC,\n")
    with pytest.raises(KostraError, match=r'p\.csv:4: pair "x" stands twice \(lines 2 and 4\)'):
        load(tmp_path, "p.csv", "id,text_a,text_b\nx,A,B\ny,C,D\nx,E,F\n")


# What is reported --------------------------------------------------------------------------------------


def test_repeated_and_nearly_repeated_sentences_are_reported_and_kept(tmp_path: Path) -> None:
    loaded = load(tmp_path, "s.txt", "A cat, sat.\nA dog.\nA cat sat\nA dog.\n", "sentences")
    assert loaded.frame.height == 4
    assert [str(finding).partition(": ")[2] for finding in loaded.findings] == [
        "1 rows repeat an earlier text (line 4)",
        "3 different strings are only 2 once white space and punctuation are ignored, "
        'e.g. "A cat, sat." and "A cat sat" (lines 1, 3)',
    ]


def test_near_duplicates_are_merged_on_request_and_listed(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("A cat, sat.\nA dog.\nA cat sat\nA dog.\n")
    loaded = read_table(path, "sentences", language="en", merge_near_duplicates=True)
    assert loaded.frame["text"].to_list() == ["A cat, sat.", "A dog."]
    assert str(loaded.findings[-1]).endswith("2 rows merged into an earlier near-duplicate (lines 3, 4)")


def test_repeated_and_swapped_pairs_are_reported(tmp_path: Path) -> None:
    loaded = load(tmp_path, "p.csv", "text_a,text_b\nA,B\nB,A\nA,B\nC,C\n")
    assert [finding.kind for finding in loaded.findings] == ["duplicates", "swapped_duplicates", "identical_sentences"]
    assert loaded.frame.height == 4


def test_a_word_that_moves_from_one_sentence_to_the_other_makes_another_pair(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("text_a,text_b\na cat,sat\na,cat sat\na cat.,sat!\n")
    loaded = read_table(path, "pairs", language="en", merge_near_duplicates=True)
    assert loaded.frame.select("text_a", "text_b").rows() == [("a cat", "sat"), ("a", "cat sat")]


def test_pairs_of_punctuation_alone_stay_apart(tmp_path: Path) -> None:
    assert notes(load(tmp_path, "p.csv", "text_a,text_b\n?,!\n!,..\n")) == []


# Patterns ----------------------------------------------------------------------------------------------


def test_patterns_name_files_in_order_and_once(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "c.txt", ".hidden.csv"):
        (tmp_path / name).write_text("x")
    found = find_paths(["c.txt", "*.csv", "a.csv", str(tmp_path / "?.csv")], folder=tmp_path)
    assert [path.name for path in found] == ["c.txt", "a.csv", "b.csv"]


def test_brackets_in_a_name_are_a_name_where_such_a_file_exists(tmp_path: Path) -> None:
    folder = tmp_path / "odd[1]"
    folder.mkdir()
    for name in ("a[1].csv", "a1.csv"):
        (folder / name).write_text("x")
    assert [path.name for path in find_paths(["a[1].csv"], folder=folder)] == ["a[1].csv"]
    assert [path.name for path in find_paths(["a[0-9].csv"], folder=folder)] == ["a1.csv"]


@pytest.mark.parametrize("pattern", ["*.csv", "**x/*.csv", "/nowhere/*.csv", "[", "***"])
def test_a_pattern_that_names_nothing_is_an_error(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(KostraError, match="no file matches"):
        find_paths([pattern], folder=tmp_path)


# The step ----------------------------------------------------------------------------------------------


def test_the_step_reads_all_files_into_one_table(tmp_path: Path, context: Context) -> None:
    (tmp_path / "a.txt").write_text("One.\nTwo.\n")
    (tmp_path / "b.jsonl").write_text('{"text": "Three.", "mood": "glad"}\n')
    options = files.Options(paths=("*.txt", "b.jsonl"))
    made = files.run(Inputs({}), options, context)["sentences"]
    assert made["sentence"].to_list() == ["a-1", "a-2", "b-1"]
    assert made["language"].unique().to_list() == ["cs"]
    assert [finding.message for finding in context.findings] == [
        "columns that sentences do not have are left out: mood"
    ]
    assert files.plan({}, options, context).rows == {"sentences": 3}


def test_one_id_in_two_files_is_refused(tmp_path: Path, context: Context) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("One.\n")
    with pytest.raises(KostraError, match='sentence "a-1" stands twice'):
        files.run(Inputs({}), files.Options(paths=("*/a.txt",)), context)


def test_the_filter_lists_what_it_removes(context: Context) -> None:
    texts = ["one", "one two", "one two three", "…"]
    rows = {"sentence": ["a", "b", "c", "d"], "text": texts, "source": "s", "language": "en"}
    inputs = Inputs({"sentences": check(pl.DataFrame(rows), SENTENCES)})
    kept = by_length.run(inputs, by_length.Options(min_words=1, max_words=2), context)["sentences"]
    assert kept["sentence"].to_list() == ["a", "b"]
    # "…" is no word, so that d has none.
    assert context.findings[-1].message.startswith("2 of 4 sentences")
    assert context.findings[-1].message.endswith(": c (3), d (0)")

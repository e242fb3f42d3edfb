"""Text files as Czech News STS was released."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.release.tea_news import a_context, inputs, messages, pairs

from kostra.errors import KostraError
from kostra.release import text_files
from kostra.sources.released import czech_news_sts
from kostra.tables import ANNOTATORS, JUDGMENTS, Frame, check

TEST_FILE = text_files.TextFile(name="test", pairs="test", question="similarity", answers=True, earlier="round_1")


def judgments_of(**values: list[str]) -> Frame:
    rows = [
        (f"{item}-{place}", item, 1, "similarity", f"a{place}", value, "answered", "free", "main")
        for item, given in values.items()
        for place, value in enumerate(given)
    ]
    names = ["judgment", "item", "version", "question", "annotator", "value", "status", "phase", "block"]
    return check(pl.DataFrame(rows, schema=names, orient="row"), JUDGMENTS)


def test_a_text_file_reads_back_as_the_released_one(tmp_path: Path) -> None:
    read = inputs(judgments=judgments_of(p=["0", "1", "2"], q=["3", "3", "3"]))
    text_files.run(read, text_files.Options(files=(TEST_FILE,)), a_context(tmp_path))
    back = czech_news_sts.read(tmp_path / "text_files" / "test.tsv").tables
    assert back["pairs"]["text_b"].to_list() == ["Hot tea with p.", "Hot tea with q."]
    assert back["scores"].select("question", "score").rows() == [
        ("similarity", 1.0), ("similarity", 3.0), ("round_1", 1.0), ("round_1", 3.0),
    ]  # fmt: skip
    assert back["judgments"]["value"].to_list() == ["0", "1", "2", "3", "3", "3"]


def test_sentences_stand_in_their_contexts_on_request(tmp_path: Path) -> None:
    file = text_files.TextFile(name="train", pairs="train", question="round_1", context=True)
    text_files.run(inputs(), text_files.Options(files=(file,)), a_context(tmp_path))
    first = (tmp_path / "text_files" / "train.tsv").read_text().splitlines()[0]
    assert first == "<sent>Tea of p is hot.</sent>\tSo. <sent>Hot tea with p.</sent>\t1"


def test_a_pair_that_lacks_something_is_left_out_and_counted(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    read = inputs(judgments=judgments_of(p=["0", "1", "2"]))
    text_files.run(read, text_files.Options(files=(TEST_FILE,)), context)
    assert len((tmp_path / "text_files" / "test.tsv").read_text().splitlines()) == 1
    assert "test.tsv: 1 of 2 pairs lack a score, an answer or a context: q" in messages(context)


def test_a_part_without_pairs_is_an_empty_file_and_it_is_said(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    read = inputs(test=pairs("p").clear(), judgments=judgments_of(p=["1"]))
    text_files.run(read, text_files.Options(files=(TEST_FILE,)), context)
    assert (tmp_path / "text_files" / "test.tsv").read_text() == ""
    assert 'test.tsv is empty: step "test" has no pairs' in messages(context)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"pairs": "tset"}, 'unknown step with pairs "tset"'),
        ({"question": "taste"}, 'unknown question with scores "taste"'),
        ({"earlier": "round_0"}, 'unknown question with scores "round_0"'),
        ({}, 'the answers about "p" have a mean of 6, and its score is 1'),
    ],
)
def test_a_text_file_that_cannot_be_true_is_refused(change: dict[str, str], complaint: str, tmp_path: Path) -> None:
    file = TEST_FILE.model_copy(update=change)
    with pytest.raises(KostraError, match=complaint):
        text_files.run(
            inputs(judgments=judgments_of(p=["6", "6", "6"])), text_files.Options(files=(file,)), a_context(tmp_path)
        )


def test_answers_are_refused_where_none_are_read(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="there are no answers to list"):
        text_files.run(inputs(), text_files.Options(files=(TEST_FILE,)), a_context(tmp_path))


def test_the_readme_names_columns_licence_and_simulated_steps(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    context.history = {"pick": {"simulated": True}, "corpus": {"simulated": False}}
    file = text_files.TextFile(name="train", pairs="train", question="round_1")
    text_files.run(inputs(), text_files.Options(files=(file,)), context)
    said = (tmp_path / "text_files" / "README.txt").read_text()
    assert "NO PERSON JUDGED THIS: simulated annotators or models answered (pick)" in said
    assert "train.tsv  3 lines: first sentence; second sentence; round_1" in said


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (["simulated"] * 2, "NO PERSON JUDGED THIS"),
        (["person", "model"], "NOT ALL ANSWERS"),
        (["person"] * 2, "Tea news"),
    ],
)
def test_answers_that_no_person_gave_are_known_by_their_annotators(kinds: list[str], said: str, tmp_path: Path) -> None:
    people = check(pl.DataFrame({"annotator": ["ann", "bob"], "kind": kinds}), ANNOTATORS)
    file = text_files.TextFile(name="train", pairs="train", question="round_1")
    text_files.run(inputs(annotators=people), text_files.Options(files=(file,)), a_context(tmp_path))
    found = (tmp_path / "text_files" / "README.txt").read_text()
    assert said in found
    assert ("NO PERSON" in found, "NOT ALL" in found) == (kinds[0] == "simulated", "model" in kinds)


def test_training_files_and_contexts_are_read_back_too(tmp_path: Path) -> None:
    read = inputs(judgments=judgments_of(p=["0", "1", "2"], q=["3", "3", "3"]))
    train = text_files.TextFile(name="train", pairs="train", question="similarity")
    context = TEST_FILE.model_copy(update={"name": "test_context", "context": True})
    text_files.run(read, text_files.Options(files=(train, context)), a_context(tmp_path))
    back = czech_news_sts.read(tmp_path / "text_files" / "train.tsv").tables
    assert back["pairs"]["text_a"].to_list() == [f"Tea of {name} is hot." for name in "pqr"]
    assert back["scores"].select("question", "score", "appearances").rows() == [
        ("similarity", 1.0, 1), ("similarity", 3.0, 1), ("similarity", 5.0, 1),
    ]  # fmt: skip
    assert "judgments" not in back
    marked = czech_news_sts.read(tmp_path / "text_files" / "test_context.tsv").tables["pairs"]
    assert marked.select("text_b", "context_b").rows() == [
        (f"Hot tea with {name}.", f"So. <sent>Hot tea with {name}.</sent>") for name in "pq"
    ]


def test_a_context_without_one_key_sentence_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("A.\tB.\t3\nC. <sent>D.\tE.\t4\n")
    with pytest.raises(KostraError, match=r"bad\.tsv:2: .*first sentence"):
        czech_news_sts.read(tmp_path / "bad.tsv")

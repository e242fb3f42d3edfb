import io
import sys
from pathlib import Path

import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.sources.ratings import Read, read_ratings
from kostra.tables import JUDGMENTS, check


def read(folder: Path, text: str, name: str = "answers.csv", **options: object) -> Read:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_ratings(path, **options)  # type: ignore[arg-type]


def cells(found: Read) -> list[tuple[str, str | None, float]]:
    ratings = found.ratings
    who = [None] * ratings.answers if ratings.annotator is None else ratings.annotator.tolist()
    return [
        (ratings.items[item], None if one is None else (ratings.annotators or ())[one], value)
        for item, one, value in zip(ratings.item.tolist(), who, ratings.values.tolist(), strict=True)
    ]


WANTED = [("p", "ann", 1.0), ("p", "bob", 2.0), ("q", "bob", 4.0)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("long.csv", "item,annotator,value\np,ann,1\np,bob,2\nq,bob,4\n"),
        ("long.tsv", "pair_id\tworker\trating\np\tann\t1\np\tbob\t2\nq\tbob\t4\n"),
        ("long.jsonl", '{"id": "p", "Rater": "ann", "Score": 1}\n{"id": "p", "Rater": "bob", "Score": 2.0}\n'
         '{"id": "q", "Rater": "bob", "Score": 4}\n'),
        ("wide.csv", "item,ann,bob\np,1,2\nq,,4\n"),
        ("wide.tsv", "unit\tann\tbob\np\t1\t2\nq\tNaN\t4\n"),
        ("wide.jsonl", '{"item": "p", "ann": 1, "bob": 2}\n{"item": "q", "bob": 4}\n'),
    ],
)  # fmt: skip
def test_long_and_wide_files_of_each_form_hold_the_same_answers(tmp_path: Path, name: str, text: str) -> None:
    assert cells(read(tmp_path, text, name)) == WANTED


def test_parquet_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"item": ["p", "q"], "ann": [1.0, float("nan")], "bob": [2.0, 4.0]})
    frame.write_parquet(tmp_path / "wide.parquet")
    found = read_ratings(tmp_path / "wide.parquet")
    assert cells(found) == WANTED
    assert any("1 answer is NaN and taken as missing" in str(finding) for finding in found.findings)

    class Input:
        buffer = io.BytesIO(b"item,annotator,value\np,ann,1\np,bob,2\nq,bob,4\n")

    monkeypatch.setattr(sys, "stdin", Input())
    assert cells(read_ratings("-")) == WANTED


def test_columns_can_be_named(tmp_path: Path) -> None:
    long = "text,who,how,score\np,ann,1,9\np,bob,2,9\nq,bob,4,9\n"
    assert cells(read(tmp_path, long, item="text", annotator="who", value="how")) == WANTED
    wide = "text,value,ann,bob\np,9,1,2\nq,9,,4\n"
    assert cells(read(tmp_path, wide, item="text", wide=("ann", "bob"))) == WANTED
    with pytest.raises(KostraError, match='unknown column "wo"'):
        read(tmp_path, long, item="text", annotator="wo", value="how")
    with pytest.raises(KostraError, match='unknown column "bo"'):
        read(tmp_path, wide, wide=("ann", "bo"))


def test_without_annotators_the_answers_are_anonymous_and_it_is_said(tmp_path: Path) -> None:
    for text in ("item,value\np,1\np,2\nq,4\n", "item,annotator,value\np,,1\np,,2\nq,,4\n"):
        found = read(tmp_path, text)
        assert found.ratings.annotators is None
        assert cells(found) == [("p", None, 1.0), ("p", None, 2.0), ("q", None, 4.0)]
        assert any("anonymous" in finding.message for finding in found.findings)
    with pytest.raises(KostraError, match=r"answers\.csv:3.*annotator"):
        read(tmp_path, "item,annotator,value\np,ann,1\np,,2\n")


def test_what_was_guessed_of_a_wide_file_is_reported(tmp_path: Path) -> None:
    found = read(tmp_path, "id,sentence,ann,bob\np,A dog barks.,1,2\nq,It rains.,,4\n")
    assert cells(found) == WANTED
    messages = [str(finding) for finding in found.findings]
    assert any('"id" is the item, ann, bob are the annotators; sentence not used' in message for message in messages)
    assert any("1 answer is empty and taken as missing (line 3)" in message for message in messages)


def test_wide_labels(tmp_path: Path) -> None:
    found = read(tmp_path, "item,ann,bob\np,yes,no\nq,no,no\n")
    assert found.ratings.labels == ("yes", "no")


def test_rows_without_an_item_column_are_called_after_their_lines_when_the_annotators_are_named(tmp_path: Path) -> None:
    found = read(tmp_path, "ann,bob\n1,2\n3,4\n", wide=("ann", "bob"))
    assert found.ratings.items == ("line 2", "line 3")
    with pytest.raises(KostraError, match="no column names the item"):
        read(tmp_path, "ann,bob\n1,2\n3,4\n")


def test_a_text_among_numbers_is_an_error_with_its_line_unless_labels_are_meant(tmp_path: Path) -> None:
    text = "item,annotator,value\np,ann,1\np,bob,4o\nq,ann,2\nq,bob,NA\nr,ann,3\n"
    with pytest.raises(KostraError) as caught:
        read(tmp_path, text)
    assert 'answers.csv:3: column "value": found "4o" among numbers; likewise on lines 5' in str(caught.value)
    assert read(tmp_path, text, labels=True).ratings.labels == ("1", "4o", "2", "NA", "3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,annotator\np,ann\n", "no two columns that look like annotators"),
        ("item,annotator,value\n,ann,1\n", 'answers.csv:2: column "item"'),
        ("item,ann,bob\n,1,2\n", 'answers.csv:2: column "item"'),
        ("worker,value\nann,1\n", "no column names the item"),
        ("item,annotator,value\np,ann,1\np,ann,2\n", "ann on p"),
        ("item,ann,bob\np,1,2\np,1,2\n", "ann on p"),
        ("", "empty"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(KostraError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


def test_a_list_in_a_cell_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="a list or an object"):
        read(tmp_path, '{"item": "p", "value": [1, 2]}\n', "answers.jsonl")


def test_a_column_of_questions_asks_for_one(tmp_path: Path) -> None:
    text = "item,annotator,question,value\np,ann,similarity,1\np,ann,label,yes\n"
    with pytest.raises(KostraError, match="2 questions"):
        read(tmp_path, text)
    found = read(tmp_path, text, question="similarity")
    assert (found.question, found.ratings.values.tolist()) == ("similarity", [1.0])
    with pytest.raises(KostraError, match='unknown question "labl"'):
        read(tmp_path, text, question="labl")


def test_a_table_of_judgments_is_read_as_one(tmp_path: Path) -> None:
    rows = [("p", "ann", "1", "answered"), ("p", "bob", "2", "answered"), ("q", "bob", "4", "answered"),
            ("q", "ann", None, "skipped")]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["item", "annotator", "value", "status"], orient="row").with_columns(
        judgment=pl.Series(["1", "2", "3", "4"]),
        version=pl.lit(1),
        question=pl.lit("similarity"),
        phase=pl.lit("free"),
        block=pl.lit("main"),
    )
    for name in ("judgments.csv", "judgments.parquet"):
        path = tmp_path / name
        table = check(frame, JUDGMENTS)
        _ = table.write_parquet(path) if name.endswith("parquet") else table.write_csv(path)
        found = read_ratings(path)
        assert cells(found) == WANTED
        assert found.question == "similarity"
        assert found.judgments is not None
        assert [finding.message for finding in found.findings] == ["1 judgments are skipped"]
        assert read_ratings(path, phases=["free"], blocks=["main"]).ratings.answers == 3
    with pytest.raises(KostraError, match="table of judgments only"):
        read(tmp_path, "item,value\np,1\n", phases=["free"])


def test_a_release_without_single_answers_is_refused(data: Path) -> None:
    with pytest.raises(KostraError, match="no single answers"):
        read_ratings(data / "str2022.csv", released="str2021")
    with pytest.raises(KostraError, match="unknown component"):
        read_ratings(data / "str2022.csv", released="str2020")


def test_the_czech_news_release_is_anonymous(data: Path) -> None:
    found = read_ratings(data / "cna_free_test.tsv", released="czech_news_sts")
    assert found.ratings.annotators is None
    assert (len(found.ratings.items), found.ratings.answers) == (1200, 10800)


def test_a_header_without_answers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("item,annotator,value\n", encoding="utf-8")
    with pytest.raises(KostraError, match="the file has no answers"):
        read_ratings(path)


def test_a_wide_file_has_no_question_to_choose(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,ann,bob\np,1,2\nq,2,2\n", encoding="utf-8")
    with pytest.raises(KostraError, match="answers to one question only"):
        read_ratings(path, question="similarity")

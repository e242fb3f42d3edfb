"""Best–worst answers from files of many shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kostra.errors import KostraError
from kostra.sources.best_worst import BestWorstAnswers, read_best_worst

HEADER = "Item1,Item2,Item3,BestItem,WorstItem"


def written(folder: Path, text: str, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def answers(read: BestWorstAnswers) -> list[tuple[list[str], str, str]]:
    """Each answer in words: the tuple, the best, the worst."""
    rows = zip(read.tuples.tolist(), read.best.tolist(), read.worst.tolist(), strict=True)
    return [([read.items[item] for item in row], read.items[best], read.items[worst]) for row, best, worst in rows]


def refusal(folder: Path, text: str) -> str:
    path = written(folder, text)
    with pytest.raises(KostraError) as caught:
        read_best_worst(path)
    return str(caught.value).replace(f"{folder}/", "")


def kinds(read: BestWorstAnswers) -> list[str]:
    return [finding.kind for finding in read.findings]


# What is read ------------------------------------------------------------------------------------------


def test_answers_are_read_by_value_and_by_position(tmp_path: Path) -> None:
    by_value = read_best_worst(written(tmp_path, f"{HEADER}\na,b,c,c,a\n"))
    by_position = read_best_worst(written(tmp_path, f"{HEADER}\na,b,c,3,1\na,b,c, 3 ,1.0\n"))
    assert answers(by_value) == [(["a", "b", "c"], "c", "a")]
    assert answers(by_position) == answers(by_value) * 2
    assert kinds(by_value) == kinds(by_position) == []


def test_a_number_that_is_an_item_of_its_row_is_that_item(tmp_path: Path) -> None:
    read = read_best_worst(written(tmp_path, f"{HEADER}\n3,2,1,1,3\n"))
    assert answers(read) == [(["3", "2", "1"], "1", "3")]
    assert kinds(read) == []


def test_numbers_that_are_sometimes_items_and_sometimes_positions_are_reported(tmp_path: Path) -> None:
    # Line 2: 1 and 3 are no items, so they are places. Line 3: 2 is an item, 1 is not.
    read = read_best_worst(written(tmp_path, f"{HEADER}\n7,8,9,1,3\n2,8,9,2,3\n"))
    assert answers(read) == [(["7", "8", "9"], "7", "9"), (["2", "8", "9"], "2", "9")]
    assert [finding.lines for finding in read.findings] == [(2, 3)]
    assert "1 best and worst answers are read as items" in read.findings[0].message
    assert "and 3 as positions" in read.findings[0].message


def test_items_may_hold_commas_quotes_and_line_breaks(tmp_path: Path) -> None:
    text = f'{HEADER}\n"a, b","say ""no""","two\nlines","two\nlines","a, b"\nx,y,z,x,q\n'
    said = refusal(tmp_path, text)  # the second answer stands on line 5, after a header and three lines
    assert said.startswith('a.csv:5: column "WorstItem": found "q"')
    read = read_best_worst(written(tmp_path, text.replace(",q\n", ",z\n")))
    assert answers(read)[0] == (["a, b", 'say "no"', "two\nlines"], "two\nlines", "a, b")


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl", "a.parquet"])
def test_other_forms_are_read_alike(tmp_path: Path, name: str) -> None:
    import polars as pl

    row = {"Item1": "a", "Item2": "b", "Item3": "c", "BestItem": 1, "WorstItem": 3}
    path = tmp_path / name
    if name.endswith("tsv"):
        written(tmp_path, "\t".join(row) + "\n" + "\t".join(str(cell) for cell in row.values()) + "\n", name)
    elif name.endswith("jsonl"):
        written(tmp_path, json.dumps(row), name)
    else:
        pl.DataFrame([row]).write_parquet(path)
    assert answers(read_best_worst(path)) == [(["a", "b", "c"], "a", "c")]


@pytest.mark.parametrize("header", ["item1,item2,item3,best,worst", "Item 1,Item 2,Item 3,Best,Worst"])
def test_related_headers_are_known(tmp_path: Path, header: str) -> None:
    assert answers(read_best_worst(written(tmp_path, f"{header}\na,b,c,a,b\n"))) == [(["a", "b", "c"], "a", "b")]


def test_columns_may_have_any_name_that_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "who,x,y,z,top,last,when\nann,a,b,c,a,b,now\n")
    read = read_best_worst(path, items=["x", "y", "z"], best="top", worst="last", annotator="who")
    assert answers(read) == [(["a", "b", "c"], "a", "b")]
    assert read.annotators == ("ann",)
    assert kinds(read) == []


def test_columns_without_a_known_name_are_taken_for_items_and_that_is_said(tmp_path: Path) -> None:
    read = read_best_worst(written(tmp_path, "x,y,Best,Worst,Annotator\na,b,1,2,ann\n"))
    assert [finding.message for finding in read.findings] == [
        "the columns x, y are read as the items, Best as best, Worst as worst"
    ]


def test_annotators_who_are_not_named_or_answer_twice_are_reported(tmp_path: Path) -> None:
    rows = ["a,b,c,a,b,ann", "c,b,a,a,b,ann", "a,b,c,a,b,", "a,b,c,a,b, ", "a,b,c,a,b,bob"]
    read = read_best_worst(written(tmp_path, "\n".join([f"{HEADER},Annotator", *rows])))
    assert read.annotators == ("ann", "ann", "", "", "bob")
    assert [(finding.kind, finding.lines) for finding in read.findings] == [
        ("no_annotator", (4, 5)),
        ("answered_again", (3,)),
    ]


# Rows that are headers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [HEADER, HEADER.lower(), "Item1,Item2,Item3,Most related,Least related"])
def test_a_header_in_the_middle_is_left_out_and_reported(tmp_path: Path, row: str) -> None:
    read = read_best_worst(written(tmp_path, f"{HEADER}\na,b,c,a,b\n{row}\na,b,c,a,c\n"))
    assert len(read.best) == 2
    assert [(finding.kind, finding.lines) for finding in read.findings] == [("header", (3,))]


def test_items_that_are_called_like_columns_are_answers(tmp_path: Path) -> None:
    read = read_best_worst(written(tmp_path, f"{HEADER}\nitem1,item2,item3,item3,item1\nitem1,item2,item3,2,1\n"))
    assert answers(read) == [
        (["item1", "item2", "item3"], "item3", "item1"),
        (["item1", "item2", "item3"], "item2", "item1"),
    ]


@pytest.mark.parametrize("wrong", ["item9,item1", ",", "4,5"])
def test_a_wrong_answer_about_items_called_like_columns_is_an_error_not_a_header(tmp_path: Path, wrong: str) -> None:
    assert refusal(tmp_path, f"{HEADER}\nitem1,item2,item3,{wrong}\n").startswith('a.csv:2: column "BestItem"')


def test_a_file_of_headers_has_no_answers(tmp_path: Path) -> None:
    assert refusal(tmp_path, f"{HEADER}\n{HEADER}\n").startswith("a.csv: the file has no answers")
    assert refusal(tmp_path, f"{HEADER}\n").startswith("a.csv: the file has no answers")


# Errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("a,b,c,a,a", '"BestItem" and "WorstItem" are the same item\n  accepted: two different items'),
        ("a,b,c,1,a", '"BestItem" and "WorstItem" are the same item'),
        ("a,b,a,b,a", 'the item "a" stands twice in one tuple\n  accepted: different items'),
        ("a,b,c,x,a", 'column "BestItem": found "x"\n  accepted: one of the row\'s items, or a position from 1 to 3'),
        ("a,b,c,a,", 'column "WorstItem" is empty'),
        ("a,b,c,0,1", 'column "BestItem": found "0"'),
        ("a,b,c,4,1", 'column "BestItem": found "4"'),
        ("a,b,c,1.5,1", 'column "BestItem": found "1.5"'),
        ("a,b,c,-1,1", 'column "BestItem": found "-1"'),
        ("a,b,c,٢,1", 'column "BestItem": found "٢"'),
        ("a,,c,a,c", 'column "Item2" is empty'),
        ("a, ,c,a,c", 'column "Item2" is empty'),
        ("a,b,c,A,c", 'column "BestItem": found "A"'),
    ],
)
def test_an_impossible_answer_is_named_with_its_line(tmp_path: Path, row: str, what: str) -> None:
    assert refusal(tmp_path, f"{HEADER}\na,b,c,a,b\n{row}\n").startswith(f"a.csv:3: {what}")


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("Item1,Item2,WorstItem", "a.csv:1: no column for the best item; found Item1, Item2, WorstItem"),
        ("Item1,Item2,BestItem", "a.csv:1: no column for the worst item"),
        ("Item1,BestItem,WorstItem", "a.csv:1: a tuple needs at least two item columns; found Item1"),
        ("BestItem,WorstItem", "a.csv:1: a tuple needs at least two item columns; found none"),
    ],
)
def test_a_missing_column_is_told(tmp_path: Path, header: str, what: str) -> None:
    row = ",".join("a" * len(header.split(",")))
    assert refusal(tmp_path, f"{header}\n{row}\n").startswith(what)


def test_a_column_that_does_not_exist_is_told_with_the_nearest(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}\na,b,c,a,b\n")
    with pytest.raises(KostraError, match=r'unknown column "BestItm"[\s\S]*did you mean "BestItem"'):
        read_best_worst(path, best="BestItm")


@pytest.mark.parametrize(
    "said", [{"best": "Item1"}, {"worst": "BestItem"}, {"items": ["Item1", "Item1"]}, {"annotator": "Item3"}]
)
def test_a_column_has_one_role(tmp_path: Path, said: dict[str, Any]) -> None:
    with pytest.raises(KostraError, match=r"a\.csv:1: the column .* would be read as two things"):
        read_best_worst(written(tmp_path, f"{HEADER}\na,b,c,a,b\n"), **said)


@pytest.mark.parametrize("value", ["true", "[1]", '{"a": 1}', '"\\ud800"'])
def test_a_json_value_that_names_nothing_is_refused(tmp_path: Path, value: str) -> None:
    line = f'{{"Item1": {value}, "Item2": "b", "BestItem": 1, "WorstItem": 2, "note": [1, 2]}}'
    with pytest.raises(KostraError, match=r'a\.jsonl:1: column "Item1": found '):
        read_best_worst(written(tmp_path, line, "a.jsonl"))


# Near-duplicates ---------------------------------------------------------------------------------------


def test_near_duplicates_are_reported_and_merged_only_on_request(tmp_path: Path) -> None:
    path = written(tmp_path, f'{HEADER}\na b,c,d,a b,d\n"a, b",c,d,a  b,d\n'.replace(",a  b,d", ',"a, b",d'))
    apart, merged = read_best_worst(path), read_best_worst(path, merge_near_duplicates=True)
    assert (apart.items, kinds(apart)) == (("a b", "c", "d", "a, b"), ["near_duplicates"])
    assert (merged.items, kinds(merged)) == (("a b", "c", "d"), ["near_duplicates", "merged"])
    assert answers(merged)[0] == answers(merged)[1]


def test_an_answer_in_a_third_spelling_is_understood_when_merging(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}\na b,c,d,a  b,d\na.b,c,d,2,d\n")
    with pytest.raises(KostraError, match='found "a  b"'):
        read_best_worst(path)
    assert answers(read_best_worst(path, merge_near_duplicates=True))[0][1:] == ("a b", "d")


def test_two_spellings_in_one_tuple_cannot_be_merged(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}\na b,a.b,d,1,3\n")
    assert len(read_best_worst(path).items) == 3
    with pytest.raises(KostraError, match="stands twice in one tuple"):
        read_best_worst(path, merge_near_duplicates=True)


def test_the_raw_arabic_file_tells_its_quirks(data: Path) -> None:
    read = read_best_worst(data / "semrel_arb_bws.csv", merge_near_duplicates=True)
    assert (len(read.items), len(read.best)) == (632, 2710)
    found = {finding.kind: finding for finding in read.findings}
    assert found["header"].lines == (427,)
    assert found["near_duplicates"].message.startswith("1,964 different strings are only 632 once")
    assert found["merged"].message == "1,332 strings merged into 632 items"  # 1,964 − 632

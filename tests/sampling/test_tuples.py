"""Tuples for best–worst scaling, as a function and from the command line."""

from __future__ import annotations

import gzip
import io
import sys
import unicodedata
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import kostra
from kostra.cli import app
from kostra.errors import KostraError
from kostra.sampling.tuples import Tuples, tuples

LETTERS = list("abcdefghijkl")


def written(folder: Path, text: str, name: str = "items.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def items_of(made: Tuples) -> set[str]:
    return {item for row in made.frame.rows() for item in row}


def refusal(items: Any, **options: Any) -> str:
    with pytest.raises(KostraError) as caught:
        tuples(items, **options)
    return str(caught.value)


def kostra_says(*arguments: object, stdin: str | bytes | None = None) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


# Items -------------------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip),
        min_size=5,
        max_size=8,
        unique_by=lambda text: unicodedata.normalize("NFC", text),
    ),
    st.integers(0, 99),
)
def test_any_texts_can_be_items_and_every_one_appears_alike(items: list[str], seed: int) -> None:
    made = tuples(items, factor=1, seed=seed)
    assert len(items_of(made)) == len(items)
    # As many tuples of four as items: each appears four times.
    assert made.quality.appearances_min == made.quality.appearances_max == 4
    assert made.frame.equals(tuples(items, factor=1, seed=seed).frame)


def test_a_plain_list_and_every_form_of_table_give_the_same_tuples(tmp_path: Path) -> None:
    wanted = tuples(LETTERS, seed=3).frame
    frame = pl.DataFrame({"pair": LETTERS, "text": "x"})
    frame.write_csv(tmp_path / "i.csv")
    frame.write_csv(tmp_path / "i.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "i.jsonl")
    frame.write_parquet(tmp_path / "i.parquet")
    written(tmp_path, "\r\n".join(LETTERS) + "\r\n\r\n", "i.txt")
    written(tmp_path, "\n".join(LETTERS), "i")
    (tmp_path / "i.csv.gz").write_bytes(gzip.compress((tmp_path / "i.csv").read_bytes()))
    for name in ("i.csv", "i.tsv", "i.jsonl", "i.parquet", "i.txt", "i", "i.csv.gz"):
        assert tuples(tmp_path / name, seed=3).frame.equals(wanted), name


def test_items_of_a_table_keep_their_blanks_commas_and_line_breaks(tmp_path: Path) -> None:
    odd = [" a", "b,c", 'say "no"', "two\nlines", "e"]
    pl.DataFrame({"id": odd}).write_csv(tmp_path / "i.csv")
    made = tuples(tmp_path / "i.csv", factor=1)
    assert items_of(made) == set(odd)


def test_the_column_is_the_only_one_a_known_one_or_the_named_one(tmp_path: Path) -> None:
    only = written(tmp_path, "word\n" + "\n".join(LETTERS), "one.csv")
    assert items_of(tuples(only)) == set(LETTERS)
    two = written(tmp_path, "x,y\n" + "\n".join(f"{c},{c}{c}" for c in LETTERS), "two.csv")
    assert "cannot tell which column holds the items; found x, y" in refusal(two)
    assert items_of(tuples(two, column="y")) == {c + c for c in LETTERS}
    assert 'unknown column "yy"' in refusal(two, column="yy")
    assert 'did you mean "y"?' in refusal(two, column="yy")
    plain = written(tmp_path, "a\nb\n")
    assert "a plain list of items has no columns" in refusal(plain, column="x")


def test_repeated_and_empty_items_are_refused_with_their_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "a\nb\n\na\n")
    assert refusal(path) == f'{path}:4: the item "a" stands twice (lines 1 and 4)\n  accepted: each item once'
    table = written(tmp_path, "id,x\na,1\n ,2\n", "t.csv")
    assert refusal(table) == f"{table}:3: an item is empty\n  accepted: text"
    assert refusal(["é", "e\u0301", "c", "d"]).startswith('items:2: the item "é" stands twice')


@pytest.mark.parametrize("value", ["true", "[1]", '{"a": 2}'])
def test_json_values_that_name_nothing_are_refused(tmp_path: Path, value: str) -> None:
    path = written(tmp_path, f'{{"id": "a"}}\n{{"id": {value}}}\n', "t.jsonl")
    assert refusal(path).startswith(f'{path}:2: column "id": found {value}')


def test_near_duplicates_are_reported_and_merged_on_request() -> None:
    items = ["a b", "a, b", *LETTERS]
    apart, merged = tuples(items), tuples(items, merge_near_duplicates=True)
    assert len(items_of(apart)) == 14
    assert apart.warnings[0].startswith("items: 14 different strings are only 13 once white space and punctuation")
    assert items_of(merged) == {"a b", *LETTERS}
    assert merged.warnings[1] == "items: 1 items merged into an earlier near-duplicate"


def test_emoji_of_different_skin_are_different_items() -> None:
    assert tuples(["👍", "👍🏽", "👍🏿", "👎", "x"], factor=1, size=2).warnings == ()


# Requests ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"size": 0}, "a tuple compares at least 2 items; the size asked for is 0"),
        ({"size": 1}, "a tuple compares at least 2 items"),
        ({"size": -4}, "a tuple compares at least 2 items"),
        ({"size": 13}, "a tuple of 13 needs 13 different items and there are only 12"),
        ({"factor": 0}, "a design has at least 1 tuple"),
        ({"factor": -1}, "a design has at least 1 tuple"),
        ({"factor": 0.01}, "a design has at least 1 tuple"),
        ({"factor": float("nan")}, "the factor is nan"),
        ({"factor": float("inf")}, "the factor is inf"),
        ({"factor": 1e9}, "12 items make only 495 different sets of 4"),  # 12 · 11 · 10 · 9 / 4! = 495
        ({"factor": 50}, "12 items make only 495 different sets of 4 and 600 tuples were asked for"),
        ({"seed": -1}, "the seed is -1"),
    ],
)
def test_impossible_requests_are_explained(options: dict[str, Any], what: str) -> None:
    assert what in refusal(LETTERS, **options)


def test_a_request_beyond_memory_is_refused_before_it_is_tried() -> None:
    items = [f"i{n}" for n in range(2000)]
    # 2,000 items make 2000⁴/24 ≈ 6.6 · 10¹¹ sets, so that 2 · 10¹⁰ tuples would be possible.
    assert "20,000,000,000 tuples of 4 are more than" in refusal(items, factor=1e7)


def test_too_few_items_are_refused(tmp_path: Path) -> None:
    assert "a tuple of 4 needs 4 different items and there are only 3" in refusal(["a", "b", "c"])
    assert "there are no items" in refusal(written(tmp_path, "\n \n"))
    assert "there are no items" in refusal([])
    assert "there are no items" in refusal(written(tmp_path, "id\n", "t.csv"))
    assert "there is no such file" in refusal(tmp_path / "gone.txt")
    assert "this is a folder" in refusal(tmp_path)


def test_as_many_tuples_as_there_are_sets_are_all_of_them() -> None:
    made = tuples(["a", "b", "c", "d", "e"], factor=1)  # five items have five sets of four
    assert len({frozenset(row) for row in made.frame.rows()}) == 5


# The command line --------------------------------------------------------------------------------------


def test_the_command_writes_what_the_function_makes(tmp_path: Path) -> None:
    path = written(tmp_path, "\n".join(LETTERS))
    out = tmp_path / "tuples.csv"
    done = kostra_says("tuples", path, "-o", out, "--seed", 3, "--size", 3, "--factor", 1.5)
    assert done.exit_code == 0
    # 1.5 · 12 = 18 tuples of 3 are 54 places, so that 12 items appear 4 or 5 times.
    assert "18 tuples of 3 from 12 items; every item appears 4 or 5 times" in done.stderr
    assert pl.read_csv(out).equals(kostra.tuples(path, seed=3, size=3, factor=1.5).frame)
    assert done.stdout == ""


def test_standard_input_is_a_list_or_a_csv_as_its_first_line_or_a_named_column_tells() -> None:
    plain = kostra_says("tuples", "-", "--seed", 3, stdin="\n".join(LETTERS))
    rows = "\n" + ",1\n".join(LETTERS) + ",1\n"
    table = kostra_says("tuples", "-", "--seed", 3, stdin="id,x" + rows)
    named = kostra_says("tuples", "-", "--seed", 3, "--column", "letter", stdin="letter,x" + rows)
    assert plain.stdout == table.stdout == named.stdout == tuples(LETTERS, seed=3).frame.write_csv()


def test_what_is_wrong_with_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("žluť\n".encode("utf-16"))))
    assert refusal("-").startswith("standard input: the text is not UTF-8; it looks like UTF-16")


def test_a_failure_leaves_the_old_tuples(tmp_path: Path) -> None:
    out = written(tmp_path, "old", "tuples.csv")
    done = kostra_says("tuples", written(tmp_path, "a\nb\n"), "-o", out)
    assert isinstance(done.exception, KostraError)
    assert out.read_text() == "old"

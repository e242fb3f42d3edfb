"""Tables from one form to another."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

from kostra import tables
from kostra.cli import app
from kostra.conversion import convert
from kostra.errors import KostraError

PAIRS = 'pair,text_a,text_b,overlap,source\np1,"a, ""b""\nc",Žluť.,0.1,web\np2,-1,NULL,,web\n'


def written(folder: Path, text: str, name: str = "p.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def kostra_says(*arguments: str | Path, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def test_a_table_goes_round_all_forms_without_loss(tmp_path: Path) -> None:
    written(tmp_path, PAIRS, "0.csv")
    names = ["0.csv", "1.jsonl", "2.parquet", "3.csv", "4.parquet", "5.jsonl", "6.csv"]
    for before, after in pairwise(names):
        convert(tmp_path / before, tmp_path / after)
    first = tables.read(tmp_path / "0.csv", tables.PAIRS)
    assert first.select("text_a", "text_b", "overlap").rows() == [('a, "b"\nc', "Žluť.", 0.1), ("-1", "NULL", None)]
    for name in names:
        assert_frame_equal(tables.read(tmp_path / name, tables.PAIRS), first)
    assert (tmp_path / "3.csv").read_bytes() == (tmp_path / "6.csv").read_bytes()


def test_a_table_that_tsv_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='column "text_a", row 1: a cell holds a tab or a line break'):
        convert(written(tmp_path, PAIRS), tmp_path / "p.tsv")
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]


def test_a_table_may_be_written_over_itself(tmp_path: Path) -> None:
    path = written(tmp_path, "text_a,text_b\nA,B\n")
    convert(path, path)
    once = path.read_bytes()
    assert convert(path, path).findings == ()
    assert path.read_bytes() == once


@pytest.mark.parametrize("name", ["s.txt", "s.TXT"])
def test_a_list_of_lines_is_sentences(tmp_path: Path, name: str) -> None:
    made = convert(written(tmp_path, "One.\nTwo.\n", name), language="en")
    assert (made.kind, made.frame["sentence"].to_list()) == ("sentences", ["s-1", "s-2"])


def test_a_list_of_lines_is_never_pairs(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match=r'the ending "\.txt" does not tell the format'):
        convert(written(tmp_path, "One.\nTwo.\n", "s.txt"), table="pairs")


def test_standard_input_has_a_name_of_its_own() -> None:
    done = kostra_says("convert", "-", stdin="text_a,text_b\nA,B\n")
    assert done.stdout.splitlines()[1].startswith("stdin-2,A,B,,,stdin,")
    assert done.stderr == "1 pairs\n"


def test_findings_are_notes_beside_the_data(tmp_path: Path) -> None:
    done = kostra_says("convert", written(tmp_path, "premise,text_b,score\nA,B,3\n"))
    assert "note: " in done.stderr
    assert 'the column "premise" is read as text_a' in done.stderr
    assert "left out: score" in done.stderr
    assert "note" not in done.stdout


def test_columns_are_named_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, "x,y=z\nA,B\n")
    done = kostra_says("convert", path, "--column", "text_a=x", "--column", "text_b=y=z")
    assert ",A,B," in done.stdout
    wrong = kostra_says("convert", path, "--column", "text_a")
    assert 'found "text_a"' in str(wrong.exception)


@pytest.mark.parametrize("options", [{"columns": {"item": "x"}}, {"merge_near_duplicates": True}])
@pytest.mark.parametrize("asked", [{"table": "judgments"}, {"released": "str2021"}])
def test_options_that_would_be_passed_over_are_refused(
    tmp_path: Path, options: dict[str, Any], asked: dict[str, Any]
) -> None:
    with pytest.raises(KostraError, match="does not apply"):
        convert(written(tmp_path, PAIRS), **options, **asked)


def test_unknown_names_are_told_with_what_exists(tmp_path: Path) -> None:
    path = written(tmp_path, PAIRS)
    with pytest.raises(KostraError, match='did you mean "judgments"'):
        convert(path, table="judgment")
    with pytest.raises(KostraError, match="str2021"):
        convert(path, released="str2020")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the file is empty"),
        ("text_a,text_b\n", "the file has no rows"),
        ("text_a,text_b\nA\n", ":2: found 1 column where the header has 2"),
        ("text_a,text_b,overlap\nA,B,much\n", ':2: column "overlap": found "much"'),
        ("text_a;text_b\nA;B;C\n", ":2: found 3 columns where the header has 2"),
        ("pair,text_a,text_b\np,A,B\np,C,D\n", r'pair "p" stands twice (lines 2 and 3)'),
    ],
    ids=range(6),
)
def test_what_is_wrong_leaves_the_old_output(tmp_path: Path, text: str, what: str) -> None:
    out = written(tmp_path, "old", "out.parquet")
    with pytest.raises(KostraError) as caught:
        convert(written(tmp_path, text), out)
    assert what in str(caught.value)
    assert out.read_text() == "old"


def test_a_release_is_read_and_its_other_tables_are_named(data: Path, tmp_path: Path) -> None:
    made = convert(data / "str2022.csv", tmp_path / "p.parquet", released="str2021")
    assert (made.kind, made.others) == ("pairs", ("scores",))
    assert tables.read(tmp_path / "p.parquet", tables.PAIRS).height == made.frame.height == 5500
    with pytest.raises(KostraError, match='unknown table of str2021 "judgments"'):
        convert(data / "str2022.csv", released="str2021", table="judgments")

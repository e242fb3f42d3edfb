"""The tables that flow: what goes out comes back, and what is wrong is told with its place."""

from __future__ import annotations

import json
import string
import tempfile
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from kostra import tables
from kostra.errors import KostraError
from kostra.files import Format
from kostra.tables import JUDGMENTS, PAIRS, SCHEMAS, SENTENCES, TUPLES, Column, Frame, Schema, check, read, write

TRICKY = [
    '"', '""', "'", ",", ";", "a,b", 'say "no"', "\n", "\r", "\r\n", "a\nb", "a\rb", "a\r\nb", "\t", "a\tb", " ",
    "  x ", "x\n", "\nx", "0", "1.0", "-1", "1e5", "007", "+3", "1_0", "NULL", "null", "None", "NaN", "nan", "inf",
    "NA", "N/A", "true", "#", "# x", "\\", "\\n", "\\N", "=1+1", "\ufeff", "a\ufeff", "שלום", "مرحبا", "👩‍👩‍👧", "🇨🇿",
    "žluťoučký kůň",
    "\n\u0301", "\\n\u0301", "\u0301", "<\u0338", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\u00a0",
    "\u200b",
    "\x7f", "\x01", "</sent>", "{}", "[1]", '{"a": 1}',
]  # fmt: skip
"""Texts that some reader or writer somewhere takes for something else."""

any_text = st.one_of(
    st.sampled_from(TRICKY),
    st.lists(st.sampled_from(TRICKY), min_size=2, max_size=4).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
)
finite = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(-(2**63), 2**63 - 1)
moments = st.datetimes(timezones=st.just(UTC))


def column_values(column: Column, *, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Values that a column may hold."""
    if column.choices:
        values: st.SearchStrategy[Any] = st.sampled_from(column.choices)
    elif column.kind == "text":
        values = text if column.empty else text.filter(lambda value: bool(value.strip()))
    else:
        values = {"whole": whole, "number": finite, "time": moments}[column.kind]
    return st.none() | values if column.empty else values


@st.composite
def frames(draw: st.DrawFn, schema: Schema, text: st.SearchStrategy[str] = any_text) -> Frame:
    """Tables of a schema, any of whose cells may hold anything that the schema allows."""
    row = st.fixed_dictionaries({column.name: column_values(column, text=text) for column in schema.columns})
    rows = draw(
        st.lists(
            row,
            min_size=1,
            max_size=4,
            # Two ids may be one once they are normalised.
            unique_by=lambda cells: tuple(unicodedata.normalize("NFC", str(cells[name])) for name in schema.key),
        )
    )
    return check(pl.DataFrame(rows, schema=schema.dtypes), schema)


def there_and_back(frame: Frame, schema: Schema, kind: Format) -> Frame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{kind}"
        write(frame, path)
        return read(path, schema)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(path: Path, schema: Schema = TUPLES) -> str:
    """What the reader says, with the file named by its last part alone."""
    with pytest.raises(KostraError) as caught:
        read(path, schema)
    return str(caught.value).replace(f"{path.parent}/", "")


# Round trips -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMAS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_what_is_written_comes_back_equal(name: str, data: st.DataObject) -> None:
    frame = data.draw(frames(SCHEMAS[name]))
    for kind in ("csv", "jsonl", "parquet"):
        assert_frame_equal(there_and_back(frame, SCHEMAS[name], kind), frame, check_exact=True)


@pytest.mark.parametrize("name", ["sentences", "judgments"])
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_tsv_comes_back_equal_where_no_cell_holds_a_tab_or_a_line_break(name: str, data: st.DataObject) -> None:
    text = any_text.map(lambda value: value.translate({9: None, 10: None, 13: None}))
    frame = data.draw(frames(SCHEMAS[name], text))
    assert_frame_equal(there_and_back(frame, SCHEMAS[name], "tsv"), frame, check_exact=True)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_each_tricky_text_survives(kind: Format) -> None:
    texts = [*TRICKY, "a very long line " * 100_000]
    rows = {"annotator": [f"{n}{text}" for n, text in enumerate(texts)], "kind": "person", "note": texts}
    back = there_and_back(pl.DataFrame(rows), tables.ANNOTATORS, kind)
    assert back["note"].to_list() == [unicodedata.normalize("NFC", text) for text in texts]
    assert back["annotator"].to_list() == [unicodedata.normalize("NFC", text) for text in rows["annotator"]]


@settings(max_examples=30, deadline=None)
@given(st.lists(any_text, min_size=1, max_size=4), st.sampled_from(["csv", "jsonl", "parquet"]))
@example(["\n\u0301"], "jsonl")  # as an escape it is \n and an accent, which together must not become \ń
def test_text_that_never_met_a_check_is_normalised_on_the_way_in(texts: list[str], kind: Format) -> None:
    rows = {"document": [f"d{n}" for n in range(len(texts))], "source": "s", "language": "und", "text": texts}
    back = there_and_back(pl.DataFrame(rows), tables.DOCUMENTS, kind)
    assert back["text"].to_list() == [unicodedata.normalize("NFC", text) or None for text in texts]


def test_the_empty_text_is_nothing_in_frames_and_in_every_form() -> None:
    rows = {"annotator": ["a", "b", "c"], "kind": ["person"] * 3, "note": ["", None, " "]}
    frame = pl.DataFrame(rows)
    assert check(frame, tables.ANNOTATORS)["note"].to_list() == [None, None, " "]
    for kind in ("csv", "tsv", "jsonl", "parquet"):
        assert there_and_back(frame, tables.ANNOTATORS, kind)["note"].to_list() == [None, None, " "]


@pytest.mark.parametrize("cell", ["", "  ", "\x1c"], ids=ascii)
def test_a_required_text_is_neither_empty_nor_blank_in_any_form(tmp_path: Path, cell: str) -> None:
    frame = pl.DataFrame({"tuple": ["t"], "position": [1], "item": [cell]})
    with pytest.raises(KostraError, match="item"):
        check(frame, TUPLES)
    for kind in ("csv", "tsv", "jsonl", "parquet"):
        write(frame, tmp_path / f"t.{kind}")
        assert 'column "item"' in refusal(tmp_path / f"t.{kind}")


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_table_without_rows_comes_back(name: str, kind: Format) -> None:
    assert_frame_equal(there_and_back(SCHEMAS[name].empty(), SCHEMAS[name], kind), SCHEMAS[name].empty())


def test_a_table_without_rows_is_an_empty_jsonl_file_which_is_refused(tmp_path: Path) -> None:
    write(TUPLES.empty(), tmp_path / "t.jsonl")
    assert refusal(tmp_path / "t.jsonl") == "t.jsonl: the file is empty\n  accepted: one JSON object a line"


@pytest.mark.parametrize("strange", ["a\tb", "a\nb", "a\rb"], ids=ascii)
def test_tsv_refuses_what_it_cannot_hold_and_leaves_the_old_file(tmp_path: Path, strange: str) -> None:
    path = written(tmp_path, "t.tsv", "old")
    with pytest.raises(KostraError, match='column "item", row 2: a cell holds a tab or a line break') as caught:
        write(pl.DataFrame({"tuple": ["t", "u"], "position": [1, 1], "item": ["a", strange]}), path)
    assert ".csv" in str(caught.value)
    assert path.read_text() == "old"


def test_times_of_any_zone_become_utc(tmp_path: Path) -> None:
    moment = datetime(2026, 3, 1, 13, 30, tzinfo=timezone(timedelta(hours=1)))
    row = "judgment,item,version,question,status,phase,block,shown_at\nj,i,1,q,answered,p,b,2026-03-01T13:30:00+01:00\n"
    frame = read(written(tmp_path, "j.csv", row), JUDGMENTS)
    assert frame["shown_at"].to_list() == [moment.astimezone(UTC)]


def test_standard_input_and_output_are_csv(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write(pl.DataFrame({"tuple": ["t"], "position": [1], "item": ["ž"]}), "-")
    assert capfdbinary.readouterr().out == "tuple,position,item\nt,1,ž\n".encode()


# Cells -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("first", "whole"), ("1.5", "whole"), ("1e3", "whole"), ("1_0", "whole"), (" 3", "whole"), ("٣", "whole"),
        ("9223372036854775808", "whole"), ("9" * 5000, "whole"), ("0x10", "whole"), ("NaN", "whole"),
        ("high", "number"), ("nan", "number"), ("inf", "number"), ("1e999", "number"), ("1,5", "number"),
        ("2026-03-01T12:00:00", "time"), ("2026-03-01", "time"), ("noon", "time"), ("1772366400", "time"),
        ("2026-03-01T12:00:00.1234567Z", "time"), ("0001-01-01T00:00:00+14:00", "time"),
        ("9999-12-31T23:59:59-14:00", "time"), ("2026-02-30T00:00:00Z", "time"),
        ("done", "choice"), ("Answered", "choice"),
    ],
)  # fmt: skip
def test_a_cell_of_the_wrong_kind_is_named_with_line_column_found_and_accepted(
    tmp_path: Path, cell: str, kind: str
) -> None:
    column = {"whole": "version", "number": "seconds", "time": "shown_at", "choice": "status"}[kind]
    good = {"judgment": "j", "item": "i", "version": "1", "question": "q", "status": "answered", "phase": "p",
            "block": "b", "shown_at": "", "seconds": ""}  # fmt: skip
    rows = [good | {"judgment": "j1", "item": "two\nlines"}, good | {"judgment": "j2", column: cell}]
    for name, text in (
        ("j.csv", pl.DataFrame(rows).write_csv()),
        ("j.jsonl", "\n\n" + "\n".join(json.dumps(row) for row in rows)),
    ):
        said = refusal(written(tmp_path, name, text), JUDGMENTS)
        # Both times the second row begins on line 4: after a header and a row of two lines, or after two blank lines.
        assert said.startswith(f'{name}:4: column "{column}": found "{cell[:10]}')
        assert "accepted: " in said


def test_several_bad_cells_are_counted_and_their_lines_listed(tmp_path: Path) -> None:
    rows = "".join(f"t{n},{'x' if n % 2 else n},a\n" for n in range(2, 24))  # row n stands on line n
    said = refusal(written(tmp_path, "t.csv", f"tuple,position,item\n{rows}"))
    # Odd lines 3 … 23 are bad, eleven of them: the first in front, eight listed, two more.
    assert said == (
        't.csv:3: column "position": found "x"; likewise on lines 5, 7, 9, 11, 13, 15, 17, 19 and 2 more\n'
        "  accepted: a whole number, such as 3"
    )


def test_an_empty_required_cell_is_found_to_be_nothing(tmp_path: Path) -> None:
    said = refusal(written(tmp_path, "t.csv", "tuple,position,item\nt,1,\n"))
    assert said == 't.csv:2: column "item": found nothing\n  accepted: text'


@pytest.mark.parametrize(
    ("value", "shown"),
    [("true", "true"), ("[1]", "[1]"), ('{"a": "ž"}', '{"a": "ž"}'), ("3", "3"), ("null", "nothing"), ("2.5", "2.5")],
)
def test_a_json_value_that_is_no_text_is_refused_where_text_is_wanted(tmp_path: Path, value: str, shown: str) -> None:
    path = written(tmp_path, "t.jsonl", f'{{"tuple": "t", "position": 1, "item": {value}}}')
    assert refusal(path) == f't.jsonl:1: column "item": found {shown}\n  accepted: text'


@pytest.mark.parametrize("value", ["true", "1.0", "[1]", '"one"', "1e400", "123456789012345678901", '" 1"'])
def test_a_json_value_that_is_no_whole_number_is_refused(tmp_path: Path, value: str) -> None:
    path = written(tmp_path, "t.jsonl", f'{{"tuple": "t", "position": {value}, "item": "a"}}')
    assert refusal(path).startswith('t.jsonl:1: column "position": found ')


def test_numbers_written_as_json_text_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "t.jsonl", '{"tuple": "t", "position": "1", "item": "a"}')
    assert read(path, TUPLES)["position"].to_list() == [1]


@pytest.mark.parametrize("escape", [r"\u0000", r"\ud83d", r"x\udc00"])
def test_json_escapes_that_are_no_text_are_refused(tmp_path: Path, escape: str) -> None:
    path = written(tmp_path, "t.jsonl", f'{{"tuple": "t", "position": 1, "item": "{escape}"}}')
    said = refusal(path)
    assert said.startswith('t.jsonl:1: column "item": found ')
    said.encode()  # the message itself can be printed


def test_json_escapes_are_normalised_like_letters(tmp_path: Path) -> None:
    path = written(tmp_path, "t.jsonl", r'{"tuple": "t", "position": 1, "item": "e\u0301"}')
    assert read(path, TUPLES)["item"].to_list() == ["é"]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("[1, 2]", "t.jsonl:2: this line is not a JSON object"),
        ('"text"', "t.jsonl:2: this line is not a JSON object"),
        ("null", "t.jsonl:2: this line is not a JSON object"),
        ('{"tuple": ', "t.jsonl:2: this line is not JSON: Expecting value (column 11)"),
        ("{'tuple': 1}", "t.jsonl:2: this line is not JSON: "),
        ('{"tuple": NaN}', "t.jsonl:2: this line cannot be read: NaN is not a JSON number"),
        ('{"tuple": "a", "tuple": "b"}', "t.jsonl:2: this line cannot be read: an object has the same name twice"),
        ("[" * 100_000, "t.jsonl:2: this line cannot be read: "),
        ('{"position": ' + "9" * 5000 + "}", "t.jsonl:2: this line cannot be read: "),
    ],
    ids=range(9),
)
def test_a_line_that_is_no_json_object_is_named(tmp_path: Path, line: str, what: str) -> None:
    good = '{"tuple": "t", "position": 1, "item": "a"}'
    assert refusal(written(tmp_path, "t.jsonl", f"{good}\n{line}\n")).startswith(what)


# Columns and keys --------------------------------------------------------------------------------------


def test_an_unknown_column_is_named_with_the_nearest(tmp_path: Path) -> None:
    said = refusal(written(tmp_path, "t.csv", "tuple,postion,item\nt,1,a\n"))
    assert said == (
        't.csv:1: unknown column of tuples "postion"\n  accepted: item, position, tuple\n'
        '  try: did you mean "position"?'
    )


def test_an_unknown_json_name_is_named_on_the_line_where_it_first_stands(tmp_path: Path) -> None:
    good = '{"tuple": "t", "position": 1, "item": "a"}'
    strange = '{"tuple": "u", "position": 1, "item": "a", "itm": "b"}'
    said = refusal(written(tmp_path, "t.jsonl", f"{good}\n\n{strange}\n"))
    assert said.startswith('t.jsonl:3: unknown column of tuples "itm"')
    assert 'did you mean "item"?' in said


def test_a_missing_column_is_named_and_the_nearest_found_one_suggested(tmp_path: Path) -> None:
    with pytest.raises(KostraError) as caught:
        check(pl.DataFrame({"pair": ["p"], "text_a": ["a"]}), PAIRS, where="pairs")
    assert str(caught.value).startswith(
        'pairs: column "text_b" is missing; found pair, text_a\n  accepted: pairs: pair,'
    )
    assert str(caught.value).endswith('try: is it the one called "text_a"?')
    assert refusal(written(tmp_path, "t.csv", "tuple,position\n")).startswith('t.csv:1: column "item" is missing')


def test_a_repeated_key_is_named_with_both_lines(tmp_path: Path) -> None:
    text = 'tuple,position,item\nt,1,"a\n\nb"\nt,2,a\nt,1,c\nt,1,d\n'
    # The rows begin on lines 2, 5, 6 and 7; those on 2, 6 and 7 have one key.
    assert refusal(written(tmp_path, "t.csv", text)) == (
        't.csv:6: tuple "t", position "1" stands twice (lines 2 and 6); 3 rows share their tuple and position with '
        "another\n  accepted: each tuple with each position once"
    )


def test_keys_that_differ_only_in_their_encoding_are_one(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match=r"stands twice \(rows 1 and 2\)"):
        check(pl.DataFrame({"tuple": ["é", "e\u0301"], "position": [1, 1], "item": ["a", "b"]}), TUPLES)


def test_columns_that_may_be_empty_may_be_absent(tmp_path: Path) -> None:
    frame = read(written(tmp_path, "p.csv", "text_b,pair,text_a\nB,p,A\n"), PAIRS)
    assert frame.columns == [column.name for column in PAIRS.columns]
    assert frame.row(0, named=True)["overlap"] is None


# Frames ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        ("position", [1.5], 'column "position" holds Float64'),
        ("position", [True], 'column "position" holds Boolean'),
        ("item", [3], 'column "item" holds Int64'),
        ("item", [None], 'column "item" is empty in row 1'),
        ("item", ["a\0b"], 'column "item", row 1: found a NUL character'),
        ("item", ["  "], 'column "item", row 1: found blanks only'),
        ("position", pl.Series([2**63], dtype=pl.UInt64), 'column "position" holds numbers too large'),
    ],
    ids=range(7),
)
def test_a_frame_of_the_wrong_kind_is_refused(column: str, values: Any, what: str) -> None:
    good: dict[str, Any] = {"tuple": ["t"], "position": [1], "item": ["a"]}
    with pytest.raises(KostraError) as caught:
        check(pl.DataFrame(good | {column: values}), TUPLES, where="made")
    assert str(caught.value).startswith(f"made: {what}")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_frame_holds_no_nan(value: float) -> None:
    with pytest.raises(KostraError, match="NaN or infinity"):
        check(pl.DataFrame({"pair": ["p"], "text_a": ["a"], "text_b": ["b"], "overlap": [value]}), PAIRS)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"tuple,position,item\n", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_what_is_no_parquet_file_is_refused(tmp_path: Path, content: bytes) -> None:
    said = refusal(written(tmp_path, "t.parquet", content))
    assert said.startswith("t.parquet: the file is empty" if not content else "t.parquet: this is not a Parquet file")


def test_an_unknown_kind_of_table_lists_those_that_exist() -> None:
    with pytest.raises(KostraError, match='did you mean "sentences"'):
        tables.schema_named("sentence")


# Findings ----------------------------------------------------------------------------------------------


def test_out_of_range_values_are_reported_with_their_lines() -> None:
    found = tables.range_findings([0, 7.5, None, -4, 6], [2, 3, 4, 5, 6], low=0, high=6, where="x.csv", column="score")
    assert [str(one) for one in found] == ['x.csv: 2 values of "score" outside 0 to 6: 7.5, -4 (lines 3, 5)']


def test_as_text_keeps_what_names_a_thing() -> None:
    given_cells = ["a", " b ", 3, 2.5, None, ""]
    assert tables.as_text(given_cells, where="x", lines=range(1, 7), column="c") == ["a", " b ", "3", "2.5", "", ""]


@pytest.mark.parametrize("cell", [True, ["a"], {"a": 1}, b"a", "\ud800", "a\0"], ids=repr)
def test_as_text_refuses_what_does_not(cell: object) -> None:
    with pytest.raises(KostraError, match='x:9: column "c": found '):
        tables.as_text([cell], where="x", lines=[9], column="c")


def test_every_schema_names_its_key_among_its_columns_and_requires_it() -> None:
    for schema in SCHEMAS.values():
        required = {column.name for column in schema.columns if not column.empty}
        assert set(schema.key) <= required
        assert all(set(column.name) <= {*string.ascii_lowercase, "_"} for column in schema.columns)
    assert SENTENCES.count(SENTENCES.empty()) == 0

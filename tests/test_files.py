"""Bytes on disk: every way a file can be wrong on the way in, and a write that is whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra import files
from kostra.errors import KostraError
from kostra.files import Records, decode, format_of, numbered_lines, parse_records, read_bytes, read_records, read_text

CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy a šel domů přes celé město.\n" * 5


def said(error: pytest.ExceptionInfo[KostraError]) -> str:
    return str(error.value)


def parse_error(text: str, kind: Literal["csv", "tsv"] = "csv") -> str:
    with pytest.raises(KostraError) as caught:
        parse_records(text, where="t", kind=kind)
    return said(caught)


# Encodings ---------------------------------------------------------------------------------------------


def test_utf8_is_read_with_and_without_a_byte_order_mark() -> None:
    assert decode("ž".encode(), where="x") == decode("ž".encode("utf-8-sig"), where="x") == "ž"


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE"), ("utf-32", "UTF-32"),
        ("cp1250", "CP1250"), ("iso8859_2", "ISO-8859-2"), ("cp1251", "CP1251"),
    ],
)  # fmt: skip
def test_another_encoding_is_refused_and_a_guess_named(encoding: str, named: str | None) -> None:
    text = "Дождь идёт над городом весь день.\n" * 5 if encoding == "cp1251" else f"text,{CZECH}"
    with pytest.raises(KostraError, match="the text is not UTF-8; it looks like") as caught:
        decode(text.encode(encoding), where="notes.txt")
    assert "accepted: UTF-8, with or without a byte order mark" in said(caught)
    assert "try: iconv -f " in said(caught)
    if named:
        assert f"it looks like {named}\n" in said(caught)


def test_the_remedy_is_a_command_that_can_be_pasted() -> None:
    for where, command in (("a b.csv", "'a b.csv' > 'a b.csv.utf8'"), ("standard input", "| kostra …")):
        with pytest.raises(KostraError) as caught:
            decode("ž".encode("utf-16"), where=where)
        assert said(caught).endswith(f"try: iconv -f UTF-16 -t UTF-8 {command}")


def test_the_first_wrong_byte_is_told_by_its_line() -> None:
    with pytest.raises(KostraError, match=r"^x:3: the text is not UTF-8"):
        decode(b"one\ntwo\nna\xefve\nfour\xff", where="x")


def test_utf8_that_breaks_off_is_told_by_its_line() -> None:
    with pytest.raises(KostraError, match=r"^x:2: the text is not UTF-8"):
        decode("a\nž".encode()[:-1], where="x")


def test_a_nul_byte_is_told_by_its_line() -> None:
    with pytest.raises(KostraError, match=r"^x:2: the file holds a NUL byte"):
        decode(b"one\ntwo\0\n", where="x")


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
def test_text_is_normalised_on_the_way_in(text: str) -> None:
    # Two Latin letters in front, since a lone "\0a" pattern is not at issue here.
    assert decode(f"ab{text}".encode(), where="x") == unicodedata.normalize("NFC", f"ab{text}")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_are_text_or_refused_clearly(data: bytes) -> None:
    try:
        text, refused = decode(data, where="x"), None
    except KostraError as error:
        text, refused = "", str(error)
    assert refused is None or refused.startswith("x")
    assert unicodedata.is_normalized("NFC", text)


# Records -----------------------------------------------------------------------------------------------


def test_rows_know_the_line_on_which_they_begin() -> None:
    found = parse_records('\na,b\n1,"x\ny"\n\n"2\r\n\r\n",z\r\n3,w', where="t", kind="csv")
    # Line 1 is blank, 2 the header; 3–4 the first row, 5 blank; 6–8 the second, 9 the third.
    assert found.lines == [3, 6, 9]
    assert found.rows == [["1", "x\ny"], ["2\r\n\r\n", "z"], ["3", "w"]]
    assert found.at(1, "b") == 't:6: column "b"'


def test_old_line_ends_end_lines() -> None:
    assert parse_records("a,b\r1,2\r3,4\r", where="t", kind="csv").lines == [2, 3]
    assert parse_records("a\tb\r1\t2\r3\t4\r", where="t", kind="tsv").lines == [2, 3]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,b\n1,2\n1\n", "t:3: found 1 column where the header has 2\n  accepted: rows as wide as the header: a, b"),
        ("a,b\n1,2,3\n", "t:2: found 3 columns where the header has 2"),
        ('a,b\n"x\ny",1\n1\n', "t:4: found 1 column where the header has 2"),
        ('a,b\n1,"x\n2,y\n', "t:2: the CSV cannot be read: unexpected end of data"),
        ('a,b\n1,2\n"x"y,2\n', "t:3: the CSV cannot be read: "),
        ("a,a,b\n", "t:1: the header names a column twice: a\n  accepted: distinct names"),
        ("\n\na, a\n", "t:3: the header names a column twice: a"),
        ("a,,\n1,2,3\n", "t:1: 2 columns of the header have no name"),
        ("", "t: the file is empty\n  accepted: a header line and at least one row"),
        ("\n\r\n", "t: the file is empty"),
    ],
    ids=range(10),
)
def test_csv_that_is_not_rectangular_is_refused_with_its_line(text: str, what: str) -> None:
    assert parse_error(text).startswith(what)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a\tb\n1\t2\n1\n", "t:3: found 1 column where the header has 2"),
        ("a\tb\n1\t2\t3\n", "t:2: found 3 columns where the header has 2"),
        ("", "t: the file is empty"),
    ],
    ids=range(3),
)
def test_tsv_that_is_not_rectangular_is_refused_with_its_line(text: str, what: str) -> None:
    assert parse_error(text, "tsv").startswith(what)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_may_separate_by_semicolons_or_tabs_where_its_header_does(mark: str) -> None:
    text = f'\n"a, or; b"{mark}c\n1{mark}"x{mark}y"\n'
    assert parse_records(text, where="t", kind="csv").header == ("a, or; b", "c")
    assert parse_records(text, where="t", kind="csv").rows == [["1", f"x{mark}y"]]


def test_a_row_of_another_width_names_the_separator_of_its_file() -> None:
    assert "a semicolon inside a cell needs quotes" in parse_error("a;b\n1;2;3\n", "csv")


def test_only_a_header_can_tell_another_separator() -> None:
    assert parse_records("so; far\n", where="t", kind="csv", header=False).rows == [["so; far"]]


@pytest.mark.parametrize("mark", [",", ";"])
def test_tsv_without_tabs_is_refused(mark: str) -> None:
    told = parse_error(f"a{mark}b\n1{mark}2\n", "tsv")
    assert told.startswith(f"t:1: the header is one column, with {mark} inside: a{mark}b")
    assert "rename the file: cells separated by commas or semicolons are .csv" in told


def test_tsv_knows_no_quotes() -> None:
    found = parse_records('a\tb\r\n"x\ty"\r\n', where="t", kind="tsv")
    assert found.rows == [['"x', 'y"']]


def test_a_file_without_a_header_is_measured_by_its_first_row() -> None:
    with pytest.raises(KostraError, match=r"^t:2: found 3 columns where the first row has 2"):
        parse_records("1,2\n1,2,3\n", where="t", kind="csv", header=False)
    assert parse_records("1,2\n", where="t", kind="csv", header=False).header == ("column 1", "column 2")


def test_a_header_alone_is_a_table_without_rows() -> None:
    assert parse_records("a,b\n", where="t", kind="csv").rows == []


def test_a_very_long_cell_is_read() -> None:
    assert len(parse_records(f"a,b\n1,{'x' * 5_000_000}\n", where="t", kind="csv").rows[0][1]) == 5_000_000


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from(list('a,"\n\r\t ;1')), max_size=30), st.sampled_from(["csv", "tsv"]))
def test_any_text_is_a_table_or_refused_clearly(text: str, kind: Literal["csv", "tsv"]) -> None:
    try:
        found, refused = parse_records(text, where="t", kind=kind), None
    except KostraError as error:
        found, refused = Records("t", (), [], []), str(error)
    assert refused is None or refused.startswith("t:")
    assert all(len(row) == len(found.header) for row in found.rows)
    assert found.lines == sorted(set(found.lines))


def test_a_list_of_lines_knows_every_kind_of_line_end(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"one \r\n\n  two\rthree\n\t\nfour\x0bstill")
    assert numbered_lines(path) == [(1, "one"), (3, "two"), (4, "three"), (6, "four\x0bstill")]


# Names of files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "what"), [("a.xlsx", 'the ending ".xlsx"'), ("a", "no ending"), ("a.csv.zip", ".zip")]
)
def test_an_ending_that_tells_no_format_is_refused(name: str, what: str) -> None:
    with pytest.raises(KostraError, match=what) as caught:
        format_of(name)
    assert ".csv, .tsv, .jsonl, .parquet" in said(caught)


def test_the_format_may_be_said_and_endings_may_be_capitals() -> None:
    assert (format_of("a.CSV"), format_of("a", "jsonl"), format_of("-")) == ("csv", "jsonl", "csv")


def test_a_missing_file_a_folder_and_an_unreadable_file_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KostraError, match=r"gone\.csv: there is no such file"):
        read_records(tmp_path / "gone.csv", kind="csv")
    with pytest.raises(KostraError, match="this is a folder, not a file"):
        read_bytes(tmp_path)

    def refuse(self: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)  # root may read everything, so that chmod would not do
    with pytest.raises(KostraError, match=r"x\.csv: cannot be read: Permission denied"):
        read_text("x.csv")


def test_a_missing_file_names_the_one_beside_it_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").touch()
    with pytest.raises(KostraError) as caught:
        read_bytes(tmp_path / "pair.csv")
    assert f'did you mean "{tmp_path / "pairs.csv"}"?' in said(caught)


def test_a_name_that_is_not_utf8_can_be_printed() -> None:
    name = os.fsdecode(b"caf\xe9.csv")
    with pytest.raises(KostraError) as caught:
        read_bytes(name)
    assert said(caught) == "caf�.csv: there is no such file"
    assert files.stem(name) == "caf�"


def test_a_folder_is_copied_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "a.csv").write_text("a\n", encoding="utf-8")
    files.copy_folder(tmp_path / "made", tmp_path / "copy")
    assert (tmp_path / "copy" / "a.csv").read_text(encoding="utf-8") == "a\n"

    def full(source: Path, target: Path) -> None:
        target.mkdir()
        raise shutil.Error([(str(source), str(target), f"[Errno {errno.ENOSPC}] No space left on device")])

    monkeypatch.setattr(shutil, "copytree", full)
    with pytest.raises(KostraError, match=r"^.*place: cannot be written: No space left on device; nothing was changed"):
        files.copy_folder(tmp_path / "made", tmp_path / ".place.partial", named=tmp_path / "place")
    assert not (tmp_path / ".place.partial").exists()


def test_closed_standard_streams_are_refused_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(KostraError, match="standard input: cannot be read: it is closed"):
        read_bytes("-")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(KostraError, match="standard output: cannot be written: it is closed"):
        files.write_bytes(b"x", "-")


# Writing -----------------------------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def full_disk(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("stage", ["mkstemp", "fsync", "chmod", "replace"])
@pytest.mark.parametrize("linked", [False, True], ids=["file", "link"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, linked: bool
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    target = path
    if linked:
        target = tmp_path / "link.csv"
        target.symlink_to(path)
    before = names(tmp_path)
    place: Any = {"mkstemp": tempfile, "fsync": os}.get(stage, Path)
    monkeypatch.setattr(place, stage, full_disk)
    with pytest.raises(KostraError, match="cannot be written: No space left on device; nothing was changed"):
        files.write_bytes(b"new", target)
    assert path.read_text() == "old"
    assert names(tmp_path) == before


def test_an_interrupt_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.write_bytes(b"new", path)
    assert (path.read_text(), names(tmp_path)) == ("old", ["x.csv"])


def test_a_process_that_is_killed_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    code = (
        "import os, signal, sys\n"
        "from kostra import files\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.write_bytes(b'new' * 100_000, sys.argv[1])"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


def test_a_full_device_is_refused_clearly() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(KostraError, match=r"^/dev/full: cannot be written: No space left on device$"):
        files.write_bytes(b"x", "/dev/full")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_device_is_written_through(tmp_path: Path) -> None:
    files.write_bytes(b"x", "/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.csv"
    link.symlink_to(Path("real") / "x.csv")  # which is not there yet
    for content in (b"one", b"two"):
        files.write_bytes(content, link)
        assert link.is_symlink()
        assert (tmp_path / "real" / "x.csv").read_bytes() == content
    assert names(tmp_path / "real") == ["x.csv"]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "loop.csv"
    link.symlink_to(link)
    with pytest.raises(KostraError, match="cannot be written: the symbolic link leads to itself"):
        files.write_bytes(b"x", link)
    assert link.is_symlink()


def test_a_missing_folder_a_folder_and_a_file_as_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(KostraError, match="gone: the folder does not exist"):
        files.write_bytes(b"x", tmp_path / "gone" / "x.csv")
    with pytest.raises(KostraError, match="cannot be written: Is a directory"):
        files.write_bytes(b"x", tmp_path)
    with pytest.raises(KostraError, match="cannot be written: Not a directory"):
        files.write_bytes(b"x", tmp_path / "file" / "x.csv")
    assert names(tmp_path) == ["file"]


def test_a_new_file_is_shared_as_the_umask_says_and_an_old_one_keeps_its_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        files.write_bytes(b"x", tmp_path / "new.csv")
    finally:
        os.umask(before)
    private = tmp_path / "private.csv"
    private.write_text("old")
    private.chmod(0o600)
    files.write_bytes(b"x", private)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new.csv", private)] == [0o640, 0o600]


def test_a_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(KostraError, match="cannot be written: Permission denied; nothing was changed"):
        files.write_bytes(b"x", path)
    assert (path.read_text(), names(tmp_path)) == ("old", ["x.csv"])


def test_the_longest_name_that_the_disk_takes_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ž" * 125 + ".csv")  # 254 bytes of the 255 that a name may have
    files.write_bytes(b"x", path)
    assert path.read_bytes() == b"x"

"""``kostra spell``: what it reads, prints and refuses."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import kostra
from kostra.errors import KostraError
from kostra.sources.spelling.suggestions import Vocabulary
from kostra.spelling import spell
from kostra.tables import PAIRS, check

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("hunspell"), reason="the extra spell is not installed")

POLISH = ["babcia", "piecze", "ciasto", "kot", "śpi", "na", "łące"]


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder with a Polish dictionary of our own, in the encoding that the real one has."""
    frequencies = dict.fromkeys(POLISH, 1e-5)
    monkeypatch.setattr("kostra.sources.spelling.checking.vocabulary", lambda _: Vocabulary(frequencies))
    folder = tmp_path / "words"
    folder.mkdir()
    (folder / "pl_PL.aff").write_bytes(b"SET ISO8859-2\n")
    (folder / "pl_PL.dic").write_bytes("\n".join([str(len(POLISH)), *POLISH, ""]).encode("iso8859-2"))
    return str(folder)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list_of_sentences_is_checked_line_by_line(words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "cats.txt", "Kot spi.\n\nBabcia piecze ciastto.\n")
    found = spell(path, language="pl", dictionary=words)
    assert found.frame.rows() == [
        ("cats:1", 4, 7, "spi", "śpi", 1, "Kot spi."),
        ("cats:3", 14, 21, "ciastto", "ciasto", 1, "Babcia piecze ciastto."),
    ]
    assert check(found.pairs, PAIRS).height == 2
    assert (found.sentences, found.words) == (2, 5)


def test_a_table_of_sentences_keeps_its_ids_and_leaves_other_languages_alone(words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "sentence,text,language\na,Kot spi.,pl\nb,A catt.,en\n")
    found = spell(path, language="pl", dictionary=words)
    assert found.pairs["pair"].to_list() == ["a@4-7#1"]
    assert any("1 of 2 sentences are not in pl" in str(finding) for finding in found.findings)


def test_what_cannot_be_is_refused(words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "cats.txt", "Kot spi.\n")
    with pytest.raises(KostraError, match='did you mean "hunspell"'):
        spell(path, language="pl", checker="hunspel")
    with pytest.raises(KostraError, match="0 suggestions"):
        spell(path, language="pl", suggestions=0, dictionary=words)
    with pytest.raises(KostraError, match="takes no dictionary"):
        spell(path, language="cs", checker="korektor", dictionary=words)
    with pytest.raises(KostraError, match="no sentence"):
        spell(write(tmp_path / "empty.txt", "\n"), language="pl", dictionary=words)
    with pytest.raises(KostraError, match="apt install hunspell-cs"):
        spell(path, language="cs", dictionary=words)


def test_the_command_writes_the_list_or_the_pairs(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kostra.cli import app
    from kostra.commands import spelling

    assert spelling.spell.__doc__
    monkeypatch.setattr(kostra, "spell", spell, raising=False)
    path = write(tmp_path / "cats.txt", "Kot spi na lace.\n")
    for table, column in (("list", "proposed"), ("pairs", "text_b")):
        output = tmp_path / f"{table}.csv"
        said = CliRunner().invoke(
            app, ["spell", str(path), "--lang", "pl", "--dictionary", words, "--table", table, "-o", str(output)]
        )
        assert said.exit_code == 0, said.output
        assert "2 proposals for 4 words in 1 sentences" in said.output
        assert pl.read_csv(output)[column].len() == 2

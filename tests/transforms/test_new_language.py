"""The how-to of a new language, followed to the letter: the Slovak on its page works."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import kostra.transforms
from kostra.transforms import engine, inflection
from kostra.transforms.engine import Engine, Refusal
from kostra.trees import Tree, parse_conllu

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "new-language-rules.md"
TREE = """\
# text = Žena číta knihu a noviny.
1	Žena	žena	NOUN	_	Case=Nom|Gender=Fem|Number=Sing	2	nsubj	_	_
2	číta	čítať	VERB	_	Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin	0	root	_	_
3	knihu	kniha	NOUN	_	Case=Acc|Gender=Fem|Number=Sing	2	obj	_	_
4	a	a	CCONJ	_	_	5	cc	_	_
5	noviny	noviny	NOUN	_	Case=Acc|Gender=Fem|Number=Plur	3	conj	_	SpaceAfter=No
6	.	.	PUNCT	_	_	2	punct	_	_

"""


def blocks() -> dict[str, str]:
    """The files on the page: indented blocks that begin with their names."""
    found = re.split(r"^    # sk/", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    files = {}
    for block in found:
        name, _, body = block.partition("\n")
        lines = re.match(r"(?:    .*\n|\n)*", body)
        assert lines is not None
        files[name.strip()] = textwrap.dedent(lines.group())
    return files


@pytest.fixture
def slovak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    folder = tmp_path / "sk"
    folder.mkdir()
    for name, text in {"__init__.py": "", **blocks()}.items():
        (folder / name).write_text(text, encoding="utf-8")
    kostra.transforms.__path__.append(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield parse_conllu(TREE)[0]
    kostra.transforms.__path__.remove(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("kostra.transforms.sk")]:
        del sys.modules[name]
    engine.language.cache_clear()
    inflection.inflector.cache_clear()


def test_the_page_shows_every_file_that_a_language_needs() -> None:
    needed = {"lexicon.toml", "inflection.py", "grammar.py", "language.py", "removing_conjunct.py", "negation.py"}
    assert blocks().keys() == needed


def test_the_language_on_the_page_works(slovak: Tree) -> None:
    heard: list[Refusal] = []
    made = Engine("sk").outputs(slovak, heard=heard)
    assert [(one.rule, one.variant, one.text, one.relation) for one in made] == [
        ("removing_conjunct", "later", "Žena číta knihu.", "similar"),
        ("removing_conjunct", "first", "Žena číta noviny.", "similar"),
        ("negation", "not", "Žena nečíta knihu a noviny.", "contradiction"),
        ("negation", "no such", "Žiadna žena nečíta knihu a noviny.", "contradiction"),
    ]
    assert "číta cannot take the singular" in [one.reason for one in heard]


def test_the_page_stays_one_page() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 140

"""Parsers behind one interface: what they make of sentences, and what they say of a missing model."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kostra import registry
from kostra.errors import KostraError
from kostra.sources import parsers
from kostra.sources.parsers import stanza as stanza_parser
from kostra.sources.parsers import udpipe as udpipe_parser
from kostra.sources.parsers.stanza import Stanza
from kostra.trees import Tree, parse_conllu

needs_udpipe = pytest.mark.skipif(not importlib.util.find_spec("ufal"), reason="the extra parse is not installed")
needs_czech = pytest.mark.skipif(
    not importlib.util.find_spec("cs_core_news_sm"), reason="the spaCy pipeline cs_core_news_sm is not installed"
)


@pytest.fixture
def polish(models: Path) -> parsers.Parser:
    return parsers.parser(f"udpipe:{models / 'pl.udpipe'}")


def forms(tree: Tree) -> list[str]:
    return [word.form for word in tree.words]


# UDPipe ------------------------------------------------------------------------------------------------


@needs_udpipe
def test_udpipe_parses_many_sentences_at_once_each_into_its_own_tree(polish: parsers.Parser) -> None:
    first, second = polish.parse(["Kot śpi na kanapie.", "Zobaczyłem psa, który biegnie."])
    assert first.text == "Kot śpi na kanapie."
    assert (first.root.form, first.root.upos) == ("śpi", "VERB")
    assert forms(second)[:2] == ["Zobaczył", "em"]
    assert second.text == "Zobaczyłem psa, który biegnie."
    assert parse_conllu(second.conllu()) == [second]


@needs_udpipe
def test_a_sentence_gets_the_same_tree_alone_and_in_company(polish: parsers.Parser) -> None:
    sentences = ["Pies biegnie.", "Dwie kobiety siedzą na ławce.", "Mały chłopiec rzuca piłkę."]
    assert [polish.parse([sentence])[0] for sentence in sentences] == polish.parse(sentences)


@needs_udpipe
@pytest.mark.parametrize(
    "sentence",
    ["Kot 🙂 śpi 猫.", "Кот śpi na sofie.", "_", "#", "# text = nic", "1-2", "a\u200bb", "!", "e\u0301 śpi"],
)
def test_udpipe_takes_whatever_people_write(polish: parsers.Parser, sentence: str) -> None:
    (tree,) = polish.parse([sentence])
    assert tree.text == sentence


@needs_udpipe
def test_tabs_and_line_breaks_count_as_one_blank(polish: parsers.Parser) -> None:
    (tree,) = polish.parse(["\tKot\nśpi\u00a0 \u2028tu.\r\n"])
    assert tree.text == "Kot śpi tu."


@needs_udpipe
def test_a_sentence_of_four_hundred_words_is_parsed(polish: parsers.Parser) -> None:
    (tree,) = polish.parse([" ".join(["kot i pies"] * 133) + " śpią."])
    assert len(tree) == 401


@needs_udpipe
@pytest.mark.parametrize("empty", ["", "  ", "\n\t"])
def test_an_empty_sentence_is_refused_with_its_number(polish: parsers.Parser, empty: str) -> None:
    with pytest.raises(KostraError, match="nothing to parse in 1 of 2 sentences: number 2"):
        polish.parse(["Kot śpi.", empty])
    assert polish.parse([]) == []


@needs_udpipe
def test_a_missing_model_and_a_file_that_is_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="there is no such UDPipe model") as missing:
        parsers.parser("udpipe:models/pl.udpipe", folder=tmp_path)
    assert str(missing.value.where).endswith("models/pl.udpipe")
    (tmp_path / "bad.udpipe").write_bytes(b"\x00\x01not a model")
    with pytest.raises(KostraError, match="not a UDPipe 1 model"):
        parsers.parser("udpipe:bad.udpipe", folder=tmp_path)


@needs_udpipe
def test_a_model_cut_short_is_refused(tmp_path: Path, models: Path) -> None:
    whole = (models / "pl.udpipe").read_bytes()
    (tmp_path / "pl.udpipe").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(KostraError, match="not a UDPipe 1 model"):
        parsers.parser("udpipe:pl.udpipe", folder=tmp_path)


@needs_udpipe
def test_the_language_of_a_model_may_be_said(models: Path) -> None:
    spoken = parsers.parser(f"udpipe:{models / 'pl.udpipe'}?language=cs")
    assert forms(spoken.parse(["Zobaczyłem psa."])[0]) == ["Zobaczyłem", "psa", "."]
    with pytest.raises(KostraError, match='did you mean "language"'):
        parsers.parser(f"udpipe:{models / 'pl.udpipe'}?langauge=cs")


@needs_udpipe
def test_another_model_has_another_revision(models: Path) -> None:
    polish, english = (parsers.parser(f"udpipe:{models / name}") for name in ("pl.udpipe", "en.udpipe"))
    assert polish.revision != english.revision
    assert english.parse(["The cats can't sleep."])[0].text == "The cats can't sleep."


@pytest.mark.parametrize(
    ("spec", "package"),
    [("udpipe:{path}", "ufal"), ("spacy:xx", "spacy"), ("stanza:pl", "stanza")],
)
def test_a_missing_package_is_named_with_its_extra(
    spec: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pl.udpipe"
    path.touch()
    for module in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(KostraError, match="which is not installed") as caught:
        parsers.parser(spec.format(path=path))
    assert caught.value.remedy == "pip install 'kostra[parse]'"


# Trees of one's own ------------------------------------------------------------------------------------

OWN = """# sent_id = 1
# text = Koty śpią.
1\tKoty\tkot\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tśpią\tspać\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def test_trees_of_ones_own_are_found_by_their_text(tmp_path: Path) -> None:
    (tmp_path / "own.conllu").write_text(OWN, encoding="utf-8")
    own = parsers.parser("conllu:own.conllu", folder=tmp_path)
    (tree,) = own.parse(["Koty  śpią.\n"])
    assert tree.root.lemma == "spać"
    assert parsers.watches("conllu:own.conllu", folder=tmp_path) == [tmp_path / "own.conllu"]


def test_sentences_without_a_tree_are_listed(tmp_path: Path) -> None:
    (tmp_path / "own.conllu").write_text(OWN, encoding="utf-8")
    own = parsers.parser(f"conllu:{tmp_path / 'own.conllu'}")
    with pytest.raises(KostraError, match=r'1 of 2 sentences have no tree: "Psy śpią\."'):
        own.parse(["Koty śpią.", "Psy śpią."])


def test_heads_that_make_no_tree_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "own.conllu").write_text(OWN.replace("\t0\troot", "\t1\troot"), encoding="utf-8")
    with pytest.raises(KostraError, match="root") as caught:
        parsers.parser("conllu:own.conllu", folder=tmp_path)
    assert str(caught.value.where).rsplit(":", 1)[1].isdigit()


# spaCy and Stanza --------------------------------------------------------------------------------------


@needs_czech
def test_spacy_parses_czech() -> None:
    first, second = parsers.parser("spacy:cs_core_news_sm").parse(["Malý pes  spí na gauči.", "Děti si hrají venku."])
    assert first.text == "Malý pes spí na gauči."
    assert first.root.form == "spí"
    assert second.text == "Děti si hrají venku."


@needs_czech
def test_further_roots_of_a_pipeline_hang_on_the_first() -> None:
    import spacy
    from spacy.tokens import Doc

    from kostra.sources.parsers.spacy import SpaCy

    blank = spacy.blank("cs")

    def two_roots(texts: Sequence[str]) -> list[Doc]:
        heads, relations = [0, 0, 2, 2], ["ROOT", "punct", "ROOT", "punct"]
        spaces = [False, True, False, False]
        return [Doc(blank.vocab, words=text, heads=heads, deps=relations, spaces=spaces) for text in map(split, texts)]

    def split(text: str) -> list[str]:
        return [text[0:3], text[3], text[5:8], text[8]]

    pipeline = SimpleNamespace(pipe=two_roots, meta={"lang": "cs", "name": "two", "version": "1"})
    (tree,) = SpaCy("two", pipeline, version="3").parse(["Pes! Lev?"])
    assert [(word.head, word.deprel) for word in tree.words] == [
        (0, "root"), (1, "punct"), (1, "parataxis"), (3, "punct"),
    ]  # fmt: skip
    assert tree.text == "Pes! Lev?"


def test_a_pipeline_that_is_not_installed_says_how_to_get_it() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(KostraError, match="is not installed") as caught:
        parsers.parser("spacy:xx_no_such_thing")
    assert caught.value.remedy == "python -m spacy download xx_no_such_thing"


def token(text: str, start: int, *parts: tuple[int, str, int, str]) -> SimpleNamespace:
    known = {"lemma": None, "upos": "X", "xpos": None, "feats": None}
    found = [
        SimpleNamespace(id=number, text=form, head=head, deprel=deprel, **known) for number, form, head, deprel in parts
    ]
    return SimpleNamespace(text=text, words=found, start_char=start, end_char=start + len(text))


def test_what_stanza_gives_becomes_a_tree_with_its_multiword_tokens() -> None:
    # No model of stanza's can be had offline, so a stand-in gives what its pipelines give.
    tokens = [
        token("Byłem", 0, (1, "Był", 3, "cop"), (2, "em", 1, "aux:clitic")),
        token("tu", 6, (3, "tu", 0, "root")),
        token(".", 8, (4, ".", 3, "punct")),
    ]
    asked = []

    def pipeline(text: str) -> SimpleNamespace:
        asked.append(text)
        return SimpleNamespace(sentences=[SimpleNamespace(tokens=tokens)] * 2)

    made = Stanza("pl", pipeline, version="1")
    first, second = made.parse(["Byłem tu.", "Byłem\ntu."])
    assert asked == ["Byłem tu.\n\nByłem tu."]
    assert first.text == "Byłem tu."
    assert first == second
    assert forms(first) == ["Był", "em", "tu", "."]
    with pytest.raises(KostraError, match="made 2 sentences of 1"):
        made.parse(["Byłem tu."])


def test_models_that_stanza_does_not_have_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise FileNotFoundError("Resources file not found")

    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(Pipeline=refuse, __version__="1"))
    stanza_parser._load.cache_clear()
    with pytest.raises(KostraError, match="Resources file not found") as caught:
        parsers.parser("stanza:pl")
    assert "stanza.download" in str(caught.value.remedy)


# Specs -------------------------------------------------------------------------------------------------


def test_every_parser_keeps_the_contract() -> None:
    assert registry.names(parsers.SHELF) == ["conllu", "spacy", "stanza", "udpipe"]


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("udpipe:no.udpipe", "there is no such file"),
        ("conllu:no.conllu", "there is no such file"),
        ("spacy:xx_no_such_thing", 'the spaCy pipeline "xx_no_such_thing" is not installed'),
    ],
)
def test_what_a_parser_lacks_is_found_without_loading_it(spec: str, what: str, tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    error = parsers.lacking(spec, folder=tmp_path)
    assert error is not None
    assert error.what == what


@needs_udpipe
def test_a_parser_that_is_there_lacks_nothing(models: Path) -> None:
    assert parsers.lacking("udpipe:pl.udpipe", folder=models) is None


@pytest.mark.parametrize("spec", ["udpipe", "udpipe:", ""])
def test_a_spec_without_an_argument_is_refused(spec: str) -> None:
    with pytest.raises(KostraError, match="as a parser"):
        parsers.parser(spec)


def test_a_models_name_tells_its_language() -> None:
    assert [udpipe_parser._language(name) for name in ("en", "english-ewt-ud-2.5", "czech-pdt", "own")] == [
        "en",
        "en",
        "cs",
        None,
    ]

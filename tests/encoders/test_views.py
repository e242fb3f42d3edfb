from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from kostra.encoders import embed, encoder, identity_of, similarities_with_counts
from kostra.encoders.static import Static
from kostra.encoders.views import View, chosen_words
from kostra.errors import KostraError
from kostra.trees import parse_conllu

ROWS = """
1 They they PRON 2 nsubj
2 gave give VERB 0 root
3 Anna Anna PROPN 2 iobj
4 a a DET 6 det
5 very very ADV 6 advmod
6 gift gift NOUN 2 obj
7 in in ADP 8 case
8 May May PROPN 2 obl

1 It it PRON 3 nsubj:pass
2 was be AUX 3 aux:pass
3 eaten eat VERB 0 root

1 Run run VERB 0 root
"""
SENTENCES = ["They gave Anna a very gift in May", "It was eaten", "Run"]


def conllu() -> str:
    found = []
    for line in ROWS.strip().split("\n"):
        if line:
            number, form, lemma, upos, head, relation = line.split()
            line = "\t".join([number, form, lemma, upos, "_", "_", head, relation, "_", "_"])
        found.append(line)
    return "\n".join(found) + "\n\n"


@pytest.fixture
def parser(tmp_path: Path) -> str:
    (tmp_path / "trees.conllu").write_text(conllu())
    return f"conllu:{tmp_path / 'trees.conllu'}"


@pytest.mark.parametrize(
    ("only", "words"),
    [
        ("NOUN", ["gift"]),
        ("NOUN,PROPN", ["Anna", "gift", "May"]),
        ("noun", ["They", "Anna", "gift", "May"]),
        ("verb", ["gave"]),
        ("adj", ["very", "in"]),
        ("subject", ["They"]),
        ("object", ["Anna", "gift"]),
    ],
)
def test_a_view_sees_only_the_words_that_count(parser: str, only: str, words: list[str]) -> None:
    tree = parse_conllu(conllu())[0]
    assert chosen_words(tree, only) == words
    seen = embed(f"static?only={only}&parser={parser}", SENTENCES[:1])
    np.testing.assert_array_equal(seen, embed("static", [" ".join(words)]))


def test_subtypes_of_a_relation_count(parser: str) -> None:
    assert chosen_words(parse_conllu(conllu())[1], "subject") == ["It"]


def test_a_sentence_without_such_a_word_has_the_zero_vector_and_is_counted(parser: str) -> None:
    pairs = [(SENTENCES[0], SENTENCES[2]), (SENTENCES[1], "")]
    numbers, counted = similarities_with_counts(f"static?only=noun&parser={parser}", pairs)
    assert numbers.tolist() == [0, 0]
    assert counted == {"sentences": 4, "empty_sentences": 1, "zero_vectors": 2, "sentences_without_noun": 2}


def test_word_vectors_have_views_too(parser: str, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("gift 1 0\nmay 0 1\n")
    spec = f"vectors:{tmp_path / 'words.txt'}?only=NOUN,PROPN&parser={parser}"
    _, counted = similarities_with_counts(spec, [(SENTENCES[0], SENTENCES[2])])
    assert embed(spec, SENTENCES[:1]).tolist() == [[0.5, 0.5]]
    assert counted["unknown_words"] == 1  # Anna
    assert counted["sentences_without_NOUN,PROPN"] == 1


def test_a_view_is_another_encoder_with_another_key(parser: str) -> None:
    views = [identity_of(encoder(f"static?only={only}&parser={parser}")) for only in ("noun", "NOUN")]
    assert len({view.key for view in views} | {identity_of(Static()).key}) == 3
    assert views[0].name == "static?only=noun&parser=conllu:trees.conllu"


def test_a_sentence_is_parsed_once() -> None:
    trees = dict(zip(SENTENCES, parse_conllu(conllu()), strict=True))
    asked: list[str] = []

    class Counted:
        name, revision = "counted:x", "1"

        def parse(self, sentences: list[str]) -> list[object]:
            asked.extend(sentences)
            return [trees[text] for text in sentences]

    view = View(Static(), only="noun", parser=Counted())  # type: ignore[arg-type]
    view.encode([*SENTENCES, *SENTENCES])
    view.tally(SENTENCES)
    assert asked == SENTENCES


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("static?only=noun", "only=noun needs parsed sentences"),
        ("static?parser=spacy:x", "a parser is named, but not which words"),
        ("static?only=nown&parser=spacy:x", 'did you mean "noun"'),
        ("static?only=NOUN,WERB&parser=spacy:x", 'unknown choice of words "WERB"'),
        ("static?only=noun&parser=spaci:x", "spaci"),
    ],
)
def test_a_view_that_cannot_be_is_one_clear_error(spec: str, said: str) -> None:
    with pytest.raises(KostraError) as caught:
        encoder(spec)
    assert said in str(caught.value)


def test_a_real_parser_finds_nouns_and_subjects() -> None:
    model = Path(os.environ.get("KOSTRA_MODELS", Path(__file__).parents[3] / "shared" / "models")) / "en.udpipe"
    if not model.is_file():
        pytest.skip(f"no parser model: {model} does not exist (set KOSTRA_MODELS)")
    pytest.importorskip("ufal.udpipe")
    sentence = "The woman sees a dog ."
    for only, words in (("NOUN", "woman dog"), ("subject", "woman"), ("object", "dog"), ("verb", "sees")):
        seen = embed(f"static?only={only}&parser=udpipe:{model}", [sentence])
        np.testing.assert_array_equal(seen, embed("static", [words]), err_msg=only)

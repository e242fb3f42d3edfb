"""English inflection: forms that are right, forms that are refused, and analyses in the terms of UD."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from kostra.errors import KostraError
from kostra.transforms import inflection
from kostra.transforms.inflection import Inflector, inflector
from kostra.trees import Features, parse_conllu

pytest.importorskip("lemminflect", reason="the extra parse is not installed")

from kostra.transforms.en.inflection import English


@pytest.fixture(scope="module")
def english() -> English:
    return English()


@pytest.mark.parametrize(
    ("lemma", "upos", "wanted", "form"),
    [
        # Verbs: irregular, doubled and dropped letters, variants in spelling.
        ("sit", "VERB", "Tense=Pres|VerbForm=Part", "sitting"),
        ("lie", "VERB", "Tense=Pres|VerbForm=Part", "lying"),
        ("make", "VERB", "VerbForm=Ger", "making"),
        ("travel", "VERB", "Tense=Pres|VerbForm=Part", "traveling"),
        ("mimic", "VERB", "Tense=Pres|VerbForm=Part", "mimicking"),
        ("throw", "VERB", "Tense=Past|VerbForm=Part|Voice=Pass", "thrown"),
        ("paint", "VERB", "Tense=Past|VerbForm=Part", "painted"),
        ("show", "VERB", "Tense=Past|VerbForm=Part", "shown"),
        ("hang", "VERB", "Tense=Past|VerbForm=Part", "hung"),
        ("fly", "VERB", "Mood=Ind|Tense=Past|VerbForm=Fin", "flew"),
        ("carry", "VERB", "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "carries"),
        ("carry", "VERB", "Number=Plur|Person=3|Tense=Pres|VerbForm=Fin", "carry"),
        ("go", "VERB", "Mood=Imp|VerbForm=Fin", "go"),
        # To be has more persons than any other verb.
        ("be", "AUX", "Number=Sing|Person=1|Tense=Pres|VerbForm=Fin", "am"),
        ("be", "AUX", "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "is"),
        ("be", "AUX", "Number=Plur|Person=3|Tense=Pres|VerbForm=Fin", "are"),
        ("be", "AUX", "Number=Sing|Person=3|Tense=Past|VerbForm=Fin", "was"),
        ("be", "AUX", "Number=Plur|Tense=Past|VerbForm=Fin", "were"),
        ("be", "AUX", "Tense=Past|VerbForm=Part", "been"),
        ("have", "AUX", "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "has"),
        ("do", "AUX", "Tense=Past|VerbForm=Fin", "did"),
        # Nouns, adjectives, pronouns.
        ("egg", "NOUN", "Number=Plur", "eggs"),
        ("child", "NOUN", "Number=Plur", "children"),
        ("sheep", "NOUN", "Number=Plur", "sheep"),
        ("smartwatch", "NOUN", "Number=Sing", "smartwatch"),
        ("big", "ADJ", "Degree=Cmp", "bigger"),
        ("I", "PRON", "Case=Acc|Number=Sing|Person=1|PronType=Prs", "me"),
        ("they", "PRON", "Case=Acc|Number=Plur|Person=3|PronType=Prs", "them"),
        ("she", "PRON", "Case=Nom|PronType=Prs", "she"),
    ],
)
def test_a_form_has_the_wanted_features(english: English, lemma: str, upos: str, wanted: str, form: str) -> None:
    assert english.inflect(lemma, upos, Features.parse(wanted)) == form


@pytest.mark.parametrize(
    ("lemma", "upos", "wanted", "why"),
    [
        ("lie", "VERB", "Tense=Past|VerbForm=Fin", "several forms"),  # lay, or lied
        ("be", "AUX", "Tense=Past|VerbForm=Fin", "several forms"),
        ("glorp", "VERB", "Tense=Pres|VerbForm=Part", "unknown lemma"),
        ("can", "AUX", "VerbForm=Fin", "nothing to inflect"),
        ("anything", "PRON", "Case=Acc", "unknown lemma"),
    ],
)
def test_what_cannot_be_told_is_refused_and_counted(lemma: str, upos: str, wanted: str, why: str) -> None:
    english = English()
    assert english.inflect(lemma, upos, Features.parse(wanted)) is None
    assert english.refusals == Counter({why: 1})


def test_a_form_of_the_verb_tells_which_one_is_meant(english: English) -> None:
    past = {"Tense": "Past", "VerbForm": "Fin"}
    assert english.inflect("lie", "VERB", past, like="lay") == "lay"
    assert english.inflect("lie", "VERB", past, like="lied") == "lied"


def test_analyses_know_all_readings_of_a_form(english: English) -> None:
    found = {(one.lemma, one.upos, one.feats.get("VerbForm")) for one in english.analyses("painted")}
    assert found == {("paint", "VERB", "Fin"), ("paint", "VERB", "Part")}
    assert {one.feats["Case"] for one in english.analyses("him")} == {"Acc"}
    assert {one.feats.get("Number") for one in english.analyses("geese")} == {"Plur"}
    assert not english.analyses("glorped")


def test_the_inflector_of_english_keeps_the_contract() -> None:
    made: Inflector = inflector("en")
    assert made.inflect("run", "VERB", {"VerbForm": "Inf"}) == "run"


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lemminflect", None)
    inflection.inflector.cache_clear()
    with pytest.raises(KostraError, match='English inflection needs the package "lemminflect"') as caught:
        inflector("en")
    assert caught.value.remedy == "pip install 'kostra[parse]'"


def test_forms_of_the_treebank_come_back_from_lemma_and_features(data: Path, english: English) -> None:
    trees = parse_conllu((data / "ud" / "en_ewt-ud-dev.conllu").read_text(encoding="utf-8"))
    asked: Counter[str] = Counter()
    told: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for word in (word for tree in trees for word in tree.words):
        plain = word.form.isascii() and word.form.isalpha() and not {"Typo", "Abbr", "Foreign"} & word.feats.keys()
        feature = {"VERB": "VerbForm", "NOUN": "Number", "ADJ": "Degree"}.get(word.upos)
        if not plain or feature not in word.feats:
            continue
        form = english.inflect(word.lemma, word.upos, word.feats)
        asked[word.upos] += 1
        told[word.upos] += form is not None
        right[word.upos] += form is not None and form.lower() == word.form.lower()
    assert min(asked.values()) > 1500
    assert {upos for upos in asked if right[upos] < 0.99 * told[upos]} == set()
    assert {upos for upos in asked if told[upos] < 0.95 * asked[upos]} == set()

"""Polish inflection: forms that are right, forms that are refused, and analyses in the terms of UD."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from kostra.errors import KostraError
from kostra.transforms import inflection
from kostra.transforms.inflection import Analysis, Inflector, agrees, compatible, inflector, languages
from kostra.trees import Features, Tree, Word, parse_conllu

pytest.importorskip("morfeusz2", reason="the extra parse is not installed")

from kostra.transforms.pl.inflection import Polish
from kostra.transforms.pl.sgjp import read_tag


@pytest.fixture(scope="module")
def polish() -> Polish:
    return Polish()


def feats(text: str) -> Features:
    return Features.parse(text)


@pytest.mark.parametrize(
    ("lemma", "upos", "wanted", "form"),
    [
        # Nouns: cases, the three masculine genders, homonyms told apart by gender, pluralia tantum.
        ("dziewczynka", "NOUN", "Case=Ins|Gender=Fem|Number=Plur", "dziewczynkami"),
        ("pies", "NOUN", "Animacy=Nhum|Case=Acc|Gender=Masc|Number=Sing", "psa"),
        ("rower", "NOUN", "Animacy=Inan|Case=Acc|Gender=Masc|Number=Sing", "rower"),
        ("człowiek", "NOUN", "Animacy=Hum|Case=Nom|Gender=Masc|Number=Plur", "ludzie"),
        ("mężczyzna", "NOUN", "Animacy=Hum|Case=Gen|Gender=Masc|Number=Plur", "mężczyzn"),
        ("drzwi", "NOUN", "Case=Loc|Gender=Neut|Number=Ptan", "drzwiach"),
        ("drzwi", "NOUN", "Case=Loc|Gender=Neut|Number=Plur", "drzwiach"),
        ("oko", "NOUN", "Case=Ins|Gender=Neut|Number=Plur", "oczami"),
        ("rok", "NOUN", "Animacy=Inan|Case=Gen|Gender=Masc|Number=Plur", "lat"),
        ("Warszawa", "PROPN", "Case=Loc|Gender=Fem|Number=Sing", "Warszawie"),
        # Adjectives and determiners.
        ("duży", "ADJ", "Case=Gen|Degree=Pos|Gender=Fem|Number=Sing", "dużej"),
        ("duży", "ADJ", "Animacy=Hum|Case=Nom|Degree=Cmp|Gender=Masc|Number=Plur", "więksi"),
        ("żaden", "DET", "Animacy=Hum|Case=Nom|Gender=Masc|Number=Sing", "żaden"),
        ("żaden", "DET", "Case=Gen|Gender=Fem|Number=Sing", "żadnej"),
        ("który", "DET", "Case=Nom|Gender=Neut|Number=Plur", "które"),
        ("swój", "DET", "Case=Gen|Gender=Fem|Number=Sing", "swojej"),
        ("biały", "ADJ", "Hyph=Yes", "biało"),
        # Verbs.
        ("biec", "VERB", "Aspect=Imp|Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin", "biegną"),
        ("skoczyć", "VERB", "Aspect=Perf|Mood=Ind|Number=Sing|Person=3|Tense=Fut|VerbForm=Fin", "skoczy"),
        ("iść", "VERB", "Gender=Fem|Mood=Ind|Number=Sing|Tense=Past|VerbForm=Fin", "szła"),
        ("iść", "VERB", "Animacy=Hum|Gender=Masc|Mood=Ind|Number=Plur|Tense=Past|VerbForm=Fin", "szli"),
        ("iść", "VERB", "Gender=Fem|Mood=Ind|Number=Sing|Person=1|Tense=Past|VerbForm=Fin", "szłam"),
        ("iść", "VERB", "Gender=Fem|Mood=Cnd|Number=Sing|Person=3|VerbForm=Fin", "szłaby"),
        ("być", "AUX", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "jest"),
        ("być", "AUX", "Mood=Ind|Number=Plur|Person=3|Tense=Fut|VerbForm=Fin", "będą"),
        ("zostać", "AUX", "Gender=Neut|Mood=Ind|Number=Sing|Tense=Past|VerbForm=Fin", "zostało"),
        ("robić", "VERB", "Mood=Imp|Number=Sing|Person=2|VerbForm=Fin", "rób"),
        ("robić", "VERB", "Mood=Ind|Person=0|Tense=Past|VerbForm=Fin", "robiono"),
        ("umyć", "VERB", "Mood=Ind|Person=0|Tense=Past|VerbForm=Fin", "umyto"),
        ("wykonywać", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "wykonuje"),
        ("spaść", "VERB", "Gender=Fem|Mood=Ind|Number=Sing|Tense=Past|VerbForm=Fin", "spadła"),
        ("stać", "VERB", "Aspect=Imp|Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "stoi"),
        ("stać", "VERB", "Aspect=Perf|Mood=Ind|Number=Sing|Person=3|Tense=Fut|VerbForm=Fin", "stanie"),
        ("jeść", "VERB", "VerbForm=Inf", "jeść"),
        # Participles, converbs and gerunds.
        ("jeść", "VERB", "Tense=Pres|VerbForm=Conv", "jedząc"),
        ("zjeść", "VERB", "Tense=Past|VerbForm=Conv", "zjadłszy"),
        ("siedzieć", "ADJ", "Case=Gen|Gender=Fem|Number=Sing|VerbForm=Part|Voice=Act", "siedzącej"),
        ("karmić", "ADJ", "Animacy=Hum|Case=Nom|Gender=Masc|Number=Plur|VerbForm=Part|Voice=Pass", "karmieni"),
        ("otworzyć", "ADJ", "Case=Nom|Gender=Neut|Number=Sing|VerbForm=Part|Voice=Pass", "otwarte"),
        ("myć", "ADJ", "Case=Nom|Gender=Fem|Number=Sing|Polarity=Neg|VerbForm=Part|Voice=Pass", "niemyta"),
        ("pływać", "NOUN", "Case=Gen|Gender=Neut|Number=Sing|VerbForm=Vnoun", "pływania"),
        # Numerals: the noun's gender, agreeing and governing, collective ones only by name.
        ("dwa", "NUM", "Case=Nom|Gender=Fem|Number=Plur", "dwie"),
        ("dwa", "NUM", "Animacy=Hum|Case=Nom|Gender=Masc|Gov=Yes|Number=Plur", "dwóch"),
        ("dwa", "NUM", "Animacy=Hum|Case=Nom|Gender=Masc|Gov=No|Number=Plur", "dwaj"),
        ("pięć", "NUM", "Case=Ins|Gender=Fem|Number=Plur", "pięcioma"),
        ("dwa", "NUM", "Case=Nom|Gender=Neut|NumType=Sets|Number=Plur", "dwoje"),
        ("jeden", "NUM", "Case=Gen|Gender=Fem|Number=Sing", "jednej"),
        ("kilka", "DET", "Case=Loc|Gender=Fem|Number=Plur", "kilku"),
        # Pronouns.
        ("nikt", "PRON", "Animacy=Hum|Case=Gen|Gender=Masc|Number=Sing", "nikogo"),
        ("on", "PRON", "Case=Ins|Gender=Fem|Number=Sing|Person=3|PrepCase=Pre", "nią"),
        ("siebie", "PRON", "Case=Ins", "sobą"),
        # Adverbs, and a capital that a name has.
        ("szybko", "ADV", "Degree=Cmp", "szybciej"),
        ("Zielony", "ADJ", "Case=Gen|Gender=Fem|Number=Sing", "Zielonej"),
    ],
)
def test_a_lemma_and_its_features_make_a_form(polish: Polish, lemma: str, upos: str, wanted: str, form: str) -> None:
    assert polish.inflect(lemma, upos, feats(wanted)) == form


@pytest.mark.parametrize(
    ("lemma", "upos", "wanted", "why"),
    [
        ("blargować", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "unknown lemma"),
        ("drzwi", "NOUN", "Case=Nom|Gender=Neut|Number=Sing", "no such form"),
        ("biec", "VERB", "Tense=Past|VerbForm=Conv", "no such form"),  # imperfective
        ("skoczyć", "ADJ", "Case=Nom|Gender=Fem|Number=Sing|VerbForm=Part|Voice=Act", "no such form"),  # perfective
        ("spać", "VERB", "Aspect=Perf|Mood=Ind|Number=Sing|Person=3|Tense=Fut|VerbForm=Fin", "no such form"),
        ("rząd", "NOUN", "Animacy=Inan|Case=Gen|Gender=Masc|Number=Sing", "several forms"),  # of a row, of a government
        ("duży", "ADJ", "Case=Acc|Gender=Masc|Number=Sing", "several forms"),  # no animacy
        ("dwa", "NUM", "Animacy=Hum|Case=Nom|Gender=Masc|Number=Plur", "several forms"),  # dwaj, dwóch
        ("iść", "VERB", "Number=Sing|VerbForm=Fin", "nothing to inflect"),  # no tense
        ("i", "CCONJ", "_", "nothing to inflect"),
        ("Clinton", "PROPN", "Case=Gen|Gender=Fem|Number=Sing", None),
        ("a b", "NOUN", "Case=Gen|Number=Sing", "unknown lemma"),
        ("", "NOUN", "Case=Gen|Number=Sing", "unknown lemma"),
        ("\x00", "NOUN", "Case=Gen|Number=Sing", "unknown lemma"),
        ("🙂", "NOUN", "Case=Gen|Number=Sing", "no such form"),
    ],
)
def test_what_cannot_be_told_is_refused_and_counted(lemma: str, upos: str, wanted: str, why: str | None) -> None:
    polish = Polish()
    form = polish.inflect(lemma, upos, feats(wanted))
    if why is None:  # an undeclined surname: nothing masculine is made up for a woman
        assert form in (None, lemma)
        return
    assert form is None
    assert polish.refusals == Counter({why: 1})
    polish.inflect(lemma, upos, feats(wanted))
    assert polish.refusals[why] == 2  # remembered answers count as well


def test_a_form_in_the_sentence_tells_which_of_two_words_is_meant() -> None:
    polish = Polish()
    wanted = feats("Animacy=Inan|Case=Gen|Gender=Masc|Number=Sing")
    assert polish.inflect("rząd", "NOUN", wanted, like="Rzędach") == "rzędu"
    assert polish.inflect("rząd", "NOUN", wanted, like="rządami") == "rządu"
    assert polish.refusals == Counter()
    assert polish.inflect("rząd", "NOUN", wanted, like="rząd") is None  # a form of both
    assert polish.inflect("kot", "NOUN", feats("Animacy=Nhum|Case=Gen|Gender=Masc|Number=Sing"), like="psa") == "kota"


def test_animacy_may_be_written_as_in_the_other_polish_treebank(polish: Polish) -> None:
    assert polish.inflect("duży", "ADJ", feats("Case=Acc|Gender=Masc|Number=Sing|SubGender=Masc3")) == "duży"
    assert polish.inflect("duży", "ADJ", feats("Case=Acc|Gender=Masc|Number=Sing|SubGender=Masc1")) == "dużego"


def test_a_parsers_mistake_about_a_nouns_animacy_is_forgiven(polish: Polish) -> None:
    assert polish.inflect("chłopiec", "NOUN", feats("Animacy=Inan|Case=Gen|Gender=Masc|Number=Sing")) == "chłopca"


def test_dated_forms_are_neither_made_nor_analysed_beside_others(polish: Polish) -> None:
    assert polish.inflect("rok", "NOUN", feats("Animacy=Inan|Case=Ins|Gender=Masc|Number=Plur")) == "latami"
    assert {one.upos for one in polish.analyses("on")} == {"PRON"}  # "on" was once a determiner


# Analyses ----------------------------------------------------------------------------------------------


def test_a_forms_readings_have_the_features_of_universal_dependencies(polish: Polish) -> None:
    assert polish.analyses("psami") >= {
        Analysis.of("pies", "NOUN", Number="Plur", Case="Ins", Gender="Masc", Animacy="Nhum")
    }
    (read,) = {one for one in polish.analyses("zobaczyłam") if one.lemma == "zobaczyć"}
    assert (read.feats["Person"], read.feats["Gender"], read.feats["Tense"]) == ("1", "Fem", "Past")
    assert {one.feats["VerbForm"] for one in polish.analyses("jedząc")} == {"Conv"}


@pytest.mark.parametrize("form", ["blargował", "", " ", "a b", "\x00", "\t"])
def test_what_is_no_polish_word_has_no_readings(polish: Polish, form: str) -> None:
    assert polish.analyses(form) == frozenset()


def test_a_tag_with_every_gender_reads_as_three(polish: Polish) -> None:
    tag = read_tag("adj:pl:gen:m1.m2.m3.f.n:pos")
    assert tag is not None
    assert [(one["Gender"], one.get("Animacy")) for one in tag.readings()] == [
        ("Masc", "Hum,Inan,Nhum"), ("Fem", None), ("Neut", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "features", "agree"),
    [
        ("dużej", "dziewczynki", ("Case", "Number", "Gender"), True),
        ("duży", "dziewczynki", ("Case", "Number", "Gender"), False),
        ("kobiety", "stoją", ("Number",), True),
        ("kobieta", "stoją", ("Number",), False),
        ("psem", "czarnym", ("Case", "Number", "Gender", "Animacy"), True),
        ("chłopcy", "stały", ("Number", "Gender", "Animacy"), False),
        ("chłopcy", "stali", ("Number", "Gender", "Animacy"), True),
        ("bardzo", "kota", ("Case",), False),  # an adverb has no case to agree in
        ("blarg", "kota", ("Case",), False),
    ],
)
def test_agreement_is_asked_of_the_analyser(
    polish: Polish, first: str, second: str, features: tuple[str, ...], agree: bool
) -> None:
    assert agrees(polish, first, second, features) is agree
    assert agrees(polish, second, first, features) is agree


def test_features_agree_where_both_speak() -> None:
    assert compatible({"Case": "Acc,Gen"}, {"Case": "Gen,Loc", "Person": "3"})
    assert not compatible({"Case": "Acc", "Number": "Sing"}, {"Case": "Acc", "Number": "Plur"})


# The interface -----------------------------------------------------------------------------------------


def test_a_language_is_found_by_its_folder() -> None:
    assert "pl" in languages()
    found: Inflector = inflector("pl")
    assert inflector("pl") is found


def test_an_unknown_language_lists_those_there_are() -> None:
    with pytest.raises(KostraError, match='unknown language with an inflector "xx"') as caught:
        inflector("xx")
    assert "pl" in str(caught.value.accepted)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "morfeusz2", None)
    inflection.inflector.cache_clear()
    with pytest.raises(KostraError, match='Polish inflection needs the package "morfeusz2"') as caught:
        inflector("pl")
    assert caught.value.remedy == "pip install 'kostra[parse]'"


# Against a treebank ------------------------------------------------------------------------------------


def requests(trees: list[Tree]) -> list[tuple[str, Word]]:
    """Words of the treebank by what they are, names, figures, foreign words and abbreviations apart."""
    found = []
    for word in (word for tree in trees for word in tree.words):
        if word.feats.keys() & {"Foreign", "Abbr", "VerbType"} or word.feats.get("NumForm", "Word") != "Word":
            continue
        by_form = {"Part": "participle", "Conv": "converb", "Fin": "finite", "Vnoun": "gerund"}
        kind = by_form.get(word.feats.get("VerbForm", "")) or {"NOUN": "noun", "ADJ": "adjective"}.get(word.upos)
        if kind:
            found.append((kind, word))
    return found


def test_forms_of_the_treebank_come_back_from_lemma_and_features(data: Path, polish: Polish) -> None:
    trees = parse_conllu((data / "ud" / "pl_pud-ud-test.conllu").read_text(encoding="utf-8"))
    total: Counter[str] = Counter()
    made: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for kind, word in requests(trees):
        form = polish.inflect(word.lemma, word.upos, word.feats)
        total[kind] += 1
        made[kind] += form is not None
        right[kind] += form is not None and form.lower() == word.form.lower()
    for kind in total:
        assert made[kind] / total[kind] >= 0.98, kind
        assert right[kind] / made[kind] >= 0.99, kind

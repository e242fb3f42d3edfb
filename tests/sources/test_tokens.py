"""Words as treebanks split them: signs, numbers, endings, and the text that comes back."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kostra.sources.tokens import tokenize
from kostra.trees import Tree, parse_conllu

needs_morfeusz = pytest.mark.skipif(not importlib.util.find_spec("morfeusz2"), reason="the extra parse is missing")


def forms(tree: Tree) -> list[str]:
    return [word.form for word in tree.words]


def words(text: str, language: str | None = None) -> list[str]:
    return [word for token in tokenize(text, language) for word in token.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kot, pies (i mysz).", ["Kot", ",", "pies", "(", "i", "mysz", ")", "."]),
        ("„Tak!” — mówi", ["„", "Tak", "!", "”", "—", "mówi"]),
        ("O 6:30 za 1,5 zł", ["O", "6:30", "za", "1,5", "zł"]),
        ("w latach 2004–2006", ["w", "latach", "2004", "–", "2006"]),
        ("12-letni chłopiec", ["12-letni", "chłopiec"]),
        ("w 300 r. p.n.e.", ["w", "300", "r", ".", "p.n.e", "."]),
        ("Czekaj...", ["Czekaj", "..."]),
        ("rower Duffy’ego", ["rower", "Duffy’ego"]),
        ("🙂🙂 猫 кот", ["🙂", "🙂", "猫", "кот"]),
    ],
)
@needs_morfeusz
def test_signs_part_and_numbers_and_abbreviations_stay_whole(text: str, expected: list[str]) -> None:
    assert words(text, "pl") == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("zobaczyłem", ["zobaczył", "em"]),
        ("chciałabym", ["chciała", "by", "m"]),
        ("poszlibyście", ["poszli", "by", "ście"]),
        ("żebyśmy", ["żeby", "śmy"]),
        ("powinienem", ["powinien", "em"]),
        ("miałem", ["miał", "em"]),
        ("stołem", ["stołem"]),  # a table, in the instrumental
        ("żałoby", ["żałoby"]),
        ("słaby", ["słaby"]),
        ("oddziałem", ["oddziałem"]),
        ("biało-czerwony", ["biało", "-", "czerwony"]),
        ("hot-dogiem", ["hot-dogiem"]),
        ("Curie-Skłodowska", ["Curie-Skłodowska"]),
    ],
)
@needs_morfeusz
def test_polish_endings_are_words_of_their_own_and_nouns_that_look_like_them_are_not(
    written: str, expected: list[str]
) -> None:
    assert words(written, "pl") == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("She can't", ["She", "ca", "n't"]),
        ("the dog's bone", ["the", "dog", "'s", "bone"]),
        ("I cannot", ["I", "can", "not"]),
        ("Dr. Hill, St. Ives.", ["Dr.", "Hill", ",", "St.", "Ives", "."]),
        ("a two-year plan", ["a", "two", "-", "year", "plan"]),
        ("an e-mail", ["an", "e-mail"]),
        ("$20,000", ["$", "20,000"]),
    ],
)
def test_english_contractions_are_split_and_its_abbreviations_keep_their_dot(written: str, expected: list[str]) -> None:
    assert words(written, "en") == expected


@given(st.text(min_size=0, max_size=60), st.sampled_from([None, "en", "cs"]))
def test_the_text_comes_back_from_its_tokens(text: str, language: str | None) -> None:
    back = "".join(token.form + ("" if token.glued else " ") for token in tokenize(text, language))
    assert back.strip() == " ".join(text.split())


def agreement(path: Path, language: str) -> float:
    """F1 of the words' places in the text, ours against the treebank's."""
    hits = ours = theirs = 0
    for tree in parse_conllu(path.read_text(encoding="utf-8")):
        found, gold = spans(words(tree.text, language)), spans(forms(tree))
        hits, ours, theirs = hits + len(found & gold), ours + len(found), theirs + len(gold)
    return 2 * hits / (ours + theirs)


def spans(found: Sequence[str]) -> set[tuple[int, int]]:
    ends = [sum(map(len, found[: place + 1])) for place in range(len(found))]
    return {(end - len(word), end) for word, end in zip(found, ends, strict=True)}


@pytest.mark.parametrize(
    ("file", "language", "least"),
    [
        ("cdsc_gold_trees.conllu", "pl", 1.0),
        ("ud/pl_pud-ud-test.conllu", "pl", 0.999),
        ("ud/en_ewt-ud-dev.conllu", "en", 0.98),
    ],
)
@needs_morfeusz
def test_words_are_split_as_in_the_treebanks(data: Path, file: str, language: str, least: float) -> None:
    assert agreement(data / file, language) >= least

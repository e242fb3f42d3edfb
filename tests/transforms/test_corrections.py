"""What a correction changed, and the type of error that it suggests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kostra.projects import shipped_recipe
from kostra.recipe import read_recipe
from kostra.transforms.corrections import ERROR_TYPES, Change, count, diff, suggest
from kostra.transforms.inflection import Inflector, inflector


@pytest.fixture(scope="module")
def polish() -> Inflector:
    pytest.importorskip("morfeusz2", reason="the extra parse is not installed")
    return inflector("pl")


def kinds(before: str, after: str, spoken: Inflector | None = None) -> list[str]:
    return [change.kind for change in diff(before, after, spoken)]


# What changed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("A cat sits, here.", "A cat sits here.", ["punctuation"]),
        ("A cat that sleeps purrs", "A cat, that sleeps, purrs.", ["punctuation"] * 3),
        ("A Cat sits.", "A cat sits.", ["capitalisation"]),
        ("A cat sit here.", "A cat sits here.", ["inflection"]),
        ("A cat sits heer.", "A cat sits here.", ["spelling"]),
        ("A cat sits on a lamp.", "A cat sits on a chair.", ["lexical"]),
        ("A cat sits in a chair.", "A cat sits on a chair.", ["function word"]),
        ("A cat sits on a green lying chair.", "A cat sits on a chair.", ["omission"]),
        ("A cat sits.", "A black cat sits.", ["addition"]),
        ("On a chair a cat sits.", "A cat sits on a chair.", ["word order"]),
        ("A cat sits.", "A  cat\tsits. ", []),
    ],
)
def test_a_change_has_its_kind(before: str, after: str, expected: list[str]) -> None:
    assert kinds(before, after) == expected


def test_a_change_says_what_stood_where() -> None:
    (change,) = diff("A cat sits on green lying chairs.", "A cat sits on chairs.")
    assert change == Change("omission", ("green", "lying"), (), 4)


def test_a_capital_that_goes_with_the_first_place_is_no_change() -> None:
    assert kinds("Here a cat sits", "A cat sits here") == ["word order"]


def test_commas_of_a_removed_phrase_are_not_counted_beside_it() -> None:
    assert kinds("The cat, which lies, purrs.", "The cat purrs.") == ["omission"]


def test_emoji_are_words() -> None:
    assert kinds("A cat 🙂.", "A cat.") == ["omission"]


def test_an_analyser_tells_forms_of_one_word_from_words_that_begin_alike(polish: Inflector) -> None:
    assert kinds("Grupa ludzi idą.", "Grupa ludzi idzie.", polish) == ["inflection"]
    assert kinds("Człowiek biegnie.", "Ludzie biegnie.", polish) == ["inflection"]
    assert kinds("Kobieta trzyma kanapkę.", "Kobieta trzyma kanapę.", polish) == ["lexical"]
    assert kinds("Kot spi na kanapie.", "Kot śpi na kanapie.", polish) == ["spelling"]
    assert kinds("Pies siedzi przy na krześle.", "Pies siedzi na krześle.", polish) == ["omission"]


@given(st.text(max_size=40))
def test_a_sentence_does_not_differ_from_itself(text: str) -> None:
    assert diff(text, text) == ()
    assert suggest(text, text) is None


@given(st.text(max_size=30), st.text(max_size=30))
def test_two_texts_differ_in_something_unless_they_have_the_same_tokens(before: str, after: str) -> None:
    if " ".join(before.split()) == " ".join(after.split()):
        assert not diff(before, after)
    for change in diff(before, after):
        assert change.before or change.after


# What it suggests --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Chłopiec śpi na stojąc w łóżku.", "Chłopiec śpi w łóżku.", "sense"),
        ("Ryba czyta gazetę.", "Dziewczyna czyta gazetę.", "semantic"),
        ("Pies nie biegnie.", "Pies biegnie.", "semantic"),
        ("Dwie kobieta stoją.", "Dwie kobiety stoją.", "grammatical"),
        ("Pies siedzi do krześle.", "Pies siedzi na krześle.", "grammatical"),
        ("Pies siedzi krześle.", "Pies siedzi na krześle.", "grammatical"),
        ("Na krześle siedzi pies czarny.", "Na krześle siedzi czarny pies.", "word order"),
        ("Pies który biegnie szczeka.", "Pies, który biegnie, szczeka.", "punctuation"),
        ("Pies Biegnie.", "Pies biegnie.", "other"),
        ("Pies siedzi na krzesle.", "Pies siedzi na krześle.", "other"),
    ],
)
def test_a_correction_suggests_the_type_of_its_error(polish: Inflector, before: str, after: str, expected: str) -> None:
    assert suggest(before, after, polish) == expected


def test_of_several_errors_the_most_serious_counts(polish: Inflector) -> None:
    assert suggest("Ryba który Stoi czyta gazeta.", "Dziewczyna, która stoi, czyta gazetę.", polish) == "semantic"
    assert suggest("Kobieta która stoją czyta.", "Kobieta, która stoi, czyta.", polish) == "grammatical"


def printed_corrections(paper: str) -> Iterator[tuple[str, str, str]]:
    """The corrections that the paper prints in its notes, each under its type."""
    plain = re.sub(r"_\{[^}]*\}|\*\*", "", paper)
    for error in ("sense", "semantic", "grammatical", "word order", "punctuation"):
        note = next(
            line
            for line in plain.split("\n")
            if re.match(rf".An? example of ‘?{error}|.{{2}}An example of ‘?{error}", line)
        )
        before, after = [text for text in re.findall(r"\*([^*]+)\*", note) if text[0].isupper()][:2]
        yield error, before, after


def test_the_corrections_that_the_paper_prints_get_the_papers_types(data: Path, polish: Inflector) -> None:
    paper = data.parent / "papers" / "cdsc.txt"
    if not paper.is_file():
        pytest.skip(f"no papers: {paper} does not exist")
    found = list(printed_corrections(paper.read_text(encoding="utf-8")))
    assert len(found) == 5
    assert [suggest(before, after, polish) for _, before, after in found] == [error for error, *_ in found]


def test_the_types_are_those_that_the_recipe_asks_for_in_their_order() -> None:
    judge = read_recipe(shipped_recipe("cdsc")).step("judge").options
    (asked,) = (
        question["labels"]
        for phase in judge["phases"]
        for question in phase.get("questions", ())
        if phase["name"] == "correct" and question["name"] == "error_type"
    )
    assert tuple(asked) == ERROR_TYPES


def test_each_distinct_correction_is_counted_once() -> None:
    comma, move = ("A cat, sits.", "A cat sits."), ("Here a cat sits.", "A cat sits here.")
    counted = count([comma, comma, move, ("A cat.", "A cat.")])
    assert counted == {
        "sense": 0, "semantic": 0, "grammatical": 0, "word order": 1, "punctuation": 1, "other": 0,
    }  # fmt: skip
    assert tuple(counted) == ERROR_TYPES

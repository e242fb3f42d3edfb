"""Trees: read and written without loss, edited without harm, refused with their line."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.trees import Features, Tree, Word, make_tree, parse_conllu

CAT = [
    ("Mały", 2, "amod"),
    ("kot", 3, "nsubj"),
    ("śpi", 0, "root"),
    ("w", 5, "case"),
    ("koszu", 3, "obl"),
    (".", 3, "punct"),
]


def tree(rows: list[tuple[str, int, str]] = CAT) -> Tree:
    return make_tree(
        {"form": form, "head": head, "deprel": deprel, "upos": "PUNCT" if form in ",." else "X"}
        for form, head, deprel in rows
    ).repaired()


def lines(*rows: str) -> str:
    return "\n".join(row.replace(" ", "\t") for row in rows) + "\n\n"


@pytest.mark.parametrize(
    "name", ["cdsc_paper_examples", "cdsc_gold_trees", "ud/cs_pud-first600", "ud/pl_pud-ud-test", "ud/en_ewt-ud-dev"]
)
def test_a_treebank_comes_back_byte_by_byte(data: Path, name: str) -> None:
    text = (data / f"{name}.conllu").read_text(encoding="utf-8")
    assert "".join(tree.conllu() for tree in parse_conllu(text, where=name)) == text


def test_multiword_tokens_and_empty_nodes_come_back_and_are_written_as_they_stand() -> None:
    text = lines(
        "1-2 Byłem _ _ _ _ _ _ _ _",
        "1 Był być AUX _ _ 3 cop _ _",
        "2 em być AUX _ _ 1 aux _ _",
        "2.1 ja ja PRON _ _ _ _ 3:nsubj _",
        "3 tam tam ADV _ _ 0 root _ SpaceAfter=No",
        "4 . . PUNCT _ _ 3 punct _ _",
    )
    (found,) = parse_conllu(text)
    assert found.conllu() == text
    assert found.text == "Byłem tam."
    assert found.replace(3, form="tu").text == "Byłem tu."  # the range is whole and stays
    assert found.drop(2).text == "Był tam."  # it is torn, so that its words are written


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (["1 A a X _ _ 2 dep _ _", "2 B b X _ _ 1 dep _ _"], r"f:1: no word is the root; .*circle: 1 → 2 → 1"),
        (["1 A a X _ _ 0 root _ _", "2 B b X _ _ 3 dep _ _", "3 C c X _ _ 2 dep _ _"], r"f:2: the heads go round"),
        (["1 A a X _ _ 0 root _ _", "2 B b X _ _ 0 root _ _"], r"f:2: words 1 and 2 are both roots"),
        (["1 A a X _ _ 5 root _ _"], r"f:1: word 1 hangs on word 5 of 1"),
        (["1 A a X _ _ 1 root _ _"], r"f:1: no word is the root"),
        (["1 A a X _ _ 0 root _"], r"f:1: found 9 columns"),
        (["1 A a X _ _ _ root _ _"], r'f:1: found "_" as a head'),
        (["2 A a X _ _ 0 root _ _"], r"f:1: found word 2 where word 1 should stand"),
        (["1 A a X _ Case 0 root _ _"], r'f:1: found "Case" among the features'),
        (["1 A a X _ Case=Nom|Case=Acc 0 root _ _"], r'f:1: found "Case=Acc" among the features'),
        (["2-3 A _ _ _ _ _ _ _ _", "1 A a X _ _ 0 root _ _"], r"f:1: found the range 2-3 before word 1"),
        (["1-2 A _ _ _ _ _ _ _ _", "1 A a X _ _ 0 root _ _"], r"f:1: a range ends with word 2 of 1"),
        (["1 A a X _ _ 0 root _ _", "3.1 B b X _ _ _ _ _ _"], r"f:2: found an empty node 3"),
        (["# text = A"], r"f:1: the sentence has comments and no words"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(rows: list[str], complaint: str) -> None:
    with pytest.raises(KostraError, match=complaint):
        parse_conllu(lines(*rows), where="f")


def test_a_dropped_word_takes_what_hangs_on_it_and_the_original_stays() -> None:
    before = tree()
    assert before.drop(5).repaired().text == "Mały kot śpi."
    assert before.drop(1).repaired().text == "Kot śpi w koszu."
    assert before.text == "Mały kot śpi w koszu."


def test_the_root_cannot_go() -> None:
    with pytest.raises(ValueError, match="root"):
        tree().drop(3)
    with pytest.raises(ValueError, match="root"):
        tree().keep([1, 2])


def test_a_moved_phrase_takes_the_capital_with_it() -> None:
    assert tree().move(5, before=1).repaired().text == "W koszu mały kot śpi."
    assert tree().move(2, after=3).repaired().text == "Śpi mały kot w koszu."


def test_words_that_lose_their_head_hang_on_the_next_one_above() -> None:
    kept = tree().keep([1, 3, 6]).repaired()
    assert kept.text == "Mały śpi."
    assert kept[1].head == 3


def test_an_edited_tree_is_numbered_afresh_and_reads_as_a_tree() -> None:
    edited = tree().drop(1).insert(Word(9, "dobrze", head=3, deprel="advmod"), after=3).repaired()
    (again,) = parse_conllu(edited.conllu())
    assert again.text == edited.text == "Kot śpi dobrze w koszu."
    assert [word.id for word in again.words] == [1, 2, 3, 4, 5, 6]


def test_needless_commas_go_and_signs_stand_where_they_should() -> None:
    rows = [
        (",", 2, "punct"),
        ("tak", 0, "root"),
        (",", 2, "punct"),
        (",", 2, "punct"),
        ("nie", 2, "conj"),
        (",", 2, "punct"),
    ]
    assert tree([*rows, (".", 2, "punct")]).text == "Tak, nie."


def test_names_and_abbreviations_keep_their_capital() -> None:
    rows = [{"form": "Anna", "upos": "PROPN", "head": 2}, {"form": "śpi", "upos": "VERB", "head": 0}]
    assert make_tree(rows).move(1, after=2).repaired(first_was=1).text == "Śpi Anna"
    rows[0] |= {"form": "NATO", "upos": "NOUN"}
    assert make_tree(rows).move(1, after=2).repaired(first_was=1).text == "Śpi NATO"


def test_trees_travel_between_processes() -> None:
    (sent,) = parse_conllu(lines("1 A a X _ Case=Nom 0 root _ _"))
    assert sent.subtree(1) == {1}
    again = pickle.loads(pickle.dumps(sent))
    assert again == sent
    assert again.conllu() == sent.conllu()


def test_features_do_not_change() -> None:
    feats = Features.parse("Case=Nom")
    with pytest.raises(TypeError):
        feats["Case"] = "Acc"
    assert feats.but(Case="Acc") == {"Case": "Acc"}
    assert feats == {"Case": "Nom"}


@settings(deadline=None)
@given(
    st.integers(min_value=1, max_value=30).flatmap(
        lambda size: st.lists(st.integers(0, 29), min_size=size, max_size=size)
    )
)
def test_any_drop_of_any_tree_leaves_a_tree(numbers: list[int]) -> None:
    rows = [(f"w{place}", 0 if place == 0 else numbers[place] % place + 1, "dep") for place in range(len(numbers))]
    whole = tree(rows)
    for word in whole.words[1:]:
        (again,) = parse_conllu(whole.drop(word.id).conllu())
        assert len(again) == len(whole) - len(whole.subtree(word.id))


def test_a_chain_of_a_thousand_words_is_no_problem() -> None:
    rows = [("słowo", place, "dep") for place in range(1000)]
    long = tree(rows)
    assert len(long.subtree(1)) == 1000
    assert len(long.drop(500)) == 499


@pytest.mark.parametrize(
    ("forms", "text"),
    [
        (["Řekl", "„", "ano", "“", "."], "Řekl „ano“."),
        (["Powiedział", "„", "tak", "”", "i", "wyszedł"], "Powiedział „tak” i wyszedł"),
        (["He", "said", "“", "yes", "”", "."], "He said “yes”."),
    ],
)
def test_a_quotation_is_spaced_as_its_first_sign_says(forms: list[str], text: str) -> None:
    words = [
        Word(place, form, upos="X" if form.isalpha() else "PUNCT", head=0 if place == 1 else 1)
        for place, form in enumerate(forms, 1)
    ]
    assert Tree(tuple(words)).repaired().text == text

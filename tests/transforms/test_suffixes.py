"""Suffix rules: what is learnt from a few words, how it generalises, and what the table holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.transforms.suffixes import Example, SuffixRules, learn, read, rule_of

GENITIVE = ("NOUN", "Sing Gen", "Fem")
WORDS = st.text(alphabet="abcdeěš", min_size=1, max_size=8)


def taught(*pairs: str, cell: tuple[str, ...] = GENITIVE) -> SuffixRules:
    """Rules learnt from "lemma form" pairs."""
    return learn(Example(lemma, form, cell) for lemma, form in (pair.split() for pair in pairs))


def forms(rules: SuffixRules, lemma: str, cell: tuple[str, ...] = GENITIVE) -> list[str]:
    return [one.form for one in rules.candidates(lemma, cell)]


def test_a_longer_ending_outweighs_a_shorter_one() -> None:
    rules = taught("matka matce", "dívka dívce", "žena ženě", "rána ráně", "strana straně", "zima zimě")
    assert forms(rules, "kočka")[0] == "kočce"
    assert forms(rules, "vana")[0] == "vaně"


def test_probabilities_follow_the_formula_in_the_docstring() -> None:
    # Ending "": two kinds, ka>ce twice and a>ě once: 2/5 and 1/5. Ending "a" sees the same words, d = 2:
    # (2 + 2·2/5) / 5 = 14/25 and (1 + 2·1/5) / 5 = 7/25. Ending "ka": one kind, seen twice: (2 + 14/25) / 3 = 64/75.
    # Ending "tka" and longer were never seen for "kočka" ("čka").
    rules = taught("matka matce", "dívka dívce", "žena ženě")
    found = {one.form: one.probability for one in rules.candidates("kočka", GENITIVE)}
    assert found["kočce"] == pytest.approx(64 / 75)
    assert found["kočkě"] == pytest.approx(7 / 75)


def test_a_cell_that_was_not_seen_falls_back_on_its_general_part() -> None:
    rules = taught("pán pánů", "muž mužů", cell=("NOUN", "Plur Gen", "Masc", "Anim"))
    assert forms(rules, "hrad", ("NOUN", "Plur Gen", "Masc", "Inan")) == ["hradů"]
    assert forms(rules, "hrad", ("NOUN", "Plur Dat", "Masc", "Inan")) == []


def test_words_count_once_however_often_they_stand_in_the_text() -> None:
    rules = taught("žena ženy", "žena ženy", "růže růže")
    assert sum(1 for line in rules.lines() if "a>y 2" in line) == 0


def test_a_known_form_with_a_changed_stem_is_offered_after_the_regular_one() -> None:
    rules = taught("hrad hrady", "strom stromy", cell=("NOUN", "Plur Nom", "Masc"))
    offered = rules.candidates("dům", ("NOUN", "Plur Nom", "Masc"), known=["dům", "domu", "domy"])
    assert [one.form for one in offered] == ["důmy", "domy"]
    assert offered[1].probability < offered[0].probability


def test_a_known_form_with_a_longer_ending_is_no_change_of_stem() -> None:
    rules = taught("žena ženu", "hora horu", cell=("NOUN", "Sing Acc", "Fem"))
    offered = rules.candidates("škola", ("NOUN", "Sing Acc", "Fem"), known=["školu", "školou"])
    assert [one.form for one in offered] == ["školu"]


def test_the_table_holds_no_whole_word() -> None:
    rules = taught("člověk lidé", "rok let", "škola školy")
    text = "\n".join(rules.lines())
    assert "lidé" not in text
    assert "škola" not in text
    assert forms(rules, "hora") == ["hory"]


def test_reversed_rules_lead_from_a_form_to_lemmas() -> None:
    rules = taught("kniha knihy", "píseň písně")
    assert rules.lemmas("školy", GENITIVE) == {"škola"}
    assert rules.lemmas("školy", ("VERB", "Past")) == set()


def test_pruning_keeps_the_best_form_of_every_lemma_it_was_taught() -> None:
    pairs = ["žena ženy", "hora hory", "růže růže", "práce práce", "píseň písně", "kost kosti", "věc věci"]
    rules = taught(*pairs)
    assert len(list(rules.pruned().lines())) < len(list(rules.lines()))
    for lemma, _ in (pair.split() for pair in pairs):
        assert forms(rules.pruned(), lemma)[0] == forms(rules, lemma)[0]


@given(st.lists(st.tuples(WORDS, WORDS), max_size=20))
def test_what_is_written_is_read_back(pairs: list[tuple[str, str]]) -> None:
    rules = learn(Example(lemma, form, GENITIVE) for lemma, form in pairs)
    again = read(rules.lines(), where="rules")
    assert list(again.lines()) == list(rules.lines())
    for lemma, _ in pairs:
        assert again.candidates(lemma, GENITIVE) == rules.candidates(lemma, GENITIVE)


@given(WORDS, WORDS)
def test_a_rule_makes_the_form_it_was_taken_from(lemma: str, form: str) -> None:
    cut, add = rule_of(lemma, form)
    assert lemma[: len(lemma) - len(cut)] + add == form


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20), WORDS)
def test_probabilities_never_sum_to_more_than_one(pairs: list[tuple[str, str]], lemma: str) -> None:
    rules = learn(Example(*pair, GENITIVE) for pair in pairs)
    assert sum(one.probability for one in rules.candidates(lemma, GENITIVE)) <= 1 + 1e-9


@pytest.mark.parametrize("line", ["NOUN", "NOUN\ta\ta>y", "NOUN\ta\tay 2", "NOUN\ta\ta>y two"])
def test_a_broken_line_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(KostraError, match="not a line of suffix rules") as caught:
        read(["# remark", line], where="rules.tsv")
    assert caught.value.where == "rules.tsv:2"

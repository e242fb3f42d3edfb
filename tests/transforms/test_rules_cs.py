"""What is Czech in the Czech rules: clitics, prepositions, agreement, and what the parser misreads."""

from __future__ import annotations

import pytest

from kostra.sources.parsers import Parser, parser
from kostra.transforms.engine import Engine, Refusal
from kostra.trees import Tree, parse_conllu

pytest.importorskip("simplemma", reason="the extra parse is not installed")
pytest.importorskip("cs_core_news_sm", reason="the Czech model of spaCy is not installed")

from kostra.transforms.cs.agreement import disagreement
from kostra.transforms.cs.clitics import in_second_place, with_second_places
from kostra.transforms.cs.finishing import finish

LAUGHING = """
1 Dnes dnes ADV _ _ 4 advmod _ _
2 se se PRON _ Case=Acc|PronType=Prs|Reflex=Yes 4 expl:pv _ _
3 muž muž NOUN _ Animacy=Anim|Case=Nom|Gender=Masc|Number=Sing 4 nsubj _ _
4 směje smát VERB _ Aspect=Imp|Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin|Voice=Act 0 root _ _
5 na na ADP _ AdpType=Prep|Case=Acc 6 case _ _
6 psa pes NOUN _ Animacy=Anim|Case=Acc|Gender=Masc|Number=Sing 4 obl _ SpaceAfter=No
7 . . PUNCT _ _ 4 punct _ _
""".strip()


@pytest.fixture(scope="module")
def laughing() -> Tree:
    return parse_conllu(LAUGHING.replace(" ", "\t"))[0]


@pytest.fixture(scope="module")
def czech() -> Parser:
    return parser("spacy:cs_core_news_sm")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine("cs")


def outputs(engine: Engine, czech: Parser, text: str, *, rule: str) -> list[str]:
    (tree,) = czech.parse([text])
    return [output.text for output in engine.outputs(tree) if output.rule == rule]


def test_a_clitic_moves_to_the_second_place_when_the_first_part_goes(laughing: Tree) -> None:
    assert finish(laughing.drop(1)).repaired().text == "Muž se směje na psa."


def test_a_clitic_follows_a_verb_that_begins_its_clause(laughing: Tree) -> None:
    assert in_second_place(laughing.drop(1).drop(3), 4).repaired().text == "Směje se na psa."


def test_a_clitic_stays_where_nothing_before_it_changed(laughing: Tree) -> None:
    assert with_second_places(laughing.drop(6)).repaired().text == "Dnes se muž směje."


def test_auxiliaries_stand_before_reflexives_and_these_before_pronouns() -> None:
    rows = """
1 Včera včera ADV _ _ 5 advmod _ _
2 mu on PRON _ Case=Dat|Number=Sing|Person=3|PronType=Prs 5 obj _ _
3 se se PRON _ Case=Acc|PronType=Prs|Reflex=Yes 5 expl:pv _ _
4 jsem být AUX _ Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin 5 aux _ _
5 smál smát VERB _ Gender=Masc|Number=Sing|Tense=Past|VerbForm=Part|Voice=Act 0 root _ _
""".strip()
    (tree,) = parse_conllu(rows.replace(" ", "\t"))
    assert in_second_place(tree, 5).text == "Včera jsem se mu smál"


def test_what_does_not_agree_is_told(laughing: Tree, engine: Engine) -> None:
    assert disagreement(laughing, engine.inflector, frozenset({3})) is None
    many = laughing.replace(4, feats=laughing[4].feats.but(Number="Plur"))
    assert disagreement(many, engine.inflector, frozenset({3})) == "muž and směje do not agree"


def test_a_participle_takes_the_case_of_its_noun(engine: Engine, czech: Parser) -> None:
    made = outputs(engine, czech, "Mluvil s muži, kteří opravují střechu.", rule="swapping_relative")
    assert made == ["Mluvil s muži opravujícími střechu."]


def test_the_passive_agrees_in_animacy(engine: Engine, czech: Parser) -> None:
    (men,) = outputs(engine, czech, "Policisté zadrželi dva muže.", rule="passivisation")
    assert men == "Dva muži byli zadrženi policisty."


def test_a_numeral_that_governs_has_a_neuter_verb_and_gives_back_a_plural(engine: Engine, czech: Parser) -> None:
    (five,) = outputs(engine, czech, "Zahradník zasadil pět stromů.", rule="passivisation")
    assert five == "Pět stromů bylo zasazeno zahradníkem."
    assert "Muži hrají karty." in outputs(engine, czech, "Pět mužů hraje karty.", rule="removing_adjuncts")


def test_objects_stay_in_the_accusative_under_negation(engine: Engine, czech: Parser) -> None:
    made = outputs(engine, czech, "Žena čte knihu.", rule="negation")
    assert all("knihu" in text for text in made)
    assert "Nikdo nečte knihu." in made


def test_transgressives_come_only_of_bookish_sentences_and_are_less_sure_than_participles(
    engine: Engine, czech: Parser
) -> None:
    plain, bookish = czech.parse(["Muž sedí na lavičce a čte noviny.", "Onen muž sedí na lavičce a čte noviny."])
    assert not any(output.variant.endswith("adverbial") for output in engine.outputs(plain))
    sure = {output.variant: output.confidence for output in engine.outputs(bookish)}
    assert sure["first adverbial"] < sure["first adjectival"]


STRANGE = [
    "🙂",
    "Kočka 🙂 spí na 👍 gauči.",
    "Кот spí na gauči.",
    "…",
    "Ano.",
    "kočka",
    "Se si se.",
    "který který",
    "A" * 500,
]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_sentences_do_no_harm(czech: Parser, text: str) -> None:
    (tree,) = czech.parse([text])
    engine = Engine("cs", compose=2)
    engine.offer([(tree, "one"), (tree, "other")])
    for output in engine.outputs(tree, theme="one"):
        assert output.text
        parse_conllu(output.tree.conllu())


def test_every_output_of_every_rule_is_a_tree(czech: Parser) -> None:
    sentences = [
        "Chlapec v čepici a šále, který stojí pod stromem, drží jablko a dívá se na psa.",
        "Dva muži sedící na lavičce pozorují dítě, a vedle spí kočka.",
        "Žena drží deštník a mluví s dívkou nesoucí tašku.",
    ]
    engine = Engine("cs", compose=2)
    trees = czech.parse(sentences)
    engine.offer(zip(trees, sentences, strict=True))
    for tree, text in zip(trees, sentences, strict=True):
        heard: list[Refusal] = []
        made = engine.outputs(tree, theme=text, heard=heard)
        assert len(made) > 8
        assert heard
        for output in made:
            (again,) = parse_conllu(output.tree.conllu())
            assert again.text == output.text
            assert output.text[0].isupper()
            assert output.text.endswith(".")

"""The engine: guards, composition, confidence, and inputs that are no captions."""

from __future__ import annotations

import pytest

from kostra.errors import KostraError
from kostra.sources.parsers import Parser
from kostra.transforms import verify
from kostra.transforms.confidence import doubts_of_sentence
from kostra.transforms.engine import Engine, Refusal, key_of, language, languages, safest
from kostra.trees import Tree, make_tree, parse_conllu

ROWS = """
1 Dwa dwa NUM _ Case=Nom|Gender=Masc|Animacy=Nhum|Number=Plur 3 nummod _ _
2 małe mały ADJ _ Case=Nom|Degree=Pos|Gender=Masc|Animacy=Nhum|Number=Plur 3 amod _ _
3 koty kot NOUN _ Case=Nom|Gender=Masc|Animacy=Nhum|Number=Plur 4 nsubj _ _
4 piją pić VERB _ Aspect=Imp|Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin|Voice=Act 0 root _ _
5 mleko mleko NOUN _ Case=Acc|Gender=Neut|Number=Sing 4 obj _ _
6 w w ADP _ _ 7 case _ _
7 kuchni kuchnia NOUN _ Case=Loc|Gender=Fem|Number=Sing 4 obl _ SpaceAfter=No
8 . . PUNCT _ _ 4 punct _ _
""".strip()


@pytest.fixture(scope="module")
def cats() -> Tree:
    return parse_conllu(ROWS.replace(" ", "\t"))[0]


def test_no_output_equals_its_source_or_another(cats: Tree) -> None:
    outputs = Engine("pl", compose=2).outputs(cats)
    keys = [key_of(output.tree) for output in outputs]
    assert len(keys) == len(set(keys)) > 20
    assert key_of(cats) not in keys


def test_outputs_say_rule_variant_relation_and_edited_words(cats: Tree) -> None:
    engine = Engine("pl")
    for output in engine.outputs(cats):
        rule = engine.language.rules[output.rule]
        assert output.variant in rule.variants
        assert output.relation == rule.relation
        assert output.edited
        assert 0 < output.confidence <= 1


def test_a_second_rule_works_on_the_first_ones_output(cats: Tree) -> None:
    made = {output.text: output for output in Engine("pl", compose=2).outputs(cats)}
    both = made["Koty nie piją mleka."]
    assert both.rule == "removing_adjuncts+negation"
    assert both.relation == "contradiction"
    once = {output.text: output for output in Engine("pl").outputs(cats)}
    assert "Koty nie piją mleka." not in once
    assert both.confidence < once["Koty piją mleko."].confidence


def test_nothing_works_on_a_contradiction(cats: Tree) -> None:
    made = Engine("pl", compose=3).outputs(cats)
    assert not [one.rule for one in made if "negation+" in one.rule]


def test_agreement_is_mended_where_a_numeral_goes(cats: Tree) -> None:
    texts = {output.text for output in Engine("pl", rules=["removing_adjuncts"]).outputs(cats)}
    assert {"Małe koty piją mleko w kuchni.", "Koty piją mleko."} <= texts


def test_the_safest_outputs_of_each_rule_are_kept(cats: Tree) -> None:
    outputs = Engine("pl", compose=2).outputs(cats)
    kept = safest(outputs, 2)
    for rule in {output.rule for output in outputs}:
        mine = [output.confidence for output in kept if output.rule == rule]
        assert len(mine) <= 2
        others = [output.confidence for output in outputs if output.rule == rule and output not in kept]
        assert not others or min(mine) >= max(others)


def test_whatever_is_made_of_an_involved_sentence_is_less_sure(polish: Parser) -> None:
    plain, involved = polish.parse(["Kot pije mleko.", "Wiem, że kot nie pije mleka, które stoi w kuchni."])
    assert doubts_of_sentence(plain) == ()
    assert doubts_of_sentence(involved) == ("commas", "denied", "speaker", "clauses")
    best = max(output.confidence for output in Engine("pl").outputs(plain))
    assert best == 1.0
    assert all(output.confidence < 0.6 for output in Engine("pl").outputs(involved))


def test_a_rule_says_why_it_did_not_fire(cats: Tree) -> None:
    heard: list[Refusal] = []
    Engine("pl").outputs(cats, heard=heard)
    reasons = {refusal.rule: refusal.reason for refusal in heard}
    assert reasons["dropping_conjunction"] == "no two predicates are coordinated"
    assert reasons["mixing_dependents"] == "there is no other sentence to take a dependent from"


def test_an_unknown_language_or_rule_lists_what_there_is() -> None:
    assert "pl" in languages()
    with pytest.raises(KostraError, match='unknown language with rules "tlh"'):
        Engine("tlh")
    with pytest.raises(KostraError, match='unknown rule for pl "negtion"') as caught:
        Engine("pl", rules=["negtion"])
    assert caught.value.remedy == 'did you mean "negation"?'


def test_the_seven_rules_stand_in_the_order_of_the_paper() -> None:
    rules = language("pl").rules
    assert list(rules) == [
        "dropping_conjunction",
        "removing_conjunct",
        "passivisation",
        "removing_adjuncts",
        "swapping_relative",
        "negation",
        "mixing_dependents",
    ]
    assert [rule.relation for rule in rules.values()] == ["similar"] * 5 + ["contradiction", "neutral"]


STRANGE = [
    "🙂",
    "Kot 🙂 śpi na 👍 kanapie.",
    "Кот śpi на kanapie z котом.",
    "…",
    "Tak.",
    "kot",
    "Kot, kot, kot, i kot, oraz kot.",
    "(Kot) „śpi” – na [kanapie]!",
    "Który który którego którą?",
    "nie nie nie",
    "A" * 500,
]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_sentences_do_no_harm(polish: Parser, text: str) -> None:
    (tree,) = polish.parse([text])
    engine = Engine("pl", compose=2)
    engine.offer([(tree, "one"), (tree, "other")])
    for output in engine.outputs(tree, theme="one"):
        assert output.text
        parse_conllu(output.tree.conllu())


def test_every_output_of_every_rule_is_a_tree(polish: Parser) -> None:
    sentences = [
        "Chłopiec w czapce i szaliku, który stoi pod drzewem, je jabłko, patrząc na psa.",
        "Dwóch mężczyzn siedzących na ławce obserwuje dziecko karmione przez kobietę, a obok śpi kot.",
        "Kobieta trzyma parasol i rozmawia z dziewczynką niosącą tornister.",
    ]
    engine = Engine("pl", compose=2)
    trees = polish.parse(sentences)
    engine.offer((tree, text) for tree, text in zip(trees, sentences, strict=True))
    for tree, text in zip(trees, sentences, strict=True):
        outputs = engine.outputs(tree, theme=text)
        assert len(outputs) >= 10
        for output in outputs:
            (again,) = parse_conllu(output.tree.conllu())
            assert again.text == output.text
            assert output.text[0].isupper()
            assert output.text.endswith(".")


def test_verification_keeps_what_parses_as_meant_and_says_what_does_not(polish: Parser, cats: Tree) -> None:
    engine = Engine("pl")
    outputs = engine.outputs(cats)
    kept, dropped = verify.verified(outputs, polish.parse, engine.language, engine.inflector)
    assert len(kept) + len(dropped) == len(outputs)
    assert len(kept) > len(outputs) / 2
    wrong = make_tree([{"form": "mleko", "head": 0, "deprel": "root"}, {"form": "piją", "head": 1, "deprel": "dep"}])
    right = make_tree([{"form": "mleko", "head": 2, "deprel": "obj"}, {"form": "piją", "head": 0, "deprel": "root"}])
    assert verify.implausible(right, wrong, engine.language, engine.inflector) is not None

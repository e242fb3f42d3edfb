"""English: what is mended before the rules and after them, what is refused, and inputs that are no captions."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import kostra
from kostra.sources.parsers import Parser, parser
from kostra.text import bare
from kostra.transforms.en.finishing import article, finish
from kostra.transforms.en.mending import mend_parse
from kostra.transforms.engine import Engine, Refusal, language
from kostra.transforms.inflection import inflector
from kostra.trees import Tree, make_tree, parse_conllu

pytest.importorskip("lemminflect", reason="the extra parse is not installed")


@pytest.fixture(scope="session")
def english(models: Path) -> Parser:
    """The English parser."""
    return parser(f"udpipe:{models / 'en.udpipe'}")


def tree(*rows: str) -> Tree:
    """A tree of rows: form, lemma, part of speech, features, head, relation."""
    fields = [row.split() for row in rows]
    lines = [f"{n}\t{f}\t{le}\t{u}\t_\t{fe}\t{h}\t{d}\t_\t_" for n, (f, le, u, fe, h, d) in enumerate(fields, 1)]
    return parse_conllu("\n".join(lines))[0]


def hung(found: Tree) -> dict[str, str]:
    """On what each word hangs."""
    return {word.form: found[word.head].form if word.head else "" for word in found.words}


# Before the rules -----------------------------------------------------------------------------------------


def test_no_plural_stands_with_an_article_of_the_singular() -> None:
    wrong = tree(
        "A a DET _ 3 det",
        "man man NOUN Number=Sing 3 compound",
        "lies lie NOUN Number=Plur 0 root",
        "on on ADP _ 6 case",
        "the the DET _ 6 det",
        "grass grass NOUN Number=Sing 3 nmod",
    )
    mended = mend_parse(wrong, inflector("en"))
    assert (mended[3].upos, mended[3].feats["VerbForm"], mended[2].deprel, mended[6].deprel) == (
        "VERB",
        "Fin",
        "nsubj",
        "obl",
    )
    assert hung(mended)["A"] == "man"


def test_a_participle_is_of_the_person_and_not_of_the_clothes() -> None:
    wrong = tree(
        "A a DET _ 2 det",
        "man man NOUN Number=Sing 0 root",
        "in in ADP _ 5 case",
        "a a DET _ 5 det",
        "coat coat NOUN Number=Sing 2 nmod",
        "singing sing VERB Tense=Pres|VerbForm=Part 5 acl",
    )
    assert hung(mend_parse(wrong, inflector("en")))["singing"] == "man"


def test_each_of_two_verbs_has_what_stands_on_its_side_of_and() -> None:
    wrong = tree(
        "She she PRON Case=Nom|Number=Sing|Person=3|PronType=Prs 2 nsubj",
        "sits sit VERB Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin 0 root",
        "here here ADV _ 5 advmod",
        "and and CCONJ _ 5 cc",
        "pours pour VERB Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin 2 conj",
        "tea tea NOUN Number=Sing 2 obj",
    )
    found = hung(mend_parse(wrong, inflector("en")))
    assert (found["here"], found["tea"]) == ("sits", "pours")


def test_a_tree_in_which_nothing_is_wrong_comes_back_as_it_is() -> None:
    right = tree(
        "Two two NUM _ 2 nummod",
        "dogs dog NOUN Number=Plur 4 nsubj",
        "are be AUX Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin 4 aux",
        "barking bark VERB Tense=Pres|VerbForm=Part 0 root",
        "at at ADP _ 7 case",
        "a a DET _ 7 det",
        "cat cat NOUN Number=Sing 4 obl",
    )
    assert mend_parse(right, inflector("en")) == right


# After them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "form"),
    [("apple", "an"), ("hour", "an"), ("hotel", "a"), ("unicorn", "a"), ("uninvited", "an"), ("one-armed", "a"),
     ("umbrella", "an"), ("European", "a"), ("8-year-old", "an"), ("NGO", "an"), ("UFO", "a"), ("use", "a")],
)  # fmt: skip
def test_the_article_follows_the_sound(word: str, form: str) -> None:
    assert article(word) == form


def test_an_article_is_mended_only_before_a_word_that_is_new_there() -> None:
    rows = [("An", "DET", 3, "det"), ("old", "ADJ", 3, "amod"), ("man", "NOUN", 0, "root")]
    found = make_tree([{"form": f, "lemma": f.lower(), "upos": u, "head": h, "deprel": d} for f, u, h, d in rows])
    assert finish(found).text == "An old man"
    assert finish(found.drop(2)).text == "A man"
    wrong = make_tree([{"form": "An", "upos": "DET", "head": 2, "deprel": "det"}, {"form": "man", "head": 0}])
    assert finish(wrong).text == "An man"


@pytest.mark.parametrize(
    ("sentence", "rule", "expected"),
    [
        ("It's raining.", "negation", "It's not raining."),
        ("The girl can sing.", "negation", "The girl cannot sing."),
    ],
)
def test_contractions_stay_whole_or_are_written_out(english: Parser, sentence: str, rule: str, expected: str) -> None:
    (found,) = english.parse([sentence])
    assert expected in [output.text for output in Engine("en", rules=[rule]).outputs(found)]


# The rules together ---------------------------------------------------------------------------------------


def test_the_seven_rules_stand_in_the_order_of_the_paper() -> None:
    rules = language("en").rules
    assert list(rules) == list(language("pl").rules)
    assert [rule.relation for rule in rules.values()] == ["similar"] * 5 + ["contradiction", "neutral"]


def test_a_second_rule_works_on_the_first_ones_output(english: Parser) -> None:
    (found,) = english.parse(["A young man is slicing an onion in the kitchen."])
    made = {output.text: output for output in Engine("en", compose=2).outputs(found)}
    assert made["An onion is being sliced in the kitchen by a man."].rule == "passivisation+removing_adjuncts"
    assert made["A man is not slicing an onion in the kitchen."].relation == "contradiction"


def test_a_rule_says_why_it_did_not_fire(english: Parser) -> None:
    (found,) = english.parse(["The boy has a kite."])
    heard: list[Refusal] = []
    Engine("en", rules=["passivisation"]).outputs(found, heard=heard)
    assert [refusal.reason for refusal in heard] == ["have has no usual passive"]


STRANGE = [
    "🙂",
    "A cat 🙂 sleeps on the 👍 sofa.",
    "…",
    "Yes.",
    "cat",
    "a",
    "The the a an.",
    "Cats, cats, cats, and cats, or cats.",
    "(A cat) “sleeps” – on [the sofa]!",
    "Who who whose which that?",
    "not not not n't",
    "He's, they're, we'll, don't, cannot, gonna.",
    "A" * 500,
]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_sentences_do_no_harm(english: Parser, text: str) -> None:
    (found,) = english.parse([text])
    engine = Engine("en", compose=2)
    engine.offer([(found, "one"), (found, "other")])
    for output in engine.outputs(found, theme="one"):
        assert output.text
        parse_conllu(output.tree.conllu())


def test_every_output_of_every_rule_is_a_tree(english: Parser) -> None:
    sentences = [
        "A boy in a cap and a scarf who is standing under a tree eats an apple and looks at a dog.",
        "Two men sitting on a bench are watching a child fed by a smiling woman.",
        "A woman holds an umbrella and talks to a girl carrying a heavy bag.",
        "The old fisherman sold three big fish and some shells in the harbour yesterday.",
    ]
    engine = Engine("en", compose=2)
    trees = english.parse(sentences)
    engine.offer((found, text) for found, text in zip(trees, sentences, strict=True))
    for found, text in zip(trees, sentences, strict=True):
        outputs = engine.outputs(found, theme=text)
        assert outputs
        for output in outputs:
            (again,) = parse_conllu(output.tree.conllu())
            assert again.text == output.text
            assert output.text[0].isupper()
            assert output.text.endswith(".")


def test_no_rule_lexicon_or_case_holds_a_sentence_of_the_corpora(data: Path) -> None:
    sentences: set[str] = set()
    with (data / "str2022.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sentences |= {bare(text).lower() for text in row["Text"].split("\n")}
    sentences = {text for text in sentences if len(text) > 15}
    assert len(sentences) > 8000
    for path in (Path(__file__).parent.parent / "cases" / "transforms" / "en").glob("*.conllu"):
        texts = [str(found.comment("text")) for found in parse_conllu(path.read_text(encoding="utf-8"))]
        assert not [text for text in texts if bare(text).lower() in sentences], path
    for path in (Path(kostra.__file__).parent / "transforms" / "en").iterdir():
        if path.suffix in (".py", ".toml"):
            written = bare(path.read_text(encoding="utf-8")).lower()
            assert not [text for text in sentences if text in written], path

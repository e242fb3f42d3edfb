"""What is no plain sentence is left alone; no tree, however odd, makes a rule fail."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import kostra
from kostra.transforms.engine import Engine, Refusal, languages
from kostra.transforms.plain import not_plain
from kostra.trees import Tree, Word, parse_conllu

CASES = Path(__file__).parent.parent / "cases" / "transforms"


def said(text: str) -> Tree:
    forms = text.split()
    return Tree(
        tuple(
            Word(number, form, form, "X", head=min(number - 1, 1), deprel="dep" if number > 1 else "root")
            for number, form in enumerate(forms, 1)
        )
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Look at @anna !", "an address, a hashtag or a link"),
        ("It rains . #weather", "an address, a hashtag or a link"),
        ("Read www.example.org today .", "an address, a hashtag or a link"),
        ("Dogs bark . Cats sleep .", "several sentences"),
        ("Really ? He sleeps .", "several sentences"),
        ('He said " no .', "a quotation mark or bracket without its pair"),
        ("Why does he sleep ?", "a question"),
        ('He asked : " Who sleeps ? "', "a question"),
        ("Nobody knows # or * .", "a mark in place of a word"),
        ("A man ( old reads .", "a quotation mark or bracket without its pair"),
    ],
)
def test_what_is_no_plain_sentence_says_why(text: str, reason: str) -> None:
    assert not_plain(said(text)) == reason


@pytest.mark.parametrize(
    "text",
    [
        "Dogs bark .",
        'He said " no " .',
        "On řekl „ ne “ a odešel .",
        "The shop on St . James square is open .",
        "How he sleeps !",
        "Kolem roku 1900 př . n . l . tu stál hrad .",
    ],
)
def test_abbreviations_pairs_and_a_final_mark_are_plain(text: str) -> None:
    assert not_plain(said(text)) is None


def test_a_rule_says_why_it_left_a_sentence_alone() -> None:
    heard: list[Refusal] = []
    assert Engine("en", rules=["negation"]).outputs(said("Dogs bark . Cats sleep ."), heard=heard) == []
    assert heard == [Refusal("negation", "several sentences")]


def test_transform_counts_what_it_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    path.write_text(
        "1\tDogs\tdog\tNOUN\t_\tNumber=Plur\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\t#now\t#now\tX\t_\t_\t2\tdep\t_\t_\n\n",
        encoding="utf-8",
    )
    found = [one for one in kostra.transform(path, language="en").findings if one.kind == "unfit"]
    assert [one.message for one in found] == ["no plain sentence, and left alone: an address, a hashtag or a link 1"]


def bent(tree: Tree, rng: Random, relations: list[str], kinds: list[str]) -> Tree:
    """The tree with a few words of another kind, in another relation, or elsewhere, as a poor parser has it."""
    words = list(tree.words)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(words))
        word = words[place]
        match rng.randrange(3):
            case 0:
                words[place] = word.but(upos=rng.choice(kinds))
            case 1 if word.head:
                words[place] = word.but(deprel=rng.choice(relations))
            case 2 if word.head:
                head = rng.choice(words).id
                if head not in tree.with_words(words).subtree(word.id):
                    words[place] = word.but(head=head)
    return tree.with_words(words)


@pytest.mark.parametrize("code", languages())
def test_no_rule_fails_on_a_badly_parsed_tree(code: str) -> None:
    trees = [tree for path in sorted((CASES / code).glob("*.conllu")) for tree in parse_conllu(path.read_text("utf-8"))]
    relations = sorted({word.deprel for tree in trees for word in tree.words if word.head})
    kinds = sorted({word.upos for tree in trees for word in tree.words})
    rng = Random(8)
    engine = Engine(code)
    engine.offer((tree, None) for tree in trees)
    for _ in range(250):
        for output in engine.outputs(bent(rng.choice(trees), rng, relations, kinds)):
            parse_conllu(output.tree.conllu())  # one root, no circle, no head that is not there

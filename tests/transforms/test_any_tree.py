"""Whatever tree a parser or a file gives, the rules answer: with sound sentences or with none, never with a crash."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.transforms.test_cases import RULES, cases

from kostra.transforms.engine import Engine, Output, Refusal, languages
from kostra.trees import NO_FEATURES, Features, Tree, Word, parse_conllu

EXAMPLES = 200
"""For each language: enough to find again most of what far longer runs had found."""
MOST_CHANGES = 6
ODD_FORMS = ("_", "-", "'", "'s", "n't", "1", "1/2", "İ", "ß", "é.", "10 000", "&", "O'", "a", "se", "się", "be", "být")
SIGNS = (",", ".", "!", ";", ":", "-", '"', "'", "(", ")", "„", "“", "…")
# fmt: off
TAGS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X", "_",
)
DEPRELS = (
    "acl", "acl:relcl", "advcl", "advmod", "amod", "appos", "aux", "aux:pass", "case", "cc", "ccomp", "compound",
    "conj", "cop", "csubj", "dep", "det", "det:numgov", "expl", "expl:pass", "expl:pv", "fixed", "flat", "iobj", "list",
    "mark", "nmod", "nmod:poss", "nsubj", "nsubj:pass", "nummod", "nummod:gov", "obj", "obl", "obl:agent", "obl:arg",
    "orphan", "parataxis", "punct", "root", "vocative", "xcomp", "_",
)
# fmt: on
Change = Callable[[list[Word], Random], list[Word]]
"""A tree's words, changed; the ids stay, so that the heads hold."""


@cache
def trees(code: str) -> tuple[Tree, ...]:
    """All sentences of a language's cases, also those that only give dependents."""
    found = [[tree, *donors] for spoken, rule in RULES if spoken == code for tree, donors in cases(code, rule)]
    return tuple(tree for group in found for tree in group)


@cache
def engine(code: str) -> Engine:
    """The rules of a language, with every fifth case to take dependents from."""
    made = Engine(code, compose=2)
    made.offer((tree, None) for tree in trees(code)[::5])
    return made


def changed(tree: Tree, rng: Random) -> Tree:
    """The tree with some changes, as a file would hold it."""
    words = list(tree.words)
    for _ in range(rng.randint(1, MOST_CHANGES)):
        words = rng.choice(CHANGES)(words, rng)
    return parse_conllu(Tree(()).with_words(words).conllu())[0]


def hung_elsewhere(words: list[Word], rng: Random) -> list[Word]:
    tree, word = Tree(tuple(words)), rng.choice(words)
    heads = [one.id for one in words if one.id not in tree.subtree(word.id)]
    return list(tree.replace(word.id, head=rng.choice(heads)).words) if word.head and heads else words


def another_root(words: list[Word], rng: Random) -> list[Word]:
    """The heads on the way to the root turn round."""
    tree, at = Tree(tuple(words)), rng.choice(words)
    turned = {at.id: at.but(head=0, deprel="root")}
    while at.head:
        above = tree[at.head]
        turned[above.id] = above.but(head=at.id, deprel=at.deprel)
        at = above
    return [turned.get(word.id, word) for word in words]


def swapped(words: list[Word], rng: Random) -> list[Word]:
    made = list(words)
    one, other = rng.randrange(len(made)), rng.randrange(len(made))
    made[one], made[other] = made[other], made[one]
    return made


def shuffled(words: list[Word], rng: Random) -> list[Word]:
    return rng.sample(words, len(words)) if rng.random() < 0.2 else swapped(words, rng)


def dropped(words: list[Word], rng: Random) -> list[Word]:
    """A word goes, and what hung on it hangs on its head, or a root's on its first child."""
    word = rng.choice(words)
    kept = [one for one in words if one.id != word.id]
    heir = word.head or next((one.id for one in kept if one.head == word.id), 0)
    hung = [one.but(head=heir) if one.head == word.id else one for one in kept]
    if not word.head:
        hung = [one.but(head=0) if one.id == heir else one for one in hung]
    return hung or words


def only_a_part(words: list[Word], rng: Random) -> list[Word]:
    """One word with all that hangs on it, or nothing but one word."""
    word = rng.choice(words)
    inside = Tree(tuple(words)).subtree(word.id) if rng.random() < 0.7 else {word.id}
    kept = [one.but(head=0, deprel="root") if one.id == word.id else one for one in words if one.id in inside]
    return kept if len(inside) > 1 or rng.random() < 0.2 else words


def doubled(words: list[Word], rng: Random) -> list[Word]:
    word, new = rng.choice(words), Tree(tuple(words)).fresh()
    twin = word.but(id=new) if word.head else word.but(id=new, head=word.id, deprel=rng.choice(DEPRELS))
    return _placed(words, twin, rng)


def with_a_sign(words: list[Word], rng: Random) -> list[Word]:
    sign, new = rng.choice(SIGNS), Tree(tuple(words)).fresh()
    misc = rng.choice(("_", "SpaceAfter=No"))
    word = Word(new, sign, sign, "PUNCT", head=rng.choice(words).id, deprel="punct", misc=misc)
    return _placed(words, word, rng)


def _placed(words: list[Word], word: Word, rng: Random) -> list[Word]:
    place = rng.randint(0, len(words))
    return [*words[:place], word, *words[place:]]


def another_case(words: list[Word], rng: Random) -> list[Word]:
    turn = rng.choice((str.upper, str.lower, str.title))
    some = {rng.choice(words).id} if rng.random() < 0.5 else {word.id for word in words}
    return [word.but(form=turn(word.form)) if word.id in some else word for word in words]


def retold(words: list[Word], rng: Random) -> list[Word]:
    """A word says something else of itself, as any parser may be wrong about it."""
    word, other = rng.choice(words), rng.choice(words)
    told = {
        "deprel": rng.choice((*DEPRELS, other.deprel)),
        "upos": rng.choice(TAGS),
        "lemma": rng.choice(("_", "", other.lemma, word.form, word.form.upper())),
        "form": rng.choice((*ODD_FORMS, other.form, word.lemma or "_", word.form[:1])),
        "feats": rng.choice((NO_FEATURES, other.feats, _without_one(word.feats, rng), word.feats.but(Case="Acc,Gen"))),
        "misc": rng.choice(("_", "SpaceAfter=No")),
    }
    field = rng.choice(list(told))
    return [one.but(**{field: told[field]}) if one.id == word.id else one for one in words]


def _without_one(feats: Features, rng: Random) -> Features:
    return feats.but(**{rng.choice(list(feats)): None}) if feats else feats


CHANGES: tuple[Change, ...] = (
    hung_elsewhere,
    hung_elsewhere,
    retold,
    retold,
    retold,
    another_root,
    swapped,
    shuffled,
    dropped,
    only_a_part,
    doubled,
    with_a_sign,
    another_case,
)


def unsound(output: Output, source: Tree) -> str | None:
    """What is wrong with an output, or None; no root, two roots and circles are a `KostraError` of the reader."""
    ids = [word.id for word in output.tree.words]
    if len(set(ids)) < len(ids):
        return "two words have one id"
    parse_conllu(output.tree.conllu())
    if not output.text.strip():
        return "no text"
    return "the same text" if output.text == source.text else None


@pytest.mark.parametrize("code", languages())
@settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
@given(rng=st.randoms(use_true_random=False))
def test_every_tree_gives_sound_sentences_or_none_and_the_same_again(code: str, rng: Random) -> None:
    tree = changed(rng.choice(trees(code)), rng)
    heard: list[Refusal] = []
    made = engine(code).outputs(tree, heard=heard)
    assert [(one.text, unsound(one, tree)) for one in made] == [(one.text, None) for one in made]
    again: list[Refusal] = []
    assert engine(code).outputs(tree, heard=again) == made
    assert again == heard

"""Questions about trees that every language answers alike."""

from __future__ import annotations

from kostra.trees import Tree, Word

GOVERNING = ("nummod:gov", "det:numgov")
"""Relations of numerals that put their noun into the genitive."""


def is_participle(word: Word, voice: str | None = None) -> bool:
    """Whether a word is a participle, of one voice or any."""
    return word.feats.get("VerbForm") == "Part" and (voice is None or word.feats.get("Voice") == voice)


def is_converb(word: Word) -> bool:
    """Whether a word is an adverbial participle."""
    return word.feats.get("VerbForm") == "Conv"


def subject(tree: Tree, verb: int) -> Word | None:
    """The subject of a predicate, if it has one of its own."""
    return tree.child(verb, "nsubj")


def governor(tree: Tree, noun: int) -> Word | None:
    """The numeral that puts a noun into the genitive."""
    return tree.child(noun, *GOVERNING)


def numeral(tree: Tree, noun: int) -> Word | None:
    """The numeral of a noun, whether it agrees or governs."""
    return tree.child(noun, "nummod", *GOVERNING)


def no_preposition(tree: Tree, word: Word) -> bool:
    """Whether a noun stands without a preposition."""
    return tree.child(word.id, "case") is None


def next_form(tree: Tree, word: Word) -> str:
    """The form of the word behind a word; empty at the end."""
    place = tree.places[word.id] + 1
    return tree.words[place].form if place < len(tree.words) else ""


def is_inside(tree: Tree, word: int, top: int) -> bool:
    """Whether a word hangs, however deep, on another."""
    return word in tree.subtree(top)


def verb_above(tree: Tree, word: int) -> int | None:
    """The nearest verb or participle on which a word hangs."""
    at = tree[word]
    while at.head:
        at = tree[at.head]
        if at.upos == "VERB" or is_participle(at):
            return at.id
    return None


def is_in_relative(tree: Tree, word: Word, top: Word) -> bool:
    """Whether a relative clause stands between a word and one above it."""
    at = word
    while at.id != top.id:
        if at.deprel == "acl:relcl":
            return True
        at = tree[at.head]
    return False


def is_in_other_clause(tree: Tree, word: Word, verb: Word) -> bool:
    """Whether a clause or participle phrase of its own stands between a word and the verb above it."""
    at = word
    while at.id != verb.id and at.head:
        if at.relation in ("conj", "acl", "advcl") and (at.upos == "VERB" or is_participle(at)):
            return True
        if at.relation == "amod" and is_participle(at):
            return True
        at = tree[at.head]
    return False

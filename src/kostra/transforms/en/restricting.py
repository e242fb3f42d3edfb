"""Words without which a sentence would say more: of which ones all, the best, none or these are meant."""

from __future__ import annotations

from kostra.transforms.en import lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.trees import Tree, Word

_WHOLE = frozenset({"entire", "whole", "total", "sole", "very", "latest"})
_DENYING = frozenset({"avoid", "ban", "prevent", "forbid", "prohibit", "refuse", "deny", "doubt", "reject", "oppose",
                      "fear", "hate", "lack", "stop", "quit", "discourage", "exclude", "fail", "dislike"})  # fmt: skip
"""Verbs whose object is not to be, so that with less of it more is ruled out."""


def is_of_all(tree: Tree, word: Word, head: Word) -> bool:
    """Whether a word says of which all, any or best ones something is true."""
    others = [one for one in tree.children(head.id, "det", "det:predet", "amod", "advmod", "nummod") if one != word]
    if any(_is_highest(one) for one in (*others, head)):
        return True
    return head.relation in ("nmod", "obl") and is_of_all(tree, head, tree[head.head])  # the last of the old temples


def says_which(tree: Tree, word: Word) -> bool:
    """Whether a clause around a word says which ones are meant: *people who like old books*, *the one in red*."""
    at = word
    while at.head:
        above = tree[at.head]
        bare = not tree.children(above.id, "det", "nmod:poss", "nummod")
        if at.deprel == "acl:relcl" and bare and above.upos == "NOUN":
            return True
        if at.relation in ("acl", "nmod") and above.lemma.lower() in ("one", "those", "that", "anyone", "someone"):
            return True
        at = above
    return False


def _is_highest(word: Word) -> bool:
    if word.lemma.lower() in lexicon.OF_ALL | _WHOLE or word.feats.get("Degree") == "Sup":
        return True
    return word.feats.get("NumType") == "Ord"


def is_denied(tree: Tree, word: Word) -> bool:
    """Whether a word stands in what is negated: *does not eat red meat* says less than *does not eat meat*."""
    at = word
    while at.head and at.relation != "nsubj":
        loose = ("advmod", "advcl") if tree.child(at.head, "obj", "xcomp") is not None else ("obl", "advmod", "advcl")
        ruled_out = at.id != word.id or at.relation not in loose
        at = tree[at.head]
        if ruled_out and at.lemma in _DENYING:
            return True  # bans smoking in the yard
        if at.deprel == "csubj":
            return True  # it is cheaper to buy wood in spring
        if at.deprel in ("xcomp", "acl", "advcl") and tree[at.head].lemma in _DENYING:
            return True
        if ENGLISH.is_negated(tree, at.id):
            return True
        if ENGLISH.is_predicate(tree, at):
            return False
    return False

"""Verbs that the Czech parser hung where no verb can hang, mended before any rule looks at a tree."""

from __future__ import annotations

from kostra.transforms.cs.grammar import CZECH
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.looking import is_participle, subject
from kostra.trees import Tree, Word

_OWN = ("obj", "obl", "iobj", "advmod", "xcomp", "expl")
"""Relations of what belongs to the nearer of two verbs when it stands behind it."""


def joined_predicate(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Stojí ve vodě a loví ryby*: a finite verb is joined with the verb, not with the noun before its *a*."""
    changes: Changes = {}
    for verb in tree.words:
        above = _predicate_above(tree, verb)
        if above is None:
            continue
        changes[verb.id] = verb.but(head=above.id, deprel="conj")
        for one in tree.children(above.id, *_OWN):
            if tree.places[one.id] > tree.places[verb.id]:
                changes[one.id] = one.but(head=verb.id)
    return changes


def verb_of_object(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Stojí na břehu a loví kapry*: a finite verb before a noun is no modifier of it, but has it as its object."""
    changes: Changes = {}
    for verb in tree.words:
        if verb.relation not in ("amod", "nmod") or not CZECH.is_finite(tree, verb):
            continue
        noun = tree[verb.head]
        above = tree[noun.head] if noun.head else noun
        joined = any(one.form.lower() == "a" for one in tree.children(verb.id, "cc"))
        ordered = tree.places[above.id] < tree.places[verb.id] < tree.places[noun.id]
        if joined and ordered and noun.relation in ("obj", "nsubj") and CZECH.is_finite(tree, above):
            changes[verb.id] = verb.but(head=above.id, deprel="conj")
            changes[noun.id] = noun.but(head=verb.id, deprel="obj")
    return changes


def _predicate_above(tree: Tree, verb: Word) -> Word | None:
    """The verb with which a verb is joined that the parser hung on a noun inside the first one's clause."""
    joined = verb.relation == "conj" and CZECH.is_finite(tree, verb) and subject(tree, verb.id) is None
    plain = any(one.form.lower() == "a" for one in tree.children(verb.id, "cc"))
    if not joined or not plain or tree[verb.head].upos not in ("NOUN", "PROPN"):
        return None
    if tree.child(verb.head, "cop", "aux") is not None:
        return None  # the noun is a predicate itself
    at = tree[verb.head]
    while at.head and not CZECH.is_finite(tree, at):
        if at.relation in ("acl", "advcl", "ccomp", "csubj", "parataxis"):
            return None
        at = tree[at.head]
    near = CZECH.is_finite(tree, at) and tree.places[at.id] < tree.places[verb.id]
    same = all(at.feats.get(name) == verb.feats.get(name) for name in ("Tense", "Person"))
    return at if near and same else None


def phrase_of_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Potkal dívku jedoucí na kole*: no participle stands behind its noun alone, so that the phrase is its own."""
    changes: Changes = {}
    for word in tree.words:
        place = tree.places[word.id]
        behind = tree.words[place + 1] if place + 1 < len(tree.words) else None
        alone = is_participle(word) and word.upos == "ADJ" and len(tree.subtree(word.id)) == 1
        late = word.relation == "amod" and place > tree.places[word.head]
        if not alone or not late or behind is None or behind.relation != "case":
            continue
        phrase = tree[behind.head]
        if phrase.upos in ("NOUN", "PROPN", "PRON") and phrase.relation in ("obl", "nmod"):
            changes[phrase.id] = phrase.but(head=word.id, deprel="obl")
    return changes

"""Subjects that the parser took for something else, and what it took for subjects.

Each function looks for one pattern that the endings forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar
from kostra.transforms.pl.agreement import agree, can_have
from kostra.trees import Tree, Word

Changes = dict[int, Word]


def lost_subject(tree: Tree, inflector: Inflector) -> Changes:
    """*obok rosną cztery lipy*: a finite verb without subject takes the bare noun that can be its nominative."""
    changes: Changes = {}
    for verb in tree.words:
        if (
            not grammar.is_finite(verb)
            or grammar.subject(tree, verb.id) is not None
            or verb.feats.get("Person") not in ("3", None)
        ):
            continue
        clause = verb.relation == "root" or any(
            one.form.lower() in ("a", "zaś", "natomiast") for one in tree.children(verb.id, "cc")
        )
        if not clause:
            continue
        place = tree.places[verb.id]
        near = tree.words[place - 1] if place else verb
        counted = near.relation == "nmod" and grammar.governor(tree, near.id) is not None
        stray = [*((near,) if counted else ()), *_stray(tree, verb, inflector)]
        for noun in (*stray, *tree.children(verb.id, "obl", "obj", "iobj", "vocative", "nmod")):
            if noun.upos != "NOUN" or not grammar.no_preposition(tree, noun):
                continue
            governing = grammar.governor(tree, noun.id)
            if (
                governing is not None
                and verb.feats.get("Number") == "Sing"
                and governing.feats.get("Case") in ("Nom", "Acc")
            ):
                changes[noun.id] = noun.but(deprel="nsubj", head=verb.id)
                break
            number = "Plur" if noun.feats.get("Number") in ("Plur", "Ptan") else "Sing"
            if (
                governing is None
                and number == verb.feats.get("Number")
                and can_have(inflector, noun, "Nom")
                and noun.feats.get("Case") in ("Nom", "Acc")
            ):
                changes[noun.id] = noun.but(head=verb.id, deprel="nsubj", feats=noun.feats.but(Case="Nom"))
                for child in tree.children(noun.id, "amod", "nummod", "det"):
                    if child.feats.get("Case") == "Acc":
                        changes[child.id] = child.but(feats=child.feats.but(Case="Nom"))
                break
            as_subject = (
                _as_subject(inflector, noun, verb) if governing is None and not tree.children(noun.id) else None
            )
            if as_subject is not None and tree.places[noun.id] == place + 1:
                changes[noun.id] = as_subject
                break
    return changes


def _stray(tree: Tree, verb: Word, inflector: Inflector) -> list[Word]:
    """Bare nouns behind a verb that hang on another noun though they can be no genitive."""
    found = []
    for word in tree.words[tree.places[verb.id] + 1 :]:
        if word.upos == "PUNCT" or grammar.is_finite(word):
            break
        bare = word.upos == "NOUN" and word.relation == "nmod" and word.feats.get("Case") in ("Nom", "Acc")
        if bare and not can_have(inflector, word, "Gen") and grammar.is_inside(tree, word.id, verb.id):
            found.append(word)
    return found


def _as_subject(inflector: Inflector, noun: Word, verb: Word) -> Word | None:
    """The noun as a nominative in the verb's number, if its form can be one: *w bramie czeka staruszek*."""
    for one in sorted(inflector.analyses(noun.form), key=str):
        fits = (
            one.upos == "NOUN"
            and "Nom" in one.feats.get("Case", "")
            and one.feats.get("Number") == verb.feats.get("Number")
        )
        if fits:
            feats = noun.feats.but(
                Case="Nom", Number=one.feats["Number"], Gender=one.feats.get("Gender"), Animacy=one.feats.get("Animacy")
            )
            return noun.but(lemma=one.lemma, deprel="nsubj", head=verb.id, feats=feats)
    return None


def subject_of_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*na skraju lasu*: what hangs as a subject on a noun without copula, and is no nominative, modifies it."""
    changes: Changes = {}
    for word in tree.words:
        if word.deprel != "nsubj" or not word.head or word.upos != "NOUN":
            continue
        noun = tree[word.head]
        if noun.upos == "NOUN" and tree.child(noun.id, "cop") is None and not can_have(inflector, word, "Nom"):
            changes[word.id] = word.but(deprel="nmod:arg")
    return changes


def participle_beside_subject(tree: Tree, inflector: Inflector) -> Changes:
    """*Pan ubrany na biało śpi*: of two subjects the second, a participle that agrees with the first, modifies it."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nsubj" or word.upos != "ADJ" or not grammar.is_participle(word) or not word.head:
            continue
        who = tree.children(word.head, "nsubj")[0]
        if who.id != word.id and who.upos == "NOUN" and agree(inflector, word, who):
            changes[word.id] = word.but(head=who.id, deprel="acl")
    return changes

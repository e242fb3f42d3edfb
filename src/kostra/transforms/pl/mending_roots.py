"""Predicates that the parser hung on something else, and nouns whose place a participle took.

Each function looks for one pattern that the endings forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree, can_have
from kostra.trees import Features, Tree, Word

Changes = dict[int, Word]


def noun_as_root(tree: Tree, inflector: Inflector) -> Changes:
    """*Pan w czapce i w płaszczu śpi*: the finite verb is the root, and what stands before it is joined to a noun."""
    noun = tree.root
    if noun.upos != "NOUN" or tree.child(noun.id, "cop", "aux") is not None or not can_have(inflector, noun, "Nom"):
        return {}
    verb = next((one for one in tree.words if grammar.is_finite(one) and one.deprel != "acl:relcl"), None)
    conjunction = tree.child(verb.id, "cc") if verb is not None and verb.relation == "conj" else None
    if verb is None or conjunction is None or verb.feats.get("Person", "3") != "3":
        return {}
    first, last = tree.places[conjunction.id], tree.places[verb.id]
    between = [one for one in tree.children(verb.id, "nsubj", "obl") if first < tree.places[one.id] < last]
    joined = between[0] if between and between[0].upos == "NOUN" else None
    if joined is None or tree.places[noun.id] > first:
        return {}
    several = joined.relation == "nsubj"
    if several != (verb.feats.get("Number") == "Plur" and noun.feats.get("Number") == "Sing"):
        return {}
    changes = {
        verb.id: verb.but(head=0, deprel="root"),
        noun.id: noun.but(head=verb.id, deprel="nsubj", feats=noun.feats.but(Case="Nom")),
        joined.id: joined.but(head=noun.id if several else verb.head, deprel="conj"),
        conjunction.id: conjunction.but(head=joined.id),
    }
    for child in tree.children(noun.id):
        if child.id not in changes and tree.places[child.id] > last:
            changes[child.id] = child.but(head=verb.id, deprel=_of_verb(child))
    return changes


def _of_verb(child: Word) -> str:
    return "advcl" if grammar.is_converb(child) else child.deprel


def standing_beside(tree: Tree, inflector: Inflector) -> Changes:
    """*do stojącej obok pani*: behind a participle and its adverb stands the noun with which it agrees."""
    changes: Changes = {}
    for made, beside in zip(tree.words, tree.words[1:], strict=False):
        if beside.form not in lexicon.ALSO_ADVERBS or beside.relation != "case" or not beside.head or not made.head:
            continue
        noun = tree[beside.head]
        if made.upos != "ADJ" or not grammar.is_participle(made) or noun.head != made.id or noun.upos != "NOUN":
            continue
        before = tree.child(made.id, "case")
        if before is None or not agree(inflector, made, noun):
            continue
        changes[noun.id] = noun.but(head=made.head, deprel=made.deprel)
        changes[made.id] = made.but(head=noun.id, deprel="amod")
        changes[before.id] = before.but(head=noun.id)
        changes[beside.id] = beside.but(upos="ADV", head=made.id, deprel="advmod")
    return changes


def hidden_verb(tree: Tree, inflector: Inflector) -> Changes:
    """*Pan siedzi na ganku i nuci*: what can only be a finite verb is one, joined to the verb before."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos not in ("NOUN", "DET", "ADJ", "PROPN") or not word.form.islower() or not word.head:
            continue
        readings = inflector.analyses(word.form)
        if not readings or any(
            one.feats.get("VerbForm") != "Fin" or one.feats.get("Person") != "3" for one in readings
        ):
            continue
        above = tree[word.head] if word.relation == "conj" else word
        while above.head and not grammar.is_finite(above):
            above = tree[above.head]
        if above.id == word.id or not grammar.is_finite(above) or tree.child(word.id, "cc") is None:
            continue
        found = min(readings, key=lambda one: (one.lemma, sorted(one.feats.items())))
        changes[word.id] = word.but(upos="VERB", lemma=found.lemma, feats=Features(found.feats), head=above.id)
        for one in tree.children(word.id, "nmod"):
            changes[one.id] = one.but(deprel="obl")
    return changes

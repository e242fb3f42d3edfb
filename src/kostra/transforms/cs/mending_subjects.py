"""Subjects and objects that the Czech parser took for one another, mended before any rule looks at a tree."""

from __future__ import annotations

from kostra.transforms.cs.grammar import form_in_case, is_past, may_agree
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.looking import no_preposition
from kostra.trees import Tree


def second_subject(tree: Tree, inflector: Inflector) -> Changes:
    """Of two subjects of one verb the one in the accusative, or with which the verb does not agree, is an object."""
    changes: Changes = {}
    for verb in tree.words:
        subjects = tree.children(verb.id, "nsubj")
        if len(subjects) != 2 or tree.child(verb.id, "obj") is not None:
            continue
        things = [one for one in subjects if one.feats.get("Case") == "Acc"]
        if not things and verb.upos == "VERB":
            alike = [one for one in subjects if form_in_case(inflector, one, "Acc") == one.form.lower()]
            apart = [one for one in subjects if not may_agree(tree, one, verb)]
            things = [one for one in apart if one in alike]  # pivovar převzala společnost
        if len(things) == 1:
            thing = things[0]
            changes[thing.id] = thing.but(deprel="obj", feats=thing.feats.but(Case="Acc"))
    return changes


def second_object(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Korunovaci vykonal biskup*: of two objects of a verb without a subject somebody in the nominative is one."""
    changes: Changes = {}
    for verb in tree.words:
        things = [one for one in tree.children(verb.id, "obj") if no_preposition(tree, one)]
        doers = [one for one in things if one.feats.agrees(Case="Nom", Animacy="Anim") and may_agree(tree, one, verb)]
        others = [one for one in things if one.feats.get("Case") == "Acc"]
        if tree.child(verb.id, "nsubj") is None and len(doers) == len(others) == 1 and is_past(verb):
            changes[doers[0].id] = doers[0].but(deprel="nsubj")
    return changes


def subject_features(tree: Tree, inflector: Inflector) -> Changes:
    """A subject whose number or case its verb forbids, where its form can be the nominative that the verb wants."""
    changes: Changes = {}
    for noun in tree.words:
        if (
            noun.relation != "nsubj"
            or noun.upos != "NOUN"
            or not noun.head
            or tree.child(noun.id, "conj", "nummod", "det:numgov")
        ):
            continue
        number = tree[noun.head].feats.get("Number")
        if number not in ("Sing", "Plur") or noun.feats.agrees(Case="Nom", Number=number):
            continue
        feats = {name: noun.feats[name] for name in ("Gender", "Animacy") if name in noun.feats}
        made = inflector.inflect(noun.lemma, "NOUN", {**feats, "Case": "Nom", "Number": number})
        if made is not None and made.lower() == noun.form.lower():
            changes[noun.id] = noun.but(feats=noun.feats.but(Case="Nom", Number=number))
    return changes


def turned(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Dům postavil dědeček*: a subject in the accusative beside an object in the nominative is the other way round."""
    changes: Changes = {}
    for verb in tree.words:
        subject, thing = tree.child(verb.id, "nsubj"), tree.child(verb.id, "obj")
        if subject is None or thing is None or len(tree.children(verb.id, "nsubj", "obj")) != 2:
            continue
        if subject.feats.get("Case") == "Acc" and thing.feats.get("Case") == "Nom":
            changes[subject.id] = subject.but(deprel="obj")
            changes[thing.id] = thing.but(deprel="nsubj")
    return changes

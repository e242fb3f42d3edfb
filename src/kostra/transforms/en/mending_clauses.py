"""Clauses whose verb a parser of English overlooked, so that the subject hangs in the air."""

from __future__ import annotations

from kostra.transforms.en import grammar, lexicon
from kostra.transforms.inflection import Inflector
from kostra.trees import Features, Tree, Word

Changes = dict[int, Word]
_PRESENT = Features({"Mood": "Ind", "Number": "Sing", "Person": "3", "Tense": "Pres", "VerbForm": "Fin"})


def verb_behind_phrase(tree: Tree, inflector: Inflector) -> Changes:
    """*A woman with an umbrella laughs*: no plural stands with *an*, or it has a verb's tag, and a verb is wanted."""
    root = tree.root
    inner = frozenset().union(*(tree.subtree(one.id) for one in tree.words if one.deprel == "acl:relcl"))
    outer = [word for word in tree.words if word.id not in inner]
    if any(word.feats.get("VerbForm") == "Fin" and word.upos != "NOUN" for word in outer):
        return {}
    subject = root if root.upos == "NOUN" else tree.child(root.id, "nsubj")
    if subject is None or subject.upos != "NOUN" or subject.feats.get("Number") == "Plur":
        return {}
    for word in tree.words:
        place = tree.places[word.id]
        tagged = word.xpos == "VBZ"
        if word.id == root.id or place < 3 or not (word.feats.agrees(Number="Plur") or tagged) or word.upos != "NOUN":
            continue
        before = tree.words[place - 1]
        article = next((one for one in tree.children(word.id, "det") if one.lemma.lower() in ("a", "an")), None)
        verbs = {one.lemma for one in inflector.analyses(word.form.lower()) if one.feats.get("Person") == "3"}
        noun = before.head == word.id and before.relation in ("compound", "amod") and before.upos != "VERB"
        alone = tagged and all(tree.places[one.id] > place for one in tree.children(word.id))
        if not (noun and (tagged or article is not None)) and not alone:
            continue
        if len(verbs) == 1 and tree.places[subject.id] < place:
            verb = word.but(upos="VERB", xpos="VBZ", lemma=verbs.pop(), feats=_PRESENT)
            return _around(tree, root, subject, verb, before if noun else None)
    return {}


def _around(tree: Tree, root: Word, subject: Word, verb: Word, noun: Word | None) -> Changes:
    """The sentence hung on its new verb; what was taken for its modifier, if anything, takes its old place."""
    place = tree.places[verb.id]
    changed = {
        verb.id: verb.but(head=0, deprel="root"),
        subject.id: subject.but(head=verb.id, deprel="nsubj"),
    }
    if noun is not None:
        number = "Plur" if noun.xpos == "NNS" else "Sing"
        changed[noun.id] = noun.but(upos="NOUN", feats=Features({"Number": number}), head=verb.head, deprel=verb.deprel)
    if root.id != subject.id:
        changed[root.id] = root.but(head=subject.id, deprel="acl")
    for word in tree.words:
        if word.id in changed:
            continue
        if noun is not None and word.head == verb.id and tree.places[word.id] < place:
            changed[word.id] = word.but(head=noun.id)
        elif word.head == root.id and word.upos == "PUNCT" and tree.places[word.id] > place:
            changed[word.id] = word.but(head=verb.id)
        elif tree.places[word.id] > place and tree.places[word.head] <= place:
            kind = {"nmod": "obl", "acl": "advcl"}.get(word.relation, word.deprel)
            changed[word.id] = word.but(head=verb.id, deprel=kind)
    return changed


def acting_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*The nurse cleaned the wound*: what has an object behind the only noun before it is a past tense."""
    root = tree.root
    if root.upos != "NOUN" or tree.child(root.id, "nsubj", "cop", "case", "conj", "nmod") is not None:
        return {}
    verb = tree.child(root.id, "acl")
    thing = tree.child(verb.id, "obj") if verb is not None else None
    if verb is None or thing is None or not is_act(tree, verb, inflector):
        return {}
    right_behind = tree.places[verb.id] == tree.places[root.id] + 1 and tree.places[thing.id] > tree.places[verb.id]
    named = thing.feats.get("Number") == "Plur" or tree.child(thing.id, "det", "nmod:poss", "nummod") is not None
    if not right_behind or not named or thing.upos != "NOUN":
        return {}
    feats = Features({"Mood": "Ind", "Tense": "Past", "VerbForm": "Fin"})
    return _around(tree, root, root, verb.but(xpos="VBD", feats=feats), None)


def is_act(tree: Tree, word: Word, inflector: Inflector) -> bool:
    """Whether a past participle behind a noun has an object, as only a past tense has one: *the nurse cleaned it*."""
    plain = word.deprel == "acl" and grammar.is_past_participle(word) and not grammar.helpers(tree, word.id)
    if not plain or tree.child(word.id, "obj") is None or tree.child(word.id, "nsubj") is not None:
        return False
    readings = inflector.analyses(word.form.lower())
    told = any(one.feats.get("Tense") == "Past" and one.feats.get("VerbForm") == "Fin" for one in readings)
    return told and word.lemma not in lexicon.NAMING | lexicon.GIVES_TO


def lost_subject(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Anna sits*: a finite verb is no head of a compound; what stands before it is its subject."""
    changed: Changes = {}
    for verb in tree.words:
        place = tree.places[verb.id]
        if verb.upos != "VERB" or verb.feats.get("VerbForm") != "Fin" or not place or tree.child(verb.id, "nsubj"):
            continue
        before = tree.words[place - 1]
        if (
            before.head == verb.id
            and before.relation in ("compound", "nmod", "amod")
            and before.upos in ("NOUN", "PROPN")
        ):
            changed[before.id] = before.but(deprel="nsubj")
            for one in tree.children(verb.id, "det", "amod", "nummod", "compound"):
                if one.id != before.id and tree.places[one.id] < place:
                    changed[one.id] = one.but(head=before.id)
    return changed


def joined_subject(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*The king and the queen have a castle*: both nouns are the subject of the verb behind them."""
    root = tree.root
    verb = tree.child(root.id, "conj")
    if root.upos not in ("NOUN", "PROPN") or verb is None or tree.child(root.id, "cop", "nsubj", "case"):
        return {}
    second, joint = tree.child(verb.id, "nsubj"), tree.child(verb.id, "cc")
    if verb.upos != "VERB" or second is None or joint is None or joint.form.lower() != "and":
        return {}
    start = min(tree.places[one] for one in tree.subtree(second.id))
    if tree.places[joint.id] != start - 1 or tree.child(root.id, "acl") is not None:
        return {}
    changed = {
        verb.id: verb.but(head=0, deprel="root"),
        root.id: root.but(head=verb.id, deprel="nsubj"),
        second.id: second.but(head=root.id, deprel="conj"),
        joint.id: joint.but(head=second.id),
    }
    for one in tree.children(root.id, "punct"):
        changed[one.id] = one.but(head=verb.id)
    if grammar.is_base(verb) and not grammar.helpers(tree, verb.id):
        changed[verb.id] = changed[verb.id].but(xpos="VBP", feats=_PRESENT.but(Number="Plur"))
    return changed


def subject_of_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Two men sitting here are talking*: the men are the subject, and *sitting* is said of them."""
    root = tree.root
    finite = grammar.finite_word(tree, root.id)
    if finite is None or tree.child(root.id, "nsubj") is not None:
        return {}
    for one in tree.children(root.id, "conj", "advcl"):
        noun = tree.child(one.id, "obl", "nsubj")
        if noun is None or not grammar.is_ing(one) or tree.places[one.id] > tree.places[finite.id]:
            continue
        opens = min(tree.places[inner] for inner in tree.subtree(noun.id)) == 0
        if opens and noun.upos == "NOUN" and tree.places[noun.id] + 1 == tree.places[one.id]:
            return {one.id: one.but(head=noun.id, deprel="acl"), noun.id: noun.but(head=root.id, deprel="nsubj")}
    return {}

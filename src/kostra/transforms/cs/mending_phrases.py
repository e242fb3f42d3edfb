"""Phrases that the Czech parser tore apart, mended before any rule looks at a tree."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.cs.agreement import agree
from kostra.transforms.cs.grammar import CZECH
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.looking import is_participle, no_preposition, subject
from kostra.trees import Tree, Word

_FROM_WHERE = frozenset({"zpoza", "zpod", "zpode", "zpřed", "znad", "zprostřed"})
"""Prepositions with the genitive that are taken for adverbs or nouns."""
_BEFORE_NOUN = ("ADJ", "DET", "NUM")


def preposition(tree: Tree, inflector: Inflector) -> Changes:
    """*Zpoza plotu*: a preposition that was taken for another word has the noun behind it, in the genitive."""
    changes: Changes = {}
    for word in tree.words:
        noun = _noun_behind(tree, word)
        if word.form.lower() not in _FROM_WHERE or word.upos == "ADP" or noun is None or not word.head:
            continue
        head = tree[word.head if noun.head == word.id else noun.head]
        relation = "nmod" if head.upos in ("NOUN", "PROPN") else "obl"
        changes[noun.id] = _in_genitive(noun, inflector).but(head=head.id, deprel=relation)
        changes[word.id] = word.but(upos="ADP", head=noun.id, deprel="case", feats=word.feats.but(Case="Gen"))
        changes |= {one.id: one.but(head=noun.id) for one in tree.children(word.id) if one.id != noun.id}
    return changes


def _in_genitive(noun: Word, inflector: Inflector) -> Word:
    """A noun as the dictionary knows it in the genitive, the parser's own lemma first."""
    readings = [one for one in inflector.analyses(noun.form.lower()) if one.upos == "NOUN"]
    readings = [one for one in readings if "Gen" in one.feats.get("Case", "").split(",")]
    if noun.feats.get("Case") == "Gen" or not readings:
        return noun.but(feats=noun.feats.but(Case="Gen"))
    best = min(readings, key=lambda one: one.lemma != noun.lemma)
    said = {name: best.feats.get(name) for name in ("Number", "Gender", "Animacy")}
    return noun.but(lemma=best.lemma, feats=noun.feats.but(Case="Gen", **said))


def _noun_behind(tree: Tree, word: Word) -> Word | None:
    """The noun that ends the phrase right behind a word, if nothing but its modifiers stands between."""
    for one in tree.words[tree.places[word.id] + 1 :]:
        if one.upos in ("NOUN", "PROPN"):
            return one
        if one.upos not in _BEFORE_NOUN:
            return None
    return None


def late_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*S rukou zdviženou nahoru*: a participle behind its noun that was taken for a verb."""
    changes: Changes = {}
    for noun, word in pairwise(tree.words):
        if word.upos != "VERB" or not word.lemma.endswith("ý") or noun.upos != "NOUN" or "Case" not in noun.feats:
            continue
        said = {name: noun.feats[name] for name in ("Case", "Number", "Gender", "Animacy") if name in noun.feats}
        read = word.but(
            upos="ADJ", head=noun.id, deprel="amod", feats=word.feats.but(VerbForm="Part", Voice="Pass", **said)
        )
        read = read.but(feats=read.feats.but(Tense=None, Mood=None, Person=None))
        if noun.head != word.id and agree(inflector, read, noun):
            changes[word.id] = read
    return changes


def listed_noun(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*V botách, zeleném kabátě a čepici*: an adjective behind a comma goes with the noun right behind it."""
    changes: Changes = {}
    for place in range(1, len(tree.words) - 1):
        comma, word, noun = tree.words[place - 1 : place + 2]
        if comma.form != "," or word.relation != "amod" or noun.upos != "NOUN" or noun.head != word.id:
            continue
        first = tree[word.head]
        alike = noun.feats.get("Case") == word.feats.get("Case") == first.feats.get("Case") is not None
        if alike and no_preposition(tree, noun) and tree.places[first.id] < place:
            changes[noun.id] = noun.but(head=first.id, deprel="conj")
            changes[word.id] = word.but(head=noun.id)
            changes[comma.id] = comma.but(head=noun.id)
    return changes


def joined_phrase(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Muž v bundě a s košem v ruce stojí*: what *a* joins before the verb belongs to the subject."""
    changes: Changes = {}
    for place, joint in enumerate(tree.words[:-1]):
        if joint.form.lower() != "a" or joint.upos != "CCONJ":
            continue
        noun = _phrase_at(tree, tree.words[place + 1])
        verb = tree[noun.head] if noun is not None and noun.head else None
        if noun is None or verb is None or not CZECH.is_finite(tree, verb) or noun.relation in ("nsubj", "conj"):
            continue
        who = subject(tree, verb.id)
        ordered = who is not None and tree.places[who.id] < place < tree.places[noun.id] < tree.places[verb.id]
        partner = _partner(tree, who, noun, place) if who is not None and ordered else None
        if partner is not None:
            relation = "nmod" if partner.relation == "dep" else partner.deprel
            changes[partner.id] = partner.but(deprel=relation)
            changes[noun.id] = noun.but(head=partner.id, deprel="conj")
            changes[joint.id] = joint.but(head=noun.id, deprel="cc")
    return changes


def _phrase_at(tree: Tree, first: Word) -> Word | None:
    """The noun of the phrase that a word begins, unless it may be a subject."""
    at = tree[first.head] if first.relation == "case" and first.head else first
    while at.relation in ("amod", "det", "nummod") and at.head:
        at = tree[at.head]
    return at if at.upos == "NOUN" and at.feats.get("Case", "Nom") != "Nom" else None


def _partner(tree: Tree, who: Word, noun: Word, place: int) -> Word | None:
    """The noun in a subject with which one behind *a* is joined: of its case, or with a preposition like it."""
    inside = tree.subtree(who.id)
    before = tree.words[tree.places[who.id] + 1 : place]
    if not before or before[-1].id not in inside or any(one.upos in ("VERB", "AUX", "PUNCT") for one in before):
        return None
    at = before[-1]
    while at.head and at.id != who.id:
        bare = no_preposition(tree, noun)
        like = at.feats.get("Case") == noun.feats.get("Case") if bare else not no_preposition(tree, at)
        if at.upos == "NOUN" and like and (bare or at.head == who.id or is_participle(tree[at.head])):
            return at
        at = tree[at.head]
    return None

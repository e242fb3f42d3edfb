"""Phrases whose head no ending tells but their meaning does: vehicles, ways, purposes; colours with a hyphen.

Each function looks for one pattern and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree, can_have
from kostra.trees import Tree, Word

Changes = dict[int, Word]
_GLUED = "SpaceAfter=No"


def hyphenated_colour(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Czarno-biały pies*: both parts are one modifier, written without blanks."""
    changes: Changes = {}
    words = tree.words
    for place in [place for place, word in enumerate(words[:-2], 1) if words[place].form in "-–" and place]:
        first, hyphen, second = words[place - 1 : place + 2]
        if not first.form.endswith("o") or first.upos not in ("ADV", "ADJ") or "Case" in first.feats:
            continue
        if second.upos != "ADJ" or "Case" not in second.feats:
            continue
        changes[first.id], changes[hyphen.id] = first.but(misc=_GLUED), hyphen.but(misc=_GLUED, head=second.id)
        noun = tree[second.head] if second.head and second.relation == "amod" else None
        if noun is not None and noun.id != first.id and first.head != noun.id:
            lone = first.but(upos="ADJ", feats=first.feats.but(Degree=None), head=noun.id, deprel="amod", misc=_GLUED)
            changes[first.id] = lone
            changes[second.id] = second.but(head=first.id, deprel="conj")
            changes |= {one.id: one.but(head=noun.id) for one in tree.children(first.id) if one.id not in changes}
    return changes


def purpose_of_noun(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*odbija piłkę do siatkówki na plaży*, *skok o tyczce*: what a thing is for is the thing's, the place is not."""
    changes: Changes = {}
    for before, preposition in zip(tree.words, tree.words[1:], strict=False):
        if before.upos != "NOUN" or preposition.form not in ("do", "o") or preposition.relation != "case":
            continue
        noun = tree[preposition.head]
        if preposition.form == "do":
            meant = noun.lemma in lexicon.GAMES or noun.lemma.endswith(("anie", "enie", "cie"))
        else:
            meant = noun.feats.get("Case") == "Loc" and noun.lemma in lexicon.POLES
        if not meant or noun.relation not in ("obl", "nmod") or not noun.head:
            continue
        verb = tree[noun.head] if tree[noun.head].upos == "VERB" else None
        if verb is not None and not grammar.is_inside(tree, before.id, noun.id) and before.head:
            changes[noun.id] = noun.but(head=before.id, deprel="nmod")
        above = grammar.verb_above(tree, noun.id)
        for inner in tree.children(noun.id, "nmod") if above is not None else ():
            where = tree.child(inner.id, "case")
            if where is not None and where.form in lexicon.PLACES and tree.places[above or 0] < tree.places[inner.id]:
                changes[inner.id] = inner.but(head=above or 0, deprel="obl")
    return changes


def way_of_verb(tree: Tree, inflector: Inflector) -> Changes:
    """*jedzie po alejce na hulajnodze*, *ciągnie pana w czapce po piasku*: way and vehicle are the verb's."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or word.upos != "NOUN" or word.feats.get("Case") != "Loc" or not word.head:
            continue
        preposition, noun = tree.child(word.id, "case"), tree[word.head]
        if preposition is None or tree.places[noun.id] > tree.places[word.id]:
            continue
        way = preposition.form == "po" and word.lemma not in lexicon.BODY
        vehicle = preposition.form == "na" and word.lemma in lexicon.VEHICLES
        above = grammar.verb_above(tree, word.id)
        if not (way or vehicle) or above is None or tree.places[above] > tree.places[word.id]:
            continue
        if noun.lemma in lexicon.MOTIONS or noun.lemma.endswith(("anie", "enie", "cie")):
            continue
        if grammar.POLISH.is_animate(tree, noun.id, inflector) or noun.relation == "conj":
            continue
        if not _crosses(tree, word, tree.places[above]):
            changes[word.id] = word.but(head=above, deprel="obl")
    return changes


def _crosses(tree: Tree, word: Word, verb: int) -> bool:
    """Whether a comma or a conjunction stands between a verb and a phrase behind it."""
    return any(one.upos in ("PUNCT", "CCONJ") for one in tree.words[verb : tree.places[word.id]])


def place_of_adjective(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*ogląda film rysunkowy na kanapie*: a place behind an adjective behind its noun is the verb's."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "obl" or word.upos != "NOUN" or not word.head:
            continue
        modifier = tree[word.head]
        if modifier.upos != "ADJ" or modifier.relation != "amod" or grammar.is_participle(modifier):
            continue
        where, noun = tree.child(word.id, "case"), tree[modifier.head]
        if where is None or where.form not in lexicon.PLACES or tree.places[noun.id] > tree.places[modifier.id]:
            continue
        above = grammar.verb_above(tree, noun.id)
        if above is not None and tree.places[above] < tree.places[modifier.id] < tree.places[word.id]:
            changes[word.id] = word.but(head=above)
    return changes


def head_down(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*wisi głową w dół*: the part of the body and where it points go together, and are no object."""
    changes: Changes = {}
    for part, preposition, where in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if part.lemma not in lexicon.BODY or part.feats.get("Case") != "Ins" or where.lemma not in lexicon.DIRECTIONS:
            continue
        if preposition.head == where.id and part.head and grammar.no_preposition(tree, part):
            changes[part.id] = part.but(deprel="obl")
            changes[where.id] = where.but(head=part.id, deprel="nmod")
            for inner in tree.children(where.id, "nmod", "obl"):
                changes[inner.id] = inner.but(head=part.head, deprel="obl")
    return changes


def held_in_arms(tree: Tree, inflector: Inflector) -> Changes:
    """*trzyma na rękach synka*: somebody behind a part of the body is held, not its owner."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or word.feats.get("Case") != "Gen" or not word.head:
            continue
        body = tree[word.head]
        verb = tree[body.head] if body.lemma in lexicon.BODY and body.relation == "obl" and body.head else None
        if verb is None or verb.lemma not in lexicon.HOLDING or tree.child(verb.id, "obj") is not None:
            continue
        if word.upos == "NOUN" and can_have(inflector, word, "Acc") and grammar.no_preposition(tree, word):
            changes[word.id] = word.but(head=verb.id, deprel="obj", feats=word.feats.but(Case="Acc"))
            for one in tree.children(word.id, "amod"):
                changes[one.id] = one.but(feats=one.feats.but(Case="Acc"))
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

"""Predicates that the parser did not see, and phrases that hang beyond the end of their clause.

Each function looks for one pattern that the endings or commas forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree, can_have, is_governed
from kostra.trees import Tree, Word

Changes = dict[int, Word]


def predicate_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*Dzban jest niesiony przez kelnera*: a participle behind *jest* is the predicate, its noun the subject."""
    noun = tree.root
    helper = tree.child(noun.id, "cop")
    if noun.upos != "NOUN" or helper is None or tree.places[helper.id] < tree.places[noun.id]:
        return {}
    place = tree.places[helper.id]
    behind = [one for one in tree.children(noun.id, "amod", "acl") if tree.places[one.id] > place]
    made = next((one for one in behind if grammar.is_participle(one, "Pass")), None)
    if made is None or not can_have(inflector, noun, "Nom") or not agree(inflector, made, noun):
        return {}
    changes = {
        made.id: made.but(head=0, deprel="root", feats=made.feats.but(Case="Nom")),
        noun.id: noun.but(head=made.id, deprel="nsubj:pass", feats=noun.feats.but(Case="Nom")),
        helper.id: helper.but(head=made.id, deprel="aux:pass"),
    }
    for child in tree.children(noun.id):
        if child.id not in changes and tree.places[child.id] > place:
            changes[child.id] = child.but(head=made.id, deprel="obl" if child.relation == "nmod" else child.deprel)
    return changes


def preposition_of_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*obok śpiącej kotki*: a preposition before a participle belongs to the noun behind it."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "case" or not word.head:
            continue
        modifier = tree[word.head]
        if modifier.relation != "amod" or not grammar.is_participle(modifier):
            continue
        noun = tree[modifier.head]
        between = tree.places[word.id] < tree.places[modifier.id] < tree.places[noun.id]
        if (
            noun.upos == "NOUN"
            and between
            and is_governed(inflector, word, noun)
            and grammar.no_preposition(tree, noun)
        ):
            changes[word.id] = word.but(head=noun.id, upos="ADP")
            if noun.relation in ("obj", "iobj", "nsubj"):
                changes[noun.id] = noun.but(deprel="obl")
    return changes


def beyond_the_comma(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*leży z nogami, które są bose, wśród trawy*: behind its closing comma nothing belongs to a relative clause."""
    changes: Changes = {}
    for verb in tree.words:
        if verb.deprel != "acl:relcl" or not verb.head:
            continue
        for phrase in tree.descendants(verb.id):
            if phrase.relation not in ("obl", "nmod"):
                continue
            first = min(tree.places[one] for one in tree.subtree(phrase.id))
            opening, closing = tree.words[first], tree.child(phrase.id, "case")
            if opening.form != "," or opening.head != phrase.id or closing is None or closing.id == opening.id:
                continue
            if tree.places[verb.id] > first or tree.words[first + 1].id != closing.id:
                continue
            above = grammar.verb_above(tree, verb.head)
            of_noun = above is None or tree.places[above] > first
            head, relation = (verb.head, "nmod") if of_noun or above is None else (above, "obl")
            changes[phrase.id] = phrase.but(head=head, deprel=relation)
            changes[opening.id] = opening.but(head=verb.id)
    return changes


def participle_before_subject(tree: Tree, inflector: Inflector) -> Changes:
    """*Ubrany w kożuch woźnica siedzi*: a participle before the subject with which it agrees is the subject's."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "ADJ" or word.relation not in ("xcomp", "advcl", "amod", "acl", "obl") or not word.head:
            continue
        verb = tree[word.head]
        who = grammar.subject(tree, verb.id) if grammar.is_finite(verb) else None
        if who is None or who.upos != "NOUN" or not can_have(inflector, word, "Nom") or not agree(inflector, word, who):
            continue
        place, end = tree.places[word.id], tree.places[who.id]
        between = tree.words[place + 1 : end]
        if place > end or any(one.upos in ("PUNCT", "VERB", "CCONJ") for one in between):
            continue
        changes[word.id] = word.but(head=who.id, deprel="amod", feats=word.feats.but(Case="Nom"))
        for one in between:
            if one.head == verb.id and one.relation in ("obl", "advmod", "iobj"):
                changes[one.id] = one.but(head=word.id)
    return changes


def modifiers_of_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*dwie śpiące na ławce panie*, *towarzyszący jej pan*: the numeral is the noun's, the pronoun is not."""
    changes: Changes = {}
    for word in tree.words:
        modifier = tree[word.head] if word.head else None
        if (
            modifier is not None
            and word.relation == "nummod"
            and modifier.upos == "ADJ"
            and modifier.relation == "amod"
        ):
            noun = tree[modifier.head]
            if noun.upos == "NOUN" and tree.places[word.id] < tree.places[noun.id]:
                changes[word.id] = word.but(head=noun.id)
    for modifier, word, noun in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        mine = modifier.head == noun.id and grammar.is_participle(modifier, "Act") and word.head == noun.id
        if mine and word.form in ("jej", "jemu", "mu", "im") and agree(inflector, modifier, noun):
            changes[word.id] = word.but(head=modifier.id, deprel="iobj")
    return changes


def wearer_as_antecedent(tree: Tree, inflector: Inflector) -> Changes:
    """*obok pana w garniturze, który gra*: who wears a thing, not the thing, does something."""
    changes: Changes = {}
    for verb in tree.words:
        thing = tree[verb.head] if verb.deprel == "acl:relcl" and verb.head else None
        if (
            thing is None
            or thing.lemma not in lexicon.CLOTHES
            or thing.relation != "nmod"
            or not (grammar.is_finite(verb) or tree.child(verb.id, "aux:pass") is not None)
        ):
            continue
        wearer, pronoun = tree[thing.head], grammar.subject(tree, verb.id)
        if pronoun is None or pronoun.lemma != "który" or wearer.feats.get("Number") != thing.feats.get("Number"):
            continue
        men = wearer.feats.agrees(Gender="Masc", Animacy="Hum")
        several = wearer.feats.get("Number") == "Plur"  # only *którzy* tells men from all others
        if (pronoun.form == "którzy") != men if several else wearer.feats.get("Gender") != thing.feats.get("Gender"):
            continue
        if grammar.POLISH.is_animate(tree, wearer.id, inflector):
            changes[verb.id] = verb.but(head=wearer.id)
    return changes


def flat_conjuncts(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*w koszuli, butach i kasku*: of three joined nouns the last hangs on the first, as the second does."""
    changes: Changes = {}
    for word in tree.words:
        second = tree[word.head] if word.relation == "conj" and word.head else word
        if second is word or second.relation != "conj" or word.upos != "NOUN" or second.upos != "NOUN":
            continue
        first = tree[second.head]
        comma = tree.child(second.id, "cc") is None and tree.child(second.id, "punct") is not None
        alike = first.feats.get("Case") == second.feats.get("Case") == word.feats.get("Case")
        if comma and alike and grammar.no_preposition(tree, word):
            changes[word.id] = word.but(head=first.id)
    return changes


def listed_noun(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*w koszuli, czarnych butach i kasku*: a bare locative behind a comma is joined to the one before it."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or word.upos != "NOUN" or not word.head or not grammar.no_preposition(tree, word):
            continue
        head, case = tree[word.head], word.feats.get("Case")
        first = min(tree.places[one] for one in tree.subtree(word.id) if tree[one].upos != "PUNCT")
        mark = tree.words[first - 1]
        if (
            case not in ("Loc", "Ins")
            or head.feats.get("Case") != case
            or mark.form != ","
            or tree.places[head.id] > first
        ):
            continue
        changes[word.id] = word.but(deprel="conj")
        changes[mark.id] = mark.but(head=word.id)
        changes |= {one.id: one.but(head=head.id) for one in tree.children(word.id, "conj")}
    return changes

"""What belongs to which of two verbs, and verbs of clauses that the parser took for something else.

Each function looks for one pattern that the endings forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.inflection import Analysis, Inflector
from kostra.transforms.pl import grammar
from kostra.transforms.pl.agreement import agree, can_have, is_governed
from kostra.trees import Features, Tree, Word

Changes = dict[int, Word]


def verb_of_relative(tree: Tree, inflector: Inflector) -> Changes:
    """*kosz, w którym leżą jabłka*: what stands right behind który and can be a finite verb is one."""
    changes: Changes = {}
    for which, word in zip(tree.words, tree.words[1:], strict=False):
        if which.lemma != "który" or which.head != word.id or word.upos not in ("NOUN", "ADJ", "PRON"):
            continue
        if not word.head:
            continue
        found = _finite(inflector, word)
        noun = _antecedent(tree, which)
        if found is None or noun is None:
            continue
        changes[word.id] = word.but(
            upos="VERB", lemma=found.lemma, feats=Features(found.feats), head=noun.id, deprel="acl:relcl"
        )
        does = which.feats.get("Case") == "Nom" and tree.child(word.id, "case") is None
        changes[which.id] = which.but(deprel="nsubj" if does else "obl")
        for one in tree.children(word.id, "case"):
            changes[one.id] = one.but(head=which.id)
        if does:
            continue
        doer = next((one for one in tree.children(word.id, "nmod") if can_have(inflector, one, "Nom")), None)
        if doer is not None and grammar.no_preposition(tree, doer):
            number = found.feats.get("Number", "Sing")
            changes[doer.id] = doer.but(deprel="nsubj", feats=doer.feats.but(Case="Nom", Number=number))
            for one in tree.words[tree.places[word.id] + 1 : tree.places[doer.id]]:
                if one.upos == "ADJ" and agree(inflector, one, doer):
                    changes[one.id] = one.but(head=doer.id, deprel="amod")
    return changes


def _finite(inflector: Inflector, word: Word) -> Analysis | None:
    """The reading of a word as a finite verb in the third person."""
    readings = [one for one in inflector.analyses(word.form.lower()) if one.feats.get("VerbForm") == "Fin"]
    third = [one for one in readings if one.feats.get("Person") == "3"]
    return min(third, key=lambda one: (one.lemma, sorted(one.feats.items())), default=None)


def _antecedent(tree: Tree, which: Word) -> Word | None:
    """The nearest noun before the comma of a relative clause that has the pronoun's number."""
    before = tree.words[: tree.places[which.id]]
    comma = next((place for place in reversed(range(len(before))) if before[place].form == ","), 0)
    nouns = [one for one in before[:comma] if one.upos == "NOUN"]
    same = [one for one in nouns if one.feats.get("Number") in (which.feats.get("Number"), "Ptan")]
    return same[-1] if same else None


def where_clause(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*po łące, gdzie rosną maki*: a clause with gdzie is said of the place before it, not joined to the verb."""
    changes: Changes = {}
    for comma, where in zip(tree.words, tree.words[1:], strict=False):
        if comma.form != "," or where.lemma != "gdzie" or not where.head:
            continue
        verb, place = tree[where.head], tree.places[comma.id]
        if verb.relation != "conj" or not verb.head or tree.places[verb.head] > place:
            continue
        noun = tree.words[place - 1]
        if noun.upos == "NOUN" and not grammar.is_inside(tree, noun.id, verb.id):
            changes[verb.id] = verb.but(head=noun.id, deprel="acl:relcl")
    return changes


def behind_second_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*zbiega z górki i puszcza latawiec*: what stands right behind the second of two verbs is the second's."""
    changes: Changes = {}
    for first, second in _joined_verbs(tree):
        at = tree.places[second.id]
        for child in tree.children(first.id, "obj", "obl", "iobj", "advmod"):
            start = min(tree.places[one] for one in tree.subtree(child.id))
            between = tree.words[at + 1 : start]
            if start > at and all(grammar.is_inside(tree, one.id, second.id) and one.form != "," for one in between):
                changes[child.id] = child.but(head=second.id)
    return changes


def object_of_second_verb(tree: Tree, inflector: Inflector) -> Changes:
    """*siada i kroi ciasto*: what stands behind the second of two verbs and can be its object is no new subject."""
    changes: Changes = {}
    for first, second in _joined_verbs(tree):
        thing = grammar.subject(tree, second.id)
        if thing is None or thing.upos != "NOUN" or tree.places[thing.id] < tree.places[second.id]:
            continue
        shared = grammar.subject(tree, first.id)
        same = first.feats.get("Number") == second.feats.get("Number") and tree.child(second.id, "obj") is None
        if shared is None or not same or not can_have(inflector, thing, "Acc"):
            continue
        if grammar.reflexive(tree, second.id) is None and grammar.is_transitive(inflector, second):
            for one in (thing, *tree.children(thing.id, "amod", "det")):
                if "Case" in one.feats:
                    changes[one.id] = one.but(feats=one.feats.but(Case="Acc"))
            changes[thing.id] = changes.get(thing.id, thing).but(deprel="obj")
    return changes


def _joined_verbs(tree: Tree) -> Iterator[tuple[Word, Word]]:
    """Two finite verbs joined by *i*, the first before the second."""
    for second in tree.words:
        if second.relation != "conj" or not grammar.is_finite(second) or not second.head:
            continue
        first = tree[second.head]
        plain = any(one.form in grammar.POLISH.conjunctions for one in tree.children(second.id, "cc"))
        if plain and grammar.is_finite(first) and tree.places[first.id] < tree.places[second.id]:
            yield first, second


def preposition_beyond_phrase(tree: Tree, inflector: Inflector) -> Changes:
    """*patrzy na pędzące w stronę mety konie*: a preposition belongs to the noun of the participle behind it."""
    changes: Changes = {}
    for preposition, made in zip(tree.words, tree.words[1:], strict=False):
        if preposition.relation != "case" or not grammar.is_participle(made) or made.relation != "amod":
            continue
        wrong, noun = tree[preposition.head], tree[made.head]
        ordered = tree.places[made.id] < tree.places[wrong.id] < tree.places[noun.id]
        if not ordered or noun.upos != "NOUN" or not can_have(inflector, wrong, "Gen"):
            continue
        between = tree.words[tree.places[made.id] + 1 : tree.places[wrong.id]]
        inner = next((one for one in reversed(between) if one.upos == "NOUN"), None)
        if inner is None or not is_governed(inflector, preposition, noun) or not grammar.no_preposition(tree, noun):
            continue
        changes[preposition.id] = preposition.but(head=noun.id)
        changes[noun.id] = noun.but(head=wrong.head, deprel="obl")
        changes[wrong.id] = wrong.but(head=inner.id, deprel="nmod")
    return changes


def place_of_joined_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*niesie drugiego, śpiącego na kocu*: a phrase right behind a participle is its own."""
    changes: Changes = {}
    for made, preposition in zip(tree.words, tree.words[1:], strict=False):
        if not grammar.is_participle(made) or made.relation != "conj" or preposition.relation != "case":
            continue
        phrase = tree[preposition.head]
        if phrase.head == made.head and phrase.relation in ("nmod", "obl"):
            changes[phrase.id] = phrase.but(head=made.id, deprel="obl")
    return changes


def object_of_participle(tree: Tree, inflector: Inflector) -> Changes:
    """*jedzie drogą przecinającą las*: an object right behind a participle that follows its noun is its own."""
    changes: Changes = {}
    for made in tree.words:
        if not grammar.is_participle(made, "Act") or not made.head or tree.child(made.id, "obj") is not None:
            continue
        verb, place = grammar.verb_above(tree, made.id), tree.places[made.id]
        if verb is None or tree.places[made.head] > place or tree.places[verb] > place:
            continue
        for thing in tree.children(verb, "obj", "nsubj"):
            first = min(tree.places[one] for one in tree.subtree(thing.id))
            fits = first == place + 1 and can_have(inflector, thing, "Acc")
            if fits and grammar.is_transitive(inflector, made):
                changes[thing.id] = thing.but(head=made.id, deprel="obj", feats=thing.feats.but(Case="Acc"))
    return changes


def held_before_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Pan z laską w ręce idzie*: a part of the body behind what somebody has with him says where he has it."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "obl" or word.lemma not in grammar.POLISH.body or not word.head:
            continue
        first = min(tree.places[one] for one in tree.subtree(word.id))
        before = tree.words[first - 1] if first else word
        doer = grammar.subject(tree, word.head)
        behind = before.upos == "NOUN" and tree.places[word.id] < tree.places[word.head] and doer is not None
        if behind and doer is not None and before.id != doer.id and grammar.is_inside(tree, before.id, doer.id):
            changes[word.id] = word.but(head=before.id, deprel="nmod")
    return changes

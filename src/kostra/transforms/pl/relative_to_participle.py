"""A relative clause becomes a participle: *list, który niesie w torbie* → *niesiony w torbie list*."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.edits import in_order, part, with_commas
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.pl import grammar, lexicon
from kostra.trees import Tree, Word


def to_participles(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Turn each relative clause into a participle, before its noun and at its place."""
    for verb in tree.words:
        if verb.deprel == "acl:relcl" and verb.head in tree:
            yield from _swapped(tree, verb, tree[verb.head], tools)


def _swapped(tree: Tree, verb: Word, noun: Word, tools: Tools) -> Iterator[Draft]:
    pronoun = next((one for one in tree.children(verb.id) if one.lemma == "który"), None)
    if pronoun is None or noun.upos not in ("NOUN", "PROPN") or "Case" not in noun.feats:
        tools.why(f"{verb.form} has no który that is its subject or object", verb.id)
        return
    if tree.child(pronoun.id, "case") is not None:
        tools.why(f"{pronoun.form} stands with a preposition", pronoun.id)
        return
    for phrase in _phrases(tree, verb, noun, pronoun, tools):
        yield from _placed(tree, verb, noun, phrase, tools)


def _phrases(tree: Tree, verb: Word, noun: Word, pronoun: Word, tools: Tools) -> Iterator[list[Word]]:
    """The participle with its dependents, in their order."""
    feats = dict(noun.feats)
    if feats.get("Number") == "Ptan":
        feats["Number"] = "Plur"
    if pronoun.relation == "nsubj":
        words = _as_subject(tree, verb, pronoun, feats, tools)
        if words:
            yield words
    elif pronoun.relation == "obj" and pronoun.feats.get("Case") in ("Acc", "Gen"):
        yield from _as_object(tree, verb, pronoun, feats, tools)
    else:
        tools.why(f"{pronoun.form} is neither subject nor direct object", pronoun.id)


def _as_subject(tree: Tree, verb: Word, pronoun: Word, feats: dict[str, str], tools: Tools) -> list[Word] | None:
    helpers = tree.children(verb.id, "aux", "cop")
    gone = {pronoun.id, *(one.id for one in helpers)}
    changed: dict[int, Word] = {}
    for one in (verb, *tree.children(verb.id, "conj")):
        if grammar.is_negated(tree, one.id):
            tools.why("the clause is negated", one.id)
            return None
        if one.upos == "ADJ" and (helpers or tree.child(one.id, "aux", "cop") or one.id != verb.id):
            made = grammar.agreeing(one, feats, tools.inflector)
            gone |= {other.id for other in tree.children(one.id, "aux", "cop")}
        elif (
            grammar.is_finite(one)
            and one.feats.get("Aspect") == "Imp"
            and grammar.subject(tree, one.id) in (None, pronoun)
        ):
            made = grammar.participle(tools.inflector, one, "Act", feats)
        else:
            made = None
        if made is None:
            tools.why(f"{one.form} has no participle with this meaning", one.id)
            return None
        changed[one.id] = made
    return _inside(tree, verb, gone, changed)


def _as_object(tree: Tree, verb: Word, pronoun: Word, feats: dict[str, str], tools: Tools) -> Iterator[list[Word]]:
    if not grammar.is_finite(verb) or grammar.is_negated(tree, verb.id) or verb.lemma in lexicon.NOT_PASSIVE:
        tools.why(f"{verb.form} has no passive participle here", verb.id)
        return
    if any(one.upos in ("VERB", "ADJ") for one in tree.children(verb.id, "conj")) or grammar.reflexive(tree, verb.id):
        tools.why("two predicates, or a reflexive one, do not make one passive participle", verb.id)
        return
    made = grammar.participle(tools.inflector, verb, "Pass", feats)
    if made is None:
        tools.why(f"no passive participle of {verb.form} can be told", verb.id)
        return
    agent: list[Word] = []
    doer = grammar.subject(tree, verb.id)
    gone = {pronoun.id}
    if doer is not None:
        recased = grammar.recased(tree, doer.id, "Acc", tools.inflector)
        if recased is None or doer.upos not in ("NOUN", "PROPN"):
            tools.why(f"{doer.form} cannot follow przez", doer.id)
            return
        inside = tree.subtree(doer.id)
        gone |= inside
        agent = [Word(tree.fresh(), "przez", "przez", "ADP", head=doer.id, deprel="case")]
        agent += [recased.get(word.id, word) for word in part(tree, inside)]
        agent = [word.but(deprel="obl:agent") if word.id == doer.id else word for word in agent]
    words = [word for word in _inside(tree, verb, gone, {}) if word.id != verb.id]
    yield [made, *agent, *words]
    if agent and words:
        yield [made, *words, *agent]


def _inside(tree: Tree, verb: Word, gone: set[int], changed: dict[int, Word]) -> list[Word]:
    """The clause without its pronoun, its auxiliaries and the commas at its ends."""
    words = [changed.get(word.id, word) for word in part(tree, tree.subtree(verb.id)) if word.id not in gone]
    while words and words[0].upos == "PUNCT":
        words.pop(0)
    while words and words[-1].form == ",":
        words.pop()
    return words


HEAVIEST = 6
"""Words of the longest participle phrase that stands before its noun."""


def _placed(tree: Tree, verb: Word, noun: Word, phrase: list[Word], tools: Tools) -> Iterator[Draft]:
    clause = with_commas(tree, tree.subtree(verb.id), clause_openers=lexicon.CLAUSE_OPENERS)
    phrase = [word.but(head=noun.id, deprel="amod") if word.id == verb.id else word for word in phrase]
    rest = [word for word in tree.words if word.id not in clause]
    edited = (verb.id, noun.id)
    doubts = ("inflected", "comma", *["coordinated"] * len(tree.children(verb.id, "conj")))
    if len(phrase) > 1:
        first = min(tree.places[one] for one in clause)
        place = sum(word.id not in clause for word in tree.words[:first])
        yield Draft(in_order(tree, [*rest[:place], *phrase, *rest[place:]]), "participle behind", edited, doubts)
    if len(phrase) > HEAVIEST or any(word.form == "," or grammar.is_finite(word) for word in phrase):
        tools.why(f"too much hangs on {verb.form} to stand before {noun.form}", verb.id)
        return
    front = _front(tree, noun)
    place = next(place for place, word in enumerate(rest) if word.id == front)
    heavy = ("heavy",) * (len(phrase) // 5)
    yield Draft(
        in_order(tree, [*rest[:place], *phrase, *rest[place:]]), "participle before", edited, (*doubts, "moved", *heavy)
    )
    if front != noun.id and len(phrase) == 1:
        place = next(place for place, word in enumerate(rest) if word.id == noun.id)
        tree_near = in_order(tree, [*rest[:place], *phrase, *rest[place:]])
        yield Draft(tree_near, "participle before", edited, (*doubts, "moved", *heavy))


def _front(tree: Tree, noun: Word) -> int:
    """The word before which a participle of a noun stands: its first adjective, or itself."""
    for child in tree.children(noun.id, "amod"):
        if tree.places[child.id] < tree.places[noun.id]:
            inside = tree.subtree(child.id)
            return next(word.id for word in tree.words if word.id in inside)
    return noun.id

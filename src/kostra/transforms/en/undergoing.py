"""Whether what stands behind an English verb is acted upon, and whether its parts stay together in the passive."""

from __future__ import annotations

from kostra.transforms.donors import preposition
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.shared import looking
from kostra.trees import Tree, Word

_WHITHER = lexicon.words("whither")
_PLAYED_ON = frozenset({"play", "perform", "sing"})


def loose_part(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """What would stand alone, or with the wrong word, if a clause became passive; None if nothing would."""
    if _is_bare(tree, subject):
        return f"{subject.form} has no article"  # by woman in a hat
    if thing.lemma in lexicon.COLOURS:
        return f"{thing.form} says how something is made to look"  # paints a wall green
    if verb.lemma in _PLAYED_ON and any(preposition(tree, one) == "on" for one in tree.children(thing.id, "nmod")):
        return f"what {thing.form} is played on belongs to {verb.form}"
    for one in tree.children(verb.id, "obl", "nmod"):
        beside = preposition(tree, one).partition(" ")[0]
        if beside in lexicon.DIRECTIONS and verb.lemma not in _WHITHER and _is_behind(tree, one, thing):
            return f"{one.form} may belong to {thing.form}"  # awaits the answer from her neighbour
    if any(tree.child(one.id, "mark") is not None and grammar.is_base(one) for one in tree.children(thing.id, "acl")):
        return f"what {thing.form} is to do belongs to {verb.form}"  # encouraged the guests to dance
    if reason := _unlike_a_thing(tree, verb, thing) or _trailing(tree, verb, thing):
        return reason
    mine = tree.subtree(subject.id) | tree.subtree(thing.id)
    for one in tree.descendants(verb.id):
        lone = grammar.is_ing(one) and looking.subject(tree, one.id) is None and not grammar.helpers(tree, one.id)
        if lone and one.id not in mine and not looking.is_in_relative(tree, one, verb):
            return f"{one.form} may be done by {subject.form}"
    return None


def _unlike_a_thing(tree: Tree, verb: Word, thing: Word) -> str | None:
    """Why an object is rather a part of what the verb says, or None."""
    if thing.form.lower() == "it":
        return f"it may be a part of what {verb.form} says"  # knocks it over the fence: she succeeds
    if any(one.form.lower() == "like" for one in tree.descendants(verb.id)):
        return "what it is like belongs to the subject"
    if verb.lemma == "bring" and tree.child(verb.id, "obl", "iobj") is None:
        return f"{verb.form} says little without whither"
    for one in tree.children(verb.id, "obl"):
        if preposition(tree, one) == "with" and (one.upos == "PROPN" or ENGLISH.is_animate(tree, one.id)):
            return f"{one.form} may be with the subject or the object"
    if verb.lemma == "surround" and tree.child(verb.id, "obl") is not None:
        return f"what {thing.form} is surrounded with cannot be told"
    return None


def _trailing(tree: Tree, verb: Word, thing: Word) -> str | None:
    """Why a phrase at the end of an object is rather the verb's: *pulls a sledge loaded with wood up a slope*."""
    up = next((one for one in tree.descendants(thing.id) if one.form.lower() in ("up", "down", "along")), None)
    if up is not None and verb.lemma in _WHITHER | lexicon.MOTION:
        return f"{up.form} may say whither {thing.form} goes"
    loose = tree.child(thing.id, "acl") is not None
    for one in tree.descendants(thing.id):
        beside = preposition(tree, one).partition(" ")[0]
        whither = beside in lexicon.DIRECTIONS - {"to", "from"} and verb.lemma in _WHITHER | lexicon.MOTION
        there = loose and beside in ("in", "on", "at", "near", "to", "from") and one.lemma in lexicon.SCENES
        if whither or there:
            return f"{one.form} may belong to {verb.form} rather than to {thing.form}"
    return None


def _is_bare(tree: Tree, subject: Word) -> bool:
    """Whether somebody is named as headlines do it: *child holds up a picture*."""
    if (
        subject.upos != "NOUN"
        or subject.feats.get("Number") != "Sing"
        or subject.lemma.lower() in ("someone", "somebody")
    ):
        return False
    named = tree.child(subject.id, "det", "nummod", "nmod:poss") is not None
    return not named and ENGLISH.is_animate(tree, subject.id)


def _is_behind(tree: Tree, phrase: Word, thing: Word) -> bool:
    """Whether a phrase stands right behind an object."""
    end = max(tree.places[one] for one in tree.subtree(thing.id))
    return min(tree.places[one] for one in tree.subtree(phrase.id)) == end + 1

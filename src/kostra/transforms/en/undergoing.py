"""Whether what stands behind an English verb is acted upon, and whether its parts stay together in the passive."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.donors import preposition
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.shared import looking
from kostra.trees import Tree, Word

_WHITHER = lexicon.words("whither")
_QUOTES = frozenset({'"', "“", "”", "``", "''", "„", "«", "»", "‘"})
_FINDING = frozenset({"find", "make", "keep", "leave", "call", "consider", "get", "render", "deem", "think", "turn",
                      "hold", "believe"})  # fmt: skip
"""Verbs that say what an object is like: *keeps the room warm*."""
_NO_ADVERBIAL = frozenset({"while", "when", "whilst", "as", "because", "although", "though", "if", "until"})
_PLAYED_ON = frozenset({"play", "perform", "sing"})


def loose_part(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """What would stand alone, or with the wrong word, if a clause became passive; None if nothing would."""
    if _is_bare(tree, subject):
        return f"{subject.form} has no article"  # by woman in a hat
    if reason := _mixed(tree, verb, thing) or _headline(tree, verb, thing):
        return reason
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


def _mixed(tree: Tree, verb: Word, thing: Word) -> str | None:
    """Why an object holds what is no part of it: a clause, a quotation, what it is found to be."""
    behind = tree.words[tree.places[verb.id] + 1 :]
    if any(one.form in _QUOTES for one in behind):
        return "where a quotation belongs cannot be told"
    if any(one.form.lower() == "off" and two.form.lower() == "of" for one, two in pairwise(behind)):
        return f"what {thing.form} is off belongs beside it"  # peels the labels off of jars
    inside = [tree[one] for one in tree.subtree(thing.id)]
    clause = next((one for one in inside if one.relation == "advcl"), None)
    clause = clause or next((one for one in inside if one.form.lower() in _NO_ADVERBIAL), None)
    if clause is not None:
        return f"{clause.form} is no part of the phrase with {thing.form}"  # rides a mule while singing
    last = max(inside, key=lambda one: tree.places[one.id])
    after = next((one for one in tree.words[tree.places[last.id] + 1 :]), None)
    like = [one for one in (last, after) if one is not None and _may_be_quality(one)]
    if verb.lemma in _FINDING and like:
        return f"{like[0].form} may say what {thing.form} is like"  # keeps the soup warm
    return None


def _may_be_quality(word: Word) -> bool:
    """Whether a word is an adjective, or a noun that looks like one."""
    looks = ("able", "ible", "ful", "less", "ous", "ive", "ant", "ing", "ic")
    told = word.upos == "ADJ" or word.xpos in ("JJ", "VBN")
    return told or (word.upos == "NOUN" and word.feats.get("Number") != "Plur" and word.form.endswith(looks))


def _headline(tree: Tree, verb: Word, thing: Word) -> str | None:
    """A sentence without any article, as in headlines: *storm hits coast*."""
    if grammar.helpers(tree, verb.id) or any(one.upos in ("DET", "PRON") for one in tree.words):
        return None
    one = thing.upos == "NOUN" and thing.feats.get("Number") == "Sing" and tree.child(thing.id, "nummod") is None
    return f"{thing.form} has no article" if one or tree.words[-1].upos != "PUNCT" else None


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

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
    mine = tree.subtree(subject.id) | tree.subtree(thing.id)
    for one in tree.descendants(verb.id):
        lone = grammar.is_ing(one) and looking.subject(tree, one.id) is None and not grammar.helpers(tree, one.id)
        if lone and one.id not in mine and not looking.is_in_relative(tree, one, verb):
            return f"{one.form} may be done by {subject.form}"
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

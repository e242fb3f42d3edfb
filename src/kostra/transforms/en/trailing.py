"""What stands behind the object of an English verb, and where the agent of a passive stands beside it."""

from __future__ import annotations

from kostra.transforms.donors import preposition
from kostra.transforms.edits import in_order, is_comma
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.trees import Tree, Word

MOST = 7
"""Words of the longest phrase that the agent may follow."""
_SHORT = 3
"""Words of the longest time that a heavy agent follows."""
_WHITHER = lexicon.words("whither")
_PUTTING = frozenset({"put", "place", "lay", "hang", "paint", "draw", "write", "stick", "drop", "pour", "throw", "load",
                      "plant", "mount", "install"})  # fmt: skip
_SEEING = frozenset({"watch", "photograph", "film", "record", "draw", "paint", "describe", "interview", "spot"})
"""What is done to somebody from elsewhere, so that a place may be theirs: *films a boy on a swing*."""
_STATIC = frozenset({"in", "on", "at", "near", "outside", "inside", "behind", "under", "beside", "beneath"})
_LIES_ON = frozenset({"table", "desk", "wall", "tree", "fence", "roof", "window", "rail", "log", "carpet", "bush",
                      "gate", "step", "stair", "chair", "fire", "bus", "car", "train", "boat", "building"})  # fmt: skip
"""Where things are as often as people: *repairs a lamp on a wall*."""
_OCCASIONS = lexicon.words("occasions")
_WHEN = frozenset({"during", "after", "before", "since", "until"})
_MOMENTS = frozenset({"sunset", "sunrise", "dawn", "dusk", "noon", "midnight", "christmas", "easter", "war"})
_WAYS = frozenset({"way", "manner", "fashion"})
_BACK = frozenset({"his", "her", "its", "their", "them", "him"})
"""What points to the agent, and cannot stand before it."""


def with_times(tree: Tree) -> Tree:
    """The tree in which a day or year behind an object hangs on the verb: *approved the plan on Monday*."""
    late = {}
    for one in tree.words:
        thing = tree[one.head] if one.head else one
        dated = one.upos == "NUM" or (one.upos == "PROPN" and one.lemma.lower() in lexicon.TIMES)
        if one.deprel == "nmod" and thing.deprel == "obj" and dated and preposition(tree, one) in ("on", "in"):
            late[one.id] = one.but(head=thing.head, deprel="obl")
    return in_order(tree, [late.get(one.id, one) for one in tree.words]) if late else tree


def trailing(tree: Tree, verb: Word, thing: Word) -> list[Word]:
    """What hangs on a verb behind its object, without further clauses."""
    end = max(tree.places[one] for one in tree.subtree(thing.id))
    loose = ("punct", "conj", "cc", "parataxis", "compound:prt")
    return [one for one in tree.children(verb.id) if tree.places[one.id] > end and one.deprel not in loose]


def cannot_trail(tree: Tree, verb: Word, thing: Word) -> str | None:
    """Why what stands behind an object may be its own, or would stand badly beside an agent; None if it will do."""
    for one in tree.children(verb.id, "conj"):
        joint = tree.child(one.id, "cc")
        if joint is not None and not is_comma(tree.words[tree.places[joint.id] - 1]):
            return f"what {one.form} is told of would be joined with the agent"  # by a girl and a boy is singing
    if loose := _dangling(tree, thing):
        return f"{loose.form} behind a comma is said of the subject"
    rest = trailing(tree, verb, thing)
    if len(rest) > 1 and kind(tree, verb, thing, rest[0]) != "time":
        return f"{rest[1].form} stands far behind {verb.form}"
    for one in rest:
        if kind(tree, verb, thing, one) is None:
            return f"{one.form} may belong to {thing.form}, or needs the subject"
        if tree.child(thing.id, "conj") is not None:
            return f"{one.form} may belong to the last of several"
        if any(word.form.lower() in _BACK for word in (one, *tree.descendants(one.id))) and one.relation != "advcl":
            return f"something beside {one.form} points to the subject"
    return None


def _dangling(tree: Tree, thing: Word) -> Word | None:
    """The participle of a phrase behind a comma, which would dangle: *plays a harp, sitting in the shade*."""
    at_comma = False
    for one in tree.words[tree.places[thing.id] + 1 :]:
        participle = grammar.is_ing(one) or grammar.is_past_participle(one)
        if at_comma and participle and not grammar.helpers(tree, one.id):
            return one
        at_comma = is_comma(one) or (at_comma and one.upos in ("ADV", "ADP", "DET", "ADJ", "NOUN"))
    return None


def kind(tree: Tree, verb: Word, thing: Word, one: Word) -> str | None:
    """What a dependent behind an object says, where it is sure to be the verb's: a place, a time, a means."""
    if one.relation == "advcl":
        own = tree.child(one.id, "nsubj") is not None
        return "clause" if own and any(word.form == "while" for word in tree.children(one.id, "mark")) else None
    if one.upos == "ADV":
        return "manner" if one.form.endswith("ly") and not tree.children(one.id) else None
    if one.relation != "obl" or one.upos not in ("NOUN", "PROPN", "NUM"):
        return None
    beside = preposition(tree, one)
    if any(word.relation == "acl" for word in tree.descendants(one.id)):
        return None
    if one.lemma.lower() in lexicon.TIMES | _MOMENTS or one.upos == "NUM" or beside in _WHEN:
        return "time"
    if beside == "in" and (one.lemma in lexicon.WORN or one.lemma in _WAYS):
        return "manner" if one.lemma in _WAYS else None  # drops a coin in a grey coat
    nested = [word for word in tree.descendants(one.id) if word.relation == "nmod" and preposition(tree, word)]
    if any(preposition(tree, word) != "of" for word in nested) or len(tree.subtree(one.id)) > MOST:
        return None
    return _of_phrase(tree, verb, thing, one, beside)


def _of_phrase(tree: Tree, verb: Word, thing: Word, one: Word, beside: str) -> str | None:
    about = beside == "to" and thing.lemma in lexicon.RELATIONAL  # stole the key to the cellar
    whither = beside.partition(" ")[0] in lexicon.DIRECTIONS and verb.lemma in _WHITHER and not about
    onto = verb.lemma in _PUTTING and beside in ("on", "in", "into", "onto")
    if whither or (onto and thing.lemma not in lexicon.SCENES):
        return "whither"  # paints a fish on a wall, and not: a house on a hill
    if beside == "with" and one.lemma in lexicon.INSTRUMENTS:
        return "means"
    the = any(word.form.lower() == "the" for word in tree.children(one.id, "det"))
    if beside in ("in", "on") and one.lemma in lexicon.BODY and the:
        return "whither"
    fixed = thing.lemma in lexicon.SCENES | lexicon.RELATIONAL or (
        ENGLISH.is_animate(tree, thing.id) and verb.lemma in _SEEING
    )
    lies = one.lemma in _LIES_ON and beside in ("in", "on")
    there = one.upos == "PROPN" or (one.lemma in lexicon.SCENES | _OCCASIONS and not lies)
    return "place" if beside in _STATIC and there and not fixed else None


def orders(tree: Tree, verb: Word, thing: Word, *, heavy: bool) -> tuple[str, ...]:
    """Where the agent stands: before a time, a clause and, if short, a means; behind anything else that is short."""
    rest = trailing(tree, verb, thing)
    said = kind(tree, verb, thing, rest[0]) if rest else None
    if said in (None, "manner", "means", "whither"):
        return ("agent last",) if heavy or said in ("manner", "whither") else ("agent first",)
    if said == "place":
        return ("agent last",) if heavy or preposition(tree, rest[0]) == "in" else ("agent first", "agent last")
    if not heavy:
        return ("agent first",)
    short = said == "time" and len(tree.subtree(rest[0].id)) <= _SHORT
    return ("agent last",) if short else ()

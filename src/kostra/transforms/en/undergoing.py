"""Which English clauses have a passive that anybody would say: a plain agent, a plain object, and little else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from kostra.transforms.donors import preposition
from kostra.transforms.edits import is_comma, is_unbroken, part
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.trees import Tree, Word

_USUAL = lexicon.words("passive_verbs")
_ONLY_WITH = {
    "take": lexicon.words("taken_objects"),
    "give": lexicon.words("given_objects"),
    "pass": lexicon.words("passed_objects"),
}
"""Verbs that are light beside other objects."""
_OF_SOMEBODY = frozenset({"show", "carry", "bring", "end", "use", "draw", "take", "hold", "walk", "bomb",
                          "paint"})  # fmt: skip
"""What only somebody does, so that a thing of which it is told does something else."""
_OWN = frozenset({"my", "your", "his", "her", "its", "our", "their", "other", "another", "own", "each"})
"""What in an object points to the subject."""
_QUOTES = frozenset({'"', "“", "”", "``", "''", "„", "«", "»", "‘"})
_FINDING = frozenset({"make", "call", "consider", "render", "turn", "hold", "paint", "dye", "cut"})
"""Verbs that say what an object is or becomes: *makes the soup thick*."""
_GENERIC = frozenset({"people", "person", "guy", "folk", "human", "individual", "other"})
"""Agents that say nothing alone: *by people*."""
_ELSEWHERE = frozenset({"yet", "both", "together", "there", "here", "each", "one", "who", "that", "which", "than",
                        "well", "badly", "hard", "fast", "like", "sometimes", "often", "as"})  # fmt: skip
_OF_OBJECTS = frozenset({"of", "about"})
"""Prepositions of phrases behind an object that are its own: *a picture of a boat*."""
_INSIDE = frozenset({"det", "amod", "compound", "nummod", "nmod", "case", "flat", "cc", "conj",
                     "advmod", "punct", "goeswith"})  # fmt: skip
"""Relations of what an object may hold."""


def not_undergone(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why a clause has no passive that is sure to be good, or None."""
    checks: tuple[Callable[[Tree, Word, Word, Word], str | None], ...] = (
        _unusual, _misplaced, _odd_agent, _odd_object, _one_expression, _mixed,
    )  # fmt: skip
    return next((reason for check in checks if (reason := check(tree, verb, subject, thing))), None)


def _unusual(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Only verbs of which people use the passive, with their agent."""
    if verb.lemma not in _USUAL or verb.form[0].isupper():
        return f"{verb.lemma} has no usual passive"
    if thing.lemma not in _ONLY_WITH.get(verb.lemma, {thing.lemma}) and tree.child(verb.id, "compound:prt") is None:
        return f"{verb.form} {thing.form} says what {subject.form} does"
    if (particle := tree.child(verb.id, "compound:prt")) and verb.lemma not in lexicon.WITH_PARTICLE:
        return f"{particle.form} may be a preposition, and {verb.form} {particle.form} without a passive"
    if verb.lemma in _OF_SOMEBODY and not _is_somebody(tree, subject):
        return f"{subject.form} does nothing"  # the picture shows a ship
    could = any(one.form.lower() in ("could", "can") for one in grammar.helpers(tree, verb.id))
    if could and verb.lemma == "use":
        return f"could {verb.form} may say what {subject.form} needs"  # the hall could use some paint
    return None


def _is_somebody(tree: Tree, word: Word) -> bool:
    return word.upos == "PROPN" or ENGLISH.is_animate(tree, word.id)


def _odd_agent(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why a subject would not follow *by* well."""
    words = part(tree, tree.subtree(subject.id))
    opens = words[0].form.lower()
    if any(one.upos in ("ADV", "VERB", "AUX", "INTJ") for one in words[:2]) or opens in lexicon.SENTENCE_ADVERBS:
        return f"the phrase with {subject.form} begins with something else"
    if {"the", "other"} <= {one.form.lower() for one in tree.children(subject.id, "det", "amod")}:
        return f"{subject.form} is set against another"  # one girl is eating a pear, and the other girl …
    start = tree.places[words[0].id]
    if start and words[0].upos == "PROPN" and tree.words[start - 1].upos in ("PROPN", "NUM"):
        return f"the name {subject.form} may begin before it"
    if any(one.upos in ("VERB", "AUX") and one.feats.get("VerbForm") == "Fin" for one in words):
        return f"a verb stands in the phrase with {subject.form}"
    if subject.upos == "PROPN" and tree.child(subject.id, "nmod") is not None:
        return f"a phrase stands between {subject.form} and {verb.form}"
    named = tree.child(subject.id, "det", "nummod", "nmod:poss") is not None
    single = subject.upos == "NOUN" and subject.feats.get("Number") == "Sing" and opens not in ("someone", "somebody")
    if single and not named and ENGLISH.is_animate(tree, subject.id) and opens not in ("police", "parliament"):
        return f"{subject.form} has no article"  # by woman in a hat
    if subject.lemma.lower() in _GENERIC and not tree.children(subject.id):
        return f"by {subject.form} says nothing"
    same = subject.lemma.lower() == thing.lemma.lower()
    return f"{thing.form} and {subject.form} would be confused" if same else None


def _odd_object(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why an object would not open a sentence well: only a plain noun phrase does, with *of* and a noun at most."""
    words = part(tree, tree.subtree(thing.id))
    if words[0].form.lower() in lexicon.PREPOSITIONS or words[0].upos in ("ADP", "PUNCT"):
        return f"{words[0].form} may be a preposition"  # rows past old bridges
    if any(one.form.lower() in _OWN for one in words):
        return f"something in the phrase with {thing.form} points back to the subject"
    if thing.form.lower() == "it":
        return f"it may be a part of what {verb.form} says"  # knocks it over the fence: she succeeds
    for one in words:
        beside = preposition(tree, one)
        ours = one.deprel != "nmod" or not beside or beside in _OF_OBJECTS
        if one.id != thing.id and (one.relation not in _INSIDE or not ours):
            return f"{one.form} may belong to {verb.form} rather than to {thing.form}"
        if tree.places[one.id] > tree.places[thing.id] and (one.upos == "VERB" or grammar.is_ing(one)):
            return f"what {one.form} says may go on"  # pictures of a couple dancing in a park
        if one.lemma.lower() in lexicon.TIMES and one.relation in ("appos", "nmod", "obl"):
            return f"{one.form} says when, and is no part of {thing.form}"
    behind = [one for one in tree.children(thing.id, "amod", "det") if tree.places[one.id] > tree.places[thing.id]]
    if behind:
        return f"{behind[0].form} stands behind {thing.form}"
    return _odd_pair(tree, subject, thing)


def _odd_pair(tree: Tree, subject: Word, thing: Word) -> str | None:
    """Why two objects may be one and something else: only *a cup and a plate* surely are two."""
    joined = tree.children(thing.id, "conj")
    for one in (thing, *joined) if joined else ():
        if tree.child(one.id, "det", "nummod") is None or one.upos != thing.upos:
            return f"{one.form} may be joined with something else"  # blocked the road and burnt tyres
    if joined and tree.child(subject.id, "conj") is not None:
        return "too much would be joined"
    return None


def _one_expression(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why verb and object say together what the subject does."""
    if thing.lemma.lower() in lexicon.TIMES:
        return f"{thing.form} is a stretch, and hardly acted upon"
    if verb.lemma in lexicon.LIGHT_VERBS and thing.lemma in lexicon.ACTIONS:
        return f"{verb.form} {thing.form} says what {subject.form} does"
    bare = tree.child(thing.id, "det", "nmod:poss", "nummod", "amod", "compound") is None
    if bare and thing.feats.get("Number") == "Sing" and thing.lemma in lexicon.SCENES | lexicon.ANIMATE:
        return f"{verb.form} {thing.form} says what {subject.form} does"  # play house
    if thing.lemma in lexicon.BODY and tree.child(thing.id, "det", "nmod:poss") is None:
        return f"{thing.form} is a part of {subject.form}"  # shakes hands
    if verb.lemma in lexicon.GIVES_TO and tree.child(thing.id, "compound", "nmod:poss") is not None:
        return f"{verb.form} may have two objects"
    return None


def _mixed(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:  # noqa: ARG001 - one of several checks
    """What in a clause makes something else of it: a quotation, capitals, what an object becomes, a headline."""
    behind = tree.words[tree.places[verb.id] + 1 :]
    if any(one.form in _QUOTES for one in behind):
        return "where a quotation belongs cannot be told"
    if sum(one.form.isupper() and len(one.form) > 1 for one in tree.words) > 1:
        return "words in capitals"
    if any(one.form.lower() == "off" and two.form.lower() == "of" for one, two in pairwise(behind)):
        return f"what {thing.form} is off belongs beside it"  # peels the labels off of jars
    if odd := next((one for one in tree.descendants(verb.id) if one.form.lower() in _ELSEWHERE), None):
        return f"{odd.form} would belong elsewhere"
    end = max(tree.places[one] for one in tree.subtree(thing.id))
    like = [one for one in tree.words[end : end + 2] if _may_be_quality(one)]
    if thing.lemma in lexicon.COLOURS or (verb.lemma in _FINDING and like):
        return f"{thing.form} may be said to be like something"  # paints a wall green
    if grammar.helpers(tree, verb.id) or any(one.upos in ("DET", "PRON", "NUM") for one in tree.words):
        return None
    single = thing.upos == "NOUN" and thing.feats.get("Number") == "Sing"
    return f"{thing.form} has no article" if single or tree.words[-1].upos != "PUNCT" else None  # storm hits coast


def _may_be_quality(word: Word) -> bool:
    """Whether a word is an adjective, or a noun that looks like one."""
    looks = ("able", "ible", "ful", "less", "ous", "ive", "ant", "ing", "ic")
    told = word.upos == "ADJ" or word.xpos in ("JJ", "VBN")
    return told or (word.upos == "NOUN" and word.feats.get("Number") != "Plur" and word.form.endswith(looks))


def _misplaced(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why the parts of a clause stand as they would not in a plain statement, or None."""
    group = {verb.id, *(one.id for one in grammar.helpers(tree, verb.id))}
    first = min(tree.places[one] for one in group)
    last = max(tree.places[one] for one in tree.subtree(subject.id))
    between = tree.words[last + 1 : tree.places[verb.id]]
    if last > first or any(one.id not in group and one.upos != "ADV" for one in between):
        return f"something stands between {subject.form} and {verb.form}"
    if tree.child(subject.id, "case") is not None or tree.places[thing.id] < tree.places[verb.id]:
        return f"{subject.form} or {thing.form} does not stand where it should"
    start = min(tree.places[one] for one in tree.subtree(thing.id))
    receiver = tree.child(verb.id, "iobj")
    allowed = tree.subtree(receiver.id) if receiver is not None else frozenset()
    for one in tree.words[tree.places[verb.id] + 1 : start]:
        manner = one.upos == "ADV" and one.form.lower().endswith("ly")
        if one.deprel != "compound:prt" and one.id not in allowed and not manner:
            return f"something stands between {verb.form} and {thing.form}"
    made_so = verb.lemma == "make"  # made her a captain
    if receiver is not None and (made_so or verb.lemma not in lexicon.GIVES_TO | lexicon.GIVES_FOR):
        return f"{verb.form} has two objects"
    return _not_opening(tree, verb, subject) or _torn(tree, subject, thing)


def _not_opening(tree: Tree, verb: Word, subject: Word) -> str | None:
    """Why what stands before a subject does not just open its clause: *In May*, *and*, *often*; or None."""
    if verb.relation == "conj" and not ENGLISH.is_predicate(tree, tree[verb.head]):
        return f"{verb.form} is joined with a phrase"  # a girl wearing shorts and a cap is playing chess
    start = min(tree.places[one] for one in tree.subtree(subject.id))
    for one in tree.children(verb.id):
        opens = one.relation in ("obl", "advmod", "cc", "punct") and one.upos != "VERB"
        if tree.places[one.id] < start and not opens:
            return f"{one.form} stands before the subject"
    return None


def _torn(tree: Tree, subject: Word, thing: Word) -> str | None:
    """Why subject or object is not one phrase, or None."""
    for top in (subject, thing):
        inside = part(tree, tree.subtree(top.id))
        if not is_unbroken(tree, tree.subtree(top.id)):
            return f"{top.form} is in two parts"
        if any(is_comma(word) for word in inside) and any(word.relation in ("acl", "appos") for word in inside):
            return f"a clause between commas hangs on {top.form}"
    end = max(tree.places[one] for one in tree.subtree(thing.id))
    owns = end + 1 < len(tree.words) and tree.words[end + 1].form in ("'s", "’s")
    return f"{thing.form} owns what follows" if owns else None

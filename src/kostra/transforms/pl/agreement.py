"""Agreement and government as the morphological analyser sees them, whatever a parser said."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import lexicon
from kostra.trees import Tree, Word

Cell = tuple[str, str, str]
"""Case, number and gender (with animacy) of one reading."""
_REMEMBERED = 100_000


def cells(inflector: Any, form: str, upos: str) -> frozenset[Cell]:
    """The cases, numbers and genders that a form can have; none for a word the analyser does not know."""
    return _cells(inflector, form, upos)


@lru_cache(maxsize=_REMEMBERED)
def _cells(inflector: Any, form: str, upos: str) -> frozenset[Cell]:  # Any: a protocol does not say that it is hashable
    readings = inflector.analyses(form) or inflector.analyses(form.lower())
    if form[:1].isupper() and upos != "PROPN":
        readings = inflector.analyses(form.lower()) or readings
    wanted = {"NOUN": ("NOUN",), "PROPN": ("NOUN",), "ADJ": ("ADJ",), "DET": ("ADJ", "NUM"), "NUM": ("NUM", "ADJ")}
    found: set[Cell] = set()
    for one in readings:
        if one.upos not in wanted.get(upos, ("NOUN", "ADJ", "NUM", "PRON")) or "Case" not in one.feats:
            continue
        numbers = "Plur" if one.feats.get("Number") in ("Ptan", "Plur,Ptan") else one.feats.get("Number", "Sing,Plur")
        gender = one.feats.get("Gender", "Masc,Fem,Neut")
        animacy = one.feats.get("Animacy", "Hum,Nhum,Inan")
        genders = [f"Masc {kind}" for kind in animacy.split(",")] if "Masc" in gender else []
        genders += [other for other in ("Fem", "Neut") if other in gender]
        found |= {
            (c, n, g) for c in one.feats["Case"].split(",") if c != "Voc" for n in numbers.split(",") for g in genders
        }
    return frozenset(found)


@lru_cache(maxsize=_REMEMBERED)
def _agree(inflector: Any, first: str, first_upos: str, second: str, second_upos: str) -> bool:
    left, right = cells(inflector, first, first_upos), cells(inflector, second, second_upos)
    return not left or not right or not left.isdisjoint(right)


@lru_cache(maxsize=_REMEMBERED)
def _lexemes(inflector: Any, form: str, upos: str) -> tuple[tuple[str, str], ...]:
    """The lemmas that a form can have, each with its aspect, if it has one."""
    found = (one for one in inflector.analyses(form.lower()) if one.upos == upos)
    return tuple(sorted({(one.lemma, one.feats.get("Aspect", "")) for one in found}))


def lexemes_of(inflector: Any, word: Word) -> tuple[tuple[str, str], ...]:
    """The lemmas that a word can have, each with its aspect, if it has one."""
    return _lexemes(inflector, word.form, word.upos)


def agree(inflector: Any, first: Word, second: Word) -> bool:
    """Whether two words can agree in case, number and gender; a word that is not known agrees with everything."""
    return _agree(inflector, first.form, first.upos, second.form, second.upos)


@lru_cache(maxsize=_REMEMBERED)
def _can_have(inflector: Any, form: str, upos: str, cases: frozenset[str]) -> bool:
    found = cells(inflector, form, upos)
    return not found or any(case in cases for case, _, _ in found)


def can_have(inflector: Any, word: Word, *cases: str) -> bool:
    """Whether a word can stand in one of these cases."""
    return _can_have(inflector, word.form, word.upos, frozenset(cases))


def is_governed(inflector: Any, preposition: Word, noun: Word) -> bool:
    """Whether a noun can follow a preposition."""
    cases = lexicon.PREPOSITION_CASES.get(preposition.form.lower())
    if cases is None or noun.upos not in ("NOUN", "PROPN", "ADJ", "PRON"):
        return True
    return _can_have(inflector, noun.form, noun.upos, cases)


def disagreement(tree: Tree, inflector: Inflector, edited: frozenset[int]) -> str | None:
    """What does not agree around the edited words, or stands without what it needs; None if nothing is wrong."""
    words = tree.words
    root = _root(words)
    if root.upos == "NOUN" and root.feats.get("VerbForm") != "Fin" and tree.child(root.id, "cop") is None:
        return "there is no predicate"
    if (lost := _lost_antecedent(words)) is not None:
        return f"nobody is there whom {lost.form} could mean"
    last = len(words) - 1
    for place in [place for place, word in enumerate(words) if word.deprel in _CHECKS]:
        word = words[place]
        # Only what an edit touched, or what has another neighbour now, can have become wrong; and a subject, which may
        # have lost what was joined with it.
        near = (place < last and words[place + 1].id != word.id + 1) or word.id in edited or word.head in edited
        if near or word.deprel == "nsubj":
            complaint = _CHECKS[word.deprel](tree, word, tree[word.head], inflector, edited)
            if complaint is not None:
                return complaint
    return None


def _lost_antecedent(words: tuple[Word, ...]) -> Word | None:
    """A pronoun in the third person before which no noun stands that it could mean."""
    for place, word in enumerate(words):
        if word.lemma != "on" or word.upos != "PRON" or not place or word.form == "je":
            continue
        nouns = [one for one in words[:place] if one.upos in ("NOUN", "PROPN", "ADJ", "PRON") and "Number" in one.feats]
        several = word.feats.get("Number") == "Plur"
        if several and (len(nouns) > 1 or any(one.feats["Number"] != "Sing" for one in nouns)):
            continue
        female = word.feats.get("Gender") == "Fem"
        if not several and any((one.feats.get("Gender") == "Fem") == female for one in nouns):
            continue
        return word
    return None


def _root(words: tuple[Word, ...]) -> Word:
    for word in words:
        if word.head == 0:
            return word
    raise ValueError("a tree has a root")


def _modifier(tree: Tree, word: Word, head: Word, inflector: Inflector, edited: frozenset[int]) -> str | None:  # noqa: ARG001 - a check's form
    if "Case" not in word.feats:
        return None
    if head.upos in ("NUM", "ADV", "VERB", "ADP") and word.upos == "ADJ":
        return f"{word.form} has no noun"
    if (word.id in edited or head.id in edited) and head.upos in ("NOUN", "PROPN") and not agree(inflector, word, head):
        return f"{word.form} and {head.form} do not agree"
    return None


def _preposition(tree: Tree, word: Word, head: Word, inflector: Inflector, edited: frozenset[int]) -> str | None:  # noqa: ARG001 - a check's form
    if is_governed(inflector, word, head):
        return None
    excused = tree.child(head.id, "nummod:gov", "det:numgov") or tree.child(word.id, "fixed")
    return None if excused is not None else f"{word.form} and {head.form} do not go together"


def _subject(tree: Tree, word: Word, head: Word, inflector: Inflector, edited: frozenset[int]) -> str | None:  # noqa: ARG001 - a check's form
    if not _number_agrees(tree, word, head):
        return f"{word.form} and {head.form} do not agree"
    nominative = word.upos != "NOUN" or can_have(inflector, word, "Nom")
    if not nominative and tree.child(word.id, "nummod:gov", "det:numgov") is None:
        return f"{word.form} cannot be a subject"
    return None


def _number_agrees(tree: Tree, subject: Word, verb: Word) -> bool:
    helper = verb if verb.upos == "VERB" else tree.child(verb.id, "aux:pass", "cop") or verb
    number = helper.feats.get("Number")
    alone = "Plur" if subject.feats.get("Number") in ("Plur", "Ptan") else "Sing"
    if number is None or number == alone == "Sing" or subject.upos not in ("NOUN", "PROPN"):
        return True
    if tree.child(subject.id, "conj") is not None:
        return True
    if tree.child(subject.id, "nummod:gov", "det:numgov") is not None:
        return number == "Sing"
    if number == "Sing" and subject.feats.get("Case") == "Gen" and tree.child(subject.id, "nummod", "det") is not None:
        return True
    return number == alone


def _relative(tree: Tree, word: Word, head: Word, inflector: Inflector, edited: frozenset[int]) -> str | None:  # noqa: ARG001 - a check's form
    """A new relative clause must not stand behind another noun that its pronoun fits as well."""
    if word.id not in edited:
        return None
    first = min([tree.places[one] for one in tree.subtree(word.id)])
    for between in tree.words[tree.places[head.id] + 1 : first]:
        beside = tree.child(between.id, "case") if between.head == head.id and head.relation != "nsubj" else None
        if beside is not None and (beside.form in lexicon.BESIDE or between.lemma in lexicon.PREPOSITIONAL):
            return f"the clause would stand far from {head.form}"
        if between.upos in ("NOUN", "PROPN") and _pronoun_of(between) == _pronoun_of(head):
            return f"the clause could be about {between.form} instead of {head.form}"
    last = max([tree.places[one] for one in tree.subtree(word.id)])
    following = [one for one in tree.words[last : last + 4] if one.id not in tree.subtree(word.id)]
    if any(one.lemma == "który" for one in following[:3]):
        return "another relative clause would follow"
    return None


def _pronoun_of(noun: Word) -> tuple[object, ...]:
    """What *który* shows of its noun: in the plural only whether there are men."""
    number, gender = noun.feats.get("Number"), noun.feats.get("Gender")
    if number == "Sing":
        return number, gender
    return "Plur", gender == "Masc" and noun.feats.get("Animacy") == "Hum"


_CHECKS: dict[str, Callable[[Tree, Word, Word, Inflector, frozenset[int]], str | None]] = {
    "amod": _modifier,
    "amod:flat": _modifier,
    "det": _modifier,
    "det:poss": _modifier,
    "case": _preposition,
    "nsubj": _subject,
    "nsubj:pass": _subject,
    "acl:relcl": _relative,
}

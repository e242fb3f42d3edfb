"""Removes adjuncts, one or several: modifiers of nouns, circumstances of verbs, clauses, numerals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from kostra.transforms.edits import cut, is_unbroken, with_commas
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.trees import Tree, Word

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "one": "one adjunct goes",
    "numeral": "a numeral goes, and what it governed agrees anew",
    "phrase": "all adjuncts of one word go",
    "all but one": "all adjuncts go but one of the predicate's or subject's, itself without adjuncts",
    "all": "all adjuncts go, numerals stay",
    "bare": "all adjuncts go, numerals too",
}
MOST_UNITS = 14
"""Adjuncts beyond which only single ones go: a sentence of so many has no sensible short form."""


class Unit(NamedTuple):
    """An adjunct: what goes together."""

    top: int
    head: int
    ids: frozenset[int]
    doubts: tuple[str, ...]
    is_place: bool


def apply(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Make the sentence shorter in every way listed above."""
    units = list(_units(tree, tools))
    numerals = list(_numerals(tree))
    if not units and not numerals:
        tools.why("there is no adjunct", None)
        return
    frame = Frame(tree, _needy(tree), _may_turn(tree))
    without, without_numerals = partial(_without, frame), partial(_without_numerals, frame)
    for unit in units:
        yield from without([unit], "one", tools)
    for noun in numerals:
        yield from without_numerals([], [noun], "numeral", tools)
    if len(units) > MOST_UNITS:
        tools.why("too many adjuncts to remove several at once", None)
        return
    outer = _outermost(units)
    for head in dict.fromkeys(unit.head for unit in units):
        hung = [unit for unit in units if unit.head == head]
        if len(hung) > 1 and set(hung) != set(outer):
            yield from without(hung, "phrase", tools)
    core = _core(tree)
    for kept in outer:
        if kept.head in core and len(units) > 1:
            inner = [unit for unit in units if unit.ids < kept.ids]
            others = [unit for unit in outer if unit is not kept]
            gone = others + _outermost(inner)
            yield from without(gone, "all but one", tools)
            yield from without_numerals(gone, _still_there(numerals, gone), "all but one", tools)
    if len(outer) > 1:
        yield from without(outer, "all", tools)
    if outer:
        yield from without_numerals(outer, _still_there(numerals, outer), "bare", tools)


def stripped(tree: Tree, top: int, tools: Tools) -> frozenset[int]:
    """The words that go when a phrase loses all its adjuncts."""
    return frozenset().union(*(unit.ids for unit in _units(tree, tools) if unit.head == top))


def _core(tree: Tree) -> set[int]:
    """The predicates, and what they need: words whose adjuncts may stay alone."""
    found = {one.id for one in grammar.predicates(tree)}
    return found | {one.id for word in found for one in tree.children(word, "nsubj", "obj", "conj")}


def _outermost(units: Iterable[Unit]) -> list[Unit]:
    found = list(units)
    return [unit for unit in found if not any(unit.ids < other.ids for other in found)]


def _still_there(nouns: Iterable[Word], gone: Iterable[Unit]) -> list[Word]:
    removed = frozenset().union(*(unit.ids for unit in gone))
    return [noun for noun in nouns if noun.id not in removed]


# What can go --------------------------------------------------------------------------------------------


def _units(tree: Tree, tools: Tools) -> Iterator[Unit]:
    for word in tree.words:
        if word.upos == "PUNCT" or word.head == 0:
            continue
        doubts = _removable(tree, word, tools)
        if doubts is None:
            continue
        inside = tree.subtree(word.id)
        if len(inside) > 1 and not is_unbroken(tree, inside):
            doubts = (*doubts, "far")
        ids = with_commas(tree, inside, clause_openers=lexicon.CLAUSE_OPENERS)
        yield Unit(word.id, word.head, ids, doubts, word.relation in ("obl", "advmod", "iobj"))


def _removable(tree: Tree, word: Word, tools: Tools) -> tuple[str, ...] | None:
    """The doubts with which a word can go, or None if it cannot."""
    head = tree[word.head]
    match word.relation:
        case "amod":
            return _modifier(tree, word, head, tools)
        case "nmod":
            return _noun_modifier(tree, word, head, tools)
        case "obl" | "iobj":
            return _circumstance(tree, word, head, tools)
        case "advmod":
            wrong = word.form.lower() in lexicon.NEVER_ALONE or word.deprel == "advmod:neg"
            return None if wrong or tree.child(word.id, "nsubj") else ()
        case "advcl":
            return ("comma",) if tree.child(word.id, "nsubj") is None or tree.child(word.id, "mark") else None
        case "acl":
            return None if _says_all(tree, head) else ("comma",)
        case "xcomp":
            return () if word.upos == "ADJ" and grammar.is_participle(word) else None
        case "det":
            return () if word.lemma in lexicon.REMOVABLE_DETERMINERS else None
        case "appos":
            return ("comma",)
    return None


def _modifier(tree: Tree, word: Word, head: Word, tools: Tools) -> tuple[str, ...] | None:
    if head.upos not in ("NOUN", "PROPN") or word.lemma in lexicon.NEVER_ALONE:
        return None
    if _is_second_of_two(tree, word):
        return None
    if word.lemma == "jeden":
        return ("argument",) if head.relation in ("nsubj", "obj", "conj") else None
    if _says_all(tree, head):
        tools.why(f"without {word.form} the phrase with {head.form} says nothing", word.id)
        return None
    if head.lemma in lexicon.NEEDS_ADJECTIVE:
        return None
    return ()


def _is_second_of_two(tree: Tree, word: Word) -> bool:
    """Whether a conjunction right before an adjective joins it to one that would be left alone."""
    place = min(tree.places[one] for one in tree.subtree(word.id))
    before = tree.words[max(0, place - 2) : place]
    return len(before) == 2 and before[1].upos == "CCONJ" and before[0].upos in ("ADJ", "PUNCT")


def _says_all(tree: Tree, noun: Word) -> bool:
    """Whether a phrase says nothing without its modifier: *z podbitym okiem*, *o zadartym nosie*."""
    prepositions = {one.lemma for one in tree.children(noun.id, "case")}
    return bool(prepositions & {"o", "z"} and noun.lemma in lexicon.BODY) or (
        "o" in prepositions and noun.relation == "nmod"
    )


def _noun_modifier(tree: Tree, word: Word, head: Word, tools: Tools) -> tuple[str, ...] | None:
    if head.upos == "ADP" or word.upos in ("CCONJ", "ADP"):
        return None
    if tree.child(word.id, "case") is not None:
        if head.lemma in lexicon.BODY and word.lemma in lexicon.BODY:
            return None
        return ("argument",) if word.deprel == "nmod:arg" else ()
    if head.lemma in lexicon.QUANTITIES or head.lemma in lexicon.NEEDS_GENITIVE:
        tools.why(f"{head.form} says little without {word.form}", word.id)
        return None
    return ("argument",)


def _circumstance(tree: Tree, word: Word, head: Word, tools: Tools) -> tuple[str, ...] | None:
    if head.upos not in ("VERB", "ADJ", "NOUN", "ADV") or word.upos == "VERB":
        return None
    if head.lemma == "jeden" and word.lemma == "drugi":
        return None
    last = max(tree.places[one] for one in tree.subtree(word.id))
    behind = tree.words[last + 1] if last + 1 < len(tree.words) else word
    if "który" in (word.lemma, behind.lemma) or any(one.lemma == "który" for one in tree.children(word.id)):
        return None
    if word.relation == "iobj" and word.feats.get("Case") != "Ins":
        tools.why(f"{word.form} is an object", word.id)
        return None
    if word.upos in ("ADP", "CCONJ", "SCONJ", "NUM") and word.feats.get("Case") == "Nom":
        return None
    bare = word.relation == "obl" and tree.child(word.id, "case") is None and not word.feats.get("VerbForm")
    if (head.upos == "VERB" or grammar.is_participle(head)) and bare and word.feats.get("Case") == "Acc":
        return None
    if head.upos == "VERB" and bare and word.feats.get("Case") in ("Nom", "Gen", None):
        return None  # a subject or object that the parser took for something else
    if head.upos == "ADJ" and not grammar.is_participle(head):
        return ("argument",)
    return ("argument",) if word.deprel in ("obl:arg", "iobj") else ()


def _numerals(tree: Tree) -> Iterator[Word]:
    for word in tree.words:
        if word.deprel in ("nummod", *grammar.GOVERNING) and tree[word.head].upos == "NOUN":
            yield tree[word.head]


# Making it ----------------------------------------------------------------------------------------------


class Needy(NamedTuple):
    """A word that must not lose all its complements."""

    word: Word
    complements: frozenset[int]
    reason: str


class Frame(NamedTuple):
    """A tree, and what is found out once for all its shorter forms."""

    tree: Tree
    needy: list[Needy]
    may_turn: bool
    """Whether some subject stands behind some verb."""

    def cut(self, gone: Collection[int], changed: Mapping[int, Word] | None = None) -> Tree:
        """The tree without some words, its subject before its verb."""
        made = cut(self.tree, gone, changed)
        return subject_first(made, gone) if self.may_turn else made


def _without(frame: Frame, units: list[Unit], variant: str, tools: Tools) -> Iterator[Draft]:
    if len(units) == 1:
        (unit,) = units
        gone, doubts = unit.ids, unit.doubts
    else:
        gone = frozenset().union(*[unit.ids for unit in units])
        doubts = tuple([doubt for unit in units for doubt in unit.doubts]) + ("several",) * (len(units) - 1)
    if gone and not _left_helpless(frame.needy, gone, tools):
        yield Draft(frame.cut(gone), variant, tuple([unit.top for unit in units]), doubts)


def _may_turn(tree: Tree) -> bool:
    verbs = [place for place, word in enumerate(tree.words) if word.upos == "VERB"]
    return bool(verbs) and any(word.relation == "nsubj" for word in tree.words[verbs[0] + 1 :])


def _needy(tree: Tree) -> list[Needy]:
    """The verbs that need a complement, and the nouns that are half a preposition (*w pobliżu*)."""
    found: list[Needy] = []
    for word in tree.words:
        if word.upos not in ("VERB", "ADJ", "NOUN"):
            continue
        if word.lemma in lexicon.PREPOSITIONAL:
            needed = frozenset(one.id for one in tree.children(word.id) if one.relation not in ("case", "punct"))
            found += [Needy(word, needed, f"{word.form} needs a genitive")] if needed else []
        if word.upos != "NOUN" and (word.lemma in lexicon.NEEDS_PLACE or word.relation == "xcomp"):
            needed = frozenset(one.id for one in tree.children(word.id, "obl", "advmod", "iobj", "xcomp"))
            found += [Needy(word, needed, f"{word.form} needs a complement")] if needed else []
    return found


def _left_helpless(needy: list[Needy], gone: Collection[int], tools: Tools) -> bool:
    """Whether a word that stays loses its last complement."""
    for one in needy:
        if one.word.id not in gone and one.complements.issubset(gone):
            tools.why(one.reason, one.word.id)
            return True
    return False


def _without_numerals(
    frame: Frame, units: list[Unit], nouns: list[Word], variant: str, tools: Tools
) -> Iterator[Draft]:
    """Remove units, and the numerals of these nouns."""
    if not nouns:
        return
    gone = set(frozenset().union(*(unit.ids for unit in units)))
    changed: dict[int, Word] = {}
    for noun in nouns:
        found = without_numeral(frame.tree, noun, tools.inflector)
        if found is None:
            tools.why(f"{noun.form} cannot do without its numeral", noun.id)
            return
        numeral, changes = found
        gone |= numeral
        changed |= changes
    if _left_helpless(frame.needy, gone, tools):
        return
    doubts = [doubt for unit in units for doubt in unit.doubts] + ["number"] * len(nouns)
    doubts += ["several"] * (len(units) + len(nouns) - 1)
    edited = [unit.top for unit in units] + [noun.id for noun in nouns]
    kept = {word: new for word, new in changed.items() if word not in gone}
    yield Draft(frame.cut(gone, kept), variant, (*edited, *kept), tuple(doubts))


def subject_first(tree: Tree, gone: Collection[int]) -> Tree:
    """Put the subject before a verb that lost all before it: *a na nim siedzi sowa* → *a sowa siedzi*."""
    for place, verb in enumerate(tree.words):
        if verb.upos != "VERB":
            continue
        before = tree.words[place - 1] if place else None
        if before is not None and before.upos not in ("CCONJ", "PUNCT"):
            continue
        if verb.relation not in ("root", "conj", "parataxis") or not grammar.is_finite(verb):
            continue
        if not any(one < verb.id and (before is None or one > before.id) for one in gone):
            continue
        subject = grammar.subject(tree, verb.id)
        if subject is None or tree.places[subject.id] < place:
            continue
        inside = tree.subtree(subject.id)
        last = max(tree.places[one] for one in inside)
        ends = last + 1 >= len(tree.words) or tree.words[last + 1].upos == "PUNCT"
        if ends and is_unbroken(tree, inside):
            tree = tree.move(subject.id, before=verb.id)
    return tree


def without_numeral(tree: Tree, noun: Word, inflector: Inflector) -> tuple[frozenset[int], dict[int, Word]] | None:
    """The words of a noun's numeral, and what agrees anew once it is gone; None where that cannot be told."""
    numeral = grammar.numeral(tree, noun.id)
    if numeral is None or noun.feats.get("Number") == "Sing":
        return None
    gone = tree.subtree(numeral.id)
    governs = numeral.deprel in grammar.GOVERNING
    governs = governs or (noun.feats.get("Case") == "Gen" and numeral.feats.get("Case") in ("Nom", "Acc"))
    if not governs or noun.relation not in ("nsubj", "obj", "conj"):
        return gone, {}
    case = "Acc" if noun.relation == "obj" else "Nom"
    changed = grammar.recased(tree, noun.id, case, inflector, with_numeral=False)
    if changed is None:
        return None
    if noun.relation != "nsubj":
        return gone, changed
    verb = tree[noun.head]
    helper = tree.child(verb.id, "aux:pass", "cop")
    agreement = grammar.phrase_features(tree, noun.id)
    if agreement is None:
        return None
    if helper is not None:
        return None  # the participle would have to agree as well: rare, and left alone
    if not grammar.is_finite(verb):
        return None
    for one in (verb, *(other for other in tree.children(verb.id, "conj") if grammar.is_finite(other))):
        if one is not verb and grammar.subject(tree, one.id) is not None:
            continue
        form = grammar.finite_form(inflector, one.lemma, one.feats, agreement)
        if form is None:
            return None
        changed[one.id] = one.but(form=form, feats=one.feats.but(Number="Plur"))
    return gone, changed

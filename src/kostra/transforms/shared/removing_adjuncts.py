"""Removes adjuncts, one or several: modifiers of nouns, circumstances of verbs, clauses, numerals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from kostra.transforms.edits import cut, is_unbroken, with_commas
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Grammar
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
Doubts = tuple[str, ...]


class Unit(NamedTuple):
    """An adjunct: what goes together."""

    top: int
    head: int
    ids: frozenset[int]
    doubts: Doubts
    is_place: bool


class Needy(NamedTuple):
    """A word that must not lose all its complements."""

    word: Word
    complements: frozenset[int]
    reason: str


class Frame(NamedTuple):
    """A tree, and what is found out once for all its shorter forms."""

    grammar: Grammar
    tree: Tree
    needy: list[Needy]
    may_turn: bool
    """Whether some subject stands behind some verb."""

    def cut(self, gone: Collection[int], changed: Mapping[int, Word] | None = None) -> Tree:
        """The tree without some words, its subject before its verb."""
        made = cut(self.tree, gone, changed)
        return subject_first(self.grammar, made, gone) if self.may_turn else made


class RemovingAdjuncts:
    """Shorter sentences; what may go is asked of `removable`, relation by relation."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Make the sentence shorter in every way listed above."""
        units = list(self._units(tree, tools))
        numerals = list(_numerals(tree))
        if not units and not numerals:
            tools.why("there is no adjunct", None)
            return
        frame = Frame(self.grammar, tree, self.needy(tree), self.grammar.subject_may_follow and _may_turn(tree))
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
        core = self._core(tree)
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

    def _core(self, tree: Tree) -> set[int]:
        """The predicates, and what they need: words whose adjuncts may stay alone."""
        found = {one.id for one in self.grammar.predicates(tree)}
        return found | {one.id for word in found for one in tree.children(word, "nsubj", "obj", "conj")}

    # What can go ---------------------------------------------------------------------------------------

    def _units(self, tree: Tree, tools: Tools) -> Iterator[Unit]:
        for word in tree.words:
            if word.upos == "PUNCT" or word.head == 0:
                continue
            doubts = self.removable(tree, word, tools)
            if doubts is None:
                continue
            inside = tree.subtree(word.id)
            if len(inside) > 1 and not is_unbroken(tree, inside):
                doubts = (*doubts, "far")
            ids = self.extent(tree, word, inside)
            yield Unit(word.id, word.head, ids, doubts, word.relation in ("obl", "advmod", "iobj"))

    def extent(self, tree: Tree, word: Word, inside: frozenset[int]) -> frozenset[int]:  # noqa: ARG002 - a hook
        """What goes with an adjunct: its words, and the commas that stand only because of them."""
        return with_commas(tree, inside, clause_openers=self.grammar.clause_openers)

    def removable(self, tree: Tree, word: Word, tools: Tools) -> Doubts | None:
        """The doubts with which a word can go, or None if it cannot."""
        head = tree[word.head]
        match word.relation:
            case "amod":
                return self.modifier(tree, word, head, tools)
            case "nmod":
                return self.noun_modifier(tree, word, head, tools)
            case "obl" | "iobj":
                return self.circumstance(tree, word, head, tools)
            case "advmod":
                return self.adverb(tree, word, head, tools)
            case "advcl":
                return ("comma",) if tree.child(word.id, "nsubj") is None or tree.child(word.id, "mark") else None
            case "acl":
                return None if self.says_all(tree, head) else ("comma",)
            case "xcomp":
                return () if word.upos == "ADJ" and looking.is_participle(word) else None
            case "det":
                return () if word.lemma in self.grammar.removable_determiners else None
            case "appos":
                return ("comma",)
        return None

    def modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """An adjective of a noun."""
        grammar = self.grammar
        if head.upos not in ("NOUN", "PROPN") or word.lemma in grammar.never_alone:
            return None
        if _is_second_of_two(tree, word):
            return None
        if word.lemma == grammar.one:
            return ("argument",) if head.relation in ("nsubj", "obj", "conj") else None
        if self.says_all(tree, head):
            tools.why(f"without {word.form} the phrase with {head.form} says nothing", word.id)
            return None
        return None if head.lemma in grammar.needs_adjective else ()

    def says_all(self, tree: Tree, noun: Word) -> bool:
        """Whether a phrase says nothing without its modifier: *with a raised head*."""
        if noun.lemma not in self.grammar.body:
            return False
        return any(one.lemma in self.grammar.appearance for one in tree.children(noun.id, "case"))

    def noun_modifier(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """A noun that hangs on a noun."""
        grammar = self.grammar
        if head.upos == "ADP" or word.upos in ("CCONJ", "ADP"):
            return None
        if tree.child(word.id, "case") is not None:
            if head.lemma in grammar.body and word.lemma in grammar.body:
                return None
            return ("argument",) if word.deprel == "nmod:arg" else ()
        if head.lemma in grammar.quantities or head.lemma in grammar.needs_genitive:
            tools.why(f"{head.form} says little without {word.form}", word.id)
            return None
        return ("argument",)

    def circumstance(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:
        """A phrase that hangs on a verb; one without a preposition may be a subject or object misread."""
        if head.upos not in ("VERB", "ADJ", "NOUN", "ADV") or word.upos == "VERB":
            return None
        if (head.lemma, word.lemma) == self.grammar.pairs:
            return None
        last = max(tree.places[one] for one in tree.subtree(word.id))
        behind = tree.words[last + 1] if last + 1 < len(tree.words) else word
        relatives = self.grammar.relatives
        if (
            word.lemma in relatives
            or behind.lemma in relatives
            or any(one.lemma in relatives for one in tree.children(word.id))
        ):
            return None
        if word.relation == "iobj" and word.feats.get("Case") != "Ins":
            tools.why(f"{word.form} is an object", word.id)
            return None
        if word.upos in ("ADP", "CCONJ", "SCONJ", "NUM") and word.feats.get("Case") == "Nom":
            return None
        bare = word.relation == "obl" and tree.child(word.id, "case") is None and not word.feats.get("VerbForm")
        if (head.upos == "VERB" or looking.is_participle(head)) and bare and word.feats.get("Case") == "Acc":
            return None
        if head.upos == "VERB" and bare and word.feats.get("Case") in ("Nom", "Gen", None):
            return None  # a subject or object that the parser took for something else
        if head.upos == "ADJ" and not looking.is_participle(head):
            return ("argument",)
        return ("argument",) if word.deprel in ("obl:arg", "iobj") else ()

    def adverb(self, tree: Tree, word: Word, head: Word, tools: Tools) -> Doubts | None:  # noqa: ARG002 - as its siblings
        """An adverb or particle."""
        wrong = word.form.lower() in self.grammar.never_alone or word.deprel == "advmod:neg"
        return None if wrong or tree.child(word.id, "nsubj") else ()

    def needy(self, tree: Tree) -> list[Needy]:
        """The verbs that need a complement, and the nouns that are half a preposition."""
        found: list[Needy] = []
        for word in tree.words:
            if word.upos not in ("VERB", "ADJ", "NOUN"):
                continue
            if word.lemma in self.grammar.prepositional:
                needed = frozenset(one.id for one in tree.children(word.id) if one.relation not in ("case", "punct"))
                found += [Needy(word, needed, f"{word.form} needs a genitive")] if needed else []
            if word.upos != "NOUN" and (word.lemma in self.grammar.needs_place or word.relation == "xcomp"):
                needed = frozenset(one.id for one in tree.children(word.id, "obl", "advmod", "iobj", "xcomp"))
                found += [Needy(word, needed, f"{word.form} needs a complement")] if needed else []
        return found


def _outermost(units: Iterable[Unit]) -> list[Unit]:
    found = list(units)
    return [unit for unit in found if not any(unit.ids < other.ids for other in found)]


def _still_there(nouns: Iterable[Word], gone: Iterable[Unit]) -> list[Word]:
    removed = frozenset().union(*(unit.ids for unit in gone))
    return [noun for noun in nouns if noun.id not in removed]


def _is_second_of_two(tree: Tree, word: Word) -> bool:
    """Whether a conjunction right before an adjective joins it to one that would be left alone."""
    place = min(tree.places[one] for one in tree.subtree(word.id))
    before = tree.words[max(0, place - 2) : place]
    return len(before) == 2 and before[1].upos == "CCONJ" and before[0].upos in ("ADJ", "PUNCT")


def _numerals(tree: Tree) -> Iterator[Word]:
    for word in tree.words:
        if word.deprel in ("nummod", *looking.GOVERNING) and tree[word.head].upos == "NOUN":
            yield tree[word.head]


# Making it ----------------------------------------------------------------------------------------------


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
        found = frame.grammar.without_numeral(frame.tree, noun, tools.inflector)
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


def subject_first(grammar: Grammar, tree: Tree, gone: Collection[int]) -> Tree:
    """Put the subject before a verb that lost all before it: *a na nim siedzi sowa* → *a sowa siedzi*."""
    for place, verb in enumerate(tree.words):
        if verb.upos != "VERB":
            continue
        before = tree.words[place - 1] if place else None
        if before is not None and before.upos not in ("CCONJ", "PUNCT"):
            continue
        if verb.relation not in ("root", "conj", "parataxis") or not grammar.is_finite(tree, verb):
            continue
        if not any(one < verb.id and (before is None or one > before.id) for one in gone):
            continue
        subject = looking.subject(tree, verb.id)
        if subject is None or tree.places[subject.id] < place:
            continue
        inside = tree.subtree(subject.id)
        last = max(tree.places[one] for one in inside)
        ends = last + 1 >= len(tree.words) or tree.words[last + 1].upos == "PUNCT"
        if ends and is_unbroken(tree, inside):
            tree = tree.move(subject.id, before=verb.id)
    return tree

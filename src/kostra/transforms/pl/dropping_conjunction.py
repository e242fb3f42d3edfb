"""Turns one of two coordinated predicates with one subject into a participle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import comma, in_order, is_comma, part
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.pl import grammar, lexicon
from kostra.trees import Tree, Word

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "first adjectival": "the first predicate becomes an adjectival participle before the subject",
    "second adjectival": "the second predicate becomes an adjectival participle before the subject",
    "first adverbial": "the first predicate becomes an adverbial participle behind the subject",
    "second adverbial": "the second predicate becomes an adverbial participle at its place",
}


HEAVIEST = 7
"""Words of the longest participle phrase that stands before its noun."""


def apply(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Drop the conjunction of every two predicates that share a subject."""
    found = False
    for first in tree.words:
        if not grammar.is_finite(first) or first.relation not in ("root", "conj"):
            continue
        for second in tree.children(first.id, "conj"):
            if grammar.is_finite(second):
                found = True
                yield from _pair(tree, first, second, tools)
    if not found:
        tools.why("no two predicates are coordinated", None)


def _pair(tree: Tree, first: Word, second: Word, tools: Tools) -> Iterator[Draft]:
    subject = grammar.subject(tree, first.id)
    if subject is None or grammar.subject(tree, second.id) is not None:
        tools.why(f"{first.form} and {second.form} do not share a subject", second.id)
        return
    if tree.places[subject.id] > tree.places[first.id]:
        tools.why(f"the subject stands behind {first.form}", subject.id)
        return
    joined = [one for one in tree.children(first.id, "conj") if one.id != second.id and grammar.is_finite(one)]
    if joined or not any(one.form.lower() in ("i", "oraz") for one in tree.children(second.id, "cc")):
        tools.why("more than two predicates, or no plain and", second.id)
        return
    if any(first.feats.get(name) != second.feats.get(name) for name in ("Number", "Person", "Tense")):
        tools.why(f"{first.form} and {second.form} differ in number or tense", second.id)
        return
    if any(tree.places[one.id] < tree.places[second.id] for one in tree.children(second.id, "advcl")):
        tools.why(f"a clause stands before {second.form}", second.id)
        return
    if _shares_object(tree, first, second, tools):
        tools.why(f"{first.form} and {second.form} share an object", second.id)
        return
    shape = _Shape(tree, first, second, subject)
    if subject.upos in ("NOUN", "PROPN"):
        for variant, verb in (("first adjectival", first), ("second adjectival", second)):
            yield from _adjectival(shape, verb, variant, tools)
    made = grammar.converb(tools.inflector, first)
    if made is None:
        tools.why(f"{first.form} has no adverbial participle", first.id)
    else:
        yield Draft(shape.first_adverbial(made), "first adverbial", (first.id, second.id), ("comma", "inflected"))
    made = grammar.converb(tools.inflector, second)
    if made is None:
        tools.why(f"{second.form} has no adverbial participle", second.id)
    else:
        yield Draft(shape.second_adverbial(made), "second adverbial", (second.id,), ("comma", "inflected"))


def _shares_object(tree: Tree, first: Word, second: Word, tools: Tools) -> bool:
    """*Myje i kroi marchew*: a transitive verb with nothing of its own has the other's object."""
    bare = all(one.relation in ("nsubj", "conj", "punct") for one in tree.children(first.id))
    if not bare or tree.child(second.id, "obj") is None or first.lemma in lexicon.POSTURES:
        return False
    wanted = {"VerbForm": "Part", "Voice": "Pass", "Case": "Nom", "Number": "Sing", "Gender": "Fem"}
    return tools.inflector.inflect(first.lemma, "ADJ", wanted) is not None


def _adjectival(shape: _Shape, verb: Word, variant: str, tools: Tools) -> Iterator[Draft]:
    tree, subject = shape.tree, shape.subject
    if grammar.is_negated(tree, verb.id) or verb.feats.get("Aspect") != "Imp":
        tools.why(f"{verb.form} has no active participle here", verb.id)
        return
    if tree.children(subject.id, "conj"):
        tools.why(f"a participle before {subject.form} would not reach what is joined with it", subject.id)
        return
    feats = dict(subject.feats)
    if feats.get("Number") == "Ptan":
        feats["Number"] = "Plur"
    made = grammar.participle(tools.inflector, verb, "Act", feats)
    if made is None:
        tools.why(f"no participle of {verb.form} can be told", verb.id)
        return
    own = shape.own(verb)
    length = len(own)
    if length > HEAVIEST or any(word.relation == "advcl" or word.form == "," for word in own):
        tools.why(f"too much hangs on {verb.form} to stand before {subject.form}", verb.id)
        return
    doubts = ("inflected", "moved", *["heavy"] * (length // 5))
    yield Draft(shape.adjectival(verb, made), variant, (verb.id, subject.id), doubts)


class _Shape:
    """The parts of a sentence with two predicates: what each has of its own, and what both share."""

    def __init__(self, tree: Tree, first: Word, second: Word, subject: Word) -> None:
        self.tree, self.first, self.second, self.subject = tree, first, second, subject
        self.number = tree.fresh()
        self.joint = {one.id for one in tree.children(second.id, "cc", "punct")
                      if tree.places[one.id] < tree.places[second.id]}  # fmt: skip
        self.subject_words = tree.subtree(subject.id)

    def own(self, verb: Word) -> list[Word]:
        """A predicate with its own dependents, without subject, conjunction and full stop."""
        gone = set(self.joint)
        for child in self.tree.children(verb.id):
            ends = child.upos == "PUNCT" and child.head == verb.id
            if child.relation in ("nsubj", "cc") or ends:
                gone |= self.tree.subtree(child.id)
            if child.relation == "conj":
                gone |= self.tree.subtree(child.id)
        found = [word for word in part(self.tree, self.tree.subtree(verb.id)) if word.id not in gone]
        while found and is_comma(found[-1]):
            found.pop()
        return found

    def _rest(self, *taken: list[Word]) -> tuple[list[Word], list[Word]]:
        """What stands before and behind the two predicates: other clauses, the full stop."""
        used = {word.id for words in taken for word in words} | self.joint | set(self.subject_words)
        words = self.tree.words
        start = min(self.tree.places[one] for one in used)
        before = [word for word in words[:start] if word.id not in used]
        after = [word for word in words[start:] if word.id not in used]
        while after and is_comma(after[0]) and after[0].head in (self.first.id, self.second.id):
            after.pop(0)
        return before, after

    def _heads(self, top: Word, other: Word) -> tuple[Word, Word]:
        """The predicate that stays takes the place of the first, and the other hangs on it."""
        return top.but(head=self.first.head, deprel=self.first.deprel), other

    def _with(self, words: list[Word], new: Word) -> list[Word]:
        return [new if word.id == new.id else word for word in words]

    def adjectival(self, verb: Word, made: Word) -> Tree:
        """Participle phrase, subject, the other predicate."""
        other = self.second if verb.id == self.first.id else self.first
        phrase = self._with(self.own(verb), made.but(head=self.subject.id, deprel="amod"))
        main = self.own(other)
        stays, _ = self._heads(other, made)
        before, after = self._rest(phrase, main)
        subject = part(self.tree, self.subject_words)
        place = 0
        while place < len(subject) - 1 and self._is_determiner(subject[place]):
            place += 1
        subject = [*subject[:place], *phrase, *subject[place:]]
        return self._tree([*before, *subject, *self._with(main, stays), *after], other, stays)

    def _is_determiner(self, word: Word) -> bool:
        """Whether a word stands before all other modifiers of the subject: a numeral, *jeden*, *drugi*, *ten*."""
        counts = word.relation in ("nummod", "det") or word.lemma in lexicon.ORDER_WORDS
        return counts and word.head == self.subject.id

    def first_adverbial(self, made: Word) -> Tree:
        """Subject, converb phrase between commas, second predicate."""
        phrase = self._with(self.own(self.first), made.but(head=self.second.id, deprel="advcl"))
        stays, _ = self._heads(self.second, made)
        main = self.own(self.second)
        before, after = self._rest(phrase, main)
        subject = part(self.tree, self.subject_words)
        words = [*before, *subject, comma(self.number, made.id), *phrase, comma(self.number + 1, made.id)]
        return self._tree([*words, *self._with(main, stays), *after], self.second, stays)

    def second_adverbial(self, made: Word) -> Tree:
        """Subject, first predicate, comma, converb phrase."""
        words: list[Word] = []
        placed = False
        inside = self.tree.subtree(self.second.id)
        for word in self.tree.words:
            if word.id in self.joint:
                continue
            if not placed and word.id in inside:
                words.append(comma(self.number, made.id))
                placed = True
            words.append(made.but(deprel="advcl", head=self.first.id) if word.id == made.id else word)
        return in_order(self.tree, words)

    def _tree(self, words: list[Word], top: Word, stays: Word) -> Tree:
        """Hang on the predicate that stays what hung on the one that became a participle from outside it."""
        moved = []
        participles = {self.first.id, self.second.id} - {top.id}
        for word in words:
            outside = word.head in participles and (word.relation in ("nsubj", "punct", "conj", "parataxis"))
            moved.append(word.but(head=stays.id) if outside and word.id != stays.id and word.form != "," else word)
        return in_order(self.tree, moved)

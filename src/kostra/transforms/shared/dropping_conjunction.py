"""Turns one of two coordinated predicates with one subject into a participle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import comma, in_order, is_comma, part
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Grammar
from kostra.trees import Tree, Word

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "first adjectival": "the first predicate becomes an adjectival participle of the subject",
    "second adjectival": "the second predicate becomes an adjectival participle of the subject",
    "first adverbial": "the first predicate becomes an adverbial participle behind the subject",
    "second adverbial": "the second predicate becomes an adverbial participle at its place",
}


class DroppingConjunction:
    """Two predicates joined by *and*; a language makes the participles and says where they stand.

    A language without one of the two kinds gives None for it.
    """

    heaviest = 7
    """Words of the longest participle phrase that stands before its noun."""
    dropped: tuple[str, ...] = ("nsubj", "cc")
    """Relations of what a predicate leaves behind when it becomes a participle."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    # What a language says ------------------------------------------------------------------------------

    def participle(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:
        """The adjectival participle of a predicate, agreeing with its subject."""
        raise NotImplementedError

    def converb(self, tree: Tree, verb: Word, subject: Word, tools: Tools) -> Word | None:
        """The adverbial participle of a predicate."""
        raise NotImplementedError

    def shares_object(self, tree: Tree, first: Word, second: Word, tools: Tools) -> bool:
        """Whether two predicates have one object: *he washes and cuts the carrot*."""
        raise NotImplementedError

    def has_participle(self, tree: Tree, verb: Word) -> bool:
        """Whether a predicate is of the kind that has an active participle: imperfective, not negated."""
        return not self.grammar.is_negated(tree, verb.id) and verb.feats.get("Aspect") == "Imp"

    def differ(self, tree: Tree, first: Word, second: Word) -> bool:  # noqa: ARG002 - other languages look at auxiliaries
        """Whether two predicates differ in number or tense."""
        return any(first.feats.get(name) != second.feats.get(name) for name in ("Number", "Person", "Tense"))

    def place(self, shape: Shape, verb: Word, made: Word) -> Tree:
        """The sentence with an adjectival participle where it stands in this language: before its noun."""
        return shape.before_noun(verb, made)

    def place_first(self, shape: Shape, made: Word) -> Tree:
        """The sentence with an adverbial participle of the first predicate: behind the subject, between commas."""
        return shape.first_adverbial(made)

    # The rule ------------------------------------------------------------------------------------------

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Drop the conjunction of every two predicates that share a subject."""
        found = False
        is_finite = self.grammar.is_finite
        for first in tree.words:
            if not is_finite(tree, first) or first.relation not in ("root", "conj"):
                continue
            for second in tree.children(first.id, "conj"):
                if is_finite(tree, second):
                    found = True
                    yield from self._pair(tree, first, second, tools)
        if not found:
            tools.why("no two predicates are coordinated", None)

    def _pair(self, tree: Tree, first: Word, second: Word, tools: Tools) -> Iterator[Draft]:
        subject = looking.subject(tree, first.id)
        if subject is None or looking.subject(tree, second.id) is not None:
            tools.why(f"{first.form} and {second.form} do not share a subject", second.id)
            return
        obstacle = self.obstacle(tree, first, second, subject, tools)
        if obstacle is not None:
            reason, word = obstacle
            tools.why(reason, word)
            return
        shape = self.shape(self.grammar, tree, first, second, subject, self.dropped)
        if subject.upos in ("NOUN", "PROPN"):
            for variant, verb in (("first adjectival", first), ("second adjectival", second)):
                yield from self._adjectival(shape, verb, variant, tools)
        yield from self._adverbial(shape, tools)

    def _adverbial(self, shape: Shape, tools: Tools) -> Iterator[Draft]:
        first, second = shape.first, shape.second
        doubts = ("comma", "inflected", *self.doubts("adverbial"))
        for variant, verb in (("first adverbial", first), ("second adverbial", second)):
            obstacle = self.cannot_be_converb(shape, verb)
            made = self.converb(shape.tree, verb, shape.subject, tools) if obstacle is None else None
            if made is None:
                tools.why(obstacle or f"{verb.form} has no adverbial participle", verb.id)
            elif verb is first:
                yield Draft(self.place_first(shape, made), variant, (first.id, second.id), doubts)
            else:
                yield Draft(shape.second_adverbial(made), variant, (second.id,), doubts)

    def obstacle(self, tree: Tree, first: Word, second: Word, subject: Word, tools: Tools) -> tuple[str, int] | None:
        """Why neither of two predicates can become a participle, and at which word; None where one may."""
        if tree.places[subject.id] > tree.places[first.id]:
            return f"the subject stands behind {first.form}", subject.id
        joined = [
            one for one in tree.children(first.id, "conj") if one.id != second.id and self.grammar.is_finite(tree, one)
        ]
        if joined or not any(one.form.lower() in self.grammar.conjunctions for one in tree.children(second.id, "cc")):
            return "more than two predicates, or no plain and", second.id
        if self.differ(tree, first, second):
            return f"{first.form} and {second.form} differ in number or tense", second.id
        if any(tree.places[one.id] < tree.places[second.id] for one in tree.children(second.id, "advcl")):
            return f"a clause stands before {second.form}", second.id
        if self.shares_object(tree, first, second, tools):
            return f"{first.form} and {second.form} share an object", second.id
        return None

    def cannot_precede(self, shape: Shape, verb: Word, own: list[Word]) -> str | None:
        """Why a participle phrase cannot stand before the subject: another stands there, or a pronoun would lead."""
        tree, subject = shape.tree, shape.subject
        for one in tree.children(subject.id, "amod"):
            if looking.is_participle(one) and tree.places[one.id] < tree.places[subject.id]:
                return f"{one.form} stands before {subject.form} already"
        pointing = [one for one in own if one.feats.get("PronType") == "Prs" and one.feats.get("Reflex") != "Yes"]
        if verb.id == shape.second.id and any(one.lemma not in self.grammar.reflexives for one in pointing):
            return f"{pointing[0].form} would stand before what it points to"
        return None

    def cannot_be_converb(self, shape: Shape, verb: Word) -> str | None:  # noqa: ARG002 - a hook
        """Why a predicate cannot become an adverbial participle here, or None."""
        return None

    @property
    def shape(self) -> type[Shape]:
        """How the parts of a sentence with two predicates are found and ordered."""
        return Shape

    def doubts(self, kind: str) -> tuple[str, ...]:  # noqa: ARG002 - of languages in which a kind is bookish
        """Further doubts about a kind of participle, ``adjectival`` or ``adverbial``."""
        return ()

    def _adjectival(self, shape: Shape, verb: Word, variant: str, tools: Tools) -> Iterator[Draft]:
        tree, subject = shape.tree, shape.subject
        if not self.has_participle(tree, verb):
            tools.why(f"{verb.form} has no active participle here", verb.id)
            return
        if tree.children(subject.id, "conj"):
            tools.why(f"a participle before {subject.form} would not reach what is joined with it", subject.id)
            return
        made = self.participle(tree, verb, subject, tools)
        if made is None:
            tools.why(f"no participle of {verb.form} can be told", verb.id)
            return
        own = shape.own(verb)
        obstacle = self.cannot_precede(shape, verb, own)
        if obstacle is not None:
            tools.why(obstacle, verb.id)
            return
        length = len(own)
        if length > self.heaviest or any(word.relation == "advcl" or word.form == "," for word in own):
            tools.why(f"too much hangs on {verb.form} to stand before {subject.form}", verb.id)
            return
        doubts = ("inflected", "moved", *["heavy"] * (length // 5), *self.doubts("adjectival"))
        yield Draft(self.place(shape, verb, made), variant, (verb.id, subject.id), doubts)


class Shape:
    """The parts of a sentence with two predicates: what each has of its own, and what both share."""

    def __init__(
        self, grammar: Grammar, tree: Tree, first: Word, second: Word, subject: Word, dropped: tuple[str, ...]
    ) -> None:
        self.grammar, self.tree, self.dropped = grammar, tree, dropped
        self.first, self.second, self.subject = first, second, subject
        self.number = tree.fresh()
        self.joint = {one.id for one in tree.children(second.id, "cc", "punct")
                      if tree.places[one.id] < tree.places[second.id]}  # fmt: skip
        self.subject_words = tree.subtree(subject.id)

    def own(self, verb: Word) -> list[Word]:
        """A predicate with its own dependents, without subject, conjunction and full stop."""
        gone = set(self.joint)
        for child in self.tree.children(verb.id):
            ends = child.upos == "PUNCT" and child.head == verb.id
            if child.relation in self.dropped or child.relation == "conj" or ends:
                gone |= self.tree.subtree(child.id)
        found = [word for word in part(self.tree, self.tree.subtree(verb.id)) if word.id not in gone]
        while found and is_comma(found[-1]):
            found.pop()
        return found

    def in_phrase(self, words: list[Word], participle: Word) -> list[Word]:  # noqa: ARG002 - a hook
        """The words of an adjectival participle's phrase in their order: as they stood."""
        return words

    def in_clause(self, words: list[Word], verb: Word) -> list[Word]:  # noqa: ARG002 - a hook
        """The words of the predicate that stays beside an adjectival participle in their order: as they stood."""
        return words

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

    def _staying(self, top: Word) -> Word:
        """The predicate that stays, at the place of the first."""
        return top.but(head=self.first.head, deprel=self.first.deprel)

    def before_noun(self, verb: Word, made: Word) -> Tree:
        """Participle phrase, subject, the other predicate."""
        return self._adjectival(verb, made, behind=False)

    def behind_noun(self, verb: Word, made: Word) -> Tree:
        """Subject, participle phrase, the other predicate."""
        return self._adjectival(verb, made, behind=True)

    def _adjectival(self, verb: Word, made: Word, *, behind: bool) -> Tree:
        other = self.second if verb.id == self.first.id else self.first
        made = made.but(head=self.subject.id, deprel="acl" if behind else "amod")
        phrase = self.in_phrase(_with(self.own(verb), made), made)
        main, stays = self.in_clause(self.own(other), other), self._staying(other)
        before, after = self._rest(phrase, main)
        subject = part(self.tree, self.subject_words)
        place = len(subject) if behind else 0
        while place < len(subject) - 1 and self._is_determiner(subject[place]):
            place += 1
        subject = [*subject[:place], *phrase, *subject[place:]]
        return self._tree([*before, *subject, *_with(main, stays), *after], other, stays)

    def _is_determiner(self, word: Word) -> bool:
        """Whether a word stands before all other modifiers of the subject: a numeral, *one*, *this*."""
        counts = word.relation in ("nummod", "det") or word.lemma in self.grammar.order_words
        return counts and word.head == self.subject.id

    def first_adverbial(self, made: Word) -> Tree:
        """Subject, converb phrase between commas, second predicate."""
        phrase = _with(self.own(self.first), made.but(head=self.second.id, deprel="advcl"))
        main, stays = self.own(self.second), self._staying(self.second)
        before, after = self._rest(phrase, main)
        subject = part(self.tree, self.subject_words)
        words = [*before, *subject, comma(self.number, made.id), *phrase, comma(self.number + 1, made.id)]
        return self._tree([*words, *_with(main, stays), *after], self.second, stays)

    def fronted(self, made: Word) -> Tree:
        """Converb phrase, comma, subject, second predicate."""
        phrase = _with(self.own(self.first), made.but(head=self.second.id, deprel="advcl"))
        main, stays = self.own(self.second), self._staying(self.second)
        before, after = self._rest(phrase, main)
        words = [*before, *phrase, comma(self.number, made.id), *part(self.tree, self.subject_words)]
        return self._tree([*words, *_with(main, stays), *after], self.second, stays)

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


def _with(words: list[Word], new: Word) -> list[Word]:
    return [new if word.id == new.id else word for word in words]

"""Negates a sentence: nobody does it, no such one does it, it is not done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import in_order
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Changes, Grammar
from kostra.trees import Features, Tree, Word

RELATION: Relation = "contradiction"


def variants(nobody: str, none: str) -> Mapping[str, str]:
    """The variants, in a language's own words for nobody and none."""
    return {
        "nobody": f"the subject becomes {nobody}",
        "no such": f"{none} stands before the subject",
        "not": "only the verb is negated",
    }


class Negation:
    """The main clause is negated in three ways.

    A language says how its predicates are negated (`negated`), how *none* stands before a subject (`none_before`) and
    how a predicate agrees with *nobody* (`for_nobody`).
    """

    nobody: str
    nobody_features: Features
    none: str
    somebody: frozenset[str] = frozenset()
    """Lemmas of pronouns that *nobody* may replace."""
    other_clauses: tuple[str, ...] = ("advcl", "conj", "parataxis")
    """Relations of clauses whose indefinite words the negation of this one does not reach."""
    negates_twice = True
    """Whether a predicate is negated beside *nobody* and *none* as well."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    # What a language says ------------------------------------------------------------------------------

    def negated(self, tree: Tree, verbs: list[Word], tools: Tools) -> list[Word] | None:
        """All words of the sentence, with these predicates negated; None where that cannot be done."""
        raise NotImplementedError

    def none_before(self, tree: Tree, subject: Word, number: int, tools: Tools) -> Word | None:
        """*None* in the form that stands before a subject, with `number` as its id."""
        raise NotImplementedError

    def for_nobody(self, tree: Tree, predicate: Word, tools: Tools) -> Changes | None:
        """What changes in a predicate whose subject becomes *nobody*; None where that cannot be told."""
        raise NotImplementedError

    def in_scope(self, tree: Tree, verbs: list[Word], tools: Tools) -> list[Word] | None:  # noqa: ARG002 - English asks
        """All words as they stand beside *nobody* or *none*, in languages that negate once: *some* may be *any*."""
        return list(tree.words)

    # The rule ------------------------------------------------------------------------------------------

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Negate the main clause in three ways."""
        verb = tree.root
        if not self.grammar.is_predicate(tree, verb):
            tools.why(f"{verb.form} is no finite verb", verb.id)
            return
        if self.grammar.is_negated(tree, verb.id):
            tools.why("the sentence is negated already", verb.id)
            return
        verbs = self._sharing(tree, verb, tools)
        negated = self.negated(tree, verbs, tools) if verbs else None
        if negated is None:
            return
        subject = looking.subject(tree, verb.id)
        if subject is None or subject.lemma not in self.grammar.indefinite_to_negative:
            yield Draft(in_order(tree, negated), "not", (verb.id,), self._doubts(tree, verb, subject))
        if subject is None:
            tools.why("there is no subject that nobody or none could replace", verb.id)
            return
        words = negated if self.negates_twice else self.in_scope(tree, verbs, tools)
        if words is None:
            return
        yield from self._no_such(tree, verb, subject, words, tools)
        yield from self._nobody(tree, verb, subject, words, tools)

    def _doubts(self, tree: Tree, verb: Word, subject: Word | None) -> tuple[str, ...]:
        joined = [one for one in tree.children(verb.id, "conj") if self.grammar.is_finite(tree, one)]
        return ("coordinated",) * len(joined) + (("style",) if subject is None else ())

    def _sharing(self, tree: Tree, verb: Word, tools: Tools) -> list[Word]:
        """The predicate and those that share its subject; none where one of them is negated."""
        verbs = [verb]
        for other in tree.children(verb.id, "conj"):
            shares = other.upos in ("VERB", "ADJ", "AUX") and looking.subject(tree, other.id) is None
            if shares and self.grammar.is_predicate(tree, other):
                verbs.append(other)
        for one in verbs:
            if self.grammar.is_negated(tree, one.id):
                tools.why("a part of the sentence is negated already", one.id)
                return []
        return verbs

    def indefinites(self, tree: Tree, verb: Word) -> Iterator[tuple[Word, str]]:
        """The indefinite words of a clause, its subject's aside, each with the lemma that negation makes of it."""
        elsewhere = frozenset().union(*(tree.subtree(one.id) for one in tree.children(verb.id, *self.other_clauses)))
        for word in tree.descendants(verb.id):
            negative = self.grammar.indefinite_to_negative.get(word.lemma)
            if negative is None or word.id in elsewhere:
                continue
            if word.relation != "nsubj" and tree[word.head].relation != "nsubj":
                yield word, negative

    def _no_such(self, tree: Tree, verb: Word, subject: Word, words: list[Word], tools: Tools) -> Iterator[Draft]:
        if subject.upos != "NOUN" or tree.children(subject.id, "conj"):
            tools.why(f"{self.none} cannot stand before {subject.form}", subject.id)
            return
        if looking.numeral(tree, subject.id) or self.is_determined(tree, subject):
            tools.why(f"{subject.form} has a numeral or determiner already", subject.id)
            return
        several = len(self.grammar.predicates(tree)) > 1 and self._other_subjects(tree, verb)
        if subject.lemma in self.grammar.quantities or several:
            tools.why(f"{self.none} does not go with {subject.form}", subject.id)
            return
        none = self.none_before(tree, subject, max(word.id for word in words) + 1, tools)
        if none is None:
            tools.why(f"{self.none} cannot agree with {subject.form}", subject.id)
            return
        inside = tree.subtree(subject.id)
        gone = self.replaced_by_none(tree, subject)
        place = next(place for place, word in enumerate(words) if word.id in inside)
        while place > 0 and "-" in (words[place].form, words[place - 1].form):
            place -= 1  # before the whole of a compound with a hyphen
        doubts = ("style",) if any(tree[one].deprel == "acl:relcl" for one in inside) else ()
        after = [word for word in words[place:] if word.id not in gone]
        yield Draft(in_order(tree, [*words[:place], none, *after]), "no such", (verb.id, subject.id), doubts)

    def is_determined(self, tree: Tree, subject: Word) -> bool:
        """Whether a subject has a determiner beside which *none* cannot stand."""
        return tree.child(subject.id, "det") is not None

    def replaced_by_none(self, tree: Tree, subject: Word) -> frozenset[int]:  # noqa: ARG002 - of languages with articles
        """Words of a subject that give way to *none*: an article."""
        return frozenset()

    def _other_subjects(self, tree: Tree, verb: Word) -> bool:
        return any(looking.subject(tree, one.id) is not None for one in tree.children(verb.id, "conj"))

    def _nobody(self, tree: Tree, verb: Word, subject: Word, words: list[Word], tools: Tools) -> Iterator[Draft]:
        named = subject.upos in ("NOUN", "PROPN") and self.grammar.is_animate(tree, subject.id, tools.inflector)
        if not named and subject.lemma not in self.somebody:
            tools.why(f"{subject.form} is nobody who could be {self.nobody}", subject.id)
            return
        if self._other_subjects(tree, verb):
            tools.why("another clause has a subject of its own", verb.id)
            return
        inside = tree.subtree(subject.id)
        together = next(
            (one for one in tree.words if one.lemma in self.grammar.together and one.id not in inside), None
        )
        several = subject.feats.get("Number") != "Sing" or tree.children(subject.id, "conj")
        if together is not None and several:
            tools.why(f"{together.form} needs several", together.id)
            return
        changed: Changes = {}
        for one in self.grammar.predicates(tree):
            new = self.for_nobody(tree, one, tools)
            if new is None:
                tools.why(f"{one.form} cannot take the singular", one.id)
                return
            changed |= new
        number = max(word.id for word in words) + 1
        nobody = Word(
            number, self.nobody, self.nobody, "PRON", feats=self.nobody_features, head=verb.id, deprel="nsubj"
        )
        first = next(place for place, word in enumerate(words) if word.id in inside)
        before = sum(word.id not in inside for word in words[:first])
        words = [changed.get(word.id, word) for word in words if word.id not in inside]
        closes = any(tree[one].relation in ("acl", "advcl", "appos", "parataxis") for one in inside)
        if closes and before < len(words) and words[before].form == ",":
            del words[before]  # it closed a clause of the subject
        doubts = ("argument",) if any(tree[one].relation in ("acl", "nmod") for one in inside) else ()
        order = [*words[:before], nobody, *words[before:]]
        yield Draft(in_order(tree, order), "nobody", (verb.id, subject.id, nobody.id), doubts)

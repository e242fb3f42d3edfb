"""A relative clause becomes a participle: *the letter that he carries* → *the letter carried by him*."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.edits import in_order, part, with_commas
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Grammar
from kostra.trees import Tree, Word


class ToParticiples:
    """Each relative clause becomes a participle phrase, at its place and before its noun.

    A language makes the participles (`active`, `passive`), what remains of a predicate with a copula (`predicative`),
    the agent (`agent`), and says whether a phrase may stand before a noun (`before`).
    """

    heaviest = 6
    """Words of the longest participle phrase that stands before its noun."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    # What a language says ------------------------------------------------------------------------------

    def active(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:
        """The active participle of a predicate, agreeing with the noun of these features."""
        raise NotImplementedError

    def passive(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:
        """The passive participle of a verb, agreeing likewise."""
        raise NotImplementedError

    def predicative(self, tree: Tree, adjective: Word, feats: dict[str, str], tools: Tools) -> Word | None:
        """An adjective or participle that stood with a copula or auxiliary, agreeing likewise."""
        raise NotImplementedError

    def agent(self, tree: Tree, doer: Word, tools: Tools) -> list[Word] | None:
        """The subject of the clause as the agent of a participle, in order; None where it cannot be one."""
        raise NotImplementedError

    def before(self, tree: Tree, phrase: list[Word], verb: Word) -> list[Word] | None:  # noqa: ARG002 - a hook
        """A phrase in the order in which it stands before its noun; None where it is too heavy to."""
        is_finite = self.grammar.is_finite
        if len(phrase) > self.heaviest or any(word.form == "," or is_finite(tree, word) for word in phrase):
            return None
        return phrase

    def front(self, tree: Tree, noun: Word) -> int:
        """The word before which a participle of a noun stands: its first adjective, or itself."""
        for child in tree.children(noun.id, "amod"):
            if tree.places[child.id] < tree.places[noun.id]:
                inside = tree.subtree(child.id)
                return next(word.id for word in tree.words if word.id in inside)
        return noun.id

    def ordered(self, words: list[Word], participle: Word) -> list[Word]:  # noqa: ARG002 - a hook
        """The participle and its dependents, in the order of a phrase: as they stood."""
        return words

    # The rule ------------------------------------------------------------------------------------------

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Turn each relative clause into a participle, before its noun and at its place."""
        for verb in tree.words:
            if verb.deprel == "acl:relcl" and verb.head in tree:
                yield from self._swapped(tree, verb, tree[verb.head], tools)

    def _swapped(self, tree: Tree, verb: Word, noun: Word, tools: Tools) -> Iterator[Draft]:
        relatives = self.grammar.relatives
        pronoun = next((one for one in tree.children(verb.id) if one.lemma in relatives), None)
        cased = self.grammar.object_case is None or "Case" in noun.feats
        if pronoun is None or noun.upos not in ("NOUN", "PROPN") or not cased:
            tools.why(f"{verb.form} has no {' or '.join(sorted(relatives))} that is its subject or object", verb.id)
            return
        if tree.child(pronoun.id, "case") is not None:
            tools.why(f"{pronoun.form} stands with a preposition", pronoun.id)
            return
        for phrase in self._phrases(tree, verb, noun, pronoun, tools):
            yield from self._placed(tree, verb, noun, phrase, tools)

    def _phrases(self, tree: Tree, verb: Word, noun: Word, pronoun: Word, tools: Tools) -> Iterator[list[Word]]:
        """The participle with its dependents, in their order."""
        feats = dict(noun.feats)
        if feats.get("Number") == "Ptan":
            feats["Number"] = "Plur"
        if pronoun.relation == "nsubj":
            words = self._as_subject(tree, verb, pronoun, feats, tools)
            if words:
                yield words
        elif pronoun.relation == "obj" and pronoun.feats.get("Case") in (None, "Acc", "Gen"):
            yield from self._as_object(tree, verb, pronoun, feats, tools)
        else:
            tools.why(f"{pronoun.form} is neither subject nor direct object", pronoun.id)

    def _as_subject(
        self, tree: Tree, verb: Word, pronoun: Word, feats: dict[str, str], tools: Tools
    ) -> list[Word] | None:
        helpers = tree.children(verb.id, "aux", "cop")
        gone = {pronoun.id, *(one.id for one in helpers)}
        changed: dict[int, Word] = {}
        for one in (verb, *tree.children(verb.id, "conj")):
            if self.grammar.is_negated(tree, one.id):
                tools.why("the clause is negated", one.id)
                return None
            if one.upos == "ADJ" and (helpers or tree.child(one.id, "aux", "cop") or one.id != verb.id):
                made = self.predicative(tree, one, feats, tools)
                gone |= {other.id for other in tree.children(one.id, "aux", "cop")}
            elif self.grammar.is_finite(tree, one) and looking.subject(tree, one.id) in (None, pronoun):
                made = self.active(tree, one, feats, tools)
            else:
                made = None
            if made is None:
                tools.why(f"{one.form} has no participle with this meaning", one.id)
                return None
            changed[one.id] = made
        return self.ordered(_inside(tree, verb, gone, changed), verb)

    def _as_object(
        self, tree: Tree, verb: Word, pronoun: Word, feats: dict[str, str], tools: Tools
    ) -> Iterator[list[Word]]:
        grammar = self.grammar
        negated = grammar.is_negated(tree, verb.id)
        if not grammar.is_finite(tree, verb) or negated or verb.lemma in grammar.not_passive:
            tools.why(f"{verb.form} has no passive participle here", verb.id)
            return
        joined = any(one.upos in ("VERB", "ADJ") for one in tree.children(verb.id, "conj"))
        if joined or grammar.reflexive(tree, verb.id):
            tools.why("two predicates, or a reflexive one, do not make one passive participle", verb.id)
            return
        made = self.passive(tree, verb, feats, tools)
        if made is None:
            tools.why(f"no passive participle of {verb.form} can be told", verb.id)
            return
        agent: list[Word] = []
        doer = looking.subject(tree, verb.id)
        gone = {pronoun.id}
        if doer is not None:
            found = self.agent(tree, doer, tools) if doer.upos in ("NOUN", "PROPN") else None
            if found is None:
                tools.why(f"{doer.form} cannot be an agent", doer.id)
                return
            agent = [word.but(deprel="obl:agent") if word.id == doer.id else word for word in found]
            gone |= tree.subtree(doer.id)
        words = [word for word in _inside(tree, verb, gone, {}) if word.id != verb.id]
        yield [made, *agent, *words]
        if agent and words:
            yield [made, *words, *agent]

    def _placed(self, tree: Tree, verb: Word, noun: Word, phrase: list[Word], tools: Tools) -> Iterator[Draft]:
        clause = with_commas(tree, tree.subtree(verb.id), clause_openers=self.grammar.clause_openers)
        rest = [word for word in tree.words if word.id not in clause]
        phrase = [word for word in phrase if word not in rest]  # of two commas behind a clause one stays where it is
        phrase = [word.but(head=noun.id, deprel="amod") if word.id == verb.id else word for word in phrase]
        edited = (verb.id, noun.id)
        doubts = ("inflected", "comma", *["coordinated"] * len(tree.children(verb.id, "conj")))
        if len(phrase) > 1:
            first = min(tree.places[one] for one in clause)
            place = sum(word.id not in clause for word in tree.words[:first])
            yield Draft(in_order(tree, [*rest[:place], *phrase, *rest[place:]]), "participle behind", edited, doubts)
        fronted = self.before(tree, phrase, verb)
        if fronted is None:
            tools.why(f"too much hangs on {verb.form} to stand before {noun.form}", verb.id)
            return
        front = self.front(tree, noun)
        place = next(place for place, word in enumerate(rest) if word.id == front)
        doubts = (*doubts, "moved", *("heavy",) * (len(phrase) // 5))
        made = in_order(tree, [*rest[:place], *fronted, *rest[place:]])
        yield Draft(made, "participle before", edited, doubts)
        if front != noun.id and len(phrase) == 1:
            place = next(place for place, word in enumerate(rest) if word.id == noun.id)
            near = in_order(tree, [*rest[:place], *fronted, *rest[place:]])
            yield Draft(near, "participle before", edited, doubts)


def _inside(tree: Tree, verb: Word, gone: set[int], changed: dict[int, Word]) -> list[Word]:
    """The clause without its pronoun, its auxiliaries and the commas at its ends."""
    words = [changed.get(word.id, word) for word in part(tree, tree.subtree(verb.id)) if word.id not in gone]
    while words and words[0].upos == "PUNCT":
        words.pop(0)
    while words and words[-1].form == ",":
        words.pop()
    return words

"""Makes the object the subject: *The grass is cut by the farmer*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kostra.transforms.edits import comma, in_order, is_comma, is_unbroken, part
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.shared import looking
from kostra.transforms.shared.grammar import Changes, Grammar
from kostra.trees import Tree, Word

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "agent last": "the agent stands behind all other parts of the clause",
    "agent first": "the agent stands right behind the participle",
}


class Passive(NamedTuple):
    """The verb of a passive clause, and its new subject."""

    verb: Word
    """The participle, or the verb as it agrees with its new subject."""
    helpers: tuple[Word, ...]
    """Auxiliaries, or the reflexive pronoun; they stand before the verb."""
    changed: Changes
    """Words of the object that changed, as a subject."""


class Clause(NamedTuple):
    """An active clause that has a passive."""

    tree: Tree
    verb: Word
    subject: Word
    thing: Word


class Passivisation:
    """Every clause that allows it; a language makes the verb (`passive`) and the agent (`agent`)."""

    longest_agent = 3
    """Words of the longest agent that other parts of the clause may follow."""
    weak: frozenset[str] = frozenset()
    """Forms of pronouns that stand before the participle."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    helpers_second = False
    """Whether auxiliaries stand right behind what opens a clause: *v neděli byl plot opraven*."""

    # What a language says ------------------------------------------------------------------------------

    def passive(self, clause: Clause, tools: Tools) -> Passive | None:
        """The passive of a clause's verb, agreeing with its object; None where it cannot be told."""
        raise NotImplementedError

    def agent(self, clause: Clause, tools: Tools) -> Changes | None:
        """What changes in the subject when it becomes the agent; None where that cannot be told."""
        raise NotImplementedError

    def lacks_passive(self, tree: Tree, verb: Word) -> str | None:
        """Why a verb has no passive in its tense or at all, or None."""
        raise NotImplementedError

    def others(self, clause: Clause, made: Passive | None, doubts: list[str], tools: Tools) -> Iterator[Draft]:  # noqa: ARG002 - a hook
        """Further variants of a language; `made` is None where the passive or its agent could not be told."""
        return iter(())

    def can_act(self, subject: Word) -> bool:
        """Whether a subject can be an agent: a noun."""
        return subject.upos in ("NOUN", "PROPN")

    def passive_object(self, tree: Tree, verb: Word) -> Word | None:
        """The object that can become a subject."""
        for thing in tree.children(verb.id, "obj"):
            if thing.feats.get("Case") == self.grammar.object_case or looking.governor(tree, thing.id) is not None:
                return thing
        return None

    def clings(self, tree: Tree, word: int) -> bool:
        """Whether a word stays beside the participle: an instrument, a part of the body."""
        one = tree[word]
        return (
            one.lemma in self.grammar.body
            or one.relation == "iobj"
            or (one.feats.get("Case") == "Ins" and tree.child(word, "case") is None)
        )

    def is_clumsy(self, clause: Clause) -> bool:
        """Whether a passive is right and clumsy."""
        return clause.verb.lemma in self.grammar.clumsy_passive

    def can_undergo(self, thing: Word) -> bool:
        """Whether an object can become the subject: a noun."""
        return thing.upos in ("NOUN", "PROPN")

    def orders(self, clause: Clause, rest: frozenset[int]) -> tuple[str, ...]:
        """The variants in which agent and `rest` of a clause can be ordered: a heavy agent stands last."""
        heavy = len(clause.tree.subtree(clause.subject.id)) > self.longest_agent
        beside = heavy or any(self.clings(clause.tree, one) for one in rest)
        return ("agent last",) if beside else ("agent last", "agent first")

    def parted(self, clause: Clause, rest: list[Word]) -> tuple[list[Word], list[Word], list[Word]]:  # noqa: ARG002 - a hook
        """The rest of the clause in three: before the new subject, before the participle, behind it."""
        return [], [], rest

    # The rule ------------------------------------------------------------------------------------------

    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Passivise every clause that allows it."""
        for verb in tree.words:
            if self.grammar.is_finite(tree, verb) and verb.relation in ("root", "conj"):
                yield from self._clause(tree, verb, tools)

    def _clause(self, tree: Tree, verb: Word, tools: Tools) -> Iterator[Draft]:
        subject, thing = looking.subject(tree, verb.id), self.passive_object(tree, verb)
        obstacle = self._obstacle(tree, verb, subject, thing)
        if obstacle is not None or subject is None or thing is None:
            tools.why(obstacle or "", verb.id)
            return
        joined = [one for one in tree.children(verb.id, "conj") if one.upos in ("NOUN", "PROPN")]
        loose = next((one for one in joined if not self.grammar.is_predicate(tree, one)), None)
        if loose is not None:
            tools.why(f"{loose.form} may be joined with {thing.form}", loose.id)
            return  # a cook lifts a lid [and a spoon]
        clause = Clause(tree, verb, subject, thing)
        made, agent = self.passive(clause, tools), self.agent(clause, tools)
        doubts = ["style"] if self.is_clumsy(clause) else []
        doubts += ["coordinated"] if tree.children(thing.id, "conj") or tree.children(subject.id, "conj") else []
        if made is None or agent is None:
            tools.why(f"no passive of {verb.form}, or no agent of {subject.form}, can be told", verb.id)
            yield from self.others(clause, None, doubts, tools)
            return
        doubts = ["inflected"] * (len(agent) + len(made.changed)) + ["moved", *doubts]
        edited = (verb.id, subject.id, thing.id)
        mine = tree.subtree(subject.id)
        for taken, more in self._taken(tree, verb, thing):
            if not is_unbroken(tree, taken):
                tools.why(f"what belongs to {thing.form} does not stand together", thing.id)
                continue
            for variant in self.orders(clause, tree.subtree(verb.id) - taken - mine):
                doer = self.doer(clause, agent, self.grammar.agent_preposition)
                order = self.ordered(clause, made, doer, taken, agent_last=variant == "agent last")
                yield Draft(order, variant, edited, (*doubts, *more))
        yield from self.others(clause, made, doubts, tools)

    def _obstacle(self, tree: Tree, verb: Word, subject: Word | None, thing: Word | None) -> str | None:
        """Why a clause has no passive, or None."""
        if thing is None:
            return f"{verb.form} has no direct object"
        if subject is None:
            return f"{verb.form} has no subject of its own"
        if not self.can_act(subject) or not self.can_undergo(thing):
            return "subject and object must be nouns"
        if (reason := self.lacks_passive(tree, verb)) is not None:
            return reason
        if self.grammar.reflexive(tree, verb.id) is not None:
            return f"{verb.form} is reflexive"
        if self.grammar.is_negated(tree, verb.id):
            return f"{verb.form} is negated"
        for one in tree.children(verb.id):
            if one.relation == "conj" and one.upos in ("VERB", "ADJ") and looking.subject(tree, one.id) is None:
                return f"{one.form} shares the subject"
            loose = one.upos == "ADJ" and one.feats.get("Case") == "Nom" and one.id != subject.id
            if one.relation in ("xcomp", "ccomp", "csubj") or loose:
                return f"{one.form} belongs to subject or object"
        return self._obstacle_inside(tree, verb, subject, thing)

    def _obstacle_inside(self, tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
        is_finite = self.grammar.is_finite
        for one in tree.children(thing.id, "acl"):
            if one.deprel == "acl:relcl" and is_finite(tree, one) and looking.subject(tree, one.id) is None:
                return f"the subject of {one.form} would be lost"
        by = self.grammar.agent_preposition
        for one in tree.descendants(verb.id):
            shares = is_finite(tree, one) and looking.subject(tree, one.id) is None
            if shares and not looking.is_in_relative(tree, one, verb):
                return f"{one.form} may share the subject"
            other = by is not None and one.form.lower() == by and one.relation == "case"
            if other and not looking.is_in_other_clause(tree, one, verb):
                return f"there is a {by} already"
        if (verb.lemma, thing.lemma) in self.grammar.fixed_objects:
            return f"{verb.form} {thing.form} is one expression"
        for top in (thing, subject):
            for one in tree.descendants(top.id):
                joined = one.relation == "conj" and looking.subject(tree, one.id) is not None
                if is_finite(tree, one) and (joined or not looking.is_in_relative(tree, one, top)):
                    return f"{one.form} hangs on {top.form}"
        inside = tree.subtree(subject.id)
        for one in tree.descendants(verb.id):
            if looking.is_converb(one) and not looking.is_in_other_clause(tree, tree[one.head], verb):
                return f"the converb {one.form} needs the subject"
            back = one.lemma in self.grammar.reflexives and one.id not in inside
            if back and not looking.is_in_other_clause(tree, one, verb):
                return f"{one.form} points back to the subject"
        return None

    def _taken(self, tree: Tree, verb: Word, thing: Word) -> Iterator[tuple[frozenset[int], tuple[str, ...]]]:
        """What goes to the front with the object: all that hangs on it, or one prepositional phrase more or less.

        No parser can tell whether in *a turn on the ice* the phrase belongs to the turn or to the turning.
        """
        own = tree.subtree(thing.id)
        yield own, ()
        last = max(tree.places[one] for one in own if tree[one].upos != "PUNCT")
        if verb.lemma not in self.grammar.light_verbs:
            return
        places, body = self.grammar.places, self.grammar.body
        for phrase in tree.children(verb.id, "obl"):
            inside = tree.subtree(phrase.id)
            if min(tree.places[one] for one in inside) == last + 1 and tree.child(phrase.id, "case"):
                yield own | inside, ("attachment",)
                end = max(tree.places[one] for one in inside)
                for inner in tree.children(phrase.id, "nmod"):
                    tail = tree.subtree(inner.id)
                    case = tree.child(inner.id, "case")
                    if case is not None and case.form in places and max(tree.places[one] for one in tail) == end:
                        yield own | (inside - tail), ("attachment", "attachment")
        for phrase in tree.children(thing.id, "nmod"):
            inside = tree.subtree(phrase.id)
            case = tree.child(phrase.id, "case")
            is_place = case is not None and case.form.lower() in places and phrase.lemma not in body
            if is_place and max(tree.places[one] for one in inside) == last:
                yield own - inside, ("attachment",)

    # Order ---------------------------------------------------------------------------------------------

    def doer(self, clause: Clause, agent: Changes, preposition: str | None) -> list[Word]:
        """The agent's words, behind a preposition if it has one."""
        tree, top = clause.tree, clause.subject.id
        by = [Word(tree.fresh() + 1, preposition, preposition, "ADP", head=top, deprel="case")] if preposition else []
        words = [*by, *(agent.get(word.id, word) for word in part(tree, tree.subtree(top)))]
        return [word.but(deprel="obl:agent") if word.id == top else word for word in words]

    def ordered(
        self, clause: Clause, made: Passive, doer: list[Word], taken: frozenset[int], *, agent_last: bool
    ) -> Tree:
        """Object, auxiliary, participle, the rest of the clause, agent; the agent before the rest if not last.

        An empty `doer` leaves the agent out.
        """
        tree, verb, thing = clause.tree, clause.verb, clause.thing
        clauses = [
            one for one in tree.children(verb.id, "conj", "parataxis") if tree.places[one.id] > tree.places[verb.id]
        ]
        outside = frozenset().union(*(tree.subtree(one.id) for one in clauses))
        words = [word for word in part(tree, tree.subtree(verb.id)) if word.id not in outside]
        mine = tree.subtree(clause.subject.id)
        opening, ending = edges_of(verb, words)
        edges = {word.id for word in (*opening, *ending)}
        rest = [word for word in words if word.id not in mine | taken | edges and word.id != verb.id]
        top = [made.changed.get(word.id, word) for word in part(tree, taken)]
        top = [word.but(deprel="nsubj:pass") if word.id == thing.id else word for word in top]
        doer = doer[:-1] if doer and is_comma(doer[-1]) else doer
        closing = [top.pop()] if is_comma(top[-1]) else []
        number = tree.fresh() + 2
        if not closing and _ends_with_clause(top):
            closing = [comma(number, thing.id)]
        if not agent_last and rest and _ends_with_clause(doer):
            doer = [*doer, comma(number + 1, clause.subject.id)]
        if agent_last and rest and _ends_with_clause(rest):
            rest = [*rest, comma(number + 2, verb.id)]
        front, middle, rest = self.parted(clause, rest)
        body = [*rest, *doer] if agent_last else [*doer, *rest]
        weak = [word for word in body if word.form.lower() in self.weak and word.head == verb.id]
        body = [word for word in body if word not in weak]
        if front and self.helpers_second:
            start = [*opening, *front, *made.helpers, *weak, *top, *closing]
        else:
            start = [*opening, *front, *top, *closing, *made.helpers, *weak]
        order = [*start, *middle, made.verb, *body]
        ids = {word.id for word in words}
        place = next(place for place, word in enumerate(tree.words) if word.id in ids)
        before = [word for word in tree.words[:place] if word.id not in ids]
        after = [word for word in tree.words[place:] if word.id not in ids]
        return in_order(tree, [*before, *order, *after, *ending])


def _ends_with_clause(words: list[Word]) -> bool:
    """Whether a phrase closes with a relative clause: the finite verb of one stands in it, and no comma behind."""
    last = next((place for place, word in enumerate(reversed(words)) if word.deprel == "acl:relcl"), None)
    return last is not None and not any(is_comma(word) for word in words[len(words) - last :])


def edges_of(verb: Word, clause: list[Word]) -> tuple[list[Word], list[Word]]:
    """What opens and what closes a clause: its conjunction and comma, its full stop."""
    opening: list[Word] = []
    for word in clause:
        if word.head == verb.id and (word.relation == "cc" or (is_comma(word) and not opening)):
            opening.append(word)
        else:
            break
    ending: list[Word] = []
    for word in reversed(clause):
        if word.head == verb.id and word.upos == "PUNCT":
            ending.insert(0, word)
        else:
            break
    return opening, ending

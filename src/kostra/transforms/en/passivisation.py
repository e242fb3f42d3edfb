"""Makes the object the subject: *The grass is being cut by a farmer*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import in_order, part
from kostra.transforms.en import grammar, lexicon, trailing, undergoing
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.shared import passivisation as shared
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.passivisation import Clause, Passive, edges_of
from kostra.trees import Features, Tree, Word

RELATION = shared.RELATION
VARIANTS: Mapping[str, str] = {
    "agent last": "by and the agent stand behind all other parts of the clause",
    "agent first": "by and the agent stand right behind the participle",
    "receiver": "of two objects the one that gets something becomes the subject",
    "no agent": "someone goes without being named",
}
_NAMELESS = frozenset({"someone", "somebody"})


class _English(shared.Passivisation):
    def apply(self, tree: Tree, tools: Tools) -> Iterator[Draft]:
        """Passivise every clause that allows it, with its days and years hung on the verb."""
        yield from super().apply(trailing.with_times(tree), tools)

    def can_act(self, subject: Word) -> bool:
        """Whether a subject can follow *by*: a noun, somebody; *by me* is right and nobody says it."""
        return super().can_act(subject) or subject.lemma.lower() in _NAMELESS

    def _taken(self, tree: Tree, verb: Word, thing: Word) -> Iterator[tuple[frozenset[int], tuple[str, ...]]]:  # noqa: ARG002 - a hook
        """What hangs on the object, no more and no less."""
        yield tree.subtree(thing.id), ()

    def can_undergo(self, thing: Word) -> bool:
        """Whether an object can become the subject: a noun or a personal pronoun."""
        named = thing.upos == "PRON" and thing.feats.get("PronType") == "Prs" and "Case" in thing.feats
        return super().can_undergo(thing) or (named and thing.feats.get("Reflex") is None)

    def passive_object(self, tree: Tree, verb: Word) -> Word | None:
        """The direct object, whatever the form of its pronoun."""
        return tree.child(verb.id, "obj")

    def lacks_passive(self, tree: Tree, verb: Word) -> str | None:
        """Whatever is not a plain statement of a plain act, with little behind its object."""
        if grammar.is_passive(tree, verb.id):
            return f"{verb.form} is passive already"
        if tree.words[-1].form == "?" or grammar.has_subject_behind(tree, verb.id):
            return "a question, or a subject behind its verb"
        subject, thing = tree.child(verb.id, "nsubj"), self.passive_object(tree, verb)
        if subject is None or thing is None:
            return None
        return undergoing.not_undergone(tree, verb, subject, thing) or trailing.cannot_trail(tree, verb, thing)

    def agent(self, clause: Clause, tools: Tools) -> Changes | None:
        """The objective case behind *by*: *by me*; no word of which cannot be told whether it keeps its capital."""
        first = clause.tree.words[0]
        if first.id in clause.tree.subtree(clause.subject.id) and first.upos == "PROPN":
            kinds = {one.upos for one in tools.inflector.analyses(first.form.lower())}
            if "NOUN" in kinds and len(first.form) > 1:
                tools.why(f"{first.form} may be a name, or begin the sentence", first.id)
                return None  # frost covered the fields
        return grammar.in_case(clause.tree, clause.subject.id, "Acc", tools.inflector)

    def passive(self, clause: Clause, tools: Tools) -> Passive | None:
        """*Is cut*, *is being cut*, *has been cut*, *will be cut*, agreeing with what was the object."""
        tree, verb, _, thing = clause
        changed = grammar.in_case(tree, thing.id, "Nom", tools.inflector)
        agreement = grammar.agreement_of(tree, thing.id)
        done = grammar.formed(verb, tools.inflector, grammar.DONE)
        if changed is None or agreement is None or done is None:
            return None
        helpers = _helpers(tree, verb, agreement, tools)
        return None if helpers is None else Passive(done, tuple(helpers), changed)

    def orders(self, clause: Clause, rest: frozenset[int]) -> tuple[str, ...]:  # noqa: ARG002 - a hook
        """As what stands behind the object lets it."""
        tree, verb, subject, thing = clause
        heavy = len(tree.subtree(subject.id)) > self.longest_agent
        return trailing.orders(tree, verb, thing, heavy=heavy or tree.child(verb.id, "iobj") is not None)

    def others(self, clause: Clause, made: Passive | None, doubts: list[str], tools: Tools) -> Iterator[Draft]:
        """Somebody need not be named; who is given something can be the subject."""
        tree, verb, subject, thing = clause
        edited = (verb.id, subject.id, thing.id)
        if made is not None and subject.lemma.lower() in _NAMELESS:
            order = self.ordered(clause, made, [], tree.subtree(thing.id), agent_last=True)
            yield Draft(order, "no agent", edited, tuple(doubts))
        receiver = tree.child(verb.id, "iobj")
        if receiver is None or not self.can_undergo(receiver):
            return
        turned = Clause(tree, verb, subject, receiver)
        made, agent = self.passive(turned, tools), self.agent(turned, tools)
        if made is not None and agent is not None:
            doer = self.doer(turned, agent, ENGLISH.agent_preposition)
            order = self.ordered(turned, made, doer, tree.subtree(receiver.id), agent_last=True)
            yield Draft(order, "receiver", (*edited, receiver.id), ("moved", "inflected"))

    def ordered(
        self, clause: Clause, made: Passive, doer: list[Word], taken: frozenset[int], *, agent_last: bool
    ) -> Tree:
        """What stood before the subject, object, auxiliaries, adverbs, participle, particle, agent and rest."""
        tree, verb, subject, thing = clause
        later = [one for one in tree.children(verb.id, "conj", "parataxis") if _stands(tree, one) > _stands(tree, verb)]
        outside = frozenset().union(*(tree.subtree(one.id) for one in later))
        words = [word for word in part(tree, tree.subtree(verb.id)) if word.id not in outside]
        opening, ending = edges_of(verb, words)
        gone = tree.subtree(subject.id) | taken | {one.id for one in grammar.helpers(tree, verb.id)}
        gone |= {word.id for word in (*opening, *ending)} | {verb.id}
        rest = [word for word in words if word.id not in gone]
        start, at = min(_stands(tree, tree[one]) for one in tree.subtree(subject.id)), _stands(tree, verb)
        front = [word for word in rest if _stands(tree, word) < start]
        middle = [word for word in rest if start < _stands(tree, word) < at]
        particles = [word for word in rest if word.deprel == "compound:prt" and word.head == verb.id]
        rest = [word for word in rest if word not in (*front, *middle, *particles)]
        receiver = tree.child(verb.id, "iobj")
        if receiver is not None and receiver.id not in taken:
            to = "for" if verb.lemma in lexicon.GIVES_FOR else "to"
            mine = tree.subtree(receiver.id)
            before = next((place for place, word in enumerate(rest) if word.id in mine), len(rest))
            rest.insert(before, Word(tree.fresh() + 4, to, to, "ADP", head=receiver.id, deprel="case"))
        top = [made.changed.get(word.id, word) for word in part(tree, taken)]
        top = [word.but(deprel="nsubj:pass") if word.id == thing.id else word for word in top]
        body = [*rest, *doer] if agent_last else [*doer, *rest]
        order = [*opening, *front, *top, *made.helpers[:1], *middle, *made.helpers[1:], made.verb, *particles, *body]
        ids = {word.id for word in words}
        place = next(place for place, word in enumerate(tree.words) if word.id in ids)
        before_clause = [word for word in tree.words[:place] if word.id not in ids]
        after = [word for word in tree.words[place:] if word.id not in ids]
        return in_order(tree, [*before_clause, *order, *after, *ending])


def _stands(tree: Tree, word: Word) -> int:
    return tree.places[word.id]


def _helpers(tree: Tree, verb: Word, agreement: Mapping[str, str], tools: Tools) -> list[Word] | None:
    """The auxiliaries of the passive; None for a tense that nobody puts into it (*has been being cut*)."""
    group = grammar.helpers(tree, verb.id)
    number = tree.fresh() + 2
    if not group:
        past = verb.form.endswith("ed") and verb.form != verb.lemma
        subject = tree.child(verb.id, "nsubj")
        doer = grammar.agreement_of(tree, subject.id) if subject is not None else None
        if doer is not None and doer["Number"] == "Sing" and verb.form.lower() == verb.lemma:
            past = True  # the wind hit the coast
        return _be(number, verb, "Past" if past else verb.feats.get("Tense", "Pres"), agreement, tools)
    first = grammar.agreeing(group[0], agreement, tools.inflector)
    last = group[-1]
    if first is None:
        return None
    if grammar.is_base(verb) and (last.lemma in grammar.MODALS or last.form.lower() in grammar.MODALS):
        return [first, *group[1:], _bare(number, verb, "be", grammar.BASE)]
    if grammar.is_ing(verb) and last.lemma == "be" and len(group) == 1:
        return [first, _bare(number, verb, "being", grammar.ING)]
    if grammar.is_past_participle(verb) and last.lemma == "have":
        return [first, *group[1:], _bare(number, verb, "been", {"Tense": "Past", "VerbForm": "Part"})]
    return None


def _be(number: int, verb: Word, tense: str, agreement: Mapping[str, str], tools: Tools) -> list[Word] | None:
    form = grammar.finite_form(tools.inflector, "be", tense, agreement)
    if form is None:
        return None
    return [_bare(number, verb, form, {"Mood": "Ind", **agreement, "Tense": tense, "VerbForm": "Fin"})]


def _bare(number: int, verb: Word, form: str, feats: Mapping[str, str]) -> Word:
    return Word(number, form, "be", "AUX", feats=Features(feats), head=verb.id, deprel="aux:pass")


apply = trusting(_English(ENGLISH).apply)

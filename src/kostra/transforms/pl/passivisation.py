"""Makes the object the subject: *Trawa jest koszona przez rolnika*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import comma, in_order, is_comma, part
from kostra.transforms.engine import Draft, Relation, Tools
from kostra.transforms.pl import grammar, lexicon
from kostra.trees import Features, Tree, Word

RELATION: Relation = "similar"
VARIANTS: Mapping[str, str] = {
    "agent last": "przez and the agent stand behind all other parts of the clause",
    "agent first": "przez and the agent stand right behind the participle",
    "instrument": "an inanimate subject becomes an instrumental without przez",
}
LONGEST_AGENT = 3
"""Words of the longest agent that other parts of the clause may follow."""
_TENSES = {
    ("Imp", "Pres"): ("być", "Pres"),
    ("Imp", "Past"): ("być", "Past"),
    ("Perf", "Past"): ("zostać", "Past"),
    ("Perf", "Fut"): ("zostać", "Fut"),
}
"""Auxiliary and its tense, by the aspect and tense of the verb."""


def apply(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Passivise every clause that allows it."""
    for verb in tree.words:
        if grammar.is_finite(verb) and verb.relation in ("root", "conj"):
            yield from _clause(tree, verb, tools)


def _clause(tree: Tree, verb: Word, tools: Tools) -> Iterator[Draft]:
    subject, thing = grammar.subject(tree, verb.id), passive_object(tree, verb)
    obstacle = _obstacle(tree, verb, subject, thing)
    if obstacle is not None or subject is None or thing is None:
        tools.why(obstacle or "", verb.id)
        return
    made = _passive(tree, verb, thing, tools)
    agent = grammar.recased(tree, subject.id, "Acc", tools.inflector)
    if made is None or agent is None:
        tools.why(f"no passive of {verb.form}, or no accusative of {subject.form}, can be told", verb.id)
        return
    instrument = None
    if verb.lemma in lexicon.INSTRUMENT_VERBS and not grammar.is_animate(tree, subject.id, tools.inflector):
        instrument = grammar.recased(tree, subject.id, "Ins", tools.inflector)
    doubts = ["inflected"] * (len(agent) + len(made.changed)) + ["moved"]
    doubts += ["style"] if verb.lemma in lexicon.CLUMSY_PASSIVE else []
    doubts += ["coordinated"] if tree.children(thing.id, "conj") or tree.children(subject.id, "conj") else []
    edited = (verb.id, subject.id, thing.id)
    mine = tree.subtree(subject.id)
    for taken, more in _taken(tree, verb, thing):
        beside = len(mine) > LONGEST_AGENT or any(_clings(tree, one) for one in tree.subtree(verb.id) - taken - mine)
        for variant in ("agent last",) if beside else ("agent last", "agent first"):
            order = made.ordered(agent, "przez", taken, agent_last=variant == "agent last")
            yield Draft(order, variant, edited, (*doubts, *more))
    if instrument is not None:
        order = made.ordered(instrument, None, tree.subtree(thing.id), agent_last=False)
        yield Draft(order, "instrument", edited, tuple(doubts))


def _clings(tree: Tree, word: int) -> bool:
    """Whether a word stays beside the participle: an instrument, a part of the body."""
    one = tree[word]
    return (
        one.lemma in lexicon.BODY
        or one.relation == "iobj"
        or (one.feats.get("Case") == "Ins" and tree.child(word, "case") is None)
    )


def passive_object(tree: Tree, verb: Word) -> Word | None:
    """The object that can become a subject: in the accusative, or in the genitive of a few verbs."""
    for thing in tree.children(verb.id, "obj"):
        if thing.feats.get("Case") == "Acc" or grammar.governor(tree, thing.id) is not None:
            return thing
    if verb.lemma in lexicon.GENITIVE_OBJECTS:
        found = [one for one in tree.children(verb.id, "obj", "obl", "iobj") if one.feats.get("Case") == "Gen"]
        return next((one for one in found if tree.child(one.id, "case") is None), None)
    return None


def _obstacle(tree: Tree, verb: Word, subject: Word | None, thing: Word | None) -> str | None:
    """Why a clause has no passive, or None."""
    if thing is None:
        return f"{verb.form} has no direct object"
    if subject is None:
        return f"{verb.form} has no subject of its own"
    if not _can_act(subject) or thing.upos not in ("NOUN", "PROPN"):
        return "subject and object must be nouns"
    if verb.lemma in lexicon.NOT_PASSIVE or verb.lemma in lexicon.GENITIVE_VERBS - lexicon.GENITIVE_OBJECTS:
        return f"{verb.lemma} has no usual passive"
    if (verb.feats.get("Aspect", ""), verb.feats.get("Tense", "")) not in _TENSES:
        return f"{verb.form} has a tense without passive"
    if grammar.reflexive(tree, verb.id) is not None:
        return f"{verb.form} is reflexive"
    if grammar.is_negated(tree, verb.id):
        return f"{verb.form} is negated"
    for one in tree.children(verb.id):
        if one.relation == "conj" and one.upos in ("VERB", "ADJ") and grammar.subject(tree, one.id) is None:
            return f"{one.form} shares the subject"
        if one.relation in ("xcomp", "ccomp", "csubj") or (one.upos == "ADJ" and one.feats.get("Case") == "Nom"):
            return f"{one.form} belongs to subject or object"
    for one in tree.children(thing.id, "acl"):
        if one.deprel == "acl:relcl" and grammar.is_finite(one) and grammar.subject(tree, one.id) is None:
            return f"the subject of {one.form} would be lost"
    for one in tree.descendants(verb.id):
        if grammar.is_finite(one) and grammar.subject(tree, one.id) is None and not _in_relative(tree, one, verb):
            return f"{one.form} may share the subject"
        if one.form.lower() == "przez" and one.relation == "case" and not _in_other_clause(tree, one, verb):
            return "there is a przez already"
    if (verb.lemma, thing.lemma) in lexicon.FIXED_OBJECTS:
        return f"{verb.form} {thing.form} is one expression"
    for top in (thing, subject):
        for one in tree.descendants(top.id):
            if grammar.is_finite(one) and not _in_relative(tree, one, top):
                return f"{one.form} hangs on {top.form}"
    inside = tree.subtree(subject.id)
    for one in tree.descendants(verb.id):
        if grammar.is_converb(one) and not _in_other_clause(tree, tree[one.head], verb):
            return f"the converb {one.form} needs the subject"
        if one.lemma in ("swój", "siebie") and one.id not in inside and not _in_other_clause(tree, one, verb):
            return f"{one.form} points back to the subject"
    return None


def _in_relative(tree: Tree, word: Word, top: Word) -> bool:
    at = word
    while at.id != top.id:
        if at.deprel == "acl:relcl":
            return True
        at = tree[at.head]
    return False


def _can_act(subject: Word) -> bool:
    """Whether a subject can follow *przez*: a noun, somebody, one of several."""
    return subject.upos in ("NOUN", "PROPN") or subject.lemma in ("ktoś", "jeden", "drugi", "inny")


def _in_other_clause(tree: Tree, word: Word, verb: Word) -> bool:
    at = word
    while at.id != verb.id and at.head:
        if at.relation in ("conj", "acl", "advcl") and (at.upos == "VERB" or grammar.is_participle(at)):
            return True
        if at.relation == "amod" and grammar.is_participle(at):
            return True
        at = tree[at.head]
    return False


def _taken(tree: Tree, verb: Word, thing: Word) -> Iterator[tuple[frozenset[int], tuple[str, ...]]]:
    """What goes to the front with the object: all that hangs on it, or one prepositional phrase more or less.

    No parser can tell whether in *obrót na lodzie* the phrase belongs to the jump or to the jumping.
    """
    own = tree.subtree(thing.id)
    yield own, ()
    last = max(tree.places[one] for one in own if tree[one].upos != "PUNCT")
    if verb.lemma not in lexicon.LIGHT_VERBS:
        return
    for phrase in tree.children(verb.id, "obl"):
        inside = tree.subtree(phrase.id)
        if min(tree.places[one] for one in inside) == last + 1 and tree.child(phrase.id, "case"):
            yield own | inside, ("attachment",)
            end = max(tree.places[one] for one in inside)
            for inner in tree.children(phrase.id, "nmod"):
                tail = tree.subtree(inner.id)
                case = tree.child(inner.id, "case")
                if case is not None and case.form in lexicon.PLACES and max(tree.places[one] for one in tail) == end:
                    yield own | (inside - tail), ("attachment", "attachment")
    for phrase in tree.children(thing.id, "nmod"):
        inside = tree.subtree(phrase.id)
        case = tree.child(phrase.id, "case")
        is_place = case is not None and case.form.lower() in lexicon.PLACES and phrase.lemma not in lexicon.BODY
        if is_place and max(tree.places[one] for one in inside) == last:
            yield own - inside, ("attachment",)


class _Made:
    """The parts of a passive clause."""

    def __init__(self, tree: Tree, verb: Word, thing: Word, participle: Word, helper: Word, changed: dict[int, Word]):
        self.tree, self.verb, self.thing = tree, verb, thing
        self.participle, self.helper, self.changed = participle, helper, changed

    def ordered(
        self, agent: Mapping[int, Word], preposition: str | None, taken: frozenset[int], *, agent_last: bool
    ) -> Tree:
        """Put the parts in order: object, auxiliary, participle, the rest of the clause, agent."""
        tree, verb = self.tree, self.verb
        subject = grammar.subject(tree, verb.id)
        assert subject is not None
        clauses = [
            one for one in tree.children(verb.id, "conj", "parataxis") if tree.places[one.id] > tree.places[verb.id]
        ]
        outside = frozenset().union(*(tree.subtree(one.id) for one in clauses))
        clause = [word for word in part(tree, tree.subtree(verb.id)) if word.id not in outside]
        mine, others = tree.subtree(subject.id), taken
        opening, ending = _edges(verb, clause)
        edges = {word.id for word in (*opening, *ending)}
        rest = [w for w in clause if w.id not in mine | others | edges and w.id != verb.id]
        by = (
            [Word(tree.fresh() + 1, preposition, preposition, "ADP", head=subject.id, deprel="case")]
            if preposition
            else []
        )
        doer = [*by, *(agent.get(word.id, word) for word in part(tree, mine))]
        doer = [word.but(deprel="obl:agent") if word.id == subject.id else word for word in doer]
        top = [self.changed.get(word.id, word) for word in part(tree, others)]
        top = [word.but(deprel="nsubj:pass") if word.id == self.thing.id else word for word in top]
        commas_open = is_comma(doer[-1])
        doer = doer[:-1] if commas_open else doer
        closing = [top.pop()] if is_comma(top[-1]) else []
        number = tree.fresh() + 2
        if not closing and _ends_with_clause(top):
            closing = [comma(number, self.thing.id)]
        if not agent_last and rest and _ends_with_clause(doer):
            doer = [*doer, comma(number + 1, subject.id)]
        if agent_last and rest and _ends_with_clause(rest):
            rest = [*rest, comma(number + 2, verb.id)]
        body = [*rest, *doer] if agent_last else [*doer, *rest]
        weak = [word for word in body if word.form.lower() in lexicon.WEAK_DATIVES and word.head == verb.id]
        body = [word for word in body if word not in weak]
        made = [*opening, *top, *closing, self.helper, *weak, self.participle, *body]
        place = next(place for place, word in enumerate(tree.words) if word.id in {one.id for one in clause})
        ids = {word.id for word in clause}
        before = [word for word in tree.words[:place] if word.id not in ids]
        after = [word for word in tree.words[place:] if word.id not in ids]
        return in_order(tree, [*before, *made, *after, *ending])


def _ends_with_clause(words: list[Word]) -> bool:
    """Whether a phrase closes with a relative clause: the finite verb of one stands in it, and no comma behind."""
    last = next((place for place, word in enumerate(reversed(words)) if word.deprel == "acl:relcl"), None)
    return last is not None and not any(is_comma(word) for word in words[len(words) - last :])


def _edges(verb: Word, clause: list[Word]) -> tuple[list[Word], list[Word]]:
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


def _passive(tree: Tree, verb: Word, thing: Word, tools: Tools) -> _Made | None:
    changed = grammar.recased(tree, thing.id, "Nom", tools.inflector)
    agreement = grammar.verb_features(tree, thing.id)
    if changed is None or agreement is None:
        return None
    lemma, tense = _TENSES[verb.feats["Aspect"], verb.feats["Tense"]]
    kind = {"Tense": tense, "Aspect": "Imp" if lemma == "być" else "Perf"}
    helper = grammar.finite_form(tools.inflector, lemma, kind, agreement)
    target = dict(agreement, Case="Nom")
    if grammar.governor(tree, thing.id) is not None and not tree.children(thing.id, "conj"):
        target = {
            **{k: v for k, v in thing.feats.items() if k in ("Gender", "Animacy")},
            "Case": "Gen",
            "Number": "Plur",
        }
    made = grammar.participle(tools.inflector, verb, "Pass", target)
    if helper is None or made is None:
        return None
    auxiliary = Word(
        tree.fresh(), helper, lemma, "AUX", feats=Features({**kind, "Number": agreement["Number"], "VerbForm": "Fin"}),
        head=verb.id, deprel="aux:pass",
    )  # fmt: skip
    return _Made(tree, verb, thing, made, auxiliary, changed)

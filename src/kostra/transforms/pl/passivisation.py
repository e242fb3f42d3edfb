"""Makes the object the subject: *Trawa jest koszona przez rolnika*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.engine import Draft, Tools
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.grammar import POLISH
from kostra.transforms.shared import looking
from kostra.transforms.shared import passivisation as shared
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.passivisation import Clause, Passive
from kostra.trees import Features, Tree, Word

RELATION = shared.RELATION
VARIANTS: Mapping[str, str] = {
    "agent last": "przez and the agent stand behind all other parts of the clause",
    "agent first": "przez and the agent stand right behind the participle",
    "instrument": "an inanimate subject becomes an instrumental without przez",
}
_TENSES = {
    ("Imp", "Pres"): ("być", "Pres"),
    ("Imp", "Past"): ("być", "Past"),
    ("Perf", "Past"): ("zostać", "Past"),
    ("Perf", "Fut"): ("zostać", "Fut"),
}
"""Auxiliary and its tense, by the aspect and tense of the verb."""


class _Polish(shared.Passivisation):
    weak = lexicon.WEAK_DATIVES
    longest_agent = 2

    def can_act(self, subject: Word) -> bool:
        """Whether a subject can follow *przez*: a noun, somebody, one of several."""
        return super().can_act(subject) or subject.lemma in ("ktoś", "jeden", "drugi", "inny")

    def lacks_passive(self, tree: Tree, verb: Word) -> str | None:
        """Some verbs have no usual passive, and the imperfective future has none in two words."""
        if verb.lemma in lexicon.NOT_PASSIVE or verb.lemma in lexicon.GENITIVE_VERBS - lexicon.GENITIVE_OBJECTS:
            return f"{verb.lemma} has no usual passive"
        if (verb.feats.get("Aspect", ""), verb.feats.get("Tense", "")) not in _TENSES:
            return f"{verb.form} has a tense without passive"
        if verb.lemma in ("robić", "zrobić") and any(
            one.lemma in lexicon.EXERCISES for one in tree.children(verb.id, "obj")
        ):
            return f"what {verb.form} says is done by one's own body"
        for one in tree.children(verb.id, "obj"):
            if _is_part_of_subject(tree, one):
                return f"{one.form} is a part of the subject"
        for one in tree.children(verb.id, "conj", "advmod"):
            if one.upos in ("NOUN", "PROPN"):
                return f"a verb is left out before {one.form}, and would lose its subject"
            if one.form.lower() in lexicon.TOGETHER:
                return f"{one.form} is said of the subject"
        distant = _distant_clause(tree, verb)
        if distant is not None:
            return f"{distant.form} is hardly said of the subject"
        return _clause_inside(tree, verb)

    def passive_object(self, tree: Tree, verb: Word) -> Word | None:
        """The object that can become a subject: in the accusative, or in the genitive of a few verbs."""
        thing = super().passive_object(tree, verb)
        if thing is not None and tree.child(thing.id, "case") is not None:
            return None
        if thing is None and verb.lemma in lexicon.GENITIVE_OBJECTS:
            found = [one for one in tree.children(verb.id, "obj", "obl", "iobj") if one.feats.get("Case") == "Gen"]
            return next((one for one in found if tree.child(one.id, "case") is None), None)
        return thing

    def is_clumsy(self, clause: Clause) -> bool:
        """Also of what is the agent's own: *kolorowe paznokcie są pokazywane przez panią*."""
        return clause.thing.lemma in lexicon.LIMBS or super().is_clumsy(clause)

    def clings(self, tree: Tree, word: int) -> bool:
        """Also what something is made of or goes into, and *obok*: behind an agent it would be said of him."""
        one = tree[word]
        cases = {(two.lemma, one.feats.get("Case")) for two in tree.children(word, "case")}
        return (
            not cases.isdisjoint({("z", "Gen"), ("w", "Acc")})
            or (one.upos == "ADV" and one.form in lexicon.ALSO_ADVERBS)
            or super().clings(tree, word)
        )

    def orders(self, clause: Clause, rest: frozenset[int]) -> tuple[str, ...]:
        """The agent stands before a clause that depends on the verb: *jest chwalony przez jednych, gdy inni śpią*."""
        tree = clause.tree
        if any(one.id in rest and POLISH.is_finite(tree, one) for one in tree.children(clause.verb.id, "advcl")):
            return ("agent first",)
        if any(tree[one].form == "przez" for one in rest):
            return ()
        return super().orders(clause, rest)

    def parted(self, clause: Clause, rest: list[Word]) -> tuple[list[Word], list[Word], list[Word]]:
        """Adverbs and particles stay before the participle: *został jednak wybrany*."""
        tree, verb = clause.tree, clause.verb
        at, before = tree.places[verb.id], tree.places[clause.subject.id]
        middle = [
            one
            for one in rest
            if one.relation == "advmod" and one.head in (verb.id, clause.thing.id) and not tree.children(one.id)
            and (one.upos == "PART" or before < tree.places[one.id] < at)
        ]  # fmt: skip
        phrases = [one for one in tree.children(verb.id, "obl") if one in rest]
        during = [one for one in phrases if any(two.lemma == "podczas" for two in tree.children(one.id, "case"))]
        several = len(phrases) > 1 and during and tree.places[during[0].id] < before  # the time stays apart, in front
        fronted = tree.subtree(during[0].id) if several else frozenset()
        front = [one for one in rest if one.id in fronted]
        return front, middle, [one for one in rest if one not in middle and one.id not in fronted]

    def agent(self, clause: Clause, tools: Tools) -> Changes | None:
        """The accusative behind *przez*; None where something that agrees with the subject would stay behind."""
        tree, subject = clause.tree, clause.subject
        changed = POLISH.recased(tree, subject.id, "Acc", tools.inflector)
        if changed is None:
            return changed
        for one in tree.descendants(subject.id):
            left = one.feats.get("Case") == "Nom" and one.id not in changed and one.upos == "ADJ"
            if left and not looking.is_in_relative(tree, one, subject):
                tools.why(f"{one.form} would not agree with {subject.form} any more", one.id)
                return None
        return changed

    def _taken(self, tree: Tree, verb: Word, thing: Word) -> Iterator[tuple[frozenset[int], tuple[str, ...]]]:
        """*Wózek z dzieckiem*: a companion right behind the object goes with it."""
        own = tree.subtree(thing.id)
        last = max(tree.places[one] for one in own)
        aimed = _phrase_of_verb(tree, thing)
        if aimed:
            yield own - aimed, ("attachment",)
            return
        beside = tree.words[last + 1] if last + 1 < len(tree.words) else thing
        if beside.form in lexicon.ALSO_ADVERBS and beside.upos == "ADV":  # na stole obok
            yield own | tree.subtree(beside.id), ("attachment",)
            return
        for phrase in tree.children(verb.id, "obl"):
            inside = tree.subtree(phrase.id)
            case = tree.child(phrase.id, "case")
            company = case is not None and case.lemma in ("z", "ze") and phrase.feats.get("Case") == "Ins"
            company = company and phrase.lemma not in lexicon.BODY
            if company and min(tree.places[one] for one in inside) == last + 1:
                yield own | inside, ("attachment",)
                return
        place = _place_of_somebody(tree, thing) if POLISH.is_animate(tree, thing.id) else None
        if place is not None:
            yield own - tree.subtree(place.id), ("attachment",)
            return
        for taken, doubts in super()._taken(tree, verb, thing):
            if not any(tree[one].lemma == "podczas" for one in taken):
                yield taken, doubts

    def passive(self, clause: Clause, tools: Tools) -> Passive | None:
        """*Jest koszona*, *została skoszona*; a numeral that governs has a participle in the genitive."""
        tree, verb, thing = clause.tree, clause.verb, clause.thing
        changed = POLISH.recased(tree, thing.id, "Nom", tools.inflector)
        agreement = POLISH.verb_features(tree, thing.id)
        if changed is None or agreement is None:
            return None
        lemma, tense = _TENSES[verb.feats["Aspect"], verb.feats["Tense"]]
        kind = {"Tense": tense, "Aspect": "Imp" if lemma == "być" else "Perf"}
        helper = POLISH.finite_form(tools.inflector, lemma, kind, agreement)
        target = dict(agreement, Case="Nom")
        if looking.governor(tree, thing.id) is not None and not tree.children(thing.id, "conj"):
            gender = {name: value for name, value in thing.feats.items() if name in ("Gender", "Animacy")}
            target = {**gender, "Case": "Gen", "Number": "Plur"}
        made = POLISH.participle(tools.inflector, verb, "Pass", target)
        if helper is None or made is None:
            return None
        feats = Features({**kind, "Number": agreement["Number"], "VerbForm": "Fin"})
        auxiliary = Word(tree.fresh(), helper, lemma, "AUX", feats=feats, head=verb.id, deprel="aux:pass")
        return Passive(made, (auxiliary,), changed)

    def others(self, clause: Clause, made: Passive | None, doubts: list[str], tools: Tools) -> Iterator[Draft]:
        """An inanimate subject as an instrument: *Pole jest pokryte śniegiem*."""
        tree, verb, subject, thing = clause
        if made is None or verb.lemma not in lexicon.INSTRUMENT_VERBS:
            return
        if POLISH.is_animate(tree, subject.id, tools.inflector):
            return
        instrument = POLISH.recased(tree, subject.id, "Ins", tools.inflector)
        if instrument is not None:
            order = self.ordered(
                clause, made, self.doer(clause, instrument, None), tree.subtree(thing.id), agent_last=False
            )
            yield Draft(order, "instrument", (verb.id, subject.id, thing.id), tuple(doubts))


def _clause_inside(tree: Tree, verb: Word) -> str | None:
    """What shows that another clause was taken for a part of this one: an auxiliary, a subject in the genitive."""
    for one in tree.descendants(verb.id):
        if one.upos != "AUX" or one.head == verb.id or looking.is_in_relative(tree, one, verb):
            continue
        if tree[one.head].relation not in ("conj", "advcl", "ccomp", "parataxis"):
            return f"{one.form} stands in another clause"
    for one in tree.words:
        doer = looking.subject(tree, one.id) if POLISH.is_finite(tree, one) and one.relation == "conj" else None
        odd = doer is not None and doer.feats.get("Case") == "Gen" and looking.governor(tree, doer.id) is None
        if doer is not None and odd and doer.lemma not in POLISH.quantities and one.head in tree.subtree(verb.id):
            return f"{one.form} may share the subject"
    return None


def _distant_clause(tree: Tree, verb: Word) -> Word | None:
    """A relative clause behind the verb that hangs on the subject before it: it is said of another noun."""
    doer = looking.subject(tree, verb.id)
    found = tree.children(doer.id, "acl") if doer is not None and tree.places[doer.id] < tree.places[verb.id] else ()
    return next(
        (one for one in found if one.deprel == "acl:relcl" and tree.places[one.id] > tree.places[verb.id]), None
    )


def _phrase_of_verb(tree: Tree, thing: Word) -> frozenset[int]:
    """What a parser hangs on an object and is the verb's: *łapie [w siatkę]*, *wyciąga [z wody]*, *wykonuje [już]*."""
    found: frozenset[int] = frozenset()
    verb = tree[thing.head]
    last = max(tree.places[one] for one in tree.subtree(thing.id))
    for one in tree.children(thing.id, "nmod", "advmod"):
        inside, case = tree.subtree(one.id), tree.child(one.id, "case")
        if one.upos == "PART" and min(tree.places[two] for two in tree.subtree(thing.id)) == tree.places[one.id]:
            found |= inside
        if case is None or verb.lemma in lexicon.LIGHT_VERBS or max(tree.places[two] for two in inside) != last:
            continue
        into = case.lemma == "w" and one.feats.get("Case") == "Acc" and one.lemma not in lexicon.PATTERNS
        out = (
            case.lemma == "z"
            and one.feats.get("Case") != "Ins"
            and (one.lemma not in lexicon.MATERIALS or verb.lemma.startswith("wy"))
        )
        if into or out:
            found |= inside
    return found


def _place_of_somebody(tree: Tree, thing: Word) -> Word | None:
    """*Goni gołębie na rynku*: a place right behind somebody, and last of what hangs on him, is where it happens."""
    found = tree.children(thing.id, "nmod")
    phrase = found[-1] if found else None
    case = tree.child(phrase.id, "case") if phrase is not None else None
    if (
        phrase is None
        or case is None
        or case.form not in ("na", "w", "we", "przy")
        or phrase.feats.get("Case") != "Loc"
    ):
        return None
    worn = phrase.lemma in lexicon.CLOTHES | lexicon.BODY | lexicon.VEHICLES | lexicon.ANY_CLOTHES
    last = max(tree.places[one] for one in tree.subtree(thing.id))
    return None if worn or max(tree.places[one] for one in tree.subtree(phrase.id)) != last else phrase


def _is_part_of_subject(tree: Tree, thing: Word) -> bool:
    """Whether somebody moves a part of the own body: *podnosi rękę* has no passive that means the same."""
    return thing.lemma in lexicon.LIMBS and tree.child(thing.id, "nmod", "amod") is None


apply = _Polish(POLISH).apply

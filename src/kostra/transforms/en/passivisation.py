"""Makes the object the subject: *The grass is being cut by a farmer*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.donors import preposition
from kostra.transforms.edits import in_order, is_comma, is_unbroken, part
from kostra.transforms.en import grammar, lexicon, undergoing
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
MOST_BEFORE_AGENT = 7
"""Words of the longest rest of a clause that may stand before the agent."""
_OWN = frozenset({"my", "your", "his", "her", "its", "our", "their"})
"""Pronouns that may point back to a subject."""
_OF_OTHERS = frozenset({"his", "her", "its", "their"})
"""Those that may point back to a noun."""
_WHEN = frozenset({"during", "before", "after", "for", "as", "since", "until", "while", "throughout", "because"})
"""What opens a phrase that no agent follows well, as forms."""
_LOOSE = frozenset({"at", "near", "during", "after", "before", "to", "for", "off", "into", "onto", "from", "with"})
"""Prepositions of phrases that behind an object belong to the verb as often."""
_OF_OBJECTS = frozenset({"around", "between", "among", "about", "like", "of", "against"})
_PUTTING = frozenset({"put", "place", "lay", "set", "hang", "paint", "draw", "write", "stick", "drop", "pour", "throw"})
_ELSEWHERE = frozenset({"yet", "both", "together", "there", "here", "each", "one", "who", "that", "which", "than",
                        "well", "badly", "hard", "fast"})  # fmt: skip
_PARTICLES = frozenset({"up", "down", "off", "out", "away", "over", "back", "apart", "aside"})
MOST_WITH = 3
"""Words of the longest phrase with *with* that may stand before the agent."""
_NAMELESS = frozenset({"someone", "somebody"})


class _English(shared.Passivisation):
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
        """Verbs of state, tenses with three auxiliaries, and whatever else in the clause needs the old subject."""
        if verb.lemma in ENGLISH.not_passive or verb.lemma in lexicon.STATES or verb.form[0].isupper():
            return f"{verb.lemma} has no usual passive"
        if grammar.is_passive(tree, verb.id):
            return f"{verb.form} is passive already"
        if tree.words[-1].form == "?" or grammar.has_subject_behind(tree, verb.id):
            return "a question, or a subject behind its verb"
        subject, thing = tree.child(verb.id, "nsubj"), self.passive_object(tree, verb)
        if subject is None or thing is None:
            return None
        opens = part(tree, tree.subtree(thing.id))[0]
        if opens.upos in ("ADP", "PUNCT") or tree.child(subject.id, "case") is not None:
            return "subject or object stands with a preposition"
        if any(one.upos in ("ADV", "VERB", "AUX", "INTJ") for one in part(tree, tree.subtree(subject.id))[:2]):
            return f"the phrase with {subject.form} begins with something else"
        if part(tree, tree.subtree(subject.id))[0].form.lower() in lexicon.SENTENCE_ADVERBS | {
            "sometimes",
            "often",
            "now",
        }:
            return f"the phrase with {subject.form} begins with something else"
        for one in tree.children(verb.id, "advcl", "ccomp", "parataxis"):
            if tree.places[one.id] < tree.places[subject.id]:
                return "a clause stands before the subject"
        if any(
            one.upos in ("VERB", "AUX") and one.feats.get("VerbForm") == "Fin" for one in tree.descendants(subject.id)
        ):
            return f"a verb stands in the phrase with {subject.form}"
        if (particle := tree.child(verb.id, "compound:prt")) and verb.lemma not in lexicon.WITH_PARTICLE:
            return f"{particle.form} may be a preposition, and {verb.form} {particle.form} without a passive"
        if (
            odd := next((one for one in tree.descendants(verb.id) if one.form.lower() in _ELSEWHERE), None)
        ) is not None:
            return f"{odd.form} would belong elsewhere"
        for one in tree.children(verb.id, "obl"):
            beside = preposition(tree, one)
            if beside in _OF_OBJECTS or (beside in ("on", "in") and _clings(tree, thing, one, verb)):
                return f"{one.form} may belong to {thing.form}"
        if reason := _hardly_one(tree, verb, subject, thing):
            return reason
        loose = tree.child(thing.id, "acl")
        if loose is not None and grammar.is_ing(loose) and not ENGLISH.is_animate(tree, thing.id):
            return f"{loose.form} may be done by {subject.form}"
        if not tree.children(thing.id) and thing.upos == "NOUN" and thing.form in ("shut", "open", "down", "up"):
            return f"{thing.form} is no object"
        for one in tree.children(thing.id, "nmod"):
            if preposition(tree, one) in _LOOSE:
                return f"{one.form} may belong to {verb.form} rather than to {thing.form}"
        if verb.lemma in lexicon.GIVES_TO and tree.child(thing.id, "compound", "nmod:poss") is not None:
            return f"{verb.form} may have two objects"
        for one in tree.children(verb.id, "advcl", "xcomp"):
            if tree.child(one.id, "nsubj") is None:
                return f"{one.form} needs the subject"
        if thing.form.lower() in _OWN and tree.children(thing.id):
            return f"{thing.form} belongs to what follows it"
        if any(word.form.lower() in _OWN or word.lemma == "other" for word in tree.descendants(thing.id)):
            return f"something in the phrase with {thing.form} points back to the subject"
        if thing.lemma.lower() in lexicon.TIMES or (verb.lemma in lexicon.STRETCH_OBJECTS and thing.upos == "NOUN"):
            return f"{thing.form} is a stretch or a place, and hardly acted upon"
        if verb.lemma in lexicon.LIGHT_VERBS and thing.lemma in lexicon.ACTIONS:
            return f"{verb.form} {thing.form} says what {subject.form} does"
        if verb.lemma in lexicon.PERCEPTION and tree.child(thing.id, "acl") is not None:
            return f"what {thing.form} does may hang on {verb.form}"
        reason = _misplaced(tree, verb, subject, thing) or _second_noun(tree, verb, thing)
        return reason or undergoing.loose_part(tree, verb, subject, thing)

    def agent(self, clause: Clause, tools: Tools) -> Changes | None:
        """The objective case behind *by*: *by me*."""
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

    def orders(self, clause: Clause, rest: frozenset[int]) -> tuple[str, ...]:
        """Right behind the participle, unless the agent is heavy; always there if the rest points back to it."""
        tree = clause.tree
        rest -= {one.id for one in tree.children(clause.verb.id, "punct", *grammar.HELPERS)} | {clause.verb.id}
        heavy = len(tree.subtree(clause.subject.id)) > self.longest_agent
        opens = [tree[one].form.lower() for one in sorted(rest, key=tree.places.__getitem__)][:1]
        if any(tree[one].form.lower() in _OF_OTHERS for one in rest):
            behind = [one for one in rest if tree.places[one] > tree.places[clause.verb.id]]
            opens += [tree[one].form.lower() for one in sorted(behind, key=tree.places.__getitem__)][:1]
            bound = bool({"in", "with", "of"} & set(opens)) or clause.verb.lemma in _PUTTING
            return () if heavy or bound else ("agent first",)
        if rest and clause.verb.lemma in _PUTTING:
            return () if heavy or len(rest) > MOST_BEFORE_AGENT else ("agent last",)
        nested = any(tree[one].relation in ("nmod", "acl", "advcl") for one in rest)
        if heavy and rest and (nested or len(rest) > MOST_BEFORE_AGENT):
            return ()  # neither may stand behind the other
        if opens and opens[0] in ("in", "with", "of") and not heavy:
            if nested:
                return ()
            most = MOST_WITH if opens[0] == "with" else MOST_BEFORE_AGENT
            return ("agent last",) if len(rest) <= most else ()  # by a man in a wagon
        whither = any(tree[one].relation == "case" and tree[one].form.lower() in lexicon.DIRECTIONS for one in rest)
        if whither and not heavy and len(rest) <= MOST_BEFORE_AGENT:
            return ("agent last",)
        if len(rest) > MOST_BEFORE_AGENT:
            return ("agent first",)
        if not heavy and (nested or any(tree[one].upos in ("VERB", "AUX") for one in rest)):
            return ("agent first",)
        if opens and opens[0] in _WHEN:
            return () if heavy else ("agent first",)
        return super().orders(clause, rest)[::-1]

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


def _clings(tree: Tree, thing: Word, phrase: Word, verb: Word) -> bool:
    """Whether a phrase right behind an object is likely a part of it: *the string on a kite*."""
    last = max(tree.places[one] for one in tree.subtree(thing.id))
    on = any(one.form.lower() == "on" for one in tree.children(phrase.id, "case"))
    near = min(tree.places[one] for one in tree.subtree(phrase.id)) == last + 1
    return near and on and verb.lemma not in _PUTTING and phrase.lemma not in lexicon.SCENES


def _hardly_one(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why a phrase may be two, one of which belongs to the verb or the subject, or None."""
    for one in tree.descendants(thing.id):
        if one.lemma.lower() in lexicon.TIMES and one.relation in ("appos", "nmod", "obl"):
            return f"{one.form} says when, and is no part of {thing.form}"
    for one in tree.children(thing.id, "nmod"):
        worn = one.lemma in lexicon.WORN and not grammar.is_person(tree, thing.id)
        if preposition(tree, one) in ("in", "on") and (worn or one.lemma in lexicon.SCENES):
            return f"{one.form} may belong to {verb.form} rather than to {thing.form}"
    for one in tree.children(verb.id, "obl"):
        if preposition(tree, one) == "in" and one.lemma in lexicon.WORN:
            return f"{one.form} is worn by {subject.form}"
    start = min(tree.places[one] for one in tree.subtree(subject.id))
    if start and tree.words[start].upos == "PROPN" and tree.words[start - 1].upos in ("PROPN", "NUM"):
        return f"the name {subject.form} may begin before it"
    end = max(tree.places[one] for one in tree.subtree(thing.id)) + 1
    for one in tree.children(verb.id, "obl"):
        near = min(tree.places[inner] for inner in tree.subtree(one.id)) == end
        if near and one.upos == "PROPN" and preposition(tree, one) in ("in", "at", "of"):
            return f"{one.form} may belong to {thing.form}"
    clause = max((tree.places[one.id] for one in tree.children(verb.id, "advcl")), default=len(tree.words))
    for one in tree.children(verb.id, "advmod"):
        if tree.places[one.id] > clause:
            return f"{one.form} belongs to what stands before it"
    if subject.upos == "PROPN" and tree.child(subject.id, "nmod") is not None:
        return f"a phrase stands between {subject.form} and {verb.form}"
    for one in tree.children(verb.id, "advmod"):
        if one.form.lower() in _PARTICLES and tree.places[one.id] > tree.places[thing.id]:
            return f"{one.form} belongs to {verb.form}"
    return None


def _stands(tree: Tree, word: Word) -> int:
    return tree.places[word.id]


def _misplaced(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why the parts of a clause stand as they would not in a plain statement, or None."""
    group = {verb.id, *(one.id for one in grammar.helpers(tree, verb.id))}
    first = min(tree.places[one] for one in group)
    last = max(tree.places[one] for one in tree.subtree(subject.id))
    between = tree.words[last + 1 : tree.places[verb.id]]
    if last > first or any(one.id not in group and one.upos != "ADV" for one in between):
        return f"something stands between {subject.form} and {verb.form}"
    if tree.places[thing.id] < tree.places[verb.id]:
        return f"{thing.form} stands before {verb.form}"
    start = min(tree.places[one] for one in tree.subtree(thing.id))
    between = tree.words[tree.places[verb.id] + 1 : start]
    receiver = tree.child(verb.id, "iobj")
    allowed = tree.subtree(receiver.id) if receiver is not None else frozenset()
    if any(one.form.lower() in lexicon.DIRECTIONS and one.deprel != "compound:prt" for one in between):
        return f"{verb.form} may have a preposition and no object"
    if any(one.upos != "ADV" and one.deprel != "compound:prt" and one.id not in allowed for one in between):
        return f"something stands between {verb.form} and {thing.form}"
    if receiver is not None and verb.lemma not in lexicon.GIVES_TO | lexicon.GIVES_FOR:
        return f"{verb.form} has two objects"
    end = max(tree.places[one] for one in tree.subtree(thing.id))
    if any(tree.places[one.id] > end + 1 for one in tree.children(verb.id, "compound:prt")):
        return f"a particle of {verb.form} stands far behind it"
    if any(not is_unbroken(tree, tree.subtree(top.id)) for top in (subject, thing)):
        return "subject or object is in two parts"
    if end + 1 < len(tree.words) and tree.words[end + 1].form in ("'s", "’s"):
        return f"{thing.form} owns what follows"
    for top in (subject, thing):
        inside = part(tree, tree.subtree(top.id))
        if any(is_comma(word) for word in inside) and any(word.relation in ("acl", "appos") for word in inside):
            return f"a clause between commas hangs on {top.form}"
    return None


def _second_noun(tree: Tree, verb: Word, thing: Word) -> str | None:
    """What stands behind an object without a preposition: a second object, or a part of the first, misread."""
    kinds = ("NOUN", "PROPN", "PRON", "ADJ", "NUM", "DET", "X", "SYM")
    for one in tree.children(verb.id):
        bare = one.upos in kinds and tree.child(one.id, "case") is None and one.lemma.lower() not in lexicon.TIMES
        if bare and one.id != thing.id and one.relation not in ("iobj", "nsubj", "conj", "parataxis"):
            return f"{one.form} stands with {verb.form} and cannot be told"
    behind = [one for one in tree.children(thing.id, "amod", "det") if tree.places[one.id] > tree.places[thing.id]]
    return f"{behind[0].form} stands behind {thing.form}" if behind else None


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

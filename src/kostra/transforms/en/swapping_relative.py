"""Swaps a relative clause for a participle, and a participle for a relative clause: *who is running* ↔ *running*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.donors import preposition
from kostra.transforms.edits import comma, in_order, is_comma, is_unbroken, part
from kostra.transforms.en import grammar, lexicon, participles
from kostra.transforms.en.doubting import trusting
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.participle_to_relative import ToRelatives
from kostra.transforms.shared.relative_to_participle import ToParticiples
from kostra.transforms.shared.swapping_relative import RELATION, VARIANTS, SwappingRelative
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

Feats = Mapping[str, str]
_OF_PEOPLE = frozenset({"wear", "smile", "laugh", "talk", "cook", "knit", "clap"})
"""What only people do, so that a noun that does it is a person's."""
_LASTING_DEEDS = frozenset({"surround", "accompany", "follow", "lead", "pull", "drive", "own", "run", "operate", "use",
                            "join", "flank", "love"})  # fmt: skip
"""What somebody does to something for as long as it is told."""
_PREPOSITIONAL = frozenset({"including", "following", "regarding", "concerning", "during", "according", "being"})
"""Participles that are prepositions, as forms."""


class _ToParticiples(ToParticiples):
    def active(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """*Is running*, *runs* → *running*; *was painted* → *painted*."""
        group = grammar.helpers(tree, verb.id)
        if not group and verb.relation == "conj":
            group = grammar.helpers(tree, verb.head)
        if len(group) > 1 or (group and group[0].lemma != "be"):
            return None  # has run, can run, is being painted: an -ing form would say less
        if group and group[0].form.lower() in ("'s", "’s") and not grammar.is_ing(verb):
            return None  # who's been there, who's seen it
        if group:
            return verb if grammar.is_ing(verb) or grammar.is_past_participle(verb) else None
        if verb.lemma in lexicon.WANTS_ING and tree.child(verb.id, "xcomp") is not None:
            return None  # enjoying teasing
        if verb.lemma in lexicon.STATES and verb.lemma not in lexicon.STATES_OF_THINGS:
            return None
        lasts = verb.lemma in lexicon.LASTING or verb.lemma in lexicon.STATES_OF_THINGS
        then = tree.child(verb.id, "advmod") is not None  # once owned
        if verb.feats.get("Tense") == "Past" and (then or not lasts or _tense(tree) != "Past"):
            return None
        return grammar.formed(verb, tools.inflector, grammar.ING)

    def passive(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """*Throws* → *thrown*; with auxiliaries the clause says more."""
        if grammar.helpers(tree, verb.id) or verb.lemma in lexicon.STATES or tree.child(verb.id, "xcomp", "ccomp"):
            return None
        return grammar.formed(verb, tools.inflector, grammar.DONE)

    def predicative(self, tree: Tree, adjective: Word, feats: dict[str, str], tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """A participle that the parser took for an adjective."""
        form = adjective.form.lower()
        return adjective if form in lexicon.DONE_ADJECTIVES or form in lexicon.DOING_ADJECTIVES else None

    def agent(self, tree: Tree, doer: Word, tools: Tools) -> list[Word] | None:
        """*By* and the doer."""
        changed = grammar.in_case(tree, doer.id, "Acc", tools.inflector)
        if changed is None:
            return None
        by = Word(tree.fresh(), "by", "by", "ADP", "IN", head=doer.id, deprel="case")
        return [by, *(changed.get(word.id, word) for word in part(tree, tree.subtree(doer.id)))]

    def before(self, tree: Tree, phrase: list[Word], verb: Word) -> list[Word] | None:
        """One word alone stands before a noun, and only one that is used so."""
        form = phrase[0].form.lower()
        usual = form in lexicon.DONE_ADJECTIVES or form in lexicon.DOING_ADJECTIVES
        alone = tree.child(verb.head, "amod") is None  # a damaged white cart, a tall smiling girl: who knows the order
        return phrase if len(phrase) == 1 and usual and alone else None

    def front(self, tree: Tree, noun: Word) -> int:
        """The word before which a participle of a noun stands: *a tall smiling hockey player*."""
        for child in tree.children(noun.id, "compound"):
            if tree.places[child.id] < tree.places[noun.id]:
                return min(tree.subtree(child.id), key=tree.places.__getitem__)
        return noun.id

    def _placed(self, tree: Tree, verb: Word, noun: Word, phrase: list[Word], tools: Tools) -> Iterator[Draft]:
        """A clause between commas leaves a phrase between commas; any other is as the skeleton has it."""
        if reason := participles.needs_clause(tree, verb, noun):
            tools.why(reason, verb.id)
            return
        if len(phrase) > 1 and phrase[-1].id == verb.id:
            tools.why(f"{phrase[-1].form} would stand alone behind {noun.form}", verb.id)
            return
        inside = part(tree, tree.subtree(verb.id))
        first = tree.places[inside[0].id]
        if not is_comma(inside[0]) and not (first and is_comma(tree.words[first - 1])):
            if noun.upos == "NOUN":
                yield from super()._placed(tree, verb, noun, phrase, tools)
            return
        named = tree.child(noun.id, "cop") is not None
        if (named or noun.relation not in ("nsubj", "root")) and any(map(grammar.is_ing, phrase[:2])):
            tools.why(f"{phrase[0].form} behind a comma would be said of the subject", verb.id)
            return
        ids = {word.id for word in inside}
        before = [word for word in tree.words[:first] if word.id not in ids]
        after = [word for word in tree.words[first:] if word.id not in ids]
        while before and is_comma(before[-1]):
            before.pop()
        while after and is_comma(after[0]):
            after.pop(0)
        top = [word.but(head=noun.id, deprel="acl") if word.id == verb.id else word for word in phrase]
        number = tree.fresh() + 1
        closing = [comma(number + 1, verb.id)] if after and after[0].upos != "PUNCT" else []
        made = in_order(tree, [*before, comma(number, verb.id), *top, *closing, *after])
        if len(top) > 1:
            yield Draft(made, "participle behind", (verb.id, noun.id), ("inflected", "comma"))


class _ToRelatives(ToRelatives):
    set_off = False

    def is_candidate(self, word: Word) -> bool:
        """Whether a word is a participle; before a noun only one that is no adjective by now."""
        form = word.form.lower()
        if form in _PREPOSITIONAL or word.upos not in ("VERB", "ADJ") or (word.id > 1 and word.form[0].isupper()):
            return False
        if word.relation == "amod":
            return form in lexicon.DOING_ADJECTIVES or form in lexicon.DONE_ADJECTIVES
        return word.relation in ("acl", "advcl") and word.upos == "VERB"

    def is_joined(self, word: Word) -> bool:
        """What is coordinated with a participle."""
        return word.upos in ("VERB", "ADJ")

    def voice(self, word: Word, inflector: Inflector) -> str | None:  # noqa: ARG002 - a hook
        """Active for -ing, passive for the past participle."""
        form = word.form.lower()
        if grammar.is_ing(word) or (word.upos == "ADJ" and form in lexicon.DOING_ADJECTIVES):
            return "Act"
        return "Pass" if grammar.is_past_participle(word) or form in lexicon.DONE_ADJECTIVES else None

    def agree(self, tree: Tree, word: Word, noun: Word, tools: Tools) -> bool:
        """Whether a participle is said of a common noun by itself, with no conjunction of its own."""
        if noun.upos != "NOUN" or tree.child(word.id, "mark", "nsubj") is not None:
            return False
        if reason := participles.not_said_of(tree, word, noun, tools.inflector):
            tools.why(reason, word.id)
            return False
        before = tree.words[min(tree.places[one] for one in tree.subtree(word.id)) - 1]
        if word.relation == "acl" and (before.upos == "VERB" or not _is_noun(noun, tools.inflector)):
            return False
        if not any(one.upos == "VERB" for one in tools.inflector.analyses(word.form.lower())):
            return False
        opens = min((one for one in tree.subtree(word.id) if tree[one].upos != "PUNCT"), key=tree.places.__getitem__)
        behind = tree.words[tree.places[word.id] + 1 :][:1]
        bare = any(one.upos in ("SYM", "NUM", "PROPN", "NOUN") for one in behind) and word.relation == "acl"
        bare = bare or any(one.upos in ("SYM", "NUM", "PROPN") for one in behind)
        if grammar.is_past_participle(word) and (bare or (word.relation == "acl" and word.form.lower() == word.lemma)):
            return False  # a past tense or a present, misread
        if word.lemma in _OF_PEOPLE and not ENGLISH.is_animate(tree, noun.id):
            return False
        if (opens != word.id and tree[opens].upos != "ADV") or tree.words[-1].form.startswith(("?", "!?")):
            return False
        if _is_misread(tree, word, noun) or not is_unbroken(tree, tree.subtree(word.id)):
            return False
        if word.relation == "acl" and _is_completed(tree, word, noun):
            return False
        if word.relation == "amod" and not _ends_phrase(tree, noun):
            return False  # a lot that is abandoned to reach the road
        if noun.lemma in lexicon.TIMES or noun.lemma in ("trouble", "difficulty", "fun", "luck"):
            return False
        first = min(tree.places[one] for one in tree.subtree(word.id))
        if any(is_comma(one) for one in tree.words[first - 1 : first + 1]) and noun.relation not in ("nsubj", "root"):
            return False  # what follows a comma is said of the subject
        if word.relation == "acl" and grammar.is_past_participle(word) and not _is_passive(tree, word):
            return False
        if word.relation == "amod" and self.clings(tree, noun) and not grammar.is_person(tree, noun.id):
            return False  # a fenced garden by a lake: what is fenced could no longer be told
        known = noun.relation != "nsubj" and any(one.form.lower() == "the" for one in tree.children(noun.id, "det"))
        if word.relation == "amod" and known and not grammar.is_person(tree, noun.id):
            return False  # along the road that is paved
        return word.relation != "amod" or tree.child(word.id, "advmod", "compound", "obl") is None

    def _of_noun(self, tree: Tree, word: Word, noun: Word, voice: str, tools: Tools) -> Iterator[Draft]:
        """A phrase between commas becomes a clause between commas; any other is as the skeleton has it."""
        inside = part(tree, tree.subtree(word.id))
        first = tree.places[inside[0].id]
        opening = inside[:1] if is_comma(inside[0]) else []
        feats = self.features(tree, noun, alone=True)
        if word.relation == "amod" or not (opening or is_comma(tree.words[first - 1])) or feats is None:
            yield from super()._of_noun(tree, word, noun, voice, tools)
            return
        clause = self._clause(tree, word, voice, feats, noun, tools)
        if clause is not None and tree.child(noun.id, "acl:relcl") is None:
            closing = inside[-1:] if is_comma(inside[-1]) else []
            which = clause[0].but(form="which", lemma="which") if clause[0].form == "that" else clause[0]
            words = [*tree.words[:first], *opening, which, *clause[1:], *closing]
            ids = {one.id for one in (*words, *inside)}
            made = in_order(tree, [*words, *(one for one in tree.words if one.id not in ids)])
            yield Draft(made, "relative near", (word.id, noun.id), ("inflected", "comma"))

    def features(self, tree: Tree, noun: Word, *, alone: bool) -> Feats | None:
        """Number and person."""
        if not alone:
            return grammar.agreement_of(tree, noun.id)
        joined = tree.children(noun.id, "conj")
        last = max((tree.places[one.id] for one in tree.children(noun.id, "acl")), default=0)
        if joined and tree.places[joined[-1].id] < last:
            return grammar.agreement_of(tree, noun.id)  # a man and a woman who are …
        several = noun.feats.get("Number") == "Plur" or noun.form.lower() in {"people", "police"} | lexicon.PAIRS
        several = several or (noun.form.lower() == "couple" and _verb_is_plural(tree, noun))
        inner = tree.child(noun.id, "nmod") if noun.lemma in ENGLISH.quantities else None
        several = several or (inner is not None and inner.feats.get("Number") == "Plur")
        several = several or (inner is not None and _verb_is_plural(tree, noun))
        return {"Number": "Plur" if several else "Sing", "Person": "3"}

    def pronoun(self, tree: Tree, number: int, noun: Word, feats: Feats, tools: Tools) -> Word:  # noqa: ARG002 - a hook
        """*Who* for people, *that* for everything else."""
        done = {one.lemma for one in tree.children(noun.id, "acl")}
        person = grammar.is_person(tree, noun.id) or (done & _OF_PEOPLE and noun.lemma not in lexicon.ANIMATE)
        form = "who" if person else "that"
        return Word(number, form, form, "PRON", "WP", Features({"PronType": "Rel"}))

    def predicate(self, tree: Tree, word: Word, voice: str, feats: Feats, tools: Tools) -> Word | None:
        """The participle itself beside an auxiliary; of states the plain tense: *that contains*."""
        if voice == "Act" and _is_state(tree, word):
            if word.lemma not in participles.STAYING:
                return None  # a storm heading for the coast
            if _tense(tree) == "Past" and word.lemma not in lexicon.STATES:
                return None  # a road linking two towns was built: it links them still
            form = grammar.finite_form(tools.inflector, word.lemma, _tense(tree), feats)
            kind = Features({"Mood": "Ind", **feats, "Tense": _tense(tree), "VerbForm": "Fin"})
            return None if form is None else word.but(form=form, xpos="_", feats=kind)
        return word.but(upos="VERB")

    def auxiliaries(self, tree: Tree, number: int, word: Word, voice: str, feats: Feats) -> list[Word] | None:
        """*Is*, *are*, *was*, *were*, in the tense of the sentence; None for what was done, who knows when."""
        if voice == "Act" and _is_state(tree, word):
            return []
        tense = _tense(tree) if voice == "Act" else _tense_done(tree, word)
        if tense is None or _is_past_modal(tree):
            return None
        form = _BE[tense, feats["Number"]]
        kind = Features({"Mood": "Ind", **feats, "Tense": tense, "VerbForm": "Fin"})
        found = [Word(number, form, "be", "AUX", "_", kind, word.id, "aux" if voice == "Act" else "aux:pass")]
        if voice == "Pass" and tense == "Pres" and participles.goes_on(tree, word):
            being = Word(number + 1, "being", "be", "AUX", "_", Features(grammar.ING), word.id, "aux:pass")
            found = [found[0].but(deprel="aux"), being]
        return found

    def is_nested(self, tree: Tree, noun: Word) -> bool:
        """Whether a noun stands in a relative clause: *on which a man who is dressed in white is sitting*."""
        start, at = min(tree.places[one] for one in tree.subtree(noun.id)), noun
        while at.head and at.deprel != "acl:relcl":
            at = tree[at.head]
        return bool(at.head) or (start > 0 and tree.words[start - 1].form.lower() in ENGLISH.relatives)

    def is_of_subject(self, tree: Tree, word: Word) -> bool:
        """Whether a phrase at the end of a clause says what else the subject does."""
        return participles.is_of_subject(tree, word)

    def clings(self, tree: Tree, noun: Word) -> bool:
        """Whether something behind a noun would hang on the clause instead: *a woman in a hat*."""
        later = tree.children(noun.id, "nmod", "acl", "conj", "appos")
        return any(tree.places[one.id] > tree.places[noun.id] for one in later)


def _is_completed(tree: Tree, word: Word, noun: Word) -> bool:
    """Whether a participle completes a verb: *keeps blowing*, *gets her face painted*."""
    verbs = {noun.lemma.lower(), noun.form.lower(), noun.form.lower().removesuffix("s")}
    if not verbs.isdisjoint(lexicon.WANTS_ING) and grammar.is_ing(word):
        return True
    above = tree[noun.head] if noun.head else noun
    seen = above.lemma in lexicon.PERCEPTION and grammar.is_ing(word)
    if word.lemma == "have" or (noun.relation == "obj" and (seen or above.lemma in lexicon.WANTS_ING)):
        return True  # can see a boat leaving
    things = lexicon.OF_THINGS | lexicon.STATES_OF_THINGS | lexicon.POSTURES | lexicon.MOTION
    loose = noun.relation not in ("root", "nsubj") and not ENGLISH.is_animate(tree, noun.id)
    return loose and grammar.is_ing(word) and word.lemma not in things  # his magic inserting himself


def _is_noun(word: Word, inflector: Inflector) -> bool:
    kinds = {one.upos for one in inflector.analyses(word.form.lower())}
    return not kinds or "NOUN" in kinds


def _ends_phrase(tree: Tree, noun: Word) -> bool:
    """Whether nothing follows a noun that a clause behind it would take."""
    place = tree.places[noun.id] + 1
    following = tree.words[place] if place < len(tree.words) else None
    if following is None or following.upos in ("PUNCT", "CCONJ", "AUX"):
        return True
    return following.upos == "VERB" and following.feats.get("VerbForm") == "Fin"


_BE = {("Pres", "Sing"): "is", ("Pres", "Plur"): "are", ("Past", "Sing"): "was", ("Past", "Plur"): "were"}


def _tense(tree: Tree) -> str:
    """The tense of the sentence; captions without one stand in the present."""
    finite = grammar.finite_word(tree, tree.root.id)
    return finite.feats.get("Tense", "Pres") if finite is not None else "Pres"


def _is_past_modal(tree: Tree) -> bool:
    """Whether a sentence is told with *could* or *would*, of which the time cannot be told."""
    finite = grammar.finite_word(tree, tree.root.id)
    return finite is not None and finite.form.lower() in ("could", "would", "might", "should", "'d", "’d")


def _tense_done(tree: Tree, word: Word) -> str | None:
    """The tense in which something was or is done to a noun; None where it cannot be told."""
    tense, noun = _tense(tree), tree[word.head]
    if tense == "Past" and word.lemma in lexicon.NAMING | {"locate", "situate", "base", "know"}:
        return None  # an inn called the Swan was sold: it is called so still
    if word.lemma in lexicon.DONE_ONCE:
        general = noun.feats.get("Number") == "Plur" and noun.relation not in ("root", "nsubj")
        general = general or (participles.is_defined(tree, noun) and not participles.is_told(tree, word))
        told = tense == "Past" or participles.is_told(tree, word)  # a sign written in Greek is written still
        return None if (general and tense == "Pres") or not told else "Past"  # sells books written by monks
    if (
        tense == "Past"
        or word.relation == "amod"
        or word.lemma in lexicon.DONE_VERBS - {"build", "carve", "design", "make", "paint"}
    ):
        return tense
    for one in tree.children(word.id, "obl", "obl:agent", "nmod"):
        beside = preposition(tree, one)
        doer = beside == "by" and (one.upos == "PROPN" or grammar.is_person(tree, one.id))
        dated = one.upos == "NUM" or one.lemma.lower() in lexicon.TIMES or beside in ("before", "after", "during")
        if (doer and word.lemma not in _LASTING_DEEDS) or dated:
            return None  # the list prepared by the clerk before the vote
    return tense


def _is_misread(tree: Tree, word: Word, noun: Word) -> bool:
    """Whether noun and participle are hardly what they seem: *is face painting*, *a street performing juggler*."""
    if word.relation != "acl" or ENGLISH.is_animate(tree, noun.id):
        return False
    thing = tree.child(word.id, "obj")
    lone = thing is not None and thing.feats.get("Number") == "Sing" and ENGLISH.is_animate(tree, thing.id)
    if lone and thing is not None and tree.child(thing.id, "det", "nummod", "nmod:poss") is None:
        return True
    bare = tree.child(noun.id, "det", "nummod", "nmod:poss", "amod") is None
    return bare and noun.feats.get("Number") == "Sing"


def _is_state(tree: Tree, word: Word) -> bool:
    """Whether an -ing form says what something is like rather than what it is doing."""
    if word.lemma in lexicon.STATES:
        return True
    doing = word.lemma in lexicon.LASTING | lexicon.MOTION | lexicon.POSTURES and word.lemma not in lexicon.OF_THINGS
    return not doing and word.relation == "acl" and not ENGLISH.is_animate(tree, word.head)


def _is_passive(tree: Tree, word: Word) -> bool:
    """Whether a participle behind a noun is one, and not the past tense of a verb that the parser misread."""
    if word.lemma in lexicon.INTRANSITIVE or word.lemma in lexicon.POSTURES:
        return False
    if tree.child(word.id, "obj", "xcomp") is not None and word.lemma not in lexicon.NAMING:
        return False
    sure = tree.child(word.id, "obl:agent") is not None or word.lemma in lexicon.DONE_VERBS
    clause = tree[word.head]
    while clause.head and clause.relation not in ("conj", "ccomp", "advcl", "parataxis", "acl"):
        clause = tree[clause.head]
    return sure or ENGLISH.is_predicate(tree, clause)


def _verb_is_plural(tree: Tree, noun: Word) -> bool:
    finite = grammar.finite_word(tree, noun.head) if noun.head and noun.relation == "nsubj" else None
    return finite is not None and finite.feats.get("Number") == "Plur"


apply = trusting(SwappingRelative(_ToParticiples(ENGLISH), _ToRelatives(ENGLISH)).apply)

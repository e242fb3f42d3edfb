"""Swaps a relative clause for a participle, and a participle for a relative clause."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.clitics import is_clitic, participle_first
from kostra.transforms.cs.grammar import (
    CZECH,
    form_in_case,
    is_bare,
    is_conditional,
    is_no_object,
    is_prefixed,
)
from kostra.transforms.cs.participles import (
    closes,
    happened,
    holds_more,
    in_past,
    is_done,
    is_entangled,
    is_joined_to_like,
    is_kept_in_state,
    is_late_participle,
    is_misread_noun,
    is_of_other_noun,
    is_one_of_several,
    lasts,
    lasts_as_state,
    outlasts_what_was_done,
    reaches_to_verb,
)
from kostra.transforms.cs.passive_clauses import is_circumstance
from kostra.transforms.cs.relative_clauses import ends_alone, has_subject_behind, is_one_of_clauses, stays_clause
from kostra.transforms.edits import cut
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared import slavic_relatives as slavic
from kostra.transforms.shared.looking import governor, is_participle
from kostra.transforms.shared.swapping_relative import RELATION, VARIANTS, SwappingRelative
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

LONGEST_BEFORE = 2
"""Words of the longest participle phrase before its noun, the participle last: *stále čekající muž*."""
_PERCEIVED = frozenset({"viděný", "spatřený", "slyšený", "zachycený", "snímaný", "vyfocený", "vyfotografovaný"})
"""Participles of how something is seen or heard: *dívka viděná zblízka* is not *která byla viděna*."""
_IN_HAND = frozenset({"držet", "nést", "tlačit", "táhnout", "vést", "vézt", "krmit", "hladit", "objímat"})
"""What one does to what one has in hand, of which participles are usual with who does it: *míč držený dítětem*."""
_PRESENT = Features({"Aspect": "Imp", "Mood": "Ind", "Number": "Sing", "Person": "3", "Tense": "Pres",
                     "VerbForm": "Fin", "Voice": "Act"})  # fmt: skip


class _ToParticiples(slavic.ToParticiples):
    def active(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:
        """*Čtoucí*: of imperfective verbs in the present; *-vší* of perfective ones is bookish and left out."""
        if (
            verb.feats.get("Aspect") != "Imp"
            or verb.feats.get("Tense") != "Pres"
            or tree.child(verb.id, "xcomp", "ccomp")
        ):
            return None
        for one in tree.children(verb.id, "obj"):
            if is_no_object(tree, one, tools.inflector) or tree.places[one.id] < tree.places[verb.id]:
                return None  # prvek, který tělo potřebuje
            if one.form[:1].isupper() or one.lemma.lower() in lexicon.OFFICES:
                return None  # seznam, který vydává Komise: who does it stands behind the verb
        for one in tree.children(verb.id):
            bare = is_bare(tree, one, "Nom") or is_bare(tree, one, "Acc")
            if bare and one.upos == "NOUN" and tree.places[one.id] < tree.places[verb.id]:
                return None  # the same, misread
        if has_subject_behind(tree, verb, tools.inflector):
            return None
        if is_prefixed(tools.inflector, verb.lemma) or verb.lemma in ("mít", "vidět"):
            return None  # mající: right, and clumsy
        if any(one.deprel == "expl:pass" for one in tree.children(verb.id)):
            return None  # látky, které se používají: nobody says používající se
        return CZECH.participle(tools.inflector, verb, "Act", feats)

    def passive(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:
        """The passive participle of a verb that the dictionary knows by this form."""
        known = any(one.lemma == verb.lemma for one in tools.inflector.analyses(verb.form.lower()))
        doer = tree.child(verb.id, "nsubj")
        own = [one for one in tree.children(verb.id) if one is not doer and one.upos != "PUNCT"]
        if doer is not None and verb.lemma not in lexicon.PASSIVE_LASTING | lexicon.PASSIVE_DONE | _IN_HAND:
            return None  # kniha, kterou čte maminka
        if doer is not None and any(one.lemma not in CZECH.relatives for one in own):
            return None  # držená za ruku maminkou, which is hard to read with whatever follows
        for one in tree.children(verb.id, "obj", "obl", "nmod", "dep"):
            relative = one.lemma in CZECH.relatives
            if not relative and (is_bare(tree, one, "Acc") or is_bare(tree, one, "Nom") or one.lemma == "pár"):
                return None  # chodce, kterého míjí auto: the subject, misread
        return super().passive(tree, verb, feats, tools) if known else None

    def predicative(self, tree: Tree, adjective: Word, feats: dict[str, str], tools: Tools) -> Word | None:
        """A passive participle in its long form, agreeing."""
        if not is_participle(adjective, "Pass"):
            return None
        return super().predicative(tree, adjective.but(feats=adjective.feats.but(Variant=None)), feats, tools)

    def _phrases(self, tree: Tree, verb: Word, noun: Word, pronoun: Word, tools: Tools) -> Iterator[list[Word]]:
        """Only of the noun with which the pronoun agrees: the parser may have hung the clause on another."""
        if any(one.form.lower() in lexicon.CLITIC_AUXILIARIES for one in tree.children(verb.id, "aux")):
            tools.why(f"{verb.form} is not said of a third person", verb.id)
            return
        obstacle = is_one_of_clauses(tree, verb, noun) or stays_clause(tree, verb, noun, pronoun, tools.inflector)
        if obstacle is not None:
            tools.why(obstacle, verb.id)
            return
        shown = ("Animacy",) if pronoun.relation == "obj" else ()  # kterého of people, který of things
        for name in ("Number", "Gender", *shown):
            if (
                name in pronoun.feats
                and name in noun.feats
                and noun.feats.get(name) not in pronoun.feats[name].split(",")
            ):
                tools.why(f"{pronoun.form} does not agree with {noun.form}", pronoun.id)
                return
        yield from super()._phrases(tree, verb, noun, pronoun, tools)

    def _placed(self, tree: Tree, verb: Word, noun: Word, phrase: list[Word], tools: Tools) -> Iterator[Draft]:
        """As elsewhere; the comma that closed the clause goes before *a* as well."""
        places = tree.places
        end = max(places[one] for one in tree.subtree(verb.id) if tree[one].upos != "PUNCT")
        near = tree.words[end + 1 : end + 3]
        joins = len(near) == 2 and near[0].form == "," and near[1].form.lower() in ("a", "i", "nebo", "ani", "či")
        if joins and tree.words[end + 3 :] and tree.words[end + 3].form == "to":
            tools.why("a comma would be missing before a to", near[1].id)
            return
        follows = next((word for word in tree.words[end + 1 :] if word.form != ","), None)
        unfit = _unfit_behind(tree, verb, noun, phrase, follows)
        for draft in super()._placed(tree, verb, noun, phrase, tools):
            if draft.variant == "participle behind" and unfit is not None:
                tools.why(*unfit)
                continue
            left = joins and near[0].id in draft.tree
            yield draft._replace(tree=cut(draft.tree, {near[0].id})) if left else draft

    def ordered(self, words: list[Word], participle: Word) -> list[Word]:
        """*Stále se dívající na…* is *stále dívající se na…*: adverbs, the participle, its clitics, all else."""
        return participle_first(words, participle)

    def before(self, tree: Tree, phrase: list[Word], verb: Word) -> list[Word] | None:
        """A participle alone, or behind the little that hangs on it."""
        if len(phrase) == LONGEST_BEFORE and is_clitic(phrase[1]):
            return phrase  # usmívající se muž
        if len(phrase) > LONGEST_BEFORE or any(word.form == "," or is_clitic(word) for word in phrase):
            return None
        if verb.lemma in _PERCEIVED:
            return None  # zezadu viděná dívka: right, and stilted
        if any(word.relation == "obj" for word in phrase) or any(one.form in '"„“' for one in tree.words):
            return None  # tašku nesoucí žena: right, and misread
        if any(word.upos in ("ADP", "NOUN", "PROPN") for word in phrase):
            return None  # na lavičce sedící muž, policií hledaný muž: right, and heavy
        participle = [word for word in phrase if word.id == verb.id]
        return [*(word for word in phrase if word.id != verb.id), *participle]


def _unfit_behind(
    tree: Tree, verb: Word, noun: Word, phrase: list[Word], follows: Word | None
) -> tuple[str, int] | None:
    """Why a participle phrase should not stand behind its noun, and on which word; None where it may."""
    if all("Case" not in word.feats or is_clitic(word) for word in phrase if word.id != verb.id):
        return f"a participle with an adverb alone would stand behind {noun.form}", verb.id
    if noun.relation == "nsubj" and follows is not None and follows.upos == "ADP":
        return f"{follows.form} begins more of the phrase of {noun.form}", follows.id  # muž, který sedí, s holí, kývá
    for one in phrase:
        personal = one.upos == "PRON" and one.feats.get("PronType") == "Prs" and one.feats.get("Reflex") != "Yes"
        if personal and one.id in tree and tree.places[one.id] < tree.places[verb.id]:
            return f"{one.form} stands before {verb.form}", one.id  # nos, který je k nim připevněný
    if follows is None:
        return None
    if ends_alone(tree, follows):
        return f"{follows.form} would stand alone behind a long subject", follows.id
    last = max((one for one in phrase if one.head == verb.id), key=phrase.index, default=verb)
    done = any(one.deprel == "obl:agent" for one in phrase) and last.deprel != "obl:agent"
    if not (follows.upos in ("VERB", "AUX") or is_clitic(follows)):
        return None
    if last.upos == "ADV" or done:
        return f"{last.form} would be read with {follows.form}", last.id
    inner = next((one for one in phrase if is_late_participle(tree, one)), None)
    return None if inner is None else (f"{inner.form} would end one participle phrase with another", inner.id)


class _ToRelatives(slavic.ToRelatives):
    pronoun_lemma = "který"

    def agree(self, tree: Tree, word: Word, noun: Word, tools: Tools) -> bool:
        """Whether a participle belongs to a noun, and no other stands behind it already."""
        relations = ("amod", "acl", "dep", "obl", "xcomp", "advcl", "ccomp", "advmod")
        others = [one for one in tree.children(noun.id, *relations) if one.id != word.id]
        behind = any(tree.places[one.id] > tree.places[noun.id] for one in others)
        if any(is_bare(tree, one, "Nom") or is_bare(tree, one, "Acc") for one in tree.children(noun.id, "nmod")):
            return False  # no modifier, but something that the parser took for one
        for one in tree.children(word.id):
            if is_bare(tree, one, "Nom") and form_in_case(tools.inflector, one, "Acc") != one.form.lower():
                return False  # a subject, so that the participle is no modifier
        if _says_little(tree, word, tools.inflector):
            return False  # stanovisko, které odsuzuje
        if tree.places[word.id] < tree.places[noun.id] and is_participle(word, "Pass") and lasts(word, tools.inflector):
            return False  # reforma, která je dlouho připravována
        if holds_more(tree, word) or is_joined_to_like(tree, word, noun, tools.inflector):
            return False
        if is_entangled(tree, word) or is_one_of_several(tree, word) or _is_predicative(tree, word, noun):
            return False
        if is_of_other_noun(tree, word, noun, tools.inflector) or reaches_to_verb(tree, word, noun):
            return False
        if any(is_circumstance(tree, one) for one in tree.children(noun.id, "nmod")):
            return False  # sedící žena v zimě zpívá: the phrase is the verb's
        if word.lemma in _PERCEIVED or is_kept_in_state(tree, word) or is_misread_noun(noun, tools.inflector):
            return False
        if _is_before_own_noun(tree, word, tools.inflector):
            return False
        if noun.relation != "nsubj" and any(one.lemma in CZECH.body for one in tree.descendants(word.id)):
            return False  # s kočkou stočenou na klíně: whose it is, a clause would not tell
        if any(one.lemma in lexicon.TIMES for one in tree.children(word.id, "advmod")):
            return False  # dnes opravené kolo prodává: it may belong to the verb
        return not behind and super().agree(tree, word, noun, tools)

    def voice(self, word: Word, inflector: Inflector) -> str | None:
        """The voice of a participle in its long form."""
        if not is_participle(word) or word.feats.get("Variant") == "Short":
            return None
        plain = word.feats.get("Degree", "Pos") == "Pos" and word.feats.get("Polarity", "Pos") == "Pos"
        named = word.form[:1].isupper() and word.id != 1
        if not plain or named or word.lemma in lexicon.LEXICALISED:
            return None
        if word.feats.get("Voice", "Pass") == "Act":
            return "Act" if word.lemma.endswith("cí") else None
        known = any(one.feats.get("Voice") == "Pass" for one in inflector.analyses(word.lemma))
        return "Pass" if known else None

    def features(self, tree: Tree, noun: Word, *, alone: bool) -> slavic.Feats | None:
        """Of the noun itself: that a participle belongs to all nouns that are joined, Czech leaves open."""
        found = super().features(tree, noun, alone=True) if alone else None
        verb = tree[noun.head] if noun.relation == "nsubj" and noun.head else noun
        if found and verb.feats.get("Number", found["Number"]) != found["Number"] and governor(tree, noun.id) is None:
            return None  # the verb tells better than the noun
        return None if noun.lemma in CZECH.body else found

    def is_of_subject(self, tree: Tree, word: Word) -> bool:  # noqa: ARG002 - a hook
        """Never: beside a verb Czech has the transgressive, or an adjective that belongs to the predicate."""
        return False

    def predicate(self, tree: Tree, word: Word, voice: str, feats: slavic.Feats, tools: Tools) -> Word | None:
        """The present of an active participle; of a passive one the nominative, or the short form with an agent."""
        if voice == "Act":
            verb = _verb_of(word, tools.inflector)
            kind = _PRESENT.but(Number=feats["Number"])
            past = in_past(tree, word)
            told = verb in lexicon.STATIVE or not outlasts_what_was_done(tree, word)
            if past and (verb not in lexicon.STATIVE | lexicon.SCENES | {"nacházet"} or not told):
                return None  # firma vyrábějící hračky: whether it still does cannot be told
            if past and verb not in lexicon.STATIVE:
                kind = Features({"Aspect": "Imp", "Tense": "Past", "VerbForm": "Part", "Voice": "Act", **feats})
            like = "stojí" if verb == "stát" else None  # not stane
            form = CZECH.finite_form(tools.inflector, verb, kind, feats, like=like) if verb else None
            return None if form is None or verb is None else word.but(form=form, lemma=verb, upos="VERB", feats=kind)
        if not happened(tree, word) and lasts_as_state(word):
            return CZECH.agreeing(word, {**feats, "Case": "Nom"}, tools.inflector)
        both = word.lemma.endswith("ovaný") and in_past(tree, word)  # inspirovaný, of a verb of both aspects
        if not (is_done(word) or lasts(word, tools.inflector) or both):
            return None  # whether it is or was done cannot be told
        wanted = {**word.feats.but(Case=None, Animacy=None, Degree=None), **feats, "Variant": "Short"}
        form = tools.inflector.inflect(word.lemma, "ADJ", wanted)
        return None if form is None else word.but(form=form, xpos="_", feats=Features(wanted))

    def auxiliaries(self, tree: Tree, number: int, word: Word, voice: str, feats: slavic.Feats) -> list[Word] | None:
        """*Je* and *jsou*; *byl* where an agent did it."""
        if voice == "Act":
            return []
        done = happened(tree, word) and is_done(word)
        past = done or in_past(tree, word) or (is_done(word) and not lasts_as_state(word))
        forms = {("Masc", "Sing"): "byl", ("Fem", "Sing"): "byla", ("Neut", "Sing"): "bylo", ("Fem", "Plur"): "byly",
                 ("Neut", "Plur"): "byla"}  # fmt: skip
        form = "je" if feats["Number"] == "Sing" else "jsou"
        if past:
            men = "byli" if feats.get("Animacy") == "Anim" else "byly"
            form = forms.get((feats["Gender"], feats["Number"]), men)
        kind = Features({"Aspect": "Imp", "Number": feats["Number"], "Tense": "Past" if past else "Pres"})
        return [Word(number, form, "být", "AUX", feats=kind, head=word.id, deprel="aux:pass")]

    def ordered(self, words: list[Word], predicate: Word) -> list[Word]:
        """Clitics behind the pronoun, then all as it stood."""
        weak = [word for word in words if is_clitic(word) and word.head == predicate.id]
        return [*weak, *(word for word in words if word not in weak)]

    def is_nested(self, tree: Tree, noun: Word) -> bool:
        """*Muži, kteří mávají ženám, které jdou kolem*: hard to read."""
        at = noun
        while at.head and at.deprel != "acl:relcl":
            at = tree[at.head]
        return at.deprel == "acl:relcl"

    def clings(self, tree: Tree, noun: Word) -> bool:
        """Whether anything follows a noun from which no clause may part it, whatever a parser hung it on."""
        place = tree.places[noun.id] + 1
        return place < len(tree.words) and not closes(tree, tree.words[place])


def _is_before_own_noun(tree: Tree, participle: Word, inflector: Inflector) -> bool:
    """*Dluhy krachující huti*: whether a participle may belong to the noun behind it, which it seems to govern."""
    place = tree.places[participle.id] + 1
    noun = tree.words[place] if place < len(tree.words) else participle
    if noun.head != participle.id or noun.upos != "NOUN" or noun.feats.get("Number") != "Sing":
        return False
    return form_in_case(inflector, noun, "Gen") in (None, noun.form.lower())


def _says_little(tree: Tree, participle: Word, inflector: Inflector) -> bool:
    """Whether a participle that stands alone would make a clause that says too little: *vařící voda*."""
    inside = tree.descendants(participle.id)
    if any(one.upos != "ADV" for one in inside) or (inside and is_participle(participle, "Act")):
        return False  # hodně poškozený: an adverb alone says little more
    if is_participle(participle, "Act"):
        verb, noun = _verb_of(participle, inflector), tree[participle.head]
        person = noun.lemma.lower() not in lexicon.ANIMALS
        told = lexicon.POSTURES | (lexicon.VISIBLE_ACTS if person else set())  # pes, který spí; not volavka, která letí
        return not CZECH.is_animate(tree, noun.id) or verb not in told
    return True  # svíčka, která je zapálená


def _is_predicative(tree: Tree, participle: Word, noun: Word) -> bool:
    """Whether a participle belongs to the predicate, or to a noun that names none in particular.

    *Máme připravený oběd*, *byl vykopán nový tunel*; *žádní čekající lidé*, *hodila by se opravená židle*.
    """
    verb = tree[noun.head] if noun.head else noun
    if verb.lemma == "mít" and noun.relation == "obj":
        return True
    first = min(tree.places[one] for one in tree.subtree(participle.id))
    before = tree.words[first - 1] if first else None
    if before is not None and (before.lemma == "být" or (before.upos == "NOUN" and before.relation == "amod")):
        return True
    if any(one.feats.get("PronType") == "Neg" or one.lemma == "žádný" for one in tree.children(noun.id, "det", "amod")):
        return True
    alone = len(tree.subtree(participle.id)) == 1
    early = tree.places[participle.id] < tree.places[noun.id]
    if early and not alone and is_participle(participle, "Act"):
        return True  # opodál stojící žena
    if early and before is not None and before.upos in ("NOUN", "PROPN"):
        return True  # barvou natřený plot: a part of the phrase would be left behind
    if early and len(tree.subtree(participle.id)) > LONGEST_BEFORE + 2:
        return True  # too much to stand before a noun, and most likely misread
    if alone and is_participle(participle, "Pass") and noun.relation not in ("nsubj", "obj"):
        return True  # na zaparkované auto
    unreal = is_conditional(tree, verb.id) or any(
        one.feats.get("Tense") == "Fut" for one in tree.children(verb.id, "aux")
    )
    return alone and unreal


def _verb_of(participle: Word, inflector: Inflector) -> str | None:
    """The infinitive of an active participle, if one and only one gives it."""
    if participle.lemma in lexicon.PARTICIPLE_VERBS:
        return lexicon.PARTICIPLE_VERBS[participle.lemma]
    plural = inflector.analyses(participle.lemma.removesuffix("cí"))  # nesoucí is nesou and -cí
    found = {one.lemma for one in plural if one.feats.get("VerbForm") == "Fin" and one.feats.get("Number") == "Plur"}
    return found.pop() if len(found) == 1 else None


apply = SwappingRelative(_ToParticiples(CZECH), _ToRelatives(CZECH)).apply

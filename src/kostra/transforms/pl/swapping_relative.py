"""Swaps a relative clause for a participle, and a participle for a relative clause."""

from __future__ import annotations

from collections.abc import Iterator

from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.agreement import cells
from kostra.transforms.pl.grammar import POLISH, is_transitive
from kostra.transforms.shared import slavic_relatives as slavic
from kostra.transforms.shared.looking import GOVERNING, is_in_relative, is_participle, next_form, subject
from kostra.transforms.shared.swapping_relative import RELATION, VARIANTS, SwappingRelative
from kostra.trees import Features, Tree, Word

__all__ = ["RELATION", "VARIANTS", "apply"]

_PRESENT = Features({"Aspect": "Imp", "Mood": "Ind", "Number": "Sing", "Person": "3", "Tense": "Pres",
                     "VerbForm": "Fin", "Voice": "Act"})  # fmt: skip


_FACE = frozenset({"oczy", "oko", "usta"})


class _ToParticiples(slavic.ToParticiples):
    def active(self, tree: Tree, verb: Word, feats: dict[str, str], tools: Tools) -> Word | None:  # noqa: ARG002 - a hook
        """*Czytający*: of imperfective verbs."""
        return POLISH.participle(tools.inflector, verb, "Act", feats) if verb.feats.get("Aspect") == "Imp" else None

    def before(self, tree: Tree, phrase: list[Word], verb: Word) -> list[Word] | None:
        """Not two participles, one before the other."""
        noun = tree[verb.head]
        for one in tree.children(noun.id, "amod"):
            if len(phrase) > 1 and is_participle(one) and tree.places[one.id] < tree.places[noun.id]:
                return None
        return super().before(tree, phrase, verb)

    def _swapped(self, tree: Tree, verb: Word, noun: Word, tools: Tools) -> Iterator[Draft]:
        """Only where the clause agrees with its noun: else it says something of another, or of several."""
        said = next((one.feats["Number"] for one in (*tree.children(verb.id, "aux", "cop"), verb)
                     if one.feats.get("VerbForm") == "Fin" and "Number" in one.feats), None)  # fmt: skip
        pronoun = tree.child(verb.id, "nsubj")
        own = "Plur" if noun.feats.get("Number") == "Ptan" else noun.feats.get("Number")
        if pronoun is not None and pronoun.lemma in POLISH.relatives and said is not None and said != own:
            tools.why(f"{verb.form} and {noun.form} do not agree", verb.id)
            return
        if is_in_relative(tree, noun, tree.root) and _ends_before_comma(tree, verb):
            tools.why(f"the comma behind {verb.form} closes two clauses", verb.id)
            return
        converb = next(
            (one for one in tree.children(verb.id, "advcl") if tree.places[one.id] < tree.places[verb.id]), None
        )
        if converb is not None:
            tools.why(f"{converb.form} stands before {verb.form}", converb.id)
            return
        if _said_of_nearer(tree, verb, noun, tools):
            tools.why(f"{verb.form} may be said of a nearer noun", verb.id)
            return
        subjective = pronoun is not None and pronoun.lemma in POLISH.relatives
        if subjective and _lacks_object(tree, verb, noun, tools):
            tools.why(f"{verb.form} has no object but the pronoun", verb.id)
            return
        beside = [one for one in tree.children(noun.id, "amod", "acl") if is_participle(one) and one.id != verb.id]
        behind = any(tree.places[noun.id] < tree.places[one.id] < tree.places[verb.id] for one in beside)
        for draft in super()._swapped(tree, verb, noun, tools):
            if behind and draft.variant == "participle behind":
                tools.why(f"a participle stands behind {noun.form} already", verb.id)
            else:
                yield draft


class _ToRelatives(slavic.ToRelatives):
    pronoun_lemma = "który"

    def voice(self, word: Word, inflector: Inflector) -> str | None:
        """The voice of a participle, also where the parser took it for a plain adjective and the analyser does not."""
        if is_participle(word):
            return word.feats.get("Voice", "Pass")
        if not word.lemma.endswith(("ny", "ty")):
            return None
        readings = inflector.analyses(word.form.lower())
        return "Pass" if any(one.feats.get("VerbForm") == "Part" for one in readings) else None

    def predicate(self, tree: Tree, word: Word, voice: str, feats: slavic.Feats, tools: Tools) -> Word | None:
        """The present of an active participle; the nominative of a passive one."""
        if not any(one.upos != "PUNCT" for one in tree.children(word.id)) and _says_kind(word, voice, tools.inflector):
            tools.why(f"{word.form} says of what kind something is", word.id)
            return None
        if voice != "Act":
            return POLISH.agreeing(word, {**feats, "Case": "Nom"}, tools.inflector)
        form = POLISH.finite_form(tools.inflector, word.lemma, _PRESENT, feats)
        kind = _PRESENT.but(Number=feats["Number"])
        return None if form is None else word.but(form=form, upos="VERB", xpos="_", feats=kind)

    def agree(self, tree: Tree, word: Word, noun: Word, tools: Tools) -> bool:
        """A participle that agrees, and whose phrase is whole."""
        return (
            super().agree(tree, word, noun, tools)
            and _same_number(word, noun, tools)
            and tree.child(word.id, "case") is None
            and not _is_torn(tree, word, noun)
            and not _adverb_before(tree, word, noun, tools)
            and not _is_manner(tree, word, noun)
        )

    def _of_subject(self, tree: Tree, word: Word, verb: Word, voice: str, tools: Tools) -> Iterator[Draft]:
        """Only what agrees with the subject: *chłopiec ciągnie siedzące dziecko*."""
        doer = subject(tree, verb.id)
        single = doer is not None and not tree.children(doer.id, "conj", "nummod", *GOVERNING)
        if doer is not None and single and not POLISH.agree(tools.inflector, word, doer):
            tools.why(f"{word.form} does not agree with {doer.form}", word.id)
            return
        yield from super()._of_subject(tree, word, verb, voice, tools)

    def is_nested(self, tree: Tree, noun: Word) -> bool:
        """*pana, który patrzy na chłopca, który śpi*, or a clause inside a phrase that stands before its noun."""
        at = noun
        while at.head:
            if at.relation == "amod" and tree.places[at.id] < tree.places[at.head]:
                return True
            at = tree[at.head]
        return noun.relation != "nsubj" and is_in_relative(tree, noun, tree.root)

    def ordered(self, words: list[Word], predicate: Word) -> list[Word]:
        """*Który się rozgrywa*: się does not stand last."""
        return words[::-1] if len(words) == 2 and words[1].form == "się" else super().ordered(words, predicate)

    def clings(self, tree: Tree, noun: Word) -> bool:
        """A clause stands behind the phrases of a subject: *chłopiec w czapce, który śpi, leży na kocu*."""
        behind = [one for one in tree.children(noun.id, "nmod") if tree.places[one.id] > tree.places[noun.id]]
        own = noun.relation != "nsubj" and noun.lemma in lexicon.BODY  # z ręką, która jest uniesiona do góry
        return (bool(behind) and not own) or super().clings(tree, noun)

    def auxiliaries(self, tree: Tree, number: int, word: Word, voice: str, feats: slavic.Feats) -> list[Word]:  # noqa: ARG002 - a hook
        """*Jest*, *są*."""
        if voice == "Act":
            return []
        form = "jest" if feats["Number"] == "Sing" else "są"
        kind = Features({"Aspect": "Imp", "Mood": "Ind", "Number": feats["Number"], "Tense": "Pres", "VerbForm": "Fin"})
        return [Word(number, form, "być", "AUX", feats=kind, head=word.id, deprel="aux:pass")]


def _ends_before_comma(tree: Tree, verb: Word) -> bool:
    last = max(tree.places[one] for one in tree.subtree(verb.id))
    return tree.words[last].form == "," or next_form(tree, tree.words[last]) == ","


def _same_number(word: Word, noun: Word, tools: Tools) -> bool:
    """Whether a participle can have the number that a noun is said to have, which the clause will have too."""
    number = "Plur" if noun.feats.get("Number") == "Ptan" else noun.feats.get("Number")
    shared = cells(tools.inflector, word.form, word.upos) & cells(tools.inflector, noun.form, noun.upos)
    return not shared or any(many == number for _, many, _ in shared)


def _is_torn(tree: Tree, word: Word, noun: Word) -> bool:
    """Whether a part of a participle's phrase may hang elsewhere: between it and its noun, or right behind it."""
    inside = tree.subtree(word.id)
    first, last = tree.places[word.id], tree.places[noun.id]
    if any(tree[one].upos in ("NUM", "DET") and tree.places[one] < first for one in inside):
        return True
    if first < last:
        between = [one for one in tree.words[first + 1 : last] if one.id not in inside]
        kinds = ("NOUN", "PRON", "PROPN", "ADP", "VERB", "AUX", "ADV")
        return any(one.upos in kinds for one in between) or _is_measure(tree, noun)
    end = max(tree.places[one] for one in inside if tree[one].upos != "PUNCT") + 1
    behind = tree.words[end].upos if end < len(tree.words) else "PUNCT"
    if end < len(tree.words) and behind == "ADV" and tree.words[end].form in lexicon.ALSO_ADVERBS:
        return True
    between = [one for one in tree.words[last + 1 : first] if one.upos == "AUX"]
    return bool(between) or behind in ("NOUN", "ADJ", "PRON", "NUM", "DET") or (behind == "ADP" and len(inside) == 1)


def _adverb_before(tree: Tree, word: Word, noun: Word, tools: Tools) -> bool:
    """Whether an adverb that belongs to a participle was taken for something else: *ciepło ubrane dziecko*."""
    place = tree.places[word.id]
    before = tree.words[place - 1] if place else word
    if before.upos == "ADP" or place > tree.places[noun.id] or before.id in tree.subtree(word.id):
        return False
    return any(one.upos == "ADV" for one in tools.inflector.analyses(before.form.lower()))


def _said_of_nearer(tree: Tree, verb: Word, noun: Word, tools: Tools) -> bool:
    """Whether somebody stands between a thing and the clause that was hung on it."""
    first = min(tree.places[one] for one in tree.subtree(verb.id))
    nearer = tree.words[first - 1] if first else noun
    if nearer.id == noun.id or nearer.upos != "NOUN" or POLISH.is_animate(tree, noun.id, tools.inflector):
        return False
    alike = all(nearer.feats.get(name) == noun.feats.get(name) for name in ("Gender", "Number"))
    return alike and POLISH.is_animate(tree, nearer.id, tools.inflector)


def _lacks_object(tree: Tree, verb: Word, noun: Word, tools: Tools) -> bool:
    """Whether *który* of a thing must be the object of a transitive verb that has no other: *list, który trzyma*."""
    if verb.lemma not in lexicon.HOLDING or tree.child(verb.id, "obj") is not None:
        return False
    thing = not POLISH.is_animate(tree, noun.id, tools.inflector)
    return thing and POLISH.reflexive(tree, verb.id) is None and verb.feats.get("VerbForm") == "Fin"


def _is_measure(tree: Tree, noun: Word) -> bool:
    """Whether a noun says by how much: *kawałek dalej*."""
    place = tree.places[noun.id] + 1
    return place < len(tree.words) and tree.words[place].upos == "ADV" and tree.words[place].form == "dalej"


def _is_manner(tree: Tree, word: Word, noun: Word) -> bool:
    """Whether a participle says how something is done, or of more than its noun: *z zamkniętymi oczami*."""
    if noun.lemma not in lexicon.BODY or any(one.upos != "PUNCT" for one in tree.children(word.id)):
        return False
    joined = tree.children(noun.id, "conj")
    shared = any(one.lemma in lexicon.BODY and tree.child(one.id, "amod") is None for one in joined)
    return shared or (noun.lemma in _FACE and any(one.lemma == "z" for one in tree.children(noun.id, "case")))


def _says_kind(word: Word, voice: str, inflector: Inflector) -> bool:
    """Whether a participle that stands alone is an adjective: *gotowane jajko*, *rwący potok*.

    A dictionary has it as an adjective as well; and the passive of an imperfective verb would say what is being done,
    a transitive verb would have an object.
    """
    readings = [one for one in inflector.analyses(word.form.lower()) if one.upos == "ADJ"]
    verbs = [one for one in readings if one.feats.get("VerbForm") == "Part"]
    if not verbs or len(verbs) == len(readings):
        return False
    if voice != "Act":
        return all(one.feats.get("Aspect") == "Imp" for one in verbs)
    return is_transitive(inflector, word)


apply = SwappingRelative(_ToParticiples(POLISH), _ToRelatives(POLISH)).apply

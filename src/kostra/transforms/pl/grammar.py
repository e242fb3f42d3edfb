"""What the rules, and the menders, know of Polish."""

from __future__ import annotations

from collections.abc import Mapping

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import lexicon
from kostra.transforms.pl.agreement import agree
from kostra.transforms.shared.looking import (
    governor,
    is_converb,
    is_inside,
    is_participle,
    next_form,
    no_preposition,
    numeral,
    subject,
    verb_above,
)
from kostra.transforms.shared.slavic import Slavic
from kostra.trees import Features, Tree, Word

__all__ = [
    "POLISH",
    "Polish",
    "converb",
    "governor",
    "is_converb",
    "is_denied",
    "is_finite",
    "is_inside",
    "is_negated",
    "is_participle",
    "is_transitive",
    "next_form",
    "no_preposition",
    "numeral",
    "reflexive",
    "subject",
    "verb_above",
]


def is_finite(word: Word) -> bool:
    """Whether a word is a finite verb in the indicative."""
    return word.upos == "VERB" and word.feats.get("VerbForm") == "Fin" and word.feats.get("Mood", "Ind") == "Ind"


def is_negated(tree: Tree, verb: int) -> bool:
    """Whether *nie* stands with a verb or with its auxiliary."""
    helpers = [one.id for one in tree.children(verb, "aux", "cop")]
    return any(one.form.lower() == "nie" for word in (verb, *helpers) for one in tree.children(word, "advmod"))


def is_denied(tree: Tree, word: Word) -> bool:
    """Whether a word stands where *nie* denies it: beside the verb, or in a subject of which there is none."""
    at = word
    while at.head:
        above = tree[at.head]
        if at.relation in ("conj", "parataxis") and subject(tree, at.id) is not None:
            return False
        if is_negated(tree, above.id):
            none = any(one.lemma == "żaden" for one in tree.children(at.id, "det"))
            return at.relation != "nsubj" or none
        at = above
    return False


def is_transitive(inflector: Inflector, verb: Word) -> bool:
    """Whether a verb has a passive participle."""
    wanted = {"VerbForm": "Part", "Voice": "Pass", "Case": "Nom", "Number": "Sing", "Gender": "Fem"}
    return inflector.inflect(verb.lemma, "ADJ", wanted) is not None


def reflexive(tree: Tree, verb: int) -> Word | None:
    """The *się* of a verb."""
    return next((one for one in tree.children(verb) if one.form.lower() == "się"), None)


def converb(inflector: Inflector, verb: Word) -> Word | None:
    """The present adverbial participle of an imperfective verb."""
    if verb.feats.get("Aspect") != "Imp":
        return None
    wanted = {"Aspect": "Imp", "VerbForm": "Conv", "Tense": "Pres", "Voice": "Act"}
    form = inflector.inflect(verb.lemma, "VERB", wanted)
    return None if form is None else verb.but(form=form, xpos="_", feats=Features(wanted))


class Polish(Slavic):
    """Polish as the skeletons of rules see it."""

    conjunctions = frozenset({"i", "oraz"})
    alternatives = frozenset({"lub", "albo", "bądź", "czy"})
    joints = frozenset({",", "i", "oraz", "ale"})
    between = frozenset({"między", "pomiędzy"})
    pairs = ("jeden", "drugi")
    appearance = frozenset({"o", "z"})
    one = "jeden"
    relatives = frozenset({"który"})
    reflexives = frozenset({"swój", "siebie"})
    agent_preposition, agent_case = "przez", "Acc"

    def is_finite(self, tree: Tree, word: Word) -> bool:  # noqa: ARG002 - Polish looks at the word alone
        """Whether a word is a finite verb in the indicative."""
        return is_finite(word)

    def is_negated(self, tree: Tree, verb: int) -> bool:
        """Whether *nie* stands with a verb or with its auxiliary."""
        return is_negated(tree, verb)

    def reflexive(self, tree: Tree, verb: int) -> Word | None:
        """The *się* of a verb."""
        return reflexive(tree, verb)

    def is_compound_part(self, word: Word) -> bool:
        """Whether a word is the first part of a compound with a hyphen: an adjective without case."""
        return word.upos == "ADJ" and "Case" not in word.feats

    def agree(self, inflector: Inflector, first: Word, second: Word) -> bool:
        """Whether two words can agree, as the analyser sees them."""
        return agree(inflector, first, second)

    def finite_form(
        self,
        inflector: Inflector,
        lemma: str,
        feats: Mapping[str, str],
        agreement: Mapping[str, str],
        *,
        like: str | None = None,  # noqa: ARG002 - no lemma of Morfeusz has two inflections
    ) -> str | None:
        """A finite form with the tense of `feats` and the number and gender of `agreement`."""
        wanted = {name: feats[name] for name in ("Tense", "Aspect", "Mood") if name in feats}
        wanted |= {"VerbForm": "Fin", "Person": "3", "Number": agreement["Number"]}
        if wanted.get("Tense") == "Past":
            wanted |= _gender(agreement)
        return inflector.inflect(lemma, "VERB", wanted)

    def recased_numeral(
        self, tree: Tree, word: Word, governing: Word, case: str, inflector: Inflector
    ) -> dict[int, Word] | None:
        """*Pięć psów*: nominative and accusative look alike, and in the genitive only the numeral changes."""
        if case in ("Nom", "Acc"):
            return None if governing.form.lower() in lexicon.MALE_NOMINATIVE_NUMERALS else {}
        if case != "Gen" or any("Case" in one.feats for one in tree.children(word.id, "conj")):
            return None
        target = word.feats.but(Case=case)
        form = inflector.inflect(governing.lemma, governing.upos, {**_gender(target), "Case": case, "Number": "Plur"})
        return None if form is None else {governing.id: governing.but(form=form, feats=governing.feats.but(Case=case))}

    def without_numeral(
        self, tree: Tree, noun: Word, inflector: Inflector
    ) -> tuple[frozenset[int], dict[int, Word]] | None:
        """*Osoby* alone says too little."""
        alone = all(one.upos in ("NUM", "DET", "PUNCT") for one in tree.children(noun.id))
        if noun.lemma == "osoba" and noun.relation == "nsubj" and alone:
            return None
        if sum(one.upos == "NUM" for one in tree.descendants(noun.id)) > 1 and tree.child(noun.id, "amod"):
            joined = [one for one in tree.descendants(noun.id) if one.relation == "conj" and one.upos == "ADJ"]
            if joined:  # dwie młodsze i dwie starsze dziewczynki
                return None
        return super().without_numeral(tree, noun, inflector)

    def is_animate(self, tree: Tree, noun: int, inflector: Inflector | None = None) -> bool:
        """Whether a noun names people or animals: by its animacy where Polish shows it, else by the lexicon."""
        word = tree[noun]
        if word.lemma.lower() in lexicon.QUANTITIES:
            inner = tree.child(noun, "nmod")
            return inner is not None and self.is_animate(tree, inner.id, inflector)
        if word.feats.get("Gender") == "Masc" and "Animacy" in word.feats:
            return word.feats["Animacy"] in ("Hum", "Nhum")
        if word.feats.get("Gender") == "Masc" and inflector is not None:
            kinds = [
                one.feats.get("Animacy", "") for one in inflector.analyses(word.form.lower()) if one.lemma == word.lemma
            ]
            return any("Hum" in kind for kind in kinds)
        return word.lemma.lower() in lexicon.ANIMATE or word.lemma.lower().endswith(lexicon.ANIMATE_ENDINGS)


def _gender(feats: Mapping[str, str]) -> dict[str, str]:
    return {name: feats[name] for name in ("Gender", "Animacy") if name in feats}


POLISH = Polish(lexicon.LEXICON)

"""Czech inflection by suffix rules learnt from tagged text and a form dictionary that checks them (extra ``parse``).

No wheel carries a tagged generator of Czech, so three sources answer together. *Paradigms* written by hand
(``paradigms.toml``) have pronouns, numerals, *být*, irregular words, and the endings that grammar settles: those of
adjectives, and of verbs once their principal parts are known. *Suffix rules* (``suffixes.tsv``) offer forms of nouns,
principal parts of verbs and comparatives, each with a probability. The *dictionary* of simplemma says which of them
are forms of the lemma at all; the probability of a form is weighed by what it says. Below a fixed confidence the
answer is None, and counted.

``suffixes.tsv`` is derived from UD Czech CAC (CC BY-SA 4.0, by the Institute of the Czech Language and Charles
University) and the model words beside it: counts of endings, without a sentence or a whole word of the corpus. It is
shipped, since nobody could inflect Czech otherwise without first finding a treebank; ``python -m bench.czech_inflection
relearn`` makes it again. Where ``KOSTRA_MORPHODITA_CS`` names a dictionary of MorphoDiTa, that generates instead.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import product
from pathlib import Path

from kostra.transforms.cs import verbs
from kostra.transforms.cs.analysing import readings
from kostra.transforms.cs.dictionary import FormDictionary, load
from kostra.transforms.cs.morphodita import MorphoDiTa, open_dictionary
from kostra.transforms.cs.paradigms import (
    FUTURES,
    HOMOGRAPHS,
    Rows,
    adjective,
    choose,
    closed,
    irregular_noun,
    own_lemma,
)
from kostra.transforms.cs.words import CONFIDENT, GENDERS, Words
from kostra.transforms.inflection import SEVERAL, Analysis, Feats, Inflector, Remembering
from kostra.transforms.suffixes import SuffixRules, read

MORPHODITA = "KOSTRA_MORPHODITA_CS"
_RULES = Path(__file__).parent / "suffixes.tsv"

_UNSURE = "not sure enough"
_NO_FORM = "no such form"


class Czech(Remembering):
    """Generates and analyses Czech words: those written by hand, and those that the dictionary knows.

    A participle may be asked for by its own lemma (*psaný*) or by the verb's (*psát*). The future of a perfective verb
    is its present; an imperfective one has none in one word, except for some of motion.

    Parameters
    ----------
    rules
        Learnt suffix rules; those of the package unless others are given.
    dictionary
        Forms and lemmas; simplemma's unless others are given.

    Examples
    --------
    >>> czech = Czech()
    >>> czech.inflect("kniha", "NOUN", {"Case": "Loc", "Number": "Sing", "Gender": "Fem"})
    'knize'
    >>> czech.inflect("napsat", "ADJ", {"VerbForm": "Part", "Voice": "Pass", "Gender": "Fem", "Number": "Sing"})
    'napsána'
    >>> czech.inflect("xkcd", "NOUN", {"Case": "Loc", "Number": "Plur", "Gender": "Fem"})
    >>> czech.refusals
    Counter({'not sure enough': 1})
    >>> sorted({(one.lemma, one.feats["Case"]) for one in czech.analyses("ženami")})
    [('žena', 'Ins')]
    """

    undecided = frozenset({SEVERAL, _UNSURE})

    def __init__(self, rules: SuffixRules | None = None, dictionary: FormDictionary | None = None) -> None:
        super().__init__()
        self.words = Words(rules or _shipped(), dictionary or load())

    def always_asks(self, lemma: str, upos: str) -> bool:
        """Of homographs, *stát*, whose forms would all be right."""
        return lemma in HOMOGRAPHS and upos != "NOUN"

    def analyse(self, form: str) -> frozenset[Analysis]:
        """All readings of a form, in whatever letters."""
        return readings(self.words, form.lower())

    def find(
        self, lemma: str, upos: str, wanted: frozenset[tuple[str, str]], like: str | None
    ) -> tuple[str | None, str]:
        """The form, or None and why it cannot be told."""
        feats = _plain(dict(wanted))
        lemma = own_lemma(lemma, feats)
        form, why = self._positive(lemma, upos, feats, like)
        if form and feats.get("Degree") == "Sup":
            form = "nej" + form
        if form and feats.get("Polarity") == "Neg" and upos not in ("NOUN", "PROPN", "PRON", "DET", "NUM"):
            form = "není" if form == "je" else "ne" + form
        return (_capitalised(form) if form and lemma[:1].isupper() else form), why

    def _positive(self, lemma: str, upos: str, feats: dict[str, str], like: str | None) -> tuple[str | None, str]:
        """The form without prefixes for negation and superlative."""
        listed = closed(lemma)
        if listed and _same_class(listed[0], upos):
            return _chosen(listed[1], feats)
        match upos:
            case "NOUN" | "PROPN":
                return self._noun(lemma, feats, like)
            case "PRON" | "DET" | "NUM" if adjective(lemma):
                return _chosen(adjective(lemma), feats)
            case "NUM":
                return self._noun(lemma, feats, like)  # tisíc, třetina
            case "ADV":
                return self._adverb(lemma, feats)
            case "ADJ":
                return self._adjective(lemma, feats, like)
            case "VERB" | "AUX" if feats.get("VerbForm") == "Part" and feats.get("Voice") == "Pass":
                return self._adjective(lemma, feats, like)
            case "VERB" | "AUX":
                return self._verb(lemma, feats, like)
        return None, "nothing to inflect"

    def _noun(self, lemma: str, feats: Feats, like: str | None) -> tuple[str | None, str]:
        if "Case" not in feats or "Number" not in feats:
            return None, SEVERAL
        irregular, _ = _chosen(irregular_noun(lemma) or irregular_noun(lemma.lower()), feats)
        if irregular:
            return irregular, ""
        genders = _genders(feats) or self.words.genders(lemma.lower())
        forms: set[str | None] = set()
        for gender, number, case in product(genders, feats["Number"].split(","), feats["Case"].split(",")):
            made = self.words.noun_forms(lemma.lower(), gender, number, case, like)
            forms.add(next((form for form, sure in made.items() if sure >= CONFIDENT), None))
        if len(forms) == 1:
            found = forms.pop()
            return found, "" if found else _UNSURE
        return None, SEVERAL if forms else _NO_FORM

    def _adjective(self, lemma: str, feats: Feats, like: str | None) -> tuple[str | None, str]:
        if feats.get("VerbForm") == "Part" and lemma.endswith(("t", "ci", "ti")):
            return self._participle(lemma, feats, like)
        if feats.get("Degree") in ("Cmp", "Sup"):
            base = self.words.comparative(lemma)
            return _chosen(adjective(base), feats) if base else (None, _UNSURE)
        if feats.get("Variant") == "Short" or ("Case" not in feats and feats.get("Voice") == "Pass"):
            return self._short(lemma, feats)
        rows = adjective(lemma)
        return _chosen(rows, feats) if rows else (None, "unknown word")

    def _participle(self, lemma: str, feats: Feats, like: str | None) -> tuple[str | None, str]:
        """A participle by the infinitive; comparison is for its own lemma."""
        if feats.get("Degree") in ("Cmp", "Sup"):
            return None, _NO_FORM
        parts = self.words.parts(lemma, like)
        if feats.get("Voice") == "Pass":
            if not parts.passive:
                return None, _UNSURE
            if "Case" in feats and feats.get("Variant") != "Short":
                return _chosen(adjective(verbs.long_of(parts.passive)), feats)
            return _chosen(tuple(verbs.participle(parts.passive)), feats)
        tense = feats.get("Tense", "Pres")
        own = verbs.active(lemma, parts, tense)
        if own is None or not self._has_active(lemma, own, tense, feats.get("Aspect")):
            return None, _UNSURE
        return _chosen(adjective(own), feats)

    def _has_active(self, lemma: str, own: str, tense: str, aspect: str | None) -> bool:
        """Whether a verb has an active participle: imperfectives in the present, perfectives in the past.

        Where the aspect is not said, the dictionary must have the participle or the transgressive.
        """
        if aspect is not None:
            return aspect == ("Imp" if tense == "Pres" else "Perf")
        transgressive = own[:-1] if tense == "Pres" else own[:-1] + "i"
        return any(self.words.dictionary.standing(form, lemma) == "own" for form in (own, transgressive))

    def _short(self, lemma: str, feats: Feats) -> tuple[str | None, str]:
        """Short forms: *psán* of *psaný*, *schopna* of *schopný*, *rádi* of *rád*."""
        if feats.get("Voice") == "Pass" and lemma.endswith("ý"):
            return _chosen(tuple(verbs.participle(verbs.short_of(lemma))), feats)
        stem = lemma.removesuffix("ý")
        if not stem or stem[-1] in "aáeéěiíoóuúůyý":
            return None, _NO_FORM
        form, why = _chosen(tuple(verbs.participle(stem)), feats)
        if form == stem and lemma.endswith("ý"):
            made = [stem, stem[:-1] + "en" if stem.endswith("n") else stem]
            form = next((one for one in made if self.words.dictionary.standing(one, lemma) == "own"), None)
            return form, "" if form else _UNSURE
        return form, why

    def _adverb(self, lemma: str, feats: Feats) -> tuple[str | None, str]:
        if feats.get("Degree") in ("Cmp", "Sup"):
            form = self.words.comparative_adverb(lemma)
            return form, "" if form else _UNSURE
        return lemma, ""

    def _verb(self, lemma: str, feats: dict[str, str], like: str | None) -> tuple[str | None, str]:
        if feats.get("VerbForm") == "Inf":
            return lemma, ""
        if feats.get("VerbForm") == "Part" and "Case" in feats:
            return self._participle(lemma, feats, like)
        if feats.get("Tense") == "Fut":
            if lemma in FUTURES:
                singular, plural = FUTURES[lemma]
                return _chosen(tuple(verbs.present(singular, plural, tense="Fut")), feats)
            if feats.get("Aspect") != "Perf":
                return None, "no future in one word"
            feats["Tense"] = "Pres"
        form, why = _chosen(verbs.verb(lemma, self.words.parts(lemma, like)), feats)
        return form, _UNSURE if why == _NO_FORM else why


def make() -> Inflector:
    """Make the inflector of the language (see `kostra.transforms.inflection`)."""
    named = os.environ.get(MORPHODITA)
    return MorphoDiTa(open_dictionary(named), fallback=Czech()) if named else Czech()


@cache
def _shipped() -> SuffixRules:
    return read(_RULES.read_text(encoding="utf-8").splitlines(), where=str(_RULES))


def _chosen(rows: Rows, feats: Feats) -> tuple[str | None, str]:
    form = choose(rows, feats)
    return (form, "") if form else (None, _NO_FORM if form is None else SEVERAL)


def _same_class(first: str, second: str) -> bool:
    """Whether parts of speech are the same but for what treebanks call pronouns, determiners and auxiliaries."""
    return any({first, second} <= alike for alike in ({"VERB", "AUX"}, {"PRON", "DET", "NUM"}))


def _plain(feats: dict[str, str]) -> dict[str, str]:
    """Read "feminine singular or neuter plural", as treebanks write it, as the first, and *by* as a third person."""
    if feats.get("Gender") == "Fem,Neut" and set(feats.get("Number", "").split(",")) == {"Sing", "Plur"}:
        feats |= {"Gender": "Fem", "Number": "Sing"}
    if feats.get("Mood") == "Cnd":
        feats.setdefault("Person", "3")
    return feats


def _genders(feats: Feats) -> tuple[str, ...]:
    named = feats.get("Gender", "").split(",")
    animacies = feats.get("Animacy", "Anim,Inan").split(",")
    return tuple(one for one in GENDERS if one.split()[0] in named and (" " not in one or one.split()[1] in animacies))


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]

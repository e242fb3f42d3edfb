"""What suffix rules and the form dictionary say together: forms of nouns and principal parts, with their confidence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from kostra.transforms.cs import verbs
from kostra.transforms.cs.dictionary import FormDictionary
from kostra.transforms.cs.learning import (
    COMPARATIVE,
    COMPARATIVE_ADVERB,
    IMPERATIVE,
    PASSIVE,
    PAST,
    PLURAL,
    SINGULAR,
    noun_cell,
)
from kostra.transforms.cs.paradigms import (
    COMPARATIVE_ADVERBS,
    COMPARATIVES,
    FIRST_PERSONS,
    HOMOGRAPHS,
    adjective,
    choose,
    irregular_verb,
)
from kostra.transforms.suffixes import Candidate, Cell, SuffixRules, shared_letters

GENDERS = ("Masc Anim", "Masc Inan", "Fem", "Neut")
CONFIDENT = 0.8
"""From what probability on a form is output; set on UD Czech CAC, the one half learnt from the other."""

_WEIGHTS = {
    True: {"own": 1.0, "other": 0.08, "none": 0.003},
    False: {"own": 1.0, "other": 0.5, "none": 0.06},
}
"""How much likelier a right form than a wrong one has the standing, by whether the lemma is known; counted on CAC."""
_SAME_AS_LEMMA = 0.25
"""The same for a form that is the lemma: the dictionary has it anyway, so that it says nothing."""
_LIKE = 8.0
"""How much a letter shared with the form in the sentence weighs."""
_SAME_GENDER = 0.5
"""What share of the best gender's score another one must have to be possible too."""
_TELLING = (("Sing", "Gen"), ("Sing", "Dat"), ("Sing", "Ins"), ("Plur", "Nom"), ("Plur", "Gen"), ("Plur", "Ins"))
"""Places in which the genders differ."""
_REMEMBERED = 100_000


class Words:
    """Open classes of Czech words: learnt, and checked."""

    def __init__(self, rules: SuffixRules, dictionary: FormDictionary) -> None:
        self.rules = rules
        self.dictionary = dictionary
        self.judged = lru_cache(_REMEMBERED)(self._judge)
        self.genders = lru_cache(_REMEMBERED)(self._genders)
        self.parts = lru_cache(_REMEMBERED)(self._parts)

    def noun_forms(self, lemma: str, gender: str, number: str, case: str, like: str | None = None) -> dict[str, float]:
        """The forms of a noun with their confidence, the best first."""
        if (number, case) == ("Sing", "Nom") or (gender, number, case) == ("Masc Inan", "Sing", "Acc"):
            return {lemma: 1.0}
        adjectival = _declined_as(lemma, gender)
        if adjectival:
            name, *animacy = gender.split()
            said = {"Case": case, "Number": number, "Gender": name, "Animacy": "".join(animacy) or "Anim"}
            form = choose(adjective(adjectival), said)
            return {form: 1.0} if form else {}
        made = self.judged(lemma, noun_cell(gender, number, case, lemma=lemma), like)
        if gender == "Masc Anim" and number == "Sing" and case in ("Dat", "Loc"):
            return _with_variants(made)
        return made

    def _genders(self, lemma: str) -> tuple[str, ...]:
        """The genders a noun can have, told from which forms the dictionary knows; all where it knows few."""
        if not self.dictionary.knows(lemma):
            return GENDERS
        scores = {gender: self._attested(lemma, gender) for gender in GENDERS if _may_be(lemma, gender)}
        return tuple(gender for gender in scores if scores[gender] >= _SAME_GENDER * max(scores.values()))

    def _attested(self, lemma: str, gender: str) -> float:
        """How much of what the rules would make of a noun of this gender the dictionary has."""
        known = set(self.dictionary.forms(lemma))
        score = 0.0
        for number, case in _TELLING:
            if _declined_as(lemma, gender):
                score += len(known & self.noun_forms(lemma, gender, number, case).keys())
            else:
                offered = self.rules.candidates(lemma, noun_cell(gender, number, case, lemma=lemma), known=known)
                score += sum(one.probability for one in offered if one.form in known)
        return score

    def comparative(self, lemma: str) -> str | None:
        """The comparative of an adjective; None where it is not certain."""
        return self._compared(lemma, COMPARATIVES, COMPARATIVE)

    def comparative_adverb(self, lemma: str) -> str | None:
        """The comparative of an adverb; None where it is not certain."""
        return self._compared(lemma, COMPARATIVE_ADVERBS, COMPARATIVE_ADVERB)

    def _compared(self, lemma: str, listed: Mapping[str, str], cell: Cell) -> str | None:
        if lemma in listed or lemma in listed.values():
            return listed.get(lemma, lemma)  # some treebanks take the comparative itself for the lemma
        return self._certain(lemma, cell, None)

    def _certain(self, lemma: str, cell: Cell, like: str | None) -> str | None:
        return next((form for form, sure in self.judged(lemma, cell, like).items() if sure >= CONFIDENT), None)

    def _parts(self, lemma: str, like: str | None = None) -> verbs.Parts:
        """The principal parts of a verb, as far as they are certain."""
        listed = self._meant(lemma, like) if lemma in HOMOGRAPHS else irregular_verb(lemma)
        if lemma in HOMOGRAPHS and not listed:
            return verbs.Parts()
        if listed:
            singular, plural, past, imperative, passive = listed
            return verbs.Parts(singular, plural, past, imperative, passive, FIRST_PERSONS.get(lemma))
        singular, plural = self._present(lemma, like)
        past, imperative, passive = (self._certain(lemma, cell, like) for cell in (PAST, IMPERATIVE, PASSIVE))
        return verbs.Parts(singular, plural, past, imperative, passive if self._has_passive(lemma, passive) else None)

    def _has_passive(self, lemma: str, short: str | None) -> bool:
        """Whether the dictionary has some form of the participle, if it knows the verb: not every verb has one."""
        if not short or short == lemma:
            return False
        forms = [form for form, _ in verbs.participle(short)] + [verbs.long_of(short)]
        return not self.dictionary.knows(lemma) or any(self.dictionary.lemmas(form) for form in forms)

    def _meant(self, lemma: str, like: str | None) -> tuple[str | None, ...]:
        """The parts of that one of the verbs with this lemma which has the form; none where no form tells."""
        for listed in HOMOGRAPHS[lemma]:
            singular, plural, past, imperative, passive = listed
            rows = verbs.verb(lemma, verbs.Parts(singular, plural, past, imperative, passive))
            if like and any(form in (like, like.removeprefix("ne")) for form, _ in rows[1:]):
                return listed
        return ()

    def _present(self, lemma: str, like: str | None) -> tuple[str | None, str | None]:
        """The two third persons, which must belong together."""
        in_plural = self.judged(lemma, PLURAL, like)
        pairs: dict[tuple[str, str], float] = {}
        for singular, sure in self.judged(lemma, SINGULAR, like).items():
            if singular.endswith(("oucí", "jící")):
                continue  # an active participle
            for plural in verbs.plurals(singular):
                pairs[singular, plural] = sure * in_plural.get(plural, 0.0)
        best = max(pairs, key=lambda pair: pairs[pair], default=None)
        if best is None or pairs[best] < CONFIDENT * sum(pairs.values()) or not pairs[best]:
            return None, None
        return best

    def _judge(self, lemma: str, cell: Cell, like: str | None) -> dict[str, float]:
        """Candidates with their probability in the light of the dictionary, the best first."""
        offered = self.rules.candidates(lemma, cell, known=self.dictionary.forms(lemma))
        weights = _WEIGHTS[self.dictionary.knows(lemma)]
        scores = {one.form: one.probability * self._weight(one, lemma, weights, like) for one in offered}
        rest = max(0.0, 1 - sum(one.probability for one in offered if one.seen)) * weights["none"]
        total = sum(scores.values()) + rest
        ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return {form: score / total for form, score in ordered} if total else {}

    def _weight(self, one: Candidate, lemma: str, weights: dict[str, float], like: str | None) -> float:
        shared = shared_letters(one.form, like) if like else 0
        weight = _SAME_AS_LEMMA if one.form == lemma else weights[self.dictionary.standing(one.form, lemma)]
        return weight * _LIKE**shared


def _with_variants(made: dict[str, float]) -> dict[str, float]:
    """The likelier of *pánovi* and *pánu*, *muži* and *mužovi* with the confidence of both, for both are right."""
    first, *others = [*made, ""]
    stem = first.removesuffix("ovi") if first.endswith("ovi") else first[:-1]
    variants = {stem + ending for ending in ("ovi", "u", "i")} & {first, *others}
    return {**made, first: sum(made[form] for form in variants)} if first in variants else made


def _may_be(lemma: str, gender: str) -> bool:
    """Whether a lemma ends as nouns of the gender do: neuters in a vowel or *-um*, inanimates not in most vowels."""
    if gender == "Neut":
        return lemma.endswith((*"aeěéíoy", "um"))
    return gender != "Masc Inan" or not lemma.endswith(tuple("aáěéíoó"))


def _declined_as(lemma: str, gender: str) -> str | None:
    """The adjective as which a noun is declined, if it is: *nemocný*, *dovolená*, *vstupné*, *vedoucí*."""
    ending = {"Masc Anim": ("ý", "í"), "Masc Inan": ("ý",), "Fem": ("á",), "Neut": ("é",)}[gender]
    if not lemma.endswith(ending):
        return None
    return lemma if lemma.endswith("í") else lemma[:-1] + "ý"

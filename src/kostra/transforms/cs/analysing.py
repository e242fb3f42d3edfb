"""The readings of a Czech form: of which lemmas it would be made, and with which features.

A lemma is thought of where the dictionary names it for the form, or where the rules reversed lead to a lemma that the
dictionary knows, since the dictionary names one lemma for each form only. It has a reading wherever inflecting it gives
the form.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from types import MappingProxyType

from kostra.transforms.cs import verbs
from kostra.transforms.cs.learning import PASSIVE, PAST
from kostra.transforms.cs.paradigms import (
    CASES,
    Row,
    Rows,
    adjective,
    adjective_lemmas,
    closed,
    closed_lemmas,
    irregular_noun,
    irregular_nouns,
)
from kostra.transforms.cs.words import Words
from kostra.transforms.inflection import Analysis, Feats

_READING = 0.1
"""From what probability on a form is taken for a reading."""
_FORMS_OF_A_GUESS = 3
"""How many forms a lemma must have that the dictionary does not name for the form: adverbs have fewer."""
_INFINITIVES = ("t", "ci")
_ADJECTIVES = ("ý", "í", "ův", "in")


def readings(words: Words, form: str) -> frozenset[Analysis]:
    """All readings of a form in lower case."""
    found = {_reading(lemma, upos, feats) for lemma, upos, feats in _listed().get(form, ())}
    for base, polarity in _polarities(form):
        for lemma in _lemmas(words, base):
            found.update(_of_lemma(words, base, lemma, polarity))
    return frozenset(found)


def _of_lemma(words: Words, form: str, lemma: str, polarity: str) -> Iterator[Analysis]:
    if polarity == "Pos":
        yield from _as_noun(words, form, lemma)
    for one in (*_as_verb(words, form, lemma), *_as_adjective(words, form, lemma)):
        yield _reading(one.lemma, one.upos, {**one.feats, "Polarity": polarity})


def _polarities(form: str) -> Iterator[tuple[str, str]]:
    yield form, "Pos"
    if form.startswith("ne") and len(form) > len("nej"):
        yield form.removeprefix("ne"), "Neg"


def _lemmas(words: Words, form: str) -> set[str]:
    """The lemmas of which a form may be: named by the dictionary, or found by the rules and known to it."""
    guessed = {lemma for cell in words.rules.cells() for lemma in words.rules.lemmas(form, cell)}
    if form.endswith(verbs.PARTICIPLE_ENDINGS):
        guessed |= {lemma for cell in (PAST, PASSIVE) for lemma in words.rules.lemmas(form[:-1], cell)}
    adjectives = adjective_lemmas(form)
    long = [lemma for lemma in adjectives if lemma.endswith(("ný", "tý"))]
    guessed |= {lemma for own in long for lemma in words.rules.lemmas(verbs.short_of(own), PASSIVE)}
    guessed |= adjectives
    found = {lemma for lemma in guessed if len(words.dictionary.forms(lemma)) >= _FORMS_OF_A_GUESS}
    found |= {lemma for lemma in (form, *words.dictionary.lemmas(form)) if words.dictionary.forms(lemma)}
    softened = [lemma for lemma in adjectives if lemma.endswith("ý") and lemma[:-1] != form[:-1]]
    if form.endswith("í") and any(map(words.dictionary.knows, softened)):
        found.discard(form)  # the dictionary takes some plurals for lemmas: velcí
    return found - _never_lemmas()


def _as_noun(words: Words, form: str, lemma: str) -> Iterator[Analysis]:
    if lemma.endswith(("ý", "ův")) or (lemma.endswith(("t", "ci")) and words.parts(lemma).past):
        return  # an adjective or a verb; nouns of such lemmas are few
    irregular = {case for _, feats in irregular_noun(lemma) for case in product([feats["Number"]], [feats["Case"]])}
    for gender, number, case in product(words.genders(lemma), ("Sing", "Plur"), CASES):
        name, *animacy = gender.split()
        if (number, case) in irregular:
            continue
        if words.noun_forms(lemma, gender, number, case).get(form, 0.0) >= _READING:
            said = {"Gender": name, "Number": number, "Case": case}
            yield _reading(lemma, "NOUN", said | ({"Animacy": animacy[0]} if animacy else {}))


def _as_verb(words: Words, form: str, lemma: str) -> Iterator[Analysis]:
    if not lemma.endswith(_INFINITIVES):
        return
    parts = words.parts(lemma)
    yield from (_reading(lemma, "VERB", feats) for made, feats in verbs.verb(lemma, parts) if made == form)
    if parts.passive:
        long = verbs.long_of(parts.passive)
        said = {"VerbForm": "Part", "Voice": "Pass"}
        rows = (*verbs.participle(parts.passive, Variant="Short"), *adjective(long))
        yield from (_reading(long, "ADJ", {**feats, **said}) for made, feats in rows if made == form)
        noun = long[:-1] + "í"
        yield from (_reading(noun, "NOUN", feats) for made, feats in _verbal_noun(noun) if made == form)
    for tense in ("Pres", "Past"):
        own = verbs.active(lemma, parts, tense)
        active = adjective(own) if own else ()
        said = {"VerbForm": "Part", "Voice": "Act", "Tense": tense}
        yield from (_reading(own or "", "ADJ", {**feats, **said}) for made, feats in active if made == form)


def _as_adjective(words: Words, form: str, lemma: str) -> Iterator[Analysis]:
    if not lemma.endswith(_ADJECTIVES):
        return
    yield from _adjectival(form, lemma, adjective(lemma), "Pos")
    better = words.comparative(lemma)
    if better:
        yield from _adjectival(form, lemma, adjective(better), "Cmp")
        if form.startswith("nej"):
            yield from _adjectival(form.removeprefix("nej"), lemma, adjective(better), "Sup")


def _adjectival(form: str, lemma: str, rows: Rows, degree: str) -> Iterator[Analysis]:
    yield from (_reading(lemma, "ADJ", {**feats, "Degree": degree}) for made, feats in rows if made == form)


@cache
def _listed() -> dict[str, list[tuple[str, str, Feats]]]:
    """Every form of the words written by hand."""
    found: dict[str, list[tuple[str, str, Feats]]] = {}
    rows: list[tuple[str, str, Row]] = []
    for lemma in closed_lemmas():
        upos, forms = closed(lemma) or ("X", ())
        rows += [(lemma, upos, row) for row in forms]
    for lemma in irregular_nouns():
        rows += [(lemma, "NOUN", row) for row in irregular_noun(lemma)]
    for lemma, upos, (form, feats) in rows:
        found.setdefault(form, []).append((lemma, upos, feats))
    return found


def _verbal_noun(lemma: str) -> Iterator[Row]:
    """The forms of a noun such as *uvedení*, which the dictionary puts under the verb."""
    for number, case in product(("Sing", "Plur"), CASES):
        ending = {("Sing", "Ins"): "m", ("Plur", "Dat"): "m", ("Plur", "Loc"): "ch", ("Plur", "Ins"): "mi"}
        yield lemma + ending.get((number, case), ""), {"Gender": "Neut", "Number": number, "Case": case}


@cache
def _never_lemmas() -> frozenset[str]:
    """What the dictionary takes for lemmas and is listed by hand as forms: *lidé*, *děti*, pronouns."""
    plurals = {form for lemma in irregular_nouns() for form, feats in irregular_noun(lemma) if form != lemma}
    return frozenset(closed_lemmas()) | plurals


def _reading(lemma: str, upos: str, feats: Feats) -> Analysis:
    return Analysis(lemma, upos, MappingProxyType(dict(feats)))

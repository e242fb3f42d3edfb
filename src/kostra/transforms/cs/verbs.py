"""The forms of a Czech verb from its principal parts: *nese*, *nesou*, *nesl*, *nes*, *nesen* say all the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kostra.transforms.cs.paradigms import Row, Rows

_PARTICIPLE = (
    ("", {"Number": "Sing", "Gender": "Masc"}),
    ("a", {"Number": "Sing", "Gender": "Fem"}),
    ("o", {"Number": "Sing", "Gender": "Neut"}),
    ("i", {"Number": "Plur", "Gender": "Masc", "Animacy": "Anim"}),
    ("y", {"Number": "Plur", "Gender": "Masc", "Animacy": "Inan"}),
    ("y", {"Number": "Plur", "Gender": "Fem"}),
    ("a", {"Number": "Plur", "Gender": "Neut"}),
)
PARTICIPLE_ENDINGS = ("a", "o", "i", "y")
"""What participles and short adjectives add to their masculine singular."""
_SOFTENED = tuple("bdmnptv")
"""Consonants after which an imperative in *-i* has *-ěte*, not *-ete*."""
_SOFT = tuple("cčjřšž")
"""Consonants after which transgressives have *-íc* though the present may have *-ou* (*píšou*, *píšíc*)."""
_ATHEMATIC = ("vědí", "jedí", "snědí")
"""Presents whose transgressives are those of another conjugation: *věda*, *vědouc*."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Principal parts; None is one that is not known or does not exist."""

    singular: str | None = None
    """Third person singular of the present."""
    plural: str | None = None
    """Third person plural of the present."""
    past: str | None = None
    """The past participle, masculine."""
    imperative: str | None = None
    """Second person singular."""
    passive: str | None = None
    """The short passive participle, masculine."""
    first: str | None = None
    """First person singular, where it is not made from the third."""


def verb(lemma: str, parts: Parts) -> Rows:
    """All finite and participial forms, the infinitive and the transgressives.

    Examples
    --------
    >>> from kostra.transforms.cs.paradigms import choose
    >>> rows = verb("nést", Parts("nese", "nesou", "nesl", "nes", "nesen"))
    >>> choose(rows, {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Pres", "Number": "Sing", "Person": "1"})
    'nesu'
    >>> choose(rows, {"VerbForm": "Conv", "Tense": "Pres", "Number": "Plur"})
    'nesouce'
    """
    rows: list[Row] = [(lemma, {"VerbForm": "Inf"})]
    if parts.singular and parts.plural:
        rows += present(parts.singular, parts.plural, first=parts.first)
    if parts.past:
        rows += participle(parts.past, stem=_past_stem(lemma, parts.past), Tense="Past", VerbForm="Part", Voice="Act")
    if parts.imperative:
        rows += _imperative(parts.imperative)
    if parts.plural:
        rows += _transgressive(_present_transgressive(parts.plural), "Pres")
    if parts.past:
        rows += _transgressive(_past_transgressive(lemma, parts.past), "Past")
    return tuple(rows)


def present(singular: str, plural: str, *, first: str | None = None, tense: str = "Pres") -> Iterator[Row]:
    """The six forms of the present from the two third persons.

    Examples
    --------
    >>> [form for form, _ in present("kupuje", "kupují")]
    ['kupuji', 'kupuješ', 'kupuje', 'kupujeme', 'kupujete', 'kupují']
    """
    said = {"VerbForm": "Fin", "Mood": "Ind", "Tense": tense}
    forms = {
        ("Sing", "1"): first or _first(singular, plural),
        ("Sing", "2"): singular + "š",
        ("Sing", "3"): singular,
        ("Plur", "1"): singular + "me",
        ("Plur", "2"): singular + "te",
        ("Plur", "3"): plural,
    }
    for (number, person), form in forms.items():
        yield form, {**said, "Number": number, "Person": person}


def _first(singular: str, plural: str) -> str:
    if singular.endswith(("á", "í")):
        return singular + "m"
    if plural.endswith("ou"):
        return plural.removesuffix("ou") + "u"
    return singular[:-1] + "i"


def plurals(singular: str) -> tuple[str, ...]:
    """The third persons plural that a third person singular may have.

    Examples
    --------
    >>> plurals("sází"), plurals("nese")
    (('sází', 'sázejí', 'sázějí'), ('nesou', 'nesí'))
    """
    stem = singular[:-1]
    match singular[-1:]:
        case "á":
            return (stem + "ají",)
        case "í":
            return (singular, stem + "ejí", stem + "ějí")
        case "e" if stem.endswith("j"):
            return (stem + "í",)
        case "e" | "ě":
            return (stem + "ou", stem + "í")
    return ()


def participle(masculine: str, *, stem: str | None = None, **said: str) -> Iterator[Row]:
    """A participle in its genders and numbers; `stem` is given where the masculine has a vowel more.

    Examples
    --------
    >>> [form for form, _ in participle("přišel", stem="přišl")]
    ['přišel', 'přišla', 'přišlo', 'přišli', 'přišly', 'přišly', 'přišla']
    """
    for ending, feats in _PARTICIPLE:
        yield ((stem or masculine) + ending if ending else masculine), {**feats, **said}


def _past_stem(lemma: str, past: str) -> str:
    return past.removesuffix("el") + "l" if lemma.endswith("jít") else past


def short_of(long: str) -> str:
    """The short passive participle of the long one: *psaný*, *psán*."""
    stem = long.removesuffix("ý")
    return stem[:-2] + "án" if stem.endswith("an") else stem


def long_of(short: str) -> str:
    """The long passive participle of the short one: *psán*, *psaný*."""
    return (short[:-2] + "an" if short.endswith("án") else short) + "ý"


def active(lemma: str, parts: Parts, tense: str) -> str | None:
    """The lemma of the active participle: *nesoucí* in the present, *přinesší* and *udělavší* in the past.

    Examples
    --------
    >>> parts = Parts(plural="dělají", past="udělal")
    >>> active("dělat", parts, "Pres"), active("udělat", parts, "Past")
    ('dělající', 'udělavší')
    """
    if tense == "Pres":
        return _present_transgressive(parts.plural)[1] + "í" if parts.plural else None
    return _past_transgressive(lemma, parts.past)[1][:-1] + "í" if parts.past else None


def _imperative(second: str) -> Iterator[Row]:
    said = {"VerbForm": "Fin", "Mood": "Imp"}
    stem = second
    if second.endswith("i"):
        stem = second[:-1] + ("ě" if second[:-1].endswith(_SOFTENED) else "e")
    for form, number, person in ((second, "Sing", "2"), (stem + "me", "Plur", "1"), (stem + "te", "Plur", "2")):
        yield form, {**said, "Number": number, "Person": person}


def _present_transgressive(plural: str) -> tuple[str, str, str]:
    if plural.endswith(_ATHEMATIC):
        plural = plural[:-1] + "ou"
    if plural.endswith("ou") and not plural[:-2].endswith(_SOFT):
        return plural[:-2] + "a", plural + "c", plural + "ce"
    stem = plural.removesuffix("ou").removesuffix("í")
    return stem + ("ě" if stem.endswith(_SOFTENED) else "e"), stem + "íc", stem + "íce"


def _past_transgressive(lemma: str, past: str) -> tuple[str, str, str]:
    stem = past[:-1]
    if lemma.endswith("jít"):
        stem += "d"  # přišel, přišed
    elif stem[-1:] in "aáeěéiíoóuúůyý":
        return stem + "v", stem + "vši", stem + "vše"
    return stem, stem + "ši", stem + "še"


def _transgressive(forms: tuple[str, str, str], tense: str) -> Iterator[Row]:
    said = {"VerbForm": "Conv", "Tense": tense}
    masculine, other, plural = forms
    yield masculine, {**said, "Number": "Sing", "Gender": "Masc"}
    yield other, {**said, "Number": "Sing", "Gender": "Fem,Neut"}
    yield plural, {**said, "Number": "Plur"}

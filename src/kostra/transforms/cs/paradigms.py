"""Czech paradigms written by hand, from ``paradigms.toml`` beside this file, and how a form is chosen from one.

A paradigm is a tuple of rows, a form and its features each. Learnt words become such rows too, so that a form is chosen
in one way whatever it comes from.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from kostra.transforms.inflection import Feats

Row = tuple[str, Feats]
"""A form and its features; a value may name alternatives with a comma."""
Rows = tuple[Row, ...]

CASES = ("Nom", "Gen", "Dat", "Acc", "Voc", "Loc", "Ins")
_VALUES = {
    "Case": CASES,
    "Number": ("Sing", "Plur", "Dual"),
    "Gender": ("Masc", "Fem", "Neut"),
    "Animacy": ("Anim", "Inan"),
    "Person": ("1", "2", "3"),
    "Tense": ("Past", "Pres", "Fut"),
    "Mood": ("Ind", "Cnd", "Imp"),
    "VerbForm": ("Inf", "Fin", "Part", "Conv"),
    "Voice": ("Act", "Pass"),
    "Variant": ("Short",),
    "PrepCase": ("Pre",),
}
_FEATURES = {value: name for name, values in _VALUES.items() for value in values}
_MARKS = ("Variant", "PrepCase")
"""Features whose forms are made only where they are asked for."""
_TABLE: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "paradigms.toml").read_text(encoding="utf-8"))

COMPARATIVES: Mapping[str, str] = _TABLE["comparatives"]
COMPARATIVE_ADVERBS: Mapping[str, str] = _TABLE["comparative_adverbs"]
FIRST_PERSONS: Mapping[str, str] = _TABLE["first_persons"]
FUTURES: Mapping[str, tuple[str, ...]] = {lemma: tuple(text.split()) for lemma, text in _TABLE["futures"].items()}
HOMOGRAPHS: Mapping[str, tuple[tuple[str | None, ...], ...]] = {
    lemma: tuple(tuple(None if part == "-" else part for part in text.split()) for text in texts)
    for lemma, texts in _TABLE["homographs"].items()
}
"""Parts as `irregular_verb` has them, of each of the verbs that share a lemma."""
MODEL_NOUNS: Mapping[str, list[str]] = _TABLE["models"]
"""By gender: seven cases of the singular, seven of the plural."""
MODEL_COMPARATIVES: Mapping[str, str] = _TABLE["model_comparatives"]
MODEL_COMPARATIVE_ADVERBS: Mapping[str, str] = _TABLE["model_comparative_adverbs"]
MODEL_VERBS: Mapping[str, tuple[str, ...]] = {
    lemma: tuple(text.split()) for lemma, text in _TABLE["model_verbs"].items()
}
"""Parts as `irregular_verb` has them, "-" for one that is lacking."""


def choose(rows: Iterable[Row], feats: Feats) -> str | None:
    """The one form that rows have for features; None where there is none, "" where several differ.

    What the features leave open is tried in every way; a row that names no value of a feature is of all values.

    Examples
    --------
    >>> choose(adjective("velký"), {"Case": "Nom", "Number": "Plur", "Gender": "Masc", "Animacy": "Anim"})
    'velcí'
    >>> choose(adjective("velký"), {"Case": "Nom", "Number": "Plur"})
    ''
    """
    listed = [row for row in rows if _fits(row[1], feats)]
    most = max((sum(name in found for name in _MARKS) for _, found in listed), default=0)
    listed = [row for row in listed if sum(name in row[1] for name in _MARKS) == most]
    open_names = sorted({name for _, found in listed for name in found} - set(_MARKS))
    forms: set[str] = set()
    for values in product(*(_either(feats.get(name), name) for name in open_names)):
        wanted = dict(zip(open_names, values, strict=True))
        if wanted.get("Gender") != "Masc" and wanted.get("Animacy") == "Inan":
            continue  # animacy is of masculines: other genders are tried once
        forms.update(next(([form] for form, found in listed if _matches(found, wanted)), []))
    return None if not forms else forms.pop() if len(forms) == 1 else ""


def _fits(found: Feats, feats: Feats) -> bool:
    if any(feats.get(name) != found[name] for name in _MARKS if name in found):
        return False
    return _matches(found, feats)


def _matches(found: Feats, wanted: Feats) -> bool:
    """Whether each value fits; animacy counts for masculines only, since other genders have none."""
    for name, value in found.items():
        said = wanted.get(name)
        if said is None or value == said or (name == "Animacy" and wanted.get("Gender", "Masc") != "Masc"):
            continue
        if not set(value.split(",")) & set(said.split(",")):
            return False
    return True


def _either(said: str | None, name: str) -> Iterable[str]:
    return said.split(",") if said is not None else _VALUES[name]


def rows_of(text: str) -> Rows:
    """Read lines of a form and its values.

    Examples
    --------
    >>> rows_of("mi Sing Dat Short")
    (('mi', {'Number': 'Sing', 'Case': 'Dat', 'Variant': 'Short'}),)
    """
    lines = (line.split() for line in text.splitlines() if line.strip())
    return tuple((form, {_FEATURES[value.split(",")[0]]: value for value in values}) for form, *values in lines)


_NUMERALS = {
    "oblique": re.compile(f"(.+a)?({'|'.join(_TABLE['numerals']['oblique'].split())})"),  # pětadvacet as well
    "quantities": re.compile("|".join(_TABLE["numerals"]["quantities"].split())),
}
_DETERMINERS = tuple(_TABLE["determiners"]["adjectival"].split())
_ENDINGS = tuple((table["lemma"], rows_of(table["forms"])) for table in _TABLE["endings"].values())
_WORDS = {lemma: (table["upos"], rows_of(table["forms"])) for lemma, table in _TABLE["words"].items()}


@cache
def adjective(lemma: str) -> Rows:
    """All forms of a word that inflects as an adjective; none if it does not end like one.

    Examples
    --------
    >>> choose(adjective("otcův"), {"Case": "Gen", "Number": "Sing", "Gender": "Fem"})
    'otcovy'
    """
    for ending, rows in _ENDINGS:
        if lemma.endswith(ending) and len(lemma) > len(ending):
            stem = lemma.removesuffix(ending)
            return tuple((_joined(stem, form), feats) for form, feats in rows)
    return ()


def adjective_lemmas(form: str) -> set[str]:
    """The lemmas of which a form may be as an adjective's.

    Examples
    --------
    >>> sorted(adjective_lemmas("milou"))
    ['milý']
    """
    found: set[str] = set()
    for ending, rows in _ENDINGS:
        for added in {made for made, _ in rows if form.endswith(made.removeprefix("~"))}:
            stem = form.removesuffix(added.removeprefix("~"))
            hard = [h for h, soft in _TABLE["softening"].items() if added.startswith("~") and stem.endswith(soft)]
            found |= {stem + ending, *(stem.removesuffix(_TABLE["softening"][h]) + h + ending for h in hard)}
    return found


def _joined(stem: str, ending: str) -> str:
    if not ending.startswith("~"):
        return stem + ending
    for hard, soft in _TABLE["softening"].items():
        if stem.endswith(hard):
            return f"{stem.removesuffix(hard)}{soft}{ending[1:]}"
    return stem + ending[1:]


@cache
def closed(lemma: str) -> tuple[str, Rows] | None:
    """The part of speech and all forms of a pronoun, determiner or numeral, or of *být*.

    Examples
    --------
    >>> upos, rows = closed("nikdo")
    >>> choose(rows, {"Case": "Ins"})
    'nikým'
    >>> choose(closed("tento")[1], {"Case": "Gen", "Number": "Sing", "Gender": "Neut"})
    'tohoto'
    """
    if lemma in _TABLE["compounds"]:
        before, base, after = _TABLE["compounds"][lemma]
        upos, rows = closed(base) or ("DET", adjective(base))
        return upos, tuple((before + form + after, feats) for form, feats in rows)
    for kind, ending in (("oblique", "i"), ("quantities", "a")):
        if _NUMERALS[kind].fullmatch(lemma):
            plain = {"Case": "Nom,Acc,Voc"}, {"Case": "Gen,Dat,Loc,Ins"}
            return "NUM", ((lemma, plain[0]), (lemma.removesuffix("o") + ending, plain[1]))
    return ("DET", adjective(lemma)) if lemma in _DETERMINERS else _WORDS.get(lemma)


def closed_lemmas() -> Iterator[str]:
    """The lemmas that `closed` knows."""
    yield from _WORDS
    yield from _TABLE["compounds"]
    yield from _DETERMINERS
    for lemmas in _TABLE["numerals"].values():
        yield from lemmas.split()


def own_lemma(lemma: str, feats: Feats) -> str:
    """The lemma under which a word stands here; treebanks put *my* under *já*, *náš* under *můj*.

    Examples
    --------
    >>> own_lemma("můj", {"Number[psor]": "Plur"}), own_lemma("já", {"Number": "Sing"})
    ('náš', 'já')
    """
    names = ("Number[psor]", "Gender[psor]") if lemma in ("můj", "tvůj", "jeho") else ("Number", "Variant")
    for name in names:
        changed = _TABLE["lemmas"].get(f"{lemma} {feats.get(name)}")
        if changed:
            return str(changed)
    return lemma


@cache
def irregular_noun(lemma: str) -> Rows:
    """Forms of nouns that no other noun has, without gender; none for other nouns.

    Examples
    --------
    >>> choose(irregular_noun("člověk"), {"Case": "Ins", "Number": "Plur"})
    'lidmi'
    """
    return tuple(
        (form, {"Case": case, "Number": number})
        for number, table in (("Sing", "singulars"), ("Plur,Dual", "plurals"))
        for case, form in zip(CASES, _TABLE[table].get(lemma, "").split(), strict=False)
    )


def irregular_nouns() -> frozenset[str]:
    """The lemmas that `irregular_noun` knows."""
    return frozenset(_TABLE["singulars"]) | frozenset(_TABLE["plurals"])


@cache
def irregular_verb(lemma: str) -> tuple[str | None, ...]:
    """Third persons, past participle, imperative and passive participle of verbs made of a listed one.

    Examples
    --------
    >>> irregular_verb("přijít")
    ('přijde', 'přijdou', 'přišel', 'přijdi', None)
    """
    for ending in sorted(_TABLE["verbs"], key=len, reverse=True):
        if f"={lemma}" == ending or lemma.endswith(ending):
            before = lemma.removesuffix(ending.removeprefix("="))
            return tuple(None if part == "-" else before + part for part in _TABLE["verbs"][ending].split())
    return ()

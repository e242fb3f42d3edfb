"""The tags of Morfeusz (the tag set of SGJP and NKJP) as features of Universal Dependencies.

A tag such as ``subst:sg:nom.acc:m3`` names a class and values with alternatives; every value belongs to one attribute
only, so that places need not be counted. As in the treebank UD_Polish-PDB, the five Polish genders become
Gender and Animacy (m1 human, m2 animate, m3 inanimate), a participle is an ADJ whose lemma is the infinitive, a gerund
a NOUN likewise, and the impersonal *-no*, *-to* has Person=0.

One feature is ours, since UD says it with a relation: ``Gov`` of a numeral is Yes where it governs the genitive of its
noun (*pięć kotów*, *dwóch panów idzie*) and No where it agrees (*dwa koty*, *dwaj panowie idą*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

_ATTRIBUTES = {
    "Number": {"sg": "Sing", "pl": "Plur", "pt": "Ptan"},
    "Case": {"nom": "Nom", "gen": "Gen", "dat": "Dat", "acc": "Acc", "inst": "Ins", "loc": "Loc", "voc": "Voc"},
    "Gender": {"m1": "Masc Hum", "m2": "Masc Nhum", "m3": "Masc Inan", "f": "Fem", "n": "Neut"},
    "Degree": {"pos": "Pos", "com": "Cmp", "sup": "Sup"},
    "Person": {"pri": "1", "sec": "2", "ter": "3"},
    "Aspect": {"perf": "Perf", "imperf": "Imp"},
    "Polarity": {"aff": "Pos", "neg": "Neg"},
    "Variant": {"akc": "Long", "nakc": "Short", "wok": "Long", "nwok": "Short"},
    "PrepCase": {"praep": "Pre", "npraep": "Npr"},
    "Gov": {"congr": "No", "rec": "Yes"},
    "NumType": {"col": "Sets"},
}
_VALUES = {value: (name, said) for name, values in _ATTRIBUTES.items() for value, said in values.items()}
_CLASSES: dict[str, tuple[str, dict[str, str]]] = {
    "subst": ("NOUN", {}),
    "depr": ("NOUN", {}),
    "ger": ("NOUN", {"VerbForm": "Vnoun"}),
    "adj": ("ADJ", {}),
    "adja": ("ADJ", {"Hyph": "Yes"}),
    "adjp": ("ADJ", {"PrepCase": "Pre"}),
    "adjc": ("ADJ", {"Variant": "Short"}),
    "pact": ("ADJ", {"VerbForm": "Part", "Voice": "Act"}),
    "ppas": ("ADJ", {"VerbForm": "Part", "Voice": "Pass"}),
    "pacta": ("ADJ", {"VerbForm": "Part", "Voice": "Act", "Hyph": "Yes"}),
    "fin": ("VERB", {"VerbForm": "Fin", "Mood": "Ind", "Voice": "Act"}),
    "bedzie": ("AUX", {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Fut"}),
    "praet": ("VERB", {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Past", "Voice": "Act"}),
    "cond": ("VERB", {"VerbForm": "Fin", "Mood": "Cnd", "Voice": "Act"}),
    "winien": ("VERB", {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Pres", "Voice": "Act", "VerbType": "Mod"}),
    "impt": ("VERB", {"VerbForm": "Fin", "Mood": "Imp", "Voice": "Act"}),
    "imps": ("VERB", {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Past", "Voice": "Act", "Person": "0"}),
    "inf": ("VERB", {"VerbForm": "Inf", "Voice": "Act"}),
    "pcon": ("VERB", {"VerbForm": "Conv", "Tense": "Pres", "Voice": "Act"}),
    "pant": ("VERB", {"VerbForm": "Conv", "Tense": "Past", "Voice": "Act"}),
    "pred": ("VERB", {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Pres", "VerbType": "Quasi"}),
    "aglt": ("AUX", {}),
    "num": ("NUM", {}),
    "numcomp": ("NUM", {"Hyph": "Yes"}),
    "ppron12": ("PRON", {"PronType": "Prs"}),
    "ppron3": ("PRON", {"PronType": "Prs"}),
    "siebie": ("PRON", {"PronType": "Prs", "Reflex": "Yes"}),
    "adv": ("ADV", {}),
    "prep": ("ADP", {}),
    "conj": ("CCONJ", {}),
    "comp": ("SCONJ", {}),
    "part": ("PART", {}),
    "interj": ("INTJ", {}),
    "interp": ("PUNCT", {}),
    "sym": ("SYM", {}),
    "brev": ("X", {"Abbr": "Yes"}),
    "frag": ("X", {}),
    "dig": ("NUM", {"NumForm": "Digit"}),
    "romandig": ("NUM", {"NumForm": "Roman"}),
}
_SUBGENDERS = {"Masc1": "Hum", "Masc2": "Nhum", "Masc3": "Inan"}
"""How the treebank UD_Polish-LFG, and a model that learned from it, writes animacy."""
_TENSES = {"Imp": "Pres", "Perf": "Fut"}
"""What a present form means, by the verb's aspect."""


@dataclass(frozen=True)
class Tag:
    """A tag in terms of UD; ``Gender`` holds values such as ``Masc Hum``, since the two features go together."""

    kind: str
    """The class of the tag, such as subst or praet."""
    upos: str
    values: Mapping[str, frozenset[str]]

    def readings(self) -> Iterator[dict[str, str]]:
        """The features, gender by gender; alternatives within one feature stand with a comma, as in UD."""
        plain = {name: ",".join(sorted(values)) for name, values in self.values.items() if name != "Gender"}
        genders = self.values.get("Gender", frozenset())
        animacies = sorted(gender.split()[1] for gender in genders if " " in gender)
        if animacies:
            yield {**plain, "Gender": "Masc", "Animacy": ",".join(animacies)}
        for gender in sorted(genders & {"Fem", "Neut"}):
            yield {**plain, "Gender": gender}
        if not genders:
            yield plain


@cache
def read_tag(tag: str) -> Tag | None:
    """Translate one tag; None for a word that the analyser does not know.

    Examples
    --------
    >>> next(read_tag("subst:sg:nom.acc:m3").readings())
    {'Number': 'Sing', 'Case': 'Acc,Nom', 'Gender': 'Masc', 'Animacy': 'Inan'}
    >>> read_tag("ign") is None
    True
    """
    kind, *parts = tag.split(":")
    if kind not in _CLASSES:
        return None
    upos, fixed = _CLASSES[kind]
    found: dict[str, set[str]] = {}
    for part in parts:
        for value in part.split("."):
            if value in _VALUES:
                name, translated = _VALUES[value]
                found.setdefault(name, set()).add(translated)
    if found.get("Number") == {"Plur", "Ptan"}:
        found["Number"] = {"Ptan"}
    if kind == "fin":
        found["Tense"] = {_TENSES[aspect] for aspect in found["Aspect"]}
    values = {**{name: {value} for name, value in fixed.items()}, **found}
    return Tag(kind, upos, MappingProxyType({name: frozenset(value) for name, value in values.items()}))


def genders(feats: Mapping[str, str]) -> frozenset[str] | None:
    """The genders that features allow, or None where they say nothing.

    Examples
    --------
    >>> sorted(genders({"Gender": "Masc", "Animacy": "Hum,Nhum"}))
    ['Masc Hum', 'Masc Nhum']
    """
    if "Gender" not in feats:
        return None
    animacies = feats.get("Animacy", _SUBGENDERS.get(feats.get("SubGender", ""), "Hum,Nhum,Inan")).split(",")
    found: set[str] = set()
    for gender in feats["Gender"].split(","):
        found |= {f"Masc {animacy}" for animacy in animacies} if gender == "Masc" else {gender}
    return frozenset(found)

"""The positional tags of the Prague treebanks as features of Universal Dependencies.

A tag has fifteen places, such as ``NNFS2-----A----``: part of speech and its detail, gender, number, case, the owner's
gender and number, person, tense, degree, negation, voice, …, variant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

_UPOS = {"N": "NOUN", "A": "ADJ", "P": "PRON", "C": "NUM", "V": "VERB", "D": "ADV"}
_GENDERS: Mapping[str, tuple[tuple[str, str | None], ...]] = {
    "M": (("Masc", "Anim"),),
    "I": (("Masc", "Inan"),),
    "F": (("Fem", None),),
    "N": (("Neut", None),),
    "Y": (("Masc", None),),
    "Z": (("Masc", None), ("Neut", None)),
    "H": (("Fem", None), ("Neut", None)),
    "T": (("Masc", "Inan"), ("Fem", None)),
}
_PLACES = {
    3: ("Number", {"S": "Sing", "P": "Plur", "D": "Dual"}),
    4: ("Case", {"1": "Nom", "2": "Gen", "3": "Dat", "4": "Acc", "5": "Voc", "6": "Loc", "7": "Ins"}),
    7: ("Person", {"1": "1", "2": "2", "3": "3"}),
    8: ("Tense", {"P": "Pres", "F": "Fut", "R": "Past"}),
    9: ("Degree", {"1": "Pos", "2": "Cmp", "3": "Sup"}),
    10: ("Polarity", {"A": "Pos", "N": "Neg"}),
}
_DETAILS: Mapping[str, tuple[str, dict[str, str]]] = {
    "VB": ("VERB", {"VerbForm": "Fin", "Mood": "Ind"}),
    "Vf": ("VERB", {"VerbForm": "Inf"}),
    "Vi": ("VERB", {"VerbForm": "Fin", "Mood": "Imp"}),
    "Vc": ("AUX", {"VerbForm": "Fin", "Mood": "Cnd"}),
    "Vp": ("VERB", {"VerbForm": "Part", "Tense": "Past", "Voice": "Act"}),
    "Vs": ("ADJ", {"VerbForm": "Part", "Voice": "Pass", "Variant": "Short"}),
    "Ve": ("VERB", {"VerbForm": "Conv", "Tense": "Pres"}),
    "Vm": ("VERB", {"VerbForm": "Conv", "Tense": "Past"}),
    "AG": ("ADJ", {"VerbForm": "Part", "Voice": "Act", "Tense": "Pres"}),
    "AM": ("ADJ", {"VerbForm": "Part", "Voice": "Act", "Tense": "Past"}),
    "AC": ("ADJ", {"Variant": "Short"}),
    "PH": ("PRON", {"Variant": "Short"}),
    "P5": ("PRON", {"PrepCase": "Pre"}),
    "P7": ("PRON", {"Variant": "Short"}),
    "PD": ("DET", {}),
    "PS": ("DET", {}),
    "P8": ("DET", {}),
    "PL": ("DET", {}),
    "Cr": ("ADJ", {}),
}
_LENGTH = 15


@cache
def read_tag(tag: str) -> tuple[tuple[str, Mapping[str, str]], ...]:
    """The parts of speech and features a tag stands for; none where it is of no inflected word, or of a marked variant.

    Examples
    --------
    >>> read_tag("NNFS2-----A----")
    (('NOUN', {'Gender': 'Fem', 'Number': 'Sing', 'Case': 'Gen', 'Polarity': 'Pos'}),)
    >>> [feats["Gender"] + feats["Number"] for _, feats in read_tag("VpQW---XR-AA---")]
    ['FemSing', 'NeutPlur']
    """
    if len(tag) != _LENGTH or tag[0] not in _UPOS or tag[14] not in "-1":
        return ()
    upos, fixed = _DETAILS.get(tag[:2], (_UPOS[tag[0]], {}))
    return tuple((upos, {**gender, **_placed(tag), **fixed}) for gender in _genders(tag))


def _placed(tag: str) -> dict[str, str]:
    return {name: values[tag[place]] for place, (name, values) in _PLACES.items() if tag[place] in values}


def _genders(tag: str) -> Iterator[dict[str, str]]:
    if tag[2] == "Q":  # feminine singular or neuter plural
        yield {"Gender": "Fem", "Number": "Sing"}
        yield {"Gender": "Neut", "Number": "Plur"}
        return
    for gender, animacy in _GENDERS.get(tag[2], ()):
        yield {"Gender": gender, **({"Animacy": animacy} if animacy else {})}
    if tag[2] not in _GENDERS:
        yield {}

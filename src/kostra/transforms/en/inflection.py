"""English inflection by LemmInflect and its dictionary (extra ``parse``), pronouns and auxiliaries by their own tables.

English verbs have at most six forms and *be* has eight; what a treebank says with features is brought to the tags of
the Penn treebank, by which the dictionary is ordered.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from kostra.errors import extra_needed
from kostra.transforms.en import lexicon
from kostra.transforms.inflection import SEVERAL, Analysis, Feats, Remembering, compatible

_BE: tuple[tuple[str, dict[str, str]], ...] = (
    ("am", {"Tense": "Pres", "VerbForm": "Fin", "Number": "Sing", "Person": "1"}),
    ("are", {"Tense": "Pres", "VerbForm": "Fin", "Number": "Sing", "Person": "2"}),
    ("is", {"Tense": "Pres", "VerbForm": "Fin", "Number": "Sing", "Person": "3"}),
    ("are", {"Tense": "Pres", "VerbForm": "Fin", "Number": "Plur"}),
    ("was", {"Tense": "Past", "VerbForm": "Fin", "Number": "Sing", "Person": "1,3"}),
    ("were", {"Tense": "Past", "VerbForm": "Fin", "Number": "Sing", "Person": "2"}),
    ("were", {"Tense": "Past", "VerbForm": "Fin", "Number": "Plur"}),
    ("be", {"VerbForm": "Inf"}),
    ("being", {"Tense": "Pres", "VerbForm": "Part"}),
    ("been", {"Tense": "Past", "VerbForm": "Part"}),
)
_PRONOUNS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("I", "I", "me", {"Person": "1", "Number": "Sing"}),
    ("he", "he", "him", {"Person": "3", "Number": "Sing", "Gender": "Masc"}),
    ("she", "she", "her", {"Person": "3", "Number": "Sing", "Gender": "Fem"}),
    ("it", "it", "it", {"Person": "3", "Number": "Sing", "Gender": "Neut"}),
    ("we", "we", "us", {"Person": "1", "Number": "Plur"}),
    ("they", "they", "them", {"Person": "3", "Number": "Plur"}),
    ("you", "you", "you", {"Person": "2"}),
    ("who", "who", "whom", {"PronType": "Int,Rel"}),
)
_TAGS: dict[str, dict[str, str]] = {
    "VB": {"VerbForm": "Inf"},
    "VBD": {"Mood": "Ind", "Tense": "Past", "VerbForm": "Fin"},
    "VBG": {"Tense": "Pres", "VerbForm": "Part"},
    "VBN": {"Tense": "Past", "VerbForm": "Part"},
    "VBP": {"Mood": "Ind", "Tense": "Pres", "VerbForm": "Fin"},
    "VBZ": {"Mood": "Ind", "Number": "Sing", "Person": "3", "Tense": "Pres", "VerbForm": "Fin"},
    "NN": {"Number": "Sing"},
    "NNS": {"Number": "Plur"},
    "JJ": {"Degree": "Pos"},
    "JJR": {"Degree": "Cmp"},
    "JJS": {"Degree": "Sup"},
    "RB": {"Degree": "Pos"},
    "RBR": {"Degree": "Cmp"},
    "RBS": {"Degree": "Sup"},
}
"""What the tags of the dictionary say in features."""


class English(Remembering):
    """Generates and analyses English words.

    *Lie* has two past tenses, and *travel* two spellings: `like` is a form of the verb that is meant, as it is spelt.

    Examples
    --------
    >>> english = English()
    >>> english.inflect("sit", "VERB", {"VerbForm": "Part", "Tense": "Pres"})
    'sitting'
    >>> english.inflect("be", "AUX", {"VerbForm": "Fin", "Tense": "Past", "Number": "Plur"})
    'were'
    >>> english.inflect("I", "PRON", {"Case": "Acc", "Person": "1", "Number": "Sing"})
    'me'
    >>> english.inflect("lie", "VERB", {"VerbForm": "Fin", "Tense": "Past"})
    >>> english.inflect("glorp", "VERB", {"VerbForm": "Inf", "Tense": "Past"})
    >>> english.refusals
    Counter({'several forms': 1, 'unknown lemma': 1})
    >>> sorted((one.lemma, one.upos) for one in english.analyses("paints"))
    [('paint', 'NOUN'), ('paint', 'VERB')]
    """

    def __init__(self) -> None:
        super().__init__()
        self._dictionary = _load()

    def always_asks(self, lemma: str, upos: str) -> bool:  # noqa: ARG002 - a hook
        """Always: a form tells the spelling too."""
        return True

    def find(
        self, lemma: str, upos: str, wanted: frozenset[tuple[str, str]], like: str | None
    ) -> tuple[str | None, str]:
        """The form, or None and why it cannot be told."""
        feats = dict(wanted)
        if upos == "PRON":
            return _pronoun(lemma, feats)
        if lemma == "be" and upos in ("AUX", "VERB"):
            forms = {form for form, own in _BE if compatible(own, feats)}
            return (forms.pop(), "") if len(forms) == 1 else (None, SEVERAL if forms else "no such form")
        tag = _tag(upos, feats)
        if tag is None:
            return None, "nothing to inflect"
        usual = lexicon.USUAL_FORMS.get(f"{lemma} {tag}")
        if usual is not None:
            return usual, ""
        if tag in ("NN", "JJ", "RB"):
            return lemma, ""  # what is not inflected is right, in a dictionary or not
        upos = "VERB" if upos == "AUX" else upos
        paradigm = self._dictionary.getAllInflections(lemma, upos=upos)
        return _chosen(lemma, tag, paradigm, like)

    def analyse(self, form: str) -> frozenset[Analysis]:
        """All readings of a form as one word."""
        found = [Analysis.of("be", "AUX", **own) for one, own in _BE if one == form.lower()]
        for lemma, nominative, accusative, own in _PRONOUNS:
            found += [Analysis.of(lemma, "PRON", Case="Nom", **own)] if form.lower() == nominative.lower() else []
            found += [Analysis.of(lemma, "PRON", Case="Acc", **own)] if form.lower() == accusative.lower() else []
        if found or not form.isprintable():
            return frozenset(found)
        for upos, lemmas in self._dictionary.getAllLemmas(form).items():
            for lemma in lemmas:
                paradigm = self._dictionary.getAllInflections(lemma, upos=upos)
                tags = [tag for tag, forms in paradigm.items() if tag in _TAGS and form in _usual(lemma, tag, forms)]
                if upos == "VERB" and "VBN" not in paradigm and "VBD" in tags:
                    tags.append("VBN")  # the dictionary leaves out what is alike
                found += [Analysis(lemma, upos, MappingProxyType(_TAGS[tag])) for tag in tags]
        return frozenset(found)


def make() -> English:
    """Make the inflector of the language (see `kostra.transforms.inflection`)."""
    return English()


def _load() -> Any:
    try:
        import lemminflect
    except ImportError as error:
        raise extra_needed("lemminflect", "parse", purpose="English inflection") from error
    return lemminflect


def _pronoun(lemma: str, feats: Feats) -> tuple[str | None, str]:
    for own, nominative, accusative, _ in _PRONOUNS:
        if own == lemma or (own != "I" and own == lemma.lower()):
            form = {"Nom": nominative, "Acc": accusative}.get(feats.get("Case", ""))
            return form, "" if form else "no such form"
    return None, "unknown lemma"


def _tag(upos: str, feats: Feats) -> str | None:
    """The Penn tag of what is wanted."""
    if upos in ("VERB", "AUX"):
        match feats.get("VerbForm"), feats.get("Tense"):
            case "Inf", _:
                return "VB"
            case ("Ger", _) | ("Part", "Pres"):
                return "VBG"
            case "Part", _:
                return "VBN"
            case "Fin", None if feats.get("Mood") in ("Imp", "Sub"):
                return "VB"
            case "Fin", "Past":
                return "VBD"
            case "Fin", "Pres":
                third = feats.get("Number") == "Sing" and feats.get("Person", "3") == "3"
                return "VBZ" if third else "VBP"
        return None
    if upos in ("NOUN", "PROPN"):
        return {"Sing": "NN", "Plur": "NNS", "Ptan": "NN"}.get(feats.get("Number", ""))
    letters = {"ADJ": "JJ", "ADV": "RB"}.get(upos)
    ending = {"Pos": "", "Cmp": "R", "Sup": "S"}.get(feats.get("Degree", "Pos"))
    return f"{letters}{ending}" if letters and ending is not None else None


def _usual(lemma: str, tag: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """The forms of a tag; a plural like its singular only where that is the first (*fish*, but not *egg*).

    Examples
    --------
    >>> _usual("egg", "NNS", ("eggs", "egg")), _usual("fish", "NNS", ("fish", "fishes"))
    (('eggs',), ('fish',))
    """
    if tag != "NNS" or lemma not in forms:
        return forms
    return (lemma,) if forms[0] == lemma else tuple(form for form in forms if form != lemma)


def _chosen(lemma: str, tag: str, paradigm: dict[str, tuple[str, ...]], like: str | None) -> tuple[str | None, str]:
    """The one form of a tag, the first of variants in spelling, or why there is none."""
    if not paradigm:
        return None, "unknown lemma"
    found = paradigm.get(tag) or (paradigm.get("VBD", ()) if tag == "VBN" else ())
    forms = [form for form in _usual(lemma, tag, found) if form.replace("-", "").isalpha()]
    if len(forms) > 1 and like in forms:
        return like, ""
    if not forms:
        return None, "no such form"
    if len({_skeleton(form) for form in forms}) > 1:
        return None, SEVERAL
    return next((form for form in forms if "-" not in form), forms[0]), ""


def _skeleton(form: str) -> str:
    """A form without what only spelling varies: *traveling* and *travelling*, *aging* and *ageing*.

    Examples
    --------
    >>> _skeleton("travelling") == _skeleton("traveling"), _skeleton("lay") == _skeleton("lied")
    (True, False)
    """
    letters: list[str] = []
    for letter in form.replace("-", "").replace("eing", "ing"):
        if not letters or letters[-1] != letter:
            letters.append(letter)
    return "".join(letters)

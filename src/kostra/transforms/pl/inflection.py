"""Polish inflection by Morfeusz 2 and its dictionary SGJP (extra ``parse``).

Past tense and conditional come whole, with their personal endings (*byłem*, *byłbym*); where a treebank splits them,
the third person is the part before the ending, and it is what a request without Person gets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from kostra.errors import extra_needed
from kostra.transforms.inflection import SEVERAL, Analysis, Feats, Remembering
from kostra.transforms.pl.sgjp import Tag, genders, read_tag

_OBSOLETE = frozenset({"daw", "arch", "przest", "gwar", "reg", "rzad", "niepopr", "form", "niezal", "pogard", "wulg"})
"""Qualifiers of forms that are never made: dated, dialectal, rare, wrong, or only thought of."""
_PLAIN = frozenset({"hom", "char", "książk"})
"""Qualifiers that do not set a form behind others (two kinds of genitive plural, literary)."""

_COMMON_LEXEMES = {"paść": "~dnę", "stać": "~anę", "słać": "ślę", "oko": "_col", "ucho": "_col"}
"""Of words that share a lemma the one that is meant, by how lemma and lexeme end: to fall, *spadnę*, not to fatten."""
_ALL_GENDERS = ("Masc Hum", "Masc Nhum", "Masc Inan", "Fem", "Neut")

_REMEMBERED_LEMMAS = 4_096

_UNLESS_SAID = {"Polarity": "Pos", "Degree": "Pos", "PrepCase": "Npr", "Person": "3"}
"""What is meant where a request does not say it."""
_COMPARED = frozenset(
    {"Number", "Case", "Person", "Tense", "Aspect", "Degree", "Polarity", "Variant", "PrepCase", "Gov"}
)
"""What a form must have as asked; the rest is settled by the class of its tag, and gender by itself."""


class _Entry(NamedTuple):
    form: str
    lexeme: str
    tag: Tag
    marked: bool
    """Whether it belongs to a trade or to slang: taken only where no plain form is."""


class Polish(Remembering):
    """Generates and analyses Polish words; obsolete readings are left out unless there are no others.

    Examples
    --------
    >>> polish = Polish()
    >>> polish.inflect("prowadzić", "ADJ", {"VerbForm": "Part", "Voice": "Act", "Gender": "Fem", "Case": "Gen"})
    >>> polish.refusals
    Counter({'several forms': 1})
    >>> polish.inflect("zjeść", "VERB", {"VerbForm": "Conv", "Tense": "Past"})
    'zjadłszy'
    >>> polish.inflect("rząd", "NOUN", {"Case": "Gen", "Number": "Sing"}, like="rzędzie")  # of a row, not *rządu*
    'rzędu'
    >>> sorted({(one.lemma, one.feats["Case"]) for one in polish.analyses("kotami")})
    [('kot', 'Ins'), ('kota', 'Ins')]
    """

    remembered = 200_000

    def __init__(self) -> None:
        super().__init__()
        self._morfeusz = _load()
        self._paradigm = lru_cache(_REMEMBERED_LEMMAS)(self._generate)

    def find(
        self, lemma: str, upos: str, wanted: frozenset[tuple[str, str]], like: str | None
    ) -> tuple[str | None, str]:
        """The form, or None and why it cannot be told."""
        feats = dict(wanted)
        kinds = _kinds(upos, feats)
        if not kinds:
            return None, "nothing to inflect"
        refused = "unknown lemma"
        for spelled in dict.fromkeys((lemma, lemma.lower(), _capitalised(lemma))):
            paradigm = self._paradigm(spelled)
            entries = [entry for entry in paradigm if entry.tag.kind in kinds]
            if like is not None:
                alike = {entry.lexeme for entry in entries if entry.form.lower() == like}
                entries = [entry for entry in entries if entry.lexeme in alike] or entries
            if entries:
                form, why = _choose(spelled, upos, entries, feats)
                return (_capitalised(form) if form and lemma[:1].isupper() else form), why
            refused = "no such form" if paradigm else refused
        return None, refused

    def _generate(self, lemma: str) -> tuple[_Entry, ...]:
        if not _is_word(lemma):
            return ()
        return tuple(_entries(self._morfeusz.generate(lemma)))

    def analyse(self, form: str) -> frozenset[Analysis]:
        """All readings of a form as one word."""
        if not _is_word(form):
            return frozenset()
        paths = self._morfeusz.analyse(form)
        end = max((last for _, last, _ in paths), default=0)
        whole = [reading for first, last, reading in paths if (first, last) == (0, end)]
        return frozenset(
            Analysis(entry.lexeme.partition(":")[0] or entry.lexeme, entry.tag.upos, MappingProxyType(feats))
            for entry in (list(_entries(whole)) or list(_entries(whole, obsolete=True)))
            for feats in entry.tag.readings()
        )


def make() -> Polish:
    """Make the inflector of the language (see `kostra.transforms.inflection`)."""
    return Polish()


def _load() -> Any:
    try:
        import morfeusz2
    except ImportError as error:
        raise extra_needed("morfeusz2", "parse", purpose="Polish inflection") from error

    class Brief(morfeusz2.Morfeusz):  # type: ignore[misc,unused-ignore]
        """Morfeusz that spells a tag and a set of qualifiers once, not for every form of every paradigm.

        Should another version of the package not ask this method, its own readings come instead, only slower.
        """

        def __init__(self) -> None:
            super().__init__(praet="composite")
            self._tags: dict[int, str] = {}
            self._qualifiers: dict[int, tuple[str, ...]] = {}

        def _interp2tuple(self, found: Any) -> tuple[str, str, str, tuple[str, ...], tuple[str, ...]]:
            number, qualified = found.tagId, found.labelsId
            if number not in self._tags:
                self._tags[number] = found.getTag(self._morfeusz_obj)
            if qualified not in self._qualifiers:
                self._qualifiers[qualified] = tuple(found.getLabels(self._morfeusz_obj))
            return found.orth, found.lemma, self._tags[number], (), self._qualifiers[qualified]

    return Brief()


def _entries(found: Iterable[Any], *, obsolete: bool = False) -> Iterator[_Entry]:
    """What Morfeusz gave, without unknown words and, unless asked for, without obsolete forms."""
    for form, lexeme, tag, _, qualifiers in found:
        read = read_tag(tag)
        if read is None or (read.kind in ("praet", "winien") and "Person" not in read.values):
            continue  # a past form without person stands there once more with it
        is_obsolete, marked = _judged(frozenset(qualifiers)) if qualifiers else (False, False)
        if obsolete or not is_obsolete:
            yield _Entry(form, lexeme, read, marked)


@cache
def _judged(qualifiers: frozenset[str]) -> tuple[bool, bool]:
    """Whether qualifiers say that a form is obsolete, and whether they set it behind others."""
    said = {word.rstrip(".") for line in qualifiers for word in line.replace("_", ",").split(",")} - {"dziś"}
    return bool(said & _OBSOLETE), bool(said - _PLAIN)


def _kinds(upos: str, feats: Feats) -> tuple[str, ...]:
    """The classes of tags among which a request looks."""
    match feats.get("VerbForm"), upos:
        case "Part", _:
            return {"Act": ("pact",), "Pass": ("ppas",)}.get(feats.get("Voice", ""), ("pact", "ppas"))
        case (("Vnoun" | "Ger"), _):
            return ("ger",)
        case "Conv", _:
            return {"Pres": ("pcon",), "Past": ("pant",)}.get(feats.get("Tense", ""), ("pcon", "pant"))
        case "Inf", _:
            return ("inf",)
        case _, ("VERB" | "AUX"):
            return _finite(feats)
        case _, ("NOUN" | "PROPN"):
            return ("subst",)
        case _, ("ADJ" | "DET"):
            return ("adj", "num") if upos == "DET" else _adjectival(feats)
        case _, "NUM":
            return ("num", "adj")  # jeden is an adjective to Morfeusz
        case _, "PRON":
            return ("ppron12", "ppron3", "siebie", "subst", "adj")
        case _, "ADV":
            return ("adv",)
    return ()


def _finite(feats: Feats) -> tuple[str, ...]:
    if feats.get("Person") == "0":
        return ("imps",)
    by_mood = {"Imp": ("impt",), "Cnd": ("cond",)}
    by_tense = {"Past": ("praet",), "Pres": ("fin", "winien"), "Fut": ("fin", "bedzie")}
    return by_mood.get(feats.get("Mood", "")) or by_tense.get(feats.get("Tense", ""), ())


def _adjectival(feats: Feats) -> tuple[str, ...]:
    if feats.get("Hyph") == "Yes":
        return ("adja",)
    if feats.get("PrepCase") == "Pre":
        return ("adjp",)
    return ("adjc",) if feats.get("Variant") == "Short" else ("adj",)


def _choose(lemma: str, upos: str, entries: list[_Entry], feats: Feats) -> tuple[str | None, str]:
    """The one form that fits, or why there is none."""
    fitting = _of_gender([entry for entry in entries if _fits(entry.tag, feats)], upos, feats)
    common = next((lexeme for ending, lexeme in _COMMON_LEXEMES.items() if lemma.endswith(ending)), None)
    if common:
        fitting = [entry for entry in fitting if entry.lexeme.endswith(common)] or fitting
    fitting = [entry for entry in fitting if not entry.marked] or fitting
    if not fitting:
        return None, "no such form"
    lexemes: dict[str, set[str]] = {}
    for entry in fitting:
        lexemes.setdefault(entry.lexeme, set()).add(entry.form)
    shared = set.intersection(*lexemes.values())  # of words that look alike, what all of them share is right anyway
    if not shared or (len(shared) > 1 and not _are_variants(fitting)):
        return None, SEVERAL
    return _preferred(lemma, shared, fitting[0].tag), ""


def _of_gender(entries: list[_Entry], upos: str, feats: Feats) -> list[_Entry]:
    """Those of the wanted gender.

    A common noun has a gender of its own, and a parser may be wrong about it: where no noun of that spelling has the
    wanted animacy, another masculine one is meant, and in the plural any.
    """
    wanted = genders(feats)
    if wanted is None:
        return entries
    if upos == "NOUN" and feats.get("Number") in ("Plur", "Ptan"):
        wider = [wanted, frozenset(_ALL_GENDERS)]
    elif upos == "NOUN":
        wider = [wanted, genders({"Gender": feats["Gender"]}) or wanted]
    else:
        wider = [wanted]
    for allowed in wider:
        found = [entry for entry in entries if entry.tag.values.get("Gender", allowed) & allowed]
        if found:
            return found
    return []


def _fits(tag: Tag, feats: Feats) -> bool:
    if tag.kind == "num" and (feats.get("NumType") == "Sets") != ("NumType" in tag.values):
        return False  # collective numerals (dwoje) are meant where they are named, and only there
    for name in _COMPARED & tag.values.keys():
        said = feats.get(name) or _UNLESS_SAID.get(name)
        if said is not None and tag.values[name].isdisjoint(_either(said)):
            return False
    return True


def _either(said: str) -> Collection[str]:
    """The values that a feature allows; a plural may be of a noun that has no singular, and the other way round."""
    return ("Plur", "Ptan") if said in ("Plur", "Ptan") else said.split(",")


def _are_variants(entries: list[_Entry]) -> bool:
    """Whether any two of the forms share a whole set of features, so that each is as right as the other."""
    shared = [entry.tag.values for entry in entries]
    names = set.intersection(*(set(values) for values in shared))
    return all(frozenset.intersection(*(values[name] for values in shared)) for name in names)


def _preferred(lemma: str, forms: set[str], tag: Tag) -> str:
    """Of variants that are all right the usual one.

    That is the lemma itself; of adjectives and numerals the long form (*swojej* and *dwóch* before *swej* and *dwu*);
    of people in *-l* and *-ń* the genitive in *-ów*; of everything else the short one, and any ending before *-a*.
    """
    if lemma in forms:
        return lemma
    ordered = sorted(forms, key=lambda form: (form.endswith("a"), form))
    people = tag.kind == "subst" and "Masc Hum" in tag.values["Gender"]
    if tag.kind in ("adj", "num") or (people and lemma.endswith(("l", "ń")) and max(ordered, key=len).endswith("ów")):
        return max(ordered, key=len)
    return min(ordered, key=len)


def _is_word(text: str) -> bool:
    return bool(text) and " " not in text and text.isprintable()


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]

"""What Czech suffix rules are learnt from: tagged words as places in paradigms, and the model words of grammars.

What grammar settles is taken off first. Forms that are always alike share one cell (dative and locative of feminines);
of verbs only the principal parts are learnt (see `kostra.transforms.cs.verbs`), from whatever form shows them; negation
and superlatives lose their prefixes. Adjectives need no learning except for their comparatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kostra.transforms.cs.paradigms import (
    CASES,
    COMPARATIVE_ADVERBS,
    COMPARATIVES,
    HOMOGRAPHS,
    MODEL_COMPARATIVE_ADVERBS,
    MODEL_COMPARATIVES,
    MODEL_NOUNS,
    MODEL_VERBS,
    irregular_noun,
    irregular_verb,
)
from kostra.transforms.cs.verbs import PARTICIPLE_ENDINGS, short_of
from kostra.transforms.inflection import Feats
from kostra.transforms.suffixes import Cell, Example, SuffixRules, learn
from kostra.trees import Tree

SINGULAR: Cell = ("VERB", "Pres", "Sing")
PLURAL: Cell = ("VERB", "Pres", "Plur")
PAST: Cell = ("VERB", "Past")
IMPERATIVE: Cell = ("VERB", "Imp")
PASSIVE: Cell = ("VERB", "Pass")
COMPARATIVE: Cell = ("ADJ", "Cmp")
COMPARATIVE_ADVERB: Cell = ("ADV", "Cmp")

_SAME_CASE = {
    ("Neut", "Sing", "Acc"): "Nom",
    ("Neut", "Sing", "Voc"): "Nom",
    ("Neut", "Plur", "Acc"): "Nom",
    ("Fem", "Plur", "Acc"): "Nom",
    ("Fem", "Sing", "Loc"): "Dat",
    ("Masc Inan", "Plur", "Acc"): "Nom",
    ("Masc Inan", "Sing", "Acc"): "Nom",
    ("Masc Anim", "Sing", "Acc"): "Gen",
    ("Masc Anim", "Sing", "Loc"): "Dat",
}
"""Forms of nouns that are the same in every declension but *předseda*'s, by gender, number and case."""
_SOFT_ENDINGS = ("ího", "ímu", "ím", "ích", "ími", "í")


def noun_cell(gender: str, number: str, case: str, *, lemma: str) -> Cell:
    """The cell of a noun's form; ``gender`` is such as ``Masc Anim``.

    Examples
    --------
    >>> noun_cell("Fem", "Sing", "Loc", lemma="žena")
    ('NOUN', 'Sing Dat', 'Fem')
    >>> noun_cell("Masc Anim", "Plur", "Voc", lemma="pán")
    ('NOUN', 'Plur Nom', 'Masc', 'Anim')
    """
    number = "Plur" if number == "Dual" else number
    if (number, case) == ("Plur", "Voc"):
        case = "Nom"
    if not (gender == "Masc Anim" and case == "Acc" and lemma.endswith("a")):
        case = _SAME_CASE.get((gender, number, case), case)
    return "NOUN", f"{number} {case}", *gender.split()


def gender_of(feats: Feats) -> str:
    """Gender and animacy as one value, as `noun_cell` takes it."""
    return f"{feats['Gender']} {feats['Animacy']}" if feats["Gender"] == "Masc" else feats["Gender"]


def rules_of(trees: Iterable[Tree]) -> SuffixRules:
    """Learn the rules of Czech from trees with gold tags, and from the model words."""
    return learn([*models(), *examples(trees)]).pruned()


def examples(trees: Iterable[Tree]) -> Iterator[Example]:
    """Every word of the trees that shows something to learn."""
    for tree in trees:
        for word in tree.words:
            if not word.form.isalpha() or {"Abbr", "Foreign", "Style"} & word.feats.keys():
                continue
            derived = dict(part.split("=", 1) for part in word.misc.split("|") if "=" in part).get("LDeriv")
            yield from _shown(word.form.lower(), word.lemma.lower(), word.upos, word.feats, derived)


def models() -> Iterator[Example]:
    """The model words of declensions, conjugations and comparison."""
    for lemma, parts in MODEL_VERBS.items():
        for part, cell in zip(parts, (SINGULAR, PLURAL, PAST, IMPERATIVE, PASSIVE), strict=True):
            if part != "-":
                yield Example(lemma, part, cell)
    for table, cell in ((MODEL_COMPARATIVES, COMPARATIVE), (MODEL_COMPARATIVE_ADVERBS, COMPARATIVE_ADVERB)):
        for lemma, comparative in table.items():
            yield Example(lemma, comparative, cell)
    for gender, words in MODEL_NOUNS.items():
        for forms in (line.split() for line in words):
            places = [(number, case) for number in ("Sing", "Plur") for case in CASES]
            for (number, case), form in zip(places, forms, strict=True):
                yield Example(forms[0], form, noun_cell(gender, number, case, lemma=forms[0]))


def _shown(form: str, lemma: str, upos: str, feats: Feats, derived: str | None) -> Iterator[Example]:
    if feats.get("Polarity") == "Neg":
        form = form.removeprefix("ne")
    if feats.get("Degree") == "Sup":
        form = form.removeprefix("nej")
    compared = feats.get("Degree") in ("Cmp", "Sup")
    match upos:
        case "NOUN" | "PROPN" if _is_plain_noun(lemma, feats):
            yield Example(lemma, form, noun_cell(gender_of(feats), feats["Number"], feats["Case"], lemma=lemma))
        case "ADJ" if compared and lemma not in COMPARATIVES:
            ending = next((end for end in _SOFT_ENDINGS if form.endswith(end)), None)
            if ending:
                yield Example(lemma, form.removesuffix(ending) + "í", COMPARATIVE)
        case "ADV" if compared and lemma not in COMPARATIVE_ADVERBS:
            yield Example(lemma, form, COMPARATIVE_ADVERB)
        case "ADJ" if derived and feats.get("Voice") == "Pass" and lemma.endswith("ý"):
            if not irregular_verb(derived):
                yield Example(derived.lower(), short_of(lemma), PASSIVE)
        case "VERB" if not irregular_verb(lemma) and lemma not in HOMOGRAPHS:
            yield from _principal(form, lemma, feats)


def _is_plain_noun(lemma: str, feats: Feats) -> bool:
    known = {"Case", "Number", "Gender"} <= feats.keys() and (feats["Gender"] != "Masc" or "Animacy" in feats)
    return known and "," not in feats["Gender"] and not lemma.endswith(("ý", "á", "é")) and not irregular_noun(lemma)


def _principal(form: str, lemma: str, feats: Feats) -> Iterator[Example]:
    place = feats.get("Number", ""), feats.get("Person", "")
    match feats.get("VerbForm"), feats.get("Mood"), feats.get("Tense"):
        case "Fin", "Ind", "Pres":
            if place == ("Plur", "3"):
                yield Example(lemma, form, PLURAL)
            ending = {("Sing", "3"): "", ("Sing", "2"): "š", ("Plur", "1"): "me", ("Plur", "2"): "te"}.get(place)
            if place == ("Sing", "1") and form.endswith("m"):
                ending = "m"
            if ending is not None and form.endswith(ending):
                yield Example(lemma, form.removesuffix(ending), SINGULAR)
        case "Fin", "Imp", _:
            base = form.removesuffix("te").removesuffix("me") if place[0] == "Plur" else form
            yield Example(lemma, base[:-1] + "i" if base.endswith(("e", "ě")) else base, IMPERATIVE)
        case "Part", _, "Past":
            yield Example(lemma, form[:-1] if form.endswith(PARTICIPLE_ENDINGS) else form, PAST)

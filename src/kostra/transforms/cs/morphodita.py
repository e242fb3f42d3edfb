"""Czech inflection by MorphoDiTa (extra ``parse``) and a dictionary that the user names.

The dictionaries (MorfFlex CZ) may not be shipped, being CC BY-NC-SA; who has one sets ``KOSTRA_MORPHODITA_CS`` to its
path (a file such as ``czech-morfflex2.0-220710.dict``). Words it does not have are left to the learnt rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from kostra.errors import KostraError, extra_needed
from kostra.transforms.cs.paradigms import Row, choose, own_lemma
from kostra.transforms.cs.pdt import read_tag
from kostra.transforms.inflection import Analysis, Feats, Inflector

_REMEMBERED = 100_000
_CLASSES = ({"NOUN", "PROPN"}, {"VERB", "AUX"}, {"PRON", "DET", "NUM", "ADJ"})
"""Parts of speech that treebanks and the dictionary draw differently."""
_UNLESS_SAID = {"Polarity": "Pos", "Degree": "Pos"}


class Source(Protocol):
    """What is asked of a tagged dictionary."""

    def generate(self, lemma: str) -> Iterable[tuple[str, str, str]]:
        """All forms of a lemma: lexeme, form and tag."""

    def analyse(self, form: str) -> Iterable[tuple[str, str]]:
        """All readings of a form: lemma and tag."""


class MorphoDiTa:
    """Generates and analyses by a tagged dictionary; what it does not have goes to `fallback`."""

    def __init__(self, source: Source, *, fallback: Inflector | None = None) -> None:
        self.refusals: Counter[str] = Counter()
        self._source = source
        self._fallback = fallback
        self._paradigm = lru_cache(_REMEMBERED)(self._generate)

    def inflect(self, lemma: str, upos: str, feats: Feats, *, like: str | None = None) -> str | None:
        """The form of a lemma with these features, or None (see `kostra.transforms.inflection.Inflector`)."""
        wanted = {**_UNLESS_SAID, **feats}
        entries = [entry for entry in self._paradigm(own_lemma(lemma, feats)) if _alike(entry[1], upos)]
        form = _choose(entries, wanted)
        if form == "" and like is not None:
            meant = {lexeme for lexeme, _, (made, _) in entries if made.lower() == like.lower()}
            form = _choose([entry for entry in entries if entry[0] in meant], wanted)
        if form is None and self._fallback is not None:
            form = self._fallback.inflect(lemma, upos, feats, like=like)
        if not form:
            self.refusals["several forms" if form == "" else "no such form" if entries else "unknown lemma"] += 1
        return form or None

    def analyses(self, form: str) -> frozenset[Analysis]:
        """All readings of a form; those of the fallback where the dictionary does not have it."""
        found = frozenset(
            Analysis(lemma, upos, MappingProxyType(dict(feats)))
            for lemma, tag in self._source.analyse(form)
            for upos, feats in read_tag(tag)
        )
        return found or (self._fallback.analyses(form) if self._fallback else found)

    def _generate(self, lemma: str) -> tuple[tuple[str, str, Row], ...]:
        return tuple(
            (lexeme, upos, (form, feats))
            for lexeme, form, tag in self._source.generate(lemma)
            for upos, feats in read_tag(tag)
        )


def _choose(entries: Iterable[tuple[str, str, Row]], wanted: Feats) -> str | None:
    """The one form that fits; None where there is none, "" where several differ, as of words that share a lemma."""
    lexemes: dict[str, list[Row]] = {}
    for lexeme, _, (made, feats) in entries:
        if all(feats.get(name, wanted[name]) == wanted[name] for name in _UNLESS_SAID):
            plain = {name: value for name, value in feats.items() if name not in _UNLESS_SAID}
            lexemes.setdefault(lexeme, []).append((made, plain))
    forms = {form for rows in lexemes.values() if (form := choose(rows, wanted)) is not None}
    return None if not forms else forms.pop() if len(forms) == 1 else ""


def _alike(first: str, second: str) -> bool:
    return first == second or any({first, second} <= alike for alike in _CLASSES)


class Library:
    """A dictionary file read by the library ufal.morphodita."""

    def __init__(self, library: Any, morpho: Any) -> None:
        self._library = library
        self._morpho = morpho

    def generate(self, lemma: str) -> Iterable[tuple[str, str, str]]:
        """All forms of a lemma: lexeme, form and tag."""
        found = self._library.TaggedLemmasForms()
        self._morpho.generate(lemma, "", self._morpho.NO_GUESSER, found)
        return [(entry.lemma, one.form, one.tag) for entry in found for one in entry.forms]

    def analyse(self, form: str) -> Iterable[tuple[str, str]]:
        """All readings of a form: lemma and tag."""
        found = self._library.TaggedLemmas()
        if self._morpho.analyze(form, self._morpho.NO_GUESSER, found) < 0:
            return []  # what the library says of unknown words is not a reading
        return [(self._morpho.rawLemma(one.lemma), one.tag) for one in found]


def open_dictionary(path: str | Path) -> Source:
    """Open a dictionary of MorphoDiTa.

    Raises
    ------
    KostraError
        Where the library is not installed, or the file is not there or not a dictionary.
    """
    try:
        import ufal.morphodita as library
    except ImportError as error:
        raise extra_needed("ufal.morphodita", "parse", purpose="a dictionary of MorphoDiTa") from error
    morpho = library.Morpho.load(str(path)) if Path(path).is_file() else None
    if morpho is None:
        raise KostraError(
            "not a dictionary of MorphoDiTa",
            where=str(path),
            accepted="a file such as czech-morfflex2.0-220710.dict",
            remedy="name another file in KOSTRA_MORPHODITA_CS, or unset it to use the learnt rules",
        )
    return Library(library, morpho)

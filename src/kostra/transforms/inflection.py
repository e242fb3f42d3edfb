"""Inflection behind one interface: a lemma and its features make a form, a form has analyses.

A language's inflector lies in ``transforms/<lang>/inflection.py``, whose ``make() -> Inflector`` builds it. Features
are those of Universal Dependencies everywhere, as a mapping such as ``{"Case": "Gen", "Number": "Sing"}``; what a
treebank cannot know (a tag set of the analyser's own) never leaves the language's file.

An inflector would rather say nothing than something wrong: where no form, or no single form, has the wanted features,
`Inflector.inflect` gives None and counts it in ``refusals``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from kostra.errors import unknown

Feats = Mapping[str, str]
"""Features of Universal Dependencies by name; a value such as ``Acc,Gen`` stands for either."""
SEVERAL = "several forms"
"""Why a form is refused where more than one has the wanted features."""


@dataclass(frozen=True)
class Analysis:
    """One reading of a form."""

    lemma: str
    upos: str
    feats: Feats

    def __hash__(self) -> int:
        return hash((self.lemma, self.upos, frozenset(self.feats.items())))

    @classmethod
    def of(cls, lemma: str, upos: str, /, **feats: str) -> Analysis:
        """Make an analysis from keywords.

        Examples
        --------
        >>> Analysis.of("kot", "NOUN", Case="Nom", Number="Sing").feats["Case"]
        'Nom'
        """
        return cls(lemma, upos, MappingProxyType(feats))


class Inflector(Protocol):
    """What a language's inflection can do."""

    refusals: Counter[str]
    """Why `inflect` gave None, and how often."""

    def inflect(self, lemma: str, upos: str, feats: Feats, *, like: str | None = None) -> str | None:
        """The form of a lemma with these features, or None if it cannot be told with confidence.

        Features that the form's paradigm does not know are passed over (a noun's lexical gender, say); those that it
        knows and that are not given leave the choice open, and if forms differ there, the answer is None. Where words
        of different inflection share the lemma, `like` is a form that tells which is meant: the one in the sentence.
        """

    def analyses(self, form: str) -> frozenset[Analysis]:
        """All readings of a form; none for a word the analyser does not know."""


class Remembering(ABC):
    """An inflector that remembers its answers and counts its refusals; a language says how a form is found.

    A word that shares its lemma with another is told by a form of it, `like`: asked for only where the lemma alone
    leaves it `undecided`, so that what is remembered serves every sentence.
    """

    remembered = 100_000
    """Answers that are kept, of each kind."""
    undecided = frozenset({SEVERAL})
    """Refusals after which a form of the word that is meant may decide."""

    def __init__(self) -> None:
        self.refusals: Counter[str] = Counter()
        self._answer = lru_cache(self.remembered)(self.find)
        self._readings = lru_cache(self.remembered)(self.analyse)

    @abstractmethod
    def find(
        self, lemma: str, upos: str, wanted: frozenset[tuple[str, str]], like: str | None
    ) -> tuple[str | None, str]:
        """The form, or None and why it cannot be told."""

    @abstractmethod
    def analyse(self, form: str) -> frozenset[Analysis]:
        """All readings of a form."""

    def always_asks(self, lemma: str, upos: str) -> bool:  # noqa: ARG002 - a hook
        """Whether a lemma is of two words, so that the one that is meant is asked for at once."""
        return False

    def inflect(self, lemma: str, upos: str, feats: Feats, *, like: str | None = None) -> str | None:
        """The form of a lemma with these features, or None (see `Inflector`)."""
        wanted, like = frozenset(feats.items()), None if like is None else like.lower()
        form, why = self._answer(lemma, upos, wanted, like if self.always_asks(lemma, upos) else None)
        if form is None and why in self.undecided and like is not None:
            form, why = self._answer(lemma, upos, wanted, like)
        if form is None:
            self.refusals[why] += 1
        return form

    def analyses(self, form: str) -> frozenset[Analysis]:
        """All readings of a form (see `Inflector`)."""
        return self._readings(form)


def compatible(wanted: Feats, found: Feats, *, over: Collection[str] | None = None) -> bool:
    """Whether two sets of features agree wherever both speak; `over` limits what is compared.

    Examples
    --------
    >>> compatible({"Case": "Nom", "Gender": "Fem"}, {"Case": "Acc,Nom"})
    True
    >>> compatible({"Case": "Nom", "Gender": "Fem"}, {"Gender": "Masc"}, over=["Case"])
    True
    """
    names = wanted.keys() & found.keys() if over is None else wanted.keys() & found.keys() & set(over)
    return all(wanted[name] == found[name] or _shared(wanted[name], found[name]) for name in names)


def _shared(first: str, second: str) -> bool:
    return bool(set(first.split(",")) & set(second.split(",")))


def agrees(inflector: Inflector, first: str, second: str, features: Collection[str]) -> bool:
    """Whether two forms have readings that agree in these features, whatever a parser said of them.

    A reading that lacks one of the features does not disagree in it (a noun has no Person, say), but two forms of
    which no readings share even one of the features have nothing to agree in, and do not.
    """
    wanted = frozenset(features)
    left = {_limited(one.feats, wanted) for one in inflector.analyses(first)}
    right = {_limited(one.feats, wanted) for one in inflector.analyses(second)}
    return any(a.keys() & b.keys() and compatible(a, b) for a in map(dict, left) for b in map(dict, right))


def _limited(feats: Feats, names: frozenset[str]) -> frozenset[tuple[str, str]]:
    return frozenset((name, value) for name, value in feats.items() if name in names)


@cache
def inflector(language: str) -> Inflector:
    """The inflector of a language; made once, so that what it remembers serves everybody.

    Raises
    ------
    KostraError
        Where no inflector for the language is written, or its extra is not installed.

    Examples
    --------
    >>> inflector("pl").inflect("pies", "NOUN", {"Case": "Gen", "Number": "Sing"})
    'psa'
    >>> inflector("xx")
    Traceback (most recent call last):
    kostra.errors.KostraError: unknown language with an inflector "xx"
      accepted: cs, en, pl
    """
    if language not in languages():
        raise unknown("language with an inflector", language, languages())
    return cast(Inflector, import_module(f"kostra.transforms.{language}.inflection").make())


def languages() -> list[str]:
    """The languages that have an inflector."""
    found = find_spec("kostra.transforms")
    homes = found.submodule_search_locations if found and found.submodule_search_locations else []
    return sorted(file.parent.name for home in homes for file in Path(home).glob("*/inflection.py"))

"""Texts in, proposals out: by a hunspell dictionary, or by Korektor.

A word that is written as names are, a number, an address or a tag is no proposal; what was passed over is counted.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from kostra.errors import KostraError, extra_needed, some
from kostra.sources.spelling.dictionaries import Dictionary
from kostra.sources.spelling.korektor import Korektor
from kostra.sources.spelling.proposals import Proposal
from kostra.sources.spelling.suggestions import Vocabulary, suggestions, vocabulary
from kostra.sources.spelling.words import Word, joined, looks_like_a_name, words
from kostra.steps import Progress, silent

_CAPITAL_NOUNS = frozenset({"de", "lb"})
"""Languages in which every noun has a capital, so that a capital makes no name."""
_EVERY = 1_000
"""Texts after which progress is told."""


@dataclass
class Checked:
    """What a checker found in some texts."""

    proposals: list[list[Proposal]] = field(default_factory=list)
    """Those of each text, by place and rank."""
    words: int = 0
    """Words that were looked at."""
    passed: Counter[str] = field(default_factory=Counter)
    """What is no proposal by its kind: name, number, address, tag; how often."""
    helpless: Counter[str] = field(default_factory=Counter)
    """Misspelt words for which there is no proposal."""

    @property
    def misspelt(self) -> int:
        """How many places have a proposal."""
        return sum(len({one.start for one in found}) for found in self.proposals)

    def told(self, checker: Checker) -> list[tuple[str, str]]:
        """What there is to tell about the check: (kind, message)."""
        sentences = sum(bool(one) for one in self.proposals)
        told = [
            ("checker", checker.describe()),
            ("proposals", f"{self.misspelt:,} of {self.words:,} words have proposals, in {sentences:,} sentences"),
        ]
        if self.passed:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in self.passed.most_common())
            told.append(("passed_over", f"passed over by their look: {kinds}"))
        if self.helpless:
            listed = some(f"{word} ({count})" for word, count in self.helpless.most_common())
            told.append(("helpless", f"unknown words without any proposal: {self.helpless.total():,}: {listed}"))
        return told


def lacking() -> KostraError | None:
    """Which package of the extra ``spell`` is not installed, found without loading any."""
    for module, package in (("hunspell", "chunspell"), ("symspellpy", "symspellpy"), ("wordfreq", "wordfreq")):
        if importlib.util.find_spec(module) is None:
            return extra_needed(package, "spell", purpose="checking spelling")
    return None


class Checker(Protocol):
    """What turns texts into proposals."""

    name: str

    def check(self, texts: Sequence[str], *, progress: Progress = silent) -> Checked:
        """The proposals for each text."""

    def describe(self) -> str:
        """What was asked, with its version as far as it is known."""


class HunspellChecker:
    """Words that a dictionary does not know, with ranked suggestions."""

    name = "hunspell"

    def __init__(self, dictionary: Dictionary, *, language: str, most: int = 1) -> None:
        self.dictionary = dictionary
        self.language = language.replace("-", "_").partition("_")[0]
        self.most = most
        self._known: dict[str, bool] = {}
        self._proposed: dict[str, list[str]] = {}

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary(self.language)  # seconds of work, so only once a word is misspelt

    def describe(self) -> str:
        """The dictionary's file, by its name: where it lies on this machine is nobody's business, and changes."""
        return f"hunspell with {self.dictionary.path.name}"

    def check(self, texts: Sequence[str], *, progress: Progress = silent) -> Checked:
        """Propose for every unknown word; one that is written as a name in any of the texts is a name in all."""
        found = Checked()
        suspects = [list(self._suspects(text, found)) for text in texts]
        capitals = self.language in _CAPITAL_NOUNS
        names = {
            one.text
            for text, those in zip(texts, suspects, strict=True)
            for one in those
            if looks_like_a_name(text, one, nouns_have_capitals=capitals)
        }
        for done, those in enumerate(suspects, 1):
            found.proposals.append([])
            for one in those:
                if one.text in names:
                    found.passed["name"] += 1
                    continue
                proposed = self.suggestions(one.text)
                found.proposals[-1] += [
                    Proposal(one.start, one.text, other, rank) for rank, other in enumerate(proposed, 1)
                ]
                if not proposed:
                    found.helpless[one.text] += 1
            if done % _EVERY == 0 or done == len(texts):
                progress(done, len(texts))
        return found

    def _suspects(self, text: str, found: Checked) -> Iterator[Word]:
        """The words of a text that the dictionary does not know."""
        for one in words(text):
            if one.kind != "word":
                found.passed[one.kind] += 1
                continue
            found.words += 1
            if len(one.text) > 1 and not self.known(one.text) and not self._known_as_a_whole(text, one):
                yield one

    def known(self, word: str) -> bool:
        """Whether the dictionary knows a word, or what stands before its genitive *'s*."""
        if word not in self._known:
            stem, mark, ending = word.replace("’", "'").rpartition("'")
            genitive = bool(mark) and ending == "s" and self.dictionary.known(stem)
            self._known[word] = genitive or self.dictionary.known(word)
        return self._known[word]

    def _known_as_a_whole(self, text: str, word: Word) -> bool:
        whole = joined(text, word)
        return whole != word.text and self.dictionary.known(whole)

    def suggestions(self, word: str) -> list[str]:
        """The best proposals for a word, remembered."""
        if word not in self._proposed:
            self._proposed[word] = suggestions(word, self.dictionary, self._vocabulary, most=self.most)
        return self._proposed[word]


class KorektorChecker:
    """What Korektor would change."""

    name = "korektor"

    def __init__(self, service: Korektor, *, most: int = 1) -> None:
        self.service = service
        self.most = most

    def describe(self) -> str:
        """The service's address and model."""
        return f"korektor at {self.service.url}, model {self.service.answered_by or self.service.model or 'default'}"

    def check(self, texts: Sequence[str], *, progress: Progress = silent) -> Checked:
        """Ask the service, and pass over what is no word."""
        found = Checked()
        for text, proposed in zip(texts, self.service.proposals(texts, most=self.most, progress=progress), strict=True):
            kinds = dict(self._not_words(text, found))
            kept = [one for one in proposed if one.start not in kinds]
            found.passed.update(kinds[start] for start in {one.start for one in proposed} & kinds.keys())
            found.proposals.append(kept)
        return found

    def _not_words(self, text: str, found: Checked) -> Iterator[tuple[int, str]]:
        """The places of names, numbers, addresses and tags."""
        for one in words(text):
            if one.kind != "word":
                for place in range(one.start, one.end):
                    yield place, one.kind
                continue
            found.words += 1
            if looks_like_a_name(text, one):
                yield one.start, "name"


def korektor_checker(language: str, *, url: str, model: str | None, most: int) -> KorektorChecker:
    """A checker by the service, whose default model is for Czech alone."""
    if model is None and language.replace("-", "_").partition("_")[0] != "cs":
        what = f'the service\'s default model is Czech, and the sentences are in "{language}"'
        raise KostraError(what, where=url, remedy="name a model, or use the checker hunspell")
    return KorektorChecker(Korektor(url, model=model), most=most)

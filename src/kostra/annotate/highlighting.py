"""Words of one sentence marked in other texts, so that the eye finds what may be related.

Two words belong together if they are inflected forms of one. With a lemmatiser (the package ``simplemma``, if it is
installed and knows the language) that is asked of it; otherwise two words belong together if they begin alike, which
in languages that inflect at the end is right most of the time.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from typing import Any

Segments = list[tuple[str, str]]
"""Parts of a text with a mark each: the empty mark, or ``mark``."""
Mark = Callable[[str], Segments]

_WORD = re.compile(r"\w+")
_SHORTEST = 4
"""Letters below which only the same word is marked: prepositions and pronouns begin like everything."""


def begin_alike(first: str, second: str) -> bool:
    """Whether two words may be forms of one: they share a beginning of four letters and most of the shorter word.

    Examples
    --------
    >>> begin_alike("hradu", "hradem"), begin_alike("hrad", "hrabě"), begin_alike("na", "náš")
    (True, False, False)
    >>> begin_alike("prezident", "prezentace")
    False
    """
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) < _SHORTEST or any(char.isdigit() for char in first + second):
        return False
    shared = next((place for place, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return shared >= max(_SHORTEST, len(shorter) - 3, len(longer) / 2)


def marker(sentence: str, *, language: str = "") -> Mark:
    """A function that marks the words of a sentence in a text; words of one or two letters are not marked.

    Examples
    --------
    >>> marker("Na hradě hořelo.")("Oheň na hradu hoří.")
    [('Oheň na ', ''), ('hradu', 'mark'), (' hoří.', '')]
    """
    lemma = lemmatiser(language) if language else None
    seen = {word for word in _WORD.findall(sentence.casefold()) if len(word) > 2 or word.isdigit()}
    lemmas = {lemma(word) for word in seen} if lemma else set()

    @cache
    def belongs(word: str) -> bool:
        if lemma:
            return word in seen or ((len(word) > 2 or word.isdigit()) and lemma(word) in lemmas)
        return any(begin_alike(word, other) for other in seen)

    def mark(text: str) -> Segments:
        parts: Segments = []
        end = 0
        for found in _WORD.finditer(text):
            if belongs(found.group().casefold()):
                if found.start() > end:
                    parts.append((text[end : found.start()], ""))
                parts.append((found.group(), "mark"))
                end = found.end()
        return [*parts, (text[end:], "")] if end < len(text) else parts

    return mark


def unmarked(text: str) -> Segments:
    """The text as it is, where the recipe asks for no marks."""
    return [(text, "")]


def lemmatiser(language: str) -> Callable[[str], str] | None:
    """The lemma of a word, if ``simplemma`` is installed and knows the language."""
    try:
        simplemma: Any = importlib.import_module("simplemma")
    except ImportError:
        return None
    try:
        simplemma.lemmatize("a", lang=language)
    except ValueError:
        return None
    return lambda word: str(simplemma.lemmatize(word, lang=language)).casefold()

"""Reasons to remove a sentence: each a function from texts to one verdict a text, None where it stays.

A verdict is a word or two that an example shows: the number of words, the language found, the word that is not wanted.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version

from kostra.errors import extra_needed
from kostra.text import WORDS_VERSION, words

Verdicts = list[str | None]

TOKENS: Mapping[str, Callable[[str], list[str]]] = {WORDS_VERSION: words, "blanks-1": str.split}
r"""Ways to cut a sentence into words, each under a name that tells its version: runs of ``\w``, or what stands between
blanks. A change of one is a new name."""


def by_length(
    texts: Sequence[str], *, least: int = 0, most: int | None = None, tokens: str = WORDS_VERSION
) -> Verdicts:
    """Texts with fewer words than `least` or more than `most`, with the number they have.

    Examples
    --------
    >>> by_length(["one", "one two", "one two three"], least=2, most=2)
    ['1', None, '3']
    """
    lengths = [len(TOKENS[tokens](text)) for text in texts]
    return [str(n) if n < least or (most is not None and n > most) else None for n in lengths]


def by_characters(texts: Sequence[str], *, most: int) -> Verdicts:
    """Texts of more characters than `most`.

    Examples
    --------
    >>> by_characters(["short", "rather long"], most=5)
    [None, '11 characters']
    """
    return [f"{len(text):,} characters" if len(text) > most else None for text in texts]


def by_language(languages: Sequence[str], *, wanted: Sequence[str]) -> Verdicts:
    """Texts whose declared language is another.

    Examples
    --------
    >>> by_language(["cs", "sk"], wanted=["cs"])
    [None, 'sk']
    """
    return [None if language in wanted else language for language in languages]


def by_detected_language(texts: Sequence[str], languages: Sequence[str], *, least: int) -> Verdicts:
    """Texts that look like another language than they are declared to be.

    Texts of fewer words than `least` are not looked at: too little to tell by. Needs ``py3langid``.
    """
    classify = _detector()
    found = [classify(text)[0] if len(words(text)) >= least else None for text in texts]
    return [
        f"looks like {one}" if one is not None and one != language else None
        for one, language in zip(found, languages, strict=True)
    ]


def detector() -> str:
    """The name and version of what detects languages, for the manifest."""
    _detector()
    return f"py3langid {version('py3langid')}"


def _detector() -> Callable[[str], tuple[str, float]]:
    try:
        found: Callable[[str], tuple[str, float]] = import_module("py3langid").classify
    except ImportError:
        raise extra_needed("py3langid", "detect", purpose="detecting languages") from None
    return found


def by_repetition(texts: Sequence[str], names: Sequence[str], *, key: Callable[[str], str] = str) -> Verdicts:
    """Texts that repeat an earlier one; those that are alike once `key` is taken count as repeated.

    Examples
    --------
    >>> by_repetition(["A cat.", "A cat.", "A cat"], ["x", "y", "z"])
    [None, 'like x', None]
    >>> from kostra.text import bare
    >>> by_repetition(["A cat.", "A cat.", "A cat"], ["x", "y", "z"], key=bare)
    [None, 'like x', 'like x']
    """
    first: dict[str, str] = {}
    return [
        None if (before := first.setdefault(key(text), name)) == name else f"like {before}"
        for text, name in zip(texts, names, strict=True)
    ]


def by_shared_words(
    texts: Sequence[str], names: Sequence[str], *, share: float, tokens: str = WORDS_VERSION
) -> Verdicts:
    """Texts whose words overlap with an earlier text that stays by a Dice coefficient of `share` or more.

    Exact, and without looking at all pairs: two sets of which one has n words can reach Dice d only if they share
    at least n · d / (2 − d) words, so one of its rarest n − ⌈that⌉ + 1 words must be shared (prefix filter: Chaudhuri,
    Ganti and Kaushik 2006, "A primitive operator for similarity joins in data cleaning").

    Examples
    --------
    >>> by_shared_words(["the cat sat down", "the cat sat", "a dog"], ["x", "y", "z"], share=0.8)
    [None, 'like x (0.86)', None]
    """
    sets = [frozenset(TOKENS[tokens](text)) for text in texts]
    often = Counter(word for one in sets for word in one)
    # Kept sets by one of their rarest words and by their size: those of other sizes cannot be alike.
    index: dict[tuple[str, int], list[int]] = {}
    verdicts: Verdicts = []
    for row, one in enumerate(sets):
        least = math.ceil(len(one) * share / (2 - share) - 1e-9)
        sizes = range(least, math.floor(len(one) * (2 - share) / share + 1e-9) + 1)
        rarest = sorted(one, key=lambda word: (often[word], word))[: len(one) - least + 1] if one else []
        near = {other for word in rarest for size in sizes for other in index.get((word, size), ())}
        like = min((other for other in near if _dice(one, sets[other]) >= share), default=None)
        if like is None:
            for word in rarest:
                index.setdefault((word, len(one)), []).append(row)
        verdicts.append(None if like is None else f"like {names[like]} ({_dice(one, sets[like]):.2f})")
    return verdicts


def _dice(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / (len(first) + len(second))


def by_script(texts: Sequence[str], *, allowed: Sequence[str]) -> Verdicts:
    """Texts with a letter of another script, by the first word of its Unicode name (latin, cyrillic, greek, …).

    Examples
    --------
    >>> by_script(["Kůň", "Конь"], allowed=["latin"])
    [None, 'cyrillic "К"']
    """
    return [next((f'{_script(c)} "{c}"' for c in text if _script(c) not in (None, *allowed)), None) for text in texts]


@cache
def _script(char: str) -> str | None:
    """The script of a letter; None for what is no letter, or belongs to all scripts (modifiers, ª)."""
    if unicodedata.category(char) not in ("Lu", "Ll", "Lt", "Lo"):
        return None
    first = unicodedata.name(char, "UNNAMED").split()[0].casefold()
    return None if first in ("feminine", "masculine", "micro") else first


def by_letters(texts: Sequence[str], *, least: float) -> Verdicts:
    """Texts of which a smaller share than `least` of the characters, blanks aside, are letters.

    Examples
    --------
    >>> by_letters(["abc!", "1 : 0 (1 : 0)"], least=0.5)
    [None, '0% letters']
    """
    verdicts: Verdicts = []
    for text in texts:
        seen = "".join(text.split())
        share = sum(char.isalpha() for char in seen) / len(seen) if seen else 0.0
        verdicts.append(f"{share:.0%} letters" if share < least else None)
    return verdicts


def by_word_list(texts: Sequence[str], *, unwanted: Iterable[str]) -> Verdicts:
    """Texts that contain a word of a list, or a phrase of it, in any case.

    Examples
    --------
    >>> by_word_list(["Damn it!", "A dam.", "Go to hell now."], unwanted=["damn", "go to hell"])
    ['damn', None, 'go to hell']
    """
    phrases = {tuple(words(one)): one for one in unwanted}
    lengths = sorted({len(phrase) for phrase in phrases if phrase})
    verdicts: Verdicts = []
    for text in texts:
        said = words(text)
        stretches = (tuple(said[at : at + n]) for n in lengths for at in range(len(said) - n + 1))
        verdicts.append(next((phrases[one] for one in stretches if one in phrases), None))
    return verdicts

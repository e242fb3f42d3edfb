"""Tokens, lexical overlap and string identity: everything that looks only at the letters of a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

WORDS_VERSION = "words-1"
"""Name of the tokenisation below; recorded in manifests, so that a change is visible."""

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    r"""Lower-cased runs of word characters (the pattern ``\w+``).

    With these tokens the Dice coefficient reproduces the figures of STR-2021 (Spearman .571).

    Examples
    --------
    >>> words("It's 5 o'clock.")
    ['it', 's', '5', 'o', 'clock']
    """
    return _WORD.findall(text.lower())


def dice(first: Iterable[str], second: Iterable[str]) -> float:
    """Dice coefficient of two token sets: twice the shared types over the sum of types (STR-2021, eq. 1).

    Two empty sentences share nothing, so their overlap is 0.

    Examples
    --------
    >>> dice(["a", "b", "c"], ["b", "c", "d"])  # 2·2 / (3 + 3)
    0.6666666666666666
    """
    left, right = set(first), set(second)
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


def shared_share(first: Iterable[str], second: Iterable[str]) -> float:
    """Share of the first sentence's types that the second has too (STR-2021, appendix A).

    Examples
    --------
    >>> shared_share(["a", "b", "c", "d"], ["d", "e"])
    0.25
    """
    left = set(first)
    return len(left & set(second)) / len(left) if left else 0.0


def bare(text: str) -> str:
    """The text without white space and punctuation: what must differ for two texts to be two items.

    Signs such as ``$`` and ``+`` count as punctuation, emoji do not. A text that has nothing else keeps its
    punctuation, so that "?" and "!" stay apart. Case is kept: "Polish" and "polish" are two words.

    Examples
    --------
    >>> bare("A cat ,  sat.") == bare("A cat, sat")
    True
    >>> bare("?!")
    '?!'
    """
    kept = "".join(char for char in text if not _ignored(char))
    return kept or "".join(text.split())


@cache
def _ignored(char: str) -> bool:
    category = unicodedata.category(char)
    skin_tone = "\U0001f3fb" <= char <= "\U0001f3ff"  # a modifier by its category, but part of an emoji
    return category[0] in "ZPC" or (category in ("Sc", "Sm", "Sk") and not skin_tone)


@dataclass(frozen=True)
class NearDuplicates:
    """Different strings that are the same once white space and punctuation are ignored."""

    texts: tuple[str, ...]
    lines: tuple[int, ...]
    """For each text, the line on which it stands first."""


def near_duplicates(
    texts: Sequence[str], lines: Sequence[int], *, key: Callable[[str], str] = bare
) -> list[NearDuplicates]:
    """Group distinct strings that differ only in white space and punctuation, in order of appearance.

    Strings belong together if `key` makes them one.

    Examples
    --------
    >>> near_duplicates(["a b", "ab", "c", "a b"], [2, 3, 4, 5])
    [NearDuplicates(texts=('a b', 'ab'), lines=(2, 3))]
    """
    first_line: dict[str, int] = {}
    for text, line in zip(texts, lines, strict=True):
        first_line.setdefault(text, line)
    groups: dict[str, list[str]] = {}
    for text in first_line:
        groups.setdefault(key(text), []).append(text)
    return [
        NearDuplicates(tuple(group), tuple(first_line[text] for text in group))
        for group in groups.values()
        if len(group) > 1
    ]

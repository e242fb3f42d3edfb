"""Which parts of a text are words that a dictionary may be asked about, and which are names, numbers or addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "number", "address", "tag"]

_TOKEN = re.compile(
    r"""
    (?P<address>
        (?:https?://|www\.)\S+
        | [\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+                       # bounds, or long texts take long
        | [\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|org|net|eu|cz|pl|uk)\b
    )
    | (?P<tag>[#@]\w+)
    | (?P<number>[\w'’]*[\d_][\w'’]*)           # what holds a digit or an underscore is no word of a dictionary
    | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)
    """,
    re.VERBOSE,
)
_ENDS = ".!?…:"
_BETWEEN = " \t\n\r\u00a0\u202f\"'„“”‚‘’«»‹›()[]–—-•*"
"""What may stand between the end of one sentence and the first letter of the next."""


@dataclass(frozen=True, slots=True)
class Word:
    """A part of a text, with its place."""

    text: str
    start: int
    kind: Kind = "word"

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.start + len(self.text)


def words(text: str) -> Iterator[Word]:
    """The words of a text and what stands in the place of words; parts of a word with hyphens come one by one.

    Examples
    --------
    >>> [(one.text, one.start) for one in words("A well-fed cat’s nap.")]
    [('A', 0), ('well', 2), ('fed', 7), ('cat’s', 11), ('nap', 17)]
    >>> [(one.text, one.kind) for one in words("B12 www.example.org/x #cats")]
    [('B12', 'number'), ('www.example.org/x', 'address'), ('#cats', 'tag')]
    """
    for match in _TOKEN.finditer(text):
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # the groups are named after the kinds
        yield Word(match.group(), match.start(), kind)


def joined(text: str, word: Word) -> str:
    """The whole that a word is part of: itself, or what hyphens join it with.

    Examples
    --------
    >>> joined("Je-li to tak", Word("li", 3))
    'Je-li'
    """
    start, end = word.start, word.end
    while start > 1 and text[start - 1] == "-" and text[start - 2].isalpha():
        start -= 1
        while start > 0 and text[start - 1].isalpha():
            start -= 1
    while end < len(text) - 1 and text[end] == "-" and text[end + 1].isalpha():
        end += 1
        while end < len(text) and text[end].isalpha():
            end += 1
    return text[start:end]


def begins_sentence(text: str, start: int) -> bool:
    """Whether a word at this place is the first of a sentence, where every word has a capital.

    Examples
    --------
    >>> begins_sentence("„Ano.“ Pak šel Petr.", 7), begins_sentence("„Ano.“ Pak šel Petr.", 15)
    (True, False)
    """
    before = text[:start].rstrip(_BETWEEN)
    return not before or before[-1] in _ENDS


def looks_like_a_name(text: str, word: Word, *, nouns_have_capitals: bool = False) -> bool:
    """Whether a word is written as names and abbreviations are: a capital inside, or one that no sentence begins with.

    Examples
    --------
    >>> said = "Brno and NATO met iPhone near Prahha."
    >>> [one.text for one in words(said) if looks_like_a_name(said, one)]
    ['NATO', 'iPhone', 'Prahha']
    """
    if any(letter.isupper() for letter in word.text[1:]):
        return True
    return word.text[0].isupper() and not nouns_have_capitals and not begins_sentence(text, word.start)

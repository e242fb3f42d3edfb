"""Words that a hunspell dictionary does not know, for the marks under a rewrite while it is typed.

The dictionary is the project's own (``phase.spelling``: the path of a .dic file with its .aff beside it). The checker
comes with the extra ``spell`` and is loaded when the first text is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kostra.sources.spelling import dictionaries
from kostra.sources.spelling.words import words

Known = Callable[[str], bool]
"""Whether a word is spelt as the dictionary has it."""

LONGEST = 10_000


def misspelt(text: str, known: Known) -> list[dict[str, object]]:
    """The words that are not known, with their places counted as JavaScript counts (in UTF-16 units).

    Examples
    --------
    >>> misspelt("A catt sat.", {"A", "cat", "sat"}.__contains__)
    [{'start': 2, 'end': 6, 'word': 'catt'}]
    >>> misspelt("😀 catt", {"cat"}.__contains__)
    [{'start': 3, 'end': 7, 'word': 'catt'}]
    """
    found: list[dict[str, object]] = []
    for one in words(text[:LONGEST]):
        if one.kind == "word" and not known(one.text.replace("’", "'")):
            before = _units(text[: one.start])
            found.append({"start": before, "end": before + _units(one.text), "word": one.text})
    return found


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def dictionary(path: Path) -> Known:
    """Load a hunspell dictionary by the path of its .dic file.

    Raises
    ------
    KostraError
        If a file is missing, or the extra ``spell`` is not installed.
    """
    return dictionaries.dictionary(path).known

"""Words that a hunspell dictionary does not know, for the marks under a rewrite while it is typed.

The dictionary is the project's own (``phase.spelling``: the path of a .dic file with its .aff beside it). The checker
comes with the extra ``spell`` and is loaded when the first text is checked.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from kostra import files
from kostra.errors import KostraError, extra_needed

Known = Callable[[str], bool]
"""Whether a word is spelt as the dictionary has it."""

# Letters with apostrophes inside; what holds a digit is no word that a dictionary could know.
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TOKEN = re.compile(r"[\w'’]+")
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
    for token in _TOKEN.finditer(text[:LONGEST]):
        for word in _WORD.finditer(token.group()):
            whole = word.group() == token.group().strip("'’")
            if whole and not known(word.group().replace("’", "'")):
                start = token.start() + word.start()
                before = _units(text[:start])
                found.append({"start": before, "end": before + _units(word.group()), "word": word.group()})
    return found


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@lru_cache(maxsize=8)
def dictionary(path: Path) -> Known:
    """Load a hunspell dictionary by the path of its .dic file.

    Raises
    ------
    KostraError
        If a file is missing, or the extra ``spell`` is not installed.
    """
    for part in (path, path.with_suffix(".aff")):
        if not part.is_file():
            raise KostraError(
                "there is no such file",
                where=files.shown(part),
                accepted="a hunspell .dic file with its .aff beside it",
            )
    try:
        hunspell: Any = importlib.import_module("hunspell")  # the module that the package chunspell brings
    except ImportError as error:
        raise extra_needed("chunspell", "spell", purpose="marking misspelt words") from error
    loaded = hunspell.Hunspell(path.stem, hunspell_data_dir=str(path.parent))
    return lambda word: bool(loaded.spell(word))

"""Spacing, needless commas and capitals, as an edit leaves them behind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .words import Word

CLOSING = frozenset(",.;:!?…)]}»”’%")
"""Signs that stand without a blank behind what precedes them."""
OPENING = frozenset("([{«„“‘")
"""Signs that stand without a blank before what follows them."""
FINAL = frozenset(".!?…")
_SIGNS = CLOSING | OPENING


def without_needless_commas(words: Sequence[Word]) -> Sequence[Word]:
    """Drop a comma at the beginning, before another comma, before a final sign, or behind an opening bracket."""
    if "," not in [word.form for word in words]:
        return words
    kept: list[Word] = []
    for word in words:
        if word.upos == "PUNCT":
            if word.form == "," and (not kept or kept[-1].form in (",", *OPENING)):
                continue
            if word.form in FINAL or word.form in (")", ";", "»", "”"):
                while kept and kept[-1].form == ",":
                    kept.pop()
        kept.append(word)
    return kept


_AS_IT_WAS = frozenset("-–—/\"'")
"""Signs that may stand with or without blanks: the inside of a compound, straight quotation marks."""


def spaced(words: Sequence[Word]) -> list[Word]:
    """Glue closing signs to what precedes them and opening signs to what follows; part other words with a blank."""
    spaced = list(words)
    # Only a sign, the word before one, and a word that was glued can have to change.
    signs = [place for place, word in enumerate(words) if word.form in _SIGNS or word.misc != "_"]
    last = len(spaced) - 1
    for place in dict.fromkeys([near for place in signs for near in (place - 1, place) if near >= 0]):
        word = spaced[place]
        form, misc = word.form, word.misc
        following = spaced[place + 1].form if place < last else ""
        glued = following in CLOSING or form in OPENING
        is_glued = misc != "_" and "SpaceAfter=No" in misc
        if glued != is_glued and not (is_glued and (form in _AS_IT_WAS or following in _AS_IT_WAS)):
            spaced[place] = word.but(misc=_glued(misc, glued))
    return spaced


@lru_cache(maxsize=1024)
def _glued(misc: str, glued: bool) -> str:
    entries = [entry for entry in misc.split("|") if entry not in ("_", "SpaceAfter=No")]
    entries += ["SpaceAfter=No"] if glued else []
    return "|".join(entries) or "_"


def capitalised(words: list[Word], first_was: int) -> list[Word]:
    """Give the first word its capital, and take it from the word that was the first, unless it is a name."""
    start = 0
    for place, word in enumerate(words):
        if word.upos != "PUNCT":
            start = place
            break
    if not words:
        return words
    first = words[start]
    if first.form[:1].islower():
        words[start] = first.but(form=first.form[0].upper() + first.form[1:])
    if first.id != first_was:
        for place, word in enumerate(words):
            if word.id == first_was and place != start and is_capital_by_place(word):
                words[place] = word.but(form=word.form[0].lower() + word.form[1:])
    return words


def is_capital_by_place(word: Word) -> bool:
    """Whether a word has its capital only because it begins the sentence: not a name, not an abbreviation.

    Examples
    --------
    >>> is_capital_by_place(Word(1, "Cats", "cat", "NOUN")), is_capital_by_place(Word(1, "Oslo", "Oslo", "PROPN"))
    (True, False)
    """
    form = word.form
    if not form[:1].isupper() or word.upos == "PROPN" or (len(form) > 1 and form[1:2].isupper()):
        return False
    return not word.lemma[:1].isupper() or word.lemma == "_"

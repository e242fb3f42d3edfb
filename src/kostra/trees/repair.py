"""Spacing, needless commas and capitals, as an edit leaves them behind."""

from __future__ import annotations

from collections.abc import Sequence

from .words import Word

CLOSING = frozenset(",.;:!?…)]}»”’%")
"""Signs that stand without a blank behind what precedes them."""
OPENING = frozenset("([{«„“‘")
"""Signs that stand without a blank before what follows them."""
FINAL = frozenset(".!?…")


def without_needless_commas(words: Sequence[Word]) -> Sequence[Word]:
    """Drop a comma at the beginning, before another comma, before a final sign, or behind an opening bracket."""
    if not any(word.form == "," for word in words):
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
    last = len(spaced) - 1
    for place, word in enumerate(spaced):
        following = spaced[place + 1].form if place < last else ""
        glued = word.form in OPENING or following in CLOSING
        is_glued = word.misc != "_" and "SpaceAfter=No" in word.misc
        if glued != is_glued and not (is_glued and (word.form in _AS_IT_WAS or following in _AS_IT_WAS)):
            spaced[place] = _glued(word, glued)
    return spaced


def _glued(word: Word, glued: bool) -> Word:
    entries = [entry for entry in word.misc.split("|") if entry not in ("_", "SpaceAfter=No")]
    entries += ["SpaceAfter=No"] if glued else []
    return word.but(misc="|".join(entries) or "_")


def capitalised(words: list[Word], first_was: int) -> list[Word]:
    """Give the first word its capital, and take it from the word that was the first, unless it is a name."""
    start = next((place for place, word in enumerate(words) if word.upos != "PUNCT"), 0)
    if words and words[start].form[:1].islower():
        words[start] = words[start].but(form=words[start].form[0].upper() + words[start].form[1:])
    if words and words[start].id != first_was:
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

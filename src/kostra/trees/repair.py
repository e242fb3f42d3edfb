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
    kept: list[Word] = []
    for word in words:
        if word.upos == "PUNCT" and word.head:  # a comma that a parser made the root holds the tree together
            if word.form == "," and (not kept or kept[-1].form in (",", *OPENING)):
                continue
            if word.form in FINAL or word.form in (")", ";", "»", "”"):
                while kept and kept[-1].form == "," and kept[-1].head:
                    kept.pop()
        kept.append(word)
    if len(kept) == len(words):
        return kept
    left = {word.id for word in kept}
    gone = {word.id: word.head for word in words if word.id not in left}
    for place, word in enumerate(kept):
        head = word.head
        while head in gone:  # a parser may have hung something on a comma
            head = gone[head]
        if head != word.head:
            kept[place] = word.but(head=head)
    return kept


_AS_IT_WAS = frozenset("-–—/\"'")
"""Signs that may stand with or without blanks: the inside of a compound, straight quotation marks."""
_MAY_OPEN = OPENING | _AS_IT_WAS


def repaired(words: Sequence[Word], *, first_was: int | None) -> list[Word]:
    """Without needless commas, spaced and capitalised."""
    signs = _signs(words)
    if "," in [words[place].form for place in signs]:
        words = without_needless_commas(words)
        signs = _signs(words)
    first = min([word.id for word in words], default=0) if first_was is None else first_was
    return capitalised(_spaced(words, signs), first)


def _signs(words: Sequence[Word]) -> list[int]:
    """The places of signs, and of words whose spacing is said."""
    return [place for place, word in enumerate(words) if word.misc != "_" or word.form in _SIGNS]


def _spaced(words: Sequence[Word], signs: Sequence[int]) -> list[Word]:
    """Glue closing signs to what precedes them and opening signs to what follows; part other words with a blank."""
    spaced = list(words)
    last = len(spaced) - 1
    low = False
    closing = frozenset([place for place, word in enumerate(words) if word.form == '"'][1::2])
    for place in signs:
        word = spaced[place]
        form = word.form
        if form == "„":
            low = True
        elif low and form == "“":
            form, low = "”", False  # what opens an English quotation closes a Czech one
        if place and form in CLOSING and not (before := spaced[place - 1]).glued:
            spaced[place - 1] = before.but(misc=_glued(before.misc, True))
        following = spaced[place + 1].form if place < last else ""
        following = "”" if low and following == "“" else following
        if not word.glued:
            if form in OPENING:
                spaced[place] = word.but(misc=_glued(word.misc, True))
        elif place in closing and following[:1].isalnum():
            spaced[place] = word.but(misc=_glued(word.misc, False))  # what closes a quotation, before another word now
        elif following not in CLOSING and form not in _MAY_OPEN and following not in _AS_IT_WAS:
            # What was written as one (S&P) stays so while it stands together; two words never do.
            together = place < last and spaced[place + 1].id == word.id + 1
            if not together or (form[-1].isalnum() and following[0].isalnum()):
                spaced[place] = word.but(misc=_glued(word.misc, False))
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

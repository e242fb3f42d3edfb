"""Whether a tree is one plain statement: what no rule can be trusted with is not touched, and counted."""

from __future__ import annotations

import re

from kostra.trees import Tree

_UNUSUAL = re.compile(r"""[@#*!?…"'„“”’«»()\[\]`:]|www\.|\.(?!$)""")
"""What a sentence must have for anything below to be worth asking: most have nothing of it."""
_ADDRESS = re.compile(r"[@#]\w|https?:|www\.")
_INSIDE = frozenset({"!", "?", "…", "...", "?!", "!!", "!!!", "....", ":)", ":-)"})
"""Marks that only end a sentence."""
_BLANKS = frozenset({"#", "*"})
"""Marks that some corpora have in place of numbers and names."""
_CLOSING = frozenset({'"', "'", "''", "“", "”", "’", "«", "»", ")", "]"})
_PAIRS = (("„", "“"), ("“", "”"), ("``", "''"), ("(", ")"), ("[", "]"))
_SHORTEST = 4
"""Letters of the shortest word whose full stop is taken for one, not for an abbreviation's."""


def not_plain(tree: Tree) -> str | None:
    """Why a tree is no plain statement, or None.

    Addresses, several sentences at once, quotation marks without a pair; and questions, which say nothing that another
    sentence could follow from or contradict.

    Examples
    --------
    >>> from kostra.trees import Tree, Word
    >>> def said(*forms):
    ...     return Tree(
    ...         tuple(
    ...             Word(number, form, form, "X", head=min(number - 1, 1), deprel="dep")
    ...             for number, form in enumerate(forms, 1)
    ...         )
    ...     )
    >>> not_plain(said("Look", "@Tom", "."))
    'an address, a hashtag or a link'
    >>> not_plain(said("Dogs", "bark", ".", "Cats", "sleep", "."))
    'several sentences'
    >>> not_plain(said("Do", "dogs", "bark", "?"))
    'a question'
    >>> not_plain(said("Dogs", "bark", "."))
    """
    if not _UNUSUAL.search(tree.text):
        return None
    forms = [word.form for word in tree.words]
    if _ADDRESS.search(tree.text):
        return "an address, a hashtag or a link"
    if not _BLANKS.isdisjoint(forms):
        return "a mark in place of a word"
    while forms and (forms[-1] in _CLOSING or not any(map(str.isalnum, forms[-1]))):
        if "?" in forms.pop():
            return "a question"
    for place, form in enumerate(forms):
        if form in _INSIDE or (form == "." and _ends(forms, place)):
            return "several sentences"
    every = [word.form for word in tree.words]
    single = sum(word.form == "'" and word.upos == "PUNCT" for word in tree.words)  # elsewhere it is an apostrophe
    if single % 2 or every.count('"') % 2 or any(_parted(every, *pair) for pair in _PAIRS):
        return "a quotation mark or bracket without its pair"
    return None


def _ends(forms: list[str], place: int) -> bool:
    """Whether a full stop ends a sentence: behind a word, before a capital."""
    if not place or place + 1 >= len(forms):
        return False
    before, after = forms[place - 1], forms[place + 1]
    return len(before) >= _SHORTEST and before.isalpha() and after[:1].isupper()


def _parted(forms: list[str], opening: str, closing: str) -> bool:
    """Whether a mark lacks its pair; Czech closes with the mark that opens in English."""
    if (opening == "“" and "„" in forms) or (opening == "„" and "”" in forms):
        return False
    return forms.count(opening) != forms.count(closing)

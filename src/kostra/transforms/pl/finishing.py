"""What an edit may leave behind in Polish: *z* before *s*, a comma between subject and verb."""

from __future__ import annotations

from kostra.transforms.edits import exchanged
from kostra.trees import Tree, Word

_VOWELS = frozenset("aąeęioóuy")
_HISSING = ("s", "z", "ś", "ź", "ż", "wz", "ws", "wś", "mn", "lw", "lś", "łz", "rz", "dż", "dź", "szcz")
_LIPS = ("w", "f")
_LOOKED_AT = frozenset({"z", "ze", "w", "we", "Z", "Ze", "W", "We", ","})


def finish(tree: Tree) -> Tree:
    """Exchange *z* and *ze*, *w* and *we* where another word follows now; of two commas together keep one."""
    words = tree.words
    looked_at = [place for place, word in enumerate(words[:-1]) if word.form in _LOOKED_AT]
    changed: dict[int, Word | None] = {}
    for place in looked_at:
        word, following = words[place], words[place + 1]
        if word.form == ",":
            if following.form == ",":
                changed[place] = None
        elif following.id != word.id + 1:
            form = _vocalised(word.form, following.form.lower())
            if form != word.form:
                changed[place] = word.but(form=form)
    return exchanged(tree, changed)


def _vocalised(form: str, following: str) -> str:
    """*ze* before a cluster that begins with a hissing sound, *we* before one that begins with *w* or *f*.

    Examples
    --------
    >>> (
    ...     _vocalised("z", "skrzydłami"),
    ...     _vocalised("ze", "rozpostartymi"),
    ...     _vocalised("w", "wtorek"),
    ...     _vocalised("z", "sufitu"),
    ... )
    ('ze', 'z', 'we', 'z')
    """
    short = form[0]
    two = following[1:2] and following[1] not in _VOWELS
    cluster = following[:2] in ("sz", "cz", "rz", "dz", "dż", "dź", "ch")
    if cluster:
        two = following[2:3] != "" and following[2] not in _VOWELS
    if short.lower() == "z":
        needs = following.startswith(_HISSING) and bool(two)
        needs = needs or following.startswith(("wsz", "wst", "wsp", "mną", "lwem"))
    else:
        needs = following.startswith(_LIPS) and bool(two)
    return f"{short}e" if needs else short

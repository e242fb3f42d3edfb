"""What an edit may leave behind in Czech: clitics out of place, *s* before *s*, a comma beside another."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.cs.clitics import is_clitic, with_second_places
from kostra.transforms.edits import exchanged, is_unbroken
from kostra.trees import Tree, Word

_PAIRS = {"s": "se", "z": "ze", "v": "ve", "k": "ke"}
_SHORT = {long: short for short, long in _PAIRS.items()}
_LIKE = {"s": "szšž", "z": "szšž", "v": "vf", "k": "kg"}
"""Sounds before which a preposition takes its vowel."""
_CLUSTERS = {
    "s": ("mn", "dv", "vš", "vs", "vz", "čt", "lv", "lž", "rt", "sk", "st", "sp", "ps", "pš", "tř", "dř"),
    "z": ("mn", "dv", "vš", "vs", "vz", "čt", "lv", "lž", "rt", "ps", "tř", "dř", "tm", "dn"),
    "v": (
        "dv",
        "čt",
        "st",
        "sk",
        "sp",
        "sv",
        "mn",
        "tř",
        "šk",
        "šp",
        "št",
        "zd",
        "zl",
        "zv",
        "sm",
        "sl",
        "sn",
        "sb",
        "sch",
        "ps",
        "dř",
        "dn",
        "tm",
        "tv",
        "hř",
        "lž",
        "žl",
    ),
    "k": (
        "dv",
        "čt",
        "mn",
        "sk",
        "st",
        "šk",
        "vš",
        "vs",
        "vz",
        "zd",
        "zv",
        "sch",
        "sl",
        "sn",
        "sp",
        "sv",
        "ps",
        "tř",
        "dn",
    ),
}
"""Beginnings of words before which it usually does."""


def finish(tree: Tree) -> Tree:
    """Put clitics into the second place; exchange *s* and *se*, *v* and *ve*; of two commas together keep one."""
    tree = with_second_places(_subject_before_verb(_subject_before_auxiliary(tree)))
    words = tree.words
    changed: dict[int, Word | None] = {}
    for place, (word, following) in enumerate(pairwise(words)):
        if word.form == "," and following.form == ",":
            changed[place] = None
        elif word.upos == "ADP" and following.id != word.id + 1:
            form = vocalised(word.form, following.form.lower())
            if form != word.form:
                changed[place] = word.but(form=form)
    return exchanged(tree, changed)


def _subject_before_auxiliary(tree: Tree) -> Tree:
    """*V noci byl Petr vyslán* without *v noci*: *Petr byl vyslán*."""
    first = next((word for word in tree.words if word.upos != "PUNCT"), None)
    if first is None or first.upos != "AUX" or first.id == 1 or first.relation not in ("aux", "cop"):
        return tree
    noun = tree.child(first.head, "nsubj")
    if noun is None or is_clitic(first) or not is_unbroken(tree, tree.subtree(noun.id)):
        return tree
    return tree.move(noun.id, before=first.id)


def _subject_before_verb(tree: Tree) -> Tree:
    """*V noci napsal Petr dopis* without *v noci*: *Petr napsal dopis*."""
    first = next((word for word in tree.words if word.upos != "PUNCT"), None)
    if first is None or first.upos != "VERB" or first.id == 1 or first.relation != "root":
        return tree
    noun = tree.child(first.id, "nsubj")
    if noun is None or noun.upos not in ("NOUN", "PROPN") or not is_unbroken(tree, tree.subtree(noun.id)):
        return tree
    start = min(tree.places[one] for one in tree.subtree(noun.id))
    between = tree.words[tree.places[first.id] + 1 : start]
    if any(not is_clitic(word) for word in between) or any(one.form == "," for one in tree.descendants(noun.id)):
        return tree
    behind = tree.words[start + len(tree.subtree(noun.id)) :][:1]
    if any(one.upos in ("ADJ", "NOUN", "PROPN", "DET") and one.feats.get("Case") != "Acc" for one in behind):
        return tree  # perhaps a part of the subject
    return tree.move(noun.id, before=first.id)


def vocalised(form: str, following: str) -> str:
    """*se* before a hissing sound, *ve* before *v*, *ke* before *k*; elsewhere the short form, but before clusters.

    Examples
    --------
    >>> vocalised("s", "sestrou"), vocalised("ve", "domě"), vocalised("v", "vodě"), vocalised("k", "oknu")
    ('se', 'v', 've', 'k')
    >>> vocalised("Ze", "Prahy"), vocalised("nad", "vodou"), vocalised("s", "psy"), vocalised("se", "pánem")
    ('Z', 'nad', 'se', 's')
    """
    low = form.lower()
    short = low if low in _PAIRS else _SHORT.get(low)
    if short is None:
        return form
    needs = following[:1] in _LIKE[short] or following.startswith(_CLUSTERS[short])
    made = _PAIRS[short] if needs else short
    return made.capitalize() if form[:1].isupper() else made

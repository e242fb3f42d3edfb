"""Texts that simulated annotators write: by rule, in any language, so that a rehearsal has something to go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kostra.text import bare

_NAMES = {
    "": ("change", "changed", "something else"),
    "shuffled": ("word order", "other order", "shuffled words"),
    "shortened": ("shorter", "shortened", "fewer words"),
    "repeated": ("emphasis", "emphasised", "a word twice"),
    "question": ("question", "as a question", "turned into a question"),
    "exclamation": ("exclamation", "louder", "exclaimed"),
}
_PEOPLE = ("A man", "A woman", "A child", "An old couple", "A group of friends")
_DOINGS = ("is reading", "is cooking", "is repairing a bicycle", "is waiting", "is playing with a dog")
_PLACES = ("in a park.", "in a kitchen.", "by the river.", "at a station.", "in front of a house.")
_REMARKS = ("no remarks", "nothing to add", "it was clear", "some were hard")


def _one_of(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def description(rng: np.random.Generator) -> str:
    """A sentence about a picture that nobody has seen."""
    return " ".join(_one_of(part, rng) for part in (_PEOPLE, _DOINGS, _PLACES))


def remark(rng: np.random.Generator) -> str:
    """A few words."""
    return _one_of(_REMARKS, rng)


def name_of(change: str, rng: np.random.Generator) -> str:
    """One of the names that people might give to a change."""
    return _one_of(_NAMES.get(change, _NAMES[""]), rng)


def rewrites(
    sources: Sequence[str], count: int, *, avoid: Sequence[str] = (), shuffles: bool = False, rng: np.random.Generator
) -> list[tuple[str, str]]:
    """So many different texts made from the first source, each with what was changed; none is a source or avoided.

    Examples
    --------
    >>> made = rewrites(["The cat sat on the mat."], 3, rng=np.random.default_rng(1))
    >>> len({text for text, _ in made}), "The cat sat on the mat." in {text for text, _ in made}
    (3, False)
    >>> sorted(rewrites(["a b c d."], 1, shuffles=True, rng=np.random.default_rng(1))[0][0])
    [' ', ' ', ' ', '.', 'a', 'b', 'c', 'd']
    """
    taken = {_plain(text) for text in (*sources, *avoid)}
    made: list[tuple[str, str]] = []
    for turn in range(50 * count):
        if len(made) == count:
            break
        change = "shuffled" if shuffles else _one_of(list(_NAMES)[1:], rng)
        text = _changed(sources[0], change, rng)
        if turn >= 40 * count:  # a short sentence has few orders
            text = f"{text} {turn}"
        if _plain(text) not in taken:
            taken.add(_plain(text))
            made.append((text, change))
    return made


def mended(text: str, partner: str | None, rng: np.random.Generator) -> str:
    """A small correction, never into the partner; the text itself where none is at hand.

    Examples
    --------
    >>> mended("the cat sat", None, np.random.default_rng(1)) != "the cat sat"
    True
    """
    stem, end = _parts(text)
    upper = f"{stem[:1].upper()}{stem[1:]}{end or '.'}"
    candidates = [upper, f"{stem}{'' if end else '.'}", _changed(text, "shortened", rng), f"{stem}{end}"]
    order: list[int] = rng.permutation(len(candidates)).tolist()
    for found in (candidates[place] for place in order):
        if found != text and bare(found) and (partner is None or _plain(found) != _plain(partner)):
            return found
    return text


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".… ")


def _parts(text: str) -> tuple[str, str]:
    stem = text.rstrip(" .!?…")
    return (stem, text[len(stem) :].strip()) if stem else (text, "")


def _changed(text: str, change: str, rng: np.random.Generator) -> str:
    stem, end = _parts(text)
    parts = stem.split()
    match change:
        case "shuffled":
            parts = [parts[place] for place in rng.permutation(len(parts)).tolist()]
        case "shortened" if len(parts) > 2:
            del parts[int(rng.integers(len(parts)))]
        case "repeated":
            place = int(rng.integers(len(parts)))
            parts.insert(place, parts[place])
        case "question":
            end = "?" if end != "?" else "."
        case _:
            end = f"{end.rstrip('.')}!"
    return " ".join(parts) + end

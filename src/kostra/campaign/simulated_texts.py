"""Texts that simulated annotators write: by rule, in any language, so that a rehearsal has something to go on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from kostra.campaign.simulated_phrases import ENGLISH_NAMES, NAMES, PHRASES
from kostra.text import bare

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


def name_of(change: str, rng: np.random.Generator, language: str = "en") -> str:
    """One of the names that people might give to a change."""
    names = NAMES.get(language, ENGLISH_NAMES)
    return _one_of(names.get(change, names[""]), rng)


COPIED = 0.65
"""Share of ideas that imitate an example: two thirds in COSTRA 1.0."""
OBVIOUS = {"past": 0.5, "future": 0.5, "ban": 0.4}
"""Kinds for which people often write the same; share of rewrites in which nothing else is changed (our guess)."""


def idea_name(change: str, examples: Sequence[str], rng: np.random.Generator, language: str = "en") -> str:
    """A name for an idea: often that of an example that was shown (``name: sentence``), written somehow.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> shown = ["the sentence: It rains.", "past: It rained.", "a ban: It must not rain."]
    >>> {idea_name("question", shown, rng) for _ in range(60)} >= {"past", "Past", "ban a", "question"}
    True
    """
    known = [name for name, colon, _ in (example.partition(":") for example in examples[1:]) if colon]
    if not known or rng.random() > COPIED:
        return name_of(change, rng, language)
    name = _one_of(known, rng).strip()
    words = name.split()
    variants = (name.capitalize(), " ".join(reversed(words)), f"{name}.", mistyped(name, rng), words[0])
    return name if rng.random() < 0.6 else _one_of(variants, rng)


def rewrites(
    sources: Sequence[str],
    count: int,
    *,
    avoid: Sequence[str] = (),
    shuffles: bool = False,
    kind: str = "",
    language: str = "",
    rng: np.random.Generator,
) -> list[tuple[str, str]]:
    """So many different texts made from the first source, each with what was changed; none is a source or avoided.

    Parameters
    ----------
    shuffles
        Whether the words of the source are to be used again.
    kind, language
        What is asked for, such as ``past``, and the language of the sentences: where both are known, a phrase says it.

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
        change = "shuffled" if shuffles else _one_of(list(ENGLISH_NAMES)[1:], rng)
        asked = None if shuffles else _as_asked(sources, kind, language, rng)
        text = asked or _changed(sources[0], change, rng)
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


def _as_asked(sources: Sequence[str], kind: str, language: str, rng: np.random.Generator) -> str | None:
    """What a phrase makes of the first source, mostly with a further change; None where no phrase is known."""
    if kind == "interpolation" and len(sources) > 1:  # the beginning of one and the end of the other
        (one, end), (two, _) = _parts(sources[0]), _parts(sources[1])
        cut = int(rng.integers(1, 4))
        return (
            " ".join([*two.split()[: len(two.split()) * cut // 4], *one.split()[len(one.split()) * cut // 4 :]]) + end
        )
    phrases = PHRASES.get(language, {}).get(re.sub(r"_\d+$", "", kind))
    if phrases is None:
        return None
    varied = sources[0]
    if rng.random() > OBVIOUS.get(kind, 0.1):
        for change in ("shortened", "repeated") if rng.random() < 0.5 else ("shortened", "shortened"):
            varied = _changed(varied, change, rng)
    stem, _ = _parts(varied)
    parts = stem.split()
    half = " ".join(parts[: max(1, len(parts) // 2)]).rstrip(",;:")
    made = _one_of(phrases, rng).format(stem[:1].lower() + stem[1:], half=half[:1].lower() + half[1:])
    return made[:1].upper() + made[1:]


# Slips of the pen ------------------------------------------------------------------------------------------


def slips(word: str) -> list[str]:
    """What a word may become under hasty fingers: neighbours swapped, a letter doubled, its diacritics lost.

    Examples
    --------
    >>> slips("kůň")
    ['kňů', 'kůůň', 'kůňň', 'kun']
    """
    inner = range(1, len(word) - 1)
    made = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner if word[at] != word[at + 1]]
    made += [word[: at + 1] + word[at:] for at in range(1, len(word))]
    bare_letters = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    return made + ([bare_letters] if bare_letters != word else [])


def mistyped(text: str, rng: np.random.Generator) -> str:
    """The text with a slip in one of its longer words, if it has any.

    Examples
    --------
    >>> is_slip(mistyped("It rained yesterday.", np.random.default_rng(1)), "It rained yesterday.")
    True
    """
    found = [match for match in re.finditer(r"[^\W\d_]{5,}", text) if match.group().islower()]
    if not found:
        return text
    chosen = found[int(rng.integers(len(found)))]
    return text[: chosen.start()] + _one_of(slips(chosen.group()), rng) + text[chosen.end() :]


def is_slip(written: str, meant: str) -> bool:
    """Whether one text is the other with a slip in one word: so a simulated linguist knows a mistake.

    Examples
    --------
    >>> is_slip("It rianed.", "It rained."), is_slip("It rhymed.", "It rained.")
    (True, False)
    """
    one, two = re.findall(r"\w+", written), re.findall(r"\w+", meant)
    differing = [(first, second) for first, second in zip(one, two, strict=False) if first != second]
    return len(one) == len(two) and len(differing) == 1 and differing[0][0] in slips(differing[0][1])


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

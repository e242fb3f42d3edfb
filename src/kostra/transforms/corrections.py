"""What a person changed in a sentence, and which type of error that suggests.

`diff` says word by word what became of a sentence; `suggest` names the error type of CDSCorpus (Wróblewska and
Krasnowska-Kieraś 2017, table 2) that fits the most serious of the changes. It is a suggestion: whether a removed phrase
made no *sense* or was merely odd, only the person who removed it can confirm.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, get_args

from kostra.sources.tokens import tokenize
from kostra.transforms.inflection import Inflector

ErrorType = Literal["sense", "semantic", "grammatical", "word order", "punctuation", "other"]
ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)
"""The types in their order of seriousness: a sentence with several errors counts as the first of them."""
Kind = Literal[
    "omission", "addition", "lexical", "function word", "inflection", "word order", "punctuation", "spelling",
    "capitalisation",
]  # fmt: skip

_TYPE_OF: dict[Kind, ErrorType] = {
    "omission": "sense",
    "addition": "semantic",
    "lexical": "semantic",
    "function word": "grammatical",
    "inflection": "grammatical",
    "word order": "word order",
    "punctuation": "punctuation",
    "spelling": "other",
    "capitalisation": "other",
}
_FUNCTION = frozenset({"ADP", "AUX", "CCONJ", "SCONJ", "PART", "DET", "PRON"})
_NEGATIONS = frozenset({"nie", "not", "n't", "no", "ne"})
"""Small words that change what a sentence says."""
_SAME_WORD = 0.6
"""Share of letters at the beginning that two forms of one word have in common, where no analyser can be asked."""
_TYPO = 0.75
"""Likeness of two spellings from which one is taken for a slip of the other."""


@dataclass(frozen=True)
class Change:
    """One difference between two versions of a sentence."""

    kind: Kind
    before: tuple[str, ...]
    after: tuple[str, ...]
    at: int
    """The place in the words of the version in which it stands, from 0; of what was added, in the new one."""


@dataclass(frozen=True)
class _Version:
    """The words of a sentence, and the punctuation before each of them and after the last."""

    words: tuple[str, ...]
    signs: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> _Version:
        words: list[str] = []
        signs = [""]
        for token in tokenize(text):
            if not all(_is_sign(char) for char in token.form):
                words.append(token.form)
                signs.append("")
            else:
                signs[-1] += token.form
        return cls(tuple(words), tuple(signs))

    @property
    def folded(self) -> list[str]:
        return [word.casefold() for word in self.words]


def diff(before: str, after: str, inflector: Inflector | None = None) -> tuple[Change, ...]:
    """What was changed, in the order of the sentence; white space does not count.

    Words that only stand elsewhere are one change of word order. A capital that comes and goes with the first place is
    no change, nor is punctuation around words that were changed themselves.

    Parameters
    ----------
    before, after
        Two versions of a sentence.
    inflector
        Tells forms of one word from other words; without it, forms that begin alike are taken for one word.

    Examples
    --------
    >>> changes = diff("A dog run on, the grass.", "A dog runs on the grass.")
    >>> [(change.kind, change.before, change.after) for change in changes]
    [('inflection', ('run',), ('runs',)), ('punctuation', (',',), ())]
    >>> [(change.kind, change.before) for change in diff("Here sits a red cat", "A red cat sits here")]
    [('word order', ('Here', 'sits'))]
    """
    old, new = _Version.of(before), _Version.of(after)
    matcher = SequenceMatcher(a=old.folded, b=new.folded, autojunk=False)
    gone: list[int] = []
    come: list[int] = []
    for what, first, last, new_first, new_last in matcher.get_opcodes():
        if what != "equal":
            gone += range(first, last)
            come += range(new_first, new_last)
    kept = [(a + step, b + step) for a, b, size in matcher.get_matching_blocks() for step in range(size)]
    changes = [*_punctuation(old, new, kept), *_capitals(old, new, kept)]
    moved = _moved(old, new, gone, come)
    if moved:
        left = [old.words[place] for place, _ in moved]
        changes.append(Change("word order", tuple(left), tuple(new.words[place] for _, place in moved), moved[0][0]))
    gone = [place for place in gone if place not in {a for a, _ in moved}]
    come = [place for place in come if place not in {b for _, b in moved}]
    changes += _replaced(old, new, gone, come, inflector)
    return tuple(sorted(changes, key=lambda change: (change.at, change.kind)))


def suggest(before: str, after: str, inflector: Inflector | None = None) -> ErrorType | None:
    """The error type that a correction suggests, or None where nothing but white space was changed.

    Examples
    --------
    >>> suggest("A dog sits, on the grass.", "A dog sits on the grass.")
    'punctuation'
    >>> suggest("A fox holds an egg in its wing.", "A fox holds an egg in its mouth.")
    'semantic'
    """
    found = {_type_of(change, inflector) for change in diff(before, after, inflector)}
    return next((error for error in ERROR_TYPES if error in found), None)


def count(corrections: Iterable[tuple[str, str]], inflector: Inflector | None = None) -> dict[ErrorType, int]:
    """How many distinct corrections suggest each type, the most serious first; unchanged sentences do not count.

    Examples
    --------
    >>> count([("a cat sit", "a cat sits"), ("a cat sit", "a cat sits"), ("A cat", "A cat")])["grammatical"]
    1
    """
    found = Counter(suggest(before, after, inflector) for before, after in dict.fromkeys(corrections))
    return {error: found[error] for error in ERROR_TYPES}


def _type_of(change: Change, inflector: Inflector | None) -> ErrorType:
    words = change.before + change.after
    if change.kind in ("omission", "addition"):
        if all(_is_function(word, inflector) for word in words):
            return "grammatical"
        if all(word.casefold() in _NEGATIONS for word in words):
            return "semantic"  # the sentence made sense, but said the opposite
    return _TYPE_OF[change.kind]


def _punctuation(old: _Version, new: _Version, kept: Sequence[tuple[int, int]]) -> list[Change]:
    """Signs that differ where the words on both sides stayed."""
    there = {(-1, -1), *kept, (len(old.words), len(new.words))}
    return [
        Change("punctuation", _signs(old.signs[a]), _signs(new.signs[b]), a)
        for a, b in sorted(there)
        if (a - 1, b - 1) in there and a >= 0 and old.signs[a] != new.signs[b]
    ]


def _signs(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _capitals(old: _Version, new: _Version, kept: Sequence[tuple[int, int]]) -> list[Change]:
    return [
        Change("capitalisation", (old.words[a],), (new.words[b],), a)
        for a, b in kept
        if old.words[a] != new.words[b] and (a == 0) == (b == 0)
    ]


def _moved(old: _Version, new: _Version, gone: Sequence[int], come: Sequence[int]) -> list[tuple[int, int]]:
    """Words that left one place and stand at another."""
    waiting: dict[str, list[int]] = {}
    for place in come:
        waiting.setdefault(new.folded[place], []).append(place)
    return [(place, waiting[word].pop(0)) for place in gone if waiting.get(word := old.folded[place])]


def _replaced(
    old: _Version, new: _Version, gone: Sequence[int], come: Sequence[int], inflector: Inflector | None
) -> list[Change]:
    """Words that became other words, the most alike first; the rest was removed or added, phrase by phrase."""
    likeness = sorted(
        ((_likeness(old.folded[a], new.folded[b]), -abs(a - b), a, b) for a in gone for b in come), reverse=True
    )
    pairs: dict[int, int] = {}
    for alike, _, a, b in likeness:
        near = _neighbours(a, b, old, new)
        if a not in pairs and b not in pairs.values() and (alike >= _SAME_WORD or near):
            pairs[a] = b
    changes = [
        Change(_kind(old.words[a], new.words[b], inflector), (old.words[a],), (new.words[b],), a)
        for a, b in pairs.items()
    ]
    for run in _runs([a for a in gone if a not in pairs]):
        changes.append(Change("omission", tuple(old.words[place] for place in run), (), run[0]))
    for run in _runs([b for b in come if b not in pairs.values()]):
        changes.append(Change("addition", (), tuple(new.words[place] for place in run), run[0]))
    return changes


def _neighbours(a: int, b: int, old: _Version, new: _Version) -> bool:
    """Whether the words before both, or behind both, are the same: then one stands in the other's place."""
    before = a > 0 and b > 0 and old.folded[a - 1] == new.folded[b - 1]
    behind = a + 1 < len(old.words) and b + 1 < len(new.words) and old.folded[a + 1] == new.folded[b + 1]
    alone = a == b == 0 or (a + 1 == len(old.words) and b + 1 == len(new.words))
    return before or behind or alone


def _runs(places: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _kind(before: str, after: str, inflector: Inflector | None) -> Kind:
    old = inflector.analyses(before) if inflector else frozenset()
    new = inflector.analyses(after) if inflector else frozenset()
    if {one.lemma for one in old} & {one.lemma for one in new}:
        return "inflection"
    if _without_marks(before) == _without_marks(after):
        return "spelling"
    if not old:  # no word at all, or nobody to ask
        if _begins_alike(before, after):
            return "inflection"
        if _likeness(before, after) >= _TYPO or sorted(before.casefold()) == sorted(after.casefold()):
            return "spelling"
    return _by_class(before, after, inflector)


def _by_class(before: str, after: str, inflector: Inflector | None) -> Kind:
    both = _is_function(before, inflector) and _is_function(after, inflector)
    return "function word" if both else "lexical"


def _is_function(word: str, inflector: Inflector | None) -> bool:
    """Whether a word is only grammar; without an analyser, whether it is very short."""
    if word.casefold() in _NEGATIONS:
        return False
    if inflector is None:
        return len(word) <= 3
    classes = {one.upos for one in inflector.analyses(word.casefold())}
    return bool(classes & _FUNCTION)


def _begins_alike(before: str, after: str) -> bool:
    """Whether two words differ in their endings alone, as forms of one word do."""
    letters = zip(before.casefold(), after.casefold(), strict=False)
    shared = next((place for place, (a, b) in enumerate(letters) if a != b), min(len(before), len(after)))
    return shared >= 2 and shared / max(len(before), len(after)) >= _SAME_WORD and shared >= len(before) - 4


def _likeness(first: str, second: str) -> float:
    return SequenceMatcher(a=first.casefold(), b=second.casefold(), autojunk=False).ratio()


def _without_marks(word: str) -> str:
    plain = unicodedata.normalize("NFD", word.casefold().replace("ł", "l"))
    return "".join(char for char in plain if not unicodedata.combining(char))


def _is_sign(char: str) -> bool:
    """Whether a character is punctuation or a mathematical sign; an emoji counts as a word."""
    category = unicodedata.category(char)
    return category[0] == "P" or category in ("Sm", "Sc", "Sk")

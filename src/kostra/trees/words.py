"""A word of a tree, and what CoNLL-U has beside words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn


class Features(dict[str, str]):
    """A word's features, in the order of the file; they are never changed, only exchanged for others.

    Examples
    --------
    >>> features = Features.parse("Case=Nom|Number=Sing")
    >>> features["Case"], str(features.but(Case="Acc", Number=None))
    ('Nom', 'Case=Acc')
    """

    @classmethod
    def parse(cls, text: str) -> Features:
        """Read a feature column; ``_`` has none.

        Raises
        ------
        ValueError
            Where an entry is not ``Name=Value``, or a name stands twice.
        """
        return _features(text)

    def but(self, **changes: str | None) -> Features:
        """The same with some values exchanged; None removes one."""
        changed = {**self, **changes}
        return Features({name: value for name, value in changed.items() if value is not None})

    def agrees(self, **wanted: str) -> bool:
        """Whether all of these values are there."""
        return all(self.get(name) == value for name, value in wanted.items())

    def __str__(self) -> str:
        return "|".join(f"{name}={value}" for name, value in self.items()) or "_"

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[Features], tuple[dict[str, str]]]:
        return Features, (dict(self),)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("features do not change; use but()")

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = clear = setdefault = _refuse


@lru_cache(maxsize=65536)
def _features(text: str) -> Features:
    if text == "_" or not text:
        return NO_FEATURES
    found: dict[str, str] = {}
    for entry in text.split("|"):
        name, equals, value = entry.partition("=")
        if not equals or not name or name in found:
            raise ValueError(entry)
        found[name] = value
    return Features(found)


NO_FEATURES = Features()


class _Relations(dict[str, str]):
    """Relations without their subtypes, worked out once each: rules ask for them all the time."""

    def __missing__(self, deprel: str) -> str:
        self[deprel] = found = deprel.partition(":")[0]
        return found


RELATIONS = _Relations()


class Word(NamedTuple):
    """One word of a tree: a line of CoNLL-U. A tuple, since an edit makes many and changes few."""

    id: int
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: Features = NO_FEATURES
    head: int = 0
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"

    @property
    def relation(self) -> str:
        """The relation without its subtype: ``nsubj`` of ``nsubj:pass``."""
        return RELATIONS[self.deprel]

    @property
    def glued(self) -> bool:
        """Whether no blank follows (``SpaceAfter=No``)."""
        return "SpaceAfter=No" in self.misc

    def but(self, **changes: Any) -> Word:
        """The same word with some fields exchanged."""
        made: Word = tuple.__new__(Word, map(changes.pop, _FIELDS, self))  # as _replace does, with two calls less
        if changes:
            raise ValueError(f"a word has no field {', '.join(changes)}")
        return made


_FIELDS = Word._fields


@dataclass(frozen=True, slots=True)
class Range:
    """A multiword token: one written word (``2-3``) for several words of the tree."""

    first: int
    last: int
    form: str
    rest: tuple[str, ...] = ("_",) * 8
    """The other columns, MISC last."""


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A node of the enhanced graph that is not written (``2.1``)."""

    after: int
    columns: tuple[str, ...]

"""Kinds of words, and the places where one word of a kind goes for another.

A parser knows that *guitar* is the object of *plays*, not that *market* cannot be. A language therefore lists kinds of
words, and *frames*: places in which everything of some kinds makes sense, such as the object of *play*, *tune* for
instruments. Both stand in the ``kinds.toml`` beside its files::

    [kinds]
    instruments = "guitar piano violin"

    [[frames]]
    name = "instruments played"
    relation = "obj"
    of = "instruments"
    heads = "play tune"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kostra.transforms.donors import preposition
from kostra.trees import Tree, Word

ANY = "*"


@dataclass(frozen=True)
class Frame:
    """A place in which one word of a kind goes for another."""

    name: str
    relation: str
    words: frozenset[str]
    """Lemmas that stand here."""
    heads: frozenset[str]
    """Lemmas on which they hang; `ANY` among them stands for all."""
    prepositions: frozenset[str] = frozenset({""})
    cases: frozenset[str] = frozenset()
    """Their cases, where a preposition has several; any unless said."""
    bare: bool = False
    """Whether a singular may stand here without an article, as *guitar* in *plays guitar*."""
    place: bool = False
    """Whether it says where something is: then another place in the sentence may not fit a new one."""
    number: bool = True
    """Whether the number must stay: two men are not in one shirt."""
    somebody: bool = True
    """Whether somebody must do what the head says, where it is a verb: a label may carry a name, too."""


class Frames:
    """A language's kinds and frames.

    Parameters
    ----------
    beside
        A file of the language; ``kinds.toml`` stands beside it.
    """

    def __init__(self, beside: str) -> None:
        self._path = Path(beside).with_name("kinds.toml")

    @cached_property
    def _table(self) -> dict[str, Any]:
        return tomllib.loads(self._path.read_text(encoding="utf-8"))

    @cached_property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """Words by kind."""
        return {name: frozenset(words.split()) for name, words in self._table["kinds"].items()}

    @cached_property
    def alike(self) -> Mapping[str, frozenset[str]]:
        """What says nearly the same as a word, its opposite, or something that it is a kind of."""
        found: dict[str, set[str]] = {}
        for row in self._table["alike"]:
            words = row.split()
            for word in words:
                found.setdefault(word, set()).update(words)
        return {word: frozenset(others) for word, others in found.items()}

    @cached_property
    def only_of(self) -> Mapping[str, frozenset[str]]:
        """Words that are said of some people only, such as *beard*, and of whom."""
        return {word: self._listed(row[1]) for row in self._table["only_of"] for word in row[0].split()}

    @cached_property
    def _by_relation(self) -> Mapping[str, list[Frame]]:
        found: dict[str, list[Frame]] = {}
        for row in self._table["frames"]:
            frame = self._frame(**row)
            found.setdefault(frame.relation, []).append(frame)
        return found

    def _frame(
        self, name: str, relation: str, of: str, heads: str, prepositions: str = "", cases: str = "", **more: bool
    ) -> Frame:
        words = frozenset[str]().union(*(self.kinds[kind] for kind in of.split()))
        before = frozenset(one.replace("_", " ") for one in prepositions.split()) or frozenset({""})
        return Frame(name, relation, words, self._listed(heads), before, frozenset(cases.split()), **more)

    def _listed(self, words: str) -> frozenset[str]:
        """Words, where ``@kind`` stands for all of a kind."""
        named = [self.kinds[word[1:]] if word.startswith("@") else {word} for word in words.split()]
        return frozenset[str]().union(*named)

    def is_of(self, word: Word, *kinds: str) -> bool:
        """Whether a word is of one of these kinds."""
        return any(word.lemma.lower() in self.kinds[kind] for kind in kinds)

    def frame_of(self, tree: Tree, word: Word) -> Frame | None:
        """The first frame in which a dependent stands."""
        lemma, head = word.lemma.lower(), tree[word.head].lemma.lower()
        for frame in self._by_relation.get(word.relation, ()):
            if lemma in frame.words and (head in frame.heads or ANY in frame.heads):
                case = word.feats.get("Case", "")
                if preposition(tree, word).lower() in frame.prepositions and (not frame.cases or case in frame.cases):
                    return frame
        return None

"""The lists of words of a language, from the ``lexicon.toml`` beside its files."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


class Lexicon:
    """Lists of words by name: a string of words, pairs of words, or a table from words to words.

    Parameters
    ----------
    beside
        A file of the language; ``lexicon.toml`` stands beside it.
    """

    def __init__(self, beside: str) -> None:
        self.table: dict[str, Any] = tomllib.loads(Path(beside).with_name("lexicon.toml").read_text(encoding="utf-8"))

    def words(self, name: str) -> frozenset[str]:
        """The words of one list."""
        return frozenset(self.table[name].split())

    def pairs(self, name: str) -> frozenset[tuple[str, ...]]:
        """The pairs of one list."""
        return frozenset(tuple(pair) for pair in self.table[name])

    def field(self, name: str) -> object:
        """A list as the grammar wants it: words, pairs, or a table; None where the language has none."""
        match self.table.get(name):
            case str():
                return self.words(name)
            case list():
                return self.pairs(name)
            case found:
                return found

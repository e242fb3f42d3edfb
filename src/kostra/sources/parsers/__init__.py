"""Sentence to dependency tree: one file per parser, all of the extra ``parse``.

A parser's module has ``make(argument, *, folder) -> Parser``; ``argument`` is what follows the colon in a spec such as
``udpipe:models/pl.udpipe``, and ``folder`` is where relative paths begin. A module whose parser is a file also has
``watches(argument, *, folder) -> list[Path]``, and one that needs a package or a pipeline
``lacking(argument) -> KostraError | None``, which looks for it without loading it. What a module makes parses many
sentences at once and gives one tree for each, in their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from kostra import files, registry
from kostra.errors import KostraError, some
from kostra.trees import Tree

SHELF = "sources/parsers"


class Parser(Protocol):
    """Makes trees of sentences."""

    name: str
    """The spec it was made from."""
    revision: str
    """What its trees depend on beside the sentence: kind, version and content of the model."""

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """One tree per sentence; white space in a sentence counts as one blank.

        Raises
        ------
        KostraError
            Where a sentence is empty, or the parser has no tree for it.
        """


def parser(spec: str, *, folder: Path | None = None) -> Parser:
    """Make a parser from its spec: ``udpipe:PATH``, ``spacy:NAME``, ``stanza:LANG`` or ``conllu:FILE``.

    Parameters
    ----------
    spec
        Name and argument.
    folder
        Where relative paths begin; the working directory unless said.

    Raises
    ------
    KostraError
        Where the parser is unknown, or its extra, model or file is missing.

    Examples
    --------
    >>> parser("udpip:models/pl.udpipe")
    Traceback (most recent call last):
    kostra.errors.KostraError: unknown component of sources/parsers "udpip"
      accepted: conllu, spacy, stanza, udpipe
      try: did you mean "udpipe"?
    """
    kind, argument = _split(spec)
    made = registry.load(SHELF, kind).make(argument, folder=folder or Path())
    made.name = spec
    return cast(Parser, made)


def watches(spec: str, *, folder: Path) -> list[Path]:
    """The files on which a parser's trees depend, as far as it is a file."""
    kind, argument = _split(spec)
    watched = getattr(registry.load(SHELF, kind), "watches", None)
    return cast(list[Path], watched(argument, folder=folder)) if watched else []


def lacking(spec: str, *, folder: Path) -> KostraError | None:
    """What keeps a parser from being made on this machine, found without loading anything heavy."""
    kind, argument = _split(spec)
    module = registry.load(SHELF, kind)
    missing = [path for path in watches(spec, folder=folder) if not path.is_file()]
    if missing:
        return KostraError("there is no such file", where=files.shown(missing[0]))
    return cast(KostraError | None, module.lacking(argument)) if hasattr(module, "lacking") else None


def _split(spec: str) -> tuple[str, str]:
    kind, _, argument = spec.partition(":")
    if not argument:
        raise KostraError(f'found "{spec}" as a parser', accepted="udpipe:PATH, spacy:NAME, stanza:LANG or conllu:FILE")
    return kind, argument


def blanks_as_one(sentences: Sequence[str]) -> list[str]:
    r"""The sentences with all white space as single blanks; an empty one is refused.

    Examples
    --------
    >>> blanks_as_one(["A cat\tsat.\n"])
    ['A cat sat.']
    """
    plain = [" ".join(sentence.split()) for sentence in sentences]
    empty = [number for number, sentence in enumerate(plain, 1) if not sentence]
    if empty:
        raise KostraError(f"nothing to parse in {len(empty):,} of {len(plain):,} sentences: number {some(empty)}")
    return plain


def existing(path: Path, *, what: str) -> Path:
    """The path, if there is a file."""
    if not path.is_file():
        raise KostraError(f"there is no such {what}", where=files.shown(path), accepted="a file")
    return path


def fingerprint(path: Path) -> str:
    """A short hash of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]

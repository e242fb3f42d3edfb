"""Bring your own trees: ``conllu:FILE`` looks each sentence up by its text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kostra import files
from kostra.errors import KostraError, some
from kostra.sources.parsers import blanks_as_one, existing, fingerprint
from kostra.trees import Tree, parse_conllu


class Trees:
    """The trees of a file, by text; of several with one text the first counts."""

    def __init__(self, path: Path) -> None:
        self._where = files.shown(path)
        self._trees: dict[str, Tree] = {}
        for tree in parse_conllu(files.read_text(path), where=self._where):
            for text in {" ".join(said.split()) for said in (_said(tree), tree.text) if said}:
                self._trees.setdefault(text, tree)
        self.name = f"conllu:{path}"
        self.revision = f"conllu {fingerprint(path)}"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """The tree of each sentence; a sentence that has none is an error that lists it."""
        plain = blanks_as_one(sentences)
        lacking = [f'"{text}"' for text in dict.fromkeys(plain) if text not in self._trees]
        if lacking:
            raise KostraError(
                f"{len(lacking):,} of {len(plain):,} sentences have no tree: {some(lacking, 3)}",
                where=self._where,
                accepted="a tree for every sentence, with the same text in # text",
            )
        return [self._trees[text] for text in plain]


def make(argument: str, *, folder: Path = Path()) -> Trees:
    """Read the file.

    Raises
    ------
    KostraError
        With file and line, where it is no CoNLL-U or its heads make no trees.
    """
    return Trees(existing(folder / Path(argument).expanduser(), what="CoNLL-U file"))


def watches(argument: str, *, folder: Path) -> list[Path]:
    """The file."""
    return [folder / Path(argument).expanduser()]


def _said(tree: Tree) -> str:
    """What the file itself calls the sentence's text."""
    named = (line[1:].partition("=") for line in tree.comments)
    return next((value.strip() for name, _, value in named if name.strip() == "text"), "")

"""Sentences from CoNLL-U files: their text and ids, and the documents they stand in.

Trees are not kept here; a parser's step reads them. A sentence takes its text from ``# text``, else from its words and
their ``SpaceAfter=No``; its id from ``# sent_id``, else from the file and line on which it begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.cells import read_all
from kostra.sources.files import find_paths
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SENTENCES, Finding, Frame
from kostra.trees import read_blocks

READS: tuple[str, ...] = ()
WRITES = ("sentences",)

ENDINGS = (".conllu", ".conll")


class Options(Strict):
    """Which files."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns such as ``data/*.conllu``, relative to the project's folder; may be compressed."""
    language: str | None = None
    """ISO 639 code, where it is not the recipe's."""


def read_conllu(path: str | Path, *, language: str) -> tuple[Frame, list[Finding]]:
    r"""Read the sentences of one CoNLL-U file.

    Raises
    ------
    KostraError
        With file and line, where a line is neither a comment nor ten columns, or an id stands twice.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dogs.conllu"
    ...     _ = file.write_text("# sent_id = s1\n# text = It barks.\n1\tIt" + "\t_" * 8 + "\n")
    ...     frame, findings = read_conllu(file, language="en")
    >>> frame.select("sentence", "text").rows()
    [('s1', 'It barks.')]
    """
    where, stem = files.shown(path), files.stem(path)
    rows, lines, made = [], [], []
    document: str | None = None
    position = 0
    for block in read_blocks(files.read_text(path), where=where):
        comments = block.named
        if "newdoc" in comments or "newdoc id" in comments:
            document, position = comments.get("newdoc id") or f"{stem}-{block.line}", 0
        position += 1
        if "text" not in comments:
            made.append(block.line)
        rows.append(
            {
                "sentence": comments.get("sent_id") or f"{stem}-{block.line}",
                "text": comments.get("text") or block.text,
                "source": stem,
                "language": language,
                "document": document,
                "position": position if document is not None else None,
            }
        )
        lines.append(block.line)
    if not rows:
        raise KostraError("the file holds no sentence", where=where, accepted="CoNLL-U, with a blank line after each")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    findings = []
    if made:
        said = f"sentences without # text, put together from their words: {len(made):,}"
        findings.append(Finding("text", said, where, tuple(made)))
    return tables.from_cells(columns, SENTENCES, where=where, lines=lines), findings


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    frame = _load(options, replace(context, findings=[]))  # what is found is told once, when it runs
    return Plan(f"reads {frame.height:,} sentences from {some(options.paths)}", {"sentences": frame.height})


def watches(options: Options, context: Context) -> list[Path]:
    """The files read."""
    return find_paths(options.paths, folder=context.project, endings=ENDINGS)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    return {"sentences": _load(options, context)}


def _load(options: Options, context: Context) -> Frame:
    language = options.language or context.recipe.recipe.language

    def read(path: Path) -> tuple[dict[str, Frame], list[Finding]]:
        frame, findings = read_conllu(path, language=language)
        return {"sentences": frame}, findings

    return read_all(options.paths, read, context, endings=ENDINGS)["sentences"]

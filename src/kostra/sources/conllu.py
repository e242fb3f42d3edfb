"""Sentences from CoNLL-U files: their text and ids, and the documents they stand in.

Trees are not kept here; a parser's step reads them. A sentence takes its text from ``# text``, else from its words and
their ``SpaceAfter=No``; its id from ``# sent_id``, else from the file and line on which it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.cells import read_all
from kostra.sources.files import find_paths
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SENTENCES, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("sentences",)

COLUMNS = 10
ENDINGS = (".conllu", ".conll")


class Options(Strict):
    """Which files."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns such as ``data/*.conllu``, relative to the project's folder; may be compressed."""
    language: str | None = None
    """ISO 639 code, where it is not the recipe's."""


@dataclass
class _Block:
    """The lines of one sentence."""

    line: int
    comments: dict[str, str] = field(default_factory=dict)
    words: list[list[str]] = field(default_factory=list)


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
    for block in _blocks(files.read_text(path), where=where):
        if "newdoc" in block.comments or "newdoc id" in block.comments:
            document, position = block.comments.get("newdoc id") or f"{stem}-{block.line}", 0
        position += 1
        if "text" not in block.comments:
            made.append(block.line)
        rows.append(
            {
                "sentence": block.comments.get("sent_id") or f"{stem}-{block.line}",
                "text": block.comments.get("text") or _joined(block.words),
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


def _blocks(text: str, *, where: str) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip():
            if block is not None:
                yield _whole(block, where=where)
            block = None
            continue
        block = block or _Block(number)
        if line.startswith("#"):
            name, _, value = line[1:].partition("=")
            block.comments[name.strip()] = value.strip()
        else:
            block.words.append(_columns(line, where=f"{where}:{number}"))
    if block is not None:
        yield _whole(block, where=where)


def _columns(line: str, *, where: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        raise KostraError(
            f"found {len(columns)} column{'s' if len(columns) != 1 else ''}",
            where=where,
            accepted=f"{COLUMNS}, separated by tabs, or a comment that begins with #",
        )
    number = columns[0].replace("-", "").replace(".", "")
    if not number.isdecimal():
        raise KostraError(f'found "{columns[0]}" as a word\'s number', where=where, accepted="1, 1-2 or 1.1")
    return columns


def _whole(block: _Block, *, where: str) -> _Block:
    if not block.words:
        raise KostraError("the sentence has comments and no words", where=f"{where}:{block.line}")
    return block


def _joined(words: list[list[str]]) -> str:
    """The text that the words make: 2-3 stands for both words, and the empty word 2.1 for nothing."""
    text, covered = "", 0
    for number, form, *_, misc in words:
        first, _, last = number.partition("-")
        if "." in number or (not last and int(first) <= covered):
            continue
        covered = int(last) if last else covered
        text += form if "SpaceAfter=No" in misc.split("|") else f"{form} "
    return text.strip()


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

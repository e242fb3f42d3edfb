"""Incidents from JSONL, one a line: ``{"incident": …, "summary": …, "reports": […]}``.

A text is a string, which is split into sentences, or a list of sentences. A report is a text, or an object with
``text`` and maybe ``id`` and ``title``; so is a summary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.cells import Cells, read_all, read_cells
from kostra.sources.files import find_paths
from kostra.sources.split import split_text, splitter
from kostra.steps import Context, Inputs, Plan
from kostra.tables import DOCUMENTS, SENTENCES, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("documents", "sentences")

INCIDENT = ("incident", "incident_id", "id", "group")
SUMMARY = ("summary",)
REPORTS = ("reports", "articles", "documents")
ENDINGS = (".jsonl",)


class Options(Strict):
    """Which files."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns, relative to the project's folder; may be compressed."""


@dataclass(frozen=True)
class _Text:
    document: str
    kind: str
    group: str
    title: str | None
    text: str
    sentences: list[str] | None
    """The sentences, where the file has them split already."""
    line: int


def read_incidents(path: str | Path, *, language: str) -> tuple[dict[str, Frame], list[Finding]]:
    r"""Read one file of incidents into documents and sentences, labelled summary and report.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "news.jsonl"
    ...     _ = file.write_text('{"incident": "flood", "summary": ["It rained."], "reports": [["Rain.", "Wet."]]}\n')
    ...     found, _ = read_incidents(file, language="en")
    >>> found["documents"].select("document", "kind", "group", "text").row(1)
    ('flood-report-1', 'report', 'flood', 'Rain. Wet.')
    >>> found["sentences"].select("sentence", "text", "position", "label").row(2)
    ('flood-report-1-2', 'Wet.', 2, 'report')
    """
    cells = read_cells(path)
    incident = cells.find(None, INCIDENT, what="incident")
    summary = cells.find(None, SUMMARY, what="summary")
    reports = cells.find(None, REPORTS, what="reports")
    cells.note_left_out((incident, summary, reports))
    texts: list[_Text] = []
    for row, name in enumerate(cells.ids(files.stem(path), incident)):
        texts.append(_text(cells.columns[summary][row], f"{name}-summary", "summary", name, cells, row, summary))
        given = cells.columns[reports][row]
        if not isinstance(given, list) or not given:
            raise KostraError("found no report", where=cells.at(row, reports), accepted="a list of texts")
        for number, one in enumerate(given, 1):
            texts.append(_text(one, f"{name}-report-{number}", "report", name, cells, row, reports))
    if any(text.sentences is None for text in texts):
        cells.note("splitter", f"sentences split with {splitter(language)}")
    return _tables(texts, stem=files.stem(path), language=language, where=cells.where), cells.findings


def _text(given: Any, document: str, kind: str, group: str, cells: Cells, row: int, column: str) -> _Text:
    about = given if isinstance(given, dict) else {"text": given}
    text = about.get("text", about.get("sentences"))
    strings = [text] if isinstance(text, str) else text
    if not isinstance(strings, list) or not strings or not all(isinstance(one, str) and one.strip() for one in strings):
        raise KostraError(
            f"found no text in {document}",
            where=cells.at(row, column),
            accepted='a text, a list of sentences, or {"id": …, "title": …, "text": …}',
        )
    name, title = str(about.get("id") or document), about.get("title")
    split = None if isinstance(text, str) else strings
    return _Text(name, kind, group, None if title is None else str(title), " ".join(strings), split, cells.lines[row])


def _tables(texts: Sequence[_Text], *, stem: str, language: str, where: str) -> dict[str, Frame]:
    documents: dict[str, list[Any]] = {
        "document": [text.document for text in texts],
        "kind": [text.kind for text in texts],
        "group": [text.group for text in texts],
        "title": [text.title for text in texts],
        "text": [text.text for text in texts],
    }
    rows = [
        (f"{text.document}-{position}", sentence, text.document, position, text.group, text.kind, text.line)
        for text in texts
        for position, sentence in enumerate(text.sentences or _split(text.text, language), 1)
    ]
    names = ("sentence", "text", "document", "position", "group", "label")
    sentences: dict[str, list[Any]] = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    for made in (documents, sentences):
        count = len(made["document"])
        made |= {"source": [stem] * count, "language": [language] * count}
    lines = [text.line for text in texts]
    return {
        "documents": tables.from_cells(documents, DOCUMENTS, where=where, lines=lines),
        "sentences": tables.from_cells(sentences, SENTENCES, where=where, lines=[row[-1] for row in rows]),
    }


def _split(text: str, language: str) -> list[str]:
    return [span.text for span in split_text(text, language=language)]


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    rows = {kind: frame.height for kind, frame in _load(options, replace(context, findings=[])).items()}
    return Plan(f"reads {rows['documents']:,} summaries and reports from {some(options.paths)}", rows)


def watches(options: Options, context: Context) -> list[Path]:
    """The files read."""
    return find_paths(options.paths, folder=context.project, endings=ENDINGS)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    return _load(options, context)


def _load(options: Options, context: Context) -> dict[str, Frame]:
    def read(path: Path) -> tuple[dict[str, Frame], list[Finding]]:
        return read_incidents(path, language=context.recipe.recipe.language)

    return read_all(options.paths, read, context, endings=ENDINGS)

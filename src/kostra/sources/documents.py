"""Documents from the user's own files: reviews, articles, chapters; one a file (.txt) or one a row of a table.

`sources/split` makes sentences of them. A review keeps what it is about as its `group`: the book, the product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some, unknown
from kostra.recipe import Strict
from kostra.sources.cells import ENDINGS, read_all, read_cells
from kostra.sources.files import find_paths
from kostra.steps import Context, Inputs, Plan
from kostra.tables import DOCUMENTS, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("documents",)

ALIASES: dict[str, tuple[str, ...]] = {
    "document": ("document", "review_id", "doc_id", "document_id", "article_id", "id"),
    "text": ("text", "review_text", "review", "reviewText", "body", "content", "article"),
    "group": ("group", "book_id", "book", "product_id", "product", "asin", "incident", "theme"),
    "title": ("title", "summary", "headline", "book_title"),
    "kind": ("kind",),
    "source": ("source",),
    "language": ("language",),
}
"""Names under which other datasets keep our columns."""


class Options(Strict):
    """Which files."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns, relative to the project's folder; may be compressed."""
    kind: str | None = None
    """What the documents are, where the file does not say: review, report, …"""
    columns: dict[str, str] = Field(default_factory=dict)
    """document, text, group, title, kind, source or language to the file's column, where the names differ."""


def read_documents(
    path: str | Path, *, language: str, kind: str | None = None, columns: Mapping[str, str] | None = None
) -> tuple[Frame, list[Finding]]:
    r"""Read one file of documents: a plain text is one, a table holds one a row.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "reviews.jsonl"
    ...     _ = file.write_text('{"review_id": "r1", "book_id": 7, "review_text": "I laughed. I cried."}\n')
    ...     frame, findings = read_documents(file, language="en", kind="review")
    >>> frame.select("document", "kind", "group", "text").rows()
    [('r1', 'review', '7', 'I laughed. I cried.')]
    """
    where, stem = files.shown(path), files.stem(path)
    if files.uncompressed(path).suffix.lower() == ".txt":
        text = files.read_text(path)
        if not text.strip():
            raise KostraError("the file is empty", where=where, accepted="the text of a document")
        whole: dict[str, list[Any]] = {
            "document": [stem],
            "source": [stem],
            "language": [language],
            "kind": [kind],
            "text": [text],
        }
        return tables.from_cells(whole, DOCUMENTS, where=where, lines=[1]), []
    said = dict(columns or {})
    for ours in said:
        if ours not in ALIASES:
            raise unknown("column of documents", ours, ALIASES, where=where)
    cells = read_cells(path)
    text_column = cells.find(said.get("text"), ALIASES["text"], what="text")
    found = {ours: cells.maybe(said.get(ours), names) for ours, names in ALIASES.items()} | {"text": text_column}
    cells.note_left_out(found.values())
    defaults = {"kind": kind, "source": stem, "language": language}
    made: dict[str, list[Any]] = {
        ours: [cell or defaults.get(ours) for cell in cells.text(theirs)] for ours, theirs in found.items()
    }
    made["document"] = cells.ids(stem, found["document"])
    without = [row for row, text in enumerate(cells.text(text_column)) if not text.strip()]
    if without:
        cells.note("no_text", f"documents without text: {len(without):,}", without)
    return tables.from_cells(made, DOCUMENTS, where=where, lines=cells.lines), cells.findings


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    frame = _load(options, replace(context, findings=[]))
    return Plan(f"reads {frame.height:,} documents from {some(options.paths)}", {"documents": frame.height})


def watches(options: Options, context: Context) -> list[Path]:
    """The files read."""
    return find_paths(options.paths, folder=context.project, endings=(".txt", *ENDINGS))


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    return {"documents": _load(options, context)}


def _load(options: Options, context: Context) -> Frame:
    def read(path: Path) -> tuple[dict[str, Frame], list[Finding]]:
        language = context.recipe.recipe.language
        frame, findings = read_documents(path, language=language, kind=options.kind, columns=options.columns)
        return {"documents": frame}, findings

    return read_all(options.paths, read, context, endings=(".txt", *ENDINGS))["documents"]

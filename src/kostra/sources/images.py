"""Images in thematic groups with their captions: documents without text, and the sentences that describe them.

One caption a row (image, theme, caption, maybe author), or one image a row with a column per author (image, theme,
caption_a, caption_b). The images themselves are not opened: a document's title is where the image lies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError
from kostra.recipe import Strict
from kostra.sources.cells import Cells, read_all, read_cells
from kostra.sources.cells import watches as watches
from kostra.steps import Context, Inputs, Plan
from kostra.tables import DOCUMENTS, SENTENCES, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("documents", "sentences")

IMAGE = ("image", "image_id", "document", "photo", "id")
THEME = ("theme", "group", "topic", "category")
AUTHOR = ("author", "annotator", "label")
CAPTION = ("caption", "text", "description", "sentence")
FILE = ("file", "path", "url", "filename")
_WIDE = re.compile(r"(?:caption|description|text)[ _-]?(\w+)", re.IGNORECASE)


class Options(Strict):
    """Which files, and which of their columns."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns, relative to the project's folder; may be compressed."""
    columns: dict[str, str] = Field(default_factory=dict)
    """image, theme, caption, author or file to the file's column, where the names differ."""
    captions: tuple[str, ...] = ()
    """Columns of captions, where each author has a column."""


def read_images(
    path: str | Path, *, language: str, columns: Mapping[str, str] | None = None, captions: Sequence[str] = ()
) -> tuple[dict[str, Frame], list[Finding]]:
    r"""Read one file of images and captions into documents and sentences.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dogs.csv"
    ...     _ = file.write_text("image,theme,caption_a,caption_b\ni1,dogs,A dog runs.,A dog is running.\n")
    ...     found, findings = read_images(file, language="en")
    >>> found["documents"].select("document", "kind", "group").rows()
    [('i1', 'image', 'dogs')]
    >>> found["sentences"].select("sentence", "text", "document", "group", "label").row(1)
    ('i1-b', 'A dog is running.', 'i1', 'dogs', 'b')
    """
    said = dict(columns or {})
    cells = read_cells(path)
    image = cells.find(said.get("image"), IMAGE, what="image")
    theme = cells.find(said.get("theme"), THEME, what="theme")
    wide = _wide(cells, captions)
    caption = said.get("caption") or (None if wide else cells.find(None, CAPTION, what="caption"))
    author = cells.maybe(said.get("author"), AUTHOR) if caption else None
    place = cells.maybe(said.get("file"), FILE)
    cells.note_left_out((image, theme, caption, author, place, *wide))
    stem = files.stem(path)
    documents = _documents(cells, image, theme, place, stem=stem, language=language)
    sentences = _long(cells, image, theme, caption, author) if caption else _per_author(cells, image, theme, wide)
    lines = [row["line"] for row in sentences]
    made: dict[str, list[Any]] = {name: [row[name] for row in sentences] for name in sentences[0] if name != "line"}
    made |= {"source": [stem] * len(lines), "language": [language] * len(lines)}
    return {
        "documents": documents,
        "sentences": tables.from_cells(made, SENTENCES, where=cells.where, lines=lines),
    }, cells.findings


def _wide(cells: Cells, said: Sequence[str]) -> dict[str, str]:
    """The columns of captions, each with the author it belongs to."""
    for name in said:
        cells.maybe(name, ())
    names = said or [name for name in cells.columns if _WIDE.fullmatch(name)]
    found = {name: (m[1] if (m := _WIDE.fullmatch(name)) else name) for name in names}
    return found if said or len(found) > 1 else {}


def _documents(cells: Cells, image: str, theme: str, place: str | None, *, stem: str, language: str) -> Frame:
    themes: dict[str, tuple[str, int]] = {}
    for row, (name, group) in enumerate(zip(cells.needed(image), cells.needed(theme), strict=True)):
        before = themes.setdefault(name, (group, row))
        if before[0] != group:
            raise KostraError(
                f'image "{name}" is in the theme "{group}" here, and in "{before[0]}" on line {cells.lines[before[1]]}',
                where=cells.at(row, theme),
                accepted="one theme for each image",
            )
    titles = cells.text(place)
    rows: dict[str, list[Any]] = {
        "document": list(themes),
        "source": [stem] * len(themes),
        "language": [language] * len(themes),
        "kind": ["image"] * len(themes),
        "group": [group for group, _ in themes.values()],
        "title": [titles[row] or None for _, row in themes.values()],
    }
    lines = [cells.lines[row] for _, row in themes.values()]
    return tables.from_cells(rows, DOCUMENTS, where=cells.where, lines=lines)


def _long(cells: Cells, image: str, theme: str, caption: str, author: str | None) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    rows = []
    people = cells.text(author)
    given = zip(cells.needed(image), cells.needed(theme), cells.needed(caption), people, strict=True)
    for row, (name, group, text, who) in enumerate(given):
        seen[name] = seen.get(name, 0) + 1
        rows.append(_sentence(f"{name}-{who or seen[name]}", text, name, group, who or None, cells.lines[row]))
    return rows


def _per_author(cells: Cells, image: str, theme: str, wide: Mapping[str, str]) -> list[dict[str, Any]]:
    cells.ids("", image)  # one row for each image
    rows = []
    empty: list[int] = []
    by_column = {column: cells.text(column) for column in wide}
    for row, (name, group) in enumerate(zip(cells.needed(image), cells.needed(theme), strict=True)):
        for column, who in wide.items():
            if by_column[column][row].strip():
                text = by_column[column][row]
                rows.append(_sentence(f"{name}-{who}", text, name, group, who, cells.lines[row]))
            else:
                empty.append(row)
    if empty:
        cells.note("no_caption", f"captions that are empty: {len(empty):,}", empty)
    if not rows:
        raise KostraError("no image has a caption", where=cells.where)
    return rows


def _sentence(name: str, text: str, image: str, theme: str, author: str | None, line: int) -> dict[str, Any]:
    return {"sentence": name, "text": text, "document": image, "group": theme, "label": author, "line": line}


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    found = _load(options, replace(context, findings=[]))
    rows = {kind: frame.height for kind, frame in found.items()}
    return Plan(f"reads {rows['sentences']:,} captions of {rows['documents']:,} images", rows)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files, and count images and captions of each theme."""
    found = _load(options, context)
    documents = found["documents"]
    themes = documents["group"].n_unique()
    captions = found["sentences"].group_by("document").len()["len"].to_list()
    each = f"{min(captions)} to {max(captions)} captions each"
    context.note("themes", f"images: {documents.height:,}, in {themes:,} themes, with {each}")
    return found


def _load(options: Options, context: Context) -> dict[str, Frame]:
    def read(path: Path) -> tuple[dict[str, Frame], list[Finding]]:
        language = context.recipe.recipe.language
        return read_images(path, language=language, columns=options.columns, captions=options.captions)

    return read_all(options.paths, read, context)

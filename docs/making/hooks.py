"""Adds the generated reference to the pages while mkdocs builds them, so that it cannot drift from the code."""

from __future__ import annotations

from typing import Any

from mkdocs.structure.files import File

from docs.making.reference import pages


def on_files(files: Any, *, config: Any) -> Any:
    """Lay the generated pages beside the written ones."""
    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files

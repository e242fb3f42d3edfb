"""Personal data of a project: files in its folder ``private``, for their owner alone; nothing of it is released."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from kostra import files

PRIVATE = "private"
"""The folder of a project in which personal data lie."""


def write_private(rows: Sequence[Sequence[str]], path: Path) -> None:
    """Write a table that only its owner can read, whole or not at all; its first row is the header."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    if not path.exists():
        path.touch(mode=0o600)  # which the written file keeps
    files.write_text(stream.getvalue(), path)

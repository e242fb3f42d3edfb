"""Readers of datasets in the form in which their authors released them: one file per form.

A reader is a module with a function ``read(path) -> Released``. It names the quirks it finds and mends none.
"""

from __future__ import annotations

from dataclasses import dataclass

from kostra.tables import Finding, Frame


@dataclass(frozen=True)
class Released:
    """A released dataset as kostra's tables."""

    name: str
    citation: str
    language: str
    low: float
    """Lower end of the score range that the authors declare."""
    high: float
    tables: dict[str, Frame]
    """By kind: pairs or sentences, scores, judgments, as far as they were released."""
    findings: tuple[Finding, ...]
    """What is odd about the files, with lines."""

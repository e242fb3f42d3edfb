"""What an evaluation says: numbers with their intervals, and what was counted on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WHOLE = "all"
"""The part that is everything together; it is computed on all rows, never as a mean of the parts."""


@dataclass(frozen=True)
class Measure:
    """One number about one part of a dataset.

    Examples
    --------
    >>> Measure(part="all", metric="cosine_spearman", value=0.5, low=0.4, high=0.6, n=10).n
    10
    """

    part: str
    """``all``, or the source, subset, type or bin."""
    metric: str
    """As MTEB calls it where MTEB has it: ``cosine_spearman``, ``accuracy``."""
    value: float | None
    """None where the number is undefined; the note says why."""
    low: float | None = None
    high: float | None = None
    n: int = 0
    """How many rows it was computed from."""
    note: str = ""


@dataclass(frozen=True)
class Evaluation:
    """One encoder on one dataset and one task.

    Examples
    --------
    >>> measure = Measure(part="all", metric="cosine_spearman", value=0.5, n=10)
    >>> Evaluation(encoder="dice", dataset="mine", task="relatedness", measures=(measure,)).value("cosine_spearman")
    0.5
    """

    encoder: str
    dataset: str
    task: str
    measures: tuple[Measure, ...]
    revision: str = ""
    """Of the encoder, where it has one."""
    dataset_revision: str = ""
    """A hash of the rows that were evaluated, so that two results can be compared honestly."""
    languages: tuple[str, ...] = ()
    """As MTEB writes them, such as ``ces-Latn``."""
    split: str = "test"
    protocol: str = "whole"
    similarity: str = ""
    """cosine, dot, euclidean, or ``own`` for the number of a pair encoder."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Zero vectors, ties, empty sentences, dropped rows, …: what the conventions were applied to, and how often."""
    seconds: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)
    """Folds, seeds, sources: whatever JSON can hold."""

    def measure(self, metric: str, part: str = WHOLE) -> Measure | None:
        """The measure of that name and part, if there is one."""
        return next((one for one in self.measures if (one.metric, one.part) == (metric, part)), None)

    def value(self, metric: str, part: str = WHOLE) -> float | None:
        """Its value, if there is one."""
        found = self.measure(metric, part)
        return found.value if found else None

"""What was noticed about a file but not mended: each finding with its lines, never silent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kostra.errors import some
from kostra.text import bare, near_duplicates


@dataclass(frozen=True)
class Finding:
    """Something worth knowing about a file: reported with its lines, never silently mended."""

    kind: str
    message: str
    where: str
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        place = f"{self.where}: {self.message}"
        return f"{place} (line{'s' if len(self.lines) > 1 else ''} {some(self.lines, 8)})" if self.lines else place


def near_duplicate_findings(
    texts: Sequence[str], lines: Sequence[int], *, where: str, key: Callable[[str], str] = bare
) -> list[Finding]:
    """Report strings that are one item to a reader and several to a computer.

    Examples
    --------
    >>> print(*near_duplicate_findings(["a b", "a  b", "c"], [2, 3, 4], where="x"))
    x: 3 different strings are only 2 once white space and punctuation are ignored, e.g. "a b" and "a  b" (lines 2, 3)
    """
    groups = near_duplicates(texts, lines, key=key)
    if not groups:
        return []
    strings = len(set(texts))
    distinct = strings - sum(len(group.texts) - 1 for group in groups)
    example = groups[0].texts
    message = (
        f"{strings:,} different strings are only {distinct:,} once white space and punctuation are ignored, "
        f'e.g. "{short(example[0])}" and "{short(example[1])}"'
    )
    ordered = sorted({line for group in groups for line in group.lines})
    return [Finding("near_duplicates", message, where, tuple(ordered))]


def range_findings(
    values: Iterable[float | None], lines: Iterable[int], *, low: float, high: float, where: str, column: str
) -> list[Finding]:
    """Report numbers outside the declared range, with their lines.

    Examples
    --------
    >>> print(*range_findings([0, -4, 6], [1, 2, 3], low=0, high=6, where="x.tsv", column="score"))
    x.tsv: 1 value of "score" outside 0 to 6: -4 (line 2)
    """
    bad = [
        (value, line)
        for value, line in zip(values, lines, strict=True)
        if value is not None and not low <= value <= high
    ]
    if not bad:
        return []
    found = some([f"{value:g}" for value, _ in bad])
    message = f'{len(bad):,} value{"s" if len(bad) > 1 else ""} of "{column}" outside {low:g} to {high:g}: {found}'
    return [Finding("out_of_range", message, where, tuple(line for _, line in bad))]


def short(text: str, most: int = 60) -> str:
    """The beginning of a text, for a message.

    Examples
    --------
    >>> short("as long as it gets", 8)
    'as long…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"

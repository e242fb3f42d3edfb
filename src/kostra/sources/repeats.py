"""Pairs that stand more than once: found and reported, never dropped."""

from __future__ import annotations

from collections.abc import Sequence

from kostra.tables import Finding


def pair_findings(first: Sequence[str], second: Sequence[str], lines: Sequence[int], *, where: str) -> list[Finding]:
    """Report pairs that stand more than once, in the same order or swapped, and pairs of one sentence with itself.

    The lines of a repeated pair follow one another.

    Examples
    --------
    >>> for finding in pair_findings(["a", "b", "a", "b"], ["b", "a", "b", "b"], [1, 2, 3, 4], where="x.tsv"):
    ...     print(finding)
    x.tsv: 1 pair stands more than once (rows that repeat an earlier one: 1) (lines 1, 3)
    x.tsv: 1 pair also stands with its sentences swapped (lines 1, 2, 3)
    x.tsv: 1 pair consists of one sentence twice (line 4)
    """
    ordered: dict[tuple[str, str], list[int]] = {}
    unordered: dict[tuple[str, ...], list[int]] = {}
    for a, b, line in zip(first, second, lines, strict=True):
        ordered.setdefault((a, b), []).append(line)
        unordered.setdefault(tuple(sorted((a, b))), []).append(line)
    repeated = [group for group in ordered.values() if len(group) > 1]
    swapped = [group for (a, b), group in unordered.items() if a != b and (a, b) in ordered and (b, a) in ordered]
    alike = [group for (a, b), group in ordered.items() if a == b]
    findings = []
    if repeated:
        spare = sum(len(group) - 1 for group in repeated)
        said = f"{_pairs_do(len(repeated), 'stand')} more than once (rows that repeat an earlier one: {spare:,})"
        findings.append(Finding("duplicates", said, where, _flat(repeated)))
    if swapped:
        said = (
            f"{len(swapped):,} pairs also stand with their sentences swapped"
            if len(swapped) > 1
            else "1 pair also stands with its sentences swapped"
        )
        findings.append(Finding("swapped_duplicates", said, where, _flat(swapped)))
    if alike:
        same = _flat(alike)
        said = f"{_pairs_do(len(same), 'consist')} of one sentence twice"
        findings.append(Finding("identical_sentences", said, where, tuple(sorted(same))))
    return findings


def _pairs_do(count: int, verb: str) -> str:
    return f"{count:,} pairs {verb}" if count > 1 else f"1 pair {verb}s"


def _flat(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(line for group in groups for line in group)

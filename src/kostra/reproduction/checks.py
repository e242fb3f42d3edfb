"""One published figure beside one computed from the released data, and the verdict that follows from the two.

*equal*
    the computed figure, rounded to the digits that the paper prints, is the printed one; or it lies within a tolerance
    that the check names and explains (as for means over random folds, which nobody can repeat exactly);
*close*
    not equal, but within 2% of the printed figure;
*differs*
    further away; the check says why, as far as that is known;
*not released*
    what the figure rests on is not in the released files, or the figure is a picture without numbers.

Published figures are kept as the paper prints them; nothing that stands as computed is typed in. A total or a share
that follows from other figures of the same table is computed from those as they are printed, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["equal", "close", "differs", "not released"]
VERDICTS: tuple[Verdict, ...] = ("equal", "close", "differs", "not released")
CLOSE = 0.02
"""Share of the published figure within which a computed one is close."""

_CRUMB = 1e-9


@dataclass(frozen=True)
class Check:
    """One cell of a table, or one figure of the text.

    Examples
    --------
    >>> compare("Table 5", "ban, string", "0.819", 0.81903).verdict
    'equal'
    >>> check = compare("Table 5", "past, string", "0.864", 0.8416, otherwise="later versions added sentences")
    >>> check.verdict, round(check.difference, 4), check.why
    ('differs', -0.0224, 'later versions added sentences')
    """

    table: str
    """Table 3, Figure 1, §4: where the paper has it."""
    cell: str
    published: str
    """As printed; empty where the paper prints a picture."""
    computed: float | None
    tolerance: float = 0.0
    """How far the two may be apart and still count as equal."""
    why: str = ""

    @property
    def number(self) -> float | None:
        """The published figure as a number, where it is one."""
        return number_of(self.published)

    @property
    def difference(self) -> float | None:
        """Computed minus published."""
        return None if self.computed is None or self.number is None else self.computed - self.number

    @property
    def verdict(self) -> Verdict:
        """What follows from the two figures and the tolerance."""
        away, number = self.difference, self.number
        if away is None or number is None:
            return "not released"
        if abs(away) <= self.tolerance + _CRUMB:
            return "equal"
        return "close" if abs(away) <= CLOSE * abs(number) + _CRUMB else "differs"

    def plain(self) -> dict[str, Any]:
        """The check ready for JSON: numbers as numbers, what there is not as null."""
        return {
            "table": self.table,
            "cell": self.cell,
            "published": _json_number(self.published),
            "computed": None if self.computed is None else _whole(self.computed),
            "difference": None if self.difference is None else _whole(round(self.difference, 12)),
            "tolerance": None if self.computed is None else self.tolerance,
            "verdict": self.verdict,
            "why": self.why,
        }


def compare(
    table: str,
    cell: str,
    published: str,
    computed: float,
    *,
    tolerance: float | None = None,
    how: str = "",
    otherwise: str = "",
) -> Check:
    """Set a computed figure beside a published one.

    Parameters
    ----------
    published
        As the paper prints it: its digits decide what *equal* means.
    tolerance
        Another distance that counts as equal; half a unit of the last printed digit unless named.
    how
        What is worth knowing of the computation, whatever comes out.
    otherwise
        Why the two are not equal, if they are not.
    """
    if number_of(published) is None or not math.isfinite(computed):
        raise ValueError(f"{table}, {cell}: {published!r} and {computed!r} cannot be compared")
    plain = Check(table, cell, published, computed, half_unit(published) if tolerance is None else tolerance, how)
    if plain.verdict == "equal":
        return plain
    reason = otherwise or "why is not known"
    return Check(table, cell, published, computed, plain.tolerance, f"{reason}; {how}" if how else reason)


def not_released(table: str, cells: Mapping[str, str] | Iterable[str], why: str) -> list[Check]:
    """Cells that the released files do not allow to recompute, with what the paper prints in them.

    Examples
    --------
    >>> [one] = not_released("Table 3", {"split-half reliability": "0.84"}, "no answers were released")
    >>> one.verdict, one.plain()["published"], one.plain()["computed"]
    ('not released', 0.84, None)
    """
    named = cells if isinstance(cells, Mapping) else dict.fromkeys(cells, "")
    return [Check(table, cell, published, None, why=why) for cell, published in named.items()]


def shares(table: str, counts: Mapping[str, str], printed: Mapping[str, str]) -> list[Check]:
    """The shares of a printed table, computed from its printed counts.

    Examples
    --------
    >>> [one.verdict for one in shares("Table 1", {"a": "1", "b": "2"}, {"a": "33.3%", "b": "66.6%"})]
    ['equal', 'close']
    """
    number = {name: number_of(count) or 0.0 for name, count in counts.items()}
    total = sum(number.values())
    return [
        compare(
            table,
            f"{name}, share",
            share,
            100 * number[name] / total,
            how=f"{number[name]:,.0f} of {total:,.0f}, as printed",
            otherwise="the share does not follow from the counts of the table",
        )
        for name, share in printed.items()
    ]


def total(table: str, cell: str, printed: str, parts: Iterable[str], *, otherwise: str = "") -> Check:
    """A printed total beside the sum of the printed parts.

    Examples
    --------
    >>> total("Table 2", "ALL", "3", ["1", "2"]).verdict
    'equal'
    """
    summed = sum(number_of(part) or 0.0 for part in parts)
    return compare(table, cell, printed, summed, how="sum of the rows as printed", otherwise=otherwise)


def grid(columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The cells of a printed table by name, "row, column"; empty cells are left out.

    Examples
    --------
    >>> grid(["CV", "LOOut"], {"STS": ["0.79", "0.82"]})
    {'STS, CV': '0.79', 'STS, LOOut': '0.82'}
    """
    return {
        f"{row}, {column}": printed
        for row, cells in rows.items()
        for column, printed in zip(columns, cells, strict=True)
        if printed
    }


def number_of(printed: str) -> float | None:
    """The number that is printed, without sign of percent and thousands' commas; None where it is none.

    Examples
    --------
    >>> number_of("4,262"), number_of("96.8%"), number_of("19:50")
    (4262.0, 96.8, None)
    """
    try:
        return float(printed.removesuffix("%").replace(",", ""))
    except ValueError:
        return None


def half_unit(printed: str) -> float:
    """Half a unit of the last digit that is printed; 0 for whole numbers, which are counts.

    Examples
    --------
    >>> half_unit("0.57"), half_unit("1978")
    (0.005, 0.0)
    """
    decimals = len(printed.removesuffix("%").partition(".")[2])
    return 0.5 * 10.0**-decimals if decimals else 0.0


def _json_number(printed: str) -> float | int | str | None:
    number = number_of(printed)
    return printed or None if number is None else _whole(number)


def _whole(number: float) -> float | int:
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else float(number)


@dataclass(frozen=True)
class Picture:
    """A figure of the paper drawn again from the released data."""

    figure: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Reproduction:
    """All checks of one paper."""

    paper: str
    title: str
    citation: str
    files: tuple[str, ...]
    """What was read."""
    checks: tuple[Check, ...]
    pictures: tuple[Picture, ...] = ()
    findings: tuple[str, ...] = ()
    """What was noticed in the files."""
    counts: Mapping[Verdict, int] = field(init=False)

    def __post_init__(self) -> None:
        found = [check.verdict for check in self.checks]
        object.__setattr__(self, "counts", {verdict: found.count(verdict) for verdict in VERDICTS})

    def plain(self) -> dict[str, Any]:
        """The reproduction ready for JSON."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "files": list(self.files),
            "counts": dict(self.counts),
            "checks": [check.plain() for check in self.checks],
        }

    def tables(self) -> dict[str, list[Check]]:
        """The checks by table, in the order of the paper."""
        found: dict[str, list[Check]] = {}
        for check in self.checks:
            found.setdefault(check.table, []).append(check)
        return found

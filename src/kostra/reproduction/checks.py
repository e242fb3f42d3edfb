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

Published figures are kept as the paper prints them; nothing that stands as computed is typed in, and nothing is
computed from anything but the released files. A total or a share that follows from other printed figures is therefore
*not released* like those; its reason says what the printed figures give.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kostra import files
from kostra.errors import KostraError

Verdict = Literal["equal", "close", "differs", "not released"]
VERDICTS: tuple[Verdict, ...] = ("equal", "close", "differs", "not released")
CLOSE = 0.02
"""Share of the published figure within which a computed one is close."""

AS_RELEASED = "the files as their authors released them"
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
    if number_of(published) is None:
        raise ValueError(f"{table}, {cell}: {published!r} is no figure")
    if not math.isfinite(computed):
        raise KostraError(f"{table}, {cell}: what the files hold gives no such figure", accepted=AS_RELEASED)
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


def as_printed(table: str, cell: str, printed: str, follows: float, *, of: str, why: str) -> Check:
    """A figure that rests on nothing released, beside what other printed figures give.

    Parameters
    ----------
    follows
        What the other printed figures give.
    of
        Which these are, and how they give it.
    why
        Why none of them can be recomputed.

    Examples
    --------
    >>> one = as_printed("Table 1", "Total", "65", 69, of="the rows as printed add up to", why="no ideas were released")
    >>> one.verdict, one.why
    ('not released', 'no ideas were released; the rows as printed add up to 69')
    """
    number = number_of(printed)
    fits = number is not None and abs(follows - number) <= half_unit(printed) + _CRUMB
    decimals = _decimals(printed) + (0 if fits or not _decimals(printed) else 1)
    return Check(table, cell, printed, None, why=f"{why}; {of} {follows:,.{decimals}f}")


def shares(table: str, counts: Mapping[str, str], printed: Mapping[str, str], *, why: str) -> list[Check]:
    """The shares of a printed table, which follow from its printed counts.

    Examples
    --------
    >>> one, two = shares("T", {"a": "1", "b": "2"}, {"a": "33.3%", "b": "66.6%"}, why="no answers were released")
    >>> one.why
    'no answers were released; 1 of 3, as printed, in percent: 33.3'
    >>> two.why  # so that 66.7% should stand there
    'no answers were released; 2 of 3, as printed, in percent: 66.67'
    """
    number = {name: number_of(count) or 0.0 for name, count in counts.items()}
    total = sum(number.values())
    return [
        as_printed(
            table,
            f"{name}, share",
            share,
            100 * number[name] / total,
            of=f"{number[name]:,.0f} of {total:,.0f}, as printed, in percent:",
            why=why,
        )
        for name, share in printed.items()
    ]


def total(table: str, cell: str, printed: str, parts: Iterable[str], *, why: str) -> Check:
    """A printed total beside the sum of the printed parts.

    Examples
    --------
    >>> total("Table 2", "ALL", "3", ["1", "2"], why="no pairs were released").why
    'no pairs were released; the rows as printed add up to 3'
    """
    summed = sum(number_of(part) or 0.0 for part in parts)
    return as_printed(table, cell, printed, summed, of="the rows as printed add up to", why=why)


def completeness(rows: int, released: int, path: Path) -> list[str]:
    """What to say of a file with fewer or more rows than were released.

    Raises
    ------
    KostraError
        If less than half of the file is there, so that whole parts of a table may be missing.

    Examples
    --------
    >>> completeness(5500, 5500, Path("str2022.csv")), completeness(5499, 5500, Path("str2022.csv"))
    ([], ['str2022.csv: 5,499 rows where 5,500 were released'])
    """
    said = f"{rows:,} rows where {released:,} were released"
    if 2 * rows < released:
        raise KostraError(said, where=files.shown(path), accepted=AS_RELEASED)
    return [] if rows == released else [f"{files.shown(path)}: {said}"]


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
    decimals = _decimals(printed)
    return 0.5 * 10.0**-decimals if decimals else 0.0


def _decimals(printed: str) -> int:
    return len(printed.removesuffix("%").partition(".")[2])


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
            "checks": [check.plain() for check in self.checks],
        }

    def tables(self) -> dict[str, list[Check]]:
        """The checks by table, in the order of the paper."""
        found: dict[str, list[Check]] = {}
        for check in self.checks:
            found.setdefault(check.table, []).append(check)
        return found

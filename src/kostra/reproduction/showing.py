"""A reproduction in words: numbers as they are shown, and the table for a terminal."""

from __future__ import annotations

from itertools import groupby

from kostra.reproduction.checks import CLOSE, Check, Reproduction, Verdict

MEANING: dict[Verdict, str] = {
    "equal": "rounded to the digits that the paper prints, the computed figure is the printed one; "
    "or it lies within a tolerance that is named",
    "close": f"not equal, but within {CLOSE:.0%} of the printed figure",
    "differs": "further away",
    "not released": "what the figure rests on is not in the released files, or it is a picture without numbers",
}
_CELL = 52


def shown(check: Check) -> str:
    """The computed figure with one digit more than the paper prints.

    Examples
    --------
    >>> shown(Check("Table 5", "ban", "0.819", 0.8190262)), shown(Check("Table 3", "total", "10,000", 10000.0))
    ('0.8190', '10,000')
    """
    return "" if check.computed is None else _with_decimals(check.computed, check)


def difference(check: Check) -> str:
    """Computed minus published, with its sign; 0 where nothing is left.

    Examples
    --------
    >>> difference(Check("Table 2", "RAW", "0.8787", 0.8755))
    '−0.003200'
    """
    if check.difference is None:
        return ""
    if abs(check.difference) < 1e-12:
        return "0"
    return f"{'−' if check.difference < 0 else '+'}{_with_decimals(abs(check.difference), check, more=2)}"


def _with_decimals(number: float, check: Check, more: int = 1) -> str:
    decimals = len(check.published.removesuffix("%").partition(".")[2])
    whole = not decimals and float(number).is_integer()
    return f"{number:,.0f}" if whole else f"{number:,.{decimals + more}f}"


def summary(found: Reproduction) -> str:
    """How many figures got which verdict."""
    counted = ", ".join(f"{count:,} {verdict}" for verdict, count in found.counts.items())
    return f"{len(found.checks):,} figures: {counted}"


def lines(found: Reproduction) -> list[str]:
    """The table for a terminal: every figure that was computed, and in one line what was not released and why."""
    made = [found.title, f"from {', '.join(found.files)}", ""]
    made.append(f"{'':<{_CELL}}{'published':>11}{'computed':>12}{'difference':>13}  verdict")
    for table, checks in found.tables().items():
        made.append(table)
        computed = [check for check in checks if check.computed is not None]
        for why, group in groupby(computed, key=lambda check: check.why):
            made += [_row(check) for check in group]
            made += [f"    {why}"] if why else []
        missing = [check for check in checks if check.computed is None]
        for why, group in groupby(missing, key=lambda check: check.why):
            cells = [check.cell for check in group]
            named = cells[0] if len(cells) == 1 else f"{len(cells)} figures"
            made.append(f"  {named}: not released: {why}")
    odd = ["", "odd about the files", *(f"  {finding}" for finding in found.findings)] if found.findings else []
    return [*made, *odd, "", summary(found)]


def _row(check: Check) -> str:
    cell = check.cell if len(check.cell) < _CELL - 2 else f"{check.cell[: _CELL - 4]}…"
    numbers = f"{check.published:>11}{shown(check):>12}{difference(check):>13}"
    return f"  {cell:<{_CELL - 2}}{numbers}  {check.verdict}"

"""Numbers in words: the few forms in which the report shows a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def number(value: float | None, digits: int = 2) -> str:
    """A value with a fixed number of digits and a real minus sign; "undefined" where there is none.

    Examples
    --------
    >>> number(-0.256), number(None)
    ('−0.26', 'undefined')
    >>> number(-0.001)
    '0.00'
    """
    if value is None:
        return "undefined"
    text = f"{value:,.{digits}f}"
    if not float(text.replace(",", "")):
        text = text.removeprefix("-")
    return text.replace("-", "−")


def measured(value: float | None) -> str:
    """A statistic of whatever size: three digits for a coefficient, none for a count.

    Examples
    --------
    >>> measured(0.7426), measured(25.31), measured(1234.0)
    ('0.743', '25.3', '1,234')
    """
    size = abs(value or 0)
    return number(value, 3 if size < 10 else 1 if size < 100 and size % 1 else 0)


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """The ends of an interval, or nothing.

    Examples
    --------
    >>> interval(-0.1, 0.25)
    '−0.10 to 0.25'
    """
    return "" if low is None or high is None else f"{number(low, digits)} to {number(high, digits)}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    Examples
    --------
    >>> counted(1, "pair"), counted(1200, "pair"), counted(2, "person", "people")
    ('1 pair', '1,200 pairs', '2 people')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def rows(tables: Mapping[str, int]) -> str:
    """How many of what the tables hold.

    Examples
    --------
    >>> rows({"judgments": 2880, "annotators": 1})
    '2,880 judgments, 1 annotator'
    """
    return ", ".join(counted(count, kind.removesuffix("s"), kind) for kind, count in tables.items())


def listed(parts: Sequence[str]) -> str:
    """Parts as in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)

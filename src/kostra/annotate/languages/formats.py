"""Numbers and moments as a language writes them, by the Unicode CLDR that Babel carries."""

from __future__ import annotations

import math
from datetime import datetime
from functools import cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_skeleton
from babel.numbers import format_decimal, format_percent

NOTHING = "–"
"""What stands where there is no number and no moment."""


@cache
def locale_of(language: str) -> Locale:
    """What is known of a language; of one that nobody has described, what is known of English."""
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale("en")


def number(value: float | None, language: str, places: int = 0) -> str:
    """A number with so many places.

    Examples
    --------
    >>> number(12345, "en"), number(-0.5, "cs", 2), number(float("nan"), "pl")
    ('12,345', '−0,50', '–')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    pattern = "#,##0" + ("." + "0" * places if places else "")
    rounded = round(float(value), places) + 0.0  # never −0
    return format_decimal(rounded, format=pattern, locale=locale_of(language)).replace("-", "−")


def share(value: float | None, language: str) -> str:
    """A share in per cent.

    Examples
    --------
    >>> share(0.123, "en"), share(0.5, "cs") == "50\N{NO-BREAK SPACE}%"
    ('12%', True)
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    return format_percent(value, format=None, locale=locale_of(language))


def moment(at: datetime | None, language: str) -> str:
    """A moment, to the minute.

    English is read in many countries, which write dates in different orders: there it is that of ISO 8601.

    Examples
    --------
    >>> from datetime import UTC
    >>> at = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    >>> moment(at, "en"), moment(at, "cs"), moment(at, "pl")
    ('2026-01-02 03:04', '2. 1. 2026 3:04', '2.01.2026 03:04')
    """
    if at is None:
        return NOTHING
    if language == "en":
        return f"{at:%Y-%m-%d %H:%M}"
    locale = locale_of(language)
    return f"{format_skeleton('yMd', at, locale=locale)} {format_skeleton('Hm', at, locale=locale)}"


def day(at: datetime, language: str, *, year: bool = False) -> str:
    """A day, for the axis of a chart.

    Examples
    --------
    >>> from datetime import UTC
    >>> at = datetime(2026, 1, 2, tzinfo=UTC)
    >>> day(at, "en"), day(at, "cs"), day(at, "cs", year=True)
    ('01-02', '2. 1.', '2. 1. 2026')
    """
    if language == "en":
        return f"{at:%Y-%m-%d}" if year else f"{at:%m-%d}"
    return str(format_skeleton("yMd" if year else "Md", at, locale=locale_of(language)))

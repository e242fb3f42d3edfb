"""How far the scores can be trusted: one file per statistic."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A statistic with its interval.

    Attributes
    ----------
    value
        The estimate; NaN where it is undefined, and then `note` says why.
    low, high
        Ends of the 95% interval; NaN where none was asked for or none is meaningful.
    n
        Units it rests on: items, unless the note says otherwise.
    note
        Convention, or the reason why it is undefined.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    note: str = ""


def plain_estimate(estimate: Estimate) -> dict[str, float | int | str | None]:
    """An estimate ready for JSON: what is undefined is None.

    Examples
    --------
    >>> plain_estimate(Estimate(0.5, n=3))
    {'value': 0.5, 'low': None, 'high': None, 'n': 3, 'note': ''}
    """
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    numbers = {name: value if math.isfinite(value) else None for name, value in ends.items()}
    return {**numbers, "n": estimate.n, "note": estimate.note}

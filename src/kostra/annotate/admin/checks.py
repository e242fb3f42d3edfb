"""Answers that are checked: gold questions against what is known, repeats against what the same person said before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from kostra.annotate.admin.ledger import STATUSES, Answers, Floats, Ints, kind_of, moment
from kostra.campaign.protocol import Phase
from kostra.reliability import Estimate
from kostra.resample import bootstrap_interval

POINTS = 16
"""Moments at which a figure is told in its history."""
SAMPLES, HISTORY_SAMPLES = 500, 60

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Point:
    """A figure as it was when so many answers were there."""

    at: datetime
    answers: int
    value: float
    low: float
    high: float


def moments_of(total: int) -> list[int]:
    """How many answers there were at each moment of a history, the last of them all.

    Examples
    --------
    >>> moments_of(5), len(moments_of(1000))
    ([2, 3, 4, 5], 16)
    """
    counts = np.unique(np.linspace(total / POINTS, total, POINTS).astype(int))
    found: list[int] = counts[counts >= 2].tolist()
    return found


@dataclass(frozen=True)
class Checks:
    """Checked answers in the order of the log."""

    at: Floats
    who: Ints
    right: Floats
    """From 0, wrong, to 1, right."""
    noun: str

    def estimate(self) -> Estimate:
        """The share that was right; the interval draws annotators, whose answers go together."""
        return self._share(len(self.who), SAMPLES)

    def history(self) -> list[Point]:
        """The share as it was at some moments."""
        points = []
        for count in moments_of(len(self.who)):
            found = self._share(count, HISTORY_SAMPLES)
            points.append(Point(moment(self.at[count - 1]), count, found.value, found.low, found.high))
        return points

    def _share(self, count: int, samples: int) -> Estimate:
        _, person = np.unique(self.who[:count], return_inverse=True)
        seen, good = np.bincount(person), np.bincount(person, self.right[:count])

        def share(drawn: Ints) -> Floats:
            return np.asarray(good[drawn].sum(axis=1) / seen[drawn].sum(axis=1))

        value, said = float(good.sum() / seen.sum()), f"{count:,} {self.noun}"
        if len(seen) < 3:
            return Estimate(value, n=len(seen), note=f"{said}; too few annotators for an interval")
        ends = bootstrap_interval(share, len(seen), rng=np.random.default_rng(1), samples=samples)
        return Estimate(value, ends.low, ends.high, len(seen), said)


def gold_checks(answers: Answers, people_only: Bools) -> Checks | None:
    """The answers to gold questions."""
    gold = [number for number, name in enumerate(answers.blocks) if name == "gold"]
    asked = np.isin(answers.block, gold) & np.isfinite(answers.right) & people_only
    # Answers of those who were stopped count here: they were stopped because of them.
    asked &= np.isin(answers.status, [STATUSES.index(name) for name in ("answered", "discarded")])
    if not asked.any():
        return None
    return Checks(answers.at[asked], answers.who[asked], answers.right[asked], "gold questions")


def repeat_checks(answers: Answers, phases: Sequence[Phase], people_only: Bools) -> Checks | None:
    """The answers to repeats; a rating counts as the same within one step of the scale."""
    again = [number for number, name in enumerate(answers.blocks) if name.startswith("repeat")]
    stands = answers.stands() & people_only
    repeated = stands & np.isin(answers.block, again)
    if not repeated.any():
        return None
    kinds = {(phase.name, one.name): kind_of(phase, one.name) for phase in phases for one in phase.questions}
    numbers = answers.numbers()
    width = len(answers.questions) or 1
    key = (answers.who[answers.of] * len(answers.items) + answers.item[answers.of]) * width + answers.question
    valued = answers.value >= 0
    earlier_rows = np.flatnonzero((stands & ~np.isin(answers.block, again))[answers.of] & valued)
    later_rows = np.flatnonzero(repeated[answers.of] & valued)
    # The last answer before counts: later rows overwrite earlier ones.
    before = dict(zip(key[earlier_rows].tolist(), earlier_rows.tolist(), strict=True))
    found, same = [], []
    for row in later_rows.tolist():
        other = before.get(int(key[row]))
        if other is None or other > row:
            continue
        of = int(answers.of[row])
        kind = kinds.get((answers.phases[answers.phase[of]], answers.questions[answers.question[row]]))
        one, two = answers.value[row], answers.value[other]
        found.append(of)
        same.append(float(abs(numbers[one] - numbers[two]) <= 1 if kind == "rating" else one == two))
    return Checks(answers.at[found], answers.who[found], np.array(same), "repeats") if found else None

"""What people have earned: from the log, by the recipe's rules.

Every answer is work, whatever became of it: surplus and discarded answers are paid. An answer that a person changed is
one answer. The honest time of an answer is how long its item was visible in a focused window, by the client's account
and never beyond the server's clock; where the client did not say, it is the server's; and never more than
`Pay.longest_seconds`. Reading instructions counts as time, not as an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from kostra.annotate.store_log import thinking_times
from kostra.campaign.admission import Bonus, Pay
from kostra.campaign.events import Event

_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Work:
    """What somebody has done."""

    answers: int = 0
    seconds: float = 0.0
    """The honest time, each answer's up to the longest that counts."""
    gold: int = 0
    gold_right: float = 0.0
    finished: bool = False
    kind: str = "person"

    @property
    def gold_share(self) -> float | None:
        """Share of check questions that were answered rightly; None where none was asked."""
        return self.gold_right / self.gold if self.gold else None


@dataclass(frozen=True)
class Earned:
    """What that is worth."""

    currency: str
    answers: Decimal
    time: Decimal
    bonuses: Mapping[str, Decimal]

    @property
    def total(self) -> Decimal:
        """All together."""
        return self.answers + self.time + sum(self.bonuses.values(), Decimal(0))


@dataclass
class Tally:
    """Counts what people do, event by event; it may be fed as the log grows.

    Examples
    --------
    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> data = {"answers": {"q": [["4", "answered"]]}, "shown_at": noon.isoformat(), "focused": 30.0}
    >>> tally = Tally(longest_seconds=20)
    >>> tally.learn(Event("answered", noon.replace(minute=1), "fox", data, 1))
    >>> tally.work["fox"].answers, tally.work["fox"].seconds
    (1, 20.0)
    """

    longest_seconds: float = 300.0
    work: dict[str, Work] = field(default_factory=dict)
    _judged: dict[int, float] = field(default_factory=dict)
    """Answers that were check questions → the share of them that was right, for when they are changed."""

    def learn(self, event: Event) -> None:
        """Count one event."""
        name = event.annotator
        if name is None:
            return
        done = self.work.get(name, Work())
        if event.kind == "joined":
            done = _with(done, kind=event.data["kind"])
        elif event.kind == "answered":
            done = self._answered(done, event)
        else:
            return
        self.work[name] = done

    def finished(self, people: Iterable[str]) -> dict[str, Work]:
        """The work of everybody, of whom some have finished: the running campaign knows who."""
        ended = set(people)
        return {name: _with(done, finished=name in ended) for name, done in self.work.items()}

    def _answered(self, done: Work, event: Event) -> Work:
        data = event.data
        old = data.get("supersedes")
        counts = any(given for given in data["answers"].values()) and old is None
        done = _with(done, answers=done.answers + counts, seconds=done.seconds + self._seconds(event))
        share = data.get("right_share")
        if share is None and data.get("right") is not None:
            share = float(data["right"])
        before = self._judged.pop(old, None) if old is not None else None
        if before is not None:
            done = _with(done, gold=done.gold - 1, gold_right=done.gold_right - before)
        if share is not None:
            self._judged[event.seq] = share
            done = _with(done, gold=done.gold + 1, gold_right=done.gold_right + share)
        return done

    def _seconds(self, event: Event) -> float:
        shown_at = event.data.get("shown_at")
        shown = datetime.fromisoformat(shown_at) if shown_at else None
        seconds, focused = thinking_times(event.at, shown, event.data.get("focused"))
        honest = focused if focused is not None else seconds or 0.0
        return min(honest, self.longest_seconds)


def _with(work: Work, **changes: Any) -> Work:
    return Work(**{**work.__dict__, **changes})


def earned(work: Work, pay: Pay) -> Earned:
    """What work is worth, each part rounded to cents.

    Examples
    --------
    >>> pay = Pay(per_answer=0.1, per_hour=12, bonus=(Bonus(name="all", amount=5, finished=True),))
    >>> found = earned(Work(answers=30, seconds=900, finished=True), pay)
    >>> str(found.answers), str(found.time), {name: str(one) for name, one in found.bonuses.items()}, str(found.total)
    ('3.00', '3.00', {'all': '5.00'}, '11.00')
    """
    bonuses = {bonus.name: _cents(Decimal(str(bonus.amount))) for bonus in pay.bonus if deserves(work, bonus)}
    hours = Decimal(str(work.seconds)) / 3600
    return Earned(
        pay.currency,
        _cents(work.answers * Decimal(str(pay.per_answer))),
        _cents(hours * Decimal(str(pay.per_hour))),
        bonuses,
    )


def deserves(work: Work, bonus: Bonus) -> bool:
    """Whether all conditions of a bonus are true.

    Examples
    --------
    >>> good = Bonus(name="careful", amount=2, gold=0.9)
    >>> deserves(Work(gold=10, gold_right=9), good), deserves(Work(gold=10, gold_right=8), good), deserves(Work(), good)
    (True, False, False)
    """
    if bonus.finished and not work.finished:
        return False
    if bonus.answers is not None and work.answers < bonus.answers:
        return False
    share = work.gold_share
    return bonus.gold is None or (share is not None and share >= bonus.gold - 1e-9)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, ROUND_HALF_UP)

"""How often somebody may knock: limits on doors, in memory that does not grow.

Each name (an address, a link) has a bucket that fills up again with time; what takes from an empty bucket is refused.
The names seen last are kept, so that whoever sends from ever new addresses cannot fill the memory. Processes count
apart: with two workers, up to twice as much comes through.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from threading import Lock


@dataclass(frozen=True)
class Rate:
    """How much at once, and how much a minute afterwards."""

    at_once: float
    per_minute: float


class Limiter:
    """Buckets by name.

    Examples
    --------
    >>> from datetime import UTC, timedelta
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> limiter = Limiter(Rate(at_once=2, per_minute=1))
    >>> [limiter.take("ann", now) for _ in range(3)]
    [0.0, 0.0, 60.0]
    >>> limiter.take("ben", now), limiter.take("ann", now + timedelta(minutes=1))
    (0.0, 0.0)
    """

    def __init__(self, rate: Rate, *, most: int = 20_000) -> None:
        self._rate, self._most = rate, most
        self._buckets: OrderedDict[str, tuple[float, datetime]] = OrderedDict()
        self._lock = Lock()

    def take(self, name: str, now: datetime, *, amount: float = 1) -> float:
        """Take from a bucket: 0 if it was there, or else the seconds until it will be, and nothing is taken."""
        with self._lock:
            left = self._left(name, now)
            if left < amount:
                return self._seconds(amount - left)
            self._keep(name, left - amount, now)
            return 0.0

    def wait(self, name: str, now: datetime) -> float:
        """The seconds until there is anything in a bucket; nothing is taken."""
        with self._lock:
            left = self._left(name, now)
        return 0.0 if left >= 1 else self._seconds(1 - left)

    def __len__(self) -> int:
        return len(self._buckets)

    def _left(self, name: str, now: datetime) -> float:
        left, at = self._buckets.get(name, (self._rate.at_once, now))
        minutes = max((now - at).total_seconds(), 0.0) / 60
        return min(left + minutes * self._rate.per_minute, self._rate.at_once)

    def _seconds(self, lacking: float) -> float:
        return math.ceil(lacking / self._rate.per_minute * 60 * 1000) / 1000

    def _keep(self, name: str, left: float, now: datetime) -> None:
        self._buckets[name] = (left, now)
        self._buckets.move_to_end(name)
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)


class Knocking:
    """Who knocks at the doors, and how often; what fails counts more than what does not.

    Many people may sit behind one address, and many may have the same link: whoever comes in is hardly limited, and
    whoever does not come in soon is.
    """

    ATTEMPTS = Rate(at_once=300, per_minute=300)
    """From one address: a whole class may sit behind it."""
    FAILURES = Rate(at_once=20, per_minute=10)
    """From one address, of attempts that failed."""
    AT_ONE_DOOR = Rate(at_once=30, per_minute=10)
    """With one link, or as one name, from wherever: attempts that failed, and tries of a password."""

    def __init__(self) -> None:
        self._attempts, self._failures = Limiter(self.ATTEMPTS), Limiter(self.FAILURES)
        self._doors = Limiter(self.AT_ONE_DOOR)

    def knock(self, address: str, door: str, now: datetime) -> float:
        """Somebody tries to come in by a door: 0 if they may, or else the seconds that they must wait."""
        return self._failures.wait(address, now) or self._doors.wait(door, now) or self._attempts.take(address, now)

    def failed(self, address: str, now: datetime, *, door: str | None = None) -> None:
        """They did not come in; a door is named only if nobody can come in by it, or one could lock it for others."""
        self._failures.take(address, now)
        if door is not None:
            self._doors.take(door, now)

    def has_failed(self, address: str, now: datetime) -> float:
        """Seconds that an address must wait because too much of what it tried has failed."""
        return self._failures.wait(address, now)

    def tries(self, name: str, now: datetime) -> float:
        """Somebody tries a password for a name."""
        return self._doors.take(f"name {name}", now)

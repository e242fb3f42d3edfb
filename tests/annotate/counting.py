"""A campaign of counting, to try the engine with, and a process that counts: ``counting.py URL NAME THREADS NUMBERS``.

Each annotator says the next number, over and over. Whoever is told a number may rely on it: it is in the log.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

from kostra.annotate.engine import Engine
from kostra.annotate.store import open_store
from kostra.campaign.events import Event

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Counting:
    """How far everybody is; it insists on every number and every entry being the next."""

    def __init__(self) -> None:
        self.reached: Counter[str] = Counter()
        self.seq = 0

    def apply(self, event: Event) -> None:
        name = event.annotator or ""
        if event.seq != self.seq + 1 or event.data["number"] != self.reached[name] + 1:
            raise AssertionError(f"{event} after {self.seq} and {self.reached[name]}")
        self.seq, self.reached[name] = event.seq, event.data["number"]


def say_next(name: str) -> Callable[[Counting], tuple[int, list[Event]]]:
    def command(state: Counting) -> tuple[int, list[Event]]:
        number = state.reached[name] + 1
        return number, [Event("problem", NOON, name, {"number": number})]

    return command


def count(url: str, name: str, threads: int, numbers: int) -> None:
    """Count in several threads and print every number once the engine has confirmed it."""
    with open_store(url) as store, Engine(store, "news", Counting) as engine:

        def one(annotator: str) -> None:
            for _ in range(numbers):
                number = engine.do(say_next(annotator))
                sys.stdout.write(f"{annotator} {number}\n")
                sys.stdout.flush()

        running = [threading.Thread(target=one, args=(f"{name}-{thread}",)) for thread in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()


if __name__ == "__main__":
    count(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

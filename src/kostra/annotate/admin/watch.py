"""Somebody watches a campaign: its ledger and figures, brought up to date without making a page wait.

A page reads what is new in the log before it is shown, if that is little; all else, such as the whole log at the first
look or figures over many answers, is done by one thread beside the requests, and the page shows the last that is known
and says what it is about.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from kostra.annotate.admin.findings import Findings, Members, find
from kostra.annotate.admin.ledger import Answers, Ledger
from kostra.annotate.engine import Engine
from kostra.annotate.store import Store
from kostra.campaign.protocol import Phase
from kostra.campaign.running import Running

T = TypeVar("T")
FEW = 2_000
"""Answers up to which figures are worked out while the page waits."""
RESTS = 20
"""Figures are worked out anew after so many times as long as it took."""
A_WHILE = 2.0
"""… and never more often than this, in seconds."""


@dataclass(frozen=True)
class Seen:
    """What a page knows of a campaign."""

    answers: Answers
    behind: bool
    """Whether older answers are still being read."""


class Watch:
    """Watches one campaign; safe to use from several threads."""

    def __init__(self, store: Store, engine: Engine[Running], campaign: str, beside: ThreadPoolExecutor) -> None:
        self.engine, self.campaign = engine, campaign
        self._ledger = Ledger(store, engine, campaign)
        self._beside = beside
        self._lock = Lock()
        self._reading: Future[None] | None = None
        self._finding: Future[None] | None = None
        self._findings: Findings | None = None
        self._next = 0.0

    def look(self) -> Seen:
        """The answers so far; if there is too much to read for now, as far as they were read."""
        busy = self._reading is not None and not self._reading.done()
        behind = busy or not self._ledger.refresh()
        if behind and not busy:
            with self._lock:
                if self._reading is None or self._reading.done():
                    self._reading = self._beside.submit(self._read_all)
        return Seen(self._ledger.answers(), behind)

    def _read_all(self) -> None:
        while not self._ledger.refresh():
            time.sleep(0.001)  # let those through who wait for an answer

    def findings(self, seen: Seen) -> Findings | None:
        """The figures, as new as may be; none before they were worked out for the first time."""
        if seen.behind:
            return self._findings
        known = self._findings
        if known is not None and known.upto == seen.answers.upto:
            return known
        if seen.answers.count <= FEW:
            self._find()
            return self._findings
        with self._lock:
            busy = self._finding is not None and not self._finding.done()
            if not busy and time.monotonic() >= self._next:
                self._finding = self._beside.submit(self._find)
        return self._findings

    def settle(self) -> None:
        """Wait until what is done beside the requests is done; for tests and measurements."""
        for future in (self._reading, self._finding):
            if future is not None:
                future.result()

    def _find(self) -> None:
        began = time.monotonic()
        phases, members, models = self.read(_asked)
        self._findings = find(self._ledger.answers(), phases, members, models=models)
        took = time.monotonic() - began
        self._next = time.monotonic() + max(A_WHILE, RESTS * took)

    def read(self, function: Callable[[Running], T]) -> T:
        """Look at the running campaign; the thread that stores answers does it, so it must be short."""
        return self.engine.read(function).result()


def _asked(running: Running) -> tuple[list[Phase], Members, list[str]]:
    phases = [run.phase for run in running.phases.values()]
    members: dict[str, list[str]] = {}
    if any(phase.task == "best_worst" for phase in phases):
        members = {
            item.item: [member["item"] for member in item.content["members"]]
            for item in running.items.values()
            if item.kind == "tuple"
        }
    models = [person.name for person in running.people.values() if person.kind == "model"]
    return phases, members, models

"""Crashes: the server is killed at random moments while many answer, and every answer that it confirmed is there, once.

Annotators resend what was not confirmed, so in the end the store must hold exactly what they know to be stored.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.annotate.serving import Serving, best_worst, prepared

from kostra.annotate.campaigns import first_state
from kostra.annotate.collecting import collect
from kostra.annotate.simulating import Report, answers_from, simulate
from kostra.annotate.store import Store, open_store
from kostra.campaign.simulated import SimulatedAnnotator

OVERLAP = 3


class Progress:
    """How many answers were confirmed, for whoever waits for more; and what to do at the very moment they are."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._wanted = 0
        self._then: Callable[[], None] | None = None
        self.count = 0

    def told(self, count: int) -> None:
        with self._changed:
            self.count = count
            if self._then is not None and count >= self._wanted:
                self._then()
                self._then = None
            self._changed.notify_all()

    def wait_for(self, more: int, then: Callable[[], None] | None = None) -> bool:
        with self._changed:
            wanted = self._wanted = self.count + more
            self._then = then
            return self._changed.wait_for(lambda: self.count >= wanted, timeout=120)


def crash(url: str, folder: Path, *, annotators: int, tuples: int, kills: int, workers: int, seed: int) -> Report:
    """Let annotators work until all is answered, kill the server so many times meanwhile, and say what they know."""
    protocol, material = best_worst(tuples, overlap=OVERLAP)
    tokens = prepared(url, "news", protocol, material, annotators=annotators)
    people = [SimulatedAnnotator(name, noise=0.5, leaning=0, seconds=1, careless=False) for name in tokens]
    answers = answers_from(protocol, people, seed=seed)
    rng, progress, found = random.Random(seed), Progress(), list[Report]()
    most = tuples * OVERLAP // (kills + 1)  # so that there is something left to answer at the last kill

    def work() -> None:
        report = simulate(
            serving.url, tokens, answers=answers, patience=240, waits=1000, wait_seconds=0.2, told=progress.told
        )
        found.append(report)

    with Serving(url, "news", folder=folder, workers=workers) as serving:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        for number in range(kills):
            # Half of the kills come with a confirmation, when the next commit is under way; half at any moment.
            at_once = rng.random() < 0.5
            more = 1 + rng.randrange(most)
            assert progress.wait_for(more, serving.strike if at_once else None), serving.log.read_text()
            if not at_once:
                threading.Event().wait(rng.random() / 50)
            assert thread.is_alive(), "all was answered before the last kill"
            if workers > 1 and number % 5 == 4 and not at_once:
                serving.kill_one(rng)
                assert progress.wait_for(1), serving.log.read_text()
            serving.kill()
            serving.start()
        thread.join(timeout=240)
        assert not thread.is_alive(), f"{progress.count} answers after all kills: {serving.log.read_text()}"
        assert "Traceback" not in serving.log.read_text()
    return found[0]


def check(store: Store, report: Report, *, tuples: int) -> None:
    """What must hold, by the log, by the state that it makes, and by the table that is collected from it."""
    assert not report.refused
    assert not report.wrong
    assert set(report.ends.values()) == {"finished"}
    with store.reading() as connection:
        events = list(store.log("news").all(connection))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    answered = [event for event in events if event.kind == "answered"]
    stored = Counter((event.annotator, event.data["key"], event.data["item"]) for event in answered)
    assert stored == Counter((one.annotator, one.key, one.item) for one in report.acknowledged)
    assert set(stored.values()) == {1}
    statuses = {event.data["key"]: event.data["status"] for event in answered}
    assert statuses == {one.key: one.status for one in report.acknowledged}

    state = first_state(store, "news")
    for event in events:
        state.apply(event)
    assert state.phases["main"].pools[0].counts.tolist() == [OVERLAP] * tuples
    assert {seq: record.status for seq, record in state.records.items()} == {
        event.seq: event.data["status"] for event in answered
    }

    judgments = collect(store, "news")["judgments"].to_dicts()
    assert len(judgments) == 2 * len(answered)
    accepted = Counter((one["item"], one["question"]) for one in judgments if one["status"] == "answered")
    wanted = [(f"t{number}", question) for number in range(tuples) for question in ("best", "worst")]
    assert accepted == dict.fromkeys(wanted, OVERLAP)
    twice = Counter((one["item"], one["question"], one["annotator"]) for one in judgments)
    assert set(twice.values()) == {1}
    if store.dialect == "sqlite":
        with store.connected() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def run(url: str, folder: Path, *, annotators: int, tuples: int, kills: int, seed: int) -> Report:
    workers = 2 if url.startswith("postgresql") else 1
    report = crash(url, folder, annotators=annotators, tuples=tuples, kills=kills, workers=workers, seed=seed)
    with open_store(url) as store:
        check(store, report, tuples=tuples)
    return report


def test_two_crashes_lose_and_double_nothing(store_url: str, tmp_path: Path) -> None:
    run(store_url, tmp_path, annotators=8, tuples=60, kills=2, seed=1)


@pytest.mark.long
def test_twenty_crashes_under_fifty_annotators_lose_and_double_nothing(store_url: str, tmp_path: Path) -> None:
    report = run(store_url, tmp_path, annotators=50, tuples=900, kills=20, seed=2)
    assert any(one.resent for one in report.acknowledged)

"""The engine: what it confirms is stored, once, whoever else writes and whatever breaks."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa

from kostra.annotate.engine import Engine
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_open import UnavailableError
from kostra.campaign.events import Event
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
COUNTING = Path(__file__).with_name("counting.py")


def _counting() -> ModuleType:
    spec = importlib.util.spec_from_file_location("counting", COUNTING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Counting: Any = _counting().Counting
say_next: Any = _counting().say_next


class Held:
    """Keeps an engine's thread busy until it is let go, so that what is submitted meanwhile is one batch."""

    def __init__(self, engine: Engine[Any]) -> None:
        self._go = threading.Event()
        self._began = threading.Event()
        self._future: Future[None] = engine.read(self._wait)
        self._began.wait(10)

    def _wait(self, _: object) -> None:
        self._began.set()
        self._go.wait(10)

    def let_go(self) -> None:
        self._go.set()
        self._future.result(10)


@pytest.fixture
def engine(store: Store) -> Iterator[Engine[Any]]:
    with Engine(store, "news", Counting) as made:
        yield made


def logged(store: Store) -> list[Event]:
    with store.reading() as connection:
        return list(store.log("news").all(connection))


def numbers(store: Store) -> Counter[tuple[str, int]]:
    return Counter((event.annotator or "", event.data["number"]) for event in logged(store))


def replayed(store: Store) -> Any:
    with Engine(store, "news", Counting) as engine:
        return engine.read(lambda state: state).result(10)


# What is confirmed -----------------------------------------------------------------------------------------


def test_a_command_sees_what_was_confirmed_before(engine: Engine[Any], store: Store) -> None:
    assert [engine.do(say_next("ann")) for _ in range(3)] == [1, 2, 3]
    assert engine.read(lambda state: state.reached["ann"]).result(10) == 3
    assert [event.seq for event in logged(store)] == [1, 2, 3]


def test_those_who_wait_together_share_a_commit(engine: Engine[Any], store: Store) -> None:
    commits: list[int] = []
    sa.event.listen(store._engine, "commit", lambda _: commits.append(1))
    held = Held(engine)
    futures = [engine.submit(say_next("ann")) for _ in range(50)]
    held.let_go()
    assert [future.result(10) for future in futures] == list(range(1, 51))
    assert len(commits) <= 2  # that of the reading before, and theirs


def test_nothing_is_confirmed_before_it_is_committed(engine: Engine[Any], store: Store) -> None:
    confirmed: list[bool] = []
    held = Held(engine)
    future = engine.submit(say_next("ann"))
    sa.event.listen(store._engine, "commit", lambda _: confirmed.append(future.done()))
    held.let_go()
    future.result(10)
    assert confirmed
    assert not any(confirmed)


def test_a_command_that_fails_does_so_alone(engine: Engine[Any], store: Store) -> None:
    def refuse(_: object) -> tuple[None, list[Event]]:
        raise KostraError("no")

    def unstorable(_: object) -> tuple[None, list[Event]]:
        return None, [Event("problem", NOON, "ann", {"number": 1, "text": "a\0b"})]

    held = Held(engine)
    futures = [engine.submit(command) for command in (say_next("ann"), refuse, unstorable, say_next("ann"))]
    held.let_go()
    assert [type(future.exception(10)).__name__ for future in futures] == [
        "NoneType", "KostraError", "KostraError", "NoneType"
    ]  # fmt: skip
    assert numbers(store) == {("ann", 1): 1, ("ann", 2): 1}


def test_an_event_that_cannot_be_applied_fails_its_command_alone(engine: Engine[Any], store: Store) -> None:
    def wrong(_: object) -> tuple[None, list[Event]]:
        return None, [Event("problem", NOON, "ann", {"number": 2}), Event("problem", NOON, "ann", {"number": 9})]

    held = Held(engine)
    futures = [engine.submit(command) for command in (say_next("ann"), wrong, say_next("ann"), say_next("bob"))]
    held.let_go()
    assert isinstance(futures[1].exception(10), AssertionError)
    assert [futures[place].result(10) for place in (0, 2, 3)] == [1, 2, 1]
    assert numbers(store) == {("ann", 1): 1, ("ann", 2): 1, ("bob", 1): 1}


def test_what_the_store_refuses_fails_alone(engine: Engine[Any], store: Store) -> None:
    def twice(_: object) -> tuple[None, list[Event]]:
        # The engine numbers events: only a key that is there already makes the store refuse.
        data = {
            "number": 1,
            "phase": "main",
            "block": 0,
            "item": "p",
            "version": 1,
            "status": "answered",
            "answers": {},
        }
        return None, [
            Event("answered", NOON, name, data | {"number": number, "key": "same"})
            for name, number in (("eve", 1), ("eve", 2))
        ]

    held = Held(engine)
    futures = [engine.submit(command) for command in (say_next("ann"), twice, say_next("ann"))]
    held.let_go()
    assert isinstance(futures[1].exception(10), UnavailableError)
    assert [futures[0].result(10), futures[2].result(10)] == [1, 2]
    assert engine.do(say_next("ann")) == 3
    assert [event.seq for event in logged(store)] == [1, 2, 3]


def test_after_a_failed_commit_the_state_is_what_the_log_says(engine: Engine[Any], store: Store) -> None:
    broken: list[bool] = []

    def fail(_: object) -> None:
        if broken:
            raise sa.exc.OperationalError("COMMIT", {}, Exception("database or disk is full"))

    def break_it(state: Any) -> Any:
        broken.append(True)
        return say_next("ann")(state)

    sa.event.listen(store._engine, "commit", fail)
    engine.do(say_next("ann"))
    held = Held(engine)
    futures = [engine.submit(command) for command in (say_next("ann"), break_it, say_next("ann"))]
    held.let_go()
    for future in futures:
        with pytest.raises(UnavailableError, match="disk is full"):
            future.result(10)
    broken.clear()
    assert engine.read(lambda state: state.reached["ann"]).result(10) == 1
    assert engine.do(say_next("ann")) == 2
    assert numbers(store) == {("ann", 1): 1, ("ann", 2): 1}


def test_other_engines_events_are_applied_first(store: Store, open_url: Callable[[str], Store]) -> None:
    other_store = open_url(store.url.render_as_string(hide_password=False))
    with Engine(store, "news", Counting) as one, Engine(other_store, "news", Counting) as other:
        for number in range(1, 7, 2):
            assert one.do(say_next("ann")) == number
            assert other.do(say_next("ann")) == number + 1
            assert one.read(lambda state: state.reached["ann"]).result(10) == number + 1


def test_a_log_is_replayed_when_the_engine_starts(store: Store) -> None:
    with Engine(store, "news", Counting) as engine:
        for _ in range(3):
            engine.do(say_next("ann"))
    assert replayed(store).reached == {"ann": 3}


def test_a_log_that_cannot_be_applied_stops_the_engine_at_the_start(store: Store) -> None:
    log = store.log("news")
    with store.writing() as connection:
        log.append(connection, [log.entry(Event("problem", NOON, "ann", {"number": 5}), seq=1)])
    with pytest.raises(AssertionError):
        Engine(store, "news", Counting)


def test_a_broken_connection_is_replaced(postgres_url: str) -> None:
    with open_store(postgres_url) as store, open_store(postgres_url) as other:
        store.create_campaign("news", seed=1, now=NOON)
        with Engine(store, "news", Counting) as engine:
            assert engine.do(say_next("ann")) == 1
            with other.writing() as connection:
                mine = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                               " AND datname = current_database()")  # fmt: skip
                connection.execute(mine)
            assert engine.do(say_next("ann")) == 2


# Limits and ends -------------------------------------------------------------------------------------------


def test_when_too_many_wait_one_more_is_refused(store: Store) -> None:
    with Engine(store, "news", Counting, most_waiting=3) as engine:
        held = Held(engine)
        futures = [engine.submit(say_next("ann")) for _ in range(3)]
        with pytest.raises(UnavailableError, match="too many answers wait"):
            engine.submit(say_next("ann"))
        held.let_go()
        assert [future.result(10) for future in futures] == [1, 2, 3]


def test_a_big_queue_is_served_in_several_commits(store: Store) -> None:
    with Engine(store, "news", Counting, most_together=7) as engine:
        held = Held(engine)
        futures = [engine.submit(say_next("ann")) for _ in range(20)]
        held.let_go()
        assert [future.result(10) for future in futures] == list(range(1, 21))


def test_closing_finishes_what_waits_and_refuses_the_rest(store: Store) -> None:
    engine = Engine(store, "news", Counting)
    futures = [engine.submit(say_next("ann")) for _ in range(20)]
    engine.close()
    engine.close()
    assert [future.result(0) for future in futures] == list(range(1, 21))
    with pytest.raises(UnavailableError, match="closing"):
        engine.submit(say_next("ann"))


def test_a_command_that_was_cancelled_in_the_queue_is_not_run(engine: Engine[Any], store: Store) -> None:
    held = Held(engine)
    cancelled, kept = engine.submit(say_next("ann")), engine.submit(say_next("ann"))
    assert cancelled.cancel()
    held.let_go()
    assert kept.result(10) == 1


# Drafts ----------------------------------------------------------------------------------------------------


def test_drafts_go_with_the_next_commit_and_the_last_one_counts(engine: Engine[Any], store: Store) -> None:
    held = Held(engine)
    futures = [engine.put_draft("ann", "main", "p1", {"text": text}, now=NOON) for text in ("A", "A h", "A horse")]
    held.let_go()
    assert [future.result(10) for future in futures] == [None] * 3
    assert store.draft("news", "ann", "main", "p1") == {"text": "A horse"}
    with pytest.raises(KostraError, match="too big"):
        engine.put_draft("ann", "main", "p1", "x" * 100_000, now=NOON)


# Several processes, and sudden death -----------------------------------------------------------------------


def counting_process(url: str, name: str, *, threads: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(COUNTING), url, name, str(threads), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def said(lines: str) -> list[tuple[str, int]]:
    """What was confirmed; a line that was cut short by the kill does not count."""
    whole = lines[: lines.rfind("\n") + 1].splitlines()
    return [(name, int(number)) for name, number in (line.split() for line in whole)]


def test_everything_that_two_processes_confirm_is_stored_once(store: Store) -> None:
    url = store.url.render_as_string(hide_password=False)
    processes = [counting_process(url, name, threads=8, count=10) for name in ("one", "two")]
    confirmed = Counter(one for process in processes for one in said(process.communicate(timeout=60)[0]))
    assert [process.returncode for process in processes] == [0, 0]
    assert len(confirmed) == 2 * 8 * 10
    assert numbers(store) == confirmed
    assert [event.seq for event in logged(store)] == list(range(1, 161))


def kill_rounds(store: Store, *, rounds: int) -> None:
    url = store.url.render_as_string(hide_password=False)
    confirmed: list[tuple[str, int]] = []
    for number in range(rounds):
        process = counting_process(url, "x", threads=8, count=100_000)
        assert process.stdout is not None
        before = [process.stdout.readline() for _ in range(10 + 17 * number % 50)]
        process.kill()
        confirmed += said("".join(before) + process.stdout.read())
        process.stdout.close()
        assert process.wait(10) == -9
    stored = numbers(store)
    assert max(stored.values()) == 1
    assert not [one for one in confirmed if one not in stored]
    assert len(confirmed) == len(set(confirmed))
    replayed(store)


def test_what_a_killed_process_had_confirmed_is_stored_once(store: Store) -> None:
    kill_rounds(store, rounds=2)


@pytest.mark.long
def test_what_processes_killed_many_times_had_confirmed_is_stored_once(store: Store) -> None:
    kill_rounds(store, rounds=25)

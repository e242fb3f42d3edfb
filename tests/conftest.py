"""What every test may ask for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("shared machine", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("shared machine")  # how long an example takes says nothing where others compute as well

CACHE = "KOSTRA_CACHE"
ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real datasets, which are never copied into the project."""
    folder = Path(os.environ.get("KOSTRA_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real datasets: {folder} does not exist (set KOSTRA_DATA)")
    return folder


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder of parser models, which are never copied into the project."""
    folder = Path(os.environ.get("KOSTRA_MODELS", ROOT.parent / "shared" / "models"))
    if not folder.is_dir():
        pytest.skip(f"no parser models: {folder} does not exist (set KOSTRA_MODELS)")
    return folder


@pytest.fixture(autouse=True, scope="session")
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the user's cache of vectors and trees."""
    before = os.environ.get(CACHE)
    os.environ[CACHE] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ[CACHE]
    else:
        os.environ[CACHE] = before


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for the tests of a file; while it runs, playwright's event loop holds the thread of the tests."""
    if CHROMIUM is None:
        pytest.skip("no chromium is installed: browser tests need one on the PATH")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()

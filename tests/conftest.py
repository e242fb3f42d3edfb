"""What every test may ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

CACHE = "KOSTRA_CACHE"
ROOT = Path(__file__).resolve().parent.parent


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

"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real datasets, which are never copied into the project."""
    folder = Path(os.environ.get("KOSTRA_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real datasets: {folder} does not exist (set KOSTRA_DATA)")
    return folder

"""What the tests of rules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kostra.sources.parsers import Parser, parser

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def model() -> str:
    """The spec of the Polish parser for tests."""
    folder = Path(os.environ.get("KOSTRA_MODELS", ROOT.parent / "shared" / "models"))
    path = folder / "pl.udpipe"
    if not path.is_file():
        pytest.skip(f"no parser models: {path} does not exist (set KOSTRA_MODELS)")
    return f"udpipe:{path}"


@pytest.fixture(scope="session")
def polish(model: str) -> Parser:
    """The Polish parser."""
    return parser(model)

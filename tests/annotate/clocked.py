"""The site with a clock that tests put forward, for all its processes at once; no setting of the real site does so."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fastapi import FastAPI

from kostra.annotate.app import ENVIRONMENT, make_app
from kostra.annotate.rendering import Site
from kostra.annotate.store import open_store
from kostra.annotate.tasks import Translate


def application() -> FastAPI:
    """What a worker process serves (`tests/annotate/serving.py`): the clock is read from a file, at every look."""
    told, ahead = json.loads(os.environ[ENVIRONMENT]), Path(os.environ["KOSTRA_TEST_CLOCK"])
    sites = {name: Site(one["title"], Translate(texts=one["language"])) for name, one in told["campaigns"].items()}

    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(ahead.read_text(encoding="ascii")))

    return make_app(open_store(told["db"]), sites, project=Path(told["project"]), clock=clock)

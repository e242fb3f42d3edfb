"""Running the site's processes: one or several, which end together, with one message, if they cannot start."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from kostra.annotate.addresses import SECRET
from kostra.annotate.app import ENVIRONMENT, from_environment
from kostra.annotate.operations import logs
from kostra.errors import KostraError

_FAILURE = "KOSTRA_SITE_FAILURE"
_CANNOT_START = 3
"""The exit code by which uvicorn knows that starting again would be of no use."""


def application() -> FastAPI:
    """The application, as a process of the site makes it; if it cannot, the first to fail leaves word why."""
    try:
        return from_environment()
    except Exception as error:  # noqa: BLE001 - whatever it is, every other process would meet it as well
        _leave_word(error)
        sys.exit(_CANNOT_START)


def _leave_word(error: Exception) -> None:
    if isinstance(error, KostraError):
        told = {name: getattr(error, name) for name in ("what", "where", "accepted", "remedy")}
    else:
        last = traceback.extract_tb(error.__traceback__)[-1]
        told = {
            "what": f"the site cannot start: {type(error).__name__}: {error}",
            "where": f"{last.filename}:{last.lineno}",
        }
    path = os.environ.get(_FAILURE)
    if path is None:
        return
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return  # somebody has told it already
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(told, stream)


def run_site(
    told: Mapping[str, Any], *, host: str, port: int, workers: int, secret: str, log: logs.Form = "text"
) -> None:
    """Serve until interrupted.

    Parameters
    ----------
    told
        What a process must know, see `kostra.annotate.app.ENVIRONMENT`.

    Raises
    ------
    KostraError
        If the processes cannot start.
    """
    import uvicorn

    with tempfile.TemporaryDirectory(prefix="kostra-") as folder:
        failure, counts = Path(folder, "failure"), Path(folder, "counts")
        counts.mkdir()
        os.environ |= {ENVIRONMENT: json.dumps({**told, "counts": str(counts)}), SECRET: secret, _FAILURE: str(failure)}
        logging.getLogger("uvicorn.error").addFilter(_untold)
        try:
            uvicorn.run(
                f"{__name__}:{application.__name__}",
                factory=True,
                host=host,
                port=port,
                workers=workers,
                access_log=False,  # its lines would hold invitation links
                log_config=logs.configuration(log),
                server_header=False,
                proxy_headers=False,  # the site itself knows whom to believe
                ws="none",
                timeout_worker_healthcheck=30,  # a worker that replays a long log is busy, not dead
            )
        except SystemExit:
            if not failure.is_file():
                raise
        finally:
            logging.getLogger("uvicorn.error").removeFilter(_untold)
            for name in (ENVIRONMENT, _FAILURE):
                os.environ.pop(name, None)
        if failure.is_file():
            raise KostraError(**json.loads(failure.read_text(encoding="utf-8")))


def _untold(record: logging.LogRecord) -> bool:
    """Whether a line of uvicorn's says more than what we say ourselves."""
    return "failed to start" not in record.getMessage()

"""The site's log: plain lines or JSON, and never a secret in it.

Links, cookies and tokens open the door to whoever reads them, so they are struck out of every line, whoever wrote it.
A request is told by its route (``/join/{token}``) and not by its address.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any, Literal

Form = Literal["text", "json"]
ACCESS = logging.getLogger("kostra.access")
"""One line per request, where JSON is asked for."""
SITE = logging.getLogger("kostra.site")
"""What whoever runs the site should know."""

_SECRETS = (
    (re.compile(r"(/(?:join|prolific|mturk)/)[^\s\"'?#/{]+"), r"\1***"),
    (re.compile(r"([?&][^=\s&]+=)[^\s&\"']+"), r"\1***"),
    (re.compile(r"(?i)(\bbearer\s+)\S+"), r"\1***"),
    (re.compile(r"(?i)((?:__host-)?kostra_session=)[^\s;\"']+"), r"\1***"),
    (re.compile(r"(\w+://[^:/@\s]*):[^@\s/]+@"), r"\1:***@"),
    (re.compile(r"(?<![\w-])(?:kostra_)?[A-Za-z0-9_-]{43}(?![\w-])"), "***"),  # a token as `tokens.new_token` makes it
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])"), "***"),  # its hash
)


def without_secrets(text: str) -> str:
    """A line without what opens doors.

    Examples
    --------
    >>> without_secrets("GET /join/abcdef?PROLIFIC_PID=5f3&STUDY_ID=77 for postgresql://ann:secret@host/db")
    'GET /join/***?PROLIFIC_PID=***&STUDY_ID=*** for postgresql://ann:***@host/db'
    >>> without_secrets("authorization: Bearer x.y; cookie: kostra_session=abc; theme=dark")
    'authorization: Bearer *** cookie: kostra_session=***; theme=dark'
    """
    for pattern, shown in _SECRETS:
        text = pattern.sub(shown, text)
    return text


class Text(logging.Formatter):
    """Plain lines."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """One line, or one and a traceback."""
        return without_secrets(super().format(record))


class Json(logging.Formatter):
    """One JSON object per line.

    Examples
    --------
    >>> record = logging.makeLogRecord({"name": "kostra.access", "msg": "request", "created": 0, "levelname": "INFO"})
    >>> record.__dict__["data"] = {"route": "/work", "status": 200}
    >>> print(Json().format(record))
    {"at":"1970-01-01T00:00:00.000+00:00","level":"info",...,"message":"request","route":"/work","status":200}
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "at": at,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        told = getattr(record, "data", None) or {}
        line |= {name: without_secrets(one) if isinstance(one, str) else one for name, one in told.items()}
        if record.exc_info:
            line["traceback"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)


def configuration(form: Form) -> dict[str, Any]:
    """What `logging.config.dictConfig` and uvicorn take: requests are told only as JSON."""
    own = Json if form == "json" else Text
    level = "INFO" if form == "json" else "WARNING"
    to = {"handlers": ["stderr"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"own": {"()": f"{own.__module__}.{own.__name__}"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "own", "stream": "ext://sys.stderr"}},
        "loggers": {
            "kostra": {**to, "level": level},
            "uvicorn": {**to, "level": level},
            "uvicorn.error": {**to, "level": level},
            "uvicorn.access": {"handlers": [], "propagate": False, "level": "CRITICAL"},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
    }

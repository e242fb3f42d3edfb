"""An OpenAI-compatible embeddings endpoint: a server of one's own, or somebody's service."""

from __future__ import annotations

import json
import math
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from kostra.encoders.protocol import Identity, Matrix, unit
from kostra.encoders.specs import named, needs_argument
from kostra.errors import KostraError

ARGUMENT = "URL?model=NAME"
"""What must follow the colon."""

KEY = "KOSTRA_HTTP_KEY"
"""The environment variable with the key of the service; it is sent to the given URL and nowhere else."""

_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)  # what may be different a moment later
_LONGEST_PAUSE = 60.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection would carry the key to another place."""

    def redirect_request(self, *_: Any) -> None:
        """Follow none."""


class Endpoint:
    """Vectors from a server that answers ``POST …/embeddings`` as OpenAI's does.

    A blank sentence has the zero vector and is not sent: servers refuse it. What the server runs under one model's name
    may change without notice; then ``kostra cache clear`` is needed.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str,
        dimensions: int | None = None,
        batch: int = 64,
        timeout: float = 60.0,
        retries: int = 5,
        normalize: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url, self.model = url, model
        self.batch_size = batch
        self._place = url.partition("?")[0]  # what follows may hold a key, and shows nowhere
        self._asked, self._timeout, self._retries = dimensions, timeout, retries
        self._normalize, self._pause = normalize, pause
        self._width = dimensions
        self._opener = urllib.request.build_opener(_NoRedirect)

    @property
    def identity(self) -> Identity:
        """The address and the model's name: more a server does not tell."""
        return Identity(
            named("http", self._place, model=self.model, dimensions=self._asked),
            revision="as served",
            dimensions=self._width,
            normalisation="l2" if self._normalize else None,
            costly=True,
        )

    def encode(self, sentences: Sequence[str], *, batch_size: int | None = None) -> Matrix:
        """One vector per sentence, asked for in batches."""
        spoken = [number for number, text in enumerate(sentences) if text.strip()]
        size = min(batch_size or self.batch_size, self.batch_size)
        rows = [
            self._asked_for([sentences[number] for number in spoken[start : start + size]])
            for start in range(0, len(spoken), size)
        ]
        if self._width is None and sentences:
            self._asked_for(["."])  # only to learn how long a vector is
        found = np.zeros((len(sentences), self._width or 0), dtype=np.float32)
        if rows:
            found[spoken] = np.concatenate(rows)
        return unit(found).astype(np.float32) if self._normalize else found

    def _asked_for(self, texts: list[str]) -> Matrix:
        body: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self._asked is not None:
            body["dimensions"] = self._asked
        answer = self._answer(json.dumps(body).encode())
        try:
            data = sorted(answer["data"], key=lambda item: item["index"])
            found = np.array([item["embedding"] for item in data], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            raise self._strange(f"the answer holds no embeddings: {str(answer)[:200]}") from None
        if found.ndim != 2 or len(found) != len(texts):
            raise self._strange(f"{len(texts)} sentences were sent and {len(found)} vectors came back")
        if self._width is not None and found.shape[1] != self._width:
            raise self._strange(f"a vector has {found.shape[1]} dimensions, where {self._width} were expected")
        self._width = found.shape[1]
        return found

    def _answer(self, body: bytes) -> Any:
        """Ask, and ask again after a growing pause if that may help."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "kostra"}
        key = os.environ.get(KEY)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        trouble, wait = "", 0.0
        for attempt in range(self._retries + 1):
            if attempt:
                self._pause(wait)
            wait = min(2.0**attempt, _LONGEST_PAUSE)
            request = urllib.request.Request(self.url, data=body, headers=headers, method="POST")
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    return json.loads(response.read())
            except urllib.error.HTTPError as error:
                trouble = f"the server answered {error.code}: {_said(error)}"
                if error.code not in _AGAIN:
                    raise self._strange(trouble, code=error.code) from None
                wait = min(max(wait, _retry_after(error)), _LONGEST_PAUSE)
            except json.JSONDecodeError:
                raise self._strange("the answer is not JSON") from None
            except (OSError, HTTPException) as error:  # refused, timed out, cut short; URLError is an OSError
                trouble = (
                    f"the server cannot be reached: {getattr(error, 'reason', None) or error or type(error).__name__}"
                )
        tries = f"{self._retries + 1} attempts" if self._retries else "one attempt"
        raise self._strange(f"{trouble} (after {tries})")

    def _strange(self, what: str, *, code: int | None = None) -> KostraError:
        remedy = None
        if code in (401, 403):
            remedy = f"put the key of the service into the environment variable {KEY}"
        elif code == 404:
            remedy = "check the URL (it usually ends in /v1) and the model's name"
        elif code is not None and 300 <= code < 400:
            remedy = "give the address to which the server redirects"
        return KostraError(what, where=f"http:{self._place}", remedy=remedy)


def _said(error: urllib.error.HTTPError) -> str:
    """The server's own words about a refusal, in short."""
    try:
        text = error.read(2000).decode("utf-8", "replace").strip()
        said = json.loads(text)
        inner = said.get("error", said) if isinstance(said, dict) else said
        return str(inner.get("message", inner) if isinstance(inner, dict) else inner)[:300]
    except (ValueError, OSError, HTTPException):
        return error.reason or "no reason given"


def _retry_after(error: urllib.error.HTTPError) -> float:
    """Seconds that the server asks to wait; a date instead of seconds is passed over."""
    try:
        wished = float(error.headers.get("Retry-After", "0"))
    except ValueError:
        return 0.0
    return wished if math.isfinite(wished) else 0.0


def make(
    argument: str | None,
    *,
    model: str | None = None,
    dimensions: Annotated[int, Field(ge=1)] | None = None,
    batch: Annotated[int, Field(ge=1)] = 64,
    timeout: Annotated[float, Field(gt=0)] = 60.0,
    retries: Annotated[int, Field(ge=0)] = 5,
    normalize: bool = False,
) -> Endpoint:
    """Make the encoder; the argument is the URL, with or without ``/embeddings`` at its end.

    Parameters
    ----------
    argument
        Such as ``https://host/v1``; a question mark of its own stands before the one that begins the options.
    model
        The model's name, as the server knows it.
    dimensions
        How long vectors should be, where the server can shorten them.
    batch, timeout, retries
        Sentences per request, seconds to wait for an answer, and how often to ask again.
    normalize
        Whether vectors are brought to length 1.
    """
    url = needs_argument("http", argument, what=ARGUMENT)
    url = f"http:{url}" if url.startswith("//") else url
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise KostraError("this is not a URL", where=f"http:{url}", accepted="http:https://HOST/v1?model=NAME")
    if parts.username or parts.password:
        raise KostraError(
            "a URL with a password would show in results", where=f"http:{parts.scheme}://…@{parts.hostname}",
            remedy=f"put the key into the environment variable {KEY}",
        )  # fmt: skip
    if model is None:
        raise KostraError("which model?", where=f"http:{url}", accepted=f"http:{url}?model=NAME")
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        url = urllib.parse.urlunsplit(parts._replace(path=f"{path}/embeddings"))
    return Endpoint(
        url, model=model, dimensions=dimensions, batch=batch, timeout=timeout, retries=retries, normalize=normalize
    )

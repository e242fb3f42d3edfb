"""In which language a page is: the visitor's own choice, else what their browser asks for, else the campaign's."""

from __future__ import annotations

from collections.abc import Collection
from contextvars import ContextVar
from functools import lru_cache
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from kostra.annotate.languages import SOURCE, Translate, known, speak

COOKIE = "kostra_language"
A_YEAR = 365 * 86400
PREFERRED: ContextVar[tuple[str, ...]] = ContextVar("preferred", default=())
"""The languages of whoever asks, the best first."""


def asked_for(accepted: bytes, cookies: bytes = b"") -> tuple[str, ...]:
    """The languages of a request, the best first: the one in its cookie, then those of its Accept-Language header.

    Examples
    --------
    >>> asked_for(b"en;q=0.5, cs-CZ, sk;q=0.8")
    ('cs', 'sk', 'en')
    >>> asked_for(b"cs", b"a=b; kostra_language=pl")
    ('pl', 'cs')
    """
    parts = (part.partition("=") for part in cookies.decode("latin-1").split("; "))
    chosen = [value for name, _, value in parts if name == COOKIE][:1]
    return tuple(dict.fromkeys([*chosen, *_accepted(accepted.decode("latin-1"))]))


@lru_cache(maxsize=1000)
def _accepted(header: str) -> tuple[str, ...]:
    weighed = []
    for part in header.split(",")[:20]:
        name, _, rest = part.strip().partition(";")
        _, _, weight = rest.partition("q=")
        try:
            weighed.append((-float(weight or 1), name.partition("-")[0].lower()))
        except ValueError:
            continue
    return tuple(name for weight, name in sorted(weighed, key=lambda one: one[0]) if name and weight < 0)


def words_for(texts: str = "", *, also: Collection[str] = ()) -> Translate:
    """The words for whoever asks.

    Parameters
    ----------
    texts
        The language of the campaign's texts.
    also
        Languages without a catalogue in which a campaign has its questions and labels.
    """
    offered = {*known(), *also}
    code = next((one for one in (*PREFERRED.get(), texts) if one in offered), SOURCE)
    return speak(code, texts=texts)


def add_languages(app: FastAPI) -> None:
    """Add what the menu of languages does."""

    @app.get("/language/{code}", include_in_schema=False)
    async def choose(code: str, request: Request) -> Response:
        if code not in known():
            raise HTTPException(404, "this site does not speak that language")
        root = str(request.scope.get("root_path", "")).rstrip("/")
        response = RedirectResponse(root + _back(request, root), 303)
        secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, code, max_age=A_YEAR, path=root or "/", httponly=True, samesite="lax", secure=secure
        )
        return response


def _back(request: Request, root: str) -> str:
    """The page on which the language was chosen, if it is one of ours that can be asked for again."""
    came = urlsplit(request.headers.get("referer", ""))
    path = "/" + came.path.removeprefix(root).lstrip("/\\")
    if came.netloc != request.headers.get("host", "") or path.startswith("/language/"):
        return "/"
    asked = {"type": "http", "method": "GET", "path": root + path, "root_path": root, "headers": []}
    if not any(route.matches(asked)[0] == Match.FULL for route in request.app.router.routes):
        return "/"
    return f"{path}?{came.query}" if came.query else path

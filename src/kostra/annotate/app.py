"""The site: an application that serves the campaigns of one store, with guards around it."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as AnyHTTPException

from kostra.annotate import rendering
from kostra.annotate.api import add_api
from kostra.annotate.campaigns import open_engine
from kostra.annotate.desk import PREFERRED, Desk, RefusedError
from kostra.annotate.hall import Hall, NotKnownError, is_api, message
from kostra.annotate.pages import add_pages
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_open import UnavailableError
from kostra.annotate.tasks import Translate
from kostra.errors import KostraError

LARGEST_BODY = 1_000_000

SECURITY_HEADERS = {
    "Content-Security-Policy": rendering.CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
ENVIRONMENT = "KOSTRA_SITE"
"""How a worker process learns what to serve: a JSON object with `db`, `project` and `campaigns`."""


def make_app(
    store: Store,
    sites: Mapping[str, Site],
    *,
    project: Path,
    languages: Mapping[str, Sequence[str]] | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> FastAPI:
    """The application that serves some campaigns of a store.

    Parameters
    ----------
    sites
        Campaign → the texts around it.
    languages
        Campaign → further languages in which its questions and labels are given.
    project
        The folder in which images and dictionaries lie.
    """
    engines = {campaign: open_engine(store, campaign) for campaign in sites}
    desks = {
        campaign: Desk(
            store,
            engines[campaign],
            campaign,
            site,
            project=project,
            languages=(languages or {}).get(campaign, ()),
            clock=clock,
        )
        for campaign, site in sites.items()
    }

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        for engine in engines.values():
            engine.close()
        store.close()

    app = FastAPI(title="kostra", version="1", docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.hall = Hall(store, desks, clock=clock)
    _add_guards(app)
    add_api(app)  # first, since routes are tried in order and this is where the answers come
    add_pages(app)
    app.mount("/static", StaticFiles(directory=rendering.STATIC))
    return app


def from_environment() -> FastAPI:
    """The application as a worker process makes it (`kostra serve`)."""
    told = json.loads(os.environ[ENVIRONMENT])
    sites = {
        name: Site(one["title"], Translate(texts=one["language"]), payment=one["payment"], contact=one["contact"])
        for name, one in told["campaigns"].items()
    }
    languages = {name: one.get("languages", []) for name, one in told["campaigns"].items()}
    return make_app(open_store(told["db"]), sites, project=Path(told["project"]), languages=languages)


def _add_guards(app: FastAPI) -> None:
    app.add_middleware(_Guard)

    @app.exception_handler(NotKnownError)
    async def not_known(request: Request, _: NotKnownError) -> Response:
        if is_api(request):
            return JSONResponse({"error": "you are not logged in: open your invitation link"}, 401)
        text = "Open the link that you were sent. It brings you to your own place; nothing is lost."
        return message(request, "An invitation is needed", text, status=401)

    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> Response:
        return JSONResponse({"errors": dict(error.errors)}, 422)

    @app.exception_handler(KostraError)
    async def wrong(request: Request, error: KostraError) -> Response:
        status = 503 if isinstance(error, UnavailableError) else 409
        if is_api(request):
            return JSONResponse({"error": error.what}, status)
        return message(request, "That did not work", f"{error.what}.", status=status, link="/work")

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        told = f"{'.'.join(str(part) for part in first['loc'][1:]) or 'the request'}: {first['msg']}"
        if is_api(request):
            return JSONResponse({"error": told}, 422)
        return message(request, "That did not work", told, status=422, link="/work")

    @app.exception_handler(AnyHTTPException)
    async def no_way(request: Request, error: AnyHTTPException) -> Response:
        if is_api(request):
            return JSONResponse({"error": error.detail}, error.status_code, error.headers)
        title = "There is nothing here" if error.status_code == 404 else "That did not work"
        return message(request, title, f"{error.detail}.", status=error.status_code, link="/work")

    @app.exception_handler(Exception)
    async def failed(request: Request, _: Exception) -> Response:
        # Whoever runs the site finds the reason in its log; this answer is made outside of the guard.
        told = "something went wrong here; what you sent may be sent again"
        headers = SECURITY_HEADERS
        return JSONResponse({"error": told}, 500, headers) if is_api(request) else Response(told, 500, headers)


@lru_cache(maxsize=1000)
def preferred(accepted: str) -> tuple[str, ...]:
    """The languages of an Accept-Language header, the best first.

    Examples
    --------
    >>> preferred("en;q=0.5, cs-CZ, sk;q=0.8")
    ('cs', 'sk', 'en')
    """
    weighed = []
    for part in accepted.split(",")[:20]:
        name, _, rest = part.strip().partition(";")
        _, _, weight = rest.partition("q=")
        try:
            weighed.append((-float(weight or 1), name.partition("-")[0].lower()))
        except ValueError:
            continue
    return tuple(dict.fromkeys(name for _, name in sorted(weighed, key=lambda one: one[0]) if name))


class _Guard:
    """Headers on every answer; no request from another site's page, and none that is too big."""

    def __init__(self, app: Any) -> None:
        self._app = app
        common = {name.lower(): value for name, value in SECURITY_HEADERS.items()}
        self._headers = [(name.encode(), value.encode()) for name, value in common.items()]
        # Scripts and styles may be kept, but are asked for again, so that pages and scripts are of one version.
        cached = {**common, "cache-control": "no-cache"}
        self._static_headers = [(name.encode(), value.encode()) for name, value in cached.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        added = self._static_headers if scope["path"].startswith("/static/") else self._headers

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *added]
            await send(message)

        headers = dict(scope["headers"])
        PREFERRED.set(preferred(headers.get(b"accept-language", b"").decode("latin-1")))
        refusal = _refusal(scope["method"], headers)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        told = b"content-length" in headers or scope["method"] in ("GET", "HEAD")
        await self._app(scope, receive if told else _limited(receive), guarded)


def _refusal(method: str, headers: Mapping[bytes, bytes]) -> Response | None:
    """The answer to a request that must not come in, by its headers."""
    origin = headers.get(b"origin")
    if origin and method not in ("GET", "HEAD") and not _same_site(origin, headers.get(b"host", b"")):
        return JSONResponse({"error": "this request came from another site"}, 403)
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        return JSONResponse({"error": "the length of the request is no number"}, 400)
    if int(length[:20]) > LARGEST_BODY:
        return JSONResponse({"error": "this is too much at once"}, 413)
    return None


def _same_site(origin: bytes, host: bytes) -> bool:
    try:
        return urlsplit(origin.decode("ascii")).netloc == host.decode("ascii")
    except ValueError:
        return False


def _limited(receive: Any) -> Any:
    """Stop reading a body that comes in pieces, without saying how many, when it is too big."""
    size = 0

    async def next_part() -> Any:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            raise HTTPException(413, "this is too much at once")
        return message

    return next_part

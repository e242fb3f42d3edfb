"""The site: an application that serves the campaigns of one store, with guards around it."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from threading import RLock

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as AnyHTTPException
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from kostra.annotate import rendering
from kostra.annotate.admin import add_admin
from kostra.annotate.api import add_api
from kostra.annotate.campaigns import is_scripted, languages_of, open_engine
from kostra.annotate.desk import Desk, RefusedError
from kostra.annotate.forgery import unforged
from kostra.annotate.grouping import add_grouping
from kostra.annotate.guard import LARGEST_BODY as LARGEST_BODY
from kostra.annotate.guard import SECURITY_HEADERS as SECURITY_HEADERS
from kostra.annotate.guard import Doors, Guard
from kostra.annotate.hall import Hall, NotKnownError, is_api, message, site_of
from kostra.annotate.languages.choosing import add_languages
from kostra.annotate.limits import Knocking
from kostra.annotate.operations.health import add_operations
from kostra.annotate.operations.metrics import Counters
from kostra.annotate.pages import add_pages
from kostra.annotate.rendering import Site
from kostra.annotate.scripts_api import add_scripts_api
from kostra.annotate.scripts_api.document import described
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_open import UnavailableError
from kostra.annotate.tasks import Message, Translate
from kostra.errors import KostraError

ENVIRONMENT = "KOSTRA_SITE"
"""How a worker process learns what to serve: a JSON object with `db`, `project` and `campaigns`, and perhaps `root`,
`hosts`, `proxies` (`kostra.annotate.guard.Doors`) and `counts`, a folder in which the workers count together."""


class Desks(Mapping[str, Desk]):
    """The campaigns that a process serves: those it was told of, and those that scripts make while it runs."""

    def __init__(
        self,
        store: Store,
        sites: Mapping[str, Site],
        *,
        project: Path,
        languages: Mapping[str, Sequence[str]],
        clock: Callable[[], datetime],
        counters: Counters,
    ) -> None:
        self._store, self._project, self._clock, self._counters = store, project, clock, counters
        self._languages = languages
        self._lock = RLock()
        self._desks: dict[str, Desk] = {}
        for campaign, site in sites.items():
            self._open(campaign, site)
        for campaign in store.campaigns():
            self.get(campaign)  # those that scripts have made

    def _open(self, campaign: str, site: Site, languages: Sequence[str] = ()) -> Desk:
        engine = open_engine(self._store, campaign, observed=self._count)
        desk = self._desks[campaign] = Desk(
            self._store,
            engine,
            campaign,
            site,
            project=self._project,
            languages=self._languages.get(campaign, languages),
            clock=self._clock,
        )
        return desk

    def _count(self, campaign: str, commands: int, seconds: float, stored: bool) -> None:
        self._counters.observe("kostra_commit_commands", commands, campaign=campaign)
        self._counters.observe("kostra_commit_seconds", seconds, campaign=campaign)
        if not stored:
            self._counters.add("kostra_errors_total", kind="store")

    def __getitem__(self, campaign: str) -> Desk:
        desk = self._desks.get(campaign)
        if desk is not None:
            return desk
        with self._lock:
            if campaign in self._desks:
                return self._desks[campaign]
            if not is_scripted(self._store, campaign):
                raise KeyError(campaign)  # there is none, or the recipe has it no more
            protocol = self._store.load_material(campaign).protocol
            words = Translate(texts=protocol.language)
            site = Site(protocol.title or campaign, words, payment=protocol.payment, contact=protocol.contact)
            return self._open(campaign, site, languages_of(protocol))

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._desks))

    def __len__(self) -> int:
        return len(self._desks)

    def close(self) -> None:
        """Finish what waits."""
        for desk in self._desks.values():
            desk.engine.close()


def make_app(
    store: Store,
    sites: Mapping[str, Site],
    *,
    project: Path,
    languages: Mapping[str, Sequence[str]] | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    secret: bytes | None = None,
    doors: Doors | None = None,
    counts: Path | None = None,
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
    secret
        What only the site knows, the same in all its processes.
    doors
        Under which path and which names it stands, behind which proxies.
    counts
        A folder in which all processes of the site count; without it, each counts for itself.
    """
    doors, counters = doors or Doors(), Counters(counts)
    desks = Desks(store, sites, project=project, languages=languages or {}, clock=clock, counters=counters)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        desks.close()
        store.close()

    app = FastAPI(
        title="kostra",
        version="1",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        dependencies=[Depends(unforged)],
        redirect_slashes=False,
    )
    app.state.hall = Hall(store, desks, clock=clock, secret=secret)
    app.state.project = project
    app.state.doors = doors
    app.state.counters = counters
    app.state.knocking = Knocking()
    _add_replies(app)
    add_api(app)  # first, since routes are tried in order and this is where the answers come
    add_scripts_api(app)
    add_pages(app)
    add_languages(app)
    add_admin(app)
    add_grouping(app)
    add_operations(app)
    app.mount("/static", StaticFiles(directory=rendering.STATIC))
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    app.add_middleware(Guard, doors=doors, counters=counters)
    if doors.proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(doors.proxies))
    return app


def from_environment() -> FastAPI:
    """The application as a worker process makes it (`kostra serve`)."""
    told = json.loads(os.environ[ENVIRONMENT])
    sites = {
        name: Site(one["title"], Translate(texts=one["language"]), payment=one["payment"], contact=one["contact"])
        for name, one in told["campaigns"].items()
    }
    languages = {name: one.get("languages", []) for name, one in told["campaigns"].items()}
    doors = Doors(
        told.get("root", ""), tuple(told.get("hosts", ())), tuple(told.get("proxies", ())), told.get("url", "")
    )
    counts = Path(told["counts"]) if told.get("counts") else None
    return make_app(
        open_store(told["db"]),
        sites,
        project=Path(told["project"]),
        languages=languages,
        secret=os.environ.get("KOSTRA_SECRET", "").encode() or None,
        doors=doors,
        counts=counts,
    )


def _sayable(text: str) -> str:
    """A message as it can be sent: it may quote half of a surrogate pair that a client has sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _add_replies(app: FastAPI) -> None:
    """How every failure is told, to programs and to people."""

    def in_words(request: Request, text: str) -> str:
        """As our own script shows it; other programs read English, whatever their language."""
        return site_of(request).words(text) if request.headers.get("x-kostra-html") else text

    def told(
        request: Request, title: str, text: str, status: int, headers: Mapping[str, str] | None = None
    ) -> Response:
        text = _sayable(text)
        if is_api(request):
            return JSONResponse({"error": in_words(request, text)}, status, dict(headers or {}))
        return message(request, title, text, status=status, link="/work")

    @app.exception_handler(NotKnownError)
    async def not_known(request: Request, _: NotKnownError) -> Response:
        if is_api(request):
            return JSONResponse({"error": "you are not logged in: open your invitation link"}, 401)
        text = Message("Open the link that you were sent. It brings you to your own place; nothing is lost.")
        return message(request, Message("An invitation is needed"), text, status=401)

    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: RefusedError) -> Response:
        return JSONResponse({"errors": {name: in_words(request, text) for name, text in error.errors.items()}}, 422)

    @app.exception_handler(KostraError)
    async def wrong(request: Request, error: KostraError) -> Response:
        return told(
            request, Message("That did not work"), error.what, 503 if isinstance(error, UnavailableError) else 409
        )

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return told(request, Message("That did not work"), f"{where}: {first['msg']}", 422)

    @app.exception_handler(AnyHTTPException)
    async def no_way(request: Request, error: AnyHTTPException) -> Response:
        title = Message("There is nothing here") if error.status_code == 404 else Message("That did not work")
        text = error.detail
        if error.status_code == 404 and text == HTTPStatus.NOT_FOUND.phrase and not is_api(request):
            text = Message("Perhaps a letter of the address is missing.")  # no route said anything better
        return told(request, title, text, error.status_code, error.headers)

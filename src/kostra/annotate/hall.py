"""Who comes in: the campaigns that a process serves, and whose request it is."""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from kostra.annotate import rendering
from kostra.annotate.addresses import SECRET
from kostra.annotate.desk import Desk
from kostra.annotate.entry.gates import GateError, Gates
from kostra.annotate.entry.passwords import Passwords
from kostra.annotate.languages import sentence
from kostra.annotate.languages.choosing import words_for
from kostra.annotate.rendering import Around, Site
from kostra.annotate.store import Store
from kostra.annotate.tokens import Session, Sessions, Shared, csrf_of

COOKIE = "kostra_session"
SESSION = timedelta(days=90)
"""Longer than the longest pause between two phases that a recipe of ours has."""
CSRF_HEADER = "X-Kostra-Csrf"
CSRF_FIELD = "csrf"


class NotKnownError(Exception):
    """Nobody is logged in."""


class Hall:
    """All campaigns that a process serves, and who comes in to which.

    Parameters
    ----------
    secret
        What only the site knows, the same in all its processes; forms carry what is made from it. Unless it is given,
        it is the variable ``KOSTRA_SECRET``, or a random one for this process alone.
    """

    def __init__(
        self,
        store: Store,
        desks: Mapping[str, Desk],
        *,
        clock: Callable[[], datetime],
        secret: bytes | None = None,
        passwords: Passwords | None = None,
    ) -> None:
        self.store = store
        self.desks = desks
        self.now = clock
        self.secret = secret or os.environ.get(SECRET, "").encode() or secrets.token_bytes(32)
        self._sessions = Sessions(store)
        self.passwords = passwords or Passwords()
        self._ended = Shared(store.sessions_ended)
        self._gates = Gates(store)

    async def who(self, request: Request) -> Session:
        """Whose request it is."""
        token, now = request.cookies.get(COOKIE), self.now()
        session = None
        if token:
            request.state.ended = ended = await self._ended.now()
            session = self._sessions.recent(token, now=now, ended=ended)
            if session is None:
                session = await asyncio.to_thread(self._sessions.session, token, now=now, ended=ended)
        if session is None or session.campaign not in self.desks:
            raise NotKnownError
        return session

    async def pass_gates(self, session: Session, request: Request) -> None:
        """Let somebody on to their work, or refuse with the gate at which they stand."""
        ended = request.state.ended  # as `who` found it for this very request
        gate = await self._gates.waiting(self.desk(session), session, ended=ended, now=self.now())
        if gate is not None:
            raise GateError(gate)

    def csrf(self, request: Request) -> str:
        """What the forms of a session carry; empty for whoever has none."""
        token = request.cookies.get(COOKIE)
        return csrf_of(token, self.secret) if token else ""

    def check_csrf(self, request: Request, fields: Mapping[str, object] | None = None) -> None:
        """Refuse what a page of ours did not send: its field `csrf` or header ``X-Kostra-Csrf`` must be right."""
        given = request.headers.get(CSRF_HEADER) or str((fields or {}).get(CSRF_FIELD) or "")
        wanted = self.csrf(request)
        if not wanted or not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode()):
            raise HTTPException(403, "this form is too old, or did not come from this site: load the page again")

    def desk(self, session: Session) -> Desk:
        """Where their campaign is served."""
        return self.desks[session.campaign]


def hall_of(request: Request) -> Hall:
    """The hall of the application that a request came to."""
    hall: Hall = request.app.state.hall
    return hall


def root_of(request: Request) -> str:
    """What stands before every path of the site, behind a proxy; else nothing."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def goes_to(request: Request, path: str) -> RedirectResponse:
    """On to another page of the site."""
    return RedirectResponse(root_of(request) + path, 303)


async def entrant(request: Request) -> Session:
    """Whose request it is, whether or not they may begin to work."""
    hall = hall_of(request)
    session = await hall.who(request)
    request.state.campaign = session.campaign
    rendering.AROUND.set(Around(root_of(request), hall.csrf(request), session.source))
    return session


Entrant = Annotated[Session, Depends(entrant)]


async def visitor(session: Entrant, request: Request) -> Session:
    """Whose request it is, if they have passed all gates: they take part in the campaign."""
    await hall_of(request).pass_gates(session, request)
    return session


Visitor = Annotated[Session, Depends(visitor)]


async def admin(session: Entrant) -> Session:
    """Whose request it is, if they run the campaigns; 403 for everybody else."""
    if session.role != "admin":
        raise HTTPException(403, "this page is for those who run the campaign")
    return session


Admin = Annotated[Session, Depends(admin)]


def let_in(request: Request, response: Response, token: str) -> None:
    """Give a browser the cookie of a new session."""
    age, secure = int(SESSION.total_seconds()), request.url.scheme == "https"
    path = root_of(request) or "/"
    response.set_cookie(COOKIE, token, max_age=age, path=path, httponly=True, samesite="lax", secure=secure)


def let_out(request: Request, response: Response) -> None:
    """Take the cookie of a session that has ended away."""
    path, secure = root_of(request) or "/", request.url.scheme == "https"
    response.delete_cookie(COOKIE, path=path, httponly=True, samesite="lax", secure=secure)


def is_api(request: Request) -> bool:
    """Whether a program asks, and not a page."""
    return request.url.path.removeprefix(root_of(request)).startswith("/api/")


def site_of(request: Request) -> Site:
    """The texts around a page that is about no campaign: those of the visitor's own, or of the first, if any."""
    hall = hall_of(request)
    rendering.AROUND.set(Around(root_of(request), hall.csrf(request)))
    own = hall.desks.get(getattr(request.state, "campaign", ""))
    desk = own or next(iter(hall.desks.values()), None)
    return desk.site if desk is not None else Site("kostra", words_for())


def message(request: Request, title: str, *texts: str, status: int = 200, link: str = "") -> HTMLResponse:
    """A page that only says something, in the language of whoever reads it; each text is a paragraph or more."""
    site = site_of(request)
    said = "\n\n".join(sentence(site.words(text)) for text in texts)
    fragment = rendering.render_message(site, site.words(title), said, link=link)
    return HTMLResponse(rendering.render_page(fragment, site, scripted=False), status)

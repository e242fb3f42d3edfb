"""Who comes in: the campaigns that a process serves, and whose request it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from kostra.annotate import rendering
from kostra.annotate.desk import Desk
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store
from kostra.annotate.tasks import ENGLISH
from kostra.annotate.tokens import Session, Sessions

COOKIE = "kostra_session"
SESSION = timedelta(days=90)
"""Longer than the longest pause between two phases that a recipe of ours has."""


class NotKnownError(Exception):
    """Nobody is logged in."""


class Hall:
    """All campaigns that a process serves, and who comes in to which."""

    def __init__(self, store: Store, desks: Mapping[str, Desk], *, clock: Callable[[], datetime]) -> None:
        self.store = store
        self.desks = desks
        self.now = clock
        self._sessions = Sessions(store)

    async def who(self, request: Request) -> Session:
        """Whose request it is."""
        token, now = request.cookies.get(COOKIE), self.now()
        session = self._sessions.recent(token, now=now) if token else None
        if session is None and token:
            session = await asyncio.to_thread(self._sessions.session, token, now=now)
        if session is None or session.campaign not in self.desks:
            raise NotKnownError
        return session

    def desk(self, session: Session) -> Desk:
        """Where their campaign is served."""
        return self.desks[session.campaign]


def hall_of(request: Request) -> Hall:
    """The hall of the application that a request came to."""
    hall: Hall = request.app.state.hall
    return hall


async def visitor(request: Request) -> Session:
    """Whose request it is."""
    return await hall_of(request).who(request)


Visitor = Annotated[Session, Depends(visitor)]


def is_api(request: Request) -> bool:
    """Whether a program asks, and not a page."""
    return request.url.path.startswith("/api/")


def message(request: Request, title: str, text: str, *, status: int = 200, link: str = "") -> HTMLResponse:
    """A page that only says something."""
    site = next(iter(hall_of(request).desks.values())).site if hall_of(request).desks else Site("kostra", ENGLISH)
    fragment = rendering.render_message(site, title, text, link=link)
    return HTMLResponse(rendering.render_page(fragment, site, scripted=False), status)

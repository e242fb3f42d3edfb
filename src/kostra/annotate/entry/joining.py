"""Coming in by a link."""

from __future__ import annotations

import asyncio

from fastapi import Request
from fastapi.responses import HTMLResponse, Response

from kostra.annotate import rendering
from kostra.annotate.entry.pseudonyms import animal
from kostra.annotate.hall import SESSION, Hall, NotKnownError, goes_to, hall_of, let_in, message, site_of
from kostra.annotate.languages import Message
from kostra.annotate.store_open import UnavailableError
from kostra.annotate.store_people import Naming, Stranger
from kostra.campaign.protocol import Campaign
from kostra.errors import KostraError


def naming_of(protocol: Campaign, language: str) -> Naming | None:
    """How a campaign names its people: None for numbers.

    Examples
    --------
    >>> from kostra.campaign.protocol import Phase
    >>> naming_of(Campaign(phases=(Phase(name="main", task="rating"),)), "en") is None
    True
    """
    return animal(protocol.language or language) if protocol.entry.pseudonyms == "animals" else None


async def joined(request: Request, token: str) -> Response:
    """Let somebody in by an invitation, unless they are here as somebody else: then they are asked first.

    Otherwise a shared link that is opened twice would make two annotators of one person, and whoever sent somebody a
    link of their own would get that person's answers.
    """
    hall = hall_of(request)
    try:
        session = await hall.who(request)
    except NotKnownError:
        return await redeemed(request, token)
    found = await asyncio.to_thread(hall.store.invitation, token)
    same = found is not None and (found.campaign, found.annotator) == (session.campaign, session.annotator)
    if found is None or same or not found.works(hall.now()):
        return await redeemed(request, token)
    request.state.campaign = session.campaign
    return HTMLResponse(
        rendering.render("entry/already.html", site_of(request), name=session.annotator, token=token), 409
    )


async def redeemed(request: Request, token: str, stranger: Stranger | None = None) -> Response:
    """Let somebody in by an invitation, or say why not."""
    hall = hall_of(request)
    now = hall.now()
    try:
        invitation = await asyncio.to_thread(hall.store.invitation, token)
        if invitation is not None and invitation.campaign not in hall.desks:
            raise KostraError("the campaign of this invitation is not open at the moment")
        name = await _naming(hall, invitation.campaign) if invitation is not None else None
        cookie, session = await asyncio.to_thread(
            hall.store.redeem, token, lasts_until=now + SESSION, now=now, name=name, stranger=stranger
        )
    except UnavailableError:
        raise
    except KostraError as error:
        remedy = Message("Ask whoever sent you the link for another one.")
        return message(request, Message("This link does not work"), error.what, remedy, status=404)
    response = goes_to(request, home_of(session.role))
    let_in(request, response, cookie)
    return response


def home_of(role: str) -> str:
    """Where somebody begins."""
    return "/admin" if role == "admin" else "/work"


async def _naming(hall: Hall, campaign: str) -> Naming | None:
    desk = hall.desks[campaign]
    return naming_of(await desk.protocol(), desk.site.words.texts)

"""Prolific and Mechanical Turk: how people whom they send come in, and go back."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from kostra.annotate import rendering
from kostra.annotate.entry import leaving
from kostra.annotate.entry.gates import GateError
from kostra.annotate.entry.joining import redeemed
from kostra.annotate.hall import Entrant, Hall, goes_to, hall_of, message, root_of, site_of
from kostra.annotate.languages import Message
from kostra.annotate.tokens import Session
from kostra.errors import KostraError

_RETURN: dict[leaving.Outcome, str] = {
    "finished": Message("Your work is saved. Go back to the page that sent you and finish there."),
    "stopped": Message("The study has ended for you. Go back to the page that sent you."),
    "refused": Message(
        "You did not agree to take part. Go back to the page that sent you and return the task there, so that "
        "somebody else can have it."
    ),
}


def add_platforms(app: FastAPI) -> None:
    """Add their doors to the site."""

    @app.get("/prolific/{token}", include_in_schema=False)
    async def prolific(token: str, request: Request) -> Response:
        stranger = leaving.from_prolific(request.query_params)
        wanted = await _study(hall_of(request), token)
        if wanted and stranger.visit["STUDY_ID"] != wanted:
            raise KostraError("this link belongs to another study on Prolific")
        return await redeemed(request, token, stranger)

    @app.get("/mturk/{token}", include_in_schema=False)
    async def mturk(token: str, request: Request) -> Response:
        # Shown inside Amazon's page, where browsers keep no cookie of ours: the work has a window of its own.
        stranger = leaving.from_mturk(request.query_params)
        begin = ""
        if stranger is not None:
            passed_on = urlencode({**stranger.visit, "workerId": stranger.external})
            begin = f"{root_of(request)}/mturk/{token}/begin?{passed_on}"
        found = await asyncio.to_thread(hall_of(request).store.invitation, token)
        request.state.campaign = found.campaign if found is not None else ""  # its title stands on the page
        page = rendering.render("entry/mturk.html", site_of(request), begin=begin)
        return HTMLResponse(page, headers=leaving.policy(framed_by=leaving.FRAMED))

    @app.get("/mturk/{token}/begin", include_in_schema=False)
    async def mturk_begin(token: str, request: Request) -> Response:
        stranger = leaving.from_mturk(request.query_params)
        if stranger is None:
            raise KostraError("accept the task at Mechanical Turk first")
        return await redeemed(request, token, stranger)

    @app.get("/leave", include_in_schema=False)
    async def leave(session: Entrant, request: Request) -> Response:
        hall = hall_of(request)
        outcome = await _outcome(hall, session, request)
        if outcome is None or not session.source:
            return goes_to(request, "/work")
        if session.source == "prolific":
            codes = (await hall.desk(session).protocol()).entry.prolific
            link = leaving.prolific_link(codes, outcome)
            if link is not None:
                return RedirectResponse(link, 303)
            return message(request, Message("You may go back to Prolific"), _RETURN[outcome])
        if outcome == "refused":
            return message(request, Message("You may go back to Mechanical Turk"), _RETURN[outcome])
        return await _hand_in(hall, session, outcome)


async def _hand_in(hall: Hall, session: Session, outcome: leaving.Outcome) -> Response:
    """The form by which an assignment is handed in."""
    contact = await asyncio.to_thread(hall.store.contact, session.campaign, session.annotator)
    assert contact is not None  # or the session would have no source
    code = (await hall.desk(session).protocol()).entry.mturk_code
    address = leaving.submit_address(contact.visit["turkSubmitTo"])
    fields = {"assignmentId": contact.visit["assignmentId"], "code": code, "outcome": outcome}
    page = rendering.render("entry/hand_in.html", hall.desk(session).site, address=address, fields=fields)
    return HTMLResponse(page, headers=leaving.policy(forms_to=address.removesuffix("/mturk/externalSubmit")))


async def _study(hall: Hall, token: str) -> str:
    found = await asyncio.to_thread(hall.store.invitation, token)
    if found is None or found.campaign not in hall.desks:
        return ""
    return (await hall.desks[found.campaign].protocol()).entry.prolific.study


async def _outcome(hall: Hall, session: Session, request: Request) -> leaving.Outcome | None:
    """What became of somebody; None while there is something to do."""
    try:
        await hall.pass_gates(session, request)
    except GateError as error:
        consent = (await hall.desk(session).protocol()).consent
        if error.gate != "consent" or consent is None:
            return None
        asked = (session.campaign, session.annotator, consent.version_of_text)
        said = await asyncio.to_thread(hall.store.has_consented, *asked)
        return "refused" if said is False else None
    place = (await hall.desk(session).stand(session.annotator)).place
    if place.kind == "finished":
        return "finished"
    return "stopped" if place.kind == "stopped" else None

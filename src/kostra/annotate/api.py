"""The annotators' JSON API, version 1: what the pages' scripts and simulated annotators use."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Header, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from kostra.annotate.desk import Desk, Sent, Standing
from kostra.annotate.hall import Entrant, Visitor, hall_of
from kostra.annotate.tokens import Session
from kostra.campaign.material import item_to_json

Html = Annotated[str | None, Header(alias="X-Kostra-Html")]
"""Set by our own pages: the reply carries the next fragment."""


Version = Annotated[int, Field(ge=1, le=2**31 - 1)]


class AnswerBody(BaseModel):
    """An answer to one item."""

    phase: str
    item: str
    version: Version
    answers: dict[str, Any]
    """Question → a text, a number, a list of them, or ``{"impossible": true}``."""
    key: Annotated[str, Field(min_length=1, max_length=100)]
    """Made by the client, once per answer: an answer that is sent twice is stored once."""
    seconds: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    """How long the item was visible in a focused window."""
    language: Annotated[str, Field(max_length=20)] = "en"
    notes: dict[str, Any] = {}


class DraftBody(BaseModel):
    """What was typed so far."""

    phase: str
    item: str
    version: Version = 1
    data: dict[str, Any]


class KeyBody(BaseModel):
    """The key of a skip."""

    key: Annotated[str, Field(min_length=1, max_length=100)]


class ProblemBody(BaseModel):
    """What an annotator reports."""

    text: Annotated[str, Field(max_length=10_000)]


class SuggestionBody(BaseModel):
    """A better wording for one sentence of a pair."""

    item: str
    side: str
    text: Annotated[str, Field(max_length=10_000)]


class SpellingBody(BaseModel):
    """A text to be looked through."""

    text: Annotated[str, Field(max_length=10_000)]


class Known(BaseModel):
    """Who has come in."""

    campaign: str
    annotator: str
    role: str
    owner: str
    """Under which name a browser keeps what is not sent yet."""
    csrf: str


class Trouble(BaseModel):
    """Why a request was not taken."""

    error: str


class Mistakes(BaseModel):
    """What is wrong with an answer."""

    errors: dict[str, str]
    """Question → what is wrong with its answer."""


RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": Trouble, "description": "The request cannot be read."},
    401: {"model": Trouble, "description": "Nobody is logged in: open an invitation link."},
    403: {"model": Trouble, "description": "It lacks the session's `csrf`, or came from the page of another site."},
    409: {"model": Trouble, "description": "It cannot be done now; sent again, it is refused again."},
    404: {"model": Trouble, "description": "There is nothing of that name."},
    413: {"model": Trouble, "description": "The request is too big."},
    422: {"model": Mistakes | Trouble, "description": "An answer is wrong, or the request has not the right form."},
    429: {"model": Trouble, "description": "Too much that this address tried has failed; see `Retry-After`."},
    503: {"model": Trouble, "description": "The store is busy or away: send the same again, later."},
}


def add_api(app: FastAPI) -> None:
    """Add the API to the site."""
    api = APIRouter(prefix="/api/v1", responses=RESPONSES, tags=["answering"])

    # Replies are made here and not by FastAPI, which would look through all of a reply once more.
    def seen(desk: Desk, session: Session, standing: Standing, html: str | None) -> JSONResponse:
        found: dict[str, Any] = {"place": place_json(standing)}
        return JSONResponse(found | {"html": desk.fragment(session.annotator, standing)} if html else found)

    @api.get("/session")
    async def session_of(session: Entrant, request: Request) -> Known:
        """Who you are, and what your requests must carry in the header `X-Kostra-Csrf`."""
        owner = f"{session.campaign}/{session.annotator}"
        return Known(
            campaign=session.campaign, annotator=session.annotator, role=session.role, owner=owner,
            csrf=hall_of(request).csrf(request),
        )  # fmt: skip

    @api.post("/answers")
    async def answers(body: AnswerBody, session: Visitor, request: Request, html: Html = None) -> JSONResponse:
        """Answer an item; the answer is on disk when this returns. The reply says what comes next."""
        desk = hall_of(request).desk(session)
        sent = Sent(
            body.phase, body.item, body.version, body.answers, body.key, body.seconds, body.language, body.notes
        )
        taken, standing = await desk.answer(session.annotator, sent)
        outcome = taken.outcome
        told = None if outcome.feedback is None else asdict(outcome.feedback)
        found = {"status": outcome.status, "repeated": outcome.repeated, "feedback": told}
        if not html:
            return JSONResponse(found | {"place": place_json(standing)})
        return JSONResponse(found | {"html": desk.feedback(taken) or desk.fragment(session.annotator, standing)})

    @api.post("/next")
    async def come_next(session: Visitor, request: Request, html: Html = None) -> JSONResponse:
        """Where you stand: an item to answer, a pause, a wait or an end. An item is kept for you for a while."""
        desk = hall_of(request).desk(session)
        return seen(desk, session, await desk.stand(session.annotator), html)

    @api.post("/undo")
    async def undo(session: Visitor, request: Request, html: Html = None) -> JSONResponse:
        """Show the last item again; the next answer to it supersedes the last one."""
        desk = hall_of(request).desk(session)
        return seen(desk, session, await desk.undo(session.annotator), html)

    @api.post("/skip")
    async def skip(body: KeyBody, session: Visitor, request: Request, html: Html = None) -> JSONResponse:
        """Pass the item on to somebody else, where the phase allows it."""
        desk = hall_of(request).desk(session)
        return seen(desk, session, await desk.skip(session.annotator, body.key), html)

    @api.put("/drafts")
    async def drafts(body: DraftBody, session: Visitor, request: Request) -> dict[str, Any]:
        """Keep what was typed so far."""
        desk = hall_of(request).desk(session)
        await desk.draft(session.annotator, body.phase, body.item, body.version, body.data)
        return {}

    @api.post("/problems")
    async def problems(body: ProblemBody, session: Visitor, request: Request) -> dict[str, Any]:
        """Report a problem with the item on the screen, or with anything."""
        await hall_of(request).desk(session).problem(session.annotator, body.text)
        return {}

    @api.post("/suggestions")
    async def suggestions(body: SuggestionBody, session: Visitor, request: Request) -> dict[str, Any]:
        """Propose a better wording for a sentence of the pair on the screen."""
        await hall_of(request).desk(session).suggest(session.annotator, body.item, body.side, body.text)
        return {}

    @api.post("/spelling")
    async def spelling(body: SpellingBody, session: Visitor, request: Request) -> list[dict[str, object]]:
        """Unknown words of a text, where the phase has a dictionary."""
        return await hall_of(request).desk(session).misspelt(session.annotator, body.text)

    app.include_router(api)


def place_json(standing: Standing) -> dict[str, Any]:
    """Where somebody stands, for programs."""
    place = standing.place
    found: dict[str, Any] = {"kind": place.kind}
    for name in ("phase", "block", "purpose", "reason", "attempt", "again"):
        value = getattr(place, name)
        if value:
            found[name] = value
    if place.until is not None:
        found["until"] = place.until.isoformat()
    if place.item is not None:
        found["item"] = item_to_json(place.item)
    if place.progress is not None:
        found["progress"] = asdict(place.progress)
    return found

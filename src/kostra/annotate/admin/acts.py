"""What the office does: every act has a reason, is an entry of the campaign's log, and stands in the audit log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Form, Request
from fastapi.responses import Response

from kostra.annotate.admin import views
from kostra.annotate.admin.office import beside, office_of, page
from kostra.annotate.hall import Admin, Visitor, goes_to, hall_of, root_of
from kostra.annotate.store_open import UnavailableError
from kostra.annotate.tokens import Session
from kostra.campaign.events import Event
from kostra.campaign.protocol import Role
from kostra.campaign.running import Running
from kostra.errors import KostraError

Note = Annotated[str, Form(max_length=1000)]
Name = Annotated[str, Form(max_length=300)]
Command = Callable[[Running, datetime], list[Event]]
LONGEST_MESSAGE = 5_000
MOST_LINKS = 1_000


def add_acts(app: FastAPI) -> None:
    """Add the acts, and the pages with their forms where these stand alone."""
    office = APIRouter(prefix="/admin/{campaign}", include_in_schema=False)
    _add_campaign_acts(office)
    _add_item_acts(office)
    _add_messages(office)
    _add_invitations(office)
    app.include_router(office)

    @app.post("/work/messages", include_in_schema=False)
    async def read(session: Visitor, request: Request, message: Annotated[int, Form(ge=1, le=2**31 - 1)]) -> Response:
        board, now = hall_of(request).desk(session).board, hall_of(request).now()
        await beside(lambda: board.read(session.annotator, [message], now=now))
        return goes_to(request, "/work")


async def _act(
    request: Request, session: Session, campaign: str, act: str, command: Command, back: str, data: Mapping[str, Any]
) -> Response:
    """Have a command run, write it down, and go back with word of it; what is refused is said on a page."""
    office = office_of(request)
    hall, watch = office.hall, office.watch(campaign)
    note = str(data.get("note", "")).strip()
    try:
        if not note:
            raise KostraError("a reason is needed: it is kept with what you did")
        now = hall.now()
        future = watch.engine.submit(lambda running: (None, command(running, now)))
        await asyncio.wrap_future(future)
        await beside(lambda: hall.store.record(act, campaign=campaign, actor=session.annotator, data=data, now=now))
    except UnavailableError:
        raise
    except KostraError as error:
        return refused(request, campaign, error, back)
    return goes_to(request, f"{back}{'&' if '?' in back else '?'}done={act}")


def refused(request: Request, campaign: str, error: KostraError, back: str) -> Response:
    """A page that says why not."""
    return page(request, "refused", campaign=campaign, status=409, error=error, back=back)


def _address(campaign: str, part: str = "", **query: str) -> str:
    return f"/admin/{campaign}" + (f"/{part}" if part else "") + (f"?{urlencode(query)}" if query else "")


# The campaign and its people --------------------------------------------------------------------------------


def _add_campaign_acts(office: APIRouter) -> None:
    @office.post("/pause")
    async def pause(campaign: str, request: Request, session: Admin, note: Note = "") -> Response:
        def command(running: Running, now: datetime) -> list[Event]:
            return running.pause(now, note=note.strip(), by=session.annotator)

        return await _act(request, session, campaign, "paused", command, _address(campaign), {"note": note})

    @office.post("/resume")
    async def resume(campaign: str, request: Request, session: Admin, note: Note = "") -> Response:
        def command(running: Running, now: datetime) -> list[Event]:
            return running.resume(now, note=note.strip(), by=session.annotator)

        return await _act(request, session, campaign, "resumed", command, _address(campaign), {"note": note})

    @office.post("/extend")
    async def extend(
        campaign: str, request: Request, session: Admin, phase: Name, until: Name, note: Note = ""
    ) -> Response:
        def command(running: Running, now: datetime) -> list[Event]:
            return running.extend(phase, moment_in(until), now, note=note.strip(), by=session.annotator)

        data = {"phase": phase, "until": until, "note": note}
        return await _act(request, session, campaign, "extended", command, _address(campaign), data)

    @office.post("/exclude")
    async def exclude(campaign: str, request: Request, session: Admin, name: Name, note: Note = "") -> Response:
        real = await _real(request, campaign, name)

        def command(running: Running, now: datetime) -> list[Event]:
            if real in running.people and running.people[real].role == "admin":
                raise KostraError("who runs the campaign gives no answers that could be excluded")
            return running.stop(real, "excluded", now, note=note.strip(), by=session.annotator)

        data, back = {"annotator": real, "note": note}, _address(campaign, "person", name=name)
        return await _act(request, session, campaign, "excluded", command, back, data)

    @office.post("/readmit")
    async def readmit(campaign: str, request: Request, session: Admin, name: Name, note: Note = "") -> Response:
        real = await _real(request, campaign, name)

        def command(running: Running, now: datetime) -> list[Event]:
            return running.readmit(real, now, note=note.strip(), by=session.annotator)

        data, back = {"annotator": real, "note": note}, _address(campaign, "person", name=name)
        return await _act(request, session, campaign, "readmitted", command, back, data)


async def _real(request: Request, campaign: str, name: str) -> str:
    """The pseudonym in the log of somebody whom a page may call otherwise."""
    office_of(request).watch(campaign)
    aliases = await beside(hall_of(request).store.aliases, campaign)
    return views.Aliases(aliases).real(name)


# Items ------------------------------------------------------------------------------------------------------


def _add_item_acts(office: APIRouter) -> None:
    @office.post("/free")
    async def free(
        campaign: str,
        request: Request,
        session: Admin,
        name: Name = "",
        phase: Name = "",
        item: Name = "",
        note: Note = "",
    ) -> Response:
        real = await _real(request, campaign, name)

        def command(running: Running, now: datetime) -> list[Event]:
            if name:
                return running.free(real, now, note=note.strip(), by=session.annotator)
            return running.free_item(phase, item, now, note=note.strip(), by=session.annotator)

        if name:
            data, back = {"annotator": real, "note": note}, _address(campaign, "person", name=name)
        else:
            data, back = {"phase": phase, "item": item, "note": note}, _address(campaign, "item", item=item)
        return await _act(request, session, campaign, "freed", command, back, data)

    @office.post("/reassign")
    async def reassign(
        campaign: str,
        request: Request,
        session: Admin,
        phase: Name,
        item: Name,
        name: Name,
        taken_from: Name = "",
        note: Note = "",
    ) -> Response:
        real, before = await _real(request, campaign, name), await _real(request, campaign, taken_from)

        def command(running: Running, now: datetime) -> list[Event]:
            by, whose = session.annotator, before or None
            return running.reassign(phase, item, real, now, taken_from=whose, note=note.strip(), by=by)

        data = {"phase": phase, "item": item, "annotator": real, "taken_from": before, "note": note}
        back = _address(campaign, "item", item=item)
        return await _act(request, session, campaign, "reassigned", command, back, data)


# Messages -----------------------------------------------------------------------------------------------------


def _add_messages(office: APIRouter) -> None:
    @office.get("/messages")
    async def messages(campaign: str, request: Request, _: Admin, to: str = "") -> Response:
        office_of(request).watch(campaign)
        sent = await beside(hall_of(request).store.messages, campaign)
        return page(request, "messages", campaign=campaign, tab="messages", sent=sent[:200], to=to[:300])

    @office.post("/messages")
    async def send(
        campaign: str,
        request: Request,
        session: Admin,
        text: Annotated[str, Form(max_length=LONGEST_MESSAGE)] = "",
        name: Name = "",
    ) -> Response:
        hall = hall_of(request)
        real, actor = await _real(request, campaign, name), session.annotator
        back = _address(campaign, "messages")

        def store() -> None:
            if name:
                hall.store.annotator(campaign, real)  # refuses whom nobody knows
            now, to = hall.now(), real or None
            number = hall.store.add_message(campaign, text, annotator=to, actor=actor, now=now)
            data = {"message": number, "annotator": to}
            hall.store.record("sent", campaign=campaign, actor=actor, data=data, now=now)

        try:
            await beside(store)
        except UnavailableError:
            raise
        except KostraError as error:
            return refused(request, campaign, error, back)
        return goes_to(request, f"{back}?done=sent")


# Invitations --------------------------------------------------------------------------------------------------


def _add_invitations(office: APIRouter) -> None:
    @office.get("/invitations")
    async def invitations(campaign: str, request: Request, _: Admin, name: str = "") -> Response:
        return await _invitations(request, campaign, name=name[:300])

    @office.post("/invitations")
    async def invite(
        campaign: str,
        request: Request,
        session: Admin,
        role: Annotated[Literal["annotator", "leader", "judge", "linguist", "admin"], Form()] = "annotator",
        uses: Annotated[Literal["personal", "once", "shared"], Form()] = "personal",
        number: Annotated[int, Form(ge=1, le=MOST_LINKS)] = 1,
        days: Annotated[str, Form(max_length=10)] = "",
        quota: Annotated[str, Form(max_length=10)] = "",
        name: Name = "",
        note: Note = "",
    ) -> Response:
        hall, actor = hall_of(request), session.annotator
        real = await _real(request, campaign, name)

        def make() -> list[str]:
            if not note.strip():
                raise KostraError("a reason is needed: it is kept with what you did")
            now = hall.now()
            ends, most = _positive(days, "days"), _positive(quota, "people")
            expires = now + timedelta(days=ends) if ends is not None else None
            most = most if uses == "shared" else None
            tokens = hall.store.invite(
                campaign, 1 if name or uses == "shared" else number, role=role, uses=uses, annotator=real or None,
                expires_at=expires, quota=int(most) if most is not None else None, now=now,
            )  # fmt: skip
            data = {
                "number": len(tokens), "role": role, "uses": uses, "annotator": real or None,
                "expires_at": expires.isoformat() if expires else None, "quota": most, "note": note,
            }  # fmt: skip
            hall.store.record("invited", campaign=campaign, actor=actor, data=data, now=now)
            return tokens

        try:
            tokens = await beside(make)
        except UnavailableError:
            raise
        except KostraError as error:
            return refused(request, campaign, error, _address(campaign, "invitations"))
        # The links stand on this page and nowhere else: the store keeps only their hashes.
        site = request.app.state.doors.url or f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"
        return await _invitations(request, campaign, links=[f"{site}/join/{token}" for token in tokens])

    @office.post("/withdraw")
    async def withdraw(campaign: str, request: Request, session: Admin, invitation: Name, note: Note = "") -> Response:
        hall, back = hall_of(request), _address(campaign, "invitations")
        office_of(request).watch(campaign)

        def act() -> None:
            now, data = hall.now(), {"invitation": invitation, "note": note}
            hall.store.withdraw_invitation(campaign, invitation)
            hall.store.record("withdrawn", campaign=campaign, actor=session.annotator, data=data, now=now)

        try:
            await beside(act)
        except UnavailableError:
            raise
        except KostraError as error:
            return refused(request, campaign, error, back)
        return goes_to(request, f"{back}?done=withdrawn")


async def _invitations(request: Request, campaign: str, *, links: list[str] | None = None, name: str = "") -> Response:
    watch, now = office_of(request).watch(campaign), office_of(request).hall.now()
    made = await beside(office_of(request).hall.store.invitations, campaign)
    roles: list[Role] = await beside(
        watch.read, lambda running: list(dict.fromkeys(run.phase.role for run in running.phases.values()))
    )
    rows = [(one, one.works(now)) for one in made[:200]]
    return page(
        request, "invitations", campaign=campaign, tab="invitations", rows=rows, total=len(made), links=links or [],
        roles=[*roles, *([] if "admin" in roles else ["admin"])], name=name,
    )  # fmt: skip


def _positive(text: str, noun: str) -> float | None:
    if not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 100_000:
        raise KostraError(f'"{text}" is no number of {noun}', accepted="1 or more")
    return number


def moment_in(text: str) -> datetime:
    """The moment that a form names, in UTC unless it says another zone.

    Examples
    --------
    >>> moment_in("2026-05-01T12:30").isoformat()
    '2026-05-01T12:30:00+00:00'
    >>> moment_in("soon")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: "soon" is no moment
      accepted: such as 2026-05-01T23:59, in UTC
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise KostraError(f'"{text}" is no moment', accepted="such as 2026-05-01T23:59, in UTC") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)

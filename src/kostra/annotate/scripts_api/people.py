"""People: invitations, annotators, who is excluded, and pauses of the whole campaign."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Request
from pydantic import Field

from kostra.annotate.admin.progress import PersonState, people_states
from kostra.annotate.hall import hall_of
from kostra.annotate.scripts_api.access import (
    AnnotatorName,
    CampaignName,
    Reads,
    Writes,
    actor_of,
    desk_of,
    do,
    read,
    record,
)
from kostra.annotate.scripts_api.shapes import Sent, Shape
from kostra.annotate.store import Store
from kostra.annotate.store_office import ApiToken
from kostra.annotate.store_people import Annotator
from kostra.campaign.events import Event
from kostra.campaign.running import Running
from kostra.errors import KostraError

Note = Annotated[str, Field(min_length=1, max_length=1000)]


class InvitationsBody(Sent):
    """Links to be made."""

    number: Annotated[int, Field(ge=1, le=1000)] = 1
    role: Literal["annotator", "leader", "judge", "linguist", "admin"] = "annotator"
    uses: Literal["once", "personal", "shared"] = "personal"
    """`personal` lets one person in, as often as they come; `shared` lets anybody in, as somebody new."""
    days: Annotated[float, Field(gt=0, le=3660)] | None = None
    """How long they work; for ever unless said."""
    quota: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """How many a shared link lets in; all unless said."""
    annotator: Annotated[str, Field(max_length=64)] | None = None
    """Somebody who is there already and gets another link."""


class InvitationReply(Shape):
    """A link; it stands nowhere else, the store keeps its hash."""

    token: str
    path: str
    """Below the site's address."""
    link: str | None
    """The whole address, where the site knows its own (`kostra serve --url`)."""


class InvitationsReply(Shape):
    """Links that were made."""

    expires_at: datetime | None
    invitations: list[InvitationReply]


class AnnotatorReply(Shape):
    """Somebody who answers, under a pseudonym."""

    annotator: str
    role: str
    kind: str
    created_at: datetime
    joined_at: datetime | None
    last_at: datetime | None
    stopped: str
    """Why, if they were stopped; else empty."""
    finished: list[str]
    """Phases that they are through with."""
    answered: dict[str, int]
    """Phase → answers."""


class AnnotatorsReply(Shape):
    """Everybody, in the order in which they came."""

    annotators: list[AnnotatorReply]


class ReasonBody(Sent):
    """Why; it is kept in the log, and never shown to the annotator."""

    reason: Note


class DoneReply(Shape):
    """Whether anything changed."""

    changed: bool


def add_people(api: APIRouter) -> None:
    """Add what concerns people."""

    @api.post("/campaigns/{campaign}/invitations", status_code=201)
    async def invite(
        campaign: CampaignName, body: InvitationsBody, token: Writes, request: Request
    ) -> InvitationsReply:
        """Make invitation links. Links for those who run the campaign need a token that may do so itself."""
        hall = hall_of(request)
        desk = await desk_of(request, campaign, token)
        if body.role == "admin" and token.role != "admin":
            raise HTTPException(403, "a link for an admin needs a token with that role")
        asked = await read(desk, lambda running: {run.phase.role for run in running.phases.values()})
        if body.role not in {*asked, "admin"}:
            known_roles = ", ".join(sorted(asked))
            raise HTTPException(422, f"nothing here is for a {body.role}, but for: {known_roles}")
        annotator = body.annotator
        if annotator is not None:
            known = await _known(request, campaign, annotator)
            annotator = known.annotator
            if known.role == "admin" and token.role != "admin":
                raise HTTPException(403, "a link for an admin needs a token with that role")
        now = hall.now()
        expires = None if body.days is None else now + timedelta(days=body.days)
        tokens = await asyncio.to_thread(
            hall.store.invite, campaign, body.number, role=body.role, uses=body.uses,
            annotator=annotator, expires_at=expires, quota=body.quota, now=now,
        )  # fmt: skip
        told = {"number": body.number, "role": body.role, "uses": body.uses, "quota": body.quota}
        await record(hall, token, "invited", campaign, told | ({"annotator": body.annotator} if body.annotator else {}))
        doors = request.app.state.doors
        made = [
            InvitationReply(token=one, path=f"/join/{one}", link=f"{doors.url}/join/{one}" if doors.url else None)
            for one in tokens
        ]
        return InvitationsReply(expires_at=expires, invitations=made)

    @api.get("/campaigns/{campaign}/annotators")
    async def annotators(campaign: CampaignName, token: Reads, request: Request) -> AnnotatorsReply:
        """Everybody who was let in, how much they answered, and who was stopped."""
        desk = await desk_of(request, campaign, token)
        states = {state.name: state for state in await read(desk, people_states)}
        listed, aliases = await asyncio.to_thread(_listed, hall_of(request).store, campaign)
        told = [_reply(one, states.get(one.annotator), aliases) for one in listed]
        return AnnotatorsReply(annotators=told)

    @api.post("/campaigns/{campaign}/annotators/{annotator}/exclude")
    async def exclude(
        campaign: CampaignName, annotator: AnnotatorName, body: ReasonBody, token: Writes, request: Request
    ) -> DoneReply:
        """Stop an annotator: their answers are discarded, and the items go to others. It can be undone."""
        act = _Act("excluded", campaign, body.reason, annotator)
        return await _done(request, token, act, _stop)

    @api.post("/campaigns/{campaign}/annotators/{annotator}/readmit")
    async def readmit(
        campaign: CampaignName, annotator: AnnotatorName, body: ReasonBody, token: Writes, request: Request
    ) -> DoneReply:
        """Undo an exclusion: answers for which there is still room count again."""
        act = _Act("readmitted", campaign, body.reason, annotator)
        return await _done(request, token, act, lambda running, now, who, said: running.readmit(who, now, **said))

    @api.post("/campaigns/{campaign}/pause")
    async def pause(campaign: CampaignName, body: ReasonBody, token: Writes, request: Request) -> DoneReply:
        """Show nobody anything new, until it is resumed; what is on a screen may still be answered."""
        act = _Act("paused", campaign, body.reason)
        return await _done(request, token, act, lambda running, now, _, said: running.pause(now, **said))

    @api.post("/campaigns/{campaign}/resume")
    async def resume(campaign: CampaignName, body: ReasonBody, token: Writes, request: Request) -> DoneReply:
        """Go on after a pause."""
        act = _Act("resumed", campaign, body.reason)
        return await _done(request, token, act, lambda running, now, _, said: running.resume(now, **said))


@dataclass(frozen=True)
class _Act:
    """Something that is done to a campaign, and written down."""

    act: str
    campaign: str
    reason: str
    annotator: str | None = None


Decide = Callable[[Running, datetime, str, dict[str, str]], list[Event]]
"""What shall happen: to the campaign, now, to whom, and what is said of it."""


def _stop(running: Running, now: datetime, who: str, said: dict[str, str]) -> list[Event]:
    if who in running.people and running.people[who].role == "admin":
        raise KostraError("whoever runs the campaign cannot be excluded from it")
    return running.stop(who, "excluded", now, **said)


async def _done(request: Request, token: ApiToken, act: _Act, decide: Decide) -> DoneReply:
    """Have it done, and written down, if there was anything to do."""
    hall = hall_of(request)
    desk, now = await desk_of(request, act.campaign, token), hall.now()
    who = (await _known(request, act.campaign, act.annotator)).annotator if act.annotator is not None else ""
    said = {"note": act.reason, "by": actor_of(token)}

    def command(running: Running) -> tuple[bool, list[Event]]:
        events = decide(running, now, who, said)
        return bool(events), events

    changed = await do(desk, command)
    if changed:
        told = {"reason": act.reason} | ({"annotator": who} if who else {})
        await record(hall, token, act.act, act.campaign, told)
    return DoneReply(changed=changed)


def _listed(store: Store, campaign: str) -> tuple[list[Annotator], dict[str, str]]:
    return store.annotators(campaign), store.aliases(campaign)


async def _known(request: Request, campaign: str, annotator: str) -> Annotator:
    """Somebody by the name under which they are shown."""
    listed, aliases = await asyncio.to_thread(_listed, hall_of(request).store, campaign)
    for one in listed:
        if aliases.get(one.annotator, one.annotator) == annotator:
            return one
    raise HTTPException(404, "there is no such annotator in this campaign")


def _reply(one: Annotator, state: PersonState | None, aliases: Mapping[str, str]) -> AnnotatorReply:
    return AnnotatorReply(
        annotator=aliases.get(one.annotator, one.annotator), role=one.role, kind=one.kind, created_at=one.created_at,
        joined_at=state.joined_at if state else None, last_at=state.last_at if state else None,
        stopped=state.stopped if state else "", finished=list(state.finished) if state else [],
        answered=dict(state.answered) if state else {},
    )  # fmt: skip

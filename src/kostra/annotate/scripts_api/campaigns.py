"""Campaigns: which there are, making and revising them, and how far they are."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import datetime
from typing import Any

from fastapi import APIRouter, HTTPException, Request

from kostra.annotate import campaigns
from kostra.annotate.admin.progress import State, state_of
from kostra.annotate.desk import Desk
from kostra.annotate.hall import hall_of
from kostra.annotate.scripts_api.access import CampaignName, Reads, Runs, desk_of, read, record
from kostra.annotate.scripts_api.making import CampaignBody, MaterialBody, made
from kostra.annotate.scripts_api.shapes import Shape
from kostra.annotate.store_open import UnavailableError
from kostra.campaign.running import Running
from kostra.errors import KostraError


class PhaseReply(Shape):
    """How far a phase is."""

    name: str
    task: str
    role: str
    wanted: int
    """Answers that its main blocks will have."""
    accepted: int
    at_work: int
    """People who have answered something in it."""
    finished: int
    deadline: datetime | None
    over: bool
    blocks: list[dict[str, Any]]


class CampaignReply(Shape):
    """A campaign as it stands."""

    campaign: str
    title: str
    language: str
    revision: int
    paused: bool
    reason: str | None
    """Why it is paused, if it is."""
    people: int
    stopped: int
    wanted: int
    accepted: int
    seq: int
    """Number of the last entry of its log."""
    last_at: datetime | None
    phases: list[PhaseReply]


class CampaignsReply(Shape):
    """The campaigns of the site, or the one that the token is for."""

    campaigns: list[CampaignReply]


class RevisedReply(Shape):
    """What a campaign has become."""

    campaign: str
    revision: int
    items: int
    difference: str
    """What changed, line by line; empty if nothing did."""


def add_campaigns(api: APIRouter) -> None:
    """Add what concerns campaigns as a whole."""

    @api.get("/campaigns")
    async def list_campaigns(token: Reads, request: Request) -> CampaignsReply:
        """All campaigns that the site serves."""
        hall = hall_of(request)
        names = await asyncio.to_thread(hall.store.campaigns)
        asked = [name for name in names if token.campaign in (None, name)]
        desks = [desk for name in asked if (desk := await asyncio.to_thread(hall.desks.get, name)) is not None]
        return CampaignsReply(campaigns=[await _reply(desk) for desk in desks])

    @api.post("/campaigns", status_code=201)
    async def create_campaign(body: CampaignBody, token: Runs, request: Request) -> RevisedReply:
        """Make a campaign from a recipe's step and its tables; it is open at once, for whoever is invited."""
        hall, name = hall_of(request), body.step.name
        if token.campaign is not None:
            raise HTTPException(403, f'this token is for the campaign "{token.campaign}" alone')
        protocol, material = await _checked(request, body, body.seed)
        number = await asyncio.to_thread(
            campaigns.begin, hall.store, name, protocol, material, seed=body.seed, now=hall.now()
        )  # fmt: skip
        await record(hall, token, "campaign made", name, {"items": len(material.items), "seed": body.seed})
        return RevisedReply(campaign=name, revision=number, items=len(material.items), difference="")

    @api.get("/campaigns/{campaign}")
    async def one_campaign(campaign: CampaignName, token: Reads, request: Request) -> CampaignReply:
        """How far a campaign is, phase by phase and block by block."""
        return await _reply(await desk_of(request, campaign, token))

    @api.put("/campaigns/{campaign}")
    async def revise_campaign(
        campaign: CampaignName, body: MaterialBody, token: Runs, request: Request
    ) -> RevisedReply:
        """Revise a campaign that a script made: what was answered stays; what would change its meaning is refused."""
        hall = hall_of(request)
        desk = await desk_of(request, campaign, token)
        if body.step.name != campaign:
            raise HTTPException(422, f'step.name is "{body.step.name}", and the campaign is "{campaign}"')
        if not await asyncio.to_thread(campaigns.is_scripted, hall.store, campaign):
            raise HTTPException(409, "this campaign is a step of the recipe: change it there, and serve again")
        newest = await asyncio.to_thread(hall.store.load_material, campaign)
        protocol, material = await _checked(request, body, newest.seed)
        number, difference = await asyncio.to_thread(
            campaigns.revise, hall.store, desk.engine, protocol, material, now=hall.now(), where=campaign
        )  # fmt: skip
        if difference:
            await record(hall, token, "campaign revised", campaign, {"revision": number})
        return RevisedReply(campaign=campaign, revision=number, items=len(material.items), difference=difference)

    async def _checked(request: Request, body: MaterialBody, seed: int) -> Any:
        project = request.app.state.project
        try:
            return await asyncio.to_thread(made, body, project=project, seed=seed)
        except UnavailableError:
            raise
        except KostraError as error:
            raise HTTPException(422, str(error)) from None


async def _reply(desk: Desk) -> CampaignReply:
    now = desk.now()

    def look(running: Running) -> tuple[State, str, str]:
        return state_of(running, now), running.campaign.title, running.campaign.language

    state, title, language = await read(desk, look)
    phases = [
        PhaseReply(
            name=phase.name, task=phase.task, role=phase.role, wanted=phase.wanted, accepted=phase.accepted,
            at_work=phase.at_work, finished=phase.finished, deadline=phase.deadline, over=phase.over,
            blocks=[asdict(block) for block in phase.blocks],
        )
        for phase in state.phases
    ]  # fmt: skip
    words = desk.site
    return CampaignReply(
        campaign=desk.campaign, title=title or words.title, language=language or words.words.texts,
        revision=state.revision, paused=state.paused is not None, reason=state.paused, people=state.people,
        stopped=state.stopped, wanted=state.wanted, accepted=state.accepted, seq=state.seq, last_at=state.last_at,
        phases=phases,
    )  # fmt: skip

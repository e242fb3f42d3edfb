"""Who may ask what: tokens of scripts, their roles, and the campaign that they are for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Depends, HTTPException, Path, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from kostra.annotate.desk import Desk
from kostra.annotate.hall import Hall, hall_of
from kostra.annotate.scripts_api.shapes import Shape
from kostra.annotate.store_office import ApiToken, TokenRole
from kostra.campaign.events import Event
from kostra.campaign.running import Running

T = TypeVar("T")
ROLES: tuple[TokenRole, ...] = ("read", "write", "admin")
"""Each may do what those before it may."""
CampaignName = Annotated[str, Path(max_length=100, description="Its name.")]
AnnotatorName = Annotated[str, Path(max_length=100, description="The pseudonym.")]
_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="Made by `kostra token DIR --name NAME --role read|write|admin`; sent as `Authorization: Bearer …`.",
)


class Trouble(Shape):
    """Why a request was not taken."""

    error: str


RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": Trouble, "description": "The request cannot be read."},
    401: {"model": Trouble, "description": "The token is missing, not known, expired or withdrawn."},
    403: {"model": Trouble, "description": "The token's role does not allow it."},
    404: {"model": Trouble, "description": "There is nothing of that name, or not for this token."},
    409: {"model": Trouble, "description": "It cannot be done now; sent again, it is refused again."},
    413: {"model": Trouble, "description": "The request is too big."},
    422: {"model": Trouble, "description": "The request has not the right form; the message says where."},
    429: {"model": Trouble, "description": "Too many wrong tokens came from this address; see `Retry-After`."},
    503: {"model": Trouble, "description": "The store is busy or away: send the same again, later."},
}


def _needs(role: TokenRole) -> Any:
    async def check(request: Request, _: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)]) -> ApiToken:
        # The guard has looked the token up, before anything else of the request was read.
        token: ApiToken | None = getattr(request.state, "api_token", None)
        if token is None:
            challenge = {"WWW-Authenticate": 'Bearer realm="kostra"'}
            raise HTTPException(401, "a token is needed: kostra token DIR --name NAME", challenge)
        if ROLES.index(token.role) < ROLES.index(role):
            raise HTTPException(403, f'this needs a token with the role "{role}"; this one may "{token.role}"')
        return token

    return Depends(check)


Reads = Annotated[ApiToken, _needs("read")]
Writes = Annotated[ApiToken, _needs("write")]
Runs = Annotated[ApiToken, _needs("admin")]


async def desk_of(request: Request, campaign: str, token: ApiToken) -> Desk:
    """The campaign that is asked for; 404 if there is none, or it is none of this token's."""
    desks = hall_of(request).desks
    if token.campaign in (None, campaign):
        desk = await asyncio.to_thread(desks.get, campaign)
        if desk is not None:
            return desk
    raise HTTPException(404, f'there is no campaign "{campaign}"')


async def do(desk: Desk, command: Callable[[Running], tuple[T, Sequence[Event]]]) -> T:
    """Have a command stored."""
    return await asyncio.wrap_future(desk.engine.submit(command))


async def read(desk: Desk, function: Callable[[Running], T]) -> T:
    """Look at a campaign as it stands."""
    return await asyncio.wrap_future(desk.engine.read(function))


def actor_of(token: ApiToken) -> str:
    """Under which name a script's acts are written down."""
    return f"token {token.name} ({token.id})"


async def record(hall: Hall, token: ApiToken, act: str, campaign: str | None, data: Mapping[str, Any]) -> None:
    """Write an act into the audit log."""
    await asyncio.to_thread(
        hall.store.record, act, campaign=campaign, actor=actor_of(token), data=data, now=hall.now()
    )  # fmt: skip

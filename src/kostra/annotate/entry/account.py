"""A person's own page: what is stored of them, their password, and the way out."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import FastAPI, Form, Request
from fastapi.responses import HTMLResponse, Response

from kostra.annotate import rendering
from kostra.annotate.entry import own_data
from kostra.annotate.entry.passwords import login_name, weak
from kostra.annotate.hall import COOKIE, Entrant, Hall, goes_to, hall_of, let_out, message
from kostra.annotate.tasks import Message
from kostra.annotate.tokens import Session
from kostra.errors import KostraError

_READ = 1_000
"""Letters of a password that are read at all."""
Secret = Annotated[str, Form(max_length=_READ)]


def add_account(app: FastAPI) -> None:
    """Add the page to the site."""

    @app.get("/me", include_in_schema=False)
    async def me(session: Entrant, request: Request) -> Response:
        return await _page(request, session, told=request.query_params.get("done", ""))

    @app.get("/me/data", include_in_schema=False)
    async def data(session: Entrant, request: Request) -> Response:
        hall = hall_of(request)
        found = await asyncio.to_thread(
            own_data.data_of, hall.store, session.campaign, session.annotator, now=hall.now()
        )
        text = json.dumps(found, ensure_ascii=False, indent=2)
        return Response(
            text, media_type="application/json", headers={"Content-Disposition": 'attachment; filename="my-data.json"'}
        )

    @app.post("/password", include_in_schema=False)
    async def password(
        session: Entrant,
        request: Request,
        name: Annotated[str, Form(max_length=1_000)] = "",
        current: Secret = "",
        new: Secret = "",
        again: Secret = "",
    ) -> Response:
        hall = hall_of(request)
        if not (await hall.desk(session).protocol()).entry.passwords:
            raise KostraError("this campaign has no passwords: your link brings you in")
        token = request.cookies.get(COOKIE, "")
        errors = await asyncio.to_thread(_set_password, hall, session, name, (current, new, again), token)
        if errors:
            return await _page(request, session, name=name, errors=errors)
        return goes_to(request, "/me?done=password")

    @app.post("/me/erase", include_in_schema=False)
    async def erase(
        session: Entrant, request: Request, pseudonym: Annotated[str, Form(max_length=200)] = ""
    ) -> Response:
        hall = hall_of(request)
        if not (await hall.desk(session).protocol()).entry.erases:
            raise KostraError("ask whoever runs the campaign to erase your data")
        if pseudonym.strip() != session.annotator:
            errors = {"pseudonym": Message("Type your pseudonym to confirm.")}
            return await _page(request, session, errors=errors)
        await asyncio.to_thread(_erased, hall, session)
        told = Message(
            "What was known of you is erased. Your answers stay in the data under a random name that nobody can tie "
            "to you."
        )
        response = message(request, Message("Erased"), told, Message("Your link does not work any more."))
        let_out(request, response)
        return response


def _set_password(
    hall: Hall, session: Session, name: str, said: tuple[str, str, str], token: str
) -> dict[str, Message]:
    """Set a password, or say what is wrong with which field; all other sessions of the person end."""
    current, new, again = said
    name = login_name(name)
    store, account = hall.store, hall.store.account(session.campaign, session.annotator)
    if account is not None and not hall.passwords.right(account.password, current):
        return {"current": Message("This is not your password.")}
    if not name or "\0" in name:
        return {"name": Message("Choose a name to log in by.")}
    problem = weak(new, name)
    if problem is not None:
        return {"new": problem}
    if new != again:
        return {"again": Message("The two passwords differ.")}
    hashed = hall.passwords.hashed(new)
    try:
        store.set_account(session.campaign, session.annotator, name=name, password=hashed, now=hall.now())
    except KostraError as error:
        if "somebody else" not in error.what:
            raise
        return {"name": Message("Somebody else logs in by this name. Choose another.")}
    store.end_sessions(session.campaign, session.annotator, but=token)
    return {}


def _erased(hall: Hall, session: Session) -> None:
    alias = hall.store.erase(session.campaign, session.annotator, now=hall.now())
    told = {"annotator": alias, "by": "themselves"}
    hall.store.record("erased", campaign=session.campaign, actor=alias, data=told, now=hall.now())


async def _page(
    request: Request,
    session: Session,
    *,
    told: str = "",
    name: str = "",
    errors: dict[str, Message] | None = None,
) -> Response:
    hall = hall_of(request)
    desk = hall.desk(session)
    protocol = await desk.protocol()
    known = await asyncio.to_thread(_known, hall, session)
    account = known["account"]
    site = desk.site
    said = {field: site.words(text) for field, text in (errors or {}).items()}
    asked = protocol.questionnaire.questions if protocol.questionnaire else ()
    prompts = {one.name: one.prompt_in.get(site.words.language, one.prompt) for one in asked}
    page = rendering.render(
        "entry/me.html", site, session=session, known=known, entry=protocol.entry, errors=said, prompts=prompts,
        asks=bool(asked), done=told == "password",
        name=name or (account.name if account else session.annotator),
    )  # fmt: skip
    return HTMLResponse(page, 422 if errors else 200)


def _known(hall: Hall, session: Session) -> dict[str, Any]:
    store, mine = hall.store, (session.campaign, session.annotator)
    return {
        "account": store.account(*mine),
        "contact": store.contact(*mine),
        "consents": store.consents(*mine),
        "replies": [one for one in store.replies(*mine) if one.value],
    }

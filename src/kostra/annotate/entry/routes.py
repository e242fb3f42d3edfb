"""The doors: links, platforms, passwords; and what is asked before work begins."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import FastAPI, Form, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from kostra.annotate import rendering
from kostra.annotate.entry import leaving, questionnaires
from kostra.annotate.entry.account import add_account
from kostra.annotate.entry.gates import GateError
from kostra.annotate.entry.joining import home_of, joined, redeemed
from kostra.annotate.entry.passwords import login_name
from kostra.annotate.entry.platforms import add_platforms
from kostra.annotate.hall import (
    COOKIE,
    SESSION,
    Entrant,
    Hall,
    goes_to,
    hall_of,
    is_api,
    let_in,
    let_out,
    message,
    site_of,
)
from kostra.annotate.languages import Message
from kostra.annotate.tasks.text import paragraphs
from kostra.annotate.tokens import Session

PASSWORD = 1_000
"""Letters of a password that are read at all."""


def add_entry(app: FastAPI) -> None:
    """Add the doors to the site."""

    @app.get("/join/{token}", include_in_schema=False)
    async def join(token: str, request: Request) -> Response:
        return await joined(request, token)

    @app.post("/join/{token}", include_in_schema=False)
    async def join_anew(token: str, request: Request) -> Response:
        return await redeemed(request, token)

    add_platforms(app)
    _add_login(app)
    _add_gates(app)
    add_account(app)


# Name and password ---------------------------------------------------------------------------------------


def _add_login(app: FastAPI) -> None:
    @app.get("/login", include_in_schema=False)
    async def login_form(request: Request) -> Response:
        return HTMLResponse(rendering.render("entry/login.html", site_of(request), name="", wrong=False))

    @app.post("/login", include_in_schema=False)
    async def login(
        request: Request,
        name: Annotated[str, Form(max_length=1_000)] = "",
        password: Annotated[str, Form(max_length=PASSWORD)] = "",
    ) -> Response:
        hall = hall_of(request)
        session = await asyncio.to_thread(_logged_in, hall, name, password, request.cookies.get(COOKIE))
        if session is None:
            page = rendering.render("entry/login.html", site_of(request), name=name[:100], wrong=True)
            return HTMLResponse(page, 401)
        response = goes_to(request, home_of(session[1].role))
        let_in(request, response, session[0])
        return response

    @app.post("/logout", include_in_schema=False)
    async def logout(request: Request) -> Response:
        token = request.cookies.get(COOKIE)
        if token:
            await asyncio.to_thread(hall_of(request).store.end_session, token)
        told = Message(
            "You are logged out. Your answers are saved; your link, or your name and password, bring you back."
        )
        response = message(request, Message("Goodbye"), told)
        let_out(request, response)
        return response


def _logged_in(hall: Hall, name: str, password: str, before: str | None) -> tuple[str, Session] | None:
    """The session of somebody who knows their password; in the same time for a name that is nobody's."""
    account = hall.store.account_named(login_name(name))
    if account is not None and account.campaign not in hall.desks:
        account = None
    right = hall.passwords.right(account.password if account else None, password)
    if account is None or not right:
        return None
    now = hall.now()
    if hall.passwords.outdated(account.password):
        hashed = hall.passwords.hashed(password)
        hall.store.set_account(account.campaign, account.annotator, name=account.name, password=hashed, now=now)
    if before is not None:
        hall.store.end_session(before)  # whoever sat here before is gone
    return hall.store.start_session(account.campaign, account.annotator, lasts_until=now + SESSION, now=now)


# Gates ---------------------------------------------------------------------------------------------------


def _add_gates(app: FastAPI) -> None:
    @app.exception_handler(GateError)
    async def gate(request: Request, error: GateError) -> Response:
        if is_api(request):
            return JSONResponse({"error": f"the {error.gate} comes first: load the page again"}, 409)
        return goes_to(request, f"/{error.gate}")

    @app.get("/consent", include_in_schema=False)
    async def consent_page(session: Entrant, request: Request) -> Response:
        return await _consent_page(request, session)

    @app.post("/consent", include_in_schema=False)
    async def consent_said(
        session: Entrant,
        request: Request,
        version: Annotated[str, Form(max_length=200)] = "",
        agree: Annotated[str, Form(max_length=10)] = "",
    ) -> Response:
        hall = hall_of(request)
        consent = (await hall.desk(session).protocol()).consent
        if consent is None:
            return goes_to(request, "/work")
        if version != consent.version_of_text or agree not in ("yes", "no"):
            return await _consent_page(request, session, status=422)  # another text stands there now
        given = agree == "yes"
        add = hall.store.add_consent
        await asyncio.to_thread(add, session.campaign, session.annotator, version, given=given, now=hall.now())
        if given:
            return goes_to(request, "/work")
        await asyncio.to_thread(hall.store.end_sessions, session.campaign, session.annotator, but=_token(request))
        if session.source:
            return goes_to(request, "/leave")
        page = rendering.render("entry/refused.html", hall.desk(session).site)
        return HTMLResponse(page)

    @app.get("/questionnaire", include_in_schema=False)
    async def questionnaire_page(session: Entrant, request: Request) -> Response:
        return await _questionnaire_page(request, session, {})

    @app.post("/questionnaire", include_in_schema=False)
    async def questionnaire_sent(session: Entrant, request: Request) -> Response:
        hall = hall_of(request)
        asked = (await hall.desk(session).protocol()).questionnaire
        if asked is None:
            return goes_to(request, "/work")
        fields = {name: str(value) for name, value in (await request.form()).multi_items()}
        told, errors = questionnaires.check(asked, fields)
        if errors:
            return await _questionnaire_page(request, session, fields, errors)
        await asyncio.to_thread(hall.store.put_replies, session.campaign, session.annotator, told, now=hall.now())
        return goes_to(request, "/work")


def _token(request: Request) -> str:
    return request.cookies.get(COOKIE, "")


async def _consent_page(request: Request, session: Session, *, status: int = 200) -> Response:
    hall = hall_of(request)
    desk = hall.desk(session)
    consent = (await desk.protocol()).consent
    if consent is None:
        return goes_to(request, "/work")
    said = [
        one for one in await asyncio.to_thread(hall.store.consents, session.campaign, session.annotator) if one.given
    ]
    page = rendering.render(
        "entry/consent.html", desk.site, title=consent.title, paragraphs=paragraphs(consent.text),
        version=consent.version_of_text, changed=bool(said) and said[-1].version != consent.version_of_text,
    )  # fmt: skip
    forms_to = leaving.PROLIFIC if session.source == "prolific" else ""
    return HTMLResponse(page, status, headers=leaving.policy(forms_to=forms_to))


async def _questionnaire_page(
    request: Request, session: Session, fields: dict[str, str], errors: dict[str, str] | None = None
) -> Response:
    hall = hall_of(request)
    desk = hall.desk(session)
    asked = (await desk.protocol()).questionnaire
    if asked is None:
        return goes_to(request, "/work")
    if not fields:
        replies = await asyncio.to_thread(hall.store.replies, session.campaign, session.annotator)
        fields = {one.question: one.value for one in replies}
    drawn = questionnaires.drawn(asked, fields, errors or {}, desk.site.words)
    page = rendering.render(
        "entry/questionnaire.html", desk.site, title=asked.title, paragraphs=paragraphs(asked.text), questions=drawn
    )
    return HTMLResponse(page, 422 if errors else 200)

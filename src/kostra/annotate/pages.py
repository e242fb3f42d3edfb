"""Pages: all that an annotator does, also without JavaScript."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from fastapi import FastAPI, Form, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from kostra.annotate import rendering
from kostra.annotate.desk import Desk, RefusedError, Sent
from kostra.annotate.hall import COOKIE, SESSION, Visitor, hall_of, message
from kostra.annotate.store_open import UnavailableError
from kostra.annotate.tasks import forms
from kostra.errors import KostraError


def add_pages(app: FastAPI) -> None:
    """Add the pages to the site."""

    @app.get("/", include_in_schema=False)
    async def home(_: Visitor) -> Response:
        return RedirectResponse("/work", 303)

    @app.get("/health", include_in_schema=False)
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/join/{token}", include_in_schema=False)
    async def join(token: str, request: Request) -> Response:
        hall = hall_of(request)
        now = hall.now()
        try:
            cookie, session = await asyncio.to_thread(hall.store.redeem, token, lasts_until=now + SESSION, now=now)
            if session.campaign not in hall.desks:
                raise KostraError("the campaign of this invitation is not open at the moment")
        except UnavailableError:
            raise
        except KostraError as error:
            text = f"{error.what}.\n\nAsk whoever sent you the link for another one."
            return message(request, "This link does not work", text, status=404)
        await hall.desk(session).join(session)
        response = RedirectResponse("/work", 303)
        secure = request.url.scheme == "https"
        age = int(SESSION.total_seconds())
        response.set_cookie(COOKIE, cookie, max_age=age, httponly=True, samesite="lax", secure=secure)
        return response

    @app.get("/work", include_in_schema=False)
    async def work(session: Visitor, request: Request) -> Response:
        desk = hall_of(request).desk(session)
        standing = await desk.stand(session.annotator)
        given, at = await asyncio.to_thread(desk.draft_of, session.annotator, standing)
        fragment = desk.fragment(session.annotator, standing, given=given, draft_at=at)
        return HTMLResponse(desk.page(fragment, session.annotator))

    @app.post("/work", include_in_schema=False)
    async def work_sent(session: Visitor, request: Request) -> Response:
        desk = hall_of(request).desk(session)
        fields = [(name, str(value)) for name, value in (await request.form()).multi_items()]
        sent = await _from_form(desk, fields)
        try:
            taken, _ = await desk.answer(session.annotator, sent)
        except RefusedError as error:
            standing = await desk.stand(session.annotator)
            fragment = desk.fragment(session.annotator, standing, given=sent.answers, errors=error.errors)
            return HTMLResponse(desk.page(fragment, session.annotator), 422)
        told = desk.feedback(taken)
        return HTMLResponse(desk.page(told, session.annotator)) if told else RedirectResponse("/work", 303)

    @app.post("/work/undo", include_in_schema=False)
    async def undo(session: Visitor, request: Request) -> Response:
        desk = hall_of(request).desk(session)
        standing = await desk.undo(session.annotator)
        return HTMLResponse(desk.page(desk.fragment(session.annotator, standing), session.annotator))

    @app.post("/work/skip", include_in_schema=False)
    async def skip(session: Visitor, request: Request, key: Annotated[str, Form(max_length=100)]) -> Response:
        await hall_of(request).desk(session).skip(session.annotator, key)
        return RedirectResponse("/work", 303)

    @app.get("/work/help", include_in_schema=False)
    async def help_page(session: Visitor, request: Request) -> Response:
        desk = hall_of(request).desk(session)
        texts = await desk.instructions(session.annotator)
        return HTMLResponse(desk.page(rendering.render_help(desk.site, texts=texts), session.annotator, scripted=False))

    @app.get("/work/problem", include_in_schema=False)
    async def problem_form(session: Visitor, request: Request) -> Response:
        desk = hall_of(request).desk(session)
        return HTMLResponse(desk.page(rendering.render_problem(desk.site), session.annotator, scripted=False))

    @app.post("/work/problem", include_in_schema=False)
    async def problem_sent(
        session: Visitor, request: Request, text: Annotated[str, Form(max_length=10_000)]
    ) -> Response:
        desk = hall_of(request).desk(session)
        await desk.problem(session.annotator, text)
        fragment = rendering.render_problem(desk.site, sent=True)
        return HTMLResponse(desk.page(fragment, session.annotator, scripted=False))

    @app.post("/work/suggestion", include_in_schema=False)
    async def suggestion_sent(
        session: Visitor,
        request: Request,
        item: Annotated[str, Form()],
        side: Annotated[str, Form()],
        text: Annotated[str, Form(max_length=10_000)],
    ) -> Response:
        await hall_of(request).desk(session).suggest(session.annotator, item, side, text)
        return RedirectResponse("/work", 303)

    @app.get("/media/{item:path}", include_in_schema=False)
    async def media(item: str, session: Visitor, request: Request) -> Response:
        path = await hall_of(request).desk(session).image(session.annotator, item)
        if path is None:
            return message(request, "There is no such picture", "It may have been moved.", status=404, link="/work")
        return FileResponse(path)


async def _from_form(desk: Desk, fields: list[tuple[str, str]]) -> Sent:
    hidden = {name: value for name, value in fields if name in forms.HIDDEN}
    lacking = [name for name in ("phase", "item", "version", "key") if not hidden.get(name)]
    if lacking or not re.fullmatch(r"[0-9]{1,9}", hidden["version"]) or len(hidden["key"]) > 100:
        raise KostraError("the form is not complete")
    questions = await desk.questions(hidden["phase"])
    return Sent(
        hidden["phase"], hidden["item"], int(hidden["version"]), forms.given(fields, questions), hidden["key"],
        language=hidden.get("language", "en")[:20],
    )  # fmt: skip

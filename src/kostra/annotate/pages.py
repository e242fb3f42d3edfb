"""Pages: all that an annotator does, also without JavaScript."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from fastapi import FastAPI, Form, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from kostra.annotate import rendering
from kostra.annotate.desk import Desk, RefusedError, Sent
from kostra.annotate.entry.joining import home_of
from kostra.annotate.entry.routes import add_entry
from kostra.annotate.hall import Entrant, Visitor, goes_to, hall_of, message
from kostra.annotate.tasks import Message, forms
from kostra.errors import KostraError


def add_pages(app: FastAPI) -> None:
    """Add the pages to the site."""
    add_entry(app)

    @app.get("/", include_in_schema=False)
    async def home(session: Entrant, request: Request) -> Response:
        return goes_to(request, home_of(session.role))

    @app.get("/health", include_in_schema=False)
    async def health() -> dict[str, str]:
        return {"status": "ok"}

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
        return HTMLResponse(desk.page(told, session.annotator)) if told else goes_to(request, "/work")

    @app.post("/work/undo", include_in_schema=False)
    async def undo(session: Visitor, request: Request) -> Response:
        desk = hall_of(request).desk(session)
        standing = await desk.undo(session.annotator)
        return HTMLResponse(desk.page(desk.fragment(session.annotator, standing), session.annotator))

    @app.post("/work/skip", include_in_schema=False)
    async def skip(session: Visitor, request: Request, key: Annotated[str, Form(max_length=100)]) -> Response:
        await hall_of(request).desk(session).skip(session.annotator, key)
        return goes_to(request, "/work")

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
        return goes_to(request, "/work")

    @app.get("/media/{item:path}", include_in_schema=False)
    async def media(item: str, session: Visitor, request: Request) -> Response:
        path = await hall_of(request).desk(session).image(session.annotator, item)
        if path is None:
            return _no_picture(request)
        return FileResponse(path)


def _no_picture(request: Request) -> Response:
    told = Message("It may have been moved.")
    return message(request, Message("There is no such picture"), told, status=404, link="/work")


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

"""A campaign to be looked at screen by screen: what annotators would see, with nothing behind it that stores anything.

There is no store and no session. Every screen has a number; an answer that is sent is checked as the site would, and
the reply says what would be stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from markupsafe import Markup
from starlette.exceptions import HTTPException

from kostra.annotate import rendering
from kostra.annotate.desk import PICTURES
from kostra.annotate.entry import questionnaires
from kostra.annotate.guard import SECURITY_HEADERS
from kostra.annotate.languages import sentence
from kostra.annotate.languages.choosing import PREFERRED, add_languages, asked_for, words_for
from kostra.annotate.rendering import Site
from kostra.annotate.spelling import dictionary, misspelt
from kostra.annotate.tasks import Message, check_answers, forms
from kostra.annotate.tasks.text import paragraphs
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Place, Progress
from kostra.campaign.protocol import Campaign, Phase

LONGEST = 25
"""Screens that are shown of one block, at most."""


@dataclass(frozen=True)
class Previewed:
    """A campaign that was never opened."""

    protocol: Campaign
    material: Material
    title: str
    language: str


@dataclass(frozen=True)
class Screen:
    """One thing that annotators would see."""

    campaign: str
    phase: Phase
    block: int
    item: Item
    place: int
    """In its block, from 1."""
    of: int


class Walk:
    """All screens of some campaigns, one after another."""

    def __init__(self, campaigns: Mapping[str, Previewed]) -> None:
        self.campaigns = campaigns
        self.screens = [screen for name, one in campaigns.items() for screen in _screens(name, one)]

    def parts(self) -> list[dict[str, Any]]:
        """Campaign, phase and block, with the number of its first screen: for the overview."""
        found: list[dict[str, Any]] = []
        for number, screen in enumerate(self.screens):
            if screen.place == 1:
                block = screen.phase.blocks[screen.block]
                found.append(
                    {
                        "number": number, "campaign": screen.campaign, "phase": screen.phase.name, "of": screen.of,
                        "purpose": block.purpose, "task": screen.phase.task, "role": screen.phase.role,
                    }
                )  # fmt: skip
        return found

    def find(self, number: int) -> Screen:
        """The screen of a number."""
        if not 0 <= number < len(self.screens):
            raise HTTPException(404, "there is no such screen")
        return self.screens[number]

    def number_of(self, phase: str, item: str) -> int:
        """The number of the screen that an answer is about."""
        same = (n for n, one in enumerate(self.screens) if one.phase.name == phase and one.item.item == item)
        found = next(same, None)
        if found is None:
            raise HTTPException(409, "there is no such screen")
        return found


def _screens(campaign: str, shown: Previewed) -> list[Screen]:
    found = []
    for phase in shown.protocol.phases:
        for block in range(len(phase.blocks)):
            if (phase.name, block) not in shown.material.blocks:
                continue
            items = shown.material.of(phase.name, block)
            some = items[:LONGEST]
            found += [Screen(campaign, phase, block, item, place, len(items)) for place, item in enumerate(some, 1)]
    return found


def preview_application(campaigns: Mapping[str, Previewed], *, project: Path) -> FastAPI:
    """The application that shows campaigns and stores nothing."""
    walk = Walk(campaigns)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.mount("/static", StaticFiles(directory=rendering.STATIC))

    @app.middleware("http")
    async def headers(request: Request, call_next: Any) -> Response:
        told = request.headers
        PREFERRED.set(
            asked_for(told.get("accept-language", "").encode("latin-1"), told.get("cookie", "").encode("latin-1"))
        )
        response: Response = await call_next(request)
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    @app.exception_handler(HTTPException)
    async def wrong(request: Request, error: HTTPException) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": error.detail}, error.status_code)
        return HTMLResponse(
            _message(_site(walk, None), Message("There is nothing here"), error.detail), error.status_code
        )

    add_languages(app)
    _add_pages(app, walk)
    _add_api(app, walk, project)

    @app.get("/media/{item:path}")
    async def media(item: str) -> Response:
        for one in campaigns.values():
            known = one.material.items.get(item)
            if known is not None and known.kind == "image":
                path = (project / known.content["image"]).resolve()
                inside = path.is_relative_to(project.resolve()) and path.suffix.lower() in PICTURES
                if inside and path.is_file():
                    return FileResponse(path)
        raise HTTPException(404, "there is no such picture")

    return app


def _add_pages(app: FastAPI, walk: Walk) -> None:
    @app.get("/")
    async def overview() -> Response:
        gates = [
            {"campaign": name, "gate": gate}
            for name, one in walk.campaigns.items()
            for gate in ("consent", "questionnaire")
            if getattr(one.protocol, gate) is not None
        ]
        page = rendering.render("entry/preview.html", _site(walk, None), parts=walk.parts(), gates=gates, most=LONGEST)
        return HTMLResponse(page)

    @app.get("/screen/{number}")
    async def screen(number: int) -> Response:
        shown = walk.find(number)
        site = _site(walk, shown)
        page = rendering.render(
            "entry/preview_screen.html", site, number=number, last=len(walk.screens) - 1, screen=shown,
            fragment=Markup(_fragment(walk, number)), owner=f"preview/{secrets.token_hex(4)}", scripted=True, status="",
        )  # fmt: skip
        return HTMLResponse(page)

    @app.get("/gate/{campaign}/{gate}")
    async def gate(campaign: str, gate: str) -> Response:
        one = walk.campaigns.get(campaign)
        site = Site(one.title if one else "", words_for(one.language if one else ""), contact="")
        if one is not None and gate == "consent" and one.protocol.consent is not None:
            said = one.protocol.consent
            values: dict[str, Any] = {"title": said.title, "paragraphs": paragraphs(said.text)}
            values |= {"version": said.version_of_text, "changed": False}
        elif one is not None and gate == "questionnaire" and one.protocol.questionnaire is not None:
            asked = one.protocol.questionnaire
            drawn = questionnaires.drawn(asked, {}, {}, site.words)
            values = {"title": asked.title, "paragraphs": paragraphs(asked.text), "questions": drawn}
        else:
            raise HTTPException(404, "there is no such screen")
        return HTMLResponse(rendering.render(f"entry/{gate}.html", site, preview=True, **values))

    @app.post("/work")
    async def sent(request: Request) -> Response:
        fields = [(name, str(value)) for name, value in (await request.form()).multi_items()]
        hidden = dict(fields)
        number = walk.number_of(hidden.get("phase", ""), hidden.get("item", ""))
        shown = walk.find(number)
        given = forms.given(fields, shown.phase.questions)
        checked = check_answers(given, shown.item, shown.phase)
        if checked.errors:
            site = _site(walk, shown)
            fragment = _fragment(walk, number, given=given, errors=checked.errors)
            return HTMLResponse(rendering.render_page(fragment, site), 422)
        site = _site(walk, shown)
        return HTMLResponse(rendering.render_page(_taken(walk, number, checked.answers), site, scripted=False))


def _add_api(app: FastAPI, walk: Walk, project: Path) -> None:
    @app.post("/api/v1/answers")
    async def answers(request: Request) -> Response:
        body = await _body(request)
        number = walk.number_of(str(body.get("phase")), str(body.get("item")))
        shown = walk.find(number)
        given = body.get("answers")
        checked = check_answers(given if isinstance(given, dict) else {}, shown.item, shown.phase)
        if checked.errors:
            return JSONResponse({"errors": dict(checked.errors)}, 422)
        html = _taken(walk, number, checked.answers)
        return JSONResponse({"status": "answered", "repeated": False, "feedback": None, "html": html})

    @app.post("/api/v1/spelling")
    async def spelling(request: Request) -> Response:
        body = await _body(request)
        paths = {one.phase.spelling for one in walk.screens if one.phase.spelling}
        text = str(body.get("text", ""))[:10_000]
        return JSONResponse([word for path in sorted(paths) for word in misspelt(text, dictionary(project / path))])

    @app.api_route("/api/v1/{rest:path}", methods=["POST", "PUT"])
    async def nothing(rest: str) -> Response:
        del rest  # a draft, a report, a skip: there is nowhere to keep it
        site, text = _site(walk, None), Message("A preview stores nothing; on the site it would be kept.")
        html = rendering.render_message(site, site.words("Not stored"), site.words(text), link="/")
        return JSONResponse({"html": html})

    @app.post("/{path:path}")
    async def let_go(path: str) -> Response:
        del path  # the form of a gate: looked at, and let go
        return RedirectResponse("/", 303)


async def _body(request: Request) -> dict[str, Any]:
    try:
        found = await request.json()
    except ValueError:
        raise HTTPException(400, "this is not JSON") from None
    return found if isinstance(found, dict) else {}


def _message(site: Site, title: str, text: str) -> str:
    fragment = rendering.render_message(site, site.words(title), sentence(site.words(text)), link="/")
    return rendering.render_page(fragment, site, scripted=False)


def _site(walk: Walk, screen: Screen | None) -> Site:
    one = walk.campaigns[screen.campaign] if screen else next(iter(walk.campaigns.values()))
    return Site(one.title, words_for(one.language), payment=one.protocol.payment, contact=one.protocol.contact)


def _fragment(
    walk: Walk, number: int, *, given: Mapping[str, Any] | None = None, errors: Mapping[str, str] | None = None
) -> str:
    """The HTML of a screen."""
    shown = walk.screens[number]
    progress = Progress(done=shown.place - 1, of=shown.of, block=shown.block + 1, blocks=len(shown.phase.blocks))
    block = shown.phase.blocks[shown.block]
    place = Place("show", shown.phase.name, block.purpose, item=shown.item, purpose=block.purpose, progress=progress)
    return rendering.render_place(
        place, shown.phase, _site(walk, shown), key=secrets.token_hex(8), now=datetime.now(UTC), given=given,
        errors=errors,
    )  # fmt: skip


def _taken(walk: Walk, number: int, answers: Mapping[str, Sequence[Answer]]) -> str:
    """The HTML that says what would be stored of an answer."""
    lines = [
        f"{question}: {one.value if one.status == 'answered' else one.status}"
        for question, given in answers.items()
        for one in given
    ]
    last = number + 1 == len(walk.screens)
    site = _site(walk, walk.screens[number])
    text = "\n\n".join(lines) or site.words("Nothing: this screen is only read.")
    link = "/" if last else f"/screen/{number + 1}"
    return rendering.render_message(site, site.words("This would be stored"), text, link=link)

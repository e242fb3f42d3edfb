"""A site to drive a browser against: the real pages, tasks and scripts over a list of screens instead of a campaign."""

from __future__ import annotations

import itertools
import json
import os
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from kostra.annotate import rendering, tasks
from kostra.annotate.languages import FOLDER, speak
from kostra.annotate.spelling import misspelt
from kostra.annotate.tasks import forms
from kostra.campaign.items import Item
from kostra.campaign.places import Answer, Feedback, Place, Progress
from kostra.campaign.protocol import Phase

PIXEL = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400"><rect width="640" height="400" fill="#bcd"/>'
    '<circle cx="320" cy="230" r="90" fill="#c60"/></svg>'
)


@dataclass
class Screen:
    """One item in its phase."""

    phase: Phase
    item: Item
    purpose: str = "main"


def scenes() -> dict[str, Screen]:
    """The screens of scenes.toml, by name."""
    found = tomllib.loads((Path(__file__).parent / "scenes.toml").read_text(encoding="utf-8"))
    made = {}
    for name, scene in found.items():
        item = scene["item"]
        item["sentences"] = tuple(item.get("sentences", ()))
        made[name] = Screen(Phase.model_validate_json(json.dumps(scene["phase"])), Item(**item))
    return made


@dataclass
class Played:
    """A stand-in for a campaign: screens one after another, and everything that the browser sent."""

    screens: list[Screen] = field(default_factory=list)
    place: Place | None = None
    """Where one stands instead of at a screen."""
    done: int = 0
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Key → what was sent."""
    requests: int = 0
    """Answers that arrived, resent ones as well."""
    drafts: dict[str, Any] = field(default_factory=dict)
    problems: list[dict[str, Any]] = field(default_factory=list)
    suggestions: list[dict[str, Any]] = field(default_factory=list)
    lose_next_reply: bool = False
    """Take the next answer in, but let the connection break before it is acknowledged."""
    unknown_words: tuple[str, ...] = ()
    language: str = "cs"
    interface: str = "en"
    url: str = ""
    folder: Path = FOLDER
    """Where the catalogues of the interface lie."""

    def play(self, *screens: Screen, language: str = "cs", interface: str = "en") -> str:
        """Start anew with these screens; returns the address of the page."""
        self.__init__(list(screens), language=language, interface=interface, url=self.url)  # type: ignore[misc]
        return f"{self.url}/work"

    def here(self) -> Place:
        if self.place is not None:
            return self.place
        if self.done >= len(self.screens):
            return Place("finished", may_undo=bool(self.answers))
        screen = self.screens[self.done]
        progress = Progress(self.done, len(self.screens), 1, 2)
        return Place("show", screen.phase.name, "main", screen.purpose, screen.item, progress=progress,
                     may_undo=self.done > 0)  # fmt: skip

    @property
    def values(self) -> list[dict[str, list[str | None]]]:
        """The checked answers in order: question → values."""
        return [
            {name: [one.value for one in several] for name, several in sent["checked"].items()}
            for sent in self.answers.values()
        ]


def make_app(played: Played) -> Any:
    """The routes of the site's contract, over the stand-in."""
    app = FastAPI()
    app.mount("/static", StaticFiles(directory=rendering.STATIC))
    keys = map("key-{}".format, itertools.count())

    @app.middleware("http")
    async def policy(request: Request, call_next: Any) -> Any:
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = rendering.CONTENT_SECURITY_POLICY
        response.headers["Cache-Control"] = "no-store"
        return response

    def site() -> rendering.Site:
        words = speak(played.interface, texts=played.language, folder=played.folder)
        return rendering.Site("Similarity of sentences", words, payment="You are paid for every answer, 4.50 € so far.",
                              contact="study@example.org")  # fmt: skip

    def fragment(given: Any = None, errors: Any = None) -> str:
        place = played.here()
        phase = played.screens[played.done].phase if place.item else None
        draft = played.drafts.get(place.item.item, {}) if place.item else {}
        return rendering.render_place(
            place, phase, site(), key=next(keys), now=datetime.now(UTC), given=given or draft.get("given"),
            errors=errors, draft_at=draft.get("at", 0), recent=[12.0, 15.0],
        )  # fmt: skip

    def page(part: str) -> HTMLResponse:
        return HTMLResponse(rendering.render_page(part, site(), owner="demo/ann"))

    def take(key: str, item: str, given: Any, sent: dict[str, Any]) -> tasks.Checked:
        played.requests += 1
        if key in played.answers:
            return tasks.Checked()
        screen = played.screens[played.done]
        assert item == screen.item.item
        checked = tasks.check_answers(given, screen.item, screen.phase)
        if not checked.errors:
            played.answers[key] = {**sent, "checked": checked.answers}
            played.drafts.pop(item, None)
            played.done += 1
        return checked

    def told(key: str) -> tuple[dict[str, Any] | None, str]:
        """The feedback to an answer, if its item has a known one."""
        before = played.screens[played.done - 1]
        checked: dict[str, list[Answer]] = played.answers[key]["checked"]
        if not before.item.known or before.purpose != "gold":
            return None, fragment()
        right = all(checked[name] == [Answer(value)] for name, value in before.item.known.items())
        feedback = Feedback(right, before.item.known)
        shown = rendering.render_feedback(feedback, before.item, before.phase, checked, site())
        return {"right": right, "known": dict(before.item.known)}, fragment() if right else shown

    @app.get("/work")
    def work() -> HTMLResponse:
        return page(fragment())

    @app.post("/work")
    async def work_posted(request: Request) -> Response:
        form = await request.form()
        fields = [(name, str(value)) for name, value in form.multi_items()]
        given = forms.given(fields, played.screens[played.done].phase.questions)
        checked = take(str(form["key"]), str(form["item"]), given, {})
        if checked.errors:
            return page(fragment(given, checked.errors))
        return RedirectResponse("/work", 303)

    @app.post("/work/undo")
    def undo_posted() -> Response:
        played.done -= 1
        return RedirectResponse("/work", 303)

    @app.get("/work/help")
    def helped() -> HTMLResponse:
        return page(rendering.render_help(site(), texts=[("How to judge", "Think of the meaning.\n\nTake your time.")]))

    @app.get("/work/problem")
    def problem() -> HTMLResponse:
        return page(rendering.render_problem(site()))

    @app.get("/media/{item:path}")
    def media(item: str) -> Response:
        return Response(PIXEL, media_type="image/svg+xml")

    @app.post("/api/v1/answers")
    async def answers(request: Request) -> Response:
        sent = await request.json()
        checked = take(sent["key"], sent["item"], sent["answers"], sent)
        if checked.errors:
            return JSONResponse({"errors": checked.errors}, 422)
        if played.lose_next_reply:
            played.lose_next_reply = False
            return Response("lost", 502)
        feedback, html = told(sent["key"])
        return JSONResponse({"status": "answered", "feedback": feedback, "html": html})

    @app.post("/api/v1/next")
    def come_next() -> dict[str, Any]:
        return {"html": fragment()}

    @app.post("/api/v1/undo")
    def undo() -> dict[str, Any]:
        played.done -= 1
        last = list(played.answers.values())[-1]
        return {"html": fragment(forms.again(last["checked"], played.screens[played.done].phase.questions))}

    @app.put("/api/v1/drafts")
    async def drafts(request: Request) -> dict[str, Any]:
        sent = await request.json()
        played.drafts[sent["item"]] = sent["data"]
        return {}

    @app.post("/api/v1/problems")
    async def problems(request: Request) -> dict[str, Any]:
        played.problems.append(await request.json())
        return {}

    @app.post("/api/v1/suggestions")
    async def suggestions(request: Request) -> dict[str, Any]:
        played.suggestions.append(await request.json())
        return {}

    @app.post("/api/v1/spelling")
    async def spelling(request: Request) -> list[dict[str, object]]:
        return misspelt((await request.json())["text"], lambda word: word not in played.unknown_words)

    return app


@pytest.fixture(scope="session")
def served() -> Iterator[Played]:
    """The stand-in behind a real server, in a thread of this process."""
    played = Played()
    config = uvicorn.Config(make_app(played), host="127.0.0.1", port=0, log_level="error", ws="none", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:  # it says so itself within milliseconds
        time.sleep(0.01)
    played.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    yield played
    server.should_exit = True
    thread.join(timeout=10)


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """Open a page in a window of its own; what the page says to the console as an error fails the test."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def start(url: str, *, width: int = 1280, height: int = 860, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(5000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if _is_wrong(said) else None)
        page.goto(url)
        return page

    yield start
    for context in contexts:
        context.close()
    assert not wrong, wrong


def _is_wrong(said: Any) -> bool:
    """Whether a console message tells of a fault of ours: that requests fail when a test cuts the line is none."""
    return said.type == "error" and "Failed to load resource" not in said.text


@pytest.fixture(scope="session")
def scene() -> dict[str, Screen]:
    """Screens of every task type."""
    return scenes()


@pytest.fixture
def shoot() -> Callable[[Any, str], None]:
    """Take a picture of the whole page, if the variable KOSTRA_SHOTS names a folder for whoever wants to look."""
    folder = os.environ.get("KOSTRA_SHOTS")

    def take(page: Any, name: str) -> None:
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    return take

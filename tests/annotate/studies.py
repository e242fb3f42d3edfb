"""Small studies behind a site without a network, for the tests of its pages and its API."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from kostra.annotate import app as site_app
from kostra.annotate.collecting import collect
from kostra.annotate.guard import Doors
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.tasks import Translate
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign, Gold, Phase, Question

Response = Any
"""What the test client gives: its own or that of httpx, depending on its version."""
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SCALE = Question(name="similarity", low=0, high=5)
PAYMENT = "You are paid 4.50 € for what you did."


@dataclass
class Study:
    """A site with one campaign or more, and a clock that only the test moves."""

    folder: Path
    url: str
    now: datetime = NOON
    keys: int = 0
    campaigns: dict[str, Campaign] = field(default_factory=dict)
    store: Store | None = None
    client: TestClient | None = None
    doors: Doors | None = None

    def add(
        self,
        phases: Sequence[Phase],
        items: Mapping[str, Item],
        blocks: Mapping[tuple[str, int], Sequence[str]],
        *,
        name: str = "news",
        **options: Any,
    ) -> Study:
        protocol = Campaign(phases=tuple(phases), **options)
        material = Material(items, {key: tuple(ids) for key, ids in blocks.items()})
        with open_store(self.url) as store:
            store.create_campaign(name, seed=1, now=NOON)
            store.save_revision(name, protocol=protocol, material=material, difference="the first", now=NOON)
        self.campaigns[name] = protocol
        return self

    def open(self) -> Study:
        self.store = open_store(self.url)
        sites = {
            name: Site(name.title(), Translate(texts=one.language), payment=PAYMENT, contact="study@example.org")
            for name, one in self.campaigns.items()
        }
        made = site_app.make_app(
            self.store, sites, project=self.folder, clock=lambda: self.now, doors=self.doors
        )  # fmt: skip
        self.client = TestClient(made, raise_server_exceptions=False, follow_redirects=False)
        self.client.__enter__()  # what starts and ends with the site does so
        return self

    def close(self) -> None:
        if self.client is not None:
            self.client.__exit__(None, None, None)

    def wait(self, **span: float) -> None:
        self.now += timedelta(**span)

    def token(self, name: str = "ann", *, campaign: str = "news", role: Any = "annotator") -> str:
        assert self.store is not None
        self.store.add_annotator(campaign, name=name, role=role, now=self.now)
        return self.store.invite(campaign, annotator=name, now=self.now)[0]

    def visitor(self, name: str = "ann", **options: Any) -> Visitor:
        visitor = self.stranger()
        reply = visitor.get(f"/join/{self.token(name, **options)}")
        assert reply.status_code == 303, reply.text
        return visitor

    def stranger(self) -> Visitor:
        assert self.client is not None
        http = TestClient(self.client.app, raise_server_exceptions=False, follow_redirects=False)
        return Visitor(self, http)

    def events(self, kind: str, *, campaign: str = "news") -> list[Event]:
        assert self.store is not None
        with self.store.reading() as connection:
            return [event for event in self.store.log(campaign).all(connection) if event.kind == kind]

    def judgments(self, *, campaign: str = "news") -> list[dict[str, Any]]:
        assert self.store is not None
        return collect(self.store, campaign)["judgments"].to_dicts()


@dataclass
class Visitor:
    """Somebody with a browser of their own."""

    study: Study
    http: TestClient

    def get(self, path: str, **options: Any) -> Response:
        reply = self.http.get(path, **options)
        if "set-cookie" in reply.headers and reply.status_code == 303:
            self.learn()
        return reply

    def learn(self) -> None:
        """Send from now on what our own pages send: without it, nothing that changes anything is taken."""
        known = self.call("session", method="GET")
        if known.status_code == 200:
            self.http.headers["X-Kostra-Csrf"] = known.json()["csrf"]

    def post(self, path: str, fields: Mapping[str, Any] | None = None, **options: Any) -> Response:
        return self.http.post(path, data=dict(fields or {}), **options)

    def call(self, path: str, body: Any = None, *, method: str = "POST", html: bool = False) -> Response:
        headers = {"X-Kostra-Html": "1"} if html else {}
        sent = None if method == "GET" else {} if body is None else body
        return self.http.request(method, f"/api/v1/{path}", json=sent, headers=headers)

    def send(self, body: bytes) -> Response:
        """An answer, byte by byte."""
        return self.http.post("/api/v1/answers", content=body, headers={"Content-Type": "application/json"})

    def next(self) -> dict[str, Any]:
        reply = self.call("next")
        assert reply.status_code == 200, reply.text
        place: dict[str, Any] = reply.json()["place"]
        return place

    def body(self, answers: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
        place = self.next()
        self.study.keys += 1
        item = place["item"]
        said = {"phase": place["phase"], "item": item["item"], "version": item["version"], "answers": dict(answers)}
        return {**said, "key": f"key-{self.study.keys}", **changes}

    def answer(self, answers: Mapping[str, Any], **changes: Any) -> Response:
        return self.call("answers", self.body(answers, **changes))

    def form(self) -> dict[str, str]:
        """The hidden fields of the page's form."""
        page = self.get("/work").text
        names = ("phase", "item", "version", "key", "language")
        found = {name: re.search(rf'<input type="hidden" name="{name}" value="([^"]*)">', page) for name in names}
        return {name: unescape(one[1]) for name, one in found.items() if one}


def pairs(count: int, *, prefix: str = "p", known: Mapping[str, str] | None = None) -> dict[str, Item]:
    return {
        f"{prefix}{number}": Item(
            f"{prefix}{number}",
            "pair",
            {"text_a": f"First {prefix} {number}.", "text_b": f"Second {prefix} {number}."},
            sentences=(f"{prefix}{number}-a", f"{prefix}{number}-b"),
            known=known or {},
        )
        for number in range(count)
    }


def rating(**changes: Any) -> Phase:
    return Phase(**{"name": "main", "task": "rating", "questions": (SCALE,), **changes})


def rated(study: Study, count: int = 3, **changes: Any) -> Study:
    items = pairs(count)
    return study.add([rating(**changes)], items, {("main", 0): tuple(items)}).open()


def best_worst(study: Study, **changes: Any) -> Study:
    members = [{"item": f"s{number}", "text": f"Sentence {number}."} for number in range(4)]
    phase = Phase(name="main", task="best_worst", questions=(Question(name="best"), Question(name="worst")), **changes)
    items = {f"t{number}": Item(f"t{number}", "tuple", {"members": members}) for number in range(2)}
    return study.add([phase], items, {("main", 0): tuple(items)}).open()


def rewriting(study: Study) -> Study:
    questions = (
        Question(name="first", prompt="Say it otherwise."),
        Question(name="second", prompt="And once more.", differs_from=("first",), impossible=True),
    )
    phase = Phase(name="main", task="rewrite", questions=questions)
    items = {f"i{number}": Item(f"i{number}", "sentence", {"text": f"A cat number {number}."}) for number in range(3)}
    return study.add([phase], items, {("main", 0): tuple(items)}).open()


def golden(study: Study, **gold: Any) -> Study:
    """Ordinary pairs and gold questions, every second one."""
    items = {**pairs(8), **pairs(4, prefix="g", known={"similarity": "5"})}
    rules = Gold(**{"every": 1, "minimum": 2, **gold})
    return study.add([rating(gold=rules)], items, {("main", 0): tuple(items)}).open()

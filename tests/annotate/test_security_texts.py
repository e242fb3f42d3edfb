"""Texts stay texts: whatever recipes, items, annotators, admins and addresses say, no page has an element from it."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.scripts import script
from tests.annotate.studies import Response, Study, Visitor

from kostra.annotate.guard import Doors
from kostra.campaign.admission import Asked, Consent, Entry, Questionnaire
from kostra.campaign.items import Item
from kostra.campaign.protocol import Block, Check, Phase, Question

BAD = "\"'></textarea></title></script><xss-probe onload=alert(1) style=x>{{7*7*11113}}{%raw%}<!--&lt;"
"""Leaves attributes, fields, titles and scripts, and would be an element of its own."""


class Probe(HTMLParser):
    """Finds what must not be on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "xss-probe" or any(name.startswith("on") or name == "style" for name in names):
            self.wrong.append(f"<{tag} {attrs}>")
        if tag in ("script", "style", "iframe", "object", "base") and "src" not in names:
            self.wrong.append(f"<{tag}>")
        for name in ("href", "src", "action", "formaction"):
            if (names.get(name) or "").strip().lower().startswith(("javascript:", "data:", "//", "http:")):
                self.wrong.append(f"{name}={names[name]}")

    def handle_data(self, data: str) -> None:
        self.text += data


def clean(reply: Response) -> Probe:
    """Look at a page; whether it shows the text is for the caller to say."""
    assert reply.status_code < 500, reply.text
    probe = Probe()
    if "text/html" in reply.headers.get("content-type", ""):
        probe.feed(reply.text)
        assert probe.wrong == [], str(reply.request.url)
        assert "544537" not in probe.text, "a template was made of a text"
    else:
        assert reply.headers["x-content-type-options"] == "nosniff"
    return probe


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """A campaign whose every text is bad, of many kinds of screens, before which stand all gates."""
    made = Study(tmp_path, f"sqlite:///{tmp_path / 'campaign.db'}", doors=Doors(limited=False))
    said: dict[str, Any] = {"prompt": BAD, "examples": (BAD,)}
    rating = Question(name="similarity", low=0, high=1, labels=(BAD, f"b {BAD}"), **said)
    items = {
        "text": Item("text", "text", {"title": BAD, "text": f"{BAD}\n\n{BAD}"}),
        "check": Item("check", "check", {"prompt": BAD, "choices": [BAD, "no"]}, known={"check": BAD}),
        f"pair {BAD}": Item(
            f"pair {BAD}", "pair", {"text_a": f"a {BAD}", "text_b": f"b {BAD}"}, sentences=("a", "b"), group=BAD
        ),
        "sentence": Item("sentence", "sentence", {"text": BAD, "change": BAD}),
        "tuple": Item("tuple", "tuple", {"members": [{"item": f"{BAD}{n}", "text": f"{n} {BAD}"} for n in range(4)]}),
    }
    phases = [
        Phase(
            name="main",
            task="rating",
            questions=(rating,),
            suggests=True,
            may_skip=True,
            overlap=5,
            blocks=(
                Block(purpose="instructions", title=BAD, text=BAD),
                Block(purpose="qualification", checks=(Check(prompt=BAD, choices=(BAD, "no"), right=BAD),)),
                Block(purpose="main"),
            ),
        ),
        Phase(
            name="rewrite", task="rewrite", questions=(Question(name="rewrite", shows_words=True, **said),), overlap=5
        ),
        Phase(name="compare", task="best_worst", questions=(Question(name="best", **said), Question(name="worst"))),
    ]
    blocks = {
        ("main", 0): ("text",), ("main", 1): ("check",), ("main", 2): (f"pair {BAD}",),
        ("rewrite", 0): ("sentence",), ("compare", 0): ("tuple",),
    }  # fmt: skip
    asked = (Asked(name="tongue", prompt=BAD, labels=(BAD, "other")), Asked(name="words", prompt=BAD))
    made.add(
        phases, items, blocks, title=BAD, payment=BAD, contact=BAD,
        consent=Consent(title=BAD, text=f"{BAD}\n\n{BAD}", version=f"v {BAD}"),
        questionnaire=Questionnaire(title=BAD, text=BAD, questions=asked),
        entry=Entry(erases=True),
    ).open()  # fmt: skip
    yield made
    made.close()


def walked(study: Study, visitor: Visitor) -> Iterator[Probe]:
    """Through the gates and every screen, with bad answers; each page that is met on the way."""
    yield clean(visitor.get("/work"))
    page = visitor.get("/consent")
    yield clean(page)
    version = f"v {BAD}"
    yield clean(visitor.post("/consent", {"version": "another", "agree": BAD}))
    assert visitor.post("/consent", {"version": version, "agree": "yes"}).status_code == 303
    yield clean(visitor.get("/questionnaire"))
    yield clean(visitor.post("/questionnaire", {"tongue": f"x{BAD}", "words": BAD}))
    assert visitor.post("/questionnaire", {"tongue": BAD, "words": BAD}).status_code == 303
    for _ in range(10):
        page = visitor.get("/work")
        yield clean(page)
        place = visitor.next()
        if place["kind"] != "show":
            break
        yield clean(visitor.get("/work/help"))
        form = visitor.form()
        name = {"text": "read", "check": "check", "sentence": "rewrite", "tuple": "best"}.get(
            form["item"], "similarity"
        )
        yield clean(visitor.post("/work", {**form, name: f"wrong {BAD}" if name != "rewrite" else ""}))
        good: dict[str, Any] = {"read": "yes", "check": BAD, "similarity": "1", "rewrite": f"My own {BAD}"}
        values = {"best": f"{BAD}0", "worst": f"{BAD}1"} if name == "best" else {name: good[name]}
        if name == "similarity":
            visitor.post("/work/suggestion", {"item": form["item"], "side": "a", "text": f"Better {BAD}"})
            draft = {"phase": form["phase"], "item": form["item"], "version": 1, "data": {"given": {name: BAD}}}
            visitor.call("drafts", draft, method="PUT")
            yield clean(visitor.get("/work"))
        yield clean(visitor.post("/work", {**form, **values}))
    yield clean(visitor.post("/work/problem", {"text": f"A report {BAD}"}))


def test_no_text_becomes_part_of_a_page(study: Study) -> None:
    store = study.store
    assert store is not None
    ann = study.visitor("ann")
    store.set_contact("news", "ann", name=BAD, mail=f"{BAD}@example.org", now=study.now)
    seen = list(walked(study, ann))
    assert sum("<xss-probe" in probe.text for probe in seen) >= 8, "the bad texts were not even shown"
    assert len(study.judgments()) >= 5
    boss = study.visitor("boss", role="admin")
    client = script(study)
    client.post("campaigns/news/pause", {"reason": BAD})
    client.post("campaigns/news/resume", {"reason": BAD})
    store.make_api_token(BAD, role="read", campaign=None, actor=BAD, expires_at=None, now=study.now)
    store.record(BAD, campaign="news", actor=BAD, data={BAD: BAD}, now=study.now)
    assert boss.post("/admin/news/messages", {"text": f"A message {BAD}"}).status_code == 303
    assert boss.post("/admin/news/messages", {"text": f"For you {BAD}", "name": "ann"}).status_code == 303
    board = clean(ann.get("/work")).text
    assert "A message" in board
    assert "For you" in board
    acts: dict[str, dict[str, Any]] = {
        "exclude": {"name": "ann"},
        "readmit": {"name": "ann"},
        "free": {"name": "ann"},
        "pause": {},
        "resume": {},
        "invitations": {"number": 1, "role": BAD},
        "withdraw": {"invitation": BAD},
        "reassign": {"phase": BAD, "item": BAD, "name": BAD},
        "extend": {"phase": BAD, "until": BAD},
    }
    for path, fields in acts.items():
        clean(boss.post(f"/admin/news/{path}", {**fields, "note": BAD}))
    pages = (
        "",
        "/items",
        "/agreement",
        "/disagreement",
        "/people",
        "/answers",
        "/reports",
        "/messages",
        "/invitations",
    )
    shown = 0
    for page in pages:
        shown += "<xss-probe" in clean(boss.get(f"/admin/news{page}")).text
        for name in ("q", "phase", "only", "asked", "sort", "who", "status", "to", "name", "done", "before", "at"):
            clean(boss.get(f"/admin/news{page}", params={name: BAD}))
    assert shown >= 4
    for seq in range(1, 30):
        clean(boss.get("/admin/news/answer", params={"seq": seq}))
    asked: dict[str, dict[str, str]] = {
        "/admin": {},
        "/admin/audit-log": {},
        "/admin/news/item": {"item": f"pair {BAD}"},
        "/admin/news/person": {"name": "ann"},
        "/admin/news/download": {},
        "/admin/news/judgments.csv": {},
    }
    for path, query in asked.items():
        clean(boss.get(path, params=query))
    assert "<xss-probe" in clean(boss.get("/admin/audit-log")).text
    for path in ("/work", "/me", "/me/data", "/consent", "/questionnaire", "/leave"):
        clean(ann.get(path))


ADDRESSES = (
    "/{}", "/join/{}", "/mturk/{}?assignmentId={}", "/prolific/{}?PROLIFIC_PID={}", "/admin/{}", "/api/v1/{}",
    "/media/{}", "/static/{}", "/me?done={}", "/work?x={}", "/admin/news/judgments.{}",
)  # fmt: skip


def test_no_address_becomes_part_of_a_page(study: Study) -> None:
    boss = study.visitor("boss", role="admin")
    for path in ADDRESSES:
        for visitor in (boss, study.stranger()):
            clean(visitor.http.get(path.replace("{}", "%22%27%3E%3Cxss-probe%20onload=alert(1)%3E")))


def test_what_is_typed_at_the_door_stays_text(study: Study) -> None:
    stranger = study.stranger()
    probe = clean(stranger.post("/login", {"name": BAD, "password": BAD}))
    assert "wrong" in probe.text
    ann = study.visitor("ann")
    clean(ann.post("/password", {"name": BAD, "new": "x", "again": BAD}))
    clean(ann.post("/me/erase", {"pseudonym": BAD}))


def test_a_pseudonym_has_no_signs_of_html(study: Study) -> None:
    assert study.store is not None
    with pytest.raises(Exception, match="cannot be a pseudonym"):
        study.store.add_annotator("news", name=f"ann {BAD}", now=study.now)

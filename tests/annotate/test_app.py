"""The site over HTTP: what annotators and programs may do, what is refused and how, and what nobody gets to see."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kostra.annotate import app as site_app
from kostra.annotate.collecting import collect
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Block, Campaign, Check, Gold, Phase, Question

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

    def add(
        self,
        phases: Sequence[Phase],
        items: Mapping[str, Item],
        blocks: Mapping[tuple[str, int], Sequence[str]],
        *,
        name: str = "news",
    ) -> Study:
        protocol = Campaign(phases=tuple(phases))
        material = Material(items, {key: tuple(ids) for key, ids in blocks.items()})
        with open_store(self.url) as store:
            store.create_campaign(name, seed=1, now=NOON)
            store.save_revision(name, protocol=protocol, material=material, difference="the first", now=NOON)
        self.campaigns[name] = protocol
        return self

    def open(self) -> Study:
        self.store = open_store(self.url)
        sites = {name: Site(name.title(), payment=PAYMENT, contact="study@example.org") for name in self.campaigns}
        made = site_app.make_app(self.store, sites, project=self.folder, clock=lambda: self.now)
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
        return self.http.get(path, **options)

    def post(self, path: str, fields: Mapping[str, Any] | None = None, **options: Any) -> Response:
        return self.http.post(path, data=dict(fields or {}), **options)

    def call(self, path: str, body: Any = None, *, method: str = "POST", html: bool = False) -> Response:
        headers = {"X-Kostra-Html": "1"} if html else {}
        return self.http.request(method, f"/api/v1/{path}", json={} if body is None else body, headers=headers)

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


@pytest.fixture
def study(store_url: str, tmp_path: Path) -> Iterator[Study]:
    """A site that is not open yet, on each kind of store in turn."""
    made = Study(tmp_path, store_url)
    yield made
    made.close()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Study]:
    """The same on SQLite alone, for what has nothing to do with the store."""
    made = Study(tmp_path, f"sqlite:///{tmp_path / 'plain.db'}")
    yield made
    made.close()


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


def best_worst(study: Study) -> Study:
    members = [{"item": f"s{number}", "text": f"Sentence {number}."} for number in range(4)]
    phase = Phase(name="main", task="best_worst", questions=(Question(name="best"), Question(name="worst")))
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


# Coming in -------------------------------------------------------------------------------------------------


def test_an_invitation_link_leads_to_the_work_with_a_cookie_that_scripts_cannot_read(study: Study) -> None:
    rated(study)
    visitor = study.stranger()
    reply = visitor.get(f"/join/{study.token()}")
    assert (reply.status_code, reply.headers["location"]) == (303, "/work")
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie.split("; ")
    assert visitor.get("/work").status_code == 200
    assert visitor.get("/").headers["location"] == "/work"


def test_over_tls_the_cookie_stays_on_tls(plain: Study) -> None:
    rated(plain)
    visitor = plain.stranger()
    reply = visitor.http.get(f"https://testserver/join/{plain.token()}")
    assert "secure" in reply.headers["set-cookie"].lower().split("; ")


def test_a_personal_link_lets_the_same_person_in_again(study: Study) -> None:
    rated(study)
    token = study.token()
    one, other = study.stranger(), study.stranger()
    for visitor in (one, other):
        assert visitor.get(f"/join/{token}").status_code == 303
    assert one.next()["item"] == other.next()["item"]
    assert len(study.events("joined")) == 1


def test_a_link_that_is_not_known_gets_a_page_that_says_what_to_do(plain: Study) -> None:
    rated(plain)
    for token in ("nonsense", "x" * 5000, "%00", "%ff", "..%2f.."):
        reply = plain.stranger().get(f"/join/{token}")
        assert reply.status_code == 404
        assert "text/html" in reply.headers["content-type"]
        assert "set-cookie" not in reply.headers


def test_without_a_session_programs_get_401_and_people_a_page(plain: Study) -> None:
    rated(plain)
    stranger = plain.stranger()
    reply = stranger.call("next")
    assert reply.status_code == 401
    assert "invitation" in reply.json()["error"]
    for path in ("/work", "/", "/work/help", "/media/x.png"):
        page = stranger.get(path)
        assert page.status_code == 401
        assert "An invitation is needed" in page.text
    stranger.http.cookies.set("kostra_session", "made up")
    assert stranger.call("next").status_code == 401
    assert stranger.post("/work", {"phase": "main"}).status_code == 401


def test_a_session_ends_after_its_time(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    plain.wait(days=89)
    assert visitor.call("next").status_code == 200
    plain.wait(days=2)
    assert visitor.call("next").status_code == 401


# Pages without JavaScript ----------------------------------------------------------------------------------


def test_a_form_is_answered_without_javascript(study: Study) -> None:
    rated(study, 2)
    visitor = study.visitor()
    for _ in range(2):
        reply = visitor.post("/work", {**visitor.form(), "similarity": "4"})
        assert (reply.status_code, reply.headers["location"]) == (303, "/work")
    page = visitor.get("/work").text
    assert 'data-kind="finished"' in page
    assert PAYMENT in page
    assert [row["value"] for row in study.judgments()] == ["4", "4"]


def test_a_form_that_is_sent_twice_is_stored_once(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    form = {**visitor.form(), "similarity": "4"}
    assert [visitor.post("/work", form).status_code for _ in range(3)] == [303, 303, 303]
    assert len(study.judgments()) == 1


def test_a_wrong_form_comes_back_with_the_message_at_the_field_and_what_was_typed(study: Study) -> None:
    rewriting(study)
    visitor = study.visitor()
    form = visitor.form()
    number = form["item"][1:]
    reply = visitor.post("/work", {**form, "first": "Quite another cat.", "second": f"A cat number {number}."})
    assert reply.status_code == 422
    assert re.search(r'id="e-second"[^>]*>[^<]*sentence itself', reply.text)
    assert "Quite another cat." in reply.text
    again = {**form, "first": "Quite another cat.", "second": "", "second.impossible": "on"}
    assert visitor.post("/work", again).status_code == 303
    found = {(row["question"], row["value"], row["status"]) for row in study.judgments()}
    assert found == {("first", "Quite another cat.", "answered"), ("second", None, "impossible")}


@pytest.mark.parametrize("version", ["", "x", "²", "-1", "1.5", "9" * 30, "٣"])
def test_a_form_that_is_not_whole_gets_a_page_and_stores_nothing(plain: Study, version: str) -> None:
    rated(plain)
    visitor = plain.visitor()
    reply = visitor.post("/work", {**visitor.form(), "version": version, "similarity": "3"})
    assert reply.status_code == 409
    assert "That did not work" in reply.text
    assert visitor.post("/work", {"similarity": "3"}).status_code == 409
    assert not plain.judgments()


def test_the_last_answer_is_changed_without_javascript(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    form = visitor.form()
    visitor.post("/work", {**form, "similarity": "2"})
    page = visitor.post("/work/undo", visitor.form())
    assert page.status_code == 200
    assert f'name="item" value="{form["item"]}"' in page.text
    assert re.search(r'value="2"[^>]*checked', page.text)
    key = re.search(r'name="key" value="([^"]*)"', page.text)
    assert key is not None
    assert visitor.post("/work", {**form, "key": key[1], "similarity": "5"}).status_code == 303
    assert [(row["value"], row["status"]) for row in study.judgments()] == [("2", "superseded"), ("5", "answered")]


def test_a_page_that_is_reloaded_while_the_last_answer_is_changed_still_shows_it(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    form = visitor.form()
    visitor.post("/work", {**form, "similarity": "2"})
    visitor.post("/work/undo")
    page = visitor.get("/work").text
    assert f'name="item" value="{form["item"]}"' in page
    assert re.search(r'value="2"[^>]*checked', page)


def test_problems_and_skips_work_without_javascript(study: Study) -> None:
    rated(study, may_skip=True)
    visitor = study.visitor()
    form = visitor.form()
    assert "Report a problem" in visitor.get("/work/problem").text
    reply = visitor.post("/work/problem", {"text": "The second sentence is cut."})
    assert "Thank you" in reply.text
    (event,) = study.events("problem")
    assert (event.data["text"], event.data["item"]) == ("The second sentence is cut.", form["item"])
    assert visitor.post("/work/skip", form).status_code == 303
    assert visitor.form()["item"] != form["item"]
    assert [row["status"] for row in study.judgments()] == ["skipped"]
    assert visitor.post("/work/skip", {}).status_code == 422
    assert visitor.post("/work/problem", {"text": "  "}).status_code == 409


def test_instructions_can_be_read_again(plain: Study) -> None:
    blocks = (Block(purpose="instructions", title="How to judge", text="Think of meaning."), Block(purpose="main"))
    text = Item("text-main-0", "text", {"title": "How to judge", "text": "Think of meaning."})
    items = {text.item: text, **pairs(2)}
    plain.add([rating(blocks=blocks)], items, {("main", 0): (text.item,), ("main", 1): tuple(pairs(2))}).open()
    visitor = plain.visitor()
    assert "Think of meaning." in visitor.get("/work").text
    assert visitor.post("/work", {**visitor.form(), "read": "yes"}).status_code == 303
    assert "Think of meaning." not in visitor.get("/work").text
    assert "Think of meaning." in visitor.get("/work/help").text


# The API ---------------------------------------------------------------------------------------------------


def test_an_answer_is_stored_and_the_reply_says_what_comes_next(study: Study) -> None:
    rated(study, 2)
    visitor = study.visitor()
    first = visitor.body({"similarity": 3}, seconds=4.5, language="cs", notes={"pasted": ["similarity"]})
    study.wait(seconds=9)
    reply = visitor.call("answers", first).json()
    assert (reply["status"], reply["repeated"], reply["feedback"]) == ("answered", False, None)
    assert reply["place"]["kind"] == "show"
    assert reply["place"]["item"]["item"] != first["item"]
    assert visitor.answer({"similarity": "5"}).json()["place"]["kind"] == "finished"
    one, other = study.judgments()
    assert (one["item"], one["value"], one["seconds"]) == (first["item"], "3", 4.5)
    assert (other["value"], other["status"]) == ("5", "answered")


def test_an_answer_that_is_sent_again_is_stored_once_and_acknowledged_again(study: Study) -> None:
    rated(study, 3)
    visitor = study.visitor()
    body = visitor.body({"similarity": 3})
    replies = [visitor.call("answers", body).json() for _ in range(3)]
    assert [reply["repeated"] for reply in replies] == [False, True, True]
    assert len({json.dumps(reply["place"], sort_keys=True) for reply in replies}) == 1
    assert len(study.judgments()) == 1


def test_an_answer_that_is_sent_again_after_a_later_one_is_still_acknowledged(study: Study) -> None:
    rated(study, 3)
    visitor = study.visitor()
    body = visitor.body({"similarity": 3})
    visitor.call("answers", body)
    visitor.answer({"similarity": 1})
    assert visitor.call("answers", body).json()["repeated"]
    assert len(study.judgments()) == 2


WRONG: list[tuple[Callable[[Study], Study], dict[str, Any], set[str]]] = [
    (rated, {"similarity": 6}, {"similarity"}),
    (rated, {"similarity": -1}, {"similarity"}),
    (rated, {"similarity": 2.5}, {"similarity"}),
    (rated, {"similarity": "many"}, {"similarity"}),
    (rated, {"similarity": None}, {"similarity"}),
    (rated, {"similarity": [3]}, {"similarity"}),
    (rated, {"similarity": True}, {"similarity"}),
    (rated, {"similarity": {"impossible": True}}, {"similarity"}),
    (rated, {}, {"similarity"}),
    (rated, {"similarity": 3, "beauty": 4}, {"beauty"}),
    (best_worst, {"best": "s1", "worst": "s1"}, {"worst"}),
    (best_worst, {"best": "s9", "worst": "s1"}, {"best"}),
    (best_worst, {"best": "s1"}, {"worst"}),
    (best_worst, {"best": {"deep": [1]}, "worst": 7}, {"best", "worst"}),
    (rewriting, {"first": "", "second": "Some cat."}, {"first"}),
    (rewriting, {"first": "   ", "second": "Some cat."}, {"first"}),
    (rewriting, {"first": "Some cat.", "second": "Some cat."}, {"second"}),
    (rewriting, {"first": {"impossible": True}, "second": "Some cat."}, {"first"}),
]


@pytest.mark.parametrize(("make", "answers", "fields"), WRONG)
def test_a_wrong_answer_is_refused_with_a_message_at_its_field(
    plain: Study, make: Callable[[Study], Study], answers: dict[str, Any], fields: set[str]
) -> None:
    visitor = make(plain).visitor()
    before = visitor.next()["item"]
    for html in (False, True):
        reply = visitor.call("answers", visitor.body(answers), html=html)
        assert reply.status_code == 422
        errors = reply.json()["errors"]
        assert set(errors) == fields
        assert all(isinstance(message, str) and message for message in errors.values())
    assert not plain.judgments()
    assert visitor.next()["item"] == before


def test_an_unchanged_rewrite_is_refused_however_it_is_spaced(study: Study) -> None:
    visitor = rewriting(study).visitor()
    number = visitor.next()["item"]["item"][1:]
    reply = visitor.answer({"first": f"  A  cat number {number}.", "second": "Some cat."})
    assert reply.status_code == 422
    assert "first" in reply.json()["errors"]
    assert visitor.answer({"first": "No cat.", "second": {"impossible": True}}).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"item": "nonsense"},
        {"phase": "nonsense"},
        {"item": "p9"},
        {"version": 2},
        {"key": "k\0"},
        {"notes": {"a": "\0"}},
        {"notes": {"a": "\ud800"}},
        {"item": "p\0"},
        {"item": "\ud800"},
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_a_reason(study: Study, change: dict[str, Any]) -> None:
    items = pairs(10)
    study.add([rating(blocks=(Block(purpose="main", items=3),))], items, {("main", 0): tuple(items)}).open()
    visitor = study.visitor()
    body = visitor.body({"similarity": 3})
    if change == {"item": "p9"}:
        change = {"item": next(item for item in items if item != body["item"])}
    reply = visitor.http.post(
        "/api/v1/answers", content=json.dumps({**body, **change}), headers={"Content-Type": "application/json"}
    )
    assert reply.status_code == 409, reply.text
    assert reply.json()["error"]
    assert not study.judgments()


@pytest.mark.parametrize(
    "change",
    [
        {"version": 0},
        {"version": 10**30},
        {"version": "x"},
        {"key": ""},
        {"key": "k" * 101},
        {"seconds": -1},
        {"seconds": 1e300},
        {"language": "x" * 21},
        {"answers": []},
        {"notes": 3},
        {"phase": None},
    ],
)
def test_a_malformed_answer_is_refused_with_the_field_s_name(plain: Study, change: dict[str, Any]) -> None:
    visitor = rated(plain).visitor()
    body = {**visitor.body({"similarity": 3}), **change}
    reply = visitor.http.post("/api/v1/answers", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert reply.status_code == 422, reply.text
    assert next(iter(change)) in reply.json()["error"]
    assert not plain.judgments()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"key": NaN}'])
def test_what_is_not_json_is_refused(plain: Study, body: bytes) -> None:
    visitor = rated(plain).visitor()
    reply = visitor.http.post("/api/v1/answers", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422), reply.text
    assert reply.json()["error"]


def test_the_last_answer_is_shown_again_and_superseded(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    assert visitor.call("undo").status_code == 409
    first = visitor.body({"similarity": 2})
    visitor.call("answers", first)
    place = visitor.call("undo").json()["place"]
    assert (place["item"]["item"], place["again"]) == (first["item"], True)
    html = visitor.call("next", html=True).json()["html"]
    assert "You are changing your last answer" in html
    assert visitor.answer({"similarity": 4}).json()["status"] == "answered"
    rows = {row["status"]: row for row in study.judgments()}
    assert (rows["superseded"]["value"], rows["answered"]["value"]) == ("2", "4")
    assert rows["answered"]["supersedes"] == rows["superseded"]["judgment"]


def test_an_item_is_skipped_once_however_often_that_is_sent(study: Study) -> None:
    rated(study, 3, may_skip=True)
    visitor = study.visitor()
    before = visitor.next()["item"]["item"]
    places = [visitor.call("skip", {"key": "skip-1"}).json()["place"] for _ in range(2)]
    assert places[0] == places[1]
    assert places[0]["item"]["item"] != before
    assert len(study.judgments()) == 1


def test_where_the_phase_does_not_allow_it_nothing_is_skipped(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    visitor.next()
    assert visitor.call("skip", {"key": "skip-1"}).status_code == 409
    assert visitor.call("suggestions", {"item": "p0", "side": "a", "text": "Better."}).status_code == 409


def test_a_draft_is_there_again_when_the_page_is_loaded_anew_and_goes_with_the_answer(study: Study) -> None:
    rewriting(study)
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    data = {"given": {"first": "Half a rewri"}, "at": 1_767_268_800_000, "seconds": 3.2, "pasted": []}
    draft = {"phase": "main", "item": item, "version": 1, "data": data}
    assert visitor.call("drafts", draft, method="PUT").status_code == 200
    page = visitor.get("/work").text
    assert "Half a rewri" in page
    assert 'data-draft-at="1767268800000"' in page
    visitor.answer({"first": "A whole one.", "second": "And another."})
    assert study.store is not None
    assert study.store.draft("news", "ann", "main", item) is None
    assert "Half a rewri" not in visitor.get("/work").text


@pytest.mark.parametrize(
    "data",
    [
        {"given": "text"},
        {"given": None, "at": None},
        {"given": {"first": [1, {"x": 2}], "second": {"value": {"y": 1}}}, "at": "soon"},
        {"given": {"first": {"value": 3}}, "at": {"x": 1}},
        {"given": ["first"], "at": 1e308},
        {},
    ],
)
def test_a_draft_that_makes_no_sense_breaks_no_page(plain: Study, data: dict[str, Any]) -> None:
    rewriting(plain)
    visitor = plain.visitor()
    item = visitor.next()["item"]["item"]
    visitor.call("drafts", {"phase": "main", "item": item, "version": 1, "data": data}, method="PUT")
    assert visitor.get("/work").status_code == 200


def test_a_draft_is_kept_only_of_what_is_on_the_screen(study: Study) -> None:
    rewriting(study)
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    for wrong in ({"item": "nonsense"}, {"phase": "other"}, {"item": "i\0"}, {"version": 7}):
        draft = {"phase": "main", "item": item, "version": 1, "data": {"given": {}}, **wrong}
        assert visitor.call("drafts", draft, method="PUT").status_code == 409
    big = {"phase": "main", "item": item, "version": 1, "data": {"given": {"first": "x" * 70_000}}}
    assert visitor.call("drafts", big, method="PUT").status_code == 409


def test_a_problem_is_kept_with_the_item_on_the_screen(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    assert visitor.call("problems", {"text": " Something is odd. "}).status_code == 200
    assert visitor.call("problems", {"text": "  "}).status_code == 409
    (event,) = study.events("problem")
    assert event.data == {"phase": "main", "item": item, "version": 1, "text": "Something is odd."}


def test_a_judge_suggests_a_wording_that_only_the_linguist_sees(study: Study) -> None:
    items = pairs(1)
    judging = rating(name="judging", role="judge", suggests=True)
    deciding = Phase(
        name="deciding", task="correct", role="linguist", validates="judging",
        questions=(Question(name="suggestion", labels=("reject", "mend in place", "mend and ask again")),),
    )  # fmt: skip
    study.add([judging, deciding], items, {("judging", 0): ("p0",), ("deciding", 0): ()}).open()
    judge, linguist = study.visitor("jan", role="judge"), study.visitor("lin", role="linguist")
    assert linguist.next()["kind"] != "show"
    assert "Suggest a better wording" in judge.get("/work").text
    wanted = {"item": "p0", "side": "b", "text": "A much better wording."}
    assert judge.call("suggestions", {**wanted, "side": "c"}).status_code == 409
    assert judge.call("suggestions", wanted).status_code == 200
    assert "A much better wording." not in judge.get("/work").text
    assert "A much better wording." in re.sub("<del>.*?</del>|<[^>]*>", "", linguist.get("/work").text)
    form = {"item": "p0", "side": "a", "text": "Another wording."}
    assert judge.post("/work/suggestion", form).status_code == 303


# Protocol on the pages -------------------------------------------------------------------------------------


def test_a_pause_between_phases_is_a_page_with_a_countdown(study: Study) -> None:
    items = pairs(1)
    later = rating(name="later", after="main", pause_hours=72, same_order_as="main")
    study.add([rating(), later], items, {("main", 0): ("p0",), ("later", 0): ("p0",)}).open()
    visitor = study.visitor()
    reply = visitor.answer({"similarity": 1}).json()
    assert reply["place"]["kind"] == "pause"
    assert datetime.fromisoformat(reply["place"]["until"]) == NOON + timedelta(hours=72)
    study.wait(hours=71, minutes=58)
    page = visitor.get("/work").text
    assert 'data-countdown="120"' in page
    study.wait(minutes=2)
    assert visitor.next()["phase"] == "later"


def test_a_wrong_gold_answer_is_told_at_once_and_a_right_one_goes_on(study: Study) -> None:
    golden(study)
    visitor = study.visitor()
    assert visitor.answer({"similarity": 1}).json()["feedback"] is None
    body = visitor.body({"similarity": 5})
    assert body["item"].startswith("g")
    assert visitor.call("answers", body).json()["feedback"] == {"right": True, "known": {"similarity": "5"}}
    visitor.answer({"similarity": 1})
    reply = visitor.call("answers", visitor.body({"similarity": 0}), html=True).json()
    assert reply["feedback"]["right"] is False
    assert 'data-kind="feedback"' in reply["html"]
    assert "right answer" in reply["html"]


def test_gold_is_told_without_javascript_as_well(study: Study) -> None:
    golden(study)
    visitor = study.visitor()
    visitor.post("/work", {**visitor.form(), "similarity": "1"})
    page = visitor.post("/work", {**visitor.form(), "similarity": "0"})
    assert page.status_code == 200
    assert 'data-kind="feedback"' in page.text
    assert 'data-kind="show"' in visitor.get("/work").text


def test_who_fails_the_gold_questions_is_stopped_kindly_and_told_about_payment(study: Study) -> None:
    golden(study)
    visitor = study.visitor()
    place = visitor.next()
    while place["kind"] == "show":
        place = visitor.answer({"similarity": 0}).json()["place"]
    assert (place["kind"], place["reason"]) == ("stopped", "gold")
    page = visitor.get("/work").text
    assert 'data-kind="stopped"' in page
    assert "Thank you for your time" in page
    assert PAYMENT in page
    assert "study@example.org" in page
    assert {row["status"] for row in study.judgments()} == {"discarded"}


def test_a_late_answer_of_somebody_who_was_stopped_is_acknowledged_and_discarded(study: Study) -> None:
    golden(study, minimum=1)
    visitor = study.visitor()
    first = visitor.body({"similarity": 1})
    visitor.call("answers", first)
    visitor.answer({"similarity": 0})
    assert visitor.next()["kind"] == "stopped"
    assert visitor.call("answers", first).json()["repeated"]


def test_a_qualification_says_whether_but_never_how_it_was_right(study: Study) -> None:
    check = Check(prompt="What counts?", choices=("meaning", "length"), right="meaning")
    blocks = (Block(purpose="qualification", checks=(check,), attempts=2), Block(purpose="main"))
    item = Item("check-main-0-0", "check", {"prompt": check.prompt, "choices": ["meaning", "length"]})
    items = {item.item: replace(item, known={"check": "meaning"}), **pairs(2)}
    study.add([rating(blocks=blocks)], items, {("main", 0): (item.item,), ("main", 1): tuple(pairs(2))}).open()
    visitor = study.visitor()
    reply = visitor.answer({"check": "length"})
    assert reply.json()["feedback"] == {"right": False, "known": {}}
    assert reply.json()["place"]["attempt"] == 2
    assert "attempt number 2" in visitor.get("/work").text
    assert visitor.answer({"check": "meaning"}).json()["place"]["item"]["kind"] == "pair"


# What nobody gets to see -----------------------------------------------------------------------------------


def test_no_reply_holds_a_known_answer_before_it_is_given(study: Study) -> None:
    """The known answer is a text that stands nowhere else, so that any trace of it would be found."""
    secret = "xyzzy-secret"
    items = pairs(4)
    gold = {name: replace(one, known={"remark": secret}) for name, one in pairs(2, prefix="g").items()}
    phase = Phase(name="main", task="triage", questions=(Question(name="remark"),), gold=Gold(every=1))
    study.add([phase], {**items, **gold}, {("main", 0): (*items, *gold)}).open()
    visitor = study.visitor()
    seen: list[str] = []
    place = visitor.next()
    while place["kind"] == "show":
        seen += [visitor.get("/work").text, visitor.call("next").text, visitor.call("next", html=True).text]
        seen += [visitor.get("/work/help").text, visitor.get("/openapi.json").text]
        assert place["purpose"] == "main"
        assert "known" not in place["item"]
        if place["item"]["item"].startswith("g"):
            break
        reply = visitor.answer({"remark": "fine"})
        seen.append(reply.text)
        place = reply.json()["place"]
    assert place["item"]["item"].startswith("g")
    assert not [text for text in seen if secret in text]
    assert secret in visitor.answer({"remark": "wrong"}).text


def test_the_text_of_an_item_that_was_not_shown_is_never_delivered(study: Study) -> None:
    items = {
        f"i{number}": Item(f"i{number}", "sentence", {"text": f"Unique-{number:03d} sentence."}) for number in range(40)
    }
    phase = Phase(name="main", task="triage", questions=(Question(name="verdict", labels=("keep", "reject")),))
    study.add([phase], items, {("main", 0): tuple(items)}).open()
    visitor = study.visitor()
    shown: set[str] = set()
    delivered: set[str] = set()
    for _ in range(5):
        place = visitor.next()
        shown.add(place["item"]["content"]["text"].split()[0])
        hidden = next(item for item in items if item != place["item"]["item"])
        probes = [
            visitor.get("/work"), visitor.call("next", html=True), visitor.get("/work/help"),
            visitor.answer({"verdict": "keep"}, item=hidden), visitor.get(f"/media/{hidden}"),
            visitor.call("suggestions", {"item": hidden, "side": "a", "text": "x"}),
            visitor.call("drafts", {"phase": "main", "item": hidden, "data": {}}, method="PUT"),
        ]  # fmt: skip
        delivered |= {found for reply in probes for found in re.findall(r"Unique-\d{3}", reply.text)}
        assert delivered <= shown
        reply = visitor.answer({"verdict": "keep"})
        shown.add(reply.json()["place"]["item"]["content"]["text"].split()[0])
    assert len(shown) == 6


def test_only_images_that_were_shown_are_delivered_and_no_other_file(study: Study) -> None:
    (study.folder / "pictures").mkdir()
    for number in range(3):
        (study.folder / "pictures" / f"{number}.png").write_bytes(b"\x89PNG picture")
    (study.folder / "secret.txt").write_text("secret")
    items = {
        f"d{number}": Item(f"d{number}", "image", {"image": f"pictures/{number}.png", "title": "A picture"})
        for number in range(3)
    }
    phase = Phase(name="main", task="describe", questions=(Question(name="description"),))
    study.add([phase], items, {("main", 0): tuple(items)}).open()
    visitor = study.visitor()
    item = visitor.next()["item"]["item"]
    reply = visitor.get(f"/media/{item}")
    assert (reply.status_code, reply.content, reply.headers["content-type"]) == (200, b"\x89PNG picture", "image/png")
    assert f'src="/media/{item}"' in visitor.get("/work").text
    tries = [
        *(other for other in items if other != item), "escape", "pictures/0.png", "secret.txt", "../secret.txt",
        "..%2fsecret.txt", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "%2fetc%2fpasswd", f"{item}/../secret.txt",
        "a%00b", "%ff",
    ]  # fmt: skip
    for name in tries:
        assert visitor.get(f"/media/{name}").status_code == 404, name
    assert study.stranger().get(f"/media/{item}").status_code == 401


def test_an_image_outside_of_the_project_is_not_delivered(plain: Study) -> None:
    plain.folder /= "project"
    plain.folder.mkdir()
    (plain.folder.parent / "secret.png").write_bytes(b"secret")
    (plain.folder / "link.png").symlink_to(plain.folder.parent / "secret.png")
    (plain.folder / "folder.png").mkdir()
    names = ("../secret.png", str(plain.folder.parent / "secret.png"), "link.png", "folder.png", "none.png")
    items = {f"d{number}": Item(f"d{number}", "image", {"image": name}) for number, name in enumerate(names)}
    phase = Phase(name="main", task="describe", questions=(Question(name="description"),))
    plain.add([phase], items, {("main", 0): tuple(items)}).open()
    visitor = plain.visitor()
    place = visitor.next()
    while place["kind"] == "show":
        assert visitor.get(f"/media/{place['item']['item']}").status_code == 404
        place = visitor.answer({"description": "A cat sits."}).json()["place"]


def test_two_campaigns_in_one_store_stay_apart(study: Study) -> None:
    items, others = pairs(2), pairs(2, prefix="q")
    study.add([rating()], items, {("main", 0): tuple(items)})
    study.add([rating()], others, {("main", 0): tuple(others)}, name="other").open()
    ann, bob = study.visitor("ann"), study.visitor("ann", campaign="other")
    body = ann.body({"similarity": 1})
    assert body["item"].startswith("p")
    assert bob.next()["item"]["item"].startswith("q")
    assert bob.call("answers", body).status_code == 409
    same_key = bob.body({"similarity": 2}, key=body["key"])
    assert ann.call("answers", body).json()["repeated"] is False
    assert bob.call("answers", same_key).json()["repeated"] is False
    assert [row["item"][0] for row in study.judgments()] == ["p"]
    assert [row["item"][0] for row in study.judgments(campaign="other")] == ["q"]
    assert "News" in ann.get("/work").text
    assert "Other" in bob.get("/work").text


def test_a_campaign_that_is_not_served_lets_nobody_in(plain: Study) -> None:
    items = pairs(1)
    plain.add([rating()], items, {("main", 0): tuple(items)}, name="closed")
    plain.campaigns.clear()
    plain.add([rating()], items, {("main", 0): tuple(items)}).open()
    reply = plain.stranger().get(f"/join/{plain.token(campaign='closed')}")
    assert reply.status_code == 404
    assert "not open" in reply.text


def test_one_annotator_cannot_answer_with_another_s_key(study: Study) -> None:
    rated(study, 3, overlap=2)
    ann, bob = study.visitor("ann"), study.visitor("bob")
    ann.answer({"similarity": 1}, key="same")
    assert bob.answer({"similarity": 2}, key="same").json()["repeated"] is False
    assert len(study.judgments()) == 2


# Guards ----------------------------------------------------------------------------------------------------


def every_reply(study: Study) -> Iterator[Response]:
    """Replies of every kind that the site has."""
    visitor, stranger = study.visitor(), study.stranger()
    yield stranger.get("/health")
    yield stranger.get("/work")
    yield stranger.get("/nowhere")
    yield stranger.get("/api/v1/nowhere")
    yield stranger.get("/api/v1/answers")
    yield stranger.get("/static/site.css")
    yield stranger.get("/static/nothing.js")
    yield stranger.get("/static/../app.py")
    yield stranger.get("/join/nonsense")
    yield stranger.get("/openapi.json")
    yield visitor.get("/work")
    yield visitor.call("next")
    yield visitor.answer({"similarity": 9})
    yield visitor.answer({"similarity": 3}, item="x")
    yield visitor.call("answers", {"item": 3})
    yield visitor.post("/work", {})
    yield visitor.http.post("/api/v1/next", headers={"Origin": "https://elsewhere.example"})
    yield visitor.http.post("/api/v1/problems", json={"text": "x" * (site_app.LARGEST_BODY + 1)})


def test_every_reply_has_the_security_headers(plain: Study) -> None:
    rated(plain)
    statuses = set()
    for reply in every_reply(plain):
        statuses.add(reply.status_code)
        for name, value in site_app.SECURITY_HEADERS.items():
            if name != "Cache-Control":
                assert reply.headers.get_list(name) == [value], (reply.request.url, name)
        cached = reply.headers["cache-control"]
        assert cached == ("no-cache" if "/static/" in str(reply.request.url) else "no-store")
    assert {200, 401, 403, 404, 405, 409, 413, 422} <= statuses


def test_what_is_not_there_is_said_in_the_form_that_was_asked_for(plain: Study) -> None:
    rated(plain)
    stranger = plain.stranger()
    page, told = stranger.get("/nowhere"), stranger.get("/api/v1/nowhere")
    assert (page.status_code, told.status_code) == (404, 404)
    assert "text/html" in page.headers["content-type"]
    assert told.json()["error"]


def test_a_defect_of_ours_is_a_plain_500_with_headers_and_without_details(
    plain: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated(plain)
    visitor = plain.visitor()

    async def broken(*_: object) -> None:
        raise RuntimeError("inner secret")

    monkeypatch.setattr("kostra.annotate.desk.Desk.stand", broken)
    for reply in (visitor.get("/work"), visitor.call("next")):
        assert reply.status_code == 500
        assert "inner secret" not in reply.text
        assert reply.headers["content-security-policy"]


@pytest.mark.parametrize(
    "origin", ["https://elsewhere.example", "null", "http://testserver.evil", "http://[", "\xff\xfe", "testserver", ""]
)
def test_a_request_from_another_site_s_page_is_refused(plain: Study, origin: str) -> None:
    rated(plain)
    visitor = plain.visitor()
    body = visitor.body({"similarity": 3})
    headers = {"Origin": origin.encode("latin-1")}
    reply = visitor.http.post("/api/v1/answers", json=body, headers=headers)  # type: ignore[arg-type]
    assert reply.status_code == (403 if origin else 200)
    assert len(plain.judgments()) == (0 if origin else 1)


def test_a_request_from_our_own_page_is_taken(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    form = {**visitor.form(), "similarity": "3"}
    assert visitor.post("/work", form, headers={"Origin": "http://testserver"}).status_code == 303


def test_a_body_that_is_too_big_is_refused_with_and_without_its_length(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    big = json.dumps({"text": "x" * (site_app.LARGEST_BODY + 1)}).encode()

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(big), 65_536):
            yield big[start : start + 65_536]

    headers = {"Content-Type": "application/json"}
    assert visitor.http.post("/api/v1/problems", content=big, headers=headers).status_code == 413
    assert visitor.http.post("/api/v1/problems", content=pieces(), headers=headers).status_code == 413
    assert not plain.events("problem")


def test_a_content_length_that_is_no_number_is_refused(plain: Study) -> None:
    rated(plain)
    headers = {"Content-Length": "many", "Content-Type": "application/json"}
    assert plain.visitor().http.post("/api/v1/next", content=b"{}", headers=headers).status_code == 400


def test_pages_hold_nothing_inline_and_ask_nothing_of_other_hosts(plain: Study) -> None:
    rated(plain)
    for reply in every_reply(plain):
        if "text/html" in reply.headers["content-type"]:
            assert not re.search(r"<style|<script(?![^>]*src=)|\son\w+=|\sstyle=|(src|href)=\"(https?:)?//", reply.text)
    policy = site_app.SECURITY_HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_site_starts_from_its_environment(plain: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    items = pairs(1)
    plain.add([rating()], items, {("main", 0): tuple(items)})
    told = {"title": "A study", "language": "cs", "payment": "", "contact": ""}
    setting = {"db": plain.url, "project": str(plain.folder), "campaigns": {"news": told}}
    monkeypatch.setenv(site_app.ENVIRONMENT, json.dumps(setting))
    with TestClient(site_app.from_environment()) as client:
        assert client.get("/health").json() == {"status": "ok"}

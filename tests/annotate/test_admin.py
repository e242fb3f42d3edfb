"""The office: what its pages show, what its acts do, and who may see and do it."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import pytest
from fastapi.routing import APIRoute
from tests.annotate.studies import NOON, Study, Visitor, best_worst, golden, pairs, rated, rating

from kostra.annotate.admin import views
from kostra.annotate.collecting import collect
from kostra.annotate.store import open_store
from kostra.campaign.admission import Pay
from kostra.campaign.items import Item

HOSTILE = '<script>alert("x")</script>\'"&<img src=x onerror=y>'

PAGES = (
    "", "/items", "/item?item=p0", "/agreement", "/people", "/person?name=ann", "/answers", "/disagreement",
    "/messages", "/invitations", "/download", "/reports",
)  # fmt: skip


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without anything in it, made once: migrations take longer than most tests."""
    folder = tmp_path_factory.mktemp("empty")
    open_store(folder).close()
    return folder / "campaign.db"


@pytest.fixture
def study(tmp_path: Path, empty: Path) -> Iterator[Study]:
    """A site that is not open yet."""
    shutil.copy(empty, tmp_path)
    made = Study(tmp_path, f"sqlite:///{tmp_path / 'campaign.db'}")
    yield made
    made.close()


@pytest.fixture
def any_store(store_url: str, tmp_path: Path) -> Iterator[Study]:
    """The same on each kind of store in turn."""
    made = Study(tmp_path, store_url)
    yield made
    made.close()


def boss(study: Study) -> Visitor:
    return study.visitor("boss", role="admin")


def see(visitor: Visitor, path: str = "", campaign: str = "news") -> str:
    reply = visitor.get(f"/admin/{campaign}{path}")
    assert reply.status_code == 200, (path, reply.status_code, reply.text)
    return str(reply.text)


def words(page: str) -> str:
    """What a page says."""
    body = re.sub(r"<(title|desc|style)[^>]*>.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def act(visitor: Visitor, path: str, **fields: str) -> Any:
    return visitor.post(f"/admin/news/{path}", {"note": "a test", **fields})


def answers(study: Study, **said: str) -> dict[str, Visitor]:
    """People who each answer with a digit after the other."""
    people = {name: study.visitor(name) for name in said}
    for name, digits in said.items():
        people[name].next()
        for digit in digits:
            study.wait(seconds=10)
            reply = people[name].answer({"similarity": digit}, seconds=5.0)
            assert reply.status_code == 200, reply.text
    return people


# Who may come in ---------------------------------------------------------------------------------------------


def routes(study: Study) -> list[tuple[str, str]]:
    assert study.client is not None
    app: Any = study.client.app
    found = [route for route in _all(app.routes) if route.path.startswith("/admin")]
    assert len(found) > 20
    filled = [(route.path.replace("{campaign}", "news").replace("{ending}", "csv"), route) for route in found]
    return [(method, path) for path, route in filled for method in sorted(route.methods or ())]


def _all(routes: Any) -> Iterator[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            inner = getattr(route, "original_router", None)
            yield from _all(inner.routes if inner is not None else [])


def test_every_page_and_act_of_the_office_is_for_admins_alone(study: Study) -> None:
    rated(study)
    ann, stranger = study.visitor("ann"), study.stranger()
    for method, path in routes(study):
        for visitor, status in ((stranger, 401), (ann, 403)):
            reply = visitor.http.request(method, path, headers={"origin": "http://testserver"})
            assert reply.status_code == status, (method, path, reply.status_code)
            assert "First p" not in reply.text


def test_an_act_without_the_secret_of_the_page_is_refused(study: Study) -> None:
    rated(study)
    admin = boss(study)
    del admin.http.headers["X-Kostra-Csrf"]
    for path in ("pause", "messages", "invitations", "exclude"):
        assert act(admin, path, name="boss", text="x").status_code == 403
    token = re.search(r'name="csrf" value="([^"]+)"', see(admin))
    assert token is not None
    assert act(admin, "pause", csrf=token[1]).status_code == 303


@pytest.mark.long
def test_what_does_not_exist_is_not_found(study: Study) -> None:
    rated(study)
    admin = boss(study)
    for path in ("/admin/other", "/admin/other/items", "/admin/news/item?item=nope", "/admin/news/person?name=nope",
                 "/admin/news/answer?seq=99999", "/admin/news/judgments.exe"):  # fmt: skip
        assert admin.get(path).status_code == 404, path
    assert admin.get("/admin/news/answer?seq=x").status_code == 422
    for path in ("pause", "exclude", "messages", "invitations"):
        assert admin.post(f"/admin/other/{path}", {"note": "x", "name": "y", "text": "z"}).status_code == 404


# Reading -----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_admin_sees_all_campaigns_of_the_store(study: Study) -> None:
    items = pairs(2, prefix="x")
    study.add([rating()], items, {("main", 0): tuple(items)}, name="other")
    rated(study, overlap=2)
    admin = boss(study)
    answers(study, ann="35")
    page = admin.get("/admin").text
    assert 'href="/admin/news"' in page
    assert 'href="/admin/other"' in page
    assert "2 of 6" in words(page)


@pytest.mark.long
def test_progress_counts_answers_items_and_people(study: Study) -> None:
    rated(study, overlap=2)
    admin = boss(study)
    answers(study, ann="350", bob="2")
    said = words(see(admin))
    assert "4 of 6 answers" in said
    assert "2 people have begun" in said
    assert "main 3 4 / 6 1 item 1" in said  # bob has the next one on the screen
    assert "in the last 24 hours" in said.lower()


@pytest.mark.long
def test_items_can_be_searched_and_those_that_lack_answers_come_first(study: Study) -> None:
    rated(study, 60)
    admin = boss(study)
    answers(study, ann="3")
    (done,) = {row["item"] for row in study.judgments()}
    assert f"item={done}" not in see(admin, "/items")
    assert f'item={done}"' in see(admin, "/items?at=50")
    assert f'item={done}"' in see(admin, "/items?only=complete")
    found = set(re.findall(r"item\?item=(p\d+)", see(admin, "/items?q=first+p+17.")))
    assert found == {"p17"}
    assert not re.findall(r"item\?item=", see(admin, "/items?q=nothing+like+it"))
    assert not re.findall(r"item\?item=", see(admin, "/items?at=5000"))


def test_an_item_has_all_its_answers_and_for_whom_it_is_kept(study: Study) -> None:
    rated(study, 1, overlap=3)
    admin = boss(study)
    answers(study, ann="3", bob="5")
    study.visitor("cyd").next()
    said = words(see(admin, "/item?item=p0"))
    for expected in ("2 of 3 answers", "kept for cyd", "First p 0.", "Second p 0.", "ann", "bob"):
        assert expected in said
    assert re.search(r"similarity 3 answered 5 s", said)


@pytest.mark.long
def test_agreement_is_told_with_its_interval_and_its_history(study: Study) -> None:
    rated(study, 12, overlap=2)
    admin = boss(study)
    answers(study, ann="012345012345", bob="543210543210")
    page = see(admin, "/agreement")
    assert re.search(r"Krippendorff’s α −?\d\.\d\d −?\d\.\d\d … −?\d\.\d\d", words(page))
    assert 'class="band"' in page
    assert re.search(r"Krippendorff’s α: \w+, \w+</title>", page)


@pytest.mark.long
def test_gold_questions_have_a_figure_of_their_own(study: Study) -> None:
    golden(study, threshold=0.1)
    admin = boss(study)
    answers(study, ann="151505")
    said = words(see(admin, "/agreement"))
    assert "answered rightly" in said
    assert "too few annotators for an interval" in said


def test_the_table_of_people_is_sorted_and_tells_flags(study: Study) -> None:
    rated(study, 12, overlap=3)
    admin = boss(study)
    answers(study, ann="012345" * 2, bob="012345" * 2, cyd="3" * 12)
    page = see(admin, "/people?sort=answers")
    assert 'aria-sort="descending"' in page
    assert re.findall(r"person\?name=(\w+)", see(admin, "/people?sort=name")) == ["ann", "bob", "cyd"]
    said = words(see(admin, "/people?only=flagged"))
    assert "cyd" in said
    assert "ann" not in said
    assert "times in a row" in said
    assert "cyd" not in words(see(admin, "/people?q=an"))
    person = words(see(admin, "/person?name=cyd"))
    assert "times in a row" in person
    assert "Honest time 1 min" in person


@pytest.mark.long
def test_pay_is_what_the_recipe_says(study: Study) -> None:
    items = pairs(3)
    pay = Pay(per_answer=0.5, per_hour=36, currency="CZK")
    study.add([rating()], items, {("main", 0): tuple(items)}, pay=pay).open()
    admin = boss(study)
    answers(study, ann="12")  # 2 × 0.5 and 10 s of an hour of 36
    assert "1.10 CZK" in words(see(admin, "/people"))
    assert "1.10 CZK" in words(see(admin, "/person?name=ann"))


def test_an_answer_has_its_history(study: Study) -> None:
    rated(study, 2)
    admin = boss(study)
    ann = answers(study, ann="3")["ann"]
    ann.call("undo")
    ann.answer({"similarity": "5"})
    first, second = (event.seq for event in study.events("answered"))
    said = words(see(admin, f"/answer?seq={first}"))
    assert "superseded" in said
    assert f"answer {second} : 5 answered replaces answer {first}" in said
    act(admin, "exclude", name="ann")
    said = words(see(admin, f"/answer?seq={second}"))
    assert "discarded" in said
    assert "stopped a test by boss" in said
    stream = words(see(admin, "/answers"))
    assert "superseded" in stream
    assert "discarded" in stream
    assert "superseded" not in words(see(admin, "/answers?status=discarded")).split("Look", 1)[1]


def test_the_stream_goes_back_page_by_page(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "PER_PAGE", 5)
    rated(study, 6)
    admin = boss(study)
    answers(study, ann="012345")
    newest = see(admin, "/answers")
    older = re.search(r'href="/admin/news(/answers\?before=[^"]+)"', newest)
    assert older is not None
    seen = [re.findall(r"answer\?seq=(\d+)", page) for page in (newest, see(admin, unescape(older[1])))]
    assert [len(one) for one in seen] == [5, 1]
    assert not set(seen[0]) & set(seen[1])
    assert len(re.findall(r"answer\?seq=", see(admin, "/answers?who=ann"))) == 5
    assert "answer?seq=" not in see(admin, "/answers?who=nobody")


@pytest.mark.long
def test_the_items_on_which_people_disagree_most_come_first(study: Study) -> None:
    rated(study, 3, overlap=2)
    admin = boss(study)
    ann, bob = study.visitor("ann"), study.visitor("bob")
    said = {"p0": ("3", "3"), "p1": ("0", "5"), "p2": ("2", "3")}
    for place, visitor in enumerate((ann, bob)):
        for _ in range(3):
            item = visitor.next()["item"]["item"]
            visitor.answer({"similarity": said[item][place]})
    page = see(admin, "/disagreement")
    assert re.findall(r"item\?item=(p\d)", page) == ["p1", "p2"]
    assert re.findall(r'<b dir="auto">(\d)</b>( ×\d)?', page)[:2] == [("0", ""), ("5", "")]


@pytest.mark.long
def test_best_worst_answers_have_a_split_half(study: Study) -> None:
    best_worst(study)
    admin = boss(study)
    for name in ("ann",):
        visitor = study.visitor(name)
        for _ in range(2):
            visitor.answer({"best": "s0", "worst": "s3"})
    assert "split-half" in words(see(admin, "/agreement"))
    assert "No item has two answers that differ." in words(see(admin, "/disagreement"))


def test_best_and_worst_are_told_apart_where_people_disagree(study: Study) -> None:
    best_worst(study, overlap=2)
    admin = boss(study)
    for name, best, worst in (("ann", "s0", "s3"), ("bob", "s1", "s3")):
        visitor = study.visitor(name)
        for _ in range(2):
            visitor.answer({"best": best, "worst": worst})
    page = words(see(admin, "/disagreement"))
    assert "Most s0 s1 Least s3 ×2" in page


def test_reports_and_suggestions_are_there_to_read(study: Study) -> None:
    rated(study, suggests=True)
    admin = boss(study)
    ann = study.visitor("ann")
    item = ann.next()["item"]["item"]
    ann.call("problems", {"text": "It hangs."})
    ann.call("suggestions", {"item": item, "side": "a", "text": "Better so."})
    said = words(see(admin, "/reports"))
    for expected in ("It hangs.", "Better so.", "not decided yet", "ann"):
        assert expected in said
    assert "It hangs." in words(see(admin, f"/item?item={item}"))


def test_hostile_texts_and_names_are_only_texts(study: Study) -> None:
    item = Item(HOSTILE, "pair", {"text_a": HOSTILE, "text_b": "B"}, sentences=("a", "b"))
    study.add([rating(overlap=2, suggests=True)], {HOSTILE: item}, {("main", 0): (HOSTILE,)}).open()
    admin = boss(study)
    ann = study.visitor("ann")
    ann.next()
    ann.call("problems", {"text": HOSTILE})
    ann.call("suggestions", {"item": HOSTILE, "side": "a", "text": HOSTILE + "!"})
    ann.answer({"similarity": "3"}, notes={"pasted": HOSTILE}, language="</x>")
    act(admin, "exclude", name="ann", note=HOSTILE)
    act(admin, "messages", text=HOSTILE)
    act(admin, "pause", note=HOSTILE)
    (seq,) = (event.seq for event in study.events("answered"))
    told = ("items?q", "item?item", "answers?who", "messages?to", "people?q", "invitations?name", "people?asked")
    for path in ("", *PAGES, f"/answer?seq={seq}", *(f"/{one}={quote(HOSTILE)}" for one in told)):
        if path == "/item?item=p0":
            continue
        page = see(admin, path)
        assert "<script" not in page, path
        assert "<img" not in page, path
    assert "<script" not in admin.get("/admin/audit-log").text
    refused = act(admin, "free", item=HOSTILE + "?", phase=HOSTILE)
    assert refused.status_code == 409
    assert "<script" not in refused.text


@pytest.mark.long
def test_no_page_has_a_script_a_style_or_another_host_in_it(study: Study) -> None:
    rated(study, 6, overlap=2)
    admin = boss(study)
    answers(study, ann="0123", bob="3210")
    for path in PAGES:
        page = see(admin, path)
        assert not re.search(r"<script|<style|\sstyle=|\son\w+=|https?://(?!testserver)", page), path


# Acting ------------------------------------------------------------------------------------------------------


def test_a_campaign_can_be_paused_and_resumed(study: Study) -> None:
    rated(study)
    admin, ann = boss(study), study.visitor("ann")
    assert act(admin, "pause", note="fire drill").headers["location"] == "/admin/news?done=paused"
    said = words(see(admin, "?done=paused"))
    assert "the campaign is paused" in said
    assert "fire drill" in said
    assert ann.next()["reason"] == "paused"
    act(admin, "resume")
    assert ann.next()["kind"] == "show"
    assert [(event.kind, event.data["by"]) for event in study.events("paused")] == [("paused", "boss")]


def test_every_act_needs_a_reason_and_stands_in_the_audit_log(study: Study) -> None:
    rated(study, deadline=NOON + timedelta(days=1))
    admin, ann = boss(study), study.visitor("ann")
    item = ann.next()["item"]["item"]
    until = f"{NOON + timedelta(days=3):%Y-%m-%dT%H:%M}"
    acts = {
        "pause": {}, "resume": {}, "exclude": {"name": "ann"}, "readmit": {"name": "ann"}, "free": {"name": "ann"},
        "reassign": {"phase": "main", "item": item, "name": "ann"}, "extend": {"phase": "main", "until": until},
        "invitations": {"uses": "once"},
    }  # fmt: skip
    for path, fields in acts.items():
        without = act(admin, path, **fields, note=" ")
        assert without.status_code == 409, path
        assert "reason" in without.text
        reply = act(admin, path, **fields, note=f"because of {path}")
        assert reply.status_code in (200, 303), (path, reply.text)
    act(admin, "messages", text="Hello")
    said = words(admin.get("/admin/audit-log").text)
    for path in acts:
        assert f"because of {path}" in said
    for kind in ("paused", "resumed", "excluded", "readmitted", "freed", "reassigned", "extended", "invited", "sent"):
        assert kind in said
    assert "boss" in said
    assert "invited" in words(admin.get("/admin/audit-log?campaign=news").text)
    assert study.store is not None
    assert [one.act for one in study.store.recorded("news")][:2] == ["sent", "invited"]


def test_an_excluded_annotator_is_stopped_and_comes_back(study: Study) -> None:
    rated(study, 3)
    admin = boss(study)
    ann = answers(study, ann="35")["ann"]
    act(admin, "exclude", name="ann", note="a bot")
    assert ann.next()["kind"] == "stopped"
    assert {row["status"] for row in study.judgments()} == {"discarded"}
    said = words(see(admin, "/person?name=ann"))
    assert "stopped: excluded" in said
    assert "a bot" in said
    act(admin, "readmit", name="ann", note="no bot")
    assert ann.next()["kind"] == "show"
    assert {row["status"] for row in study.judgments()} == {"answered"}
    assert "no bot" in words(see(admin, "/person?name=ann"))
    assert act(admin, "exclude", name="boss").status_code == 409
    assert act(admin, "exclude", name="nobody").status_code == 409


def test_what_is_kept_can_be_freed_and_given_to_somebody(study: Study) -> None:
    rated(study, 1)
    admin, ann, bob = boss(study), study.visitor("ann"), study.visitor("bob")
    assert ann.next()["kind"] == "show"
    assert bob.next()["kind"] == "waiting"
    page = see(admin, "/item?item=p0")
    assert "Free it" in page
    act(admin, "reassign", phase="main", item="p0", name="bob", taken_from="ann")
    assert bob.next()["item"]["item"] == "p0"
    assert ann.next()["kind"] == "waiting"
    act(admin, "free", phase="main", item="p0")
    assert ann.next()["item"]["item"] == "p0"
    act(admin, "free", name="ann")
    assert bob.next()["item"]["item"] == "p0"


def test_a_deadline_can_be_put_off(study: Study) -> None:
    rated(study, deadline=NOON + timedelta(hours=1))
    admin, ann = boss(study), study.visitor("ann")
    study.wait(hours=2)
    assert ann.next()["reason"] == "deadline"
    assert "over" in words(see(admin))
    assert act(admin, "extend", phase="main", until="never").status_code == 409
    assert act(admin, "extend", phase="main", until="2026-01-01T12:30").status_code == 409
    assert act(admin, "extend", phase="main", until="2026-01-02T12:00").status_code == 303
    assert ann.next()["kind"] == "show"
    assert "Deadline: 2026-01-02 12:00" in words(see(admin))


def test_messages_go_to_one_or_to_everybody(study: Study) -> None:
    rated(study)
    admin = boss(study)
    study.visitor("ann")
    assert study.store is not None
    act(admin, "messages", text="To all of you.")
    act(admin, "messages", text="To you.", name="ann")
    assert act(admin, "messages", text="  ").status_code == 409
    assert act(admin, "messages", text="x", name="nobody").status_code == 409
    assert [note.text for note in study.store.messages_for("news", "ann")] == ["To you.", "To all of you."]
    assert [note.text for note in study.store.messages_for("news", "bob")] == ["To all of you."]
    said = words(see(admin, "/messages"))
    assert "to everybody" in said
    assert "read by 0 people" in said


def test_a_message_stands_above_the_work_until_it_is_read(study: Study) -> None:
    rated(study)
    admin, ann = boss(study), study.visitor("ann")
    assert "I have read it" not in ann.get("/work").text
    act(admin, "messages", text="Mind the <b>gap</b>.")
    page = ann.get("/work").text
    assert "Mind the &lt;b&gt;gap&lt;/b&gt;." in page
    assert "Mind the" in ann.call("next", html=True).json()["html"]
    assert ann.post("/work/messages", {"message": "1"}).status_code == 303
    assert "Mind the" not in ann.get("/work").text
    assert "read by 1 person" in words(see(admin, "/messages"))
    assert study.stranger().post("/work/messages", {"message": "1"}).status_code == 401


def test_links_are_shown_once_work_and_can_be_withdrawn(study: Study) -> None:
    rated(study)
    admin = boss(study)
    page = act(admin, "invitations", uses="shared", days="2", quota="3").text
    (link,) = re.findall(r"http://testserver(/join/[\w-]+)", page)
    assert study.stranger().get(link).status_code == 303
    again = see(admin, "/invitations")
    assert link not in again
    assert link.removeprefix("/join/") not in again
    assert "/ 3" in words(again)
    several = act(admin, "invitations", uses="once", number="4").text
    assert len(re.findall(r"http://testserver/join/", several)) == 4
    ids = re.findall(r'name="invitation" value="([^"]+)"', see(admin, "/invitations"))
    for one in ids:
        assert act(admin, "withdraw", invitation=one).status_code == 303
    assert study.stranger().get(link).status_code == 404
    for wrong in ({"days": "soon"}, {"uses": "shared", "quota": "-1"}):
        assert act(admin, "invitations", **wrong).status_code == 409
    assert act(admin, "invitations", number="5000").status_code == 422
    assert act(admin, "invitations", role="king").status_code == 422


@pytest.mark.long
def test_a_link_for_somebody_who_is_there_brings_them_back(study: Study) -> None:
    rated(study)
    admin = boss(study)
    answers(study, ann="3")
    (link,) = re.findall(r"http://testserver(/join/[\w-]+)", act(admin, "invitations", name="ann").text)
    other = study.stranger()
    other.get(link)
    other.answer({"similarity": "5"})
    assert {row["annotator"] for row in study.judgments()} == {"ann"}


def test_the_download_is_what_collecting_gives(any_store: Study) -> None:
    rated(any_store, 3, overlap=2)
    admin = boss(any_store)
    ann = answers(any_store, ann="35", bob="012")["ann"]
    ann.call("undo")
    ann.answer({"similarity": "1"})
    act(admin, "exclude", name="bob")
    assert any_store.store is not None
    wanted = collect(any_store.store, "news")["judgments"]
    reply = admin.get("/admin/news/judgments.csv")
    assert "attachment" in reply.headers["content-disposition"]
    found = pl.read_csv(io.BytesIO(reply.content), schema_overrides=dict.fromkeys(wanted.columns, pl.String))
    assert found["judgment"].to_list() == wanted["judgment"].to_list()
    assert found["status"].to_list() == wanted["status"].to_list()
    assert found["value"].to_list() == wanted["value"].to_list()
    stored = pl.read_parquet(io.BytesIO(admin.get("/admin/news/judgments.parquet").content))
    assert stored.equals(wanted)
    assert "downloaded" in words(admin.get("/admin/audit-log").text)


@pytest.mark.long
def test_who_was_erased_has_another_name_everywhere(study: Study) -> None:
    rated(study)
    admin = boss(study)
    answers(study, ann="3")
    assert study.store is not None
    alias = study.store.erase("news", "ann", now=study.now)
    for path in ("/people", "/answers", f"/person?name={alias}", f"/answers?who={alias}"):
        page = see(admin, path)
        assert alias in page
        assert not re.search(r"\bann\b", words(page)), path
    assert "answer?seq=" in see(admin, f"/answers?who={alias}")
    assert alias in admin.get("/admin/news/judgments.csv").text


@pytest.mark.long
def test_behind_a_proxy_all_addresses_begin_with_its_path(study: Study) -> None:
    rated(study, 3, overlap=2)
    admin = boss(study)
    answers(study, ann="01", bob="10")
    assert study.client is not None
    app: Any = study.client.app
    app.root_path = "/below"
    for path in ("/admin", "/admin/audit-log", *(f"/admin/news{page}" for page in PAGES)):
        page = admin.get(path).text
        found = re.findall(r'(?:href|action)="(/[^"]*)"', page)
        assert found, path
        assert all(one.startswith("/below/") for one in found), path

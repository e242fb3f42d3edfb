"""The door of the site: who comes in, what is refused at once, and the headers of every reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.annotate.studies import Response, Study, pairs, rated, rating

from kostra.annotate import app as site_app


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


def test_a_request_from_another_site_s_page_is_refused(plain: Study) -> None:
    rated(plain)
    visitor = plain.visitor()
    body = visitor.body({"similarity": 3})
    for origin in (b"https://elsewhere.example", b"null", b"http://testserver.evil", b"http://[", b"\xff\xfe", b"x"):
        reply = visitor.http.post("/api/v1/answers", json=body, headers={b"Origin": origin})
        assert reply.status_code == 403, origin
    assert not plain.judgments()


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

"""The doors hold: sessions, forged requests, links, ids, files, sizes, headers, logs."""

from __future__ import annotations

import hmac
import json
import logging
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.annotate.scripts import script, sent
from tests.annotate.studies import NOON, Study, Visitor, pairs, rated, rating, rewriting
from tests.annotate.test_routes import EXPECTED, Asked, ask

from kostra.annotate import guard
from kostra.annotate.guard import Doors
from kostra.annotate.hall import COOKIE
from kostra.annotate.limits import Knocking, Limiter, Rate
from kostra.annotate.operations.logs import Json
from kostra.annotate.tokens import csrf_of, hashed
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question
from kostra.errors import KostraError

ROOT = Path(__file__).parents[2] / "src" / "kostra" / "annotate"
UNSAFE = {route: asked for route, asked in EXPECTED.items() if route[0] != "GET"}


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """A site that is not open yet."""
    made = Study(tmp_path, f"sqlite:///{tmp_path / 'campaign.db'}")
    yield made
    made.close()


@pytest.fixture
def any_store(store_url: str, tmp_path: Path) -> Iterator[Study]:
    """The same on each kind of store in turn."""
    made = Study(tmp_path, store_url)
    yield made
    made.close()


def client(study: Study, *, base: str = "http://testserver", address: str = "192.0.2.1") -> TestClient:
    """A browser at an address of its own."""
    assert study.client is not None
    return TestClient(
        study.client.app, base_url=base, raise_server_exceptions=False, follow_redirects=False, client=(address, 1)
    )


# Sessions ------------------------------------------------------------------------------------------------------


def test_a_session_that_somebody_else_chose_is_not_taken_over(study: Study) -> None:
    rated(study)
    visitor = study.stranger()
    visitor.http.cookies.set(COOKIE, "chosen by an attacker")
    reply = visitor.get(f"/join/{study.token()}")
    given = re.search(rf"{COOKIE}=([^;]+)", reply.headers["set-cookie"])
    assert given is not None
    assert given[1] != "chosen by an attacker"
    attacker = study.stranger()
    attacker.http.cookies.set(COOKIE, "chosen by an attacker")
    assert attacker.get("/work").status_code == 401


def test_who_comes_in_again_gets_another_session(study: Study) -> None:
    rated(study)
    token = study.token()
    one, other = study.stranger(), study.stranger()
    one.get(f"/join/{token}")
    other.get(f"/join/{token}")
    assert one.http.cookies[COOKIE] != other.http.cookies[COOKIE]


def test_over_tls_only_a_cookie_that_this_host_alone_can_set_counts(study: Study) -> None:
    rated(study)
    browser = client(study, base="https://testserver")
    reply = browser.get(f"/join/{study.token()}")
    cookie = reply.headers["set-cookie"]
    assert cookie.startswith(f"__Host-{COOKIE}=")
    parts = {part.strip().lower() for part in cookie.split(";")}
    assert {"secure", "httponly", "samesite=lax", "path=/"} <= parts
    assert not any(part.startswith("domain") for part in parts)
    value = cookie.partition("=")[2].partition(";")[0]
    assert browser.get("/work", headers={"Cookie": f"__Host-{COOKIE}={value}"}).status_code == 200
    neighbour = client(study, base="https://testserver")
    assert neighbour.get("/work", headers={"Cookie": f"{COOKIE}={value}"}).status_code == 401
    both = f"{COOKIE}=slipped in; theme=dark; __Host-{COOKIE}={value}"
    assert neighbour.get("/work", headers={"Cookie": both}).status_code == 200


def test_a_session_that_is_ended_is_ended_in_every_process_at_once(study: Study) -> None:
    rated(study)
    other = Study(study.folder, study.url, campaigns=study.campaigns).open()
    try:
        visitor = study.visitor("ann")
        there = other.stranger()
        there.http.cookies.set(COOKIE, visitor.http.cookies[COOKIE])
        assert (visitor.get("/work").status_code, there.get("/work").status_code) == (200, 200)
        assert visitor.post("/logout").status_code == 200
        assert (visitor.get("/work").status_code, there.get("/work").status_code) == (401, 401)
    finally:
        other.close()


def test_a_new_password_ends_every_other_session(study: Study) -> None:
    rated(study)
    token = study.token("ann")
    here, there = study.stranger(), study.stranger()
    here.get(f"/join/{token}")
    there.get(f"/join/{token}")
    said = {"name": "ann@example.org", "new": "correct horse battery", "again": "correct horse battery"}
    assert here.post("/password", said).status_code == 303
    assert (here.get("/work").status_code, there.get("/work").status_code) == (200, 401)


# Forged requests -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["annotator", "admin"])
def test_nothing_is_changed_without_what_only_our_pages_know(study: Study, role: str) -> None:
    rated(study)
    study.visitor("victim")
    visitor = study.visitor("ann", role=role)
    right = visitor.http.headers["X-Kostra-Csrf"]
    stranger = study.visitor("ben").http.headers["X-Kostra-Csrf"]
    events = len(study.events("problem")) + len(study.events("stopped")) + len(study.events("paused"))
    del visitor.http.headers["X-Kostra-Csrf"]
    for (method, path), asked in UNSAFE.items():
        if path != "/login" and asked.statuses["annotator"] != 401:  # not for strangers, nor for scripts
            assert ask(visitor, method, path, asked).status_code == 403, (method, path)
    for wrong in ("", "x", stranger, right[:-1], right.upper()):
        visitor.http.headers["X-Kostra-Csrf"] = wrong
        assert visitor.call("problems", {"text": "x"}).status_code == 403, wrong
        assert visitor.post("/work/problem", {"text": "x", "csrf": wrong}).status_code == 403, wrong
    assert len(study.events("problem")) + len(study.events("stopped")) + len(study.events("paused")) == events
    visitor.http.headers["X-Kostra-Csrf"] = right
    assert visitor.call("problems", {"text": "It works."}).status_code == 200


def test_the_field_of_a_form_is_as_good_as_the_header(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    page = visitor.get("/work").text
    del visitor.http.headers["X-Kostra-Csrf"]
    field = re.search(r'name="csrf" value="([^"]+)"', page)
    assert field is not None
    assert f'data-csrf="{field[1]}"' in page
    form = {**visitor.form(), "similarity": "3"}
    assert visitor.post("/work", form).status_code == 403
    assert visitor.post("/work", form | {"csrf": field[1]}).status_code == 303
    multipart = visitor.http.post("/work/problem", data={"text": "x", "csrf": field[1]}, files={"f": b"x"})
    assert multipart.status_code == 200


def test_what_a_simple_request_of_another_site_can_send_is_refused(study: Study) -> None:
    rated(study)
    visitor = study.visitor()
    body = visitor.body({"similarity": 3})
    del visitor.http.headers["X-Kostra-Csrf"]
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json",
    ):
        reply = visitor.http.post("/api/v1/answers", content=json.dumps(body), headers={"Content-Type": kind})
        assert reply.status_code == 403, kind
    assert not study.judgments()


def test_every_form_of_the_site_carries_it() -> None:
    """Each template's forms that are posted to the site; the one that is posted to Amazon must not tell it."""
    found = 0
    for template in sorted((ROOT / "templates").rglob("*.html")):
        text = template.read_text(encoding="utf-8")
        for form in re.findall(r'<form(?=[^>]*method="post")[^>]*>.*?</form>', text, flags=re.S):
            ours = 'action="{{ root }}' in form or "action=" not in form
            said = 'name="csrf"' in form or re.search(r"\{\{ ?(\w+\.)?(csrf|hidden|token)\w*\(", form) is not None
            assert ours == said, (template.name, form[:120])
            found += 1
    assert found >= 10


def test_a_link_is_no_way_to_make_somebody_do_something(study: Study) -> None:
    rated(study)
    study.visitor("victim")
    boss = study.visitor("boss", role="admin")
    before = [event.kind for event in study.events("stopped")]
    for method, path in EXPECTED:
        if method == "GET" and "{" not in path.replace("{campaign}", "").replace("{token}", "").replace("{ending}", ""):
            boss.get(path.replace("{campaign}", "news").replace("{token}", "x").replace("{ending}", "csv"))
    assert [event.kind for event in study.events("stopped")] == before
    assert boss.get("/admin").status_code == 200  # and is still logged in


# Links ---------------------------------------------------------------------------------------------------------


def test_links_that_were_used_expired_withdrawn_or_made_up_open_nothing(study: Study) -> None:
    rated(study)
    store = study.store
    assert store is not None
    once, late, gone, good = (store.invite("news", uses="once", now=study.now)[0] for _ in range(4))
    short = store.invite("news", now=study.now, expires_at=study.now + timedelta(hours=1))[0]
    store.withdraw(gone)
    assert study.stranger().get(f"/join/{once}").status_code == 303
    study.wait(hours=2)
    forged = [
        once, gone, short, good[:-1], good + "A", good.swapcase(), hashed(good), f"{good}%00", f"{good}/", f"%20{good}",
        f"{good}?x=1%0d%0a", late[:20] + good[20:],
    ]  # fmt: skip
    statuses = {study.stranger().get(f"/join/{token}").status_code for token in forged[:10]}
    assert statuses == {404}
    assert study.stranger().get(f"/join/{good}").status_code == 303


def test_every_secret_is_compared_in_constant_time(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    rated(study)
    token = study.token()
    compared: list[tuple[Any, Any]] = []
    real = hmac.compare_digest

    def watched(one: Any, other: Any) -> bool:
        compared.append((one, other))
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", watched)
    visitor = study.stranger()
    visitor.get(f"/join/{token}")
    assert (hashed(token), hashed(token)) in compared
    cookie = visitor.http.cookies[COOKIE]
    assert (hashed(cookie), hashed(cookie)) in compared
    api = script(study)
    api.get("campaigns")
    assert (hashed(api.token), hashed(api.token)) in compared
    visitor.call("next")
    assert study.client is not None
    site: Any = study.client.app
    assert any(other == csrf_of(cookie, site.state.hall.secret).encode() for _, other in compared)


# How often -----------------------------------------------------------------------------------------------------


def test_whoever_guesses_links_must_wait_and_others_need_not(study: Study) -> None:
    rated(study)
    guesser, other = client(study, address="192.0.2.1"), client(study, address="192.0.2.2")
    tries = [guesser.get(f"/join/guess-{number}") for number in range(40)]
    assert [reply.status_code for reply in tries[:20]] == [404] * 20
    assert {reply.status_code for reply in tries[20:]} == {429}
    assert int(tries[-1].headers["retry-after"]) > 0
    assert guesser.get("/login").status_code == 429
    assert other.get(f"/join/{study.token()}").status_code == 303
    study.wait(minutes=3)
    assert guesser.get("/join/guess").status_code == 404


def test_a_class_behind_one_address_comes_in_at_once(study: Study) -> None:
    rated(study)
    assert study.store is not None
    shared = study.store.invite("news", uses="shared", now=study.now)[0]
    statuses = {client(study).get(f"/join/{shared}").status_code for _ in range(60)}
    assert statuses == {303}


def test_passwords_are_not_tried_for_ever_from_however_many_addresses(study: Study) -> None:
    rated(study)
    replies = [
        client(study, address=f"198.51.100.{number}").post("/login", data={"name": " Ann ", "password": "guess"})
        for number in range(40)
    ]
    assert {reply.status_code for reply in replies[:30]} == {401}
    assert {reply.status_code for reply in replies[30:]} == {429}
    assert client(study).post("/login", data={"name": "ben", "password": "guess"}).status_code == 401


def test_whoever_guesses_tokens_must_wait(study: Study) -> None:
    rated(study)
    guesser = client(study)
    tries = [guesser.get("/api/v1/campaigns", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(30)]
    assert tries[:20] == [401] * 20
    assert set(tries[20:]) == {429}


def test_the_limits_keep_few_names_however_many_there_are() -> None:
    limiter = Limiter(Rate(at_once=1, per_minute=1), most=100)
    study = Study(Path(), "")
    for number in range(1000):
        limiter.take(str(number), study.now)
    assert len(limiter) == 100
    assert limiter.take("999", study.now) > 0


def test_the_next_address_in_one_s_own_network_is_no_other_address() -> None:
    assert guard._network("2001:db8::1") == guard._network("2001:db8::ffff")
    assert guard._network("2001:db8::1") != guard._network("2001:db8:0:1::1")
    knocking, now = Knocking(), Study(Path(), "").now
    for number in range(25):
        knocking.failed(guard._network(f"2001:db8::{number}"), now, door=f"door {number}")
    assert knocking.knock(guard._network("2001:db8::77"), "door", now) > 0


def test_addresses_of_the_older_kind_are_no_one_household_inside_the_newer() -> None:
    knocking, now = Knocking(), NOON
    for number in range(25):
        knocking.failed(guard._network("::ffff:203.0.113.7"), now, door=f"door {number}")
    assert knocking.knock(guard._network("203.0.113.7"), "door", now) > 0
    assert knocking.knock(guard._network("::ffff:203.0.113.8"), "door", now) == 0


# Behind a proxy, and under other names -------------------------------------------------------------------------


def test_the_word_of_a_proxy_counts_only_where_it_is_told(study: Study, tmp_path: Path) -> None:
    rated(study)
    told = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    reply = client(study).get(f"/join/{study.token('ann')}", headers=told)
    assert "secure" not in reply.headers["set-cookie"].lower()
    assert "strict-transport-security" not in reply.headers
    for number in range(25):
        client(study).get(f"/join/{number}", headers={"X-Forwarded-For": f"203.0.113.{number}"})
    assert client(study).get("/join/x", headers={"X-Forwarded-For": "203.0.113.99"}).status_code == 429

    behind = Study(tmp_path, f"sqlite:///{tmp_path / 'behind.db'}", doors=Doors(proxies=("192.0.2.1",)))
    try:
        rated(behind)
        reply = client(behind).get(f"/join/{behind.token('ann')}", headers=told)
        assert "secure" in reply.headers["set-cookie"].lower()
        assert reply.headers["strict-transport-security"]
        for _ in range(25):
            client(behind).get("/join/x", headers=told)
        assert client(behind).get("/join/x", headers=told).status_code == 429
        assert client(behind).get("/join/x", headers={"X-Forwarded-For": "203.0.113.10"}).status_code == 404
        assert client(behind, address="192.0.2.77").get("/login", headers=told).status_code == 200
    finally:
        behind.close()


def test_under_a_name_that_is_not_its_own_the_site_is_silent(study: Study) -> None:
    study.doors = Doors(hosts=("study.example.org",), url="https://study.example.org/")
    rated(study)
    right = client(study, base="http://study.example.org")
    assert right.get("/login").status_code == 200
    for host in ("evil.example", "study.example.org.evil.example", "study.example.org:8000", ""):
        assert right.get("/login", headers={"Host": host}).status_code == 421, host
    made = script(study)
    made.http.base_url = "http://study.example.org"
    (link,) = made.post("campaigns/news/invitations", {}, headers={"Host": "study.example.org"}).json()["invitations"]
    assert link["link"] == f"https://study.example.org/join/{link['token']}"


def test_no_page_takes_an_address_from_the_host_that_was_asked_for(study: Study) -> None:
    rated(study)
    visitor = study.visitor("boss", role="admin")
    for path in ("/work", "/admin", "/me", "/login", "/api/v1/docs", "/nowhere"):
        reply = visitor.get(path, headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"})
        assert "evil.example" not in reply.text
        assert "evil.example" not in str(reply.headers)


# Files, sizes, headers -----------------------------------------------------------------------------------------


def described(study: Study, *images: str) -> Visitor:
    items = {f"i{n}": Item(f"i{n}", "image", {"image": image}) for n, image in enumerate(images)}
    phase = Phase(name="main", task="describe", questions=(Question(name="description"),))
    study.add([phase], items, {("main", 0): tuple(items)}).open()
    return study.visitor()


@pytest.mark.parametrize(
    "image", ["../secret.png", "/etc/passwd", "campaign.db", "campaign.secret", "link.png", "folder"]
)
def test_an_item_cannot_make_the_site_show_other_files(study: Study, image: str) -> None:
    (study.folder.parent / "secret.png").write_bytes(b"secret")
    (study.folder / "campaign.secret").write_text("secret")
    (study.folder / "link.png").symlink_to(study.folder.parent / "secret.png")
    (study.folder / "folder").mkdir()
    visitor = described(study, image)
    assert visitor.next()["item"]["item"] == "i0"
    assert visitor.get("/media/i0").status_code == 404


def test_pictures_are_shown_by_their_item_and_in_their_turn(study: Study) -> None:
    for name in ("a.png", "b.png"):
        (study.folder / name).write_bytes(name.encode())
    visitor = described(study, "a.png", "b.png")
    shown = visitor.next()["item"]["item"]
    other = {"i0": "i1", "i1": "i0"}[shown]
    assert visitor.get(f"/media/{shown}").status_code == 200
    for path in (
        other,
        "a.png",
        "b.png",
        f"../{shown}",
        f"{shown}/../{other}",
        "..%2f..%2fetc%2fpasswd",
        f"{shown}%00",
    ):
        assert visitor.http.get(f"/media/{path}").status_code in (401, 404), path


@pytest.mark.parametrize(
    "path", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "/etc/passwd", "....//app.py", "..\\app.py"]
)
def test_nothing_but_static_files_is_served_as_such(study: Study, path: str) -> None:
    rated(study)
    reply = study.stranger().http.get(f"/static/{path}")
    assert reply.status_code == 404
    assert "make_app" not in reply.text


def test_only_a_script_that_is_known_may_send_much(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    rated(study)
    much = {**sent(), "title": "x" * (guard.LARGEST_BODY + 1)}
    assert script(study, token="nonsense").post("campaigns", much).status_code == 401
    assert script(study, token="").post("campaigns", much).status_code == 413
    assert script(study).post("campaigns", much).status_code == 422  # read, and refused for its title
    monkeypatch.setattr(guard, "LARGEST_MATERIAL", guard.LARGEST_BODY + 10)
    assert script(study).post("campaigns", much).status_code == 413
    visitor = study.visitor()
    assert visitor.http.post("/work/problem", files={"text": b"x" * (guard.LARGEST_BODY + 1)}).status_code == 413
    deep = "[" * 100_000 + "]" * 100_000
    assert visitor.send(deep.encode()).status_code in (400, 422)


def test_a_sign_that_no_store_keeps_is_refused_before_it_gets_there(any_store: Study) -> None:
    rated(any_store)
    nul = "a\x00b"
    admin, ann = any_store.visitor("boss", role="admin"), any_store.visitor("ann")
    assert client(any_store).post("/login", data={"name": nul, "password": nul}).status_code == 422
    for path, fields in (
        ("/admin/news/messages", {"name": nul, "text": "Hello."}),
        ("/admin/news/invitations", {"name": nul, "role": "annotator", "uses": "personal", "note": "why"}),
        ("/admin/news/exclude", {"name": nul, "note": nul}),
    ):
        assert admin.post(path, fields).status_code == 422, path
    assert ann.post("/work/problem", {"text": nul}).status_code == 422
    assert ann.call("problems", {"text": nul}).status_code < 500
    made = script(any_store)
    for path, body in (
        ("campaigns/news/invitations", {"annotator": nul}),
        ("campaigns/news/annotators/ann/exclude", {"reason": nul}),
        ("campaigns/news/annotators/a%00b/exclude", {"reason": "why"}),
        ("campaigns/news/pause", {"reason": nul}),
        ("campaigns", sent(nul)),
        ("campaigns", sent(title=nul)),
        ("campaigns", sent(language=nul)),
    ):
        assert made.post(path, body).status_code < 500, (path, body)
    assert any_store.stranger().get("/health/ready").status_code == 200


def test_pages_cannot_be_framed_but_for_the_one_that_mechanical_turk_frames(study: Study) -> None:
    rated(study)
    visitor = study.visitor("boss", role="admin")
    for method, path in EXPECTED:
        if method == "GET":
            reply = ask(visitor, method, path, EXPECTED[method, path])
            policy = reply.headers["content-security-policy"]
            assert "unsafe" not in policy, path
            if path == "/mturk/{token}":
                assert "frame-ancestors https://*.mturk.com" in policy
                assert "x-frame-options" not in reply.headers
            else:
                assert "frame-ancestors 'none'" in policy, path
                assert reply.headers["x-frame-options"] == "DENY"
            assert reply.headers["permissions-policy"].startswith("camera=()")
            assert reply.headers["x-content-type-options"] == "nosniff"


def test_over_tls_browsers_are_told_to_stay_there(study: Study) -> None:
    rated(study)
    assert "strict-transport-security" not in client(study).get("/login").headers
    assert client(study, base="https://testserver").get("/login").headers["strict-transport-security"] == guard.HSTS


PARTS = ("%0d%0aSet-Cookie:%20a=b", "%0aLocation:%20//evil", "\u2028x", "%E5%98%8A%E5%98%8DX")


def test_no_address_splits_a_reply(study: Study) -> None:
    study.doors = Doors(limited=False)
    rated(study)
    visitor = study.visitor("boss", role="admin")
    for path in chain.from_iterable(_paths(part) for part in PARTS):
        reply = visitor.http.get(path)
        assert reply.status_code < 500, path
        assert "set-cookie" not in reply.headers, path
        assert "evil" not in reply.headers.get("location", ""), path
        assert all("\r" not in value and "\n" not in value for value in reply.headers.values())


def _paths(part: str) -> tuple[str, ...]:
    return (
        f"/join/{part}", f"/mturk/{part}?assignmentId={part}", f"/prolific/{part}?PROLIFIC_PID={part}&STUDY_ID=x",
        f"/me?done={part}", f"/admin/news?done={part}", f"/admin/{part}", f"/media/{part}", f"/static/{part}",
        f"/admin/news/judgments.{part}", f"http://testserver//{part}", f"/api/v1/campaigns/{part}",
    )  # fmt: skip


# Ids, texts and answers of others ------------------------------------------------------------------------------


def test_who_guesses_ids_of_items_learns_nothing(study: Study) -> None:
    rated(study, 5)
    visitor = study.visitor()
    shown = visitor.next()["item"]["item"]
    hidden = next(f"p{number}" for number in range(5) if f"p{number}" != shown)

    def told(item: str) -> list[tuple[int, str]]:
        said = {"phase": "main", "item": item, "version": 1}
        replies = [
            visitor.call("answers", {**said, "answers": {"similarity": 3}, "key": "k"}),
            visitor.call("drafts", {**said, "data": {}}, method="PUT"),
            visitor.call("suggestions", {"item": item, "side": "a", "text": "Better."}),
            visitor.post("/work", {**said, "key": "k", "similarity": "3"}),
            visitor.get(f"/media/{item}"),
            visitor.get(f"/work?item={item}"),
        ]
        keyless = re.compile(r'(data-key|name="key" value)="[^"]*"')
        return [(reply.status_code, keyless.sub("", reply.text).replace(item, "ITEM")) for reply in replies]

    assert told(hidden) == told("p99")


def test_who_guesses_names_learns_nothing(study: Study) -> None:
    rated(study)
    ann = study.visitor("ann")
    secret = "correct horse battery"
    ann.post("/password", {"name": "ann@example.org", "new": secret, "again": secret})

    def told(name: str) -> tuple[int, str]:
        reply = study.stranger().post("/login", {"name": name, "password": "wrong"})
        return reply.status_code, reply.text.replace(name, "NAME")

    assert told("ann@example.org") == told("nobody@example.org")


def pages_of(visitor: Visitor) -> Iterator[tuple[str, str]]:
    """Everything that somebody can read without changing anything, and what comes next."""
    for (method, path), asked in EXPECTED.items():
        if method == "GET" and not path.startswith("/api/v1/campaigns"):
            yield path, ask(visitor, method, path, asked).text
    yield "next", visitor.call("next", html=True).text


def test_no_item_is_read_before_its_turn(study: Study) -> None:
    rated(study, 6)
    visitor = study.visitor()
    seen: set[str] = set()
    for _ in range(6):
        shown = visitor.next()["item"]["item"].removeprefix("p")
        seen.add(shown)
        for path, text in pages_of(visitor):
            told = set(re.findall(r"(?:First|Second) p (\d)\.", text))
            assert told <= ({shown} if path != "/me/data" else seen), path
        visitor.answer({"similarity": 3})
    assert seen == set("012345")


def test_nobody_reads_the_answers_of_others(study: Study) -> None:
    rewriting(study)
    ann, ben = study.visitor("ann"), study.visitor("ben")
    for number in range(2):
        reply = ann.answer({"first": f"A text by Ann herself {number}.", "second": f"Another by Ann herself {number}."})
        assert reply.status_code == 200, reply.text
    for other in (ben, study.visitor("eve", role="judge")):
        for path, text in pages_of(other):
            assert "by Ann herself" not in text, path
    assert "by Ann herself" in ann.get("/me/data").text


# Logs ----------------------------------------------------------------------------------------------------------


def test_no_secret_stands_in_the_log(
    study: Study, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated(study)
    caplog.set_level(logging.INFO, logger="kostra")
    logging.getLogger("kostra").propagate = True
    token, api = study.token("ann"), script(study)
    visitor = study.stranger()
    visitor.get(f"/join/{token}")
    visitor.post("/login", {"name": "ann", "password": "my own password"})
    api.get("campaigns")
    visitor.get("/prolific/some-link?PROLIFIC_PID=5f3a77&STUDY_ID=s1&SESSION_ID=t1")
    cookie = visitor.http.cookies[COOKIE]

    async def broken(*_: object) -> None:
        raise RuntimeError(f"at /join/{token} with {cookie} and Bearer {api.token} at postgresql://ann:pw123@host/db")

    monkeypatch.setattr("kostra.annotate.desk.Desk.stand", broken)
    assert visitor.get("/work").status_code == 500
    lines = [Json().format(record) for record in caplog.records]
    assert any("a request failed" in line for line in lines)
    assert any('"route":"/join/{token}"' in line for line in lines)
    for secret in (token, cookie, api.token, "my own password", "5f3a77", "some-link", "pw123", hashed(token)):
        assert not any(secret in line for line in lines), secret
    assert all(json.loads(line)["level"] for line in lines)


# Under a path --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", ["/work", "/api/x", "study", "/a b", "/a//b", "/..", "/a/../b", "//evil"])
def test_a_path_that_cannot_be_is_refused(root: str) -> None:
    with pytest.raises(KostraError, match="cannot stand under"):
        Doors(root=root)


@pytest.mark.parametrize("stripped", [True, False], ids=["the proxy strips the path", "the proxy leaves it"])
def test_under_a_path_every_address_of_the_site_is_under_it(study: Study, stripped: bool) -> None:
    study.doors = Doors(root="/study")
    rated(study)
    assert study.store is not None
    assert study.client is not None
    site: Any = study.client.app
    name = study.store.add_annotator("news", name="victim", now=study.now)
    site.state.hall.desks["news"].engine.do(lambda running: (None, running.join(name, study.now)))
    before = "" if stripped else "/study"
    browser = client(study)
    reply = browser.get(f"{before}/join/{study.token('boss', role='admin')}")
    assert reply.headers["location"].startswith("/study/")
    cookie = reply.headers["set-cookie"]
    assert "path=/study" in cookie.lower()
    browser.headers["Cookie"] = cookie.partition(";")[0]
    browser.headers["X-Kostra-Csrf"] = browser.get(f"{before}/api/v1/session").json()["csrf"]
    visitor = Visitor(study, browser)
    for (method, path), asked in EXPECTED.items():
        if method != "GET" or path == "/join/{token}":
            continue
        address = before + (asked.path or path.replace("{campaign}", "news").replace("{item:path}", "x"))
        said = Asked(asked.statuses, path=address, query=asked.query)
        reply = ask(visitor, "GET", address, said)
        assert reply.status_code == asked.statuses["admin"], address
        if "location" in reply.headers:
            assert reply.headers["location"].startswith("/study/"), path
        if "text/html" in reply.headers.get("content-type", ""):
            found = re.findall(r'(?:href|src|action|formaction)="([^"#][^"]*)"', reply.text)
            assert found
            outside = [one for one in found if not one.startswith(("/study/", "mailto:", "?"))]
            assert outside == [], path
            assert 'data-root="/study"' in reply.text or path != "/work"
    assert browser.get(f"{before}/static/site.css").status_code == 200
    posted = browser.post(f"{before}/work/problem", data={"text": "x"})
    assert posted.status_code == 200
    assert browser.get(f"{before}/api/v1/nowhere").json()["error"]
    assert browser.get(f"{before}/api/v1/openapi.json").json()["servers"] == [{"url": "/study"}]


def test_no_redirection_leads_to_another_host(study: Study) -> None:
    items = pairs(1)
    study.add([rating()], items, {("main", 0): tuple(items)}).open()
    shown = guard.Guard(None, doors=Doors(), counters=None)  # type: ignore[arg-type]
    assert shown._rooted(b"//evil.example/x") == b"/evil.example/x"
    assert shown._rooted(b"/\\evil.example") == b"/evil.example"
    assert shown._rooted(b"/work") == b"/work"

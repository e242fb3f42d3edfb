"""Every route of the site, asked by everybody: who may come in, and who may not.

The routes are those of the application itself, so that a new one is missing here until somebody says for whom it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi.routing import APIRoute
from tests.annotate.scripts import Script, script, sent
from tests.annotate.studies import Response, Study, Visitor, pairs, rated, rating

from kostra.annotate.guard import Doors

PEOPLE = ("annotator", "leader", "judge", "linguist", "admin")
TOKENS = ("read token", "write token", "admin token")
STRANGERS = ("stranger", "ended", "withdrawn token")
"""Nobody; somebody whose session was ended; a script whose token was withdrawn."""
ROLES = (*STRANGERS, *PEOPLE, *TOKENS, "other token")

Statuses = Mapping[str, int]


@dataclass(frozen=True)
class Asked:
    """How a route is asked, and what everybody is to hear."""

    statuses: Statuses
    path: str = ""
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, Any] | None = None
    ends: bool = False
    """Whether whoever asks is gone afterwards."""


def anybody(status: int, **said: Any) -> Asked:
    # A script whose token is not known any more is told so wherever it shows it.
    api = str(said.get("path", "")).startswith("/api/")
    return Asked({**dict.fromkeys(ROLES, status), **({"withdrawn token": 401} if api else {})}, **said)


def logged_in(status: int, *, admin: int | None = None, **said: Any) -> Asked:
    people = {**dict.fromkeys(PEOPLE, status), "admin": status if admin is None else admin}
    return Asked({**dict.fromkeys(ROLES, 401), **people}, **said)


def admins(status: int, **said: Any) -> Asked:
    return Asked({**dict.fromkeys(ROLES, 401), **dict.fromkeys(PEOPLE, 403), "admin": status}, **said)


def scripts(least: str, status: int, **said: Any) -> Asked:
    """For tokens from a role upward; the token of another campaign finds nothing."""
    may = {name: status if place >= TOKENS.index(f"{least} token") else 403 for place, name in enumerate(TOKENS)}
    return Asked({**dict.fromkeys(ROLES, 401), **may, "other token": 404}, **said)


REASON = {"reason": "for a reason"}
ITEM = {"phase": "main", "item": "p0", "version": 1}
PROLIFIC = {"PROLIFIC_PID": "5f3a", "STUDY_ID": "s1", "SESSION_ID": "t1"}

EXPECTED: dict[tuple[str, str], Asked] = {
    # For everybody
    ("GET", "/health"): anybody(200),
    ("GET", "/health/ready"): anybody(200),
    ("GET", "/language/{code}"): anybody(303, path="/language/cs"),
    ("GET", "/login"): anybody(200),
    ("POST", "/login"): anybody(401, form={"name": "ann", "password": "wrong"}),
    ("POST", "/logout"): anybody(200, form={}, ends=True),
    ("GET", "/join/{token}"): anybody(404, path="/join/nonsense"),
    ("POST", "/join/{token}"): anybody(404, path="/join/nonsense", form={}),
    ("GET", "/prolific/{token}"): anybody(404, path="/prolific/nonsense", query=PROLIFIC),
    ("GET", "/mturk/{token}"): anybody(
        200, path="/mturk/nonsense", query={"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
    ),
    ("GET", "/mturk/{token}/begin"): anybody(409, path="/mturk/nonsense/begin"),
    ("GET", "/api/v1/openapi.json"): anybody(200, path="/api/v1/openapi.json"),
    ("GET", "/api/v1/docs"): anybody(200, path="/api/v1/docs"),
    # For those who run the machine
    ("GET", "/metrics"): Asked({**dict.fromkeys(ROLES, 403), **dict.fromkeys((*TOKENS, "other token"), 200)}),
    # For whoever has come in
    ("GET", "/"): logged_in(303),
    ("GET", "/work"): logged_in(200),
    ("POST", "/work"): logged_in(409, form={}),
    ("POST", "/work/undo"): logged_in(409, form={}),
    ("POST", "/work/skip"): logged_in(409, form={"key": "k"}),
    ("GET", "/work/help"): logged_in(200),
    ("GET", "/work/problem"): logged_in(200),
    ("POST", "/work/problem"): logged_in(200, form={"text": "The first sentence is empty."}),
    ("POST", "/work/suggestion"): logged_in(409, form={"item": "p0", "side": "a", "text": "Better."}),
    ("POST", "/work/messages"): logged_in(303, form={"message": 1}),
    ("GET", "/media/{item:path}"): logged_in(404, path="/media/p0"),
    ("GET", "/consent"): logged_in(303),
    ("POST", "/consent"): logged_in(303, form={}),
    ("GET", "/questionnaire"): logged_in(303),
    ("POST", "/questionnaire"): logged_in(303, form={}),
    ("GET", "/leave"): logged_in(303),
    ("GET", "/me"): logged_in(200),
    ("GET", "/me/data"): logged_in(200),
    ("POST", "/password"): logged_in(422, form={"name": "x", "new": "short", "again": "short"}),
    ("POST", "/me/erase"): logged_in(409, form={"pseudonym": "not mine"}),
    ("GET", "/api/v1/session"): logged_in(200),
    ("POST", "/api/v1/next"): logged_in(200, json={}),
    ("POST", "/api/v1/answers"): logged_in(409, json={**ITEM, "item": "nothing", "answers": {}, "key": "k"}),
    ("POST", "/api/v1/undo"): logged_in(409, json={}),
    ("POST", "/api/v1/skip"): logged_in(409, json={"key": "k"}),
    ("PUT", "/api/v1/drafts"): logged_in(409, json={**ITEM, "item": "nothing", "data": {}}),
    ("POST", "/api/v1/problems"): logged_in(200, json={"text": "Something is wrong."}),
    ("POST", "/api/v1/suggestions"): logged_in(409, json={"item": "p0", "side": "a", "text": "Better."}),
    ("POST", "/api/v1/spelling"): logged_in(200, json={"text": "A wrod."}),
    # For those who run the campaign
    ("GET", "/admin"): admins(200),
    ("GET", "/admin/audit-log"): admins(200),
    ("GET", "/admin/{campaign}"): admins(200),
    ("GET", "/admin/{campaign}/items"): admins(200),
    ("GET", "/admin/{campaign}/item"): admins(200, query={"item": "p0"}),
    ("GET", "/admin/{campaign}/agreement"): admins(200),
    ("GET", "/admin/{campaign}/disagreement"): admins(200),
    ("GET", "/admin/{campaign}/people"): admins(200),
    ("GET", "/admin/{campaign}/person"): admins(200, query={"name": "victim"}),
    ("GET", "/admin/{campaign}/answers"): admins(200),
    ("GET", "/admin/{campaign}/answer"): admins(404, query={"seq": 1}),
    ("GET", "/admin/{campaign}/reports"): admins(200),
    ("GET", "/admin/{campaign}/messages"): admins(200),
    ("GET", "/admin/{campaign}/invitations"): admins(200),
    ("GET", "/admin/{campaign}/download"): admins(200),
    ("GET", "/admin/{campaign}/judgments.{ending}"): admins(200, path="/admin/news/judgments.csv"),
    ("GET", "/admin/{campaign}/names"): admins(404),  # this recipe has no names to be grouped
    ("POST", "/admin/{campaign}/names"): admins(404, form={}),
    ("POST", "/admin/{campaign}/pause"): admins(303, form={"note": "r"}),
    ("POST", "/admin/{campaign}/resume"): admins(303, form={"note": "r"}),
    ("POST", "/admin/{campaign}/extend"): admins(
        409, form={"phase": "main", "until": "2026-05-01T12:00", "note": "there is no deadline"}
    ),
    ("POST", "/admin/{campaign}/exclude"): admins(303, form={"name": "victim", "note": "r"}),
    ("POST", "/admin/{campaign}/readmit"): admins(303, form={"name": "victim", "note": "r"}),
    ("POST", "/admin/{campaign}/free"): admins(303, form={"name": "victim", "note": "r"}),
    ("POST", "/admin/{campaign}/reassign"): admins(
        409, form={"phase": "main", "item": "nothing", "name": "victim", "note": "r"}
    ),
    ("POST", "/admin/{campaign}/messages"): admins(303, form={"text": "Thank you."}),
    ("POST", "/admin/{campaign}/invitations"): admins(200, form={"number": 1, "note": "r"}),
    ("POST", "/admin/{campaign}/withdraw"): admins(409, form={"invitation": "nothing", "note": "r"}),
    # For scripts
    ("GET", "/api/v1/campaigns"): Asked({**dict.fromkeys(ROLES, 401), **dict.fromkeys((*TOKENS, "other token"), 200)}),
    ("POST", "/api/v1/campaigns"): Asked({**scripts("admin", 201).statuses, "other token": 403}, json=sent()),
    ("GET", "/api/v1/campaigns/{campaign}"): scripts("read", 200),
    ("PUT", "/api/v1/campaigns/{campaign}"): scripts("admin", 409, json=sent("news")),
    ("POST", "/api/v1/campaigns/{campaign}/invitations"): scripts("write", 201, json={}),
    ("GET", "/api/v1/campaigns/{campaign}/annotators"): scripts("read", 200),
    ("POST", "/api/v1/campaigns/{campaign}/annotators/{annotator}/exclude"): scripts("write", 200, json=REASON),
    ("POST", "/api/v1/campaigns/{campaign}/annotators/{annotator}/readmit"): scripts("write", 200, json=REASON),
    ("POST", "/api/v1/campaigns/{campaign}/pause"): scripts("write", 200, json=REASON),
    ("POST", "/api/v1/campaigns/{campaign}/resume"): scripts("write", 200, json=REASON),
    ("GET", "/api/v1/campaigns/{campaign}/statistics"): scripts("read", 200),
    ("GET", "/api/v1/campaigns/{campaign}/judgments"): scripts("read", 200),
}


def routes_in(routes: Iterable[Any]) -> Iterator[APIRoute]:
    """All routes, those of routers inside of routers as well."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes_in(inner.routes)
        elif isinstance(route, APIRoute):
            yield route


@dataclass
class Walked:
    """The site, and everybody who asks."""

    study: Study
    asks: Mapping[str, Visitor | Script]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    folder = tmp_path_factory.mktemp("routes")
    study = Study(folder, f"sqlite:///{folder / 'campaign.db'}", doors=Doors(limited=False))
    items = pairs(1)
    study.add([rating()], items, {("main", 0): tuple(items)}, name="other")
    rated(study, 3, overlap=9)
    study.visitor("ann")
    study.visitor("victim").next()
    assert study.store is not None
    asks: dict[str, Visitor | Script] = {
        "stranger": study.stranger(),
        "ended": study.visitor("ended"),
        "withdrawn token": script(study, "admin"),
        **{role: study.visitor(f"a {role}", role=role) for role in PEOPLE},
        **{f"{role} token": script(study, role) for role in ("read", "write", "admin")},
        "other token": script(study, "admin", campaign="other"),
    }
    study.store.end_sessions("news", "ended")
    withdrawn = asks["withdrawn token"]
    assert isinstance(withdrawn, Script)
    known = study.store.api_token(withdrawn.token, study.now)
    assert known is not None
    study.store.withdraw_api_token(known.id)
    yield Walked(study, asks)
    study.close()


def ask(client: Visitor | Script, method: str, path: str, asked: Asked) -> Response:
    headers = {"Authorization": f"Bearer {client.token}"} if isinstance(client, Script) else {}
    address = asked.path or path.replace("{campaign}", "news").replace("{annotator}", "victim")
    options: dict[str, Any] = {"params": dict(asked.query), "headers": headers}
    if asked.json is not None:
        options["json"] = asked.json
    if asked.form is not None:
        options["data"] = dict(asked.form)
    return client.http.request(method, address, **options)


def test_every_route_says_for_whom_it_is(walked: Walked) -> None:
    assert walked.study.client is not None
    app: Any = walked.study.client.app
    found = {(method, route.path) for route in routes_in(app.routes) for method in route.methods or ()}
    assert found - set(EXPECTED) == set(), "say in EXPECTED who may ask this, and what everybody hears"
    assert set(EXPECTED) - found == set(), "these are no routes any more"


@pytest.mark.parametrize("role", ROLES)
def test_everybody_hears_what_is_meant_for_them(walked: Walked, role: str) -> None:
    # What ends the visit comes last.
    wrong = {}
    for (method, path), asked in sorted(EXPECTED.items(), key=lambda one: one[1].ends):
        reply = ask(walked.asks[role], method, path, asked)
        if reply.status_code != asked.statuses[role]:
            wrong[method, path] = (reply.status_code, asked.statuses[role], reply.text[:300])
    assert wrong == {}


def test_methods_that_a_route_has_not_are_refused_and_never_fail(walked: Walked) -> None:
    known: dict[str, set[str]] = {}
    for method, path in EXPECTED:
        known.setdefault(path, set()).add(method)
    for path, methods in known.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - methods:
            address = path.replace("{campaign}", "news").replace("{item:path}", "x")
            reply = walked.study.stranger().http.request(method, address)
            assert reply.status_code in (404, 405), (method, path, reply.status_code)

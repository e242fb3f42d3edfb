"""The API keeps its own description: whatever is sent, the reply is one that the description knows, and never a 500."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as conformance

from kostra.annotate.api import add_api
from kostra.annotate.app import make_app
from kostra.annotate.engine import Engine
from kostra.annotate.guard import Doors
from kostra.annotate.hall import COOKIE
from kostra.annotate.rendering import Site
from kostra.annotate.scripts_api import add_scripts_api
from kostra.annotate.store import open_store
from kostra.annotate.tokens import csrf_of
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Place
from kostra.campaign.protocol import Campaign, Phase, Question
from kostra.campaign.running import Running

NOW = datetime.now(UTC)
PHASE = Phase(
    name="main",
    task="rewrite",
    questions=(
        Question(name="rewrite", at_most=3, impossible=True),
        Question(name="similarity", low=0, high=5),
        Question(name="kind", labels=("one", "two"), optional=True),
    ),
    may_skip=True,
    suggests=True,
)
KEPT = [
    not_a_server_error,
    conformance.status_code_conformance,
    conformance.content_type_conformance,
    conformance.response_schema_conformance,
]
FEW = settings(
    max_examples=int(os.environ.get("KOSTRA_EXAMPLES", "12")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@dataclass
class Served:
    """An application, and somebody who has come in."""

    app: Any
    engine: Engine[Running]
    cookies: dict[str, str]
    headers: dict[str, str]
    """What our own pages send with the cookie."""
    token: dict[str, str]
    """What a script sends that may do everything."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An application with one campaign, and the cookie of somebody who has come in."""
    folder = tmp_path_factory.mktemp("contract")
    store = open_store(folder / "campaign.db")
    store.create_campaign("news", seed=1, now=NOW)
    items = {f"p{number}": _pair(number) for number in range(500)}
    material = Material(items, {("main", 0): tuple(items)})
    store.save_revision("news", protocol=Campaign(phases=(PHASE,)), material=material, difference="the first", now=NOW)
    name = store.add_annotator("news", name="ann", now=NOW)
    token, _ = store.start_session("news", name, lasts_until=NOW + timedelta(days=9), now=NOW)
    app = make_app(store, {"news": Site("News")}, project=Path(folder), doors=Doors(limited=False))
    made = store.make_api_token("test", role="admin", campaign=None, actor="test", expires_at=None, now=NOW)

    async def without_end(scope: Any, receive: Any, send: Any) -> None:
        """The tool starts and ends the site around every call; this one goes on."""
        await (app if scope["type"] == "http" else FastAPI())(scope, receive, send)

    engine = app.state.hall.desks["news"].engine
    engine.do(lambda running: (None, running.join("ann", NOW)))
    headers = {"X-Kostra-Csrf": csrf_of(token, app.state.hall.secret)}
    yield Served(without_end, engine, {COOKIE: token}, headers, {"Authorization": f"Bearer {made}"})
    engine.close()
    store.close()


def _pair(number: int) -> Item:
    texts = {"text_a": f"First {number}.", "text_b": f"Second {number}."}
    sentences = (f"a{number}", f"b{number}") if number % 2 else ()
    return Item(f"p{number}", "pair", texts, sentences=sentences)


@pytest.fixture(scope="module")
def description(served: Served) -> Any:
    """The API's own description, as the application gives it."""
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", served.app)


def described(*adding: Callable[[FastAPI], None]) -> list[tuple[str, str]]:
    """Path and method of every operation."""
    app = FastAPI()
    for add in adding:
        add(app)
    return [(path, method) for path, methods in app.openapi()["paths"].items() for method in methods]


ANSWERING = described(add_api)
SCRIPTS = described(add_scripts_api)


def test_the_description_names_every_operation_of_the_api(description: Any) -> None:
    found = {(path, method) for path in description for method in description[path]}
    assert found == {*ANSWERING, *SCRIPTS}
    assert not {*ANSWERING} & {*SCRIPTS}
    assert {path for path, _ in found} >= {f"/api/v1/{name}" for name in ("next", "answers", "undo", "skip", "drafts")}


@pytest.mark.parametrize(("path", "method"), [*ANSWERING, *SCRIPTS])
@FEW
@given(data=st.data())
def test_a_stranger_is_told_to_log_in(description: Any, path: str, method: str, data: st.DataObject) -> None:
    case = data.draw(description[path][method].as_strategy())
    if case.headers:
        case.headers.pop("Authorization", None)  # the tool makes one up, where an operation takes it
    reply = case.call_and_validate(checks=KEPT)
    assert reply.status_code in (400, 401, 404, 422)


@pytest.mark.parametrize(("path", "method"), ANSWERING)
@FEW
@given(data=st.data())
def test_an_annotator_gets_only_replies_that_are_described(
    served: Served, description: Any, path: str, method: str, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(GenerationMode))
    case = data.draw(description[path][method].as_strategy(generation_mode=kind))
    case.call_and_validate(checks=KEPT, cookies=served.cookies, headers=served.headers)


@pytest.mark.parametrize(("path", "method"), ANSWERING)
@FEW
@given(data=st.data())
def test_whatever_is_said_about_the_item_on_the_screen_is_taken_or_refused(
    served: Served, description: Any, path: str, method: str, data: st.DataObject
) -> None:
    case = data.draw(description[path][method].as_strategy())
    place = served.engine.do(lambda running: running.next("ann", datetime.now(UTC)))
    if isinstance(case.body, dict):
        case.body |= {name: value for name, value in place_of(place).items() if name in case.body}
        if isinstance(case.body.get("answers"), dict):
            given_values = st.one_of(st.sampled_from([3, "3", "one", {"impossible": True}, ["A", "B"]]), ANY_JSON)
            case.body["answers"] = {question.name: data.draw(given_values) for question in PHASE.questions}
    case.call_and_validate(checks=KEPT, cookies=served.cookies, headers=served.headers)


def scripted(served: Served, case: Any, *, real: bool, campaign: str = "news") -> Any:
    """A request of a script, to a campaign and about somebody that are there, if asked for."""
    if real:
        for name, known in {"campaign": campaign, "annotator": "ann"}.items():
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = known
    return case.call_and_validate(checks=KEPT, headers=served.token)


@pytest.mark.parametrize(("path", "method"), SCRIPTS)
@FEW
@given(data=st.data())
def test_a_script_gets_only_replies_that_are_described(
    served: Served, description: Any, path: str, method: str, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(GenerationMode))
    case = data.draw(description[path][method].as_strategy(generation_mode=kind))
    scripted(served, case, real=data.draw(st.booleans()))


@pytest.mark.parametrize(("path", "method"), [one for one in SCRIPTS if one[1] in ("post", "put")])
@FEW
@given(data=st.data())
def test_a_campaign_with_anything_in_it_is_made_or_refused(
    served: Served, description: Any, path: str, method: str, data: st.DataObject
) -> None:
    case = data.draw(description[path][method].as_strategy())
    if isinstance(case.body, dict) and "step" in case.body:
        texts = st.text(max_size=5)
        row = st.fixed_dictionaries({"pair": texts}, optional={"text_a": texts, "text_b": texts, "group": texts})
        phases = st.lists(st.sampled_from([{"name": "main", "task": "rating"}, {"name": "x", "task": "pick"}]))
        case.body["step"] = {
            "name": data.draw(st.sampled_from(["news", "a", "b"])),
            "with": {"phases": data.draw(phases)},
        }
        case.body["tables"] = {"pairs": {"pairs": data.draw(st.lists(row, max_size=3))}}
    scripted(served, case, real=True)


def place_of(place: Place) -> dict[str, Any]:
    assert place.item is not None
    return {"phase": place.phase, "item": place.item.item, "version": place.item.version, "side": "a"}

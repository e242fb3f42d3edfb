"""The doors in a browser: consent, questionnaire, password, Prolific and Mechanical Turk, and a preview."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from argon2 import PasswordHasher

from kostra.annotate.app import make_app
from kostra.annotate.entry.passwords import Passwords
from kostra.annotate.previewing import Previewed, preview_application
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.tasks import Translate
from kostra.campaign.admission import Asked, Consent, Entry, Prolific, Questionnaire
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign, Phase, Question

CONSENT = Consent(
    text="In this study you rate how close in meaning two sentences are. It takes about 20 minutes.\n\n"
    "Your answers are kept under a pseudonym and may be published as part of a dataset. Your name and address are kept "
    "apart and are deleted when the study ends.\n\nTaking part is your own choice, and you may stop at any time.",
    title="Information and consent",
)
PERSON = Questionnaire(
    questions=(
        Asked(name="age", prompt="How old are you?", low=18, high=120, optional=False),
        Asked(name="first_language", prompt="Which language did you learn first?"),
        Asked(
            name="education", prompt="What is your highest education?", labels=("school", "bachelor", "master or more")
        ),
    ),
    text="We ask to describe who took part, as a group. Your replies are kept apart from your answers.",
)
ENTRY = Entry(
    prolific=Prolific(completion="C1XYZ", no_consent="NOPE1", screened_out="OUT22"), pseudonyms="animals", erases=True
)
PHASE = Phase(name="main", task="rating", questions=(Question(name="similarity", prompt="How close?", low=0, high=5),))
ITEMS = {"p1": Item("p1", "pair", {"text_a": "It rains.", "text_b": "Rain is falling."})}
PROTOCOL = Campaign(phases=(PHASE,), consent=CONSENT, questionnaire=PERSON, entry=ENTRY, contact="study@example.org")
MATERIAL = Material(ITEMS, {("main", 0): ("p1",)})
PASSWORD = "a quiet heron at noon"


@contextmanager
def served(app: Any) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:  # it says so itself within milliseconds
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "site.db")
    now = datetime.now(UTC)
    opened.create_campaign("news", seed=1, now=now)
    opened.save_revision("news", protocol=PROTOCOL, material=MATERIAL, difference="", now=now)
    yield opened
    opened.close()


@pytest.fixture
def address(store: Store, tmp_path: Path) -> Iterator[str]:
    site = Site("Sentences and their meaning", Translate(texts="en"), contact="study@example.org")
    app = make_app(store, {"news": site}, project=tmp_path)
    app.state.hall.passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
    with served(app) as url:
        yield url


def wide_enough(page: Any) -> None:
    """Nothing is cut off or must be scrolled sideways."""
    widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] <= widths[1], widths


@pytest.mark.parametrize("width", [1280, 360])
def test_from_the_link_through_consent_and_questionnaire_to_the_work_and_ones_own_page(
    store: Store, address: str, open_page: Any, shoot: Callable[[Any, str], None], width: int
) -> None:
    (token,) = store.invite("news", now=datetime.now(UTC))
    page = open_page(f"{address}/join/{token}", width=width, reduced_motion="reduce")
    page.get_by_role("heading", name="Information and consent").wait_for()
    wide_enough(page)
    shoot(page, f"entry-consent-{width}")
    page.get_by_role("button", name="I do not agree").click()
    page.get_by_role("heading", name="Thank you for your time").wait_for()
    shoot(page, f"entry-refused-{width}")
    page.get_by_role("link", name="Read the text again").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("heading", name="A few questions about you").wait_for()
    page.get_by_label("How old are you?").fill("seven")
    page.get_by_label("bachelor").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("Enter a whole number from 18 to 120.").wait_for()
    assert page.get_by_label("bachelor").is_checked()
    wide_enough(page)
    shoot(page, f"entry-questionnaire-{width}")
    page.get_by_label("How old are you?").fill("41")
    page.get_by_role("button", name="Continue").click()
    page.locator("html.script form#answer").wait_for()
    wide_enough(page)
    page.get_by_role("link", name="You").click()
    page.get_by_role("heading", name="You, as far as").wait_for()
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_label("Once more").fill("something else")
    page.get_by_role("button", name="Set the password").click()
    page.get_by_text("The two passwords differ.").wait_for()
    name = page.get_by_label("Name to log in by").input_value()
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_label("Once more").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    page.get_by_text("Your password is set.").wait_for()
    wide_enough(page)
    shoot(page, f"entry-me-{width}")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Goodbye").wait_for()
    page.goto(f"{address}/login")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill("wrong")
    with page.expect_response("**/login"):
        page.keyboard.press("Enter")
    page.get_by_text("The name or the password is wrong.").wait_for()
    wide_enough(page)
    shoot(page, f"entry-login-{width}")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.locator("html.script form#answer").wait_for()


def outside(page: Any, pattern: str) -> list[Any]:
    """Another site, played: what was asked of it."""
    asked: list[Any] = []

    def answer(route: Any) -> None:
        asked.append(route.request)
        route.fulfill(status=200, content_type="text/html", body="<h1>Elsewhere</h1>")

    page.context.route(pattern, answer)
    return asked


def test_from_prolific_and_back_with_the_completion_code(
    store: Store, address: str, open_page: Any, shoot: Callable[[Any, str], None]
) -> None:
    (token,) = store.invite("news", uses="shared", source="prolific", now=datetime.now(UTC))
    page = open_page(
        f"{address}/prolific/{token}?PROLIFIC_PID=5f3a&STUDY_ID=s&SESSION_ID=t", width=360, reduced_motion="reduce"
    )
    asked = outside(page, "https://app.prolific.com/**")
    page.get_by_role("button", name="I agree").click()
    page.get_by_label("How old are you?").fill("41")
    page.get_by_role("button", name="Continue").click()
    page.locator("html.script form#answer").wait_for()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Return to Prolific").wait_for()
    wide_enough(page)
    shoot(page, "entry-prolific-end-360")
    page.get_by_role("link", name="Return to Prolific").click()
    page.get_by_role("heading", name="Elsewhere").wait_for()
    assert asked[-1].url == "https://app.prolific.com/submissions/complete?cc=C1XYZ"


def test_who_refuses_is_sent_back_to_prolific_at_once(store: Store, address: str, open_page: Any) -> None:
    (token,) = store.invite("news", uses="shared", source="prolific", now=datetime.now(UTC))
    page = open_page(f"{address}/prolific/{token}?PROLIFIC_PID=5f3a&STUDY_ID=s&SESSION_ID=t")
    asked = outside(page, "https://app.prolific.com/**")
    page.get_by_role("button", name="I do not agree").click()
    page.get_by_role("heading", name="Elsewhere").wait_for()
    assert asked[-1].url.endswith("cc=NOPE1")


def test_work_for_mechanical_turk_opens_in_a_window_of_its_own_and_is_handed_in_there(
    store: Store, address: str, open_page: Any, shoot: Callable[[Any, str], None]
) -> None:
    (token,) = store.invite("news", uses="shared", source="mturk", now=datetime.now(UTC))
    sent = "assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo=https://workersandbox.mturk.com"
    frame = open_page(f"{address}/mturk/{token}?{sent}", width=360, reduced_motion="reduce")
    shoot(frame, "entry-mturk-360")
    asked = outside(frame, "https://workersandbox.mturk.com/**")
    with frame.context.expect_page() as opened:
        frame.get_by_role("link", name="Open the task").click()
    page = opened.value
    page.get_by_role("button", name="I agree").click()
    page.get_by_label("How old are you?").fill("41")
    page.get_by_role("button", name="Continue").click()
    page.locator("html.script form#answer").wait_for()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Hand in").click()
    shoot(page, "entry-hand-in-360")
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("heading", name="Elsewhere").wait_for()
    assert (asked[-1].method, asked[-1].url) == ("POST", "https://workersandbox.mturk.com/mturk/externalSubmit")
    assert asked[-1].post_data == "assignmentId=A1&code=done&outcome=finished"


@pytest.mark.parametrize("width", [1280, 360])
def test_a_preview_says_what_would_be_stored(
    open_page: Any, shoot: Callable[[Any, str], None], tmp_path: Path, width: int
) -> None:
    shown = Previewed(PROTOCOL, MATERIAL, "Sentences and their meaning", "en")
    with served(preview_application({"news": shown}, project=tmp_path)) as url:
        page = open_page(url, width=width, reduced_motion="reduce")
        wide_enough(page)
        shoot(page, f"entry-preview-{width}")
        page.get_by_role("link", name="main: main").click()
        page.locator("html.script form#answer").wait_for()
        wide_enough(page)
        shoot(page, f"entry-preview-screen-{width}")
        page.keyboard.press("3")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="This would be stored").wait_for()
        page.get_by_text("similarity: 3").wait_for()
    assert list(tmp_path.iterdir()) == []

"""The site in its languages, and in one that is written from right to left, looked at in a browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from babel.messages.pofile import write_po

from kostra.annotate import languages, rendering
from kostra.annotate.app import make_app
from kostra.annotate.languages import choosing, extracting, speak
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.tasks import Translate
from kostra.campaign.admission import Consent
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given
from kostra.campaign.protocol import Block, Campaign, Phase, Question
from kostra.campaign.running import Running

CODES = list(languages.known())
LABELS = {
    "en": ("nothing in common", "somewhat related", "almost the same"),
    "cs": ("zcela odlišné", "vzdáleně související", "téměř shodné"),
    "pl": ("zupełnie różne", "luźno powiązane", "prawie takie same"),
    "ar": ("لا شيء مشترك", "مرتبطان قليلا", "متطابقان تقريبا"),
}
ITEMS = {
    name: Item(name, "pair", {"text_a": "Z přístavu vyplul ráno trajekt.", "text_b": "Na molu nikdo nestál."})
    for name in ("p1", "p2", "p3")
}


OFFICE = {
    "audit-log": "Audit log", "news": "", "news/items": "Items", "news/item?item=p1": "", "news/people": "People",
    "news/person?name=ann": "", "news/agreement": "Agreement", "news/answers": "Answers as they come",
    "news/disagreement": "Items on which people disagree most", "news/messages": "Messages",
    "news/invitations": "Invitations", "news/reports": "", "news/download": "Download",
}  # fmt: skip
"""Page of the office → its heading, where that is no name."""


def _campaign() -> Campaign:
    scale = Question(
        name="closeness", prompt="Jak blízké jsou si obě věty?", low=0, high=2, labels=LABELS["cs"], labels_in=LABELS,
        prompt_in={"en": "How close are the two?", "pl": "Jak bliskie są sobie te zdania?", "ar": "ما مدى تقاربهما؟"},
    )  # fmt: skip
    first = Phase(name="first", task="rating", questions=(scale,), overlap=3, suggests=True, may_skip=True)
    second = Phase(
        name="second", task="rating", questions=(scale,), overlap=2, after="first", pause_hours=72,
        blocks=(Block(purpose="main"),), deadline=datetime.now(UTC) + timedelta(days=30),
    )  # fmt: skip
    text = "Budete číst dvojice vět a říkat, jak blízké si jsou.\n\nÚčast je dobrovolná a můžete kdykoli přestat."
    return Campaign(phases=(first, second), consent=Consent(title="Informovaný souhlas", text=text), language="cs")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two people have answered all of the first phase, and wait; a third has only come."""
    now = datetime.now(UTC)
    protocol = _campaign()
    material = Material(ITEMS, {("first", 0): tuple(ITEMS), ("second", 0): tuple(ITEMS)})
    opened = open_store(tmp_path / "site.db")
    opened.create_campaign("news", seed=1, now=now)
    opened.save_revision("news", protocol=protocol, material=material, difference="", now=now)
    running, log, entries = Running(protocol, material, seed=1), opened.log("news"), []

    def happen(events: Any) -> None:
        for event in events:
            entry = log.entry(event, seq=running.seq + 1)
            running.apply(entry.event)
            entries.append(entry)

    for place, name in enumerate(("ann", "ben")):
        opened.add_annotator("news", name=name, now=now)
        opened.add_consent("news", name, _version(protocol), given=True, now=now)
        happen(running.join(name, now - timedelta(days=2)))
        for turn in range(len(ITEMS)):
            at = now - timedelta(days=2 - turn, minutes=-place)
            decided, events = running.next(name, at)
            happen(events)
            assert decided.item is not None
            answers = {"closeness": [Answer(str((turn + place * (turn == 1)) % 3))]}
            given = Given("first", decided.item.item, 1, answers, f"{name}{turn}", 12.0)
            happen(running.answer(name, given, at + timedelta(seconds=15))[1])
    with opened.writing() as connection:
        log.append(connection, entries)
    for name, role in (("cyd", "annotator"), ("office", "admin")):
        opened.add_annotator("news", name=name, role=role, now=now)  # type: ignore[arg-type]
    yield opened
    opened.close()


def _version(protocol: Campaign) -> str:
    assert protocol.consent is not None
    return protocol.consent.version_of_text


@pytest.fixture
def address(store: Store, tmp_path: Path) -> Iterator[str]:
    site = Site("Blízkost vět", Translate(texts="cs"), contact="studie@example.org")
    app = make_app(store, {"news": site}, project=tmp_path)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:  # it says so itself within milliseconds
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)


def come(store: Store, address: str, open_page: Any, name: str, **options: Any) -> Any:
    (token,) = store.invite("news", annotator=name, now=datetime.now(UTC))
    return open_page(f"{address}/join/{token}", reduced_motion="reduce", **options)


def fits(page: Any) -> None:
    """Nothing must be scrolled sideways, and no text runs out of what holds it."""
    widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] <= widths[1], widths
    cut = page.evaluate(
        """() => [...document.querySelectorAll("button, .button, summary, .option, .toggle, .badge, h1, h2")]
          .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1)
          .map((one) => one.textContent.trim())"""
    )
    assert cut == []


def says(page: Any, language: str, message: str) -> None:
    page.get_by_role("heading", name=speak(language)(message), exact=True).wait_for()
    assert page.evaluate("document.documentElement.lang") == language


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("language", CODES)
def test_every_page_speaks_the_language_and_fits(
    store: Store, address: str, open_page: Any, shoot: Callable[[Any, str], None], language: str, width: int
) -> None:
    words, options = speak(language), {"width": width, "locale": language}

    def look(page: Any, name: str) -> None:
        fits(page)
        shoot(page, f"{name}-{language}-{width}")

    page = open_page(f"{address}/login", **options)
    says(page, language, "Log in")
    look(page, "login")
    page = come(store, address, open_page, "cyd", **options)
    page.get_by_role("button", name=words("I agree and take part")).wait_for()
    look(page, "consent")
    page.get_by_role("button", name=words("I agree and take part")).click()
    page.locator("html.script form#answer").wait_for()
    assert page.locator(".option .label").first.inner_text() == LABELS[language][0]
    page.keyboard.press("Enter")
    page.get_by_text(words("Choose a point on the scale.")).wait_for()
    look(page, "work")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.locator("#status", has_text=words("Saved.")).wait_for()
    page.goto(f"{address}/me")
    says(page, language, "You, as far as this site knows")
    look(page, "me")
    page = come(store, address, open_page, "ann", **options)
    says(page, language, "A pause")
    look(page, "pause")
    page = come(store, address, open_page, "office", **options)
    says(page, language, "All campaigns")
    look(page, "admin")
    for path, heading in OFFICE.items():
        page.goto(f"{address}/admin/{path}")
        if heading:
            says(page, language, heading)
        look(page, f"admin-{path.partition('?')[0].replace('/', '-')}")


@pytest.mark.parametrize("scripted", [True, False])
def test_the_language_is_chosen_from_the_menu_with_and_without_javascript(
    address: str, open_page: Any, shoot: Callable[[Any, str], None], scripted: bool
) -> None:
    page = open_page(f"{address}/login", locale="de-DE", width=360, java_script_enabled=scripted)
    assert page.locator("html").get_attribute("lang") == "cs", "the campaign's own"
    page.locator(".languages summary").click()
    if scripted:
        fits(page)
    shoot(page, f"menu-360-{scripted}")
    page.get_by_role("link", name="Polski").click()
    page.get_by_role("heading", name="Zaloguj się").wait_for()
    assert page.url.endswith("/login")
    page.goto(f"{address}/nowhere")
    page.get_by_role("heading", name="Tu nic nie ma").wait_for()


# From right to left ----------------------------------------------------------------------------------------------

_LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", "ابتثجحخدذرزسشصضطظعغفقكلمنه", strict=True))


def _pseudo(text: str) -> str:
    """A text in letters that run from right to left, a little longer than the English one; fields stay as they are."""
    made, inside = [], False
    for letter in text:
        inside = letter == "{" or (inside and letter != "}")
        made.append(letter if inside or letter == "}" else _LETTERS.get(letter.lower(), letter))
    return "".join(made) + " وو" * (len(text) // 12)


@pytest.fixture
def from_the_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A language that is only here, found in a folder of its own."""
    folder = tmp_path / "languages"
    folder.mkdir()
    made = extracting.template("ar")
    for one in made:
        if one.id:
            many = isinstance(one.id, tuple | list)
            one.string = (_pseudo(one.id[1]),) * made.num_plurals if many else _pseudo(str(one.id))
    with (folder / "ar.po").open("wb") as stream:
        write_po(stream, made)
    known = partial(languages.known, folder)
    monkeypatch.setattr(choosing, "known", known)
    monkeypatch.setattr(choosing, "speak", partial(languages.speak, folder=folder))
    monkeypatch.setitem(rendering._environment().globals, "languages", known)
    return "ar"


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.long), 360])
def test_pages_are_mirrored_for_languages_that_run_from_right_to_left(
    store: Store,
    address: str,
    open_page: Any,
    shoot: Callable[[Any, str], None],
    from_the_right: str,
    width: int,
) -> None:
    options = {"width": width, "locale": from_the_right}
    page = open_page(f"{address}/login", **options)
    assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
    fits(page)
    shoot(page, f"login-ar-{width}")
    page = come(store, address, open_page, "cyd", **options)
    fits(page)
    shoot(page, f"consent-ar-{width}")
    page.locator("button.primary").click()
    page.locator("html.script form#answer").wait_for()
    side = page.locator(".side").first
    letter, text = side.locator(".letter").bounding_box(), side.locator(".sentence").bounding_box()
    assert letter["x"] > text["x"], "the letter stands before the sentence"
    sentence = "getComputedStyle(document.querySelector('.side .sentence')).direction"
    assert page.evaluate(sentence) == "ltr", "a Czech sentence runs as it always does"
    fits(page)
    shoot(page, f"work-ar-{width}")
    page = come(store, address, open_page, "ann", **options)
    fits(page)
    shoot(page, f"pause-ar-{width}")
    page = come(store, address, open_page, "office", **options)
    for path in ("", "/news", "/news/people", "/news/invitations"):
        page.goto(f"{address}/admin{path}")
        fits(page)
        assert page.evaluate(CUT_OFF) == [], "labels of charts stand where they belong from right to left, too"
        shoot(page, f"admin{path.replace('/', '-')}-ar-{width}")


CUT_OFF = """() => [...document.querySelectorAll("svg.chart text")].filter((one) => {
  const text = one.getBoundingClientRect(), chart = one.ownerSVGElement.getBoundingClientRect();
  return text.left < chart.left - 1 || text.right > chart.right + 1;
}).map((one) => one.textContent)"""

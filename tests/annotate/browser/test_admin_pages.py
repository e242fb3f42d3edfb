"""The office in a browser: an admin comes in, reads and acts; also by keyboard, on a telephone, in the dark."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn

from kostra.annotate.app import make_app
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_log import Entry
from kostra.campaign.admission import Pay
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given
from kostra.campaign.protocol import Block, Campaign, Gold, Phase, Question
from kostra.campaign.running import Running

PEOPLE = ("heron", "otter", "lynx", "marten", "swift", "badger", "stork", "vole")
SENTENCES = (
    "The ferry left the harbour before dawn.",
    "Children painted the fence green.",
    "Snow fell on the vineyards in April.",
    "The baker opened later than usual.",
    "Two violins were stolen from the hall.",
    "A bridge was closed for repairs.",
)
ALL = (
    "", "/items", "/item?item=pair-03", "/agreement", "/disagreement", "/people", "/person?name=lynx", "/answers",
    "/reports", "/messages", "/invitations", "/download",
)  # fmt: skip


def _campaign(now: datetime) -> tuple[Campaign, Material]:
    items = {
        name: Item(name, "pair", {"text_a": SENTENCES[number % 6], "text_b": SENTENCES[(number * 5 + 1) % 6]},
                   sentences=(f"{name}-a", f"{name}-b"))
        for number, name in enumerate(f"pair-{number:02d}" for number in range(40))
    }  # fmt: skip
    gold = {
        name: Item(name, "pair", {"text_a": SENTENCES[0], "text_b": SENTENCES[0]}, known={"similarity": "5"})
        for name in (f"gold-{number}" for number in range(5))
    }
    scale = Question(name="similarity", prompt="How close are they?", low=0, high=5)
    first = Phase(
        name="first", task="rating", questions=(scale,), overlap=4, suggests=True, deadline=now + timedelta(days=9),
        gold=Gold(every=8, threshold=0.2), blocks=(Block(purpose="main", items=25), Block(purpose="gold")),
    )  # fmt: skip
    second = Phase(
        name="second", task="rating", questions=(scale,), overlap=2, after="first", pause_hours=24,
        blocks=(Block(purpose="main"), Block(purpose="repeat", items=3, from_phase="first")),
    )  # fmt: skip
    blocks = {("first", 0): tuple(items), ("first", 1): tuple(gold), ("second", 0): tuple(items), ("second", 1): ()}
    pay = Pay(per_answer=0.1, per_hour=6, currency="EUR")
    return Campaign(phases=(first, second), pay=pay), Material({**items, **gold}, blocks)


def _lived(running: Running, now: datetime) -> Iterator[Any]:
    """Some days of a campaign, the last answers just given."""
    rng = np.random.default_rng(3)
    at = now - timedelta(days=6)
    truth = {item: float(rng.uniform(0, 5)) for item in running.items}
    for name in PEOPLE:
        yield from running.join(name, at)
        yield None
    for turn in range(23):
        at = now - timedelta(days=6) + timedelta(hours=6 * turn)
        for place, name in enumerate(PEOPLE[: 8 if turn > 4 else 5]):
            decided, events = running.next(name, at)
            yield from events
            yield None
            if decided.item is None:
                continue
            wanted = 5.0 if decided.item.item.startswith("gold") else truth[decided.item.item]
            value = "3" if name == "vole" else f"{np.clip(round(rng.normal(wanted, 0.5 + 0.2 * place)), 0, 5):g}"
            done = at + timedelta(seconds=int(rng.integers(5, 40)))
            answers = {"similarity": [Answer(value)]}
            given = Given(decided.phase, decided.item.item, 1, answers, f"{name}-{turn}", focused=4.0 + place)
            yield from running.answer(name, given, done)[1]
            yield None
    yield from running.next("heron", at)[1]
    yield None
    yield from running.problem("heron", "The second sentence is cut off on my telephone.", at)
    yield None
    lease = running.people["heron"].lease
    assert lease is not None
    yield from running.suggest("heron", lease.item, "a", "The ferry left before sunrise.", at)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    now = datetime.now(UTC)
    protocol, material = _campaign(now)
    opened = open_store(tmp_path / "site.db")
    opened.create_campaign("demo", seed=1, now=now)
    opened.save_revision("demo", protocol=protocol, material=material, difference="", now=now)
    running, log = Running(protocol, material, seed=1), opened.log("demo")
    entries: list[Entry] = []
    for event in _lived(running, now):
        if event is not None:
            entry = log.entry(event, seq=running.seq + 1)
            running.apply(entry.event)
            entries.append(entry)
    with opened.writing() as connection:
        log.append(connection, entries)
    for name in PEOPLE:
        opened.add_annotator("demo", name=name, now=now)
    opened.add_annotator("demo", name="office", role="admin", now=now)
    yield opened
    opened.close()


@pytest.fixture
def address(store: Store, tmp_path: Path) -> Iterator[str]:
    app = make_app(store, {"demo": Site("Closeness of sentences")}, project=tmp_path)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:  # it says so itself within milliseconds
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)


Enter = Callable[..., Any]


@pytest.fixture
def enter(store: Store, address: str, open_page: Any) -> Enter:
    """Come in by a link, as the admin or as somebody else, and go to a page."""

    def come(path: str = "/admin", *, name: str = "office", **options: Any) -> Any:
        (token,) = store.invite("demo", annotator=name, now=datetime.now(UTC))
        page = open_page(f"{address}/join/{token}", **options)
        page.goto(f"{address}{path}")
        return page

    return come


def act(page: Any, title: str, note: str, **fields: str) -> None:
    """Open the small form of an act, fill it in and send it."""
    form = page.locator("details.act", has=page.locator("summary", has_text=title)).first
    form.locator("summary").click()
    for field, value in fields.items():
        form.locator(f'[name="{field}"]').fill(value)
    form.locator('[name="note"]').fill(note)
    form.locator("button").click()


def test_an_admin_comes_in_by_a_link_and_reads_how_far_it_is(store: Store, address: str, open_page: Any) -> None:
    (token,) = store.invite("demo", annotator="office", now=datetime.now(UTC))
    page = open_page(f"{address}/join/{token}")
    assert page.url.endswith("/admin")
    page.get_by_role("link", name="Closeness of sentences").click()
    page.get_by_role("heading", name="Closeness of sentences").wait_for()
    assert re.search(r"of 240", page.locator(".figures.big").inner_text())
    assert page.locator("svg.chart").count() >= 3
    page.get_by_role("link", name="People", exact=True).click()
    assert page.locator("tbody tr").count() == len(PEOPLE)
    assert "times in a row" in page.locator("tr", has_text="vole").inner_text()


def test_somebody_is_excluded_and_readmitted(enter: Enter) -> None:
    page, vole = enter("/admin/demo/person?name=vole"), enter("/work", name="vole")
    act(page, "Exclude", "one answer all the time")
    page.get_by_role("status").get_by_text("Excluded.").wait_for()
    vole.reload()
    vole.get_by_role("heading", name="Thank you for your time").wait_for()
    assert "one answer all the time" in page.locator(".history").inner_text()
    act(page, "Readmit", "they were right")
    page.get_by_role("status").get_by_text("Readmitted.").wait_for()
    vole.reload()
    vole.locator("form#answer").wait_for()


def test_a_campaign_is_paused_and_goes_on(enter: Enter) -> None:
    page, otter = enter("/admin/demo"), enter("/work", name="otter")
    act(page, "Pause the campaign", "a fault in the second sentence")
    page.get_by_text("Paused: nobody is shown anything new.").wait_for()
    otter.reload()
    otter.get_by_role("heading", name="Nothing for you at the moment").wait_for()
    act(page, "Let it go on", "mended")
    page.get_by_role("status").get_by_text("goes on").wait_for()
    otter.reload()
    otter.locator("form#answer").wait_for()


def test_what_is_on_a_screen_is_freed_and_given_to_somebody_else(enter: Enter) -> None:
    heron = enter("/work", name="heron")
    item = heron.locator("form#answer").get_attribute("data-item")
    page = enter("/admin/demo/person?name=heron")
    page.locator("p", has_text="On the screen now").get_by_role("link").click()
    assert page.locator("h1").inner_text().split()[0] == item
    assert "kept for heron" in page.locator("main").inner_text()
    act(page, "Free it", "heron went home")
    page.get_by_role("status").get_by_text("Freed").wait_for()
    assert "kept for heron" not in page.locator("main").inner_text()
    act(page, "Give it to somebody", "heron came back", name="heron")
    page.get_by_role("status").get_by_text("Given").wait_for()
    heron.reload()
    assert heron.locator("form#answer").get_attribute("data-item") == item
    act(page, "Give it to somebody", "nobody", name="nobody")
    assert "nobody" in page.get_by_role("alert").inner_text()


def test_a_message_and_a_link_are_made(enter: Enter, store: Store, open_page: Any) -> None:
    page = enter("/admin/demo/person?name=lynx")
    page.get_by_role("link", name="Write to them").click()
    page.get_by_label("Message").fill("Thank you, lynx!")
    page.get_by_role("button", name="Send the message").click()
    page.get_by_role("status").wait_for()
    assert "to lynx" in page.locator(".reports").inner_text()
    assert [note.text for note in store.messages_for("demo", "lynx")] == ["Thank you, lynx!"]
    page.get_by_role("link", name="Invitations").click()
    page.locator("form.stack").get_by_label("Why?").fill("a new student")
    page.get_by_role("button", name="Make links").click()
    link = page.locator("textarea.links").input_value()
    newcomer = open_page(link)
    newcomer.locator("form#answer").wait_for()


def test_the_office_can_be_used_with_the_keyboard_alone(enter: Enter) -> None:
    page = enter("/admin/demo")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    page.keyboard.press("Enter")
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    assert page.evaluate("document.activeElement.textContent").strip() == "Pause the campaign"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("by keyboard")
    page.keyboard.press("Enter")
    page.get_by_text("Paused: nobody is shown anything new.").wait_for()
    page.goto(page.url.partition("/admin")[0] + "/admin/demo/people")
    head = page.get_by_role("columnheader", name="Answers").get_by_role("link")
    head.focus()
    page.keyboard.press("Enter")
    page.locator('th[aria-sort="descending"]', has_text="Answers").wait_for()


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_the_screen_and_every_field_has_a_name(
    enter: Enter, width: int, shoot: Callable[[Any, str], None]
) -> None:
    page = enter("/admin", width=width)
    root = page.url.removesuffix("/admin")
    shoot(page, f"admin-overview-{width}")
    for path in ALL:
        page.goto(f"{root}/admin/demo{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        hidden = page.evaluate(
            "[...document.querySelectorAll('.scroll:has(.folds)')].filter(one => one.scrollWidth > one.clientWidth + 1)"
            ".length"
        )
        assert hidden == 0, f"a table of {path} must be scrolled sideways"
        unnamed = page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]"
            ".filter(one => !one.labels?.length && !one.getAttribute('aria-labelledby')).length"
        )
        assert unnamed == 0, path
        for chart in page.locator("svg.chart").all():
            assert chart.get_attribute("role") == "img"
            assert chart.locator("> title").count() == chart.locator("> desc").count() == 1
        name = re.sub(r"\W+", "-", path.partition("?")[0]) or "-campaign"
        shoot(page, f"admin{name}-{width}")
    page.goto(f"{root}/admin/audit-log")
    shoot(page, f"admin-audit-{width}")


def test_texts_are_readable_in_the_dark(enter: Enter, shoot: Callable[[Any, str], None]) -> None:
    page = enter("/admin/demo", color_scheme="dark")
    root = page.url.removesuffix("/admin/demo")
    for path in ("", "/people", "/agreement", "/person?name=lynx"):
        page.goto(f"{root}/admin/demo{path}")
        assert page.evaluate(CONTRAST) == [], path
        shoot(page, f"admin-dark{re.sub(r'[^a-z]+', '-', path)}")


CONTRAST = """() => {
  const channel = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const read = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const ground = node => {
    for (; node; node = node.parentElement) {
      const found = read(getComputedStyle(node).backgroundColor);
      if (found.length === 3 || found[3] > 0.9) return found;
    }
    return [255, 255, 255];
  };
  const wrong = [];
  for (const node of document.querySelectorAll('main *')) {
    const own = [...node.childNodes].some(one => one.nodeType === 3 && one.textContent.trim());
    if (!own || !node.checkVisibility() || node.closest('title, desc')) continue;
    const style = getComputedStyle(node);
    const ink = read(node instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink), light(ground(node))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) wrong.push(node.textContent.trim().slice(0, 40));
  }
  return wrong;
}"""
"""Texts whose contrast with what is behind them is less than 4.5."""

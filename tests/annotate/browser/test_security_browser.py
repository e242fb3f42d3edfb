"""In a browser: a page goes on after its session was replaced, never with somebody else's, and under a path."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.annotate.studies import pairs, rating

from kostra.annotate.app import make_app
from kostra.annotate.guard import Doors
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_tables import JUDGMENTS
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign

Start = Callable[..., tuple[str, Store]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a site, and gives its address and its store."""
    ends: list[Callable[[], None]] = []

    def begin(doors: Doors | None = None) -> tuple[str, Store]:
        store, now, items = open_store(tmp_path / "site.db"), datetime.now(UTC), pairs(4)
        store.create_campaign("news", seed=1, now=now)
        material = Material(items, {("main", 0): tuple(items)})
        protocol = Campaign(phases=(rating(overlap=2),))
        store.save_revision("news", protocol=protocol, material=material, difference="the first", now=now)
        app = make_app(store, {"news": Site("News")}, project=tmp_path, doors=doors)
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:  # it says so itself within milliseconds
            time.sleep(0.01)

        def end() -> None:
            server.should_exit = True
            thread.join(timeout=10)
            store.close()

        ends.append(end)
        return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", store

    yield begin
    for end in ends:
        end()


def answered(store: Store) -> list[tuple[str, str]]:
    with store.connected() as connection:
        return [(row.annotator, row.item) for row in connection.execute(JUDGMENTS.select().order_by(JUDGMENTS.c.seq))]


def rate(page: Any, digit: str = "3") -> str:
    item = str(page.locator("form#answer").get_attribute("data-item"))
    page.keyboard.press(digit)
    page.keyboard.press("Enter")
    page.locator(f'form#answer:not([data-item="{item}"])').wait_for()
    return item


def link(store: Store, name: str) -> str:
    now = datetime.now(UTC)
    store.add_annotator("news", name=name, now=now)
    return f"/join/{store.invite('news', annotator=name, now=now)[0]}"


def test_a_page_goes_on_after_its_annotator_came_in_again(start: Start, open_page: Any) -> None:
    address, store = start()
    join = link(store, "ann")
    page = open_page(address + join)
    page.locator("html.script").wait_for()
    first = rate(page)
    other = page.context.new_page()
    other.goto(address + join)  # another session: what the first page carries is old
    second = rate(page)
    assert answered(store) == [("ann", first), ("ann", second)]


def test_a_page_of_one_annotator_sends_nothing_as_another(start: Start, open_page: Any) -> None:
    address, store = start()
    page = open_page(address + link(store, "ann"))
    page.locator("html.script").wait_for()
    other = page.context.new_page()
    other.goto(address + link(store, "ben"))
    other.get_by_role("button", name="Come in as somebody else").click()
    other.locator("html.script").wait_for()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.locator("#connection:not([hidden])").wait_for()  # kept on this device
    assert answered(store) == []


def test_under_a_path_answers_help_and_undo_work_with_the_script(start: Start, open_page: Any) -> None:
    address, store = start(Doors(root="/study"))
    page = open_page(f"{address}/study{link(store, 'ann')}")
    page.locator("html.script").wait_for()
    assert page.url == f"{address}/study/work"
    first = rate(page)
    page.keyboard.press("u")
    page.locator(f'form#answer[data-item="{first}"]').wait_for()
    page.keyboard.press("?")
    page.locator("dialog#help[open]").wait_for()
    page.keyboard.press("Escape")
    rate(page, "4")
    assert answered(store) == [("ann", first), ("ann", first)]

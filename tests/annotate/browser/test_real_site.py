"""The whole way in a browser: invitation, consent, answers, undo, a lost connection, the end; then what is stored."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import uvicorn

from kostra.annotate.app import make_app
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_tables import JUDGMENTS
from kostra.annotate.tasks import Translate
from kostra.campaign.material import material
from kostra.campaign.protocol import Block, Campaign, Phase, Question
from kostra.campaign.questions import completed
from kostra.recipe import Score

SCORE = Score(question="similarity", low=0, high=5)
PAIRS = pl.DataFrame(
    {
        "pair": ["p1", "p2", "p3"],
        "text_a": ["Prší.", "Děti zpívají.", "Vlak stojí."],
        "text_b": ["Padá déšť.", "Sbor cvičí píseň.", "Kočka spí."],
    }
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "site.db")
    blocks = (Block(purpose="instructions", text="Read."), Block(purpose="consent"), Block(purpose="main"))
    question = Question(name="similarity", prompt="Jak blízko si jsou?", low=0, high=5)
    phase = Phase(name="main", task="rating", questions=(question,), blocks=blocks)
    protocol = completed(Campaign(phases=(phase,), payment="10 € for all of it."), SCORE)
    made = material(protocol, {"pairs": {"pairs": PAIRS}}, project=tmp_path, score=SCORE)
    now = datetime.now(UTC)
    opened.create_campaign("demo", seed=1, now=now)
    opened.save_revision("demo", protocol=protocol, material=made, difference="", now=now)
    yield opened
    opened.close()


@pytest.fixture
def address(store: Store, tmp_path: Path) -> Iterator[str]:
    site = Site("A study", Translate(texts="cs"), payment="10 € for all of it.")
    app = make_app(store, {"demo": site}, project=tmp_path)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:  # it says so itself within milliseconds
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)


def test_an_annotator_gets_through_a_campaign_with_the_keyboard(store: Store, address: str, open_page: Any) -> None:
    (token,) = store.invite("demo", now=datetime.now(UTC))
    page = open_page(f"{address}/join/{token}", width=360)
    page.locator("html.script").wait_for()
    page.get_by_role("heading", name="Instructions").wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Consent").wait_for()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    seen = [_item(page, ())]
    _rate(page, "3")
    seen.append(_item(page, seen))
    # The first answer is changed …
    page.keyboard.press("u")
    assert _item(page, seen[1:]) == seen[0]
    assert page.locator("#answer input:checked").get_attribute("value") == "3"
    _rate(page, "4")
    assert _item(page, seen[:1]) == seen[1]
    # … and the second is given while the line is down.
    page.context.set_offline(True)
    _rate(page, "0")
    page.locator("#connection:not([hidden])").wait_for()
    page.context.set_offline(False)
    seen.append(_item(page, seen))
    _rate(page, "5")
    page.get_by_role("heading", name="Finished").wait_for()
    assert "10 €" in page.locator(".payment").inner_text()
    with store.connected() as connection:
        rows = connection.execute(JUDGMENTS.select().order_by(JUDGMENTS.c.seq)).mappings().all()
    rated = [(row["item"], row["value"], row["supersedes"] is None) for row in rows if row["question"] == "similarity"]
    assert rated == [(seen[0], "3", True), (seen[0], "4", False), (seen[1], "0", True), (seen[2], "5", True)]


def _item(page: Any, others: Any) -> str:
    """The pair on the screen, once it is none of some others."""
    fresh = "".join(f':not([data-item="{other}"])' for other in others)
    form = page.locator(f'form#answer[data-item^="p"]{fresh}')
    form.wait_for()
    return str(form.get_attribute("data-item"))


def _rate(page: Any, digit: str) -> None:
    page.keyboard.press(digit)
    page.keyboard.press("Enter")

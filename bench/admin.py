"""The office of the annotation site: server CPU per page with 500 annotators and 200,000 judgments."""

import argparse
import gc
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from fastapi.testclient import TestClient

from kostra.annotate.app import make_app
from kostra.annotate.engine import Engine
from kostra.annotate.rendering import Site
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_log import Entry
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given
from kostra.campaign.protocol import Block, Campaign, Gold, Phase, Question
from kostra.campaign.running import Running

PEOPLE, EACH, OVERLAP = 500, 400, 10
BEGAN = datetime(2026, 1, 1, 8, tzinfo=UTC)
CHUNK = 20_000
LIMIT = 300
"""Milliseconds of server CPU that a page may take."""
PAGES = (
    "/admin",
    "/admin/bench",
    "/admin/bench/items",
    "/admin/bench/items?q=first+19",
    "/admin/bench/item?item=p17",
    "/admin/bench/agreement",
    "/admin/bench/people",
    "/admin/bench/people?sort=agreement",
    "/admin/bench/person?name=annotator-017",
    "/admin/bench/answers",
    "/admin/bench/answers?before=150000&status=answered",
    "/admin/bench/disagreement",
    "/admin/bench/reports",
    "/admin/bench/messages",
    "/admin/bench/invitations",
    "/admin/bench/download",
    "/admin/audit-log",
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", type=Path, help="a folder in which the answers are kept from run to run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kept = given.store or Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        if not (kept / "campaign.db").exists():
            began = time.process_time()
            fill(kept, people=PEOPLE, each=EACH, overlap=OVERLAP)
            print(f"made the answers in {time.process_time() - began:.0f} s of CPU")
        measure(kept)


def fill(folder: Path, *, people: int, each: int, overlap: int) -> int:
    """A store in which so many people have answered so many items each, with gold questions; the number of answers."""
    count = people * each // overlap
    scale = Question(name="similarity", low=0, high=5)
    gold = Gold(every=20, minimum=10, threshold=0.3, tolerance=1)
    blocks = (Block(purpose="main", items=each), Block(purpose="gold"), Block(purpose="repeat", items=5))
    phase = Phase(name="main", task="rating", questions=(scale,), overlap=overlap, blocks=blocks, gold=gold)
    items = {name: _pair(name, {}) for name in (f"p{number}" for number in range(count))}
    items |= {name: _pair(name, {"similarity": "4"}) for name in (f"g{number}" for number in range(40))}
    held = {("main", 0): tuple(items)[:count], ("main", 1): tuple(items)[count:], ("main", 2): ()}
    protocol, material = Campaign(phases=(phase,)), Material(items, held)
    with open_store(folder) as store:
        store.create_campaign("bench", seed=1, now=BEGAN)
        store.save_revision("bench", protocol=protocol, material=material, difference="", now=BEGAN)
        for number in range(people):
            store.add_annotator("bench", name=f"annotator-{number:03d}", now=BEGAN)
        return _store(store, _events(Running(protocol, material, seed=1), people))


def _pair(name: str, known: dict[str, str]) -> Item:
    texts = {"text_a": f"The first sentence of {name}.", "text_b": f"Another one of {name}."}
    return Item(name, "pair", texts, known=known)


def _events(running: Running, people: int) -> Iterator[Event]:
    """People answer in turn, each with an error of their own around the truth about an item."""
    rng = np.random.default_rng(1)
    names = [f"annotator-{number:03d}" for number in range(people)]
    errors = dict(zip(names, rng.uniform(0.4, 2.0, people).tolist(), strict=True))
    truth = {item: float(rng.uniform(0, 5)) for item in running.items}
    now, key = BEGAN, 0

    def happen(events: list[Event]) -> Iterator[Event]:
        for event in events:
            numbered = replace(event, seq=running.seq + 1)
            running.apply(numbered)
            yield numbered

    for name in names:
        yield from happen(running.join(name, now))
    left = list(names)
    while left:
        for name in list(left):
            now += timedelta(seconds=2)
            place, events = running.next(name, now)
            yield from happen(events)
            if place.kind != "show" or place.item is None:
                left.remove(name)
                continue
            key += 1
            wanted = 4.0 if place.item.item.startswith("g") else truth[place.item.item]
            value = f"{np.clip(round(rng.normal(wanted, errors[name])), 0, 5):g}"
            later = now + timedelta(seconds=float(rng.gamma(4, 3)))
            answers = {"similarity": [Answer(value)]}
            given = Given(place.phase, place.item.item, place.item.version, answers, f"k{key}", focused=5.0)
            _, events = running.answer(name, given, later)
            yield from happen(events)


def _store(store: Store, events: Iterator[Event]) -> int:
    log, waiting, answers = store.log("bench"), list[Entry](), 0
    for event in events:
        waiting.append(log.entry(event, seq=event.seq))
        answers += event.kind == "answered"
        if len(waiting) >= CHUNK:
            _append(store, waiting)
    _append(store, waiting)
    return answers


def _append(store: Store, waiting: list[Entry]) -> None:
    if waiting:
        with store.writing() as connection:
            store.log("bench").append(connection, waiting)
        waiting.clear()


def measure(folder: Path) -> dict[str, float]:
    """Print, and give, milliseconds of CPU per page."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    store = open_store(folder)
    app = make_app(store, {"bench": Site("Bench")}, project=folder, clock=lambda: now)
    found: dict[str, float] = {}
    with TestClient(app) as client:
        known = {one.annotator for one in store.annotators("bench")}
        if "office" not in known:
            store.add_annotator("bench", name="office", role="admin", now=now)
        (token,) = store.invite("bench", annotator="office", now=now)
        client.get(f"/join/{token}")
        before = _memory()
        first = _cpu(lambda: client.get("/admin/bench"))
        print(f"first look, before anything was read: {first:.0f} ms")
        watch = app.state.office.watch("bench")
        beside = _cpu(watch.settle)
        client.get("/admin/bench")
        beside += _cpu(watch.settle)
        print(f"beside the requests: reading the log and all figures {beside / 1000:.1f} s of CPU")
        print(f"{'':<52}{'still':>10}{'at work':>10}")
        for page in PAGES:
            reply = client.get(page)
            assert reply.status_code == 200, (page, reply.status_code, reply.text[:300])
            still = min(_cpu(partial(client.get, page)) for _ in range(3))
            found[page] = min(_after_news(watch.engine, now, partial(client.get, page)) for _ in range(3))
            size = len(reply.content) / 1024
            print(f"{page:<52}{still:>7.0f} ms{found[page]:>7.0f} ms{size:>8.0f} KiB")
        print(f"the office adds {(_memory() - before) / 1024:.0f} MiB to the process at its peak")
    slow = {page: ms for page, ms in found.items() if ms > LIMIT}
    print(f"above {LIMIT} ms: {slow or 'none'}")
    return found


def _cpu(act: Callable[[], object]) -> float:
    gc.collect()
    began = time.process_time()
    act()
    return 1000 * (time.process_time() - began)


def _after_news(engine: Engine[Running], now: datetime, act: Callable[[], object]) -> float:
    """The same when something has happened since the last page."""
    engine.do(lambda running: (None, running.problem("annotator-001", "It rains.", now)))
    return _cpu(act)


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()

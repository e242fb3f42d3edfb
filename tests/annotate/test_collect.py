"""Collecting: the tables say what became of every answer, at any time."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kostra import tables
from kostra.annotate import store_reading
from kostra.annotate.campaigns import open_engine
from kostra.annotate.collecting import collect, collect_to
from kostra.annotate.engine import Engine
from kostra.annotate.store import Store
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given, Outcome
from kostra.campaign.protocol import Campaign, Phase, Question
from kostra.campaign.running import Running
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
QUESTIONS = (Question(name="similarity", low=0, high=5), Question(name="idea", at_most=3, impossible=True))
PROTOCOL = Campaign(phases=(Phase(name="main", task="rating", questions=QUESTIONS, overlap=1),))


def pair(name: str, *sentences: str) -> Item:
    return Item(name, "pair", {"text_a": "A horse.", "text_b": "A dgo."}, sentences=sentences)


ITEMS = {"p1": pair("p1", "s1", "s2"), "p2": pair("p2", "s3", "s2"), "p3": pair("p3", "s3", "s4")}
MATERIAL = Material(ITEMS, {("main", 0): tuple(ITEMS)})


class Site:
    """A campaign that can be answered in few words; its clock goes ten seconds with every step."""

    def __init__(self, engine: Engine[Running]) -> None:
        self.engine, self.now, self._keys = engine, NOON, 0

    def do(self, command: Any) -> Any:
        self.now += timedelta(seconds=10)
        return self.engine.do(lambda running: command(running, self.now))

    def join(self, *annotators: str, **options: Any) -> None:
        for name in annotators:
            self.do(lambda running, now, name=name: (None, running.join(name, now, **options)))

    def show(self, annotator: str) -> str:
        place = self.do(lambda running, now: running.next(annotator, now))
        return place.item.item if place.item else str(place.kind)

    def answer(self, annotator: str, item: str, value: str = "4", *, version: int = 1, **more: Any) -> str:
        self._keys += 1
        answers = {"similarity": [Answer(value)], **more.pop("answers", {})}
        given = Given("main", item, version, answers, key=f"k{self._keys}", **more)
        outcome: Outcome = self.do(lambda running, now: running.answer(annotator, given, now))
        return outcome.status

    def tell(self, kind: Any, annotator: str | None, **data: Any) -> None:
        self.do(lambda _, now: (None, [Event(kind, now, annotator, data)]))


@pytest.fixture
def site(store: Store) -> Iterator[Site]:
    store.save_revision("news", protocol=PROTOCOL, material=MATERIAL, difference="first", now=NOON)
    with open_engine(store, "news") as engine:
        yield Site(engine)


def statuses(store: Store) -> list[tuple[str, str, str]]:
    """What became of every answer; suggestions and validated wordings are rows of their own."""
    judgments = collect(store, "news")["judgments"].filter(pl.col("block") != "suggestions")
    return judgments.select("annotator", "item", "status").rows()


def test_a_campaign_without_answers_gives_empty_tables(store: Store, site: Site) -> None:
    found = collect(store, "news")
    assert {name: frame.height for name, frame in found.items()} == {"judgments": 0, "annotators": 0, "tuples": 0}
    assert found["judgments"].schema == tables.JUDGMENTS.dtypes


def test_every_question_and_place_in_a_list_is_a_judgment(store: Store, site: Site) -> None:
    site.join("ann")
    item = site.show("ann")
    ideas = {"idea": [Answer("one"), Answer(None, "impossible")]}
    assert site.answer("ann", item, "4.5", answers=ideas, focused=7.25, language="cs") == "answered"
    (first, second, third) = collect(store, "news")["judgments"].rows(named=True)
    assert first == {
        "judgment": "j-000003-1", "item": item, "version": 1, "question": "similarity", "annotator": "ann",
        "value": "4.5", "status": "answered", "phase": "main", "block": first["block"],
        "shown_at": NOON + timedelta(seconds=20), "answered_at": NOON + timedelta(seconds=30), "seconds": 7.25,
        "supersedes": None,
    }  # fmt: skip
    assert (second["judgment"], second["question"], second["value"]) == ("j-000003-2", "idea", "one")
    assert (third["judgment"], third["value"], third["status"]) == ("j-000003-3", None, "impossible")


def test_without_the_clients_account_the_servers_clock_counts(store: Store, site: Site) -> None:
    site.join("ann")
    site.answer("ann", site.show("ann"))
    assert collect(store, "news")["judgments"]["seconds"].to_list() == [10]


def test_an_answer_that_was_changed_is_superseded_by_name(store: Store, site: Site) -> None:
    site.join("ann")
    item = site.show("ann")
    site.answer("ann", item, "1", answers={"idea": [Answer("one")]})
    site.do(lambda running, now: running.undo("ann", now))
    site.answer("ann", item, "2", answers={"idea": [Answer("one"), Answer("two")]})
    found = collect(store, "news")["judgments"].select("judgment", "value", "status", "supersedes").rows()
    assert found == [
        ("j-000003-1", "1", "superseded", None),
        ("j-000003-2", "one", "superseded", None),
        ("j-000005-1", "2", "answered", "j-000003-1"),
        ("j-000005-2", "one", "answered", "j-000003-2"),
        ("j-000005-3", "two", "answered", None),  # there was no second idea to replace
    ]


def test_answers_of_somebody_who_was_stopped_are_discarded_and_counted_again_when_readmitted(
    store: Store, site: Site
) -> None:
    site.join("ann", "bob")
    first, second = site.show("ann"), site.show("bob")
    site.answer("ann", first)
    site.answer("bob", second)
    before = collect(store, "news")["judgments"]
    site.do(lambda running, now: (None, running.stop("ann", "gold", now)))
    assert statuses(store) == [("ann", first, "discarded"), ("bob", second, "answered")]
    people = collect(store, "news")["annotators"].rows()
    assert people == [("ann", "person", "annotator", "stopped: gold"), ("bob", "person", "annotator", None)]
    site.do(lambda running, now: (None, running.readmit("ann", now)))
    assert collect(store, "news")["judgments"].equals(before)


def test_an_answer_that_came_too_late_is_surplus(store: Store, site: Site) -> None:
    site.join("ann", "bob")
    item = site.show("ann")
    site.now += timedelta(hours=1)  # the lease has run out, and others get the item
    shown = {site.show("bob")}
    while item not in shown:
        site.answer("bob", max(shown))
        shown = {site.show("bob")}
    site.answer("bob", item)
    assert site.answer("ann", item) == "surplus"
    assert Counter(status for _, one, status in statuses(store) if one == item) == {"answered": 1, "surplus": 1}


def test_answers_to_a_wording_that_is_asked_again_are_superseded(store: Store, site: Site) -> None:
    site.join("ann")
    for _ in ITEMS:
        site.answer("ann", site.show("ann"))
    change = {"sentence": "s2", "before": "A dgo.", "after": "A dog.", "item": "p1", "error_type": ""}
    site.tell("corrected", "ann", **change, ask_again=True)
    assert sorted(statuses(store)) == [
        ("ann", "p1", "superseded"), ("ann", "p2", "superseded"), ("ann", "p3", "answered")
    ]  # fmt: skip
    again = site.show("ann")
    site.answer("ann", again, version=2)
    assert ("ann", again, "answered") in statuses(store)
    judgments = collect(store, "news")["judgments"]
    assert judgments.filter(pl.col("block") == "main")["version"].to_list() == [1, 1, 1, 2]
    assert judgments.filter(pl.col("block") == "suggestions")["value"].to_list() == ["A dog."]


def test_a_mended_wording_leaves_its_answers(store: Store, site: Site) -> None:
    site.join("ann")
    for _ in ITEMS:
        site.answer("ann", site.show("ann"))
    change = {"sentence": "s2", "before": "A dgo.", "after": "A dog.", "item": "p1", "error_type": ""}
    site.tell("corrected", "ann", **change, ask_again=False)
    assert [status for _, _, status in statuses(store)] == ["answered"] * 3


def test_kinds_and_roles_of_annotators_are_kept_apart(store: Store, site: Site) -> None:
    site.join("ann")
    site.join("gpt", kind="model")
    site.join("eve", role="linguist", kind="simulated")
    assert collect(store, "news")["annotators"].rows() == [
        ("ann", "person", "annotator", None), ("gpt", "model", "annotator", None),
        ("eve", "simulated", "linguist", None),
    ]  # fmt: skip


def test_names_of_judgments_stay_the_same_as_more_come(store: Store, site: Site) -> None:
    site.join("ann")
    site.answer("ann", site.show("ann"))
    before = collect(store, "news")["judgments"]
    site.answer("ann", site.show("ann"))
    assert collect(store, "news")["judgments"].head(1).equals(before)


def test_a_revised_campaign_is_collected_with_its_old_answers(store: Store, site: Site) -> None:
    site.join("ann")
    for _ in ITEMS:
        site.answer("ann", site.show("ann"))
    more = Material({**ITEMS, "p4": pair("p4", "s5", "s6")}, {("main", 0): (*ITEMS, "p4")})
    revision = store.save_revision("news", protocol=PROTOCOL, material=more, difference="p4", now=NOON)
    site.tell("revised", None, revision=revision)
    site.answer("ann", site.show("ann"))
    assert sorted(statuses(store)) == [("ann", name, "answered") for name in ("p1", "p2", "p3", "p4")]
    with store.connected() as connection:
        revisions = connection.exec_driver_sql("SELECT revision FROM judgments ORDER BY seq").scalars().all()
    assert revisions == [1, 1, 1, 2]


def test_an_unknown_campaign_is_named(store: Store) -> None:
    with pytest.raises(KostraError, match='unknown campaign "newz"'):
        collect(store, "newz")


@pytest.mark.parametrize("name", ["j.csv", "j.jsonl", "j.parquet", "j.csv.gz"])
def test_a_file_holds_what_collecting_gives(
    store: Store, site: Site, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_reading, "TOGETHER", 2)  # so that these few come in several pieces
    site.join("ann")
    for value in ("1", "2,5", '"3"'):
        ideas = {"idea": [Answer("more\nthan a line"), Answer(None, "impossible")]}
        site.answer("ann", site.show("ann"), value, answers=ideas)
    assert collect_to(store, "news", tmp_path / name) == 9
    assert tables.read(tmp_path / name, tables.JUDGMENTS).equals(collect(store, "news")["judgments"])
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_file_that_cannot_be_written_leaves_the_old_one(store: Store, site: Site, tmp_path: Path) -> None:
    target = tmp_path / "j.csv"
    target.write_text("old")
    with pytest.raises(KostraError, match="unknown campaign"):
        collect_to(store, "newz", target)
    assert target.read_text() == "old"
    with pytest.raises(KostraError, match="the folder does not exist"):
        collect_to(store, "news", tmp_path / "nowhere" / "j.csv")


def test_collecting_sees_one_moment_while_answers_come(store: Store, site: Site) -> None:
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.is_set():
            name = f"ann-{number}"
            site.join(name)
            item = site.show(name)
            if item in ITEMS:
                site.answer(name, item)
                site.do(lambda running, now, name=name: (None, running.stop(name, "test", now)))
            number += 1

    worker = threading.Thread(target=work)
    worker.start()
    try:
        found = [collect(store, "news") for _ in range(5)]
    finally:
        stop.set()
        worker.join()
    for one in found:
        known = one["annotators"]["annotator"]
        assert one["judgments"].filter(~pl.col("annotator").is_in(known.to_list())).is_empty()
    heights = [one["judgments"].height for one in found]
    assert heights == sorted(heights)


def test_tuples_that_an_adaptive_campaign_made_are_collected(store: Store) -> None:
    phase = Phase(name="main", task="best_worst", questions=(Question(name="best"), Question(name="worst")))
    protocol = Campaign(phases=(phase,), policy="adaptive")
    members = {f"s{number}": {"item": f"s{number}", "text": f"Sentence {number}."} for number in range(8)}
    material = Material({}, {("main", 0): ()}, members=members)
    store.save_revision("news", protocol=protocol, material=material, difference="first", now=NOON)
    with open_engine(store, "news") as engine:
        site = Site(engine)
        site.join("ann")
        shown = site.show("ann")
    made = collect(store, "news")["tuples"]
    assert shown in made["tuple"].to_list()
    mine = made.filter(pl.col("tuple") == shown)
    assert mine["position"].to_list() == [1, 2, 3, 4]
    assert set(mine["item"]) < set(members)

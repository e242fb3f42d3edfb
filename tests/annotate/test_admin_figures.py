"""The figures of the office are those that the statistics give for the collected judgments, at every moment."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.annotate.studies import NOON, SCALE, pairs

from kostra.annotate.admin import charts
from kostra.annotate.admin.findings import Asked
from kostra.annotate.admin.ledger import STATUSES, Answers, Ledger, kind_of
from kostra.annotate.admin.people import person_rows
from kostra.annotate.admin.progress import people_states
from kostra.annotate.admin.views import Aliases
from kostra.annotate.admin.watch import Watch
from kostra.annotate.campaigns import open_engine
from kostra.annotate.collecting import collect
from kostra.annotate.entry.pay import Tally, earned
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_log import Entry
from kostra.campaign.admission import Pay
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given, Place
from kostra.campaign.protocol import Block, Campaign, Gold, Phase, Question
from kostra.campaign.running import Running
from kostra.ratings import ratings_of
from kostra.reliability.annotators import annotator_table
from kostra.reliability.krippendorff_alpha import krippendorff_alpha
from kostra.reliability.split_half import split_half_best_worst

PEOPLE = ("ann", "bob", "cyd", "dot")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "campaign.db") as opened:
        yield opened


class Life:
    """A campaign whose log another process writes, not the one that is watched."""

    def __init__(self, store: Store, protocol: Campaign, material: Material) -> None:
        store.create_campaign("news", seed=1, now=NOON)
        store.save_revision("news", protocol=protocol, material=material, difference="", now=NOON)
        self.store, self.running, self.rng = store, Running(protocol, material, seed=1), np.random.default_rng(1)
        self.entries: list[Entry] = []
        for name in PEOPLE:
            self.happen(self.running.join(name, NOON))

    def happen(self, events: list[Event]) -> None:
        for event in events:
            entry = self.store.log("news").entry(event, seq=self.running.seq + 1)
            self.running.apply(entry.event)
            self.entries.append(entry)

    def lived(self, turns: int) -> Life:
        """People answer and change their minds, and one of them is excluded."""
        for turn in range(turns):
            for name in PEOPLE:
                self.turn(name, NOON + timedelta(minutes=turn), f"{name}-{turn}")
        self.happen(self.running.stop("dot", "excluded", NOON + timedelta(days=1)))
        return self.stored()

    def turn(self, name: str, now: datetime, key: str) -> None:
        place, events = self.running.next(name, now)
        self.happen(events)
        if place.item is None:
            return
        self.happen(self.running.answer(name, self.given(place, key), now + timedelta(seconds=20))[1])
        if self.rng.random() < 0.2 and self.running.next(name, now)[0].may_undo:
            reopened, events = self.running.undo(name, now + timedelta(seconds=30))
            self.happen(events)
            again = self.given(reopened, f"{key}-again")
            self.happen(self.running.answer(name, again, now + timedelta(seconds=40))[1])

    def given(self, place: Place, key: str) -> Given:
        item, rng = place.item, self.rng
        assert item is not None
        if item.kind == "tuple":
            best, worst = rng.choice([member["item"] for member in item.content["members"]], 2, replace=False)
            answers = {"best": [Answer(str(best))], "worst": [Answer(str(worst))]}
        else:
            answers = {"similarity": [Answer(str(rng.integers(6)))]}
        return Given(place.phase, item.item, 1, answers, key, focused=float(rng.integers(3, 15)))

    def stored(self) -> Life:
        with self.store.writing() as connection:
            self.store.log("news").append(connection, self.entries)
        self.entries = []
        return self

    def statuses(self) -> dict[int, str]:
        return {seq: record.status for seq, record in self.running.records.items()}


@pytest.fixture
def beside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def known(one: Answers) -> dict[int, str]:
    return {int(seq): STATUSES[int(status)] for seq, status in zip(one.seq, one.status, strict=True)}


def ratings() -> tuple[Campaign, Material]:
    items = {**pairs(20), **pairs(6, prefix="g", known={"similarity": "5"})}
    blocks = (Block(purpose="main"), Block(purpose="gold"), Block(purpose="repeat", items=3))
    gold = Gold(every=4, threshold=0.01, minimum=50, tolerance=1)
    phase = Phase(name="main", task="rating", questions=(SCALE,), overlap=3, blocks=blocks, gold=gold)
    held = {("main", 0): tuple(items)[:20], ("main", 1): tuple(items)[20:], ("main", 2): ()}
    return Campaign(phases=(phase,), pay=Pay(per_answer=0.3, per_hour=20)), Material(items, held)


def test_the_ledger_knows_what_became_of_every_answer_however_it_is_read(store: Store) -> None:
    life = Life(store, *ratings()).stored()
    with open_engine(store, "news") as engine:
        whole, piecewise = Ledger(store, engine, "news"), Ledger(store, engine, "news")
        whole.refresh()
        life.lived(12)
        assert {"answered", "superseded", "discarded"} <= set(life.statuses().values())
        assert whole.refresh(10_000)
        while not piecewise.refresh(7):
            pass
        assert known(whole.answers()) == known(piecewise.answers()) == life.statuses()
        before = life.statuses()
        life.happen(life.running.readmit("dot", NOON + timedelta(days=2)))
        life.stored()
        assert whole.refresh()
        assert known(whole.answers()) == life.statuses() != before


def test_agreement_of_ratings_is_that_of_the_collected_judgments(store: Store, beside: ThreadPoolExecutor) -> None:
    Life(store, *ratings()).lived(30)
    with open_engine(store, "news") as engine:
        watch = Watch(store, engine, "news", beside)
        findings = watch.findings(watch.look())
    judgments = collect(store, "news")["judgments"]
    assert findings is not None
    asked = Asked("main", "similarity", "rating")
    rated = ratings_of(judgments, "similarity", blocks=["main"])
    wanted = krippendorff_alpha(rated, level="interval", samples=0, rng=np.random.default_rng(1))
    found = findings.agreement[asked]
    assert found.value == pytest.approx(wanted.value, abs=1e-12)
    assert found.n == wanted.n
    assert found.low < found.value < found.high
    assert findings.history[asked][-1].value == pytest.approx(found.value)
    table = annotator_table(judgments.filter(pl.col("block") != "gold"), question="similarity")
    for row in table.filter(pl.col("answers") > 0).iter_rows(named=True):
        mine = findings.people[asked][row["annotator"]]
        assert mine.answers == row["answers"]
        assert mine.median_seconds == pytest.approx(row["median_seconds"])
        assert mine.agreement == pytest.approx(row["agreement"])


def test_gold_and_repeats_are_counted_by_the_log(store: Store, beside: ThreadPoolExecutor) -> None:
    Life(store, *ratings()).lived(40)
    with open_engine(store, "news") as engine:
        watch = Watch(store, engine, "news", beside)
        findings = watch.findings(watch.look())
    with store.reading() as connection:
        events = [one for one in store.log("news").all(connection) if one.kind == "answered"]
    assert findings is not None
    assert findings.gold is not None
    shares = [one.data["right_share"] for one in events if one.data["block_name"] == "gold"]
    assert findings.gold.value == pytest.approx(sum(shares) / len(shares))
    judgments = collect(store, "news")["judgments"].filter(pl.col("status") == "answered")
    earlier = judgments.filter(pl.col("block") != "repeat")
    twice = judgments.filter(pl.col("block") == "repeat").join(earlier, on=["annotator", "item"], suffix="_before")
    same = (twice["value"].cast(pl.Float64) - twice["value_before"].cast(pl.Float64)).abs() <= 1
    assert findings.repeats is not None
    assert findings.repeats.value == pytest.approx(same.mean())
    for figure, history in ((findings.gold, findings.gold_history), (findings.repeats, findings.repeats_history)):
        assert [point.answers for point in history] == sorted({point.answers for point in history})
        assert history[-1].value == pytest.approx(figure.value), "the last of its history is the figure"


def test_pay_is_what_the_payment_counts(store: Store, beside: ThreadPoolExecutor) -> None:
    protocol, material = ratings()
    assert protocol.pay is not None
    Life(store, protocol, material).lived(30)
    with open_engine(store, "news") as engine:
        watch = Watch(store, engine, "news", beside)
        rows = person_rows(watch.read(people_states), watch.look().answers, None, None, protocol, Aliases({}))
    tally = Tally(protocol.pay.longest_seconds)
    with store.reading() as connection:
        for event in store.log("news").all(connection):
            tally.learn(event)
    assert {row.shown: row.pay for row in rows} == {
        name: earned(one, protocol.pay).total for name, one in tally.work.items()
    }


def test_best_worst_answers_have_the_split_half_of_their_statistic(store: Store, beside: ThreadPoolExecutor) -> None:
    rng = np.random.default_rng(2)
    names = [f"s{number}" for number in range(12)]
    drawn = [rng.choice(names, 4, replace=False).tolist() for _ in range(24)]
    items = {
        f"t{number}": Item(f"t{number}", "tuple", {"members": [{"item": one, "text": one} for one in members]})
        for number, members in enumerate(drawn)
    }
    questions = (Question(name="best"), Question(name="worst"))
    phase = Phase(name="main", task="best_worst", questions=questions, overlap=3)
    Life(store, Campaign(phases=(phase,)), Material(items, {("main", 0): tuple(items)})).lived(24)
    with open_engine(store, "news") as engine:
        watch = Watch(store, engine, "news", beside)
        findings = watch.findings(watch.look())
    assert findings is not None
    judgments = collect(store, "news")["judgments"].filter(pl.col("status") == "answered")
    asked = Asked("main", "best and worst", "best_worst")
    best, worst = (judgments.filter(pl.col("question") == name) for name in ("best", "worst"))
    place = {name: number for number, name in enumerate(names)}
    tuples = np.array([[place[one] for one in drawn[int(item[1:])]] for item in best["item"]])
    chosen = [np.array([place[one] for one in part["value"]]) for part in (best, worst)]
    wanted = split_half_best_worst(tuples, *chosen, items=12, trials=400, rng=np.random.default_rng(5))
    found = findings.agreement[asked]
    assert found.value == pytest.approx(wanted.spearman, abs=0.12)  # of other random halves
    assert found.low < found.value < found.high
    assert set(findings.people[asked]) == {"ann", "bob", "cyd"}
    assert all(0 < one.spread < 1 for one in findings.disputed[asked])


def test_figures_of_many_answers_are_worked_out_beside_the_page(
    store: Store, beside: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kostra.annotate.admin.watch.FEW", 5)
    Life(store, *ratings()).lived(10)
    with open_engine(store, "news") as engine:
        watch = Watch(store, engine, "news", beside)
        seen = watch.look()
        assert watch.findings(seen) is None
        watch.settle()
        findings = watch.findings(seen)
        assert findings is not None
        assert findings.upto == seen.answers.upto


def test_a_long_log_is_read_beside_the_page(
    store: Store, beside: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ledger.refresh, "__defaults__", (10,))
    life = Life(store, *ratings()).lived(10)
    with open_engine(store, "news") as engine:
        watch = Watch(store, engine, "news", beside)
        first = watch.look()
        assert first.behind
        watch.settle()
        seen = watch.look()
        assert not seen.behind
        assert seen.answers.count == len(life.running.records)


def test_charts_are_well_formed_and_say_what_they_show() -> None:
    hostile = '<b>"&'
    dots = [charts.Dot(NOON + timedelta(days=day), 0.1 * day, -0.3, 0.9) for day in range(4)]
    for svg in (
        charts.bars(
            [charts.Bar(hostile, 3.0), charts.Bar("b", 0.0)], title=hostile, text=hostile, x_label="x", y_label="y"
        ),
        charts.bars([], title="t", text="d", x_label="x", y_label="y"),
        charts.line(dots, title=hostile, text=hostile, x_label="x", y_label="y"),
        charts.line(dots[:1], title="t", text="d", x_label="x", y_label="y"),
        charts.line([], title="t", text="d", x_label="x", y_label="y"),
    ):
        root = ET.fromstring(svg)
        named = {child.tag: child.attrib.get("id") for child in root if child.tag in ("title", "desc")}
        assert root.attrib["aria-labelledby"] == f"{named['title']} {named['desc']}"
        numbers = [float(value) for node in root.iter() for name, value in node.attrib.items() if name in ("x", "y")]
        assert all(math.isfinite(number) for number in numbers)
        assert "style" not in svg


def test_texts_that_people_wrote_are_not_kept_in_memory() -> None:
    phase = Phase(name="main", task="rewrite", questions=(Question(name="rewrite"),))
    assert kind_of(phase, "rewrite") == "text"

"""Simulated annotators over HTTP: they answer as people do, lose nothing when replies are lost, and know the end."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.annotate.serving import best_worst

from kostra.annotate.app import make_app
from kostra.annotate.collecting import collect
from kostra.annotate.rendering import Site
from kostra.annotate.simulating import Answering, Client, Report, answers_from, simulate
from kostra.annotate.store import Store, open_store
from kostra.annotate.visiting import Someone
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Block, Campaign, Check, Gold, Phase, Question
from kostra.campaign.simulated import SimulatedAnnotator
from kostra.errors import KostraError

SCALE = Question(name="similarity", low=0, high=5)
PAIRS = {f"p{n}": Item(f"p{n}", "pair", {"text_a": f"A cat {n}.", "text_b": f"A dog {n}."}) for n in range(6)}


@dataclass
class Faults:
    """An application around the site's that loses replies: the site does what it was asked, and nobody learns it."""

    app: Any
    lose: Counter[str] = field(default_factory=Counter)
    """Path → how many replies to lose."""
    broken: bool = False
    """Whether the connection breaks in the middle of the reply, rather than a proxy saying 502."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with self.lock:
            loses = scope["type"] == "http" and self.lose[scope["path"]] > 0
            self.lose[scope.get("path", "")] -= loses
        if not loses:
            await self.app(scope, receive, send)
            return

        async def nothing(_: Any) -> None:
            pass

        await self.app(scope, receive, nothing)
        length = b"9" if self.broken else b"0"
        await send({"type": "http.response.start", "status": 502, "headers": [(b"content-length", length)]})
        await send({"type": "http.response.body", "body": b"", "more_body": self.broken})


@dataclass
class Running:
    """A site behind a real server, in a thread of this process."""

    url: str
    store: Store
    faults: Faults
    protocol: Campaign

    def tokens(self, *names: str) -> dict[str, str]:
        now = datetime.now(UTC)
        for name in names:
            self.store.add_annotator("news", kind="simulated", name=name, now=now)
        return {name: self.store.invite("news", annotator=name, now=now)[0] for name in names}

    def answers(self, *names: str, careless: bool = False) -> Answering:
        people = [SimulatedAnnotator(name, noise=0.3, leaning=0, seconds=1, careless=careless) for name in names]
        return answers_from(self.protocol, people, seed=1)

    def simulate(self, *names: str, **options: Any) -> Report:
        answers = options.pop("answers", None) or self.answers(*names, careless=options.pop("careless", False))
        options = {"patience": 20, "waits": 2, "wait_seconds": 0.01, **options}
        return simulate(self.url, self.tokens(*names), answers=answers, **options)

    def stored(self) -> list[dict[str, Any]]:
        with self.store.reading() as connection:
            events = list(self.store.log("news").all(connection))
        return [{"annotator": event.annotator, **event.data} for event in events if event.kind == "answered"]


Serve = Callable[[Campaign, Material], Running]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    servers: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(protocol: Campaign, material: Material) -> Running:
        store, now = open_store(tmp_path / "campaign.db"), datetime.now(UTC)
        store.create_campaign("news", seed=1, now=now)
        store.save_revision("news", protocol=protocol, material=material, difference="the first", now=now)
        faults = Faults(make_app(store, {"news": Site("News")}, project=tmp_path))
        config = uvicorn.Config(faults, host="127.0.0.1", port=0, log_level="critical", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:  # it says so itself within milliseconds
            time.sleep(0.01)
        servers.append((server, thread))
        port = server.servers[0].sockets[0].getsockname()[1]
        return Running(f"http://127.0.0.1:{port}", store, faults, protocol)

    yield start
    for server, thread in servers:
        server.should_exit = True
        thread.join(timeout=20)


def rating(items: Mapping[str, Item] = PAIRS, **changes: Any) -> tuple[Campaign, Material]:
    phase = Phase(**{"name": "main", "task": "rating", "questions": (SCALE,), **changes})
    return Campaign(phases=(phase,)), Material(items, {("main", 0): tuple(items)})


def test_what_is_acknowledged_is_stored_once_and_everybody_finishes(serve: Serve) -> None:
    site = serve(*best_worst(20, overlap=3))
    names = [f"simulated-{number}" for number in range(5)]
    report = site.simulate(*names)
    assert set(report.ends.values()) == {"finished"}
    assert not report.refused
    assert Counter(one.key for one in report.acknowledged) == Counter(one["key"] for one in site.stored())
    assert Counter(one.item for one in report.acknowledged) == {f"t{number}": 3 for number in range(20)}
    people = collect(site.store, "news")["annotators"]
    assert set(people["kind"]) == {"simulated"}


@pytest.mark.parametrize("broken", [False, True])
def test_an_answer_whose_reply_is_lost_is_sent_again_under_the_same_key(serve: Serve, broken: bool) -> None:
    site = serve(*rating())
    site.faults.broken = broken
    site.faults.lose["/api/v1/answers"] = 4
    report = site.simulate("ann")
    assert report.ends == {"ann": "finished"}
    assert sum(one.resent for one in report.acknowledged) == 4
    assert sorted(one.key for one in report.acknowledged) == sorted(one["key"] for one in site.stored())
    assert len(site.stored()) == len(PAIRS)


def test_a_lost_reply_to_the_invitation_or_to_what_comes_next_does_no_harm(serve: Serve) -> None:
    site = serve(*rating())
    tokens = site.tokens("ann")
    site.faults.lose[f"/join/{tokens['ann']}"] = 1
    site.faults.lose["/api/v1/next"] = 2
    report = simulate(site.url, tokens, answers=site.answers("ann"))
    assert report.ends == {"ann": "finished"}
    assert len(site.stored()) == len(PAIRS)


def test_texts_checks_and_a_pause_are_gone_through(serve: Serve) -> None:
    check = Check(prompt="What counts?", choices=("meaning", "length"), right="meaning")
    blocks = (
        Block(purpose="instructions", text="Read."),
        Block(purpose="qualification", checks=(check,)),
        Block(purpose="main"),
    )
    first = Phase(name="main", task="rating", questions=(SCALE,), blocks=blocks)
    later = Phase(name="later", task="rating", questions=(SCALE,), after="main", pause_hours=72)
    text = Item("text", "text", {"title": "Instructions", "text": "Read."})
    asked = Item(
        "asked", "check", {"prompt": check.prompt, "choices": ["meaning", "length"]}, known={"check": "meaning"}
    )
    stands = {("main", 0): ("text",), ("main", 1): ("asked",), ("main", 2): tuple(PAIRS), ("later", 0): tuple(PAIRS)}
    site = serve(Campaign(phases=(first, later)), Material({"text": text, "asked": asked, **PAIRS}, stands))
    report = site.simulate("ann")
    assert report.ends == {"ann": "pause"}
    assert [one.item for one in report.acknowledged[:2]] == ["text", "asked"]
    assert len(report.acknowledged) == 2 + len(PAIRS)


def test_who_must_wait_for_others_waits_a_while_and_goes_home(serve: Serve) -> None:
    site = serve(*rating({"p0": PAIRS["p0"]}))
    client = Client(site.url)
    client.join(site.tokens("holder")["holder"])
    assert client.ask("POST", "/api/v1/next").data["place"]["kind"] == "show"
    assert site.simulate("ann").ends == {"ann": "waiting"}
    client.close()


def test_who_answers_at_random_is_stopped_by_gold(serve: Serve) -> None:
    known = {f"g{n}": Item(f"g{n}", "pair", PAIRS[f"p{n}"].content, known={"similarity": "7"}) for n in range(4)}
    site = serve(*rating({**PAIRS, **known}, gold=Gold(every=1, minimum=2)))
    assert site.simulate("ann", careless=True).ends == {"ann": "stopped"}


def test_who_has_done_enough_goes_home(serve: Serve) -> None:
    site = serve(*rating())
    told: list[int] = []
    report = site.simulate("ann", most=2, told=told.append, think=lambda _: 0.01)
    assert report.ends == {"ann": "enough"}
    assert told == [1, 2]
    assert [one["focused"] for one in site.stored()] == [0.01, 0.01]


def someone(site: Running, name: str = "ann") -> Someone:
    return Someone(name, site.tokens(name)[name], Client(site.url), site.answers(name), lambda _: None)


@pytest.mark.parametrize("by_link", [False, True])
def test_who_leaves_in_the_middle_of_an_item_comes_back_to_it(serve: Serve, by_link: bool) -> None:
    site = serve(*rating())
    ann = someone(site)
    ann.come()
    assert ann.sit(2) == "enough"
    assert ann.place is not None
    left_open = ann.place["item"]["item"]
    ann.client.close()
    ann.come(by_link=by_link)
    assert ann.sit(1) == "enough"
    assert [one["item"] for one in site.stored()][2] == left_open
    assert ann.sit() == "finished"
    assert len(site.stored()) == len(PAIRS)
    ann.client.close()


def test_an_answer_that_is_sent_twice_or_in_a_second_window_is_stored_once(serve: Serve) -> None:
    site = serve(*rating())
    ann = someone(site)
    ann.come()
    ann.sit(1)
    again, second = ann.send_again(), ann.send_again("another key")
    assert (again.status, again.data["repeated"], second.status) == (200, True, 409)
    assert len(site.stored()) == 1
    ann.client.close()


def test_who_changes_their_mind_supersedes_the_last_answer(serve: Serve) -> None:
    site = serve(*rating())
    ann = someone(site)
    ann.come()
    assert not ann.change_mind()
    ann.sit(1)
    assert ann.change_mind()
    ann.sit(1)
    first, second = site.stored()
    assert first["item"] == second["item"]
    assert collect(site.store, "news")["judgments"]["status"].to_list() == ["superseded", "answered"]
    ann.client.close()


def test_refused_answers_are_reported_and_do_not_go_on_for_ever(serve: Serve) -> None:
    site = serve(*rating())
    report = site.simulate("ann", answers=lambda *_: {"similarity": 99})
    assert report.ends == {"ann": "refused"}
    assert "from 0 to 5" in report.refused[0].reason
    assert not site.stored()


def test_one_who_fails_does_not_take_the_others_along(serve: Serve) -> None:
    site = serve(*rating(overlap=2))
    tokens = {**site.tokens("ann"), "bob": "no such invitation"}
    report = simulate(site.url, tokens, answers=site.answers("ann"))
    assert report.ends == {"ann": "finished", "bob": "failed"}
    assert "404" in report.wrong["bob"]
    assert "answers acknowledged" in report.summary()


def test_a_site_that_cannot_be_reached_is_given_up_after_a_while() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        report = simulate(url, {"ann": "token"}, answers=lambda *_: {}, patience=0.1)
    assert report.ends == {"ann": "lost"}
    assert "cannot be reached" in report.wrong["ann"]


def test_it_ends_early_if_it_is_told_to(serve: Serve) -> None:
    site = serve(*rating())
    stop = threading.Event()
    report = site.simulate("ann", stop=stop, told=lambda _: stop.set(), think=lambda _: 0.001)
    assert report.ends == {"ann": "interrupted"}
    assert len(report.acknowledged) == 1


@pytest.mark.parametrize("url", ["ftp://host", "http://", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(KostraError, match="not the address of a site"):
        Client(url)

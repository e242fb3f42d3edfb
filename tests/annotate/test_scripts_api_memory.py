"""A stream of judgments needs the same memory, however many there are: the real site, as a process of its own."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import zlib
from datetime import timedelta
from itertools import chain
from pathlib import Path

import psutil
import pytest
from tests.annotate.serving import NOON, Serving

from kostra.annotate.store import open_store
from kostra.annotate.store_log import Entry
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign, Phase, Question

ROWS = int(os.environ.get("KOSTRA_ROWS", "60000"))
"""Set it to 1000000 for the figures in the note."""
QUESTIONS, ITEMS = 4, 500
MOST = 40 * 2**20
"""Bytes by which the server may grow while it streams."""


def filled(url: str, rows: int) -> str:
    """A store with so many judgments, written as the engine would; gives a token that may read them."""
    answers = rows // QUESTIONS
    names = [f"annotator-{number:04d}" for number in range(-(-answers // ITEMS))]
    asked = tuple(Question(name=f"q{number}", low=0, high=5) for number in range(QUESTIONS))
    texts = {"text_a": "Kůň běží po louce.", "text_b": "Pes spí v boudě."}
    items = {f"p{number}": Item(f"p{number}", "pair", texts) for number in range(ITEMS)}
    phase = Phase(name="main", task="rating", overlap=len(names), questions=asked)
    with open_store(url) as store:
        store.create_campaign("news", seed=1, now=NOON)
        store.save_revision(
            "news", protocol=Campaign(phases=(phase,)), material=Material(items, {("main", 0): tuple(items)}),
            difference="the first", now=NOON,
        )  # fmt: skip
        log, waiting = store.log("news"), list[Entry]()
        events = [Event("joined", NOON, name, {"role": "annotator", "kind": "person"}) for name in names]

        def store_waiting() -> None:
            with store.writing() as connection:
                log.append(connection, waiting)
            waiting.clear()

        happened = chain(events, (_answer(number, names) for number in range(answers)))
        for seq, event in enumerate(happened, 1):
            waiting.append(log.entry(event, seq=seq))
            if len(waiting) == 5_000:
                store_waiting()
        store_waiting()
        return store.make_api_token("export", role="read", campaign=None, actor="test", expires_at=None, now=NOON)


def _answer(number: int, names: list[str]) -> Event:
    at = NOON + timedelta(seconds=number)
    answers = {f"q{question}": [[str((number + question) % 6), "answered"]] for question in range(QUESTIONS)}
    data = {
        "phase": "main", "block": 0, "item": f"p{number % ITEMS}", "version": 1, "answers": answers,
        "status": "answered", "key": f"k{number}", "shown_at": (at - timedelta(seconds=9)).isoformat(), "focused": 7.5,
        "language": "cs", "revision": 1, "supersedes": None, "right": None, "notes": {},
    }  # fmt: skip
    return Event("answered", at, names[number // ITEMS], data)


@pytest.mark.long
def test_a_stream_of_all_judgments_does_not_grow_the_server(store_url: str, tmp_path: Path) -> None:
    token = filled(store_url, ROWS)
    serving = Serving(store_url, "news", folder=tmp_path).start()
    try:
        process = psutil.Process(serving.pid)
        for query, unpack in (("format=ndjson", False), ("format=csv", True)):
            asked(serving, token, "limit=4000", unpack=unpack, process=process)  # what is made once is made
            before = process.memory_info().rss
            rows, peak = asked(serving, token, query, unpack=unpack, process=process)
            assert rows == ROWS + (query == "format=csv")
            print(f"{query}: {rows:,} lines, {before / 2**20:.0f} MiB before, {(peak - before) / 2**20:+.1f} MiB")
            assert peak - before < MOST
    finally:
        serving.stop()


def asked(serving: Serving, token: str, query: str, *, unpack: bool, process: psutil.Process) -> tuple[int, int]:
    """Lines of a stream, and the most memory that the server had meanwhile."""
    connection = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=120)
    headers = {"Authorization": f"Bearer {token}", **({"Accept-Encoding": "gzip"} if unpack else {})}
    connection.request("GET", f"/api/v1/campaigns/news/judgments?{query}", headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    unpacker = zlib.decompressobj(wbits=31) if unpack else None
    rows, peak, last = 0, process.memory_info().rss, b""
    while part := response.read1(1 << 16):
        text = unpacker.decompress(part) if unpacker is not None else part
        rows += text.count(b"\n")
        last = (last + text)[-1000:]
        peak = max(peak, process.memory_info().rss)
    connection.close()
    if not unpack:
        assert json.loads(last.splitlines()[-1])["question"] == f"q{QUESTIONS - 1}"
    return rows, peak


def test_a_packed_stream_is_whole_gzip() -> None:
    from kostra.annotate.scripts_api.judgments import _gzipped

    parts = [b"one\n" * 1000, b"", b"two\n"]
    assert gzip.decompress(b"".join(_gzipped(iter(parts)))) == b"".join(parts)

"""Backups of stores in use, restored into empty stores of either kind."""

from __future__ import annotations

import gzip
import json
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kostra.annotate.backups import backup, restore
from kostra.annotate.campaigns import open_engine
from kostra.annotate.store import Store
from kostra.annotate.store_reading import layouts, table_rows
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given
from kostra.campaign.protocol import Campaign, Phase, Question
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=30)
PROTOCOL = Campaign(phases=(Phase(name="main", task="rewrite", questions=(Question(name="rewrite"),), overlap=9999),))
ITEMS = {f"s{number}": Item(f"s{number}", "sentence", {"text": f"Věta {number}."}) for number in range(5)}
MATERIAL = Material(ITEMS, {("main", 0): tuple(ITEMS)})


def answer(engine: Any, annotator: str, text: str) -> None:
    place = engine.do(lambda running: running.next(annotator, NOON))
    given = Given("main", place.item.item, 1, {"rewrite": [Answer(text)]}, key=f"{annotator} {place.item.item}")
    engine.do(lambda running: running.answer(annotator, given, NOON + timedelta(seconds=5, microseconds=3)))


def filled(store: Store) -> Store:
    """A store with something in every table."""
    store.save_revision("news", protocol=PROTOCOL, material=MATERIAL, difference="first", now=NOON)
    (token,) = store.invite("news", expires_at=LATER, now=NOON)
    store.redeem(token, lasts_until=LATER, now=NOON, name="fox")
    store.invite("news", uses="shared", now=NOON)
    with open_engine(store, "news") as engine:
        engine.do(lambda running: (None, running.join("fox", NOON)))
        for text in ('a "quoted"\nline', "žluťoučký \u2028 kůň \\u0041", "עברית"):
            answer(engine, "fox", text)
    store.put_draft("news", "fox", "main", "s4", {"rewrite": "Vě"}, now=NOON)
    store.record("paused", campaign="news", actor="boss", data={"reason": "oběd"}, now=NOON)
    store.add_message("news", "Děkujeme.", annotator=None, actor="boss", now=NOON)
    store.mark_read("news", "fox", [1], now=LATER)
    store.make_api_token("script", role="read", campaign="news", actor="boss", expires_at=LATER, now=NOON)
    store.set_contact("news", "fox", name="Anna", mail="anna@example.org", visit={"study": "1"}, now=NOON)
    store.add_consent("news", "fox", "1", given=True, now=NOON)
    store.put_replies("news", "fox", {"age": "30"}, now=NOON)
    store.set_account("news", "fox", name="anna", password="$argon2id$…", now=NOON)
    store.add_annotator("news", name="hen", now=NOON)
    store.erase("news", "hen", now=LATER)
    return store


@pytest.fixture
def full(store: Store) -> Store:
    return filled(store)


@pytest.fixture
def full_sqlite(tmp_path: Path, open_url: Callable[[str], Store]) -> Store:
    made = open_url(str(tmp_path / "campaign.db"))
    made.create_campaign("news", seed=1, now=NOON)
    return filled(made)


def contents(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.reading() as connection:
        return {layout.name: sorted(table_rows(connection, layout), key=repr) for layout in layouts()}


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of another store that does not exist yet, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'restored.db'}"
    url: str = request.getfixturevalue("new_database")()
    return url


def test_a_backup_restores_into_either_kind_of_store(
    full: Store, empty_url: str, tmp_path: Path, open_url: Callable[[str], Store]
) -> None:
    made = backup(full, tmp_path / "b.jsonl.gz", now=NOON)
    found = restore(tmp_path / "b.jsonl.gz", empty_url)
    before = contents(full)
    assert made == found
    assert found.rows == {name: len(rows) for name, rows in before.items()}
    assert all(found.rows.values())
    restored = open_url(empty_url)
    assert contents(restored) == before
    with open_engine(restored, "news") as engine:  # and the campaign goes on
        answer(engine, "fox", "čtvrtá")
    with pytest.raises(KostraError, match="only appended to"), restored.writing() as connection:
        connection.exec_driver_sql("DELETE FROM judgments")


def test_a_copy_of_a_sqlite_store_can_be_opened_as_it_is_and_restored(
    full_sqlite: Store, empty_url: str, tmp_path: Path, open_url: Callable[[str], Store]
) -> None:
    copy = tmp_path / "copy.db"
    made = backup(full_sqlite, copy, now=NOON)
    assert not list(tmp_path.glob("copy.db-*"))  # one file, whole
    whole = copy.read_bytes()
    assert restore(copy, empty_url) == made
    assert copy.read_bytes() == whole
    before = contents(full_sqlite)
    assert contents(open_url(empty_url)) == before
    assert contents(open_url(str(copy))) == before


def test_a_backup_shows_one_moment_while_others_write(full: Store, tmp_path: Path) -> None:
    """Events and judgments of a backup fit together, and the writers are not held up."""
    stop, written = threading.Event(), threading.Semaphore(0)

    def write(engine: Any) -> None:
        number = 0
        while not stop.is_set():
            name = f"ann-{number}"
            engine.do(lambda running, name=name: (None, running.join(name, NOON)))
            answer(engine, name, "x")
            written.release()
            number += 1

    with open_engine(full, "news") as engine:
        writer = threading.Thread(target=write, args=(engine,))
        writer.start()
        try:
            for number in range(3):
                assert written.acquire(timeout=20)  # something new since the last one
                path = tmp_path / f"{number}.jsonl.gz"
                backup(full, path, now=NOON)
                restore(path, tmp_path / f"{number}.db")
                if full.dialect == "sqlite":
                    backup(full, tmp_path / f"{number}-copy.db", now=NOON)
        finally:
            stop.set()
            writer.join()
    for file in tmp_path.glob("[0-9]*.db"):
        with sqlite3.connect(file) as connection:
            seqs = [seq for (seq,) in connection.execute("SELECT seq FROM events ORDER BY seq")]
            answered = connection.execute("SELECT seq FROM events WHERE kind = 'answered' ORDER BY seq").fetchall()
            judged = connection.execute("SELECT seq FROM judgments ORDER BY seq").fetchall()
        connection.close()
        assert seqs == list(range(1, len(seqs) + 1))
        assert answered == judged


def test_a_store_that_holds_something_is_not_overwritten(full: Store, tmp_path: Path) -> None:
    backup(full, tmp_path / "b.jsonl.gz", now=NOON)
    before = contents(full)
    with pytest.raises(KostraError, match="there are campaigns in this store already"):
        restore(tmp_path / "b.jsonl.gz", full.url.render_as_string(hide_password=False))
    assert contents(full) == before


@pytest.fixture
def saved(full_sqlite: Store, tmp_path: Path) -> Path:
    path = tmp_path / "b.jsonl.gz"
    backup(full_sqlite, path, now=NOON)
    return path


def lines(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def test_a_damaged_backup_is_refused_and_leaves_nothing(saved: Path, tmp_path: Path) -> None:
    whole, packed = lines(saved), saved.read_bytes()
    changed = [line.replace(b"fox", b"fix") for line in whole]
    damages = {
        "its checksum is wrong": [gzip.compress(b"".join(changed)), gzip.compress(b"".join(whole[:5] + whole[6:]))],
        "its end is missing": [gzip.compress(b"".join(whole[:-1]))],
        "a line is cut short": [gzip.compress(b"".join(whole)[:-9])],
        "it cannot be unpacked": [packed[:-20], packed[:60] + b"damage" + packed[66:]],
    }
    for why, files in damages.items():
        for damaged in files:
            saved.write_bytes(damaged)
            with pytest.raises(KostraError, match=f"the backup is damaged: {why}"):
                restore(saved, tmp_path / "restored.db")
            assert not list(tmp_path.glob("restored.db*"))


def test_a_damaged_backup_leaves_an_empty_postgresql_store_empty(saved: Path, postgres_url: str) -> None:
    whole = lines(saved)
    saved.write_bytes(gzip.compress(b"".join(whole[:-1])))
    with pytest.raises(KostraError, match="its end is missing"):
        restore(saved, postgres_url)
    saved.write_bytes(gzip.compress(b"".join(whole)))
    assert restore(saved, postgres_url).rows["judgments"] == 3


def test_a_backup_of_a_newer_kostra_is_refused(saved: Path, tmp_path: Path) -> None:
    first, *rest = lines(saved)
    newer = json.dumps(json.loads(first) | {"revision": "9999"}).encode() + b"\n"
    saved.write_bytes(gzip.compress(newer + b"".join(rest)))
    with pytest.raises(KostraError, match="newer kostra"):
        restore(saved, tmp_path / "restored.db")


@pytest.mark.parametrize("content", [b"{}\n", b"[1]\n", None])
def test_what_is_no_backup_is_refused(content: bytes | None, tmp_path: Path) -> None:
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(content) if content else b"item,value\n")
    with pytest.raises(KostraError, match="this is not a backup"):
        restore(tmp_path / "b.jsonl.gz", tmp_path / "restored.db")


def test_a_sqlite_database_of_another_program_is_no_backup(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    with pytest.raises(KostraError, match="no store of kostra's"):
        restore(tmp_path / "other.db", tmp_path / "restored.db")


def test_a_backup_that_is_not_there_or_has_a_strange_name_is_refused(full: Store, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="No such file"):
        restore(tmp_path / "b.jsonl.gz", tmp_path / "restored.db")
    with pytest.raises(KostraError, match="does not tell the form"):
        backup(full, tmp_path / "b.zip", now=NOON)
    with pytest.raises(KostraError, match="the folder does not exist"):
        backup(full, tmp_path / "nowhere" / "b.jsonl.gz", now=NOON)
    if full.dialect == "postgresql":
        with pytest.raises(KostraError, match="does not tell the form"):
            backup(full, tmp_path / "b.db", now=NOON)

"""The store: both kinds of database behave alike."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from kostra.annotate.store import DRAFT_BYTES, Store, open_store
from kostra.annotate.store_log import encoded
from kostra.annotate.tokens import Sessions
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.material import Material
from kostra.campaign.protocol import Campaign, Phase
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=30)
PROTOCOL = Campaign(phases=(Phase(name="main", task="rating"),))


def pairs(*ids: str, text: str = "A horse.") -> Material:
    items = {name: Item(name, "pair", {"text_a": text, "text_b": "A dog."}) for name in ids}
    return Material(items, {("main", 0): ids}, {"pairs": ids})


def answered(**changes: Any) -> Event:
    data = {
        "phase": "main", "block": 0, "block_name": "main", "item": "p1", "version": 1, "status": "answered", "key": "k",
        "answers": {"similarity": [["4", "answered"]]}, "shown_at": NOON.isoformat(), "focused": 3.5,
        "language": "cs", "revision": 1, "supersedes": None, "right": None, "notes": {},
    }  # fmt: skip
    return Event("answered", NOON + timedelta(seconds=9), "ann", data | changes)


def append(store: Store, *events: Event) -> None:
    log = store.log("news")
    with store.writing() as connection:
        log.lock(connection)
        last = max((event.seq for event in log.newer(connection, 0)), default=0)
        log.append(connection, [log.entry(event, seq=last + place) for place, event in enumerate(events, 1)])


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    with store.connected() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


# Campaigns and revisions -----------------------------------------------------------------------------------


def test_a_campaign_is_created_once(store: Store) -> None:
    store.create_campaign("news", seed=2, now=LATER)
    store.create_campaign("other", seed=2, now=LATER)
    assert store.campaigns() == ["news", "other"]
    assert rows(store, "SELECT seed FROM campaigns ORDER BY created_at") == [(1,), (2,)]


def test_a_revision_comes_back_as_it_was_saved(store: Store) -> None:
    saved = store.save_revision("news", protocol=PROTOCOL, material=pairs("p2", "p1"), difference="first", now=NOON)
    found = store.load_material("news")
    assert (saved, found.revision, found.at, found.seed, found.difference) == (1, 1, NOON, 1, "first")
    assert found.protocol == PROTOCOL
    assert found.material == pairs("p2", "p1")
    assert list(found.material.items) == ["p2", "p1"]


def test_later_revisions_add_change_and_drop_items_and_leave_the_earlier_ones_alone(store: Store) -> None:
    store.save_revision("news", protocol=PROTOCOL, material=pairs("p1", "p2"), difference="first", now=NOON)
    second = pairs("p3", "p1")
    changed = replace(second.items["p1"], content={"text_a": "A cat.", "text_b": "A dog."}, version=2)
    second = second.with_item(changed)
    other = PROTOCOL.model_copy(update={"lease_minutes": 5.0})
    assert store.save_revision("news", protocol=other, material=second, difference="p3 for p2", now=LATER) == 2
    assert store.load_material("news", 1).material == pairs("p1", "p2")
    assert store.load_material("news").material == second
    assert store.load_material("news", 2).protocol.lease_minutes == 5
    assert store.revisions("news") == [(1, NOON, "first"), (2, LATER, "p3 for p2")]


def test_items_that_did_not_change_are_not_stored_again(store: Store) -> None:
    for number in range(3):
        store.save_revision("news", protocol=PROTOCOL, material=pairs("p1", "p2"), difference=str(number), now=NOON)
    assert rows(store, "SELECT count(*) FROM items") == [(2,)]


def test_an_unknown_campaign_or_revision_is_named(store: Store) -> None:
    with pytest.raises(KostraError, match='unknown campaign "newz"') as caught:
        store.load_material("newz")
    assert caught.value.remedy == 'did you mean "news"?'
    with pytest.raises(KostraError, match="has no revision yet"):
        store.load_material("news")
    store.save_revision("news", protocol=PROTOCOL, material=pairs("p1"), difference="", now=NOON)
    with pytest.raises(KostraError, match="has no revision 7 yet"):
        store.load_material("news", 7)


# The log ---------------------------------------------------------------------------------------------------


def test_events_come_back_equal_in_order(store: Store) -> None:
    events = [
        Event("joined", NOON, "ann", {"role": "annotator", "kind": "person"}),
        Event("made", NOON + timedelta(microseconds=1), None, {"phase": "main", "item": "t", "members": ["a", "ž"]}),
        answered(notes={"pasted": ["similarity"]}),
    ]
    append(store, *events)
    with store.reading() as connection:
        found = list(store.log("news").all(connection))
        assert found == [replace(event, seq=seq) for seq, event in enumerate(events, 1)]
        assert store.log("news").newer(connection, 2) == found[2:]
        assert store.log("other").newer(connection, 0) == []


def test_an_answer_is_one_row_per_question_and_place(store: Store) -> None:
    answers = {"idea": [["one", "answered"], ["two", "answered"]], "name": [[None, "impossible"]]}
    append(store, answered(answers=answers, notes={"pasted": ["idea"]}, supersedes=7, revision=3))
    found = rows(
        store, "SELECT seq, number, question, place, value, given, status, block FROM judgments ORDER BY number"
    )
    assert found == [
        (1, 1, "idea", 1, "one", "answered", "answered", "main"),
        (1, 2, "idea", 2, "two", "answered", "answered", "main"),
        (1, 3, "name", 1, None, "impossible", "answered", "main"),
    ]
    others = "SELECT DISTINCT seconds, focused_seconds, supersedes, revision, language, notes FROM judgments"
    assert rows(store, others) == [(9.0, 3.5, 7, 3, "cs", '{"pasted":["idea"]}')]


def test_the_client_is_not_believed_beyond_the_servers_clock(store: Store) -> None:
    append(store, answered(focused=1000))
    assert rows(store, "SELECT seconds, focused_seconds FROM judgments") == [(9.0, 9.0)]


@pytest.mark.parametrize("table", ["events", "judgments"])
@pytest.mark.parametrize("change", ["UPDATE {} SET seq = 9", "DELETE FROM {}"])
def test_log_and_judgments_cannot_be_changed_or_deleted(store: Store, table: str, change: str) -> None:
    append(store, answered())
    with pytest.raises(KostraError, match="only appended to"), store.writing() as connection:
        connection.exec_driver_sql(change.format(table))
    assert rows(store, f"SELECT seq FROM {table}") == [(1,)]


def test_the_same_key_is_not_stored_twice_for_one_annotator(store: Store) -> None:
    append(store, answered())
    append(store, replace(answered(), annotator="bob"), answered(key="another"))
    with pytest.raises(KostraError):
        append(store, answered(item="p2"))
    assert rows(store, "SELECT count(*) FROM events") == [(3,)]


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d pair"])
def test_text_that_a_database_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(KostraError, match="NUL character or half of a surrogate pair"):
        encoded({"value": text})


def test_a_backslash_before_u0000_is_only_text() -> None:
    assert encoded("\\u0000") == '"\\\\u0000"'


# People ----------------------------------------------------------------------------------------------------


def test_pseudonyms_are_numbered_given_and_unique(store: Store) -> None:
    names = [store.add_annotator("news", now=NOON), store.add_annotator("news", name="annotator-003", now=NOON)]
    names += [store.add_annotator("news", now=NOON), store.add_annotator("news", role="judge", kind="model", now=NOON)]
    assert names == ["annotator-001", "annotator-003", "annotator-004", "judge-004"]
    with pytest.raises(KostraError, match="there is an annotator"):
        store.add_annotator("news", name="annotator-001", now=NOON)
    with pytest.raises(KostraError, match="cannot be a pseudonym"):
        store.add_annotator("news", name="a\nb", now=NOON)
    store.create_campaign("other", seed=1, now=NOON)
    assert store.add_annotator("other", now=NOON) == "annotator-001"
    assert [(one.role, one.kind) for one in store.annotators("news")][-1] == ("judge", "model")


def test_a_personal_invitation_lets_the_same_person_in_again(store: Store) -> None:
    (token,) = store.invite("news", role="judge", now=NOON)
    first, session = store.redeem(token, lasts_until=LATER, now=NOON)
    again, same_person = store.redeem(token, lasts_until=LATER, now=NOON)
    assert first != again
    assert session == same_person
    assert (session.annotator, session.role, session.campaign) == ("judge-001", "judge", "news")
    assert store.session(first, now=NOON) == store.session(again, now=NOON) == session


def test_a_single_use_invitation_works_once(store: Store) -> None:
    (token,) = store.invite("news", uses="once", now=NOON)
    store.redeem(token, lasts_until=LATER, now=NOON)
    with pytest.raises(KostraError, match="used already"):
        store.redeem(token, lasts_until=LATER, now=NOON)
    assert len(store.annotators("news")) == 1


def test_a_shared_invitation_lets_new_people_in(store: Store) -> None:
    (token,) = store.invite("news", uses="shared", now=NOON)
    names = [store.redeem(token, lasts_until=LATER, now=NOON)[1].annotator for _ in range(3)]
    assert names == ["annotator-001", "annotator-002", "annotator-003"]


def test_an_invitation_can_be_for_somebody_who_is_there(store: Store) -> None:
    store.add_annotator("news", name="fox", role="leader", now=NOON)
    (token,) = store.invite("news", annotator="fox", now=NOON)
    assert store.redeem(token, lasts_until=LATER, now=NOON)[1].role == "leader"
    with pytest.raises(KostraError, match='unknown annotator "fix"'):
        store.invite("news", annotator="fix", now=NOON)
    with pytest.raises(KostraError, match="shared link"):
        store.invite("news", annotator="fox", uses="shared", now=NOON)


def test_unknown_expired_and_withdrawn_invitations_are_refused(store: Store) -> None:
    expired, withdrawn = store.invite("news", 2, expires_at=NOON, now=NOON - timedelta(days=1))
    store.withdraw(withdrawn)
    for token, reason in (("guess", "not known"), (expired, "expired"), (withdrawn, "expired")):
        with pytest.raises(KostraError, match=reason):
            store.redeem(token, lasts_until=LATER, now=NOON)
    assert store.annotators("news") == []


def test_the_store_keeps_no_token(store: Store) -> None:
    tokens = store.invite("news", 2, now=NOON)
    tokens.append(store.redeem(tokens[0], lasts_until=LATER, now=NOON)[0])
    kept = repr(rows(store, "SELECT * FROM invitations") + rows(store, "SELECT * FROM sessions"))
    assert not [token for token in tokens if token in kept]


def test_sessions_end(store: Store) -> None:
    store.add_annotator("news", name="fox", now=NOON)
    tokens = [store.start_session("news", "fox", lasts_until=LATER, now=NOON)[0] for _ in range(3)]
    assert store.session(tokens[0], now=LATER) is None
    store.end_session(tokens[0])
    assert [store.session(token, now=NOON) is None for token in tokens] == [True, False, False]
    store.end_sessions("news", "fox")
    assert [store.session(token, now=NOON) for token in tokens] == [None] * 3


def test_sessions_that_were_looked_up_are_remembered_until_any_are_ended(store: Store) -> None:
    store.add_annotator("news", name="fox", now=NOON)
    token, session = store.start_session("news", "fox", lasts_until=LATER, now=NOON)
    other, _ = store.start_session("news", "fox", lasts_until=LATER, now=NOON)
    sessions = Sessions(store, keep=timedelta(seconds=60))
    assert sessions.session(token, now=NOON, ended=store.sessions_ended()) == session
    assert sessions.recent(token, now=NOON + timedelta(seconds=59), ended=store.sessions_ended()) == session
    assert sessions.recent(token, now=NOON + timedelta(seconds=60), ended=store.sessions_ended()) is None
    store.end_session(other)  # by another process: what is remembered is looked up again
    assert sessions.recent(token, now=NOON, ended=store.sessions_ended()) is None
    assert sessions.session(token, now=NOON, ended=store.sessions_ended()) == session
    store.end_session(token)
    assert sessions.session(token, now=NOON, ended=store.sessions_ended()) is None


def test_a_session_that_expires_is_not_remembered_beyond_its_time(store: Store) -> None:
    store.add_annotator("news", name="fox", now=NOON)
    token, session = store.start_session("news", "fox", lasts_until=NOON + timedelta(seconds=5), now=NOON)
    sessions = Sessions(store)
    assert sessions.session(token, now=NOON, ended=0) == session
    assert sessions.session(token, now=NOON + timedelta(seconds=5), ended=0) is None


# Drafts ----------------------------------------------------------------------------------------------------


def test_a_draft_is_kept_replaced_and_forgotten_with_the_answer(store: Store) -> None:
    for text in ("A hor", "A horse"):
        store.put_draft("news", "ann", "main", "p1", {"rewrite": text}, now=NOON)
    store.put_draft("news", "ann", "main", "p2", {"rewrite": "B"}, now=NOON)
    assert store.draft("news", "ann", "main", "p1") == {"rewrite": "A horse"}
    append(store, answered(item="p1"))
    assert store.draft("news", "ann", "main", "p1") is None
    assert store.draft("news", "ann", "main", "p2") == {"rewrite": "B"}


def test_a_draft_that_is_too_big_is_refused(store: Store) -> None:
    with pytest.raises(KostraError, match="the draft is too big"):
        store.put_draft("news", "ann", "main", "p1", "ž" * (DRAFT_BYTES // 2), now=NOON)


# What cannot be opened -------------------------------------------------------------------------------------


def test_a_folder_holds_its_store_in_campaign_db(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        assert store.where == str(tmp_path / "campaign.db")


def test_sqlite_is_durable_and_writes_ahead(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        found = [rows(store, f"PRAGMA {name}")[0][0] for name in ("journal_mode", "synchronous", "foreign_keys")]
    assert found == ["wal", 2, 1]  # 2 is FULL


def test_postgresql_confirms_a_commit_only_when_it_is_on_disk(postgres_url: str) -> None:
    with open_store(postgres_url) as store:
        assert rows(store, "SHOW synchronous_commit") == [("on",)]


def test_a_store_in_no_folder_or_where_nobody_may_write_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="the folder does not exist"):
        open_store(tmp_path / "nowhere" / "campaign.db")
    with pytest.raises(KostraError, match="cannot be opened or made"):
        open_store("/proc/campaign.db")  # not even root may


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "campaign.db"
    file.write_text("item,value\n" * 100)
    with pytest.raises(KostraError, match="not a SQLite database"):
        open_store(file)
    assert file.read_text() == "item,value\n" * 100


def test_a_read_only_store_says_so(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    with (
        open_store(f"sqlite:///file:{tmp_path}/campaign.db?mode=ro&uri=true") as store,
        pytest.raises(KostraError, match="read-only"),
    ):
        store.create_campaign("news", seed=1, now=NOON)


def test_a_full_disk_is_told_and_nothing_is_stored(tmp_path: Path, open_url: Callable[[str], Store]) -> None:
    store = open_url(f"sqlite:///{tmp_path}/campaign.db")
    store.create_campaign("news", seed=1, now=NOON)
    sa.event.listen(store._engine, "begin", lambda found: found.exec_driver_sql("PRAGMA max_page_count = 1"))
    with pytest.raises(KostraError, match="the disk is full"):
        append(store, answered(notes={"long": "x" * 200_000}))
    assert rows(store, "SELECT count(*) FROM events") == [(0,)]


def test_a_locked_store_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kostra.annotate.store_open.PATIENCE", 0.01)
    with open_store(tmp_path) as store:
        other = sqlite3.connect(tmp_path / "campaign.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(KostraError, match="another process has locked the store"):
            store.create_campaign("news", seed=1, now=NOON)
        other.close()


def test_an_address_of_no_server_is_told_without_the_password() -> None:
    with pytest.raises(KostraError, match="PostgreSQL cannot be reached") as caught:
        open_store("postgresql://ann:secret@127.0.0.1:1/answers")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("place", ["mysql://host/answers", "postgresql://host:port/x", "sqlite:///:memory:"])
def test_other_addresses_are_refused(place: str) -> None:
    with pytest.raises(KostraError) as caught:
        open_store(place)
    assert "postgresql://user@host/database" in (caught.value.accepted or "")


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(KostraError) as caught:
        open_store("postgresql://host/answers")
    assert caught.value.remedy == "pip install 'kostra[postgres]'"

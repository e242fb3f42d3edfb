"""What the store keeps of people and of the office: the same in both kinds of database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from kostra.annotate.backups import backup
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_open import as_url, connect, migrate, revision_of
from kostra.annotate.store_people import Stranger
from kostra.annotate.tokens import Shared
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=30)


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    with store.connected() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


# Migration -------------------------------------------------------------------------------------------------


def old_store(url: str) -> sa.Engine:
    """A store as 0001 left it, with a campaign, a fox, two invitations and a session."""
    engine = connect(as_url(url))
    migrate(engine, to="0001")
    at = "'2026-01-01 12:00:00+00'" if engine.dialect.name == "postgresql" else "1767268800000000"
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        for statement in (
            f"INSERT INTO campaigns VALUES ('news', 7, {at})",
            f"INSERT INTO annotators VALUES ('news', 'fox', 'annotator', 'person', {at})",
            f"INSERT INTO invitations VALUES ('h1', 'news', 'annotator', 'once', 'fox', {at}, NULL, {at}, false)",
            f"INSERT INTO invitations VALUES ('h2', 'news', 'annotator', 'shared', NULL, {at}, NULL, NULL, false)",
            f"INSERT INTO events VALUES ('news', 1, {at}, 'joined', 'fox', NULL, '{{}}')",
        ):
            connection.exec_driver_sql(statement)
    return engine


def test_a_store_of_the_first_migration_is_brought_up_to_date_with_all_that_is_in_it(store_url: str) -> None:
    old_store(store_url).dispose()
    with open_store(store_url) as store:
        assert [one.annotator for one in store.annotators("news")] == ["fox"]
        found = {one.uses: (one.used, one.quota, one.source, one.works(NOON)) for one in store.invitations("news")}
        assert found == {"once": (1, None, "link", False), "shared": (0, None, "link", True)}
        assert rows(store, "SELECT kind FROM events") == [("joined",)]


def test_whoever_migrates_may_first_make_a_backup_and_a_failure_there_changes_nothing(store_url: str) -> None:
    engine, told = old_store(store_url), []

    def fails(_: sa.Engine, revision: str) -> None:
        told.append(revision)
        raise KostraError("no room for a backup")

    with pytest.raises(KostraError, match="no room"):
        open_store(store_url, before=fails)
    with engine.connect() as connection:
        assert (told, revision_of(connection)) == (["0001"], "0001")
    engine.dispose()
    open_store(store_url).close()
    open_store(store_url, before=fails).close()  # nothing to migrate any more
    assert told == ["0001"]


def test_nothing_is_backed_up_before_a_new_store_is_made(store_url: str) -> None:
    def never(_: sa.Engine, revision: str) -> None:
        raise AssertionError(revision)

    open_store(store_url, before=never).close()


def test_a_store_and_its_backups_are_their_owners_alone(tmp_path: Path) -> None:
    with open_store(tmp_path / "campaign.db") as store:
        store.create_campaign("news", seed=1, now=NOON)
        for name in ("b.db", "b.jsonl.gz"):
            backup(store, tmp_path / name, now=NOON)
        assert len(list(tmp_path.iterdir())) >= 3
        assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}


# Audit -----------------------------------------------------------------------------------------------------


def test_the_audit_log_is_read_in_pages_newest_first_by_campaign(store: Store) -> None:
    store.create_campaign("other", seed=1, now=NOON)
    for number in range(5):
        campaign = "other" if number == 3 else "news"
        store.record("paused", campaign=campaign, actor="boss", data={"n": number}, now=NOON)
    store.record("token made", campaign=None, actor="boss", data={}, now=LATER)
    assert [one.number for one in store.recorded(limit=2)] == [6, 5]
    page = store.recorded("news", before=5, limit=10)
    assert [(one.number, one.data["n"], one.actor, one.at) for one in page] == [
        (3, 2, "boss", NOON), (2, 1, "boss", NOON), (1, 0, "boss", NOON),
    ]  # fmt: skip


@pytest.mark.parametrize("statement", ["UPDATE audit SET actor = 'x'", "DELETE FROM audit"])
def test_nobody_changes_the_audit_log(store: Store, statement: str) -> None:
    store.record("paused", campaign="news", actor="boss", data={}, now=NOON)
    with pytest.raises(KostraError, match="only appended to"), store.writing() as connection:
        connection.exec_driver_sql(statement)
    assert [one.actor for one in store.recorded()] == ["boss"]


def test_entries_of_the_audit_log_are_numbered_without_gaps_when_many_write(store: Store) -> None:
    def write() -> None:
        for _ in range(5):
            store.record("x", campaign="news", actor="a", data={}, now=NOON)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.number for one in store.recorded()] == list(range(20, 0, -1))


# Messages --------------------------------------------------------------------------------------------------


def test_a_message_is_for_one_or_for_all_and_is_read_by_each(store: Store) -> None:
    store.add_message("news", "To all.", annotator=None, actor="boss", now=NOON)
    store.add_message("news", " To fox. ", annotator="fox", actor="boss", now=LATER)
    assert [note.text for note in store.messages_for("news", "fox")] == ["To fox.", "To all."]
    assert [note.text for note in store.messages_for("news", "hen")] == ["To all."]
    store.mark_read("news", "hen", [1, 2], now=LATER)
    store.mark_read("news", "hen", [1], now=LATER + timedelta(days=1))
    assert [note.read_at for note in store.messages_for("news", "hen")] == [LATER]
    assert [note.read_at for note in store.messages_for("news", "fox")] == [None, None]
    assert [(note.message, readers) for note, readers in store.messages("news")] == [(2, 0), (1, 1)]
    with pytest.raises(KostraError, match="empty"):
        store.add_message("news", "  ", annotator=None, actor="boss", now=NOON)


# Tokens of scripts -----------------------------------------------------------------------------------------


def test_a_token_of_a_script_works_until_it_expires_or_is_withdrawn(store: Store) -> None:
    token = store.make_api_token("nightly", role="read", campaign="news", actor="boss", expires_at=LATER, now=NOON)
    found = store.api_token(token, NOON)
    assert found is not None
    assert (found.name, found.role, found.campaign) == ("nightly", "read", "news")
    assert store.api_token(token, LATER) is None
    assert store.api_token(token + "x", NOON) is None
    assert [one.used_at for one in store.api_tokens()] == [NOON]
    store.withdraw_api_token(found.id)
    assert store.api_token(token, NOON) is None
    assert token not in str(rows(store, "SELECT * FROM api_tokens"))
    with pytest.raises(KostraError, match="unknown token"):
        store.withdraw_api_token("nothing")


# Invitations -----------------------------------------------------------------------------------------------


def test_a_shared_link_lets_in_no_more_than_its_quota(store: Store) -> None:
    (token,) = store.invite("news", uses="shared", quota=2, now=NOON)
    names = {store.redeem(token, lasts_until=LATER, now=NOON)[1].annotator for _ in range(2)}
    with pytest.raises(KostraError, match="as many as it may"):
        store.redeem(token, lasts_until=LATER, now=NOON)
    assert len(names) == 2
    (found,) = store.invitations("news")
    assert (found.used, found.quota, found.works(NOON)) == (2, 2, False)
    with pytest.raises(KostraError, match="shared link"):
        store.invite("news", uses="personal", quota=2, now=NOON)


def test_whom_a_platform_sends_comes_back_as_the_same_annotator_even_when_the_quota_is_reached(store: Store) -> None:
    (token,) = store.invite("news", uses="shared", quota=1, source="prolific", now=NOON)
    ann, bob = (Stranger("prolific", name, {"session": name}) for name in ("ann", "bob"))
    first = store.redeem(token, lasts_until=LATER, now=NOON, stranger=ann)[1].annotator
    assert store.redeem(token, lasts_until=LATER, now=LATER, stranger=ann)[1].annotator == first
    with pytest.raises(KostraError, match="as many as it may"):
        store.redeem(token, lasts_until=LATER, now=NOON, stranger=bob)
    (found,) = store.contacts("news")
    assert (found.annotator, found.visit) == (first, {"session": "ann"})


def test_a_platforms_link_is_no_ordinary_link(store: Store) -> None:
    (theirs,) = store.invite("news", uses="shared", source="prolific", now=NOON)
    (ours,) = store.invite("news", uses="shared", now=NOON)
    for token, stranger in ((theirs, None), (ours, Stranger("prolific", "ann", {}))):
        with pytest.raises(KostraError, match="another site"):
            store.redeem(token, lasts_until=LATER, now=NOON, stranger=stranger)


def test_an_invitation_is_withdrawn_by_its_id(store: Store) -> None:
    (token,) = store.invite("news", now=NOON)
    (found,) = store.invitations("news")
    assert found.id not in token
    store.withdraw_invitation("news", found.id)
    with pytest.raises(KostraError, match="expired"):
        store.redeem(token, lasts_until=LATER, now=NOON)
    with pytest.raises(KostraError, match="unknown invitation"):
        store.withdraw_invitation("other", found.id)


# People ----------------------------------------------------------------------------------------------------


def test_consent_is_asked_by_version_and_the_last_word_counts(store: Store) -> None:
    store.add_annotator("news", name="fox", now=NOON)
    assert store.has_consented("news", "fox", "1") is None
    store.add_consent("news", "fox", "1", given=False, now=NOON)
    store.add_consent("news", "fox", "1", given=True, now=LATER)
    assert store.has_consented("news", "fox", "1") is True
    assert store.has_consented("news", "fox", "2") is None
    assert [one.given for one in store.consents("news")] == [False, True]


def test_replies_replace_earlier_ones(store: Store) -> None:
    store.put_replies("news", "fox", {"age": "30", "dialect": "Haná"}, now=NOON)
    store.put_replies("news", "fox", {"age": "31"}, now=LATER)
    assert {one.question: one.value for one in store.replies("news", "fox")} == {"age": "31", "dialect": "Haná"}


def test_a_login_name_is_one_persons_alone(store: Store) -> None:
    store.set_account("news", "fox", name="anna", password="1", now=NOON)
    store.set_account("news", "fox", name="anna", password="2", now=NOON)
    with pytest.raises(KostraError, match="somebody else"):
        store.set_account("news", "hen", name="anna", password="3", now=NOON)
    found = store.account_named("anna")
    assert found is not None
    assert (found.annotator, found.password) == ("fox", "2")


def test_all_sessions_but_one_end_and_every_process_learns_it(store: Store) -> None:
    store.add_annotator("news", name="fox", now=NOON)
    mine, other = (store.start_session("news", "fox", lasts_until=LATER, now=NOON)[0] for _ in range(2))
    before = store.sessions_ended()
    store.end_sessions("news", "fox", but=mine)
    assert store.session(mine, now=NOON) is not None
    assert store.session(other, now=NOON) is None
    assert store.sessions_ended() == before + 1
    store.end_session("nobody's")
    assert store.sessions_ended() == before + 1


def test_erasing_leaves_nothing_of_a_person_but_answers_under_a_random_name(store: Store) -> None:
    for name in ("fox", "hen"):
        store.add_annotator("news", name=name, now=NOON)
        store.invite("news", annotator=name, now=NOON)
        store.start_session("news", name, lasts_until=LATER, now=NOON)
        store.set_contact("news", name, name="Anna", mail=f"{name}@example.org", now=NOON)
        store.add_consent("news", name, "1", given=True, now=NOON)
        store.put_replies("news", name, {"age": "30"}, now=NOON)
        store.set_account("news", name, name=name, password="x", now=NOON)
        store.put_draft("news", name, "main", "p1", {"a": "b"}, now=NOON)
        store.add_message("news", "Hello.", annotator=name, actor="boss", now=NOON)
    alias = store.erase("news", "fox", now=LATER)
    assert store.aliases("news") == {"fox": alias}
    assert "fox" not in alias
    assert store.erase("news", "fox", now=LATER) == alias
    tables = ["invitations", "sessions", "contacts", "consents", "replies", "accounts", "drafts", "messages"]
    for table in tables:
        assert [name for (name,) in rows(store, f"SELECT annotator FROM {table}")] == ["hen"], table
    with pytest.raises(KostraError, match="unknown annotator"):
        store.erase("news", "wolf", now=LATER)


# One look for all ------------------------------------------------------------------------------------------


def test_who_asks_gets_what_was_found_after_they_asked_and_many_share_a_look() -> None:
    looks: list[int] = []
    found = [0]
    gate = threading.Event()

    def look() -> int:
        seen = found[0]
        if not looks:
            gate.wait(20)
        looks.append(seen)
        return seen

    async def ask() -> list[int]:
        shared = Shared(look)
        first = asyncio.ensure_future(shared.now())
        await asyncio.sleep(0.05)  # the first look is under way
        found[0] = 1
        others = [asyncio.ensure_future(shared.now()) for _ in range(10)]
        await asyncio.sleep(0)
        gate.set()
        return await asyncio.gather(first, *others)

    assert asyncio.run(ask()) == [0] + [1] * 10
    assert looks == [0, 1]


def test_a_look_that_fails_fails_for_those_who_asked_and_no_others() -> None:
    results: list[Callable[[], int]] = [lambda: 1 // 0, lambda: 7]

    async def ask() -> int:
        shared = Shared(lambda: results.pop(0)())  # noqa: PLW0108 - the next one each time
        with pytest.raises(ZeroDivisionError):
            await shared.now()
        return await shared.now()

    assert asyncio.run(ask()) == 7

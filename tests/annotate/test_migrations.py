"""Stores of every age can be opened, and no others."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from kostra.annotate.campaigns import open_engine
from kostra.annotate.migrations.env import VERSION_TABLE
from kostra.annotate.store import Store, open_store
from kostra.annotate.store_open import as_url, connect, migrate, revision_of, scripts
from kostra.annotate.store_tables import METADATA
from kostra.campaign.places import Answer, Given
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
OLDEST = Path(__file__).parent.parent / "cases" / "annotate" / "oldest.sql"


@pytest.fixture
def oldest(tmp_path: Path) -> Path:
    """A store as the very first version made it."""
    file = tmp_path / "campaign.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(OLDEST.read_text(encoding="utf-8"))
    connection.close()
    return file


def test_the_migrations_make_the_tables_that_the_store_declares(store: Store) -> None:
    with store.connected() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_type": True, "target_metadata": METADATA}
        )
        assert compare_metadata(context, METADATA) == []
        assert revision_of(connection) == scripts().get_current_head()


def test_the_oldest_store_opens_with_all_that_is_in_it(oldest: Path) -> None:
    with open_store(oldest) as store:
        with store.reading() as connection:
            assert revision_of(connection) == scripts().get_current_head()
            events = list(store.log("news").all(connection))
        saved = store.load_material("news")
        assert [event.kind for event in events] == ["joined", "shown", "answered"]
        assert events[2].data["answers"] == {"similarity": [["4", "answered"]]}
        assert (saved.seed, saved.revision, saved.difference) == (7, 1, "the first")
        assert saved.material.items["p2"].content == {"text_a": "Kůň běží.", "text_b": "Pes 2 spí."}
        assert saved.protocol.phases[0].questions[0].high == 5
        assert store.draft("news", "fox", "main", "p2") == {"similarity": "2"}
        session = store.session("old session", now=NOON)
        assert session is not None
        assert session.annotator == "fox"
        assert store.redeem("old invitation", lasts_until=NOON, now=NOON)[1].annotator == "fox"


def test_the_campaign_of_the_oldest_store_goes_on(oldest: Path) -> None:
    with open_store(oldest) as store, open_engine(store, "news") as engine:
        place = engine.do(lambda running: running.next("fox", NOON))
        assert place.item is not None
        assert place.item.item == "p2"
        given = Given("main", "p2", 1, {"similarity": [Answer("2")]}, key="k2")
        assert engine.do(lambda running: running.answer("fox", given, NOON)).status == "answered"
        with store.connected() as connection:
            found = connection.exec_driver_sql("SELECT item, value FROM judgments ORDER BY seq").all()
        assert [tuple(row) for row in found] == [("p1", "4"), ("p2", "2")]
        assert store.draft("news", "fox", "main", "p2") is None


def test_the_oldest_store_keeps_its_log(oldest: Path) -> None:
    with (
        open_store(oldest) as store,
        pytest.raises(KostraError, match="only appended to"),
        store.writing() as connection,
    ):
        connection.exec_driver_sql("DELETE FROM judgments")


def test_a_store_of_a_newer_kostra_is_refused(store_url: str) -> None:
    with open_store(store_url) as store, store.writing() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(KostraError, match='its tables are at "9999"') as caught:
        open_store(store_url)
    assert caught.value.remedy == "pip install --upgrade kostra"


def test_a_database_of_another_program_is_refused_and_left_alone(store_url: str) -> None:
    engine = connect(as_url(store_url))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(KostraError, match="tables of another program: recipes"):
        open_store(store_url)
    with engine.connect() as connection:
        assert sa.inspect(connection).get_table_names() == ["recipes"]
    engine.dispose()


def test_a_migration_that_fails_leaves_nothing_behind(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = connect(as_url(store_url))

    def stop(_: object, __: object, statement: str, *___: Any) -> None:
        if "CREATE TABLE drafts" in statement:
            raise RuntimeError("the power failed")

    sa.event.listen(engine, "before_cursor_execute", stop)
    with pytest.raises(RuntimeError, match="the power failed"):
        migrate(engine)
    with engine.connect() as connection:
        assert sa.inspect(connection).get_table_names() == []
    engine.dispose()
    open_store(store_url).close()


def test_no_connection_to_a_new_file_is_refused_while_another_sets_its_journal(tmp_path: Path) -> None:
    failures: list[BaseException] = []
    together = threading.Barrier(8)

    def one(file: Path) -> None:
        together.wait()
        engine = connect(as_url(file))
        try:
            with engine.connect() as connection:
                assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        except sa.exc.OperationalError as error:
            failures.append(error)
        finally:
            engine.dispose()

    for number in range(60):  # without waiting, about one round in thirteen failed
        threads = [threading.Thread(target=one, args=(tmp_path / f"{number}.db",)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def test_many_may_open_a_new_store_at_once(store_url: str, open_url: Callable[[str], Store]) -> None:
    failures: list[BaseException] = []

    def one() -> None:
        try:
            open_url(store_url).create_campaign("news", seed=1, now=NOON)
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert open_url(store_url).campaigns() == ["news"]

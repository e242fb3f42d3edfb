"""The store of the annotation site, in SQLite or PostgreSQL: campaigns and their material, people, drafts.

All SQL of kostra stands in the modules called ``store…``: `store_tables` declares the tables, `store_open` connects and
migrates, `store_log` is the path of the answers, `store_people` the door, `store_personal` what is known of people,
`store_office` what those who run the campaign keep, `store_reading` reads and fills whole tables. `Store` is what the
others hold.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa

from kostra.annotate.store_log import Log, encoded
from kostra.annotate.store_open import BeforeMigrating, as_url, clearly, connect, migrate, shown
from kostra.annotate.store_people import People
from kostra.annotate.store_tables import CAMPAIGNS, DRAFTS, ITEMS, REVISIONS
from kostra.campaign.material import Material, item_to_json
from kostra.campaign.protocol import Campaign
from kostra.errors import KostraError, unknown

DRAFT_BYTES = 64 * 1024
"""The most that a draft may weigh."""


@dataclass(frozen=True)
class Revision:
    """A campaign's recipe and items, as they were from some moment on."""

    campaign: str
    revision: int
    at: datetime
    seed: int
    protocol: Campaign
    material: Material
    difference: str
    """What changed since the revision before, for people."""


class Store(People):
    """A database that holds campaigns; made by `open_store`, safe to use from several threads.

    Examples
    --------
    >>> import tempfile
    >>> from datetime import UTC
    >>> from kostra.campaign.items import Item
    >>> from kostra.campaign.protocol import Phase
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/campaign.db") as store:
    ...     _ = store.create_campaign("news", seed=1, now=now)
    ...     protocol = Campaign(phases=(Phase(name="main", task="rating"),))
    ...     material = Material({"i": Item("i", "sentence", {"text": "A cat."})}, {("main", 0): ("i",)})
    ...     store.save_revision("news", protocol=protocol, material=material, difference="the first", now=now)
    ...     store.load_material("news").material == material
    1
    True
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self.where = shown(engine.url)
        """How the store is named in messages."""

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self._engine.dialect.name

    @property
    def url(self) -> sa.URL:
        """Where it lies, with the password if it has one."""
        return self._engine.url

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Connections, for the engine, collecting and backups -------------------------------------------------

    def connection(self) -> sa.Connection:
        """A connection that the caller closes, and whose failures it translates (`store_open.failure`)."""
        return self._engine.connect()

    @contextlib.contextmanager
    def connected(self) -> Iterator[sa.Connection]:
        """A connection without a transaction, for whoever begins its own."""
        with clearly(self._engine.url), self._engine.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that writes: stored when the block ends, undone when it fails."""
        with self.connected() as connection, connection.execution_options(writes=True).begin():
            yield connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees the store as it was at one moment, whatever is written meanwhile."""
        with self.connected() as connection:
            if self.dialect == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with connection.begin():
                yield connection

    def log(self, campaign: str) -> Log:
        """A campaign's log."""
        return Log(self._engine, campaign)

    # Campaigns and their material -------------------------------------------------------------------------

    def campaigns(self) -> list[str]:
        """The campaigns, oldest first."""
        with self.connected() as connection:
            query = sa.select(CAMPAIGNS.c.campaign).order_by(CAMPAIGNS.c.created_at, CAMPAIGNS.c.campaign)
            return list(connection.scalars(query))

    def create_campaign(self, campaign: str, *, seed: int, now: datetime) -> bool:
        """Make room for a campaign, and say whether it was made; nothing happens if it is there."""
        with self.writing() as connection:
            # One statement: somebody else may be making it at the same moment.
            row = self.insertion(CAMPAIGNS).values(campaign=campaign, seed=seed, created_at=now)
            made = row.on_conflict_do_nothing().returning(CAMPAIGNS.c.campaign)
            return connection.scalar(made) is not None

    def save_revision(
        self, campaign: str, *, protocol: Campaign, material: Material, difference: str, now: datetime
    ) -> int:
        """Store another revision of a campaign and give its number, from 1.

        Earlier revisions stay as they are; an item is stored again only where it is new or differs. From when on the
        campaign follows the revision is said by its log (`revised`).
        """
        with self.writing() as connection:
            self._lock_campaign(connection, campaign)
            newest = sa.select(sa.func.max(REVISIONS.c.revision)).where(REVISIONS.c.campaign == campaign)
            revision = (connection.scalar(newest) or 0) + 1
            before = dict(self._items(connection, campaign, revision))
            rows = []
            for item in material.items.values():
                data = encoded(item_to_json(item))
                if before.pop(item.item, None) != (item.version, data):
                    rows.append({"item": item.item, "version": item.version, "data": data})
            rows += [{"item": item, "version": version, "data": None} for item, (version, _) in before.items()]
            if rows:
                named = [{"campaign": campaign, "revision": revision, **row} for row in rows]
                connection.execute(sa.insert(ITEMS), named)
            frame = {**material.to_json(), "items": list(material.items)}
            connection.execute(
                sa.insert(REVISIONS).values(
                    campaign=campaign, revision=revision, at=now, difference=difference,
                    protocol=protocol.model_dump_json(), material=encoded(frame),
                )
            )  # fmt: skip
        return revision

    def load_material(self, campaign: str, revision: int | None = None) -> Revision:
        """A revision of a campaign; the newest unless said."""
        with self.reading() as connection:
            query = sa.select(REVISIONS, CAMPAIGNS.c.seed).join(CAMPAIGNS).where(REVISIONS.c.campaign == campaign)
            if revision is not None:
                query = query.where(REVISIONS.c.revision == revision)
            found = connection.execute(query.order_by(REVISIONS.c.revision.desc()).limit(1)).one_or_none()
            if found is None:
                raise self._no_revision(connection, campaign, revision)
            stored = dict(self._items(connection, campaign, found.revision))
        frame = json.loads(found.material)
        frame["items"] = [json.loads(stored[item][1]) for item in frame["items"]]
        protocol, material = Campaign.model_validate_json(found.protocol), Material.from_json(frame)
        return Revision(campaign, found.revision, found.at, found.seed, protocol, material, found.difference)

    def revisions(self, campaign: str) -> list[tuple[int, datetime, str]]:
        """Number, time and difference of each revision."""
        columns = (REVISIONS.c.revision, REVISIONS.c.at, REVISIONS.c.difference)
        query = sa.select(*columns).where(REVISIONS.c.campaign == campaign).order_by(REVISIONS.c.revision)
        with self.connected() as connection:
            return [(number, at, difference) for number, at, difference in connection.execute(query)]

    def _items(self, connection: sa.Connection, campaign: str, revision: int) -> Iterator[tuple[str, tuple[int, str]]]:
        """Item → version and JSON text, as of a revision."""
        query = (
            sa.select(ITEMS.c.item, ITEMS.c.version, ITEMS.c.data)
            .where(ITEMS.c.campaign == campaign, ITEMS.c.revision <= revision)
            .order_by(ITEMS.c.revision)
        )
        latest = {item: (version, data) for item, version, data in connection.execute(query)}
        return ((item, (version, data)) for item, (version, data) in latest.items() if data is not None)

    def _no_revision(self, connection: sa.Connection, campaign: str, revision: int | None) -> KostraError:
        known = list(connection.scalars(sa.select(CAMPAIGNS.c.campaign)))
        if campaign not in known:
            return unknown("campaign", campaign, known, where=self.where)
        which = "no revision" if revision is None else f"no revision {revision}"
        return KostraError(f'the campaign "{campaign}" has {which} yet', where=self.where)

    # Drafts ------------------------------------------------------------------------------------------------

    def put_draft(self, campaign: str, annotator: str, phase: str, item: str, data: Any, *, now: datetime) -> None:
        """Keep what an annotator has typed so far, in place of an earlier draft (`Engine.put_draft` is faster)."""
        with self.writing() as connection:
            self.log(campaign).put_drafts(connection, {(annotator, phase, item): (now, draft_text(data))})

    def draft(self, campaign: str, annotator: str, phase: str, item: str) -> Any:
        """What the annotator had typed, or None."""
        query = sa.select(DRAFTS.c.data).where(*_draft(campaign, annotator, phase, item))
        with self.connected() as connection:
            data = connection.scalar(query)
        return None if data is None else json.loads(data)

    def drafts_of(self, campaign: str, annotator: str) -> list[dict[str, Any]]:
        """All that an annotator has typed and not sent."""
        query = sa.select(DRAFTS).where(DRAFTS.c.campaign == campaign, DRAFTS.c.annotator == annotator)
        with self.connected() as connection:
            rows = connection.execute(query.order_by(DRAFTS.c.phase, DRAFTS.c.item))
            return [{"phase": row.phase, "item": row.item, "data": json.loads(row.data)} for row in rows]


def _draft(campaign: str, annotator: str, phase: str, item: str) -> tuple[sa.ColumnElement[bool], ...]:
    wanted = {"campaign": campaign, "annotator": annotator, "phase": phase, "item": item}
    return tuple(DRAFTS.c[name] == value for name, value in wanted.items())


def draft_text(data: Any) -> str:
    """A draft as JSON text, if it is not too big.

    Examples
    --------
    >>> draft_text({"rewrite": "A cat"})
    '{"rewrite":"A cat"}'
    >>> draft_text("x" * DRAFT_BYTES)
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: the draft is too big: 64 KiB
      accepted: up to 64 KiB
    """
    text = encoded(data)
    size = len(text.encode())
    if size > DRAFT_BYTES:
        most = f"up to {DRAFT_BYTES // 1024} KiB"
        raise KostraError(f"the draft is too big: {size / 1024:.0f} KiB", accepted=most)
    return text


def place_of(place: str | Path) -> str | Path:
    """Where a store lies: a folder has it in its ``campaign.db``."""
    return Path(place) / "campaign.db" if "://" not in str(place) and Path(place).is_dir() else place


def open_store(place: str | Path, *, before: BeforeMigrating | None = None) -> Store:
    """Open a store, or make it, and bring its tables up to date.

    Parameters
    ----------
    place
        The path of a SQLite file, a folder (whose ``campaign.db`` it is), or a URL: ``sqlite:///campaign.db``,
        ``postgresql://user@host/database``.
    before
        Called before the tables of an older kostra are brought up to date, so that a backup can be made.

    Raises
    ------
    KostraError
        If it cannot be opened, belongs to another program, or was made by a newer kostra.
    """
    url = as_url(place_of(place))
    engine = connect(url)
    try:
        with clearly(url):
            migrate(engine, before=before)
    except BaseException:
        engine.dispose()
        raise
    return Store(engine)

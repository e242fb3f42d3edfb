"""The tables of the store, as the newest migration leaves them (a test compares the two).

Two of them are the truth and are only ever appended to: `events`, a campaign's log, and `judgments`, the answers that
the log holds, laid out one row per question so that they can be read as a table. Triggers refuse to change or delete a
row of either, or of `audit`, which tells who did what in the office. The rest is around them: what was asked
(`campaigns`, `revisions`, `items`), who may come in (`annotators`, `invitations`, `sessions`, `accounts`,
`api_tokens`), what they are told (`messages`), what is not an answer yet (`drafts`), and, apart from all answers, what
is known of people (`contacts`, `consents`, `replies`), which goes when they are erased (`aliases`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """A time as whole microseconds since 1970, which is how SQLite and backups keep it.

    Examples
    --------
    >>> to_microseconds(datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC))
    1000005
    """
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """The time again.

    Examples
    --------
    >>> from_microseconds(1000005).isoformat()
    '1970-01-01T00:00:01.000005+00:00'
    """
    return _EPOCH + timedelta(microseconds=count)


class Moment(TypeDecorator[datetime]):
    """A time with its zone: a timestamp on PostgreSQL; on SQLite, which has none, whole microseconds since 1970."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The type that the database knows."""
        native: TypeEngine[Any] = DateTime(timezone=True) if dialect.name == "postgresql" else BigInteger()
        return dialect.type_descriptor(native)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """What is stored."""
        return value if value is None or dialect.name == "postgresql" else to_microseconds(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """What was stored."""
        return value if value is None or dialect.name == "postgresql" else from_microseconds(value)


METADATA = MetaData()


def _campaign(*, first: bool = True, checked: bool = True) -> Column[str]:
    # The two big tables go without the check: PostgreSQL would lock and write the campaign's row for every event.
    belongs = [ForeignKey("campaigns.campaign")] if checked else []
    return Column("campaign", Text, *belongs, primary_key=first, nullable=False)


CAMPAIGNS = Table(
    "campaigns",
    METADATA,
    Column("campaign", Text, primary_key=True),
    Column("seed", BigInteger, nullable=False),
    Column("created_at", Moment, nullable=False),
)
REVISIONS = Table(
    "revisions",
    METADATA,
    _campaign(),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    Column("protocol", Text, nullable=False),
    Column("material", Text, nullable=False),  # which items stand in which blocks; the items themselves are below
    Column("difference", Text, nullable=False),
)
ITEMS = Table(
    "items",
    METADATA,
    _campaign(),
    Column("item", Text, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("data", Text),  # nothing where the revision drops the item
)
EVENTS = Table(
    "events",
    METADATA,
    _campaign(checked=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    Column("kind", Text, nullable=False),
    Column("annotator", Text),
    Column("key", Text),  # of an answer: the same key is never stored twice
    Column("data", Text, nullable=False),
    UniqueConstraint("campaign", "annotator", "key", name="events_key"),
)
JUDGMENTS = Table(
    "judgments",
    METADATA,
    _campaign(checked=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),  # among the judgments of one event, from 1
    Column("item", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("place", Integer, nullable=False),  # in a list of answers to one question, from 1
    Column("annotator", Text),
    Column("value", Text),
    Column("given", Text, nullable=False),  # answered, impossible, skipped
    Column("status", Text, nullable=False),  # of the whole answer as it came: answered, surplus, discarded
    Column("phase", Text, nullable=False),
    Column("block", Text, nullable=False),
    Column("shown_at", Moment),
    Column("answered_at", Moment, nullable=False),
    Column("seconds", Double),  # by the server's clock
    Column("focused_seconds", Double),  # by the client's account, never more than the server's
    Column("supersedes", BigInteger),  # the event it replaces
    Column("revision", Integer, nullable=False),
    Column("language", Text),
    Column("notes", Text),
)
Index(
    "judgments_supersedes",
    JUDGMENTS.c.campaign,
    JUDGMENTS.c.supersedes,
    sqlite_where=JUDGMENTS.c.supersedes.is_not(None),
    postgresql_where=JUDGMENTS.c.supersedes.is_not(None),
)
ANNOTATORS = Table(
    "annotators",
    METADATA,
    _campaign(),
    Column("annotator", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
)
INVITATIONS = Table(
    "invitations",
    METADATA,
    Column("hash", Text, primary_key=True),
    _campaign(first=False),
    Column("role", Text, nullable=False),
    Column("uses", Text, nullable=False),  # once, personal, shared
    Column("annotator", Text),  # whom it let in, or for whom it was made
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("used_at", Moment),
    Column("withdrawn", Boolean, nullable=False),
    Column("quota", Integer),  # of a shared link: how many it may let in
    Column("used", Integer, nullable=False),  # how many it let in
    Column("source", Text, nullable=False),  # link, list, prolific, mturk, demo
)
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("hash", Text, primary_key=True),
    _campaign(first=False),
    Column("annotator", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index("sessions_annotator", "campaign", "annotator"),
)
DRAFTS = Table(
    "drafts",
    METADATA,
    _campaign(),
    Column("annotator", Text, primary_key=True),
    Column("phase", Text, primary_key=True),
    Column("item", Text, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("data", Text, nullable=False),
)
COUNTERS = Table(
    "counters",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)
AUDIT = Table(
    "audit",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    Column("campaign", Text),  # nothing where it concerns the whole site
    Column("actor", Text, nullable=False),
    Column("act", Text, nullable=False),
    Column("data", Text, nullable=False),
)
MESSAGES = Table(
    "messages",
    METADATA,
    _campaign(),
    Column("message", Integer, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    Column("annotator", Text),  # nothing: it is for everybody
    Column("actor", Text, nullable=False),
    Column("text", Text, nullable=False),
)
READ_MESSAGES = Table(
    "read_messages",
    METADATA,
    _campaign(),
    Column("message", Integer, primary_key=True, autoincrement=False),
    Column("annotator", Text, primary_key=True),
    Column("at", Moment, nullable=False),
)
API_TOKENS = Table(
    "api_tokens",
    METADATA,
    Column("hash", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),  # read, write, admin
    Column("campaign", Text, ForeignKey("campaigns.campaign")),  # nothing: all campaigns
    Column("actor", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("used_at", Moment),
    Column("withdrawn", Boolean, nullable=False),
)
ACCOUNTS = Table(
    "accounts",
    METADATA,
    _campaign(),
    Column("annotator", Text, primary_key=True),
    Column("name", Text, nullable=False),  # by which they log in, in small letters; one person's alone
    Column("password", Text, nullable=False),  # an argon2id hash, with its parameters
    Column("at", Moment, nullable=False),
    UniqueConstraint("name", name="accounts_name"),
)
CONTACTS = Table(
    "contacts",
    METADATA,
    _campaign(),
    Column("annotator", Text, primary_key=True),
    Column("name", Text),
    Column("mail", Text),
    Column("source", Text, nullable=False),
    Column("external", Text),  # their name at Prolific or Mechanical Turk
    Column("visit", Text),  # JSON: the study, the assignment, where it is to be handed in
    Column("at", Moment, nullable=False),
    UniqueConstraint("campaign", "source", "external", name="contacts_external"),
)
CONSENTS = Table(
    "consents",
    METADATA,
    _campaign(),
    Column("annotator", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("at", Moment, primary_key=True),
    Column("given", Boolean, nullable=False),
)
REPLIES = Table(
    "replies",
    METADATA,
    _campaign(),
    Column("annotator", Text, primary_key=True),
    Column("question", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("at", Moment, nullable=False),
)
ALIASES = Table(
    "aliases",
    METADATA,
    _campaign(),
    Column("annotator", Text, primary_key=True),
    Column("alias", Text, nullable=False),
    Column("at", Moment, nullable=False),
    UniqueConstraint("campaign", "alias", name="aliases_alias"),
)
APPEND_ONLY = (EVENTS, JUDGMENTS, AUDIT)
PERSONAL = (ACCOUNTS, CONTACTS, CONSENTS, REPLIES)
"""What is known of a person apart from their answers."""

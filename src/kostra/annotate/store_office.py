"""What the office keeps: who did what, what people are told, and the tokens of scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from kostra.annotate.store_base import Connected
from kostra.annotate.store_log import encoded
from kostra.annotate.store_tables import API_TOKENS, AUDIT, MESSAGES, READ_MESSAGES
from kostra.annotate.tokens import hashed, new_token, same
from kostra.errors import KostraError, unknown

TokenRole = Literal["read", "write", "admin"]
_USED = timedelta(minutes=1)  # a token's last use is kept to the minute, so that reading does not become writing


@dataclass(frozen=True)
class Recorded:
    """An entry of the audit log."""

    number: int
    at: datetime
    campaign: str | None
    actor: str
    act: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Note:
    """A message to one annotator, or to everybody."""

    message: int
    at: datetime
    annotator: str | None
    """None: it is for everybody."""
    actor: str
    text: str
    read_at: datetime | None = None
    """When the annotator whom we asked for has read it."""


@dataclass(frozen=True)
class ApiToken:
    """What is known of a script's token, which itself stands nowhere."""

    id: str
    """By which it is withdrawn."""
    name: str
    role: TokenRole
    campaign: str | None
    """None: all campaigns."""
    actor: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    withdrawn: bool


class Office(Connected):
    """The part of a store that its office uses."""

    # Audit ----------------------------------------------------------------------------------------------

    def record(self, act: str, *, campaign: str | None, actor: str, data: Mapping[str, Any], now: datetime) -> int:
        """Write down for ever that somebody did something, and give the entry's number, from 1.

        What is personal (names, addresses, passwords, tokens) must not be in `data`: nothing erases it.
        """
        with self.writing() as connection:
            return self._record(connection, act, campaign=campaign, actor=actor, data=data, now=now)

    def _record(
        self,
        connection: sa.Connection,
        act: str,
        *,
        campaign: str | None,
        actor: str,
        data: Mapping[str, Any],
        now: datetime,
    ) -> int:
        number = self._counted(connection, "audit")
        row = {"number": number, "at": now, "campaign": campaign, "actor": actor, "act": act, "data": encoded(data)}
        connection.execute(sa.insert(AUDIT).values(row))
        return number

    def recorded(self, campaign: str | None = None, *, before: int | None = None, limit: int = 100) -> list[Recorded]:
        """Entries of the audit log, the newest first: of one campaign or all, older than a number."""
        query = sa.select(AUDIT).order_by(AUDIT.c.number.desc()).limit(limit)
        if campaign is not None:
            query = query.where(AUDIT.c.campaign == campaign)
        if before is not None:
            query = query.where(AUDIT.c.number < before)
        with self.connected() as connection:
            return [
                Recorded(row.number, row.at, row.campaign, row.actor, row.act, json.loads(row.data))
                for row in connection.execute(query)
            ]

    # Messages -------------------------------------------------------------------------------------------

    def add_message(self, campaign: str, text: str, *, annotator: str | None, actor: str, now: datetime) -> int:
        """Leave a message for one annotator, or for everybody, and give its number."""
        if not text.strip():
            raise KostraError("the message is empty")
        encoded(text)  # refuses what a database cannot hold
        with self.writing() as connection:
            self._lock_campaign(connection, campaign)
            newest = sa.select(sa.func.max(MESSAGES.c.message)).where(MESSAGES.c.campaign == campaign)
            number = (connection.scalar(newest) or 0) + 1
            row = {"campaign": campaign, "message": number, "at": now, "annotator": annotator, "actor": actor}
            connection.execute(sa.insert(MESSAGES).values(**row, text=text.strip()))
        return number

    def messages(self, campaign: str) -> list[tuple[Note, int]]:
        """All messages of a campaign, the newest first, each with how many people have read it."""
        readers = (
            sa.select(READ_MESSAGES.c.message, sa.func.count().label("readers"))
            .where(READ_MESSAGES.c.campaign == campaign)
            .group_by(READ_MESSAGES.c.message)
            .subquery()
        )
        query = (
            sa.select(*_NOTE, readers.c.readers)
            .outerjoin(readers, readers.c.message == MESSAGES.c.message)
            .where(MESSAGES.c.campaign == campaign)
            .order_by(MESSAGES.c.message.desc())
        )
        with self.connected() as connection:
            return [(Note(*row[:5]), row.readers or 0) for row in connection.execute(query)]

    def newest_message(self, campaign: str) -> int:
        """The number of the newest message; 0 where there is none."""
        query = sa.select(sa.func.max(MESSAGES.c.message)).where(MESSAGES.c.campaign == campaign)
        with self.connected() as connection:
            return int(connection.scalar(query) or 0)

    def messages_for(self, campaign: str, annotator: str) -> list[Note]:
        """The messages to one annotator and to everybody, the newest first, and when this annotator read them."""
        theirs = sa.and_(
            READ_MESSAGES.c.campaign == MESSAGES.c.campaign,
            READ_MESSAGES.c.message == MESSAGES.c.message,
            READ_MESSAGES.c.annotator == annotator,
        )
        query = (
            sa.select(*_NOTE, READ_MESSAGES.c.at)
            .outerjoin(READ_MESSAGES, theirs)
            .where(MESSAGES.c.campaign == campaign)
            .where(sa.or_(MESSAGES.c.annotator.is_(None), MESSAGES.c.annotator == annotator))
            .order_by(MESSAGES.c.message.desc())
        )
        with self.connected() as connection:
            return [Note(*row) for row in connection.execute(query)]

    def mark_read(self, campaign: str, annotator: str, messages: Iterable[int], *, now: datetime) -> None:
        """Remember that an annotator has read some of their messages."""
        theirs = {note.message for note in self.messages_for(campaign, annotator) if note.read_at is None}
        rows = [
            {"campaign": campaign, "message": message, "annotator": annotator, "at": now}
            for message in sorted(theirs.intersection(messages))
        ]
        if rows:
            with self.writing() as connection:
                connection.execute(self.insertion(READ_MESSAGES).on_conflict_do_nothing(), rows)

    # Tokens of scripts ----------------------------------------------------------------------------------

    def make_api_token(
        self,
        name: str,
        *,
        role: TokenRole,
        campaign: str | None,
        actor: str,
        expires_at: datetime | None,
        now: datetime,
    ) -> str:
        """Make a token for a script and give it; it stands nowhere else: the store keeps its hash."""
        if not name.strip() or len(name) > 100:
            raise KostraError("a token needs a name, so that one knows later whose it is", accepted="1 to 100 letters")
        encoded(name)
        token = new_token()
        with self.writing() as connection:
            if campaign is not None:
                self._lock_campaign(connection, campaign)
            row = {
                "hash": hashed(token), "name": name.strip(), "role": role, "campaign": campaign, "actor": actor,
                "created_at": now, "expires_at": expires_at, "used_at": None, "withdrawn": False,
            }  # fmt: skip
            connection.execute(sa.insert(API_TOKENS).values(row))
        return token

    def api_token(self, token: str, now: datetime) -> ApiToken | None:
        """Whose token it is, or None if it is nobody's (any more)."""
        mine = API_TOKENS.c.hash == hashed(token)
        with self.connected() as connection:
            found = connection.execute(sa.select(API_TOKENS).where(mine)).one_or_none()
        if found is None or not same(found.hash, hashed(token)) or found.withdrawn:
            return None
        if found.expires_at is not None and found.expires_at <= now:
            return None
        if found.used_at is None or now - found.used_at > _USED:
            with self.writing() as connection:
                connection.execute(sa.update(API_TOKENS).where(mine).values(used_at=now))
        return _token(found)

    def api_tokens(self) -> list[ApiToken]:
        """All tokens that were ever made, the newest first."""
        with self.connected() as connection:
            rows = connection.execute(sa.select(API_TOKENS).order_by(API_TOKENS.c.created_at.desc(), API_TOKENS.c.hash))
            return [_token(row) for row in rows]

    def withdraw_api_token(self, token_id: str) -> None:
        """Make a token worthless at once, by its `ApiToken.id`."""
        with self.writing() as connection:
            known = {name_of_hash(one): one for one in connection.scalars(sa.select(API_TOKENS.c.hash))}
            if token_id not in known:
                raise unknown("token", token_id, known, where=self.where)
            connection.execute(sa.update(API_TOKENS).where(API_TOKENS.c.hash == known[token_id]).values(withdrawn=True))


_NOTE = (MESSAGES.c.message, MESSAGES.c.at, MESSAGES.c.annotator, MESSAGES.c.actor, MESSAGES.c.text)


def name_of_hash(found: str) -> str:
    """By what a token or an invitation is called: enough of its hash to know it by, too little to find it."""
    return found[:16]


def _token(row: Any) -> ApiToken:
    return ApiToken(
        name_of_hash(row.hash), row.name, row.role, row.campaign, row.actor, row.created_at, row.expires_at,
        row.used_at, row.withdrawn,
    )  # fmt: skip

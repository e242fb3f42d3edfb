"""Who may come in: annotators under pseudonyms, invitations, sessions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

import sqlalchemy as sa

from kostra.annotate.store_office import Office, name_of_hash
from kostra.annotate.store_personal import Personal
from kostra.annotate.store_tables import ANNOTATORS, CONTACTS, COUNTERS, INVITATIONS, SESSIONS
from kostra.annotate.tokens import Session, Uses, hashed, new_token, same
from kostra.campaign.protocol import Role
from kostra.errors import KostraError, unknown

PLATFORMS = ("prolific", "mturk")
"""Sites that send people, each with an entrance of its own."""
_ENDED = f"SELECT value FROM {COUNTERS.name} WHERE name = 'sessions_ended'"
_PSEUDONYM = re.compile(r"[\w.-][\w .-]{0,62}[\w.-]|[\w.-]")


@dataclass(frozen=True)
class Annotator:
    """Somebody, or something, that answers."""

    campaign: str
    annotator: str
    role: Role
    kind: str
    """person, simulated or model"""
    created_at: datetime


@dataclass(frozen=True)
class Invitation:
    """A link that was made; its token stands nowhere."""

    id: str
    """By which it is withdrawn."""
    campaign: str
    role: Role
    uses: Uses
    annotator: str | None
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    withdrawn: bool
    quota: int | None
    used: int
    source: str

    def works(self, now: datetime) -> bool:
        """Whether it still lets anybody in."""
        if self.withdrawn or (self.expires_at is not None and self.expires_at <= now):
            return False
        if self.uses == "once":
            return self.used == 0
        return self.uses == "personal" or self.quota is None or self.used < self.quota


@dataclass(frozen=True)
class Stranger:
    """Somebody whom a platform sends: known there by a name that is kept apart from their answers."""

    source: str
    """prolific or mturk"""
    external: str
    visit: Mapping[str, str]


Naming = Callable[[set[str]], str]
"""Makes a pseudonym that is not among those that are taken."""


class People(Personal, Office):
    """The part of a store that knows people."""

    # Annotators -----------------------------------------------------------------------------------------

    def add_annotator(
        self,
        campaign: str,
        *,
        role: Role = "annotator",
        kind: str = "person",
        name: str | Naming | None = None,
        now: datetime,
    ) -> str:
        """Add an annotator and give the pseudonym: the one that is given, or the next such as ``annotator-007``."""
        with self.writing() as connection:
            self._lock_campaign(connection, campaign)
            return self._add_annotator(connection, campaign, role=role, kind=kind, name=name, now=now)

    def _add_annotator(
        self,
        connection: sa.Connection,
        campaign: str,
        *,
        role: Role,
        kind: str,
        name: str | Naming | None,
        now: datetime,
    ) -> str:
        known = set(connection.scalars(sa.select(ANNOTATORS.c.annotator).where(ANNOTATORS.c.campaign == campaign)))
        known |= set(self.aliases_in(connection, campaign).values())
        if callable(name):
            name = name(known)
        if name is None:
            numbered = (f"{role}-{number:03d}" for number in count(len(known) + 1))
            name = next(pseudonym for pseudonym in numbered if pseudonym not in known)
        elif not _PSEUDONYM.fullmatch(name):
            accepted = "up to 64 letters, digits, blanks, dots, hyphens"
            raise KostraError(f'"{name}" cannot be a pseudonym', where=self.where, accepted=accepted)
        elif name in known:
            raise KostraError(f'there is an annotator "{name}" already', where=self.where)
        row = {"campaign": campaign, "annotator": name, "role": role, "kind": kind, "created_at": now}
        connection.execute(sa.insert(ANNOTATORS).values(row))
        return name

    def annotators(self, campaign: str) -> list[Annotator]:
        """The annotators of a campaign, in the order in which they came."""
        query = sa.select(ANNOTATORS).where(ANNOTATORS.c.campaign == campaign)
        with self.connected() as connection:
            rows = connection.execute(query.order_by(ANNOTATORS.c.created_at, ANNOTATORS.c.annotator))
            return [Annotator(*row) for row in rows]

    def annotator(self, campaign: str, annotator: str) -> Annotator:
        """One annotator; who is not there is refused."""
        with self.connected() as connection:
            return self._known_annotator(connection, campaign, annotator)

    # Invitations ----------------------------------------------------------------------------------------

    def invite(
        self,
        campaign: str,
        number: int = 1,
        *,
        role: Role = "annotator",
        uses: Uses = "personal",
        annotator: str | None = None,
        expires_at: datetime | None = None,
        quota: int | None = None,
        source: str = "link",
        now: datetime,
    ) -> list[str]:
        """Make invitations and give their tokens, which stand nowhere else: the store keeps hashes.

        Parameters
        ----------
        uses
            ``once``: the link works a single time. ``personal``: it lets one person in, as often as they come.
            ``shared``: whoever follows it comes in as a new annotator.
        annotator
            Somebody who is there already and gets (another) link; not for shared links.
        quota
            How many a shared link lets in, all together; everybody unless said.
        source
            link, list, demo, or the platform whose people a shared link lets in: prolific, mturk.
        """
        if annotator is not None and uses == "shared":
            raise KostraError("a shared link makes new annotators: it cannot be for one of them", accepted="personal")
        if quota is not None and (uses != "shared" or quota < 1):
            raise KostraError("a quota says how many a shared link lets in", accepted="shared links; 1 or more")
        tokens = [new_token() for _ in range(number)]
        with self.writing() as connection:
            self._lock_campaign(connection, campaign)
            if annotator is not None:
                role = self._known_annotator(connection, campaign, annotator).role
            rows = [
                {
                    "hash": hashed(token), "campaign": campaign, "role": role, "uses": uses, "annotator": annotator,
                    "created_at": now, "expires_at": expires_at, "used_at": None, "withdrawn": False,
                    "quota": quota, "used": 0, "source": source,
                }
                for token in tokens
            ]  # fmt: skip
            if rows:
                connection.execute(sa.insert(INVITATIONS), rows)
        return tokens

    def _known_annotator(self, connection: sa.Connection, campaign: str, annotator: str) -> Annotator:
        mine = ANNOTATORS.c.campaign == campaign
        found = connection.execute(sa.select(ANNOTATORS).where(mine, ANNOTATORS.c.annotator == annotator)).one_or_none()
        if found is None:
            known = connection.scalars(sa.select(ANNOTATORS.c.annotator).where(mine))
            raise unknown("annotator", annotator, known, where=self.where)
        return Annotator(*found)

    def redeem(
        self,
        token: str,
        *,
        lasts_until: datetime,
        now: datetime,
        name: str | Naming | None = None,
        stranger: Stranger | None = None,
    ) -> tuple[str, Session]:
        """Let in whoever has an invitation: the token of a new session, and the session.

        Parameters
        ----------
        name
            The pseudonym of somebody new, or what makes it.
        stranger
            Whom a platform sends. Who came before comes back as the same annotator, whatever the quota.

        Raises
        ------
        KostraError
            If the invitation is unknown, expired, withdrawn or used up.
        """
        with self.writing() as connection:
            found = self._invitation(connection, token, now, source=stranger.source if stranger else None)
            annotator = found.annotator
            self._lock_campaign(connection, found.campaign)
            if stranger is not None:
                annotator = self._known_stranger(connection, found.campaign, stranger)
            came_before = annotator is not None
            if annotator is None:
                if found.quota is not None and found.used >= found.quota:
                    raise KostraError("this invitation has let in as many as it may", remedy="ask for a new link")
                annotator = self._add_annotator(
                    connection, found.campaign, role=found.role, kind="person", name=name, now=now
                )
            if stranger is not None:
                self._set_contact(
                    connection, found.campaign, annotator,
                    source=stranger.source, external=stranger.external, visit=stranger.visit, now=now,
                )  # fmt: skip
            kept = annotator if found.uses != "shared" else None
            more = 0 if came_before and found.uses == "shared" else 1
            told = {"used_at": now, "annotator": kept, "used": INVITATIONS.c.used + more}
            connection.execute(sa.update(INVITATIONS).where(INVITATIONS.c.hash == found.hash).values(told))
            return self._start_session(connection, found.campaign, annotator, lasts_until=lasts_until, now=now)

    def _invitation(self, connection: sa.Connection, token: str, now: datetime, *, source: str | None) -> sa.Row[Any]:
        """An invitation that works, locked."""
        query = sa.select(INVITATIONS).where(INVITATIONS.c.hash == hashed(token)).with_for_update()
        found = connection.execute(query).one_or_none()
        if found is None or not same(found.hash, hashed(token)):
            raise KostraError("this invitation is not known", remedy="ask for a new link")
        if found.withdrawn or (found.expires_at is not None and found.expires_at <= now):
            raise KostraError("this invitation has expired", remedy="ask for a new link")
        if found.uses == "once" and found.used_at is not None:
            raise KostraError("this invitation was used already", remedy="ask for a new link")
        if (found.source in PLATFORMS or source is not None) and found.source != source:
            raise KostraError("this invitation is for people whom another site sends", remedy="ask for a new link")
        return found

    def _known_stranger(self, connection: sa.Connection, campaign: str, stranger: Stranger) -> str | None:
        told = (CONTACTS.c.source == stranger.source, CONTACTS.c.external == stranger.external)
        return connection.scalar(sa.select(CONTACTS.c.annotator).where(CONTACTS.c.campaign == campaign, *told))

    def invitation(self, token: str) -> Invitation | None:
        """What is known of the invitation of a token, whether it works or not."""
        with self.connected() as connection:
            found = connection.execute(sa.select(INVITATIONS).where(INVITATIONS.c.hash == hashed(token))).one_or_none()
        return None if found is None else Invitation(name_of_hash(found.hash), *found[1:])

    def invitations(self, campaign: str) -> list[Invitation]:
        """The invitations of a campaign, the newest first."""
        query = sa.select(INVITATIONS).where(INVITATIONS.c.campaign == campaign)
        with self.connected() as connection:
            rows = connection.execute(query.order_by(INVITATIONS.c.created_at.desc(), INVITATIONS.c.hash))
            return [Invitation(name_of_hash(row.hash), *row[1:]) for row in rows]

    def withdraw(self, token: str) -> None:
        """Make an invitation worthless."""
        with self.writing() as connection:
            connection.execute(sa.update(INVITATIONS).where(INVITATIONS.c.hash == hashed(token)).values(withdrawn=True))

    def withdraw_invitation(self, campaign: str, invitation_id: str) -> None:
        """Make an invitation worthless, by its `Invitation.id`."""
        with self.writing() as connection:
            query = sa.select(INVITATIONS.c.hash).where(INVITATIONS.c.campaign == campaign)
            known = {name_of_hash(one): one for one in connection.scalars(query)}
            if invitation_id not in known:
                raise unknown("invitation", invitation_id, known, where=self.where)
            connection.execute(
                sa.update(INVITATIONS).where(INVITATIONS.c.hash == known[invitation_id]).values(withdrawn=True)
            )

    # Sessions -------------------------------------------------------------------------------------------

    def start_session(
        self, campaign: str, annotator: str, *, lasts_until: datetime, now: datetime
    ) -> tuple[str, Session]:
        """A session for an annotator who is there already: its token, and the session."""
        with self.writing() as connection:
            return self._start_session(connection, campaign, annotator, lasts_until=lasts_until, now=now)

    def _start_session(
        self, connection: sa.Connection, campaign: str, annotator: str, *, lasts_until: datetime, now: datetime
    ) -> tuple[str, Session]:
        known = self._known_annotator(connection, campaign, annotator)
        token = new_token()
        connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.campaign == campaign, SESSIONS.c.expires_at <= now))
        row = {"hash": hashed(token), "campaign": campaign, "annotator": annotator}
        connection.execute(sa.insert(SESSIONS).values(**row, created_at=now, expires_at=lasts_until))
        return token, Session(campaign, annotator, known.role, known.kind, lasts_until)

    def session(self, token: str, *, now: datetime) -> Session | None:
        """The session of a token, or None if there is none (any more). See `kostra.annotate.tokens.Sessions`."""
        person = sa.and_(SESSIONS.c.campaign == ANNOTATORS.c.campaign, SESSIONS.c.annotator == ANNOTATORS.c.annotator)
        told = sa.and_(SESSIONS.c.campaign == CONTACTS.c.campaign, SESSIONS.c.annotator == CONTACTS.c.annotator)
        query = (
            sa.select(SESSIONS, ANNOTATORS.c.role, ANNOTATORS.c.kind, CONTACTS.c.source)
            .join(ANNOTATORS, person)
            .outerjoin(CONTACTS, told)
            .where(SESSIONS.c.hash == hashed(token))
        )
        with self.connected() as connection:
            found = connection.execute(query).one_or_none()
        if found is None or not same(found.hash, hashed(token)) or found.expires_at <= now:
            return None
        source = found.source if found.source in PLATFORMS else ""
        return Session(found.campaign, found.annotator, found.role, found.kind, found.expires_at, source)

    def end_session(self, token: str) -> None:
        """End a session, in every process at once; nothing happens if there is none."""
        with self.writing() as connection:
            self._end(connection, SESSIONS.c.hash == hashed(token))

    def end_sessions(self, campaign: str, annotator: str, *, but: str | None = None) -> None:
        """End all sessions of an annotator, in every process at once; all but one, if its token is given."""
        mine = [SESSIONS.c.campaign == campaign, SESSIONS.c.annotator == annotator]
        if but is not None:
            mine.append(SESSIONS.c.hash != hashed(but))
        with self.writing() as connection:
            self._end(connection, *mine)

    def _end(self, connection: sa.Connection, *wanted: sa.ColumnElement[bool]) -> None:
        if connection.execute(sa.delete(SESSIONS).where(*wanted)).rowcount:
            self._counted(connection, "sessions_ended")

    def sessions_ended(self) -> int:
        """A number that grows whenever sessions are ended: what was looked up before may not hold any more."""
        with self.connected() as connection:
            found = connection.exec_driver_sql(_ENDED).scalar()  # every request asks: plain SQL is half the work
        return int(found or 0)

"""Who may come in: annotators under pseudonyms, invitations, sessions."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from itertools import count

import sqlalchemy as sa

from kostra.annotate.store_tables import ANNOTATORS, CAMPAIGNS, INVITATIONS, SESSIONS
from kostra.annotate.tokens import Session, Uses, hashed, new_token, same
from kostra.campaign.protocol import Role
from kostra.errors import KostraError, unknown

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


class People:
    """The part of a store that knows people."""

    where: str

    def connected(self) -> AbstractContextManager[sa.Connection]:
        """A connection."""
        raise NotImplementedError

    def writing(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that writes."""
        raise NotImplementedError

    def _lock_campaign(self, connection: sa.Connection, campaign: str) -> None:
        """Make others who change the campaign's people or material wait; refuse a campaign that is not there."""
        query = sa.select(CAMPAIGNS.c.campaign).where(CAMPAIGNS.c.campaign == campaign).with_for_update()
        if connection.scalar(query) is None:
            raise unknown("campaign", campaign, connection.scalars(sa.select(CAMPAIGNS.c.campaign)), where=self.where)

    # Annotators -----------------------------------------------------------------------------------------

    def add_annotator(
        self,
        campaign: str,
        *,
        role: Role = "annotator",
        kind: str = "person",
        name: str | None = None,
        now: datetime,
    ) -> str:
        """Add an annotator and give the pseudonym: the one that is given, or the next such as ``annotator-007``."""
        with self.writing() as connection:
            self._lock_campaign(connection, campaign)
            return self._add_annotator(connection, campaign, role=role, kind=kind, name=name, now=now)

    def _add_annotator(
        self, connection: sa.Connection, campaign: str, *, role: Role, kind: str, name: str | None, now: datetime
    ) -> str:
        known = set(connection.scalars(sa.select(ANNOTATORS.c.annotator).where(ANNOTATORS.c.campaign == campaign)))
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
        """
        if annotator is not None and uses == "shared":
            raise KostraError("a shared link makes new annotators: it cannot be for one of them", accepted="personal")
        tokens = [new_token() for _ in range(number)]
        with self.writing() as connection:
            self._lock_campaign(connection, campaign)
            if annotator is not None:
                role = self._known_annotator(connection, campaign, annotator).role
            rows = [
                {
                    "hash": hashed(token), "campaign": campaign, "role": role, "uses": uses, "annotator": annotator,
                    "created_at": now, "expires_at": expires_at, "used_at": None, "withdrawn": False,
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
        self, token: str, *, lasts_until: datetime, now: datetime, name: str | None = None
    ) -> tuple[str, Session]:
        """Let in whoever has an invitation: the token of a new session, and the session.

        Raises
        ------
        KostraError
            If the invitation is unknown, expired, withdrawn or used.
        """
        with self.writing() as connection:
            mine = INVITATIONS.c.hash == hashed(token)
            found = connection.execute(sa.select(INVITATIONS).where(mine).with_for_update()).one_or_none()
            if found is None or not same(found.hash, hashed(token)):
                raise KostraError("this invitation is not known", remedy="ask for a new link")
            if found.withdrawn or (found.expires_at is not None and found.expires_at <= now):
                raise KostraError("this invitation has expired", remedy="ask for a new link")
            if found.uses == "once" and found.used_at is not None:
                raise KostraError("this invitation was used already", remedy="ask for a new link")
            self._lock_campaign(connection, found.campaign)
            annotator = found.annotator
            if annotator is None:
                annotator = self._add_annotator(
                    connection, found.campaign, role=found.role, kind="person", name=name, now=now
                )
            kept = annotator if found.uses != "shared" else None
            connection.execute(sa.update(INVITATIONS).where(mine).values(used_at=now, annotator=kept))
            return self._start_session(connection, found.campaign, annotator, lasts_until=lasts_until, now=now)

    def withdraw(self, token: str) -> None:
        """Make an invitation worthless."""
        with self.writing() as connection:
            connection.execute(sa.update(INVITATIONS).where(INVITATIONS.c.hash == hashed(token)).values(withdrawn=True))

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
        query = (
            sa.select(SESSIONS, ANNOTATORS.c.role, ANNOTATORS.c.kind)
            .where(SESSIONS.c.hash == hashed(token), SESSIONS.c.campaign == ANNOTATORS.c.campaign)
            .where(SESSIONS.c.annotator == ANNOTATORS.c.annotator)
        )
        with self.connected() as connection:
            found = connection.execute(query).one_or_none()
        if found is None or not same(found.hash, hashed(token)) or found.expires_at <= now:
            return None
        return Session(found.campaign, found.annotator, found.role, found.kind, found.expires_at)

    def end_session(self, token: str) -> None:
        """End a session; nothing happens if there is none."""
        with self.writing() as connection:
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.hash == hashed(token)))

    def end_sessions(self, campaign: str, annotator: str) -> None:
        """End all sessions of an annotator."""
        with self.writing() as connection:
            mine = (SESSIONS.c.campaign == campaign, SESSIONS.c.annotator == annotator)
            connection.execute(sa.delete(SESSIONS).where(*mine))

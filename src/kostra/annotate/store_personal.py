"""What is known of people apart from their answers: contacts, consents, questionnaires, passwords; and erasing it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kostra.annotate.store_base import Connected
from kostra.annotate.store_log import encoded
from kostra.annotate.store_tables import (
    ACCOUNTS,
    ALIASES,
    ANNOTATORS,
    CONSENTS,
    CONTACTS,
    DRAFTS,
    INVITATIONS,
    MESSAGES,
    PERSONAL,
    READ_MESSAGES,
    REPLIES,
    SESSIONS,
)
from kostra.errors import KostraError, unknown


@dataclass(frozen=True)
class Contact:
    """How a person is reached: never beside their answers."""

    campaign: str
    annotator: str
    name: str | None
    mail: str | None
    source: str
    """link, list, prolific or mturk"""
    external: str | None
    """Their name there: a Prolific or MTurk worker id."""
    visit: Mapping[str, str]
    """What came with the link: study, session, assignment."""
    at: datetime


@dataclass(frozen=True)
class Consent:
    """What somebody said to a version of the consent text."""

    annotator: str
    version: str
    at: datetime
    given: bool


@dataclass(frozen=True)
class Reply:
    """An answer to a question of the questionnaire about the person."""

    annotator: str
    question: str
    value: str
    at: datetime


@dataclass(frozen=True)
class Account:
    """A name and a password, instead of a link."""

    campaign: str
    annotator: str
    name: str
    password: str
    at: datetime


class Personal(Connected):
    """The part of a store that knows who people are."""

    # Contacts -------------------------------------------------------------------------------------------

    def contact(self, campaign: str, annotator: str) -> Contact | None:
        """How somebody is reached, if they or a list have told."""
        return next(iter(self._contacts(CONTACTS.c.campaign == campaign, CONTACTS.c.annotator == annotator)), None)

    def contacts(self, campaign: str) -> list[Contact]:
        """All contacts of a campaign."""
        return self._contacts(CONTACTS.c.campaign == campaign)

    def _contacts(self, *wanted: sa.ColumnElement[bool]) -> list[Contact]:
        query = sa.select(CONTACTS).where(*wanted).order_by(CONTACTS.c.at, CONTACTS.c.annotator)
        with self.connected() as connection:
            return [_contact(row) for row in connection.execute(query)]

    def set_contact(
        self,
        campaign: str,
        annotator: str,
        *,
        name: str | None = None,
        mail: str | None = None,
        source: str = "link",
        external: str | None = None,
        visit: Mapping[str, str] | None = None,
        now: datetime,
    ) -> None:
        """Keep how somebody is reached, in place of what was known before."""
        with self.writing() as connection:
            self._set_contact(
                connection, campaign, annotator, name=name, mail=mail, source=source, external=external, visit=visit,
                now=now,
            )  # fmt: skip

    def _set_contact(
        self,
        connection: sa.Connection,
        campaign: str,
        annotator: str,
        *,
        name: str | None = None,
        mail: str | None = None,
        source: str,
        external: str | None,
        visit: Mapping[str, str] | None,
        now: datetime,
    ) -> None:
        told = {
            "name": name, "mail": mail, "source": source, "external": external,
            "visit": None if visit is None else encoded(dict(visit)), "at": now,
        }  # fmt: skip
        row = self.insertion(CONTACTS).values(campaign=campaign, annotator=annotator, **told)
        connection.execute(row.on_conflict_do_update(index_elements=["campaign", "annotator"], set_=told))

    def drop_contact(self, campaign: str, annotator: str) -> None:
        """Forget how somebody is reached."""
        mine = (CONTACTS.c.campaign == campaign, CONTACTS.c.annotator == annotator)
        with self.writing() as connection:
            connection.execute(sa.delete(CONTACTS).where(*mine))

    # Consents -------------------------------------------------------------------------------------------

    def add_consent(self, campaign: str, annotator: str, version: str, *, given: bool, now: datetime) -> None:
        """Keep what somebody said to a version of the consent text; the last word counts.

        A refusal counts as ended sessions do: every process looks anew at who may work (`sessions_ended`).
        """
        row = {"campaign": campaign, "annotator": annotator, "version": version, "at": now, "given": given}
        with self.writing() as connection:
            known = self.insertion(CONSENTS).values(row)
            keys = ["campaign", "annotator", "version", "at"]
            connection.execute(known.on_conflict_do_update(index_elements=keys, set_={"given": given}))
            if not given:
                self._counted(connection, "sessions_ended")

    def consents(self, campaign: str, annotator: str | None = None) -> list[Consent]:
        """What one person or all have said, in order of time."""
        query = sa.select(CONSENTS.c.annotator, CONSENTS.c.version, CONSENTS.c.at, CONSENTS.c.given)
        query = query.where(CONSENTS.c.campaign == campaign).order_by(CONSENTS.c.at, CONSENTS.c.annotator)
        if annotator is not None:
            query = query.where(CONSENTS.c.annotator == annotator)
        with self.connected() as connection:
            return [Consent(*row) for row in connection.execute(query)]

    def has_consented(self, campaign: str, annotator: str, version: str) -> bool | None:
        """Their last word on a version of the text; None if there is none."""
        said = [one.given for one in self.consents(campaign, annotator) if one.version == version]
        return said[-1] if said else None

    # Questionnaire --------------------------------------------------------------------------------------

    def put_replies(self, campaign: str, annotator: str, replies: Mapping[str, str], *, now: datetime) -> None:
        """Keep what somebody told about themself, in place of what they told before."""
        rows = [
            {"campaign": campaign, "annotator": annotator, "question": question, "value": value, "at": now}
            for question, value in replies.items()
        ]
        encoded(dict(replies))
        if rows:
            with self.writing() as connection:
                insert = self.insertion(REPLIES)
                new = {"value": insert.excluded.value, "at": insert.excluded.at}
                keys = ["campaign", "annotator", "question"]
                connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=new), rows)

    def replies(self, campaign: str, annotator: str | None = None) -> list[Reply]:
        """What one person or all told about themselves."""
        query = sa.select(REPLIES.c.annotator, REPLIES.c.question, REPLIES.c.value, REPLIES.c.at)
        query = query.where(REPLIES.c.campaign == campaign).order_by(REPLIES.c.annotator, REPLIES.c.question)
        if annotator is not None:
            query = query.where(REPLIES.c.annotator == annotator)
        with self.connected() as connection:
            return [Reply(*row) for row in connection.execute(query)]

    # Passwords ------------------------------------------------------------------------------------------

    def set_account(self, campaign: str, annotator: str, *, name: str, password: str, now: datetime) -> None:
        """Let somebody log in by a name and a password (its argon2id hash), in place of the name they had."""
        keys = {"campaign": campaign, "annotator": annotator}
        told = {"name": name, "password": password, "at": now}
        with self.writing() as connection:
            holder = connection.execute(sa.select(ACCOUNTS).where(ACCOUNTS.c.name == name)).one_or_none()
            if holder is not None and (holder.campaign, holder.annotator) != (campaign, annotator):
                raise KostraError("somebody else logs in by this name", accepted="another name")
            row = self.insertion(ACCOUNTS).values(**keys, **told)
            connection.execute(row.on_conflict_do_update(index_elements=list(keys), set_=told))

    def account(self, campaign: str, annotator: str) -> Account | None:
        """The account of an annotator, if there is one."""
        return self._account(ACCOUNTS.c.campaign == campaign, ACCOUNTS.c.annotator == annotator)

    def account_named(self, name: str) -> Account | None:
        """The account of that name, if there is one."""
        return self._account(ACCOUNTS.c.name == name)

    def _account(self, *wanted: sa.ColumnElement[bool]) -> Account | None:
        with self.connected() as connection:
            found = connection.execute(sa.select(ACCOUNTS).where(*wanted)).one_or_none()
        return None if found is None else Account(*found)

    # Erasing --------------------------------------------------------------------------------------------

    def erase(self, campaign: str, annotator: str, *, now: datetime) -> str:
        """Forget a person: all that is known of them goes, their answers stay under a random name, which is given.

        Gone are contact, consents, questionnaire, password, sessions, drafts, messages to them, and their links. The
        log and the judgments, which nothing may change, keep the old pseudonym inside the database; every table and
        page shows the random name instead (`aliases`). Nothing in the store ties the old pseudonym to the person.
        """
        with self.writing() as connection:
            self._lock_campaign(connection, campaign)
            query = sa.select(ANNOTATORS.c.annotator).where(ANNOTATORS.c.campaign == campaign)
            known = set(connection.scalars(query))
            if annotator not in known:
                raise unknown("annotator", annotator, known, where=self.where)
            query = sa.select(ALIASES.c.alias).where(ALIASES.c.campaign == campaign, ALIASES.c.annotator == annotator)
            alias = connection.scalar(query)
            if alias is None:
                alias = f"erased-{secrets.token_hex(6)}"
                row = {"campaign": campaign, "annotator": annotator, "alias": alias, "at": now}
                connection.execute(sa.insert(ALIASES).values(row))
            for table in (*PERSONAL, SESSIONS, DRAFTS, INVITATIONS, MESSAGES, READ_MESSAGES):
                mine = (table.c.campaign == campaign, table.c.annotator == annotator)
                connection.execute(sa.delete(table).where(*mine))
            self._counted(connection, "sessions_ended")
        return str(alias)

    def aliases(self, campaign: str) -> dict[str, str]:
        """Pseudonyms of those who were erased → the names under which their answers are shown."""
        with self.connected() as connection:
            return self.aliases_in(connection, campaign)

    def aliases_in(self, connection: sa.Connection, campaign: str) -> dict[str, str]:
        """The same, on a connection that is open already."""
        query = sa.select(ALIASES.c.annotator, ALIASES.c.alias).where(ALIASES.c.campaign == campaign)
        return {row.annotator: row.alias for row in connection.execute(query)}


def _contact(row: Any) -> Contact:
    visit = json.loads(row.visit) if row.visit else {}
    return Contact(row.campaign, row.annotator, row.name, row.mail, row.source, row.external, visit, row.at)

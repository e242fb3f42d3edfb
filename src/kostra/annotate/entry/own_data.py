"""All that is stored of one person, for themselves; and what people told about themselves, apart from the answers."""

from __future__ import annotations

import csv
import io
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any

from kostra.annotate.store import Store
from kostra.annotate.store_personal import Reply
from kostra.campaign.admission import Questionnaire


def data_of(store: Store, campaign: str, annotator: str, *, now: datetime) -> dict[str, Any]:
    """Everything that the store knows of a person, as JSON; secrets (hashes) are not in it."""
    person = store.annotator(campaign, annotator)
    contact, account = store.contact(campaign, annotator), store.account(campaign, annotator)
    with store.reading() as connection, closing(store.log(campaign).all(connection)) as log:
        events = [
            {"at": event.at.isoformat(), "what": event.kind, "data": event.data}
            for event in log
            if event.annotator == annotator
        ]
    return {
        "campaign": campaign,
        "pseudonym": annotator,
        "role": person.role,
        "kind": person.kind,
        "since": person.created_at.isoformat(),
        "contact": None
        if contact is None
        else {
            "name": contact.name,
            "mail": contact.mail,
            "came_by": contact.source,
            "known_there_as": contact.external,
            "visit": dict(contact.visit),
        },
        "login_name": account.name if account else None,
        "consents": [
            {"version": one.version, "at": one.at.isoformat(), "given": one.given}
            for one in store.consents(campaign, annotator)
        ],
        "questionnaire": {one.question: one.value for one in store.replies(campaign, annotator)},
        "messages": [
            {
                "at": note.at.isoformat(),
                "text": note.text,
                "read_at": note.read_at.isoformat() if note.read_at else None,
            }
            for note in store.messages_for(campaign, annotator)
        ],
        "drafts": store.drafts_of(campaign, annotator),
        "log": events,
        "written_at": now.isoformat(),
    }


def replies_table(
    replies: Sequence[Reply], questionnaire: Questionnaire | None, aliases: Mapping[str, str], *, linked: bool
) -> tuple[str, list[str]]:
    """What people told about themselves as CSV, one row a person, and what is to be told about it.

    Parameters
    ----------
    linked
        Whether the rows have the pseudonyms of the answers, so that the two can be joined; else they have none, and
        stand in a random order.
    """
    asked = [question.name for question in questionnaire.questions] if questionnaire else []
    asked += sorted({one.question for one in replies} - set(asked))  # of earlier revisions
    people: dict[str, dict[str, str]] = {}
    for one in replies:
        people.setdefault(aliases.get(one.annotator, one.annotator), {})[one.question] = one.value
    rows = [[name, *(told.get(question, "") for question in asked)] for name, told in sorted(people.items())]
    if not linked:
        secrets.SystemRandom().shuffle(rows)
        rows = [row[1:] for row in rows]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["annotator", *asked] if linked else asked)
    writer.writerows(rows)
    least = questionnaire.at_least if questionnaire else None
    return stream.getvalue(), _few(rows, least, linked=linked) if least else []


def _few(rows: Sequence[Sequence[str]], least: int, *, linked: bool) -> list[str]:
    """Whether somebody stands out by their replies (k-anonymity)."""
    same = Counter(tuple(row[1:] if linked else row) for row in rows)
    lonely = [count for count in same.values() if count < least]
    if not lonely:
        return []
    return [
        f"{sum(lonely):,} of {len(rows):,} people share all their replies with fewer than {least - 1} others: they "
        "might be recognised. Publish coarser replies, or none"
    ]

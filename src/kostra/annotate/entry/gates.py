"""What stands between the door and the work: consent, then the questionnaire about the person."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Literal

from kostra.annotate.desk import Desk
from kostra.annotate.store import Store
from kostra.annotate.tokens import Session
from kostra.campaign.protocol import Campaign

Gate = Literal["consent", "questionnaire"]
DEMO = "demo"
"""The annotator of the link that `kostra serve` prints: nobody's place is taken, but every gate is shown."""
_KEEP = timedelta(seconds=30)
_MOST = 10_000


class GateError(Exception):
    """Something must be done before work can begin."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate)
        self.gate = gate


class Gates:
    """Remembers for half a minute who has passed, so that a changed consent text is asked again within that time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._passed: OrderedDict[tuple[str, str], tuple[datetime, int]] = OrderedDict()

    async def waiting(self, desk: Desk, session: Session, *, ended: int, now: datetime) -> Gate | None:
        """The gate at which somebody stands; who has passed all of them takes part in the campaign.

        `ended` says how often sessions have been ended: who withdraws their consent has all of theirs ended.
        """
        name = (session.campaign, session.annotator)
        at, ended_then = self._passed.get(name, (None, 0))
        if at is not None and ended_then == ended and at <= now < at + _KEEP:
            return None
        if _is_asked(session):
            protocol = await desk.protocol()
            gate = await asyncio.to_thread(gate_of, self._store, protocol, session)
            if gate is not None:
                return gate
        await desk.join(session)
        self._passed[name] = (now, ended)
        self._passed.move_to_end(name)
        while len(self._passed) > _MOST:
            self._passed.popitem(last=False)
        return None


def _is_asked(session: Session) -> bool:
    """Programs agree to nothing, and whoever runs the campaign is no participant of it."""
    return session.role != "admin" and (session.kind == "person" or session.annotator == DEMO)


def gate_of(store: Store, protocol: Campaign, session: Session) -> Gate | None:
    """The first gate that somebody has not passed."""
    campaign, annotator = session.campaign, session.annotator
    if protocol.consent is not None:
        version = protocol.consent.version_of_text
        if store.has_consented(campaign, annotator, version) is not True:
            return "consent"
    if protocol.questionnaire is not None:
        told = {reply.question for reply in store.replies(campaign, annotator)}
        if any(question.name not in told for question in protocol.questionnaire.questions):
            return "questionnaire"
    return None

"""What somebody who watches over a campaign may do: pauses, exclusions, items freed and given, deadlines put off.

Each act is a command that gives events, like what annotators do; `by` says who did it and `note` why.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from kostra.campaign.events import Event
from kostra.campaign.lots import Lots
from kostra.campaign.people import Person
from kostra.campaign.phases import PhaseRun
from kostra.campaign.pools import Pool, Queue
from kostra.campaign.state import CampaignState
from kostra.errors import KostraError, unknown


class Supervised(CampaignState):
    """A campaign that somebody watches over."""

    # The whole campaign ------------------------------------------------------------------------------------

    def pause(self, now: datetime, *, note: str = "", by: str = "") -> list[Event]:
        """Nobody is shown anything new; what stands on a screen may still be answered."""
        return [] if self.paused is not None else [Event("paused", now, None, {"note": note, "by": by})]

    def resume(self, now: datetime, *, note: str = "", by: str = "") -> list[Event]:
        """Undo a pause."""
        return [] if self.paused is None else [Event("resumed", now, None, {"note": note, "by": by})]

    def _on_paused(self, event: Event) -> None:
        self.paused = event.data["note"]

    def _on_resumed(self, event: Event) -> None:  # noqa: ARG002 - that it happened says it all
        self.paused = None

    # Deadlines ---------------------------------------------------------------------------------------------

    def deadline(self, phase: str) -> datetime | None:
        """When a phase ends, if it does."""
        run = self.phases.get(phase)
        return self.extended.get(phase) or (run.phase.deadline if run is not None else None)

    def is_over(self, phase: str, now: datetime) -> bool:
        """Whether the deadline of a phase has passed."""
        until = self.deadline(phase)
        return until is not None and until <= now

    def extend(self, phase: str, until: datetime, now: datetime, *, note: str = "", by: str = "") -> list[Event]:
        """Put the deadline of a phase off.

        Raises
        ------
        KostraError
            If the phase has no deadline, or the new one is not later than the old one and than now.
        """
        ends = self.deadline(self._phase(phase).name)
        if ends is None:
            raise KostraError(f'the phase "{phase}" has no deadline that could be put off')
        if until <= max(ends, now):
            raise KostraError(
                f"{until:%Y-%m-%d %H:%M} is no later than the deadline, or has passed",
                accepted=f"a moment after {max(ends, now):%Y-%m-%d %H:%M} UTC",
            )
        data = {"phase": phase, "until": until.isoformat(), "note": note, "by": by}
        return [Event("extended", now, None, data)]

    def _on_extended(self, event: Event) -> None:
        self.extended[event.data["phase"]] = datetime.fromisoformat(event.data["until"])

    # People ------------------------------------------------------------------------------------------------

    def stop(self, annotator: str, reason: str, now: datetime, *, note: str = "", by: str = "") -> list[Event]:
        """The annotator is stopped: their answers are discarded and the items freed."""
        person = self._person(annotator)
        return [] if person.stopped else [Event("stopped", now, annotator, {"reason": reason, **_said(note, by)})]

    def readmit(self, annotator: str, now: datetime, *, note: str = "", by: str = "") -> list[Event]:
        """Undo a stop: answers for which there is still room count again, the others are surplus."""
        person = self._person(annotator)
        return [Event("readmitted", now, annotator, _said(note, by))] if person.stopped else []

    # Items -------------------------------------------------------------------------------------------------

    def free(self, annotator: str, now: datetime, *, note: str = "", by: str = "") -> list[Event]:
        """Whatever is kept for an annotator goes back: the item on their screen, and what their lots lack."""
        return [Event("freed", now, self._person(annotator).name, {"note": note, "by": by})]

    def free_item(self, phase: str, item: str, now: datetime, *, note: str = "", by: str = "") -> list[Event]:
        """An item is kept for nobody any more; where items are dealt in lots, the lots that lack it go back."""
        self._pool_with(self._phase(phase), item)
        return [Event("freed", now, None, {"phase": phase, "item": item, "note": note, "by": by})]

    def _on_freed(self, event: Event) -> None:
        if event.annotator is not None:
            person = self.people[event.annotator]
            self._gone(person)
            person.assigned.clear()
            return
        phase, item = event.data["phase"], event.data["item"]
        for person in self.people.values():
            self._take_away(person, phase, item)
        for pool in self.phases[phase].pools.values():
            if item in pool:
                pool.free(item)

    def reassign(
        self,
        phase: str,
        item: str,
        annotator: str,
        now: datetime,
        *,
        taken_from: str | None = None,
        note: str = "",
        by: str = "",
    ) -> list[Event]:
        """Give an item to an annotator, before anything else; where items are dealt in lots, a whole lot that lacks it.

        Parameters
        ----------
        taken_from
            For whom it was kept until now, if for anybody.

        Raises
        ------
        KostraError
            If the annotator may not have it: they are stopped, or have answered it, or it is full.
        """
        run, person = self._phase(phase), self._person(annotator)
        number, pool = self._pool_with(run, item)
        self._may_get(person, run, item)
        if taken_from is not None:
            self._person(taken_from)
        lot = None
        if isinstance(pool, Lots):
            lot = pool.lot_to_give(annotator, item, taken_from)
            if lot is None:
                whose = f'"{taken_from}" has' if taken_from is not None else "nobody has given back"
                raise KostraError(f'{whose} no sequence that lacks "{item}" and could go to "{annotator}"')
        elif isinstance(pool, Queue):
            self._has_room(pool, item, annotator, taken_from, now)
        else:
            raise KostraError(f'who gets which item of the phase "{phase}" follows from other phases or answers')
        until = now + timedelta(days=self.campaign.idle_days)
        data: dict[str, Any] = {"phase": phase, "block": number, "item": item, "lot": lot, "taken_from": taken_from}
        return [Event("reassigned", now, annotator, {**data, "until": until.isoformat(), "note": note, "by": by})]

    def _on_reassigned(self, event: Event) -> None:
        data, person = event.data, self.people[event.annotator or ""]
        phase, number, item = data["phase"], data["block"], data["item"]
        pool = self.phases[phase].pools[number]
        if data["taken_from"] is not None:
            before = self.people[data["taken_from"]]
            self._take_away(before, phase, item)
            pool.release(before.name, item)
        if isinstance(pool, Lots):
            pool.deal(person.name, data["lot"], event.at)
        else:
            pool.expire(event.at)
            pool.lease(person.name, item, datetime.fromisoformat(data["until"]))
        person.assigned.append((phase, number, item))
        person.finished.pop(phase, None)

    def _take_away(self, person: Person, phase: str, item: str) -> None:
        lease = person.lease
        if lease is not None and (lease.phase, lease.item) == (phase, item) and person.reopened is None:
            person.lease = None
        person.assigned = [one for one in person.assigned if (one[0], one[2]) != (phase, item)]

    def _assigned(self, person: Person, run: PhaseRun, number: int, now: datetime) -> str | None:
        """What an admin gave to the annotator and they have not answered yet."""
        pool, sitting = run.pools[number], person.sitting_at(now, self._gap)
        for phase, block, item in person.assigned:
            mine = (phase, block) == (run.name, number) and pool.may_hold(person.name, item)
            if mine and pool.room(person.name, item, now) and not pool.clashes(item, sitting):
                return item
        return None

    # What may be ---------------------------------------------------------------------------------------------

    def _phase(self, phase: str) -> PhaseRun:
        if phase not in self.phases:
            raise unknown("phase", phase, self.phases)
        return self.phases[phase]

    def _pool_with(self, run: PhaseRun, item: str) -> tuple[int, Pool]:
        found = next(((number, pool) for number, pool in run.pools.items() if item in pool and pool.asks(item)), None)
        if found is None:
            raise KostraError(f'nobody is asked "{item}" in a main block of the phase "{run.name}"')
        return found

    def _may_get(self, person: Person, run: PhaseRun, item: str) -> None:
        why = ""
        if person.stopped:
            why = "is stopped"
        elif person.role != run.phase.role or person.kind == "model":
            why = f'does not work in the phase "{run.name}"'
        elif any(item in person.in_block((run.name, number)) for number in run.pools):
            why = f'has answered "{item}"'
        elif run.name in person.finished and self._followed(run):
            why = "has finished this phase, and another rests on it"
        if why:
            raise KostraError(f'"{person.name}" {why}')

    def _has_room(self, pool: Pool, item: str, annotator: str, taken_from: str | None, now: datetime) -> None:
        pool.expire(now)
        holders = pool.holders(item)
        others = [who for who in holders if who not in (annotator, taken_from)]
        if taken_from is not None and taken_from not in holders:
            raise KostraError(f'"{item}" is not kept for "{taken_from}"')
        if pool.accepted(item) + len(others) >= pool.overlap:
            raise KostraError(
                f'"{item}" has all its answers, or others are answering it',
                remedy="free it, or take it from one of them" if others else None,
            )

    def _followed(self, run: PhaseRun) -> bool:
        """Whether another phase rests on what an annotator did in this one."""
        return any(run.name in (other.phase.after, other.phase.same_order_as) for other in self.phases.values())


def _said(note: str, by: str) -> dict[str, str]:
    return {name: text for name, text in (("note", note), ("by", by)) if text}

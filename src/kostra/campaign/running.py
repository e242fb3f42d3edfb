"""A running campaign: pure logic that people on the site, simulated annotators and language models share.

Commands (`join`, `next`, `answer`, `undo`, …) look at the state and say what shall happen, as events; `apply` makes it
happen, and nothing else changes the state. Whoever keeps the events in order can rebuild the campaign at any time.

Examples
--------
>>> from datetime import UTC, datetime
>>> from kostra.campaign.items import Item
>>> from kostra.campaign.material import Material
>>> from kostra.campaign.protocol import Campaign, Phase, Question
>>> question = Question(name="similarity", low=0, high=5)
>>> protocol = Campaign(phases=(Phase(name="main", task="rating", questions=(question,)),))
>>> pair = Item("p", "pair", {"text_a": "A cat.", "text_b": "A dog."})
>>> running = Running(protocol, Material({"p": pair}, {("main", 0): ("p",)}), seed=1)
>>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
>>> running.record(running.join("ann", noon))
>>> place = running.do(running.next("ann", noon))
>>> place.kind, place.item.item
('show', 'p')
>>> given = Given("main", "p", 1, {"similarity": [Answer("4")]}, key="k1")
>>> running.do(running.answer("ann", given, noon)).status, running.do(running.next("ann", noon)).kind
('answered', 'finished')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from kostra.campaign.adaptive_pool import AdaptivePool
from kostra.campaign.corrections import Correction, corrections_in, decision_in, reaches
from kostra.campaign.events import Event
from kostra.campaign.people import Person, Record, Shown
from kostra.campaign.phases import PhaseRun
from kostra.campaign.places import Answer, Given, Outcome, Place, Progress, Status
from kostra.campaign.pools import Proposal
from kostra.campaign.protocol import Gold
from kostra.campaign.questions import SUGGESTION
from kostra.campaign.supervising import Supervised
from kostra.errors import KostraError

READING = ("instructions", "consent")


class Running(Supervised):
    """A campaign in the middle of its life."""

    # Commands --------------------------------------------------------------------------------------------

    def join(self, annotator: str, now: datetime, *, role: str = "annotator", kind: str = "person") -> list[Event]:
        """Somebody takes part. Joining again changes nothing."""
        if annotator in self.people:
            return []
        return [Event("joined", now, annotator, {"role": role, "kind": kind})]

    def next(self, annotator: str, now: datetime) -> tuple[Place, list[Event]]:
        """Where an annotator stands now; an item that is shown is kept for them for a while."""
        person = self._person(annotator)
        if person.stopped:
            return Place("stopped", reason=person.stopped), []
        if self.paused is not None:
            return Place("waiting", reason="paused"), []
        events: list[Event] = []
        place = self._place(person, now, events)
        if place.kind != "show":
            place = replace(place, may_undo=self._undoable(person) is not None)
        return place, events

    def _place(self, person: Person, now: datetime, events: list[Event]) -> Place:
        held = self._held(person, now, events)
        if held is not None:
            return held
        finished = dict(person.finished)
        for run in self._journey(person):
            if run.name in finished:
                continue
            place = self._closed(run, finished, now) or self._in_phase(person, run, now, events)
            if place is not None:
                return place
            finished[run.name] = now
            events.append(Event("finished", now, person.name, {"phase": run.name}))
        return self._anew(person, now, events) or Place("finished")

    def answer(self, annotator: str, given: Given, now: datetime) -> tuple[Outcome, list[Event]]:
        """Take an answer in; the same key twice is one answer.

        Raises
        ------
        KostraError
            For an answer about something that was not shown, or that was answered before.
        """
        person = self._person(annotator)
        known = self._keys.get((annotator, given.key))
        if known is not None:
            return replace(known, repeated=True), []
        run, shown, again = self._answerable(person, given)
        status = self._verdict(person, run, shown, given, again, now)
        share = self._share_right(run, shown, given) if status != "skipped" else None
        right = None if share is None else share == 1
        values = {name: [[one.value, one.status] for one in answers] for name, answers in given.answers.items()}
        data = {
            "phase": run.name,
            "block": shown.block,
            "block_name": self._block_name(run, shown.block, given.item),
            "item": given.item,
            "version": given.version,
            "answers": values,
            "status": status,
            "key": given.key,
            "shown_at": shown.at.isoformat(),
            "focused": given.focused,
            "language": given.language,
            "revision": self.revision,
            "supersedes": again.seq if again else None,
            "right": right,
            "right_share": share,
            "notes": dict(given.notes),
        }
        events = [Event("answered", now, annotator, data)]
        feedback = None
        if share is not None:
            feedback = self._feedback(run, shown, given.item, share == 1)
            events += self._judged(person, run, shown, share, now)
        events += self._consequences(person, run, given, now)
        return Outcome(status, feedback), events

    def check_shown(self, annotator: str, phase: str, item: str) -> None:
        """Refuse what an annotator was never shown, before anybody looks at the answer to it."""
        if (phase, item) not in self._person(annotator).shown or phase not in self.phases:
            raise KostraError(f'the item "{item}" was not shown to you in the phase "{phase}"')

    def undo(self, annotator: str, now: datetime) -> tuple[Place, list[Event]]:
        """Show the last answer's item again; the next answer to it supersedes the last one."""
        person = self._person(annotator)
        last = self._undoable(person) if self.paused is None else None
        if last is None:
            raise KostraError("there is no answer that can be changed now")
        event = Event("reopened", now, annotator, {"phase": last.phase, "block": last.block, "item": last.item})
        run = self.phases[last.phase]
        shown = Shown(last.phase, last.block, last.item, last.version, now, now + self._lease)
        return self._show(person, run, shown, again=True), [event]

    def skip(self, annotator: str, key: str, now: datetime) -> tuple[Outcome, list[Event]]:
        """Pass an item on to somebody else, where the phase allows it; the skip is kept."""
        person = self._person(annotator)
        if (annotator, key) in self._keys:
            return replace(self._keys[annotator, key], repeated=True), []
        lease = person.lease
        if lease is None:
            raise KostraError("there is nothing on the screen to skip")
        run = self.phases[lease.phase]
        if not run.phase.may_skip or lease.block not in run.pools:
            raise KostraError("this item cannot be skipped")
        answers = {question.name: (Answer(None, "skipped"),) for question in run.phase.questions}
        return self.answer(annotator, Given(lease.phase, lease.item, lease.version, answers, key), now)

    def leave(self, annotator: str, now: datetime) -> list[Event]:
        """The annotator goes: what was kept for them is free."""
        self._person(annotator)
        return [Event("left", now, annotator)]

    def suggest(self, annotator: str, item: str, side: str, text: str, now: datetime) -> list[Event]:
        """A judge proposes another wording, which changes nothing until somebody decides."""
        person = self._person(annotator)
        lease = person.lease
        if lease is None or lease.item != item or not self.phases[lease.phase].phase.suggests:
            raise KostraError("a better wording can be proposed only for the item on the screen, where the phase asks")
        if side not in ("a", "b"):
            raise KostraError(f'there is no sentence "{side}" in a pair', accepted="a or b")
        if not self.items[item].sentences:
            raise KostraError("this pair does not say which sentences stand in it, so that none can be reworded")
        before = self.items[item].content[f"text_{side}"]
        text = " ".join(text.split())
        if not text or text == before:
            raise KostraError("the proposed wording is empty or the same as before")
        data = {
            "suggestion": f"{SUGGESTION}{len(self._suggestions) + 1:05d}",
            "phase": lease.phase,
            "item": item,
            "sentence": self.items[item].sentences["ab".index(side)],
            "before": before,
            "after": text,
        }
        return [Event("suggested", now, annotator, data)]

    def problem(self, annotator: str, text: str, now: datetime) -> list[Event]:
        """The annotator reports something."""
        lease = self._person(annotator).lease
        where = {"phase": lease.phase, "item": lease.item, "version": lease.version} if lease else {}
        return [Event("problem", now, annotator, {**where, "text": text})]

    # Where an annotator stands ---------------------------------------------------------------------------

    def _journey(self, person: Person) -> Iterable[PhaseRun]:
        return (run for run in self.phases.values() if run.phase.role == person.role)

    def _held(self, person: Person, now: datetime, events: list[Event]) -> Place | None:
        """The item that is on the annotator's screen, while they may keep it."""
        lease = person.lease
        if lease is None:
            return None
        run = self.phases.get(lease.phase)
        stays = run is not None and lease.version == self.items[lease.item].version
        over = self.is_over(lease.phase, now)  # what is on the screen by then may be answered, but is not kept longer
        stays = stays and not (over and lease.until <= now)
        pool = self._pool_of(person, lease.phase, lease.block, lease.item)
        if stays and pool is not None and lease.until <= now and not person.reopened:
            stays = pool.may_hold(person.name, lease.item) and pool.room(person.name, lease.item, now)
        if not stays or run is None:
            events.append(Event("put_back", now, person.name, {"phase": lease.phase, "item": lease.item}))
            return None
        if lease.until - now < self._lease / 2 and not over:
            lease = replace(lease, until=now + self._lease)
            events.append(_shown_event(person.name, lease, now, again=True))
        return self._show(person, run, lease, again=person.reopened is not None)

    def _closed(self, run: PhaseRun, finished: Mapping[str, datetime], now: datetime) -> Place | None:
        """Why a phase is not open yet for somebody who has come so far."""
        phase = run.phase
        if self.is_over(phase.name, now):
            return Place("waiting", phase.name, reason="deadline")
        if phase.after is not None and phase.after in finished:
            until = finished[phase.after] + timedelta(hours=phase.pause_hours)
            if now < until:
                return Place("pause", phase.name, until=until, reason="pause")
        if phase.gold and phase.gold.from_phase and not self.phases[phase.gold.from_phase].all_complete:
            return Place("waiting", phase.name, reason="gold_not_ready")
        return None

    def _in_phase(self, person: Person, run: PhaseRun, now: datetime, events: list[Event]) -> Place | None:
        """What the phase has for the annotator, if anything is left."""
        for number in range(len(run.phase.blocks)):
            key = (run.name, number)
            if number in run.pools:
                found = self._from_pool(person, run, number, now, events)
            elif (run.purpose(number) == "qualification" and key in person.passed) or run.mixes(number):
                found = None
            else:
                items = self._list(person, run, number)
                if run.purpose(number) == "repeat" and key not in person.lists:
                    data = {"phase": run.name, "block": number, "items": list(items)}
                    events.append(Event("listed", now, person.name, data))
                found = self._from_list(person, run, number, items, now, events)
            if found is not None:
                return found
        return None

    def _from_list(
        self, person: Person, run: PhaseRun, number: int, items: Sequence[str], now: datetime, events: list[Event]
    ) -> Place | None:
        """The next item of a list that may be met in this sitting; a pause, where none of those left may."""
        left = [item for item in items if item not in person.in_block((run.name, number))]
        if not left:
            return None
        sitting = person.sitting_at(now, self._gap)
        item = next((item for item in left if not run.clashes(item, sitting)), None)
        if item is None:
            return Place("pause", run.name, until=sitting.ends, reason="sitting")
        return self._lease_to(person, run, number, item, now, events)

    def _from_pool(
        self, person: Person, run: PhaseRun, number: int, now: datetime, events: list[Event]
    ) -> Place | None:
        pool, limit = run.pools[number], run.phase.blocks[number].items
        done = person.in_block((run.name, number))
        given = self._assigned(person, run, number, now)
        if given is not None:
            return self._lease_to(person, run, number, given, now, events)
        if limit is not None and run.phase.deal == "queue" and len(done) >= limit:
            return None
        gold = self._gold_due(person, run)
        if gold is not None:
            return self._lease_to(person, run, number, gold, now, events)
        if person.kind == "model":
            left = [item for item in pool.items if item not in done and pool.asks(item)]
            item = next((item for item in left if pool.may_hold(person.name, item)), None)
            if item is not None:
                return self._lease_to(person, run, number, item, now, events)
            return Place("waiting", run.name, run.labels[number], reason="not_ready") if left else None
        proposal = pool.propose(person.name, now, person.sitting_at(now, self._gap))
        if proposal.item is not None:
            self._prepare(person, run, number, proposal, now, events)
            return self._lease_to(person, run, number, proposal.item, now, events)
        if proposal.wait == "sitting":
            return Place("pause", run.name, until=proposal.until, reason="sitting")
        if proposal.wait or (run.phase.validates and not self.phases[run.phase.validates].all_complete):
            return Place("waiting", run.name, run.labels[number], reason=proposal.wait or "not_ready")
        return None

    def _prepare(
        self, person: Person, run: PhaseRun, number: int, proposal: Proposal, now: datetime, events: list[Event]
    ) -> None:
        if proposal.lot is not None:
            data = {"phase": run.name, "block": number, "lot": proposal.lot}
            events.append(Event("dealt", now, person.name, data))
        for name, members in proposal.made:
            events.append(Event("made", now, None, {"phase": run.name, "item": name, "members": list(members)}))
            self._make(run, name, members)  # the place that is shown needs it before the event is applied

    def _gold_due(self, person: Person, run: PhaseRun) -> str | None:
        gold = run.phase.gold
        if gold is None or person.since_gold[run.name] < gold.every or person.kind == "model":
            return None
        met = person.done.get((run.name, run.gold_block), {})
        return next((item for item in run.gold_order(person.name) if item not in met), None)

    def _anew(self, person: Person, now: datetime, events: list[Event]) -> Place | None:
        """Items that were freed or added in a phase that the annotator had finished, if nothing stands on it."""
        for run in self._journey(person):
            limited = any(block.items or block.groups for block in run.phase.blocks)
            idle = run.phase.deal != "queue" and not any(person.in_block((run.name, number)) for number in run.pools)
            open_again = run.name in person.finished and (idle or not (self._followed(run) or limited))
            if open_again and not self.is_over(run.name, now):
                for number in run.pools:
                    place = self._from_pool(person, run, number, now, events)
                    if place is not None:
                        return place
        return None

    def _lease_to(
        self, person: Person, run: PhaseRun, number: int, item: str, now: datetime, events: list[Event]
    ) -> Place:
        shown = Shown(run.name, number, item, self.items[item].version, now, now + self._lease)
        events.append(_shown_event(person.name, shown, now))
        return self._show(person, run, shown)

    def _show(self, person: Person, run: PhaseRun, shown: Shown, *, again: bool = False) -> Place:
        number, item = shown.block, self.items[shown.item]
        is_gold = number in run.pools and shown.item in run.gold
        done = len(person.in_block((run.name, number)))
        if number in run.pools:
            of = run.phase.blocks[number].items or run.pools[number].planned(person.name)
        else:
            of = len(self._list(person, run, number))
        return Place(
            "show",
            run.name,
            "main" if run.purpose(number) == "gold" else run.labels[number],
            "main"
            if is_gold or run.purpose(number) == "gold"
            else run.purpose(number),  # nobody is told which are gold
            replace(item, known={}),
            shown.until,
            progress=Progress(done, of, number + 1, len(run.phase.blocks)),
            shown_at=shown.at,
            attempt=person.attempts[run.name, number] + 1,
            may_undo=self._undoable(person) is not None and not again,
            again=again,
        )

    # What becomes of an answer ---------------------------------------------------------------------------

    def _answerable(self, person: Person, given: Given) -> tuple[PhaseRun, Shown, Record | None]:
        self.check_shown(person.name, given.phase, given.item)
        run, shown = self.phases[given.phase], person.shown[given.phase, given.item]
        again = person.reopened
        if again is not None and (again.phase, again.item) != (given.phase, given.item):
            again = None
        if run.phase.corrects and given.version < self.items[given.item].version:
            raise KostraError(
                "somebody has corrected this sentence in the meantime",
                remedy="look at the new wording, and answer that",
            )
        if again is None and given.item in person.in_block((run.name, self._done_block(run, shown.block, given.item))):
            raise KostraError("this item has been answered already", accepted="one answer per item")
        return run, shown, again

    def _block_name(self, run: PhaseRun, number: int, item: str) -> str:
        if number in run.pools and item in run.gold:
            return "gold"
        if number in run.pools and isinstance(run.pools[number], AdaptivePool):
            return "adaptive"
        return run.labels[number]

    def _verdict(
        self, person: Person, run: PhaseRun, shown: Shown, given: Given, again: Record | None, now: datetime
    ) -> Status:
        """What becomes of an answer."""
        if person.stopped:
            return "discarded"
        if given.version < self._asked.get(given.item, 1):
            return "surplus"  # about a wording that is asked anew
        if self.is_over(run.name, now) and shown.until <= now:
            return "surplus"  # it came after the deadline, and later than the screen was kept
        if all(one.status == "skipped" for answers in given.answers.values() for one in answers) and given.answers:
            return "skipped"
        if person.kind == "model":
            return "surplus"  # kept, and apart from what people said in every statistic
        if again is not None:
            return again.status
        in_pool = shown.block in run.pools and given.item not in run.gold
        return "answered" if not in_pool or run.pools[shown.block].room(person.name, given.item, now) else "surplus"

    def _share_right(self, run: PhaseRun, shown: Shown, given: Given) -> float | None:
        """The share of an item's questions that are answered as it is known; none where nothing is known."""
        known = self._known(run, shown.block, given.item)
        if not known:
            return None
        tolerance = run.phase.gold.tolerance if run.phase.gold else 0.0
        right = [
            any(_same(one.value, value, tolerance) for one in given.answers.get(question, ()))
            for question, value in known.items()
        ]
        return sum(right) / len(right)

    def _judged(self, person: Person, run: PhaseRun, shown: Shown, share: float, now: datetime) -> list[Event]:
        """What follows from an answer whose right answer is known."""
        key = (run.name, shown.block)
        if run.purpose(shown.block) == "qualification":
            left = [item for item in self._list(person, run, shown.block) if item not in person.in_block(key)]
            if left != [shown.item]:
                return []
            attempt = person.attempts[key] + 1
            data = {"phase": run.name, "block": shown.block, "attempt": attempt}
            if share == 1 and not person.slips[key]:
                return [Event("passed", now, person.name, data)]
            failed = [Event("failed", now, person.name, data)]
            if attempt >= run.phase.blocks[shown.block].attempts:
                failed.append(Event("stopped", now, person.name, {"reason": "qualification"}))
            return failed
        gold: Gold | None = run.phase.gold
        if gold is None or person.stopped:
            return []
        seen, good = person.gold_seen[run.name] + 1, person.gold_right.get(run.name, 0.0) + share
        if seen >= gold.minimum and good / seen < gold.threshold:
            return [Event("stopped", now, person.name, {"reason": "gold"})]
        return []

    def _consequences(self, person: Person, run: PhaseRun, given: Given, now: datetime) -> list[Event]:
        """What an answer brings about: corrections, or the end of somebody's part."""
        if person.kind == "model":
            return []  # a model may say what it likes; it changes nothing for people
        shown = person.shown[run.name, given.item]
        if run.purpose(shown.block) == "consent" and any(
            one.value == "no" for answers in given.answers.values() for one in answers
        ):
            return [Event("stopped", now, person.name, {"reason": "consent"})]
        if run.phase.validates is not None:
            suggestion = self._suggestions[given.item]
            decision = decision_in(run.phase, given)
            decided = Event("decided", now, person.name, {"suggestion": given.item, "decision": decision})
            if decision == "reject":
                return [decided]
            before = self.items[given.item].content["before"]  # as it stands now
            made = Correction(suggestion["sentence"], before, suggestion["after"], "")
            return [decided, self._corrected(person, suggestion["item"], made, now, ask_again=decision == "ask_again")]
        if not run.phase.corrects:
            return []
        item = self.items[given.item]
        return [self._corrected(person, given.item, one, now) for one in corrections_in(item, given)]

    def _corrected(
        self, person: Person, item: str, made: Correction, now: datetime, *, ask_again: bool = False
    ) -> Event:
        reaches(self.items.values(), made)  # refuses what would make a sentence its own partner, anywhere
        data = {
            "sentence": made.sentence,
            "before": made.before,
            "after": made.after,
            "item": item,
            "error_type": made.error_type,
            "ask_again": ask_again,
        }
        return Event("corrected", now, person.name, data)

    def _undoable(self, person: Person) -> Record | None:
        """The last answer, if it may be given again: not what was judged at once, nor what others build on."""
        last = person.records[-1] if person.records else None
        if last is None or person.stopped or person.reopened or last.status not in ("answered", "surplus"):
            return None
        run = self.phases.get(last.phase)
        if run is None or run.phase.corrects or run.phase.validates:
            return None
        if last.phase in person.finished and self._followed(run):
            return None
        if run.purpose(last.block) in ("qualification", *READING) or self._known(run, last.block, last.item):
            return None
        return last if last.version == self.items[last.item].version else None


def _shown_event(annotator: str, shown: Shown, now: datetime, *, again: bool = False) -> Event:
    data = {
        "phase": shown.phase,
        "block": shown.block,
        "item": shown.item,
        "version": shown.version,
        "until": shown.until.isoformat(),
    }
    return Event("shown", now, annotator, {**data, "again": True} if again else data)


def _same(value: str | None, right: str, tolerance: float) -> bool:
    if value == right:
        return True
    try:
        return value is not None and abs(float(value) - float(right)) <= tolerance
    except ValueError:
        return False

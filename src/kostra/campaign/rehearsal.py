"""A whole campaign acted out by simulated annotators, through the very code that people use, on a made-up clock."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import numpy as np

from kostra.campaign.corrections import CORRECTIONS
from kostra.campaign.events import Event
from kostra.campaign.material import Material
from kostra.campaign.places import Answer, Given, Place
from kostra.campaign.protocol import Campaign, Phase
from kostra.campaign.running import Running
from kostra.campaign.simulated_answers import Answers, Truth, answers_for
from kostra.campaign.simulated_people import SIMULATED, START, SimulatedAnnotator, make_annotators
from kostra.campaign.simulated_texts import mended
from kostra.errors import KostraError
from kostra.recipe import Simulation
from kostra.steps import Progress, silent

SUGGESTION_RATE = 0.02
_POLLS = 4
"""How often somebody comes back in vain before they go home for good."""
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=10), timedelta(hours=24)


@dataclass(frozen=True)
class Player:
    """A simulated annotator in a role."""

    person: SimulatedAnnotator
    role: str = "annotator"


def cast(campaign: Campaign, simulation: Simulation, *, rng: np.random.Generator) -> list[Player]:
    """The simulated annotators of a campaign: as many as the recipe says, and enough in every other role.

    People in another role, such as authors and linguists, are careful, and there are as many as an item needs. Where
    every phase is for such a role, the recipe's annotators are shared out among the roles, as far as they go.

    Examples
    --------
    >>> campaign = Campaign(
    ...     phases=(Phase(name="gold", task="rating", role="admin", overlap=2), Phase(name="main", task="rating"))
    ... )
    >>> [(one.person.name, one.role) for one in cast(campaign, Simulation(annotators=1), rng=np.random.default_rng(1))]
    [('simulated-1', 'annotator'), ('simulated-admin-1', 'admin'), ('simulated-admin-2', 'admin')]
    """
    needed: Counter[str] = Counter()
    for phase in campaign.phases:
        needed[phase.role] = max(needed[phase.role], phase.overlap)
    players = []
    share = 1 if "annotator" in needed else max(1, simulation.annotators // needed.total())
    if "annotator" in needed:
        players += [Player(person) for person in make_annotators(simulation, rng=rng)]
    for role in sorted(set(needed) - {"annotator"}):
        careful = simulation.model_copy(update={"annotators": share * needed[role], "careless": 0.0})
        for person in make_annotators(careful, rng=rng):
            name = person.name.replace(SIMULATED, f"{SIMULATED}{role}-")
            players.append(Player(replace(person, name=name), role))
    return players


@dataclass
class Rehearsal:
    """What happened in a rehearsal."""

    running: Running
    events: list[Event] = field(default_factory=list)
    waited: Counter[str] = field(default_factory=Counter)
    """Why people went home before they were through."""

    def record(self, events: Sequence[Event]) -> None:
        """Let events happen, and keep them."""
        for event in events:
            numbered = replace(event, seq=self.running.seq + 1)
            self.running.apply(numbered)
            self.events.append(numbered)


def rehearse(
    campaign: Campaign,
    material: Material,
    players: Sequence[Player],
    *,
    truth: Truth,
    seed: int,
    rng: np.random.Generator,
    progress: Progress = silent,
    total: int = 0,
) -> Rehearsal:
    """Let everybody work until nobody gets anything more.

    Annotators work side by side on a simulated clock, each item taking a log-normal thinking time; pauses pass as fast
    as the clock is moved.

    Parameters
    ----------
    campaign
        With the questions that its tasks have of their own (`kostra.campaign.questions.completed`).
    total
        Answers that are expected, for the progress.
    """
    stage = _Stage(Rehearsal(Running(campaign, material, seed=seed)), campaign, players, truth, rng)
    stage.play(progress, total)
    return stage.rehearsal


class _Stage:
    """The clock and the people on it."""

    def __init__(
        self,
        rehearsal: Rehearsal,
        campaign: Campaign,
        players: Sequence[Player],
        truth: Truth,
        rng: np.random.Generator,
    ) -> None:
        self.rehearsal, self.running = rehearsal, rehearsal.running
        self.phases = {phase.name: phase for phase in campaign.phases}
        self.people = {player.person.name: player.person for player in players}
        self.truth, self.rng = truth, rng
        self.clock: list[tuple[datetime, str]] = []
        self.polls: Counter[str] = Counter()
        self.pauses: dict[str, datetime] = {}
        self.thinking: dict[str, Place] = {}
        """Who looks at which screen: what happens on the clock happens in its order."""
        self.answers = 0
        for player in players:
            arrives = START + timedelta(seconds=round(float(rng.uniform(0, 3600)), 3))
            joined = self.running.join(player.person.name, arrives, role=player.role, kind="simulated")
            rehearsal.record(joined)
            heapq.heappush(self.clock, (arrives, player.person.name))

    def play(self, progress: Progress, total: int) -> None:
        now = START
        while self.clock:
            while self.clock:
                now, name = heapq.heappop(self.clock)
                self._turn(name, now)
                progress(self.answers, max(total, self.answers))
            # Answers that were discarded may have freed items for those who had gone home already.
            for name in self.people if not self._complete() else ():
                place, events = self.running.next(name, now)
                self.rehearsal.record(events)
                if place.kind == "show":
                    heapq.heappush(self.clock, (now, name))

    def _complete(self) -> bool:
        return all(run.all_complete for run in self.running.phases.values())

    def _turn(self, name: str, now: datetime) -> None:
        self.pauses.pop(name, None)
        if name in self.thinking:
            self._answer(name, self.thinking.pop(name), now)
            return
        place, events = self.running.next(name, now)
        self.rehearsal.record(events)
        if place.kind == "show":
            if not self._has_no_time_left(place):
                seconds = self.people[name].seconds * np.exp(0.5 * self.rng.standard_normal())
                self.thinking[name] = place
                heapq.heappush(self.clock, (now + timedelta(seconds=round(float(seconds), 3)), name))
        elif place.kind == "pause" and place.until is not None:
            self.pauses[name] = place.until
            heapq.heappush(self.clock, (place.until, name))
        elif place.kind == "waiting":
            self._wait(name, place, now)

    def _has_no_time_left(self, place: Place) -> bool:
        """Whether somebody goes home because the rest is welcome, but not needed.

        Where a phase says the least and the most that an item gets, people come for the least; beyond that so many
        leave at each screen that about half of what would be welcome is answered.
        """
        phase, run = self.phases[place.phase], self.running.phases[place.phase]
        if phase.overlap_at_least is None or not run.all_complete:
            return False
        welcome = (phase.overlap - phase.overlap_at_least) * sum(len(pool.items) for pool in run.pools.values())
        people = sum(person.role == phase.role for person in self.running.people.values())
        return bool(self.rng.random() * (welcome / 2 + people) < people)

    def _wait(self, name: str, place: Place, now: datetime) -> None:
        """Come back later; in vain too often, and nobody else about to do anything, go home."""
        self.polls[name] += 1
        if self.polls[name] > _POLLS and not self.pauses:
            self.rehearsal.waited[place.reason] += 1
            return
        wait = min(_FIRST_WAIT * 2 ** min(self.polls[name], 10), _LONGEST_WAIT)
        heapq.heappush(self.clock, (now + wait, name))

    def _answer(self, name: str, place: Place, at: datetime) -> None:
        item, person = place.item, self.people[name]
        if item is None:
            raise ValueError("a screen without an item was shown")
        if self.running.items[item.item].version != item.version:
            heapq.heappush(self.clock, (at, name))  # somebody has corrected it in the meantime: look at the new wording
            return
        phase = self.phases[place.phase]
        answers = answers_for(person, item, phase, self.rng, truth=self.truth)
        self.answers += 1
        key = f"{name}-{self.answers}"
        if phase.suggests and item.kind == "pair" and self.rng.random() < SUGGESTION_RATE:
            self._suggest(name, place, at)
        try:
            _, events = self.running.answer(name, Given(phase.name, item.item, item.version, answers, key), at)
        except KostraError:
            if not phase.corrects:
                raise
            # A correction that would make a sentence its own partner somewhere: it is left as it is.
            answers = _unchanged(answers, place, phase)
            _, events = self.running.answer(name, Given(phase.name, item.item, item.version, answers, key), at)
        self.rehearsal.record(events)
        self.polls.clear()
        heapq.heappush(self.clock, (at + timedelta(seconds=1), name))

    def _suggest(self, name: str, place: Place, now: datetime) -> None:
        if place.item is None:
            return
        content = place.item.content
        after = mended(content["text_b"], content["text_a"], self.rng)
        if after != content["text_b"]:
            self.rehearsal.record(self.running.suggest(name, place.item.item, "b", after, now))


def _unchanged(answers: Answers, place: Place, phase: Phase) -> Answers:
    """The same answers without the correction."""
    if place.item is None or place.item.kind == "suggestion":
        return {question.name: [Answer(question.labels[0])] for question in phase.questions if question.labels}
    content = place.item.content
    kept = dict(answers)
    for question in phase.questions:
        if not question.labels and question.about is None:
            side = "ab"[CORRECTIONS.get(question.name, 1)]
            kept[question.name] = [Answer(str(content.get(f"text_{side}", content.get("text", ""))))]
        elif question.about is not None:
            kept[question.name] = [Answer(None, "skipped")]
    return kept

"""Where an annotator's request meets the campaign: checks what came in, has it stored, and says what comes next.

A `Desk` serves one campaign in one process. It knows nothing of HTTP; the routes know nothing of the campaign.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from kostra.annotate import rendering
from kostra.annotate.board import Board
from kostra.annotate.engine import Engine
from kostra.annotate.languages.choosing import words_for
from kostra.annotate.rendering import Site
from kostra.annotate.spelling import dictionary, misspelt
from kostra.annotate.store import Store
from kostra.annotate.tasks import Message, check_answers, forms
from kostra.annotate.tokens import Session, new_token
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.campaign.places import Answer, Given, Outcome, Place
from kostra.campaign.protocol import Campaign, Phase, Question
from kostra.campaign.running import Running
from kostra.errors import KostraError

T = TypeVar("T")
RECENT = 20
"""Answers from which the time left is foretold."""
LONGEST_TEXT = 10_000
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg", ".tif", ".tiff"})
"""Endings of what is shown as a picture: an item that calls the site's own database one is not shown."""


class RefusedError(Exception):
    """An answer that is wrong, with a message for each field."""

    def __init__(self, errors: Mapping[str, Message]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


@dataclass(frozen=True)
class Sent:
    """An answer as a client sends it."""

    phase: str
    item: str
    version: int
    answers: Mapping[str, Any]
    key: str
    seconds: float | None = None
    language: str = "en"
    notes: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Taken:
    """An answer that was stored, and what stood on the screen."""

    outcome: Outcome
    item: Item
    phase: Phase
    answers: Mapping[str, Sequence[Answer]]


@dataclass(frozen=True)
class Standing:
    """Where an annotator stands, with all that the page needs."""

    place: Place
    phase: Phase | None
    given: Mapping[str, Any] | None = None
    """The answer that is being changed."""


class Desk:
    """One campaign, open for answers."""

    def __init__(
        self,
        store: Store,
        engine: Engine[Running],
        campaign: str,
        site: Site,
        *,
        project: Path,
        languages: Sequence[str] = (),
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.campaign = campaign
        self._site, self._languages = site, frozenset(languages)
        self.project = project
        self.now = clock
        self.engine = engine
        """Has commands run that no annotator gives."""
        self.board = Board(store, campaign)
        self._store = store
        self._recent: dict[str, deque[float]] = {}

    @property
    def site(self) -> Site:
        """The texts around the campaign, in the language of the visitor (`kostra.annotate.languages.choosing`)."""
        return replace(self._site, words=words_for(self._site.words.texts, also=self._languages))

    async def _do(self, command: Callable[[Running], tuple[T, Sequence[Event]]]) -> T:
        return await asyncio.wrap_future(self.engine.submit(command))

    async def join(self, session: Session) -> None:
        """Let somebody take part; nothing happens if they do."""
        now = self.now()

        def command(running: Running) -> tuple[None, list[Event]]:
            return None, running.join(session.annotator, now, role=session.role, kind=session.kind)

        await self._do(command)

    async def stand(self, annotator: str) -> Standing:
        """Where an annotator stands; an item that is shown is kept for them."""
        now = self.now()
        return await self._do(lambda running: _standing(running, annotator, now))

    async def answer(self, annotator: str, sent: Sent) -> tuple[Taken, Standing]:
        """Check an answer, store it, and say what comes next, in one transaction.

        Raises
        ------
        RefusedError
            If a field is wrong.
        KostraError
            If the item is not this annotator's to answer.
        """
        now = self.now()

        def take(running: Running) -> tuple[Taken, list[Event]]:
            running.check_shown(annotator, sent.phase, sent.item)  # first: who guesses ids learns nothing
            item, run = running.items.get(sent.item), running.phases.get(sent.phase)
            if item is None or run is None or not 1 <= sent.version <= item.version:
                raise KostraError("there is no such item in this campaign")
            checked = check_answers(sent.answers, item, run.phase)
            if checked.errors:
                raise RefusedError(checked.errors)
            given = Given(
                sent.phase, sent.item, sent.version, checked.answers, sent.key, sent.seconds, sent.language,
                sent.notes or {},
            )  # fmt: skip
            outcome, events = running.answer(annotator, given, now)
            return Taken(outcome, item, run.phase, checked.answers), events

        taken = self.engine.submit(take)  # both wait in the same queue, and so share a commit
        standing = self.engine.submit(lambda running: _standing(running, annotator, now))
        after = await asyncio.wrap_future(standing)  # the engine answers in order: what was taken is known by now
        done = taken.result(timeout=0)
        if sent.seconds is not None and not done.outcome.repeated:
            self._recent.setdefault(annotator, deque(maxlen=RECENT)).append(max(sent.seconds, 0.0))
        return done, after

    async def undo(self, annotator: str) -> Standing:
        """Show the last item again, with the answer that was given."""

        def command(running: Running) -> tuple[Standing, list[Event]]:
            place, events = running.undo(annotator, self.now())
            phase = running.phases[place.phase].phase
            return Standing(place, phase, _again(running, annotator, phase)), events

        return await self._do(command)

    async def skip(self, annotator: str, key: str) -> Standing:
        """Pass the item on to somebody else."""
        await self._do(lambda running: running.skip(annotator, key, self.now()))
        return await self.stand(annotator)

    async def draft(self, annotator: str, phase: str, item: str, version: int, data: Mapping[str, Any]) -> None:
        """Keep what was typed so far on the screen that is shown; one that comes late is refused."""
        lease = await self._read(lambda running: running.people[annotator].lease)
        if lease is None or (lease.phase, lease.item, lease.version) != (phase, item, version):
            raise KostraError("this item is not on your screen any more")
        data = {**data, "version": version}
        await asyncio.wrap_future(self.engine.put_draft(annotator, phase, item, data, now=self.now()))

    async def problem(self, annotator: str, text: str) -> None:
        """Keep what an annotator reports."""
        text = text.strip()[:LONGEST_TEXT]
        if not text:
            raise KostraError("the report is empty")
        await self._do(lambda running: (None, running.problem(annotator, text, self.now())))

    async def suggest(self, annotator: str, item: str, side: str, text: str) -> None:
        """Keep the wording that a judge proposes."""
        text, now = text.strip()[:LONGEST_TEXT], self.now()

        def command(running: Running) -> tuple[None, list[Event]]:
            lease = running.people[annotator].lease
            on_screen = lease is not None and lease.item == item
            if on_screen and len(running.items[item].sentences) != 2:  # a decision could reach no other pair
                raise KostraError("no better wording can be proposed for this item")
            return None, running.suggest(annotator, item, side, text, now)

        await self._do(command)

    async def misspelt(self, annotator: str, text: str) -> list[dict[str, object]]:
        """The words of a text that the dictionary of the annotator's phase does not know."""
        path = await self._read(lambda running: _dictionary_of(running, annotator))
        return misspelt(text[:LONGEST_TEXT], dictionary(self.project / path)) if path else []

    async def image(self, annotator: str, item: str) -> Path | None:
        """The file of an item that is an image and was shown to this annotator; of no other."""
        name = await self._read(lambda running: _image_of(running, annotator, item))
        if name is None:
            return None
        path = (self.project / name).resolve()
        inside = path.is_relative_to(self.project.resolve()) and path.suffix.lower() in PICTURES
        return path if inside and path.is_file() else None

    async def instructions(self, annotator: str) -> list[tuple[str, str]]:
        """Title and text of the instructions that the annotator has read, to be read again."""
        return await self._read(lambda running: _read_before(running, annotator))

    async def protocol(self) -> Campaign:
        """The campaign as it stands in the recipe that it follows."""
        return await self._read(lambda running: running.campaign)

    async def questions(self, phase: str) -> tuple[Question, ...]:
        """What a phase asks."""

        def asked(running: Running) -> tuple[Question, ...]:
            return running.phases[phase].phase.questions if phase in running.phases else ()

        return await self._read(asked)

    async def _read(self, function: Callable[[Running], T]) -> T:
        return await asyncio.wrap_future(self.engine.read(function))

    # Pages -----------------------------------------------------------------------------------------------

    def fragment(
        self,
        annotator: str,
        standing: Standing,
        *,
        given: Mapping[str, Any] | None = None,
        errors: Mapping[str, str] | None = None,
        draft_at: float = 0,
    ) -> str:
        """The HTML of where an annotator stands."""
        return rendering.render_place(
            standing.place,
            standing.phase,
            self.site,
            key=new_token(),
            now=self.now(),
            given=given if given is not None else standing.given,
            errors=errors,
            draft_at=draft_at,
            recent=list(self._recent.get(annotator, ())),
            notes=self.board.unread(annotator),
        )

    def page(self, fragment: str, annotator: str = "", *, status: str = "", scripted: bool = True) -> str:
        """A whole page."""
        owner = f"{self.campaign}/{annotator}" if annotator else ""
        return rendering.render_page(fragment, self.site, owner=owner, status=status, scripted=scripted)

    def feedback(self, taken: Taken) -> str | None:
        """The HTML that tells a wrong answer to a gold question, where it is to be told."""
        told = taken.outcome.feedback
        if told is None or told.right or not told.known:
            return None
        return rendering.render_feedback(told, taken.item, taken.phase, taken.answers, self.site)

    def draft_of(self, annotator: str, standing: Standing) -> tuple[Mapping[str, Any] | None, float]:
        """What the annotator had typed on the screen that is shown, by the store, and when, by their own clock."""
        self.board.look(annotator)
        item = standing.place.item
        if item is None or standing.place.again:
            return None, 0
        found = self._store.draft(self.campaign, annotator, standing.place.phase, item.item)
        if not isinstance(found, dict) or found.get("version") != item.version:
            return None, 0
        given, at = found.get("given"), found.get("at")
        return given if isinstance(given, dict) else None, at if isinstance(at, int | float) else 0


def _standing(running: Running, annotator: str, now: datetime) -> tuple[Standing, list[Event]]:
    place, events = running.next(annotator, now)
    phase = running.phases[place.phase].phase if place.phase in running.phases else None
    given = _again(running, annotator, phase) if place.again and phase is not None else None
    return Standing(place, phase, given), events


def _again(running: Running, annotator: str, phase: Phase) -> dict[str, Any]:
    stored = running.people[annotator].last_given
    answers = {name: [Answer(value, status) for value, status in given] for name, given in stored.items()}
    return forms.again(answers, phase.questions)


def _dictionary_of(running: Running, annotator: str) -> str | None:
    lease = running.people[annotator].lease
    return running.phases[lease.phase].phase.spelling if lease is not None else None


def _image_of(running: Running, annotator: str, item: str) -> str | None:
    shown = any(one == item for _, one in running.people[annotator].shown)
    return running.items[item].content["image"] if shown and running.items[item].kind == "image" else None


def _read_before(running: Running, annotator: str) -> list[tuple[str, str]]:
    items = (running.items[item] for _, item in running.people[annotator].shown)
    return [(item.content["title"], item.content["text"]) for item in items if item.kind == "text"]

"""The people of a rehearsal: how well they answer, when they come, when they go, and whether they come back."""

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from bench.rehearsal_project import CONTEXT, FREE, LEADERS
from kostra.annotate.visiting import Acknowledged, Answering, Client, Someone
from kostra.campaign.simulated import SimulatedAnnotator, make_annotators
from kostra.recipe import Simulation

HABITS = {
    "never back": 0.06,
    "not for the second phase": 0.05,
    "never back in the second phase": 0.03,
    "away for hours": 0.10,
    "away for days": 0.10,
    "away for weeks": 0.05,
    "too early": 0.04,
}
"""Share of people with each; the others come once for each phase."""
SECOND_WINDOW, RESENT, CHANGED = 0.005, 0.01, 0.01
"""How often, per answer, it is given in a second window as well, sent twice, or changed."""
LINKS = 0.5
"""Share of returns by the invitation link; the others come back to the page that was left open."""


def cast(annotators: int, *, rng: np.random.Generator) -> tuple[list[SimulatedAnnotator], list[SimulatedAnnotator]]:
    """Annotators of mixed quality, drawn as in the paper's recipe, some careless; and leaders, who are careful."""
    drawn = make_annotators(Simulation(annotators=annotators, noise=0.57, spread=0.3, careless=0.08), rng=rng)
    leaders = [SimulatedAnnotator(f"simulated-leader-{n + 1}", 0.02, 0.0, 20.0, False) for n in range(LEADERS)]
    return drawn, leaders


@dataclass
class Guest:
    """One annotator over the weeks."""

    someone: Someone
    habit: str
    rng: np.random.Generator
    leaves_in: str = ""
    """The phase in which they go away, in the middle of an item."""
    leaves_after: int = 0
    away: timedelta | None = None
    """For how long; for ever if it does not say."""
    answered: Counter[str] = field(default_factory=Counter)
    has_left: bool = False
    gone: bool = False
    """Whether they never come back."""
    returns: int = 0
    early: int = 0
    """Times they came before the pause was over, and were told so."""
    waits: int = 0
    petitions: int = 0
    """Times they found themselves excluded and asked why."""
    end: str = ""
    mishaps: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    joined_at: datetime | None = None
    last: str = ""
    """The item that was answered last."""

    @property
    def name(self) -> str:
        """The pseudonym."""
        return self.someone.name

    def visit(self, now: datetime) -> str:
        """Come, answer until there is a reason to go, and say which."""
        old = self.joined_at is None or now - self.joined_at > timedelta(days=80)  # a session ends after ninety
        by_link = old or bool(self.rng.random() < LINKS)
        if old:
            self.joined_at = now
        try:
            self.someone.come(by_link=by_link)
            while not self._goes():
                end = self.someone.sit(1)
                if end != "enough":
                    return end
                self._mishap()
            return "left"
        except Exception as error:  # noqa: BLE001 - one fails alone, and the figures say so
            self.wrong.append(f"{type(error).__name__}: {error}")
            return "failed"
        finally:
            self.someone.client.close()

    def _goes(self) -> bool:
        """Whether they go now, with the next item on the screen."""
        place = self.someone.place or {}
        due = place.get("kind") == "show" and place.get("phase") == self.leaves_in and not self.has_left
        self.has_left |= due and self.answered[self.leaves_in] >= self.leaves_after
        return due and self.has_left

    def _mishap(self) -> None:
        drawn = float(self.rng.random())
        shown = ((self.someone.place or {}).get("item") or {}).get("item")
        if drawn < SECOND_WINDOW and shown != self.last:  # a repeat of the very item is a question of its own
            self._expect("answered in a second window", self.someone.send_again(secrets.token_urlsafe(16)).status, 409)
        elif drawn < SECOND_WINDOW + RESENT:
            reply = self.someone.send_again()
            self._expect("sent twice", reply.status == 200 and reply.data["repeated"], True)
        elif drawn < SECOND_WINDOW + RESENT + CHANGED and self.someone.change_mind():
            self.mishaps["changed"] += 1
            self.someone.sit(1)

    def _expect(self, what: str, found: object, wanted: object) -> None:
        self.mishaps[what] += 1
        if found != wanted:
            self.wrong.append(f"{what}: {found} instead of {wanted}")


def make_guest(
    name: str,
    token: str,
    url: str,
    answers: Answering,
    acknowledge: Callable[[Acknowledged], None],
    *,
    length: int,
    rng: np.random.Generator,
    steady: bool = False,
) -> Guest:
    """Somebody with a habit."""
    habit = "" if steady else _drawn(rng)

    def told(one: Acknowledged) -> None:
        guest.answered[one.phase] += 1
        guest.last = one.item
        acknowledge(one)

    someone = Someone(name, token, Client(url, patience=240), answers, told, waits=0)
    guest = Guest(someone, habit, rng)
    away = {
        "away for hours": timedelta(hours=float(rng.uniform(1, 12))),
        "away for days": timedelta(days=float(rng.uniform(1, 10))),
        "away for weeks": timedelta(days=float(rng.uniform(16, 26))),
    }
    guest.away = away.get(habit)
    if habit in away or habit == "never back":
        guest.leaves_in = FREE if habit == "never back" or rng.random() < 0.6 else CONTEXT
    elif habit == "never back in the second phase":
        guest.leaves_in = CONTEXT
    guest.leaves_after = int(rng.integers(1, length + 4))
    return guest


def _drawn(rng: np.random.Generator) -> str:
    shares = list(HABITS.values())
    return str(rng.choice([*HABITS, ""], p=[*shares, 1 - sum(shares)]))

"""Simulated annotators: they answer through the same schedule as people, with known truth and known faults.

Each item has a latent value. In a best–worst choice an annotator sees it through Gumbel noise of their own scale: best
is the largest of *z + s·G*, worst the smallest of *z − s·G′* among the rest (Marley & Louviere, 2005). In a rating they
see it through normal noise and a leaning of their own. Careless annotators answer at random, and fast.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.campaign.adaptive import AdaptiveSchedule
from kostra.campaign.protocol import Phase
from kostra.campaign.schedule import Schedule
from kostra.encoders import encoder, similarities
from kostra.recipe import Score, Simulation
from kostra.steps import Progress, silent
from kostra.tables import ANNOTATORS, JUDGMENTS, Frame, check

START = datetime(2000, 1, 3, 9, tzinfo=UTC)
"""Where the simulated clock starts: a date that nobody takes for a real one."""

SIMULATED = "simulated-"
"""How the names of simulated annotators begin, so that they are known again wherever their answers go."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SimulatedAnnotator:
    """One made-up annotator."""

    name: str
    noise: float
    """Scale of the noise through which latent values are seen."""
    leaning: float
    """How far ratings lie above or below the truth, in latent units."""
    seconds: float
    """Typical thinking time."""
    careless: bool


def make_annotators(simulation: Simulation, *, rng: np.random.Generator) -> list[SimulatedAnnotator]:
    """Draw the annotators of a simulation: individual noise, leaning and speed; the declared share is careless."""
    count = simulation.annotators
    careless = set(rng.permutation(count)[: round(simulation.careless * count)].tolist())
    width = len(str(count))
    return [
        SimulatedAnnotator(
            name=f"{SIMULATED}{number + 1:0{width}d}",
            noise=float(simulation.noise * np.exp(simulation.spread * rng.standard_normal())),
            leaning=float(0.3 * rng.standard_normal()),
            seconds=float(
                simulation.seconds * np.exp(0.3 * rng.standard_normal()) * (0.2 if number in careless else 1)
            ),
            careless=number in careless,
        )
        for number in range(count)
    ]


def latent_relatedness(pairs: Frame, *, rng: np.random.Generator) -> dict[str, float]:
    """Give each pair a latent relatedness of mean 0 and variance 1.

    Four fifths of the weight is the embedded encoder's cosine, so that the made-up truth has something to do with the
    sentences, and the rest is noise that no encoder can know. Evaluating encoders on it tests the plumbing, not them.
    """
    texts = list(pairs.select("text_a", "text_b").iter_rows())
    seen = similarities(encoder("static"), texts)
    spread = seen.std()
    standard = (seen - seen.mean()) / spread if spread > 0 else np.zeros(len(seen))
    latent = 0.8 * standard + 0.6 * rng.standard_normal(len(seen))
    return dict(zip(pairs["pair"].to_list(), latent.tolist(), strict=True))


class Answers:
    """How simulated annotators answer the items of one phase.

    Parameters
    ----------
    latent
        The hidden value of each item or, for tuples, of each item in them.
    members
        For tuples: the items of each, in the order in which they are shown.
    """

    def __init__(
        self,
        phase: Phase,
        score: Score,
        latent: Mapping[str, float],
        *,
        members: Mapping[str, Sequence[str]],
        rng: np.random.Generator,
    ) -> None:
        self._phase = phase
        self._score = score
        self._latent = latent
        self._members = members
        self._rng = rng

    def __call__(self, annotator: SimulatedAnnotator, item: str) -> dict[str, str]:
        """Question → answer."""
        if self._phase.task == "best_worst":
            return self._best_worst(annotator, self._members[item])
        return {self._score.question: self._rating(annotator, self._latent[item])}

    def _best_worst(self, annotator: SimulatedAnnotator, members: Sequence[str]) -> dict[str, str]:
        seen = np.array([[self._latent[member] for member in members]])
        best, worst = choose_best_worst(seen, [annotator.noise], [annotator.careless], rng=self._rng)
        return {"best": members[best[0]], "worst": members[worst[0]]}

    def _rating(self, annotator: SimulatedAnnotator, latent: float) -> str:
        blurred = latent + annotator.leaning + annotator.noise * self._rng.standard_normal()
        value = on_scale(np.array([blurred]), [annotator.careless], self._score, rng=self._rng)
        return f"{value[0]:g}"


def choose_best_worst(
    seen: FloatArray,
    noise: FloatArray | Sequence[float],
    careless: NDArray[np.bool_] | Sequence[bool],
    *,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst place of each tuple, a row of latent values each, for annotators of the given noise.

    Examples
    --------
    Without noise the largest and the smallest are chosen:

    >>> best, worst = choose_best_worst(np.array([[0.1, 2.0, -1.0]]), [0.0], [False], rng=np.random.default_rng(1))
    >>> best.tolist(), worst.tolist()
    ([1], [2])
    """
    scale = np.asarray(noise)[:, None]
    # Someone careless sees nothing of the item: equal values under noise are a choice at random.
    latent = np.where(np.asarray(careless)[:, None], 0.0, seen)
    scale = np.where(np.asarray(careless)[:, None], 1.0, scale)
    best = np.argmax(latent + scale * rng.gumbel(size=seen.shape), axis=1)
    low = latent - scale * rng.gumbel(size=seen.shape)
    low[np.arange(len(seen)), best] = np.inf
    return best, np.argmin(low, axis=1)


def on_scale(
    blurred: FloatArray, careless: NDArray[np.bool_] | Sequence[bool], score: Score, *, rng: np.random.Generator
) -> FloatArray:
    """Whole points of the scale: two standard deviations on either side of the mean span it, careless ones anywhere.

    Examples
    --------
    On 0 to 5 the middle is 2.5 and one latent unit 1.25 points: 1.2 is seen as 4.

    >>> on_scale(np.array([1.2]), [False], Score(question="q", low=0, high=5), rng=np.random.default_rng(1))
    array([4.])
    """
    value = (score.low + score.high) / 2 + blurred * (score.high - score.low) / 4
    guessed = rng.integers(int(score.low), int(score.high) + 1, size=len(blurred))
    # Adding zero turns the −0 that rounding can leave into 0, which is the same point of the scale.
    return np.where(careless, guessed, np.clip(np.round(value), score.low, score.high)) + 0.0


def simulate_phase(
    phase: Phase,
    schedule: Schedule | AdaptiveSchedule,
    annotators: Sequence[SimulatedAnnotator],
    answers: Answers,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Frame:
    """Let the annotators work through a schedule until nobody gets another item; return the judgments.

    Annotators work side by side on a simulated clock, each item taking a log-normal thinking time.
    """
    by_name = {annotator.name: annotator for annotator in annotators}
    clock = [(START + timedelta(seconds=float(rng.uniform(0, 3600))), name) for name in by_name]
    heapq.heapify(clock)
    rows: list[dict[str, object]] = []
    total = schedule.total
    left = dict.fromkeys(by_name, _share(phase, total))
    while clock:
        shown_at, name = heapq.heappop(clock)
        item = schedule.next(name, shown_at) if left[name] else None
        if item is None:
            continue  # a simulated annotator who has done their share, or is offered nothing, goes home
        left[name] -= 1
        seconds = float(by_name[name].seconds * np.exp(0.5 * rng.standard_normal()))
        answered_at = shown_at + timedelta(seconds=round(seconds, 3))
        given = answers(by_name[name], item)
        outcome = schedule.answer(name, item, answered_at, given)
        for question, value in given.items():
            rows.append(
                {
                    "judgment": f"judgment-{len(rows) + 1:07d}",
                    "item": item,
                    "version": 1,
                    "question": question,
                    "annotator": name,
                    "value": value,
                    "status": outcome,
                    "phase": phase.name,
                    "block": schedule.block,
                    "shown_at": shown_at,
                    "answered_at": answered_at,
                    "seconds": round(seconds, 3),
                }
            )
        heapq.heappush(clock, (answered_at + timedelta(seconds=1), name))
        progress(schedule.accepted, total)
    frame = pl.DataFrame(rows, schema={name: kind for name, kind in JUDGMENTS.dtypes.items() if name != "supersedes"})
    return check(frame, JUDGMENTS, where="simulated judgments")


def _share(phase: Phase, everything: int) -> int:
    """How many items one annotator answers at most: those of the main block, or as many as the queue has."""
    main = next((block for block in phase.blocks if block.purpose == "main"), None)
    return everything if main is None or main.items is None else main.items


def annotator_table(annotators: Sequence[SimulatedAnnotator]) -> Frame:
    """The simulated annotators, declared as such, with what is known of them."""
    frame = pl.DataFrame(
        {
            "annotator": [annotator.name for annotator in annotators],
            "kind": ["simulated"] * len(annotators),
            "role": ["annotator"] * len(annotators),
            "note": [
                "careless: answers at random" if annotator.careless else f"noise {annotator.noise:.2f}"
                for annotator in annotators
            ],
        }
    )
    return check(frame, ANNOTATORS, where="simulated annotators")

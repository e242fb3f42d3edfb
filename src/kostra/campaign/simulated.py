"""Simulated annotators: they answer through the same code as people, with known truth and known faults.

Who they are stands in `kostra.campaign.simulated_people`, how they answer each kind of screen in
`kostra.campaign.simulated_answers`; here they work through a schedule of one phase.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from datetime import timedelta

import numpy as np
import polars as pl

from kostra.campaign.adaptive import AdaptiveSchedule
from kostra.campaign.protocol import Phase
from kostra.campaign.schedule import Schedule
from kostra.campaign.simulated_answers import Truth, answers_for, as_given
from kostra.campaign.simulated_people import (
    SIMULATED,
    START,
    SimulatedAnnotator,
    choose_best_worst,
    latent_relatedness,
    make_annotators,
    on_scale,
)
from kostra.recipe import Score
from kostra.steps import Progress, silent
from kostra.tables import ANNOTATORS, JUDGMENTS, Frame, check

__all__ = [
    "SIMULATED",
    "START",
    "Answers",
    "SimulatedAnnotator",
    "Truth",
    "annotator_table",
    "answers_for",
    "as_given",
    "choose_best_worst",
    "latent_relatedness",
    "make_annotators",
    "on_scale",
    "simulate_phase",
]


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


def annotator_table(annotators: Sequence[SimulatedAnnotator], *, roles: Mapping[str, str] | None = None) -> Frame:
    """The simulated annotators, declared as such, with what is known of them."""
    frame = pl.DataFrame(
        {
            "annotator": [annotator.name for annotator in annotators],
            "kind": ["simulated"] * len(annotators),
            "role": [(roles or {}).get(annotator.name, "annotator") for annotator in annotators],
            "note": [
                "careless: answers at random" if annotator.careless else f"noise {annotator.noise:.2f}"
                for annotator in annotators
            ],
        }
    )
    return check(frame, ANNOTATORS, where="simulated annotators")

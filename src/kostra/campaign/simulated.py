"""Simulated annotators: they answer through the same code as people, with known truth and known faults.

Who they are stands in `kostra.campaign.simulated_people`, how they answer each kind of screen in
`kostra.campaign.simulated_answers`; `kostra.campaign.rehearsal` lets them act out a campaign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

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
from kostra.tables import ANNOTATORS, Frame, check

__all__ = [
    "SIMULATED",
    "START",
    "SimulatedAnnotator",
    "Truth",
    "annotator_table",
    "answers_for",
    "as_given",
    "choose_best_worst",
    "latent_relatedness",
    "make_annotators",
    "on_scale",
]


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

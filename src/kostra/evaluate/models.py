"""The encoders that a recipe names: made where they can be, waited for where a model is still to be brought."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from kostra.encoders import Encoder, encoder
from kostra.encoders.specs import in_project as in_project
from kostra.encoders.specs import parse, place_in
from kostra.errors import KostraError, some
from kostra.steps import Context, Plan


def step_encoders(specs: Sequence[str], context: Context) -> dict[str, Encoder]:
    """The encoders of a step, by the name that the recipe gives them."""
    return {spec: encoder(in_project(spec, context.project)) for spec in specs}


def plan_with_encoders(says: str, specs: Sequence[str], context: Context) -> Plan:
    """A step's plan, which waits where a model is not there yet; an unknown encoder or option is an error at once."""
    missing = []
    for spec in specs:
        try:
            encoder(in_project(spec, context.project))
        except KostraError as error:
            if parse(spec).argument is None or error.what.startswith(("unknown ", "the option ")):
                raise
            missing.append(f"{spec} ({error.what})")
    return Plan(says, waits=waiting_for(missing))


def waiting_for(missing: Sequence[str]) -> str | None:
    """What a step waits for while models are missing; None if none is."""
    return f"for models: {some(missing, 3)}" if missing else None


class WithEncoders(Protocol):
    """Options that name encoders."""

    @property
    def encoders(self) -> Sequence[str]:
        """The encoders, as a recipe names them."""


def watches(options: WithEncoders, context: Context) -> list[Path]:
    """Models that lie in the project: what a step watches whose options name encoders."""
    return model_files(options.encoders, context)


def model_files(specs: Sequence[str], context: Context) -> list[Path]:
    """The models that lie in the project as files: a result depends on them."""
    places = (place_in(context.project, spec) for spec in specs)
    return [place for place in places if place is not None and place.is_file()]

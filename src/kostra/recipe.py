"""A dataset protocol is data: the strict form of a recipe, read from TOML.

A recipe is a list of named steps. Each names a component (``use``), the steps whose tables it reads (``reads``)
and its options (``with``). Unknown keys are refused with the nearest known one; a recipe holds no code.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kostra import files
from kostra.errors import KostraError, nearest
from kostra.registry import ROOMS


class Strict(BaseModel):
    """Base of every recipe part and of every component's options: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
ComponentName = Annotated[str, Field(pattern=r"^[a-z]+/[a-z][a-z0-9_]*$")]


class About(Strict):
    """What the dataset is: the part of a recipe that a reader looks at first."""

    name: Name
    """A short name, such as the folder's."""
    title: str
    """The title of the dataset and of the report."""
    protocol: str
    """The protocol in one line, for ``kostra recipes``."""
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
    """ISO 639 code of the sentences' language."""
    seed: Annotated[int, Field(ge=0)]
    """Any whole number; the same seed gives the same dataset, byte for byte."""
    citation: str
    """Whom to cite for the protocol."""
    licence: str = "to be chosen"
    """Under which others may use the dataset."""
    samples: tuple[str, ...] = ()
    """Sample corpora that ``kostra new`` lays into the project's data folder, such as ``en/captions.csv``."""


class Score(Strict):
    """The declared range of the main score; the data are checked against it."""

    question: Name
    """The main question."""
    low: float
    """Lower end of the range."""
    high: float
    """Upper end of the range."""
    labels: tuple[str, ...] = ()
    """Names of the scale's points from low to high, where it has them."""

    @model_validator(mode="after")
    def _in_order(self) -> Score:
        if self.low >= self.high:
            raise ValueError(f"low ({self.low:g}) must lie below high ({self.high:g})")
        points = self.high - self.low + 1
        if self.labels and len(self.labels) != points:
            raise ValueError(f"{len(self.labels)} labels for the {points:g} points from {self.low:g} to {self.high:g}")
        return self


class Simulation(Strict):
    """The simulated annotators that stand in for people where the command asks for it."""

    annotators: Annotated[int, Field(ge=1)] = 12
    """How many there are."""
    noise: Annotated[float, Field(ge=0)] = 0.57
    """Scale of the Gumbel noise of a typical annotator, on latents of standard deviation 1."""
    spread: Annotated[float, Field(ge=0)] = 0.3
    """Standard deviation, over annotators, of the logarithm of that scale: individual reliability."""
    careless: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share of annotators who answer at random."""
    seconds: Annotated[float, Field(gt=0)] = 25.0
    """Typical thinking time per item."""


class Step(Strict):
    """One named part of a recipe."""

    name: Name
    """The step's own name, by which others read it."""
    use: ComponentName
    """Its component, as room/name."""
    reads: tuple[Name, ...] = ()
    """Steps above it whose tables it reads."""
    options: dict[str, Any] = Field(default={}, alias="with")
    """What the component should do: its own options."""
    note: str = ""
    """Why the step is there, in words, for ``kostra check`` and the report."""

    @property
    def room(self) -> str:
        """The room of the component."""
        return self.use.partition("/")[0]

    @property
    def component(self) -> str:
        """The component's name inside its room."""
        return self.use.partition("/")[2]


class StepError(ValueError):
    """A step that does not fit the steps around it; remembers which, so that its line can be told."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f'step "{step}" {reason}')
        self.step = step


class Recipe(Strict):
    """A whole protocol."""

    recipe: About
    """What the dataset is."""
    score: Score
    """The declared range of the main score."""
    simulation: Simulation = Simulation()
    """The simulated annotators of a rehearsal."""
    steps: tuple[Step, ...] = Field(min_length=1)
    """The steps, in the order in which they run."""

    @model_validator(mode="after")
    def _steps_fit(self) -> Recipe:
        seen: list[str] = []
        for step in self.steps:
            if step.name in seen:
                raise StepError(step.name, "stands twice; a step's name stands once")
            if step.room not in ROOMS:
                raise StepError(step.name, f'uses a room "{step.room}"; the rooms are {", ".join(ROOMS)}')
            for source in step.reads:
                if source not in seen:
                    guess = nearest(source, seen)
                    hint = f'; did you mean "{guess}"?' if guess else ""
                    raise StepError(step.name, f'reads "{source}", which is no step before it{hint}')
            seen.append(step.name)
        return self

    def step(self, name: str) -> Step:
        """The step of that name."""
        return next(step for step in self.steps if step.name == name)

    def digest(self) -> str:
        """A hash of everything the recipe says."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


RECIPE_FILE = "recipe.toml"
Model = TypeVar("Model", bound=BaseModel)


def read_recipe(path: str | Path) -> Recipe:
    """Read and check a recipe; every mistake is one `KostraError` with file and, where it can be told, line."""
    place = Path(path)
    if place.name == RECIPE_FILE and not place.exists():
        if place.parent.is_file():
            raise KostraError("this is a file, not a project's folder", where=files.shown(place.parent))
        raise KostraError(
            f"there is no {RECIPE_FILE} in this folder",
            where=files.shown(place.parent),
            remedy=f"kostra new RECIPE {files.shown(place.parent)}   (kostra recipes lists them)",
        )
    text = files.read_text(path)
    where = files.shown(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+)", str(error))
        line = f":{found[1]}" if found else ""
        message = re.sub(r" \(at .*\)$", "", str(error))
        raise KostraError(f"this is not valid TOML: {message}", where=f"{where}{line}") from None
    return parse(Recipe, table, where=where, text=text)


def parse(model: type[Model], table: dict[str, Any], *, where: str, text: str = "", at: Sequence[Any] = ()) -> Model:
    """Validate a table against a model and explain the first mistake in the house's words.

    Parameters
    ----------
    where
        The file, for the message.
    text
        The TOML the table came from, to find the line.
    at
        Where the table stands inside the file, e.g. ``("steps", 3, "with")``.
    """
    try:
        # Through JSON, because pydantic's strict mode then knows that a list may be a tuple and `low = 0` a float,
        # and still refuses text where a number belongs.
        return model.model_validate_json(json.dumps(table, default=str), strict=True)
    except ValidationError as error:
        raise _explained(model, error, where=where, text=text, at=at) from None


def _explained(
    model: type[BaseModel], error: ValidationError, *, where: str, text: str, at: Sequence[Any]
) -> KostraError:
    # A misspelt key is both unknown and missing under its right name: the first says more.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    inner = [part for part in first["loc"] if not (isinstance(part, str) and part.startswith("function-"))]
    loc = [*at, *inner]
    line = _line_of(text, loc)
    place = f"{where}:{line}" if line else where
    key = ".".join(str(part) for part in loc)
    match first["type"]:
        case "extra_forbidden":
            known = _known_keys(model, inner[:-1])
            guess = nearest(str(inner[-1]), known)
            return KostraError(
                f'unknown key "{key}"',
                where=place,
                accepted=", ".join(known),
                remedy=f'did you mean "{guess}"?' if guess else None,
            )
        case "missing":
            return KostraError(f'the key "{key}" is missing', where=place)
        case "value_error":
            mistake = first["ctx"]["error"]
            reason = str(mistake)
            if isinstance(mistake, StepError):
                place = f"{where}:{line_of_step(text, mistake.step)}"
            return KostraError(f'"{key}": {reason}' if key else reason, where=place)
        case _:
            found = first["input"]
            return KostraError(f'"{key}": found {found!r}', where=place, accepted=_accepted(first))


def _accepted(first: Any) -> str:
    message = str(first["msg"])
    pattern = first.get("ctx", {}).get("pattern")
    if pattern == r"^[a-z]+/[a-z][a-z0-9_]*$":
        return "a component as room/name, such as sampling/tuples"
    if pattern:
        return f"lower-case text of the form {pattern}"
    said = message.removeprefix("Input should be ")
    return said[:1].lower() + said[1:] or "another value"


def _known_keys(model: type[BaseModel], loc: Sequence[Any]) -> list[str]:
    """The keys of the model found by walking `loc` from `model`."""
    current: Any = model
    for part in loc:
        if isinstance(part, str) and isinstance(current, type) and issubclass(current, BaseModel):
            field = next((field for name, field in current.model_fields.items() if part in (name, field.alias)), None)
            current = _inner_model(field.annotation) if field else None
        if current is None:
            return []
    return [field.alias or name for name, field in current.model_fields.items()]


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (tuple, list, dict, Union, UnionType, Annotated, Literal):
        for argument in get_args(annotation):
            found = _inner_model(argument)
            if found is not None:
                return found
    return None


def line_of_step(text: str, step: str) -> int:
    """The line on which a step is named; the last one, where the mistake is that there are two."""
    lines = text.split("\n")
    named = [n for n, line in enumerate(lines, 1) if re.match(rf"\s*name\s*=\s*[\"']{re.escape(step)}[\"']", line)]
    return named[-1] if named else 1


def _line_of(text: str, loc: Sequence[Any]) -> int | None:
    """Find the line of a key in TOML text, by table headers and key names; None where it cannot be told."""
    wanted = [part for part in loc if isinstance(part, str)]
    indices = [part for part in loc if isinstance(part, int)]
    if not text or not wanted:
        return None
    header: list[str] = []
    count: dict[str, int] = {}
    best: int | None = None
    for number, line in enumerate(text.split("\n"), 1):
        array = re.match(r"\s*\[\[\s*([\w.\-]+)\s*\]\]", line)
        table = array or re.match(r"\s*\[\s*([\w.\-]+)\s*\]", line)
        if table:
            header = table[1].split(".")
            if array:
                count[table[1]] = count.get(table[1], -1) + 1
                for deeper in [name for name in count if name.startswith(table[1] + ".")]:
                    del count[deeper]
        if indices and header[:1] == wanted[:1] and count.get(wanted[0], -1) != indices[0]:
            continue
        if table and header == wanted[: len(header)]:
            best = best if best is not None and header != wanted else number
        key = re.match(r"\s*([\w\-]+)\s*=", line)
        if key and [*header, key[1]] == wanted[: len(header) + 1]:
            return number
    return best

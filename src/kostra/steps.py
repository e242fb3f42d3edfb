"""What a step's component is: the contract between a recipe's steps and the rooms.

A step component is a module of a room with

``Options``
    a `recipe.Strict` model of what the recipe may set,
``READS`` and ``WRITES``
    kinds of tables (`tables.SCHEMAS`), alternatives written ``"pairs|sentences"``,
``plan(inputs, options, context) -> Plan``
    what it will do, in numbers, before anything runs,
``run(inputs, options, context) -> dict[str, Frame]``
    the tables it writes, by kind.

and, where it needs them,

``writes(options) -> tuple[str, ...]``
    the kinds it writes with these options, where they are fewer than ``WRITES``,
``watches(options, context) -> list[Path]``
    files outside the project's tables whose content the result depends on,
``SIMULATES = True``
    if simulated annotators change what it does,
``WAITS = True``
    if it may have to wait for something from outside (`Plan.waits`): a file that a person brings, a model,
``GOES_WITHOUT``
    kinds of tables without which it runs as well, and says so, where the step that writes them waits for something
    from outside: a report goes without the results of a model that nobody has brought yet,
``PUBLISHES``
    the name of a file or folder it makes in ``context.folder`` that is also laid into the project's folder, or several.

It is a pure function of its inputs, its options and ``context.rng``; files that are not tables go into
``context.folder``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from kostra import registry
from kostra.errors import KostraError
from kostra.recipe import Recipe, Step, Strict
from kostra.tables import Finding, Frame, check, schema_named

Progress = Callable[[int, int], None]
"""Called with (done, total) as a step goes on."""


def silent(done: int, total: int) -> None:
    """Show no progress."""


@dataclass
class Context:
    """What a step may know beside its inputs and options."""

    recipe: Recipe
    step: Step
    project: Path
    """The project's folder: paths in a recipe are relative to it."""
    folder: Path
    """Where the step may put files of its own."""
    rng: np.random.Generator
    """Seeded from the recipe's seed and the step's name, so that steps do not disturb each other."""
    now: datetime
    simulate: bool = False
    """Whether simulated annotators stand in for people."""
    progress: Progress = silent
    scheduler: str | None = None
    """Where blocks of long work run (see `kostra.sampling.schedulers`); this process unless said."""
    workers: int | None = None
    blocks: Path | None = None
    """Where finished blocks of long work are kept, so that it can be resumed; nowhere unless said."""
    findings: list[Finding] = field(default_factory=list)
    """What the step noticed, dropped or could not do: kept in the manifest, shown by build and report."""
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Step that is read → kind → how many things it has or will have, for plans that tell steps apart."""
    history: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Manifests of the steps before this one, for the report."""

    def note(self, kind: str, message: str) -> None:
        """Keep something worth knowing about this step."""
        self.findings.append(Finding(kind, message, self.step.name))


@dataclass(frozen=True)
class Plan:
    """What a step will do, said before it runs."""

    says: str
    rows: Mapping[str, int] = field(default_factory=dict)
    """How many things it expects to write, by kind of table, as far as that can be told."""
    waits: str | None = None
    """What the step waits for (people's answers), if it cannot run now."""


class Inputs:
    """The tables that a step reads, by kind; several of one kind stand one below the other.

    Examples
    --------
    >>> import polars as pl
    >>> Inputs({"pairs": pl.DataFrame({"pair": ["p"]})})["pairs"].height
    1
    """

    def __init__(self, tables: Mapping[str, Frame], by_step: Mapping[str, Mapping[str, Frame]] | None = None) -> None:
        self._tables = dict(tables)
        self.by_step = by_step or {}
        """Step → kind → its own table, where a component must tell whose rows are whose; nothing without a recipe."""

    def __getitem__(self, kind: str) -> Frame:
        return self._tables[kind]

    def __contains__(self, kind: str) -> bool:
        return kind in self._tables

    def get(self, kind: str) -> Frame | None:
        """The table of that kind, or None."""
        return self._tables.get(kind)

    def either(self, *kinds: str) -> tuple[str, Frame]:
        """The first of these kinds that is there."""
        return next((kind, self._tables[kind]) for kind in kinds if kind in self._tables)

    @classmethod
    def gather(cls, tables: Iterable[tuple[str, str, Frame]]) -> Inputs:
        """Stack (step, kind, table) by kind; a row that two steps give alike counts once.

        Two rows with one id and different content would make one item two: that is refused.
        """
        stacked: dict[str, Frame] = {}
        steps: dict[str, list[str]] = {}
        by_step: dict[str, dict[str, Frame]] = {}
        for step, kind, frame in tables:
            by_step.setdefault(step, {})[kind] = frame
            steps.setdefault(kind, []).append(step)
            stacked[kind] = pl.concat([stacked[kind], frame]).unique(maintain_order=True) if kind in stacked else frame
        checked = {
            kind: check(frame, schema_named(kind), where=_from(steps[kind], kind)) for kind, frame in stacked.items()
        }
        return cls(checked, by_step)


def _from(steps: Sequence[str], kind: str) -> str:
    return f"{kind} of {' and '.join(steps)}"


class Component(Protocol):
    """A module that keeps the contract above."""

    __doc__: str | None
    Options: type[Strict]
    READS: tuple[str, ...]
    WRITES: tuple[str, ...]
    plan: Callable[[Mapping[str, int], Any, Context], Plan]
    run: Callable[[Inputs, Any, Context], dict[str, Frame]]


@cache
def component(use: str, *, where: str | None = None) -> Component:
    """Find a step's component; one that does not keep the contract is refused with what it lacks."""
    room, _, name = use.partition("/")
    module: Any = registry.load(room, name, where=where)
    lacking = [part for part in ("Options", "READS", "WRITES", "plan", "run") if not hasattr(module, part)]
    if lacking:
        raise KostraError(f'"{use}" is not a step component: it has no {", ".join(lacking)}', where=where)
    found: Component = module
    return found

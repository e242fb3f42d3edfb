"""Runs the steps of a recipe: each writes its tables and a manifest, and is skipped when nothing changed.

A project is a folder made from a recipe::

    recipe.toml           the protocol
    data/                 what the user brings
    build/STEP/           tables (Parquet) and manifest.json of one step, replaced as a whole
    dataset/ report.html report/  what the last steps publish

The same recipe, seed and data give byte-identical tables. A step is laid down by a rename once all its files are
on disk, so an interrupted run leaves finished steps behind and resumes after them.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import kostra
from kostra import manifests, tables
from kostra.errors import KostraError, StillWaitingError
from kostra.projects import new
from kostra.recipe import RECIPE_FILE, Step, Strict, read_recipe
from kostra.standing import SAYS as SAYS
from kostra.standing import Project, standing
from kostra.standing import StepStatus as StepStatus
from kostra.steps import Context, Inputs, Plan, Progress, component, silent


@dataclass(frozen=True)
class Built:
    """What a build did."""

    folder: Path
    steps: tuple[StepStatus, ...]

    @property
    def complete(self) -> bool:
        """Whether every step of the recipe stands."""
        return all(status.state in ("done", "unchanged") for status in self.steps)

    def published(self) -> list[Path]:
        """Files and folders that this build laid into the project's folder."""
        return [path for path, status in self._published() if status.state == "done"]

    def outdated(self) -> list[Path]:
        """Files and folders that an earlier build laid there and this one could not bring up to date."""
        return [path for path, status in self._published() if status.state not in ("done", "unchanged")]

    def _published(self) -> list[tuple[Path, StepStatus]]:
        return [
            (self.folder / name, status)
            for status in self.steps
            for name in manifests.publishes(status.step)
            if (self.folder / name).exists()
        ]


class Observer(Protocol):
    """Watches a build: the command line draws progress, a notebook may stay silent."""

    def begin(self, step: Step, plan: Plan) -> Progress:
        """Be told that a step begins; return what its progress is reported to."""

    def end(self, status: StepStatus) -> None:
        """Be told how a step ended."""


class Quiet:
    """An observer that shows nothing."""

    def begin(self, step: Step, plan: Plan) -> Progress:  # noqa: ARG002 - an observer's form
        """Show nothing."""
        return silent

    def end(self, status: StepStatus) -> None:
        """Show nothing."""


def build(
    folder: str | Path,
    *,
    simulate: bool = False,
    to: str | None = None,
    observer: Observer | None = None,
    now: datetime | None = None,
) -> Built:
    """Run every step that can run and is not up to date.

    Parameters
    ----------
    folder
        The project's folder.
    simulate
        Let simulated annotators answer where people would.
    to
        Stop after this step.
    """
    project = Project(Path(folder), simulate=simulate, now=now)
    watcher = observer or Quiet()
    statuses: list[StepStatus] = []
    with manifests.only_one_build(project.build):
        for step in project.until(to):
            status = project.state(step)
            if status.state in ("never", "changed"):
                status = _run(project, step, watcher)
            project.remember(status)
            watcher.end(status)
            statuses.append(status)
    return Built(project.folder, tuple(statuses))


def status(folder: str | Path, *, simulate: bool | None = None) -> list[StepStatus]:
    """Say where each step of a project stands, without running anything.

    Whether annotators are simulated is taken from the last build unless it is said.
    """
    project = Project(Path(folder), simulate=simulate)
    return [project.remember(project.state(step)) for step in project.recipe.steps]


def check(folder: str | Path, *, simulate: bool = True) -> list[StepStatus]:
    """Validate recipe and data, and say what each step will do, in numbers, before anything runs.

    `folder` is a project's folder or a recipe file; of a lone recipe file only the form is checked.
    """
    place = Path(folder)
    lone = place.suffix == ".toml"
    project = Project(
        place.parent if lone else place, simulate=simulate, recipe_file=place.name if lone else RECIPE_FILE
    )
    return [project.foretell(step, with_data=not lone) for step in project.recipe.steps]


def reads_of(folder: str | Path, step: str) -> Inputs:
    """The tables that a step reads, as the steps before it wrote them.

    Raises
    ------
    KostraError
        If one of those steps has not been built.
    """
    project = Project(Path(folder), simulate=None)
    wanted = project.until(step)[-1]
    for name in wanted.reads:
        if project.manifest(name) is None:
            raise KostraError(
                f'step "{step}" reads "{name}", which has not been built',
                where=str(folder),
                remedy=f"kostra build {folder}",
            )
    return project.inputs(wanted)


def demo(
    folder: str | Path = "demo", *, recipe: str = "demo", observer: Observer | None = None, now: datetime | None = None
) -> Built:
    """Make a project from a recipe (or go on with the one that is there) and build it with simulated annotators."""
    place = Path(folder)
    if not (place / RECIPE_FILE).exists():
        new(recipe, place)
    elif read_recipe(place / RECIPE_FILE).recipe.name != recipe:
        raise KostraError(
            f'this project is not made from the recipe "{recipe}"',
            where=str(place),
            remedy=f"name another folder, or build it as it is: kostra build {place} --simulate",
        )
    return build(place, simulate=True, observer=observer, now=now)


def _run(project: Project, step: Step, watcher: Observer) -> StepStatus:
    """Run one step and lay its folder down as a whole."""
    module = component(step.use)
    options = project.options(step, module)
    inputs = project.inputs(step)
    rows = {kind: schema.count(inputs[kind]) for kind, schema in tables.SCHEMAS.items() if kind in inputs}
    staging = project.build / f".{step.name}.partial"
    shutil.rmtree(staging, ignore_errors=True)
    try:
        staging.mkdir(parents=True)
        context = project.context(step, staging)
        for name in project.absent(step):
            context.note("without", f'"{name}" is left out: it {standing(project.states[name])}')
        context.progress = watcher.begin(step, module.plan(rows, options, context))
        made = module.run(inputs, options, context)
        manifest = _written(project, step, options, made, context)
        manifests.lay_down(step, staging, project=project.folder)
    except StillWaitingError as error:
        return StepStatus(step, "waiting", f"{error.what}; {error.remedy}" if error.remedy else error.what)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise KostraError(f"cannot be written: {error.strerror}", where=str(project.build)) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return StepStatus(step, "done", rows=manifest["rows"], findings=tuple(manifest["findings"]))


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""A disk that takes no more: the user's to mend, whichever file was being written."""


def _written(
    project: Project, step: Step, options: Strict, made: Mapping[str, tables.Frame], context: Context
) -> dict[str, Any]:
    """Write a step's tables and its manifest."""
    module = component(step.use)
    for kind, frame in made.items():
        schema = tables.schema_named(kind)
        checked = tables.check(frame, schema, where=f'step "{step.name}": {kind}')
        tables.write(checked, context.folder / f"{kind}.parquet")
    manifest = {
        "step": step.name,
        "use": step.use,
        "kostra": kostra.__version__,
        "seed": project.recipe.recipe.seed,
        "recipe": project.recipe.digest(),
        "simulated": bool(getattr(module, "SIMULATES", False) and project.simulate),
        "fingerprint": project.fingerprint(step, module, options),
        "inputs": project.input_hashes(step),
        "outputs": manifests.outputs(context.folder),
        "rows": {kind: tables.schema_named(kind).count(frame) for kind, frame in made.items()},
        "findings": project.said(context),
    }
    manifests.write_manifest(manifest, context.folder)
    return manifest

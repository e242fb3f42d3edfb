"""Runs the steps of a recipe: each writes its tables and a manifest, and is skipped when nothing changed.

A project is a folder made from a recipe::

    recipe.toml           the protocol
    data/                 what the user brings
    build/STEP/           tables (Parquet) and manifest.json of one step, replaced as a whole
    dataset/ report.html  what the last steps publish

The same recipe, seed and data give byte-identical tables. A step is laid down by a rename once all its files are
on disk, so an interrupted run leaves finished steps behind and resumes after them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

import kostra
from kostra import files, tables
from kostra.errors import KostraError, unknown
from kostra.projects import new
from kostra.recipe import RECIPE_FILE, Step, Strict, line_of_step, parse, read_recipe
from kostra.steps import Component, Context, Inputs, Plan, Progress, component, silent

State = Literal["done", "unchanged", "changed", "never", "waiting", "blocked"]

SAYS: dict[State, str] = {
    "done": "done",
    "unchanged": "unchanged",
    "changed": "to do again: something changed",
    "never": "to do",
    "waiting": "waiting",
    "blocked": "blocked",
}


@dataclass(frozen=True)
class StepStatus:
    """Where one step stands."""

    step: Step
    state: State
    why: str = ""
    rows: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    plan: str = ""


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
            if (name := _publishes(status.step)) is not None and (self.folder / name).exists()
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
    project = _Project(Path(folder), simulate=simulate, now=now)
    watcher = observer or Quiet()
    statuses: list[StepStatus] = []
    with _only_one_build(project.build):
        for step in project.until(to):
            status = project.state(step)
            if status.state in ("never", "changed"):
                status = project.run(step, watcher)
            project.remember(status)
            watcher.end(status)
            statuses.append(status)
    return Built(project.folder, tuple(statuses))


def status(folder: str | Path, *, simulate: bool | None = None) -> list[StepStatus]:
    """Say where each step of a project stands, without running anything.

    Whether annotators are simulated is taken from the last build unless it is said.
    """
    project = _Project(Path(folder), simulate=simulate)
    return [project.remember(project.state(step)) for step in project.recipe.steps]


def check(folder: str | Path, *, simulate: bool = True) -> list[StepStatus]:
    """Validate recipe and data, and say what each step will do, in numbers, before anything runs.

    `folder` is a project's folder or a recipe file; of a lone recipe file only the form is checked.
    """
    place = Path(folder)
    lone = place.suffix == ".toml"
    project = _Project(
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
    project = _Project(Path(folder), simulate=None)
    wanted = project.until(step)[-1]
    for name in wanted.reads:
        if project.manifest(name) is None:
            raise KostraError(
                f'step "{step}" reads "{name}", which has not been built', where=str(folder), remedy="kostra build"
            )
    return project._inputs(wanted)


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


# One project -------------------------------------------------------------------------------------------


class _Project:
    """A project's folder while a command works on it."""

    def __init__(
        self,
        folder: Path,
        *,
        simulate: bool | None,
        now: datetime | None = None,
        recipe_file: str = RECIPE_FILE,
    ) -> None:
        self.folder = folder
        self.build = folder / "build"
        self.recipe_path = folder / recipe_file
        if folder.is_file():
            raise KostraError("this is a file, not a project's folder", where=str(folder))
        if not self.recipe_path.exists():
            raise KostraError(
                f"there is no {recipe_file} in this folder",
                where=str(folder),
                remedy=f"kostra new RECIPE {folder}   (kostra recipes lists them)",
            )
        self.recipe = read_recipe(self.recipe_path)
        self._recipe_text = files.read_text(self.recipe_path)
        self.now = now or datetime.now(UTC)
        self.simulate = self._simulated_last_time() if simulate is None else simulate
        self.states: dict[str, StepStatus] = {}
        self.planned_rows: dict[str, Mapping[str, int]] = {}

    def until(self, to: str | None) -> list[Step]:
        """The steps up to and including the one named `to`."""
        steps = list(self.recipe.steps)
        if to is None:
            return steps
        named = [step.name for step in steps]
        if to not in named:
            raise unknown("step", to, named, where=str(self.recipe_path))
        return steps[: named.index(to) + 1]

    def remember(self, status: StepStatus) -> StepStatus:
        """Keep a step's status for the steps after it."""
        self.states[status.step.name] = status
        return status

    # What will be done

    def foretell(self, step: Step, *, with_data: bool) -> StepStatus:
        """Check a step's form and, with the data at hand, plan it."""
        module = self.component(step)
        options = self.options(step, module)
        self._check_kinds(step, module)
        if not with_data:
            return self.remember(StepStatus(step, "never"))
        context = self.context(step)
        plan = module.plan(self._rows_read(step), options, context)
        self.planned_rows[step.name] = plan.rows
        state: State = "waiting" if plan.waits else "never"
        found = tuple(self._said(context))
        status = StepStatus(step, state, plan.waits or "", rows=plan.rows, findings=found, plan=plan.says)
        return self.remember(status)

    def _rows_read(self, step: Step) -> dict[str, int]:
        rows: dict[str, int] = {}
        for name in step.reads:
            for kind, count in self.planned_rows.get(name, {}).items():
                rows[kind] = rows.get(kind, 0) + count
        return rows

    def _check_kinds(self, step: Step, module: Component) -> None:
        """Refuse a step that does not read what its component needs, as far as the steps before it can be known."""
        kinds: set[str] = set()
        for name in step.reads:
            kinds |= set(self.writes(self.recipe.step(name)))
        for needed in module.READS:
            if not kinds & set(needed.split("|")):
                raise KostraError(
                    f'step "{step.name}" ({step.use}) needs {needed.replace("|", " or ")}, '
                    f"and reads {', '.join(sorted(kinds)) or 'nothing'}",
                    where=f"{self.recipe_path}:{line_of_step(self._recipe_text, step.name)}",
                    remedy="name a step that writes it in `reads`",
                )

    def options(self, step: Step, module: Component) -> Strict:
        """A step's options, checked by its component."""
        index = [other.name for other in self.recipe.steps].index(step.name)
        place = ("steps", index, "with")
        return parse(module.Options, step.options, where=str(self.recipe_path), text=self._recipe_text, at=place)

    def component(self, step: Step) -> Component:
        """A step's component; an unknown one is an error with the step's line."""
        line = line_of_step(self._recipe_text, step.name)
        return component(step.use, where=f'{self.recipe_path}:{line}: step "{step.name}"')

    def writes(self, step: Step) -> tuple[str, ...]:
        """The kinds of tables that a step writes."""
        module = component(step.use)
        if hasattr(module, "writes"):
            narrowed: tuple[str, ...] = module.writes(self.options(step, module))
            return narrowed
        return module.WRITES

    # Where it stands

    def state(self, step: Step) -> StepStatus:
        """Whether a step stands, must run, waits, or cannot run in this version."""
        module = self.component(step)
        absent = self._absent(step)
        if absent and not self._goes_without(absent, step, module):
            return StepStatus(step, "blocked", f'reads "{absent[0]}", which {_said(self.states[absent[0]])}')
        self._check_kinds(step, module)
        options = self.options(step, module)
        if any(self.states[name].state in ("never", "changed") for name in step.reads):
            return StepStatus(step, "changed" if self.manifest(step.name) else "never")
        plan = self._waits(step, module, options)
        if plan is not None:
            return StepStatus(step, "waiting", plan)
        manifest = self.manifest(step.name)
        if manifest is None:
            return StepStatus(step, "never")
        if manifest["fingerprint"] != self.fingerprint(step, module, options) or not self._intact(step, manifest):
            return StepStatus(step, "changed")
        return StepStatus(step, "unchanged", rows=manifest["rows"], findings=tuple(manifest["findings"]))

    def _absent(self, step: Step) -> list[str]:
        """The steps that this one reads and that have nothing to give it."""
        return [name for name in step.reads if self.states[name].state in ("waiting", "blocked")]

    def _goes_without(self, absent: list[str], step: Step, module: Component) -> bool:
        """Whether a step can do without what these steps would write, and has all that it needs from the others."""
        spared = set(getattr(module, "GOES_WITHOUT", ()))
        lost = {kind for name in absent for kind in self.writes(self.recipe.step(name))}
        kept = {kind for name in self._present(step) for kind in self.writes(self.recipe.step(name))}
        return lost <= spared and all(kept & set(needed.split("|")) for needed in module.READS)

    def _present(self, step: Step) -> list[str]:
        """The steps that this one reads and that have something to give it, as far as is known."""
        absent = self._absent(step) if all(name in self.states for name in step.reads) else []
        return [name for name in step.reads if name not in absent]

    def _waits(self, step: Step, module: Component, options: Strict) -> str | None:
        if not (getattr(module, "SIMULATES", False) or getattr(module, "WAITS", False)):
            return None
        rows = {kind: count for name in step.reads for kind, count in self.states[name].rows.items()}
        return module.plan(rows, options, self.context(step)).waits

    def manifest(self, name: str) -> dict[str, Any] | None:
        """The manifest of a step that was built, or None."""
        path = self.build / name / "manifest.json"
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found

    def _simulated_last_time(self) -> bool:
        manifests = (self.manifest(step.name) for step in self.recipe.steps)
        return any(manifest is not None and manifest.get("simulated") for manifest in manifests)

    def _intact(self, step: Step, manifest: Mapping[str, Any]) -> bool:
        folder = self.build / step.name
        published = _publishes(step)
        if published is not None and not (self.folder / published).exists():
            return False
        return all(
            (folder / name).is_file() and files.sha256(folder / name) == digest
            for name, digest in manifest["outputs"].items()
        )

    def fingerprint(self, step: Step, module: Component, options: Strict) -> str:
        """A hash of everything that a step's result depends on."""
        about = self.recipe.recipe
        parts: dict[str, Any] = {
            "kostra": kostra.__version__,
            "use": step.use,
            "code": _code_of(step.use),
            "options": options.model_dump(mode="json"),
            "name": step.name,
            "seed": about.seed,
            "language": about.language,
            "score": self.recipe.score.model_dump(mode="json"),
            "inputs": self.input_hashes(step),
        }
        if getattr(module, "SIMULATES", False):
            parts["simulation"] = self.recipe.simulation.model_dump(mode="json") if self.simulate else None
        if hasattr(module, "watches"):
            watched = module.watches(options, self.context(step))
            # By name relative to the project, so that a project may move, or be named by another path.
            parts["files"] = {
                os.path.relpath(path, self.folder) if path.is_relative_to(self.folder) else path.name: files.sha256(
                    path
                )
                if path.is_file()
                else None
                for path in watched
            }
        if step.room in ("release", "report"):
            # What the world sees tells of the whole recipe and of every step before it.
            parts["recipe"] = self.recipe.digest()
            parts["history"] = {name: manifest["fingerprint"] for name, manifest in self.history(step).items()}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def input_hashes(self, step: Step) -> dict[str, str]:
        """The hashes of the tables that a step reads."""
        return {
            f"{name}/{file}": digest
            for name in self._present(step)
            for file, digest in (self.manifest(name) or {"outputs": {}})["outputs"].items()
            if file.endswith(".parquet")
        }

    def history(self, step: Step) -> dict[str, dict[str, Any]]:
        """Manifests of the steps before this one."""
        found = {}
        for other in self.recipe.steps:
            if other.name == step.name:
                break
            manifest = self.manifest(other.name)
            if manifest is not None:
                found[other.name] = manifest
        return found

    # Doing it

    def context(self, step: Step, folder: Path | None = None) -> Context:
        """What a step may know; its generator depends on the recipe's seed and the step's name only."""
        name = int.from_bytes(hashlib.sha256(step.name.encode()).digest()[:8], "big")
        return Context(
            recipe=self.recipe,
            step=step,
            project=self.folder,
            folder=folder or self.build / step.name,
            rng=np.random.default_rng([self.recipe.recipe.seed, name]),
            now=self.now,
            simulate=self.simulate,
            rows={name: self._rows_of(name) for name in step.reads},
            history=self.history(step),
        )

    def _rows_of(self, name: str) -> Mapping[str, int]:
        """How many things a step before has, or is planned to have."""
        known = self.states.get(name)
        return known.rows if known is not None and known.rows else self.planned_rows.get(name, {})

    def run(self, step: Step, watcher: Observer) -> StepStatus:
        """Run one step and lay its folder down as a whole."""
        module = component(step.use)
        options = self.options(step, module)
        inputs = self._inputs(step)
        rows = {kind: schema.count(inputs[kind]) for kind, schema in tables.SCHEMAS.items() if kind in inputs}
        staging = self.build / f".{step.name}.partial"
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        try:
            context = self.context(step, staging)
            for name in self._absent(step):
                context.note("without", f'"{name}" is left out: it {_said(self.states[name])}')
            context.progress = watcher.begin(step, module.plan(rows, options, context))
            made = module.run(inputs, options, context)
            manifest = self._write(step, module, options, made, context)
            self._lay_down(step, staging)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        return StepStatus(step, "done", rows=manifest["rows"], findings=tuple(manifest["findings"]))

    def _inputs(self, step: Step) -> Inputs:
        found = []
        for name in self._present(step):
            for kind in self.writes(self.recipe.step(name)):
                path = self.build / name / f"{kind}.parquet"
                if path.exists():
                    found.append((name, kind, tables.read(path, tables.schema_named(kind))))
        return Inputs.gather(found)

    def _write(
        self, step: Step, module: Component, options: Strict, made: Mapping[str, tables.Frame], context: Context
    ) -> dict[str, Any]:
        for kind, frame in made.items():
            schema = tables.schema_named(kind)
            checked = tables.check(frame, schema, where=f'step "{step.name}": {kind}')
            tables.write(checked, context.folder / f"{kind}.parquet")
        outputs = sorted(path for path in context.folder.rglob("*") if path.is_file())
        manifest = {
            "step": step.name,
            "use": step.use,
            "kostra": kostra.__version__,
            "seed": self.recipe.recipe.seed,
            "recipe": self.recipe.digest(),
            "simulated": bool(getattr(module, "SIMULATES", False) and self.simulate),
            "fingerprint": self.fingerprint(step, module, options),
            "inputs": self.input_hashes(step),
            "outputs": {str(path.relative_to(context.folder)): files.sha256(path) for path in outputs},
            "rows": {kind: tables.schema_named(kind).count(frame) for kind, frame in made.items()},
            "findings": self._said(context),
        }
        text = json.dumps(manifest, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
        files.write_text(text, context.folder / "manifest.json")
        return manifest

    def _said(self, context: Context) -> list[str]:
        """What a step found, files named relative to the project: where it lies must not show in what it makes."""
        inside = f"{self.folder}{os.sep}"
        return [str(replace(found, where=found.where.removeprefix(inside))) for found in context.findings]

    def _lay_down(self, step: Step, staging: Path) -> None:
        final = self.build / step.name
        old = self.build / f".{step.name}.old"
        shutil.rmtree(old, ignore_errors=True)
        if final.exists():
            final.replace(old)
        staging.replace(final)
        shutil.rmtree(old, ignore_errors=True)
        published = _publishes(step)
        if published is not None:
            _publish(final / published, self.folder / published)


@cache
def _code_of(use: str) -> str:
    """A hash of a component's code: its whole room, helpers and templates included, or a plug-in's own file."""
    file = Path(str(getattr(component(use), "__file__", "")))
    room = Path(__file__).parent / use.partition("/")[0]
    if not file.is_relative_to(room):
        return files.sha256(file)
    texts = [path for path in room.rglob("*") if path.suffix in (".py", ".html", ".jinja", ".css")]
    return hashlib.sha256("".join(files.sha256(path) for path in sorted(texts)).encode()).hexdigest()


def _publish(made: Path, place: Path) -> None:
    """Copy what a step publishes into the project's folder, replacing what an earlier build laid there."""
    if made.is_dir():
        partial = place.with_name(f".{place.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(made, partial)
        shutil.rmtree(place, ignore_errors=True)
        partial.replace(place)
    else:
        files.write_bytes(made.read_bytes(), place)


def _publishes(step: Step) -> str | None:
    name: str | None = getattr(component(step.use), "PUBLISHES", None)
    return name


def _said(before: StepStatus) -> str:
    return f"is {SAYS[before.state]}"


@contextlib.contextmanager
def _only_one_build(folder: Path) -> Iterator[None]:
    """Hold a lock while a build runs, so that two of them do not write the same steps."""
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR)
    except OSError as error:
        raise KostraError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise KostraError(
                "another build is running in this project", where=str(folder), remedy="wait for it to end"
            ) from None
        yield
    finally:
        os.close(handle)

"""Where the steps of a project stand: done, to do, changed, waiting for people or models, blocked by what waits."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

import kostra
from kostra import files, manifests, tables
from kostra.errors import KostraError, unknown
from kostra.recipe import RECIPE_FILE, Step, Strict, line_of_step, parse, read_recipe
from kostra.steps import Component, Context, Inputs, component

State = Literal["done", "unchanged", "changed", "never", "waiting", "blocked"]

SAYS: dict[State, str] = {
    "done": "done",
    "unchanged": "unchanged",
    "changed": "to do again",
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


class Project:
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
        found = tuple(self.said(context))
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
        absent = self.absent(step)
        if absent and not self._goes_without(absent, step, module):
            return StepStatus(step, "blocked", f'reads "{absent[0]}", which {standing(self.states[absent[0]])}')
        self._check_kinds(step, module)
        options = self.options(step, module)
        before = [name for name in step.reads if self.states[name].state in ("never", "changed")]
        if before:
            why = f'reads "{before[0]}", which {standing(self.states[before[0]])}'
            return StepStatus(step, "changed", why) if self.manifest(step.name) else StepStatus(step, "never")
        plan = self._waits(step, module, options)
        if plan is not None:
            return StepStatus(step, "waiting", plan)
        manifest = self.manifest(step.name)
        if manifest is None:
            return StepStatus(step, "never")
        changed = manifests.differences(manifest, self.fingerprint(step, module, options))
        if changed:
            return StepStatus(step, "changed", f"{' and '.join(changed)} changed")
        if not self._intact(step, manifest):
            return StepStatus(step, "changed", "what it made was changed or removed")
        return StepStatus(step, "unchanged", rows=manifest["rows"], findings=tuple(manifest["findings"]))

    def absent(self, step: Step) -> list[str]:
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
        absent = self.absent(step) if all(name in self.states for name in step.reads) else []
        return [name for name in step.reads if name not in absent]

    def _waits(self, step: Step, module: Component, options: Strict) -> str | None:
        if not (getattr(module, "SIMULATES", False) or getattr(module, "WAITS", False)):
            return None
        rows = {kind: count for name in step.reads for kind, count in self.states[name].rows.items()}
        return module.plan(rows, options, self.context(step)).waits

    def manifest(self, name: str) -> dict[str, Any] | None:
        """The manifest of a step that was built, or None."""
        return manifests.read_manifest(self.build / name)

    def _simulated_last_time(self) -> bool:
        found = (self.manifest(step.name) for step in self.recipe.steps)
        return any(manifest is not None and manifest.get("simulated") for manifest in found)

    def _intact(self, step: Step, manifest: Mapping[str, Any]) -> bool:
        if not all((self.folder / name).exists() for name in manifests.publishes(step)):
            return False
        return manifests.intact(self.build / step.name, manifest)

    def fingerprint(self, step: Step, module: Component, options: Strict) -> dict[str, str]:
        """Hashes of everything that a step's result depends on."""
        about = self.recipe.recipe
        parts: dict[str, Any] = {
            "kostra": kostra.__version__,
            "use": step.use,
            "code": manifests.code_of(step.use),
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
            parts["files"] = {self._called(path): files.sha256(path) if path.is_file() else None for path in watched}
        if step.room in ("release", "report"):
            # What the world sees tells of the whole recipe and of every step before it.
            parts["recipe"] = self.recipe.digest()
            parts["history"] = {name: manifest["fingerprint"] for name, manifest in self.history(step).items()}
        return manifests.fingerprint(parts)

    def _called(self, path: Path) -> str:
        return os.path.relpath(path, self.folder) if path.is_relative_to(self.folder) else path.name

    def input_hashes(self, step: Step) -> dict[str, str]:
        """The hashes of the tables that a step reads."""
        return {
            f"{name}/{file}": digest
            for name in self._present(step)
            for file, digest in (self.manifest(name) or {"outputs": {}})["outputs"].items()
            if file.endswith(".parquet")
        }

    def history(self, step: Step) -> dict[str, dict[str, Any]]:
        """Manifests of the steps before this one, without those that an earlier build left and that wait now."""
        found = {}
        for other in self.recipe.steps:
            if other.name == step.name:
                break
            known = self.states.get(other.name)
            if known is not None and known.state in ("waiting", "blocked"):
                continue
            manifest = self.manifest(other.name)
            if manifest is not None:
                found[other.name] = manifest
        return found

    # What it may know

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

    def inputs(self, step: Step) -> Inputs:
        """The tables that a step reads, as the steps before it wrote them."""
        found = []
        for name in self._present(step):
            for kind in self.writes(self.recipe.step(name)):
                path = self.build / name / f"{kind}.parquet"
                if path.exists():
                    found.append((name, kind, tables.read(path, tables.schema_named(kind))))
        return Inputs.gather(found)

    def said(self, context: Context) -> list[str]:
        """What a step found, files named relative to the project: where it lies must not show in what it makes."""
        inside = f"{self.folder}{os.sep}"
        return [str(replace(found, where=found.where.removeprefix(inside))) for found in context.findings]


def standing(before: StepStatus) -> str:
    """Where a step stands, for a sentence about one that reads it."""
    return f"is {SAYS[before.state]}"

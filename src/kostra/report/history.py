"""What the steps before the report left behind: manifests, tables and files, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from kostra import tables
from kostra.recipe import Step
from kostra.steps import Context
from kostra.tables import Frame


@dataclass(frozen=True)
class History:
    """The finished steps before the report. Their fingerprints are part of the report's own, so all may be read."""

    context: Context
    _kept: dict[tuple[str, str], Frame | None] = field(default_factory=dict)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps before the report, finished or not, in the recipe's order."""
        own = self.context.step.name
        before = [step.name for step in self.context.recipe.steps].index(own)
        return self.context.recipe.steps[:before]

    @property
    def folder(self) -> Path:
        """Where each step has a folder of its own."""
        return self.context.folder.parent

    def manifest(self, step: str) -> Mapping[str, Any] | None:
        """What a finished step wrote down, or None."""
        return self.context.history.get(step)

    def findings(self, step: str) -> tuple[str, ...]:
        """What a step noticed, without its own name."""
        manifest = self.manifest(step)
        prefix = f"{step}: "
        return tuple(text.removeprefix(prefix) for text in manifest["findings"]) if manifest else ()

    def rows(self, step: str) -> Mapping[str, int]:
        """Kind → how many things a step wrote."""
        manifest = self.manifest(step)
        return manifest["rows"] if manifest else {}

    def table(self, step: str, kind: str) -> Frame | None:
        """A table that a step wrote, or None."""
        if (step, kind) not in self._kept:
            path = self.folder / step / f"{kind}.parquet"
            known = kind in self.rows(step) and path.is_file()
            self._kept[step, kind] = tables.read(path, tables.schema_named(kind)) if known else None
        return self._kept[step, kind]

    def stacked(self, steps: Iterable[str], kind: str) -> Frame | None:
        """The tables of one kind that several steps wrote, each row once; None if there are none."""
        found = [frame for step in steps if (frame := self.table(step, kind)) is not None]
        return pl.concat(found).unique(maintain_order=True) if found else None

    def ids(self, steps: Iterable[str], kind: str) -> set[str]:
        """The ids of the things of one kind that these steps wrote; of scores and judgments, their items."""
        key = {"scores": "item", "judgments": "item"}.get(kind, tables.schema_named(kind).key[0])
        return {name for step in steps if (frame := self.table(step, kind)) is not None for name in frame[key]}

    def before(self, names: Iterable[str]) -> list[Step]:
        """These steps and all that they go back to, in the recipe's order."""
        wanted = set(names)
        for step in reversed(self.steps):
            if step.name in wanted:
                wanted.update(step.reads)
        return [step for step in self.steps if step.name in wanted]

    def files(self, step: str, *endings: str) -> list[Path]:
        """Files other than tables that a step wrote and that end so, by name."""
        manifest = self.manifest(step)
        named = sorted(manifest.get("outputs", {})) if manifest else []
        return [path for name in named if name.endswith(endings) and (path := self.folder / step / name).is_file()]

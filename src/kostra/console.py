"""What a build looks like in a terminal: progress bars there, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import polars as pl
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from kostra.errors import KostraError, counted
from kostra.pipeline import SAYS, StepStatus
from kostra.recipe import RECIPE_FILE, Step, read_recipe
from kostra.steps import Plan
from kostra.steps import Progress as Report

if TYPE_CHECKING:
    from kostra.campaign.planning import CampaignPlan


NAMES = 14
"""Columns for the names of steps, unless one of them is longer."""


def step_lines(status: StepStatus, *, names: int = NAMES) -> list[str]:
    """A step's status as lines of text: what it is, what it will do or did, what was found."""
    state = SAYS[status.state]
    why = f": {status.why}" if status.why else ""
    rows = ", ".join(counted(count, kind.removesuffix("s")) for kind, count in sorted(status.rows.items()))
    did = f"  {rows}" if rows and not status.plan else ""
    if status.plan and status.state == "never":
        state = ""  # a plan says what will be done; that it is to do is understood
    lines = [f"{status.step.name:<{names}} {status.step.use:<24} {state}{why}{did}".rstrip()]
    if status.plan:
        lines.append(f"{'':<{names}} {status.plan}")
    lines += [f"{'':<{names}} note: {finding}" for finding in status.findings]
    return lines


def name_width(names: Iterable[str]) -> int:
    """Columns for the names of these steps, so that what follows stands below each other."""
    return max([NAMES, *(len(name) for name in names)])


def _steps_of(folder: Path | None) -> Sequence[Step]:
    """The steps of a project that is about to be built; none where it is still to be made, or its recipe is wrong."""
    try:
        return read_recipe(folder / RECIPE_FILE).steps if folder is not None else ()
    except KostraError:
        return ()  # the build will say why


def plan_lines(made: CampaignPlan) -> list[str]:
    """A campaign plan as lines of text: what answers buy, then what the target takes."""
    from kostra.campaign.planning import NAMES  # scipy comes with it, which other commands do without

    names = {"truth": "with the truth", "split_half": "of split halves"}
    lines = [f"Spearman correlation {names[made.measure]}, by answers per item:"]
    sizes = made.curve["answers_per_item"].unique().sort().to_list()
    lines.append(f"{'':<34}" + "".join(f"{size:>7g}" for size in sizes))
    for design in made.curve["design"].unique(maintain_order=True):
        own = made.curve.filter(pl.col("design") == design).sort("answers_per_item")[made.measure].to_list()
        cells = "".join(f"{value:>7.3f}" if value is not None else f"{'–':>7}" for value in own)
        lines.append(f"{NAMES[design]:<34}{cells}")
    lines += ["", f"to reach {made.target:g}, cheapest first:"]
    for need in made.needs:
        if need.answers is None:
            lines.append(f"{NAMES[need.design]:<34} not with {sizes[-1]:g} answers per item")
            continue
        lines.append(
            f"{NAMES[need.design]:<34} {need.answers_per_item:.1f} answers per item, {need.answers:,} in all, "
            f"{need.hours:,.1f} hours, {need.annotators} annotators, {need.cost:,.2f} of pay"
        )
    return lines


@contextmanager
def progress_bar(name: str) -> Iterator[Report]:
    """A bar for one long piece of work on a terminal, nothing elsewhere."""
    console = Console(stderr=True)
    with Progress(
        TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console,
        transient=True, disable=not console.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class BuildView:
    """Shows a build: a bar for the running step on a terminal, one line per step anywhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self._names = name_width(step.name for step in _steps_of(folder))
        self._console = Console(stderr=True, highlight=False)
        self._bars = Progress(
            TextColumn(f"{{task.description:<{self._names}}}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None
        self._began = 0.0

    def __enter__(self) -> BuildView:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, step: Step, plan: Plan) -> Report:  # noqa: ARG002 - an observer's form
        """Show a bar for the step."""
        self._began = time.monotonic()
        task = self._bars.add_task(step.name, total=None)
        self._task = task

        def report(done: int, total: int) -> None:
            self._bars.update(task, completed=done, total=total)

        return report

    def end(self, status: StepStatus) -> None:
        """Replace the bar by the step's line."""
        seconds = f"  ({time.monotonic() - self._began:.1f} s)" if self._task is not None else ""
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        first, *others = step_lines(status, names=self._names)
        for line in (first + seconds, *others):
            self._console.print(line, markup=False, soft_wrap=True)
        sys.stderr.flush()

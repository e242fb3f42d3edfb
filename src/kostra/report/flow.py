"""The flow of items through the steps, with every loss counted: who went in, who came out, and what became of answers.

Counting is by id. A step that draws (a sample, a block for calibration, a held-out part) leaves things behind on
purpose; a step that filters, asks or scores loses them, and its findings say why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from kostra.recipe import Step
from kostra.report.blocks import Block, Drawing, Section, Table, Text, section
from kostra.report.flow_figure import Stage, flow_figure
from kostra.report.history import History
from kostra.report.material import Material, taken_by
from kostra.report.words import listed, rows
from kostra.tables import STATUSES, Frame

KINDS = ("documents", "sentences", "pairs", "tuples")
DRAWING_ROOM, JOINING = "sampling", "sampling/pool"
MOST_STAGES = 24
MOST_LETTERS = 30
"""Of the names of two steps that stand together."""
LONGEST, MOST_FINDINGS = 200, 5
"""Letters of a finding, and findings of a step; some list ids, and all stand in the step's manifest."""


@dataclass(frozen=True)
class Passed:
    """What one step, or several beside each other, did to things of one kind."""

    steps: tuple[str, ...]
    kind: str
    came: int | None
    """How many went in; None where the step made the things."""
    stayed: int
    left: int
    """How many went in and did not come out."""
    drawn: bool
    """Whether leaving things behind was the purpose."""


def flow(material: Material) -> Section:
    """The drawn flow, the table of all steps, and the table of answers."""
    history = material.history
    stages = [_stage(passed, history) for group in groups(history) for passed in passages(group, history)]
    shown = [stage for stage in stages if stage.worth_showing][:MOST_STAGES]
    blocks: list[Block] = []
    if shown:
        caption = (
            "Each bar is as long as what is there; hatched is what was lost, dotted what was not drawn. Bars of one "
            "colour have one scale."
        )
        blocks.append(Drawing("flow", caption, flow_figure(shown)))
    blocks.append(_steps(history))
    answers = _answers(material.judgments)
    if answers is not None:
        blocks.append(answers)
    if material.losses:
        blocks.append(Text(f"Not on this page: {'; '.join(material.losses)}.", tone="small"))
    if material.missing:
        blocks.append(Text(f"Still to come: {listed(material.missing)}.", tone="small"))
    return section("flow", "From material to scores", blocks)


# Steps as stages ----------------------------------------------------------------------------------------


def groups(history: History) -> list[tuple[Step, ...]]:
    """Finished steps in their order; neighbours that do the same side by side stand together."""
    found: list[list[Step]] = []
    for step in history.steps:
        if history.manifest(step.name) is None or step.room in ("reliability", "evaluate", "analysis", "release"):
            continue
        last = found[-1] if found else []
        beside = (
            last
            and step.room == last[0].room != "campaign"
            and set(history.rows(step.name)) == set(history.rows(last[0].name))
            and not {one.name for one in last} & set(step.reads)
        )
        if beside:
            last.append(step)
        else:
            found.append([step])
    return [tuple(group) for group in found]


def passages(group: Sequence[Step], history: History) -> list[Passed]:
    """What the steps of a group did to each kind of thing that they write."""
    names = tuple(step.name for step in group)
    reads = list(dict.fromkeys(name for step in group for name in step.reads if name not in names))
    written = {kind for name in names for kind in history.rows(name)}
    found = []
    for kind in KINDS:
        if kind in written:
            out, come = history.ids(names, kind), history.ids(reads, kind)
            drawn = (group[0].room == DRAWING_ROOM and group[0].use != JOINING) or group[0].component == "select"
            came = len(come) if come & out else None
            found.append(Passed(names, kind, came, len(out), len(come - out) if came else 0, drawn))
    if "pairs" in written and group[0].room == DRAWING_ROOM:
        found = [*_paired(names, reads, history), *found]
    if "judgments" in written:
        found += _asked(names, reads, history, selects=group[0].component == "select")
    if "scores" in written and group[0].room == "scoring":
        found += _scored(group, history)
    return found


def _paired(names: tuple[str, ...], reads: Sequence[str], history: History) -> list[Passed]:
    """How many of the sentences that were there stand in a pair now."""
    there, pairs = history.ids(reads, "sentences"), history.stacked(names, "pairs")
    if not there or pairs is None:
        return []
    used = there & {*pairs["sentence_a"].drop_nulls(), *pairs["sentence_b"].drop_nulls()}
    return [Passed(names, "sentences", len(there), len(used), len(there - used), drawn=True)] if used else []


def _asked(names: tuple[str, ...], reads: Sequence[str], history: History, *, selects: bool) -> list[Passed]:
    judgments = history.stacked(names, "judgments")
    if judgments is None:
        return []
    if selects:
        before = history.stacked(reads, "judgments")
        came = 0 if before is None else before.height
        return [Passed(names, "judgments", came, judgments.height, max(came - judgments.height, 0), drawn=True)]
    accepted = judgments.filter(pl.col("status") == "answered")
    answered = set(accepted["item"])
    kind, offered = max(
        ((kind, history.ids(reads, kind)) for kind in KINDS), key=lambda pair: (len(pair[1] & answered), -len(pair[1]))
    )
    found = []
    if offered:
        left = len(offered - answered)
        found.append(Passed(names, kind, len(offered), len(offered & answered), left, drawn=False))
    left = judgments.height - accepted.height
    return [*found, Passed(names, "judgments", judgments.height, accepted.height, left, drawn=False)]


def _scored(group: Sequence[Step], history: History) -> list[Passed]:
    """How many of the items that were judged have a score."""
    names = tuple(step.name for step in group)
    scores = history.stacked(names, "scores")
    if scores is None:
        return []
    have = set(scores.filter(pl.col("score").is_not_null() | pl.col("label").is_not_null())["item"])
    judged: set[str] = set()
    for step in group:
        tuples, taken = history.stacked(step.reads, "tuples"), taken_by(step, history)
        judged |= set(tuples["item"]) if tuples is not None else set() if taken is None else set(taken["item"])
    pairs = history.stacked([name for step in group for name in step.reads], "pairs")
    if pairs is not None:
        # What was judged beside the pairs, such as suggestions, is not scored; one score may serve both directions.
        judged &= set(pairs["pair"])
        have |= set(pairs.filter(pl.col("reverse").is_in(list(have)))["pair"]) & judged
    if not judged & have:
        return [Passed(names, "scores", None, len(have), 0, drawn=False)]
    return [Passed(names, "scores", len(judged), len(have), len(judged - have), drawn=False)]


def _stage(passed: Passed, history: History) -> Stage:
    uses = {step.use for step in history.steps if step.name in passed.steps}
    title = passed.steps[0] if len(passed.steps) == 1 else _together(passed.steps, uses)
    return Stage(title.replace("_", " "), passed.kind, passed.came, passed.stayed, passed.left, passed.drawn)


def _together(names: tuple[str, ...], uses: set[str]) -> str:
    rooms = {use.partition("/")[0] for use in uses}
    several = "strategies" if rooms == {DRAWING_ROOM} else "steps"
    what = next(iter(uses)).partition("/")[2] if len(uses) == 1 else several
    both = " and ".join(names)
    return both if len(names) == 2 and len(both) < MOST_LETTERS else f"{len(names)} × {what}"


# Tables -------------------------------------------------------------------------------------------------


def _steps(history: History) -> Table:
    """One row per step before the report, unfinished ones included."""
    made = []
    for step in history.steps:
        read = listed([_things(name, history) for name in step.reads if _things(name, history)])
        if history.manifest(step.name) is None:
            made.append((step.name, read, "not yet", "", ""))
            continue
        left = [f"{passed.left:,} {passed.kind}{_why(passed)}" for passed in passages((step,), history) if passed.left]
        noticed = _noticed(history.findings(step.name))
        made.append((step.name, read, _things(step.name, history), ", ".join(left), noticed))
    head = ("Step", "Came in", "Went out", "Left behind", "What it noticed")
    caption = "Every step: what came in, what went out, what stayed behind, and why."
    return Table("flow_of_items", caption, head, tuple(made), most=100)


def _things(step: str, history: History) -> str:
    """What a step wrote, without what goes without saying: the people beside their judgments."""
    written = {kind: count for kind, count in history.rows(step).items() if kind != "annotators"}
    return rows(written)


def _why(passed: Passed) -> str:
    return " not drawn" if passed.drawn else " not counted" if passed.kind == "judgments" else ""


def _noticed(findings: Sequence[str]) -> str:
    shown = [text if len(text) <= LONGEST else f"{text[:LONGEST]}…" for text in findings[:MOST_FINDINGS]]
    more = len(findings) - len(shown)
    return "; ".join([*shown, *([f"and {more:,} more"] if more else [])])


def _answers(judgments: Frame | None) -> Table | None:
    """What became of the answers, by phase, block and question."""
    if judgments is None or not judgments.height:
        return None
    statuses = [status for status in STATUSES if (judgments["status"] == status).any()]
    counts = [(pl.col("status") == status).sum().alias(status) for status in statuses]
    table = judgments.group_by("phase", "block", maintain_order=True).agg(
        pl.col("item").n_unique().alias("items"), pl.col("annotator").n_unique().alias("people"), *counts
    )
    made = [
        tuple(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row)
        for row in table.sort("phase", "block").iter_rows()
    ]
    head = ("Phase", "Block", "Items", "People", *(status.capitalize() for status in statuses))
    caption = "What became of the judgments, one per question of a screen; only those that were answered count."
    return Table("answers", caption, head, tuple(made), numbers=tuple(range(2, len(head))))

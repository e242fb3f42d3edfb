"""The campaign: people's collected answers or, where the command asks for it, simulated ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import cast

import polars as pl

from kostra import registry, tables
from kostra.campaign.adaptive import AdaptiveDesign, AdaptiveSchedule
from kostra.campaign.protocol import Campaign, Phase
from kostra.campaign.schedule import Policy, Schedule
from kostra.campaign.simulated import (
    SIMULATED,
    Answers,
    annotator_table,
    latent_relatedness,
    make_annotators,
    simulate_phase,
)
from kostra.errors import KostraError, some
from kostra.recipe import RECIPE_FILE
from kostra.steps import Context, Inputs, Plan
from kostra.tables import ANNOTATORS, JUDGMENTS, Frame

READS = ("tuples|pairs|sentences",)
WRITES = ("judgments", "annotators", "tuples")
SIMULATES = True

Options = Campaign
ADAPTIVE = "adaptive"


def writes(options: Campaign) -> tuple[str, ...]:
    """An adaptive campaign makes its own tuples."""
    return WRITES if options.policy == ADAPTIVE else WRITES[:2]


def plan(inputs: Mapping[str, int], options: Campaign, context: Context) -> Plan:
    """Answers owed, time, and whether they are there."""
    if options.policy != ADAPTIVE:
        # An unknown name shows before anything runs.
        where = f'{context.project / RECIPE_FILE}: step "{context.step.name}"'
        registry.load("campaign/policies", options.policy, where=where)
    says = "; ".join(_phase_says(phase, options, inputs, context) for phase in options.phases)
    answers = context.project / options.answers
    if answers.is_file():
        tables.read(answers, JUDGMENTS)  # a mistake in collected answers shows before anything runs
    if not context.simulate:
        if answers.is_file():
            return Plan(f"reads the collected answers in {options.answers}", {"judgments": _count(answers)})
        return Plan(says, waits=f"for people's answers in {options.answers}; --simulate rehearses without people")
    cannot = not_simulated(options)
    if cannot:
        return Plan(says, waits=f"for issue 4: simulated annotators cannot yet act out {', '.join(cannot)}")
    people = context.recipe.simulation.annotators
    if options.phases[0].overlap > people:
        says += f"; {people} simulated annotators can give only {people} per item"
    questions = 2 if options.phases[0].task == "best_worst" else 1
    if options.policy == ADAPTIVE:
        return Plan(says, {"annotators": context.recipe.simulation.annotators})
    rows = _items(inputs, options.phases[0]) * options.phases[0].overlap * questions
    return Plan(says, {"judgments": rows, "annotators": context.recipe.simulation.annotators})


def _phase_says(phase: Phase, options: Campaign, inputs: Mapping[str, int], context: Context) -> str:
    if options.policy == ADAPTIVE:
        count = inputs.get("pairs", inputs.get("sentences", 0))
        answers = round(options.adaptive.answers_per_item * count)
        return (
            f'phase "{phase.name}" ({phase.task}): {answers:,} answers about {count:,} items, tuples chosen on the way'
        )
    items = _items(inputs, phase)
    if not items:
        return f'phase "{phase.name}" ({phase.task}): {phase.overlap} answers per item'
    total = items * phase.overlap
    shown = "tuples" if phase.task in ("best_worst", "pick") else "pairs" if "pairs" in inputs else "sentences"
    seconds = context.recipe.simulation.seconds
    hours = total * seconds / 3600
    return (
        f'phase "{phase.name}" ({phase.task}): {items:,} {shown} × {phase.overlap} = {total:,} answers, '
        f"about {hours:,.1f} hours at {seconds:g} s each"
    )


def _items(inputs: Mapping[str, int], phase: Phase) -> int:
    if phase.task in ("best_worst", "pick"):
        return inputs.get("tuples", 0)
    return inputs.get("pairs", inputs.get("sentences", 0))


def not_simulated(options: Campaign) -> list[str]:
    """What a campaign asks for that simulated annotators cannot act out in this version."""
    cannot = [f"the task {phase.task}" for phase in options.phases if phase.task not in ("best_worst", "rating")]
    if len(options.phases) > 1:
        cannot.append("several phases")
    if any(block.purpose != "main" for phase in options.phases for block in phase.blocks):
        cannot.append("blocks other than main")
    if any(phase.gold for phase in options.phases):
        cannot.append("gold questions")
    if any(phase.deal != "queue" for phase in options.phases):
        cannot.append("dealt sequences")
    return list(dict.fromkeys(cannot))


def watches(options: Campaign, context: Context) -> list[Path]:
    """The collected answers, unless they are simulated."""
    return [] if context.simulate else [context.project / options.answers]


def run(inputs: Inputs, options: Campaign, context: Context) -> dict[str, Frame]:
    """Simulate the campaign, or take in the collected answers."""
    if not context.simulate:
        return _collected(inputs, options, context)
    phase = options.phases[0]
    rng = context.rng
    annotators = make_annotators(context.recipe.simulation, rng=rng)
    schedule = _schedule(inputs, options, context)
    members = schedule.members if isinstance(schedule, AdaptiveSchedule) else _shown(inputs, phase)[1]
    latent = _latent(inputs, context)
    answers = Answers(phase, context.recipe.score, latent, members=members, rng=rng)
    judgments = simulate_phase(phase, schedule, annotators, answers, rng=rng, progress=context.progress)
    if not schedule.complete:
        owed = schedule.total - schedule.accepted
        context.note("owed", f"{owed:,} answers are missing: {len(annotators)} annotators are too few for this overlap")
    answered = judgments["annotator"].n_unique()
    context.note("simulated", f"all {judgments.height:,} judgments come from {answered} simulated annotators")
    made = {"judgments": judgments, "annotators": annotator_table(annotators)}
    return made | {"tuples": schedule.tuples()} if isinstance(schedule, AdaptiveSchedule) else made


def _schedule(inputs: Inputs, options: Campaign, context: Context) -> Schedule | AdaptiveSchedule:
    """Who sees what next: a queue dealt by a policy, or tuples made from the answers so far."""
    phase = options.phases[0]
    lease = timedelta(minutes=options.lease_minutes)
    if options.policy == ADAPTIVE:
        kind, frame = inputs.either("pairs", "sentences")
        names = frame[tables.schema_named(kind).key[0]].to_list()
        wanted = options.adaptive
        budget = round(wanted.answers_per_item * len(names))
        design = AdaptiveDesign(
            len(names), size=wanted.size, budget=budget, target=wanted.target_error, rng=context.rng
        )
        return AdaptiveSchedule(names, design, overlap=phase.overlap, lease=lease)
    policy = cast(Policy, registry.load("campaign/policies", options.policy))
    items, _ = _shown(inputs, phase)
    return Schedule(items, overlap=phase.overlap, policy=policy, seed=context.recipe.recipe.seed, lease=lease)


def _shown(inputs: Inputs, phase: Phase) -> tuple[list[str], dict[str, list[str]]]:
    """The items to be shown and, for tuples, what each consists of."""
    if phase.task == "best_worst":
        if "tuples" not in inputs:
            raise KostraError("a best–worst phase needs tuples", remedy="read a step that uses sampling/tuples")
        grouped = inputs["tuples"].sort("tuple", "position").group_by("tuple", maintain_order=True).agg("item")
        members = dict(zip(grouped["tuple"].to_list(), grouped["item"].to_list(), strict=True))
        return list(members), members
    kind, frame = inputs.either("pairs", "sentences")
    return frame[tables.schema_named(kind).key[0]].to_list(), {}


def _latent(inputs: Inputs, context: Context) -> dict[str, float]:
    if "pairs" in inputs:
        return latent_relatedness(inputs["pairs"], rng=context.rng)
    _, frame = inputs.either("sentences", "tuples")
    ids = frame["sentence" if "sentences" in inputs else "item"].unique(maintain_order=True).to_list()
    return dict(zip(ids, context.rng.standard_normal(len(ids)).tolist(), strict=True))


def _count(path: Path) -> int:
    return tables.read(path, JUDGMENTS).height


def _collected(inputs: Inputs, options: Campaign, context: Context) -> dict[str, Frame]:
    """Take in people's answers; answers about items that nobody asked about are refused."""
    path = context.project / options.answers
    judgments, lines = tables.read_with_lines(path, JUDGMENTS)
    asked = set(_shown(inputs, options.phases[0])[0])
    strange = [line for line, item in zip(lines, judgments["item"], strict=True) if item not in asked]
    if strange:
        raise KostraError(
            f"{len(strange):,} answers are about items that this step does not ask about (lines {some(strange)})",
            where=str(path),
            remedy="the answers belong to another build: keep the seed and the data with which they were collected",
        )
    names = judgments["annotator"].drop_nulls().unique(maintain_order=True)
    # Answers of a rehearsal may come back through a file; their annotators must not turn into people.
    kinds = ["simulated" if name.startswith(SIMULATED) else "person" for name in names]
    if "simulated" in kinds:
        context.note(
            "simulated", f"{kinds.count('simulated')} of {len(names)} annotators are simulated, by their names"
        )
    annotators = pl.DataFrame({"annotator": names, "kind": kinds})
    return {"judgments": judgments, "annotators": tables.check(annotators, ANNOTATORS, where=str(path))}

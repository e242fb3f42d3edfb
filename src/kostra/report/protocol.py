"""The protocol in words and numbers: how it was meant, from the recipe alone."""

from __future__ import annotations

import json
from collections import Counter

from kostra import registry
from kostra.campaign.protocol import Block as CampaignBlock
from kostra.campaign.protocol import Campaign, Phase
from kostra.recipe import Recipe, Step, parse
from kostra.report.blocks import Section, Steps, StepView, Table, Text, section
from kostra.report.words import counted, listed

TASKS = {
    "best_worst": "best and worst of a tuple",
    "rating": "rating of a pair",
    "rating_in_context": "rating of a pair in its context",
    "entailment": "entailment of a pair",
    "rewrite": "rewriting of a sentence",
    "pick": "picking of sentences",
    "comparison": "comparison of two sentences",
    "describe": "description",
    "triage": "triage",
    "correct": "correction of a sentence",
    "questionnaire": "questionnaire",
}
IMPLIED = {"best_worst": "best and worst"}
"""What a task asks where the recipe names no questions."""
ROOMS = {
    "sources": "bringing material",
    "transforms": "changing sentences by rule",
    "sampling": "choosing what is judged",
    "campaign": "asking people",
    "scoring": "making scores",
    "reliability": "measuring agreement",
    "evaluate": "testing encoders",
    "analysis": "analysing",
    "release": "preparing the release",
    "report": "writing this report",
    "encoders": "encoding",
    "annotate": "annotating",
}


def protocol(recipe: Recipe) -> Section:
    """The campaigns as a table, then every step."""
    phases = [(step, phase) for step in recipe.steps for phase in _phases(step)]
    rows = tuple(_row(step, phase) for step, phase in phases)
    head = ("Phase", "Task", "Questions", "People per item", "Who", "Rules")
    table = Table("campaign", "What people are asked, phase by phase.", head, rows, numbers=(3,)) if rows else None
    steps = Steps(tuple(_step(step) for step in recipe.steps))
    return section("protocol", "Protocol", Text(_in_words(recipe, len(phases))), table, steps)


def _in_words(recipe: Recipe, phases: int) -> str:
    rooms = Counter(step.room for step in recipe.steps)
    parts = [f"{ROOMS[room]} ({count})" for room, count in rooms.items()]
    asked = f" People are asked in {counted(phases, 'phase')}." if phases else ""
    return f"The recipe has {counted(len(recipe.steps), 'step')}: {listed(parts)}.{asked}"


def _phases(step: Step) -> tuple[Phase, ...]:
    if step.use != "campaign/annotate":
        return ()
    return parse(Campaign, step.options, where=f'step "{step.name}"').phases


def _row(step: Step, phase: Phase) -> tuple[str, ...]:
    questions = [question.name.replace("_", " ") for question in phase.questions]
    most = f"{phase.overlap}"
    overlap = f"{phase.overlap_at_least} to {most}" if phase.overlap_at_least else most
    named = phase.name if phase.name == step.name else f"{step.name}: {phase.name}"
    asked = f"{len(questions)}: {listed(questions)}" if len(questions) > 1 else "".join(questions)
    blocks = [_block(block) for block in phase.blocks]
    rules = [*([f"blocks: {listed(blocks)}"] if blocks != ["main"] else []), *_rules(phase)]
    cells = (named, TASKS[phase.task], asked or IMPLIED.get(phase.task, ""), overlap, phase.role, "; ".join(rules))
    return tuple(cell.replace("_", " ") for cell in cells)


def _block(block: CampaignBlock) -> str:
    size = f" {block.items:,}" if block.items else f" {counted(block.groups, 'group')}" if block.groups else ""
    return f"{block.purpose}{size}"


def _rules(phase: Phase) -> list[str]:
    rules = []
    if phase.after:
        pause = f", {phase.pause_hours:g} hours later" if phase.pause_hours else ""
        rules.append(f"after {phase.after}{pause}")
    if phase.items_after:
        rules.append(f"an item comes once {phase.items_after} is done with it")
    if phase.gold is not None:
        rules.append(f"gold after every {phase.gold.every}, stopped below {phase.gold.threshold:.0%}")
    if phase.deal != "queue":
        rules.append(f"dealt as {phase.deal.replace('_', ' ')}")
    if phase.same_order_as:
        rules.append(f"in the order of {phase.same_order_as}")
    if phase.never_in_one_sitting:
        rules.append("a pair and its reverse never in one sitting")
    if phase.validates:
        rules.append(f"decides on suggestions of {phase.validates}")
    return rules


def _step(step: Step) -> StepView:
    plain = {name: value for name, value in step.options.items() if name != "phases"}
    return StepView(
        name=step.name,
        use=step.use,
        does=step.note or _does(step),
        options=", ".join(f"{name} = {_toml(value)}" for name, value in plain.items()),
    )


def _does(step: Step) -> str:
    if not registry.exists(step.room, step.component):
        return ""
    return registry.summary(registry.load(step.room, step.component)).replace("`", "")


def _toml(value: object) -> str:
    """A value as the recipe has it; tables inside are only counted."""
    if isinstance(value, dict):
        return f"({counted(len(value), 'entry', 'entries')})"
    if isinstance(value, (list, tuple)) and any(isinstance(one, dict) for one in value):
        return f"({len(value)} of them)"
    return json.dumps(value, ensure_ascii=False)

"""The campaign: people's collected answers or, where the command asks for it, simulated ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from kostra import registry, tables
from kostra.campaign.dealing import check_arithmetic, fitting_length
from kostra.campaign.judged import judgments_of
from kostra.campaign.language_model import MODEL
from kostra.campaign.material import ByStep, Material, material
from kostra.campaign.protocol import Block, Campaign, Phase
from kostra.campaign.questions import SUGGESTION, completed
from kostra.campaign.rehearsal import Player, Rehearsal, cast, rehearse
from kostra.campaign.simulated import SIMULATED, Truth, annotator_table, latent_relatedness
from kostra.errors import KostraError, some
from kostra.recipe import RECIPE_FILE
from kostra.steps import Context, Inputs, Plan
from kostra.tables import ANNOTATORS, JUDGMENTS, TUPLES, Frame

READS = ("tuples|pairs|sentences|documents",)
WRITES = ("judgments", "annotators", "tuples")
SIMULATES = True

Options = Campaign
ADAPTIVE = "adaptive"


def writes(options: Campaign) -> tuple[str, ...]:
    """An adaptive campaign makes its own tuples."""
    return WRITES if options.policy == ADAPTIVE else WRITES[:2]


# What will be done ----------------------------------------------------------------------------------------


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
    people = context.recipe.simulation.annotators
    most = max((phase.overlap for phase in options.phases if phase.role == "annotator"), default=0)
    if most > people:
        says += f"; {people} simulated annotators can give only {people} per item"
    if options.policy == ADAPTIVE:
        return Plan(says, {"annotators": people})
    rows = sum(
        _items(inputs, phase, context) * phase.overlap * len(phase.questions)
        for phase in completed(options, context.recipe.score).phases
    )
    return Plan(says, {"judgments": rows, "annotators": people})


def _phase_says(phase: Phase, options: Campaign, inputs: Mapping[str, int], context: Context) -> str:
    if options.policy == ADAPTIVE:
        count = inputs.get("pairs", inputs.get("sentences", 0))
        answers = round(options.adaptive.answers_per_item * count)
        return (
            f'phase "{phase.name}" ({phase.task}): {answers:,} answers about {count:,} items, tuples chosen on the way'
        )
    items = _items(inputs, phase, context)
    if not items:
        return f'phase "{phase.name}" ({phase.task}): {phase.overlap} answers per item'
    total = items * phase.overlap
    seconds = context.recipe.simulation.seconds
    hours = total * seconds / 3600
    says = (
        f'phase "{phase.name}" ({phase.task}): {items:,} {_shown(inputs, phase)} × {phase.overlap} = {total:,} '
        f"answers, about {hours:,.1f} hours at {seconds:g} s each"
    )
    length = _main(phase).items
    if phase.deal != "disjoint_sequences" or phase.same_order_as is not None or length is None:
        return says
    if context.simulate:
        # A rehearsal on fewer items than the recipe is for goes with sequences that fit.
        length = fitting_length(items, length)
    try:
        return f"{says}; {check_arithmetic(items, length=length, replicates=phase.overlap)}"
    except KostraError as error:
        # How many items there will be is an estimate as yet; the campaign itself refuses what cannot be dealt.
        return f"{says}; {error.what}, but {error.accepted} can"


def _shown(inputs: Mapping[str, int], phase: Phase) -> str:
    if phase.task in ("best_worst", "pick"):
        return "tuples"
    if phase.task == "describe":
        return "images"
    return "pairs" if "pairs" in inputs else "sentences"


def _main(phase: Phase) -> Block:
    return next((block for block in phase.blocks if block.purpose == "main"), phase.blocks[-1])


def _items(inputs: Mapping[str, int], phase: Phase, context: Context) -> int:
    """How many items the phase's main block has, as far as the steps before can tell; 0 where they cannot."""
    if phase.task == "questionnaire":
        return 1
    if phase.validates is not None:
        return 0  # as many as there will be suggestions
    step = _main(phase).items_from
    if step is not None and len(context.step.reads) > 1:
        inputs = context.rows.get(step, {})
    kind = {"tuples": "tuples", "images": "documents"}.get(_shown(inputs, phase))
    return inputs.get(kind, 0) if kind else inputs.get("pairs", inputs.get("sentences", 0))


def _count(path: Path) -> int:
    return tables.read(path, JUDGMENTS).height


def watches(options: Campaign, context: Context) -> list[Path]:
    """The collected answers, unless they are simulated, and the texts that annotators read."""
    texts = [block.text_file for phase in options.phases for block in phase.blocks if block.text_file is not None]
    read = [context.project / text for text in texts]
    if context.simulate:
        return read
    answers = context.project / options.answers
    return [answers, *([tuples_beside(answers)] if _adapts(options) else []), *read]


def _adapts(options: Campaign) -> bool:
    return options.policy == ADAPTIVE


def tuples_beside(answers: Path) -> Path:
    """Where the tuples lie that an adaptive campaign made, beside its answers.

    Examples
    --------
    >>> tuples_beside(Path("judgments.csv")).name
    'judgments_tuples.csv'
    """
    return answers.with_name(f"{answers.stem}_tuples{answers.suffix}")


# Doing it -------------------------------------------------------------------------------------------------


def run(inputs: Inputs, options: Campaign, context: Context) -> dict[str, Frame]:
    """Simulate the campaign, or take in the collected answers."""
    campaign = completed(options, context.recipe.score)
    made = material(campaign, _by_step(inputs, campaign), project=context.project, score=context.recipe.score)
    return _simulated(inputs, campaign, made, context) if context.simulate else _collected(campaign, made, context)


def _by_step(inputs: Inputs, campaign: Campaign) -> ByStep:
    """The tables by the step that wrote them; all as one where that is not known (``kostra run``)."""
    if inputs.by_step:
        return inputs.by_step
    named = [block.items_from for phase in campaign.phases for block in phase.blocks if block.items_from is not None]
    if named:
        raise KostraError(
            f'which items come from the step "{named[0]}" is not known here',
            remedy="run the campaign as a step of a recipe",
        )
    return {"tables": {kind: inputs[kind] for kind in tables.SCHEMAS if kind in inputs}}


def _simulated(inputs: Inputs, campaign: Campaign, made: Material, context: Context) -> dict[str, Frame]:
    rng, seed = context.rng, context.recipe.recipe.seed
    campaign = _fitting(campaign, made, context)
    players = cast(campaign, context.recipe.simulation, rng=rng)
    score = context.recipe.score
    values = {}
    if "pairs" in inputs:
        values = latent_relatedness(inputs["pairs"], rng=rng, scores=inputs.get("scores"), score=score)
    total = sum(len(made.in_phase(phase.name)) * phase.overlap for phase in campaign.phases)
    rehearsal = rehearse(
        campaign,
        made,
        players,
        truth=Truth(seed, values, language=context.recipe.recipe.language),
        seed=seed,
        rng=rng,
        progress=context.progress,
        total=total,
    )
    running = rehearsal.running
    statuses = {seq: record.status for seq, record in running.records.items()}
    judgments = judgments_of(rehearsal.events, statuses, running.items)
    _tell(rehearsal, players, context)
    answered = judgments["annotator"].n_unique()
    idle = f" ({len(players) - answered} more had nothing left to answer)" if answered < len(players) else ""
    said = f"all {judgments.height:,} judgments come from {answered} simulated annotators{idle}"
    context.note("simulated", said)
    people = annotator_table(
        [player.person for player in players], roles={player.person.name: player.role for player in players}
    )
    tables_made = {"judgments": judgments, "annotators": people}
    return tables_made | {"tuples": _made_tuples(rehearsal)} if _adapts(campaign) else tables_made


def _fitting(campaign: Campaign, made: Material, context: Context) -> Campaign:
    """The campaign with sequences that the items at hand can be cut in; a recipe for many is rehearsed on few."""
    phases = []
    for phase in campaign.phases:
        number = phase.blocks.index(_main(phase))
        length, items = phase.blocks[number].items, made.of(phase.name, number)
        if phase.deal == "disjoint_sequences" and length is not None and phase.same_order_as is None and items:
            sets = pl.Series([item.sentences[0] if item.sentences else item.item for item in items])
            largest = int(sets.value_counts()["count"].to_numpy().max())
            fits = fitting_length(len(items), length, largest=largest)
            if fits != length or len(items) < length * largest:
                said = (
                    f"{len(items):,} items cannot be dealt in sequences of {length}: the rehearsal deals {fits} at once"
                )
                context.note("smaller", f'phase "{phase.name}": {said}')
                blocks = list(phase.blocks)
                blocks[number] = blocks[number].model_copy(update={"items": fits})
                phase = phase.model_copy(update={"blocks": tuple(blocks)})
        phases.append(phase)
    return campaign.model_copy(update={"phases": tuple(phases)})


def _tell(rehearsal: Rehearsal, players: list[Player], context: Context) -> None:
    """What a rehearsal shows about the campaign: answers that nobody was left to give, people who were stopped."""
    for run in rehearsal.running.phases.values():
        needed = run.phase.overlap_at_least or run.phase.overlap
        owed = sum(
            max(needed - int(count), 0)
            for pool in run.pools.values()
            if not pool.all_complete
            for item, count in zip(pool.items, pool.counts, strict=True)
            if item not in run.gold
        )
        if owed:
            several = len(rehearsal.running.phases) > 1
            where = f' in phase "{run.name}"' if several else ""
            people = sum(player.role == run.phase.role for player in players)
            said = f"{owed:,} answers are missing{where}: {people} annotators are too few for this overlap"
            context.note("owed", said)
        if run.gold and run.phase.gold is not None and run.phase.gold.from_phase is not None:
            said = f"{len(run.gold):,} questions on which the authors agree are gold"
            context.note("gold", f'phase "{run.name}": {said}')
    stopped = [person for person in rehearsal.running.people.values() if person.stopped]
    if stopped:
        reasons = ", ".join(sorted({person.stopped for person in stopped}))
        context.note("stopped", f"{len(stopped):,} annotators were stopped ({reasons}); their answers are discarded")
    pieces = sum(event.kind == "corrected" for event in rehearsal.events)
    if pieces:
        context.note("corrected", f"sentences were corrected {pieces:,} times")


def _made_tuples(rehearsal: Rehearsal) -> Frame:
    rows = [
        (event.data["item"], place, member)
        for event in rehearsal.events
        if event.kind == "made"
        for place, member in enumerate(event.data["members"], 1)
    ]
    return tables.check(pl.DataFrame(rows, schema=TUPLES.dtypes, orient="row"), TUPLES, where="adaptive tuples")


def _collected(campaign: Campaign, made: Material, context: Context) -> dict[str, Frame]:
    """Take in people's answers; answers about items that nobody asked about are refused."""
    path = context.project / campaign.answers
    judgments, lines = tables.read_with_lines(path, JUDGMENTS)
    asked = set(made.items)
    written: dict[str, Frame] = {}
    if _adapts(campaign):
        written["tuples"] = tables.read(tuples_beside(path), TUPLES)
        asked |= set(written["tuples"]["tuple"])
    if any(phase.validates for phase in campaign.phases):
        # Suggestions became items while the campaign ran.
        asked |= {item for item in judgments["item"].unique() if item.startswith(SUGGESTION)}
    strange = [line for line, item in zip(lines, judgments["item"], strict=True) if item not in asked]
    if strange:
        raise KostraError(
            f"{len(strange):,} judgments are about items that this step does not ask about (lines {some(strange)})",
            where=str(path),
            remedy="the answers belong to another build: keep the seed and the data with which they were collected",
        )
    names = judgments["annotator"].drop_nulls().unique(maintain_order=True)
    # Answers of a rehearsal may come back through a file; their annotators must not turn into people.
    kinds = [_kind(name) for name in names]
    if "simulated" in kinds:
        context.note(
            "simulated", f"{kinds.count('simulated')} of {len(names)} annotators are simulated, by their names"
        )
    annotators = pl.DataFrame({"annotator": names, "kind": kinds})
    return {
        "judgments": _models_apart(judgments, context),
        "annotators": tables.check(annotators, ANNOTATORS, where=str(path)),
        **written,
    }


def _kind(name: str) -> str:
    return "simulated" if name.startswith(SIMULATED) else "model" if name.startswith(MODEL) else "person"


def _models_apart(judgments: Frame, context: Context) -> Frame:
    """Language models' answers are kept as surplus, so that no statistic takes them for people's."""
    theirs = pl.col("annotator").str.starts_with(MODEL).fill_null(False)
    count = judgments.filter(theirs).height
    if not count:
        return judgments
    context.note("models", f"{count:,} judgments come from language models: they are kept apart, as surplus")
    counted = pl.col("status").is_in(["answered", "impossible"])
    return judgments.with_columns(status=pl.when(theirs & counted).then(pl.lit("surplus")).otherwise(pl.col("status")))

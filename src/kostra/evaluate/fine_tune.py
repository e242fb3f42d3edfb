"""Trains word-vector, two-tower or cross-attention models and tests them over folds, sources and runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from kostra.errors import KostraError, counted
from kostra.evaluate.dataset import Dataset, Scored
from kostra.evaluate.fine_tune_filter import as_many_at_random, diagonal_filter
from kostra.evaluate.fine_tune_jobs import Settings
from kostra.evaluate.fine_tune_protocols import Plan as Runs
from kostra.evaluate.fine_tune_protocols import fine_tuned_on, fine_tuned_over_folds, renamed
from kostra.evaluate.folds import grouped_folds, random_folds, source_folds
from kostra.evaluate.heads import Architecture, Base
from kostra.evaluate.models import in_project, model_files, plan_with_encoders, waiting_for
from kostra.evaluate.outcome import WHOLE, Evaluation
from kostra.evaluate.relatedness import step_dataset
from kostra.evaluate.tabling import as_results
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("pairs", "scores")
WRITES = ("results",)
TRAINED = ".trained"
"""In a project's build folder: what finished trainings said, under a hash of all they depend on."""


class Options(Strict):
    """Which models, and how they are trained and tested."""

    models: Annotated[tuple[str, ...], Field(min_length=1)]
    """As encoders are named: ``hf:NAME?pooling=mean``, ``sbert:NAME``; any encoder for word vectors."""
    architecture: Architecture = "two_tower"
    """Averaged word vectors, two towers with a cosine, or cross-attention over both sentences."""
    loss: Literal["cosine", "squared_error"] | None = None
    """What training makes small; what suits the architecture unless said."""
    projection: Annotated[int, Field(ge=1)] = 200
    """Size of the layer above a pair."""
    activation: Literal["relu", "tanh", "gelu"] = "relu"
    """Its activation."""
    epochs: Annotated[int, Field(ge=1)] = 1
    """Passes over the training pairs."""
    batch: Annotated[int, Field(ge=1)] = 16
    """Pairs per step of training."""
    learning_rate: Annotated[float, Field(gt=0)] = 2e-5
    """Step size of training."""
    longest: Annotated[int, Field(ge=8)] = 128
    """Subwords of a sentence that are read, at most."""
    device: str = "auto"
    """cpu, cuda, mps, or the best that is there (auto)."""
    runs: Annotated[int, Field(ge=1)] = 1
    """Trainings with different seeds; the mean is given, and the spread noted."""
    samples: Annotated[int, Field(ge=0)] = 1000
    """Bootstrap samples for the intervals."""
    train_question: str | None = None
    """Train on the pairs that have a score for this question and none for the main one, and test on the main one's;
    else over folds of the main one's."""
    within: tuple[Annotated[float, Field(ge=0)], ...] = ()
    """Once more on training pairs whose score is within this of their class's, and on as many drawn at random."""
    expected: dict[str, float] = Field(default_factory=dict)
    """The score expected of each class, which is a pair's ``subset``."""
    folds: Annotated[int, Field(ge=2)] = 5
    """How many folds."""
    grouped: bool = True
    """Keep pairs with a common sentence in one fold; random folds are then trained beside, to show what leaks."""
    random_beside: bool = True
    """Also random folds beside those that keep sentences together, to show the leakage."""
    per_source: bool = True
    """Also the figures of each source."""
    leave_one_source_out: bool = False
    """Also test on each source after training on the others."""

    @model_validator(mode="after")
    def _fitting(self) -> Options:
        if self.within and not (self.train_question and self.expected):
            raise ValueError("within needs train_question, and expected: the score of each class")
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Models × folds × runs."""
    for name in options.models:
        _settings(options, name).named()  # an unknown name shows before anything runs
    per_model = 1 + 2 * len(options.within) if options.train_question else options.folds * (1 + _beside(options))
    more = ", and with one source left out at a time" if options.leave_one_source_out else ""
    trainings = len(options.models) * per_model * options.runs
    if options.architecture == "word_vectors":
        return plan_with_encoders(
            f"tests {counted(len(options.models), 'average')} of word vectors", options.models, context
        )
    says = f"trains {counted(len(options.models), 'model')}, {counted(trainings, 'training')}{more}"
    missing = [f"{name} ({why})" for name in options.models if (why := _lacking(name, context))]
    return Plan(says, waits=waiting_for(missing))


WAITS = True  # for a model that a person must bring


def _lacking(name: str, context: Context) -> str | None:
    """Why a pretrained model cannot be loaded now; None if it can."""
    try:
        Base.named(in_project(name, context.project)).found()
    except KostraError as error:
        return error.what
    return None


def watches(options: Options, context: Context) -> list[Path]:
    """Models that lie in the project as files."""
    return model_files(options.models, context)


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Train and test."""
    data = step_dataset(inputs, context) if not options.train_question else _both_questions(inputs, context)
    if options.architecture == "word_vectors" and options.runs > 1:
        context.note("deterministic", "averages of word vectors are the same in every run: one is enough")
    made = []
    for name in options.models:
        settings = _settings(options, in_project(name, context.project))
        for found in _evaluations(data, settings, options, context):
            evaluation = replace(found, encoder=found.encoder.replace(settings.model, name, 1))
            made.append(_shown(evaluation, options))
            context.note("protocol", f"{evaluation.encoder}, {evaluation.protocol}: {evaluation.details['folds']}")
    return {"results": as_results(made)}


def _both_questions(inputs: Inputs, context: Context) -> Dataset:
    """All pairs: those without a score of the main question are there to be trained on."""
    score = context.recipe.score
    return Dataset(
        context.recipe.recipe.name,
        language=context.recipe.recipe.language,
        low=score.low,
        high=score.high,
        question=score.question,
        pairs=inputs["pairs"],
        scores=inputs["scores"],
    )


def _settings(options: Options, model: str) -> Settings:
    return Settings(
        model=model,
        architecture=options.architecture,
        loss=options.loss,
        projection=options.projection,
        activation=options.activation,
        epochs=options.epochs,
        batch=options.batch,
        learning_rate=options.learning_rate,
        longest=options.longest,
        device=options.device,
    )


def _beside(options: Options) -> bool:
    return options.grouped and options.random_beside and options.architecture != "word_vectors"


def _evaluations(data: Dataset, settings: Settings, options: Options, context: Context) -> list[Evaluation]:
    seed = int(context.rng.integers(2**31))
    runs = Runs(
        runs=options.runs, seed=seed, samples=options.samples, per_source=options.per_source, folder=_kept(context)
    )
    main = data.scored(context.recipe.score.question)
    low, high = data.range(main.gold)
    if options.train_question:
        return _on_other_pairs(data, main, settings, options, context, runs, (low, high))
    ends, rng = main.ends(), np.random.default_rng(seed)
    wanted = [grouped_folds(ends, options.folds, rng=rng, groups=main.groups)] if options.grouped else []
    wanted += [random_folds(ends, options.folds, rng=rng)] if _beside(options) or not options.grouped else []
    wanted += [source_folds(ends, main.sources)] if options.leave_one_source_out else []
    return [
        fine_tuned_over_folds(
            main, settings, folds, low=low, high=high, plan=runs, dataset=data.name, progress=context.progress
        )
        for folds in wanted
    ]


def _kept(context: Context) -> Path | None:
    """Where finished trainings are kept: where the user says, else in a project's build folder, else nowhere."""
    build = context.folder.parent
    in_build = build.parent.resolve() == context.project.resolve()  # a component run alone has a scratch folder
    return context.blocks or (build / TRAINED if in_build else None)


def _on_other_pairs(
    data: Dataset,
    test: Scored,
    settings: Settings,
    options: Options,
    context: Context,
    runs: Runs,
    ends: tuple[float, float],
) -> list[Evaluation]:
    """Train on the pairs of another question, whole and filtered, and test on the main one's."""
    every = data.scored(options.train_question)
    tested = set(test.ids)
    train = subset(every, np.array([name not in tested for name in every.ids], dtype=np.bool_))
    if not train.pairs:
        raise KostraError(
            f'every pair with a score of "{options.train_question}" is also tested',
            where=context.step.name,
            accepted="pairs that have a score of that question only",
        )
    named: dict[str, Any] = {"dataset": data.name, "progress": context.progress}
    sets = [("", train)]
    for within in options.within:
        kept = diagonal_filter(train.gold, train.subsets, expected=options.expected, within=within)
        control = as_many_at_random(kept, rng=np.random.default_rng(runs.seed))
        sets += [(f", N{within:g}", subset(train, kept)), (f", {kept.sum():,} at random", subset(train, control))]
    return [
        renamed(fine_tuned_on(part, test, settings, low=ends[0], high=ends[1], plan=runs, **named), ending)
        for ending, part in sets
    ]


def subset(scored: Scored, keep: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Scored:
    """Some of the pairs."""
    rows = np.flatnonzero(keep)
    return replace(
        scored,
        ids=tuple(scored.ids[row] for row in rows),
        pairs=tuple(scored.pairs[row] for row in rows),
        gold=scored.gold[rows],
        sources=tuple(scored.sources[row] for row in rows),
        subsets=tuple(scored.subsets[row] for row in rows),
        groups=tuple(scored.groups[row] for row in rows) if scored.groups else None,
    )


def _shown(evaluation: Evaluation, options: Options) -> Evaluation:
    """As the step's table has it: other protocols are told by the encoder's name, and runs by their spread."""
    main = "trained" if options.train_question else f"{options.folds}-fold {'grouped' if options.grouped else 'random'}"
    ending = "" if evaluation.protocol == main else f", {evaluation.protocol.replace('_', ' ')}"
    measures = []
    for measure in evaluation.measures:
        own = evaluation.details["spread"].get(measure.metric, {}).get("sd_runs", 0.0) if measure.part == WHOLE else 0.0
        measures.append(replace(measure, note=f"{measure.note}; sd {own:.4f} over runs") if own else measure)
    return renamed(replace(evaluation, measures=tuple(measures)), ending)

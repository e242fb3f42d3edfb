"""Entailment, contradiction or neutral: what a linear probe reads out of an encoder's space, over grouped folds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kostra.encoders import Encoder, PairEncoder, encoder
from kostra.errors import KostraError, counted
from kostra.evaluate.bootstrap import Units, drawn_weights, interval
from kostra.evaluate.dataset import ENTAILMENT, Dataset, Labelled
from kostra.evaluate.folds import Ends, Folds, grouped_folds, random_folds, source_folds
from kostra.evaluate.likeness import OWN, revision
from kostra.evaluate.models import plan_with_encoders, step_encoders
from kostra.evaluate.models import watches as watches
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.evaluate.probe import Features, accuracy, f1_by_class, pair_features, probed
from kostra.evaluate.tabling import as_results
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan, Progress, silent
from kostra.tables import Frame

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def entailment(
    data: Dataset,
    encoders: Sequence[str] | Mapping[str, Encoder],
    *,
    question: str | None = None,
    folds: int = 5,
    features: Features = "symmetric",
    leave_one_source_out: bool = False,
    drop_bridges: bool = False,
    random_beside: bool = True,
    samples: int = 1000,
    units: Units = "sentences",
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[Evaluation, ...]:
    """Probe each encoder for the label of a pair.

    The label of the majority is given beside it, and the accuracy on random folds, which share sentences: the
    difference is what a probe gains by having seen half of a pair.

    Where pairs stand in the table in both directions (`reverse`), the two directions are parts of their own; the
    second is the one that comes later.
    """
    made = encoders if isinstance(encoders, Mapping) else {spec: encoder(spec) for spec in encoders}
    labelled = data.labelled(question)
    ends = Ends.of(labelled.pairs)
    divided = (
        source_folds(ends, labelled.sources, drop=drop_bridges)
        if leave_one_source_out
        else grouped_folds(ends, folds, rng=rng, groups=labelled.groups, drop=drop_bridges)
    )
    shuffled = random_folds(ends, folds, rng=rng) if random_beside else None
    classes = [name for name in ENTAILMENT if name in set(labelled.labels)]
    if len(classes) < 2:
        raise KostraError(
            f"all {len(labelled.labels):,} pairs have the label {classes[0]}",
            where=data.where or data.name,
            accepted="two labels or more",
        )
    codes = np.array([classes.index(label) for label in labelled.labels])
    details = {
        "question": labelled.question,
        "features": features,
        "folds": divided.says(),
        "kind": divided.kind,
        "shared_pairs": divided.shared,
        "dropped_pairs": divided.dropped,
        "random_folds_shared_pairs": shuffled.shared if shuffled else None,
        "labels": dict(zip(classes, np.bincount(codes).tolist(), strict=True)),
    }
    seen: dict[str, _Seen] = {}
    for done, (name, chosen) in enumerate(made.items(), 1):
        start = time.perf_counter()
        made_of, counted = pair_features(chosen, labelled.pairs, features)
        guessed = probed(made_of, codes, divided)
        leaking = accuracy(codes, probed(made_of, codes, shuffled)) if shuffled else None
        similarity = OWN if isinstance(chosen, PairEncoder) else features
        seen[name] = _Seen(guessed, leaking, counted, similarity, time.perf_counter() - start)
        progress(done, len(made))
    drawn = _drawn(codes, [one.guessed for one in seen.values()], len(classes), ends, samples, units, rng)
    return tuple(
        Evaluation(
            encoder=name,
            dataset=data.name,
            task="entailment",
            measures=(
                *_measures(labelled, codes, one.guessed, classes, drawn[:, place], units),
                *_beside(codes, divided, shuffled, one.leaking),
            ),
            revision=revision(made[name]),
            dataset_revision=labelled.revision(),
            languages=data.languages,
            protocol="leave_one_source_out" if leave_one_source_out else f"{folds}-fold grouped",
            similarity=one.similarity,
            counts={**data.counts, "pairs": len(codes), **one.counted},
            seconds=one.seconds,
            details=details,
        )
        for place, (name, one) in enumerate(seen.items())
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    guessed: IntArray
    leaking: float | None
    counted: Mapping[str, int]
    similarity: str
    seconds: float


def _drawn(
    codes: IntArray,
    guesses: Sequence[IntArray],
    classes: int,
    ends: Ends,
    samples: int,
    units: Units,
    rng: np.random.Generator,
) -> FloatArray:
    """Samples of accuracy and macro F1: figures × encoders × samples."""
    blocks = [
        np.array([[_accuracy(w, codes, one) for one in guesses], [_f1(w, codes, one, classes) for one in guesses]])
        for w in (drawn_weights(ends, samples=samples, rng=rng, units=units) if samples else ())
    ]
    return np.concatenate(blocks, axis=2) if blocks else np.zeros((2, len(guesses), 0))


def _measures(
    labelled: Labelled, codes: IntArray, guessed: IntArray, classes: Sequence[str], drawn: FloatArray, units: Units
) -> list[Measure]:
    once = np.ones((len(codes), 1))
    count = len(classes)
    made = [
        _with_interval("accuracy", _accuracy(once, codes, guessed)[0], drawn[0], len(codes), units),
        _with_interval("f1", _f1(once, codes, guessed, count)[0], drawn[1], len(codes), units),
    ]
    for name, value in zip(classes, f1_by_class(codes, guessed, count).tolist(), strict=True):
        n = int((codes == classes.index(name)).sum())
        made.append(Measure(name, "f1", None if np.isnan(value) else value, n=n))
    for name, rows in _directions(labelled).items():
        made.append(Measure(name, "accuracy", accuracy(codes[rows], guessed[rows]), n=len(rows)))
    return made


def _with_interval(metric: str, value: float, drawn: FloatArray, n: int, units: Units) -> Measure:
    note = "macro average over labels" if metric == "f1" else ""
    if not len(drawn):
        return Measure(WHOLE, metric, float(value), n=n, note=note)
    ends = interval(drawn)
    said = f"95% interval from {len(drawn):,} bootstrap samples of {units}, the probe as fitted"
    return Measure(WHOLE, metric, float(value), ends.low, ends.high, n, f"{note}; {said}" if note else said)


def _accuracy(weights: FloatArray, codes: IntArray, guessed: IntArray) -> FloatArray:
    total = weights.sum(axis=0, dtype=np.float64)
    right = weights[codes == guessed].sum(axis=0, dtype=np.float64)
    return np.asarray(np.divide(right, total, out=np.full(len(total), np.nan), where=total > 0))


def _f1(weights: FloatArray, codes: IntArray, guessed: IntArray, classes: int) -> FloatArray:
    """Mean F1 over the labels that are in gold or found."""
    scores = []
    for code in range(classes):
        right = weights[(codes == code) & (guessed == code)].sum(axis=0, dtype=np.float64)
        gold, found = (weights[side == code].sum(axis=0, dtype=np.float64) for side in (codes, guessed))
        scores.append(np.divide(2 * right, gold + found, out=np.full(len(right), np.nan), where=gold + found > 0))
    table = np.array(scores)
    known = np.isfinite(table)
    total = np.where(known, table, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, known.sum(axis=0), out=np.full(len(total), np.nan), where=known.any(axis=0)))


def _beside(codes: IntArray, divided: Folds, shuffled: Folds | None, leaking: float | None) -> list[Measure]:
    """What to read the accuracy against: the commonest label, and folds that leak."""
    n = len(codes)
    common = np.empty(n, dtype=np.int64)
    for train, test in divided:
        common[test] = np.bincount(codes[train]).argmax() if len(train) else 0
    f1 = float(np.nanmean(f1_by_class(codes, common, int(codes.max()) + 1)))
    made = [
        Measure(WHOLE, "majority_accuracy", accuracy(codes, common), n=n, note="the training folds' commonest label"),
        Measure(WHOLE, "majority_f1", f1, n=n, note="macro average over labels"),
    ]
    if shuffled is not None and leaking is not None:
        made.append(Measure(WHOLE, "accuracy_random_folds", leaking, n=n, note=shuffled.says()))
    return made


def _directions(labelled: Labelled) -> dict[str, IntArray]:
    """Rows of the first and of the second direction, where pairs stand in both."""
    place = {name: row for row, name in enumerate(labelled.ids)}
    twins = [(row, place[other]) for row, other in enumerate(labelled.reverse) if other is not None and other in place]
    if not twins:
        return {}
    first = sorted({min(pair) for pair in twins})
    second = sorted({max(pair) for pair in twins})
    return {"first direction": np.array(first), "second direction": np.array(second)}


# The step ----------------------------------------------------------------------------------------------

READS = ("pairs", "scores")
WRITES = ("results",)
WAITS = True  # for a model that a person must bring


class Options(Strict):
    """Which encoders, and which question's labels."""

    encoders: tuple[str, ...] = Field(default=("dice", "static"), min_length=1)
    """Encoders, as specs."""
    question: str = "entailment"
    """The question whose labels are predicted."""
    folds: int = Field(default=5, ge=2)
    """How many folds."""
    features: Features = "symmetric"
    """What the classifier sees of the two vectors: features that know the direction, or not."""
    drop_bridges: bool = False
    """Leave out of training what shares a sentence with the tested fold."""
    samples: int = Field(default=1000, ge=0)
    """Bootstrap samples for the intervals."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Encoders × folds."""
    return plan_with_encoders(
        f"probes {counted(len(options.encoders), 'encoder')} for labels over {options.folds} folds",
        options.encoders,
        context,
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Probe each encoder."""
    about = context.recipe.recipe
    data = Dataset(about.name, language=about.language, pairs=inputs["pairs"].sort("pair"), scores=inputs["scores"])
    found = entailment(
        data,
        step_encoders(options.encoders, context),
        question=options.question,
        folds=options.folds,
        features=options.features,
        drop_bridges=options.drop_bridges,
        samples=options.samples,
        rng=context.rng,
        progress=context.progress,
    )
    context.note("folds", str(found[0].details["folds"]))
    return {"results": as_results(found)}

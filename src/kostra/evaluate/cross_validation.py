"""Encoders over folds: the mean of the folds' correlations, whole and per source, over several shufflings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kostra.correlate import correlation
from kostra.encoders import Encoder, Similarity
from kostra.errors import counted
from kostra.evaluate.dataset import Dataset, Scored
from kostra.evaluate.folds import Folds, grouped_folds, random_folds, source_folds
from kostra.evaluate.models import plan_with_encoders, step_encoders
from kostra.evaluate.models import watches as watches
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.evaluate.relatedness import MEAN_OF_SOURCES, relatedness, step_dataset
from kostra.evaluate.tabling import as_results
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan, Progress, silent
from kostra.tables import Frame

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
FIGURES = ("spearman", "pearson")


def cross_validation(
    data: Dataset,
    encoders: Sequence[str] | Mapping[str, Encoder],
    *,
    folds: int = 5,
    grouped: bool = True,
    leave_one_source_out: bool = False,
    per_source: bool = True,
    repeats: int = 1,
    drop_bridges: bool = False,
    question: str | None = None,
    similarity: Similarity = "cosine",
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[Evaluation, ...]:
    """Correlations inside each fold, averaged over folds (and shufflings).

    An untrained encoder learns nothing from the other folds; its mean over folds is what a trained model's is compared
    with. The isotonic calibration does learn, and its squared error is that of pairs it has not seen.

    Parameters
    ----------
    grouped
        Keep pairs with a common sentence in one fold; otherwise folds are random, and what they share is reported.
    leave_one_source_out
        Each source is a fold.
    repeats
        How many shufflings; the note has the standard deviation over all folds of all of them.
    drop_bridges
        Leave pairs that share a sentence with the tested fold out of calibration.
    """
    scored = data.scored(question)
    divided = [
        _divided(scored, folds, grouped=grouped, by_source=leave_one_source_out, drop=drop_bridges, rng=rng)
        for _ in range(1 if leave_one_source_out else repeats)
    ]
    base = relatedness(
        data,
        encoders,
        question=question,
        similarity=similarity,
        by=(),
        samples=0,
        folds=divided[0],
        rng=rng,
        progress=progress,
    )
    protocol = "leave_one_source_out" if leave_one_source_out else f"{folds}-fold {'grouped' if grouped else 'random'}"
    details = {
        "folds": divided[0].says(),
        "kind": divided[0].kind,
        "shared_pairs": divided[0].shared,
        "dropped_pairs": divided[0].dropped,
        "sizes": np.bincount(divided[0].fold).tolist(),
        "repeats": len(divided),
    }
    parts = [(WHOLE, np.arange(len(scored.gold)))]
    sources = sorted(set(scored.sources) - {""})
    if per_source and len(sources) > 1:
        column = np.array(scored.sources)
        parts += [(name, np.flatnonzero(column == name)) for name in sources]
    return tuple(
        replace(
            one,
            protocol=protocol,
            details={**one.details, **details},
            measures=(
                *_measures(base.predicted[one.encoder], scored, divided, parts, similarity),
                *_calibrated(one, similarity, divided[0]),
            ),
        )
        for one in base.evaluations
    )


def _divided(
    scored: Scored, folds: int, *, grouped: bool, by_source: bool, drop: bool, rng: np.random.Generator
) -> Folds:
    ends = scored.ends()
    if by_source:
        return source_folds(ends, scored.sources, drop=drop)
    if grouped:
        return grouped_folds(ends, folds, rng=rng, groups=scored.groups, drop=drop)
    made = random_folds(ends, folds, rng=rng)
    return replace(made, drop=drop)


def _measures(
    predicted: FloatArray,
    scored: Scored,
    divided: Sequence[Folds],
    parts: Sequence[tuple[str, IntArray]],
    similarity: str,
) -> list[Measure]:
    made: list[Measure] = []
    by_source: dict[str, list[float]] = {figure: [] for figure in FIGURES}
    for name, rows in parts:
        inside = np.zeros(len(scored.gold), dtype=np.bool_)
        inside[rows] = True
        for figure in FIGURES:
            found = [
                correlation(predicted[own], scored.gold[own], ranks=figure == "spearman")
                for folds in divided
                for _, test in folds
                if len(own := test[inside[test]]) > 1
            ]
            measure = mean_of_folds(name, f"{similarity}_{figure}", found, n=len(rows))
            made.append(measure)
            if name != WHOLE and measure.value is not None:
                by_source[figure].append(measure.value)
    for figure, values in by_source.items():
        if len(values) > 1:
            note = f"mean of {len(values)} sources, sd {np.std(values, ddof=1):.3f}"
            value = float(np.mean(values))
            made.append(Measure(MEAN_OF_SOURCES, f"{similarity}_{figure}", value, n=len(scored.gold), note=note))
    return made


def mean_of_folds(part: str, metric: str, found: Sequence[float], *, n: int) -> Measure:
    """The mean over folds; folds on which the figure is undefined are left out and counted.

    Examples
    --------
    >>> mean_of_folds("all", "accuracy", [0.5, 0.7], n=10)
    Measure(part='all', metric='accuracy', value=0.6, low=None, high=None, n=10, note='mean of 2 folds, sd 0.141')
    """
    defined = [value for value in found if np.isfinite(value)]
    if not defined:
        return Measure(part, metric, None, n=n, note="undefined: too few pairs in a fold, or all alike")
    spread = f", sd {np.std(defined, ddof=1):.3f}" if len(defined) > 1 else ""
    left = f"; {len(found) - len(defined)} more undefined" if len(defined) < len(found) else ""
    return Measure(part, metric, float(np.mean(defined)), n=n, note=f"mean of {len(defined)} folds{spread}{left}")


def _calibrated(one: Evaluation, similarity: str, folds: Folds) -> list[Measure]:
    found = one.measure(f"{similarity}_mse_isotonic")
    return [replace(found, note=f"calibrated on the other folds: {folds.says()}")] if found else []


# The step ----------------------------------------------------------------------------------------------

READS = ("pairs", "scores")
WRITES = ("results",)
WAITS = True  # for a model that a person must bring


class Options(Strict):
    """Which encoders, and how the pairs are divided."""

    encoders: tuple[str, ...] = Field(default=("dice", "static"), min_length=1)
    """Encoders, as specs."""
    folds: int = Field(default=5, ge=2)
    """How many folds."""
    grouped: bool = True
    """Keep pairs with a common sentence in one fold."""
    per_source: bool = True
    """Also the figures of each source."""
    leave_one_source_out: bool = False
    """Also test on each source after training on the others."""
    repeats: int = Field(default=1, ge=1)
    """Shufflings to average over."""
    drop_bridges: bool = False
    """Leave out of training what shares a sentence with the tested fold."""
    similarity: Similarity = "cosine"
    """How two vectors are compared."""
    metrics: tuple[Literal["spearman", "pearson", "mse_isotonic"], ...] = ("spearman", "pearson")
    """Which figures."""
    question: str | None = None
    """Which score, where there are several."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Encoders × folds."""
    kind = "grouped" if options.grouped else "random"
    return plan_with_encoders(
        f"compares {counted(len(options.encoders), 'encoder')} with the scores over {options.folds} {kind} folds",
        options.encoders,
        context,
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Average over folds."""
    data = step_dataset(inputs, context, question=options.question)
    found = cross_validation(
        data,
        step_encoders(options.encoders, context),
        folds=options.folds,
        grouped=options.grouped,
        leave_one_source_out=options.leave_one_source_out,
        per_source=options.per_source,
        repeats=options.repeats,
        drop_bridges=options.drop_bridges,
        question=data.question,
        similarity=options.similarity,
        rng=context.rng,
        progress=context.progress,
    )
    context.note("folds", str(found[0].details["folds"]))
    return {"results": as_results(found, metrics=[f"{options.similarity}_{name}" for name in options.metrics])}

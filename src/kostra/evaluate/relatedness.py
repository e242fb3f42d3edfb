"""How well encoders order pairs as people did: correlations and squared errors, whole, per source, subset or bin."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kostra.encoders import Encoder, Similarity, encoder
from kostra.errors import KostraError, counted
from kostra.evaluate import results_mteb
from kostra.evaluate.agreement import FIGURES, Figures, Part, Predicted, agreement
from kostra.evaluate.bootstrap import Units, interval
from kostra.evaluate.calibration import isotonic_scores, range_mapped
from kostra.evaluate.ceiling import ceilings
from kostra.evaluate.dataset import Dataset, Scored
from kostra.evaluate.folds import Ends, Folds, grouped_folds
from kostra.evaluate.likeness import Likeness, likeness, revision
from kostra.evaluate.models import plan_with_encoders, step_encoders
from kostra.evaluate.models import watches as watches
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.evaluate.tabling import as_results
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan, Progress, silent
from kostra.tables import Frame

FloatArray = NDArray[np.float64]
By = Literal["source", "subset", "bin"]

LEAST = 10
"""A part with fewer pairs gets no figures of its own: a correlation of a handful says nothing."""
MEAN_OF_SOURCES = "mean of sources"
_CALIBRATION_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Related:
    """Encoders on one dataset, and the bootstrap samples behind the intervals, for comparing encoders."""

    evaluations: tuple[Evaluation, ...]
    people: tuple[Evaluation, ...]
    scored: Scored
    predicted: Mapping[str, FloatArray]
    """Encoder to its similarities."""
    samples: Mapping[tuple[str, str], FloatArray]
    """(encoder, figure) to its samples on the whole set; all encoders met the same samples."""


def relatedness(
    data: Dataset,
    encoders: Sequence[str] | Mapping[str, Encoder],
    *,
    question: str | None = None,
    similarity: Similarity = "cosine",
    by: Sequence[By] = ("source",),
    bins: int = 5,
    samples: int = 1000,
    units: Units = "sentences",
    folds: Folds | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Related:
    """Correlate encoders with the scores of a dataset.

    Parameters
    ----------
    encoders
        Specs such as ``dice`` and ``static``, or encoders by the name that the results shall show.
    by
        Parts that get figures of their own: sources, subsets, equal bins of the range of the scores.
    folds
        For the isotonic calibration; five folds that share no sentence unless given.

    Examples
    --------
    >>> import polars as pl
    >>> from kostra.tables import PAIRS, SCORES, check
    >>> pairs = {"pair": ["p", "q", "r"], "text_a": ["a b", "a b", "a b"], "text_b": ["a b", "a c", "c d"]}
    >>> scores = {"item": ["p", "q", "r"], "question": ["x"] * 3, "score": [1.0, 0.4, 0.1], "appearances": [1] * 3}
    >>> data = Dataset("mine", pairs=check(pl.DataFrame(pairs), PAIRS), scores=check(pl.DataFrame(scores), SCORES))
    >>> found = relatedness(data, ["dice"], samples=0, rng=np.random.default_rng(1))
    >>> found.evaluations[0].value("cosine_spearman")
    1.0
    """
    made = encoders if isinstance(encoders, Mapping) else {spec: encoder(spec) for spec in encoders}
    scored = data.scored(question)
    low, high = data.range(scored.gold)
    ends = scored.ends()
    calibrating = folds or _calibrating(scored, ends, rng)
    parts = _parts(scored, by, bins, (low, high))
    seen, seconds = _looked(list(made.values()), scored, similarity, progress)
    predicted = [
        Predicted(
            one.values,
            range_mapped(one.values, low=low, high=high) if low < high else None,
            None if calibrating is None else isotonic_scores(one.values, scored.gold, calibrating),
        )
        for one in seen
    ]
    figures = agreement(predicted, scored.gold, parts, ends, samples=samples, rng=rng, units=units)
    details = {
        **_details(data, scored, parts, calibrating),
        "bootstrap": {"samples": samples, "units": units},
        **results_mteb.noted(results_mteb.same_data(scored.pairs, scored.gold.tolist())),
    }
    sources = _source_places(parts, scored)
    evaluations = tuple(
        Evaluation(
            encoder=name,
            dataset=data.name,
            task="relatedness",
            measures=_measures(
                figures,
                place,
                parts,
                sources,
                similarity,
                units,
                [_reason(scored.gold, seen[place].values, p) for p in parts],
            ),
            revision=revision(chosen),
            dataset_revision=scored.revision(),
            languages=data.languages,
            similarity=seen[place].similarity,
            counts={**data.counts, "pairs": len(scored.gold), **seen[place].counts},
            seconds=seconds[place],
            details=details,
        )
        for place, (name, chosen) in enumerate(made.items())
    )
    return Related(
        evaluations,
        ceilings(data, scored.question, rng=rng, samples=samples, prefix=similarity),
        scored,
        {name: seen[place].values for place, name in enumerate(made)},
        {(name, figure): figures.samples[e, 0, f] for e, name in enumerate(made) for f, figure in enumerate(FIGURES)},
    )


def _looked(
    encoders: Sequence[Encoder], scored: Scored, similarity: Similarity, progress: Progress
) -> tuple[list[Likeness], list[float]]:
    """How alike the sentences are to each encoder, and how long it took."""
    seen, seconds = [], []
    for done, chosen in enumerate(encoders, 1):
        start = time.perf_counter()
        seen.append(likeness(chosen, scored.pairs, similarity))
        seconds.append(time.perf_counter() - start)
        progress(done, len(encoders))
    return seen, seconds


def _details(data: Dataset, scored: Scored, parts: Sequence[Part], calibrating: Folds | None) -> dict[str, Any]:
    """What the figures rest on."""
    return {
        "question": scored.question,
        "range": list(data.range(scored.gold)),
        "range_declared": data.low is not None and data.high is not None,
        "parts": {part.name: len(part.rows) for part in parts},
        "calibration": f"none: fewer than {LEAST} pairs" if calibrating is None else calibrating.says(),
    }


def _calibrating(scored: Scored, ends: Ends, rng: np.random.Generator) -> Folds | None:
    if ends.pairs < LEAST:
        return None
    return grouped_folds(ends, _CALIBRATION_FOLDS, rng=rng, groups=scored.groups)


# Parts -------------------------------------------------------------------------------------------------


def _parts(scored: Scored, by: Sequence[By], bins: int, ends: tuple[float, float]) -> list[Part]:
    """The whole set, then whatever part was asked for and is large enough."""
    count = len(scored.gold)
    parts = [Part(WHOLE, np.arange(count))]
    for kind in by:
        if kind == "bin":
            found = _bins(scored.gold, bins, ends)
        else:
            found = _named(scored.sources if kind == "source" else scored.subsets)
        taken = {part.name: part.rows for part in parts}
        for part in found:
            if not LEAST <= len(part.rows) < count:
                continue
            same = taken.get(part.name)
            if same is not None and np.array_equal(same, part.rows):
                continue  # a source with one subset of the same name
            parts.append(Part(f"{kind} {part.name}", part.rows) if same is not None else part)
    return parts


def _named(names: Sequence[str]) -> list[Part]:
    column = np.array(names)
    return [Part(str(name), np.flatnonzero(column == name)) for name in np.unique(column) if name]


def _bins(gold: FloatArray, bins: int, ends: tuple[float, float]) -> list[Part]:
    if bins < 1:
        raise KostraError(f"found {bins} bins", accepted="1 bin or more")
    edges = np.linspace(*ends, bins + 1)
    place = np.digitize(gold, edges[1:-1])  # a score on an edge belongs to the bin above it
    return [
        Part(f"score {edges[k]:g} to {edges[k + 1]:g}", np.flatnonzero(place == k))
        for k in range(bins)
        if (place == k).any()
    ]


def _source_places(parts: Sequence[Part], scored: Scored) -> list[int]:
    known = set(scored.sources)
    return [place for place, part in enumerate(parts) if part.name in known and place]


# Measures ----------------------------------------------------------------------------------------------


def _measures(
    figures: Figures,
    place: int,
    parts: Sequence[Part],
    sources: Sequence[int],
    similarity: str,
    units: Units,
    reasons: Sequence[str],
) -> tuple[Measure, ...]:
    made = [
        _measure(part.name, f"{similarity}_{figure}", values[f], drawn[f], len(part.rows), units, reason)
        for part, values, drawn, reason in zip(
            parts, figures.values[place], figures.samples[place], reasons, strict=True
        )
        for f, figure in enumerate(FIGURES)
    ]
    if len(sources) > 1:
        n = sum(len(parts[p].rows) for p in sources)
        values, drawn = figures.values[place, sources].mean(axis=0), figures.samples[place, sources].mean(axis=0)
        made += [
            _measure(MEAN_OF_SOURCES, f"{similarity}_{figure}", values[f], drawn[f], n, units, "a source has no figure")
            for f, figure in enumerate(FIGURES)
        ]
    return tuple(made)


def _reason(gold: FloatArray, predicted: FloatArray, part: Part) -> str:
    """Why a correlation is undefined on a part, if it is."""
    if len(part.rows) < 2:
        return "a correlation needs two pairs"
    if np.ptp(gold[part.rows]) == 0:
        return "all scores are equal"
    if np.ptp(predicted[part.rows]) == 0:
        return "the encoder gives every pair the same number"
    return "there is nothing to compare"


def _measure(part: str, metric: str, value: float, drawn: FloatArray, n: int, units: Units, reason: str) -> Measure:
    if not np.isfinite(value):
        few = n < LEAST and metric.endswith("mse_isotonic")
        why = f"calibration needs {LEAST} pairs" if few else reason
        if metric.endswith("_mse"):
            why = "the scores span no range"
        return Measure(part, metric, None, n=n, note=f"undefined: {why}")
    if n < LEAST:
        return Measure(part, metric, float(value), n=n, note=f"no interval: fewer than {LEAST} pairs bear none")
    ends = interval(drawn)
    if not np.isfinite(ends.low):
        return Measure(part, metric, float(value), n=n, note="no interval")
    undefined = f", {ends.undefined:,} of them undefined" if ends.undefined else ""
    note = f"95% interval from {len(drawn):,} bootstrap samples of {units}{undefined}"
    return Measure(part, metric, float(value), ends.low, ends.high, n, note)


# The step ----------------------------------------------------------------------------------------------

READS = ("pairs", "scores")
WRITES = ("results",)
WAITS = True  # for a model that a person must bring


class Options(Strict):
    """Which encoders, and which figures."""

    encoders: tuple[str, ...] = Field(default=("dice", "static"), min_length=1)
    """Encoders, as specs."""
    samples: int = Field(default=1000, ge=1)
    """Bootstrap samples of sentences."""
    similarity: Similarity = "cosine"
    """How two vectors are compared."""
    metrics: tuple[Literal["spearman", "pearson", "kendall", "mse", "mse_isotonic"], ...] = ("spearman", "pearson")
    """Which figures."""
    by: tuple[By, ...] = ("source",)
    """Parts with figures of their own: source, subset, bin."""
    bins: int = Field(default=5, ge=1)
    """Bins of the score, where it is one of the parts."""
    question: str | None = None
    """The score that encoders are compared with; the recipe's own where none is named."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Encoders × parts."""
    return plan_with_encoders(
        f"compares {counted(len(options.encoders), 'encoder')} ({', '.join(options.encoders)}) with the scores",
        options.encoders,
        context,
    )


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Correlate each encoder with the scores."""
    data = step_dataset(inputs, context, question=options.question)
    found = relatedness(
        data,
        step_encoders(options.encoders, context),
        question=data.question,
        similarity=options.similarity,
        by=options.by,
        bins=options.bins,
        samples=options.samples,
        rng=context.rng,
        progress=context.progress,
    )
    wanted = [f"{options.similarity}_{name}" for name in options.metrics]
    return {"results": as_results(found.evaluations, metrics=wanted)}


def step_dataset(inputs: Inputs, context: Context, *, question: str | None = None) -> Dataset:
    """The tables of a step as a dataset; pairs without a score are left out and noted."""
    score = context.recipe.score
    asked = question or score.question
    pairs, scores = inputs["pairs"].sort("pair"), inputs["scores"]
    named = scores.filter(scores["question"] == asked).drop_nulls("score")
    missing = pairs.height - pairs.join(named, left_on="pair", right_on="item", how="semi").height
    if missing:
        context.note("unscored", f"{missing:,} pairs have no score and are left out")
    return Dataset(
        name=context.recipe.recipe.name,
        language=context.recipe.recipe.language,
        low=score.low if asked == score.question else None,
        high=score.high if asked == score.question else None,
        question=asked,
        pairs=pairs,
        scores=scores,
        counts={"dropped_rows": missing},
    )

"""Fine-tuned models against people: over folds, with one source left out, or trained on one set and tested on another.

A correlation is computed inside each fold and averaged over folds, then over runs, as the papers do. Intervals resample
the sentences of the tested pairs and leave the trained models as they are: they say how sure the number is for these
models, while the standard deviation over runs says how much training itself varies.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kostra.errors import KostraError
from kostra.evaluate import weighted
from kostra.evaluate.bootstrap import drawn_weights, interval
from kostra.evaluate.dataset import Scored
from kostra.evaluate.fine_tune_jobs import Settings, predictions, scaled
from kostra.evaluate.folds import Ends, Folds
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure
from kostra.steps import Progress, silent

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

PREFIX = "cosine"
"""Figures are called as for untrained encoders, whatever is on top, so that they stand in the same columns."""
FEWEST = 10
"""Pairs of a fold below which a correlation says nothing and is left out of the mean, as elsewhere in the house."""
_PARTS = 1000  # of one training, for the progress bar


@dataclass(frozen=True)
class Plan:
    """How often and how."""

    runs: int = 1
    seed: int = 0
    """Run number n is trained with seed + n."""
    samples: int = 1000
    """Bootstrap samples; 0 for no intervals."""
    per_source: bool = True
    folder: Path | None = None
    """Where finished trainings are kept, so that an interrupted evaluation goes on where it was."""


def fine_tuned_over_folds(
    scored: Scored,
    settings: Settings,
    folds: Folds,
    *,
    low: float,
    high: float,
    plan: Plan = Plan(),
    dataset: str = "",
    progress: Progress = silent,
) -> Evaluation:
    """Train on all folds but one and test on that, in turn.

    Parameters
    ----------
    folds
        From `kostra.evaluate.folds`: grouped by sentence unless there is a reason against it.
    low, high
        The range of the scores; a model learns them as 0 to 1, and the error is given on their own scale.
    """
    return _evaluated(
        settings.checked(),
        scored,
        [(scored, train, test) for train, test in folds],
        low=low,
        high=high,
        plan=plan,
        dataset=dataset,
        progress=progress,
        protocol=_protocol(folds),
        details={"folds": folds.says(), "shared_pairs": folds.shared},
    )


def _protocol(folds: Folds) -> str:
    if folds.kind == "sources":
        return "leave_one_source_out"
    return f"{folds.count}-fold {'random' if folds.kind == 'random' else 'grouped'}"


def fine_tuned_on(
    train: Scored,
    test: Scored,
    settings: Settings,
    *,
    low: float,
    high: float,
    plan: Plan = Plan(),
    dataset: str = "",
    progress: Progress = silent,
) -> Evaluation:
    """Train on one set of pairs and test on another; what they share is counted."""
    known = {text for pair in train.pairs for text in pair}
    shared = sum(bool(known & set(pair)) for pair in test.pairs)
    says = f"trained on {len(train.pairs):,} pairs, tested on {len(test.pairs):,}; {shared:,} of these share a sentence"
    everything = np.arange(len(train.pairs)), np.arange(len(test.pairs))
    return _evaluated(
        settings.checked(),
        test,
        [(train, *everything)],
        low=low,
        high=high,
        plan=plan,
        dataset=dataset,
        progress=progress,
        protocol="trained",
        details={"folds": says, "shared_pairs": shared},
    )


Job = tuple[Scored, IntArray, IntArray]
"""Pairs to learn from, which of them, and which of the tested pairs."""


def _evaluated(
    settings: Settings,
    tested: Scored,
    jobs: list[Job],
    *,
    low: float,
    high: float,
    plan: Plan,
    dataset: str,
    progress: Progress,
    protocol: str,
    details: Mapping[str, Any],
) -> Evaluation:
    if any(not len(train) or not len(test) for _, train, test in jobs):
        raise KostraError("there is nothing to train on, or nothing to test on", accepted="pairs with scores")
    began = time.monotonic()
    runs = 1 if settings.architecture == "word_vectors" else plan.runs  # nothing in it is left to chance
    predicted = np.empty((runs, len(tested.pairs)))
    fold = np.empty(len(tested.pairs), dtype=np.int64)
    work = [(run, number) for run in range(runs) for number in range(len(jobs))]
    for done, (run, number) in enumerate(work):
        source, train, test = jobs[number]
        steps = _Share(progress, done, len(work))
        learnt = [source.pairs[row] for row in train], scaled(source.gold[train], low=low, high=high)
        asked = [tested.pairs[row] for row in test]
        predicted[run, test] = predictions(
            settings, learnt, asked, seed=plan.seed + run, folder=plan.folder, steps=steps
        )
        fold[test] = number
        progress((done + 1) * _PARTS, len(work) * _PARTS)
    judged = _Judged(predicted, scaled(tested.gold, low=low, high=high), fold, tested.ends(), high - low)
    measures, spread = _measures(judged, tested, plan)
    return Evaluation(
        encoder=label(settings),
        dataset=dataset,
        task="relatedness",
        measures=tuple(measures),
        dataset_revision=tested.revision(),
        protocol=protocol,
        similarity="own" if settings.architecture == "cross_attention" else "cosine",
        counts={"pairs": len(tested.pairs), "shared_pairs": int(details["shared_pairs"])},
        seconds=time.monotonic() - began,
        details={**details, "runs": runs, "seed": plan.seed, "settings": asdict(settings), "spread": spread},
    )


@dataclass(frozen=True)
class _Share:
    """The progress of one training as a share of all."""

    report: Progress
    done: int
    total: int

    def __call__(self, step: int, steps: int) -> None:
        self.report(self.done * _PARTS + step * _PARTS // steps, self.total * _PARTS)


def label(settings: Settings) -> str:
    """How a fine-tuned model is called in results.

    Examples
    --------
    >>> label(Settings(model="sbert:some/model", architecture="cross_attention"))
    'sbert:some/model, fine-tuned as cross attention'
    >>> label(Settings(model="static", architecture="word_vectors"))
    'static, calibrated'
    """
    if settings.architecture == "word_vectors":
        return f"{settings.model}, calibrated"
    return f"{settings.model}, fine-tuned as {settings.architecture.replace('_', ' ')}"


# Measuring ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Judged:
    """What was said and what people said, from 0 to 1."""

    predicted: FloatArray
    """Runs × pairs."""
    gold: FloatArray
    fold: IntArray
    ends: Ends
    width: float
    """Of the scores' own range."""

    def folds_of(self, part: IntArray) -> list[IntArray]:
        """The part's pairs by fold; folds with too few are left out, unless all are."""
        cut = [part[self.fold[part] == number] for number in np.unique(self.fold[part])]
        large = [rows for rows in cut if len(rows) >= FEWEST]
        return large or cut


def _measures(judged: _Judged, tested: Scored, plan: Plan) -> tuple[list[Measure], dict[str, dict[str, float]]]:
    parts = list(_parts(tested, per_source=plan.per_source))
    one = np.ones((len(judged.gold), 1))
    samples = _sampled(judged, parts, plan) if plan.samples else {}
    measures, spread = [], {}
    for part, rows in parts:
        folds = judged.folds_of(rows)
        note = _said(len(judged.predicted), len(folds), len(np.unique(judged.fold[rows])), plan.samples)
        for metric in ("spearman", "pearson", "mse"):
            found = _statistic(judged, folds, metric, one)[..., 0]
            by_run = _mean(found, axis=1)
            value = float(_mean(by_run))
            name = f"{PREFIX}_{metric}"
            ends = interval(samples[part, metric]) if samples else None
            defined = math.isfinite(value)
            low = ends.low if ends and defined and math.isfinite(ends.low) else None
            high = ends.high if ends and defined and math.isfinite(ends.high) else None
            why = note if defined else "undefined: too few pairs, or all alike"
            measures.append(Measure(part, name, value if defined else None, low, high, len(rows), why))
            if part == WHOLE:
                spread[name] = {"sd_runs": _sd(by_run), "sd_folds": _sd(_mean(found, axis=0))}
    return measures, spread


def _parts(tested: Scored, *, per_source: bool) -> Iterator[tuple[str, IntArray]]:
    yield WHOLE, np.arange(len(tested.pairs))
    sources = np.array(tested.sources)
    named = sorted(set(tested.sources) - {""})
    for name in named if per_source and len(named) > 1 else []:
        rows = np.flatnonzero(sources == name)
        if len(rows) >= FEWEST:
            yield name, rows


def _sampled(judged: _Judged, parts: Iterable[tuple[str, IntArray]], plan: Plan) -> dict[tuple[str, str], FloatArray]:
    """Every statistic on every bootstrap sample of sentences."""
    rng = np.random.default_rng(plan.seed)
    found: dict[tuple[str, str], list[FloatArray]] = {}
    for weights in drawn_weights(judged.ends, samples=plan.samples, rng=rng):
        for part, rows in parts:
            for metric in ("spearman", "pearson", "mse"):
                drawn = _statistic(judged, judged.folds_of(rows), metric, weights)
                found.setdefault((part, metric), []).append(_mean(_mean(drawn, axis=1), axis=0))
    return {key: np.concatenate(values) for key, values in found.items()}


def _statistic(judged: _Judged, folds: list[IntArray], metric: str, weights: FloatArray) -> FloatArray:
    """Runs × folds × samples."""
    made = np.full((len(judged.predicted), len(folds), weights.shape[1]), np.nan)
    for place, rows in enumerate(folds):
        own = weights[rows]
        gold = weighted.Side.of(judged.gold[rows])
        for run, predicted in enumerate(judged.predicted):
            if metric == "mse":
                errors = ((predicted[rows] - judged.gold[rows]) * judged.width) ** 2
                made[run, place] = weighted.mean(errors, own)
                continue
            side = weighted.Side.of(predicted[rows])
            if metric == "pearson":
                made[run, place] = weighted.pearson(side, gold, own)
            else:
                made[run, place] = weighted.spearman(weighted.ranked(side, own), weighted.ranked(gold, own), own)
    return made


def _mean(values: FloatArray, axis: int = 0) -> FloatArray:
    """Mean over what is defined; NaN where nothing is."""
    defined = np.isfinite(values)
    count = defined.sum(axis=axis)
    total = np.where(defined, values, 0.0).sum(axis=axis)
    return np.asarray(np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0))


def _sd(values: FloatArray) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else 0.0


def _said(runs: int, folds: int, all_folds: int, samples: int) -> str:
    over = [f"{folds} folds"] if folds > 1 else []
    over += [f"{runs} runs"] if runs > 1 else []
    said = [f"mean over {' and '.join(over)}"] if over else []
    said += [f"{all_folds - folds} folds with fewer than {FEWEST} pairs left out"] if folds < all_folds else []
    said += [f"95% interval from {samples:,} bootstrap samples of sentences"] if samples else []
    return "; ".join(said)


def renamed(evaluation: Evaluation, ending: str) -> Evaluation:
    """The same evaluation of an encoder that is told apart by an ending of its name."""
    return replace(evaluation, encoder=f"{evaluation.encoder}{ending}")

"""Encoders on datasets, without a project: what ``kostra evaluate`` and ``kostra compare`` call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from kostra.encoders import Encoder, Similarity, as_encoder, encoder
from kostra.errors import KostraError, unknown
from kostra.evaluate import results
from kostra.evaluate.bootstrap import Units
from kostra.evaluate.comparison import By as TestName
from kostra.evaluate.comparison import Comparison, Figure, compare_encoders
from kostra.evaluate.context_shift import context_shift
from kostra.evaluate.cross_validation import cross_validation
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.entailment import entailment
from kostra.evaluate.outcome import Evaluation
from kostra.evaluate.probe import Features
from kostra.evaluate.reading import read_dataset
from kostra.evaluate.relatedness import By, relatedness
from kostra.evaluate.tabling import Row, as_rows
from kostra.evaluate.transformations import transformations
from kostra.evaluate.triplets import triplets
from kostra.resample import seeded
from kostra.steps import Progress, silent

Protocol = Literal["whole", "random", "grouped", "leave_one_source_out"]
PROTOCOLS: tuple[Protocol, ...] = ("whole", "random", "grouped", "leave_one_source_out")
TEST, ALL = "test", "all"
"""The split that others evaluate on, and every pair whatever its split."""
TASKS = ("relatedness", "entailment", "transformations", "triplets", "context_shift")
Datasets = Sequence[str | Path | Dataset] | str | Path | Dataset
Encoders = Sequence[str] | str | Mapping[str, Encoder | object]


@dataclass(frozen=True)
class Evaluated:
    """What came out, for all datasets, tasks and encoders."""

    evaluations: tuple[Evaluation, ...]
    """Encoders, and where answers of people are known, rows about people (their protocol is ``people``)."""
    findings: tuple[str, ...]
    """What was noticed in the files."""

    def rows(self) -> list[Row]:
        """One plain row per figure."""
        return as_rows(self.evaluations)


@dataclass(frozen=True)
class Compared:
    """Encoders beside each other, one comparison per dataset."""

    comparisons: tuple[Comparison, ...]
    findings: tuple[str, ...]

    def rows(self) -> list[Row]:
        """One plain row per encoder and dataset, best first; people's rows below."""
        made: list[Row] = []
        for one in self.comparisons:
            about: Row = {"dataset": one.dataset, "metric": one.metric, "n": one.n}
            made += [
                {**about, "encoder": s.encoder, "value": s.value, "low": s.low, "high": s.high, "letters": s.letters}
                for s in one.standings
            ]
            for row in one.people:
                found = row.measure(one.metric)
                if found is not None:
                    ends: Row = {"value": found.value, "low": found.low, "high": found.high, "letters": ""}
                    made.append({**about, "encoder": row.encoder, **ends})
        return made

    def differences(self) -> list[Row]:
        """One plain row per two encoders and dataset."""
        return [
            {"dataset": one.dataset, "metric": one.metric, "test": one.test, **vars(difference)}
            for one in self.comparisons
            for difference in one.differences
        ]


def evaluate(
    datasets: Datasets,
    encoders: Encoders = ("dice", "static"),
    *,
    tasks: Sequence[str] | None = None,
    protocol: Protocol = "whole",
    similarity: Similarity = "cosine",
    by: Sequence[By] = ("source",),
    bins: int = 5,
    question: str | None = None,
    context_question: str | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
    low: float | None = None,
    high: float | None = None,
    language: str | None = None,
    folds: int = 5,
    repeats: int = 1,
    features: Features = "symmetric",
    drop_bridges: bool = False,
    near: Sequence[str] = ("paraphrase",),
    far: Sequence[str] | None = None,
    samples: int = 1000,
    units: Units = "sentences",
    seed: int = 0,
    progress: Progress = silent,
) -> Evaluated:
    r"""Evaluate encoders on datasets.

    Parameters
    ----------
    datasets
        One or several of: a dataset folder that kostra wrote, a table with two sentences and a score or a label (or
        anchor, near and far), the file of a known dataset, ``NAME=FILE`` for one that cannot be told by its looks.
    encoders
        Specs, such as ``dice``, ``static`` or ``sbert:NAME``; or objects with ``encode`` or ``predict``, by name.
    tasks
        relatedness, entailment, transformations, triplets, context_shift; all that a dataset has data for unless named.
    protocol
        For relatedness: ``whole``, ``random`` or ``grouped`` folds, or ``leave_one_source_out``. A probe for entailment
        always uses grouped folds, or leaves one source out.
    similarity
        Of vectors; encoders of pairs have their own number.
    by
        Parts with figures of their own: source, subset, bin (of the score).
    question, context_question
        Which score, where a dataset has several; and which score holds the judgments made in context.
    split
        Which part of a released folder: train, validation, test, or ``all`` for every pair. Unless named the test
        part where there is one, as MTEB does; folds are made of all pairs.
    columns
        Our column (text_a, text_b, score, label, source, …) to the file's, where the name is not a usual one.
    low, high
        The range of the score, where the dataset does not declare one.
    folds, repeats, drop_bridges
        How many folds and shufflings, and whether training leaves out what shares a sentence with the tested fold.
    near, far
        Kinds of rewrites that keep and that change the meaning, for triplets.
    samples, units
        Bootstrap samples, and what they resample.

    Raises
    ------
    KostraError
        If a dataset or an encoder is not found, or a dataset has no data for a task that was named.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.csv"
    ...     _ = file.write_text("sentence1,sentence2,score\na b,a b,1\na b,b c,0.5\na b,c d,0\n")
    ...     found = evaluate(file, "dice", samples=0)
    >>> found.evaluations[0].value("cosine_spearman")
    1.0
    """
    if protocol not in PROTOCOLS:
        raise unknown("protocol", protocol, PROTOCOLS)
    for task in tasks or ():
        if task not in TASKS:
            raise unknown("task", task, TASKS)
    made = _encoders(encoders)
    unasked = TEST if protocol == "whole" else ALL
    read = [
        _part(data, split, unasked=unasked)
        for data in _read(datasets, columns=columns, low=low, high=high, language=language, question=question)
    ]
    how = _How(
        protocol, similarity, tuple(by), bins, question, context_question, folds, repeats, features, drop_bridges,
        tuple(near), tuple(far) if far is not None else None, samples, units,
    )  # fmt: skip
    found: list[Evaluation] = []
    total = sum(len(tasks or data.tasks()) for data in read)
    for data in read:
        before = len(found)
        wanted = tasks or data.tasks()
        if not wanted:
            data.needs("relatedness")
        for task in wanted:
            data.needs(task)
            found += _evaluated(task, data, made, how, seeded(seed))
            progress(len({(one.dataset, one.task) for one in found}), total)
        if data.splits:
            found[before:] = [replace(one, split=data.split or ALL) for one in found[before:]]
    return Evaluated(tuple(found), tuple(finding for data in read for finding in data.findings))


@dataclass(frozen=True)
class _How:
    """How tasks are done; the parameters of `evaluate`."""

    protocol: Protocol
    similarity: Similarity
    by: tuple[By, ...]
    bins: int
    question: str | None
    context_question: str | None
    folds: int
    repeats: int
    features: Features
    drop_bridges: bool
    near: tuple[str, ...]
    far: tuple[str, ...] | None
    samples: int
    units: Units


def _evaluated(
    task: str, data: Dataset, encoders: Mapping[str, Encoder], how: _How, rng: np.random.Generator
) -> Sequence[Evaluation]:
    """Every encoder on one task of one dataset."""
    match task:
        case "relatedness" if how.protocol == "whole":
            return _related(data, encoders, how, rng)
        case "relatedness":
            return cross_validation(
                data, encoders, folds=how.folds, grouped=how.protocol == "grouped", repeats=how.repeats,
                leave_one_source_out=how.protocol == "leave_one_source_out", per_source="source" in how.by,
                drop_bridges=how.drop_bridges, question=how.question, similarity=how.similarity, rng=rng,
            )  # fmt: skip
        case "entailment":
            return entailment(
                data, encoders, folds=how.folds, features=how.features, drop_bridges=how.drop_bridges,
                leave_one_source_out=how.protocol == "leave_one_source_out", samples=how.samples, units=how.units,
                rng=rng,
            )  # fmt: skip
        case "transformations":
            return transformations(data, encoders, samples=how.samples, rng=rng)
        case "triplets":
            return triplets(
                data, encoders, near=how.near, far=how.far, similarity=how.similarity, samples=how.samples, rng=rng
            )
        case _:
            free, shifted = _two_questions(data, how.question, how.context_question)
            return context_shift(
                data, encoders, free=free, in_context=shifted, similarity=how.similarity, samples=how.samples,
                units=how.units, rng=rng,
            )  # fmt: skip


def _related(
    data: Dataset, encoders: Mapping[str, Encoder], how: _How, rng: np.random.Generator
) -> Sequence[Evaluation]:
    """Relatedness on the whole set, with what people reach, and which encoders cannot be told apart."""
    related = relatedness(
        data, encoders, question=how.question, similarity=how.similarity, by=how.by, bins=how.bins,
        samples=how.samples, units=how.units, rng=rng,
    )  # fmt: skip
    told = related.evaluations
    if how.samples and len(encoders) > 1:  # so that a leaderboard says which cannot be told apart
        told = tuple(results.with_letters(told, compare_encoders(related)))
    return [*told, *related.people]


def compare(
    datasets: Datasets,
    encoders: Encoders = ("dice", "static"),
    *,
    measure: Figure = "spearman",
    test: TestName = "bootstrap",
    similarity: Similarity = "cosine",
    question: str | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
    low: float | None = None,
    high: float | None = None,
    language: str | None = None,
    samples: int = 1000,
    units: Units = "sentences",
    seed: int = 0,
    progress: Progress = silent,
) -> Compared:
    r"""Compare encoders on datasets with scores: ranks, intervals, and groups that cannot be told apart.

    Parameters
    ----------
    measure
        ``spearman`` or ``pearson``.
    test
        What decides: ``bootstrap`` (of sentences), ``williams`` or ``steiger``; all three are reported, and p-values
        of the one chosen are adjusted by Holm's method.

    The other parameters are those of `evaluate`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.csv"
    ...     _ = file.write_text("sentence1,sentence2,score\na b,a b,1\na b,b c,0.5\na b,c d,0\n")
    ...     found = compare(file, ["dice", "hashed"], samples=50)
    >>> [(row["encoder"], row["letters"]) for row in found.rows()]
    [('dice', 'a'), ('hashed', 'a')]
    """
    made = _encoders(encoders)
    if len(made) < 2:
        raise KostraError("there is one encoder to compare", accepted="two encoders or more")
    read = [
        _part(data, split)
        for data in _read(datasets, columns=columns, low=low, high=high, language=language, question=question)
    ]
    found = []
    for data in read:
        data.needs("relatedness")
        related = relatedness(
            data,
            made,
            question=question,
            similarity=similarity,
            by=(),
            samples=samples,
            units=units,
            rng=seeded(seed),
        )
        found.append(compare_encoders(related, figure=measure, test=test))
        progress(len(found), len(read))
    return Compared(tuple(found), tuple(finding for data in read for finding in data.findings))


def leaderboard(folder: str | Path, to: str | Path, *, title: str = "Encoders against people") -> int:
    """Make one sortable page of all result files in a folder, ours or MTEB's; how many results it shows."""
    from kostra.evaluate import leaderboard as page

    found = results.read(folder)
    page.write(found, to, title=title)
    return len(found)


def _encoders(said: Encoders) -> dict[str, Encoder]:
    if isinstance(said, Mapping):
        return {name: as_encoder(one) for name, one in said.items()}
    specs = [said] if isinstance(said, str) else list(said)
    if not specs:
        raise KostraError("no encoder is named", accepted="one or more, such as dice and static")
    return {spec: encoder(spec) for spec in dict.fromkeys(specs)}


def _read(
    said: Datasets,
    *,
    columns: Mapping[str, str] | None,
    low: float | None,
    high: float | None,
    language: str | None,
    question: str | None,
) -> list[Dataset]:
    several = [said] if isinstance(said, (str, Path, Dataset)) else list(said)
    if not several:
        raise KostraError("no dataset is named", accepted="a folder, a table, or NAME=FILE")
    return [
        one
        if isinstance(one, Dataset)
        else read_dataset(one, columns=columns, low=low, high=high, language=language, question=question)
        for one in several
    ]


def _part(data: Dataset, split: str | None, *, unasked: str = TEST) -> Dataset:
    """The part of a dataset that is meant: the one that is named; unless one is, what others evaluate on."""
    chosen = split or (unasked if unasked in data.splits.values() else ALL)
    if chosen == ALL:
        return data
    found = data.part(chosen)
    said = f"{data.name}: the {chosen} split, {found.pairs.height:,} of {data.pairs.height:,} pairs"
    hint = "" if split else f" (--split {ALL} takes every pair)"
    return replace(found, findings=(*found.findings, said + hint))


def _two_questions(data: Dataset, free: str | None, in_context: str | None) -> tuple[str, str]:
    known = data.questions("score")
    first = free or known[0]
    others = [name for name in known if name != first]
    if in_context is None and len(others) > 1:
        raise KostraError(
            "it is not said which score holds the judgments made in context",
            where=data.where or data.name,
            accepted=", ".join(others),
        )
    return first, in_context or others[0]

"""How far annotators agree, in one call: every statistic that the answers allow, and why the others do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from kostra.errors import KostraError
from kostra.ratings import Level, Ratings
from kostra.reliability import Estimate, plain_estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.cohen_kappa import cohen_kappa, cohen_kappa_pairs
from kostra.reliability.coincidence import grouped
from kostra.reliability.fleiss_kappa import fleiss_kappa
from kostra.reliability.icc import FORMS, icc, icc_name
from kostra.reliability.inter_annotator import FIGURES, inter_annotator
from kostra.reliability.intra_annotator import REPEAT, intra_annotator, repeats_of
from kostra.reliability.krippendorff_alpha import LEVELS, fitting_level, krippendorff_alpha
from kostra.reliability.oracle_bound import oracle_bound
from kostra.reliability.percent_agreement import percent_agreement
from kostra.reliability.split_half import SplitHalf, split_half_ratings
from kostra.sources.ratings import Read, read_ratings
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MANY_VALUES = 50
"""With more distinct answers than this, statistics of classes deserve a warning."""

SPLITS = 200
"""Random splits of split-half: their mean is then sure to a fourteenth of what one split differs from another."""

Groups = Sequence[Sequence[str]]
Estimates = Mapping[str, Estimate]


@dataclass(frozen=True)
class Agreement:
    """Statistics of agreement, and what to know about the answers."""

    statistics: dict[str, Estimate]
    """By plain name: krippendorff_alpha, fleiss_kappa, …"""
    items: int
    annotators: int | None
    """None where the answers are anonymous."""
    values: int
    """How many answers there are."""
    question: str
    level: Level
    """The level of measurement of `krippendorff_alpha`."""
    pairs: Frame
    """Cohen's κ of each two annotators: first, second, items, kappa, low, high."""
    warnings: tuple[str, ...] = field(default=())

    def table(self) -> Frame:
        """The statistics as a tidy table."""
        return statistics_table(self.statistics, question=self.question)

    def summary(self) -> dict[str, Any]:
        """Everything but the pairs, ready for JSON; what is undefined is None."""
        return {
            "items": self.items,
            "annotators": self.annotators,
            "values": self.values,
            "statistics": {name: plain_estimate(estimate) for name, estimate in self.statistics.items()},
            "warnings": list(self.warnings),
        }

    def _twice(self) -> str | None:
        """The name of a statistic that stands once more under its full name."""
        return f"krippendorff_alpha_{self.level}" if f"krippendorff_alpha_{self.level}" in self.statistics else None

    def figure(self) -> Figure:
        """The coefficients as bars with their intervals; errors and their bound are on another scale and left out."""
        from kostra import figures

        bars = [
            figures.Bar(_title(name), "agreement", one.value, _number(one.low), _number(one.high))
            for name, one in self.statistics.items()
            if math.isfinite(one.value) and not name.endswith(("mse", "bound")) and name != self._twice()
        ]
        if not bars:
            raise KostraError("there is nothing to draw: no statistic is defined")
        return figures.bars(bars, x_label="agreement", title=f"Agreement on {self.question}")


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _title(name: str) -> str:
    named = name.replace("krippendorff_alpha", "Krippendorff α").replace("kappa", "κ").replace("icc_", "ICC ")
    named = named.replace("_", " ")
    return named[:1].upper() + named[1:]


def agree(
    path: str | Path,
    *,
    level: Level | None = None,
    groups: Groups | None = None,
    question: str | None = None,
    released: str | None = None,
    item: str | None = None,
    annotator: str | None = None,
    value: str | None = None,
    wide: Sequence[str] = (),
    phases: Sequence[str] = (),
    blocks: Sequence[str] = (),
    samples: int = 1000,
    seed: int = 0,
) -> Agreement:
    r"""Measure the agreement of the answers in a file.

    Parameters
    ----------
    path
        A long file (item, annotator, value), a wide one (an item column and one column per annotator), a table of
        judgments, or, with `released`, a dataset as its authors released it; ``-`` is standard input.
    level
        Level of measurement of `krippendorff_alpha`. By default interval for numbers and nominal for labels, which is
        said in a warning, and α is given at each level that the answers allow. At the nominal level answers are
        classes, so that statistics which calculate with them are left out.
    groups
        Answers that make one class, such as ``[["0"], ["1", "2", "3", "4"], ["5"]]``, for the statistics of classes:
        Fleiss' κ, Cohen's κ without weights, percent agreement and α at the nominal level.
    question
        Which question, where the file has answers to several.
    released
        The form of a release, such as czech_news_sts.
    item, annotator, value, wide
        Names of columns, where they are not the usual ones (see `kostra.sources.ratings.read_ratings`).
    phases, blocks
        Only these, of a table of judgments.
    samples
        Bootstrap samples of items for the 95% intervals; 0 for none, and for no split-half either.
    seed
        The same seed gives the same intervals.

    Returns
    -------
    Agreement
        A statistic that the answers do not allow has no value and a note that says why.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "labels.csv"
    ...     _ = file.write_text("item,annotator,value\np,ann,yes\np,bob,yes\nq,ann,no\nq,bob,no\nr,ann,yes\nr,bob,no\n")
    ...     found = agree(file, samples=0)
    >>> found.level, round(found.statistics["krippendorff_alpha"].value, 6)
    ('nominal', 0.444444)
    """
    read = read_ratings(
        path,
        question=question,
        released=released,
        item=item,
        annotator=annotator,
        value=value,
        wide=wide,
        phases=phases,
        blocks=blocks,
        labels=level == "nominal",
    )
    chosen = level or fitting_level(read.ratings)
    measures = _Measures(read, groups, samples, seed)
    found = measures.all(level)
    return Agreement(
        statistics=found,
        items=len(read.ratings.items),
        annotators=None if read.ratings.annotators is None else len(read.ratings.annotators),
        values=read.ratings.answers,
        question=read.question,
        level=chosen,
        pairs=measures.pairs(),
        warnings=(*(str(finding) for finding in read.findings), *_doubts(read.ratings, level, chosen, groups)),
    )


def _doubts(ratings: Ratings, asked: Level | None, chosen: Level, groups: Groups | None) -> list[str]:
    doubts = []
    if asked is None:
        why = "all answers are numbers" if chosen == "interval" else "the answers are labels"
        doubts.append(
            f"krippendorff_alpha is at the {chosen} level, because {why}; ask for another with level (--level)"
        )
    distinct = len(np.unique(ratings.values))
    if distinct > MANY_VALUES and groups is None:
        doubts.append(
            f"there are {distinct:,} distinct answers: statistics of classes take each for a class of its own"
        )
    return doubts


class _Measures:
    """Each statistic on the answers of one file, all from the same seed."""

    def __init__(self, read: Read, groups: Groups | None, samples: int, seed: int) -> None:
        self._read = read
        self._ratings = read.ratings
        self._classes = grouped(read.ratings, groups)
        self._groups = groups
        self._samples = samples
        self._seed = seed

    def all(self, level: Level | None) -> dict[str, Estimate]:
        chosen = level or fitting_level(self._ratings)
        asked = self._alpha(chosen)
        found = {"krippendorff_alpha": asked}
        numbers = self._ratings.labels is None and level != "nominal"
        if level is None:
            for one in LEVELS if numbers else LEVELS[:1]:
                found[f"krippendorff_alpha_{one}"] = asked if one == chosen else self._allowed(self._alpha, one)
        found |= self._of_classes()
        if numbers:
            found |= self._of_numbers()
        return found

    def pairs(self) -> Frame:
        if self._ratings.annotator is None:
            schema = {"first": pl.String, "second": pl.String, "items": pl.Int64}
            return pl.DataFrame(schema={**schema, **dict.fromkeys(("kappa", "low", "high"), pl.Float64)})
        return cohen_kappa_pairs(self._ratings, groups=self._groups, samples=self._samples, rng=self._rng())

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self._seed)

    def _alpha(self, level: Level) -> Estimate:
        ratings = self._classes if level == "nominal" else self._ratings
        return krippendorff_alpha(ratings, level=level, samples=self._samples, rng=self._rng())

    def _allowed(self, statistic: Callable[..., Estimate], *positional: Any, **options: Any) -> Estimate:
        """The statistic, or the reason why the answers do not allow it."""
        try:
            return statistic(*positional, **options)
        except KostraError as error:
            return self._refused(error)

    def _refused(self, error: KostraError) -> Estimate:
        return Estimate(math.nan, n=len(self._ratings.items), note=f"refused: {error.what}")

    def _of_classes(self) -> dict[str, Estimate]:
        groups, samples = self._groups, self._samples
        options = {"groups": groups, "samples": samples, "rng": self._rng()}
        return {
            "fleiss_kappa": fleiss_kappa(self._ratings, groups=groups, samples=samples, rng=self._rng()),
            "percent_agreement": percent_agreement(self._ratings, groups=groups, samples=samples, rng=self._rng()),
            "cohen_kappa": self._allowed(cohen_kappa, self._ratings, **options),
        }

    def _of_numbers(self) -> dict[str, Estimate]:
        found = {}
        for weights in ("linear", "quadratic"):
            options = {"weights": weights, "samples": self._samples, "rng": self._rng()}
            found[f"cohen_kappa_{weights}"] = self._allowed(cohen_kappa, self._ratings, **options)
        for form in FORMS:
            options = {"form": form, "samples": self._samples, "rng": self._rng()}
            found[icc_name(form)] = self._allowed(icc, self._ratings, **options)
        found["oracle_bound"] = oracle_bound(self._ratings, rng=self._rng(), samples=self._samples)
        return {**found, **self._inter(), **self._intra(), **self._split_half()}

    def _inter(self) -> dict[str, Estimate]:
        found: Estimates
        try:
            found = inter_annotator(self._ratings, samples=self._samples, rng=self._rng())
        except KostraError as error:
            found = dict.fromkeys(FIGURES, self._refused(error))
        return {f"inter_annotator_{name}": estimate for name, estimate in found.items()}

    def _intra(self) -> dict[str, Estimate]:
        """Only where the file has repeats."""
        judgments = self._read.judgments
        if judgments is None or not judgments["block"].is_in(list(REPEAT)).any():
            return {}
        found: Estimates
        try:
            repeats = repeats_of(judgments, self._read.question)
            found = intra_annotator(repeats, samples=self._samples, rng=self._rng())
        except KostraError as error:
            found = dict.fromkeys(FIGURES, self._refused(error))
        return {f"intra_annotator_{name}": estimate for name, estimate in found.items()}

    def _split_half(self) -> dict[str, Estimate]:
        ratings = self._ratings
        if not self._samples:
            return {}
        found = split_half_ratings(
            ratings.item, ratings.values, items=len(ratings.items), trials=SPLITS, rng=self._rng()
        )
        return {f"split_half_{name}": _of_halves(found, name) for name in ("spearman", "pearson")}


def _of_halves(found: SplitHalf, name: str) -> Estimate:
    value, spread = getattr(found, name), getattr(found, f"{name}_sd")
    note = f"mean of {found.trials:,} random splits, standard deviation over splits {spread:.4f}"
    if found.left_out:
        note += f"; {found.left_out:.1f} items left out per split"
    if not math.isfinite(value):
        note = "undefined: fewer than two items in both halves, or all alike"
    return Estimate(value, n=found.items, note=note)

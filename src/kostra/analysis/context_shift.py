"""Context shift: which pairs people judge otherwise once they see the context, by a t-test for each pair."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import polars as pl
from pydantic import Field

from kostra import figures, tables
from kostra.analysis.context_shift_figures import gain_figure, moved_gain_figure, quantile_figure, rejection_figure
from kostra.analysis.diagonal_filter import share
from kostra.analysis.t_tests import (
    Sample,
    TTests,
    benjamini_hochberg,
    holm,
    paired_t,
    rejected_share,
    student_t,
    welch_t,
)
from kostra.errors import KostraError, some
from kostra.ratings import FloatArray, IntArray, Ratings, ratings_of
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import note_repeats, statistics_table
from kostra.reliability.oracle_bound import moments
from kostra.resample import bootstrap_interval
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Finding, Frame

Test = Literal["student", "welch", "paired"]
Adjust = Literal["none", "holm", "benjamini_hochberg"]
ADJUST: tuple[Adjust, ...] = ("none", "holm", "benjamini_hochberg")


@dataclass(frozen=True, eq=False)
class ContextShift:
    """What context does to each pair's score."""

    pairs: Frame
    """One row per pair: ``pair``, ``free_n``, ``free_mean``, ``context_n``, ``context_mean``, ``gain`` (in context less
    free), and per test ``student_t``, ``student_df``, ``student_p``, ``student_holm``, ``student_benjamini_hochberg``,
    likewise ``welch_…`` and, where the same people answered both, ``paired_n`` and ``paired_…``."""
    tests: tuple[Test, ...]
    findings: tuple[Finding, ...]
    """Pairs left out or without a test, tests that rest on no variance, why there is no paired test."""


def context_shift(free: Ratings, in_context: Ratings) -> ContextShift:
    """Test for each pair whether its mean rating in context differs from that without [1]_.

    Student's and Welch's tests treat the two conditions as independent samples. Where the same people answered both,
    as in [1]_, the paired test is the apt one: it compares each person with themselves.

    Parameters
    ----------
    free, in_context
        Numeric ratings of both conditions; pairs are matched by name, and people, where they are known, as well.

    Raises
    ------
    KostraError
        If the answers are labels, or no pair was rated in both conditions.

    Notes
    -----
    Conventions for few answers and for no variance are those of `kostra.analysis.t_tests.student_t`; such pairs are
    counted in the findings. Adjusted p-values count the defined tests of their own kind.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Section 7.

    Examples
    --------
    Ann goes from 1 to 4, Bob from 3 to 6. As independent samples t = 3/√2; the paired test sees that both moved by
    exactly 3, without any variance, so p = 0.

    >>> from kostra.ratings import ratings_from
    >>> free = ratings_from(["p", "p"], [1, 3], ["ann", "bob"])
    >>> found = context_shift(free, ratings_from(["p", "p"], [4, 6], ["ann", "bob"]))
    >>> found.pairs.select("gain", pl.col("student_p").round(4), "paired_p").rows()
    [(3.0, 0.1679, 0.0)]
    """
    _refuse_labels(free, in_context)
    both = set(in_context.items)
    items = [item for item in free.items if item in both]
    if not items:
        raise KostraError(
            "no pair was rated in both conditions", accepted="ratings of the same pairs, free and in context"
        )
    groups = [_numbered(ratings, items) for ratings in (free, in_context)]
    one, two = (
        Sample(*moments(group[group >= 0], ratings.values[group >= 0], len(items)))
        for ratings, group in zip((free, in_context), groups, strict=True)
    )
    results: dict[Test, TTests] = {"student": student_t(one, two), "welch": welch_t(one, two)}
    columns: dict[str, object] = {
        "pair": items, "free_n": one.n, "free_mean": one.mean, "context_n": two.n, "context_mean": two.mean,
        "gain": two.mean - one.mean,
    }  # fmt: skip
    differences, why = _differences(free, in_context, groups, len(items))
    if differences is not None:
        results["paired"] = paired_t(differences)
        columns["paired_n"] = differences.n
    for name, found in results.items():
        columns |= _test_columns(name, found)
    frame = pl.DataFrame(columns, nan_to_null=True)
    findings = (*_findings(frame, results, len(free.items), len(in_context.items)), *why)
    return ContextShift(frame, tuple(results), findings)


def _test_columns(name: Test, found: TTests) -> dict[str, object]:
    return {
        f"{name}_t": found.t,
        f"{name}_df": found.df,
        f"{name}_p": found.p,
        f"{name}_holm": holm(found.p),
        f"{name}_benjamini_hochberg": benjamini_hochberg(found.p),
    }


def _numbered(ratings: Ratings, items: list[str]) -> IntArray:
    """Per answer, the place of its pair in `items`, or −1."""
    place = {item: number for number, item in enumerate(items)}
    return np.array([place.get(item, -1) for item in ratings.items], dtype=np.int64)[ratings.item]


def _differences(
    free: Ratings, in_context: Ratings, groups: list[IntArray], pairs: int
) -> tuple[Sample | None, list[Finding]]:
    """Each person's answer in context less the same person's without, summed up per pair; or why there is none."""
    if (
        free.annotator is None
        or in_context.annotator is None
        or free.annotators is None
        or in_context.annotators is None
    ):
        reason = "no paired test: the answers are anonymous, so that nobody can be compared with themselves"
        return None, [Finding("anonymous", reason, "context shift")]
    names = {name: number for number, name in enumerate(dict.fromkeys([*free.annotators, *in_context.annotators]))}
    keys = []
    for ratings, who, group in zip((free, in_context), (free.annotators, in_context.annotators), groups, strict=True):
        person = np.array([names[name] for name in who], dtype=np.int64)[ratings.annotator]
        keys.append(np.where(group >= 0, group * len(names) + person, -1))
    shared, at_free, at_context = np.intersect1d(keys[0], keys[1], return_indices=True)
    within = shared >= 0
    moved = in_context.values[at_context[within]] - free.values[at_free[within]]
    sample = Sample(*moments(shared[within] // len(names), moved, pairs))
    if (sample.n < 2).all():
        return None, [Finding("not_paired", "no paired test: nowhere did two people answer both", "context shift")]
    return sample, []


def _refuse_labels(*conditions: Ratings) -> None:
    for ratings in conditions:
        if ratings.labels is not None:
            raise KostraError(
                f"a t-test needs numbers, and the answers are labels: {some(ratings.labels)}",
                accepted="numeric ratings",
            )


def _findings(frame: Frame, results: Mapping[Test, TTests], free: int, in_context: int) -> list[Finding]:
    where, findings = "context shift", []
    alone = free + in_context - 2 * frame.height
    if alone:
        findings.append(Finding("left_out", f"{alone:,} pairs were rated in one condition only", where))
    for name, found in results.items():
        undefined = frame.filter(pl.Series(~np.isfinite(found.p), dtype=pl.Boolean))["pair"]
        if len(undefined):
            message = f"{name}: {len(undefined):,} pairs have too few answers for a test: {some(undefined)}"
            findings.append(Finding("few_answers", message, where))
        certain = frame.filter(pl.Series(np.isinf(found.t), dtype=pl.Boolean))["pair"]
        if len(certain):
            message = f"{name}: {len(certain):,} pairs have p = 0 because there is no variance at all: {some(certain)}"
            findings.append(Finding("no_variance", message, where))
    return findings


# What is read from it ----------------------------------------------------------------------------------


def p_values(shift: ContextShift, test: Test, adjust: Adjust = "none") -> FloatArray:
    """The p-values of a test, raw or adjusted; NaN where undefined. A test that could not be made is refused."""
    if test not in shift.tests:
        reasons = [finding.message for finding in shift.findings if finding.kind in ("anonymous", "not_paired")]
        raise KostraError(some(reasons) or f'there is no test "{test}"', accepted=", ".join(shift.tests))
    name = f"{test}_{'p' if adjust == 'none' else adjust}"
    return shift.pairs[name].cast(pl.Float64).fill_null(math.nan).to_numpy()


def significant(shift: ContextShift, *, alpha: float = 0.05, test: Test = "student", adjust: Adjust = "none") -> Frame:
    """The pairs that context moves: those whose p-value, raw or adjusted, is at most α; the paper's *test-sig*.

    Examples
    --------
    >>> from kostra.ratings import ratings_from
    >>> free = ratings_from(["p", "p", "q", "q"], [1, 1, 2, 4])
    >>> shift = context_shift(free, ratings_from(["p", "p", "q", "q"], [5, 5, 4, 2]))
    >>> significant(shift).select("pair", "gain", "student_p").rows()
    [('p', 4.0, 0.0)]
    """
    return shift.pairs.filter(pl.Series(p_values(shift, test, adjust) <= alpha, dtype=pl.Boolean))


def rejections(shift: ContextShift) -> Frame:
    """r(x), the share of pairs rejected at level x, for levels from 0 to 1, by each test and adjustment.

    Columns ``level``, ``student``, ``student_holm``, … (see `kostra.analysis.t_tests.rejected_share`).
    """
    levels = np.unique(np.concatenate([[0.001, 0.005], np.arange(101) / 100]))
    curves = {
        _named(test, adjust): rejected_share(p_values(shift, test, adjust), levels)
        for test in shift.tests
        for adjust in ADJUST
    }
    return pl.DataFrame({"level": levels, **curves}, nan_to_null=True)


def _named(test: Test, adjust: Adjust) -> str:
    return test if adjust == "none" else f"{test}_{adjust}"


def gain_histogram(shift: ContextShift, moved: Frame) -> Frame:
    """Counts of gains in about twenty bins, of all pairs and of those in `moved`.

    Means of few whole answers lie on a lattice; the bins are then whole steps of it (`kostra.figures.bin_edges`).

    Examples
    --------
    >>> shift = ContextShift(pl.DataFrame({"gain": [0.0, 0.0, 1.0]}), (), ())
    >>> gain_histogram(shift, shift.pairs.tail(1)).rows()
    [(-0.5, 0.5, 2, 0), (0.5, 1.5, 1, 1)]
    """
    gains = shift.pairs["gain"].to_list()
    edges = figures.bin_edges(gains, low=min(gains), high=max(gains))
    if edges[0] == edges[-1]:  # all gains are equal
        edges = [edges[0] - 0.5, edges[0] + 0.5]
    counts = {
        name: np.histogram(frame["gain"].to_numpy(), edges)[0]
        for name, frame in (("pairs", shift.pairs), ("significant", moved))
    }
    return pl.DataFrame({"from": edges[:-1], "to": edges[1:], **counts})


def gain_quantiles(shift: ContextShift) -> Frame:
    """The quantile function of the gains: the least gain that at least a share of the pairs does not exceed.

    Examples
    --------
    >>> shift = ContextShift(pl.DataFrame({"gain": [3.0, 1.0, 2.0, 4.0]}), (), ())
    >>> gain_quantiles(shift).filter(pl.col("share").is_in([0.25, 0.5, 0.51, 1.0]))["gain"].to_list()
    [1.0, 2.0, 3.0, 4.0]
    """
    levels = np.arange(101) / 100
    gains = shift.pairs["gain"].to_numpy()
    return pl.DataFrame({"share": levels, "gain": np.quantile(gains, levels, method="inverted_cdf")})


def gain_mean(shift: ContextShift, *, rng: np.random.Generator, samples: int = 1000) -> Estimate:
    """Mean gain over pairs, with a bootstrap interval over pairs; the note has their standard deviation (n − 1).

    Examples
    --------
    >>> shift = ContextShift(pl.DataFrame({"gain": [1.0, 3.0]}), (), ())
    >>> found = gain_mean(shift, rng=np.random.default_rng(1))
    >>> found.value, found.n, found.note
    (2.0, 2, 'standard deviation over pairs 1.4142')
    """
    gains = shift.pairs["gain"].to_numpy()
    interval = bootstrap_interval(lambda drawn: gains[drawn].mean(axis=1), len(gains), rng=rng, samples=samples)
    note = f"standard deviation over pairs {gains.std(ddof=1):.4f}" if len(gains) > 1 else "a single pair"
    return Estimate(float(gains.mean()), interval.low, interval.high, len(gains), note)


# The step ----------------------------------------------------------------------------------------------

READS = ("judgments",)
WRITES = ("statistics", "pairs")


class Options(Strict):
    """Which answers, and which pairs count as moved."""

    free: str
    """The question asked without context."""
    in_context: str
    """The question asked in context."""
    phases: tuple[str, ...] = ()
    """Phases whose answers count; all where none is named."""
    blocks: tuple[str, ...] = ()
    """Blocks likewise; all but repeats where none is named, since those are second answers of the same people."""
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """The level of the test."""
    test: Test = "student"
    """The test by which pairs count as moved."""
    adjust: Adjust = "none"
    """Whether by the raw p or by one adjusted for the number of pairs."""
    pass_on: bool = False
    """Whether the moved pairs are written as a table of pairs, for later steps."""
    samples: Annotated[int, Field(ge=1)] = 1000
    """Bootstrap samples."""


def writes(options: Options) -> tuple[str, ...]:
    """Pairs only on request: beside a release's shortened contexts they would be a second version of the same pairs."""
    return WRITES if options.pass_on else ("statistics",)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """A test per pair."""
    return Plan(f"tests for each pair whether {options.in_context} differs from {options.free}, α = {options.alpha:g}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write all tests, the moved pairs, r(x), histogram and quantiles as CSV, drawn as SVG, and as statistics."""
    free, in_context = (
        ratings_of(inputs["judgments"], question, phases=options.phases, blocks=options.blocks)
        for question in (options.free, options.in_context)
    )
    shift = context_shift(free, in_context)
    context.findings += shift.findings
    if not options.blocks:
        note_repeats(inputs["judgments"], context)
    moved = significant(shift, alpha=options.alpha, test=options.test, adjust=options.adjust)
    texts = inputs.get("pairs")
    shown = moved if texts is None else moved.join(texts.select("pair", "text_a", "text_b"), on="pair", how="left")
    for name, frame in {
        "context_shift": shift.pairs,
        "context_shift_significant": shown,
        "context_shift_rejections": rejections(shift),
        "context_gain_histogram": gain_histogram(shift, moved),
        "context_gain_quantiles": gain_quantiles(shift),
    }.items():
        tables.write(frame, context.folder / f"{name}.csv")
    _draw(shift, moved, options, context)
    made = {"statistics": statistics_table(_estimates(shift, options, context), question=options.in_context)}
    if options.pass_on:
        if texts is None:
            raise KostraError("there are no pairs to pass on", remedy="read a step that writes pairs")
        made["pairs"] = texts.filter(pl.col("pair").is_in(moved["pair"].to_list()))
    return made


def _draw(shift: ContextShift, moved: Frame, options: Options, context: Context) -> None:
    drawn = {
        "context_gain": gain_figure(shift.pairs, moved),
        "context_gain_significant": moved_gain_figure(shift.pairs, moved),
        "context_gain_quantiles": quantile_figure(gain_quantiles(shift)),
        "context_shift_rejections": rejection_figure(rejections(shift), shift.tests, alpha=options.alpha),
    }
    for name, figure in drawn.items():
        if figure is not None:
            figures.save_all(figure, context.folder / name)


def _estimates(shift: ContextShift, options: Options, context: Context) -> dict[str, Estimate]:
    estimates = {"context_gain": gain_mean(shift, rng=context.rng, samples=options.samples)}
    for test in shift.tests:
        for adjust in ADJUST:
            p = p_values(shift, test, adjust)
            found = share(p[np.isfinite(p)] <= options.alpha)
            note = f"share of pairs with p ≤ {options.alpha:g}" if found.n else found.note
            estimates[f"context_rejected_{_named(test, adjust)}"] = replace(found, note=note)
    return estimates

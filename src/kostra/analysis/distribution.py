"""Distribution: counts scores, labels or changes, whole and by subset."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from kostra import figures, tables
from kostra.errors import KostraError, nearest, some
from kostra.ratings import FloatArray
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rounding = Literal["half_up", "half_even", "down"]
ALL = "all"
MOST_VALUES = 50
"""Scores with more distinct values than this are counted in bins, unless they are rounded."""

_CRUMB = 1e-9
"""How far a mean may lie below its true value, since binary fractions are rounded."""
_COUNTS = {"part": pl.String, "value": pl.String, "count": pl.Int64, "share": pl.Float64}
_BINS = {"part": pl.String, "low": pl.Float64, "high": pl.Float64, "count": pl.Int64, "share": pl.Float64}


# Counting ----------------------------------------------------------------------------------------------


def rounded(values: FloatArray, rounding: Rounding) -> FloatArray:
    """Whole degrees of scores: ``half_up`` takes 2.5 to 3, ``half_even`` to 2, and ``down`` takes 2.9 to 2.

    Half up is how CDSCorpus counts the means of its six ratings: with it, Table 3 comes out exactly.

    Examples
    --------
    >>> scores = np.array([0.49, 2.5, 3.5])
    >>> rounded(scores, "half_up").tolist(), rounded(scores, "half_even").tolist(), rounded(scores, "down").tolist()
    ([0.0, 3.0, 4.0], [0.0, 2.0, 4.0], [0.0, 2.0, 3.0])
    """
    match rounding:
        case "half_up":
            return np.floor(values + 0.5 + _CRUMB)
        case "half_even":
            return np.rint(values)
        case "down":
            return np.floor(values + _CRUMB)


def degrees(low: float, high: float) -> list[str]:
    """The whole degrees of a scale, as they are counted.

    Examples
    --------
    >>> degrees(0, 3)
    ['0', '1', '2', '3']
    """
    return [f"{degree:g}" for degree in range(math.ceil(low), math.floor(high) + 1)]


def counted(values: Sequence[str], parts: Sequence[str] = (), *, order: Iterable[str] = ()) -> Frame:
    """Count values, in each part where parts are named.

    Parameters
    ----------
    values
        Labels, degrees or changes.
    parts
        For each value the part it belongs to; a single part, ``all``, where none are named.
    order
        Values that stand first, in this order, also where there are none; the others follow, the most frequent first.

    Returns
    -------
    Frame
        ``part``, ``value``, ``count`` and ``share`` of the part.

    Examples
    --------
    >>> counted(["neutral", "entailment", "neutral", "neutral"]).rows()
    [('all', 'neutral', 3, 0.75), ('all', 'entailment', 1, 0.25)]
    >>> counted(["1"], order=["0", "1"]).select("value", "count").rows()
    [('0', 0), ('1', 1)]
    """
    rows = pl.DataFrame({"part": list(parts) or [ALL] * len(values), "value": list(values)}, schema_overrides=_TEXTS)
    often = rows.group_by("value").len().sort(["len", "value"], descending=[True, False])["value"].to_list()
    each = {(part, value): count for part, value, count in rows.group_by("part", "value").len().iter_rows()}
    made = [
        (part, value, each.get((part, value), 0), each.get((part, value), 0) / size)
        for part, size in rows.group_by("part", maintain_order=True).len().iter_rows()
        for value in dict.fromkeys([*order, *often])
    ]
    return pl.DataFrame(made, schema=_COUNTS, orient="row")


_TEXTS = {"part": pl.String, "value": pl.String}


def binned(scores: FloatArray, parts: Sequence[str] = (), *, low: float, high: float, bins: int) -> Frame:
    """Count scores in equal bins, in each part where parts are named; a score on an edge belongs to the bin above it.

    Returns
    -------
    Frame
        ``part``, ``low``, ``high``, ``count`` and ``share`` of the part; scores out of range are in the outer bins.

    Examples
    --------
    >>> binned(np.array([0.1, 0.5, 1.0]), low=0, high=1, bins=2).select("low", "high", "count").rows()
    [(0.0, 0.5, 1), (0.5, 1.0, 2)]
    """
    edges = np.linspace(low, high, bins + 1)
    column = np.array(list(parts) or [ALL] * len(scores))
    made: list[tuple[str, float, float, int, float]] = []
    for part in dict.fromkeys(column.tolist()):
        own = scores[column == part]
        counts = np.bincount(np.digitize(own + _CRUMB, edges[1:-1]), minlength=bins)
        made += [
            (part, float(edges[k]), float(edges[k + 1]), int(counts[k]), float(counts[k] / len(own)))
            for k in range(bins)
        ]
    return pl.DataFrame(made, schema=_BINS, orient="row")


def moments(scores: FloatArray) -> tuple[Estimate, Estimate]:
    """Mean and standard deviation (n − 1) of scores; the mean with its 95% interval, 1.96 standard errors each way.

    Examples
    --------
    Deviations −1, 0, 1: the variance is 2/2 = 1, and the interval 1.96/√3 = 1.1316 each way.

    >>> mean, sd = moments(np.array([1.0, 2.0, 3.0]))
    >>> mean.value, round(mean.high, 4), sd.value, sd.n
    (2.0, 3.1316, 1.0, 3)
    """
    n = len(scores)
    mean = float(scores.mean()) if n else math.nan
    if n < 2:
        why = "undefined: fewer than two scores"
        return Estimate(mean, n=n, note="" if n else why), Estimate(math.nan, n=n, note=why)
    sd = float(scores.std(ddof=1))
    reach = 1.959963984540054 * sd / math.sqrt(n)
    return Estimate(mean, mean - reach, mean + reach, n), Estimate(sd, n=n)


# Pictures ----------------------------------------------------------------------------------------------


def counts_figure(found: Frame, *, x_label: str, title: str) -> Figure:
    """Bars of the counts, the parts of one value side by side.

    Examples
    --------
    >>> print(counts_figure(counted(["a", "b", "a"]), x_label="pairs", title="Labels").get_label())
    Labels
    a: all 2.00; b: all 1.00.
    """
    bars = [figures.Bar(value, part, count) for part, value, count in found.select(_SHOWN).iter_rows()]
    return figures.bars(bars, x_label=x_label, title=title)


_SHOWN = ("part", "value", "count")


def spread_figure(
    groups: Mapping[str, Sequence[float]], *, low: float, high: float, bins: int, x_label: str, noun: str = "pairs"
) -> Figure:
    """How far each group spreads over the scale: one small histogram below the other, all of them together on top.

    Stacked, more than a few groups could not be told apart.

    Examples
    --------
    >>> groups = {"random": [0.1, 0.2], "paraphrase": [0.8]}
    >>> print(spread_figure(groups, low=0, high=1, bins=10, x_label="relatedness").get_label())
    Distribution of relatedness
    Of 3 pairs, the middle half: all (3) 0.15 to 0.50; random (2) 0.12 to 0.18; paraphrase (1) 0.80 to 0.80.
    """
    from matplotlib.figure import Figure

    rows = {ALL: [value for group in groups.values() for value in group], **groups}
    edges = np.linspace(low, high, bins + 1).tolist()
    with figures.look():
        figure = Figure(figsize=(figures.WIDTH, 0.6 + 0.42 * len(rows)), layout="constrained")
        for axes, (name, values) in zip(figure.subplots(len(rows), sharex=True), rows.items(), strict=True):
            colour = figures.INK if name == ALL else figures.COLOURS[0]
            axes.hist(values, bins=edges, color=colour, edgecolor="white", linewidth=0.6)
            axes.set_ylabel(f"{figures.short(name)} \n{len(values):,} ", rotation=0, ha="right", va="center")
            axes.set_yticks([])
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="x", length=2)
        axes.set(xlabel=x_label, xlim=(low, high))
        said = "; ".join(f"{name} ({len(own):,}) {_middle(own)}" for name, own in rows.items() if len(own))
        words = f"Of {len(rows[ALL]):,} {noun}, the middle half: {said}."
        return figures.finished(figure, f"Distribution of {x_label}", words)


def _middle(values: Sequence[float]) -> str:
    quarter, three_quarters = np.quantile(values, [0.25, 0.75])
    return f"{quarter:.2f} to {three_quarters:.2f}"


# The step ----------------------------------------------------------------------------------------------

READS = ("scores|sentences",)
WRITES = ("statistics",)


class Options(Strict):
    """What is counted, and by what."""

    question: str | None = None
    """The question whose scores or labels are counted; the recipe's own where none is named."""
    by: Literal["subset", "source", "change"] | None = None
    """Counts apart by the pairs' subset or source; ``change`` counts the sentences that each rule or rewrite made
    (those that stand in a pair, where pairs are read)."""
    rounding: Rounding | None = None
    """Scores to whole degrees."""
    bins: Annotated[int, Field(ge=1)] | None = None
    """Scores in so many equal bins of the scale."""

    @model_validator(mode="after")
    def _one_way(self) -> Options:
        if self.rounding and self.bins:
            raise ValueError("scores are either rounded or put into bins, not both")
        if self.by == "change" and (self.question or self.rounding or self.bins):
            raise ValueError('by = "change" counts sentences, which have neither question nor scores')
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:
    """A table of counts."""
    if options.by == "change":
        return Plan(f"counts {inputs.get('sentences', 0):,} sentences by the change that made them")
    apart = f", by {options.by}" if options.by else ""
    return Plan(f"counts the scores or labels of {options.question or context.recipe.score.question}{apart}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the counts as distribution.csv and distribution.svg, and as statistics."""
    estimates: dict[str, Estimate] = {}
    if options.by == "change":
        question, noun, found = "change", "sentences", _changes(inputs, context)
    else:
        question, noun = options.question or context.recipe.score.question, "pairs"
        found, estimates = _scores(inputs, question, options, context)
    tables.write(found, context.folder / "distribution.csv")
    if "value" in found.columns:
        title = f"{noun.capitalize()} by {question.replace('_', ' ')}"
        figures.save_all(counts_figure(found, x_label=noun, title=title), context.folder / "distribution")
        estimates = _counts(found, noun)
    return {"statistics": statistics_table(estimates, question=question)}


def _changes(inputs: Inputs, context: Context) -> Frame:
    sentences = inputs.get("sentences")
    if sentences is None:
        raise KostraError('by = "change" counts sentences', remedy="read a step that writes sentences")
    made = sentences.drop_nulls("change")
    pairs = inputs.get("pairs")
    if pairs is not None:
        used = {*pairs["sentence_a"].to_list(), *pairs["sentence_b"].to_list()}
        chosen = made.filter(pl.col("sentence").is_in(list(used - {None})))
        context.note("chosen", f"{chosen.height:,} of {made.height:,} made sentences stand in a pair")
        made = chosen
    return counted(made["change"].to_list())


def _scores(inputs: Inputs, question: str, options: Options, context: Context) -> tuple[Frame, dict[str, Estimate]]:
    rows = _with_parts(_of_question(inputs, question), inputs, options, context)
    parts = rows["part"].to_list()
    labelled = rows.drop_nulls("label")
    if labelled.height == rows.height:
        if options.rounding or options.bins:
            raise KostraError(f'"{question}" has labels, which can be neither rounded nor put into bins')
        return counted(labelled["label"].to_list(), parts), {}
    scored = rows.drop_nulls("score")
    scores, parts = scored["score"].to_numpy(), scored["part"].to_list()
    score = context.recipe.score
    low, high = (score.low, score.high) if question == score.question else _ends(scores, score.low, score.high)
    if options.rounding:
        scores = rounded(scores, options.rounding)
    if options.bins is None and (options.rounding or scored["score"].n_unique() <= MOST_VALUES):
        return counted([f"{value:g}" for value in scores + 0.0], parts, order=degrees(low, high)), {}
    groups = {part: scores[np.array(parts) == part].tolist() for part in dict.fromkeys(parts)}
    bins, x_label = options.bins or 20, question.replace("_", " ")
    if len(groups) > figures.MOST_GROUPS:
        drawn = spread_figure(groups, low=low, high=high, bins=bins, x_label=x_label)
    else:
        drawn = figures.histogram(groups, low=low, high=high, x_label=x_label)
    figures.save_all(drawn, context.folder / "distribution")
    found = binned(scores, parts, low=low, high=high, bins=bins)
    return found, _moments(scores, parts)


def _ends(scores: FloatArray, low: float, high: float) -> tuple[float, float]:
    """The recipe's scale where the scores keep to it, else their own range: another question may have another scale."""
    inside = bool(len(scores)) and low <= scores.min() and scores.max() <= high
    return (low, high) if inside else (math.floor(scores.min()), math.ceil(scores.max()))


def _of_question(inputs: Inputs, question: str) -> Frame:
    scores = inputs.get("scores")
    if scores is None:
        raise KostraError(f'there are no scores of "{question}" to count', remedy="read a step that writes scores")
    found = scores.filter(
        (pl.col("question") == question) & (pl.col("score").is_not_null() | pl.col("label").is_not_null())
    )
    if not found.height:
        known = scores["question"].unique(maintain_order=True).to_list()
        guess = nearest(question, known)
        raise KostraError(
            f'there is no score or label of "{question}"',
            accepted=some(known, 12) or "there are no scores at all",
            remedy=f'did you mean "{guess}"?' if guess else None,
        )
    return found


def _with_parts(rows: Frame, inputs: Inputs, options: Options, context: Context) -> Frame:
    if options.by is None:
        return rows.with_columns(part=pl.lit(ALL))
    pairs = inputs.get("pairs")
    if pairs is None:
        raise KostraError(f'by = "{options.by}" needs pairs', remedy="read a step that writes pairs")
    named = pairs.select("pair", part=pl.col(options.by).fill_null(f"no {options.by}"))
    joined = rows.join(named, left_on="item", right_on="pair", how="inner", maintain_order="left")
    if joined.height < rows.height:
        context.note("left_out", f"{rows.height - joined.height:,} scores are of no pair that is read")
    return joined.sort("part", maintain_order=True)


def _counts(found: Frame, noun: str) -> dict[str, Estimate]:
    sizes: dict[str, int] = dict(found.group_by("part").agg(pl.col("count").sum()).iter_rows())
    whole = list(sizes) == [ALL]
    return {
        f"count_{value}" if whole else f"count_{part}_{value}": Estimate(
            count, n=sizes[part], note=f"{share:.1%} of {sizes[part]:,} {noun}{'' if whole else f' of {part}'}"
        )
        for part, value, count, share in found.iter_rows()
    }


def _moments(scores: FloatArray, parts: Sequence[str]) -> dict[str, Estimate]:
    column = np.array(parts)
    groups = {ALL: np.ones(len(column), dtype=np.bool_)} | {part: column == part for part in dict.fromkeys(parts)}
    made: dict[str, Estimate] = {}
    for part, inside in groups.items():
        mean, sd = moments(scores[inside])
        ending = "" if part == ALL else f"_{part}"
        made |= {f"distribution_mean{ending}": mean, f"distribution_standard_deviation{ending}": sd}
    return made

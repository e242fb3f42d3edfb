"""The parts of the report as plain data: what the template shows, already in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from kostra import figures, registry
from kostra.recipe import Recipe, Score, Step
from kostra.report.material import Material
from kostra.report.people import summary as annotators_in_words
from kostra.report.words import counted, listed, measured, number, rows
from kostra.steps import Context
from kostra.tables import Frame

# The summary --------------------------------------------------------------------------------------------

PLAIN = {
    "split_half_spearman": "Split-half, answers halved (Spearman)",
    "split_half_pearson": "Split-half, answers halved (Pearson)",
    "split_half_disjoint_spearman": "Split-half, whole tuples halved (Spearman)",
    "split_half_disjoint_pearson": "Split-half, whole tuples halved (Pearson)",
    "cosine_spearman": "Spearman",
    "cosine_pearson": "Pearson",
}


RELIABILITY = ("split_half", "alpha", "kappa", "icc")
"""Words that tell a measure of reliability from other statistics, such as counts."""


def plain(name: str) -> str:
    """A statistic's or metric's name in words.

    Examples
    --------
    >>> plain("krippendorff_alpha"), plain("cosine_spearman")
    ('Krippendorff alpha', 'Spearman')
    """
    words = name.replace("_", " ")
    return PLAIN.get(name, words[:1].upper() + words[1:])


def key_numbers(material: Material) -> list[tuple[str, str]]:
    """The few numbers that stand large at the top: (number, what it counts)."""
    found = [(f"{material.scored.height:,}", "scored pairs" if material.scored.height != 1 else "scored pair")]
    if material.tuples is not None:
        found.append((f"{material.tuples:,}", "tuples"))
    if material.judgments is not None:
        found.append((f"{material.answers:,}", "answers"))
    if material.people():
        found.append(
            (f"{material.people():,}", "simulated annotators" if material.simulated == "all" else "annotators")
        )
    headline = _headline(material)
    if headline is not None:
        found.append((number(headline["value"]), "reliability"))
    return found


def _headline(material: Material) -> dict[str, Any] | None:
    """The first measure of reliability that is defined: recipes name the one that counts first."""
    if material.statistics is None:
        return None
    about_score = pl.col("question") == material.recipe.score.question
    known = pl.any_horizontal(pl.col("statistic").str.contains(word, literal=True) for word in RELIABILITY)
    found = material.statistics.drop_nulls("value").filter(about_score & known)
    return found.row(0, named=True) if found.height else None


def summary(material: Material) -> list[str]:
    """The dataset in a few sentences."""
    score = material.recipe.score
    if not material.scored.height:
        return [f"None of {counted(material.pairs, 'pair')} has a score for {score.question} yet."]
    said = [
        f"{counted(material.scored.height, 'pair')} of sentences {'has' if material.scored.height == 1 else 'have'} a "
        f"score for {score.question.replace('_', ' ')}, on a scale from {score.low:g} to {score.high:g}."
    ]
    if material.judgments is not None:
        shown = f" to {counted(material.tuples, 'tuple')}" if material.tuples else ""
        said.append(
            f"The scores rest on {counted(material.answers, 'answer')}{shown} by {annotators_in_words(material)}; "
            f"{_appearances(material.scored)}."
        )
    said.append(_range(material.scored))
    headline = _headline(material)
    if headline is not None and headline["statistic"] == "split_half_spearman":
        said.append(
            f"Two random halves of the answers give scores that correlate at {number(headline['value'])} (Spearman)."
        )
    elif headline is not None:
        said.append(f"Reliability: {plain(headline['statistic'])} is {number(headline['value'])}.")
    return said


def _appearances(scored: Frame) -> str:
    least, median, most = (scored["appearances"].quantile(share) or 0 for share in (0.0, 0.5, 1.0))
    if least == most:
        return f"each pair was judged {least:,.0f} times" if least != 1 else "each pair was judged once"
    return f"a pair was judged {least:,.0f} to {most:,.0f} times, {median:,.0f} times at the median"


def _range(scored: Frame) -> str:
    scores = [float(value) for value in scored["score"]]
    mean = sum(scores) / len(scores)
    error = scored["standard_error"].median()
    typical = f"; the standard error is {number(error)} at the median" if isinstance(error, float) else ""
    return f"Scores run from {number(scores[-1])} to {number(scores[0])} with a mean of {number(mean)}{typical}."


# The protocol -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StepView:
    """One step of the recipe and what became of it."""

    name: str
    use: str
    does: str
    note: str
    options: str
    read: str
    wrote: str
    findings: tuple[str, ...]


def protocol(recipe: Recipe, context: Context) -> list[StepView]:
    """Every step, with the rows it read and wrote and what it noticed or lost."""
    return [_step(step, context) for step in recipe.steps]


def _step(step: Step, context: Context) -> StepView:
    manifest = context.history.get(step.name)
    prefix = f"{step.name}: "
    return StepView(
        name=step.name,
        use=step.use,
        does=_does(step),
        note=step.note,
        options=", ".join(f"{name} = {_toml(value)}" for name, value in step.options.items()),
        read=_read(step, context.history),
        wrote="this page" if step.name == context.step.name else _wrote(manifest),
        findings=tuple(text.removeprefix(prefix) for text in manifest["findings"]) if manifest else (),
    )


def _does(step: Step) -> str:
    if not registry.exists(step.room, step.component):
        return ""
    return registry.summary(registry.load(step.room, step.component)).replace("`", "")


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).strip('"') if isinstance(value, str) else json.dumps(value)


def _read(step: Step, history: Mapping[str, Mapping[str, Any]]) -> str:
    parts = [f"{rows(history[name]['rows'])} ({name})" for name in step.reads if history.get(name, {}).get("rows")]
    return listed(parts)


def _wrote(manifest: Mapping[str, Any] | None) -> str:
    if manifest is None:
        return "nothing so far: it had not run when this page was made"
    made = rows(manifest["rows"])
    loose = sum(not name.endswith(".parquet") for name in manifest.get("outputs", {}))
    return listed([part for part in (made, counted(loose, "file") if loose else "") if part]) or "nothing"


# Scores and examples ------------------------------------------------------------------------------------

MOST_EXAMPLES = 3


@dataclass(frozen=True)
class PairView:
    """One pair as an example."""

    pair: str
    first: str
    second: str
    score: str
    error: str
    place: float
    """Where the score stands on the scale, from 0 to 100."""
    about: str


@dataclass(frozen=True)
class Level:
    """Examples from one height of the scale."""

    title: str
    pairs: tuple[PairView, ...]


def distribution(material: Material) -> str:
    """The histogram of the scores by subset."""
    score = material.recipe.score
    groups = {name: group["score"].to_list() for name, group in _by_subset(material.scored).items()}
    label = score.question.replace("_", " ")
    return figures.svg_of(figures.histogram(groups, low=score.low, high=score.high, x_label=label))


def _by_subset(scored: Frame) -> dict[str, Frame]:
    """The pairs of each sampling strategy in alphabetical order."""
    named = scored.with_columns(subset=pl.col("subset").fill_null("no subset"))
    return {str(name): group for (name,), group in sorted(named.group_by("subset", maintain_order=True))}


def levels(material: Material) -> list[Level]:
    """Pairs at each named point of the scale or, where it has none, at five heights of the order of scores."""
    scored, score = material.scored, material.recipe.score
    found = _at_points(scored, score) if score.labels else _at_heights(scored)
    return [Level(title, tuple(pair_views(part, score))) for title, part in found if part.height]


def _at_points(scored: Frame, score: Score) -> list[tuple[str, Frame]]:
    """The pairs nearest to each named point, from the top, none further than half a step."""
    found = []
    for place, label in reversed(list(enumerate(score.labels))):
        point = score.low + place
        away = (pl.col("score") - point).abs()
        near = scored.filter(away < 0.5).sort(away, pl.col("pair")).head(MOST_EXAMPLES)
        found.append((f"{point:g}: {label}", near))
    return found


def _at_heights(scored: Frame) -> list[tuple[str, Frame]]:
    """Up to three pairs around each quarter of the order, no pair twice."""
    names = ("Highest scores", "Upper quarter", "Middle", "Lower quarter", "Lowest scores")
    each = min(MOST_EXAMPLES, max(1, scored.height // len(names)))
    last = scored.height - each
    starts = [round(last * quarter / 4) for quarter in range(len(names))]
    free, found = 0, []
    for name, start in zip(names, starts, strict=True):
        begin = max(free, start)
        found.append((name, scored.slice(begin, each)))
        free = begin + each
    return found


def disagreements(material: Material) -> list[PairView]:
    """The pairs with the largest standard errors: where people did not agree, or saw too little."""
    uncertain = material.scored.filter(pl.col("standard_error") > 0)
    worst = uncertain.sort(["standard_error", "pair"], descending=[True, False]).head(2 * MOST_EXAMPLES)
    return pair_views(worst, material.recipe.score)


def pair_views(part: Frame, score: Score) -> list[PairView]:
    """Pairs as they are shown."""
    return [_pair_view(row, score) for row in part.iter_rows(named=True)]


def _pair_view(row: Mapping[str, Any], score: Score) -> PairView:
    error = row["standard_error"]
    origin = dict.fromkeys(text for text in (row["source"], row["subset"]) if text)
    return PairView(
        pair=row["pair"],
        first=row["text_a"],
        second=row["text_b"],
        score=number(row["score"]),
        error=f"± {number(error)}" if error is not None else "",
        place=round(min(max(100 * (row["score"] - score.low) / (score.high - score.low), 0), 100), 1),
        about=", ".join([*origin, counted(row["appearances"], "answer")]),
    )


# Reliability --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statistic:
    """One figure about the judgments."""

    name: str
    question: str
    value: str
    interval: str
    n: str
    note: str


def reliability(material: Material) -> list[Statistic]:
    """All statistics in their order."""
    found: Sequence[dict[str, Any]] = [] if material.statistics is None else material.statistics.to_dicts()
    return [
        Statistic(
            name=plain(row["statistic"]),
            question=row["question"].replace("_", " "),
            value=measured(row["value"]),
            interval=f"{measured(row['low'])} to {measured(row['high'])}" if row["low"] is not None else "",
            n=f"{row['n']:,}",
            note=row["note"] or "",
        )
        for row in found
    ]

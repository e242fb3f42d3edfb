"""Scores: how they spread, what pairs at each level look like, and where people did not agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from kostra import figures
from kostra.recipe import Score
from kostra.report.blocks import Block, Drawing, Pair, Pairs, Section, Table, Text, section
from kostra.report.material import Material
from kostra.report.words import counted, number
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_EXAMPLES = 3
MOST_ANSWERS = 12
"""Answers to a pair that are written out; of more, only how often each was given."""
NO_SUBSET = "no subset"


def scores(material: Material) -> Section:
    """The distribution, by the way pairs were sampled, and the labels."""
    if not (material.scored.height or material.labelled.height or material.others.height):
        return section("scores", "Scores", Text("No pair has a score yet."))
    blocks: list[Block] = []
    if material.scored.height:
        several = material.scored["subset"].n_unique() > 1
        by = ", by subset" if several else ""
        caption = f"How many pairs have which score for {material.question}{by}."
        blocks.append(Drawing("score_distribution", caption, _histogram(material)))
        blocks.append(_by_subset(material))
    return section("scores", "Scores", blocks, _others(material.others), _labels(material.labelled))


def _histogram(material: Material) -> Figure:
    score = material.recipe.score
    named = material.scored.with_columns(subset=pl.col("subset").fill_null(NO_SUBSET))
    parts = sorted(named.group_by("subset", maintain_order=True))
    values = {str(name).replace("_", " "): group["score"].to_list() for (name,), group in parts}
    return figures.histogram(values, low=score.low, high=score.high, x_label=material.question)


def _by_subset(material: Material) -> Table:
    """Size, mean and spread of each subset and source."""
    named = material.scored.with_columns(pl.col("subset", "source").fill_null("none"))
    parts = sorted(named.group_by("subset", "source", maintain_order=True))
    made = [(str(subset).replace("_", " "), str(source), *_described(part)) for (subset, source), part in parts]
    if len(made) > 1:
        made.append(("all", "all", *_described(material.scored)))
    head = ("Subset", "Source", "Pairs", "Mean", "Standard deviation", "Lowest", "Median", "Highest")
    caption = f"Scores for {material.question} by subset and source."
    return Table("scores_by_subset", caption, head, tuple(made), numbers=tuple(range(2, 8)))


def _described(part: Frame) -> tuple[str, ...]:
    score = part["score"]
    values = [score.mean(), score.std(), score.min(), score.median(), score.max()]
    return (f"{part.height:,}", *(number(value) if isinstance(value, float) else "" for value in values))


def _labels(labelled: Frame) -> Table | None:
    """How often each label was given."""
    if not labelled.height:
        return None
    counts = (
        labelled.group_by("question", "label").len().sort(["question", "len", "label"], descending=[False, True, False])
    )
    totals = dict(labelled.group_by("question").len().iter_rows())
    made = [
        (question.replace("_", " "), _label(label), f"{count:,}", f"{count / totals[question]:.1%}")
        for question, label, count in counts.iter_rows()
    ]
    head = ("Question", "Label", "Items", "Share")
    return Table("labels", "Labels after aggregation.", head, tuple(made), numbers=(2, 3), grouped=True)


def _others(others: Frame) -> Table | None:
    """Scores for questions other than the main one."""
    if not others.height:
        return None
    made = [
        (str(name).replace("_", " "), *_described(part))
        for (name,), part in sorted(others.group_by("question", maintain_order=True))
    ]
    head = ("Question", "Items", "Mean", "Standard deviation", "Lowest", "Median", "Highest")
    return Table("other_scores", "Scores for other questions.", head, tuple(made), numbers=tuple(range(1, 7)))


def _label(label: str) -> str:
    """A label as people read it; a tie names its sides."""
    plain = label.replace("_", " ")
    return f"tie of {plain.removeprefix('tie:').replace('|', ', ')}" if plain.startswith("tie:") else plain


# Examples -----------------------------------------------------------------------------------------------


def examples(material: Material) -> Section | None:
    """Pairs at each named point of the scale or, where it has none, at five heights of the order of scores."""
    scored, score = material.scored, material.recipe.score
    found = _at_points(scored, score) if score.labels else _at_heights(scored)
    judged = bool(material.main)
    levels = [
        Pairs(
            tuple(
                _pair(row, score, counted(row["appearances"], "answer") if judged else "")
                for row in part.iter_rows(named=True)
            ),
            title,
        )
        for title, part in found
    ]
    shown = [level for level in levels if level.pairs]
    if not shown:
        return None
    sure = bool(scored["standard_error"].is_not_null().any())
    said = f"Pairs from top to bottom of the scale, with their scores{' ± standard error' if sure else ''}."
    return section("examples", "Examples at each level", Text(said), shown)


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


def _pair(row: Mapping[str, Any], score: Score, answers: str) -> Pair:
    error = row["standard_error"]
    origin = dict.fromkeys(text.replace("_", " ") for text in (row["source"], row["subset"]) if text)
    return Pair(
        pair=row["pair"],
        first=row["text_a"],
        second=row["text_b"],
        score=number(row["score"]),
        error=f"± {number(error)}" if error is not None else "",
        place=round(min(max(100 * (row["score"] - score.low) / (score.high - score.low), 0), 100), 1),
        about=", ".join([*origin, *([answers] if answers else [])]),
    )


# Disagreements ------------------------------------------------------------------------------------------


def disagreements(material: Material) -> Section | None:
    """The pairs with the largest standard errors, with the answers themselves."""
    uncertain = material.scored.filter(pl.col("standard_error") > 0)
    worst = uncertain.sort(["standard_error", "pair"], descending=[True, False]).head(2 * MOST_EXAMPLES)
    if not worst.height:
        return None
    score = material.recipe.score
    shown = [_pair(row, score, answers_to(row["pair"], material)) for row in worst.iter_rows(named=True)]
    said = "The pairs whose answers differ most, or are fewest: those with the largest standard errors."
    return section("disagreements", "Disagreements worth reading", Text(said), Pairs(tuple(shown)))


def answers_to(pair: str, material: Material) -> str:
    """What people said about one pair, in words; nothing where that is not known."""
    chosen = pl.col("value") == pair
    if material.best_worst:
        often = [material.basis.filter(chosen & (pl.col("question") == what)).height for what in ("best", "worst")]
        shown = material.scored.filter(pl.col("pair") == pair)["appearances"]
        return f"shown {shown[0]:,} times: {often[0]:,} times best, {often[1]:,} times worst" if shown.len() else ""
    own = material.basis.filter((pl.col("item") == pair) & (pl.col("question") == material.main))
    values = sorted((str(value) for value in own["value"].drop_nulls()), key=_order)
    return _listed(values)


def _order(value: str) -> tuple[float, str]:
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value


def _listed(values: Sequence[str]) -> str:
    if not values:
        return ""
    short = [f"{float(value):g}" if _order(value)[0] != float("inf") else value for value in values]
    if len(short) <= MOST_ANSWERS:
        return f"answers: {', '.join(short)}"
    return "answers: " + ", ".join(f"{value} ({count} times)" for value, count in Counter(short).items())

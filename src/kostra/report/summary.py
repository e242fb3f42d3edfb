"""The top of the page: the dataset in a few sentences and a few numbers."""

from __future__ import annotations

from typing import Any

import polars as pl

from kostra.report.agreement import plain, with_intervals
from kostra.report.material import Material
from kostra.report.words import counted, interval, number
from kostra.tables import Frame

RELIABILITY = ("split_half", "alpha_interval", "inter_annotator_pearson", "icc", "alpha_ordinal", "alpha", "kappa")
"""Words that tell a measure of reliability from other statistics, such as counts; the more telling come first."""


def key_numbers(material: Material) -> list[tuple[str, str]]:
    """The few numbers that stand large at the top: (number, what it counts)."""
    made_up = material.simulated == "all"
    counts = [
        (material.scored.height, "scored pair", ""),
        (0 if material.scored.height or material.sentences is not None else material.pairs.height, "pair", ""),
        (0 if material.sentences is None else material.sentences.height, "sentence", ""),
        (material.tuple_count or 0, "tuple", ""),
        (material.answers, "answer", ""),
        (material.people, "simulated annotator" if made_up else "annotator", ""),
    ]
    found = [(f"{count:,}", one if count == 1 else f"{one}s") for count, one, _ in counts if count]
    best = headline(material)
    return [*found, (number(best["value"]), "reliability")] if best is not None else found


def headline(material: Material) -> dict[str, Any] | None:
    """The most telling measure of reliability that is defined."""
    if material.statistics is None:
        return None
    own = material.statistics.drop_nulls("value").filter(pl.col("question") == material.recipe.score.question)
    for word in RELIABILITY:
        found = with_intervals(own.filter(pl.col("statistic").str.contains(word, literal=True)).head(1))
        if found.height:
            return found.row(0, named=True)
    return None


def summary(material: Material) -> list[str]:
    """The dataset in a few sentences."""
    score = material.recipe.score
    if not material.scored.height:
        return [_without_scores(material)]
    said = [
        f"{counted(material.scored.height, 'pair')} of sentences {'has' if material.scored.height == 1 else 'have'} a "
        f"score for {material.question}, on a scale from {score.low:g} to {score.high:g}."
    ]
    if material.main and material.answers:
        shown = f" to {counted(material.tuple_count, 'tuple')}" if material.tuple_count else ""
        said.append(
            f"The scores rest on {counted(material.answers, 'answer')}{shown} by {annotators_in_words(material)}; "
            f"{_appearances(material.scored)}."
        )
    elif material.answers:
        said.append(f"{counted(material.answers, 'answer')} came from {annotators_in_words(material)}.")
    said.append(_range(material.scored))
    best = headline(material)
    if best is not None:
        ends = interval(best["low"], best["high"])
        said.append(
            f"Reliability is {number(best['value'])}{f' ({ends})' if ends else ''}: {_lower(plain(best['statistic']))}."
        )
    return said


def _lower(words: str) -> str:
    """Words that go on with a sentence; a person's name keeps its capital."""
    return words if words.startswith(("Krippendorff", "Fleiss", "Cohen")) else words[:1].lower() + words[1:]


def _without_scores(material: Material) -> str:
    if material.pairs.height:
        said = f"None of {counted(material.pairs.height, 'pair')} has a score for {material.question} yet."
    elif material.sentences is not None:
        said = f"{counted(material.sentences.height, 'sentence')} are here, and no scores for {material.question} yet."
    else:
        said = f"There is nothing to score for {material.question} yet."
    return f"{said} {counted(material.answers, 'answer')} came in so far." if material.answers else said


def annotators_in_words(material: Material) -> str:
    """Who answered."""
    known = material.people
    if not known:
        return "annotators whose names are not known"
    what = "simulated annotator" if material.simulated == "all" else "annotator"
    asked = material.annotators.height if material.annotators is not None else known
    return f"{known:,} of {counted(asked, what)}" if asked > known else counted(known, what)


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

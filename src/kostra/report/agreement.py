"""How far people agree, with intervals: what the recipe measured and, where it has none, what the answers allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from kostra import figures
from kostra.errors import KostraError
from kostra.ratings import Ratings, ratings_of
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.reliability.inter_annotator import inter_annotator
from kostra.reliability.krippendorff_alpha import fitting_level, krippendorff_alpha
from kostra.report.blocks import Drawing, Section, Table, Text, section
from kostra.report.material import Material
from kostra.report.words import interval, measured
from kostra.tables import STATISTICS, Frame

SAMPLES = 500
"""Bootstrap samples for intervals that are computed here."""
NORMAL = 1.959963984540054
PLAIN = {
    "split_half_spearman": "Split-half, answers halved (Spearman)",
    "split_half_pearson": "Split-half, answers halved (Pearson)",
    "split_half_disjoint_spearman": "Split-half, whole tuples halved (Spearman)",
    "split_half_disjoint_pearson": "Split-half, whole tuples halved (Pearson)",
    "cosine_spearman": "Spearman",
    "cosine_pearson": "Pearson",
    "spearman": "Spearman",
    "mse": "MSE",
    "rmse": "RMSE",
    "cosine_mse": "MSE",
    "krippendorff_alpha": "Krippendorff’s α",
    "krippendorff_alpha_nominal": "Krippendorff’s α, nominal",
    "krippendorff_alpha_ordinal": "Krippendorff’s α, ordinal",
    "krippendorff_alpha_interval": "Krippendorff’s α, interval",
    "fleiss_kappa": "Fleiss’ κ",
    "cohen_kappa": "Cohen’s κ",
    "inter_annotator_pearson": "One against the rest (Pearson)",
    "inter_annotator_spearman": "One against the rest (Spearman)",
    "inter_annotator_rmse": "One against the rest (RMSE)",
    "inter_annotator_mse": "One against the rest (MSE)",
    "intra_annotator_pearson": "Repeats by one person (Pearson)",
    "intra_annotator_spearman": "Repeats by one person (Spearman)",
    "intra_annotator_rmse": "Repeats by one person (RMSE)",
    "intra_annotator_mse": "Repeats by one person (MSE)",
    "oracle_bound": "Squared error of a perfect model, at least",
    "thinking_time_rmse": "Answers against round 1 (RMSE)",
    "calibration_pearson": "Answers against round 1 (Pearson)",
}
ABOUT_HALVES = (
    "The answers are divided at random into two halves, each half is scored by itself, and the two sets of scores are "
    "correlated. Both halves are half as long as the whole, and no correction is made for that."
)
ABOUT_TUPLES = (
    " Halving the answers inside each tuple keeps an item in the same company; halving whole tuples changes the "
    "company too, and is the stricter figure."
)
MOST_ROWS = 40
MOST_BARS = 14


def plain(name: str) -> str:
    """A statistic's or metric's name in words.

    Examples
    --------
    >>> plain("krippendorff_alpha"), plain("cosine_spearman"), plain("mean_length")
    ('Krippendorff’s α', 'Spearman', 'Mean length')
    """
    words = name.replace("_", " ")
    return PLAIN.get(name, words[:1].upper() + words[1:])


def agreement(material: Material, rng: np.random.Generator) -> Section:
    """The table, its figure, and what split halves are."""
    statistics = measures(material, rng)
    if statistics is None or not statistics.height:
        said = "No agreement was measured: there are no answers of two people to the same items here."
        if material.basis.height and not material.main:
            said = f"No agreement was measured: nobody was asked for {material.question} itself."
        return section("agreement", "Agreement", Text(said))
    halves = statistics["statistic"].str.starts_with("split_half").any()
    about = Text(ABOUT_HALVES + (ABOUT_TUPLES if material.best_worst else "")) if halves else None
    return section("agreement", "Agreement", about, _drawing(statistics), _table(statistics))


def measures(material: Material, rng: np.random.Generator) -> Frame | None:
    """The recipe's statistics, completed by those with intervals that the ratings allow."""
    own = with_intervals(material.statistics) if material.statistics is not None else None
    known = set() if own is None else set(own["statistic"])
    if any(name.startswith(("krippendorff", "fleiss", "inter")) for name in known):
        return own
    more = _computed(material, rng)
    if more is None:
        return own
    return more if own is None else pl.concat([own, more.filter(~pl.col("statistic").is_in(list(known)))])


def _computed(material: Material, rng: np.random.Generator) -> Frame | None:
    question = material.main
    if not question or material.best_worst:
        return None
    try:
        ratings = ratings_of(material.basis, question)
        return statistics_table(_estimates(ratings, rng), question=question)
    except KostraError:  # anonymous answers, or one person twice: nothing can be compared
        return None


def _estimates(ratings: Ratings, rng: np.random.Generator) -> Mapping[str, Estimate]:
    level = fitting_level(ratings)
    found = {f"krippendorff_alpha_{level}": krippendorff_alpha(ratings, level=level, samples=SAMPLES, rng=rng)}
    if ratings.labels is None and ratings.annotators is not None and len(ratings.annotators) > 1:
        among = inter_annotator(ratings, samples=SAMPLES, rng=rng)
        found |= {f"inter_annotator_{name}": among[name] for name in ("pearson", "spearman")}
    return found


def with_intervals(statistics: Frame) -> Frame:
    """Give correlations of halves an interval over items (Fisher's z), where they have none.

    References
    ----------
    D. G. Bonett and T. A. Wright (2000). Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations. Psychometrika 65, 23–28: the variance of z is (1 + r²/2) / (n − 3) for Spearman, 1 / (n − 3) for
    Pearson.

    Examples
    --------
    For r = 0 and n = 7 z lies between ±1.96 / √4, and tanh(0.98) = 0.753.

    >>> rows = [("split_half_pearson", "x", 0.0, None, None, 7, None)]
    >>> frame = pl.DataFrame(rows, schema=STATISTICS.dtypes, orient="row")
    >>> [round(end, 3) for end in with_intervals(frame).select("low", "high").row(0)]
    [-0.753, 0.753]
    """
    rows = [_with_interval(row) for row in statistics.iter_rows(named=True)]
    return pl.DataFrame(rows, schema=STATISTICS.dtypes)


def _with_interval(row: Mapping[str, Any]) -> dict[str, Any]:
    r, n = row["value"], row["n"]
    if not row["statistic"].startswith("split_half") or row["low"] is not None or r is None or n < 4 or abs(r) >= 1:
        return dict(row)
    variance = (1 + r * r / 2 if row["statistic"].endswith("spearman") else 1) / (n - 3)
    ends = [math.tanh(math.atanh(r) + side * NORMAL * math.sqrt(variance)) for side in (-1, 1)]
    said = "; ".join(part for part in (row["note"], "interval over items by Fisher’s z") if part)
    return {**row, "low": ends[0], "high": ends[1], "note": said}


def _table(statistics: Frame) -> Table:
    several = statistics["question"].n_unique() > 1
    made = []
    for row in statistics.iter_rows(named=True):
        about = (row["question"].replace("_", " "),) if several else ()
        ends = interval(row["low"], row["high"], 3) if abs(row["value"] or 0) < 10 else ""
        made.append((plain(row["statistic"]), *about, measured(row["value"]), ends, f"{row['n']:,}", row["note"] or ""))
    head = ("Statistic", *(("Question",) if several else ()), "Value", "95% interval", "n", "Note")
    at = 2 if several else 1
    caption = "What was measured of the judgments; n is the number of units it rests on."
    return Table("agreement", caption, head, tuple(made), numbers=(at, at + 1, at + 2), most=MOST_ROWS)


def _drawing(statistics: Frame) -> Drawing | None:
    """The coefficients that have an interval; errors and counts are on other scales."""
    shown = statistics.drop_nulls(["value", "low", "high"]).filter(pl.col("value").abs() <= 1)
    shown = shown.filter(~pl.col("statistic").str.contains("mse|bound|share|count|calibration"))
    if not 1 < shown.height <= MOST_BARS:
        return None
    bars = [
        figures.Bar(plain(row["statistic"]), row["question"].replace("_", " "), row["value"], row["low"], row["high"])
        for row in shown.iter_rows(named=True)
    ]
    figure = figures.bars(bars, x_label="coefficient, with its 95% interval", title="Agreement", most=44)
    return Drawing("agreement", "Agreement and reliability; 1 would be perfect. Lines are 95% intervals.", figure)

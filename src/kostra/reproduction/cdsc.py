"""CDSCorpus: the distribution of relatedness from all 10,000 pairs; labels of one direction only were released."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from kostra import figures
from kostra.analysis.distribution import counted, counts_figure, degrees, rounded
from kostra.reproduction.checks import Check, Picture, compare, completeness, not_released, shares
from kostra.sources.released import cdsc as release
from kostra.steps import Progress, silent

DATASET = "cdsc"
TITLE = "CDSCorpus: Polish evaluation dataset for compositional distributional semantics models"
CITATION = release.CITATION
FILES = {"cdsc_train.tsv": 8000, "cdsc_trial.tsv": 1000, "cdsc_test_scores.tsv": 1000}

_TABLE_1 = {
    "dropping conjunction": ("139", "2.0%"), "removing conjunct in adjunct": ("485", "6.9%"),
    "passivisation": ("893", "12.8%"), "removing adjuncts": ("1013", "14.5%"),
    "swapping rc↔ptcp": ("1291", "18.4%"), "negation": ("1304", "18.6%"), "mixing dependents": ("1878", "26.8%"),
}  # fmt: skip
_TABLE_2 = {
    "sense": ("171", "12.3"), "semantic": ("407", "29.2"), "grammatical": ("243", "17.4"),
    "word order": ("141", "10.1"), "punctuation": ("366", "26.2"), "other": ("68", "4.9"),
}  # fmt: skip
_TABLE_3 = {"0": "1978", "1": "1428", "2": "1082", "3": "2159", "4": "2387", "5": "966"}
_TABLE_4 = {
    "neutral+neutral": "6483", "entailment+neutral": "1748", "entailment+entailment": "933",
    "contradiction+contradiction": "721", "contradiction+neutral": "115",
}  # fmt: skip
_AGREEMENT = {
    "Fleiss κ, entailment labels": "0.734", "Fleiss κ, six degrees of relatedness": "0.337",
    "Fleiss κ, <0>, <1, 2, 3, 4>, <5>": "0.543", "Krippendorff α, nominal": "0.340",
    "Krippendorff α, ordinal": "0.780", "Krippendorff α, interval": "0.785",
}  # fmt: skip

_NO_RULES = "the release does not say which sentence a rule made, nor which rule"
_NO_ERRORS = "the sentences before correction were not released"


def recompute(
    files: Mapping[str, Path], *, progress: Progress = silent
) -> tuple[list[Check], list[Picture], list[str]]:
    """All tables and figures of the text, in the order of the paper."""
    read = {name: release.read_scores(path) for name, path in files.items()}
    lacking = [
        said for name, rows in FILES.items() for said in completeness(read[name]["item"].n_unique(), rows, files[name])
    ]
    scores = pl.concat(list(read.values()))
    relatedness = scores.filter(pl.col("question") == "relatedness")["score"].to_numpy()
    labels = counted(scores.drop_nulls("label")["label"].to_list(), order=release.LABELS)
    whole = rounded(relatedness, "half_up")
    found = counted([f"{degree:g}" for degree in whole], order=degrees(release.LOW, release.HIGH))
    count_of = dict(found.select("value", "count").iter_rows())
    progress(1, 1)
    checks = [
        *not_released(
            "§2.1",
            {"images": "1,000", "themes": "46", "images of the smallest theme": "6", "of the largest": "94"},
            "the release does not say which pairs belong to which image",
        ),
        *not_released(
            "Table 1",
            {f"{rule}, selected": count for rule, (count, _) in _TABLE_1.items()},
            _NO_RULES,
        ),
        *shares("Table 1", _column(_TABLE_1, 0), _column(_TABLE_1, 1), why=_NO_RULES),
        *not_released(
            "Table 2",
            {f"{kind}, errors": count for kind, (count, _) in _TABLE_2.items()},
            _NO_ERRORS,
        ),
        *shares("Table 2", _column(_TABLE_2, 0), _column(_TABLE_2, 1), why=_NO_ERRORS),
        *not_released(
            "§3.3",
            {"sentences mended in place": "312", "sentences judged again": "29"},
            "the judges' suggestions were not released",
        ),
        *(
            compare(
                "Table 3",
                f"relatedness {degree}",
                printed,
                count_of[degree],
                how="mean of six ratings, as released with two decimals, rounded half up",
            )
            for degree, printed in _TABLE_3.items()
        ),
        compare("Table 3", "total", "10,000", len(relatedness), how=f"rows of {', '.join(files)} together"),
        *not_released("Table 4", _TABLE_4, _one_direction(dict(labels.select("value", "count").iter_rows()))),
        *not_released("§4.2", _AGREEMENT, "the answers of single judges were not released, only means and majorities"),
    ]
    drawn = counts_figure(found, x_label="pairs", title="Pairs by relatedness")
    picture = Picture("Table 3", "Pairs at each whole degree of relatedness, as a picture.", figures.svg_of(drawn))
    return checks, [picture], lacking


def _column(table: Mapping[str, tuple[str, str]], place: int) -> dict[str, str]:
    return {row: cells[place] for row, cells in table.items()}


def _one_direction(label: Mapping[str, int]) -> str:
    """Why the labels of both directions cannot be counted, and that those of one do not contradict the paper."""
    least = {name: int(_TABLE_4[f"{name}+{name}"]) for name in release.LABELS}
    most = {
        name: sum(int(printed) for pair, printed in _TABLE_4.items() if name in pair.split("+"))
        for name in release.LABELS
    }
    said = ", ".join(f"{label[name]:,} {name}" for name in release.LABELS)
    agrees = all(least[name] <= label[name] <= most[name] for name in release.LABELS)
    return (
        f"one label per pair was released, that of the direction (A, B): {said}, "
        f"{'each within' if agrees else 'not all within'} what the table's two directions allow"
    )

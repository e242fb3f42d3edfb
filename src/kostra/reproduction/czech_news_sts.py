"""Czech News STS: what the context-free test part tells; annotators, contexts and the training part are not in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from kostra import figures
from kostra.analysis.distribution import moments
from kostra.analysis.parts import distribution_figure, in_units
from kostra.analysis.two_rounds import random_control
from kostra.correlate import correlation
from kostra.ratings import FloatArray, ratings_of
from kostra.reliability.oracle_bound import oracle_bound
from kostra.reliability.round_correlation import Rounds, side_by_side
from kostra.reproduction.checks import Check, Picture, compare, completeness, grid, not_released
from kostra.resample import seeded
from kostra.sources.released import czech_news_sts as release
from kostra.steps import Progress, silent
from kostra.tables import Frame

DATASET = "czech_news_sts"
TITLE = "Czech News Dataset for Semantic Textual Similarity"
CITATION = release.CITATION
FILES = {"cna_free_test.tsv": 1200}

_TABLE_1 = {"inter": ("0.832", "0.777", "1.140", "1.461"), "intra": ("0.746", "0.719", "1.396", "1.948")}
_TABLE_2 = {
    "RAW": ("", "0.8733", ""), "N2": ("0.8831", "0.8792", "1101"), "N2-rand": ("", "0.8736", ""),
    "N1": ("0.8932", "0.8918", "913"), "N1-rand": ("", "0.8714", ""),
}  # fmt: skip
_RANDOM = {"N2-rand": ("0.8782", 1101), "N1-rand": ("0.8759", 913)}
_DRAWS = 2000
_TABLE_3 = {
    "MSE": ("1.5043", "1.1181", "1.7756", "1.3483", "2.0352"),
    "Pearson": ("82.8300", "91.887", "88.177", "91.383", "86.158"),
    "Spearman": ("73.8225", "89.291", "85.568", "88.966", "83.634"),
}
_TABLE_3_COLUMNS = (
    "W2V",
    "Czert cross-attention",
    "Czert two-tower",
    "Slavic BERT cross-attention",
    "Slavic BERT two-tower",
)
_TABLE_4 = {
    "train-raw": ("2.46", "2.12", "116956"), "train-N2": ("2.56", "2.15", "101413"),
    "train-N1": ("2.53", "2.26", "85374"), "test dep": ("2.92", "1.65", "1200"),
    "test-sig free": ("1.41", "2.02", "90"), "test-sig dep": ("2.57", "1.85", "90"),
}  # fmt: skip
_TABLE_5 = {
    "size": ("116956", "101413", "85374"),
    "Czert-CA, Pearson": ("91.887", "91.525", "91.25"), "Czert-CA, Spearman": ("89.282", "89.346", "89.10"),
    "Pavlov-CA, Pearson": ("91.383", "91.14", "91.039"), "Pavlov-CA, Spearman": ("88.966", "89.056", "89.034"),
}  # fmt: skip

_NO_CONTEXT = "needs the answers given in context, which are not in the context-free test part"
_NO_NAMES = (
    "needs to know who gave which answer: the nine answers of a line are not nine fixed people, since 216 people gave "
    "50 each, and the release names nobody"
)
_NO_TRAIN = "needs the training part, which is not among the files"
_NO_CLASSES = "needs to know which pairs were picked as A, B and C, which was not released"


def recompute(
    files: Mapping[str, Path], *, progress: Progress = silent
) -> tuple[list[Check], list[Picture], list[str]]:
    """All tables and figures of the text, in the order of the paper."""
    ((name, rows),) = FILES.items()
    read = release.read(files[name])
    scores, judgments = read.tables["scores"], read.tables["judgments"]
    similarity = scores.filter(pl.col("question") == "similarity")["score"].to_numpy()
    lacking = completeness(len(similarity), rows, files[name])
    mean, sd = moments(similarity)
    rest = "of the test part without context"
    checks = [
        *not_released(
            "Abstract",
            {"annotators": "485", "hours": "1,017", "annotators of round 1": "269", "of round 2": "216"},
            _NO_NAMES,
        ),
        *_sizes(judgments),
        *not_released("Figures 1–3, 5, 6", ["screens and diagrams"], "pictures of the protocol, without data"),
        *not_released("Figure 4", ["RMSE by thinking time", "calibration curve"], f"{_NO_NAMES}; no times either"),
        *not_released("Table 1", grid(["pcorr", "spcorr", "RMSE", "MSE"], _TABLE_1), _NO_NAMES),
        *_bound(judgments),
        *_rounds(scores),
        *not_released("Table 2", _table_2("RAW", "N2-rand", "N1-rand"), _NO_CONTEXT),
        *not_released("Table 2", _table_2("N2", "N1"), _NO_CLASSES),
        *not_released("§5", {"pairs with fewer than seven answers in context": "21"}, _NO_CONTEXT),
        *not_released("Figure 7", ["a: training part"], _NO_TRAIN),
        *not_released("Figure 7", ["b: test part"], "a picture without numbers; drawn again on the page"),
        *not_released("Figure 8", {"mean gain": "0.268", "standard deviation of the gain": "0.504"}, _NO_CONTEXT),
        *not_released(
            "Table 3", grid(_TABLE_3_COLUMNS, _TABLE_3), f"{_NO_TRAIN}, and models that come with no dataset"
        ),
        *not_released("Figure 9", {"rejected at 0.05": "7.50%", "rejected at 0.01": "1.83%"}, _NO_CONTEXT),
        *not_released("Figure 10", ["scores by class"], _NO_CLASSES),
        compare("Table 4", "test free, mean", "2.66", mean.value, how=f"of the means {rest}"),
        compare(
            "Table 4",
            "test free, variance",
            "1.78",
            sd.value,
            how="what the paper calls variance is the standard deviation (n − 1)",
        ),
        compare("Table 4", "test free, size", "1200", mean.n),
        *not_released(
            "Table 4",
            grid(["mean", "variance", "size"], {name: row for name, row in _TABLE_4.items() if "train" in name}),
            _NO_TRAIN,
        ),
        *not_released(
            "Table 4",
            grid(["mean", "variance", "size"], {name: row for name, row in _TABLE_4.items() if "test" in name}),
            _NO_CONTEXT,
        ),
        *not_released(
            "Table 5", grid(["RAW", "N2", "N1"], _TABLE_5), f"{_NO_TRAIN}, and models that come with no dataset"
        ),
    ]
    progress(1, 1)
    return checks, [_figure_7b(similarity)], [*lacking, *map(str, read.findings)]


def _sizes(judgments: Frame) -> list[Check]:
    per_pair = judgments.group_by("item").len()["len"]
    return [
        compare("§4.2", "answers per pair, fewest", "9", int(per_pair.min() or 0)),  # type: ignore[arg-type]
        compare("§4.2", "answers per pair, most", "9", int(per_pair.max() or 0)),  # type: ignore[arg-type]
        compare(
            "Abstract",
            "answers of the test part without context",
            f"{(138_556 - 116_956) // 2}",
            judgments.height,
            how="138,556 annotations in all less 116,956 for training, half of the rest in context",
        ),
    ]


def _bound(judgments: Frame) -> list[Check]:
    ratings = ratings_of(judgments, "similarity")
    found = oracle_bound(ratings, rng=seeded(0), samples=1)
    printed = "0.1731"
    other = 2 * float(printed) - found.value
    return [
        compare(
            "§5",
            "lower bound of the squared error",
            printed,
            found.value,
            how="mean over pairs of (8/6) s²/9 with the sample variance of the nine answers without context",
            otherwise=f"the paper does not say over which answers it averages: if over both parts, the one in context, "
            f"which is not here, would have {other:.3f}",
        )
    ]


def _rounds(scores: Frame) -> list[Check]:
    """The correlation as released, and with the one score that lies outside the scale read without its minus."""
    low, high = release.LOW, release.HIGH
    as_it_is = side_by_side(scores, "round_1", "similarity", low=low, high=high)
    outside = {
        ("round_1", item): -score
        for item, score in zip(as_it_is.items, as_it_is.first.tolist(), strict=True)
        if score < low
    }
    mended = side_by_side(scores, "round_1", "similarity", low=low, high=high, corrections=outside)
    said = ", ".join(f"−{score:g} ({_line(item)}) as {score:g}" for (_, item), score in outside.items())
    released, without_minus = (correlation(one.first, one.second, ranks=False) for one in (as_it_is, mended))
    why = f"scores of round 1 lie outside the scale; reading {said} gives {without_minus:.4f}" if outside else ""
    return [
        compare("Table 2", "RAW, cfree, as released", "0.8787", released, otherwise=why),
        compare("Table 2", "RAW, cfree, minus signs dropped", "0.8787", without_minus, how=said and f"reads {said}"),
        compare("Table 2", "RAW, intersection", "1200", len(as_it_is.items)),
        *(_control(mended, name, printed, size) for name, (printed, size) in _RANDOM.items()),
    ]


def _line(item: str) -> str:
    """A pair of the release is called after its line: line-0004."""
    return f"line {int(item.rpartition('-')[2])}"


def _control(rounds: Rounds, name: str, printed: str, size: int) -> Check:
    """Random sets of the size that a filter leaves; they need no classes."""
    found = random_control(rounds.first, rounds.second, size=size, draws=_DRAWS, rng=seeded(0))
    return compare(
        "Table 2",
        f"{name}, cfree",
        printed,
        found.mean,
        how=f"mean of {_DRAWS:,} random sets of {size:,} pairs; one set varies by {found.sd:.4f} (standard deviation)",
        otherwise="the paper does not say over how many random sets it averages",
    )


def _table_2(*rows: str) -> dict[str, str]:
    return grid(["cfree", "cdep", "intersection"], {row: _TABLE_2[row] for row in rows})


def _figure_7b(similarity: FloatArray) -> Picture:
    counts = {"test": in_units(similarity, low=release.LOW, high=release.HIGH, unit=0.2)}
    drawn = distribution_figure(counts, x_label="similarity, in units of 0.2", title="Scores of the test part")
    return Picture("Figure 7", "b: scores of the test part without context.", figures.svg_of(drawn))

"""COSTRA 1.0: string similarities from COSTRA 1.1, which left seven kinds of rewrites alone and extended six."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from kostra.analysis.distribution import counted
from kostra.analysis.rewrite_statistics import mean_length
from kostra.analysis.transformations import string_column
from kostra.correlate import correlation
from kostra.reproduction.checks import (
    Check,
    Picture,
    as_printed,
    compare,
    completeness,
    grid,
    not_released,
    number_of,
    total,
)
from kostra.sources.released import costra as release
from kostra.steps import Progress, silent
from kostra.tables import Frame
from kostra.text import words

DATASET = "costra"
TITLE = "COSTRA 1.0: A Dataset of Complex Sentence Transformations"
CITATION = (
    "Petra Barančíková and Ondřej Bojar. 2020. COSTRA 1.0: A Dataset of Complex Sentence Transformations. In "
    "Proceedings of the 12th Language Resources and Evaluation Conference."
)
FILES = {"costra11.tsv": 6968}

_TABLE_1 = {
    "change of aspect": "4", "opposite/shifted meaning": "15", "less formally": "6", "change into possibility": "4",
    "ban": "4", "exaggeration": "7", "concretization": "15", "generalization": "9", "change of locality": "3",
    "change of gender": "2",
}  # fmt: skip
_TABLE_3_COLUMNS = ("annotations", "sentences", "impossible", "typos", "mean length", "mean time")
_TABLE_3 = {
    "armadillo": ("69", "1035", "0", "9", "10.3", "12:32"), "wolverine": ("42", "598", "32", "13", "9.6", "14:32"),
    "honeybadger": ("39", "584", "1", "28", "10.4", "30:38"), "gorilla": ("31", "448", "17", "16", "9.8", "16:55"),
    "porcupine": ("31", "465", "0", "6", "11.3", "8:55"), "lumpfish": ("23", "329", "16", "4", "8.4", "13:28"),
    "crane": ("22", "319", "11", "15", "9.2", "15:30"), "meerkat": ("17", "241", "14", "17", "9.1", "27:36"),
    "axolotl": ("8", "116", "4", "11", "10.1", "24:02"), "bullshark": ("6", "90", "0", "2", "9.8", "20:59"),
    "flamingo": ("3", "45", "0", "8", "11.3", "11:37"), "capybara": ("2", "30", "0", "0", "7.6", "25:06"),
}  # fmt: skip
_TABLE_3_TOTAL = ("293", "4,300", "95", "129")
_TABLE_4 = {
    "1 person": ("30", "438", "99.8%"), "2 persons": ("30", "851", "97.3%"), "3 persons": ("61", "2545", "94.3%"),
    "4 persons": ("5", "278", "95.8%"),
}  # fmt: skip
_TABLE_5 = {
    "minimal change": ("0.945", "0.887"), "past": ("0.915", "0.864"), "future": ("0.909", "0.859"),
    "opposite meaning": ("0.902", "0.821"), "possibility": ("0.899", "0.843"), "ban": ("0.895", "0.819"),
    "nonsense": ("0.881", "0.675"), "different meaning": ("0.869", "0.699"),
    "nonstandard sentence": ("0.851", "0.660"), "formal sentence": ("0.850", "0.661"),
    "paraphrase": ("0.827", "0.556"), "simple sentence": ("0.810", "0.606"), "gossip": ("0.809", "0.562"),
    "generalization": ("0.739", "0.512"),
}  # fmt: skip
EXTENDED = (
    "past", "future", "opposite meaning", "nonstandard sentence", "formal sentence", "generalization",
)  # fmt: skip
"""Kinds to which COSTRA 1.1 added interpolations and extrapolations; the release does not tell which are which."""

_NO_IDEAS = "the first round, of ideas, was not released"
_NOBODY = "neither annotators nor times, IMPOSSIBLE answers or sentences before correction were released"
_NO_LASER = "needs LASER's vectors, which come with no dataset"
_STRING = "(|s1| + |s2| − d) / (|s1| + |s2|), d = insertions + deletions"


def recompute(
    files: Mapping[str, Path], *, progress: Progress = silent
) -> tuple[list[Check], list[Picture], list[str]]:
    """All tables and figures of the text, in the order of the paper."""
    ((name, rows),) = FILES.items()
    read = release.read(files[name])
    sentences = read.tables["sentences"]
    lacking = completeness(sentences.height, rows, files[name])
    checks = [
        *not_released("Table 1", _TABLE_1, _NO_IDEAS),
        total("Table 1", "Total", "65", _TABLE_1.values(), why=f"{_NO_IDEAS}, and the paper calls shares approximate"),
        *not_released("§3.1", {"headlines": "15", "annotators": "11", "sentences": "984", "names": "269"}, _NO_IDEAS),
        *_kinds(sentences),
        *_seeds(sentences),
        *not_released("§3.2", {"proposals of the spelling checker": "519", "accepted": "129"}, _NOBODY),
        *not_released("Table 3", grid(_TABLE_3_COLUMNS, _TABLE_3), _NOBODY),
        *(
            total("Table 3", f"Total, {column}", printed, [row[place] for row in _TABLE_3.values()], why=_NOBODY)
            for place, (column, printed) in enumerate(zip(_TABLE_3_COLUMNS, _TABLE_3_TOTAL, strict=False))
        ),
        _lengths(sentences),
        *not_released("Table 3", {"Total, mean time": "19:50"}, _NOBODY),
        *not_released("Table 4", grid(["annotations", "unique", "share unique"], _TABLE_4), _NOBODY),
        *_annotated(sentences),
        total("Table 4", "Total, unique", "4112", [unique for _, unique, _ in _TABLE_4.values()], why=_NOBODY),
        _unique_share(),
        _repeated(sentences),
        *not_released(
            "§4",
            {"unique sentences": "4,262", "recorded more than once": "188"},
            "1.1 holds rewrites of its own beside those of 1.0, and none of the kind gossip",
        ),
        *not_released("Figure 1", ["picture of one annotation"], f"{_NO_LASER}; the picture prints no numbers"),
        *_strings(sentences),
        *not_released(
            "Table 5",
            {f"{kind}, vector": vector for kind, (vector, _) in _TABLE_5.items()},
            f"{_NO_LASER}; kostra evaluate with an encoder of your own gives such a column",
        ),
        as_printed(
            "Table 5",
            "Pearson of the two columns",
            "0.934",
            _pearson(),
            of="the two columns as printed give",
            why=f"the column of vectors {_NO_LASER}",
        ),
    ]
    progress(1, 1)
    return checks, [], [*lacking, *map(str, read.findings)]


def _kinds(sentences: Frame) -> list[Check]:
    """Table 2 names 15 rewrites; two of them are paraphrases, so that the release can have 14 kinds."""
    found = sentences["change"].drop_nulls().n_unique()
    why = "COSTRA 1.1 dropped the kind gossip, and its two paraphrases are one kind"
    return [compare("Table 2", "kinds of rewrites", "15", found, otherwise=why)]


def _seeds(sentences: Frame) -> list[Check]:
    """More than 5 and fewer than 15 words."""
    lengths = [len(words(text)) for text in sentences.filter(pl.col("change").is_null())["text"]]
    return [
        compare("§3.2", "words of the shortest seed (paper: more than 5)", "6", min(lengths)),
        compare("§3.2", "words of the longest seed (paper: fewer than 15)", "14", max(lengths)),
        *not_released("§3.2", {"seeds": "150"}, "seeds that nobody rewrote are not in COSTRA 1.1"),
        compare(
            "Abstract",
            "mean length in words",
            "10",
            mean_length(sentences["text"]),
            tolerance=0.5,
            how="over all sentences of COSTRA 1.1, seeds too",
        ),
    ]


def _lengths(sentences: Frame) -> Check:
    older = sentences.filter(pl.col("change").is_null() | ~pl.col("change").is_in(EXTENDED))
    how = "over the seeds and the kinds of rewrites that COSTRA 1.1 left alone"
    return compare("Table 3", "Total, mean length", "9.9", mean_length(older["text"]), how=how)


def _repeated(sentences: Frame) -> Check:
    """Every screen asked for two paraphrases: those that are not among the distinct ones were written twice."""
    screens = int(_TABLE_3_TOTAL[0])
    distinct = sentences.filter(pl.col("change") == "paraphrase")["text"].n_unique()
    how = f"2 × {screens} paraphrases less {distinct} distinct ones, if none was IMPOSSIBLE"
    return compare("§4", "paraphrases written more than once", "1", 2 * screens - distinct, how=how)


def _unique_share() -> Check:
    shares = [number_of(share) or 0.0 for _, _, share in _TABLE_4.values()]
    unique, everything = (
        sum(number_of(row[1]) or 0.0 for row in rows) for rows in (_TABLE_4.values(), _TABLE_3.values())
    )
    of = f"of all {everything:,.0f} outputs it would be {unique / everything:.1%}, while the mean of the four shares is"
    return as_printed("Table 4", "Total, share unique", "96.8%", float(np.mean(shares)), of=of, why=_NOBODY)


def _annotated(sentences: Frame) -> list[Check]:
    seeds = sentences.filter(pl.col("change").is_null()).height
    return [
        compare("Table 4", "Total, annotations", "126", seeds, how="seeds that somebody rewrote"),
        compare("Table 4", "seeds without any annotation", "24", 150 - seeds, how="of the 150 that the paper selected"),
    ]


def _pearson() -> float:
    vector, string = np.array([[float(cell) for cell in row] for row in _TABLE_5.values()]).T
    return correlation(vector, string, ranks=False)


def _strings(sentences: Frame) -> list[Check]:
    column = string_column(sentences)
    count_of = dict(counted(sentences["change"].drop_nulls().to_list()).select("value", "count").iter_rows())
    made = []
    for kind, (_, printed) in _TABLE_5.items():
        if kind not in column:
            made += not_released("Table 5", {f"{kind}, string": printed}, "COSTRA 1.1 has no rewrites of this kind")
            continue
        added = f"COSTRA 1.1 added rewrites of this kind (now {count_of[kind]:,}) and does not tell which"
        why = added if kind in EXTENDED else ""
        made.append(compare("Table 5", f"{kind}, string", printed, column[kind], how=_STRING, otherwise=why))
    return made

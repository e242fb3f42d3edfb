"""What the sampling favours: numbers derived by hand, and the step that writes them down."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra import tables
from kostra.errors import KostraError
from kostra.sampling import bias
from kostra.sampling.bias import COLUMNS, BiasReport, bias_report, mean_interval
from kostra.sampling.strategies import lone_context
from kostra.steps import Inputs
from kostra.tables import PAIRS, SENTENCES, STATISTICS, Frame, check


def sentences(*rows: tuple[str, str]) -> Frame:
    """Sentences s0, s1, … from (text, source)."""
    made = [{"sentence": f"s{n}", "text": t, "source": s, "language": "en"} for n, (t, s) in enumerate(rows)]
    return check(pl.DataFrame(made), SENTENCES)


CORPUS = sentences(("a b", "x"), ("a c", "x"), ("a b c d", "x"), ("e", "y"))
"""Dice: s0–s1 2·1/4 = .5, s0–s2 2·2/6 = 2/3, s1–s2 2·2/6 = 2/3, any with s3 0. Lengths 2, 2, 4, 1."""


def pairs(*numbers: tuple[int, int], named: bool = True, subset: str | None = "demo") -> Frame:
    rows = [
        {
            "pair": f"p{n}",
            "text_a": CORPUS["text"][a],
            "text_b": CORPUS["text"][b],
            "sentence_a": f"s{a}" if named else None,
            "sentence_b": f"s{b}" if named else None,
            "source": CORPUS["source"][a],
            "subset": subset,
        }
        for n, (a, b) in enumerate(numbers)
    ]
    return check(pl.DataFrame(rows, infer_schema_length=None), PAIRS)


def row(found: BiasReport, measure: str, side: str) -> dict[str, Any]:
    which = (pl.col("measure") == measure) & (pl.col("side") == side)
    return found.distributions.row(by_predicate=which, named=True)


FOUND = bias_report(pairs((0, 1), (0, 2)), CORPUS)
CHARTS = ["overlap", "length_difference", "words", "sources", "reuse"]


def test_overlap_is_compared_with_all_pairs_of_a_small_corpus() -> None:
    # Sampled: (1/2 + 2/3) / 2 = 7/12. Corpus: (1/2 + 2/3 + 2/3 + 0 + 0 + 0) / 6 = 11/36, and known exactly.
    assert row(FOUND, "overlap", "sampled")["mean"] == pytest.approx(7 / 12)
    corpus = row(FOUND, "overlap", "corpus")
    assert (corpus["n"], corpus["low"], corpus["high"]) == (6, None, None)
    assert corpus["mean"] == pytest.approx(11 / 36)
    assert (corpus["least"], corpus["median"], corpus["most"]) == pytest.approx((0, 0.25, 2 / 3))
    assert FOUND.notes == ("the corpus is seen through all pairs of its sentences: 6",)


def test_lengths_are_of_the_sentences_as_often_as_they_are_shown() -> None:
    # Sampled: 2, 2 and 2, 4. Corpus: 2, 2, 4, 1.
    assert row(FOUND, "words", "sampled")["n"] == 4
    assert row(FOUND, "words", "sampled")["mean"] == 2.5
    assert row(FOUND, "words", "corpus")["mean"] == 2.25
    # Of the longer: (2−2)/2 = 0 and (4−2)/4 = 1/2; all pairs: 0, 1/2, 1/2, 1/2, 1/2, 3/4.
    assert row(FOUND, "length_difference", "sampled")["mean"] == 0.25
    assert row(FOUND, "length_difference", "corpus")["mean"] == pytest.approx(2.75 / 6)


def test_pairs_are_counted_per_source_and_subset() -> None:
    assert FOUND.sources.rows() == [
        ("x", 3, 0.75, 2, 1.0, pytest.approx(7 / 12), pytest.approx((1 / 2 + 2 / 3 + 2 / 3) / 3)),
        ("y", 1, 0.25, 0, 0.0, None, None),
    ]
    assert FOUND.subsets.rows() == [("demo", "x", 2, 1.0, pytest.approx(7 / 12), 0.25, 2.5)]
    assert bias_report(pairs((0, 1), subset=None), CORPUS).subsets["subset"].to_list() == ["(not said)"]


@pytest.mark.parametrize("named", [True, False])
def test_reuse_counts_the_pairs_of_each_sentence_by_id_or_by_text(named: bool) -> None:
    found = bias_report(pairs((0, 1), (2, 0), (0, 0), named=named), CORPUS)
    # s0 stands in three pairs (in one of them twice), s1 and s2 in one, s3 in none.
    assert found.reuse.rows() == [(0, 1, 0.25), (1, 2, 0.5), (3, 1, 0.25)]
    assert found.most_used.rows() == [("s0", "a b", 3), ("s1", "a c", 1), ("s2", "a b c d", 1)]


def test_sentences_that_the_corpus_lacks_are_named() -> None:
    found = bias_report(pairs((0, 1), (0, 3)), CORPUS.head(3))
    assert found.notes[1] == "1 sentences of the pairs are not in the corpus, and reuse leaves them out: s3"
    assert found.reuse["sentences"].sum() == 3


def test_histograms_hold_every_value_once() -> None:
    groups = FOUND.histograms.group_by("measure", "side").agg(pl.col("count").sum(), pl.col("share").sum())
    counted = {(measure, side): (count, share) for measure, side, count, share in groups.rows()}
    for measure in ("overlap", "length_difference", "words"):
        for side in ("sampled", "corpus"):
            assert counted[measure, side] == (row(FOUND, measure, side)["n"], pytest.approx(1))


def test_the_last_bin_of_words_takes_in_the_longest_sentences() -> None:
    long = sentences(*((" ".join("abcde"[: 3 + n % 3]), "x") for n in range(400)), ("w " * 5000, "x"))
    found = bias_report(pairs((0, 1)), long, random_pairs=10).histograms.filter(pl.col("measure") == "words")
    corpus = found.filter(pl.col("side") == "corpus").select("from", "to", "count").rows()
    # Lengths 1–2 are not in the corpus, but "a b" and "a c" of the pair have two words.
    assert corpus == [(1.5, 2.5, 0), (2.5, 3.5, 134), (3.5, 4.5, 133), (4.5, 5000.0, 134)]


def test_the_interval_allows_for_sentences_that_stand_in_several_pairs() -> None:
    values = np.array([0.0, 0.0, 1.0, 1.0])
    # Deviations −½, −½, ½, ½; s²/n = (4 · ¼ / 3) / 4 = 1/12.
    alone = mean_interval(values, list("aceg"), list("bdfh"))
    assert alone == pytest.approx((0.5 - 1.959964 / math.sqrt(12), 0.5 + 1.959964 / math.sqrt(12)))
    # The first two share a, the last two b: S(a) = −1, S(b) = 1, four others ±½; Σ S² − Σ e² = 2 + 1 − 1 = 2; 2/16.
    shared = mean_interval(values, list("aabb"), list("cdef"))
    assert shared == pytest.approx((0.5 - 1.959964 / math.sqrt(8), 0.5 + 1.959964 / math.sqrt(8)))
    # Each pair and its reverse: S = −1, −1, 1, 1; the two couples sum to ∓1: Σ S² − Σ D² = 4 − 2 = 2; 2/16 again.
    assert mean_interval(values, list("abcd"), list("badc")) == pytest.approx(shared)
    assert mean_interval(values[:1], ["a"], ["b"]) is None


def test_the_interval_holds_the_mean_where_pairs_of_one_sentence_vary_together() -> None:
    held, held_alone = 0, 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        first = rng.integers(60, size=200)
        second = (first + 1 + rng.integers(59, size=200)) % 60
        values = rng.normal(size=60)[np.stack([first, second])].sum(axis=0)  # a contribution of each sentence, mean 0
        for names in ((first, second), ((), ())):
            span = mean_interval(values, *([str(name) for name in side] for side in names))
            assert span is not None
            held += len(names[0]) > 0 and span[0] < 0 < span[1]
            held_alone += len(names[0]) == 0 and span[0] < 0 < span[1]
    assert held >= 85  # 95 for many sentences; somewhat fewer for sixty
    assert held_alone <= 65  # taken for independent, about half


def test_an_interval_does_not_leave_the_range_of_its_measure() -> None:
    found = bias_report(pairs((0, 3), (0, 2)), CORPUS)
    assert row(found, "overlap", "sampled")["low"] == 0  # 1/3 ± 1.96 · 1/3 before it is cut


def test_a_large_corpus_is_seen_through_random_pairs_that_the_seed_settles() -> None:
    many = sentences(*((f"word{n % 7} other{n % 5}", "x") for n in range(300)))
    first, again = (bias_report(pairs((0, 1)), many, random_pairs=500) for _ in range(2))
    for name, frame in first.tables().items():
        assert frame.equals(again.tables()[name])
    other = bias_report(pairs((0, 1)), many, random_pairs=500, rng=np.random.default_rng(5))
    assert row(other, "overlap", "corpus")["mean"] != row(first, "overlap", "corpus")["mean"]
    assert row(first, "overlap", "corpus")["n"] == 500


def test_random_pairs_stand_for_all_pairs_and_their_intervals_hold_the_mean_as_often_as_they_say() -> None:
    texts = [f"word{n % 7} other{n % 5}" for n in range(300)]
    # Dice is ½ per shared word. Of C(300, 2) = 44,850 pairs 6·C(43, 2) + C(42, 2) = 6,279 share the first word and
    # 5·C(60, 2) = 8,850 the second.
    truth = (6279 + 8850) / 44850 / 2
    means, held = [], 0
    for seed in range(100):
        drawn = bias._drawn(300, 500, rng=np.random.default_rng(seed))
        values = bias._values([(texts[a], texts[b]) for a, b in drawn], None)["overlap"]
        span = mean_interval(values)
        assert span is not None
        means.append(values.mean())
        held += span[0] < truth < span[1]
    assert np.mean(means) == pytest.approx(truth, abs=0.004)  # standard error .0011
    assert held >= 89  # of 95 expected, standard deviation 2.2


class Fixed:
    """Related if the first sentence is the first of the corpus."""

    def predict(self, pairs: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([float(first == "a b") for first, _ in pairs])  # type: ignore[attr-defined]


def test_relatedness_is_the_predictors_and_absent_without_one() -> None:
    assert "relatedness" not in FOUND.distributions["measure"].to_list()
    found = bias_report(pairs((0, 1), (1, 2)), CORPUS, predictor=Fixed())
    assert row(found, "relatedness", "sampled")["mean"] == 0.5
    assert row(found, "relatedness", "corpus")["mean"] == 0.5  # three of six pairs begin with it
    assert "relatedness" in found.histograms["measure"].to_list()
    with pytest.raises(KostraError, match='did you mean "static"'):
        bias_report(pairs((0, 1)), CORPUS, predictor="statick")


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(KostraError, match="0 pairs from 4 sentences leave nothing to compare"):
        bias_report(PAIRS.empty(), CORPUS)
    with pytest.raises(KostraError, match="1 pairs from 1 sentences"):
        bias_report(pairs((0, 1)), CORPUS.head(1))


def test_columns_stand_in_their_declared_order() -> None:
    for name, frame in FOUND.tables().items():
        assert tuple(frame.columns) == COLUMNS[name]


def test_figures_say_what_they_show_and_one_source_needs_none() -> None:
    drawn = FOUND.figures()
    assert list(drawn) == CHARTS
    assert drawn["overlap"].get_label() == "Overlap of words (Dice)\nMeans: sampled 0.583, corpus 0.306."
    assert str(drawn["reuse"].get_label()).endswith("no pair: sentences 0.25; 1 pair: sentences 0.50; "
                                                    "2 pairs: sentences 0.25.")  # fmt: skip
    assert "sources" not in bias_report(pairs((0, 1)), CORPUS.head(3)).figures()


def test_many_sources_and_much_reuse_are_drawn_together() -> None:
    many = sentences(*((f"a b{n}", f"source {n:02}") for n in range(20)))
    rows = [{"pair": f"p{n}", "text_a": "a b0", "text_b": f"a b{n}", "source": f"source {n:02}"} for n in range(1, 20)]
    drawn = bias_report(pl.DataFrame(rows), many).figures()
    # Twelve sources with a pair each are drawn; seven others have one too, and source 00 has none: 7/19 and 8/20.
    assert "8 others: of the pairs 0.37, of the sentences 0.40" in str(drawn["sources"].get_label())
    assert "10 or more: sentences 0.05" in str(drawn["reuse"].get_label())


def test_the_step_writes_tables_charts_and_statistics(tmp_path: Path) -> None:
    context = lone_context("sampling/bias", tmp_path)
    inputs = Inputs({"pairs": pairs((0, 1), (0, 2)), "sentences": CORPUS})
    assert "2 pairs" in bias.plan({"pairs": 2, "sentences": 4}, bias.Options(), context).says
    made = check(bias.run(inputs, bias.Options(predictor="none"), context)["statistics"], STATISTICS)
    values = {(name, about): value for name, about, value, *_ in made.rows()}
    assert values["mean_overlap", "sampled"] == pytest.approx(7 / 12)
    assert values["mean_overlap", "corpus"] == pytest.approx(11 / 36)
    assert values["share_of_sentences_used", "corpus"] == 0.75
    assert values["most_used_sentence", "s0"] == 2
    assert (values["share_of_pairs", "x"], values["share_of_pairs", "y"]) == (1, 0)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {f"{name}.csv" for name in COLUMNS} | {f"{name}.svg" for name in CHARTS}
    assert tables.read_cells(tmp_path / "reuse.csv")[0]["uses"] == ["0", "1", "2"]
    assert [finding.kind for finding in context.findings] == ["bias"]


def test_the_step_predicts_relatedness_by_the_static_encoder_unless_told_otherwise(tmp_path: Path) -> None:
    inputs = Inputs({"pairs": pairs((0, 1)), "sentences": CORPUS})
    made = bias.run(inputs, bias.Options(), lone_context("sampling/bias", tmp_path))["statistics"]
    assert "mean_relatedness" in made["statistic"].to_list()
    assert (tmp_path / "relatedness.svg").exists()

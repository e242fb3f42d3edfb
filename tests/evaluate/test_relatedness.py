"""Encoders against scores: the papers' figures, the conventions, the errors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.isotonic import IsotonicRegression

from kostra.encoders import encoder
from kostra.evaluate.agreement import FIGURES, Part, Predicted, agreement
from kostra.evaluate.calibration import isotonic_scores, range_mapped
from kostra.evaluate.cross_validation import cross_validation
from kostra.evaluate.folds import Ends, random_folds
from kostra.evaluate.histogram import histogram
from kostra.evaluate.outcome import Evaluation
from kostra.evaluate.reading import read_dataset
from kostra.evaluate.relatedness import MEAN_OF_SOURCES, relatedness
from kostra.evaluation import evaluate
from kostra.resample import seeded
from kostra.sources.released.cdsc import read_scores


class Table:
    """An encoder whose vectors are written down."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self.vectors = vectors

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([self.vectors[sentence] for sentence in sentences])


def write(path: Path, rows: Sequence[tuple[object, ...]], header: str = "sentence1,sentence2,score") -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


def whole(one: Evaluation, figure: str) -> float:
    value = one.value(f"cosine_{figure}")
    assert value is not None
    return value


# The papers' figures ------------------------------------------------------------------------------------


def test_dice_and_static_on_str_are_the_papers_whole_and_per_source(data: Path) -> None:
    found = relatedness(read_dataset(data / "str2022.csv"), ["dice", "static"], samples=0, rng=seeded(1))
    dice, static = found.evaluations
    assert whole(dice, "spearman") == pytest.approx(0.571, abs=0.001)
    assert whole(static, "spearman") == pytest.approx(0.736, abs=0.001)
    per_source = {
        "Formality": 0.69, "Goodreads": 0.44, "ParaNMT": 0.44, "SNLI": 0.53, "STS": 0.61, "Stance": 0.20,
        "Wikipedia": 0.48,
    }  # fmt: skip
    assert {name: round(dice.value("cosine_spearman", name) or 0, 2) for name in per_source} == per_source
    # The mean of the sources is another number than that of all pairs together.
    assert dice.value("cosine_spearman", MEAN_OF_SOURCES) == pytest.approx(0.484, abs=0.001)
    assert dice.counts["sentences"] == 9522
    assert dice.languages == ("eng-Latn",)


def test_the_mean_over_many_shuffled_folds_of_the_sts_source_is_the_papers(data: Path) -> None:
    (found,) = cross_validation(
        read_dataset(data / "str2022.csv"), ["dice"], grouped=False, repeats=40, rng=np.random.default_rng(1)
    )
    assert found.value("cosine_spearman", "STS") == pytest.approx(0.603, abs=0.006)
    assert found.value("cosine_spearman") == pytest.approx(0.571, abs=0.002)
    assert "of 5,500 tested pairs share a sentence" in found.details["folds"]


def test_dice_on_czech_news_stands_beside_people(data: Path) -> None:
    found = relatedness(read_dataset(data / "cna_free_test.tsv"), ["dice"], samples=50, rng=seeded(1))
    assert whole(found.evaluations[0], "pearson") == pytest.approx(0.892, abs=0.001)
    people = {one.encoder: one for one in found.people}
    assert people["people: any model at best"].value("cosine_mse") == pytest.approx(0.158, abs=0.001)
    assert set(people) == {
        "people: one answer against the rest",
        "people: half against half",
        "people: all against as many others",
        "people: any model at best",
    }
    one, half, full = (
        people[f"people: {name}"].value("cosine_pearson")
        for name in ("one answer against the rest", "half against half", "all against as many others")
    )
    assert one is not None
    assert half is not None
    assert full is not None
    # Nine anonymous answers: one alone agrees least; Spearman and Brown step half up to all.
    assert one < half < full == pytest.approx(2 * half / (1 + half))
    assert 0.80 < one < 0.87
    assert all(one.protocol == "people" for one in found.people)


def test_the_relatedness_histogram_of_cdsc_is_exact_with_halves_going_up(data: Path) -> None:
    files = ("cdsc_train.tsv", "cdsc_trial.tsv", "cdsc_test_scores.tsv")
    train, trial, test = (read_scores(data / name).drop_nulls("score")["score"].to_numpy() for name in files)
    nine = histogram(np.concatenate([train, trial]), low=0, high=5)
    assert list(nine.values()) == [1804, 1312, 941, 1946, 2130, 867]
    every = histogram(np.concatenate([train, trial, test]), low=0, high=5)
    assert list(every.values()) == [1978, 1428, 1082, 2159, 2387, 966]


def test_all_statistics_of_5500_pairs_with_1000_samples_take_less_than_a_second_of_cpu(data: Path) -> None:
    scored = read_dataset(data / "str2022.csv").scored()
    said = np.asarray(encoder("dice").predict(scored.pairs))  # type: ignore[union-attr]
    predicted, parts = [Predicted(said, said, said)], [Part("all", np.arange(5500))]
    ends = scored.ends()
    spent = []
    for _ in range(3):  # the least is what the code costs; the rest is the machine's mood
        start = time.process_time()
        found = agreement(predicted, scored.gold, parts, ends, samples=1000, rng=np.random.default_rng(1))
        spent.append(time.process_time() - start)
        assert found.samples.shape == (1, 1, len(FIGURES), 1000)
        assert np.isfinite(found.samples).all()
    assert min(spent) < 1.0


# Agreement with scipy and scikit-learn ------------------------------------------------------------------


def test_figures_of_a_table_are_scipys(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(list("abcdefgh"), size=5)) for _ in range(60)]
    gold = rng.random(30).round(2)
    rows = [(texts[2 * n], texts[2 * n + 1], gold[n]) for n in range(30)]
    found = evaluate(write(tmp_path / "mine.csv", rows), "dice", low=0, high=1)
    dice = np.asarray(encoder("dice").predict([(a, b) for a, b, _ in rows]))  # type: ignore[union-attr]
    (one,) = found.evaluations
    assert whole(one, "spearman") == pytest.approx(stats.spearmanr(dice, gold).statistic)
    assert whole(one, "pearson") == pytest.approx(stats.pearsonr(dice, gold).statistic)
    assert whole(one, "kendall") == pytest.approx(stats.kendalltau(dice, gold).statistic)
    assert whole(one, "mse") == pytest.approx(((dice - gold) ** 2).mean())
    for measure in one.measures:
        assert measure.low is not None
        assert measure.high is not None
        assert measure.value is not None
        assert measure.low <= measure.value <= measure.high


def test_isotonic_calibration_is_scikit_learns_on_the_other_folds() -> None:
    rng = np.random.default_rng(4)
    x = rng.random(80).round(1)
    y = x**2 + rng.normal(scale=0.2, size=80)
    folds = random_folds(Ends.of([(f"a{n}", f"b{n}") for n in range(80)]), 4, rng=rng)
    found = isotonic_scores(x, y, folds)
    for train, test in folds:
        theirs = IsotonicRegression(out_of_bounds="clip").fit(x[train], y[train]).predict(x[test])
        np.testing.assert_allclose(found[test], theirs, atol=1e-12)


def test_the_range_of_similarities_is_mapped_without_looking_at_the_scores() -> None:
    assert range_mapped(np.array([0.0, 1.0]), low=1, high=5).tolist() == [1.0, 5.0]
    assert range_mapped(np.array([-0.5, 0.25]), low=0, high=4).tolist() == [0.0, 1.0]
    assert range_mapped(np.array([10.0, 30.0, 20.0]), low=0, high=4).tolist() == [0.0, 4.0, 2.0]
    assert range_mapped(np.array([7.0, 7.0]), low=0, high=4).tolist() == [0.0, 0.0]


def test_cosine_dot_and_distance_order_pairs_differently(tmp_path: Path) -> None:
    # Against a = (1, 0): b points the same way and is long, c lies close, d is orthogonal.
    vectors = Table({"a": [1.0, 0.0], "b": [9.0, 0.0], "c": [1.0, 0.5], "d": [0.0, 1.0]})
    file = write(tmp_path / "mine.csv", [("a", "b", 3), ("a", "c", 2), ("a", "d", 1)])
    by_kind = {
        kind: evaluate(file, {"mine": vectors}, similarity=kind, samples=0).evaluations[0]
        for kind in ("cosine", "dot", "euclidean")
    }
    assert by_kind["cosine"].value("cosine_spearman") == 1.0
    # Dot products 9, 1, 0 agree as well; distances 8, .5, √2 put b last: ranks 1, 3, 2 against 3, 2, 1 give −½.
    assert by_kind["dot"].value("dot_spearman") == 1.0
    assert by_kind["euclidean"].value("euclidean_spearman") == -0.5
    assert by_kind["euclidean"].similarity == "euclidean"


# Conventions --------------------------------------------------------------------------------------------


def test_a_zero_vector_has_cosine_zero_and_is_counted(tmp_path: Path) -> None:
    vectors = Table({"a": [1.0, 0.0], "b": [0.0, 0.0], "c": [1.0, 1.0], "d": [-1.0, 0.0]})
    file = write(tmp_path / "mine.csv", [("a", "c", 3), ("a", "b", 2), ("a", "d", 1)])
    (one,) = evaluate(file, {"mine": vectors}, samples=0).evaluations
    assert one.counts["zero_vectors"] == 1
    assert one.value("cosine_spearman") == 1.0  # .71, 0, −1


def test_ties_are_counted(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.csv", [("a b", "a c", 1), ("a b", "b c", 2), ("a b", "a b", 3), ("a b", "x", 0)])
    (one,) = evaluate(file, "dice", samples=0).evaluations
    assert one.counts["tied_pairs"] == 2
    assert one.similarity == "own"


def test_rows_without_a_sentence_or_a_score_are_left_out_and_counted(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.csv", [("a", "a", 1), ("a", "b", 0), ("", "b", 0.5), ("c", "d", "")])
    found = evaluate(file, "dice", samples=0)
    (one,) = found.evaluations
    wanted = {"rows_without_sentence": 1, "rows_without_score": 1, "dropped_rows": 2, "pairs": 2}
    assert {name: one.counts[name] for name in wanted} == wanted
    assert any("empty sentence are left out: 1 (line 4)" in said for said in found.findings)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("a", "a", 1)], "a correlation needs two pairs"),
        ([("a", "a", 1), ("a", "b", 1), ("a", "c", 1)], "all scores are equal"),
        ([("a", "x", 1), ("b", "y", 2), ("c", "z", 3)], "the encoder gives every pair the same number"),
    ],
    ids=["one pair", "constant scores", "constant encoder"],
)
def test_what_is_undefined_has_no_value_and_says_why(tmp_path: Path, rows: list[tuple[object, ...]], why: str) -> None:
    (one,) = evaluate(write(tmp_path / "mine.csv", rows), "dice").evaluations
    found = one.measure("cosine_spearman")
    assert found is not None
    assert found.value is None
    assert found.note == f"undefined: {why}"


def test_two_pairs_have_a_correlation_and_no_interval(tmp_path: Path) -> None:
    (one,) = evaluate(write(tmp_path / "mine.csv", [("a b", "a b", 1), ("a b", "c d", 0)]), "dice").evaluations
    found = one.measure("cosine_spearman")
    assert found is not None
    assert (found.value, found.low) == (1.0, None)
    assert "fewer than 10 pairs" in found.note


def test_parts_are_sources_subsets_and_bins_of_ten_pairs_or_more(tmp_path: Path) -> None:
    rows = [(f"a{n} b", f"a{n} c{n % 3}", n % 5, "news" if n < 12 else "talk" if n < 30 else "tiny") for n in range(33)]
    file = write(tmp_path / "mine.csv", rows, header="sentence1,sentence2,score,source")
    (one,) = evaluate(file, "dice", by=("source", "bin"), bins=2, low=0, high=4, samples=0).evaluations
    assert one.details["parts"] == {"all": 33, "news": 12, "talk": 18, "score 0 to 2": 14, "score 2 to 4": 19}
    named = {measure.part for measure in one.measures}
    assert named == {"all", "news", "talk", "score 0 to 2", "score 2 to 4", MEAN_OF_SOURCES}


def test_the_same_seed_gives_the_same_intervals(tmp_path: Path) -> None:
    rows = [(f"a{n} b c", f"a{n // 2} b d", n % 7) for n in range(30)]
    file = write(tmp_path / "mine.csv", rows)
    one, same, other = (evaluate(file, "dice", samples=200, seed=seed).rows() for seed in (1, 1, 2))
    assert one == same
    assert one != other

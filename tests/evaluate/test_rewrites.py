"""Seeds and rewrites: COSTRA's table, its categories, differences, triplets."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra.encoders import embed
from kostra.errors import KostraError
from kostra.evaluate.categories import CATEGORIES, Category, categories, costra_score, inequalities
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.likeness import Space
from kostra.evaluate.means import Means
from kostra.evaluate.reading import read_dataset
from kostra.evaluate.regularity import direction, orientation, regularity, retrieved, scale
from kostra.evaluate.rewrites import Comparison, Rewrites, rewrites_of
from kostra.evaluate.transformations import transformations
from kostra.evaluate.triplets import triplets, triplets_of
from kostra.tables import PAIRS, SCORES, SENTENCES, Frame, check


class Table:
    """An encoder whose vectors are written down."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self.vectors = vectors

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([self.vectors[sentence] for sentence in sentences])


@pytest.fixture(scope="module")
def costra(data: Path) -> Dataset:
    return read_dataset(data / "costra11.tsv")


def of(costra: Dataset) -> Rewrites:
    assert costra.sentences is not None
    return rewrites_of(costra.sentences, costra.pairs, costra.judgments, costra.scores)


# The papers' figures ------------------------------------------------------------------------------------


def test_the_indel_column_is_the_papers_table_5_for_types_that_were_not_extended(costra: Dataset) -> None:
    (found,) = transformations(costra, ["dice"], samples=0, rng=np.random.default_rng(1))
    paper = {
        "minimal change": 0.887, "possibility": 0.843, "ban": 0.819, "nonsense": 0.675, "different meaning": 0.699,
        "paraphrase": 0.556, "simple sentence": 0.606,
    }  # fmt: skip
    for kind, value in paper.items():
        assert found.value("mean_indel", kind) == pytest.approx(value, abs=0.001), kind
    assert found.measure("string_pearson") is not None
    assert found.counts["rewrites"] == 6842


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The evaluator of the authors' own package; it asks setuptools for nothing but the place of its data."""
    monkeypatch.setitem(sys.modules, "pkg_resources", types.SimpleNamespace(resource_filename=None))
    return pytest.importorskip("costra.costra").CostraEvaluator


def compared_with_package(package: Any, file: Path, *, tokenize: bool) -> float:
    """Check the categories on one file, and tell how many times faster ours are."""
    # The package reads quotes as CSV has them, so that 22 sentences lose theirs: both see its own sentences here.
    theirs = package(str(file))
    vectors = embed("static", theirs.get_sentences(tokenize=tokenize))
    rewrites = of(read_dataset(file))
    start = process_time()
    printed = theirs.evaluate(vectors)
    between = process_time()
    ours = categories(vectors, inequalities(rewrites))
    end = process_time()
    assert {**{name: round(one.value, 3) for name, one in ours.items()}, "costra": costra_score(ours)} == printed
    return (between - start) / (end - between)


@pytest.mark.parametrize("tokenize", [False, True], ids=["as written", "tokenized"])
def test_the_categories_are_what_the_package_prints(data: Path, tmp_path: Path, package: Any, tokenize: bool) -> None:
    lines = (data / "costra11.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    first = list(dict.fromkeys(line.split("\t")[1] for line in lines))[:8]  # the package wants ids from 0 on
    few = tmp_path / "few.tsv"
    few.write_text("".join(line for line in lines if line.split("\t")[1] in first), encoding="utf-8")
    compared_with_package(package, few, tokenize=tokenize)


@pytest.mark.long
def test_the_categories_of_all_sentences_come_fifteen_times_faster_than_the_packages(data: Path, package: Any) -> None:
    assert compared_with_package(package, data / "costra11.tsv", tokenize=False) > 15


def test_comparisons_of_opposite_meaning_run_the_other_way(costra: Dataset) -> None:
    rewrites = of(costra)
    found = {kind: orientation(rewrites, kind) for kind in ("formal sentence", "past", "opposite meaning")}
    assert found == {"formal sentence": 1, "past": 1, "opposite meaning": -1}


# By hand ------------------------------------------------------------------------------------------------

SENTENCES_ = {
    "sentence": ["a", "a1", "a2", "a3", "b", "b1", "b2", "b3"],
    "text": ["A", "A1", "A2", "A3", "B", "B1", "B2", "B3"],
    "source": ["own"] * 8,
    "language": ["en"] * 8,
    "origin": [None, "a", "a", "a", None, "b", "b", "b"],
    "change": [None, "past", "past", "paraphrase_1", None, "past", "past", "nonsense"],
}
# Along the second axis the past: A at 0, A1 at 1, A2 at 2; B likewise. The first two axes tell A from B.
VECTORS = {
    "A": [1.0, 0.0, 0.0], "A1": [1.0, 0.0, 1.0], "A2": [1.0, 0.0, 2.0], "A3": [1.0, 0.1, 0.0],
    "B": [0.0, 1.0, 0.0], "B1": [0.0, 1.0, 1.0], "B2": [0.0, 1.0, 2.0], "B3": [1.0, 1.0, 0.0],
}  # fmt: skip


def sentences() -> Frame:
    return check(pl.DataFrame(SENTENCES_), SENTENCES)


def made(*comparisons: Comparison) -> Rewrites:
    found = rewrites_of(sentences())
    return Rewrites(found.ids, found.texts, found.seed, found.kinds, comparisons)


def vectors(rewrites: Rewrites) -> np.ndarray:
    return np.array([VECTORS[text] for text in rewrites.texts])


def test_rewrites_of_rewrites_belong_to_the_first_seed_and_orphans_are_counted() -> None:
    frame = pl.DataFrame(
        {
            "sentence": ["a", "b", "c", "d"], "text": ["A", "B", "C", "D"], "source": ["own"] * 4,
            "language": ["en"] * 4, "origin": [None, "a", "b", "nowhere"], "change": [None, "past", "past", "past"],
        }
    )  # fmt: skip
    found = rewrites_of(check(frame, SENTENCES))
    assert found.seed.tolist() == [0, 0, 0]
    assert found.lost == 1


def test_rewrites_that_run_in_a_circle_are_refused() -> None:
    frame = pl.DataFrame({"sentence": ["a", "b"], "text": ["A", "B"], "origin": ["b", "a"], "change": ["past", "past"]})
    with pytest.raises(KostraError, match="in a circle"):
        rewrites_of(frame)


def test_regular_differences_point_the_same_way_and_find_their_target() -> None:
    rewrites = made()
    found = direction(rewrites, "past", vectors(rewrites))
    assert found is not None
    # A's differences are 1 and 2 along the third axis, so B's are judged by their mean 1.5, and the other way round.
    np.testing.assert_allclose(found.means, [[0, 0, 1.5], [0, 0, 1.5]])
    assert retrieved(rewrites, "past", vectors(rewrites), found, shifted=True).tolist() == [True, True]
    # Alone, A is nearest to its paraphrase A3 (cosine .995), and B to B1 (.707): equal to B3's, which comes later.
    assert not retrieved(rewrites, "past", vectors(rewrites), found, shifted=False)[0]


def test_the_scale_follows_people_and_the_orientation_of_each_kind() -> None:
    # 1 = A1, 2 = A2, 0 = A: people say that A2 is more past than A1, and A1 more than the seed; one says the reverse.
    rewrites = made(
        Comparison(2, 1, "more", "past"), Comparison(0, 1, "less", "past"), Comparison(5, 6, "more", "past")
    )
    found = direction(rewrites, "past", vectors(rewrites))
    assert found is not None
    ordered = scale(rewrites, "past", vectors(rewrites), found)
    assert ordered.right.tolist() == [True, True, False]
    assert ordered.rivals.tolist() == [True, False, True]
    backwards = made(Comparison(0, 1, "more", "past"), Comparison(1, 2, "more", "past"))
    assert orientation(backwards, "past") == -1
    assert scale(backwards, "past", vectors(rewrites), found).right.all()


def test_regularity_reports_each_kind_and_all_of_them() -> None:
    rewrites = made(Comparison(2, 1, "more", "past"))
    space = Space({text: row for row, text in enumerate(rewrites.texts)}, vectors(rewrites))
    measures, runs = regularity(rewrites, space, Means(0, np.random.default_rng(1)))
    found = {(one.part, one.metric): one.value for one in measures}
    assert found["past", "difference_cosine"] == pytest.approx(1.0)
    assert found["past", "retrieval_accuracy"] == 1.0
    assert found["all", "scale_accuracy"] == 1.0
    assert found["nonsense", "difference_cosine"] is None  # one seed only
    assert runs == {"past": 1}


def test_categories_count_inequalities_by_hand() -> None:
    # A1 stands between A (which it exceeds) and A2 (which exceeds it): 45° and 18.4° against 63.4° hold both.
    rewrites = made(Comparison(1, 0, "more", "past"), Comparison(1, 2, "less", "past"))
    asked = inequalities(rewrites)
    assert {name: len(rows) for name, rows in asked.items() if len(rows)} == {"time": 2}
    assert categories(vectors(rewrites), asked)["time"] == Category(held=2, asked=2, tied=0)


def test_a_tie_and_a_zero_vector_fail_in_a_category() -> None:
    asked = {"basic": np.array([[0, 1, 0, 2], [0, 3, 0, 1]])}
    table = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    assert categories(table, asked)["basic"] == Category(held=0, asked=2, tied=1)


def test_triplets_pair_paraphrases_with_what_changes_the_meaning() -> None:
    frame = sentences().with_columns(
        change=pl.Series([None, "paraphrase_1", "opposite_meaning", "past", None, "paraphrase", "negation", "past"])
    )
    rewrites = rewrites_of(frame)
    assert [(one.anchor, one.near, one.far, one.kind) for one in triplets_of(rewrites)] == [
        ("A", "A1", "A2", "opposite meaning"),
        ("B", "B1", "B2", "negation"),
    ]
    assert [one.far for one in triplets_of(rewrites, far=["past"])] == ["A3", "B3"]
    with pytest.raises(KostraError, match='no rewrite of the kind "future"'):
        triplets_of(rewrites, far=["future"])


def test_a_tie_in_a_triplet_is_an_error_and_counted() -> None:
    data = Dataset("mine", triplets=pl.DataFrame({"anchor": ["x", "x"], "near": ["y", "y"], "far": ["z", "y"]}))
    encoder = Table({"x": [1.0, 0.0], "y": [1.0, 0.1], "z": [0.0, 1.0]})
    (found,) = triplets(data, {"mine": encoder}, samples=0, rng=np.random.default_rng(1))
    assert found.value("cosine_accuracy") == 0.5
    assert found.counts["ties"] == 1


def test_a_recipes_majorities_give_the_categories_that_were_asked_for() -> None:
    pairs = check(
        pl.DataFrame(
            {
                "pair": ["a1>a", "a1>a2"], "text_a": ["A1", "A1"], "text_b": ["A", "A2"],
                "sentence_a": ["a1", "a1"], "sentence_b": ["a", "a2"], "subset": ["past", "past"],
            }
        ),
        PAIRS,
    )  # fmt: skip
    scores = check(
        pl.DataFrame(
            {"item": ["a1>a", "a1>a2"], "question": ["degree"] * 2, "label": ["more", "less"], "appearances": [3, 3]}
        ),
        SCORES,
    )
    data = Dataset("mine", sentences=sentences(), pairs=pairs, scores=scores)
    (found,) = transformations(
        data, {"mine": Table(VECTORS)}, wanted=["time", "style"], samples=20, rng=np.random.default_rng(1)
    )
    assert found.value("accuracy", "time") == 1.0
    style = found.measure("accuracy", "style")
    assert style is not None
    assert style.value is None
    assert "nothing to compare" in style.note
    assert found.measure("costra") is None  # only the mean of all six bears that name


def test_an_unknown_category_lists_those_there_are() -> None:
    data = Dataset("mine", sentences=sentences())
    with pytest.raises(KostraError, match='unknown category "tme"') as caught:
        transformations(data, ["dice"], wanted=["tme"], samples=0, rng=np.random.default_rng(1))
    assert set((caught.value.accepted or "").split(", ")) == set(CATEGORIES)

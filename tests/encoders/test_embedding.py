"""The conventions that hold for every encoder: zero vectors, empty sentences, NaN, precision, ties."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.stats import spearmanr

from kostra.encoders import as_encoder, embed, encoder, similarities, similarities_with_counts
from kostra.encoders.embedding import compared
from kostra.errors import KostraError


class Table:
    """Vectors as given; counts what it was asked for."""

    def __init__(self, rows: dict[str, list[float]]) -> None:
        self.rows = rows
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        self.asked += sentences
        return np.array([self.rows[text] for text in sentences])


def test_a_sentence_that_stands_twice_is_encoded_once() -> None:
    table = Table({"a": [1, 0], "b": [0, 1], "c": [1, 1]})
    vectors = embed(table, ["a", "b", "a", "c", "a"])
    assert sorted(table.asked) == ["a", "b", "c"]
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[1, 0], [0, 1], [1, 0], [1, 1], [1, 0]]
    similarities(table, [("a", "b"), ("b", "c"), ("c", "a")])
    assert len(table.asked) == 6


def test_no_sentences_give_no_rows() -> None:
    assert embed("static", []).shape == (0, 256)
    assert similarities("static", []).shape == (0,)
    assert similarities("dice", []).shape == (0,)
    assert similarities_with_counts("static", [])[1] == {"sentences": 0, "empty_sentences": 0, "zero_vectors": 0}


def test_the_cosine_with_a_zero_vector_is_zero_and_counted() -> None:
    table = Table({"a": [3, 4], "nothing": [0, 0]})
    numbers, counted = similarities_with_counts(table, [("a", "nothing"), ("nothing", "nothing"), ("a", "a")])
    assert numbers.tolist() == [0, 0, 1]
    assert counted["zero_vectors"] == 1


@pytest.mark.parametrize("name", ["dice", "jaccard", "indel", "indel?distance=levenshtein"])
def test_two_empty_sentences_share_nothing_for_a_lexical_encoder(name: str) -> None:
    numbers, counted = similarities_with_counts(name, [("", ""), ("", "a"), ("a", "a")])
    assert numbers.tolist() == [0, 0, 1]
    assert counted["empty_sentences"] == 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_what_is_not_finite_is_refused_with_its_sentence(value: float) -> None:
    table = Table({"sound": [1, 0], "sick": [value, 1], "very sick": [1, value]})
    with pytest.raises(KostraError, match="for “very sick” \\(and 1 more\\)"):
        embed(table, ["sound", "sick", "very sick"])


def test_a_number_of_a_pair_that_is_not_finite_is_refused_with_the_pair() -> None:
    class Sick:
        def predict(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [float("nan") for _ in pairs]

    with pytest.raises(KostraError, match="gave nan for “a” and “b”"):
        similarities(as_encoder(Sick()), [("a", "b")])


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda texts: np.ones(len(texts)), "an array of the shape \\(2,\\) to 2 sentences"),
        (lambda _: np.ones((1, 3)), "an array of the shape \\(1, 3\\) to 2 sentences"),
    ],
)
def test_a_table_of_the_wrong_shape_is_refused(made: object, said: str) -> None:
    with pytest.raises(KostraError, match=said):
        embed(as_encoder(made), ["a", "b"])


def test_vectors_of_different_length_are_refused() -> None:
    with pytest.raises(KostraError, match="gave 1 numbers to a sentence, and 4 to another"):
        embed(as_encoder(lambda texts: np.ones((1, len(texts[0])))), ["long", "s"], batch_size=1)


def test_an_encoder_of_pairs_that_gives_two_numbers_is_refused() -> None:
    class Two:
        def predict(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
            return np.ones((len(pairs), 2))

    with pytest.raises(KostraError, match="gave 2 numbers to a pair"):
        similarities(as_encoder(Two()), [("a", "b")])


def test_an_encoder_of_pairs_has_no_vectors() -> None:
    with pytest.raises(KostraError, match='"dice" gives a number to pairs'):
        embed("dice", ["a"])


def test_equal_vectors_tie_whatever_their_length() -> None:
    rows = {str(n): [0.1 * n, 0.3 * n, 0.7 * n] for n in range(1, 200)}
    numbers = similarities(Table(rows), [(str(n), str(n % 50 + 1)) for n in range(1, 200)])
    assert set(numbers.tolist()) == {1.0}


def test_more_is_nearer_for_every_similarity() -> None:
    vectors = np.array([[1.0, 0.0], [0.9, 0.1], [-1.0, 0.0]])
    places = np.array([[0, 1], [0, 2]])
    for name in ("cosine", "dot", "euclidean", "manhattan"):
        near, far = compared(vectors, places, similarity=name)
        assert near > far, name
    assert compared(vectors, places, similarity="euclidean") == pytest.approx([-np.hypot(0.1, 0.1), -2.0])


def test_an_unknown_similarity_names_the_nearest() -> None:
    with pytest.raises(KostraError, match='did you mean "euclidean"'):
        similarities("static", [("a", "b")], similarity="euclid")  # type: ignore[arg-type]


def test_progress_counts_distinct_sentences() -> None:
    seen: list[tuple[int, int]] = []
    embed(as_encoder(lambda texts: np.ones((len(texts), 2))), ["a", "b", "c", "a"], batch_size=2,
          progress=lambda done, total: seen.append((done, total)))  # fmt: skip
    assert seen == [(0, 3), (2, 3), (3, 3)]


def test_a_batch_must_hold_something() -> None:
    with pytest.raises(KostraError, match="a batch of 0"):
        embed("static", ["a"], batch_size=0)


def test_loading_the_static_encoder_leaves_the_messages_of_other_libraries_alone() -> None:
    import logging
    import subprocess

    code = (
        "import logging; from kostra.encoders import embed; embed('static', ['a'])\n"
        "print(logging.getLogger().level, logging.getLogger().handlers)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == f"{logging.WARNING} []"


@pytest.fixture(scope="module")
def str2022(data: Path) -> tuple[list[tuple[str, str]], list[float]]:
    table = pl.read_csv(data / "str2022.csv")
    pairs = [tuple(text.split("\n", 1)) for text in table["Text"]]
    return pairs, table["Score"].to_list()


@pytest.mark.parametrize(("name", "expected"), [("dice", 0.571), ("jaccard", 0.571), ("static", 0.736)])
def test_spearman_on_str2022_is_as_known(
    str2022: tuple[list[tuple[str, str]], list[float]], name: str, expected: float
) -> None:
    pairs, gold = str2022
    assert spearmanr(similarities(encoder(name), pairs), gold).statistic == pytest.approx(expected, abs=0.001)


def test_both_published_string_similarities_are_there() -> None:
    pairs = [("kitten", "sitting")]  # two substitutions and an insertion; 13 letters
    assert similarities("indel", pairs).tolist() == [(13 - 5) / 13]
    assert similarities("indel?distance=levenshtein", pairs).tolist() == [(13 - 3) / 13]

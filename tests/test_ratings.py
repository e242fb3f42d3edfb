import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.ratings import Ratings, number_of, ratings_from, ratings_from_matrix, ratings_of
from kostra.tables import JUDGMENTS, Frame, check


def judgments() -> Frame:
    rows = [
        ("p", "ann", "similarity", "1", "answered", "free", "main"),
        ("p", "bob", "similarity", "2", "answered", "free", "main"),
        ("p", "ann", "similarity", "3", "answered", "later", "repeat"),
        ("q", "ann", "similarity", None, "impossible", "free", "main"),
        ("q", "bob", "similarity", "5", "answered", "later", "main"),
        ("q", "bob", "label", "neutral", "answered", "free", "main"),
    ]
    names = ["item", "annotator", "question", "value", "status", "phase", "block"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_row_index("judgment")
    return check(frame.with_columns(pl.col("judgment").cast(pl.String), version=pl.lit(1)), JUDGMENTS)


def test_only_accepted_answers_count_and_repeats_only_when_asked_for() -> None:
    found = ratings_of(judgments(), "similarity")
    assert found.values.tolist() == [1.0, 2.0, 5.0]
    assert ratings_of(judgments(), "similarity", blocks=["repeat"]).values.tolist() == [3.0]
    assert ratings_of(judgments(), "similarity", phases=["later"]).values.tolist() == [5.0]


def test_a_question_without_answers_is_an_error_that_lists_the_others() -> None:
    with pytest.raises(KostraError, match="no accepted answer") as caught:
        ratings_of(judgments(), "similarty", phases=["free"])
    assert caught.value.accepted == "similarity, label"
    assert "phases free" in caught.value.what


def test_a_second_answer_of_one_annotator_to_an_item_is_named() -> None:
    with pytest.raises(KostraError, match="ann on p"):
        ratings_from(["p", "q", "p"], [1, 2, 3], ["ann", "ann", "ann"])


@pytest.mark.parametrize("nothing", [None, float("nan"), ""])
def test_a_missing_answer_has_no_entry(nothing: float) -> None:
    with pytest.raises(KostraError, match="1 answers are empty or NaN: on q"):
        ratings_from(["p", "q"], [1.0, nothing])


def test_a_matrix_keeps_what_is_there() -> None:
    found = ratings_from_matrix(np.array([[np.nan, 2.0], [3.0, 4.0]]), ["ann", "bob"])
    assert found.items == ("1", "2")
    assert found.annotator is not None
    assert list(zip(found.item.tolist(), found.annotator.tolist(), found.values.tolist(), strict=True)) == [
        (0, 1, 2.0),
        (1, 0, 3.0),
        (1, 1, 4.0),
    ]
    with pytest.raises(ValueError, match="1 names for 2 columns"):
        ratings_from_matrix(np.ones((2, 2)), ["ann"])


def test_numbers_are_those_of_a_table() -> None:
    assert [number_of(text) for text in ("3", "-.5", "1e2", "1_0", "٣", "inf", "nan", "", "4o")] == [
        3.0, -0.5, 100.0, None, None, None, None, None, None,
    ]  # fmt: skip


def test_arrays_that_are_no_answers_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        Ratings(("p",), np.array([0]), np.array([np.nan]))
    with pytest.raises(ValueError, match="needs an item"):
        Ratings(("p",), np.array([0, 0]), np.array([1.0]))

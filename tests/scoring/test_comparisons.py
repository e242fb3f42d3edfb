from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.scoring import comparisons
from kostra.scoring.comparisons import compared, implied_orders_held, order_of
from kostra.sources.released import costra
from kostra.steps import Inputs
from kostra.tables import PAIRS, Frame, check

from .test_ratings_scores import context_of, judged

EDGES = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(lambda e: e[0] != e[1]))


def answers(*rows: tuple[str, str, str], kind: str | None = None) -> Frame:
    """(first, second, value), one vote each."""
    frame = pl.DataFrame(rows, schema={"first": pl.String, "second": pl.String, "value": pl.String}, orient="row")
    return frame.with_columns(item=pl.col("first") + ">" + pl.col("second"), type=pl.lit(kind, dtype=pl.String))


def test_a_chain_keeps_only_neighbours_and_counts_levels_from_below() -> None:
    found = order_of([("a", "c"), ("a", "b"), ("b", "c"), ("x", "y")])
    assert found.covers == ((("a",), ("b",)), (("b",), ("c",)), (("x",), ("y",)))
    assert found.levels == {"a": 2, "b": 1, "c": 0, "x": 1, "y": 0}
    assert found.heights == {"a": 2, "b": 2, "c": 2, "x": 1, "y": 1}
    assert found.cycles == ()


def test_every_knot_is_reported_with_a_shortest_circle() -> None:
    # a → b → c → d → a and the short cut c → a; x and y contradict each other.
    found = order_of([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("c", "a"), ("x", "y"), ("y", "x"), ("d", "x")])
    assert [(cycle.members, cycle.example) for cycle in found.cycles] == [
        (("a", "b", "c", "d"), ("a", "b", "c")),
        (("x", "y"), ("x", "y")),
    ]
    assert found.covers == ((("a", "b", "c", "d"), ("x", "y")),)
    assert set(found.levels.values()) == {0, 1}


def test_nothing_compared_is_an_empty_order_and_a_thing_is_not_above_itself() -> None:
    assert order_of([]).levels == {}
    with pytest.raises(KostraError, match='"a" is compared with itself'):
        order_of([("a", "a")])


@settings(deadline=None)
@given(EDGES)
def test_the_order_loses_and_adds_nothing(edges: list[tuple[str, str]]) -> None:
    found = order_of(edges)
    reach = {(a, b) for a, b in edges}
    for middle in "abcdef":
        reach |= {(a, b) for a in "abcdef" for b in "abcdef" if {(a, middle), (middle, b)} <= reach}
    knots = [set(cycle.members) for cycle in found.cycles]
    together = {(a, b) for knot in knots for a in knot for b in knot if a != b}
    assert together == {(a, b) for a, b in reach if a != b and (b, a) in reach}
    again = {(a, b) for upper, lower in found.covers for a in upper for b in lower} | together
    for middle in "abcdef":
        again |= {(a, b) for a in "abcdef" for b in "abcdef" if {(a, middle), (middle, b)} <= again and a != b}
    assert again == {(a, b) for a, b in reach if a != b}
    for upper, lower in found.covers:
        assert found.levels[upper[0]] > found.levels[lower[0]]
    for cycle in found.cycles:
        circle = (*cycle.example, cycle.example[0])
        assert all(step in edges for step in pairwise(circle))


def test_both_ways_round_are_one_comparison() -> None:
    found = compared(answers(("1", "2", "more"), ("1", "2", "less"), ("2", "1", "less")))
    assert found.labels.select("item", "label", "appearances").rows() == [("1>2", "more", 3)]
    assert found.orders[None].levels == {"1": 1, "2": 0}


@pytest.mark.parametrize("votes", [["too similar"], ["too_dissimilar"], ["more", "less"], ["more", "too_similar"]])
def test_too_similar_too_dissimilar_and_ties_order_nothing(votes: list[str]) -> None:
    found = compared(answers(*[("1", "2", value) for value in votes]))
    assert found.orders[None].levels == {}


def test_a_thing_compared_with_itself_is_left_out_and_named() -> None:
    found = compared(answers(("1", "1", "more"), ("1", "2", "more")))
    assert found.itself == ("1>1",)
    assert found.labels["item"].to_list() == ["1>2"]


def test_an_unknown_answer_lists_the_known_ones() -> None:
    with pytest.raises(KostraError, match='unknown comparison "mroe"') as caught:
        compared(answers(("1", "2", "mroe")))
    assert caught.value.remedy == 'did you mean "more"?'


def test_no_comparisons_are_no_order() -> None:
    found = compared(answers())
    assert found.labels.is_empty()
    assert found.orders == {}


def test_the_step_writes_majorities_and_levels_by_type(tmp_path: Path) -> None:
    pairs = check(
        pl.DataFrame({
            "pair": ["x", "y", "z"], "text_a": list("abc"), "text_b": list("bca"),
            "sentence_a": ["1", "2", "3"], "sentence_b": ["2", "3", "1"], "subset": ["formal sentence"] * 3,
        }), PAIRS,
    )  # fmt: skip
    frame = judged(("x", "a", "more"), ("y", "a", "more"), ("z", "a", "less"))
    context = context_of(tmp_path)
    scores = comparisons.run(Inputs({"judgments": frame, "pairs": pairs}), comparisons.Options(), context)["scores"]
    assert scores.filter(question="similarity").select("item", "label").rows() == [
        ("x", "more"),
        ("y", "more"),
        ("z", "less"),
    ]
    # 1 above 2 above 3: levels 2, 1, 0, on a range from 0 to 5.
    order = scores.filter(question="similarity_order_formal_sentence")
    assert order.select("item", "raw", "score", "appearances").rows() == [
        ("1", 2.0, 5.0, 2), ("2", 1.0, 2.5, 2), ("3", 0.0, 0.0, 2),
    ]  # fmt: skip
    assert context.findings == []


def test_the_step_reports_circles_and_gives_them_no_score(tmp_path: Path) -> None:
    context = context_of(tmp_path)
    frame = judged(("1>2", "a", "more"), ("2>3", "a", "more"), ("3>1", "a", "more"))
    scores = comparisons.run(Inputs({"judgments": frame}), comparisons.Options(), context)["scores"]
    assert scores.filter(question="similarity_order")["score"].to_list() == [None] * 3
    assert "1 cycles, with 3 things in them: 1 > 2 > 3 > 1" in context.findings[0].message


def test_items_that_do_not_say_what_was_compared_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="1 items do not say what was compared: p"):
        comparisons.run(Inputs({"judgments": judged(("p", "a", "more"))}), comparisons.Options(), context_of(tmp_path))


def test_the_released_comparisons_of_costra_run_in_circles(data: Path) -> None:
    tables = costra.read(data / "costra11.tsv").tables
    found = compared(comparisons._with_ends(tables["judgments"], tables["pairs"]))
    assert {kind: len(order.cycles) for kind, order in found.orders.items()} == {
        "formal sentence": 60, "future": 13, "generalization": 18, "nonstandard sentence": 65,
        "opposite meaning": 9, "past": 15, "simple sentence": 2,
    }  # fmt: skip
    assert len(found.itself) == 1


# ---- orders that best–worst answers imply


def test_the_orders_of_the_only_annotator_cannot_be_checked() -> None:
    [found] = implied_orders_held(np.array([[0, 1, 2]]), np.array([0]), np.array([2]), ["ann"], items=3)
    assert found.answers == 0
    assert np.isnan(found.share)


def test_people_who_say_the_same_hold_all_orders_and_the_contrary_none() -> None:
    tuples = np.array([[0, 1, 2, 3]] * 2)
    same = implied_orders_held(tuples, np.array([0, 0]), np.array([3, 3]), ["ann", "bob"], items=4)
    # Bob's scores for 1 and 2 are equal, but they lie between best and worst: all five orders hold.
    assert [found.share for found in same] == [1.0, 1.0]
    contrary = implied_orders_held(tuples, np.array([0, 3]), np.array([3, 0]), ["ann", "bob"], items=4)
    assert [found.beyond_chance for found in contrary] == [-1.0, -1.0]

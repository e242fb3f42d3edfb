import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.sampling.design import DesignQuality, IntArray, design_quality, tuple_design

Request = tuple[int, int, int]


def draw_design(items: int, size: int, tuples: int, seed: int = 1) -> IntArray:
    return tuple_design(items, size=size, tuples=tuples, rng=np.random.default_rng(seed))


def assert_balanced(quality: DesignQuality) -> None:
    uneven = quality.tuples * quality.size % quality.items != 0
    assert quality.appearances_max - quality.appearances_min == int(uneven)
    assert quality.position_spread <= 1
    assert quality.duplicate_tuples == 0
    assert quality.tuples_with_repeats == 0


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Draw possible requests of 5 … 99 items: tuples of 2 … 8, a quarter to ten times as many as items."""
    items = draw(st.integers(5, 99))
    size = draw(st.integers(2, min(8, items)))
    factor = draw(st.floats(0.25, 10))
    return items, size, min(max(1, round(factor * items)), math.comb(items, size))


@settings(max_examples=60, deadline=None)
@given(requests(), st.integers(0, 1000))
def test_any_possible_request_gets_a_balanced_design_of_distinct_tuples(request: Request, seed: int) -> None:
    items, size, tuples = request
    design = draw_design(items, size, tuples, seed)
    assert design.shape == (tuples, size)
    assert_balanced(design_quality(design, items))


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 8), st.integers(100, 300), st.floats(0.02, 1 / 3), st.integers(0, 1000))
def test_no_two_items_meet_twice_where_there_is_ample_room(size: int, items: int, room: float, seed: int) -> None:
    # An item with n appearances meets (size − 1) n others; `room` is their share of all others.
    tuples = max(1, int(room * (items - 1) / (size - 1) * items / size))
    quality = design_quality(draw_design(items, size, tuples, seed), items)
    assert_balanced(quality)
    assert quality.most_meetings == 1


@pytest.mark.parametrize("items", [100, 101, 633, 5500])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twice_as_many_tuples_of_four_as_items_never_repeat_a_meeting(items: int, seed: int) -> None:
    quality = design_quality(draw_design(items, 4, 2 * items, seed), items)
    assert_balanced(quality)
    # 2 N tuples of 4 are 8 N places: each item 8 times, twice per position. Each tuple has 6 pairs.
    assert (quality.appearances_min, quality.appearances_max, quality.position_spread) == (8, 8, 0)
    assert (quality.pairs_met, quality.pairs_repeated) == (12 * items, 0)


@pytest.mark.parametrize("items", range(2, 9))
def test_every_small_request_succeeds(items: int) -> None:
    for size in range(2, items + 1):
        most = math.comb(items, size)
        for tuples in {1, 2, 3, most // 2, most // 2 + 1, most - 1, most} & set(range(1, most + 1)):
            assert_balanced(design_quality(draw_design(items, size, tuples), items))


def test_all_sets_are_used_when_all_are_asked_for() -> None:
    # 7 items make 35 sets of 4. Each item is in 6! / (3! 3!) = 20 of them, each pair in 5! / (2! 3!) = 10.
    quality = design_quality(draw_design(7, 4, 35), 7)
    assert_balanced(quality)
    assert (quality.appearances_min, quality.position_spread) == (20, 0)
    assert (quality.pairs_met, quality.most_meetings) == (21, 10)


def test_unavoidable_meetings_are_spread_evenly() -> None:
    # 120 tuples of 4 make 720 meetings for the 435 pairs of 30 items, 1.66 each. Left to chance, a pair
    # would meet four times or more with probability .09, so that about 38 pairs would.
    design = draw_design(30, 4, 120)
    meetings = np.zeros((30, 30), dtype=np.int64)
    for row in design:
        meetings[np.ix_(row, row)] += 1
    often = meetings[np.triu_indices(30, 1)]
    assert often.sum() == 720
    assert (often >= 4).sum() <= 4
    assert (often == 0).sum() <= 20


def test_the_same_seed_gives_the_same_design_and_another_seed_another() -> None:
    assert np.array_equal(draw_design(50, 4, 100, seed=7), draw_design(50, 4, 100, seed=7))
    assert not np.array_equal(draw_design(50, 4, 100, seed=7), draw_design(50, 4, 100, seed=8))


def test_the_order_of_tuples_is_random() -> None:
    # The complement of a design is enumerated in order; what comes out must not be. 14 of the 15 sets
    # of 4 from 6 items: in order, the first row would always hold item 0.
    firsts = [0 in draw_design(6, 4, 14, seed)[0] for seed in range(60)]
    assert 0 < sum(firsts) < 60


@pytest.mark.parametrize(
    ("items", "size", "tuples"), [(99, 8, 990), (60, 4, 600), (25, 4, 50), (13, 4, 130), (16, 8, 160), (200, 8, 2000)]
)
def test_crowded_requests_end_soon(items: int, size: int, tuples: int) -> None:
    start = time.process_time()
    assert_balanced(design_quality(draw_design(items, size, tuples), items))
    assert time.process_time() - start < 5  # about .5 s; the rest is for slow machines


@pytest.mark.parametrize(
    ("items", "size", "tuples", "message"),
    [
        (3, 4, 1, "a tuple of 4 needs 4 different items and there are only 3"),
        (5, 4, 6, "5 items make only 5 different sets of 4 and 6 tuples were asked for"),
        (5, 4, 0, "a design has at least 1 tuple; the number asked for is 0"),
        (5, 1, 3, "a tuple compares at least 2 items; the size asked for is 1"),
    ],
)
def test_an_impossible_request_is_refused_with_its_arithmetic(items: int, size: int, tuples: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw_design(items, size, tuples)


def test_quality_sees_every_fault_of_a_bad_design() -> None:
    # Item 0 is in every tuple, always first: 4 − 0 = 4. Tuples 0 and 1 are the same set; tuple 3 has 2 twice.
    # Pairs: 01 twice, 02 (rows 0, 1, 3, and there for each of the two 2s), 12 twice, 03, 04, 34.
    design = np.array([[0, 1, 2], [0, 2, 1], [0, 3, 4], [0, 2, 2]])
    quality = design_quality(design, 6)
    assert (quality.appearances_min, quality.appearances_max, quality.position_spread) == (0, 4, 4)
    assert (quality.duplicate_tuples, quality.tuples_with_repeats) == (1, 1)
    assert (quality.pairs_met, quality.pairs_repeated, quality.most_meetings) == (6, 3, 4)


@pytest.mark.parametrize("design", [np.array([[0, 6]]), np.array([[-1, 2]]), np.array([0, 1])])
def test_quality_refuses_what_is_no_design(design: IntArray) -> None:
    with pytest.raises(ValueError, match="design_quality"):
        design_quality(design, 6)

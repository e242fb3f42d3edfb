from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.campaign.dealing import (
    Lot,
    check_arithmetic,
    disjoint_sequences,
    fitting_length,
    shared_at_most,
    whole_groups,
)
from kostra.errors import KostraError


def triples(count: int) -> dict[str, str]:
    """Pairs SA, SB, SC of so many summary sentences: pair → its S."""
    return {f"s{number}{kind}": f"s{number}" for number in range(count) for kind in "abc"}


def test_the_papers_second_round_is_dealt_exactly() -> None:
    sets = triples(400)
    dealt = disjoint_sequences(list(sets), length=50, replicates=9, seed=1, apart=sets)
    assert len(dealt) == 9
    for replicate in dealt:
        assert [len(lot) for lot in replicate] == [50] * 24
        assert sorted(item for lot in replicate for item in lot) == sorted(sets)
        assert all(len({sets[item] for item in lot}) == 50 for lot in replicate)
    # 50 items over 24 sequences: two annotators share at least ⌈50 / 24⌉ = 3 somewhere, and never more.
    assert shared_at_most(dealt) == 3


def test_eighteen_thousand_items_are_dealt_so_that_no_two_annotators_share_two() -> None:
    sets = triples(6_000)
    dealt = disjoint_sequences(list(sets), length=50, replicates=3, seed=1, apart=sets)
    assert shared_at_most(dealt) == 1  # ⌈50 / 360⌉


def test_every_replicate_is_shuffled_afresh_and_follows_from_the_seed() -> None:
    items = [f"i{n}" for n in range(40)]
    dealt = disjoint_sequences(items, length=10, replicates=3, seed=1)
    assert dealt == disjoint_sequences(items, length=10, replicates=3, seed=1)
    assert dealt != disjoint_sequences(items, length=10, replicates=3, seed=2)
    assert len({tuple(map(tuple, replicate)) for replicate in dealt}) == 3


def test_more_replicates_leave_those_that_were_dealt_as_they_are() -> None:
    items = [f"i{n}" for n in range(60)]
    assert disjoint_sequences(items, length=6, replicates=5, seed=3)[:2] == disjoint_sequences(
        items, length=6, replicates=2, seed=3
    )


@settings(max_examples=60, deadline=None)
@given(
    length=st.integers(1, 8),
    count=st.integers(1, 8),
    replicates=st.integers(1, 4),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_whatever_the_sets_a_deal_is_exact_or_refused(
    length: int, count: int, replicates: int, seed: int, data: st.DataObject
) -> None:
    items = [f"i{n}" for n in range(length * count)]
    apart = {item: data.draw(st.sampled_from("abcdefghijklmnop")) for item in items}
    largest = max(list(apart.values()).count(name) for name in set(apart.values()))
    if largest > count:
        with pytest.raises(KostraError, match="must stand in"):
            disjoint_sequences(items, length=length, replicates=replicates, seed=seed, apart=apart)
        return
    dealt = disjoint_sequences(items, length=length, replicates=replicates, seed=seed, apart=apart)
    for replicate in dealt:
        assert sorted(item for lot in replicate for item in lot) == sorted(items)
        for lot in replicate:
            assert len(lot) == length
            assert all(apart[one] != apart[other] for one, other in combinations(lot, 2))


def test_sequences_that_do_not_divide_the_items_are_refused_with_the_nearest_numbers() -> None:
    with pytest.raises(KostraError) as caught:
        disjoint_sequences([f"i{n}" for n in range(1210)], length=50, replicates=9, seed=1)
    assert "24 × 50 = 1,200 leaves 10 over" in caught.value.what
    assert caught.value.accepted == "1,200 or 1,250 items, or sequences of 22, 55"


def test_sets_that_are_too_large_are_refused_with_a_length_that_would_do() -> None:
    # 12 items in sequences of 6 make 2 sequences, and 3 pairs of one sentence need 3: sequences of 4 would do.
    with pytest.raises(KostraError, match="make 2 sequences, but 3 items must stand in 3 different ones") as caught:
        disjoint_sequences([f"i{n}" for n in range(12)], length=6, replicates=1, seed=1, apart={"i0": "s", "i1": "s", "i2": "s"})  # fmt: skip  # noqa: E501
    assert caught.value.accepted == "sets of at most 2 items, or sequences of 4"


def test_the_arithmetic_is_said_in_the_papers_numbers() -> None:
    assert check_arithmetic(1200, length=50, replicates=9).startswith("1,200 items × 9 = 216 sequences × 50")
    with pytest.raises(KostraError, match="there are too few"):
        check_arithmetic(12, length=50, replicates=9)


def test_a_rehearsal_on_fewer_items_finds_a_length_that_fits() -> None:
    assert fitting_length(1200, 50) == 50
    assert fitting_length(90, 50) == 45
    assert fitting_length(90, 50, largest=3) == 30
    assert fitting_length(7, 50) == 7


def groups_in(lots: list[Lot], groups: dict[str, str]) -> list[set[str]]:
    return [{groups[item] for item in lot} for lot in lots]


def test_whole_groups_go_to_one_annotator_each_in_their_own_order() -> None:
    groups = {f"g{group}s{place}": f"g{group}" for group in range(20) for place in range(group % 4 + 1)}
    (lots,) = whole_groups(groups, per_annotator=6, seed=1)
    assert sorted(item for lot in lots for item in lot) == sorted(groups)
    assert [len(found) for found in groups_in(lots, groups)] == [6, 6, 6, 2]
    assert all(not one & other for one, other in combinations(groups_in(lots, groups), 2))
    for lot in lots:
        for group in {groups[item] for item in lot}:
            own = [item for item in lot if groups[item] == group]
            assert own == sorted(own)
            assert lot.index(own[-1]) - lot.index(own[0]) == len(own) - 1, "a group is not torn"


def test_whole_groups_with_overlap_are_dealt_once_per_replicate() -> None:
    groups = {f"s{n}": f"g{n // 2}" for n in range(24)}
    dealt = whole_groups(groups, per_annotator=3, overlap=2, seed=1)
    assert [len(lots) for lots in dealt] == [4, 4]
    assert dealt[0] != dealt[1]

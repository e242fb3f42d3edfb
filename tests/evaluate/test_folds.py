"""Folds, and what their two sides share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kostra.errors import KostraError
from kostra.evaluate.folds import Ends, Folds, grouped_folds, random_folds, source_folds
from kostra.evaluate.reading import read_dataset

# Thirty components of three pairs each: a hub with three partners.
STARS = [(f"hub{n // 3}", f"leaf{n}") for n in range(90)]
# One component: each pair shares a sentence with the next.
CHAIN = [(f"s{n}", f"s{n + 1}") for n in range(100)]


def covers_all(folds: Folds) -> bool:
    tested = np.concatenate([test for _, test in folds])
    return sorted(tested.tolist()) == list(range(len(folds.fold)))


def test_random_folds_are_even_shuffled_and_test_each_pair_once() -> None:
    folds = random_folds(Ends.of(STARS), 5, rng=np.random.default_rng(1))
    assert np.bincount(folds.fold).tolist() == [18] * 5
    assert covers_all(folds)
    assert folds.fold.tolist() != sorted(folds.fold.tolist())


def test_random_folds_say_how_many_tested_pairs_were_half_seen() -> None:
    folds = random_folds(Ends.of(STARS), 5, rng=np.random.default_rng(1))
    by_hand = 0
    for train, test in folds:
        seen = {text for row in train for text in STARS[row]}
        by_hand += sum(bool(seen & set(STARS[row])) for row in test)
    assert folds.shared == by_hand > 0
    assert f"{by_hand} of 90 tested pairs share" in folds.says()


def test_grouped_folds_share_no_sentence() -> None:
    folds = grouped_folds(Ends.of(STARS), 5, rng=np.random.default_rng(1))
    assert folds.kind == "sentences"
    assert folds.shared == 0
    assert covers_all(folds)
    assert np.bincount(folds.fold).tolist() == [18] * 5
    assert "no sentence is shared" in folds.says()


def test_where_all_hangs_together_a_named_group_keeps_pairs_together() -> None:
    groups = [f"image {n // 10}" for n in range(100)]
    folds = grouped_folds(Ends.of(CHAIN), 5, rng=np.random.default_rng(1), groups=groups)
    assert folds.kind == "groups"
    assert all(len({int(folds.fold[row]) for row in range(100) if groups[row] == name}) == 1 for name in set(groups))
    assert folds.shared > 0  # neighbours of different groups share a sentence, and that is said


def test_where_all_hangs_together_and_no_group_is_known_the_cut_crosses_few_pairs() -> None:
    rng = np.random.default_rng(1)
    shuffled = [CHAIN[row] for row in rng.permutation(100)]
    folds = grouped_folds(Ends.of(shuffled), 5, rng=rng)
    assert folds.kind == "cut"
    assert covers_all(folds)
    # A chain cut into five has four cuts with a pair on either side.
    assert folds.shared == 8
    assert random_folds(Ends.of(shuffled), 5, rng=rng).shared > 80


def test_bridging_pairs_are_left_out_of_training_only_on_request() -> None:
    ends = Ends.of(CHAIN)
    kept = grouped_folds(ends, 5, rng=np.random.default_rng(1))
    dropped = grouped_folds(ends, 5, rng=np.random.default_rng(1), drop=True)
    assert kept.dropped == 0
    assert (dropped.shared, dropped.dropped) == (0, 8)
    assert covers_all(dropped)  # they are still tested on


def test_one_source_is_left_out_at_a_time() -> None:
    sources = ["x", "y", "z"] * 30
    folds = source_folds(Ends.of(STARS), sources)
    assert folds.count == 3
    for train, test in folds:
        assert not {sources[row] for row in train} & {sources[row] for row in test}
    with pytest.raises(KostraError, match="two sources or more; there is 1"):
        source_folds(Ends.of(STARS), ["x"] * 90)


@pytest.mark.parametrize(("folds", "match"), [(1, "found 1 folds"), (91, "90 pairs cannot be divided into 91 folds")])
def test_impossible_folds_are_refused(folds: int, match: str) -> None:
    for make in (random_folds, grouped_folds):
        with pytest.raises(KostraError, match=match):
            make(Ends.of(STARS), folds, rng=np.random.default_rng(1))


def test_nearly_all_pairs_of_cdsc_hang_together(data: Path) -> None:
    pairs = [pair for name in ("cdsc_train.tsv", "cdsc_trial.tsv") for pair in read_dataset(data / name).scored().pairs]
    ends = Ends.of(pairs)
    assert np.bincount(ends.components()).max() == 8999
    folds = grouped_folds(ends, 5, rng=np.random.default_rng(1))
    assert folds.kind == "cut"
    assert folds.shared < random_folds(ends, 5, rng=np.random.default_rng(1)).shared

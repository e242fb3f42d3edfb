"""Splits: no sentence in two parts where that can be, parts that are alike, and the truth where it cannot."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.release.splits import PARTS, split_pairs
from kostra.tables import Frame


def chains(number: int, length: int) -> Frame:
    """Pairs in chains: each shares a sentence with the next one of its chain."""
    rows = [(f"c{n} s{m}", f"c{n} s{m + 1}", (n * 7 + m) % 10 / 10) for n in range(number) for m in range(length)]
    return pl.DataFrame(rows, schema=["text_a", "text_b", "score"], orient="row")


def texts(pairs: Frame, parts: pl.Series, part: str) -> set[str]:
    chosen = pairs.filter(parts == part)
    return {*chosen["text_a"], *chosen["text_b"]}


@given(st.integers(20, 60), st.integers(1, 4), st.integers(0, 5))
@settings(deadline=None, max_examples=25)
def test_pairs_that_share_a_sentence_are_never_parted(number: int, length: int, seed: int) -> None:
    pairs = chains(number, length)
    found = split_pairs(pairs, rng=np.random.default_rng(seed))
    assert (found.by, found.clean) == ("sentence", True)
    assert sum(found.counts().values()) == pairs.height
    for one, two in (("train", "test"), ("train", "validation"), ("validation", "test")):
        assert not texts(pairs, found.part, one) & texts(pairs, found.part, two)


def test_parts_have_their_shares_and_the_same_spread_of_scores_and_labels() -> None:
    rng = np.random.default_rng(1)
    labels = rng.choice(["a", "b"], p=[0.8, 0.2], size=1000)
    pairs = chains(500, 2).with_columns(score=pl.Series(rng.beta(2, 5, 1000)), label_x=pl.Series(labels))
    found = split_pairs(pairs, rng=rng)
    assert found.counts() == pytest.approx({"train": 700, "validation": 100, "test": 200}, abs=4)
    assert max(found.differs.values()) < 0.05
    for part in PARTS:
        inside = pairs.filter(found.part == part)
        assert float((inside["label_x"] == "b").to_numpy().mean()) == pytest.approx(0.2, abs=0.03)
        assert float(inside["score"].to_numpy().mean()) == pytest.approx(2 / 7, abs=0.02)


def test_the_same_seed_gives_the_same_splits_and_another_others() -> None:
    pairs = chains(60, 2)
    one, two, other = (split_pairs(pairs, rng=np.random.default_rng(seed)).part for seed in (1, 1, 2))
    assert one.equals(two)
    assert not one.equals(other)


def test_case_spacing_and_punctuation_make_no_other_sentence() -> None:
    rows = [(f"Cat {n}, sat.", f"x {n}", 0.5) for n in range(20)] + [(f"cat {n} sat", f"y {n}", 0.5) for n in range(20)]
    pairs = pl.DataFrame(rows, schema=["text_a", "text_b", "score"], orient="row")
    found = split_pairs(pairs, rng=np.random.default_rng(0))
    assert found.part[:20].to_list() == found.part[20:].to_list()


def test_one_large_net_is_parted_by_seed_and_what_is_shared_is_counted() -> None:
    # One sentence stands in a pair with every other, so that all hang together; each other one comes from an image.
    rows = [("hub", f"s{n}", "h", f"i{n}", n % 10 / 10) for n in range(200)]
    pairs = pl.DataFrame(rows, schema=["text_a", "text_b", "sentence_a", "sentence_b", "score"], orient="row")
    seeds = {f"i{n}": f"image {n // 4:03d}" for n in range(200)}
    found = split_pairs(pairs, rng=np.random.default_rng(0), seeds=seeds)
    assert found.by == "seed"
    assert found.shared == {("train", "validation"): 1, ("train", "test"): 1, ("validation", "test"): 1}
    image = pl.Series([n // 4 for n in range(200)])
    parted = pl.DataFrame({"image": image, "part": found.part}).group_by("image").agg(pl.col("part").n_unique())
    assert parted["part"].to_list() == [1] * 50


def test_without_seeds_a_pair_and_its_reverse_stay_together() -> None:
    rng = np.random.default_rng(3)
    numbers = [(int(a), int(b)) for a, b in rng.integers(0, 60, size=(300, 2)) if a != b]
    rows = [(f"s{a}", f"s{b}", 0.5) for a, b in numbers] + [(f"s{b}", f"s{a}", 0.5) for a, b in numbers]
    pairs = pl.DataFrame(rows, schema=["text_a", "text_b", "score"], orient="row")
    found = split_pairs(pairs, rng=rng)
    assert found.by == "one sentence"
    assert found.shared["train", "test"] > 0
    assert not found.clean
    assert found.part[: len(numbers)].to_list() == found.part[len(numbers) :].to_list()


def test_shares_that_cannot_be_are_refused() -> None:
    with pytest.raises(KostraError, match="leave no share for training"):
        split_pairs(chains(5, 1), rng=np.random.default_rng(0), test=0.8, validation=0.3)


@pytest.mark.parametrize("number", [1, 2, 3, 9])
def test_few_pairs_are_still_all_dealt(number: int) -> None:
    found = split_pairs(chains(number, 1), rng=np.random.default_rng(0))
    assert sum(found.counts().values()) == number

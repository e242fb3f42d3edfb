"""Pairs near each other in an encoder's space, and pairs over which a predictor's scores spread evenly."""

from __future__ import annotations

import importlib.util
from collections import Counter
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.encoders import encoder, similarities
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sampling import balanced, nearest_neighbours
from kostra.sampling.balanced import level_draw
from kostra.sampling.mining_search import PAIR
from kostra.sampling.nearest_neighbours import Floats, exact_neighbours, hnsw_neighbours, neighbour_pairs
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SENTENCES, Frame, check
from kostra.text import dice, words

sentence = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=7).map(" ".join)


def a_context(seed: int = 1) -> Context:
    step = Step(name="near", use="sampling/balanced")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    here = Path("nowhere")
    rng = np.random.default_rng(seed)
    return Context(recipe=recipe, step=step, project=here, folder=here, rng=rng, now=datetime(2026, 1, 1, tzinfo=UTC))


def sentences(texts: list[str], sources: list[str] | None = None) -> Frame:
    rows = {
        "sentence": [f"s{n}" for n in range(len(texts))],
        "text": texts,
        "source": sources or ["x"] * len(texts),
        "language": ["en"] * len(texts),
    }
    return check(pl.DataFrame(rows), SENTENCES)


def messages(context: Context) -> str:
    return "\n".join(finding.message for finding in context.findings)


def unit(rows: list[list[float]]) -> Floats:
    vectors = np.array(rows, dtype=np.float64)
    made: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return made


# Neighbours ---------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any), min_size=2, max_size=20),
    st.integers(1, 6),
)
def test_exact_neighbours_are_those_of_a_plain_loop(rows: list[list[int]], count: int) -> None:
    vectors = unit([[float(x) for x in row] for row in rows])
    numbers, cosines = exact_neighbours(vectors, count)
    every = np.round((vectors @ vectors.T).astype(np.float64), 6)
    for row in range(len(vectors)):
        ranked = sorted((other for other in range(len(vectors)) if other != row), key=lambda o: (-every[row, o], o))
        assert numbers[row].tolist() == ranked[:count]
        assert cosines[row].tolist() == pytest.approx([every[row, other] for other in ranked[:count]], abs=2e-6)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = unit(np.random.default_rng(1).standard_normal((50, 8)).tolist())
    whole = exact_neighbours(vectors, 5)[0].tolist()
    monkeypatch.setattr(nearest_neighbours, "_BLOCK", 7)
    assert exact_neighbours(vectors, 5)[0].tolist() == whole


@pytest.mark.skipif(importlib.util.find_spec("usearch") is None, reason="the extra `neighbours` is not installed")
def test_hnsw_finds_almost_all_neighbours_and_always_the_same() -> None:
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((40, 16))
    vectors = unit((np.repeat(centres, 25, axis=0) + 0.3 * rng.standard_normal((1000, 16))).tolist())
    exact, _ = exact_neighbours(vectors, 10)
    found, cosines = hnsw_neighbours(vectors, 10)
    again, _ = hnsw_neighbours(vectors, 10)
    assert found.tolist() == again.tolist()
    assert all(row not in others for row, others in enumerate(found.tolist()))
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(exact.tolist(), found.tolist(), strict=True)])
    assert recall > 0.95
    assert cosines.min() >= -1


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("kostra.sampling.nearest_neighbours.importlib.import_module", missing)
    with pytest.raises(KostraError, match=r"kostra\[neighbours\]"):
        neighbour_pairs(unit([[1, 0], [0, 1]]), neighbours=1, method="hnsw")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(sentence, min_size=2, max_size=14, unique=True), st.integers(1, 30), st.integers(0, 2), st.integers(0, 9)
)
def test_neighbour_pairs_keep_bounds_source_and_reuse(texts: list[str], count: int, limit: int, seed: int) -> None:
    frame = sentences(texts, ["x" if n % 2 else "y" for n in range(len(texts))])
    options = nearest_neighbours.Options(
        pairs=count, encoder="hashed", neighbours=3, low=-0.2, high=0.9, per_sentence=limit
    )
    context = a_context(seed)
    try:
        made = nearest_neighbours.run(Inputs({"sentences": frame}), options, context)["pairs"]
    except KostraError as error:
        assert "are neighbours within the bounds" in str(error)  # noqa: PT017 - what was generated decides which it is
        return
    assert made.equals(nearest_neighbours.run(Inputs({"sentences": frame}), options, a_context(seed))["pairs"])
    source = dict(zip(frame["sentence"], frame["source"], strict=True))
    couples = made.select("sentence_a", "sentence_b").rows()
    assert len({frozenset(couple) for couple in couples}) == made.height <= count
    assert all(source[a] == source[b] for a, b in couples)
    uses = Counter(name for couple in couples for name in couple)
    assert not limit or max(uses.values()) <= limit
    cosines = similarities(encoder("hashed"), list(made.select("text_a", "text_b").iter_rows()))
    assert made["overlap"].to_list() == pytest.approx(cosines.tolist(), abs=2e-6)
    assert all(-0.2 <= cosine < 0.9 for cosine in made["overlap"])
    assert (made.height < count) == ("the neighbours offer no more" in messages(context))


def test_the_static_space_brings_together_what_shares_no_word() -> None:
    texts = ["A dog barks loudly.", "Puppies make noise.", "The parliament passed a law.", "Deputies voted for an act."]
    options = nearest_neighbours.Options(pairs=2, neighbours=1)
    made = nearest_neighbours.run(Inputs({"sentences": sentences(texts)}), options, a_context())["pairs"]
    couples = {frozenset(couple) for couple in made.select("sentence_a", "sentence_b").iter_rows()}
    assert couples == {frozenset({"s0", "s1"}), frozenset({"s2", "s3"})}


def test_an_encoder_without_vectors_is_refused() -> None:
    options = nearest_neighbours.Options(pairs=1, encoder="dice")
    with pytest.raises(KostraError, match='"dice" gives a number to pairs, and no vector'):
        nearest_neighbours.run(Inputs({"sentences": sentences(["a b", "c d"])}), options, a_context())


# Balanced -----------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19)), max_size=25, unique=True), min_size=1, max_size=6
    ),
    st.integers(0, 60),
)
def test_levels_are_as_even_as_the_bins_allow(bins: list[list[tuple[int, int]]], count: int) -> None:
    numbered = [[(a + 100 * n, b + 100 * n, 0.0) for a, b in one] for n, one in enumerate(bins)]
    pools = [np.array(one, dtype=PAIR) for one in numbered]
    taken = [len(places) for places in level_draw(pools, count)]
    assert sum(taken) == min(count, sum(len(pool) for pool in pools))
    hungry = [had for had, pool in zip(taken, pools, strict=True) if had < len(pool)]
    assert not hungry or max(taken) - min(hungry) <= 1


@settings(max_examples=25, deadline=None)
@given(
    st.lists(sentence, min_size=3, max_size=14, unique=True),
    st.integers(1, 40),
    st.sampled_from(["dice", "idf_dice", "hashed"]),
    st.integers(0, 9),
)
def test_balanced_pairs_of_sentences_are_different_told_by_bin_and_seeded(
    texts: list[str], count: int, predictor: str, seed: int
) -> None:
    options = balanced.Options(pairs=count, bins=4, predictor=predictor)
    inputs = Inputs({"sentences": sentences(texts)})
    context = a_context(seed)
    made = balanced.run(inputs, options, context)["pairs"]
    assert made.equals(balanced.run(inputs, options, a_context(seed))["pairs"])
    couples = {frozenset(couple) for couple in made.select("sentence_a", "sentence_b").iter_rows()}
    possible = len(texts) * (len(texts) - 1) // 2
    assert len(couples) == made.height == min(count, possible)
    assert (made.height < count) == ("there are no more to choose from" in messages(context))
    if predictor == "dice":
        offered = Counter(min(int(4 * dice(words(a), words(b))), 3) for a, b in combinations(texts, 2))
        found = Counter(min(int(4 * overlap), 3) for overlap in made["overlap"])
        hungry = [found[level] for level in offered if found[level] < offered[level]]
        assert not hungry or max(found.values()) - min(hungry) <= 1


def test_balanced_pairs_spread_where_random_ones_do_not() -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(list("abcdefghijklmnop"), size=6)) for _ in range(120)]
    made = balanced.run(
        Inputs({"sentences": sentences(texts)}), balanced.Options(pairs=60, bins=3, high=0.75), a_context()
    )
    bins = Counter(min(int(overlap / 0.25), 2) for overlap in made["pairs"]["overlap"])
    assert bins == {0: 20, 1: 20, 2: 20}


def test_given_pairs_are_chosen_among_and_keep_their_rows() -> None:
    rows = [(f"p{n}", "a b c d", text) for n, text in enumerate(["x y", "p q", "k l", "a b c d", "a z"])]
    pairs = check(pl.DataFrame(rows, schema=["pair", "text_a", "text_b"], orient="row"), PAIRS)
    context = a_context()
    made = balanced.run(Inputs({"pairs": pairs}), balanced.Options(pairs=3, bins=3), context)["pairs"]
    # Overlaps 0, 0, 0, 1 and 2·1/6 = .333333, which rounding leaves in the lowest third.
    assert "p3" in made["pair"].to_list()
    assert made.height == 3
    assert "1 of 3 bins have fewer than 1 pairs: 0.33 to 0.67: 0" in messages(context)


def test_a_limit_on_reuse_is_kept() -> None:
    texts = [f"a {n} x{n}" for n in range(10)]
    options = balanced.Options(pairs=50, bins=2, per_sentence=2)
    made = balanced.run(Inputs({"sentences": sentences(texts)}), options, a_context())["pairs"]
    uses = Counter(name for couple in made.select("sentence_a", "sentence_b").iter_rows() for name in couple)
    assert max(uses.values()) <= 2


def test_nothing_to_choose_from_is_an_error() -> None:
    with pytest.raises(KostraError, match="1 sentences offer no pair"):
        balanced.run(Inputs({"sentences": sentences(["a"])}), balanced.Options(pairs=1), a_context())
    with pytest.raises(ValueError, match="must lie below"):
        balanced.Options(pairs=1, low=1.0, high=0.0)

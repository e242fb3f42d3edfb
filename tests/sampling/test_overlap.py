"""Pairs by lexical overlap: the constraints hold, whatever the sentences."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sampling import overlap
from kostra.sampling.overlap import Options, draw_pairs, overlap_candidates
from kostra.sampling.pairing import pair_table
from kostra.sampling.strategies import lone_context
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, Frame, check
from kostra.text import shared_share, words

sentence = st.lists(st.sampled_from("abcdefgh"), max_size=7).map(" ".join)
bounds = st.fixed_dictionaries(
    {
        "low": st.sampled_from([0.0, 0.2, 0.25, 0.5]),
        "high": st.sampled_from([0.5, 0.75, 1.0, 1.01]),
        "length_difference": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    }
)


def a_context(seed: int = 1) -> Context:
    step = Step(name="mined", use="sampling/overlap")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    here = Path("nowhere")
    rng = np.random.default_rng(seed)
    return Context(recipe=recipe, step=step, project=here, folder=here, rng=rng, now=datetime(2026, 1, 1, tzinfo=UTC))


def sentences(texts: list[str], *, sources: list[str] | None = None, groups: list[str | None] | None = None) -> Frame:
    rows = {
        "sentence": [f"s{n}" for n in range(len(texts))],
        "text": texts,
        "source": sources or ["x"] * len(texts),
        "language": ["en"] * len(texts),
        "group": pl.Series(groups or [None] * len(texts), dtype=pl.String),
    }
    return check(pl.DataFrame(rows), SENTENCES)


def run(frame: Frame, options: Options, context: Context | None = None) -> Frame:
    return overlap.run(Inputs({"sentences": frame}), options, context or a_context())["pairs"]


def brute_force(texts: list[str], *, low: float, high: float, length_difference: float) -> list[tuple[int, int, float]]:
    found = []
    tokens = [words(text) for text in texts]
    for a, first in enumerate(tokens):
        for b, second in enumerate(tokens):
            share = shared_share(first, second)
            longer = max(len(first), len(second))
            near = abs(len(first) - len(second)) <= length_difference * longer
            if a != b and share > 0 and low <= share < high and near:
                found.append((a, b, share))
    return found


@settings(max_examples=100, deadline=None)
@given(st.lists(sentence, max_size=12), bounds)
def test_candidates_are_those_of_a_plain_loop(texts: list[str], bounds: dict[str, float]) -> None:
    found = overlap_candidates(texts, **bounds)
    listed = list(zip(found.first.tolist(), found.second.tolist(), found.share.tolist(), strict=True))
    assert listed == brute_force(texts, **bounds)


@settings(max_examples=60, deadline=None)
@given(st.lists(sentence, min_size=2, max_size=14), bounds, st.integers(1, 30), st.integers(0, 3), st.integers(0, 99))
def test_drawn_pairs_are_candidates_once_in_either_order_and_use_no_sentence_too_often(
    texts: list[str], bounds: dict[str, float], count: int, per_sentence: int, seed: int
) -> None:
    candidates = overlap_candidates(texts, **bounds)
    drawn = draw_pairs(candidates, count, per_sentence=per_sentence, rng=np.random.default_rng(seed))
    pairs = [(int(candidates.first[place]), int(candidates.second[place])) for place in drawn]
    allowed = {(a, b) for a, b, _ in brute_force(texts, **bounds)}
    assert set(pairs) <= allowed
    unordered = [frozenset(pair) for pair in pairs]
    assert len(set(unordered)) == len(pairs) <= count
    uses = Counter(number for pair in pairs for number in pair)
    assert not per_sentence or max(uses.values(), default=0) <= per_sentence
    if not per_sentence:  # nothing is left that could have been drawn
        assert len(pairs) == min(count, len({frozenset(pair) for pair in allowed}))
    shorter = draw_pairs(candidates, count // 2, per_sentence=per_sentence, rng=np.random.default_rng(seed))
    assert shorter.tolist() == drawn.tolist()[: len(shorter)]


@settings(max_examples=20, deadline=None)
@given(st.lists(sentence.filter(bool), min_size=4, max_size=14, unique=True), st.integers(0, 2), st.integers(0, 99))
def test_the_table_keeps_the_constraints_and_the_seed_decides(texts: list[str], per_sentence: int, seed: int) -> None:
    frame = sentences(texts, sources=["x" if n % 2 else "y" for n in range(len(texts))])
    options = Options(pairs=10, low=0.2, high=1.0, length_difference=0.5, per_sentence=per_sentence)
    try:
        made = run(frame, options, a_context(seed))
    except KostraError as error:
        assert "fit the bounds" in str(error)  # noqa: PT017 - what was generated decides which it is
        return
    assert made.equals(run(frame, options, a_context(seed)))
    assert made["pair"].n_unique() == made.height <= 10
    source = dict(zip(frame["sentence"], frame["source"], strict=True))
    for row in made.iter_rows(named=True):
        share = shared_share(words(row["text_a"]), words(row["text_b"]))
        assert row["overlap"] == share
        assert 0.2 <= share < 1.0
        assert source[row["sentence_a"]] == source[row["sentence_b"]] == row["source"]


def test_a_pair_that_fits_in_one_order_only_is_drawn() -> None:
    # "a" is a fifth of the first sentence and a quarter of the second; the lengths differ by one in five.
    made = run(sentences(["a b c d e", "a x y z"]), Options(pairs=1))
    assert made.select("sentence_a", "sentence_b", "overlap").rows() == [("s1", "s0", 0.25)]


def test_a_shortage_is_noted() -> None:
    # Every two of these sentences share "a" alone, a quarter of their words: 4 · 3 / 2 = 6 pairs.
    context = a_context()
    made = run(sentences(["a b c d", "a x y z", "a p q r", "a k l m"]), Options(pairs=8), context)
    assert made.height == 6
    assert [finding.message for finding in context.findings] == ["6 pairs instead of 8: the sentences offer no more"]


def test_a_limited_source_leaves_its_part_to_the_others() -> None:
    # Every two of these sentences share "a" alone, a quarter of their words.
    texts = [f"a {'bcdefghij'[n]}1 {'bcdefghij'[n]}2 {'bcdefghij'[n]}3" for n in range(9)]
    frame = sentences(texts, sources=["small"] * 3 + ["large"] * 6)
    # One pair per sentence: three sentences give one pair, six give three. An even share of four would be two each.
    made = run(frame, Options(pairs=4, per_sentence=1))
    assert Counter(made["source"]) == {"small": 1, "large": 3}


def test_paraphrases_are_not_paired_unless_asked_for() -> None:
    frame = sentences(["a b c d", "a x y z", "a p q r"], groups=["g", "g", None])
    made = run(frame, Options(pairs=9))
    assert {frozenset(row) for row in made.select("sentence_a", "sentence_b").rows()} == {
        frozenset({"s0", "s2"}),
        frozenset({"s1", "s2"}),
    }
    assert run(frame, Options(pairs=9, paraphrases=True)).height == 3


def test_sentences_without_a_group_are_no_paraphrases() -> None:
    assert run(sentences(["a b c d", "a x y z"]), Options(pairs=1)).height == 1


@pytest.mark.parametrize("texts", [["a b", "c d"], ["…", "!"], ["a b c", "a b c"], ["a"]])
def test_nothing_that_fits_is_an_error_that_says_what_to_change(texts: list[str]) -> None:
    with pytest.raises(KostraError, match=r'step "mined": no two of the \d sentences fit the bounds') as caught:
        run(sentences(texts), Options(pairs=1))
    assert "25% or more, and less than 75%" in str(caught.value)
    assert "lower `low`" in str(caught.value)


def test_pair_ids_of_different_sentences_never_coincide() -> None:
    ids = ["a", "a+b", "b", "b+c", "c", "%2B", "+", "%"]
    frame = pl.DataFrame({"sentence": ids, "text": ids, "source": "x", "language": "en"})
    pairs = [(a, b) for a in range(len(ids)) for b in range(len(ids)) if a != b]
    made = pair_table(frame, [a for a, _ in pairs], [b for _, b in pairs], subset="all")
    assert made["pair"].n_unique() == len(pairs)
    assert pair_table(frame, [0], [2], subset="all")["pair"].to_list() == ["a+b"]


def test_a_big_corpus_is_drawn_by_the_mining_engine_within_the_same_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 40, 8)) for _ in range(60)]
    frame = pl.DataFrame(
        {
            "sentence": [f"s{n:02d}" for n in range(60)],
            "text": texts,
            "source": ["x"] * 60,
            "language": ["en"] * 60,
            "group": [f"g{n // 2}" for n in range(60)],
        }
    )
    monkeypatch.setattr(overlap, "ALL_AT_ONCE", 10)
    options = overlap.Options(pairs=40, per_sentence=3)
    drawn = [
        overlap.run(Inputs({"sentences": frame}), options, lone_context("sampling/overlap", Path(), seed=seed))["pairs"]
        for seed in (1, 1, 2)
    ]
    assert drawn[0].equals(drawn[1])
    assert not drawn[0].equals(drawn[2])
    assert drawn[0].height == 40
    fitting = overlap.overlap_candidates(texts)
    known = {(f"s{a:02d}", f"s{b:02d}") for a, b in zip(fitting.first, fitting.second, strict=True)}
    couples = list(drawn[0].select("sentence_a", "sentence_b").iter_rows())
    assert set(couples) <= known
    assert all(int(a[1:]) // 2 != int(b[1:]) // 2 for a, b in couples), "two wordings of one thing stay apart"
    uses = pl.concat([drawn[0]["sentence_a"], drawn[0]["sentence_b"]]).value_counts()["count"]
    assert uses.max() == 3

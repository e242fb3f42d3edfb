"""Pairs of two wordings of one thing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sampling import paraphrases
from kostra.sampling.paraphrases import Options
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, Frame, check
from kostra.text import shared_share, words


def a_context(seed: int = 1) -> Context:
    step = Step(name="wordings", use="sampling/paraphrases")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    here = Path("nowhere")
    rng = np.random.default_rng(seed)
    return Context(recipe=recipe, step=step, project=here, folder=here, rng=rng, now=datetime(2026, 1, 1, tzinfo=UTC))


def sentences(rows: list[tuple[str, str | None, str]]) -> Frame:
    """Sentences from (text, group, source)."""
    made = [
        {"sentence": f"s{n}", "text": text, "group": group, "source": source, "language": "en"}
        for n, (text, group, source) in enumerate(rows)
    ]
    return check(pl.DataFrame(made, schema_overrides={"group": pl.String}), SENTENCES)


def run(frame: Frame, options: Options, context: Context | None = None) -> Frame:
    return paraphrases.run(Inputs({"sentences": frame}), options, context or a_context())["pairs"]


rows = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join),
        st.none() | st.sampled_from(["g1", "g2", "g3"]),
        st.sampled_from(["x", "y"]),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 8), st.integers(0, 99))
def test_pairs_are_whole_groups_of_two_inside_one_source(
    given_rows: list[tuple[str, str | None, str]], count: int, seed: int
) -> None:
    frame = sentences(given_rows)
    groups: dict[tuple[str, str], list[int]] = {}
    for number, (_, group, source) in enumerate(given_rows):
        if group is not None:
            groups.setdefault((source, group), []).append(number)
    couples = {frozenset(f"s{n}" for n in members) for members in groups.values() if len(members) == 2}
    options = Options(pairs=count)
    if not couples:
        with pytest.raises(KostraError, match="stands in a group of two"):
            run(frame, options)
        return
    made = run(frame, options, a_context(seed))
    drawn = [frozenset(pair) for pair in made.select("sentence_a", "sentence_b").rows()]
    assert set(drawn) <= couples
    assert len(set(drawn)) == len(drawn) == min(count, len(couples))
    assert made["pair"].n_unique() == made.height
    assert made.equals(run(frame, options, a_context(seed)))
    for row in made.iter_rows(named=True):
        assert row["overlap"] == shared_share(words(row["text_a"]), words(row["text_b"]))
        assert row["subset"] == "wordings"


def test_bounds_of_overlap_are_kept_and_a_shortage_is_noted() -> None:
    frame = sentences(
        [("a b", "g", "x"), ("a b", "g", "x"), ("a b", "h", "x"), ("a c", "h", "x"), ("a", "i", "x"), ("b", "i", "x")]
    )
    # Shares of the first sentence's words: 1 in g, 1/2 in h, 0 in i.
    context = a_context()
    made = run(frame, Options(pairs=5, low=0.5, high=1.0), context)
    assert made.select("sentence_a", "sentence_b", "overlap").rows() == [("s2", "s3", 0.5)]
    assert [finding.message for finding in context.findings] == ["1 pairs instead of 5: the groups offer no more"]
    assert run(frame, Options(pairs=5)).height == 3


def test_bounds_that_nothing_fits_are_an_error_that_says_so() -> None:
    frame = sentences([("a b", "g", "x"), ("a b", "g", "x")])
    with pytest.raises(KostraError, match="none of the 1 groups of two shares 25% or more, and less than 75%"):
        run(frame, Options(pairs=1, low=0.25, high=0.75))

"""STR's ten strategies on the sample corpora and against the released pairs; what all strategies have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra import tables
from kostra.errors import KostraError
from kostra.pipeline import build
from kostra.projects import new, shipped_recipe
from kostra.recipe import About, Recipe, Score, Step, read_recipe
from kostra.sampling.buckets import exponential_counts
from kostra.sources.released import str2021
from kostra.steps import Context, Inputs, component
from kostra.tables import PAIRS, SCORES, SENTENCES, Frame
from kostra.text import dice, shared_share, words

NOW = datetime(2026, 3, 1, tzinfo=UTC)
STRATEGIES = (
    "paraphrase_buckets", "idf_dice", "premises", "stratified", "stance", "pool", "draw", "incident_candidates",
    "hold_out", "calibration", "ensemble", "nearest_neighbours", "balanced",
)  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recipe of STR-2021 on the sample corpora, up to its pool."""
    folder = new("str2021", tmp_path_factory.mktemp("str") / "project")
    recipe = folder / "recipe.toml"
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text[: text.index("# Annotation ---")], encoding="utf-8")
    built = build(folder, now=NOW)
    assert [(status.step.name, status.state) for status in built.steps if status.state != "done"] == []
    return folder


def pairs_of(project: Path, step: str) -> Frame:
    return tables.read(project / "build" / step / "pairs.parquet", PAIRS)


def sentences_of(project: Path, step: str) -> dict[str, dict[str, str]]:
    frame = tables.read(project / "build" / step / "sentences.parquet", SENTENCES)
    return {row["sentence"]: row for row in frame.iter_rows(named=True)}


def in_bounds(first: str, second: str) -> bool:
    a, b = words(first), words(second)
    return 0.25 <= shared_share(a, b) < 0.75 and abs(len(a) - len(b)) <= 0.25 * max(len(a), len(b))


@pytest.mark.parametrize("step", read_recipe(shipped_recipe("str2021")).step("pool").reads)
def test_a_strategy_draws_distinct_pairs_of_5_to_25_words_and_no_more_than_asked(step: str, project: Path) -> None:
    pairs = pairs_of(project, step)
    asked = read_recipe(project / "recipe.toml").step(step).options["pairs"]
    assert 50 <= pairs.height <= asked
    couples = [frozenset(couple) for couple in pairs.select("text_a", "text_b").iter_rows()]
    assert len(set(couples)) == len(couples)
    assert {len(couple) for couple in couples} == {2}
    assert all(5 <= len(words(text)) <= 25 for couple in couples for text in couple)
    assert set(pairs["subset"]) == {step}


@pytest.mark.parametrize("step", ["formality_r", "paranmt_r", "wiki_r", "snli_pairs"])
def test_random_pairs_keep_the_published_bounds(step: str, project: Path) -> None:
    # No thesaurus is shipped, so the overlap of premises is of plain words too.
    assert all(in_bounds(a, b) for a, b in pairs_of(project, step).select("text_a", "text_b").iter_rows())


@pytest.mark.parametrize(
    ("step", "source"), [("formality_pp", "formality_sentences"), ("paranmt_pp", "paranmt_sentences")]
)
def test_paraphrases_stand_in_one_group(step: str, source: str, project: Path) -> None:
    about = sentences_of(project, source)
    for a, b, overlap in pairs_of(project, step).select("sentence_a", "sentence_b", "overlap").iter_rows():
        assert about[a]["group"] == about[b]["group"]
        assert overlap == dice(words(about[a]["text"]), words(about[b]["text"]))


def test_wordings_of_an_entry_share_more_than_a_quarter_and_less_than_three_quarters(project: Path) -> None:
    about = sentences_of(project, "wikipedia_sentences")
    for a, b in pairs_of(project, "wiki_pp").select("sentence_a", "sentence_b").iter_rows():
        assert about[a]["group"] == about[b]["group"]
        assert 0.25 < shared_share(words(about[a]["text"]), words(about[b]["text"])) < 0.75


def test_reviews_are_drawn_in_growing_numbers(project: Path) -> None:
    overlaps = pairs_of(project, "goodreads_pairs")["overlap"].to_numpy()
    assert len(overlaps) == 1000
    # The last of fifty levels gives 92 pairs. The lowest have an overlap of 0 alike; above, each lies over the other.
    levels = np.split(overlaps, np.cumsum(exponential_counts(1000, 50, rate=1.1))[:-1])
    assert len(levels[-1]) == 92
    assert all(low.max() <= high.min() for low, high in pairwise(levels[20:]))


def test_opinions_meet_on_one_target_by_the_quotas(project: Path) -> None:
    about = sentences_of(project, "stance_sentences")
    kinds: Counter[tuple[str, ...]] = Counter()
    for a, b in pairs_of(project, "stance_pairs").select("sentence_a", "sentence_b").iter_rows():
        assert about[a]["group"] == about[b]["group"]
        kinds[tuple(sorted((about[a]["label"], about[b]["label"])))] += 1
    assert kinds == {("for", "for"): 250, ("against", "against"): 250, ("against", "for"): 250}


def test_the_pool_holds_all_strategies(project: Path) -> None:
    pool = pairs_of(project, "pool")
    reads = read_recipe(project / "recipe.toml").step("pool").reads
    assert set(pool["subset"]) == set(reads)
    assert pool.height == sum(pairs_of(project, step).height for step in reads)


def test_the_same_seed_builds_the_same_pairs_and_another_seed_others(project: Path, tmp_path: Path) -> None:
    steps = ("formality_pp", "goodreads_pairs", "snli_pairs", "sts_pairs", "stance_pairs")
    text = (project / "recipe.toml").read_text(encoding="utf-8")
    for seed, same in ((2021, True), (2022, False)):
        folder = new("str2021", tmp_path / str(seed))
        (folder / "recipe.toml").write_text(text.replace("seed = 2021", f"seed = {seed}"), encoding="utf-8")
        build(folder, now=NOW)
        for step in steps:
            one, other = ((root / "build" / step / "pairs.parquet").read_bytes() for root in (project, folder))
            assert same == (one == other) or step == "sts_pairs"  # all that is there is drawn, whatever the seed


def test_incident_candidates_run_on_the_sample_news(tmp_path: Path) -> None:
    folder = new("czech_news_sts", tmp_path / "news")
    built = build(folder, to="candidates", now=NOW)
    assert dict(built.steps[-1].rows) == {"tuples": 30, "sentences": 150, "documents": 40}


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_keeps_the_contract_of_steps_and_cites_or_says_that_it_is_ours(name: str) -> None:
    module = component(f"sampling/{name}")
    assert set(module.WRITES) <= set(tables.SCHEMAS)
    assert {kind for reads in module.READS for kind in reads.split("|")} <= set(tables.SCHEMAS)
    assert module.__doc__


OPTIONS: dict[str, dict[str, Any]] = {
    "paraphrase_buckets": {"pairs": 5},
    "idf_dice": {"pairs": 5},
    "premises": {"pairs": 5},
    "stratified": {"pairs": 5, "question": "similarity", "edges": (0.0, 1.0), "per_bin": 5},
    "stance": {"pairs": 3, "for_for": 1, "against_against": 1, "for_against": 1},
    "pool": {},
    "draw": {"count": 5, "of": "sentences"},
    "incident_candidates": {},
    "hold_out": {"part": "test", "parts": {"test": 5}},
    "calibration": {"question": "similarity"},
    "ensemble": {},
    "nearest_neighbours": {"pairs": 5, "encoder": "hashed"},
    "balanced": {"pairs": 5},
}


def a_context(name: str, folder: Path) -> Context:
    step = Step(name="tried", use=f"sampling/{name}")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng = np.random.default_rng(1)
    return Context(recipe=recipe, step=step, project=folder, folder=folder, rng=rng, now=NOW)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_says_in_numbers_what_it_will_do(name: str, tmp_path: Path) -> None:
    module = component(f"sampling/{name}")
    counts = {"sentences": 1234, "pairs": 1234, "tuples": 1234, "scores": 1234}
    plan = module.plan(counts, module.Options(**OPTIONS[name]), a_context(name, tmp_path))
    assert "1,234" in plan.says
    assert set(plan.rows) <= set(module.WRITES)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("name", [name for name in STRATEGIES if name not in ("draw", "pool")])
def test_nothing_or_one_thing_to_draw_from_is_one_clear_error(name: str, rows: int, tmp_path: Path) -> None:
    module = component(f"sampling/{name}")
    sentence = {"sentence": "s", "text": "a b", "source": "x", "language": "en"}
    pair = {"pair": "p", "text_a": "a", "text_b": "b"}
    score = {"item": "p", "question": "similarity", "score": 9.0, "appearances": 1}
    made = {
        schema.name: tables.check(pl.concat([schema.empty(), pl.DataFrame([row])], how="diagonal")[:rows], schema)
        for schema, row in ((SENTENCES, sentence), (PAIRS, pair), (SCORES, score))
    }
    reads = {kind for kinds in module.READS for kind in kinds.split("|")[-1:]}
    inputs = Inputs({kind: frame for kind, frame in made.items() if kind in reads})
    with pytest.raises(KostraError):
        module.run(inputs, module.Options(**OPTIONS[name]), a_context(name, tmp_path))


@pytest.mark.parametrize("name", ["stratified", "calibration"])
def test_missing_scores_are_named(name: str, tmp_path: Path) -> None:
    module = component(f"sampling/{name}")
    with pytest.raises(KostraError, match="there are no scores, and similarity is wanted"):
        module.run(Inputs({"pairs": PAIRS.empty()}), module.Options(**OPTIONS[name]), a_context(name, tmp_path))


# The released pairs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constraints:
    """Shares of a subset's released pairs that keep the published constraints."""

    pairs: int
    words: float
    """Both sentences of 5 to 25 words."""
    overlap: float
    """Of the first sentence's distinct words, 25% or more and less than 75% are shared."""
    length: float
    """The numbers of words differ by at most a quarter of the longer."""
    both: float
    """Overlap and length."""
    half: float
    """The numbers of words differ by at most half of the longer: what the release seems to keep instead."""


def released_constraints(pairs: Frame, subset: str, tokens: Callable[[str], list[str]] = words) -> Constraints:
    """Measure the released pairs of one strategy."""
    rows = pairs.filter(pl.col("subset") == subset).select("text_a", "text_b").rows()
    sides = [(tokens(a), tokens(b)) for a, b in rows]
    long = [all(5 <= len(side) <= 25 for side in pair) for pair in sides]
    overlap = [0.25 <= shared_share(a, b) < 0.75 for a, b in sides]
    apart = [abs(len(a) - len(b)) / max(len(a), len(b)) for a, b in sides]
    near = [difference <= 0.25 for difference in apart]
    n = len(rows)
    both = sum(x and y for x, y in zip(overlap, near, strict=True))
    return Constraints(
        n, sum(long) / n, sum(overlap) / n, sum(near) / n, both / n, sum(difference <= 0.5 for difference in apart) / n
    )


def with_punctuation(text: str) -> list[str]:
    """Words and punctuation marks, each a token, as most tokenisers of 2021 had it."""
    return re.findall(r"\w+|[^\w\s]", text.lower())


@pytest.mark.parametrize(
    ("subset", "expected", "punctuated"),
    [
        # The release does not keep its own bounds under any tokenisation we tried: see the printed table.
        ("Wiki_r", (500, 0.842, 0.782, 0.668), (0.934, 0.792, 0.740)),
        ("Formality_r", (700, 0.641, 0.793, 0.530), (0.783, 0.794, 0.629)),
        ("ParaNMT_r", (300, 0.737, 0.813, 0.600), (0.830, 0.743, 0.613)),
    ],
)
def test_how_many_released_pairs_keep_the_published_bounds(
    subset: str, expected: tuple[float, ...], punctuated: tuple[float, ...], data: Path
) -> None:
    pairs = str2021.read(data / "str2022.csv").tables["pairs"]
    plain, marks = released_constraints(pairs, subset), released_constraints(pairs, subset, with_punctuation)
    for name, found in ((r"\w+", plain), ("with punctuation", marks)):
        print(f"{subset} ({name}): {found}")
    assert (plain.pairs, plain.overlap, plain.length, plain.both) == pytest.approx(expected, abs=5e-4)
    assert (marks.overlap, marks.length, marks.both) == pytest.approx(punctuated, abs=5e-4)
    assert plain.words > 0.98
    assert min(plain.half, marks.half) > 0.99

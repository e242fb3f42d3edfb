"""Strings against vectors, per kind of rewrite: COSTRA's Table 5."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rapidfuzz.distance import Indel

from kostra.analysis import transformations
from kostra.analysis.transformations import STRING, TOGETHER, VECTOR, changed, string_column, string_table, table
from kostra.encoders import encoder
from kostra.errors import KostraError
from kostra.evaluate.means import Means
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.sources.released import costra
from kostra.steps import Context, Inputs, component
from kostra.tables import SENTENCES, Frame, check

UNEXTENDED = {
    "minimal change": 0.887,
    "possibility": 0.843,
    "ban": 0.819,
    "nonsense": 0.675,
    "different meaning": 0.699,
    "paraphrase": 0.556,
    "simple sentence": 0.606,
}
"""String similarities of Table 5 for the kinds that COSTRA 1.1 left as they were."""
SEEDS = {"s1": "The cat sleeps on the roof.", "s2": "A train leaves at noon."}
REWRITES = [
    ("r1", "s1", "past", "The cat slept on the roof."),
    ("r2", "s1", "paraphrase_1", "On the roof lies a sleeping cat."),
    ("r3", "s1", "paraphrase_2", "A cat is asleep up there."),
    ("r4", "s2", "past", "A train left at noon."),
    ("r5", "s2", "paraphrase_1", "At twelve a train goes."),
]


def sentences(*, lost: bool = False) -> Frame:
    rows: list[tuple[str | None, ...]] = [(name, text, None, None) for name, text in SEEDS.items()]
    rows += [(name, text, "nowhere" if lost and name == "r5" else origin, change)
             for name, origin, change, text in REWRITES]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["sentence", "text", "origin", "change"], orient="row")
    return check(frame.with_columns(source=pl.lit("x"), language=pl.lit("en")), SENTENCES)


def context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="similarity", use="analysis/transformations")
    recipe = Recipe(recipe=about, score=Score(question="string_similarity", low=0.0, high=1.0), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


def options(**said: object) -> transformations.Options:
    return parse(transformations.Options, {"samples": 50, **said}, where="here")


def run(folder: Path, frame: Frame, **said: object) -> tuple[dict[str, Frame], Context]:
    place = context(folder)
    return transformations.run(Inputs({"sentences": frame}), options(**said), place), place


def test_the_string_column_of_table_5_is_the_papers_for_the_seven_kinds_that_were_not_extended(data: Path) -> None:
    found = string_column(costra.read(data / "costra11.tsv").tables["sentences"])
    assert {kind: round(found[kind], 3) for kind in UNEXTENDED} == UNEXTENDED
    assert "gossip" not in found


def test_string_similarity_counts_a_substitution_as_two() -> None:
    found = changed(sentences())
    for pair, similarity in zip(found.texts, found.strings, strict=True):
        one, two = pair
        total = len(one) + len(two)
        assert similarity == pytest.approx((total - Indel.distance(one, two)) / total)


def test_numbered_paraphrases_are_one_kind_only_where_the_recipe_merges_them() -> None:
    assert changed(sentences()).kinds == ["past", "paraphrase_1", "paraphrase_2"]
    merged = changed(sentences(), merge={"paraphrase": ["paraphrase_1", "paraphrase_2"]})
    assert merged.kinds == ["past", "paraphrase"]
    assert merged.of("paraphrase").sum() == 3


def test_a_kind_that_does_not_exist_cannot_be_merged() -> None:
    with pytest.raises(KostraError, match='unknown kind of rewrite "paraphrase_3"') as error:
        changed(sentences(), merge={"paraphrase": ["paraphrase_3"]})
    assert error.value.accepted == "paraphrase_1, paraphrase_2, past"


def test_sentences_without_rewrites_are_refused() -> None:
    with pytest.raises(KostraError, match="there is no rewrite"):
        changed(sentences().filter(pl.col("change").is_null()))


def test_the_table_is_ordered_by_the_first_encoder_and_ends_with_the_correlations(tmp_path: Path) -> None:
    run(tmp_path, sentences(), encoders=["static", "dice"], merge={"paraphrase": ["paraphrase_1", "paraphrase_2"]})
    made = pl.read_csv(tmp_path / "transformations.csv")
    assert made.columns == ["kind", "rewrites", "vector_static", "vector_dice", "string"]
    assert made["kind"].to_list() == ["past", "paraphrase", "Pearson of vector and string"]
    assert made["rewrites"].to_list() == [2, 3, 5]
    assert made["vector_static"][2] == pytest.approx(1), "two points lie on a line"
    assert (tmp_path / "transformations.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_each_rewrite_is_a_pair_with_its_seed_scored_by_its_string_similarity(tmp_path: Path) -> None:
    made, _ = run(tmp_path, sentences())
    pairs, scores = made["pairs"], made["scores"]
    assert pairs["pair"].to_list() == ["s1>r1", "s1>r2", "s1>r3", "s2>r4", "s2>r5"]
    assert scores["item"].to_list() == pairs["pair"].to_list()
    assert set(scores["question"]) == {"string_similarity"}
    assert scores["score"].is_between(0, 1).all()
    results = made["results"]
    assert set(results["metric"]) == {VECTOR, STRING, TOGETHER}
    assert results.filter(pl.col("metric") == STRING)["encoder"].unique().to_list() == ["indel"]


def test_a_rewrite_whose_seed_is_not_there_is_left_out_and_counted(tmp_path: Path) -> None:
    made, place = run(tmp_path, sentences(lost=True))
    assert made["pairs"].height == 4
    assert [found.kind for found in place.findings] == ["lost_rewrites"]


def test_one_kind_alone_has_no_correlation() -> None:
    found = changed(sentences().filter(pl.col("change").is_null() | (pl.col("change") == "past")))
    means = Means(0, np.random.default_rng(1))
    strings = string_table(found, means)
    vectors = transformations.vector_table(found, encoder("dice"), strings, means)
    assert vectors[-1].value is None
    assert table(strings, {"dice": vectors})["vector_dice"][-1] is None


def test_the_component_keeps_the_contract() -> None:
    assert component("analysis/transformations").WRITES == ("pairs", "scores", "results")

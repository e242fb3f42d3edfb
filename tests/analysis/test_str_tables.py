"""STR-2021's Tables 2, 3 and 6 and Figure 1: pairs, people, sources, spread."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.analysis import annotation_summary, distribution, pair_counts, source_table
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, PAIRS, RESULTS, SCORES, STATISTICS, TUPLES, Frame, check


def a_context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="Nobody, 2026.")
    step = Step(name="mine", use="analysis/pair_counts")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


def pairs(*rows: tuple[str, str | None]) -> Frame:
    named = {
        "pair": [f"p{place}" for place in range(len(rows))],
        "text_a": [f"Tea {place}." for place in range(len(rows))],
        "text_b": [f"Milk {place}." for place in range(len(rows))],
        "source": [source for source, _ in rows],
        "subset": [subset for _, subset in rows],
    }
    return check(pl.DataFrame(named, schema_overrides=dict.fromkeys(named, pl.String)), PAIRS)


def results(*rows: tuple[str, str, str, float | None, int]) -> Frame:
    return check(pl.DataFrame(rows, schema=["encoder", "part", "metric", "value", "n"], orient="row"), RESULTS)


# Pairs (Table 2) ----------------------------------------------------------------------------------------


def test_sources_with_several_strategies_are_summed_up_and_all_adds_up(tmp_path: Path) -> None:
    found = pairs(("wiki", "wiki_pp"), ("wiki", "wiki_r"), ("wiki", "wiki_r"), ("sts", "sts_pairs"))
    made = pair_counts.run(Inputs({"pairs": found}), pair_counts.Options(), a_context(tmp_path))
    counted = dict(made["statistics"].select("statistic", "value").iter_rows())
    assert counted == {
        "pairs_wiki": 3, "pairs_wiki_wiki_pp": 1, "pairs_wiki_wiki_r": 2, "pairs_sts_sts_pairs": 1, "pairs_all": 4,
    }  # fmt: skip
    assert pl.read_csv(tmp_path / "pair_counts.csv")["share"].to_list() == [0.75, 0.25, 0.5, 0.25, 1.0]
    assert (tmp_path / "pair_counts.svg").is_file()


# People (Table 3) ---------------------------------------------------------------------------------------


def judgments(*rows: tuple[str, str, str]) -> Frame:
    """(annotator, tuple, status) → a best and a worst choice each."""
    both = [(name, item, question, status) for name, item, status in rows for question in ("best", "worst")]
    frame = pl.DataFrame(both, schema=["annotator", "item", "question", "status"], orient="row").with_columns(
        judgment=pl.Series([f"j{place}" for place in range(len(both))]),
        version=pl.lit(1),
        value=pl.lit("p1"),
        phase=pl.lit("main"),
        block=pl.lit("main"),
    )
    return check(frame, JUDGMENTS)


def test_an_answer_counts_once_and_who_was_stopped_is_not_among_the_annotators(tmp_path: Path) -> None:
    given = judgments(
        ("ann", "t1", "answered"), ("bob", "t1", "answered"), ("ann", "t2", "answered"), ("bob", "t2", "answered"),
        ("eve", "t1", "discarded"), ("eve", "t2", "discarded"), ("ann", "t2", "surplus"),
    )  # fmt: skip
    tuples = check(
        pl.DataFrame({"tuple": ["t1"] * 4 + ["t2"] * 4, "position": [1, 2, 3, 4] * 2, "item": [*"pqrs", *"pqrt"]}),
        TUPLES,
    )
    half = {"statistic": ["split_half_spearman"], "question": ["relatedness"], "value": [0.84], "n": [5]}
    read = Inputs({"judgments": given, "tuples": tuples, "statistics": check(pl.DataFrame(half), STATISTICS)})
    annotation_summary.run(read, annotation_summary.Options(), a_context(tmp_path))
    found = dict(pl.read_csv(tmp_path / "annotation_summary.csv").select("statistic", "value").iter_rows())
    assert found == {
        "items": 5, "tuples": 2, "tuples_per_item": pytest.approx(8 / 5), "answers": 4, "answers_per_question": 2,
        "annotators": 2, "annotators_stopped": 1, "answers_discarded": 2, "split_half_spearman": 0.84,
    }  # fmt: skip


def test_without_tuples_what_is_asked_about_are_the_items() -> None:
    found = annotation_summary.annotation_summary(judgments(("ann", "p1", "answered"), ("bob", "p1", "answered")))
    assert (found["items"], found["answers_per_question"]) == (1, 2)
    assert "tuples" not in found


# Models by source (Table 6) -----------------------------------------------------------------------------


def test_models_stand_beside_each_other_source_by_source_and_lose_on_unseen_ones(tmp_path: Path) -> None:
    cosine = "cosine_spearman"
    found = results(
        ("dice", "all", cosine, 0.57, 9), ("dice", "STS", cosine, 0.6, 4), ("dice", "Wiki", cosine, 0.48, 5),
        ("dice", "mean of sources", cosine, 0.54, 9), ("dice", "STS", "cosine_pearson", 0.1, 4),
        ("bert", "STS", cosine, 0.79, 4), ("bert", "Wiki", cosine, 0.79, 5),
        ("bert, leave one source out", "STS", cosine, 0.82, 4),
        ("bert, leave one source out", "Wiki", cosine, 0.75, 5),
    )  # fmt: skip
    made = source_table.run(
        Inputs({"results": found}), source_table.Options(names={"bert": "BERT"}), a_context(tmp_path)
    )
    table = pl.read_csv(tmp_path / "sources.csv")
    assert table.columns == ["source", "pairs", "dice", "BERT", "BERT, trained on other sources"]
    assert table.rows() == [("STS", 4, 0.6, 0.79, 0.82), ("Wiki", 5, 0.48, 0.79, 0.75)]
    (lost,) = made["statistics"].iter_rows(named=True)
    assert lost["value"] == pytest.approx((0.79 - 0.82 + 0.79 - 0.75) / 2)
    assert lost["note"].endswith("most in Wiki")


def test_results_without_sources_are_refused_with_what_would_do(tmp_path: Path) -> None:
    read = Inputs({"results": results(("dice", "all", "cosine_spearman", 0.57, 9))})
    with pytest.raises(KostraError, match="no result says Spearman of a source") as error:
        source_table.run(read, source_table.Options(), a_context(tmp_path))
    assert "per_source = true" in str(error.value.accepted)


# Spread (Figure 1) --------------------------------------------------------------------------------------


def test_more_strategies_than_can_be_stacked_each_get_a_histogram_of_their_own(tmp_path: Path) -> None:
    material = pairs(*(("s", f"strategy_{place % 8}") for place in range(80)))
    rng = np.random.default_rng(1)
    scored = {"item": material["pair"], "question": "relatedness", "score": rng.random(80), "appearances": 2}
    read = Inputs({"pairs": material, "scores": check(pl.DataFrame(scored), SCORES)})
    distribution.run(read, distribution.Options(by="subset", bins=16), a_context(tmp_path))
    drawn = (tmp_path / "distribution.svg").read_text(encoding="utf-8")
    assert all(f"strategy_{place}" in drawn for place in range(8))
    assert "others" not in drawn

"""Who rewrote how much, what came twice, and what nobody could do: COSTRA's Tables 3 and 4."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.analysis import rewrite_statistics
from kostra.analysis.rewrite_statistics import kinds_of, per_change, per_overlap, screens
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, SENTENCES, STATISTICS, Frame, check

# Two seeds: s1 by otter and crane, s2 by otter; s3 by nobody. crane finds the ban of s1 impossible.
Answered = tuple[str, str, str, str | None, float]
ANSWERS: list[Answered] = [
    ("s1", "past", "otter", "It rained.", 60.0),
    ("s1", "ban", "otter", "It must not rain.", 60.0),
    ("s1", "past", "crane", "It rained.", 90.0),
    ("s1", "ban", "crane", None, 90.0),
    ("s2", "past", "otter", "The dog barked loudly.", 30.0),
    ("s2", "ban", "otter", "The dog must not bark.", 30.0),
]
SEEDS = {"s1": "It rains.", "s2": "The dog barks.", "s3": "Bread is cheap."}


def judgments(extra: list[Answered] | None = None) -> Frame:
    rows = [
        {
            "judgment": f"j{place}", "item": item, "version": 1, "question": question, "annotator": who, "value": text,
            "status": "answered" if text else "impossible", "phase": "rewrite", "block": "main", "seconds": seconds,
        }
        for place, (item, question, who, text, seconds) in enumerate([*ANSWERS, *(extra or [])])
    ]  # fmt: skip
    return check(pl.DataFrame(rows), JUDGMENTS)


def sentences() -> Frame:
    rows: list[tuple[str | None, ...]] = [(name, text, None, None, None) for name, text in SEEDS.items()]
    rows += [
        (f"{item}:{question}:{who}", text, item, question, who) for item, question, who, text, _ in ANSWERS if text
    ]
    frame = pl.DataFrame(rows, schema=["sentence", "text", "origin", "change", "label"], orient="row")
    return check(frame.with_columns(source=pl.lit("x"), language=pl.lit("en")), SENTENCES)


def typos(**counts: int) -> Frame:
    rows = [("typos", author, float(count), 9) for author, count in counts.items()]
    rows.append(("proposals", "proposal", 9.0, 9))
    return check(pl.DataFrame(rows, schema=["statistic", "question", "value", "n"], orient="row"), STATISTICS)


def run(folder: Path, **said: object) -> tuple[Frame, Context]:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="statistics", use="analysis/rewrite_statistics")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0.0, high=1.0), steps=(step,))
    context = Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))
    read = Inputs({"sentences": sentences(), "judgments": judgments(), "statistics": typos(otter=2)})
    made = rewrite_statistics.run(read, parse(rewrite_statistics.Options, dict(said), where="here"), context)
    return made["statistics"], context


def test_table_3_has_one_row_per_annotator_and_a_total(tmp_path: Path) -> None:
    run(tmp_path)
    made = pl.read_csv(tmp_path / "annotators.csv").rows(named=True)
    # otter: 2 screens of 60 and 30 s, texts of 2, 4, 4 and 5 words; crane: one of 90 s, one text of 2 words.
    assert made == [
        {"annotator": "otter", "annotations": 2, "sentences": 4, "impossible": 0, "typos": 2, "mean_length": 3.75,
         "mean_time": 45.0},
        {"annotator": "crane", "annotations": 1, "sentences": 1, "impossible": 1, "typos": 0, "mean_length": 2.0,
         "mean_time": 90.0},
        {"annotator": "total", "annotations": 3, "sentences": 5, "impossible": 1, "typos": 2, "mean_length": 3.4,
         "mean_time": 60.0},
    ]  # fmt: skip


def test_the_recipe_chooses_the_columns(tmp_path: Path) -> None:
    run(tmp_path, per_annotator=["typos"])
    assert pl.read_csv(tmp_path / "annotators.csv").columns == ["annotator", "typos"]


def test_table_4_counts_unique_outputs_by_the_number_of_people(tmp_path: Path) -> None:
    run(tmp_path)
    made = pl.read_csv(tmp_path / "overlap.csv").select("people", "seeds", "annotations", "outputs", "unique", "share")
    # s1 has three outputs, two of them the same; s2 has two; s3 none.
    assert made.rows() == [
        ("0", 1, 0, 0, 0, None),
        ("1", 1, 1, 2, 2, 1.0),
        ("2", 1, 2, 3, 2, pytest.approx(2 / 3)),
        ("total", 3, 3, 5, 4, 0.8),
    ]


def test_the_papers_total_is_the_mean_of_the_shares() -> None:
    rewrites = pl.DataFrame({"text": ["a", "a", "b"], "origin": ["s1", "s1", "s2"]})
    done = pl.DataFrame({"item": ["s1", "s1", "s2"], "annotator": ["x", "y", "x"]})
    total = per_overlap(["s1", "s2"], rewrites, done).row(-1, named=True)
    assert (total["share"], total["mean_share"]) == (pytest.approx(2 / 3), 0.75)


def test_what_came_more_than_once_is_counted_by_kind(tmp_path: Path) -> None:
    found, context = run(tmp_path)
    assert pl.read_csv(tmp_path / "changes.csv").rows() == [("past", 3, 2, 1, 0), ("ban", 2, 2, 0, 1)]
    value = {
        (name, about): number for name, about, number in found.select("statistic", "question", "value").iter_rows()
    }
    assert value["repeated", "past"] == 1
    assert value["impossible", "ban"] == 1
    assert value["unique_sentences", "statistics"] == 7  # three seeds and four different rewrites
    assert value["recorded_more_than_once", "statistics"] == 1
    said = {finding.kind: finding.message for finding in context.findings}
    assert said["repeated"] == "most repeated: past (1); least: ban (0)"
    assert said["impossible"] == "most often impossible: ban (1)"


def test_kinds_may_be_merged(tmp_path: Path) -> None:
    run(tmp_path, merge={"both": ["past", "ban"]})
    assert pl.read_csv(tmp_path / "changes.csv").rows() == [("both", 5, 4, 1, 1)]
    with pytest.raises(KostraError, match='unknown kind of rewrite "gossip"'):
        run(tmp_path, merge={"both": ["gossip"]})


def test_a_kind_that_was_always_impossible_is_counted_too() -> None:
    made = per_change(sentences().drop_nulls("origin"), judgments([("s2", "gossip", "otter", None, 30.0)]),
                      kinds=kinds_of(["past", "ban", "gossip"], {}, where="here"))  # fmt: skip
    assert ("gossip", 0, 0, 0, 1) in made.rows()


def test_what_was_superseded_is_no_screen() -> None:
    old = judgments().with_columns(status=pl.lit("superseded"))
    assert screens(old, ["past", "ban"]).height == 0


def test_figures_lie_beside_the_tables(tmp_path: Path) -> None:
    run(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.svg")} == {"annotators", "overlap", "changes"}


def test_sentences_without_rewrites_are_refused(tmp_path: Path) -> None:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="statistics", use="analysis/rewrite_statistics")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0.0, high=1.0), steps=(step,))
    context = Context(recipe, step, tmp_path, tmp_path, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))
    read = Inputs({"sentences": sentences().filter(pl.col("change").is_null()), "judgments": judgments()})
    with pytest.raises(KostraError, match="there is no rewrite"):
        rewrite_statistics.run(read, rewrite_statistics.Options(), context)

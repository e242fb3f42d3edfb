"""Corrections by type of error: the most serious counts, each sentence once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.analysis import corrections as analysis
from kostra.analysis.corrections import UNTYPED, corrections
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, PAIRS, Frame, check

ORDER = ("sense", "semantic", "grammatical", "word order", "punctuation", "other")
START = datetime(2026, 3, 1, tzinfo=UTC)


def pairs() -> Frame:
    """The sentence s2 stands in three pairs, s3 in two."""
    rows = [("p", "s1", "s2"), ("q", "s2", "s1"), ("r", "s2", "s3"), ("t", "s4", "s3"), ("u", "s1", "s4")]
    texts = {"s1": "Kot śpi.", "s2": "Pies szczekają", "s3": "Nikt nie biega .", "s4": "Pada deszcz"}
    frame = pl.DataFrame(
        [(pair, texts[a], texts[b], a, b) for pair, a, b in rows],
        schema=["pair", "text_a", "text_b", "sentence_a", "sentence_b"],
        orient="row",
    )
    return check(frame, PAIRS)


class Desk:
    """Writes judgments one after the other."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.now = START

    def screen(self, phase: str, who: str, *answers: tuple[str, str, str | None, int]) -> None:
        self.now += timedelta(minutes=1)
        for item, question, value, version in answers:
            self.rows.append(
                {
                    "judgment": f"j{len(self.rows)}",
                    "item": item,
                    "version": version,
                    "question": question,
                    "annotator": who,
                    "value": value,
                    "status": "answered" if value is not None else "skipped",
                    "phase": phase,
                    "block": "main",
                    "answered_at": self.now,
                }
            )

    def leads(self, item: str, text: str, kind: str | None, version: int = 1) -> None:
        self.screen("correct", "leader", (item, "correction", text, version), (item, "error_type", kind, version))

    def decides(self, decision: str, item: str, text: str, version: int) -> None:
        self.screen(
            "validate", "linguist", ("suggestion-1", "suggestion", decision, 1), (item, "correction", text, version)
        )

    def judgments(self) -> Frame:
        return check(pl.DataFrame(self.rows), JUDGMENTS)


def found(desk: Desk) -> list[tuple[str, str, bool, int]]:
    made = corrections(pairs(), desk.judgments(), order=ORDER)
    return made.select("sentence", "kind", "decided", "times").rows()


def test_a_sentence_counts_once_under_its_most_serious_error_however_many_pairs_it_stands_in() -> None:
    desk = Desk()
    desk.leads("p", "Pies szczeka", "grammatical")
    desk.leads("p", "Pies szczeka.", "punctuation", version=2)
    desk.leads("t", "Nikt nie biega.", "punctuation")
    assert found(desk) == [("s2", "grammatical", False, 2), ("s3", "punctuation", False, 1)]


def test_the_order_of_errors_decides_and_not_the_order_of_corrections() -> None:
    desk = Desk()
    desk.leads("p", "Pies szczekają.", "punctuation")
    desk.leads("p", "Psy szczekają.", "sense", version=2)
    assert found(desk) == [("s2", "sense", False, 2)]


def test_a_sentence_that_was_left_as_it_is_counts_nowhere() -> None:
    desk = Desk()
    desk.leads("p", "Pies szczekają", None)
    assert found(desk) == []


def test_a_correction_without_a_type_is_counted_as_such() -> None:
    desk = Desk()
    desk.leads("p", "Pies szczeka.", None)
    assert found(desk) == [("s2", UNTYPED, False, 1)]


def test_what_a_linguist_decided_stands_beside_what_leaders_corrected() -> None:
    desk = Desk()
    desk.leads("p", "Pies szczeka", "grammatical")
    desk.decides("mend in place", "p", "Pies szczeka.", 2)
    desk.decides("mend and ask again", "t", "Nikt już nie biega.", 1)
    assert found(desk) == [
        ("s2", "grammatical", False, 1),
        ("s2", "mend in place", True, 1),
        ("s3", "mend and ask again", True, 1),
    ]


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    desk = Desk()
    desk.leads("p", "Pies szczeka.", "spelling")
    with pytest.raises(KostraError) as error:
        found(desk)
    assert error.value.what == 'found the type of error "spelling"'
    assert error.value.accepted == ", ".join(ORDER)


def test_the_step_writes_counts_shares_and_a_picture(tmp_path: Path) -> None:
    desk = Desk()
    desk.leads("p", "Pies szczeka", "grammatical")
    desk.leads("t", "Nikt nie biega.", "punctuation")
    desk.decides("mend in place", "p", "Pies szczeka.", 2)
    about = About(name="t", title="t", protocol="t", language="pl", seed=1, citation="t")
    step = Step(name="corrections", use="analysis/corrections")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=5.0), steps=(step,))
    context = Context(recipe, step, tmp_path, tmp_path, np.random.default_rng(1), START)
    inputs = Inputs({"pairs": pairs(), "judgments": desk.judgments()})
    made = analysis.run(inputs, analysis.Options(order=ORDER), context)["statistics"]
    found = {row["statistic"]: (row["value"], row["n"]) for row in made.iter_rows(named=True)}
    assert found["corrected_grammatical"] == (1, 2)
    assert found["corrected_sense"] == (0, 2)
    assert found["corrected_mend_in_place"] == (1, 1)
    table = pl.read_csv(tmp_path / "corrections.csv")
    assert table.filter(pl.col("part") == "error type")["value"].to_list() == list(ORDER)
    assert table.filter(pl.col("value") == "punctuation")["share"].to_list() == [0.5]
    assert (tmp_path / "corrections.svg").is_file()
    assert pl.read_csv(tmp_path / "corrected_sentences.csv").height == 3

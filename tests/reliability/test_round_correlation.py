from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from kostra.errors import KostraError
from kostra.reliability.round_correlation import Corrections, Rounds, round_correlation, side_by_side
from kostra.sources.released import czech_news_sts
from kostra.tables import Frame

CORRECTION = {("round_1", "line-0004"): 4.0}


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def released(data: Path, corrections: Corrections | None = None) -> Rounds:
    scores = czech_news_sts.read(data / "cna_free_test.tsv").tables["scores"]
    return side_by_side(scores, "round_1", "similarity", low=0, high=6, corrections=corrections)


def table(first: dict[str, float], second: dict[str, float]) -> Frame:
    rows = [(item, "round_1", score) for item, score in first.items()]
    rows += [(item, "similarity", score) for item, score in second.items()]
    return pl.DataFrame(rows, schema=["item", "question", "score"], orient="row")


def test_the_rounds_as_released_correlate_at_8755(data: Path) -> None:
    rounds = released(data)
    found = round_correlation(rounds.first, rounds.second, rng=rng())
    assert found.value == pytest.approx(0.8755, abs=5e-5)
    assert found.low < found.value < found.high
    assert found.n == 1200


def test_the_minus_four_on_line_4_is_reported_as_out_of_range_and_left_as_it_is(data: Path) -> None:
    rounds = released(data)
    assert [str(finding) for finding in rounds.findings] == ["round_1: 1 score outside 0 to 6: −4 (line-0004)"]
    assert rounds.first[rounds.items.index("line-0004")] == -4


def test_the_explicit_correction_gives_8787_and_is_recorded(data: Path) -> None:
    rounds = released(data, CORRECTION)
    assert round_correlation(rounds.first, rounds.second, rng=rng()).value == pytest.approx(0.8787, abs=5e-5)
    assert [(finding.kind, str(finding)) for finding in rounds.findings] == [
        ("corrected", "round_1: corrected by the user: line-0004 from −4 to 4")
    ]


def test_spearman_is_scipys_and_has_an_interval(data: Path) -> None:
    rounds = released(data, CORRECTION)
    found = round_correlation(rounds.first, rounds.second, ranks=True, rng=rng(), samples=200)
    assert found.value == pytest.approx(stats.spearmanr(rounds.first, rounds.second).statistic, abs=1e-12)
    assert found.low < found.value < found.high


def test_a_correction_of_nothing_or_out_of_range_or_of_another_question_is_refused() -> None:
    scores = table({"p": 1, "q": 2}, {"p": 1, "q": 2})
    for corrections, message in (
        ({("round_1", "x"): 4.0}, 'the correction of "x" has nothing to correct'),
        ({("round_1", "p"): 7.0}, 'the correction of "p" to 7 is itself out of range'),
        ({("round_1", "p"): float("nan")}, "is itself out of range"),
        ({("round_2", "p"): 4.0}, "a correction is about round_2\n  accepted: round_1, similarity"),
    ):
        with pytest.raises(KostraError, match=message):
            side_by_side(scores, "round_1", "similarity", low=0, high=6, corrections=corrections)


def test_a_correction_that_changes_nothing_says_so() -> None:
    scores = table({"p": 4, "q": 2}, {"p": 1, "q": 2})
    rounds = side_by_side(scores, "round_1", "similarity", low=0, high=6, corrections={("round_1", "p"): 4.0})
    assert str(rounds.findings[0]) == "round_1: nothing to correct: p already is 4"


def test_items_of_one_round_only_are_counted() -> None:
    rounds = side_by_side(table({"p": 1, "q": 2}, {"q": 5, "r": 3, "s": 1}), "round_1", "similarity", low=0, high=6)
    assert rounds.items == ("q",)
    assert (rounds.first.tolist(), rounds.second.tolist()) == ([2.0], [5.0])
    assert [str(finding) for finding in rounds.findings] == [
        "round_1: 1 items have no score in the other round",
        "similarity: 2 items have no score in the other round",
    ]


def test_an_unknown_round_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        KostraError, match='no score of "round1"\n  accepted: round_1, similarity\n  try: did you mean "round_1"'
    ):
        side_by_side(table({"p": 1}, {"p": 2}), "round1", "similarity", low=0, high=6)


@pytest.mark.parametrize(
    ("first", "why"), [([1.0], "fewer than two items"), ([2.0, 2.0, 2.0], "the scores of a round are all equal")]
)
def test_an_undefined_correlation_says_why(first: list[float], why: str) -> None:
    found = round_correlation(np.array(first), np.arange(float(len(first))), rng=rng())
    assert np.isnan(found.value)
    assert found.note == f"undefined: {why}"

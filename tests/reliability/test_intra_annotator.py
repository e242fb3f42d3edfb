from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from kostra.errors import KostraError
from kostra.reliability.inter_annotator import FIGURES
from kostra.reliability.intra_annotator import Repeats, intra_annotator, repeats_of
from kostra.tables import JUDGMENTS, Frame, check

START = datetime(2026, 3, 1, tzinfo=UTC)


def table(rows: list[tuple[str, str | None, str, str]], **columns: Any) -> Frame:
    """Rows of item, annotator, block and value, in order of time."""
    frame = pl.DataFrame(
        {
            "judgment": [str(number) for number in range(len(rows))],
            "item": [row[0] for row in rows],
            "version": [1] * len(rows),
            "question": ["similarity"] * len(rows),
            "annotator": pl.Series([row[1] for row in rows], dtype=pl.String),
            "value": [row[3] for row in rows],
            "status": ["answered"] * len(rows),
            "phase": ["free"] * len(rows),
            "block": [row[2] for row in rows],
            **columns,
        }
    )
    return check(frame, JUDGMENTS)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_it_equals_scipy_on_the_concatenation() -> None:
    draw = np.random.default_rng(3)
    earlier = draw.integers(0, 7, 80).astype(float)
    later = (earlier + draw.integers(-1, 2, 80)).clip(0, 6)
    found = intra_annotator(Repeats(np.arange(80) % 25, earlier, later, 16), rng=rng())
    mse = float(((earlier - later) ** 2).mean())
    expected = (stats.pearsonr(earlier, later)[0], stats.spearmanr(earlier, later)[0], mse**0.5, mse)
    for name, value in zip(FIGURES, expected, strict=True):
        assert found[name].value == pytest.approx(value, abs=1e-10)
        assert found[name].low < value < found[name].high
        assert found[name].n == 25
    assert found["mse"].note == "80 repeats by 16 annotators"


def test_a_repeat_meets_the_same_persons_last_earlier_answer_in_another_block() -> None:
    judgments = table(
        [
            ("p", "ann", "main", "1"),
            ("p", "bob", "main", "6"),
            ("p", "ann", "main", "2"),
            ("p", "ann", "repeat", "3"),
            ("p", "ann", "main", "5"),
            ("q", "bob", "repeat", "4"),
        ]
    )
    found = repeats_of(judgments, "similarity")
    assert (found.earlier.tolist(), found.later.tolist()) == ([2.0], [3.0])
    assert found.without_earlier == 1
    assert "1 repeat left out: no earlier answer" in intra_annotator(found, rng=rng())["mse"].note


def test_time_decides_what_is_earlier_where_every_answer_has_one() -> None:
    rows: list[tuple[str, str | None, str, str]] = [("p", "ann", "repeat", "3"), ("p", "ann", "main", "2")]
    times = [START + timedelta(hours=1), START]
    assert repeats_of(table(rows, answered_at=times), "similarity").earlier.tolist() == [2.0]
    assert repeats_of(table(rows), "similarity").earlier.tolist() == []


def test_only_the_named_phases_hold_repeats_but_earlier_answers_come_from_any() -> None:
    rows: list[tuple[str, str | None, str, str]] = [
        ("p", "ann", "main", "2"),
        ("p", "ann", "repeat", "3"),
        ("p", "ann", "repeat", "4"),
    ]
    judgments = table(rows, phase=["before", "free", "context"])
    found = repeats_of(judgments, "similarity", phases=["context"])
    assert (found.earlier.tolist(), found.later.tolist()) == ([2.0], [4.0])


def test_anonymous_repeats_and_texts_are_refused() -> None:
    with pytest.raises(KostraError, match="anonymous"):
        repeats_of(table([("p", None, "main", "1"), ("p", None, "repeat", "1")]), "similarity")
    with pytest.raises(KostraError, match="4o"):
        repeats_of(table([("p", "ann", "main", "4o"), ("p", "ann", "repeat", "1")]), "similarity")


def test_no_repeat_and_one_repeat_are_undefined_with_their_reason() -> None:
    none = intra_annotator(repeats_of(table([("p", "ann", "main", "1")]), "similarity"), rng=rng())
    assert "nobody answered an item twice" in none["mse"].note
    one = intra_annotator(Repeats(np.array([0]), np.array([1.0]), np.array([2.0]), 1), rng=rng())
    assert "fewer than two repeats" in one["pearson"].note
    assert one["mse"].value == 1.0
    assert np.isnan(one["mse"].low)

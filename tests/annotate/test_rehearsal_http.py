"""A rehearsal over HTTP: people of mixed quality come, go and return for weeks; each item gets what was promised."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from bench.rehearsal import figures, rehearse
from bench.rehearsal_project import Size

SMALL = Size(annotators=64, sequences=4, length=12)


@pytest.mark.long
def test_after_weeks_of_drop_outs_and_returns_each_pair_has_exactly_its_answers(
    postgres_url: str, tmp_path: Path
) -> None:
    done = rehearse(postgres_url, tmp_path, SMALL, seed=1)
    assert [str(check) for check in done.checks if not check.holds] == [], "\n".join(figures(done))
    # What was to be rehearsed did happen.
    assert Counter(guest.end for guest in done.guests)["stopped"] > 0
    assert sum(guest.gone for guest in done.guests) > 0
    assert sum(guest.returns for guest in done.guests) > 0
    assert sum(guest.early for guest in done.guests) > 0
    assert done.excluded
    collected = pl.read_csv(tmp_path / "project" / "data" / "judgments.csv")
    assert {"answered", "discarded", "superseded"} <= set(collected["status"])

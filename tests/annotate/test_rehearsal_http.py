"""A rehearsal over HTTP: people of mixed quality come, go and return for weeks; each item gets what was promised."""

from __future__ import annotations

from pathlib import Path

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

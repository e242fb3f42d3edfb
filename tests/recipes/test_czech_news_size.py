"""Czech News STS at the size of the paper: 1,200 pairs, 216 people, sequences of 50.

The shipped sample has too few pairs for that; so the news of this test are made up of numbers, and nobody's models,
scores or figures are looked at.
"""

from __future__ import annotations

import csv
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from kostra.pipeline import build
from kostra.projects import new
from kostra.tables import Frame

NOW = datetime(2026, 3, 1, tzinfo=UTC)
INCIDENTS, SUMMARY, REPORTS = 190, 3, 6
"""190 × 3 summary sentences with three picks each are 1,710 pairs: 1,200 to test, 60 to begin with, others."""
PEOPLE, PAIRS, NINE = 216, 1200, 9
SIX = 6
SIZES = {"calibration": 6, "main": 50, "repeat": 5}


def write_news(path: Path) -> None:
    """Incidents whose sentences share some of their words."""
    with path.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    rows = []
    for incident in range(INCIDENTS):
        for kind, count in (("summary", SUMMARY), ("report", REPORTS)):
            for place in range(count):
                words = [f"slovo{(incident * 7 + place * step) % 400}" for step in range(1, 8)]
                cells = {
                    "sentence": f"n{incident}-{kind}-{place}", "text": f"{' '.join(words).capitalize()} {place}.",
                    "document": f"d{incident}-{kind}", "group": f"i{incident}", "label": kind, "position": str(place),
                }  # fmt: skip
                rows.append([cells.get(name, "") for name in header])
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = new("czech_news_sts", tmp_path_factory.mktemp("news") / "project")
    write_news(project / "data" / "news.csv")
    assert {status.state for status in build(project, simulate=True, to="round2", now=NOW).steps[:9]} == {"done"}
    return project / "build"


@pytest.fixture(scope="module")
def judged(built: Path) -> Frame:
    return pl.read_parquet(built / "round2" / "judgments.parquet")


@pytest.mark.long
def test_every_picker_but_the_last_gets_six_whole_incidents_that_nobody_else_has(built: Path) -> None:
    picked = pl.read_parquet(built / "pick" / "judgments.parquet").filter(pl.col("block") == "main")
    incident = dict(pl.read_parquet(built / "candidates" / "sentences.parquet").select("sentence", "group").iter_rows())
    homes: dict[str, set[str]] = {}
    for item, annotator in picked.select("item", "annotator").iter_rows():
        homes.setdefault(annotator, set()).add(incident[item])
    assert sorted(map(len, homes.values())) == [INCIDENTS % SIX, *[SIX] * (INCIDENTS // SIX)]
    assert sum(map(len, homes.values())) == len(set.union(*homes.values())) == INCIDENTS


@pytest.mark.long
def test_216_people_rate_six_then_fifty_then_five_pairs_alone_and_in_context(judged: Frame) -> None:
    for phase in ("free", "context"):
        own = judged.filter(pl.col("phase") == phase)
        assert own["annotator"].n_unique() == PEOPLE
        for _, rows in own.group_by("annotator"):
            assert Counter(rows["block"]) == SIZES


@pytest.mark.long
def test_24_disjoint_sequences_make_the_whole_set_and_nine_people_rate_each_pair_twice(judged: Frame) -> None:
    for phase in ("free", "context"):
        main = judged.filter((pl.col("phase") == phase) & (pl.col("block") == "main"))
        assert main["item"].n_unique() == PAIRS
        assert set(main.group_by("item").agg(pl.col("annotator").n_unique())["annotator"]) == {NINE}
        assert main.height == PAIRS * NINE == PEOPLE * SIZES["main"]


@pytest.mark.long
def test_hardly_any_two_people_share_more_than_a_few_pairs(judged: Frame) -> None:
    main = judged.filter((pl.col("phase") == "free") & (pl.col("block") == "main"))
    lots = [set(rows["item"]) for _, rows in main.group_by("annotator")]
    shared = [len(one & other) for place, one in enumerate(lots) for other in lots[place + 1 :]]
    # Fifty pairs meet 24 sequences of another replicate: two or three in each, if they are spread evenly.
    assert max(shared) <= 4

"""Reports of whole projects: unfinished, rehearsed, and with answers of people."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from tests.report.reports import Page

from kostra.pipeline import build
from kostra.projects import new

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def page_of(project: Path) -> Page:
    return Page((project / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of ratings, rehearsed with simulated annotators."""
    project = new("rating", tmp_path_factory.mktemp("rated") / "project")
    assert build(project, simulate=True, now=NOW).complete
    return project


def test_a_project_without_answers_has_a_report_that_says_what_is_still_to_come(tmp_path: Path) -> None:
    project = new("bws", tmp_path / "project")
    states = {status.step.name: status.state for status in build(project, now=NOW).steps}
    assert (states["annotate"], states["scores"], states["report"]) == ("waiting", "blocked", "done")
    text = page_of(project).text
    assert "None of 60 pairs has a score for relatedness yet." in text
    assert "There are 60 pairs and no answers." in text
    assert "simulated" not in text.replace("Rehearse with kostra build --simulate", "")


def test_a_rehearsal_leaves_nothing_in_the_report_of_a_project_that_waits_for_people(tmp_path: Path) -> None:
    project = new("bws", tmp_path / "project")
    build(project, simulate=True, now=NOW)
    assert "The annotators were simulated." in page_of(project).text
    build(project, simulate=False, now=NOW)
    text = page_of(project).text
    assert "The annotators were simulated." not in text
    assert "None of 60 pairs has a score" in text


def test_agreement_has_intervals_and_people_set_the_ceiling(rated: Path) -> None:
    text = page_of(rated).text
    assert "Krippendorff’s α, interval" in text
    assert "The human ceiling: what people themselves reach." in text
    told = pl.read_csv(rated / "report" / "tables" / "agreement.csv")
    assert told["95% interval"].is_not_null().all()


def test_the_flow_counts_pairs_judgments_and_scores(rated: Path) -> None:
    steps = pl.read_csv(rated / "report" / "tables" / "flow_of_items.csv")
    assert steps["Step"].to_list() == ["pairs", "annotate", "scores", "reliability", "evaluation", "release"]
    drawn = (rated / "report.html").read_text(encoding="utf-8")
    assert "pairs: 60 pairs; annotate: 180 judgments; scores: 60 scores." in drawn


def test_what_is_next_is_read_off_the_answers(rated: Path) -> None:
    text = page_of(rated).text
    assert "All 180 answers come from simulated annotators." in text
    assert "With 3.0 answers per pair" in text


def test_answers_of_people_are_told_from_simulated_ones(rated: Path, tmp_path: Path) -> None:
    project = new("rating", tmp_path / "project")
    judged = pl.read_parquet(rated / "build" / "annotate" / "judgments.parquet").with_columns(
        pl.col("annotator").str.replace("simulated", "person")
    )
    (project / "data" / "judgments.csv").write_text(judged.write_csv(datetime_format="%Y-%m-%dT%H:%M:%S%.6fZ"))
    assert build(project, now=NOW).complete
    text = page_of(project).text
    assert "simulated annotator" not in text
    assert "were simulated" not in text
    assert "The scores rest on 180 answers" in text
    assert "Ask people" not in text

"""Filters and triage: what stays, what goes, and that nothing goes unsaid."""

from __future__ import annotations

import importlib.util
import sys
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kostra import tables
from kostra.errors import KostraError
from kostra.pipeline import build, status
from kostra.projects import new
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.sources import filter as sieve
from kostra.sources import sieves, triage, triaged
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, SENTENCES, check
from kostra.text import dice, words

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def context(tmp_path: Path) -> Context:
    step = Step(name="own", use="sources/filter")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    rng = np.random.default_rng(1)
    return Context(recipe=recipe, step=step, project=tmp_path, folder=tmp_path, rng=rng, now=NOW)


def sentences(*texts: str, languages: tuple[str, ...] = ()) -> pl.DataFrame:
    rows = {
        "sentence": [f"s{number}" for number in range(1, len(texts) + 1)],
        "text": list(texts),
        "source": ["own"] * len(texts),
        "language": list(languages) or ["en"] * len(texts),
    }
    return check(pl.DataFrame(rows), SENTENCES)


def kept(frame: pl.DataFrame, context: Context, **options: Any) -> list[str]:
    made = sieve.run(Inputs({"sentences": frame}), sieve.Options(**options), context)["sentences"]
    return made["sentence"].to_list()


def removed(context: Context) -> list[str]:
    return [finding.message for finding in context.findings if finding.kind == "removed"]


# Filters -----------------------------------------------------------------------------------------------


def test_more_than_five_and_fewer_than_fifteen_words_are_six_to_fourteen(context: Context) -> None:
    frame = sentences(*(" ".join(["word"] * count) for count in (5, 6, 14, 15)))
    assert kept(frame, context, more_than_words=5, fewer_than_words=15) == ["s2", "s3"]
    assert kept(frame, context, min_words=6, max_words=14) == ["s2", "s3"]


def test_bounds_that_nothing_can_meet_are_refused() -> None:
    with pytest.raises(KostraError, match="no sentence can have at least 7 and at most 6 words"):
        parse(sieve.Options, {"more_than_words": 6, "max_words": 6}, where="recipe.toml")


def test_the_way_to_tell_words_is_named_and_recorded(context: Context) -> None:
    frame = sentences("It's 5 o'clock.")
    assert kept(frame, context, max_words=3, tokens="blanks-1") == ["s1"]
    assert kept(frame, context, max_words=3) == []
    notes = [finding.message for finding in context.findings if finding.kind == "tokens"]
    assert notes == ["words counted with blanks-1", "words counted with words-1"]
    with pytest.raises(KostraError, match='unknown tokens "words-0"'):
        parse(sieve.Options, {"tokens": "words-0"}, where="recipe.toml")


def test_filters_go_one_after_the_other_and_each_says_what_it_removed(context: Context, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("darn\ngo to hell\n")
    frame = sentences(
        "One two.", "One, two", "Darn it!", "Конь idet.", "?!. 12 : 0", "Jeden dva.", "x" * 30,
        languages=("en", "en", "en", "en", "en", "pl", "en"),
    )  # fmt: skip
    options: dict[str, Any] = {
        "max_characters": 20, "languages": ("en",), "scripts": ("latin",), "min_letters": 0.5,
        "word_list": "bad.txt", "duplicates": "near",
    }  # fmt: skip
    assert kept(frame, context, **options) == ["s1"]
    assert removed(context) == [
        f'1 of 7 sentences removed by their length, such as "{"x" * 30}": s7 (30 characters)',
        '1 of 6 sentences removed by their language, such as "Jeden dva.": s6 (pl)',
        '1 of 5 sentences removed by their script, such as "Конь idet.": s4 (cyrillic "К")',
        '1 of 4 sentences removed by their letters, such as "?!. 12 : 0": s5 (0% letters)',
        '1 of 3 sentences removed by their words on the list, such as "Darn it!": s3 (darn)',
        '1 of 2 sentences removed by their repetition, such as "One, two": s2 (like s1)',
    ]
    listed = pl.read_csv(tmp_path / "removed.csv")
    assert listed.height == 6
    assert listed.columns == ["sentence", "text", "filter", "reason"]


def test_the_list_of_words_is_watched_and_must_exist(context: Context) -> None:
    options = sieve.Options(word_list="bad.txt")
    assert sieve.watches(options, context) == [context.project / "bad.txt"]
    with pytest.raises(KostraError, match="there is no such file"):
        kept(sentences("One."), context, word_list="bad.txt")


def test_a_duplicate_goes_and_the_first_stays(context: Context) -> None:
    frame = sentences("A cat.", "A cat.", "A cat")
    assert kept(frame, context, duplicates="exact") == ["s1", "s3"]
    assert kept(frame, context, duplicates="near") == ["s1"]


@given(
    st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6).map(" ".join), max_size=12),
    st.sampled_from([0.3, 0.5, 0.75, 1.0]),
)
def test_likeness_by_words_agrees_with_looking_at_all_pairs(texts: list[str], share: float) -> None:
    names = [str(number) for number in range(len(texts))]
    stays: list[int] = []
    for row, text in enumerate(texts):
        if not any(words(text) and dice(words(text), words(texts[other])) >= share for other in stays):
            stays.append(row)
    verdicts = sieves.by_shared_words(texts, names, share=share)
    assert [row for row, verdict in enumerate(verdicts) if verdict is None] == stays
    for first, second in combinations(stays, 2):
        assert not words(texts[first]) or dice(words(texts[first]), words(texts[second])) < share


def test_detection_looks_at_long_sentences_only(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(classify=lambda text: ("cs" if "ž" in text else "en", -1.0))
    monkeypatch.setitem(sys.modules, "py3langid", fake)
    monkeypatch.setattr(sieves, "version", lambda _: "0")
    frame = sentences("Už je to tak dávno.", "Už ne.", "It was long ago, you know.")
    assert kept(frame, context, detect_language=True) == ["s2", "s3"]
    assert [finding.message for finding in context.findings if finding.kind == "detector"] == [
        "languages detected with py3langid 0"
    ]


def test_detection_without_its_library_names_the_extra(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    with pytest.raises(KostraError, match="detecting languages needs") as caught:
        kept(sentences("One."), context, detect_language=True)
    assert caught.value.remedy == "pip install 'kostra[detect]'"


@pytest.mark.skipif(importlib.util.find_spec("py3langid") is None, reason="needs the extra detect")
def test_the_real_detector_tells_czech_polish_and_english_apart(context: Context) -> None:
    frame = sentences(
        "Radní schválili nákup tří elektrických autobusů pro linky v centru.",
        "Dwa białe szczeniaki śpią w wiklinowym koszu.",
        "The committee approved the plan for a new library.",
        languages=("cs", "cs", "en"),
    )
    assert kept(frame, context, detect_language=True) == ["s1", "s3"]


# Triage ------------------------------------------------------------------------------------------------


def judgments(*rows: tuple[str, str | None, str]) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "judgment": [f"j{number}" for number in range(len(rows))],
            "item": [item for item, _, _ in rows],
            "version": [1] * len(rows),
            "question": ["verdict"] * len(rows),
            "annotator": ["otter"] * len(rows),
            "value": pl.Series([value for _, value, _ in rows], dtype=pl.String),
            "status": [status for _, _, status in rows],
            "phase": ["triage"] * len(rows),
            "block": ["main"] * len(rows),
        }
    )
    return check(frame, JUDGMENTS)


def run_triaged(frame: pl.DataFrame, answers: pl.DataFrame, context: Context, **options: Any) -> list[str]:
    inputs = Inputs({"sentences": frame, "judgments": answers})
    found: list[str] = triaged.run(inputs, triaged.Options(**options), context)["sentences"]["sentence"].to_list()
    return found


def test_kept_sentences_stay_and_everything_else_is_counted_and_listed(context: Context) -> None:
    frame = sentences(*(f"Text {number}." for number in range(1, 8)))
    answers = judgments(
        ("s1", "keep", "answered"),
        ("s2", "unreal", "answered"),
        ("s3", "caption or incomplete", "answered"),
        ("s4", "unreal", "answered"),
        ("s5", None, "skipped"),
        ("s6", "keep", "answered"),
        ("s6", "unreal", "answered"),
    )
    assert run_triaged(frame, answers, context) == ["s1"]
    assert [finding.message for finding in context.findings] == [
        "1 of 7 sentences kept",
        "2 rejected as unreal: s2, s4",
        "1 rejected as caption or incomplete: s3",
        "disputed sentences, left out: 1 (s6)",
        "untriaged sentences, left out: 2 (s5, s7)",
    ]
    listed = dict(pl.read_csv(context.folder / "triage.csv").select("sentence", "verdict").rows())
    assert listed["s5"] == listed["s7"] == "untriaged"
    assert len(listed) == 7


def test_a_verdict_that_was_taken_back_does_not_count(context: Context) -> None:
    answers = judgments(("s1", "unreal", "answered"), ("s1", "keep", "answered"))
    answers = answers.with_columns(supersedes=pl.Series([None, "j0"], dtype=pl.String))
    assert run_triaged(sentences("One."), answers, context) == ["s1"]


def test_no_more_than_asked_for_are_kept_and_the_spare_are_named(context: Context) -> None:
    answers = judgments(*((f"s{number}", "keep", "answered") for number in (3, 2, 1)))
    assert run_triaged(sentences("One.", "Two.", "Three."), answers, context, at_most=2) == ["s1", "s2"]
    assert context.findings[-1].message == "kept sentences beyond the 2 asked for: 1 (s3)"


@pytest.mark.parametrize(
    ("answers", "options", "complaint"),
    [
        ([("s1", "keep", "answered")], {"untriaged": "wait"}, "1 of 2 sentences wait for a verdict: s2"),
        ([("s1", "unreal", "answered")], {}, r"no sentence was kept: unreal \(1\)"),
        ([("s1", "keep", "answered")], {"question": "proposal"}, 'nobody has answered the question "proposal"'),
    ],
)
def test_a_triage_that_gives_nothing_says_why(
    context: Context, answers: list[tuple[str, str, str]], options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(KostraError, match=complaint):
        run_triaged(sentences("One.", "Two."), judgments(*answers), context, **options)


def test_a_triage_table_goes_out_empty_and_comes_back_as_judgments(tmp_path: Path) -> None:
    table = triage.triage_table(sentences("One.", "Two."))
    tables.write(table.with_columns(verdict=pl.Series(["keep", None], dtype=pl.String)), tmp_path / "t.csv")
    made = triage.read_triage(tmp_path / "t.csv", annotator="otter", now=NOW)
    assert made.select("item", "value", "status").rows() == [("s1", "keep", "answered")]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ("s1,maybe\n", r't\.csv:2: column "verdict": found "maybe"'),
        ("s1,keep\ns1,keep\n", r't\.csv:3: column "sentence": "s1" stands twice'),
        ("s1,\n", "no sentence has a verdict yet"),
    ],
)
def test_a_wrong_triage_table_is_refused_with_its_line(tmp_path: Path, rows: str, complaint: str) -> None:
    (tmp_path / "t.csv").write_text(f"sentence,verdict\n{rows}")
    with pytest.raises(KostraError, match=complaint):
        triage.read_triage(tmp_path / "t.csv", annotator="otter", now=NOW)


def test_costra_goes_from_candidates_over_a_persons_table_to_seeds(tmp_path: Path) -> None:
    project = new("costra", tmp_path / "p")
    build(project, to="seeds", now=NOW)
    waiting = {one.step.name: one.state for one in status(project)}
    assert (waiting["triage"], waiting["seeds"]) == ("waiting", "blocked")
    candidates = tables.read(project / "build" / "candidates" / "sentences.parquet", SENTENCES)
    reasons = [triage.VERDICTS[row % 4] for row in range(candidates.height)]
    filled = triage.triage_table(candidates).with_columns(verdict=pl.Series(reasons))
    tables.write(filled, tmp_path / "filled.csv")
    answers = triage.read_triage(tmp_path / "filled.csv", annotator="otter", now=NOW)
    tables.write(answers, project / "data" / "triage.csv")
    built = build(project, to="seeds", now=NOW)
    (seeds,) = [one for one in built.steps if one.step.name == "seeds"]
    assert (seeds.state, seeds.rows) == ("done", {"sentences": reasons.count("keep")})
    assert any("rejected as too dependent on context" in finding for finding in seeds.findings)


def test_a_triage_that_must_be_whole_waits_until_it_is(tmp_path: Path) -> None:
    project = new("costra", tmp_path / "p")
    recipe = project / "recipe.toml"
    text = recipe.read_text(encoding="utf-8")
    assert text.count('use = "sources/triaged"') == 1
    before, after = text.split('use = "sources/triaged"')
    waits = after.replace("[steps.with]\n", '[steps.with]\nuntriaged = "wait"\n', 1)
    recipe.write_text(f'{before}use = "sources/triaged"{waits}', encoding="utf-8")
    build(project, to="candidates", now=NOW)
    candidates = tables.read(project / "build" / "candidates" / "sentences.parquet", SENTENCES)
    filled = triage.triage_table(candidates).with_columns(verdict=pl.lit("keep")).head(3)
    tables.write(filled, tmp_path / "filled.csv")
    tables.write(triage.read_triage(tmp_path / "filled.csv", annotator="otter", now=NOW), project / "data/triage.csv")
    seeds = build(project, to="seeds", now=NOW).steps[-1]
    assert seeds.state == "waiting"
    assert seeds.why.startswith(f"{candidates.height - 3} of {candidates.height} sentences wait for a verdict")

"""Answers become sentences, and sentences are mended: by what a person accepted, and by nothing else."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.sources import mended, rewrites
from kostra.steps import Context, Inputs
from kostra.tables import JUDGMENTS, PAIRS, SENTENCES, Frame, check

Row = tuple[str, str, str | None, str | None, str]


def context(folder: Path) -> Context:
    about = About(name="try", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="step", use="sources/rewrites")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0.0, high=1.0), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


def judgments(*rows: Row) -> Frame:
    """Item, question, annotator, value, status."""
    frame = pl.DataFrame(
        rows, schema=dict.fromkeys(("item", "question", "annotator", "value", "status"), pl.String), orient="row"
    ).with_columns(
        judgment=pl.format("j{}", pl.int_range(pl.len())),
        version=1,
        phase=pl.lit("p"),
        block=pl.lit("main"),
        seconds=9.0,
    )
    return check(frame, JUDGMENTS)


def seeds(**texts: str) -> Frame:
    frame = pl.DataFrame({"sentence": list(texts), "text": list(texts.values())})
    return check(frame.with_columns(source=pl.lit("news"), language=pl.lit("cs"), label=pl.lit("press")), SENTENCES)


def said(place: Context) -> dict[str, str]:
    return {found.kind: found.message for found in place.findings}


# Rewrites -----------------------------------------------------------------------------------------------


def rewritten(folder: Path, answers: Frame, **read: Frame) -> tuple[Frame, Context]:
    place = context(folder)
    made = rewrites.run(Inputs({"judgments": answers, **read}), rewrites.Options(), place)
    return made["sentences"], place


def test_a_rewrite_knows_its_seed_its_change_and_its_author(tmp_path: Path) -> None:
    answers = judgments(("s1", "past", "otter", "It  rained.", "answered"))
    made, _ = rewritten(tmp_path, answers, sentences=seeds(s1="It rains."))
    (row,) = made.rows(named=True)
    assert (row["sentence"], row["text"]) == ("s1:past:otter", "It rained.")
    assert (row["origin"], row["change"], row["label"], row["group"]) == ("s1", "past", "otter", "s1")
    assert (row["source"], row["language"]) == ("news", "cs")


def test_what_is_impossible_is_no_sentence_but_counted_and_listed(tmp_path: Path) -> None:
    answers = judgments(
        ("s1", "past", "otter", "It rained.", "answered"),
        ("s1", "ban", "otter", None, "impossible"),
        ("s1", "future", "otter", None, "skipped"),
        ("s1", "past", "crane", "It had rained.", "superseded"),
        ("s1", "past", "carp", "It rained a lot.", "discarded"),
    )
    made, place = rewritten(tmp_path, answers, sentences=seeds(s1="It rains.", s2="It snows."))
    assert made["text"].to_list() == ["It rained."]
    found = said(place)
    assert found["impossible"] == "1 times IMPOSSIBLE (50.0%): ban (1)"
    assert found["skipped"] == "skipped, and so no rewrites: 1 judgment"
    assert {"superseded", "discarded"} <= set(found)
    assert found["untouched"] == "1 items were rewritten by nobody: s2"
    with (tmp_path / "answers.csv").open(encoding="utf-8") as file:
        assert [row["status"] for row in csv.DictReader(file)] == answers["status"].to_list()


def test_several_rewrites_by_one_author_are_numbered_and_anonymous_ones_named_by_their_answer(tmp_path: Path) -> None:
    answers = judgments(
        ("s1", "idea", "otter", "It rained.", "answered"),
        ("s1", "idea", "otter", "Does it rain?", "answered"),
        ("s1", "idea", None, "It rains!", "answered"),
    )
    made, _ = rewritten(tmp_path, answers, sentences=seeds(s1="It rains."))
    assert made["sentence"].to_list() == ["s1:idea:otter", "s1:idea:otter:2", "s1:idea:j2"]


def test_a_rewrite_that_is_its_seed_is_told(tmp_path: Path) -> None:
    answers = judgments(("s1", "past", "otter", "It rains.", "answered"))
    _, place = rewritten(tmp_path, answers, sentences=seeds(s1="It rains."))
    assert said(place)["same"].endswith("that was to be rewritten: s1:past:otter")


def gap(**more: str | None) -> Frame:
    row = {"pair": "s1>r1", "text_a": "It rains.", "text_b": "It rained.", "sentence_a": "s1", "sentence_b": "r1"}
    return check(pl.DataFrame([{**row, "subset": "past", **more}], schema=PAIRS.dtypes), PAIRS)


def test_what_lies_between_two_sentences_belongs_to_the_seed_and_the_kind_of_the_pair(tmp_path: Path) -> None:
    answers = judgments(("s1>r1", "interpolation", "otter", "It rained a little.", "answered"))
    made, _ = rewritten(tmp_path, answers, pairs=gap())
    (row,) = made.rows(named=True)
    assert row["sentence"] == "r1:interpolation:otter"
    assert (row["origin"], row["change"]) == ("s1", "past")
    assert (row["source"], row["language"]) == ("try", "en")


def test_a_pair_without_seed_or_kind_is_refused(tmp_path: Path) -> None:
    answers = judgments(("s1>r1", "interpolation", "otter", "It rained a little.", "answered"))
    with pytest.raises(KostraError, match="1 pairs do not say of which sentence and by which change: s1>r1"):
        rewritten(tmp_path, answers, pairs=gap(subset=None))


def test_answers_about_other_sentences_are_refused(tmp_path: Path) -> None:
    answers = judgments(("s9", "past", "otter", "It rained.", "answered"))
    with pytest.raises(KostraError, match="1 items that were rewritten are not among those read here: s9"):
        rewritten(tmp_path, answers, sentences=seeds(s1="It rains."))


def test_an_empty_round_and_an_unknown_question_are_refused(tmp_path: Path) -> None:
    read = Inputs({"judgments": judgments(("s1", "ban", "otter", None, "impossible")), "sentences": seeds(s1="A.")})
    with pytest.raises(KostraError, match="none of 1 judgment is a rewrite"):
        rewrites.run(read, rewrites.Options(), context(tmp_path))
    with pytest.raises(KostraError, match='unknown question "band"') as error:
        rewrites.run(read, rewrites.Options(questions=("band",)), context(tmp_path))
    assert error.value.remedy == 'did you mean "ban"?'


def test_only_the_named_questions_make_sentences(tmp_path: Path) -> None:
    answers = judgments(("s1", "idea", "otter", "It rained.", "answered"), ("s1", "name", "otter", "past", "answered"))
    read = Inputs({"judgments": answers, "sentences": seeds(s1="It rains.")})
    made = rewrites.run(read, rewrites.Options(questions=("idea",)), context(tmp_path))
    assert made["sentences"]["text"].to_list() == ["It rained."]


# Mending ------------------------------------------------------------------------------------------------

WRITTEN = "Teh catt sat."


def written() -> Frame:
    frame = pl.DataFrame(
        {
            "sentence": ["s1", "r1"], "text": ["A cat sits.", WRITTEN], "label": ["press", "otter"],
            "origin": [None, "s1"], "change": [None, "past"],
        }
    )  # fmt: skip
    return check(frame.with_columns(source=pl.lit("x"), language=pl.lit("en")), SENTENCES)


def proposed(*places: tuple[str, str], text: str = WRITTEN) -> Frame:
    rows = [{"pair": pair, "text_a": text, "text_b": after, "sentence_a": "r1"} for pair, after in places]
    return check(pl.DataFrame(rows, schema=PAIRS.dtypes), PAIRS)


BOTH = proposed(("r1@0-3#1", "The catt sat."), ("r1@4-8#1", "Teh cat sat."))


def mend(folder: Path, pairs: Frame, *answers: tuple[str, str, str]) -> tuple[dict[str, Frame], Context]:
    """Decide: (item, annotator, verdict)."""
    place = context(folder)
    given = judgments(*((item, "proposal", who, value, "answered") for item, who, value in answers))
    read = Inputs({"sentences": written(), "pairs": pairs, "judgments": given})
    return mended.run(read, mended.Options(), place), place


def test_only_what_was_accepted_is_applied(tmp_path: Path) -> None:
    made, place = mend(tmp_path, BOTH, ("r1@0-3#1", "ann", "reject"), ("r1@4-8#1", "ann", "accept"))
    assert made["sentences"]["text"].to_list() == ["A cat sits.", "Teh cat sat."]
    assert said(place)["mended"] == "1 of 2 proposals accepted, 1 rejected; 1 of 2 sentences changed"
    assert said(place)["typos"] == "typos mended: otter 1"
    with (tmp_path / "proposals.csv").open(encoding="utf-8") as file:
        assert [row["became"] for row in csv.DictReader(file)] == ["rejected", "applied"]


def test_typos_are_counted_by_author(tmp_path: Path) -> None:
    made, _ = mend(tmp_path, BOTH, ("r1@0-3#1", "ann", "accept"), ("r1@4-8#1", "ann", "accept"))
    found = {(name, about): value for name, about, value in
             made["statistics"].select("statistic", "question", "value").iter_rows()}  # fmt: skip
    assert found == {("proposals", "proposal"): 2, ("applied_proposals", "proposal"): 2, ("typos", "otter"): 2}
    assert made["sentences"]["text"][1] == "The cat sat."


def test_what_is_disputed_or_undecided_changes_nothing_and_is_listed(tmp_path: Path) -> None:
    made, place = mend(tmp_path, BOTH, ("r1@0-3#1", "ann", "accept"), ("r1@0-3#1", "bob", "reject"))
    assert made["sentences"].equals(written())
    assert said(place)["disputed"] == "1 proposals disputed, not applied: r1@0-3#1"
    assert said(place)["undecided"] == "1 proposals undecided, not applied: r1@4-8#1"


def test_of_two_accepted_choices_for_a_word_the_better_is_taken(tmp_path: Path) -> None:
    pairs = proposed(("r1@4-8#1", "Teh cat sat."), ("r1@4-8#2", "Teh cart sat."))
    made, place = mend(tmp_path, pairs, ("r1@4-8#1", "ann", "accept"), ("r1@4-8#2", "ann", "accept"))
    assert made["sentences"]["text"][1] == "Teh cat sat."
    assert said(place)["crowded_out"] == "1 proposals crowded out, not applied: r1@4-8#2"
    assert said(place)["mended"].startswith("2 of 2 proposals accepted")


def test_a_proposal_about_another_text_or_sentence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='the sentence "r1" has another text than was checked'):
        mend(tmp_path, proposed(("r1@0-3#1", "The cat."), text="Teh cat."), ("r1@0-3#1", "ann", "accept"))
    strange = proposed(("r9@0-3#1", "The catt sat."))
    with pytest.raises(KostraError, match='the sentence "r9" is not among those read here'):
        mend(tmp_path, strange, ("r9@0-3#1", "ann", "accept"))


def test_pairs_that_are_no_proposals_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="this pair is no proposal of spelling"):
        mend(tmp_path, proposed(("p1", "The catt sat.")), ("p1", "ann", "accept"))


def test_without_a_verdict_at_all_the_step_says_which_question_it_waits_for(tmp_path: Path) -> None:
    read = Inputs({"sentences": written(), "pairs": BOTH, "judgments": judgments(("s1", "past", "a", "b", "answered"))})
    with pytest.raises(KostraError, match='nobody has answered the question "proposal"') as error:
        mended.run(read, mended.Options(), context(tmp_path))
    assert error.value.accepted == "past"


def test_without_proposals_there_is_nothing_to_mend(tmp_path: Path) -> None:
    made, place = mend(tmp_path, PAIRS.empty())
    assert made["sentences"].equals(written())
    assert said(place)["mended"] == "0 of 0 proposals accepted, 0 rejected; 0 of 2 sentences changed"


def test_options_are_strict() -> None:
    with pytest.raises(KostraError, match='unknown key "accepts"'):
        parse(mended.Options, {"accepts": ["yes"]}, where="here")

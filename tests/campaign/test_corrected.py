from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from kostra.campaign.corrected import Correction, corrected_pairs
from kostra.errors import KostraError
from kostra.tables import JUDGMENTS, PAIRS, Frame, check

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def pairs() -> Frame:
    """A pair, its reverse, and another pair with the same transformed sentence."""
    return check(
        pl.DataFrame(
            {
                "pair": ["p", "r", "q"],
                "sentence_a": ["s1", "t1", "s2"],
                "sentence_b": ["t1", "s1", "t1"],
                "text_a": ["A cat sleeps.", "The cat sleep not.", "A dog runs."],
                "text_b": ["The cat sleep not.", "A cat sleeps.", "The cat sleep not."],
                "context_b": ["Look: <sent>The cat sleep not.</sent>", None, None],
                "reverse": ["r", "p", None],
            }
        ),
        PAIRS,
    )


def answers(*given: tuple[str, int, str, str], statuses: tuple[str, ...] = ()) -> Frame:
    """Judgments (item, version, question, value), one minute after the other."""
    rows = [
        {
            "judgment": f"j{number}",
            "item": item,
            "version": version,
            "question": question,
            "annotator": "lea",
            "value": value,
            "status": statuses[number] if statuses else "answered",
            "phase": "correct",
            "block": "main",
            "answered_at": NOON + timedelta(minutes=number),
        }
        for number, (item, version, question, value) in enumerate(given)
    ]
    return check(pl.DataFrame(rows), JUDGMENTS)


def texts(frame: Frame) -> list[tuple[str, str]]:
    return frame.select("text_a", "text_b").rows()


MENDED = "The cat does not sleep."


def test_a_correction_reaches_the_reverse_and_every_pair_with_the_sentence() -> None:
    found, made = corrected_pairs(pairs(), answers(("p", 1, "correction", MENDED)))
    assert texts(found) == [("A cat sleeps.", MENDED), (MENDED, "A cat sleeps."), ("A dog runs.", MENDED)]
    assert found["context_b"][0] == f"Look: <sent>{MENDED}</sent>"
    assert made == [Correction("t1", "The cat sleep not.", MENDED, "p", "j0", 3)]


def test_a_sentence_left_as_it_was_shown_is_no_correction() -> None:
    found, made = corrected_pairs(pairs(), answers(("p", 1, "correction", "The cat sleep not.")))
    assert found.equals(pairs())
    assert made == []


def test_an_answer_to_an_older_version_does_not_take_a_correction_back() -> None:
    # q was on somebody's screen in version 1 while p was corrected; they left the sentence as they saw it.
    given = answers(("p", 1, "correction", MENDED), ("q", 1, "correction", "The cat sleep not."))
    found, made = corrected_pairs(pairs(), given)
    assert found["text_b"].to_list() == [MENDED, "A cat sleeps.", MENDED]
    assert len(made) == 1


def test_corrections_follow_each_other_in_time() -> None:
    given = answers(("p", 1, "correction", "The cat does'nt sleep."), ("q", 2, "correction", MENDED))
    found, made = corrected_pairs(pairs(), given.reverse())
    assert found["text_b"][2] == MENDED
    assert [one.after for one in made] == ["The cat does'nt sleep.", MENDED]


def test_the_first_sentence_has_a_question_of_its_own() -> None:
    found, _ = corrected_pairs(pairs(), answers(("r", 1, "correction_a", MENDED)))
    assert texts(found)[0] == ("A cat sleeps.", MENDED)


def test_an_answer_that_was_replaced_corrects_nothing_and_one_that_was_discarded_did() -> None:
    given = answers(("p", 1, "correction", "Nonsense."), statuses=("superseded",))
    assert corrected_pairs(pairs(), given)[1] == []
    # The judges saw the discarded leader's wording: it is what they judged.
    given = answers(("p", 1, "correction", MENDED), statuses=("discarded",))
    assert len(corrected_pairs(pairs(), given)[1]) == 1


def test_a_correction_into_the_partner_is_refused() -> None:
    with pytest.raises(KostraError, match='makes both sentences of "p" the same'):
        corrected_pairs(pairs(), answers(("p", 1, "correction", "A cat sleeps.")))


def test_judgments_about_other_pairs_or_unknown_versions_are_refused() -> None:
    with pytest.raises(KostraError, match="none of the pairs"):
        corrected_pairs(pairs(), answers(("x", 1, "correction", MENDED)))
    with pytest.raises(KostraError, match='version 2 of "p", which has 1'):
        corrected_pairs(pairs(), answers(("p", 2, "correction", MENDED)))


def test_pairs_without_sentence_ids_share_sentences_by_their_text() -> None:
    bare = pairs().with_columns(sentence_a=pl.lit(None, pl.String), sentence_b=pl.lit(None, pl.String))
    found, _ = corrected_pairs(bare, answers(("p", 1, "correction", MENDED)))
    assert texts(found) == [("A cat sleeps.", MENDED), (MENDED, "A cat sleeps."), ("A dog runs.", MENDED)]

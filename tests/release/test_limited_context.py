"""Contexts cut short: what somebody who lays them over each other gets back of the source, and what they do not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.release import limited_context as component
from kostra.release.limited_context import limited, read_marked
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, Frame, check

Document = list[str]


def split(text: str) -> list[tuple[int, int]]:
    """Sentences of one word and a full stop."""
    spans, start = [], 0
    for word in text.split(" "):
        if word:
            at = text.index(word, start)
            spans.append((at, at + len(word)))
            start = at + len(word)
    return spans


def marked(document: Sequence[str], key: int) -> str:
    return " ".join(f"<sent>{one}</sent>" if place == key else one for place, one in enumerate(document))


def cut(documents: Sequence[Document], keys: Sequence[Sequence[int]], *, sentences: int, share: float) -> list[str]:
    contexts = [marked(document, key) for document, own in zip(documents, keys, strict=True) for key in own]
    return limited(contexts, sentences=sentences, share=share, split=split)


def stitched(pieces: Sequence[Sequence[str]], documents: Sequence[Document]) -> int:
    """The longest stretch of a document that comes back by laying pieces over each other.

    The attacker is the strongest one can think of: whenever the end of one piece and the beginning of another agree in
    at least one sentence, they are joined, and an oracle says whether the result is a stretch of some document.
    """
    known = {tuple(piece) for piece in pieces}
    while True:
        made = set()
        for one in known:
            for two in known:
                for common in range(1, min(len(one), len(two)) + 1):
                    together = (*one, *two[common:])
                    if one[-common:] == two[:common] and together not in known and _stands_in(together, documents):
                        made.add(together)
        if not made:
            return max(map(len, known), default=0)
        known |= made


def _stands_in(piece: tuple[str, ...], documents: Sequence[Document]) -> bool:
    return any(
        tuple(document[start : start + len(piece)]) == piece
        for document in documents
        for start in range(len(document) - len(piece) + 1)
    )


def sentences_of(context: str) -> list[str]:
    return read_marked(context).text.split(" ")


REPORT = [f"s{number}." for number in range(20)]


# What cannot be got back -------------------------------------------------------------------------------


def test_contexts_that_are_cut_each_by_itself_give_the_whole_report_back() -> None:
    naive = [REPORT[max(key - 2, 0) : key + 3] for key in range(0, 20, 3)]
    assert stitched(naive, [REPORT]) == 20, "the attack works where nobody guards against it"


@pytest.mark.parametrize("keys", [range(0, 20, 3), range(20), range(5, 15), [0, 19], [9]])
def test_contexts_that_are_cut_together_never_join_beyond_one_of_them(keys: Sequence[int]) -> None:
    short = cut([REPORT], [keys], sentences=2, share=1.0)
    assert stitched([sentences_of(one) for one in short], [REPORT]) <= 5


def test_a_copy_of_a_report_does_not_give_away_what_the_report_withholds() -> None:
    copy = ["Update.", *REPORT]
    short = cut([REPORT, copy], [[4, 12], [1 + 6, 1 + 14]], sentences=2, share=1.0)
    assert stitched([sentences_of(one) for one in short], [REPORT, copy]) <= 5


def test_a_key_sentence_that_two_reports_share_joins_nothing() -> None:
    one, two = [f"a{n}." for n in range(9)], [f"b{n}." for n in range(9)]
    two[0] = one[4]
    both = [one, two]
    short = cut(both, [[4], [0]], sentences=2, share=1.0)
    assert stitched([sentences_of(context) for context in short], both) <= 5
    assert sum(len(sentences_of(context)) > 1 for context in short) == 1, "the shared sentence has one context"


def test_of_no_document_more_than_the_share_is_released() -> None:
    short = cut([REPORT], [[2, 9, 16]], sentences=2, share=0.5)
    assert len({one for context in short for one in sentences_of(context)}) == 10


def test_key_sentences_are_released_even_where_they_are_more_than_the_share_but_then_alone_or_in_short_pieces() -> None:
    short = cut([REPORT[:4]], [[0, 1, 2, 3]], sentences=2, share=0.5)
    assert [read_marked(context).text[slice(*_key(context))] for context in short] == REPORT[:4]
    assert stitched([sentences_of(context) for context in short], [REPORT[:4]]) == 2


def _key(context: str) -> tuple[int, int]:
    found = read_marked(context)
    return found.start, found.end


def test_without_sentences_on_either_side_key_sentences_stand_alone() -> None:
    assert cut([REPORT], [[3, 4]], sentences=0, share=1.0) == ["<sent>s3.</sent>", "<sent>s4.</sent>"]


words = st.sampled_from([f"{letter}." for letter in "abcdefghij"])
reports = st.lists(st.lists(words, min_size=1, max_size=12), min_size=1, max_size=4)


@given(reports, st.data(), st.integers(0, 3), st.sampled_from([0.3, 0.5, 1.0]))
@settings(max_examples=150, deadline=None)
def test_whatever_the_reports_repeat_no_attack_gets_more_than_one_piece(
    documents: list[Document], data: st.DataObject, sentences: int, share: float
) -> None:
    keys = [
        sorted(data.draw(st.sets(st.integers(0, len(document) - 1), min_size=1, max_size=5))) for document in documents
    ]
    short = cut(documents, keys, sentences=sentences, share=share)
    longest = max(max(min(2 * sentences + 1, int(share * len(document))), 1) for document in documents)
    assert stitched([sentences_of(context) for context in short], documents) <= longest
    flat = [(document, key) for document, own in zip(documents, keys, strict=True) for key in own]
    for context, (document, key) in zip(short, flat, strict=True):
        found = read_marked(context)
        assert found.text[found.start : found.end] == document[key]
        assert found.text in " ".join(document)
        before, after = found.text[: found.start].split(), found.text[found.end :].split()
        assert max(len(before), len(after)) <= sentences


# The step ----------------------------------------------------------------------------------------------


def a_context(folder: Path) -> Context:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="publishable", use="release/limited_context")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


LAKE = ["The lake froze.", "Skaters came at noon.", "A dog fell in.", "Firemen saved it.", "It barked all night."]
NEWS = " ".join(LAKE)


def pairs(**changes: object) -> Frame:
    one = NEWS.replace(LAKE[2], f"<sent>{LAKE[2]}</sent>")
    frame = pl.DataFrame(
        {
            "pair": ["y", "x"],
            "text_a": ["A dog was saved.", "The ice held."],
            "text_b": [LAKE[2], LAKE[0]],
            "sentence_a": ["sum-1", "sum-2"],
            "sentence_b": ["rep-3", "rep-1"],
            "context_a": pl.Series([None, None], dtype=pl.String),
            "context_b": [one, NEWS.replace(LAKE[0], f"<sent>{LAKE[0]}</sent>")],
            **changes,
        }
    )
    return check(frame, PAIRS)


def scores() -> Frame:
    rows = {"item": ["x", "y"], "question": ["round_1"] * 2, "score": [1.0, 5.0], "appearances": [1, 1]}
    return check(pl.DataFrame(rows), SCORES)


def test_the_step_cuts_contexts_passes_on_scores_and_says_how_much_is_seen(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    options = component.Options(sentences=1, share=0.8)
    made = component.run(Inputs({"pairs": pairs(), "scores": scores()}), options, context)
    cut_pairs = dict(made["pairs"].select("pair", "context_b").iter_rows())
    assert cut_pairs["x"] == "<sent>The lake froze.</sent> Skaters came at noon."
    assert cut_pairs["y"] == "Skaters came at noon. <sent>A dog fell in.</sent>", "one piece of three holds both"
    assert made["scores"].equals(scores())
    said = " ".join(finding.message for finding in context.findings)
    assert "2 of 4 sentences have no context" in said
    assert "0 of 2 key sentences stand alone" in said


def test_unlinked_pairs_keep_who_shares_a_sentence_and_forget_where_it_stood(tmp_path: Path) -> None:
    made = component.run(Inputs({"pairs": pairs(sentence_a=["s", "s"])}), component.Options(), a_context(tmp_path))
    found = made["pairs"]
    assert found["pair"].to_list() == ["x", "y"]
    assert found["sentence_a"].n_unique() == 1
    assert all(name.startswith("sentence-") for name in [*found["sentence_a"], *found["sentence_b"]])


def test_linked_pairs_stay_as_they_are(tmp_path: Path) -> None:
    made = component.run(Inputs({"pairs": pairs()}), component.Options(unlink=False), a_context(tmp_path))
    assert made["pairs"]["sentence_b"].to_list() == ["rep-3", "rep-1"]


def test_ids_of_pairs_that_tell_their_sentences_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="tell where they stood: sum-1-a"):
        component.run(Inputs({"pairs": pairs(pair=["sum-1-a", "q"])}), component.Options(), a_context(tmp_path))


@pytest.mark.parametrize("context", ["No mark.", "<sent>One.</sent> <sent>Two.</sent>", "</sent>Wrong.<sent>"])
def test_a_context_without_one_key_sentence_is_refused_with_its_pair(context: str, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="the key sentence cannot be told") as error:
        component.run(Inputs({"pairs": pairs(context_b=[context] * 2)}), component.Options(), a_context(tmp_path))
    assert error.value.where == 'pair "y": context_b'


def test_pairs_without_any_context_pass_and_it_is_said(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    bare = pairs(context_b=pl.Series([None, None], dtype=pl.String))
    made = component.run(Inputs({"pairs": bare}), component.Options(unlink=False), context)
    assert made["pairs"].equals(bare)
    assert "none of the 2 pairs has a context" in context.findings[0].message

"""Answers of a pick round as pairs with contexts and scores."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sampling import picks as component
from kostra.sampling.picks import contexts, pair_id
from kostra.steps import Context, Inputs
from kostra.tables import DOCUMENTS, JUDGMENTS, SENTENCES, TUPLES, Frame, check

OPTIONS = component.Options(classes=("a", "b"), as_question="round_1")
Answer = tuple[str, str, str | None, str]


def a_context() -> Context:
    step = Step(name="round1", use="sampling/picks")
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=0.0, high=6.0), steps=(step,))
    nowhere = Path("nowhere")
    return Context(recipe, step, nowhere, nowhere, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


SENTENCE = {
    "s1": ("The ferry sank.", "sum", 1),
    "r1": ("A ferry went down.", "rep", 1),
    "r2": ("All were saved.", "rep", 2),
    "r3": ("It was Monday.", "rep", 3),
}


def sentences(**texts: str) -> Frame:
    rows = [
        (name, texts.get(name, text), "news", "en", document, position)
        for name, (text, document, position) in SENTENCE.items()
    ]
    columns = ["sentence", "text", "source", "language", "document", "position"]
    return check(pl.DataFrame(rows, schema=columns, orient="row"), SENTENCES)


def tuples() -> Frame:
    return check(pl.DataFrame({"tuple": ["s1"] * 3, "position": [1, 2, 3], "item": ["r1", "r2", "r3"]}), TUPLES)


def judgments(*answers: Answer, status: str = "answered") -> Frame:
    rows = [
        (f"j{number}", item, 1, question, who, value, "skipped" if value is None else status, "pick", "main")
        for number, (item, question, value, who) in enumerate(answers)
    ]
    names = ["judgment", "item", "version", "question", "annotator", "value", "status", "phase", "block"]
    return check(pl.DataFrame(rows, schema=names, orient="row"), JUDGMENTS)


ANN: tuple[Answer, ...] = (
    ("s1", "a", "r1", "ann"),
    ("s1", "similarity_a", "5", "ann"),
    ("s1", "b", "r3", "ann"),
    ("s1", "similarity_b", "1", "ann"),
)


def inputs(*answers: Answer, **others: Frame) -> Inputs:
    return Inputs({"tuples": tuples(), "sentences": sentences(), "judgments": judgments(*answers), **others})


def run(*answers: Answer, options: component.Options = OPTIONS, **others: Frame) -> tuple[Frame, Frame, str]:
    context = a_context()
    made = component.run(inputs(*answers, **others), options, context)
    return made["pairs"], made["scores"], "\n".join(finding.message for finding in context.findings)


def test_each_pick_becomes_a_pair_of_its_class_with_the_pickers_rating() -> None:
    pairs, scores, said = run(*ANN)
    assert pairs.select("sentence_a", "sentence_b", "subset", "source").rows() == [
        ("s1", "r1", "a", "news"),
        ("s1", "r3", "b", "news"),
    ]
    assert scores.select("question", "score", "appearances").rows() == [("round_1", 5.0, 1), ("round_1", 1.0, 1)]
    assert scores["item"].to_list() == pairs["pair"].to_list()
    assert "2 pairs for 1 sentences by 1 annotators: a 1, b 1" in said


def test_both_sentences_stand_marked_in_their_whole_document() -> None:
    pairs, _, _ = run(*ANN)
    assert pairs["context_a"][0] == "<sent>The ferry sank.</sent>"
    assert pairs["context_b"][1] == "A ferry went down. All were saved. <sent>It was Monday.</sent>"


def test_a_documents_own_text_is_the_context_where_it_is_read() -> None:
    text = "A ferry went down.  (ap) All were saved. It was Monday. The end."
    documents = pl.DataFrame({"document": ["rep"], "source": ["news"], "language": ["en"], "text": [text]})
    pairs, _, _ = run(*ANN, documents=check(documents, DOCUMENTS))
    assert pairs["context_b"][0] == f"<sent>A ferry went down.</sent>{text[18:]}"


def test_contexts_are_left_away_on_request() -> None:
    pairs, _, _ = run(*ANN, options=OPTIONS.model_copy(update={"context": "none"}))
    assert pairs["context_a"].null_count() == pairs["context_b"].null_count() == 2


def test_a_sentence_that_its_document_does_not_hold_has_no_context_and_is_counted() -> None:
    documents = pl.DataFrame({"document": ["rep"], "source": ["news"], "language": ["en"], "text": ["All else."]})
    pairs, _, said = run(*ANN, documents=check(documents, DOCUMENTS))
    assert pairs["context_b"].null_count() == 2
    assert "2 pairs have a sentence without a document" in said


def test_ids_depend_on_class_and_texts_only_so_that_more_answers_leave_them_as_they_are() -> None:
    few, _, _ = run(*ANN[:2], ("s1", "b", None, "ann"), ("s1", "similarity_b", None, "ann"))
    more, _, _ = run(*ANN)
    assert few["pair"].to_list() == [pair_id("a", "The ferry sank.", "A ferry went down.")]
    assert set(few["pair"]) < set(more["pair"])
    assert not any(name in pair for pair in more["pair"] for name in SENTENCE)


def test_two_people_who_pick_the_same_sentence_give_one_pair_with_their_mean() -> None:
    eve = [(item, question, {"5": "4"}.get(str(value), value), "eve") for item, question, value, _ in ANN]
    pairs, scores, said = run(*ANN, *eve)
    assert pairs.height == 2
    assert scores.select("score", "appearances").rows() == [(4.5, 2), (1.0, 2)]
    assert "2 picks gave a pair that was there already" in said


def test_a_pick_without_a_rating_is_a_pair_without_a_score_and_is_counted() -> None:
    pairs, scores, said = run(*ANN[:3], ("s1", "similarity_b", None, "ann"))
    assert (pairs.height, scores.height) == (2, 1)
    assert "1 pairs were picked and not rated" in said


def test_answers_that_were_not_accepted_make_no_pairs() -> None:
    frame = pl.concat([judgments(*ANN), judgments(("s1", "a", "r2", "bob"), status="discarded").with_columns(
        judgment=pl.lit("other"))])  # fmt: skip
    pairs, _, _ = run(judgments=frame)
    assert "r2" not in set(pairs["sentence_b"])


def test_ratings_may_have_names_of_their_own() -> None:
    renamed = [(item, question.replace("similarity_a", "near"), value, who) for item, question, value, who in ANN]
    _, scores, _ = run(*renamed, options=OPTIONS.model_copy(update={"ratings": {"a": "near"}}))
    assert scores["score"].to_list() == [5.0, 1.0]


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        ((("s1", "a", "s1", "ann"), *ANN[1:]), "1 picks were not offered: s1 for s1"),
        ((ANN[0], ("s1", "similarity_a", "-4", "ann"), *ANN[2:]), "1 ratings lie outside the scale: -4 for s1"),
        ((ANN[0], ("s1", "similarity_a", "much", "ann"), *ANN[2:]), "1 ratings lie outside the scale: much for s1"),
        (ANN[:3], "nobody was asked similarity_b"),
        ((), "nobody was asked a, b"),
        (tuple((item, question, None, who) for item, question, _, who in ANN), "nobody has picked a sentence"),
    ],
)
def test_answers_that_cannot_be_used_are_refused(answers: tuple[Answer, ...], complaint: str) -> None:
    with pytest.raises(KostraError, match=complaint):
        run(*answers)


def test_sentences_that_nobody_brought_are_refused() -> None:
    with pytest.raises(KostraError, match="1 sentences are not known: r3"):
        run(*ANN, sentences=sentences().filter(pl.col("sentence") != "r3"))


def test_a_text_that_holds_the_marks_itself_is_refused() -> None:
    with pytest.raises(KostraError, match='the document "rep" holds <sent>'):
        contexts(sentences(r2="He wrote <sent> on the wall."))


def test_the_plan_counts_a_pair_per_sentence_and_class() -> None:
    assert component.plan({"tuples": 30}, OPTIONS, a_context()).rows == {"pairs": 60}
    assert component.plan({}, OPTIONS, a_context()).rows == {}

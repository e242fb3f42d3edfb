from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.ratings import ratings_from
from kostra.scoring import majority, pair_labels
from kostra.scoring.majority import agreed_labels, agreement_with_majority, majority_labels, tied_items
from kostra.sources.released import cdsc
from kostra.steps import Inputs
from kostra.tables import PAIRS, Frame, check

from .test_ratings_scores import context_of, judged


def said(**items: str) -> Frame:
    """One letter per answer."""
    rows = [(item, value) for item, values in items.items() for value in values]
    return pl.DataFrame(rows, schema={"item": pl.String, "value": pl.String}, orient="row")


def labels(frame: Frame) -> dict[str, str]:
    return dict(frame.select("item", "label").iter_rows())


def pairs_of(**reverse: str | None) -> Frame:
    frame = pl.DataFrame(
        {"pair": list(reverse), "reverse": list(reverse.values())}, schema_overrides={"reverse": pl.String}
    )
    return check(frame.with_columns(text_a=pl.lit("x"), text_b=pl.lit("y")), PAIRS)


def test_the_label_with_most_answers_wins_even_without_half_of_them() -> None:
    found = majority_labels(said(p="eecn", q="n"), question="q")
    assert labels(found) == {"p": "e", "q": "n"}
    assert found["raw"].to_list() == [0.5, 1.0]
    assert found["appearances"].to_list() == [4, 1]
    assert found["score"].null_count() == found["standard_error"].null_count() == 2


@pytest.mark.parametrize(("answers", "label"), [("ne", "tie:e|n"), ("nce", "tie:c|e|n"), ("nncce", "tie:c|n")])
def test_a_tie_is_a_value_that_names_what_ties_whatever_the_order(answers: str, label: str) -> None:
    assert labels(majority_labels(said(p=answers), question="q")) == {"p": label}
    assert labels(majority_labels(said(p=answers[::-1]), question="q")) == {"p": label}
    assert tied_items(majority_labels(said(p=answers, q="n"), question="q"))["item"].to_list() == ["p"]


def test_no_answers_have_no_labels() -> None:
    assert majority_labels(said(), question="q").is_empty()


@pytest.mark.parametrize("value", ["tie:a", "a|b"])
def test_a_label_that_looks_like_a_tie_is_refused(value: str) -> None:
    with pytest.raises(KostraError, match="looks like a tie"):
        majority_labels(pl.DataFrame({"item": ["p"], "value": [value]}), question="q")


def test_an_empty_answer_is_refused() -> None:
    with pytest.raises(KostraError, match="1 accepted answers are empty"):
        majority_labels(pl.DataFrame({"item": ["p", "p"], "value": ["a", None]}), question="q")


def test_a_third_person_settles_what_was_passed_on(tmp_path: Path) -> None:
    answers = judged(("p", "a", "yes"), ("p", "b", "no"), ("r", "a", "yes"), ("r", "b", "yes"))
    context = context_of(tmp_path)
    inputs = {"judgments": answers, "pairs": pairs_of(p=None, q=None, r=None)}
    made = majority.run(Inputs(inputs), majority.Options(ties="ask"), context)
    assert made["pairs"]["pair"].to_list() == ["p"]
    assert "1 of 2 items have no majority but a tie: p" in context.findings[0].message
    third = judged(("p", "c", "no")).with_columns(judgment=pl.lit("later"))
    settled = majority.run(
        Inputs(inputs | {"judgments": pl.concat([answers, third])}), majority.Options(ties="ask"), context
    )
    assert labels(settled["scores"]) == {"p": "no", "r": "yes"}
    assert settled["pairs"].is_empty()


def test_asking_needs_the_pairs(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match='ties = "ask" needs the pairs'):
        majority.run(Inputs({"judgments": judged(("p", "a", "x"))}), majority.Options(ties="ask"), context_of(tmp_path))


@pytest.mark.parametrize("ties", ["tie", "report"])
def test_a_reported_tie_is_only_a_label(ties: Any, tmp_path: Path) -> None:
    options = majority.Options(ties=ties, as_question="label")
    assert majority.writes(options) == ("scores",)
    made = majority.run(Inputs({"judgments": judged(("p", "a", "x"), ("p", "b", "y"))}), options, context_of(tmp_path))
    assert list(made) == ["scores"]
    assert made["scores"].select("question", "label").rows() == [("label", "tie:x|y")]


def test_one_person_has_one_vote(tmp_path: Path) -> None:
    frame = judged(("p", "a", "x"), ("p", "a", "x"))
    with pytest.raises(KostraError, match="more than once by one annotator"):
        majority.run(Inputs({"judgments": frame}), majority.Options(), context_of(tmp_path))


def test_gold_is_what_enough_authors_agree_on() -> None:
    frame = said(p="xxx", q="xxy", r="xy")
    assert agreed_labels(frame) == {"p": "x"}
    assert agreed_labels(frame, least=2 / 3) == {"p": "x", "q": "x"}


# ---- agreement with the others' majority


def test_agreement_leaves_out_items_without_a_majority_of_the_others() -> None:
    # On p, Ann's others are x, x; on q they are x, y, a tie; r is hers alone. So one answer counts, and it agrees.
    items = ["p", "p", "p", "q", "q", "q", "r"]
    answers = ratings_from(items, ["x", "x", "x", "x", "x", "y", "x"], ["ann", "bob", "cy", "ann", "bob", "cy", "ann"])
    ann = agreement_with_majority(answers)[0]
    assert (ann.share, ann.answers) == (1.0, 1)
    assert np.isnan(ann.beyond_chance), "both always say x, so that chance alone explains it"


def test_one_annotator_agrees_with_nobody() -> None:
    [alone] = agreement_with_majority(ratings_from(["p", "q"], ["x", "y"], ["ann", "ann"]))
    assert alone.answers == 0
    assert np.isnan(alone.share)


# ---- both directions


def directed(**label: str) -> Frame:
    return majority_labels(said(**label), question="entailment")


def test_unordered_labels_are_those_of_cdsc() -> None:
    found = pair_labels.pair_labels(
        directed(p="n", q="e", r="c", s="c"),
        pairs_of(p="q", q="p", r="s", s="r"),
        question="entailment",
        as_question="both",
    )
    assert labels(found.scores) == {"p": "e+n", "r": "c+c"}
    assert found.scores["appearances"].to_list() == [2, 2]


def test_ordered_labels_say_which_way_whatever_the_order_of_the_table() -> None:
    for pairs, expected in ((pairs_of(p="q", q="p"), {"p": "n>e"}), (pairs_of(q="p", p="q"), {"q": "e>n"})):
        found = pair_labels.pair_labels(
            directed(p="n", q="e"), pairs, question="entailment", as_question="both", ordered=True
        )
        assert labels(found.scores) == expected


def test_a_tie_in_one_direction_stays_visible() -> None:
    found = pair_labels.pair_labels(
        directed(p="ne", q="e"), pairs_of(p="q", q="p"), question="entailment", as_question="both"
    )
    assert labels(found.scores) == {"p": "e+tie:e|n"}


def test_what_lacks_a_direction_is_left_out_and_counted(tmp_path: Path) -> None:
    scores, pairs = directed(p="n", r="e"), pairs_of(p="q", q="p", r=None)
    context = context_of(tmp_path)
    options = pair_labels.Options(question="entailment", as_question="both")
    made = pair_labels.run(Inputs({"scores": scores, "pairs": pairs}), options, context)
    assert made["scores"].is_empty()
    assert [finding.kind for finding in context.findings] == ["one_sided", "no_reverse"]


def test_a_question_without_labels_is_refused() -> None:
    with pytest.raises(KostraError, match='there is no label of "other"'):
        pair_labels.pair_labels(directed(p="n"), pairs_of(p=None), question="other", as_question="both")


def test_the_released_cdsc_labels_have_one_direction_only(data: Path) -> None:
    # The release holds one label per pair, already a majority: neither majorities nor Table 4 can be made from it anew.
    released = cdsc.read(data / "cdsc_train.tsv")
    found = pair_labels.pair_labels(
        released.tables["scores"], released.tables["pairs"], question="entailment", as_question="both"
    )
    assert found.scores.is_empty()
    assert len(found.without_reverse) == released.tables["pairs"].height

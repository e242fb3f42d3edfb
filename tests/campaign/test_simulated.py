from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra.annotate.tasks import check_answers
from kostra.campaign.items import Item
from kostra.campaign.places import Answer
from kostra.campaign.protocol import Block, Check, Phase, Question
from kostra.campaign.simulated import (
    SimulatedAnnotator,
    Truth,
    annotator_table,
    answers_for,
    as_given,
    latent_relatedness,
    make_annotators,
)
from kostra.recipe import Score, Simulation
from kostra.tables import PAIRS, check

BEST_WORST = Phase(name="main", task="best_worst", overlap=2)
RATING = Phase(name="main", task="rating", overlap=3)
UNIT = Score(question="relatedness", low=0, high=1)
SCALE = Score(question="relatedness", low=0, high=5)
CAREFUL = SimulatedAnnotator("careful", noise=0.0, leaning=0.0, seconds=20, careless=False)
CARELESS = SimulatedAnnotator("careless", noise=0.0, leaning=0.0, seconds=20, careless=True)
LATENT = {"a": 2.0, "b": 0.0, "c": -1.0, "d": -2.0}


def test_the_declared_share_of_annotators_is_careless() -> None:
    made = make_annotators(Simulation(annotators=20, careless=0.25), rng=np.random.default_rng(1))
    assert sum(annotator.careless for annotator in made) == 5
    assert len({annotator.name for annotator in made}) == 20
    notes = annotator_table(made)
    assert notes["note"].str.starts_with("careless").sum() == 5
    assert set(notes["kind"]) == {"simulated"}


def test_latent_relatedness_is_standardised_and_follows_the_texts() -> None:
    pairs = check(
        pl.DataFrame(
            {
                "pair": [f"p{n}" for n in range(200)],
                "text_a": ["A dog runs across the field."] * 200,
                "text_b": ["A dog is running over a field."] * 100 + ["Bread needs yeast and time."] * 100,
            }
        ),
        PAIRS,
    )
    latent = latent_relatedness(pairs, rng=np.random.default_rng(1))
    values = np.array(list(latent.values()))
    assert abs(values.mean()) < 0.2
    assert 0.85 < values.std() < 1.15
    assert values[:100].mean() > values[100:].mean() + 1


# Every kind of screen ------------------------------------------------------------------------------------

PAIR = {"text_a": "The old cat sleeps on the warm roof.", "text_b": "A cat is sleeping on a roof."}
SENTENCE = {"text": "Three neighbours were mending a fence."}
LABELS = ("entailment", "contradiction", "neutral")
CANDIDATES = {
    "text": "A fire broke out at the mill.",
    "documents": [
        {"document": "d1", "title": "", "sentences": [{"item": f"r{n}", "text": f"Line {n} of it."} for n in range(3)]},
        {"document": "d2", "title": "", "sentences": [{"item": "r3", "text": "A fire broke out at the old mill."}]},
    ],
}


def question(name: str, **more: Any) -> Question:
    return Question(name=name, **more)


def phase(task: str, *questions: Question, **more: Any) -> Phase:
    return Phase.model_validate({"name": "main", "task": task, "questions": questions, **more})


SCREENS: dict[str, tuple[Item, Phase]] = {
    "rating": (Item("p", "pair", PAIR), phase("rating", question("q", low=0, high=5))),
    "rating on a labelled slider": (
        Item("p", "pair", PAIR),
        phase("rating", question("q", low=0, high=1, labels=("no", "partly", "yes"), control="slider")),
    ),
    "rating on a bare slider": (
        Item("p", "pair", PAIR), phase("rating", question("q", low=0, high=6, control="slider"))
    ),
    "rating in context": (
        Item("p", "pair", {**PAIR, "context_a": f"Look. <sent>{PAIR['text_a']}</sent>"}),
        phase("rating_in_context", question("q", low=-3, high=3)),
    ),
    "best and worst": (
        Item("t", "tuple", {"members": [{"item": one, **PAIR} for one in "abcd"]}),
        phase("best_worst", question("best"), question("worst"), question("why", optional=True)),
    ),
    "entailment both ways": (
        Item("p", "pair", PAIR),
        phase("entailment", question("q", low=0, high=5), question("to", labels=LABELS),
              question("fro", labels=LABELS, reverse=True)),
    ),
    "fifteen rewrites": (
        Item("s", "sentence", SENTENCE),
        phase("rewrite", question("p1", impossible=True), question("p2", impossible=True, differs_from=("p1",)),
              question("order", shows_words=True), question("nonsense", shows_words=True, differs_from=("order",))),
    ),
    "ideas with names": (
        Item("s", "sentence", SENTENCE),
        phase("rewrite", question("rewrite", at_most=20), question("rewrite_name", about="rewrite")),
    ),
    "rewrites of one word": (
        Item("s", "sentence", {"text": "Rain."}),
        phase("rewrite", question("many", at_most=20), question("order", shows_words=True)),
    ),
    "between two": (
        Item("p", "pair", PAIR), phase("rewrite", question("mid"), question("far", differs_from=("mid",)))
    ),
    "pick": (
        Item("s", "candidates", CANDIDATES),
        phase("pick", question("a"), question("score_a", about="a", low=0, high=6),
              question("b", differs_from=("a",)), question("c", differs_from=("a", "b"))),
    ),
    "comparison": (
        Item("p", "pair", PAIR),
        phase("comparison", question("degree", labels=("more", "less", "too similar", "too dissimilar"))),
    ),
    "describe": (Item("park.jpg", "image", {"image": "park.jpg"}), phase("describe", question("description"))),
    "triage": (
        Item("s", "sentence", SENTENCE), phase("triage", question("verdict", labels=("keep", "unreal", "caption")))
    ),
    "correct": (
        Item("p", "pair", PAIR, sentences=("s1", "s2")),
        phase("correct", question("correction"), question("error_type", about="correction", labels=("sense", "other"))),
    ),
    "validate": (
        Item("suggestion-00001", "suggestion", {"before": "A dgo.", "after": "A dog.", "text_a": "A cat.",
                                                "text_b": "A dgo.", "sentence": "s2", "pair": "p"}),
        phase("correct", question("suggestion", labels=("reject", "mend in place", "mend and ask again"))),
    ),
    "questionnaire": (
        Item("main", "text", {"title": "You", "text": ""}),
        phase("questionnaire", question("age", labels=("young", "old")), question("work"),
              question("languages", labels=("cs", "en", "pl"), at_most=2), question("ease", low=1, high=5),
              question("remarks", optional=True)),
    ),
    "instructions": (
        Item("text-main-0", "text", {"title": "Read", "text": "Words."}),
        phase("rating", question("q", low=0, high=5), blocks=(Block(purpose="instructions"), Block(purpose="main"))),
    ),
    "check": (
        Item("check-main-0-0", "check", {"prompt": "Is 5 high?", "choices": ["yes", "no"]}),
        phase("rating", question("q", low=0, high=5), blocks=(
            Block(purpose="qualification", checks=(Check(prompt="Is 5 high?", choices=("yes", "no"), right="yes"),)),
            Block(purpose="main"))),
    ),
}  # fmt: skip
ORDINARY = SimulatedAnnotator("ordinary", noise=0.57, leaning=0.1, seconds=20, careless=False)


@pytest.mark.parametrize("annotator", [CAREFUL, ORDINARY, CARELESS], ids=lambda one: one.name)
@pytest.mark.parametrize("screen", SCREENS)
def test_the_site_accepts_what_simulated_annotators_answer(screen: str, annotator: SimulatedAnnotator) -> None:
    item, asked = SCREENS[screen]
    rng = np.random.default_rng(1)
    for _ in range(40):
        found = answers_for(annotator, item, asked, rng)
        checked = check_answers(as_given(found, asked), item, asked)
        assert checked.errors == {}
        assert dict(checked.answers) == found


def test_careful_people_choose_the_truth_on_every_screen() -> None:
    rng = np.random.default_rng(1)
    item, asked = SCREENS["best and worst"]
    truth = Truth(values=LATENT)
    found = answers_for(CAREFUL, item, asked, rng, truth=truth)
    assert (found["best"], found["worst"]) == ([Answer("a")], [Answer("d")])
    picked = answers_for(CAREFUL, *SCREENS["pick"], rng)
    assert picked["a"] == [Answer("r3")], "the sentence that shares most words"
    assert float(picked["score_a"][0].value or 0) >= 4
    assert answers_for(CAREFUL, *SCREENS["check"], rng) == {"check": [Answer("yes")]}


def test_context_shifts_ratings_by_what_the_paper_found() -> None:
    free, context = (phase(task, question("q", low=0, high=6)) for task in ("rating", "rating_in_context"))
    rng = np.random.default_rng(1)
    gains = []
    for number in range(2000):
        item = Item(f"p{number}", "pair", {**PAIR, "context_a": "x"})
        truth = Truth(values={f"p{number}": 0.2 * np.sin(number)})
        before, after = (
            float(answers_for(CAREFUL, item, one, rng, truth=truth)["q"][0].value or 0) for one in (free, context)
        )
        gains.append(after - before)
    assert 0.2 < np.mean(gains) < 0.32  # 0.26 of a scale from 0 to 6


def test_some_rewrites_are_impossible_and_most_corrections_change_nothing() -> None:
    rng = np.random.default_rng(1)
    item, asked = SCREENS["fifteen rewrites"]
    marks = [answers_for(ORDINARY, item, asked, rng)["p1"][0].status for _ in range(2000)]
    assert 20 < marks.count("impossible") < 70  # 2.2% of 2,000 is 43, give or take four standard deviations
    item, asked = SCREENS["correct"]
    kept = [answers_for(ORDINARY, item, asked, rng)["correction"][0].value == PAIR["text_b"] for _ in range(500)]
    assert 0.8 < np.mean(kept) < 0.95


def test_entailment_follows_relatedness() -> None:
    asked = phase("entailment", question("to", labels=LABELS))
    rng = np.random.default_rng(1)

    def labels(latent: float) -> Counter[str | None]:
        return Counter(
            answers_for(CAREFUL, Item(f"p{n}", "pair", PAIR), asked, rng, truth=Truth(values={f"p{n}": latent}))["to"][
                0
            ].value
            for n in range(300)
        )

    assert set(labels(-1.0)) == {"neutral"}
    related = labels(2.0)
    assert related["entailment"] > related["contradiction"] > 0


def test_the_hidden_truth_depends_on_seed_item_and_text_alone() -> None:
    first = Truth(seed=1).of_texts("p", "A cat.", "A dog.")
    assert first == Truth(seed=1).of_texts("p", "A cat.", "A dog.")
    others = {Truth(seed=2).of_texts("p", "A cat.", "A dog."), Truth(seed=1).of_texts("q", "A cat.", "A dog.")}
    assert first not in others
    close = np.mean([Truth(seed=n).of_texts("p", "A cat sat.", "A cat sat down.") for n in range(200)])
    apart = np.mean([Truth(seed=n).of_texts("p", "A cat sat.", "Bread needs time.") for n in range(200)])
    assert close > apart + 1

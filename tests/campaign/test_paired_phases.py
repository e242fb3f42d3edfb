"""Two phases over the same items by the same people: an answer in the second rests on what counts in the first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from kostra.campaign.items import Item
from kostra.campaign.material import Material, material
from kostra.campaign.places import Answer, Given, Place
from kostra.campaign.protocol import Block, Campaign, Gold, Phase, Question
from kostra.campaign.running import Running
from kostra.recipe import Score

NOON, DAY = datetime(2026, 1, 1, 12, tzinfo=UTC), timedelta(days=1)
SCALE, IN_CONTEXT = Question(name="similarity", low=0, high=5), Question(name="in_context", low=0, high=5)


def paired(*more: Block, **changes: Any) -> Running:
    """Two pairs, one answer each in both phases, dealt as one sequence."""
    rules: dict[str, Any] = {"deal": "disjoint_sequences", "blocks": (Block(purpose="main", items=2), *more)}
    free = Phase(name="free", task="rating", questions=(SCALE,), **rules, **changes)
    later: dict[str, Any] = {"after": "free", "pause_hours": 72, "same_order_as": "free", **rules}
    context = Phase(name="context", task="rating_in_context", questions=(IN_CONTEXT,), **later)
    items = {name: Item(name, "pair", {"text_a": name, "text_b": f"{name}!"}) for name in ("p0", "p1")}
    blocks = {(phase, 0): tuple(items) for phase in ("free", "context")}
    running = Running(Campaign(phases=(free, context)), Material(items, blocks), seed=1)
    for name in ("ann", "bob", "eve"):
        running.record(running.join(name, NOON))
    return running


def work(running: Running, annotator: str, at: datetime) -> Place:
    """Answer all that is shown; where that ends."""
    while (place := running.do(running.next(annotator, at))).kind == "show":
        assert place.item is not None
        question = running.phases[place.phase].phase.questions[0].name
        key = f"{annotator}-{len(running.records)}"
        running.do(
            running.answer(annotator, Given(place.phase, place.item.item, 1, {question: [Answer("3")]}, key), at)
        )
    return place


def accepted(running: Running, phase: str) -> set[tuple[str, str]]:
    main = (one for one in running.records.values() if one.phase == phase and one.block == 0)
    return {(one.annotator, one.item) for one in main if one.status == "answered"}


def test_an_answer_of_somebody_readmitted_counts_in_context_only_if_it_counts_without() -> None:
    for repeats in ((), (Block(purpose="repeat", items=1),)):
        running = paired(*repeats)
        work(running, "ann", NOON)
        work(running, "ann", NOON + 4 * DAY)
        running.record(running.stop("ann", "excluded", NOON + 5 * DAY))
        work(running, "bob", NOON + 5 * DAY)  # takes over what was freed
        running.record(running.readmit("ann", NOON + 6 * DAY))
        assert work(running, "bob", NOON + 9 * DAY).kind == "finished"
        assert accepted(running, "free") == accepted(running, "context") == {("bob", "p0"), ("bob", "p1")}


def test_who_found_nothing_to_do_is_given_what_is_freed_later_in_both_phases() -> None:
    running = paired()
    work(running, "ann", NOON)
    assert work(running, "bob", NOON + DAY).kind == "pause"
    assert work(running, "bob", NOON + 5 * DAY).kind == "finished"
    running.record(running.stop("ann", "excluded", NOON + 20 * DAY))
    assert work(running, "bob", NOON + 20 * DAY).until == NOON + 23 * DAY  # the pause is counted from their own work
    assert work(running, "bob", NOON + 23 * DAY).kind == "finished"
    assert accepted(running, "free") == accepted(running, "context") == {("bob", "p0"), ("bob", "p1")}


def test_an_item_may_be_gold_in_two_phases_that_ask_different_things() -> None:
    texts = {"text_a": ["A cat."], "text_b": ["A dog."], "context_a": ["One."], "context_b": ["Two."]}
    known = [("g", "similarity", 5.0, None), ("g", "in_context", 4.0, None)]
    scores = pl.DataFrame(known, schema={"item": str, "question": str, "score": float, "label": str}, orient="row")
    steps = {
        "pairs": {"pairs": pl.DataFrame({"pair": ["p"], **texts})},
        "gold": {"pairs": pl.DataFrame({"pair": ["g"], **texts}), "scores": scores},
    }
    blocks = (Block(purpose="main", items_from="pairs"), Block(purpose="gold", items_from="gold"))
    phases = (
        Phase(name="free", task="rating", questions=(SCALE,), blocks=blocks, gold=Gold(every=1)),
        Phase(name="context", task="rating_in_context", questions=(IN_CONTEXT,), blocks=blocks, gold=Gold(every=1)),
    )
    protocol = Campaign(phases=phases)
    made = material(protocol, steps, project=Path(), score=Score(question="similarity", low=0, high=5))
    running = Running(protocol, made, seed=1)
    assert running.phases["free"].gold == {"g": {"similarity": "5"}}
    assert running.phases["context"].gold == {"g": {"in_context": "4"}}

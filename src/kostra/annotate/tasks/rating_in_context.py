"""Rate a pair whose sentences are marked in the text around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, rating
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """Each sentence with what stands before and after it."""
    sides = []
    for side in drawing.sides(item.content):
        marked = item.content.get(f"context_{side['letter'].lower()}")
        before, key, after = drawing.in_context(marked, side["text"])
        sides.append({**side, "before": before, "text": key, "after": after})
    prompt = Message("How close in meaning are the two marked sentences, read in their context?")
    questions = [drawing.drawn(question, words, prompt=prompt) for question in phase.questions]
    return {"sides": sides, "questions": questions}


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """As a rating without context."""
    return rating.check(given, item, phase)

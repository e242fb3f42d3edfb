"""Keep a sentence or a proposal, or reject it with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, rating
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The sentence or, of a pair (as written and as proposed), both with what differs."""
    content = item.content
    changed = drawing.difference(content["text_a"], content["text_b"]) if "text_a" in content else []
    return {
        "sides": drawing.sides(content),
        "changed": changed if any(mark for _, mark in changed) else [],
        "questions": [drawing.drawn(question, words, prompt=Message("Keep it?")) for question in phase.questions],
    }


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """A label as offered."""
    return rating.check(given, item, phase)

"""Compare two sentences: more, less, too similar to tell, too dissimilar to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, rating
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The two sentences, and the kind of change in which they are compared, where there is one."""
    prompt = Message("Does the first sentence go further than the second?")
    return {
        "sides": drawing.sides(item.content),
        "change": str(item.content.get("change", "")).replace("_", " "),
        "questions": [drawing.drawn(question, words, prompt=prompt) for question in phase.questions],
    }


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """A label as offered."""
    return rating.check(given, item, phase)

"""Describe an image in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, reading
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The image, which the site serves under the item's name, and the fields."""
    prompt = Message("Describe the picture in one sentence.")
    return {
        "image": item.item,
        "title": item.content.get("title", ""),
        "questions": [drawing.drawn(question, words, prompt=prompt) for question in phase.questions],
        "spelling": phase.spelling is not None,
    }


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:  # noqa: ARG001 - a task's form
    """A sentence that says something, on one line."""

    def read(question: Question, raw: Any) -> str:  # noqa: ARG001 - a reader's form
        return reading.read_text(raw)

    return reading.checked(given, phase.questions, read)

"""Ask about the annotator: texts, choices of one or several, scales, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Translate, drawing, rating
from kostra.annotate.tasks.text import paragraphs
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The introduction in paragraphs, then the questions, which fall back on their names."""
    return {
        "title": item.content.get("title", ""),
        "paragraphs": paragraphs(item.content.get("text", "")),
        "questions": [
            drawing.drawn(question, words, prompt=question.name.replace("_", " ").capitalize())
            for question in phase.questions
        ],
    }


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """Answers in the form that each question has."""
    return rating.check(given, item, phase)

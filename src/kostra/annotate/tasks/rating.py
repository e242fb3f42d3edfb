"""Rate a pair or a sentence: buttons, or a slider that has no answer until touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, reading
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The sentences, then the questions about them."""
    prompt = Message("How close in meaning are these two sentences?")
    questions = [drawing.drawn(question, words, prompt=prompt) for question in phase.questions]
    return {"sides": drawing.sides(item.content), "questions": questions}


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:  # noqa: ARG001 - a task's form
    """Ratings on the scale's points, labels as offered, texts that say something."""
    return reading.checked(given, phase.questions, free_text)


def free_text(question: Question, raw: Any) -> str:  # noqa: ARG001 - a reader's form
    """A text of any number of lines, such as a remark."""
    return reading.read_text(raw, lines=True)

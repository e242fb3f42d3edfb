"""Rewrite a sentence, one or many times on one screen, or say that it is impossible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Translate, drawing, reading
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question
from kostra.text import words as words_of

NAME_LENGTH = 200
"""Characters of the name that an annotator gives to a rewrite."""


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The sentence, then one field per prompt; where many are welcome, rows of a rewrite and its name."""
    sides = drawing.sides(item.content)
    asked = drawing.all_drawn(phase.questions, words)
    rows = {one["name"] for one in asked if one["at_most"] is not None and one["form"] == "open"}
    for one in asked:
        one["part"] = [other for other in asked if other["about"] == one["name"]] if one["name"] in rows else None
        one["prompt"] = one["prompt"] or words("Rewrite the sentence.")
    return {
        "sides": sides,
        "words": words_of(sides[-1]["text"]),
        "questions": [one for one in asked if one["about"] not in rows],
        "spelling": phase.spelling is not None,
    }


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """Texts that are neither empty nor the sentence itself, and differ where they must."""
    texts = (item.content.get(name) for name in ("text", "text_a", "text_b"))
    sources = {reading.alike(text) for text in texts if isinstance(text, str)}

    def read(question: Question, raw: Any) -> str:
        text = reading.read_text(raw)
        if question.about is not None:
            if len(text) > NAME_LENGTH:
                raise reading.Refused("The text is too long: at most {most} characters.", most=NAME_LENGTH)
            return text
        if reading.alike(text) in sources:
            raise reading.Refused("This is the sentence itself: change something.")
        return text

    return reading.checked(given, phase.questions, read)

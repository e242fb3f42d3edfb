"""Instructions to read, or a consent to give: not a task of a recipe, but the screen of such blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Translate, drawing, reading
from kostra.campaign.items import Item
from kostra.campaign.material import READ
from kostra.campaign.protocol import Phase, Question

YES, NO = "yes", "no"
"""Whoever does not agree to a consent is thanked and asked nothing more."""


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """Title and paragraphs; a consent is given or not, instructions are only left behind."""
    agree = (words("I have read this and agree to take part."), words("I do not agree."))
    consent = Question(name=READ, prompt=words("Do you agree?"), labels=(YES, NO), labels_in={words.language: agree})
    return {
        "title": item.content.get("title", ""),
        "paragraphs": paragraphs(item.content.get("text", "")),
        "questions": [drawing.drawn(consent, words)] if _is_consent(item, phase) else [],
        "name": READ,
        "yes": YES,
    }


def paragraphs(text: str) -> list[str]:
    r"""What stands between blank lines.

    Examples
    --------
    >>> paragraphs("One\nline.\n\nTwo.")
    ['One\nline.', 'Two.']
    """
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def _is_consent(item: Item, phase: Phase) -> bool:
    """Whether the text stands in a consent block: texts are called by the number of theirs."""
    number = item.item.rpartition("-")[2]
    place = int(number) if number.isascii() and number.isdigit() else -1
    return 0 <= place < len(phase.blocks) and phase.blocks[place].purpose == "consent"


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """Read, or agreed to, or not."""
    labels = (YES, NO) if _is_consent(item, phase) else (YES,)
    return reading.checked(given, [Question(name=READ, labels=labels)], lambda _, raw: reading.read_text(raw))

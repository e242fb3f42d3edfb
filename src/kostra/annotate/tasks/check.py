"""A question of a comprehension check: not a task of a recipe, but the screen of such blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Translate, drawing, reading
from kostra.campaign.items import Item
from kostra.campaign.material import CHECK
from kostra.campaign.protocol import Phase, Question


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:  # noqa: ARG001 - a task's form
    """The question with its choices; which one is right stays with the item."""
    return {"questions": [drawing.drawn(_question(item), words)]}


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:  # noqa: ARG001 - a task's form
    """One of the choices."""
    return reading.checked(given, [_question(item)], lambda _, raw: reading.read_text(raw))


def _question(item: Item) -> Question:
    return Question(name=CHECK, prompt=item.content["prompt"], labels=tuple(item.content["choices"]))

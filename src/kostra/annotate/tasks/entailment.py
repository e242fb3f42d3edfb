"""Judge a pair, one way or both ways on one screen: a label, a rating, or both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, rating
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The pair with its questions and, if some are asked the other way round, the pair swapped with those."""
    prompt = Message("If what B says is the case, is what A says the case as well?")
    sides = drawing.sides(item.content)
    swapped = [{**side, "text": other["text"]} for side, other in zip(sides, reversed(sides), strict=True)]
    asked = [(one.reverse, drawing.drawn(one, words, prompt=prompt)) for one in phase.questions]
    forward = [question for reverse, question in asked if not reverse]
    backward = [question for reverse, question in asked if reverse]
    ways = [{"sides": sides, "questions": forward}, {"sides": swapped, "questions": backward}]
    return {"ways": [way for way in ways if way["questions"]]}


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """Labels as offered, ratings on the scale's points."""
    return rating.check(given, item, phase)

"""Choose the best and the worst of several sentences or pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, reading
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question

CHOICES = ("best", "worst")


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The members under their letters, the two choices, and whatever else the screen asks."""
    members = [
        {"item": member["item"], "letter": drawing.letter(place), "texts": _texts(member)}
        for place, member in enumerate(item.content["members"])
    ]
    pairs = any(len(member["texts"]) > 1 for member in members)
    best = Message("Which pair is the closest in meaning?") if pairs else Message("Which is the most?")
    worst = Message("Which pair is the furthest apart in meaning?") if pairs else Message("Which is the least?")
    asked = drawing.all_drawn(phase.questions, words, best=best, worst=worst)
    short = {"best": words("Most"), "worst": words("Least")}
    return {
        "members": members,
        "choices": [{**one, "short": short[one["name"]]} for one in asked if one["name"] in CHOICES],
        "questions": [one for one in asked if one["name"] not in CHOICES],
    }


def _texts(member: Mapping[str, Any]) -> list[str]:
    return [str(member[name]) for name in ("text", "text_a", "text_b") if name in member]


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """Two different members of the tuple."""
    members = [member["item"] for member in item.content["members"]]

    def read(question: Question, raw: Any) -> str:
        if question.name in CHOICES:
            return reading.read_choice(members, raw)
        return reading.read_text(raw, lines=True)

    found = reading.checked(given, phase.questions, read)
    best, worst = (found.answers.get(name, []) for name in CHOICES)
    if best and worst and best[0].value is not None and best == worst:
        return Checked(errors={"worst": Message("Best and worst cannot be the same one.")})
    return found

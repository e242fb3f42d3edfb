"""Pick sentences from documents by their similarity to a given one, and rate each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate import highlighting
from kostra.annotate.tasks import Checked, Translate, drawing, reading
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The sentence S, the picks with their ratings, and the documents, the words of S marked in them if asked."""
    sentence = str(item.content["text"])
    mark = highlighting.marker(sentence, language=words.texts) if phase.highlights else highlighting.unmarked
    asked = drawing.all_drawn(phase.questions, words)
    picks = [one for question, one in zip(phase.questions, asked, strict=True) if _is_pick(question)]
    for place, one in enumerate(picks):
        one["short"] = one["name"].upper() if len(one["name"]) <= 2 else str(place + 1)
        one["key"] = str(place + 1)
        one["prompt"] = one["prompt"] or words("Pick a sentence.")
        one["part"] = [other for other in asked if other["about"] == one["name"]]
    inside = {other["name"] for one in picks for other in one["part"]} | {one["name"] for one in picks}
    documents = [
        {
            "title": document.get("title", ""),
            "sentences": [{**sentence, "segments": mark(sentence["text"])} for sentence in document["sentences"]],
        }
        for document in item.content["documents"]
    ]
    return {
        "text": item.content["text"],
        "picks": picks,
        "questions": [one for one in asked if one["name"] not in inside],
        "documents": documents,
    }


def _is_pick(question: Question) -> bool:
    return question.about is None and reading.form_of(question) == "open"


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """Sentences of the documents, different where they must be, each with its rating."""
    candidates = [one["item"] for document in item.content["documents"] for one in document["sentences"]]

    def read(question: Question, raw: Any) -> str:
        if _is_pick(question):
            return reading.read_choice(candidates, raw)
        return reading.read_text(raw, lines=True)

    return reading.checked(given, phase.questions, read, same=str)

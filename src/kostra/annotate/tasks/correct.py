"""Correct a sentence that a rule made, or decide about somebody's suggestion.

A correction that changes nothing is an answer too: it says that the sentence is fine as it stands. What is asked about
a correction, such as the type of error, is asked only where something was changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Checked, Message, Translate, drawing, reading
from kostra.campaign.corrections import CORRECTIONS
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase, Question


def view(item: Item, phase: Phase, words: Translate) -> dict[str, Any]:
    """The pair, and the sentence in a field to be edited; or what was proposed, with what differs marked."""
    prompt = Message("Correct what is wrong and change as little as possible.")
    asked = [drawing.drawn(question, words, prompt=prompt) for question in phase.questions]
    for question, one in zip(phase.questions, asked, strict=True):
        one["start"] = _sentence(item, question) if _is_correction(question) else ""
    suggested = item.kind == "suggestion"
    return {
        "sides": drawing.sides(item.content),
        "change": str(item.content.get("change", "")).replace("_", " "),
        "changed": drawing.difference(item.content["before"], item.content["after"]) if suggested else [],
        "questions": asked,
        "spelling": phase.spelling is not None,
    }


def check(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """A text that is not the partner; the questions about it answered if it changed, and only then."""
    corrections = [question for question in phase.questions if _is_correction(question)]
    sent = given if isinstance(given, Mapping) else {}
    unchanged = {one.name for one in corrections if _same(sent.get(one.name), _sentence(item, one))}

    def read(question: Question, raw: Any) -> str:
        if not _is_correction(question):
            return reading.read_text(raw, lines=True)
        # What is unchanged stays as it is to the letter, or it would count as a correction.
        return _sentence(item, question) if question.name in unchanged else reading.read_text(raw)

    asked = [_needed(question, unchanged) for question in phase.questions]
    found = reading.checked(given, asked, read)
    errors = dict(found.errors)
    for question in asked:
        value = next((one.value for one in found.answers.get(question.name, ())), None)
        if value is not None and question.about in unchanged:
            errors[question.name] = Message("The sentence is unchanged, so there is nothing to say about the change.")
        if value is not None and question in corrections and question.name not in unchanged:
            partner = _partner(item, question, found)
            if partner is not None and reading.alike(value) == reading.alike(partner):
                errors[question.name] = Message("This would make the sentence the same as its partner.")
    return Checked(errors=errors) if errors else found


def _is_correction(question: Question) -> bool:
    return reading.form_of(question) == "open" and question.about is None


def _side(question: Question) -> int:
    return CORRECTIONS.get(question.name, 1)


def _sentence(item: Item, question: Question) -> str:
    """The sentence that a question corrects: the second of a pair, unless its name says the first."""
    content = item.content
    if item.kind == "suggestion":
        return str(content["after"])
    return str(content[f"text_{'ab'[_side(question)]}"] if "text_a" in content else content["text"])


def _partner(item: Item, question: Question, found: Checked) -> str | None:
    """The sentence that it must not become: the other one of the pair, as corrected on the same screen."""
    if item.kind != "pair":
        return None
    other = 1 - _side(question)
    for name, side in CORRECTIONS.items():
        for answer in found.answers.get(name, ()):
            if side == other and answer.value is not None:
                return answer.value
    return str(item.content[f"text_{'ab'[other]}"])


def _same(raw: Any, text: str) -> bool:
    """Whether a correction leaves the sentence exactly as it was; a comma more is a correction."""
    try:
        return reading.read_text(raw) == reading.read_text(text)
    except reading.Refused:
        return False


def _needed(question: Question, unchanged: set[str]) -> Question:
    return question.model_copy(update={"optional": True}) if question.about in unchanged else question

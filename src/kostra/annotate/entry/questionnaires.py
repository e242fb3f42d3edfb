"""Questions about the person: drawn as a form, and read from one. Their answers are never judgments."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from kostra.annotate.tasks import Message, Translate
from kostra.campaign.admission import Asked, Questionnaire

LONGEST = 500


def drawn(
    asked: Questionnaire, given: Mapping[str, str], errors: Mapping[str, str], words: Translate
) -> list[dict[str, Any]]:
    """What the page shows of each question."""
    return [
        {
            "name": one.name,
            "prompt": one.prompt_in.get(words.language, one.prompt),
            "options": list(zip(one.labels, one.labels_in.get(words.language, one.labels), strict=True)),
            "low": one.low,
            "high": one.high,
            "optional": one.optional,
            "value": given.get(one.name),
            "error": words(errors[one.name]) if one.name in errors else "",
        }
        for one in asked.questions
    ]


def check(asked: Questionnaire, fields: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """What was told, question → reply (empty for whoever says nothing), and what is wrong with which.

    Examples
    --------
    >>> asked = Questionnaire(
    ...     questions=(
    ...         Asked(name="age", prompt="How old are you?", low=18, high=120, optional=False),
    ...         Asked(name="dialect", prompt="Your dialect?"),
    ...     )
    ... )
    >>> check(asked, {"age": " 30 "})
    ({'age': '30', 'dialect': ''}, {})
    >>> check(asked, {"age": "3"})[1]
    {'age': 'Enter a whole number from 18 to 120.'}
    """
    told: dict[str, str] = {}
    errors: dict[str, str] = {}
    for one in asked.questions:
        value = unicodedata.normalize("NFC", fields.get(one.name, "")).strip()
        wrong = _wrong(one, value)
        if wrong is not None:
            errors[one.name] = wrong
        else:
            told[one.name] = str(int(value)) if one.low is not None and value else value
    return told, errors


def _wrong(one: Asked, value: str) -> Message | None:
    if not value:
        return None if one.optional else Message("This question needs an answer.")
    if one.labels and value not in one.labels:
        return Message("Choose one of the answers.")
    if one.low is not None and one.high is not None:
        number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
        if number is None or not one.low <= number <= one.high:
            return Message("Enter a whole number from {low} to {high}.", low=one.low, high=one.high)
    if len(value) > LONGEST or "\0" in value:
        return Message("This is too long: at most {count} characters.", count=LONGEST)
    return None

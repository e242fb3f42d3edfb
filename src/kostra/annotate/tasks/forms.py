"""The fields of a posted form as the answers of a screen: what makes the site work without JavaScript.

========================  =================================================================================
field                     means
========================  =================================================================================
``question``              the answer; repeated for a choice of several
``question.N``            the N-th of several answers, from 1
``question.impossible``   ``on``: marked as impossible
========================  =================================================================================

The page's script reads the form by the same rules (``static/answers.js``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kostra.campaign.places import Answer
from kostra.campaign.protocol import Question

HIDDEN = ("phase", "item", "version", "key", "language", "csrf")
"""Fields of every answer form that are no answers."""


def given(fields: Iterable[tuple[str, str]], questions: Iterable[Question] = ()) -> dict[str, Any]:
    """The answers of a form, by question.

    Examples
    --------
    >>> given([("phase", "main"), ("past", "Pršelo."), ("ban", ""), ("ban.impossible", "on")])
    {'past': 'Pršelo.', 'ban': {'impossible': True}}
    >>> given([("rewrite.1", "one"), ("rewrite.3", "three")])
    {'rewrite': ['one', '', 'three']}
    """
    several = {question.name for question in questions if question.at_most is not None}
    found: dict[str, Any] = {}
    for name, value in fields:
        question, _, part = name.partition(".")
        if question in HIDDEN and not part:
            continue
        if part == "impossible":
            before = found.get(question)
            found[question] = {"impossible": True} | ({"value": before} if before else {})
        elif part.isascii() and part.isdigit() and 1 <= int(part[:4]) <= 1000:
            _placed(found, question, int(part[:4]) - 1, value)
        elif isinstance(found.get(question), Mapping):
            found[question] = found[question] | ({"value": value} if value else {})
        elif question in several:
            found[question] = [*found.get(question, []), value]
        else:
            found[name] = value
    return found


def _placed(found: dict[str, Any], question: str, place: int, value: str) -> None:
    rows = found.setdefault(question, [])
    if isinstance(rows, list):
        rows.extend([""] * (place + 1 - len(rows)))
        rows[place] = value


def again(answers: Mapping[str, Sequence[Answer]], questions: Iterable[Question]) -> dict[str, Any]:
    """Stored answers as `given`, to fill a screen on which the last answer is changed.

    Examples
    --------
    >>> again({"past": [Answer("Pršelo.")], "ban": [Answer(None, "impossible")]}, ())
    {'past': 'Pršelo.', 'ban': {'impossible': True}}
    """
    asked = {question.name: question for question in questions}
    found: dict[str, Any] = {}
    for name, several in answers.items():
        values = [answer.value for answer in several if answer.value is not None]
        about = asked.get(asked[name].about or "") if name in asked else None
        is_list = any(one is not None and one.at_most is not None for one in (asked.get(name), about))
        if any(answer.status == "impossible" for answer in several):
            found[name] = {"impossible": True}
        elif values:
            found[name] = values if is_list else values[0]
    return found

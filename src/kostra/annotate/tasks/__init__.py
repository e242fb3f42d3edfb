"""Task types: what a screen asks and which answers it takes; one ``NAME.py`` beside one ``NAME.html`` each.

A task is a module with two functions, and a template of the same name:

``view(item, phase, words)``
    What the template draws, as plain data. Known answers are never in it.
``check(given, item, phase)``
    The answers in the form in which they are stored, or a message for every field that is wrong; never an exception.
    `given` is what a client sends: question → a text, a number, a list where the question takes several,
    ``{"impossible": true}`` or ``{"skip": true}``.

`kostra.annotate.tasks.reading` holds what tasks share in checking, `kostra.annotate.tasks.drawing` in drawing, and
`kostra.annotate.tasks.forms` turns the fields of a posted form into `given`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from kostra import registry
from kostra.annotate.languages import ENGLISH as ENGLISH
from kostra.annotate.languages import Message as Message
from kostra.annotate.languages import Translate as Translate
from kostra.campaign.items import Item
from kostra.campaign.places import Answer
from kostra.campaign.protocol import Phase
from kostra.campaign.questions import screen_of

SHELF = "annotate/tasks"
"""Where the registry finds them."""


@dataclass(frozen=True)
class Checked:
    """Answers that may be stored, or what is wrong with which field; with errors there are no answers."""

    answers: Mapping[str, list[Answer]] = field(default_factory=dict)
    errors: Mapping[str, Message] = field(default_factory=dict)
    """Question, or ``question.N`` for the N-th of several answers, → message. The empty name is the whole screen."""


def task(name: str) -> ModuleType:
    """The module of a task, built in or plugged in."""
    return registry.load(SHELF, name)


def view_of(item: Item, phase: Phase, words: Translate = ENGLISH) -> dict[str, Any]:
    """What the screen of an item draws."""
    found: dict[str, Any] = task(screen_of(item, phase)).view(item, phase, words)
    return found


def check_answers(given: Mapping[str, Any], item: Item, phase: Phase) -> Checked:
    """Check what was given to an item, by the task that drew it.

    Examples
    --------
    >>> from kostra.campaign.protocol import Question
    >>> rating = Phase(name="main", task="rating", questions=(Question(name="similarity", low=0, high=5),))
    >>> pair = Item("p1", "pair", {"text_a": "A cat.", "text_b": "A dog."})
    >>> check_answers({"similarity": "3"}, pair, rating).answers
    {'similarity': [Answer(value='3', status='answered')]}
    >>> check_answers({"similarity": 9}, pair, rating).errors
    {'similarity': 'Choose a number from 0 to 5.'}
    """
    found: Checked = task(screen_of(item, phase)).check(given, item, phase)
    return found

"""Corrections of sentences that a rule made: by leaders at once, and as judges' suggestions that a linguist decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kostra.campaign.items import Item
from kostra.campaign.places import Given
from kostra.campaign.protocol import Phase
from kostra.errors import KostraError

CORRECTIONS = {"correction": 1, "correction_a": 0}
"""Question → which of a pair's sentences it corrects."""

Decision = Literal["reject", "mend", "ask_again"]


@dataclass(frozen=True)
class Correction:
    """A sentence in another wording."""

    sentence: str
    before: str
    after: str
    error_type: str


def corrections_in(item: Item, given: Given) -> list[Correction]:
    """The corrections that a leader's answer makes; an unchanged text is none.

    Examples
    --------
    >>> from kostra.campaign.places import Answer
    >>> pair = Item("p", "pair", {"text_a": "A cat.", "text_b": "A dgo."}, sentences=("s1", "s2"))
    >>> answers = {"correction": [Answer("A dog.")], "error_type": [Answer("other")]}
    >>> corrections_in(pair, Given("correct", "p", 1, answers, key="k"))
    [Correction(sentence='s2', before='A dgo.', after='A dog.', error_type='other')]
    """
    types = [one.value for name in given.answers if name == "error_type" for one in given.answers[name]]
    found = []
    for question, place in CORRECTIONS.items():
        is_pair = "text_a" in item.content
        before = item.content[f"text_{'ab'[place]}"] if is_pair else item.content["text"]
        sentence = item.sentences[place if is_pair else 0]
        for one in given.answers.get(question, ()):
            if one.value is not None and one.value != before:
                found.append(Correction(sentence, before, one.value, (types or [None])[0] or ""))
    return found


def decision_in(phase: Phase, given: Given) -> Decision:
    """What a linguist decided: the labels of the question stand in this order."""
    question = next(question for question in phase.questions if len(question.labels) == 3)
    chosen = given.answers[question.name][0].value
    decisions: tuple[Decision, ...] = ("reject", "mend", "ask_again")
    return decisions[question.labels.index(chosen or "")]


def reaches(items: Iterable[Item], made: Correction) -> list[Item]:
    """The items that a correction reaches; it is refused if it makes two sentences of a pair alike.

    Examples
    --------
    >>> pair = Item("p", "pair", {"text_a": "A cat.", "text_b": "A dog."}, sentences=("s1", "s2"))
    >>> reaches([pair], Correction("s2", "A dog.", "A cat.", ""))
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: the corrected sentence would be the same as its partner in "p"
      try: correct only the mistake, or report a problem
    """
    reached = [item for item in items if made.sentence in item.sentences]
    for item in reached:
        if item.kind == "pair":
            partner = item.content["text_b" if item.sentences[0] == made.sentence else "text_a"]
            if partner == made.after:
                raise KostraError(
                    f'the corrected sentence would be the same as its partner in "{item.item}"',
                    remedy="correct only the mistake, or report a problem",
                )
    return reached

"""What templates draw of a question: its form, its points or options, its words in the annotator's language."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kostra.annotate.tasks import Translate
from kostra.annotate.tasks.reading import form_of, missing, number
from kostra.campaign.protocol import Question
from kostra.campaign.questions import points

MOST_BUTTONS = 12
"""A scale with more points is drawn as a slider, whatever the recipe says: nobody aims at a hundred buttons."""

Segments = list[tuple[str, str]]
"""Parts of a text with a mark each: the empty mark, ``mark``, ``del`` or ``ins``."""


def drawn(question: Question, words: Translate, *, prompt: str = "", **more: Any) -> dict[str, Any]:
    """One question as the template ``questions.html`` draws it; `prompt` stands in where the recipe has none.

    Examples
    --------
    >>> scale = drawn(Question(name="q", low=0, high=2, labels=("no", "partly", "yes")), Translate())
    >>> scale["form"], scale["control"], scale["options"][1]
    ('scale', 'buttons', {'value': '1', 'number': '1', 'label': 'partly', 'key': '1'})
    """
    form = form_of(question)
    options = _points(question, words) if form == "scale" else _options(question, words)
    many = form == "scale" and len(options) > MOST_BUTTONS
    return {
        "name": question.name,
        "prompt": question.prompt_in.get(words.language) or question.prompt or words(prompt),
        "examples": list(question.examples),
        "form": "several" if form == "choice" and question.at_most is not None else form,
        "control": "slider" if many else question.control,
        "options": options,
        "optional": question.optional,
        "impossible": question.impossible,
        "at_most": question.at_most,
        "about": question.about,
        "differs_from": list(question.differs_from),
        "shows_words": question.shows_words,
        "missing": words(missing(question).message),
        "part": None,
        **more,
    }


def all_drawn(questions: Sequence[Question], words: Translate, **prompts: str) -> list[dict[str, Any]]:
    """Several questions; the prompts, by name of the question, stand in where the recipe has none."""
    return [drawn(question, words, prompt=prompts.get(question.name, "")) for question in questions]


def _labels(question: Question, words: Translate) -> tuple[str, ...]:
    """The labels as shown: in the annotator's language if the recipe has them in it."""
    shown = question.labels_in.get(words.language, ())
    return shown if len(shown) == len(question.labels) else question.labels


def _points(question: Question, words: Translate) -> list[dict[str, str]]:
    values = [number(point) for point in points(question)]
    labels = _labels(question, words) if len(question.labels) == len(values) else ("",) * len(values)
    digits = all(re.fullmatch("[0-9]", value) for value in values)
    return [
        {"value": value, "number": value.replace("-", "−"), "label": label, "key": value if digits else _key(place)}
        for place, (value, label) in enumerate(zip(values, labels, strict=True))
    ]


def _options(question: Question, words: Translate) -> list[dict[str, str]]:
    return [
        {"value": value, "number": "", "label": label, "key": _key(place)}
        for place, (value, label) in enumerate(zip(question.labels, _labels(question, words), strict=True))
    ]


def _key(place: int) -> str:
    """The digit that chooses the option at a place, as long as there are digits."""
    return str(place + 1) if place < 9 else "0" if place == 9 else ""


def letter(place: int) -> str:
    """A, B, C, …: how sentences of one screen are told apart."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


_SENTENCE = re.compile(r"(.*?)<sent>(.*?)</sent>(.*)", re.DOTALL)


def in_context(marked: str | None, text: str) -> tuple[str, str, str]:
    """What stands before a key sentence, the sentence, and what stands after it.

    Examples
    --------
    >>> in_context("It was late. <sent>He left.</sent> Nobody saw it.", "He left.")
    ('It was late.', 'He left.', 'Nobody saw it.')
    >>> in_context(None, "He left.")
    ('', 'He left.', '')
    """
    found = _SENTENCE.fullmatch(marked or "")
    if found is None:
        return "", text, ""
    before, key, after = found.groups()
    return before.strip(), key.strip() or text, after.strip()


def sides(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """The two sentences of a pair, each under its letter, or the one sentence without one.

    Examples
    --------
    >>> sides({"text_a": "A cat.", "text_b": "A dog."})
    [{'letter': 'A', 'text': 'A cat.'}, {'letter': 'B', 'text': 'A dog.'}]
    """
    if "text_a" in content:
        return [{"letter": side.upper(), "text": str(content[f"text_{side}"])} for side in "ab"]
    return [{"letter": "", "text": str(content.get("text", ""))}]


_PIECES = re.compile(r"\w+|\s+|[^\w\s]")


def difference(before: str, after: str) -> Segments:
    """What changed between two wordings, word by word.

    Examples
    --------
    >>> difference("A cat sat.", "A dog sat.")
    [('A ', ''), ('cat', 'del'), ('dog', 'ins'), (' sat.', '')]
    """
    old, new = _PIECES.findall(before), _PIECES.findall(after)
    parts: Segments = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(("".join(old[a:b]), ""))
            continue
        if a < b:
            parts.append(("".join(old[a:b]), "del"))
        if c < d:
            parts.append(("".join(new[c:d]), "ins"))
    return parts

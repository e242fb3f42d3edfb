"""A language model as an annotator: it reads what people read, through an OpenAI-compatible chat-completions address.

It answers through the same campaign as people, under a name that begins with ``model-`` and the kind ``model``. Its
answers count towards no overlap and in no statistic (they are kept as surplus); the step ``campaign/select`` with
``kinds = ["model"]`` passes them on by themselves.

Nothing here speaks to the network: whoever asks gives a `Post`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kostra.campaign.items import Item
from kostra.campaign.places import Answer
from kostra.campaign.protocol import Phase, Question
from kostra.campaign.questions import READ, points, questions_on, screen_of
from kostra.errors import KostraError

MODEL = "model-"
"""How the names of language models begin, so that they are known again wherever their answers go."""

Post = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Sends JSON to an address and returns the JSON that comes back; raises OSError where that fails."""
Check = Callable[[Mapping[str, Any], Item, Phase], Mapping[str, str]]
"""The site's own check of an answer: question → what is wrong with it; empty if nothing is."""
Wait = Callable[[float], None]

_FENCE = re.compile(r"^\s*```(?:json)?\s*(.*?)\s*```\s*$", re.DOTALL)


@dataclass(frozen=True)
class LanguageModel:
    """Where a model answers, and how patiently it is asked."""

    url: str
    """The address up to and including ``/v1``, or of the chat completions themselves."""
    model: str
    temperature: float = 0.0
    tries: int = 4
    """How often one screen is asked before the model is given up on."""
    seconds: float = 1.0
    """The wait before the second try; it doubles with each."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """More fields of the request, such as a seed."""

    @property
    def name(self) -> str:
        """The annotator's name.

        Examples
        --------
        >>> LanguageModel("http://localhost:8000/v1", "org/Tiny 1.0").name
        'model-org-tiny-1.0'
        """
        return MODEL + re.sub(r"[^a-z0-9._]+", "-", self.model.lower()).strip("-")

    @property
    def address(self) -> str:
        """Where completions are asked for."""
        base = self.url.rstrip("/")
        return base if base.endswith("/chat/completions") else f"{base}/chat/completions"


class InvalidAnswer(ValueError):  # noqa: N818 - the model's mistake, not the program's
    """What a model said is no answer to what it was asked."""


def ask(
    model: LanguageModel,
    item: Item,
    phase: Phase,
    *,
    post: Post,
    check: Check | None = None,
    wait: Wait | None = None,
) -> dict[str, list[Answer]]:
    """Let a model answer one screen; what it says is taken strictly or not at all.

    An answer that is invalid is sent back with what is wrong with it; an address that fails is asked again after a
    wait, which doubles. After `model.tries` the failure is the caller's.

    Parameters
    ----------
    post
        Sends a request.
    check
        The site's own check, beside the one here.
    wait
        Waits for so many seconds; nobody waits unless it is given.

    Examples
    --------
    >>> rating = Phase(name="main", task="rating", questions=(Question(name="similarity", low=0, high=5),))
    >>> pair = Item("p", "pair", {"text_a": "A cat.", "text_b": "A dog."})
    >>> def post(url, request):
    ...     return {"choices": [{"message": {"content": '{"similarity": 2}'}}]}
    >>> ask(LanguageModel("http://localhost/v1", "tiny"), pair, rating, post=post)
    {'similarity': [Answer(value='2', status='answered')]}
    """
    if screen_of(item, phase) == "text":
        return {READ: [Answer("yes")]}  # instructions and consent are for people
    messages = prompt(item, phase)
    problem = ""
    for turn in range(model.tries):
        if turn and wait is not None:
            wait(model.seconds * 2 ** (turn - 1))
        request = {"model": model.model, "messages": messages, "temperature": model.temperature, **model.extra}
        request["response_format"] = {"type": "json_object"}
        try:
            said = _said(post(model.address, request))
        except (OSError, InvalidAnswer) as error:
            problem = f"the address does not answer: {error}" if isinstance(error, OSError) else str(error)
            continue
        try:
            return _read(said, item, phase, check)
        except InvalidAnswer as error:
            problem = str(error)
            messages = [
                *messages[:2],
                {"role": "assistant", "content": said},
                {"role": "user", "content": f"That is not valid: {problem}. Answer again, with the JSON object alone."},
            ]
    raise KostraError(
        f'the model "{model.model}" gave no valid answer to "{item.item}" in {model.tries} tries: {problem}',
        where=model.address,
        remedy="try another model, or leave this one out",
    )


# Asking ---------------------------------------------------------------------------------------------------


def prompt(item: Item, phase: Phase) -> list[dict[str, str]]:
    """The screen as messages: what is shown, what is asked, and which answers are possible."""
    shape = ", ".join(f'"{question.name}": …' for question in questions_on(item, phase))
    system = (
        "You take part in an annotation study and answer as one careful annotator. Answer with one JSON object and "
        f"nothing else: {{{shape}}}."
    )
    asked = "\n".join(_asked(question, item) for question in questions_on(item, phase))
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": f"{shown(item)}\n\n{asked}"},
    ]


def shown(item: Item) -> str:
    """What the screen shows, as text.

    Examples
    --------
    >>> print(shown(Item("p", "pair", {"text_a": "A cat.", "text_b": "A dog."})))
    A: A cat.
    B: A dog.
    """
    content = item.content
    match item.kind:
        case "pair" | "suggestion":
            lines = [f"{side.upper()}: {content[f'text_{side}']}" for side in "ab"]
            lines += [
                f"{side.upper()} in its context: {content[f'context_{side}']}"
                for side in "ab"
                if f"context_{side}" in content
            ]
            if item.kind == "suggestion":
                lines += [f"As it is: {content['before']}", f"As proposed: {content['after']}"]
        case "tuple":
            lines = [f"{member['item']}: {_member(member)}" for member in content["members"]]
        case "candidates":
            lines = [f"S: {content['text']}"]
            for document in content["documents"]:
                lines += ["", document["title"] or document["document"]]
                lines += [f"{one['item']}: {one['text']}" for one in document["sentences"]]
        case "image":
            raise KostraError(f'the item "{item.item}" is an image, which is not sent to a language model')
        case "check":
            lines = [str(content["prompt"])]
        case _:
            lines = [str(content[name]) for name in ("title", "text") if content.get(name)]
    return "\n".join(lines)


def _member(member: Mapping[str, Any]) -> str:
    return f"{member['text_a']} / {member['text_b']}" if "text_a" in member else str(member["text"])


def _asked(question: Question, item: Item) -> str:
    lines = [f'"{question.name}": {question.prompt}'.rstrip(": ")]
    lines += [f"  Example: {example}" for example in question.examples]
    if question.low is not None and question.high is not None:
        scale = points(question)
        if len(question.labels) == len(scale):
            named = ", ".join(f"{point:g} = {label}" for point, label in zip(scale, question.labels, strict=True))
            lines.append(f"  A number: {named}.")
        else:
            lines.append(f"  A number from {question.low:g} to {question.high:g}, one of {_few(scale)}.")
    elif question.labels:
        lines.append(f"  One of: {', '.join(json.dumps(label, ensure_ascii=False) for label in question.labels)}.")
    elif item.kind in ("tuple", "candidates") and question.about is None:
        lines.append("  The name that stands before the chosen one.")
    else:
        lines.append("  A text.")
    if question.at_most is not None:
        lines.append(f"  Up to {question.at_most} of them, as a list.")
    for other in question.differs_from:
        lines.append(f'  It must differ from the answer to "{other}".')
    if question.about is not None:
        lines.append(f'  This is about the answer to "{question.about}".')
    if question.impossible:
        lines.append('  If it cannot be done: "IMPOSSIBLE".')
    return "\n".join(lines)


def _few(scale: tuple[float, ...]) -> str:
    return ", ".join(f"{point:g}" for point in scale) if len(scale) <= 12 else f"{scale[0]:g}, {scale[1]:g}, …"


# Reading --------------------------------------------------------------------------------------------------


def _said(found: Mapping[str, Any]) -> str:
    try:
        said = found["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise InvalidAnswer("the address does not answer as a chat-completions address does") from None
    if not isinstance(said, str):
        raise InvalidAnswer("the model said nothing")
    return said


def _read(said: str, item: Item, phase: Phase, check: Check | None) -> dict[str, list[Answer]]:
    fenced = _FENCE.match(said)
    try:
        found = json.loads(fenced[1] if fenced else said, parse_constant=_no_constant)
    except ValueError:
        raise InvalidAnswer("it is not a JSON object") from None
    if not isinstance(found, dict):
        raise InvalidAnswer("it is not a JSON object")
    asked = {question.name for question in questions_on(item, phase)}
    strange = sorted(set(found) - asked)
    if strange:
        raise InvalidAnswer(f'"{strange[0]}" was not asked')
    answers = {question.name: _answers(found, question, item) for question in questions_on(item, phase)}
    _differ(phase, answers)
    wrong = check(found, item, phase) if check is not None else {}
    if wrong:
        raise InvalidAnswer("; ".join(f'"{name}": {message}' for name, message in wrong.items()))
    return answers


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _answers(found: Mapping[str, Any], question: Question, item: Item) -> list[Answer]:
    if question.name not in found:
        raise InvalidAnswer(f'"{question.name}" has no answer')
    raw = found[question.name]
    cells = raw if isinstance(raw, list) else [raw]
    if isinstance(raw, list) and question.at_most is None and question.about is None:
        raise InvalidAnswer(f'"{question.name}" takes one answer, not a list')
    if not cells or (question.at_most is not None and len(cells) > question.at_most):
        raise InvalidAnswer(f'"{question.name}" takes from 1 to {question.at_most or 1} answers')
    if question.impossible and cells == ["IMPOSSIBLE"]:
        return [Answer(None, "impossible")]
    return [Answer(_value(cell, question, item)) for cell in cells]


def _value(raw: Any, question: Question, item: Item) -> str:
    wrong = InvalidAnswer(f'"{question.name}" cannot be {json.dumps(raw, ensure_ascii=False)}')
    if question.low is not None and question.high is not None:
        for point in points(question):
            if isinstance(raw, int | float) and not isinstance(raw, bool) and abs(point - raw) < 1e-9:
                return f"{point + 0.0:g}"
        raise wrong
    if not isinstance(raw, str) or not raw.strip():
        raise wrong
    choices = question.labels or _choices(question, item)
    if choices and raw not in choices:
        raise wrong
    return raw if choices else " ".join(raw.split())


def _choices(question: Question, item: Item) -> tuple[str, ...]:
    """What may be named on a screen that shows several things."""
    if question.about is not None:
        return ()
    if item.kind == "tuple":
        return tuple(member["item"] for member in item.content["members"])
    if item.kind == "candidates":
        return tuple(one["item"] for document in item.content["documents"] for one in document["sentences"])
    return ()


def _differ(phase: Phase, answers: Mapping[str, list[Answer]]) -> None:
    for question in phase.questions:
        rivals = [*question.differs_from, *(["best"] if question.name == "worst" and "best" in answers else [])]
        for other in rivals:
            mine, theirs = ({one.value for one in answers[name]} - {None} for name in (question.name, other))
            if mine & theirs:
                raise InvalidAnswer(f'"{question.name}" must differ from "{other}"')

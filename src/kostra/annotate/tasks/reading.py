"""Answers, read strictly: what a client sends becomes what is stored, or a message at the field.

Nothing here raises on strange input, whatever JSON it is: a screen may be old, a client may be a program.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from kostra.annotate.tasks import Checked, Message
from kostra.campaign.places import Answer
from kostra.campaign.protocol import Question
from kostra.campaign.questions import points

LONGEST = 10_000
"""Characters of one text."""
MOST_ROWS = 1_000
"""Entries of one list that are looked at; more is no screen of ours."""
Form = Literal["scale", "choice", "open"]
Read = Callable[[Question, Any], str]
"""Reads the answer to a question that is neither a scale nor a choice; raises `Refused`."""

_NUMBER = re.compile(r"[-+−]?[0-9]{1,9}([.,][0-9]{1,9})?")
_SKIPPED = Answer(None, "skipped")
_IMPOSSIBLE = Answer(None, "impossible")


class Refused(Exception):  # noqa: N818 - an answer is refused; nothing has gone wrong
    """An answer that is not taken, and why."""

    def __init__(self, msgid: str, **values: object) -> None:
        super().__init__(msgid)
        self.message = Message(msgid, **values)


# Single values -------------------------------------------------------------------------------------------


def form_of(question: Question) -> Form:
    """How a question is answered: on a scale, by a label, or as its task has it."""
    if question.low is not None and question.high is not None:
        return "scale"
    return "choice" if question.labels else "open"


def number(value: float) -> str:
    """A number as it is stored: without trailing zeros, and never −0.

    Examples
    --------
    >>> number(3.0), number(0.25), number(-0.0)
    ('3', '0.25', '0')
    """
    return f"{value + 0.0:g}"


def read_scale(question: Question, raw: Any) -> str:
    """A rating: a number, or one in writing, that is one of the scale's points."""
    low, high = question.low or 0.0, question.high or 0.0
    wanted = Refused("Choose a number from {low} to {high}.", low=number(low), high=number(high))
    if isinstance(raw, str) and _NUMBER.fullmatch(raw.strip()):
        raw = float(raw.strip().replace(",", ".").replace("−", "-"))
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not low <= raw <= high:
        raise wanted
    for point in points(question):
        if math.isclose(point, raw, rel_tol=1e-6, abs_tol=1e-9):
            return number(point)
    raise Refused("{value} lies between the points of the scale.", value=number(float(raw)))


def read_choice(options: Iterable[str], raw: Any) -> str:
    """One of the options, as the recipe spells it."""
    for option in options:
        if raw == option:
            return option
    raise Refused("Choose one of the answers that are offered.")


def read_text(raw: Any, *, lines: bool = False) -> str:
    r"""A text as it is stored: NFC, without white space around it, on one line unless `lines`.

    Examples
    --------
    >>> read_text("  Kočka \n spí. ")
    'Kočka spí.'
    >>> read_text("a\n\nb", lines=True)
    'a\n\nb'
    """
    if not isinstance(raw, str):
        raise Refused("Write a text here.")
    if len(raw) > LONGEST:
        raise Refused("The text is too long: at most {most} characters.", most=LONGEST)
    if any(_unprintable(char) for char in raw):
        raise Refused("The text has control characters in it, which cannot be kept.")
    text = unicodedata.normalize("NFC", raw)
    parts = (" ".join(part.split()) for part in (text.splitlines() if lines else [text]))
    text = "\n".join(parts).strip()
    if len(text) > LONGEST:
        raise Refused("The text is too long: at most {most} characters.", most=LONGEST)
    if is_blank(text):
        raise Refused("Write something here.")
    return text


def _unprintable(char: str) -> bool:
    return char not in "\t\n\r" and unicodedata.category(char) in ("Cc", "Cs")


def is_blank(text: str) -> bool:
    """Whether a text has neither a letter, a digit nor a sign: white space and punctuation are not an answer."""
    return not any(unicodedata.category(char)[0] in "LNS" for char in text)


_AROUND_PUNCTUATION = re.compile(r"\s*([^\w\s])\s*")


def alike(text: str) -> str:
    """What must differ for two texts to be two answers: not case, spacing or a full stop, but any other sign.

    A question mark can turn a sentence into its opposite, and so can a comma; a missing full stop is only haste.

    Examples
    --------
    >>> alike("The cat sat .") == alike("the cat sat")
    True
    >>> alike("It rains?") == alike("It rains.")
    False
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _AROUND_PUNCTUATION.sub(r"\1", " ".join(plain.split())).rstrip(".…").strip()


# Whole screens -------------------------------------------------------------------------------------------


def checked(
    given: Any, questions: Sequence[Question], read_open: Read, *, same: Callable[[str], str] = alike
) -> Checked:
    """Read the answers to all questions of a screen.

    `read_open` reads what is neither a scale nor a choice. `same` gives what must differ between the answers to two
    questions of which one `differs_from` the other.
    """
    if not isinstance(given, Mapping):
        return Checked(errors={"": Message("The answers are to be given by question.")})
    asked = {question.name: question for question in questions}
    errors: dict[str, Message] = {
        str(name)[:100]: Message("This screen does not ask that.") for name in given if name not in asked
    }
    answers: dict[str, list[Answer]] = {}
    for question in questions:
        if _is_companion(question, asked):
            continue  # read row by row with what it is about
        if _takes_several(question):
            companions = [other for other in questions if other.about == question.name and _is_companion(other, asked)]
            _read_rows(given, question, companions, read_open, answers, errors)
            continue
        try:
            answers[question.name] = [_read_one(question, given.get(question.name), read_open)]
        except Refused as refused:
            errors[question.name] = refused.message
    _drop_what_is_about_nothing(given, questions, answers, errors)
    _apart(questions, answers, errors, same)
    return Checked(errors=errors) if errors else Checked(answers={name: answers[name] for name in asked})


def _takes_several(question: Question) -> bool:
    return question.at_most is not None


def _is_companion(question: Question, asked: Mapping[str, Question]) -> bool:
    """Whether there is one answer for each of another question's several: the name of each rewrite."""
    other = asked.get(question.about or "")
    return other is not None and _takes_several(other) and not _takes_several(question)


def _read_one(question: Question, raw: Any, read_open: Read) -> Answer:
    """The answer to a question that takes one."""
    raw, marked = _unwrapped(question, raw)
    if marked is not None:
        return marked
    if _nothing(raw):
        if question.optional:
            return _SKIPPED
        raise missing(question)
    match form_of(question):
        case "scale":
            return Answer(read_scale(question, raw))
        case "choice":
            return Answer(read_choice(question.labels, raw))
        case _:
            return Answer(read_open(question, raw))


def _unwrapped(question: Question, raw: Any) -> tuple[Any, Answer | None]:
    """The value that was sent, or the mark that was sent instead of one."""
    if not isinstance(raw, Mapping):
        return raw, None
    strange = set(raw) - {"impossible", "skip", "value"}
    impossible, skip, value = raw.get("impossible", False), raw.get("skip", False), raw.get("value")
    if strange or not isinstance(impossible, bool) or not isinstance(skip, bool):
        raise Refused("This is no answer to the question.")
    if impossible and not question.impossible:
        raise Refused("IMPOSSIBLE is not an answer to this question.")
    if skip and not question.optional:
        raise Refused("This question cannot be skipped.")
    if (impossible or skip) and not _nothing(value):
        raise Refused("Either give an answer or mark it as impossible, not both.")
    if impossible and skip:
        raise Refused("Either give an answer or mark it as impossible, not both.")
    return value, _IMPOSSIBLE if impossible else _SKIPPED if skip else None


def _nothing(raw: Any) -> bool:
    return raw is None or (isinstance(raw, str) and not raw.strip()) or (isinstance(raw, list | dict) and not raw)


def missing(question: Question) -> Refused:
    """What is said where an answer is missing; the page says the same before it sends anything."""
    if question.impossible:
        return Refused("Give an answer, or mark it as impossible.")
    match form_of(question):
        case "scale":
            return Refused("Choose a point on the scale.")
        case "choice":
            return Refused("Choose an answer.")
        case _:
            return Refused("Give an answer here.")


def _read_rows(
    given: Mapping[str, Any],
    question: Question,
    companions: Sequence[Question],
    read_open: Read,
    answers: dict[str, list[Answer]],
    errors: dict[str, Message],
) -> None:
    """Read a question that takes several answers, row by row with the questions about it: a rewrite and its name."""
    together = (question, *companions)
    try:
        columns = [_column(one, given.get(one.name)) for one in together]
    except Refused as refused:
        errors[question.name] = refused.message
        return
    if isinstance(columns[0], Answer):
        answers[question.name] = [columns[0]]
        answers.update({one.name: [_SKIPPED] for one in companions})
        return
    lists = [column if isinstance(column, list) else [] for column in columns]
    found: dict[str, list[Answer]] = {one.name: [] for one in together}
    seen: dict[str, int] = {}
    for place in range(max(map(len, lists))):
        cells = [column[place] if place < len(column) else None for column in lists]
        if all(map(_nothing, cells)):
            continue
        for one, cell in zip(together, cells, strict=True):
            field = f"{one.name}.{place + 1}"
            try:
                answer = _read_one(one, cell, read_open)
                if one is question and answer.value is None:
                    raise missing(one)
                if one is question and seen.setdefault(alike(answer.value or ""), place) != place:
                    raise Refused("This is the same as number {other}.", other=seen[alike(answer.value or "")] + 1)
                found[one.name].append(answer)
            except Refused as refused:
                errors[field] = refused.message
    rows = len(found[question.name])
    if question.at_most is not None and rows > question.at_most:
        errors[question.name] = Message(
            "At most {most} are taken; these are {found}.", most=question.at_most, found=rows
        )
    if not rows and not any(name.startswith(f"{question.name}.") for name in errors):
        if question.optional:
            found = {one.name: [_SKIPPED] for one in together}
        else:
            errors[question.name] = missing(question).message
    answers.update(found)


def _too_many(question: Question, found: int) -> Refused:
    return Refused("At most {most} are taken; these are {found}.", most=question.at_most or 1, found=found)


def _column(question: Question, raw: Any) -> list[Any] | Answer:
    """The rows that were sent for one question, or the mark instead of them."""
    raw, marked = _unwrapped(question, raw)
    if marked is not None:
        return marked
    if _nothing(raw):
        return []
    if not isinstance(raw, list):
        return [raw]
    if len(raw) > MOST_ROWS:
        raise _too_many(question, len(raw))
    return raw


def _drop_what_is_about_nothing(
    given: Mapping[str, Any],
    questions: Sequence[Question],
    answers: dict[str, list[Answer]],
    errors: dict[str, Message],
) -> None:
    """Where there is no answer, nothing is asked about it: no rating of a sentence that was not picked."""
    asked = {question.name: question for question in questions}
    for question in questions:
        found = answers.get(question.about or "")
        if not found or _is_companion(question, asked) or any(answer.value is not None for answer in found):
            continue
        if _nothing(given.get(question.name)):
            errors.pop(question.name, None)
            answers[question.name] = [_SKIPPED]
        else:
            errors[question.name] = Message("There is nothing to answer here.")


def _apart(
    questions: Sequence[Question],
    answers: Mapping[str, list[Answer]],
    errors: dict[str, Message],
    same: Callable[[str], str],
) -> None:
    for question in questions:
        mine = {same(answer.value) for answer in answers.get(question.name, []) if answer.value is not None}
        for other in question.differs_from:
            theirs = {same(answer.value) for answer in answers.get(other, []) if answer.value is not None}
            if mine & theirs:
                errors.setdefault(question.name, Message("This must differ from the answer above."))

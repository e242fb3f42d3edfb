"""What bridges share: screens that go out, replies that come in, and the codes by which tools name answers.

A screen has a key (``phase:block:version:item``) that goes through every tool unchanged and brings the answer home.
Where an answer is a member of a tuple or a sentence of a document, tools see its letter or number: ids of ours need
not be fit for a button.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from kostra.annotate.tasks import ENGLISH, drawing, view_of
from kostra.annotate.tasks.best_worst import CHOICES
from kostra.annotate.tasks.reading import form_of
from kostra.campaign.items import Item
from kostra.campaign.material import Material, item_from_json, item_to_json
from kostra.campaign.places import Answer
from kostra.campaign.protocol import Phase, Question
from kostra.campaign.questions import screen_of
from kostra.errors import KostraError

KEY, ITEM, SHOWN = "kostra_key", "kostra_item", "shown"
"""Fields of a tool's data: the key, the whole item, and what people see of it."""
MARK = "-mark"
"""Behind the name of a question: where a tool keeps that it is impossible or skipped. No question has a hyphen."""
IMPOSSIBLE, SKIP = "impossible", "skip"
_READ_ELSEWHERE = ("instructions", "consent", "repeat")
"""Blocks that are not asked about: what is read goes into a tool's own instructions."""


@dataclass(frozen=True)
class Screen:
    """One item as one phase asks about it."""

    phase: Phase
    number: int
    """Of the block, from 0."""
    item: Item

    @property
    def key(self) -> str:
        """What comes back with the answer."""
        return f"{self.phase.name}:{self.number}:{self.item.version}:{self.item.item}"

    @property
    def block(self) -> str:
        """The block's name in the judgments."""
        return self.phase.blocks[self.number].purpose


@dataclass(frozen=True)
class Reply:
    """One annotator's answer to one screen."""

    key: str
    annotator: str
    """As the tool calls them."""
    given: Mapping[str, Any]
    """Question → a text, a list where it takes several, ``{"impossible": True}`` or ``{"skip": True}``."""
    ident: str = ""
    """The tool's own name of the answer."""
    discarded: bool = False
    """Whether it was rejected there."""
    answered_at: datetime | None = None
    seconds: float | None = None
    item: Item | None = None
    """What was shown, where the tool tells it."""
    where: str = ""
    """File and place, for messages."""


@dataclass(frozen=True)
class Asked:
    """A question as tools draw it."""

    name: str
    prompt: str
    options: tuple[tuple[str, str], ...] = ()
    """Code and what is shown; none where a text is written."""
    several: int = 1
    """Most answers."""
    impossible: bool = False
    optional: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """What may be said instead of an answer."""
        return tuple(mark for mark, may in ((IMPOSSIBLE, self.impossible), (SKIP, self.optional)) if may)

    def code(self, said: str) -> str:
        """The code of an option that a tool may also give back as it was shown."""
        shown = {text: code for code, text in self.options}
        return said if said in dict(self.options) else shown.get(said, said)


# Out ---------------------------------------------------------------------------------------------------


def cannot_leave(phase: Phase) -> str:
    """Why no other tool can show a phase; empty where one can.

    Examples
    --------
    >>> cannot_leave(Phase(name="fix", task="correct", corrects=True))
    'its answers change the sentences of other items while the campaign runs'
    """
    if phase.corrects:
        return "its answers change the sentences of other items while the campaign runs"
    if phase.validates is not None:
        return "its items are made from what people suggest while the campaign runs"
    if phase.items_after is not None:
        return f'its items wait for the answers of phase "{phase.items_after}"'
    return ""


def not_kept(phase: Phase) -> list[str]:
    """Rules of a phase that no other tool keeps.

    Examples
    --------
    >>> not_kept(Phase(name="again", task="rating", after="first", pause_hours=72))
    ['72 hours after "first"']
    """
    purposes = {block.purpose for block in phase.blocks}
    rules = {
        f'{phase.pause_hours:g} hours after "{phase.after}"': phase.pause_hours > 0,
        f'only after "{phase.after}"': phase.after is not None and not phase.pause_hours,
        "gold questions": phase.gold is not None or "gold" in purposes,
        "qualification": "qualification" in purposes,
        "repeats": "repeat" in purposes,
        "consent": "consent" in purposes,
        "calibration first": "calibration" in purposes,
        "who is dealt what, in which order": phase.deal != "queue" or phase.same_order_as is not None,
        "a pair and its reverse apart": bool(phase.never_in_one_sitting),
        "suggestions": phase.suggests,
        f"only for a {phase.role}": phase.role != "annotator",
    }
    return [rule for rule, holds in rules.items() if holds]


def screens_of(phases: Sequence[Phase], made: Material) -> list[Screen]:
    """The screens of all phases whose items are known, in order; known answers are left behind."""
    found = []
    for phase in phases:
        for number, block in enumerate(phase.blocks):
            if block.purpose in _READ_ELSEWHERE:
                continue
            for item in made.of(phase.name, number):
                if screen_of(item, phase) == phase.task:
                    found.append(Screen(phase, number, replace(item, known={})))
    return found


def asked(phase: Phase, screens: Iterable[Screen]) -> list[Asked]:
    """The questions of a phase, with options for the item that has the most."""
    items = [screen.item for screen in screens]
    prompts = prompts_of(phase, items[0]) if items else {}
    found = []
    for question in phase.questions:
        several = question.at_most or 1
        about = next((one for one in phase.questions if one.name == question.about), None)
        if about is not None and about.at_most is not None:
            several = about.at_most
        found.append(
            Asked(
                question.name,
                prompts.get(question.name) or question.prompt or question.name.replace("_", " "),
                _options(question, phase, items),
                several,
                question.impossible,
                question.optional or about is not None,
            )
        )
    return found


def prompts_of(phase: Phase, item: Item) -> dict[str, str]:
    """What the site itself would say, where the recipe says nothing."""
    view = view_of(item, phase)
    drawn = [one for part in ("choices", "picks", "questions") for one in view.get(part, [])]
    drawn += [one for way in view.get("ways", []) for one in way["questions"]]
    return {one["name"]: str(one["prompt"]) for one in drawn}


def _options(question: Question, phase: Phase, items: Sequence[Item]) -> tuple[tuple[str, str], ...]:
    if form_of(question) != "open":
        drawn = drawing.drawn(question, ENGLISH)["options"]
        return tuple((one["value"], _said(one["value"], one["label"])) for one in drawn)
    most = max((list(codes(question, phase, item)) for item in items), key=len, default=[])
    return tuple((code, code) for code in most)


def _said(value: str, label: str) -> str:
    return label if value == label else f"{value}: {label}" if label else value


def codes(question: Question, phase: Phase, item: Item) -> dict[str, str]:
    """Code → value, where the answer is something on the screen: a member under its letter, a sentence's number."""
    if phase.task == "best_worst" and question.name in CHOICES:
        members = [member["item"] for member in item.content["members"]]
        return {drawing.letter(place): member for place, member in enumerate(members)}
    if phase.task == "pick" and question.about is None:
        listed = [one["item"] for document in item.content["documents"] for one in document["sentences"]]
        return {str(place): sentence for place, sentence in enumerate(listed, 1)}
    return {}


def shown(item: Item) -> list[tuple[str, str]]:
    """What people see of an item: a label, which may be empty, and a text."""
    content = item.content
    match item.kind:
        case "tuple":
            return [(drawing.letter(place), _member(member)) for place, member in enumerate(content["members"])]
        case "candidates":
            listed = [one["text"] for document in content["documents"] for one in document["sentences"]]
            return [("", str(content["text"])), *((str(place), text) for place, text in enumerate(listed, 1))]
        case "image":
            return [("", str(content.get("title", ""))), ("image", str(content["image"]))]
    if "context_a" in content or "context_b" in content:
        return [(side.upper(), str(content.get(f"context_{side}") or content[f"text_{side}"])) for side in ("a", "b")]
    if item.kind == "suggestion":
        return [("before", str(content["before"])), ("after", str(content["after"]))]
    return [(side["letter"], side["text"]) for side in drawing.sides(content)]


def _member(member: Mapping[str, Any]) -> str:
    return "\n".join(str(member[name]) for name in ("text", "text_a", "text_b") if name in member)


def to_tool(given: Mapping[str, Any], screen: Screen) -> dict[str, Any]:
    """An answer with codes in the place of ids."""
    return _mapped(given, screen, back=False)


def from_tool(given: Mapping[str, Any], screen: Screen, questions: Sequence[Asked]) -> dict[str, Any]:
    """An answer with ids in the place of codes; a code that the screen does not have stays, and will be refused."""
    coded = dict(given)
    for question in questions:
        raw = coded.get(question.name)
        if question.options and isinstance(raw, str):
            coded[question.name] = question.code(raw)
        elif question.options and isinstance(raw, list):
            # A tool may number its boxes, and leave those empty that were not ticked.
            coded[question.name] = [question.code(one) if isinstance(one, str) else one for one in raw if one != ""]
    return _mapped(coded, screen, back=True)


def _mapped(given: Mapping[str, Any], screen: Screen, *, back: bool) -> dict[str, Any]:
    found = dict(given)
    for question in screen.phase.questions:
        known = codes(question, screen.phase, screen.item)
        table = known if back else {value: code for code, value in known.items()}
        raw = found.get(question.name)
        if isinstance(raw, str):
            found[question.name] = table.get(raw, raw)
        elif isinstance(raw, list):
            found[question.name] = [table.get(one, one) if isinstance(one, str) else one for one in raw]
    return found


def given_of(answers: Mapping[str, Sequence[Answer]], phase: Phase) -> dict[str, Any]:
    """Stored answers in the form in which a client sends them."""
    several = {question.name for question in phase.questions if question.at_most is not None}
    several |= {question.name for question in phase.questions if question.about in several}
    found: dict[str, Any] = {}
    for name, stored in answers.items():
        marks = [answer.status for answer in stored if answer.value is None]
        if marks and len(stored) == 1:
            if marks[0] == "impossible":
                found[name] = {"impossible": True}
            elif name in {question.name for question in phase.questions if question.optional}:
                found[name] = {"skip": True}
            # Where a question hangs on another that has no answer, nothing is said at all.
            continue
        values = [answer.value or "" for answer in stored]
        found[name] = values if name in several else values[0]
    return found


# Items as text -------------------------------------------------------------------------------------------


def item_text(item: Item, *, ascii_only: bool = False) -> str:
    """An item as JSON on one line."""
    return json.dumps(item_to_json(item), ensure_ascii=ascii_only)


def item_of(found: Any, *, where: str) -> Item:
    """The item that `item_text`, or its JSON, holds."""
    try:
        return item_from_json(json.loads(found) if isinstance(found, str) else found)
    except (ValueError, KeyError, TypeError):
        raise KostraError(
            "this is not an item that kostra exported", where=where, accepted=f"files made by kostra export ({ITEM})"
        ) from None


@dataclass
class Marks:
    """Gathers the answers of one screen while a tool's fields are read, marks included."""

    given: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, value: Any) -> None:
        """Take one field: an answer, or a mark beside one."""
        if not name.endswith(MARK):
            before = self.given.get(name)
            self.given[name] = before | {"value": value} if isinstance(before, dict) else value
            return
        question = name.removesuffix(MARK)
        for mark in value if isinstance(value, list) else [value]:
            before = self.given.get(question)
            kept = before if isinstance(before, dict) else {} if before in (None, "", []) else {"value": before}
            self.given[question] = {**kept, str(mark): True}

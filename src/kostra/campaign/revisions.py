"""A recipe may change while its campaign runs: what a change does, and what it may not do to answers that are there.

`difference` compares two revisions of a protocol with their items. Every line of it says what goes (−) and what comes
(+). While a phase has answers, nothing may change that gives them their meaning: the item that was shown, the task, a
question's name, its scale, its labels. The rest may: more items, another overlap, other words on the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from kostra.campaign.dealing import check_arithmetic
from kostra.campaign.material import Material
from kostra.campaign.protocol import Block, Campaign, Phase, Question
from kostra.errors import KostraError, some

# Field → why it cannot change while the phase has answers. A field that is not named may change.
_PHASE = {
    "task": "answers to one task are no answers to another",
    "role": "the answers were given by people of the other role",
    "deal": "sequences and groups that were dealt cannot be gathered again",
    "same_order_as": "the order in which items were answered rests on it",
    "validates": "decisions were taken about the suggestions of the other phase",
}
_BLOCK = {
    "purpose": "the answers were given for the other purpose",
    "from_phase": "items were repeated from the other phase",
    "groups": "groups that were dealt cannot be gathered again",
}
_QUESTION = {
    "low": "earlier answers were given on the other scale",
    "high": "earlier answers were given on the other scale",
    "reverse": "earlier answers were about the other direction",
    "about": "earlier answers were about something else",
}
_GOLD = {"from_phase": "annotators were judged by the other questions"}
_CAMPAIGN = {"policy": "tuples that are made on the way and tuples made beforehand do not mix"}
_APART = ("name", "phases", "blocks", "questions", "gold", "checks")
"""Fields that are compared by themselves."""


@dataclass(frozen=True)
class Change:
    """One thing that differs."""

    about: str
    """Where: a phase, a question, an item."""
    before: str = ""
    after: str = ""
    refused: str = ""
    """Why it cannot be, if it cannot."""

    def lines(self) -> list[str]:
        """What goes and what comes, and why not."""
        found = [f"{sign} {self.about}{text}" for sign, text in (("−", self.before), ("+", self.after)) if text]
        return [*found, f"  refused: {self.refused}"] if self.refused else found


@dataclass(frozen=True)
class Difference:
    """All that differs between two revisions."""

    changes: tuple[Change, ...]
    added: tuple[str, ...] = ()
    """Items that are new."""
    removed: tuple[str, ...] = ()

    @property
    def refused(self) -> tuple[Change, ...]:
        """What cannot be."""
        return tuple(change for change in self.changes if change.refused)

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __str__(self) -> str:
        return "\n".join(line for change in self.changes for line in change.lines())

    def check(self, *, where: str | None = None) -> None:
        """Refuse a revision that would change what answers mean."""
        if self.refused:
            first = self.refused[0]
            more = f" (and {len(self.refused) - 1:,} more)" if len(self.refused) > 1 else ""
            raise KostraError(
                f"{' / '.join(first.lines()[:-1])}: {first.refused}{more}",
                where=where,
                remedy="take the change back, or begin another campaign with it",
            )


Revision = tuple[Campaign, Material]


def difference(
    old: Revision, new: Revision, answered_phases: Set[str] = frozenset(), answered_items: Set[str] = frozenset()
) -> Difference:
    """Compare two revisions, given what has answers already.

    Examples
    --------
    >>> from kostra.campaign.items import Item
    >>> def revision(overlap: int, items: tuple[str, ...]) -> Revision:
    ...     phase = Phase(name="main", task="rating", overlap=overlap, questions=(Question(name="q", low=0, high=5),))
    ...     made = {item: Item(item, "sentence", {"text": f"Text of {item}."}) for item in items}
    ...     return Campaign(phases=(phase,)), Material(made, {("main", 0): items})
    >>> print(difference(revision(2, ("a", "b")), revision(3, ("b", "c")), {"main"}, {"a"}))
    − phase "main": overlap = 2
    + phase "main": overlap = 3
    − phase "main", block 1: 1 item: a
      refused: it has answers: a
    + phase "main", block 1: 1 item: c
    """
    before, after = old[0], new[0]
    changes = _fields("", before, after, _CAMPAIGN if answered_phases and _adapts(before) != _adapts(after) else {})
    phases = {phase.name: phase for phase in after.phases}
    for phase in before.phases:
        if phase.name not in phases:
            why = "it has answers" if phase.name in answered_phases else ""
            changes.append(Change(f'phase "{phase.name}"', f" ({phase.task})", refused=why))
        else:
            changes += _phase(phase, phases[phase.name], answered=phase.name in answered_phases)
    known = {phase.name for phase in before.phases}
    for phase in after.phases:
        if phase.name not in known:
            changes.append(Change(f'phase "{phase.name}"', after=f" ({phase.task}, overlap {phase.overlap})"))
    changes += _order(before, after, known)
    return Difference(
        tuple(changes + _items(old, new, answered_phases, answered_items)),
        added=tuple(item for item in new[1].items if item not in old[1].items),
        removed=tuple(item for item in old[1].items if item not in new[1].items),
    )


def _adapts(campaign: Campaign) -> bool:
    return campaign.policy == "adaptive"


def _order(before: Campaign, after: Campaign, known: Set[str]) -> list[Change]:
    kept = {phase.name for phase in after.phases}
    was = [phase.name for phase in before.phases if phase.name in kept]
    now = [phase.name for phase in after.phases if phase.name in known]
    return [] if was == now else [Change("phases: ", ", ".join(was), ", ".join(now))]


# The protocol ---------------------------------------------------------------------------------------------


def _fields(about: str, before: Any, after: Any, rules: Mapping[str, str]) -> list[Change]:
    """Compare two models field by field."""
    changes = []
    for name in type(before).model_fields:
        was, now = getattr(before, name), getattr(after, name)
        if name not in _APART and was != now:
            changes.append(Change(about, _said(name, was), _said(name, now), rules.get(name, "")))
    return changes


def _said(name: str, value: Any) -> str:
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    return f"{name} = {value!r}" if not isinstance(value, str) else f'{name} = "{value}"'


def _phase(before: Phase, after: Phase, *, answered: bool) -> list[Change]:
    about = f'phase "{before.name}": '
    changes = _fields(about, before, after, _PHASE if answered else {})
    if answered and before.deal != "queue" and after.overlap < before.overlap:
        why = "sequences and groups that were dealt cannot be gathered again"
        changes = [_refuse(change, why) if change.before.startswith("overlap =") else change for change in changes]
    if (before.gold is None) != (after.gold is None):
        changes.append(Change(about, "gold" if before.gold else "", "gold" if after.gold else ""))
    elif before.gold and after.gold:
        changes += _fields(f"{about}gold: ", before.gold, after.gold, _GOLD if answered else {})
    changes += _questions(before, after, answered=answered)
    return changes + _blocks(before, after, answered=answered)


def _refuse(change: Change, why: str) -> Change:
    return Change(change.about, change.before, change.after, why)


def _questions(before: Phase, after: Phase, *, answered: bool) -> list[Change]:
    asked = {question.name: question for question in after.questions}
    was = {question.name for question in before.questions}
    changes = []
    for question in before.questions:
        about = f'phase "{before.name}": question "{question.name}"'
        if question.name not in asked:
            why = "its answers stand under this name" if answered else ""
            changes.append(Change(about, " is asked", refused=why))
        else:
            changes += _question(f"{about}: ", question, asked[question.name], answered=answered)
    for question in after.questions:
        if question.name not in was:
            why = "earlier answers would lack it: make it optional" if answered and not question.optional else ""
            changes.append(Change(f'phase "{before.name}": question "{question.name}"', after=" is asked", refused=why))
    return changes


def _question(about: str, before: Question, after: Question, *, answered: bool) -> list[Change]:
    rules = dict(_QUESTION) if answered else {}
    on_scale = before.low is not None and before.high is not None
    if answered and on_scale and len(before.labels) != len(after.labels):
        rules["labels"] = "another number of labels makes another scale"
    elif answered and not on_scale:
        rules["labels"] = "the labels are the answers; `labels_in` shows them to people in other words"
    return _fields(about, before, after, rules)


def _blocks(before: Phase, after: Phase, *, answered: bool) -> list[Change]:
    changes = []
    dealt = {"items": "sequences that were dealt cannot be cut anew"} if before.deal == "disjoint_sequences" else {}
    for number, (was, now) in enumerate(zip(before.blocks, after.blocks, strict=False), 1):
        about = f'phase "{before.name}", block {number}: '
        changes += _fields(about, was, now, {**_BLOCK, **dealt} if answered else {})
        if was.checks != now.checks:
            changes.append(Change(about, _checks(was), _checks(now)))
    for number, block in enumerate(before.blocks[len(after.blocks) :], len(after.blocks) + 1):
        why = "its items may have answers" if answered else ""
        changes.append(Change(f'phase "{before.name}", block {number}', f" ({block.purpose})", refused=why))
    for number, block in enumerate(after.blocks[len(before.blocks) :], len(before.blocks) + 1):
        changes.append(Change(f'phase "{before.name}", block {number}', after=f" ({block.purpose})"))
    return changes


def _checks(block: Block) -> str:
    asked = "; ".join(f"{check.prompt} {' / '.join(check.choices)}: {check.right}" for check in block.checks)
    return f"checks: {asked or 'none'}"


# The items ------------------------------------------------------------------------------------------------


def _items(old: Revision, new: Revision, answered_phases: Set[str], answered_items: Set[str]) -> list[Change]:
    before, after = old[1], new[1]
    phases = {phase.name: phase for phase in new[0].phases}
    changes = []
    for place in dict.fromkeys((*before.blocks, *after.blocks)):
        if place[0] not in phases:
            continue  # the phase is gone, which was said
        had, has = before.blocks.get(place, ()), after.blocks.get(place, ())
        about = f'phase "{place[0]}", block {place[1] + 1}: '
        lost, fresh = _without(had, has), _without(has, had)
        if lost:
            answered = [item for item in lost if item in answered_items and place[0] in answered_phases]
            why = f"{'it has' if len(answered) == 1 else 'they have'} answers: {some(answered)}" if answered else ""
            changes.append(Change(about, _counted(lost), refused=why))
        if fresh:
            why = _dealt(phases[place[0]], place[1], fresh) if had and place[0] in answered_phases else ""
            changes.append(Change(about, after=_counted(fresh), refused=why))
    return changes + _reworded(before, after, answered_items)


def _without(items: Iterable[str], others: Iterable[str]) -> list[str]:
    gone = set(others)
    return [item for item in items if item not in gone]


def _counted(items: list[str]) -> str:
    return f"{len(items):,} item{'s' if len(items) > 1 else ''}: {some(items)}"


def _dealt(phase: Phase, number: int, fresh: list[str]) -> str:
    """Why items cannot be added to a phase whose sequences are dealt already, if they cannot: they need their own."""
    length = phase.blocks[number].items
    if phase.deal != "disjoint_sequences" or phase.blocks[number].purpose != "main" or length is None:
        return ""
    try:
        check_arithmetic(len(fresh), length=length, replicates=phase.overlap)
    except KostraError as error:
        return f"new items are cut in sequences of their own, and {error.what}"
    return ""


def _reworded(before: Material, after: Material, answered_items: Set[str]) -> list[Change]:
    changes = []
    for name, item in before.items.items():
        now = after.items.get(name)
        if now is None:
            continue
        # What is read before the work, and checks of it, may change at any time: nobody's judgment rests on it.
        firm = name in answered_items and item.kind not in ("text", "check")
        for field, was, became in _differing(item.content, now.content):
            why = "it was answered as it was: a correction in the campaign makes a new version" if firm else ""
            changes.append(Change(f'item "{name}": ', _said(field, was), _said(field, became), why))
        if dict(item.known) != dict(now.known):
            why = "annotators were told the other answer" if firm else ""
            known = _said("right answer", dict(item.known)), _said("right answer", dict(now.known))
            changes.append(Change(f'item "{name}": ', *known, refused=why))
    return changes


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What differs in the content of an item, and no more of it than tells: of a tuple, the members that changed.

    Examples
    --------
    >>> four = [{"item": name, "text": f"Text of {name}."} for name in "abcd"]
    >>> other = [*four[:3], {"item": "d", "text": "Another text."}]
    >>> list(_differing({"members": four}, {"members": other}))
    [('member 4, text', 'Text of d.', 'Another text.')]
    """
    for field in dict.fromkeys((*before, *after)):
        was, became = before.get(field), after.get(field)
        if field == "members" and was and became and len(was) == len(became):
            for number, (one, two) in enumerate(zip(was, became, strict=True), 1):
                yield from ((f"member {number}, {name}", *values) for name, *values in _differing(one, two))
        elif was != became:
            yield (field, *_shortened(was, became))


def _shortened(was: Any, became: Any) -> tuple[Any, Any]:
    """Two texts from a little before they begin to differ."""
    if not (isinstance(was, str) and isinstance(became, str)):
        return was, became
    alike = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(was, became, strict=False)))
    begin = max(alike - 30, 0)
    return _cut(was, begin), _cut(became, begin)


def _cut(text: str, begin: int, *, most: int = 100) -> str:
    kept = text[begin : begin + most]
    return f"{'…' if begin else ''}{kept}{'…' if begin + most < len(text) else ''}"

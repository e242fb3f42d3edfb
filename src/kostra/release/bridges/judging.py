"""From judgments to replies and back: what every bridge's answers go through, checked by their tasks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kostra.annotate.tasks import check_answers
from kostra.campaign.places import Answer
from kostra.release.bridges.contract import Asked, Reply, Screen, asked, from_tool, given_of, item_text, to_tool
from kostra.tables import Frame

ACCEPTED = ("answered", "impossible", "skipped")
"""What became of judgments that go out to other tools."""


def replies_of(judgments: Frame, screens: Sequence[Screen]) -> tuple[list[Reply], int]:
    """Accepted judgments as replies to screens, and how many are not among them."""
    places = {(one.phase.name, one.block, one.item.item, one.item.version): one for one in screens}
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    left_out = 0
    for row in judgments.iter_rows(named=True):
        place = (row["phase"], row["block"], row["item"], row["version"])
        if row["status"] not in ACCEPTED or place not in places:
            left_out += 1
            continue
        groups.setdefault((*place, row["annotator"], row["answered_at"]), []).append(row)
    replies = []
    for (phase, block, item, version, annotator, answered_at), rows in groups.items():
        screen = places[phase, block, item, version]
        stored: dict[str, list[Answer]] = {}
        for row in rows:
            stored.setdefault(row["question"], []).append(Answer(row["value"], row["status"]))
        given = to_tool(given_of(stored, screen.phase), screen)
        ident = str(rows[0]["judgment"])
        replies.append(
            Reply(screen.key, annotator or "", given, ident=ident, answered_at=answered_at, seconds=rows[0]["seconds"])
        )
    return replies, left_out


@dataclass
class Judged:
    """What came of replies."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    """Rows of judgments."""
    wrong: list[tuple[str, str]] = field(default_factory=list)
    """Place and reason of replies that are no answers to this campaign: a file with such is refused."""
    left_out: list[str] = field(default_factory=list)
    """Replies in which nothing was answered, each with its place."""
    surplus: list[str] = field(default_factory=list)
    """Replies beyond the answers that an item was to get, each with its place; they are kept as surplus."""


def judged(
    replies: Sequence[Reply],
    screens: Sequence[Screen],
    *,
    tool: str,
    people: Callable[[str], str] = str,
    before: Frame | None = None,
) -> Judged:
    """Replies as rows of judgments; every one is checked by its task, as on the site.

    Of one person's replies to one screen the latest counts, where they say when they were given. An item gets as many
    accepted answers as its phase asks for, those of `before` included; the earliest count, and others are surplus.

    Parameters
    ----------
    people
        Gives the pseudonym of a name in the tool.
    before
        Judgments that are there already.
    """
    known = {screen.key: screen for screen in screens}
    questions = _questions(screens)
    made = Judged()
    latest: dict[tuple[str, str], tuple[Reply, list[dict[str, Any]]]] = {}
    answered = _answered(before)
    for reply in sorted(replies, key=lambda one: one.answered_at.timestamp() if one.answered_at else 0):
        screen = known.get(reply.key)
        if reply.discarded and not reply.given and screen is not None:
            made.left_out.append(f'{reply.where}: item "{screen.item.item}" was skipped there')
            continue
        who = people(reply.annotator) if reply.annotator else None
        older, rows = latest.get((who or reply.ident, reply.key), (None, []))
        why = _wrong(reply, screen, older)
        if why or screen is None:
            made.wrong.append((reply.where, why))
            continue
        checked = check_answers(from_tool(reply.given, screen, questions[screen.phase.name]), screen.item, screen.phase)
        if checked.errors:
            told = "; ".join(f"{name or 'the screen'}: {message}" for name, message in checked.errors.items())
            made.wrong.append((reply.where, f'item "{screen.item.item}": {told}'))
            continue
        fresh = _rows(reply, screen, checked.answers, who, tool)
        if older is not None and {row["judgment"] for row in fresh} == {row["judgment"] for row in rows}:
            continue  # the very same answer, in another file
        if not reply.discarded:
            _supersede(rows, fresh)
            latest[who or reply.ident, reply.key] = (reply, fresh)
            if _beyond(screen, who or reply.ident, answered):
                made.surplus.append(f'{reply.where}: item "{screen.item.item}" has its {screen.phase.overlap} answers')
                for row in fresh:
                    row["status"] = "surplus"
        made.rows += fresh
    return made


def _questions(screens: Sequence[Screen]) -> dict[str, list[Asked]]:
    """Phase → its questions, as the tool drew them."""
    phases: dict[str, list[Screen]] = {}
    for screen in screens:
        phases.setdefault(screen.phase.name, []).append(screen)
    return {name: asked(mine[0].phase, mine) for name, mine in phases.items()}


Place = tuple[str, str, str, int]
"""Phase, block, item and version."""


def _answered(before: Frame | None) -> dict[Place, set[str]]:
    """Who has answered what already; an answer without a name counts for itself."""
    found: dict[Place, set[str]] = {}
    if before is not None:
        names = ("phase", "block", "item", "version", "annotator", "judgment", "status")
        for *place, annotator, judgment, status in before.select(names).iter_rows():
            if status in ACCEPTED:
                phase, block, item, version = place
                found.setdefault((phase, block, item, version), set()).add(annotator or judgment.rpartition("-")[0])
    return found


def _beyond(screen: Screen, who: str, answered: dict[Place, set[str]]) -> bool:
    """Whether an item of a main block has all its answers from others; items of other blocks are for everybody."""
    place = (screen.phase.name, screen.block, screen.item.item, screen.item.version)
    people = answered.setdefault(place, set())
    if screen.block == "main" and who not in people and len(people) >= screen.phase.overlap:
        return True
    people.add(who)
    return False


def _supersede(rows: Sequence[dict[str, Any]], fresh: Sequence[dict[str, Any]]) -> None:
    """Let a person's later answer take the place of the earlier one."""
    old = {row["question"]: row["judgment"] for row in rows}
    for row in rows:
        row["status"] = "superseded"
    for row in fresh:
        row["supersedes"] = old.get(row["question"])


def _wrong(reply: Reply, screen: Screen | None, older: Reply | None) -> str:
    if screen is None:
        return f'"{reply.key}" is no item of this campaign' if reply.key else "it does not say which item it answers"
    if reply.item is not None and item_text(reply.item) != item_text(screen.item):
        return f'item "{screen.item.item}" was shown in another wording'
    if older is not None and not reply.discarded:
        one_file = older.where.rpartition(":")[0] == reply.where.rpartition(":")[0]
        one_answer = reply.ident and older.ident == reply.ident
        untold = older.answered_at == reply.answered_at  # nothing says which came later
        if (one_file and (one_answer or untold)) or (untold and older.given != reply.given):
            return f'item "{screen.item.item}" is answered twice by one person: {older.where} as well'
    return ""


def _rows(
    reply: Reply, screen: Screen, answers: Mapping[str, Sequence[Answer]], who: str | None, tool: str
) -> list[dict[str, Any]]:
    # By the pseudonym: nobody may find a name by trying out which gives this.
    told = json.dumps([tool, reply.ident, reply.key, who, str(reply.answered_at), dict(reply.given)], sort_keys=True)
    digest = hashlib.sha256(told.encode()).hexdigest()[:12]
    stored = [(question, answer) for question, given in answers.items() for answer in given]
    return [
        {
            "judgment": f"{tool}-{digest}-{number}",
            "item": screen.item.item,
            "version": screen.item.version,
            "question": question,
            "annotator": who,
            "value": answer.value,
            "status": "discarded" if reply.discarded else answer.status,
            "phase": screen.phase.name,
            "block": screen.block,
            "answered_at": reply.answered_at,
            "seconds": reply.seconds,
            "supersedes": None,
        }
        for number, (question, answer) in enumerate(stored, 1)
    ]

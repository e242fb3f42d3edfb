"""From judgments to replies and back: what every bridge's answers go through, checked by their tasks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
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


def judged(
    replies: Sequence[Reply], screens: Sequence[Screen], *, tool: str, people: Callable[[str], str] = str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Replies as rows of judgments, and what was not taken, each with its place and the reason.

    `people` gives the pseudonym of a name in the tool. Of one person's replies to one screen the latest counts.
    """
    known = {screen.key: screen for screen in screens}
    questions: dict[str, list[Asked]] = {}
    for name in {screen.phase.name for screen in screens}:
        mine = [screen for screen in screens if screen.phase.name == name]
        questions[name] = asked(mine[0].phase, mine)
    skipped: list[str] = []
    latest: dict[tuple[str, str], list[dict[str, Any]]] = {}
    rows: list[dict[str, Any]] = []
    for reply in sorted(replies, key=lambda one: one.answered_at.timestamp() if one.answered_at else 0):
        screen = known.get(reply.key)
        why = _refused(reply, screen)
        if why or screen is None:
            skipped.append(f"{reply.where}: {why}")
            continue
        given = from_tool(reply.given, screen, questions[screen.phase.name])
        checked = check_answers(given, screen.item, screen.phase)
        if checked.errors:
            told = "; ".join(f"{field or 'the screen'}: {message}" for field, message in checked.errors.items())
            skipped.append(f'{reply.where}: item "{screen.item.item}": {told}')
            continue
        who = people(reply.annotator) if reply.annotator else None
        made = _rows(reply, screen, checked.answers, who, tool)
        before = latest.get((who or reply.ident, reply.key))
        if before is not None and not reply.discarded:
            old = {row["question"]: row["judgment"] for row in before}
            for row in before:
                row["status"] = "superseded"
            for row in made:
                row["supersedes"] = old.get(row["question"])
        if not reply.discarded:
            latest[who or reply.ident, reply.key] = made
        rows += made
    return rows, skipped


def _refused(reply: Reply, screen: Screen | None) -> str:
    if screen is None:
        return f'"{reply.key}" is no item of this campaign' if reply.key else "it does not say which item it answers"
    if reply.discarded and not reply.given:
        return f'item "{screen.item.item}" was skipped there'
    if reply.item is not None and item_text(reply.item) != item_text(screen.item):
        return f'item "{screen.item.item}" was shown in another wording'
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

"""The table of annotators: what each has done, what that is worth, how far they agree with the others, and flags."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from kostra.annotate.admin.findings import Asked, Findings
from kostra.annotate.admin.ledger import Answers
from kostra.annotate.admin.progress import PersonState
from kostra.annotate.admin.views import Aliases
from kostra.annotate.entry.pay import Work, earned
from kostra.campaign.protocol import Campaign

PER_PAGE = 200
LONGEST = 300.0
"""Seconds that count at most of one answer's time, where the campaign's pay says nothing else."""


@dataclass(frozen=True)
class PersonRow:
    """One annotator in the table."""

    state: PersonState
    shown: str
    answers: int
    """That count."""
    all_answers: int
    """That were ever given, each once."""
    seconds: float
    """Honest time, of all of them."""
    median: float | None
    pay: Decimal | None
    agreement: float | None
    gold: float | None
    reasons: Sequence[tuple[str, str]]
    """Flags: to which question each belongs, where there are several, and why."""


def _last(number: float | None) -> float:
    return math.inf if number is None else number


SORTS: dict[str, Callable[[PersonRow], Any]] = {
    "name": lambda row: row.shown,
    "answers": lambda row: -row.all_answers,
    "time": lambda row: -row.seconds,
    "median": lambda row: _last(row.median),
    "pay": lambda row: -(row.pay or 0),
    "agreement": lambda row: _last(row.agreement),
    "gold": lambda row: _last(row.gold),
    "flags": lambda row: (-len(row.reasons), row.shown),
    "last": lambda row: -(row.state.last_at.timestamp() if row.state.last_at else 0.0),
}
"""How the table may be sorted; what deserves a look stands first."""


def cap_of(protocol: Campaign) -> float:
    """The most that counts of one answer's time."""
    return protocol.pay.longest_seconds if protocol.pay is not None else LONGEST


def person_rows(
    states: Sequence[PersonState],
    answers: Answers,
    findings: Findings | None,
    asked: Asked | None,
    protocol: Campaign,
    aliases: Aliases,
) -> list[PersonRow]:
    """Everybody, with agreement by one question and flags by all of them."""
    work, counted = work_in(answers, cap_of(protocol)), answers_that_count(answers)
    described = findings.people.get(asked, {}) if findings is not None and asked is not None else {}
    rows = []
    for state in states:
        done, mine = work.get(state.name, Work()), described.get(state.name)
        rows.append(
            PersonRow(
                state,
                aliases.shown(state.name),
                counted.get(state.name, 0),
                done.answers,
                done.seconds,
                mine.median_seconds if mine is not None else None,
                _worth(state, done, protocol),
                mine.agreement if mine is not None else None,
                state.gold_right / state.gold_seen if state.gold_seen else None,
                reasons_of(state, findings, protocol),
            )
        )
    return rows


def work_in(answers: Answers, cap: float) -> dict[str, Work]:
    """What everybody has done, counted as their pay is (`kostra.annotate.entry.pay`)."""
    size = len(answers.people)
    first = answers.supersedes == 0  # an answer that was changed is one answer
    given = np.bincount(answers.who[first], minlength=size)
    seconds = np.bincount(answers.who, np.minimum(np.nan_to_num(answers.seconds), cap), minlength=size)
    judged = np.isfinite(answers.right) & first
    gold = np.bincount(answers.who[judged], minlength=size)
    right = np.bincount(answers.who[judged], answers.right[judged], minlength=size)
    return {
        name: Work(int(given[place]), float(seconds[place]), int(gold[place]), float(right[place]))
        for place, name in enumerate(answers.people)
    }


def answers_that_count(answers: Answers) -> dict[str, int]:
    """Annotator → accepted answers."""
    counts = np.bincount(answers.who[answers.stands()], minlength=len(answers.people))
    return dict(zip(answers.people, counts.tolist(), strict=True))


def _worth(state: PersonState, work: Work, protocol: Campaign) -> Decimal | None:
    if protocol.pay is None:
        return None
    mine = {phase.name for phase in protocol.phases if phase.role == state.role}
    done = Work(work.answers, work.seconds, work.gold, work.gold_right, mine <= set(state.finished), state.kind)
    return earned(done, protocol.pay).total


def reasons_of(state: PersonState, findings: Findings | None, protocol: Campaign) -> list[tuple[str, str]]:
    """Why somebody deserves a look, as `PersonRow.reasons`."""
    found: list[tuple[str, str]] = []
    several = findings is not None and len(findings.people) > 1
    for asked, people in (findings.people if findings is not None else {}).items():
        described = people.get(state.name)
        for reason in described.reasons if described is not None else ():
            found.append((f"{asked.phase}, {asked.question}" if several else "", reason))
    golds = [phase.gold for phase in protocol.phases if phase.gold is not None]
    if golds and state.gold_seen >= min(gold.minimum for gold in golds):
        share, least = state.gold_right / state.gold_seen, min(gold.threshold for gold in golds)
        if share < least:
            found.append(("", f"{share:.0%} of {state.gold_seen} gold questions right, less than {least:.0%}"))
    return found

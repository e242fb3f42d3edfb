"""Prolific: its export of participants (CSV) in; whom to approve, and bonuses, out.

The export has a row per submission: who, its status, times, the completion code, and what the participant told
Prolific about themselves, where ``CONSENT_REVOKED`` and ``DATA_EXPIRED`` mean that it may not be used. Bulk approval
takes one id a line, bonus payments one ``id,amount`` a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from kostra import files
from kostra.errors import KostraError

TITLE = "Prolific"
DONE = ("AWAITING REVIEW", "APPROVED")
"""Submissions of those who finished."""
WITHHELD = ("CONSENT_REVOKED", "DATA_EXPIRED", "DATA EXPIRED", "CONSENT REVOKED")
_KNOWN = {
    "participant": ("Participant id", "participant_id"),
    "submission": ("Submission id", "session_id"),
    "status": ("Status", "status"),
    "started": ("Started at", "started_datetime"),
    "completed": ("Completed at", "completed_date_time"),
    "seconds": ("Time taken", "time_taken"),
    "code": ("Completion code", "entered_code"),
}
"""Ours → what Prolific calls it now, and used to."""
_OTHER = ("Custom study tncs accepted at", "Reviewed at", "Archived at", "Total approvals", "reviewed_at_datetime",
          "num_approvals", "num_rejections", "prolific_score")  # fmt: skip
_FEW = 5


@dataclass(frozen=True)
class Participant:
    """One submission."""

    participant: str
    submission: str
    status: str
    """As Prolific says it, in capitals: APPROVED, AWAITING REVIEW, RETURNED, TIMED-OUT, REJECTED."""
    started: datetime | None = None
    completed: datetime | None = None
    seconds: float | None = None
    code: str = ""
    told: Mapping[str, str] = field(default_factory=dict)
    """What they told Prolific about themselves, as far as it may be used."""


def read_participants(path: Path) -> list[Participant]:
    """The submissions of an export."""
    records = files.read_records(path, kind="csv")
    where = files.shown(path)
    names = {ours: next((name for name in theirs if name in records.header), None) for ours, theirs in _KNOWN.items()}
    for needed in ("participant", "status"):
        if names[needed] is None:
            raise KostraError(
                f'this is no export of participants: it has no column "{_KNOWN[needed][0]}"',
                where=where,
                accepted="the demographic data that Prolific exports for a study (CSV)",
            )
    personal = [name for name in records.header if name not in (*filter(None, names.values()), *_OTHER)]
    found = []
    seen: dict[str, int] = {}
    for row, line in zip(records.rows, records.lines, strict=True):
        cells = dict(zip(records.header, row, strict=True))
        said = {ours: cells[name].strip() if name else "" for ours, name in names.items()}
        if not said["participant"]:
            raise KostraError("this row names no participant", where=f"{where}:{line}")
        known = seen.setdefault(said["submission"] or f"row {line}", line)
        if known != line:
            raise KostraError(
                f"the submission {said['submission']} stands on line {known} already", where=f"{where}:{line}"
            )
        found.append(
            Participant(
                said["participant"],
                said["submission"],
                said["status"].upper().replace("_", " "),
                _time(said["started"]),
                _time(said["completed"]),
                _number(said["seconds"]),
                said["code"],
                {name: cells[name] for name in personal if cells[name] and cells[name].upper() not in WITHHELD},
            )
        )
    return found


def _time(said: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)


def _number(said: str) -> float | None:
    return float(said) if said.replace(".", "", 1).isdigit() and said.isascii() else None


def summary(participants: Iterable[Participant]) -> list[str]:
    """What may be said about the participants as a whole: counts, those of few people put together.

    Examples
    --------
    >>> people = [Participant(str(n), "", "APPROVED", told={"Sex": "Female" if n < 6 else "Male"}) for n in range(7)]
    >>> summary(people)
    ['Sex: Female 6, fewer than 5 each: 1 person with 1 other reply']
    """
    listed = list(participants)
    lines = []
    for name in sorted({name for one in listed for name in one.told}):
        counted = Counter(one.told[name] for one in listed if name in one.told)
        many = [f"{value} {number:,}" for value, number in counted.most_common() if number >= _FEW]
        few = {value: number for value, number in counted.items() if number < _FEW}
        if few:
            people, replies = sum(few.values()), len(few)
            many.append(
                f"fewer than {_FEW} each: {people:,} {'person' if people == 1 else 'people'} with {replies:,} other "
                f"repl{'y' if replies == 1 else 'ies'}"
            )
        lines.append(f"{name}: {', '.join(many)}")
    return lines


def approvals(participants: Iterable[str]) -> str:
    """The text that bulk approval takes."""
    return "".join(f"{one}\n" for one in dict.fromkeys(participants))


def bonuses(amounts: Mapping[str, Decimal]) -> str:
    r"""The text that bonus payments take; who gets nothing is left out.

    Examples
    --------
    >>> bonuses({"5f2a": Decimal("2.5"), "5f2b": Decimal(0)})
    '5f2a,2.50\n'
    """
    return "".join(f"{one},{amount:.2f}\n" for one, amount in amounts.items() if amount > 0)

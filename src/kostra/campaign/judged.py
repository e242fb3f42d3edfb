"""The log of a campaign as a table of judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import polars as pl

from kostra.campaign.corrections import CORRECTIONS
from kostra.campaign.events import Event
from kostra.campaign.items import Item
from kostra.tables import JUDGMENTS, Frame, check

_MENDED = {side: question for question, side in CORRECTIONS.items()}
"""Which of a pair's sentences was corrected → the question under which a validated suggestion stands."""


def judgment_id(seq: int, number: int) -> str:
    """The name of a judgment, from the number of its event and its own in it: the same at every collection.

    Examples
    --------
    >>> judgment_id(12, 1)
    'j-000012-1'
    """
    return f"j-{seq:06d}-{number}"


def judgments_of(events: Iterable[Event], statuses: Mapping[int, str], items: Mapping[str, Item]) -> Frame:
    """One row per answer, in the order of the log; what was replaced is there and says by what.

    Parameters
    ----------
    statuses
        Number of the event → what has become of its answer in the end.
    items
        The items, for the sentences that stand in them.
    """
    rows: list[dict[str, object]] = []
    wordings = Wordings(items)
    ids: dict[int, dict[tuple[str, int], str]] = {}
    for event in events:
        worded = wordings.row(event)
        if worded is not None:
            rows.append(worded)
        if event.kind == "answered":
            found = ids[event.seq] = {}
            for row, place in _answers(event, statuses.get(event.seq, event.data["status"])):
                row["judgment"] = found[place] = judgment_id(event.seq, len(found) + 1)
                row["supersedes"] = ids.get(event.data["supersedes"] or 0, {}).get(place)
                rows.append(row)
    return check(pl.DataFrame(rows, schema=JUDGMENTS.dtypes), JUDGMENTS, where="judgments of the campaign")


def _answers(event: Event, status: str) -> Iterator[tuple[dict[str, object], tuple[str, int]]]:
    data = event.data
    shown_at = datetime.fromisoformat(data["shown_at"])
    seconds = round(max((event.at - shown_at).total_seconds(), 0.0), 3)
    focused = data.get("focused")
    for question, answers in data["answers"].items():
        for place, (value, own) in enumerate(answers):
            yield (
                {
                    "item": data["item"],
                    "version": data["version"],
                    "question": question,
                    "annotator": event.annotator,
                    "value": value,
                    "status": own if status == "answered" else status,
                    "phase": data["phase"],
                    "block": data["block_name"],
                    "shown_at": shown_at,
                    "answered_at": event.at,
                    "seconds": seconds if focused is None else min(round(focused, 3), seconds),
                },
                (question, place),
            )


class Wordings:
    """What judges suggested, and what a linguist took from it, as rows of judgments.

    No answer says it: a suggestion stands beside an answer, and a validated one changes a sentence. The rows
    (``suggested``, ``suggested_a``; ``correction``, ``correction_a``; all in the block ``suggestions``) let the table
    tell the whole history of every wording. Events are given in order, all of them.
    """

    def __init__(self, items: Mapping[str, Item]) -> None:
        self._items = items
        self._answered: Mapping[str, Any] = {}
        self._corrected: Counter[str] = Counter()  # sentence → how often

    def row(self, event: Event) -> dict[str, object] | None:
        """The row that an event adds, if it adds one."""
        made = None
        if event.kind == "answered":
            self._answered = event.data
        elif event.kind == "suggested":
            made = self._row(event, "suggested_a", "suggested", phase=event.data["phase"])
        elif event.kind == "corrected" and event.data["item"] != self._answered.get("item"):
            made = self._row(event, _MENDED[0], _MENDED[1], phase=self._answered["phase"])
        if event.kind == "corrected":
            self._corrected[event.data["sentence"]] += 1
        return made

    def _row(self, event: Event, first: str, second: str, *, phase: str) -> dict[str, object]:
        pair = self._items[event.data["item"]]
        return {
            "judgment": judgment_id(event.seq, 1),
            "item": pair.item,
            "version": 1 + sum(self._corrected[sentence] for sentence in set(pair.sentences)),
            "question": first if pair.sentences.index(event.data["sentence"]) == 0 else second,
            "annotator": event.annotator,
            "value": event.data["after"],
            "status": "answered",
            "phase": phase,
            "block": "suggestions",
            "answered_at": event.at,
        }

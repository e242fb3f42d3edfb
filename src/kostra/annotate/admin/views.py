"""What the pages of the office show of answers and people: from the ledger, the figures and entries of the log."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from kostra.annotate.admin.charts import Bar
from kostra.annotate.admin.ledger import STATUSES, Answers, Ints, moment
from kostra.annotate.languages import ENGLISH, Translate
from kostra.annotate.store import Store
from kostra.annotate.store_watching import rows_at
from kostra.campaign.items import Item

PER_PAGE = 50


class Aliases:
    """People as the office calls them: who was erased has another name."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._alias = dict(aliases)
        self._real = {alias: name for name, alias in aliases.items()}

    def shown(self, name: str) -> str:
        """What stands on a page."""
        return self._alias.get(name, name)

    def real(self, name: str) -> str:
        """What stands in the log."""
        return self._real.get(name, name)


@dataclass(frozen=True)
class AnswerRow:
    """One answer as a list shows it."""

    seq: int
    at: datetime
    who: str
    item: str
    phase: str
    block: str
    status: str
    seconds: float | None
    right: float | None
    said: Sequence[tuple[str, str]]
    """Question and what was answered."""
    data: Mapping[str, Any]


def answer_rows(store: Store, campaign: str, answers: Answers, places: Sequence[int]) -> list[AnswerRow]:
    """Answers with their texts, which stand in the store, in the order of `places`."""
    if not places:
        return []
    names = Aliases(store.aliases(campaign))
    with store.connected() as connection:
        stored = {row[0]: row for row in rows_at(connection, campaign, [int(answers.seq[one]) for one in places])}
    found = []
    for place in places:
        seq = int(answers.seq[place])
        _, at, _, who, text = stored[seq]
        data = json.loads(text)
        seconds, right = float(answers.seconds[place]), float(answers.right[place])
        said = [(question, said_of(given)) for question, given in data["answers"].items()]
        block = str(data.get("block_name", data["block"]))
        found.append(
            AnswerRow(
                seq, at, names.shown(who or ""), data["item"], data["phase"], block,
                STATUSES[int(answers.status[place])], seconds if math.isfinite(seconds) else None,
                right if math.isfinite(right) else None, said, data,
            )
        )  # fmt: skip
    return found


def said_of(given: Sequence[Sequence[str | None]]) -> str:
    """The answers to one question in one line.

    Examples
    --------
    >>> said_of([["4", "answered"]]), said_of([[None, "impossible"]]), said_of([["a", "answered"], ["b", "answered"]])
    ('4', '(impossible)', 'a | b')
    """
    return " | ".join(f"({status})" if value is None else value for value, status in given)


def stream(answers: Answers, *, before: int | None, who: str = "", status: str = "", item: str = "") -> Ints:
    """Where the newest answers stand that are older than a number, the newest first; one more than a page has."""
    wanted = np.ones(answers.count, dtype=np.bool_)
    if before is not None:
        wanted &= answers.seq < before
    for chosen, names, numbers in ((who, answers.people, answers.who), (item, answers.items, answers.item)):
        if chosen:
            wanted &= numbers == (names.index(chosen) if chosen in names else -1)
    if status in STATUSES:
        wanted &= answers.status == STATUSES.index(status)
    return np.flatnonzero(wanted)[::-1][: PER_PAGE + 1]


def chain_of(answers: Answers, place: int) -> list[int]:
    """All answers of which one superseded the other, the oldest first, with the one at `place` among them."""
    first = place
    while answers.supersedes[first]:
        earlier = answers.place(int(answers.supersedes[first]))
        if earlier is None:
            break
        first = earlier
    chain = [first]
    while True:
        later = np.flatnonzero(answers.supersedes == answers.seq[chain[-1]])
        if not len(later):
            return chain
        chain.append(int(later[0]))


# Items -------------------------------------------------------------------------------------------------


def text_of(item: Item, *, most: int | None = None) -> str:
    """What an item says, in one line; cut at a word where it is longer than a list has room for.

    Examples
    --------
    >>> item = Item("p", "pair", {"text_a": "A cat.", "text_b": "A dog sleeps."})
    >>> text_of(item), text_of(item, most=20)
    ('A cat. — A dog sleeps.', 'A cat. — A dog …')
    """
    text = " — ".join(texts_of(item))
    if most is None or len(text) <= most:
        return text
    return (text[:most].rpartition(" ")[0] or text[:most]) + " …"


def texts_of(item: Item) -> list[str]:
    """All that an item says."""
    content = item.content
    if "members" in content:
        return [" / ".join(str(one[name]) for name in _TEXTS if name in one) for one in content["members"]]
    return [str(content[name]) for name in _TEXTS if name in content]


_TEXTS = ("title", "prompt", "text", "text_a", "text_b", "before", "after", "image")


# Charts ------------------------------------------------------------------------------------------------


def activity(at: np.ndarray[Any, Any], *, most: int = 30, words: Translate = ENGLISH) -> tuple[list[Bar], str]:
    """Answers per day, or per hour where all came within two days; and which of the two."""
    if not len(at):
        return [], "day"
    first, last = moment(float(at.min())), moment(float(at.max()))
    hourly = last - first < timedelta(hours=48)
    step = 3600.0 if hourly else 86400.0
    begin = math.floor(first.timestamp() / step)
    slots = np.floor(at / step).astype(np.int64) - begin
    counts = np.bincount(slots)
    skipped = max(0, len(counts) - most)
    bars = [
        Bar(_named(moment((begin + place) * step), hourly, words), float(count))
        for place, count in enumerate(counts.tolist())
        if place >= skipped
    ]
    return bars, "hour" if hourly else "day"


def _named(at: datetime, hourly: bool, words: Translate) -> str:
    return f"{at:%H:00}" if hourly else words.day(at)


def time_bars(seconds: np.ndarray[Any, Any], *, cap: float = 60.0, bins: int = 12) -> list[Bar]:
    """How long answers took: equal spans up to `cap`, and all that took longer in the last one."""
    known = seconds[np.isfinite(seconds)]
    edges = np.linspace(0, cap, bins + 1)
    counts = np.histogram(np.minimum(known, cap), edges)[0] if len(known) else np.zeros(bins, dtype=int)
    return [
        Bar(f"{edges[place]:.0f}+" if place == bins - 1 else f"{edges[place]:.0f}", float(count))
        for place, count in enumerate(counts.tolist())
    ]

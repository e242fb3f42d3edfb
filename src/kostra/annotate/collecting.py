"""From the store to tables, at any time, without stopping the site.

What becomes of an answer may change after it was stored: it is superseded by another, discarded with its annotator,
asked again in another wording. The log knows, and `kostra.campaign.running.Running` is the one place that says what the
log means; so collecting replays the log and asks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from kostra import tables
from kostra.annotate.campaigns import first_state
from kostra.annotate.store import Store
from kostra.annotate.store_reading import judgment_rows
from kostra.annotate.wholly import replacing
from kostra.campaign.events import Event
from kostra.campaign.judged import Wordings, judgment_id
from kostra.files import format_of
from kostra.tables import ANNOTATORS, JUDGMENTS, TUPLES, Frame


@dataclass(frozen=True)
class _Replayed:
    """What the log says besides the answers themselves."""

    statuses: Mapping[int, str]
    """Number of the event → what has become of that answer."""
    annotators: Frame
    tuples: Frame
    wordings: Frame
    """Judgments that no answer is: suggestions, and what was taken from them."""


def collect(store: Store, campaign: str) -> dict[str, Frame]:
    """The answers of a campaign so far, as tables.

    ``judgments`` has every answer that was ever stored, with what has become of it and, as `seconds`, the time during
    which the item was visible in a focused window (by the server's clock where the client did not say).
    ``annotators`` has all who joined; who was stopped has the reason as a note. ``tuples`` has the tuples that an
    adaptive campaign made.
    """
    with store.reading() as connection:
        replayed, aliases = _replay(store, campaign, connection), store.aliases_in(connection, campaign)
        parts = list(judgment_parts(connection, campaign, replayed.statuses))
    judgments = anonymous(pl.concat([JUDGMENTS.empty(), *parts, replayed.wordings]), aliases)
    judgments = tables.check(judgments, JUDGMENTS, where=f"{store.where}: {campaign}")
    annotators = anonymous(replayed.annotators, aliases)
    return {"judgments": judgments, "annotators": annotators, "tuples": replayed.tuples}


def anonymous(frame: Frame, aliases: Mapping[str, str]) -> Frame:
    """A table with an annotator in it, in which whoever was erased has the name that was given instead.

    Examples
    --------
    >>> anonymous(pl.DataFrame({"annotator": ["fox", "hen"]}), {"fox": "erased-1"})["annotator"].to_list()
    ['erased-1', 'hen']
    """
    return frame.with_columns(pl.col("annotator").replace(dict(aliases))) if aliases else frame


def anybody_answered(store: Store, campaign: str, *, but: str) -> bool:
    """Whether a campaign has a judgment of anybody but one, who only tries it."""
    with store.reading() as connection:
        return any(row[_ANNOTATOR] != but for stored in judgment_rows(connection, campaign) for row in stored)


_ANNOTATOR = 5
"""Where in a row of `judgment_rows` the annotator stands."""


def collect_to(store: Store, campaign: str, path: str | Path) -> int:
    """Write the judgments of a campaign to a file, whole or not at all, and give their number.

    CSV is written in pieces, so that millions of judgments need no more memory than thousands.
    """
    if format_of(path) != "csv" or str(path) == "-" or Path(path).suffix != ".csv":
        judgments = collect(store, campaign)["judgments"]
        tables.write(judgments, path)
        return judgments.height
    count = 0
    with replacing(path) as part, part.open("wb") as stream, store.reading() as connection:
        replayed, aliases = _replay(store, campaign, connection), store.aliases_in(connection, campaign)
        as_csv(JUDGMENTS.empty()).write_csv(stream)
        for frame in chain(judgment_parts(connection, campaign, replayed.statuses), [replayed.wordings]):
            checked = tables.check(anonymous(frame, aliases), JUDGMENTS, where=f"{store.where}: {campaign}")
            as_csv(checked).write_csv(stream, include_header=False)
            count += frame.height
    return count


def as_csv(frame: Frame) -> Frame:
    """Times as `kostra.tables.write` writes them."""
    return frame.with_columns(pl.col("shown_at", "answered_at").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))


def _replay(store: Store, campaign: str, connection: sa.Connection) -> _Replayed:
    running = first_state(store, campaign)
    joined: dict[str, Event] = {}
    made: list[Event] = []
    rows: list[dict[str, object]] = []
    wordings = Wordings(running.items)
    with closing(store.log(campaign).all(connection)) as events:
        for event in events:
            running.apply(event)
            worded = wordings.row(event)
            if worded is not None:
                rows.append(worded)
            if event.kind == "joined" and event.annotator is not None:
                joined.setdefault(event.annotator, event)
            elif event.kind == "made":
                made.append(event)
    notes = {name: f"stopped: {person.stopped}" for name, person in running.people.items() if person.stopped}
    annotators = pl.DataFrame(
        [(name, event.data["kind"], event.data["role"], notes.get(name)) for name, event in joined.items()],
        schema=ANNOTATORS.dtypes,
        orient="row",
    )
    members = [
        (event.data["item"], position, member)
        for event in made
        for position, member in enumerate(event.data["members"], 1)
    ]
    return _Replayed(
        {seq: record.status for seq, record in running.records.items()},
        annotators,
        pl.DataFrame(members, schema=TUPLES.dtypes, orient="row"),
        pl.DataFrame(rows, schema=JUDGMENTS.dtypes),
    )


def judgment_parts(connection: sa.Connection, campaign: str, statuses: Mapping[int, str]) -> Iterator[Frame]:
    """The judgments whose answers have a status, in the order in which they were stored, some at a time."""
    for stored in judgment_rows(connection, campaign):
        rows = [row for row in stored if row[0] in statuses]
        yield pl.DataFrame(_judgments(rows, statuses), schema=JUDGMENTS.dtypes, orient="row")


def _judgments(rows: Sequence[Any], statuses: Mapping[int, str]) -> list[tuple[Any, ...]]:
    return [
        (
            judgment_id(seq, number), item, version, question, annotator, value, row_status(given, statuses[seq]),
            phase, block, shown_at, answered_at, seconds if focused is None else focused,
            None if old_seq is None else judgment_id(old_seq, old_number),
        )
        for (
            seq, number, item, version, question, annotator, value, given, phase, block, shown_at, answered_at,
            seconds, focused, old_seq, old_number,
        ) in rows
    ]  # fmt: skip


def row_status(given: str, became: str) -> str:
    """The status of one judgment, from what was given and what has become of the whole answer.

    Examples
    --------
    >>> row_status("impossible", "answered"), row_status("impossible", "surplus")
    ('impossible', 'surplus')
    """
    return given if became == "answered" else became

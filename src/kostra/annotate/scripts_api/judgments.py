"""Judgments as a stream, in memory that does not grow with their number."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from kostra.annotate.collecting import row_status
from kostra.annotate.desk import Desk
from kostra.annotate.hall import hall_of
from kostra.annotate.scripts_api.access import CampaignName, Reads, desk_of, read
from kostra.annotate.store import Store
from kostra.annotate.store_streaming import STREAMED, judgment_page
from kostra.campaign.judged import judgment_id
from kostra.campaign.running import Running

TOGETHER = 2_000
"""Rows that are in memory at once."""
COLUMNS = (
    "judgment", "seq", "number", "item", "version", "question", "place", "annotator", "value", "status", "phase",
    "block", "shown_at", "answered_at", "seconds", "supersedes", "revision", "language",
)  # fmt: skip
"""What is told of a judgment."""
Record = dict[str, Any]
Place = Annotated[int, Query(ge=0, le=2**62)]

_DESCRIPTION = """One judgment a line, in the order in which they were stored, as JSON objects (`ndjson`) or CSV.

To go on where a stream ended or broke off, ask again with the `seq` and `number` of the last line that came whole as
`after` and `number`. The stream ends with what was stored when it began. `status` is what has become of the answer by
now: `answered`, `impossible`, `skipped`, `superseded` (by a later answer), `surplus`, `discarded` (with its annotator);
since that may change later, a table for publication is read from the beginning. With `Accept-Encoding: gzip` the
stream is compressed."""


def add_judgments(api: APIRouter) -> None:
    """Add the stream."""
    content = {"application/x-ndjson": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}}

    @api.get(
        "/campaigns/{campaign}/judgments",
        response_class=StreamingResponse,
        description=_DESCRIPTION,
        responses={200: {"content": content, "description": "The judgments."}},
    )
    async def judgments(
        campaign: CampaignName,
        token: Reads,
        request: Request,
        after: Annotated[Place, Query(description="Only what was stored after this `seq`.")] = 0,
        number: Annotated[Place | None, Query(description="… or, of that very `seq`, after this `number`.")] = None,
        format: Annotated[Literal["ndjson", "csv"], Query(description="One form or the other.")] = "ndjson",  # noqa: A002
        limit: Annotated[Place | None, Query(description="At most so many.")] = None,
    ) -> StreamingResponse:
        desk = await desk_of(request, campaign, token)
        upto = await read(desk, lambda running: running.seq)
        begin = (after, number if number is not None else 2**31 - 1)
        rows = _pages(hall_of(request).store, desk, begin, upto, limit)
        parts: Iterator[bytes] = map(_csv if format == "csv" else _ndjson, rows)
        if format == "csv":
            parts = _with_header(parts)
        headers = {"Vary": "Accept-Encoding"}
        if _takes_gzip(request.headers.get("accept-encoding", "")):
            parts, headers["Content-Encoding"] = _gzipped(parts), "gzip"
        kind = "text/csv; charset=utf-8" if format == "csv" else "application/x-ndjson"
        return StreamingResponse(parts, media_type=kind, headers=headers)


def _pages(store: Store, desk: Desk, begin: tuple[int, int], upto: int, limit: int | None) -> Iterator[list[Record]]:
    left, aliases = limit, store.aliases(desk.campaign)
    while left is None or left > 0:
        wanted = TOGETHER if left is None else min(TOGETHER, left)
        rows = judgment_page(store, desk.campaign, after=begin, upto=upto, limit=wanted)
        if rows:
            begin = (rows[-1][0], rows[-1][1])
            statuses = desk.engine.read(_statuses({row[0] for row in rows})).result()
            yield [_record(row, statuses, aliases) for row in rows]
        if len(rows) < wanted:
            return
        left = None if left is None else left - len(rows)


def _statuses(wanted: set[int]) -> Callable[[Running], dict[int, str]]:
    return lambda running: {seq: running.records[seq].status for seq in wanted}


def _record(row: Sequence[Any], statuses: Mapping[int, str], aliases: Mapping[str, str]) -> Record:
    found = dict(zip(STREAMED, row, strict=True))
    found["judgment"] = judgment_id(found["seq"], found["number"])
    found["status"] = row_status(found["given"], statuses[found["seq"]])
    found["annotator"] = aliases.get(found["annotator"], found["annotator"])  # who was erased has another name
    if found["focused_seconds"] is not None:
        found["seconds"] = found["focused_seconds"]
    return {name: _plain(found[name]) for name in COLUMNS}


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _ndjson(records: Iterable[Record]) -> bytes:
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    return "".join(f"{encode(record)}\n" for record in records).encode()


def _csv(records: Iterable[Record]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([record[name] for name in COLUMNS] for record in records)
    return text.getvalue().encode()


def _with_header(parts: Iterator[bytes]) -> Iterator[bytes]:
    yield (",".join(COLUMNS) + "\r\n").encode()
    yield from parts


def _takes_gzip(accepted: str) -> bool:
    """Whether a client asks for it.

    Examples
    --------
    >>> _takes_gzip("br, gzip;q=0.8"), _takes_gzip("gzip;q=0"), _takes_gzip("identity")
    (True, False, False)
    """
    for part in accepted.lower().split(","):
        name, _, weight = part.strip().partition(";")
        if name.strip() == "gzip":
            return weight.strip().removeprefix("q=").strip() not in ("0", "0.0", "0.00", "0.000")
    return False


def _gzipped(parts: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(level=5, wbits=31)
    for part in parts:
        if packed := packer.compress(part):
            yield packed
    yield packer.flush()

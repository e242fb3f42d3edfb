"""Everything that was answered so far, to take home: streamed as CSV, or as Parquet."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import polars as pl
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response, StreamingResponse
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

from kostra.annotate.admin.office import Office, beside, office_of, page
from kostra.annotate.collecting import as_csv, judgment_parts
from kostra.annotate.hall import Admin
from kostra.campaign.running import Running
from kostra.tables import JUDGMENTS, Frame

FORMATS = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
PIECE = 256 * 1024


def add_download(app: FastAPI) -> None:
    """Add the page and the files."""
    office = APIRouter(prefix="/admin/{campaign}", include_in_schema=False)

    @office.get("/download")
    async def download(campaign: str, request: Request, _: Admin) -> Response:
        seen = await beside(office_of(request).watch(campaign).look)
        return page(request, "download", campaign=campaign, tab="download", seen=seen)

    @office.get("/judgments.{ending}")
    async def judgments(campaign: str, ending: str, request: Request, session: Admin) -> Response:
        if ending not in FORMATS:
            raise HTTPException(404, f'there are no judgments as "{ending}", but as {", ".join(FORMATS)}')
        hall, now = office_of(request).hall, office_of(request).hall.now()
        statuses = await beside(office_of(request).watch(campaign).read, _statuses)
        data = {"format": ending}
        await beside(
            lambda: hall.store.record(
                "downloaded", campaign=campaign, actor=session.annotator, data=data, now=now
            )
        )  # fmt: skip
        name = f"{campaign}-{now:%Y%m%d-%H%M}.{ending}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        parts = _parts(office_of(request), campaign, statuses)
        if ending == "csv":
            return StreamingResponse(_csv(parts), headers=headers, media_type=FORMATS[ending])
        file = await beside(_parquet, parts)
        closing = BackgroundTask(file.close)
        return StreamingResponse(_read(file), headers=headers, media_type=FORMATS[ending], background=closing)

    app.include_router(office)


def _statuses(running: Running) -> dict[int, str]:
    return {seq: record.status for seq, record in running.records.items()}


def _parts(office: Office, campaign: str, statuses: dict[int, str]) -> Iterator[Frame]:
    """The judgments, some at a time; what came after the statuses were read is left for the next time."""
    with office.hall.store.reading() as connection:
        aliases = office.hall.store.aliases(campaign)
        for part in judgment_parts(connection, campaign, statuses):
            yield part.with_columns(pl.col("annotator").replace(aliases)) if aliases else part


def _csv(parts: Iterator[Frame]) -> Iterator[bytes]:
    yield _bytes(JUDGMENTS.empty(), header=True)
    for part in parts:
        yield _bytes(part, header=False)


def _bytes(frame: Frame, *, header: bool) -> bytes:
    stream = io.BytesIO()
    as_csv(frame).write_csv(stream, include_header=header)
    return stream.getvalue()


def _parquet(parts: Iterator[Frame]) -> io.BufferedRandom:
    """A file without a name, so that it is gone when it is closed; never more than a part of it is in memory."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been sent
    with tempfile.TemporaryDirectory(prefix="kostra-") as folder:
        for number, part in enumerate(chain([JUDGMENTS.empty()], parts)):
            part.write_parquet(Path(folder, f"{number:06d}.parquet"))
        pl.scan_parquet(folder).sink_parquet(file)
    file.seek(0)
    return file


def _read(file: io.BufferedRandom) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece

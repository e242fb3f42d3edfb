"""Whether the site is well, and what it counts: for those who run it, and for the programs that watch it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from kostra.annotate.guard import is_loopback
from kostra.annotate.hall import Hall, hall_of
from kostra.annotate.operations.metrics import exposition
from kostra.annotate.store import Store
from kostra.campaign.running import Running

PATIENCE = 5.0
"""Seconds after which a store that does not answer counts as away."""
Gauge = tuple[str, Mapping[str, str], float]


def add_operations(app: FastAPI) -> None:
    """Add what watches over the site."""
    began = time.monotonic()

    @app.get("/health/ready", include_in_schema=False)
    async def ready(request: Request) -> Response:
        """Whether answers would be stored: the store is asked, and every campaign's writer."""
        hall = hall_of(request)
        checks = {"store": asyncio.to_thread(_asked, hall.store)} | {
            f"campaign {name}": asyncio.wrap_future(desk.engine.read(lambda running: running.seq))
            for name, desk in hall.desks.items()
        }
        results = await asyncio.gather(
            *(asyncio.wait_for(one, PATIENCE) for one in checks.values()), return_exceptions=True
        )
        wrong = [name for name, result in zip(checks, results, strict=True) if isinstance(result, BaseException)]
        # What is wrong stands in the log: this page may be seen by anybody.
        return JSONResponse({"status": "away" if wrong else "ready", "wrong": wrong}, 503 if wrong else 200)

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        """What the site counts, for Prometheus: on this machine, or with a token."""
        await _may_watch(request)
        hall = hall_of(request)
        gauges = [("kostra_up_seconds", {}, time.monotonic() - began), *await _gauges(hall)]
        text = exposition(request.app.state.counters.all(), gauges)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def _asked(store: Store) -> int:
    with store.connected() as connection:
        return int(connection.exec_driver_sql("SELECT 1").scalar() or 0)


async def _may_watch(request: Request) -> None:
    """Refuse strangers: what is counted tells how a campaign goes."""
    if is_loopback(request.scope) and not request.app.state.doors.behind:
        return
    hall = hall_of(request)
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    told = kind.lower() == "bearer" and token
    if told and await asyncio.to_thread(hall.store.api_token, token.strip(), hall.now()) is not None:
        return
    raise HTTPException(
        403, "only with a token (kostra token), or on the machine itself where no proxy stands before it"
    )


async def _gauges(hall: Hall) -> list[Gauge]:
    now = hall.now()
    found: list[Gauge] = []
    for name, desk in list(hall.desks.items()):
        counted = await asyncio.wrap_future(desk.engine.read(lambda running: _counted(running, now)))
        found += [(metric, {"campaign": name, **labels}, value) for metric, labels, value in counted]
        found.append(("kostra_waiting_commands", {"campaign": name}, desk.engine.waiting))
    return found


def _counted(running: Running, now: datetime) -> list[Gauge]:
    return list(_campaign_gauges(running, now))


def _campaign_gauges(running: Running, now: datetime) -> Iterator[Gauge]:
    people: Any = running.people.values()
    for status, count in sorted(Counter(record.status for record in running.records.values()).items()):
        yield "kostra_answers", {"status": status}, count
    stopped = sum(1 for person in people if person.stopped)
    yield "kostra_annotators", {"state": "stopped"}, stopped
    yield "kostra_annotators", {"state": "open"}, len(running.people) - stopped
    leases = (person.lease for person in people)
    yield "kostra_leases", {}, sum(1 for lease in leases if lease is not None and lease.until > now)
    yield "kostra_log_entries", {}, running.seq

"""The pages of the office that only show something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.responses import Response
from markupsafe import Markup
from starlette.exceptions import HTTPException

from kostra.annotate.admin import charts, people, views
from kostra.annotate.admin.checks import Point
from kostra.annotate.admin.findings import Asked, Findings
from kostra.annotate.admin.office import Office, beside, office_of, page
from kostra.annotate.admin.progress import State, item_state, listed, people_states, person_state, state_of
from kostra.annotate.admin.watch import Seen, Watch
from kostra.annotate.hall import Admin
from kostra.annotate.languages import Translate

Text = Annotated[str, Query(max_length=300)]
Number = Annotated[int, Query(ge=0, le=2**62)]


def add_admin_pages(app: FastAPI) -> None:
    """Add the pages to the site."""
    office = APIRouter(prefix="/admin", include_in_schema=False)

    @office.get("")
    async def overview(request: Request, _: Admin) -> Response:
        shown = await beside(_overview, office_of(request))
        return page(request, "overview", shown=shown)

    @office.get("/audit-log")  # a campaign cannot have a hyphen in its name
    async def audit(request: Request, _: Admin, campaign: Text = "", before: Number | None = None) -> Response:
        store = office_of(request).hall.store
        rows = await beside(lambda: store.recorded(campaign or None, before=before, limit=views.PER_PAGE + 1))
        older = rows[views.PER_PAGE - 1].number if len(rows) > views.PER_PAGE else None
        campaigns = list(office_of(request).hall.desks)
        return page(
            request, "audit", tab="audit", rows=rows[: views.PER_PAGE], older=older, chosen=campaign,
            campaigns=campaigns,
        )  # fmt: skip

    @office.get("/{campaign}")
    async def progress(campaign: str, request: Request, _: Admin) -> Response:
        shown = await beside(_campaign, office_of(request), campaign)
        return page(request, "campaign", campaign=campaign, tab="", **shown)

    @office.get("/{campaign}/items")
    async def items(
        campaign: str, request: Request, _: Admin, phase: Text = "", q: Text = "", only: Text = "", at: Number = 0
    ) -> Response:
        shown = await beside(_items, office_of(request), campaign, phase, q, only, at)
        return page(request, "items", campaign=campaign, tab="items", q=q, only=only, **shown)

    @office.get("/{campaign}/item")
    async def one_item(campaign: str, request: Request, _: Admin, item: Text) -> Response:
        shown = await beside(_item, office_of(request), campaign, item)
        return page(request, "item", campaign=campaign, tab="items", **shown)

    @office.get("/{campaign}/agreement")
    async def agreement(campaign: str, request: Request, _: Admin) -> Response:
        shown = await beside(_agreement, office_of(request), campaign)
        return page(request, "agreement", campaign=campaign, tab="agreement", **shown)

    @office.get("/{campaign}/disagreement")
    async def disagreement(campaign: str, request: Request, _: Admin, asked: Text = "", at: Number = 0) -> Response:
        shown = await beside(_disagreement, office_of(request), campaign, asked, at)
        return page(request, "disagreement", campaign=campaign, tab="disagreement", **shown)

    @office.get("/{campaign}/people")
    async def everybody(
        campaign: str,
        request: Request,
        _: Admin,
        sort: Text = "flags",
        asked: Text = "",
        q: Text = "",
        only: Text = "",
        at: Number = 0,
    ) -> Response:
        shown = await beside(_people, office_of(request), campaign, sort, asked, q, only, at)
        return page(request, "people", campaign=campaign, tab="people", q=q, only=only, **shown)

    @office.get("/{campaign}/person")
    async def person(campaign: str, request: Request, _: Admin, name: Text) -> Response:
        shown = await beside(_person, office_of(request), campaign, name)
        return page(request, "person", campaign=campaign, tab="people", **shown)

    @office.get("/{campaign}/answers")
    async def answers(
        campaign: str, request: Request, _: Admin, before: Number | None = None, who: Text = "", status: Text = ""
    ) -> Response:
        shown = await beside(_answers, office_of(request), campaign, before, who, status)
        return page(request, "answers", campaign=campaign, tab="answers", who=who, status_chosen=status, **shown)

    @office.get("/{campaign}/answer")
    async def answer(campaign: str, request: Request, _: Admin, seq: Number) -> Response:
        shown = await beside(_answer, office_of(request), campaign, seq)
        return page(request, "answer", campaign=campaign, tab="answers", **shown)

    @office.get("/{campaign}/reports")
    async def reports(campaign: str, request: Request, _: Admin) -> Response:
        shown = await beside(_reports, office_of(request), campaign)
        return page(request, "reports", campaign=campaign, tab="reports", **shown)

    app.include_router(office)


# All campaigns, and one ----------------------------------------------------------------------------------------


def _overview(office: Office) -> list[dict[str, Any]]:
    return [_summary(office, campaign) for campaign in office.hall.desks]


def _summary(office: Office, campaign: str) -> dict[str, Any]:
    watch, now = office.watch(campaign), office.hall.now()
    state = watch.read(lambda running: state_of(running, now))
    seen = watch.look()
    findings = watch.findings(seen)
    main = next(iter(findings.agreement.items()), None) if findings is not None else None
    return {"name": campaign, "title": office.site(campaign).title, "state": state, "agreement": main}


def _campaign(office: Office, campaign: str) -> dict[str, Any]:
    watch, now = office.watch(campaign), office.hall.now()
    state = watch.read(lambda running: state_of(running, now))
    seen = watch.look()
    findings = watch.findings(seen)
    answers = seen.answers
    day = answers.at >= now.timestamp() - 86400
    words = office.site(campaign).words
    return {
        "state": state,
        "seen": seen,
        "findings": findings,
        "today": int(day.sum()),
        "at_work": len(np.unique(answers.who[day])),
        "hours": float(np.minimum(np.nan_to_num(answers.seconds), people.LONGEST).sum()),
        "chart": _over_time(answers.at, words),
        "overlaps": _overlaps(state, words),
        "given": answers.count,
    }


def _over_time(at: np.ndarray[Any, Any], words: Translate) -> Markup:
    """Answers per day or hour as a chart; nothing where there are none."""
    if not len(at):
        return Markup("")
    bars, unit = views.activity(at, words=words)
    hourly = unit == "hour"
    title = words("Answers per hour") if hourly else words("Answers per day")
    x_label = words("hour") if hourly else words("day")
    return charts.bars(
        bars, title=title, text=_said(bars, words), x_label=x_label, y_label=words("answers"), words=words
    )


def _overlaps(state: State, words: Translate) -> dict[str, Any]:
    """Phase → the answers promised to each item, and a chart of how many items have how many."""
    drawn = {}
    for phase in state.phases:
        histogram = np.zeros(max((len(block.histogram) for block in phase.pools), default=0), dtype=np.int64)
        for block in phase.pools:
            histogram[: len(block.histogram)] += block.histogram
        if len(histogram):
            goal = max(block.overlap for block in phase.pools)
            bars = [charts.Bar(str(n), float(count), n == goal) for n, count in enumerate(histogram.tolist())]
            chart = charts.bars(
                bars, title=words("Answers per item in {phase}", phase=phase.name), text=_said(bars, words),
                x_label=words("accepted answers"), y_label=words("items"), words=words,
            )  # fmt: skip
            drawn[phase.name] = (goal, chart)
    return drawn


# Items -------------------------------------------------------------------------------------------------------


def _items(office: Office, campaign: str, phase: str, q: str, only: str, at: int) -> dict[str, Any]:
    watch, now = office.watch(campaign), office.hall.now()
    phases = watch.read(lambda running: [run.name for run in running.phases.values() if run.pools])
    chosen = phase if phase in phases else (phases[0] if phases else "")
    if not chosen:
        return {"phases": phases, "phase": "", "rows": [], "total": 0, "at": 0, "step": views.PER_PAGE}
    found = watch.read(lambda running: listed(running, chosen, now))
    wanted = np.ones(len(found.items), dtype=np.bool_)
    if only == "lacking":
        wanted = found.accepted < found.overlap
    elif only == "complete":
        wanted = found.accepted >= found.overlap
    elif only == "held":
        wanted = found.leased > 0
    if q:
        word = q.casefold()
        for place in np.flatnonzero(wanted).tolist():
            item = found.items[place]
            wanted[place] = word in item.item.casefold() or word in views.text_of(item).casefold()
    order = np.flatnonzero(wanted)
    order = order[np.argsort(found.accepted[order], kind="stable")]
    rows = [
        {
            "item": found.items[place].item,
            "text": views.text_of(found.items[place], most=300),
            "accepted": int(found.accepted[place]),
            "leased": int(found.leased[place]),
            "overlap": found.overlap,
        }
        for place in order[at : at + views.PER_PAGE].tolist()
    ]
    return {"phases": phases, "phase": chosen, "rows": rows, "total": len(order), "at": at, "step": views.PER_PAGE}


def _item(office: Office, campaign: str, item: str) -> dict[str, Any]:
    watch, store, now = office.watch(campaign), office.hall.store, office.hall.now()
    state = watch.read(lambda running: item_state(running, item, now))
    if state is None:
        raise HTTPException(404, "there is no such item in this campaign")
    seen = watch.look()
    answers = seen.answers
    places: list[int] = []
    if item in answers.items:
        places = np.flatnonzero(answers.item == answers.items.index(item))[::-1][:500].tolist()
    names = views.Aliases(store.aliases(campaign))
    held = [(phase, names.shown(who)) for phase, who in state.held_by]
    problems = [event for event in answers.told if event.kind == "problem" and event.data.get("item") == item]
    return {
        "state": state,
        "item": state.item,
        "texts": views.texts_of(state.item),
        "rows": views.answer_rows(store, campaign, answers, places),
        "held": held,
        "problems": problems,
        "seen": seen,
    }


# Agreement -----------------------------------------------------------------------------------------------------


def _agreement(office: Office, campaign: str) -> dict[str, Any]:
    watch = office.watch(campaign)
    seen = watch.look()
    findings = watch.findings(seen)
    words = office.site(campaign).words
    shown = []
    for asked, estimate in (findings.agreement if findings is not None else {}).items():
        points = findings.history.get(asked, ()) if findings is not None else ()
        name = words("split-half") if asked.kind == "best_worst" else words("Krippendorff’s α")
        drawn = _history(points, name, f"{name}: {asked.question}, {asked.phase}", words)
        shown.append({"asked": asked, "name": name, "estimate": estimate, "chart": drawn})
    checks = {"gold": "", "repeats": ""}
    if findings is not None:
        checks["gold"] = _history(findings.gold_history, words("answered rightly"), words("Gold questions"), words)
        checks["repeats"] = _history(findings.repeats_history, words("answered as before"), words("Repeats"), words)
    return {"seen": seen, "findings": findings, "shown": shown, "charts": checks}


def _history(points: Sequence[Point], name: str, title: str, words: Translate) -> str:
    """A figure over time, as soon as it has a history."""
    if len(points) < 2:
        return ""
    return charts.line(
        [charts.Dot(one.at, one.value, one.low, one.high) for one in points],
        title=title,
        text="; ".join(f"{words.moment(one.at)}: {words.number(one.value, 2)}" for one in points),
        x_label=words("day") if points[-1].at - points[0].at > timedelta(days=2) else words("Time"),
        y_label=name,
        words=words,
    )


def _disagreement(office: Office, campaign: str, asked: str, at: int) -> dict[str, Any]:
    watch = office.watch(campaign)
    seen = watch.look()
    findings = watch.findings(seen)
    chosen, choices = _chosen(findings, asked)
    rows = list(findings.disputed.get(chosen, ())) if findings is not None and chosen is not None else []
    page_of = rows[at : at + views.PER_PAGE]

    def texts(running: Any) -> dict[str, str]:
        return {
            row.item: views.text_of(running.items[row.item], most=300) for row in page_of if row.item in running.items
        }

    return {
        "seen": seen,
        "findings": findings,
        "chosen": chosen,
        "choices": choices,
        "rows": page_of,
        "texts": watch.read(texts),
        "total": len(rows),
        "at": at,
        "step": views.PER_PAGE,
    }


def _chosen(findings: Findings | None, name: str) -> tuple[Asked | None, list[tuple[str, Asked]]]:
    """A question by its name in an address; the last one if there is no such."""
    choices = [(f"{one.phase}.{one.question}", one) for one in (findings.agreement if findings is not None else ())]
    found = dict(choices).get(name)
    return found or (choices[-1][1] if choices else None), choices


# People --------------------------------------------------------------------------------------------------------


def _people(office: Office, campaign: str, sort: str, asked: str, q: str, only: str, at: int) -> dict[str, Any]:
    watch = office.watch(campaign)
    seen, findings, rows, chosen, choices, protocol = _rows(office, watch, asked)
    if q:
        rows = [row for row in rows if q.casefold() in row.shown.casefold()]
    if only == "flagged":
        rows = [row for row in rows if row.reasons]
    elif only == "stopped":
        rows = [row for row in rows if row.state.stopped]
    sort = sort if sort in people.SORTS else "flags"
    rows.sort(key=people.SORTS[sort])
    return {
        "seen": seen,
        "findings": findings,
        "rows": rows[at : at + people.PER_PAGE],
        "total": len(rows),
        "at": at,
        "step": people.PER_PAGE,
        "sort": sort,
        "chosen": chosen,
        "choices": choices,
        "currency": protocol.pay.currency if protocol.pay is not None else None,
    }


def _rows(office: Office, watch: Watch, asked: str) -> tuple[Seen, Findings | None, Any, Asked | None, Any, Any]:
    states, protocol = watch.read(lambda running: (people_states(running), running.campaign))
    seen = watch.look()
    findings = watch.findings(seen)
    chosen, choices = _chosen(findings, asked)
    names = views.Aliases(office.hall.store.aliases(watch.campaign))
    rows = people.person_rows(states, seen.answers, findings, chosen, protocol, names)
    return seen, findings, rows, chosen, choices, protocol


def _person(office: Office, campaign: str, name: str) -> dict[str, Any]:
    watch, store = office.watch(campaign), office.hall.store
    names = views.Aliases(store.aliases(campaign))
    real = names.real(name)
    state, protocol = watch.read(lambda running: (person_state(running, real), running.campaign))
    if state is None:
        raise HTTPException(404, "nobody of that name takes part in this campaign")
    seen = watch.look()
    findings, answers = watch.findings(seen), seen.answers
    row = people.person_rows([state], answers, findings, None, protocol, names)[0]
    mine = np.flatnonzero(answers.who == (answers.people.index(real) if real in answers.people else -1))
    words = office.site(campaign).words
    times = views.time_bars(answers.seconds[mine])
    agreements = [
        (asked, known[real])
        for asked, known in (findings.people if findings is not None else {}).items()
        if real in known
    ]
    told = [event for event in answers.told if event.annotator == real]
    return {
        "state": state,
        "row": row,
        "seen": seen,
        "agreements": agreements,
        "currency": protocol.pay.currency if protocol.pay is not None else None,
        "rows": views.answer_rows(store, campaign, answers, mine[::-1][:20].tolist()),
        "told": told,
        "activity": _over_time(answers.at[mine], words),
        "times": charts.bars(
            times, title=words("Seconds per answer"), text=_said(times, words), x_label=words("seconds"),
            y_label=words("answers"), words=words,
        ) if len(mine) else "",
    }  # fmt: skip


def _said(bars: list[charts.Bar], words: Translate) -> str:
    return "; ".join(f"{bar.name}: {words.number(bar.value)}" for bar in bars[-15:])


# Answers -------------------------------------------------------------------------------------------------------


def _answers(office: Office, campaign: str, before: int | None, who: str, status: str) -> dict[str, Any]:
    watch, store = office.watch(campaign), office.hall.store
    seen = watch.look()
    real = views.Aliases(store.aliases(campaign)).real(who)
    places = views.stream(seen.answers, before=before, who=real, status=status).tolist()
    rows = views.answer_rows(store, campaign, seen.answers, places[: views.PER_PAGE])
    return {"seen": seen, "rows": rows, "older": rows[-1].seq if len(places) > views.PER_PAGE else None}


def _answer(office: Office, campaign: str, seq: int) -> dict[str, Any]:
    watch, store = office.watch(campaign), office.hall.store
    answers = watch.look().answers
    place = answers.place(seq)
    if place is None:
        raise HTTPException(404, "there is no such answer in this campaign")
    chain = views.chain_of(answers, place)
    rows = views.answer_rows(store, campaign, answers, chain)
    own = next(row for row in rows if row.seq == seq)
    who = answers.people[int(answers.who[place])]
    changes = [
        event
        for event in answers.told
        if event.seq > rows[0].seq
        and ((event.annotator == who and event.kind in ("stopped", "readmitted")) or _reworded(event, own.data))
    ]
    item = watch.read(lambda running: running.items.get(own.item))
    return {"row": own, "rows": rows, "changes": changes, "item": item, "texts": views.texts_of(item) if item else []}


def _reworded(event: Any, data: Any) -> bool:
    return bool(event.kind == "corrected" and event.data.get("item") == data["item"])


# Reports ---------------------------------------------------------------------------------------------------------


def _reports(office: Office, campaign: str) -> dict[str, Any]:
    watch, store = office.watch(campaign), office.hall.store
    seen = watch.look()
    names = views.Aliases(store.aliases(campaign))
    told = [(names.shown(event.annotator or ""), event) for event in seen.answers.told]
    decided = {event.data["suggestion"]: event for _, event in told if event.kind == "decided"}
    problems = [one for one in told if one[1].kind == "problem"][::-1]
    suggestions = [one for one in told if one[1].kind == "suggested"][::-1]
    return {
        "problems": problems[:200],
        "problem_count": len(problems),
        "suggestions": suggestions[:200],
        "suggestion_count": len(suggestions),
        "decided": decided,
    }

"""What the pages of the office share: the campaigns that are watched, and how a page is made."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from kostra.annotate import rendering
from kostra.annotate.admin import sayings
from kostra.annotate.admin.watch import Watch
from kostra.annotate.hall import Hall
from kostra.annotate.languages import Translate
from kostra.annotate.languages.choosing import words_for
from kostra.annotate.languages.formats import NOTHING
from kostra.annotate.rendering import Site
from kostra.errors import KostraError
from kostra.recipe import RECIPE_FILE, Step, read_recipe

T = TypeVar("T")

TABS = (
    ("", "Progress"),
    ("items", "Items"),
    ("agreement", "Agreement"),
    ("disagreement", "Disagreement"),
    ("people", "People"),
    ("answers", "Answers"),
    ("reports", "Reports"),
    ("messages", "Messages"),
    ("invitations", "Invitations"),
    ("download", "Download"),
)
"""The pages of a campaign: the end of the address, and the name."""
NAMES_TAB = ("names", "Names")
"""The page on which names are grouped: `kostra.annotate.grouping`."""
GROUPS_NAMES = "analysis/name_groups"
"""The component whose decisions that page writes."""

DONE = {
    "paused": "Done: the campaign is paused.",
    "resumed": "The campaign goes on.",
    "excluded": "Excluded. Their answers are discarded and their items are free; this can be undone.",
    "readmitted": "Readmitted. Their answers count again, as far as there is still room.",
    "freed": "Freed: others may get it now.",
    "reassigned": "Given: it comes before anything else.",
    "extended": "The deadline is put off.",
    "sent": "The message is sent.",
    "withdrawn": "The invitation is withdrawn.",
}
"""What a page says after an act."""


class Office:
    """All that is watched in this process."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self._watches: dict[str, Watch] = {}
        self._lock = Lock()
        self._beside: ThreadPoolExecutor | None = None

    def watch(self, campaign: str) -> Watch:
        """Whoever watches a campaign; 404 if there is none of that name."""
        found = self._watches.get(campaign)
        if found is not None:
            return found
        with self._lock:
            if campaign not in self._watches:
                try:
                    desk = self.hall.desks[campaign]
                except KeyError:
                    raise HTTPException(404, "there is no such campaign here") from None
                if self._beside is None:
                    self._beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="office")
                self._watches[campaign] = Watch(self.hall.store, desk.engine, campaign, self._beside)
            return self._watches[campaign]

    def site(self, campaign: str | None = None) -> Site:
        """The texts around a campaign, or around all of them."""
        desks = self.hall.desks
        desk = desks[campaign] if campaign is not None else next(iter(desks.values()), None)
        return desk.site if desk is not None else Site("kostra", words_for())

    def further(self, campaign: str) -> dict[str, Any]:
        """The tabs of a campaign's pages, and whether whoever runs it is asked something too: as its recipe says."""
        steps = _steps(self.hall.desks[campaign].project / RECIPE_FILE)
        named = any(step.use == GROUPS_NAMES and campaign in step.reads for step in steps)
        phases = next((step.options.get("phases", ()) for step in steps if step.name == campaign), ())
        return {
            "tabs": (*TABS, NAMES_TAB) if named else TABS,
            "asked_too": any(isinstance(phase, dict) and phase.get("role") == "admin" for phase in phases),
        }


def _steps(path: Path) -> tuple[Step, ...]:
    """The steps of a recipe; none where there is no recipe, or one that somebody is just changing."""
    try:
        return _read_steps(path, path.stat().st_mtime_ns)
    except (OSError, KostraError):
        return ()


@lru_cache(maxsize=8)
def _read_steps(path: Path, _: int) -> tuple[Step, ...]:
    return tuple(read_recipe(path).steps)


def office_of(request: Request) -> Office:
    """The office of the application that a request came to."""
    office: Office = request.app.state.office
    return office


async def beside(function: Callable[..., T], *arguments: Any) -> T:
    """Do something that reads the store, while others are served."""
    return await asyncio.to_thread(function, *arguments)


def page(
    request: Request,
    template: str,
    *,
    campaign: str | None = None,
    tab: str | None = None,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """A page of the office."""
    office = office_of(request)
    site = office.site(campaign)
    shared: Mapping[str, Any] = {
        "campaign": campaign,
        "tab": tab,
        **(office.further(campaign) if campaign is not None else {}),
        "show": Show(site.words),
        "now": office.hall.now(),
        "done": DONE.get(request.query_params.get("done", ""), ""),
        "wide": True,
    }
    return HTMLResponse(rendering.render(f"admin/{template}.html", site, **{**shared, **values}), status)


class Show:
    """Numbers and times as people read them in their language.

    Examples
    --------
    >>> show = Show(Translate())
    >>> show.count(12345), show.figure(-0.1234), show.share(0.123), show.count(None), show.figure(math.nan)
    ('12,345', '−0.12', '12%', '–', '–')
    """

    def __init__(self, words: Translate) -> None:
        self._words = words

    def count(self, number: float | None) -> str:
        """A whole number."""
        return self._words.number(number)

    def figure(self, number: float | None, places: int = 2) -> str:
        """A figure with its sign."""
        return self._words.number(number, places)

    def share(self, number: float | None) -> str:
        """A share in per cent."""
        return self._words.share(number)

    def time(self, at: datetime | None) -> str:
        """A moment, to the minute."""
        return self._words.moment(at)

    def said(self, text: str) -> str:
        """What a statistic says, see `kostra.annotate.admin.sayings`."""
        return sayings.said(text, self._words)

    def ago(self, at: datetime | None, now: datetime) -> str:
        """How long ago something was."""
        if at is None:
            return NOTHING
        words = self._words
        return words("{span} ago", span=self.span(max((now - at).total_seconds(), 0)))

    def span(self, seconds: float | None) -> str:
        """A length of time, in its largest unit.

        Examples
        --------
        >>> show = Show(Translate())
        >>> show.span(7.3), show.span(90), show.span(5400), show.span(400_000), show.span(None)
        ('7 s', '2 min', '1.5 h', '5 d', '–')
        """
        words = self._words
        if seconds is None or not math.isfinite(seconds):
            return NOTHING
        if seconds < 60:
            return words("{count} s", count=words.number(seconds))
        if seconds < 3600:
            return words("{count} min", count=words.number(seconds / 60))
        if seconds < 2 * 86400:
            hours = seconds / 3600
            return words("{count} h", count=words.number(hours, 1 if hours < 10 and hours % 1 >= 0.05 else 0))
        return words("{count} d", count=words.number(seconds / 86400))

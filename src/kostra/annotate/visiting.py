"""One annotator at a running site, over HTTP, as a browser would: comes by the invitation, answers, goes, returns.

What is promised to the site is kept: an answer has one key, made once, and is sent again under that key until the site
says what became of it, however often the connection breaks.
"""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from kostra.campaign.items import Item
from kostra.campaign.material import item_from_json
from kostra.errors import KostraError

Answering = Callable[[str, Item, str], Mapping[str, Any]]
"""Annotator, item and phase → what is sent: question → value."""

PATIENCE = 60.0
"""Seconds for which a request that gets no answer is sent again."""
WAITS = 20
"""How often somebody who is told to wait for others looks again."""
_LONGEST_DELAY = 1.0
_REFUSALS = 3
"""Refused answers in a row after which an annotator gives up: the next would be refused as well."""


@dataclass(frozen=True)
class Acknowledged:
    """An answer that the site has confirmed."""

    key: str
    annotator: str
    phase: str
    item: str
    version: int
    status: str
    seconds: float
    """From the first sending to the confirmation."""
    resent: int = 0
    """How often it was sent again."""


@dataclass(frozen=True)
class Refused:
    """An answer that the site did not take, and why."""

    annotator: str
    phase: str
    item: str
    reason: str


class LostError(KostraError):
    """The site could not be reached for a long time."""


@dataclass(frozen=True)
class Reply:
    """What the site answered."""

    status: int
    data: Any
    cookie: str | None = None
    resent: int = 0


class Client:
    """A connection to a site, kept open; what gets no answer is sent again.

    Parameters
    ----------
    url
        The site's address.
    patience
        Seconds after which it gives up.
    bearer
        The token of a script, for whoever is no annotator.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float = PATIENCE,
        timeout: float = 30.0,
        stop: threading.Event | None = None,
        bearer: str = "",
    ) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KostraError("this is not the address of a site", where=url, accepted="http://host:port")
        self.url = url
        self.cookie: str | None = None
        self.csrf = ""
        self._prefix = parts.path.rstrip("/")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)
        self._patience = patience
        self._stop = stop or threading.Event()
        self._bearer = bearer

    def join(self, token: str) -> None:
        """Come in by an invitation."""
        reply = self.ask("GET", f"/join/{quote(token, safe='')}")
        if reply.status != 303 or reply.cookie is None:
            raise KostraError(f"the invitation was not accepted: the site said {reply.status}", where=self.url)
        self.cookie = reply.cookie
        self.csrf = self.ask("GET", "/api/v1/session").data["csrf"]

    def ask(self, method: str, path: str, body: Any = None, *, html: bool = False) -> Reply:
        """Send a request until it is answered by anything but a failure of the server.

        Raises
        ------
        LostError
            If that takes too long.
        """
        began, delay, resent = time.monotonic(), 0.02, 0
        while True:
            try:
                reply = self._ask(method, path, body, html)
                if reply.status < 500:
                    return Reply(reply.status, reply.data, reply.cookie, resent)
                why = f"it answers {reply.status}"
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                why = str(error) or type(error).__name__
            if time.monotonic() - began > self._patience or self._stop.wait(delay):
                raise LostError(f"the site cannot be reached: {why}", where=self.url)
            delay, resent = min(2 * delay, _LONGEST_DELAY), resent + 1

    def _ask(self, method: str, path: str, body: Any, html: bool) -> Reply:
        headers = {"Accept": "application/json"}
        if self.cookie is not None:
            headers |= {"Cookie": self.cookie, "X-Kostra-Csrf": self.csrf}
        if self._bearer:
            headers["Authorization"] = f"Bearer {self._bearer}"
        if html:
            headers["X-Kostra-Html"] = "1"
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        self._connection.request(method, self._prefix + path, content, headers)
        response = self._connection.getresponse()
        text = response.read()
        set_cookie = response.getheader("Set-Cookie")
        is_json = (response.getheader("Content-Type") or "").startswith("application/json")
        data = json.loads(text) if is_json else text.decode(errors="replace")
        return Reply(response.status, data, set_cookie.partition(";")[0] if set_cookie else None)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


@dataclass
class Someone:
    """One annotator, who may come to the site, go, and come again.

    The browser keeps the session, and the page that was left open: whoever comes back answers what stands there, unless
    they load the page anew.
    """

    name: str
    token: str
    """Of the invitation."""
    client: Client
    answers: Answering
    acknowledge: Callable[[Acknowledged], None]
    think: Callable[[str], float] = lambda _: 0.0
    waits: int = WAITS
    wait_seconds: float = 0.5
    stop: threading.Event = field(default_factory=threading.Event)
    refused: list[Refused] = field(default_factory=list)
    place: Mapping[str, Any] | None = None
    """What stood on the screen last."""
    _last: Mapping[str, Any] | None = None
    _in_a_row: int = 0

    def come(self, *, by_link: bool = True) -> None:
        """Come in by the invitation and load the page; or, without the link, to the page that was left open."""
        if by_link or self.client.cookie is None:
            self.client.join(self.token)
            self.place = None

    def sit(self, most: int | None = None) -> str:
        """Answer until there is a reason to go, and give the reason.

        Parameters
        ----------
        most
            Answers after which to go: the page with the next item is left open.
        """
        left_open = self.place is not None and self.place["kind"] == "show"
        place, waited, given = self.place if self.place and left_open else self._next(), 0, 0
        while not self.stop.is_set():
            self.place = place
            if place["kind"] == "show":
                if most is not None and given >= most:
                    return "enough"
                found = self._answer(place)
                place, waited, given = found or self._next(), 0, given + (found is not None)
                if self._in_a_row >= _REFUSALS:
                    return "refused"
            elif place["kind"] == "waiting" or (place["kind"] == "pause" and self._soon(place)):
                waited += 1
                if waited > self.waits:
                    return str(place["kind"])
                self.stop.wait(self.wait_seconds)
                place = self._next()
            else:
                return str(place["kind"])
        return "interrupted"

    def send_again(self, key: str | None = None) -> Reply:
        """Send the last answer once more, as after a lost reply; or under another key, as from a second window."""
        if self._last is None:
            raise ValueError("nothing was sent yet")
        return self.client.ask("POST", "/api/v1/answers", {**self._last, "key": key or self._last["key"]})

    def change_mind(self) -> bool:
        """Go back to the last answer, where that may be: it stands on the screen, to be given again."""
        reply = self.client.ask("POST", "/api/v1/undo")
        if reply.status == 409:
            return False
        self.place = self._place(reply)
        return True

    def _next(self) -> Mapping[str, Any]:
        return self._place(self.client.ask("POST", "/api/v1/next"))

    def _place(self, reply: Reply) -> Mapping[str, Any]:
        if reply.status != 200:
            raise KostraError(f"the site said {reply.status}: {reply.data}")
        place: Mapping[str, Any] = reply.data["place"]
        return place

    def _soon(self, place: Mapping[str, Any]) -> bool:
        """Whether a pause ends while one may wait for it."""
        if "until" not in place:
            return False
        left = (datetime.fromisoformat(place["until"]) - datetime.now(UTC)).total_seconds()
        return left <= self.waits * self.wait_seconds

    def _answer(self, place: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Send an answer; where to go on, if the site has taken it."""
        item, phase = item_from_json(place["item"]), str(place["phase"])
        given = dict(self.answers(self.name, item, phase))
        seconds = self.think(self.name)
        if seconds > 0 and self.stop.wait(seconds):
            return None
        key = secrets.token_urlsafe(16)
        body = {"phase": phase, "item": item.item, "version": item.version, "answers": given, "key": key}
        if seconds > 0:
            body["seconds"] = round(seconds, 3)
        began = time.monotonic()
        reply = self.client.ask("POST", "/api/v1/answers", body)
        took = time.monotonic() - began
        if reply.status in (409, 422):
            self.refused.append(Refused(self.name, phase, item.item, json.dumps(reply.data, ensure_ascii=False)))
            self._in_a_row += 1
            return None
        found = self._place(reply)
        self._in_a_row, self._last = 0, body
        status = reply.data["status"]
        self.acknowledge(Acknowledged(key, self.name, phase, item.item, item.version, status, took, reply.resent))
        return found

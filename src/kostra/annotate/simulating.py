"""Simulated annotators at a running site: they come in by their invitation links and answer over HTTP, as people do.

They keep the promise on which the site relies: an answer has one key, made once, and is sent again under that key
until the site says what became of it, however often the connection breaks. So what they report as acknowledged is what
the store must hold, once.
"""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np

from kostra.campaign.items import Item
from kostra.campaign.material import item_from_json
from kostra.campaign.pools import personal_rng
from kostra.campaign.protocol import Campaign
from kostra.campaign.simulated import SimulatedAnnotator, Truth, answers_for, as_given
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


@dataclass
class Report:
    """What became of a simulation."""

    acknowledged: list[Acknowledged] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    ends: dict[str, str] = field(default_factory=dict)
    """Annotator → how it ended: ``finished``, ``stopped``, ``pause``, ``waiting``, ``enough``, ``refused``, ``lost``
    (the site could not be reached), ``interrupted``, or ``failed``."""
    wrong: dict[str, str] = field(default_factory=dict)
    """Annotator → what went wrong, where something did."""

    @property
    def latencies(self) -> list[float]:
        """Seconds of every acknowledged answer."""
        return [one.seconds for one in self.acknowledged]

    def summary(self) -> str:
        """In one line, for people.

        Examples
        --------
        >>> answer = Acknowledged("k", "ann", "main", "p1", 1, "answered", 0.012)
        >>> Report([answer], ends={"ann": "finished"}).summary()
        '1 answer acknowledged (answered 1), 0 refused; annotators: finished 1; half of the answers within 12 ms'
        """
        statuses = ", ".join(f"{name} {count:,}" for name, count in _counted(one.status for one in self.acknowledged))
        ends = ", ".join(f"{name} {count:,}" for name, count in _counted(self.ends.values()))
        number = len(self.acknowledged)
        said = f"{number:,} answer{'' if number == 1 else 's'} acknowledged" + (f" ({statuses})" if statuses else "")
        said += f", {len(self.refused):,} refused; annotators: {ends or 'none'}"
        if number:
            said += f"; half of the answers within {np.median(self.latencies) * 1000:.0f} ms"
        return said


def _counted(names: Any) -> list[tuple[str, int]]:
    return sorted(Counter(names).items())


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
    """One annotator's connection to a site, kept open; what gets no answer is sent again.

    Parameters
    ----------
    url
        The site's address.
    patience
        Seconds after which it gives up.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float = PATIENCE,
        timeout: float = 30.0,
        stop: threading.Event | None = None,
    ) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KostraError("this is not the address of a site", where=url, accepted="http://host:port")
        self.url = url
        self.cookie: str | None = None
        self._prefix = parts.path.rstrip("/")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)
        self._patience = patience
        self._stop = stop or threading.Event()

    def join(self, token: str) -> None:
        """Come in by an invitation."""
        reply = self.ask("GET", f"/join/{quote(token, safe='')}")
        if reply.status != 303 or reply.cookie is None:
            raise KostraError(f"the invitation was not accepted: the site said {reply.status}", where=self.url)
        self.cookie = reply.cookie

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
            headers["Cookie"] = self.cookie
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


def answers_from(
    campaign: Campaign, annotators: Sequence[SimulatedAnnotator], *, seed: int, truth: Truth | None = None
) -> Answering:
    """How simulated annotators answer the screens of a campaign, whose phases have their questions."""
    people = {annotator.name: annotator for annotator in annotators}
    phases = {phase.name: phase for phase in campaign.phases}
    rngs = {name: personal_rng(seed, name, "simulated answers") for name in people}
    truth = truth or Truth(seed=seed)

    def answers(annotator: str, item: Item, phase: str) -> Mapping[str, Any]:
        found = answers_for(people[annotator], item, phases[phase], rngs[annotator], truth=truth)
        return as_given(found, phases[phase])

    return answers


def simulate(
    url: str,
    tokens: Mapping[str, str],
    *,
    answers: Answering,
    most: int | None = None,
    think: Callable[[str], float] = lambda _: 0.0,
    patience: float = PATIENCE,
    waits: int = WAITS,
    wait_seconds: float = 0.5,
    stop: threading.Event | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> Report:
    """Let simulated annotators answer at a running site, all at once, each in a thread of their own.

    Parameters
    ----------
    url
        The site's address, such as ``http://127.0.0.1:8000``.
    tokens
        Annotator → token of their (personal) invitation.
    answers
        What they answer, see `answers_from`.
    most
        Answers after which an annotator goes home.
    think
        Annotator → seconds before an answer is sent; none unless said.
    patience
        Seconds for which a request is sent again while the site does not answer.
    waits, wait_seconds
        How often, and after how long, somebody who must wait for others looks again.
    stop
        Set by whoever wants it to end early.
    told
        Called with the number of answers acknowledged so far.
    """
    ended = stop or threading.Event()
    report, lock = Report(), threading.Lock()

    def acknowledge(one: Acknowledged) -> None:
        with lock:
            report.acknowledged.append(one)
            told(len(report.acknowledged))

    def work(name: str) -> None:
        client = Client(url, patience=patience, stop=ended)
        someone = _Someone(name, client, answers, most, think, waits, wait_seconds, ended, acknowledge)
        wrong = None
        try:
            end = someone.work(tokens[name])
        except LostError as error:
            end, wrong = "interrupted" if ended.is_set() else "lost", str(error)
        except Exception as error:  # noqa: BLE001 - one annotator fails alone, and the report says how
            end, wrong = "failed", f"{type(error).__name__}: {error}"
        finally:
            client.close()
        with lock:
            report.ends[name] = end
            report.refused += someone.refused
            if wrong is not None:
                report.wrong[name] = wrong

    threads = [threading.Thread(target=work, args=(name,), name=name, daemon=True) for name in tokens]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        ended.set()
        raise
    return report


@dataclass
class _Someone:
    """One annotator at work."""

    name: str
    client: Client
    answers: Answering
    most: int | None
    think: Callable[[str], float]
    waits: int
    wait_seconds: float
    stop: threading.Event
    acknowledge: Callable[[Acknowledged], None]
    refused: list[Refused] = field(default_factory=list)
    given: int = 0
    in_a_row: int = 0

    def work(self, token: str) -> str:
        """Answer until there is a reason to stop, and give the reason."""
        self.client.join(token)
        place, waited = self._next(), 0
        while not self.stop.is_set():
            if place["kind"] == "show":
                if self.most is not None and self.given >= self.most:
                    return "enough"
                place, waited = self._answer(place) or self._next(), 0
                if self.in_a_row >= _REFUSALS:
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

    def _next(self) -> dict[str, Any]:
        return self._place(self.client.ask("POST", "/api/v1/next"))

    def _place(self, reply: Reply) -> dict[str, Any]:
        if reply.status != 200:
            raise KostraError(f"the site said {reply.status}: {reply.data}")
        place: dict[str, Any] = reply.data["place"]
        return place

    def _soon(self, place: Mapping[str, Any]) -> bool:
        """Whether a pause ends while one may wait for it."""
        if "until" not in place:
            return False
        left = (datetime.fromisoformat(place["until"]) - datetime.now(UTC)).total_seconds()
        return left <= self.waits * self.wait_seconds

    def _answer(self, place: Mapping[str, Any]) -> dict[str, Any] | None:
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
            self.in_a_row += 1
            return None
        found = self._place(reply)
        self.in_a_row, self.given = 0, self.given + 1
        status = reply.data["status"]
        self.acknowledge(Acknowledged(key, self.name, phase, item.item, item.version, status, took, reply.resent))
        return found

"""The guard around the site: what may come in, and the headers with which every reply goes out.

It stands before all routes, so that none can be forgotten. It knows addresses and headers, never the campaign.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from kostra.annotate import rendering
from kostra.annotate.hall import COOKIE
from kostra.annotate.languages.choosing import PREFERRED, asked_for
from kostra.annotate.operations.logs import ACCESS, SITE
from kostra.annotate.operations.metrics import Counters
from kostra.annotate.tokens import hashed
from kostra.errors import KostraError

LARGEST_BODY = 1_000_000
LARGEST_MATERIAL = 64_000_000
"""The most that a script with a token may send at once: the items of a campaign."""
SECURITY_HEADERS = {
    "Content-Security-Policy": rendering.CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    "Cache-Control": "no-store",
}
HSTS = "max-age=31536000"

DOORS = ("/join/", "/login", "/prolific/", "/mturk/", "/password")
"""Where people come in, and where others may try to."""
_FAILED = frozenset({400, 401, 403, 404, 409, 410, 422})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_COOKIE, _HOST = COOKIE.encode(), b"__Host-"
_ROOT = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_OWN = frozenset({"work", "api", "static", "media", "admin", "health", "metrics", *(door.strip("/") for door in DOORS)})


@dataclass(frozen=True)
class Doors:
    """Where the site stands in the world.

    Examples
    --------
    >>> Doors(root="/study/").root
    '/study'
    >>> Doors(root="/work")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: the site cannot stand under "/work"
      accepted: a path such as /study that is none of the site's own
    """

    root: str = ""
    """The path under which a proxy shows the site: empty, or such as ``/study``."""
    hosts: tuple[str, ...] = ()
    """The names under which the site may be asked for; none for any."""
    proxies: tuple[str, ...] = ()
    """The addresses of proxies whose word about the client is believed; none for none."""
    url: str = ""
    """The site's own address, root included, as people type it: for links; empty if it is not known."""
    limited: bool = True
    """Whether knocking is limited."""

    @property
    def behind(self) -> bool:
        """Whether a proxy stands before it: whoever seems to come from this machine may then be anybody."""
        return bool(self.root or self.proxies) or self.url.startswith("https:")  # the site itself speaks no TLS

    def __post_init__(self) -> None:
        root = self.root.rstrip("/")
        if root and (not _ROOT.fullmatch(root) or root.split("/")[1] in _OWN or {".", ".."} & set(root.split("/"))):
            raise KostraError(
                f'the site cannot stand under "{self.root}"',
                accepted="a path such as /study that is none of the site's own",
            )
        object.__setattr__(self, "root", root)
        object.__setattr__(self, "url", self.url.rstrip("/"))


def is_loopback(scope: Mapping[str, Any]) -> bool:
    """Whether a request was made on this machine, and was not passed on by a proxy that stands on it."""
    names = {name for name, _ in scope["headers"]}
    if names & {b"x-forwarded-for", b"forwarded", b"via", b"x-real-ip"}:
        return False
    try:
        return ipaddress.ip_address(address_of(scope)).is_loopback
    except ValueError:
        return False


def address_of(scope: Mapping[str, Any]) -> str:
    """Where a request comes from, as far as is known."""
    client = scope.get("client")
    return str(client[0]) if client else ""


class Refused(Exception):  # noqa: N818 - it is a reply, not an error
    """A request that does not come in, with the reply to it."""

    def __init__(self, status: int, reason: str, told: str, **headers: str) -> None:
        super().__init__(told)
        self.status, self.reason, self.told, self.headers = status, reason, told, headers


def too_often(wait: float) -> Refused:
    """The reply to whoever must wait for so many seconds."""
    return Refused(429, "rate", "too many attempts; try again later", **{"Retry-After": str(math.ceil(wait))})


class Guard:
    """Headers on every answer; no request from another site's page, none that is too big, and not too many."""

    def __init__(self, app: Any, *, doors: Doors, counters: Counters) -> None:
        self._app, self._doors, self._counters = app, doors, counters

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Take a request in, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = self._stand_at_root(scope)
        began, status = time.perf_counter(), 0

        async def guarded(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = self._dressed(scope, path, message["headers"], safe)
            await send(message)

        safe = self._safe_cookie(scope)
        headers = dict(scope["headers"])
        PREFERRED.set(asked_for(headers.get(b"accept-language", b""), headers.get(b"cookie", b"")))
        try:
            await self._enter(scope, path, headers, receive, guarded)
        except Refused as refused:
            self._counters.add("kostra_refused_total", reason=refused.reason)
            await _reply(path, refused.status, refused.told, refused.headers)(scope, receive, guarded)
        except Exception as error:
            self._counters.add("kostra_errors_total", kind="defect")
            told = {"route": route_of(scope), "error": type(error).__name__}
            SITE.exception("a request failed", extra={"data": told})
            if status:
                raise  # the reply has begun: all that is left is to break it off
            what = "something went wrong here; what you sent may be sent again"
            await _reply(path, 500, what, {})(scope, receive, guarded)
        finally:
            self._note(scope, path, status, time.perf_counter() - began)

    def _stand_at_root(self, scope: Any) -> str:
        """The path as the routes know it; a proxy may have taken the root away, or left it."""
        path, root = scope["path"], self._doors.root
        if not root:
            return str(path)
        inside = path if path != root and not path.startswith(f"{root}/") else path.removeprefix(root) or "/"
        scope["root_path"], scope["path"] = root, root + inside
        return str(inside)

    async def _enter(self, scope: Any, path: str, headers: Mapping[bytes, bytes], receive: Any, send: Any) -> None:
        self._check_host(headers.get(b"host", b""))
        self._check_origin(scope["method"], headers)
        self._check_knocking(scope, path, headers)
        most = LARGEST_BODY
        if b"authorization" in headers and path.startswith("/api/"):
            await self._check_token(scope, headers[b"authorization"])
            most = LARGEST_MATERIAL
        _check_length(headers, most)
        told = b"content-length" in headers or scope["method"] in ("GET", "HEAD")
        await self._app(scope, receive if told else _limited(receive, most), send)

    def _check_host(self, host: bytes) -> None:
        if self._doors.hosts and host.decode("latin-1").lower() not in self._doors.hosts:
            raise Refused(421, "host", "this site is not called so")

    def _check_origin(self, method: str, headers: Mapping[bytes, bytes]) -> None:
        origin = headers.get(b"origin")
        if origin and method not in ("GET", "HEAD") and not _same_site(origin, headers.get(b"host", b"")):
            raise Refused(403, "origin", "this request came from another site")

    def _check_knocking(self, scope: Any, path: str, headers: Mapping[bytes, bytes]) -> None:
        """Refuse whoever knocks too often, or has failed too often."""
        state = scope["app"].state
        now, address, wait = state.hall.now(), _network(address_of(scope)), 0.0
        if self._doors.limited and path.startswith(DOORS):
            wait = state.knocking.knock(address, hashed(path), now)
        elif self._doors.limited and b"authorization" in headers:
            wait = state.knocking.has_failed(address, now)
        if wait:
            raise too_often(wait)

    async def _check_token(self, scope: Any, said: bytes) -> None:
        kind, _, token = said.decode("latin-1").partition(" ")
        hall = scope["app"].state.hall
        found = None
        if kind.lower() == "bearer" and token:
            found = await asyncio.to_thread(hall.store.api_token, token.strip(), hall.now())
        if found is None:
            scope["app"].state.knocking.failed(_network(address_of(scope)), hall.now())
            challenge = {"WWW-Authenticate": 'Bearer realm="kostra"'}
            raise Refused(401, "token", "this token is not known, or not any more", **challenge)
        scope.setdefault("state", {})["api_token"] = found

    def _safe_cookie(self, scope: Any) -> bool:
        """Over TLS the session's cookie has a name that only this very host can set, and no other name counts.

        A browser takes ``__Host-…`` only over TLS, for the whole host and no other: a neighbour under the same domain,
        or somebody on the line, cannot slip in a session of theirs.
        """
        if scope.get("scheme") != "https" or self._doors.root:
            return False
        headers = []
        for name, value in scope["headers"]:
            if name == b"cookie":
                kept = [part for part in value.split(b"; ") if not part.startswith(_COOKIE + b"=")]
                value = b"; ".join(
                    part.removeprefix(_HOST) if part.startswith(_HOST + _COOKIE) else part for part in kept
                )
            headers.append((name, value))
        scope["headers"] = headers
        return True

    def _dressed(self, scope: Any, path: str, given: Any, safe: bool) -> list[tuple[bytes, bytes]]:
        """The headers of a reply with those that every reply has; what a page says for itself stays."""
        found = [(name, self._rooted(value) if name == b"location" else value) for name, value in given]
        if safe:
            found = [
                (name, _HOST + value if name == b"set-cookie" and value.startswith(_COOKIE) else value)
                for name, value in found
            ]
        names = {name for name, _ in found}
        common = dict(SECURITY_HEADERS)
        if path.startswith("/static/"):
            # Scripts and styles may be kept, but are asked for again, so that pages and scripts are of one version.
            common["Cache-Control"] = "no-cache"
        own = next((value for name, value in found if name == b"content-security-policy"), b"frame-ancestors 'none'")
        if b"frame-ancestors 'none'" not in own:
            del common["X-Frame-Options"]  # the page says itself who may frame it
        if scope.get("scheme") == "https":
            common["Strict-Transport-Security"] = HSTS
        added = [(name.lower().encode(), value.encode()) for name, value in common.items()]
        return [*found, *((name, value) for name, value in added if name not in names)]

    def _rooted(self, location: bytes) -> bytes:
        """A redirection inside the site, under the root; never to another host."""
        if not location.startswith(b"/"):
            return location
        location = b"/" + location.lstrip(b"/\\")
        root = self._doors.root.encode()
        return location if not root or location == root or location.startswith(root + b"/") else root + location

    def _note(self, scope: Any, path: str, status: int, seconds: float) -> None:
        route, method = route_of(scope), scope["method"] if scope["method"] in _METHODS else "other"
        if path.startswith(DOORS) and status in _FAILED:
            state = scope["app"].state
            door = hashed(path) if status == 404 else None
            state.knocking.failed(_network(address_of(scope)), state.hall.now(), door=door)
        self._counters.add("kostra_requests_total", route=route, method=method, status=str(status))
        self._counters.observe("kostra_request_seconds", seconds, route=route)
        if ACCESS.isEnabledFor(logging.INFO):
            told = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)}
            ACCESS.info("request", extra={"data": told})


def route_of(scope: Mapping[str, Any]) -> str:
    """The route that a request took, without what stands in its address."""
    path = getattr(scope.get("route"), "path", None)
    if path is not None:
        return str(path)
    return "/static" if scope["path"].removeprefix(scope.get("root_path", "")).startswith("/static/") else "none"


def _reply(path: str, status: int, told: str, headers: Mapping[str, str]) -> Response:
    if path.startswith("/api/"):
        return JSONResponse({"error": told}, status, dict(headers))
    return PlainTextResponse(told, status, dict(headers))


def _network(address: str) -> str:
    """What counts as one address: a household has a whole /64 of the newer kind.

    A site that listens on both kinds sees those of the older one inside the newer, and they are not one household.

    Examples
    --------
    >>> _network("192.0.2.7"), _network("::ffff:192.0.2.7"), _network("2001:db8:1:2:3::4")
    ('192.0.2.7', '192.0.2.7', '2001:db8:1:2::/64')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))


def _check_length(headers: Mapping[bytes, bytes], most: int) -> None:
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        raise Refused(400, "length", "the length of the request is no number")
    if int(length[:20]) > most:
        raise Refused(413, "size", "this is too much at once")


def _same_site(origin: bytes, host: bytes) -> bool:
    try:
        return urlsplit(origin.decode("ascii")).netloc == host.decode("ascii")
    except ValueError:
        return False


def _limited(receive: Any, most: int) -> Any:
    """Stop reading a body that comes in pieces, without saying how many, when it is too big."""
    size = 0

    async def next_part() -> Any:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413, "this is too much at once")
        return message

    return next_part

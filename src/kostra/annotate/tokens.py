"""Secrets that open the door: invitations and sessions are long random tokens, of which the store keeps only hashes.

A token has 256 random bits, so its plain SHA-256 cannot be guessed back and needs no salt; whoever reads the database
cannot come in with what stands there.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Generic, Literal, Protocol, TypeVar

from kostra.campaign.protocol import Role

T = TypeVar("T")
Uses = Literal["once", "personal", "shared"]
"""A link that works once; one that always lets the same person in; one by which anybody comes in as somebody new."""


def new_token() -> str:
    """A token that nobody can guess, fit for a link.

    Examples
    --------
    >>> len(new_token()), new_token() == new_token()
    (43, False)
    """
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """What the store keeps of a token.

    Examples
    --------
    The first bytes of the standard's own test vector (FIPS 180-2, B.1):

    >>> hashed("abc")[:16]
    'ba7816bf8f01cfea'
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two hashes are the same, in a time that does not tell how much of them is.

    Examples
    --------
    >>> same(hashed("a"), hashed("a")), same(hashed("a"), hashed("b"))
    (True, False)
    """
    return hmac.compare_digest(one, other)


@dataclass(frozen=True)
class Session:
    """Somebody who has come in."""

    campaign: str
    annotator: str
    role: Role
    kind: str
    expires_at: datetime
    source: str = ""
    """The platform that sent them, if one did: prolific or mturk."""


class Lookup(Protocol):
    """Where sessions are found: a `kostra.annotate.store.Store`."""

    def session(self, token: str, *, now: datetime) -> Session | None:
        """The session of a token."""


class Sessions:
    """Sessions that were looked up in the store lately, since every request asks.

    Whoever asks says how often sessions have been ended so far (`kostra.annotate.store.Store.sessions_ended`): what was
    looked up before the last time counts no more, so that an ended session is ended in every process at once.
    """

    def __init__(self, store: Lookup, *, keep: timedelta = timedelta(seconds=60), most: int = 10_000) -> None:
        self._store, self._keep, self._most = store, keep, most
        self._found: OrderedDict[str, tuple[datetime, int, Session]] = OrderedDict()
        self._lock = Lock()

    def session(self, token: str, *, now: datetime, ended: int) -> Session | None:
        """The session of a token, or None if there is none (any more)."""
        session, name = self.recent(token, now=now, ended=ended), hashed(token)
        if session is None:
            session = self._store.session(token, now=now)
            with self._lock:
                if session is None:
                    self._found.pop(name, None)
                else:
                    self._found[name] = (now, ended, session)
                    self._found.move_to_end(name)
                    while len(self._found) > self._most:
                        self._found.popitem(last=False)
        return session if session is not None and now < session.expires_at else None

    def recent(self, token: str, *, now: datetime, ended: int) -> Session | None:
        """The session of a token if the store need not be asked; None says nothing."""
        with self._lock:
            found = self._found.get(hashed(token))
        if found is None:
            return None
        asked_at, ended_then, session = found
        known = ended_then == ended and asked_at <= now < asked_at + self._keep
        return session if known and now < session.expires_at else None


class Shared(Generic[T]):
    """One look at something that changes, for all who ask at the same moment.

    Each who asks gets what was found by a look that began after they asked; who comes while a look is under way waits
    for the next one, with all the others who do.
    """

    def __init__(self, look: Callable[[], T]) -> None:
        self._look = look
        self._last: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def now(self) -> T:
        """What there is now."""
        loop = asyncio.get_running_loop()
        if self._next is None or self._next.get_loop() is not loop:
            before = self._last if self._last is not None and self._last.get_loop() is loop else None
            self._next = self._last = loop.create_task(self._after(before))
        return await asyncio.shield(self._next)

    async def _after(self, before: asyncio.Task[T] | None) -> T:
        if before is not None:
            await asyncio.wait([before])
        self._next = None  # from here on it would be too late for others
        return await asyncio.to_thread(self._look)


def csrf_of(token: str, secret: bytes) -> str:
    """What forms of a session carry, and the pages of other sites cannot know.

    Examples
    --------
    >>> csrf_of("a", b"site") == csrf_of("a", b"site"), csrf_of("a", b"site") == csrf_of("b", b"site")
    (True, False)
    """
    return hmac.new(secret, f"csrf {hashed(token)}".encode(), hashlib.sha256).hexdigest()

"""Secrets that open the door: invitations and sessions are long random tokens, of which the store keeps only hashes.

A token has 256 random bits, so its plain SHA-256 cannot be guessed back and needs no salt; whoever reads the database
cannot come in with what stands there.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Literal, Protocol

from kostra.campaign.protocol import Role

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


class Lookup(Protocol):
    """Where sessions are found: a `kostra.annotate.store.Store`."""

    def session(self, token: str, *, now: datetime) -> Session | None:
        """The session of a token."""


class Sessions:
    """Sessions looked up in the store at most once a minute each, since every request asks.

    An ended session may therefore last up to `keep` longer in another process.
    """

    def __init__(self, store: Lookup, *, keep: timedelta = timedelta(seconds=60), most: int = 10_000) -> None:
        self._store, self._keep, self._most = store, keep, most
        self._found: OrderedDict[str, tuple[datetime, Session]] = OrderedDict()
        self._lock = Lock()

    def session(self, token: str, *, now: datetime) -> Session | None:
        """The session of a token, or None if there is none (any more)."""
        session, name = self.recent(token, now=now), hashed(token)
        if session is None:
            session = self._store.session(token, now=now)
            with self._lock:
                if session is None:
                    self._found.pop(name, None)
                else:
                    self._found[name] = (now, session)
                    self._found.move_to_end(name)
                    while len(self._found) > self._most:
                        self._found.popitem(last=False)
        return session if session is not None and now < session.expires_at else None

    def recent(self, token: str, *, now: datetime) -> Session | None:
        """The session of a token if the store need not be asked; None says nothing."""
        with self._lock:
            asked_at, session = self._found.get(hashed(token), (None, None))
        known = asked_at is not None and asked_at <= now < asked_at + self._keep
        return session if known and session is not None and now < session.expires_at else None

    def forget(self, token: str) -> None:
        """Look a session up anew next time: it was ended."""
        with self._lock:
            self._found.pop(hashed(token), None)

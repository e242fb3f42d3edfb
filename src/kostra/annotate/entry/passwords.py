"""Passwords: argon2id hashes (RFC 9106), and no hint from how long a refusal takes."""

from __future__ import annotations

import threading
import unicodedata
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from kostra.annotate.tasks import Message

SHORTEST, LONGEST = 10, 200
AT_ONCE = 2
"""Hashes that are made at the same moment: each needs 64 MiB."""


class Passwords:
    """Makes and checks hashes.

    Examples
    --------
    >>> passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
    >>> stored = passwords.hashed("correct horse battery")
    >>> stored.startswith("$argon2id$"), passwords.right(stored, "correct horse battery"), passwords.right(stored, "x")
    (True, True, False)
    >>> passwords.right(None, "correct horse battery")
    False
    >>> passwords.outdated(stored), Passwords().outdated(stored)
    (False, True)
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._few = threading.BoundedSemaphore(AT_ONCE)

    @cached_property
    def _nobodys(self) -> str:
        """A hash that no password has, made by the same parameters: whoever is not known takes as long as others."""
        return self._hasher.hash("nobody's \0 password")

    def hashed(self, password: str) -> str:
        """What is kept of a password."""
        with self._few:
            return self._hasher.hash(_normal(password))

    def right(self, stored: str | None, password: str) -> bool:
        """Whether it is the password; nobody's (None) never is, after the same time."""
        known = stored if stored is not None else self._nobodys
        try:
            with self._few:
                self._hasher.verify(known, _normal(password[:LONGEST]))
        except (VerificationError, InvalidHashError):
            return False
        return stored is not None

    def outdated(self, stored: str) -> bool:
        """Whether it was hashed by other parameters than one would use today."""
        return self._hasher.check_needs_rehash(stored)


def _normal(password: str) -> bytes:
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")


def login_name(name: str) -> str:
    """How a login name is compared: small letters and single blanks make no difference.

    Examples
    --------
    >>> login_name("  Anna  NOVÁKOVÁ ")
    'anna nováková'
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())[:100]


def weak(password: str, name: str) -> Message | None:
    """Why a password is not taken, or None.

    Examples
    --------
    >>> weak("short", "anna")
    'The password needs at least 10 characters.'
    >>> weak("correct horse battery", "anna") is None, weak("aaaaaaaaaaaa", "anna")
    (True, 'The password is too easy to guess.')
    """
    if len(password) < SHORTEST:
        return Message("The password needs at least {count} characters.", count=SHORTEST)
    if len(password) > LONGEST:
        return Message("The password may have at most {count} characters.", count=LONGEST)
    if len(set(password)) < 4 or login_name(password) == login_name(name):
        return Message("The password is too easy to guess.")
    return None

"""The one exception that a user meets: what is wrong, where, what is accepted, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class KostraError(Exception):
    """Something the user can mend.

    The command line prints it and exits with code 2; a notebook sees an ordinary exception. Anything else
    that escapes is a defect of kostra's own.

    Parameters
    ----------
    what
        What is wrong, with the value that was found.
    where
        File, line and column, or the recipe's key, as far as they are known.
    accepted
        What would have been accepted.
    remedy
        What to do next.

    Examples
    --------
    >>> print(KostraError("found 9", where="pairs.csv:3", accepted="a number from 0 to 6"))
    pairs.csv:3: found 9
      accepted: a number from 0 to 6
    """

    def __init__(
        self, what: str, *, where: str | None = None, accepted: str | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.accepted = accepted
        self.remedy = remedy

    def __str__(self) -> str:
        first = f"{self.where}: {self.what}" if self.where else self.what
        parts = [first]
        if self.accepted:
            parts.append(f"  accepted: {self.accepted}")
        if self.remedy:
            parts.append(f"  try: {self.remedy}")
        return "\n".join(parts)


class StillWaitingError(KostraError):
    """What a step reads is right but not all there yet: a build says that the step waits, and goes on with others."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, or None if nothing is close.

    Examples
    --------
    >>> nearest("dise", ["dice", "static"])
    'dice'
    >>> nearest("zebra", ["dice", "static"]) is None
    True
    """
    by_folded = {candidate.casefold().replace("-", "_"): candidate for candidate in known}
    found = difflib.get_close_matches(name.casefold().replace("-", "_"), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def unknown(kind: str, name: str, known: Iterable[str], *, where: str | None = None) -> KostraError:
    """Build the error for a name that does not exist: it lists what does and suggests the nearest.

    Examples
    --------
    >>> print(unknown("encoder", "dise", ["dice", "static"]))
    unknown encoder "dise"
      accepted: dice, static
      try: did you mean "dice"?
    """
    names = sorted(known)
    guess = nearest(name, names)
    return KostraError(
        f'unknown {kind} "{name}"',
        where=where,
        accepted=", ".join(names) if names else f"nothing: there is no {kind} yet",
        remedy=f'did you mean "{guess}"?' if guess else None,
    )


def extra_needed(package: str, extra: str, *, purpose: str) -> KostraError:
    """Build the error for an optional dependency that is not installed.

    Examples
    --------
    >>> print(extra_needed("torch", "models", purpose="the encoder sbert"))
    the encoder sbert needs the package "torch", which is not installed
      try: pip install 'kostra[models]'
    """
    return KostraError(
        f'{purpose} needs the package "{package}", which is not installed',
        remedy=f"pip install 'kostra[{extra}]'",
    )


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things in words: one of them, or several.

    Examples
    --------
    >>> counted(1, "encoder"), counted(1200, "pair"), counted(2, "person", "people")
    ('1 encoder', '1,200 pairs', '2 people')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def some(values: Iterable[object], most: int = 5) -> str:
    """Join the first few values and say how many more there are.

    Examples
    --------
    >>> some([3, 9, 12, 40], most=2)
    '3, 9 and 2 more'
    """
    listed = [str(value) for value in values]
    if len(listed) <= most:
        return ", ".join(listed)
    return f"{', '.join(listed[:most])} and {len(listed) - most:,} more"

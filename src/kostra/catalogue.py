"""Everything that can be named in a recipe or on the command line, in one list."""

from __future__ import annotations

from dataclasses import dataclass

from kostra import registry


@dataclass(frozen=True)
class ComponentInfo:
    """A component, as ``kostra components`` lists it."""

    room: str
    name: str
    summary: str
    planned: int | None = None
    """The issue it comes with, if it is not in this version."""


def components(room: str | None = None) -> list[ComponentInfo]:
    """List the components of one room or of all, those of later issues last.

    Examples
    --------
    >>> [found.name for found in components("campaign/policies")]
    ['least_covered', 'random']
    """
    rooms = [room] if room else list(registry.CONTRACT)
    here = [
        ComponentInfo(place, name, registry.summary(registry.load(place, name)))
        for place in rooms
        for name in registry.names(place)
    ]
    later = [
        ComponentInfo(place, name, planned.does, planned.issue)
        for use, planned in sorted(registry.planned().items())
        for place, name in [use.split("/", 1)]
        if place in rooms
    ]
    return here + later

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


def components(room: str | None = None) -> list[ComponentInfo]:
    """List the components of one room or of all.

    Examples
    --------
    >>> [found.name for found in components("campaign/policies")]
    ['least_covered', 'random']
    """
    rooms = [room] if room else list(registry.CONTRACT)
    return [
        ComponentInfo(place, name, registry.summary(registry.load(place, name)))
        for place in rooms
        for name in registry.names(place)
    ]

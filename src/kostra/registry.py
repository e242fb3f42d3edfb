"""A component is found by its folder and file name, or by an entry point; nothing else registers it.

``src/kostra/encoders/dice.py`` is the encoder ``dice``; ``src/kostra/sampling/tuples.py`` is the step component
``sampling/tuples``. What makes a file of a room a component, and not a helper beside one, is the function that its
room's contract names (`CONTRACT`). A plug-in package adds a component through an entry point of the group
``kostra.<room>`` (a sub-folder is written with a dot: ``kostra.sources.released``), whose value is the module.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from kostra.errors import KostraError, unknown

ROOMS = (
    "sources",
    "encoders",
    "transforms",
    "sampling",
    "scoring",
    "reliability",
    "campaign",
    "annotate",
    "evaluate",
    "analysis",
    "release",
    "report",
)
"""The rooms in the order of the data flow: a room imports only from rooms before it."""

CONTRACT = {
    **dict.fromkeys(ROOMS, "run"),
    "encoders": "make",
    "sources/released": "read",
    "sources/parsers": "make",
    "campaign/policies": "choose",
    "annotate/tasks": "check",
}
"""The function that makes a module a component, by room, or by shelf inside a room."""

_HOME = Path(__file__).parent


def names(room: str) -> list[str]:
    """List the components of a room, built in and plugged in.

    Examples
    --------
    >>> "counting" in names("scoring")
    True
    """
    if room not in CONTRACT:
        raise unknown("room", room, CONTRACT)
    built_in = (name for name in _files(room) if hasattr(_import(room, name), CONTRACT[room]))
    return sorted({*built_in, *_plugged_in(room)})


def exists(room: str, name: str) -> bool:
    """Whether a component is there, without importing its neighbours."""
    return name in _files(room) or name in _plugged_in(room)


def load(room: str, name: str, *, where: str | None = None) -> ModuleType:
    """Import a component's module; an unknown name lists what exists and suggests the nearest.

    Examples
    --------
    >>> load("encoders", "dise")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: unknown component of encoders "dise"
      accepted: cross, dice, embeddings, hashed, hf, http, indel, jaccard, mteb, python, sbert, static, vectors
      try: did you mean "dice"?
    """
    if not exists(room, name):
        raise unknown(f"component of {room}", name, names(room), where=where)
    if name in _files(room):
        return _import(room, name)
    try:
        return importlib.import_module(_plugged_in(room)[name])
    except ImportError as error:
        raise KostraError(
            f'the plug-in "{name}" of {room} cannot be imported: {error}',
            where=where,
            remedy="mend or uninstall the package that offers it",
        ) from error


def summary(module: ModuleType) -> str:
    """The first line of a component's docstring."""
    return (module.__doc__ or "").strip().split("\n")[0]


def _import(room: str, name: str) -> ModuleType:
    return importlib.import_module(f"kostra.{room.replace('/', '.')}.{name}")


@cache
def _files(room: str) -> frozenset[str]:
    return frozenset(path.stem for path in (_HOME / room).glob("*.py") if not path.stem.startswith("_"))


@cache
def _plugged_in(room: str) -> dict[str, str]:
    found = entry_points(group=f"kostra.{room.replace('/', '.')}")
    return {entry.name: entry.module for entry in found if entry.name not in _files(room)}

"""The reference of components, room by room, from the registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from docs.making import docstrings
from docs.making.fields import cell, shown, table, undescribed
from kostra import registry
from kostra.catalogue import components

ROOMS = {
    "sources": "Sources",
    "sources/released": "Readers of released datasets",
    "sources/parsers": "Parsers",
    "encoders": "Encoders",
    "transforms": "Transforms",
    "sampling": "Sampling",
    "scoring": "Scores",
    "reliability": "Reliability",
    "campaign": "Campaign",
    "campaign/policies": "Policies: which item next",
    "annotate/tasks": "Task types",
    "evaluate": "Evaluation",
    "analysis": "Analyses",
    "release": "Release",
    "report": "Report",
}
"""Rooms and shelves that have components, in the order of the data flow, and what their pages are called."""


def pages() -> dict[str, str]:
    """File name → Markdown: one page per room."""
    return {f"{room.replace('/', '-')}.md": page(room) for room in ROOMS}


def index() -> str:
    """All components in one list."""
    parts = ["# Components", "What a recipe can name, or `kostra run` can run. `kostra components` prints this list."]
    for room, title in ROOMS.items():
        rows = [
            f"| [`{room}/{one.name}`]({room.replace('/', '-')}.md#{_anchor(one.name)}) "
            f"| {cell(docstrings.plain(one.summary))} |"
            for one in components(room)
        ]
        parts += [f"## {title}", "\n".join(["| component | what it does |", "|---|---|", *rows])]
    return "\n\n".join(parts)


def page(room: str) -> str:
    """One room."""
    about = docstrings.as_markdown(import_module(f"kostra.{room.replace('/', '.')}").__doc__)
    found = [_component(room, one.name) for one in components(room)]
    return "\n\n".join([f"# {ROOMS[room]}", about, *found])


def _anchor(name: str) -> str:
    return name


def _component(room: str, name: str) -> str:
    module = registry.load(room, name)
    parts = [f"## {name} {{ #{_anchor(name)} }}", docstrings.as_markdown(module.__doc__)]
    if hasattr(module, "Options"):
        parts += [_flow(module), table(module.Options, below="###"), *_formulas(module)]
    else:
        parts += _made(module, registry.CONTRACT[room])
    return "\n\n".join(part for part in parts if part)


def _formulas(module: ModuleType) -> Iterator[str]:
    """The pure functions beside a step that have a citation: what is computed, and by which conventions."""
    for name, function in vars(module).items():
        ours = inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
        if ours and "References\n" in inspect.cleandoc(function.__doc__ or ""):
            yield f"### {name} {{ #{module.__name__.rpartition('.')[2]}-{name} }}"
            yield docstrings.as_markdown(function.__doc__)


def _flow(module: ModuleType) -> str:
    reads = ", ".join(kind.replace("|", " or ") for kind in module.READS) or "nothing"
    writes = ", ".join(module.WRITES) or "no table"
    beside = f" It makes `{module.PUBLISHES}` in the project." if getattr(module, "PUBLISHES", None) else ""
    return f"Reads {reads}; writes {writes}.{beside}"


def _made(module: ModuleType, contract: str) -> Iterator[str]:
    """Encoders, parsers, readers, policies and tasks: what their function takes."""
    function = getattr(module, contract)
    if contract not in ("make", "read"):
        return
    if getattr(module, "ARGUMENT", None):
        yield f"After the colon: {module.ARGUMENT}."
    yield docstrings.as_markdown(function.__doc__, without=("Parameters", "Raises"))
    said = docstrings.described(function.__doc__)
    rows = [
        f"| `{name}` | {shown(default)} | {cell(said.get(name, _shared(name)))} |"
        for name, default in _options(function).items()
    ]
    if rows:
        yield "\n".join(["| option | default | what it is for |", "|---|---|---|", *rows])


def _options(function: Callable[..., Any]) -> dict[str, Any]:
    """The keyword-only parameters and their defaults, but the folder where relative paths begin: no spec says that."""
    found = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in found if one.kind is one.KEYWORD_ONLY and one.name != "folder"}


def _shared(name: str) -> str:
    """What options mean that several encoders have alike."""
    return {
        "only": "only these words: parts of speech such as `NOUN,PROPN`, or `subjects`, `objects`",
        "parser": "the parser that tells them, as a spec such as `udpipe:en.udpipe`",
    }.get(name, "")


def without_words() -> Iterator[str]:
    """Components without a summary, and options of which nothing says what they are for."""
    for room in ROOMS:
        for one in components(room):
            if not one.summary:
                yield f"{room}/{one.name}"
            module = registry.load(room, one.name)
            if hasattr(module, "Options"):
                yield from (f"{room}/{one.name}: {key}" for key in undescribed(module.Options))
            elif registry.CONTRACT[room] == "make":
                said = docstrings.described(module.make.__doc__)
                yield from (
                    f"{room}/{one.name}: {key}"
                    for key in _options(module.make)
                    if not said.get(key) and not _shared(key)
                )

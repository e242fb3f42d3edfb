"""Bridges to other annotation tools: a campaign's items out, people's answers in; one file per tool.

A bridge is a module with

``TITLE``
    the tool's name as its makers write it,
``write(phase, screens, folder, title=…, replies=…) -> list[Path]``
    the files that the tool takes for one phase and, with `replies`, those answers in the form in which it gives them,
``read_items(path) -> list[Item]``
    the items of a file that `write` made: equal to those that went out, save for known answers, which stay at home,
``read(path) -> list[Reply]``
    the answers of a file that the tool exported.

What they share is in `kostra.release.bridges.contract`. Prolific has no items: `kostra.release.bridges.prolific`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from kostra.errors import unknown

TOOLS = {"label-studio": "label_studio", "potato": "potato", "mturk": "mturk"}
"""Name on the command line → module."""


def bridge(tool: str) -> ModuleType:
    """The module of a tool; an unknown name lists what exists.

    Examples
    --------
    >>> bridge("mturk").TITLE
    'Mechanical Turk'
    """
    if tool not in TOOLS:
        raise unknown("tool", tool, TOOLS)
    return import_module(f"kostra.release.bridges.{TOOLS[tool]}")

"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

from docs.making.docstrings import as_markdown
from docs.making.fields import cell
from kostra.cli import app


def commands() -> dict[str, Any]:
    """Every command by its name."""
    found: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return found


def page() -> str:
    """All commands, in the groups and the order in which the help has them."""
    parts = [
        "# Commands",
        "Every command has `--help`. A mistake in what you give is one message, exit code 2, and nothing is changed. "
        "An interrupted command ends with exit code 130 and keeps what was finished.",
    ]
    for heading, group in groupby(commands().items(), key=lambda named: named[1].rich_help_panel):
        parts += [f"## {heading}", *(_command(name, command) for name, command in group)]
    return "\n\n".join(parts)


def _command(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    usage = " ".join(["kostra", name, *(_usage(one) for one in arguments)])
    lines = [f"### kostra {name}", as_markdown(command.help), f"```bash\n{usage} [OPTIONS]\n```"]
    rows = [f"| {_called(one)} | {cell(one.help or '')} | {_default(one)} |" for one in command.params]
    if rows:
        lines.append("\n".join(["| | what it is | default |", "|---|---|---|", *rows]))
    return "\n\n".join(lines)


def undescribed() -> Iterator[str]:
    """Commands and options of which nothing says what they are."""
    for name, command in commands().items():
        if not command.help:
            yield name
        yield from (f"{name} {one.opts[0]}" for one in command.params if not one.help)


def _usage(argument: Any) -> str:
    said = argument.name.upper() + (" …" if argument.nargs == -1 else "")
    return said if argument.required else f"[{said}]"


def _called(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    return ", ".join(f"`{one}`" for one in parameter.opts)


def _default(parameter: Any) -> str:
    if parameter.required:
        return "**must be given**"
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    match parameter.default:
        case None | False | "" | () | []:
            return ""
        case Path() as path:
            return f"`{path}`"
        case list() | tuple() as several:
            return " ".join(f"`{one}`" for one in several)
        case value:
            return f"`{value}`"

"""How the help looks: commands under headings with their whole sentences, and kinds of values in plain words."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from typer.core import TyperCommand, TyperGroup

_KINDS = {
    "<str>": "<text>",
    "<list[str]>": "<text>",
    "<int>": "<number>",
    "<float>": "<number>",
    "<list[Path]>": "<path>",
}
"""Python's names of types, and what they are called here; an option that may be repeated says so in its sentence."""


class Command(TyperCommand):
    """A command whose help names kinds of values in plain words, and whose ``--json`` never lacks a file."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the call; a ``--json`` that wants a file and names none means standard output."""
        if any("--json" in one.opts and not getattr(one, "is_flag", False) for one in self.params):
            following = [*args[1:], "--"]
            args = [
                "--json=-" if word == "--json" and after.startswith("-") and after != "-" else word
                for word, after in zip(args, following, strict=True)
            ]
        return list(super().parse_args(ctx, args))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, a paragraph each."""
        for heading, kind in (("Arguments", "argument"), ("Options", "option")):
            told = [one.get_help_record(ctx) for one in self.get_params(ctx) if one.param_type_name == kind]
            rows = [(_plainly(record[0]), record[1]) for record in told if record is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


class Commands(TyperGroup):
    """All commands, under the headings that they were given, none of their sentences cut."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands; what belongs together stands under one heading."""
        found = [self.commands[name] for name in self.list_commands(ctx) if not self.commands[name].hidden]
        width = max(len(str(command.name)) for command in found)
        for heading, group in groupby(found, key=lambda command: getattr(command, "rich_help_panel", None)):
            with formatter.section(heading or "Commands"):
                # All headings share one width, so that the sentences stand in one column.
                formatter.write_dl(
                    [(str(command.name).ljust(width), (command.help or "").split("\n\n")[0]) for command in group]
                )


def _plainly(record: str) -> str:
    for kind, word in _KINDS.items():
        record = record.replace(kind, word)
    return record

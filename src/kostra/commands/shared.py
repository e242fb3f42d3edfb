"""What the commands share: the application, common options, and printing."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kostra.commands.helping import Commands
from kostra.errors import KostraError

if TYPE_CHECKING:
    from kostra.pipeline import StepStatus

# Plain help instead of rich's boxes: it reads the same in a terminal, a pipe and a screen reader, and starts faster.
app = typer.Typer(
    name="kostra",
    help="Build, annotate and evaluate datasets of sentence meaning.",
    cls=Commands,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Folder = Annotated[Path, typer.Argument(help="The project's folder.", show_default=False)]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]
Merge = Annotated[
    bool, typer.Option("--merge-near-duplicates", help="Merge texts that differ only in white space and punctuation.")
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help="OURS=THEIRS, where a column is called otherwise; once per column.", show_default=False
    ),
]
Language = Annotated[
    str, typer.Option("--language", "--lang", help="ISO 639 code, for sentences whose file does not say it.")
]
Figure = Annotated[str | None, typer.Option(help="Draw it: .svg, .pdf or .png.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
JsonFile = Annotated[
    str | None, typer.Option("--json", help="Write JSON to this file; without a name, print it.", show_default=False)
]
"""Of commands with so much to show that a file of it is wanted too (see `helping.Command.parse_args`)."""


def print_json(value: Any) -> None:
    """Print JSON to standard output."""
    from kostra.files import write_text

    write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", "-")


def say(message: str) -> None:
    """Tell what was done, beside the data that may go to standard output."""
    print(message, file=sys.stderr)


def warn(warnings: Sequence[str]) -> None:
    """Tell what was noticed."""
    for warning in warnings:
        print(f"note: {warning}", file=sys.stderr)


def one_of(option: str, value: Any, accepted: tuple[str, ...]) -> Any:
    """The value of an option that takes only some."""
    if value is not None and value not in accepted:
        from kostra.errors import unknown

        raise unknown(f"value of {option}", value, accepted)
    return value


def interval(one: dict[str, Any]) -> str:
    """An estimate in words: value, interval, or why there is none."""
    if one["value"] is None:
        return (
            str(one["note"]) if str(one["note"]).startswith(("undefined", "refused")) else f"undefined: {one['note']}"
        )
    ends = f"  [{one['low']:.4f}, {one['high']:.4f}]" if one["low"] is not None and one["high"] is not None else ""
    return f"{one['value']:.5f}{ends}  n = {one['n']:,}"


def as_dict(status: StepStatus) -> dict[str, Any]:
    """A step's status for JSON."""
    return {
        "step": status.step.name,
        "use": status.step.use,
        "state": status.state,
        "why": status.why,
        "rows": dict(status.rows),
        "plan": status.plan,
        "findings": list(status.findings),
    }


def print_steps(found: list[StepStatus]) -> None:
    """Print where steps stand."""
    from kostra.console import name_width, step_lines

    width = name_width(one.step.name for one in found)
    for one in found:
        for line in step_lines(one, names=width):
            print(line)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, the columns below each other."""
    if not rows:
        return []
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def named_columns(said: list[str]) -> dict[str, str]:
    """Columns that are called otherwise in a file: ours to theirs."""
    strange = [one for one in said if "=" not in one]
    if strange:
        raise KostraError(f'--column: found "{strange[0]}"', accepted="OURS=THEIRS, such as text_a=premise")
    return {ours: theirs for ours, _, theirs in (one.partition("=") for one in said)}

"""The command line: it parses, calls one public function, and prints."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any, cast

import typer

import kostra
from kostra.commands import (
    annotation,
    evaluation,
    operations,
    people,
    projects,
    release,
    reproduction,
    rules,
    spelling,
    statistics,
    tools,
)
from kostra.commands.helping import Command
from kostra.commands.shared import app as app
from kostra.errors import KostraError

_HEADINGS = {
    projects: "Projects",
    tools: "Sentences, pairs and tuples",
    rules: "New sentences and their spelling",
    spelling: "New sentences and their spelling",
    annotation: "The annotation site",
    people: "The people of a campaign",
    operations: "Keeping the site well",
    statistics: "Scores, agreement and planning",
    evaluation: "Encoders",
    release: "Releases and other tools",
    reproduction: "The four papers",
}
"""Modules that add their commands to `app` when they are imported; the help lists them in this order."""


def _arrange() -> None:
    """Bring the commands into their order, each under its heading."""
    headings = {module.__name__: heading for module, heading in _HEADINGS.items()}
    places = {command.callback: getattr(command.callback, "__module__", "") for command in app.registered_commands}
    app.registered_commands.sort(key=lambda command: list(headings).index(places[command.callback]))
    for command in app.registered_commands:
        command.cls = Command
        command.rich_help_panel = headings[places[command.callback]]


_arrange()

_INTERRUPTED = 130
"""The exit code that typer gives an interrupted command."""

_UsageError = cast(type[Exception], typer.BadParameter.__base__)
"""What typer raises when a command is called wrongly; it has no public name."""


def main() -> None:
    """Run the command line; what the user can mend is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None where the caller closed it
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # as our files are, whatever the locale
    try:
        _run()
    except KostraError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:  # before or after typer's watch
        sys.exit(_INTERRUPTED)


def _run() -> None:
    """Run the command, and see that what it printed has arrived."""
    try:
        code = app(standalone_mode=False)
        if code == _INTERRUPTED:
            print("interrupted; what was finished is kept", file=sys.stderr)
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    except _UsageError as error:
        raise _called_wrongly(error) from None
    except typer.Abort:  # a question to which nobody said yes or no
        raise KostraError("the question was not answered, and nothing was done", remedy="--yes: do not ask") from None
    except BrokenPipeError:
        # The reader of a pipe (such as `head`) has seen enough. What is left must not be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        from kostra.files import stdout_refused_clearly

        if error.filename is not None:
            what = f"cannot be read or written: {error.strerror or error}"
            raise KostraError(what, where=str(error.filename)) from None
        with stdout_refused_clearly():
            raise


def _called_wrongly(error: Any) -> KostraError:
    """What typer found wrong with the words of the call, as every other mistake is told."""
    message = error.format_message().rstrip(".")
    return KostraError(
        message[:1].lower() + message[1:],
        accepted=error.ctx.get_usage().removeprefix("Usage: ") if error.ctx else None,
        remedy=f"{error.ctx.command_path if error.ctx else 'kostra'} --help",
    )


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        print(f"kostra {kostra.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


if __name__ == "__main__":
    main()

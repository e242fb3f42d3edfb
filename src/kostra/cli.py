"""The command line: it parses, calls one public function, and prints."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

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
from kostra.commands.shared import app as app
from kostra.errors import KostraError

COMMANDS = (
    projects,
    tools,
    rules,
    spelling,
    annotation,
    people,
    operations,
    statistics,
    evaluation,
    release,
    reproduction,
)
"""Modules that add their commands to `app` when they are imported; the help lists them in this order."""
app.registered_commands.sort(
    key=lambda command: [module.__name__ for module in COMMANDS].index(getattr(command.callback, "__module__", ""))
)

_INTERRUPTED = 130
"""The exit code that typer gives an interrupted command."""


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
        try:
            app(standalone_mode=True)
        except SystemExit as end:
            if end.code == _INTERRUPTED:
                print("interrupted; what was finished is kept", file=sys.stderr)
            if sys.stdout is not None:
                sys.stdout.flush()
            raise
    except BrokenPipeError:
        # The reader of a pipe (such as `head`) has seen enough. What is left must not be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        from kostra.files import stdout_refused_clearly

        if error.filename is not None:
            raise KostraError(error.strerror or str(error), where=str(error.filename)) from None
        with stdout_refused_clearly():
            raise


def _version(asked: bool) -> None:
    if asked:
        print(f"kostra {kostra.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


if __name__ == "__main__":
    main()

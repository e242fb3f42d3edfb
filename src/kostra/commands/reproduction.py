"""The command that recomputes the papers' figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kostra
from kostra.commands.shared import JsonFile, app, say


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="costra, czech_news_sts, cdsc or str2021.", show_default=False)],
    data: Annotated[
        Path | None,
        typer.Option(
            help="The folder with the released files.",
            show_default="$KOSTRA_DATA, the folder of downloads, or ../shared/data",
        ),
    ] = None,
    json: JsonFile = None,
    html: Annotated[Path | None, typer.Option(help="Where to write the checks as a page.", show_default=False)] = None,
) -> None:
    """Recompute a paper's tables from its released data, beside the published figures, with a verdict on each."""
    from kostra.console import progress_bar
    from kostra.reproduction.showing import lines, summary

    with progress_bar("recomputing") as progress:
        found = kostra.reproduce(paper, data=data, json_file=json, html_file=html, progress=progress)
    if json == "-":
        say(summary(found))
        return
    print("\n".join(lines(found)))
    for written in (json, html):
        if written is not None:
            say(f"written: {written}")

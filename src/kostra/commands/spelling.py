"""The command that checks spelling."""

from __future__ import annotations

from typing import Annotated

import typer

import kostra
from kostra.commands.shared import Column, app, named_columns, one_of, say, warn


@app.command()
def spell(
    file: Annotated[str, typer.Argument(help="Sentences, one a line, or a table of them; - is standard input.")],
    language: Annotated[str, typer.Option("--language", "--lang", help="ISO 639 code: cs, pl, en, en_GB, …")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the proposals.")] = "-",
    column: Column = None,
    suggestions: Annotated[int, typer.Option(help="At most so many proposals for one word.")] = 1,
    table: Annotated[str, typer.Option(help="A plain list of proposals, or pairs for people to decide on.")] = "list",
    dictionary: Annotated[
        str | None, typer.Option(help="A .dic file, a folder of them, or a variant: en_GB.", show_default=False)
    ] = None,
    checker: Annotated[str, typer.Option(help="hunspell, or korektor, a service that is sent the text.")] = "hunspell",
    url: Annotated[str | None, typer.Option(help="Where korektor answers.", show_default="LINDAT")] = None,
    model: Annotated[str | None, typer.Option(help="Korektor's model.", show_default="its own choice")] = None,
) -> None:
    """Propose corrections of spelling, word by word; nothing is changed."""
    from kostra import tables
    from kostra.console import progress_bar
    from kostra.sources.spelling.korektor import LINDAT

    one_of("--table", table, ("list", "pairs"))
    with progress_bar("checking") as progress:
        found = kostra.spell(
            file,
            language=language,
            columns=named_columns(column or []),
            checker=checker,
            dictionary=dictionary,
            suggestions=suggestions,
            url=url or LINDAT,
            model=model,
            progress=progress,
        )
    tables.write(found.pairs if table == "pairs" else found.frame, output)
    say(f"{found.frame.height:,} proposals for {found.words:,} words in {found.sentences:,} sentences")
    warn([str(finding) for finding in found.findings])

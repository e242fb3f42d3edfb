"""Commands that transform sentences by rule."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kostra
from kostra.commands.shared import Column, Seed, app, named_columns, say, warn


@app.command()
def transform(
    sentences: Annotated[
        str, typer.Argument(help="Sentences, one a line, a table of them, or CoNLL-U; - is standard input.")
    ],
    language: Annotated[str, typer.Option("--language", "--lang", help="Whose rules: cs, en or pl.")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the new sentences.")] = "-",
    parser: Annotated[
        str | None, typer.Option(help="Such as udpipe:pl.udpipe; not needed for trees.", show_default=False)
    ] = None,
    column: Column = None,
    rules: Annotated[str | None, typer.Option(help="Only these, by commas.", show_default="all")] = None,
    compose: Annotated[int, typer.Option(help="How many rules may work one upon the other.")] = 1,
    limit: Annotated[
        int | None, typer.Option(help="The safest so many per rule and sentence.", show_default=False)
    ] = None,
    confidence: Annotated[float, typer.Option(help="Least confidence of an output, from 0 to 1.")] = 0.0,
    seed: Seed = 0,
    reread: Annotated[
        bool | None,
        typer.Option(
            "--reread/--read-once",
            help="Parse sentences in other spellings too; keep what all readings give.",
            show_default="as the language has it: --reread for cs and en",
        ),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Parse outputs again; drop implausible ones.")] = False,
    workers: Annotated[int | None, typer.Option(help="How many processes.", show_default=False)] = None,
    work: Annotated[
        Path | None, typer.Option(help="Folder for finished blocks, to resume from.", show_default=False)
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the trees before and after, and why each rule fired or not.")
    ] = False,
    figures: Annotated[
        Path | None, typer.Option(help="With --explain: folder for drawings (SVG).", show_default=False)
    ] = None,
) -> None:
    """Make new sentences by rules on dependency trees: similar, contradictory and neutral ones."""
    if (workers or 1) > 1 and not explain:
        from kostra.sampling import helpers

        helpers.begin("kostra.transforming", f"kostra.transforms.{language}.language", "ufal.udpipe")
    from kostra import files, tables
    from kostra.console import progress_bar

    columns = named_columns(column or [])
    chosen = [name.strip() for name in rules.split(",")] if rules else None
    if explain:
        told = kostra.explain(
            sentences,
            language=language,
            parser=parser,
            columns=columns,
            rules=chosen,
            compose=compose,
            limit=limit,
            reread=reread,
        )
        if figures is not None:
            figures.mkdir(parents=True, exist_ok=True)
        for number, one in enumerate(told, 1):
            print(one.text(), end="\n\n")
            for place, drawing in enumerate(one.svgs(), 1) if figures is not None else ():
                files.write_text(drawing, Path(figures or "") / f"{number:02d}-{place:02d}.svg")
        return
    with progress_bar("transforming") as progress:
        made = kostra.transform(
            sentences,
            language=language,
            parser=parser,
            columns=columns,
            rules=chosen,
            compose=compose,
            limit=limit,
            confidence=confidence,
            seed=seed,
            reread=reread,
            verify=verify,
            workers=workers,
            work=work,
            progress=progress,
        )
    tables.write(made.frame, output)
    counted = ", ".join(f"{name} {count:,}" for name, count in made.by_rule.items())
    say(f"{made.frame.height:,} sentences from {made.sources:,}: {counted or 'no rule fired'}")
    warn([str(finding) for finding in made.findings])

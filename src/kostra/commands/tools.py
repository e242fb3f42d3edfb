"""Commands on files of sentences, pairs and tuples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kostra
from kostra.commands.shared import AsJson, Column, Language, Merge, Seed, app, named_columns, print_json, say, warn
from kostra.errors import KostraError


@app.command()
def tuples(
    items: Annotated[str, typer.Argument(help="Items, one a line, or a table with an id column; - is standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the tuples.")] = "-",
    size: Annotated[int, typer.Option(help="Items in a tuple.")] = 4,
    factor: Annotated[float, typer.Option(help="Tuples per item.")] = 2,
    seed: Seed = 0,
    column: Annotated[str | None, typer.Option(help="The column that holds the items.", show_default=False)] = None,
    merge_near_duplicates: Merge = False,
) -> None:
    """Make balanced random tuples for best–worst scaling: Item1,…,Item4."""
    from kostra import tables

    made = kostra.tuples(
        items, size=size, factor=factor, seed=seed, column=column, merge_near_duplicates=merge_near_duplicates
    )
    tables.write(made.frame, output)
    quality = made.quality
    often = (
        f"{quality.appearances_min}"
        if quality.appearances_min == quality.appearances_max
        else f"{quality.appearances_min} or {quality.appearances_max}"
    )
    say(f"{quality.tuples:,} tuples of {quality.size} from {quality.items:,} items; every item appears {often} times")
    warn(made.warnings)


@app.command()
def pairs(
    corpus: Annotated[
        list[str] | None, typer.Argument(help="Files, folders or patterns of sentences; - is standard input.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="How to pair them, such as overlap or idf-dice.", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE for the strategy, such as pairs=500; once per option.", show_default=False),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the pairs.")] = "-",
    reader: Annotated[str, typer.Option(help="How to read the corpus: a component of sources.")] = "files",
    column: Column = None,
    language: Language = "und",
    seed: Seed = 0,
    scheduler: Annotated[
        str | None, typer.Option(help="Where blocks run: local, slurm or a Dask address.", show_default="this process")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="How many processes or workers.", show_default=False)] = None,
    work: Annotated[
        Path | None, typer.Option(help="Folder for finished blocks, to resume from.", show_default=False)
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Folder for the bias report: tables and figures.", show_default=False)
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the strategies with their options.")] = False,
) -> None:
    """Pair the sentences of a corpus by a named strategy, and report the bias of what was sampled."""
    from kostra import tables
    from kostra.console import progress_bar

    if listed:
        for one in kostra.strategies():
            print(f"{one.name}\n    {one.summary}")
            for choice in one.options:
                needed = "required" if choice.default is None else f"default {choice.default}"
                print(f"      {choice.name}: {choice.accepts}, {needed}. {choice.doc}")
        return
    if not corpus or strategy is None:
        raise KostraError(
            "a corpus and a strategy are needed",
            remedy="kostra pairs corpus.txt --strategy overlap --option pairs=300   (kostra pairs --list)",
        )
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)  # refuses before anything is drawn
    with progress_bar("pairing") as progress:
        found = kostra.pairs(
            corpus,
            strategy=strategy,
            options=option or [],
            reader=reader,
            columns=named_columns(column or []),
            language=language,
            seed=seed,
            scheduler=scheduler,
            workers=workers,
            work=work,
            progress=progress,
        )
    tables.write(found.frame, output)
    if report is not None:
        found.bias.write(report)
    say(f"{found.frame.height:,} pairs of {found.sentences.height:,} sentences by {found.strategy}")
    warn(tuple(str(finding) for finding in found.findings))


@app.command()
def convert(
    path: Annotated[str, typer.Argument(help="A table, a list of sentences (.txt), or - for standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write it.")] = "-",
    table: Annotated[
        str | None, typer.Option(help="Kind of table: sentences, pairs, judgments, …", show_default=False)
    ] = None,
    released: Annotated[
        str | None,
        typer.Option(
            "--from", help="Read the release of a dataset: str2021, costra, czech_news_sts or cdsc.", show_default=False
        ),
    ] = None,
    language: Language = "und",
    column: Column = None,
    merge_near_duplicates: Merge = False,
) -> None:
    """Check a table and write it as CSV, TSV, JSONL or Parquet."""
    made = kostra.convert(
        path,
        output,
        table=table,
        released=released,
        language=language,
        columns=named_columns(column or []),
        merge_near_duplicates=merge_near_duplicates,
    )
    say(f"{made.frame.height:,} {made.kind}")
    if made.others:
        say(f"the file also holds {', '.join(made.others)}: ask for one with --table")
    warn(made.findings)


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="Load this one.", show_default=False)] = None,
    path: Annotated[
        str | None, typer.Option(help="Its file on this machine; without it, it is downloaded.", show_default=False)
    ] = None,
    part: Annotated[str | None, typer.Option(help="Which part, such as train.", show_default=False)] = None,
    table: Annotated[str, typer.Option(help="Which of its tables.")] = "pairs",
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the table.")] = "-",
    as_json: AsJson = False,
) -> None:
    """List the known public datasets, or load one from a local file or over the network."""
    from kostra import tables
    from kostra.errors import unknown

    if name is None:
        found = kostra.datasets()
        if as_json:
            print_json([{**vars(one), "parts": [vars(part) for part in one.parts]} for one in found])
            return
        for one in found:
            size = f"{one.size:,} {one.unit}" if one.size else "size unknown"
            print(f"{one.name}  [{', '.join(one.languages)}]  {one.title}")
            print(f"    {size}; licence: {one.licence or 'unknown'}; {one.address or 'no address known'}")
        return
    loaded = kostra.load_dataset(name, path, part=part)
    if table not in loaded.tables:
        raise unknown(f"table of {name}", table, loaded.tables)
    tables.write(loaded.tables[table], output)
    say(f"{loaded.tables[table].height:,} {table} of {name}; it holds {', '.join(loaded.tables)}")
    warn(tuple(str(finding) for finding in loaded.findings))

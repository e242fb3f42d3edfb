"""The command line: it parses, calls one public function, and prints."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import kostra
from kostra.errors import KostraError

if TYPE_CHECKING:
    from kostra.pipeline import StepStatus

# Plain help instead of rich's boxes: it reads the same in a terminal, a pipe and a screen reader, and starts faster.
app = typer.Typer(
    name="kostra",
    help="Build, annotate and evaluate datasets of sentence meaning.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Folder = Annotated[Path, typer.Argument(help="The project's folder.", show_default=False)]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]
Merge = Annotated[
    bool, typer.Option("--merge-near-duplicates", help="Merge texts that differ only in white space and punctuation.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

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


# Projects ----------------------------------------------------------------------------------------------


@app.command()
def recipes(as_json: AsJson = False) -> None:
    """List the recipes: language, protocol, citation."""
    found = kostra.recipes()
    if as_json:
        _print_json([{**vars(recipe), "path": str(recipe.path)} for recipe in found])
        return
    for recipe in found:
        print(f"{recipe.name}  [{recipe.language}]  {recipe.title}")
        print(f"    {recipe.protocol}")
        print(f"    {recipe.citation}")


@app.command()
def new(
    recipe: Annotated[str, typer.Argument(help="A recipe's name, or the path of a recipe.toml.", show_default=False)],
    folder: Folder,
) -> None:
    """Make a project folder: the recipe, sample data, and a README of the next steps."""
    place = kostra.new(recipe, folder)
    print(f"made {place}: recipe.toml, README.md and data/")
    print(f"next: kostra check {place}")


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(help="A project's folder, or a recipe.toml.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Validate recipe and data, and say what each step will do, in numbers, before anything runs."""
    found = kostra.check(folder)
    if as_json:
        _print_json([_as_dict(status) for status in found])
        return
    _print_steps(found)
    later = sum(status.state in ("later", "blocked") for status in found)
    print(f"the recipe is valid: {len(found)} steps" + (f", {later} of them not in this version" if later else ""))


@app.command()
def build(
    folder: Folder,
    simulate: Annotated[bool, typer.Option("--simulate", help="Let simulated annotators answer for people.")] = False,
    to: Annotated[str | None, typer.Option(help="Stop after this step.", show_default=False)] = None,
) -> None:
    """Run every step that can run and is not up to date."""
    from kostra.console import BuildView

    with BuildView() as view:
        built = kostra.build(folder, simulate=simulate, to=to, observer=view)
    for path in built.published():
        print(f"made {path}")
    for path in built.outdated():
        print(f"{path} is of an earlier build and out of date", file=sys.stderr)
    if not built.complete and to is None:
        print("not everything could run: see the steps above", file=sys.stderr)


@app.command()
def status(folder: Folder, as_json: AsJson = False) -> None:
    """Say where each step of a project stands."""
    found = kostra.status(folder)
    if as_json:
        _print_json([_as_dict(one) for one in found])
        return
    _print_steps(found)


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to build it.")] = Path("demo"),
) -> None:
    """Build a small dataset end to end with simulated annotators, and say what to try next."""
    from kostra.console import BuildView

    with BuildView() as view:
        built = kostra.demo(folder, observer=view)
    # As the command was called, so that the lines below can be copied also where kostra is not on the path.
    call = "kostra" if shutil.which("kostra") else sys.argv[0]
    print()
    print(f"A dataset came into being in {built.folder}:")
    print(f"  {built.folder / 'dataset'}      pairs, scores and raw answers, with a card")
    print(f"  {built.folder / 'report.html'}  everything on one page: open it in a browser")
    print()
    print("Its annotators were simulated. Try next:")
    print(f"  {call} status {built.folder}")
    print("      where each step stands; a second build skips all of them")
    print(f"  {call} build {built.folder} --simulate")
    print(f"      after changing a number in {built.folder / 'recipe.toml'}")
    print(f"  {call} recipes")
    print("      the four published protocols, and plain ones to start from")
    print(f"  {call} new bws my-dataset")
    print("      a project for your own pairs in a CSV")
    print("The annotation site, where people take the place of the simulated ones, is not in this version.")


@app.command()
def components(
    room: Annotated[str | None, typer.Argument(help="Only this room.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List everything that a recipe can name, built in or plugged in."""
    found = kostra.components(room)
    if as_json:
        _print_json([vars(one) for one in found])
        return
    for one in found:
        later = f"  [comes with issue {one.planned}]" if one.planned else ""
        print(f"{one.room}/{one.name}{later}\n    {one.summary}")


@app.command()
def run(
    use: Annotated[str, typer.Argument(help="A component as room/name; kostra components lists them.")],
    read: Annotated[
        list[str] | None, typer.Option(help="KIND=FILE, such as judgments=j.csv; once per table.", show_default=False)
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE for the component.", show_default=False)] = None,
    question: Annotated[str, typer.Option(help="The main question.")] = "score",
    low: Annotated[float, typer.Option(help="Lower end of its declared range.")] = 0.0,
    high: Annotated[float, typer.Option(help="Upper end of its declared range.")] = 1.0,
    language: Annotated[str, typer.Option(help="ISO 639 code.")] = "und",
    seed: Seed = 0,
    to: Annotated[
        Path | None, typer.Option(help="A new folder for all that it makes.", show_default="the first table is printed")
    ] = None,
) -> None:
    """Run one component on tables in files, without a project: every statistic and score is a command."""
    from kostra import tables

    strange = [one for one in read or [] if "=" not in one]
    if strange:
        raise KostraError(f'--read: found "{strange[0]}"', accepted="KIND=FILE, such as judgments=j.csv")
    reads = dict(one.split("=", 1) for one in read or [])
    made = kostra.run(
        use, reads, options=option or [], question=question, low=low, high=high, language=language, seed=seed, to=to
    )
    if to is None and made.tables:
        tables.write(next(iter(made.tables.values())), "-")
    for path in made.files:
        print(f"made {path}")
    _warn(made.findings)


# Tools on files ----------------------------------------------------------------------------------------


@app.command()
def tuples(
    items: Annotated[
        str, typer.Argument(help="Items, one a line, or a table with an id column; - is a list, or CSV with --column.")
    ],
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
    _say(f"{quality.tuples:,} tuples of {quality.size} from {quality.items:,} items; every item appears {often} times")
    _warn(made.warnings)


@app.command()
def pairs(
    corpus: Annotated[
        list[str] | None, typer.Argument(help="Files, folders or patterns of sentences; - is standard input.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="How to pair them, such as overlap or idf-dice.", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE for the strategy, such as pairs=500.", show_default=False)
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the pairs.")] = "-",
    reader: Annotated[str, typer.Option(help="How to read the corpus: a component of sources.")] = "files",
    language: Annotated[str, typer.Option(help="ISO 639 code, for sentences whose file does not say it.")] = "und",
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
    with progress_bar("pairing") as progress:
        found = kostra.pairs(
            corpus,
            strategy=strategy,
            options=option or [],
            reader=reader,
            language=language,
            seed=seed,
            scheduler=scheduler,
            workers=workers,
            work=work,
            progress=progress,
        )
    tables.write(found.frame, output)
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)
        found.bias.write(report)
    _say(f"{found.frame.height:,} pairs of {found.sentences.height:,} sentences by {found.strategy}")
    _warn(tuple(str(finding) for finding in found.findings))


@app.command()
def bws(
    answers: Annotated[str, typer.Argument(help="A table of answers: Item1,…,Item4,BestItem,WorstItem[,Annotator].")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write the scores; - is standard output.")
    ] = None,
    as_json: AsJson = False,
    method: Annotated[str, typer.Option(help="counting, choice or choice-annotators.")] = "counting",
    trials: Annotated[
        int | None, typer.Option(help="Random splits per reliability.", show_default="1000, or 200 for choice")
    ] = None,
    figure: Annotated[str | None, typer.Option(help="Draw the scores: .svg, .pdf or .png.", show_default=False)] = None,
    seed: Seed = 0,
    items: Annotated[str | None, typer.Option(help="Item columns, separated by commas.", show_default=False)] = None,
    best: Annotated[str | None, typer.Option(help="Column of the best item.", show_default=False)] = None,
    worst: Annotated[str | None, typer.Option(help="Column of the worst item.", show_default=False)] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotator.", show_default=False)] = None,
    merge_near_duplicates: Merge = False,
) -> None:
    """Score best–worst answers and measure their split-half reliability."""
    from kostra import figures, tables

    if as_json and output == "-":
        raise KostraError("--json and -o - both want standard output", remedy="write the scores to a file: -o FILE")
    found = kostra.bws(
        answers,
        method=_one_of("--method", method, ("counting", "choice", "choice-annotators")),
        trials=trials,
        seed=seed,
        items=tuple(name.strip() for name in items.split(",")) if items is not None else None,
        best=best,
        worst=worst,
        annotator=annotator,
        merge_near_duplicates=merge_near_duplicates,
    )
    if output is not None:
        tables.write(found.scores, output)
    if figure is not None:
        figures.save(found.figure(), figure)
    if as_json:
        _print_json(found.summary())
        return
    people = f" by {found.annotators:,} annotators" if found.annotators is not None else ""
    _say(f"{found.items:,} items, {found.tuples:,} tuples, {found.answers:,} answers{people}")
    for name, result in (("split-half", found.split_half), ("tuple-disjoint split-half", found.split_half_disjoint)):
        spread = f" (sd {result.spearman_sd:.4f})" if result.trials - result.undefined > 1 else ""
        values = f"Spearman {result.spearman:.4f}{spread}, Pearson {result.pearson:.4f}"
        said = values if result.undefined < result.trials else "undefined"
        _say(f"{name}: {said}, {result.trials:,} trials, {result.left_out:.1f} items left out")
    _warn(found.warnings)


@app.command()
def convert(
    path: Annotated[str, typer.Argument(help="A table, a list of sentences (.txt), or - for standard input.")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write it.")] = "-",
    table: Annotated[
        str | None, typer.Option(help="Kind of table: sentences, pairs, judgments, …", show_default=False)
    ] = None,
    released: Annotated[
        str | None,
        typer.Option("--from", help="Read the release of a dataset: str2021, costra, czech_news_sts, cdsc."),
    ] = None,
    language: Annotated[str, typer.Option(help="ISO 639 code, for sentences whose file does not say it.")] = "und",
    column: Annotated[
        list[str] | None, typer.Option(help="OURS=THEIRS, where a column is called otherwise.", show_default=False)
    ] = None,
    merge_near_duplicates: Merge = False,
) -> None:
    """Check a table and write it as CSV, TSV, JSONL or Parquet."""
    made = kostra.convert(
        path,
        output,
        table=table,
        released=released,
        language=language,
        columns=_named_columns(column or []),
        merge_near_duplicates=merge_near_duplicates,
    )
    _say(f"{made.frame.height:,} {made.kind}")
    if made.others:
        _say(f"the file also holds {', '.join(made.others)}: ask for one with --table")
    _warn(made.findings)


def _named_columns(said: list[str]) -> dict[str, str]:
    strange = [one for one in said if "=" not in one]
    if strange:
        raise KostraError(f'--column: found "{strange[0]}"', accepted="OURS=THEIRS, such as text_a=premise")
    return {ours: theirs for ours, _, theirs in (one.partition("=") for one in said)}


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
            _print_json([{**vars(one), "parts": [vars(part) for part in one.parts]} for one in found])
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
    _say(f"{loaded.tables[table].height:,} {table} of {name}; it holds {', '.join(loaded.tables)}")
    _warn(tuple(str(finding) for finding in loaded.findings))


@app.command()
def agree(
    path: Annotated[
        str, typer.Argument(help="Answers: long (item, annotator, value), wide, or a judgments table; or -.")
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write the statistics as a table.", show_default=False)
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="nominal, ordinal, interval or ratio.", show_default="by the answers")
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(help="Answers that make one class, such as 1,2,3,4; give it once per class.", show_default=False),
    ] = None,
    question: Annotated[str | None, typer.Option(help="Which question.", show_default=False)] = None,
    released: Annotated[
        str | None, typer.Option("--from", help="Read the release of a dataset: czech_news_sts.", show_default=False)
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of the item.", show_default=False)] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotator.", show_default=False)] = None,
    value: Annotated[str | None, typer.Option(help="Column of the answer.", show_default=False)] = None,
    wide: Annotated[str | None, typer.Option(help="Columns of a wide file, by commas.", show_default=False)] = None,
    samples: Annotated[int, typer.Option(help="Bootstrap samples.")] = 1000,
    seed: Seed = 0,
    figure: Annotated[str | None, typer.Option(help="Draw it: .svg, .pdf or .png.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how far annotators agree, with intervals: α, κ, ICC, each against the others, repeats, split halves."""
    from kostra import figures, tables

    found = kostra.agree(
        path,
        level=_one_of("--level", level, ("nominal", "ordinal", "interval", "ratio")),
        groups=[one.split(",") for one in group] if group else None,
        question=question,
        released=released,
        item=item,
        annotator=annotator,
        value=value,
        wide=tuple(wide.split(",")) if wide else (),
        samples=samples,
        seed=seed,
    )
    if output is not None:
        tables.write(found.table(), output)
    if figure is not None:
        figures.save(found.figure(), figure)
    summary = found.summary()
    if as_json:
        _print_json(summary)
        return
    people = "anonymous answers" if summary["annotators"] is None else f"{summary['annotators']:,} annotators"
    _say(f"{summary['items']:,} items, {summary['values']:,} answers, {people}")
    for name, one in summary["statistics"].items():
        print(f"{name:<32} {_interval(one)}")
    _warn(tuple(summary["warnings"]))


@app.command()
def rounds(
    path: Annotated[str, typer.Argument(help="A scores table, or with --from a released dataset.")],
    first: Annotated[str | None, typer.Option(help="The first question.", show_default=False)] = None,
    second: Annotated[str | None, typer.Option(help="The second question.", show_default=False)] = None,
    released: Annotated[
        str | None, typer.Option("--from", help="Read the release of a dataset: czech_news_sts.", show_default=False)
    ] = None,
    low: Annotated[float | None, typer.Option(help="Lower end of the declared range.", show_default=False)] = None,
    high: Annotated[float | None, typer.Option(help="Upper end of the declared range.", show_default=False)] = None,
    correct: Annotated[
        list[str] | None,
        typer.Option(help="QUESTION:ITEM=SCORE, a score to read otherwise; it is recorded.", show_default=False),
    ] = None,
    samples: Annotated[int, typer.Option(help="Bootstrap samples.")] = 1000,
    seed: Seed = 0,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write the statistics as a table.", show_default=False)
    ] = None,
    figure: Annotated[str | None, typer.Option(help="Draw it: .svg, .pdf or .png.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Correlate two rounds of scores of the same items, with corrections only where you name them."""
    from kostra import figures, tables

    found = kostra.rounds(
        path,
        first=first,
        second=second,
        released=released,
        low=low,
        high=high,
        corrections=dict(_correction(one) for one in correct or []),
        samples=samples,
        seed=seed,
    )
    if output is not None:
        tables.write(found.table(), output)
    if figure is not None:
        figures.save(found.figure(), figure)
    summary = found.summary()
    if as_json:
        _print_json(summary)
        return
    _say(f"{found.first} and {found.second}: {found.items:,} items")
    for name, one in summary["statistics"].items():
        print(f"{name:<32} {_interval(one)}")
    _warn(found.warnings)


def _correction(said: str) -> tuple[tuple[str, str], float]:
    place, _, score = said.rpartition("=")
    question, _, item = place.partition(":")
    try:
        value = float(score)
    except ValueError:
        value = float("nan")
    if not question or not item or value != value:
        raise KostraError(f'--correct: found "{said}"', accepted="QUESTION:ITEM=SCORE, such as round_1:line-0004=4")
    return (question, item), value


@app.command()
def plan(
    folder: Annotated[Path | None, typer.Argument(help="The project's folder.", show_default=False)] = None,
    items: Annotated[int | None, typer.Option(help="Number of items, without a project.", show_default=False)] = None,
    pilot: Annotated[
        str | None, typer.Option(help="A pilot's answers, to measure the noise from.", show_default=False)
    ] = None,
    noise: Annotated[float | None, typer.Option(help="Noise of a typical annotator.", show_default=False)] = None,
    careless: Annotated[float | None, typer.Option(help="Share of careless annotators.", show_default=False)] = None,
    design: Annotated[
        list[str] | None,
        typer.Option(
            help="rating, bws_repeated, bws_distinct, bws_adaptive; give it once per design.", show_default="all"
        ),
    ] = None,
    target: Annotated[float, typer.Option(help="The Spearman correlation wanted.")] = 0.9,
    measure: Annotated[str, typer.Option(help="Correlation with the truth, or of split_half.")] = "truth",
    rating_seconds: Annotated[float, typer.Option(help="Seconds per rating.")] = 12.0,
    best_worst_seconds: Annotated[float, typer.Option(help="Seconds per best–worst answer.")] = 25.0,
    hourly_pay: Annotated[float, typer.Option(help="Pay per hour.")] = 12.0,
    hours_each: Annotated[float, typer.Option(help="Hours that one annotator works.")] = 2.0,
    simulations: Annotated[int, typer.Option(help="Simulated campaigns per design and size.")] = 10,
    seed: Seed = 0,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write the curves as a table.", show_default=False)
    ] = None,
    figure: Annotated[str | None, typer.Option(help="Draw it: .svg, .pdf or .png.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate campaigns to see what reliability answers buy, and what a target takes of people, hours and money."""
    from kostra import figures, tables
    from kostra.console import progress_bar

    with progress_bar("simulating") as progress:
        made = kostra.plan(
            folder,
            items=items,
            pilot=pilot,
            noise=noise,
            careless=careless,
            designs=tuple(design) if design else None,
            target=target,
            measure=_one_of("--measure", measure, ("truth", "split_half")),
            rating_seconds=rating_seconds,
            best_worst_seconds=best_worst_seconds,
            hourly_pay=hourly_pay,
            hours_each=hours_each,
            simulations=simulations,
            seed=seed,
            progress=progress,
        )
    if output is not None:
        tables.write(made.curve, output)
    if figure is not None:
        figures.save(made.figure(), figure)
    if as_json:
        _print_json(made.summary())
        return
    from kostra.console import plan_lines

    for line in plan_lines(made):
        print(line)
    _warn(made.notes)


def _one_of(option: str, value: Any, accepted: tuple[str, ...]) -> Any:
    if value is not None and value not in accepted:
        from kostra.errors import unknown

        raise unknown(f"value of {option}", value, accepted)
    return value


def _interval(one: dict[str, Any]) -> str:
    """An estimate in words: value, interval, or why there is none."""
    if one["value"] is None:
        return (
            str(one["note"]) if str(one["note"]).startswith(("undefined", "refused")) else f"undefined: {one['note']}"
        )
    ends = f"  [{one['low']:.4f}, {one['high']:.4f}]" if one["low"] is not None and one["high"] is not None else ""
    return f"{one['value']:.5f}{ends}  n = {one['n']:,}"


# Printing ----------------------------------------------------------------------------------------------


def _print_json(value: Any) -> None:
    from kostra.files import write_text

    write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", "-")


def _say(message: str) -> None:
    """Tell what was done, beside the data that may go to standard output."""
    print(message, file=sys.stderr)


def _warn(warnings: tuple[str, ...]) -> None:
    for warning in warnings:
        print(f"note: {warning}", file=sys.stderr)


def _as_dict(status: StepStatus) -> dict[str, Any]:
    return {
        "step": status.step.name,
        "use": status.step.use,
        "state": status.state,
        "why": status.why,
        "rows": dict(status.rows),
        "plan": status.plan,
        "findings": list(status.findings),
    }


def _print_steps(found: list[StepStatus]) -> None:
    from kostra.console import step_lines

    for one in found:
        for line in step_lines(one):
            print(line)


if __name__ == "__main__":
    main()

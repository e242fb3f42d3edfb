"""Commands that score and measure answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import kostra
from kostra.commands.shared import AsJson, Figure, Merge, Seed, app, interval, one_of, print_json, say, warn
from kostra.errors import KostraError

if TYPE_CHECKING:
    from kostra.tables import Frame


Statistics = Annotated[
    str | None, typer.Option("--output", "-o", help="Where to write the statistics as a table.", show_default=False)
]
Released = Annotated[
    str | None, typer.Option("--from", help="Read the release of a dataset: czech_news_sts.", show_default=False)
]


def _write(table: Frame, output: str | None, draw: Callable[[], Any], figure: str | None) -> None:
    """Write what was measured as a table and as a figure, where they are asked for."""
    from kostra import figures, tables

    if output is not None:
        tables.write(table, output)
    if figure is not None:
        figures.save(draw(), figure)


@app.command()
def bws(
    answers: Annotated[str, typer.Argument(help="A table of answers: Item1,…,Item4,BestItem,WorstItem[,Annotator].")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Where to write the scores; - is standard output.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    method: Annotated[str, typer.Option(help="counting, choice or choice-annotators.")] = "counting",
    trials: Annotated[
        int | None, typer.Option(help="Random splits per reliability.", show_default="1000, or 200 for choice")
    ] = None,
    figure: Figure = None,
    seed: Seed = 0,
    items: Annotated[str | None, typer.Option(help="Item columns, separated by commas.", show_default=False)] = None,
    best: Annotated[str | None, typer.Option(help="Column of the best item.", show_default=False)] = None,
    worst: Annotated[str | None, typer.Option(help="Column of the worst item.", show_default=False)] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotator.", show_default=False)] = None,
    merge_near_duplicates: Merge = False,
) -> None:
    """Score best–worst answers and measure their split-half reliability."""
    if as_json and output == "-":
        raise KostraError("--json and -o - both want standard output", remedy="write the scores to a file: -o FILE")
    found = kostra.bws(
        answers,
        method=one_of("--method", method, ("counting", "choice", "choice-annotators")),
        trials=trials,
        seed=seed,
        items=tuple(name.strip() for name in items.split(",")) if items is not None else None,
        best=best,
        worst=worst,
        annotator=annotator,
        merge_near_duplicates=merge_near_duplicates,
    )
    _write(found.scores, output, found.figure, figure)
    if as_json:
        print_json(found.summary())
        return
    people = f" by {found.annotators:,} annotators" if found.annotators is not None else ""
    say(f"{found.items:,} items, {found.tuples:,} tuples, {found.answers:,} answers{people}")
    for name, result in (("split-half", found.split_half), ("tuple-disjoint split-half", found.split_half_disjoint)):
        spread = f" (sd {result.spearman_sd:.4f})" if result.trials - result.undefined > 1 else ""
        values = f"Spearman {result.spearman:.4f}{spread}, Pearson {result.pearson:.4f}"
        said = values if result.undefined < result.trials else "undefined"
        say(f"{name}: {said}, {result.trials:,} trials, {result.left_out:.1f} items left out")
    warn(found.warnings)


@app.command()
def agree(
    path: Annotated[
        str, typer.Argument(help="Answers: long (item, annotator, value), wide, or a judgments table; or -.")
    ],
    output: Statistics = None,
    level: Annotated[
        str | None, typer.Option(help="nominal, ordinal, interval or ratio.", show_default="by the answers")
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(help="Answers that make one class, such as 1,2,3,4; give it once per class.", show_default=False),
    ] = None,
    question: Annotated[str | None, typer.Option(help="Which question.", show_default=False)] = None,
    released: Released = None,
    item: Annotated[str | None, typer.Option(help="Column of the item.", show_default=False)] = None,
    annotator: Annotated[str | None, typer.Option(help="Column of the annotator.", show_default=False)] = None,
    value: Annotated[str | None, typer.Option(help="Column of the answer.", show_default=False)] = None,
    wide: Annotated[str | None, typer.Option(help="Columns of a wide file, by commas.", show_default=False)] = None,
    samples: Annotated[int, typer.Option(help="Bootstrap samples.")] = 1000,
    seed: Seed = 0,
    figure: Figure = None,
    as_json: AsJson = False,
) -> None:
    """Measure how far annotators agree, with intervals: α, κ, ICC, each against the others, repeats, split halves."""
    found = kostra.agree(
        path,
        level=one_of("--level", level, ("nominal", "ordinal", "interval", "ratio")),
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
    _write(found.table(), output, found.figure, figure)
    summary = found.summary()
    if as_json:
        print_json(summary)
        return
    people = "anonymous answers" if summary["annotators"] is None else f"{summary['annotators']:,} annotators"
    say(f"{summary['items']:,} items, {summary['values']:,} answers, {people}")
    for name, one in summary["statistics"].items():
        print(f"{name:<32} {interval(one)}")
    warn(tuple(summary["warnings"]))


@app.command()
def rounds(
    path: Annotated[str, typer.Argument(help="A scores table, or with --from a released dataset.")],
    first: Annotated[str | None, typer.Option(help="The first question.", show_default=False)] = None,
    second: Annotated[str | None, typer.Option(help="The second question.", show_default=False)] = None,
    released: Released = None,
    low: Annotated[float | None, typer.Option(help="Lower end of the declared range.", show_default=False)] = None,
    high: Annotated[float | None, typer.Option(help="Upper end of the declared range.", show_default=False)] = None,
    correct: Annotated[
        list[str] | None,
        typer.Option(help="QUESTION:ITEM=SCORE, a score to read otherwise; it is recorded.", show_default=False),
    ] = None,
    samples: Annotated[int, typer.Option(help="Bootstrap samples.")] = 1000,
    seed: Seed = 0,
    output: Statistics = None,
    figure: Figure = None,
    as_json: AsJson = False,
) -> None:
    """Correlate two rounds of scores of the same items, with corrections only where you name them."""
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
    _write(found.table(), output, found.figure, figure)
    summary = found.summary()
    if as_json:
        print_json(summary)
        return
    say(f"{found.first} and {found.second}: {found.items:,} items")
    for name, one in summary["statistics"].items():
        print(f"{name:<32} {interval(one)}")
    warn(found.warnings)


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
    figure: Figure = None,
    as_json: AsJson = False,
) -> None:
    """Simulate campaigns to see what reliability answers buy, and what a target takes of people, hours and money."""
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
            measure=one_of("--measure", measure, ("truth", "split_half")),
            rating_seconds=rating_seconds,
            best_worst_seconds=best_worst_seconds,
            hourly_pay=hourly_pay,
            hours_each=hours_each,
            simulations=simulations,
            seed=seed,
            progress=progress,
        )
    _write(made.curve, output, made.figure, figure)
    if as_json:
        print_json(made.summary())
        return
    from kostra.console import plan_lines

    for line in plan_lines(made):
        print(line)
    warn(made.notes)

"""Commands that hold encoders against people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import kostra
from kostra.commands.shared import (
    AsJson,
    Column,
    JsonFile,
    Seed,
    aligned,
    app,
    named_columns,
    one_of,
    print_json,
    say,
    warn,
)

if TYPE_CHECKING:
    from kostra.evaluate.outcome import Evaluation, Measure

Datasets = Annotated[
    list[str],
    typer.Argument(help="A dataset folder, a table with two sentences and a score, or NAME=FILE of a known dataset."),
]
Encoders = Annotated[
    list[str] | None,
    typer.Option("--encoder", "-e", help="Such as dice, static or sbert:NAME; once per encoder.", show_default=False),
]
Split = Annotated[
    str | None,
    typer.Option(
        help="Part of a released folder: train, validation, test or all.", show_default="test, if there is one"
    ),
]
Samples = Annotated[int, typer.Option(help="Bootstrap samples; 0 for no intervals.")]
Question = Annotated[str | None, typer.Option(help="Which score, where there are several.", show_default=False)]
Similarity = Annotated[str, typer.Option(help="cosine, dot, euclidean or manhattan.")]
OwnLanguage = Annotated[str | None, typer.Option("--language", "--lang", help="ISO 639 code.", show_default=False)]
DEFAULT = ("dice", "static")


@app.command()
def evaluate(
    datasets: Datasets,
    encoder: Encoders = None,
    task: Annotated[
        list[str] | None,
        typer.Option(help="relatedness, entailment, transformations, triplets, …; once per task.", show_default=False),
    ] = None,
    protocol: Annotated[str, typer.Option(help="whole, random, grouped or leave_one_source_out.")] = "whole",
    similarity: Similarity = "cosine",
    by: Annotated[
        list[str] | None, typer.Option(help="Parts: source, subset, bin; once per kind.", show_default=False)
    ] = None,
    bins: Annotated[int, typer.Option(help="Bins of the score, with --by bin.")] = 5,
    question: Question = None,
    context_question: Annotated[str | None, typer.Option(help="The score that was given in context.")] = None,
    split: Split = None,
    column: Column = None,
    low: Annotated[float | None, typer.Option(help="Lower end of the declared range.", show_default=False)] = None,
    high: Annotated[float | None, typer.Option(help="Upper end of the declared range.", show_default=False)] = None,
    language: OwnLanguage = None,
    folds: Annotated[int, typer.Option(help="How many folds.")] = 5,
    repeats: Annotated[int, typer.Option(help="How many shufflings of the folds.")] = 1,
    drop_bridges: Annotated[
        bool, typer.Option("--drop-bridges", help="Leave out of training what shares a sentence with the tested fold.")
    ] = False,
    samples: Samples = 1000,
    seed: Seed = 0,
    as_json: JsonFile = None,
    results: Annotated[Path | None, typer.Option(help="Folder for result files as MTEB has them.")] = None,
) -> None:
    """Hold encoders against people: correlations, labels, rewrites, with intervals and what people reach."""
    from kostra.console import progress_bar
    from kostra.evaluation import PROTOCOLS

    with progress_bar("evaluating") as progress:
        found = kostra.evaluate(
            datasets,
            encoder or DEFAULT,
            tasks=task,
            protocol=one_of("--protocol", protocol, PROTOCOLS),
            similarity=one_of("--similarity", similarity, ("cosine", "dot", "euclidean", "manhattan")),
            by=[one_of("--by", one, ("source", "subset", "bin")) for one in by or ["source"]],
            bins=bins,
            question=question,
            context_question=context_question,
            split=split,
            columns=named_columns(column or []),
            low=low,
            high=high,
            language=language,
            folds=folds,
            repeats=repeats,
            drop_bridges=drop_bridges,
            samples=samples,
            seed=seed,
            progress=progress,
        )
    if results is not None:
        from kostra.evaluate import results as files

        files.write(found.evaluations, results)
    _write_json(as_json, {"results": found.rows(), "findings": list(found.findings)})
    if as_json != "-":
        for line in result_lines(found.evaluations):
            print(line)
    warn(found.findings)


@app.command()
def compare(
    datasets: Datasets,
    encoder: Encoders = None,
    measure: Annotated[str, typer.Option(help="spearman or pearson.")] = "spearman",
    test: Annotated[str, typer.Option(help="What decides: bootstrap, williams or steiger.")] = "bootstrap",
    similarity: Similarity = "cosine",
    question: Question = None,
    split: Split = None,
    column: Column = None,
    language: OwnLanguage = None,
    samples: Samples = 1000,
    seed: Seed = 0,
    as_json: JsonFile = None,
) -> None:
    """Rank encoders, and say which of them cannot be told apart."""
    from kostra.console import progress_bar

    with progress_bar("comparing") as progress:
        found = kostra.compare(
            datasets,
            encoder or DEFAULT,
            measure=one_of("--measure", measure, ("spearman", "pearson")),
            test=one_of("--test", test, ("bootstrap", "williams", "steiger")),
            similarity=one_of("--similarity", similarity, ("cosine", "dot", "euclidean", "manhattan")),
            question=question,
            split=split,
            columns=named_columns(column or []),
            language=language,
            samples=samples,
            seed=seed,
            progress=progress,
        )
    rows = {"standings": found.rows(), "differences": found.differences(), "findings": list(found.findings)}
    _write_json(as_json, rows)
    if as_json != "-":
        for one in found.comparisons:
            print(f"{one.dataset}: {one.metric}, {one.n:,} pairs; encoders that share a letter cannot be told apart")
            print(*aligned([_standing(row) for row in found.rows() if row["dataset"] == one.dataset]), sep="\n")
            print(f"differences ({one.test}, adjusted by Holm)")
            print(*aligned([_difference(vars(row)) for row in one.differences]), sep="\n")
    warn(found.findings)


def _standing(row: Any) -> list[str]:
    return [f"  {row['encoder']}", _value(row["value"]), _ends(row["low"], row["high"]), str(row["letters"])]


def _difference(row: Any) -> list[str]:
    p = "p undefined" if row["holm_p"] is None else f"p = {row['holm_p']:.4f}"
    return [f"  {row['first']} − {row['second']}", _value(row["value"]), _ends(row["low"], row["high"]), p]


def _write_json(file: str | None, content: Any) -> None:
    if file is not None:
        from kostra.files import write_text

        write_text(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n", file)


def result_lines(evaluations: Iterable[Evaluation]) -> list[str]:
    """Every figure on a line, under its dataset, task and encoder; below, what was counted."""
    lines: list[str] = []
    before = None
    for one in evaluations:
        if (one.dataset, one.task) != before:
            before = (one.dataset, one.task)
            lines.append(f"{one.dataset}: {one.task}")
        lines.append(f"  {one.encoder}" + (f"  ({one.protocol})" if one.protocol not in ("whole", "people") else ""))
        lines += aligned(
            [
                [
                    f"    {m.part}",
                    m.metric,
                    _value(m.value),
                    _ends(m.low, m.high),
                    f"n = {m.n:,}",
                    _why(m),
                ]
                for m in one.measures
            ]
        )
        told = [f"{count:,} {name.replace('_', ' ')}" for name, count in one.counts.items() if count]
        if told:
            lines.append(f"    counted: {', '.join(told)}")
        if "folds" in one.details:
            lines.append(f"    {one.details['folds']}")
    return lines


def _value(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def _why(measure: Measure) -> str:
    note = measure.note
    return note if measure.value is None or note.startswith(("no interval", "mean of")) else ""


@app.command()
def picture(
    datasets: Datasets,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to draw it: .svg, .pdf or .png.")],
    encoder: Encoders = None,
    kind: Annotated[
        str | None,
        typer.Option(help="seed, type, types, overlap, predicted, parts or heat.", show_default="by the data"),
    ] = None,
    seed_sentence: Annotated[str | None, typer.Option(help="Id or beginning of a seed.", show_default=False)] = None,
    change: Annotated[str | None, typer.Option("--type", help="One kind of rewrite.", show_default=False)] = None,
    gloss: Annotated[
        str | None, typer.Option(help="A table with the columns sentence and gloss.", show_default=False)
    ] = None,
    question: Question = None,
    column: Column = None,
    seed: Seed = 0,
) -> None:
    """Draw sentences in two dimensions, or encoders against people."""
    from kostra.picturing import KINDS

    kostra.picture(
        datasets,
        encoder or ("static",),
        to=output,
        kind=one_of("--kind", kind, KINDS),
        seed_sentence=seed_sentence,
        change=change,
        gloss=gloss,
        question=question,
        columns=named_columns(column or []),
        seed=seed,
    )
    say(f"made {output}")


@app.command()
def leaderboard(
    folder: Annotated[Path, typer.Argument(help="A folder of result files, ours or MTEB's.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path("leaderboard.html"),
    title: Annotated[str, typer.Option(help="Its title.")] = "Encoders against people",
) -> None:
    """Make one sortable page of all result files in a folder."""
    count = kostra.leaderboard(folder, output, title=title)
    say(f"made {output}: {count:,} results")


@app.command()
def cache(
    action: Annotated[str, typer.Argument(help="list, clear or prune.")] = "list",
    encoder: Annotated[
        str | None, typer.Option(help="Clear only encoders whose name begins so.", show_default=False)
    ] = None,
    limit: Annotated[str | None, typer.Option(help="Prune to this size, such as 500MB.", show_default=False)] = None,
    days: Annotated[float | None, typer.Option(help="Prune what was not used for so long.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Show, clear or prune the vectors and trees that are kept of costly encoders and parsers."""
    chosen = one_of("action", action, ("list", "clear", "prune"))
    state = kostra.cache(chosen, encoder=encoder, limit=limit, days=days)
    if as_json:
        kept = [{**vars(one), "used": one.used.isoformat()} for one in state.kept]
        print_json({"folder": str(state.folder), "bytes": state.bytes, "removed": state.removed, "kept": kept})
        return
    for one in state.kept:
        print(f"{one.encoder}  {one.kind}: {one.entries:,} entries, {one.bytes:,} bytes, last used {one.used:%Y-%m-%d}")
    if action != "list":
        say(f"removed {state.removed:,}")
    say(f"{state.folder}: {state.bytes:,} bytes")

"""The dataset as its paper released it: COSTRA 1.1, CDSCorpus or STR-2021, one file that their readers take.

Czech News STS has several files, with and without contexts: `kostra.release.text_files`. Cells of these forms hold no
line breaks, and most no tabs; in a sentence such white space becomes a blank. What has no place in the form (a tie, a
pair without a score) is left out, and counted.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import polars as pl

from kostra import files
from kostra.errors import KostraError, some, unknown
from kostra.recipe import Strict
from kostra.release.folder import write_checksums
from kostra.release.text_files import number, plain, what_answered
from kostra.sources.released.cdsc import LABELS
from kostra.sources.released.costra import SEED, TRANSFORMATIONS, VALUES
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ()
WRITES = ()
PUBLISHES = "paper_file"

Cells = list[list[str]]
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Options(Strict):
    """Whose form, and which questions it holds."""

    form: Literal["costra", "cdsc", "str2021"]
    """The paper in whose form the data are written."""
    relatedness: str = "relatedness"
    """The question with the scores of CDSCorpus and STR-2021."""
    entailment: str = "entailment"
    """The question with the labels of CDSCorpus."""
    comparison: str = "degree"
    """The question with the majorities of COSTRA's comparisons."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One file."""
    return Plan(f"writes {PUBLISHES}/{_FILES[options.form]}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the file, what it holds in README.txt, and checksums."""
    rows = _FORMS[options.form](inputs, options, context)
    if len(rows) < 2:
        raise KostraError("nothing fits into the form", where=f'step "{context.step.name}"')
    folder = context.folder / PUBLISHES
    folder.mkdir(parents=True, exist_ok=True)
    name = _FILES[options.form]
    header, *lines = rows
    told = [header, *lines] if options.form != "costra" else lines
    files.write_text(_csv(told) if name.endswith(".csv") else _tsv(told), folder / name)
    about = context.recipe.recipe
    warning = what_answered(inputs, context)
    said = [about.title, "", *([warning, ""] if warning else [])]
    said += [f"{name}  {len(lines):,} lines: {'; '.join(header)}", "", *_NOTES[options.form], ""]
    said += [f"Licence: {about.licence}", f"Reference: {about.citation}", ""]
    files.write_text("\n".join(said), folder / "README.txt")
    write_checksums(folder)
    return {}


def _tsv(rows: Iterable[Sequence[str]]) -> str:
    return "".join("\t".join(cells) + "\n" for cells in rows)


def _csv(rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _needed(inputs: Inputs, *kinds: str, context: Context) -> list[Frame]:
    for kind in kinds:
        if inputs.get(kind) is None:
            raise KostraError(
                f"there are no {kind}",
                where=f'step "{context.step.name}"',
                remedy="name a step that writes them in `reads`",
            )
    return [inputs[kind] for kind in kinds]


def _asked(scores: Frame, question: str, column: str, context: Context) -> dict[str, object]:
    """Item → its score or label for a question."""
    known = scores["question"].unique(maintain_order=True).to_list()
    if question not in known:
        raise unknown("question with scores", question, known, where=f'step "{context.step.name}"')
    found = scores.filter(pl.col("question") == question).drop_nulls(column)
    return dict(found.select("item", column).iter_rows())


def _left_out(context: Context, what: str, names: Sequence[str]) -> None:
    if names:
        context.note("left_out", f"{len(names):,} {what}: {some(names)}")


# CDSCorpus and STR-2021 ----------------------------------------------------------------------------------


def _cdsc(inputs: Inputs, options: Options, context: Context) -> Cells:
    pairs, scores = _needed(inputs, "pairs", "scores", context=context)
    score = _asked(scores, options.relatedness, "score", context)
    label = _asked(scores, options.entailment, "label", context)
    rows: Cells = [["pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"]]
    unscored, unlabelled = [], []
    for pair, first, second in pairs.sort("pair").select("pair", "text_a", "text_b").iter_rows():
        if pair not in score:
            unscored.append(pair)
        elif str(label.get(pair, "")).lower() not in LABELS:
            unlabelled.append(pair)
        else:
            cells = [plain(first), plain(second), number(float(str(score[pair]))), str(label[pair]).upper()]
            rows.append([str(len(rows)), *cells])
    _left_out(context, "pairs have no score of their own (of a pair and its reverse one is released)", unscored)
    _left_out(context, "pairs have no label that most judges gave", unlabelled)
    return rows


def _str2021(inputs: Inputs, options: Options, context: Context) -> Cells:
    pairs, scores = _needed(inputs, "pairs", "scores", context=context)
    score = _asked(scores, options.relatedness, "score", context)
    rows: Cells = [["Index", "SourceID", "SubsetID", "PairID", "Text", "Score"]]
    unscored = []
    columns = ("pair", "text_a", "text_b", "source", "subset")
    for pair, first, second, source, subset in pairs.sort("pair").select(columns).iter_rows():
        if pair not in score:
            unscored.append(pair)
            continue
        corpus = plain(source) or context.recipe.recipe.name
        cells = [corpus, plain(subset) or corpus, pair, f"{plain(first)}\n{plain(second)}"]
        rows.append([str(len(rows) - 1), *cells, number(float(str(score[pair])))])
    _left_out(context, "pairs have no score", unscored)
    return rows


# COSTRA --------------------------------------------------------------------------------------------------


def _costra(inputs: Inputs, options: Options, context: Context) -> Cells:
    (sentences,) = _needed(inputs, "sentences", context=context)
    kinds = {name.replace(" ", "_"): name for name in TRANSFORMATIONS}
    numbers: dict[str, str] = {}
    seeds: dict[str, str] = {}
    rows: Cells = [["id", "seed number", "transformation", "sentence", "tokenized", *VALUES]]
    strange = []
    listed = sentences.select("sentence", "text", "origin", "change")
    # A seed stands before what was made from it.
    for name, text, origin, change in sorted(
        listed.iter_rows(), key=lambda row: (row[2] or row[0], row[2] is not None)
    ):
        kind = SEED if change is None else _kind(change, kinds)
        if kind is None:
            strange.append(name)
            continue
        numbers[name] = str(len(rows) - 1)
        group = seeds.setdefault(origin or name, str(len(seeds) + 1))
        words = " ".join(_TOKEN.findall(text))
        rows.append([numbers[name], group, kind, plain(text), words, *("" for _ in VALUES)])
    _left_out(context, f"sentences were made by a change that the form does not know ({', '.join(kinds)})", strange)
    _compare(rows, numbers, inputs, options, context)
    return rows


def _kind(change: str, kinds: Mapping[str, str]) -> str | None:
    """COSTRA's name of a change; of two paraphrases it makes no difference."""
    known = change if change in kinds else change.rpartition("_")[0]
    return kinds.get(known)


def _compare(rows: Cells, numbers: Mapping[str, str], inputs: Inputs, options: Options, context: Context) -> None:
    """Write the majority of each comparison on both sentences' rows."""
    pairs, scores = inputs.get("pairs"), inputs.get("scores")
    if pairs is None or scores is None:
        return
    label = _asked(scores, options.comparison, "label", context)
    undecided = []
    for pair, first, second in pairs.select("pair", "sentence_a", "sentence_b").iter_rows():
        value = str(label.get(pair, "")).replace(" ", "_")
        if value not in VALUES or first not in numbers or second not in numbers:
            undecided.append(pair)
            continue
        converse = {"more": "less", "less": "more"}.get(value, value)
        for one, other, said in ((first, second, value), (second, first, converse)):
            row, place = rows[int(numbers[one]) + 1], 5 + VALUES.index(said)
            row[place] = ",".join(filter(None, [row[place], numbers[other]]))
    _left_out(context, "comparisons have no majority, or are about sentences that are not here", undecided)


_FILES = {"costra": "costra.tsv", "cdsc": "cdsc.tsv", "str2021": "str.csv"}
_FORMS: Mapping[str, Callable[[Inputs, Options, Context], Cells]] = {
    "costra": _costra,
    "cdsc": _cdsc,
    "str2021": _str2021,
}
_NOTES = {
    "costra": (
        "Columns stand between tabs, without header and quoting. The last four list the ids of sentences that people",
        "compared with the one of the row: 12 with 345 under `more` says that 12 goes further than 345.",
    ),
    "cdsc": (
        "Columns stand between tabs, with a header, without quoting.",
        "The label says whether sentence A follows from sentence B.",
    ),
    "str2021": ("CSV (RFC 4180); the two sentences of a pair stand on two lines of one cell.",),
}

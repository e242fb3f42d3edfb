"""Short opinions on a target, labelled with stance and maybe sentiment, as in SemEval-2016 Task 6.

The `group` of a sentence is its target, its `label` the stance, in the words that the pairing of opinions knows: for,
against, none. Sentiment may take the label's place, or stand behind it (``against/negative``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from kostra import files, tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.cells import Cells, read_all, read_cells
from kostra.sources.cells import watches as watches
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SENTENCES, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("sentences",)

TEXT = ("text", "tweet", "sentence", "content")
TARGET = ("target", "topic", "group")
STANCE = ("stance", "label")
SENTIMENT = ("sentiment", "polarity")
ID = ("id", "tweet_id", "sentence")
STANCES = {"favor": "for", "favour": "for", "for": "for", "pro": "for", "against": "against", "none": "none"}
SENTIMENTS = {"pos": "positive", "neg": "negative", "neither": "neutral", "other": "neutral"}
"""How others write our words, in any case."""

Label = Literal["stance", "sentiment", "stance/sentiment"]


class Options(Strict):
    """Which files, and what becomes of their labels."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns, relative to the project's folder; may be compressed."""
    label: Label = "stance"
    """What the sentences' label says."""
    columns: dict[str, str] = Field(default_factory=dict)
    """text, target, stance, sentiment or id to the file's column, where the names differ."""
    stances: dict[str, str] = Field(default_factory=dict)
    """The file's words for a stance to ours (for, against, none), where they are not the usual ones."""


def read_tweets(
    path: str | Path,
    *,
    language: str,
    label: Label = "stance",
    columns: Mapping[str, str] | None = None,
    stances: Mapping[str, str] | None = None,
) -> tuple[Frame, list[Finding]]:
    r"""Read one file of labelled opinions.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "cars.tsv"
    ...     _ = file.write_text("ID\tTarget\tTweet\tStance\n7\tcars\tFewer, please!\tAGAINST\n")
    ...     frame, findings = read_tweets(file, language="en")
    >>> frame.select("sentence", "text", "group", "label").rows()
    [('cars-7', 'Fewer, please!', 'cars', 'against')]
    """
    said = dict(columns or {})
    cells = read_cells(path)
    text = cells.find(said.get("text"), TEXT, what="text")
    target = cells.find(said.get("target"), TARGET, what="target")
    name = cells.maybe(said.get("id"), ID)
    stance = cells.find(said.get("stance"), STANCE, what="stance") if "stance" in label else None
    feeling = cells.find(said.get("sentiment"), SENTIMENT, what="sentiment") if "sentiment" in label else None
    cells.note_left_out((text, target, name, stance, feeling))
    stem = files.stem(path)
    ids = cells.ids(stem, name)
    parts = []
    if stance:
        parts.append(_known(cells, stance, {**STANCES, **{k.casefold(): v for k, v in (stances or {}).items()}}))
    if feeling:
        parts.append([SENTIMENTS.get(cell.casefold(), cell.casefold()) for cell in cells.needed(feeling)])
    made = {
        "sentence": [f"{stem}-{one}" for one in ids] if name else ids,
        "text": cells.needed(text),
        "source": [stem] * len(ids),
        "language": [language] * len(ids),
        "group": cells.needed(target),
        "label": ["/".join(each) for each in zip(*parts, strict=True)],
    }
    return tables.from_cells(made, SENTENCES, where=cells.where, lines=cells.lines), cells.findings


def _known(cells: Cells, column: str, words: Mapping[str, str]) -> list[str]:
    found = cells.needed(column)
    for row, cell in enumerate(found):
        if cell.casefold() not in words:
            raise KostraError(
                f'found "{cell}"',
                where=cells.at(row, column),
                accepted=", ".join(sorted(words)),
                remedy=f'say what it means: stances = {{ "{cell}" = "for" }}',
            )
    return [words[cell.casefold()] for cell in found]


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    frame = _load(options, replace(context, findings=[]))
    targets = frame["group"].n_unique()
    says = f"reads {frame.height:,} opinions on {targets:,} targets from {some(options.paths)}"
    return Plan(says, {"sentences": frame.height})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    return {"sentences": _load(options, context)}


def _load(options: Options, context: Context) -> Frame:
    def read(path: Path) -> tuple[dict[str, Frame], list[Finding]]:
        frame, findings = read_tweets(
            path,
            language=context.recipe.recipe.language,
            label=options.label,
            columns=options.columns,
            stances=options.stances,
        )
        return {"sentences": frame}, findings

    frame = read_all(options.paths, read, context)["sentences"]
    counts = frame.group_by("group", "label").len().sort("group", "label").rows()
    context.note("labels", "; ".join(f"{group}: {label} {count:,}" for group, label, count in counts))
    return frame

"""Two wordings of one thing per row, such as paraphrases or simplifications: sentences in groups of two.

Any table with two columns of text will do: ParaNMT's, GYAFC's formal and informal questions, standard and simple
Wikipedia. A row becomes two sentences of one `group`, told apart by their `label`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import Field, field_validator

from kostra import files, tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.sources.cells import read_all, read_cells
from kostra.sources.cells import watches as watches
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SENTENCES, Finding, Frame

READS: tuple[str, ...] = ()
WRITES = ("sentences",)

FIRST = ("text_a", "sentence1", "sentence_A", "text1", "source", "original", "standard", "normal", "formal", "complex")
SECOND = ("text_b", "sentence2", "sentence_B", "text2", "target", "paraphrase", "simple", "simplified", "informal")
GROUP = ("group", "pair", "pair_id", "id")


class Options(Strict):
    """Which files, and which of their columns."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Files, folders or patterns, relative to the project's folder; may be compressed."""
    first: str | None = None
    """Column of the first wording, by its name, where it is not a usual one."""
    second: str | None = None
    """The column of the second wording."""
    group: str | None = None
    """Column that names the row; otherwise the group is called after the file and the line."""
    labels: tuple[str, ...] = ("a", "b")
    """Labels of the two, such as formal and informal, or standard and simple."""
    header: bool = True
    """Whether the first line names the columns; without, the first two columns are taken."""

    @field_validator("labels")
    @classmethod
    def _two(cls, labels: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(labels)) != 2:
            raise ValueError(f"{len(set(labels))} different labels for two wordings")
        return labels


def read_paraphrases(
    path: str | Path,
    *,
    language: str,
    first: str | None = None,
    second: str | None = None,
    group: str | None = None,
    labels: tuple[str, ...] = ("a", "b"),
    header: bool = True,
) -> tuple[Frame, list[Finding]]:
    r"""Read one file of two wordings per row.

    A row in which one of the two is empty is left out, counted and listed, for it is no pair.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wiki.tsv"
    ...     _ = file.write_text("standard\tsimple\nThe feline reposes.\tThe cat rests.\n")
    ...     frame, findings = read_paraphrases(file, language="en", labels=("standard", "simple"))
    >>> frame.select("sentence", "text", "group", "label").rows()
    [('wiki-2a', 'The feline reposes.', 'wiki-2', 'standard'), ('wiki-2b', 'The cat rests.', 'wiki-2', 'simple')]
    """
    cells = read_cells(path, header=header)
    if not header and len(cells.columns) < 2:
        raise KostraError("found 1 column", where=cells.at(0), accepted="two columns of text")
    left = cells.find(first, FIRST if header else ("column 1",), what="first wording")
    right = cells.find(second, SECOND if header else ("column 2",), what="second wording")
    name = cells.maybe(group, GROUP if header else ())
    cells.note_left_out((left, right, name))
    stem = files.stem(path)
    groups = cells.ids(stem, name)
    stems = [f"{stem}-{group}" for group in groups] if name else groups
    texts = list(zip(cells.text(left), cells.text(right), strict=True))
    whole = [row for row, pair in enumerate(texts) if all(text.strip() for text in pair)]
    if len(whole) < len(texts):
        broken = sorted(set(range(len(texts))) - set(whole))
        cells.note("half", f"rows that lack one of the two wordings, left out: {len(broken):,}", broken)
    if not whole:
        raise KostraError("no row has both wordings", where=cells.where)
    rows = [(row, place) for row in whole for place in (0, 1)]
    columns = {
        "sentence": [f"{stems[row]}{'ab'[place]}" for row, place in rows],
        "text": [texts[row][place] for row, place in rows],
        "source": [stem] * len(rows),
        "language": [language] * len(rows),
        "group": [groups[row] for row, _ in rows],
        "label": [labels[place] for _, place in rows],
    }
    same = [row for row in whole if texts[row][0] == texts[row][1]]
    if same:
        cells.note("identical_sentences", f"rows that say the same thing twice in the same words: {len(same):,}", same)
    lines = [cells.lines[row] for row, _ in rows]
    return tables.from_cells(columns, SENTENCES, where=cells.where, lines=lines), cells.findings


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """Read the files, so that mistakes in them show before anything runs."""
    frame = _load(options, replace(context, findings=[]))
    return Plan(f"reads {frame.height:,} sentences from {some(options.paths)}", {"sentences": frame.height})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:  # noqa: ARG001 - a step's form
    """Read the files."""
    return {"sentences": _load(options, context)}


def _load(options: Options, context: Context) -> Frame:
    def read(path: Path) -> tuple[dict[str, Frame], list[Finding]]:
        frame, findings = read_paraphrases(
            path,
            language=context.recipe.recipe.language,
            first=options.first,
            second=options.second,
            group=options.group,
            labels=options.labels,
            header=options.header,
        )
        return {"sentences": frame}, findings

    return read_all(options.paths, read, context)["sentences"]

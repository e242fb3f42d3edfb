"""All results on one page: encoders against datasets, sortable, with intervals, groups and what people reach.

The page is one file without outside requests. It reads as a plain table without its script, which only sorts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from kostra import __version__, files
from kostra.errors import KostraError
from kostra.evaluate import results
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure

PEOPLE = "people"
SPOKEN = {
    "spearman": "Spearman", "pearson": "Pearson", "kendall": "Kendall", "mse": "squared error", "accuracy": "accuracy",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One dataset, asked in one way."""

    key: str
    dataset: str
    how: str
    """Task and protocol, in words."""
    metric: str
    languages: str
    split: str
    n: int
    revisions: tuple[str, ...]
    """Of the dataset; more than one means that the rows were not computed from the same pairs."""


@dataclass(frozen=True)
class Cell:
    """One number."""

    value: float
    text: str
    interval: str
    note: str
    letters: str = ""
    best: bool = False


@dataclass(frozen=True)
class Row:
    """One encoder, or one figure about people."""

    name: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Parts:
    """One column taken apart."""

    column: Column
    names: tuple[str, ...]
    rows: tuple[Row, ...]


def leaderboard(evaluations: Iterable[Evaluation], *, title: str = "Encoders against people") -> str:
    """The page.

    Examples
    --------
    >>> measure = Measure("all", "cosine_spearman", 0.5, 0.4, 0.6, 9)
    >>> page = leaderboard([Evaluation("dice", "mine", "relatedness", (measure,))])
    >>> "0.500" in page, "0.400 to 0.600" in page
    (True, True)
    """
    known = [one for one in evaluations if results.main_measure(one) is not None]
    if not known:
        raise KostraError("there is no result to show", accepted="evaluations with a main score")
    columns = _columns(known)
    environment = Environment(
        loader=PackageLoader("kostra.evaluate"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["spoken"] = spoken
    encoders = [one for one in known if one.protocol != PEOPLE]
    return environment.get_template("leaderboard.html").render(
        title=title,
        columns=columns,
        people=_rows([one for one in known if one.protocol == PEOPLE], columns, best=False),
        rows=_rows(encoders, columns, best=True),
        parts=[taken for column in columns if (taken := _parts(encoders, column))],
        intervals=any(measure.low is not None for one in known for measure in one.measures),
        letters=any(one.details.get("letters") for one in known),
        version=__version__,
    )


def write(evaluations: Iterable[Evaluation], path: str | Path, *, title: str = "Encoders against people") -> None:
    """Write the page."""
    files.write_text(leaderboard(evaluations, title=title), path)


def _key(one: Evaluation) -> str:
    """What makes two results comparable: dataset, task, protocol and split; people's stand beside the whole set's."""
    protocol = "whole" if one.protocol == PEOPLE else one.protocol
    return "\t".join((one.dataset, one.task, protocol, one.split))


def _columns(known: Sequence[Evaluation]) -> list[Column]:
    found: dict[str, list[Evaluation]] = {}
    for one in known:
        if one.protocol != PEOPLE:
            found.setdefault(_key(one), []).append(one)
    return [_column(key, own) for key, own in found.items()]


def _column(key: str, own: Sequence[Evaluation]) -> Column:
    first = own[0]
    main = results.main_measure(first)
    assert main is not None  # those without one were left out
    how = [first.task.replace("_", " ")] if first.task else []
    how += [first.protocol.replace("_", " ")] if first.protocol != "whole" else []
    return Column(
        key=key,
        dataset=first.dataset,
        how=", ".join(how),
        metric=main.metric,
        languages=", ".join(first.languages),
        split=first.split,
        n=main.n,
        revisions=tuple(dict.fromkeys(one.dataset_revision for one in own if one.dataset_revision)),
    )


def spoken(metric: str) -> str:
    """A metric in words.

    Examples
    --------
    >>> spoken("cosine_spearman"), spoken("my_metric")
    ('Spearman', 'my metric')
    """
    figure = metric.removeprefix("cosine_")
    return SPOKEN.get(figure, metric.replace("_", " "))


def _rows(known: Sequence[Evaluation], columns: Sequence[Column], *, best: bool) -> list[Row]:
    by_name: dict[str, dict[str, Evaluation]] = {}
    for one in known:
        by_name.setdefault(_shown_name(one, known), {})[_key(one)] = one
    tops = {column.key: _top(known, column) if best else None for column in columns}
    rows = [
        Row(name, tuple(_cell(own.get(column.key), column, tops[column.key], known) for column in columns))
        for name, own in by_name.items()
    ]
    filled = [row for row in rows if any(row.cells)]
    return sorted(filled, key=_order)


def _order(row: Row) -> tuple[float, ...]:
    """By the first column, the highest first; rows without a number there by the next."""
    return tuple(float("inf") if cell is None else -cell.value for cell in row.cells)


def _shown_name(one: Evaluation, known: Sequence[Evaluation]) -> str:
    """The encoder; with its revision where two revisions are there."""
    revisions = {other.revision for other in known if other.encoder == one.encoder and _key(other) == _key(one)}
    return f"{one.encoder} ({one.revision[:8]})" if len(revisions) > 1 else one.encoder


def _top(known: Sequence[Evaluation], column: Column) -> float | None:
    values = [one.value(column.metric) for one in known if _key(one) == column.key]
    return max((value for value in values if value is not None), default=None)


def _cell(one: Evaluation | None, column: Column, top: float | None, known: Sequence[Evaluation]) -> Cell | None:
    measure = one.measure(column.metric) if one else None
    if one is None or measure is None or measure.value is None:
        return None
    return _number(measure, letters=_letters(one, column, known), best=measure.value == top)


def _letters(one: Evaluation, column: Column, known: Sequence[Evaluation]) -> str:
    """Letters of encoders that were compared with each other; only where all in the column were."""
    shown = {other.encoder for other in known if _key(other) == column.key}
    return str(one.details.get("letters", "")) if set(one.details.get("compared_with", ())) == shown else ""


def _number(measure: Measure, *, letters: str = "", best: bool = False) -> Cell:
    assert measure.value is not None
    ends = measure.low is not None and measure.high is not None
    interval = _signed(f"{measure.low:.3f} to {measure.high:.3f}") if ends else ""
    return Cell(measure.value, _signed(f"{measure.value:.3f}"), interval, measure.note, letters, best)


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _parts(known: Sequence[Evaluation], column: Column) -> Parts | None:
    own = [one for one in known if _key(one) == column.key]
    names = list(
        dict.fromkeys(measure.part for one in own for measure in one.measures if measure.metric == column.metric)
    )
    if names in ([], [WHOLE]):
        return None
    rows = tuple(Row(_shown_name(one, known), tuple(_part_cells(one, column.metric, names))) for one in own)
    return Parts(column, tuple(names), tuple(sorted(rows, key=_order)))


def _part_cells(one: Evaluation, metric: str, names: Sequence[str]) -> list[Cell | None]:
    by_part: Mapping[str, Measure] = {
        measure.part: measure for measure in one.measures if measure.metric == metric and measure.value is not None
    }
    return [_number(by_part[name]) if name in by_part else None for name in names]

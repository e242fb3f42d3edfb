"""What a page is made of: paragraphs, tables, figures, pairs of sentences.

A section of the report is a list of blocks. Each block holds its words and numbers; the template knows how they look,
`kostra.report.files` how tables and figures become files of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TELEPHONE = 40
"""Letters of a table's size that stand beside each other on a telephone."""
PADDING = 3
"""Letters that the space around a column takes."""


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    kind: ClassVar[str] = "text"
    words: str
    tone: Literal["plain", "small", "notice"] = "plain"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar[str] = "heading"
    words: str


@dataclass(frozen=True)
class Table:
    """A table: on the page, as CSV and as LaTeX.

    Examples
    --------
    >>> table = Table("people", "Who answered", ("Annotator", "Answers"), (("ann", "12"), ("bob", "7")), numbers=(1,))
    >>> table.on_page, table.hidden
    ((('ann', '12'), ('bob', '7')), 0)
    """

    kind: ClassVar[str] = "table"
    name: str
    """Of its files."""
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    """Columns that are set flush right."""
    grouped: bool = False
    """Whether the first column names groups of rows, which are then headed by it."""
    most: int = 60
    """Rows on the page; the files have them all."""
    language: str = ""
    """Of the cells, where they are sentences."""

    @property
    def on_page(self) -> tuple[tuple[str, ...], ...]:
        """The rows that the page shows."""
        return self.rows[: self.most]

    @property
    def hidden(self) -> int:
        """How many rows only the files have."""
        return len(self.rows) - len(self.on_page)

    @property
    def broad(self) -> bool:
        """Whether it wants more than the width of the text."""
        return len(self.head) > 5 or any(len(cell) > 60 for row in self.on_page for cell in row)

    @property
    def stacks(self) -> bool:
        """Whether it is too wide for a telephone, which then shows each row as a list."""
        columns = zip(self.head, *self.on_page, strict=True)
        narrowest = sum(max((len(word) for cell in column for word in cell.split()), default=0) for column in columns)
        return self.broad or narrowest + PADDING * len(self.head) > TELEPHONE

    @property
    def groups(self) -> list[tuple[str, list[tuple[str, ...]]]]:
        """The rows of the page under their headings; one group without a heading where there are none."""
        if not self.grouped:
            return [("", list(self.on_page))]
        found: dict[str, list[tuple[str, ...]]] = {}
        for first, *rest in self.on_page:
            found.setdefault(first, []).append(tuple(rest))
        return list(found.items())


@dataclass(frozen=True)
class Drawing:
    """A figure: on the page as SVG, as files in every form.

    Either it is drawn now (`figure`), or an earlier step has drawn it (`saved`, a path without ending).
    """

    kind: ClassVar[str] = "drawing"
    name: str
    caption: str
    figure: Figure | None = None
    saved: Path | None = None
    wide: bool = False


@dataclass(frozen=True)
class Side:
    """Two or more figures beside each other, where there is room."""

    kind: ClassVar[str] = "side"
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True)
class Pair:
    """Two sentences with their score."""

    pair: str
    first: str
    second: str
    score: str
    error: str
    place: float
    """Where the score stands on the scale, from 0 to 100."""
    about: str


@dataclass(frozen=True)
class Pairs:
    """Pairs as examples, maybe under a heading."""

    kind: ClassVar[str] = "pairs"
    pairs: tuple[Pair, ...]
    title: str = ""


@dataclass(frozen=True)
class StepView:
    """One step of the recipe, as it was meant."""

    name: str
    use: str
    does: str
    options: str


@dataclass(frozen=True)
class Steps:
    """The steps of a recipe."""

    kind: ClassVar[str] = "steps"
    steps: tuple[StepView, ...]


@dataclass(frozen=True)
class Advice:
    """One thing to improve: what was found, and what to do about it."""

    title: str
    found: str
    do: str


@dataclass(frozen=True)
class AdviceList:
    """What to improve next."""

    kind: ClassVar[str] = "advice"
    advice: tuple[Advice, ...]


Block: TypeAlias = Text | Heading | Table | Drawing | Side | Pairs | Steps | AdviceList


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    id: str
    title: str
    blocks: tuple[Block, ...]


def section(name: str, title: str, *blocks: Block | Sequence[Block] | None) -> Section:
    """A section of what there is: lists of blocks are unpacked, None is left out.

    Examples
    --------
    >>> [block.kind for block in section("x", "X", Text("a"), None, [Text("b"), Heading("c")]).blocks]
    ['text', 'text', 'heading']
    """
    found: list[Block] = []
    for block in blocks:
        if isinstance(block, Sequence):
            found.extend(block)
        elif block is not None:
            found.append(block)
    return Section(name, title, tuple(found))


def tables_of(sections: Sequence[Section]) -> Iterator[Table]:
    """The tables of the page, in their order."""
    for part in sections:
        yield from (block for block in part.blocks if isinstance(block, Table))


def drawings_of(sections: Sequence[Section]) -> Iterator[Drawing]:
    """The figures of the page, in their order."""
    for part in sections:
        for block in part.blocks:
            if isinstance(block, Drawing):
                yield block
            elif isinstance(block, Side):
                yield from block.drawings

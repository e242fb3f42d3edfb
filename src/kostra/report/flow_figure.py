"""The flow of items drawn as a funnel of bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kostra import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TALL = 0.4
"""Height of a bar, of a row that is 1 high."""


@dataclass(frozen=True)
class Stage:
    """One row of the flow: where things of one kind came to."""

    title: str
    kind: str
    came: int | None
    """How many went in; None where the things begin here."""
    stayed: int
    left: int
    drawn: bool = False
    """Whether those that stayed behind were not drawn rather than lost."""

    @property
    def worth_showing(self) -> bool:
        """Whether something begins, changes or is lost here."""
        return self.came is None or self.left > 0 or self.stayed != self.came or self.kind in ("judgments", "scores")

    @property
    def said(self) -> str:
        """The row in words."""
        if not self.left:
            return f"{self.stayed:,} {self.kind}"
        how = "not drawn" if self.drawn else "not counted" if self.kind == "judgments" else "lost"
        return f"{self.stayed:,} of {self.stayed + self.left:,} {self.kind}, {self.left:,} {how}"


def flow_figure(stages: Sequence[Stage]) -> Figure:
    """Draw the stages from top to bottom; bars of one kind have one scale.

    Examples
    --------
    >>> print(
    ...     flow_figure([Stage("corpus", "sentences", None, 10, 0), Stage("filter", "sentences", 10, 8, 2)]).get_label()
    ... )
    Flow of items
    corpus: 10 sentences; filter: 8 of 10 sentences, 2 lost.
    """
    from matplotlib.patches import Polygon, Rectangle

    kinds = list(dict.fromkeys(stage.kind for stage in stages))
    longest = {kind: max(stage.stayed + stage.left for stage in stages if stage.kind == kind) or 1 for kind in kinds}
    with figures.look():
        figure, axes = figures.canvas(0.25 + 0.47 * len(stages))
        axes.set(xlim=(-0.01, 1.01), ylim=(len(stages) - 0.1, -0.08))
        axes.set_axis_off()
        for row, stage in enumerate(stages):
            top = row + 1 - TALL - 0.14
            kept, lost = (count / longest[stage.kind] for count in (stage.stayed, stage.left))
            colour = figures.COLOURS[kinds.index(stage.kind) % len(figures.COLOURS)]
            axes.add_patch(Rectangle((0, top), kept, TALL, facecolor=colour, edgecolor=figures.INK, lw=0.5))
            if lost:
                hatch, edge = ("..", figures.QUIET) if stage.drawn else ("////", figures.INK)
                gone = Rectangle((kept, top), lost, TALL, hatch=hatch, facecolor="white", edgecolor=edge, lw=0.5)
                axes.add_patch(gone)
            axes.text(0, top - 0.06, figures.short(stage.title, 34), ha="left", va="bottom", fontweight="bold")
            axes.text(1, top - 0.06, stage.said, ha="right", va="bottom")
            after = stages[row + 1] if row + 1 < len(stages) else None
            if after is not None and after.kind == stage.kind and after.came == stage.stayed:
                ends = kept, (after.stayed + after.left) / longest[after.kind]
                under, over = top + TALL, row + 2 - TALL - 0.14
                corners = [(0, under), (ends[0], under), (ends[1], over), (0, over)]
                axes.add_patch(Polygon(corners, facecolor=colour, alpha=0.13, lw=0, zorder=0))
        said = "; ".join(f"{stage.title}: {stage.said}" for stage in stages)
        return figures.finished(figure, "Flow of items", f"{said}.")

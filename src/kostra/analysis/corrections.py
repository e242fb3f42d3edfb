"""Corrections by type of error, each sentence counted once; and what became of the judges' suggestions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import polars as pl
from pydantic import Field

from kostra import figures, tables
from kostra.analysis.distribution import counted, counts_figure
from kostra.campaign.corrected import Correction, corrected_pairs
from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNTYPED = "not said"
"""The type of a correction whose leader named none."""

_COLUMNS = {
    "sentence": pl.String, "before": pl.String, "after": pl.String, "kind": pl.String, "decided": pl.Boolean,
    "times": pl.Int64,
}  # fmt: skip


def corrections(
    pairs: Frame,
    judgments: Frame,
    *,
    question: str = "error_type",
    order: Sequence[str],
    decision: str = "suggestion",
    correction: str = "correction",
    first: str = "correction_a",
) -> Frame:
    """One row per corrected sentence, with the type of its most serious error [1]_.

    A leader corrects a sentence and says what was wrong with it. A judge only suggests; a linguist decides, and what
    was decided (to mend the sentence in place, or to mend it and ask the judges again) is the kind of that correction.
    A sentence that was corrected by leaders several times counts once, under the most serious type; one that was also
    mended after a suggestion counts there as well.

    Parameters
    ----------
    pairs, judgments
        The pairs as they were before any correction, and all judgments of the campaign.
    question
        The question for the type of error.
    order
        The types from the most serious to the least.
    decision
        The linguist's question.
    correction, first
        The questions that correct the second and the first sentence of a pair.

    Returns
    -------
    Frame
        ``sentence``, ``before`` and ``after`` (first and last wording), ``kind`` (type of error, or the decision),
        ``decided`` (whether by a linguist) and ``times``, how often it was corrected so.

    References
    ----------
    .. [1] A. Wróblewska and K. Krasnowska-Kieraś (2017). Polish evaluation dataset for compositional distributional
       semantics models. ACL 2017, 784–792. Table 2 and section 3.3.

    Examples
    --------
    The sentence s2 is corrected twice; the error of sense is the more serious one.

    >>> pairs, judgments = _example()
    >>> corrections(pairs, judgments, order=["sense", "punctuation"]).select(
    ...     "sentence", "after", "kind", "times"
    ... ).rows()
    [('s2', 'A dog barks.', 'sense', 2)]
    """
    _, made = corrected_pairs(pairs, judgments, question=correction, first=first)
    rows = {row["judgment"]: row for row in judgments.iter_rows(named=True)}
    answers = [row for row in rows.values() if row["value"] is not None]
    types = {_screen(row): row["value"] for row in answers if row["question"] == question}
    # A decision is about a suggestion, and the correction that follows from it about a pair: they share the moment.
    decisions = {_screen(row)[1:]: row["value"] for row in answers if row["question"] == decision}
    strange = sorted(set(types.values()) - set(order))
    if strange:
        raise KostraError(f'found the type of error "{strange[0]}"', accepted=some(order, 12))
    ranks = {kind: rank for rank, kind in enumerate([*order, UNTYPED])}
    groups: dict[tuple[str, bool], list[tuple[Correction, str]]] = {}
    for one in made:
        screen = _screen(rows[one.judgment])
        decided = decisions.get(screen[1:])
        kind = decided or types.get(screen, UNTYPED)
        groups.setdefault((one.sentence, decided is not None), []).append((one, kind))
    found = [
        {
            "sentence": sentence,
            "before": own[0][0].before,
            "after": own[-1][0].after,
            # The most serious type counts, and the last decision stands.
            "kind": own[-1][1] if decided else min((kind for _, kind in own), key=ranks.__getitem__),
            "decided": decided,
            "times": len(own),
        }
        for (sentence, decided), own in groups.items()
    ]
    return pl.DataFrame(found, schema=_COLUMNS)


def _screen(row: Mapping[str, object]) -> tuple[object, ...]:
    """What the answers of one screen share."""
    return (row["item"], row["annotator"], row["phase"], row["answered_at"])


def corrections_figure(found: Frame, *, order: Sequence[str]) -> Figure:
    """Bars of the corrected sentences per type of error.

    Examples
    --------
    >>> found = corrections(*_example(), order=["sense", "punctuation"])
    >>> corrections_figure(found, order=["sense", "punctuation"]).get_label().splitlines()[0]
    'Corrected sentences by type of error'
    """
    types = counted(found.filter(~pl.col("decided"))["kind"].to_list(), order=order)
    return counts_figure(types, x_label="sentences", title="Corrected sentences by type of error")


# The step ----------------------------------------------------------------------------------------------

READS = ("pairs", "judgments")
WRITES = ("statistics",)


class Options(Strict):
    """Which questions hold corrections, and which errors are worse."""

    question: Name = "error_type"
    """The question for the type of error."""
    order: Annotated[tuple[str, ...], Field(min_length=1)]
    """Types from the most serious to the least: of several the most serious counts."""
    decision: Name = "suggestion"
    """The question by which a linguist decides on suggestions."""
    correction: Name = "correction"
    """Corrects the second sentence of a pair."""
    first: Name = "correction_a"
    """Corrects the first one."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """A table of types."""
    return Plan(f"counts corrected sentences by type of error: {some(options.order, 8)}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write every corrected sentence as corrected_sentences.csv, the counts as corrections.csv and .svg."""
    found = corrections(
        inputs["pairs"],
        inputs["judgments"],
        question=options.question,
        order=options.order,
        decision=options.decision,
        correction=options.correction,
        first=options.first,
    )
    by_leaders, by_linguists = found.filter(~pl.col("decided")), found.filter("decided")
    types = counted(by_leaders["kind"].to_list(), ["error type"] * by_leaders.height, order=options.order)
    decisions = counted(by_linguists["kind"].to_list(), ["decision"] * by_linguists.height)
    tables.write(found, context.folder / "corrected_sentences.csv")
    tables.write(pl.concat([types, decisions]), context.folder / "corrections.csv")
    if by_leaders.height:
        figures.save_all(corrections_figure(found, order=options.order), context.folder / "corrections")
    estimates = {
        f"corrected_{kind.replace(' ', '_')}": Estimate(
            count, n=part.height, note=f"{share:.1%} of {part.height:,} sentences that {who}"
        )
        for part, counts, who in (
            (by_leaders, types, "a leader corrected"),
            (by_linguists, decisions, "were mended after a suggestion"),
        )
        for kind, count, share in counts.select("value", "count", "share").iter_rows()
    }
    return {"statistics": statistics_table(estimates, question=options.question)}


def _example() -> tuple[Frame, Frame]:
    pairs = pl.DataFrame(
        {
            "pair": ["p"], "text_a": ["A cat."], "text_b": ["A dgo bark"], "sentence_a": ["s1"], "sentence_b": ["s2"],
        }
    )  # fmt: skip
    rows = [
        ("j1", 1, "correction", "A dog bark", "ann"), ("j2", 1, "error_type", "sense", "ann"),
        ("j3", 2, "correction", "A dog barks.", "bob"), ("j4", 2, "error_type", "punctuation", "bob"),
    ]  # fmt: skip
    columns = ["judgment", "version", "question", "value", "annotator"]
    judgments = pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        item=pl.lit("p"), status=pl.lit("answered"), phase=pl.lit("correct"), answered_at=pl.lit(None)
    )
    return pairs, judgments

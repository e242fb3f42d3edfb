"""Sets beside each summary sentence all report sentences of its incident, for people to pick from (Czech News STS).

A tuple is what one screen of the pick task shows: it is called by the summary sentence S, and its items are the report
sentences of the incident, report by report. The sentences and the documents they stand in come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import polars as pl
from pydantic import Field, model_validator

from kostra.errors import some
from kostra.recipe import Strict
from kostra.sampling.buckets import nothing_fits
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences",)
WRITES = ("tuples", "sentences", "documents")


class Options(Strict):
    """The labels that tell summaries from reports, and how many candidates are enough."""

    summary: str = "summary"
    """The kind of document that is a summary."""
    reports: str = "report"
    """The kind of document that is a report."""
    at_least: Annotated[int, Field(ge=1)] = 3
    """Fewer candidates leave no choice: a most similar, a middling and a least similar sentence are three."""

    @model_validator(mode="after")
    def _differ(self) -> Options:
        if self.summary == self.reports:
            raise ValueError("summary and reports have the same label")
        return self


def candidates(sentences: Frame, *, summary: str = "summary", reports: str = "report") -> Frame:
    """Each summary sentence as a tuple of all report sentences of its group (its incident) [1]_.

    References
    ----------
    .. [1] J. Sido, M. Seják, O. Pražák, M. Konopík and V. Moravec (2021). Czech news dataset for semantic textual
       similarity. Section 4.1.

    Examples
    --------
    >>> frame = pl.DataFrame(
    ...     {
    ...         "sentence": ["s", "r2", "r1"],
    ...         "group": ["fire"] * 3,
    ...         "label": ["summary", "report", "report"],
    ...         "document": ["s", "r", "r"],
    ...         "position": [1, 2, 1],
    ...     }
    ... )
    >>> candidates(frame).rows()
    [('s', 1, 'r1'), ('s', 2, 'r2')]
    """
    first = sentences["document"].unique(maintain_order=True).to_frame().with_row_index("order")
    placed = sentences.join(first, on="document", nulls_equal=True, maintain_order="left")
    found = placed.filter(pl.col("label") == reports).sort("order", "position", maintain_order=True)
    asked = sentences.filter(pl.col("label") == summary).select(pl.col("sentence").alias("tuple"), "group")
    beside = asked.join(
        found.select("group", pl.col("sentence").alias("item")), on="group", maintain_order="left_right"
    )
    position = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("tuple").alias("position")
    return beside.select("tuple", position, "item")


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most one tuple per sentence: how many are summary sentences is not known yet."""
    return Plan(f"sets report sentences beside the summary sentences among {inputs.get('sentences', 0):,}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Leave out, and list, the summary sentences that have too few candidates."""
    sentences = inputs["sentences"]
    made = candidates(sentences, summary=options.summary, reports=options.reports)
    asked = sentences.filter(pl.col("label") == options.summary)["sentence"]
    enough = made.group_by("tuple").len().filter(pl.col("len") >= options.at_least)["tuple"]
    short = asked.filter(~asked.is_in(enough.implode()))
    if len(short):
        said = f"{len(short):,} of {len(asked):,} summary sentences have fewer than {options.at_least} candidates"
        context.note("left_out", f"{said} and are left out: {some(short)}")
    kept = made.filter(pl.col("tuple").is_in(enough.implode()))
    if kept.is_empty():
        raise nothing_fits(
            f"no summary sentence has {options.at_least} candidates",
            context,
            accepted=f'sentences labelled "{options.summary}" and "{options.reports}" that share their group',
            remedy="read a step that uses sources/incidents",
        )
    used = pl.concat([kept["tuple"], kept["item"].alias("tuple")]).unique()
    each = kept.height / kept["tuple"].n_unique()
    context.note("candidates", f"{kept['tuple'].n_unique():,} summary sentences with {each:.1f} candidates on average")
    written = {"tuples": kept, "sentences": sentences.filter(pl.col("sentence").is_in(used.implode()))}
    documents = inputs.get("documents")
    return written if documents is None else {**written, "documents": documents}

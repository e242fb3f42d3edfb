"""Arranges news sentences as incidents: a summary and the reports behind it.

A sentence's `group` is its incident; its `label` says whether it stands in the summary or in a report. What belongs to
no whole incident is left out, counted and listed.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from pydantic import model_validator

from kostra import tables
from kostra.errors import KostraError, some
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import DOCUMENTS, SENTENCES, Frame

READS = ("sentences",)
WRITES = ("documents", "sentences")


class Options(Strict):
    """The labels that tell summaries from reports."""

    summary: str = "summary"
    """The kind of document that is a summary."""
    reports: str = "report"
    """The kind of document that is a report."""

    @model_validator(mode="after")
    def _differ(self) -> Options:
        if self.summary == self.reports:
            raise ValueError("summary and reports have the same label")
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most all sentences stay."""
    count = inputs.get("sentences", 0)
    return Plan(f"arranges {count:,} sentences as incidents", {"sentences": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Give every sentence its document and place, and every incident its documents."""
    found = inputs["sentences"]
    usable = _labelled(found, options, context)
    named = usable.with_columns(
        pl.coalesce("document", pl.concat_str("group", "label", separator="-")).alias("document")
    )
    placed = named.with_columns(
        pl.coalesce("position", pl.int_range(1, pl.len() + 1).over("document")).alias("position")
    )
    _one_home(placed, context)
    whole = _whole(placed, options, context)
    if whole.is_empty():
        raise KostraError(
            "no incident has one summary and at least one report",
            where=f'step "{context.step.name}"',
            accepted=f'sentences labelled "{options.summary}" and "{options.reports}" that share their group',
        )
    ordered = whole.sort("document", "position", maintain_order=True)
    documents = ordered.group_by("document", maintain_order=True).agg(
        pl.first("source"), pl.first("language"), pl.first("label").alias("kind"), pl.first("group"),
        pl.col("text").str.join(" "),
    )  # fmt: skip
    first = whole["document"].unique(maintain_order=True)
    documents = pl.DataFrame({"document": first}).join(documents, on="document", maintain_order="left")
    incidents = whole["group"].n_unique()
    reports = documents.filter(pl.col("kind") == options.reports).height
    context.note("incidents", f"incidents: {incidents:,}, with reports: {reports:,} and sentences: {whole.height:,}")
    where = f'step "{context.step.name}"'
    return {
        "documents": tables.check(documents, DOCUMENTS, where=where),
        "sentences": tables.check(whole, SENTENCES, where=where),
    }


def _labelled(found: Frame, options: Options, context: Context) -> Frame:
    """The sentences that name an incident and one of the two labels."""
    fits = pl.col("group").is_not_null() & pl.col("label").is_in([options.summary, options.reports]).fill_null(False)
    strangers = found.filter(~fits)
    if strangers.height:
        said = "sentences that have no incident, or are neither summary nor report"
        context.note("left_out", f"{said}: {strangers.height:,} of {found.height:,} ({some(strangers['sentence'])})")
    return found.filter(fits)


def _one_home(placed: Frame, context: Context) -> None:
    """Refuse a document that two incidents claim, or that is both summary and report."""
    homes = placed.group_by("document", maintain_order=True).agg(pl.struct("group", "label").n_unique().alias("homes"))
    torn = homes.filter(pl.col("homes") > 1)["document"]
    if len(torn):
        raise KostraError(
            f"documents that stand in two incidents, or are summary and report at once: {some(torn)}",
            where=f'step "{context.step.name}"',
            accepted="one incident and one kind for each document",
        )


def _whole(placed: Frame, options: Options, context: Context) -> Frame:
    """The incidents that have exactly one summary, and reports; the others are listed with what they lack."""
    kinds = placed.group_by("group", maintain_order=True).agg(
        pl.col("document").filter(pl.col("label") == options.summary).n_unique().alias("summaries"),
        pl.col("document").filter(pl.col("label") == options.reports).n_unique().alias("reports"),
    )
    broken = kinds.filter((pl.col("summaries") != 1) | (pl.col("reports") == 0))
    if broken.height:
        each = some(
            f"{group} (summaries: {summaries}, reports: {reports})" for group, summaries, reports in broken.rows()
        )
        context.note(
            "left_out", f"incidents that are not whole, left out: {broken.height:,} of {kinds.height:,}: {each}"
        )
    return placed.join(broken, on="group", how="anti", maintain_order="left")

"""Keeps sentences by label, group or document, and counts what it removed."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from pydantic import model_validator

from kostra.errors import KostraError, some, unknown
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences",)
WRITES = ("sentences",)

_COLUMNS = {"labels": "label", "groups": "group", "documents": "document", "sources": "source"}


class Options(Strict):
    """What a sentence must have; of several kinds of condition all must hold."""

    labels: tuple[str, ...] = ()
    """Keep sentences with one of these labels."""
    groups: tuple[str, ...] = ()
    """Keep sentences of one of these groups."""
    documents: tuple[str, ...] = ()
    """Keep sentences of one of these documents."""
    sources: tuple[str, ...] = ()
    """Keep sentences of one of these sources."""

    @model_validator(mode="after")
    def _something(self) -> Options:
        if not any(getattr(self, name) for name in _COLUMNS):
            raise ValueError(f"nothing is selected by; name {', '.join(_COLUMNS)}")
        return self


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most all sentences stay."""
    count = inputs.get("sentences", 0)
    wanted = " and ".join(f"{name[:-1]} {some(getattr(options, name))}" for name in _COLUMNS if getattr(options, name))
    return Plan(f"keeps those of {count:,} sentences that have the {wanted}", {"sentences": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Keep the sentences that meet every condition; a value that no sentence has is an error."""
    kept = inputs["sentences"]
    whole = kept.height
    for name, column in _COLUMNS.items():
        wanted: tuple[str, ...] = getattr(options, name)
        if wanted:
            kept = _by(kept, column, wanted, inputs["sentences"], context)
    if kept.is_empty():
        raise KostraError(f"none of the {whole:,} sentences meets all conditions", where=f'step "{context.step.name}"')
    return {"sentences": kept}


def _by(sentences: Frame, column: str, wanted: tuple[str, ...], every: Frame, context: Context) -> Frame:
    known = every[column].drop_nulls().unique(maintain_order=True).to_list()
    for value in wanted:
        if value not in known:
            raise unknown(column, value, known, where=f'step "{context.step.name}"')
    removed = sentences.filter(~pl.col(column).is_in(list(wanted)).fill_null(False))
    if removed.height:
        counts = removed[column].value_counts(sort=True).rows()
        each = some(f"{value or 'none'} ({count:,})" for value, count in sorted(counts, key=lambda row: str(row[0])))
        said = f"{removed.height:,} of {sentences.height:,} sentences removed by their {column}: {each}"
        context.note("removed", said)
    return sentences.filter(pl.col(column).is_in(list(wanted)).fill_null(False))

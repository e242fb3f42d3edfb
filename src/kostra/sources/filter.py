"""Keeps sentences of the wanted length, and lists what it removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import polars as pl
from pydantic import Field

from kostra.errors import some
from kostra.recipe import Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame
from kostra.text import WORDS_VERSION, words

READS = ("sentences",)
WRITES = ("sentences",)


class Options(Strict):
    """Bounds, both inclusive."""

    min_words: Annotated[int, Field(ge=0)] = 0
    max_words: Annotated[int, Field(ge=1)] | None = None


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most all sentences stay."""
    count = inputs.get("sentences", 0)
    upper = f" to {options.max_words}" if options.max_words else " or more"
    return Plan(f"keeps those of {count:,} sentences that have {options.min_words}{upper} words", {"sentences": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Filter by number of words."""
    sentences = inputs["sentences"]
    lengths = pl.Series([len(words(text)) for text in sentences["text"]], dtype=pl.Int64)
    kept = (lengths >= options.min_words) & (lengths <= (options.max_words or lengths.max() or 0))
    removed = sentences.filter(~kept)
    context.note("tokens", f"words counted with {WORDS_VERSION}")
    if removed.height:
        examples = some(
            [f"{name} ({length})" for name, length in zip(removed["sentence"], lengths.filter(~kept), strict=True)]
        )
        context.note(
            "removed",
            f"{removed.height:,} of {sentences.height:,} sentences removed by their number of words: {examples}",
        )
    return {"sentences": sentences.filter(kept)}

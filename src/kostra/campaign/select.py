"""Passes on the answers of chosen phases, blocks and questions, and of chosen kinds of annotators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import polars as pl

from kostra.errors import KostraError, some
from kostra.recipe import Name, Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("judgments",)
WRITES = ("judgments", "annotators")

AnnotatorKind = Literal["person", "simulated", "model"]


class Options(Strict):
    """What is passed on; all of it where nothing is said."""

    phases: tuple[Name, ...] = ()
    """Keep judgments of these phases; of all unless said."""
    blocks: tuple[str, ...] = ()
    """Keep judgments of these blocks; of all unless said."""
    questions: tuple[Name, ...] = ()
    """Keep judgments of these questions; of all unless said."""
    kinds: tuple[AnnotatorKind, ...] = ()
    """Kinds of annotators. The answers of language models are kept beside those of people, as surplus, and count in
    no statistic; ``kinds = ["model"]`` passes them on as answers of their own, to be looked at by themselves."""


def selected(judgments: Frame, options: Options, annotators: Frame | None = None) -> Frame:
    """The judgments that fit; a phase, block or question that no judgment has is an error.

    Examples
    --------
    >>> answers = pl.DataFrame(
    ...     {"phase": ["authors", "main", "main"], "block": ["main", "gold", "main"], "question": ["best"] * 3}
    ... )
    >>> selected(answers, Options(phases=("main",), blocks=("main",))).rows()
    [('main', 'main', 'best')]
    """
    chosen = judgments
    for column, wanted in (("phase", options.phases), ("block", options.blocks), ("question", options.questions)):
        known = chosen[column].unique(maintain_order=True).to_list()
        absent = [name for name in wanted if name not in known]
        if absent:
            raise KostraError(
                f'no judgment has the {column} "{absent[0]}"', accepted=some(known, 12) or "nothing: there are none"
            )
        if wanted:
            chosen = chosen.filter(pl.col(column).is_in(list(wanted)))
    return _of_kinds(chosen, options.kinds, annotators) if options.kinds else chosen


def _of_kinds(judgments: Frame, kinds: tuple[AnnotatorKind, ...], annotators: Frame | None) -> Frame:
    if annotators is None:
        raise KostraError("who answered is not known", remedy="read the campaign's step, which writes its annotators")
    of_kind = annotators.filter(pl.col("kind").is_in(list(kinds)))["annotator"].implode()
    chosen = judgments.filter(pl.col("annotator").is_in(of_kind))
    if kinds != ("model",):
        return chosen
    # A model skips nothing, so that what it left without a value it called impossible.
    own = pl.when(pl.col("value").is_null()).then(pl.lit("impossible")).otherwise(pl.lit("answered"))
    return chosen.with_columns(status=pl.when(pl.col("status") == "surplus").then(own).otherwise(pl.col("status")))


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most all judgments."""
    parts = {"phases": options.phases, "blocks": options.blocks, "questions": options.questions, "kinds": options.kinds}
    said = "; ".join(f"{name}: {', '.join(chosen)}" for name, chosen in parts.items() if chosen)
    judgments = inputs.get("judgments", 0)
    return Plan(f"passes on those of {judgments:,} judgments that fit ({said or 'all'})", {"judgments": judgments})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Select, and say how many are left out."""
    judgments, annotators = inputs["judgments"], inputs.get("annotators")
    try:
        chosen = selected(judgments, options, annotators)
    except KostraError as error:
        error.where = error.where or f'step "{context.step.name}"'
        raise
    context.note("selected", f"{chosen.height:,} of {judgments.height:,} judgments are passed on")
    if annotators is None:
        return {"judgments": chosen}
    left = annotators.filter(pl.col("annotator").is_in(chosen["annotator"].unique().implode()))
    return {"judgments": chosen, "annotators": left}

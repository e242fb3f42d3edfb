"""Keeps the sentences that a person kept in triage, and counts the rejected by reason.

Every answer other than those in `keep` is a reason to reject. A sentence on which several people disagree is not kept,
and listed. One that nobody has answered is listed too or, if the recipe says so, waited for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from pydantic import Field

from kostra import tables
from kostra.errors import KostraError, StillWaitingError, some
from kostra.recipe import Name, Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("sentences", "judgments")
WRITES = ("sentences",)


class Options(Strict):
    """Which answers keep a sentence."""

    question: Name = "verdict"
    """The question under which sentences were triaged."""
    keep: tuple[str, ...] = Field(default=("keep",), min_length=1)
    """Answers that keep a sentence."""
    at_most: Annotated[int, Field(ge=1)] | None = None
    """Keep no more than so many, in the order of the sentences."""
    untriaged: Literal["list", "wait"] = "list"
    """What becomes of sentences without an answer: left out and listed, or waited for (the step refuses to run)."""


@dataclass(frozen=True)
class Verdicts:
    """What became of each sentence, in the order of the sentences."""

    kept: tuple[str, ...]
    rejected: Mapping[str, str]
    """Sentence to reason."""
    disputed: tuple[str, ...]
    """Sentences that some keep and others reject."""
    untriaged: tuple[str, ...]
    """Sentences without an answer: not shown yet, skipped, or marked impossible."""

    @property
    def reasons(self) -> dict[str, int]:
        """How many sentences were rejected for each reason, the most frequent first."""
        return dict(sorted(Counter(self.rejected.values()).items(), key=lambda one: (-one[1], one[0])))


def triage(sentences: Frame, judgments: Frame, *, question: str, keep: tuple[str, ...]) -> Verdicts:
    """Sort sentences by the answers they got.

    Examples
    --------
    >>> said = {"item": ["s1", "s2", "s3"], "value": ["keep", "unreal", None]}
    >>> answers = pl.DataFrame(said).with_columns(
    ...     question=pl.lit("verdict"), status=pl.Series(["answered", "answered", "skipped"]), judgment="item",
    ...     supersedes=pl.lit(None, dtype=pl.String),
    ... )  # fmt: skip
    >>> sentences = pl.DataFrame({"sentence": ["s1", "s2", "s3", "s4"]})
    >>> found = triage(sentences, answers, question="verdict", keep=("keep",))
    >>> found.kept, found.reasons, found.untriaged
    (('s1',), {'unreal': 1}, ('s3', 's4'))
    """
    replaced = judgments["supersedes"].drop_nulls().to_list()
    answered = judgments.filter(
        (pl.col("question") == question) & (pl.col("status") == "answered") & ~pl.col("judgment").is_in(replaced)
    )
    given: dict[str, list[str]] = {}
    for item, value in answered.select("item", "value").iter_rows():
        given.setdefault(item, []).append(value)
    kept, disputed, untriaged = [], [], []
    rejected: dict[str, str] = {}
    for name in sentences["sentence"]:
        values = given.get(name, [])
        if not values:
            untriaged.append(name)
        elif all(value in keep for value in values):
            kept.append(name)
        elif any(value in keep for value in values):
            disputed.append(name)
        else:
            rejected[name] = " / ".join(sorted({str(value) for value in values}))
    return Verdicts(tuple(kept), rejected, tuple(disputed), tuple(untriaged))


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most all sentences stay."""
    count = inputs.get("sentences", 0)
    most = count if options.at_most is None else min(count, options.at_most)
    return Plan(f"keeps at most {most:,} of {count:,} sentences, by a person's verdict", {"sentences": most})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Keep what was kept; count and list everything else."""
    sentences = inputs["sentences"]
    where = f'step "{context.step.name}"'
    if options.question not in inputs["judgments"]["question"].to_list():
        asked = inputs["judgments"]["question"].unique(maintain_order=True)
        raise KostraError(
            f'nobody has answered the question "{options.question}"',
            where=where,
            accepted=some(asked) or "answers to it",
        )
    found = triage(sentences, inputs["judgments"], question=options.question, keep=options.keep)
    if found.untriaged and options.untriaged == "wait":
        raise StillWaitingError(
            f"{len(found.untriaged):,} of {sentences.height:,} sentences wait for a verdict: {some(found.untriaged)}",
            where=where,
            remedy='finish the triage, or let them be left out and listed: untriaged = "list"',
        )
    if not found.kept:
        reasons = some(f"{reason} ({count:,})" for reason, count in found.reasons.items()) or "no sentence was judged"
        raise KostraError(f"no sentence was kept: {reasons}", where=where, accepted=f"the verdict {some(options.keep)}")
    _note(found, sentences.height, context)
    kept = sentences.filter(pl.col("sentence").is_in(list(found.kept)))
    if options.at_most is not None and kept.height > options.at_most:
        spare = kept["sentence"][options.at_most :]
        context.note(
            "spare", f"kept sentences beyond the {options.at_most:,} asked for: {len(spare):,} ({some(spare)})"
        )
    elif options.at_most is not None and kept.height < options.at_most:
        context.note("fewer", f"{kept.height:,} sentences instead of {options.at_most:,}")
    _write(found, sentences, context)
    return {"sentences": kept.head(options.at_most) if options.at_most is not None else kept}


def _note(found: Verdicts, total: int, context: Context) -> None:
    context.note("kept", f"{len(found.kept):,} of {total:,} sentences kept")
    for reason, count in found.reasons.items():
        examples = some(name for name, why in found.rejected.items() if why == reason)
        context.note("rejected", f"{count:,} rejected as {reason}: {examples}")
    for kind, names in (("disputed", found.disputed), ("untriaged", found.untriaged)):
        if names:
            context.note(kind, f"{kind} sentences, left out: {len(names):,} ({some(names)})")


def _write(found: Verdicts, sentences: Frame, context: Context) -> None:
    """Lay down every sentence with what became of it, beside the table."""
    became = {
        **dict.fromkeys(found.kept, "kept"),
        **found.rejected,
        **dict.fromkeys(found.disputed, "disputed"),
        **dict.fromkeys(found.untriaged, "untriaged"),
    }
    listed = sentences.select("sentence", "text").with_columns(
        verdict=pl.Series([became[name] for name in sentences["sentence"]], dtype=pl.String)
    )
    tables.write(listed, context.folder / "triage.csv")

"""Turns the answers of a rewrite round into sentences that know their origin, change and author.

Where people rewrote sentences, the change is the question and the origin the sentence. Where they wrote something
between or beyond the two sentences of a pair, the change is the pair's `subset` and the origin its first sentence.
`label` is the author, `group` the origin. Every answer, IMPOSSIBLE included, is listed in ``answers.csv``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from kostra import tables
from kostra.errors import KostraError, counted, some, unknown
from kostra.recipe import Name, Strict
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SENTENCES, Frame, check

READS = ("judgments", "sentences|pairs")
WRITES = ("sentences",)


class Options(Strict):
    """Which answers are sentences."""

    questions: tuple[Name, ...] = ()
    """Questions whose answers are rewrites; all that were asked unless named."""


@dataclass(frozen=True)
class Source:
    """What was rewritten."""

    name: str
    """What new sentences are called after: the sentence or, of a pair, its second sentence."""
    origin: str
    change: str | None
    """The change that a pair stands for; None where the question says it."""
    text: str
    source: str
    language: str


def sources_of(inputs: Inputs, *, language: str, source: str) -> dict[str, Source]:
    """Item → what was rewritten: the sentence or, of a pair, its first sentence and its kind.

    Parameters
    ----------
    language, source
        For pairs, which do not say theirs.
    """
    pairs = inputs.get("pairs")
    if pairs is None:
        rows = inputs["sentences"].select("sentence", "text", "source", "language").iter_rows()
        return {sentence: Source(sentence, sentence, None, text, corpus, code) for sentence, text, corpus, code in rows}
    lacking = pairs.filter(pl.col("sentence_a").is_null() | pl.col("subset").is_null())["pair"]
    if len(lacking):
        raise KostraError(
            f"{len(lacking):,} pairs do not say of which sentence and by which change: {some(lacking)}",
            accepted="pairs with sentence_a and subset",
            remedy='make them with sampling/rewrite_pairs, of = "seed_and_rewrite"',
        )
    return {
        pair: Source(second or pair, origin, change, text, corpus or source, language)
        for pair, origin, second, change, text, corpus in pairs.select(
            "pair", "sentence_a", "sentence_b", "subset", "text_b", "source"
        ).iter_rows()
    }


def rewritten(judgments: Frame, sources: Mapping[str, Source]) -> Frame:
    """Accepted answers as sentences, in the order of the answers.

    A sentence is called by what it was made from, question and author, and by its number where an author gave several.

    Examples
    --------
    >>> answers = pl.DataFrame(
    ...     {
    ...         "judgment": ["j1", "j2"], "item": ["s1"] * 2, "question": ["past", "ban"], "annotator": ["otter"] * 2,
    ...         "value": ["It rained.", None], "status": ["answered", "impossible"],
    ...     }
    ... )  # fmt: skip
    >>> made = rewritten(answers, {"s1": Source("s1", "s1", None, "It rains.", "weather", "en")})
    >>> made.select("sentence", "text", "origin", "change", "label").rows()
    [('s1:past:otter', 'It rained.', 's1', 'past', 'otter')]
    """
    rows = []
    seen: Counter[str] = Counter()
    answered = judgments.filter(pl.col("status") == "answered").drop_nulls("value")
    for judgment, item, question, annotator, value in answered.select(
        "judgment", "item", "question", "annotator", "value"
    ).iter_rows():
        found = sources[item]
        name = f"{found.name}:{question}:{annotator or judgment}"
        seen[name] += 1
        rows.append(
            {
                "sentence": name if seen[name] == 1 else f"{name}:{seen[name]}",
                "text": " ".join(value.split()),
                "source": found.source,
                "language": found.language,
                "group": found.origin,
                "label": annotator,
                "origin": found.origin,
                "change": found.change or question,
            }
        )
    return check(pl.DataFrame(rows, schema=SENTENCES.dtypes), SENTENCES, where="rewrites")


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """At most one sentence per answer."""
    count = inputs.get("judgments", 0)
    return Plan(f"makes sentences of {count:,} judgments, leaving out what was impossible", {"sentences": count})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Make the sentences; count and list every answer that is none."""
    where = f'step "{context.step.name}"'
    judgments = _chosen(inputs["judgments"], options, where=where)
    about = context.recipe.recipe
    sources = sources_of(inputs, language=about.language, source=about.name)
    strange = judgments.filter(~pl.col("item").is_in(list(sources)))["item"].unique(maintain_order=True)
    if len(strange):
        raise KostraError(
            f"{len(strange):,} items that were rewritten are not among those read here: {some(strange)}",
            where=where,
            remedy="let the step read what the campaign read",
        )
    made = rewritten(judgments, sources)
    if not made.height:
        raise KostraError(
            f"none of {counted(judgments.height, 'judgment')} is a rewrite", where=where, accepted="answered ones"
        )
    _note(judgments, made, sources, context)
    columns = ["judgment", "item", "question", "annotator", "status", "value", "seconds"]
    tables.write(judgments.select(columns), context.folder / "answers.csv")
    return {"sentences": made}


def _chosen(judgments: Frame, options: Options, *, where: str) -> Frame:
    asked = judgments["question"].unique(maintain_order=True).to_list()
    for question in options.questions:
        if question not in asked:
            raise unknown("question", question, asked, where=where)
    return judgments.filter(pl.col("question").is_in(list(options.questions))) if options.questions else judgments


def _note(judgments: Frame, made: Frame, sources: Mapping[str, Source], context: Context) -> None:
    context.note("rewrites", f"{made.height:,} rewrites of {made['origin'].n_unique():,} sentences")
    impossible = judgments.filter(pl.col("status") == "impossible")
    if impossible.height:
        share = impossible.height / (impossible.height + made.height)
        often = impossible["question"].value_counts(sort=True).sort(["count", "question"], descending=[True, False])
        by = some(f"{question} ({count})" for question, count in often.iter_rows())
        context.note("impossible", f"{impossible.height:,} times IMPOSSIBLE ({share:.1%}): {by}")
    for status in ("skipped", "superseded", "surplus", "discarded"):
        count = judgments.filter(pl.col("status") == status).height
        if count:
            context.note(status, f"{status}, and so no rewrites: {counted(count, 'judgment')}")
    untouched = set(sources) - set(judgments["item"])
    if untouched:
        listed = some(item for item in sources if item in untouched)
        context.note("untouched", f"{len(untouched):,} items were rewritten by nobody: {listed}")
    same = [
        name for name, text, origin in zip(made["sentence"], made["text"], made["origin"], strict=True)
        if origin in sources and text == sources[origin].text
    ]  # fmt: skip
    if same:
        context.note("same", f"{len(same):,} rewrites are the very sentence that was to be rewritten: {some(same)}")

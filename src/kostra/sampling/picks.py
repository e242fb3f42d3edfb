"""Turns the answers of a pick round into pairs with contexts, and the picker's ratings into scores (Czech News STS).

Somebody picked for a sentence S one sentence for each class, such as the most similar (a), a middling (b) and the least
similar (c), and rated each. Every pick becomes a pair of S and the picked sentence, its class as ``subset``; the rating
becomes the pair's score.

A pair's id is a hash of its class and its two texts: the same whenever more answers come in, and it tells nobody who
reads the released dataset which sentences shared a document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

import polars as pl
from pydantic import Field

from kostra import tables
from kostra.errors import KostraError, some
from kostra.recipe import Name, Score, Strict
from kostra.sampling.buckets import nothing_fits
from kostra.steps import Context, Inputs, Plan
from kostra.tables import PAIRS, SCORES, Frame

READS = ("tuples", "sentences", "judgments")
WRITES = ("pairs", "scores")

MARKS = ("<sent>", "</sent>")
"""What stands around the key sentence in its context."""


class Options(Strict):
    """Which questions picked a sentence, which rated it, and what the score is called."""

    classes: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The questions whose answer is a picked sentence; each is a class of pairs."""
    ratings: dict[Name, Name] = Field(default_factory=dict)
    """Class → the question that rates its pick; by default the recipe's score with the class behind it, such as
    ``similarity_a``."""
    as_question: Name
    """What the picker's rating is called as a score."""
    context: Literal["document", "none"] = "document"
    """Whether each sentence comes with the whole document that it stands in."""


def in_context(text: str, start: int, end: int) -> str:
    """A text with its key sentence marked.

    Examples
    --------
    >>> in_context("It rained. A river rose.", 11, 24)
    'It rained. <sent>A river rose.</sent>'
    """
    return f"{text[:start]}{MARKS[0]}{text[start:end]}{MARKS[1]}{text[end:]}"


def contexts(sentences: Frame, documents: Frame | None = None) -> dict[str, str]:
    """Each sentence inside its document, between ``<sent>`` and ``</sent>``.

    A document that comes without a text is its sentences in a row. Sentences are looked for one after the other, so
    that of two equal ones each gets its own place; one that its document does not hold has no context.

    Raises
    ------
    KostraError
        If a text holds such marks already: nobody could tell which sentence is meant.

    Examples
    --------
    >>> frame = pl.DataFrame(
    ...     {"sentence": ["s1", "s2"], "text": ["Rain.", "Rain."], "document": ["d", "d"], "position": [1, 2]}
    ... )
    >>> contexts(frame)["s2"]
    'Rain. <sent>Rain.</sent>'
    """
    whole = {} if documents is None else dict(documents.drop_nulls("text").select("document", "text").iter_rows())
    ordered = sentences.drop_nulls("document").sort("document", "position", maintain_order=True)
    grouped = ordered.group_by("document", maintain_order=True).agg("sentence", "text")
    found: dict[str, str] = {}
    for document, ids, texts in grouped.iter_rows():
        text = whole.get(document) or " ".join(texts)
        if any(mark in text for mark in MARKS):
            raise KostraError(
                f'the document "{document}" holds {MARKS[0]} or {MARKS[1]} as text', accepted="other text"
            )
        end = 0
        for name, own in zip(ids, texts, strict=True):
            start = text.find(own, end)
            if start >= 0:
                end = start + len(own)
                found[name] = in_context(text, start, end)
    return found


def pair_id(*parts: str) -> str:
    """An id that depends on the texts only.

    Examples
    --------
    >>> pair_id("a", "A river rose.", "The river is high.")
    'pair-26171c232d69'
    """
    return f"pair-{hashlib.sha256(chr(31).join(parts).encode()).hexdigest()[:12]}"


def picks(tuples: Frame, judgments: Frame, classes: Iterable[str], *, where: str = "answers") -> Frame:
    """The picked sentences: ``sentence_a`` (S), ``class``, ``sentence_b`` and ``annotator``, one row per pick.

    Only accepted answers count. A pick that was never offered for its S is refused.

    Examples
    --------
    >>> offered = pl.DataFrame({"tuple": ["s", "s"], "item": ["r1", "r2"]})
    >>> said = {"item": ["s"], "question": ["a"], "value": ["r2"], "annotator": ["ann"], "status": ["answered"]}
    >>> picks(offered, pl.DataFrame(said), ["a"]).rows()
    [('s', 'a', 'r2', 'ann')]
    """
    wanted = judgments.filter(pl.col("question").is_in(list(classes)) & (pl.col("status") == "answered"))
    chosen = wanted.select(
        pl.col("item").alias("sentence_a"), pl.col("question").alias("class"), pl.col("value").alias("sentence_b"),
        "annotator",
    )  # fmt: skip
    offered = tuples.select(pl.col("tuple").alias("sentence_a"), pl.col("item").alias("sentence_b"))
    strange = chosen.join(offered, on=["sentence_a", "sentence_b"], how="anti")
    if strange.height:
        named = [f"{picked} for {asked}" for asked, _, picked, _ in strange.iter_rows()]
        raise KostraError(
            f"{strange.height:,} picks were not offered: {some(named)}",
            where=where,
            remedy="the answers belong to another build: keep the seed and the data with which they were collected",
        )
    return chosen


def _ratings(judgments: Frame, ratings: Mapping[str, str], score: Score, *, where: str) -> Frame:
    """The accepted ratings by S, class and annotator; one that is no number on the scale is refused."""
    class_of = {question: name for name, question in ratings.items()}
    said = judgments.filter(pl.col("question").is_in(list(class_of)) & (pl.col("status") == "answered"))
    rated = said.select(
        pl.col("item").alias("sentence_a"), pl.col("question").replace_strict(class_of).alias("class"), "annotator",
        "value", pl.col("value").cast(pl.Float64, strict=False).alias("rating"),
    )  # fmt: skip
    outside = rated.filter(~pl.col("rating").is_between(score.low, score.high).fill_null(False))
    if outside.height:
        named = [f"{value} for {item} ({kind})" for item, kind, _, value, _ in outside.iter_rows()]
        raise KostraError(
            f"{outside.height:,} ratings lie outside the scale: {some(named)}",
            where=where,
            accepted=f"numbers from {score.low:g} to {score.high:g}",
        )
    return rated.drop("value")


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """A pair per sentence and class, where the number of sentences is known."""
    count = inputs.get("tuples", 0) * len(options.classes)
    how_many = f"{count:,} pairs" if count else "pairs"
    says = f"turns picks ({', '.join(options.classes)}) into {how_many}, and their ratings into {options.as_question}"
    return Plan(says, {"pairs": count} if count else {})


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Make the pairs and their scores; picks that nobody rated, and sentences without a context, are counted."""
    where = f'step "{context.step.name}"'
    score = context.recipe.score
    ratings = {name: options.ratings.get(name, f"{score.question}_{name}") for name in options.classes}
    _refuse_unknown(inputs["judgments"], [*options.classes, *ratings.values()], where=where)
    chosen = picks(inputs["tuples"], inputs["judgments"], options.classes, where=where)
    if chosen.is_empty():
        raise nothing_fits("nobody has picked a sentence", context, accepted="accepted answers of a pick round")
    rated = _ratings(inputs["judgments"], ratings, score, where=where)
    both = chosen.join(
        rated, on=["sentence_a", "class", "annotator"], how="left", nulls_equal=True, maintain_order="left"
    )
    rows = _rows(both, inputs, options, context)
    pairs = rows.unique("pair", keep="first", maintain_order=True)
    scores = (
        rows.drop_nulls("rating")
        .group_by("pair", maintain_order=True)
        .agg(pl.col("rating").mean().alias("score"), pl.len().cast(pl.Int64).alias("appearances"))
        .select(pl.col("pair").alias("item"), pl.lit(options.as_question).alias("question"), "score", "appearances")
    )
    _tell(pairs, rows, scores, context)
    kept = [name for name in pairs.columns if name in PAIRS.dtypes]
    return {
        "pairs": tables.check(pairs.select(kept), PAIRS, where=where),
        "scores": tables.check(scores, SCORES, where=where),
    }


def _refuse_unknown(judgments: Frame, wanted: Iterable[str], *, where: str) -> None:
    known = judgments["question"].unique(maintain_order=True).to_list()
    strange = [name for name in wanted if name not in known]
    if strange:
        raise KostraError(
            f"nobody was asked {some(strange)}",
            where=where,
            accepted=some(known, 12) or "there are no answers",
            remedy="name the questions of the pick round in `classes` and `ratings`",
        )


def _rows(both: Frame, inputs: Inputs, options: Options, context: Context) -> Frame:
    """Every pick as a row of pairs, with its rating."""
    sentences = inputs["sentences"]
    text = dict(sentences.select("sentence", "text").iter_rows())
    source = dict(sentences.select("sentence", "source").iter_rows())
    lost = {name for column in ("sentence_a", "sentence_b") for name in both[column] if name not in text}
    if lost:
        raise KostraError(
            f"{len(lost):,} sentences are not known: {some(sorted(lost))}",
            where=f'step "{context.step.name}"',
            remedy="read the step that made the candidates, with its sentences",
        )
    around = contexts(sentences, inputs.get("documents")) if options.context == "document" else {}
    ends = list(both.select("class", "sentence_a", "sentence_b").iter_rows())
    made = both.with_columns(
        pl.Series("pair", [pair_id(name, text[one], text[two]) for name, one, two in ends], dtype=pl.String),
        pl.Series("text_a", [text[one] for _, one, _ in ends], dtype=pl.String),
        pl.Series("text_b", [text[two] for _, _, two in ends], dtype=pl.String),
        pl.Series("source", [source[one] for _, one, _ in ends], dtype=pl.String),
        pl.Series("context_a", [around.get(one) for _, one, _ in ends], dtype=pl.String),
        pl.Series("context_b", [around.get(two) for _, _, two in ends], dtype=pl.String),
        pl.col("class").alias("subset"),
    )
    if options.context == "document":
        bare = made.filter(pl.col("context_a").is_null() | pl.col("context_b").is_null())["pair"]
        if len(bare):
            context.note("no_context", f"{len(bare):,} pairs have a sentence without a document: {some(bare)}")
    return made


def _tell(pairs: Frame, rows: Frame, scores: Frame, context: Context) -> None:
    """What was made, and what was not."""
    people = rows["annotator"].drop_nulls().n_unique()
    by_class = ", ".join(f"{name} {count:,}" for name, count in rows["class"].value_counts().sort("class").iter_rows())
    said = (
        f"{pairs.height:,} pairs for {rows['sentence_a'].n_unique():,} sentences by {people:,} annotators: {by_class}"
    )
    context.note("picked", said)
    unrated = pairs.height - scores.height
    if unrated:
        missing = pairs.filter(~pl.col("pair").is_in(scores["item"].implode()))["pair"]
        context.note("unrated", f"{unrated:,} pairs were picked and not rated: {some(missing)}")
    again = rows.height - pairs.height
    if again:
        context.note("again", f"{again:,} picks gave a pair that was there already: its score is their mean")

"""The released form of the tables: one row per pair, nothing lost on the way without being counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from kostra.campaign.protocol import Campaign
from kostra.campaign.questions import CHECK, READ, SUGGESTION
from kostra.errors import KostraError, some
from kostra.recipe import Score
from kostra.steps import Inputs
from kostra.tables import Frame

PAIR_COLUMNS = ("pair", "text_a", "text_b", "score", "standard_error", "appearances", "source", "subset")
_ROUNDING = 1e-9
"""A mean may pass the end of its scale by the rounding of floating point, and by no more."""


@dataclass(frozen=True)
class Released:
    """What goes into the dataset folder."""

    pairs: Frame
    unscored: Frame
    statistics: Frame | None = None
    judgments: Frame | None = None
    annotators: Frame | None = None
    tuples: Frame | None = None
    """One row per tuple: tuple, Item1, Item2, …"""
    sentences: Frame | None = None
    """Seeds and what was made from them, with origin, change and author, where the release reads sentences."""
    findings: list[tuple[str, str]] = field(default_factory=list)
    """What was left out or not found: kind and message."""


def release(inputs: Inputs, score: Score) -> Released:
    """Bring the tables into the form in which they are released."""
    findings: list[tuple[str, str]] = []
    _refuse_addresses(inputs.get("annotators"), inputs.get("judgments"))
    pairs = inputs["pairs"].sort("pair")
    check_range(inputs["scores"], score)
    _count_strangers(inputs["scores"], pairs, findings)
    every = one_row_both_ways(with_scores(pairs, inputs["scores"], main=score.question), pairs)
    unscored = every.filter(pl.col("score").is_null())
    if unscored.height == every.height:
        raise KostraError(
            f'none of the {every.height:,} pairs has a score for "{score.question}"',
            accepted=f'scores of pairs for the question "{score.question}"; '
            f"the scores answer {some(inputs['scores']['question'].unique().sort()) or 'nothing'}",
            remedy="name the step that scores these pairs in `reads`, or mend `question` under [score]",
        )
    if unscored.height:
        findings.append(
            ("unscored", f"{unscored.height:,} of {every.height:,} pairs have no score: {some(unscored['pair'])}")
        )
    made = Released(
        pairs=every.filter(pl.col("score").is_not_null()),
        unscored=unscored,
        statistics=inputs.get("statistics"),
        judgments=_sorted(inputs.get("judgments"), "judgment"),
        annotators=shareable_annotators(inputs.get("annotators"), findings),
        tuples=wide_tuples(inputs.get("tuples")),
        sentences=_sorted(inputs.get("sentences"), "sentence"),
        findings=findings,
    )
    _check_references(made, pairs)
    return made


def _sorted(frame: Frame | None, by: str) -> Frame | None:
    return None if frame is None else frame.sort(by)


def check_range(scores: Frame, score: Score) -> None:
    """Refuse scores of the main question that lie outside the declared range."""
    slack = _ROUNDING * (score.high - score.low)
    outside = scores.filter(
        (pl.col("question") == score.question) & ~pl.col("score").is_between(score.low - slack, score.high + slack)
    ).sort("item")
    if outside.height:
        named = [f"{item} ({value:g})" for item, value in outside.select("item", "score").iter_rows()]
        raise KostraError(
            f'{outside.height:,} scores of "{score.question}" lie outside {score.low:g} to {score.high:g}: '
            f"{some(named, 10)}",
            where="scores",
            accepted=f"a score from {score.low:g} to {score.high:g}",
            remedy="mend low and high under [score], or the step that makes the scores",
        )


def with_scores(pairs: Frame, scores: Frame, *, main: str) -> Frame:
    """Lay the scores beside the pairs: the main question's as ``score``, other questions' as ``score_<question>``.

    Labels stand in ``label_<question>``. Pairs that have no score keep their row.
    """
    contexts = [name for name in ("context_a", "context_b") if pairs[name].null_count() < pairs.height]
    chief = scores.filter(pl.col("question") == main)
    frame = pairs.join(
        chief.select("score", "standard_error", "appearances", "label", pair="item"),
        on="pair",
        how="left",
        maintain_order="left",
    )
    columns = [*PAIR_COLUMNS, *contexts]
    if chief["label"].null_count() < chief.height:
        frame = frame.rename({"label": f"label_{main}"})
        columns.append(f"label_{main}")
    for question in scores["question"].unique().sort().to_list():
        if question == main:
            continue
        asked = scores.filter(pl.col("question") == question)
        held = [name for name in ("label", "score", "standard_error") if asked[name].null_count() < asked.height]
        names = {name: f"{name}_{question}" for name in (*held, "appearances")}
        beside = asked.select(pl.col("item").alias("pair"), *(pl.col(old).alias(new) for old, new in names.items()))
        frame = frame.join(beside, on="pair", how="left", maintain_order="left")
        columns += names.values()
    return frame.select(columns)


OTHER_WAY = "_reverse"
"""Ends the names of columns that hold what was said of a pair the other way round."""


def one_row_both_ways(every: Frame, pairs: Frame) -> Frame:
    """Lay a reverse without a score of its own beside the pair whose score rests on both.

    Where a pair and its reverse make one score, as in CDSCorpus, the reverse still has labels of its own: they become
    columns of the pair, ``label_entailment_reverse`` beside ``label_entailment``.

    Examples
    --------
    >>> every = pl.DataFrame({"pair": ["p", "q"], "score": [3.5, None], "label_e": ["neutral", "entailment"]})
    >>> both = pl.DataFrame({"pair": ["p", "q"], "reverse": ["q", "p"]})
    >>> one_row_both_ways(every, both).rows(named=True)
    [{'pair': 'p', 'score': 3.5, 'label_e': 'neutral', 'label_e_reverse': 'entailment'}]
    """
    reverse = pairs.drop_nulls("reverse").select("pair", "reverse")
    scored = every.filter(pl.col("score").is_not_null())["pair"]
    ways = every.join(reverse, on="pair", how="inner", maintain_order="left")
    back = ways.filter(pl.col("score").is_null() & pl.col("reverse").is_in(scored.implode()))
    if back.is_empty():
        return every
    own = [name for name in back.columns if _own_of_a_way(name) and back[name].null_count() < back.height]
    beside = back.select(pl.col("reverse").alias("pair"), pl.col(own).name.suffix(OTHER_WAY))
    kept = every.filter(~pl.col("pair").is_in(back["pair"].implode()))
    return kept.join(beside, on="pair", how="left", maintain_order="left")


def _own_of_a_way(column: str) -> bool:
    return column.startswith(("label_", "score_", "standard_error_", "appearances_"))


def wide_tuples(tuples: Frame | None) -> Frame | None:
    """One row per tuple, its items in columns; a shorter tuple leaves the last ones empty.

    Examples
    --------
    >>> long = pl.DataFrame({"tuple": ["t", "t"], "position": [2, 1], "item": ["b", "a"]})
    >>> wide_tuples(long).rows(named=True)
    [{'tuple': 't', 'Item1': 'a', 'Item2': 'b'}]
    """
    if tuples is None or tuples.is_empty():
        return None
    places = tuples["position"].unique().sort().to_list()
    at = [pl.col("item").filter(pl.col("position") == place).first().alias(f"Item{place}") for place in places]
    return tuples.group_by("tuple").agg(at).sort("tuple")


def shareable_annotators(annotators: Frame | None, findings: list[tuple[str, str]]) -> Frame | None:
    """The annotators without the notes that were kept on people."""
    if annotators is None:
        return None
    private = (pl.col("kind") == "person") & pl.col("note").is_not_null()
    kept_back = annotators.filter(private).height
    if kept_back:
        findings.append(("private", f"the notes kept on {kept_back:,} annotators are not released"))
    return annotators.with_columns(note=pl.when(~private).then(pl.col("note"))).sort("annotator")


_PERSONAL = {
    "an e-mail address": r"\S@\S+\.\S",
    "their id at Mechanical Turk": r"^A[A-Z0-9]{11,14}$",
    "their id at Prolific": r"^[0-9a-f]{24}$",
}
"""Names under which somebody can be found."""


def _refuse_addresses(*frames: Frame | None) -> None:
    """Refuse pseudonyms by which people can be found: what is once published cannot be taken back."""
    for frame in frames:
        if frame is None:
            continue
        for what, pattern in _PERSONAL.items():
            named = frame.filter(pl.col("annotator").str.contains(pattern))["annotator"].n_unique()
            if named:
                raise KostraError(
                    f"{named:,} annotators go by {what}, which must not be released",
                    accepted="pseudonyms",
                    remedy="replace these names in the collected answers by pseudonyms (kostra import does)",
                )


def without_questionnaires(made: Released, campaigns: Sequence[Campaign]) -> Released:
    """The tables without what people said about themselves, which is not released; it is counted."""
    if made.judgments is None:
        return made
    phases = [phase.name for campaign in campaigns for phase in campaign.phases if phase.task == "questionnaire"]
    about_people = pl.col("phase").is_in(phases) & (pl.col("item") == pl.col("phase"))
    private = made.judgments.filter(about_people).height
    if not private:
        return made
    said = ("private", f"{private:,} answers of people about themselves are not released")
    return replace(made, judgments=made.judgments.filter(~about_people), findings=[*made.findings, said])


def _count_strangers(scores: Frame, pairs: Frame, findings: list[tuple[str, str]]) -> None:
    strange = scores.filter(~pl.col("item").is_in(pairs["pair"].implode()))["item"].unique().sort()
    if len(strange):
        findings.append(("not_a_pair", f"{len(strange):,} scored items are no pair of this dataset: {some(strange)}"))


def _check_references(made: Released, pairs: Frame) -> None:
    """Note judged items and annotators that a reader will look for in the folder and not find."""
    if made.judgments is None:
        return
    known = [pairs["pair"]] + ([made.tuples["tuple"]] if made.tuples is not None else [])
    known += [made.sentences["sentence"]] if made.sentences is not None else []
    about_items = made.judgments.filter(
        ~pl.col("question").is_in([READ, CHECK])  # not texts that people read, nor what judges would mend
        & ~pl.col("item").str.starts_with(SUGGESTION)
    )
    lost = about_items.filter(~pl.col("item").is_in(pl.concat(known).implode()))["item"].unique().sort()
    if len(lost):
        made.findings.append(
            (
                "unknown_items",
                f"{len(lost):,} judged items are neither pairs nor tuples of this folder: {some(lost)}; if they are "
                "tuples, let the release step read the step that made them",
            )
        )
    if made.annotators is not None:
        listed = made.annotators["annotator"].implode()
        unlisted = made.judgments["annotator"].drop_nulls().unique().sort()
        unlisted = unlisted.filter(~unlisted.is_in(listed))
        if len(unlisted):
            made.findings.append(
                ("unknown_annotators", f"{len(unlisted):,} annotators are in no list: {some(unlisted)}")
            )

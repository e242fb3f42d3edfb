"""The majority label of each item; a tie is a value of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import polars as pl

from kostra.errors import KostraError, some
from kostra.ratings import Ratings
from kostra.recipe import Strict
from kostra.scoring.ratings import Agreement, AnswerOptions, accepted_answers
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

READS = ("judgments",)
WRITES = ("scores", "pairs")

TIE = "tie:"
"""How the label of a tie begins; the labels that tie follow, in alphabetical order, separated by `|`."""


def tie_of(labels: list[str]) -> str:
    """The label of a tie.

    Examples
    --------
    >>> tie_of(["neutral", "entailment"])
    'tie:entailment|neutral'
    """
    return TIE + "|".join(sorted(labels))


def tied_labels(label: str) -> tuple[str, ...]:
    """The labels that tie; none if the label is not a tie.

    Examples
    --------
    >>> tied_labels("tie:entailment|neutral"), tied_labels("neutral")
    (('entailment', 'neutral'), ())
    """
    return tuple(label.removeprefix(TIE).split("|")) if label.startswith(TIE) else ()


def majority_labels(answers: Frame, *, question: str) -> Frame:
    """Take the label that most annotators gave to each item (a plurality: more than any other label has).

    Labels that share first place make the item's label a tie, such as ``tie:entailment|neutral``; nothing breaks it.

    Parameters
    ----------
    answers
        Columns item and value, one row per answer. Labels are texts: "1" and "1.0" are two.
    question
        The question under which the labels stand.

    Returns
    -------
    Frame
        Scores with the label and, in `raw`, its share of the item's answers (of a tie, the share that each of the tied
        labels has). A label has no score and no standard error. An item without answers has no row.

    Raises
    ------
    KostraError
        If an answer is empty, or a label looks like a tie: begins with ``tie:`` or contains ``|``.

    Examples
    --------
    Item p: two of three; item q: one each.

    >>> answers = pl.DataFrame({"item": ["p", "p", "p", "q", "q"], "value": ["yes", "no", "yes", "no", "yes"]})
    >>> majority_labels(answers, question="related").select("item", "label", pl.col("raw").round(3)).rows()
    [('p', 'yes', 0.667), ('q', 'tie:no|yes', 0.5)]
    """
    refuse_strange_labels(answers)
    votes = answers.group_by("item", "value").agg(votes=pl.len())
    most = pl.col("votes").max().over("item")
    appearances = pl.col("votes").sum().over("item").cast(pl.Int64)
    first = votes.with_columns(appearances=appearances).filter(pl.col("votes") == most).sort("item", "value")
    winners = first.group_by("item", maintain_order=True).agg("value", pl.col("votes", "appearances").first())
    labels = [names[0] if len(names) == 1 else tie_of(names) for names in winners["value"].to_list()]
    frame = winners.select(
        "item",
        "appearances",
        question=pl.lit(question),
        label=pl.Series(labels, dtype=pl.String),
        raw=pl.col("votes") / pl.col("appearances"),
    )
    return check(frame, SCORES, where="majority labels")


def refuse_strange_labels(answers: Frame) -> None:
    """Refuse answers that are empty or could be taken for a tie."""
    if answers["value"].null_count():
        raise KostraError(f"{answers['value'].null_count():,} accepted answers are empty", accepted="a label each")
    strange = [value for value in answers["value"].unique().sort() if value.startswith(TIE) or "|" in value]
    if strange:
        raise KostraError(f'the label "{strange[0]}" looks like a tie', accepted=f'labels without "{TIE}" and "|"')


def tied_items(scores: Frame) -> Frame:
    """The items whose label is a tie: what a further person should be asked.

    Examples
    --------
    >>> labels = majority_labels(pl.DataFrame({"item": ["p", "p"], "value": ["no", "yes"]}), question="related")
    >>> tied_items(labels).rows()
    [('p', ['no', 'yes'])]
    """
    ties = scores.filter(pl.col("label").str.starts_with(TIE))
    labels = [list(tied_labels(label)) for label in ties["label"]]
    return ties.select("item").with_columns(pl.Series("labels", labels, dtype=pl.List(pl.String)))


def agreed_labels(answers: Frame, *, least: float = 1.0) -> dict[str, str]:
    """Item → the majority label, where at least this share of the answers gave it: how authors make gold questions.

    Examples
    --------
    >>> answers = pl.DataFrame({"item": ["p", "p", "q", "q"], "value": ["yes", "yes", "no", "yes"]})
    >>> agreed_labels(answers)
    {'p': 'yes'}
    """
    found = majority_labels(answers, question="gold")
    clear = found.filter(~pl.col("label").str.starts_with(TIE) & (pl.col("raw") >= least - 1e-9))
    return dict(clear.select("item", "label").iter_rows())


def agreement_with_majority(ratings: Ratings) -> list[Agreement]:
    r"""For each annotator, the share of answers equal to the majority of the others.

    .. math:: \kappa = \frac{p - e}{1 - e}, \qquad e = \sum_k m_k o_k

    Items on which the others have no majority (nobody else answered, or a tie) are left out. Beyond chance it is
    Cohen's κ [1]_, with :math:`m_k` how often the annotator, and :math:`o_k` how often the others' majority, says k; it
    is NaN where both always say the same one thing.

    References
    ----------
    .. [1] J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement
       20, 37–46.

    Examples
    --------
    Ann and Bob agree on p and differ on q. Each is the other's majority: p = 1/2. Ann says yes twice and Bob once,
    so that e = 1 · 1/2 and κ = 0.

    >>> from kostra.ratings import ratings_from
    >>> answers = ratings_from(["p", "p", "q", "q"], ["yes", "yes", "yes", "no"], ["ann", "bob", "ann", "bob"])
    >>> agreement_with_majority(answers)[0]
    Agreement(annotator='ann', share=0.5, beyond_chance=0.0, answers=2)
    """
    who = ratings.who("agreement with the others")
    kinds, codes = np.unique(ratings.values, return_inverse=True)
    votes = np.zeros((len(ratings.items), len(kinds)))
    np.add.at(votes, (ratings.item, codes), 1)
    others = votes[ratings.item]
    others[np.arange(len(codes)), codes] -= 1
    top = others.max(axis=1, initial=0)
    clear = (top > 0) & ((others == top[:, None]).sum(axis=1) == 1)
    found = []
    for place, name in enumerate(ratings.annotators or ()):
        own = clear & (who == place)
        n = int(own.sum())
        mine, theirs = codes[own], others[own].argmax(axis=1) if n else codes[own]
        share = float((mine == theirs).mean()) if n else np.nan
        chance = (
            float(np.bincount(mine, minlength=len(kinds)) @ np.bincount(theirs, minlength=len(kinds))) / max(n, 1) ** 2
        )
        found.append(Agreement(name, share, (share - chance) / (1 - chance) if chance < 1 else np.nan, n))
    return found


# The step ----------------------------------------------------------------------------------------------


class Options(AnswerOptions, Strict):
    """Which answers count, and what becomes of a tie."""

    ties: Literal["tie", "report", "ask"] = "report"
    """``report`` (or ``tie``): a tie stays a label of its own. ``ask``: it does as well, and the step passes on the
    tied pairs, for a campaign that asks one person more; the majority of all answers together then settles them."""


def writes(options: Options) -> tuple[str, ...]:
    """Scores; with ``ties = "ask"`` also the pairs to ask about."""
    return WRITES if options.ties == "ask" else ("scores",)


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One label per judged item."""
    ties = "; passes on the ties, to be asked again" if options.ties == "ask" else "; a tie stays a tie"
    return Plan(f"takes the majority of {inputs.get('judgments', 0):,} judgments per item{ties}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Label the items and report the ties."""
    question = options.question or context.recipe.score.question
    answers = accepted_answers(inputs["judgments"], question, options)
    scores = majority_labels(answers, question=options.as_question or question)
    note_ties(scores, context)
    return {"scores": scores} | ({"pairs": _to_ask(scores, inputs.get("pairs"))} if options.ties == "ask" else {})


def note_ties(scores: Frame, context: Context) -> None:
    """Keep how many labels are ties, and which."""
    ties = tied_items(scores)
    if ties.height:
        named = some(ties["item"])
        context.note("ties", f"{ties.height:,} of {scores.height:,} items have no majority but a tie: {named}")


def _to_ask(scores: Frame, pairs: Frame | None) -> Frame:
    if pairs is None:
        raise KostraError('ties = "ask" needs the pairs, to pass on the tied ones', remedy="read a step with pairs")
    return pairs.join(tied_items(scores), left_on="pair", right_on="item", how="semi", maintain_order="left")

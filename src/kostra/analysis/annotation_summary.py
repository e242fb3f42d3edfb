"""An annotation in one table: items, tuples, answers, people and reliability (STR-2021, Table 3)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from kostra import tables
from kostra.recipe import Strict
from kostra.reliability import Estimate
from kostra.reliability.agreement_step import statistics_table
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("judgments",)
WRITES = ("statistics",)
GOES_WITHOUT = ("statistics",)

_WHAT = {
    "items": "what scores are given to",
    "tuples": "questions, each of several items",
    "tuples_per_item": "questions in which an item stands, on average",
    "answers": "accepted answers, one per question and annotator",
    "answers_per_question": "on average",
    "annotators": "people with an accepted answer",
    "annotators_stopped": "people whose answers were all discarded",
    "answers_discarded": "of people who were stopped",
}


class Options(Strict):
    """Which reliability closes the table."""

    reliability: str = "split_half_spearman"
    """A statistic of the steps that are read; the paper has Spearman's correlation of halves."""


def annotation_summary(judgments: Frame, tuples: Frame | None = None) -> dict[str, float]:
    """Count an annotation; an answer is what one annotator says to one question, however many choices it asks for.

    Examples
    --------
    Two people answer one question, best and worst each; a third was stopped.

    >>> rows = [(name, kind, "t1", "discarded" if name == "c" else "answered") for name in "abc" for kind in ("b", "w")]
    >>> judgments = pl.DataFrame(rows, schema=["annotator", "question", "item", "status"], orient="row")
    >>> found = annotation_summary(judgments, pl.DataFrame({"tuple": ["t1"] * 4, "item": [*"pqrs"]}))
    >>> {name: found[name] for name in ("items", "tuples", "answers", "annotators", "annotators_stopped")}
    {'items': 4.0, 'tuples': 1.0, 'answers': 2.0, 'annotators': 2.0, 'annotators_stopped': 1.0}
    """
    answers = judgments.unique(["item", "annotator", "status"])
    accepted = answers.filter(pl.col("status") == "answered")
    discarded = answers.filter(pl.col("status") == "discarded")
    asked = accepted["item"].n_unique()
    if tuples is None:
        counted = {"items": float(asked)}
    else:
        items, questions = tuples["item"].n_unique(), tuples["tuple"].n_unique()
        counted = {"items": items, "tuples": questions, "tuples_per_item": tuples.height / max(items, 1)}
    stopped = set(discarded["annotator"]) - set(accepted["annotator"])
    found = {
        **counted,
        "answers": accepted.height,
        "answers_per_question": accepted.height / max(asked, 1),
        "annotators": accepted["annotator"].n_unique(),
        "annotators_stopped": len(stopped),
        "answers_discarded": discarded.height,
    }
    return {name: float(value) for name, value in found.items()}


# The step ----------------------------------------------------------------------------------------------


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One table."""
    return Plan(f"counts {inputs.get('judgments', 0):,} judgments, and the people who gave them")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the table as annotation_summary.csv, and as statistics."""
    found = {
        name: Estimate(value, note=_WHAT[name])
        for name, value in annotation_summary(inputs["judgments"], inputs.get("tuples")).items()
    }
    said = inputs.get("statistics")
    for row in said.iter_rows(named=True) if said is not None else ():
        if row["statistic"] == options.reliability:
            found[options.reliability] = Estimate(row["value"], row["low"], row["high"], row["n"], row["note"] or "")
    rows = [(name, estimate.value, estimate.note) for name, estimate in found.items()]
    table = pl.DataFrame(rows, schema={"statistic": pl.String, "value": pl.Float64, "what": pl.String}, orient="row")
    tables.write(table, context.folder / "annotation_summary.csv")
    counts = {name: estimate for name, estimate in found.items() if name in _WHAT}
    return {"statistics": statistics_table(counts, question=context.recipe.score.question)}

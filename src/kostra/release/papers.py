"""The papers of an edition: data statement, datasheet and the annotators' instructions, in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import kostra
from kostra import files
from kostra.campaign.admission import Consent, Pay
from kostra.campaign.protocol import Block, Campaign, Question
from kostra.campaign.questions import points
from kostra.recipe import Recipe
from kostra.release.about import shown_answer
from kostra.release.card import Answers, statistic_rows, step_rows
from kostra.release.edition import Edition
from kostra.release.markup import Safe, code, inline, render
from kostra.release.released import Released
from kostra.steps import Context
from kostra.tables import Frame

STATEMENT = "DATA_STATEMENT.md"
DATASHEET = "DATASHEET.md"
INSTRUCTIONS = "INSTRUCTIONS.md"


def papers(made: Released, context: Context, edition: Edition, who: Answers, *, name: str) -> dict[str, str]:
    """File → text."""
    people = not who.no_person
    facts: dict[str, Any] = {
        "name": name,
        "about": context.recipe.recipe,
        "score": context.recipe.score,
        "made": made,
        "edition": edition,
        "kostra": kostra.__version__,
        "steps": step_rows(context, below=True),
        "statistics": statistic_rows(made.statistics),
        "findings": [
            *(message for _, message in made.findings),
            *(finding for manifest in context.history.values() for finding in manifest.get("findings", [])),
        ],
        "sources": _sources(made.pairs),
        "lengths": _lengths(made.pairs),
        "no_person": who.no_person,
        "who_said": who.statement() if who.no_person else "",
        "who_mixture": f"Accepted judgments: {who.mixture()}." if who.answers else "No judgments are released.",
        "pay_rules": "; ".join(_pay(one.pay) for one in edition.campaigns.values() if one.pay is not None),
        "times": _times(made.judgments),
        "answer": lambda key: shown_answer(edition.about, key, people=people),
    }
    return {
        STATEMENT: render("data_statement.md.jinja", facts),
        DATASHEET: render("datasheet.md.jinja", facts),
        INSTRUCTIONS: instructions(edition.campaigns, context.recipe, context.project),
    }


def instructions(campaigns: Mapping[str, Campaign], recipe: Recipe, project: Path) -> str:
    """What annotators of some campaigns were told and asked, word for word."""
    asked = {
        "campaigns": campaigns,
        "notes": {step.name: step.note for step in recipe.steps},
        "words": _words(project),
        "answers": _answers,
    }
    return render("instructions.md.jinja", asked)


def _sources(pairs: Frame) -> list[tuple[str, int]]:
    counted = pairs.group_by("source").agg(n=pl.len()).sort("n", "source", descending=[True, False], nulls_last=True)
    return [(source or "not said", n) for source, n in counted.rows()]


def _lengths(pairs: Frame) -> dict[str, str]:
    words = pl.concat([pairs["text_a"], pairs["text_b"]]).str.count_matches(r"\S+")
    return {
        "low": str(words.min()),
        "high": str(words.max()),
        "median": f"{float(np.median(words.to_numpy())):g}",
    }


def _times(judgments: Frame | None) -> tuple[str, str] | None:
    times = None if judgments is None else judgments["answered_at"].drop_nulls()
    if times is None or not len(times):
        return None
    days = times.dt.strftime("%Y-%m-%d").sort()
    return str(days[0]), str(days[-1])


def _pay(pay: Pay) -> str:
    parts = [f"{amount:g} {pay.currency} {per}" for amount, per in ((pay.per_answer, "an answer"), (pay.per_hour, "an hour")) if amount]  # fmt: skip # noqa: E501
    return " and ".join([*parts, *(f"{bonus.amount:g} {pay.currency} for “{bonus.name}”" for bonus in pay.bonus)])


def _words(project: Path) -> Callable[[Block | Consent], str]:
    def words(block: Block | Consent) -> str:
        return block.text if block.text_file is None else files.read_text(project / block.text_file).strip()

    return words


def _answers(question: Question) -> Safe:
    """What may be answered, in one cell of a table."""
    if question.low is not None and question.high is not None:
        allowed = points(question)
        if question.labels:
            named = zip(allowed, question.labels, strict=False)
            said = "; ".join(f"{point:g} = {inline(label)}" for point, label in named)
        else:
            said = f"{question.low:g} to {question.high:g}, {len(allowed)} points"
    elif question.labels:
        said = "; ".join(inline(label) for label in question.labels)
    else:
        said = "as the task has it (a text, or a choice on the screen)"
    more = []
    if question.about:
        more.append(f"about {code(question.about)}")
    if question.at_most:
        more.append(f"up to {question.at_most} answers")
    if question.impossible:
        more.append("or IMPOSSIBLE")
    if question.optional:
        more.append("may be left out")
    if question.reverse:
        more.append("asked of the pair the other way round")
    return Safe(", ".join([said, *more]))

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
from kostra.campaign.items import Item
from kostra.campaign.protocol import Block, Campaign, Phase, Question
from kostra.campaign.questions import points
from kostra.recipe import Recipe
from kostra.release.about import About, answered, shown_answer
from kostra.release.bridges.contract import prompts_of
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
        "times": _times(made.judgments),
        "answer": lambda key: shown_answer(edition.about, key, people=people),
    }
    return {
        STATEMENT: render("data_statement.md.jinja", facts),
        DATASHEET: render("datasheet.md.jinja", facts),
        INSTRUCTIONS: instructions(edition.campaigns, context.recipe, context.project, of_pairs=_tuples_of_pairs(made)),
    }


def with_known(about: About, recipe: Recipe, campaigns: Mapping[str, Campaign]) -> About:
    """The makers' answers and, where they gave none, what the recipe itself answers."""
    scale = "; ".join(f"{recipe.score.low + place:g} = {label}" for place, label in enumerate(recipe.score.labels))
    told = dict.fromkeys(one.payment.strip() for one in campaigns.values() if one.payment.strip())
    rules = dict.fromkeys(_pay(one.pay) for one in campaigns.values() if one.pay is not None)
    pay = [
        f"Annotators were told: {' '.join(told)}" if told else "",
        f"The recipe pays {'; '.join(rules)}." if rules else "",
    ]
    consent = any(one.consent for one in campaigns.values())
    known = {
        "score_meaning": scale,
        "pay": " ".join(filter(None, pay)),
        "consent": f"Before they began they agreed to the text in {INSTRUCTIONS}." if consent else "",
    }
    return about.model_copy(update={key: said for key, said in known.items() if said and not answered(about, key)})


def instructions(campaigns: Mapping[str, Campaign], recipe: Recipe, project: Path, *, of_pairs: bool = True) -> str:
    """What annotators of some campaigns were told and asked, word for word.

    `of_pairs` says whether tuples are made of pairs: the site's own words differ, where the recipe has none.
    """

    def prompt(phase: Phase, question: Question) -> str:
        return question.prompt or prompts_of(phase, _sample(phase, of_pairs=of_pairs)).get(question.name, question.name)

    asked = {
        "prompt": prompt,
        "campaigns": campaigns,
        "notes": {step.name: step.note for step in recipe.steps},
        "words": _words(project),
        "answers": _answers,
    }
    return render("instructions.md.jinja", asked)


def _tuples_of_pairs(made: Released) -> bool:
    return made.tuples is None or bool(made.tuples["Item1"].is_in(made.pairs["pair"].implode()).any())


def _sample(phase: Phase, *, of_pairs: bool) -> Item:
    """An item such as the phase shows, without words of its own."""
    pair = {"text_a": "", "text_b": ""}
    match phase.task:
        case "best_worst":
            member = {"item": "", **(pair if of_pairs else {"text": ""})}
            return Item("", "tuple", {"members": [member, member]})
        case "pick":
            return Item("", "candidates", {"text": "", "documents": []})
        case "describe":
            return Item("", "image", {"image": ""})
        case "questionnaire":
            return Item(phase.name, "text", {})
        case _:
            return Item("", "pair", pair)


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


_OPEN = {"best_worst": "one of those on the screen", "pick": "a sentence of the documents"}
"""What is answered where a question has neither a scale nor labels; a text, in all other tasks."""


def _answers(question: Question, task: str) -> Safe:
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
        said = _OPEN.get(task, "a text") if question.about is None else "a text"
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

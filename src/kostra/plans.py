"""What a campaign will cost, from a project's folder, from a pilot's answers, or from numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kostra import tables
from kostra.campaign.planning import (
    DESIGNS,
    PER_ITEM,
    Assumptions,
    CampaignPlan,
    Measure,
    Price,
    noise_of_best_worst,
    noise_of_ratings,
    plan_campaign,
    with_noise,
)
from kostra.campaign.protocol import Campaign
from kostra.errors import KostraError
from kostra.pipeline import check
from kostra.ratings import ratings_of
from kostra.recipe import RECIPE_FILE, Recipe, read_recipe
from kostra.scoring.counting import best_worst_table
from kostra.sources.best_worst import read_best_worst
from kostra.sources.ratings import read_ratings
from kostra.steps import Progress, silent


def plan(
    folder: str | Path | None = None,
    *,
    items: int | None = None,
    pilot: str | Path | None = None,
    noise: float | None = None,
    careless: float | None = None,
    designs: Sequence[str] | None = None,
    per_item: Sequence[float] = PER_ITEM,
    target: float = 0.9,
    measure: Measure = "truth",
    rating_seconds: float = 12.0,
    best_worst_seconds: float = 25.0,
    hourly_pay: float = 12.0,
    hours_each: float = 2.0,
    simulations: int = 10,
    seed: int = 0,
    progress: Progress = silent,
) -> CampaignPlan:
    """Simulate campaigns and say what reliability answers buy, and what a target takes of people, hours and money.

    Parameters
    ----------
    folder
        A project: the number of items, the scale and the assumed annotators come from its recipe and data, and the
        noise from people's answers where there are any.
    items
        The number of items, without or instead of a project.
    pilot
        A pilot's answers, from which the noise is measured: best–worst answers (``Item1, …, BestItem, WorstItem``) or
        ratings (long or wide).
    noise, careless
        Gumbel scale of a typical annotator's noise, in units of the items' spread; share of careless annotators.
    designs
        Designs to compare, all unless said: rating, bws_repeated, bws_distinct, bws_adaptive.
    per_item
        Numbers of answers per item to try.
    target, measure
        The wanted Spearman correlation: with the truth, or of split halves.
    rating_seconds, best_worst_seconds, hourly_pay, hours_each
        The price of an answer, and how long one annotator works.
    simulations, seed
        Simulated campaigns per design and number of answers.
    """
    assumed, notes = _assumed(folder, items)
    if careless is not None:
        assumed = replace(assumed, careless=careless)
    measured = _measured_noise(folder, pilot)
    if noise is not None:
        assumed = replace(assumed, noise=noise)
    elif measured is not None:
        assumed = with_noise(assumed, measured[0])
        notes.append(f"noise {measured[0]:.2f} measured from {measured[1]}")
    else:
        notes.append(f"noise {assumed.noise:g} is assumed: a pilot's answers would measure it")
    return plan_campaign(
        assumed,
        price=Price(rating_seconds, best_worst_seconds, hourly_pay),
        designs=designs or tuple(DESIGNS),
        per_item=per_item,
        target=target,
        measure=measure,
        hours_each=hours_each,
        simulations=simulations,
        seed=seed,
        progress=progress,
        notes=notes,
    )


def _assumed(folder: str | Path | None, items: int | None) -> tuple[Assumptions, list[str]]:
    if folder is None:
        if items is None:
            raise KostraError("how many items? neither a project nor a number was given", remedy="--items 500")
        return Assumptions(items), []
    recipe = read_recipe(Path(folder) / RECIPE_FILE)
    found = items if items is not None else _items_of(folder, recipe)
    simulation = recipe.simulation
    points = round(recipe.score.high - recipe.score.low) + 1
    return (
        Assumptions(
            found,
            noise=simulation.noise,
            spread=simulation.spread,
            careless=simulation.careless,
            annotators=simulation.annotators,
            points=points if points > 2 else Assumptions.points,
        ),
        [f"{found:,} items"],
    )


def _items_of(folder: str | Path, recipe: Recipe) -> int:
    """The pairs, or else the sentences, that the project's campaign is about."""
    statuses = {status.step.name: status for status in check(folder)}
    campaign = next((step for step in recipe.steps if step.use == "campaign/annotate"), None)
    read = [statuses[name].rows for name in campaign.reads] if campaign else []
    for kind in ("pairs", "sentences"):
        count = sum(rows.get(kind, 0) for rows in read)
        if count:
            return count
    raise KostraError(
        "the recipe does not tell how many items its campaign is about", where=str(folder), remedy="say it: --items N"
    )


def _measured_noise(folder: str | Path | None, pilot: str | Path | None) -> tuple[float, str] | None:
    if pilot is not None:
        return _noise_of_file(pilot), str(pilot)
    if folder is None:
        return None
    recipe = read_recipe(Path(folder) / RECIPE_FILE)
    for step in recipe.steps:
        answers = Path(folder) / Campaign.model_fields["answers"].default
        if step.use == "campaign/annotate" and "answers" in step.options:
            answers = Path(folder) / str(step.options["answers"])
        if step.use == "campaign/annotate" and answers.is_file():
            return _noise_of_project(Path(folder), answers, recipe), str(answers)
    return None


def _noise_of_file(path: str | Path) -> float:
    columns = set(tables.read_cells(path)[0])
    if columns & {"BestItem", "Best", "best"}:
        read = read_best_worst(path)
        return noise_of_best_worst(read.tuples, read.best, read.worst, items=len(read.items))
    return noise_of_ratings(read_ratings(path).ratings)


def _noise_of_project(folder: Path, answers: Path, recipe: Recipe) -> float:
    judgments = tables.read(answers, tables.JUDGMENTS)
    if "best" not in judgments["question"]:
        return noise_of_ratings(ratings_of(judgments, recipe.score.question))
    made = [folder / "build" / step.name / "tuples.parquet" for step in recipe.steps if step.use == "sampling/tuples"]
    if not made or not made[0].is_file():
        raise KostraError(
            "the tuples of these answers are not built", where=str(answers), remedy=f"kostra build {folder}"
        )
    table = best_worst_table(tables.read(made[0], tables.TUPLES), judgments)
    return noise_of_best_worst(table.tuples, table.best, table.worst, items=len(table.items))

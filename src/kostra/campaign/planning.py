"""What will it cost? Campaigns simulated before they are paid for.

For each design (ratings, best–worst over repeated or distinct tuples, adaptive best–worst) and each number of answers
per item, campaigns are simulated with known truth. The curves say how close the scores come to the truth and which
reliability one will see; from them follow the answers, hours, annotators and money that a target takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kostra.campaign.adaptive import AdaptiveDesign
from kostra.campaign.simulated import choose_best_worst, on_scale
from kostra.correlate import correlation
from kostra.errors import KostraError, unknown
from kostra.figures import Curve, curves
from kostra.ratings import Ratings
from kostra.recipe import Score
from kostra.reliability.split_half import split_half_best_worst, split_half_disjoint_best_worst, split_half_ratings
from kostra.sampling.design import tuple_design
from kostra.scoring.choice import choice_scores
from kostra.scoring.counting import count_scores
from kostra.steps import Progress, silent
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]
Measure = Literal["truth", "split_half"]

PER_ITEM = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
GUMBEL_SD = math.pi / math.sqrt(6)
"""Standard deviation of the standard Gumbel distribution: turns a scale into a standard deviation."""


@dataclass(frozen=True)
class Assumptions:
    """What a simulation assumes about items and people.

    Attributes
    ----------
    items
        How many items are judged; their latent values are standard normal.
    noise
        Gumbel scale of a typical annotator in a best–worst choice; ratings see normal noise of the same spread.
    spread
        Standard deviation over annotators of the logarithm of the noise.
    leaning
        Standard deviation over annotators of how far their ratings lie too high or too low.
    careless
        Share of annotators who answer at random.
    points
        Points of the rating scale.
    annotators
        How many people share the work.
    size
        Items in a tuple.
    """

    items: int
    noise: float = 0.57
    spread: float = 0.3
    leaning: float = 0.3
    careless: float = 0.0
    points: int = 6
    annotators: int = 30
    size: int = 4


@dataclass(frozen=True)
class Price:
    """What one answer costs, by kind of question: seconds of a person's time, and money."""

    rating_seconds: float = 12.0
    best_worst_seconds: float = 25.0
    hourly_pay: float = 12.0

    def seconds(self, design: str) -> float:
        """Seconds per answer of a design."""
        return self.rating_seconds if design == "rating" else self.best_worst_seconds


@dataclass(frozen=True)
class Outcome:
    """One simulated campaign: closeness to the truth, and the reliability that one would measure."""

    truth: float
    split_half: float


Simulate = Callable[[Assumptions, Sequence[float], np.random.Generator], list[Outcome]]
"""A design: given the assumptions and numbers of answers per item, one simulated campaign for each."""


def _people(
    assumed: Assumptions, answers: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """For each answer, the noise, leaning and carelessness of a randomly assigned annotator."""
    noise = assumed.noise * np.exp(assumed.spread * rng.standard_normal(assumed.annotators))
    leaning = assumed.leaning * rng.standard_normal(assumed.annotators)
    careless = np.zeros(assumed.annotators, dtype=np.bool_)
    careless[: round(assumed.careless * assumed.annotators)] = True
    who = rng.integers(assumed.annotators, size=answers)
    return noise[who], leaning[who], careless[who]


def _rating(assumed: Assumptions, per_item: float, rng: np.random.Generator) -> Outcome:
    """Every item is rated by `per_item` people (rounded); the score is the mean."""
    truth = rng.standard_normal(assumed.items)
    each = max(1, round(per_item))
    item = np.repeat(np.arange(assumed.items), each)
    noise, leaning, careless = _people(assumed, len(item), rng)
    blurred = truth[item] + leaning + GUMBEL_SD * noise * rng.standard_normal(len(item))
    scale = Score(question="rating", low=0, high=assumed.points - 1)
    values = on_scale(blurred, careless, scale, rng=rng)
    means = np.bincount(item, values) / each
    halves = (
        split_half_ratings(item, values, items=assumed.items, trials=20, rng=rng).spearman if each > 1 else math.nan
    )
    return Outcome(correlation(truth, means, ranks=True), halves)


def _best_worst_campaign(
    assumed: Assumptions, tuples: int, answers_each: int, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    truth = rng.standard_normal(assumed.items)
    design = tuple_design(assumed.items, size=assumed.size, tuples=tuples, rng=rng)
    shown = np.repeat(design, answers_each, axis=0)
    noise, _, careless = _people(assumed, len(shown), rng)
    best, worst = choose_best_worst(truth[shown], noise, careless, rng=rng)
    rows = np.arange(len(shown))
    return truth, shown, shown[rows, best], shown[rows, worst]


def _bws_repeated(assumed: Assumptions, per_item: float, rng: np.random.Generator) -> Outcome:
    """Half as many tuples as answers, each answered twice; scored by counting (STR-2021 has four answers per item)."""
    tuples = max(1, round(per_item * assumed.items / 2))
    truth, shown, best, worst = _best_worst_campaign(assumed, tuples, 2, rng)
    scores = count_scores(shown, best, worst, items=assumed.items).score
    halves = split_half_best_worst(shown, best, worst, items=assumed.items, trials=20, rng=rng).spearman
    return Outcome(_closeness(truth, scores), halves)


def _bws_distinct(assumed: Assumptions, per_item: float, rng: np.random.Generator) -> Outcome:
    """As many distinct tuples as answers; scored by the choice model, which knows an item's company."""
    tuples = max(1, round(per_item * assumed.items))
    truth, shown, best, worst = _best_worst_campaign(assumed, tuples, 1, rng)
    scores = choice_scores(shown, best, worst, items=assumed.items).z
    halves = split_half_disjoint_best_worst(shown, best, worst, items=assumed.items, trials=20, rng=rng).spearman
    return Outcome(_closeness(truth, scores), halves)


def _bws_adaptive(assumed: Assumptions, sizes: Sequence[float], rng: np.random.Generator) -> list[Outcome]:
    """Tuples chosen from the posterior as answers come in; scored by the choice model, at each size on the way.

    There is no split-half: the tuples of one half were chosen with the answers of the other in view.
    """
    truth = rng.standard_normal(assumed.items)
    budgets = [max(1, round(size * assumed.items)) for size in sizes]
    batch = max(1, assumed.items // (2 * assumed.size))
    design = AdaptiveDesign(assumed.items, size=assumed.size, batch=batch, budget=max(budgets), rng=rng)
    reached: dict[int, float] = {}
    turn = 0
    while not design.finished:
        # A new name each time: in a simulation nobody is short of annotators who have not met these items.
        turn += 1
        until = min(budget for budget in budgets if budget > design.answers)
        shown = design.next_batch(f"annotator {turn}")[: until - design.answers]
        noise, _, careless = _people(assumed, len(shown), rng)
        best, worst = choose_best_worst(truth[shown], noise, careless, rng=rng)
        rows = np.arange(len(shown))
        design.add(shown, shown[rows, best], shown[rows, worst], annotator=f"annotator {turn}")
        if design.answers == until:
            reached[until] = _closeness(truth, design.scores().z)
    return [Outcome(reached[budget], math.nan) for budget in budgets]


def _each_size(simulate: Callable[[Assumptions, float, np.random.Generator], Outcome]) -> Simulate:
    """A design whose campaigns of different sizes are simulated one by one."""
    return lambda assumed, sizes, rng: [simulate(assumed, size, rng) for size in sizes]


def _closeness(truth: FloatArray, scores: FloatArray) -> float:
    """Spearman with the truth over the items that have a score."""
    scored = np.isfinite(scores)
    return correlation(truth[scored], scores[scored], ranks=True)


DESIGNS: dict[str, Simulate] = {
    "rating": _each_size(_rating),
    "bws_repeated": _each_size(_bws_repeated),
    "bws_distinct": _each_size(_bws_distinct),
    "bws_adaptive": _bws_adaptive,
}
"""Designs that can be compared."""

MOST_SIMULATED = 400
"""With more items than these, a random part of them is simulated: what an answer per item buys does not depend on
their number."""


@dataclass(frozen=True)
class Need:
    """What a design takes to reach the target."""

    design: str
    answers_per_item: float | None
    """None where no simulated number of answers reaches the target."""
    answers: int | None
    hours: float | None
    cost: float | None
    annotators: int | None


NAMES = {
    "rating": "ratings",
    "bws_repeated": "best–worst, repeated",
    "bws_distinct": "best–worst, distinct",
    "bws_adaptive": "best–worst, adaptive",
}
"""How designs are named to a reader."""


@dataclass(frozen=True)
class CampaignPlan:
    """Curves and needs of the compared designs."""

    assumptions: Assumptions
    price: Price
    target: float
    measure: Measure
    curve: Frame
    """One row per design and number of answers: what it buys, with 95% intervals over simulated campaigns."""
    needs: tuple[Need, ...]
    """Cheapest first; designs that miss the target last."""
    notes: tuple[str, ...]

    def figure(self) -> Figure:
        """What answers buy, by design, with bands over simulated campaigns."""
        lines = []
        for design in self.curve["design"].unique(maintain_order=True):
            own = self.curve.filter(pl.col("design") == design).drop_nulls(self.measure)
            ends = (own[f"{self.measure}_low"].to_list(), own[f"{self.measure}_high"].to_list())
            lines.append(Curve(NAMES[design], own["answers_per_item"].to_list(), own[self.measure].to_list(), *ends))
        measured = "Spearman with the truth" if self.measure == "truth" else "split-half Spearman"
        return curves(
            lines,
            x_label="answers per item",
            y_label=measured,
            title="What answers buy",
            target=self.target,
        )

    def summary(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "assumptions": asdict(self.assumptions),
            "price": asdict(self.price),
            "target": self.target,
            "measure": self.measure,
            "needs": [asdict(need) for need in self.needs],
            "curve": self.curve.to_dicts(),
            "notes": list(self.notes),
        }


def plan_campaign(
    assumed: Assumptions,
    *,
    price: Price | None = None,
    designs: Sequence[str] = tuple(DESIGNS),
    per_item: Sequence[float] = PER_ITEM,
    target: float = 0.9,
    measure: Measure = "truth",
    hours_each: float = 2.0,
    simulations: int = 10,
    seed: int = 0,
    progress: Progress = silent,
    notes: Sequence[str] = (),
) -> CampaignPlan:
    """Simulate campaigns of every design and size, and say what the target takes.

    Parameters
    ----------
    per_item
        Numbers of answers per item to try. An answer to a tuple counts as one answer, whatever the tuple's size.
    target
        The Spearman correlation that is wanted: with the truth, or of the two halves, as `measure` says.
    hours_each
        How long one annotator works, from which follows how many are needed.
    simulations
        Simulated campaigns per design and size.
    """
    costs = price or Price()
    if min(costs.rating_seconds, costs.best_worst_seconds, hours_each) <= 0 or costs.hourly_pay < 0:
        raise KostraError("a price is impossible", accepted="seconds and hours above 0, pay from 0")
    _check(assumed, designs, per_item, target, simulations)
    said = list(notes)
    simulated = assumed
    if assumed.items > MOST_SIMULATED:
        simulated = replace(assumed, items=MOST_SIMULATED)
        said.append(f"simulated with {MOST_SIMULATED:,} of the {assumed.items:,} items")
    rows: list[dict[str, object]] = []
    for place, design in enumerate(designs):
        campaigns = []
        for turn in range(simulations):
            campaigns.append(DESIGNS[design](simulated, per_item, np.random.default_rng([seed, place, turn])))
            progress(place * simulations + turn + 1, len(designs) * simulations)
        for size, found in zip(per_item, zip(*campaigns, strict=True), strict=True):
            rows.append(_curve_row(assumed, costs, design, size, found))
    curve = pl.DataFrame(rows)
    needs = [_need(curve, assumed, costs, design, target, measure, hours_each) for design in designs]
    needs.sort(key=lambda need: (need.cost is None, need.cost or 0.0))
    return CampaignPlan(assumed, costs, target, measure, curve, tuple(needs), tuple(said))


def _check(assumed: Assumptions, designs: Sequence[str], per_item: Sequence[float], target: float, runs: int) -> None:
    for design in designs:
        if design not in DESIGNS:
            raise unknown("design", design, DESIGNS)
    if assumed.items < 2 * assumed.size:
        raise KostraError(
            f"{assumed.items} items are too few to plan with", accepted=f"at least {2 * assumed.size} items"
        )
    if not 0 < target < 1:
        raise KostraError(f"a target of {target:g} is no correlation to aim at", accepted="a number between 0 and 1")
    if assumed.noise < 0 or not 0 <= assumed.careless <= 1:
        raise KostraError(
            f"noise {assumed.noise:g} and careless share {assumed.careless:g} describe nobody",
            accepted="a noise from 0, a careless share from 0 to 1",
        )
    if runs < 2:
        raise KostraError(f"{runs} simulations give no interval", accepted="at least 2")
    if not per_item or min(per_item) <= 0:
        raise KostraError("answers per item must be positive", accepted="numbers such as 1 2 4 8")


def _curve_row(
    assumed: Assumptions, price: Price, design: str, amount: float, found: Sequence[Outcome]
) -> dict[str, object]:
    answers = round(amount * assumed.items)
    hours = answers * price.seconds(design) / 3600
    row: dict[str, object] = {
        "design": design,
        "answers_per_item": float(amount),
        "answers": answers,
        "hours": hours,
        "cost": hours * price.hourly_pay,
    }
    for name in ("truth", "split_half"):
        values = np.array([getattr(one, name) for one in found])
        values = values[np.isfinite(values)]
        low, high = np.quantile(values, [0.025, 0.975]) if len(values) else (math.nan, math.nan)
        mean = float(values.mean()) if len(values) else math.nan
        ends = {name: mean, f"{name}_low": float(low), f"{name}_high": float(high)}
        row |= {key: None if math.isnan(value) else value for key, value in ends.items()}
    return row


def _need(
    curve: Frame, assumed: Assumptions, price: Price, design: str, target: float, measure: Measure, hours_each: float
) -> Need:
    """Read off where a design's curve reaches the target, between simulated sizes on a logarithmic scale."""
    own = curve.filter(pl.col("design") == design).drop_nulls(measure).sort("answers_per_item")
    sizes, reached = own["answers_per_item"].to_numpy(), np.maximum.accumulate(own[measure].to_numpy())
    if not len(sizes) or reached[-1] < target:
        return Need(design, None, None, None, None, None)
    amount = float(np.exp(np.interp(target, reached, np.log(sizes))))
    answers = math.ceil(amount * assumed.items)
    hours = answers * price.seconds(design) / 3600
    # Nobody judges an item twice: so many people are needed at least, however little each works.
    least = {"rating": math.ceil(amount), "bws_repeated": 2}.get(design, 1)
    people = max(least, math.ceil(hours / hours_each))
    return Need(design, amount, answers, hours, hours * price.hourly_pay, people)


# Calibration from a pilot ------------------------------------------------------------------------------


def noise_of_best_worst(
    tuples: NDArray[np.int64], best: NDArray[np.int64], worst: NDArray[np.int64], *, items: int
) -> float:
    """The noise of a pilot's best–worst answers, in units of the spread of the items.

    The choice model measures latent values in units of the noise's Gumbel scale; the width of its prior, chosen by
    marginal likelihood, is the spread of the items in those units, so that its inverse is the noise.
    """
    return 1 / choice_scores(tuples, best, worst, items=items).sigma


def noise_of_ratings(ratings: Ratings) -> float:
    """The noise of a pilot's ratings as a Gumbel scale, in units of the spread of the items.

    One-way analysis of variance: the pooled variance within items over the variance between their true means (the
    variance of the observed means less its share of noise; Searle, Casella & McCulloch, 1992). Whatever makes two
    people differ, leaning or noise, counts as noise.

    Examples
    --------
    Items rated (0, 2) and (8, 10): within-item variance 2, means 1 and 9 with variance 32, of which 2 / 2 is noise:
    √(2 / 31) = 0.254 of the spread, over 1.2825.

    >>> from kostra.ratings import ratings_from
    >>> round(noise_of_ratings(ratings_from(["p", "p", "q", "q"], [0, 2, 8, 10])), 4)
    0.198
    """
    counts = np.bincount(ratings.item)
    means = np.bincount(ratings.item, ratings.values) / counts
    free = ratings.answers - len(counts)
    if free < 1 or len(counts) < 2:
        raise KostraError("a pilot needs at least two items, and some with two answers, to tell noise from difference")
    within = float(((ratings.values - means[ratings.item]) ** 2).sum() / free)
    between = float(means.var(ddof=1) - within * np.mean(1 / counts))
    if between <= 0:
        raise KostraError(
            "the pilot's items differ no more than its noise does",
            remedy="collect more answers, or more varied items, before planning with it",
        )
    return math.sqrt(within / between) / GUMBEL_SD


def with_noise(assumed: Assumptions, noise: float) -> Assumptions:
    """The same assumptions with a measured noise; what makes people differ is then part of it."""
    return replace(assumed, noise=noise, leaning=0.0)

"""The project of a rehearsal: Czech News in small, pairs rated without context and, 72 hours later, in context."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kostra.campaign.simulated import Truth

CAMPAIGN = "rate"
FREE, CONTEXT = "free", "context"
GOLD, CALIBRATION, REPEATS = 12, 3, 2
LEADERS = 2
PAUSE_HOURS, IDLE_DAYS = 72, 14

_RECIPE = """
[recipe]
name = "rehearsal"
title = "A rehearsal"
protocol = "ratings 0–6, context-free and after 72 hours in context, with gold"
language = "en"
seed = {seed}
citation = "none: made up for a rehearsal"
licence = "CC0-1.0"

[score]
question = "similarity"
low = 0.0
high = 6.0

[[steps]]
name = "pairs"
use = "sources/files"
[steps.with]
paths = ["data/pairs.csv"]
table = "pairs"

[[steps]]
name = "calibration"
use = "sources/files"
[steps.with]
paths = ["data/calibration.csv"]
table = "pairs"

[[steps]]
name = "gold"
use = "sources/files"
[steps.with]
paths = ["data/gold.csv"]
table = "pairs"

[[steps]]
name = "rate"
use = "campaign/annotate"
reads = ["pairs", "calibration", "gold"]
[steps.with]
answers = "data/judgments.csv"
lease_minutes = 30
idle_days = {idle}
{phases}

[[steps]]
name = "free_scores"
use = "scoring/ratings"
reads = ["rate"]
[steps.with]
method = "mean"
question = "similarity"
phases = ["free"]
blocks = ["main"]

[[steps]]
name = "context_scores"
use = "scoring/ratings"
reads = ["rate"]
[steps.with]
method = "mean"
question = "similarity_in_context"
phases = ["context"]
blocks = ["main"]
"""

_AUTHORS = """
[[steps.with.phases]]
name = "{name}"
task = "{task}"
role = "leader"
overlap = {leaders}
[[steps.with.phases.questions]]
name = "{question}"
low = 0.0
high = 6.0
[[steps.with.phases.blocks]]
purpose = "main"
items_from = "gold"
"""

_PHASE = """
[[steps.with.phases]]
name = "{name}"
task = "{task}"
overlap = {overlap}
deal = "disjoint_sequences"
{after}
[[steps.with.phases.questions]]
name = "{question}"
low = 0.0
high = 6.0
[[steps.with.phases.blocks]]
purpose = "calibration"
items = {calibration}
items_from = "calibration"
[[steps.with.phases.blocks]]
purpose = "main"
items = {length}
items_from = "pairs"
[[steps.with.phases.blocks]]
purpose = "repeat"
items = {repeats}
[steps.with.phases.gold]
from_phase = "{authors}"
every = 3
threshold = 0.6
minimum = 3
tolerance = 1.0
"""


@dataclass(frozen=True)
class Size:
    """How big a rehearsal is."""

    annotators: int = 485
    sequences: int = 36
    """Per replicate; each is one annotator's main block."""
    length: int = 12
    overlap: int = 9

    @property
    def pairs(self) -> int:
        """Pairs of the main blocks."""
        return self.sequences * self.length


def recipe(size: Size, *, seed: int) -> str:
    """The recipe, as a researcher would write it."""
    rating, in_context = ("rating", "similarity"), ("rating_in_context", "similarity_in_context")
    phases = "".join(
        _AUTHORS.format(name=f"authors_{name}", task=task, question=question, leaders=LEADERS)
        for name, (task, question) in ((FREE, rating), (CONTEXT, in_context))
    )
    later = f'after = "{FREE}"\npause_hours = {PAUSE_HOURS}\nsame_order_as = "{FREE}"'
    for name, (task, question), after in ((FREE, rating, ""), (CONTEXT, in_context, later)):
        phases += _PHASE.format(
            name=name, task=task, question=question, after=after, overlap=size.overlap, length=size.length,
            authors=f"authors_{name}", calibration=CALIBRATION, repeats=REPEATS,
        )  # fmt: skip
    return _RECIPE.format(seed=seed, idle=IDLE_DAYS, phases=phases)


def write_project(folder: Path, size: Size, *, seed: int) -> None:
    """A project with its recipe and its pairs."""
    (folder / "data").mkdir(parents=True)
    (folder / "recipe.toml").write_text(recipe(size, seed=seed), encoding="utf-8")
    for name, prefix, count in (("pairs", "p", size.pairs), ("calibration", "c", CALIBRATION), ("gold", "g", GOLD)):
        rows = [_pair(prefix, number) for number in range(count)]
        pl.DataFrame(rows).write_csv(folder / "data" / f"{name}.csv")


def truth(seed: int) -> Truth:
    """What simulated annotators see: gold pairs lie at the ends of the scale, so that who reads them is right."""
    return Truth(seed=seed, values={f"g{number:04d}": 2.2 if number % 2 else -2.2 for number in range(GOLD)})


def _pair(prefix: str, number: int) -> dict[str, str]:
    """Three pairs have their first sentence in common, as the sentences S with their A, B and C have."""
    first, side = f"Town {prefix}{number // 3} opened a library with {number // 3 + 2} rooms.", number % 3
    ends = ("a library with many rooms", "a school for all children", "no bridge over the river")
    second = f"Reader {prefix}{number} heard that town {prefix}{number // 3} opened {ends[side]}."
    return {
        "pair": f"{prefix}{number:04d}",
        "text_a": first,
        "text_b": second,
        "sentence_a": f"{prefix}{number // 3}-s",
        "sentence_b": f"{prefix}{number}-t",
        "context_a": f"It had rained. <sent>{first}</sent> People came early.",
        "context_b": f"Much was said. <sent>{second}</sent> Nobody was surprised.",
    }

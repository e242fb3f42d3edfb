"""An edition: what a published release says beyond the folder of the step ``release/dataset``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from kostra.campaign.protocol import Campaign
from kostra.campaign.questions import completed
from kostra.recipe import Recipe, Step, parse
from kostra.release.about import About
from kostra.release.splits import PARTS, Splits
from kostra.release.versions import FIRST

CAMPAIGN = "campaign/annotate"


@dataclass(frozen=True)
class Edition:
    """One version of a dataset, with what its makers said about it."""

    version: str = FIRST
    released: date = date(1970, 1, 1)
    splits: Splits | None = None
    about: About = field(default_factory=About)
    changes: tuple[str, ...] = ()
    """What differs from the last version, a line each."""
    campaigns: Mapping[str, Campaign] = field(default_factory=dict)
    """Step → the campaign that it ran, of those that the release rests on."""
    forms: Mapping[str, Path] = field(default_factory=dict)
    """Folder → where the files lie that have the form in which the paper released its own."""
    mteb: bool = False
    """Whether the folder holds a task of MTEB."""

    @property
    def parts(self) -> dict[str, int]:
        """Pairs in each split."""
        return {} if self.splits is None else self.splits.counts()

    @property
    def shared(self) -> list[str]:
        """What the splits have in common, in words."""
        if self.splits is None:
            return []
        return [
            f"{number:,} sentences stand in both {one} and {two}"
            for (one, two), number in self.splits.shared.items()
            if number
        ]

    def how_split(self) -> str:
        """How the pairs were dealt to the splits, in words."""
        if self.splits is None:
            return "There are no splits."
        kept = {
            "sentence": "Pairs that have a sentence in common, directly or through others, are in one split",
            "seed": "Pairs whose sentences come from one seed, image or document are in one split",
            "one sentence": "Pairs are kept together by one of their two sentences",
            "pair": "Every pair was dealt by itself",
        }[self.splits.by]
        sentences = "no sentence stands in two of them" if self.splits.clean else "; ".join(self.shared)
        finer = "" if self.splits.by == "sentence" else " (a finer division would have left one part too small)"
        return f"{kept}{finer}: {sentences}. The scores of all parts are spread alike (fifths, and labels)."


def part_files(edition: Edition) -> dict[str, str]:
    """Split → its file."""
    return {part: f"data/{part}.parquet" for part in PARTS if part in edition.parts}


def campaigns_of(recipe: Recipe, steps: list[str]) -> dict[str, Campaign]:
    """The campaigns among some steps, with the questions that their tasks ask by themselves."""
    chosen: list[Step] = [step for step in recipe.steps if step.name in steps and step.use == CAMPAIGN]
    return {
        step.name: completed(parse(Campaign, step.options, where=f'step "{step.name}"'), recipe.score)
        for step in chosen
    }

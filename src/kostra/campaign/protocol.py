"""The form of a campaign in a recipe: campaign → phases → blocks, with their rules.

Everything the four papers ask of their annotators can be said here. What the simulated annotators can already act
out is decided in `kostra.campaign.simulated`, and what people can, in the annotation site.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from kostra.recipe import Name, Strict

Task = Literal[
    "best_worst",
    "rating",
    "rating_in_context",
    "entailment",
    "rewrite",
    "pick",
    "comparison",
    "describe",
    "triage",
    "correct",
    "questionnaire",
]
Purpose = Literal["instructions", "consent", "qualification", "calibration", "main", "repeat", "gold"]
Role = Literal["annotator", "leader", "judge", "linguist", "admin"]
Dealing = Literal["queue", "disjoint_sequences", "whole_groups"]


class Question(Strict):
    """One thing that a screen asks; each answer is one judgment."""

    name: Name
    prompt: str = ""
    """What the annotator reads, in our own words."""
    low: float | None = None
    high: float | None = None
    labels: tuple[str, ...] = ()
    """Names of the scale's points, or the labels to choose from."""
    impossible: bool = False
    """Whether IMPOSSIBLE is an answer."""
    at_most: Annotated[int, Field(ge=1)] | None = None
    """How many answers one annotator may give (idea rounds)."""
    differs_from: Name | None = None
    """Another question of the screen whose answer must be another text."""


class Gold(Strict):
    """Questions whose answer is known, mixed in to keep annotators alert."""

    every: Annotated[int, Field(ge=1)]
    """One gold question after so many others."""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Below this share of right answers an annotator is stopped, paid, and all answers are marked discarded."""
    minimum: Annotated[int, Field(ge=1)] = 5
    """Gold questions an annotator must have answered before the threshold counts."""
    feedback: bool = True
    """Whether a wrong answer is told at once, with the right one."""


class Block(Strict):
    """Ordered items with a purpose."""

    purpose: Purpose
    items: Annotated[int, Field(ge=1)] | None = None
    """Items per annotator; none for as many as the queue has."""
    from_phase: Name | None = None
    """For a repeat block: the phase in which the annotator answered these items before."""
    attempts: Annotated[int, Field(ge=1)] | None = None
    """For a qualification block: how often one may try."""


class Phase(Strict):
    """Blocks with rules."""

    name: Name
    task: Task
    questions: tuple[Question, ...] = ()
    overlap: Annotated[int, Field(ge=1)] = 1
    """Accepted answers per item: exactly so many."""
    role: Role = "annotator"
    blocks: tuple[Block, ...] = (Block(purpose="main"),)
    deal: Dealing = "queue"
    after: Name | None = None
    """The phase that an annotator must have finished."""
    pause_hours: Annotated[float, Field(ge=0)] = 0
    """Least time between that phase and this one."""
    same_order_as: Name | None = None
    """The phase whose items and order are kept."""
    gold: Gold | None = None
    never_in_one_sitting: tuple[Literal["reverse"], ...] = ()
    """Items that one annotator does not meet in one sitting: a pair and its reverse."""
    corrects: bool = False
    """Whether answers may correct the item, which makes a new version for everybody after."""


class Campaign(Strict):
    """A whole campaign, as the options of the step ``campaign/annotate``."""

    phases: tuple[Phase, ...] = Field(min_length=1)
    policy: Name = "random"
    """Which item next: a component of ``campaign/policies``."""
    lease_minutes: Annotated[float, Field(gt=0)] = 30
    """How long an item is kept for the annotator who was shown it."""
    answers: str = "data/judgments.csv"
    """Where collected answers lie, as a judgments table, once people have given them."""

    @model_validator(mode="after")
    def _phases_fit(self) -> Campaign:
        names: list[str] = []
        for phase in self.phases:
            referred = [phase.after, phase.same_order_as, *(block.from_phase for block in phase.blocks)]
            for other in referred:
                if other is not None and other not in names:
                    raise ValueError(f'phase "{phase.name}" refers to "{other}", which is no phase before it')
            if phase.name in names:
                raise ValueError(f'two phases are called "{phase.name}"')
            if phase.pause_hours and phase.after is None:
                raise ValueError(f'phase "{phase.name}" has a pause but does not say `after` which phase')
            asked = [question.name for question in phase.questions]
            for question in phase.questions:
                if question.differs_from is not None and question.differs_from not in asked:
                    raise ValueError(
                        f'question "{question.name}" differs from "{question.differs_from}", which is not asked'
                    )
            names.append(phase.name)
        return self

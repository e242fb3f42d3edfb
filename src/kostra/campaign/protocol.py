"""The form of a campaign in a recipe: campaign → phases → blocks, with their rules.

Everything the four papers ask of their annotators can be said here. What the simulated annotators can already act
out is decided in `kostra.campaign.simulated`, and what people can, in the annotation site.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from kostra import registry
from kostra.campaign.admission import Consent, Entry, Letter, Pay, Questionnaire
from kostra.errors import nearest
from kostra.recipe import Name, Strict

TASKS = (
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
)
"""The task types that come with kostra; files of ``annotate/tasks`` and plug-ins add others."""
_SCREENS = ("check", "text")
"""What blocks show, and no phase is about."""


def _known_task(name: str) -> str:
    if name in TASKS:
        return name
    known = [*TASKS, *(one for one in registry.names("annotate/tasks") if one not in (*TASKS, *_SCREENS))]
    if name not in known:
        guess = nearest(name, known)
        hint = f', did you mean "{guess}"?' if guess else "."
        raise ValueError(f'there is no task "{name}"{hint} The tasks are {", ".join(known)}')
    return name


Task = Annotated[str, AfterValidator(_known_task)]
Purpose = Literal["instructions", "consent", "qualification", "calibration", "main", "repeat", "gold"]
Role = Literal["annotator", "leader", "judge", "linguist", "admin"]
Dealing = Literal["queue", "disjoint_sequences", "whole_groups"]


class Question(Strict):
    """One thing that a screen asks; each answer is one judgment.

    The phase's task decides what the screen shows, the question how it is answered: with `low` and `high` on a scale,
    with `labels` alone by choosing one, with neither as the task has it (a text, or something picked on the screen).
    So one screen may ask for a rating and a label of the same pair.
    """

    name: Name
    """How the question is called in judgments and scores."""
    prompt: str = ""
    """What the annotator reads, in our own words."""
    examples: tuple[str, ...] = ()
    """Examples that are shown with the prompt. They steer people: most questions are better off without."""
    low: float | None = None
    """Lower end of a scale."""
    high: float | None = None
    """Upper end of a scale."""
    labels: tuple[str, ...] = ()
    """Names of the scale's points, or the labels to choose from."""
    labels_in: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """The same labels as shown to people whose interface is in another language, by language code."""
    prompt_in: Mapping[str, str] = Field(default_factory=dict)
    """The prompt for them, likewise."""
    optional: bool = False
    """Whether the screen may be sent without an answer to this question (which is then *skipped*)."""
    reverse: bool = False
    """Whether it is asked of the pair with its sentences swapped: entailment both ways on one screen."""
    control: Literal["buttons", "slider"] = "buttons"
    """How a scale is drawn."""
    about: Name | None = None
    """Another question of the screen, whose answer this one rates or names: the picked sentence, the rewrite."""
    shows_words: bool = False
    """Whether the screen marks, while a rewrite is typed, which words of the sentence it uses and which it lacks."""
    impossible: bool = False
    """Whether IMPOSSIBLE is an answer."""
    at_most: Annotated[int, Field(ge=1)] | None = None
    """How many answers one annotator may give (idea rounds)."""
    differs_from: tuple[Name, ...] = ()
    """Other questions of the screen, whose answers must not be the same."""


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
    from_phase: Name | None = None
    """The phase in which the authors answered the questions that become gold, through the same screens."""
    agreement: Annotated[float, Field(gt=0.5, le=1)] = 1.0
    """Least share of those authors who must have given the same answer."""
    tolerance: Annotated[float, Field(ge=0)] = 0
    """How far a rating may lie from the known one and still be right."""


class Check(Strict):
    """One question of a comprehension check."""

    prompt: str
    """The question."""
    choices: tuple[str, ...] = Field(min_length=2)
    """The answers to choose from."""
    right: str
    """The right one."""

    @model_validator(mode="after")
    def _right_is_a_choice(self) -> Check:
        if self.right not in self.choices:
            raise ValueError(f'the right answer "{self.right}" is none of the choices')
        return self


class Block(Strict):
    """Ordered items with a purpose."""

    purpose: Purpose
    """What the block is for."""
    items: Annotated[int, Field(ge=1)] | None = None
    """Items per annotator; none for as many as the queue has."""
    groups: Annotated[int, Field(ge=1)] | None = None
    """Whole groups per annotator, where the phase deals whole groups."""
    items_from: Name | None = None
    """One of the steps that the campaign reads: the block holds its items, and no other block of the phase does."""
    from_phase: Name | None = None
    """For a repeat block: the phase in which the annotator answered these items before."""
    attempts: Annotated[int, Field(ge=1)] = 2
    """For a qualification block: how often one may try."""
    checks: tuple[Check, ...] = ()
    """For a qualification block: a comprehension check, all of which must be right."""
    title: str = ""
    """What people read above it."""
    text: str = ""
    """For instructions and consent: what is read, paragraphs between blank lines."""
    text_file: str | None = None
    """The same, in a file of the project."""


class Phase(Strict):
    """Blocks with rules."""

    name: Name
    """How the phase is called in judgments and pages."""
    task: Task
    """What a screen asks: a component of annotate/tasks."""
    questions: tuple[Question, ...] = ()
    """What is asked about an item, in this order; the task's own question unless said."""
    overlap: Annotated[int, Field(ge=1)] = 1
    """Accepted answers per item of a main block: exactly so many. Other blocks' items are for everybody."""
    overlap_at_least: Annotated[int, Field(ge=1)] | None = None
    """Where annotators are few: so many answers make an item complete, and `overlap` is the most it gets."""
    role: Role = "annotator"
    """Who answers in this phase."""
    blocks: tuple[Block, ...] = (Block(purpose="main"),)
    """The blocks, in the order in which a person meets them."""
    deal: Dealing = "queue"
    """How items are dealt: one after another from a queue, as disjoint sequences, or whole groups."""
    after: Name | None = None
    """The phase that an annotator must have finished."""
    items_after: Name | None = None
    """The phase in which an item must have been answered, by whomever, before anyone sees it here."""
    pause_hours: Annotated[float, Field(ge=0)] = 0
    """Least time between that phase and this one."""
    same_order_as: Name | None = None
    """The phase whose items and order are kept."""
    deadline: Annotated[AwareDatetime, Field(strict=False)] | None = None
    """The moment, with its zone, from which on nobody is shown anything new; an admin may put it off."""
    gold: Gold | None = None
    """Questions with known answers that are mixed in, and what follows from them."""
    may_skip: bool = False
    """Whether an item may be skipped: it goes to somebody else, and the skip is kept."""
    never_in_one_sitting: tuple[Literal["reverse"], ...] = ()
    """Items that one annotator does not meet in one sitting: a pair and its reverse."""
    highlights: bool = False
    """Whether words of the sentence in question are marked in the texts beside it."""
    spelling: str | None = None
    """A hunspell dictionary (path of the .dic file in the project) that marks words while a rewrite is typed."""
    corrects: bool = False
    """Whether answers may correct a sentence that a rule made, which makes a new version of every item with that
    sentence, for everybody after; never into its partner."""
    suggests: bool = False
    """Whether annotators may suggest a better wording, which changes nothing until somebody validates it."""
    validates: Name | None = None
    """The phase whose suggestions are decided here: rejected, mended in place, or mended and asked again."""


class Adaptive(Strict):
    """Tuples chosen from the answers so far, instead of a design made beforehand (policy ``adaptive``)."""

    size: Annotated[int, Field(ge=2)] = 4
    """Items in a tuple."""
    answers_per_item: Annotated[float, Field(gt=0)] = 2.4
    """Answers after which the campaign ends, per item: 60% of the usual four reach what these do by counting."""
    target_error: Annotated[float, Field(gt=0)] | None = None
    """Root mean square standard error of the scores, on 0 to 1, at which it ends earlier."""


class Campaign(Strict):
    """A whole campaign, as the options of the step ``campaign/annotate``."""

    title: str = ""
    """What stands above its pages; the recipe's title unless said."""
    language: Annotated[str, Field(pattern=r"^([a-z]{2,3})?$")] = ""
    """ISO 639 code of the texts' language; the recipe's unless said."""
    phases: tuple[Phase, ...] = Field(min_length=1)
    """The phases, in their order."""
    policy: Name = "random"
    """Which item next: a component of ``campaign/policies``, or ``adaptive``."""
    adaptive: Adaptive = Adaptive()
    """The rules of a design that chooses its tuples on the way."""
    lease_minutes: Annotated[float, Field(gt=0)] = 30
    """How long an item is kept for the annotator who was shown it."""
    idle_days: Annotated[float, Field(gt=0)] = 14
    """A dealt sequence or group whose annotator has done nothing for so long may go to another."""
    sitting_hours: Annotated[float, Field(gt=0)] = 4
    """A break this long begins another sitting."""
    payment: str = ""
    """What annotators are told about their pay when they finish, and when they are stopped."""
    contact: str = ""
    """Whom annotators may write to."""
    answers: str = "data/judgments.csv"
    """Where collected answers lie, as a judgments table, once people have given them."""
    consent: Consent | None = None
    """What people agree to before they take part, and again when it changes."""
    questionnaire: Questionnaire | None = None
    """What people are asked about themselves, kept apart from their answers."""
    entry: Entry = Entry()
    """How people come in, and what they are called."""
    letter: Letter = Letter()
    """What is written to people on a list."""
    pay: Pay | None = None
    """What people earn."""

    @model_validator(mode="after")
    def _phases_fit(self) -> Campaign:
        before: dict[str, Phase] = {}
        for phase in self.phases:
            if phase.name in before:
                raise ValueError(f'two phases are called "{phase.name}"')
            for other in _referred(phase):
                if other not in before:
                    raise ValueError(f'phase "{phase.name}" refers to "{other}", which is no phase before it')
            if phase.validates is not None and not before[phase.validates].suggests:
                raise ValueError(f'phase "{phase.name}" validates "{phase.validates}", which takes no suggestions')
            if phase.after is not None and before[phase.after].role != phase.role:
                raise ValueError(
                    f'phase "{phase.name}" is for a {phase.role} after "{phase.after}", which is for a '
                    f"{before[phase.after].role}: nobody finishes both"
                )
            _rules_fit(phase)
            _questions_fit(phase)
            before[phase.name] = phase
        return self


def _referred(phase: Phase) -> list[str]:
    """The other phases that a phase names."""
    gold = phase.gold.from_phase if phase.gold else None
    blocks = [block.from_phase for block in phase.blocks]
    named = [phase.after, phase.items_after, phase.same_order_as, phase.validates, gold, *blocks]
    return [name for name in named if name is not None]


def _rules_fit(phase: Phase) -> None:
    if phase.pause_hours and phase.after is None:
        raise ValueError(f'phase "{phase.name}" has a pause but does not say `after` which phase')
    if phase.overlap_at_least is not None and phase.overlap_at_least > phase.overlap:
        raise ValueError(f'phase "{phase.name}": overlap_at_least ({phase.overlap_at_least}) is above overlap')
    if phase.deal != "whole_groups" and any(block.groups for block in phase.blocks):
        raise ValueError(f'phase "{phase.name}" counts groups but does not deal them: deal = "whole_groups"')


RESERVED = ("phase", "item", "version", "key", "language", "csrf")
"""Names that an answer's form has for itself."""


def _questions_fit(phase: Phase) -> None:
    asked = [question.name for question in phase.questions]
    for question in phase.questions:
        if question.name in RESERVED:
            raise ValueError(f'a question cannot be called "{question.name}": every answer has a field of that name')
        if asked.count(question.name) > 1:
            raise ValueError(f'phase "{phase.name}" asks "{question.name}" twice')
        for other in question.differs_from:
            if other not in asked:
                raise ValueError(f'question "{question.name}" differs from "{other}", which is not asked')
        if question.about is not None and question.about not in asked:
            raise ValueError(f'question "{question.name}" is about "{question.about}", which is not asked')

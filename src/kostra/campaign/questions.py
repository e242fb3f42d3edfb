"""What a task asks by itself, where a recipe's phase names no questions."""

from __future__ import annotations

import math

from kostra.campaign.items import Item
from kostra.campaign.protocol import Campaign, Phase, Question
from kostra.errors import KostraError
from kostra.recipe import Score

CHECK = "check"
"""The question under which the answer to a comprehension check stands."""
READ = "read"
"""The question under which it stands that a text was read, or a consent given."""
SUGGESTION = "suggestion-"
"""Begins the ids of what judges would mend, which a linguist is asked about."""


def completed(campaign: Campaign, score: Score) -> Campaign:
    """The campaign with the questions that its tasks have of their own, where a phase names none.

    Examples
    --------
    >>> plain = Campaign(phases=(Phase(name="main", task="best_worst"),))
    >>> done = completed(plain, Score(question="relatedness", low=0, high=1))
    >>> [question.name for question in done.phases[0].questions]
    ['best', 'worst']
    """
    phases = tuple(
        phase if phase.questions else phase.model_copy(update={"questions": own_questions(phase, score)})
        for phase in campaign.phases
    )
    return campaign.model_copy(update={"phases": phases})


def own_questions(phase: Phase, score: Score) -> tuple[Question, ...]:
    """What a task asks if the recipe does not say it."""
    match phase.task:
        case "best_worst":
            return (Question(name="best"), Question(name="worst"))
        case "rating" | "rating_in_context":
            return (Question(name=score.question, low=score.low, high=score.high, labels=score.labels),)
        case "entailment":
            return (Question(name="entailment", labels=("entailment", "contradiction", "neutral")),)
        case "comparison":
            return (Question(name="degree", labels=("more", "less", "too similar", "too dissimilar")),)
        case "rewrite":
            return (Question(name="rewrite"),)
        case "pick":
            return (Question(name="pick"),)
        case "describe":
            return (Question(name="description"),)
        case "triage":
            return (Question(name="verdict", labels=("keep", "reject")),)
        case "correct" if phase.validates is not None:
            return (Question(name="suggestion", labels=("reject", "mend in place", "mend and ask again")),)
        case "correct":
            return (Question(name="correction"),)
        case _:
            raise KostraError(
                f'phase "{phase.name}" ({phase.task}) asks nothing',
                accepted="at least one [[steps.with.phases.questions]]",
            )


FINE_STEPS = 100
"""Steps of a slider without labels, on a short scale."""


def points(question: Question) -> tuple[float, ...]:
    """The points of a scale at which an answer may lie.

    Labels divide the scale evenly. Without them buttons stand at whole steps, and so does a slider on a long scale;
    on a short one it has a hundred steps.

    Examples
    --------
    >>> points(Question(name="q", low=0, high=6))
    (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    >>> points(Question(name="q", low=0, high=1, labels=("no", "partly", "yes")))
    (0.0, 0.5, 1.0)
    """
    low, high = question.low or 0.0, question.high or 0.0
    span = high - low
    if len(question.labels) > 1:
        steps = len(question.labels) - 1
        return tuple(low + span * step / steps for step in range(steps + 1))
    if question.control == "slider" and span < 20:
        return tuple(low + span * step / FINE_STEPS for step in range(FINE_STEPS + 1))
    return tuple(low + step for step in range(min(math.floor(max(span, 0)), FINE_STEPS * 10) + 1))


def screen_of(item: Item, phase: Phase) -> str:
    """What draws an item: the phase's task, except for texts to read and comprehension checks.

    Examples
    --------
    >>> phase = Phase(name="main", task="rating")
    >>> screen_of(Item("check-main-0-0", "check", {}), phase), screen_of(Item("p1", "pair", {}), phase)
    ('check', 'rating')
    """
    if item.kind == "check":
        return "check"
    # The one item of a questionnaire is a text as well, and is called by its phase.
    if item.kind == "text" and not (phase.task == "questionnaire" and item.item == phase.name):
        return "text"
    return phase.task


def questions_on(item: Item, phase: Phase) -> tuple[Question, ...]:
    """What the screen of an item asks."""
    match screen_of(item, phase):
        case "check":
            choices = tuple(item.content["choices"])
            return (Question(name=CHECK, prompt=item.content["prompt"], labels=choices),)
        case "text":
            return (Question(name=READ, labels=("yes",)),)
        case _:
            return phase.questions

"""How simulated annotators answer every kind of screen, in a way that its task accepts.

The same function answers in a rehearsal (`kostra build --simulate`), where the truth comes from the tables, and over
HTTP (`kostra simulate`), where only the screen is known: `Truth` then makes the hidden value of an item from its texts
and a hash, the same for everybody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from kostra.campaign import simulated_texts
from kostra.campaign.corrections import CORRECTIONS
from kostra.campaign.items import Item
from kostra.campaign.places import Answer
from kostra.campaign.protocol import Phase, Question
from kostra.campaign.questions import CHECK, READ, points, screen_of
from kostra.campaign.simulated_people import SimulatedAnnotator, choose_best_worst
from kostra.text import dice, words

Answers = dict[str, list[Answer]]

SKIPPED = Answer(None, "skipped")
IMPOSSIBLE = Answer(None, "impossible")
_NORMAL = NormalDist()

IMPOSSIBLE_RATE = 95 / 4395
"""COSTRA 1.0 has 95 IMPOSSIBLE beside 4,300 sentences."""
HARD = {"different_meaning": 4.0, "past": 3.0, "simple_sentence": 2.0}
"""Rewrites that were called impossible most often there, and how much more often than others (our guess)."""
TYPO_RATE = 129 / 4300
"""Its accepted corrections beside the same sentences."""
SKIP_RATE = 0.1
CORRECTION_RATE = 0.12
CONTEXT_GAIN = (0.17, 0.2)
"""Mean and standard deviation of what context adds to the latent value: Czech News STS has +0.26 on a scale of 0 to 6,
where one latent unit is 1.5 points."""


@dataclass(frozen=True)
class Truth:
    """The hidden values that simulated annotators see through their noise.

    Examples
    --------
    A value that is known is taken; another is made from the texts, and always the same.

    >>> truth = Truth(seed=1, values={"p1": 0.5})
    >>> truth.of_texts("p1", "A cat.", "A dog."), truth.of("x") == Truth(seed=1).of("x")
    (0.5, True)
    """

    seed: int = 0
    values: Mapping[str, float] = field(default_factory=dict)
    """Item → latent value, where a table knows it."""
    language: str = ""
    """The language of the texts, where it is known."""

    def share(self, *names: str) -> float:
        """A number from 0 to 1 that only the names and the seed decide."""
        text = "\x1f".join((str(self.seed), *names))
        return (int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") + 0.5) / 2**64

    def of(self, *names: str) -> float:
        """A standard normal number that only the names and the seed decide."""
        return self.values.get(names[0], _NORMAL.inv_cdf(self.share(*names)))

    def of_texts(self, item: str, first: str, second: str) -> float:
        """The relatedness of two texts: shared words have their say, so that it has something to do with them."""
        if item in self.values:
            return self.values[item]
        alike = (dice(words(first), words(second)) - 0.3) / 0.2
        return 0.8 * alike + 0.6 * self.of(f"{item}\x1f{first}", second)

    def of_content(self, item: str, content: Mapping[str, Any]) -> float:
        """The value of a pair, a sentence or a member of a tuple."""
        if "text_a" in content:
            return self.of_texts(item, content["text_a"], content["text_b"])
        return self.of(item, str(content.get("text", "")))


def answers_for(
    annotator: SimulatedAnnotator, item: Item, phase: Phase, rng: np.random.Generator, *, truth: Truth | None = None
) -> Answers:
    """What a simulated annotator answers to one screen: question → answers.

    Parameters
    ----------
    phase
        The phase, with its questions (`kostra.campaign.questions.completed`).
    truth
        The hidden values; made from the texts unless said.

    Examples
    --------
    >>> ann = SimulatedAnnotator("ann", noise=0.0, leaning=0.0, seconds=9, careless=False)
    >>> rating = Phase(name="main", task="rating", questions=(Question(name="similarity", low=0, high=5),))
    >>> pair = Item("p", "pair", {"text_a": "A cat.", "text_b": "A dog."})
    >>> answers_for(ann, pair, rating, np.random.default_rng(1), truth=Truth(values={"p": 1.2}))
    {'similarity': [Answer(value='4', status='answered')]}
    """
    return _Screen(annotator, item, phase, rng, truth or Truth()).answers()


def as_given(answers: Mapping[str, Sequence[Answer]], phase: Phase) -> dict[str, Any]:
    """The answers in the form in which a client sends them.

    Examples
    --------
    >>> phase = Phase(name="main", task="rewrite", questions=(Question(name="r", at_most=2), Question(name="n")))
    >>> as_given({"r": [Answer("a"), Answer("b")], "n": [IMPOSSIBLE]}, phase)
    {'r': ['a', 'b'], 'n': {'impossible': True}}
    """
    several = {question.name for question in phase.questions if question.at_most is not None}
    several |= {question.name for question in phase.questions if question.about in several}
    marks = {"impossible": {"impossible": True}, "skipped": {"skip": True}}
    given: dict[str, Any] = {}
    for name, found in answers.items():
        cells = [marks.get(one.status, one.value) for one in found]
        marked = len(found) == 1 and found[0].status != "answered"
        if not (marked and found[0].status == "skipped"):  # what is skipped is not sent
            given[name] = cells if name in several and not marked else cells[0]
    return given


class _Screen:
    """One screen in front of one annotator."""

    def __init__(
        self, annotator: SimulatedAnnotator, item: Item, phase: Phase, rng: np.random.Generator, truth: Truth
    ) -> None:
        self.annotator, self.item, self.phase, self.rng, self.truth = annotator, item, phase, rng, truth
        self.content = item.content
        self.asked = {question.name: question for question in phase.questions}

    def answers(self) -> Answers:
        screen = screen_of(self.item, self.phase)
        if screen in ("check", "text"):
            return {CHECK: [Answer(self._checked())]} if screen == "check" else {READ: [Answer("yes")]}
        if self.item.kind == "tuple" and self.phase.task == "best_worst":
            found = self._best_worst()
        elif self.item.kind == "candidates":
            found = self._picked()
        elif self.phase.task == "correct" and self.item.kind != "suggestion":
            found = self._corrected()
        else:
            found = {}
        for question in self.phase.questions:
            if question.name not in found and question.about in found and found[str(question.about)] == [SKIPPED]:
                found[question.name] = [SKIPPED]
            elif question.name not in found:
                found |= self._answered(question, found)
        return {name: found[name] for name in self.asked}

    def _answered(self, question: Question, found: Answers) -> Answers:
        if question.optional and self.rng.random() < SKIP_RATE:
            return {question.name: [SKIPPED]}
        if question.low is not None and question.high is not None:
            return {question.name: [Answer(self._rating(question, self._seen(question)))]}
        if question.labels:
            count = min(question.at_most or 1, len(question.labels))
            if count > 1:
                chosen = self.rng.permutation(len(question.labels))[: self.rng.integers(1, count + 1)]
                return {question.name: [Answer(question.labels[place]) for place in sorted(chosen.tolist())]}
            return {question.name: [Answer(self._label(question))]}
        return self._written(question, found)

    # Numbers and labels

    def _seen(self, question: Question) -> float:
        """The latent value that a rating is about."""
        if self.phase.task == "questionnaire":
            return self.truth.of(self.annotator.name, question.name)
        value = self.truth.of_content(self.item.item, self.content)
        if self.phase.task == "rating_in_context":
            value += CONTEXT_GAIN[0] + CONTEXT_GAIN[1] * self.truth.of(f"context\x1f{self.item.item}")
        return value

    def _blurred(self, value: float) -> float:
        noise = self.annotator.noise * self.rng.standard_normal()
        return float(value + self.annotator.leaning + noise)

    def _rating(self, question: Question, value: float) -> str:
        scale = points(question)
        if self.annotator.careless:
            return f"{scale[self.rng.integers(len(scale))] + 0.0:g}"
        low, high = scale[0], scale[-1]
        wanted = (low + high) / 2 + self._blurred(value) * (high - low) / 4
        nearest = min(scale, key=lambda point: (abs(point - wanted), point))
        return f"{nearest + 0.0:g}"

    def _label(self, question: Question) -> str:
        labels = question.labels
        if self.annotator.careless:
            return labels[self.rng.integers(len(labels))]
        way = "reverse" if question.reverse else "forward"
        value = self._blurred(self._seen(question))
        share = self.truth.share(self.item.item, question.name, way)
        if {"entailment", "contradiction", "neutral"} <= set(labels):
            # What is closely related follows or is ruled out; of the rest one cannot tell.
            return "neutral" if value < 0.7 else "contradiction" if share < 0.3 else "entailment"
        if {"more", "less"} <= set(labels):
            step = self._blurred(self.truth.of(self.item.item, question.name, way))
            beside = [label for label in labels if label not in ("more", "less")]
            if beside and abs(step) < 0.1:
                return beside[int(share * len(beside))]
            return "more" if step > 0 else "less"
        if self.phase.task == "triage" and {"accept", "reject"} <= set(labels) and "text_a" in self.content:
            # A proposal of spelling: what undoes a slip of the pen is a correction, anything else a matter of taste.
            slip = simulated_texts.is_slip(self.content["text_a"], self.content["text_b"])
            return "accept" if slip else "reject"
        if self.phase.task in ("triage", "correct"):
            # Most of what people look through is fine: the first label is "keep", the others are reasons.
            rest = labels[1:]
            return labels[0] if value > -0.6 or not rest else rest[int(share * len(rest))]
        place = int(_NORMAL.cdf(value / 1.2) * len(labels))
        return labels[min(place, len(labels) - 1)]

    def _checked(self) -> str:
        choices = self.content["choices"]
        known = {check.prompt: check.right for block in self.phase.blocks for check in block.checks}
        right = known.get(self.content["prompt"])
        if right is None or (self.annotator.careless and self.rng.random() < 0.5):
            return str(choices[self.rng.integers(len(choices))])
        return right

    # Choices among what the screen shows

    def _best_worst(self) -> Answers:
        members = self.content["members"]
        seen = np.array([[self.truth.of_content(member["item"], member) for member in members]])
        best, worst = choose_best_worst(seen, [self.annotator.noise], [self.annotator.careless], rng=self.rng)
        chosen = {"best": members[int(best[0])]["item"], "worst": members[int(worst[0])]["item"]}
        return {name: [Answer(item)] for name, item in chosen.items() if name in self.asked}

    def _picked(self) -> Answers:
        """The picks from most to least similar in the order of the questions, and a rating of each."""
        text = self.content["text"]
        candidates = [one for document in self.content["documents"] for one in document["sentences"]]
        values = {
            one["item"]: self.truth.of_texts(f"{self.item.item}\x1f{one['item']}", text, one["text"])
            for one in candidates
        }
        seen = {
            item: self.rng.standard_normal() if self.annotator.careless else self._blurred(value)
            for item, value in values.items()
        }
        ordered = sorted(seen, key=lambda item: -seen[item])
        picks = [question for question in self.phase.questions if not (question.labels or question.about)]
        picks = [question for question in picks if question.low is None]
        spread = np.linspace(0, len(ordered) - 1, max(len(picks), 1)).round().astype(int).tolist()
        found: Answers = {}
        for question, place in zip(picks, spread, strict=False):
            found[question.name] = [Answer(ordered[place])]
            for other in self.phase.questions:
                if other.about == question.name and other.low is not None:
                    found[other.name] = [Answer(self._rating(other, values[ordered[place]]))]
        return found

    # Texts

    def _sources(self) -> list[str]:
        return [str(self.content[name]) for name in ("text_b", "text_a", "text") if name in self.content]

    def _written(self, question: Question, found: Answers) -> Answers:
        """One text or, where several are welcome, several, each with what is asked about it."""
        about = [other for other in self.phase.questions if other.about == question.name]
        if question.impossible and self.rng.random() < self._impossible(question):
            several = question.at_most is not None
            return {question.name: [IMPOSSIBLE], **({other.name: [SKIPPED] for other in about} if several else {})}
        if self.phase.task == "describe":
            return {question.name: [Answer(simulated_texts.description(self.rng))]}
        if self.phase.task != "rewrite":
            return {question.name: [Answer(simulated_texts.remark(self.rng))]}
        if question.about is not None:
            return {question.name: [Answer(simulated_texts.name_of("", self.rng, self.truth.language))]}
        used = [one.value for name in question.differs_from for one in found.get(name, ()) if one.value]
        count = 1 if question.at_most is None else min(question.at_most, 1 + int(self.rng.poisson(5)))
        made = simulated_texts.rewrites(
            self._sources(), count, avoid=used, shuffles=question.shows_words, kind=question.name,
            language=self.truth.language, rng=self.rng,
        )  # fmt: skip
        answers = {question.name: [Answer(self._typed(text)) for text, _ in made]}
        if question.at_most is not None:
            for other in about:
                named = (
                    simulated_texts.idea_name(change, question.examples, self.rng, self.truth.language)
                    for _, change in made
                )
                answers[other.name] = [Answer(name) for name in named]
        return answers

    def _impossible(self, question: Question) -> float:
        return IMPOSSIBLE_RATE * HARD.get(question.name, 1.0) * (5 if self.annotator.careless else 1)

    def _typed(self, text: str) -> str:
        """As it comes from the keyboard: some people mistype more often than others."""
        rate = TYPO_RATE * np.exp(0.5 * self.truth.of("typing", self.annotator.name))
        return simulated_texts.mistyped(text, self.rng) if self.rng.random() < rate else text

    def _corrected(self) -> Answers:
        """Mostly as it was; now and then a small change, and then the kind of error."""
        found: Answers = {}
        for question in self.phase.questions:
            if question.labels or question.about is not None or question.low is not None:
                continue
            side = "ab"[CORRECTIONS.get(question.name, 1)]
            text = str(self.content.get(f"text_{side}", self.content.get("text", "")))
            partner = self.content.get("text_a" if side == "b" else "text_b")
            mends = self.rng.random() < CORRECTION_RATE
            after = simulated_texts.mended(text, partner, self.rng) if mends else text
            found[question.name] = [Answer(after)]
            for other in self.phase.questions:
                if other.about == question.name:
                    found[other.name] = [SKIPPED] if after == text else [Answer(self._label(other))]
        return found

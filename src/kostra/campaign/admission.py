"""How people come in to a campaign, in a recipe: consent, questionnaire, doors, letters and pay. All of it is optional.

Examples
--------
>>> consent = Consent(text="Your answers are kept under a pseudonym.")
>>> len(consent.version_of_text), Consent(text="Another text.").version_of_text == consent.version_of_text
(8, False)
>>> Consent(text="A text.", version="2026-03").version_of_text
'2026-03'
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from kostra.recipe import Name, Strict

Code = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{0,64}$")]
Money = Annotated[float, Field(ge=0, allow_inf_nan=False)]
LETTER_FIELDS = ("name", "link", "title", "contact")


class Consent(Strict):
    """What people agree to before they see anything; asked again when it changes."""

    text: str = ""
    """Paragraphs between blank lines."""
    text_file: str | None = None
    """The same, in a file of the project."""
    version: str = ""
    """By which it is known what somebody agreed to; made from the text unless said."""
    title: str = ""
    """The heading of the page."""

    @property
    def version_of_text(self) -> str:
        """The version, or what stands for it: the beginning of the text's SHA-256."""
        return self.version or hashlib.sha256(self.text.encode()).hexdigest()[:8]

    @model_validator(mode="after")
    def _has_a_text(self) -> Consent:
        if not self.text.strip() and not self.text_file:
            raise ValueError("a consent needs a text or a text_file")
        return self


class Asked(Strict):
    """A question about the person: with `labels` one is chosen, with `low` and `high` a whole number is given."""

    name: Name
    """How the question is called in the file."""
    prompt: str
    """The question as people read it."""
    prompt_in: Mapping[str, str] = Field(default_factory=dict)
    """The prompt in other languages of the interface, by language code."""
    labels: tuple[str, ...] = ()
    """Answers to choose from."""
    labels_in: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """The labels in other languages, in the same order."""
    low: int | None = None
    """Least number that is taken."""
    high: int | None = None
    """Greatest number that is taken."""
    optional: bool = True
    """Whether one may say nothing. Nobody owes a study their age."""

    @model_validator(mode="after")
    def _one_kind(self) -> Asked:
        if (self.low is None) != (self.high is None):
            raise ValueError(f'question "{self.name}": low and high go together')
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f'question "{self.name}": low ({self.low}) must lie below high ({self.high})')
        if self.labels and self.low is not None:
            raise ValueError(f'question "{self.name}" has labels and numbers: one of them')
        for code, labels in self.labels_in.items():
            if len(labels) != len(self.labels):
                raise ValueError(f'question "{self.name}": {len(labels)} labels in "{code}" for {len(self.labels)}')
        return self


class Questionnaire(Strict):
    """Questions about the person, asked once, and kept apart from the answers."""

    questions: tuple[Asked, ...] = Field(min_length=1)
    """What is asked."""
    title: str = ""
    """The heading of the page."""
    text: str = ""
    """Why it is asked, and what becomes of it."""
    at_least: Annotated[int, Field(ge=2)] | None = None
    """k: fewer people than this with the same replies are told of when the replies are written to a file."""

    @model_validator(mode="after")
    def _names_differ(self) -> Questionnaire:
        names = [question.name for question in self.questions]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f'the questionnaire asks "{twice}" twice')
        if "csrf" in names:
            raise ValueError('a question cannot be called "csrf": every form has a field of that name')
        return self


class Prolific(Strict):
    """People whom Prolific sends, and the codes with which they go back."""

    completion: Code = ""
    """For those who have finished."""
    screened_out: Code = ""
    """For those whom the comprehension check or the gold questions stopped."""
    no_consent: Code = ""
    """For those who did not consent."""
    study: Code = ""
    """The id of the study there; where it is said, people of other studies are refused."""


class Entry(Strict):
    """The doors."""

    pseudonyms: Literal["numbers", "animals"] = "numbers"
    """What people are called in the data: annotator-007, or quiet-heron."""
    passwords: bool = True
    """Whether people may choose a name and a password, besides their link."""
    erases: bool = False
    """Whether people may erase themselves on the page about their data; else they ask whoever runs the campaign."""
    prolific: Prolific = Prolific()
    """The codes with which people go back to Prolific."""
    mturk_code: Code = "done"
    """What is handed in at Mechanical Turk with the assignment of somebody who has finished."""


class Letter(Strict):
    """What is written to people on a list; in the recipe's language, where it is English, Czech or Polish, unless said.

    ``{name}``, ``{link}``, ``{title}`` and ``{contact}`` are filled in.
    """

    subject: str = ""
    """The subject of the mail."""
    text: str = ""
    """The text of the mail."""

    @model_validator(mode="after")
    def _known_fields(self) -> Letter:
        for part in (self.subject, self.text):
            try:
                named = {name for _, name, _, _ in string.Formatter().parse(part) if name is not None}
            except ValueError as error:
                raise ValueError(f"the letter cannot be filled in: {error}") from None
            strange = sorted(named - set(LETTER_FIELDS))
            if strange:
                raise ValueError(f'the letter has no "{{{strange[0]}}}"; it has {{{"}, {".join(LETTER_FIELDS)}}}')
        if self.text and "{link}" not in self.text:
            raise ValueError("the letter's text does not say {link}")
        return self


class Bonus(Strict):
    """Something on top, for whom all its conditions are true."""

    name: str
    """How it is called in the list of payments."""
    amount: Money
    """How much it is."""
    finished: bool = False
    """Has finished the campaign."""
    answers: Annotated[int, Field(ge=1)] | None = None
    """Has given at least so many answers."""
    gold: Annotated[float, Field(gt=0, le=1)] | None = None
    """Has answered at least this share of the check questions rightly, and one at least."""


class Pay(Strict):
    """What people earn."""

    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "EUR"
    """Code of the currency."""
    per_answer: Money = 0
    """What one accepted answer earns."""
    per_hour: Money = 0
    """For the honest time: while the item was visible in a focused window."""
    longest_seconds: Annotated[float, Field(gt=0)] = 300
    """The most that counts of one answer's time."""
    bonus: tuple[Bonus, ...] = ()
    """What is paid on top, and for what."""

"""What only the makers of a dataset know: asked in the papers of a release, answered in ``datasheet.toml``.

The data statement and the datasheet ask more than any program can know. Each open question stands in them with its
key, visibly marked, until the project's ``datasheet.toml`` answers it::

    authors = ["Ada Bell", "Jan Novák"]
    url = "https://example.org/my-dataset"
    intended_use = "Evaluating sentence encoders. Not for ranking people's writing."

Keys that nobody asks about are refused with the nearest that somebody does.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from kostra import files
from kostra.errors import KostraError
from kostra.recipe import Strict, parse
from kostra.release.markup import Safe, inline

ABOUT_FILE = "datasheet.toml"


class About(Strict):
    """The makers' answers; what is empty stays an open question."""

    authors: tuple[str, ...] = ()
    url: str = ""
    contact: str = ""
    purpose: str = ""
    funding: str = ""
    intended_use: str = ""
    misuse: str = ""
    score_meaning: str = ""
    language_variety: str = ""
    speakers: str = ""
    texts: str = ""
    rights: str = ""
    content: str = ""
    annotators: str = ""
    recruitment: str = ""
    pay: str = ""
    consent: str = ""
    ethics: str = ""
    maintenance: str = ""
    cite_as: str = ""


QUESTIONS = {
    "authors": "Who made this dataset, and on behalf of whom?",
    "url": "At which address is it published?",
    "contact": "To whom are mistakes reported?",
    "purpose": "What was it made for? Which gap was it to fill?",
    "funding": "Who paid for it?",
    "intended_use": "What is it for?",
    "misuse": "What should nobody use it for?",
    "score_meaning": "What do the ends of the scale stand for?",
    "language_variety": "Which variety of the language is it (region, time, register), as a BCP 47 tag and in words?",
    "speakers": "Who wrote the sentences: age, gender, first language, education, as far as it is known?",
    "texts": "Where and when were the sentences written, for whom, and about what?",
    "rights": "May the sentences be shared? Who holds rights in them?",
    "content": "Who looked for personal or offensive content in the sentences, and what was found?",
    "annotators": "Who annotated: languages, age, gender, knowledge of the subject?",
    "recruitment": "How were the annotators found?",
    "pay": "What were they paid, for how much time?",
    "consent": "What did they agree to, and how can they withdraw?",
    "ethics": "Who reviewed the study (board, number, date)?",
    "maintenance": "Who keeps the dataset, for how long, and how are new versions told?",
    "cite_as": "How should this dataset itself be cited?",
}
"""Key → what is asked."""

NOBODY_WAS_ASKED = ("annotators", "recruitment", "pay", "consent", "ethics")
"""Questions about people, which have no answer where no person took part."""


def read_about(project: Path) -> About:
    """The makers' answers of a project; none where there is no ``datasheet.toml``."""
    path = project / ABOUT_FILE
    if not path.is_file():
        return About()
    text = files.read_text(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise KostraError(f"this is not valid TOML: {error}", where=files.shown(path)) from None
    return parse(About, table, where=files.shown(path), text=text)


def answered(about: About, key: str) -> str:
    """The answer to a question as one text; empty where it is open.

    Examples
    --------
    >>> answered(About(authors=("Ada Bell", "Jan Novák")), "authors")
    'Ada Bell, Jan Novák'
    """
    value = getattr(about, key)
    return ", ".join(value) if isinstance(value, tuple) else value.strip()


def open_questions(about: About, *, people: bool) -> dict[str, str]:
    """The questions that nobody has answered; of those about people only where people took part."""
    return {
        key: question
        for key, question in QUESTIONS.items()
        if not answered(about, key) and (people or key not in NOBODY_WAS_ASKED)
    }


def shown_answer(about: About, key: str, *, people: bool = True) -> Safe:
    """An answer as it stands in Markdown, or the open question, marked.

    Examples
    --------
    >>> print(shown_answer(About(), "pay"))
    > **Open question** (`pay`): What were they paid, for how much time?
    >>> print(shown_answer(About(pay="12 € an hour"), "pay"))
    12 € an hour
    """
    said = answered(about, key)
    if said:
        return Safe("\n\n".join(inline(part) for part in said.split("\n\n") if part.strip()))
    if not people and key in NOBODY_WAS_ASKED:
        return Safe("Nobody was asked: no person judged anything in this release.")
    return Safe(f"> **Open question** (`{key}`): {inline(QUESTIONS[key])}")
